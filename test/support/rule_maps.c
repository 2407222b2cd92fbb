#include "support/rule_maps.h"

#include "support/rules.h"
#include "support/small_map.h"

// Building

static void create_levels(clv_map *map) {
  create(map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(map, (clv_column_def){.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32});
  if (map->dimension == 3) create(map, (clv_column_def){.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32});
}

// How vertices move, and what holds them: at random. Where they are to go nobody has said.
static void create_motion(clv_map *map) {
  random_source random = {clv_dart_count(map)};
  const clv_column *vel =
      create(map, (clv_column_def){.name = "vel", .orbit = CLV_VERTEX, .components = 3, .create = CLV_CREATE_MEAN});
  const clv_column *held = create(map, (clv_column_def){.name = "held", .orbit = CLV_VERTEX, .type = CLV_UINT32});
  const clv_column *paths =
      create(map, (clv_column_def){.name = "paths", .orbit = CLV_VERTEX, .type = CLV_UINT32, .components = 3});
  const clv_column *anchor = create(map, (clv_column_def){.name = "anchor", .orbit = CLV_VERTEX, .components = 3});
  create(map, (clv_column_def){.name = "aim", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(map, (clv_column_def){.name = "blade_distance", .orbit = CLV_VERTEX});
  create(map, (clv_column_def){.name = "goal", .orbit = CLV_VERTEX, .components = 3});
  create(map, (clv_column_def){.name = "goal_at_rest", .orbit = CLV_VERTEX, .components = 3});
  create(map, (clv_column_def){.name = "marked", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(map, (clv_column_def){.name = "touched", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(map, (clv_column_def){.name = "off_line", .orbit = CLV_VERTEX});
  create(map, (clv_column_def){.name = "cut_side", .orbit = CLV_CELL, .type = CLV_INT32});
  create(map, (clv_column_def){.name = "rho", .orbit = CLV_CELL, .initial = &(double){1000}});
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) {
    *(uint32_t *)clv_column_at(held, d) = random_chance(&random, 25) ? random_below(&random, 8) : 0;
    for (uint32_t i = 0; i < 3; i++) {
      ((double *)clv_column_at(vel, d))[i] = random_between(&random, -1, 1);
      ((double *)clv_column_at(anchor, d))[i] = random_between(&random, -1, 1);
      ((uint32_t *)clv_column_at(paths, d))[i] = random_below(&random, 2);
    }
  }
}

// What the cells of a body bear, and what they wish for: at random.
static void create_burdens(clv_map *map) {
  static const struct {
    const char *name;
    uint32_t components;
    double scale;
    clv_orbit orbit;
  } burdens[] = {
      {"strain", 3, 1, CLV_CELL},          {"strain_shear", 3, 1, CLV_CELL}, {"stress", 3, 2000, CLV_CELL},
      {"stress_shear", 3, 2000, CLV_CELL}, {"von_mises", 1, 2000, CLV_CELL}, {"greatest_stretch", 1, 6, CLV_CELL},
      {"tension", 1, 2, CLV_EDGE},         {"named_across", 1, 1, CLV_EDGE}, {"named_along", 1, 1, CLV_EDGE}};
  random_source random = {clv_dart_count(map)};
  for (uint32_t k = 0; k < sizeof burdens / sizeof *burdens; k++) {
    const clv_column *column = create(map, (clv_column_def){.name = burdens[k].name,
                                                            .orbit = burdens[k].orbit,
                                                            .components = burdens[k].components,
                                                            .merge = CLV_MERGE_MEAN});
    for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) {
      double *value = clv_column_at(column, d);
      for (uint32_t i = 0; i < burdens[k].components; i++)
        value[i] = random_between(&random, -burdens[k].scale, burdens[k].scale);
    }
  }
  static const int32_t there = 1;
  create(map, (clv_column_def){.name = "in_zone", .orbit = CLV_CELL, .type = CLV_INT32, .initial = &there});
  create(map, (clv_column_def){.name = "in_mask", .orbit = CLV_VERTEX, .type = CLV_INT32, .initial = &there});
  clv_column *wish = create(map, (clv_column_def){.name = "wish", .orbit = CLV_CELL, .merge = CLV_MERGE_MEAN});
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d))
    put(wish, d, random_chance(&random, 50) ? 1 : -1);
}

static clv_map *build(const clv_mesh *mesh) {
  const clv_build_def def = clv_default_build_def();
  clv_map *map = NULL;
  clv_error error;
  if (clv_mesh_build(mesh, &def, &map, NULL, &error) != CLV_OK) fail_msg("%s", error.message);
  create_levels(map);
  create_half_rest(map);
  create_motion(map);
  create_burdens(map);
  return map;
}

static clv_map *build_grid(clv_grid_def def) {
  clv_mesh mesh;
  for (uint32_t k = 0; k < 3; k++) def.size[k] = def.cells[k];
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
  clv_map *map = build(&mesh);
  clv_mesh_free(&mesh);
  return map;
}

clv_map *rule_map_grid(clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = kind;
  def.cells[0] = x;
  def.cells[1] = y;
  def.cells[2] = z;
  return build_grid(def);
}

static clv_map *loose_cube(clv_grid_kind kind) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = kind;
  for (uint32_t k = 0; k < 3; k++) def.cells[k] = 1;
  def.shared = false;
  return build_grid(def);
}

static clv_map *cube_of_squares(void) {
  static const uint32_t squares[6][4] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4},
                                         {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (uint32_t k = 0; k < 8; k++)
    assert_int_equal(clv_mesh_add_point(&mesh, (k ^ k >> 1) & 1u, k >> 1 & 1u, k >> 2 & 1u), CLV_OK);
  for (uint32_t k = 0; k < 6; k++) assert_int_equal(clv_mesh_add_element(&mesh, CLV_QUAD, squares[k], 4, 0), CLV_OK);
  clv_map *map = build(&mesh);
  clv_mesh_free(&mesh);
  return map;
}

static clv_map *octahedron_of_triangles(void) {
  static const uint32_t triangles[8][3] = {{0, 2, 4}, {2, 1, 4}, {1, 3, 4}, {3, 0, 4},
                                           {2, 0, 5}, {1, 2, 5}, {3, 1, 5}, {0, 3, 5}};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (uint32_t k = 0; k < 6; k++) {
    const double sign = k % 2 ? -1 : 1;
    assert_int_equal(clv_mesh_add_point(&mesh, sign * (k / 2 == 0), sign * (k / 2 == 1), sign * (k / 2 == 2)), CLV_OK);
  }
  for (uint32_t k = 0; k < 8; k++) assert_int_equal(clv_mesh_add_element(&mesh, CLV_TRI, triangles[k], 3, 0), CLV_OK);
  clv_map *map = build(&mesh);
  clv_mesh_free(&mesh);
  return map;
}

// Two cells of a kind, sewn to each other all over: a closed body.
static clv_map *closed_body(clv_kind kind) {
  clv_map *map = create_map(3);
  create(map, clv_default_column_def());
  create_levels(map);
  create_half_rest(map);
  begin(map);
  const clv_dart a = add_cell(map, kind), b = add_cell(map, kind);
  const clv_template *shape = &clv_templates[kind];
  for (uint32_t f = 0; f < shape->facet_count; f++)
    assert_int_equal(clv_map_sew(map, 3, a + shape->facet_first[f], b + shape->facet_first[f]), CLV_OK);
  commit(map);
  create_motion(map);
  create_burdens(map);
  return map;
}

clv_map *rule_map_random(random_source *random, uint32_t set) {
  uint32_t kind;
  do kind = random_below(random, 23);
  while (!(set >> kind & 1u));
  if (1u << kind == RULE_CLOSED_FLAT) return random_chance(random, 50) ? octahedron_of_triangles() : cube_of_squares();
  if (1u << kind == RULE_CLOSED_SOLID) return closed_body((clv_kind)(CLV_TET + random_below(random, 4)));
  if (1u << kind == RULE_LOOSE) return loose_cube((clv_grid_kind)(CLV_GRID_HEX + random_below(random, 6)));
  const uint32_t large = 1u << kind & RULE_FLAT ? 4 : 2;
  const uint32_t x = 1 + random_below(random, large), y = 1 + random_below(random, large);
  return rule_map_grid((clv_grid_kind)kind, x, y, 1 + random_below(random, 2));
}

bool rule_map_serves(const clv_map *map, uint32_t set) {
  const uint32_t flat = RULE_FLAT | RULE_CLOSED_FLAT;
  return set & (map->dimension == 2 ? flat : ~flat);
}

// Looking

int32_t rule_map_level(const clv_map *map, const char *column, clv_dart dart) {
  const clv_column *c = clv_column_find(map, column);
  const int32_t *value = c ? clv_column_at(c, dart) : NULL;
  return value ? *value : 0;
}

void rule_map_expect_links(const clv_map *map, const char *where) {
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d))
    for (uint32_t i = 0; i <= map->dimension; i++) {
      const clv_dart beyond = clv_alpha(map, d, i);
      if (!clv_dart_alive(map, beyond)) fail_msg("%s: link %u of dart %u leads to none", where, i, d);
      if (clv_alpha(map, beyond, i) != d) fail_msg("%s: link %u of dart %u does not lead back", where, i, d);
      for (uint32_t j = i + 2; j <= map->dimension; j++)
        if (clv_alpha(map, beyond, j) != clv_alpha(map, clv_alpha(map, d, j), i))
          fail_msg("%s: links %u and %u of dart %u do not commute", where, i, j, d);
    }
}

uint32_t rule_map_open_darts(const clv_map *map) {
  uint32_t count = 0;
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) {
    bool open = false;
    for (uint32_t i = 0; i < map->dimension; i++) open |= clv_is_free(map, d, i);
    count += open;
  }
  return count;
}

void rule_map_expect_equal(const clv_map *a, const clv_map *b, const char *where) {
  if (clv_map_hash(a) != clv_map_hash(b)) fail_msg("%s: the maps differ", where);
  const clv_column *one;
  for (uint32_t k = 0; (one = clv_column_list(a, k)); k++) {
    const clv_column *two = clv_column_list(b, k);
    const char *name = clv_column_get_def(one)->name;
    assert_string_equal(name, clv_column_get_def(two)->name);
    for (clv_dart d = clv_dart_next(a, CLV_NO_DART); d; d = clv_dart_next(a, d))
      if (memcmp(clv_column_at(one, d), clv_column_at(two, d), clv_column_size(one)) != 0)
        fail_msg("%s: the values of '%s' at dart %u differ", where, name, d);
  }
}
