// Writes .inp files that CalculiX and Abaqus read: nodes, elements in runs of one type and region, each run in the
// element set of its region, and node sets.
//
// Nodes and elements are numbered from 1 in the order of the mesh, which reading keeps. Fields of 0 and 1 on points are
// node sets. Solvers read 20 characters of a number, so a coordinate that needs more is rounded to what fits, 13 digits
// at the least. Names of regions become labels: what a label cannot hold becomes '_', and it has 80 characters at the
// most. There is no place for other fields, and points, polygons and polyhedra are refused. Names must differ in more
// than their case, or the regions become one.

#include "io/formats.h"
#include "io/groups.h"
#include "io/number.h"

#include <ctype.h>
#include <stdio.h>
#include <string.h>

enum { ABAQUS_NUMBER = 20, ABAQUS_LABEL = 80, ABAQUS_PER_LINE = 8 };

static const char *const abaqus_types[CLV_KIND_COUNT] = {
    [CLV_TET] = "C3D4", [CLV_PYRAMID] = "C3D5", [CLV_PRISM] = "C3D6", [CLV_HEX] = "C3D8",
    [CLV_TRI] = "S3",   [CLV_QUAD] = "S4",      [CLV_LINE] = "T3D2",
};

static char abaqus_mend(char c) {
  return isalnum((unsigned char)c) || c == '-' || c == '_' || c == '.' ? c : '_';
}

bool io_abaqus_keeps(const clv_mesh *mesh, const clv_field *field) {
  (void)mesh;
  return field->place == CLV_ON_POINTS && field->components == 1 && io_field_is_whole(field, 0, 1);
}

static void abaqus_put_real(io_writer *w, double value) {
  char text[IO_REAL_SIZE];
  size_t size = io_format_real(value, text);
  for (int digits = 16; size > ABAQUS_NUMBER; digits--) {
    size = (size_t)snprintf(text, sizeof text, "%.*e", digits, value);
  }
  io_put(w, text, size);
}

// Ends the line of a label that began at `begin`, and cuts what is too long.
static void abaqus_end_label(io_writer *w, size_t begin) {
  if (io_writer_ok(w) && w->size - begin > ABAQUS_LABEL) w->size = begin + ABAQUS_LABEL;
  io_put_text(w, "\n");
}

static void abaqus_put_nodes(io_writer *w, const clv_mesh *mesh) {
  io_put_text(w, "*NODE\n");
  for (size_t i = 0; i < mesh->point_count; i++) {
    io_put_integer(w, (int64_t)i + 1);
    for (int c = 0; c < 3; c++) {
      io_put_text(w, ", ");
      abaqus_put_real(w, mesh->points[i][c]);
    }
    io_put_text(w, "\n");
  }
}

static void abaqus_put_elements(io_writer *w, const clv_mesh *mesh, const io_group_names *names) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (!io_same_group(mesh, e) || mesh->kinds[e] != mesh->kinds[e - 1]) {
      io_putf(w, "*ELEMENT, TYPE=%s", abaqus_types[mesh->kinds[e]]);
      size_t begin = w->size;
      if (mesh->tags[e]) {
        io_put_text(w, ", ELSET=");
        begin = w->size;
        io_put_group(w, names, e, abaqus_mend);
      }
      abaqus_end_label(w, begin);
    }
    io_put_integer(w, (int64_t)e + 1);
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    for (size_t i = 0; i < count; i++) {
      io_put_text(w, ", ");
      io_put_integer(w, (int64_t)corners[i] + 1);
    }
    io_put_text(w, "\n");
  }
}

static void abaqus_put_node_set(io_writer *w, const clv_field *field) {
  io_put_text(w, "*NSET, NSET=");
  size_t begin = w->size;
  for (const char *name = field->name; *name; name++) io_put(w, (char[]){abaqus_mend(*name)}, 1);
  abaqus_end_label(w, begin);
  size_t in_line = 0;
  for (size_t i = 0; i < field->count; i++) {
    if (field->values[i] == 0) continue;
    if (in_line) io_put_text(w, in_line % ABAQUS_PER_LINE ? ", " : "\n");
    io_put_integer(w, (int64_t)i + 1);
    in_line++;
  }
  if (in_line) io_put_text(w, "\n");
}

void io_abaqus_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  (void)variant;
  unsigned kinds = 0;
  for (int kind = 0; kind < CLV_KIND_COUNT; kind++) kinds |= abaqus_types[kind] ? IO_KIND(kind) : 0;
  if (!io_check_kinds(w, mesh, kinds, "Abaqus files")) return;
  if (mesh->point_count > INT32_MAX || mesh->element_count > INT32_MAX) {
    io_refuse(w, "Abaqus files number nodes and elements with 31 bits");
    return;
  }
  io_group_names names;
  if (!io_group_names_open(&names, w, mesh)) return;
  abaqus_put_nodes(w, mesh);
  abaqus_put_elements(w, mesh, &names);
  for (size_t f = 0; f < mesh->field_count; f++) {
    if (io_abaqus_keeps(mesh, &mesh->fields[f])) abaqus_put_node_set(w, &mesh->fields[f]);
  }
  io_group_names_close(&names, w);
}
