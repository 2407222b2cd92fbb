// From flat mesh to map: what comes out is what went in, glued; what cannot be a body is refused by name; nothing is
// left behind.
//
// Counts are compared with those of a naive oracle that lists every facet and every edge of the elements, sorts the
// lists and counts. Every map is built in counted memory, so each test also shows that building, failing to build and
// destroying leave nothing.

#include "support/bench.h"

#include <math.h>
#include <string.h>

// The naive oracle

static const uint8_t faces[][6][4] = {
    [CLV_TRI] = {{0, 1, 2, 9}},
    [CLV_QUAD] = {{0, 1, 2, 3}},
    [CLV_TET] = {{0, 1, 3, 9}, {1, 2, 3, 9}, {2, 0, 3, 9}, {0, 2, 1, 9}},
    [CLV_PYRAMID] = {{0, 3, 2, 1}, {0, 1, 4, 9}, {1, 2, 4, 9}, {2, 3, 4, 9}, {3, 0, 4, 9}},
    [CLV_PRISM] = {{0, 1, 2, 9}, {3, 5, 4, 9}, {0, 3, 4, 1}, {1, 4, 5, 2}, {2, 5, 3, 0}},
    [CLV_HEX] = {{0, 4, 7, 3}, {1, 2, 6, 5}, {0, 1, 5, 4}, {3, 7, 6, 2}, {0, 3, 2, 1}, {4, 5, 6, 7}},
};
static const uint8_t face_counts[] = {
    [CLV_TRI] = 1, [CLV_QUAD] = 1, [CLV_TET] = 4, [CLV_PYRAMID] = 5, [CLV_PRISM] = 5, [CLV_HEX] = 6};

typedef struct key {
  uint32_t points[4]; // in order of size
} key;

typedef struct tally {
  size_t different, single;
} tally;

static int compare_keys(const void *a, const void *b) {
  return memcmp(a, b, sizeof(key)); // any order will do
}

static key key_of(const uint32_t *points, uint32_t count) {
  key k = {{UINT32_MAX, UINT32_MAX, UINT32_MAX, UINT32_MAX}};
  for (uint32_t n = 0; n < count; n++) {
    uint32_t at = n;
    for (; at && k.points[at - 1] > points[n]; at--) k.points[at] = k.points[at - 1];
    k.points[at] = points[n];
  }
  return k;
}

static tally tally_of(key *keys, size_t count) {
  tally t = {0, 0};
  qsort(keys, count, sizeof *keys, compare_keys);
  for (size_t k = 0, last; k < count; k = last) {
    for (last = k; last < count && !compare_keys(&keys[k], &keys[last]);) last++;
    t.different++;
    t.single += last == k + 1;
  }
  return t;
}

// All faces of template elements, or all edges.
static tally count_parts(const clv_mesh *mesh, bool edges) {
  key *keys = malloc(24 * mesh->element_count * sizeof *keys);
  assert_non_null(keys);
  size_t count = 0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    const uint32_t *corners = mesh->corners + mesh->offsets[e];
    for (uint32_t f = 0; f < face_counts[mesh->kinds[e]]; f++) {
      const uint8_t *face = faces[mesh->kinds[e]][f];
      const uint32_t size = face[3] == 9 ? 3 : 4;
      uint32_t points[4];
      for (uint32_t k = 0; k < size; k++) points[k] = corners[face[k]];
      if (!edges) keys[count++] = key_of(points, size);
      for (uint32_t k = 0; edges && k < size; k++)
        keys[count++] = key_of((uint32_t[]){points[k], points[(k + 1) % size]}, 2);
    }
  }
  const tally t = tally_of(keys, count);
  free(keys);
  return t;
}

// Grids

static void grids_have_the_right_numbers(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    bench_start(&b);
    bench_add_grid(&b, (clv_grid_kind)kind, 3, 2, 2, true);
    bench_build(&b, false);
    const uint32_t n = b.map->dimension;
    assert_int_equal(n, kind < CLV_GRID_HEX ? 2 : 3);
    const clv_map_info info = bench_info(&b);
    const tally edges = count_parts(&b.mesh, true), facets = n == 2 ? edges : count_parts(&b.mesh, false);
    assert_int_equal(info.cells[0], b.mesh.point_count);
    assert_int_equal(info.cells[1], edges.different);
    assert_int_equal(info.cells[n - 1], facets.different);
    assert_int_equal(info.cells[n], b.mesh.element_count);
    // In 2D the oracle lists an edge once for each face, so a boundary edge is single there too.
    assert_int_equal(info.boundary_facets, facets.single);
    assert_int_equal(info.euler, 1);
    assert_int_equal(info.components, 1);
    assert_int_equal(info.open_darts, 0);
    assert_int_equal(info.extended, 0);
    assert_true(info.orientable);
    const clv_build_report expected = {.cells = b.mesh.element_count};
    assert_memory_equal(&b.report, &expected, sizeof expected);
    bench_end(&b);
  }
}

