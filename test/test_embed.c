// Policies: what becomes of values when their orbits split, merge, appear and vanish.
//
// Two cells are sewn and parted again, for every crossing orbit in both dimensions, and each policy must give what its
// name says. Masses on vertices, shared by what the corners contribute, must come out to the last bit of what a sum
// over the corners gives, and nothing of the total may be lost on the way.

#include "cleave/mesh.h"
#include "support/counting_allocator.h"
#include "support/small_map.h"

#include <math.h>
#include <string.h>

static bool near(double a, double b) {
  return fabs(a - b) <= 1e-12 * (1 + fabs(a) + fabs(b));
}

static clv_dart along(const clv_map *map, clv_dart dart, uint32_t steps) {
  for (uint32_t k = 0; k < steps; k++) dart = clv_alpha(map, dart, k % 2);
  return dart;
}

// Two cells with a facet each, and every crossing orbit of that facet: 1 on the one cell, 3 on the other.

typedef struct pair {
  clv_map *map;
  clv_dart a, b;
  uint32_t darts; // of the facet
} pair;

static pair create_pair(uint32_t dimension) {
  pair p = {.map = create_map(dimension), .darts = dimension == 2 ? 2 : 8};
  begin(p.map);
  p.a = add_cell(p.map, dimension == 2 ? CLV_QUAD : CLV_HEX);
  p.b = add_cell(p.map, dimension == 2 ? CLV_QUAD : CLV_HEX);
  commit(p.map);
  return p;
}

static void put_on_facet(const pair *p, clv_column *column, clv_dart first, double value) {
  for (uint32_t k = 0; k < p->darts; k++) put(column, along(p->map, first, k), value);
}

static void assert_on_facet(const pair *p, const clv_column *column, clv_dart first, double value) {
  for (uint32_t k = 0; k < p->darts; k++) assert_true(near(get(column, along(p->map, first, k)), value));
}

static void sew(const pair *p) {
  begin(p->map);
  assert_int_equal(clv_map_sew(p->map, p->map->dimension, p->a, p->b), CLV_OK);
  commit(p->map);
}

static void unsew(const pair *p) {
  begin(p->map);
  assert_int_equal(clv_map_unsew(p->map, p->map->dimension, p->a), CLV_OK);
  commit(p->map);
}

static const clv_orbit crossing[] = {CLV_VERTEX,           CLV_EDGE, CLV_FACE, CLV_COMPONENT, CLV_ORBIT(0, 0, 1, 1),
                                     CLV_ORBIT(0, 1, 0, 1)};

// Sewn, then parted; what the facet's orbits have after each.
static void assert_policies(clv_split_policy split, clv_merge_policy merge, double sewn, double parted) {
  for (uint32_t dimension = 2; dimension <= 3; dimension++)
    for (uint32_t k = 0; k < sizeof crossing / sizeof *crossing; k++) {
      const pair p = create_pair(dimension);
      if (!(clv_orbit_dims(p.map, crossing[k]) >> dimension & 1u)) { // a face of a 2D map is its cell
        clv_map_destroy(p.map);
        continue;
      }
      clv_column *column =
          create(p.map, (clv_column_def){.name = "x", .orbit = crossing[k], .split = split, .merge = merge});
      put_on_facet(&p, column, p.a, 1);
      put_on_facet(&p, column, p.b, 3);
      sew(&p);
      assert_on_facet(&p, column, p.a, sewn);
      assert_on_facet(&p, column, p.b, sewn);
      unsew(&p);
      assert_on_facet(&p, column, p.a, parted);
      assert_on_facet(&p, column, p.b, parted);
      clv_map_destroy(p.map);
    }
}

static void copied_and_kept(void **state) {
  (void)state;
  assert_policies(CLV_SPLIT_COPY, CLV_MERGE_KEEP, 1, 1);
}

static void copied_and_summed(void **state) {
  (void)state;
  assert_policies(CLV_SPLIT_COPY, CLV_MERGE_SUM, 4, 4);
}

static void copied_and_averaged(void **state) {
  (void)state;
  assert_policies(CLV_SPLIT_COPY, CLV_MERGE_MEAN, 2, 2);
}

