// From flat mesh to map, the harder bodies: polygons and polyhedra, cells that touch without sharing a facet, surfaces
// in space, elements of several dimensions; that a hub costs no more than a grid; and the way back.

#include "support/bench.h"

#include <math.h>
#include <string.h>
#include <time.h>

static int32_t region_at(const bench *b, clv_dart dart) {
  const int32_t *region = clv_column_at(clv_column_find(b->map, "region"), dart);
  assert_non_null(region);
  return *region;
}

static bool same_place(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// How many vertices of the map lie at a point.
static uint32_t vertices_at(const bench *b, const double *point) {
  uint32_t found = 0;
  const clv_column *position = clv_column_find(b->map, "pos");
  for (clv_id id = clv_id_next(b->map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(b->map, CLV_VERTEX, id))
    found += same_place(clv_column_of(position, id), point);
  return found;
}

// Cells that only touch

static const double touching[][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {-1, 0, 0}, {0, -1, 0}, {0, 0, -1}};

static void cells_that_meet_in_a_point_are_parted(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, touching, COUNT(touching));
  ADD(&b, CLV_TET, 0, 1, 2, 3);
  ADD(&b, CLV_TET, 0, 4, 5, 6);
  bench_build(&b, false);
  assert_int_equal(b.report.parted_vertices, 1);
  assert_int_equal(bench_info(&b).cells[0], 8);
  assert_int_equal(bench_info(&b).components, 2);
  assert_int_equal(vertices_at(&b, touching[0]), 2);
  for (uint32_t p = 1; p < 7; p++) assert_int_equal(vertices_at(&b, touching[p]), 1);
  bench_end(&b);
}

static void cells_that_meet_in_an_edge_are_parted(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, touching, COUNT(touching));
  ADD(&b, CLV_TET, 0, 1, 2, 3);
  ADD(&b, CLV_TET, 0, 4, 5, 3);
  bench_build(&b, false);
  assert_int_equal(b.report.parted_vertices, 2);
  assert_int_equal(b.report.unused_points, 1);
  assert_int_equal(vertices_at(&b, touching[0]), 2);
  assert_int_equal(vertices_at(&b, touching[3]), 2);
  bench_end(&b);
}

// Four squares of nine, like a chessboard: all meet in the middle, and no two in an edge.
static void faces_that_meet_in_a_point_are_parted(void **state) {
  (void)state;
  static const double middle[3] = {0, 0, 0};
  bench b;
  bench_start(&b);
  bench_add_points(&b, &middle, 1);
  for (uint32_t k = 0; k < 4; k++) {
    const double angle = 1.5707963267948966 * k;
    const double around[3][3] = {
        {cos(angle), sin(angle)}, {cos(angle + 0.3), sin(angle + 0.3)}, {cos(angle + 0.6), sin(angle + 0.6)}};
    const uint32_t first = (uint32_t)b.mesh.point_count, tri[] = {0, first, first + 1},
                   other[] = {0, first + 1, first + 2};
    bench_add_points(&b, around, 3);
    bench_add(&b, CLV_TRI, tri, 3);
    if (k % 2) bench_add(&b, CLV_TRI, other, 3);
  }
  bench_build(&b, false);
  assert_int_equal(b.report.parted_vertices, 3);
  assert_int_equal(vertices_at(&b, middle), 4);
  assert_int_equal(bench_info(&b).components, 4);
  bench_end(&b);
}

static void polygons_that_meet_in_a_point_are_parted(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0},   {2, 0},   {3, 1},  {2, 2},  {0, 2}, {-1, 0},
                                     {-2, -1}, {-1, -2}, {0, -1}, {1, -2}, {2, -3}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_POLYGON, 0, 1, 2, 3, 4);
  ADD(&b, CLV_POLYGON, 0, 5, 6, 7, 8);
  ADD(&b, CLV_TRI, 0, 9, 10);
  bench_build(&b, false);
  assert_int_equal(b.report.parted_vertices, 2);
  assert_int_equal(vertices_at(&b, points[0]), 3);
  assert_int_equal(bench_info(&b).cells[0], 13);
  bench_end(&b);
}

