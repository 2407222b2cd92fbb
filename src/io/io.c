// The public calls: the way from a path to a mesh and back.
//
// This file owns the order of events: a mesh is emptied before it is read into and after a failure; a file, or all
// files of a set, are whole in memory before the disk is touched.

#include "cleave/io.h"

#include "io/file.h"
#include "io/number.h"
#include "io/registry.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>
#include <strings.h>
#include <unistd.h>

// ---- reading --------------------------------------------------------------------------------------------------------

static clv_result io_read(clv_mesh *mesh, const io_ending *ending, const char *name, const void *data, size_t size,
                          bool on_disk, clv_error *error) {
  io_locale locale;
  if (!io_locale_enter(&locale)) return clv_error_set(error, CLV_ERROR_MEMORY, "%s: out of memory", name);
  io_reader reader;
  io_reader_open(&reader, mesh, name, data, size, error);
  reader.on_disk = on_disk;
  ending->read(&reader);
  clv_result result = io_reader_close(&reader);
  io_locale_leave(&locale);
  if (result != CLV_OK) clv_mesh_free(mesh);
  return result;
}

clv_result clv_mesh_read_memory(clv_mesh *mesh, const char *name, const void *data, size_t size, clv_error *error) {
  clv_mesh_free(mesh);
  const io_ending *ending = io_find_ending(name, error);
  return ending ? io_read(mesh, ending, name, data, size, false, error) : CLV_ERROR_ARGUMENT;
}

clv_result clv_mesh_read(clv_mesh *mesh, const char *path, clv_error *error) {
  clv_mesh_free(mesh);
  const io_ending *ending = io_find_ending(path, error);
  if (!ending) return CLV_ERROR_ARGUMENT;
  io_file file;
  clv_result result = io_file_read(&file, &mesh->allocator, path, error);
  if (result == CLV_OK) result = io_read(mesh, ending, path, file.data, file.size, true, error);
  io_file_free(&file, &mesh->allocator);
  return result;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static clv_result io_make_file(io_writer *w, const clv_mesh *mesh, const io_format *format, io_variant variant) {
  io_locale locale;
  if (!io_locale_enter(&locale)) {
    io_writer_fail_memory(w);
    return w->result;
  }
  if (io_check_mesh(w, mesh)) format->write(w, mesh, variant);
  io_locale_leave(&locale);
  return w->result;
}

static clv_result io_write_one(const clv_mesh *mesh, const char *path, const io_format *format, clv_error *error) {
  io_writer writer;
  io_writer_open(&writer, &mesh->allocator, path, error);
  clv_result result = io_make_file(&writer, mesh, format, format->variant);
  if (result == CLV_OK) result = io_file_write(path, writer.data, writer.size, error);
  io_writer_close(&writer);
  return result;
}

// ---- writing a set of files -----------------------------------------------------------------------------------------

enum { IO_MAX_PARTS = 4 };

typedef struct io_set {
  int count;
  char paths[IO_MAX_PARTS][4096];
  io_writer writers[IO_MAX_PARTS];
} io_set;

static bool io_has_kind(const clv_mesh *mesh, clv_kind kind) {
  return mesh->element_count && memchr(mesh->kinds, (int)kind, mesh->element_count);
}

// The length of a path without the ending of a part.
static size_t io_stem_size(const char *path, const io_part *parts) {
  size_t size = strlen(path);
  for (; parts->ending; parts++) {
    size_t ending = strlen(parts->ending);
    if (size > ending && strcasecmp(path + size - ending, parts->ending) == 0) return size - ending;
  }
  return size;
}

static clv_result io_make_part(io_set *set, const clv_mesh *mesh, const char *path, const io_format *format, int part,
                               clv_error *error) {
  const io_part *described = &format->parts[part];
  char *own = set->paths[set->count];
  int size =
      snprintf(own, sizeof set->paths[0], "%.*s%s", (int)io_stem_size(path, format->parts), path, described->ending);
  if (size < 0 || (size_t)size >= sizeof set->paths[0]) {
    return clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", path, strerror(ENAMETOOLONG));
  }
  // An old file that the new mesh has nothing for would be read with the others: it is replaced by an empty one.
  if (described->kind != CLV_NONE && !io_has_kind(mesh, described->kind) && access(own, F_OK) != 0) return CLV_OK;
  io_writer *writer = &set->writers[set->count++];
  io_writer_open(writer, &mesh->allocator, own, error);
  io_variant variant = format->variant;
  variant.version = part;
  return io_make_file(writer, mesh, format, variant);
}

// All files stand in memory before the first is written.
static clv_result io_write_set(const clv_mesh *mesh, const char *path, const io_format *format, clv_error *error) {
  io_set set;
  clv_result result = CLV_OK;
  set.count = 0;
  for (int part = 0; format->parts[part].ending && result == CLV_OK; part++) {
    result = io_make_part(&set, mesh, path, format, part, error);
  }
  for (int i = 0; i < set.count && result == CLV_OK; i++) {
    result = io_file_write(set.paths[i], set.writers[i].data, set.writers[i].size, error);
  }
  for (int i = 0; i < set.count; i++) io_writer_close(&set.writers[i]);
  return result;
}

clv_result clv_mesh_write(const clv_mesh *mesh, const char *path, const char *format, clv_error *error) {
  const io_format *found = io_find_format(format, path, error);
  if (!found) return CLV_ERROR_ARGUMENT;
  return found->parts ? io_write_set(mesh, path, found, error) : io_write_one(mesh, path, found, error);
}
