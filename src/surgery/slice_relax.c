// When cells that are no simplices were split: what is left to see to.
//
// Such a cell is not strained evenly, and its pieces are where it was, but not as it was: they may have more energy.
// But they have more freedom, too. Where there is more energy than before, new vertices give way along the forces on
// them until there is not: along the plane, if that is enough; out of it, if not; and then the corners of the cells
// with them, which at the tip of a blade must give way where lips cannot.
//
// The cells are split by then, and stay so: where memory is out for this, vertices are where they came to be. What is
// left of the energy is told.
//
// And its mass is shared out in another way by its pieces. New vertices have the motion of the place they lie in, but
// that the cell as a whole moves on as it did, and no faster inside: momentum stays, and kinetic energy does not grow.

#include "surgery/slice_plan.h"

#include <math.h>

enum { MOST_STEPS = 300 };

static bool was_there(const slicing *c, uint32_t slot) {
  return slot < c->old.count && c->old.data[slot];
}

// Rounding: where it is nothing, a neo-Hookean solid has a difference of large numbers; others have squares.
static double noise_of(const slicing *c) {
  double noise = 0;
  for (uint32_t n = 0; n < c->plans.count; n++) {
    const slice_plan *p = &c->plans.data[n];
    const physics_section *section = physics_section_of(c->surgery->body, p->cell);
    const double bits = section->model->stress == PHYSICS_NEOHOOKE ? 1e-15 : 1e-26;
    for (uint32_t k = 0; k < p->corners; k++)
      noise += bits * section->material.young * p->before[k] / section->material.density;
  }
  return noise;
}

static clv_result measure(const slicing *c, double *elastic) {
  clv_surgery *s = c->surgery;
  const clv_result result = clv_views_energy(s->body->views, elastic);
  return result == CLV_OK ? CLV_OK : surgery_fail(s, result, "%s", clv_views_error(s->body->views));
}

clv_result slice_note_state(slicing *c) {
  clv_surgery *s = c->surgery;
  const uint32_t slots = clv_body_slots(s->body);
  if (!c->plans.count) return CLV_OK;
  if (!BASE_RESERVE(&s->allocator, &c->old, slots)) return surgery_no_memory(s);
  memset(c->old.data, 0, slots);
  c->old.count = slots;
  for (clv_id v = {0}; (v = clv_id_next(s->map, CLV_VERTEX, v)).index;) c->old.data[v.index] = 1;
  const clv_result result = measure(c, &c->energy);
  c->energy += noise_of(c) + 1e-14 * fabs(c->energy);
  return result;
}

// Momentum

// The mass of a cell's corners, before it is split or after: how it moves as a whole, and its parts against each other.
typedef struct drift {
  double mass, velocity[3], energy;
} drift;

static drift measure_drift(const slice_plan *p, const double *masses) {
  drift d = {0};
  for (uint32_t k = 0; k < p->points; k++) d.mass += masses[k];
  for (uint32_t k = 0; k < p->points; k++)
    for (uint32_t axis = 0; axis < 3; axis++) d.velocity[axis] += masses[k] / d.mass * p->point[k].at[PLAN_VEL][axis];
  for (uint32_t k = 0; k < p->points; k++)
    for (uint32_t axis = 0; axis < 3; axis++) {
      const double v = p->point[k].at[PLAN_VEL][axis] - d.velocity[axis];
      d.energy += 0.5 * masses[k] * v * v;
    }
  return d;
}

// Where a face between cells is warped, mass of one becomes the other's when it is parted: it takes its motion along.
static drift lose_mass(const slicing *c) {
  drift lost = {0};
  for (uint32_t n = 0; n < c->plans.count; n++) {
    const drift before = measure_drift(&c->plans.data[n], c->plans.data[n].before),
                after = measure_drift(&c->plans.data[n], c->plans.data[n].after);
    const double mass = fmax(before.mass - after.mass, 0);
    lost.mass += mass;
    for (uint32_t axis = 0; axis < 3; axis++) lost.velocity[axis] += mass * before.velocity[axis];
  }
  for (uint32_t axis = 0; axis < 3 && lost.mass > 0; axis++) lost.velocity[axis] /= lost.mass;
  return lost;
}

static bool is_centre(const slice_plan *p, uint32_t point) {
  return point == p->centres[0] || point == p->centres[1];
}

static uint32_t centre_held(const slicing *c, const slice_plan *p) {
  uint32_t slots[PLAN_CORNERS];
  for (uint32_t k = 0; k < p->corners; k++) slots[k] = p->point[k].slot;
  return slice_held(c, slots, p->corners);
}

