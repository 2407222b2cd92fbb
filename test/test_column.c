// Columns: how they are defined, read, set and given up; that values stay with their orbits while cells change the way
// they are stored; and that an id which is out of date is known as such.

#include "cleave/mesh.h"
#include "support/counting_allocator.h"
#include "support/small_map.h"

#include <string.h>

#define COUNT(array) (sizeof(array) / sizeof *(array))

// Definitions

// Refused as nonsense, in words.
static void refuse(clv_map *map, clv_column_def def, const char *words) {
  clv_column *column = (clv_column *)map;
  assert_int_equal(clv_column_create(map, &def, &column), CLV_ERROR_ARGUMENT);
  assert_ptr_equal(column, map);
  if (!strstr(clv_map_error(map), words)) fail_msg("\"%s\" is not in \"%s\"", words, clv_map_error(map));
}

static void wrong_definitions_are_refused(void **state) {
  (void)state;
  clv_map *map = create_map(3), *other = create_map(3);
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  const clv_column *strange = create(other, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  const clv_column *floats = create(map, (clv_column_def){.name = "floats", .orbit = CLV_CORNER, .type = CLV_FLOAT});
  const uint64_t hash = clv_map_hash(map);
  const clv_column_def good = {.name = "x", .orbit = CLV_VERTEX, .components = 1};
#define WITH(...) ((clv_column_def){.orbit = CLV_VERTEX, .components = 1, __VA_ARGS__})
  refuse(map, WITH(.name = NULL), "name");
  refuse(map, WITH(.name = ""), "name");
  refuse(map, WITH(.name = "corner"), "'corner'");
  refuse(map, WITH(.name = "x", .type = (clv_type)17), "type");
  refuse(map, (clv_column_def){.name = "x", .orbit = CLV_VERTEX}, "0 components");
  refuse(map, (clv_column_def){.name = "x", .orbit = CLV_VERTEX, .components = UINT32_MAX}, "components");
  refuse(map, WITH(.name = "x", .type = CLV_BYTES, .split = CLV_SPLIT_SHARE), "bytes");
  refuse(map, WITH(.name = "x", .type = CLV_BYTES, .merge = CLV_MERGE_SUM), "bytes");
  refuse(map, WITH(.name = "x", .type = CLV_BYTES, .merge = CLV_MERGE_MEAN), "bytes");
  refuse(map, WITH(.name = "x", .type = CLV_BYTES, .create = CLV_CREATE_MEAN), "bytes");
  refuse(map, WITH(.name = "x", .type = CLV_INT32, .merge = CLV_MERGE_MEAN), "whole numbers");
  refuse(map, WITH(.name = "x", .type = CLV_UINT32, .split = CLV_SPLIT_SHARE), "whole numbers");
  refuse(map, WITH(.name = "x", .type = CLV_INT32, .create = CLV_CREATE_MEAN), "whole numbers");
  refuse(map, WITH(.name = "x", .merge = CLV_MERGE_RECOMPUTE), "contribution");
  refuse(map, (clv_column_def){.name = "x", .orbit = CLV_EDGE, .components = 1, .contribution = corner},
         "contribution");
  refuse(map, (clv_column_def){.name = "x", .orbit = CLV_CORNER, .components = 1, .contribution = corner},
         "contribution");
  refuse(map, WITH(.name = "x", .contribution = strange), "contribution");
  refuse(map, WITH(.name = "x", .merge = CLV_MERGE_RECOMPUTE, .contribution = floats), "type");
  begin(map);
  refuse(map, good, "transaction");
  clv_map_rollback(map);
#undef WITH
  assert_true(clv_map_hash(map) == hash);
  assert_null(clv_column_find(map, "x"));
  assert_int_equal(clv_column_create(map, &good, NULL), CLV_OK);
  clv_map_destroy(map);
  clv_map_destroy(other);
}

static void a_column_remembers_its_definition(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  char name[] = "heat";
  double initial[2] = {1, 2};
  assert_null(clv_column_find(map, "heat"));
  assert_null(clv_column_list(map, 0));
  clv_column *heat = create(
      map,
      (clv_column_def){.name = name, .orbit = CLV_EDGE, .components = 2, .initial = initial, .merge = CLV_MERGE_SUM});
  clv_column *other = create(map, (clv_column_def){.name = "other", .orbit = CLV_CELL});
  name[0] = 'm';
  initial[0] = 5; // both were copied
  const clv_column_def *def = clv_column_get_def(heat);
  assert_string_equal(def->name, "heat");
  assert_true(((const double *)def->initial)[0] == 1);
  assert_int_equal(def->orbit, CLV_EDGE);
  assert_int_equal(def->merge, CLV_MERGE_SUM);
  assert_int_equal(clv_column_size(heat), 2 * sizeof(double));
  assert_ptr_equal(clv_column_find(map, "heat"), heat);
  assert_ptr_equal(clv_column_list(map, 0), heat);
  assert_ptr_equal(clv_column_list(map, 1), other);
  assert_null(clv_column_list(map, 2));
  clv_column_destroy(map, heat);
  assert_null(clv_column_find(map, "heat"));
  assert_ptr_equal(clv_column_list(map, 0), other);
  clv_map_destroy(map);
}

static void names_may_begin_alike(void **state) {
  (void)state;
  static const char *const names[] = {"stiffness", "stiffness of edges", "stiffnes", "s", "stiffnesses"};
  enum { NAMES = sizeof names / sizeof *names };
  clv_map *map = create_map(3);
  clv_column *columns[NAMES];
  for (uint32_t k = 0; k < NAMES; k++)
    columns[k] = create(map, (clv_column_def){.name = names[k], .orbit = CLV_VERTEX});
  for (uint32_t gone = 0; gone < NAMES; gone++) {
    for (uint32_t k = gone; k < NAMES; k++) assert_ptr_equal(clv_column_find(map, names[k]), columns[k]);
    clv_column_destroy(map, columns[gone]);
    assert_null(clv_column_find(map, names[gone]));
  }
  assert_null(clv_column_find(map, ""));
  clv_map_destroy(map);
}

static void a_contribution_is_not_destroyed_before_what_it_serves(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  clv_column *mass = create(
      map, (clv_column_def){.name = "mass", .orbit = CLV_VERTEX, .merge = CLV_MERGE_RECOMPUTE, .contribution = corner});
  clv_column_destroy(map, corner);
  assert_ptr_equal(clv_column_find(map, "corner"), corner);
  clv_column_destroy(map, mass);
  clv_column_destroy(map, corner);
  assert_null(clv_column_list(map, 0));
  clv_map_destroy(map);
}

// Reading

static clv_map *mixed_map(void) {
  clv_map *map = create_map(3);
  begin(map);
  for (clv_kind kind = CLV_TET; kind <= CLV_HEX; kind++) add_cell(map, kind);
  const clv_dart hex = add_cell(map, CLV_HEX);
  assert_int_equal(clv_map_insert_vertex(map, hex, NULL), CLV_OK);
  commit(map);
  return map;
}

// By dart, by id and by slot one finds the same value.
static void values_are_found_in_three_ways(void **state) {
  (void)state;
  clv_map *map = mixed_map();
  const clv_orbit orbits[] = {CLV_VERTEX, CLV_EDGE, CLV_FACE};
  for (uint32_t k = 0; k < COUNT(orbits); k++) {
    clv_column *column = create(map, (clv_column_def){.name = k == 0 ? "v" : k == 1 ? "e" : "f", .orbit = orbits[k]});
    uint32_t slots = 0;
    double *data = clv_column_data(column, CLV_NONE, &slots);
    assert_int_equal(slots, clv_id_slots(map, orbits[k]));
    assert_null(clv_column_data(column, CLV_HEX, NULL));
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
      const clv_id id = clv_id_of(map, orbits[k], d);
      assert_true(id.index > 0 && id.index < slots);
      assert_ptr_equal(clv_column_at(column, d), &data[id.index]);
      assert_ptr_equal(clv_column_of(column, id), &data[id.index]);
    }
  }
  clv_map_destroy(map);
}

