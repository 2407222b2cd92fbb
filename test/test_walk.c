// Walking: orbits, stars, rings, incidence and adjacency of grids, where every number is known; marks; half-edges; and
// orbits too long for the room that a walk brings with it.

#include "cleave/mesh.h"
#include "support/bench.h"

#include <math.h>
#include <string.h>

static clv_map *build_grid(bench *b, clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z) {
  bench_start(b);
  bench_add_grid(b, kind, x, y, z, true);
  bench_build(b, false);
  return b->map;
}

static uint32_t count_orbit(const clv_map *map, clv_orbit orbit, clv_dart dart) {
  clv_walk walk;
  assert_int_equal(clv_walk_orbit(&walk, map, orbit, dart), CLV_OK);
  const uint32_t count = walk.count;
  clv_walk_end(&walk);
  return count;
}

static uint32_t count_star(const clv_map *map, clv_orbit orbit, clv_dart dart) {
  clv_walk walk;
  assert_int_equal(clv_walk_star(&walk, map, orbit, dart), CLV_OK);
  const uint32_t count = walk.count;
  clv_walk_end(&walk);
  return count;
}

static uint32_t count_incident(const clv_map *map, clv_orbit of, clv_orbit found, clv_dart dart) {
  clv_walk walk;
  assert_int_equal(clv_walk_incident(&walk, map, of, found, dart), CLV_OK);
  const uint32_t count = walk.count;
  clv_walk_end(&walk);
  return count;
}

static uint32_t count_adjacent(const clv_map *map, clv_orbit orbit, clv_orbit through, clv_dart dart) {
  clv_walk walk;
  assert_int_equal(clv_walk_adjacent(&walk, map, orbit, through, dart), CLV_OK);
  const uint32_t count = walk.count;
  clv_walk_end(&walk);
  return count;
}

static uint32_t count_all(const clv_map *map, clv_orbit orbit) {
  clv_walk walk;
  assert_int_equal(clv_walk_all(&walk, map, orbit), CLV_OK);
  const uint32_t count = walk.count;
  for (uint32_t k = 1; k < count; k++) assert_true(walk.darts[k - 1] < walk.darts[k]);
  clv_walk_end(&walk);
  return count;
}

// The dart at a point of the grid's lattice; positions are multiples of the cells' size.
static clv_dart dart_at(const clv_map *map, double x, double y, double z) {
  const clv_column *position = clv_column_find(map, "pos");
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    const double *p = clv_column_at(position, d);
    if (fabs(p[0] - x) < 1e-9 && fabs(p[1] - y) < 1e-9 && fabs(p[2] - z) < 1e-9) return d;
  }
  fail_msg("nothing at %g %g %g", x, y, z);
  return CLV_NO_DART;
}

// One cell

static void a_cube_has_its_parts(void **state) {
  (void)state;
  bench b;
  const clv_map *map = build_grid(&b, CLV_GRID_HEX, 1, 1, 1);
  static const clv_orbit cells[] = {CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_VOLUME};
  static const uint32_t incident[4][4] = {{1, 3, 3, 1}, {2, 1, 2, 1}, {4, 4, 1, 1}, {8, 12, 6, 1}};
  static const uint32_t adjacent[4][4] = {{0, 3, 6, 7}, {4, 0, 6, 11}, {4, 4, 0, 5}, {0, 0, 0, 0}};
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d))
    for (uint32_t i = 0; i < 4; i++)
      for (uint32_t j = 0; j < 4; j++) {
        assert_int_equal(count_incident(map, cells[i], cells[j], d), incident[i][j]);
        assert_int_equal(count_adjacent(map, cells[i], cells[j], d), adjacent[i][j]);
      }
  bench_end(&b);
}

