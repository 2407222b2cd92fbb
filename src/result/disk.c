// Files on the disk. See disk.h.

#include "result/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

clv_result result_system_error(clv_error *error, const char *path, int reason) {
  return clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", path, strerror(reason));
}

clv_result result_memory_error(clv_error *error, const char *path) {
  return clv_error_set(error, CLV_ERROR_MEMORY, "%s: out of memory", path);
}

// Paths

result_path result_path_join(const char *directory, const char *name) {
  result_path path;
  const int length = snprintf(path.text, sizeof path.text, "%s/%s", directory, name);
  if (length < 0 || (size_t)length >= sizeof path.text) path.text[0] = '\0';
  return path;
}

result_path result_path_beside(const char *path) {
  result_path beside;
  const int length = snprintf(beside.text, sizeof beside.text, "%s.part", path);
  if (length < 0 || (size_t)length >= sizeof beside.text) beside.text[0] = '\0';
  return beside;
}

static clv_result make_one_directory(const char *path, clv_error *error) {
  if (mkdir(path, 0777) == 0) return CLV_OK;
  const int reason = errno;
  struct stat status;
  if (reason == EEXIST && stat(path, &status) == 0 && S_ISDIR(status.st_mode)) return CLV_OK;
  return result_system_error(error, path, reason == EEXIST ? ENOTDIR : reason);
}

clv_result result_make_directory(const char *path, clv_error *error) {
  result_path part;
  const size_t length = strlen(path);
  if (length == 0 || length >= sizeof part.text)
    return result_system_error(error, path, length ? ENAMETOOLONG : ENOENT);
  for (size_t k = 1; k < length; k++) {
    if (path[k] != '/' || path[k - 1] == '/') continue;
    memcpy(part.text, path, k);
    part.text[k] = '\0';
    const clv_result result = make_one_directory(part.text, error);
    if (result != CLV_OK) return result;
  }
  return make_one_directory(path, error);
}

// Whole files

// 0, or the reason.
static int write_all(int descriptor, const char *data, size_t size) {
  while (size > 0) {
    const ssize_t put = write(descriptor, data, size);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return errno;
    data += put;
    size -= (size_t)put;
  }
  return 0;
}

// A name is on the disk when its directory is.
static int sync_directory_of(const char *path) {
  result_path directory;
  const char *slash = strrchr(path, '/');
  const size_t length = slash ? (size_t)(slash - path) : 0;
  if (length >= sizeof directory.text) return ENAMETOOLONG;
  memcpy(directory.text, path, length);
  directory.text[length] = '\0';
  const int descriptor = open(!slash ? "." : length ? directory.text : "/", O_RDONLY | O_DIRECTORY | O_CLOEXEC);
  if (descriptor < 0) return errno;
  // File systems that cannot bring a directory to the disk say EINVAL; there is nothing more to do on them.
  const int reason = fsync(descriptor) == 0 || errno == EINVAL ? 0 : errno;
  close(descriptor);
  return reason;
}

static int sync_file(const char *path) {
  const int descriptor = open(path, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return errno;
  const int reason = fsync(descriptor) == 0 ? 0 : errno;
  close(descriptor);
  return reason;
}

clv_result result_move_into_place(const char *beside, const char *path, result_care care, clv_error *error) {
  int reason = care == RESULT_DURABLE ? sync_file(beside) : 0;
  if (!reason && rename(beside, path) != 0) reason = errno;
  if (reason) unlink(beside);
  if (!reason && care == RESULT_DURABLE) reason = sync_directory_of(path);
  return reason ? result_system_error(error, path, reason) : CLV_OK;
}

clv_result result_replace_file(const char *path, const void *data, size_t size, result_care care, clv_error *error) {
  const result_path beside = result_path_beside(path);
  const int descriptor = open(beside.text, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
  if (descriptor < 0) return result_system_error(error, path, errno);
  int reason = write_all(descriptor, data, size);
  if (close(descriptor) != 0 && !reason) reason = errno; // some file systems say only now that there was no room
  if (!reason) return result_move_into_place(beside.text, path, care, error);
  unlink(beside.text);
  return result_system_error(error, path, reason);
}

clv_result result_sync_file(const char *path, clv_error *error) {
  const int reason = sync_file(path);
  return reason ? result_system_error(error, path, reason) : CLV_OK;
}

clv_result result_remove_file(const char *path, clv_error *error) {
  if (unlink(path) == 0 || errno == ENOENT) return CLV_OK;
  return result_system_error(error, path, errno);
}

// Files that grow

static clv_result log_open(result_log *log, const char *path, int flags, uint64_t size, clv_error *error) {
  *log = (result_log){.descriptor = open(path, O_WRONLY | O_CLOEXEC | flags, 0666), .size = size, .path = path};
  return log->descriptor < 0 ? result_system_error(error, path, errno) : CLV_OK;
}

clv_result result_log_create(result_log *log, const char *path, clv_error *error) {
  return log_open(log, path, O_CREAT | O_TRUNC, 0, error);
}

static clv_result shorten(result_log *log, clv_error *error) {
  struct stat status;
  const bool known = fstat(log->descriptor, &status) == 0;
  if (known && (uint64_t)status.st_size < log->size)
    return clv_error_set(
        error, CLV_ERROR_INPUT,
        "%s: has %lld bytes, but the checkpoint counts on %llu: was it changed since? Start the run anew", log->path,
        (long long)status.st_size, (unsigned long long)log->size);
  if (known && ftruncate(log->descriptor, (off_t)log->size) == 0 && lseek(log->descriptor, 0, SEEK_END) >= 0)
    return CLV_OK;
  return result_system_error(error, log->path, errno);
}

clv_result result_log_resume(result_log *log, const char *path, uint64_t size, clv_error *error) {
  clv_result result = log_open(log, path, 0, size, error);
  if (result != CLV_OK) return result;
  result = shorten(log, error);
  if (result == CLV_OK) return CLV_OK;
  close(log->descriptor);
  log->descriptor = -1;
  return result;
}

clv_result result_log_add(result_log *log, const result_text *row, clv_error *error) {
  if (row->failed) return result_memory_error(error, log->path);
  const int reason = write_all(log->descriptor, row->data, row->count);
  if (!reason) {
    log->size += row->count;
    return CLV_OK;
  }
  // No half lines. Should taking it back fail as well, the first reason is still the one to tell.
  if (ftruncate(log->descriptor, (off_t)log->size) == 0) lseek(log->descriptor, 0, SEEK_END);
  return result_system_error(error, log->path, reason);
}

clv_result result_log_sync(result_log *log, clv_error *error) {
  return fsync(log->descriptor) == 0 ? CLV_OK : result_system_error(error, log->path, errno);
}

clv_result result_log_close(result_log *log, clv_error *error) {
  if (log->descriptor < 0) return CLV_OK;
  const int closed = close(log->descriptor);
  log->descriptor = -1;
  return closed == 0 ? CLV_OK : result_system_error(error, log->path, errno);
}
