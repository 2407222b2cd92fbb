// Twins: the correspondence of darts, and operations done to both. compare.h tells the idea.

#include "support/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void twins_fail(const twins *t, const char *format, ...) {
  char message[512];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  fail_msg("%s: %s", t->where, message);
}

void twins_trace(const twins *t, const char *format, ...) {
  if (!t->trace) return;
  va_list arguments;
  va_start(arguments, format);
  vfprintf(stderr, format, arguments);
  va_end(arguments);
}

// The correspondence

static void pair(twins *t, clv_dart kernel, ref_dart naive) {
  if (!clv_dart_alive(t->map, kernel)) twins_fail(t, "dart %u is dead, naive dart %u is not", kernel, naive);
  if (kernel >= t->names) {
    const uint32_t names = kernel + 65536u;
    t->naive_of = realloc(t->naive_of, names * sizeof *t->naive_of);
    assert_non_null(t->naive_of);
    memset(t->naive_of + t->names, 0, (names - t->names) * sizeof *t->naive_of);
    t->names = names;
  }
  if (t->naive_of[kernel]) twins_fail(t, "dart %u stands for two: %u and %u", kernel, t->naive_of[kernel], naive);
  t->naive_of[kernel] = naive;
  t->kernel_of[naive] = kernel;
}

static void unpair(twins *t, ref_dart naive) {
  t->naive_of[t->kernel_of[naive]] = 0;
  t->kernel_of[naive] = CLV_NO_DART;
}

// Pairs what is reached from two darts that correspond, up to darts that are paired already.
static void pair_all(twins *t, clv_dart kernel, ref_dart naive) {
  ref_dart queue[REFERENCE_DARTS];
  uint32_t count = 0;
  pair(t, kernel, naive);
  queue[count++] = naive;
  for (uint32_t k = 0; k < count; k++)
    for (uint32_t i = 0; i <= t->naive.dimension; i++) {
      const ref_dart next = t->naive.alpha[queue[k]][i];
      if (t->kernel_of[next]) continue;
      pair(t, clv_alpha(t->map, t->kernel_of[queue[k]], i), next);
      queue[count++] = next;
    }
}

static void unpair_deleted(twins *t) {
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (!t->kernel_of[d] || reference_alive(&t->naive, (ref_dart)d)) continue;
    if (clv_dart_alive(t->map, t->kernel_of[d]))
      twins_fail(t, "dart %u is alive, naive dart %u is not", t->kernel_of[d], d);
    unpair(t, (ref_dart)d);
  }
}

static void compare_links(const twins *t) {
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (!reference_alive(&t->naive, (ref_dart)d)) continue;
    const clv_dart kernel = t->kernel_of[d];
    if (!kernel || !clv_dart_alive(t->map, kernel)) twins_fail(t, "naive dart %u has no partner alive", d);
    for (uint32_t i = 0; i < 4; i++) {
      const clv_dart expected = t->kernel_of[t->naive.alpha[d][i]], found = clv_alpha(t->map, kernel, i);
      if (found != expected) twins_fail(t, "link %u of dart %u is %u, not %u", i, kernel, found, expected);
    }
  }
  if (clv_dart_count(t->map) != t->naive.count)
    twins_fail(t, "%u darts, not %u", (unsigned)clv_dart_count(t->map), t->naive.count);
}

static void compare_names(const twins *t) {
  uint32_t count = 0;
  for (clv_dart d = clv_dart_next(t->map, CLV_NO_DART); d; d = clv_dart_next(t->map, d)) {
    if (!twins_naive(t, d)) twins_fail(t, "dart %u exists for nobody", d);
    count++;
  }
  if (count != t->naive.count) twins_fail(t, "%u darts can be visited, not %u", count, t->naive.count);
}

void twins_find_equal(const twins *t, const ref_dart *label, const ref_dart *past, bool equal[REFERENCE_DARTS]) {
  uint32_t size[REFERENCE_DARTS] = {0}, past_size[REFERENCE_DARTS] = {0};
  for (uint32_t d = 1; d < t->naive.end; d++) {
    equal[d] = label[d] == d;
    size[label[d]]++;
    past_size[past[d]]++;
  }
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (!past[d] || past[d] != past[label[d]] || past_size[past[d]] != size[label[d]]) equal[label[d]] = false;
}

