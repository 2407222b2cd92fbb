// The public calls: which format a file has, and the way from a path to a mesh and back.
//
// This file owns the table of formats and the order of events: a mesh is emptied before it is read into and after a
// failure; a file is whole in memory before the disk is touched.

#include "cleave/io.h"

#include "io/file.h"
#include "io/formats.h"
#include "io/number.h"

#include <string.h>
#include <strings.h>

typedef struct io_format {
  const char *name, *what;
  void (*write)(io_writer *w, const clv_mesh *mesh, io_variant variant);
  io_variant variant;
} io_format;

static const io_format io_formats[] = {
    {"msh1", "Gmsh 1, text; without fields and names of regions", io_gmsh_write, {1, IO_TEXT, false}},
    {"msh2", "Gmsh 2.2, text", io_gmsh_write, {2, IO_TEXT, false}},
    {"msh2-binary", "Gmsh 2.2, binary", io_gmsh_write, {2, IO_BINARY, false}},
    {"msh4", "Gmsh 4.1, text", io_gmsh_write, {4, IO_TEXT, false}},
    {"msh4-binary", "Gmsh 4.1, binary", io_gmsh_write, {4, IO_BINARY, false}},
    {"vtk", "VTK legacy 4.2, text", io_vtk_write, {4, IO_TEXT, false}},
    {"vtk-binary", "VTK legacy 4.2, binary", io_vtk_write, {4, IO_BINARY, false}},
    {"vtk5", "VTK legacy 5.1, text", io_vtk_write, {5, IO_TEXT, false}},
    {"vtk5-binary", "VTK legacy 5.1, binary", io_vtk_write, {5, IO_BINARY, false}},
    {"vtu", "VTK XML, the same as vtu-base64-zlib", io_vtu_write, {1, IO_BASE64, true}},
    {"vtu-ascii", "VTK XML, text", io_vtu_write, {1, IO_TEXT, false}},
    {"vtu-base64", "VTK XML, base64", io_vtu_write, {1, IO_BASE64, false}},
    {"vtu-base64-zlib", "VTK XML, base64, compressed", io_vtu_write, {1, IO_BASE64, true}},
    {"vtu-appended", "VTK XML, appended base64", io_vtu_write, {1, IO_APPENDED, false}},
    {"vtu-appended-zlib", "VTK XML, appended base64, compressed", io_vtu_write, {1, IO_APPENDED, true}},
    {"vtu-raw", "VTK XML, appended bytes", io_vtu_write, {1, IO_APPENDED_RAW, false}},
    {"vtu-raw-zlib", "VTK XML, appended bytes, compressed", io_vtu_write, {1, IO_APPENDED_RAW, true}},
};

#define IO_FORMAT_COUNT (sizeof io_formats / sizeof *io_formats)

typedef struct io_ending {
  const char *ending;
  void (*read)(io_reader *r);
  const char *format; // that is written when none is named
} io_ending;

static const io_ending io_endings[] = {
    {".msh", io_gmsh_read, "msh4"},
    {".vtk", io_vtk_read, "vtk"},
    {".vtu", io_vtu_read, "vtu"},
};

// ---- which format ---------------------------------------------------------------------------------------------------

const char *clv_format_list(size_t i, const char **what) {
  if (i >= IO_FORMAT_COUNT) return NULL;
  if (what) *what = io_formats[i].what;
  return io_formats[i].name;
}

// NULL, with the error filled, for a name that ends in none of them.
static const io_ending *io_find_ending(const char *name, clv_error *error) {
  size_t size = strlen(name);
  for (size_t i = 0; i < sizeof io_endings / sizeof *io_endings; i++) {
    size_t ending_size = strlen(io_endings[i].ending);
    if (size > ending_size && strcasecmp(name + size - ending_size, io_endings[i].ending) == 0) return &io_endings[i];
  }
  clv_error_set(error, CLV_ERROR_ARGUMENT,
                "%s: the format is told by the ending; known are .msh (Gmsh), .vtk and .vtu (VTK)", name);
  return NULL;
}

static const io_format *io_find_format(const char *name, const char *path, clv_error *error) {
  if (!name) {
    const io_ending *ending = io_find_ending(path, error);
    if (!ending) return NULL;
    name = ending->format;
  }
  for (size_t i = 0; i < IO_FORMAT_COUNT; i++) {
    if (strcmp(io_formats[i].name, name) == 0) return &io_formats[i];
  }
  clv_error_set(error, CLV_ERROR_ARGUMENT,
                "%s: unknown format '%s'; clv_format_list knows them, such as msh4, vtk and vtu", path, name);
  return NULL;
}

// ---- reading --------------------------------------------------------------------------------------------------------

static clv_result io_read(clv_mesh *mesh, const io_ending *ending, const char *name, const void *data, size_t size,
                          clv_error *error) {
  io_locale locale;
  if (!io_locale_enter(&locale)) return clv_error_set(error, CLV_ERROR_MEMORY, "%s: out of memory", name);
  io_reader reader;
  io_reader_open(&reader, mesh, name, data, size, error);
  ending->read(&reader);
  clv_result result = io_reader_close(&reader);
  io_locale_leave(&locale);
  if (result != CLV_OK) clv_mesh_free(mesh);
  return result;
}

clv_result clv_mesh_read_memory(clv_mesh *mesh, const char *name, const void *data, size_t size, clv_error *error) {
  clv_mesh_free(mesh);
  const io_ending *ending = io_find_ending(name, error);
  return ending ? io_read(mesh, ending, name, data, size, error) : CLV_ERROR_ARGUMENT;
}

clv_result clv_mesh_read(clv_mesh *mesh, const char *path, clv_error *error) {
  clv_mesh_free(mesh);
  const io_ending *ending = io_find_ending(path, error);
  if (!ending) return CLV_ERROR_ARGUMENT;
  io_file file;
  clv_result result = io_file_read(&file, &mesh->allocator, path, error);
  if (result == CLV_OK) result = io_read(mesh, ending, path, file.data, file.size, error);
  io_file_free(&file, &mesh->allocator);
  return result;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static clv_result io_make_file(io_writer *w, const clv_mesh *mesh, const io_format *format) {
  io_locale locale;
  if (!io_locale_enter(&locale)) {
    io_writer_fail_memory(w);
    return w->result;
  }
  if (io_check_mesh(w, mesh)) format->write(w, mesh, format->variant);
  io_locale_leave(&locale);
  return w->result;
}

clv_result clv_mesh_write(const clv_mesh *mesh, const char *path, const char *format, clv_error *error) {
  const io_format *found = io_find_format(format, path, error);
  if (!found) return CLV_ERROR_ARGUMENT;
  io_writer writer;
  io_writer_open(&writer, &mesh->allocator, path, error);
  clv_result result = io_make_file(&writer, mesh, found);
  if (result == CLV_OK) result = io_file_write(path, writer.data, writer.size, error);
  io_writer_close(&writer);
  return result;
}
