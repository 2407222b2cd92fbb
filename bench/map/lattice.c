#include "lattice.h"

const char *bench_shape_name(bench_shape shape) {
  return shape == BENCH_HEX ? "hex" : "tet";
}

static bench_counts count_hex(size_t n) {
  const size_t m = n + 1, cells = n * n * n;
  return (bench_counts){.cells = cells,
                        .vertices = m * m * m,
                        .edges = 3 * n * m * m,
                        .faces = 3 * n * n * m,
                        .vertex_incidences = 8 * cells,
                        .edge_incidences = 12 * cells,
                        .plane_vertices = m * m,
                        .plane_edges = 2 * n * m,
                        .plane_faces = n * n};
}

// The hexahedral lattice with a diagonal on every square, and four triangles inside every cube.
static bench_counts count_tet(size_t n) {
  const bench_counts hex = count_hex(n);
  return (bench_counts){.cells = 5 * hex.cells,
                        .vertices = hex.vertices,
                        .edges = hex.edges + hex.faces,
                        .faces = 2 * hex.faces + 4 * hex.cells,
                        .vertex_incidences = 4 * 5 * hex.cells,
                        .edge_incidences = 6 * 5 * hex.cells,
                        .plane_vertices = hex.plane_vertices,
                        .plane_edges = hex.plane_edges + hex.plane_faces,
                        .plane_faces = 2 * hex.plane_faces};
}

void bench_lattice_make(bench_lattice *lattice, bench_shape shape, uint32_t n, bench_memory *memory) {
  lattice->shape = shape;
  lattice->n = n;
  lattice->kind = shape == BENCH_HEX ? CLV_HEX : CLV_TET;
  lattice->plane = 0.5 * n;
  lattice->expected = shape == BENCH_HEX ? count_hex(n) : count_tet(n);

  const clv_allocator allocator = bench_memory_allocator(memory);
  clv_mesh_init(&lattice->mesh, &allocator);
  clv_grid_def def = clv_default_grid_def();
  def.kind = shape == BENCH_HEX ? CLV_GRID_HEX : CLV_GRID_TET5;
  def.shared = false;
  for (int axis = 0; axis < 3; axis++) {
    def.cells[axis] = n;
    def.size[axis] = n;
  }
  clv_error error;
  if (clv_mesh_grid(&lattice->mesh, &def, &error)) bench_fail("grid: %s", error.message);
  bench_check("elements", lattice->mesh.element_count, lattice->expected.cells);
}

void bench_lattice_free(bench_lattice *lattice) {
  clv_mesh_free(&lattice->mesh);
}
