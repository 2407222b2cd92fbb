// One body at one moment as a flat mesh with its fields. See clv_frame_extract.

#ifndef RESULT_FRAME_H
#define RESULT_FRAME_H

#include "base/thread.h"
#include "cleave/result.h"

// With the help of a pool, which may be NULL. The bits are the same.
clv_result result_frame_extract(clv_mesh *mesh, const clv_world *world, uint32_t body, base_pool *pool,
                                clv_error *error);

#endif
