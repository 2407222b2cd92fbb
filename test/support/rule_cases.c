#include "support/rule_cases.h"

#include "map/level.h"
#include "rule/graph.h"
#include "rule/native.h"
#include "rule/program.h"
#include "support/rule_maps.h"
#include "support/rules.h"
#include "support/small_map.h"

#include <stdlib.h>

enum { TRIES = 100, TRIES_BEFORE = 15, LARGE = 800, LIFE = 24, MISSES = 2, MAPS = 40 };

const rule_case rule_cases[] = {
    {"sew3", RULE_SOLID, RULE_FREE_PAIR, NULL, NULL},
    {"unsew3", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"sew2", RULE_FLAT, RULE_FREE_PAIR, NULL, NULL},
    {"unsew2", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"insert_vertex", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"remove_vertex", RULE_FLAT | RULE_SOLID, RULE_ANY, "insert_vertex", "0"},
    {"split_face", RULE_FLAT | RULE_SOLID, RULE_ACROSS, NULL, NULL},
    {"merge_faces", RULE_FLAT | RULE_SOLID, RULE_ANY, "split_face", ""},
    {"triangulate", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"untriangulate", RULE_FLAT | RULE_SOLID, RULE_ANY, "triangulate", "10"},
    {"wall", RULE_SOLID, RULE_WALLS, NULL, NULL},
    {"join", RULE_SOLID, RULE_WALLS, NULL, NULL},
    {"split_volume", RULE_SOLID, RULE_PATH, NULL, NULL},
    {"merge_volumes", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"remove_tet", RULE_TETS | RULE_MIXED_SOLID, RULE_ANY, NULL, NULL},
    {"remove_volume", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"remove_face", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"bisect_edge", RULE_TRIS, RULE_ANY, NULL, NULL},
    {"halve_tet", RULE_TETS, RULE_ANY, "bisect_edge", ""},
    {"bisect_edge_tets", RULE_TETS, RULE_ANY, NULL, NULL},
    {"refine_edge", RULE_FLAT | RULE_SOLID, RULE_ANY_LEVEL, NULL, NULL},
    {"refine_edges", RULE_FLAT | RULE_SOLID, RULE_FACE_LEVEL, NULL, NULL},
    {"coarsen_edges", RULE_FLAT | RULE_SOLID, RULE_FACE_LEVEL, "refine_edges", ""},
    {"loop", RULE_TRIS | RULE_TETS | RULE_MIXED_FLAT, RULE_FACE_LEVEL, "refine_edges", ""},
    {"unloop", RULE_TRIS | RULE_TETS | RULE_MIXED_FLAT, RULE_FACE_MIDDLE, "refine_face", "K12"},
    {"refine_face", RULE_TRIS | RULE_TETS | RULE_MIXED_FLAT, RULE_FACE_LEVEL, NULL, NULL},
    {"coarsen_face", RULE_TRIS | RULE_TETS | RULE_MIXED_FLAT, RULE_FACE_BELOW, "refine_face", ""},
    {"quad4", RULE_QUADS | RULE_HEXES | RULE_MIXED_FLAT, RULE_FACE_LEVEL, "refine_edges", ""},
    {"unquad4", RULE_QUADS | RULE_HEXES | RULE_MIXED_FLAT, RULE_FACE_MIDDLE, "refine_quad", "K10"},
    {"refine_quad", RULE_QUADS | RULE_HEXES | RULE_MIXED_FLAT, RULE_FACE_LEVEL, NULL, NULL},
    {"coarsen_quad", RULE_QUADS | RULE_HEXES | RULE_MIXED_FLAT, RULE_FACE_BELOW, "refine_quad", ""},
    {"cut_corner", RULE_TETS, RULE_CELL_LEVEL, "refine_triangles", ""},
    {"uncut_corner", RULE_TETS, RULE_CELL_BELOW, "cut_a_corner", ""},
    {"octa4", RULE_TETS, RULE_CELL_INSIDE, "cut_corners", "K123"},
    {"unocta4", RULE_TETS, RULE_CELL_MIDDLE, "refine_tet", "K12321"},
    {"join_octa4", RULE_TETS, RULE_CELL_MIDDLE, "refine_tet", "K12321"},
    {"uncut_corners", RULE_TETS, RULE_CELL_BELOW, "cut_corners", ""},
    {"refine_tet", RULE_TETS, RULE_CELL_LEVEL, NULL, NULL},
    {"refine_tet_short", RULE_TETS, RULE_CELL_LEVEL, NULL, NULL},
    {"coarsen_tet", RULE_TETS, RULE_CELL_BELOW, "refine_tet", ""},
    {"hex8", RULE_HEXES, RULE_CELL_LEVEL, "refine_quadrangles", ""},
    {"unhex8", RULE_HEXES, RULE_CELL_MIDDLE, "refine_hex", "012010"},
    {"refine_hex", RULE_HEXES, RULE_CELL_LEVEL, NULL, NULL},
    {"coarsen_hex", RULE_HEXES, RULE_CELL_BELOW, "refine_hex", ""},
    {"extrude", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"extrude_edge", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"dual", RULE_CLOSED_SOLID, RULE_ANY, NULL, NULL},
    {"dual_surface", RULE_CLOSED_FLAT | RULE_LOOSE, RULE_ANY, NULL, NULL},
    {"quadrangulate", RULE_FLAT | RULE_SOLID | RULE_CLOSED_FLAT, RULE_ANY, NULL, NULL},
    {"catmull_clark", RULE_FLAT | RULE_LOOSE | RULE_CLOSED_FLAT, RULE_ANY, NULL, NULL},
    {"cut", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_edge", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"cut_in_box", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_in_ball", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_edge_in_box", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"cut_edge_in_ball", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"cut_in_rod", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_edge_in_rod", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"mark", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"unmark", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_marked", RULE_SOLID, RULE_ANY, "mark_face", ""},
    {"cut_edge_marked", RULE_FLAT, RULE_ANY, "mark_face", ""},
    {"cut_by_triangle", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_swept", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"cut_edge_by_triangle", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"cut_edge_swept", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"tear", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"tear_edge", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"pierce", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"pierce_face", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"tear_stress", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"tear_edge_stress", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"tear_strain", RULE_SOLID, RULE_ANY, "stretch_cell", ""},
    {"tear_edge_strain", RULE_FLAT, RULE_ANY, "stretch_cell", ""},
    {"name_facet", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"name_edge", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"tear_force", RULE_SOLID, RULE_ANY, "pull_edge", ""},
    {"tear_edge_force", RULE_FLAT, RULE_ANY, "pull_edge_of_surface", ""},
    {"incise", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"incise_edge", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"refine_any", RULE_TETS | RULE_HEXES, RULE_CELL_LEVEL, NULL, NULL},
    {"refine_any_face", RULE_FLAT, RULE_FACE_LEVEL, NULL, NULL},
    {"refine_crossed", RULE_TETS | RULE_HEXES, RULE_CELL_LEVEL, NULL, NULL},
    {"refine_crossed_face", RULE_FLAT, RULE_FACE_LEVEL, NULL, NULL},
    {"insert_on_blade", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"split_crossed", RULE_TETS, RULE_ANY, NULL, NULL},
    {"split_crossed_face", RULE_TRIS, RULE_ANY, NULL, NULL},
    {"aim_at_blade", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"snap", RULE_TETS, RULE_ANY, "aim_at_blade", ""},
    {"snap_face", RULE_TRIS, RULE_ANY, "aim_at_blade", ""},
    {"carry", RULE_TETS, RULE_ANY, "aim_along_edge", ""},
    {"carry_face", RULE_TRIS, RULE_ANY, "aim_along_edge", ""},
    {"slice", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"slice_edge", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"touch_at", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"touch", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"touch_face", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"cut_line", RULE_TETS | RULE_HEXES, RULE_ANY, "touch_edge", ""},
    {"cut_line_face", RULE_FLAT, RULE_ANY, "touch_edge", ""},
    {"press", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"press_face", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"wish_fine", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"wish_coarse", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"wish_near", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"wish_near_face", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"wish_stress", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"wish_gradient", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"wish_gradient_face", RULE_FLAT, RULE_ANY, NULL, NULL},
    {"refine_wished", RULE_TETS | RULE_HEXES, RULE_CELL_LEVEL, NULL, NULL},
    {"refine_wished_face", RULE_FLAT, RULE_FACE_LEVEL, NULL, NULL},
    {"coarsen_wished", RULE_TETS | RULE_HEXES, RULE_CELL_BELOW, "refine_any", ""},
    {"coarsen_wished_face", RULE_FLAT, RULE_FACE_BELOW, "refine_any_face", ""},
    {"ask_octa4", RULE_TETS, RULE_CELL_MIDDLE, "refine_tet", "K12321"},
    {"coarsen_tet_wished", RULE_TETS, RULE_CELL_BELOW, "refine_tet", ""},
    {"coarsen_hex_wished", RULE_HEXES, RULE_CELL_BELOW, "refine_hex", ""},
    {"coarsen_face_wished", RULE_TRIS | RULE_MIXED_FLAT, RULE_FACE_BELOW, "refine_face", ""},
    {"coarsen_quad_wished", RULE_QUADS | RULE_MIXED_FLAT, RULE_FACE_BELOW, "refine_quad", ""},
};
const uint32_t rule_case_count = sizeof rule_cases / sizeof *rule_cases;

// Refused or not, it changes nothing.
static const char only_asks[] = "ask_octa4";

// What some rules need before them: half of what the scripts do in which they are used.
static const char preparing[] =
    "use surgery;\n"
    "script refine_triangles(t, k) { for f:<0^k,1> in <0^k,1,2>(t) { refine_face(f, k); } }\n"
    "script cut_a_corner(t, k) { refine_triangles(t, k); cut_corner(t, k); }\n"
    "script cut_corners(t, k) { refine_triangles(t, k); for c:<1,2> in <0^k,1,2>(t) { cut_corner(c, k); } }\n"
    "script aim_along_edge(v) { v.goal = between(v.pos,v@0.pos,0.1); v.goal_at_rest = between(v.rest,v@0.rest,0.1); }\n"
    "script mark_face(f) { for v:<1> in <0,1>(f) { v.marked = 1; } }\n"
    "script stretch_cell(c) { c.greatest_stretch = 2; c.strain = (1,1,1); }\n"
    "script pull_edge(e) { e.tension = 2; name_facet(e); }\n"
    "script pull_edge_of_surface(e) { e.tension = 2; name_edge(e); }\n"
    "script touch_edge(e) { touch_at(e); e.goal = e.pos; e.goal_at_rest = e.rest; e@0.touched = 1; }\n"
    "script refine_quadrangles(h, k) { for f:<0^k,1> in <0^k,1,2>(h) { refine_quad(f, k); } }\n";
static const rule_case preparations[] = {
    {"refine_triangles", RULE_TETS, RULE_CELL_LEVEL, NULL, NULL},
    {"cut_a_corner", RULE_TETS, RULE_CELL_LEVEL, NULL, NULL},
    {"cut_corners", RULE_TETS, RULE_CELL_LEVEL, NULL, NULL},
    {"refine_quadrangles", RULE_HEXES, RULE_CELL_LEVEL, NULL, NULL},
    {"aim_along_edge", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"touch_edge", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"mark_face", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"stretch_cell", RULE_FLAT | RULE_SOLID, RULE_ANY, NULL, NULL},
    {"pull_edge", RULE_SOLID, RULE_ANY, NULL, NULL},
    {"pull_edge_of_surface", RULE_FLAT, RULE_ANY, NULL, NULL},
};

// A box and a ball that hold some of every map at rest; a blade, a triangle and a sweep that go through where it is.
static const struct {
  const char *name;
  double values[3];
  uint32_t count;
} params[] = {
    {"blade_point", {0.7, 0.3, 0.1}, 3},
    {"blade_up", {1, 0.3, 1}, 3},
    {"tool_point", {1, 1, 0.5}, 3},
    {"tool_reach", {1.2}, 1},
    {"box_least", {-0.1, -0.1, -1}, 3},
    {"box_greatest", {1.2, 1.2, 0.7}, 3},
    {"ball_centre", {0.5, 0.5, 0}, 3},
    {"ball_radius", {1.2}, 1},
    {"triangle_a", {7.1, -20, -20}, 3},
    {"triangle_b", {-10.9, 40, -20}, 3},
    {"triangle_c", {7.1, -20, 40}, 3},
    {"blade_before_a", {7.1, -20, -9}, 3},
    {"blade_before_b", {-10.9, 40, -9}, 3},
    {"blade_after_a", {7.1, -20, 9}, 3},
    {"blade_after_b", {-10.9, 40, 9}, 3},
    {"snap_strain", {9}, 1},
    {"snap_reach", {0.45}, 1},
    {"scalpel_toughness", {1000}, 1},
    {"rod_to", {1, 1, 0.5}, 3},
};

clv_program *rule_cases_program(void) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "preparing.rule", preparing, strlen(preparing)), CLV_OK);
  for (uint32_t k = 0; k < sizeof params / sizeof *params; k++)
    assert_int_equal(clv_program_set_param(program, params[k].name, params[k].values, params[k].count), CLV_OK);
  const clv_result result = clv_program_check(program);
  if (result != CLV_OK) print_diagnostics(program);
  assert_int_equal(result, CLV_OK);
  return program;
}