static void add_polyhedron_of(bench *b, clv_kind kind, const uint32_t *corner, uint32_t turn);

static void polyhedra_that_meet_in_a_point_are_parted(void **state) {
  (void)state;
  static const uint32_t first[] = {0, 1, 2, 3}, second[] = {0, 4, 5, 6};
  bench b;
  bench_start(&b);
  bench_add_points(&b, touching, COUNT(touching));
  add_polyhedron_of(&b, CLV_TET, first, 0);
  add_polyhedron_of(&b, CLV_TET, second, 0);
  bench_build(&b, false);
  assert_int_equal(b.report.parted_vertices, 1);
  assert_int_equal(vertices_at(&b, touching[0]), 2);
  bench_end(&b);
}

// Polyhedra

static const uint8_t faces[][6][5] = {
    // each with its size first
    [CLV_TET] = {{3, 0, 1, 3}, {3, 1, 2, 3}, {3, 2, 0, 3}, {3, 0, 2, 1}},
    [CLV_PYRAMID] = {{4, 0, 3, 2, 1}, {3, 0, 1, 4}, {3, 1, 2, 4}, {3, 2, 3, 4}, {3, 3, 0, 4}},
    [CLV_PRISM] = {{3, 0, 1, 2}, {3, 3, 5, 4}, {4, 0, 3, 4, 1}, {4, 1, 4, 5, 2}, {4, 2, 5, 3, 0}},
    [CLV_HEX] = {{4, 0, 4, 7, 3}, {4, 1, 2, 6, 5}, {4, 0, 1, 5, 4}, {4, 3, 7, 6, 2}, {4, 0, 3, 2, 1}, {4, 4, 5, 6, 7}},
};
static const uint32_t face_counts[] = {[CLV_TET] = 4, [CLV_PYRAMID] = 5, [CLV_PRISM] = 5, [CLV_HEX] = 6};

// A template cell as a polyhedron: face f starts f + turn corners further on, and goes the other way round where a bit
// of turn is set.
static void add_polyhedron_of(bench *b, clv_kind kind, const uint32_t *corner, uint32_t turn) {
  uint32_t stream[64], length = 0;
  stream[length++] = face_counts[kind];
  for (uint32_t f = 0; f < face_counts[kind]; f++) {
    const uint8_t *face = faces[kind][f];
    const uint32_t size = face[0], back = turn >> f & 1u;
    stream[length++] = size;
    for (uint32_t k = 0; k < size; k++)
      stream[length++] = corner[face[1 + (back ? 2 * size - k + f : k + f + turn) % size]];
  }
  bench_add(b, CLV_POLYHEDRON, stream, length);
}

static const uint32_t in_order[] = {0, 1, 2, 3, 4, 5, 6, 7};

static void polyhedra_that_are_templates_become_such(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TET; kind <= CLV_HEX; kind++)
    for (uint32_t turn = 0; turn < 64; turn += 7) {
      bench b;
      bench_start(&b);
      bench_add_points(&b, bench_unit[kind], clv_templates[kind].corner_count);
      add_polyhedron_of(&b, kind, in_order, turn);
      bench_build(&b, false);
      const clv_map_info info = bench_info(&b);
      assert_int_equal(info.kinds[kind], 1);
      assert_int_equal(info.cells[0], clv_templates[kind].corner_count);
      assert_int_equal(info.cells[2], face_counts[kind]);
      assert_true(info.orientable);
      assert_true(fabs(fabs(bench_measure(&b, kind, 0)) - clv_element_measure(kind, bench_unit[kind])) < 1e-15);
      assert_int_equal(region_at(&b, clv_cell_at(b.map, kind, 0)), -3);
      bench_end(&b);
    }
}

static void templates_from_polyhedra_are_the_right_way_round(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TET; kind <= CLV_HEX; kind++)
    for (uint32_t turn = 0; turn < 64; turn += 7) {
      bench b;
      bench_start(&b);
      bench_add_points(&b, bench_unit[kind], clv_templates[kind].corner_count);
      add_polyhedron_of(&b, kind, in_order, turn);
      bench_build(&b, false);
      assert_true(bench_measure(&b, kind, 0) > 0);
      bench_end(&b);
    }
}

