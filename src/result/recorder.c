// The recorder: what is written when. See recorder.h.

#include "result/recorder.h"
#include "result/frame.h"

#include <math.h>
#include <stdio.h>

clv_recorder_def clv_default_recorder_def(void) {
  return (clv_recorder_def){.vtu = true,
                            .frame_every = 1.0 / 25,
                            .checkpoint_every = (double)INFINITY,
                            .threads = 1,
                            .allocator = clv_default_allocator()};
}

// Making and closing

static void destroy(clv_recorder *r) {
  const clv_allocator allocator = r->allocator;
  for (uint32_t b = 0; b < r->body_count; b++) {
    result_vtkhdf_close(r->bodies[b].vtkhdf, NULL);
    result_pvd_free(&r->bodies[b].pvd);
  }
  base_free(&allocator, r->bodies, r->body_count * sizeof *r->bodies);
  result_log_close(&r->energies_log, NULL);
  result_log_close(&r->probes_log, NULL);
  result_probes_free(&r->probes);
  base_pool_destroy(r->pool);
  BASE_RELEASE(&allocator, &r->times);
  result_text_free(&r->row);
  result_text_free(&r->settings);
  char *const texts[] = {r->directory, r->title, r->scene};
  for (int k = 0; k < 3; k++) {
    if (texts[k]) base_free(&allocator, texts[k], strlen(texts[k]) + 1);
  }
  base_free(&allocator, r, sizeof *r);
}

// A copy of a text that may be NULL. False when memory is out.
static bool own(const clv_allocator *allocator, const char *text, char **copy) {
  *copy = text ? base_allocate(allocator, strlen(text) + 1) : NULL;
  if (*copy) memcpy(*copy, text, strlen(text) + 1);
  return *copy || !text;
}

// A body's name is that of its files.
static clv_result check_names(const clv_world *world, clv_error *error) {
  for (uint32_t b = 0; b < clv_world_bodies(world); b++) {
    const char *name = clv_world_body_name(world, b);
    if (!*name || *name == '.' || strchr(name, '/') || strlen(name) > 200)
      return clv_error_set(error, CLV_ERROR_ARGUMENT,
                           "body '%.60s' cannot give its name to files: no slash, no point at the start, not too long",
                           name);
    for (uint32_t other = 0; other < b; other++) {
      if (strcmp(name, clv_world_body_name(world, other)) == 0)
        return clv_error_set(error, CLV_ERROR_ARGUMENT, "two bodies are called '%s': their files would be the same",
                             name);
    }
  }
  return CLV_OK;
}

static clv_result check_def(const clv_recorder_def *def, clv_error *error) {
  if (!def->directory || !*def->directory)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "a recorder needs a directory");
  const double times[] = {def->frame_every, def->row_every, def->checkpoint_every};
  for (int k = 0; k < 3; k++) {
    if (!(times[k] >= 0))
      return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: times between %s must be 0 s or more", def->directory,
                           k == 0   ? "frames"
                           : k == 1 ? "rows"
                                    : "checkpoints");
  }
  return CLV_OK;
}

static clv_result make_bodies(clv_recorder *r, clv_error *error) {
  const uint32_t count = clv_world_bodies(r->world);
  r->bodies = count ? base_allocate(&r->allocator, count * sizeof *r->bodies) : NULL;
  if (count && !r->bodies) return result_memory_error(error, r->def.directory);
  for (; r->body_count < count; r->body_count++) {
    result_body *body = &r->bodies[r->body_count];
    const char *name = clv_world_body_name(r->world, r->body_count);
    char file[256];
    snprintf(file, sizeof file, "%s.vtkhdf", name);
    body->vtkhdf = NULL;
    body->vtkhdf_path = result_path_join(r->def.directory, file);
    result_pvd_init(&body->pvd, &r->allocator, r->def.directory, name);
  }
  return CLV_OK;
}

