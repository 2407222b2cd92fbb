// Laws: every shipped one is made for both dimensions, and gives what formulas written here say.

#include "rule/law.h"
#include "support/counting_allocator.h"
#include "support/random.h"
#include "support/rule_law.h"

#include <math.h>

// Everything that is shipped

static void test_library_is_sound(void **state) {
  clv_program *program = *state;
  uint32_t forces = 0;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const rule_tree *tree = program->declarations.data[k];
    if (tree->kind == RULE_PARAM || tree->kind == RULE_EMBED || tree->kind == RULE_DEF)
      assert_true(law_declaration_check(program, tree));
    if (tree->kind != RULE_FORCE && tree->kind != RULE_DERIVE && tree->kind != RULE_UPDATE) continue;
    forces += tree->kind == RULE_FORCE;
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
      law_list laws = {0};
      const bool fine = law_elaborate(program, tree, dimension, &laws);
      law_test_print_findings(program);
      assert_true(fine);
      for (uint32_t j = 0; j < laws.count; j++) {
        assert_true(laws.data[j]->paths.count > 0);
        assert_int_equal(laws.data[j]->paths.data[0].length, 0);
      }
      law_test_free(program, &laws);
    }
  }
  assert_int_equal(program->findings.count, 0);
  assert_int_equal(forces, 30);
}

static void test_shapes(void **state) {
  static const struct {
    const char *name;
    uint32_t count[2];
  } expected[] = {
      {"linear", {2, 4}},           {"stretch", {1, 1}},           {"neohooke", {0, 4}}, {"diagonals", {0, 1}},
      {"pressure", {2, 2}},         {"corner_mass", {2, 4}},       {"mass", {1, 1}},     {"edge_block", {0, 1}},
      {"mass_tensor_edge", {0, 1}}, {"mass_tensor_vertex", {0, 1}}};
  for (size_t k = 0; k < sizeof expected / sizeof *expected; k++)
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
      law_list laws = law_test_make(*state, expected[k].name, dimension);
      assert_int_equal(laws.count, expected[k].count[dimension - 2]);
      law_test_free(*state, &laws);
    }
}

// Springs

static void test_stretch(void **state) {
  random_source source = {7};
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    law_list laws = law_test_make(*state, "stretch", dimension);
    const law *l = laws.data[0];
    assert_int_equal(l->particles.count, 2);
    assert_int_equal(l->psd, LAW_PSD_CLAMP);
    law_sample sample;
    law_test_fill(&sample, l, &source);
    const double ks = law_test_value(&sample, "ks", 0);
    double length = 0, rest = 0;
    for (uint32_t axis = 0; axis < 3; axis++) {
      length += pow(sample.pos[0][axis] - sample.pos[1][axis], 2);
      rest += pow(sample.rest[0][axis] - sample.rest[1][axis], 2);
    }
    const double expected = 0.5 * ks * pow(sqrt(length) - sqrt(rest), 2);
    law_test_near(law_test_energy(&sample), expected, 1e-13);
    law_test_free(*state, &laws);
  }
}

// A force law's dissipation: c = 2 sqrt(m k) makes the force 2 sqrt(m k) times the rate.
static void test_viscosity(void **state) {
  random_source source = {8};
  law_list laws = law_test_make(*state, "spring_viscosity", 3);
  law_sample sample;
  law_test_fill(&sample, laws.data[0], &source);
  double along[3], length = 0, rate = 0;
  for (uint32_t axis = 0; axis < 3; axis++) {
    along[axis] = sample.pos[0][axis] - sample.pos[1][axis];
    length += along[axis] * along[axis];
  }
  length = sqrt(length);
  for (uint32_t axis = 0; axis < 3; axis++) rate += along[axis] / length * (sample.vel[0][axis] - sample.vel[1][axis]);
  // Values of columns do not depend on the place in these samples, so both ends have one mass.
  const double mass = law_test_value(&sample, "mass", 0), kv = law_test_value(&sample, "kv", 0);
  double forces[LAW_PARTICLES][3];
  law_test_forces(&sample, forces);
  for (uint32_t axis = 0; axis < 3; axis++)
    law_test_near(forces[0][axis], -2 * sqrt(mass * kv) * rate * along[axis] / length, 1e-12);
  law_test_free(*state, &laws);
}

// The vertices of a hinge: its edge, the next ones of one face, those of the other; of two triangles and of two
// squares.
static const char *const hinge_words[6] = {"", "0", "10", "010", "210", "0210"};
static const double hinge_triangles[6][3] = {{0, 0, 0},   {1, 0, 0},    {0.5, 1, 0},
                                             {0.5, 1, 0}, {0.5, -1, 0}, {0.5, -1, 0}};