void rule_leave_nothing_to_the_map(clv_program *program, const char *name) {
  clv_rule *rule = base_arena_take(&program->arena, sizeof *rule);
  assert_non_null(rule);
  *rule = *rule_of(program, name);
  for (uint32_t n = 0; n < 2; n++) {
    rule->unsews[n] = false;
    if (rule->graph) rule->graph->straight[n] = RULE_NOT_STRAIGHT;
  }
  rule_symbol_of(program, name)->meaning = rule;
}

static const rule_case *find_in(const rule_case *table, size_t count, const char *name) {
  for (size_t k = 0; k < count; k++)
    if (!strcmp(table[k].name, name)) return &table[k];
  return NULL;
}

const rule_case *rule_case_of(const char *name) {
  const rule_case *found = find_in(rule_cases, rule_case_count, name);
  if (!found) found = find_in(preparations, sizeof preparations / sizeof *preparations, name);
  if (!found) fail_msg("there is no case '%s'", name);
  return found;
}

void rule_cases_expect_all(void) {
  uint32_t shipped = 0;
  for (const native_text *module = native_modules; module->name; module++) {
    clv_program *program = clv_program_create(NULL);
    clv_declaration found;
    assert_non_null(program);
    assert_int_equal(clv_program_use(program, module->name), CLV_OK);
    for (uint32_t k = 0; clv_program_list(program, k, &found); k++) {
      const bool rule = !strcmp(found.what, "rule") || !strcmp(found.what, "script");
      if (!rule || strcmp(found.file, module->name) != 0) continue;
      if (!find_in(rule_cases, rule_case_count, found.name))
        fail_msg("%s '%s' of rules/%s.rule has no case", found.what, found.name, module->name);
      shipped++;
    }
    clv_program_destroy(program);
  }
  assert_int_equal(shipped, rule_case_count);
}

