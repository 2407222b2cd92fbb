// Tables of a VTKHDF file. See vtkhdf_table.h.

#include "result/vtkhdf_table.h"

#include <stdio.h>

enum {
  SMALL_CHUNK = 256,        // rows, of tables with one row a step or a part
  LARGEST_CHUNK = 1u << 20, // rows; a chunk has below 2^32 bytes in HDF5
  PACKING = 1,              // zlib's level: shuffled doubles gain little from more
};

result_table result_table_fixed(table_name name) {
  static const result_table tables[] = {
#define RESULT_TABLE_ENTRY(id, where, rows_for, kind, width) [TABLE_##id] = {where, rows_for, kind, width, -1, 0, 0},
      RESULT_TABLES(RESULT_TABLE_ENTRY)
#undef RESULT_TABLE_ENTRY
  };
  return tables[name];
}

static hid_t file_type(table_type type) {
  switch (type) {
  case TABLE_BYTE:
    return H5T_STD_U8LE;
  case TABLE_INTEGER:
    return H5T_STD_I32LE;
  case TABLE_LONG:
    return H5T_STD_I64LE;
  case TABLE_REAL:
    break;
  }
  return H5T_IEEE_F64LE;
}

static hid_t memory_type(table_type type) {
  switch (type) {
  case TABLE_BYTE:
    return H5T_NATIVE_UINT8;
  case TABLE_LONG:
    return H5T_NATIVE_INT64;
  case TABLE_INTEGER:
  case TABLE_REAL:
    break;
  }
  return H5T_NATIVE_DOUBLE;
}

size_t result_table_row_size(const result_table *table) {
  return (table->type == TABLE_BYTE ? 1 : 8) * (size_t)table->columns;
}

static int rank_of(const result_table *table) {
  return table->columns > 1 ? 2 : 1;
}

// Chunks are as long as what the first frame has, so that a frame fills whole ones as long as nothing is cut.
static hid_t creation_settings(const result_table *table) {
  const hsize_t chunk[2] = {table->chunk, table->columns};
  const bool packed = table->counts != ROWS_STEPS && table->counts != ROWS_PARTS;
  const hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
  if (settings < 0) return settings;
  if (H5Pset_chunk(settings, rank_of(table), chunk) >= 0 && H5Pset_obj_track_times(settings, false) >= 0 &&
      (!packed || (H5Pset_shuffle(settings) >= 0 && H5Pset_deflate(settings, PACKING) >= 0)))
    return settings;
  H5Pclose(settings);
  return -1;
}

bool result_table_create(result_table *table, hid_t group, hsize_t first_rows) {
  const hsize_t none[2] = {0, table->columns}, most[2] = {H5S_UNLIMITED, table->columns};
  const bool small = table->counts == ROWS_STEPS || table->counts == ROWS_PARTS;
  if (!table->chunk) {
    const hsize_t wanted = small ? SMALL_CHUNK : first_rows ? first_rows : 1;
    table->chunk = (uint32_t)(wanted < LARGEST_CHUNK ? wanted : LARGEST_CHUNK);
  }
  const hid_t settings = creation_settings(table), space = H5Screate_simple(rank_of(table), none, most);
  table->rows = 0;
  table->dataset = -1;
  if (settings >= 0 && space >= 0)
    table->dataset = H5Dcreate2(group, table->path, file_type(table->type), space, H5P_DEFAULT, settings, H5P_DEFAULT);
  if (settings >= 0) H5Pclose(settings);
  if (space >= 0) H5Sclose(space);
  return table->dataset >= 0;
}

bool result_table_open(result_table *table, hid_t group) {
  hsize_t size[2] = {0, 1}, chunk[2] = {0, 1};
  table->dataset = H5Dopen2(group, table->path, H5P_DEFAULT);
  if (table->dataset < 0) return false;
  const hid_t space = H5Dget_space(table->dataset), settings = H5Dget_create_plist(table->dataset);
  const hid_t type = H5Dget_type(table->dataset);
  bool good = space >= 0 && settings >= 0 && type >= 0 && H5Sget_simple_extent_ndims(space) <= 2 &&
              H5Sget_simple_extent_dims(space, size, NULL) >= 0 && H5Pget_layout(settings) == H5D_CHUNKED &&
              H5Pget_chunk(settings, 2, chunk) >= 0;
  if (good) {
    table->rows = size[0];
    table->columns = (uint32_t)size[1];
    table->chunk = (uint32_t)chunk[0];
    if (H5Tequal(type, H5T_STD_I32LE) > 0) table->type = TABLE_INTEGER;
  }
  if (space >= 0) H5Sclose(space);
  if (settings >= 0) H5Pclose(settings);
  if (type >= 0) H5Tclose(type);
  return good;
}

void result_table_close(result_table *table) {
  if (table->dataset >= 0) H5Dclose(table->dataset);
  table->dataset = -1;
}

// The rows from `first` on, of the file and of memory. Closed by the caller where they are not below 0.
static bool select_rows(const result_table *table, hsize_t first, hsize_t rows, hid_t spaces[2]) {
  const hsize_t start[2] = {first, 0}, count[2] = {rows, table->columns};
  spaces[0] = H5Dget_space(table->dataset);
  spaces[1] = H5Screate_simple(rank_of(table), count, NULL);
  return spaces[0] >= 0 && spaces[1] >= 0 &&
         H5Sselect_hyperslab(spaces[0], H5S_SELECT_SET, start, NULL, count, NULL) >= 0;
}

static void close_spaces(const hid_t spaces[2]) {
  for (int k = 0; k < 2; k++) {
    if (spaces[k] >= 0) H5Sclose(spaces[k]);
  }
}

bool result_table_add(result_table *table, const void *values, hsize_t rows) {
  if (rows == 0) return true;
  const hsize_t size[2] = {table->rows + rows, table->columns};
  hid_t spaces[2] = {-1, -1};
  const bool good = H5Dset_extent(table->dataset, size) >= 0 && select_rows(table, table->rows, rows, spaces) &&
                    H5Dwrite(table->dataset, memory_type(table->type), spaces[1], spaces[0], H5P_DEFAULT, values) >= 0;
  close_spaces(spaces);
  if (good) table->rows += rows;
  return good;
}

bool result_table_read(const result_table *table, hsize_t first, hsize_t rows, void *values) {
  if (rows == 0) return true;
  hid_t spaces[2] = {-1, -1};
  const bool good = first + rows <= table->rows && select_rows(table, first, rows, spaces) &&
                    H5Dread(table->dataset, memory_type(table->type), spaces[1], spaces[0], H5P_DEFAULT, values) >= 0;
  close_spaces(spaces);
  return good;
}
