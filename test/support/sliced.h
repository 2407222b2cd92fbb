// Blocks that are sliced: of every kind of cell, and what a slice must keep.

#ifndef CLEAVE_TEST_SUPPORT_SLICED_H
#define CLEAVE_TEST_SUPPORT_SLICED_H

#include "support/operated.h"

static inline double sliced_random(random_source *random) {
  return (double)(random_next(random) >> 11) * 0x1p-53;
}

static inline bool sliced_is_flat(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

static inline bool sliced_is_simplicial(clv_grid_kind kind) {
  return kind == CLV_GRID_TRI || kind == CLV_GRID_TET5 || kind == CLV_GRID_TET6;
}

// Of cells 1 m wide; the inner points of a warped one are moved about.
static inline clv_body *sliced_block(const clv_program *program, clv_grid_kind kind, const char *model,
                                     const uint32_t *cells, double warp) {
  beam b = beam_default();
  b.kind = kind;
  b.model = model;
  b.program = program;
  for (uint32_t k = 0; k < 3; k++) {
    b.cells[k] = k == 2 && sliced_is_flat(kind) ? 0 : cells[k];
    b.size[k] = b.cells[k];
  }
  clv_mesh mesh;
  clv_section section;
  clv_error error = {0};
  beam_mesh(&b, &mesh);
  for (size_t p = 0; p < mesh.point_count; p++) {
    double *x = mesh.points[p];
    bool inner = true;
    for (uint32_t k = 0; k < (sliced_is_flat(kind) ? 2u : 3u); k++) inner = inner && x[k] > 0 && x[k] < b.size[k];
    for (uint32_t k = 0; inner && k < (sliced_is_flat(kind) ? 2u : 3u); k++)
      x[k] += warp * sin(7.1 * (double)p + 2.3 * k);
  }
  const clv_body_def def = beam_def(&b, &mesh, &section);
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
  return body;
}

static inline clv_slice sliced_plane(double x, double y, double z, double nx, double ny, double nz) {
  clv_slice slice = clv_default_slice();
  slice.whole = true;
  memcpy(slice.point, (double[]){x, y, z}, sizeof slice.point);
  memcpy(slice.normal, (double[]){nx, ny, nz}, sizeof slice.normal);
  return slice;
}

static inline clv_surgery_report sliced(clv_surgery *surgery, const clv_slice *slice) {
  clv_surgery_report report;
  if (clv_surgery_slice(surgery, slice, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

static inline double sliced_quality(const clv_body *body) {
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  double worst = 1;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
    const clv_kind kind = clv_cell_shape(map, cell);
    assert_true(kind <= CLV_TEMPLATE_LAST); // pieces are templates
    const uint32_t count = clv_templates[kind].corner_count, row = clv_cell_row(map, cell);
    double corners[8][3];
    for (uint32_t c = 0; c < count; c++)
      memcpy(corners[c], rest + 3 * (size_t)map->corners[kind][(size_t)row * count + c], sizeof corners[c]);
    worst = fmin(worst, clv_element_quality(kind, (const double(*)[3])corners));
  }
  return worst;
}

static inline double sliced_elastic(clv_body *body) {
  clv_energies energies;
  assert_int_equal(clv_body_energies(body, &energies), CLV_OK);
  return energies.elastic;
}

static inline double sliced_kinetic(clv_body *body) {
  clv_energies energies;
  assert_int_equal(clv_body_energies(body, &energies), CLV_OK);
  return energies.kinetic;
}

// How far cells that are parted by a plane reach beyond it: nothing, when all are on one side.
static inline double sliced_overlap(clv_body *body, const clv_slice *slice) {
  const clv_map *map = clv_body_map(body);
  const double *pos = clv_body_positions(body);
  double most = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_walk walk;
    assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, clv_id_dart(map, CLV_CELL, id)), CLV_OK);
    double low = 0, high = 0;
    for (uint32_t k = 0; k < walk.count; k++) {
      double h = 0;
      for (uint32_t i = 0; i < 3; i++)
        h +=
            (pos[3 * (size_t)clv_id_of(map, CLV_VERTEX, walk.darts[k]).index + i] - slice->point[i]) * slice->normal[i];
      low = fmin(low, h);
      high = fmax(high, h);
    }
    clv_walk_end(&walk);
    most = fmax(most, fmin(high, -low));
  }
  return most;
}

// What every slice keeps.
typedef struct sliced_state {
  clv_momenta momenta;
  double elastic, kinetic, quality;
} sliced_state;

static inline sliced_state sliced_state_of(clv_body *body) {
  sliced_state s = {.elastic = sliced_elastic(body), .kinetic = sliced_kinetic(body), .quality = sliced_quality(body)};
  clv_body_momenta(body, &s.momenta);
  return s;
}

