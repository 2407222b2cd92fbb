// Grabs: springs from a point of a body to where a hand is.
//
// A spring pulls at a particle and those about it, each by its share of their mass: the same acceleration for all, so
// that nothing is torn out of the body. It is stretched by what the middle of their masses lacks, so that its force has
// an energy. Its force is a load: constant over a step. So it must not be stiffer than a step stands: what a patch of
// mass M, held by its neighbours with stiffness q, answers to in one step h is (M + h^2 q) / h^2, and a quarter of that
// is the bound; below it the spring carries the whole body's weight on a thirtieth of its size. Where there is no
// inertia, the body answers at once with all it has, and the force comes a tenth at a time.

#include "live/live.h"
#include "physics/body.h"

#include <math.h>

static live_grab *find_grab(const clv_live *live, uint32_t client) {
  for (uint32_t k = 0; k < live->grabs.count; k++)
    if (live->grabs.data[k].client == client) return &live->grabs.data[k];
  return NULL;
}

static clv_id vertex_of(const clv_map *map, uint32_t slot) {
  const clv_id none = {0, 0};
  if (slot == 0 || slot >= clv_id_slots(map, CLV_VERTEX)) return none;
  const clv_id next = clv_id_next(map, CLV_VERTEX, (clv_id){slot - 1, 0});
  return next.index == slot ? next : none;
}

static bool add_slot(const clv_live *live, live_grab *grab, uint32_t slot) {
  for (uint32_t k = 0; k < grab->patch.count; k++)
    if (grab->patch.data[k] == slot) return true;
  if (!BASE_RESERVE(&live->allocator, &grab->patch, (uint64_t)grab->patch.count + 1)) return false;
  grab->patch.data[grab->patch.count++] = slot;
  return true;
}

// The mean of a vector over the patch, by mass.
static void middle(const clv_body *body, const live_grab *grab, const double *vector, double mean[3]) {
  const double *masses = clv_body_masses(body);
  for (uint32_t c = 0; c < 3; c++) mean[c] = 0;
  for (uint32_t k = 0; k < grab->patch.count; k++)
    for (uint32_t c = 0; c < 3; c++)
      mean[c] += masses[grab->patch.data[k]] / grab->mass * vector[3 * (size_t)grab->patch.data[k] + c];
}

// The particle and those that share a cell with it, but for those that weigh nothing.
static bool find_patch(const clv_live *live, live_grab *grab) {
  clv_body *body = clv_world_body(live->world, grab->body);
  const clv_map *map = clv_body_map(body);
  const double *masses = clv_body_masses(body);
  clv_walk star, corners;
  grab->patch.count = 0;
  grab->mass = 0;
  grab->revision = clv_map_revision(map);
  bool good = clv_walk_star(&star, map, CLV_VERTEX, clv_id_dart(map, CLV_VERTEX, grab->vertex)) == CLV_OK;
  for (uint32_t k = 0; good && k < star.count; k++) {
    good = clv_walk_incident(&corners, map, CLV_CELL, CLV_CORNER, star.darts[k]) == CLV_OK;
    for (uint32_t c = 0; good && c < corners.count; c++) {
      const uint32_t slot = clv_id_of(map, CLV_VERTEX, corners.darts[c]).index;
      if (masses[slot] > 0) good = add_slot(live, grab, slot);
    }
    clv_walk_end(&corners);
  }
  clv_walk_end(&star);
  for (uint32_t k = 0; k < grab->patch.count; k++) grab->mass += masses[grab->patch.data[k]];
  const double *x = clv_body_positions(body);
  middle(body, grab, x, grab->offset);
  for (uint32_t c = 0; c < 3; c++) grab->offset[c] -= x[3 * (size_t)grab->vertex.index + c];
  return good;
}

// How stiffly the rest of the body holds the patch, as a whole, along the axes.
static bool held_by_rest(clv_live *live, const live_grab *grab, double *stiffness) {
  clv_body *body = clv_world_body(live->world, grab->body);
  const size_t count = 3 * (size_t)clv_body_slots(body), size = count * sizeof(double);
  double *along = base_allocate(&live->allocator, 2 * size);
  *stiffness = INFINITY;
  if (!along) return false;
  double *out = along + count;
  for (uint32_t axis = 0; axis < 3; axis++) {
    memset(along, 0, size);
    for (uint32_t k = 0; k < grab->patch.count; k++) along[3 * (size_t)grab->patch.data[k] + axis] = 1;
    if (clv_body_force_along(body, along, NULL, out) != CLV_OK) break;
    double sum = 0;
    for (uint32_t k = 0; k < grab->patch.count; k++) sum -= out[3 * (size_t)grab->patch.data[k] + axis];
    *stiffness = fmin(*stiffness, fmax(sum, 0));
  }
  base_free(&live->allocator, along, 2 * size);
  if (!isfinite(*stiffness)) *stiffness = 0;
  return true;
}

