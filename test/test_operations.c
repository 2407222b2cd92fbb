// Each operation of the map, on cells small enough to be drawn on paper: what it does, what it refuses, and what it
// answers to nonsense.
//
// The twins compare every link, id and event with the naive map; here stands what the result should be called.

#include "support/compare.h"
#include "support/counting_allocator.h"

#include <string.h>

// The twins of one test, in memory that is counted.

typedef struct counted_twins {
  twins twins; // first: these twins are those
  counting_memory memory;
} counted_twins;

static twins *begin(uint32_t dimension) {
  counted_twins *counted = calloc(1, sizeof *counted);
  assert_non_null(counted);
  const clv_map_def def = {.dimension = dimension, .allocator = counting_allocator(&counted->memory)};
  twins_init(&counted->twins, &def);
  twins_begin(&counted->twins);
  return &counted->twins;
}

static void end(twins *t) {
  counted_twins *counted = (counted_twins *)t;
  twins_free(t);
  assert_int_equal(counted->memory.live_bytes, 0);
  free(counted);
}

static void commit_and_begin(twins *t) {
  twins_commit(t);
  twins_check_counts(t);
  twins_begin(t);
}

static void assert_counts(const twins *t, uint64_t vertices, uint64_t edges, uint64_t faces, uint64_t volumes) {
  const uint64_t expected[4] = {vertices, edges, faces, volumes};
  clv_map_info info;
  twins_check_counts(t);
  assert_int_equal(clv_map_count(t->map, &info), CLV_OK);
  for (uint32_t i = 0; i < 4; i++) assert_int_equal(info.cells[i], expected[i]);
}

static clv_kind kind_at(const twins *t, ref_dart dart) {
  return clv_cell_kind(t->map, t->kernel_of[dart]);
}

// The dart some steps along a face: a0, a1, a0 ...
static ref_dart along(const twins *t, ref_dart dart, uint32_t steps) {
  for (uint32_t k = 0; k < steps; k++) dart = t->naive.alpha[dart][k % 2];
  return dart;
}

static uint32_t events_of(const twins *t, clv_orbit orbit, clv_event_kind kind) {
  uint32_t found = 0;
  for (uint32_t e = 0; e < t->event_count; e++)
    found += t->events[e].dims == clv_orbit_dims(t->map, orbit) && t->events[e].kind == kind;
  return found;
}

// Adding

static void cells_are_added(void **state) {
  (void)state;
  static const uint32_t numbers[4][3] = {{4, 6, 4}, {5, 8, 5}, {6, 9, 5}, {8, 12, 6}};
  for (clv_kind kind = CLV_TET; kind <= CLV_HEX; kind++) {
    twins *t = begin(3);
    const ref_dart dart = twins_add_cell(t, kind);
    const uint32_t *number = numbers[kind - CLV_TET];
    twins_commit(t);
    assert_counts(t, number[0], number[1], number[2], 1);
    assert_int_equal(kind_at(t, dart), kind);
    assert_int_equal(clv_cell_count(t->map, kind), 1);
    assert_int_equal(clv_cell_at(t->map, kind, clv_cell_row(t->map, t->kernel_of[dart])), t->kernel_of[dart]);
    assert_int_equal(events_of(t, CLV_VERTEX, CLV_CREATED), number[0]);
    assert_int_equal(events_of(t, CLV_CELL, CLV_CREATED), 1);
    end(t);
  }
}

static void polygons_are_templates_when_they_can_be(void **state) {
  (void)state;
  twins *t = begin(2);
  const ref_dart three = twins_add_polygon(t, 3), four = twins_add_polygon(t, 4), five = twins_add_polygon(t, 5);
  twins_commit(t);
  assert_int_equal(kind_at(t, three), CLV_TRI);
  assert_int_equal(kind_at(t, four), CLV_QUAD);
  assert_int_equal(kind_at(t, five), CLV_POLYGON);
  assert_counts(t, 12, 12, 3, 0);
  end(t);
}

