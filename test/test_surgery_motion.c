// What a body keeps when it is cut, and how its parts move on: for all models, every kind of cell, every integrator.

#include "support/operated.h"

#include <stdio.h>
#include <stdlib.h>

static clv_program *laws;

static int make_laws(void **unused) {
  (void)unused;
  laws = beam_program();
  return 0;
}

static int free_laws(void **unused) {
  (void)unused;
  clv_program_destroy(laws);
  return 0;
}

enum { MOST_SLOTS = 512 };

static bool is_flat(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

static void mesh_of(clv_grid_kind kind, clv_mesh *mesh) {
  beam b = beam_default();
  b.kind = kind;
  memcpy(b.cells, (uint32_t[]){4, 2, is_flat(kind) ? 1 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){0.4, 0.2, is_flat(kind) ? 1 : 0.2}, sizeof b.size);
  beam_mesh(&b, mesh);
}

// NULL where the model is not for such cells.
static clv_body *body_of(const clv_mesh *mesh, const char *model) {
  const clv_section section = {.zone = clv_zone_all(), .model = model, .material = clv_default_material()};
  clv_body_def def = clv_default_body_def();
  def.mesh = mesh;
  def.sections = &section;
  def.section_count = 1;
  def.program = laws;
  def.drag = 0.1;
  return clv_body_create(&def, NULL, NULL);
}

static clv_zone across(double x) {
  return clv_zone_plane((double[]){x, 0, 0}, (double[]){1, 0, 0});
}

typedef void combination(clv_grid_kind kind, const char *model);

static void each_combination(combination *run, uint32_t fewest) {
  uint32_t tried = 0;
  const char *model;
  for (uint32_t m = 0; (model = clv_model_list(m, NULL)); m++)
    for (int kind = 0; strcmp(model, "rules") != 0 && kind < CLV_GRID_KIND_COUNT; kind++) {
      clv_mesh mesh;
      mesh_of((clv_grid_kind)kind, &mesh);
      clv_body *body = body_of(&mesh, model);
      clv_mesh_free(&mesh);
      if (!body) continue;
      clv_body_destroy(body);
      run((clv_grid_kind)kind, model);
      tried++;
    }
  assert_true(tried >= fewest);
}

// What is kept

static double *forces_of(clv_body *body) {
  double *f = malloc(3 * (size_t)clv_body_slots(body) * sizeof *f);
  assert_non_null(f);
  assert_int_equal(clv_views_force(clv_body_views(body), f), CLV_OK);
  return f;
}

static double greatest(const double *values, size_t count) {
  double most = 0;
  for (size_t k = 0; k < count; k++) most = fmax(most, fabs(values[k]));
  return most;
}

// Rows of all laws: what each stands between at rest, and the bits of its matrix.
typedef struct law_row {
  uint64_t key, hash;
} law_row;

typedef struct rows {
  clv_body *body;
  law_row list[4096];
  uint32_t count;
} rows;

static uint64_t hash_doubles(uint64_t hash, const double *values, uint32_t count) {
  for (uint32_t i = 0; i < count; i++) {
    uint64_t bits;
    const double value = values[i] + 0.0; // minus zero is zero
    memcpy(&bits, &value, sizeof bits);
    hash = (hash ^ bits) * 1099511628211u;
    hash ^= hash >> 29;
  }
  return hash;
}

// The key does not depend on the order of vertices, which copies may change.
static void add_row(void *user, const clv_element *element) {
  rows *all = user;
  uint64_t key = 0;
  for (const char *c = element->law; *c; c++) key = (key ^ (uint64_t)(unsigned char)*c) * 1099511628211u;
  for (uint32_t v = 0; v < element->count; v++)
    key += hash_doubles(14695981039346656037u, clv_body_rest(all->body) + 3 * (size_t)element->vertices[v], 3);
  assert_true(all->count < sizeof all->list / sizeof *all->list);
  all->list[all->count++] =
      (law_row){key, hash_doubles(1469598103934665603u, element->matrix, 9 * element->count * element->count)};
}

static int compare_rows(const void *a, const void *b) {
  const law_row *x = a, *y = b;
  if (x->key != y->key) return x->key < y->key ? -1 : 1;
  return (x->hash > y->hash) - (x->hash < y->hash);
}

static void find_rows(clv_body *body, rows *all) {
  all->body = body;
  all->count = 0;
  assert_int_equal(clv_views_matrix(clv_body_views(body), CLV_STIFFNESS, add_row, all), CLV_OK);
  qsort(all->list, all->count, sizeof *all->list, compare_rows);
}

static uint32_t rows_alike(const rows *all, uint32_t first) {
  uint32_t end = first;
  while (end < all->count && all->list[end].key == all->list[first].key) end++;
  return end - first;
}

// Rows are where they were, and have the bits they had: constants, positions and so forces. Only those whose place is
// in two now, springs on edges of the cut, share what was one's. How many were compared.
static uint32_t assert_same_rows(const rows *before, const rows *after) {
  uint32_t compared = 0, j = 0;
  for (uint32_t k = 0; k < before->count;) {
    while (j < after->count && after->list[j].key < before->list[k].key) j++;
    assert_true(j < after->count && after->list[j].key == before->list[k].key); // none is lost
    const uint32_t count = rows_alike(before, k), now = rows_alike(after, j);
    assert_true(now >= count);
    for (uint32_t i = 0; now == count && i < count; i++)
      assert_true(before->list[k + i].hash == after->list[j + i].hash);
    compared += now == count ? count : 0;
    k += count;
  }
  return compared;
}

static bool same_place(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static uint32_t find_slot(const double (*rest)[3], uint32_t slots, const double *place) {
  for (uint32_t s = 1; s < slots; s++)
    if (same_place(rest[s], place)) return s;
  fail_msg("a vertex came from nowhere");
  return 0;
}

static void assert_kept(const clv_momenta *a, const clv_momenta *b) {
  assert_true(fabs(a->mass - b->mass) <= 1e-12 * a->mass);
  const double linear = greatest(a->linear, 3) + 1e-9, angular = greatest(a->angular, 3) + 1e-9;
  for (uint32_t k = 0; k < 3; k++) {
    assert_true(fabs(a->linear[k] - b->linear[k]) <= 1e-12 * linear);
    assert_true(fabs(a->angular[k] - b->angular[k]) <= 1e-12 * angular);
    assert_true(fabs(a->centre[k] - b->centre[k]) <= 1e-12);
  }
}

// By slot: how many cells a particle is a corner of.
static void count_cells(const clv_body *body, uint8_t *counts) {
  const clv_map *map = clv_body_map(body);
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    for (uint32_t row = 0, corners = clv_templates[kind].corner_count; row < clv_cell_rows(map, (clv_kind)kind); row++)
      for (uint32_t c = 0; clv_cell_at(map, (clv_kind)kind, row) && c < corners; c++)
        counts[map->corners[kind][row * corners + c]]++;
}

static uint32_t lone_corners; // whose forces were compared, in all bodies

static void cut_keeps(clv_grid_kind kind, const char *model) {
  static double rest[MOST_SLOTS][3];
  uint8_t cells[MOST_SLOTS] = {0}, cells_now[2 * MOST_SLOTS] = {0};
  clv_mesh mesh;
  mesh_of(kind, &mesh);
  clv_body *body = body_of(&mesh, model);
  clv_mesh_free(&mesh);
  operated_deform(body, 0.01);
  const uint32_t slots = clv_body_slots(body);
  assert_true(slots <= MOST_SLOTS);
  memcpy(rest, clv_body_rest(body), slots * sizeof *rest);
  count_cells(body, cells);
  double *before = forces_of(body);
  static rows elements, now;
  find_rows(body, &elements);
  clv_momenta momenta, after;
  clv_energies energies, left;
  clv_body_momenta(body, &momenta);
  assert_int_equal(clv_body_energies(body, &energies), CLV_OK);

  clv_surgery *surgery = operated_surgery(body);
  const clv_surgery_report report = operated_cut_zone(surgery, across(0.2));
  assert_true(report.facets > 0 && report.vertices > 0);
  operated_check(body);
  clv_body_momenta(body, &after);
  assert_kept(&momenta, &after);
  assert_int_equal(clv_body_energies(body, &left), CLV_OK);
  assert_true(left.elastic <= energies.elastic * (1 + 1e-12)); // no energy is created
  assert_true(fabs(left.kinetic - energies.kinetic) <= 1e-12 * energies.kinetic);

  // Forces over the copies of a vertex, but for hinges, which span the cut.
  if (strcmp(model, "cloth") != 0) {
    assert_true(fabs(left.elastic - energies.elastic) <= 1e-12 * energies.elastic);
    find_rows(body, &now);
    const uint32_t compared = assert_same_rows(&elements, &now);
    const bool springs = !strncmp(model, "springs", 7);
    const bool on_edges = springs || !strcmp(model, "mass-tensor"); // and not in cells alone
    if (on_edges ? 2 * compared <= elements.count : compared < elements.count)
      fail_msg("%s, %s: only %u of %u rows were compared", clv_grid_name(kind), model, compared, elements.count);
    double *f = forces_of(body), *sums = calloc(3 * (size_t)slots, sizeof *sums);
    assert_non_null(sums);
    const double *places = clv_body_rest(body), *masses = clv_body_masses(body);
    assert_true(clv_body_slots(body) <= 2 * MOST_SLOTS);
    count_cells(body, cells_now);
    for (size_t s = 1; s < clv_body_slots(body); s++) {
      if (masses[s] == 0) continue;
      const size_t from = find_slot((const double(*)[3])rest, slots, places + 3 * s);
      for (size_t k = 0; k < 3; k++) sums[3 * from + k] += f[3 * s + k];
      // A particle of one cell feels one row of finite elements, and not a bit of its force has changed.
      if (cells[from] != 1 || cells_now[s] != 1 || springs) continue;
      for (size_t k = 0; k < 3; k++) assert_true(f[3 * s + k] == before[3 * from + k]);
      lone_corners += greatest(f + 3 * s, 3) > 0;
    }
    const double scale = greatest(before + 3, 3 * (size_t)slots - 3);
    for (size_t k = 3; k < 3 * (size_t)slots; k++)
      if (fabs(sums[k] - before[k]) > 1e-12 * scale)
        fail_msg("%s, %s: %g instead of %g", clv_grid_name(kind), model, sums[k], before[k]);
    free(f);
    free(sums);
  }
  free(before);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static void cuts_keep_mass_momentum_and_forces(void **unused) {
  (void)unused;
  each_combination(cut_keeps, 40);
  assert_true(lone_corners > 40);
}

// Two bodies

// The cells of a mesh on one side of x.
static void part_of(const clv_mesh *whole, double x, bool above, clv_mesh *part) {
  clv_mesh_init(part, NULL);
  for (size_t p = 0; p < whole->point_count; p++)
    clv_mesh_add_point(part, whole->points[p][0], whole->points[p][1], whole->points[p][2]);
  for (size_t e = 0; e < whole->element_count; e++) {
    const size_t first = whole->offsets[e], count = whole->offsets[e + 1] - first;
    double centre = 0;
    for (size_t c = 0; c < count; c++) centre += whole->points[whole->corners[first + c]][0] / (double)count;
    if ((centre >= x - 1e-9) != above) continue;
    assert_int_equal(clv_mesh_add_element(part, (clv_kind)whole->kinds[e], whole->corners + first, count, 0), CLV_OK);
  }
}

// For each slot of the cut body whether it belongs to cells above x (2), below (1), or to none (0).
static void sides_of(clv_body *body, double x, uint8_t *sides) {
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  memset(sides, 0, MOST_SLOTS);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_walk walk;
    assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, clv_id_dart(map, CLV_CELL, id)), CLV_OK);
    double centre = 0;
    for (uint32_t c = 0; c < walk.count; c++)
      centre += rest[3 * (size_t)clv_id_of(map, CLV_VERTEX, walk.darts[c]).index] / walk.count;
    for (uint32_t c = 0; c < walk.count; c++)
      sides[clv_id_of(map, CLV_VERTEX, walk.darts[c]).index] |= centre >= x - 1e-9 ? 2 : 1;
    clv_walk_end(&walk);
  }
}

