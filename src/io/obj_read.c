// Reads Wavefront's .obj files: vertices, faces, lines and points; groups and objects are regions.
//
// A statement is a line; a backslash at its end joins the next one to it. Of a corner "7/2/5" the vertex counts; its
// texture and normal are left. Corners may be counted from the last vertex backwards, and may name vertices that follow
// later, so they are compared with the number of vertices at the end. The name of a group is the rest of its line: "g
// left lobe" is one group. Colours behind the coordinates become the field "color". Statements about looks are skipped;
// curves and surfaces are refused.

#include "io/formats.h"
#include "io/groups.h"
#include "io/number.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

typedef struct obj {
  io_reader *r;
  io_names groups;
  int32_t group;
  uint32_t *corners; // of the statement that is read
  size_t corner_count, corner_capacity;
  double (*colors)[3]; // of the first color_count vertices
  size_t color_count, color_capacity;
  uint64_t greatest; // the greatest vertex that was named, from 1, and where
  const char *greatest_mark;
} obj;

// ---- words of a statement -------------------------------------------------------------------------------------------

// Skips blanks and joined line ends. Whether anything is left of the statement.
static bool obj_has_more(io_reader *r) {
  while (!io_line_ends(r)) {
    const char *at = r->at;
    if (*at == '#') return false;
    if (*at != '\\') return true;
    at++;
    if (at < r->end && *at == '\r') at++;
    if (at < r->end && *at != '\n') return true;
    r->at = at < r->end ? at + 1 : at;
  }
  return false;
}

static double obj_real(io_reader *r, const char *what) {
  if (!obj_has_more(r)) io_fail(r, "expected %s, found the end of the line", what);
  return io_text_real(r, what);
}

// ---- vertices -------------------------------------------------------------------------------------------------------

static void obj_add_color(obj *o, size_t vertex, const double color[3]) {
  while (o->color_count <= vertex) {
    double(*colors)[3] = io_scratch_grow(o->r, o->colors, o->color_count, &o->color_capacity, sizeof *colors);
    if (!colors) return;
    o->colors = colors;
    memset(colors[o->color_count++], 0, sizeof *colors);
  }
  memcpy(o->colors[vertex], color, sizeof *o->colors);
}

// Three coordinates; a weight may follow, or a colour.
static void obj_read_vertex(obj *o) {
  io_reader *r = o->r;
  double values[7] = {0};
  size_t count = 0;
  for (; count < 3; count++) values[count] = obj_real(r, "a coordinate");
  for (; io_ok(r) && count < 7 && obj_has_more(r); count++) values[count] = io_text_real(r, "a weight or a colour");
  if (count == 5 || (io_ok(r) && obj_has_more(r))) {
    io_fail(r, "a vertex has three coordinates, and then a weight or the three parts of a colour");
  }
  size_t vertex = r->mesh->point_count;
  if (io_add_point(r, values) && count >= 6) obj_add_color(o, vertex, values + 3);
}

static void obj_keep_colors(obj *o) {
  if (o->color_count == 0) return;
  double *values = io_add_field(o->r, (io_span){"color", 5}, CLV_ON_POINTS, 3);
  if (values) memcpy(values, o->colors, o->color_count * sizeof *o->colors);
}

// ---- elements -------------------------------------------------------------------------------------------------------

static void obj_add_corner(obj *o, uint32_t corner) {
  uint32_t *corners = io_scratch_grow(o->r, o->corners, o->corner_count, &o->corner_capacity, sizeof *corners);
  if (!corners) return;
  o->corners = corners;
  corners[o->corner_count++] = corner;
}

// The vertex of "7", "7/2", "7//5" or "7/2/5", negative when counted backwards.
static void obj_read_corner(obj *o) {
  io_reader *r = o->r;
  io_span word = io_word(r);
  const char *slash = memchr(word.at, '/', word.size);
  io_span number = {word.at, slash ? (size_t)(slash - word.at) : word.size};
  int64_t vertex = 0;
  if (!io_parse_integer(number, &vertex)) io_fail(r, "expected a vertex, found %s", io_quote(word).text);
  int64_t point_count = (int64_t)r->mesh->point_count;
  int64_t counted = vertex < 0 ? vertex + point_count + 1 : vertex;
  if (counted < 1 || counted > UINT32_MAX) {
    io_fail(r, "there is no vertex %" PRId64 "; they are counted from 1, or backwards from -1", vertex);
  }
  if (!io_ok(r)) return;
  if ((uint64_t)counted > o->greatest) o->greatest = (uint64_t)counted, o->greatest_mark = r->mark;
  obj_add_corner(o, (uint32_t)(counted - 1));
}