// What must be the same when a run is resumed, as a text that can be shown.
static void put_settings(clv_recorder *r) {
  result_text *text = &r->settings;
  const clv_recorder_def *def = &r->def;
  result_putf(text, "%s%sframe every ", def->vtu ? "vtu, " : "", def->vtkhdf ? "vtkhdf, " : "");
  result_put_real(text, def->frame_every);
  result_put(text, " s, row every ");
  result_put_real(text, def->row_every);
  result_put(text, " s, bodies");
  for (uint32_t b = 0; b < clv_world_bodies(r->world); b++) {
    result_put(text, " ");
    result_put(text, clv_world_body_name(r->world, b));
  }
  result_put(text, ", probes");
  for (uint32_t k = 0; k < r->probes.list.count; k++) {
    result_put(text, " ");
    result_put(text, r->probes.list.data[k].name);
  }
}

static clv_result prepare(clv_recorder *r, const clv_recorder_def *def, clv_error *error) {
  if (!own(&r->allocator, def->directory, &r->directory) || !own(&r->allocator, def->title, &r->title) ||
      !own(&r->allocator, def->scene, &r->scene))
    return result_memory_error(error, def->directory);
  r->def.directory = r->directory;
  r->def.title = r->title;
  r->def.scene = r->scene;
  clv_result result = result_make_directory(r->def.directory, error);
  if (result == CLV_OK)
    result = result_probes_init(&r->probes, r->world, def->probes, def->probe_count, &r->allocator, error);
  if (result == CLV_OK) result = make_bodies(r, error);
  if (result != CLV_OK) return result;
  if (def->threads > 1) r->pool = base_pool_create(&r->allocator, def->threads);
  if (def->threads > 1 && !r->pool) return result_memory_error(error, r->def.directory);
  r->energies_path = result_path_join(r->def.directory, "energies.csv");
  r->probes_path = result_path_join(r->def.directory, "probes.csv");
  r->checkpoint_path = result_path_join(r->def.directory, "checkpoint.h5");
  r->run_path = result_path_join(r->def.directory, "run.json");
  put_settings(r);
  return r->settings.failed ? result_memory_error(error, r->def.directory) : CLV_OK;
}

static clv_recorder *make(clv_world *world, const clv_recorder_def *def, clv_error *error) {
  if (check_def(def, error) != CLV_OK || check_names(world, error) != CLV_OK) return NULL;
  clv_recorder *r = base_allocate(&def->allocator, sizeof *r);
  if (!r) {
    result_memory_error(error, def->directory);
    return NULL;
  }
  *r = (clv_recorder){.allocator = def->allocator,
                      .world = world,
                      .def = *def,
                      .energies_log.descriptor = -1,
                      .probes_log.descriptor = -1,
                      .checkpoint_step = UINT64_MAX,
                      .start = result_clock()};
  r->def.probes = NULL;
  result_date(r->started);
  result_text_init(&r->row, &r->allocator);
  result_text_init(&r->settings, &r->allocator);
  r->probes.allocator = &r->allocator;
  if (prepare(r, def, error) == CLV_OK) return r;
  destroy(r);
  return NULL;
}

// Rows and frames

static clv_result add_rows(clv_recorder *r, clv_error *error) {
  r->progress.row_step = clv_world_steps(r->world);
  result_text_empty(&r->row);
  clv_result result = result_energies_row(&r->row, r->world, error);
  if (result == CLV_OK) result = result_log_add(&r->energies_log, &r->row, error);
  if (result != CLV_OK || !result_probes_any(&r->probes)) return result;
  result_text_empty(&r->row);
  result = result_probes_row(&r->probes, &r->row, r->world, error);
  return result == CLV_OK ? result_log_add(&r->probes_log, &r->row, error) : result;
}