static const double hinge_quads[6][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 1, 0}, {0, -1, 0}, {1, -1, 0}};

// Two triangles over the edge from (0,0,0) to (1,0,0); the far one is lifted, and is as wide as said.
static void fill_hinge(law_sample *sample, const law *l, double height, double wide) {
  *sample = (law_sample){.law = l, .constant = 2};
  for (uint32_t k = 0; k < 6; k++) {
    const int p = law_test_particle(l, hinge_words[k]);
    assert_true(p >= 0);
    memcpy(sample->rest[p], hinge_triangles[k], sizeof hinge_triangles[k]);
    memcpy(sample->pos[p], hinge_triangles[k], sizeof hinge_triangles[k]);
    if (k >= 4) {
      sample->pos[p][1] = -wide * sqrt(1 - height * height);
      sample->pos[p][2] = wide * height;
    }
  }
}

static double angle_of(const law_list *laws, double height, double wide) {
  law_sample sample;
  fill_hinge(&sample, laws->data[0], height, wide);
  return sqrt(law_test_energy(&sample)); // of k = 2: the angle itself
}

// Forces grow while a face gets narrower, and fall again from a fifth of its width on.
static void check_narrow(const law_list *laws) {
  law_test_near(angle_of(laws, 0.5, 0.21), asin(0.5), 1e-12);
  double most = 0;
  for (int k = 0; k < 60; k++) { // down to a billionth
    law_sample sample;
    double forces[LAW_PARTICLES][3];
    fill_hinge(&sample, laws->data[0], 0.9, pow(0.7, k));
    law_test_forces(&sample, forces);
    for (uint32_t p = 0; p < sample.law->particles.count; p++)
      for (uint32_t axis = 0; axis < 3; axis++) most = fmax(most, fabs(forces[p][axis]));
  }
  assert_true(most > 5 && most < 50);
}

static void test_hinge(void **state) {
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    law_list laws = law_test_make(*state, "hinge", dimension);
    assert_int_equal(laws.data[0]->guards.count, 2);
    assert_int_equal(laws.data[0]->guards.data[0].test, LAW_NOT_FREE);
    assert_int_equal(laws.data[0]->guards.data[1].test, LAW_CONDITION);
    law_test_near(angle_of(&laws, 0, 1), 0, 1e-12);
    law_test_near(angle_of(&laws, 1, 1), acos(0), 1e-12);
    law_test_near(angle_of(&laws, 0.5, 1), asin(0.5), 1e-12);
    check_narrow(&laws);
    law_test_free(*state, &laws);
  }
}

// The 2017 formula turns the wings in the direction in which the hinge's energy falls.
static void test_angular_agrees_with_hinge(void **state) {
  random_source source = {9};
  law_list angular = law_test_make(*state, "angular", 2), hinge = law_test_make(*state, "hinge", 2);
  for (uint32_t trial = 0; trial < 20; trial++) {
    law_sample one, two;
    law_test_fill(&one, angular.data[0], &source);
    for (uint32_t p = 0; p < 6; p++) {
      const int at = law_test_particle(one.law, hinge_words[p]);
      assert_true(at >= 0);
      for (uint32_t axis = 0; axis < 3; axis++) {
        one.rest[at][axis] = hinge_quads[p][axis] + 0.2 * random_between(&source, -0.5, 0.5);
        one.pos[at][axis] = hinge_quads[p][axis] + 0.4 * random_between(&source, -0.5, 0.5);
      }
    }
    two = one;
    two.law = hinge.data[0];
    for (uint32_t p = 0; p < 6; p++) {
      const int q = law_test_same_particle(one.law, p, two.law);
      assert_true(q >= 0);
      memcpy(two.pos[q], one.pos[p], sizeof one.pos[p]);
      memcpy(two.rest[q], one.rest[p], sizeof one.rest[p]);
    }
    double f[LAW_PARTICLES][3], g[LAW_PARTICLES][3], along = 0;
    law_test_forces(&one, f);
    law_test_forces(&two, g);
    for (uint32_t p = 0; p < 6; p++) {
      const int q = law_test_same_particle(one.law, p, two.law);
      const uint32_t length = one.law->paths.data[one.law->particles.data[p]].length;
      for (uint32_t axis = 0; axis < 3 && length > 1; axis++) along += f[p][axis] * g[q][axis];
    }
    assert_true(along > 0);
  }
  law_test_free(*state, &angular);
  law_test_free(*state, &hinge);
}

