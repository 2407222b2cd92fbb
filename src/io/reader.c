// The reader's errors, its memory, and the checked ways to add to its mesh. See reader.h.

#include "io/reader.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

// zlib never shrinks data more than about 1032 times; what it held becomes doubles and indices a few times as wide.
#define IO_BUDGET_FACTOR 4096
// Tiny files may describe something large without data, such as a regular grid.
#define IO_BUDGET_BASE ((size_t)16 << 20)

struct io_scratch {
  io_scratch *below;
  size_t size; // of the block, this header included
  max_align_t memory[];
};

// ---- life and errors ------------------------------------------------------------------------------------------------

void io_reader_open(io_reader *r, clv_mesh *mesh, const char *name, const void *data, size_t size, clv_error *error) {
  const char *begin = size ? data : ""; // so that places can be compared even in an empty file
  *r = (io_reader){
      .mesh = mesh,
      .name = name,
      .begin = begin,
      .at = begin,
      .end = begin + size,
      .mark = begin,
      .error = error,
      .budget =
          size < (SIZE_MAX - IO_BUDGET_BASE) / IO_BUDGET_FACTOR ? IO_BUDGET_BASE + size * IO_BUDGET_FACTOR : SIZE_MAX,
  };
}

clv_result io_reader_close(io_reader *r) {
  io_scratch_cut(r, NULL);
  return r->result;
}

// Lines are counted only here, so that reading need not.
static size_t io_line_of_mark(const io_reader *r) {
  size_t line = 1;
  for (const char *at = r->begin; (at = memchr(at, '\n', (size_t)(r->mark - at))); at++) line++;
  return line;
}

bool io_fail(io_reader *r, const char *format, ...) {
  if (!io_ok(r)) return false;
  char what[sizeof r->error->message];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(what, sizeof what, format, arguments);
  va_end(arguments);
  if (r->binary) {
    r->result =
        clv_error_set(r->error, CLV_ERROR_INPUT, "%s: byte %zu: %s", r->name, (size_t)(r->mark - r->begin), what);
  } else {
    r->result = clv_error_set(r->error, CLV_ERROR_INPUT, "%s:%zu: %s", r->name, io_line_of_mark(r), what);
  }
  r->at = r->end;
  return false;
}

bool io_fail_memory(io_reader *r) {
  if (!io_ok(r)) return false;
  r->result = clv_error_set(r->error, CLV_ERROR_MEMORY, "%s: out of memory", r->name);
  r->at = r->end;
  return false;
}

