// The check finds what is broken: each condition is broken by hand, inside the map's storage, and must be reported
// under its name and at the dart that is to blame; mended again, the map is sound.

#include "cleave/mesh.h"
#include "embed/embed.h"
#include "map/store.h"
#include "support/counting_allocator.h"

// Two cubes sewn together, a third with a hanging vertex, a prism over a pentagon; rows, records and ids that were used
// before.
typedef struct patient {
  clv_map *map;
  clv_dart left, right, extended, explicit_dart;
  clv_column *vertex, *corner;
} patient;

static clv_dart add_cell(clv_map *view, clv_kind kind) {
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_cell(view, kind, &dart), CLV_OK);
  return dart;
}

static clv_dart add_pentagonal_prism(clv_map *view) {
  static const uint32_t sizes[] = {5, 4, 4, 4, 4, 4, 5};
  static const uint32_t corners[] = {0, 1, 2, 3, 4, 0, 1, 6, 5, 1, 2, 7, 6, 2, 3,
                                     8, 7, 3, 4, 9, 8, 4, 0, 5, 9, 5, 6, 7, 8, 9};
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_polyhedron(view, 7, sizes, corners, &dart), CLV_OK);
  return dart;
}

static patient admit(void) {
  patient p;
  const clv_map_def def = clv_default_map_def();
  p.map = clv_map_create(&def, NULL);
  assert_non_null(p.map);
  assert_int_equal(clv_map_number(p.map, CLV_EDGE), CLV_OK);
  assert_int_equal(
      clv_column_create(p.map, &(clv_column_def){.name = "v", .orbit = CLV_VERTEX, .components = 1}, &p.vertex),
      CLV_OK);
  assert_int_equal(
      clv_column_create(p.map, &(clv_column_def){.name = "c", .orbit = CLV_CORNER, .components = 1}, &p.corner),
      CLV_OK);
  clv_dart gone[3];
  assert_int_equal(clv_map_begin(p.map), CLV_OK);
  p.left = add_cell(p.map, CLV_HEX);
  p.right = add_cell(p.map, CLV_HEX);
  p.extended = add_cell(p.map, CLV_HEX);
  p.explicit_dart = add_pentagonal_prism(p.map);
  for (uint32_t k = 0; k < 3; k++) gone[k] = k ? add_cell(p.map, CLV_TET) : add_pentagonal_prism(p.map);
  assert_int_equal(clv_map_sew(p.map, 3, p.left, p.right), CLV_OK);
  assert_int_equal(clv_map_insert_vertex(p.map, p.extended, NULL), CLV_OK);
  assert_int_equal(clv_map_commit(p.map), CLV_OK);
  assert_int_equal(clv_map_begin(p.map), CLV_OK);
  for (uint32_t k = 0; k < 3; k++) assert_int_equal(clv_map_remove_cell(p.map, gone[k]), CLV_OK);
  assert_int_equal(clv_map_commit(p.map), CLV_OK);
  return p;
}

// What the check says

typedef struct findings {
  const char *condition;
  clv_dart culprit;
  uint32_t count;
  bool first_is_right, culprit_named;
} findings;

// A link that does not come back spoils the squares it is part of, too.
static bool follows(const char *condition, const char *from) {
  return !strcmp(from, "involution") && !strcmp(condition, "commutation");
}

static void note(void *user, const clv_problem *problem) {
  findings *f = user;
  const bool right = !strcmp(problem->condition, f->condition);
  if (follows(problem->condition, f->condition)) return;
  if (f->count++ == 0) f->first_is_right = right;
  if (!f->first_is_right) print_error("%s: %s\n", problem->condition, problem->message);
  assert_true(strlen(problem->message) > 0);
  for (uint32_t k = 0; right && k < 4; k++) f->culprit_named |= problem->darts[k] == f->culprit;
}

