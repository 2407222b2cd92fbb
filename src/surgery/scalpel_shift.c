// Moving vertices to places of the surface, with nothing lost.
//
// A vertex is given the position and the rest of another point of the matter it lies in, so that where the strain is
// even nothing changes but the mesh. Where it is not, three things are seen to:
//   mass       its star keeps it exactly: the rest moves to where the sum of what its cells weigh stays (volumes are
//              affine in one vertex, whatever the kind of cell; areas in space are nearly)
//   momentum   the mass that goes from one vertex to another takes its velocity with it: momentum stays, and kinetic
//              energy does not grow
//   energy     of the whole way, a half, a quarter and an eighth (or as many of them as are to be tried) the first is
//              taken that makes no elastic energy and no bad cell. Those that find none come again, the cheapest
//              first: they may make as much as all others have set free; and beyond that as much as is taken off the
//              motion about them, a tenth of it at most: that of the corners against each other, so that momentum
//              stays. The rest stays
// star.h measures all this for every kind of cell and every model. A vertex stays where it is if it is held, hangs, or
// others hang by it or in the cells about it, or if forces act there that have no energy. Corners of its cells may hang
// on something else: their parents gain and lose what they would, and they move as these do.
//
// Plans are tried in the body's arrays, which are as they were when planning ends; a transaction sets the values.

#include "surgery/scalpel.h"
#include "surgery/star.h"

#include <math.h>
#include <stdlib.h>

// Whether a vertex hangs, or another one by it: then masses are gathered from one to the other.
static bool is_bound(const clv_surgery *s, uint32_t slot) {
  return physics_weight(s->body, slot) != physics_vectors(s->body->mass)[slot];
}

static bool can_move(const clv_surgery *s, const surgery_star *star) {
  const uint32_t held = clv_body_held(s->body)[star->slot];
  return !(held & ~s->body->always_held) && !is_bound(s, star->slot) && star_is_plain(star);
}

// Mass

// Across which the star's mass grows most, and by how much per metre.
static void mass_slope(const surgery_star *star, double *rest, double size, double slope[3]) {
  for (uint32_t k = 0; k < 3; k++) {
    const double here = rest[k], step = 1e-3 * size;
    rest[k] = here + step;
    const double above = star_mass(star);
    rest[k] = here - step;
    slope[k] = (above - star_mass(star)) / (2 * step);
    rest[k] = here;
  }
}

// The rest of the vertex is moved until its star weighs what it did. False where it cannot.
static bool keep_mass(const surgery_star *star, double mass) {
  double *rest = star_array(star->surgery, STAR_REST) + 3 * (size_t)star->slot;
  const double size = star_size(star);
  for (uint32_t turn = 0; turn < 8; turn++) {
    const double missing = mass - star_mass(star);
    if (fabs(missing) <= 1e-14 * mass) return true;
    double slope[3];
    mass_slope(star, rest, size, slope);
    const double square = scalpel_dot(slope, slope);
    if (!(sqrt(square) * size > 1e-9 * mass)) return false;
    for (uint32_t k = 0; k < 3; k++) rest[k] += missing * slope[k] / square;
  }
  return fabs(mass - star_mass(star)) <= 1e-13 * mass;
}

// What each corner about the vertex weighs by itself. False when memory is out.
static bool weigh(const surgery_star *star) {
  clv_surgery *s = star->surgery;
  const double *masses = physics_vectors(s->body->mass);
  s->weights.count = 0;
  for (uint32_t c = 0; c < star->cells.count; c++) {
    const surgery_corners corners = star_corners(star, c);
    if (!BASE_RESERVE(&s->allocator, &s->weights, (uint64_t)s->weights.count + corners.count)) return false;
    for (uint32_t k = 0; k < corners.count; k++) {
      uint32_t at = 0;
      while (at < s->weights.count && s->weights.data[at].slot != corners.slots[k]) at++;
      s->weights.data[at] = (surgery_weight){corners.slots[k], masses[corners.slots[k]]};
      s->weights.count += at == s->weights.count;
    }
  }
  return true;
}

// Whether they weigh together what they did: the laws' word for it.
static bool weighs_the_same(const clv_surgery *s) {
  const double *masses = physics_vectors(s->body->mass);
  double before = 0, now = 0;
  for (uint32_t k = 0; k < s->weights.count; k++) {
    before += s->weights.data[k].mass;
    now += masses[s->weights.data[k].slot];
  }
  return fabs(now - before) <= 1e-13 * before;
}