static void shared_and_kept(void **state) {
  (void)state;
  assert_policies(CLV_SPLIT_SHARE, CLV_MERGE_KEEP, 1, 0.5);
}

static void shared_and_summed(void **state) {
  (void)state;
  assert_policies(CLV_SPLIT_SHARE, CLV_MERGE_SUM, 4, 2);
}

static void shared_and_averaged(void **state) {
  (void)state;
  assert_policies(CLV_SPLIT_SHARE, CLV_MERGE_MEAN, 2, 1);
}

// A corner of two squares against one of a third: two to one.
static void a_mean_is_weighted(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  begin(map);
  const clv_dart a = add_cell(map, CLV_QUAD), b = add_cell(map, CLV_QUAD), c = add_cell(map, CLV_QUAD);
  assert_int_equal(clv_map_sew(map, 2, a, clv_alpha(map, b, 1)), CLV_OK); // both at their corner 0
  commit(map);
  clv_column *mean = create(map, (clv_column_def){.name = "mean", .orbit = CLV_VERTEX, .merge = CLV_MERGE_MEAN});
  clv_column *kept = create(map, (clv_column_def){.name = "kept", .orbit = CLV_VERTEX});
  put(mean, a, 6);
  put(mean, c, 3);
  put(kept, a, 6);
  put(kept, c, 3);
  begin(map);
  assert_int_equal(clv_map_sew(map, 2, b, clv_alpha(map, c, 1)), CLV_OK);
  commit(map);
  assert_true(near(get(mean, c), 5));
  assert_true(get(kept, c) == 6); // the heavier one goes on
  clv_map_destroy(map);
}

// Cells are cut and joined

static double total_of_cells(const clv_map *map, const clv_column *column) {
  double total = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_CELL, id))
    total += get(column, clv_id_dart(map, CLV_CELL, id));
  return total;
}

static void a_cut_face_shares_or_copies(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  clv_dart edge = CLV_NO_DART;
  begin(map);
  const clv_dart quad = add_cell(map, CLV_QUAD);
  commit(map);
  clv_column *area = create(
      map, (clv_column_def){.name = "area", .orbit = CLV_CELL, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM});
  clv_column *height = create(map, (clv_column_def){.name = "height", .orbit = CLV_CELL, .merge = CLV_MERGE_MEAN});
  put(area, quad, 8);
  put(height, quad, 5);
  begin(map);
  assert_int_equal(clv_map_insert_edge(map, quad, along(map, quad, 3), &edge), CLV_OK);
  commit(map);
  assert_int_equal(clv_cell_count(map, CLV_TRI), 2);
  for (uint32_t row = 0; row < 2; row++) {
    const clv_dart tri = clv_cell_at(map, CLV_TRI, row);
    assert_true(get(area, tri) == 4);
    assert_true(get(height, tri) == 5);
    put(height, tri, 1 + 2 * row);
  }
  clv_dart inner = clv_cell_at(map, CLV_TRI, 0);
  while (clv_is_free(map, inner, 2)) inner++;
  begin(map);
  assert_int_equal(clv_map_remove(map, 1, inner), CLV_OK);
  commit(map);
  assert_true(get(area, clv_cell_at(map, CLV_QUAD, 0)) == 8);
  assert_true(get(height, clv_cell_at(map, CLV_QUAD, 0)) == 2);
  clv_map_destroy(map);
}

