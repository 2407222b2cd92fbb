// Rules and scripts applied to small maps: each construct of the language, what it does and what it refuses.

#include "support/counting_allocator.h"
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

// Guards

static void guards_are_asked(void **state) {
  (void)state;
  fixture f = start("embed mark:int on vertex = 0;\n"
                    "rule in_face(a:<>, b:<>) where b in <0,1>(a), a != b { left{a; b;} right{a; b;} }\n"
                    "rule at_end(a:<>) where free(a, 3) && !free(a, 2) { left{a;} right{a;} }\n"
                    "rule marked(a:<>, k) where a.mark == k || a@0.mark > k + 1, k >= 0 { left{a;} right{a;} }\n",
                    3);
  clv_column *mark = create(f.map, (clv_column_def){.name = "mark", .orbit = CLV_VERTEX, .type = CLV_INT32});
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_TET);
  commit(f.map);
  *(int32_t *)clv_column_at(mark, a) = 5;
  begin(f.map);
  must(&f, apply(&f, "in_face", 2, a, walk(f.map, a, "01")));
  assert_refused(&f, apply(&f, "in_face", 2, a, walk(f.map, a, "2")));
  assert_non_null(strstr(clv_map_error(f.map), "b in <0,1>(a)"));
  must(&f, apply(&f, "at_end", 1, a));
  const struct {
    const char *word;
    int32_t level;
    bool holds;
  } cases[] = {{"", 5, true}, {"", 4, false}, {"0", 3, true}, {"0", 4, false}, {"", -1, false}};
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const clv_rule_argument arguments[2] = {dart_argument(walk(f.map, a, cases[k].word)),
                                            number_argument(cases[k].level)};
    const clv_result result = clv_rule_apply(rule_of(f.program, "marked"), f.map, arguments, 2, NULL, NULL);
    assert_int_equal(result, cases[k].holds ? CLV_OK : CLV_ERROR_REFUSED);
  }
  clv_map_rollback(f.map);
  end(&f);
}

// Relations: exact, and at a border as far as it goes.
static void relations_are_exact(void **state) {
  (void)state;
  fixture f = start("rule on_triangle(a:<0,1|(01)^3>) { left{a;} right{a;} }\n"
                    "rule at_six(a:<1,2|(12)^6>) { left{a;} right{a;} }\n",
                    2);
  begin(f.map);
  const clv_dart tri = add_cell(f.map, CLV_TRI), quad = add_cell(f.map, CLV_QUAD);
  commit(f.map);
  begin(f.map);
  must(&f, apply(&f, "on_triangle", 1, tri));
  assert_refused(&f, apply(&f, "on_triangle", 1, quad));
  must(&f, apply(&f, "at_six", 1, tri)); // one corner, free on both sides: back after two turns
  clv_map_rollback(f.map);
  end(&f);
}

// Values