// Planned values

// NULL when memory is out.
static surgery_value *value_of(clv_surgery *s, uint32_t slot) {
  if (s->numbers.data[slot]) return &s->values.data[s->numbers.data[slot] - 1];
  if (!BASE_RESERVE(&s->allocator, &s->values, (uint64_t)s->values.count + 1)) return NULL;
  surgery_value *value = &s->values.data[s->values.count++];
  s->numbers.data[slot] = s->values.count;
  const clv_id id = clv_id_next(s->map, CLV_VERTEX, (clv_id){slot - 1, 0});
  *value =
      (surgery_value){.slot = slot, .dart = clv_id_dart(s->map, CLV_VERTEX, id), .mass = physics_weight(s->body, slot)};
  for (uint32_t which = STAR_POS; which <= STAR_VEL; which++)
    memcpy(value->before[which], star_array(s, which) + 3 * (size_t)slot, sizeof value->before[which]);
  return value;
}

static bool is_gainer(const clv_surgery *s, uint32_t slot) {
  uint32_t k = 0;
  while (k < s->gainers.count && s->gainers.data[k] != slot) k++;
  return k < s->gainers.count;
}

// An entry for a vertex, and a place among the gainers; if it hangs, for all that bear its mass instead. False when
// memory is out.
static bool plan_gain(clv_surgery *s, uint32_t slot) {
  const physics_hanging *hanging = physics_hanging_at(s->body, slot);
  bool good = true;
  for (uint32_t p = 0; good && hanging && p < hanging->count; p++) good = plan_gain(s, hanging->parents[p]);
  if (!good || hanging || is_gainer(s, slot)) return good;
  if (!value_of(s, slot) || !BASE_RESERVE(&s->allocator, &s->gainers, (uint64_t)s->gainers.count + 1)) return false;
  s->gainers.data[s->gainers.count++] = slot;
  return true;
}

// Momentum

// Mass that goes from vertex to vertex, and what goes with it.
typedef struct exchange {
  double mass, momentum[3]; // that is given
} exchange;

// Mass that comes to a vertex, or goes: to those it hangs on in equal shares.
static void add_gain(clv_surgery *s, uint32_t slot, double gain) {
  const physics_hanging *hanging = physics_hanging_at(s->body, slot);
  if (!hanging) s->values.data[s->numbers.data[slot] - 1].gain += gain;
  for (uint32_t p = 0; hanging && p < hanging->count; p++) add_gain(s, hanging->parents[p], gain / hanging->count);
}

static void give(clv_surgery *s, surgery_value *value, exchange *e) {
  if (value->gain >= 0) return;
  const double *v = star_array(s, STAR_VEL) + 3 * (size_t)value->slot;
  e->mass -= value->gain;
  for (uint32_t k = 0; k < 3; k++) e->momentum[k] -= value->gain * v[k];
  value->mass += value->gain;
  value->gain = 0;
}

static void take(clv_surgery *s, surgery_value *value, const exchange *e) {
  if (value->gain <= 0) return;
  double *v = star_array(s, STAR_VEL) + 3 * (size_t)value->slot;
  const uint32_t held = clv_body_held(s->body)[value->slot];
  const double mass = value->mass + value->gain;
  for (uint32_t k = 0; k < 3; k++)
    if (e->mass > 0 && !(held >> k & 1u)) v[k] = (value->mass * v[k] + value->gain * (e->momentum[k] / e->mass)) / mass;
  value->mass = mass;
  value->gain = 0;
}

// All that may gain are planned.
static void keep_momentum(clv_surgery *s) {
  const double *masses = physics_vectors(s->body->mass);
  exchange e = {0};
  for (uint32_t k = 0; k < s->weights.count; k++) {
    const surgery_weight before = s->weights.data[k];
    add_gain(s, before.slot, masses[before.slot] - before.mass);
  }
  for (uint32_t k = 0; k < s->gainers.count; k++) give(s, value_of(s, s->gainers.data[k]), &e);
  for (uint32_t k = 0; k < s->gainers.count; k++) take(s, value_of(s, s->gainers.data[k]), &e);
}

// Motion of the gainers against each other, along axes that they are free along.
typedef struct motion {
  double mean[3], energy;
} motion;

static bool is_free(const clv_surgery *s, uint32_t slot, uint32_t axis) {
  return !(clv_body_held(s->body)[slot] >> axis & 1u);
}

