// Series: the frames that a run has left in its directory, found by its PVD files.

#include "result/disk.h"

#include "cleave/io.h"
#include "cleave/result.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { NAME_SIZE = 256, MOST_BYTES = 256 << 20 };

typedef struct series_frame {
  double time;
  char file[NAME_SIZE];
} series_frame;

typedef struct series_body {
  char name[NAME_SIZE];
  BASE_ARRAY(series_frame) frames;
} series_body;

struct clv_series {
  clv_allocator allocator;
  char *directory;
  BASE_ARRAY(series_body) bodies; // in order of name
};

// Lists

static const struct {
  const char *escaped;
  char letter;
} entities[] = {{"&amp;", '&'}, {"&lt;", '<'}, {"&gt;", '>'}, {"&quot;", '"'}, {"&apos;", '\''}};

// The value of an attribute behind `at`, before `end`; false when there is none, or it is too long.
static bool read_attribute(const char *at, const char *end, const char *name, char value[NAME_SIZE]) {
  const char *found = strstr(at, name);
  size_t length = 0;
  if (!found || found >= end) return false;
  for (found += strlen(name); *found && *found != '"' && length + 1 < NAME_SIZE; length++) {
    size_t k = 0, count = sizeof entities / sizeof *entities;
    while (k < count && strncmp(found, entities[k].escaped, strlen(entities[k].escaped)) != 0) k++;
    value[length] = k < count ? entities[k].letter : *found;
    found += k < count ? strlen(entities[k].escaped) : 1;
  }
  value[length] = '\0';
  return *found == '"';
}

static clv_result read_list(const clv_series *series, series_body *body, const char *path, const char *text,
                            clv_error *error) {
  for (const char *at = strstr(text, "<DataSet"); at; at = strstr(at + 1, "<DataSet")) {
    const char *end = strchr(at, '>');
    char time[NAME_SIZE];
    series_frame frame;
    if (!end || !read_attribute(at, end, "timestep=\"", time) || !read_attribute(at, end, "file=\"", frame.file))
      return clv_error_set(error, CLV_ERROR_INPUT, "%s: not a list of frames as 'cleave run' writes it", path);
    // A list names files of its own directory, and no others are opened.
    if (strchr(frame.file, '/'))
      return clv_error_set(error, CLV_ERROR_INPUT, "%s: '%s' is not a file of this directory", path, frame.file);
    frame.time = strtod(time, NULL);
    if (!BASE_RESERVE(&series->allocator, &body->frames, (uint64_t)body->frames.count + 1))
      return result_memory_error(error, path);
    body->frames.data[body->frames.count++] = frame;
  }
  return CLV_OK;
}

// The whole file, ended by a zero; NULL on failure.
static char *read_file(const clv_allocator *allocator, const char *path, size_t *size, clv_error *error) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    result_system_error(error, path, errno);
    return NULL;
  }
  const long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  char *text = NULL;
  if (length < 0 || length > MOST_BYTES || fseek(file, 0, SEEK_SET) != 0) {
    clv_error_set(error, CLV_ERROR_INPUT, "%s: cannot be read as a list of frames", path);
  } else {
    *size = (size_t)length + 1;
    text = base_allocate(allocator, *size);
    if (!text) result_memory_error(error, path);
  }
  if (text) text[fread(text, 1, (size_t)length, file)] = '\0';
  fclose(file);
  return text;
}

static clv_result add_body(clv_series *series, const char *file, clv_error *error) {
  const result_path path = result_path_join(series->directory, file);
  const size_t length = strlen(file) - strlen(".pvd");
  if (!BASE_RESERVE(&series->allocator, &series->bodies, (uint64_t)series->bodies.count + 1))
    return result_memory_error(error, path.text);
  series_body *body = &series->bodies.data[series->bodies.count++];
  *body = (series_body){.name = ""};
  memcpy(body->name, file, length);
  size_t size = 0;
  clv_error trouble = {CLV_OK, ""};
  char *text = read_file(&series->allocator, path.text, &size, &trouble);
  if (!text) return clv_error_set(error, trouble.code, "%s", trouble.message);
  const clv_result result = read_list(series, body, path.text, text, error);
  base_free(&series->allocator, text, size);
  return result;
}

static bool is_list(const char *file) {
  const size_t length = strlen(file);
  return length > 4 && length < NAME_SIZE && strcmp(file + length - 4, ".pvd") == 0;
}

static int compare_bodies(const void *left, const void *right) {
  return strcmp(((const series_body *)left)->name, ((const series_body *)right)->name);
}

static clv_result find_bodies(clv_series *series, clv_error *error) {
  DIR *directory = opendir(series->directory);
  if (!directory) return result_system_error(error, series->directory, errno);
  clv_result result = CLV_OK;
  const struct dirent *entry;
  while (result == CLV_OK && (entry = readdir(directory)))
    if (is_list(entry->d_name)) result = add_body(series, entry->d_name, error);
  closedir(directory);
  if (result != CLV_OK) return result;
  if (!series->bodies.data || clv_series_frames(series) == 0)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: no frames here; 'cleave run' writes BODY.pvd and its .vtu files",
                         series->directory);
  qsort(series->bodies.data, series->bodies.count, sizeof *series->bodies.data, compare_bodies);
  return CLV_OK;
}

// Opening

clv_series *clv_series_open(const char *directory, const clv_allocator *allocator, clv_error *error) {
  const clv_allocator from = allocator ? *allocator : clv_default_allocator();
  clv_series *series = base_allocate(&from, sizeof *series);
  char *copy = base_allocate(&from, strlen(directory) + 1);
  if (series) *series = (clv_series){.allocator = from, .directory = copy};
  if (copy) memcpy(copy, directory, strlen(directory) + 1);
  const clv_result result = series && copy ? find_bodies(series, error) : result_memory_error(error, directory);
  if (result == CLV_OK) return series;
  if (series) {
    clv_series_close(series);
  } else {
    base_free(&from, copy, strlen(directory) + 1);
  }
  return NULL;
}

void clv_series_close(clv_series *series) {
  if (!series) return;
  const clv_allocator allocator = series->allocator;
  for (uint32_t b = 0; b < series->bodies.count; b++) BASE_RELEASE(&allocator, &series->bodies.data[b].frames);
  BASE_RELEASE(&allocator, &series->bodies);
  if (series->directory) base_free(&allocator, series->directory, strlen(series->directory) + 1);
  base_free(&allocator, series, sizeof *series);
}

uint32_t clv_series_bodies(const clv_series *series) {
  return series->bodies.count;
}

const char *clv_series_body_name(const clv_series *series, uint32_t body) {
  return body < series->bodies.count ? series->bodies.data[body].name : NULL;
}

uint32_t clv_series_frames(const clv_series *series) {
  uint32_t least = series->bodies.count ? UINT32_MAX : 0;
  for (uint32_t b = 0; b < series->bodies.count; b++)
    least = series->bodies.data[b].frames.count < least ? series->bodies.data[b].frames.count : least;
  return least;
}

double clv_series_time(const clv_series *series, uint32_t frame) {
  return frame < clv_series_frames(series) ? series->bodies.data[0].frames.data[frame].time : 0;
}

clv_result clv_series_read(const clv_series *series, uint32_t frame, uint32_t body, clv_mesh *mesh, clv_error *error) {
  if (body >= series->bodies.count || frame >= clv_series_frames(series))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: there is no frame %u of body %u", series->directory, frame,
                         body);
  const result_path path = result_path_join(series->directory, series->bodies.data[body].frames.data[frame].file);
  return clv_mesh_read(mesh, path.text, error);
}
