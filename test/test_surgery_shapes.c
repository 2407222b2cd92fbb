// Cutting by rules with boxes, balls, triangles and blades that sweep: the facets that the operation cuts, every one of
// them and no other.

#include "support/ruled.h"

enum { MOST_SHAPES = 8 };

// One cut, by hand and by rule.
typedef struct shape {
  const char *solid, *flat; // rules
  clv_cut cut;
  param params[MOST_PARAMS];
} shape;

// Shapes

static shape box_of(const double least[3], const double greatest[3]) {
  shape s = {.solid = "cut_in_box",
             .flat = "cut_edge_in_box",
             .cut = {.kind = CLV_CUT_ZONE, .zone = clv_zone_box(least, greatest)},
             .params = {{"box_least", {0}, 3}, {"box_greatest", {0}, 3}}};
  memcpy(s.params[0].values, least, sizeof s.params[0].values);
  memcpy(s.params[1].values, greatest, sizeof s.params[1].values);
  return s;
}

static shape ball_of(const double centre[3], double radius) {
  shape s = {.solid = "cut_in_ball",
             .flat = "cut_edge_in_ball",
             .cut = {.kind = CLV_CUT_ZONE, .zone = clv_zone_sphere(centre, radius)},
             .params = {{"ball_centre", {0}, 3}, {"ball_radius", {radius}, 1}}};
  memcpy(s.params[0].values, centre, sizeof s.params[0].values);
  return s;
}

static shape sweep_of(const double before[2][3], const double after[2][3]) {
  shape s = {.solid = "cut_swept",
             .flat = "cut_edge_swept",
             .cut = {.kind = CLV_CUT_BLADE},
             .params = {{"blade_before_a", {0}, 3},
                        {"blade_before_b", {0}, 3},
                        {"blade_after_a", {0}, 3},
                        {"blade_after_b", {0}, 3}}};
  for (uint32_t e = 0; e < 2; e++) {
    memcpy(s.cut.blade.before[e], before[e], sizeof s.cut.blade.before[e]);
    memcpy(s.cut.blade.after[e], after[e], sizeof s.cut.blade.after[e]);
    memcpy(s.params[e].values, before[e], sizeof s.params[e].values);
    memcpy(s.params[2 + e].values, after[e], sizeof s.params[e].values);
  }
  return s;
}

static clv_mesh surface_of(const double (*triangles)[3][3], uint32_t count) {
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (uint32_t t = 0; t < count; t++) {
    for (uint32_t c = 0; c < 3; c++)
      assert_int_equal(clv_mesh_add_point(&mesh, triangles[t][c][0], triangles[t][c][1], triangles[t][c][2]), CLV_OK);
    assert_int_equal(clv_mesh_add_element(&mesh, CLV_TRI, (uint32_t[]){3 * t, 3 * t + 1, 3 * t + 2}, 3, 0), CLV_OK);
  }
  return mesh;
}

static shape triangle_of(const double corners[3][3], const clv_mesh *surface) {
  shape s = {.solid = "cut_by_triangle",
             .flat = "cut_edge_by_triangle",
             .cut = {.kind = CLV_CUT_SURFACE, .surface = surface},
             .params = {{"triangle_a", {0}, 3}, {"triangle_b", {0}, 3}, {"triangle_c", {0}, 3}}};
  for (uint32_t c = 0; c < 3; c++) memcpy(s.params[c].values, corners[c], sizeof s.params[c].values);
  return s;
}

// Through a body of 4 x 2 x 2 cubes, or of 4 x 2 squares: some of them along its facets, some through the middles of
// its cells, some beside both.
static const double tent[4][3][3] = {{{1.5, -1, -2}, {2.5, 1, -2}, {2.5, 1, 3}},
                                     {{1.5, -1, -2}, {2.5, 1, 3}, {1.5, -1, 3}},
                                     {{2.5, 1, -2}, {1.3, 3, -2}, {1.3, 3, 3}},
                                     {{2.5, 1, -2}, {1.3, 3, 3}, {2.5, 1, 3}}};

static uint32_t list_shapes(shape *list, const clv_mesh *one) {
  uint32_t count = 0;
  list[count++] = box_of((double[]){1, -0.1, -0.1}, (double[]){2, 1, 2});
  list[count++] = box_of((double[]){1.9, -1, -1}, (double[]){2.1, 3, 3});
  list[count++] = ball_of((double[]){2, 1, 0}, 1.1);
  list[count++] = ball_of((double[]){2, 1, 0}, 2); // some vertices on it
  list[count++] = sweep_of((const double[][3]){{2, -1, 3}, {2, 3, 3}}, (const double[][3]){{2, -1, -3}, {2, 3, -3}});
  list[count++] =
      sweep_of((const double[][3]){{2.5, -1, 3}, {2.4, 3, 3}}, (const double[][3]){{2.5, -1, -3}, {1.7, 1.2, -2}});
  list[count++] = triangle_of(tent[0], one);
  assert_true(count <= MOST_SHAPES);
  return count;
}