typedef struct pairing {
  uint32_t count, whole[MOST_SLOTS], part[MOST_SLOTS];
} pairing;

static void pair_up(clv_body *whole, clv_body *part, uint8_t side, pairing *p) {
  uint8_t sides[MOST_SLOTS];
  sides_of(whole, 0.2, sides);
  const double *rest = clv_body_rest(whole), *other = clv_body_rest(part), *masses = clv_body_masses(part);
  p->count = 0;
  for (uint32_t s = 1; s < clv_body_slots(whole); s++) {
    if (sides[s] != side) continue;
    for (uint32_t t = 1; t < clv_body_slots(part); t++) {
      if (masses[t] == 0 || !same_place(rest + 3 * (size_t)s, other + 3 * (size_t)t)) continue;
      p->whole[p->count] = s;
      p->part[p->count++] = t;
      break;
    }
  }
  uint32_t particles = 0;
  for (uint32_t t = 1; t < clv_body_slots(part); t++) particles += masses[t] > 0;
  assert_int_equal(p->count, particles);
}

static double distance(const pairing *p, const double *whole, const double *part) {
  double most = 0;
  for (uint32_t k = 0; k < p->count; k++)
    for (size_t c = 0; c < 3; c++)
      most = fmax(most, fabs(whole[3 * (size_t)p->whole[k] + c] - part[3 * (size_t)p->part[k] + c]));
  return most;
}

