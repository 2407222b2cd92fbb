// Writes TetGen's files. A mesh is a set of them: .node, .ele, .face and .edge, each made by one call; a surface of
// triangles, quadrangles and polygons is one .smesh file, which TetGen fills with tetrahedra.
//
// Things are numbered from 1. Regions are the attribute of a tetrahedron and the marker of a face or edge; "attribute"
// and "marker" on points go where TetGen has them. There is no place for other fields and for names of regions.

#include "io/formats.h"

static const clv_field *tetgen_attributes(const clv_mesh *mesh) {
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *field = &mesh->fields[f];
    if (field == io_find_field(mesh, "attribute", CLV_ON_POINTS, field->components)) return field;
  }
  return NULL;
}

static const clv_field *tetgen_markers(const clv_mesh *mesh) {
  const clv_field *field = io_find_field(mesh, "marker", CLV_ON_POINTS, 1);
  return field && io_field_is_whole(field, INT32_MIN, INT32_MAX) ? field : NULL;
}

bool io_tetgen_keeps(const clv_mesh *mesh, const clv_field *field) {
  return field == tetgen_attributes(mesh) || field == tetgen_markers(mesh);
}

static void tetgen_put_nodes(io_writer *w, const clv_mesh *mesh) {
  const clv_field *attributes = tetgen_attributes(mesh), *markers = tetgen_markers(mesh);
  uint32_t components = attributes ? attributes->components : 0;
  io_putf(w, "%zu 3 %u %d\n", mesh->point_count, components, markers != NULL);
  for (size_t i = 0; i < mesh->point_count; i++) {
    io_emit_integer(w, (int64_t)i + 1, 4);
    for (int c = 0; c < 3; c++) io_emit_real(w, mesh->points[i][c]);
    for (uint32_t a = 0; a < components; a++) io_emit_real(w, attributes->values[i * components + a]);
    if (markers) io_emit_integer(w, (int64_t)markers->values[i], 4);
    io_emit_line(w);
  }
}

static void tetgen_put_corners(io_writer *w, const clv_mesh *mesh, size_t element) {
  size_t count;
  const uint32_t *corners = io_corners(mesh, element, &count);
  for (size_t i = 0; i < count; i++) io_emit_integer(w, (int64_t)corners[i] + 1, 4);
}

// All elements of a kind behind a head line: their number, and what the rest of that line is.
static void tetgen_put_elements(io_writer *w, const clv_mesh *mesh, clv_kind kind, const char *rest, bool has_regions) {
  size_t count = 0;
  for (size_t e = 0; e < mesh->element_count; e++) count += mesh->kinds[e] == kind;
  io_putf(w, "%zu %s%d\n", count, rest, has_regions);
  size_t number = 0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (mesh->kinds[e] != kind) continue;
    io_emit_integer(w, (int64_t)++number, 4);
    tetgen_put_corners(w, mesh, e);
    if (has_regions) io_emit_integer(w, mesh->tags[e], 4);
    io_emit_line(w);
  }
}

static void tetgen_put_surface(io_writer *w, const clv_mesh *mesh) {
  tetgen_put_nodes(w, mesh);
  io_putf(w, "%zu 1\n", mesh->element_count);
  for (size_t e = 0; e < mesh->element_count; e++) {
    io_emit_integer(w, (int64_t)(mesh->offsets[e + 1] - mesh->offsets[e]), 4);
    tetgen_put_corners(w, mesh, e);
    io_emit_integer(w, mesh->tags[e], 4);
    io_emit_line(w);
  }
  io_put_text(w, "0\n0\n"); // neither holes nor regions
}

void io_tetgen_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  unsigned solids = IO_KIND(CLV_TET) | IO_KIND(CLV_TRI) | IO_KIND(CLV_LINE);
  unsigned faces = IO_KIND(CLV_TRI) | IO_KIND(CLV_QUAD) | IO_KIND(CLV_POLYGON);
  bool is_surface = variant.version == IO_TETGEN_SURFACE;
  if (!io_check_kinds(w, mesh, is_surface ? faces : solids, is_surface ? "TetGen's surfaces" : "TetGen's meshes"))
    return;
  switch (variant.version) {
  case IO_TETGEN_NODE:
    tetgen_put_nodes(w, mesh);
    break;
  case IO_TETGEN_ELE:
    tetgen_put_elements(w, mesh, CLV_TET, "4 ", io_has_regions(mesh));
    break;
  case IO_TETGEN_FACE:
    tetgen_put_elements(w, mesh, CLV_TRI, "", true);
    break;
  case IO_TETGEN_EDGE:
    tetgen_put_elements(w, mesh, CLV_LINE, "", true);
    break;
  default:
    tetgen_put_surface(w, mesh);
    break;
  }
}
