// Many cells removed in one commit, or many facets unsewn: tables are gone over as a whole then, and their rows are
// what they are when they are built, also when memory runs out on the way.

#include "cleave/mesh.h"
#include "support/bodies.h"
#include "support/counting_allocator.h"
#include "support/hand_views.h"

#include <math.h>

enum { SIDE = 6 }; // cells of a grid, each way

static const clv_grid_kind grids[] = {CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX};
enum { GRIDS = sizeof grids / sizeof *grids };

static void print_difference(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

static void check(clv_map *map, clv_views *views) {
  assert_int_equal(clv_map_check(map, NULL, NULL), CLV_OK);
  if (clv_views_check(views, print_difference, NULL) != CLV_OK) fail_msg("%s", clv_views_error(views));
}

static clv_kind kind_in(const clv_map *map) {
  uint32_t kind = CLV_TRI;
  while (!clv_cell_count(map, (clv_kind)kind)) kind++;
  return (clv_kind)kind;
}

// Every so many cells one.
static void remove_cells(clv_map *map, uint32_t first, uint32_t stride) {
  const clv_kind kind = kind_in(map);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  for (uint32_t row = first; row < clv_cell_rows(map, kind); row += stride)
    if (clv_cell_at(map, kind, row)) assert_int_equal(clv_map_remove_cell(map, clv_cell_at(map, kind, row)), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
}

// All facets of every so many cells.
static void unsew_cells(clv_map *map, uint32_t first, uint32_t stride) {
  const clv_kind kind = kind_in(map);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  for (uint32_t row = first; row < clv_cell_rows(map, kind); row += stride) {
    const clv_dart cell = clv_cell_at(map, kind, row);
    for (clv_dart dart = cell; cell && dart < cell + 64; dart++)
      if (clv_dart_alive(map, dart) && !clv_is_free(map, dart, 3))
        assert_int_equal(clv_map_unsew(map, 3, dart), CLV_OK);
  }
  assert_int_equal(clv_map_commit(map), CLV_OK);
}

static double energy_of(clv_views *views) {
  double energy = 0;
  assert_int_equal(clv_views_energy(views, &energy), CLV_OK);
  return energy;
}

static void edit_and_check(clv_map *map, clv_views *views) {
  for (uint32_t k = 0; k < 40; k++) { // one by one
    remove_cells(map, 7 * k, UINT32_MAX - 7 * k);
    check(map, views);
  }
  remove_cells(map, 1, 10);
  check(map, views);
  unsew_cells(map, 2, 7);
  check(map, views);
  remove_cells(map, 3, 5); // with ids that were given back
  check(map, views);
  const uint64_t rows = clv_views_rows(views, NULL);
  const double energy = energy_of(views);
  assert_int_equal(clv_views_rebuild(views), CLV_OK);
  assert_int_equal(clv_views_rows(views, NULL), rows);
  assert_true(fabs(energy_of(views) - energy) <= 1e-9 * (1 + fabs(energy)));
}

static void bodies_of_all_models_follow(void **state) {
  (void)state;
  static const char *const models[] = {"springs", "springs-hybrid", "fem-corotational", "stvk"};
  for (uint32_t g = 0; g < GRIDS; g++)
    for (uint32_t k = 0; k < sizeof models / sizeof *models; k++) {
      body_setup setup = setup_of(grids[g], models[k]);
      for (uint32_t axis = 0; axis < 3; axis++) setup.grid.cells[axis] = SIDE;
      clv_body *body = body_of(&setup);
      body_shake(body, 0.05, 7);
      edit_and_check(clv_body_map(body), clv_body_views(body));
      clv_body_destroy(body);
    }
}

static clv_map *map_of(clv_grid_kind kind) {
  clv_grid_def grid = clv_default_grid_def();
  const clv_build_def build = clv_default_build_def();
  clv_mesh mesh;
  clv_map *map = NULL;
  clv_error error = {0};
  grid.kind = kind;
  for (uint32_t axis = 0; axis < 3; axis++) grid.cells[axis] = SIDE;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, &error) != CLV_OK || clv_mesh_build(&mesh, &build, &map, NULL, &error) != CLV_OK)
    fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
  return map;
}

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

