// Reads VTK's XML unstructured grids (.vtu): any number of pieces; arrays as text, base64 or appended bytes, in either
// byte order, plain or compressed by zlib.
//
// Two passes. The first walks the XML and notes the pieces and their arrays, up to the appended data, which need not be
// XML. The second decodes the arrays: first the points and cells of all pieces, which are appended to one mesh, then
// the values on them. Messages about an array name the line of its tag.

#include "io/base64.h"
#include "io/bytes.h"
#include "io/formats.h"
#include "io/text.h"
#include "io/vtk_cells.h"
#include "io/xml.h"
#include "io/zip.h"

#include <inttypes.h>
#include <string.h>

// What unpacking a block is charged, however little it holds: many arrays may name the same blocks.
#define VTU_BLOCK_COST 4096

typedef enum vtu_section { VTU_NO_SECTION, VTU_POINTS, VTU_CELLS, VTU_POINT_DATA, VTU_CELL_DATA } vtu_section;

typedef struct vtu_array {
  const char *mark; // its tag
  vtu_section section;
  io_span name;
  io_scalar scalar;
  bool is_text, is_appended;
  size_t components;
  io_span content; // what stands in the element
  uint64_t offset; // where it begins in the appended data
} vtu_array;

typedef struct vtu_piece {
  const char *mark;
  size_t point_count, cell_count;
  size_t first_array, array_count;
  size_t first_point, first_element;
  uint32_t *element_counts; // the elements each cell became
} vtu_piece;

typedef struct vtu {
  io_reader *r;
  io_xml xml;
  size_t header_size; // of the integers in front of binary arrays
  bool zlib;
  io_span appended; // behind the underscore
  bool appended_is_raw;
  vtu_piece *pieces;
  size_t piece_count, piece_capacity;
  vtu_array *arrays;
  size_t array_count, array_capacity;
} vtu;

// ---- first pass: what there is --------------------------------------------------------------------------------------

// Room for one more item in a list of scratch memory; the old list stays below until the end.
static void *vtu_grow(io_reader *r, void *items, size_t count, size_t *capacity, size_t item_size) {
  if (count < *capacity) return items;
  size_t grown = *capacity ? 2 * *capacity : 16;
  void *copy = io_scratch_new(r, grown, item_size);
  if (!copy) return NULL;
  if (count) memcpy(copy, items, count * item_size);
  *capacity = grown;
  return copy;
}

// Never fails in silence: an unknown word is an error.
static bool vtu_choose(vtu *v, const io_xml_tag *tag, const char *name, const char *missing, const char *no,
                       const char *yes) {
  io_span value = io_xml_attribute(tag, name, missing);
  if (io_span_is(value, yes)) return true;
  if (!io_span_is(value, no)) {
    v->r->mark = tag->mark;
    io_fail(v->r, "attribute %s is %s; %s and %s are supported", name, io_quote(value).text, *no ? no : "none", yes);
  }
  return false;
}

static void vtu_read_file(vtu *v, const io_xml_tag *tag) {
  io_span type = io_xml_attribute(tag, "type", "");
  if (!io_span_is(type, "UnstructuredGrid")) {
    io_fail(v->r, "files of type %s are not supported; UnstructuredGrid is", io_quote(type).text);
  }
  v->r->big_endian = vtu_choose(v, tag, "byte_order", "LittleEndian", "LittleEndian", "BigEndian");
  v->header_size = vtu_choose(v, tag, "header_type", "UInt32", "UInt32", "UInt64") ? 8 : 4;
  v->zlib = vtu_choose(v, tag, "compressor", "", "", "vtkZLibDataCompressor");
}

