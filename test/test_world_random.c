// Worlds with random timetables, saved at a random step and loaded by another number of threads: both go on with the
// same bits.
//
// soak: yes
//
// All grids, models and methods that move; refining, slicing, tearing, piercing, knives and tools that adapt, in any
// order.
//
// usage: test_world_random [--soak] [--seed S]

#include "support/beam.h"
#include "support/random.h"
#include "support/store.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
enum { WORLDS = 12 };
#else
enum { WORLDS = 60 };
#endif
enum { SOAK_WORLDS = 5000, STEPS = 16, EVENTS = 7 };

typedef struct options {
  uint32_t worlds;
  uint64_t seed;
} options;

static clv_program *laws;

typedef struct recipe {
  beam beam;
  clv_method method;
} recipe;

static const double step = 2e-4;

// NULL when the model is not for such cells.
static clv_world *create(const recipe *r, uint32_t threads) {
  clv_world_def def = clv_default_world_def();
  def.step = step;
  clv_world *world = clv_world_create(&def);
  assert_non_null(world);
  beam b = r->beam;
  b.threads = threads;
  clv_mesh mesh;
  clv_section section;
  beam_mesh(&b, &mesh);
  const clv_body_def body_def = beam_def(&b, &mesh, &section);
  const clv_solver_def solver = beam_method(r->method);
  clv_body *body = clv_world_add(world, NULL, &body_def, &solver, NULL);
  clv_mesh_free(&mesh);
  if (body) beam_clamp(body);
  if (!body) clv_world_destroy(world);
  return body ? world : NULL;
}

static double some(random_source *random) {
  return (double)random_below(random, 1u << 20) / (1u << 20);
}

static void some_point(random_source *random, const recipe *r, double *point) {
  for (uint32_t k = 0; k < 3; k++) point[k] = r->beam.size[k] * (1.2 * some(random) - 0.1);
}

