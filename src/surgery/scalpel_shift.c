// Moving vertices to places of the surface, with nothing lost.
//
// A vertex is given the position and the rest of another point of the matter it lies in, so that where the strain is
// even nothing changes but the mesh. Where it is not, three things are seen to:
//   mass       its star keeps it exactly: volumes are affine in one vertex, and the rest moves where their sum stays
//   momentum   the mass that goes from one vertex to another takes its velocity with it: momentum stays, and kinetic
//              energy cannot grow
//   energy     of the whole way, a half, a quarter and an eighth (or as many of them as are to be tried) the first is
//              taken that makes no elastic energy and no bad cell; where none does, the vertex stays
// The energy that is looked at must be that of the laws. It is known for simplices of finite elements; a vertex with
// other cells about it stays where it is, and so does one that is held, that hangs, or that others hang by or in the
// cells about it. Corners of its cells may hang on something else: their parents gain and lose what they would, and
// they move as these do.
//
// Plans are tried in the body's arrays, which are as they were when planning ends; a transaction sets the values.

#include "surgery/scalpel.h"

#include <math.h>

enum { POS, REST, VEL };

static double *array_of(const clv_surgery *s, uint32_t which) {
  const clv_body *body = s->body;
  return physics_vectors(which == POS ? body->pos : which == REST ? body->rest : body->vel);
}

enum { MOST_CELLS = 256 };

// The cells about a vertex: as they are before it moves.
typedef struct star {
  clv_walk cells;
  uint32_t slot, corners;
  clv_kind kind;
  double masses[MOST_CELLS], normals[2][MOST_CELLS][3]; // normals: of a surface
} star;

static const uint32_t *corners_of(const clv_surgery *s, const star *about, uint32_t c) {
  return s->map->corners[about->kind] + (size_t)clv_cell_row(s->map, about->cells.darts[c]) * about->corners;
}

// Measured at one of the arrays.
static double measure_of(const clv_surgery *s, const star *about, uint32_t c, uint32_t which, double *quality) {
  const uint32_t *slots = corners_of(s, about, c);
  double corners[8][3];
  for (uint32_t k = 0; k < about->corners; k++)
    memcpy(corners[k], array_of(s, which) + 3 * (size_t)slots[k], sizeof corners[k]);
  if (quality) *quality = clv_element_quality(about->kind, (const double(*)[3])corners);
  return clv_element_measure(about->kind, (const double(*)[3])corners);
}

static double mass_of(const clv_surgery *s, const star *about, uint32_t c) {
  const clv_material *m = &physics_section_of(s->body, about->cells.darts[c])->material;
  return measure_of(s, about, c, REST, NULL) * m->density * (s->map->dimension == 2 ? m->thickness : 1);
}

static double star_mass(const clv_surgery *s, const star *about) {
  double sum = 0;
  for (uint32_t c = 0; c < about->cells.count; c++) sum += mass_of(s, about, c);
  return sum;
}

// *noise: what rounding may come to.
static double star_energy(const clv_surgery *s, const star *about, double *noise) {
  double sum = 0;
  *noise = 0;
  for (uint32_t c = 0; c < about->cells.count; c++) {
    const double volume = measure_of(s, about, c, REST, NULL);
    clv_cell_state state;
    clv_body_cell_state(s->body, about->cells.darts[c], &state);
    sum += state.energy * volume;
    *noise += 1e-26 * physics_section_of(s->body, about->cells.darts[c])->material.young * volume;
  }
  *noise += 1e-14 * fabs(sum);
  return sum;
}

// Of a triangle, at one of the arrays.
static void normal_of(const clv_surgery *s, const star *about, uint32_t c, uint32_t which, double *normal) {
  const uint32_t *slots = corners_of(s, about, c);
  const double *x = array_of(s, which), *p = x + 3 * (size_t)slots[0];
  double u[3], v[3];
  for (uint32_t k = 0; k < 3; k++) {
    u[k] = x[3 * (size_t)slots[1] + k] - p[k];
    v[k] = x[3 * (size_t)slots[2] + k] - p[k];
  }
  scalpel_cross(u, v, normal);
}

// A triangle in space is never inverted, but it may be turned over.
static bool is_turned(const clv_surgery *s, const star *about) {
  for (uint32_t c = 0; about->kind == CLV_TRI && c < about->cells.count; c++)
    for (uint32_t which = POS; which <= REST; which++) {
      double normal[3];
      normal_of(s, about, c, which, normal);
      if (!(scalpel_dot(normal, about->normals[which][c]) > 0)) return true;
    }
  return false;
}