static void vtu_read_piece(vtu *v, const io_xml_tag *tag) {
  uint64_t points = io_xml_number(&v->xml, tag, "NumberOfPoints", ""),
           cells = io_xml_number(&v->xml, tag, "NumberOfCells", "");
  // No array can be longer than what the whole budget pays for, and so counts cannot overflow.
  if (points > UINT32_MAX || cells > UINT32_MAX) {
    io_fail(v->r, "pieces of more than 4294967295 points or cells are not supported");
  }
  vtu_piece *pieces = vtu_grow(v->r, v->pieces, v->piece_count, &v->piece_capacity, sizeof *pieces);
  if (!io_ok(v->r)) return;
  v->pieces = pieces;
  v->pieces[v->piece_count++] = (vtu_piece){
      .mark = tag->mark, .point_count = (size_t)points, .cell_count = (size_t)cells, .first_array = v->array_count};
}

// false for types that are not numbers.
static bool vtu_find_scalar(io_span name, io_scalar *scalar) {
  static const char *const names[IO_SCALAR_COUNT] = {
      [IO_INT8] = "Int8",       [IO_UINT8] = "UInt8",     [IO_INT16] = "Int16", [IO_UINT16] = "UInt16",
      [IO_INT32] = "Int32",     [IO_UINT32] = "UInt32",   [IO_INT64] = "Int64", [IO_UINT64] = "UInt64",
      [IO_FLOAT32] = "Float32", [IO_FLOAT64] = "Float64",
  };
  for (int i = 0; i < IO_SCALAR_COUNT; i++) {
    if (!io_span_is(name, names[i])) continue;
    *scalar = (io_scalar)i;
    return true;
  }
  return false;
}

static void vtu_read_array(vtu *v, const io_xml_tag *tag, vtu_section section) {
  io_reader *r = v->r;
  vtu_array array = {.mark = tag->mark, .section = section, .content = {r->at, 0}};
  io_span type = io_xml_attribute(tag, "type", ""), format = io_xml_attribute(tag, "format", "ascii");
  if (!vtu_find_scalar(type, &array.scalar)) {
    if (section == VTU_POINT_DATA || section == VTU_CELL_DATA) return; // strings on points are no field
    io_fail(r, "arrays of type %s are not supported here", io_quote(type).text);
  }
  array.is_text = io_span_is(format, "ascii");
  array.is_appended = io_span_is(format, "appended");
  if (!array.is_text && !array.is_appended && !io_span_is(format, "binary")) {
    io_fail(r, "attribute format is %s; ascii, binary and appended are supported", io_quote(format).text);
  }
  uint64_t components = io_xml_number(&v->xml, tag, "NumberOfComponents", "1");
  if (components > UINT16_MAX) io_fail(r, "arrays of %" PRIu64 " components are not supported", components);
  array.components = components ? (size_t)components : 1;
  if (array.is_appended) array.offset = io_xml_number(&v->xml, tag, "offset", "");
  array.name = io_xml_decode(r, io_xml_attribute(tag, "Name", ""));
  if (!tag->closes) array.content = io_xml_text(&v->xml);
  vtu_array *arrays = vtu_grow(r, v->arrays, v->array_count, &v->array_capacity, sizeof *arrays);
  if (!io_ok(r)) return;
  v->arrays = arrays;
  v->arrays[v->array_count++] = array;
  v->pieces[v->piece_count - 1].array_count++;
}

static void vtu_read_appended(vtu *v, const io_xml_tag *tag) {
  io_reader *r = v->r;
  v->appended_is_raw = vtu_choose(v, tag, "encoding", "base64", "base64", "raw");
  io_skip_blanks(r);
  r->mark = r->at;
  if (io_left(r) == 0 || *r->at != '_') {
    io_fail(r, "appended data begin with an underscore");
    return;
  }
  v->appended = (io_span){r->at + 1, io_left(r) - 1};
}

static vtu_section vtu_find_section(io_span name) {
  static const char *const names[] = {
      [VTU_POINTS] = "Points", [VTU_CELLS] = "Cells", [VTU_POINT_DATA] = "PointData", [VTU_CELL_DATA] = "CellData"};
  for (int i = VTU_POINTS; i <= VTU_CELL_DATA; i++) {
    if (io_span_is(name, names[i])) return (vtu_section)i;
  }
  return VTU_NO_SECTION;
}