static void a_polygon_in_space_is_an_open_cell(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart face = twins_add_polygon(t, 4);
  twins_commit(t);
  assert_int_equal(kind_at(t, face), CLV_POLYHEDRON);
  assert_counts(t, 4, 4, 1, 1);
  end(t);
}

static const uint32_t tet_sizes[] = {3, 3, 3, 3};

static void polyhedra_are_glued_by_their_corners(void **state) {
  (void)state;
  static const uint32_t tet[] = {7, 3, 9, 3, 7, 1, 9, 3, 1, 7, 9, 1};
  static const uint32_t cube_sizes[] = {4, 4, 4, 4, 4, 4};
  static const uint32_t cube[] = {0, 1, 3, 2, 0, 4, 5, 1, 1, 5, 7, 3, 3, 7, 6, 2, 2, 6, 4, 0, 4, 6, 7, 5};
  static const uint32_t open[] = {0, 1, 2, 1, 0, 3, 2, 1, 3};
  static const uint32_t crowded[] = {0, 1, 2, 1, 0, 3, 0, 1, 4, 0, 1, 5};
  static const uint32_t apart[] = {0, 1, 2, 2, 1, 0, 3, 4, 5, 5, 4, 3};
  twins *t = begin(3);
  ref_dart a = 0, b = 0, none = 0;
  assert_true(twins_add_polyhedron(t, 4, tet_sizes, tet, &a));
  assert_true(twins_add_polyhedron(t, 6, cube_sizes, cube, &b));
  assert_false(twins_add_polyhedron(t, 3, tet_sizes, open, &none));
  assert_non_null(strstr(clv_map_error(t->map), "edge"));
  assert_false(twins_add_polyhedron(t, 4, tet_sizes, crowded, &none));
  assert_non_null(strstr(clv_map_error(t->map), "edge"));
  assert_false(twins_add_polyhedron(t, 4, tet_sizes, apart, &none));
  twins_commit(t);
  assert_int_equal(kind_at(t, a), CLV_TET);
  assert_int_equal(kind_at(t, b), CLV_HEX);
  assert_counts(t, 12, 18, 10, 2);
  end(t);
}

// Sewing

static void sewn_faces_are_one(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart a = twins_add_cell(t, CLV_TET), b = twins_add_cell(t, CLV_TET);
  commit_and_begin(t);
  assert_true(twins_sew(t, 3, a, b));
  commit_and_begin(t);
  assert_counts(t, 5, 9, 7, 2);
  assert_int_equal(events_of(t, CLV_VERTEX, CLV_MERGED), 3);
  assert_int_equal(events_of(t, CLV_FACE, CLV_MERGED), 1);
  assert_int_equal(events_of(t, CLV_CELL, CLV_CHANGED), 0);
  assert_true(twins_unsew(t, 3, along(t, b, 3)));
  twins_commit(t);
  assert_counts(t, 8, 12, 8, 2);
  assert_int_equal(events_of(t, CLV_VERTEX, CLV_SPLIT), 3);
  assert_int_equal(events_of(t, CLV_FACE, CLV_SPLIT), 1);
  end(t);
}

static void only_what_fits_is_sewn(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart tet = twins_add_cell(t, CLV_TET), other = twins_add_cell(t, CLV_TET), hex = twins_add_cell(t, CLV_HEX);
  assert_false(twins_sew(t, 3, tet, hex));              // three sides and four
  assert_false(twins_sew(t, 3, tet, tet));              // itself
  assert_false(twins_sew(t, 3, tet, along(t, tet, 3))); // its own face
  assert_false(twins_sew(t, 2, tet, other));            // not free
  assert_true(twins_sew(t, 3, tet, other));
  assert_false(twins_sew(t, 3, tet, other)); // sewn already
  assert_false(twins_unsew(t, 3, hex));      // nothing to unsew
  twins_commit(t);
  end(t);
}

