// Checkpoints of a run, and going on from one. See recorder.h.

#include "result/checkpoint.h"
#include "result/recorder.h"

#define PROGRESS_MAGIC UINT64_C(0x314e55524b564c43) // "CLVKRUN1"

typedef struct saved_progress {
  uint64_t magic;
  result_progress progress;
} saved_progress;

// What the checkpoint counts on is on the disk before it.
static clv_result sync_files(clv_recorder *r, clv_error *error) {
  clv_result result = result_log_sync(&r->energies_log, error);
  if (result == CLV_OK && result_probes_any(&r->probes)) result = result_log_sync(&r->probes_log, error);
  for (uint32_t b = 0; result == CLV_OK && b < r->body_count; b++) {
    if (r->bodies[b].vtkhdf) result = result_vtkhdf_sync(r->bodies[b].vtkhdf, error);
  }
  return result;
}

clv_result result_recorder_checkpoint(clv_recorder *recorder, clv_error *error) {
  clv_recorder *r = recorder;
  clv_result result = sync_files(r, error);
  if (result != CLV_OK) return result;
  saved_progress saved = {PROGRESS_MAGIC, r->progress};
  saved.progress.energies_size = r->energies_log.size;
  saved.progress.probes_size = r->probes_log.size;
  saved.progress.seconds += result_clock() - r->start;
  const result_block blocks[] = {
      {"progress", &saved, sizeof saved},
      {"times", r->times.data, r->times.count * sizeof *r->times.data},
      {"settings", r->settings.data, r->settings.count},
  };
  result = result_checkpoint_write(r->world, r->checkpoint_path.text, r->def.scene, blocks, 3, error);
  if (result == CLV_OK) r->checkpoint_step = clv_world_steps(r->world);
  return result;
}

// Taking back

static clv_result read_settings(clv_recorder *r, result_checkpoint *checkpoint, clv_error *error) {
  const void *data;
  size_t size;
  const clv_result result = result_checkpoint_block(checkpoint, "settings", &data, &size, error);
  if (result != CLV_OK) return result;
  if (size == r->settings.count && memcmp(data, r->settings.data, size) == 0) return CLV_OK;
  return clv_error_set(
      error, CLV_ERROR_INPUT,
      "%s: this run records '%.*s'; it cannot go on as '%.300s'. Ask for the same outputs, or start anew",
      r->checkpoint_path.text, (int)(size < 300 ? size : 300), (const char *)data, r->settings.data);
}

static clv_result read_progress(clv_recorder *r, result_checkpoint *checkpoint, clv_error *error) {
  const void *data;
  size_t size;
  saved_progress saved = {0};
  clv_result result = result_checkpoint_block(checkpoint, "progress", &data, &size, error);
  if (result == CLV_OK && size == sizeof saved) memcpy(&saved, data, sizeof saved);
  if (result == CLV_OK && saved.magic == PROGRESS_MAGIC)
    result = result_checkpoint_block(checkpoint, "times", &data, &size, error);
  else if (result == CLV_OK)
    result = clv_error_set(error, CLV_ERROR_INPUT, "%s: was made by another version of Cleave: start the run anew",
                           r->checkpoint_path.text);
  if (result != CLV_OK) return result;
  const size_t count = size / sizeof(double);
  if (count != saved.progress.frames || !BASE_RESERVE(&r->allocator, &r->times, count + 1))
    return result_memory_error(error, r->checkpoint_path.text);
  if (size) memcpy(r->times.data, data, size);
  r->times.count = (uint32_t)count;
  r->progress = saved.progress;
  return CLV_OK;
}

static clv_result take_back_body(clv_recorder *r, result_body *body, clv_error *error) {
  clv_result result = CLV_OK;
  if (r->def.vtu) result = result_pvd_resume(&body->pvd, r->times.data, r->times.count, error);
  if (result != CLV_OK || !r->def.vtkhdf) return result;
  clv_error own = {CLV_OK, ""};
  body->vtkhdf = result_vtkhdf_resume(body->vtkhdf_path.text, r->times.count, &r->allocator, &own);
  return body->vtkhdf ? CLV_OK : clv_error_set(error, own.code, "%s", own.message);
}

static clv_result take_back(clv_recorder *r, clv_error *error) {
  clv_result result = result_log_resume(&r->energies_log, r->energies_path.text, r->progress.energies_size, error);
  if (result == CLV_OK && result_probes_any(&r->probes))
    result = result_log_resume(&r->probes_log, r->probes_path.text, r->progress.probes_size, error);
  for (uint32_t b = 0; result == CLV_OK && b < r->body_count; b++) result = take_back_body(r, &r->bodies[b], error);
  return result;
}

clv_result result_recorder_take_back(clv_recorder *recorder, clv_error *error) {
  clv_recorder *r = recorder;
  clv_error own = {CLV_OK, ""};
  result_checkpoint *checkpoint = result_checkpoint_open(r->checkpoint_path.text, r->def.scene, &r->allocator, &own);
  if (!checkpoint) return clv_error_set(error, own.code, "%s", own.message);
  clv_result result = read_settings(r, checkpoint, error);
  if (result == CLV_OK) result = read_progress(r, checkpoint, error);
  if (result == CLV_OK) result = result_checkpoint_load(checkpoint, r->world, error);
  result_checkpoint_close(checkpoint);
  if (result == CLV_OK) result = take_back(r, error);
  r->progress.resumed++;
  r->checkpoint_step = clv_world_steps(r->world);
  return result;
}