static motion measure_motion(clv_surgery *s) {
  const double *vel = star_array(s, STAR_VEL);
  motion m = {{0}};
  for (uint32_t axis = 0; axis < 3; axis++) {
    double mass = 0, momentum = 0;
    for (uint32_t k = 0; k < s->gainers.count; k++) {
      const uint32_t slot = s->gainers.data[k];
      if (!is_free(s, slot, axis)) continue;
      mass += value_of(s, slot)->mass;
      momentum += value_of(s, slot)->mass * vel[3 * (size_t)slot + axis];
    }
    m.mean[axis] = mass > 0 ? momentum / mass : 0;
    for (uint32_t k = 0; k < s->gainers.count; k++) {
      const uint32_t slot = s->gainers.data[k];
      const double v = vel[3 * (size_t)slot + axis] - m.mean[axis];
      if (is_free(s, slot, axis)) m.energy += 0.5 * value_of(s, slot)->mass * v * v;
    }
  }
  return m;
}

// Takes an energy off it, which it has.
static void slow_down(clv_surgery *s, double energy) {
  double *vel = star_array(s, STAR_VEL);
  const motion m = measure_motion(s);
  const double left = sqrt(fmax(0, 1 - energy / m.energy));
  for (uint32_t k = 0; k < s->gainers.count; k++)
    for (uint32_t axis = 0; axis < 3; axis++) {
      double *v = &vel[3 * (size_t)s->gainers.data[k] + axis];
      if (is_free(s, s->gainers.data[k], axis)) *v = m.mean[axis] + left * (*v - m.mean[axis]);
    }
}

// What a move costs is paid by what others set free, by what exchanging mass has taken off the motion, and by more of
// that.
static void pay(clv_surgery *s, double cost, double before) {
  const double lost = before - measure_motion(s).energy, due = cost - fmax(s->freed, 0) - fmax(lost, 0);
  if (s->paying && due > 0) slow_down(s, due);
  s->freed = s->paying ? fmax(0, s->freed - cost) : s->freed - cost;
}

// Trying

enum { PAYING_PART = 10 }; // of the motion: one in so many

typedef enum outcome {
  MOVES,
  WORSE,  // a cell would be: than the bound on quality, or inside out
  COSTLY, // energy would come of it
  STUCK,  // whatever the bound: mass could not be kept, or energy is not known
} outcome;

// As the star is before the vertex moves, and where it is to go.
typedef struct attempt {
  double mass, quality;
  star_energy energy;
  double from[2][3], to[2][3]; // in position and rest
  double cost, spare;          // energy that the last try would have made; that it may make
  double motion;               // about the vertex, before
} attempt;

// Goes a part of the way. False where mass cannot be kept.
static bool go(const surgery_star *star, const attempt *a, double part) {
  const clv_surgery *s = star->surgery;
  double *rest = star_array(s, STAR_REST) + 3 * (size_t)star->slot, target[3], aside[3], carried[3];
  double *pos = star_array(s, STAR_POS) + 3 * (size_t)star->slot;
  for (uint32_t k = 0; k < 3; k++) {
    target[k] = rest[k] = a->from[STAR_REST][k] + part * (a->to[STAR_REST][k] - a->from[STAR_REST][k]);
    pos[k] = a->from[STAR_POS][k] + part * (a->to[STAR_POS][k] - a->from[STAR_POS][k]);
  }
  const bool kept = keep_mass(star, a->mass);
  for (uint32_t k = 0; k < 3; k++) {
    aside[k] = rest[k] - target[k];
    rest[k] = target[k];
  }
  star_carry(star, aside, carried);
  for (uint32_t k = 0; k < 3; k++) {
    rest[k] = target[k] + aside[k];
    pos[k] = s->body->always_held >> k & 1u ? a->from[STAR_POS][k] : pos[k] + carried[k];
  }
  return kept;
}

static void go_back(const surgery_star *star, const attempt *a) {
  for (uint32_t which = STAR_POS; which <= STAR_REST; which++)
    memcpy(star_array(star->surgery, which) + 3 * (size_t)star->slot, a->from[which], sizeof a->from[which]);
}

