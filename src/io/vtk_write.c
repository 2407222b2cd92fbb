// Writes VTK's legacy files: version 4.2, which everything reads, and 5.1, which has 64-bit cells; text or binary.
//
// All elements are one unstructured grid. Regions are integers on the cells, fields are arrays of a FIELD, which unlike
// SCALARS or VECTORS take any number of components. The names of regions have no place in the format and stay behind.

#include "io/formats.h"
#include "io/vtk_cells.h"

#include <string.h>

// Ends an array: binary data end without a line break of their own.
static void vtk_end_array(io_writer *w) {
  if (w->binary) io_put_text(w, "\n");
}

static void vtk_put_points(io_writer *w, const clv_mesh *mesh) {
  io_putf(w, "POINTS %zu double\n", mesh->point_count);
  for (size_t i = 0; i < mesh->point_count; i++) {
    for (int c = 0; c < 3; c++) io_emit_real(w, mesh->points[i][c]);
    io_emit_line(w);
  }
  vtk_end_array(w);
}

static size_t vtk_corner_count(const clv_mesh *mesh) {
  return mesh->element_count ? mesh->offsets[mesh->element_count] : 0;
}

// Each cell with its number of corners in front.
static void vtk_put_cells4(io_writer *w, const clv_mesh *mesh) {
  io_putf(w, "CELLS %zu %zu\n", mesh->element_count, mesh->element_count + vtk_corner_count(mesh));
  for (size_t e = 0; e < mesh->element_count; e++) {
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    io_emit_integer(w, (int64_t)count, 4);
    for (size_t i = 0; i < count; i++) io_emit_integer(w, corners[i], 4);
    io_emit_line(w);
  }
  vtk_end_array(w);
}

// Offsets and corners apart. The number of cells is that of the offsets, one more than there are.
static void vtk_put_cells5(io_writer *w, const clv_mesh *mesh) {
  io_putf(w, "CELLS %zu %zu\nOFFSETS vtktypeint64\n", mesh->element_count + 1, vtk_corner_count(mesh));
  for (size_t e = 0; e <= mesh->element_count; e++) {
    io_emit_integer(w, mesh->element_count ? (int64_t)mesh->offsets[e] : 0, 8);
    io_emit_line(w);
  }
  vtk_end_array(w);
  io_put_text(w, "CONNECTIVITY vtktypeint64\n");
  for (size_t e = 0; e < mesh->element_count; e++) {
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    for (size_t i = 0; i < count; i++) io_emit_integer(w, corners[i], 8);
    io_emit_line(w);
  }
  vtk_end_array(w);
}

static void vtk_put_types(io_writer *w, const clv_mesh *mesh) {
  io_putf(w, "CELL_TYPES %zu\n", mesh->element_count);
  for (size_t e = 0; e < mesh->element_count; e++) {
    io_emit_integer(w, io_vtk_type_of_kind((clv_kind)mesh->kinds[e]), 4);
    io_emit_line(w);
  }
  vtk_end_array(w);
}

// ---- values ---------------------------------------------------------------------------------------------------------

// Words end at blanks, so VTK writes those, and what else might confuse, as % and two digits.
static void vtk_put_name(io_writer *w, const char *name) {
  if (!*name) io_put_text(w, "field");
  for (; *name; name++) {
    unsigned char c = (unsigned char)*name;
    if (c <= ' ' || c == '%' || c == '"' || c > '~') {
      io_putf(w, "%%%02X", c);
    } else {
      io_put(w, name, 1);
    }
  }
}

static void vtk_put_regions(io_writer *w, const clv_mesh *mesh) {
  io_putf(w, "%s 1 %zu int\n", IO_VTK_REGION, mesh->element_count);
  for (size_t e = 0; e < mesh->element_count; e++) {
    io_emit_integer(w, mesh->tags[e], 4);
    io_emit_line(w);
  }
  vtk_end_array(w);
}

static void vtk_put_field(io_writer *w, const clv_field *field) {
  vtk_put_name(w, field->name);
  io_putf(w, " %u %zu double\n", field->components, field->count);
  for (size_t i = 0; i < field->count; i++) {
    for (uint32_t c = 0; c < field->components; c++) io_emit_real(w, field->values[i * field->components + c]);
    io_emit_line(w);
  }
  vtk_end_array(w);
}

static void vtk_put_fields(io_writer *w, const clv_mesh *mesh, clv_field_place place, bool regions) {
  size_t array_count = regions;
  for (size_t f = 0; f < mesh->field_count; f++) array_count += mesh->fields[f].place == place;
  if (array_count == 0) return;
  if (place == CLV_ON_POINTS) {
    io_putf(w, "POINT_DATA %zu\n", mesh->point_count);
  } else {
    io_putf(w, "CELL_DATA %zu\n", mesh->element_count);
  }
  io_putf(w, "FIELD FieldData %zu\n", array_count);
  if (regions) vtk_put_regions(w, mesh);
  for (size_t f = 0; f < mesh->field_count; f++) {
    if (mesh->fields[f].place == place) vtk_put_field(w, &mesh->fields[f]);
  }
}

void io_vtk_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  w->binary = variant.encoding == IO_BINARY;
  w->big_endian = true;
  if (variant.version == 4 && (mesh->point_count > INT32_MAX || vtk_corner_count(mesh) > INT32_MAX)) {
    io_refuse(w, "version 4.2 of VTK's files counts with 31 bits; write vtk5 or vtu");
    return;
  }
  io_putf(w, "# vtk DataFile Version %s\nCleave mesh\n%s\nDATASET UNSTRUCTURED_GRID\n",
          variant.version == 4 ? "4.2" : "5.1", w->binary ? "BINARY" : "ASCII");
  vtk_put_points(w, mesh);
  if (variant.version == 4) {
    vtk_put_cells4(w, mesh);
  } else {
    vtk_put_cells5(w, mesh);
  }
  vtk_put_types(w, mesh);
  vtk_put_fields(w, mesh, CLV_ON_POINTS, false);
  vtk_put_fields(w, mesh, CLV_ON_ELEMENTS, io_has_regions(mesh));
}
