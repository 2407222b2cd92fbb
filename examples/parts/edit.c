// Editing: transactions, splitting a cell, hanging vertices, a policy of one's own, the journal, and the other map.

#include <cleave/cleave.h>

#include <stdio.h>

static int fail(const clv_map *map) {
  fprintf(stderr, "%s\n", clv_map_error(map));
  return 1;
}

static const clv_id none = {0, 0};

// Follows a word of links: go(map, d, "01") is a1(a0(d)).
static clv_dart go(const clv_map *map, clv_dart dart, const char *word) {
  for (; *word; word++) dart = clv_alpha(map, dart, (uint32_t)(*word - '0'));
  return dart;
}

// Two hexahedra in a row, sewn.
static clv_result make_two(clv_map **map) {
  clv_grid_def def = clv_default_grid_def();
  def.cells[0] = 2;
  def.size[0] = 2;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = clv_mesh_grid(&mesh, &def, NULL);
  if (!result) result = clv_mesh_build(&mesh, NULL, map, NULL, NULL);
  clv_mesh_free(&mesh);
  return result;
}

static clv_dart first_cell(const clv_map *map) {
  return clv_id_dart(map, CLV_CELL, clv_id_next(map, CLV_CELL, none));
}

// What is refused changes nothing; what was done can be undone until it is committed.
static int refuse_and_roll_back(clv_map *map) {
  const uint64_t before = clv_map_hash(map);
  clv_dart added;
  if (clv_map_begin(map)) return fail(map);
  const clv_dart d = first_cell(map);
  if (clv_map_sew(map, 3, d, go(map, d, "01")) == CLV_ERROR_REFUSED) printf("refused: %s\n", clv_map_error(map));
  if (clv_map_insert_vertex(map, d, &added)) return fail(map);
  clv_map_rollback(map);
  printf("rolled back: the map is %s\n", clv_map_hash(map) == before ? "as it was" : "DIFFERENT");
  return 0;
}

// A vertex in an edge hangs: its cells keep their ids and rows, but are templates no more. Removing it heals them.
static int hang_and_heal(clv_map *map) {
  clv_map_info info;
  clv_dart added;
  if (clv_map_begin(map) || clv_map_insert_vertex(map, first_cell(map), &added) || clv_map_commit(map))
    return fail(map);
  if (clv_map_count(map, &info)) return fail(map);
  const clv_dart middle = go(map, first_cell(map), "0");
  const double *p = (const double *)clv_column_at(clv_column_find(map, "pos"), middle);
  printf("hanging: a vertex at %g %g %g; %d hexahedra, %d extended\n", p[0], p[1], p[2], (int)info.kinds[CLV_HEX],
         (int)info.extended);
  if (clv_map_begin(map) || clv_map_remove(map, 0, middle) || clv_map_commit(map) || clv_map_count(map, &info))
    return fail(map);
  printf("healed: %d hexahedra, %d extended\n", (int)info.kinds[CLV_HEX], (int)info.extended);
  return 0;
}

// A diagonal across the face of a quadrangle, from the corner of `a` to the one opposite.
static clv_result insert_diagonal(clv_map *map, clv_dart a, clv_dart *added) {
  return clv_map_insert_edge(map, a, go(map, a, "010"), added);
}

// Splits a hexahedron into two prisms: a diagonal below, a diagonal above, and a face along them.
static int split_in_prisms(clv_map *map) {
  clv_dart path[4], above, wall;
  if (clv_map_begin(map)) return fail(map);
  const clv_dart a = first_cell(map);
  if (insert_diagonal(map, a, &path[0])) return fail(map);
  path[1] = go(map, path[0], "0121"); // along an edge, and on to the next one of the path
  if (insert_diagonal(map, go(map, path[1], "012"), &above)) return fail(map);
  path[2] = go(map, path[1], "0121");
  path[3] = go(map, path[2], "0121");
  if (clv_map_insert_face(map, path, 4, &wall) || clv_map_commit(map)) return fail(map);
  clv_map_info info;
  if (clv_map_count(map, &info)) return fail(map);
  printf("split: %d hexahedra, %d prisms, %d polyhedra\n", (int)info.kinds[CLV_HEX], (int)info.kinds[CLV_PRISM],
         (int)info.kinds[CLV_POLYHEDRON]);
  return 0;
}