static clv_result try_part(const surgery_star *star, attempt *a, double part, double least, outcome *found) {
  clv_views *views = star->surgery->body->views;
  const uint32_t tried = views_tried(views);
  const bool kept = go(star, a, part);
  clv_result result = CLV_OK;
  *found = !(star_quality(star) >= fmin(a->quality, least)) ? WORSE : STUCK;
  if (*found != WORSE && kept) {
    star_energy energy;
    result = star_measure_energy(star, &energy);
    a->cost = energy.sum - a->energy.sum;
    if (result == CLV_OK && weighs_the_same(star->surgery))
      *found = a->cost <= a->energy.noise + a->spare ? MOVES : COSTLY;
  }
  if (*found == MOVES) return result;
  go_back(star, a);
  views_take_back(views, tried);
  return result;
}

// The vertex and its springs are where they were unless it moves.
static clv_result try_all(surgery_star *star, const scalpel_bounds *bounds, attempt *a, outcome *found) {
  clv_surgery *s = star->surgery;
  for (uint32_t which = STAR_POS; which <= STAR_REST; which++)
    memcpy(a->from[which], star_array(s, which) + 3 * (size_t)star->slot, sizeof a->from[which]);
  clv_result result = star_begin(star) ? star_measure_energy(star, &a->energy) : surgery_no_memory(s);
  if (result == CLV_OK && !weigh(star)) result = surgery_no_memory(s);
  *found = STUCK;
  if (result == CLV_OK && a->energy.known) {
    a->mass = star_mass(star);
    a->quality = star_quality(star);
    for (uint32_t halvings = 0; result == CLV_OK && *found != MOVES && halvings < bounds->tries; halvings++)
      result = try_part(star, a, ldexp(1, -(int)halvings), bounds->quality, found);
  }
  if (*found != MOVES) star_end(star);
  return result;
}

static clv_result shift(clv_surgery *s, surgery_star *star, const scalpel_bounds *bounds, scalpel_shift *one) {
  attempt a = {0};
  outcome found = STUCK;
  if (!scalpel_place_at(s, &one->place, star_array(s, STAR_REST), a.to[STAR_REST]) ||
      !scalpel_place_at(s, &one->place, star_array(s, STAR_POS), a.to[STAR_POS]) || !can_move(s, star)) {
    s->stuck++;
    return CLV_OK;
  }
  if (scalpel_same(a.to[STAR_REST], star_array(s, STAR_REST) + 3 * (size_t)star->slot)) return CLV_OK; // it is there
  s->gainers.count = 0;
  for (uint32_t c = 0; c < star->cells.count; c++) {
    const surgery_corners corners = star_corners(star, c);
    for (uint32_t k = 0; k < corners.count; k++)
      if (!plan_gain(s, corners.slots[k])) return surgery_no_memory(s);
  }
  a.motion = measure_motion(s).energy;
  a.spare = s->paying ? fmax(s->freed, 0) + a.motion / PAYING_PART : 0;
  const clv_result result = try_all(star, bounds, &a, &found);
  if (result != CLV_OK) return result;
  s->moved += found == MOVES;
  s->refused += found == WORSE;
  s->stuck += found == STUCK;
  one->cost = found == COSTLY ? a.cost : 0;
  if (found != MOVES) return CLV_OK;
  value_of(s, star->slot)->moved = one->moved = true;
  keep_momentum(s);
  pay(s, a.cost, a.motion);
  return CLV_OK;
}

static clv_result plan_one(clv_surgery *s, const scalpel_bounds *bounds, scalpel_shift *one) {
  surgery_star star;
  const clv_result result = star_open(&star, s, one->vertex) ? shift(s, &star, bounds, one) : surgery_no_memory(s);
  star_close(&star);
  return result;
}

static clv_result reserve_numbers(clv_surgery *s) {
  const uint32_t slots = clv_body_slots(s->body), had = s->numbers.count;
  if (!BASE_RESERVE(&s->allocator, &s->numbers, slots)) return surgery_no_memory(s);
  if (had >= slots) return CLV_OK;
  memset(s->numbers.data + had, 0, (slots - had) * sizeof *s->numbers.data);
  s->numbers.count = slots;
  return CLV_OK;
}