static void measure_star(const clv_surgery *s, star *about) {
  for (uint32_t c = 0; c < about->cells.count; c++) {
    about->masses[c] = mass_of(s, about, c);
    for (uint32_t which = POS; about->kind == CLV_TRI && which <= REST; which++)
      normal_of(s, about, c, which, about->normals[which][c]);
  }
}

// What the quality of the worst cell is, at rest and now; below 0 when one is inverted.
static double star_quality(const clv_surgery *s, const star *about) {
  double worst = 1;
  for (uint32_t c = 0; c < about->cells.count; c++)
    for (uint32_t which = POS; which <= REST; which++) {
      double quality;
      measure_of(s, about, c, which, &quality);
      worst = fmin(worst, quality);
    }
  return worst;
}

// Whether the energy of a cell's laws is what clv_body_cell_state says.
static bool is_measured(const clv_surgery *s, clv_dart cell) {
  const physics_model *model = physics_section_of(s->body, cell)->model;
  return model->module && !model->springs && !model->tensor && strcmp(model->name, "fem-corotational-qr") != 0;
}

// Whether a vertex hangs, or another one by it: then masses are gathered from one to the other.
static bool is_bound(const clv_surgery *s, uint32_t slot) {
  return physics_weight(s->body, slot) != physics_vectors(s->body->mass)[slot];
}

static bool can_move(const clv_surgery *s, const star *about) {
  const uint32_t held = clv_body_held(s->body)[about->slot];
  if ((held & ~s->body->always_held) || about->cells.count > MOST_CELLS || is_bound(s, about->slot)) return false;
  for (uint32_t c = 0; c < about->cells.count; c++) {
    const clv_dart cell = about->cells.darts[c];
    if (clv_cell_kind(s->map, cell) != about->kind || !is_measured(s, cell)) return false;
  }
  return true;
}

// Mass

