// A body with mass, cut and pierced: values that live on orbits, and stay right by themselves.
//
// Each tetrahedron gives a quarter of its mass to each of its corners. The mass of a vertex is the sum of the corners
// that meet there. Both are columns; what a cut does to them is said once, where they are made.

#include <cleave/cleave.h>

#include <stdio.h>

static int fail(const char *what) {
  fprintf(stderr, "%s\n", what);
  return 1;
}

// From mesh to map: a bar of 6 x 2 x 2 cubes, each cut in five tetrahedra.
static clv_result make_bar(clv_map **map, clv_error *error) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = CLV_GRID_TET5;
  def.cells[0] = 6;
  def.cells[1] = def.cells[2] = 2;
  def.size[0] = 3;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = clv_mesh_grid(&mesh, &def, error);
  if (!result) result = clv_mesh_build(&mesh, NULL, map, NULL, error);
  clv_mesh_free(&mesh);
  return result;
}

static clv_result make_columns(clv_map *map, clv_column **share, clv_column **mass) {
  clv_column_def def = clv_default_column_def();
  def.components = 1;
  def.create = CLV_CREATE_VALUE; // a new orbit weighs nothing
  def.name = "share";
  def.orbit = CLV_CORNER;
  clv_result result = clv_column_create(map, &def, share);
  def.name = "mass";
  def.orbit = CLV_VERTEX;
  def.split = CLV_SPLIT_SHARE; // a vertex that is split gives each part its share ...
  def.contribution = *share;   // ... by what the corners of that part weigh
  def.merge = CLV_MERGE_SUM;   // vertices that are merged add up
  return result ? result : clv_column_create(map, &def, mass);
}

// The map's tables are plain arrays: row r of the tetrahedra has its vertices at 4r, its corners' values likewise.
static void fill_columns(const clv_map *map, clv_column *share, clv_column *mass, double density) {
  const double *position = (const double *)clv_column_data(clv_column_find(map, "pos"), CLV_NONE, NULL);
  double *shares = (double *)clv_column_data(share, CLV_TET, NULL);
  double *masses = (double *)clv_column_data(mass, CLV_NONE, NULL);
  for (uint32_t row = 0; row < clv_cell_rows(map, CLV_TET); row++) {
    const uint32_t *vertices = map->corners[CLV_TET] + (size_t)4 * row;
    double corners[4][3];
    for (int c = 0; c < 4; c++)
      for (int x = 0; x < 3; x++) corners[c][x] = position[(size_t)3 * vertices[c] + x];
    const double quarter = density * clv_element_measure(CLV_TET, (const double(*)[3])corners) / 4;
    for (int c = 0; c < 4; c++) {
      shares[(size_t)4 * row + c] = quarter;
      masses[vertices[c]] += quarter;
    }
  }
}

static double total(const clv_map *map, const clv_column *mass) {
  double sum = 0;
  const clv_id none = {0, 0};
  for (clv_id v = clv_id_next(map, CLV_VERTEX, none); v.index; v = clv_id_next(map, CLV_VERTEX, v))
    sum += *(const double *)clv_column_of(mass, v);
  return sum;
}

// How far any vertex is from the sum of its corners, added up anew.
static double worst_error(const clv_map *map, const clv_column *share, const clv_column *mass) {
  double worst = 0;
  const clv_id none = {0, 0};
  for (clv_id v = clv_id_next(map, CLV_VERTEX, none); v.index; v = clv_id_next(map, CLV_VERTEX, v)) {
    clv_walk star; // one dart in each cell about the vertex
    if (clv_walk_star(&star, map, CLV_VERTEX, clv_id_dart(map, CLV_VERTEX, v))) return 1;
    double sum = 0;
    for (uint32_t k = 0; k < star.count; k++) sum += *(const double *)clv_column_at(share, star.darts[k]);
    clv_walk_end(&star);
    const double difference = sum - *(const double *)clv_column_of(mass, v);
    if (difference > worst) worst = difference;
    if (-difference > worst) worst = -difference;
  }
  return worst;
}

// Unsews every face that lies in the plane x = 1.5 and has another volume beyond.
static clv_result cut(clv_map *map) {
  const clv_column *position = clv_column_find(map, "pos");
  clv_walk faces, corners;
  clv_result result = clv_walk_all(&faces, map, CLV_FACE);
  if (!result) result = clv_map_begin(map);
  for (uint32_t f = 0; !result && f < faces.count; f++) {
    bool lies_there = !clv_is_free(map, faces.darts[f], 3);
    result = clv_walk_incident(&corners, map, CLV_FACE, CLV_VERTEX, faces.darts[f]);
    for (uint32_t k = 0; !result && k < corners.count; k++)
      lies_there &= *(const double *)clv_column_at(position, corners.darts[k]) == 1.5;
    if (!result) clv_walk_end(&corners);
    if (!result && lies_there) result = clv_map_unsew(map, 3, faces.darts[f]);
  }
  clv_walk_end(&faces);
  return result ? result : clv_map_commit(map);
}

// Listens to the journal.
static void count_splits(void *user, const clv_map *map, const clv_commit *commit) {
  for (uint32_t k = 0; k < commit->event_count; k++)
    if (commit->events[k].dims == clv_orbit_dims(map, CLV_VERTEX) && commit->events[k].kind == CLV_SPLIT)
      ++*(int *)user;
}

static void say(const char *when, const clv_map *map, const clv_column *share, const clv_column *mass) {
  clv_map_info info;
  if (clv_map_count(map, &info)) return;
  printf("%-8s %3d vertices, %3d tetrahedra, %d components, mass %.6f, vertices are their corners' sums: %s\n", when,
         (int)info.cells[0], (int)info.cells[3], (int)info.components, total(map, mass),
         worst_error(map, share, mass) < 1e-12 ? "yes" : "NO");
}

int main(void) {
  clv_error error;
  clv_map *map = NULL;
  clv_column *share = NULL, *mass = NULL;
  if (make_bar(&map, &error)) return fail(error.message);
  if (make_columns(map, &share, &mass)) return fail(clv_map_error(map));
  fill_columns(map, share, mass, 1000);
  say("whole", map, share, mass);

  int splits = 0;
  if (clv_map_subscribe(map, count_splits, &splits) || cut(map)) return fail(clv_map_error(map));
  say("cut", map, share, mass);
  printf("         the journal told of %d vertices that came off others\n", splits);

  // A cell that is removed takes its share of the mass with it.
  const clv_id none = {0, 0};
  const clv_id first = clv_id_next(map, CLV_CELL, none);
  if (clv_map_begin(map) || clv_map_remove_cell(map, clv_id_dart(map, CLV_CELL, first)) || clv_map_commit(map))
    return fail(clv_map_error(map));
  say("pierced", map, share, mass);
  printf("         its id is %s\n", clv_id_alive(map, CLV_CELL, first) ? "still alive" : "known to be gone");
  clv_map_destroy(map);
  return 0;
}