// A grid in which every third element is given by its faces is the grid.
static void polyhedra_are_glued_to_templates(void **state) {
  (void)state;
  for (uint32_t kind = CLV_GRID_HEX; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench grid, b;
    bench_start(&grid);
    bench_start(&b);
    bench_add_grid(&grid, (clv_grid_kind)kind, 2, 2, 2, true);
    bench_add_points(&b, (const double(*)[3])grid.mesh.points, grid.mesh.point_count);
    for (size_t e = 0; e < grid.mesh.element_count; e++) {
      const clv_kind element = (clv_kind)grid.mesh.kinds[e];
      const uint32_t *corners = grid.mesh.corners + grid.mesh.offsets[e];
      if (e % 3)
        bench_add(&b, element, corners, clv_templates[element].corner_count);
      else
        add_polyhedron_of(&b, element, corners, (uint32_t)e);
    }
    bench_build(&grid, false);
    bench_build(&b, false);
    const clv_map_info expected = bench_info(&grid), info = bench_info(&b);
    assert_memory_equal(&info, &expected, sizeof info);
    for (size_t p = 0; p < grid.mesh.point_count; p++) assert_int_equal(vertices_at(&b, grid.mesh.points[p]), 1);
    bench_end(&grid);
    bench_end(&b);
  }
}

// A cube that lost a corner: seven faces of three, four and five corners.
static const double cut_cube[][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0},   {0, 1, 0},   {0, 0, 1},
                                     {1, 0, 1}, {0, 1, 1}, {1, 1, 0.5}, {1, 0.5, 1}, {0.5, 1, 1}};
static const uint32_t cut_cube_faces[] = {7, 4, 0, 3, 2, 1, 4, 0, 1, 5, 4, 4, 0, 4, 6, 3, 5, 1, 2,
                                          7, 8, 5, 5, 3, 6, 9, 7, 2, 5, 4, 5, 8, 9, 6, 3, 7, 9, 8};

static void truncated_cells_stay_polyhedra(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, cut_cube, COUNT(cut_cube));
  bench_add(&b, CLV_POLYHEDRON, cut_cube_faces, COUNT(cut_cube_faces));
  bench_build(&b, false);
  const clv_map_info info = bench_info(&b);
  assert_int_equal(info.kinds[CLV_POLYHEDRON], 1);
  assert_int_equal(info.cells[0], 10);
  assert_int_equal(info.cells[1], 15);
  assert_int_equal(info.cells[2], 7);
  assert_int_equal(info.boundary_facets, 7);
  assert_true(info.orientable);
  for (uint32_t p = 0; p < COUNT(cut_cube); p++) assert_int_equal(vertices_at(&b, cut_cube[p]), 1);
  bench_end(&b);
}

// The lost corner is put back as a tetrahedron; a cube goes below and a second cut cube, mirrored, beside a pentagon.
static void polyhedra_are_glued_by_faces_of_every_size(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, cut_cube, COUNT(cut_cube));
  for (uint32_t p = 0; p < COUNT(cut_cube); p++)
    assert_int_equal(clv_mesh_add_point(&b.mesh, 2 - cut_cube[p][0], cut_cube[p][1], cut_cube[p][2]), CLV_OK);
  static const double more[][3] = {{1, 1, 1}, {0, 0, -1}, {1, 0, -1}, {1, 1, -1}, {0, 1, -1}};
  bench_add_points(&b, more, COUNT(more));
  uint32_t mirrored[COUNT(cut_cube_faces)], at = 1;
  memcpy(mirrored, cut_cube_faces, sizeof mirrored);
  for (uint32_t f = 0; f < 7; f++) {
    const uint32_t size = mirrored[at++];
    for (uint32_t k = 0; k < size; k++) mirrored[at++] += 10;
  }
  bench_add(&b, CLV_POLYHEDRON, cut_cube_faces, COUNT(cut_cube_faces));
  bench_add(&b, CLV_POLYHEDRON, mirrored, COUNT(mirrored));
  ADD(&b, CLV_TET, 7, 9, 8, 20);
  ADD(&b, CLV_HEX, 21, 22, 23, 24, 0, 1, 2, 3);
  bench_build(&b, true);
  const clv_map_info info = bench_info(&b);
  assert_int_equal(b.report.merged_points, 5);
  assert_int_equal(info.kinds[CLV_POLYHEDRON], 2);
  assert_int_equal(info.components, 1);
  assert_int_equal(info.cells[0], 20);
  assert_int_equal(info.cells[2], 7 + 7 + 4 + 6 - 3);
  assert_int_equal(info.boundary_facets, 7 + 7 + 4 + 6 - 6);
  assert_int_equal(info.euler, 1);
  assert_true(info.orientable);
  bench_end(&b);
}

