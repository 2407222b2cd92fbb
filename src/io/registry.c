// The table of formats. See registry.h.

#include "io/registry.h"

#include "cleave/io.h"

#include <string.h>
#include <strings.h>

// What a format has a place for, besides the elements it knows, their points and their regions.
enum { KEEPS_NAMES = 1, KEEPS_FIELDS = 2, KEEPS_LONE_POINTS = 4 };

#define GMSH1 io_gmsh_write, {1, IO_TEXT, false}, KEEPS_LONE_POINTS, NULL, NULL
#define GMSH(version, encoding)                                                                                        \
  io_gmsh_write, {version, encoding, false}, KEEPS_NAMES | KEEPS_FIELDS | KEEPS_LONE_POINTS, NULL, NULL
#define VTK(version, encoding) io_vtk_write, {version, encoding, false}, KEEPS_FIELDS | KEEPS_LONE_POINTS, NULL, NULL
#define VTU(encoding, zlib) io_vtu_write, {1, encoding, zlib}, KEEPS_FIELDS | KEEPS_LONE_POINTS, NULL, NULL
#define MEDIT(encoding) io_medit_write, {2, encoding, false}, KEEPS_LONE_POINTS, io_medit_keeps, NULL
#define TETGEN(version, parts) io_tetgen_write, {version, IO_TEXT, false}, KEEPS_LONE_POINTS, io_tetgen_keeps, parts
#define STL(encoding, names) io_stl_write, {1, encoding, false}, names, NULL, NULL
#define PLY(encoding) io_ply_write, {1, encoding, false}, KEEPS_FIELDS | KEEPS_LONE_POINTS, NULL, NULL
#define NAMED(write, keeps_field) write, {1, IO_TEXT, false}, KEEPS_NAMES | KEEPS_LONE_POINTS, keeps_field, NULL

static const io_part io_tetgen_parts[] = {
    [IO_TETGEN_NODE] = {".node", CLV_NONE},
    [IO_TETGEN_ELE] = {".ele", CLV_NONE},
    [IO_TETGEN_FACE] = {".face", CLV_TRI},
    [IO_TETGEN_EDGE] = {".edge", CLV_LINE},
    {NULL, CLV_NONE},
};

static const io_format io_formats[] = {
    {"msh1", ".msh", "Gmsh 1, text; without fields and names of regions", GMSH1},
    {"msh2", ".msh", "Gmsh 2.2, text", GMSH(2, IO_TEXT)},
    {"msh2-binary", ".msh", "Gmsh 2.2, binary", GMSH(2, IO_BINARY)},
    {"msh4", ".msh", "Gmsh 4.1, text", GMSH(4, IO_TEXT)},
    {"msh4-binary", ".msh", "Gmsh 4.1, binary", GMSH(4, IO_BINARY)},
    {"vtk", ".vtk", "VTK legacy 4.2, text", VTK(4, IO_TEXT)},
    {"vtk-binary", ".vtk", "VTK legacy 4.2, binary", VTK(4, IO_BINARY)},
    {"vtk5", ".vtk", "VTK legacy 5.1, text", VTK(5, IO_TEXT)},
    {"vtk5-binary", ".vtk", "VTK legacy 5.1, binary", VTK(5, IO_BINARY)},
    {"vtu", ".vtu", "VTK XML, the same as vtu-base64-zlib", VTU(IO_BASE64, true)},
    {"vtu-ascii", ".vtu", "VTK XML, text", VTU(IO_TEXT, false)},
    {"vtu-base64", ".vtu", "VTK XML, base64", VTU(IO_BASE64, false)},
    {"vtu-base64-zlib", ".vtu", "VTK XML, base64, compressed", VTU(IO_BASE64, true)},
    {"vtu-appended", ".vtu", "VTK XML, appended base64", VTU(IO_APPENDED, false)},
    {"vtu-appended-zlib", ".vtu", "VTK XML, appended base64, compressed", VTU(IO_APPENDED, true)},
    {"vtu-raw", ".vtu", "VTK XML, appended bytes", VTU(IO_APPENDED_RAW, false)},
    {"vtu-raw-zlib", ".vtu", "VTK XML, appended bytes, compressed", VTU(IO_APPENDED_RAW, true)},
    {"medit", ".mesh", "MEDIT, text", MEDIT(IO_TEXT)},
    {"medit-binary", ".meshb", "MEDIT, binary", MEDIT(IO_BINARY)},
    {"tetgen", ".node", "TetGen: .node, .ele, .face and .edge", TETGEN(IO_TETGEN_NODE, io_tetgen_parts)},
    {"tetgen-surface", ".smesh", "TetGen: a surface, .smesh", TETGEN(IO_TETGEN_SURFACE, NULL)},
    {"abaqus", ".inp", "Abaqus and CalculiX", NAMED(io_abaqus_write, io_abaqus_keeps)},
    {"obj", ".obj", "Wavefront, a surface", NAMED(io_obj_write, io_obj_keeps)},
    {"stl", ".stl", "STL, triangles, text", STL(IO_TEXT, KEEPS_NAMES)},
    {"stl-binary", ".stl", "STL, triangles, binary; coordinates are 32-bit floats", STL(IO_BINARY, 0)},
    {"ply", ".ply", "PLY, a surface, text", PLY(IO_TEXT)},
    {"ply-binary", ".ply", "PLY, a surface, binary", PLY(IO_BINARY)},
};

#define IO_FORMAT_COUNT (sizeof io_formats / sizeof *io_formats)

