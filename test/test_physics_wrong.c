// Bodies that cannot be: each refusal says what, where and what to do. Memory that runs out. Threads. Rules of one's
// own.

#include "support/bodies.h"
#include "support/counting_allocator.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static void expect(const body_setup *setup, const char *words) {
  clv_error error;
  clv_body *body = body_refused(setup, &error);
  assert_null(body);
  assert_true(error.code != CLV_OK);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
}

static void wrong_materials(void **state) {
  (void)state;
  const struct {
    size_t field;
    double value;
    const char *words;
  } cases[] = {{offsetof(clv_material, young), 0, "Young's modulus is 0"},
               {offsetof(clv_material, young), NAN, "Young's modulus is nan"},
               {offsetof(clv_material, young), INFINITY, "Young's modulus is inf"},
               {offsetof(clv_material, poisson), 0.5, "Poisson's ratio is 0.5, and must be between -1 and 0.5"},
               {offsetof(clv_material, poisson), -1, "Poisson's ratio is -1"},
               {offsetof(clv_material, poisson), NAN, "Poisson's ratio"},
               {offsetof(clv_material, density), -3, "the density is -3, and must be above 0"},
               {offsetof(clv_material, density), NAN, "the density"},
               {offsetof(clv_material, bending), NAN, "the bending stiffness"},
               {offsetof(clv_material, viscosity), -1, "viscosity of springs is -1"},
               {offsetof(clv_material, psi), -1, "damping psi"}};
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    body_setup setup = setup_of(CLV_GRID_HEX, "springs");
    memcpy((char *)&setup.section.material + cases[k].field, &cases[k].value, sizeof cases[k].value);
    expect(&setup, cases[k].words);
  }
  body_setup surface = setup_of(CLV_GRID_TRI, "cloth");
  surface.section.material.poisson = 0.7;
  clv_body_destroy(body_of(&surface)); // fine on a surface
  surface.section.material.thickness = 0;
  expect(&surface, "the thickness is 0");
}

static void wrong_sections(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_HEX, "fem-corotatinal");
  expect(&setup, "unknown model 'fem-corotatinal', did you mean 'fem-corotational'?");
  setup = setup_of(CLV_GRID_HEX, NULL);
  expect(&setup, "names no model");
  setup = setup_of(CLV_GRID_HEX, "rules");
  expect(&setup, "needs a program");
  setup = setup_of(CLV_GRID_HEX, "mass-tensor");
  expect(&setup,
         "the model 'mass-tensor' does not serve a hex, which element 0 (counted from 0) is: it is for tetrahedra");
  setup = setup_of(CLV_GRID_TRI, "neo-hookean");
  expect(&setup, "'neo-hookean' does not serve a tri");
  setup = setup_of(CLV_GRID_TET5, "cloth");
  expect(&setup, "'cloth' does not serve a tet");
  setup = setup_of(CLV_GRID_HEX, "springs");
  const double low[3] = {0, 0, 0}, high[3] = {0.6, 1.2, 0.9};
  setup.section.zone = clv_zone_box(low, high);
  expect(&setup, "no section for element 1 (counted from 0), a hex");
  setup.section.zone = clv_zone_sphere(low, -1);
  expect(&setup, "radius");
  setup = setup_of(CLV_GRID_HEX, "springs");
  setup.def.sections = &setup.section;
  setup.def.section_count = 0;
  expect(&setup, "at least one section");
  setup = setup_of(CLV_GRID_HEX, "springs");
  setup.def.plane = true;
  expect(&setup, "only a surface");
  setup = setup_of(CLV_GRID_HEX, "springs");
  setup.def.drag = -1;
  expect(&setup, "drag");
  setup = setup_of(CLV_GRID_HEX, "springs");
  setup.def.gravity[1] = NAN;
  expect(&setup, "gravity");
  setup = setup_of(CLV_GRID_HEX, "springs");
  setup.def.rayleigh_stiffness = NAN;
  expect(&setup, "Rayleigh");
  clv_error error = {0};
  assert_null(clv_body_create(NULL, NULL, &error));
  clv_body_def none = clv_default_body_def();
  assert_null(clv_body_create(&none, NULL, &error));
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
}

static void wrong_meshes(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "springs");
  clv_body_def def = setup.def;
  clv_error error = {0};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  def.mesh = &mesh;
  def.sections = &setup.section;
  def.section_count = 1;
  assert_null(clv_body_create(&def, NULL, &error));
  assert_non_null(strstr(error.message, "no surface and no volume"));
  for (uint32_t k = 0; k < 5; k++) clv_mesh_add_point(&mesh, cos(1.2566 * k), sin(1.2566 * k), 0);
  clv_mesh_add_element(&mesh, CLV_POLYGON, (const uint32_t[5]){0, 1, 2, 3, 4}, 5, 0);
  assert_null(clv_body_create(&def, NULL, &error));
  assert_non_null(strstr(error.message, "is a polygon, which no model serves"));
  clv_mesh_free(&mesh);
}

// A plane surface keeps its plane, and nothing lets it out.
static void planes_stay_plane(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_MIXED2, "stvk");
  setup.def.plane = true;
  clv_body *body = body_of(&setup);
  const clv_zone all = clv_zone_all();
  assert_int_equal(clv_body_fix(body, &all, CLV_X, NULL), CLV_OK);
  assert_int_equal(clv_body_release(body, &all, CLV_XYZ, NULL), CLV_OK);
  for (uint32_t s = 1; s < clv_body_slots(body); s++) assert_int_equal(clv_body_held(body)[s], CLV_Z);
  clv_body_destroy(body);
}

