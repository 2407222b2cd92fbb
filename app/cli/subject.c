// Subjects. See subject.h.

#include "subject.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

bool cli_is_directory(const char *path) {
  struct stat status;
  return stat(path, &status) == 0 && S_ISDIR(status.st_mode);
}

bool cli_is_scene(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && (strcmp(ending, ".yaml") == 0 || strcmp(ending, ".yml") == 0);
}

clv_mesh *cli_subject_room(cli_subject *subject, uint32_t count) {
  clv_mesh *meshes = calloc(count, sizeof *meshes);
  subject->meshes = calloc(count, sizeof *subject->meshes);
  if (!meshes || !subject->meshes) {
    free(meshes);
    return NULL;
  }
  for (uint32_t k = 0; k < count; k++) {
    clv_mesh_init(&meshes[k], NULL);
    subject->meshes[k] = &meshes[k];
  }
  subject->count = count;
  return meshes;
}

void cli_subject_free(cli_subject *subject) {
  clv_mesh *meshes = NULL; // made here, though shown as constant
  if (subject->count) memcpy(&meshes, &subject->meshes[0], sizeof meshes);
  for (uint32_t k = 0; k < subject->count; k++) clv_mesh_free(&meshes[k]);
  free(meshes);
  free(subject->meshes);
  *subject = (cli_subject){.meshes = NULL};
}

static int open_file(cli_subject *subject, const char *path) {
  clv_error error = {0};
  clv_mesh *mesh = cli_subject_room(subject, 1);
  if (!mesh) return cli_failed("out of memory");
  subject->time = NAN;
  return clv_mesh_read(mesh, path, &error) == CLV_OK ? CLI_OK : cli_failed(error.message);
}

int cli_subject_frame(cli_subject *subject, const clv_series *series, uint32_t frame) {
  clv_error error = {0};
  clv_mesh *meshes = cli_subject_room(subject, clv_series_bodies(series));
  if (!meshes) return cli_failed("out of memory");
  subject->time = clv_series_time(series, frame);
  for (uint32_t b = 0; b < subject->count; b++)
    if (clv_series_read(series, frame, b, &meshes[b], &error) != CLV_OK) return cli_failed(error.message);
  return CLI_OK;
}

static int open_run(cli_subject *subject, const char *path, double time) {
  clv_error error = {0};
  clv_series *series = clv_series_open(path, NULL, &error);
  if (!series) return cli_failed(error.message);
  uint32_t nearest = clv_series_frames(series) - 1;
  for (uint32_t k = clv_series_frames(series); isfinite(time) && k-- > 0;)
    if (fabs(clv_series_time(series, k) - time) <= fabs(clv_series_time(series, nearest) - time)) nearest = k;
  const int result = cli_subject_frame(subject, series, nearest);
  clv_series_close(series);
  return result;
}

int cli_subject_world(cli_subject *subject, const clv_world *world) {
  clv_error error = {0};
  clv_mesh *meshes = cli_subject_room(subject, clv_world_bodies(world));
  if (!meshes) return cli_failed("out of memory");
  subject->time = clv_world_time(world);
  for (uint32_t b = 0; b < subject->count; b++)
    if (clv_frame_extract(&meshes[b], world, b, &error) != CLV_OK) return cli_failed(error.message);
  return CLI_OK;
}

static int open_scene(cli_subject *subject, const char *path, double time) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_read(path, NULL, &error);
  clv_world *world = scene ? clv_scene_world(scene, 0, &error) : NULL;
  int result = world ? CLI_OK : cli_failed(error.message);
  const double until = world && !isfinite(time) ? clv_scene_until(scene) : time;
  const double step = world ? clv_world_get_step(world) : 1;
  while (result == CLI_OK && clv_world_time(world) + 0.5 * step < until)
    if (clv_world_step(world, NULL) != CLV_OK) result = cli_failed(clv_world_error(world));
  if (result == CLI_OK) result = cli_subject_world(subject, world);
  clv_world_destroy(world);
  clv_scene_destroy(scene);
  return result;
}

int cli_subject_open(cli_subject *subject, const char *path, double time) {
  *subject = (cli_subject){.meshes = NULL};
  if (cli_is_directory(path)) return open_run(subject, path, time);
  return cli_is_scene(path) ? open_scene(subject, path, time) : open_file(subject, path);
}
