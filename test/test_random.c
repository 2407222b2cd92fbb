// Random edits: the kernel and the naive map do the same, and must agree after every one.
//
// soak: yes
//
// A sequence starts from a few cells and lives through some hundred edits of every sort, in transactions of one to
// four, some of which are rolled back. Its seed decides everything. Candidates are chosen so that most of them succeed:
// what is inserted is sometimes removed again, what is unsewn is sewn again, and the rest is tried where it has a
// chance. A journal records the sequence, and is replayed now and then on a second map, which must stay equal to the
// first to the last bit. Every other sequence has columns too, with values that are set now and then.
//
// usage: test_random [--soak] [--seed S [--trace]]    (with a seed: that sequence alone)

#include "support/compare.h"
#include "support/random.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Sanitizers see a tenth: they look for what each sort of edit does to memory, and take three times as long for each.
#if defined(__SANITIZE_ADDRESS__)
enum { EDITS = 20000 };
#else
enum { EDITS = 200000 };
#endif

enum {
  SOAK_EDITS = 10000000,
  SEQUENCE = 250, // edits
  SMALL = 60,     // darts
  LARGE = 260,
  MEMORIES = 8,
};

enum {
  ADD_CELL,
  ADD_POLYGON,
  ADD_POLYHEDRON,
  REMOVE_CELL,
  INSERT_VERTEX,
  INSERT_EDGE,
  INSERT_FACE,
  SEW,
  UNSEW = SEW + 4, // these come in dimensions
  REMOVE = UNSEW + 4,
  CONTRACT = REMOVE + 4,
  EDIT_COUNT = CONTRACT + 4,
};

static const char *const edit_names[EDIT_COUNT] = {
    [ADD_CELL] = "add cell",
    [ADD_POLYGON] = "add polygon",
    [ADD_POLYHEDRON] = "add polyhedron",
    [REMOVE_CELL] = "remove cell",
    [INSERT_VERTEX] = "insert vertex",
    [INSERT_EDGE] = "insert edge",
    [INSERT_FACE] = "insert face",
    [SEW] = "0-sew",
    [SEW + 1] = "1-sew",
    [SEW + 2] = "2-sew",
    [SEW + 3] = "3-sew",
    [UNSEW] = "0-unsew",
    [UNSEW + 1] = "1-unsew",
    [UNSEW + 2] = "2-unsew",
    [UNSEW + 3] = "3-unsew",
    [REMOVE] = "remove vertex",
    [REMOVE + 1] = "remove edge",
    [REMOVE + 2] = "remove face",
    [CONTRACT + 1] = "contract edge",
    [CONTRACT + 2] = "contract face",
    [CONTRACT + 3] = "contract volume",
};

typedef struct statistics {
  uint64_t done[4][EDIT_COUNT], refused[4][EDIT_COUNT]; // by dimension
  uint64_t edits, commits, rollbacks, sequences;
} statistics;

typedef struct options {
  uint64_t edits, seed;
  bool one_seed, trace;
  statistics statistics;
} options;

// Something that was done and can be undone.
typedef struct memory {
  uint32_t i;
  ref_dart a, b; // b is 0 for a cell that was inserted, the other side for a seam that was opened
} memory;

typedef struct sequence {
  twins twins;
  random_source random;
  uint64_t seed;
  uint32_t edits;
  bool orientable; // this sequence sews nothing that makes the map one-sided
  memory memories[MEMORIES];
  clv_journal *journal;
  clv_map *replica;
  statistics *statistics;
  char where[96];
} sequence;

// Choosing

static uint32_t below(sequence *s, uint32_t end) {
  return random_below(&s->random, end);
}

static bool chance(sequence *s, uint32_t percent) {
  return random_chance(&s->random, percent);
}

static ref_dart any_dart(sequence *s) {
  const reference *map = &s->twins.naive;
  if (!map->count) return 0;
  for (;;) {
    const ref_dart dart = (ref_dart)below(s, map->end);
    if (reference_alive(map, dart)) return dart;
  }
}

// The dart after another, and the first after the last.
static ref_dart next_dart(const reference *map, ref_dart dart) {
  do dart = (ref_dart)((dart + 1u) % map->end);
  while (!reference_alive(map, dart));
  return dart;
}

