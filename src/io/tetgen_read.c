// Reads TetGen's files, and those of Triangle, which have the same form.
//
// A mesh is a set of files that differ in their endings: points in .node, tetrahedra (or triangles, in the plane) in
// .ele, boundary triangles in .face, edges in .edge. Whichever of them is named, the .node file is read, and of the
// others those that are there. A mesh that is read from memory has no files beside it: a .node file gives its points,
// the others an error. A .smesh or .poly file is a surface and holds its points itself, or leaves them to the .node
// file too.
//
// Numbers begin with 0 or 1, as the first point says; here any will do. Attributes and markers of points become the
// fields "attribute" and "marker". The first attribute of a tetrahedron is its region when all are whole numbers, the
// marker of a face or edge is its region. What follows behind these on a line is left: neighbours, when TetGen was
// asked for them.

#include "io/file.h"
#include "io/formats.h"
#include "io/tags.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

typedef struct tetgen {
  io_reader *r;
  io_tags nodes;
  int64_t dimension;
  bool is_second_order;
  double *attributes; // of the elements of the .ele file that are no regions
  size_t attribute_count, attribute_components;
  uint32_t *corners; // of the polygon that is read
  size_t corner_count, corner_capacity;
} tetgen;

// ---- rows -----------------------------------------------------------------------------------------------------------

static void tetgen_skip_comments(io_reader *r) {
  for (io_skip_blanks(r); r->at < r->end && *r->at == '#'; io_skip_blanks(r)) io_rest_of_line(r);
}

// Whether the numbers of this line end here.
static bool tetgen_row_ends(io_reader *r) {
  return io_line_ends(r) || *r->at == '#';
}

static int64_t tetgen_integer(io_reader *r, const char *what) {
  tetgen_skip_comments(r);
  return io_text_integer(r, what);
}

// A number of the line that is read, or what stands for it when the line ends before it.
static int64_t tetgen_optional(io_reader *r, const char *what, int64_t otherwise) {
  return tetgen_row_ends(r) ? otherwise : io_text_integer(r, what);
}

static size_t tetgen_count(io_reader *r, const char *things, size_t least) {
  tetgen_skip_comments(r);
  return io_text_count(r, things, least);
}

static void tetgen_end_row(io_reader *r) {
  if (io_ok(r)) io_rest_of_line(r);
}

static int32_t tetgen_region(io_reader *r, int64_t marker) {
  if (marker < INT32_MIN || marker > INT32_MAX) io_fail(r, "marker %" PRId64 " needs more than 32 bits", marker);
  return io_ok(r) ? (int32_t)marker : 0;
}

static uint32_t tetgen_corner(tetgen *t) {
  io_reader *r = t->r;
  int64_t node = tetgen_integer(r, "the number of a point");
  const io_tag *found = io_ok(r) ? io_tags_find(&t->nodes, node) : NULL;
  if (!found) io_fail(r, "there is no point %" PRId64, node);
  return found ? found->index : 0;
}

// ---- points ---------------------------------------------------------------------------------------------------------

static void tetgen_keep_field(io_reader *r, const char *name, clv_field_place place, const double *values, size_t count,
                              size_t components) {
  if (components == 0 || !io_ok(r)) return;
  double *field = io_add_field(r, (io_span){name, strlen(name)}, place, (uint32_t)components);
  if (field && count) memcpy(field, values, count * components * sizeof *values);
}

typedef struct tetgen_node_head {
  size_t count, attributes, markers;
} tetgen_node_head;

static tetgen_node_head tetgen_read_node_head(tetgen *t) {
  io_reader *r = t->r;
  tetgen_node_head head = {.count = tetgen_count(r, "points", sizeof "0 0 0")};
  t->dimension = tetgen_optional(r, "the dimension", 3);
  if (t->dimension != 2 && t->dimension != 3) io_fail(r, "the dimension is 2 or 3, not %" PRId64, t->dimension);
  int64_t attributes = tetgen_optional(r, "the number of attributes", 0);
  int64_t markers = tetgen_optional(r, "0 or 1, for markers", 0);
  if (attributes < 0 || attributes > UINT16_MAX) io_fail(r, "%" PRId64 " attributes are declared", attributes);
  if (markers != 0 && markers != 1) io_fail(r, "expected 0 or 1 for markers, found %" PRId64, markers);
  tetgen_end_row(r);
  if (io_ok(r)) head.attributes = (size_t)attributes, head.markers = (size_t)markers;
  size_t least = 2 * (1 + (size_t)t->dimension + head.attributes + head.markers) - 1;
  io_room(r, head.count, least, "points");
  return head;
}

