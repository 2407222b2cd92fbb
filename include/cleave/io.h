// Mesh files. A file becomes a flat mesh and a flat mesh a file; no format knows of darts, and no format knows another.
//
// Formats: Gmsh (1, 2.0 to 2.2, 4.0 and 4.1, text and binary), VTK legacy (1.0 to 5.1, every data set, text and
// binary), VTU (text, base64, appended, with and without zlib), MEDIT (text and binary, 1 to 4), TetGen (.node .ele
// .face .edge, .smesh and .poly), Abaqus and CalculiX (.inp), and the surfaces OBJ, STL and PLY (text and binary). A
// wrong file gets "name:line: what is wrong" ("name: byte n: ..." if it is binary) and leaves the mesh empty.
//
// What a mesh has and a format has not stays behind when it is written: VTK's formats have no names of regions, and
// Gmsh 1 has no fields either; clv_format_loss says how much that is. An element that a format cannot express, such as
// a polyhedron in Gmsh or a tetrahedron in STL, is an error. VTK's formats and PLY keep the regions as integers on the
// cells named "region"; VTK's reading takes "gmsh:physical" for regions, too. Where a format has names instead of
// numbers (Abaqus, OBJ, STL), region 7 without a name is "region-7", and regions with names are numbered anew.

#ifndef CLEAVE_IO_H
#define CLEAVE_IO_H

#include "cleave/mesh.h"

CLV_BEGIN_DECLS

// Reads and writes a file; the format is told by the name's ending (.msh .vtk .vtu .mesh .meshb .node .ele .face .edge
// .smesh .poly .inp .obj .stl .ply) unless a format is named, such as "msh2-binary" or "vtu-raw-zlib"; clv_format_list
// says them all. An ending alone writes what most programs open: .msh "msh4", .vtk "vtk", .vtu "vtu", which is
// "vtu-base64-zlib". Reading recognises every variant by itself; it empties the mesh first. Writing replaces the file
// at once or, on failure, leaves it as it was. Errors name the place: "liver.msh:12: node 4 has two coordinates, three
// are needed".
//
// TetGen's meshes are sets of files: whichever of .node, .ele, .face and .edge is named, those beside it are read with
// it, and all are written, one after the other.
CLV_API clv_result clv_mesh_read(clv_mesh *mesh, const char *path, clv_error *error);
CLV_API clv_result clv_mesh_write(const clv_mesh *mesh, const char *path, const char *format, clv_error *error);
// The same from memory: `name` gives the ending and stands in messages. There are no files beside it.
CLV_API clv_result clv_mesh_read_memory(clv_mesh *mesh, const char *name, const void *data, size_t size,
                                        clv_error *error);

// The i-th format `clv_mesh_write` knows by name, NULL past the last; *what, if not NULL, describes it.
CLV_API const char *clv_format_list(size_t i, const char **what);

// The ending that files of a format should have, ".msh"; NULL for an unknown format.
CLV_API const char *clv_format_ending(const char *format);
// Whether a file so called would be read as what it is: false when the ending belongs to another format.
CLV_API bool clv_format_fits(const char *format, const char *path);

// How much of a mesh a format has no place for.
typedef struct clv_loss {
  size_t fields;
  size_t region_names;
  size_t points; // that no element uses
} clv_loss;

// What clv_mesh_write, called with these, would leave behind. An argument error for an unknown format or ending.
CLV_API clv_result clv_format_loss(const clv_mesh *mesh, const char *format, const char *path, clv_loss *loss);

CLV_END_DECLS

#endif