static inline void sliced_assert_kept(clv_body *body, const sliced_state *before, double quality) {
  operated_check(body);
  const sliced_state now = sliced_state_of(body);
  assert_true(fabs(now.momenta.mass - before->momenta.mass) <= 1e-12 * before->momenta.mass);
  double speed = 0;
  for (size_t v = 0; v < 3 * (size_t)clv_body_slots(body); v++) speed = fmax(speed, fabs(clv_body_velocities(body)[v]));
  for (uint32_t k = 0; k < 3; k++)
    assert_true(fabs(now.momenta.linear[k] - before->momenta.linear[k]) <= 1e-12 * (1 + speed) * before->momenta.mass);
  if (now.kinetic > before->kinetic * (1 + 1e-12))
    fail_msg("kinetic %.17g, before %.17g", now.kinetic, before->kinetic);
  assert_true(now.quality >= fmin(before->quality, quality) - 1e-12);
  // A neo-Hookean solid at rest has a difference of large numbers.
  const physics_section *solid = &body->sections.data[0];
  const double noise = solid->model->stress == PHYSICS_NEOHOOKE
                           ? 1e-15 * solid->material.young * now.momenta.mass / solid->material.density
                           : 1e-20;
  const double energy = now.elastic + now.kinetic, was = before->elastic + before->kinetic;
  if (energy > was * (1 + 1e-9) + noise) fail_msg("energy %.17g, before %.17g", energy, was);
}

static inline clv_slice sliced_random_plane(random_source *random, const uint32_t *cells, bool flat) {
  double p[3], n[3];
  for (uint32_t k = 0; k < 3; k++) {
    p[k] = cells[k] * (0.3 + 0.4 * sliced_random(random));
    n[k] = sliced_random(random) - 0.5;
  }
  if (flat) p[2] = n[2] = 0;
  return sliced_plane(p[0], p[1], p[2], n[0], n[1], n[2]);
}

static inline double sliced_height(clv_body *body, const clv_slice *slice, size_t slot) {
  const double *x = clv_body_positions(body) + 3 * slot, *n = slice->normal;
  double height = 0;
  for (uint32_t k = 0; k < 3; k++) height += (x[k] - slice->point[k]) * n[k];
  return height / sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
}

static inline void sliced_assert_hanging(const clv_body *body) {
  uint32_t slot, parents[4], count;
  for (uint32_t k = 0; (count = clv_body_hanging(body, k, &slot, parents)); k++)
    for (uint32_t i = 0; i < 3; i++) {
      double mean = 0;
      for (uint32_t p = 0; p < count; p++) mean += physics_vectors(body->vel)[3 * (size_t)parents[p] + i] / count;
      assert_true(fabs(physics_vectors(body->vel)[3 * (size_t)slot + i] - mean) < 1e-15);
    }
}

// A slice along a block of which one end is clamped and the other moved along a path: new vertices there are held, and
// go along; no others are. In a `fine` one there are cells of several levels.
static inline void sliced_check_held(const clv_program *program, clv_grid_kind kind, bool fine, double snap,
                                     double quality) {
  static const uint32_t cells[3] = {3, 2, 2};
  static const clv_key path[] = {{0, {0, 0, 0}}, {1, {0, 0, 0.4}}};
  clv_body *body = sliced_block(program, kind, "fem-corotational", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  const clv_zone end = beam_end(3, 1), corner = clv_zone_box((double[]){-1, -1, -1}, (double[]){1.2, 1.2, 3});
  beam_clamp(body);
  assert_int_equal(clv_body_move(body, &end, CLV_XYZ, path, 2, NULL), CLV_OK);
  if (fine) assert_int_equal(clv_surgery_refine(surgery, &corner, 2, NULL), CLV_OK);
  clv_body_place(body, 0.5);
  clv_slice slice = sliced_plane(0, 0.83, 0, 0.1, 1, 0);
  slice.exact = true;
  slice.snap = snap;
  slice.quality = quality;
  assert_true(sliced(surgery, &slice).split > 0);
  clv_body_place(body, 1);
  const double *rest = clv_body_rest(body), *x = clv_body_positions(body), *masses = clv_body_masses(body);
  for (size_t s = 1; s < clv_body_slots(body); s++) {
    if (!(masses[s] > 0)) continue;
    const bool clamped = rest[3 * s]<1e-9, moved = rest[3 * s]> 3 - 1e-9;
    assert_int_equal(clv_body_held(body)[s], clamped || moved ? CLV_XYZ : 0);
    if (clamped || moved) assert_true(fabs(x[3 * s + 2] - rest[3 * s + 2] - (moved ? 0.4 : 0)) < 1e-12);
  }
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// A block that hangs from one end is sliced while it moves, and moves on.
static inline void sliced_check_motion(const clv_program *program, clv_grid_kind kind, const uint32_t *cells,
                                       const clv_slice *slice, clv_method method) {
  clv_body *body = sliced_block(program, kind, "fem-corotational", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  beam_clamp(body);
  clv_body_set_gravity(body, (double[]){0, 0, -9.81});
  const clv_solver_def def = beam_method(method);
  clv_solver *solver = beam_solver(body, &def);
  const double dt = 1e-4;
  for (uint32_t k = 0; k < 3; k++) beam_step(solver, k * dt, dt);
  assert_true(sliced(surgery, slice).split > 0);
  operated_check_followed(solver);
  for (uint32_t k = 3; k < 20; k++) beam_step(solver, k * dt, dt);
  operated_check(body);
  for (size_t v = 0; v < 3 * (size_t)clv_body_slots(body); v++) assert_true(fabs(clv_body_velocities(body)[v]) < 1);
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

#endif
