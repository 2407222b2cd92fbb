// Reads .ply files, text and binary in either byte order.
//
// Vertices become points, faces triangles, quadrangles and polygons, edges lines, and triangle strips triangles;
// elements nobody knows are skipped. Integers called "region" on those are regions. Other scalar properties become
// fields, those that belong together one: nx ny nz are "normal", red green blue and alpha "color", a_0 a_1 a_2 "a".
// Lists that are not corners are skipped. The scalars of an element are kept in a table until all elements are there,
// because a field covers all points or all elements of a mesh.

#include "io/formats.h"
#include "io/ply_header.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

// The scalars of an element, row by row, and the elements of the mesh it has become.
typedef struct ply_table {
  double *values;
  size_t rows, columns;
  size_t *first; // by row, the first element of the mesh; row `rows` ends the last
} ply_table;

typedef struct ply {
  io_reader *r;
  ply_header header;
  ply_table *tables; // by element
  size_t point_count;
  bool has_vertices;
  uint32_t *corners; // of the row that is read
  size_t corner_count, corner_capacity;
} ply;

static const ply_property *ply_property_at(const ply *p, const ply_element *element, size_t i) {
  return &p->header.properties[element->first_property + i];
}

// ---- numbers --------------------------------------------------------------------------------------------------------

static int64_t ply_integer(ply *p, io_scalar type, const char *what) {
  io_reader *r = p->r;
  if (!r->binary) return io_text_integer(r, what);
  size_t size = io_scalar_size(type);
  const char *bytes = io_bytes(r, size, what);
  if (!bytes) return 0;
  uint64_t bits = io_load(bytes, size, r->big_endian);
  if (io_scalar_is_integer(type)) return io_integer_from_bits(bits, type);
  io_fail(r, "%s is not an integer", what);
  return 0;
}

static double ply_real(ply *p, io_scalar type, const char *what) {
  io_reader *r = p->r;
  if (!r->binary) return io_text_real(r, what);
  size_t size = io_scalar_size(type);
  const char *bytes = io_bytes(r, size, what);
  return bytes ? io_real_from_bits(io_load(bytes, size, r->big_endian), type) : 0;
}

static size_t ply_list_size(ply *p, const ply_property *property) {
  int64_t count = ply_integer(p, property->count_type, "the length of a list");
  if (count < 0) io_fail(p->r, "a list of length %" PRId64, count);
  size_t least = p->r->binary ? io_scalar_size(property->type) : 1;
  return io_room(p->r, (uint64_t)count, least, "numbers of a list") ? (size_t)count : 0;
}

static void ply_skip_list(ply *p, const ply_property *property) {
  size_t count = ply_list_size(p, property);
  for (size_t i = 0; i < count && io_ok(p->r); i++) ply_real(p, property->type, "a number of a list");
}

// ---- rows -----------------------------------------------------------------------------------------------------------

static void ply_add_corner(ply *p, int64_t vertex) {
  io_reader *r = p->r;
  if (!io_ok(r)) return;
  if (vertex < 0 || (uint64_t)vertex >= p->point_count) {
    io_fail(r, "there is no vertex %" PRId64 "; there are %zu, counted from 0", vertex, p->point_count);
    return;
  }
  uint32_t *corners = io_scratch_grow(r, p->corners, p->corner_count, &p->corner_capacity, sizeof *corners);
  if (!corners) return;
  p->corners = corners;
  corners[p->corner_count++] = (uint32_t)vertex;
}

static void ply_read_face(ply *p, const ply_property *property) {
  size_t count = ply_list_size(p, property);
  p->corner_count = 0;
  for (size_t i = 0; i < count && io_ok(p->r); i++) ply_add_corner(p, ply_integer(p, property->type, "a vertex"));
  if (io_ok(p->r) && count < 3) io_fail(p->r, "a face has %zu corners, at least 3 are needed", count);
  clv_kind kind = count == 3 ? CLV_TRI : count == 4 ? CLV_QUAD : CLV_POLYGON;
  if (io_ok(p->r)) io_add_element(p->r, kind, p->corners, count, 0);
}