static clv_method the_method;

// Statics wants what can neither shift nor turn: the ends are held, and surfaces stay in their plane.
static void hold_for_statics(clv_body *body, clv_grid_kind kind) {
  if (the_method != CLV_STATIC) return;
  const clv_zone ends[2] = {beam_end(0, -1), beam_end(0.4, 1)}, all = clv_zone_all();
  for (uint32_t k = 0; k < 2; k++) (void)clv_body_fix(body, &ends[k], CLV_XYZ, NULL); // a part has but one of them
  if (is_flat(kind)) assert_int_equal(clv_body_fix(body, &all, CLV_Z, NULL), CLV_OK);
}

static void two_bodies(clv_grid_kind kind, const char *model) {
  clv_mesh mesh, meshes[2];
  mesh_of(kind, &mesh);
  clv_solver_def def = beam_method(the_method);
  def.tolerance = 1e-13;
  def.newton_tolerance = 1e-11;
  clv_body *body = body_of(&mesh, model), *parts[2];
  clv_solver *solver = beam_solver(body, &def), *solvers[2];
  clv_surgery *surgery = operated_surgery(body);
  operated_deform(body, 0.002);
  hold_for_statics(body, kind);
  double stable = 1;
  def.method = CLV_SYMPLECTIC_EULER;
  clv_solver *judge = beam_solver(body, &def);
  def.method = the_method;
  assert_int_equal(clv_solver_stable_step(judge, &stable), CLV_OK);
  clv_solver_destroy(judge);
  const bool explicit = the_method < CLV_IMPLICIT_EULER;
  const double dt = explicit ? 0.3 * stable : 2 * stable;
  for (uint32_t k = 0; k < 3; k++) beam_step(solver, k * dt, dt); // its solver knows it as one
  operated_cut_zone(surgery, across(0.2));
  pairing pairs[2];
  for (uint32_t b = 0; b < 2; b++) {
    part_of(&mesh, 0.2, b, &meshes[b]);
    parts[b] = body_of(&meshes[b], model);
    assert_non_null(parts[b]);
    hold_for_statics(parts[b], kind);
    solvers[b] = beam_solver(parts[b], &def);
    pair_up(body, parts[b], (uint8_t)(b + 1), &pairs[b]);
  }
  // A step from every state along the way: what the integrator makes of it must not depend on what is beside it.
  const double tolerance = explicit ? 1e-12 : 1e-9;
  for (uint32_t k = 0; k < 10; k++) {
    for (uint32_t b = 0; b < 2; b++)
      for (uint32_t i = 0; i < pairs[b].count; i++)
        for (size_t c = 0; c < 3; c++) {
          const size_t to = 3 * (size_t)pairs[b].part[i] + c, from = 3 * (size_t)pairs[b].whole[i] + c;
          clv_body_positions(parts[b])[to] = clv_body_positions(body)[from];
          clv_body_velocities(parts[b])[to] = clv_body_velocities(body)[from];
        }
    beam_step(solver, (3 + k) * dt, dt);
    for (uint32_t b = 0; b < 2; b++) {
      beam_step(solvers[b], (3 + k) * dt, dt);
      const double size = 0.4, speed = greatest(clv_body_velocities(body), 3 * (size_t)clv_body_slots(body));
      const double x = distance(&pairs[b], clv_body_positions(body), clv_body_positions(parts[b])),
                   v = distance(&pairs[b], clv_body_velocities(body), clv_body_velocities(parts[b]));
      if (!(x <= tolerance * size && v <= tolerance * speed))
        fail_msg("%s, %s, %s: part %u is %g m and %g m/s away, of %g m/s", clv_grid_name(kind), model,
                 clv_method_name(the_method), b, x, v, speed);
    }
  }
  for (uint32_t b = 0; b < 2; b++) {
    clv_solver_destroy(solvers[b]);
    clv_body_destroy(parts[b]);
    clv_mesh_free(&meshes[b]);
  }
  clv_surgery_destroy(surgery);
  clv_solver_destroy(solver);
  clv_body_destroy(body);
  clv_mesh_free(&mesh);
}