// Whatever request for memory fails, nothing is left behind, and the sentence says so.
static void memory_runs_out(void **state) {
  (void)state;
  static const char *const models[] = {"springs", "fem-corotational"};
  for (uint32_t m = 0; m < 2; m++)
    for (size_t fail_at = 1;; fail_at += fail_at < 400 ? 1 : 1 + fail_at / 7) {
      counting_memory memory = {.fail_at = fail_at};
      body_setup setup = setup_of(CLV_GRID_TET5, models[m]);
      memcpy(setup.grid.cells, (const uint32_t[3]){1, 1, 1}, sizeof setup.grid.cells);
      const double at[3] = {0, 0, 0}, along[3] = {1, 0, 0};
      const clv_section sections[2] = {{clv_zone_all(), "stvk", setup.section.material},
                                       {clv_zone_plane(at, along), models[m], setup.section.material}};
      setup.def.sections = sections;
      setup.def.section_count = 2;
      setup.def.allocator = counting_allocator(&memory);
      clv_error error;
      clv_body *body = body_refused(&setup, &error);
      if (!body) {
        assert_true(memory.refused);
        assert_int_equal(error.code, CLV_ERROR_MEMORY);
      }
      const clv_zone zone = clv_zone_all();
      const clv_key path[] = {{0, {1, 0, 0}}};
      if (body) {
        const clv_result results[] = {clv_body_move(body, &zone, CLV_X, path, 1, NULL),
                                      clv_body_pull(body, &zone, path, 1, NULL)};
        for (uint32_t k = 0; k < 2; k++) assert_true(results[k] == CLV_OK || results[k] == CLV_ERROR_MEMORY);
      }
      clv_body_destroy(body);
      assert_int_equal(memory.live_bytes, 0);
      if (!memory.refused) break;
    }
}

static void threads_give_the_same_bits(void **state) {
  (void)state;
  double *forces[3] = {NULL};
  size_t count = 0;
  for (uint32_t t = 0; t < 3; t++) {
    body_setup setup = setup_of(CLV_GRID_MIXED, "fem-corotational");
    for (uint32_t k = 0; k < 3; k++) setup.grid.cells[k] = 12;
    setup.def.threads = 1u << t;
    setup.def.rayleigh_stiffness = 0.01;
    clv_body *body = body_of(&setup);
    body_shake(body, 0.002, 9);
    count = 3 * (size_t)clv_body_slots(body);
    for (size_t k = 3; k < count; k++) clv_body_velocities(body)[k] = sin(0.1 * (double)k);
    forces[t] = body_forces(body);
    clv_body_destroy(body);
  }
  for (uint32_t t = 1; t < 3; t++) assert_memory_equal(forces[0], forces[t], count * sizeof **forces);
  for (uint32_t t = 0; t < 3; t++) free(forces[t]);
}

static clv_program *program_of(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_int_equal(clv_program_add(program, "own.rule", text, strlen(text)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  return program;
}

// A user's law alone, and mixed with a shipped model.
static void own_rules(void **state) {
  (void)state;
  clv_program *program = program_of("use fem;\n"
                                    "force own on t:tet|pyramid|prism|hex {\n"
                                    "  over q in t { energy iso(green(grad(t.pos,q)), t.mu, t.lam); }\n"
                                    "}\n");
  clv_program *bare = program_of("embed pos:vec3[m] on vertex blend merge mean split copy;\n"
                                 "embed vel:vec3[m/s] on vertex blend merge mean split copy;\n"
                                 "embed rest:vec3[m] on vertex blend merge mean split copy;\n"
                                 "param k:real[N/m] = 1;\n"
                                 "force net on e:edge { let l = norm(e.pos-e@0.pos); energy k*(l-rest(l))^2; }\n");
  body_setup setup = setup_of(CLV_GRID_HEX, "rules"), stvk = setup_of(CLV_GRID_HEX, "stvk");
  setup.def.program = program;
  clv_body *own = body_of(&setup), *shipped = body_of(&stvk);
  body_shake(own, 0.02, 4);
  body_shake(shipped, 0.02, 4);
  double *a = body_forces(own), *b = body_forces(shipped);
  const size_t count = 3 * (size_t)clv_body_slots(own);
  for (size_t k = 0; k < count; k++) assert_true(fabs(a[k] - b[k]) < 1e-10 * largest(b, count));
  free(a), free(b);
  clv_body_destroy(own);
  clv_body_destroy(shipped);
  setup.def.program = bare;
  expect(&setup, "'mass'");
  setup.section.model = "springs";
  setup.def.program = program;
  expect(&setup, "the model 'springs' needs the law 'stretch': let the program say 'use springs;'");
  clv_program_destroy(program);
  clv_program_destroy(bare);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_materials), cmocka_unit_test(wrong_sections),
      cmocka_unit_test(wrong_meshes),    cmocka_unit_test(planes_stay_plane),
      cmocka_unit_test(memory_runs_out), cmocka_unit_test(threads_give_the_same_bits),
      cmocka_unit_test(own_rules),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