// Comparing

static clv_surgery_report cut_pair(pair *p, const shape *s, const clv_program *program) {
  const bool flat = clv_body_map(p->body[0])->dimension == 2;
  const char *rule = flat ? s->flat : s->solid;
  const clv_surgery_report by_hand = operated_cut(p->surgery[0], &s->cut);
  const clv_surgery_report by_rule = applied(p->surgery[1], program, rule, 0, clv_zone_all());
  if (by_rule.facets != by_hand.facets)
    fail_msg("%s parts %u facets, the operation %u", rule, by_rule.facets, by_hand.facets);
  assert_int_equal(by_rule.vertices, by_hand.vertices);
  assert_int_equal(by_rule.removed + by_rule.split + by_rule.refined + by_rule.coarsened, 0);
  assert_same_facets(p, rule);
  // A second time there is nothing left.
  assert_int_equal(applied(p->surgery[1], program, rule, 0, clv_zone_all()).applied, 0);
  return by_hand;
}

static pair plain_pair(clv_grid_kind kind) {
  return pair_with(grid_body(kind, 4, 2, 2), grid_body(kind, 4, 2, 2));
}

static const clv_grid_kind every_kind[] = {CLV_GRID_TET5,  CLV_GRID_TET6,    CLV_GRID_HEX,
                                           CLV_GRID_PRISM, CLV_GRID_PYRAMID, CLV_GRID_MIXED,
                                           CLV_GRID_TRI,   CLV_GRID_QUAD,    CLV_GRID_MIXED2};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

static void rules_cut_the_same_facets(void **unused) {
  (void)unused;
  shape shapes[MOST_SHAPES];
  clv_mesh one = surface_of(tent, 1);
  const uint32_t count = list_shapes(shapes, &one);
  for (uint32_t s = 0; s < count; s++) {
    clv_program *program = program_with(shapes[s].params, MOST_PARAMS);
    uint32_t cut = 0;
    for (uint32_t k = 0; k < 2 * KINDS; k++) {
      pair p = plain_pair(every_kind[k / 2]);
      for (uint32_t b = 0; b < 2 && k % 2; b++) operated_deform(p.body[b], 0.08);
      cut += cut_pair(&p, &shapes[s], program).facets > 0;
      pair_free(&p);
    }
    if (cut < KINDS) fail_msg("%s cuts %u bodies only", shapes[s].solid, cut);
    clv_program_destroy(program);
  }
  clv_mesh_free(&one);
}

// Among cells of three levels facets part whole.
static void rules_cut_refined_bodies(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_HEX, CLV_GRID_TRI, CLV_GRID_QUAD};
  const clv_zone half = clv_zone_box((double[]){-1, -1, -1}, (double[]){2.1, 3, 3});
  const clv_zone part = clv_zone_box((double[]){0.9, -1, -1}, (double[]){2.1, 1.1, 3});
  shape shapes[MOST_SHAPES];
  clv_mesh one = surface_of(tent, 1);
  const uint32_t count = list_shapes(shapes, &one);
  for (uint32_t s = 0; s < count; s++) {
    clv_program *program = program_with(shapes[s].params, MOST_PARAMS);
    for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
      pair p = plain_pair(kinds[k]);
      for (uint32_t b = 0; b < 2; b++) {
        assert_int_equal(clv_surgery_refine(p.surgery[b], &half, 1, NULL), CLV_OK);
        assert_int_equal(clv_surgery_refine(p.surgery[b], &part, 2, NULL), CLV_OK);
      }
      cut_pair(&p, &shapes[s], program);
      pair_free(&p);
    }
    clv_program_destroy(program);
  }
  clv_mesh_free(&one);
}

// A surface that no line between two centres crosses twice is cut triangle by triangle.
static void triangles_add_up_to_a_surface(void **unused) {
  (void)unused;
  clv_mesh surface = surface_of(tent, 4);
  const clv_cut cut = {.kind = CLV_CUT_SURFACE, .surface = &surface};
  for (uint32_t k = 0; k < KINDS; k++) {
    pair p = plain_pair(every_kind[k]);
    const bool flat = is_flat(every_kind[k]);
    const uint32_t by_hand = operated_cut(p.surgery[0], &cut).facets;
    uint32_t by_rule = 0, triangles = 0;
    for (uint32_t t = 0; t < 4; t++) {
      const shape s = triangle_of(tent[t], NULL);
      clv_program *program = program_with(s.params, MOST_PARAMS);
      const uint32_t facets = applied(p.surgery[1], program, flat ? s.flat : s.solid, 0, clv_zone_all()).facets;
      by_rule += facets;
      triangles += facets > 0;
      clv_program_destroy(program);
    }
    assert_int_equal(by_rule, by_hand);
    assert_true(triangles >= 2);
    assert_same_facets(&p, "a surface");
    pair_free(&p);
  }
  clv_mesh_free(&surface);
}

