// Tables of numbers with names above them, read from CSV files.
//
// The first line names the columns; every other line has a number for each: "nan" and "inf" are numbers that are not
// drawn. A wrong file gets "file:line: what is wrong".

#ifndef RESULT_PLOT_CSV_H
#define RESULT_PLOT_CSV_H

#include "base/memory.h"

typedef struct result_csv {
  const clv_allocator *allocator;
  BASE_ARRAY(char) bytes;         // the file; names point into it
  BASE_ARRAY(const char *) names; // of the columns
  BASE_ARRAY(double) values;      // row by row
  uint32_t rows;
} result_csv;

clv_result result_csv_read(result_csv *csv, const char *path, const clv_allocator *allocator, clv_error *error);
void result_csv_free(result_csv *csv);

static inline double result_csv_value(const result_csv *csv, uint32_t row, uint32_t column) {
  return csv->values.data[(size_t)row * csv->names.count + column];
}

#endif