static void a_cell_is_opened_and_closed_again(void **state) {
  (void)state;
  for (uint32_t i = 0; i < 3; i++) {
    twins *t = begin(3);
    const ref_dart hex = twins_add_cell(t, CLV_HEX), neighbour = twins_add_cell(t, CLV_HEX);
    assert_true(twins_sew(t, 3, hex, neighbour));
    commit_and_begin(t);
    const ref_dart beyond = t->naive.alpha[hex][i];
    assert_true(twins_unsew(t, i, hex));
    commit_and_begin(t);
    assert_int_equal(kind_at(t, hex), CLV_POLYHEDRON);
    assert_true(twins_sew(t, i, hex, beyond));
    twins_commit(t);
    assert_int_equal(kind_at(t, hex), CLV_HEX);
    assert_int_equal(kind_at(t, neighbour), CLV_HEX);
    end(t);
  }
}

static void a_square_becomes_a_torus_or_a_klein_bottle(void **state) {
  (void)state;
  for (uint32_t twisted = 0; twisted < 2; twisted++) {
    twins *t = begin(2);
    const ref_dart d = twins_add_cell(t, CLV_QUAD);
    assert_true(twins_sew(t, 2, d, along(t, d, twisted ? 4 : 5)));
    assert_true(twins_sew(t, 2, along(t, d, 2), along(t, d, 7)));
    twins_commit(t);
    assert_counts(t, 1, 2, 1, 0);
    assert_int_equal(clv_map_orientable(t->map), !twisted);
    end(t);
  }
}

static void faces_make_a_volume(void **state) {
  (void)state;
  twins *t = begin(3);
  ref_dart face[4];
  for (uint32_t f = 0; f < 4; f++) face[f] = twins_add_polygon(t, 3);
  commit_and_begin(t);
  for (uint32_t f = 0; f < 3; f++) {
    assert_true(twins_sew(t, 2, along(t, face[3], 2 * f), face[f]));
    assert_true(twins_sew(t, 2, along(t, face[f], 2), along(t, face[(f + 1) % 3], 5)));
  }
  twins_commit(t);
  assert_int_equal(kind_at(t, face[0]), CLV_TET);
  assert_counts(t, 4, 6, 4, 1);
  end(t);
}

// Insertion

static void a_vertex_splits_an_edge_for_all_its_cells(void **state) {
  (void)state;
  twins *t = begin(3);
  ref_dart ring[4], added = 0;
  for (uint32_t k = 0; k < 4; k++) ring[k] = twins_add_cell(t, CLV_HEX);
  for (uint32_t k = 0; k < 4; k++) assert_true(twins_sew(t, 3, ring[k], t->naive.alpha[ring[(k + 1) % 4]][2]));
  commit_and_begin(t);
  assert_counts(t, 18, 33, 20, 4);
  assert_true(twins_insert_vertex(t, ring[0], &added));
  commit_and_begin(t);
  assert_counts(t, 19, 34, 20, 4);
  for (uint32_t k = 0; k < 4; k++) assert_int_equal(kind_at(t, ring[k]), CLV_POLYHEDRON);
  assert_true(twins_remove(t, 0, added));
  twins_commit(t);
  assert_counts(t, 18, 33, 20, 4);
  for (uint32_t k = 0; k < 4; k++) assert_int_equal(kind_at(t, ring[k]), CLV_HEX);
  end(t);
}

static void a_vertex_needs_an_edge_with_two_ends(void **state) {
  (void)state;
  twins *t = begin(2);
  ref_dart d = twins_add_cell(t, CLV_TRI), added = 0;
  assert_true(twins_unsew(t, 0, d));
  assert_false(twins_insert_vertex(t, d, &added));
  twins_commit(t);
  end(t);
}

static void an_edge_cuts_a_square_into_triangles(void **state) {
  (void)state;
  twins *t = begin(2);
  ref_dart d = twins_add_cell(t, CLV_QUAD), added = 0;
  commit_and_begin(t);
  const clv_id id = clv_id_of(t->map, CLV_CELL, t->kernel_of[d]);
  assert_true(twins_insert_edge(t, d, along(t, d, 3), &added));
  commit_and_begin(t);
  assert_counts(t, 4, 5, 2, 0);
  assert_int_equal(kind_at(t, added), CLV_TRI);
  assert_int_equal(kind_at(t, t->naive.alpha[added][2]), CLV_TRI);
  assert_false(clv_id_alive(t->map, CLV_CELL, id)); // it was a square, and there is none any more
  assert_true(twins_remove(t, 1, added));
  twins_commit(t);
  assert_int_equal(kind_at(t, d), CLV_QUAD);
  assert_counts(t, 4, 4, 1, 0);
  end(t);
}