// While bodies move

static void assert_same_motion(const pair *p, const char *what) {
  const clv_map *one = clv_body_map(p->body[0]), *other = clv_body_map(p->body[1]);
  const double *x[2] = {clv_body_positions(p->body[0]), clv_body_positions(p->body[1])};
  const double *m[2] = {clv_body_masses(p->body[0]), clv_body_masses(p->body[1])};
  for (clv_dart dart = clv_dart_next(one, 0); dart; dart = clv_dart_next(one, dart)) {
    const uint32_t here = clv_id_of(one, CLV_VERTEX, dart).index, there = clv_id_of(other, CLV_VERTEX, dart).index;
    if (fabs(m[0][here] - m[1][there]) > 1e-12 * m[0][here]) fail_msg("%s: masses differ", what);
    for (uint32_t k = 0; k < 3; k++) {
      const double a = x[0][3 * (size_t)here + k], b = x[1][3 * (size_t)there + k];
      if (!(fabs(a - b) < 1e-7)) fail_msg("%s: a vertex is at %.17g and at %.17g", what, a, b);
    }
  }
}

static void move_pair(pair *p, double time, double dt) {
  for (uint32_t k = 0; k < 8; k++)
    for (uint32_t b = 0; b < 2; b++) beam_step(p->solver[b], time + dt * k, dt);
}

// A stroke, some steps, the next stroke, a box; springs and finite elements, explicit and implicit.
static void moving_bodies_are_cut_alike(void **unused) {
  (void)unused;
  static const char *const models[] = {"springs", "fem-corotational", "fem-linear"};
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_IMPLICIT_EULER};
  const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_HEX, CLV_GRID_TRI, CLV_GRID_QUAD};
  shape shapes[3];
  shapes[0] = sweep_of((const double[][3]){{2, -1, 3}, {2.1, 3, 3}}, (const double[][3]){{2, -1, 1}, {2.1, 3, 0.9}});
  shapes[1] = sweep_of((const double[][3]){{2, -1, 1}, {2.1, 3, 0.9}}, (const double[][3]){{2, -1, -2}, {2.1, 3, -2}});
  shapes[2] = box_of((double[]){0.9, -1, -1}, (double[]){1.1, 3, 3});
  clv_program *programs[3];
  for (uint32_t s = 0; s < 3; s++) programs[s] = program_with(shapes[s].params, MOST_PARAMS);
  for (uint32_t m = 0; m < sizeof models / sizeof *models; m++)
    for (uint32_t way = 0; way < 2; way++)
      for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++) {
        pair p = {.body = {model_body(kinds[k], models[m]), model_body(kinds[k], models[m])}};
        double dt = 0.01;
        uint32_t facets = 0;
        for (uint32_t b = 0; b < 2; b++) {
          const clv_solver_def def = beam_method(methods[way]);
          p.surgery[b] = operated_surgery(p.body[b]);
          p.solver[b] = beam_solver(p.body[b], &def);
          beam_strike(p.body[b], 0.05);
        }
        if (way == 0) dt = 1e-4;
        for (uint32_t s = 0; s < 3; s++) {
          facets += cut_pair(&p, &shapes[s], programs[s]).facets;
          assert_same_motion(&p, "cut");
          move_pair(&p, 8 * s * dt, dt);
          assert_same_motion(&p, models[m]);
        }
        assert_true(facets > 0);
        pair_free(&p);
      }
  for (uint32_t s = 0; s < 3; s++) clv_program_destroy(programs[s]);
}

// Refused memory

static struct {
  const char *rule;
  clv_program *program;
} asked;

static clv_result cut_as_asked(clv_surgery *surgery) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(asked.program, asked.rule);
  return clv_surgery_apply(surgery, &apply, NULL);
}

static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  shape shapes[MOST_SHAPES];
  clv_mesh one = surface_of(tent, 1);
  const uint32_t count = list_shapes(shapes, &one);
  for (uint32_t s = 0; s < count; s++) {
    asked.rule = shapes[s].solid;
    asked.program = program_with(shapes[s].params, MOST_PARAMS);
    for (size_t n = 1; stands_refusal(cut_as_asked, n); n += 1 + n / 8) continue;
    clv_program_destroy(asked.program);
  }
  clv_mesh_free(&one);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_cut_the_same_facets),     cmocka_unit_test(rules_cut_refined_bodies),
      cmocka_unit_test(triangles_add_up_to_a_surface), cmocka_unit_test(moving_bodies_are_cut_alike),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
