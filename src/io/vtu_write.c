// Writes VTK's XML unstructured grids (.vtu): one piece, little-endian, with 64-bit headers; arrays as text, as base64
// in their place, or appended as base64 or raw bytes; all but text plain or compressed by zlib.
//
// Every array is first made as bytes, in a buffer that is used again, and then put down in the variant asked for; so
// only vtu_put_array knows the variants. Appended arrays gather in a buffer of their own. The names of regions have no
// place in the format and stay behind.

#include "io/base64.h"
#include "io/bytes.h"
#include "io/formats.h"
#include "io/vtk_cells.h"
#include "io/zip.h"

#include <string.h>

// Large enough to compress well, small enough for a reader to skip about.
#define VTU_BLOCK_SIZE ((size_t)1 << 16)

typedef struct vtu_writer {
  io_writer *w;
  io_variant variant;
  io_writer array;          // the bytes of the array at hand
  io_writer ends;           // the offsets, made beside the connectivity
  io_writer stamps;         // for each point the last polyhedron that named it, plus 1
  io_writer header, packed; // of the array at hand, compressed
  io_writer appended;       // what goes to the end of the file
} vtu_writer;

// ---- an array in the file -------------------------------------------------------------------------------------------

// A header is encoded apart from the data behind it, as VTK does.
static void vtu_put_encoded(const vtu_writer *v, io_writer *to, const void *bytes, size_t size) {
  if (v->variant.encoding == IO_APPENDED_RAW) {
    io_put(to, bytes, size);
  } else {
    io_base64_write(to, bytes, size);
  }
}

static void vtu_put_plain(vtu_writer *v, const io_writer *array, io_writer *to) {
  v->header.size = 0;
  io_put_bits(&v->header, array->size, 8);
  vtu_put_encoded(v, to, v->header.data, v->header.size);
  vtu_put_encoded(v, to, array->data, array->size);
}

// The header comes first but is known last.
static void vtu_put_packed(vtu_writer *v, const io_writer *array, io_writer *to) {
  v->header.size = v->packed.size = 0;
  io_put_bits(&v->header, (array->size + VTU_BLOCK_SIZE - 1) / VTU_BLOCK_SIZE, 8);
  io_put_bits(&v->header, VTU_BLOCK_SIZE, 8);
  io_put_bits(&v->header, array->size % VTU_BLOCK_SIZE, 8);
  for (size_t at = 0; at < array->size; at += VTU_BLOCK_SIZE) {
    size_t block_size = array->size - at < VTU_BLOCK_SIZE ? array->size - at : VTU_BLOCK_SIZE;
    io_put_bits(&v->header, io_zip(&v->packed, array->data + at, block_size), 8);
  }
  vtu_put_encoded(v, to, v->header.data, v->header.size);
  vtu_put_encoded(v, to, v->packed.data, v->packed.size);
}

static void vtu_put_text(vtu_writer *v, const io_writer *array, io_scalar scalar, size_t per_line) {
  size_t size = io_scalar_size(scalar), count = array->size / size;
  for (size_t i = 0; i < count; i++) {
    uint64_t bits = io_load(array->data + i * size, size, false);
    if (io_scalar_is_integer(scalar)) {
      io_put_integer(v->w, io_integer_from_bits(bits, scalar));
    } else {
      io_put_real(v->w, io_real_from_bits(bits, scalar));
    }
    io_put_text(v->w, (i + 1) % per_line == 0 || i + 1 == count ? "\n" : " ");
  }
}

static void vtu_put_xml(io_writer *w, const char *text) {
  for (; *text; text++) {
    unsigned char c = (unsigned char)*text;
    if (c < ' ' || strchr("<>&\"'", c)) {
      io_putf(w, "&#%d;", c);
    } else {
      io_put(w, text, 1);
    }
  }
}