// Where the walk stands. Elements that are not known are walked through; arrays outside of a section are left alone.
typedef struct vtu_place {
  bool in_file, in_piece;
  vtu_section section;
} vtu_place;

static void vtu_read_open_tag(vtu *v, const io_xml_tag *tag, vtu_place *place) {
  vtu_section section = vtu_find_section(tag->name);
  if (!place->in_file) {
    if (!io_span_is(tag->name, "VTKFile")) io_fail(v->r, "expected <VTKFile>, found %s", io_quote(tag->name).text);
    place->in_file = true;
    vtu_read_file(v, tag);
  } else if (io_span_is(tag->name, "Piece")) {
    place->in_piece = !tag->closes;
    vtu_read_piece(v, tag);
  } else if (place->in_piece && section != VTU_NO_SECTION) {
    place->section = tag->closes ? VTU_NO_SECTION : section;
  } else if (place->section != VTU_NO_SECTION && io_span_is(tag->name, "DataArray")) {
    vtu_read_array(v, tag, place->section);
  }
}

static void vtu_read_close_tag(const io_xml_tag *tag, vtu_place *place) {
  if (vtu_find_section(tag->name) == place->section) place->section = VTU_NO_SECTION;
  if (io_span_is(tag->name, "Piece")) place->in_piece = false;
}

static void vtu_walk(vtu *v) {
  vtu_place place = {false, false, VTU_NO_SECTION};
  io_xml_tag tag;
  while (io_xml_next(&v->xml, &tag)) {
    if (tag.opens && io_span_is(tag.name, "AppendedData")) {
      vtu_read_appended(v, &tag);
      return; // what follows need not be XML
    }
    if (tag.opens) {
      vtu_read_open_tag(v, &tag, &place);
    } else {
      vtu_read_close_tag(&tag, &place);
    }
  }
  if (!place.in_file) io_fail(v->r, "expected <VTKFile>, found no element at all");
}

// ---- second pass: bytes of an array ---------------------------------------------------------------------------------

// Where the bytes of an array come from: characters of base64, or the bytes themselves.
typedef struct vtu_source {
  bool is_raw;
  io_base64 stream;
} vtu_source;

static size_t vtu_source_left(const vtu_source *source) {
  return (size_t)(source->stream.end - source->stream.at) + source->stream.held_count;
}

static bool vtu_open_source(vtu *v, const vtu_array *array, vtu_source *source) {
  io_span text = array->content;
  *source = (vtu_source){.is_raw = array->is_appended && v->appended_is_raw};
  if (array->is_appended) {
    if (!v->appended.at) {
      return io_fail(v->r, "the array's format is appended, and the file has no <AppendedData>");
    }
    if (array->offset > v->appended.size) {
      return io_fail(v->r, "the offset of the array lies behind the end of the file");
    }
    text = (io_span){v->appended.at + array->offset, v->appended.size - (size_t)array->offset};
  }
  source->stream.at = text.at;
  source->stream.end = text.at + text.size;
  return true;
}

static bool vtu_take(vtu *v, vtu_source *source, void *bytes, size_t size) {
  if (!io_ok(v->r)) return false;
  bool enough = size <= vtu_source_left(source);
  if (enough && source->is_raw) {
    memcpy(bytes, source->stream.at, size);
    source->stream.at += size;
  } else if (enough) {
    enough = io_base64_read(&source->stream, bytes, size);
  }
  return enough || io_fail(v->r, "the data of the array end too early or are not base64");
}

// An integer of the header.
static uint64_t vtu_take_size(vtu *v, vtu_source *source) {
  unsigned char bytes[8];
  return vtu_take(v, source, bytes, v->header_size) ? io_load(bytes, v->header_size, v->r->big_endian) : 0;
}

// The bytes of an array, decoded.
typedef struct vtu_bytes {
  unsigned char *at;
  size_t size;
} vtu_bytes;

