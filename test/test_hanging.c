// Refined bodies: laws of coarse cells beside fine ones, and vertices that hang.
// soak: yes

#include "support/refine.h"
#include "support/rules.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  clv_program *rules;
  uint64_t seed;
  uint32_t times;
} options;

static const clv_grid_kind grids[] = {CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX, CLV_GRID_TRI, CLV_GRID_QUAD};
enum { GRIDS = sizeof grids / sizeof *grids };

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

static refined small_body(const options *o, clv_grid_kind kind, const char *model, uint64_t seed) {
  body_setup setup = setup_of(kind, model);
  memcpy(setup.grid.cells, (const uint32_t[3]){2, 2, 1}, sizeof setup.grid.cells);
  return refined_of(body_of(&setup), o->rules, seed);
}

static double mass_of(const clv_body *body) {
  clv_momenta momenta;
  clv_body_momenta(body, &momenta);
  return momenta.mass;
}

static bool near(double a, double b, double part) {
  return fabs(a - b) <= part * (fabs(a) + fabs(b));
}

static const int32_t *section_at(const refined *r, clv_dart cell) {
  return clv_column_at(clv_column_find(r->map, "section"), cell);
}

// Every cell has a shape at its own level, and its section.
static void assert_cells(const refined *r) {
  for (clv_id id = clv_id_next(r->map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(r->map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(r->map, CLV_CELL, id);
    if (clv_cell_shape(r->map, cell) > CLV_TEMPLATE_LAST) fail_msg("cell %u has no shape", id.index);
    if (*section_at(r, cell) != 0) fail_msg("cell %u has section %d", id.index, *section_at(r, cell));
  }
}

static void cells_keep_shape_mass_and_rows(void **state) {
  const options *o = *state;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint64_t seed = 1; seed <= o->times; seed++) {
      const char *model = models[(seed + g) % MODELS];
      if (!serves(model, grids[g])) model = "fem-linear";
      refined r = small_body(o, grids[g], model, o->seed * 1000 + seed);
      const double mass = mass_of(r.body);
      for (uint32_t k = 0; k < 12; k++) {
        const bool finer = random_chance(&r.random, 60);
        if (finer ? !refined_refine_some(&r, 3) : !refined_coarsen_some(&r)) continue;
        refined_check(&r, finer ? "a refinement" : "a coarsening");
        assert_cells(&r);
        if (!near(mass_of(r.body), mass, 1e-12))
          fail_msg("%s, seed %u: the mass went from %.17g to %.17g", model, (unsigned)seed, mass, mass_of(r.body));
      }
      refined_coarsen_all(&r);
      refined_check(&r, "all was coarsened");
      assert_true(near(mass_of(r.body), mass, 1e-12));
      clv_body_destroy(r.body);
    }
}

static void views_follow_every_change(void **state) {
  const options *o = *state;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint64_t seed = 1; seed <= o->times; seed++) {
      const char *model = models[(seed * 2 + g) % MODELS];
      if (!serves(model, grids[g])) model = "springs";
      refined r = small_body(o, grids[g], model, o->seed * 7000 + seed);
      static bool (*const changes[])(refined *) = {refined_coarsen_some, refined_cut_some, refined_remove_some};
      static const char *const names[] = {"a coarsening", "a cut", "a removal"};
      for (uint32_t k = 0; k < 16; k++) {
        const uint32_t which = random_below(&r.random, 6);
        if (which < 3 ? refined_refine_some(&r, 3) : changes[which - 3](&r))
          refined_check(&r, which < 3 ? "a refinement" : names[which - 3]);
      }
      clv_body_destroy(r.body);
    }
}

int main(int argc, char **argv) {
  options o = {.seed = 1, .times = 4};
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) {
      o.times = 100;
    } else if (!strcmp(argv[k], "--seed") && k + 1 < argc) {
      o.seed = strtoull(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: test_hanging [--soak] [--seed S]\n");
      return 2;
    }
  }
  o.rules = program_of_module("topology");
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(cells_keep_shape_mass_and_rows, &o),
      cmocka_unit_test_prestate(views_follow_every_change, &o),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clv_program_destroy(o.rules);
  return failed;
}