static void inner_values_lie_by_row_and_corner(void **state) {
  (void)state;
  clv_map *map = mixed_map();
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  for (clv_kind kind = CLV_TET; kind <= CLV_HEX; kind++) {
    const clv_suborbits *corners = &clv_templates[kind].sub[6];
    uint32_t count = 0;
    double *data = clv_column_data(corner, kind, &count);
    assert_int_equal(count, clv_cell_rows(map, kind) * corners->count);
    const clv_dart cell = clv_cell_at(map, kind, 0);
    for (uint32_t l = 0; l < clv_templates[kind].dart_count; l++)
      assert_ptr_equal(clv_column_at(corner, cell | l), &data[corners->of[l]]);
  }
  assert_null(clv_column_data(corner, CLV_NONE, NULL));
  assert_null(clv_column_of(corner, clv_id_of(map, CLV_VERTEX, clv_dart_next(map, 0))));
  clv_map_destroy(map);
}

static void values_are_counted_in_bytes(void **state) {
  (void)state;
  clv_map *map = mixed_map();
  const size_t topology = clv_map_bytes(map);
  assert_int_equal(clv_column_bytes(map), 0);
  create(map, (clv_column_def){.name = "x", .orbit = CLV_VERTEX, .components = 100});
  assert_true(clv_column_bytes(map) >= 32 * 100 * sizeof(double)); // the corners of all cells
  assert_int_equal(clv_map_bytes(map), topology);
  clv_map_destroy(map);
}

// Setting

