// Reads VTK's legacy files, versions 1.0 to 5.1, text and binary (big-endian): unstructured grids, polydata, structured
// points, rectilinear and structured grids.
//
// A file is a list of keywords. Those before POINT_DATA or CELL_DATA describe the geometry; they are gathered and
// become points and elements when the first values, or the end of the file, come (vtk_finish_geometry). The keywords
// after it are arrays of values. What describes neither (lookup tables, metadata, the fields of the whole data set) is
// skipped.

#include "io/bytes.h"
#include "io/formats.h"
#include "io/text.h"
#include "io/vtk_cells.h"

#include <inttypes.h>
#include <string.h>

typedef enum vtk_dataset {
  VTK_NO_DATASET = 0,
  VTK_UNSTRUCTURED_GRID = 1, // bits, so that a keyword can belong to several
  VTK_POLYDATA = 2,
  VTK_STRUCTURED_POINTS = 4,
  VTK_RECTILINEAR_GRID = 8,
  VTK_STRUCTURED_GRID = 16,
} vtk_dataset;

// Cells of one keyword.
typedef struct vtk_cell_array {
  const char *mark; // where it stands, for messages; NULL when there is none
  io_vtk_text text;
  size_t count;
  int64_t *offsets; // count + 1
  int64_t *connectivity;
  size_t connectivity_count;
} vtk_cell_array;

// The kinds of cell arrays. Values on the cells of polydata come in this order, whatever the order in the file.
enum { VTK_VERTICES, VTK_LINES, VTK_POLYGONS, VTK_STRIPS, VTK_CELLS, VTK_CELL_ARRAY_COUNT };

typedef struct vtk vtk;

typedef struct vtk_keyword {
  const char *name;
  void (*read)(vtk *v);
  int datasets; // a keyword of geometry: the kinds of data set it belongs to
  int argument; // what `read` needs to know: a cell array, an axis, a number of components
} vtk_keyword;

struct vtk {
  io_reader *r;
  const vtk_keyword *keyword; // the one being read
  bool modern;                // version 5: cells are offsets and connectivity
  vtk_dataset dataset;
  bool has_geometry; // it is in the mesh; keywords that describe geometry come too late

  const char *integers_at; // where the last array of integers stands as text; NULL when it does not
  vtk_cell_array arrays[VTK_CELL_ARRAY_COUNT];
  int64_t *types;
  size_t type_count;

  size_t dimensions[3];
  double origin[3], spacing[3];
  double *axes[3]; // the coordinates of a rectilinear grid

  size_t cell_count;
  uint32_t *element_counts;                                // the elements each cell became; NULL for one each
  enum { VTK_NOWHERE, VTK_AT_POINTS, VTK_AT_CELLS } place; // where values lie now
  bool has_tags;
};

// ---- arrays ---------------------------------------------------------------------------------------------------------

typedef struct vtk_scalar {
  const char *name;
  io_scalar scalar;
  bool is_bit; // eight to a byte in binary files
} vtk_scalar;

// A vtkIdType is written with 32 bits, whatever VTK was built with.
static const vtk_scalar vtk_scalars[] = {
    {"bit", IO_UINT8, true},           {"char", IO_INT8, false},
    {"signed_char", IO_INT8, false},   {"unsigned_char", IO_UINT8, false},
    {"short", IO_INT16, false},        {"unsigned_short", IO_UINT16, false},
    {"int", IO_INT32, false},          {"unsigned_int", IO_UINT32, false},
    {"long", IO_INT64, false},         {"unsigned_long", IO_UINT64, false},
    {"long_long", IO_INT64, false},    {"unsigned_long_long", IO_UINT64, false},
    {"vtktypeint64", IO_INT64, false}, {"vtktypeuint64", IO_UINT64, false},
    {"vtkidtype", IO_INT32, false},    {"float", IO_FLOAT32, false},
    {"double", IO_FLOAT64, false},
};

static const vtk_scalar vtk_int = {"int", IO_INT32, false};

static const vtk_scalar *vtk_find_scalar(io_span name) {
  for (size_t i = 0; i < sizeof vtk_scalars / sizeof *vtk_scalars; i++) {
    if (io_span_is_nocase(name, vtk_scalars[i].name)) return &vtk_scalars[i];
  }
  return NULL;
}

// Never NULL: after a failure it is any type.
static const vtk_scalar *vtk_read_scalar(vtk *v) {
  io_span name = io_word(v->r);
  const vtk_scalar *scalar = vtk_find_scalar(name);
  if (!scalar) io_fail(v->r, "expected a type of numbers such as double, found %s", io_quote(name).text);
  return scalar ? scalar : &vtk_int;
}