// Each vertex makes a triangle with the two before it, every second one turned; -1 begins a new strip.
static void ply_read_strips(ply *p, const ply_property *property) {
  size_t count = ply_list_size(p, property);
  p->corner_count = 0;
  for (size_t i = 0; i < count && io_ok(p->r); i++) {
    int64_t vertex = ply_integer(p, property->type, "a vertex");
    if (vertex == -1) {
      p->corner_count = 0;
      continue;
    }
    ply_add_corner(p, vertex);
    size_t n = p->corner_count;
    if (!io_ok(p->r) || n < 3) continue;
    bool turned = (n - 3) % 2;
    uint32_t triangle[3] = {p->corners[n - (turned ? 2 : 3)], p->corners[n - (turned ? 3 : 2)], p->corners[n - 1]};
    io_add_element(p->r, CLV_TRI, triangle, 3, 0);
  }
}

typedef void ply_list_reader(ply *p, const ply_property *property);

// Which list of an element is its corners, and what becomes of them.
static ply_list_reader *ply_corners_reader(const ply_element *element, const ply_property *property) {
  if (!property->is_list) return NULL;
  if (!io_span_is(property->name, "vertex_indices") && !io_span_is(property->name, "vertex_index")) return NULL;
  if (io_span_is(element->name, "face")) return ply_read_face;
  return io_span_is(element->name, "tristrips") ? ply_read_strips : NULL;
}

static void ply_read_row(ply *p, const ply_element *element, double *values) {
  for (size_t i = 0; i < element->property_count && io_ok(p->r); i++) {
    const ply_property *property = ply_property_at(p, element, i);
    ply_list_reader *read = ply_corners_reader(element, property);
    if (read) {
      read(p, property);
    } else if (property->is_list) {
      ply_skip_list(p, property);
    } else {
      values[i] = ply_real(p, property->type, "a number");
    }
  }
}

// ---- elements -------------------------------------------------------------------------------------------------------

static bool ply_make_table(ply *p, const ply_element *element, ply_table *table) {
  io_reader *r = p->r;
  if (!io_room(r, element->count, io_ply_row_size(r, &p->header, element), "rows of an element")) return false;
  table->rows = (size_t)element->count;
  table->columns = element->property_count;
  size_t size = table->columns * sizeof(double);
  table->values = io_scratch_new(r, table->rows, size);
  table->first = io_scratch_new(r, table->rows + 1, sizeof *table->first);
  if (table->values && table->rows) memset(table->values, 0, table->rows * size); // lists leave gaps
  return io_ok(r);
}

static void ply_read_vertices(ply *p, const ply_element *element, ply_table *table) {
  io_reader *r = p->r;
  if (p->has_vertices) io_fail(r, "a second element 'vertex'");
  p->has_vertices = true;
  size_t xyz[3] = {io_ply_find_property(&p->header, element, "x"), io_ply_find_property(&p->header, element, "y"),
                   io_ply_find_property(&p->header, element, "z")};
  for (int c = 0; c < 3; c++) {
    if (xyz[c] == element->property_count || ply_property_at(p, element, xyz[c])->is_list) {
      io_fail(r, "the vertices have no coordinate %c", 'x' + c);
    }
  }
  io_reserve(r, table->rows, 0, 0);
  for (size_t i = 0; i < table->rows && io_ok(r); i++) {
    double *row = table->values + i * table->columns;
    ply_read_row(p, element, row);
    io_add_point(r, (double[]){row[xyz[0]], row[xyz[1]], row[xyz[2]]});
  }
  p->point_count = r->mesh->point_count;
}

static void ply_add_edge(ply *p, const double *row, size_t one, size_t other) {
  double ends[2] = {row[one], row[other]};
  p->corner_count = 0;
  for (int i = 0; i < 2; i++) {
    bool is_number = ends[i] >= 0 && ends[i] <= UINT32_MAX && ends[i] == floor(ends[i]);
    ply_add_corner(p, is_number ? (int64_t)ends[i] : -1);
  }
  if (io_ok(p->r)) io_add_element(p->r, CLV_LINE, p->corners, 2, 0);
}