// Puts down the array whose bytes are given and leaves their buffer empty.
static void vtu_put_array(vtu_writer *v, io_writer *array, const char *name, io_scalar scalar, size_t components,
                          size_t per_line) {
  static const char *const types[IO_SCALAR_COUNT] = {
      [IO_UINT8] = "UInt8", [IO_INT32] = "Int32", [IO_INT64] = "Int64", [IO_FLOAT64] = "Float64"};
  io_writer *w = v->w;
  bool is_appended = v->variant.encoding == IO_APPENDED || v->variant.encoding == IO_APPENDED_RAW;
  io_putf(w, "<DataArray type=\"%s\" Name=\"", types[scalar]);
  vtu_put_xml(w, name);
  io_putf(w, "\" NumberOfComponents=\"%zu\"", components);
  if (is_appended) {
    io_putf(w, " format=\"appended\" offset=\"%zu\"/>\n", v->appended.size);
  } else {
    io_putf(w, " format=\"%s\">\n", v->variant.encoding == IO_TEXT ? "ascii" : "binary");
  }
  if (v->variant.encoding == IO_TEXT) {
    vtu_put_text(v, array, scalar, per_line);
  } else if (v->variant.zlib) {
    vtu_put_packed(v, array, is_appended ? &v->appended : w);
  } else {
    vtu_put_plain(v, array, is_appended ? &v->appended : w);
  }
  if (!is_appended) io_putf(w, "%s</DataArray>\n", v->variant.encoding == IO_TEXT ? "" : "\n");
  array->size = 0;
}

// ---- the arrays -----------------------------------------------------------------------------------------------------

static void vtu_add_integer(vtu_writer *v, int64_t value) {
  io_put_bits(&v->array, (uint64_t)value, 8);
}

static void vtu_add_real(vtu_writer *v, double value) {
  io_put_bits(&v->array, io_bits_from_real(value), 8);
}

static void vtu_put_points(vtu_writer *v, const clv_mesh *mesh) {
  io_put_text(v->w, "<Points>\n");
  for (size_t i = 0; i < mesh->point_count; i++) {
    for (int c = 0; c < 3; c++) vtu_add_real(v, mesh->points[i][c]);
  }
  vtu_put_array(v, &v->array, "Points", IO_FLOAT64, 3, 3);
  io_put_text(v->w, "</Points>\n");
}

static bool vtu_is_polyhedron(const clv_mesh *mesh, size_t element) {
  return mesh->kinds[element] == CLV_POLYHEDRON;
}

// Zeroed stamps, or NULL after a failure. Only polyhedra need them.
static uint32_t *vtu_make_stamps(vtu_writer *v, const clv_mesh *mesh) {
  size_t size = mesh->point_count * sizeof(uint32_t);
  char *stamps = io_put_space(&v->stamps, size);
  return stamps ? memset(stamps, 0, size) : NULL;
}

// The points of a polyhedron, each once, in the order its faces name them first. Returns their number.
static size_t vtu_add_polyhedron_points(vtu_writer *v, const uint32_t *stream, size_t count, uint32_t *stamps,
                                        uint32_t stamp) {
  size_t added = 0;
  for (size_t at = 1, face_end = 1; at < count; at++) {
    if (at == face_end) {
      face_end = at + 1 + stream[at];
    } else if (stamps[stream[at]] != stamp) {
      stamps[stream[at]] = stamp;
      vtu_add_integer(v, stream[at]);
      added++;
    }
  }
  return added;
}

static void vtu_add_connectivity(vtu_writer *v, const clv_mesh *mesh) {
  uint32_t *stamps = NULL;
  size_t end = 0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    if (vtu_is_polyhedron(mesh, e)) {
      if (!stamps) stamps = vtu_make_stamps(v, mesh);
      if (!stamps) return;
      end += vtu_add_polyhedron_points(v, corners, count, stamps, (uint32_t)(e + 1));
    } else {
      for (size_t i = 0; i < count; i++) vtu_add_integer(v, corners[i]);
      end += count;
    }
    io_put_bits(&v->ends, end, 8);
  }
}

static void vtu_put_faces(vtu_writer *v, const clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    for (size_t i = 0; vtu_is_polyhedron(mesh, e) && i < count; i++) vtu_add_integer(v, corners[i]);
  }
  if (v->array.size == 0) return;
  vtu_put_array(v, &v->array, "faces", IO_INT64, 1, 16);
  size_t end = 0;
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (vtu_is_polyhedron(mesh, e)) end += mesh->offsets[e + 1] - mesh->offsets[e];
    vtu_add_integer(v, vtu_is_polyhedron(mesh, e) ? (int64_t)end : -1);
  }
  vtu_put_array(v, &v->array, "faceoffsets", IO_INT64, 1, 16);
}