static void the_middle_of_a_grid_meets_everything_twice(void **state) {
  (void)state;
  bench b;
  const clv_map *map = build_grid(&b, CLV_GRID_HEX, 2, 2, 2);
  const clv_dart middle = dart_at(map, 0.75, 0.5, 0.5), corner = dart_at(map, 0, 0, 0);
  assert_int_equal(count_star(map, CLV_VERTEX, middle), 8);
  assert_int_equal(count_orbit(map, CLV_VERTEX, middle), 48);
  assert_int_equal(count_incident(map, CLV_VERTEX, CLV_EDGE, middle), 6);
  assert_int_equal(count_incident(map, CLV_VERTEX, CLV_FACE, middle), 12);
  assert_int_equal(count_incident(map, CLV_VERTEX, CLV_VOLUME, middle), 8);
  assert_int_equal(count_adjacent(map, CLV_VERTEX, CLV_EDGE, middle), 6);
  assert_int_equal(count_adjacent(map, CLV_VERTEX, CLV_VOLUME, middle), 26);
  assert_int_equal(count_star(map, CLV_VERTEX, corner), 1);
  assert_int_equal(count_adjacent(map, CLV_CELL, CLV_FACE, corner), 3);
  assert_int_equal(count_adjacent(map, CLV_CELL, CLV_EDGE, corner), 6);
  assert_int_equal(count_adjacent(map, CLV_CELL, CLV_VERTEX, corner), 7);
  assert_int_equal(count_orbit(map, CLV_COMPONENT, corner), 8 * 48);
  assert_int_equal(count_orbit(map, CLV_ORBIT(0, 0, 0, 0), corner), 1);
  assert_int_equal(count_orbit(map, CLV_CORNER, corner), 6);
  assert_int_equal(count_orbit(map, CLV_CELL_FACET(3), corner), 8);
  bench_end(&b);
}

static void all_orbits_are_listed_once(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    const clv_map *map = build_grid(&b, (clv_grid_kind)kind, 2, 2, 2);
    const clv_map_info info = bench_info(&b);
    const uint32_t n = map->dimension;
    static const clv_orbit cells[] = {CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_VOLUME};
    for (uint32_t i = 0; i <= n; i++) assert_int_equal(count_all(map, i == n ? CLV_CELL : cells[i]), info.cells[i]);
    assert_int_equal(count_all(map, CLV_COMPONENT), 1);
    assert_int_equal(count_all(map, CLV_ORBIT(0, 0, 0, 0)), info.darts);
    bench_end(&b);
  }
}

// Every walk's orbit holds every dart of it once: sizes of all add up to all darts.
static void orbits_part_the_darts(void **state) {
  (void)state;
  bench b;
  const clv_map *map = build_grid(&b, CLV_GRID_MIXED, 2, 2, 2);
  for (uint32_t dims = 0; dims < 16; dims++) {
    clv_walk all;
    uint64_t darts = 0;
    assert_int_equal(clv_walk_all(&all, map, dims), CLV_OK);
    for (uint32_t k = 0; k < all.count; k++) darts += count_orbit(map, dims, all.darts[k]);
    assert_int_equal(darts, clv_dart_count(map));
    clv_walk_end(&all);
  }
  bench_end(&b);
}

// Stars and rings

static clv_id cell_of(const clv_map *map, clv_dart dart) {
  return clv_id_of(map, CLV_CELL, dart);
}

static bool share_facet(const clv_map *map, clv_dart a, clv_dart b) {
  clv_walk facets;
  bool found = false;
  const clv_orbit facet = map->dimension == 2 ? CLV_EDGE : CLV_FACE;
  assert_int_equal(clv_walk_adjacent(&facets, map, CLV_CELL, facet, a), CLV_OK);
  for (uint32_t k = 0; k < facets.count; k++) found |= cell_of(map, facets.darts[k]).index == cell_of(map, b).index;
  clv_walk_end(&facets);
  return found;
}

static bool on_orbit(const clv_map *map, clv_orbit orbit, clv_dart dart, clv_dart wanted) {
  clv_walk walk;
  bool found = false;
  assert_int_equal(clv_walk_orbit(&walk, map, orbit, dart), CLV_OK);
  for (uint32_t k = 0; k < walk.count; k++) found |= walk.darts[k] == wanted;
  clv_walk_end(&walk);
  return found;
}