static void values_are_set_at_commit(void **state) {
  (void)state;
  fixture f = start("embed heat:real on vertex = 0 blend;\n"
                    "embed made:int on vertex = 0;\n"
                    "rule insert(a:<0,2,3>, k) { left{a;}\n"
                    "  right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); z.made := 2*k + 1; } }\n"
                    "rule centre(a:<0,1,3>) { left{a;}\n"
                    "  right { a:<0,_,3> -1- b:<_,2,3> -0- c:<1,2,3>; c := mean(v:<1> in a); c.made := 7; } }\n"
                    "rule wrong(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0)/0; } }\n",
                    2);
  // The program says that it blends, the column does not know.
  clv_column *heat = create(f.map, (clv_column_def){.name = "heat", .orbit = CLV_VERTEX});
  // The column blends, the program does not know.
  clv_column *other = create(f.map, (clv_column_def){.name = "other", .orbit = CLV_VERTEX, .create = CLV_CREATE_MEAN});
  clv_column *made = create(f.map, (clv_column_def){.name = "made", .orbit = CLV_VERTEX, .type = CLV_INT32});
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_TRI);
  commit(f.map);
  clv_dart corner = a;
  for (uint32_t k = 0; k < 3; k++, corner = walk(f.map, corner, "01")) {
    put(heat, corner, k * 8.0);
    put(other, corner, k * 16.0);
  }
  // Three in one transaction: the second stands on the first, the middle on all.
  begin(f.map);
  const clv_rule_argument arguments[2] = {dart_argument(a), number_argument(1)};
  must(&f, clv_rule_apply(rule_of(f.program, "insert"), f.map, arguments, 2, NULL, NULL));
  must(&f, clv_rule_apply(rule_of(f.program, "insert"), f.map, arguments, 2, NULL, NULL));
  must(&f, apply(&f, "centre", 1, a));
  commit(f.map);
  double found[8] = {0}, sum = 0;
  uint32_t count = 0;
  clv_walk all;
  assert_int_equal(clv_walk_all(&all, f.map, CLV_VERTEX), CLV_OK);
  for (uint32_t k = 0; k < all.count; k++) {
    assert_true(get(other, all.darts[k]) == 2 * get(heat, all.darts[k]));
    if (*(int32_t *)clv_column_at(made, all.darts[k]) == 3) found[count++] = get(heat, all.darts[k]);
    if (*(int32_t *)clv_column_at(made, all.darts[k]) == 7) sum = get(heat, all.darts[k]);
  }
  clv_walk_end(&all);
  assert_int_equal(count, 2);
  assert_true(found[0] + found[1] == 6 && found[0] * found[1] == 8); // 4 and 2
  assert_true(sum == (0 + 2 + 4 + 8 + 16) / 5.0);
  begin(f.map);
  assert_refused(&f, apply(&f, "wrong", 1, clv_dart_next(f.map, CLV_NO_DART)));
  assert_non_null(strstr(clv_map_error(f.map), "not a number"));
  clv_map_rollback(f.map);
  end(&f);
}

static void a_column_must_be_there(void **state) {
  (void)state;
  fixture f = start("embed made:int on vertex = 0;\n"
                    "rule insert(a:<0,2,3>) { left{a;}\n"
                    "  right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); z.made := 1; } }\n",
                    2);
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_TRI);
  commit(f.map);
  begin(f.map);
  assert_refused(&f, apply(&f, "insert", 1, a));
  assert_non_null(strstr(clv_map_error(f.map), "'made'"));
  clv_map_rollback(f.map);
  end(&f);
}

// Scripts

static const char scripted[] =
    "embed n:int on vertex = 0;\n"
    "embed f:int on face = 0;\n"
    "rule insert(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }\n"
    "rule never(a:<>) where false { left{a;} right{a;} }\n"
    "script count_darts(d) { for x in <0,1>(d) { x.n = x.n + 1; } }\n"
    "script count_corners(d) { for x:<1> in <0,1>(d) { x.n = x.n + 1; } }\n"
    "script follow(path) { for x in path { x.n = x.n + 1; } for x, y in cyclic(path) { y.n = y.n + 10; } }\n"
    "script branch(d, k) { if k > 2 { d.n = 3; } else if k == 2 { d.n = 2; } else { d.n = 1; } }\n"
    "script attempt(d) { try { d.n = 5; insert(d); never(d); } else { d.n = d.n + 1; } }\n"
    "script attempts(d) { try { never(d); } for x in <0,1>(d) { try { never(x); } else { x.n = x.n + 1; } } }\n"
    "script demand(d, k) { insert(d); require k > 0, \"more than nothing\"; }\n"
    "script born(d) { let z = insert(d).z; z.n = 9; return z; }\n"
    "script nested(d) { let z = born(d); z.n = z.n + 1; return z@0; }\n"
    "script early(d) { for x in <0,1>(d) { x.n = 4; return x; } }\n"
    "script border(d) { let x = d; return walk(x; @12; until free(x, 2)); }\n"
    "script across(d) { for x in <0,1>(d) { for y in <0,1>(d) { for z in <0,1>(d) {\n"
    "  for u in <0,1>(d) { for v in <0,1>(d) { for w in <0,1>(d) { for s in <0,1>(d) { for t in <0,1>(d) {\n"
    "  for q in <0,1>(d) { for p in <0,1>(d) { p.n = 1; } } } } } } } } } } }\n";

