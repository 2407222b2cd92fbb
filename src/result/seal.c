// Seals of checkpoints. See checkpoint.h.

#include "result/checkpoint_file.h"
#include "result/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <unistd.h>
#include <zlib.h>

typedef struct seal_facts {
  unsigned long long size; // of the whole file
  unsigned long sum;       // of what lies behind the seal
} seal_facts;

static const char seal_format[] = "Cleave checkpoint, version %d, %llu bytes, checksum %08lx\n";

// 0, or the reason. *seal is what the file's ought to be.
static int measure(int descriptor, seal_facts *seal) {
  unsigned char bytes[65536];
  uLong sum = crc32(0, NULL, 0);
  off_t at = RESULT_SEAL_SIZE;
  for (;;) {
    const ssize_t got = pread(descriptor, bytes, sizeof bytes, at);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return errno;
    if (got == 0) break;
    sum = crc32(sum, bytes, (uInt)got);
    at += got;
  }
  seal->size = (unsigned long long)at;
  seal->sum = sum;
  return 0;
}

clv_result result_seal_write(const char *file, const char *path, clv_error *error) {
  char line[RESULT_SEAL_SIZE] = "";
  seal_facts seal;
  const int descriptor = open(file, O_RDWR | O_CLOEXEC);
  if (descriptor < 0) return result_system_error(error, path, errno);
  int reason = measure(descriptor, &seal);
  if (!reason) {
    snprintf(line, sizeof line, seal_format, RESULT_CHECKPOINT_VERSION, seal.size, seal.sum);
    const ssize_t put = pwrite(descriptor, line, sizeof line, 0);
    if (put != (ssize_t)sizeof line) reason = put < 0 ? errno : EIO;
  }
  if (close(descriptor) != 0 && !reason) reason = errno;
  return reason ? result_system_error(error, path, reason) : CLV_OK;
}

static clv_result compare(const char *path, const char *line, const seal_facts *found, clv_error *error) {
  seal_facts said = {0, 0};
  int version = 0;
  if (sscanf(line, seal_format, &version, &said.size, &said.sum) < 1)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: is no checkpoint of Cleave", path);
  if (version != RESULT_CHECKPOINT_VERSION)
    return clv_error_set(
        error, CLV_ERROR_INPUT,
        "%s: has version %d of the format; Cleave %s reads version %d: resume with the Cleave that made it", path,
        version, clv_version(), RESULT_CHECKPOINT_VERSION);
  if (said.size != found->size)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: is damaged: it had %llu bytes and has %llu", path, said.size,
                         found->size);
  if (said.sum != found->sum)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: is damaged: it does not match its checksum", path);
  return CLV_OK;
}

clv_result result_seal_test(const char *path, clv_error *error) {
  char line[RESULT_SEAL_SIZE + 1] = "";
  seal_facts found = {0, 0};
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return result_system_error(error, path, errno);
  const int reason = pread(descriptor, line, RESULT_SEAL_SIZE, 0) < 0 ? errno : measure(descriptor, &found);
  close(descriptor);
  return reason ? result_system_error(error, path, reason) : compare(path, line, &found, error);
}
