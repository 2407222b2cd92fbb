// Reading checkpoints. See checkpoint.h.

#include "cleave/result.h"
#include "result/checkpoint.h"
#include "result/checkpoint_file.h"
#include "result/disk.h"

struct result_checkpoint {
  clv_allocator allocator;
  char *path;
  hid_t file;
  int reason;
  BASE_ARRAY(char) block;
  clv_error *error; // of the call under way
};

bool result_link_name(const char *name, char link[RESULT_LINK_SIZE]) {
  static const char digits[] = "0123456789ABCDEF";
  size_t at = 0;
  for (const char *c = name; *c; c++) {
    const bool plain = *c != '/' && *c != '%' && (c != name || *c != '.');
    if (at + 4 > RESULT_LINK_SIZE) return false;
    if (!plain) link[at++] = '%';
    if (!plain) link[at++] = digits[(unsigned char)*c >> 4];
    link[at++] = plain ? *c : digits[(unsigned char)*c & 15];
  }
  link[at] = '\0';
  return at > 0;
}

static clv_result unreadable(const result_checkpoint *c, clv_error *error) {
  return result_hdf_error(error, c->path, "cannot read the checkpoint", c->reason);
}

// Blocks

static clv_result fill_block(result_checkpoint *c, hid_t dataset, hssize_t size, clv_error *error) {
  if (size < 0 || size >= (hssize_t)UINT32_MAX) return unreadable(c, error);
  if (!BASE_RESERVE(&c->allocator, &c->block, (uint64_t)size + 1)) return result_memory_error(error, c->path);
  if (size && H5Dread(dataset, H5T_NATIVE_UINT8, H5S_ALL, H5S_ALL, H5P_DEFAULT, c->block.data) < 0)
    return unreadable(c, error);
  c->block.count = (uint32_t)size;
  c->block.data[size] = '\0';
  return CLV_OK;
}

// The bytes of a dataset, in checkpoint->block.
static clv_result read_dataset(result_checkpoint *c, hid_t where, const char *link, clv_error *error) {
  const hid_t dataset = H5Dopen2(where, link, H5P_DEFAULT), space = dataset < 0 ? -1 : H5Dget_space(dataset);
  const clv_result result = fill_block(c, dataset, space < 0 ? -1 : H5Sget_simple_extent_npoints(space), error);
  if (space >= 0) H5Sclose(space);
  if (dataset >= 0) H5Dclose(dataset);
  return result;
}

static clv_result read_block(result_checkpoint *c, const char *group, const char *name, const void **data, size_t *size,
                             clv_error *error) {
  char link[RESULT_LINK_SIZE];
  const hid_t where = H5Gopen2(c->file, group, H5P_DEFAULT);
  clv_result result = CLV_OK;
  if (where < 0 || !result_link_name(name, link) || H5Lexists(where, link, H5P_DEFAULT) <= 0) {
    result =
        clv_error_set(error, CLV_ERROR_INPUT, "%s: has no block '%s': it was not made by such a run", c->path, name);
  } else {
    result = read_dataset(c, where, link, error);
  }
  if (where >= 0) H5Gclose(where);
  *data = c->block.data;
  *size = c->block.count;
  return result;
}

// The scene

typedef struct line {
  const char *text;
  int length; // to be shown
  bool end;
} line;

static line next_line(const char **at) {
  const size_t length = strcspn(*at, "\n");
  const line found = {*at, (int)(length < 60 ? length : 60), **at == '\0'};
  *at += length + ((*at)[length] == '\n');
  return found;
}

static clv_result tell_difference(const result_checkpoint *c, const char *then, const char *now, clv_error *error) {
  unsigned number = 1;
  const char *a = then, *b = now;
  line was = next_line(&a), is = next_line(&b);
  while (!was.end && !is.end && a - was.text == b - is.text && memcmp(was.text, is.text, (size_t)(a - was.text)) == 0) {
    was = next_line(&a);
    is = next_line(&b);
    number++;
  }
  return clv_error_set(
      error, CLV_ERROR_INPUT,
      "%s: made by another scene: its line %u was '%.*s' and is '%.*s' now; resume with the scene as it was, "
      "or start the run anew",
      c->path, number, was.length, was.text, is.length, is.text);
}

