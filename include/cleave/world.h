// Worlds: bodies with their solvers, a clock, and events on a timetable.
//
// A step is: the events that are due, the tools under way, then each body's solver. Events and tools change what bodies
// are subject to and what they are; nothing else does. A tool is an event that lasts: from its time on it acts before
// every step, on what lay between this one and the last, until its path ends. The clock counts steps, and time is their
// number times the step: no error adds up, and a world that is saved and loaded goes on with the same bits.

#ifndef CLEAVE_WORLD_H
#define CLEAVE_WORLD_H

#include "cleave/solve.h"
#include "cleave/surgery.h"

CLV_BEGIN_DECLS

typedef struct clv_world clv_world;

typedef enum clv_action_kind {
  CLV_ACTION_FIX,     // zone, axes
  CLV_ACTION_RELEASE, // zone, axes
  CLV_ACTION_MOVE,    // zone, axes, path; times count from the event
  CLV_ACTION_PULL,    // zone, path; times count from the event
  CLV_ACTION_GRAVITY, // value
  CLV_ACTION_REMOVE,  // zone: removes its cells
  CLV_ACTION_CUT,     // surface, particles or zone, the first that is given: unsews facets (surgery.h)
  CLV_ACTION_KNIFE,   // edge, path; a tool: cuts what the edge sweeps on its path
  CLV_ACTION_PIERCE,  // zone (a box, a sphere, a capsule), path or none; with one, a tool: the zone moves along it
  CLV_ACTION_TEAR,    // zone, tear; a tool: from its time on, before every step, facets give way
  CLV_ACTION_SCALPEL, // scalpel, path; a tool: its point is where the path is, and it is lifted at the end
  CLV_ACTION_SLICE,   // slice, and a plane as zone; or edge and path, a tool: cuts through what the edge sweeps
  CLV_ACTION_REFINE,  // zone, level: until its cells have the level
  CLV_ACTION_COARSEN, // zone, level: down to it, where nothing was cut
  CLV_ACTION_ADAPT,   // zone, adapt, path or none; a tool: before every step, its point (of
                      // CLV_ADAPT_ZONE: its zone) moving along the path; at its end all is coarse again
  CLV_ACTION_APPLY,   // apply, zone: a rule, where it matches; with a path, a tool: before every step, until its end;
                      // a shape that it touches with moves along the path
  CLV_ACTION_KIND_COUNT
} clv_action_kind;

typedef struct clv_action {
  clv_action_kind kind;
  double time;
  uint32_t body; // number of the body, from 0
  clv_zone zone;
  unsigned axes;
  const clv_key *path; // copied
  uint32_t key_count;
  double value[3];
  double edge[2][3]; // a cutting edge, as it is where the path is 0
  const clv_id
      *particles; // copied; those that are gone when their time has come do not count, those that cuts have made of
  uint32_t particle_count; // the others do
  const clv_mesh *surface; // its triangles and quadrangles are copied
  clv_tear tear;           // its zone is that of the action
  clv_scalpel_def scalpel;
  clv_slice slice; // its level, snap, quality and exact
  uint32_t level;  // of cells
  clv_adapt adapt; // its zone is that of the action
  clv_apply apply; // its zone is that of the action; the rule's program outlives the world
  uint32_t label;  // a number of yours, by which clv_world_culprit calls it; 0: none
} clv_action;

// "fix", "release", "move", "pull", "gravity", "remove", "cut", "knife", "pierce", "tear", "scalpel", "slice",
// "refine", "coarsen", "adapt", "apply".
CLV_API const char *clv_action_name(clv_action_kind kind);
CLV_API int clv_action_from_name(const char *name); // -1 for an unknown word

typedef struct clv_world_def {
  double step; // s; 0: 0.8 of the stable step at the beginning, for explicit methods; 1/60 for the others
  clv_allocator allocator;
} clv_world_def;

CLV_API clv_world_def clv_default_world_def(void);
CLV_API clv_world *clv_world_create(const clv_world_def *def);
CLV_API void clv_world_destroy(clv_world *world);
CLV_API const char *clv_world_error(const clv_world *world);

