// Writing checkpoints. See checkpoint.h.

#include "cleave/result.h"
#include "result/checkpoint.h"
#include "result/checkpoint_file.h"
#include "result/disk.h"

typedef struct writer {
  const char *path;
  hid_t group; // that blocks go into
  int reason;
  clv_error *error;
} writer;

static bool put_attribute(hid_t where, const char *name, hid_t type, const void *value) {
  const hid_t space = H5Screate(H5S_SCALAR);
  const hid_t attribute = space < 0 ? -1 : H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, type, value) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return good;
}

static bool put_word(hid_t where, const char *name, const char *word) {
  const hid_t type = H5Tcopy(H5T_C_S1);
  const bool good = type >= 0 && H5Tset_size(type, strlen(word) + 1) >= 0 && put_attribute(where, name, type, word);
  if (type >= 0) H5Tclose(type);
  return good;
}

// Bytes. An empty block is a dataset without a place.
static bool put_block(hid_t where, const char *name, const void *data, size_t size) {
  const hsize_t length = size;
  const hid_t settings = H5Pcreate(H5P_DATASET_CREATE);
  const hid_t space = size ? H5Screate_simple(1, &length, NULL) : H5Screate(H5S_NULL);
  hid_t dataset = -1;
  if (settings >= 0 && space >= 0 && H5Pset_obj_track_times(settings, false) >= 0 &&
      H5Pset_fill_time(settings, H5D_FILL_TIME_NEVER) >= 0)
    dataset = H5Dcreate2(where, name, H5T_STD_U8LE, space, H5P_DEFAULT, settings, H5P_DEFAULT);
  const bool good =
      dataset >= 0 && (!size || H5Dwrite(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, data) >= 0);
  if (dataset >= 0) H5Dclose(dataset);
  if (settings >= 0) H5Pclose(settings);
  if (space >= 0) H5Sclose(space);
  return good;
}

static clv_result put_world_block(void *user, const char *name, const void *data, size_t size) {
  const writer *w = user;
  char link[RESULT_LINK_SIZE];
  if (!result_link_name(name, link) || size >= UINT32_MAX)
    return clv_error_set(w->error, CLV_ERROR_ARGUMENT, "%s: block '%s' is too large, or has no proper name", w->path,
                         name);
  if (put_block(w->group, link, data, size) && !w->reason) return CLV_OK;
  return result_hdf_error(w->error, w->path, "cannot write the checkpoint", w->reason);
}

static bool put_head(hid_t file, const clv_world *world, const char *scene) {
  const int64_t steps = (int64_t)clv_world_steps(world);
  const double time = clv_world_time(world);
  return put_word(file, "cleave", clv_version()) && put_attribute(file, "steps", H5T_NATIVE_INT64, &steps) &&
         put_attribute(file, "time", H5T_NATIVE_DOUBLE, &time) &&
         (!scene || put_block(file, "scene", scene, strlen(scene)));
}

static clv_result put_world(writer *w, hid_t file, clv_world *world) {
  clv_error own = {CLV_OK, ""};
  clv_error *error = w->error;
  w->error = &own; // the world's sentence is taken only where we have none
  w->group = H5Gcreate2(file, "world", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  clv_result result = w->group < 0 ? result_hdf_error(&own, w->path, "cannot write the checkpoint", w->reason)
                                   : clv_world_save(world, put_world_block, w);
  if (w->group >= 0) H5Gclose(w->group);
  w->error = error;
  if (result == CLV_OK) return CLV_OK;
  const bool ours = own.code != CLV_OK;
  return ours ? clv_error_set(error, own.code, "%s", own.message)
              : clv_error_set(error, result, "%s: %s", w->path, clv_world_error(world));
}

static clv_result put_run(writer *w, hid_t file, const result_block *blocks, uint32_t count) {
  const hid_t group = H5Gcreate2(file, "run", H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  bool good = group >= 0;
  for (uint32_t k = 0; good && k < count; k++) good = put_block(group, blocks[k].name, blocks[k].data, blocks[k].size);
  if (group >= 0) H5Gclose(group);
  return good ? CLV_OK : result_hdf_error(w->error, w->path, "cannot write the checkpoint", w->reason);
}

static clv_result write_file(writer *w, hid_t file, clv_world *world, const char *scene, const result_block *blocks,
                             uint32_t count) {
  if (!put_head(file, world, scene))
    return result_hdf_error(w->error, w->path, "cannot write the checkpoint", w->reason);
  const clv_result result = put_run(w, file, blocks, count);
  return result == CLV_OK ? put_world(w, file, world) : result;
}

clv_result result_checkpoint_write(clv_world *world, const char *path, const char *scene, const result_block *blocks,
                                   uint32_t block_count, clv_error *error) {
  const result_path beside = result_path_beside(path);
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  writer w = {.path = path, .group = -1, .error = error};
  const hid_t file = result_hdf_create(beside.text, RESULT_SEAL_SIZE, &w.reason);
  clv_result result = file < 0 ? result_hdf_error(error, path, "cannot write the checkpoint", w.reason)
                               : write_file(&w, file, world, scene, blocks, block_count);
  if (file >= 0 && result_hdf_close(file) < 0 && result == CLV_OK)
    result = result_hdf_error(error, path, "cannot write the checkpoint", w.reason);
  if (w.reason && result == CLV_OK) result = result_hdf_error(error, path, "cannot write the checkpoint", w.reason);
  result_hdf_leave(&scope);
  if (result == CLV_OK) result = result_seal_write(beside.text, path, error);
  if (result == CLV_OK) return result_move_into_place(beside.text, path, RESULT_DURABLE, error);
  result_remove_file(beside.text, NULL);
  return result;
}

clv_result clv_checkpoint_write(clv_world *world, const char *path, const char *scene, clv_error *error) {
  return result_checkpoint_write(world, path, scene, NULL, 0, error);
}
