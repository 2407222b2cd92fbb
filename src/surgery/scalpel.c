// The scalpel: touching, pressing, trying, cutting.
//
// The point presses as a ball of its radius would: with the contact's stiffness times the depth at which the surface
// lies in it, along the surface's normal. What the tissue bears the tool feels.
//
// After a cut v0 is v1: every vertex that the point comes to is parted, none is left as a joint between two that are.
// The 2003 paper takes v2, parts every second vertex, and then looks for the joints. In a generalized map there are
// none to look for: a vertex is the cells that hang together by facets about it, and what hangs together by less is two
// vertices.

#include "surgery/scalpel.h"

#include <math.h>

clv_scalpel_def clv_default_scalpel_def(void) {
  return (clv_scalpel_def){.stiffness = 100, .attempt = 0.4, .sharpness = 0.0004, .damage = 1, .toughness = 1e6};
}

static bool is_above(double value, double bound) {
  return value > bound && isfinite(value);
}

const char *clv_scalpel_wrong(const clv_scalpel_def *def) {
  if (!def) return "there is none";
  if (!is_above(def->radius, 0)) return "its radius must be a number above 0";
  if (def->stiffness != 0 && !is_above(def->stiffness, 0)) return "its stiffness must be a number of at least 0";
  if (!(def->attempt > 0 && def->attempt <= 1)) return "its attempt (alpha) must lie above 0 and be at most 1";
  if (!is_above(def->sharpness, 0)) return "its sharpness (kappa) must be a number above 0";
  if (!(def->damage >= 0.1 && def->damage <= 1)) return "its damage (zeta) must lie between 0.1 and 1";
  if (def->toughness != 0 && !is_above(def->toughness, 0)) return "its toughness must be a number of at least 0";
  return NULL;
}

clv_scalpel *clv_scalpel_create(clv_surgery *surgery, const clv_scalpel_def *def, clv_error *error) {
  const char *wrong = surgery ? clv_scalpel_wrong(def) : "there is no surgery to use it in";
  if (wrong) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "the scalpel makes no sense: %s", wrong);
    return NULL;
  }
  clv_scalpel *scalpel = base_allocate(&surgery->allocator, sizeof *scalpel);
  if (!scalpel) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a scalpel is made");
    return NULL;
  }
  *scalpel = (clv_scalpel){.surgery = surgery, .def = *def};
  const clv_result result = physics_create_load(surgery->body, &scalpel->load);
  if (result == CLV_OK) return scalpel;
  clv_error_set(error, result, "%s", clv_body_error(surgery->body));
  base_free(&surgery->allocator, scalpel, sizeof *scalpel);
  return NULL;
}

void clv_scalpel_destroy(clv_scalpel *scalpel) {
  if (!scalpel) return;
  const clv_allocator allocator = scalpel->surgery->allocator;
  physics_destroy_load(scalpel->surgery->body, scalpel->load);
  base_free(&allocator, scalpel, sizeof *scalpel);
}

void clv_scalpel_memory(clv_scalpel *scalpel, double **values, size_t *count) {
  *values = scalpel->values;
  *count = sizeof scalpel->values / sizeof *scalpel->values;
}

static void press_nowhere(const clv_scalpel *scalpel) {
  const size_t slots = clv_body_slots(scalpel->surgery->body);
  memset(physics_vectors(scalpel->load), 0, 3 * slots * sizeof(double));
}

void clv_scalpel_lift(clv_scalpel *scalpel) {
  press_nowhere(scalpel);
  scalpel->memory = (scalpel_memory){0};
}

// Memory

static clv_id id_from(const double *pair) {
  return (clv_id){(uint32_t)pair[0], (uint32_t)pair[1]};
}

static void keep_id(double *pair, clv_id id) {
  pair[0] = id.index;
  pair[1] = id.generation;
}

static double distance_from(const clv_surgery *s, clv_id vertex, const double *point) {
  const double *p = clv_body_positions(s->body) + 3 * (size_t)vertex.index;
  const double away[3] = {p[0] - point[0], p[1] - point[1], p[2] - point[2]};
  return sqrt(scalpel_dot(away, away));
}

