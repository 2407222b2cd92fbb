// The naive map itself: before it judges the kernel, it is held against what is known of cells, surfaces and solids.

#include "support/random.h"
#include "support/reference.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

static uint32_t cells(const reference *map, uint32_t i) {
  ref_dart label[REFERENCE_DARTS];
  return reference_label(map, reference_cell_dims(map, i), label);
}

static int euler(const reference *map) {
  int sum = 0;
  for (uint32_t i = 0; i <= map->dimension; i++) sum += (i % 2 ? -1 : 1) * (int)cells(map, i);
  return sum;
}

static void assert_cells(const reference *map, uint32_t vertices, uint32_t edges, uint32_t faces, uint32_t volumes) {
  const uint32_t expected[4] = {vertices, edges, faces, volumes};
  assert_true(reference_valid(map));
  for (uint32_t i = 0; i <= map->dimension; i++) assert_int_equal(cells(map, i), expected[i]);
}

// The dart that lies some steps along a face: a0, a1, a0 ...
static ref_dart along(const reference *map, ref_dart dart, uint32_t steps) {
  for (uint32_t k = 0; k < steps; k++) dart = map->alpha[dart][k % 2];
  return dart;
}

static void cells_have_the_right_numbers(void **state) {
  (void)state;
  static const struct {
    clv_kind kind;
    uint32_t darts, vertices, edges, faces;
  } known[] = {{CLV_TET, 24, 4, 6, 4}, {CLV_PYRAMID, 32, 5, 8, 5}, {CLV_PRISM, 36, 6, 9, 5}, {CLV_HEX, 48, 8, 12, 6}};
  for (uint32_t k = 0; k < 4; k++) {
    reference map;
    reference_init(&map, 3);
    const ref_dart dart = reference_add_cell(&map, known[k].kind);
    assert_int_equal(map.count, known[k].darts);
    assert_cells(&map, known[k].vertices, known[k].edges, known[k].faces, 1);
    assert_int_equal(euler(&map), 1);
    assert_true(reference_orientable(&map));
    assert_int_equal(reference_cell_kind(&map, dart), known[k].kind);
    assert_int_equal(reference_boundary_facets(&map), known[k].faces);
    assert_int_equal(reference_open_darts(&map), 0);
  }
}

static void two_cubes_share_a_face(void **state) {
  (void)state;
  reference map;
  reference_init(&map, 3);
  const ref_dart a = reference_add_cell(&map, CLV_HEX), b = reference_add_cell(&map, CLV_HEX);
  assert_true(reference_sew(&map, 3, a, b));
  assert_cells(&map, 12, 20, 11, 2);
  assert_int_equal(euler(&map), 1);
  assert_false(reference_sew(&map, 3, a, b));
  assert_true(reference_unsew(&map, 3, along(&map, b, 3)));
  assert_cells(&map, 16, 24, 12, 2);
  assert_false(reference_unsew(&map, 3, a));
}

static void facets_of_different_size_do_not_fit(void **state) {
  (void)state;
  reference map;
  reference_init(&map, 3);
  const ref_dart tet = reference_add_cell(&map, CLV_TET), hex = reference_add_cell(&map, CLV_HEX);
  assert_false(reference_sew(&map, 3, tet, hex));
  assert_false(reference_sew(&map, 3, tet, tet));
  assert_false(reference_sew(&map, 3, tet, along(&map, tet, 3)));
}

// A square whose sides are glued: bottom to top and left to right, each with or without a twist.
static void glue_square(reference *map, bool twist_one, bool twist_other) {
  reference_init(map, 2);
  const ref_dart d = reference_add_polygon(map, 4);
  assert_true(reference_sew(map, 2, d, along(map, d, twist_one ? 4 : 5)));
  assert_true(reference_sew(map, 2, along(map, d, 2), along(map, d, twist_other ? 6 : 7)));
}

static void a_square_becomes_a_closed_surface(void **state) {
  (void)state;
  reference map;
  glue_square(&map, false, false); // the torus
  assert_cells(&map, 1, 2, 1, 0);
  assert_true(reference_orientable(&map));
  glue_square(&map, true, false); // the Klein bottle
  assert_int_equal(euler(&map), 0);
  assert_false(reference_orientable(&map));
  glue_square(&map, true, true); // the projective plane
  assert_int_equal(euler(&map), 1);
  assert_false(reference_orientable(&map));
  assert_int_equal(reference_boundary_facets(&map), 0);
}