// The rows of a kind are its elements in order, their corners in the elements' order.
static void assert_cells_are_elements(const bench *b) {
  const clv_column *position = clv_column_find(b->map, "pos"), *region = clv_column_find(b->map, "region");
  const double(*positions)[3] = clv_column_data(position, CLV_NONE, NULL);
  uint32_t rows[CLV_KIND_COUNT] = {0};
  for (size_t e = 0; e < b->mesh.element_count; e++) {
    const clv_kind kind = (clv_kind)b->mesh.kinds[e];
    const uint32_t row = rows[kind]++, count = clv_templates[kind].corner_count;
    const clv_dart cell = clv_cell_at(b->map, kind, row);
    assert_int_not_equal(cell, CLV_NO_DART);
    for (uint32_t c = 0; c < count; c++) {
      const double *point = b->mesh.points[b->mesh.corners[b->mesh.offsets[e] + c]];
      const uint32_t vertex = b->map->corners[kind][row * count + c];
      const clv_dart corner = cell | clv_templates[kind].sub[clv_orbit_dims(b->map, CLV_CORNER)].first[c];
      assert_memory_equal(positions[vertex], point, sizeof *positions);
      assert_memory_equal(clv_column_at(position, corner), point, sizeof *positions);
      assert_int_equal(clv_id_of(b->map, CLV_VERTEX, corner).index, vertex);
    }
    assert_int_equal(*(int32_t *)clv_column_at(region, cell), b->mesh.tags[e]);
    assert_int_equal(((int32_t *)clv_column_data(region, kind, NULL))[row], b->mesh.tags[e]);
  }
}

static void cells_keep_their_corners_points_and_tags(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    bench_start(&b);
    bench_add_grid(&b, (clv_grid_kind)kind, 2, 2, 2, true);
    bench_build(&b, false);
    assert_cells_are_elements(&b);
    bench_end(&b);
  }
}

static void equal_points_are_one_when_merged(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench shared, merged, apart;
    bench_start(&shared);
    bench_start(&merged);
    bench_start(&apart);
    bench_add_grid(&shared, (clv_grid_kind)kind, 3, 2, 2, true);
    bench_add_grid(&merged, (clv_grid_kind)kind, 3, 2, 2, false);
    bench_add_grid(&apart, (clv_grid_kind)kind, 3, 2, 2, false);
    bench_build(&shared, false);
    bench_build(&merged, true);
    bench_build(&apart, false);
    assert_true(clv_map_hash(merged.map) == clv_map_hash(shared.map));
    assert_cells_are_elements(&merged);
    assert_int_equal(merged.report.merged_points, merged.mesh.point_count - shared.mesh.point_count);
    assert_int_equal(bench_info(&apart).components, apart.mesh.element_count);
    assert_int_equal(bench_info(&apart).cells[0], apart.mesh.point_count);
    assert_int_equal(apart.report.merged_points, 0);
    bench_end(&shared);
    bench_end(&merged);
    bench_end(&apart);
  }
}

static void zero_has_one_place(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {-0.0, 0, 0}, {0, 1, -0.0}, {-1, 0.5, 0}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_TRI, 0, 1, 2);
  ADD(&b, CLV_TRI, 3, 4, 5);
  bench_build(&b, true);
  assert_int_equal(bench_info(&b).boundary_facets, 4);
  assert_int_equal(b.report.merged_points, 2);
  bench_end(&b);
}

// Elements of each kind: corners of unit cells in the right order, and the same mirrored.

