// Refined cells: what rules must leave as it is, so that nothing is lost, and what refining itself adds.

#include "support/patients.h"
#include "support/random.h"
#include "support/ruled.h"

static void assert_kept(const clv_momenta *before, clv_body *body, const char *what) {
  clv_momenta after;
  clv_body_momenta(body, &after);
  const double mass = before->mass;
  if (!(fabs(after.mass - mass) <= 1e-12 * mass)) fail_msg("%s: mass is %.17g, not %.17g", what, after.mass, mass);
  for (uint32_t k = 0; k < 3; k++)
    if (!(fabs(after.linear[k] - before->linear[k]) <= 1e-13 * mass))
      fail_msg("%s: momentum is %.17g, not %.17g", what, after.linear[k], before->linear[k]);
  operated_check(body);
}

// A blade moves vertices: cells that came of one stay apart where the one would weigh something else.
static void rules_leave_uneven_families(void **unused) {
  (void)unused;
  static const struct {
    clv_grid_kind kind;
    const char *coarsen;
  } cases[] = {{CLV_GRID_TET5, "coarsen_tet"},
               {CLV_GRID_HEX, "coarsen_hex"},
               {CLV_GRID_TRI, "coarsen_face"},
               {CLV_GRID_QUAD, "coarsen_quad"}};
  clv_program *program = program_with(NULL, 0);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const bool flat = is_flat(cases[k].kind);
    clv_body *body = crooked_of(cases[k].kind, "fem-corotational");
    clv_surgery *surgery = operated_surgery(body);
    const uint32_t coarse = operated_cells(body);
    const clv_zone all = clv_zone_all();
    clv_slice slice = clv_default_slice();
    slice.whole = true;
    slice.snap = 0.4;
    memcpy(slice.point, (double[]){1.4, 1, flat ? 0 : 1}, sizeof slice.point);
    memcpy(slice.normal, (double[]){1, 0.1, flat ? 0 : 0.05}, sizeof slice.normal);
    operated_deform(body, 0.02);
    clv_surgery_report report;
    assert_int_equal(clv_surgery_refine(surgery, &all, 1, NULL), CLV_OK);
    if (clv_surgery_slice(surgery, &slice, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
    assert_true(report.moved > 0);
    clv_momenta before;
    clv_body_momenta(body, &before);
    report = applied_at_level(surgery, program, cases[k].coarsen, 0, all);
    assert_true(report.coarsened > 0 && report.coarsened == report.applied && operated_cells(body) > coarse);
    assert_kept(&before, body, cases[k].coarsen);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  clv_program_destroy(program);
}

// A rule that knows nothing of levels changes what was never refined, and nothing else.
static void rules_without_levels_leave_refined_cells(void **unused) {
  (void)unused;
  static const struct {
    clv_grid_kind kind;
    const char *bisect;
  } cases[] = {{CLV_GRID_TET5, "bisect_edge_tets"}, {CLV_GRID_TRI, "bisect_edge"}};
  clv_program *program = program_with(NULL, 0);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    clv_body *body = grid_body(cases[k].kind, 6, 2, 2);
    clv_surgery *surgery = operated_surgery(body);
    const clv_zone fine = clv_zone_box((double[]){-1, -1, -1}, (double[]){2.1, 3, 3});
    operated_deform(body, 0.02);
    assert_int_equal(clv_surgery_refine(surgery, &fine, 1, NULL), CLV_OK);
    clv_momenta before;
    clv_body_momenta(body, &before);
    const uint64_t hash = clv_map_hash(clv_body_map(body));
    const clv_zone inside = clv_zone_box((double[]){-1, -1, -1}, (double[]){0.9, 3, 3});
    assert_int_equal(applied(surgery, program, cases[k].bisect, CLV_EDGE, inside).applied, 0);
    assert_non_null(strstr(clv_surgery_error(surgery), "does not speak of their levels"));
    assert_true(clv_map_hash(clv_body_map(body)) == hash);
    assert_true(applied(surgery, program, cases[k].bisect, CLV_EDGE, clv_zone_all()).split > 0);
    assert_kept(&before, body, cases[k].bisect);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  clv_program_destroy(program);
}

// What a blade splits off a refined cell is of that cell's level, and is refined and put together like others. Planes
// cross the border between fine cells and coarse ones, again and again.
static void pieces_are_of_the_level_of_their_cell(void **unused) {
  (void)unused;
  enum { PLANES = 12 };
  static const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_TRI, CLV_GRID_HEX, CLV_GRID_QUAD};
  uint32_t split = 0, together = 0;
  for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
    clv_body *body = grid_body(kinds[k], 4, 2, 2);
    clv_surgery *surgery = operated_surgery(body);
    clv_momenta before;
    random_source random = {k + 1};
    operated_deform(body, 0.02);
    clv_body_momenta(body, &before);
    for (uint32_t n = 0; n < PLANES; n++) {
      const double at[3] = {random_between(&random, 0, 4), random_between(&random, 0, 2),
                            random_between(&random, 0, 2)};
      const clv_zone near = clv_zone_sphere(at, 0.8), all = clv_zone_all();
      clv_slice slice = clv_default_slice();
      slice.whole = slice.exact = true;
      slice.snap = 0;
      slice.quality = 0.01;
      memcpy(slice.point, at, sizeof at);
      for (uint32_t i = 0; i < (is_flat(kinds[k]) ? 2u : 3u); i++) slice.normal[i] = random_between(&random, -1, 1);
      clv_surgery_report report;
      if (clv_surgery_refine(surgery, &near, 1 + n % 2, NULL) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
      if (clv_surgery_slice(surgery, &slice, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
      split += report.split;
      assert_kept(&before, body, "split");
      if (n % 3 < 2) continue;
      if (clv_surgery_coarsen(surgery, &all, 0, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
      together += report.coarsened;
      assert_kept(&before, body, "put together");
    }
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  assert_true(split > 1000 && together > 100);
}

// Halved springs keep their energy, and those inside the cells are new: what docs/surgery.md says of it, measured.
static void springs_of_new_edges_add_energy(void **unused) {
  (void)unused;
  static const struct {
    clv_grid_kind kind;
    const char *model;
    double least, most; // of the energy before
  } cases[] = {{CLV_GRID_TRI, "springs", 1.5 - 1e-9, 1.5 + 1e-9},
               {CLV_GRID_QUAD, "springs", 1.33, 1.75},
               {CLV_GRID_TET5, "springs", 1.33, 1.75},
               {CLV_GRID_HEX, "springs", 1.33, 1.75},
               {CLV_GRID_TRI, "fem-corotational", 1 - 1e-9, 1 + 1e-9},
               {CLV_GRID_HEX, "fem-corotational", 1 - 1e-9, 1 + 1e-9}};
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    clv_body *body = model_body(cases[k].kind, cases[k].model);
    clv_surgery *surgery = operated_surgery(body);
    const clv_zone all = clv_zone_all();
    double *x = clv_body_positions(body);
    for (size_t s = 0; s < clv_body_slots(body); s++) {
      x[3 * s] = 1.02 * x[3 * s] + 0.01 * x[3 * s + 1];
      x[3 * s + 1] *= 0.99;
      x[3 * s + 2] *= 1.01;
    }
    clv_energies before, after;
    assert_int_equal(clv_body_energies(body, &before), CLV_OK);
    assert_int_equal(clv_surgery_refine(surgery, &all, 1, NULL), CLV_OK);
    assert_int_equal(clv_body_energies(body, &after), CLV_OK);
    const double ratio = after.elastic / before.elastic;
    if (!(ratio >= cases[k].least && ratio <= cases[k].most))
      fail_msg("%s of %s: %g times the energy", cases[k].model, clv_grid_name(cases[k].kind), ratio);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Refining goes level by level: where memory runs out, the levels before stand, and are told.
static bool refining_stands_refusal(size_t n, uint32_t *stood) {
  counting_memory memory = {0};
  clv_body *body = counted_body(&memory);
  clv_surgery *surgery = operated_surgery(body);
  const clv_zone all = clv_zone_all();
  const uint32_t coarse = operated_cells(body);
  clv_surgery_report report = {.refined = 99};
  memory.fail_at = memory.requests + n;
  memory.refused = false;
  clv_result result = clv_surgery_refine(surgery, &all, 2, &report);
  const bool refused = memory.refused;
  memory.fail_at = 0;
  assert_int_equal(operated_cells(body), coarse + 7 * report.refined);
  if (result != CLV_OK) {
    assert_int_equal(result, CLV_ERROR_MEMORY);
    const bool told = strstr(clv_surgery_error(surgery), " cells were refined and 0 put together, and stay so");
    assert_true(told == (report.refined > 0));
    *stood += report.refined > 0;
    result = clv_surgery_refine(surgery, &all, 2, &report);
  }
  assert_int_equal(result, CLV_OK);
  assert_int_equal(operated_cells(body), 64 * coarse);
  operated_check(body);
  // And back.
  memory.fail_at = memory.requests + n;
  memory.refused = false;
  const clv_adapt none = {.kind = CLV_ADAPT_NONE, .level = 2, .coarsen = true, .zone = all};
  result = n % 2 ? clv_surgery_coarsen(surgery, &all, 0, &report) : clv_surgery_adapt(surgery, &none, &report);
  memory.fail_at = 0;
  assert_int_equal(operated_cells(body), 64 * coarse - 7 * report.coarsened);
  if (result != CLV_OK) {
    *stood += report.coarsened > 0;
    result = clv_surgery_coarsen(surgery, &all, 0, NULL);
  }
  assert_int_equal(result, CLV_OK);
  assert_int_equal(operated_cells(body), coarse);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  return refused;
}

static void levels_before_a_failure_are_told(void **unused) {
  (void)unused;
  uint32_t stood = 0;
  for (size_t n = 1; refining_stands_refusal(n, &stood); n += 1 + n / 12) continue;
  assert_true(stood > 2);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_leave_uneven_families),
      cmocka_unit_test(rules_without_levels_leave_refined_cells),
      cmocka_unit_test(pieces_are_of_the_level_of_their_cell),
      cmocka_unit_test(springs_of_new_edges_add_energy),
      cmocka_unit_test(levels_before_a_failure_are_told),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