static void values_are_set_for_new_orbits(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_column *position = create(map, clv_default_column_def());
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  clv_column *cell = create(map, (clv_column_def){.name = "cell", .orbit = CLV_CELL});
  begin(map);
  const clv_dart tet = add_cell(map, CLV_TET);
  assert_null(clv_column_at(position, tet)); // made by the open transaction
  for (uint32_t c = 0; c < 4; c++) {
    const double point[3] = {c, 10 + c, 20 + c}, number = 30 + c;
    assert_int_equal(clv_column_set(position, tet | clv_templates[CLV_TET].sub[6].first[c], point), CLV_OK);
    assert_int_equal(clv_column_set(corner, tet | clv_templates[CLV_TET].sub[6].first[c], &number), CLV_OK);
  }
  assert_int_equal(clv_column_set(cell, tet + 5, &(double){99}), CLV_OK);
  commit(map);
  for (uint32_t l = 0; l < 24; l++) {
    const uint32_t c = clv_templates[CLV_TET].sub[6].of[l];
    const double *point = clv_column_at(position, tet | l);
    assert_true(point[0] == c && point[1] == 10 + c && point[2] == 20 + c);
    assert_true(get(corner, tet | l) == 30 + c);
    assert_true(get(cell, tet | l) == 99);
  }
  clv_map_destroy(map);
}

// The last word: over policies, and over what was set before.
static void a_set_value_has_the_last_word(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  begin(map);
  const clv_dart a = add_cell(map, CLV_TRI), b = add_cell(map, CLV_TRI);
  commit(map);
  clv_column *sum = create(map, (clv_column_def){.name = "sum", .orbit = CLV_VERTEX, .merge = CLV_MERGE_SUM});
  for (uint32_t l = 0; l < 6; l++) {
    put(sum, a + l, 1);
    put(sum, b + l, 2);
  }
  begin(map);
  assert_int_equal(clv_column_set(sum, a, &(double){5}), CLV_OK);
  assert_int_equal(clv_map_sew(map, 2, a, b), CLV_OK);
  assert_int_equal(clv_column_set(sum, b, &(double){8}), CLV_OK);
  assert_true(get(sum, a) == 1); // not yet
  commit(map);
  assert_true(get(sum, a) == 8);
  assert_true(get(sum, clv_alpha(map, a, 0)) == 3);
  clv_map_destroy(map);
}

// A cell that is sewn to another and comes off it again in one transaction goes on with what was said of both; whether
// it was there before, and whether it was said before they were sewn or between.
static void a_set_value_goes_with_what_was_joined_for_a_while(void **state) {
  (void)state;
  for (uint32_t turn = 0; turn < 4; turn++) {
    const bool is_new = turn & 1u, is_sewn = turn & 2u;
    clv_map *map = create_map(2);
    clv_column *tag = create(map, (clv_column_def){.name = "tag", .orbit = CLV_VERTEX});
    begin(map);
    const clv_dart a = add_cell(map, CLV_TRI);
    clv_dart b = is_new ? CLV_NO_DART : add_cell(map, CLV_QUAD);
    commit(map);
    begin(map);
    if (is_new) b = add_cell(map, CLV_QUAD);
    if (is_sewn) assert_int_equal(clv_map_sew(map, 2, a, b), CLV_OK);
    assert_int_equal(clv_column_set(tag, a, &(double){7}), CLV_OK);
    if (!is_sewn) assert_int_equal(clv_map_sew(map, 2, a, b), CLV_OK);
    assert_int_equal(clv_map_unsew(map, 2, b), CLV_OK);
    commit(map);
    assert_true(get(tag, a) == 7 && get(tag, b) == 7);
    assert_true(get(tag, clv_alpha(map, a, 0)) == 0 && get(tag, clv_alpha(map, b, 0)) == 0);
    clv_map_destroy(map);
  }
}

// An edge goes between two faces that are open elsewhere. Of the second a part joins the first, with what was said of
// that; the rest has come of the second alone.
static void a_set_value_is_not_of_what_a_removal_parts(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  clv_column *tag = create(map, (clv_column_def){.name = "tag", .orbit = CLV_CELL});
  begin(map);
  const clv_dart a = add_cell(map, CLV_QUAD), b = add_cell(map, CLV_QUAD);
  assert_int_equal(clv_column_set(tag, b, &(double){3}), CLV_OK);
  commit(map);
  begin(map);
  assert_int_equal(clv_map_sew(map, 2, a, b), CLV_OK);
  assert_int_equal(clv_map_unsew(map, 1, a | 1), CLV_OK);
  assert_int_equal(clv_map_unsew(map, 1, b | 4), CLV_OK);
  assert_int_equal(clv_column_set(tag, a | 4, &(double){7}), CLV_OK);
  assert_int_equal(clv_map_remove(map, 1, a), CLV_OK);
  assert_int_equal(clv_alpha(map, a | 7, 1), b | 7);
  commit(map);
  uint32_t first = 0, second = 0;
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    first += get(tag, d) == 7;
    second += get(tag, d) == 3;
  }
  assert_int_equal(first, 6 + 4);
  assert_int_equal(second, 2);
  clv_map_destroy(map);
}