static vtu_bytes vtu_read_plain(vtu *v, vtu_source *source) {
  vtu_bytes data = {NULL, 0};
  uint64_t size = vtu_take_size(v, source);
  if (size > vtu_source_left(source)) {
    io_fail(v->r, "the array says it has %" PRIu64 " bytes, the file is too short for them", size);
  }
  data.at = io_scratch_new(v->r, (size_t)size, 1);
  if (data.at && vtu_take(v, source, data.at, (size_t)size)) data.size = (size_t)size;
  return data;
}

// The header of compressed data: the number of blocks, the size of each but the last, the size of the last (0 when it
// is a whole one), and then the compressed size of each.
typedef struct vtu_blocks {
  size_t count, size, last_size;
  size_t *packed_sizes;
  size_t longest; // of those
} vtu_blocks;

static bool vtu_read_blocks(vtu *v, vtu_source *source, vtu_blocks *blocks) {
  io_reader *r = v->r;
  uint64_t count = vtu_take_size(v, source), size = vtu_take_size(v, source), last = vtu_take_size(v, source);
  if (count > vtu_source_left(source) || size > UINT32_MAX || last > size) {
    return io_fail(r, "the header of the compressed array makes no sense (%" PRIu64 " blocks of %" PRIu64 " bytes)",
                   count, size);
  }
  *blocks = (vtu_blocks){.count = (size_t)count, .size = (size_t)size, .last_size = (size_t)(last ? last : size)};
  io_spend(r, blocks->count, VTU_BLOCK_COST);
  blocks->packed_sizes = io_scratch_new(r, blocks->count, sizeof *blocks->packed_sizes);
  for (size_t i = 0; i < blocks->count && io_ok(r); i++) {
    uint64_t packed = vtu_take_size(v, source);
    if (packed > vtu_source_left(source)) return io_fail(r, "a compressed block is longer than the file");
    blocks->packed_sizes[i] = (size_t)packed;
    if (packed > blocks->longest) blocks->longest = (size_t)packed;
  }
  return io_ok(r);
}

static bool vtu_unpack_block(vtu *v, vtu_source *source, unsigned char *packed, size_t packed_size, unsigned char *out,
                             size_t size) {
  if (!vtu_take(v, source, packed, packed_size)) return false;
  clv_result result = io_unzip(&v->r->mesh->allocator, packed, packed_size, out, size);
  if (result == CLV_ERROR_MEMORY) return io_fail_memory(v->r);
  return result == CLV_OK || io_fail(v->r, "a compressed block is damaged or of another size than declared");
}

static vtu_bytes vtu_read_packed(vtu *v, vtu_source *source) {
  io_reader *r = v->r;
  vtu_bytes data = {NULL, 0};
  vtu_blocks blocks = {.count = 0};
  if (!vtu_read_blocks(v, source, &blocks) || blocks.count == 0) return data;
  // No overflow: there are no more blocks than bytes in the file, and their size has 32 bits.
  size_t size = (blocks.count - 1) * blocks.size + blocks.last_size;
  unsigned char *packed = io_scratch_new(r, blocks.longest, 1);
  data.at = io_scratch_new(r, size, 1);
  for (size_t i = 0; i < blocks.count && io_ok(r); i++) {
    size_t block_size = i + 1 < blocks.count ? blocks.size : blocks.last_size;
    if (vtu_unpack_block(v, source, packed, blocks.packed_sizes[i], data.at + data.size, block_size)) {
      data.size += block_size;
    }
  }
  return data;
}

static vtu_bytes vtu_read_bytes(vtu *v, const vtu_array *array) {
  vtu_source source;
  if (!vtu_open_source(v, array, &source)) return (vtu_bytes){NULL, 0};
  return v->zlib ? vtu_read_packed(v, &source) : vtu_read_plain(v, &source);
}

// ---- second pass: numbers of an array -------------------------------------------------------------------------------