static double star_size(const clv_surgery *s, const star *about) {
  const double *x = array_of(s, REST), *p = x + 3 * (size_t)about->slot;
  double most = 0;
  for (uint32_t c = 0; c < about->cells.count; c++)
    for (uint32_t k = 0; k < about->corners; k++) {
      const double *q = x + 3 * (size_t)corners_of(s, about, c)[k];
      const double to[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
      most = fmax(most, scalpel_dot(to, to));
    }
  return sqrt(most);
}

// Where the deformation takes a vector of the rest, by the first cell of the star; on a surface, of its plane.
static void carry(const clv_surgery *s, const star *about, const double *vector, double *carried) {
  const uint32_t *slots = corners_of(s, about, 0);
  double edge[2][3][3] = {{{0}}}; // now and at rest; the third of a surface is its normal, which goes nowhere
  for (uint32_t which = POS; which <= REST; which++)
    for (uint32_t e = 0; e + 1 < about->corners; e++)
      for (uint32_t k = 0; k < 3; k++) {
        const double *x = array_of(s, which);
        edge[which][e][k] = x[3 * (size_t)slots[e + 1] + k] - x[3 * (size_t)slots[0] + k];
      }
  double(*rest)[3] = edge[REST];
  if (about->kind == CLV_TRI) scalpel_cross(rest[0], rest[1], rest[2]);
  carried[0] = carried[1] = carried[2] = 0;
  for (uint32_t e = 0; e < 3; e++) {
    double across[3];
    scalpel_cross(rest[(e + 1) % 3], rest[(e + 2) % 3], across);
    const double part = scalpel_dot(vector, across) / scalpel_dot(rest[e], across);
    for (uint32_t k = 0; k < 3; k++) carried[k] += part * edge[POS][e][k];
  }
}

// The rest of the vertex is moved until its star weighs what it did. False where it cannot.
static bool keep_mass(const clv_surgery *s, const star *about, double mass) {
  double *rest = array_of(s, REST) + 3 * (size_t)about->slot;
  const double size = star_size(s, about);
  for (uint32_t turn = 0; turn < 4; turn++) {
    const double missing = mass - star_mass(s, about);
    if (fabs(missing) <= 1e-14 * mass) return true;
    double slope[3];
    for (uint32_t k = 0; k < 3; k++) { // exact: the mass is affine
      const double here = rest[k];
      rest[k] = here + size;
      const double above = star_mass(s, about);
      rest[k] = here - size;
      slope[k] = (above - star_mass(s, about)) / (2 * size);
      rest[k] = here;
    }
    const double square = scalpel_dot(slope, slope);
    if (!(sqrt(square) * size > 1e-9 * mass)) return false;
    for (uint32_t k = 0; k < 3; k++) rest[k] += missing * slope[k] / square;
  }
  return fabs(mass - star_mass(s, about)) <= 1e-13 * mass;
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
  for (uint32_t which = POS; which <= VEL; which++)
    memcpy(value->before[which], array_of(s, which) + 3 * (size_t)slot, sizeof value->before[which]);
  return value;
}

// An entry for a vertex, and a place among the gainers; if it hangs, for all that bear its mass instead. False when
// memory is out.
static bool plan_gain(clv_surgery *s, uint32_t slot) {
  const physics_hanging *hanging = physics_hanging_at(s->body, slot);
  bool good = true;
  for (uint32_t p = 0; good && hanging && p < hanging->count; p++) good = plan_gain(s, hanging->parents[p]);
  if (!good || hanging) return good;
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
  const double *v = array_of(s, VEL) + 3 * (size_t)value->slot;
  e->mass -= value->gain;
  for (uint32_t k = 0; k < 3; k++) e->momentum[k] -= value->gain * v[k];
  value->mass += value->gain;
  value->gain = 0; // it may be listed twice
}

static void take(clv_surgery *s, surgery_value *value, const exchange *e) {
  if (value->gain <= 0) return;
  double *v = array_of(s, VEL) + 3 * (size_t)value->slot;
  const uint32_t held = clv_body_held(s->body)[value->slot];
  const double mass = value->mass + value->gain;
  for (uint32_t k = 0; k < 3; k++)
    if (e->mass > 0 && !(held >> k & 1u)) v[k] = (value->mass * v[k] + value->gain * (e->momentum[k] / e->mass)) / mass;
  value->mass = mass;
  value->gain = 0;
}

// All that may gain are planned.
static void keep_momentum(clv_surgery *s, const star *about) {
  exchange e = {0};
  for (uint32_t c = 0; c < about->cells.count; c++) {
    const double gain = (mass_of(s, about, c) - about->masses[c]) / about->corners;
    for (uint32_t k = 0; k < about->corners; k++) add_gain(s, corners_of(s, about, c)[k], gain);
  }
  for (uint32_t k = 0; k < s->gainers.count; k++) give(s, value_of(s, s->gainers.data[k]), &e);
  for (uint32_t k = 0; k < s->gainers.count; k++) take(s, value_of(s, s->gainers.data[k]), &e);
}

// Trying

typedef enum outcome {
  MOVES,
  WORSE, // a cell would be: than the bound on quality, or inside out
  STUCK, // whatever the bound: energy would come of it, or mass could not be kept
} outcome;

static outcome try_part(clv_surgery *s, const star *about, const double *rest_to, const double *pos_to, double part,
                        double least) {
  double *rest = array_of(s, REST) + 3 * (size_t)about->slot, *pos = array_of(s, POS) + 3 * (size_t)about->slot;
  double was_rest[3], was_pos[3], target[3], aside[3], carried[3], noise, more;
  memcpy(was_rest, rest, sizeof was_rest);
  memcpy(was_pos, pos, sizeof was_pos);
  const double mass = star_mass(s, about), energy = star_energy(s, about, &noise), quality = star_quality(s, about);
  for (uint32_t k = 0; k < 3; k++) {
    target[k] = rest[k] = was_rest[k] + part * (rest_to[k] - was_rest[k]);
    pos[k] = was_pos[k] + part * (pos_to[k] - was_pos[k]);
  }
  const bool kept = keep_mass(s, about, mass);
  for (uint32_t k = 0; k < 3; k++) {
    aside[k] = rest[k] - target[k];
    rest[k] = target[k];
  }
  carry(s, about, aside, carried);
  for (uint32_t k = 0; k < 3; k++) {
    rest[k] = target[k] + aside[k];
    pos[k] = s->body->always_held >> k & 1u ? was_pos[k] : pos[k] + carried[k];
  }
  const bool worse = is_turned(s, about) || !(star_quality(s, about) >= fmin(quality, least));
  if (!worse && kept && star_energy(s, about, &more) <= energy + noise) return MOVES;
  memcpy(rest, was_rest, sizeof was_rest);
  memcpy(pos, was_pos, sizeof was_pos);
  return worse ? WORSE : STUCK;
}

static clv_result shift(clv_surgery *s, star *about, const scalpel_bounds *bounds, scalpel_shift *one) {
  const scalpel_place *place = &one->place;
  double rest_to[3], pos_to[3];
  const double *rest = array_of(s, REST) + 3 * (size_t)about->slot;
  if (!scalpel_place_at(s, place, array_of(s, REST), rest_to) ||
      !scalpel_place_at(s, place, array_of(s, POS), pos_to) || !can_move(s, about)) {
    s->stuck++;
    return CLV_OK;
  }
  if (scalpel_same(rest_to, rest)) return CLV_OK; // it is there
  measure_star(s, about);
  s->gainers.count = 0;
  for (uint32_t c = 0; c < about->cells.count; c++)
    for (uint32_t k = 0; k < about->corners; k++)
      if (!plan_gain(s, corners_of(s, about, c)[k])) return surgery_no_memory(s);
  outcome found = STUCK;
  for (uint32_t halvings = 0; found != MOVES && halvings < bounds->tries; halvings++)
    found = try_part(s, about, rest_to, pos_to, ldexp(1, -(int)halvings), bounds->quality);
  s->moved += found == MOVES;
  s->refused += found == WORSE;
  s->stuck += found == STUCK;
  if (found != MOVES) return CLV_OK;
  value_of(s, about->slot)->moved = one->moved = true;
  keep_momentum(s, about);
  return CLV_OK;
}

static clv_result plan_one(clv_surgery *s, const scalpel_bounds *bounds, scalpel_shift *one) {
  const clv_kind kind = s->map->dimension == 3 ? CLV_TET : CLV_TRI;
  star about;
  about.slot = one->vertex.index;
  about.kind = kind;
  about.corners = clv_templates[kind].corner_count;
  clv_result result =
      clv_walk_star(&about.cells, s->map, CLV_VERTEX, clv_id_dart(s->map, CLV_VERTEX, one->vertex)) == CLV_OK
          ? CLV_OK
          : surgery_no_memory(s);
  if (result == CLV_OK) result = shift(s, &about, bounds, one);
  clv_walk_end(&about.cells);
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
    double *v = array_of(s, VEL);
    for (uint32_t i = 0; i < 3; i++) {
      double sum = 0;
      for (uint32_t p = 0; p < one->count; p++) sum += v[3 * (size_t)one->parents[p] + i];
      v[3 * (size_t)one->slot + i] = sum / one->count;
    }
  }
  return CLV_OK;
}