static void a_body_cut_in_two_is_two_bodies(void **unused) {
  (void)unused;
  for (int method = 0; method < CLV_METHOD_COUNT; method++) {
    the_method = (clv_method)method;
    each_combination(two_bodies, 40);
  }
}

// Down to nothing

// Every method meets every model, and every kind of cell.
static void down_to_nothing(clv_grid_kind kind, const char *model) {
  for (int m = (int)kind % 3; m < CLV_METHOD_COUNT; m += 3) {
    clv_mesh mesh;
    mesh_of(kind, &mesh);
    clv_body *body = body_of(&mesh, model);
    clv_mesh_free(&mesh);
    // What hangs by a corner has no equilibrium.
    const clv_zone wall = m == CLV_STATIC ? clv_zone_all() : beam_end(0, -1);
    assert_int_equal(clv_body_fix(body, &wall, CLV_XYZ, NULL), CLV_OK);
    clv_solver_def def = beam_method((clv_method)m);
    def.newton_tolerance = 1e-4;
    clv_solver *solver = beam_solver(body, &def);
    clv_surgery *surgery = operated_surgery(body);
    const double dt = 1e-5;
    double time = 0;
    // Less and less of it, then the last cell but one, then that.
    const clv_map *map = clv_body_map(body);
    for (uint32_t k = 0; k < 4; k++, time += dt) {
      beam_step(solver, time, dt);
      operated_remove(surgery, across(0.3 - 0.1 * k + (k == 3 ? 0.05 : 0)));
    }
    while (operated_cells(body) > 0) {
      beam_step(solver, time, dt);
      if (operated_cells(body) > 4) operated_remove(surgery, clv_zone_nearest((double[]){1, 1, 1}));
      operated_remove(surgery, clv_zone_nearest((double[]){1, 1, 1}));
      operated_check(body);
    }
    for (uint32_t k = 0; k < 3; k++, time += dt) beam_step(solver, time, dt);
    clv_momenta momenta;
    clv_body_momenta(body, &momenta);
    assert_true(momenta.mass == 0);
    double stable = 0;
    assert_int_equal(clv_solver_stable_step(solver, &stable), CLV_OK);
    assert_int_equal(clv_map_check(map, operated_problem, NULL), CLV_OK);
    clv_surgery_destroy(surgery);
    clv_solver_destroy(solver);
    clv_body_destroy(body);
  }
}