static const io_ending io_endings[] = {
    {".msh", io_gmsh_read, "msh4"},
    {".vtk", io_vtk_read, "vtk"},
    {".vtu", io_vtu_read, "vtu"},
    {".mesh", io_medit_read, "medit"},
    {".meshb", io_medit_read, "medit-binary"},
    {".node", io_tetgen_read, "tetgen"},
    {".ele", io_tetgen_read, "tetgen"},
    {".face", io_tetgen_read, "tetgen"},
    {".edge", io_tetgen_read, "tetgen"},
    {".smesh", io_tetgen_read, "tetgen-surface"},
    {".poly", io_tetgen_read, NULL},
    {".inp", io_abaqus_read, "abaqus"},
    {".obj", io_obj_read, "obj"},
    {".stl", io_stl_read, "stl"},
    {".ply", io_ply_read, "ply"},
};

#define IO_ENDING_COUNT (sizeof io_endings / sizeof *io_endings)

// ---- which format ---------------------------------------------------------------------------------------------------

const char *clv_format_list(size_t i, const char **what) {
  if (i >= IO_FORMAT_COUNT) return NULL;
  if (what) *what = io_formats[i].what;
  return io_formats[i].name;
}

static const io_ending *io_ending_of(const char *name) {
  size_t size = strlen(name);
  for (size_t i = 0; i < IO_ENDING_COUNT; i++) {
    size_t ending_size = strlen(io_endings[i].ending);
    if (size > ending_size && strcasecmp(name + size - ending_size, io_endings[i].ending) == 0) return &io_endings[i];
  }
  return NULL;
}

const io_ending *io_find_ending(const char *name, clv_error *error) {
  const io_ending *ending = io_ending_of(name);
  if (!ending) {
    clv_error_set(error, CLV_ERROR_ARGUMENT,
                  "%s: the format is told by the ending; known are .msh (Gmsh), .vtk and .vtu (VTK), .mesh and .meshb "
                  "(MEDIT), .node, .ele, .face, .edge, .smesh and .poly (TetGen), .inp (Abaqus), .obj, .stl and .ply",
                  name);
  }
  return ending;
}

static const io_format *io_format_named(const char *name) {
  for (size_t i = 0; name && i < IO_FORMAT_COUNT; i++) {
    if (strcmp(io_formats[i].name, name) == 0) return &io_formats[i];
  }
  return NULL;
}

const io_format *io_find_format(const char *name, const char *path, clv_error *error) {
  if (!name) {
    const io_ending *ending = io_find_ending(path, error);
    if (!ending) return NULL;
    if (!ending->format) {
      clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: files of this kind are read, not written; write a .smesh file",
                    path);
      return NULL;
    }
    name = ending->format;
  }
  const io_format *format = io_format_named(name);
  if (!format) {
    clv_error_set(error, CLV_ERROR_ARGUMENT,
                  "%s: unknown format '%s'; clv_format_list knows them, such as msh4, vtk and vtu", path, name);
  }
  return format;
}

const char *clv_format_ending(const char *format) {
  const io_format *found = io_format_named(format);
  return found ? found->ending : NULL;
}

bool clv_format_fits(const char *format, const char *path) {
  const io_format *found = io_format_named(format);
  const io_ending *ending = io_ending_of(path);
  if (!found || !ending) return true;
  for (size_t i = 0; i < IO_ENDING_COUNT; i++) {
    if (strcmp(io_endings[i].ending, found->ending) == 0) return io_endings[i].read == ending->read;
  }
  return false;
}

// ---- what stays behind ----------------------------------------------------------------------------------------------

// Points of a face stream are between the counts of its faces.
static void io_mark_points(const clv_mesh *mesh, size_t element, bool *used) {
  size_t count, at = 0;
  const uint32_t *corners = io_corners(mesh, element, &count);
  bool is_stream = mesh->kinds[element] == CLV_POLYHEDRON;
  size_t left = is_stream ? 0 : count; // corners before the next count
  for (at = is_stream ? 1 : 0; at < count; at++) {
    if (left == 0) {
      left = corners[at];
      continue;
    }
    if (corners[at] < mesh->point_count) used[corners[at]] = true;
    left--;
  }
}

static bool io_count_lone_points(const clv_mesh *mesh, size_t *lone) {
  const clv_allocator *allocator = &mesh->allocator;
  *lone = mesh->point_count;
  if (mesh->point_count == 0) return true;
  bool *used = allocator->resize(allocator->user, NULL, 0, mesh->point_count);
  if (!used) return false;
  memset(used, 0, mesh->point_count);
  for (size_t e = 0; e < mesh->element_count; e++) io_mark_points(mesh, e, used);
  for (size_t i = 0; i < mesh->point_count; i++) *lone -= used[i];
  allocator->resize(allocator->user, used, mesh->point_count, 0);
  return true;
}

clv_result clv_format_loss(const clv_mesh *mesh, const char *format, const char *path, clv_loss *loss) {
  *loss = (clv_loss){0, 0, 0};
  const io_format *found = io_find_format(format, path, NULL);
  if (!found) return CLV_ERROR_ARGUMENT;
  for (size_t f = 0; f < mesh->field_count && !(found->keeps & KEEPS_FIELDS); f++) {
    loss->fields += !found->keeps_field || !found->keeps_field(mesh, &mesh->fields[f]);
  }
  if (!(found->keeps & KEEPS_NAMES)) loss->region_names = mesh->region_count;
  if (!(found->keeps & KEEPS_LONE_POINTS) && !io_count_lone_points(mesh, &loss->points)) return CLV_ERROR_MEMORY;
  return CLV_OK;
}