static bool obj_read_corners(obj *o, const char *what, size_t least) {
  io_reader *r = o->r;
  o->corner_count = 0;
  while (io_ok(r) && obj_has_more(r)) obj_read_corner(o);
  if (io_ok(r) && o->corner_count < least) {
    io_fail(r, "a %s has %zu corners, at least %zu are needed", what, o->corner_count, least);
  }
  return io_ok(r);
}

static void obj_read_face(obj *o) {
  if (!obj_read_corners(o, "face", 3)) return;
  clv_kind kind = o->corner_count == 3 ? CLV_TRI : o->corner_count == 4 ? CLV_QUAD : CLV_POLYGON;
  io_add_element(o->r, kind, o->corners, o->corner_count, o->group);
}

static void obj_read_line(obj *o) {
  if (!obj_read_corners(o, "line", 2)) return;
  for (size_t i = 0; i + 1 < o->corner_count; i++) io_add_element(o->r, CLV_LINE, o->corners + i, 2, o->group);
}

static void obj_read_points(obj *o) {
  if (!obj_read_corners(o, "point", 1)) return;
  for (size_t i = 0; i < o->corner_count; i++) io_add_element(o->r, CLV_POINT, o->corners + i, 1, o->group);
}

static void obj_read_group(obj *o) {
  io_line_ends(o->r);
  const char *begin = o->r->at, *end = begin;
  while (end < o->r->end && *end != '\n') end++;
  io_span name = io_trim((io_span){begin, (size_t)(end - begin)});
  o->r->at = end;
  o->group = io_span_is(name, "default") ? 0 : io_groups_put(o->r, &o->groups, name);
}

// ---- statements -----------------------------------------------------------------------------------------------------

static void obj_skip(obj *o) {
  while (obj_has_more(o->r)) io_word(o->r);
}

static const struct {
  const char *word;
  void (*read)(obj *o);
} obj_statements[] = {
    {"v", obj_read_vertex},   {"f", obj_read_face},    {"fo", obj_read_face},  {"l", obj_read_line},
    {"p", obj_read_points},   {"g", obj_read_group},   {"o", obj_read_group},  {"vt", obj_skip},
    {"vn", obj_skip},         {"vp", obj_skip},        {"s", obj_skip},        {"usemtl", obj_skip},
    {"mtllib", obj_skip},     {"usemap", obj_skip},    {"maplib", obj_skip},   {"mg", obj_skip},
    {"lod", obj_skip},        {"bevel", obj_skip},     {"c_interp", obj_skip}, {"d_interp", obj_skip},
    {"shadow_obj", obj_skip}, {"trace_obj", obj_skip},
};

static void obj_read_statement(obj *o) {
  io_reader *r = o->r;
  io_span word = io_word(r);
  for (size_t i = 0; i < sizeof obj_statements / sizeof *obj_statements; i++) {
    if (!io_span_is(word, obj_statements[i].word)) continue;
    obj_statements[i].read(o);
    return;
  }
  io_fail(r, "expected a statement such as v, f or g, found %s; free-form curves and surfaces are not supported",
          io_quote(word).text);
}

void io_obj_read(io_reader *r) {
  obj o = {.r = r};
  for (io_skip_blanks(r); io_ok(r) && r->at < r->end; io_skip_blanks(r)) {
    if (obj_has_more(r)) obj_read_statement(&o);
    if (io_ok(r)) io_rest_of_line(r);
  }
  if (io_ok(r) && o.greatest > r->mesh->point_count) {
    r->mark = o.greatest_mark;
    io_fail(r, "there is no vertex %" PRIu64 ", the last is %zu", o.greatest, r->mesh->point_count);
  }
  obj_keep_colors(&o);
  if (io_ok(r)) io_groups_finish(r, &o.groups);
}