// Bodies

static void follow(void *user, const clv_map *view, const clv_commit *commit) {
  rule_body *b = user;
  (void)view;
  for (uint32_t k = 0; k < commit->rename_count; k++)
    if (commit->renames[k].before == b->followed) {
      b->followed = commit->renames[k].after;
      return;
    }
}

void rule_body_begin(rule_body *b, clv_map *const *maps) {
  for (uint32_t w = 0; w < b->ways; w++) b->map[w] = maps[w];
  assert_int_equal(clv_map_subscribe(b->map[0], follow, b), CLV_OK);
}

void rule_body_end(rule_body *b) {
  for (uint32_t w = 0; w < b->ways; w++) clv_map_destroy(b->map[w]);
  free(b->darts);
  b->darts = NULL;
}

static void list_darts(rule_body *b) {
  const clv_map *view = b->map[0];
  if (b->darts && b->revision == clv_map_revision(view)) return;
  b->revision = clv_map_revision(view);
  b->darts = realloc(b->darts, (size_t)(clv_dart_count(view) + 1) * sizeof *b->darts);
  assert_non_null(b->darts);
  b->count = b->free_count = 0;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (clv_dart d = clv_dart_next(view, CLV_NO_DART); d; d = clv_dart_next(view, d))
      if (clv_is_free(view, d, view->dimension) == (pass == 0)) b->darts[b->count++] = d;
    if (pass == 0) b->free_count = b->count;
  }
}