static void a_single_element_is_a_body(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TRI; kind <= CLV_HEX; kind++) {
    bench b;
    bench_start(&b);
    bench_add_unit(&b, kind);
    bench_build(&b, false);
    const clv_map_info info = bench_info(&b);
    const uint32_t n = b.map->dimension;
    assert_int_equal(info.cells[n], 1);
    assert_int_equal(info.kinds[kind], 1);
    assert_int_equal(info.boundary_facets, n == 2 ? clv_templates[kind].corner_count : face_counts[kind]);
    assert_int_equal(b.report.turned, 0);
    assert_true(bench_measure(&b, kind, 0) > 0);
    bench_end(&b);
  }
}

static void inverted_elements_are_turned(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TRI; kind <= CLV_HEX; kind++) {
    bench b;
    bench_start(&b);
    bench_add_unit(&b, kind);
    for (size_t p = 0; p < b.mesh.point_count; p++) b.mesh.points[p][0] *= -1; // the mirror image
    bench_build(&b, false);
    assert_int_equal(b.report.turned, 1);
    assert_true(bench_measure(&b, kind, 0) > 0);
    assert_int_equal(bench_info(&b).cells[0], clv_templates[kind].corner_count);
    bench_end(&b);
  }
}

static void turned_neighbours_are_glued(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    bench_start(&b);
    bench_add_grid(&b, (clv_grid_kind)kind, 2, 2, 2, true);
    // Every other element is listed in its mirrored order: 0 2 1 | 3 5 4, 0 3 2 1 | 4 7 6 5.
    size_t turned = 0;
    for (size_t e = 0; e < b.mesh.element_count; e += 2, turned++) {
      uint32_t *c = b.mesh.corners + b.mesh.offsets[e];
      const clv_kind element = (clv_kind)b.mesh.kinds[e];
      const bool three = element == CLV_TRI || element == CLV_TET || element == CLV_PRISM;
      for (uint32_t half = 0; half < (element == CLV_PRISM || element == CLV_HEX ? 2 : 1); half++, c += three ? 3 : 4) {
        const uint32_t swap = c[1];
        c[1] = c[three ? 2 : 3];
        c[three ? 2 : 3] = swap;
      }
    }
    bench_build(&b, false);
    assert_int_equal(b.report.turned, turned);
    assert_int_equal(bench_info(&b).boundary_facets, count_parts(&b.mesh, b.map->dimension == 2).single);
    for (clv_kind k = CLV_TRI; k <= CLV_HEX; k++)
      for (uint32_t row = 0; row < clv_cell_rows(b.map, k); row++) assert_true(bench_measure(&b, k, row) > 0);
    bench_end(&b);
  }
}

// Numbers points before anything else uses them, in this order: each is the corner of a lone tetrahedron far away.
static void number_first(bench *b, const uint32_t *points, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t first = (uint32_t)b->mesh.point_count;
    const double far[3][3] = {{100 + 9 * k, 0, 30}, {101 + 9 * k, 0, 40}, {100 + 9 * k, 50, 35}};
    bench_add_points(b, far, 3);
    ADD(b, CLV_TET, points[k], first, first + 1, first + 2);
  }
}

// The n-th order of the first `count` numbers, a digit in a factorial system at a time.
static void permute(uint32_t n, uint32_t count, uint32_t *order) {
  for (uint32_t k = 0; k < count; k++, n /= k) {
    const uint32_t at = n % (k + 1);
    order[k] = k;
    for (uint32_t j = k; j > at; j--) order[j] = order[j - 1];
    order[at] = k;
  }
}

static void faces_meet_however_their_vertices_are_numbered(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},  {0, 1, 0},  {0, 0, 1},  {1, 0, 1},
                                     {1, 1, 1}, {0, 1, 1}, {0, 0, -1}, {1, 0, -1}, {1, 1, -1}, {0, 1, -1}};
  uint32_t order[4];
  for (uint32_t n = 0; n < 24; n++) {
    bench b;
    bench_start(&b);
    bench_add_points(&b, points, COUNT(points));
    permute(n, 4, order);
    number_first(&b, order, 4);
    ADD(&b, CLV_HEX, 0, 1, 2, 3, 4, 5, 6, 7);
    ADD(&b, CLV_HEX, 8, 9, 10, 11, 0, 1, 2, 3);
    bench_build(&b, false);
    assert_int_equal(bench_info(&b).boundary_facets, 4 * 4 + 10);
    bench_end(&b);
  }
  for (uint32_t n = 0; n < 6; n++) {
    bench b;
    bench_start(&b);
    bench_add_points(&b, points, COUNT(points));
    permute(n, 3, order);
    number_first(&b, order, 3);
    ADD(&b, CLV_TET, 0, 1, 2, 4);
    ADD(&b, CLV_TET, 1, 0, 2, 8);
    bench_build(&b, false);
    assert_int_equal(bench_info(&b).boundary_facets, 3 * 4 + 6);
    bench_end(&b);
  }
}