// The points of a file; 0 of them when they are in another one.
static size_t tetgen_read_nodes(tetgen *t) {
  io_reader *r = t->r;
  tetgen_node_head head = tetgen_read_node_head(t);
  t->nodes.entries = io_scratch_new(r, head.count, sizeof *t->nodes.entries);
  t->nodes.count = 0;
  double *attributes = io_scratch_new(r, head.count, head.attributes * sizeof *attributes);
  double *markers = io_scratch_new(r, head.count, sizeof *markers);
  io_reserve(r, head.count, 0, 0);
  bool has_markers = false;
  for (size_t i = 0; i < head.count && io_ok(r); i++) {
    int64_t number = tetgen_integer(r, "the number of a point");
    double point[3] = {0, 0, 0};
    for (int64_t c = 0; c < t->dimension; c++) point[c] = io_text_real(r, "a coordinate");
    for (size_t a = 0; a < head.attributes && io_ok(r); a++) {
      attributes[i * head.attributes + a] = io_text_real(r, "an attribute");
    }
    int64_t marker = head.markers ? tetgen_optional(r, "a marker", 0) : 0;
    if (!io_add_point(r, point)) break;
    markers[i] = (double)marker;
    has_markers |= marker != 0;
    io_tags_add(&t->nodes, number, (uint32_t)i);
    tetgen_end_row(r);
  }
  if (!io_ok(r) || head.count == 0) return 0;
  io_tags_sort(&t->nodes);
  const io_tag *twin = io_tags_find_twin(&t->nodes);
  if (twin) io_fail(r, "two points have the number %" PRId64, twin->tag);
  tetgen_keep_field(r, "attribute", CLV_ON_POINTS, attributes, head.count, head.attributes);
  tetgen_keep_field(r, "marker", CLV_ON_POINTS, markers, head.count, has_markers);
  return head.count;
}

static void tetgen_read_node_file(tetgen *t) {
  tetgen_read_nodes(t);
}

// ---- elements -------------------------------------------------------------------------------------------------------

static bool tetgen_is_region(double value) {
  return value >= INT32_MIN && value <= INT32_MAX && value == floor(value);
}

// Takes the first attribute for the region if it is one everywhere, and keeps the others.
static void tetgen_take_regions(tetgen *t, double *attributes, size_t count, size_t components) {
  clv_mesh *mesh = t->r->mesh;
  t->attributes = attributes;
  t->attribute_count = count;
  t->attribute_components = components;
  for (size_t i = 0; i < count; i++) {
    if (!tetgen_is_region(attributes[i * components])) return;
  }
  t->attribute_components = components - 1;
  for (size_t i = 0; i < count; i++) {
    mesh->tags[i] = (int32_t)attributes[i * components];
    memmove(attributes + i * (components - 1), attributes + i * components + 1, (components - 1) * sizeof *attributes);
  }
}

// .ele: the first file of elements that is read.
static void tetgen_read_elements(tetgen *t) {
  io_reader *r = t->r;
  size_t count = tetgen_count(r, "elements", sizeof "0 0 0 0");
  int64_t nodes = tetgen_optional(r, "the number of points of an element", 4);
  int64_t attribute_count = tetgen_optional(r, "the number of attributes", 0);
  tetgen_end_row(r);
  clv_kind kind = nodes == 3 || nodes == 6 ? CLV_TRI : CLV_TET;
  if (nodes != 3 && nodes != 6 && nodes != 4 && nodes != 10) {
    io_fail(r, "elements of %" PRId64 " points; tetrahedra have 4 or 10, triangles 3 or 6", nodes);
  }
  if (attribute_count < 0 || attribute_count > UINT16_MAX)
    io_fail(r, "%" PRId64 " attributes are declared", attribute_count);
  if (count > UINT32_MAX) io_fail(r, "more than 4294967295 elements cannot be numbered");
  size_t components = io_ok(r) ? (size_t)attribute_count : 0, corner_count = (size_t)clv_kind_corners(kind);
  if (!io_ok(r) || !io_room(r, count, 2 * (1 + (size_t)nodes + components) - 1, "elements")) return;
  double *attributes = io_scratch_new(r, count, components * sizeof *attributes);
  io_reserve(r, 0, count, corner_count * count);
  t->is_second_order = nodes == 6 || nodes == 10;
  for (size_t i = 0; i < count && io_ok(r); i++) {
    tetgen_integer(r, "the number of an element");
    uint32_t corners[10];
    for (int64_t k = 0; k < nodes && io_ok(r); k++) corners[k] = tetgen_corner(t);
    for (size_t a = 0; a < components && io_ok(r); a++) {
      attributes[i * components + a] = io_text_real(r, "an attribute");
    }
    if (io_ok(r) && io_add_element(r, kind, corners, corner_count, 0)) r->mesh->reduced_elements += t->is_second_order;
    tetgen_end_row(r);
  }
  if (io_ok(r) && components) tetgen_take_regions(t, attributes, count, components);
}