// An edge of three faces goes, two of them back to back and the third open at the end that something is said of. What
// the others join there does not reach the third through what is left of the edge.
static void a_set_value_does_not_go_through_what_is_contracted(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_column *tag = create(map, (clv_column_def){.name = "tag", .orbit = CLV_VERTEX});
  clv_dart faces[3];
  begin(map);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(clv_map_add_polygon(map, 4, &faces[k]), CLV_OK);
  assert_int_equal(clv_map_sew(map, 3, faces[1], faces[2]), CLV_OK);
  assert_int_equal(clv_map_sew(map, 2, faces[0], faces[1]), CLV_OK);
  assert_int_equal(clv_map_unsew(map, 1, clv_alpha(map, faces[0], 0)), CLV_OK);
  commit(map);
  const clv_dart third = clv_alpha(map, faces[0], 1), other = clv_alpha(map, faces[1], 1);
  const clv_dart end = clv_alpha(map, clv_alpha(map, faces[1], 0), 1);
  begin(map);
  assert_int_equal(clv_column_set(tag, end, &(double){7}), CLV_OK);
  assert_int_equal(clv_map_contract(map, 1, faces[1]), CLV_OK);
  commit(map);
  assert_true(get(tag, end) == 7 && get(tag, other) == 7);
  assert_true(get(tag, third) == 0);
  clv_map_destroy(map);
}

static void what_is_set_is_rolled_back(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  clv_column *column = create(map, (clv_column_def){.name = "x", .orbit = CLV_VERTEX});
  begin(map);
  const clv_dart tri = add_cell(map, CLV_TRI), gone = add_cell(map, CLV_QUAD);
  assert_int_equal(clv_column_set(column, tri, &(double){1}), CLV_OK);
  assert_int_equal(clv_column_set(column, gone, &(double){1}), CLV_OK);
  assert_int_equal(clv_map_remove_cell(map, gone), CLV_OK); // with its value: nobody minds
  commit(map);
  begin(map);
  assert_int_equal(clv_column_set(column, tri, &(double){2}), CLV_OK);
  clv_map_rollback(map);
  assert_true(get(column, tri) == 1);
  assert_int_equal(clv_column_set(column, tri, &(double){3}), CLV_ERROR_ARGUMENT); // no transaction
  begin(map);
  assert_int_equal(clv_column_set(column, gone, &(double){3}), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_column_set(column, CLV_NO_DART, &(double){3}), CLV_ERROR_ARGUMENT);
  clv_map_rollback(map);
  assert_true(get(column, tri) == 1);
  clv_map_destroy(map);
}

// Giving up

typedef struct grave {
  uint32_t count;
  double sum;
} grave;

static void bury(void *user, const clv_map *map, void *value) {
  grave *g = user;
  assert_non_null(map);
  g->count++;
  g->sum += *(double *)value;
  *(double *)value = 1e30; // twice would be seen
}

static void each_value_is_destroyed_once(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  grave g = {0, 0};
  begin(map);
  const clv_dart a = add_cell(map, CLV_QUAD), b = add_cell(map, CLV_QUAD);
  commit(map);
  clv_column *vertex = create(
      map, (clv_column_def){.name = "v", .orbit = CLV_VERTEX, .merge = CLV_MERGE_SUM, .destroy = bury, .user = &g});
  for (uint32_t c = 0; c < 4; c++) {
    put(vertex, a + 2 * c, 1);
    put(vertex, b + 2 * c, 100);
  }
  begin(map);
  assert_int_equal(clv_map_sew(map, 2, a, b), CLV_OK);
  commit(map);
  assert_int_equal(g.count, 2); // of two and two, two go on
  assert_true(g.sum == 200);
  begin(map);
  assert_int_equal(clv_map_unsew(map, 2, a), CLV_OK);
  commit(map);
  assert_int_equal(g.count, 2); // a split destroys nothing
  g = (grave){0, 0};
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, a), CLV_OK);
  clv_map_rollback(map);
  assert_int_equal(g.count, 0);
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, a), CLV_OK);
  commit(map);
  assert_int_equal(g.count, 4);
  assert_true(g.sum == 2 * 1 + 2 * 101);
  g = (grave){0, 0};
  clv_column_destroy(map, vertex);
  assert_int_equal(g.count, 4);
  assert_true(g.sum == 2 * 101 + 2 * 100);
  clv_map_destroy(map);
}

