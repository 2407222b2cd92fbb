// A series of VTU files and the PVD file that lists them with their times, which is what ParaView opens.
//
// A frame's file is there before the list names it, and the list is replaced as a whole: what is listed can be opened
// at any moment.

#ifndef RESULT_PVD_H
#define RESULT_PVD_H

#include "result/disk.h"

#include "cleave/mesh.h"

typedef struct result_pvd {
  const clv_allocator *allocator;
  const char *directory, *name; // live elsewhere
  BASE_ARRAY(double) times;     // of the frames
  result_text text;
} result_pvd;

void result_pvd_init(result_pvd *pvd, const clv_allocator *allocator, const char *directory, const char *name);
void result_pvd_free(result_pvd *pvd);

clv_result result_pvd_add(result_pvd *pvd, double time, const clv_mesh *mesh, clv_error *error);
// Takes the first `count` frames of a run over, whose times are known; the files of later ones go. None: an empty
// series, and nothing of an earlier one remains.
clv_result result_pvd_resume(result_pvd *pvd, const double *times, uint32_t count, clv_error *error);

#endif