static bool is_flat(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

static bool refines(clv_grid_kind kind) {
  return kind != CLV_GRID_PRISM && kind != CLV_GRID_PYRAMID && kind != CLV_GRID_MIXED;
}

static void schedule(clv_world *world, random_source *random, const recipe *r) {
  static const clv_action_kind kinds[] = {CLV_ACTION_REFINE, CLV_ACTION_COARSEN, CLV_ACTION_KNIFE, CLV_ACTION_PIERCE,
                                          CLV_ACTION_TEAR,   CLV_ACTION_SLICE,   CLV_ACTION_ADAPT};
  const double height = is_flat(r->beam.kind) ? 0 : r->beam.size[2];
  double point[3], normal[3] = {1, some(random) - 0.5, some(random) - 0.5};
  some_point(random, r, point);
  const double from = height + 0.05, way = -2 * from;
  const clv_key path[] = {{0, {0, 0, 0}}, {step * (1 + random_below(random, 5)), {0.02, 0, way}}};
  clv_action action = {.kind = kinds[random_below(random, sizeof kinds / sizeof *kinds)],
                       .time = step * random_below(random, STEPS),
                       .zone = clv_zone_sphere(point, r->beam.size[1] * (0.3 + some(random))),
                       .level = 1,
                       .edge = {{point[0], -1, from}, {point[0], 2, from}},
                       .tear = clv_default_tear(),
                       .slice = clv_default_slice(),
                       .adapt = clv_default_adapt()};
  if (action.kind == CLV_ACTION_REFINE && !refines(r->beam.kind)) action.kind = CLV_ACTION_KNIFE;
  if (action.kind == CLV_ACTION_COARSEN) action.level = 0;
  if (action.kind == CLV_ACTION_PIERCE) action.zone = clv_zone_sphere(point, 0.01);
  if (action.kind == CLV_ACTION_TEAR || action.kind == CLV_ACTION_ADAPT) action.zone = clv_zone_all();
  if (action.kind == CLV_ACTION_SLICE) action.zone = clv_zone_plane(point, normal);
  action.slice.exact = random_chance(random, 50);
  action.tear.threshold = 1 + 100 * some(random);
  action.tear.most = 2;
  action.adapt.bound = r->beam.size[1] * some(random) + 0.01;
  memcpy(action.adapt.point, point, sizeof point);
  const bool blade = action.kind == CLV_ACTION_SLICE && random_chance(random, 50);
  if (blade || action.kind == CLV_ACTION_KNIFE || action.kind == CLV_ACTION_ADAPT) {
    action.path = path;
    action.key_count = 2;
  }
  if (clv_world_schedule(world, &action) != CLV_OK) fail_msg("%s", clv_world_error(world));
}

static recipe some_recipe(random_source *random) {
  uint32_t models = 0;
  while (clv_model_list(models, NULL)) models++;
  recipe r = {.beam = beam_default(), .method = (clv_method)random_below(random, CLV_STATIC)};
  r.beam.kind = (clv_grid_kind)random_below(random, CLV_GRID_KIND_COUNT);
  r.beam.model = clv_model_list(random_below(random, models), NULL);
  r.beam.program = laws;
  r.beam.gravity[2] = -9.81;
  r.beam.drag = 20;
  memcpy(r.beam.cells, is_flat(r.beam.kind) ? (uint32_t[]){7, 4, 1} : (uint32_t[]){5, 2, 2}, sizeof r.beam.cells);
  memcpy(r.beam.size, (double[]){0.5, 0.2, is_flat(r.beam.kind) ? 1 : 0.2}, sizeof r.beam.size);
  return r;
}

static void advance(clv_world *world, uint64_t seed) {
  if (clv_world_step(world, NULL) != CLV_OK)
    fail_msg("seed %llu: %s", (unsigned long long)seed, clv_world_error(world));
}

// False when the model is not for the grid.
static bool live(uint64_t seed) {
  random_source random = {seed};
  const recipe r = some_recipe(&random);
  clv_world *world = strcmp(r.beam.model, "rules") != 0 ? create(&r, 1) : NULL;
  if (!world) return false;
  for (uint32_t k = 0; k < EVENTS; k++) schedule(world, &random, &r);
  const uint32_t saved_at = random_below(&random, STEPS);
  for (uint32_t k = 0; k < saved_at; k++) advance(world, seed);
  store s = {.count = 0};
  if (clv_world_save(world, store_put, &s) != CLV_OK) fail_msg("%s", clv_world_error(world));
  clv_world *other = create(&r, 1 + random_below(&random, 3));
  if (clv_world_load(other, store_get, &s) != CLV_OK) fail_msg("%s", clv_world_error(other));
  for (uint32_t k = saved_at; k < STEPS; k++) {
    advance(world, seed);
    advance(other, seed);
    if (clv_world_hash(world) != clv_world_hash(other))
      fail_msg("seed %llu: %s on %s, %s: saved behind step %u, step %u differs", (unsigned long long)seed, r.beam.model,
               clv_grid_name(r.beam.kind), clv_method_name(r.method), saved_at, k + 1);
  }
  store_empty(&s);
  clv_world_destroy(world);
  clv_world_destroy(other);
  return true;
}

static void loaded_worlds_go_on_with_the_same_bits(void **state) {
  const options *o = *state;
  uint32_t lived = 0;
  for (uint64_t seed = o->seed; lived < o->worlds; seed++) lived += live(seed);
}

int main(int count, char **arguments) {
  options o = {WORLDS, 1};
  for (int k = 1; k < count; k++) {
    if (!strcmp(arguments[k], "--soak")) o.worlds = SOAK_WORLDS;
    if (!strcmp(arguments[k], "--seed") && k + 1 < count) o.seed = strtoull(arguments[++k], NULL, 10);
  }
  laws = beam_program();
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(loaded_worlds_go_on_with_the_same_bits, &o)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clv_program_destroy(laws);
  return failed;
}