// Narrows the reader to the text of an array, and back.
static const char *vtu_enter_text(vtu *v, const vtu_array *array) {
  const char *end = v->r->end;
  v->r->at = array->content.at;
  v->r->end = array->content.at + array->content.size;
  return end;
}

static void vtu_leave_text(vtu *v, const vtu_array *array, const char *end) {
  io_skip_blanks(v->r);
  if (io_left(v->r)) io_fail(v->r, "array %s has more numbers than are needed", io_quote(array->name).text);
  v->r->at = v->r->end = end;
}

static size_t vtu_count_words(vtu *v, const vtu_array *array) {
  size_t count = 0;
  const char *end = vtu_enter_text(v, array);
  while (io_word(v->r).size) count++;
  v->r->at = v->r->end = end;
  v->r->mark = array->mark;
  return count;
}

static bool vtu_has_length(vtu *v, const vtu_array *array, size_t found, size_t needed) {
  return found == needed ||
         io_fail(v->r, "array %s has %zu values, %zu are needed", io_quote(array->name).text, found, needed);
}

// Binary data of an array that must have `count` numbers.
static const void *vtu_read_numbers(vtu *v, const vtu_array *array, size_t count) {
  vtu_bytes data = vtu_read_bytes(v, array);
  size_t size = io_scalar_size(array->scalar);
  if (!io_ok(v->r) || !vtu_has_length(v, array, data.size / size, count)) return NULL;
  return data.at;
}

// No memory is taken before the array is known to have so many numbers.
static const double *vtu_read_reals(vtu *v, const vtu_array *array, size_t count) {
  io_reader *r = v->r;
  r->mark = array->mark;
  if (array->is_text) {
    if (!vtu_has_length(v, array, vtu_count_words(v, array), count)) return NULL;
    double *values = io_scratch_new(r, count, sizeof *values);
    const char *end = vtu_enter_text(v, array);
    for (size_t i = 0; i < count && io_ok(r); i++) values[i] = io_text_real(r, "a number");
    vtu_leave_text(v, array, end);
    return values;
  }
  const void *bytes = count ? vtu_read_numbers(v, array, count) : NULL;
  double *values = io_scratch_new(r, count, sizeof *values);
  if (values && bytes) io_load_reals(bytes, count, array->scalar, r->big_endian, values);
  return values;
}

static int64_t *vtu_read_text_integers(vtu *v, const vtu_array *array, size_t count) {
  io_reader *r = v->r;
  int64_t *values = io_scratch_new(r, count, sizeof *values);
  const char *end = vtu_enter_text(v, array);
  for (size_t i = 0; i < count && io_ok(r); i++) values[i] = io_text_integer(r, "an integer");
  vtu_leave_text(v, array, end);
  return values;
}

// All integers of an array, however many.
static int64_t *vtu_read_integers(vtu *v, const vtu_array *array, size_t *count) {
  io_reader *r = v->r;
  r->mark = array->mark;
  *count = 0;
  if (!io_scalar_is_integer(array->scalar)) {
    io_fail(r, "array %s must have integers", io_quote(array->name).text);
    return NULL;
  }
  if (array->is_text) {
    *count = vtu_count_words(v, array);
    return vtu_read_text_integers(v, array, *count);
  }
  vtu_bytes data = vtu_read_bytes(v, array);
  *count = data.size / io_scalar_size(array->scalar);
  int64_t *values = io_scratch_new(r, *count, sizeof *values);
  if (values && *count) io_load_integers(data.at, *count, array->scalar, r->big_endian, values);
  return values;
}

static int64_t *vtu_read_n_integers(vtu *v, const vtu_array *array, size_t needed) {
  size_t count;
  int64_t *values = vtu_read_integers(v, array, &count);
  return io_ok(v->r) && vtu_has_length(v, array, count, needed) ? values : NULL;
}

// ---- second pass: points and cells ----------------------------------------------------------------------------------

