// The growing file and the check of what is to be written. See writer.h.

#include "io/writer.h"

#include "io/bytes.h"
#include "io/number.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#define IO_FIRST_CAPACITY 4096

// ---- life and errors ------------------------------------------------------------------------------------------------

void io_writer_open(io_writer *w, const clv_allocator *allocator, const char *name, clv_error *error) {
  *w = (io_writer){.allocator = *allocator, .name = name, .error = error};
}

void io_writer_close(io_writer *w) {
  if (w->data) w->allocator.resize(w->allocator.user, w->data, w->capacity, 0);
  w->data = NULL;
  w->size = w->capacity = 0;
}

static bool io_writer_fail(io_writer *w, clv_result code, const char *what) {
  if (io_writer_ok(w)) w->result = clv_error_set(w->error, code, "%s: %s", w->name, what);
  return false;
}

bool io_refuse(io_writer *w, const char *format, ...) {
  char what[sizeof w->error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  return io_writer_fail(w, CLV_ERROR_ARGUMENT, what);
}

bool io_writer_fail_memory(io_writer *w) {
  return io_writer_fail(w, CLV_ERROR_MEMORY, "out of memory");
}

// ---- bytes and text -------------------------------------------------------------------------------------------------

static bool io_grow(io_writer *w, size_t size) {
  if (size > SIZE_MAX / 2 - w->size) return io_writer_fail_memory(w);
  size_t capacity = w->capacity ? w->capacity : IO_FIRST_CAPACITY;
  while (capacity < w->size + size) capacity *= 2;
  char *data = w->allocator.resize(w->allocator.user, w->data, w->capacity, capacity);
  if (!data) return io_writer_fail_memory(w);
  w->data = data;
  w->capacity = capacity;
  return true;
}

char *io_put_space(io_writer *w, size_t size) {
  if (!io_writer_ok(w)) return NULL;
  if (size > w->capacity - w->size && !io_grow(w, size)) return NULL;
  char *space = w->data + w->size;
  w->size += size;
  return space;
}

void io_put(io_writer *w, const void *bytes, size_t size) {
  if (size == 0) return;
  char *space = io_put_space(w, size);
  if (space) memcpy(space, bytes, size);
}

void io_put_text(io_writer *w, const char *text) {
  io_put(w, text, strlen(text));
}

void io_putf(io_writer *w, const char *format, ...) {
  char text[512];
  va_list arguments;
  va_start(arguments, format);
  int size = vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  io_put(w, text, (size_t)size < sizeof text ? (size_t)size : sizeof text - 1);
}

void io_put_bits(io_writer *w, uint64_t bits, size_t size) {
  char *space = io_put_space(w, size);
  if (space) io_store(space, bits, size, w->big_endian);
}

// By hand: most of a text file is integers, and snprintf takes ten times as long.
void io_put_integer(io_writer *w, int64_t value) {
  char text[24], *end = text + sizeof text, *at = end;
  uint64_t magnitude = value < 0 ? 0 - (uint64_t)value : (uint64_t)value;
  do {
    *--at = (char)('0' + magnitude % 10);
    magnitude /= 10;
  } while (magnitude > 0);
  if (value < 0) *--at = '-';
  io_put(w, at, (size_t)(end - at));
}

void io_put_real(io_writer *w, double value) {
  char text[IO_REAL_SIZE];
  io_put(w, text, io_format_real(value, text));
}

// ---- numbers in the file's own encoding -----------------------------------------------------------------------------

void io_emit_integer(io_writer *w, int64_t value, size_t size) {
  if (w->binary) {
    io_put_bits(w, (uint64_t)value, size);
  } else {
    io_put_integer(w, value);
    io_put(w, " ", 1);
  }
}

void io_emit_real(io_writer *w, double value) {
  if (w->binary) {
    io_put_bits(w, io_bits_from_real(value), sizeof value);
  } else {
    io_put_real(w, value);
    io_put(w, " ", 1);
  }
}

void io_emit_line(io_writer *w) {
  if (w->binary || !io_writer_ok(w)) return;
  if (w->size && w->data[w->size - 1] == ' ') {
    w->data[w->size - 1] = '\n';
  } else {
    io_put(w, "\n", 1);
  }
}

// ---- what is to be written ------------------------------------------------------------------------------------------

static bool io_corners_exist(const clv_mesh *mesh, const uint32_t *corners, size_t count) {
  for (size_t i = 0; i < count; i++) {
    if (corners[i] >= mesh->point_count) return false;
  }
  return true;
}

static bool io_faces_exist(const clv_mesh *mesh, const uint32_t *stream, size_t count) {
  size_t at = 1;
  for (uint32_t face = 0; count && face < stream[0]; face++) {
    if (at == count || stream[at] > count - at - 1 || !io_corners_exist(mesh, stream + at + 1, stream[at])) {
      return false;
    }
    at += 1 + (size_t)stream[at];
  }
  return count > 0 && at == count;
}

static bool io_element_is_sound(const clv_mesh *mesh, size_t element) {
  clv_kind kind = (clv_kind)mesh->kinds[element];
  size_t count;
  const uint32_t *corners = io_corners(mesh, element, &count);
  if (kind == CLV_POLYHEDRON) return io_faces_exist(mesh, corners, count);
  bool count_fits = kind == CLV_POLYGON ? count >= 3 : count > 0 && count == (size_t)clv_kind_corners(kind);
  return count_fits && io_corners_exist(mesh, corners, count);
}

bool io_check_mesh(io_writer *w, const clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (!io_element_is_sound(mesh, e)) {
      return io_refuse(w, "element %zu has wrong corners or names points that do not exist", e);
    }
  }
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *field = &mesh->fields[f];
    size_t count = field->place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count;
    if (field->count != count) {
      return io_refuse(w, "field '%s' has values for %zu of %zu %s", field->name, field->count, count,
                       field->place == CLV_ON_POINTS ? "points" : "elements");
    }
  }
  return true;
}

bool io_check_kinds(io_writer *w, const clv_mesh *mesh, unsigned kinds, const char *files) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (kinds >> mesh->kinds[e] & 1) continue;
    return io_refuse(w, "element %zu is a %s, which %s cannot hold; write a .vtk or .vtu file", e,
                     clv_kind_name((clv_kind)mesh->kinds[e]), files);
  }
  return true;
}

bool io_field_is_whole(const clv_field *field, double low, double high) {
  for (size_t i = 0; i < field->count * field->components; i++) {
    double value = field->values[i];
    if (!(value >= low && value <= high) || value != floor(value)) return false;
  }
  return true;
}

const clv_field *io_find_field(const clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components) {
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *field = &mesh->fields[f];
    if (field->place == place && field->components == components && strcmp(field->name, name) == 0) return field;
  }
  return NULL;
}

bool io_has_regions(const clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (mesh->tags[e] != 0) return true;
  }
  return false;
}