static void vtu_put_cells(vtu_writer *v, const clv_mesh *mesh) {
  io_put_text(v->w, "<Cells>\n");
  vtu_add_connectivity(v, mesh);
  vtu_put_array(v, &v->array, "connectivity", IO_INT64, 1, 16);
  vtu_put_array(v, &v->ends, "offsets", IO_INT64, 1, 16);
  for (size_t e = 0; e < mesh->element_count; e++) {
    io_put_bits(&v->array, (uint64_t)io_vtk_type_of_kind((clv_kind)mesh->kinds[e]), 1);
  }
  vtu_put_array(v, &v->array, "types", IO_UINT8, 1, 16);
  vtu_put_faces(v, mesh);
  io_put_text(v->w, "</Cells>\n");
}

static void vtu_put_field(vtu_writer *v, const clv_field *field) {
  for (size_t i = 0; i < field->count * field->components; i++) vtu_add_real(v, field->values[i]);
  vtu_put_array(v, &v->array, field->name, IO_FLOAT64, field->components, field->components);
}

static void vtu_put_fields(vtu_writer *v, const clv_mesh *mesh, clv_field_place place) {
  const char *section = place == CLV_ON_POINTS ? "PointData" : "CellData";
  io_putf(v->w, "<%s>\n", section);
  if (place == CLV_ON_ELEMENTS && io_has_regions(mesh)) {
    for (size_t e = 0; e < mesh->element_count; e++) io_put_bits(&v->array, (uint64_t)mesh->tags[e], 4);
    vtu_put_array(v, &v->array, IO_VTK_REGION, IO_INT32, 1, 16);
  }
  for (size_t f = 0; f < mesh->field_count; f++) {
    if (mesh->fields[f].place == place) vtu_put_field(v, &mesh->fields[f]);
  }
  io_putf(v->w, "</%s>\n", section);
}

// ---- the file -------------------------------------------------------------------------------------------------------

static void vtu_put_appended(vtu_writer *v) {
  bool is_raw = v->variant.encoding == IO_APPENDED_RAW;
  if (!is_raw && v->variant.encoding != IO_APPENDED) return;
  io_putf(v->w, "<AppendedData encoding=\"%s\">\n_", is_raw ? "raw" : "base64");
  io_put(v->w, v->appended.data, v->appended.size);
  io_put_text(v->w, "\n</AppendedData>\n");
}

static void vtu_put_file(vtu_writer *v, const clv_mesh *mesh) {
  io_putf(v->w,
          "<?xml version=\"1.0\"?>\n"
          "<VTKFile type=\"UnstructuredGrid\" version=\"1.0\" byte_order=\"LittleEndian\" header_type=\"UInt64\"%s>\n"
          "<UnstructuredGrid>\n<Piece NumberOfPoints=\"%zu\" NumberOfCells=\"%zu\">\n",
          v->variant.zlib ? " compressor=\"vtkZLibDataCompressor\"" : "", mesh->point_count, mesh->element_count);
  vtu_put_fields(v, mesh, CLV_ON_POINTS);
  vtu_put_fields(v, mesh, CLV_ON_ELEMENTS);
  vtu_put_points(v, mesh);
  vtu_put_cells(v, mesh);
  io_put_text(v->w, "</Piece>\n</UnstructuredGrid>\n");
  vtu_put_appended(v);
  io_put_text(v->w, "</VTKFile>\n");
}

void io_vtu_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  enum { PART_COUNT = 6 };
  vtu_writer v = {.w = w, .variant = variant};
  io_writer *parts[PART_COUNT] = {&v.array, &v.ends, &v.stamps, &v.header, &v.packed, &v.appended};
  for (int i = 0; i < PART_COUNT; i++) io_writer_open(parts[i], &w->allocator, w->name, w->error);
  vtu_put_file(&v, mesh);
  for (int i = 0; i < PART_COUNT; i++) {
    if (io_writer_ok(w)) w->result = parts[i]->result;
    io_writer_close(parts[i]);
  }
}
