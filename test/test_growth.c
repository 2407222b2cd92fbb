// Arrays that grow: what is in them stays, what is new is as it should be, and nothing else is looked at again.

#include "base/memory.h"
#include "map/plan.h"
#include "support/patients.h"
#include "view/views.h"

static void cleared_arrays_are_cleared_as_far_as_they_are_needed(void **state) {
  (void)state;
  counting_memory memory = {0};
  const clv_allocator allocator = counting_allocator(&memory); // new memory has a pattern
  BASE_ARRAY(uint32_t) array = {0};
  assert_true(BASE_RESERVE_CLEARED(&allocator, &array, 100));
  for (uint32_t k = 0; k < 100; k++) array.data[k] += k;
  assert_true(BASE_RESERVE_CLEARED(&allocator, &array, 101)); // has room for more now
  assert_true(array.count == 101 && array.capacity > 110);
  for (uint32_t k = 0; k < 100; k++) assert_int_equal(array.data[k], k);
  assert_int_equal(array.data[100], 0);
  for (uint32_t k = 101; k < array.capacity; k++) assert_int_equal(array.data[k], 0xa5a5a5a5);
  const size_t requests = memory.requests;
  assert_true(BASE_RESERVE_CLEARED(&allocator, &array, 110) && BASE_RESERVE_CLEARED(&allocator, &array, 50));
  assert_int_equal(memory.requests, requests);
  for (uint32_t k = 100; k < 110; k++) assert_int_equal(array.data[k], 0);
  memory.fail_at = memory.requests + 1;
  assert_false(BASE_RESERVE_CLEARED(&allocator, &array, 1000));
  assert_true(array.count == 110 && array.data[99] == 99);
  BASE_RELEASE(&allocator, &array);
  assert_int_equal(memory.live_bytes, 0);
}

// Bodies that are refined cell by cell, with no step between

typedef struct growing {
  clv_body *body;
  const clv_map *map;
  clv_surgery *surgery;
  uint32_t row; // of the next cell
} growing;

static growing growing_of(uint32_t size, const char *model, const clv_allocator *allocator) {
  beam b = beam_default();
  b.kind = CLV_GRID_TET5;
  b.model = model;
  b.program = laws;
  if (allocator) b.allocator = *allocator;
  memcpy(b.cells, (uint32_t[]){size, 4, 4}, sizeof b.cells);
  memcpy(b.size, (double[]){size, 4, 4}, sizeof b.size);
  growing g = {.body = beam_create(&b)};
  g.map = clv_body_map(g.body);
  g.surgery = operated_surgery(g.body);
  return g;
}

static void growing_free(growing *g) {
  clv_surgery_destroy(g->surgery);
  clv_body_destroy(g->body);
}

static clv_dart next_cell(growing *g) {
  clv_dart cell = 0;
  while (!cell) cell = clv_cell_at(g->map, CLV_TET, g->row++);
  return cell;
}

static clv_result refine_next(growing *g) {
  const clv_dart cell = next_cell(g);
  return clv_surgery_refine_cells(g->surgery, &cell, 1, 1, NULL);
}

static clv_solver *solver_of(clv_body *body) {
  clv_error error;
  clv_solver_def def = clv_default_solver_def();
  def.method = CLV_SYMPLECTIC_EULER;
  clv_solver *solver = clv_solver_create(body, &def, &error);
  if (!solver) fail_msg("%s", error.message);
  assert_int_equal(clv_solver_follow(solver), CLV_OK);
  return solver;
}

