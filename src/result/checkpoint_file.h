// What the two sides of a checkpoint file agree on.

#ifndef RESULT_CHECKPOINT_FILE_H
#define RESULT_CHECKPOINT_FILE_H

#include "result/hdf.h"

#define RESULT_CHECKPOINT_VERSION 1

enum { RESULT_LINK_SIZE = 512, RESULT_SEAL_SIZE = 512 };

// The name of a block as that of a link: a slash would be a path in HDF5. False when it is too long or empty.
bool result_link_name(const char *name, char link[RESULT_LINK_SIZE]);

// Writes the seal into the room at the beginning of a file; tests it. The sentence names `path`.
clv_result result_seal_write(const char *file, const char *path, clv_error *error);
clv_result result_seal_test(const char *path, clv_error *error);

#endif