// A dart that is i-free, or that is not; 0 when none was found.
static ref_dart any_dart_with(sequence *s, uint32_t i, bool free) {
  const reference *map = &s->twins.naive;
  ref_dart dart = any_dart(s);
  for (uint32_t k = 0; k < map->count; k++, dart = next_dart(map, dart))
    if (reference_free(map, dart, i) == free) return dart;
  return 0;
}

// Mostly the map's own dimension, for that is what a mesh is sewn by.
static uint32_t any_dimension(sequence *s) {
  const uint32_t n = s->twins.naive.dimension;
  return chance(s, 60) ? n : below(s, n + 1);
}

static void remember(sequence *s, uint32_t i, ref_dart a, ref_dart b) {
  s->memories[below(s, MEMORIES)] = (memory){i, a, b};
}

static void count(sequence *s, uint32_t what, bool done) {
  const uint32_t n = s->twins.naive.dimension;
  if (!done) {
    s->statistics->refused[n][what]++;
    return;
  }
  s->statistics->done[n][what]++;
  s->statistics->edits++;
  s->edits++;
}

// Cells

static void add_cell(sequence *s) {
  const bool flat = s->twins.naive.dimension == 2;
  const clv_kind kind = (clv_kind)(flat ? CLV_TRI + below(s, 2) : CLV_TET + below(s, 4));
  twins_add_cell(&s->twins, kind);
  count(s, ADD_CELL, true);
}

static void add_polygon(sequence *s) {
  twins_add_polygon(&s->twins, 3 + below(s, 5));
  count(s, ADD_POLYGON, true);
}

typedef struct polyhedron {
  uint32_t face_count;
  uint32_t sizes[8], corners[32];
} polyhedron;

static const polyhedron polyhedra[] = {
    // a tetrahedron, a prism, an octahedron, a pillow
    {4, {3, 3, 3, 3}, {0, 1, 2, 1, 0, 3, 2, 1, 3, 0, 2, 3}},
    {5, {3, 3, 4, 4, 4}, {0, 1, 2, 5, 4, 3, 3, 4, 1, 0, 4, 5, 2, 1, 5, 3, 0, 2}},
    {8, {3, 3, 3, 3, 3, 3, 3, 3}, {0, 1, 2, 0, 2, 3, 0, 3, 4, 0, 4, 1, 5, 2, 1, 5, 3, 2, 5, 4, 3, 5, 1, 4}},
    {2, {4, 4}, {0, 1, 2, 3, 3, 2, 1, 0}},
    // and two that are refused: one is open, the other is two
    {3, {3, 3, 3}, {0, 1, 2, 1, 0, 3, 2, 1, 3}},
    {4, {3, 3, 3, 3}, {0, 1, 2, 2, 1, 0, 3, 4, 5, 5, 4, 3}},
};

// Its corners are renumbered, for their numbers mean nothing.
static void add_polyhedron(sequence *s) {
  polyhedron p = polyhedra[below(s, sizeof polyhedra / sizeof *polyhedra)];
  const uint32_t mask = below(s, 1u << 16);
  for (uint32_t k = 0; k < sizeof p.corners / sizeof *p.corners; k++) p.corners[k] ^= mask;
  ref_dart dart = 0;
  if (s->twins.naive.dimension == 3)
    count(s, ADD_POLYHEDRON, twins_add_polyhedron(&s->twins, p.face_count, p.sizes, p.corners, &dart));
}

static void remove_cell(sequence *s) {
  const ref_dart dart = any_dart(s);
  if (!dart) return;
  twins_remove_cell(&s->twins, dart);
  count(s, REMOVE_CELL, true);
}

// Sewing

static bool stays_two_sided(const reference *map, uint32_t i, ref_dart a, ref_dart b) {
  reference after = *map;
  return !reference_sew(&after, i, a, b) || reference_orientable(&after);
}

static void sew(sequence *s, uint32_t i, ref_dart a, ref_dart b) {
  const reference *map = &s->twins.naive;
  if (s->orientable && !stays_two_sided(map, i, a, b)) b = map->alpha[b][i > 1 ? 0 : 1];
  if (s->orientable && !stays_two_sided(map, i, a, b)) return;
  count(s, SEW + i, twins_sew(&s->twins, i, a, b));
}