// NULL when the piece has none of that name; any name will do where `name` is NULL.
static const vtu_array *vtu_find_array(vtu *v, const vtu_piece *piece, vtu_section section, const char *name) {
  for (size_t i = 0; i < piece->array_count; i++) {
    const vtu_array *array = &v->arrays[piece->first_array + i];
    if (array->section == section && (!name || io_span_is(array->name, name))) return array;
  }
  return NULL;
}

static const vtu_array *vtu_need_array(vtu *v, const vtu_piece *piece, vtu_section section, const char *name) {
  const vtu_array *array = vtu_find_array(v, piece, section, name);
  v->r->mark = piece->mark;
  if (!array) io_fail(v->r, "the piece has no array of %s", name ? name : "points");
  return array;
}

static void vtu_add_points(vtu *v, vtu_piece *piece) {
  io_reader *r = v->r;
  piece->first_point = r->mesh->point_count;
  if (piece->point_count == 0) return;
  const vtu_array *array = vtu_need_array(v, piece, VTU_POINTS, NULL);
  if (!array) return;
  io_scratch *top = r->scratch;
  const double *coordinates = vtu_read_reals(v, array, 3 * piece->point_count);
  r->mark = array->mark;
  io_reserve(r, piece->point_count, 0, 0);
  for (size_t i = 0; i < piece->point_count && io_ok(r); i++) io_add_point(r, coordinates + 3 * i);
  io_scratch_cut(r, top);
}

// Offsets in the file are where each cell ends; ours begin with 0.
static const int64_t *vtu_read_offsets(vtu *v, const vtu_array *array, size_t cell_count) {
  int64_t *ends = vtu_read_n_integers(v, array, cell_count);
  int64_t *offsets = io_scratch_new(v->r, cell_count + 1, sizeof *offsets);
  if (!io_ok(v->r)) return NULL;
  offsets[0] = 0;
  memcpy(offsets + 1, ends, cell_count * sizeof *offsets);
  return offsets;
}

static bool vtu_has_polyhedra(const io_vtk_cells *cells) {
  for (size_t i = 0; i < cells->count; i++) {
    if (cells->types[i] == IO_VTK_POLYHEDRON) return true;
  }
  return false;
}

static void vtu_read_cells(vtu *v, const vtu_piece *piece, io_vtk_cells *cells) {
  const vtu_array *connectivity = vtu_need_array(v, piece, VTU_CELLS, "connectivity");
  const vtu_array *offsets = vtu_need_array(v, piece, VTU_CELLS, "offsets");
  if (!io_ok(v->r)) return;
  cells->offsets = vtu_read_offsets(v, offsets, cells->count);
  cells->connectivity = vtu_read_integers(v, connectivity, &cells->connectivity_count);
  cells->connectivity_text.at = connectivity->is_text ? connectivity->content.at : NULL;
  if (!io_ok(v->r) || !vtu_has_polyhedra(cells)) return;
  const vtu_array *faces = vtu_need_array(v, piece, VTU_CELLS, "faces");
  const vtu_array *face_ends = vtu_need_array(v, piece, VTU_CELLS, "faceoffsets");
  if (!io_ok(v->r)) return;
  cells->faces = vtu_read_integers(v, faces, &cells->face_count);
  cells->faces_text.at = faces->is_text ? faces->content.at : NULL;
  cells->face_ends = vtu_read_n_integers(v, face_ends, cells->count);
}

static void vtu_add_cells(vtu *v, vtu_piece *piece) {
  io_reader *r = v->r;
  piece->first_element = r->mesh->element_count;
  if (piece->cell_count == 0 || !io_ok(r)) return;
  const vtu_array *types = vtu_need_array(v, piece, VTU_CELLS, "types");
  if (!types) return;
  io_vtk_cells cells = {
      .count = piece->cell_count, .first_point = piece->first_point, .point_count = piece->point_count};
  cells.types = vtu_read_n_integers(v, types, cells.count);
  piece->element_counts = io_scratch_new(r, piece->cell_count, sizeof *piece->element_counts);
  io_scratch *top = r->scratch;
  vtu_read_cells(v, piece, &cells);
  r->mark = piece->mark;
  io_vtk_add_cells(r, &cells, piece->element_counts);
  io_scratch_cut(r, top);
}

