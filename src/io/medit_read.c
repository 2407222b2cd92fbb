// Reads MEDIT's files: .mesh (text) and .meshb (binary, versions 1 to 4, either byte order). Which of them a file is,
// its first bytes tell.
//
// A file is a list of sections, each a keyword, a count and as many rows of numbers; in a binary file the place of the
// next section stands before them, so that sections nobody knows can be skipped. In a text those are skipped word by
// word up to the next keyword. The last number of a row is a reference: of an element it is the region, of a vertex a
// value of the field "ref", which is there if any vertex has one. The file must end with End: what was cut off is
// noticed.

#include "io/bytes.h"
#include "io/formats.h"
#include "io/medit_sections.h"
#include "io/text.h"

#include <ctype.h>
#include <inttypes.h>
#include <string.h>

typedef struct medit {
  io_reader *r;
  int64_t version, dimension;
  size_t position_bytes, integer_bytes; // in a binary file
  bool has_vertices;
} medit;

// ---- numbers --------------------------------------------------------------------------------------------------------

static void medit_skip_comments(io_reader *r) {
  for (io_skip_blanks(r); r->at < r->end && *r->at == '#'; io_skip_blanks(r)) io_rest_of_line(r);
}

static int64_t medit_integer(medit *m, const char *what) {
  if (!m->r->binary) medit_skip_comments(m->r);
  return io_take_integer(m->r, m->integer_bytes, what);
}

static double medit_real(medit *m, const char *what) {
  io_reader *r = m->r;
  if (!r->binary) medit_skip_comments(r);
  if (!r->binary || m->version > 1) return io_take_real(r, what);
  const char *bytes = io_bytes(r, 4, what);
  return bytes ? io_real_from_bits(io_load(bytes, 4, r->big_endian), IO_FLOAT32) : 0;
}

// The number of rows of so many integers and reals.
static size_t medit_count(medit *m, const char *things, size_t integers, size_t reals) {
  io_reader *r = m->r;
  int64_t count = medit_integer(m, things);
  if (count < 0) io_fail(r, "%" PRId64 " %s are declared", count, things);
  // The last row of a text may end without a line break, and so be a byte shorter than the rows before it.
  size_t least =
      r->binary ? integers * m->integer_bytes + reals * (m->version > 1 ? 8 : 4) : 2 * (integers + reals) - 1;
  return io_room(r, (uint64_t)count, least, things) ? (size_t)count : 0;
}

// ---- sections -------------------------------------------------------------------------------------------------------

static void medit_read_version(medit *m) {
  io_reader *r = m->r;
  m->version = io_take_integer(r, 4, "the version of the format");
  if (m->version < 1 || m->version > 4) {
    io_fail(r, "MEDIT format %" PRId64 " is not supported; 1 to 4 are", m->version);
  }
  m->position_bytes = m->version < 3 ? 4 : 8;
  m->integer_bytes = m->version < 4 ? 4 : 8;
}

static void medit_read_dimension(medit *m) {
  io_reader *r = m->r;
  if (!r->binary) medit_skip_comments(r);
  m->dimension = io_take_integer(r, 4, "the dimension");
  if (m->dimension != 2 && m->dimension != 3) io_fail(r, "the dimension is 2 or 3, not %" PRId64, m->dimension);
}

// The references of the vertices become a field if there are any.
static void medit_keep_references(medit *m, const double *references, size_t count) {
  if (!io_ok(m->r)) return;
  size_t i = 0;
  while (i < count && references[i] == 0) i++;
  if (i == count) return;
  double *values = io_add_field(m->r, (io_span){"ref", 3}, CLV_ON_POINTS, 1);
  if (values) memcpy(values, references, count * sizeof *values);
}

static void medit_read_vertices(medit *m) {
  io_reader *r = m->r;
  if (m->dimension == 0) io_fail(r, "Dimension must stand before the vertices");
  if (m->has_vertices) io_fail(r, "a second section of vertices");
  m->has_vertices = true;
  size_t coordinates = m->dimension == 2 ? 2 : 3;
  size_t count = medit_count(m, "vertices", 1, coordinates);
  double *references = io_scratch_new(r, count, sizeof *references);
  io_reserve(r, count, 0, 0);
  for (size_t i = 0; i < count && io_ok(r); i++) {
    double point[3] = {0, 0, 0};
    for (size_t c = 0; c < coordinates; c++) point[c] = medit_real(m, "a coordinate");
    io_add_point(r, point);
    references[i] = (double)medit_integer(m, "the reference of a vertex");
  }
  medit_keep_references(m, references, count);
}

static void medit_read_element(medit *m, const medit_section *section) {
  io_reader *r = m->r;
  size_t corner_count = (size_t)clv_kind_corners((clv_kind)section->kind);
  uint32_t corners[8] = {0};
  for (size_t i = 0; i < section->nodes && io_ok(r); i++) {
    int64_t vertex = medit_integer(m, "a vertex of an element");
    if (io_ok(r) && (vertex < 1 || (uint64_t)vertex > r->mesh->point_count)) {
      io_fail(r, "an element of %s uses vertex %" PRId64 ", there are %zu, counted from 1", section->keyword, vertex,
              r->mesh->point_count);
    }
    if (i < corner_count && io_ok(r)) corners[i] = (uint32_t)(vertex - 1);
  }
  int64_t reference = medit_integer(m, "the reference of an element");
  if (reference < INT32_MIN || reference > INT32_MAX) {
    io_fail(r, "reference %" PRId64 " needs more than 32 bits", reference);
  }
  if (io_ok(r) && io_add_element(r, (clv_kind)section->kind, corners, corner_count, (int32_t)reference)) {
    r->mesh->reduced_elements += section->nodes > corner_count;
  }
}