io_quoted io_quote(io_span span) {
  io_quoted quoted = {"the end of the file"};
  if (span.size == 0) return quoted;
  int room = (int)(sizeof quoted.text - sizeof "'...'");
  bool fits = span.size <= (size_t)room;
  snprintf(quoted.text, sizeof quoted.text, "'%.*s%s'", fits ? (int)span.size : room, span.at, fits ? "" : "...");
  for (char *at = quoted.text; *at; at++) {
    if (*at < ' ' || *at > '~') *at = '?';
  }
  return quoted;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

bool io_room(io_reader *r, uint64_t count, size_t least, const char *things) {
  if (!io_ok(r)) return false;
  if (count <= io_left(r) / least) return true;
  return io_fail(r, "%llu %s are declared, but the file is too short for more than %zu", (unsigned long long)count,
                 things, io_left(r) / least);
}

bool io_spend(io_reader *r, size_t count, size_t size) {
  if (!io_ok(r)) return false;
  if (size && count > r->budget / size) {
    return io_fail(r, "a file of %zu bytes cannot hold what is declared here (%zu values of %zu bytes)",
                   (size_t)(r->end - r->begin), count, size);
  }
  r->budget -= count * size;
  return true;
}

void *io_scratch_new(io_reader *r, size_t count, size_t size) {
  if (!io_spend(r, count, size)) return NULL;
  size_t bytes = sizeof(io_scratch) + count * size;
  clv_allocator *allocator = &r->mesh->allocator;
  io_scratch *block = allocator->resize(allocator->user, NULL, 0, bytes);
  if (!block) {
    io_fail_memory(r);
    return NULL;
  }
  block->below = r->scratch;
  block->size = bytes;
  r->scratch = block;
  return block->memory;
}

void *io_scratch_grow(io_reader *r, void *old, size_t count, size_t *capacity, size_t size) {
  enum { FIRST = 16 };
  if (count < *capacity) return io_ok(r) ? old : NULL;
  size_t wanted = *capacity ? 2 * *capacity : FIRST;
  void *grown = io_scratch_new(r, wanted, size);
  if (!grown) return NULL;
  if (count) memcpy(grown, old, count * size);
  *capacity = wanted;
  return grown;
}

void io_scratch_cut(io_reader *r, io_scratch *top) {
  clv_allocator *allocator = &r->mesh->allocator;
  while (r->scratch != top) {
    io_scratch *block = r->scratch;
    r->scratch = block->below;
    allocator->resize(allocator->user, block, block->size, 0);
  }
}

// ---- the mesh -------------------------------------------------------------------------------------------------------

bool io_reserve(io_reader *r, size_t points, size_t elements, size_t corners) {
  clv_mesh *mesh = r->mesh;
  size_t element_size = sizeof *mesh->kinds + sizeof *mesh->offsets + sizeof *mesh->tags;
  if (!io_spend(r, points, sizeof *mesh->points) || !io_spend(r, elements, element_size) ||
      !io_spend(r, corners, sizeof *mesh->corners)) {
    return false;
  }
  size_t corners_used = mesh->offsets ? mesh->offsets[mesh->element_count] : 0;
  clv_result result =
      clv_mesh_reserve(mesh, mesh->point_count + points, mesh->element_count + elements, corners_used + corners);
  return result == CLV_OK || io_fail_memory(r);
}

bool io_add_point(io_reader *r, const double point[3]) {
  if (!io_ok(r)) return false;
  if (!isfinite(point[0]) || !isfinite(point[1]) || !isfinite(point[2])) {
    return io_fail(r, "point %zu has a coordinate that is not finite", r->mesh->point_count);
  }
  if (r->mesh->point_count == UINT32_MAX) return io_fail(r, "more than 4294967295 points cannot be numbered");
  return clv_mesh_add_point(r->mesh, point[0], point[1], point[2]) == CLV_OK || io_fail_memory(r);
}

bool io_add_element(io_reader *r, clv_kind kind, const uint32_t *corners, size_t corner_count, int32_t tag) {
  if (!io_ok(r)) return false;
  clv_result result = clv_mesh_add_element(r->mesh, kind, corners, corner_count, tag);
  if (result == CLV_ERROR_MEMORY) return io_fail_memory(r);
  return result == CLV_OK || io_fail(r, "element %zu: %zu numbers do not make a %s", r->mesh->element_count,
                                     corner_count, clv_kind_name(kind));
}

void io_copy_name(io_span span, char name[IO_NAME_SIZE]) {
  size_t size = span.size < IO_NAME_SIZE - 1 ? span.size : IO_NAME_SIZE - 1;
  memcpy(name, span.at, size);
  name[size] = '\0';
}

static bool io_field_exists(const clv_mesh *mesh, const char *name, clv_field_place place) {
  for (size_t f = 0; f < mesh->field_count; f++) {
    if (mesh->fields[f].place == place && strcmp(mesh->fields[f].name, name) == 0) return true;
  }
  return false;
}

// Puts " 2", " 3", ... behind a name that is taken: one more than there are fields whose names begin like it. There is
// one try only, so that no choice of names can keep us searching.
static bool io_make_name_unique(io_reader *r, char name[IO_NAME_SIZE], clv_field_place place) {
  enum { SUFFIX_ROOM = 8 };
  const clv_mesh *mesh = r->mesh;
  if (!io_field_exists(mesh, name, place)) return true;
  size_t size = strlen(name), number = 1;
  if (size > IO_NAME_SIZE - SUFFIX_ROOM) size = IO_NAME_SIZE - SUFFIX_ROOM;
  for (size_t f = 0; f < mesh->field_count; f++) {
    number += mesh->fields[f].place == place && strncmp(mesh->fields[f].name, name, size) == 0;
  }
  snprintf(name + size, SUFFIX_ROOM, " %zu", number);
  return !io_field_exists(mesh, name, place) || io_fail(r, "field '%s' is there already", name);
}

double *io_add_field(io_reader *r, io_span name, clv_field_place place, uint32_t components) {
  clv_mesh *mesh = r->mesh;
  if (!io_ok(r)) return NULL;
  if (mesh->field_count == IO_MAX_FIELDS) {
    io_fail(r, "more than %d fields", IO_MAX_FIELDS);
    return NULL;
  }
  size_t count = place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count;
  if (!io_spend(r, count, components * sizeof(double))) return NULL;
  char text[IO_NAME_SIZE] = "field";
  if (name.size) io_copy_name(name, text);
  if (!io_make_name_unique(r, text, place)) return NULL;
  double *values = NULL;
  if (clv_mesh_add_field(mesh, text, place, components, &values) != CLV_OK) io_fail_memory(r);
  return values;
}

bool io_add_region(io_reader *r, int32_t dimension, int32_t tag, io_span name) {
  if (!io_ok(r)) return false;
  char text[IO_NAME_SIZE];
  io_copy_name(name, text);
  return clv_mesh_add_region(r->mesh, dimension, tag, text) == CLV_OK || io_fail_memory(r);
}
