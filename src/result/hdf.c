// HDF5's silence, reasons and files. See hdf.h.

#include "result/hdf.h"
#include "result/checksum.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#if H5_VERSION_GE(1, 13, 2)
#include <H5FDdevelop.h>
#endif

// Errors

// The innermost entry of the stack is the cause.
static herr_t keep_cause(unsigned n, const H5E_error2_t *entry, void *user) {
  result_hdf_scope *scope = user;
  if (n == 0 && entry->desc && !*scope->cause) snprintf(scope->cause, sizeof scope->cause, "%s", entry->desc);
  return 0;
}

// HDF5 calls this in place of printing; its stack is gone with the next call.
static herr_t remember(hid_t stack, void *user) {
  return H5Ewalk2(stack, H5E_WALK_UPWARD, keep_cause, user);
}

void result_hdf_enter(result_hdf_scope *scope) {
  *scope = (result_hdf_scope){.report = NULL};
  H5Eget_auto2(H5E_DEFAULT, &scope->report, &scope->user);
  H5Eset_auto2(H5E_DEFAULT, remember, scope);
}

void result_hdf_leave(const result_hdf_scope *scope) {
  H5Eclear2(H5E_DEFAULT);
  H5Eset_auto2(H5E_DEFAULT, scope->report, scope->user);
}

clv_result result_hdf_error(clv_error *error, const char *path, const char *what, int reason) {
  H5E_auto2_t report = NULL;
  void *user = NULL;
  H5Eget_auto2(H5E_DEFAULT, &report, &user);
  const char *cause = "HDF5 failed";
  if (reason) {
    cause = strerror(reason);
  } else if (report == remember && *((const result_hdf_scope *)user)->cause) {
    cause = ((const result_hdf_scope *)user)->cause;
  }
  return clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s: %s", path, what, cause);
}

// The driver

typedef struct disk_settings {
  int *reason;
} disk_settings;

enum { // a superblock of version 2 or 3, with 8 bytes to an address
  SUPER_SIZE = 48,
  SUPER_VERSION = 8,
  SUPER_FLAGS = 11,
  SUPER_END = 28,
  SUPER_SUM = 44,
};

typedef struct disk {
  H5FD_t base; // HDF5's own part; first
  int descriptor;
  int *reason;
  haddr_t eoa, eof;
  haddr_t said_end; // by the superblock in the file; 0 before there is one
  uint8_t superblock[SUPER_SIZE];
  dev_t device;
  ino_t inode;
} disk;

#define DISK_MAXIMUM ((haddr_t)INT64_MAX)

static H5FD_t *disk_open(const char *name, unsigned flags, hid_t fapl, haddr_t maximum) {
  const disk_settings *settings = H5Pget_driver_info(fapl);
  if (!settings || maximum == 0) return NULL;
  struct stat status;
  disk *d = calloc(1, sizeof *d);
  const int mode = (flags & H5F_ACC_RDWR ? O_RDWR : O_RDONLY) | (flags & H5F_ACC_TRUNC ? O_TRUNC : 0) |
                   (flags & H5F_ACC_CREAT ? O_CREAT : 0) | (flags & H5F_ACC_EXCL ? O_EXCL : 0) | O_CLOEXEC;
  const int descriptor = d ? open(name, mode, 0666) : -1;
  if (descriptor < 0 || fstat(descriptor, &status) != 0) {
    *settings->reason = errno;
    if (descriptor >= 0) close(descriptor);
    free(d);
    return NULL;
  }
  *d = (disk){.descriptor = descriptor,
              .reason = settings->reason,
              .eof = (haddr_t)status.st_size,
              .device = status.st_dev,
              .inode = status.st_ino};
  *settings->reason = 0; // HDF5 tries a file before it creates it
  return &d->base;
}

static herr_t disk_close(H5FD_t *file) {
  disk *d = (disk *)file;
  if (close(d->descriptor) != 0 && !*d->reason) *d->reason = errno;
  free(d);
  return 0;
}

