// Writes Wavefront's .obj files: vertices, faces, lines and points, in the order of the mesh, with regions as groups.
//
// A field "color" of three components on the points stands behind the coordinates, as many programs read it. There is
// no place for other fields, and volumes are refused.

#include "io/formats.h"
#include "io/groups.h"

static char obj_mend(char c) {
  return (unsigned char)c < ' ' || c == '\\' || c == '#' ? '_' : c;
}

bool io_obj_keeps(const clv_mesh *mesh, const clv_field *field) {
  return field == io_find_field(mesh, "color", CLV_ON_POINTS, 3);
}

static void obj_put_vertices(io_writer *w, const clv_mesh *mesh) {
  const clv_field *colors = io_find_field(mesh, "color", CLV_ON_POINTS, 3);
  for (size_t i = 0; i < mesh->point_count; i++) {
    io_put_text(w, "v ");
    for (int c = 0; c < 3; c++) io_emit_real(w, mesh->points[i][c]);
    for (size_t c = 0; colors && c < 3; c++) io_emit_real(w, colors->values[3 * i + c]);
    io_emit_line(w);
  }
}

static void obj_put_element(io_writer *w, const clv_mesh *mesh, size_t element) {
  int dimension = clv_kind_dimension((clv_kind)mesh->kinds[element]);
  io_put_text(w, dimension == 2 ? "f " : dimension == 1 ? "l " : "p ");
  size_t count;
  const uint32_t *corners = io_corners(mesh, element, &count);
  for (size_t i = 0; i < count; i++) io_emit_integer(w, (int64_t)corners[i] + 1, 4);
  io_emit_line(w);
}

static void obj_put_elements(io_writer *w, const clv_mesh *mesh, const io_group_names *names) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    bool starts_without = e == 0 && mesh->tags[0] == 0;
    if (!io_same_group(mesh, e) && !starts_without) {
      io_put_text(w, "g ");
      if (mesh->tags[e]) {
        io_put_group(w, names, e, obj_mend);
      } else {
        io_put_text(w, "default");
      }
      io_put_text(w, "\n");
    }
    obj_put_element(w, mesh, e);
  }
}

void io_obj_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  (void)variant;
  unsigned kinds = IO_KIND(CLV_TRI) | IO_KIND(CLV_QUAD) | IO_KIND(CLV_POLYGON) | IO_KIND(CLV_LINE) | IO_KIND(CLV_POINT);
  if (!io_check_kinds(w, mesh, kinds, "OBJ files")) return;
  io_group_names names;
  if (!io_group_names_open(&names, w, mesh)) return;
  obj_put_vertices(w, mesh);
  obj_put_elements(w, mesh, &names);
  io_group_names_close(&names, w);
}