static void an_edge_must_cut_something_off(void **state) {
  (void)state;
  twins *t = begin(2);
  ref_dart d = twins_add_polygon(t, 5), other = twins_add_polygon(t, 5), added = 0;
  assert_false(twins_insert_edge(t, d, along(t, d, 1), &added)); // along its own edge
  assert_false(twins_insert_edge(t, d, along(t, d, 7), &added)); // along the one before
  assert_false(twins_insert_edge(t, d, along(t, d, 9), &added)); // back to its own corner
  assert_false(twins_insert_edge(t, d, d, &added));
  assert_false(twins_insert_edge(t, d, along(t, d, 4), &added)); // turned the wrong way
  assert_false(twins_insert_edge(t, d, other, &added));          // another face
  assert_true(twins_unsew(t, 1, along(t, d, 6)));
  assert_false(twins_insert_edge(t, d, along(t, d, 3), &added)); // an open face
  assert_true(twins_insert_edge(t, other, along(t, other, 5), &added));
  twins_commit(t);
  end(t);
}

static void an_edge_is_seen_from_both_volumes(void **state) {
  (void)state;
  twins *t = begin(3);
  ref_dart a = twins_add_cell(t, CLV_HEX), b = twins_add_cell(t, CLV_HEX), added = 0;
  assert_true(twins_sew(t, 3, a, b));
  assert_true(twins_insert_edge(t, a, along(t, a, 3), &added));
  twins_commit(t);
  assert_counts(t, 12, 21, 12, 2);
  end(t);
}

static void a_face_sewn_to_itself_takes_no_edge(void **state) {
  (void)state;
  twins *t = begin(3);
  static const uint32_t sizes[] = {4, 4}, corners[] = {0, 1, 2, 3, 0, 1, 2, 3};
  ref_dart d = 0, added = 0;
  assert_true(twins_add_polyhedron(t, 2, sizes, corners, &d));
  assert_true(twins_sew(t, 3, d, t->naive.alpha[d][2]));
  assert_true(twins_insert_edge(t, d, along(t, d, 3), &added)); // two sides of a pillow are two faces
  twins_commit(t);
  end(t);
}

// Cuts a cube between its diagonals 02 and 46; returns the new face's dart on the side of the edge 15.
static ref_dart cut_cube(twins *t, ref_dart hex) {
  const ref_dart at_0 = hex, at_6 = (ref_dart)(hex + 44);
  ref_dart below = 0, above = 0, wall = 0, path[REFERENCE_DARTS];
  bool patch[REFERENCE_DARTS] = {false};
  assert_true(twins_insert_edge(t, at_0, along(t, at_0, 3), &below));
  assert_true(twins_insert_edge(t, at_6, along(t, at_6, 3), &above));
  const ref_dart faces[] = {at_0, (ref_dart)(hex + 8), (ref_dart)(hex + 16), at_6};
  for (uint32_t k = 0; k < 4; k++) reference_add_to_patch(&t->naive, faces[k], patch);
  const uint32_t length = reference_patch_boundary(&t->naive, patch, below, path);
  assert_int_equal(length, 4);
  assert_true(twins_insert_face(t, path, length, &wall));
  return wall;
}

static void a_face_cuts_a_cube_into_prisms(void **state) {
  (void)state;
  for (uint32_t at_once = 0; at_once < 2; at_once++) {
    twins *t = begin(3);
    const ref_dart hex = twins_add_cell(t, CLV_HEX), neighbour = twins_add_cell(t, CLV_HEX);
    assert_true(twins_sew(t, 3, (ref_dart)(hex + 8), neighbour));
    if (!at_once) commit_and_begin(t);
    const ref_dart wall = cut_cube(t, hex);
    commit_and_begin(t);
    assert_counts(t, 12, 22, 14, 3);
    assert_int_equal(kind_at(t, wall), CLV_PRISM);
    assert_int_equal(kind_at(t, t->naive.alpha[wall][3]), CLV_PRISM);
    assert_int_equal(kind_at(t, neighbour), CLV_HEX);
    assert_true(twins_remove(t, 2, wall));
    twins_commit(t);
    assert_counts(t, 12, 22, 13, 2);
    end(t);
  }
}

