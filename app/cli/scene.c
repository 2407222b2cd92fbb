// `cleave scene check`, `explain`, `keys` and `schema`: what a scene file says, and what one may say.

#include "cli.h"
#include "run.h"
#include "text.h"

static void print_text(void *user, const char *text, size_t size) {
  (void)user;
  fwrite(text, 1, size, stdout);
}

static int check_scene(const char *path) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_read(path, NULL, &error);
  clv_world *world = scene ? clv_scene_world(scene, 0, &error) : NULL;
  if (world) {
    uint64_t cells = 0;
    for (uint32_t b = 0; b < clv_world_bodies(world); b++) {
      for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++) {
        cells += clv_cell_count(clv_body_map(clv_world_body(world, b)), (clv_kind)kind);
      }
    }
    printf("%s: %s", path, cli_counted(clv_world_bodies(world), "body", "bodies").text);
    printf(", %s: nothing to complain about\n", cli_counted(cells, "cell", "cells").text);
    cli_run_warn_of_late_events(scene, path, clv_scene_until(scene), clv_world_get_step(world));
  }
  const int result = world ? CLI_OK : cli_failed(error.message);
  clv_world_destroy(world);
  clv_scene_destroy(scene);
  return result;
}

static int run_check(const cli_call *call) {
  int result = CLI_OK;
  for (int i = 0; i < call->word_count; i++) {
    if (check_scene(call->words[i]) != CLI_OK) result = CLI_FAILURE;
  }
  return result;
}

static int run_explain(const cli_call *call) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_read(call->words[0], NULL, &error);
  if (!scene) return cli_failed(error.message);
  const clv_result result = clv_scene_explain(scene, print_text, NULL, &error);
  clv_scene_destroy(scene);
  return result == CLV_OK ? CLI_OK : cli_failed(error.message);
}

static int run_keys(const cli_call *call) {
  (void)call;
  clv_error error = {0};
  return clv_scene_keys(print_text, NULL, &error) == CLV_OK ? CLI_OK : cli_failed(error.message);
}

static int run_schema(const cli_call *call) {
  (void)call;
  clv_error error = {0};
  return clv_scene_schema(print_text, NULL, &error) == CLV_OK ? CLI_OK : cli_failed(error.message);
}

const cli_command cli_scene_check = {
    .name = "scene check",
    .what = "check scene files without running them",
    .words = "SCENE...",
    .min_words = 1,
    .max_words = INT32_MAX,
    .help = "Reads each SCENE, the meshes and rules it names, and builds its bodies, so that everything 'cleave run' "
            "could\n"
            "refuse at its start is found: unknown keys, values out of range, zones that hold nothing, files that are\n"
            "missing. Prints the first mistake of each file with its place; ends with status 1 if there are any.\n"
            "\n"
            "  cleave scene check examples/*.yaml\n",
    .run = run_check,
};

const cli_command cli_scene_explain = {
    .name = "scene explain",
    .what = "say in words what a scene does",
    .words = "SCENE",
    .min_words = 1,
    .max_words = 1,
    .help = "Says what is built of what, which laws act and how their constants follow from the material, what is held "
            "and\n"
            "pulled, how it is solved, the stable step, what is written, and the defaults that were taken.\n"
            "\n"
            "  cleave scene explain examples/01_cantilever.yaml\n",
    .run = run_explain,
};

const cli_command cli_scene_keys = {
    .name = "scene keys",
    .what = "list what may stand in a scene file",
    .words = "",
    .help = "Prints every key of scene files with its value, its default and its meaning, as Markdown.\n",
    .run = run_keys,
};

const cli_command cli_scene_schema = {
    .name = "scene schema",
    .what = "print the JSON schema of scene files",
    .words = "",
    .help = "Prints the schema (JSON Schema, draft 2020-12), with which editors complete and check scene files. With "
            "the YAML\n"
            "language server, put its file's name into the first line of a scene:\n"
            "\n"
            "  # yaml-language-server: $schema=scene.schema.json\n"
            "\n"
            "  cleave scene schema > scene.schema.json\n",
    .run = run_schema,
};
