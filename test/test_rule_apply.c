// Rules and scripts applied to small maps: each construct of the language, what it does and what it refuses.

#include "support/rules.h"
#include "support/small_map.h"

#include <stdlib.h>

typedef struct fixture {
  clv_program *program;
  clv_map *map;
} fixture;

static fixture start(const char *text, uint32_t dimension) {
  return (fixture){program_of(text), create_map(dimension)};
}

static void end(fixture *f) {
  clv_map_destroy(f->map);
  clv_program_destroy(f->program);
}

static clv_result apply(fixture *f, const char *name, uint32_t count, ...) {
  clv_rule_argument arguments[4];
  va_list list;
  va_start(list, count);
  for (uint32_t k = 0; k < count; k++) arguments[k] = dart_argument(va_arg(list, clv_dart));
  va_end(list);
  return clv_rule_apply(rule_of(f->program, name), f->map, arguments, count, NULL, NULL);
}

static void must(fixture *f, clv_result result) {
  if (result != CLV_OK) fail_msg("%s", clv_map_error(f->map));
}

static clv_dart walk(const clv_map *map, clv_dart dart, const char *word) {
  for (; *word; word++) dart = clv_alpha(map, dart, (uint32_t)(*word - '0'));
  return dart;
}

static void assert_cells(const clv_map *map, uint64_t c0, uint64_t c1, uint64_t c2, uint64_t c3) {
  clv_map_info info;
  assert_int_equal(clv_map_count(map, &info), CLV_OK);
  const uint64_t expected[4] = {c0, c1, c2, c3};
  for (uint32_t i = 0; i <= map->dimension; i++) assert_int_equal(info.cells[i], expected[i]);
}

// A refusal leaves no trace in the transaction.
static void assert_refused(fixture *f, clv_result result) {
  assert_int_equal(result, CLV_ERROR_REFUSED);
  const uint64_t revision = clv_map_revision(f->map);
  assert_int_equal(clv_map_commit(f->map), CLV_OK);
  assert_int_equal(clv_map_revision(f->map), revision);
  begin(f->map);
}

static const char basics[] =
    "rule sew3(a:<0,1>, b:<0,1>) where side(a)!=side(b) { left{a-3-a; b-3-b;} right{a-3-b;} }\n"
    "rule sew2(a:<0,3>, b:<0,3>) { left{a:<0,3>-2-a; b:<0,3>-2-b;} right{a-2-b;} }\n"
    "rule unsew3(a:<0,1>) { left { a-3-b:<0,1>; } right { a-3-a; b-3-b; } }\n"
    "rule insert_vertex(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }\n"
    "rule triangulate(a:<0,1,3>) { left{a;} right { a:<0,_,3> -1- b:<_,2,3> -0- c:<1,2,3>; c := mean(v:<1> in a); } }\n"
    "rule split_face(a:<3>, b:<3>) where b in <0,1>(a), side(a)!=side(b), b!=a@0, b!=a@1, b!=a@1@0@1 {\n"
    "  left { a-1-c:<3>; b-1-d:<3>; }\n"
    "  right { a-1-x:<3>-0-y:<3>-1-b; c-1-u:<3>-0-v:<3>-1-d; x-2-u; y-2-v; } }\n"
    "rule wall(a:<0>) { left { a-2-b:<0>; } right { a-2-x:<0>-3-y:<0>-2-b; x-1-x; y-1-y; } }\n"
    "rule join(a:<3>, b:<3>) where side(a)!=side(b) { left{a-1-a; b-1-b;} right{a-1-b;} }\n"
    "script split_volume(path) { for d in path { wall(d); } for d,e in cyclic(path) { join(d@0@2, e@2); } }\n"
    "rule remove_volume(a:<0,1,2>) { left { a -3?- b:<0,1,_>; } right { b-3-b; } }\n";

static void facets_are_sewn_and_parted(void **state) {
  (void)state;
  fixture f = start(basics, 3);
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_TET), b = add_cell(f.map, CLV_TET);
  commit(f.map);
  begin(f.map);
  const clv_dart facing = clv_side(f.map, a) != clv_side(f.map, b) ? b : clv_alpha(f.map, b, 0);
  assert_refused(&f, apply(&f, "sew3", 2, a, clv_alpha(f.map, facing, 0)));
  must(&f, apply(&f, "sew3", 2, a, facing));
  assert_int_equal(clv_alpha(f.map, a, 3), facing);
  commit(f.map);
  assert_cells(f.map, 5, 9, 7, 2);
  begin(f.map);
  assert_refused(&f, apply(&f, "sew3", 2, a, facing));
  must(&f, apply(&f, "unsew3", 1, a));
  commit(f.map);
  assert_cells(f.map, 8, 12, 8, 2);
  begin(f.map);
  assert_refused(&f, apply(&f, "unsew3", 1, a));
  clv_map_rollback(f.map);
  end(&f);
}

static void shapes_must_agree(void **state) {
  (void)state;
  fixture f = start(basics, 3);
  begin(f.map);
  const clv_dart tet = add_cell(f.map, CLV_TET), hex = add_cell(f.map, CLV_HEX);
  commit(f.map);
  begin(f.map);
  assert_refused(&f, apply(&f, "sew3", 2, tet, clv_alpha(f.map, hex, 0)));
  assert_refused(&f, apply(&f, "sew3", 2, tet, clv_alpha(f.map, tet, 0)));
  clv_map_rollback(f.map);
  end(&f);
}

