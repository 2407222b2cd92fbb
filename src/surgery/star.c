#include "surgery/star.h"

#include "rule/law.h"
#include "surgery/scalpel.h"

#include <math.h>

bool star_open(surgery_star *star, clv_surgery *surgery, clv_id vertex) {
  star->surgery = surgery;
  star->dart = clv_id_dart(surgery->map, CLV_VERTEX, vertex);
  star->slot = vertex.index;
  star->springs = surgery->springs.count;
  return clv_walk_star(&star->cells, surgery->map, CLV_VERTEX, star->dart) == CLV_OK;
}

void star_close(surgery_star *star) {
  clv_walk_end(&star->cells);
}

bool star_is_plain(const surgery_star *star) {
  if (star->cells.count > STAR_CELLS) return false;
  for (uint32_t c = 0; c < star->cells.count; c++)
    if (clv_cell_kind(star->surgery->map, star->cells.darts[c]) > CLV_TEMPLATE_LAST) return false;
  return true;
}

// Cells

static clv_kind read_cell(const surgery_star *star, uint32_t c, uint32_t which, double (*corners)[3]) {
  const double *points = star_array(star->surgery, which);
  const surgery_corners slots = star_corners(star, c);
  for (uint32_t k = 0; k < slots.count; k++) memcpy(corners[k], points + 3 * (size_t)slots.slots[k], sizeof corners[k]);
  return clv_cell_kind(star->surgery->map, star->cells.darts[c]);
}

// As the laws have it: a warped quadrangle has more area than its corners' mean plane.
static double volume_of(const surgery_star *star, uint32_t c) {
  const clv_surgery *s = star->surgery;
  double corners[8][3], points[LAW_QUADRATURE][LAW_QUAD_DATA], volume = 0;
  const clv_kind kind = read_cell(star, c, STAR_REST, corners);
  if (kind == CLV_QUAD) {
    law_quadrature(kind, (const double(*)[3])corners, points);
    for (uint32_t p = 0; p < law_quadrature_points(kind); p++) volume += points[p][0];
  } else {
    volume = clv_element_measure(kind, (const double(*)[3])corners);
  }
  const clv_material *m = &physics_section_of(s->body, star->cells.darts[c])->material;
  return volume * (s->map->dimension == 2 ? m->thickness : 1);
}

double star_mass(const surgery_star *star) {
  double sum = 0;
  for (uint32_t c = 0; c < star->cells.count; c++)
    sum += volume_of(star, c) * physics_section_of(star->surgery->body, star->cells.darts[c])->material.density;
  return sum;
}