// Rows that look different from their two ends, that a guard lets go or come, that read a derived value of their
// vertices; on edges, faces and vertices.
static const char odd[] =
    "use body;\n"
    "param least:real[N/m] = 0.7061;\n"
    "param weak:real[N/m] = 1;\n"
    "embed share:real[N/m] on edge&cell = 1 merge sum split copy;\n"
    "derive stiff:real[N/m] on e:edge = sum(f:edge&cell in e) f.share/2;\n"
    "embed heft:real on vertex = 1 blend;\n"
    "derive parts:real on v:vertex = sum(c:corner in v) 1;\n"
    "def length(e) = norm(e.pos-e@0.pos);\n"
    "force lean on e:edge external { where e.stiff > least; energy 0.5*e.stiff*norm(e.heft*e.pos-e@0.heft*e@0.pos)^2; "
    "}\n"
    "force slack on e:edge { where e.stiff < 4*least; energy 0.5*weak*length(e)^2; }\n"
    "force few on v:vertex external { where v.parts < 5; energy 0.5*weak*dot(v.pos, v.pos); }\n"
    "force weighed on e:edge { energy 0.5*e.stiff*length(e)^2+e.parts*e@0.parts*e.stiff*length(e)^2; }\n"
    "force flat on f:tri { energy sum(c:edge&face in f) weak*length(c)^2; }\n"
    "force square on f:quad { energy sum(c:edge&face in f) weak*length(c)^2; }\n"
    "force pulled on v:vertex external { energy 0.5*weak*dot(v.pos, v.pos)*v.parts; }\n";

static clv_result fill(void *user, clv_map *map, clv_error *error) {
  (void)user;
  (void)error;
  uint32_t count;
  double *pos = clv_column_data(clv_column_find(map, "pos"), CLV_NONE, &count);
  double *rest = clv_column_data(clv_column_find(map, "rest"), CLV_NONE, NULL);
  double *heft = clv_column_data(clv_column_find(map, "heft"), CLV_NONE, NULL);
  memcpy(rest, pos, (size_t)count * 3 * sizeof *rest);
  for (uint32_t k = 0; heft && k < count; k++) heft[k] = 0.1 + 0.01 * (k * 37u % 101u);
  double *shares = clv_column_data(clv_column_find(map, "share"), kind_in(map), &count);
  for (uint32_t k = 0; shares && k < count; k++) shares[k] = 0.3 + 0.05 * (k * 7u % 11u);
  return CLV_OK;
}

static clv_views *views_of(const clv_program *program, clv_map *map, const clv_allocator *allocator) {
  clv_views_def def = clv_default_views_def();
  clv_error error = {0};
  def.fill = fill;
  if (allocator) def.allocator = *allocator;
  clv_views *views = clv_views_create(program, map, &def, &error);
  if (!views) fail_msg("%s", error.message);
  return views;
}

static void odd_laws_follow(void **state) {
  (void)state;
  clv_program *program = program_of(odd);
  for (uint32_t g = 0; g < GRIDS; g++) {
    clv_map *map = map_of(grids[g]);
    clv_views *views = views_of(program, map, NULL);
    edit_and_check(map, views);
    clv_views_destroy(views);
    clv_map_destroy(map);
  }
  clv_program_destroy(program);
}

static void laws_by_hand_follow(void **state) {
  (void)state;
  for (uint32_t g = 0; g < GRIDS; g++) {
    clv_map *map = map_of(grids[g]);
    const clv_views_def def = clv_default_views_def();
    clv_error error = {0};
    clv_views *views = hand_views(map, &def, &error);
    if (!views) fail_msg("%s", error.message);
    edit_and_check(map, views);
    clv_views_destroy(views);
    clv_map_destroy(map);
  }
}

// The commit stands, and views that missed it are right when asked next.
static void every_refusal_is_survived(void **state) {
  (void)state;
  clv_program *program = program_of(odd);
  bool refused = true;
  size_t stale = 0;
  for (size_t request = 1; refused; request++) {
    counting_memory memory = {0};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_map *map = map_of(CLV_GRID_TET5);
    clv_views *views = views_of(program, map, &allocator);
    memory.fail_at = memory.requests + request;
    remove_cells(map, 1, 10);
    refused = memory.refused;
    stale += clv_views_stale(views);
    memory.fail_at = 0;
    check(map, views);
    clv_views_destroy(views);
    assert_int_equal(memory.live_bytes, 0);
    clv_map_destroy(map);
  }
  assert_true(stale > 5);
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(bodies_of_all_models_follow), cmocka_unit_test(odd_laws_follow),
                                     cmocka_unit_test(laws_by_hand_follow),
                                     cmocka_unit_test(every_refusal_is_survived)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