// What hangs moves as those do that it hangs on: parents come before their children.
static clv_result plan_hanging(clv_surgery *s) {
  const physics_hangings *h = s->body->hanging;
  for (uint32_t k = 0; k < h->table.count; k++) {
    const physics_hanging *one = &h->table.data[k];
    bool follows = false;
    for (uint32_t p = 0; p < one->count; p++) follows |= s->numbers.data[one->parents[p]] != 0;
    if (!follows) continue;
    if (!value_of(s, one->slot)) return surgery_no_memory(s);
    double *v = star_array(s, STAR_VEL);
    for (uint32_t i = 0; i < 3; i++) {
      double sum = 0;
      for (uint32_t p = 0; p < one->count; p++) sum += v[3 * (size_t)one->parents[p] + i];
      v[3 * (size_t)one->slot + i] = sum / one->count;
    }
  }
  return CLV_OK;
}

// What was planned is kept, and the body is as it was. What follows two vertices gets its last value and, in the end,
// has its first again.
static void put_back(clv_surgery *s) {
  for (uint32_t k = 0; k < s->springs.count; k++)
    s->springs.data[k].after = *(const double *)clv_column_at(s->springs.data[k].column, s->springs.data[k].dart);
  for (uint32_t k = s->springs.count; k--;)
    *(double *)clv_column_at(s->springs.data[k].column, s->springs.data[k].dart) = s->springs.data[k].before;
  for (uint32_t k = 0; k < s->values.count; k++) {
    surgery_value *value = &s->values.data[k];
    s->numbers.data[value->slot] = 0;
    for (uint32_t which = STAR_POS; which <= STAR_VEL; which++) {
      double *now = star_array(s, which) + 3 * (size_t)value->slot;
      memcpy(value->after[which], now, sizeof value->after[which]);
      memcpy(now, value->before[which], sizeof value->before[which]);
    }
  }
  views_take_back(s->body->views, 0);
}

static int compare_costs(const void *a, const void *b) {
  const scalpel_shift *x = a, *y = b;
  if (x->cost != y->cost) return x->cost < y->cost ? -1 : 1;
  return (x->vertex.index > y->vertex.index) - (x->vertex.index < y->vertex.index);
}

// Those whose way would make energy, the least first, as far as it can be paid.
static clv_result plan_costly(clv_surgery *s, const scalpel_bounds *bounds, scalpel_shift *shifts, uint32_t count) {
  clv_result result = CLV_OK;
  if (count) qsort(shifts, count, sizeof *shifts, compare_costs);
  s->paying = true;
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) {
    if (shifts[k].cost <= 0) continue;
    result = plan_one(s, bounds, &shifts[k]);
    s->stuck += shifts[k].cost > 0;
  }
  return result;
}

clv_result scalpel_plan_shifts(clv_surgery *s, const scalpel_bounds *bounds, scalpel_shift *shifts, uint32_t count) {
  clv_result result = physics_hanging_ready(s->body) == CLV_OK ? reserve_numbers(s) : surgery_no_memory(s);
  s->values.count = s->springs.count = s->moved = s->refused = s->stuck = 0;
  s->freed = 0;
  s->paying = false;
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) result = plan_one(s, bounds, &shifts[k]);
  if (result == CLV_OK) result = plan_costly(s, bounds, shifts, count);
  if (result == CLV_OK && s->moved) result = plan_hanging(s);
  put_back(s);
  return result;
}

static clv_result set_value(clv_surgery *s, const surgery_value *value) {
  clv_column *const columns[] = {[STAR_POS] = s->body->pos, [STAR_REST] = s->body->rest, [STAR_VEL] = s->body->vel};
  clv_walk walk;
  if (clv_walk_star(&walk, s->map, CLV_VERTEX, value->dart) != CLV_OK) return surgery_no_memory(s);
  clv_result result = CLV_OK;
  for (uint32_t which = value->moved ? STAR_POS : STAR_VEL; which <= STAR_VEL; which++) {
    if (scalpel_same(value->before[which], value->after[which])) continue;
    for (uint32_t k = 0; result == CLV_OK && k < walk.count; k++) // whatever becomes of it: each part has it
      result = clv_column_set(columns[which], walk.darts[k], value->after[which]);
  }
  clv_walk_end(&walk);
  return surgery_of_map(s, result);
}

clv_result scalpel_carry_out(clv_surgery *s) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < s->values.count; k++) result = set_value(s, &s->values.data[k]);
  for (uint32_t k = 0; result == CLV_OK && k < s->springs.count; k++) {
    const surgery_spring *spring = &s->springs.data[k];
    result = surgery_of_map(s, clv_column_set(spring->column, spring->dart, &spring->after));
  }
  s->did.moved += s->moved;
  s->did.refused += s->refused;
  s->did.stuck += s->stuck;
  return result;
}
