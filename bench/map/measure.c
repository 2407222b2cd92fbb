// How each figure is taken.
//
// - build is clv_mesh_build on elements with points of their own: cells, merged points, glued facets, vertex ids and
//   positions. build_edges goes on to a column of doubles on the edges, which numbers them.
// - bytes is what the allocator holds for the map of build_edges, scratch memory and the slack of every array included,
//   less the values of the orbits there are. It has to be a little more than clv_map_bytes, which leaves out what is
//   not topology: that keeps both honest.
// - The walks ask each vertex and each edge for its star, once, in order of id.
// - unsew3 opens the faces of the plane x = N/2 in order of cells, one transaction each, with positions, regions and
//   edge values embedded and a journal that records, until the block is in two. Every repetition has a fresh map.

#include "measure.h"

#include <stdlib.h>

const bench_figure_def bench_figure_defs[BENCH_FIGURES] = {
    [BENCH_BUILD] = {"build", "ns/cell", true, true},
    [BENCH_BUILD_EDGES] = {"build_edges", "ns/cell", true, false},
    [BENCH_BYTES] = {"bytes", "B/cell", true, true},
    [BENCH_VERTEX] = {"vertex_to_volumes", "ns/incidence", false, true},
    [BENCH_EDGE] = {"edge_ring", "ns/incidence", false, true},
    [BENCH_UNSEW] = {"unsew3", "ns/unsew", false, true},
};

static void require(const clv_map *map, clv_result result) {
  if (result) bench_fail("%s: %s", clv_result_name(result), clv_map_error(map));
}

static clv_map *build(const bench_lattice *lattice, bench_memory *memory) {
  clv_build_def def = clv_default_build_def();
  def.merge_points = true;
  def.allocator = bench_memory_allocator(memory);
  clv_map *map;
  clv_build_report report;
  clv_error error;
  if (clv_mesh_build(&lattice->mesh, &def, &map, &report, &error)) bench_fail("build: %s", error.message);
  bench_check("cells built", report.cells, lattice->expected.cells);
  bench_check("points merged", report.merged_points, lattice->mesh.point_count - lattice->expected.vertices);
  return map;
}

static void add_edge_values(clv_map *map) {
  const double initial = 1.0;
  const clv_column_def def = {
      .name = "stiffness", .orbit = CLV_EDGE, .type = CLV_DOUBLE, .components = 1, .initial = &initial};
  clv_column *column;
  require(map, clv_column_create(map, &def, &column));
}

// Bytes of the values that the columns hold for orbits that exist: a point for a vertex, a double for an edge, a region
// for a cell. What the columns hold beyond that is slack, and counted.
static size_t value_bytes(const clv_map *map, const bench_counts *counts) {
  size_t bytes = 0;
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(map, k)); k++) {
    const clv_orbit orbit = clv_column_get_def(column)->orbit;
    const size_t orbits = orbit == CLV_VERTEX ? counts->vertices : orbit == CLV_EDGE ? counts->edges : counts->cells;
    bytes += orbits * clv_column_size(column);
  }
  return bytes;
}

static double map_bytes(const bench_lattice *lattice, const clv_map *map, size_t held) {
  const size_t topology = clv_map_bytes(map), values = clv_column_bytes(map), slack = 64 << 10;
  if (held < topology + values || (double)held > 1.02 * (double)(topology + values) + (double)slack)
    bench_fail("the allocator holds %zu bytes, the map says %zu and %zu of values", held, topology, values);
  return (double)(held - value_bytes(map, &lattice->expected));
}

static uint64_t count_stars(const clv_map *map, clv_orbit orbit) {
  uint64_t count = 0;
  for (clv_id id = clv_id_next(map, orbit, (clv_id){0}); id.index; id = clv_id_next(map, orbit, id)) {
    clv_walk walk;
    require(map, clv_walk_star(&walk, map, orbit, clv_id_dart(map, orbit, id)));
    count += walk.count;
    clv_walk_end(&walk);
  }
  return count;
}

static double time_stars(const clv_map *map, clv_orbit orbit, size_t incidences) {
  const double start = bench_seconds();
  const uint64_t count = count_stars(map, orbit);
  const double time = bench_seconds() - start;
  bench_check("incidences", count, incidences);
  return time;
}

static bool facet_in_plane(const clv_map *map, const clv_column *position, double x, clv_dart facet) {
  clv_walk walk;
  require(map, clv_walk_orbit(&walk, map, CLV_CELL_FACET(3), facet));
  bool inside = true;
  for (uint32_t i = 0; i < walk.count && inside; i++) {
    const double *point = clv_column_at(position, walk.darts[i]);
    inside = point[0] == x;
  }
  clv_walk_end(&walk);
  return inside;
}

// One dart of every face in the lattice plane, in the order of the cells; there are plane_faces of them.
static clv_dart *faces_in_plane(const bench_lattice *lattice, const clv_map *map) {
  const clv_template *shape = &clv_templates[lattice->kind];
  const clv_column *position = clv_column_find(map, "pos");
  const size_t expected = lattice->expected.plane_faces;
  clv_dart *faces = calloc(expected, sizeof *faces);
  if (!faces) bench_fail("out of memory");
  size_t count = 0;
  for (uint32_t row = 0; row < clv_cell_rows(map, lattice->kind); row++)
    for (int f = 0; f < shape->facet_count; f++) {
      const clv_dart dart = clv_cell_at(map, lattice->kind, row) + shape->facet_first[f];
      if (clv_alpha(map, dart, 3) <= dart) continue; // free, or met from the other side
      if (!facet_in_plane(map, position, lattice->plane, dart)) continue;
      if (count < expected) faces[count] = dart;
      count++;
    }
  bench_check("faces in the plane", count, expected);
  return faces;
}

