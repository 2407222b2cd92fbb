// Views: what they create, what they compute, and that neither threads nor lack of memory change it.

#include "cleave/mesh.h"
#include "cleave/view.h"
#include "support/counting_allocator.h"
#include "support/edits.h"
#include "support/hand_views.h"
#include "support/small_map.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static clv_program *program_of(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "test", text, strlen(text)), CLV_OK);
  if (clv_program_check(program) != CLV_OK) {
    const clv_diagnostic *found = NULL;
    char line[1000] = "";
    if (clv_program_diagnostics(program, &found)) clv_diagnostic_print(program, found, line, sizeof line);
    fail_msg("%s", line);
  }
  return program;
}

static clv_views *views_of(const clv_program *program, clv_map *map, uint32_t threads, const char *const *forces,
                           uint32_t count) {
  clv_views_def def = clv_default_views_def();
  clv_error error = {0};
  def.threads = threads;
  def.forces = forces;
  def.force_count = count;
  clv_views *views = clv_views_create(program, map, &def, &error);
  if (!views) fail_msg("%s", error.message);
  return views;
}

static void report(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

static void check(clv_views *views) {
  if (clv_views_check(views, report, NULL) != CLV_OK) fail_msg("%s", clv_views_error(views));
}

static double *values_of(const clv_map *map, const char *name) {
  return clv_column_data(clv_column_find(map, name), CLV_NONE, NULL);
}

static void set_vertex(clv_map *map, const char *name, clv_dart dart, double x, double y, double z) {
  double *value = clv_column_at(clv_column_find(map, name), dart);
  value[0] = x;
  value[1] = y;
  value[2] = z;
}

static const char springs[] =
    "embed pos:vec3[m] on vertex blend;\n"
    "embed rest:vec3[m] on vertex blend;\n"
    "embed vel:vec3[m/s] on vertex blend;\n"
    "param k0:real[N/m] = 3;\n"
    "param damp:real[N*s/m] = 0.5;\n"
    "param dt:real[s] = 1;\n"
    "embed k:real[N/m] on edge = k0 merge sum split copy;\n"
    "embed count:int on face = 7;\n"
    "embed heat:real on vertex = 1;\n"
    "derive twice:real[N/m] on e:edge = 2*e.k;\n"
    "force spring on e:edge {\n"
    "  let l = norm(e.pos-e@0.pos);\n"
    "  energy 0.25*e.twice*(l-rest(l))^2;\n"
    "  dissipation damp*rate(l)^2;\n"
    "}\n"
    "force thread on e:edge { where e.k > k0; let l = norm(e.pos-e@0.pos); energy e.k*l^2; }\n"
    "update spread on v:vertex { v.heat = v.heat+sum(x:<2,3> in v) x@0.heat; }\n"
    "update turn on v:vertex { v.vel = 2*v.vel; v.pos = v.pos+v.vel*dt; }\n";

// Two triangles side by side: the square of side 1, its diagonal from (0,0) to (1,1).
static clv_map *square(clv_dart darts[2]) {
  clv_map *map = create_map(2);
  begin(map);
  darts[0] = add_cell(map, CLV_TRI);
  darts[1] = add_cell(map, CLV_TRI);
  assert_int_equal(clv_map_sew(map, 2, darts[0], darts[1]), CLV_OK); // edge 01 of both, corner 0 on corner 0
  commit(map);
  return map;
}

static void place_square(clv_map *map, const char *column, const clv_dart darts[2]) {
  const clv_dart third[2] = {clv_alpha(map, clv_alpha(map, darts[0], 1), 0),
                             clv_alpha(map, clv_alpha(map, darts[1], 1), 0)};
  set_vertex(map, column, darts[0], 0, 0, 0);
  set_vertex(map, column, clv_alpha(map, darts[0], 0), 1, 1, 0);
  set_vertex(map, column, third[0], 1, 0, 0);
  set_vertex(map, column, third[1], 0, 1, 0);
}

static void columns_follow_declarations(void **state) {
  (void)state;
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_program *program = program_of(springs);
  clv_views *views = views_of(program, map, 1, NULL, 0);
  const clv_column *k = clv_column_find(map, "k"), *count = clv_column_find(map, "count"),
                   *pos = clv_column_find(map, "pos"), *twice = clv_column_find(map, "twice");
  assert_true(k && count && pos && twice);
  assert_int_equal(clv_column_get_def(k)->orbit, CLV_EDGE);
  assert_int_equal(clv_column_get_def(k)->merge, CLV_MERGE_SUM);
  assert_int_equal(clv_column_get_def(k)->split, CLV_SPLIT_COPY);
  assert_true(get(k, darts[0]) == 3);
  assert_true(get(twice, darts[0]) == 6);
  assert_int_equal(clv_column_get_def(count)->type, CLV_INT32);
  assert_int_equal(*(const int32_t *)clv_column_at(count, darts[1]), 7);
  assert_int_equal(clv_column_get_def(pos)->create, CLV_CREATE_MEAN);
  assert_int_equal(clv_column_get_def(pos)->merge, CLV_MERGE_MEAN);
  assert_int_equal(clv_views_law_count(views), 2);
  assert_string_equal(clv_views_law_name(views, 0), "spring");
  assert_null(clv_views_law_name(views, 2));
  assert_int_equal(clv_views_rows(views, "spring"), 5);
  assert_int_equal(clv_views_rows(views, "thread"), 0);
  assert_true(clv_views_rows(views, "no such") == UINT64_MAX);
  // A second body of views finds the columns it needs.
  clv_views *second = views_of(program, map, 1, (const char *const[]){"spring"}, 1);
  assert_int_equal(clv_views_rows(second, NULL), 5);
  clv_views_destroy(second);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

static void assert_refused(const clv_program *program, clv_map *map, const clv_views_def *def, clv_result code,
                           const char *words) {
  clv_error error = {0};
  if (clv_views_create(program, map, def, &error)) fail_msg("views were made that should say '%s'", words);
  assert_int_equal(error.code, code);
  if (!strstr(error.message, words)) fail_msg("'%s' does not say '%s'", error.message, words);
}

static void nonsense_is_refused(void **state) {
  (void)state;
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_program *unchecked = clv_program_create(NULL), *program = program_of(springs),
              *empty = program_of("param a:vec3[N] = (1, 0, 0); force f on v:vertex external { force v = a; }");
  clv_views_def def = clv_default_views_def();
  assert_refused(unchecked, map, &def, CLV_ERROR_ARGUMENT, "not checked");
  assert_refused(NULL, map, &def, CLV_ERROR_ARGUMENT, "need a program");
  def.forces = (const char *const[]){"sprong"};
  def.force_count = 1;
  assert_refused(program, map, &def, CLV_ERROR_INPUT, "no force law 'sprong'");
  def = clv_default_views_def();
  assert_refused(empty, map, &def, CLV_ERROR_INPUT, "a column 'pos'");
  def.threads = 100000;
  assert_refused(program, map, &def, CLV_ERROR_ARGUMENT, "are the most");
  def = clv_default_views_def();
  begin(map);
  assert_refused(program, map, &def, CLV_ERROR_ARGUMENT, "inside a transaction");
  clv_map_rollback(map);
  create(map, (clv_column_def){.name = "k", .orbit = CLV_VERTEX});
  assert_refused(program, map, &def, CLV_ERROR_INPUT, "column 'k' is not what the program declares");
  clv_column_destroy(map, clv_column_find(map, "k"));
  clv_views *views = views_of(program, map, 1, NULL, 0);
  double values[3] = {0}, out[64];
  assert_int_equal(clv_views_set_param(views, "none", values, 1), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_views_set_param(views, "k0", values, 2), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_views_get_param(views, "none", values, 1), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_views_run(views, "none"), CLV_ERROR_ARGUMENT);
  begin(map);
  assert_int_equal(clv_views_force(views, out), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_views_rebuild(views), CLV_ERROR_ARGUMENT);
  clv_map_rollback(map);
  clv_views_destroy(views);
  clv_program_destroy(unchecked);
  clv_program_destroy(empty);
  clv_program_destroy(program);
  clv_map_destroy(map);
}

typedef struct assembled {
  uint32_t slots, rows;
  double *matrix;
} assembled;

static void assemble(void *user, const clv_element *element) {
  assembled *a = user;
  a->rows++;
  assert_string_equal(element->law, "spring");
  const uint32_t n = 3 * element->count;
  for (uint32_t i = 0; i < n; i++)
    for (uint32_t j = 0; j < n; j++) {
      const uint32_t row = 3 * element->vertices[i / 3] + i % 3, column = 3 * element->vertices[j / 3] + j % 3;
      a->matrix[row * 3 * a->slots + column] += element->matrix[i * n + j];
    }
}

// (df/dx) d and minus the assembled matrix times d are the same.
static void compare_along(clv_map *map, clv_views *views, clv_matrix which, const double *d) {
  assembled a = {.slots = clv_id_slots(map, CLV_VERTEX)};
  const uint32_t n = 3 * a.slots;
  a.matrix = calloc((size_t)n * n, sizeof *a.matrix);
  double *out = calloc(n, sizeof *out);
  assert_true(a.matrix && out);
  assert_int_equal(clv_views_matrix(views, which, assemble, &a), CLV_OK);
  assert_int_equal(a.rows, 5);
  assert_int_equal(which == CLV_STIFFNESS ? clv_views_force_along(views, d, NULL, out)
                                          : clv_views_force_along(views, NULL, d, out),
                   CLV_OK);
  double largest = 0;
  for (uint32_t i = 0; i < n; i++) {
    double sum = 0;
    for (uint32_t j = 0; j < n; j++) sum -= a.matrix[i * n + j] * d[j];
    if (fabs(sum - out[i]) > 1e-12) fail_msg("%u: %.17g and %.17g", i, sum, out[i]);
    if (fabs(sum) > largest) largest = fabs(sum);
  }
  assert_true(largest > 0.01);
  free(a.matrix);
  free(out);
}

static void a_spring_pulls(void **state) {
  (void)state;
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_program *program = program_of(springs);
  clv_views *views = views_of(program, map, 1, NULL, 0);
  place_square(map, "rest", darts);
  place_square(map, "pos", darts);
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  check(views);
  // The end of the diagonal is pulled out: three springs are longer than at rest.
  const clv_dart end = clv_alpha(map, darts[0], 0);
  set_vertex(map, "pos", end, 2, 2, 0);
  double out[3 * 16], energy = 0;
  assert_true(clv_id_slots(map, CLV_VERTEX) <= 16);
  assert_int_equal(clv_views_force(views, out), CLV_OK);
  assert_int_equal(clv_views_energy(views, &energy), CLV_OK);
  // Energy 0.5 k (l - l0)^2, k = 3: the diagonal from sqrt 2 to 2 sqrt 2; both sides from 1 to sqrt 5.
  const double side = sqrt(5) - 1;
  assert_true(fabs(energy - 1.5 * (2 + 2 * side * side)) < 1e-12);
  const double *force = out + 3 * clv_id_of(map, CLV_VERTEX, end).index;
  const double expected = -3 * sqrt(2) * sqrt(0.5) - 3 * side * (2 + 1) / sqrt(5);
  assert_true(fabs(force[0] - expected) < 1e-12 && fabs(force[1] - expected) < 1e-12 && fabs(force[2]) < 1e-15);
  // Forces of springs add up to nothing.
  double sum[3] = {0};
  for (uint32_t k = 0; k < 3 * clv_id_slots(map, CLV_VERTEX); k++) sum[k % 3] += out[k];
  assert_true(fabs(sum[0]) < 1e-12 && fabs(sum[1]) < 1e-12);
  double direction[3 * 16];
  for (uint32_t k = 0; k < 48; k++) direction[k] = sin(k);
  compare_along(map, views, CLV_STIFFNESS, direction);
  compare_along(map, views, CLV_DAMPING, direction);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

static void parameters_and_values_reach_rows(void **state) {
  (void)state;
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_program *program = program_of(springs);
  clv_views *views = views_of(program, map, 1, NULL, 0);
  place_square(map, "rest", darts);
  place_square(map, "pos", darts);
  set_vertex(map, "pos", darts[0], -1, -1, 0);
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  double before = 0, after = 0, k0 = 0;
  assert_int_equal(clv_views_energy(views, &before), CLV_OK);
  // A value set in a transaction is derived from, and read, at once; one edge becomes a thread.
  begin(map);
  assert_int_equal(clv_column_set(clv_column_find(map, "k"), darts[0], &(double){30}), CLV_OK);
  commit(map);
  check(views);
  assert_int_equal(clv_views_rows(views, "thread"), 1);
  assert_int_equal(clv_views_energy(views, &after), CLV_OK);
  assert_true(fabs(after - before - (0.5 * 27 * 2 + 30 * 8)) < 1e-9);
  // Written behind the map's back, it is read by a refresh.
  put(clv_column_find(map, "k"), darts[0], 3);
  assert_int_equal(clv_views_check(views, NULL, NULL), CLV_ERROR_INVALID);
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  assert_int_equal(clv_views_rows(views, "thread"), 0);
  assert_int_equal(clv_views_energy(views, &after), CLV_OK);
  assert_true(fabs(after - before) < 1e-12);
  // A parameter that a guard reads lets rows come.
  assert_int_equal(clv_views_get_param(views, "k0", &k0, 1), CLV_OK);
  assert_true(k0 == 3);
  assert_int_equal(clv_views_set_param(views, "k0", &(double){2}, 1), CLV_OK);
  assert_int_equal(clv_views_rows(views, "thread"), 5);
  check(views);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

static void sums_are_checked_by_their_terms(void **state) {
  (void)state;
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_program *program = program_of("embed part:real on corner = 1;\n"
                                    "derive balance:real on v:vertex = 3*sum(c:corner in v) c.part;\n");
  clv_views *views = views_of(program, map, 1, NULL, 0);
  clv_column *part = clv_column_find(map, "part"), *balance = clv_column_find(map, "balance");
  put(part, darts[0], -1);
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  assert_true(get(balance, darts[0]) == 0);
  put(balance, darts[0], 1e-15); // what rounding may leave of 1 and -1
  check(views);
  put(balance, darts[0], 1e-11); // is more than that
  assert_int_equal(clv_views_check(views, NULL, NULL), CLV_ERROR_INVALID);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

static void updates_read_before_they_write(void **state) {
  (void)state;
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_program *program = program_of(springs);
  for (uint32_t threads = 1; threads <= 4; threads *= 2) {
    clv_views *views = views_of(program, map, threads, NULL, 0);
    clv_column *heat = clv_column_find(map, "heat");
    clv_walk ends; // of edges
    assert_int_equal(clv_walk_all(&ends, map, CLV_ORBIT(0, 0, 1, 1)), CLV_OK);
    assert_int_equal(ends.count, 10);
    double expected[16] = {0}, *values = values_of(map, "heat");
    for (uint32_t k = 1; k < clv_id_slots(map, CLV_VERTEX); k++) values[k] = expected[k] = k * k;
    for (uint32_t k = 0; k < ends.count; k++)
      expected[clv_id_of(map, CLV_VERTEX, ends.darts[k]).index] += get(heat, clv_alpha(map, ends.darts[k], 0));
    clv_walk_end(&ends);
    assert_int_equal(clv_views_run(views, "spread"), CLV_OK);
    for (uint32_t k = 1; k < clv_id_slots(map, CLV_VERTEX); k++) assert_true(values[k] == expected[k]);
    set_vertex(map, "pos", darts[0], 1, 2, 3);
    set_vertex(map, "vel", darts[0], 10, 20, 30);
    assert_int_equal(clv_views_run(views, "turn"), CLV_OK);
    const double *pos = clv_column_at(clv_column_find(map, "pos"), darts[0]);
    const double *vel = clv_column_at(clv_column_find(map, "vel"), darts[0]);
    assert_true(vel[0] == 20 && vel[2] == 60 && pos[0] == 21 && pos[1] == 42);
    clv_views_destroy(views);
  }
  clv_map_destroy(map);
  clv_program_destroy(program);
}

// Threads

static clv_map *block(clv_grid_kind kind, uint32_t cells) {
  clv_grid_def grid = clv_default_grid_def();
  clv_mesh mesh;
  clv_map *map = NULL;
  grid.kind = kind;
  grid.shared = true;
  for (uint32_t k = 0; k < 3; k++) {
    grid.cells[k] = cells;
    grid.size[k] = cells;
  }
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &grid, NULL), CLV_OK);
  const clv_build_def def = clv_default_build_def();
  assert_int_equal(clv_mesh_build(&mesh, &def, &map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  return map;
}

static void place_block(clv_map *map) {
  double *rest = values_of(map, "rest"), *pos = values_of(map, "pos"), *vel = values_of(map, "vel");
  for (uint32_t k = 0; k < 3 * clv_id_slots(map, CLV_VERTEX); k++) {
    rest[k] = pos[k];
    pos[k] = rest[k] + 0.1 * sin(3.7 * k);
    vel[k] = cos(1.3 * k);
  }
}

// Cuts here and there, so that slabs have tails and rows that moved.
static void cut(clv_map *map, uint32_t facets) {
  random_source random = {1};
  const uint32_t n = map->dimension;
  for (uint32_t k = 0; k < facets; k++) {
    clv_dart dart = CLV_NO_DART;
    while (!dart || clv_is_free(map, dart, n)) {
      const clv_kind kind = (clv_kind)(CLV_TET + random_below(&random, 4));
      const uint32_t rows = clv_cell_rows(map, kind);
      if (!rows) continue;
      dart =
          clv_cell_at(map, kind, random_below(&random, rows)) + random_below(&random, clv_templates[kind].dart_count);
    }
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_map_unsew(map, n, dart), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
  }
}

typedef struct results {
  uint32_t size;
  double *force, *along, *linear, energy, *pos;
} results;

// What is linearised stays, whatever becomes of the positions, and goes with a change of the tables.
static void check_linear(clv_map *map, clv_views *views, results *r) {
  double *pos = values_of(map, "pos"), largest = 0;
  const double *vel = values_of(map, "vel");
  assert_int_equal(clv_views_linear_force(views, vel, vel, r->linear), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_views_linearize(views), CLV_OK);
  memcpy(r->pos, pos, r->size * sizeof *pos);
  for (uint32_t k = 0; k < r->size; k++) pos[k] = 0;
  assert_int_equal(clv_views_linear_force(views, vel, vel, r->linear), CLV_OK);
  memcpy(pos, r->pos, r->size * sizeof *pos);
  for (uint32_t k = 0; k < r->size; k++) largest = fmax(largest, fabs(r->along[k]));
  assert_true(largest > 0);
  for (uint32_t k = 0; k < r->size; k++)
    if (!(fabs(r->linear[k] - r->along[k]) <= 1e-11 * largest))
      fail_msg("%u: %.17g and, linearised, %.17g", k, r->along[k], r->linear[k]);
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  assert_int_equal(clv_views_linear_force(views, vel, vel, pos), CLV_ERROR_ARGUMENT);
}

static results results_of(const clv_program *program, uint32_t threads) {
  static const char *const forces[] = {"stretch",     "spring_viscosity", "shear",   "diagonals", "provot",
                                       "strain_rate", "neohooke",         "gravity", "pressure"};
  clv_map *map = block(CLV_GRID_MIXED, 9);
  clv_views *views = views_of(program, map, threads, forces, sizeof forces / sizeof *forces);
  place_block(map);
  assert_int_equal(clv_views_set_param(views, "pressure0", &(double){2}, 1), CLV_OK);
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  cut(map, 300);
  assert_false(clv_views_stale(views));
  results r = {.size = 3 * clv_id_slots(map, CLV_VERTEX)};
  r.force = calloc(r.size, sizeof(double));
  r.along = calloc(r.size, sizeof(double));
  r.pos = calloc(r.size, sizeof(double));
  r.linear = calloc(r.size, sizeof(double));
  assert_true(r.force && r.along && r.pos && r.linear);
  assert_int_equal(clv_views_force(views, r.force), CLV_OK);
  const double *vel = values_of(map, "vel");
  assert_int_equal(clv_views_force_along(views, vel, vel, r.along), CLV_OK);
  check_linear(map, views, &r);
  assert_int_equal(clv_views_energy(views, &r.energy), CLV_OK);
  memcpy(values_of(map, "load"), r.force, r.size * sizeof(double));
  assert_int_equal(clv_views_run(views, "step"), CLV_OK);
  memcpy(r.pos, values_of(map, "pos"), r.size * sizeof(double));
  check(views);
  clv_views_destroy(views);
  clv_map_destroy(map);
  return r;
}

static void free_results(results *r) {
  free(r->force);
  free(r->along);
  free(r->linear);
  free(r->pos);
}

static void threads_do_not_change_a_bit(void **state) {
  (void)state;
  clv_program *program = clv_program_create(NULL);
  assert_int_equal(clv_program_use(program, "springs"), CLV_OK);
  assert_int_equal(clv_program_use(program, "fem"), CLV_OK);
  assert_int_equal(clv_program_use(program, "external"), CLV_OK);
  assert_int_equal(clv_program_use(program, "motion"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  results one = results_of(program, 1);
  double largest = 0;
  for (uint32_t k = 0; k < one.size; k++)
    if (fabs(one.force[k]) > largest) largest = fabs(one.force[k]);
  assert_true(largest > 1 && isfinite(largest) && isfinite(one.energy) && one.energy > 0);
  for (uint32_t threads = 2; threads <= 4; threads++) {
    results many = results_of(program, threads);
    assert_int_equal(one.size, many.size);
    assert_memory_equal(one.force, many.force, one.size * sizeof(double));
    assert_memory_equal(one.along, many.along, one.size * sizeof(double));
    assert_memory_equal(one.linear, many.linear, one.size * sizeof(double));
    assert_memory_equal(one.pos, many.pos, one.size * sizeof(double));
    assert_memory_equal(&one.energy, &many.energy, sizeof(double));
    free_results(&many);
  }
  free_results(&one);
  clv_program_destroy(program);
}

// Memory

static void creation_survives_every_refusal(void **state) {
  (void)state;
  clv_program *program = program_of(springs);
  bool refused = true;
  size_t failures = 0;
  for (size_t fail_at = 1; refused; fail_at++) {
    clv_dart darts[2];
    counting_memory memory = {.fail_at = fail_at};
    clv_map *map = square(darts);
    clv_views_def def = clv_default_views_def();
    clv_error error = {0};
    def.allocator = counting_allocator(&memory);
    def.threads = 2;
    clv_views *views = clv_views_create(program, map, &def, &error);
    refused = memory.refused;
    failures += refused;
    if (refused) assert_int_equal(error.code, CLV_ERROR_MEMORY);
    assert_true((views == NULL) == refused);
    memory.fail_at = 0;
    if (views) check(views);
    clv_views_destroy(views);
    assert_int_equal(memory.live_bytes, 0);
    clv_map_destroy(map);
  }
  assert_true(failures > 40);
  clv_program_destroy(program);
}

// A refusal while a commit is heard: the commit stands, the views are stale and say so, and are right when asked next.
static void commits_survive_refusals(void **state) {
  (void)state;
  size_t stale = 0;
  for (uint64_t seed = 1; seed <= 6; seed++) {
    counting_memory memory = {0};
    clv_map_def map_def = clv_default_map_def();
    map_def.dimension = 2 + (uint32_t)(seed & 1u);
    clv_map *map = clv_map_create(&map_def, NULL);
    clv_views_def def = clv_default_views_def();
    clv_error error = {0};
    def.allocator = counting_allocator(&memory);
    clv_views *views = hand_views(map, &def, &error);
    if (!views) fail_msg("%s", error.message);
    editor e = {.map = map, .random = {seed}, .orientable = true, .small = 200, .large = 600};
    for (uint32_t k = 0; k < 60; k++) {
      memory.refused = false;
      memory.fail_at = memory.requests + 1 + k % 4;
      editor_transaction(&e);
      assert_true(!memory.refused || clv_views_stale(views));
      stale += clv_views_stale(views);
      // Asked while there still is no memory, they say so; afterwards they are as good as new.
      if (clv_views_stale(views)) {
        memory.fail_at = memory.requests + 1;
        const clv_result result = clv_views_check(views, NULL, NULL);
        assert_true(result == CLV_ERROR_MEMORY || result == CLV_OK);
      }
      memory.fail_at = 0;
      check(views);
      assert_false(clv_views_stale(views));
    }
    editor_free(&e);
    clv_views_destroy(views);
    assert_int_equal(memory.live_bytes, 0);
    clv_map_destroy(map);
  }
  assert_true(stale > 20);
}

static void evaluation_survives_every_refusal(void **state) {
  (void)state;
  clv_program *program = program_of(springs);
  bool refused = true;
  for (size_t fail_at = 1; refused; fail_at++) {
    clv_dart darts[2];
    counting_memory memory = {0};
    clv_map *map = square(darts);
    clv_views_def def = clv_default_views_def();
    def.allocator = counting_allocator(&memory);
    def.threads = 2;
    clv_views *views = clv_views_create(program, map, &def, NULL);
    assert_non_null(views);
    place_square(map, "pos", darts);
    double out[48], energy;
    assembled a = {.slots = clv_id_slots(map, CLV_VERTEX)};
    a.matrix = calloc(9 * a.slots * a.slots, sizeof *a.matrix);
    assert_non_null(a.matrix);
    memory.fail_at = memory.requests + fail_at;
    const clv_result answers[] = {
        clv_views_force(views, out),      clv_views_linearize(views),
        clv_views_energy(views, &energy), clv_views_matrix(views, CLV_STIFFNESS, assemble, &a),
        clv_views_run(views, "turn"),     clv_views_refresh(views),
        clv_views_rebuild(views)};
    uint32_t failed = 0;
    for (uint32_t k = 0; k < sizeof answers / sizeof *answers; k++) {
      assert_true(answers[k] == CLV_OK || answers[k] == CLV_ERROR_MEMORY);
      failed += answers[k] != CLV_OK;
    }
    refused = memory.refused;
    assert_int_equal(failed, refused ? 1 : 0);
    memory.fail_at = 0;
    check(views);
    free(a.matrix);
    clv_views_destroy(views);
    assert_int_equal(memory.live_bytes, 0);
    clv_map_destroy(map);
  }
  clv_program_destroy(program);
}

// Slabs get vertices between evaluations: one by one past every size that their sums had room for.
static void sums_grow_with_their_slabs(void **state) {
  (void)state;
  clv_program *program = program_of(springs);
  clv_map_def map_def = clv_default_map_def();
  map_def.dimension = 2;
  clv_map *map = clv_map_create(&map_def, NULL);
  counting_memory memory = {0};
  clv_views_def def = clv_default_views_def();
  def.allocator = counting_allocator(&memory);
  def.threads = 2;
  clv_views *views = clv_views_create(program, map, &def, NULL);
  assert_non_null(views);
  double force[3 * 1000];
  for (uint32_t k = 0; k < 300; k++) {
    clv_dart dart;
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_map_add_cell(map, CLV_TRI, &dart), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    assert_true(clv_id_slots(map, CLV_VERTEX) <= 1000);
    assert_int_equal(clv_views_force(views, force), CLV_OK);
  }
  check(views);
  clv_views_destroy(views);
  assert_int_equal(memory.live_bytes, 0);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

// What one body of views could not get is not held against the program.
static void programs_forget_refusals(void **state) {
  (void)state;
  counting_memory memory = {0};
  const clv_allocator allocator = counting_allocator(&memory);
  clv_program *program = clv_program_create(&allocator);
  assert_int_equal(clv_program_add(program, "test", springs, strlen(springs)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  clv_dart darts[2];
  clv_map *map = square(darts);
  bool refused = true;
  for (size_t more = 1; refused; more++) {
    memory.refused = false;
    memory.fail_at = memory.requests + more;
    clv_views *views = clv_views_create(program, map, NULL, NULL);
    refused = memory.refused;
    assert_true((views == NULL) == refused);
    clv_views_destroy(views);
    memory.fail_at = 0;
    views = clv_views_create(program, map, NULL, NULL);
    assert_non_null(views);
    clv_views_destroy(views);
  }
  clv_map_destroy(map);
  clv_program_destroy(program);
  assert_int_equal(memory.live_bytes, 0);
}

static void whole_numbers_stay_within_their_type(void **state) {
  (void)state;
  clv_program *program = program_of("embed high:int on vertex = 3e9;\n"
                                    "embed low:int on vertex = -1e300;\n"
                                    "embed none:real on vertex = 0;\n"
                                    "derive odd:int on v:vertex = floor(v.none/v.none);\n");
  clv_dart darts[2];
  clv_map *map = square(darts);
  clv_views *views = views_of(program, map, 1, NULL, 0);
  assert_int_equal(*(const int32_t *)clv_column_at(clv_column_find(map, "high"), darts[0]), INT32_MAX);
  assert_int_equal(*(const int32_t *)clv_column_at(clv_column_find(map, "low"), darts[0]), INT32_MIN);
  assert_int_equal(*(const int32_t *)clv_column_at(clv_column_find(map, "odd"), darts[0]), 0);
  clv_views_destroy(views);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(columns_follow_declarations),
      cmocka_unit_test(nonsense_is_refused),
      cmocka_unit_test(a_spring_pulls),
      cmocka_unit_test(parameters_and_values_reach_rows),
      cmocka_unit_test(sums_are_checked_by_their_terms),
      cmocka_unit_test(updates_read_before_they_write),
      cmocka_unit_test(threads_do_not_change_a_bit),
      cmocka_unit_test(creation_survives_every_refusal),
      cmocka_unit_test(commits_survive_refusals),
      cmocka_unit_test(evaluation_survives_every_refusal),
      cmocka_unit_test(sums_grow_with_their_slabs),
      cmocka_unit_test(programs_forget_refusals),
      cmocka_unit_test(whole_numbers_stay_within_their_type),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