// Broken: the first thing reported is the condition, and some report of it names the culprit (none where there is no
// dart to blame).
static void assert_finds(const clv_map *view, const char *condition, clv_dart culprit) {
  findings f = {.condition = condition, .culprit = culprit};
  assert_int_equal(clv_map_check(view, note, &f), CLV_ERROR_INVALID);
  assert_true(f.count > 0);
  assert_true(f.first_is_right);
  assert_true(f.culprit_named);
  assert_int_equal(clv_map_check(view, NULL, NULL), CLV_ERROR_INVALID); // nobody has to listen
}

static void assert_sound(const clv_map *view) {
  findings f = {.condition = ""};
  assert_int_equal(clv_map_check(view, note, &f), CLV_OK);
  assert_int_equal(f.count, 0);
}

// Breaks one word of the storage, looks, and mends it.
static void assert_word(const patient *p, uint32_t *word, uint32_t wrong, const char *condition, clv_dart culprit) {
  const uint32_t right = *word;
  assert_int_not_equal(wrong, right);
  *word = wrong;
  assert_finds(p->map, condition, culprit);
  *word = right;
  assert_sound(p->map);
}

static uint32_t *link_of(const patient *p, clv_dart cell, uint32_t facet) {
  map *m = map_of(p->map);
  const clv_page page = map_page(m, cell);
  return &m->rows[page.kind].data.data[map_row(page, cell) * m->rows[page.kind].words + facet];
}

static uint32_t *alpha_of(const patient *p, clv_dart dart, uint32_t i) {
  map *m = map_of(p->map);
  return &m->records.alpha.data[4 * map_record(m, dart) + i];
}

static map_index *index_of(const patient *p, clv_orbit orbit) {
  map_index *index = map_of(p->map)->indices[clv_orbit_dims(p->map, orbit)];
  assert_non_null(index);
  return index;
}

// The facet of dart 0 of a cell, and another that is free.
static uint32_t own_facet(const patient *p, clv_dart dart) {
  return clv_templates[map_page(map_of(p->map), dart).kind].facet[dart & 63u];
}

// Sound maps

static void intact_maps_are_sound(void **state) {
  (void)state;
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
    clv_grid_def grid = clv_default_grid_def();
    clv_mesh mesh;
    clv_map *view = NULL;
    grid.kind = (clv_grid_kind)kind;
    for (uint32_t k = 0; k < 3; k++) grid.cells[k] = 2;
    clv_mesh_init(&mesh, NULL);
    assert_int_equal(clv_mesh_grid(&mesh, &grid, NULL), CLV_OK);
    assert_int_equal(clv_mesh_build(&mesh, NULL, &view, NULL, NULL), CLV_OK);
    assert_int_equal(clv_map_number(view, CLV_EDGE), CLV_OK);
    assert_sound(view);
    clv_map_destroy(view);
    clv_mesh_free(&mesh);
  }
  const patient p = admit();
  assert_sound(p.map);
  clv_map_destroy(p.map);
}

static void an_open_transaction_is_no_time_for_a_check(void **state) {
  (void)state;
  const patient p = admit();
  findings f = {.condition = "transaction"};
  assert_int_equal(clv_map_begin(p.map), CLV_OK);
  assert_int_equal(clv_map_check(p.map, note, &f), CLV_ERROR_ARGUMENT);
  assert_true(f.first_is_right);
  clv_map_rollback(p.map);
  assert_sound(p.map);
  clv_map_destroy(p.map);
}

// Links

static void a_link_that_does_not_come_back(void **state) {
  (void)state;
  const patient p = admit();
  uint32_t *link = link_of(&p, p.left, own_facet(&p, p.left));
  assert_word(&p, link, p.right + 10, "involution", p.left); // another facet there
  assert_word(&p, link, p.right + 1, "involution", p.left);  // the right facet, turned
  assert_word(&p, link, CLV_NO_DART, "involution", p.right); // one side only
  assert_word(&p, alpha_of(&p, p.extended, 0), p.extended, "involution", clv_alpha(p.map, p.extended, 0));
  assert_word(&p, alpha_of(&p, p.explicit_dart, 2), p.explicit_dart, "involution", p.explicit_dart);
  clv_map_destroy(p.map);
}