static void check_counts(const clv_map *map, const bench_counts *expected, bool cut) {
  clv_map_info info;
  require(map, clv_map_count(map, &info));
  bench_check("vertices", info.cells[0], expected->vertices + (cut ? expected->plane_vertices : 0));
  bench_check("edges", info.cells[1], expected->edges + (cut ? expected->plane_edges : 0));
  bench_check("faces", info.cells[2], expected->faces + (cut ? expected->plane_faces : 0));
  bench_check("volumes", info.cells[3], expected->cells);
  bench_check("components", info.components, cut ? 2 : 1);
}

static double time_cut(const bench_lattice *lattice, clv_map *map) {
  clv_dart *faces = faces_in_plane(lattice, map);
  const size_t count = lattice->expected.plane_faces;
  clv_journal *journal = clv_journal_create(map);
  if (!journal) bench_fail("out of memory");

  const double start = bench_seconds();
  for (size_t i = 0; i < count; i++) {
    require(map, clv_map_begin(map));
    require(map, clv_map_unsew(map, 3, faces[i]));
    require(map, clv_map_commit(map));
  }
  const double time = bench_seconds() - start;

  bench_check("commits in the journal", clv_journal_commits(journal), count);
  clv_journal_destroy(journal);
  free(faces);
  return time;
}

// Everything once, on a fresh map: seconds and bytes in all.
static bench_figures measure_once(const bench_lattice *lattice, bench_memory *memory) {
  const bench_counts *expected = &lattice->expected;
  bench_figures once;
  const size_t held = memory->held;
  double start = bench_seconds();
  clv_map *map = build(lattice, memory);
  once.of[BENCH_BUILD] = bench_seconds() - start;

  start = bench_seconds();
  add_edge_values(map);
  once.of[BENCH_BUILD_EDGES] = once.of[BENCH_BUILD] + bench_seconds() - start;
  once.of[BENCH_BYTES] = map_bytes(lattice, map, memory->held - held);
  once.of[BENCH_VERTEX] = time_stars(map, CLV_VERTEX, expected->vertex_incidences);
  once.of[BENCH_EDGE] = time_stars(map, CLV_EDGE, expected->edge_incidences);
  once.of[BENCH_UNSEW] = time_cut(lattice, map);
  check_counts(map, expected, true);

  clv_map_destroy(map);
  bench_check("bytes left behind", memory->held, held);
  return once;
}

// From the whole to one cell, one incidence, one face; from seconds to nanoseconds.
static double per_unit(bench_figure figure, const bench_counts *counts, double value) {
  switch (figure) {
  case BENCH_BYTES:
    return value / (double)counts->cells;
  case BENCH_VERTEX:
    return 1e9 * value / (double)counts->vertex_incidences;
  case BENCH_EDGE:
    return 1e9 * value / (double)counts->edge_incidences;
  case BENCH_UNSEW:
    return 1e9 * value / (double)counts->plane_faces;
  default:
    return 1e9 * value / (double)counts->cells;
  }
}

bench_figures bench_measure(const bench_lattice *lattice, bench_memory *memory, int repetitions) {
  double *values[BENCH_FIGURES];
  for (int f = 0; f < BENCH_FIGURES; f++) {
    values[f] = malloc((size_t)repetitions * sizeof *values[f]);
    if (!values[f]) bench_fail("out of memory");
  }
  clv_map_destroy(build(lattice, memory)); // so that the first repetition finds its memory as the others do
  for (int r = 0; r < repetitions; r++) {
    const bench_figures once = measure_once(lattice, memory);
    for (int f = 0; f < BENCH_FIGURES; f++) values[f][r] = once.of[f];
  }
  bench_figures result;
  for (int f = 0; f < BENCH_FIGURES; f++) {
    result.of[f] = per_unit((bench_figure)f, &lattice->expected, bench_best(values[f], (size_t)repetitions));
    free(values[f]);
  }
  return result;
}

static void report_problem(void *user, const clv_problem *problem) {
  (void)user;
  bench_fail("%s: %s", problem->condition, problem->message);
}

static void self_test(bench_shape shape) {
  bench_memory memory = {0};
  bench_lattice lattice;
  bench_lattice_make(&lattice, shape, 4, &memory);
  clv_map *map = build(&lattice, &memory);
  add_edge_values(map);
  require(map, clv_map_check(map, report_problem, NULL));
  check_counts(map, &lattice.expected, false);
  time_cut(&lattice, map);
  require(map, clv_map_check(map, report_problem, NULL));
  check_counts(map, &lattice.expected, true);
  clv_map_destroy(map);
  bench_lattice_free(&lattice);
  bench_check("bytes left behind", memory.held, 0);
}

void bench_measure_self_test(void) {
  for (int shape = 0; shape < BENCH_SHAPES; shape++) self_test((bench_shape)shape);
}