// A mark comes from the product of 2 v + 1 over the vertices v. 15 x 45, 25 x 27 and 9 x 75 are one number, so the
// faces that the last three cells have at the first vertex have one mark.
static void faces_that_look_alike_are_told_apart(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  for (uint32_t k = 0; k < 43; k++) {
    const double t = k / 43.0; // no four points of this curve lie in a plane
    assert_int_equal(clv_mesh_add_point(&b.mesh, t, t * t, t * t * t), CLV_OK);
  }
  for (uint32_t k = 0; k < 40; k += 4) ADD(&b, CLV_TET, k, k + 1, k + 2, k + 3);
  ADD(&b, CLV_TET, 0, 6, 21, 40);
  ADD(&b, CLV_TET, 0, 11, 12, 41);
  ADD(&b, CLV_POLYHEDRON, 4, 3, 0, 3, 36, 3, 3, 0, 42, 3, 36, 3, 42, 3, 0, 36, 42);
  bench_build(&b, false);
  assert_int_equal(bench_info(&b).boundary_facets, 4 * 13);
  bench_end(&b);
}

// Pairs of tetrahedra with points of their own have many more vertices than bodies usually have.
static void lone_pairs_are_merged_and_glued(void **state) {
  (void)state;
  enum { PAIRS = 600 };
  bench b;
  bench_start(&b);
  for (uint32_t k = 0; k < 2 * PAIRS; k++) {
    const double x = 3 * (k % PAIRS), side = k < PAIRS ? 1 : -1;
    const double points[][3] = {{x, 0, 0}, {x + 1, 0, 0}, {x, 1, 0}, {x, 0, side}};
    bench_add_points(&b, points, 4);
    ADD(&b, CLV_TET, 4 * k, 4 * k + 1, 4 * k + 2, 4 * k + 3);
  }
  bench_build(&b, true);
  assert_int_equal(b.report.merged_points, 3 * PAIRS);
  const clv_map_info info = bench_info(&b);
  assert_int_equal(info.cells[0], 5 * PAIRS);
  assert_int_equal(info.components, PAIRS);
  assert_int_equal(info.boundary_facets, 6 * PAIRS);
  bench_end(&b);
}

// What cannot be a body

static const double five_tets[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {0, 0, -1},
                                      {1, 1, 1}, {5, 5, 5}, {6, 5, 5}, {5, 6, 5}, {5, 5, 6}};

static void a_face_has_two_sides(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, five_tets, COUNT(five_tets));
  ADD(&b, CLV_TET, 6, 7, 8, 9);
  ADD(&b, CLV_TET, 0, 1, 2, 3);
  ADD(&b, CLV_LINE, 0, 1);
  ADD(&b, CLV_TET, 0, 2, 1, 4);
  ADD(&b, CLV_TET, 0, 1, 2, 5);
  REFUSE(&b, false, "elements 1, 3 and 4", "face");
  bench_end(&b);
}

static void an_edge_has_two_sides(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, five_tets, COUNT(five_tets));
  ADD(&b, CLV_TRI, 6, 7, 8);
  ADD(&b, CLV_TRI, 0, 1, 2);
  ADD(&b, CLV_TRI, 1, 0, 3);
  ADD(&b, CLV_TRI, 0, 1, 4);
  REFUSE(&b, false, "elements 1, 2 and 3", "edge");
  bench_end(&b);
}

// Prisms meet in a quadrangle, one of them listed from another corner.
static void a_quadrangle_has_two_sides(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0, 0}, {1, 0, 0},  {0, 1, 0},  {0, 0, 1},  {1, 0, 1},
                                     {0, 1, 1}, {0, -1, 0}, {0, -1, 1}, {1, -1, 0}, {1, -1, 1}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_PRISM, 0, 1, 2, 3, 4, 5);
  ADD(&b, CLV_PRISM, 6, 1, 0, 7, 4, 3);
  ADD(&b, CLV_PRISM, 1, 0, 8, 4, 3, 9);
  REFUSE(&b, false, "elements 0, 1 and 2", "face");
  bench_end(&b);
}