static void remember_place(clv_scalpel *scalpel, const scalpel_contact *contact, double distance) {
  scalpel_memory *m = &scalpel->memory;
  for (uint32_t c = 0; c < 3; c++) {
    keep_id(m->near[c], contact->place.vertex[c]);
    m->part[c] = contact->place.part[c];
  }
  m->distance = distance;
}

static void start_at(clv_scalpel *scalpel, const scalpel_contact *contact, bool fresh) {
  keep_id(scalpel->memory.from, contact->nearest);
  keep_id(scalpel->memory.last, contact->nearest);
  scalpel->memory.fresh = fresh;
  remember_place(scalpel, contact, distance_from(scalpel->surgery, contact->nearest, contact->point));
}

static scalpel_place remembered_place(const scalpel_memory *m) {
  return (scalpel_place){.vertex = {id_from(m->near[0]), id_from(m->near[1]), id_from(m->near[2])},
                         .part = {m->part[0], m->part[1], m->part[2]}};
}

// Both halves of a vertex that was parted rest in one place: the point is at the same vertex still.
static bool is_at(const clv_surgery *s, clv_id a, clv_id b) {
  const double *rest = clv_body_rest(s->body);
  return scalpel_same(rest + 3 * (size_t)a.index, rest + 3 * (size_t)b.index);
}

// Pressing

static void press(const clv_scalpel *scalpel, const scalpel_contact *contact, const double *tip,
                  clv_scalpel_report *report) {
  double *load = physics_vectors(scalpel->load), away[3];
  const double side = scalpel->surgery->map->dimension == 3 ? 1 : scalpel->memory.side;
  for (uint32_t k = 0; k < 3; k++) away[k] = tip[k] - contact->point[k];
  const double height = side * scalpel_dot(away, contact->normal), depth = scalpel->def.radius - height;
  for (uint32_t k = 0; k < 3; k++) {
    report->force[k] = scalpel->def.stiffness * fmax(depth, 0) * side * contact->normal[k];
    for (uint32_t c = 0; c < 3; c++)
      load[3 * (size_t)contact->place.vertex[c].index + k] -= contact->place.part[c] * report->force[k];
  }
}

// Cutting

static clv_result cut(clv_scalpel *scalpel, const scalpel_contact *contact, clv_scalpel_report *report) {
  clv_surgery *s = scalpel->surgery;
  const clv_id v0 = id_from(scalpel->memory.from), v1 = contact->nearest;
  clv_result result = scalpel_select(s, v0, v1);
  if (result != CLV_OK || !s->facets.count) return result;
  const scalpel_bounds bounds = {.quality = 0.1, .tries = 4};
  scalpel_shift shifts[2] = {{.vertex = v1, .place = contact->place},
                             {.vertex = v0, .place = remembered_place(&scalpel->memory)}};
  result = scalpel_plan_shifts(s, &bounds, shifts, scalpel->memory.fresh != 0 ? 2 : 1);
  if (result == CLV_OK) result = surgery_begin(s);
  if (result != CLV_OK) return result;
  result = scalpel_carry_out(s);
  if (result == CLV_OK) result = surgery_unsew_facets(s);
  result = surgery_end(s, result, &report->did);
  report->cut = result == CLV_OK;
  return result;
}

// Whether an edge joins two vertices: the one, or another half of it.
static clv_result are_joined(clv_surgery *s, clv_id v0, clv_id v1, bool *joined) {
  clv_walk edges;
  if (clv_walk_incident(&edges, s->map, CLV_VERTEX, CLV_EDGE, clv_id_dart(s->map, CLV_VERTEX, v1)) != CLV_OK)
    return surgery_no_memory(s);
  *joined = false;
  for (uint32_t k = 0; !*joined && k < edges.count; k++)
    *joined = is_at(s, v0, clv_id_of(s->map, CLV_VERTEX, clv_alpha(s->map, edges.darts[k], 0)));
  clv_walk_end(&edges);
  return CLV_OK;
}

