// HDF5, as Cleave uses it: silent, with reasons, and with files that a killed program leaves in order.
//
// HDF5 prints its errors by itself unless it is told not to; every call of ours lies between result_hdf_enter and
// result_hdf_leave, which put back what the program had set. What went wrong becomes one sentence.
//
// Files are written through a driver of our own. HDF5 has a mode in which a reader may look on while a file grows
// ("single writer, multiple readers"): it orders its writes so that the file is whole after each of them. That is what
// a program that may be killed at any moment wants, but the mode marks the file as open and, when the writer dies,
// plain readers refuse it. The driver writes everything as HDF5 says, in its order, and only leaves that mark out. The
// system may stop a killed program between two pages of one write, so space is given out such that what is written
// again lies in one page; it does until a table has more than ten thousand chunks. The driver also remembers the first
// failure and lets HDF5 think that all is well from then on: HDF5 cannot close a file on a full disk otherwise.

#ifndef RESULT_HDF_H
#define RESULT_HDF_H

#include "cleave/base.h"

#include <hdf5.h>

typedef struct result_hdf_scope {
  H5E_auto2_t report; // what the program had set
  void *user;
  char cause[256]; // of the first failure
} result_hdf_scope;

void result_hdf_enter(result_hdf_scope *scope);
void result_hdf_leave(const result_hdf_scope *scope);

// "PATH: what: why", with the system's reason where there is one (else 0), and HDF5's first complaint since
// result_hdf_enter otherwise.
clv_result result_hdf_error(clv_error *error, const char *path, const char *what, int reason);

// A file under way, with `room` bytes before what is HDF5's: 512 or more by powers of two. *reason must live as long as
// the file; it is 0 until something fails, then the errno of it. Below 0 on failure.
hid_t result_hdf_create(const char *path, unsigned room, int *reason);
// One that is whole after every write from H5Fstart_swmr_write on, and between the pages of a write.
hid_t result_hdf_create_growing(const char *path, int *reason);
// One to be read.
hid_t result_hdf_open(const char *path, int *reason);
// Closes a file of either sort, and nothing else does.
herr_t result_hdf_close(hid_t file);

#endif