static void a_face_needs_a_closed_path(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart hex = twins_add_cell(t, CLV_HEX), other = twins_add_cell(t, CLV_HEX);
  ref_dart path[4], added = 0;
  for (uint32_t k = 0; k < 4; k++) path[k] = along(t, hex, 2 * k);
  assert_false(twins_insert_face(t, path, 3, &added)); // does not come back
  const ref_dart twice[] = {path[0], path[1], path[2], path[3], path[0], path[1], path[2], path[3]};
  assert_false(twins_insert_face(t, twice, 8, &added)); // comes back twice
  const ref_dart backwards[] = {path[3], path[2], path[1], path[0]};
  assert_false(twins_insert_face(t, backwards, 4, &added));
  const ref_dart strange[] = {path[0], path[1], path[2], other};
  assert_false(twins_insert_face(t, strange, 4, &added)); // leaves the volume
  assert_true(twins_unsew(t, 2, path[1]));
  assert_false(twins_insert_face(t, path, 4, &added)); // the volume is open
  twins_commit(t);
  end(t);
}

// Removal

static void a_removed_cell_frees_its_neighbours(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart a = twins_add_cell(t, CLV_HEX), b = twins_add_cell(t, CLV_HEX);
  assert_true(twins_sew(t, 3, a, b));
  commit_and_begin(t);
  const clv_id gone = clv_id_of(t->map, CLV_CELL, t->kernel_of[a]);
  twins_remove_cell(t, along(t, a, 3));
  twins_commit(t);
  assert_counts(t, 8, 12, 6, 1);
  assert_false(clv_id_alive(t->map, CLV_CELL, gone));
  assert_int_equal(clv_id_dart(t->map, CLV_CELL, gone), CLV_NO_DART);
  assert_int_equal(events_of(t, CLV_VERTEX, CLV_DELETED), 4);
  assert_int_equal(events_of(t, CLV_VERTEX, CLV_CHANGED), 4);
  end(t);
}

static void a_removed_edge_joins_two_faces(void **state) {
  (void)state;
  twins *t = begin(2);
  const ref_dart a = twins_add_cell(t, CLV_TRI), b = twins_add_cell(t, CLV_TRI), rest = along(t, a, 2);
  assert_true(twins_sew(t, 2, a, b));
  commit_and_begin(t);
  assert_true(twins_remove(t, 1, a));
  twins_commit(t);
  assert_int_equal(kind_at(t, rest), CLV_QUAD);
  assert_counts(t, 4, 4, 1, 0);
  end(t);
}

static void a_vertex_of_three_edges_stays(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart tet = twins_add_cell(t, CLV_TET);
  assert_false(twins_remove(t, 0, tet));
  assert_true(twins_remove(t, 1, tet)); // a free edge has two faces: they become one
  twins_commit(t);
  assert_counts(t, 4, 5, 3, 1);
  end(t);
}

static void an_edge_is_contracted(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart a = twins_add_cell(t, CLV_TET), b = twins_add_cell(t, CLV_TET);
  const ref_dart apex = along(t, a, 2);
  assert_true(twins_sew(t, 3, a, b));
  commit_and_begin(t);
  assert_true(twins_contract(t, 1, a));
  twins_commit(t);
  assert_counts(t, 4, 8, 7, 2);
  assert_int_equal(kind_at(t, apex), CLV_POLYHEDRON);
  end(t);
}

static void a_contracted_edge_makes_a_square_a_triangle(void **state) {
  (void)state;
  twins *t = begin(2);
  const ref_dart d = twins_add_cell(t, CLV_QUAD), rest = along(t, d, 2);
  commit_and_begin(t);
  assert_true(twins_contract(t, 1, d));
  twins_commit(t);
  assert_int_equal(kind_at(t, rest), CLV_TRI);
  end(t);
}