static void inner_values_are_destroyed_once(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  grave corners = {0, 0}, cells = {0, 0};
  begin(map);
  const clv_dart hex = add_cell(map, CLV_HEX), prism = add_cell(map, CLV_PRISM);
  assert_int_equal(clv_map_insert_vertex(map, prism, NULL), CLV_OK); // its values lie elsewhere
  commit(map);
  clv_column *corner =
      create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER, .destroy = bury, .user = &corners});
  clv_column *cell = create(map, (clv_column_def){.name = "cell", .orbit = CLV_CELL, .destroy = bury, .user = &cells});
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    put(corner, d, 1);
    put(cell, d, 1);
  }
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, hex), CLV_OK);
  commit(map);
  assert_int_equal(corners.count, 8);
  assert_int_equal(cells.count, 1);
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, prism), CLV_OK);
  add_cell(map, CLV_TET);
  commit(map);
  assert_int_equal(corners.count, 8 + 7);
  assert_int_equal(cells.count, 2);
  assert_true(corners.sum == 15 && cells.sum == 2);
  clv_map_destroy(map); // and the tetrahedron's
  assert_int_equal(corners.count, 8 + 7 + 4);
  assert_int_equal(cells.count, 3);
}

// A cell that leaves its shape and finds it again has lost one corner: that of the vertex between.
static void storing_otherwise_destroys_nothing(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  grave corners = {0, 0}, cells = {0, 0};
  begin(map);
  const clv_dart hex = add_cell(map, CLV_HEX);
  commit(map);
  clv_column *corner =
      create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER, .destroy = bury, .user = &corners});
  create(map, (clv_column_def){.name = "cell", .orbit = CLV_CELL, .destroy = bury, .user = &cells});
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) put(corner, d, 1);
  begin(map);
  assert_int_equal(clv_map_insert_vertex(map, hex, NULL), CLV_OK);
  commit(map);
  assert_int_equal(corners.count + cells.count, 0);
  begin(map);
  assert_int_equal(clv_map_remove(map, 0, clv_alpha(map, hex, 0)), CLV_OK);
  commit(map);
  assert_int_equal(clv_cell_kind(map, hex), CLV_HEX);
  assert_int_equal(corners.count, 1);
  assert_int_equal(cells.count, 0);
  clv_map_destroy(map);
  assert_int_equal(corners.count, 1 + 8);
  assert_true(corners.sum == 8);
  assert_int_equal(cells.count, 1);
}

// From one way of storing to another: every value stays where it was.

typedef struct kept {
  clv_map *map;
  clv_column *columns[5];
  clv_dart darts[256];
  double values[256][5];
  uint32_t count;
} kept;

static void create_kept(kept *k, uint32_t dimension) {
  static const clv_orbit orbits[] = {CLV_CORNER, CLV_CELL, CLV_EDGE, CLV_CELL_EDGE, CLV_VERTEX};
  static const char *const names[] = {"corner", "cell", "edge", "cell edge", "vertex"};
  k->map = create_map(dimension);
  k->count = 0;
  for (uint32_t c = 0; c < 5; c++)
    k->columns[c] = create(k->map, (clv_column_def){.name = names[c], .orbit = orbits[c]});
}

// A value of its own for each orbit: that of its last dart.
static void keep_values(kept *k) {
  for (uint32_t c = 0; c < 5; c++)
    for (clv_dart d = clv_dart_next(k->map, 0); d; d = clv_dart_next(k->map, d)) put(k->columns[c], d, d + 0.25 * c);
  for (clv_dart d = clv_dart_next(k->map, 0); d; d = clv_dart_next(k->map, d)) {
    assert_true(k->count < COUNT(k->darts));
    for (uint32_t c = 0; c < 5; c++) k->values[k->count][c] = get(k->columns[c], d);
    k->darts[k->count++] = d;
  }
}

static void assert_kept(const kept *k) {
  for (uint32_t d = 0; d < k->count; d++)
    for (uint32_t c = 0; c < 5; c++) assert_true(get(k->columns[c], k->darts[d]) == k->values[d][c]);
}

static void a_hanging_vertex_comes_and_goes(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TET; kind <= CLV_HEX; kind++) {
    kept k;
    create_kept(&k, 3);
    begin(k.map);
    const clv_dart cell = add_cell(k.map, kind), neighbour = add_cell(k.map, kind);
    assert_int_equal(clv_map_sew(k.map, 3, cell, neighbour), CLV_OK);
    commit(k.map);
    keep_values(&k);
    begin(k.map);
    assert_int_equal(clv_map_insert_vertex(k.map, cell, NULL), CLV_OK);
    commit(k.map);
    assert_int_equal(clv_cell_kind(k.map, cell), CLV_POLYHEDRON);
    for (uint32_t d = 0; d < k.count; d++) // the edge is cut, and keeps its value in both halves
      for (uint32_t c = 0; c < 5; c++) assert_true(get(k.columns[c], k.darts[d]) == k.values[d][c]);
    begin(k.map);
    assert_int_equal(clv_map_remove(k.map, 0, clv_alpha(k.map, cell, 0)), CLV_OK);
    commit(k.map);
    assert_int_equal(clv_cell_kind(k.map, cell), kind);
    assert_kept(&k);
    clv_map_destroy(k.map);
  }
}