// Closes a gap: the next free facet around one end of a facet that is free.
static ref_dart across_the_gap(const reference *map, ref_dart dart) {
  const uint32_t n = map->dimension;
  ref_dart at = map->alpha[dart][n - 1];
  for (uint32_t k = 0; k < map->count && !reference_free(map, at, n); k++) at = map->alpha[map->alpha[at][n]][n - 1];
  return at;
}

static void sew_any(sequence *s) {
  const reference *map = &s->twins.naive;
  const uint32_t i = any_dimension(s), n = map->dimension;
  const ref_dart a = any_dart_with(s, i, true);
  if (!a) return;
  if (i == n && chance(s, 35)) {
    sew(s, i, a, across_the_gap(map, a));
    return;
  }
  // The first of a few that fits; or one that does not.
  ref_dart b = 0;
  for (uint32_t k = 0; k < 6; k++) {
    b = any_dart_with(s, i, true);
    reference after = *map;
    if (reference_sew(&after, i, a, b)) break;
  }
  sew(s, i, a, b);
}

static void unsew_any(sequence *s) {
  const reference *map = &s->twins.naive;
  const uint32_t i = any_dimension(s);
  const ref_dart a = any_dart_with(s, i, chance(s, 5));
  if (!a) return;
  const ref_dart b = map->alpha[a][i];
  const bool done = twins_unsew(&s->twins, i, a);
  if (done) remember(s, i, a, b);
  count(s, UNSEW + i, done);
}

// Insertion

static void insert_vertex(sequence *s) {
  const ref_dart dart = any_dart(s);
  ref_dart added = 0;
  if (!dart) return;
  const bool done = twins_insert_vertex(&s->twins, dart, &added);
  if (done) remember(s, 0, added, 0);
  count(s, INSERT_VERTEX, done);
}

// A dart on a face of four sides at least, if there is one.
static ref_dart dart_of_large_face(sequence *s, uint32_t *sides) {
  const reference *map = &s->twins.naive;
  const ref_dart start = any_dart(s);
  ref_dart dart = start;
  do {
    ref_orbit face;
    reference_orbit(map, 3u, dart, &face);
    *sides = face.count / 2;
    if (*sides >= 4) return dart;
    dart = next_dart(map, dart);
  } while (dart != start);
  return start;
}

// Between corners that lie apart, mostly.
static void insert_edge(sequence *s) {
  const reference *map = &s->twins.naive;
  uint32_t sides = 0;
  if (!map->count) return;
  const ref_dart a = dart_of_large_face(s, &sides);
  const bool apart = sides >= 4 && chance(s, 85);
  const uint32_t steps = apart ? 3 + 2 * below(s, sides - 3) : 1 + below(s, 2 * sides + 2);
  ref_dart b = a, added = 0;
  for (uint32_t k = 0; k < steps; k++) b = map->alpha[b][k % 2];
  const bool done = twins_insert_edge(&s->twins, a, b, &added);
  if (done) remember(s, 1, added, 0);
  count(s, INSERT_EDGE, done);
}

// Some faces of one volume, grown from the one at `dart`.
static void grow_patch(sequence *s, ref_dart dart, uint32_t faces, bool *patch) {
  const reference *map = &s->twins.naive;
  for (uint32_t f = 0; f < faces; f++) {
    ref_orbit face;
    reference_add_to_patch(map, dart, patch);
    reference_orbit(map, 3u, dart, &face);
    dart = map->alpha[face.darts[below(s, face.count)]][2];
  }
}

static void insert_face(sequence *s) {
  const reference *map = &s->twins.naive;
  ref_dart path[REFERENCE_DARTS], added = 0;
  uint32_t length = 0;
  for (uint32_t tries = 0; tries < 8 && length < 3; tries++) {
    bool patch[REFERENCE_DARTS] = {false};
    const ref_dart dart = any_dart(s);
    if (!dart || map->dimension != 3) return;
    grow_patch(s, dart, 1 + below(s, 4), patch);
    for (uint32_t d = 1; d < map->end && length < 3; d++)
      if (patch[d] && !patch[map->alpha[d][2]]) length = reference_patch_boundary(map, patch, (ref_dart)d, path);
  }
  if (length < 3) return;
  if (chance(s, 10)) path[below(s, length)] = any_dart(s);
  const bool done = twins_insert_face(&s->twins, path, length, &added);
  if (done) remember(s, 2, added, 0);
  count(s, INSERT_FACE, done);
}

