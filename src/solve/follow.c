// Following the body: inverse masses, what falls and what is held, through every commit.
//
// A commit says which vertices it changed, the views which masses, and the body which vertices lost one that hung on
// them; only those are looked at again, and what they hang on. Where there are too many of them, everything is.

#include "base/hand.h"
#include "map/plan.h"
#include "solve/solver.h"
#include "view/views.h"

// Where a slot is in the list counts only where the list agrees, so that nothing is to be cleared with it.
static bool is_touched(const clv_solver *solver, uint32_t slot) {
  if (slot >= solver->touched_at.count) return false;
  const uint32_t at = solver->touched_at.data[slot];
  return at < solver->touched.count && solver->touched.data[at] == slot;
}

static bool reserve_touched(clv_solver *solver, uint32_t slot) {
  return BASE_RESERVE(&solver->allocator, &solver->touched, (uint64_t)solver->touched.count + 1) &&
         BASE_RESERVE_CLEARED(&solver->allocator, &solver->touched_at, (uint64_t)slot + 1);
}

// A slot whose vertex came, went, came off another or weighs something else now.
static void touch(clv_solver *solver, uint32_t slot) {
  if (solver->all_touched || is_touched(solver, slot)) return;
  solver->all_touched = solver->touched.count >= solver->slots / 16 + 64 || !reserve_touched(solver, slot);
  if (solver->all_touched) return;
  solver->touched_at.data[slot] = solver->touched.count;
  solver->touched.data[solver->touched.count++] = slot;
}

// A mass that changed, or all of those at common keys.
static void touch_value(clv_solver *solver, const view_change *change, clv_dart dart) {
  const view_keys *keys = view_common_keys(change, solver->body->mass);
  if (dart) touch(solver, clv_id_of(solver->map, CLV_VERTEX, dart).index);
  for (uint32_t k = 0; !dart && k < keys->common; k++) touch(solver, keys->list.data[k].key);
}

// Views have heard of the commit before, and say which masses it changed.
void solve_hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_solver *solver = user;
  const clv_views *views = solver->body->views;
  const view_change *change = &views->change;
  const uint32_t vertex = clv_orbit_dims(view, CLV_VERTEX);
  const bool lost = map_only_lost(map_read(view)); // then what something came off is told of, too
  solver->started = 0;
  solver->all_touched |= clv_views_stale(views) || views->revision != commit->revision;
  for (uint32_t k = 0; k < commit->event_count && !solver->all_touched; k++) {
    if (commit->events[k].dims != vertex) continue;
    touch(solver, commit->events[k].id.index);
    if (commit->events[k].from.index && !lost) touch(solver, commit->events[k].from.index);
  }
  for (uint32_t k = 0; k < change->values.count && !solver->all_touched; k++)
    if (change->values.data[k].column == solver->body->mass) touch_value(solver, change, change->values.data[k].dart);
  const physics_hangings *hanging = solver->body->hanging;
  solver->all_touched |= hanging->stale;
  for (uint32_t k = 0; k < hanging->left.count && !solver->all_touched; k++) touch(solver, hanging->left.data[k]);
}

static bool reserve_held(clv_solver *solver, uint64_t numbers, uint64_t slots) {
  const clv_allocator *a = &solver->allocator;
  return BASE_RESERVE(a, &solver->held, numbers) && BASE_RESERVE(a, &solver->held_state, 2 * numbers) &&
         BASE_RESERVE_CLEARED(a, &solver->held_axes, slots);
}

static bool list_held(clv_solver *solver, const double *inverse, const double *masses) {
  uint32_t count = 0;
  for (uint32_t k = 0; k < 3 * solver->slots; k++) count += inverse[k] == 0 && masses[k / 3] > 0;
  const uint64_t slots = (uint64_t)solver->slots + solver->slots / 32 + MAP_FIRST_CUTS; // with those commits will add
  solver->held.count = solver->held_axes.count = 0;
  if (!reserve_held(solver, (uint64_t)count + count / 8 + 192, slots)) return false;
  for (uint32_t k = 0; k < 3 * solver->slots; k++) {
    if (inverse[k] != 0 || !(masses[k / 3] > 0)) continue;
    solver->held.data[solver->held.count++] = k;
    solver->held_axes.data[k / 3] |= (uint8_t)(1u << k % 3);
  }
  return true;
}