// .face, .edge and the segments of a plane .poly file: number, corners, points between them, marker.
static void tetgen_read_facets(tetgen *t, clv_kind kind) {
  io_reader *r = t->r;
  size_t count = tetgen_count(r, "elements", sizeof "0 0 0" - 1);
  int64_t markers = tetgen_optional(r, "0 or 1, for markers", 0);
  tetgen_end_row(r);
  size_t corner_count = (size_t)clv_kind_corners(kind);
  size_t between = !t->is_second_order ? 0 : kind == CLV_TRI ? 3 : 1;
  for (size_t i = 0; i < count && io_ok(r); i++) {
    tetgen_integer(r, "the number of an element");
    uint32_t corners[3];
    for (size_t k = 0; k < corner_count && io_ok(r); k++) corners[k] = tetgen_corner(t);
    for (size_t k = 0; k < between && io_ok(r); k++) tetgen_corner(t);
    int64_t marker = markers ? tetgen_optional(r, "a marker", 0) : 0;
    int32_t region = tetgen_region(r, marker);
    if (io_ok(r) && io_add_element(r, kind, corners, corner_count, region)) r->mesh->reduced_elements += between > 0;
    tetgen_end_row(r);
  }
}

static void tetgen_read_faces(tetgen *t) {
  tetgen_read_facets(t, CLV_TRI);
}

static void tetgen_read_edges(tetgen *t) {
  tetgen_read_facets(t, CLV_LINE);
}

// ---- surfaces -------------------------------------------------------------------------------------------------------

// The corners of a polygon, which may go on over several lines.
static void tetgen_read_corners(tetgen *t) {
  io_reader *r = t->r;
  size_t count = tetgen_count(r, "corners", 1);
  t->corner_count = 0;
  for (size_t i = 0; i < count && io_ok(r); i++) {
    uint32_t corner = tetgen_corner(t);
    uint32_t *corners = io_scratch_grow(r, t->corners, t->corner_count, &t->corner_capacity, sizeof *corners);
    if (!corners) return;
    t->corners = corners;
    corners[t->corner_count++] = corner;
  }
}

// A polygon of two corners is a segment in a facet, one of one corner a point in it.
static void tetgen_add_polygon(tetgen *t, int32_t region) {
  static const clv_kind kinds[] = {CLV_NONE, CLV_POINT, CLV_LINE, CLV_TRI, CLV_QUAD};
  size_t count = t->corner_count;
  if (!io_ok(t->r)) return;
  if (count == 0) io_fail(t->r, "a polygon without corners");
  io_add_element(t->r, count < 5 ? kinds[count] : CLV_POLYGON, t->corners, count, region);
}

static void tetgen_read_smesh_facet(tetgen *t, bool has_marker) {
  tetgen_read_corners(t);
  int64_t marker = has_marker ? tetgen_optional(t->r, "a marker", 0) : 0;
  tetgen_add_polygon(t, tetgen_region(t->r, marker));
  tetgen_end_row(t->r);
}

static void tetgen_read_poly_facet(tetgen *t, bool has_marker) {
  io_reader *r = t->r;
  size_t polygons = tetgen_count(r, "polygons of a facet", 2);
  int64_t holes = tetgen_optional(r, "the number of holes of a facet", 0);
  int64_t marker = has_marker ? tetgen_optional(r, "a marker", 0) : 0;
  int32_t region = tetgen_region(r, marker);
  if (holes != 0) io_fail(r, "a facet with holes cannot be held as polygons; cut it in parts without holes");
  tetgen_end_row(r);
  for (size_t i = 0; i < polygons && io_ok(r); i++) {
    tetgen_read_corners(t);
    tetgen_add_polygon(t, region);
    tetgen_end_row(r);
  }
}

static void tetgen_read_facet_list(tetgen *t, void (*read)(tetgen *t, bool has_marker)) {
  io_reader *r = t->r;
  size_t count = tetgen_count(r, "facets", 2);
  int64_t markers = tetgen_optional(r, "0 or 1, for markers", 0);
  tetgen_end_row(r);
  for (size_t i = 0; i < count && io_ok(r); i++) read(t, markers != 0);
}

// ---- files beside this one ------------------------------------------------------------------------------------------