// Removal

// At a cell that can be removed or contracted, the links next in line commute; those are rare enough to be looked for.
static bool links_commute(const reference *map, uint32_t i, uint32_t j, ref_dart dart) {
  const ref_dart *alpha = map->alpha[dart];
  return i > map->dimension || j > map->dimension || map->alpha[alpha[i]][j] == map->alpha[alpha[j]][i];
}

static ref_dart dart_where(sequence *s, uint32_t i, uint32_t j) {
  const reference *map = &s->twins.naive;
  ref_dart dart = any_dart(s);
  for (uint32_t k = 0; k < map->count && !links_commute(map, i, j, dart); k++) dart = next_dart(map, dart);
  return dart;
}

static void remove_any(sequence *s) {
  const uint32_t i = below(s, s->twins.naive.dimension);
  const ref_dart dart = dart_where(s, i + 1, i + 2);
  if (dart) count(s, REMOVE + i, twins_remove(&s->twins, i, dart));
}

static void contract_any(sequence *s) {
  const uint32_t i = 1 + below(s, s->twins.naive.dimension);
  const ref_dart dart = dart_where(s, i - 1, i - 2); // i - 2 may wrap, to a link that is not there
  if (dart) count(s, CONTRACT + i, twins_contract(&s->twins, i, dart));
}

static void undo_one(sequence *s) {
  memory *m = &s->memories[below(s, MEMORIES)];
  const reference *map = &s->twins.naive;
  if (!m->a || !reference_alive(map, m->a) || (m->b && !reference_alive(map, m->b))) return;
  if (m->b)
    sew(s, m->i, m->a, m->b);
  else
    count(s, REMOVE + m->i, twins_remove(&s->twins, m->i, m->a));
  m->a = 0;
}

// Values

static void sum_of_shares(void *user, const clv_map *map, clv_dart dart, const clv_part *parts, uint32_t part_count,
                          void *value) {
  (void)user, (void)map, (void)dart;
  double sum = 0;
  for (uint32_t k = 0; k < part_count; k++) sum += parts[k].share * *(const double *)parts[k].value;
  if (part_count) *(double *)value = sum;
}

// A column of every sort; those with one number per vertex weigh by corners.
static const double one = 1;
static const clv_column_def column_defs[] = {
    {.name = "weight",
     .orbit = CLV_CORNER,
     .components = 1,
     .initial = &one,
     .split = CLV_SPLIT_SHARE,
     .merge = CLV_MERGE_SUM},
    {.name = "mass",
     .orbit = CLV_VERTEX,
     .components = 1,
     .initial = &one,
     .split = CLV_SPLIT_SHARE,
     .merge = CLV_MERGE_SUM},
    {.name = "lumped", .orbit = CLV_VERTEX, .components = 1, .merge = CLV_MERGE_RECOMPUTE},
    {.name = "centre", .orbit = CLV_VERTEX, .components = 1, .merge = CLV_MERGE_MEAN},
    {.name = "position", .orbit = CLV_VERTEX, .components = 3, .create = CLV_CREATE_MEAN, .merge = CLV_MERGE_MEAN},
    {.name = "tag", .orbit = CLV_EDGE, .type = CLV_INT32, .components = 2},
    {.name = "custom", .orbit = CLV_EDGE, .components = 1, .initial = &one, .policy = sum_of_shares},
    {.name = "flux",
     .orbit = CLV_FACE,
     .type = CLV_FLOAT,
     .components = 1,
     .split = CLV_SPLIT_SHARE,
     .merge = CLV_MERGE_SUM},
    {.name = "label", .orbit = CLV_FACE, .type = CLV_BYTES, .components = 3},
    {.name = "material", .orbit = CLV_CELL, .type = CLV_UINT32, .components = 1},
    {.name = "odd", .orbit = CLV_ORBIT(0, 0, 1, 1), .components = 1, .split = CLV_SPLIT_SHARE, .merge = CLV_MERGE_KEEP},
};