// Transactions

// Darts change their names all at once, so that they can also change places.
static void follow_renames(twins *t, const clv_commit *commit) {
  ref_dart *moved = calloc(commit->rename_count + 1, sizeof *moved);
  assert_non_null(moved);
  for (uint32_t k = 0; k < commit->rename_count; k++) {
    const clv_dart before = commit->renames[k].before;
    moved[k] = twins_naive(t, before);
    if (!moved[k]) twins_fail(t, "dart %u was renamed, which did not exist or was renamed before", before);
    unpair(t, moved[k]);
  }
  for (uint32_t k = 0; k < commit->rename_count; k++) pair(t, commit->renames[k].after, moved[k]);
  free(moved);
}

static void listen(void *user, const clv_map *map, const clv_commit *commit) {
  twins *t = user;
  assert_ptr_equal(map, t->map);
  if (commit->revision != clv_map_revision(map) || commit->revision != t->revision + 1)
    twins_fail(t, "revision %u was told after %u", (unsigned)commit->revision, (unsigned)t->revision);
  t->revision = commit->revision;
  t->event_count = commit->event_count;
  t->events = realloc(t->events, (commit->event_count + 1) * sizeof *t->events);
  assert_non_null(t->events);
  if (commit->event_count) memcpy(t->events, commit->events, commit->event_count * sizeof *t->events);
  follow_renames(t, commit);
}

void twins_begin(twins *t) {
  reference_settle(&t->naive);
  t->birth_count = t->set_count = 0;
  memset(t->born, 0, sizeof t->born);
  for (uint32_t k = 0; k < t->column_count; k++) {
    twins_column *c = &t->columns[k];
    memset(c->said, 0, sizeof c->said);
    for (uint32_t d = 0; d < REFERENCE_DARTS; d++) c->aged[d] = d < t->naive.end && c->now.label[d];
  }
  t->naive_at_begin = t->naive;
  memcpy(t->kernel_at_begin, t->kernel_of, sizeof t->kernel_of);
  t->hash_at_begin = clv_map_hash(t->map);
  twins_trace(t, "begin\n");
  assert_int_equal(clv_map_begin(t->map), CLV_OK);
}