typedef struct scene {
  fixture f;
  clv_column *n;
  clv_dart a;
} scene;

static scene start_scene(void) {
  scene s = {.f = start(scripted, 2)};
  s.n = create(s.f.map, (clv_column_def){.name = "n", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(s.f.map, (clv_column_def){.name = "f", .orbit = CLV_FACE, .type = CLV_INT32});
  begin(s.f.map);
  s.a = add_cell(s.f.map, CLV_TRI);
  commit(s.f.map);
  begin(s.f.map);
  return s;
}

static int32_t n_at(const scene *s, const char *word) {
  return *(int32_t *)clv_column_at(s->n, walk(s->f.map, s->a, word));
}

static void end_scene(scene *s) {
  clv_map_rollback(s->f.map);
  end(&s->f);
}

static void loops_go_over_orbits_and_paths(void **state) {
  (void)state;
  scene s = start_scene();
  must(&s.f, apply(&s.f, "count_darts", 1, s.a));
  commit(s.f.map);
  assert_int_equal(n_at(&s, ""), 2);
  begin(s.f.map);
  must(&s.f, apply(&s.f, "count_corners", 1, s.a));
  commit(s.f.map);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(n_at(&s, k == 0 ? "" : k == 1 ? "0" : "10"), 3);
  begin(s.f.map);
  const clv_dart path[2] = {s.a, walk(s.f.map, s.a, "0")};
  const clv_rule_argument argument = {.darts = path, .dart_count = 2};
  must(&s.f, clv_rule_apply(rule_of(s.f.program, "follow"), s.f.map, &argument, 1, NULL, NULL));
  commit(s.f.map);
  assert_int_equal(n_at(&s, ""), 14);
  assert_int_equal(n_at(&s, "0"), 14);
  assert_int_equal(n_at(&s, "10"), 3);
  begin(s.f.map);
  end_scene(&s);
}

static void branches_and_tries_are_taken(void **state) {
  (void)state;
  scene s = start_scene();
  for (int32_t k = 1; k <= 3; k++) {
    const clv_rule_argument arguments[2] = {dart_argument(s.a), number_argument(k)};
    must(&s.f, clv_rule_apply(rule_of(s.f.program, "branch"), s.f.map, arguments, 2, NULL, NULL));
    commit(s.f.map);
    assert_int_equal(n_at(&s, ""), k);
    begin(s.f.map);
  }
  // What failed in a try leaves no trace: neither the vertex nor the value.
  must(&s.f, apply(&s.f, "attempt", 1, s.a));
  commit(s.f.map);
  assert_int_equal(n_at(&s, ""), 4);
  assert_cells(s.f.map, 3, 3, 1, 0);
  begin(s.f.map);
  must(&s.f, apply(&s.f, "attempts", 1, s.a));
  commit(s.f.map);
  assert_int_equal(n_at(&s, ""), 6);
  begin(s.f.map);
  end_scene(&s);
}

static void a_script_is_all_or_nothing(void **state) {
  (void)state;
  scene s = start_scene();
  const clv_rule_argument arguments[2] = {dart_argument(s.a), number_argument(0)};
  const uint64_t hash = clv_map_hash(s.f.map);
  assert_refused(&s.f, clv_rule_apply(rule_of(s.f.program, "demand"), s.f.map, arguments, 2, NULL, NULL));
  assert_non_null(strstr(clv_map_error(s.f.map), "more than nothing"));
  assert_true(clv_map_hash(s.f.map) == hash);
  end_scene(&s);
}

static void scripts_return_darts(void **state) {
  (void)state;
  scene s = start_scene();
  clv_dart dart = CLV_NO_DART;
  const clv_rule_argument argument = dart_argument(s.a);
  must(&s.f, clv_rule_apply(rule_of(s.f.program, "nested"), s.f.map, &argument, 1, NULL, &dart));
  assert_int_equal(dart, s.a);
  clv_map_rollback(s.f.map);
  begin(s.f.map);
  must(&s.f, clv_rule_apply(rule_of(s.f.program, "born"), s.f.map, &argument, 1, NULL, &dart));
  assert_int_equal(dart, clv_alpha(s.f.map, s.a, 0));
  clv_map_rollback(s.f.map);
  begin(s.f.map);
  must(&s.f, clv_rule_apply(rule_of(s.f.program, "early"), s.f.map, &argument, 1, NULL, &dart));
  assert_int_equal(dart, s.a);
  must(&s.f, clv_rule_apply(rule_of(s.f.program, "border"), s.f.map, &argument, 1, NULL, &dart));
  assert_int_equal(dart, s.a);
  assert_int_equal(clv_rule_apply(rule_of(s.f.program, "count_darts"), s.f.map, &argument, 1, NULL, &dart),
                   CLV_ERROR_REFUSED);
  end_scene(&s);
}

// What a script said at a dart holds for all that comes of the orbit, as it goes on and when it is done: here a vertex
// that is born between two others, is set, and then parted; and one whose dart is taken away.
static const char parting[] =
    "embed n:real on vertex = 0;\n"
    "embed heat:real on vertex = 0 blend;\n"
    "rule insert(a:<0,2,3>) { left{a;} right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); } }\n"
    "rule part(a:<0,3>) { left { a-2-b:<0,3>; } right { a-2-a; b-2-b; } }\n"
    "rule drop(a:<0,1,3>) { left { a -2?- b:<0,_,_>; } right { b-2-b; } }\n"
    "script apart(d) { let e = d@2; let z = insert(d).z; z.n = 9; part(d); part(z@1);\n"
    "  e@0.n = e@0.n + e@0.heat; }\n"
    "script lost(d) { let e = d@2; let z = insert(d).z; z.n = 9; drop(d); e@0.n = e@0.n + e@0.heat; }\n";

static void run_between_quads(const char *script, double *n, double *heat, double *other) {
  fixture f = start(parting, 2);
  clv_column *number = create(f.map, (clv_column_def){.name = "n", .orbit = CLV_VERTEX, .type = CLV_DOUBLE});
  clv_column *warm = create(
      f.map, (clv_column_def){.name = "heat", .orbit = CLV_VERTEX, .type = CLV_DOUBLE, .create = CLV_CREATE_MEAN});
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_QUAD), b = add_cell(f.map, CLV_QUAD);
  must(&f, clv_map_sew(f.map, 2, a, clv_alpha(f.map, b, 0)));
  commit(f.map);
  const clv_dart e = clv_alpha(f.map, a, 2);
  put(warm, a, 1);
  put(warm, clv_alpha(f.map, a, 0), 3);
  begin(f.map);
  must(&f, apply(&f, script, 1, a));
  commit(f.map);
  *n = get(number, clv_alpha(f.map, e, 0));
  *heat = get(warm, clv_alpha(f.map, e, 0));
  *other = clv_dart_alive(f.map, a) ? get(number, clv_alpha(f.map, a, 0)) : 0;
  end(&f);
}

static void what_was_said_holds_for_what_comes_of_it(void **state) {
  (void)state;
  double n, heat, other;
  run_between_quads("apart", &n, &heat, &other);
  assert_true(heat == 2 && n == 11 && other == 9);
  run_between_quads("lost", &n, &heat, &other);
  assert_true(heat == 2 && n == 11);
}

static void nothing_runs_for_ever(void **state) {
  (void)state;
  scene s = start_scene();
  assert_refused(&s.f, apply(&s.f, "across", 1, s.a));
  assert_non_null(strstr(clv_map_error(s.f.map), "too many steps"));
  end_scene(&s);
}

static void wrong_arguments_are_told(void **state) {
  (void)state;
  scene s = start_scene();
  const clv_rule *rule = rule_of(s.f.program, "insert");
  const clv_rule_argument arguments[2] = {dart_argument(s.a), dart_argument(0xFFFFFFu)};
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_rule_apply(rule, s.f.map, arguments, 2, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_rule_apply(rule, s.f.map, arguments + 1, 1, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_rule_apply(rule, s.f.map, arguments, 1, NULL, &dart), CLV_ERROR_ARGUMENT);
  assert_refused(&s.f, clv_rule_apply(rule, s.f.map, arguments, 1, "y", &dart));
  assert_null(clv_program_rule(s.f.program, "nobody"));
  assert_null(clv_program_rule(s.f.program, "n"));
  assert_string_equal(clv_rule_name(rule), "insert");
  assert_string_equal(clv_rule_name(rule_of(s.f.program, "born")), "born");
  clv_map_rollback(s.f.map);
  assert_int_equal(clv_rule_apply(rule, s.f.map, arguments, 1, NULL, NULL), CLV_ERROR_ARGUMENT);
  begin(s.f.map);
  end_scene(&s);
}

// Levels

static fixture start_levels(uint32_t dimension) {
  fixture f = {program_of_module("topology"), create_map(dimension)};
  create(f.map, clv_default_column_def());
  create(f.map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
  create(f.map, (clv_column_def){.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32});
  if (dimension == 3) create(f.map, (clv_column_def){.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32});
  begin(f.map);
  return f;
}

static void refine(fixture *f, const char *name, clv_dart dart, int32_t level) {
  const clv_rule_argument arguments[2] = {dart_argument(dart), number_argument(level)};
  begin(f->map);
  must(f, clv_rule_apply(rule_of(f->program, name), f->map, arguments, 2, NULL, NULL));
  commit(f->map);
}

static void cells_are_refined_into_their_own_kind(void **state) {
  (void)state;
  const struct {
    const char *rule;
    clv_kind kind;
    uint64_t once[4], twice; // cells; top cells when one of them is refined again
  } cases[] = {{"refine_face", CLV_TRI, {6, 9, 4, 0}, 7},
               {"refine_quad", CLV_QUAD, {9, 12, 4, 0}, 7},
               {"refine_tet", CLV_TET, {10, 25, 24, 8}, 15},
               {"refine_hex", CLV_HEX, {27, 54, 36, 8}, 15}};
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    const uint32_t n = clv_templates[cases[k].kind].dimension;
    fixture f = start_levels(n);
    const clv_dart dart = add_cell(f.map, cases[k].kind);
    commit(f.map);
    const clv_id corner = clv_id_of(f.map, CLV_VERTEX, dart);
    refine(&f, cases[k].rule, dart, 0);
    assert_cells(f.map, cases[k].once[0], cases[k].once[1], cases[k].once[2], cases[k].once[3]);
    assert_int_equal(clv_cell_count(f.map, cases[k].kind), cases[k].once[n]);
    refine(&f, cases[k].rule, clv_id_dart(f.map, CLV_VERTEX, corner), 1);
    clv_map_info info;
    assert_int_equal(clv_map_count(f.map, &info), CLV_OK);
    assert_int_equal(info.cells[n], cases[k].twice);
    end(&f);
  }
}

// An edge of level 0 with a vertex of level 1 and two of level 2: a0 at each level, and the raw edges along it.
static void links_at_levels_pass_over_finer_vertices(void **state) {
  (void)state;
  fixture f = {program_of("embed lev:int on vertex = 0;\n"
                          "embed n:int on vertex = 0;\n"
                          "rule put(a:<0,2,3>, k) { left{a;}\n"
                          "  right { a:<_,2,3> -0- z:<1,2,3>; z := mean(a,a@0); z.lev := k; } }\n"
                          "script go(d, k) { return d@0^k; }\n"
                          "script number(d, k) { for x in parts(d, k) { x.n = x.n + 1; } }\n"),
               create_map(2)};
  create(f.map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
  clv_column *n = create(f.map, (clv_column_def){.name = "n", .orbit = CLV_VERTEX, .type = CLV_INT32});
  begin(f.map);
  const clv_dart a = add_cell(f.map, CLV_TRI);
  commit(f.map);
  const clv_dart far = walk(f.map, a, "0");
  begin(f.map);
  const int32_t levels[3] = {1, 2, 2};
  for (uint32_t k = 0; k < 3; k++) {
    const clv_dart at = k < 2 ? a : walk(f.map, a, "0101");
    const clv_rule_argument arguments[2] = {dart_argument(at), number_argument(levels[k])};
    must(&f, clv_rule_apply(rule_of(f.program, "put"), f.map, arguments, 2, NULL, NULL));
  }
  const struct {
    int32_t level;
    const char *way;
  } ends[] = {{2, "0"}, {1, "010"}, {0, "0101010"}};
  for (uint32_t k = 0; k < 3; k++) {
    const clv_rule_argument arguments[2] = {dart_argument(a), number_argument(ends[k].level)};
    clv_dart end = CLV_NO_DART;
    must(&f, clv_rule_apply(rule_of(f.program, "go"), f.map, arguments, 2, NULL, &end));
    assert_int_equal(end, walk(f.map, a, ends[k].way));
  }
  assert_int_equal(walk(f.map, a, "0101010"), far);
  const clv_rule_argument whole[2] = {dart_argument(a), number_argument(0)};
  must(&f, clv_rule_apply(rule_of(f.program, "number"), f.map, whole, 2, NULL, NULL));
  const clv_dart begins[4] = {a, walk(f.map, a, "01"), walk(f.map, a, "0101"), walk(f.map, a, "010101")};
  // The transaction renames darts: their vertices are told by a column.
  for (uint32_t k = 0; k < 4; k++) {
    const int32_t mark = 1;
    assert_int_equal(clv_column_set(clv_column_find(f.map, "lev"), begins[k], &mark), CLV_OK);
  }
  commit(f.map);
  clv_walk all;
  uint32_t numbered = 0;
  assert_int_equal(clv_walk_all(&all, f.map, CLV_VERTEX), CLV_OK);
  for (uint32_t k = 0; k < all.count; k++) {
    const int32_t marked = *(int32_t *)clv_column_at(clv_column_find(f.map, "lev"), all.darts[k]);
    assert_int_equal(*(int32_t *)clv_column_at(n, all.darts[k]), marked);
    numbered += marked == 1;
  }
  clv_walk_end(&all);
  assert_int_equal(numbered, 4);
  end(&f);
}

// Catmull-Clark on a cube and on a square, by the book.
static void points_lie_where_catmull_and_clark_say(void **state) {
  (void)state;
  const struct {
    clv_kind kind;
    uint64_t vertices, corners, edges;
    double corner; // how far a corner moves along each axis
  } cases[] = {{CLV_HEX, 26, 8, 12, 2.0 / 9}, {CLV_QUAD, 9, 4, 4, 0.125}};
  for (uint32_t k = 0; k < 2; k++) {
    fixture f = start_levels(clv_templates[cases[k].kind].dimension);
    const clv_column *position = clv_column_find(f.map, "pos");
    const clv_dart a = add_cell(f.map, cases[k].kind);
    commit(f.map);
    clv_walk corners;
    assert_int_equal(clv_walk_all(&corners, f.map, CLV_VERTEX), CLV_OK);
    for (uint32_t c = 0; c < corners.count; c++) {
      const clv_suborbits *sub = &clv_templates[cases[k].kind].sub[f.map->dimension == 3 ? 6 : 2];
      const uint32_t corner = sub->of[corners.darts[c] & 63u];
      double *at = clv_column_at(position, corners.darts[c]);
      at[0] = (corner ^ corner >> 1) & 1u;
      at[1] = corner >> 1 & 1u;
      at[2] = corner >> 2;
    }
    clv_walk_end(&corners);
    begin(f.map);
    must(&f, apply(&f, "catmull_clark", 1, a));
    commit(f.map);
    assert_int_equal(clv_walk_all(&corners, f.map, CLV_VERTEX), CLV_OK);
    assert_int_equal(corners.count, cases[k].vertices);
    uint32_t at_corner = 0, at_edge = 0;
    for (uint32_t c = 0; c < corners.count; c++) {
      const double *at = clv_column_at(position, corners.darts[c]);
      uint32_t moved = 0, halves = 0, in = 0;
      for (uint32_t i = 0; i < 3; i++) {
        const double low = at[i] < 0.5 ? at[i] : 1 - at[i];
        moved += low - cases[k].corner < 1e-15 && cases[k].corner - low < 1e-15;
        halves += low == 0.5;
        in += low == (cases[k].kind == CLV_HEX ? 0.125 : 0);
      }
      at_corner += moved == f.map->dimension;
      at_edge += halves == 1 && in == 2;
    }
    clv_walk_end(&corners);
    assert_int_equal(at_corner, cases[k].corners);
    assert_int_equal(at_edge, cases[k].edges);
    end(&f);
  }
}

// Memory that runs out at any request leaves the map as it was.
static void a_failed_request_changes_nothing(void **state) {
  (void)state;
  clv_program *program = program_of_module("topology");
  bool refused = true;
  for (size_t fail_at = 1; refused; fail_at++) {
    counting_memory memory = {0};
    const clv_map_def def = {.dimension = 3, .allocator = counting_allocator(&memory)};
    fixture f = {program, clv_map_create(&def, NULL)};
    assert_non_null(f.map);
    create(f.map, clv_default_column_def());
    create(f.map, (clv_column_def){.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32});
    create(f.map, (clv_column_def){.name = "flev", .orbit = CLV_FACE, .type = CLV_INT32});
    create(f.map, (clv_column_def){.name = "vlev", .orbit = CLV_VOLUME, .type = CLV_INT32});
    begin(f.map);
    const clv_dart dart = add_cell(f.map, CLV_TET);
    commit(f.map);
    const uint64_t hash = clv_map_hash(f.map);
    begin(f.map);
    memory.requests = 0;
    memory.fail_at = fail_at;
    const clv_rule_argument arguments[2] = {dart_argument(dart), number_argument(0)};
    const clv_result result = clv_rule_apply(rule_of(program, "refine_tet"), f.map, arguments, 2, NULL, NULL);
    refused = memory.refused;
    memory.fail_at = 0;
    assert_int_equal(result, refused ? CLV_ERROR_MEMORY : CLV_OK);
    commit(f.map);
    if (refused) assert_true(clv_map_hash(f.map) == hash);
    clv_map_destroy(f.map);
    assert_int_equal(memory.live_bytes, 0);
  }
  clv_program_destroy(program);
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
      cmocka_unit_test(guards_are_asked),
      cmocka_unit_test(relations_are_exact),
      cmocka_unit_test(values_are_set_at_commit),
      cmocka_unit_test(a_column_must_be_there),
      cmocka_unit_test(loops_go_over_orbits_and_paths),
      cmocka_unit_test(branches_and_tries_are_taken),
      cmocka_unit_test(a_script_is_all_or_nothing),
      cmocka_unit_test(scripts_return_darts),
      cmocka_unit_test(what_was_said_holds_for_what_comes_of_it),
      cmocka_unit_test(nothing_runs_for_ever),
      cmocka_unit_test(wrong_arguments_are_told),
      cmocka_unit_test(cells_are_refined_into_their_own_kind),
      cmocka_unit_test(links_at_levels_pass_over_finer_vertices),
      cmocka_unit_test(points_lie_where_catmull_and_clark_say),
      cmocka_unit_test(a_failed_request_changes_nothing),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