static void a_flat_cell_is_contracted(void **state) {
  (void)state;
  twins *t = begin(3);
  static const uint32_t sizes[] = {4, 4}, corners[] = {0, 1, 2, 3, 0, 1, 2, 3};
  const ref_dart below = twins_add_cell(t, CLV_HEX), above = twins_add_cell(t, CLV_HEX);
  ref_dart between = 0;
  assert_true(twins_add_polyhedron(t, 2, sizes, corners, &between));
  assert_true(twins_sew(t, 3, below, between));
  assert_true(twins_sew(t, 3, above, t->naive.alpha[between][2]));
  assert_false(twins_contract(t, 3, below)); // six faces
  commit_and_begin(t);
  assert_true(twins_contract(t, 3, between));
  twins_commit(t);
  assert_counts(t, 12, 20, 11, 2);
  assert_int_equal(kind_at(t, below), CLV_HEX);
  assert_int_equal(kind_at(t, above), CLV_HEX);
  end(t);
}

// Two pillows of three sides lose all but one edge. One loses vertices and its edge folds back on itself (a0 = a2); the
// other loses edges and keeps a loop. Sewn together, a walk round the edge must turn in the fold and not come again.
static void a_folded_edge_is_walked_once(void **state) {
  (void)state;
  static const uint32_t sizes[] = {3, 3}, corners[] = {0, 1, 2, 0, 1, 2};
  twins *t = begin(3);
  ref_dart a = 0, b = 0;
  assert_true(twins_add_polyhedron(t, 2, sizes, corners, &a));
  assert_true(twins_add_polyhedron(t, 2, sizes, corners, &b));
  const ref_dart fold = along(t, a, 2), loop = along(t, b, 2), last = along(t, b, 4);
  assert_true(twins_remove(t, 1, a));
  assert_true(twins_remove(t, 0, t->naive.alpha[fold][0]));
  assert_true(twins_remove(t, 0, t->naive.alpha[fold][0]));
  assert_int_equal(t->naive.alpha[fold][0], t->naive.alpha[fold][2]);
  assert_true(twins_contract(t, 1, b));
  assert_true(twins_contract(t, 1, last));
  assert_true(twins_sew(t, 3, fold, loop));
  twins_commit(t);
  for (uint32_t d = 1; d < t->naive.end; d++)
    for (uint32_t dims = 0; dims < 16 && reference_alive(&t->naive, (ref_dart)d); dims++)
      twins_check_walks(t, dims, 15 - dims, (ref_dart)d);
  end(t);
}

// Two faces of a tetrahedron are sewn so that it has one side alone; the darts that tell of them go in the same
// transaction, and the others are asked.
static void a_twist_is_seen_where_a_face_is_smaller(void **state) {
  (void)state;
  clv_map_def def = clv_default_map_def();
  clv_map *map = clv_map_create(&def, NULL);
  assert_non_null(map);
  clv_dart tet = CLV_NO_DART;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &tet), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  const uint8_t *first = clv_templates[CLV_TET].facet_first;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_sew(map, 3, tet | first[2], tet | (first[3] + 2)), CLV_OK);
  assert_int_equal(clv_map_contract(map, 1, tet | first[3]), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_false(clv_dart_alive(map, tet | first[2]) && clv_dart_alive(map, tet | first[3]));
  assert_int_equal(clv_map_check(map, NULL, NULL), CLV_OK);
  assert_false(clv_map_orientable(map));
  clv_map_destroy(map);
}

// Nonsense

static clv_map *plain_map(uint32_t dimension) {
  clv_map_def def = clv_default_map_def();
  def.dimension = dimension;
  clv_map *map = clv_map_create(&def, NULL);
  assert_non_null(map);
  return map;
}

static void only_two_dimensions_are_known(void **state) {
  (void)state;
  clv_map_def def = clv_default_map_def();
  def.dimension = 4;
  clv_error error = {CLV_OK, ""};
  assert_null(clv_map_create(&def, &error));
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
}

