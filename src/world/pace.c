// The pace of a world: how long its step is, and in how many parts each body makes it.
//
// A step that is left open is decided once, before the first: 0.8 of what the bodies stand then. It stays, so that
// events, tools, frames and probes keep their times. A body that stands less later, because its cells became smaller or
// its vertices lighter, makes each step in equal parts, so many that a part is at most 0.9 of what it stands now; one
// that stands more again makes it in fewer. What lies between the two numbers is for the motion, which also changes
// what a body stands, and must not double its work.
//
// What a body stands is asked for again before the first step behind a change of its map, of its solver or of what it
// is subject to, and never otherwise. So it follows from the state alone, and a world that is loaded goes on alike.

#include "physics/body.h"
#include "world/world.h"

#include <math.h>

#define PACE_AT_FIRST 0.8
#define PACE_AT_MOST 0.9

bool world_is_paced(const world_body *b) {
  return b->paced && b->paced_revision == clv_map_revision(clv_body_map(b->body)) &&
         b->paced_subject == b->body->subject;
}

void world_set_parts(world_body *b, uint32_t parts) {
  b->parts = parts;
  b->paced = true;
  b->paced_revision = clv_map_revision(clv_body_map(b->body));
  b->paced_subject = b->body->subject;
}

static clv_result find_stable(clv_world *world, const world_body *b, double *stable) {
  const clv_result result = clv_solver_stable_step(b->solver, stable);
  if (result == CLV_OK) return CLV_OK;
  return world_fail(world, result, "body '%s': no step can be chosen: %s", b->name, clv_solver_error(b->solver));
}

clv_result world_decide_step(clv_world *world) {
  double step = 1.0 / 60;
  for (uint32_t k = 0; k < world->bodies.count; k++) {
    double stable = INFINITY;
    const clv_result result = find_stable(world, &world->bodies.data[k], &stable);
    if (result != CLV_OK) return result;
    step = fmin(step, PACE_AT_FIRST * stable);
  }
  world->step = step;
  for (uint32_t k = 0; k < world->bodies.count; k++) world_set_parts(&world->bodies.data[k], 1);
  return CLV_OK;
}

static clv_result pace_body(clv_world *world, world_body *b) {
  double stable = INFINITY;
  const clv_result result = find_stable(world, b, &stable);
  if (result != CLV_OK) return result;
  const double parts = fmax(1, ceil(world->step / (PACE_AT_MOST * stable)));
  if (!(parts <= WORLD_PARTS))
    return world_fail(world, CLV_ERROR_REFUSED,
                      "body '%s' has cells so small or light that its stable step is %.3g s: take an implicit method",
                      b->name, stable);
  world_set_parts(b, (uint32_t)parts);
  return CLV_OK;
}

clv_result world_pace(clv_world *world) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; world->automatic && result == CLV_OK && k < world->bodies.count; k++)
    if (!world_is_paced(&world->bodies.data[k])) result = pace_body(world, &world->bodies.data[k]);
  return result;
}
