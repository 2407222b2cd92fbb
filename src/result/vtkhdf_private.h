// A VTKHDF series from inside: vtkhdf.c writes frames, vtkhdf_resume.c goes on with a file that is there.

#ifndef RESULT_VTKHDF_PRIVATE_H
#define RESULT_VTKHDF_PRIVATE_H

#include "result/vtkhdf.h"
#include "result/vtkhdf_cells.h"
#include "result/vtkhdf_table.h"

enum { FIELD_NAME_SIZE = 96 };

typedef struct result_field {
  char name[FIELD_NAME_SIZE];
  clv_field_place place;
  result_table values, starts; // starts: of each step's rows
} result_field;

// Where the cells of the steps to come lie, in rows of their tables.
typedef struct result_part {
  int64_t number, cells, ids, faces, face_ids, polyhedron_ids;
  uint64_t hash;
} result_part;

struct result_vtkhdf {
  clv_allocator allocator;
  char *path;
  hid_t file, group; // below 0 before the first frame
  int reason;        // of the system, when a write failed
  bool polyhedra;    // the file has tables for them
  bool broken;
  result_table tables[TABLE_FIXED];
  BASE_ARRAY(result_field) fields;
  result_cells cells;
  result_part part;
  uint64_t steps;
};

// An empty series: nothing is on the disk.
result_vtkhdf *result_vtkhdf_new(const char *path, const clv_allocator *allocator, clv_error *error);
// The sentence, and the series is at an end.
clv_result result_vtkhdf_broken(result_vtkhdf *s, const char *what, clv_error *error);
clv_result result_vtkhdf_add_field(result_vtkhdf *s, const char *name, clv_field_place place, clv_error *error);

// How many of the fixed tables the file has.
uint32_t result_vtkhdf_fixed(const result_vtkhdf *s);
// Creates the file beside its path, with tables for the fields chosen. `first` says how many rows each sort of table
// gets at once. False with HDF5's reason.
bool result_vtkhdf_create_file(result_vtkhdf *s, const hsize_t first[ROWS_COUNT]);
// So many steps count from here on.
bool result_vtkhdf_count_steps(result_vtkhdf *s, uint64_t steps);
// Gives the file its name; it is whole after every write from then on.
clv_result result_vtkhdf_publish(result_vtkhdf *s, clv_error *error);
void result_vtkhdf_close_file(result_vtkhdf *s);

// Writes the file anew with its first `steps` steps, and with tables for polyhedra if the series has or wants them. The
// file is closed when it is called, and stays as it was when it fails.
clv_result result_vtkhdf_rewrite(result_vtkhdf *s, uint64_t steps, clv_error *error);

#endif