static void a_rule_for_volumes_serves_surfaces(void **state) {
  (void)state;
  fixture f = start(basics, 2);
  clv_column *position = create(f.map, clv_default_column_def());
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_QUAD), b = add_cell(f.map, CLV_QUAD);
  must(&f, apply(&f, "sew2", 2, a, clv_alpha(f.map, b, 0)));
  commit(f.map);
  assert_cells(f.map, 6, 7, 2, 0);
  for (uint32_t k = 0; k < 3; k++) {
    ((double *)clv_column_at(position, a))[k] = 1 + k;
    ((double *)clv_column_at(position, clv_alpha(f.map, a, 0)))[k] = 3 + k;
  }
  begin(f.map);
  clv_dart z = CLV_NO_DART;
  const clv_rule_argument edge = dart_argument(a);
  must(&f, clv_rule_apply(rule_of(f.program, "insert_vertex"), f.map, &edge, 1, "z", &z));
  assert_int_equal(clv_alpha(f.map, a, 0), z);
  commit(f.map);
  assert_cells(f.map, 7, 8, 2, 0);
  const clv_dart middle = clv_alpha(f.map, a, 0);
  for (uint32_t k = 0; k < 3; k++) assert_true(((double *)clv_column_at(position, middle))[k] == 2.0 + k);
  begin(f.map);
  must(&f, apply(&f, "triangulate", 1, a));
  commit(f.map);
  assert_cells(f.map, 8, 13, 6, 0);
  begin(f.map);
  const clv_dart any = clv_dart_next(f.map, CLV_NO_DART);
  assert_refused(&f, apply(&f, "sew3", 2, any, clv_alpha(f.map, any, 0)));
  clv_map_rollback(f.map);
  end(&f);
}

static void a_face_is_split_from_corner_to_corner(void **state) {
  (void)state;
  fixture f = start(basics, 3);
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_HEX), b = add_cell(f.map, CLV_HEX);
  must(&f, apply(&f, "sew3", 2, a, clv_side(f.map, a) != clv_side(f.map, b) ? b : clv_alpha(f.map, b, 0)));
  commit(f.map);
  begin(f.map);
  assert_refused(&f, apply(&f, "split_face", 2, a, walk(f.map, a, "0")));
  assert_refused(&f, apply(&f, "split_face", 2, a, walk(f.map, a, "01")));
  assert_refused(&f, apply(&f, "split_face", 2, a, walk(f.map, a, "2")));
  must(&f, apply(&f, "split_face", 2, a, walk(f.map, a, "010")));
  commit(f.map);
  assert_cells(f.map, 12, 21, 12, 2);
  end(&f);
}

// A hexahedron's diagonal plane: two faces are cut, and a wall stands on the path of two old and two new edges.
static void a_volume_is_split_along_a_path(void **state) {
  (void)state;
  fixture f = start(basics, 3);
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_HEX);
  commit(f.map);
  begin(f.map);
  const clv_dart top = walk(f.map, a, "21012"); // the face across, over the same edge
  clv_dart near = CLV_NO_DART;
  const clv_rule_argument bottom[2] = {dart_argument(a), dart_argument(walk(f.map, a, "010"))};
  must(&f, clv_rule_apply(rule_of(f.program, "split_face"), f.map, bottom, 2, "x", &near));
  must(&f, apply(&f, "split_face", 2, top, walk(f.map, top, "010")));
  clv_dart path[4] = {near};
  for (uint32_t k = 1; k < 4; k++) path[k] = walk(f.map, path[k - 1], "0121");
  const clv_rule_argument argument = {.darts = path, .dart_count = 4};
  must(&f, clv_rule_apply(rule_of(f.program, "split_volume"), f.map, &argument, 1, NULL, NULL));
  commit(f.map);
  assert_cells(f.map, 8, 14, 9, 2);
  assert_int_equal(clv_cell_count(f.map, CLV_PRISM), 2);
  end(&f);
}

static void a_wall_alone_is_refused(void **state) {
  (void)state;
  fixture f = start(basics, 3);
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_HEX);
  commit(f.map);
  begin(f.map);
  assert_refused(&f, apply(&f, "wall", 1, a));
  clv_map_rollback(f.map);
  end(&f);
}

static void a_volume_is_removed(void **state) {
  (void)state;
  fixture f = start(basics, 3);
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_HEX), b = add_cell(f.map, CLV_HEX);
  must(&f, apply(&f, "sew3", 2, a, clv_side(f.map, a) != clv_side(f.map, b) ? b : clv_alpha(f.map, b, 0)));
  commit(f.map);
  begin(f.map);
  must(&f, apply(&f, "remove_volume", 1, b));
  commit(f.map);
  assert_cells(f.map, 8, 12, 6, 1);
  assert_true(clv_is_free(f.map, a, 3));
  begin(f.map);
  must(&f, apply(&f, "insert_vertex", 1, a));
  must(&f, apply(&f, "remove_volume", 1, a));
  commit(f.map);
  assert_int_equal(clv_dart_count(f.map), 0);
  end(&f);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(facets_are_sewn_and_parted),
      cmocka_unit_test(shapes_must_agree),
      cmocka_unit_test(a_rule_for_volumes_serves_surfaces),
      cmocka_unit_test(a_face_is_split_from_corner_to_corner),
      cmocka_unit_test(a_volume_is_split_along_a_path),
      cmocka_unit_test(a_wall_alone_is_refused),
      cmocka_unit_test(a_volume_is_removed),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
