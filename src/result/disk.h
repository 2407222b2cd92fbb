// Files on the disk: paths, whole files that are replaced at once or not at all, and files that grow row by row.
//
// Everything that a killed run must leave in order goes through here. A whole file is written beside its path, brought
// to the disk and moved into place. A growing file gets each row by one call, and a row that did not fit is taken back,
// so that it never ends in half a line. Sentences name the path and the system's reason.

#ifndef RESULT_DISK_H
#define RESULT_DISK_H

#include "result/text.h"

// "PATH: No space left on device", by errno's value.
clv_result result_system_error(clv_error *error, const char *path, int reason);
clv_result result_memory_error(clv_error *error, const char *path);

enum { RESULT_PATH_SIZE = 4096 };
typedef struct result_path {
  char text[RESULT_PATH_SIZE];
} result_path;

// directory/name. Sentences about names that are too long come when the path is used: it is empty then.
result_path result_path_join(const char *directory, const char *name);
// The path that a file is written at before it is moved to its own.
result_path result_path_beside(const char *path);

// Creates a directory and those above it that are missing.
clv_result result_make_directory(const char *path, clv_error *error);

// Replaces a file. `durable`: it survives a loss of power from then on, and not only the death of the program.
typedef enum result_care { RESULT_ATOMIC, RESULT_DURABLE } result_care;
clv_result result_replace_file(const char *path, const void *data, size_t size, result_care care, clv_error *error);
// The second half of it, for a file that was written beside its path by other means.
clv_result result_move_into_place(const char *beside, const char *path, result_care care, clv_error *error);
// A file that is there survives a loss of power from then on.
clv_result result_sync_file(const char *path, clv_error *error);
// Removes a file if there is one.
clv_result result_remove_file(const char *path, clv_error *error);

// A file that grows by rows.
typedef struct result_log {
  int descriptor;
  uint64_t size;
  const char *path; // lives elsewhere, at least as long
} result_log;

// Starts an empty file, or goes on with the first `size` bytes of one that is there.
clv_result result_log_create(result_log *log, const char *path, clv_error *error);
clv_result result_log_resume(result_log *log, const char *path, uint64_t size, clv_error *error);
clv_result result_log_add(result_log *log, const result_text *row, clv_error *error);
// What was added survives a loss of power from then on.
clv_result result_log_sync(result_log *log, clv_error *error);
clv_result result_log_close(result_log *log, clv_error *error);

#endif