// Cells in the order in which one goes round: each shares a facet with the next, a closed ring its last with its first.
static void assert_ring(const clv_map *map, clv_orbit orbit, clv_dart dart) {
  clv_walk ring;
  assert_int_equal(clv_walk_star(&ring, map, orbit, dart), CLV_OK);
  assert_int_equal(ring.count, count_incident(map, orbit, CLV_CELL, dart));
  bool open = false;
  clv_walk darts;
  assert_int_equal(clv_walk_orbit(&darts, map, orbit, dart), CLV_OK);
  for (uint32_t k = 0; k < darts.count; k++) open |= clv_is_free(map, darts.darts[k], map->dimension);
  clv_walk_end(&darts);
  for (uint32_t k = 0; k < ring.count; k++) {
    assert_true(on_orbit(map, orbit, dart, ring.darts[k]));
    for (uint32_t j = 0; j < k; j++)
      assert_int_not_equal(cell_of(map, ring.darts[j]).index, cell_of(map, ring.darts[k]).index);
    const bool last = k + 1 == ring.count;
    if (ring.count > 1 && !(last && open)) assert_true(share_facet(map, ring.darts[k], ring.darts[last ? 0 : k + 1]));
  }
  clv_walk_end(&ring);
}

static void rings_go_round(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    const clv_map *map = build_grid(&b, (clv_grid_kind)kind, 2, 2, 2);
    const clv_orbit orbit = map->dimension == 2 ? CLV_VERTEX : CLV_EDGE;
    clv_walk all;
    assert_int_equal(clv_walk_all(&all, map, orbit), CLV_OK);
    for (uint32_t k = 0; k < all.count; k++) assert_ring(map, orbit, all.darts[k]);
    clv_walk_end(&all);
    bench_end(&b);
  }
}

// A ring that ends at the boundary is the same, from end to end, wherever one enters it.
static void an_open_ring_starts_at_an_end(void **state) {
  (void)state;
  bench b;
  const clv_map *map = build_grid(&b, CLV_GRID_TRI, 3, 3, 1);
  const clv_dart rim = dart_at(map, 0.5, 0, 0);
  clv_walk darts, ring;
  assert_int_equal(clv_walk_orbit(&darts, map, CLV_VERTEX, rim), CLV_OK);
  const uint32_t cells = darts.count / 2;
  assert_true(cells > 2);
  for (uint32_t k = 0; k < darts.count; k++) {
    assert_int_equal(clv_walk_star(&ring, map, CLV_VERTEX, darts.darts[k]), CLV_OK);
    assert_int_equal(ring.count, cells);
    for (uint32_t end = 0; end < 2; end++) { // the outer cells have a free edge at the vertex
      const clv_dart d = ring.darts[end ? cells - 1 : 0];
      assert_true(clv_is_free(map, d, 2) || clv_is_free(map, clv_alpha(map, d, 1), 2));
    }
    clv_walk_end(&ring);
  }
  clv_walk_end(&darts);
  bench_end(&b);
}

// With a hanging vertex some cells of a star have no shape: the star is the same set of cells.
static void stars_pass_through_extended_cells(void **state) {
  (void)state;
  bench b;
  clv_map *map = build_grid(&b, CLV_GRID_HEX, 2, 2, 2);
  const clv_dart middle = dart_at(map, 0.75, 0.5, 0.5);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_insert_vertex(map, middle, NULL), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_int_equal(bench_info(&b).extended, 4);
  assert_int_equal(count_star(map, CLV_VERTEX, middle), 8);
  assert_int_equal(count_orbit(map, CLV_VERTEX, middle), 48);
  assert_int_equal(count_star(map, CLV_EDGE, middle), 4);
  assert_ring(map, CLV_EDGE, middle);
  assert_int_equal(count_incident(map, CLV_VERTEX, CLV_EDGE, middle), 6);
  bench_end(&b);
}

// Half-edges