// v1 is another vertex than v0: does an edge join them, is the point near enough, and does the tissue yield?
static clv_result attempt(clv_scalpel *scalpel, scalpel_contact *contact, clv_scalpel_report *report) {
  clv_surgery *s = scalpel->surgery;
  const clv_id v0 = id_from(scalpel->memory.from);
  const double *from = clv_body_positions(s->body) + 3 * (size_t)v0.index;
  bool joined = false;
  const clv_result known = are_joined(s, v0, contact->nearest, &joined);
  if (known != CLV_OK || !joined) return known;
  const double reach = scalpel->def.attempt * distance_from(s, contact->nearest, from);
  if (!(distance_from(s, contact->nearest, contact->point) <= reach * (1 + 1e-9))) return CLV_OK;
  report->attempt = true;
  report->stress = scalpel_cutting_stress(s, contact->facet, &scalpel->def);
  if (!(report->stress >= scalpel->def.toughness)) return CLV_OK;
  const clv_result result = cut(scalpel, contact, report);
  if (result != CLV_OK) return result;
  start_at(scalpel, contact, !report->cut); // where nothing was to part the line goes on all the same
  scalpel_place_at(s, &contact->place, clv_body_positions(s->body), contact->point);
  return CLV_OK;
}

// The point has left a vertex that it did not cut: a line begins there.
static void follow(clv_scalpel *scalpel, const scalpel_contact *contact) {
  scalpel_memory *m = &scalpel->memory;
  const clv_surgery *s = scalpel->surgery;
  const clv_id last = id_from(m->last);
  const bool alive = clv_id_alive(s->map, CLV_VERTEX, last);
  if (alive && !is_at(s, last, contact->nearest) && !is_at(s, last, id_from(m->from))) {
    keep_id(m->from, last);
    m->fresh = 0; // it was not where it passed the vertex that it is remembered
  }
  keep_id(m->last, contact->nearest);
}

static clv_result touch(clv_scalpel *scalpel, scalpel_contact *contact, const double *tip, clv_scalpel_report *report) {
  clv_surgery *s = scalpel->surgery;
  scalpel_memory *m = &scalpel->memory;
  report->touching = true;
  if (m->touching == 0) {
    double away[3];
    for (uint32_t k = 0; k < 3; k++) away[k] = tip[k] - contact->point[k];
    m->touching = 1;
    m->side = scalpel_dot(away, contact->normal) < 0 ? -1 : 1;
    start_at(scalpel, contact, true);
    return CLV_OK;
  }
  const clv_id v0 = id_from(m->from);
  if (!clv_id_alive(s->map, CLV_VERTEX, v0)) { // somebody removed it
    start_at(scalpel, contact, true);
    return CLV_OK;
  }
  follow(scalpel, contact);
  if (!is_at(s, id_from(m->from), contact->nearest)) return attempt(scalpel, contact, report);
  const double distance = distance_from(s, contact->nearest, contact->point);
  if (distance < m->distance) remember_place(scalpel, contact, distance);
  return CLV_OK;
}

clv_result clv_scalpel_move(clv_scalpel *scalpel, const double tip[3], clv_scalpel_report *report) {
  clv_surgery *s = scalpel->surgery;
  clv_scalpel_report own;
  if (!report) report = &own;
  *report = (clv_scalpel_report){0};
  if (!isfinite(tip[0]) || !isfinite(tip[1]) || !isfinite(tip[2]))
    return surgery_fail(s, CLV_ERROR_ARGUMENT, "a coordinate of the scalpel's point is not a number");
  scalpel_contact contact = {0};
  clv_result result = scalpel_find_contact(s, tip, scalpel->def.radius, &contact);
  if (result != CLV_OK) return result;
  const scalpel_memory before = scalpel->memory;
  if (contact.facet) result = touch(scalpel, &contact, tip, report);
  if (result != CLV_OK) {
    scalpel->memory = before;
    return result;
  }
  press_nowhere(scalpel);
  if (contact.facet)
    press(scalpel, &contact, tip, report);
  else
    scalpel->memory = (scalpel_memory){0};
  return CLV_OK;
}