static void push_point(slicing *c, slice_plan *p, uint32_t point, const double *speed) {
  for (uint32_t axis = 0; axis < 3; axis++) {
    if (point < p->corners)
      p->push[point][axis] = p->after[point] * speed[axis];
    else if (is_centre(p, point))
      p->point[point].at[PLAN_VEL][axis] += centre_held(c, p) >> axis & 1u ? 0 : speed[axis];
    else
      c->edges.data[p->point[point].edge].faster[axis] += p->after[point] * speed[axis];
  }
}

// The cell moves as it did, and no faster inside.
static void share_momentum(slicing *c, slice_plan *p, const drift *lost) {
  const drift before = measure_drift(p, p->before), after = measure_drift(p, p->after);
  const double gained = lost->mass > 0 ? fmax(after.mass - before.mass, 0) / after.mass : 0;
  const double left = after.energy > before.energy ? sqrt(before.energy / after.energy) : 1;
  for (uint32_t k = 0; k < p->points; k++) {
    double speed[3];
    for (uint32_t axis = 0; axis < 3; axis++) {
      const double mean = before.velocity[axis] + gained * (lost->velocity[axis] - before.velocity[axis]);
      speed[axis] = mean - after.velocity[axis];
      if (left < 1) speed[axis] += (left - 1) * (p->point[k].at[PLAN_VEL][axis] - after.velocity[axis]);
    }
    push_point(c, p, k, speed);
  }
}

// Velocities of new vertices are set in the transaction, those of corners after it, when it is known what they weigh.
void slice_share_momentum(slicing *c) {
  const drift lost = lose_mass(c);
  for (uint32_t n = 0; n < c->plans.count; n++) {
    slice_plan *p = &c->plans.data[n];
    share_momentum(c, p, &lost);
    for (uint32_t k = p->corners; k < p->points; k++)
      if (!is_centre(p, k)) c->edges.data[p->point[k].edge].mass += p->after[k];
  }
  for (uint32_t e = 0; e < c->edges.count; e++)
    for (uint32_t axis = 0; axis < 3 && c->edges.data[e].mass > 0; axis++)
      c->edges.data[e].faster[axis] *=
          slice_held(c, c->edges.data[e].ends, 2) >> axis & 1u ? 0 : 1 / c->edges.data[e].mass;
}

// What hangs has its motion of those it hangs between.
static void push(const slicing *c, uint32_t slot, const double *momentum) {
  const clv_body *body = c->surgery->body;
  const physics_hanging *hanging = physics_hanging_at(body, slot);
  const double mass = physics_weight(body, slot);
  for (uint32_t n = 0; hanging && n < hanging->count; n++) {
    const double part[3] = {momentum[0] / hanging->count, momentum[1] / hanging->count, momentum[2] / hanging->count};
    push(c, hanging->parents[n], part);
  }
  for (uint32_t axis = 0; !hanging && mass > 0 && axis < 3; axis++)
    if (!(clv_body_held(body)[slot] >> axis & 1u))
      physics_vectors(body->vel)[3 * (size_t)slot + axis] += momentum[axis] / mass;
}

void slice_push_corners(slicing *c) {
  clv_body *body = c->surgery->body;
  if (!c->plans.count || physics_hanging_ready(body) != CLV_OK) return;
  for (uint32_t n = 0; n < c->plans.count; n++)
    for (uint32_t k = 0; k < c->plans.data[n].corners; k++)
      push(c, c->plans.data[n].point[k].slot, c->plans.data[n].push[k]);
  physics_spread(body, clv_body_velocities(body));
}

// Giving way

typedef struct settling {
  slicing *cutting;
  double *forces;             // by slot
  double *velocities, *start; // likewise, before
  double *last;               // forces on those that give way
  const double *across;       // they stay in the plane that this is normal to; NULL: they may leave it
  double step;                // m/N
  double energy;
} settling;

static void list_newcomers(slicing *c) {
  c->seen.count = 0;
  for (clv_id v = {0}; (v = clv_id_next(c->surgery->map, CLV_VERTEX, v)).index;)
    if (!was_there(c, v.index)) c->seen.data[c->seen.count++] = v.index;
}

static void list_corners(slicing *c) {
  for (uint32_t n = 0; n < c->plans.count; n++)
    for (uint32_t k = 0; k < c->plans.data[n].corners; k++) {
      const uint32_t slot = c->plans.data[n].point[k].slot;
      if (c->old.data[slot]) c->seen.data[c->seen.count++] = slot;
      c->old.data[slot] = 0;
    }
}