static clv_dart any_dart(rule_body *b) {
  list_darts(b);
  return b->darts[random_below(&b->random, b->count)];
}

static clv_dart any_free_dart(rule_body *b) {
  list_darts(b);
  return b->darts[random_below(&b->random, b->free_count ? b->free_count : b->count)];
}

// Places

// Edges from a dart round a part of a volume: along a face; at a corner, now and then, over the edge into the next one.
static uint32_t random_path(rule_body *b, clv_dart dart, clv_dart *path) {
  const clv_map *view = b->map[0];
  const clv_dart first = dart;
  const uint32_t turns = random_below(&b->random, 3);
  uint32_t count = 0;
  do {
    if (count == RULE_PATH_DARTS) return 0;
    path[count++] = dart;
    dart = clv_alpha(view, clv_alpha(view, dart, 0), 1);
    for (uint32_t k = 0; k < turns && dart != first && random_chance(&b->random, 50); k++)
      dart = clv_alpha(view, clv_alpha(view, dart, 2), 1);
  } while (dart != first);
  return count;
}

static clv_dart across_face(rule_body *b, clv_dart dart) {
  const uint32_t steps = 3 + 2 * random_below(&b->random, 4);
  for (uint32_t k = 0; k < steps; k++) dart = clv_alpha(b->map[0], dart, k & 1u);
  return dart;
}

