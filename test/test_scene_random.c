// Ten thousand wrong scenes: good ones with words replaced, lines lost and doubled, bytes changed, ends cut off. Each
// is refused with a place and a sentence, or is a scene; a scene of few cells becomes a world or is refused likewise.
// soak: yes

#include "support/random.h"
#include "support/scenes.h"

#include "cleave/scene.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Sanitizers see as much in fewer texts.
#if defined(__SANITIZE_ADDRESS__)
enum { TRIES = 2000 };
#else
enum { TRIES = 10000 };
#endif
enum { SIZE = 8192, WORLDS = 200 };

static bool soak;

static const char *const good[] = {
    "cleave: 1\ntitle: A beam\nmesh: {grid: hex, cells: [3, 1, 1], size: [3, 1, 1]}\n"
    "material: {young: 1 MPa, poisson: 0.3, density: 1000, thickness: 2 mm, bending: plate, viscosity: 0.1}\n"
    "model: springs\nfix: [{box: [[0, 0, 0], [0, 1, 1]], axes: xz}]\nmove: [{nearest: [3, 0, 0], path: [[0, [0, 0, "
    "0]], "
    "[1, [0, 0, 1 cm]]]}]\npull: [{sphere: {center: [3, 1, 1], radius: 0.1}, force: [0, 0, -10]}]\n"
    "damping: {drag: 0.1, rayleigh: {mass: 0.1, stiffness: 1 ms}}\nsolver: {method: rk4, step: auto, tolerance: 1e-6}\n"
    "until: 0.1\noutput: {frames: 20 ms, formats: [vtu, vtkhdf], probes: {tip: {nearest: [3, 1, 1]}}, checkpoint: "
    "end}\n",

    "cleave: 1\nmesh:\n  grid: tet5\n  cells: [2, 1, 1]\n  warp: organ\n  scale: 0.1\nmaterial:\n  young: 10 kPa\n"
    "regions:\n  - box: [[0, 0, 0], [0.05, 1, 1]]\n    material: {density: 2000}\n    model: stvk\n"
    "events:\n  - {at: 0.1, release: {region: all}}\n  - {at: 0.2, cut: {plane: {point: [0.05, 0, 0], normal: [1, 0, "
    "0]}}}\n"
    "  - {at: 0.3, gravity: [0, 0, 0]}\n  - {at: 0.4, remove: {nearest: [0, 0, 0]}}\ngravity: [0, 0, -9.81]\n"
    "solver: implicit-euler\nuntil: 1\nthreads: 2\n",

    "cleave: 1\nbodies:\n  one: &one\n    mesh: {grid: tri, cells: [2, 2], size: [1, 1]}\n    model: cloth\n"
    "    plane: false\n    fix: [all]\n  two: *one\n  three: {mesh: {grid: quad, cells: [1, 2], size: [1, 1], origin: "
    "[0, 0, 1]}}\n"
    "solver: {method: newmark, step: 1 ms, beta: 0.3, gamma: 0.6, linear: direct, newton-iterations: 5}\nuntil: 1 s\n"
    "events: [{at: 0, body: two, pull: {region: all, path: [[0, [0, 0, 0]], [1, [0, 0, 1]]]}}]\n"
    "output: {probes: {p: {body: one, region: all}}, rows: 1 ms, directory: somewhere}\n",
};
enum { GOOD = sizeof good / sizeof *good };

static const char *const words[] = {
    ".nan",
    "-1",
    "0",
    "1e400",
    "-.inf",
    "''",
    "[]",
    "{}",
    "[[]]",
    "*x",
    "&a",
    "*one",
    "!!int",
    "true",
    "null",
    "~",
    "missing.msh",
    "grid",
    "hex",
    "tri",
    "xyz",
    "\"",
    "1 kg",
    "5 mm",
    "99999999",
    "[1, 2, 3]",
    "{a: 1}",
    "| x",
    ">",
    "- -",
    "? a",
    "%TAG",
    "---",
    "...",
    "\t",
    "#",
    "@",
    "`",
    "\x7f",
    "é",
    "\xff",
    "cleave",
    "2",
    "model",
    "material",
    "rules",
    "{rules: missing.rule}",
    "static",
    "region",
    "auto",
    "1.5",
    "0x10",
    "<<",
    ",",
    ":",
};
enum { WORDS = sizeof words / sizeof *words };

static void replace(char *text, size_t at, size_t length, const char *by) {
  const size_t size = strlen(text), grown = strlen(by);
  if (size - length + grown + 1 > SIZE) return;
  memmove(text + at + grown, text + at + length, size - at - length + 1);
  for (size_t i = 0; i < grown; i++) text[at + i] = by[i];
}