// The last vertex is far from those that are refined first. What the solver has of it is spoiled, and stays so.
static void solvers_whose_vectors_grow_look_at_nothing_else(void **state) {
  (void)state;
  growing g = growing_of(5, "fem-corotational", NULL);
  const clv_zone end = clv_zone_box((double[]){-1, -1, -1}, (double[]){0.1, 5, 5});
  assert_int_equal(clv_body_fix(g.body, &end, CLV_XYZ, NULL), CLV_OK);
  clv_solver *solver = solver_of(g.body);
  const uint32_t far = clv_body_slots(g.body) - 1;
  const double inverse = solver->vectors[SOLVE_INVERSE].data[3 * far];
  solver->vectors[SOLVE_INVERSE].data[3 * far] = -1;
  uint32_t capacity = solver->vectors[SOLVE_INVERSE].memory.capacity, grown = 0;
  for (uint32_t k = 0; k < 150; k++) {
    assert_int_equal(refine_next(&g), CLV_OK);
    assert_int_equal(clv_solver_follow(solver), CLV_OK);
    grown += solver->vectors[SOLVE_INVERSE].memory.capacity != capacity;
    capacity = solver->vectors[SOLVE_INVERSE].memory.capacity;
    assert_int_equal((uintptr_t)solver->vectors[SOLVE_INVERSE].data % 64, 0);
    assert_true(solver->vectors[SOLVE_INVERSE].data[3 * far] == -1);
  }
  assert_true(grown >= 1);
  solver->vectors[SOLVE_INVERSE].data[3 * far] = inverse;
  operated_check_followed(solver);
  clv_solver_destroy(solver);
  growing_free(&g);
}

// With the n-th request refused while a body grows and its solver follows: both work once there is memory again.
static bool stands_refusal_while_growing(size_t n) {
  counting_memory memory = {0};
  const clv_allocator allocator = counting_allocator(&memory);
  growing g = growing_of(5, "fem-corotational", &allocator);
  clv_solver *solver = solver_of(g.body);
  memory.fail_at = memory.requests + n;
  memory.refused = false;
  for (uint32_t k = 0; k < 30 && !memory.refused; k++) {
    for (uint32_t j = 0; j < 5 && !memory.refused; j++) (void)refine_next(&g);
    (void)clv_solver_follow(solver);
  }
  const bool refused = memory.refused;
  memory.fail_at = 0;
  assert_int_equal(refine_next(&g), CLV_OK);
  assert_int_equal(clv_solver_follow(solver), CLV_OK);
  if (clv_views_stale(clv_body_views(g.body))) assert_int_equal(clv_views_refresh(clv_body_views(g.body)), CLV_OK);
  operated_check_followed(solver);
  operated_check(g.body);
  clv_solver_destroy(solver);
  growing_free(&g);
  assert_int_equal(memory.live_bytes, 0);
  return refused;
}

static void refused_memory_while_growing_loses_nothing(void **state) {
  (void)state;
  size_t n = 1;
  while (stands_refusal_while_growing(n)) n += 1 + n / 8;
  assert_true(n > 20);
}

// Who refines one cell refines more: records, and marks with them, make room for dozens at once.
static void records_move_once_while_a_body_grows(void **state) {
  (void)state;
  growing g = growing_of(10, "springs", NULL);
  const map *m = map_read(g.map);
  uint32_t capacity = m->records.alpha.capacity, marks = m->scratch->marks.capacity, moves = 0;
  for (uint32_t k = 0; k < 30; k++) {
    g.row = 13 * k;
    assert_int_equal(refine_next(&g), CLV_OK);
    assert_true(m->records.alpha.capacity == capacity || m->scratch->marks.capacity != marks);
    moves += m->records.alpha.capacity != capacity;
    capacity = m->records.alpha.capacity;
    marks = m->scratch->marks.capacity;
  }
  assert_true(m->records.count > 4000 && moves == 1);
  operated_check(g.body);
  growing_free(&g);
}