static void a_polyhedron_must_close(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_unit(&b, CLV_TET);
  ADD(&b, CLV_POLYHEDRON, 3, 3, 0, 1, 2, 3, 0, 1, 3, 3, 1, 2, 3);
  REFUSE(&b, false, "element 1", "not closed");
  bench_end(&b);
}

static void a_polyhedron_is_one_surface(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_points(&b, touching, COUNT(touching));
  bench_add_points(&b, bench_unit[CLV_HEX], 1);
  ADD(&b, CLV_POLYHEDRON, 8, 3, 0, 1, 2, 3, 1, 0, 3, 3, 2, 1, 3, 3, 0, 2, 3, 3, 4, 5, 6, 3, 5, 4, 7, 3, 6, 5, 7, 3, 4,
      6, 7);
  REFUSE(&b, false, "element 0", "more than one");
  bench_end(&b);
}

static void polygons_of_every_size_are_glued(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0}, {1, 0}, {1, 1}, {0, 1}, {2, 0}, {3, 1}, {2, 2}, {0.5, 2}, {-1, 3}};
  bench b;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_POLYGON, 2, 3, 0, 1);    // a square
  ADD(&b, CLV_POLYGON, 1, 2, 6, 5, 4); // clockwise
  ADD(&b, CLV_TRI, 3, 2, 7);
  ADD(&b, CLV_POLYGON, 3, 7, 8);
  bench_build(&b, false);
  const clv_map_info info = bench_info(&b);
  assert_int_equal(info.kinds[CLV_QUAD], 1);
  assert_int_equal(info.kinds[CLV_TRI], 2);
  assert_int_equal(info.kinds[CLV_POLYGON], 1);
  assert_int_equal(info.cells[1], 4 + 5 + 3 + 3 - 3);
  assert_int_equal(info.boundary_facets, 9);
  assert_int_equal(info.euler, 1);
  assert_true(info.orientable);
  for (uint32_t p = 0; p < COUNT(points); p++) assert_int_equal(vertices_at(&b, points[p]), 1);
  bench_end(&b);
}

// Surfaces in space

static void a_closed_surface_is_orientable(void **state) {
  (void)state;
  static const double points[][3] = {{1, 0, 0}, {0, 1, 0}, {-1, 0, 0}, {0, -1, 0}, {0, 0, 1}, {0, 0, -1}};
  for (uint32_t turned = 0; turned < 256; turned += 17) {
    bench b;
    bench_start(&b);
    bench_add_points(&b, points, COUNT(points));
    for (uint32_t f = 0; f < 8; f++) {
      const uint32_t from = f % 4, to = (f + 1) % 4, apex = 4 + f / 4;
      const uint32_t tri[] = {turned >> f & 1u ? to : from, turned >> f & 1u ? from : to, apex};
      bench_add(&b, CLV_TRI, tri, 3);
    }
    bench_build(&b, false);
    const clv_map_info info = bench_info(&b);
    assert_int_equal(info.euler, 2);
    assert_int_equal(info.boundary_facets, 0);
    assert_true(info.orientable);
    assert_int_equal(b.report.turned, 0); // outside and inside are all one here
    bench_end(&b);
  }
}

