// Refined bodies: laws of coarse cells beside fine ones, and vertices that hang.
// soak: yes

#include "physics/body.h"
#include "support/beam.h"
#include "support/operated.h"
#include "support/refine.h"
#include "support/rules.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct options {
  clv_program *rules, *laws; // of topology; of all models
  uint64_t seed;
  uint32_t times;
} options;

enum { GRIDS = REFINED_GRIDS, MODELS = REFINED_MODELS };

static refined small_body(const options *o, clv_grid_kind kind, const char *model, uint64_t seed) {
  body_setup setup = refined_setup(kind, model);
  setup.def.program = o->laws;
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
      const char *model = refined_models[(seed + g) % MODELS];
      if (!refined_serves(model, refined_grids[g])) model = "fem-linear";
      refined r = small_body(o, refined_grids[g], model, o->seed * 1000 + seed);
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
      const char *model = refined_models[(seed * 2 + g) % MODELS];
      if (!refined_serves(model, refined_grids[g])) model = "springs";
      refined r = small_body(o, refined_grids[g], model, o->seed * 7000 + seed);
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

// Hanging vertices

static uint32_t count_hanging(const refined *r) {
  uint32_t k = 0, slot, parents[4];
  while (clv_body_hanging(r->body, k, &slot, parents)) k++;
  return k;
}

// Every vertex that hangs lies in the middle of its parents, parents come first, and only those have a mass that do not
// hang.
static void assert_table(const refined *r) {
  const double *pos = clv_body_positions(r->body), *rest = clv_body_rest(r->body), *mass = clv_body_masses(r->body);
  const uint32_t slots = clv_body_slots(r->body);
  uint8_t *seen = calloc(slots, 1);
  uint32_t slot, parents[4], count;
  for (uint32_t k = 0; clv_body_hanging(r->body, k, &slot, parents); k++) seen[slot] = 1;
  for (uint32_t k = 0; (count = clv_body_hanging(r->body, k, &slot, parents)); k++) {
    double middle[3] = {0}, middle_rest[3] = {0};
    seen[slot] = 2;
    for (uint32_t p = 0; p < count; p++) {
      if (seen[parents[p]] == 1) fail_msg("slot %u comes before its parent %u", slot, parents[p]);
      for (uint32_t c = 0; c < 3; c++) {
        middle[c] += pos[3 * parents[p] + c] / count;
        middle_rest[c] += rest[3 * parents[p] + c] / count;
      }
    }
    for (uint32_t c = 0; c < 3; c++)
      if (fabs(middle[c] - pos[3 * slot + c]) > 1e-12 || fabs(middle_rest[c] - rest[3 * slot + c]) > 1e-12)
        fail_msg("slot %u is not in the middle of its parents", slot);
    assert_true(mass[slot] == 0);
  }
  for (clv_id id = clv_id_next(r->map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(r->map, CLV_VERTEX, id))
    if (!seen[id.index] && !(mass[id.index] > 0)) fail_msg("slot %u has no mass and does not hang", id.index);
  free(seen);
}

static void tables_are_right(void **state) {
  const options *o = *state;
  uint32_t all = 0;
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint64_t seed = 1; seed <= o->times; seed++) {
      refined r = small_body(o, refined_grids[g], "fem-linear", o->seed * 300 + seed);
      for (uint32_t k = 0; k < 14; k++) {
        if (random_chance(&r.random, 70) ? refined_refine_some(&r, 3) : refined_coarsen_some(&r)) {
          operated_check_hanging(r.body);
          assert_table(&r);
        }
        all += count_hanging(&r);
      }
      // Cracks, too: whoever hangs has parents, and the table is that which is made anew.
      for (uint32_t k = 0; k < 6; k++)
        if (random_chance(&r.random, 50) ? refined_cut_some(&r) : refined_remove_some(&r)) {
          operated_check_hanging(r.body);
          assert_table(&r);
        }
      refined_coarsen_all(&r);
      clv_body_destroy(r.body);
    }
  assert_true(all > 1000);
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
  o.laws = beam_program();
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_prestate(cells_keep_shape_mass_and_rows, &o),
      cmocka_unit_test_prestate(views_follow_every_change, &o),
      cmocka_unit_test_prestate(tables_are_right, &o),
  };
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clv_program_destroy(o.rules);
  clv_program_destroy(o.laws);
  return failed;
}