static void polyhedra_are_recognized(void **state) {
  (void)state;
  static const uint32_t prism_sizes[] = {4, 3, 4, 3, 4};
  static const uint32_t prism_corners[] = {9, 4, 7, 2, 5, 9, 2, 8, 4, 9, 5, 4, 8, 7, 2, 7, 8, 5};
  static const uint32_t pillow_sizes[] = {3, 3}, pillow_corners[] = {0, 1, 2, 2, 1, 0};
  static const uint32_t open_sizes[] = {3, 3, 3}, open_corners[] = {0, 1, 2, 1, 0, 3, 2, 1, 3};
  static const uint32_t two_sizes[] = {3, 3, 3, 3}, two_corners[] = {0, 1, 2, 0, 1, 2, 3, 4, 5, 3, 4, 5};
  reference map;
  reference_init(&map, 3);
  ref_dart dart = 0;
  assert_true(reference_add_polyhedron(&map, 5, prism_sizes, prism_corners, &dart));
  assert_int_equal(reference_cell_kind(&map, dart), CLV_PRISM);
  assert_true(reference_add_polyhedron(&map, 2, pillow_sizes, pillow_corners, &dart));
  assert_int_equal(reference_cell_kind(&map, dart), CLV_POLYHEDRON);
  assert_false(reference_add_polyhedron(&map, 3, open_sizes, open_corners, &dart));
  assert_false(reference_add_polyhedron(&map, 4, two_sizes, two_corners, &dart));
  assert_int_equal(map.count, 36 + 12);
}

static void a_cut_cube_is_two_prisms(void **state) {
  (void)state;
  reference map;
  reference_init(&map, 3);
  const ref_dart hex = reference_add_cell(&map, CLV_HEX);
  const ref_dart at_0 = hex, at_6 = (ref_dart)(hex + 44); // edges 01 and 65 of the faces 0123 and 4765
  ref_dart below = 0, above = 0, wall = 0, path[REFERENCE_DARTS];
  assert_false(reference_insert_edge(&map, at_0, along(&map, at_0, 1), &below));
  assert_false(reference_insert_edge(&map, at_0, along(&map, at_0, 2), &below));
  assert_false(reference_insert_edge(&map, at_0, along(&map, at_0, 5), &below));
  assert_true(reference_insert_edge(&map, at_0, along(&map, at_0, 3), &below)); // from 0 to 2
  assert_true(reference_insert_edge(&map, at_6, along(&map, at_6, 3), &above)); // from 6 to 4
  assert_cells(&map, 8, 14, 8, 1);
  bool patch[REFERENCE_DARTS] = {false};
  const ref_dart faces[] = {at_0, (ref_dart)(hex + 8), (ref_dart)(hex + 16), at_6}; // those at the edge 15
  for (uint32_t k = 0; k < 4; k++) reference_add_to_patch(&map, faces[k], patch);
  assert_int_equal(reference_patch_boundary(&map, patch, below, path), 4);
  assert_false(reference_insert_face(&map, path, 3, &wall));
  assert_true(reference_insert_face(&map, path, 4, &wall));
  assert_cells(&map, 8, 14, 9, 2);
  assert_int_equal(reference_cell_kind(&map, at_0), CLV_PRISM);
  assert_int_equal(reference_cell_kind(&map, map.alpha[wall][3]), CLV_PRISM);
}

static void what_is_inserted_can_be_removed(void **state) {
  (void)state;
  reference map;
  reference_init(&map, 3);
  const ref_dart a = reference_add_cell(&map, CLV_HEX), b = reference_add_cell(&map, CLV_HEX);
  assert_true(reference_sew(&map, 3, a, b));
  ref_dart vertex = 0, edge = 0;
  assert_true(reference_insert_vertex(&map, a, &vertex));
  assert_cells(&map, 13, 21, 11, 2);
  assert_int_equal(reference_cell_kind(&map, a), CLV_POLYHEDRON);
  assert_true(reference_insert_edge(&map, vertex, along(&map, vertex, 5), &edge));
  assert_cells(&map, 13, 22, 12, 2);
  assert_false(reference_remove(&map, 0, vertex)); // three edges meet there now
  assert_true(reference_remove(&map, 1, edge));
  assert_true(reference_remove(&map, 0, vertex));
  assert_cells(&map, 12, 20, 11, 2);
  assert_int_equal(reference_cell_kind(&map, a), CLV_HEX);
  assert_true(reference_remove(&map, 2, a)); // the face between them: one cell remains
  assert_cells(&map, 12, 20, 10, 1);
}

