// See body.h.

#include "body.h"

#include <sys/stat.h>
#include <unistd.h>

enum { LARGE_FILE = 64 << 20, LARGE_MESH = 500000, LONG_SECONDS = 2 }; // bytes, elements

static double seconds_since(struct timespec then) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - then.tv_sec) + 1e-9 * (double)(now.tv_nsec - then.tv_nsec);
}

void cli_body_stage(const cli_body *body, const char *what) {
  const double seconds = seconds_since(body->started);
  if ((body->large || seconds > LONG_SECONDS) && isatty(STDERR_FILENO)) {
    fprintf(stderr, "cleave: %s: %s (after %.1f s)\n", body->path, what, seconds);
  }
}

static void start(cli_body *body, const char *path) {
  struct stat status;
  *body = (cli_body){.path = path};
  body->large = stat(path, &status) == 0 && status.st_size > LARGE_FILE;
  clock_gettime(CLOCK_MONOTONIC, &body->started);
  clv_mesh_init(&body->mesh, NULL);
}

static int load(cli_body *body, bool merge_points) {
  clv_error error = {0};
  cli_body_stage(body, "reading");
  if (clv_mesh_read(&body->mesh, body->path, &error)) return cli_failed(error.message);
  clv_build_def def = clv_default_build_def();
  def.merge_points = merge_points;
  body->large |= body->mesh.element_count > LARGE_MESH;
  cli_body_stage(body, "building the map");
  if (clv_mesh_build(&body->mesh, &def, &body->map, &body->report, &error)) {
    fprintf(stderr, "%s: ", body->path);
    return cli_failed(error.message);
  }
  return CLI_OK;
}

int cli_body_load(cli_body *body, const char *path, bool merge_points) {
  start(body, path);
  const int result = load(body, merge_points);
  if (result != CLI_OK) cli_body_free(body);
  return result;
}

void cli_body_free(cli_body *body) {
  if (body->map) clv_map_destroy(body->map);
  body->map = NULL;
  clv_mesh_free(&body->mesh);
}
