// Writes MEDIT's files: text of version 2; binary of version 2, or of version 3 when places need more than 31 bits.
//
// Elements stand in sections by kind, so their order changes and reading gives them back in the order of the sections.
// Regions are references; a field "ref" of whole numbers on the points is the references of the vertices. There is no
// place for other fields, for names of regions, for points as elements, for polygons and polyhedra.

#include "io/formats.h"
#include "io/medit_sections.h"

static void medit_count_kinds(const clv_mesh *mesh, size_t counts[CLV_KIND_COUNT]) {
  for (size_t e = 0; e < mesh->element_count; e++) counts[mesh->kinds[e]]++;
}

bool io_medit_keeps(const clv_mesh *mesh, const clv_field *field) {
  return field == io_find_field(mesh, "ref", CLV_ON_POINTS, 1) && io_field_is_whole(field, INT32_MIN, INT32_MAX);
}

static const clv_field *medit_references(const clv_mesh *mesh) {
  const clv_field *field = io_find_field(mesh, "ref", CLV_ON_POINTS, 1);
  return field && io_medit_keeps(mesh, field) ? field : NULL;
}

// The head of a section: its keyword and the number of its rows of so many bytes, each a line of a text.
static void medit_put_head(io_writer *w, const char *keyword, int32_t code, size_t count, size_t row_bytes,
                           size_t position_bytes) {
  if (w->binary) {
    io_put_bits(w, (uint64_t)code, 4);
    io_put_bits(w, w->size + position_bytes + 4 + count * row_bytes, position_bytes);
    io_put_bits(w, count, 4);
  } else {
    io_putf(w, "%s\n%zu\n", keyword, count);
  }
}

static void medit_put_vertices(io_writer *w, const clv_mesh *mesh, size_t position_bytes) {
  const clv_field *references = medit_references(mesh);
  medit_put_head(w, "Vertices", MEDIT_VERTICES, mesh->point_count, 3 * 8 + 4, position_bytes);
  for (size_t i = 0; i < mesh->point_count; i++) {
    for (int c = 0; c < 3; c++) io_emit_real(w, mesh->points[i][c]);
    io_emit_integer(w, references ? (int64_t)references->values[i] : 0, 4);
    io_emit_line(w);
  }
}

static void medit_put_section(io_writer *w, const clv_mesh *mesh, const medit_section *section, size_t count,
                              size_t position_bytes) {
  if (count == 0) return;
  medit_put_head(w, section->keyword, section->code, count, 4 * (section->nodes + 1u), position_bytes);
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (mesh->kinds[e] != section->kind) continue;
    size_t corner_count;
    const uint32_t *corners = io_corners(mesh, e, &corner_count);
    for (size_t i = 0; i < corner_count; i++) io_emit_integer(w, (int64_t)corners[i] + 1, 4);
    io_emit_integer(w, mesh->tags[e], 4);
    io_emit_line(w);
  }
}

static void medit_put_start(io_writer *w, size_t position_bytes) {
  if (w->binary) {
    io_put_bits(w, 1, 4); // tells the byte order
    io_put_bits(w, position_bytes == 4 ? 2 : 3, 4);
    io_put_bits(w, MEDIT_DIMENSION, 4);
    io_put_bits(w, w->size + position_bytes + 4, position_bytes);
    io_put_bits(w, 3, 4);
  } else {
    io_put_text(w, "MeshVersionFormatted 2\nDimension 3\n");
  }
}

static void medit_put_end(io_writer *w, size_t position_bytes) {
  if (w->binary) {
    io_put_bits(w, MEDIT_END, 4);
    io_put_bits(w, 0, position_bytes);
  } else {
    io_put_text(w, "End\n");
  }
}

// Whether a binary file is sure to end before byte 2^31.
static bool medit_is_small(const clv_mesh *mesh) {
  size_t corner_count = mesh->element_count ? mesh->offsets[mesh->element_count] : 0;
  return mesh->point_count * 28 + (mesh->element_count + corner_count) * 4 + 1024 < INT32_MAX;
}

void io_medit_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  unsigned kinds = 0;
  for (int i = 0; i < MEDIT_FIRST_ORDER; i++) kinds |= IO_KIND(medit_sections[i].kind);
  if (!io_check_kinds(w, mesh, kinds, "MEDIT files")) return;
  if (mesh->point_count > INT32_MAX || mesh->element_count > INT32_MAX) {
    io_refuse(w, "MEDIT files of this version number vertices with 31 bits");
    return;
  }
  w->binary = variant.encoding == IO_BINARY;
  size_t position_bytes = medit_is_small(mesh) ? 4 : 8;
  size_t counts[CLV_KIND_COUNT] = {0};
  medit_count_kinds(mesh, counts);
  medit_put_start(w, position_bytes);
  medit_put_vertices(w, mesh, position_bytes);
  for (int i = 0; i < MEDIT_FIRST_ORDER; i++) {
    medit_put_section(w, mesh, &medit_sections[i], counts[medit_sections[i].kind], position_bytes);
  }
  medit_put_end(w, position_bytes);
}