// VTU files leave regions out when there is none; readers of a series like to find the same fields in every frame.
static clv_result name_regions(clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    if (mesh->tags[e]) return CLV_OK;
  }
  return clv_mesh_add_field(mesh, "region", CLV_ON_ELEMENTS, 1, NULL);
}

static clv_result add_body_frame(clv_recorder *r, uint32_t number, clv_error *error) {
  result_body *body = &r->bodies[number];
  const double time = clv_world_time(r->world);
  clv_mesh mesh;
  clv_mesh_init(&mesh, &r->allocator);
  clv_result result = result_frame_extract(&mesh, r->world, number, r->pool, error);
  if (result == CLV_OK && r->def.vtkhdf) result = result_vtkhdf_add(body->vtkhdf, time, &mesh, error);
  if (result == CLV_OK && r->def.vtu && name_regions(&mesh) != CLV_OK)
    result = result_memory_error(error, r->def.directory);
  if (result == CLV_OK && r->def.vtu) result = result_pvd_add(&body->pvd, time, &mesh, error);
  clv_mesh_free(&mesh);
  return result;
}

static clv_result add_frame(clv_recorder *r, clv_error *error) {
  if (!r->def.vtu && !r->def.vtkhdf) return CLV_OK;
  if (!BASE_RESERVE(&r->allocator, &r->times, (uint64_t)r->times.count + 1))
    return result_memory_error(error, r->def.directory);
  clv_result result = CLV_OK;
  for (uint32_t b = 0; result == CLV_OK && b < r->body_count; b++) result = add_body_frame(r, b, error);
  if (result != CLV_OK) return result;
  r->times.data[r->times.count++] = clv_world_time(r->world);
  r->progress.frames++;
  r->progress.frame_step = clv_world_steps(r->world);
  return CLV_OK;
}

// A new run

static clv_result start_log(result_log *log, const char *path, const result_text *names, clv_error *error) {
  const clv_result result = result_log_create(log, path, error);
  return result == CLV_OK ? result_log_add(log, names, error) : result;
}

static clv_result start_logs(clv_recorder *r, clv_error *error) {
  result_text_empty(&r->row);
  result_energies_names(&r->row);
  clv_result result = start_log(&r->energies_log, r->energies_path.text, &r->row, error);
  if (result != CLV_OK || !result_probes_any(&r->probes)) return result;
  result_text_empty(&r->row);
  result_probes_names(&r->probes, &r->row);
  return start_log(&r->probes_log, r->probes_path.text, &r->row, error);
}

// What a run that was killed had written of its next checkpoint. (Other files are written again, and go the same way.)
static clv_result remove_unfinished(const clv_recorder *r, clv_error *error) {
  return result_remove_file(result_path_beside(r->checkpoint_path.text).text, error);
}

// The checkpoint goes first: what is left of the old run cannot be resumed once it is no longer whole.
static clv_result remove_old(clv_recorder *r, clv_error *error) {
  clv_result result = result_remove_file(r->checkpoint_path.text, error);
  if (result == CLV_OK) result = remove_unfinished(r, error);
  if (result == CLV_OK) result = result_remove_file(r->energies_path.text, error);
  if (result == CLV_OK) result = result_remove_file(r->probes_path.text, error);
  for (uint32_t b = 0; result == CLV_OK && b < r->body_count; b++) {
    result = result_pvd_resume(&r->bodies[b].pvd, NULL, 0, error);
    if (result == CLV_OK) result = result_remove_file(r->bodies[b].vtkhdf_path.text, error);
  }
  return result;
}

