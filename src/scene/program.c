// Programs of the user's rules, and rules that events apply. What is wrong with them gets its place in the scene.

#include "scene/nearest.h"
#include "scene/scene.h"
#include "scene/table.h"

#include <stdio.h>

clv_program *scene_program_create(const scene_reader *r, clv_scene *scene) {
  clv_program *program = NULL;
  if (BASE_RESERVE(&scene->allocator, &scene->programs, scene->programs.count + 1u))
    program = clv_program_create(&scene->allocator);
  if (program)
    scene->programs.data[scene->programs.count++] = program;
  else
    scene_no_memory(r);
  return program;
}

bool scene_program_add(const scene_reader *r, clv_scene *scene, clv_program *program, const char *file,
                       const scene_node *place) {
  const char *path = scene_file_path(scene, file);
  if (!path) return scene_no_memory(r);
  clv_error error = {0};
  size_t size = 0;
  const char *text = scene_file_read(&scene->arena, path, &size, &error);
  if (!text) return scene_fail_below(r, place, error.code, error.message);
  const clv_result result = clv_program_add(program, path, text, size);
  return result == CLV_OK || scene_fail_below(r, place, result, "this rule file cannot be used");
}

bool scene_program_check(const scene_reader *r, clv_program *program, const scene_node *place) {
  const clv_result result = clv_program_check(program);
  if (result == CLV_OK) return true;
  const clv_diagnostic *found = NULL;
  if (clv_program_diagnostics(program, &found) == 0)
    return scene_fail_below(r, place, result, "the rules cannot be checked");
  return scene_fail(r, place, "the rules are not sound: %s:%u:%u: %s (%s); 'cleave rule check' shows all findings",
                    found[0].file, found[0].line, found[0].column, found[0].what, found[0].help);
}

// What was probably meant, as the end of a sentence.
typedef struct suggestion_text {
  char text[128];
} suggestion_text;

static suggestion_text suggestion(const scene_nearest *nearest) {
  suggestion_text said = {""};
  if (nearest->word) snprintf(said.text, sizeof said.text, ", did you mean '%.100s'?", nearest->word);
  return said;
}

bool scene_no_parameter(const scene_reader *r, const clv_program *program, const scene_parameter *parameter) {
  scene_nearest nearest = scene_nearest_to(parameter->name);
  clv_declaration declared;
  bool there = false;
  for (uint32_t k = 0; clv_program_list(program, k, &declared); k++) {
    if (strcmp(declared.what, "param") != 0) continue;
    scene_nearest_offer(&nearest, declared.name);
    there |= !strcmp(declared.name, parameter->name);
  }
  if (there) nearest.word = NULL; // it is the numbers that are wrong
  return scene_fail(r, parameter->node, "the rules have no param %s of %u number%s%s",
                    scene_text_show(parameter->name).text, parameter->count, parameter->count == 1 ? "" : "s",
                    suggestion(&nearest).text);
}

// Rules of events

static bool set_parameters(const scene_reader *r, clv_program *program, const scene_parameters *params) {
  for (uint32_t k = 0; k < params->count; k++) {
    const scene_parameter *p = &params->items[k];
    const clv_result result = clv_program_set_param(program, p->name, p->values, p->count);
    if (result == CLV_ERROR_MEMORY) return scene_no_memory(r);
    if (result != CLV_OK) return scene_no_parameter(r, program, p);
  }
  return true;
}

static bool no_rule(const scene_reader *r, const clv_program *program, const scene_hold *hold) {
  scene_nearest nearest = scene_nearest_to(hold->rule);
  clv_declaration declared;
  for (uint32_t k = 0; clv_program_list(program, k, &declared); k++)
    if (!strcmp(declared.what, "rule") || !strcmp(declared.what, "script"))
      scene_nearest_offer(&nearest, declared.name);
  return scene_fail(r, scene_place(&hold->part, "rule"), "there is no rule %s%s", scene_text_show(hold->rule).text,
                    suggestion(&nearest).text);
}

bool scene_apply_make(const scene_reader *r, clv_scene *scene, const scene_hold *hold, clv_apply *to) {
  static const clv_orbit orbits[SCENE_ON_COUNT] = {0, CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_CELL};
  const scene_node *place = scene_place(&hold->part, hold->file ? "file" : "rule");
  clv_program *program = scene_program_create(r, scene);
  if (!program) return false;
  if (hold->file && !scene_program_add(r, scene, program, hold->file, place)) return false;
  if (!hold->file && clv_program_use(program, "surgery") != CLV_OK) return scene_no_memory(r);
  if (!set_parameters(r, program, &hold->params) || !scene_program_check(r, program, place)) return false;
  *to = clv_default_apply();
  to->rule = clv_program_rule(program, hold->rule);
  to->on = orbits[hold->on];
  to->level = hold->level;
  to->rounds = hold->rounds;
  to->most = hold->most;
  if (!to->rule) return no_rule(r, program, hold);
  const char *wrong = clv_apply_wrong(to);
  return !wrong || scene_fail(r, scene_place(&hold->part, "rule"), "%s cannot be applied: %s",
                              scene_text_show(hold->rule).text, wrong);
}
