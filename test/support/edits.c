#include "support/edits.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint32_t below(editor *e, uint32_t end) {
  return random_below(&e->random, end);
}

static void collect_darts(editor *e) {
  e->dart_count = 0;
  for (clv_dart d = clv_dart_next(e->map, CLV_NO_DART); d; d = clv_dart_next(e->map, d)) {
    if (e->dart_count == e->dart_capacity) {
      e->dart_capacity = 2 * e->dart_capacity + 64;
      e->darts = realloc(e->darts, e->dart_capacity * sizeof *e->darts);
      assert_non_null(e->darts);
    }
    e->darts[e->dart_count++] = d;
  }
}

static clv_dart any_dart(editor *e) {
  return e->dart_count ? e->darts[below(e, e->dart_count)] : CLV_NO_DART;
}

// A dart whose i-th link is free, or is not; 0 when a few tries found none.
static clv_dart any_dart_with(editor *e, uint32_t i, bool free) {
  if (!e->dart_count) return CLV_NO_DART;
  const uint32_t first = below(e, e->dart_count);
  for (uint32_t k = 0; k < e->dart_count; k++) {
    const clv_dart dart = e->darts[(first + k) % e->dart_count];
    if (clv_is_free(e->map, dart, i) == free) return dart;
  }
  return CLV_NO_DART;
}

static uint32_t any_dimension(editor *e) {
  return random_chance(&e->random, 75) ? e->map->dimension : below(e, e->map->dimension + 1);
}

static void set_place(editor *e, clv_dart dart) {
  double value[3];
  for (uint32_t k = 0; k < 3; k++) value[k] = (double)below(e, 1000) / 250 - 2;
  clv_column *rest = clv_column_find(e->map, "rest"), *pos = clv_column_find(e->map, "pos");
  if (rest) assert_int_equal(clv_column_set(rest, dart, value), CLV_OK);
  if (pos) assert_int_equal(clv_column_set(pos, dart, value), CLV_OK);
}

static bool add_cell(editor *e) {
  const bool flat = e->map->dimension == 2;
  const clv_kind kind = (clv_kind)(flat ? CLV_TRI + below(e, 2) : CLV_TET + below(e, 4));
  clv_dart dart = CLV_NO_DART;
  assert_int_equal(clv_map_add_cell(e->map, kind, &dart), CLV_OK);
  const clv_suborbits *corners = &clv_templates[kind].sub[flat ? 2 : 6]; // <1>, <1,2>
  for (uint32_t c = 0; c < corners->count; c++) set_place(e, dart | corners->first[c]);
  return true;
}

static bool add_polygon(editor *e) {
  clv_dart dart = CLV_NO_DART, at;
  assert_int_equal(clv_map_add_polygon(e->map, 3 + below(e, 4), &dart), CLV_OK);
  at = dart;
  do {
    set_place(e, at);
    at = clv_alpha(e->map, clv_alpha(e->map, at, 0), 1);
  } while (at != dart);
  return true;
}

// Darts of different sides may be sewn without making the map one-sided.
static bool sew_two(editor *e, uint32_t i, clv_dart a, clv_dart b) {
  if (e->orientable && clv_side(e->map, a) == clv_side(e->map, b))
    b = clv_alpha(e->map, b, i > 1 ? 0 : e->map->dimension);
  if (e->orientable && clv_side(e->map, a) == clv_side(e->map, b)) return false;
  return clv_map_sew(e->map, i, a, b) == CLV_OK;
}

static bool sew(editor *e) {
  const uint32_t i = any_dimension(e), n = e->map->dimension;
  const clv_dart a = any_dart_with(e, i, true);
  if (!a) return false;
  if (i == n && random_chance(&e->random, 35)) { // closes a gap
    clv_dart b = clv_alpha(e->map, a, n - 1);
    for (uint32_t k = 0; k < 64 && !clv_is_free(e->map, b, n); k++)
      b = clv_alpha(e->map, clv_alpha(e->map, b, n), n - 1);
    return sew_two(e, i, a, b);
  }
  for (uint32_t k = 0; k < 8; k++) {
    const clv_dart b = any_dart_with(e, i, true);
    if (b && sew_two(e, i, a, b)) return true;
  }
  return false;
}

static bool unsew(editor *e) {
  const uint32_t i = any_dimension(e);
  const clv_dart a = any_dart_with(e, i, false);
  return a && clv_map_unsew(e->map, i, a) == CLV_OK;
}

static bool insert_vertex(editor *e) {
  const clv_dart dart = any_dart(e);
  clv_dart added;
  return dart && clv_map_insert_vertex(e->map, dart, &added) == CLV_OK;
}

static bool insert_edge(editor *e) {
  const clv_dart a = any_dart(e);
  clv_dart b = a, added;
  if (!a) return false;
  const uint32_t steps = 3 + 2 * below(e, 3);
  for (uint32_t k = 0; k < steps; k++) b = clv_alpha(e->map, b, k % 2);
  return clv_map_insert_edge(e->map, a, b, &added) == CLV_OK;
}