// ---- second pass: values --------------------------------------------------------------------------------------------

// The field an array belongs to. The first piece defines the fields, later ones fill their part.
static double *vtu_find_field(vtu *v, const vtu_array *array, bool is_first_piece) {
  io_reader *r = v->r;
  clv_field_place place = array->section == VTU_POINT_DATA ? CLV_ON_POINTS : CLV_ON_ELEMENTS;
  char name[IO_NAME_SIZE];
  io_copy_name(array->name, name);
  for (size_t i = 0; !is_first_piece && i < r->mesh->field_count; i++) {
    const clv_field *field = &r->mesh->fields[i];
    if (field->place != place || strcmp(field->name, name) != 0) continue;
    if (field->components != array->components) {
      io_fail(r, "array %s had %u components before", io_quote(array->name).text, field->components);
    }
    return field->values;
  }
  return io_add_field(r, array->name, place, (uint32_t)array->components);
}

static void vtu_read_point_values(vtu *v, const vtu_piece *piece, const vtu_array *array) {
  size_t count = piece->point_count * array->components;
  const double *values = vtu_read_reals(v, array, count);
  double *field = vtu_find_field(v, array, piece == v->pieces);
  if (io_ok(v->r) && count) memcpy(field + piece->first_point * array->components, values, count * sizeof *values);
}

static void vtu_read_cell_values(vtu *v, const vtu_piece *piece, const vtu_array *array) {
  const double *values = vtu_read_reals(v, array, piece->cell_count * array->components);
  double *field = vtu_find_field(v, array, piece == v->pieces);
  if (!io_ok(v->r) || !field) return;
  io_vtk_spread_values(piece->element_counts, piece->cell_count, values, array->components,
                       field + piece->first_element * array->components);
}

static void vtu_read_tags(vtu *v, const vtu_piece *piece, const vtu_array *array) {
  if (piece->cell_count == 0) return;
  int64_t *tags = vtu_read_n_integers(v, array, piece->cell_count);
  int32_t *to = v->r->mesh->tags + piece->first_element;
  if (io_ok(v->r)) io_vtk_spread_tags(v->r, piece->element_counts, piece->cell_count, tags, to);
}

static bool vtu_is_region(const vtu_array *array) {
  return array->components == 1 && io_scalar_is_integer(array->scalar) && io_vtk_is_region(array->name);
}

static void vtu_read_values(vtu *v, const vtu_piece *piece) {
  io_reader *r = v->r;
  bool has_tags = false;
  for (size_t i = 0; i < piece->array_count && io_ok(r); i++) {
    const vtu_array *array = &v->arrays[piece->first_array + i];
    io_scratch *top = r->scratch;
    r->mark = array->mark;
    if (array->section == VTU_POINT_DATA) vtu_read_point_values(v, piece, array);
    if (array->section == VTU_CELL_DATA) {
      bool is_tags = !has_tags && vtu_is_region(array);
      if (is_tags) {
        vtu_read_tags(v, piece, array);
      } else {
        vtu_read_cell_values(v, piece, array);
      }
      has_tags |= is_tags;
    }
    io_scratch_cut(r, top);
  }
}

void io_vtu_read(io_reader *r) {
  vtu v = {.r = r, .xml = {.r = r}};
  vtu_walk(&v);
  for (size_t i = 0; i < v.piece_count && io_ok(r); i++) {
    vtu_add_points(&v, &v.pieces[i]);
    vtu_add_cells(&v, &v.pieces[i]);
  }
  for (size_t i = 0; i < v.piece_count && io_ok(r); i++) vtu_read_values(&v, &v.pieces[i]);
}