static void assert_half_edges(const clv_map *map) {
  const uint32_t n = map->dimension;
  uint64_t side = 0;
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    if (clv_side(map, d)) continue;
    side++;
    const clv_dart next = clv_beta(map, d, 1), previous = clv_beta(map, d, 0);
    assert_int_equal(clv_beta(map, next, 0), d);
    assert_int_equal(clv_beta(map, previous, 1), d);
    assert_int_equal(clv_side(map, next), 0);
    assert_true(on_orbit(map, CLV_CELL_FACET(3), d, next));
    for (uint32_t i = 2; i <= n; i++) {
      const clv_dart beyond = clv_beta(map, d, i);
      assert_int_equal(beyond == CLV_NO_DART, clv_is_free(map, d, i));
      if (!beyond) continue;
      assert_int_equal(clv_beta(map, beyond, i), d);
      assert_int_equal(clv_side(map, beyond), 0);
      assert_int_not_equal(beyond, d);
    }
    // Following b1 comes back round the face.
    uint32_t steps = 0;
    clv_dart at = d;
    do at = clv_beta(map, at, 1);
    while (++steps < 64 && at != d);
    assert_int_equal(at, d);
    assert_int_equal(2 * steps, count_orbit(map, CLV_ORBIT(1, 1, 0, 0), d));
  }
  assert_int_equal(2 * side, clv_dart_count(map));
}

static void half_edges_of_grids(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    assert_half_edges(build_grid(&b, (clv_grid_kind)kind, 2, 2, 1));
    bench_end(&b);
  }
}

static void half_edges_of_cells_under_surgery(void **state) {
  (void)state;
  bench b;
  clv_map *map = build_grid(&b, CLV_GRID_HEX, 2, 1, 1);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_insert_vertex(map, clv_dart_next(map, 0), NULL), CLV_OK);
  assert_int_equal(clv_map_add_polygon(map, 5, NULL), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_half_edges(map);
  bench_end(&b);
}

// Marks

static void marks_remember_darts(void **state) {
  (void)state;
  bench b;
  const clv_map *map = build_grid(&b, CLV_GRID_MIXED, 2, 2, 2);
  const size_t live = b.memory.live_bytes;
  clv_marks *marks = clv_marks_create(map), *others = clv_marks_create(map);
  assert_non_null(marks);
  assert_non_null(others);
  for (uint32_t again = 0; again < 2; again++) {
    uint32_t number = 0;
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d), number++) {
      assert_false(clv_marks_get(marks, d));
      if (number % 3 == again) assert_int_equal(clv_marks_set(marks, d), CLV_OK);
    }
    number = 0;
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d), number++) {
      assert_int_equal(clv_marks_get(marks, d), number % 3 == again);
      assert_false(clv_marks_get(others, d)); // marks of one's own
    }
    clv_marks_clear(marks);
  }
  assert_false(clv_marks_get(marks, UINT32_MAX)); // never set, wherever it is
  clv_marks_destroy(marks);
  clv_marks_destroy(others);
  clv_marks_destroy(NULL);
  assert_int_equal(b.memory.live_bytes, live);
  bench_end(&b);
}

// Long orbits

enum { AROUND = 1000 };

static void fill_fan(bench *b) {
  bench_start(b);
  bench_add_points(b, (const double[][3]){{0, 0, 0}, {0, 0, 1}}, 2);
  for (uint32_t k = 0; k < AROUND; k++) {
    const double angle = 6.283185307179586 * k / AROUND;
    assert_int_equal(clv_mesh_add_point(&b->mesh, cos(angle), sin(angle), 0), CLV_OK);
    ADD(b, CLV_TET, 0, 1, 2 + k, 2 + (k + 1) % AROUND);
  }
  bench_build(b, false);
}

