// Writes .stl files: text, with doubles that read back exactly and a solid for each run of elements of one region; or
// binary, whose coordinates are 32-bit floats and whose regions have 16 bits.
//
// There are triangles and nothing else: points that no triangle uses, fields, and the names of regions in a binary
// file, have no place.

#include "io/formats.h"
#include "io/groups.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { STL_HEADER = 80 };

static char stl_mend(char c) {
  return (unsigned char)c < ' ' ? '_' : c;
}

// Of length 1, or 0 when the triangle has no area that a double can tell.
static void stl_normal(const clv_mesh *mesh, const uint32_t *corners, double normal[3]) {
  double a[3], b[3];
  for (int c = 0; c < 3; c++) {
    a[c] = mesh->points[corners[1]][c] - mesh->points[corners[0]][c];
    b[c] = mesh->points[corners[2]][c] - mesh->points[corners[0]][c];
  }
  for (int c = 0; c < 3; c++) normal[c] = a[(c + 1) % 3] * b[(c + 2) % 3] - a[(c + 2) % 3] * b[(c + 1) % 3];
  double length = sqrt(normal[0] * normal[0] + normal[1] * normal[1] + normal[2] * normal[2]);
  bool is_usable = length > 0 && isfinite(length);
  for (int c = 0; c < 3; c++) normal[c] = is_usable ? normal[c] / length : 0;
}

// ---- text -----------------------------------------------------------------------------------------------------------

static void stl_put_facet(io_writer *w, const clv_mesh *mesh, size_t element) {
  size_t count;
  const uint32_t *corners = io_corners(mesh, element, &count);
  double normal[3];
  stl_normal(mesh, corners, normal);
  io_putf(w, "facet normal %.9g %.9g %.9g\nouter loop\n", normal[0], normal[1], normal[2]);
  for (size_t i = 0; i < count; i++) {
    io_put_text(w, "vertex ");
    for (int c = 0; c < 3; c++) io_emit_real(w, mesh->points[corners[i]][c]);
    io_emit_line(w);
  }
  io_put_text(w, "endloop\nendfacet\n");
}

static void stl_put_solid_line(io_writer *w, const char *word, const io_group_names *names, size_t element) {
  io_put_text(w, word);
  if (element < names->mesh->element_count && names->mesh->tags[element]) {
    io_put_text(w, " ");
    io_put_group(w, names, element, stl_mend);
  }
  io_put_text(w, "\n");
}

static void stl_write_text(io_writer *w, const clv_mesh *mesh) {
  io_group_names names;
  if (!io_group_names_open(&names, w, mesh)) return;
  size_t e = 0;
  do {
    size_t first = e;
    stl_put_solid_line(w, "solid", &names, first);
    for (; e < mesh->element_count && (e == first || io_same_group(mesh, e)); e++) stl_put_facet(w, mesh, e);
    stl_put_solid_line(w, "endsolid", &names, first);
  } while (e < mesh->element_count);
  io_group_names_close(&names, w);
}

// ---- binary ---------------------------------------------------------------------------------------------------------

static void stl_put_float(io_writer *w, double value) {
  float narrow = (float)value;
  uint32_t bits;
  memcpy(&bits, &narrow, sizeof bits);
  io_put_bits(w, bits, sizeof bits);
}

static bool stl_fits(io_writer *w, const clv_mesh *mesh, size_t element) {
  if (mesh->tags[element] < 0 || mesh->tags[element] > UINT16_MAX) {
    return io_refuse(w, "element %zu is of region %d, a binary STL file has regions 0 to 65535; write it as text",
                     element, mesh->tags[element]);
  }
  size_t count;
  const uint32_t *corners = io_corners(mesh, element, &count);
  for (size_t i = 0; i < 3 * count; i++) {
    if (fabs(mesh->points[corners[i / 3]][i % 3]) <= (double)FLT_MAX) continue;
    return io_refuse(w, "point %u does not fit the 32-bit floats of a binary STL file; write it as text",
                     corners[i / 3]);
  }
  return true;
}

static void stl_write_binary(io_writer *w, const clv_mesh *mesh) {
  char header[STL_HEADER] = "binary STL"; // anything but "solid"
  io_put(w, header, sizeof header);
  if (mesh->element_count > UINT32_MAX) io_refuse(w, "STL files count triangles with 32 bits");
  io_put_bits(w, mesh->element_count, 4);
  for (size_t e = 0; e < mesh->element_count && io_writer_ok(w); e++) {
    if (!stl_fits(w, mesh, e)) return;
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    double normal[3];
    stl_normal(mesh, corners, normal);
    for (int c = 0; c < 3; c++) stl_put_float(w, normal[c]);
    for (size_t i = 0; i < 3 * count; i++) stl_put_float(w, mesh->points[corners[i / 3]][i % 3]);
    io_put_bits(w, (uint64_t)mesh->tags[e], 2);
  }
}

void io_stl_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  if (!io_check_kinds(w, mesh, IO_KIND(CLV_TRI), "STL files")) return;
  if (variant.encoding == IO_BINARY) {
    stl_write_binary(w, mesh);
  } else {
    stl_write_text(w, mesh);
  }
}
