// CSV files. See plot_csv.h.

#include "result/plot_csv.h"
#include "result/disk.h"

#include <errno.h>
#include <fcntl.h>
#include <locale.h>
#include <stdlib.h>
#include <unistd.h>

void result_csv_free(result_csv *csv) {
  BASE_RELEASE(csv->allocator, &csv->bytes);
  BASE_RELEASE(csv->allocator, &csv->names);
  BASE_RELEASE(csv->allocator, &csv->values);
}

static clv_result read_bytes(result_csv *csv, const char *path, clv_error *error) {
  const int descriptor = open(path, O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) return result_system_error(error, path, errno);
  clv_result result = CLV_OK;
  for (;;) {
    if (!BASE_RESERVE(csv->allocator, &csv->bytes, (uint64_t)csv->bytes.count + 65536)) {
      result = result_memory_error(error, path);
      break;
    }
    const ssize_t got = read(descriptor, csv->bytes.data + csv->bytes.count, 65535);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) result = result_system_error(error, path, errno);
    if (got <= 0) break;
    csv->bytes.count += (uint32_t)got;
  }
  close(descriptor);
  if (result == CLV_OK) csv->bytes.data[csv->bytes.count] = '\0';
  return result;
}

// The next line, ended by a zero in place of its break; NULL behind the last.
static char *take_line(result_csv *csv, char **at) {
  char *line = *at, *end = csv->bytes.data + csv->bytes.count;
  if (line >= end) return NULL;
  char *stop = memchr(line, '\n', (size_t)(end - line));
  *at = stop ? stop + 1 : end;
  if (stop) *stop = '\0';
  const size_t length = strlen(line);
  if (length && line[length - 1] == '\r') line[length - 1] = '\0';
  return line;
}

// The next field of a line, without the blanks and quotation marks about it; NULL behind the last.
static char *take_field(char **at) {
  char *field = *at;
  if (!field) return NULL;
  char *comma = strchr(field, ',');
  *at = comma ? comma + 1 : NULL;
  if (comma) *comma = '\0';
  field += strspn(field, " \t\"");
  for (size_t length = strlen(field); length && strchr(" \t\"", field[length - 1]); length--) field[length - 1] = '\0';
  return field;
}

static clv_result read_names(result_csv *csv, const char *path, char *line, clv_error *error) {
  const char *name;
  char *at = line;
  if (!line || !*line) return clv_error_set(error, CLV_ERROR_INPUT, "%s:1: names of columns are expected here", path);
  if (!result_is_utf8(line))
    return clv_error_set(error, CLV_ERROR_INPUT, "%s:1: names of columns are UTF-8 text; this is none", path);
  while ((name = take_field(&at))) {
    const uint32_t number = csv->names.count;
    if (!*name) return clv_error_set(error, CLV_ERROR_INPUT, "%s:1: column %u has no name", path, number + 1);
    for (uint32_t k = 0; k < number; k++) {
      if (strcmp(csv->names.data[k], name) == 0)
        return clv_error_set(error, CLV_ERROR_INPUT, "%s:1: two columns are called '%.60s'", path, name);
    }
    if (!BASE_RESERVE(csv->allocator, &csv->names, (uint64_t)number + 1)) return result_memory_error(error, path);
    csv->names.data[csv->names.count++] = name;
  }
  return CLV_OK;
}

static clv_result read_row(result_csv *csv, const char *path, unsigned number, char *line, clv_error *error) {
  const uint32_t columns = csv->names.count;
  const uint64_t start = (uint64_t)csv->rows * columns;
  if (!BASE_RESERVE(csv->allocator, &csv->values, start + columns)) return result_memory_error(error, path);
  uint32_t count = 0;
  const char *field;
  char *at = line;
  for (; (field = take_field(&at)); count++) {
    char *end;
    const double value = strtod(field, &end);
    if (end == field || *end)
      return clv_error_set(error, CLV_ERROR_INPUT, "%s:%u: '%.60s' is no number%s%.60s%s", path, number, field,
                           count < columns ? " (in column '" : "", count < columns ? csv->names.data[count] : "",
                           count < columns ? "')" : "");
    if (count < columns) csv->values.data[start + count] = value;
  }
  if (count != columns)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s:%u: has %u numbers, but line 1 names %u columns", path, number,
                         count, columns);
  csv->rows++;
  return CLV_OK;
}

static clv_result read_lines(result_csv *csv, const char *path, clv_error *error) {
  char *at = csv->bytes.data, *line;
  if (memchr(at, '\0', csv->bytes.count))
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: is no text: it has zero bytes", path);
  clv_result result = read_names(csv, path, take_line(csv, &at), error);
  for (unsigned number = 2; result == CLV_OK && (line = take_line(csv, &at)); number++) {
    if (*line) result = read_row(csv, path, number, line, error);
  }
  return result;
}

clv_result result_csv_read(result_csv *csv, const char *path, const clv_allocator *allocator, clv_error *error) {
  *csv = (result_csv){.allocator = allocator};
  clv_result result = read_bytes(csv, path, error);
  const locale_t c = newlocale(LC_ALL_MASK, "C", (locale_t)0); // numbers have points, whatever the user's locale says
  if (result == CLV_OK && c == (locale_t)0) result = result_memory_error(error, path);
  if (result == CLV_OK) {
    const locale_t before = uselocale(c);
    result = read_lines(csv, path, error);
    uselocale(before);
  }
  if (c != (locale_t)0) freelocale(c);
  if (result != CLV_OK) result_csv_free(csv);
  return result;
}