// Cells that lie apart, in one transaction: there is room for all that they need.
static void what_is_expected_is_enough(void **state) {
  (void)state;
  enum { CELLS = 60 };
  growing g = growing_of(10, "springs", NULL);
  map *m = map_of(clv_body_map(g.body));
  const map_lineage *l = &m->scratch->lineage;
  int32_t *levels = calloc(2000, sizeof *levels);
  assert_non_null(levels);
  assert_int_equal(clv_map_begin(&m->view), CLV_OK);
  assert_int_equal(map_expect_refining(m, CELLS), CLV_OK);
  const uint32_t records = m->records.alpha.capacity, log = m->log.capacity, came = l->came.capacity;
  for (uint32_t k = 0; k < CELLS; k++) {
    const clv_dart cell = clv_cell_at(g.map, CLV_TET, 13 * k);
    assert_int_equal(clv_map_refine(&m->view, cell, 0, levels, NULL), CLV_OK);
  }
  assert_true(l->came.count > 20 * CELLS && !l->broken);
  assert_int_equal(m->records.alpha.capacity, records);
  assert_int_equal(m->log.capacity, log);
  assert_int_equal(l->came.capacity, came);
  clv_map_rollback(&m->view);
  free(levels);
  growing_free(&g);
}

static const view_slab *only_slab(clv_body *body) {
  const clv_views *views = clv_body_views(body);
  for (uint32_t k = 0; k < views->tables.count; k++)
    if (views->tables.data[k].rows) return views->tables.data[k].slab_count == 1 ? views->tables.data[k].slabs : NULL;
  return NULL;
}

// The tail is listed in order, and no vertex is in the slab twice. Whether one of the tail came after a greater slot.
static bool is_mixed(const view_slab *slab) {
  const uint32_t *vertices = slab->vertices.data, *tail = slab->tail.data;
  bool mixed = false;
  assert_int_equal(slab->tail.count, slab->vertices.count - slab->ordered);
  for (uint32_t k = 1; k < slab->ordered; k++) assert_true(vertices[k - 1] < vertices[k]);
  for (uint32_t k = 0, at = 0; k < slab->tail.count; k++) {
    while (at < slab->ordered && vertices[at] < vertices[tail[k]]) at++;
    assert_true(tail[k] >= slab->ordered && (at == slab->ordered || vertices[at] != vertices[tail[k]]));
    if (k == 0) continue;
    assert_true(vertices[tail[k - 1]] < vertices[tail[k]]);
    mixed |= tail[k] < tail[k - 1];
  }
  return mixed;
}

// Commits do not put a slab in order before its tail is as long as the rest; vertices are found in it all the same,
// also where slots of removed ones come again.
static void slabs_have_long_tails(void **state) {
  (void)state;
  growing g = growing_of(10, "springs", NULL);
  const view_slab *slab = only_slab(g.body);
  assert_non_null(slab);
  uint32_t before = 0, ordered = slab->ordered, orders = 0;
  bool mixed = false;
  for (uint32_t k = 0; k < 700; k++) {
    if (k % 8 == 7) {
      const clv_dart cell = next_cell(&g);
      assert_int_equal(clv_surgery_remove_cells(g.surgery, &cell, 1, NULL), CLV_OK);
    } else {
      assert_int_equal(refine_next(&g), CLV_OK);
    }
    if (slab->ordered != ordered) { // by a commit that brought a few dozen
      orders++;
      assert_true(before + 64 >= VIEW_LONG_TAIL && before + 64 >= ordered);
    }
    ordered = slab->ordered;
    before = slab->tail.count;
    mixed |= is_mixed(slab);
  }
  assert_true(mixed && orders == 1);
  operated_check(g.body);
  growing_free(&g);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cleared_arrays_are_cleared_as_far_as_they_are_needed),
      cmocka_unit_test(solvers_whose_vectors_grow_look_at_nothing_else),
      cmocka_unit_test(refused_memory_while_growing_loses_nothing),
      cmocka_unit_test(records_move_once_while_a_body_grows),
      cmocka_unit_test(what_is_expected_is_enough),
      cmocka_unit_test(slabs_have_long_tails),
  };
  return cmocka_run_group_tests_name("growth", tests, make_laws, free_laws);
}