static size_t vtk_binary_size(const vtk_scalar *scalar, size_t count) {
  return scalar->is_bit ? count / 8 + (count % 8 != 0) : count * io_scalar_size(scalar->scalar);
}

// Whether the rest of the file can hold such an array. Ends the line before it: binary data begin on the next.
static bool vtk_begin_array(vtk *v, const vtk_scalar *scalar, size_t count) {
  io_rest_of_line(v->r);
  return io_room(v->r, v->r->binary ? vtk_binary_size(scalar, count) : count, 1, "numbers or bytes");
}

static bool vtk_bit(const char *bytes, size_t i) {
  return (unsigned char)bytes[i / 8] >> (7 - i % 8) & 1;
}

static void vtk_load_reals(vtk *v, const vtk_scalar *scalar, size_t count, double *values) {
  io_reader *r = v->r;
  if (!r->binary) {
    for (size_t i = 0; i < count && io_ok(r); i++) values[i] = io_text_real(r, "a number");
    return;
  }
  const char *bytes = io_bytes(r, vtk_binary_size(scalar, count), "an array");
  if (!bytes) return;
  if (scalar->is_bit) {
    for (size_t i = 0; i < count; i++) values[i] = vtk_bit(bytes, i);
  } else {
    io_load_reals(bytes, count, scalar->scalar, true, values);
  }
}

static int64_t *vtk_read_integers(vtk *v, const vtk_scalar *scalar, size_t count) {
  io_reader *r = v->r;
  if (!io_scalar_is_integer(scalar->scalar) || scalar->is_bit) {
    io_fail(r, "expected integers, not numbers of type %s", scalar->name);
  }
  if (!vtk_begin_array(v, scalar, count)) return NULL;
  int64_t *values = io_scratch_new(r, count, sizeof *values);
  v->integers_at = r->binary ? NULL : r->at;
  if (!r->binary) {
    for (size_t i = 0; i < count && io_ok(r); i++) values[i] = io_text_integer(r, "an integer");
    return values;
  }
  const char *bytes = io_bytes(r, vtk_binary_size(scalar, count), "an array");
  if (bytes && values) io_load_integers(bytes, count, scalar->scalar, true, values);
  return values;
}

static double *vtk_read_reals(vtk *v, const vtk_scalar *scalar, size_t count) {
  if (!vtk_begin_array(v, scalar, count)) return NULL;
  double *values = io_scratch_new(v->r, count, sizeof *values);
  if (values) vtk_load_reals(v, scalar, count, values);
  return values;
}