static bool at_level(rule_call *call, int32_t level, int32_t greatest) {
  call->arguments[1].number = level;
  call->count = 2;
  return level >= 0 && level <= greatest;
}

static bool is_corner(const clv_map *view, const rule_call *call) {
  return rule_map_level(view, "lev", call->arguments[0].dart) <= call->arguments[1].number;
}

bool rule_place_choose(rule_body *b, rule_place place, rule_call *call) {
  const clv_map *view = b->map[0];
  const clv_dart dart = any_dart(b);
  const int32_t face = rule_map_level(view, "flev", dart), cell = rule_map_level(view, "vlev", dart);
  memset(call->arguments, 0, sizeof call->arguments);
  call->arguments[0].dart = dart;
  call->count = 1;
  switch (place) {
  case RULE_ANY:
    return true;
  case RULE_FREE_PAIR:
    call->arguments[0].dart = any_free_dart(b);
    call->arguments[1].dart = any_free_dart(b);
    call->count = 2;
    return true;
  case RULE_ACROSS:
    call->arguments[1].dart = across_face(b, dart);
    call->count = 2;
    return true;
  case RULE_PATH:
  case RULE_WALLS:
    call->arguments[0].darts = call->path;
    call->arguments[0].dart_count = random_path(b, dart, call->path);
    return call->arguments[0].dart_count > 0;
  case RULE_ANY_LEVEL:
    return at_level(call, 0, 0);
  case RULE_FACE_LEVEL:
    return at_level(call, face, 2) && is_corner(view, call);
  case RULE_FACE_BELOW:
    return at_level(call, face - 1, 2) && is_corner(view, call);
  case RULE_FACE_MIDDLE:
    return at_level(call, face - 1, 2);
  case RULE_CELL_LEVEL:
    return at_level(call, cell, 1) && is_corner(view, call);
  case RULE_CELL_BELOW:
    return at_level(call, cell - 1, 1) && is_corner(view, call);
  case RULE_CELL_MIDDLE:
    return at_level(call, cell - 1, 1);
  case RULE_CELL_INSIDE:
    return at_level(call, cell, 1);
  }
  return false;
}

static int32_t tell_level(const void *user, clv_dart dart) {
  return rule_map_level(user, "lev", dart);
}

// The end of a way, 0 where it leads nowhere.
static clv_dart end_of_way(const clv_map *view, clv_dart dart, const char *way, int32_t level) {
  const map_levels levels = {.view = view, .at = tell_level, .user = view, .across = true};
  for (; *way; way++) {
    if (!clv_dart_alive(view, dart)) return CLV_NO_DART;
    if (*way != 'K') {
      dart = clv_alpha(view, dart, (uint32_t)(*way - '0'));
    } else if (!map_level_step(&levels, dart, level + 1, &dart)) {
      return CLV_NO_DART;
    }
  }
  return clv_dart_alive(view, dart) ? dart : CLV_NO_DART;
}

