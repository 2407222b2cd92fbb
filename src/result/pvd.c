// VTU series. See pvd.h.

#include "result/pvd.h"

#include "cleave/io.h"

#include <dirent.h>
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>

enum { FRAME_NAME_SIZE = 512, FRAME_DIGITS = 6 };

void result_pvd_init(result_pvd *pvd, const clv_allocator *allocator, const char *directory, const char *name) {
  *pvd = (result_pvd){.allocator = allocator, .directory = directory, .name = name};
  result_text_init(&pvd->text, allocator);
}

void result_pvd_free(result_pvd *pvd) {
  BASE_RELEASE(pvd->allocator, &pvd->times);
  result_text_free(&pvd->text);
}

static void frame_name(const result_pvd *pvd, uint32_t frame, char name[FRAME_NAME_SIZE]) {
  snprintf(name, FRAME_NAME_SIZE, "%s_%0*u.vtu", pvd->name, FRAME_DIGITS, frame);
}

static result_path list_path(const result_pvd *pvd) {
  char name[FRAME_NAME_SIZE];
  snprintf(name, sizeof name, "%s.pvd", pvd->name);
  return result_path_join(pvd->directory, name);
}

static clv_result write_list(result_pvd *pvd, clv_error *error) {
  const result_path path = list_path(pvd);
  result_text *text = &pvd->text;
  result_text_empty(text);
  result_put(text, "<?xml version=\"1.0\"?>\n<VTKFile type=\"Collection\" version=\"0.1\">\n  <Collection>\n");
  for (uint32_t k = 0; k < pvd->times.count; k++) {
    char name[FRAME_NAME_SIZE];
    frame_name(pvd, k, name);
    result_put(text, "    <DataSet timestep=\"");
    result_put_real(text, pvd->times.data[k]);
    result_put(text, "\" part=\"0\" file=\"");
    result_put_xml(text, name);
    result_put(text, "\"/>\n");
  }
  result_put(text, "  </Collection>\n</VTKFile>\n");
  if (text->failed) return result_memory_error(error, path.text);
  return result_replace_file(path.text, text->data, text->count, RESULT_ATOMIC, error);
}

clv_result result_pvd_add(result_pvd *pvd, double time, const clv_mesh *mesh, clv_error *error) {
  char name[FRAME_NAME_SIZE];
  frame_name(pvd, pvd->times.count, name);
  const result_path path = result_path_join(pvd->directory, name);
  if (!BASE_RESERVE(pvd->allocator, &pvd->times, (uint64_t)pvd->times.count + 1))
    return result_memory_error(error, path.text);
  clv_result result = clv_mesh_write(mesh, path.text, "vtu", error);
  if (result != CLV_OK) return result;
  pvd->times.data[pvd->times.count++] = time;
  result = write_list(pvd, error);
  if (result != CLV_OK) pvd->times.count--;
  return result;
}

// The number of a frame of this series, by the name of its file; false for other files.
static bool is_frame(const result_pvd *pvd, const char *file, unsigned long *frame) {
  const size_t length = strlen(pvd->name);
  if (strncmp(file, pvd->name, length) != 0 || file[length] != '_') return false;
  const char *digits = file + length + 1;
  const size_t count = strspn(digits, "0123456789");
  if (count < FRAME_DIGITS || count > 10 || strncmp(digits + count, ".vtu", 4) != 0) return false;
  const char *rest = digits + count + 4;
  // What a writer that was killed left beside a frame is of no frame.
  const bool part = strlen(rest) > 5 && strcmp(rest + strlen(rest) - 5, ".part") == 0;
  *frame = part ? UINT32_MAX : strtoul(digits, NULL, 10);
  return part || !*rest;
}

static clv_result remove_frames(const result_pvd *pvd, uint32_t from, clv_error *error) {
  DIR *directory = opendir(pvd->directory);
  if (!directory) return result_system_error(error, pvd->directory, errno);
  clv_result result = CLV_OK;
  const struct dirent *entry;
  unsigned long frame;
  while (result == CLV_OK && (entry = readdir(directory))) {
    if (is_frame(pvd, entry->d_name, &frame) && frame >= from)
      result = result_remove_file(result_path_join(pvd->directory, entry->d_name).text, error);
  }
  closedir(directory);
  return result;
}

clv_result result_pvd_resume(result_pvd *pvd, const double *times, uint32_t count, clv_error *error) {
  const result_path path = list_path(pvd);
  if (!BASE_RESERVE(pvd->allocator, &pvd->times, count)) return result_memory_error(error, path.text);
  if (count) memcpy(pvd->times.data, times, count * sizeof *times);
  pvd->times.count = count;
  // The list goes first: it never names a file that is gone.
  const clv_result result = count ? write_list(pvd, error) : result_remove_file(path.text, error);
  return result == CLV_OK ? remove_frames(pvd, count, error) : result;
}