static bool choose_stiffness(clv_live *live, live_grab *grab) {
  clv_body *body = clv_world_body(live->world, grab->body);
  const clv_method method = clv_solver_get_def(clv_world_solver(live->world, grab->body))->method;
  const bool explicit_method = method == CLV_SYMPLECTIC_EULER || method == CLV_HEUN || method == CLV_RK4;
  const double h = clv_world_get_step(live->world);
  clv_momenta momenta;
  clv_body_momenta(body, &momenta);
  double rest = 0;
  if (!explicit_method && !held_by_rest(live, grab, &rest)) return false;
  const double bound = 0.25 * (grab->mass / (h * h) + rest), wanted = 30 * 9.81 * momenta.mass / fmax(body->size, 1e-9);
  grab->stiffness = fmin(wanted, bound);
  grab->share = method == CLV_STATIC ? 0.1 : 1;
  grab->damping = fmin(sqrt(grab->stiffness * grab->mass), 0.25 * (grab->mass / h + h * rest));
  return true;
}

static void free_grab(const clv_live *live, live_grab *grab) {
  if (grab->load) physics_destroy_load(clv_world_body(live->world, grab->body), grab->load);
  BASE_RELEASE(&live->allocator, &grab->patch);
}

bool live_grab_begin(clv_live *live, const live_command *command, clv_error *error) {
  clv_body *body = clv_world_body(live->world, command->body);
  live_grab grab = {.client = command->client, .body = command->body};
  grab.vertex = vertex_of(clv_body_map(body), command->point);
  if (!grab.vertex.index) {
    clv_error_set(error, CLV_ERROR_REFUSED, "there is no point %u", command->point);
    return false;
  }
  memcpy(grab.at, command->at, sizeof grab.at);
  live_grab_drop(live, command->client);
  bool good = BASE_RESERVE(&live->allocator, &live->grabs, (uint64_t)live->grabs.count + 1) &&
              physics_create_load(body, &grab.load) == CLV_OK && find_patch(live, &grab) &&
              choose_stiffness(live, &grab);
  if (good && grab.mass > 0) {
    live->grabs.data[live->grabs.count++] = grab;
    return true;
  }
  free_grab(live, &grab);
  clv_error_set(error, good ? CLV_ERROR_REFUSED : CLV_ERROR_MEMORY,
                good ? "nothing that weighs anything is at this point" : "out of memory: nothing was grabbed");
  return false;
}

bool live_grab_drag(clv_live *live, uint32_t client, const double at[3], clv_error *error) {
  live_grab *grab = find_grab(live, client);
  if (!grab) {
    clv_error_set(error, CLV_ERROR_REFUSED, "nothing is grabbed");
    return false;
  }
  memcpy(grab->at, at, sizeof grab->at);
  return true;
}

void live_grab_drop(clv_live *live, uint32_t client) {
  live_grab *grab = find_grab(live, client);
  if (!grab) return;
  free_grab(live, grab);
  *grab = live->grabs.data[--live->grabs.count];
}

void live_grab_leave(clv_live *live) {
  for (uint32_t k = 0; k < live->grabs.count; k++) free_grab(live, &live->grabs.data[k]);
  live->grabs.count = 0;
}

static void pull(const clv_live *live, const live_grab *grab) {
  clv_body *body = clv_world_body(live->world, grab->body);
  double *load = physics_vectors(grab->load);
  const double *masses = clv_body_masses(body);
  double force[3], place[3], speed[3];
  middle(body, grab, clv_body_positions(body), place);
  middle(body, grab, clv_body_velocities(body), speed);
  for (uint32_t c = 0; c < 3; c++)
    force[c] = grab->stiffness * (grab->at[c] + grab->offset[c] - place[c]) - grab->damping * speed[c];
  const size_t numbers = 3 * (size_t)clv_body_slots(body);
  for (size_t k = 0; k < numbers; k++) load[k] *= 1 - grab->share;
  for (uint32_t k = 0; k < grab->patch.count; k++)
    for (uint32_t c = 0; c < 3; c++)
      load[3 * (size_t)grab->patch.data[k] + c] += grab->share * masses[grab->patch.data[k]] / grab->mass * force[c];
}

// What was grabbed may be gone, or other particles may be about it.
bool live_grab_pull(clv_live *live) {
  for (uint32_t k = 0; k < live->grabs.count; k++) {
    live_grab *grab = &live->grabs.data[k];
    const clv_map *map = clv_body_map(clv_world_body(live->world, grab->body));
    bool there = clv_id_alive(map, CLV_VERTEX, grab->vertex);
    if (there && grab->revision != clv_map_revision(map)) {
      if (!find_patch(live, grab) || !choose_stiffness(live, grab)) return false;
      there = grab->mass > 0;
    }
    if (there) {
      pull(live, grab);
    } else {
      free_grab(live, grab);
      *grab = live->grabs.data[--live->grabs.count];
      k--;
    }
  }
  return true;
}