static void long_orbits_take_memory_and_give_it_back(void **state) {
  (void)state;
  bench b;
  fill_fan(&b);
  const clv_map *map = b.map;
  const clv_dart axis = clv_cell_at(map, CLV_TET, 0);
  const size_t live = b.memory.live_bytes;
  assert_int_equal(count_orbit(map, CLV_EDGE, axis), 4 * AROUND);
  assert_int_equal(count_orbit(map, CLV_VERTEX, axis), 6 * AROUND);
  assert_int_equal(count_star(map, CLV_EDGE, axis), AROUND);
  assert_int_equal(count_star(map, CLV_VERTEX, axis), AROUND);
  assert_int_equal(count_star(map, CLV_COMPONENT, axis), AROUND);
  assert_int_equal(count_incident(map, CLV_EDGE, CLV_FACE, axis), AROUND);
  assert_int_equal(count_incident(map, CLV_VERTEX, CLV_VOLUME, axis), AROUND);
  assert_int_equal(count_adjacent(map, CLV_VERTEX, CLV_EDGE, axis), AROUND + 1);
  assert_int_equal(count_all(map, CLV_EDGE), 1 + 3 * AROUND);
  assert_int_equal(b.memory.live_bytes, live);
  clv_walk walk;
  const size_t requests = b.memory.requests;
  assert_int_equal(clv_walk_orbit(&walk, map, CLV_CELL, axis), CLV_OK);
  assert_int_equal(b.memory.requests, requests); // a short one needs none
  clv_walk_end(&walk);
  clv_walk_end(&walk); // once is enough, twice is allowed
  bench_end(&b);
}

// The ring of a long edge is in order too, and closed: from anywhere it is as long.
static void a_long_ring_is_in_order(void **state) {
  (void)state;
  bench b;
  fill_fan(&b);
  clv_walk ring;
  assert_int_equal(clv_walk_star(&ring, b.map, CLV_EDGE, clv_cell_at(b.map, CLV_TET, 7)), CLV_OK);
  assert_int_equal(ring.count, AROUND);
  for (uint32_t k = 0; k < AROUND; k++) {
    const uint32_t row = clv_cell_row(b.map, ring.darts[k]), next = clv_cell_row(b.map, ring.darts[(k + 1) % AROUND]);
    const uint32_t step = (next + AROUND - row) % AROUND;
    assert_true(step == 1 || step == AROUND - 1);
  }
  clv_walk_end(&ring);
  bench_end(&b);
}

static void an_empty_map_has_nothing_to_walk(void **state) {
  (void)state;
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    clv_map_def def = clv_default_map_def();
    def.dimension = dimension;
    clv_map *map = clv_map_create(&def, NULL);
    assert_non_null(map);
    assert_int_equal(clv_dart_next(map, 0), CLV_NO_DART);
    assert_int_equal(clv_dart_count(map), 0);
    assert_false(clv_dart_alive(map, 1u << CLV_PAGE_SHIFT));
    assert_int_equal(count_all(map, CLV_VERTEX), 0);
    assert_int_equal(clv_id_next(map, CLV_CELL, (clv_id){0, 0}).index, 0);
    assert_int_equal(clv_id_next(map, CLV_VERTEX, (clv_id){0, 0}).index, 0);
    clv_marks *marks = clv_marks_create(map);
    assert_non_null(marks);
    clv_marks_clear(marks);
    clv_marks_destroy(marks);
    clv_map_destroy(map);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_cube_has_its_parts),
      cmocka_unit_test(the_middle_of_a_grid_meets_everything_twice),
      cmocka_unit_test(all_orbits_are_listed_once),
      cmocka_unit_test(orbits_part_the_darts),
      cmocka_unit_test(rings_go_round),
      cmocka_unit_test(an_open_ring_starts_at_an_end),
      cmocka_unit_test(stars_pass_through_extended_cells),
      cmocka_unit_test(half_edges_of_grids),
      cmocka_unit_test(half_edges_of_cells_under_surgery),
      cmocka_unit_test(marks_remember_darts),
      cmocka_unit_test(long_orbits_take_memory_and_give_it_back),
      cmocka_unit_test(a_long_ring_is_in_order),
      cmocka_unit_test(an_empty_map_has_nothing_to_walk),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