static void a_cell_is_opened_and_closed(void **state) {
  (void)state;
  for (clv_kind kind = CLV_TRI; kind <= CLV_HEX; kind++)
    for (uint32_t i = 0; i < clv_templates[kind].dimension; i++) {
      kept k;
      create_kept(&k, clv_templates[kind].dimension);
      begin(k.map);
      const clv_dart cell = add_cell(k.map, kind);
      commit(k.map);
      keep_values(&k);
      const clv_dart beyond = clv_alpha(k.map, cell, i);
      begin(k.map);
      assert_int_equal(clv_map_unsew(k.map, i, cell), CLV_OK);
      commit(k.map);
      assert_kept(&k); // parts are copies
      begin(k.map);
      assert_int_equal(clv_map_sew(k.map, i, cell, beyond), CLV_OK);
      commit(k.map);
      assert_int_equal(clv_cell_kind(k.map, cell), kind);
      assert_kept(&k); // and copies merge to what they were
      clv_map_destroy(k.map);
    }
}

// A triangle with a vertex more is a quadrangle, and moves to the quadrangles: values go by their vertices.
static void a_cell_changes_kind(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  clv_column *vertex = create(map, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX});
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  clv_column *cell = create(map, (clv_column_def){.name = "cell", .orbit = CLV_CELL});
  clv_dart added = CLV_NO_DART;
  begin(map);
  const clv_dart tri = add_cell(map, CLV_TRI);
  commit(map);
  for (uint32_t c = 0; c < 3; c++) {
    put(vertex, tri + 2 * c, c + 1);
    put(corner, tri + 2 * c, 10 * (c + 1));
  }
  put(cell, tri, 7);
  begin(map);
  assert_int_equal(clv_map_insert_vertex(map, tri, &added), CLV_OK);
  assert_int_equal(clv_column_set(vertex, added, &(double){4}), CLV_OK);
  assert_int_equal(clv_column_set(corner, added, &(double){40}), CLV_OK);
  commit(map);
  assert_int_equal(clv_cell_count(map, CLV_TRI), 0);
  const clv_dart quad = clv_cell_at(map, CLV_QUAD, 0);
  double seen = 0;
  for (uint32_t l = 0; l < 8; l++) {
    assert_true(get(corner, quad + l) == 10 * get(vertex, quad + l));
    assert_true(get(cell, quad + l) == 7);
    seen += get(vertex, quad + l);
  }
  assert_true(seen == 2 * (1 + 2 + 3 + 4));
  clv_map_destroy(map);
}

static const uint32_t prism_sizes[] = {3, 4, 4, 4, 3};
static const uint32_t prism_corners[] = {2, 0, 1, 0, 3, 4, 1, 1, 4, 5, 2, 2, 5, 3, 0, 5, 4, 3};

// A polyhedron that is a prism is stored as one in the same commit; what was set on its darts is found at their new
// names.
static void a_polyhedron_becomes_a_template(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_column *vertex = create(map, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX});
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  clv_column *edge = create(map, (clv_column_def){.name = "edge", .orbit = CLV_CELL_EDGE});
  clv_column *cell = create(map, (clv_column_def){.name = "cell", .orbit = CLV_CELL});
  clv_dart dart = CLV_NO_DART;
  begin(map);
  assert_int_equal(clv_map_add_polyhedron(map, COUNT(prism_sizes), prism_sizes, prism_corners, &dart), CLV_OK);
  clv_walk corners, edges;
  assert_int_equal(clv_walk_incident(&corners, map, CLV_CELL, CLV_CORNER, dart), CLV_OK);
  assert_int_equal(clv_walk_incident(&edges, map, CLV_CELL, CLV_CELL_EDGE, dart), CLV_OK);
  assert_int_equal(corners.count, 6);
  assert_int_equal(edges.count, 9);
  for (uint32_t k = 0; k < corners.count; k++) {
    assert_int_equal(clv_column_set(vertex, corners.darts[k], &(double){k + 1}), CLV_OK);
    assert_int_equal(clv_column_set(corner, corners.darts[k], &(double){10 * (k + 1)}), CLV_OK);
  }
  for (uint32_t k = 0; k < edges.count; k++)
    assert_int_equal(clv_column_set(edge, edges.darts[k], &(double){k + 1}), CLV_OK);
  assert_int_equal(clv_column_set(cell, dart, &(double){5}), CLV_OK);
  clv_walk_end(&corners);
  clv_walk_end(&edges);
  commit(map);
  const clv_dart prism = clv_cell_at(map, CLV_PRISM, 0);
  assert_int_not_equal(prism, CLV_NO_DART);
  double vertices = 0, all_edges = 0;
  for (uint32_t l = 0; l < 36; l++) {
    assert_true(get(corner, prism + l) == 10 * get(vertex, prism + l));
    assert_true(get(cell, prism + l) == 5);
    vertices += get(vertex, prism + l);
    all_edges += get(edge, prism + l);
  }
  assert_true(vertices == 6 * (1 + 2 + 3 + 4 + 5 + 6));
  assert_true(all_edges == 4 * 45);
  clv_map_destroy(map);
}