// Quadrangles on a band of `length` and `width`, closed along its length, turned over there or not, and across its
// width or not. Where the points lie matters to nobody.
static void add_band(bench *b, uint32_t length, uint32_t width, bool twisted, bool tube) {
  const uint32_t rows = tube ? width : width + 1;
  for (uint32_t u = 0; u < length; u++)
    for (uint32_t v = 0; v < rows; v++)
      assert_int_equal(
          clv_mesh_add_point(&b->mesh, sin(1 + 37 * u + 11 * v), sin(2 + 17 * u + 29 * v), sin(3 + 5 * u + 7 * v)),
          CLV_OK);
  for (uint32_t u = 0; u < length; u++)
    for (uint32_t v = 0; v < width; v++) {
      const uint32_t w = (v + 1) % rows, next = (u + 1) % length;
      const bool over = twisted && next == 0;
      const uint32_t quad[] = {u * rows + v, next * rows + (over ? rows - 1 - v : v),
                               next * rows + (over ? rows - 1 - w : w), u * rows + w};
      bench_add(b, CLV_QUAD, quad, 4);
    }
}

static void bands_tubes_and_their_twisted_kin(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 4; k++) {
    const bool twisted = k & 1u, tube = k & 2u;
    bench b;
    bench_start(&b);
    add_band(&b, 5, 4, twisted, tube);
    bench_build(&b, false);
    const clv_map_info info = bench_info(&b);
    assert_int_equal(info.euler, 0);
    assert_int_equal(info.boundary_facets, tube ? 0 : 10);
    assert_int_equal(info.components, 1);
    assert_int_equal(info.orientable, !twisted);
    assert_int_equal(clv_map_orientable(b.map), !twisted);
    bench_end(&b);
  }
}

// Several dimensions, and none

static void lower_elements_are_left_out(void **state) {
  (void)state;
  bench b;
  bench_start(&b);
  bench_add_unit(&b, CLV_TET);
  bench_add_points(&b, touching + 4, 2);
  ADD(&b, CLV_TRI, 0, 1, 2);
  ADD(&b, CLV_TRI, 0, 4, 5);
  ADD(&b, CLV_LINE, 0, 1);
  ADD(&b, CLV_POINT, 3);
  bench_build(&b, false);
  assert_int_equal(b.map->dimension, 3);
  assert_int_equal(b.report.cells, 1);
  assert_int_equal(b.report.left_out, 4);
  assert_int_equal(b.report.unused_points, 2);
  assert_int_equal(bench_info(&b).cells[0], 4);
  bench_end(&b);
}

static void an_empty_mesh_is_an_empty_map(void **state) {
  (void)state;
  for (uint32_t points = 0; points < 3; points += 2) {
    bench b;
    bench_start(&b);
    bench_add_points(&b, touching, points);
    bench_build(&b, points > 0);
    const clv_map_info info = bench_info(&b), none = {.orientable = true};
    assert_memory_equal(&info, &none, sizeof info);
    assert_int_equal(b.report.unused_points, points);
    assert_non_null(clv_column_find(b.map, "pos"));
    assert_non_null(clv_column_find(b.map, "region"));
    bench_end(&b);
  }
}

// Time

static double seconds_per_cell(bench *b) {
  const clock_t before = clock();
  assert_int_equal(bench_try(b, false), CLV_OK);
  return (double)(clock() - before) / CLOCKS_PER_SEC / (double)b->mesh.element_count;
}

enum { HUB_CELLS = 200000 };

static void fill_hub_edge(bench *b) {
  bench_add_points(b, (const double[][3]){{0, 0, 0}, {0, 0, 1}}, 2);
  for (uint32_t k = 0; k < HUB_CELLS; k++) {
    const double angle = 6.283185307179586 * k / HUB_CELLS;
    const uint32_t tet[] = {0, 1, 2 + k, 2 + (k + 1) % HUB_CELLS};
    assert_int_equal(clv_mesh_add_point(&b->mesh, cos(angle), sin(angle), 0), CLV_OK);
    bench_add(b, CLV_TET, tet, 4);
  }
}

// A point over a square of triangles.
static void fill_hub_vertex(bench *b) {
  const uint32_t side = 316, apex = (side + 1) * (side + 1);
  for (uint32_t k = 0; k < apex; k++) {
    const uint32_t x = k % (side + 1), y = k / (side + 1);
    assert_int_equal(clv_mesh_add_point(&b->mesh, x, y, 0), CLV_OK);
    if (x == side || y == side) continue;
    const uint32_t below[] = {k, k + 1, k + side + 1, apex}, above[] = {k + 1, k + side + 2, k + side + 1, apex};
    bench_add(b, CLV_TET, below, 4);
    bench_add(b, CLV_TET, above, 4);
  }
  assert_int_equal(clv_mesh_add_point(&b->mesh, 0, 0, 100), CLV_OK);
}

