// A world from inside: its bodies, its clock, its timetable.
//
// The timetable lists all actions in order of time, those that were carried out in front: `next` is the first that
// waits. Each that is done knows how many commits its body had seen before. So the list and the journals together tell
// the whole story of what bodies were subject to, and that is what a saved world is restored from.

#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/memory.h"
#include "cleave/world.h"

typedef struct world_body {
  char *name;
  clv_body *body;
  clv_solver *solver;
  clv_surgery *surgery;
  clv_journal *journal;      // from the first step on; belongs to the map
  BASE_ARRAY(double) before; // positions, velocities and what the solver keeps, before a step
  BASE_ARRAY(double) was;    // positions before a step that a tool is used after: it goes through what has moved since
  uint64_t was_revision;     // of the map, then
  uint32_t parts;            // in which it makes each step
  bool paced;                // they are what it needs as it was at the following
  uint64_t paced_revision, paced_subject;
} world_body;

typedef struct world_action {
  clv_action action; // its path, particles and surface are those below
  clv_key *path;
  clv_id *particles;
  clv_mesh *surface;
  uint64_t commits; // of its body before it, once it is done
  uint32_t rule;    // which of the world's, if it applies one
} world_action;

// What an event that found nothing to do has to say.
typedef struct world_notice {
  uint32_t label;
  char text[1020];
} world_notice;

// A scalpel in use.
typedef struct world_scalpel {
  uint32_t action; // its number
  clv_scalpel *scalpel;
  clv_scalpel_report last;
} world_scalpel;

// The track of a tool that cuts, while it does.
typedef struct world_track {
  uint32_t action; // its number
  clv_track *track;
} world_track;

struct clv_world {
  clv_allocator allocator;
  clv_error error;
  BASE_ARRAY(world_body) bodies;
  BASE_ARRAY(world_action) actions;
  uint32_t next;                 // the first action that waits
  BASE_ARRAY(world_notice) vain; // events before the last step that found nothing to do
  uint32_t culprit;              // the label of the one that the last failure is about
  uint64_t steps;
  double step;                        // s; 0: not yet decided
  bool automatic;                     // the step was left open: bodies divide it where they must
  double origin_time;                 // and origin_steps: where the clock was when the step changed
  uint64_t origin_steps;              //
  bool started;                       // journals record
  bool half_loaded;                   // a load failed on its way
  BASE_ARRAY(uint32_t) tools;         // actions that are done and last
  BASE_ARRAY(world_scalpel) scalpels; // in the order in which they came into use
  BASE_ARRAY(world_track) tracks;     // likewise
  BASE_ARRAY(const clv_rule *) rules; // of actions, in the order in which they were put on the timetable
  BASE_ARRAY(uint8_t) bytes;          // scratch
  BASE_ARRAY(clv_id) ids;
};

