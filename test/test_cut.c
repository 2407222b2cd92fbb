// Cuts: a transaction that unsews one facet is planned directly (map/cut.c), and must leave what the general plan leaves.
//
// soak: yes
//
// Twins are built from one mesh, with columns of every policy. The same facets are unsewn and others sewn in both, one
// plans directly and the other the general way; after each commit the maps must be equal to the last bit, and so must the
// values and what their subscribers heard. Facets are also sewn where they do not belong, so that edges come back to
// themselves and one vertex lies at several corners of a facet.

#include "cleave/mesh.h"
#include "map/plan.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

enum { EVENTS = 256, EDITS = 60, SEQUENCES = 60, SOAK_SEQUENCES = 6000 };

typedef struct heard {
  uint32_t count;
  clv_event events[EVENTS];
} heard;

typedef struct twin {
  clv_map *map;
  heard heard;
} twin;

static void listen(void *user, const clv_map *view, const clv_commit *commit) {
  (void)view;
  heard *h = user;
  assert_true(commit->event_count <= EVENTS);
  h->count = commit->event_count;
  if (h->count) memcpy(h->events, commit->events, h->count * sizeof *h->events);
}

static void sum_of_shares(void *user, const clv_map *view, clv_dart dart, const clv_part *parts, uint32_t count,
                          void *value) {
  (void)user, (void)view, (void)dart;
  double sum = 0;
  for (uint32_t k = 0; k < count; k++) sum += *(const double *)parts[k].value * parts[k].share;
  if (count) *(double *)value = sum;
}

static clv_column *add_column(clv_map *view, clv_column_def def) {
  clv_column *column;
  if (!def.components) def.components = 1;
  assert_int_equal(clv_column_create(view, &def, &column), CLV_OK);
  return column;
}

// A different value for every place, so that none can be taken for another.
static void fill(clv_map *view, const clv_column *column) {
  for (clv_dart d = clv_dart_next(view, 0); d; d = clv_dart_next(view, d))
    *(double *)clv_column_at(column, d) = d % 977;
}

static void add_columns(clv_map *view) {
  const clv_column *corner = add_column(view, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  fill(view, corner);
  fill(view, add_column(view, (clv_column_def){.name = "edge", .orbit = CLV_EDGE, .merge = CLV_MERGE_MEAN}));
  fill(view, add_column(view, (clv_column_def){.name = "face", .orbit = CLV_FACE, .split = CLV_SPLIT_SHARE}));
  fill(view, add_column(view, (clv_column_def){.name = "length", .orbit = CLV_EDGE, .split = CLV_SPLIT_SHARE}));
  fill(view, add_column(view, (clv_column_def){.name = "mass",
                                               .orbit = CLV_VERTEX,
                                               .split = CLV_SPLIT_SHARE,
                                               .merge = CLV_MERGE_SUM,
                                               .contribution = corner}));
  fill(view,
       add_column(view, (clv_column_def){
                            .name = "sum", .orbit = CLV_VERTEX, .merge = CLV_MERGE_RECOMPUTE, .contribution = corner}));
  fill(view, add_column(view, (clv_column_def){.name = "own", .orbit = CLV_VERTEX, .policy = sum_of_shares}));
}

static void make_twin(twin *t, const clv_mesh *mesh, bool general) {
  clv_error error;
  t->heard.count = 0;
  if (clv_mesh_build(mesh, NULL, &t->map, NULL, &error)) fail_msg("%s", error.message);
  add_columns(t->map);
  assert_int_equal(clv_map_subscribe(t->map, listen, &t->heard), CLV_OK);
  map_of(t->map)->scratch->general = general;
}

static void compare_values(const clv_map *a, const clv_map *b) {
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(a, k)); k++) {
    const clv_column *other = clv_column_list(b, k);
    for (clv_dart d = clv_dart_next(a, 0); d; d = clv_dart_next(a, d)) {
      const void *value = clv_column_at(column, d), *same = clv_column_at(other, d);
      if (memcmp(value, same, clv_column_size(column)) != 0)
        fail_msg("column %s differs at dart %u", clv_column_get_def(column)->name, d);
    }
  }
}

static void compare(const twin *a, const twin *b) {
  assert_true(clv_map_hash(a->map) == clv_map_hash(b->map));
  assert_int_equal(a->heard.count, b->heard.count);
  assert_memory_equal(a->heard.events, b->heard.events, a->heard.count * sizeof *a->heard.events);
  compare_values(a->map, b->map);
}

// A dart that is 3-free, or that is not; 0 when it takes long to find one.
static clv_dart choose(const clv_map *view, random_source *random, bool free) {
  const uint32_t end = view->page_count << CLV_PAGE_SHIFT;
  for (uint32_t k = 0; k < 64; k++) {
    const clv_dart d = clv_dart_next(view, (1u << CLV_PAGE_SHIFT) + random_below(random, 64 * 64));
    if (d && d < end && clv_is_free(view, d, 3) == free) return d;
  }
  return CLV_NO_DART;
}

// Unsews most of the time; sews anything to anything else now and then; two facets in one transaction sometimes, which both
// plan the same way.
static void edit(twin *twins, random_source *random) {
  const bool sews = random_chance(random, 40);
  const uint32_t facets = random_chance(random, 10) ? 2 : 1;
  for (uint32_t t = 0; t < 2; t++) assert_int_equal(clv_map_begin(twins[t].map), CLV_OK);
  for (uint32_t f = 0; f < facets; f++) {
    const clv_dart a = choose(twins[0].map, random, sews), b = sews ? choose(twins[0].map, random, true) : a;
    if (!a || !b) continue;
    clv_result results[2];
    for (uint32_t t = 0; t < 2; t++)
      results[t] = sews ? clv_map_sew(twins[t].map, 3, a, b) : clv_map_unsew(twins[t].map, 3, a);
    assert_int_equal(results[0], results[1]);
  }
  for (uint32_t t = 0; t < 2; t++) assert_int_equal(clv_map_commit(twins[t].map), CLV_OK);
}

static void run_sequence(uint64_t seed) {
  static const clv_grid_kind kinds[] = {CLV_GRID_HEX, CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_PRISM, CLV_GRID_MIXED};
  random_source random = {seed};
  clv_grid_def def = clv_default_grid_def();
  def.kind = kinds[random_below(&random, sizeof kinds / sizeof *kinds)];
  for (uint32_t c = 0; c < 3; c++) def.cells[c] = 1 + random_below(&random, 3);
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &def, &error)) fail_msg("%s", error.message);
  twin twins[2];
  make_twin(&twins[0], &mesh, false);
  make_twin(&twins[1], &mesh, true);
  for (uint32_t k = 0; k < EDITS; k++) {
    edit(twins, &random);
    compare(&twins[0], &twins[1]);
  }
  assert_int_equal(clv_map_check(twins[0].map, NULL, NULL), CLV_OK);
  for (uint32_t t = 0; t < 2; t++) clv_map_destroy(twins[t].map);
  clv_mesh_free(&mesh);
}

static uint64_t sequences = SEQUENCES;

static void direct_and_general_plans_agree(void **state) {
  (void)state;
  for (uint64_t seed = 1; seed <= sequences; seed++) {
    print_message("seed %llu\r", (unsigned long long)seed);
    run_sequence(seed);
  }
}

int main(int count, char **words) {
  if (count > 1 && strcmp(words[1], "--soak") == 0) sequences = SOAK_SEQUENCES;
  const struct CMUnitTest tests[] = {cmocka_unit_test(direct_and_general_plans_agree)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