// On its way

enum { MOST_TOUCHES = 1000 }; // in one go

// The way of the point, straight on.
typedef struct tip_way {
  const double *from;
  double way[3], square; // of its length
} tip_way;

// Where the point is nearest to a vertex.
static double abeam_of(const clv_surgery *s, clv_id vertex, const tip_way *w) {
  const double *p = clv_body_positions(s->body) + 3 * (size_t)vertex.index;
  const double to[3] = {p[0] - w->from[0], p[1] - w->from[1], p[2] - w->from[2]};
  return scalpel_dot(to, w->way) / w->square;
}

// *gone: the part of its way after which the point touches again; often enough to come near to every vertex, and where
// it is nearest to one: then it is no matter of steps whether it comes near enough.
static clv_result find_next(const clv_scalpel *scalpel, const tip_way *w, double *gone) {
  clv_surgery *s = scalpel->surgery;
  const clv_id last = id_from(scalpel->memory.last);
  const double here = *gone + 1e-9;
  double pace = 0.5 * scalpel->def.radius, abeam = INFINITY;
  if (scalpel->memory.touching != 0 && clv_id_alive(s->map, CLV_VERTEX, last)) {
    clv_walk edges;
    if (clv_walk_incident(&edges, s->map, CLV_VERTEX, CLV_EDGE, clv_id_dart(s->map, CLV_VERTEX, last)) != CLV_OK)
      return surgery_no_memory(s);
    const double *at = clv_body_positions(s->body) + 3 * (size_t)last.index;
    for (uint32_t k = 0; k <= edges.count; k++) { // once more for the last one itself
      const clv_id end = k < edges.count ? clv_id_of(s->map, CLV_VERTEX, clv_alpha(s->map, edges.darts[k], 0)) : last;
      const double when = abeam_of(s, end, w);
      if (when > here) abeam = fmin(abeam, when);
      if (k < edges.count) pace = fmin(pace, 0.5 * scalpel->def.attempt * distance_from(s, end, at));
    }
    clv_walk_end(&edges);
  }
  *gone = fmin(*gone + fmax(pace / sqrt(w->square), 1.0 / MOST_TOUCHES), abeam);
  return CLV_OK;
}

void scalpel_add_report(clv_scalpel_report *sum, const clv_scalpel_report *one) {
  sum->touching = one->touching;
  sum->attempt |= one->attempt;
  sum->cut |= one->cut;
  sum->stress = fmax(sum->stress, one->stress);
  memcpy(sum->force, one->force, sizeof sum->force);
  sum->did.facets += one->did.facets;
  sum->did.vertices += one->did.vertices;
  sum->did.moved += one->did.moved;
  sum->did.refused += one->did.refused;
  sum->did.stuck += one->did.stuck;
}

clv_result clv_scalpel_move_along(clv_scalpel *scalpel, const double from[3], const double to[3],
                                  clv_scalpel_report *report) {
  tip_way w = {from, {to[0] - from[0], to[1] - from[1], to[2] - from[2]}, 0};
  w.square = scalpel_dot(w.way, w.way);
  clv_scalpel_report sum = {0};
  // What touches nothing yet may touch where it begins; elsewhere the way before this one ended there.
  clv_result result = scalpel->memory.touching == 0 ? clv_scalpel_move(scalpel, from, &sum) : CLV_OK;
  for (double gone = 0; result == CLV_OK && gone < 1;) {
    clv_scalpel_report one = {0};
    double tip[3];
    result = find_next(scalpel, &w, &gone);
    if (result != CLV_OK) break;
    for (uint32_t k = 0; k < 3; k++) tip[k] = gone < 1 ? from[k] + gone * w.way[k] : to[k];
    result = clv_scalpel_move(scalpel, tip, &one);
    scalpel_add_report(&sum, &one);
  }
  if (report) *report = sum;
  return result;
}