static void a_hub_costs_no_more_than_a_grid(void **state) {
  (void)state;
  bench grid, edge, vertex;
  bench_start(&grid);
  bench_start(&edge);
  bench_start(&vertex);
  bench_add_grid(&grid, CLV_GRID_TET5, 34, 34, 34, true);
  fill_hub_edge(&edge);
  fill_hub_vertex(&vertex);
  const double usual = seconds_per_cell(&grid), at_edge = seconds_per_cell(&edge),
               at_vertex = seconds_per_cell(&vertex);
  print_message("a cell of a grid took %.2f us, of a hub edge %.2f us, of a hub vertex %.2f us\n", 1e6 * usual,
                1e6 * at_edge, 1e6 * at_vertex);
  assert_true(at_edge < 20 * usual);
  assert_true(at_vertex < 20 * usual);
  bench_end(&grid);
  bench_end(&edge);
  bench_end(&vertex);
}

// And back

// Element e of one mesh is the first of its kind not met yet in the other.
static void assert_same_elements(const clv_mesh *a, const clv_mesh *b) {
  assert_int_equal(a->point_count, b->point_count);
  assert_int_equal(a->element_count, b->element_count);
  size_t next[CLV_KIND_COUNT] = {0};
  for (size_t e = 0; e < a->element_count; e++) {
    const uint8_t kind = a->kinds[e];
    while (next[kind] < b->element_count && b->kinds[next[kind]] != kind) next[kind]++;
    const size_t other = next[kind]++;
    assert_true(other < b->element_count);
    assert_int_equal(a->tags[e], b->tags[other]);
    const size_t count = a->offsets[e + 1] - a->offsets[e];
    assert_int_equal(count, b->offsets[other + 1] - b->offsets[other]);
    for (size_t c = 0; c < count; c++)
      assert_memory_equal(a->points[a->corners[a->offsets[e] + c]], b->points[b->corners[b->offsets[other] + c]],
                          3 * sizeof(double));
  }
}

static void extract(const bench *b, clv_mesh *mesh) {
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(mesh, NULL);
  assert_int_equal(clv_mesh_extract(mesh, b->map, &error), CLV_OK);
}

static void a_grid_comes_back(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    bench b;
    clv_mesh back;
    bench_start(&b);
    bench_add_grid(&b, (clv_grid_kind)kind, 3, 2, 2, true);
    bench_build(&b, false);
    extract(&b, &back);
    assert_same_elements(&b.mesh, &back);
    clv_mesh_free(&back);
    bench_end(&b);
  }
}

// A polygon comes back from another corner perhaps, in the same sense or the other.
static void polygons_come_back(void **state) {
  (void)state;
  static const double points[][3] = {{0, 0}, {1, 0}, {1, 1}, {0.5, 2}, {0, 1}, {2, 0}, {3, 1}, {2, 2}, {1.5, 1.5}};
  bench b;
  clv_mesh back;
  bench_start(&b);
  bench_add_points(&b, points, COUNT(points));
  ADD(&b, CLV_POLYGON, 0, 1, 2, 3, 4);
  ADD(&b, CLV_POLYGON, 1, 5, 6, 7, 8, 2);
  bench_build(&b, false);
  extract(&b, &back);
  assert_int_equal(back.element_count, 2);
  for (size_t e = 0; e < 2; e++) {
    const uint32_t *from = b.mesh.corners + b.mesh.offsets[e], *to = back.corners + back.offsets[e];
    const size_t count = b.mesh.offsets[e + 1] - b.mesh.offsets[e];
    assert_int_equal(back.tags[e], b.mesh.tags[e]);
    assert_int_equal(back.offsets[e + 1] - back.offsets[e], count);
    size_t matches = 0;
    for (size_t turn = 0; turn < 2 * count; turn++) {
      size_t same = 0;
      for (size_t k = 0; k < count; k++) {
        const size_t at = turn < count ? (turn + k) % count : (2 * count + turn - k) % count;
        same += same_place(points[from[at]], back.points[to[k]]);
      }
      matches += same == count;
    }
    assert_int_equal(matches, 1);
  }
  clv_mesh_free(&back);
  bench_end(&b);
}