// Adds a body and its solver, which belong to the world then. name is copied; NULL: "body1", "body2" ... Before the
// first step. NULL on failure.
CLV_API clv_body *clv_world_add(clv_world *world, const char *name, const clv_body_def *body,
                                const clv_solver_def *solver, clv_error *error);
CLV_API uint32_t clv_world_bodies(const clv_world *world);
CLV_API clv_body *clv_world_body(const clv_world *world, uint32_t i);
CLV_API clv_solver *clv_world_solver(const clv_world *world, uint32_t i);
CLV_API clv_surgery *clv_world_surgery(const clv_world *world, uint32_t i);
CLV_API const char *clv_world_body_name(const clv_world *world, uint32_t i);

// Puts an action on the timetable. It is carried out before the first step that starts at its time or later; what is
// scheduled for the past is for now. Equal times: in the order of calls.
CLV_API clv_result clv_world_schedule(clv_world *world, const clv_action *action);

// The scalpels of the timetable, in its order: what the k-th did last, before the last step; the place of its point.
// Before its time and behind the end of its path it does nothing. False past the last.
CLV_API uint32_t clv_world_scalpels(const clv_world *world);
CLV_API bool clv_world_scalpel(const clv_world *world, uint32_t k, clv_scalpel_report *last, double tip[3]);

// The time of a step; where it was left open, it is decided now. 0 when that fails. One that is set while the world
// runs is that of the steps to come: time goes on from where it is.
CLV_API double clv_world_get_step(clv_world *world);
CLV_API clv_result clv_world_set_step(clv_world *world, double step);
// In how many equal parts body i makes a step: 1, but for explicit methods where the step was left open (0) and the
// body, since then refined or cut, stands a shorter one only. Times of events and tools stay those of whole steps. 0
// past the last body.
CLV_API uint32_t clv_world_parts(const clv_world *world, uint32_t i);

typedef struct clv_world_report {
  uint64_t step;              // number of the step just done, from 1
  double time;                // behind it
  uint32_t events;            // carried out before it
  uint32_t vain;              // of these: that found nothing to do
  bool topology;              // whether an event or a tool changed the topology of a body
  clv_surgery_report surgery; // what they did to it, summed
  clv_step_report solver;     // sums over bodies
  uint32_t parts;             // in which the step was made by the body that needed most
  double events_seconds, total_seconds;
} clv_world_report;

// One step. On failure no body has moved and the clock stands, and the sentence names the body; events that were
// carried out before the failure are done, and those from the one that failed on still wait. report may be NULL.
CLV_API clv_result clv_world_step(clv_world *world, clv_world_report *report);
// Events before the last step that found nothing to do, from 0: which, and why, in a sentence. label (may be NULL) gets
// theirs. A zone beside the body, a cut where all is cut, or a body of which nothing is left; but no tool that moves,
// which may come to the body later. NULL past the last.
CLV_API const char *clv_world_vain(const clv_world *world, uint32_t i, uint32_t *label);
// The label of the action that the last failed step failed in; 0 when it was no action's fault.
CLV_API uint32_t clv_world_culprit(const clv_world *world);
CLV_API double clv_world_time(const clv_world *world);
CLV_API uint64_t clv_world_steps(const clv_world *world);

// Saving: what a world needs to go on later from a world made the same way (the same scene): its clock, the journals of
// its maps, its columns, its solvers' memories, as named blocks of bytes.
typedef clv_result clv_world_writer(void *user, const char *name, const void *data, size_t size);
CLV_API clv_result clv_world_save(clv_world *world, clv_world_writer *write, void *user);
// For a world that was made the same way and has not stepped. `read` gives the block of a name; its pointer must live
// until the next call. What is not of this world is refused; a world whose load fails on its way can only be destroyed.
typedef clv_result clv_world_reader(void *user, const char *name, const void **data, size_t *size);
CLV_API clv_result clv_world_load(clv_world *world, clv_world_reader *read, void *user);
// A hash of clock, maps, positions and velocities: equal for equal bits.
CLV_API uint64_t clv_world_hash(const clv_world *world);

CLV_END_DECLS

#endif