static int disk_compare(const H5FD_t *a, const H5FD_t *b) {
  const disk *x = (const disk *)a, *y = (const disk *)b;
  if (x->device != y->device) return x->device < y->device ? -1 : 1;
  if (x->inode != y->inode) return x->inode < y->inode ? -1 : 1;
  return 0;
}

static herr_t disk_query(const H5FD_t *file, unsigned long *flags) {
  (void)file;
  if (flags) *flags = H5FD_FEAT_AGGREGATE_METADATA | H5FD_FEAT_AGGREGATE_SMALLDATA | H5FD_FEAT_SUPPORTS_SWMR_IO;
  return 0;
}

static haddr_t disk_get_eoa(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const disk *)file)->eoa;
}

static herr_t disk_set_eoa(H5FD_t *file, H5FD_mem_t type, haddr_t address) {
  (void)type;
  ((disk *)file)->eoa = address;
  return 0;
}

static haddr_t disk_get_eof(const H5FD_t *file, H5FD_mem_t type) {
  (void)type;
  return ((const disk *)file)->eof;
}

static herr_t disk_read(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, void *buffer) {
  (void)type, (void)dxpl;
  const disk *d = (const disk *)file;
  char *to = buffer;
  while (size > 0) {
    const ssize_t got = pread(d->descriptor, to, size, (off_t)address);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      if (!*d->reason) *d->reason = errno;
      return -1;
    }
    if (got == 0) break;
    to += got;
    size -= (size_t)got;
    address += (haddr_t)got;
  }
  memset(to, 0, size); // what was never written
  return 0;
}

static bool disk_put(disk *d, haddr_t address, size_t size, const void *buffer) {
  const char *from = buffer;
  while (size > 0) {
    const ssize_t put = pwrite(d->descriptor, from, size, (off_t)address);
    if (put < 0 && errno == EINTR) continue;
    if (put < 0) return false;
    from += put;
    size -= (size_t)put;
    address += (haddr_t)put;
  }
  if (address > d->eof) d->eof = address;
  return true;
}

// Writes the superblock without the mark of an open file, and with an end that holds: readers refuse a file that is
// shorter than it says, and do not look at what lies behind.
static bool disk_put_superblock(disk *d, haddr_t end) {
  uint8_t *block = d->superblock;
  block[SUPER_FLAGS] = 0;
  for (unsigned k = 0; k < 8; k++) block[SUPER_END + k] = (uint8_t)(end >> (8 * k));
  const uint32_t sum = result_lookup3(block, SUPER_SUM);
  for (unsigned k = 0; k < 4; k++) block[SUPER_SUM + k] = (uint8_t)(sum >> (8 * k));
  if (end > d->eof) {
    if (ftruncate(d->descriptor, (off_t)end) != 0) return false;
    d->eof = end;
  }
  d->said_end = end;
  return disk_put(d, 0, SUPER_SIZE, block);
}

// HDF5 writes the end of the file last, and in its mode for readers who look on those need not know it. Ours do: before
// what is in reach of the present end may come to point behind it, the superblock says so.
static bool disk_put_in_order(disk *d, haddr_t address, size_t size, const uint8_t *buffer) {
  if (address == 0 && size == SUPER_SIZE && buffer[SUPER_VERSION] == 3) {
    haddr_t end = 0;
    for (unsigned k = 0; k < 8; k++) end |= (haddr_t)buffer[SUPER_END + k] << (8 * k);
    memcpy(d->superblock, buffer, SUPER_SIZE);
    return disk_put_superblock(d, end);
  }
  if (d->said_end && address < d->said_end && d->said_end < d->eof && !disk_put_superblock(d, d->eof)) return false;
  return disk_put(d, address, size, buffer);
}

static herr_t disk_write(H5FD_t *file, H5FD_mem_t type, hid_t dxpl, haddr_t address, size_t size, const void *buffer) {
  (void)type, (void)dxpl;
  disk *d = (disk *)file;
  if (!*d->reason && !disk_put_in_order(d, address, size, buffer)) *d->reason = errno;
  return 0;
}