static void ply_read_cells(ply *p, const ply_element *element, ply_table *table) {
  io_reader *r = p->r;
  bool is_edge = io_span_is(element->name, "edge");
  size_t one = io_ply_find_property(&p->header, element, "vertex1");
  size_t other = io_ply_find_property(&p->header, element, "vertex2");
  if (!p->has_vertices) io_fail(r, "element %s comes before the vertices it uses", io_quote(element->name).text);
  if (is_edge && (one == element->property_count || other == element->property_count ||
                  ply_property_at(p, element, one)->is_list || ply_property_at(p, element, other)->is_list)) {
    io_fail(r, "the edges have no vertex1 and vertex2");
  }
  for (size_t i = 0; i < table->rows && io_ok(r); i++) {
    double *row = table->values + i * table->columns;
    table->first[i] = r->mesh->element_count;
    ply_read_row(p, element, row);
    if (is_edge) ply_add_edge(p, row, one, other);
  }
  if (io_ok(r)) table->first[table->rows] = r->mesh->element_count;
}

static bool ply_is_cell(const ply_element *element) {
  return io_span_is(element->name, "face") || io_span_is(element->name, "edge") ||
         io_span_is(element->name, "tristrips");
}

static void ply_skip_rows(ply *p, const ply_element *element) {
  io_reader *r = p->r;
  if (!io_room(r, element->count, io_ply_row_size(r, &p->header, element), "rows of an element")) return;
  io_scratch *top = r->scratch;
  double *values = io_scratch_new(r, element->property_count, sizeof *values);
  for (uint64_t i = 0; values && i < element->count && io_ok(r); i++) ply_read_row(p, element, values);
  io_scratch_cut(r, top);
}

static void ply_read_element_rows(ply *p, size_t i) {
  const ply_element *element = &p->header.elements[i];
  if (element->property_count == 0) return; // no bytes either
  bool is_vertex = io_span_is(element->name, "vertex");
  if (!is_vertex && !ply_is_cell(element)) {
    ply_skip_rows(p, element);
  } else if (ply_make_table(p, element, &p->tables[i])) {
    (is_vertex ? ply_read_vertices : ply_read_cells)(p, element, &p->tables[i]);
  }
}

// ---- fields and regions ---------------------------------------------------------------------------------------------

static const char *const ply_normal[] = {"nx", "ny", "nz", NULL}, *const ply_color[] = {"red", "green", "blue", NULL};

static bool ply_names_follow(const ply *p, const ply_element *element, size_t i, const char *const *names) {
  for (; *names; names++, i++) {
    if (i >= element->property_count || ply_property_at(p, element, i)->is_list ||
        !io_span_is(ply_property_at(p, element, i)->name, *names)) {
      return false;
    }
  }
  return true;
}

// Whether a name is that of a component: "a" and "_2".
static bool ply_is_component(io_span name, io_span of, size_t component) {
  char suffix[24];
  size_t size = (size_t)snprintf(suffix, sizeof suffix, "_%zu", component);
  return name.size == of.size + size && memcmp(name.at, of.at, of.size) == 0 &&
         memcmp(name.at + of.size, suffix, size) == 0;
}

// The properties from i on that are one field; returns how many.
static size_t ply_gather(const ply *p, const ply_element *element, size_t i, io_span *name) {
  *name = ply_property_at(p, element, i)->name;
  if (ply_names_follow(p, element, i, ply_normal)) {
    *name = (io_span){"normal", 6};
    return 3;
  }
  if (ply_names_follow(p, element, i, ply_color)) {
    *name = (io_span){"color", 5};
    return ply_names_follow(p, element, i + 3, (const char *const[]){"alpha", NULL}) ? 4 : 3;
  }
  if (name->size < 3) return 1;
  io_span stem = {name->at, name->size - 2};
  size_t count = 0;
  while (i + count < element->property_count && count < UINT16_MAX &&
         !ply_property_at(p, element, i + count)->is_list &&
         ply_is_component(ply_property_at(p, element, i + count)->name, stem, count)) {
    count++;
  }
  if (count < 2) return 1;
  *name = stem;
  return count;
}