static void edits_need_a_transaction(void **state) {
  (void)state;
  clv_map *map = plain_map(3);
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &dart), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_commit(map), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_begin(map), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &dart), CLV_OK);
  assert_int_equal(clv_map_check(map, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_int_equal(clv_map_remove_cell(map, dart), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_revision(map), 1);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_int_equal(clv_map_revision(map), 1); // nothing was done
  clv_map_destroy(map);
}

static void nonsense_is_no_operation(void **state) {
  (void)state;
  clv_map *map = plain_map(3), *flat = plain_map(2);
  clv_dart a = CLV_NO_DART, b = CLV_NO_DART;
  static const uint32_t small[] = {2, 3}, corners[] = {0, 1, 0, 1, 2};
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_begin(flat), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &a), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &b), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TRI, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_cell(map, CLV_POLYHEDRON, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_cell(flat, CLV_TET, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_polygon(map, 2, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_polyhedron(map, 2, small, corners, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_polyhedron(flat, 4, tet_sizes, corners, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_sew(map, 4, a, b), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_unsew(map, 4, a), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_remove(map, 3, a), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_contract(map, 0, a), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_contract(map, 4, a), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_insert_face(map, &a, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_insert_face(flat, &a, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_true(strlen(clv_map_error(map)) > 0);
  clv_map_destroy(flat);
  clv_map_destroy(map);
}

static void a_dead_dart_is_caught(void **state) {
  (void)state;
  clv_map *map = plain_map(3);
  clv_dart alive = CLV_NO_DART, dead = CLV_NO_DART;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &alive), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &dead), CLV_OK);
  assert_int_equal(clv_map_remove_cell(map, dead), CLV_OK);
  const clv_dart darts[] = {dead, CLV_NO_DART, UINT32_MAX, alive + 24};
  for (uint32_t k = 0; k < sizeof darts / sizeof *darts; k++) {
    const clv_dart d = darts[k], path[] = {alive, d, alive};
    assert_false(clv_dart_alive(map, d));
    assert_int_equal(clv_map_sew(map, 3, alive, d), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_sew(map, 3, d, alive), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_unsew(map, 3, d), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_insert_vertex(map, d, NULL), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_insert_edge(map, alive, d, NULL), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_insert_face(map, path, 3, NULL), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_remove_cell(map, d), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_remove(map, 0, d), CLV_ERROR_ARGUMENT);
    assert_int_equal(clv_map_contract(map, 1, d), CLV_ERROR_ARGUMENT);
  }
  clv_map_destroy(map);
}

// Transactions and journals

static void a_rollback_leaves_nothing(void **state) {
  (void)state;
  twins *t = begin(3);
  const ref_dart hex = twins_add_cell(t, CLV_HEX);
  twins_commit(t);
  twins_begin(t);
  ref_dart added = 0;
  twins_add_cell(t, CLV_TET);
  assert_true(twins_insert_vertex(t, hex, &added));
  twins_remove_cell(t, hex);
  twins_rollback(t);
  assert_counts(t, 8, 12, 6, 1);
  assert_int_equal(clv_map_revision(t->map), 1);
  assert_int_equal(kind_at(t, hex), CLV_HEX);
  end(t);
}

static void half_edges_are_half_the_darts(void **state) {
  (void)state;
  twins *t = begin(2);
  const ref_dart a = twins_add_cell(t, CLV_TRI), b = twins_add_cell(t, CLV_QUAD);
  assert_true(twins_sew(t, 2, a, along(t, b, 1)));
  twins_commit(t);
  const clv_dart d = t->kernel_of[a];
  const clv_dart next = clv_beta(t->map, d, 1);
  assert_int_equal(next, t->kernel_of[along(t, a, 2)]);
  assert_int_equal(clv_beta(t->map, next, 0), d);
  assert_int_equal(clv_beta(t->map, clv_beta(t->map, d, 2), 2), d);
  assert_int_equal(clv_beta(t->map, next, 2), CLV_NO_DART); // the boundary
  assert_int_equal(clv_side(t->map, d), clv_side(t->map, next));
  end(t);
}

static void a_journal_is_played_on_the_same_map_only(void **state) {
  (void)state;
  twins *t = begin(3);
  clv_map *same = plain_map(3), *flat = plain_map(2), *fuller = plain_map(3);
  for (uint32_t k = 1; k < t->orbit_count; k++) {
    assert_int_equal(clv_map_number(same, t->orbits[k].orbit), CLV_OK);
    assert_int_equal(clv_map_number(fuller, t->orbits[k].orbit), CLV_OK);
  }
  assert_null(clv_journal_create(t->map)); // a transaction is open
  twins_commit(t);
  clv_journal *journal = clv_journal_create(t->map);
  assert_non_null(journal);
  twins_begin(t);
  cut_cube(t, twins_add_cell(t, CLV_HEX));
  twins_commit(t);
  assert_int_equal(clv_journal_commits(journal), 1);
  assert_true(clv_journal_bytes(journal) > 0);
  assert_int_equal(clv_journal_replay(journal, same), CLV_OK);
  assert_true(clv_map_hash(same) == clv_map_hash(t->map));
  assert_int_equal(clv_journal_replay(journal, same), CLV_ERROR_INPUT); // it is not as it was any more
  assert_int_equal(clv_journal_replay(journal, flat), CLV_ERROR_INPUT);
  assert_int_equal(clv_map_begin(fuller), CLV_OK);
  assert_int_equal(clv_journal_replay(journal, fuller), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_add_cell(fuller, CLV_TET, NULL), CLV_OK);
  assert_int_equal(clv_map_commit(fuller), CLV_OK);
  assert_int_equal(clv_journal_replay(journal, fuller), CLV_ERROR_INPUT);
  clv_journal_clear(journal);
  assert_int_equal(clv_journal_commits(journal), 0);
  clv_map_destroy(same);
  clv_map_destroy(flat);
  clv_map_destroy(fuller);
  end(t); // and the journal with it
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_are_added),
      cmocka_unit_test(polygons_are_templates_when_they_can_be),
      cmocka_unit_test(a_polygon_in_space_is_an_open_cell),
      cmocka_unit_test(polyhedra_are_glued_by_their_corners),
      cmocka_unit_test(sewn_faces_are_one),
      cmocka_unit_test(only_what_fits_is_sewn),
      cmocka_unit_test(a_cell_is_opened_and_closed_again),
      cmocka_unit_test(a_square_becomes_a_torus_or_a_klein_bottle),
      cmocka_unit_test(faces_make_a_volume),
      cmocka_unit_test(a_vertex_splits_an_edge_for_all_its_cells),
      cmocka_unit_test(a_vertex_needs_an_edge_with_two_ends),
      cmocka_unit_test(an_edge_cuts_a_square_into_triangles),
      cmocka_unit_test(an_edge_must_cut_something_off),
      cmocka_unit_test(an_edge_is_seen_from_both_volumes),
      cmocka_unit_test(a_face_sewn_to_itself_takes_no_edge),
      cmocka_unit_test(a_face_cuts_a_cube_into_prisms),
      cmocka_unit_test(a_face_needs_a_closed_path),
      cmocka_unit_test(a_removed_cell_frees_its_neighbours),
      cmocka_unit_test(a_removed_edge_joins_two_faces),
      cmocka_unit_test(a_vertex_of_three_edges_stays),
      cmocka_unit_test(an_edge_is_contracted),
      cmocka_unit_test(a_contracted_edge_makes_a_square_a_triangle),
      cmocka_unit_test(a_flat_cell_is_contracted),
      cmocka_unit_test(a_folded_edge_is_walked_once),
      cmocka_unit_test(a_twist_is_seen_where_a_face_is_smaller),
      cmocka_unit_test(only_two_dimensions_are_known),
      cmocka_unit_test(edits_need_a_transaction),
      cmocka_unit_test(nonsense_is_no_operation),
      cmocka_unit_test(a_dead_dart_is_caught),
      cmocka_unit_test(a_rollback_leaves_nothing),
      cmocka_unit_test(half_edges_are_half_the_darts),
      cmocka_unit_test(a_journal_is_played_on_the_same_map_only),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