static clv_result test_scene(result_checkpoint *c, const char *scene, clv_error *error) {
  if (!scene) return CLV_OK;
  if (H5Lexists(c->file, "scene", H5P_DEFAULT) <= 0)
    return clv_error_set(error, CLV_ERROR_INPUT, "%s: made by another scene: by none, in fact", c->path);
  const clv_result result = read_dataset(c, c->file, "scene", error);
  if (result != CLV_OK) return result;
  const size_t size = strlen(scene);
  if (c->block.count == size && memcmp(c->block.data, scene, size) == 0) return CLV_OK;
  return tell_difference(c, c->block.data, scene, error);
}

// The whole

static clv_result open_file(result_checkpoint *c, const char *scene, clv_error *error) {
  const clv_result sealed = result_seal_test(c->path, error);
  if (sealed != CLV_OK) return sealed;
  c->file = result_hdf_open(c->path, &c->reason);
  return c->file < 0 ? unreadable(c, error) : test_scene(c, scene, error);
}

result_checkpoint *result_checkpoint_open(const char *path, const char *scene, const clv_allocator *allocator,
                                          clv_error *error) {
  result_checkpoint *c = base_allocate(allocator, sizeof *c);
  char *own = c ? base_allocate(allocator, strlen(path) + 1) : NULL;
  if (!own) {
    base_free(allocator, c, sizeof *c);
    result_memory_error(error, path);
    return NULL;
  }
  memcpy(own, path, strlen(path) + 1);
  *c = (result_checkpoint){.allocator = *allocator, .path = own, .file = -1};
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  const clv_result result = open_file(c, scene, error);
  result_hdf_leave(&scope);
  if (result == CLV_OK) return c;
  result_checkpoint_close(c);
  return NULL;
}

void result_checkpoint_close(result_checkpoint *checkpoint) {
  if (!checkpoint) return;
  const clv_allocator allocator = checkpoint->allocator;
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  if (checkpoint->file >= 0) result_hdf_close(checkpoint->file);
  result_hdf_leave(&scope);
  BASE_RELEASE(&allocator, &checkpoint->block);
  base_free(&allocator, checkpoint->path, strlen(checkpoint->path) + 1);
  base_free(&allocator, checkpoint, sizeof *checkpoint);
}

clv_result result_checkpoint_block(result_checkpoint *checkpoint, const char *name, const void **data, size_t *size,
                                   clv_error *error) {
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  const clv_result result = read_block(checkpoint, "run", name, data, size, error);
  result_hdf_leave(&scope);
  return result;
}

static clv_result give_world_block(void *user, const char *name, const void **data, size_t *size) {
  result_checkpoint *c = user;
  return read_block(c, "world", name, data, size, c->error);
}

clv_result result_checkpoint_load(result_checkpoint *checkpoint, clv_world *world, clv_error *error) {
  clv_error own = {CLV_OK, ""};
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  checkpoint->error = &own;
  const clv_result result = clv_world_load(world, give_world_block, checkpoint);
  checkpoint->error = NULL;
  result_hdf_leave(&scope);
  if (result == CLV_OK) return CLV_OK;
  return own.code == CLV_OK ? clv_error_set(error, result, "%s: %s", checkpoint->path, clv_world_error(world))
                            : clv_error_set(error, own.code, "%s", own.message);
}

clv_result clv_checkpoint_read(clv_world *world, const char *path, const char *scene, clv_error *error) {
  const clv_allocator allocator = clv_default_allocator();
  clv_error own = {CLV_OK, ""};
  result_checkpoint *checkpoint = result_checkpoint_open(path, scene, &allocator, &own);
  if (!checkpoint) return clv_error_set(error, own.code, "%s", own.message);
  const clv_result result = result_checkpoint_load(checkpoint, world, error);
  result_checkpoint_close(checkpoint);
  return result;
}