static void change_word(random_source *random, char *text) {
  static const char separators[] = " ,:[]{}\n";
  const size_t size = strlen(text);
  size_t at = random_below(random, (uint32_t)size + 1);
  while (at > 0 && !strchr(separators, text[at - 1])) at--;
  replace(text, at, strcspn(text + at, separators), words[random_below(random, WORDS)]);
}

static void change_line(random_source *random, char *text) {
  size_t at = random_below(random, (uint32_t)strlen(text) + 1);
  while (at > 0 && text[at - 1] != '\n') at--;
  const size_t length = strcspn(text + at, "\n") + (strchr(text + at, '\n') ? 1u : 0u);
  char line[SIZE];
  snprintf(line, sizeof line, "%.*s", (int)length, text + at);
  switch (random_below(random, 3)) {
  case 0:
    replace(text, at, length, "");
    break;
  case 1:
    replace(text, at, 0, line);
    break;
  default:
    replace(text, at, 0, random_chance(random, 50) ? "  " : "- ");
  }
}

static void change_byte(random_source *random, char *text) {
  const size_t size = strlen(text);
  if (size == 0) return;
  const char byte[2] = {(char)(1 + random_below(random, 255)), '\0'};
  replace(text, random_below(random, (uint32_t)size), random_below(random, 2), random_chance(random, 20) ? "" : byte);
}

static void spoil(random_source *random, char *text) {
  const uint32_t changes = 1 + random_below(random, 3);
  for (uint32_t c = 0; c < changes; c++) {
    switch (random_below(random, 8)) {
    case 0:
      change_byte(random, text);
      break;
    case 1:
      change_line(random, text);
      break;
    case 2:
      if (random_chance(random, 20)) text[random_below(random, (uint32_t)strlen(text) + 1)] = '\0';
      break;
    default:
      change_word(random, text);
    }
  }
}

static void is_clear(const char *text, uint64_t seed, const clv_error *error) {
  unsigned line = 0, column = 0;
  int length = 0;
  const int read = sscanf(error->message, "s.yaml:%u:%u: %n", &line, &column, &length);
  const bool clear = read == 2 && line >= 1 && column >= 1 && length > 0 && strlen(error->message + length) >= 10 &&
                     error->code != CLV_OK && error->code != CLV_ERROR_MEMORY;
  if (!clear) print_error("seed %llu\n%s\nsaid: %s\n", (unsigned long long)seed, text, error->message);
  assert_true(clear);
}

// Whether the bodies are small enough to be built by the hundred. Spoilt grids may be huge.
static bool is_small(const char *text) {
  for (const char *at = text; (at = strpbrk(at, "123456789")); at += strspn(at, "0123456789")) {
    const size_t digits = strspn(at, "0123456789");
    if (digits > 1 && strncmp(at, "10", digits) != 0 && strncmp(at, "1000", digits) != 0 &&
        strncmp(at, "2000", digits) != 0 && strncmp(at, "20", digits) != 0 && strncmp(at, "81", digits) != 0) {
      return false;
    }
  }
  return true;
}

static void try_scene(uint64_t seed, uint32_t *scenes, uint32_t *worlds) {
  random_source random = {seed};
  char text[SIZE];
  snprintf(text, sizeof text, "%s", good[random_below(&random, GOOD)]);
  spoil(&random, text);
  clv_error error = {0};
  clv_scene *scene = clv_scene_parse("s.yaml", text, strlen(text), NULL, &error);
  if (!scene) {
    is_clear(text, seed, &error);
    return;
  }
  ++*scenes;
  if (is_small(text) && (soak || *worlds < WORLDS)) {
    clv_world *world = clv_scene_world(scene, 0, &error);
    if (!world) is_clear(text, seed, &error);
    clv_world_destroy(world);
    ++*worlds;
  }
  clv_scene_destroy(scene);
}

static void wrong_scenes(void **state) {
  (void)state;
  uint32_t scenes = 0, worlds = 0;
  const uint64_t tries = soak ? 100 * TRIES : TRIES;
  for (uint64_t seed = 1; seed <= tries; seed++) try_scene(seed, &scenes, &worlds);
  print_message("%llu texts, %u are scenes, %u were built\n", (unsigned long long)tries, scenes, worlds);
  assert_true(scenes > tries / 50 && scenes < tries);
}

static void good_scenes(void **state) {
  (void)state;
  for (int g = 0; g < GOOD; g++) {
    clv_error error = {0};
    clv_scene *scene = clv_scene_parse("s.yaml", good[g], strlen(good[g]), NULL, &error);
    if (!scene) print_error("%s\n", error.message);
    assert_non_null(scene);
    clv_world *world = clv_scene_world(scene, 0, &error);
    if (!world) print_error("%s\n", error.message);
    assert_non_null(world);
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

int main(int count, char **arguments) {
  soak = count > 1 && strcmp(arguments[1], "--soak") == 0;
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(good_scenes),
      cmocka_unit_test(wrong_scenes),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