static void bodies_go_down_to_nothing(void **unused) {
  (void)unused;
  each_combination(down_to_nothing, 40);
}

// Newmark's method begins a step with accelerations: those of the body as it is now.

static clv_result cut_it(clv_surgery *surgery) {
  const clv_cut cut = {.kind = CLV_CUT_ZONE, .zone = across(0.15)};
  return clv_surgery_cut(surgery, &cut, NULL);
}

static clv_result remove_part(clv_surgery *surgery) {
  const clv_zone ball = clv_zone_sphere((double[]){0.4, 0.2, 0.2}, 0.12);
  return clv_surgery_remove(surgery, &ball, NULL);
}

static clv_result refine_part(clv_surgery *surgery) {
  const clv_zone half = clv_zone_box((double[]){0, 0, 0}, (double[]){0.15, 1, 1});
  return clv_surgery_refine(surgery, &half, 1, NULL);
}

static clv_result coarsen_all(clv_surgery *surgery) {
  const clv_zone all = clv_zone_all();
  return clv_surgery_coarsen(surgery, &all, 0, NULL);
}

static clv_result slice_it(clv_surgery *surgery) {
  clv_slice slice = clv_default_slice();
  slice.whole = true;
  slice.snap = 0.4;
  memcpy(slice.point, (double[]){0.27, 0.1, 0.1}, sizeof slice.point);
  memcpy(slice.normal, (double[]){1, 0.2, 0.1}, sizeof slice.normal);
  return clv_surgery_slice(surgery, &slice, NULL);
}

