// The datasets of a VTKHDF file: tables that grow by rows.
//
// Which there are is written once, here. Rows of cells belong to parts (sets of cells that several steps may share),
// rows of points and fields to steps. A table that a file has no use for has no dataset.

#ifndef RESULT_VTKHDF_TABLE_H
#define RESULT_VTKHDF_TABLE_H

#include "result/hdf.h"

// What a table has rows for, and so how many there are.
typedef enum table_rows {
  ROWS_STEPS,
  ROWS_PARTS,
  ROWS_STEP_POINTS, // the points of each step
  ROWS_STEP_CELLS,
  ROWS_PART_CELLS, // the cells of each part
  ROWS_PART_CELLS_AND_ONE,
  ROWS_PART_IDS,
  ROWS_PART_FACES_AND_ONE,
  ROWS_PART_FACE_IDS,
  ROWS_PART_POLYHEDRON_IDS,
  ROWS_COUNT
} table_rows;

typedef enum table_type { TABLE_BYTE, TABLE_INTEGER, TABLE_LONG, TABLE_REAL } table_type;

// The tables that every file has, and behind TABLE_FACES those of files with polyhedra.
#define RESULT_TABLES(X)                                                                                               \
  X(PART_POINTS, "NumberOfPoints", ROWS_PARTS, TABLE_LONG, 1)                                                          \
  X(PART_CELLS, "NumberOfCells", ROWS_PARTS, TABLE_LONG, 1)                                                            \
  X(PART_IDS, "NumberOfConnectivityIds", ROWS_PARTS, TABLE_LONG, 1)                                                    \
  X(POINTS, "Points", ROWS_STEP_POINTS, TABLE_REAL, 3)                                                                 \
  X(TYPES, "Types", ROWS_PART_CELLS, TABLE_BYTE, 1)                                                                    \
  X(OFFSETS, "Offsets", ROWS_PART_CELLS_AND_ONE, TABLE_LONG, 1)                                                        \
  X(CONNECTIVITY, "Connectivity", ROWS_PART_IDS, TABLE_LONG, 1)                                                        \
  X(STEP_VALUES, "Steps/Values", ROWS_STEPS, TABLE_REAL, 1)                                                            \
  X(STEP_PARTS, "Steps/PartOffsets", ROWS_STEPS, TABLE_LONG, 1)                                                        \
  X(STEP_PART_COUNTS, "Steps/NumberOfParts", ROWS_STEPS, TABLE_LONG, 1)                                                \
  X(STEP_POINTS, "Steps/PointOffsets", ROWS_STEPS, TABLE_LONG, 1)                                                      \
  X(STEP_CELLS, "Steps/CellOffsets", ROWS_STEPS, TABLE_LONG, 1)                                                        \
  X(STEP_IDS, "Steps/ConnectivityIdOffsets", ROWS_STEPS, TABLE_LONG, 1)                                                \
  X(PART_FACES, "NumberOfFaces", ROWS_PARTS, TABLE_LONG, 1)                                                            \
  X(PART_FACE_IDS, "NumberOfFaceConnectivityIds", ROWS_PARTS, TABLE_LONG, 1)                                           \
  X(PART_POLYHEDRON_IDS, "NumberOfPolyhedronToFaceIds", ROWS_PARTS, TABLE_LONG, 1)                                     \
  X(FACE_OFFSETS, "FaceOffsets", ROWS_PART_FACES_AND_ONE, TABLE_LONG, 1)                                               \
  X(FACE_CONNECTIVITY, "FaceConnectivity", ROWS_PART_FACE_IDS, TABLE_LONG, 1)                                          \
  X(POLYHEDRON_OFFSETS, "PolyhedronOffsets", ROWS_PART_CELLS_AND_ONE, TABLE_LONG, 1)                                   \
  X(POLYHEDRON_FACES, "PolyhedronToFaces", ROWS_PART_POLYHEDRON_IDS, TABLE_LONG, 1)                                    \
  X(STEP_FACES, "Steps/FaceOffsetsOffsets", ROWS_STEPS, TABLE_LONG, 1)                                                 \
  X(STEP_FACE_IDS, "Steps/FaceConnectivityOffsets", ROWS_STEPS, TABLE_LONG, 1)                                         \
  X(STEP_POLYHEDRON_IDS, "Steps/PolyhedronToFaceIdOffsets", ROWS_STEPS, TABLE_LONG, 1)

typedef enum table_name {
#define RESULT_TABLE_NAME(name, path, rows, type, columns) TABLE_##name,
  RESULT_TABLES(RESULT_TABLE_NAME)
#undef RESULT_TABLE_NAME
      TABLE_FIXED
} table_name;
#define TABLE_FACES TABLE_PART_FACES

enum { TABLE_PATH_SIZE = 160 };

typedef struct result_table {
  char path[TABLE_PATH_SIZE]; // below the group VTKHDF
  table_rows counts;
  table_type type;
  uint32_t columns;
  hid_t dataset;  // below 0: none
  hsize_t rows;   // in use
  uint32_t chunk; // rows that are packed together
} result_table;

result_table result_table_fixed(table_name name);

// Each is false on failure, with HDF5's reason on its stack.
bool result_table_create(result_table *table, hid_t group, hsize_t first_rows);
// The dataset of a file that is read; `rows` and `chunk` are its own.
bool result_table_open(result_table *table, hid_t group);
void result_table_close(result_table *table);
// The numbers are doubles, int64_t or bytes, as the table's type says; TABLE_INTEGER takes doubles.
bool result_table_add(result_table *table, const void *values, hsize_t rows);
bool result_table_read(const result_table *table, hsize_t first, hsize_t rows, void *values);
size_t result_table_row_size(const result_table *table);

#endif