static void contraction_takes_a_dimension_away(void **state) {
  (void)state;
  reference map;
  reference_init(&map, 3);
  const ref_dart hex = reference_add_cell(&map, CLV_HEX);
  assert_false(reference_contract(&map, 2, hex)); // more than two edges
  assert_true(reference_contract(&map, 1, hex));
  assert_cells(&map, 7, 11, 6, 1);
  reference_init(&map, 2);
  const ref_dart quad = reference_add_polygon(&map, 4), edge = along(&map, quad, 2);
  assert_true(reference_contract(&map, 1, quad));
  assert_int_equal(reference_cell_kind(&map, edge), CLV_TRI);
  const ref_dart last = along(&map, edge, 2);
  assert_true(reference_contract(&map, 1, edge));
  assert_true(reference_contract(&map, 2, last)); // a digon: nothing is left
  assert_int_equal(map.count, 0);
}

static void removing_a_cell_frees_its_neighbours(void **state) {
  (void)state;
  reference map;
  reference_init(&map, 3);
  const ref_dart a = reference_add_cell(&map, CLV_PRISM), b = reference_add_cell(&map, CLV_TET);
  assert_true(reference_sew(&map, 3, a, b));
  reference_remove_cell(&map, a);
  assert_cells(&map, 4, 6, 4, 1);
  assert_true(reference_free(&map, b, 3));
}

// Any operation with any darts: the map stays a G-map, and what is refused changes nothing.
static bool do_anything(reference *map, random_source *random) {
  const ref_dart a = (ref_dart)(1 + random_below(random, map->end - 1));
  const ref_dart b = (ref_dart)(1 + random_below(random, map->end - 1));
  const uint32_t i = random_below(random, map->dimension + 1);
  ref_dart added = 0;
  if (!reference_alive(map, a) || !reference_alive(map, b)) return false;
  switch (random_below(random, 8)) {
  case 0:
  case 1:
    return reference_sew(map, i, a, b);
  case 2:
    return reference_unsew(map, i, a);
  case 3:
    return reference_insert_vertex(map, a, &added);
  case 4:
    return reference_insert_edge(map, a, along(map, a, 3), &added);
  case 5:
    return i < map->dimension && reference_remove(map, i, a);
  case 6:
    return i > 0 && reference_contract(map, i, a);
  default:
    reference_remove_cell(map, a);
    return true;
  }
}

static void random_edits_keep_it_valid(void **state) {
  (void)state;
  for (uint64_t seed = 0; seed < 100; seed++) {
    random_source random = {seed};
    reference map;
    reference_init(&map, 2 + (seed & 1));
    for (uint32_t step = 0; step < 100; step++) {
      while (map.count < 100)
        reference_add_cell(&map, (clv_kind)(map.dimension == 2 ? CLV_TRI + random_below(&random, 2)
                                                               : CLV_TET + random_below(&random, 4)));
      const reference before = map;
      if (!do_anything(&map, &random)) assert_memory_equal(&map, &before, sizeof map);
      if (!reference_valid(&map)) fail_msg("seed %u, step %u: the map is broken", (unsigned)seed, step);
      reference_settle(&map);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_have_the_right_numbers),
      cmocka_unit_test(two_cubes_share_a_face),
      cmocka_unit_test(facets_of_different_size_do_not_fit),
      cmocka_unit_test(a_square_becomes_a_closed_surface),
      cmocka_unit_test(polyhedra_are_recognized),
      cmocka_unit_test(a_cut_cube_is_two_prisms),
      cmocka_unit_test(what_is_inserted_can_be_removed),
      cmocka_unit_test(contraction_takes_a_dimension_away),
      cmocka_unit_test(removing_a_cell_frees_its_neighbours),
      cmocka_unit_test(random_edits_keep_it_valid),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