static void newmark_goes_on_with_the_forces_of_what_is_left(void **unused) {
  (void)unused;
  static const struct {
    const char *name;
    clv_result (*run)(clv_surgery *surgery);
  } operations[] = {
      {"cut", cut_it}, {"slice", slice_it}, {"refine", refine_part}, {"coarsen", coarsen_all}, {"remove", remove_part}};
  clv_mesh mesh;
  mesh_of(CLV_GRID_TET5, &mesh);
  clv_body *body = body_of(&mesh, "fem-corotational");
  clv_surgery *surgery = operated_surgery(body);
  clv_solver_def def = beam_method(CLV_NEWMARK);
  def.tolerance = def.newton_tolerance = 1e-11;
  clv_solver *solver = beam_solver(body, &def);
  const double dt = 1e-3, *g = body->gravity;
  operated_deform(body, 0.005);
  body->drag = 0;
  for (uint32_t k = 0; k < sizeof operations / sizeof *operations; k++) {
    clv_momenta before, after;
    beam_step(solver, 2 * k * dt, dt);
    if (operations[k].run(surgery) != CLV_OK) fail_msg("%s: %s", operations[k].name, clv_surgery_error(surgery));
    clv_body_momenta(body, &before);
    beam_step(solver, (2 * k + 1) * dt, dt);
    clv_body_momenta(body, &after);
    for (uint32_t i = 0; i < 3; i++) {
      const double off = after.linear[i] - before.linear[i] - after.mass * g[i] * dt;
      if (!(fabs(off) <= 1e-10 * after.mass))
        fail_msg("%s: momentum is off by %g of %g kg", operations[k].name, off, after.mass);
    }
  }
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_mesh_free(&mesh);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(newmark_goes_on_with_the_forces_of_what_is_left),
      cmocka_unit_test(cuts_keep_mass_momentum_and_forces),
      cmocka_unit_test(a_body_cut_in_two_is_two_bodies),
      cmocka_unit_test(bodies_go_down_to_nothing),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