double star_size(const surgery_star *star) {
  const double *x = star_array(star->surgery, STAR_REST), *p = x + 3 * (size_t)star->slot;
  double most = 0;
  for (uint32_t c = 0; c < star->cells.count; c++) {
    const surgery_corners corners = star_corners(star, c);
    for (uint32_t k = 0; k < corners.count; k++) {
      const double *q = x + 3 * (size_t)corners.slots[k];
      const double to[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
      most = fmax(most, scalpel_dot(to, to));
    }
  }
  return sqrt(most);
}

// Quality

// Of a cell of a surface; a triangle's second diagonal is a side.
static void normal_of(const surgery_star *star, uint32_t c, uint32_t which, double *normal) {
  double corners[8][3], u[3], v[3];
  const clv_kind kind = read_cell(star, c, which, corners);
  for (uint32_t k = 0; k < 3; k++) {
    u[k] = corners[2][k] - corners[0][k];
    v[k] = corners[kind == CLV_TRI ? 0 : 3][k] - corners[1][k];
  }
  scalpel_cross(u, v, normal);
}

// A cell of a surface in space is never inverted, but it may be turned over.
static bool is_turned(const surgery_star *star, uint32_t c) {
  for (uint32_t which = STAR_POS; which <= STAR_REST && star->surgery->map->dimension == 2; which++) {
    double normal[3];
    normal_of(star, c, which, normal);
    if (!(scalpel_dot(normal, star->normals[which][c]) > 0)) return true;
  }
  return false;
}

// Whether a cell whose corners are good is inside out at a point where its laws are evaluated.
static bool is_folded(clv_kind kind, const double (*corners)[3]) {
  double points[LAW_QUADRATURE][LAW_QUAD_DATA];
  law_quadrature(kind, corners, points);
  for (uint32_t p = 0; p < law_quadrature_points(kind); p++)
    if (!(points[p][0] > 0)) return true;
  return false;
}

double star_quality(const surgery_star *star) {
  double worst = 1;
  for (uint32_t c = 0; c < star->cells.count; c++) {
    double corners[8][3];
    for (uint32_t which = STAR_POS; which <= STAR_REST; which++) {
      const clv_kind kind = read_cell(star, c, which, corners);
      worst = fmin(worst, clv_element_quality(kind, (const double(*)[3])corners));
      if (which == STAR_REST && is_folded(kind, (const double(*)[3])corners)) return -1;
    }
    if (is_turned(star, c)) return -1;
  }
  return worst;
}

// Edges of a cell's corner at the vertex: two on a surface, three otherwise.
static uint32_t corner_edges(const surgery_star *star, uint32_t c, uint32_t ends[3]) {
  const clv_map *map = star->surgery->map;
  const clv_dart dart = star->cells.darts[c];
  const clv_dart darts[3] = {dart, clv_alpha(map, dart, 1), clv_alpha(map, clv_alpha(map, dart, 2), 1)};
  for (uint32_t e = 0; e < 3 && e < map->dimension; e++)
    ends[e] = clv_id_of(map, CLV_VERTEX, clv_alpha(map, darts[e], 0)).index;
  return map->dimension;
}

void star_carry(const surgery_star *star, const double *vector, double *carried) {
  uint32_t ends[3];
  double edge[2][3][3] = {{{0}}}; // now and at rest; the third of a surface is its normal, which goes nowhere
  const uint32_t count = corner_edges(star, 0, ends);
  for (uint32_t which = STAR_POS; which <= STAR_REST; which++) {
    const double *x = star_array(star->surgery, which);
    for (uint32_t e = 0; e < count; e++)
      for (uint32_t k = 0; k < 3; k++) edge[which][e][k] = x[3 * (size_t)ends[e] + k] - x[3 * (size_t)star->slot + k];
  }
  double(*rest)[3] = edge[STAR_REST];
  if (count == 2) scalpel_cross(rest[0], rest[1], rest[2]);
  carried[0] = carried[1] = carried[2] = 0;
  for (uint32_t e = 0; e < 3; e++) {
    double across[3];
    scalpel_cross(rest[(e + 1) % 3], rest[(e + 2) % 3], across);
    const double part = scalpel_dot(vector, across) / scalpel_dot(rest[e], across);
    for (uint32_t k = 0; k < 3; k++) carried[k] += part * edge[STAR_POS][e][k];
  }
}

// Springs

static clv_column *numbers_on(const clv_surgery *s, const char *name, clv_orbit orbit) {
  clv_column *column = clv_column_find(s->map, name);
  const clv_column_def *def = column ? clv_column_get_def(column) : NULL;
  const bool fits = def && clv_orbit_dims(s->map, def->orbit) == clv_orbit_dims(s->map, orbit) &&
                    def->type == CLV_DOUBLE && def->components == 1;
  return fits ? column : NULL;
}

// What a spring's stiffness goes with: one over the length of the cell's diagonals; the plate at a hinge; what the
// springs of a cell, which followed before, leave to its volume.
static double measure_of(const clv_surgery *s, const surgery_spring *spring) {
  if (spring->kind == SURGERY_HINGE) return physics_hinge_stiffness(s->body, spring->dart);
  if (spring->kind == SURGERY_BULK) return physics_bulk_beside_springs(s->body, spring->dart);
  const double length = physics_diagonal_length(s->body, spring->dart);
  return length > 0 ? 1 / length : 0;
}

static bool add_spring(clv_surgery *s, surgery_spring_kind kind, clv_column *column, clv_dart dart) {
  if (!BASE_RESERVE(&s->allocator, &s->springs, (uint64_t)s->springs.count + 1)) return false;
  surgery_spring spring = {.column = column, .dart = dart, .kind = kind};
  spring.before = *(const double *)clv_column_at(column, dart);
  spring.measure = measure_of(s, &spring);
  if (spring.before != 0 && spring.measure != 0) s->springs.data[s->springs.count++] = spring;
  return true;
}

static bool add_hinges(clv_surgery *s, clv_column *bend, clv_dart cell) {
  clv_walk edges;
  if (clv_walk_incident(&edges, s->map, CLV_CELL, CLV_EDGE, cell) != CLV_OK) return false;
  bool good = true;
  for (uint32_t k = 0; good && k < edges.count; k++) good = add_spring(s, SURGERY_HINGE, bend, edges.darts[k]);
  clv_walk_end(&edges);
  return good;
}

static bool add_springs(surgery_star *star) {
  clv_surgery *s = star->surgery;
  const bool flat = s->map->dimension == 2;
  clv_column *const diagonal = numbers_on(s, "k_diagonal", CLV_CELL),
                    *shear = flat ? numbers_on(s, "k_shear", CLV_CELL) : NULL,
                    *bend = flat ? numbers_on(s, "k_bend", CLV_EDGE) : NULL, *bulk = numbers_on(s, "bulk", CLV_CELL);
  bool good = true;
  for (uint32_t c = 0; good && c < star->cells.count; c++) {
    const clv_dart cell = star->cells.darts[c];
    const physics_model *model = physics_section_of(s->body, cell)->model;
    if (diagonal && model->springs) good = add_spring(s, SURGERY_DIAGONALS, diagonal, cell);
    if (good && shear && model->springs) good = add_spring(s, SURGERY_DIAGONALS, shear, cell);
    if (good && bulk && model->volume) good = add_spring(s, SURGERY_BULK, bulk, cell);
    if (good && bend && model->bending) good = add_hinges(s, bend, cell);
  }
  return good;
}

static void let_springs_follow(const surgery_star *star) {
  const clv_surgery *s = star->surgery;
  for (uint32_t k = star->springs; k < s->springs.count; k++) {
    const surgery_spring *spring = &s->springs.data[k];
    *(double *)clv_column_at(spring->column, spring->dart) = spring->before * measure_of(s, spring) / spring->measure;
  }
}

// What laws read, and what was or will be written.
static bool list_values(const surgery_star *star) {
  clv_surgery *s = star->surgery;
  const uint64_t count = 2 + s->springs.count - star->springs;
  s->written.count = 0;
  if (!BASE_RESERVE(&s->allocator, &s->written, count)) return false;
  s->written.data[s->written.count++] = (view_touched_value){s->body->pos, star->dart};
  s->written.data[s->written.count++] = (view_touched_value){s->body->rest, star->dart};
  for (uint32_t k = star->springs; k < s->springs.count; k++)
    s->written.data[s->written.count++] = (view_touched_value){s->springs.data[k].column, s->springs.data[k].dart};
  return true;
}

bool star_begin(surgery_star *star) {
  for (uint32_t c = 0; star->surgery->map->dimension == 2 && c < star->cells.count; c++)
    for (uint32_t which = STAR_POS; which <= STAR_REST; which++) normal_of(star, c, which, star->normals[which][c]);
  return add_springs(star) && list_values(star);
}

void star_end(surgery_star *star) {
  clv_surgery *s = star->surgery;
  while (s->springs.count > star->springs) {
    const surgery_spring *spring = &s->springs.data[--s->springs.count];
    *(double *)clv_column_at(spring->column, spring->dart) = spring->before;
  }
}

// Energy

// Blocks of the mass-tensor law push without an energy of their own: it is that of the linear solid.
static double tensor_energy(const surgery_star *star, uint32_t c, double volume) {
  const clv_surgery *s = star->surgery;
  clv_cell_state state;
  if (!physics_section_of(s->body, star->cells.darts[c])->model->tensor) return 0;
  clv_body_cell_state(s->body, star->cells.darts[c], &state);
  return state.energy * volume;
}

clv_result star_measure_energy(const surgery_star *star, star_energy *energy) {
  clv_surgery *s = star->surgery;
  *energy = (star_energy){.known = true};
  let_springs_follow(star);
  if (views_try(s->body->views, star->dart, s->written.data, s->written.count, &energy->sum, &energy->known) != CLV_OK)
    return surgery_no_memory(s);
  for (uint32_t c = 0; c < star->cells.count; c++) {
    const physics_section *section = physics_section_of(s->body, star->cells.darts[c]);
    const double volume = volume_of(star, c), solid = section->material.young * volume;
    energy->sum += tensor_energy(star, c, volume);
    // Where it is nothing, a neo-Hookean solid has a difference of large numbers; others have squares.
    energy->noise += (section->model->stress == PHYSICS_NEOHOOKE || !section->model->module ? 1e-15 : 1e-26) * solid;
  }
  energy->noise += 1e-14 * fabs(energy->sum);
  return CLV_OK;
}