// The map of a map's mesh is the map: polyhedra too, with their faces all seen from one side.
static void polyhedra_come_back(void **state) {
  (void)state;
  bench b, again;
  bench_start(&b);
  bench_start(&again);
  bench_add_points(&b, cut_cube, COUNT(cut_cube));
  bench_add_points(&b, (const double[][3]){{1, 1, 1}}, 1);
  bench_add(&b, CLV_POLYHEDRON, cut_cube_faces, COUNT(cut_cube_faces));
  ADD(&b, CLV_TET, 7, 9, 8, 10);
  bench_build(&b, false);
  extract(&b, &again.mesh);
  assert_int_equal(again.mesh.element_count, 2);
  bench_build(&again, false);
  const clv_map_info info = bench_info(&b), back = bench_info(&again);
  assert_memory_equal(&info, &back, sizeof info);
  for (uint32_t p = 0; p < b.mesh.point_count; p++) assert_int_equal(vertices_at(&again, b.mesh.points[p]), 1);
  for (size_t e = 0; e < 2; e++) assert_int_equal(again.mesh.tags[e], again.mesh.kinds[e] == CLV_TET ? 4 : -3);
  bench_end(&b);
  bench_end(&again);
}

static void an_open_map_is_no_mesh(void **state) {
  (void)state;
  bench b;
  clv_mesh back;
  clv_error error = {CLV_OK, ""};
  bench_start(&b);
  bench_add_unit(&b, CLV_HEX);
  bench_build(&b, false);
  assert_int_equal(clv_map_begin(b.map), CLV_OK);
  assert_int_equal(clv_map_unsew(b.map, 2, clv_cell_at(b.map, CLV_HEX, 0)), CLV_OK);
  assert_int_equal(clv_map_commit(b.map), CLV_OK);
  clv_mesh_init(&back, NULL);
  assert_int_equal(clv_mesh_extract(&back, b.map, &error), CLV_ERROR_REFUSED);
  assert_non_null(strstr(error.message, "open"));
  assert_int_equal(clv_mesh_extract(&b.mesh, b.map, &error), CLV_ERROR_ARGUMENT); // not empty
  assert_int_equal(back.point_count, 0);
  bench_end(&b);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cells_that_meet_in_a_point_are_parted),
      cmocka_unit_test(cells_that_meet_in_an_edge_are_parted),
      cmocka_unit_test(faces_that_meet_in_a_point_are_parted),
      cmocka_unit_test(polygons_that_meet_in_a_point_are_parted),
      cmocka_unit_test(polyhedra_that_meet_in_a_point_are_parted),
      cmocka_unit_test(polyhedra_that_are_templates_become_such),
      cmocka_unit_test(templates_from_polyhedra_are_the_right_way_round),
      cmocka_unit_test(polyhedra_are_glued_to_templates),
      cmocka_unit_test(truncated_cells_stay_polyhedra),
      cmocka_unit_test(polyhedra_are_glued_by_faces_of_every_size),
      cmocka_unit_test(a_polyhedron_must_close),
      cmocka_unit_test(a_polyhedron_is_one_surface),
      cmocka_unit_test(polygons_of_every_size_are_glued),
      cmocka_unit_test(a_closed_surface_is_orientable),
      cmocka_unit_test(bands_tubes_and_their_twisted_kin),
      cmocka_unit_test(lower_elements_are_left_out),
      cmocka_unit_test(an_empty_mesh_is_an_empty_map),
      cmocka_unit_test(a_hub_costs_no_more_than_a_grid),
      cmocka_unit_test(a_grid_comes_back),
      cmocka_unit_test(polygons_come_back),
      cmocka_unit_test(polyhedra_come_back),
      cmocka_unit_test(an_open_map_is_no_mesh),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