// Cut through, then one half away: what is left has what the whole had.
static void halves_have_what_the_whole_had(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_column *vertex = create(map, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX});
  clv_column *corner = create(map, (clv_column_def){.name = "corner", .orbit = CLV_CORNER});
  clv_column *cell = create(map, (clv_column_def){.name = "cell", .orbit = CLV_CELL});
  begin(map);
  const clv_dart hex = add_cell(map, CLV_HEX);
  commit(map);
  for (uint32_t c = 0; c < 8; c++) {
    put(vertex, hex | clv_templates[CLV_HEX].sub[6].first[c], c + 1);
    put(corner, hex | clv_templates[CLV_HEX].sub[6].first[c], 10 * (c + 1));
  }
  put(cell, hex, 3);
  const clv_dart top = hex | clv_templates[CLV_HEX].facet_first[5], path[] = {top, top + 2, top + 4, top + 6};
  clv_dart wall = CLV_NO_DART;
  begin(map);
  assert_int_equal(clv_map_insert_face(map, path, 4, &wall), CLV_OK);
  commit(map);
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    assert_true(get(corner, d) == 10 * get(vertex, d));
    assert_true(get(cell, d) == 3);
  }
  clv_map_destroy(map);
}

// Ids

static void an_id_outlives_edits_and_dies_with_its_orbit(void **state) {
  (void)state;
  clv_map *map = create_map(3);
  clv_column *vertex = create(map, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX});
  begin(map);
  const clv_dart a = add_cell(map, CLV_HEX), b = add_cell(map, CLV_HEX);
  commit(map);
  const clv_id cell = clv_id_of(map, CLV_CELL, a), corner = clv_id_of(map, CLV_VERTEX, a),
               merged = clv_id_of(map, CLV_VERTEX, b);
  begin(map);
  assert_int_equal(clv_map_sew(map, 3, a, b), CLV_OK);
  assert_int_equal(clv_map_insert_vertex(map, a, NULL), CLV_OK);
  commit(map);
  assert_true(clv_id_alive(map, CLV_CELL, cell));
  assert_true(clv_id_alive(map, CLV_VERTEX, corner));
  assert_false(clv_id_alive(map, CLV_VERTEX, merged)); // it is part of the other now
  assert_null(clv_column_of(vertex, merged));
  assert_int_equal(clv_id_of(map, CLV_CELL, clv_id_dart(map, CLV_CELL, cell)).index, cell.index);
  begin(map);
  assert_int_equal(clv_map_remove_cell(map, a), CLV_OK);
  commit(map);
  assert_false(clv_id_alive(map, CLV_CELL, cell));
  assert_int_equal(clv_id_dart(map, CLV_CELL, cell), CLV_NO_DART);
  assert_true(clv_id_alive(map, CLV_VERTEX, corner)); // b has it
  clv_map_destroy(map);
}

// The name is given again, with another generation.
static void a_stale_id_is_known(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  clv_column *vertex = create(map, (clv_column_def){.name = "vertex", .orbit = CLV_VERTEX});
  clv_id cell = {0, 0}, corner = {0, 0};
  for (uint32_t k = 0; k < 5; k++) {
    begin(map);
    const clv_dart tri = add_cell(map, CLV_TRI);
    commit(map);
    const clv_id new_cell = clv_id_of(map, CLV_CELL, tri), new_corner = clv_id_of(map, CLV_VERTEX, tri);
    if (k) {
      assert_int_equal(new_cell.index, cell.index);
      assert_int_not_equal(new_cell.generation, cell.generation);
      assert_false(clv_id_alive(map, CLV_CELL, cell));
      assert_false(clv_id_alive(map, CLV_VERTEX, corner));
      assert_null(clv_column_of(vertex, corner));
      assert_int_equal(clv_id_dart(map, CLV_VERTEX, corner), CLV_NO_DART);
    }
    cell = new_cell;
    corner = new_corner;
    begin(map);
    assert_int_equal(clv_map_remove_cell(map, tri), CLV_OK);
    commit(map);
  }
  assert_int_equal(clv_id_next(map, CLV_CELL, (clv_id){0, 0}).index, 0);
  assert_int_equal(clv_id_slots(map, CLV_VERTEX), 4); // three names were enough for all
  clv_map_destroy(map);
}

