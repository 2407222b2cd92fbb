// Writes .ply files: text, or binary and little-endian.
//
// Points are vertices; triangles, quadrangles and polygons are faces; lines are edges, behind the faces. Regions are an
// integer "region" on faces and edges. Fields are doubles, "normal" and "color" by the names that programs look for,
// others of several components as a_0 a_1 a_2. Colours that are whole numbers from 0 to 255 are bytes, which is what
// programs expect. Names of regions and volumes have no place.

#include "io/formats.h"

#include <stdio.h>
#include <string.h>

typedef struct ply_output {
  io_writer *w;
  const clv_mesh *mesh;
  bool has_regions;
  size_t face_count, edge_count;
  bool has_byte_colors[2]; // by place
  const char *length_type; // of the lists of corners
  size_t length_bytes;
} ply_output;

static bool ply_is_edge(const clv_mesh *mesh, size_t element) {
  return mesh->kinds[element] == CLV_LINE;
}

static bool ply_is_color(const clv_field *field) {
  return strcmp(field->name, "color") == 0 && (field->components == 3 || field->components == 4);
}

static bool ply_is_byte_color(const ply_output *o, const clv_field *field) {
  return ply_is_color(field) && o->has_byte_colors[field->place];
}

// ---- the header -----------------------------------------------------------------------------------------------------

// A name is one word, and none of those that mean something else.
static void ply_put_name(io_writer *w, const char *name) {
  static const char *const taken[] = {"x", "y", "z", "region", "vertex1", "vertex2", "vertex_indices", "vertex_index"};
  bool is_taken = *name == '\0';
  for (size_t i = 0; i < sizeof taken / sizeof *taken; i++) is_taken |= strcmp(name, taken[i]) == 0;
  for (; *name; name++) io_put(w, (unsigned char)*name <= ' ' ? "_" : name, 1);
  if (is_taken) io_put_text(w, "_");
}

static void ply_put_properties(const ply_output *o, clv_field_place place) {
  static const char *const color[] = {"red", "green", "blue", "alpha"}, *const normal[] = {"nx", "ny", "nz"};
  io_writer *w = o->w;
  for (size_t f = 0; f < o->mesh->field_count; f++) {
    const clv_field *field = &o->mesh->fields[f];
    if (field->place != place) continue;
    bool is_normal = strcmp(field->name, "normal") == 0 && field->components == 3;
    for (uint32_t c = 0; c < field->components; c++) {
      io_putf(w, "property %s ", ply_is_byte_color(o, field) ? "uchar" : "double");
      if (is_normal || ply_is_color(field)) {
        io_put_text(w, is_normal ? normal[c] : color[c]);
      } else {
        ply_put_name(w, field->name);
        if (field->components > 1) io_putf(w, "_%u", c);
      }
      io_put_text(w, "\n");
    }
  }
}

static void ply_put_cell_properties(const ply_output *o) {
  if (o->has_regions) io_put_text(o->w, "property int region\n");
  ply_put_properties(o, CLV_ON_ELEMENTS);
}

static void ply_put_header(const ply_output *o) {
  io_writer *w = o->w;
  io_putf(w, "ply\nformat %s 1.0\n", w->binary ? "binary_little_endian" : "ascii");
  io_putf(w, "element vertex %zu\nproperty double x\nproperty double y\nproperty double z\n", o->mesh->point_count);
  ply_put_properties(o, CLV_ON_POINTS);
  if (o->face_count || !o->edge_count) {
    io_putf(w, "element face %zu\nproperty list %s int vertex_indices\n", o->face_count, o->length_type);
    ply_put_cell_properties(o);
  }
  if (o->edge_count) {
    io_putf(w, "element edge %zu\nproperty int vertex1\nproperty int vertex2\n", o->edge_count);
    ply_put_cell_properties(o);
  }
  io_put_text(w, "end_header\n");
}

// ---- the rows -------------------------------------------------------------------------------------------------------

static void ply_put_values(const ply_output *o, clv_field_place place, size_t i) {
  for (size_t f = 0; f < o->mesh->field_count; f++) {
    const clv_field *field = &o->mesh->fields[f];
    if (field->place != place) continue;
    bool is_byte = ply_is_byte_color(o, field);
    for (uint32_t c = 0; c < field->components; c++) {
      double value = field->values[i * field->components + c];
      if (is_byte) {
        io_emit_integer(o->w, (int64_t)value, 1);
      } else {
        io_emit_real(o->w, value);
      }
    }
  }
}

static void ply_put_points(const ply_output *o) {
  for (size_t i = 0; i < o->mesh->point_count; i++) {
    for (int c = 0; c < 3; c++) io_emit_real(o->w, o->mesh->points[i][c]);
    ply_put_values(o, CLV_ON_POINTS, i);
    io_emit_line(o->w);
  }
}

static void ply_put_cell(const ply_output *o, size_t element) {
  io_writer *w = o->w;
  size_t count;
  const uint32_t *corners = io_corners(o->mesh, element, &count);
  if (!ply_is_edge(o->mesh, element)) io_emit_integer(w, (int64_t)count, o->length_bytes);
  for (size_t i = 0; i < count; i++) io_emit_integer(w, corners[i], 4);
  if (o->has_regions) io_emit_integer(w, o->mesh->tags[element], 4);
  ply_put_values(o, CLV_ON_ELEMENTS, element);
  io_emit_line(w);
}

static void ply_measure(ply_output *o) {
  size_t longest = 0;
  for (size_t e = 0; e < o->mesh->element_count; e++) {
    size_t count = o->mesh->offsets[e + 1] - o->mesh->offsets[e];
    bool is_edge = ply_is_edge(o->mesh, e);
    o->edge_count += is_edge;
    o->face_count += !is_edge;
    if (!is_edge && count > longest) longest = count;
  }
  for (size_t f = 0; f < o->mesh->field_count; f++) {
    const clv_field *field = &o->mesh->fields[f];
    if (ply_is_color(field)) o->has_byte_colors[field->place] = io_field_is_whole(field, 0, 255);
  }
  o->length_type = longest <= UINT8_MAX ? "uchar" : "uint";
  o->length_bytes = longest <= UINT8_MAX ? 1 : 4;
}

void io_ply_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  unsigned kinds = IO_KIND(CLV_TRI) | IO_KIND(CLV_QUAD) | IO_KIND(CLV_POLYGON) | IO_KIND(CLV_LINE);
  if (!io_check_kinds(w, mesh, kinds, "PLY files")) return;
  if (mesh->point_count > INT32_MAX) {
    io_refuse(w, "PLY files that programs read number vertices with 31 bits");
    return;
  }
  ply_output o = {.w = w, .mesh = mesh, .has_regions = io_has_regions(mesh)};
  w->binary = variant.encoding == IO_BINARY;
  ply_measure(&o);
  ply_put_header(&o);
  ply_put_points(&o);
  for (int edges = 0; edges < 2; edges++) {
    for (size_t e = 0; e < mesh->element_count; e++) {
      if (ply_is_edge(mesh, e) == edges) ply_put_cell(&o, e);
    }
  }
}
