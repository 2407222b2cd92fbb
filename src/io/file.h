// Whole files: read into memory, and written so that either the new file or the old one is there, never a part.

#ifndef IO_FILE_H
#define IO_FILE_H

#include "cleave/base.h"

typedef struct io_file {
  char *data;
  size_t size, capacity;
} io_file;

clv_result io_file_read(io_file *file, const clv_allocator *allocator, const char *path, clv_error *error);
void io_file_free(io_file *file, const clv_allocator *allocator);

// Replaces the file by way of a new one beside it; a link is followed. What is not a plain file, such as a pipe or a
// terminal, is written directly.
clv_result io_file_write(const char *path, const void *data, size_t size, clv_error *error);

#endif
