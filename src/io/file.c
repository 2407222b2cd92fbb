// Whole files. See file.h.

#define _XOPEN_SOURCE 700 // realpath

#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#define IO_FIRST_FILE_CAPACITY ((size_t)1 << 16)

static clv_result io_system_error(clv_error *error, const char *path) {
  return clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
}

// ---- reading --------------------------------------------------------------------------------------------------------

static bool io_file_grow(io_file *file, const clv_allocator *allocator, size_t capacity) {
  char *data = allocator->resize(allocator->user, file->data, file->capacity, capacity);
  if (!data) return false;
  file->data = data;
  file->capacity = capacity;
  return true;
}

// The size that the system tells is a guess: files grow, and pipes have none.
static size_t io_guess_size(int descriptor) {
  struct stat status;
  if (fstat(descriptor, &status) != 0 || status.st_size <= 0) return IO_FIRST_FILE_CAPACITY;
  return (size_t)status.st_size + 1; // one more, so that the end is met without growing
}

static clv_result io_file_fill(io_file *file, const clv_allocator *allocator, int descriptor, const char *path,
                               clv_error *error) {
  size_t wanted = io_guess_size(descriptor);
  for (;;) {
    if (file->size == file->capacity) {
      if (!io_file_grow(file, allocator, wanted)) {
        return clv_error_set(error, CLV_ERROR_MEMORY, "%s: out of memory", path);
      }
      wanted *= 2;
    }
    ssize_t got = read(descriptor, file->data + file->size, file->capacity - file->size);
    if (got == 0) return CLV_OK;
    if (got < 0 && errno != EINTR) return io_system_error(error, path);
    if (got > 0) file->size += (size_t)got;
  }
}

clv_result io_file_read(io_file *file, const clv_allocator *allocator, const char *path, clv_error *error) {
  *file = (io_file){NULL, 0, 0};
  int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return io_system_error(error, path);
  clv_result result = io_file_fill(file, allocator, descriptor, path, error);
  close(descriptor);
  if (result != CLV_OK) io_file_free(file, allocator);
  return result;
}

void io_file_free(io_file *file, const clv_allocator *allocator) {
  if (file->data) allocator->resize(allocator->user, file->data, file->capacity, 0);
  *file = (io_file){NULL, 0, 0};
}

// ---- writing --------------------------------------------------------------------------------------------------------

// Closes in any case. false with errno set.
static bool io_write_and_close(int descriptor, const char *data, size_t size) {
  while (size > 0) {
    ssize_t put = write(descriptor, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) {
      int reason = errno;
      close(descriptor);
      errno = reason;
      return false;
    }
    data += put;
    size -= (size_t)put;
  }
  return close(descriptor) == 0; // some file systems say only now that there was no room
}

static clv_result io_write_directly(const char *path, const void *data, size_t size, clv_error *error) {
  int descriptor = open(path, O_WRONLY | O_CLOEXEC);
  if (descriptor < 0 || !io_write_and_close(descriptor, data, size)) return io_system_error(error, path);
  return CLV_OK;
}

// Opens a new file whose name begins with that of the target. -1 with errno set.
static int io_open_beside(const char *path, char *name, size_t name_size) {
  for (unsigned attempt = 0;; attempt++) {
    if ((size_t)snprintf(name, name_size, "%s.%ld-%u.part", path, (long)getpid(), attempt) >= name_size) {
      errno = ENAMETOOLONG;
      return -1;
    }
    int descriptor = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (descriptor >= 0 || errno != EEXIST || attempt == 100) return descriptor;
  }
}

// `old` is the file that is to be replaced, NULL when there is none.
static clv_result io_replace(const char *path, const struct stat *old, const void *data, size_t size,
                             clv_error *error) {
  char name[4096];
  int descriptor = io_open_beside(path, name, sizeof name);
  if (descriptor < 0) return io_system_error(error, path);
  bool permitted = !old || fchmod(descriptor, old->st_mode & 07777) == 0;
  if (!permitted) close(descriptor);
  if (permitted && io_write_and_close(descriptor, data, size) && rename(name, path) == 0) return CLV_OK;
  clv_result result = io_system_error(error, path);
  unlink(name);
  return result;
}

clv_result io_file_write(const char *path, const void *data, size_t size, clv_error *error) {
  struct stat old;
  if (stat(path, &old) != 0) return io_replace(path, NULL, data, size, error);
  if (!S_ISREG(old.st_mode)) return io_write_directly(path, data, size, error);
  char *target = realpath(path, NULL);
  if (!target) return io_system_error(error, path);
  clv_result result = io_replace(target, &old, data, size, error);
  free(target);
  return result;
}