static herr_t disk_truncate(H5FD_t *file, hid_t dxpl, hbool_t closing) {
  (void)dxpl, (void)closing;
  disk *d = (disk *)file;
  if (*d->reason || d->eoa == d->eof) return 0;
  const bool said = d->said_end <= d->eoa || disk_put_superblock(d, d->eoa);
  if (!said || ftruncate(d->descriptor, (off_t)d->eoa) != 0) *d->reason = errno;
  d->eof = d->eoa;
  return 0;
}

static const H5FD_class_t disk_driver = {
#if H5_VERSION_GE(1, 13, 2)
    .version = H5FD_CLASS_VERSION,
    .value = (H5FD_class_value_t)(H5FD_RESERVED + 207),
#endif
    .name = "cleave",
    .maxaddr = DISK_MAXIMUM,
    .fc_degree = H5F_CLOSE_STRONG,
    .fapl_size = sizeof(disk_settings),
    .open = disk_open,
    .close = disk_close,
    .cmp = disk_compare,
    .query = disk_query,
    .get_eoa = disk_get_eoa,
    .set_eoa = disk_set_eoa,
    .get_eof = disk_get_eof,
    .read = disk_read,
    .write = disk_write,
    .truncate = disk_truncate,
    .fl_map = H5FD_FLMAP_DICHOTOMY,
};

static hid_t access_settings(int *reason) {
  *reason = 0;
  const disk_settings settings = {reason};
  const hid_t driver = H5FDregister(&disk_driver), fapl = H5Pcreate(H5P_FILE_ACCESS);
  const bool good = driver >= 0 && fapl >= 0 && H5Pset_driver(fapl, driver, &settings) >= 0 &&
                    H5Pset_libver_bounds(fapl, H5F_LIBVER_V110, H5F_LIBVER_V110) >= 0 &&
                    H5Pset_fclose_degree(fapl, H5F_CLOSE_STRONG) >= 0;
  if (driver >= 0) H5FDunregister(driver);
  if (good || fapl < 0) return fapl;
  H5Pclose(fapl);
  return -1;
}

static hid_t create(const char *path, hid_t fcpl, int *reason) {
  const hid_t fapl = access_settings(reason);
  const hid_t file = fapl < 0 ? -1 : H5Fcreate(path, H5F_ACC_TRUNC, fcpl, fapl);
  if (fapl >= 0) H5Pclose(fapl);
  return file;
}

hid_t result_hdf_create(const char *path, unsigned room, int *reason) {
  const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
  const hid_t file = fcpl < 0 || H5Pset_userblock(fcpl, room) < 0 ? -1 : create(path, fcpl, reason);
  if (fcpl >= 0) H5Pclose(fcpl);
  return file;
}

hid_t result_hdf_create_growing(const char *path, int *reason) {
  enum { PAGE = 4096 }; // the least that systems write at once
  const hid_t fcpl = H5Pcreate(H5P_FILE_CREATE);
  const bool paged = fcpl >= 0 && H5Pset_file_space_strategy(fcpl, H5F_FSPACE_STRATEGY_PAGE, false, 1) >= 0 &&
                     H5Pset_file_space_page_size(fcpl, PAGE) >= 0;
  const hid_t file = paged ? create(path, fcpl, reason) : -1;
  if (fcpl >= 0) H5Pclose(fcpl);
  return file;
}

hid_t result_hdf_open(const char *path, int *reason) {
  const hid_t fapl = access_settings(reason);
  const hid_t file = fapl < 0 ? -1 : H5Fopen(path, H5F_ACC_RDONLY, fapl);
  if (fapl >= 0) H5Pclose(fapl);
  return file;
}

// HDF5 1.10 looks at a file's driver once more after it has given it back, and ours is nobody else's: the settings hold
// it.
herr_t result_hdf_close(hid_t file) {
  const hid_t fapl = H5Fget_access_plist(file);
  const herr_t status = H5Fclose(file);
  if (fapl >= 0) H5Pclose(fapl);
  return status;
}
