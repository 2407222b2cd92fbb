// Reads .stl files, text and binary. Triangles repeat the coordinates of their corners; equal ones are merged.
//
// Which of the two a file is cannot be told from its first word: many programs begin the free text of a binary file
// with "solid". A file is binary when it is as long as the number of triangles in it says, or when there is a zero byte
// near its start; otherwise it is text when it begins with "solid". Solids of a text are regions, by their names; in a
// binary file the 16 bits behind each triangle are the number of its region. Normals are left: they follow from the
// corners.

#include "io/bytes.h"
#include "io/formats.h"
#include "io/groups.h"
#include "io/merge.h"
#include "io/text.h"

#include <math.h>
#include <string.h>

enum { STL_HEADER = 80, STL_START = 84, STL_TRIANGLE = 50 };

typedef struct stl {
  io_reader *r;
  io_names groups;
  double (*corners)[3]; // three a triangle
  int32_t *tags;        // one a triangle
  size_t corner_count, corner_capacity;
  size_t triangle_count, triangle_capacity;
} stl;

static void stl_add_corner(stl *s, const double corner[3]) {
  io_reader *r = s->r;
  for (int c = 0; c < 3; c++) {
    if (!isfinite(corner[c])) io_fail(r, "triangle %zu has a coordinate that is not finite", s->triangle_count);
  }
  double(*corners)[3] = io_scratch_grow(r, s->corners, s->corner_count, &s->corner_capacity, sizeof *corners);
  if (!corners) return;
  s->corners = corners;
  memcpy(corners[s->corner_count++], corner, sizeof *corners);
}

static void stl_add_triangle(stl *s, int32_t tag) {
  int32_t *tags = io_scratch_grow(s->r, s->tags, s->triangle_count, &s->triangle_capacity, sizeof *tags);
  if (!tags) return;
  s->tags = tags;
  tags[s->triangle_count++] = tag;
}

static void stl_make_mesh(stl *s) {
  io_reader *r = s->r;
  uint32_t *numbers = io_scratch_new(r, s->corner_count, sizeof *numbers);
  if (!numbers || !io_merge_points(r, (const double(*)[3])s->corners, s->corner_count, numbers)) return;
  io_reserve(r, 0, s->triangle_count, 3 * s->triangle_count);
  for (size_t i = 0; i < s->triangle_count && io_ok(r); i++) {
    io_add_element(r, CLV_TRI, numbers + 3 * i, 3, s->tags[i]);
  }
}

// ---- text -----------------------------------------------------------------------------------------------------------

static bool stl_expect(io_reader *r, const char *word) {
  io_span found = io_word(r);
  return io_span_is_nocase(found, word) || io_fail(r, "expected '%s', found %s", word, io_quote(found).text);
}

// "facet" has been read. Some programs write a normal that is no number.
static void stl_read_facet(stl *s, int32_t group) {
  io_reader *r = s->r;
  if (stl_expect(r, "normal")) io_rest_of_line(r);
  stl_expect(r, "outer");
  stl_expect(r, "loop");
  for (int i = 0; i < 3 && io_ok(r); i++) {
    stl_expect(r, "vertex");
    double corner[3];
    for (int c = 0; c < 3; c++) corner[c] = io_text_real(r, "a coordinate");
    stl_add_corner(s, corner);
  }
  stl_expect(r, "endloop");
  stl_expect(r, "endfacet");
  stl_add_triangle(s, group);
}

static void stl_read_solid(stl *s) {
  io_reader *r = s->r;
  stl_expect(r, "solid");
  int32_t group = io_groups_put(r, &s->groups, io_line_ends(r) ? (io_span){r->at, 0} : io_rest_of_line(r));
  while (io_ok(r)) {
    io_span word = io_word(r);
    if (io_span_is_nocase(word, "endsolid")) {
      io_rest_of_line(r);
      return;
    }
    if (!io_span_is_nocase(word, "facet")) {
      io_fail(r, "expected 'facet' or 'endsolid', found %s", io_quote(word).text);
    }
    stl_read_facet(s, group);
  }
}

static void stl_read_text(stl *s) {
  io_reader *r = s->r;
  do {
    stl_read_solid(s);
    io_skip_blanks(r);
  } while (io_ok(r) && r->at < r->end);
  stl_make_mesh(s);
  if (io_ok(r)) io_groups_finish(r, &s->groups);
}

// ---- binary ---------------------------------------------------------------------------------------------------------

static void stl_read_binary(stl *s) {
  io_reader *r = s->r;
  r->binary = true;
  io_bytes(r, STL_HEADER, "the header of 80 bytes");
  const char *bytes = io_bytes(r, 4, "the number of triangles");
  size_t count = bytes ? (size_t)io_load(bytes, 4, false) : 0;
  if (!io_room(r, count, STL_TRIANGLE, "triangles")) return;
  for (size_t i = 0; i < count && io_ok(r); i++) {
    const char *triangle = io_bytes(r, STL_TRIANGLE, "a triangle");
    double corners[9];
    if (!triangle) return;
    io_load_reals(triangle + 12, 9, IO_FLOAT32, false, corners);
    for (int k = 0; k < 3; k++) stl_add_corner(s, corners + 3 * k);
    stl_add_triangle(s, (int32_t)io_load(triangle + 48, 2, false));
  }
  stl_make_mesh(s);
}

static bool stl_is_binary(const io_reader *r) {
  size_t size = io_left(r);
  if (size >= STL_START && (size - STL_START) / STL_TRIANGLE == io_load(r->at + STL_HEADER, 4, false) &&
      (size - STL_START) % STL_TRIANGLE == 0) {
    return true;
  }
  return memchr(r->at, '\0', size < 512 ? size : 512) != NULL;
}

void io_stl_read(io_reader *r) {
  stl s = {.r = r};
  if (stl_is_binary(r)) {
    stl_read_binary(&s);
  } else {
    stl_read_text(&s);
  }
}