// Two edges of an explicit cell exchange their ends across a face: involutions still, but a0 and a2 do not commute.
static void links_that_do_not_commute(void **state) {
  (void)state;
  const patient p = admit();
  const clv_dart a = p.explicit_dart, b = clv_alpha(p.map, a, 2), c = clv_alpha(p.map, clv_alpha(p.map, a, 0), 1),
                 d = clv_alpha(p.map, c, 2);
  const clv_dart from[4] = {a, d, c, b}, to[4] = {d, a, b, c};
  for (uint32_t k = 0; k < 4; k++) *alpha_of(&p, from[k], 2) = to[k];
  assert_finds(p.map, "commutation", a);
  assert_finds(p.map, "commutation", c);
  const clv_dart mended[4] = {b, c, d, a};
  for (uint32_t k = 0; k < 4; k++) *alpha_of(&p, from[k], 2) = mended[k];
  assert_sound(p.map);
  clv_map_destroy(p.map);
}

static void a_link_to_what_is_gone(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  const clv_dart dead_cell = map_cell_dart(m, CLV_TET, 0);
  assert_false(clv_dart_alive(p.map, dead_cell));
  assert_word(&p, link_of(&p, p.right, 3), dead_cell, "dangling", p.right | clv_templates[CLV_HEX].facet_first[3]);
  clv_dart dead_dart = CLV_NO_DART;
  for (uint32_t record = 0; record < m->records.count && !dead_dart; record++)
    if (!m->records.name.data[record]) dead_dart = map_record_name(m, record);
  assert_int_not_equal(dead_dart, CLV_NO_DART);
  assert_word(&p, alpha_of(&p, p.explicit_dart, 1), dead_dart, "dangling", p.explicit_dart);
  assert_word(&p, alpha_of(&p, p.extended + 5, 3), dead_dart, "dangling", p.extended + 5);
  assert_word(&p, alpha_of(&p, p.extended + 5, 3), UINT32_MAX, "dangling", p.extended + 5);
  clv_map_destroy(p.map);
}

// A page that does not exist must not be looked up.
static void a_link_out_of_the_map(void **state) {
  (void)state;
  const patient p = admit();
  const clv_dart first = p.right | clv_templates[CLV_HEX].facet_first[3];
  assert_word(&p, link_of(&p, p.right, 3), UINT32_MAX, "dangling", first);
  assert_word(&p, link_of(&p, p.right, 3), p.left + 60, "dangling", first); // a hexahedron has 48 darts
  clv_map_destroy(p.map);
}

// Orientation

static void a_cell_on_the_wrong_side(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  const uint32_t row = map_row(map_page(m, p.right), p.right);
  m->rows[CLV_HEX].state.data[row] ^= MAP_TURNED;
  assert_finds(p.map, "orientation", p.right);
  m->rows[CLV_HEX].state.data[row] ^= MAP_TURNED;
  assert_sound(p.map);
  clv_map_destroy(p.map);
}

static void a_dart_on_the_wrong_side(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  uint32_t *cell = &m->records.cell.data[map_record(m, p.explicit_dart)];
  assert_word(&p, cell, *cell ^ MAP_SIDE, "orientation", p.explicit_dart);
  assert_word(&p, &m->twisted, 1, "orientation", CLV_NO_DART);
  clv_map_destroy(p.map);
}

// Cells

static void miscounted_darts(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  assert_word(&p, &m->records.alive, m->records.alive + 1, "dart-count", CLV_NO_DART);
  assert_word(&p, &m->rows[CLV_HEX].alive, 2, "dart-count", CLV_NO_DART);
  assert_word(&p, &m->rows[CLV_POLYHEDRON].alive, 7, "cell-count", CLV_NO_DART);
  clv_map_destroy(p.map);
}

