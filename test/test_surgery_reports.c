// What people have reported of other engines, by the numbers of their threads: each is a test here.
//
// sofa is sofa-framework/sofa, newton is newton-physics/newton, tearing is InfinyTech3D/Tearing, bullet3 is
// bulletphysics/bullet3.

#include "live/show.h"
#include "support/operated.h"

#include <stdlib.h>
#include <time.h>

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

static clv_body *body_from(const clv_mesh *mesh, const char *model, clv_build_report *report) {
  const clv_section section = {.zone = clv_zone_all(), .model = model, .material = clv_default_material()};
  clv_body_def def = clv_default_body_def();
  clv_error error = {0};
  def.mesh = mesh;
  def.sections = &section;
  def.section_count = 1;
  def.program = laws;
  clv_body *body = clv_body_create(&def, report, &error);
  if (!body) fail_msg("%s", error.message);
  return body;
}

static void tets(uint32_t x, uint32_t y, uint32_t z, clv_mesh *mesh) {
  beam b = beam_default();
  b.kind = CLV_GRID_TET5;
  memcpy(b.cells, (uint32_t[]){x, y, z}, sizeof b.cells);
  memcpy(b.size, (double[]){0.1 * x, 0.1 * y, 0.1 * z}, sizeof b.size);
  beam_mesh(&b, mesh);
}

static clv_body *tet_body(uint32_t x, uint32_t y, uint32_t z, const char *model) {
  clv_mesh mesh;
  tets(x, y, z, &mesh);
  clv_body *body = body_from(&mesh, model, NULL);
  clv_mesh_free(&mesh);
  return body;
}

static clv_dart any_cell(clv_body *body, random_source *random) {
  const clv_map *map = clv_body_map(body);
  const uint32_t rows = clv_cell_rows(map, CLV_TET);
  for (;;) {
    const clv_dart cell = clv_cell_at(map, CLV_TET, random_below(random, rows));
    if (cell) return cell;
  }
}

static void remove_one(clv_surgery *surgery, clv_dart cell) {
  if (clv_surgery_remove_cells(surgery, &cell, 1, NULL) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
}

// A fresh body from what is left of another: it has never seen a removal.
static clv_body *fresh_copy(clv_body *body, const char *model) {
  clv_mesh mesh;
  clv_error error = {0};
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_extract(&mesh, clv_body_map(body), &error) != CLV_OK) fail_msg("%s", error.message);
  clv_body *copy = body_from(&mesh, model, NULL);
  clv_mesh_free(&mesh);
  return copy;
}

