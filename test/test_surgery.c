// Cutting, removing and piercing: what is selected, what holds afterwards, and what is refused.

#include "support/patients.h"
#include "support/rules.h"

#include <stdio.h>
#include <stdlib.h>

// The four corners of the middle of a body of 2 cells along x, and so on: a quadrangle at x, from y, z = -1 to 9.
static void wall_at(double x, clv_mesh *mesh) {
  static const uint32_t corners[] = {0, 1, 2, 3};
  clv_mesh_init(mesh, NULL);
  clv_mesh_add_point(mesh, x, -1, -1);
  clv_mesh_add_point(mesh, x, 9, -1);
  clv_mesh_add_point(mesh, x, 9, 9);
  clv_mesh_add_point(mesh, x, -1, 9);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_QUAD, corners, 4, 0), CLV_OK);
}

static clv_blade blade_at(double x, double from, double to) {
  return (clv_blade){{{x, from, -1}, {x, from, 9}}, {{x, to, -1}, {x, to, 9}}};
}

// Selecting

static uint32_t selected(clv_surgery *surgery, const clv_cut *cut, const clv_dart **facets) {
  uint32_t count = 0;
  if (clv_surgery_select(surgery, cut, facets, &count) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return count;
}

static int compare_darts(const void *a, const void *b) {
  const clv_dart x = *(const clv_dart *)a, y = *(const clv_dart *)b;
  return (x > y) - (x < y);
}

// The facets of a selection, by the least dart of each, sorted. To be freed.
static clv_dart *named(clv_surgery *surgery, const clv_cut *cut, uint32_t *count) {
  const clv_map *map = clv_body_map(clv_surgery_body(surgery));
  const clv_dart *facets;
  *count = selected(surgery, cut, &facets);
  clv_dart *names = malloc((*count + 1) * sizeof *names);
  assert_non_null(names);
  for (uint32_t k = 0; k < *count; k++) {
    clv_walk walk;
    assert_false(clv_is_free(map, facets[k], map->dimension));
    const clv_orbit whole = CLV_CELL_FACET(map->dimension) | 1u << map->dimension;
    assert_int_equal(clv_walk_orbit(&walk, map, whole, facets[k]), CLV_OK);
    names[k] = facets[k];
    for (uint32_t d = 0; d < walk.count; d++) names[k] = walk.darts[d] < names[k] ? walk.darts[d] : names[k];
    clv_walk_end(&walk);
  }
  qsort(names, *count, sizeof *names, compare_darts);
  for (uint32_t k = 1; k < *count; k++) assert_true(names[k] > names[k - 1]); // each once
  return names;
}

static void assert_same(clv_surgery *surgery, const clv_cut *a, const clv_cut *b) {
  uint32_t counts[2];
  clv_dart *names[2] = {named(surgery, a, &counts[0]), named(surgery, b, &counts[1])};
  assert_int_equal(counts[0], counts[1]);
  assert_true(counts[0] > 0);
  assert_memory_equal(names[0], names[1], counts[0] * sizeof *names[0]);
  free(names[0]);
  free(names[1]);
}

// At rest, a plane, a surface and a blade in the same place mean the same facets; so does a list of them, in any order,
// twice, from either side.
static void all_ways_select_the_same(void **unused) {
  (void)unused;
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++)
    for (uint32_t shift = 0; shift < 4; shift++) {
      clv_body *body = grid_body((clv_grid_kind)kind, 4, 3, 3);
      clv_surgery *surgery = operated_surgery(body);
      const double x = 2 + (double[]){0, 1e-3, 0.21, -0.3}[shift];
      clv_mesh wall;
      wall_at(x, &wall);
      const clv_cut plane = {.kind = CLV_CUT_ZONE, .zone = across(x)},
                    surface = {.kind = CLV_CUT_SURFACE, .surface = &wall},
                    blade = {.kind = CLV_CUT_BLADE, .blade = blade_at(x, -1, 9)},
                    back = {.kind = CLV_CUT_BLADE, .blade = blade_at(x, 9, -1)};
      assert_same(surgery, &plane, &surface);
      assert_same(surgery, &plane, &blade);
      assert_same(surgery, &plane, &back);
      const clv_dart *facets;
      const clv_map *map = clv_body_map(body);
      const uint32_t count = selected(surgery, &plane, &facets);
      clv_dart *list = malloc(2 * count * sizeof *list);
      assert_non_null(list);
      for (uint32_t k = 0; k < count; k++) {
        list[k] = clv_alpha(map, facets[count - 1 - k], 0);
        list[count + k] = clv_alpha(map, facets[k], map->dimension);
      }
      const clv_cut listed = {.kind = CLV_CUT_FACETS, .facets = list, .count = 2 * count};
      assert_same(surgery, &plane, &listed);
      const clv_surgery_report report = operated_cut(surgery, &listed);
      assert_int_equal(report.facets, count);
      assert_true(report.vertices > 0 && report.removed == 0);
      assert_int_equal(operated_components(body), 2);
      assert_int_equal(selected(surgery, &plane, &facets), 0);
      operated_check(body);
      free(list);
      clv_mesh_free(&wall);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// What a blade sweeps in many short strokes it sweeps in one: nothing slips through between them, wherever strokes end.
// Centres of cells lie on the strokes' ends here, and on the diagonals of what is swept.
static void strokes_add_up(void **unused) {
  (void)unused;
  static const double ends[][9] = {{-1, 0.5, 1, 1.5, 2, 2.5, 3, 3.5, 9}, {-1, 0.3, 0.31, 1.7, 1.9, 2.2, 2.5, 2.6, 9}};
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++)
    for (uint32_t way = 0; way < 2; way++) {
      clv_body *body = grid_body((clv_grid_kind)kind, 4, 4, 4);
      clv_surgery *surgery = operated_surgery(body);
      const clv_dart *facets;
      const uint32_t whole = selected(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = across(2)}, &facets);
      uint32_t parts = 0;
      for (uint32_t k = 0; k + 1 < 9; k++) {
        const clv_cut stroke = {.kind = CLV_CUT_BLADE, .blade = blade_at(2, ends[way][k], ends[way][k + 1])};
        parts += operated_cut(surgery, &stroke).facets;
      }
      assert_int_equal(parts, whole);
      assert_int_equal(operated_components(body), 2);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// A surface of many triangles, whose edges meet centre lines wherever they can, parts the body completely.
static void no_seam_lets_through(void **unused) {
  (void)unused;
  for (uint32_t n = 1; n <= 16; n++) {
    clv_grid_def def = clv_default_grid_def();
    def.kind = n % 2 ? CLV_GRID_TRI : CLV_GRID_QUAD;
    def.cells[0] = def.cells[1] = n;
    def.size[0] = def.size[1] = 4;
    clv_mesh wall;
    clv_mesh_init(&wall, NULL);
    assert_int_equal(clv_mesh_grid(&wall, &def, NULL), CLV_OK);
    for (size_t p = 0; p < wall.point_count; p++) { // stood up, at x = 2
      wall.points[p][2] = wall.points[p][1];
      wall.points[p][1] = wall.points[p][0];
      wall.points[p][0] = 2;
    }
    clv_body *body = grid_body(CLV_GRID_HEX, 4, 4, 4);
    clv_surgery *surgery = operated_surgery(body);
    const clv_cut cut = {.kind = CLV_CUT_SURFACE, .surface = &wall};
    assert_int_equal(operated_cut(surgery, &cut).facets, 16);
    assert_int_equal(operated_components(body), 2);
    clv_mesh_free(&wall);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// A closed surface cuts out what it encloses, and a fold that is crossed twice cuts nothing.
static void closed_surfaces_cut_out(void **unused) {
  (void)unused;
  clv_body *body = grid_body(CLV_GRID_HEX, 5, 5, 5);
  clv_surgery *surgery = operated_surgery(body);
  static const uint32_t squares[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  clv_mesh cube;
  clv_mesh_init(&cube, NULL);
  for (uint32_t k = 0; k < 8; k++)
    clv_mesh_add_point(&cube, (k ^ k >> 1) & 1u ? 4.1 : 1.2, k >> 1 & 1u ? 4.2 : 1.3, k >> 2 & 1u ? 3.9 : 1.1);
  for (uint32_t f = 0; f < 6; f++) assert_int_equal(clv_mesh_add_element(&cube, CLV_QUAD, squares[f], 4, 0), CLV_OK);
  const clv_cut cut = {.kind = CLV_CUT_SURFACE, .surface = &cube};
  const clv_surgery_report report = operated_cut(surgery, &cut);
  assert_int_equal(report.facets, 54);
  assert_int_equal(operated_components(body), 2);
  operated_check(body);
  clv_mesh_free(&cube);
  clv_mesh thin; // two walls between the same centres
  wall_at(2, &thin);
  for (uint32_t k = 0; k < 4; k++) clv_mesh_add_point(&thin, 2.1, thin.points[k][1], thin.points[k][2]);
  static const uint32_t second[] = {4, 5, 6, 7};
  clv_mesh_add_element(&thin, CLV_QUAD, second, 4, 0);
  const clv_dart *facets;
  assert_int_equal(selected(surgery, &(clv_cut){.kind = CLV_CUT_SURFACE, .surface = &thin}, &facets), 0);
  clv_mesh_free(&thin);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Blades meet the body where it is, zones where it was at rest.
static void blades_see_the_body_now(void **unused) {
  (void)unused;
  clv_body *body = grid_body(CLV_GRID_TET5, 4, 2, 2);
  clv_surgery *surgery = operated_surgery(body);
  double *x = clv_body_positions(body);
  for (size_t s = 0; s < clv_body_slots(body); s++) x[3 * s] += 100;
  const clv_cut plane = {.kind = CLV_CUT_ZONE, .zone = across(2)},
                there = {.kind = CLV_CUT_BLADE, .blade = blade_at(102, -1, 9)},
                here = {.kind = CLV_CUT_BLADE, .blade = blade_at(2, -1, 9)};
  const clv_dart *facets;
  assert_same(surgery, &plane, &there);
  assert_int_equal(selected(surgery, &here, &facets), 0);
  clv_surgery_report report;
  assert_int_equal(clv_surgery_cut(surgery, &here, &report), CLV_OK); // a knife beside the body cuts air
  assert_int_equal(report.facets, 0);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static void particles_and_zones_mean_facets_by_their_corners(void **unused) {
  (void)unused;
  clv_body *body = grid_body(CLV_GRID_HEX, 5, 3, 3);
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  clv_id ids[64];
  uint32_t count = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    if (rest[3 * (size_t)id.index] == 2) ids[count++] = id;
  assert_int_equal(count, 16);
  clv_surgery *surgery = operated_surgery(body);
  const clv_cut particles = {.kind = CLV_CUT_PARTICLES, .particles = ids, .count = count};
  const clv_zone slab = clv_zone_box((double[]){1.9, 0, 0}, (double[]){2.1, 3, 3});
  assert_same(surgery, &particles, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = slab});
  assert_same(surgery, &particles, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = across(2)});
  const clv_zone rod = clv_zone_capsule((double[]){2, 0, 0}, (double[]){2, 3, 0}, 1.2);
  const clv_dart *facets;
  // Corners with x = 1, 2 or 3 and z = 0, and those with x = 2 and z = 1.
  assert_int_equal(selected(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = rod}, &facets), 3);
  assert_int_equal(operated_cut(surgery, &particles).facets, 9);
  assert_int_equal(operated_components(body), 2);
  operated_check(body);
  assert_int_equal(operated_remove(surgery, clv_zone_all()).removed, 45);
  assert_int_equal(clv_surgery_cut(surgery, &particles, NULL), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(clv_surgery_error(surgery), "gone"));
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Piercing

// Every cell of a grid of unit cubes whose cube a ball touches.
static bool ball_touches(const double *centre, double radius, const double *least) {
  double square = 0;
  for (uint32_t k = 0; k < 3; k++) {
    const double away = fmax(fmax(least[k] - centre[k], centre[k] - least[k] - 1), 0);
    square += away * away;
  }
  return square <= radius * radius;
}

static void piercing_takes_what_is_touched(void **unused) {
  (void)unused;
  static const double balls[][4] = {{2.5, 1.5, 1.5, 0.1}, {2.5, 1.5, 1.5, 0.51}, {2, 2, 2, 0.3},      {0, 0, 0, 0.2},
                                    {2.2, 1.3, 1.9, 1.1}, {-1, 1.5, 1.5, 1},     {-1, 1.5, 1.5, 0.9}, {3, 3, 4.5, 2}};
  for (uint32_t b = 0; b < sizeof balls / sizeof *balls; b++) {
    uint32_t expected = 0;
    for (uint32_t x = 0; x < 5; x++)
      for (uint32_t y = 0; y < 4; y++)
        for (uint32_t z = 0; z < 4; z++)
          expected += ball_touches(balls[b], balls[b][3], (double[]){(double)x, (double)y, (double)z});
    clv_body *body = grid_body(CLV_GRID_HEX, 5, 4, 4);
    clv_surgery *surgery = operated_surgery(body);
    const clv_zone ball = clv_zone_sphere(balls[b], balls[b][3]);
    clv_surgery_report report;
    assert_int_equal(clv_surgery_pierce(surgery, &ball, &report), CLV_OK);
    assert_int_equal(report.removed, expected);
    assert_true((report.facets > 0) == (expected > 0));
    assert_int_equal(operated_cells(body), 80 - expected);
    operated_check(body);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

static void piercing_knows_boxes_and_rods_in_every_grid(void **unused) {
  (void)unused;
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    clv_body *body = grid_body((clv_grid_kind)kind, 4, 4, 4);
    clv_surgery *surgery = operated_surgery(body);
    const double z = is_flat((clv_grid_kind)kind) ? 0 : 2, mass = operated_mass(body);
    const uint32_t cells = operated_cells(body);
    clv_surgery_report report;
    // Inside one cube or square: at most the cells of that one go, and at least one.
    const clv_zone box = clv_zone_box((double[]){1.3, 1.3, z - 0.7}, (double[]){1.4, 1.4, z - (z > 0 ? 0.6 : -0.7)});
    assert_int_equal(clv_surgery_pierce(surgery, &box, &report), CLV_OK);
    assert_true(report.removed >= 1 && report.removed <= 6);
    // Through and through: a hole.
    const clv_zone rod = clv_zone_capsule((double[]){2.5, 2.5, -9}, (double[]){2.5, 2.5, 9}, 0.2);
    assert_int_equal(clv_surgery_pierce(surgery, &rod, &report), CLV_OK);
    assert_true(report.removed > 0 && operated_cells(body) < cells);
    assert_int_equal(clv_surgery_pierce(surgery, &rod, &report), CLV_OK);
    assert_int_equal(report.removed, 0);
    assert_true(operated_mass(body) < mass && operated_mass(body) > 0);
    operated_check(body);
    assert_int_equal(clv_surgery_pierce(surgery, &(clv_zone){.kind = CLV_ZONE_ALL}, NULL), CLV_ERROR_ARGUMENT);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// The 2013 paper's: all faces about volumes in a row are unsewn. In the middle of a 5 x 3 x 3 beam, one volume: 6
// faces, and three in a row across it: 14 - 2 at the ends, which are free there.
static void isolated_volumes_have_their_faces(void **unused) {
  (void)unused;
  clv_body *body = grid_body(CLV_GRID_HEX, 5, 3, 3);
  clv_surgery *surgery = operated_surgery(body);
  clv_surgery_report report;
  const clv_zone through = clv_zone_capsule((double[]){2.5, -1, 1.5}, (double[]){2.5, 4, 1.5}, 0.1);
  assert_int_equal(clv_surgery_pierce(surgery, &through, &report), CLV_OK);
  assert_int_equal(report.facets, 14);
  assert_int_equal(report.removed, 3);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Removing

static void removal_takes_its_share(void **unused) {
  (void)unused;
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    clv_body *body = grid_body((clv_grid_kind)kind, 4, 2, 2);
    clv_surgery *surgery = operated_surgery(body);
    operated_deform(body, 0.01);
    const double mass = operated_mass(body);
    const uint32_t cells = operated_cells(body);
    const clv_surgery_report report = operated_remove(surgery, across(3));
    assert_true(report.removed > 0 && report.facets == 0);
    assert_int_equal(operated_cells(body), cells - report.removed);
    assert_true(fabs(operated_mass(body) - 0.75 * mass) <= 1e-12 * mass);
    operated_check(body);
    // By a list, in which a cell is twice.
    const clv_map *map = clv_body_map(body);
    const clv_dart first = clv_id_dart(map, CLV_CELL, clv_id_next(map, CLV_CELL, (clv_id){0}));
    clv_surgery_report one;
    assert_int_equal(clv_surgery_remove_cells(surgery, (clv_dart[]){first, clv_alpha(map, first, 1)}, 2, &one), CLV_OK);
    assert_int_equal(one.removed, 1);
    operated_check(body);
    assert_int_equal(operated_remove(surgery, clv_zone_all()).removed, cells - report.removed - 1);
    assert_true(operated_mass(body) == 0);
    operated_check(body);
    assert_int_equal(clv_surgery_remove_cells(surgery, &first, 1, NULL), CLV_ERROR_ARGUMENT);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Cells all over a body are removed in one commit, again and again: so many rings and stars come apart that tables are
// gone over as a whole.
static void scattered_removals_leave_what_is_built_anew(void **unused) {
  (void)unused;
  static const char *const models[] = {"springs", "fem-corotational"};
  for (uint32_t k = 0; k < 2; k++) {
    beam b = beam_default();
    b.kind = CLV_GRID_TET5;
    b.model = models[k];
    b.program = laws;
    memcpy(b.cells, (uint32_t[]){8, 7, 6}, sizeof b.cells);
    memcpy(b.size, (double[]){8, 7, 6}, sizeof b.size);
    clv_body *body = beam_create(&b);
    clv_surgery *surgery = operated_surgery(body);
    const clv_map *map = clv_body_map(body);
    const uint32_t rows = clv_cell_rows(map, CLV_TET);
    clv_dart *cells = malloc(rows * sizeof *cells);
    assert_non_null(cells);
    for (uint32_t stride = 10; stride > 1; stride = stride * 2 / 3) {
      uint32_t count = 0;
      for (uint32_t row = 0; row < rows; row += stride)
        if (clv_cell_at(map, CLV_TET, row)) cells[count++] = clv_cell_at(map, CLV_TET, row);
      clv_surgery_report report;
      assert_int_equal(clv_surgery_remove_cells(surgery, cells, count, &report), CLV_OK);
      assert_int_equal(report.removed, count);
      assert_true(report.vertices > 64 || stride < 10);
      operated_check(body);
    }
    free(cells);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Levels

static void apply(const clv_program *program, clv_map *map, const char *rule, clv_dart dart, int32_t level) {
  const clv_rule *found = clv_program_rule(program, rule);
  assert_non_null(found);
  const clv_rule_argument arguments[] = {{.dart = dart}, {.number = level}};
  if (clv_rule_apply(found, map, arguments, 2, NULL, NULL) != CLV_OK) fail_msg("%s: %s", rule, clv_map_error(map));
}

static void add_levels(clv_map *map) {
  const clv_column_def defs[] = {{.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32, .components = 1},
                                 {.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32, .components = 1},
                                 {.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32, .components = 1}};
  clv_column *column;
  for (uint32_t k = 0; k < map->dimension; k++) assert_int_equal(clv_column_create(map, &defs[k], &column), CLV_OK);
}

// A dart of the cell whose centre is nearest to a point, at one of its own corners.
static clv_dart cell_near(clv_body *body, const double *point, int32_t level) {
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  const clv_column *lev = clv_column_find(map, "lev");
  double least = INFINITY;
  clv_dart best = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    clv_walk walk;
    assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, clv_id_dart(map, CLV_CELL, id)), CLV_OK);
    double away = 0;
    clv_dart corner = 0;
    for (uint32_t k = 0; k < 3; k++) {
      double sum = 0;
      for (uint32_t c = 0; c < walk.count; c++)
        sum += rest[3 * (size_t)clv_id_of(map, CLV_VERTEX, walk.darts[c]).index + k] / walk.count;
      away += (sum - point[k]) * (sum - point[k]);
    }
    for (uint32_t c = 0; c < walk.count; c++)
      if (*(const int32_t *)clv_column_at(lev, walk.darts[c]) <= level) corner = walk.darts[c];
    clv_walk_end(&walk);
    if (away >= least || !corner) continue;
    least = away;
    best = corner;
  }
  assert_true(best != 0);
  return best;
}

static void refine(const clv_program *program, clv_body *body, const char *rule, const double *point, int32_t level) {
  clv_map *map = clv_body_map(body);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  apply(program, map, rule, cell_near(body, point, level), level);
  if (clv_map_commit(map) != CLV_OK) fail_msg("%s", clv_map_error(map));
}

// Two cells meet, one is refined, and again at one corner: whichever part of their facet is named, from whichever side,
// all of it is cut.
static void facets_are_cut_at_the_coarser_level(void **unused) {
  (void)unused;
  const struct {
    clv_grid_kind kind;
    const char *rule;
    uint32_t y, z, parts[2]; // of the facet at x = 1, after the first refinement and the second
    double deep[3];
  } cases[] = {
      {CLV_GRID_HEX, "refine_hex", 1, 1, {4, 7}, {0.75, 0.25, 0.25}},
      {CLV_GRID_QUAD, "refine_quad", 1, 0, {2, 3}, {0.75, 0.25, 0}},
  };
  const clv_allocator allocator = clv_default_allocator();
  clv_program *program = clv_program_create(&allocator);
  assert_int_equal(clv_program_use(program, "topology"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++)
    for (uint32_t depth = 0; depth < 2; depth++)
      for (uint32_t pick = 0; pick < cases[k].parts[depth]; pick++)
        for (uint32_t side = 0; side < 2; side++) {
          clv_body *body = grid_body(cases[k].kind, 2, cases[k].y, cases[k].z);
          clv_map *map = clv_body_map(body);
          const uint32_t n = map->dimension;
          add_levels(map);
          const double middle[3] = {0.5, 0.5, cases[k].z ? 0.5 : 0};
          refine(program, body, cases[k].rule, middle, 0);
          if (depth) refine(program, body, cases[k].rule, cases[k].deep, 1);
          const double slab = is_flat(cases[k].kind) ? 0 : 1;
          const clv_zone at = clv_zone_box((double[]){0.9, 0, 0}, (double[]){1.1, 1, slab});
          clv_surgery *surgery = operated_surgery(body);
          const clv_cut all = {.kind = CLV_CUT_ZONE, .zone = clv_zone_all()};
          const clv_dart *facets;
          uint32_t count = selected(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = at}, &facets);
          assert_int_equal(count, cases[k].parts[depth]);
          const clv_dart one = side ? clv_alpha(map, facets[pick], n) : facets[pick];
          const clv_cut cut = {.kind = CLV_CUT_FACETS, .facets = &one, .count = 1};
          assert_int_equal(operated_cut(surgery, &cut).facets, cases[k].parts[depth]);
          assert_int_equal(operated_components(body), 2);
          // Between cells of one level a facet is one facet.
          count = selected(surgery, &all, &facets);
          const clv_dart other = facets[count - 1];
          const uint32_t cut_again =
              operated_cut(surgery, &(clv_cut){.kind = CLV_CUT_FACETS, .facets = &other, .count = 1}).facets;
          assert_true(cut_again >= 1 && cut_again <= (depth ? 4u : 1u));
          assert_int_equal(clv_map_check(map, operated_problem, NULL), CLV_OK);
          clv_surgery_destroy(surgery);
          clv_body_destroy(body);
        }
  clv_program_destroy(program);
}

// The middle one of five tetrahedra is refined, and a corner of it again: each of its four facets is one for its
// neighbour.
static void facets_of_tetrahedra_are_whole(void **unused) {
  (void)unused;
  const clv_allocator allocator = clv_default_allocator();
  clv_program *program = clv_program_create(&allocator);
  assert_int_equal(clv_program_use(program, "topology"), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  for (uint32_t depth = 0; depth < 2; depth++) {
    clv_body *body = grid_body(CLV_GRID_TET5, 1, 1, 1);
    clv_map *map = clv_body_map(body);
    add_levels(map);
    refine(program, body, "refine_tet", (double[]){0.5, 0.5, 0.5}, 0);
    if (depth) refine(program, body, "refine_tet", (double[]){0.4, 0.4, 0.4}, 1);
    clv_surgery *surgery = operated_surgery(body);
    const clv_column *vlev = clv_column_find(map, "vlev");
    uint32_t cut = 0, whole = 0, parts = 0;
    for (;;) {
      const clv_dart *facets;
      const uint32_t count = selected(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = clv_zone_all()}, &facets);
      clv_dart between = 0; // a corner tetrahedron and part of the middle one
      for (uint32_t k = 0; k < count; k++) {
        const int32_t here = *(const int32_t *)clv_column_at(vlev, facets[k]),
                      there = *(const int32_t *)clv_column_at(vlev, clv_alpha(map, facets[k], 3));
        if ((here == 0) != (there == 0)) between = facets[k];
      }
      if (!between) break;
      const clv_cut one = {.kind = CLV_CUT_FACETS, .facets = &between, .count = 1};
      cut = operated_cut(surgery, &one).facets;
      assert_true(cut >= 4 && cut <= (depth ? 7u : 4u));
      parts += cut;
      whole++;
      assert_int_equal(operated_components(body), 1 + whole);
    }
    assert_int_equal(whole, 4);
    assert_true(depth ? parts > 16 : parts == 16);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  clv_program_destroy(program);
}

// Refusals

static void wrong_things_are_refused(void **unused) {
  (void)unused;
  clv_error error = {0};
  assert_null(clv_surgery_create(NULL, &error));
  assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
  clv_body *body = grid_body(CLV_GRID_TET6, 2, 2, 2);
  clv_surgery *surgery = operated_surgery(body);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  clv_mesh empty, broken;
  clv_mesh_init(&empty, NULL);
  wall_at(1, &broken);
  broken.corners[2] = 77;
  const clv_dart dead = 1u << 30;
  const struct {
    clv_cut cut;
    const char *says;
  } wrong[] = {
      {{.kind = (clv_cut_kind)99}, "kind 99"},
      {{.kind = CLV_CUT_FACETS, .count = 1}, "no list"},
      {{.kind = CLV_CUT_FACETS, .facets = &dead, .count = 1}, "no dart"},
      {{.kind = CLV_CUT_PARTICLES, .count = 1}, "no list"},
      {{.kind = CLV_CUT_PARTICLES, .particles = &(clv_id){9999, 1}, .count = 1}, "gone"},
      {{.kind = CLV_CUT_ZONE, .zone = {.kind = CLV_ZONE_PLANE}}, "normal"},
      {{.kind = CLV_CUT_ZONE, .zone = {.kind = CLV_ZONE_CAPSULE, .radius = -1}}, "radius"},
      {{.kind = CLV_CUT_SURFACE}, "there is none"},
      {{.kind = CLV_CUT_SURFACE, .surface = &empty}, "no triangle"},
      {{.kind = CLV_CUT_SURFACE, .surface = &broken}, "a corner that is none of its points"},
      {{.kind = CLV_CUT_BLADE, .blade = {{{NAN, 0, 0}}}}, "blade"},
  };
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    assert_int_equal(clv_surgery_cut(surgery, &wrong[k].cut, NULL), CLV_ERROR_ARGUMENT);
    if (!strstr(clv_surgery_error(surgery), wrong[k].says)) fail_msg("%s", clv_surgery_error(surgery));
  }
  assert_int_equal(clv_surgery_remove(surgery, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_surgery_remove_cells(surgery, &dead, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_surgery_remove_cells(surgery, NULL, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_surgery_pierce(surgery, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_map_begin(clv_body_map(body)), CLV_OK); // somebody else's transaction
  assert_int_not_equal(clv_surgery_cut(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = across(1)}, NULL), CLV_OK);
  clv_map_rollback(clv_body_map(body));
  assert_true(clv_map_hash(clv_body_map(body)) == hash);
  clv_mesh_free(&empty);
  clv_mesh_free(&broken);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Memory

static clv_result cut_plane(clv_surgery *surgery) {
  return clv_surgery_cut(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = across(1.4)}, NULL);
}

static clv_result cut_box(clv_surgery *surgery) {
  const clv_zone zone = clv_zone_box((double[]){0.9, 0, 0}, (double[]){2.1, 2, 1.1});
  return clv_surgery_cut(surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = zone}, NULL);
}

static clv_result cut_blade(clv_surgery *surgery) {
  return clv_surgery_cut(surgery, &(clv_cut){.kind = CLV_CUT_BLADE, .blade = blade_at(1.4, -1, 1)}, NULL);
}

static clv_result remove_some(clv_surgery *surgery) {
  const clv_zone zone = across(2);
  return clv_surgery_remove(surgery, &zone, NULL);
}

static clv_result pierce_it(clv_surgery *surgery) {
  const clv_zone zone = clv_zone_capsule((double[]){0, 0, 0}, (double[]){3, 2, 2}, 0.1);
  return clv_surgery_pierce(surgery, &zone, NULL);
}

static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  operation *const all[] = {cut_plane, cut_box, cut_blade, remove_some, pierce_it};
  for (uint32_t o = 0; o < sizeof all / sizeof *all; o++)
    for (size_t n = 1; stands_refusal(all[o], n); n++) continue;
}

// Once warm, an operation by darts allocates nothing of its own; columns and indices grow now and then, by a part of
// what they have.
static void warm_operations_need_no_memory(void **unused) {
  (void)unused;
  counting_memory memory = {0};
  clv_body *body = counted_body(&memory);
  clv_surgery *surgery = operated_surgery(body);
  const clv_map *map = clv_body_map(body);
  uint32_t grown = 0;
  for (uint32_t k = 0; k < 60; k++) {
    const clv_dart cell = clv_cell_at(map, CLV_TET, k);
    if (!cell || clv_is_free(map, cell, 3)) continue;
    const size_t before = memory.requests;
    operated_cut(surgery, &(clv_cut){.kind = CLV_CUT_FACETS, .facets = &cell, .count = 1});
    grown += k > 20 && memory.requests != before;
  }
  assert_true(grown <= 3); // of some thirty, while the number of vertices doubles
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// What a finer neighbour put on the border of a family, in a facet or in an edge, stays when the neighbour is removed.
// Then the family is not put together: nothing else would know the vertices in the middle.
static void families_stay_where_finer_cells_are_gone(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_QUAD, CLV_GRID_TRI, CLV_GRID_HEX, CLV_GRID_TET5};
  for (uint32_t k = 0; k < sizeof kinds / sizeof *kinds; k++)
    for (uint32_t diagonal = 0; diagonal < 2; diagonal++) {
      clv_body *body = grid_body(kinds[k], 2, 2, 1);
      clv_surgery *surgery = operated_surgery(body);
      const clv_zone all = clv_zone_all(), here = clv_zone_box((double[]){-1, -1, -1}, (double[]){1, 1, 2});
      const clv_zone finer = clv_zone_box((double[]){1, diagonal ? 1 : -1, -1}, (double[]){3, diagonal ? 3 : 1, 2});
      clv_surgery_report report;
      assert_int_equal(clv_surgery_refine(surgery, &here, 1, NULL), CLV_OK);
      assert_int_equal(clv_surgery_refine(surgery, &finer, 2, NULL), CLV_OK);
      operated_remove(surgery, clv_zone_plane((double[]){1.01, 0, 0}, (double[]){1, 0, 0}));
      operated_remove(surgery, clv_zone_plane((double[]){0, 1.01, 0}, (double[]){0, 1, 0}));
      const double mass = operated_mass(body);
      assert_int_equal(clv_surgery_coarsen(surgery, &all, 0, &report), CLV_OK);
      operated_check(body);
      assert_true(fabs(operated_mass(body) - mass) <= 1e-12 * mass);
      // No vertex has forgotten where it rests: those at the origin are the corner there.
      const clv_map *map = clv_body_map(body);
      const double *rest = clv_body_rest(body);
      uint32_t corners = 0;
      for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
        corners += fabs(rest[3 * (size_t)id.index]) + fabs(rest[3 * (size_t)id.index + 1]) +
                       fabs(rest[3 * (size_t)id.index + 2]) ==
                   0;
      assert_int_equal(corners, 1);
      if (kinds[k] == CLV_GRID_QUAD && !diagonal) assert_int_equal(report.coarsened, 0);
      assert_int_equal(clv_surgery_refine(surgery, &all, 2, NULL), CLV_OK);
      operated_check(body);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// Memory that runs out while the views follow a commit fails no commit. A solver makes up for it before it reads
// masses, and says so when it cannot.
static void views_that_missed_a_commit_are_made_up_for(void **unused) {
  (void)unused;
  uint32_t told = 0;
  bool refused = true;
  for (size_t n = 1; refused; n += 1 + n / 16) {
    counting_memory memory = {0};
    clv_body *body = counted_body(&memory);
    clv_surgery *surgery = operated_surgery(body);
    const clv_solver_def def = beam_method(CLV_SYMPLECTIC_EULER);
    clv_solver *solver = beam_solver(body, &def);
    const clv_zone all = clv_zone_all();
    const double mass = operated_mass(body);
    assert_int_equal(clv_solver_follow(solver), CLV_OK);
    memory.refused = false;
    memory.fail_at = memory.requests + n;
    const clv_result result = clv_surgery_refine(surgery, &all, 1, NULL);
    refused = memory.refused;
    memory.fail_at = 0;
    if (result == CLV_OK && clv_views_stale(clv_body_views(body))) {
      memory.fail_at = memory.requests + 1;
      if (clv_solver_follow(solver) != CLV_OK) {
        assert_non_null(strstr(clv_solver_error(solver), "memory"));
        told++;
      }
      memory.fail_at = 0;
    }
    operated_check_followed(solver);
    assert_true(fabs(operated_mass(body) - mass) <= 1e-12 * mass);
    clv_solver_destroy(solver);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
    assert_int_equal(memory.live_bytes, 0);
  }
  assert_true(told > 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(families_stay_where_finer_cells_are_gone),
      cmocka_unit_test(all_ways_select_the_same),
      cmocka_unit_test(strokes_add_up),
      cmocka_unit_test(no_seam_lets_through),
      cmocka_unit_test(closed_surfaces_cut_out),
      cmocka_unit_test(blades_see_the_body_now),
      cmocka_unit_test(particles_and_zones_mean_facets_by_their_corners),
      cmocka_unit_test(piercing_takes_what_is_touched),
      cmocka_unit_test(piercing_knows_boxes_and_rods_in_every_grid),
      cmocka_unit_test(isolated_volumes_have_their_faces),
      cmocka_unit_test(removal_takes_its_share),
      cmocka_unit_test(scattered_removals_leave_what_is_built_anew),
      cmocka_unit_test(facets_are_cut_at_the_coarser_level),
      cmocka_unit_test(facets_of_tetrahedra_are_whole),
      cmocka_unit_test(wrong_things_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
      cmocka_unit_test(warm_operations_need_no_memory),
      cmocka_unit_test(views_that_missed_a_commit_are_made_up_for),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