static clv_result settle_begin(slicing *c, settling *t) {
  clv_surgery *s = c->surgery;
  const uint64_t slots = clv_body_slots(s->body);
  if (!BASE_RESERVE(&s->allocator, &c->seen, slots) || !BASE_RESERVE(&s->allocator, &c->room, 12 * slots))
    return surgery_fail(s, CLV_ERROR_MEMORY, "out of memory: what was split does not give way");
  const clv_result result = slice_measure(c);
  if (result != CLV_OK) return result;
  list_newcomers(c);
  *t = (settling){.cutting = c, .forces = c->room.data};
  t->velocities = t->forces + 3 * slots;
  t->start = t->velocities + 3 * slots;
  t->last = t->start + 3 * slots;
  memcpy(t->velocities, clv_body_velocities(s->body), 3 * slots * sizeof(double));
  memset(clv_body_velocities(s->body), 0, 3 * slots * sizeof(double)); // what damps is no matter of energy
  memcpy(t->start, clv_body_positions(s->body), 3 * slots * sizeof(double));
  return CLV_OK;
}

static void go_back(const settling *t) {
  clv_body *body = t->cutting->surgery->body;
  memcpy(clv_body_positions(body), t->start, 3 * (size_t)clv_body_slots(body) * sizeof(double));
}

// What pushes a vertex, where it is free to go.
static void read_force(const settling *t, uint32_t slot, double *force) {
  static const double anywhere[3] = {0, 0, 0};
  const slicing *c = t->cutting;
  const double *across = t->across && !c->sides.data[slot] ? t->across : anywhere;
  const uint32_t held = physics_weight(c->surgery->body, slot) > 0 ? clv_body_held(c->surgery->body)[slot] : CLV_XYZ;
  memcpy(force, t->forces + 3 * (size_t)slot, 3 * sizeof *force);
  const double along = scalpel_dot(force, across);
  for (uint32_t k = 0; k < 3; k++) force[k] = held >> k & 1u ? 0 : force[k] - along * across[k];
}

// The first is as good as nothing, beside the body and beside the energy that is to go. The next would have brought the
// last forces to nothing, had all the same stiffness (Barzilai and Borwein, 1988).
static void choose_step(settling *t) {
  const slicing *c = t->cutting;
  double square = 0, change = 0, now = 0, most = 0;
  for (uint32_t n = 0; n < c->seen.count; n++) {
    double force[3];
    const double *last = t->last + 3 * (size_t)n;
    read_force(t, c->seen.data[n], force);
    for (uint32_t k = 0; k < 3; k++) {
      square += last[k] * last[k];
      change += last[k] * (last[k] - force[k]);
      now += force[k] * force[k];
      most = fmax(most, fabs(force[k]));
    }
  }
  if (t->step == 0)
    t->step = most > 0 ? fmin(1e-6 * c->surgery->body->size / most, (t->energy - c->energy) / now) : 0;
  else if (change > 0)
    t->step *= square / change;
}

static void go_on(const settling *t) {
  const slicing *c = t->cutting;
  for (uint32_t n = 0; n < c->seen.count; n++) {
    double *last = t->last + 3 * (size_t)n, *pos = clv_body_positions(c->surgery->body) + 3 * (size_t)c->seen.data[n];
    read_force(t, c->seen.data[n], last);
    for (uint32_t k = 0; k < 3; k++) pos[k] += t->step * last[k];
  }
  physics_spread(c->surgery->body, clv_body_positions(c->surgery->body));
}

// Until there is no more energy than there was. They are where they were when that does not come about.
static clv_result descend(settling *t, const double *across) {
  const slicing *c = t->cutting;
  clv_surgery *s = c->surgery;
  t->across = across;
  t->step = 0;
  for (uint32_t turn = 0; turn <= MOST_STEPS; turn++) {
    clv_result result = measure(c, &t->energy);
    if (result != CLV_OK || t->energy <= c->energy) return result;
    result = physics_law_force(s->body, t->forces);
    if (result != CLV_OK) return surgery_fail(s, result, "%s", clv_body_error(s->body));
    choose_step(t);
    go_on(t);
  }
  go_back(t);
  return CLV_OK;
}

// *energy: what there is, and then what is left.
static clv_result give_way(slicing *c, double *energy) {
  clv_surgery *s = c->surgery;
  settling t = {.cutting = c};
  clv_result result = settle_begin(c, &t);
  if (result != CLV_OK) return result;
  result = descend(&t, c->normal);
  if (result == CLV_OK && t.energy > c->energy) result = descend(&t, NULL);
  list_corners(c);
  if (result == CLV_OK && t.energy > c->energy) result = descend(&t, NULL);
  if (result != CLV_OK) go_back(&t);
  if (result == CLV_OK && t.energy <= c->energy) *energy = t.energy; // otherwise they went back
  memcpy(clv_body_velocities(s->body), t.velocities, 3 * (size_t)clv_body_slots(s->body) * sizeof(double));
  return result;
}

clv_result slice_give_way(slicing *c, double *left) {
  double energy = NAN;
  clv_result result = measure(c, &energy);
  if (result == CLV_OK && energy > c->energy) result = give_way(c, &energy);
  *left = isnan(energy) ? energy : fmax(energy - c->energy, 0);
  return result;
}
