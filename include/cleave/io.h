// Mesh files. A file becomes a flat mesh and a flat mesh a file; no format knows of darts, and no format knows another.
//
// Formats: Gmsh (1, 2.0 to 2.2, 4.0 and 4.1, text and binary), VTK legacy (1.0 to 5.1, every data set, text and binary)
// and VTU (text, base64, appended, with and without zlib). A wrong file gets "name:line: what is wrong" ("name: byte n:
// ..." if it is binary) and leaves the mesh empty.
//
// What a mesh has and a format has not stays behind when it is written: VTK's formats have no names of regions, and
// Gmsh 1 has no fields either. Gmsh cannot express polygons and polyhedra; writing them is an error. VTK's formats keep
// the regions as integers on the cells named "region"; reading takes "gmsh:physical" for regions, too.

#ifndef CLEAVE_IO_H
#define CLEAVE_IO_H

#include "cleave/mesh.h"

CLV_BEGIN_DECLS

// Reads and writes a file; the format is told by the name's ending (.msh .vtk .vtu) unless a format is named: "msh1",
// "msh2", "msh4", "vtk", "vtk5", "vtu"; with "-binary" (msh2 msh4 vtk vtk5) or "-ascii", "-base64", "-appended", "-raw"
// (vtu) behind it, and for the last three "-zlib" or not; clv_format_list says them all. An ending alone writes what
// most programs open: .msh "msh4", .vtk "vtk", .vtu "vtu", which is "vtu-base64-zlib". Reading recognises every variant
// by itself; it empties the mesh first. Writing replaces the file at once or, on failure, leaves it as it was. Errors
// name the place: "liver.msh:12: node 4 has two coordinates, three are needed".
CLV_API clv_result clv_mesh_read(clv_mesh *mesh, const char *path, clv_error *error);
CLV_API clv_result clv_mesh_write(const clv_mesh *mesh, const char *path, const char *format, clv_error *error);
// The same from memory: `name` gives the ending and stands in messages.
CLV_API clv_result clv_mesh_read_memory(clv_mesh *mesh, const char *name, const void *data, size_t size,
                                        clv_error *error);

// The i-th format `clv_mesh_write` knows by name, NULL past the last; *what, if not NULL, describes it.
CLV_API const char *clv_format_list(size_t i, const char **what);

CLV_END_DECLS

#endif
