// Bodies: masses, models, rigid motion, constant strain, constraints and measures.

#include "support/bodies.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static const char *const models[] = {
    "springs", "springs-hybrid", "fem-linear", "fem-corotational", "fem-corotational-qr", "mass-tensor",
    "stvk",    "neo-hookean",    "cloth"};
enum { MODELS = sizeof models / sizeof *models };

static bool serves(const char *model, clv_grid_kind kind) {
  if (!strcmp(model, "mass-tensor")) return kind == CLV_GRID_TET5 || kind == CLV_GRID_TET6;
  if (!strcmp(model, "neo-hookean")) return !grid_is_surface(kind);
  if (!strcmp(model, "cloth")) return grid_is_surface(kind);
  return true;
}

static void masses_are_those_of_the_material(void **state) {
  (void)state;
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    body_setup setup = setup_of((clv_grid_kind)kind, "fem-linear");
    setup.section.material.density = 700;
    clv_body *body = body_of(&setup);
    clv_momenta momenta;
    clv_body_momenta(body, &momenta);
    const double volume = 1 * 1.2 * (grid_is_surface((clv_grid_kind)kind) ? 0.02 : 0.9);
    assert_true(fabs(momenta.mass - 700 * volume) < 1e-12 * 700 * volume);
    clv_body_destroy(body);
  }
  body_setup setup = setup_of(CLV_GRID_HEX, "springs");
  memcpy(setup.grid.cells, (const uint32_t[3]){1, 1, 1}, sizeof setup.grid.cells);
  clv_body *body = body_of(&setup);
  const double *mass = clv_body_masses(body);
  for (uint32_t s = 1; s < clv_body_slots(body); s++) assert_true(fabs(mass[s] - 1000 * 1.08 / 8) < 1e-10);
  clv_body_destroy(body);
}

// Every model on every grid it serves: no force at rest, none after a translation, none after a rotation where the law
// promises it; forces of a shaken body add up to nothing.
static void rigid_motion_gives_no_force(void **state) {
  (void)state;
  const double shift[3] = {0.3, -0.2, 0.7}, one[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
  for (uint32_t m = 0; m < MODELS; m++)
    for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
      if (!serves(models[m], (clv_grid_kind)kind)) continue;
      const body_setup setup = setup_of((clv_grid_kind)kind, models[m]);
      clv_body *body = body_of(&setup);
      const size_t count = 3 * (size_t)clv_body_slots(body);
      body_shake(body, 0.02, 5);
      double *shaken = body_forces(body);
      const double scale = largest(shaken, count);
      assert_true(scale > 0);
      double sum[3] = {0, 0, 0};
      for (size_t k = 3; k < count; k++) sum[k % 3] += shaken[k];
      for (uint32_t k = 0; k < 3; k++) assert_true(fabs(sum[k]) < 1e-11 * scale);
      free(shaken);
      const bool turns = strcmp(models[m], "fem-linear") != 0 && strcmp(models[m], "mass-tensor") != 0;
      for (uint32_t turn = 0; turn < 1 + (uint32_t)turns; turn++) {
        double R[3][3];
        some_rotation(1.9, R);
        body_move_affine(body, turn ? (const double(*)[3])R : one, shift);
        double *forces = body_forces(body);
        const double left = largest(forces, count);
        if (!(left < 1e-12 * 50 * scale))
          fail_msg("%s on %s: %g of %g", models[m], clv_grid_name((clv_grid_kind)kind), left, scale);
        free(forces);
      }
      clv_body_destroy(body);
    }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(masses_are_those_of_the_material),
      cmocka_unit_test(rigid_motion_gives_no_force),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