clv_result scalpel_plan_shifts(clv_surgery *s, const scalpel_bounds *bounds, scalpel_shift *shifts, uint32_t count) {
  clv_result result = physics_hanging_ready(s->body) == CLV_OK ? reserve_numbers(s) : surgery_no_memory(s);
  s->values.count = s->moved = s->refused = s->stuck = 0;
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) result = plan_one(s, bounds, &shifts[k]);
  if (result == CLV_OK && s->moved) result = plan_hanging(s);
  for (uint32_t k = 0; k < s->values.count; k++) {
    surgery_value *value = &s->values.data[k];
    s->numbers.data[value->slot] = 0;
    for (uint32_t which = POS; which <= VEL; which++) {
      double *now = array_of(s, which) + 3 * (size_t)value->slot;
      memcpy(value->after[which], now, sizeof value->after[which]);
      memcpy(now, value->before[which], sizeof value->before[which]);
    }
  }
  return result;
}

static clv_result set_value(clv_surgery *s, const surgery_value *value) {
  clv_column *const columns[] = {[POS] = s->body->pos, [REST] = s->body->rest, [VEL] = s->body->vel};
  clv_walk walk;
  if (clv_walk_star(&walk, s->map, CLV_VERTEX, value->dart) != CLV_OK) return surgery_no_memory(s);
  clv_result result = CLV_OK;
  for (uint32_t which = value->moved ? POS : VEL; which <= VEL; which++) {
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
  s->did.moved += s->moved;
  s->did.refused += s->refused;
  s->did.stuck += s->stuck;
  return result;
}
