// Tearing: which facets give way, in which order, and what holds afterwards.

#include "physics/body.h"
#include "support/counting_allocator.h"
#include "support/operated.h"

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

static bool is_flat(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

static clv_body *bar(clv_grid_kind kind, const char *model, const clv_allocator *allocator) {
  beam b = beam_default();
  b.kind = kind;
  b.model = model;
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){4, 2, is_flat(kind) ? 0 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){4, 2, is_flat(kind) ? 0 : 2}, sizeof b.size);
  if (allocator) b.allocator = *allocator;
  return beam_create(&b);
}

// Stretches it along x: by `by`, and by `more` on the far side of x = 2.
static void stretch(clv_body *body, double by, double more) {
  const double *rest = clv_body_rest(body);
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; s < clv_body_slots(body); s++) {
    x[3 * s] = rest[3 * s] * (1 + by) + more * fmax(0, rest[3 * s] - 2);
    v[3 * s] = 0.1 * rest[3 * s];
  }
}

static clv_tear tear_by(clv_tear_kind kind, double threshold) {
  clv_tear tear = clv_default_tear();
  tear.kind = kind;
  tear.threshold = threshold;
  return tear;
}

static clv_surgery_report torn(clv_surgery *surgery, const clv_tear *tear) {
  clv_surgery_report report;
  if (clv_surgery_tear(surgery, tear, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

static clv_zone slab(double x) {
  return clv_zone_box((double[]){x - 0.1, 0, 0}, (double[]){x + 0.1, 2, 2});
}

// The greatest stress along x of any cell.
static double greatest_stress(const clv_body *body) {
  const clv_map *map = clv_body_map(body);
  double greatest = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_cell_state state;
    clv_body_cell_state(body, clv_id_dart(map, CLV_CELL, id), &state);
    greatest = fmax(greatest, state.stress[0]);
  }
  return greatest;
}

typedef struct state {
  double mass, linear[3], energy, kinetic;
} state;

static state state_of(clv_body *body) {
  clv_momenta m;
  clv_energies e;
  clv_body_momenta(body, &m);
  assert_int_equal(clv_body_energies(body, &e), CLV_OK);
  return (state){m.mass, {m.linear[0], m.linear[1], m.linear[2]}, e.elastic, e.kinetic};
}

static void assert_kept(const state *a, const state *b) {
  assert_true(fabs(a->mass - b->mass) <= 1e-12 * a->mass);
  for (uint32_t k = 0; k < 3; k++)
    assert_true(fabs(a->linear[k] - b->linear[k]) <= 1e-12 * (fabs(a->linear[0]) + 1e-30));
  assert_true(b->energy <= a->energy * (1 + 1e-12));
  assert_true(fabs(a->kinetic - b->kinetic) <= 1e-12 * a->kinetic);
}

// A bar that is pulled evenly parts along its mask, all at once, as soon as the threshold is reached and not before.
static void a_mask_says_where(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "fem-linear", "stvk", "neo-hookean", "springs"};
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++)
    for (uint32_t m = 0; m < 5; m++) {
      if (m == 3 && is_flat((clv_grid_kind)kind)) continue;
      if (m == 2 && kind != CLV_GRID_TET5 && kind != CLV_GRID_TET6) continue;
      if (m == 3 && kind != CLV_GRID_TET5 && kind != CLV_GRID_TET6) continue;
      clv_body *body = bar((clv_grid_kind)kind, models[m], NULL);
      clv_surgery *surgery = operated_surgery(body);
      stretch(body, 0.1, 0);
      const state before = state_of(body);
      const double stress = greatest_stress(body);
      assert_true(stress > 0);
      clv_tear tear = tear_by(CLV_TEAR_STRESS, 1.001 * stress);
      tear.masked = true;
      tear.mask = slab(2);
      assert_int_equal(torn(surgery, &tear).facets, 0);
      tear.threshold = 0.95 * stress;
      const clv_surgery_report report = torn(surgery, &tear);
      assert_true(report.facets >= 2 && report.vertices >= 3 && !report.removed);
      assert_int_equal(operated_components(body), 2);
      const state after = state_of(body);
      assert_kept(&before, &after);
      operated_check(body);
      assert_int_equal(torn(surgery, &tear).facets, 0); // what is parted parts no more
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// Where one half is stretched more, the worst is there; at most so many a call, and one after the other the same as at
// once.
static void the_worst_goes_first(void **unused) {
  (void)unused;
  clv_body *bodies[2];
  uint32_t facets[2] = {0, 0};
  for (uint32_t way = 0; way < 2; way++) {
    clv_body *body = bodies[way] = bar(CLV_GRID_HEX, "fem-corotational", NULL);
    clv_surgery *surgery = operated_surgery(body);
    stretch(body, 0.1, 0.2);
    clv_tear tear = tear_by(CLV_TEAR_STRESS, 0.9 * greatest_stress(body));
    tear.most = way ? 1 : 0;
    for (;;) {
      const clv_surgery_report report = torn(surgery, &tear);
      if (!report.facets) break;
      if (way) assert_int_equal(report.facets, 1);
      facets[way] += report.facets;
    }
    // The cells beyond x = 2, where they meet each other and the others.
    const double *rest = clv_body_rest(body);
    for (clv_id id = clv_id_next(clv_body_map(body), CLV_VERTEX, (clv_id){0}); id.index;
         id = clv_id_next(clv_body_map(body), CLV_VERTEX, id))
      assert_true(id.index <= 45 || rest[3 * (size_t)id.index] >= 2);
    operated_check(body);
    clv_surgery_destroy(surgery);
  }
  assert_int_equal(facets[0], facets[1]);
  assert_int_equal(facets[0], 8); // at x = 2 and x = 3
  assert_true(operated_components(bodies[0]) == 3 && operated_components(bodies[1]) == 3);
  clv_body_destroy(bodies[0]);
  clv_body_destroy(bodies[1]);
}

static void zones_hold_what_can_tear(void **unused) {
  (void)unused;
  clv_body *body = bar(CLV_GRID_TET5, "fem-corotational", NULL);
  clv_surgery *surgery = operated_surgery(body);
  stretch(body, 0.2, 0);
  clv_tear tear = tear_by(CLV_TEAR_STRESS, 0.5 * greatest_stress(body));
  tear.zone = clv_zone_box((double[]){1, 0, 0}, (double[]){2, 2, 2});
  const clv_surgery_report report = torn(surgery, &tear);
  assert_true(report.facets > 0); // inside the layer of cubes, none on its sides
  assert_int_equal(operated_cells(body), 80);
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
    double centre = 0;
    for (uint32_t c = 0; c < 4; c++)
      centre += rest[3 * (size_t)map->corners[CLV_TET][4 * (size_t)clv_cell_row(map, cell) + c]] / 4;
    const bool inside = centre >= 1 && centre <= 2;
    for (uint32_t f = 0; f < 4; f++) {
      const clv_dart facet = (cell & ~63u) | clv_templates[CLV_TET].facet_first[f];
      if (inside || !clv_is_free(map, facet, 3)) continue;
      clv_walk walk; // a free facet outside of the zone was free before: it lies on the border of the bar
      assert_int_equal(clv_walk_orbit(&walk, map, CLV_CELL_FACET(3), facet), CLV_OK);
      double least[3] = {9, 9, 9}, greatest[3] = {0, 0, 0};
      for (uint32_t k = 0; k < walk.count; k++)
        for (uint32_t a = 0; a < 3; a++) {
          const double x = rest[3 * (size_t)clv_id_of(map, CLV_VERTEX, walk.darts[k]).index + a];
          least[a] = fmin(least[a], x);
          greatest[a] = fmax(greatest[a], x);
        }
      bool border = false;
      for (uint32_t a = 0; a < 3; a++) border |= greatest[a] == 0 || least[a] == (a ? 2 : 4);
      assert_true(border);
      clv_walk_end(&walk);
    }
  }
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// A stretch parts a cell at the facet across it, and never along it: slices come off, no splinters.
static void strain_parts_across(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_HEX, CLV_GRID_QUAD};
  for (uint32_t k = 0; k < 2; k++) {
    clv_body *body = bar(kinds[k], "fem-corotational", NULL);
    clv_surgery *surgery = operated_surgery(body);
    stretch(body, 0.1, 0);
    const state before = state_of(body);
    clv_tear tear = tear_by(CLV_TEAR_STRAIN, 0.1001);
    assert_int_equal(torn(surgery, &tear).facets, 0);
    tear.threshold = 0.0999;
    uint32_t sum = 0, calls = 0;
    for (uint32_t did = 1; did; calls++) sum += did = torn(surgery, &tear).facets;
    assert_int_equal(sum, 3 * (k ? 2 : 4));
    assert_int_equal(operated_components(body), 4);
    assert_true(calls <= 4);
    const state after = state_of(body);
    assert_kept(&before, &after);
    operated_check(body);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// A spring under tension names the facet at one of its ends that lies across it.
static void springs_break(void **unused) {
  (void)unused;
  static const struct {
    clv_grid_kind kind;
    const char *model;
  } cases[] = {
      {CLV_GRID_HEX, "springs"}, {CLV_GRID_QUAD, "cloth"}, {CLV_GRID_TRI, "cloth"}, {CLV_GRID_TET6, "springs"}};
  for (uint32_t k = 0; k < 4; k++) {
    clv_body *body = bar(cases[k].kind, cases[k].model, NULL);
    clv_surgery *surgery = operated_surgery(body);
    clv_tear tear = tear_by(CLV_TEAR_FORCE, 1e-6);
    assert_int_equal(torn(surgery, &tear).facets, 0); // at rest
    stretch(body, 0.1, 0);
    const state before = state_of(body);
    tear.threshold = 1e9;
    assert_int_equal(torn(surgery, &tear).facets, 0);
    tear.threshold = 1e-6;
    tear.most = 3;
    assert_int_equal(torn(surgery, &tear).facets, 3);
    tear.most = 0;
    for (uint32_t calls = 0; torn(surgery, &tear).facets; calls++) assert_true(calls < 30);
    assert_true(operated_components(body) >= 4);
    const state after = state_of(body);
    assert_kept(&before, &after);
    operated_check(body);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Between a cell and its refined neighbour a facet tears as a whole.
static void levels_tear_as_a_whole(void **unused) {
  (void)unused;
  const clv_allocator allocator = clv_default_allocator();
  clv_program *program = clv_program_create(&allocator);
  assert_int_equal(clv_program_use(program, "topology"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  clv_body *body = bar(CLV_GRID_HEX, "fem-corotational", NULL);
  clv_map *map = clv_body_map(body);
  const clv_column_def defs[] = {{.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32, .components = 1},
                                 {.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32, .components = 1},
                                 {.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32, .components = 1}};
  clv_column *column;
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(clv_column_create(map, &defs[k], &column), CLV_OK);
  const clv_rule *rule = clv_program_rule(program, "refine_hex");
  assert_non_null(rule);
  const clv_rule_argument arguments[] = {{.dart = clv_cell_at(map, CLV_HEX, 0)}, {.number = 0}};
  assert_int_equal(clv_map_begin(map), CLV_OK);
  if (clv_rule_apply(rule, map, arguments, 2, NULL, NULL) != CLV_OK) fail_msg("%s", clv_map_error(map));
  assert_int_equal(clv_map_commit(map), CLV_OK);
  clv_surgery *surgery = operated_surgery(body);
  stretch(body, 0.1, 0);
  clv_tear tear = tear_by(CLV_TEAR_STRESS, 0.5 * greatest_stress(body));
  tear.masked = true;
  tear.mask = clv_zone_box((double[]){0.9, 0, 0}, (double[]){1.1, 2, 2});
  tear.most = 1;
  uint32_t calls = 0, facets = 0;
  for (uint32_t did = 1; did; calls += did > 0) {
    facets += did = torn(surgery, &tear).facets;
    assert_true(did == 0 || did == 1 || did == 4);
  }
  assert_int_equal(calls, 4);
  assert_int_equal(facets, 7);
  assert_int_equal(operated_components(body), 2);
  assert_int_equal(clv_map_check(map, operated_problem, NULL), CLV_OK);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_program_destroy(program);
}

// A cell is left alone for a bound on what it bears: no stress across anything, and no stretch, is greater.
static void bounds_hold(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "fem-linear", "stvk", "neo-hookean", "springs"};
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++)
    for (uint32_t m = 0; m < 5; m++) {
      if (m == 3 && is_flat((clv_grid_kind)kind)) continue;
      clv_body *body = bar((clv_grid_kind)kind, models[m], NULL);
      const clv_map *map = clv_body_map(body);
      for (uint32_t how = 0; how < 3; how++) {
        operated_deform(body, (double[]){0.001, 0.05, 0.3}[how]);
        for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
          const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
          clv_cell_state now;
          double least, greatest;
          clv_body_cell_state(body, cell, &now);
          physics_extremes(now.stress, &least, &greatest);
          const double bound = physics_stress_bound(body, cell), stretched = physics_stretch_bound(body, cell);
          assert_true(greatest <= fmax(0, bound) + 1e-7 * (fabs(greatest) + fabs(least)));
          assert_true(now.stretch[1] <= stretched * (1 + 1e-7));
        }
      }
      clv_body_destroy(body);
    }
}

static void wrong_tears_are_refused(void **unused) {
  (void)unused;
  clv_body *body = bar(CLV_GRID_TET6, "fem-corotational", NULL);
  clv_surgery *surgery = operated_surgery(body);
  const struct {
    clv_tear tear;
    const char *says;
  } wrong[] = {
      {{.kind = (clv_tear_kind)7, .threshold = 1}, "kind"},
      {{.threshold = 0}, "threshold"},
      {{.threshold = NAN}, "threshold"},
      {{.threshold = -1}, "threshold"},
      {{.threshold = 1, .zone = {.kind = CLV_ZONE_SPHERE, .radius = -1}}, "radius"},
      {{.threshold = 1, .masked = true, .mask = {.kind = CLV_ZONE_PLANE}}, "normal"},
      {{.kind = CLV_TEAR_FORCE, .threshold = 1}, "no springs"},
  };
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_int_equal(clv_surgery_tear(surgery, &wrong[k].tear, NULL), CLV_ERROR_ARGUMENT);
    if (!strstr(clv_surgery_error(surgery), wrong[k].says)) fail_msg("%s", clv_surgery_error(surgery));
  }
  assert_int_equal(clv_surgery_tear(surgery, NULL, NULL), CLV_ERROR_ARGUMENT);
  for (int k = 0; k < CLV_TEAR_KIND_COUNT; k++)
    assert_int_equal(clv_tear_from_name(clv_tear_name((clv_tear_kind)k)), k);
  assert_int_equal(clv_tear_from_name("patience"), -1);
  assert_null(clv_tear_name(CLV_TEAR_KIND_COUNT));
  // Nothing is left to tear of what is not there.
  operated_remove(surgery, clv_zone_all());
  const clv_tear all = tear_by(CLV_TEAR_STRESS, 1);
  assert_int_equal(torn(surgery, &all).facets, 0);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static clv_result tear_some(clv_surgery *surgery) {
  clv_tear tear = tear_by(CLV_TEAR_STRESS, 1);
  tear.masked = true;
  tear.mask = slab(2);
  tear.zone = clv_zone_box((double[]){1, 0, 0}, (double[]){3, 2, 2});
  return clv_surgery_tear(surgery, &tear, NULL);
}

static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  bool refused = true;
  for (size_t n = 1; refused; n++) {
    counting_memory memory = {0};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_body *body = bar(CLV_GRID_TET5, "fem-corotational", &allocator);
    stretch(body, 0.1, 0);
    const uint64_t hash = clv_map_hash(clv_body_map(body));
    clv_surgery *surgery = operated_surgery(body);
    memory.fail_at = memory.requests + n;
    memory.refused = false;
    clv_result result = tear_some(surgery);
    refused = memory.refused;
    memory.fail_at = 0;
    if (result == CLV_ERROR_MEMORY) {
      assert_true(refused);
      assert_true(clv_map_hash(clv_body_map(body)) == hash);
      result = tear_some(surgery);
    }
    assert_int_equal(result, CLV_OK);
    assert_int_equal(operated_components(body), 2);
    operated_check(body);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
    assert_int_equal(memory.live_bytes, 0);
  }
}

// A check that finds nothing, as most of them do, needs no memory once it is warm.
static void warm_checks_need_no_memory(void **unused) {
  (void)unused;
  counting_memory memory = {0};
  const clv_allocator allocator = counting_allocator(&memory);
  clv_body *body = bar(CLV_GRID_TET5, "springs", &allocator);
  clv_surgery *surgery = operated_surgery(body);
  stretch(body, 0.1, 0.01);
  clv_tear tear = tear_by(CLV_TEAR_STRESS, 1);
  tear.masked = true;
  tear.mask = slab(2);
  tear.most = 5;
  assert_int_equal(torn(surgery, &tear).facets, 5);
  tear.threshold = 1e12;
  assert_int_equal(torn(surgery, &tear).facets, 0); // there are more vertices now
  const size_t before = memory.requests;
  for (int kind = 0; kind < CLV_TEAR_KIND_COUNT; kind++) {
    tear.kind = (clv_tear_kind)kind;
    assert_int_equal(torn(surgery, &tear).facets, 0);
  }
  assert_int_equal(memory.requests, before);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_mask_says_where),
      cmocka_unit_test(the_worst_goes_first),
      cmocka_unit_test(zones_hold_what_can_tear),
      cmocka_unit_test(strain_parts_across),
      cmocka_unit_test(springs_break),
      cmocka_unit_test(levels_tear_as_a_whole),
      cmocka_unit_test(bounds_hold),
      cmocka_unit_test(wrong_tears_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(warm_checks_need_no_memory),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