static void refresh_slot(clv_solver *solver, uint32_t slot, double mass, const uint32_t *held) {
  double *inverse = solver->vectors[SOLVE_INVERSE].data + 3 * (size_t)slot;
  double *fall = solver->vectors[SOLVE_FALL].data + 3 * (size_t)slot;
  const double *gravity = solver->body->gravity, one = mass > 0 ? 1 / mass : 0;
  const uint32_t held_axes = mass > 0 ? held[slot] : 7, still = solver->plain ? held_axes : 7;
  for (uint32_t c = 0; c < 3; c++) {
    inverse[c] = held_axes >> c & 1u ? 0 : one;
    fall[c] = still >> c & 1u ? 0 : gravity[c];
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
  for (uint32_t s = 0; s < solver->slots; s++) refresh_slot(solver, s, masses[s], held);
  return list_held(solver, inverse, masses) ? CLV_OK : (solve_no_memory(solver), CLV_ERROR_MEMORY);
}

// Which axes of a slot are in the list of those that are held.
static void list_axes(clv_solver *solver, uint32_t slot, uint32_t axes) {
  uint8_t *listed = &solver->held_axes.data[slot];
  uint32_t kept = 0;
  if (*listed == axes) return;
  for (uint32_t h = 0; *listed && h < solver->held.count; h++)
    if (solver->held.data[h] / 3 != slot) solver->held.data[kept++] = solver->held.data[h];
  if (*listed) solver->held.count = kept;
  for (uint32_t c = 0; c < 3; c++)
    if (axes >> c & 1u) solver->held.data[solver->held.count++] = 3 * slot + c;
  *listed = (uint8_t)axes;
}

// Room for slots that came, and for all axes of what was touched; what is there stays.
static bool make_room(clv_solver *solver, uint32_t slots) {
  const uint32_t had = solver->slots;
  solver->slots = slots;
  const bool done = solve_vector_of(solver, SOLVE_INVERSE) && solve_vector_of(solver, SOLVE_FALL);
  solver->slots = had;
  return done && reserve_held(solver, solver->held.count + 3 * (uint64_t)solver->touched.count, slots);
}

// What touched vertices hang on weighs something else now, too.
static bool touch_parents(clv_solver *solver) {
  for (uint32_t k = 0; k < solver->touched.count; k++) {
    const physics_hanging *one = physics_hanging_at(solver->body, solver->touched.data[k]);
    for (uint32_t p = 0; one && p < one->count && !solver->all_touched; p++) touch(solver, one->parents[p]);
  }
  return !solver->all_touched;
}

// The touched slots alone, where that will do. False where it will not.
static bool refresh_touched(clv_solver *solver) {
  const clv_body *body = solver->body;
  const uint32_t slots = clv_body_slots(body);
  if (!solver->current || solver->subject != body->subject || solver->all_touched) return false;
  if (!touch_parents(solver) || !make_room(solver, slots)) return false;
  const uint32_t *held = clv_body_held(body);
  for (uint32_t s = solver->slots; s < slots; s++)
    if (!is_touched(solver, s)) refresh_slot(solver, s, physics_weight(body, s), held);
  solver->slots = slots;
  for (uint32_t k = 0; k < solver->touched.count; k++) {
    const uint32_t slot = solver->touched.data[k];
    const double mass = physics_weight(body, slot);
    refresh_slot(solver, slot, mass, held);
    list_axes(solver, slot, mass > 0 ? held[slot] & 7u : 0);
  }
  return true;
}

static clv_result follow(clv_solver *solver) {
  clv_body *body = solver->body;
  const uint64_t revision = clv_map_revision(solver->map);
  if (solver->current && solver->revision == revision && solver->subject == body->subject) return CLV_OK;
  if (clv_views_stale(body->views)) { // masses are theirs, and they missed a commit
    const clv_result found = clv_views_refresh(body->views);
    if (found != CLV_OK) return solve_fail(solver, found, "%s", clv_views_error(body->views));
  }
  clv_result result = physics_hanging_follow(body);
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

clv_result solve_refresh(clv_solver *solver) {
  const clv_result result = physics_hanging_ready(solver->body);
  if (result != CLV_OK) return solve_fail(solver, result, "%s", clv_body_error(solver->body));
  return follow(solver);
}

clv_result clv_solver_follow(clv_solver *solver) {
  return follow(solver);
}

static void fetch_ends(const clv_solver *solver) {
  enum { SLOTS = 8, LINE = 8 }; // numbers of a cache line, on which a vector begins
  const size_t end = solver->slots;
  BASE_FETCH_ALL(solver->touched);
  BASE_FETCH_SOME(solver->touched_at, end, SLOTS);
  BASE_FETCH_SOME(solver->held_axes, end, SLOTS);
  for (uint32_t v = SOLVE_INVERSE; v <= SOLVE_FALL; v++)
    if (3 * (end + SLOTS) + LINE <= solver->vectors[v].memory.capacity)
      base_fetch(solver->vectors[v].data + 3 * end, 3 * SLOTS * sizeof(double));
}

// Edits come in runs: where one came before this step, one may come behind it. A step goes over a large body, with
// linear systems again and again, and leaves little else in the caches. What is done here takes a five-hundredth of
// such a step, a fortieth of an explicit one, at the most: about what the edit behind it would wait.
void solve_stay_ready(clv_solver *solver) {
  enum { MANY = 8192 }; // slots of a body that caches do not hold
  map *m = map_of(solver->map);
  const uint32_t lately = m->lately;
  const bool growth = lately & MAP_LATELY_GREW;
  m->lately = 0;
  if (!lately || solver->slots < MANY) return;
  base_fetch(solver, sizeof *solver);
  base_fetch(solver->body, sizeof *solver->body);
  map_fetch(m, growth);
  views_fetch(solver->body->views, growth);
  if (growth) physics_hanging_fetch(solver->body);
  fetch_ends(solver);
  base_fetch_stack();
  base_fetch_code(BASE_HAND_EDITS);
  if (growth) base_fetch_code(BASE_HAND_GROWTHS);
  if (lately & MAP_LATELY_LOST) base_fetch_code(BASE_HAND_LOSSES);
}
