// The formats' entry points. Each reads a whole file into an empty mesh, or puts a whole mesh into a file in memory;
// failures are in the reader or writer. No format calls another.

#ifndef IO_FORMATS_H
#define IO_FORMATS_H

#include "io/reader.h"
#include "io/writer.h"

void io_gmsh_read(io_reader *r);
void io_gmsh_write(io_writer *w, const clv_mesh *mesh, io_variant variant);

void io_vtk_read(io_reader *r);
void io_vtk_write(io_writer *w, const clv_mesh *mesh, io_variant variant);

void io_vtu_read(io_reader *r);
void io_vtu_write(io_writer *w, const clv_mesh *mesh, io_variant variant);

// For fields that a format has a place for by their names or values only: whether this one would be kept.

void io_medit_read(io_reader *r);
void io_medit_write(io_writer *w, const clv_mesh *mesh, io_variant variant);
bool io_medit_keeps(const clv_mesh *mesh, const clv_field *field);

// A mesh is a set of files; the version of the variant says which of them is written.
enum { IO_TETGEN_NODE, IO_TETGEN_ELE, IO_TETGEN_FACE, IO_TETGEN_EDGE, IO_TETGEN_SURFACE };
void io_tetgen_read(io_reader *r);
void io_tetgen_write(io_writer *w, const clv_mesh *mesh, io_variant variant);
bool io_tetgen_keeps(const clv_mesh *mesh, const clv_field *field);

void io_abaqus_read(io_reader *r);
void io_abaqus_write(io_writer *w, const clv_mesh *mesh, io_variant variant);
bool io_abaqus_keeps(const clv_mesh *mesh, const clv_field *field);

void io_obj_read(io_reader *r);
void io_obj_write(io_writer *w, const clv_mesh *mesh, io_variant variant);
bool io_obj_keeps(const clv_mesh *mesh, const clv_field *field);

void io_stl_read(io_reader *r);
void io_stl_write(io_writer *w, const clv_mesh *mesh, io_variant variant);

void io_ply_read(io_reader *r);
void io_ply_write(io_writer *w, const clv_mesh *mesh, io_variant variant);

#endif