// Names are used again some thousand times, and then never more: no old id ever means a new orbit.
static void generations_do_not_come_round(void **state) {
  (void)state;
  clv_map *map = create_map(2);
  clv_id cells[4] = {{0, 0}}, corners[4] = {{0, 0}};
  for (uint32_t k = 0; k < 70000; k++) {
    begin(map);
    const clv_dart tri = add_cell(map, CLV_TRI);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    for (uint32_t old = 0; old < 4 && k; old++) {
      assert_false(clv_id_alive(map, CLV_CELL, cells[old]));
      assert_false(clv_id_alive(map, CLV_VERTEX, corners[old]));
    }
    if (k % 20000 == 0) {
      for (uint32_t old = k / 20000; old < 4; old++) {
        cells[old] = clv_id_of(map, CLV_CELL, tri);
        corners[old] = clv_id_of(map, CLV_VERTEX, tri);
      }
    }
    begin(map);
    assert_int_equal(clv_map_remove_cell(map, tri), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
  }
  assert_int_equal(clv_map_check(map, complain, NULL), CLV_OK);
  clv_map_destroy(map);
}

static void ids_are_listed_in_order(void **state) {
  (void)state;
  clv_map *map = mixed_map();
  assert_int_equal(clv_map_number(map, CLV_FACE), CLV_OK);
  const clv_orbit orbits[] = {CLV_VERTEX, CLV_FACE, CLV_CELL};
  const uint32_t expected[] = {4 + 5 + 6 + 8 + 9, 4 + 5 + 5 + 6 + 6, 5};
  for (uint32_t k = 0; k < COUNT(orbits); k++) {
    uint32_t count = 0, last = 0;
    for (clv_id id = clv_id_next(map, orbits[k], (clv_id){0, 0}); id.index;
         id = clv_id_next(map, orbits[k], id), count++) {
      assert_true(id.index > last);
      last = id.index;
      assert_true(clv_id_alive(map, orbits[k], id));
      const clv_id back = clv_id_of(map, orbits[k], clv_id_dart(map, orbits[k], id));
      assert_true(back.index == id.index && back.generation == id.generation);
    }
    assert_int_equal(count, expected[k]);
  }
  assert_int_equal(clv_id_of(map, CLV_EDGE, clv_dart_next(map, 0)).index, 0); // nobody asked for edges
  assert_int_equal(clv_id_slots(map, CLV_EDGE), 0);
  clv_map_destroy(map);
}

// Two open triangles become one open hexagon, which goes on as one of them. The value is set at a dart of the first, or
// of the second.
static void a_set_value_is_the_new_cells(void **state) {
  (void)state;
  for (uint32_t k = 0; k < 2; k++) {
    const clv_map_def def = {.dimension = 2, .allocator = clv_default_allocator()};
    const clv_column_def value = {.name = "value", .orbit = CLV_CELL, .components = 1};
    const double five = 5;
    clv_map *map = clv_map_create(&def, NULL);
    assert_non_null(map);
    clv_column *column = NULL;
    assert_int_equal(clv_column_create(map, &value, &column), CLV_OK);
    clv_dart a = CLV_NO_DART, b = CLV_NO_DART;
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_map_add_cell(map, CLV_TRI, &a), CLV_OK);
    assert_int_equal(clv_map_add_cell(map, CLV_TRI, &b), CLV_OK);
    assert_int_equal(clv_map_unsew(map, 1, a), CLV_OK);
    assert_int_equal(clv_map_unsew(map, 1, b), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    assert_int_equal(clv_map_begin(map), CLV_OK);
    assert_int_equal(clv_column_set(column, k ? b + 2 : a + 2, &five), CLV_OK);
    assert_int_equal(clv_map_sew(map, 1, a, b), CLV_OK);
    assert_int_equal(clv_map_commit(map), CLV_OK);
    for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d))
      assert_true(*(const double *)clv_column_at(column, d) == 5);
    clv_map_destroy(map);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_definitions_are_refused),
      cmocka_unit_test(a_column_remembers_its_definition),
      cmocka_unit_test(names_may_begin_alike),
      cmocka_unit_test(a_contribution_is_not_destroyed_before_what_it_serves),
      cmocka_unit_test(values_are_found_in_three_ways),
      cmocka_unit_test(inner_values_lie_by_row_and_corner),
      cmocka_unit_test(values_are_counted_in_bytes),
      cmocka_unit_test(values_are_set_for_new_orbits),
      cmocka_unit_test(a_set_value_has_the_last_word),
      cmocka_unit_test(a_set_value_is_the_new_cells),
      cmocka_unit_test(a_set_value_goes_with_what_was_joined_for_a_while),
      cmocka_unit_test(a_set_value_is_not_of_what_a_removal_parts),
      cmocka_unit_test(a_set_value_does_not_go_through_what_is_contracted),
      cmocka_unit_test(what_is_set_is_rolled_back),
      cmocka_unit_test(each_value_is_destroyed_once),
      cmocka_unit_test(inner_values_are_destroyed_once),
      cmocka_unit_test(storing_otherwise_destroys_nothing),
      cmocka_unit_test(a_hanging_vertex_comes_and_goes),
      cmocka_unit_test(a_cell_is_opened_and_closed),
      cmocka_unit_test(a_cell_changes_kind),
      cmocka_unit_test(a_polyhedron_becomes_a_template),
      cmocka_unit_test(halves_have_what_the_whole_had),
      cmocka_unit_test(an_id_outlives_edits_and_dies_with_its_orbit),
      cmocka_unit_test(a_stale_id_is_known),
      cmocka_unit_test(generations_do_not_come_round),
      cmocka_unit_test(ids_are_listed_in_order),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