// Derived quantities and updates

static void test_vertex_sum(void **state) {
  law_list laws = law_test_make(*state, "mass", 3);
  const law *l = laws.data[0];
  assert_int_equal(l->sums.count, 1);
  assert_int_equal(l->sums.data[0].orbit, CLV_ORBIT(0, 1, 1, 0));
  assert_int_equal(l->sums.data[0].width, 1);
  assert_int_equal(l->reads.count, 1);
  assert_true(l->reads.data[0].in_sum);
  assert_int_equal(l->graph.nodes.data[l->assigns.data[0].value].op, DAG_SUM_INPUT);
  law_test_free(*state, &laws);
}

// A later line of an update sees what an earlier one assigned.
static void test_update(void **state) {
  law_list laws = law_test_make(*state, "step", 3);
  const law *l = laws.data[0];
  random_source source = {18};
  law_sample sample;
  law_test_fill(&sample, l, &source);
  const double dt = sample.params[law_test_param(*state, "dt")], mass = law_test_value(&sample, "mass", 0);
  assert_int_equal(l->assigns.count, 9);
  for (uint32_t k = 0; k < 9; k++) {
    const law_assign *assign = &l->assigns.data[k];
    const uint32_t axis = assign->component;
    const double vel = law_test_value(&sample, "vel", axis) + dt * law_test_value(&sample, "load", axis) / mass;
    const double pos = law_test_value(&sample, "pos", axis) + dt * vel;
    const char *name = assign->column->name;
    law_test_near(law_test_root(&sample, assign->value),
                  strcmp(name, "vel") == 0   ? vel
                  : strcmp(name, "pos") == 0 ? pos
                                             : 0,
                  1e-14);
  }
  law_test_free(*state, &laws);
}

static void test_parameters(void **state) {
  clv_program *program = *state;
  double values[64];
  assert_true(law_param_count(program) <= 64);
  assert_true(law_param_defaults(program, values));
  const double *g = values + law_test_param(program, "g");
  assert_true(g[0] == 0 && g[1] == 0 && g[2] == -9.81);
  values[law_test_param(program, "rho0")] = 1234;
  double rho;
  assert_true(law_initial(program, rule_declaration(program, "rho"), values, &rho));
  assert_true(rho == 1234);
}

// Memory that runs out anywhere is noticed, and nothing is lost.

static const char small[] = "embed pos:vec3[m] on vertex; embed rest:vec3[m] on vertex; embed k:real[N/m] on edge;\n"
                            "embed mu:real[Pa] on cell; param c:real = 2;\n"
                            "update u on e:edge { let twice = 2*e.k; where e.k > 0; e.k = twice; }\n"
                            "derive m:vec3[m] on c:corner in t:tet = mean(d:<1,2> in t) d.pos;\n"
                            "derive kk:real on e:edge = sum(f:edge&cell in e) c*e.k;\n"
                            "force s on e:edge { let l = norm(e.pos-e@0.pos); energy 0.5*e.kk*(l-rest(l))^2; }\n"
                            "force v on t:hex { let V = over q in t det(grad(t.pos,q)); energy t.mu*V^2/rest(V); }\n"
                            "force f on t:cell { over q in t { energy t.mu*tr(grad(t.pos,q)'*grad(t.pos,q)); } }\n";

static void test_memory(void **state) {
  (void)state;
  // Every request near the start, then some of the thousands that follow.
  for (size_t fail_at = 1;; fail_at += 1 + fail_at / 64) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_program *program = clv_program_create(&allocator);
    clv_result result = program ? clv_program_add(program, "small", small, sizeof small - 1) : CLV_ERROR_MEMORY;
    if (result == CLV_OK) result = clv_program_check(program);
    if (!memory.refused) law_test_print_findings(program);
    assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_OK);
    clv_program_destroy(program);
    assert_int_equal(memory.live_bytes, 0);
    if (!memory.refused) break;
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_library_is_sound),
      cmocka_unit_test(test_shapes),
      cmocka_unit_test(test_stretch),
      cmocka_unit_test(test_viscosity),
      cmocka_unit_test(test_hinge),
      cmocka_unit_test(test_angular_agrees_with_hinge),
      cmocka_unit_test(test_vertex_sum),
      cmocka_unit_test(test_update),
      cmocka_unit_test(test_parameters),
      cmocka_unit_test(test_memory),
  };
  return cmocka_run_group_tests(tests, law_test_load_library, law_test_unload_library);
}