static void explicit_cells_that_do_not_know_themselves(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  uint32_t *row = link_of(&p, map_block(m, p.explicit_dart) << 6, 0); // first dart, number of darts
  const uint32_t record = map_record(m, clv_alpha(p.map, p.explicit_dart, 0));
  uint32_t *names_cell = &m->records.cell.data[record];
  assert_word(&p, &row[1], row[1] - 1, "cell-size", row[0]);
  assert_word(&p, &row[0], p.left + 63, "cell-dart", p.left + 63);
  assert_word(&p, &row[0], p.left, "cell-size", p.left);
  assert_word(&p, names_cell, (*names_cell & MAP_SIDE) | p.left >> 6, "cell-of-dart", m->records.name.data[record]);
  // A dart of the extended cell's hanging vertex claims to be of another.
  const clv_dart hanging = clv_alpha(p.map, p.extended, 0);
  uint32_t *claim = &m->records.cell.data[map_record(m, hanging)];
  assert_word(&p, claim, (*claim & MAP_SIDE) | p.right >> 6, "cell-of-dart", hanging);
  clv_map_destroy(p.map);
}

// Ids

static void a_corner_with_a_wrong_vertex(void **state) {
  (void)state;
  const patient p = admit();
  const map *m = map_of(p.map);
  map_index *vertices = index_of(&p, CLV_VERTEX);
  const uint32_t row = map_row(map_page(m, p.right), p.right);
  uint32_t *id = &vertices->ids[CLV_HEX].data[8 * row + clv_templates[CLV_HEX].sub[6].of[0]];
  const clv_dart place = p.right | clv_templates[CLV_HEX].sub[6].first[clv_templates[CLV_HEX].sub[6].of[0]];
  uint32_t dead = 1;
  while (vertices->generation.data[dead] & 1u) dead++;
  assert_true(dead < vertices->count);
  assert_word(&p, id, clv_id_of(p.map, CLV_VERTEX, p.left + 20).index, "orbit-id", place);
  assert_word(&p, id, dead, "orbit-id", place);
  assert_word(&p, id, 0, "orbit-id", place);
  assert_word(&p, id, 1000000, "orbit-id", place);
  clv_map_destroy(p.map);
}

// The whole orbit agrees, on an id that does not exist.
static void an_orbit_with_a_dead_id(void **state) {
  (void)state;
  const patient p = admit();
  map_index *edges = index_of(&p, CLV_EDGE);
  const clv_id id = clv_id_of(p.map, CLV_EDGE, p.left);
  edges->generation.data[id.index]++;
  assert_finds(p.map, "orbit-id", clv_dart_next(p.map, 0));
  edges->generation.data[id.index]--;
  assert_sound(p.map);
  clv_map_destroy(p.map);
}

// A free edge of one cell takes the id of another's: each orbit agrees with itself, and two have one id.
static void two_orbits_with_one_id(void **state) {
  (void)state;
  const patient p = admit();
  const map *m = map_of(p.map);
  map_index *edges = index_of(&p, CLV_EDGE);
  const clv_suborbits *sub = &clv_templates[CLV_HEX].sub[edges->inner];
  const clv_dart free_edge = p.right + 40, other = p.left + 40;
  const uint32_t row = map_row(map_page(m, p.right), p.right);
  uint32_t *id = &edges->ids[CLV_HEX].data[sub->count * row + sub->of[free_edge & 63u]];
  assert_word(&p, id, clv_id_of(p.map, CLV_EDGE, other).index, "orbit-dart",
              edges->dart.data[clv_id_of(p.map, CLV_EDGE, other).index]);
  clv_map_destroy(p.map);
}

static void ids_that_remember_wrongly(void **state) {
  (void)state;
  const patient p = admit();
  const map *m = map_of(p.map);
  map_index *vertices = index_of(&p, CLV_VERTEX);
  uint32_t *remembered = &vertices->dart.data[clv_id_of(p.map, CLV_VERTEX, p.left).index];
  const clv_dart dead = map_cell_dart(m, CLV_TET, 0);
  assert_word(&p, remembered, p.left + 30, "orbit-dart", p.left + 30);
  assert_word(&p, remembered, dead, "orbit-dart", dead);
  assert_word(&p, remembered, UINT32_MAX, "orbit-dart", UINT32_MAX);
  assert_word(&p, &vertices->alive, vertices->alive + 1, "orbit-count", CLV_NO_DART);
  clv_map_destroy(p.map);
}