static void a_polygon_edge_has_two_sides(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0}, {1, 0}, {1, 1}, {0.5, 2}, {0, 1}, {0.5, -1}, {0.5, -2}, {0, -1}, {1, -1}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_POLYGON, 0, 1, 2, 3, 4);
  ADD(&b, CLV_TRI, 1, 0, 5);
  ADD(&b, CLV_POLYGON, 1, 0, 7, 6, 8);
  REFUSE(&b, false, "elements 0, 1 and 2", "edge");
  bench_end(&b);
}

// A prism over a pentagon: ten points from `first` on.
static void add_pentagonal_prism(bench *b, uint32_t first, uint32_t top) {
  uint32_t stream[64], length = 0;
  stream[length++] = 7;
  for (uint32_t f = 0; f < 2; f++) {
    stream[length++] = 5;
    for (uint32_t k = 0; k < 5; k++) stream[length++] = f ? top + k : first + k;
  }
  for (uint32_t k = 0; k < 5; k++) {
    const uint32_t next = (k + 1) % 5;
    const uint32_t side[] = {4, first + k, first + next, top + next, top + k};
    memcpy(stream + length, side, sizeof side);
    length += 5;
  }
  bench_add(b, CLV_POLYHEDRON, stream, length);
}

static void add_pentagons(bench *b, uint32_t levels) {
  for (uint32_t z = 0; z < levels; z++)
    for (uint32_t k = 0; k < 5; k++)
      assert_int_equal(clv_mesh_add_point(&b->mesh, cos(k * 1.256637), sin(k * 1.256637), z), CLV_OK);
}

static void a_pentagon_has_two_sides(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  add_pentagons(&b, 4);
  add_pentagonal_prism(&b, 0, 5);
  add_pentagonal_prism(&b, 5, 10);
  add_pentagonal_prism(&b, 5, 15);
  REFUSE(&b, false, "elements 0, 1 and 2", "face");
  bench_end(&b);
}

// A pillow of two quadrangles on the same four points: its only neighbour would be itself.
static void a_cell_is_not_its_own_neighbour(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, bench_unit[CLV_HEX], 4);
  ADD(&b, CLV_POLYHEDRON, 2, 4, 0, 1, 2, 3, 4, 0, 1, 2, 3);
  REFUSE(&b, false, "element 0", "itself");
  bench_end(&b);
}

static void a_corner_is_named_once(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TRI; kind <= CLV_POLYGON; kind++) {
    bench b;
    bench_start(&b);
    const clv_kind points = kind == CLV_POLYGON ? CLV_QUAD : kind;
    const uint32_t count = clv_templates[points].corner_count;
    for (uint32_t again = 0; again + 1 < count; again++) {
      uint32_t corners[8];
      clv_mesh_free(&b.mesh);
      bench_add_points(&b, bench_unit[points], count);
      bench_add_points(&b, bench_unit[points], count);
      for (uint32_t k = 0; k < count; k++) corners[k] = count + k;
      bench_add(&b, kind, corners, count);
      for (uint32_t k = 0; k < count; k++) corners[k] = k;
      corners[count - 1] = again;
      bench_add(&b, kind, corners, count);
      REFUSE(&b, false, "element 1", "degenerate");
    }
    bench_end(&b);
  }
}

static void merged_corners_are_one_corner(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {1, 0, 0}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_TET, 0, 1, 2, 3);
  REFUSE(&b, true, "element 0", "degenerate");
  bench_end(&b);
}

static void flat_elements_are_no_bodies(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TRI; kind <= CLV_HEX; kind++) {
    bench b;
    bench_start(&b);
    bench_add_unit(&b, kind);
    const uint32_t flattened = clv_kind_dimension(kind) == 2 ? 1 : 2;
    for (size_t p = 0; p < b.mesh.point_count; p++) { // a sliver along the diagonal
      double *point = b.mesh.points[p];
      point[0] += 0.1 * (double)p; // so that no two corners fall together
      point[flattened] = 2 * point[0];
    }
    REFUSE(&b, false, "element 0", "degenerate", flattened == 1 ? "area" : "volume");
    bench_end(&b);
  }
}