// Where a reader was in the file that was named.
typedef struct tetgen_place {
  const char *name, *begin, *at, *end, *mark;
} tetgen_place;

static tetgen_place tetgen_here(const io_reader *r) {
  return (tetgen_place){r->name, r->begin, r->at, r->end, r->mark};
}

static void tetgen_go(io_reader *r, tetgen_place place) {
  r->name = place.name, r->begin = place.begin, r->at = place.at, r->end = place.end, r->mark = place.mark;
}

static const char *tetgen_ending(const char *name) {
  const char *dot = strrchr(name, '.');
  return dot ? dot : name;
}

static bool tetgen_is(const io_reader *r, const char *ending) {
  return strcasecmp(tetgen_ending(r->name), ending) == 0;
}

// The path of the file beside this one, in scratch memory.
static const char *tetgen_path_beside(io_reader *r, const char *ending) {
  size_t stem = (size_t)(tetgen_ending(r->name) - r->name), size = strlen(ending) + 1;
  char *path = io_scratch_new(r, stem + size, 1);
  if (!path) return NULL;
  memcpy(path, r->name, stem);
  memcpy(path + stem, ending, size);
  return path;
}

// Reads the file beside this one. One that does not exist is an error when it is needed.
static void tetgen_read_beside(tetgen *t, const char *ending, void (*read)(tetgen *t), bool is_needed) {
  io_reader *r = t->r;
  const char *path = tetgen_path_beside(r, ending);
  if (!path) return;
  io_file file;
  clv_error error = {CLV_OK, ""};
  if (!is_needed && access(path, F_OK) != 0) return;
  clv_result result = io_file_read(&file, &r->mesh->allocator, path, &error);
  if (result != CLV_OK) {
    r->result = clv_error_set(r->error, result, result == CLV_ERROR_MEMORY ? "%s" : "%s (it has the points of %s)",
                              error.message, r->name);
    r->at = r->end;
    return;
  }
  tetgen_place place = tetgen_here(r);
  const char *begin = file.size ? file.data : "";
  tetgen_go(r, (tetgen_place){path, begin, begin, begin + file.size, begin});
  r->budget += file.size < SIZE_MAX / 8192 ? file.size * 4096 : SIZE_MAX / 4;
  read(t);
  tetgen_go(r, place);
  if (!io_ok(r)) r->at = r->end;
  io_file_free(&file, &r->mesh->allocator);
}

static void tetgen_read_points_beside(tetgen *t) {
  if (!t->r->on_disk) {
    io_fail(t->r,
            "the points of this file are in the .node file beside it, and from memory there is none; read it from "
            "the disk");
    return;
  }
  tetgen_read_beside(t, ".node", tetgen_read_node_file, true);
}

static void tetgen_read_set(tetgen *t) {
  static const struct {
    const char *ending;
    void (*read)(tetgen *t);
  } parts[] = {{".ele", tetgen_read_elements}, {".face", tetgen_read_faces}, {".edge", tetgen_read_edges}};
  io_reader *r = t->r;
  if (tetgen_is(r, ".node")) {
    tetgen_read_nodes(t);
  } else {
    tetgen_read_points_beside(t);
  }
  for (size_t i = 0; i < sizeof parts / sizeof *parts && io_ok(r); i++) {
    if (tetgen_is(r, parts[i].ending)) {
      parts[i].read(t);
    } else if (r->on_disk) {
      tetgen_read_beside(t, parts[i].ending, parts[i].read, false);
    }
  }
  tetgen_keep_field(r, "attribute", CLV_ON_ELEMENTS, t->attributes, t->attribute_count, t->attribute_components);
}

static void tetgen_read_surface(tetgen *t) {
  io_reader *r = t->r;
  size_t count = tetgen_read_nodes(t);
  tetgen_skip_comments(r);
  bool is_empty = io_span_is(io_peek_word(r), "0"); // no points are needed for no facets
  if (count == 0 && !is_empty && io_ok(r)) tetgen_read_points_beside(t);
  if (tetgen_is(r, ".smesh")) {
    tetgen_read_facet_list(t, tetgen_read_smesh_facet);
  } else if (t->dimension == 2) {
    tetgen_read_edges(t);
  } else {
    tetgen_read_facet_list(t, tetgen_read_poly_facet);
  }
}

void io_tetgen_read(io_reader *r) {
  tetgen t = {.r = r};
  if (tetgen_is(r, ".smesh") || tetgen_is(r, ".poly")) {
    tetgen_read_surface(&t);
  } else {
    tetgen_read_set(&t);
  }
}