static void add_columns(clv_map *map) {
  for (uint32_t k = 0; k < sizeof column_defs / sizeof *column_defs; k++) {
    clv_column_def def = column_defs[k];
    if (def.orbit == CLV_VERTEX && def.components == 1) def.contribution = clv_column_find(map, "weight");
    assert_int_equal(clv_column_create(map, &def, NULL), CLV_OK);
  }
}

static void set_value(sequence *s) {
  const ref_dart dart = any_dart(s);
  double value[TWINS_COMPONENTS];
  for (uint32_t k = 0; k < TWINS_COMPONENTS; k++) value[k] = 1 + below(s, 255);
  if (!dart || !s->twins.column_count || s->twins.set_count == TWINS_NOTES) return;
  twins_set(&s->twins, below(s, s->twins.column_count), dart, value);
}

// Sequences

typedef struct weighted {
  void (*edit)(sequence *s);
  uint32_t weight;
} weighted;

static const weighted edits[] = {
    {add_cell, 6},       {add_polygon, 2},  {add_polyhedron, 3}, {remove_cell, 2}, {sew_any, 24},     {unsew_any, 9},
    {insert_vertex, 10}, {insert_edge, 12}, {insert_face, 8},    {remove_any, 8},  {contract_any, 5}, {undo_one, 14},
};

static void any_edit(sequence *s) {
  const uint32_t darts = s->twins.naive.count;
  if (darts < SMALL && chance(s, 50)) {
    add_cell(s);
    return;
  }
  if (darts > LARGE) {
    remove_cell(s);
    return;
  }
  uint32_t total = 0;
  for (uint32_t k = 0; k < sizeof edits / sizeof *edits; k++) total += edits[k].weight;
  uint32_t at = below(s, total), k = 0;
  while (at >= edits[k].weight) at -= edits[k++].weight;
  edits[k].edit(s);
}

static void look_around(sequence *s) {
  const uint32_t all = (2u << s->twins.naive.dimension) - 1u;
  const ref_dart dart = any_dart(s);
  const uint32_t dims = below(s, all + 1), other = below(s, all + 1);
  twins_check_counts(&s->twins);
  if (dart) twins_check_walks(&s->twins, dims, other, dart);
}

static void run_transaction(sequence *s) {
  snprintf(s->where, sizeof s->where, "seed %llu, edit %u", (unsigned long long)s->seed, s->edits);
  twins_begin(&s->twins);
  const uint32_t edit_count = 1 + below(s, 4);
  for (uint32_t k = 0; k < edit_count; k++) {
    any_edit(s);
    while (chance(s, 30)) set_value(s);
  }
  if (chance(s, 15)) {
    twins_rollback(&s->twins);
    s->statistics->rollbacks++;
    return;
  }
  twins_commit(&s->twins);
  s->statistics->commits++;
  if (chance(s, 15)) look_around(s);
}

static void compare_columns(const twins *t, const clv_map *replica) {
  for (uint32_t k = 0; k < t->column_count; k++) {
    const clv_column *column = clv_column_list(t->map, k), *other = clv_column_list(replica, k);
    for (clv_dart d = clv_dart_next(t->map, CLV_NO_DART); d; d = clv_dart_next(t->map, d))
      if (memcmp(clv_column_at(column, d), clv_column_at(other, d), clv_column_size(column)) != 0)
        twins_fail(t, "the journal leads to another value of column '%s' at dart %u", clv_column_get_def(column)->name,
                   d);
  }
}

// Brings the replica up to date, and starts a new page of the journal.
static void replay(sequence *s) {
  const twins *t = &s->twins;
  if (clv_journal_replay(s->journal, s->replica) != CLV_OK)
    twins_fail(t, "the journal cannot be replayed: %s", clv_map_error(s->replica));
  if (clv_map_hash(s->replica) != clv_map_hash(t->map)) twins_fail(t, "the journal leads to another map");
  compare_columns(t, s->replica);
  clv_journal_clear(s->journal);
}

// One more sort of orbit is numbered while there is something to number, in both maps alike.
static void number_another(sequence *s) {
  const uint32_t n = s->twins.naive.dimension;
  const uint32_t dims = 1u << n | below(s, 1u << n);
  twins_track(&s->twins, dims);
  assert_int_equal(clv_map_number(s->replica, dims), CLV_OK);
  clv_journal_clear(s->journal);
}