// A wall round the cube's waist leaves nothing, round its rim a lid of no height: eight darts of 48 are the lid's.
static void a_cut_volume_shares_or_copies(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  begin(map);
  const clv_dart hex = add_cell(map, CLV_HEX);
  commit(map);
  clv_column *mass = create(
      map, (clv_column_def){.name = "mass", .orbit = CLV_CELL, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM});
  clv_column *colour = create(map, (clv_column_def){.name = "colour", .orbit = CLV_CELL});
  put(mass, hex, 48);
  put(colour, hex, 7);
  const clv_dart top = hex | clv_templates[CLV_HEX].facet_first[5], path[] = {top, top + 2, top + 4, top + 6};
  clv_dart lid = CLV_NO_DART;
  begin(map);
  assert_int_equal(clv_map_insert_face(map, path, 4, &lid), CLV_OK);
  commit(map);
  const clv_dart cube = clv_cell_at(map, CLV_HEX, clv_cell_rows(map, CLV_HEX) - 1);
  const clv_dart other = clv_cell_at(map, CLV_POLYHEDRON, 0);
  assert_int_not_equal(cube, CLV_NO_DART);
  assert_int_not_equal(other, CLV_NO_DART);
  assert_true(get(mass, cube) == 40);
  assert_true(get(mass, other) == 8);
  assert_true(get(colour, cube) == 7);
  assert_true(get(colour, other) == 7);
  begin(map);
  assert_int_equal(clv_map_remove(map, 2, clv_is_free(map, other, 3) ? clv_alpha(map, other, 2) : other), CLV_OK);
  commit(map);
  assert_true(total_of_cells(map, mass) == 48);
  assert_int_equal(clv_map_revision(map), 3);
  clv_map_destroy(map);
}

// A lid is cut off the first of two cubes, and all goes that the cube had: a wall of new darts stays. The other cube
// has its share of the edges that they had in common.
static void a_new_wall_is_no_share_of_the_cube_it_was_made_in(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  begin(map);
  const clv_dart a = add_cell(map, CLV_HEX), b = add_cell(map, CLV_HEX);
  assert_int_equal(clv_map_sew(map, 3, a, b), CLV_OK);
  commit(map);
  clv_column *mass = create(
      map, (clv_column_def){.name = "mass", .orbit = CLV_EDGE, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM});
  put(mass, b, 12);
  const clv_dart top = a | clv_templates[CLV_HEX].facet_first[5], path[] = {top, top + 2, top + 4, top + 6};
  clv_dart lid = CLV_NO_DART;
  begin(map);
  assert_int_equal(clv_map_insert_face(map, path, 4, &lid), CLV_OK);
  assert_int_equal(clv_map_remove_cell(map, a), CLV_OK);
  assert_int_equal(clv_map_remove(map, 2, top), CLV_OK);
  commit(map);
  assert_true(get(mass, b) == 6);
  clv_map_destroy(map);
}

// Corners inside a cell: cut open along an edge, their values split; closed again, they merge.
static void corners_split_and_merge(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  commit(map);
  clv_column *share = create(
      map, (clv_column_def){.name = "share", .orbit = CLV_CORNER, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_SUM});
  clv_column *copy = create(map, (clv_column_def){.name = "copy", .orbit = CLV_CORNER});
  for (uint32_t c = 0; c < 4; c++) {
    const clv_dart corner = tet | clv_templates[CLV_TET].sub[6].first[c];
    put(share, corner, 6 * (c + 1));
    put(copy, corner, c);
  }
  // All three edges of corner 0: three faces, each with a corner of its own.
  const clv_dart edges[] = {tet, clv_alpha(map, tet, 1), clv_alpha(map, clv_alpha(map, clv_alpha(map, tet, 2), 1), 2)};
  clv_dart beyond[3];
  begin(map);
  for (uint32_t e = 0; e < 3; e++) {
    beyond[e] = clv_alpha(map, edges[e], 2);
    assert_int_equal(clv_map_unsew(map, 2, edges[e]), CLV_OK);
  }
  commit(map);
  for (uint32_t e = 0; e < 3; e++) {
    assert_true(near(get(share, edges[e]), 2));
    assert_true(get(copy, beyond[e]) == 0);
  }
  begin(map);
  for (uint32_t e = 0; e < 3; e++) assert_int_equal(clv_map_sew(map, 2, edges[e], beyond[e]), CLV_OK);
  commit(map);
  assert_int_equal(clv_cell_kind(map, tet), CLV_TET);
  for (uint32_t c = 0; c < 4; c++) {
    const clv_dart corner = tet | clv_templates[CLV_TET].sub[6].first[c];
    assert_true(near(get(share, corner), 6 * (c + 1)));
    assert_true(get(copy, corner) == c);
  }
  clv_map_destroy(map);
}

