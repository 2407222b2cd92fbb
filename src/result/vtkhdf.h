// VTKHDF: the frames of one body in one HDF5 file, as ParaView and VTK read them.
//
// The file is an UnstructuredGrid with steps. Points and fields are appended with every frame; cells only when they are
// not those of the frame before, so that a file grows by what changes. Version 2.0 of the format; 2.5, which has faces,
// from the first polyhedron on. A frame counts (NSteps) when all of it is in the file, and the file is whole after
// every write (hdf.h): killed at any moment, it opens with the frames that count.

#ifndef RESULT_VTKHDF_H
#define RESULT_VTKHDF_H

#include "cleave/mesh.h"

typedef struct result_vtkhdf result_vtkhdf;

// The file appears with its first frame. NULL on failure.
result_vtkhdf *result_vtkhdf_create(const char *path, const clv_allocator *allocator, clv_error *error);
// Goes on behind the first `steps` frames of a file; those behind are taken back.
result_vtkhdf *result_vtkhdf_resume(const char *path, uint64_t steps, const clv_allocator *allocator, clv_error *error);
// Every frame has the fields of the first. A failure takes nothing back that was there before, but the series is at an
// end: every further call fails.
clv_result result_vtkhdf_add(result_vtkhdf *series, double time, const clv_mesh *mesh, clv_error *error);
uint64_t result_vtkhdf_steps(const result_vtkhdf *series);
// Brings what was added to the disk for good.
clv_result result_vtkhdf_sync(result_vtkhdf *series, clv_error *error);
// NULL is closed already. The series is gone, whatever the result.
clv_result result_vtkhdf_close(result_vtkhdf *series, clv_error *error);

#endif
