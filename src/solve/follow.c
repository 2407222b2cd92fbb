// Following the body: inverse masses, what falls and what is held, through every commit.
//
// A commit says which vertices it changed, and the views which masses; only those are looked at again. Where that will not
// do (too many of them, vectors that have to move, vertices that hang), everything is.

#include "solve/solver.h"
#include "view/views.h"

// How many numbers a vector has room for; it moves when it grows, and is filled anew.
static size_t room_for(const clv_solver *solver, solve_vector which) {
  enum { LINE = 64 / sizeof(double) };
  const uint32_t capacity = solver->vectors[which].memory.capacity;
  return capacity > LINE ? capacity - LINE : 0;
}

// A slot whose vertex came, went, came off another or weighs something else now.
static void touch(clv_solver *solver, uint32_t slot) {
  const uint64_t need = (uint64_t)solver->touched.count + 1;
  solver->all_touched = solver->all_touched || need > solver->slots / 16 + 64 ||
                        !BASE_RESERVE(&solver->allocator, &solver->touched, need);
  if (!solver->all_touched) solver->touched.data[solver->touched.count++] = slot;
}

// Views have heard of the commit before, and say which masses it changed.
void solve_hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_solver *solver = user;
  const clv_views *views = solver->body->views;
  const view_change *change = &views->change;
  const uint32_t vertex = clv_orbit_dims(view, CLV_VERTEX);
  solver->all_touched |= clv_views_stale(views) || views->revision != commit->revision;
  for (uint32_t k = 0; k < commit->event_count && !solver->all_touched; k++) {
    if (commit->events[k].dims != vertex) continue;
    touch(solver, commit->events[k].id.index);
    if (commit->events[k].from.index) touch(solver, commit->events[k].from.index);
  }
  for (uint32_t k = 0; k < change->values.count && !solver->all_touched; k++)
    if (change->values.data[k].column == solver->body->mass)
      touch(solver, clv_id_of(view, CLV_VERTEX, change->values.data[k].dart).index);
}

static bool list_held(clv_solver *solver, const double *inverse, const double *masses) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < 3 * solver->slots; k++) count += inverse[k] == 0 && masses[k / 3] > 0;
  const uint64_t room = (uint64_t)count + count / 8 + 192; // for those that commits will add
  if (!BASE_RESERVE(&solver->allocator, &solver->held, room)) return false;
  if (!BASE_RESERVE(&solver->allocator, &solver->held_state, 2 * room)) return false;
  solver->held.count = 0;
  for (uint32_t k = 0; k < 3 * solver->slots; k++)
    if (inverse[k] == 0 && masses[k / 3] > 0) solver->held.data[solver->held.count++] = k;
  return true;
}

static void refresh_slot(clv_solver *solver, uint32_t slot, const double *masses, const uint32_t *held) {
  double *inverse = solver->vectors[SOLVE_INVERSE].data + 3 * (size_t)slot;
  double *fall = solver->vectors[SOLVE_FALL].data + 3 * (size_t)slot;
  for (uint32_t c = 0; c < 3; c++) {
    const bool is_free = masses[slot] > 0 && !(held[slot] >> c & 1u);
    inverse[c] = is_free ? 1 / masses[slot] : 0;
    fall[c] = is_free && solver->plain ? solver->body->gravity[c] : 0;
  }
}

static clv_result refresh_all(clv_solver *solver) {
  clv_body *body = solver->body;
  solver->current = false;
  solver->slots = clv_body_slots(body);
  double *inverse = solve_vector_of(solver, SOLVE_INVERSE), *fall = solve_vector_of(solver, SOLVE_FALL);
  if (!inverse || !fall) return solve_no_memory(solver), CLV_ERROR_MEMORY;
  const double *masses = clv_body_masses(body);
  const uint32_t *held = clv_body_held(body);
  solver->plain = body->pulls.count == 0 && body->loads.count == 0 && body->rayleigh_stiffness == 0;
  solver->drag = solver->plain ? body->drag + body->rayleigh_mass : 0;
  for (uint32_t s = 0; s < solver->slots; s++) refresh_slot(solver, s, masses, held);
  return list_held(solver, inverse, masses) ? CLV_OK : (solve_no_memory(solver), CLV_ERROR_MEMORY);
}

// The touched slots alone, where that will do: nothing hangs, and vectors and lists have room. False where it will not.
static bool refresh_touched(clv_solver *solver) {
  const clv_body *body = solver->body;
  const uint64_t slots = clv_body_slots(body), held_room = solver->held.count + 3 * (uint64_t)solver->touched.count;
  if (!solver->current || solver->subject != body->subject || solver->all_touched || body->hanging->table.count ||
      room_for(solver, SOLVE_INVERSE) < 3 * slots || room_for(solver, SOLVE_FALL) < 3 * slots ||
      held_room > solver->held.capacity || 2 * held_room > solver->held_state.capacity)
    return false;
  const double *masses = clv_body_masses(body), *inverse = solver->vectors[SOLVE_INVERSE].data;
  const uint32_t *held = clv_body_held(body);
  const uint32_t known = solver->slots;
  for (uint32_t s = known; s < slots; s++) refresh_slot(solver, s, masses, held);
  solver->slots = (uint32_t)slots;
  for (uint32_t k = 0; k < solver->touched.count; k++) {
    const uint32_t slot = solver->touched.data[k];
    const double *old = inverse + 3 * (size_t)slot;
    const bool listed = slot < known && !(old[0] != 0 && old[1] != 0 && old[2] != 0); // or it had no mass
    uint32_t kept = 0;
    refresh_slot(solver, slot, masses, held);
    for (uint32_t h = 0; listed && h < solver->held.count; h++)
      if (solver->held.data[h] / 3 != slot) solver->held.data[kept++] = solver->held.data[h];
    if (listed) solver->held.count = kept;
    for (uint32_t n = 3 * slot; n < 3 * slot + 3; n++)
      if (inverse[n] == 0 && masses[slot] > 0) solver->held.data[solver->held.count++] = n;
  }
  return true;
}

clv_result solve_refresh(clv_solver *solver) {
  clv_body *body = solver->body;
  const uint64_t revision = clv_map_revision(solver->map);
  if (solver->current && solver->revision == revision && solver->subject == body->subject) return CLV_OK;
  clv_result result = physics_hanging_ready(body);
  if (result != CLV_OK) return solve_fail(solver, result, "%s", clv_body_error(body));
  solver->tested = false;
  if (!refresh_touched(solver)) result = refresh_all(solver);
  if (result != CLV_OK) return result;
  solver->touched.count = 0;
  solver->all_touched = false;
  solver->revision = revision;
  solver->subject = body->subject;
  solver->current = true;
  return CLV_OK;
}

clv_result clv_solver_follow(clv_solver *solver) {
  return solve_refresh(solver);
}