// "Crash when the last element is removed", "removing the last point divides by zero".
static void sofa_3202_last_element(void **unused) {
  (void)unused;
  for (int method = 0; method < CLV_METHOD_COUNT; method++)
    for (int linear = 0; linear < CLV_LINEAR_COUNT; linear++) {
      if (!clv_linear_available((clv_linear)linear)) continue;
      clv_body *body = tet_body(1, 1, 1, "fem-corotational");
      clv_surgery *surgery = operated_surgery(body);
      clv_solver_def def = beam_method((clv_method)method);
      def.linear = (clv_linear)linear;
      const clv_zone all = clv_zone_all(); // what rests must be held; everything else moves until it is gone
      if (method == CLV_STATIC)
        assert_int_equal(clv_body_fix(body, &all, CLV_XYZ, NULL), CLV_OK);
      else
        operated_deform(body, 0.002);
      clv_solver *solver = beam_solver(body, &def);
      random_source random = {7};
      for (uint32_t left = 5; left > 0; left--) {
        beam_step(solver, 0, 1e-4);
        remove_one(surgery, any_cell(body, &random));
        assert_int_equal(operated_cells(body), left - 1);
      }
      beam_step(solver, 0, 1e-4);
      beam_step(solver, 0, 1e-4);
      clv_map_info info;
      assert_int_equal(clv_map_count(clv_body_map(body), &info), CLV_OK);
      assert_int_equal(info.darts + info.cells[0] + info.cells[3], 0);
      operated_check(body);
      clv_solver_destroy(solver);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// Crashes that depend on which element goes first.
static void sofa_606_954_1589_3370_3499_removals_in_any_order(void **unused) {
  (void)unused;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    clv_body *body = tet_body(3, 2, 2, seed % 2 ? "fem-corotational" : "springs");
    beam_clamp(body);
    clv_surgery *surgery = operated_surgery(body);
    const clv_solver_def def = beam_method(CLV_IMPLICIT_EULER);
    clv_solver *solver = beam_solver(body, &def);
    random_source random = {seed};
    while (operated_cells(body) > 0) {
      remove_one(surgery, any_cell(body, &random));
      beam_step(solver, 0, 1e-3);
    }
    operated_check(body);
    clv_solver_destroy(solver);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// The surface that is shown: triangles of its own, with corners among the body's particles, that the journal alone
// keeps current. It is closed about the cells that are left, where they are now: it holds as much as they do.
static void assert_surface_follows(live_show *show) {
  const clv_map *map = clv_body_map(show->body);
  const double *x = clv_body_positions(show->body);
  double held = 0, cells = 0;
  uint64_t faces = 0;
  clv_map_info info;
  assert_true(live_show_update(show));
  const live_table *table = &show->layers[0];
  for (uint32_t k = 0; k < table->faces.count; k++) {
    const live_face *face = &table->faces.data[k];
    if (!face->corner[0]) continue;
    const double *a = x + 3 * (size_t)face->corner[0], *b = x + 3 * (size_t)face->corner[1],
                 *c = x + 3 * (size_t)face->corner[2];
    assert_true(live_cell_dart(map, face->cell) != CLV_NO_DART);
    for (uint32_t v = 0; v < 3; v++) assert_true(clv_body_masses(show->body)[face->corner[v]] > 0);
    held +=
        (a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0])) /
        6;
    faces++;
  }
  for (uint32_t row = 0; row < clv_cell_rows(map, CLV_TET); row++) {
    if (!clv_cell_at(map, CLV_TET, row)) continue;
    double corners[4][3];
    for (uint32_t v = 0; v < 4; v++)
      memcpy(corners[v], x + 3 * (size_t)map->corners[CLV_TET][4 * row + v], sizeof corners[v]);
    cells += clv_element_measure(CLV_TET, (const double(*)[3])corners);
  }
  assert_int_equal(clv_map_count(map, &info), CLV_OK);
  assert_int_equal(faces, info.boundary_facets);
  if (!(cells > 0) || fabs(held - cells) > 1e-12) fail_msg("the surface holds %.17g, the cells %.17g", held, cells);
}

// "13943 != 13944": what is mapped on a body, its surface, its constraints and its matrices, misses a change.
static void sofa_5106_3201_2241_everything_follows(void **unused) {
  (void)unused;
  clv_body *body = tet_body(4, 3, 3, "fem-corotational");
  beam_clamp(body);
  static const clv_key pull[] = {{0, {1, 2, 3}}};
  const clv_zone end = beam_end(0.4, 1);
  assert_int_equal(clv_body_pull(body, &end, pull, 1, NULL), CLV_OK);
  clv_surgery *surgery = operated_surgery(body);
  const clv_allocator allocator = clv_default_allocator();
  live_show show = {0};
  assert_int_equal(live_show_create(&show, &allocator, body, surgery, NULL), CLV_OK);
  live_show_keep(&show, 0, true);
  clv_solver_def def = beam_method(CLV_IMPLICIT_EULER);
  def.linear = CLV_LINEAR_ASSEMBLED;
  clv_solver *solver = beam_solver(body, &def);
  random_source random = {5106};
  for (uint32_t k = 0; k < 90; k++) {
    remove_one(surgery, any_cell(body, &random));
    beam_step(solver, 0, 1e-3);
    assert_surface_follows(&show);
    if (k % 15) continue;
    clv_body *fresh = fresh_copy(body, "fem-corotational");
    clv_map_info here, there;
    assert_int_equal(clv_map_count(clv_body_map(body), &here), CLV_OK);
    assert_int_equal(clv_map_count(clv_body_map(fresh), &there), CLV_OK);
    assert_int_equal(here.boundary_facets, there.boundary_facets);
    for (uint32_t d = 0; d < 4; d++) assert_int_equal(here.cells[d], there.cells[d]);
    // Held are exactly the particles at the wall; each has one mass, one place.
    const uint32_t *held = clv_body_held(body);
    const double *rest = clv_body_rest(body), *masses = clv_body_masses(body);
    for (uint32_t s = 0; s < clv_body_slots(body); s++)
      if (masses[s] > 0) assert_int_equal(held[s], rest[3 * (size_t)s] == 0 ? CLV_XYZ : 0);
    clv_body_destroy(fresh);
    operated_check(body);
  }
  live_show_leave(&show);
  live_show_free(&show);
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// "Inverted tetrahedra are dropped without a word, or explode."
static void newton_2408_bullet3_3882_inverted_input(void **unused) {
  (void)unused;
  clv_mesh mesh;
  tets(2, 2, 2, &mesh);
  for (size_t e = 0; e < mesh.element_count; e += 3) {
    uint32_t *c = mesh.corners + mesh.offsets[e];
    const uint32_t swapped = c[0];
    c[0] = c[1];
    c[1] = swapped;
  }
  clv_build_report report;
  clv_body *body = body_from(&mesh, "neo-hookean", &report);
  assert_int_equal(report.turned, 14);
  assert_int_equal(report.cells, 40);
  clv_body *upright = tet_body(2, 2, 2, "neo-hookean");
  assert_true(fabs(operated_mass(body) - operated_mass(upright)) < 1e-12 * operated_mass(body));
  clv_surgery *surgery = operated_surgery(body);
  const clv_solver_def def = beam_method(CLV_IMPLICIT_NEWTON);
  clv_solver *solver = beam_solver(body, &def);
  beam_clamp(body);
  for (uint32_t k = 0; k < 5; k++) beam_step(solver, k * 1e-3, 1e-3);
  operated_cut_zone(surgery, beam_end(0.1, 1));
  for (uint32_t k = 5; k < 10; k++) beam_step(solver, k * 1e-3, 1e-3);
  operated_check(body);
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(upright);
  clv_body_destroy(body);
  clv_mesh_free(&mesh);
}

// "903 springs for 811 edges" after 300 of 596 tetrahedra were removed.
static void sofa_26_06_springs_equal_edges(void **unused) {
  (void)unused;
  clv_body *body = tet_body(6, 5, 4, "springs");
  clv_surgery *surgery = operated_surgery(body);
  const clv_map *map = clv_body_map(body);
  random_source random = {596};
  assert_int_equal(operated_cells(body), 600);
  for (uint32_t removed = 0; removed <= 300; removed++) {
    if (removed) remove_one(surgery, any_cell(body, &random));
    if (removed % 50) continue;
    clv_map_info info;
    assert_int_equal(clv_map_count(map, &info), CLV_OK);
    uint64_t springs = 0;
    for (uint32_t law = 0; law < clv_views_law_count(clv_body_views(body)); law++)
      springs += clv_views_rows(clv_body_views(body), clv_views_law_name(clv_body_views(body), law));
    assert_int_equal(springs, info.cells[1]);
  }
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Of all forces inside: a number that does not depend on the order of particles.
static double sum_of_squares(clv_body *body) {
  const size_t count = 3 * (size_t)clv_body_slots(body);
  double *f = malloc(count * sizeof *f), sum = 0;
  assert_non_null(f);
  assert_int_equal(clv_views_force(clv_body_views(body), f), CLV_OK);
  for (size_t k = 3; k < count; k++) sum += f[k] * f[k];
  free(f);
  return sum;
}

// "The newest corotational field ignores removals without a word."
static void sofa_26_06_all_laws_see_removals(void **unused) {
  (void)unused;
  const char *model;
  uint32_t models = 0;
  for (uint32_t m = 0; (model = clv_model_list(m, NULL)); m++) {
    if (!strcmp(model, "rules") || !strcmp(model, "cloth")) continue;
    clv_body *body = tet_body(4, 3, 3, model);
    clv_surgery *surgery = operated_surgery(body);
    random_source random = {2606};
    for (uint32_t k = 0; k < 80; k++) remove_one(surgery, any_cell(body, &random));
    clv_body *fresh = fresh_copy(body, model);
    operated_deform(body, 0.003);
    operated_deform(fresh, 0.003);
    clv_energies a, b;
    assert_int_equal(clv_body_energies(body, &a), CLV_OK);
    assert_int_equal(clv_body_energies(fresh, &b), CLV_OK);
    assert_true(fabs(a.elastic - b.elastic) <= 1e-10 * b.elastic);
    assert_true(fabs(a.kinetic - b.kinetic) <= 1e-10 * b.kinetic);
    const double here = sum_of_squares(body), there = sum_of_squares(fresh);
    if (!(here > 0) || fabs(here - there) > 1e-10 * there) fail_msg("%s: %g instead of %g", model, here, there);
    models++;
    clv_body_destroy(fresh);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  assert_true(models >= 8);
}

static double cpu_seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static int compare(const void *a, const void *b) {
  const double x = *(const double *)a, y = *(const double *)b;
  return (x > y) - (x < y);
}

// "All 100,000 elements are made anew in the step after one removal: 13 ms become 26."
static void sofa_26_06_a_step_after_a_removal_costs_a_step(void **unused) {
  (void)unused;
  enum { TIMES = 21 };
  clv_body *body = tet_body(14, 14, 14, "fem-corotational");
  clv_surgery *surgery = operated_surgery(body);
  const clv_solver_def def = beam_method(CLV_SYMPLECTIC_EULER);
  clv_solver *solver = beam_solver(body, &def);
  random_source random = {1};
  double plain[TIMES], after[TIMES];
  for (uint32_t k = 0; k < 3; k++) beam_step(solver, 0, 1e-5);
  for (uint32_t k = 0; k < TIMES; k++) {
    double start = cpu_seconds();
    beam_step(solver, 0, 1e-5);
    plain[k] = cpu_seconds() - start;
    remove_one(surgery, any_cell(body, &random));
    start = cpu_seconds();
    beam_step(solver, 0, 1e-5);
    after[k] = cpu_seconds() - start;
  }
  qsort(plain, TIMES, sizeof *plain, compare);
  qsort(after, TIMES, sizeof *after, compare);
  print_message("a step %.3g ms, after a removal %.3g ms\n", 1e3 * plain[TIMES / 2], 1e3 * after[TIMES / 2]);
  assert_true(after[TIMES / 2] < 1.5 * plain[TIMES / 2]);
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// "Element ids are not stable": here an id means what it meant, or is known to be gone.
static void sofa_26_06_ids_survive(void **unused) {
  (void)unused;
  clv_body *body = tet_body(4, 3, 3, "fem-corotational");
  const clv_map *map = clv_body_map(body);
  clv_surgery *surgery = operated_surgery(body);
  enum { MOST = 512 };
  static clv_id cells[MOST];
  static double centres[MOST][3];
  static bool gone[MOST];
  uint32_t count = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id), count++) {
    const uint32_t *c = map->corners[CLV_TET] + 4 * (size_t)clv_cell_row(map, clv_id_dart(map, CLV_CELL, id));
    cells[count] = id;
    for (uint32_t k = 0; k < 12; k++) centres[count][k % 3] += clv_body_rest(body)[3 * (size_t)c[k / 3] + k % 3];
  }
  assert_int_equal(count, 180);
  random_source random = {11};
  for (uint32_t k = 0; k < 120; k++) {
    const uint32_t chosen = random_below(&random, count);
    const clv_dart cell = clv_id_dart(map, CLV_CELL, cells[chosen]);
    assert_true((cell == 0) == gone[chosen]);
    if (!cell) continue;
    if (k % 2) {
      remove_one(surgery, cell);
      gone[chosen] = true;
    } else {
      operated_cut(surgery, &(clv_cut){.kind = CLV_CUT_FACETS, .facets = &cell, .count = 1});
    }
    for (uint32_t i = 0; i < count; i++) {
      assert_true(clv_id_alive(map, CLV_CELL, cells[i]) == !gone[i]);
      if (gone[i]) continue;
      const uint32_t *c = map->corners[CLV_TET] + 4 * (size_t)clv_cell_row(map, clv_id_dart(map, CLV_CELL, cells[i]));
      double centre[3] = {0};
      for (uint32_t j = 0; j < 12; j++) centre[j % 3] += clv_body_rest(body)[3 * (size_t)c[j / 3] + j % 3];
      for (uint32_t j = 0; j < 3; j++) assert_true(fabs(centre[j] - centres[i][j]) < 1e-12);
    }
  }
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static void assert_finite(clv_body *body) {
  const double *x = clv_body_positions(body), *v = clv_body_velocities(body), *masses = clv_body_masses(body);
  for (size_t s = 1; s < clv_body_slots(body); s++)
    for (size_t c = 0; masses[s] > 0 && c < 3; c++) assert_true(isfinite(x[3 * s + c]) && isfinite(v[3 * s + c]));
}

static uint32_t pieces_of(const clv_map *map) {
  clv_walk walk;
  assert_int_equal(clv_walk_all(&walk, map, CLV_COMPONENT), CLV_OK);
  const uint32_t count = walk.count;
  clv_walk_end(&walk);
  return count;
}

// Held at one end, pulled at the other, and flying apart, until it is in shreds: valid, finite and of its mass after
// every tear, and no energy comes of one.
static void tear_to_shreds(clv_grid_kind kind, const char *model, const clv_tear *tear, clv_method method) {
  beam b = beam_default();
  const bool flat = kind <= CLV_GRID_MIXED2;
  b.kind = kind;
  b.model = model;
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){8, flat ? 6 : 2, flat ? 1 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){0.8, flat ? 0.6 : 0.2, flat ? 1 : 0.2}, sizeof b.size);
  clv_body *body = beam_create(&b);
  clv_surgery *surgery = operated_surgery(body);
  const clv_solver_def def = beam_method(method);
  clv_solver *solver = beam_solver(body, &def);
  const clv_zone left = beam_end(0, -1), right = beam_end(0.8, 1);
  const clv_key apart[2] = {{0, {0, 0, 0}}, {0.2, {2, 0.3, 0.2}}};
  assert_int_equal(clv_body_fix(body, &left, CLV_XYZ, NULL), CLV_OK);
  assert_int_equal(clv_body_move(body, &right, CLV_XYZ, apart, 2, NULL), CLV_OK);
  for (size_t s = 3; s < 3 * (size_t)clv_body_slots(body); s++)
    clv_body_velocities(body)[s] = 15 * (clv_body_rest(body)[s] - b.size[s % 3] / 2);
  double stable = 2e-3;
  if (method < CLV_IMPLICIT_EULER) assert_int_equal(clv_solver_stable_step(solver, &stable), CLV_OK);
  const double mass = operated_mass(body), dt = fmin(0.5 * stable, 2e-3);
  uint32_t facets = 0;
  for (uint32_t step = 0; step * dt < 0.2; step++) {
    clv_energies before, after;
    clv_surgery_report report;
    beam_step(solver, step * dt, dt);
    assert_int_equal(clv_body_energies(body, &before), CLV_OK);
    if (clv_surgery_tear(surgery, tear, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
    facets += report.facets;
    if (!report.facets) continue;
    operated_check(body);
    assert_finite(body);
    assert_int_equal(clv_body_energies(body, &after), CLV_OK);
    assert_true(after.elastic + after.kinetic <= (before.elastic + before.kinetic) * (1 + 1e-9));
    assert_true(fabs(operated_mass(body) - mass) <= 1e-12 * mass);
  }
  assert_finite(body);
  const uint32_t pieces = pieces_of(clv_body_map(body));
  print_message("%s of %s, %s: %u facets torn, %u pieces\n", model, clv_grid_name(kind), clv_method_name(method),
                facets, pieces);
  assert_true(facets > 40 && pieces > 20);
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// "Tearing segfaults", "is unstable".
static void tearing_37_17_torn_to_shreds(void **unused) {
  (void)unused;
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_IMPLICIT_EULER};
  clv_tear by_strain = clv_default_tear(), by_force = clv_default_tear();
  by_strain.kind = CLV_TEAR_STRAIN;
  by_strain.threshold = 0.05;
  by_force.kind = CLV_TEAR_FORCE;
  by_force.threshold = 0.1;
  for (uint32_t m = 0; m < 2; m++) {
    tear_to_shreds(CLV_GRID_TRI, "cloth", &by_strain, methods[m]);
    tear_to_shreds(CLV_GRID_QUAD, "springs", &by_force, methods[m]);
    tear_to_shreds(CLV_GRID_TET5, "fem-corotational", &by_strain, methods[m]);
    tear_to_shreds(CLV_GRID_HEX, "springs", &by_strain, methods[m]);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(sofa_3202_last_element),
      cmocka_unit_test(sofa_606_954_1589_3370_3499_removals_in_any_order),
      cmocka_unit_test(sofa_5106_3201_2241_everything_follows),
      cmocka_unit_test(newton_2408_bullet3_3882_inverted_input),
      cmocka_unit_test(tearing_37_17_torn_to_shreds),
      cmocka_unit_test(sofa_26_06_springs_equal_edges),
      cmocka_unit_test(sofa_26_06_all_laws_see_removals),
      cmocka_unit_test(sofa_26_06_a_step_after_a_removal_costs_a_step),
      cmocka_unit_test(sofa_26_06_ids_survive),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
