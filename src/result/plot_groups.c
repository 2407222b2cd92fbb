// Panels. See plot_groups.h.

#include "result/plot_groups.h"
#include "result/disk.h"

#include <stdio.h>

typedef struct rule {
  const char *word; // a whole name, "prefix." or ".suffix"
  result_quantity quantity;
} rule;

static bool fits(const char *column, const char *word) {
  const size_t length = strlen(column), size = strlen(word);
  if (word[0] == '.') return length > size && strcmp(column + length - size, word) == 0;
  if (word[size - 1] == '.') return strncmp(column, word, size) == 0;
  return strcmp(column, word) == 0;
}

result_quantity result_quantity_of(const char *column) {
  static const rule rules[] = {
      {"time", {"time", "s"}},
      {"kinetic", {"energy", "J"}},
      {"elastic", {"energy", "J"}},
      {"gravitational", {"energy", "J"}},
      {"total", {"energy", "J"}},
      {"momentum.", {"momentum", "kg m/s"}},
      {"angular.", {"angular momentum", "kg m\u00b2/s"}},
      {".x", {"position", "m"}},
      {".y", {"position", "m"}},
      {".z", {"position", "m"}},
      {".dx", {"displacement", "m"}},
      {".dy", {"displacement", "m"}},
      {".dz", {"displacement", "m"}},
      {".vx", {"velocity", "m/s"}},
      {".vy", {"velocity", "m/s"}},
      {".vz", {"velocity", "m/s"}},
      {".fx", {"force", "N"}},
      {".fy", {"force", "N"}},
      {".fz", {"force", "N"}},
      {".stress", {"stress", "Pa"}},
  };
  for (size_t k = 0; k < sizeof rules / sizeof *rules; k++) {
    if (fits(column, rules[k].word)) return rules[k].quantity;
  }
  return (result_quantity){"", ""};
}

void result_groups_free(result_groups *groups, const clv_allocator *allocator) {
  for (uint32_t g = 0; g < groups->count; g++) BASE_RELEASE(allocator, &groups->data[g].columns);
  BASE_RELEASE(allocator, groups);
}

static clv_result add_column(result_groups *groups, const result_csv *csv, uint32_t column) {
  const result_quantity quantity = result_quantity_of(csv->names.data[column]);
  uint32_t g = 0;
  while (g < groups->count && strcmp(groups->data[g].quantity.name, quantity.name) != 0) g++;
  if (g == groups->count) {
    if (!BASE_RESERVE(csv->allocator, groups, (uint64_t)g + 1)) return CLV_ERROR_MEMORY;
    groups->data[groups->count++] = (result_group){.quantity = quantity};
  }
  result_group *group = &groups->data[g];
  if (!BASE_RESERVE(csv->allocator, &group->columns, (uint64_t)group->columns.count + 1)) return CLV_ERROR_MEMORY;
  group->columns.data[group->columns.count++] = column;
  return CLV_OK;
}

// "there is no column 'x'; there are a, b, c"
static clv_result unknown_column(const result_csv *csv, const char *path, const char *name, clv_error *error) {
  char names[600];
  size_t at = 0;
  names[0] = '\0';
  for (uint32_t k = 1; k < csv->names.count && at + 80 < sizeof names; k++)
    at += (size_t)snprintf(names + at, sizeof names - at, "%s%.60s", k > 1 ? ", " : "", csv->names.data[k]);
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: has no column '%.60s'; those to draw are %s", path, name, names);
}

static clv_result add_named(result_groups *groups, const result_csv *csv, const char *path, const char *name,
                            clv_error *error) {
  uint32_t column = 1;
  while (column < csv->names.count && strcmp(csv->names.data[column], name) != 0) column++;
  if (column == csv->names.count) return unknown_column(csv, path, name, error);
  return add_column(groups, csv, column) == CLV_OK ? CLV_OK : result_memory_error(error, path);
}

clv_result result_groups_make(result_groups *groups, const result_csv *csv, const char *path,
                              const char *const *columns, uint32_t count, clv_error *error) {
  *groups = (result_groups){.count = 0};
  clv_result result = CLV_OK;
  if (csv->names.count < 2)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s:1: has one column alone; there is nothing to draw over it", path);
  if (columns) {
    for (uint32_t k = 0; result == CLV_OK && k < count; k++) result = add_named(groups, csv, path, columns[k], error);
  } else {
    for (uint32_t k = 1; result == CLV_OK && k < csv->names.count; k++)
      result = add_column(groups, csv, k) == CLV_OK ? CLV_OK : result_memory_error(error, path);
  }
  if (result != CLV_OK) result_groups_free(groups, csv->allocator);
  return result;
}