static bool insert_face(editor *e) {
  for (uint32_t tries = 0; e->map->dimension == 3 && tries < 12; tries++) {
    clv_dart path[12], added;
    uint32_t length = 0;
    clv_dart at = any_dart(e);
    if (!at) return false;
    const clv_dart first = at;
    do {
      path[length++] = at;
      at = clv_alpha(e->map, clv_alpha(e->map, at, 0), 1);
      while (random_chance(&e->random, 45)) at = clv_alpha(e->map, clv_alpha(e->map, at, 2), 1);
    } while (at != first && length < 12);
    if (at == first && length >= 3 && clv_map_insert_face(e->map, path, length, &added) == CLV_OK) return true;
  }
  return false;
}

static bool links_commute(const clv_map *map, uint32_t i, uint32_t j, clv_dart dart) {
  if (i > map->dimension || j > map->dimension) return true;
  return clv_alpha(map, clv_alpha(map, dart, i), j) == clv_alpha(map, clv_alpha(map, dart, j), i);
}

static bool remove_or_contract(editor *e, bool contract) {
  const uint32_t n = e->map->dimension, i = contract ? 1 + below(e, n) : below(e, n);
  for (uint32_t k = 0; k < 24; k++) {
    const clv_dart dart = any_dart(e);
    if (!dart) return false;
    if (!links_commute(e->map, contract ? i - 1 : i + 1, contract ? i - 2 : i + 2, dart)) continue;
    if ((contract ? clv_map_contract(e->map, i, dart) : clv_map_remove(e->map, i, dart)) == CLV_OK) return true;
  }
  return false;
}

static bool set_value(editor *e) {
  const clv_dart dart = any_dart(e);
  uint32_t columns = 0;
  while (clv_column_list(e->map, columns)) columns++;
  if (!dart || !columns) return false;
  clv_column *column = clv_column_list(e->map, below(e, columns));
  double value[9];
  if (clv_column_get_def(column)->type != CLV_DOUBLE) return false;
  for (uint32_t k = 0; k < 9; k++) value[k] = 0.25 + (double)below(e, 1000) / 500;
  return clv_column_set(column, dart, value) == CLV_OK;
}

static bool try(editor *e, edit_kind kind) {
  switch (kind) {
  case EDIT_ADD_CELL:
    return add_cell(e);
  case EDIT_ADD_POLYGON:
    return add_polygon(e);
  case EDIT_REMOVE_CELL: {
    const clv_dart dart = any_dart(e);
    return dart && clv_map_remove_cell(e->map, dart) == CLV_OK;
  }
  case EDIT_SEW:
    return sew(e);
  case EDIT_UNSEW:
    return unsew(e);
  case EDIT_INSERT_VERTEX:
    return insert_vertex(e);
  case EDIT_INSERT_EDGE:
    return insert_edge(e);
  case EDIT_INSERT_FACE:
    return insert_face(e);
  case EDIT_REMOVE:
    return remove_or_contract(e, false);
  case EDIT_CONTRACT:
    return remove_or_contract(e, true);
  case EDIT_SET_VALUE:
    return set_value(e);
  case EDIT_COUNT:
    break;
  }
  return false;
}

void editor_edit(editor *e) {
  static const uint8_t weights[EDIT_COUNT] = {
      [EDIT_ADD_CELL] = 6, [EDIT_ADD_POLYGON] = 1,   [EDIT_REMOVE_CELL] = 2, [EDIT_SEW] = 26,
      [EDIT_UNSEW] = 10,   [EDIT_INSERT_VERTEX] = 6, [EDIT_INSERT_EDGE] = 8, [EDIT_INSERT_FACE] = 6,
      [EDIT_REMOVE] = 8,   [EDIT_CONTRACT] = 6,      [EDIT_SET_VALUE] = 6};
  collect_darts(e);
  uint32_t total = 0, kind = 0;
  for (uint32_t k = 0; k < EDIT_COUNT; k++) total += weights[k];
  uint32_t at = below(e, total);
  while (at >= weights[kind]) at -= weights[kind++];
  if (e->dart_count < e->small && random_chance(&e->random, 50)) kind = EDIT_ADD_CELL;
  if (e->dart_count > e->large) kind = EDIT_REMOVE_CELL;
  if (!try(e, (edit_kind)kind)) return;
  e->done[kind]++;
  e->edits++;
}

bool editor_transaction(editor *e) {
  assert_int_equal(clv_map_begin(e->map), CLV_OK);
  const uint32_t edits = 1 + below(e, 3);
  for (uint32_t k = 0; k < edits; k++) editor_edit(e);
  if (random_chance(&e->random, 10)) {
    clv_map_rollback(e->map);
    return false;
  }
  if (clv_map_commit(e->map) != CLV_OK) fail_msg("%s", clv_map_error(e->map));
  return true;
}

void editor_free(editor *e) {
  free(e->darts);
  e->darts = NULL;
}