// Creation

static void new_orbits_have_the_initial_value(void **state) {
  (void)state;
  static const double initial[2] = {2.5, -1};
  static const clv_orbit orbits[] = {CLV_VERTEX,           CLV_EDGE, CLV_FACE, CLV_CELL, CLV_CORNER, CLV_CELL_EDGE,
                                     CLV_ORBIT(0, 0, 1, 1)};
  for (uint32_t k = 0; k < sizeof orbits / sizeof *orbits; k++) {
    clv_map *map = create_map(3);
    begin(map);
    add_cell(map, CLV_PRISM);
    commit(map);
    clv_column *column =
        create(map, (clv_column_def){.name = "x", .orbit = orbits[k], .components = 2, .initial = initial});
    clv_dart added = CLV_NO_DART;
    begin(map);
    const clv_dart tet = add_cell(map, CLV_TET);
    assert_int_equal(clv_map_add_polygon(map, 5, NULL), CLV_OK);
    assert_int_equal(clv_map_insert_vertex(map, tet, &added), CLV_OK);
    assert_int_equal(clv_map_insert_vertex(map, clv_cell_at(map, CLV_PRISM, 0), NULL), CLV_OK);
    commit(map);
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d))
      assert_memory_equal(clv_column_at(column, d), initial, sizeof initial);
    clv_map_destroy(map);
  }
}

// Halves of halves, all in one transaction: the ends of the last are themselves new.
static void a_new_vertex_lies_between_its_ends(void **state) {
  (void)state;
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    const pair p = create_pair(dimension);
    sew(&p);
    clv_column_def def = clv_default_column_def();
    clv_column *position = create(p.map, def);
    const clv_dart far = clv_alpha(p.map, p.a, 0);
    memcpy(clv_column_at(position, p.a), (double[]){0, 8, -16}, 3 * sizeof(double));
    memcpy(clv_column_at(position, far), (double[]){16, 24, 16}, 3 * sizeof(double));
    clv_dart half = CLV_NO_DART, quarter = CLV_NO_DART, between = CLV_NO_DART;
    begin(p.map);
    assert_int_equal(clv_map_insert_vertex(p.map, p.a, &half), CLV_OK);
    assert_int_equal(clv_map_insert_vertex(p.map, half, &quarter), CLV_OK);
    assert_int_equal(clv_map_insert_vertex(p.map, half, &between), CLV_OK);
    commit(p.map);
    // From a: a0 and a1 lead over the new vertices to the far end.
    for (uint32_t k = 0; k <= 4; k++) {
      static const double x[] = {0, 4, 6, 8, 16};
      const double *at = clv_column_at(position, along(p.map, p.a, 2 * k));
      assert_true(at[0] == x[k] && at[1] == 8 + x[k] && at[2] == -16 + 2 * x[k]);
    }
    clv_map_destroy(p.map);
  }
}

static void a_vertex_between_nobody_has_the_initial_value(void **state) {
  (void)state;
  static const double initial[3] = {7, 8, 9};
  clv_map *map = create_map(3);
  clv_column_def def = clv_default_column_def();
  def.initial = initial;
  clv_column *position = create(map, def);
  clv_dart added = CLV_NO_DART;
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  assert_int_equal(clv_map_insert_vertex(map, tet, &added), CLV_OK); // the mean of two sevens
  commit(map);
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d))
    assert_memory_equal(clv_column_at(position, d), initial, sizeof initial);
  clv_map_destroy(map);
}

// Mass by contribution

typedef struct body {
  clv_map *map;
  clv_column *corner, *mass, *sum;
} body;

