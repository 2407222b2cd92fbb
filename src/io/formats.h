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

#endif