static void print_problem(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static void compare_all(twins *t) {
  compare_links(t);
  compare_names(t);
  if (clv_map_check(t->map, print_problem, NULL) != CLV_OK) twins_fail(t, "the map is broken");
}

void twins_commit(twins *t) {
  twins_trace(t, "commit\n");
  const uint64_t before = t->revision;
  t->commits++;
  t->event_count = 0;
  if (clv_map_commit(t->map) != CLV_OK) twins_fail(t, "the commit failed: %s", clv_map_error(t->map));
  if (t->revision == before) { // nothing was done, or everything was refused
    if (clv_map_hash(t->map) != t->hash_at_begin) twins_fail(t, "the map changed, but its revision did not");
    return;
  }
  compare_all(t);
  twins_check_ids(t);
  twins_check_values(t);
  twins_check_shape(t);
}

void twins_rollback(twins *t) {
  twins_trace(t, "rollback\n");
  clv_map_rollback(t->map);
  if (clv_map_hash(t->map) != t->hash_at_begin) twins_fail(t, "the map is not as it was before the rollback");
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (t->kernel_of[d]) unpair(t, (ref_dart)d);
  t->naive = t->naive_at_begin;
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (t->kernel_at_begin[d]) pair(t, t->kernel_at_begin[d], (ref_dart)d);
  compare_all(t);
}

// Operations

// True when both did it, false when both refused.
static bool agree(const twins *t, const char *what, bool done, clv_result result) {
  twins_trace(t, " -> %s\n", clv_result_name(result));
  const clv_result expected = done ? CLV_OK : CLV_ERROR_REFUSED;
  if (result != expected)
    twins_fail(t, "%s: %s instead of %s (%s)", what, clv_result_name(result), clv_result_name(expected),
               result == CLV_OK ? "" : clv_map_error(t->map));
  return done;
}

static bool after(twins *t, const char *what, bool done, clv_result result) {
  agree(t, what, done, result);
  unpair_deleted(t);
  compare_links(t);
  twins_spread(t);
  return done;
}

static bool after_adding(twins *t, const char *what, bool done, clv_result result, clv_dart kernel, ref_dart naive) {
  if (agree(t, what, done, result)) pair_all(t, kernel, naive);
  compare_links(t);
  twins_spread(t);
  return done;
}

// The names inside a template cell are promised, so they are paired by name and not by what can be reached.
ref_dart twins_add_cell(twins *t, clv_kind kind) {
  twins_trace(t, "add_cell %s", clv_kind_name(kind));
  const uint32_t count = t->naive.count;
  const ref_dart naive = reference_add_cell(&t->naive, kind);
  clv_dart kernel = CLV_NO_DART;
  agree(t, "add_cell", true, clv_map_add_cell(t->map, kind, &kernel));
  for (uint32_t l = 0; l < t->naive.count - count; l++) pair(t, kernel + l, (ref_dart)(naive + l));
  compare_links(t);
  return naive;
}

ref_dart twins_add_polygon(twins *t, uint32_t sides) {
  twins_trace(t, "add_polygon %u", sides);
  const ref_dart naive = reference_add_polygon(&t->naive, sides);
  clv_dart kernel = CLV_NO_DART;
  const clv_result result = clv_map_add_polygon(t->map, sides, &kernel);
  after_adding(t, "add_polygon", true, result, kernel, naive);
  return naive;
}

bool twins_add_polyhedron(twins *t, uint32_t face_count, const uint32_t *sizes, const uint32_t *corners,
                          ref_dart *dart) {
  twins_trace(t, "add_polyhedron %u", face_count);
  const bool done = reference_add_polyhedron(&t->naive, face_count, sizes, corners, dart);
  clv_dart kernel = CLV_NO_DART;
  const clv_result result = clv_map_add_polyhedron(t->map, face_count, sizes, corners, &kernel);
  return after_adding(t, "add_polyhedron", done, result, kernel, *dart);
}

bool twins_sew(twins *t, uint32_t i, ref_dart a, ref_dart b) {
  twins_trace(t, "sew %u %u %u", i, t->kernel_of[a], t->kernel_of[b]);
  const clv_result result = clv_map_sew(t->map, i, t->kernel_of[a], t->kernel_of[b]);
  return after(t, "sew", reference_sew(&t->naive, i, a, b), result);
}

bool twins_unsew(twins *t, uint32_t i, ref_dart dart) {
  twins_trace(t, "unsew %u %u", i, t->kernel_of[dart]);
  const clv_result result = clv_map_unsew(t->map, i, t->kernel_of[dart]);
  return after(t, "unsew", reference_unsew(&t->naive, i, dart), result);
}

bool twins_insert_vertex(twins *t, ref_dart dart, ref_dart *added) {
  twins_trace(t, "insert_vertex %u", t->kernel_of[dart]);
  clv_dart kernel = CLV_NO_DART;
  const clv_result result = clv_map_insert_vertex(t->map, t->kernel_of[dart], &kernel);
  const ref_dart end = t->naive.alpha[dart][0];
  const bool done = reference_insert_vertex(&t->naive, dart, added);
  assert_true(t->birth_count < TWINS_NOTES);
  if (done) t->births[t->birth_count++] = (twins_birth){*added, {dart, end}};
  if (done) t->born[*added] = (uint8_t)t->birth_count;
  return after_adding(t, "insert_vertex", done, result, kernel, *added);
}

bool twins_insert_edge(twins *t, ref_dart a, ref_dart b, ref_dart *added) {
  twins_trace(t, "insert_edge %u %u", t->kernel_of[a], t->kernel_of[b]);
  clv_dart kernel = CLV_NO_DART;
  const clv_result result = clv_map_insert_edge(t->map, t->kernel_of[a], t->kernel_of[b], &kernel);
  const bool done = reference_insert_edge(&t->naive, a, b, added);
  return after_adding(t, "insert_edge", done, result, kernel, *added);
}

bool twins_insert_face(twins *t, const ref_dart *path, uint32_t length, ref_dart *added) {
  twins_trace(t, "insert_face");
  clv_dart kernel = CLV_NO_DART, kernel_path[REFERENCE_DARTS];
  for (uint32_t k = 0; k < length; k++) {
    kernel_path[k] = t->kernel_of[path[k]];
    twins_trace(t, " %u", kernel_path[k]);
  }
  const clv_result result = clv_map_insert_face(t->map, kernel_path, length, &kernel);
  const bool done = reference_insert_face(&t->naive, path, length, added);
  return after_adding(t, "insert_face", done, result, kernel, *added);
}

void twins_remove_cell(twins *t, ref_dart dart) {
  twins_trace(t, "remove_cell %u", t->kernel_of[dart]);
  const clv_result result = clv_map_remove_cell(t->map, t->kernel_of[dart]);
  reference_remove_cell(&t->naive, dart);
  after(t, "remove_cell", true, result);
}

bool twins_remove(twins *t, uint32_t i, ref_dart dart) {
  twins_trace(t, "remove %u %u", i, t->kernel_of[dart]);
  const clv_result result = clv_map_remove(t->map, i, t->kernel_of[dart]);
  return after(t, "remove", reference_remove(&t->naive, i, dart), result);
}

bool twins_contract(twins *t, uint32_t i, ref_dart dart) {
  twins_trace(t, "contract %u %u", i, t->kernel_of[dart]);
  const clv_result result = clv_map_contract(t->map, i, t->kernel_of[dart]);
  return after(t, "contract", reference_contract(&t->naive, i, dart), result);
}

// Life

void twins_track(twins *t, clv_orbit orbit) {
  const uint32_t dims = clv_orbit_dims(t->map, orbit);
  for (uint32_t k = 0; k < t->orbit_count; k++)
    if (t->orbits[k].dims == dims) return;
  assert_true(t->orbit_count < TWINS_ORBITS);
  if (dims != clv_orbit_dims(t->map, CLV_CELL)) assert_int_equal(clv_map_number(t->map, orbit), CLV_OK);
  twins_orbit *o = &t->orbits[t->orbit_count++];
  o->orbit = orbit;
  o->dims = dims;
  twins_read_ids(t, o);
}

void twins_watch(twins *t, clv_column *column) {
  assert_true(t->column_count < TWINS_COLUMNS);
  twins_column *c = &t->columns[t->column_count++];
  *c = (twins_column){.column = column, .def = clv_column_get_def(column)};
  c->dims = clv_orbit_dims(t->map, c->def->orbit);
  for (uint32_t k = 0; k < t->column_count; k++)
    if (t->columns[k].column == c->def->contribution) c->contribution = &t->columns[k];
}

void twins_init(twins *t, const clv_map_def *def) {
  memset(t, 0, sizeof *t);
  t->where = "twins";
  clv_error error = {CLV_OK, ""};
  t->map = clv_map_create(def, &error);
  if (!t->map) twins_fail(t, "no map: %s", error.message);
  reference_init(&t->naive, def->dimension);
  const clv_orbit orbits[] = {CLV_CELL, CLV_VERTEX, CLV_EDGE, CLV_FACE};
  for (uint32_t k = 0; k < sizeof orbits / sizeof *orbits; k++) twins_track(t, orbits[k]);
  assert_int_equal(clv_map_subscribe(t->map, listen, t), CLV_OK);
}

void twins_free(twins *t) {
  clv_map_unsubscribe(t->map, listen, t);
  clv_map_destroy(t->map);
  for (uint32_t k = 0; k < t->orbit_count; k++) free(t->orbits[k].rumours);
  free(t->events);
  free(t->naive_of);
}