static void start(sequence *s, options *o, uint64_t seed) {
  clv_map_def def = clv_default_map_def();
  def.dimension = 2 + (uint32_t)(seed & 1u);
  memset(s, 0, sizeof *s);
  s->seed = s->random.state = seed;
  s->statistics = &o->statistics;
  s->orientable = below(s, 5) != 0;
  twins_init(&s->twins, &def);
  s->twins.where = s->where;
  s->twins.trace = o->trace;
  const bool values = below(s, 2);
  twins_track(&s->twins, CLV_ORBIT(0, 0, 1, 1));
  if (values) add_columns(s->twins.map);
  for (uint32_t k = 0; clv_column_list(s->twins.map, k); k++) twins_watch(&s->twins, clv_column_list(s->twins.map, k));
  s->replica = clv_map_create(&def, NULL);
  assert_non_null(s->replica);
  for (uint32_t k = 1; k < s->twins.orbit_count; k++) // the first are the cells, which need no numbering
    assert_int_equal(clv_map_number(s->replica, s->twins.orbits[k].orbit), CLV_OK);
  if (values) add_columns(s->replica);
  s->journal = clv_journal_create(s->twins.map);
  assert_non_null(s->journal);
}

static void run_sequence(sequence *s, options *o, uint64_t seed) {
  start(s, o, seed);
  for (uint32_t part = 1; part <= 3; part++) {
    while (s->edits < SEQUENCE * part / 3) run_transaction(s);
    replay(s);
    if (part == 1) number_another(s);
  }
  clv_journal_destroy(s->journal);
  clv_map_destroy(s->replica);
  twins_free(&s->twins);
  o->statistics.sequences++;
}

// Statistics

static void print_statistics(const statistics *s) {
  print_message("%llu edits in %llu sequences: %llu commits, %llu rollbacks\n", (unsigned long long)s->edits,
                (unsigned long long)s->sequences, (unsigned long long)s->commits, (unsigned long long)s->rollbacks);
  print_message("%-16s %10s %10s %10s %10s\n", "", "2D", "refused", "3D", "refused");
  for (uint32_t e = 0; e < EDIT_COUNT; e++) {
    if (!edit_names[e]) continue;
    print_message("%-16s %10llu %10llu %10llu %10llu\n", edit_names[e], (unsigned long long)s->done[2][e],
                  (unsigned long long)s->refused[2][e], (unsigned long long)s->done[3][e],
                  (unsigned long long)s->refused[3][e]);
  }
}

static bool exists_in(uint32_t e, uint32_t dimension) {
  if (!edit_names[e]) return false;
  const bool solid =
      e == ADD_POLYHEDRON || e == INSERT_FACE || e == SEW + 3 || e == UNSEW + 3 || e == REMOVE + 2 || e == CONTRACT + 3;
  return dimension == 3 || !solid;
}

// A test that stopped trying something would still pass; so every edit must have been done often.
static void check_statistics(const statistics *s) {
  for (uint32_t n = 2; n <= 3; n++)
    for (uint32_t e = 0; e < EDIT_COUNT; e++)
      if (exists_in(e, n) && s->done[n][e] < s->edits / 1000)
        fail_msg("'%s' was done %llu times only in dimension %u", edit_names[e], (unsigned long long)s->done[n][e], n);
}

static void kernel_and_naive_map_agree(void **state) {
  options *o = *state;
  sequence *s = malloc(sizeof *s);
  assert_non_null(s);
  if (o->one_seed) {
    run_sequence(s, o, o->seed);
  } else {
    for (uint64_t seed = 1; o->statistics.edits < o->edits; seed++) run_sequence(s, o, seed);
  }
  free(s);
  print_statistics(&o->statistics);
  if (!o->one_seed) check_statistics(&o->statistics);
}

int main(int argc, char **argv) {
  options o = {.edits = EDITS};
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) {
      o.edits = SOAK_EDITS;
    } else if (!strcmp(argv[k], "--trace")) {
      o.trace = true;
    } else if (!strcmp(argv[k], "--seed") && k + 1 < argc) {
      o.one_seed = true;
      o.seed = strtoull(argv[++k], NULL, 10);
    } else {
      fprintf(stderr, "usage: test_random [--soak] [--seed S [--trace]]\n");
      return 2;
    }
  }
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(kernel_and_naive_map_agree, &o)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
