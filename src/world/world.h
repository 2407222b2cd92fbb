// A world from inside: its bodies, its clock, its timetable.
//
// The timetable lists all actions in order of time, those that were carried out in front: `next` is the first that waits.
// Each that is done knows how many commits its body had seen before. So the list and the journals together tell the whole
// story of what bodies were subject to, and that is what a saved world is restored from.

#ifndef WORLD_WORLD_H
#define WORLD_WORLD_H

#include "base/memory.h"
#include "cleave/world.h"

typedef struct world_body {
  char *name;
  clv_body *body;
  clv_solver *solver;
  clv_journal *journal;      // from the first step on; belongs to the map
  BASE_ARRAY(double) before; // positions, velocities and what the solver keeps, before a step
} world_body;

typedef struct world_action {
  clv_action action; // its path is a copy
  uint64_t commits;  // of its body before it, once it is done
} world_action;

struct clv_world {
  clv_allocator allocator;
  clv_error error;
  BASE_ARRAY(world_body) bodies;
  BASE_ARRAY(world_action) actions;
  uint32_t next; // the first action that waits
  uint64_t steps;
  double step;                // s; 0: not yet decided
  bool started;               // journals record
  bool half_loaded;           // a load failed on its way
  BASE_ARRAY(clv_dart) darts; // scratch of actions
  BASE_ARRAY(uint8_t) bytes;
};

clv_result world_fail(clv_world *world, clv_result code, const char *format, ...) CLV_PRINTF(3, 4);
clv_result world_no_memory(clv_world *world);
// Decides the step, and starts the journals. Everything that belongs to how a world was made lies before that.
clv_result world_start(clv_world *world);

// Actions (action.c).
clv_result world_insert(clv_world *world, uint32_t at, const clv_action *action);
void world_free_actions(clv_world *world);
bool world_changes_topology(clv_action_kind kind);
// Carries out an action now.
clv_result world_act(clv_world *world, const clv_action *action);
// The same for what is no change of topology: that is the journal's business.
clv_result world_constrain(clv_world *world, const clv_action *action);
// Those that are due.
clv_result world_act_due(clv_world *world, double time, clv_world_report *report);

#endif
