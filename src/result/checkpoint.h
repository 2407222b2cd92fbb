// Checkpoints: a world's blocks and a few of ours in one HDF5 file that is sealed by a checksum.
//
//     512 bytes    the seal, a line of text: "Cleave checkpoint, version 1, 12345 bytes, checksum 0123abcd"
//     /            attributes: cleave, steps, time
//     /scene       the text of the scene, where there is one
//     /world/NAME  what clv_world_save says
//     /run/NAME    what the recorder needs to take back what was written behind the checkpoint
//
// A file is written beside its path, brought to the disk and moved into place: the path names a whole checkpoint at
// every moment. Reading tests the seal before HDF5, which damaged files may crash, or the world learn anything.

#ifndef RESULT_CHECKPOINT_H
#define RESULT_CHECKPOINT_H

#include "base/memory.h"
#include "cleave/world.h"

typedef struct result_block {
  const char *name;
  const void *data;
  size_t size;
} result_block;

// The blocks are those of /run. `scene` may be NULL.
clv_result result_checkpoint_write(clv_world *world, const char *path, const char *scene, const result_block *blocks,
                                   uint32_t block_count, clv_error *error);

typedef struct result_checkpoint result_checkpoint;

// A checkpoint of this scene (any, when it is NULL) whose blocks are all sound. NULL on failure.
result_checkpoint *result_checkpoint_open(const char *path, const char *scene, const clv_allocator *allocator,
                                          clv_error *error);
void result_checkpoint_close(result_checkpoint *checkpoint);
// A block of /run; it lives until the next call.
clv_result result_checkpoint_block(result_checkpoint *checkpoint, const char *name, const void **data, size_t *size,
                                   clv_error *error);
clv_result result_checkpoint_load(result_checkpoint *checkpoint, clv_world *world, clv_error *error);

#endif
