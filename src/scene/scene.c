// The life of a scene. See scene.h.

#include "scene/scene.h"

#include <errno.h>
#include <fcntl.h>
#include <math.h>
#include <stdio.h>
#include <sys/stat.h>
#include <unistd.h>

bool scene_fail_below(const scene_reader *r, const scene_node *place, clv_result code, const char *sentence) {
  if (code == CLV_ERROR_MEMORY) return scene_no_memory(r);
  clv_error_set(r->error, code, "%s:%u:%u: %s", r->name, place->line, place->column, sentence);
  return false;
}

const scene_node *scene_place(const scene_part *part, const char *key) {
  const scene_node *node = scene_node_find(part->node, key);
  return node ? node : part->node;
}

int32_t scene_body_number(const clv_scene *scene, const char *name) {
  for (uint32_t b = 0; b < scene->bodies.count; b++) {
    if (strcmp(scene->bodies.items[b].part.name, name) == 0) return (int32_t)b;
  }
  return -1;
}

// ---- files --------------------------------------------------------------------------------------

static char *read_all(base_arena *arena, int file, const char *path, size_t *size, clv_error *error) {
  struct stat status;
  if (fstat(file, &status) != 0 || !S_ISREG(status.st_mode)) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "%s: is no plain file", path);
    return NULL;
  }
  if (status.st_size > SCENE_MAX_BYTES) {
    clv_error_set(error, CLV_ERROR_INPUT, "%s: is larger than %d MB", path, SCENE_MAX_BYTES >> 20);
    return NULL;
  }
  char *text = base_arena_take(arena, (size_t)status.st_size + 1);
  if (!text) {
    clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for the file", path);
    return NULL;
  }
  for (*size = 0; *size < (size_t)status.st_size;) {
    const ssize_t got = read(file, text + *size, (size_t)status.st_size - *size);
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) {
      clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
      return NULL;
    }
    if (got == 0) break;
    *size += (size_t)got;
  }
  text[*size] = '\0';
  return text;
}

char *scene_file_read(base_arena *arena, const char *path, size_t *size, clv_error *error) {
  const int file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", path, strerror(errno));
    return NULL;
  }
  char *text = read_all(arena, file, path, size, error);
  close(file);
  return text;
}

const char *scene_file_path(clv_scene *scene, const char *path) {
  const size_t before = path[0] == '/' ? 0 : strlen(scene->directory), length = strlen(path) + 1;
  char *whole = base_arena_take(&scene->arena, before + length);
  if (!whole) return NULL;
  memcpy(whole, scene->directory, before);
  memcpy(whole + before, path, length);
  return whole;
}

// ---- reading ------------------------------------------------------------------------------------

static clv_scene *create(const char *name, const clv_allocator *allocator, clv_error *error) {
  const clv_allocator from = allocator ? *allocator : clv_default_allocator();
  clv_scene *scene = base_allocate(&from, sizeof *scene);
  if (!scene) {
    clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for the scene", name);
    return NULL;
  }
  *scene = (clv_scene){.allocator = from, .arena = base_arena_create(&from)};
  const char *slash = strrchr(name, '/');
  scene->name = base_arena_copy(&scene->arena, name, strlen(name));
  scene->directory = base_arena_copy(&scene->arena, name, slash ? (size_t)(slash - name) + 1 : 0);
  if (scene->name && scene->directory) return scene;
  clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for the scene", name);
  clv_scene_destroy(scene);
  return NULL;
}

// One body or several: from here on there is a list.
static void list_bodies(clv_scene *scene) {
  scene_root *root = &scene->root;
  root->body.part.node = root->part.node;
  root->body.part.name = "body";
  scene->bodies = root->bodies;
  if (scene->bodies.count == 0) scene->bodies = (scene_bodies){.items = &root->body, .count = 1};
}

static bool fill_output(const scene_reader *r, clv_scene *scene) {
  const scene_output *output = &scene->root.output;
  const uint32_t count = output->probes.count;
  scene->probes = base_arena_take(&scene->arena, count * sizeof *scene->probes);
  if (!scene->probes) return scene_no_memory(r);
  for (uint32_t p = 0; p < count; p++) scene->probes[p].name = output->probes.items[p].part.name;
  const char *directory = NULL;
  if (output->directory && !(directory = scene_file_path(scene, output->directory))) return scene_no_memory(r);
  scene->output = clv_default_recorder_def();
  scene->output.directory = directory;
  scene->output.title = scene->root.title;
  scene->output.vtu = output->formats & SCENE_FORMAT_VTU;
  scene->output.vtkhdf = output->formats & SCENE_FORMAT_VTKHDF;
  scene->output.frame_every = output->frames;
  scene->output.row_every = output->rows;
  scene->output.checkpoint_every = output->checkpoint;
  scene->output.probes = scene->probes;
  scene->output.probe_count = count;
  scene->output.scene = scene->text;
  scene->output.threads = scene->root.threads;
  return true;
}

static bool understand(clv_scene *scene, const char *text, size_t size, clv_error *error) {
  const scene_reader r = {&scene->arena, scene->name, error};
  scene->text = text;
  const scene_node *node = scene_node_parse(&scene->arena, scene->name, text, size, error);
  if (!node || !scene_read_group(&r, &scene_group_root, node, &scene->root)) return false;
  list_bodies(scene);
  return scene_check(&r, scene) && fill_output(&r, scene);
}

clv_scene *clv_scene_parse(const char *name, const char *text, size_t size, const clv_allocator *allocator,
                           clv_error *error) {
  clv_scene *scene = create(name, allocator, error);
  if (!scene) return NULL;
  const char *copy = base_arena_copy(&scene->arena, text, size);
  if (!copy) clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for the scene", name);
  if (copy && understand(scene, copy, size, error)) return scene;
  clv_scene_destroy(scene);
  return NULL;
}

clv_scene *clv_scene_read(const char *path, const clv_allocator *allocator, clv_error *error) {
  clv_scene *scene = create(path, allocator, error);
  if (!scene) return NULL;
  size_t size;
  const char *text = scene_file_read(&scene->arena, path, &size, error);
  if (text && understand(scene, text, size, error)) return scene;
  clv_scene_destroy(scene);
  return NULL;
}

void clv_scene_destroy(clv_scene *scene) {
  if (!scene) return;
  for (uint32_t p = 0; p < scene->programs.count; p++) clv_program_destroy(scene->programs.data[p]);
  BASE_RELEASE(&scene->allocator, &scene->programs);
  base_arena_destroy(&scene->arena);
  const clv_allocator allocator = scene->allocator;
  base_free(&allocator, scene, sizeof *scene);
}

const char *clv_scene_text(const clv_scene *scene) {
  return scene->text;
}

const char *clv_scene_title(const clv_scene *scene) {
  return scene->root.title;
}

double clv_scene_until(const clv_scene *scene) {
  return scene->root.until;
}

uint32_t clv_scene_threads(const clv_scene *scene) {
  return scene->root.threads;
}

bool clv_scene_event_place(const clv_scene *scene, uint32_t label, uint32_t *line, uint32_t *column) {
  if (!label || label > scene->root.events.count) return false;
  const scene_node *node = scene->root.events.items[label - 1].part.node;
  *line = node->line;
  *column = node->column;
  return true;
}

double clv_scene_event_time(const clv_scene *scene, uint32_t label) {
  return label && label <= scene->root.events.count ? scene->root.events.items[label - 1].at : NAN;
}

const clv_recorder_def *clv_scene_output(const clv_scene *scene) {
  return &scene->output;
}