static void flat_polygons_and_polyhedra_are_no_bodies(void **state) {
  (void)state;
  static const double line[][3] = {{0, 0}, {1, 0.5}, {2, 1}, {3, 1.5}, {4, 2}};
  static const double plane[][3] = {{0, 0, 1}, {1, 0, 1}, {0, 1, 1}, {0.25, 0.25, 1}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, line, COUNT(line));
  ADD(&b, CLV_POLYGON, 0, 1, 2, 3, 4);
  REFUSE(&b, false, "element 0", "degenerate", "area");
  clv_mesh_free(&b.mesh);
  bench_add_points(&b, plane, COUNT(plane));
  ADD(&b, CLV_POLYHEDRON, 4, 3, 0, 1, 2, 3, 0, 1, 3, 3, 1, 2, 3, 3, 2, 0, 3);
  REFUSE(&b, false, "element 0", "degenerate", "volume");
  bench_end(&b);
}

// Flat is a matter of shape, not of size.
static void small_elements_are_bodies(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TRI; kind <= CLV_HEX; kind++) {
    bench b;
    bench_start(&b);
    bench_add_unit(&b, kind);
    for (size_t p = 0; p < b.mesh.point_count; p++)
      for (uint32_t c = 0; c < 3; c++) b.mesh.points[p][c] *= 1e-60;
    bench_build(&b, false);
    bench_end(&b);
  }
}

static void corners_are_points(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_unit(&b, CLV_TET);
  ADD(&b, CLV_TRI, 0, 1, 4); // left out, but wrong all the same
  REFUSE(&b, false, "element 1", "point 4");
  clv_mesh_free(&b.mesh);
  bench_add_points(&b, bench_unit[CLV_HEX], 8);
  ADD(&b, CLV_POLYHEDRON, 4, 3, 0, 1, 2, 3, 0, 1, 9, 3, 1, 2, 9, 3, 2, 0, 9);
  REFUSE(&b, false, "element 0", "point 9");
  bench_end(&b);
}

static void coordinates_are_numbers(void **state) {
  (void)state;
  const double wrong[] = {(double)NAN, (double)INFINITY, -(double)INFINITY};
  for (uint32_t k = 0; k < COUNT(wrong); k++)
    for (uint32_t c = 0; c < 3; c++) {
      bench b;
      bench_start(&b);
      bench_add_unit(&b, CLV_TET);
      b.mesh.points[2][c] = wrong[k];
      REFUSE(&b, false, "element 0", "point 2");
      bench_end(&b);
    }
}

static void a_missing_error_is_no_error(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, bench_unit[CLV_TET], 4);
  ADD(&b, CLV_TET, 0, 1, 2, 7);
  assert_int_equal(clv_mesh_build(&b.mesh, NULL, &b.map, NULL, NULL), CLV_ERROR_INPUT);
  assert_null(b.map);
  b.mesh.corners[3] = 3;
  assert_int_equal(clv_mesh_build(&b.mesh, NULL, &b.map, NULL, NULL), CLV_OK);
  assert_non_null(b.map);
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(grids_have_the_right_numbers),
      cmocka_unit_test(cells_keep_their_corners_points_and_tags),
      cmocka_unit_test(equal_points_are_one_when_merged),
      cmocka_unit_test(zero_has_one_place),
      cmocka_unit_test(a_single_element_is_a_body),
      cmocka_unit_test(inverted_elements_are_turned),
      cmocka_unit_test(turned_neighbours_are_glued),
      cmocka_unit_test(faces_meet_however_their_vertices_are_numbered),
      cmocka_unit_test(faces_that_look_alike_are_told_apart),
      cmocka_unit_test(lone_pairs_are_merged_and_glued),
      cmocka_unit_test(a_face_has_two_sides),
      cmocka_unit_test(an_edge_has_two_sides),
      cmocka_unit_test(a_quadrangle_has_two_sides),
      cmocka_unit_test(a_polygon_edge_has_two_sides),
      cmocka_unit_test(a_pentagon_has_two_sides),
      cmocka_unit_test(a_cell_is_not_its_own_neighbour),
      cmocka_unit_test(a_corner_is_named_once),
      cmocka_unit_test(merged_corners_are_one_corner),
      cmocka_unit_test(flat_elements_are_no_bodies),
      cmocka_unit_test(flat_polygons_and_polyhedra_are_no_bodies),
      cmocka_unit_test(small_elements_are_bodies),
      cmocka_unit_test(corners_are_points),
      cmocka_unit_test(coordinates_are_numbers),
      cmocka_unit_test(a_missing_error_is_no_error),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