static int vtk_hex_digit(char c) {
  if (c >= '0' && c <= '9') return c - '0';
  if (c >= 'a' && c <= 'f') return c - 'a' + 10;
  return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

// Names have blanks and the like written as % and two digits. A zero is not decoded: it would end the name.
static io_span vtk_read_name(vtk *v) {
  io_span word = io_word(v->r);
  char *name = io_scratch_new(v->r, word.size, 1);
  if (!name) return (io_span){v->r->end, 0};
  size_t size = 0;
  for (size_t i = 0; i < word.size; i++) {
    bool escape = word.at[i] == '%' && word.size - i > 2;
    int high = escape ? vtk_hex_digit(word.at[i + 1]) : -1, low = escape ? vtk_hex_digit(word.at[i + 2]) : -1;
    bool decoded = high >= 0 && low >= 0 && high + low > 0;
    name[size++] = decoded ? (char)(high * 16 + low) : word.at[i];
    if (decoded) i += 2;
  }
  return (io_span){name, size};
}

// ---- geometry: keywords ---------------------------------------------------------------------------------------------

static void vtk_read_dataset(vtk *v) {
  static const struct {
    const char *name;
    vtk_dataset dataset;
  } datasets[] = {
      {"UNSTRUCTURED_GRID", VTK_UNSTRUCTURED_GRID}, {"POLYDATA", VTK_POLYDATA},
      {"STRUCTURED_POINTS", VTK_STRUCTURED_POINTS}, {"RECTILINEAR_GRID", VTK_RECTILINEAR_GRID},
      {"STRUCTURED_GRID", VTK_STRUCTURED_GRID},
  };
  if (v->dataset != VTK_NO_DATASET) io_fail(v->r, "a second DATASET");
  io_span name = io_word(v->r);
  for (size_t i = 0; i < sizeof datasets / sizeof *datasets; i++) {
    if (io_span_is_nocase(name, datasets[i].name)) v->dataset = datasets[i].dataset;
  }
  if (v->dataset == VTK_NO_DATASET) io_fail(v->r, "data sets of type %s are not supported", io_quote(name).text);
}

static void vtk_read_points(vtk *v) {
  io_reader *r = v->r;
  if (r->mesh->point_count) io_fail(r, "a second %s", v->keyword->name);
  size_t count = io_text_count(r, "points", 3);
  const vtk_scalar *scalar = vtk_read_scalar(v);
  io_reserve(r, count, 0, 0);
  if (!vtk_begin_array(v, scalar, 3 * count)) return;
  size_t size = io_scalar_size(scalar->scalar);
  for (size_t i = 0; i < count && io_ok(r); i++) {
    double point[3] = {0, 0, 0};
    if (r->binary) {
      const char *bytes = io_bytes(r, 3 * size, "the points");
      if (bytes) io_load_reals(bytes, 3, scalar->scalar, true, point);
    } else {
      for (int c = 0; c < 3; c++) point[c] = io_text_real(r, "a coordinate");
    }
    io_add_point(r, point);
  }
}

// Version 1 to 4: each cell with its number of nodes in front. The stream becomes the connectivity in place.
static void vtk_read_cell_stream(vtk *v, vtk_cell_array *array, size_t count, size_t size) {
  io_reader *r = v->r;
  int64_t *stream = vtk_read_integers(v, &vtk_int, size);
  int64_t *offsets = io_scratch_new(r, count + 1, sizeof *offsets);
  if (!io_ok(r)) return;
  r->mark = array->mark;
  size_t at = 0, kept = 0;
  for (size_t i = 0; i < count; i++) {
    offsets[i] = (int64_t)kept;
    if (at == size || stream[at] < 0 || (uint64_t)stream[at] > size - at - 1) {
      io_fail(r, "cell %zu does not fit the %zu numbers declared for all cells", i, size);
      return;
    }
    size_t nodes = (size_t)stream[at++];
    memmove(stream + kept, stream + at, nodes * sizeof *stream);
    kept += nodes;
    at += nodes;
  }
  if (at != size) io_fail(r, "%zu numbers are declared for the cells, they take %zu", size, at);
  offsets[count] = (int64_t)kept;
  array->count = count;
  array->offsets = offsets;
  array->connectivity = stream;
  array->connectivity_count = kept;
  array->text = (io_vtk_text){v->integers_at, 1};
}

static int64_t *vtk_read_part(vtk *v, const char *keyword, size_t count) {
  io_span word = io_word(v->r);
  if (!io_span_is_nocase(word, keyword)) io_fail(v->r, "expected %s, found %s", keyword, io_quote(word).text);
  return vtk_read_integers(v, vtk_read_scalar(v), count);
}

// Version 5. The number of cells is that of their offsets, one more than there are; "0 0" stands for no cells, too.
static void vtk_read_cell_parts(vtk *v, vtk_cell_array *array, size_t offset_count, size_t connectivity_count) {
  if (offset_count == 0) {
    if (connectivity_count) io_fail(v->r, "expected one offset more than there are cells, found none");
    array->mark = NULL;
    return;
  }
  array->count = offset_count - 1;
  array->offsets = vtk_read_part(v, "OFFSETS", offset_count);
  array->connectivity = vtk_read_part(v, "CONNECTIVITY", connectivity_count);
  array->connectivity_count = connectivity_count;
  array->text = (io_vtk_text){v->integers_at, 0};
}

static void vtk_read_cell_array(vtk *v) {
  io_reader *r = v->r;
  vtk_cell_array *array = &v->arrays[v->keyword->argument];
  if (array->mark) io_fail(r, "a second %s", v->keyword->name);
  array->mark = r->mark;
  size_t count = io_text_count(r, "cells", 1), size = io_text_count(r, "numbers", 1);
  if (!io_ok(r)) return;
  if (v->modern) {
    vtk_read_cell_parts(v, array, count, size);
  } else {
    vtk_read_cell_stream(v, array, count, size);
  }
}

static void vtk_read_types(vtk *v) {
  if (v->types) io_fail(v->r, "a second %s", v->keyword->name);
  v->type_count = io_text_count(v->r, "cell types", 1);
  v->types = vtk_read_integers(v, &vtk_int, v->type_count);
}

static void vtk_read_dimensions(vtk *v) {
  if (v->dimensions[0]) io_fail(v->r, "a second %s", v->keyword->name);
  for (int i = 0; i < 3; i++) {
    int64_t dimension = io_text_integer(v->r, "a dimension");
    if (dimension < 1) io_fail(v->r, "a dimension is %" PRId64 ", at least 1 is needed", dimension);
    if (dimension > INT32_MAX) io_fail(v->r, "a dimension of %" PRId64 " is too large", dimension);
    v->dimensions[i] = (size_t)dimension;
  }
}

static void vtk_read_origin(vtk *v) {
  for (int i = 0; i < 3; i++) v->origin[i] = io_text_real(v->r, "a coordinate");
}

static void vtk_read_spacing(vtk *v) {
  for (int i = 0; i < 3; i++) v->spacing[i] = io_text_real(v->r, "a spacing");
}

static void vtk_read_axis(vtk *v) {
  int axis = v->keyword->argument;
  if (v->dimensions[0] == 0) io_fail(v->r, "%s come before the DIMENSIONS", v->keyword->name);
  size_t count = io_text_count(v->r, "coordinates", 1);
  if (count != v->dimensions[axis]) {
    io_fail(v->r, "%zu coordinates along this axis, the dimensions say %zu", count, v->dimensions[axis]);
  }
  v->axes[axis] = vtk_read_reals(v, vtk_read_scalar(v), count);
}

// ---- geometry: from keywords to elements ----------------------------------------------------------------------------

static void vtk_add_cells(vtk *v, const vtk_cell_array *array, const int64_t *types, uint32_t *element_counts) {
  v->r->mark = array->mark;
  io_vtk_cells cells = {
      .count = array->count,
      .types = types,
      .offsets = array->offsets,
      .connectivity = array->connectivity,
      .connectivity_count = array->connectivity_count,
      .connectivity_text = array->text,
      .point_count = v->r->mesh->point_count,
  };
  io_vtk_add_cells(v->r, &cells, element_counts);
}

static void vtk_add_unstructured(vtk *v) {
  const vtk_cell_array *array = &v->arrays[VTK_CELLS];
  v->cell_count = array->count;
  if (array->mark) v->r->mark = array->mark;
  if (v->type_count != array->count) {
    io_fail(v->r, "there are %zu cells and %zu cell types", array->count, v->type_count);
  }
  v->element_counts = io_scratch_new(v->r, array->count, sizeof *v->element_counts);
  if (io_ok(v->r) && array->mark) vtk_add_cells(v, array, v->types, v->element_counts);
}

// The cells of polydata have no types; what they are follows from the keyword and the number of nodes.
static int64_t vtk_polydata_type(int which, int64_t node_count) {
  switch (which) {
  case VTK_VERTICES:
    return node_count == 1 ? IO_VTK_VERTEX : IO_VTK_POLY_VERTEX;
  case VTK_LINES:
    return node_count == 2 ? IO_VTK_LINE : IO_VTK_POLY_LINE;
  case VTK_POLYGONS:
    return node_count == 3 ? IO_VTK_TRIANGLE : node_count == 4 ? IO_VTK_QUAD : IO_VTK_POLYGON;
  default:
    return IO_VTK_TRIANGLE_STRIP;
  }
}

static void vtk_add_polydata(vtk *v) {
  io_reader *r = v->r;
  for (int which = VTK_VERTICES; which <= VTK_STRIPS; which++) v->cell_count += v->arrays[which].count;
  v->element_counts = io_scratch_new(r, v->cell_count, sizeof *v->element_counts);
  int64_t *types = io_scratch_new(r, v->cell_count, sizeof *types);
  size_t first = 0;
  for (int which = VTK_VERTICES; which <= VTK_STRIPS && io_ok(r); which++) {
    const vtk_cell_array *array = &v->arrays[which];
    if (!array->mark) continue;
    for (size_t i = 0; i < array->count; i++) {
      // Not checked yet, so a difference may be anything; unsigned, it overflows without harm.
      uint64_t node_count = (uint64_t)array->offsets[i + 1] - (uint64_t)array->offsets[i];
      types[i] = vtk_polydata_type(which, (int64_t)node_count);
    }
    vtk_add_cells(v, array, types, v->element_counts + first);
    first += array->count;
  }
}

// The product of the dimensions; `less` is 1 for cells and 0 for points. An axis of one point adds no dimension to
// cells.
static size_t vtk_grid_size(vtk *v, size_t less) {
  size_t size = 1;
  for (int i = 0; i < 3; i++) {
    size_t along = v->dimensions[i] > 1 ? v->dimensions[i] - less : 1;
    if (size > SIZE_MAX / 64 / along) {
      io_fail(v->r, "the dimensions are too large");
      return 0;
    }
    size *= along;
  }
  return size;
}

static void vtk_grid_point(const vtk *v, const size_t at[3], double point[3]) {
  for (int i = 0; i < 3; i++) {
    point[i] = v->dataset == VTK_RECTILINEAR_GRID ? v->axes[i][at[i]] : v->origin[i] + v->spacing[i] * (double)at[i];
  }
}

static void vtk_add_grid_points(vtk *v) {
  io_reader *r = v->r;
  size_t count = vtk_grid_size(v, 0);
  if (!io_reserve(r, count, 0, 0)) return;
  size_t at[3];
  for (at[2] = 0; at[2] < v->dimensions[2]; at[2]++) {
    for (at[1] = 0; at[1] < v->dimensions[1]; at[1]++) {
      for (at[0] = 0; at[0] < v->dimensions[0]; at[0]++) {
        double point[3];
        vtk_grid_point(v, at, point);
        if (!io_add_point(r, point)) return;
      }
    }
  }
}

// What the cells of a grid are, and the steps from a cell's first point to its other corners.
typedef struct vtk_grid_cell {
  clv_kind kind;
  size_t corner_count;
  size_t steps[8];
} vtk_grid_cell;

static vtk_grid_cell vtk_make_grid_cell(const vtk *v) {
  static const clv_kind kinds[] = {CLV_POINT, CLV_LINE, CLV_QUAD, CLV_HEX};
  size_t strides[3] = {1, v->dimensions[0], v->dimensions[0] * v->dimensions[1]};
  vtk_grid_cell cell = {.corner_count = 1};
  int dimension = 0;
  for (int axis = 0; axis < 3; axis++) {
    if (v->dimensions[axis] < 2) continue;
    // Each new axis repeats the corners one step further; around a quadrangle the way back is the other way round.
    size_t n = cell.corner_count;
    for (size_t i = 0; i < n; i++) cell.steps[n + i] = cell.steps[dimension == 1 ? n - 1 - i : i] + strides[axis];
    cell.corner_count = 2 * n;
    dimension++;
  }
  cell.kind = kinds[dimension];
  return cell;
}

static void vtk_add_grid_cells(vtk *v) {
  io_reader *r = v->r;
  vtk_grid_cell cell = vtk_make_grid_cell(v);
  v->cell_count = vtk_grid_size(v, 1);
  if (!io_reserve(r, 0, v->cell_count, v->cell_count * cell.corner_count)) return;
  size_t along[3];
  for (int i = 0; i < 3; i++) along[i] = v->dimensions[i] > 1 ? v->dimensions[i] - 1 : 1;
  for (size_t i = 0; i < v->cell_count && io_ok(r); i++) {
    size_t x = i % along[0], y = i / along[0] % along[1], z = i / along[0] / along[1];
    size_t first = x + v->dimensions[0] * (y + v->dimensions[1] * z);
    uint32_t corners[8];
    for (size_t c = 0; c < cell.corner_count; c++) corners[c] = (uint32_t)(first + cell.steps[c]);
    io_add_element(r, cell.kind, corners, cell.corner_count, 0);
  }
}

static bool vtk_grid_is_whole(vtk *v) {
  if (v->dimensions[0] == 0) return io_fail(v->r, "the data set has no DIMENSIONS");
  if (v->dataset != VTK_RECTILINEAR_GRID || (v->axes[0] && v->axes[1] && v->axes[2])) return true;
  return io_fail(v->r, "the data set lacks X_COORDINATES, Y_COORDINATES or Z_COORDINATES");
}

static void vtk_add_grid(vtk *v) {
  io_reader *r = v->r;
  if (!vtk_grid_is_whole(v)) return;
  if (v->dataset != VTK_STRUCTURED_GRID) vtk_add_grid_points(v);
  if (io_ok(r) && r->mesh->point_count != vtk_grid_size(v, 0)) {
    io_fail(r, "there are %zu points, the dimensions need %zu", r->mesh->point_count, vtk_grid_size(v, 0));
  }
  if (io_ok(r)) vtk_add_grid_cells(v);
}

static void vtk_finish_geometry(vtk *v) {
  if (v->has_geometry || !io_ok(v->r)) return;
  v->has_geometry = true;
  switch (v->dataset) {
  case VTK_NO_DATASET:
    io_fail(v->r, "the file has no DATASET");
    break;
  case VTK_UNSTRUCTURED_GRID:
    vtk_add_unstructured(v);
    break;
  case VTK_POLYDATA:
    vtk_add_polydata(v);
    break;
  default:
    vtk_add_grid(v);
  }
}

// ---- values ---------------------------------------------------------------------------------------------------------

static void vtk_begin_values(vtk *v, size_t expected, const char *things) {
  int64_t count = io_text_integer(v->r, "the number of values");
  if (count < 0 || (uint64_t)count != expected) {
    io_fail(v->r, "values for %" PRId64 " %s, there are %zu", count, things, expected);
  }
}

static void vtk_read_point_data(vtk *v) {
  vtk_finish_geometry(v);
  v->place = VTK_AT_POINTS;
  vtk_begin_values(v, v->r->mesh->point_count, "points");
}

static void vtk_read_cell_data(vtk *v) {
  vtk_finish_geometry(v);
  v->place = VTK_AT_CELLS;
  vtk_begin_values(v, v->cell_count, "cells");
}

static void vtk_read_cell_values(vtk *v, io_span name, size_t components, const vtk_scalar *scalar) {
  io_reader *r = v->r;
  bool is_tags = !v->has_tags && components == 1 && io_scalar_is_integer(scalar->scalar) && !scalar->is_bit &&
                 io_vtk_is_region(name);
  if (is_tags) {
    int64_t *tags = vtk_read_integers(v, scalar, v->cell_count);
    if (io_ok(r)) io_vtk_spread_tags(r, v->element_counts, v->cell_count, tags, r->mesh->tags);
    v->has_tags = true;
    return;
  }
  double *values = vtk_read_reals(v, scalar, v->cell_count * components);
  double *field = io_add_field(r, name, CLV_ON_ELEMENTS, (uint32_t)components);
  if (io_ok(r)) io_vtk_spread_values(v->element_counts, v->cell_count, values, components, field);
}

static void vtk_read_point_values(vtk *v, io_span name, size_t components, const vtk_scalar *scalar) {
  io_reader *r = v->r;
  size_t count = r->mesh->point_count * components;
  if (!vtk_begin_array(v, scalar, count)) return;
  double *field = io_add_field(r, name, CLV_ON_POINTS, (uint32_t)components);
  if (io_ok(r)) vtk_load_reals(v, scalar, count, field);
}

// The array of values that stands here.
static void vtk_read_values(vtk *v, io_span name, size_t components, const vtk_scalar *scalar) {
  io_reader *r = v->r;
  if (v->place == VTK_NOWHERE) io_fail(r, "values need POINT_DATA or CELL_DATA before them");
  if (components < 1 || components > UINT16_MAX) io_fail(r, "arrays of %zu components are not supported", components);
  if (!io_ok(r)) return;
  io_scratch *top = r->scratch;
  if (v->place == VTK_AT_POINTS) {
    vtk_read_point_values(v, name, components, scalar);
  } else {
    vtk_read_cell_values(v, name, components, scalar);
  }
  io_scratch_cut(r, top);
}

// SCALARS name type [components], then LOOKUP_TABLE name on a line of its own, which some texts leave out.
static void vtk_read_scalars(vtk *v) {
  io_reader *r = v->r;
  io_span name = vtk_read_name(v);
  const vtk_scalar *scalar = vtk_read_scalar(v);
  size_t components = io_line_ends(r) ? 1 : (size_t)io_text_integer(r, "the number of components");
  if (io_span_is_nocase(io_peek_word(r), "LOOKUP_TABLE")) {
    io_word(r);
    io_word(r);
  } else if (r->binary) {
    io_fail(r, "expected LOOKUP_TABLE");
  }
  vtk_read_values(v, name, components, scalar);
}

// Colours are bytes in binary files and numbers from 0 to 1 in text.
static void vtk_read_color_scalars(vtk *v) {
  static const vtk_scalar color = {"unsigned_char", IO_UINT8, false};
  io_span name = vtk_read_name(v);
  size_t components = (size_t)io_text_integer(v->r, "the number of components");
  vtk_read_values(v, name, components, &color);
}

// VECTORS, TENSORS and the like: the keyword says how many components.
static void vtk_read_fixed(vtk *v) {
  io_span name = vtk_read_name(v);
  vtk_read_values(v, name, (size_t)v->keyword->argument, vtk_read_scalar(v));
}

static void vtk_read_texture_coordinates(vtk *v) {
  io_span name = vtk_read_name(v);
  size_t components = (size_t)io_text_integer(v->r, "the number of components");
  vtk_read_values(v, name, components, vtk_read_scalar(v));
}

// ---- what is skipped ------------------------------------------------------------------------------------------------

static void vtk_skip_lookup_table(vtk *v) {
  io_word(v->r);
  size_t count = io_text_count(v->r, "colours", 4);
  io_rest_of_line(v->r);
  if (v->r->binary) {
    io_bytes(v->r, 4 * count, "a lookup table");
  } else {
    for (size_t i = 0; i < 4 * count && io_ok(v->r); i++) io_text_real(v->r, "a part of a colour");
  }
}

// Information about the array before it, up to an empty line.
static void vtk_skip_metadata(vtk *v) {
  io_rest_of_line(v->r);
  while (io_left(v->r) && io_rest_of_line(v->r).size) continue;
}

// A string of a binary file has its length in front; the upper two bits of that say how many bytes it takes.
static void vtk_skip_binary_string(vtk *v) {
  static const size_t lengths[] = {8, 4, 2, 1};
  const char *head = v->r->at;
  if (!io_bytes(v->r, 1, "a string")) return;
  size_t size = lengths[(unsigned char)*head >> 6];
  if (!io_bytes(v->r, size - 1, "a string")) return;
  uint64_t length = io_load(head, size, true) & (UINT64_MAX >> (64 - 8 * size + 2));
  if (io_room(v->r, length, 1, "characters")) io_bytes(v->r, (size_t)length, "a string");
}

// Each takes a byte at least: the end of its line in a text, its length in a binary file.
static void vtk_skip_strings(vtk *v, size_t count) {
  io_rest_of_line(v->r);
  if (!io_room(v->r, count, 1, "strings")) return;
  for (size_t i = 0; i < count && io_ok(v->r); i++) {
    if (v->r->binary) {
      vtk_skip_binary_string(v);
    } else {
      io_rest_of_line(v->r);
    }
  }
}

// ---- FIELD ----------------------------------------------------------------------------------------------------------

static size_t vtk_expected_tuples(const vtk *v) {
  return v->place == VTK_AT_POINTS ? v->r->mesh->point_count : v->cell_count;
}

// name components tuples type, then the numbers
static void vtk_read_field_array(vtk *v) {
  io_reader *r = v->r;
  if (io_span_is_nocase(io_peek_word(r), "METADATA")) {
    io_word(r);
    vtk_skip_metadata(v);
  }
  io_span name = vtk_read_name(v);
  int64_t components = io_text_integer(r, "the number of components");
  int64_t tuples = io_text_integer(r, "the number of tuples");
  if (components < 0 || components > UINT16_MAX) {
    io_fail(r, "arrays of %" PRId64 " components are not supported", components);
  }
  if (tuples < 0 || tuples > UINT32_MAX) io_fail(r, "arrays of %" PRId64 " tuples are not supported", tuples);
  if (!io_ok(r)) return;
  size_t count = (size_t)components * (size_t)tuples;
  io_span type = io_peek_word(r);
  if (io_span_is_nocase(type, "string") || io_span_is_nocase(type, "utf8_string")) {
    vtk_skip_strings(v, count);
    return;
  }
  const vtk_scalar *scalar = vtk_read_scalar(v);
  if (v->place == VTK_NOWHERE) {
    vtk_read_reals(v, scalar, count);
  } else if (components > 0) {
    if ((uint64_t)tuples != vtk_expected_tuples(v)) {
      io_fail(r, "an array of %" PRId64 " tuples, %zu are needed", tuples, vtk_expected_tuples(v));
    }
    vtk_read_values(v, name, (size_t)components, scalar);
  }
}

static void vtk_read_field(vtk *v) {
  io_reader *r = v->r;
  io_word(r);
  size_t count = io_text_count(r, "arrays", sizeof "a 1 0 int");
  for (size_t i = 0; i < count && io_ok(r); i++) {
    io_scratch *top = r->scratch;
    vtk_read_field_array(v);
    io_scratch_cut(r, top);
  }
}

// ---- the file -------------------------------------------------------------------------------------------------------

#define VTK_WITH_POINTS (VTK_UNSTRUCTURED_GRID | VTK_POLYDATA | VTK_STRUCTURED_GRID)
#define VTK_WITH_DIMENSIONS (VTK_STRUCTURED_POINTS | VTK_RECTILINEAR_GRID | VTK_STRUCTURED_GRID)

static const vtk_keyword vtk_keywords[] = {
    {"DATASET", vtk_read_dataset, 0, 0},
    {"POINTS", vtk_read_points, VTK_WITH_POINTS, 0},
    {"CELLS", vtk_read_cell_array, VTK_UNSTRUCTURED_GRID, VTK_CELLS},
    {"CELL_TYPES", vtk_read_types, VTK_UNSTRUCTURED_GRID, 0},
    {"VERTICES", vtk_read_cell_array, VTK_POLYDATA, VTK_VERTICES},
    {"LINES", vtk_read_cell_array, VTK_POLYDATA, VTK_LINES},
    {"POLYGONS", vtk_read_cell_array, VTK_POLYDATA, VTK_POLYGONS},
    {"TRIANGLE_STRIPS", vtk_read_cell_array, VTK_POLYDATA, VTK_STRIPS},
    {"DIMENSIONS", vtk_read_dimensions, VTK_WITH_DIMENSIONS, 0},
    {"ORIGIN", vtk_read_origin, VTK_STRUCTURED_POINTS, 0},
    {"SPACING", vtk_read_spacing, VTK_STRUCTURED_POINTS, 0},
    {"ASPECT_RATIO", vtk_read_spacing, VTK_STRUCTURED_POINTS, 0},
    {"X_COORDINATES", vtk_read_axis, VTK_RECTILINEAR_GRID, 0},
    {"Y_COORDINATES", vtk_read_axis, VTK_RECTILINEAR_GRID, 1},
    {"Z_COORDINATES", vtk_read_axis, VTK_RECTILINEAR_GRID, 2},
    {"POINT_DATA", vtk_read_point_data, 0, 0},
    {"CELL_DATA", vtk_read_cell_data, 0, 0},
    {"SCALARS", vtk_read_scalars, 0, 0},
    {"COLOR_SCALARS", vtk_read_color_scalars, 0, 0},
    {"TEXTURE_COORDINATES", vtk_read_texture_coordinates, 0, 0},
    {"VECTORS", vtk_read_fixed, 0, 3},
    {"NORMALS", vtk_read_fixed, 0, 3},
    {"TENSORS", vtk_read_fixed, 0, 9},
    {"TENSORS6", vtk_read_fixed, 0, 6},
    {"GLOBAL_IDS", vtk_read_fixed, 0, 1},
    {"PEDIGREE_IDS", vtk_read_fixed, 0, 1},
    {"EDGE_FLAGS", vtk_read_fixed, 0, 1},
    {"FIELD", vtk_read_field, 0, 0},
    {"LOOKUP_TABLE", vtk_skip_lookup_table, 0, 0},
    {"METADATA", vtk_skip_metadata, 0, 0},
};

static const vtk_keyword *vtk_find_keyword(io_span word) {
  for (size_t i = 0; i < sizeof vtk_keywords / sizeof *vtk_keywords; i++) {
    if (io_span_is_nocase(word, vtk_keywords[i].name)) return &vtk_keywords[i];
  }
  return NULL;
}

static void vtk_read_keyword(vtk *v, io_span word) {
  const vtk_keyword *keyword = vtk_find_keyword(word);
  if (!keyword) {
    io_fail(v->r, "unknown keyword %s", io_quote(word).text);
  } else if (keyword->datasets && v->has_geometry) {
    io_fail(v->r, "%s comes after the values", keyword->name);
  } else if (keyword->datasets && !(keyword->datasets & (int)v->dataset)) {
    io_fail(v->r, "%s has no place in this kind of data set", keyword->name);
  } else {
    v->keyword = keyword;
    keyword->read(v);
  }
}

// Three lines: "# vtk DataFile Version x.y", a title, and ASCII or BINARY.
static void vtk_read_header(vtk *v) {
  static const char first[] = "# vtk DataFile Version ";
  io_reader *r = v->r;
  io_span line = io_rest_of_line(r);
  if (line.size < sizeof first || memcmp(line.at, first, sizeof first - 1) != 0) {
    io_fail(r, "expected '%s' and a number", first);
    return;
  }
  char major = line.at[sizeof first - 1];
  if (major < '1' || major > '5') io_fail(r, "version %c of VTK's files is not supported; 1.0 to 5.1 are", major);
  v->modern = major == '5';
  io_rest_of_line(r);
  io_span encoding = io_rest_of_line(r);
  bool binary = io_span_is_nocase(encoding, "BINARY");
  if (!binary && !io_span_is_nocase(encoding, "ASCII")) {
    io_fail(r, "expected ASCII or BINARY, found %s", io_quote(encoding).text);
  }
  r->binary = binary;
}

void io_vtk_read(io_reader *r) {
  vtk v = {.r = r, .spacing = {1, 1, 1}};
  vtk_read_header(&v);
  while (io_ok(r)) {
    io_span word = io_word(r);
    if (word.size == 0) break;
    vtk_read_keyword(&v, word);
  }
  vtk_finish_geometry(&v);
}
