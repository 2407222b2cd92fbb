// The parts of this bench. Each prints its table and keeps its worst RATIOs.

#ifndef BENCH_SURGERY_PARTS_H
#define BENCH_SURGERY_PARTS_H

#include "../tools/parts.h"

// Seconds as microseconds of a machine whose unit loop takes 36 of them.
double unit_microseconds(double seconds);

void bench_edits(void);   // face_split, tet_removal, tet_refine, p99, size_independence
void bench_cold(void);    // cold_edit
void bench_batches(void); // removal_batch, refine_tenth, plane_cut, step_after_cut
void bench_decay(void);   // no_decay

#endif