clv_result world_fail(clv_world *world, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
clv_result world_no_memory(clv_world *world);

// The pace (pace.c).

enum { WORLD_PARTS = 1000000 }; // of a step, at most
// Decides a step that was left open: what the bodies stand.
clv_result world_decide_step(clv_world *world);
// Before a step, with everything done that comes before it: in how many parts each body makes it.
clv_result world_pace(clv_world *world);
void world_set_parts(world_body *b, uint32_t parts);
// Whether nothing has changed since that asks for other parts.
bool world_is_paced(const world_body *b);

// Decides the step, and starts the journals. Everything that belongs to how a world was made lies before that.
clv_result world_start(clv_world *world);
// The time when so many steps are done.
double world_time_of(const clv_world *world, double steps);
// Another solver for a body, which goes on from where it is.
clv_result world_replace_solver(clv_world *world, uint32_t body, const clv_solver_def *def, clv_error *error);

// The timetable (action.c).

clv_result world_insert(clv_world *world, uint32_t at, const clv_action *action);
void world_free_actions(clv_world *world);
// Carries out those that are due, and then lets the tools work.
clv_result world_act_due(clv_world *world, double time, clv_world_report *report);
// After a load: those that are done and last, once more.
clv_result world_find_tools(clv_world *world);

// Kinds of actions: one line each (kinds.c).

enum {
  ACTION_ZONE = 1,
  ACTION_SHAPE = 2, // a zone to pierce with
  ACTION_AXES = 4,
  ACTION_PATH = 8,
  ACTION_MAY_PATH = 16,
  ACTION_VALUE = 32,
  ACTION_EDGE = 64,
  ACTION_FACETS = 128, // a surface, particles or a zone
  ACTION_TEAR = 256,
  ACTION_SCALPEL = 512,
  ACTION_LASTS = 1024, // without a path, as long as the world
  ACTION_SLICE = 2048, // a plane, or an edge and a path
  ACTION_ADAPT = 4096,
  ACTION_APPLY = 8192,
};

typedef clv_result world_act(clv_world *world, const world_action *entry, clv_surgery_report *report);
// What a tool does on its way from one time to another, counted from its own.
typedef clv_result world_use(clv_world *world, const world_action *entry, double from, double to,
                             clv_surgery_report *report);

typedef struct world_kind {
  const char *name;
  unsigned needs;
  bool topology;  // a change of the map: that is the journal's business when a world is loaded
  world_act *act; // at its time; NULL: nothing then
  world_use *use; // as long as its path lasts; NULL: it has none, or is a matter of the body's
} world_kind;

extern const world_kind world_kinds[CLV_ACTION_KIND_COUNT];

world_act world_fix, world_release, world_constrain_along, world_set_gravity;                           // constrain.c
world_act world_remove, world_cut, world_pierce, world_slice, world_refine, world_coarsen, world_apply; // operate.c
world_use world_sweep_edge, world_sweep_shape, world_sweep_slice, world_tear, world_adapt, world_apply_again;
// Calls `stroke` for each straight piece of a tool's path between two times.
typedef struct world_way {
  double from[3], to[3];
  clv_motion motion; // of the body meanwhile
} world_way;
typedef clv_result world_stroke(clv_world *world, const world_action *entry, const world_way *way,
                                clv_surgery_report *report);
clv_result world_follow(clv_world *world, const world_action *entry, double from, double to, world_stroke *stroke,
                        clv_surgery_report *report);
world_act world_take_scalpel; // scalpel.c
world_use world_move_scalpel;
void world_free_scalpels(clv_world *world);
// Tracks (track.c): of an action by its number; of a tool, NULL when there is none; made when there is none; no longer
// wanted.
clv_result world_make_track(clv_world *world, uint32_t action, clv_track **track);
clv_track *world_find_track(const clv_world *world, const world_action *entry);
clv_result world_begin_track(clv_world *world, const world_action *entry);
void world_end_track(clv_world *world, const world_action *entry);
void world_free_tracks(clv_world *world);
// Before a step: where vertices are that tools go through (operate.c).
clv_result world_keep_places(clv_world *world);
bool world_keep_body_places(const clv_world *world, world_body *b); // false when memory is out
// Whether they are those of the last step's beginning.
bool world_knows_places(const world_body *b);

static inline bool world_same_point(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

void world_sum_surgery(clv_surgery_report *sum, const clv_surgery_report *one);
// Whether nothing is left of the body that an action is for: then it is done.
bool world_is_vain(const clv_world *world, const world_action *entry);
// A failure of an action, with the body's name.
clv_result world_action_fail(clv_world *world, const world_action *entry, clv_result code, const char *what);

// Notes that an action found nothing to do (vain.c). CLV_OK, or no memory.
clv_result world_in_vain(clv_world *world, const world_action *entry, const char *why);
// The same where the zone of an action holds no cell; where it does, for another reason, if there is one.
clv_result world_expect_cells(clv_world *world, const world_action *entry, const char *otherwise);
world_act world_begin_tear, world_begin_adapt;

#endif