// The values of a field for the elements, which another element of the file may have begun.
static double *ply_element_field(ply *p, io_span name, size_t components) {
  char text[IO_NAME_SIZE];
  io_copy_name(name, text);
  const clv_mesh *mesh = p->r->mesh;
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *field = &mesh->fields[f];
    if (field->place == CLV_ON_ELEMENTS && field->components == components && strcmp(field->name, text) == 0) {
      return field->values;
    }
  }
  return io_add_field(p->r, name, CLV_ON_ELEMENTS, (uint32_t)components);
}

static void ply_keep_field(ply *p, const ply_table *table, io_span name, size_t column, size_t components,
                           bool is_vertex) {
  io_reader *r = p->r;
  double *values =
      is_vertex ? io_add_field(r, name, CLV_ON_POINTS, (uint32_t)components) : ply_element_field(p, name, components);
  if (!values || !io_ok(r)) return;
  for (size_t i = 0; i < table->rows; i++) {
    const double *row = table->values + i * table->columns + column;
    size_t first = is_vertex ? i : table->first[i], end = is_vertex ? i + 1 : table->first[i + 1];
    for (size_t e = first; e < end; e++) memcpy(values + e * components, row, components * sizeof *row);
  }
}

static void ply_keep_regions(ply *p, const ply_table *table, size_t column) {
  io_reader *r = p->r;
  for (size_t i = 0; i < table->rows && io_ok(r); i++) {
    double tag = table->values[i * table->columns + column];
    if (!(tag >= INT32_MIN && tag <= INT32_MAX) || tag != floor(tag)) {
      io_fail(r, "region %g is no integer of 32 bits", tag);
      return;
    }
    for (size_t e = table->first[i]; e < table->first[i + 1]; e++) r->mesh->tags[e] = (int32_t)tag;
  }
}

static bool ply_is_place(const ply *p, const ply_element *element, size_t i, bool is_vertex) {
  static const char *const places[][3] = {{"vertex1", "vertex2", "vertex1"}, {"x", "y", "z"}};
  for (int k = 0; k < 3; k++) {
    if (io_span_is(ply_property_at(p, element, i)->name, places[is_vertex][k])) return true;
  }
  return false;
}

static void ply_keep_scalars(ply *p, const ply_element *element, const ply_table *table) {
  bool is_vertex = io_span_is(element->name, "vertex");
  for (size_t i = 0, count; i < element->property_count && io_ok(p->r); i += count) {
    const ply_property *property = ply_property_at(p, element, i);
    count = 1;
    if (property->is_list || ply_is_place(p, element, i, is_vertex)) continue;
    if (!is_vertex && io_span_is(property->name, "region") && io_scalar_is_integer(property->type)) {
      ply_keep_regions(p, table, i);
      continue;
    }
    io_span name;
    count = ply_gather(p, element, i, &name);
    ply_keep_field(p, table, name, i, count, is_vertex);
  }
}

void io_ply_read(io_reader *r) {
  ply p = {.r = r};
  if (!io_ply_read_header(r, &p.header)) return;
  size_t count = p.header.element_count;
  p.tables = io_scratch_new(r, count, sizeof *p.tables);
  if (!p.tables) return;
  memset(p.tables, 0, count * sizeof *p.tables);
  for (size_t i = 0; i < count && io_ok(r); i++) ply_read_element_rows(&p, i);
  if (!p.has_vertices) io_fail(r, "the file has no element 'vertex'");
  if (!r->binary && io_ok(r)) {
    io_skip_blanks(r);
    if (r->at < r->end) io_fail(r, "unexpected %s behind the last element", io_quote(io_word(r)).text);
  }
  for (size_t i = 0; i < count && io_ok(r); i++) {
    if (p.tables[i].values) ply_keep_scalars(&p, &p.header.elements[i], &p.tables[i]);
  }
}
