// zlib with the memory of a mesh: one block in, one block out, both of known size.

#ifndef IO_ZIP_H
#define IO_ZIP_H

#include "io/writer.h"

// Decompresses exactly `size` bytes into `out`. CLV_ERROR_INPUT when the data are damaged or of another size.
clv_result io_unzip(const clv_allocator *allocator, const void *packed, size_t packed_size, void *out, size_t size);

// Appends the compressed bytes; returns how many they are, 0 after a failure.
size_t io_zip(io_writer *w, const void *bytes, size_t size);

#endif