static clv_result start_run(clv_recorder *r, clv_error *error) {
  clv_result result = remove_old(r, error);
  if (result == CLV_OK) result = result_run_write(r, NULL, error);
  if (result == CLV_OK) result = start_logs(r, error);
  for (uint32_t b = 0; result == CLV_OK && r->def.vtkhdf && b < r->body_count; b++) {
    r->bodies[b].vtkhdf = result_vtkhdf_create(r->bodies[b].vtkhdf_path.text, &r->allocator, error);
    if (!r->bodies[b].vtkhdf) result = CLV_ERROR_MEMORY;
  }
  r->progress.next_frame = r->progress.next_row = r->progress.next_checkpoint = 1;
  if (result == CLV_OK) result = add_rows(r, error);
  if (result == CLV_OK) result = add_frame(r, error);
  // A run that keeps checkpoints can be resumed from its beginning on.
  if (result == CLV_OK && isfinite(r->def.checkpoint_every)) result = result_recorder_checkpoint(r, error);
  return result;
}

clv_recorder *clv_recorder_create(clv_world *world, const clv_recorder_def *def, clv_error *error) {
  clv_recorder *r = make(world, def, error);
  if (!r || start_run(r, error) == CLV_OK) return r;
  destroy(r);
  return NULL;
}

clv_recorder *clv_recorder_resume(clv_world *world, const clv_recorder_def *def, clv_error *error) {
  clv_recorder *r = make(world, def, error);
  if (!r) return NULL;
  clv_result result = result_recorder_take_back(r, error);
  if (result == CLV_OK) result = remove_unfinished(r, error);
  if (result == CLV_OK) result = result_run_write(r, NULL, error);
  if (result == CLV_OK) return r;
  destroy(r);
  return NULL;
}

// Steps

// Whether a multiple of `every` was reached since the last time; steps need not meet it exactly.
static bool is_due(double every, double time, uint64_t *next) {
  if (every <= 0) return true;
  if (isinf(every)) return false;
  const double reached = floor(time / every + 1e-9);
  if (reached < (double)*next) return false;
  *next = (uint64_t)reached + 1;
  return true;
}

clv_result clv_recorder_step(clv_recorder *recorder, clv_error *error) {
  clv_recorder *r = recorder;
  const double time = clv_world_time(r->world);
  clv_result result = CLV_OK;
  if (is_due(r->def.row_every, time, &r->progress.next_row)) result = add_rows(r, error);
  if (result == CLV_OK && is_due(r->def.frame_every, time, &r->progress.next_frame)) result = add_frame(r, error);
  if (result == CLV_OK && is_due(r->def.checkpoint_every, time, &r->progress.next_checkpoint))
    result = result_recorder_checkpoint(r, error);
  return result;
}

// The last checkpoint comes before the last frame and row, which are not due: a run that goes on takes them back, and
// is as if it had never stopped.
static clv_result finish(clv_recorder *r, const char *how, clv_error *error) {
  const uint64_t steps = clv_world_steps(r->world);
  clv_result result = r->checkpoint_step == steps ? CLV_OK : result_recorder_checkpoint(r, error);
  if (result == CLV_OK && r->progress.row_step != steps) result = add_rows(r, error);
  if (result == CLV_OK && r->progress.frame_step != steps) result = add_frame(r, error);
  if (result == CLV_OK) return result_run_write(r, how, error);
  result_run_write(r, how, NULL); // the first failure is the one to tell
  return result;
}

clv_result clv_recorder_close(clv_recorder *recorder, const char *how, clv_error *error) {
  if (!recorder) return CLV_OK;
  clv_result result = finish(recorder, how ? how : "finished", error);
  clv_error *rest = result == CLV_OK ? error : NULL;
  for (uint32_t b = 0; b < recorder->body_count; b++) {
    const clv_result closed = result_vtkhdf_close(recorder->bodies[b].vtkhdf, rest);
    recorder->bodies[b].vtkhdf = NULL;
    if (result == CLV_OK) result = closed;
  }
  result_log *const logs[] = {&recorder->energies_log, &recorder->probes_log};
  for (int k = 0; k < 2; k++) {
    const clv_result closed = result_log_close(logs[k], result == CLV_OK ? error : NULL);
    if (result == CLV_OK) result = closed;
  }
  destroy(recorder);
  return result;
}