// Applying

static void begin_all(rule_body *b) {
  for (uint32_t w = 0; w < b->ways; w++) begin(b->map[w]);
}

static void expect_equal(const rule_body *b, const char *name) {
  for (uint32_t w = 1; w < b->ways; w++) rule_map_expect_equal(b->map[0], b->map[w], name);
}

static void commit_all(rule_body *b, const char *name) {
  for (uint32_t w = 0; w < b->ways; w++)
    if (clv_map_commit(b->map[w]) != CLV_OK) fail_msg("%s: %s", name, clv_map_error(b->map[w]));
  if (clv_map_check(b->map[0], complain, NULL) != CLV_OK) fail_msg("%s broke the map", name);
  clv_map_info info;
  assert_int_equal(clv_map_count(b->map[0], &info), CLV_OK);
  if (info.open_darts) fail_msg("%s left %llu darts open", name, (unsigned long long)info.open_darts);
  if (!info.orientable) fail_msg("%s left a map that has one side only", name);
  expect_equal(b, name);
}

static void expect_same_result(const rule_body *b, const char *name, const clv_result *results) {
  for (uint32_t w = 0; w < b->ways; w++) {
    if (results[w] != CLV_OK && results[w] != CLV_ERROR_REFUSED) fail_msg("%s: %s", name, clv_map_error(b->map[w]));
    if (results[w] != results[0]) fail_msg("%s is refused in one way only", name);
    if (results[w] != CLV_OK) assert_string_equal(clv_map_error(b->map[w]), clv_map_error(b->map[0]));
  }
}

// A rule that has a rank has the same in every way, and where it has one, it is applied without asking again.
static clv_result apply_one(const rule_body *b, uint32_t way, const char *name, const rule_call *call, double *rank) {
  const clv_rule *rule = rule_of(b->program[way], name);
  double mine = 0;
  if (!clv_rule_has_rank(rule)) return clv_rule_apply(rule, b->map[way], call->arguments, call->count, NULL, NULL);
  const clv_result asked = clv_rule_rank(rule, b->map[way], call->arguments, call->count, &mine);
  if (asked != CLV_OK) return asked;
  if (way && mine != *rank) fail_msg("%s ranks %.17g, and %.17g in another way", name, *rank, mine);
  *rank = mine;
  return clv_rule_apply_ranked(rule, b->map[way], call->arguments, call->count);
}

bool rule_body_try(rule_body *b, const char *name, const rule_call *call) {
  const uint64_t revision = clv_map_revision(b->map[0]);
  clv_result results[RULE_WAYS] = {CLV_OK};
  b->followed = call->arguments[0].dart;
  begin_all(b);
  double rank = 0;
  for (uint32_t w = 0; w < b->ways; w++) results[w] = apply_one(b, w, name, call, &rank);
  expect_same_result(b, name, results);
  if (results[0] == CLV_OK) {
    commit_all(b, name);
    return clv_map_revision(b->map[0]) != revision || !strcmp(name, only_asks);
  }
  for (uint32_t w = 0; w < b->ways; w++) assert_int_equal(clv_map_commit(b->map[w]), CLV_OK);
  assert_int_equal(clv_map_revision(b->map[0]), revision);
  return false;
}

// Walls

static bool apply_leaving(rule_body *b, const char *name, const clv_dart *darts, uint32_t count, uint32_t open) {
  clv_result results[RULE_WAYS] = {CLV_OK};
  for (uint32_t w = 0; w < b->ways; w++)
    results[w] = rule_apply_within(rule_of(b->program[w], name), b->map[w], darts, count);
  expect_same_result(b, name, results);
  if (results[0] != CLV_OK) return false;
  for (uint32_t w = 0; w < b->ways; w++) {
    rule_map_expect_links(b->map[w], name);
    if (rule_map_open_darts(b->map[w]) != open)
      fail_msg("%s leaves %u darts open, not %u", name, rule_map_open_darts(b->map[w]), open);
  }
  return true;
}