static void medit_read_elements(medit *m, const medit_section *section) {
  io_reader *r = m->r;
  if (!m->has_vertices) io_fail(r, "%s come before the vertices they use", section->keyword);
  size_t count = medit_count(m, "elements", section->nodes + 1u, 0);
  if (count > UINT32_MAX - r->mesh->element_count) io_fail(r, "more than 4294967295 elements cannot be numbered");
  io_reserve(r, 0, count, count * (size_t)clv_kind_corners((clv_kind)section->kind));
  for (size_t i = 0; i < count && io_ok(r); i++) medit_read_element(m, section);
}

// ---- text -----------------------------------------------------------------------------------------------------------

static const medit_section *medit_section_by_keyword(io_span keyword) {
  for (size_t i = 0; i < MEDIT_SECTION_COUNT; i++) {
    if (io_span_is(keyword, medit_sections[i].keyword)) return &medit_sections[i];
  }
  return NULL;
}

static io_span medit_keyword(io_reader *r) {
  medit_skip_comments(r);
  io_span word = io_word(r);
  if (word.size == 0) io_fail(r, "the file ends without End; is a part of it missing?");
  return word;
}

// Numbers of a section that nobody knows.
static void medit_skip_numbers(io_reader *r) {
  for (medit_skip_comments(r); r->at < r->end && !isalpha((unsigned char)*r->at); medit_skip_comments(r)) io_word(r);
}

static void medit_read_text_section(medit *m, io_span keyword) {
  io_reader *r = m->r;
  const medit_section *section = medit_section_by_keyword(keyword);
  if (section) {
    medit_read_elements(m, section);
  } else if (io_span_is(keyword, "Dimension")) {
    medit_read_dimension(m);
  } else if (io_span_is(keyword, "Vertices")) {
    medit_read_vertices(m);
  } else if (io_ok(r) && isalpha((unsigned char)*keyword.at)) {
    medit_skip_numbers(r);
  } else {
    io_fail(r, "expected a keyword such as Vertices, found %s", io_quote(keyword).text);
  }
}

static void medit_read_text(medit *m) {
  io_reader *r = m->r;
  io_span first = medit_keyword(r);
  if (!io_span_is(first, "MeshVersionFormatted")) {
    io_fail(r, "expected MeshVersionFormatted, found %s", io_quote(first).text);
  }
  medit_skip_comments(r);
  medit_read_version(m);
  while (io_ok(r)) {
    io_span keyword = medit_keyword(r);
    if (io_span_is(keyword, "End")) return;
    medit_read_text_section(m, keyword);
  }
}

// ---- binary ---------------------------------------------------------------------------------------------------------

static const medit_section *medit_section_by_code(int64_t code) {
  for (size_t i = 0; i < MEDIT_SECTION_COUNT; i++) {
    if (medit_sections[i].code == code) return &medit_sections[i];
  }
  return NULL;
}

static void medit_read_binary_section(medit *m, int64_t code) {
  const medit_section *section = medit_section_by_code(code);
  if (section) {
    medit_read_elements(m, section);
  } else if (code == MEDIT_DIMENSION) {
    medit_read_dimension(m);
  } else if (code == MEDIT_VERTICES) {
    medit_read_vertices(m);
  }
}

static void medit_read_binary(medit *m) {
  io_reader *r = m->r;
  io_bytes(r, 4, "the byte order");
  medit_read_version(m);
  while (io_ok(r)) {
    int64_t code = io_take_integer(r, 4, "a keyword");
    if (code == MEDIT_END) return;
    int64_t next = io_take_integer(r, m->position_bytes, "the place of the next keyword");
    if (!io_ok(r)) return;
    if (next <= r->at - r->begin || next > r->end - r->begin) {
      io_fail(r, "keyword %" PRId64 " says that the next is at byte %" PRId64 " of %zu; is a part of the file missing?",
              code, next, (size_t)(r->end - r->begin));
    }
    medit_read_binary_section(m, code);
    if (io_ok(r) && r->at - r->begin > next) io_fail(r, "the section of keyword %" PRId64 " is too long", code);
    if (io_ok(r)) r->at = r->begin + next;
  }
}

void io_medit_read(io_reader *r) {
  medit m = {.r = r};
  bool little = io_left(r) >= 4 && io_load(r->at, 4, false) == 1, big = io_left(r) >= 4 && io_load(r->at, 4, true) == 1;
  r->binary = little || big;
  r->big_endian = big;
  if (r->binary) {
    medit_read_binary(&m);
  } else {
    medit_read_text(&m);
  }
  if (!m.has_vertices) io_fail(r, "the file has no vertices");
}