// An extended cell keeps its ids twice: in its records, and in its row.
static void a_row_and_its_records_disagree(void **state) {
  (void)state;
  const patient p = admit();
  const map *m = map_of(p.map);
  map_index *vertices = index_of(&p, CLV_VERTEX);
  const uint32_t row = map_row(map_page(m, p.extended), p.extended);
  for (uint32_t c = 0; c < 8; c++) {
    const clv_dart first = p.extended | clv_templates[CLV_HEX].sub[6].first[c];
    assert_word(&p, &vertices->ids[CLV_HEX].data[8 * row + c], 1, "row-id", first);
  }
  clv_map_destroy(p.map);
}

// Free lists

static void free_lists_that_are_cut(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  map_index *vertices = index_of(&p, CLV_VERTEX);
  assert_int_not_equal(m->rows[CLV_TET].free, 0);
  assert_word(&p, &m->rows[CLV_TET].free, 0, "free-list", CLV_NO_DART);
  assert_word(&p, &m->rows[CLV_TET].free, 1000, "free-list", CLV_NO_DART);
  assert_word(&p, &m->rows[CLV_POLYHEDRON].free, 0, "free-list", CLV_NO_DART);
  assert_word(&p, &vertices->free, 0, "free-list", CLV_NO_DART);
  const uint32_t next = m->rows[CLV_TET].free - 1; // it follows itself
  assert_word(&p, &m->rows[CLV_TET].data.data[next * m->rows[CLV_TET].words], next + 1, "free-list", CLV_NO_DART);
  clv_map_destroy(p.map);
}

// A living row, id or record that would be handed out again.
static void free_lists_of_the_living(void **state) {
  (void)state;
  const patient p = admit();
  map *m = map_of(p.map);
  map_index *vertices = index_of(&p, CLV_VERTEX);
  uint32_t *last = &vertices->free; // the end of the list
  while (vertices->dart.data[*last]) last = &vertices->dart.data[*last];
  assert_word(&p, last, clv_id_of(p.map, CLV_VERTEX, p.left).index, "free-list", CLV_NO_DART);
  assert_int_not_equal(m->records.free[1], 0);
  assert_word(&p, &m->records.free[1], map_record(m, p.explicit_dart) + 1, "free-list", CLV_NO_DART);
  assert_word(&p, &m->records.free[1], 0, "free-list", CLV_NO_DART);
  clv_map_destroy(p.map);
}

// Columns

static void columns_that_are_too_short(void **state) {
  (void)state;
  const patient p = admit();
  assert_word(&p, &p.vertex->slots.capacity, 3, "column-size", CLV_NO_DART);
  assert_word(&p, &p.corner->rows[CLV_HEX].capacity, 8, "column-size", CLV_NO_DART);
  clv_map_destroy(p.map);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(intact_maps_are_sound),
      cmocka_unit_test(an_open_transaction_is_no_time_for_a_check),
      cmocka_unit_test(a_link_that_does_not_come_back),
      cmocka_unit_test(links_that_do_not_commute),
      cmocka_unit_test(a_link_to_what_is_gone),
      cmocka_unit_test(a_link_out_of_the_map),
      cmocka_unit_test(a_cell_on_the_wrong_side),
      cmocka_unit_test(a_dart_on_the_wrong_side),
      cmocka_unit_test(miscounted_darts),
      cmocka_unit_test(explicit_cells_that_do_not_know_themselves),
      cmocka_unit_test(a_corner_with_a_wrong_vertex),
      cmocka_unit_test(an_orbit_with_a_dead_id),
      cmocka_unit_test(two_orbits_with_one_id),
      cmocka_unit_test(ids_that_remember_wrongly),
      cmocka_unit_test(a_row_and_its_records_disagree),
      cmocka_unit_test(free_lists_that_are_cut),
      cmocka_unit_test(free_lists_of_the_living),
      cmocka_unit_test(columns_that_are_too_short),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