// A grid of hexahedra of different densities: an eighth of each cell's mass at each of its corners, and their sums on
// the vertices.
static body create_body(clv_grid_kind kind) {
  clv_grid_def grid = clv_default_grid_def();
  clv_mesh mesh;
  body b;
  grid.kind = kind;
  for (uint32_t k = 0; k < 3; k++) grid.cells[k] = 2;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &grid, NULL), CLV_OK);
  assert_int_equal(clv_mesh_build(&mesh, NULL, &b.map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  b.corner = create(b.map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  b.mass = create(b.map, (clv_column_def){.name = "mass",
                                          .orbit = CLV_VERTEX,
                                          .split = CLV_SPLIT_SHARE,
                                          .merge = CLV_MERGE_SUM,
                                          .contribution = b.corner});
  b.sum = create(
      b.map,
      (clv_column_def){.name = "sum", .orbit = CLV_VERTEX, .merge = CLV_MERGE_RECOMPUTE, .contribution = b.corner});
  for (clv_id id = clv_id_next(b.map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(b.map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(b.map, CLV_CELL, id);
    const clv_suborbits *corners = &clv_templates[clv_cell_kind(b.map, cell)].sub[clv_orbit_dims(b.map, CLV_CORNER)];
    for (uint32_t c = 0; c < corners->count; c++)
      put(b.corner, cell | corners->first[c], (0.1 + sin(id.index * 0.37) * sin(id.index * 0.37)) * (1 + 0.1 * c) / 8);
  }
  return b;
}

// The sum of what the corners of a vertex contribute.
static double contributed(const body *b, clv_dart dart) {
  clv_walk star;
  double sum = 0;
  assert_int_equal(clv_walk_star(&star, b->map, CLV_VERTEX, dart), CLV_OK);
  for (uint32_t k = 0; k < star.count; k++) sum += get(b->corner, star.darts[k]);
  clv_walk_end(&star);
  return sum;
}

static void fill_masses(const body *b, double factor) {
  for (clv_id id = clv_id_next(b->map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(b->map, CLV_VERTEX, id))
    *(double *)clv_column_of(b->mass, id) = factor * contributed(b, clv_id_dart(b->map, CLV_VERTEX, id));
}

static double total_mass(const body *b) {
  double total = 0;
  for (clv_id id = clv_id_next(b->map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(b->map, CLV_VERTEX, id))
    total += *(const double *)clv_column_of(b->mass, id);
  return total;
}

// Every vertex has its corners' share; where vertices changed, the recomputed sum is right as well.
static void assert_masses(const body *b, double factor) {
  for (clv_id id = clv_id_next(b->map, CLV_VERTEX, (clv_id){0, 0}); id.index;
       id = clv_id_next(b->map, CLV_VERTEX, id)) {
    const double share = contributed(b, clv_id_dart(b->map, CLV_VERTEX, id)),
                 sum = *(const double *)clv_column_of(b->sum, id);
    assert_true(near(*(const double *)clv_column_of(b->mass, id), factor * share));
    assert_true(sum == 0 || near(sum, share));
  }
}

static const clv_grid_kind bodies[] = {CLV_GRID_TRI, CLV_GRID_MIXED2, CLV_GRID_HEX, CLV_GRID_TET5, CLV_GRID_MIXED};
enum { BODIES = sizeof bodies / sizeof *bodies };

// Facet by facet until all cells are apart, a few at a time, and back together.
static void a_mass_is_shared_by_what_corners_contribute(void **state) {
  (void)state;
  for (uint32_t k = 0; k < BODIES; k++) {
    const body b = create_body(bodies[k]);
    const uint32_t n = b.map->dimension;
    fill_masses(&b, 3);
    const double total = total_mass(&b);
    clv_dart cut[2][512];
    uint32_t count = 0;
    for (clv_dart d = clv_dart_next(b.map, 0); d; d = clv_dart_next(b.map, d)) {
      const clv_dart beyond = clv_alpha(b.map, d, n);
      if (beyond == d) continue;
      cut[0][count] = d;
      cut[1][count++] = beyond;
      assert_true(count < 512);
      begin(b.map);
      assert_int_equal(clv_map_unsew(b.map, n, d), CLV_OK);
      commit(b.map);
      assert_masses(&b, 3);
      assert_true(fabs(total_mass(&b) - total) < 1e-12 * total);
    }
    assert_true(count > 0);
    while (count) {
      begin(b.map);
      for (uint32_t together = 0; together < 3 && count; together++, count--)
        assert_int_equal(clv_map_sew(b.map, n, cut[0][count - 1], cut[1][count - 1]), CLV_OK);
      commit(b.map);
      assert_masses(&b, 3);
    }
    assert_true(fabs(total_mass(&b) - total) < 1e-12 * total);
    clv_map_destroy(b.map);
  }
}

static double mass_of_cell(const body *b, clv_dart dart) {
  clv_walk corners;
  double mass = 0;
  assert_int_equal(clv_walk_incident(&corners, b->map, CLV_CELL, CLV_CORNER, dart), CLV_OK);
  for (uint32_t c = 0; c < corners.count; c++) mass += get(b->corner, corners.darts[c]);
  clv_walk_end(&corners);
  return mass;
}

static void a_removed_cell_takes_its_share(void **state) {
  (void)state;
  for (uint32_t k = 0; k < BODIES; k++) {
    const body b = create_body(bodies[k]);
    fill_masses(&b, 2);
    for (clv_dart d = clv_dart_next(b.map, 0); d; d = clv_dart_next(b.map, 0)) {
      const double before = total_mass(&b), taken = 2 * mass_of_cell(&b, d);
      begin(b.map);
      assert_int_equal(clv_map_remove_cell(b.map, d), CLV_OK);
      commit(b.map);
      assert_masses(&b, 2);
      assert_true(fabs(before - taken - total_mass(&b)) < 1e-12 * (1 + before));
    }
    clv_map_destroy(b.map);
  }
}

// A cell that is opened has records for its darts: its corners contribute once all the same.
static void an_extended_cell_contributes_once(void **state) {
  (void)state;
  const body b = create_body(CLV_GRID_HEX);
  const clv_dart middle = clv_cell_at(b.map, CLV_HEX, 0);
  fill_masses(&b, 1);
  const double total = total_mass(&b);
  begin(b.map);
  assert_int_equal(clv_map_insert_vertex(b.map, middle, NULL), CLV_OK);
  commit(b.map);
  assert_true(fabs(total_mass(&b) - total) < 1e-12 * total); // the new corners have nothing yet
  begin(b.map);
  for (clv_dart d = clv_dart_next(b.map, 0); d; d = clv_dart_next(b.map, d))
    if (!clv_is_free(b.map, d, 3)) assert_int_equal(clv_map_unsew(b.map, 3, d), CLV_OK);
  commit(b.map);
  assert_true(fabs(total_mass(&b) - total) < 1e-12 * total);
  assert_masses(&b, 1);
  clv_map_destroy(b.map);
}

static void nothing_contributes_equal_parts(void **state) {
  (void)state;
  const body b = create_body(CLV_GRID_QUAD);
  for (clv_dart d = clv_dart_next(b.map, 0); d; d = clv_dart_next(b.map, d)) put(b.corner, d, 0);
  clv_dart inner = clv_dart_next(b.map, 0);
  while (clv_is_free(b.map, inner, 2) || !clv_is_free(b.map, clv_alpha(b.map, clv_alpha(b.map, inner, 2), 1), 2))
    inner = clv_dart_next(b.map, inner);
  put(b.mass, inner, 10); // a vertex of the rim, with two cells
  const clv_dart beyond = clv_alpha(b.map, inner, 2);
  begin(b.map);
  assert_int_equal(clv_map_unsew(b.map, 2, inner), CLV_OK);
  commit(b.map);
  assert_true(get(b.mass, inner) == 5);
  assert_true(get(b.mass, beyond) == 5);
  clv_map_destroy(b.map);
}

// Refusal

static void a_forbidden_merge_stops_the_commit(void **state) {
  (void)state;
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    const pair p = create_pair(dimension);
    clv_column *owner = create(p.map, (clv_column_def){.name = "owner", .orbit = CLV_VERTEX, .merge = CLV_MERGE_ERROR});
    put_on_facet(&p, owner, p.a, 1);
    put_on_facet(&p, owner, p.b, 2);
    const uint64_t hash = clv_map_hash(p.map);
    begin(p.map);
    add_cell(p.map, dimension == 2 ? CLV_TRI : CLV_TET);
    assert_int_equal(clv_map_sew(p.map, dimension, p.a, p.b), CLV_OK);
    for (uint32_t again = 0; again < 2; again++) {
      assert_int_equal(clv_map_commit(p.map), CLV_ERROR_REFUSED);
      assert_non_null(strstr(clv_map_error(p.map), "'owner'"));
      assert_int_equal(clv_map_begin(p.map), CLV_ERROR_ARGUMENT); // it is still open
    }
    clv_map_rollback(p.map);
    assert_true(clv_map_hash(p.map) == hash);
    assert_on_facet(&p, owner, p.a, 1);
    assert_on_facet(&p, owner, p.b, 2);
    assert_int_equal(clv_map_revision(p.map), 1);
    clv_map_destroy(p.map);
  }
}

// A refused commit may be mended inside its transaction; splits and creations are no merges.
static void a_refused_transaction_goes_on(void **state) {
  (void)state;
  const pair p = create_pair(3);
  sew(&p);
  clv_column *owner = create(p.map, (clv_column_def){.name = "owner", .orbit = CLV_FACE, .merge = CLV_MERGE_ERROR});
  put_on_facet(&p, owner, p.a, 4);
  unsew(&p);
  assert_on_facet(&p, owner, p.a, 4);
  assert_on_facet(&p, owner, p.b, 4);
  begin(p.map);
  assert_int_equal(clv_map_sew(p.map, 3, p.a, p.b), CLV_OK);
  assert_int_equal(clv_map_commit(p.map), CLV_ERROR_REFUSED);
  assert_int_equal(clv_map_unsew(p.map, 3, p.a), CLV_OK);
  const clv_dart tet = add_cell(p.map, CLV_TET);
  commit(p.map);
  assert_true(get(owner, tet) == 0);
  clv_map_destroy(p.map);
}

// A policy in C

typedef struct witness {
  uint32_t calls, created, split, merged;
  double shares, values;
} witness;

static void watch(void *user, const clv_map *map, clv_dart dart, const clv_part *parts, uint32_t count, void *value) {
  witness *w = user;
  double *sum = value;
  assert_true(clv_dart_alive(map, dart));
  if (count == 0) assert_true(*sum == 1.5); // what the create policy gave
  w->calls++;
  w->created += count == 0;
  w->split += count == 1;
  w->merged += count == 2;
  if (count) *sum = 0;
  for (uint32_t k = 0; k < count; k++) {
    const double part = *(const double *)parts[k].value;
    w->shares += parts[k].share;
    w->values += part;
    *sum += 100 * parts[k].share + part;
  }
}

static void a_policy_sees_its_parts(void **state) {
  (void)state;
  static const double initial = 1.5;
  const pair p = create_pair(3);
  witness w = {0};
  clv_column *own = create(
      p.map, (clv_column_def){.name = "own", .orbit = CLV_VERTEX, .initial = &initial, .policy = watch, .user = &w});
  assert_int_equal(w.calls, 0);
  put_on_facet(&p, own, p.a, 1);
  put_on_facet(&p, own, p.b, 3);
  sew(&p);
  assert_true(w.calls == 4 && w.merged == 4);
  assert_true(w.shares == 8 && w.values == 16); // each part is all of its old vertex
  assert_on_facet(&p, own, p.a, 204);
  w = (witness){0};
  unsew(&p);
  assert_true(w.calls == 8 && w.split == 8);
  assert_true(w.shares == 4 && w.values == 8 * 204); // half of the weight, the whole value
  assert_on_facet(&p, own, p.a, 254);
  assert_on_facet(&p, own, p.b, 254);
  w = (witness){0};
  begin(p.map);
  add_cell(p.map, CLV_TET);
  commit(p.map);
  assert_true(w.calls == 4 && w.created == 4);
  clv_map_destroy(p.map);
}

// What was deleted keeps its share of the old weight.
static void a_policy_hears_of_losses(void **state) {
  (void)state;
  static const double initial = 1.5;
  const pair p = create_pair(2);
  witness w = {0};
  sew(&p);
  create(p.map, (clv_column_def){.name = "own", .orbit = CLV_VERTEX, .initial = &initial, .policy = watch, .user = &w});
  begin(p.map);
  assert_int_equal(clv_map_remove_cell(p.map, p.b), CLV_OK);
  commit(p.map);
  assert_true(w.calls == 2 && w.split == 2);
  assert_true(w.shares == 1); // two halves
  clv_map_destroy(p.map);
}

// Other types

static void whole_numbers_and_floats(void **state) {
  (void)state;
  const pair p = create_pair(3);
  clv_column *whole =
      create(p.map, (clv_column_def){.name = "int", .orbit = CLV_FACE, .type = CLV_INT32, .merge = CLV_MERGE_SUM});
  clv_column *natural = create(
      p.map,
      (clv_column_def){.name = "uint", .orbit = CLV_FACE, .type = CLV_UINT32, .components = 2, .merge = CLV_MERGE_SUM});
  clv_column *real = create(
      p.map,
      (clv_column_def){
          .name = "float", .orbit = CLV_FACE, .type = CLV_FLOAT, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_MEAN});
  clv_column *bytes =
      create(p.map, (clv_column_def){.name = "bytes", .orbit = CLV_FACE, .type = CLV_BYTES, .components = 5});
  assert_int_equal(clv_column_size(whole), 4);
  assert_int_equal(clv_column_size(natural), 8);
  assert_int_equal(clv_column_size(real), 4);
  assert_int_equal(clv_column_size(bytes), 5);
  *(int32_t *)clv_column_at(whole, p.a) = -2000000000;
  *(int32_t *)clv_column_at(whole, p.b) = 7;
  ((uint32_t *)clv_column_at(natural, p.a))[1] = 4000000000u;
  ((uint32_t *)clv_column_at(natural, p.b))[1] = 5;
  *(float *)clv_column_at(real, p.a) = 3;
  *(float *)clv_column_at(real, p.b) = 4;
  memcpy(clv_column_at(bytes, p.a), "abcd", 5);
  memcpy(clv_column_at(bytes, p.b), "efgh", 5);
  sew(&p);
  assert_int_equal(*(int32_t *)clv_column_at(whole, p.b), -1999999993);
  assert_int_equal(((uint32_t *)clv_column_at(natural, p.b))[0], 0);
  assert_int_equal(((uint32_t *)clv_column_at(natural, p.b))[1], 4000000005u);
  assert_true(*(float *)clv_column_at(real, p.b) == 3.5f);
  assert_string_equal(clv_column_at(bytes, p.b), "abcd");
  unsew(&p);
  assert_true(*(float *)clv_column_at(real, p.a) == 1.75f);
  assert_string_equal(clv_column_at(bytes, p.b), "abcd");
  clv_map_destroy(p.map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(copied_and_kept),
      cmocka_unit_test(copied_and_summed),
      cmocka_unit_test(copied_and_averaged),
      cmocka_unit_test(shared_and_kept),
      cmocka_unit_test(shared_and_summed),
      cmocka_unit_test(shared_and_averaged),
      cmocka_unit_test(a_mean_is_weighted),
      cmocka_unit_test(a_cut_face_shares_or_copies),
      cmocka_unit_test(a_cut_volume_shares_or_copies),
      cmocka_unit_test(a_new_wall_is_no_share_of_the_cube_it_was_made_in),
      cmocka_unit_test(corners_split_and_merge),
      cmocka_unit_test(new_orbits_have_the_initial_value),
      cmocka_unit_test(a_new_vertex_lies_between_its_ends),
      cmocka_unit_test(a_vertex_between_nobody_has_the_initial_value),
      cmocka_unit_test(a_mass_is_shared_by_what_corners_contribute),
      cmocka_unit_test(a_removed_cell_takes_its_share),
      cmocka_unit_test(an_extended_cell_contributes_once),
      cmocka_unit_test(nothing_contributes_equal_parts),
      cmocka_unit_test(a_forbidden_merge_stops_the_commit),
      cmocka_unit_test(a_refused_transaction_goes_on),
      cmocka_unit_test(a_policy_sees_its_parts),
      cmocka_unit_test(a_policy_hears_of_losses),
      cmocka_unit_test(whole_numbers_and_floats),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