// A policy: an orbit made of several parts is as hot as the hottest of them.
static void hottest(void *user, const clv_map *map, clv_dart dart, const clv_part *parts, uint32_t count, void *value) {
  (void)user, (void)map, (void)dart;
  if (count == 0) return; // a new orbit: the create policy has spoken
  double *heat = (double *)value;
  *heat = *(const double *)parts[0].value;
  for (uint32_t k = 1; k < count; k++) {
    const double other = *(const double *)parts[k].value;
    if (other > *heat) *heat = other;
  }
}

static clv_result make_heat(clv_map *map, clv_column **heat) {
  clv_column_def def = clv_default_column_def();
  def.name = "heat";
  def.components = 1;
  def.policy = hottest;
  return clv_column_create(map, &def, heat);
}

// Cuts the two cells apart, heats one side, sews them again: in each vertex the hotter part wins. A 3-sew or 3-unsew
// renames no dart, so those at hand stay good.
static int merge_with_policy(clv_map *map) {
  clv_column *heat = NULL;
  if (make_heat(map, &heat)) return fail(map);
  clv_dart face = CLV_NO_DART, beyond = CLV_NO_DART;
  for (clv_dart d = clv_dart_next(map, 0); d && !face; d = clv_dart_next(map, d))
    if (!clv_is_free(map, d, 3)) face = d, beyond = clv_alpha(map, d, 3);
  if (clv_map_begin(map) || clv_map_unsew(map, 3, face) || clv_map_commit(map)) return fail(map);
  *(double *)clv_column_at(heat, face) = 20;
  *(double *)clv_column_at(heat, beyond) = 37;
  if (clv_map_begin(map) || clv_map_sew(map, 3, face, beyond) || clv_map_commit(map)) return fail(map);
  printf("merged: %g degrees\n", *(const double *)clv_column_at(heat, face));
  return 0;
}

// What was recorded on one map gives the same bits on another that began the same.
static int record_and_replay(void) {
  clv_map *map = NULL, *copy = NULL;
  if (make_two(&map) || make_two(&copy)) return 1;
  clv_journal *journal = clv_journal_create(map);
  if (!journal || hang_and_heal(map) || split_in_prisms(map)) return 1;
  if (clv_journal_replay(journal, copy)) return fail(copy);
  printf("replayed %d commits: the maps are %s\n", (int)clv_journal_commits(journal),
         clv_map_hash(map) == clv_map_hash(copy) ? "equal" : "DIFFERENT");
  clv_journal_destroy(journal);
  clv_map_destroy(map);
  clv_map_destroy(copy);
  return 0;
}

// The combinatorial map: darts of one side only, b1 goes round the face.
static void go_round(const clv_map *map) {
  clv_dart d = first_cell(map);
  if (clv_side(map, d)) d = clv_alpha(map, d, 0); // the other side's dart of the same edge
  int sides = 0;
  const clv_dart start = d;
  do {
    d = clv_beta(map, d, 1);
    sides++;
  } while (d != start);
  printf("the face has %d sides; beyond its edge lies %s face, beyond it %s volume\n", sides,
         clv_beta(map, d, 2) ? "a" : "no", clv_beta(map, d, 3) ? "a" : "no");
}

int main(void) {
  clv_map *map = NULL;
  if (make_two(&map)) return 1;
  if (refuse_and_roll_back(map) || merge_with_policy(map)) return 1;
  go_round(map);
  clv_map_destroy(map);
  return record_and_replay();
}