static bool raise_walls(rule_body *b, const clv_dart *path, uint32_t count) {
  const clv_map *view = b->map[0];
  for (uint32_t k = 0; k < count; k++)
    if (!apply_leaving(b, "wall", &path[k], 1, 4 * (k + 1))) return false;
  for (uint32_t k = 0; k < count; k++) {
    const clv_dart end = clv_alpha(view, clv_alpha(view, path[k], 0), 2),
                   next = clv_alpha(view, path[(k + 1) % count], 2);
    const clv_dart pair[2] = {end, next};
    if (!apply_leaving(b, "join", pair, 2, 4 * (count - k - 1))) return false;
  }
  return true;
}

// Returns how many walls there are, and as many joints.
static uint32_t try_walls(rule_body *b, const rule_call *call) {
  const uint64_t hash = clv_map_hash(b->map[0]);
  const rule_call alone = {.arguments = {{.dart = call->path[0]}}, .count = 1};
  if (rule_body_try(b, "wall", &alone)) fail_msg("a wall that is joined to nothing is not refused");
  begin_all(b);
  if (raise_walls(b, call->path, call->arguments[0].dart_count)) {
    commit_all(b, "a face of walls");
    return call->arguments[0].dart_count;
  }
  for (uint32_t w = 0; w < b->ways; w++) clv_map_rollback(b->map[w]);
  assert_true(clv_map_hash(b->map[0]) == hash);
  expect_equal(b, "a face of walls that was taken back");
  return 0;
}

// Cases

// How often it was applied.
static uint32_t apply_somewhere(rule_body *b, const rule_case *c, rule_call *call, uint32_t tries) {
  for (uint32_t k = 0; k < tries && clv_dart_count(b->map[0]); k++) {
    if (!rule_place_choose(b, c->place, call)) continue;
    const uint32_t done = c->place == RULE_WALLS ? try_walls(b, call) : rule_body_try(b, c->name, call);
    if (done) return done;
  }
  return 0;
}

bool rule_case_try(rule_body *b, const rule_case *c, rule_call *call) {
  return rule_map_serves(b->map[0], c->maps) && apply_somewhere(b, c, call, TRIES) > 0;
}

// Where the rule before it was applied, or anywhere.
static uint32_t apply_after(rule_body *b, const rule_case *c) {
  const rule_case *before = rule_case_of(c->before);
  rule_call call;
  if (apply_somewhere(b, before, &call, TRIES_BEFORE)) {
    call.arguments[0].dart = end_of_way(b->map[0], b->followed, c->way, call.arguments[1].number);
    call.arguments[1].dart = CLV_NO_DART;
    if (c->place == RULE_ANY) call.count = 1;
    if (call.arguments[0].dart && rule_body_try(b, c->name, &call)) return 1;
  } else if (!random_chance(&b->random, 20)) {
    return 0;
  }
  return apply_somewhere(b, c, &call, TRIES);
}

static void disturb(rule_body *b) {
  rule_call call;
  const rule_case *c = &rule_cases[random_below(&b->random, rule_case_count)];
  const bool large = clv_dart_count(b->map[0]) > LARGE / 4;
  const bool grows = !strcmp(c->name, "quadrangulate") || !strcmp(c->name, "catmull_clark");
  if (!(grows && large)) rule_case_try(b, c, &call);
}

uint32_t rule_case_run(rule_body *b, const rule_case *c, uint32_t times) {
  uint32_t done = 0, maps = 0;
  while (done < times) {
    clv_map *equal[RULE_WAYS];
    random_source same = b->random;
    for (uint32_t w = 0; w < b->ways; w++) {
      b->random = same;
      equal[w] = rule_map_random(&b->random, c->maps);
    }
    rule_body_begin(b, equal);
    if (++maps > MAPS * times) fail_msg("%s was applied %u times only", c->name, done);
    uint32_t missed = 0;
    for (uint32_t age = 0; age < LIFE && done < times && missed < MISSES && clv_dart_count(b->map[0]) < LARGE; age++) {
      if (random_chance(&b->random, 30)) disturb(b);
      rule_call call;
      const uint32_t applied = c->before ? apply_after(b, c) : apply_somewhere(b, c, &call, TRIES);
      done += applied;
      missed += !applied;
    }
    rule_body_end(b);
  }
  return maps;
}
