// Scene files: every key right and wrong, exact messages, the bounds of the YAML reader, units, the schema and the
// reference, and memory that runs out.

#include "support/counting_allocator.h"
#include "support/scenes.h"

#include "cleave/scene.h"
#include "scene/read.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>

#define MINIMAL "cleave: 1\nmesh: {grid: hex}\nuntil: 1\n"

static clv_scene *parse(const char *text, clv_error *error) {
  *error = (clv_error){0};
  return clv_scene_parse("s.yaml", text, strlen(text), NULL, error);
}

static clv_scene *good(const char *text) {
  clv_error error;
  clv_scene *scene = parse(text, &error);
  if (!scene) print_error("%s\n%s\n", text, error.message);
  assert_non_null(scene);
  return scene;
}

static void is_good(const char *text) {
  clv_scene_destroy(good(text));
}

// ---- messages -----------------------------------------------------------------------------------

static void says(const char *text, const char *message) {
  clv_error error;
  clv_scene *scene = parse(text, &error);
  if (scene || strcmp(error.message, message) != 0) print_error("%s\nsaid: %s\n", text, error.message);
  assert_null(scene);
  assert_int_equal(error.code, CLV_ERROR_INPUT);
  assert_string_equal(error.message, message);
}

static void exact_messages(void **state) {
  (void)state;
  says("cleave: 1\nmesh: {grid: hex}\nuntil: 1\nmaterial:\n  density: 10\n  yuong: 5\n",
       "s.yaml:6:3: unknown key 'yuong', did you mean 'young'?");
  says(MINIMAL "material: {colour: red}\n", "s.yaml:4:12: unknown key 'colour'; here may stand young, poisson, "
                                            "density, thickness, bending, viscosity, phi, psi");
  says(MINIMAL "material: {young: soft}\n", "s.yaml:4:19: 'young' must be a number (in Pa), not 'soft'");
  says(MINIMAL "material: {young: 5 kg}\n",
       "s.yaml:4:19: '5 kg' has no unit that fits 'young'; it can be in Pa, kPa, MPa, GPa, N/m^2, N/mm^2");
  says(MINIMAL "material: {poisson: 3 m}\n", "s.yaml:4:21: 'poisson' is a number without a unit, not '3 m'");
  says(MINIMAL "material: {young: .nan}\n", "s.yaml:4:19: 'young' must be a finite number, not '.nan'");
  says(MINIMAL "material: {young: 1e999}\n", "s.yaml:4:19: 'young' must be a finite number, not '1e999'");
  says(MINIMAL "material: {density: -1}\n", "s.yaml:4:21: 'density' must be above 0 kg/m^3, not '-1'");
  says(MINIMAL "material: {poisson: 1.5}\n", "s.yaml:4:21: 'poisson' must be above -1 and below 1, not '1.5'");
  says(MINIMAL "material: {young: [1, 2]}\n", "s.yaml:4:19: 'young' must be a number (in Pa), not a list");
  says(MINIMAL "material:\n", "s.yaml:4:10: 'material' is empty; it must be a mapping");
  says(MINIMAL "material: soft\n", "s.yaml:4:11: 'material' needs a mapping, {key: value, ...}, not 'soft'");
  says(MINIMAL "model: fem-corotated\n", "s.yaml:4:8: unknown name 'fem-corotated', did you mean 'fem-corotational'?");
  says(MINIMAL "solver: {method: magic}\n",
       "s.yaml:4:18: unknown method 'magic'; there are symplectic-euler, heun, rk4, implicit-euler, implicit-newton, "
       "newmark, static");
  says(MINIMAL "solver: {iterations: 1.5}\n", "s.yaml:4:22: 'iterations' must be a whole number or 'auto', not '1.5'");
  says(MINIMAL "solver: {iterations: 0}\n", "s.yaml:4:22: 'iterations' must be at least 1, not '0'");
  says(MINIMAL "threads: 5000\n", "s.yaml:4:10: 'threads' must be at least 1 and at most 1024, not '5000'");
  says("cleave: 2\nmesh: {grid: hex}\nuntil: 1\n", "s.yaml:1:9: 'cleave' must be 1, not '2'");
  says("mesh: {grid: hex}\nuntil: 1\n", "s.yaml:1:1: 'cleave' is missing here");
  says("cleave: 1\nuntil: 1\n", "s.yaml:1:1: one of 'mesh', 'bodies' is missing here");
  says("cleave: 1\nmesh: {}\nuntil: 1\n", "s.yaml:2:7: one of 'file', 'grid' is missing here");
  says(MINIMAL "bodies: {a: {mesh: x.msh}}\n", "s.yaml:4:1: 'mesh' and 'bodies' cannot both be given here");
  says(MINIMAL "events: [{at: 0, adapt: {level: 2}}]\n",
       "s.yaml:4:25: one of 'near', 'stress', 'gradient', 'in' is missing here");
  says(MINIMAL "events: [{at: 0, adapt: {in: all, for: 1, path: [[0, [0, 0, 0]]]}}]\n",
       "s.yaml:4:40: 'path' and 'for' cannot both be given here");
  says(MINIMAL "events: [{at: 0, cut: {nearest: [0, 0, 0]}}]\n",
       "s.yaml:4:24: unknown key 'nearest'; here may stand region, box, sphere, capsule, plane, surface, particles");
  says("cleave: 1\nbodies: {a: {mesh: x.msh}}\nuntil: 1\nfix: [{nearest: [0, 0, 0]}]\n",
       "s.yaml:4:1: 'fix' goes with 'mesh', which is not here");
  says("cleave: 1\nbodies: {'a/b': {mesh: x.msh}}\nuntil: 1\n",
       "s.yaml:2:10: 'a/b' is no name; names have letters, digits, '_' and '-', 64 at most");
  says("cleave: 1\nmesh: {grid: hex, cells: [2, 2]}\nuntil: 1\n",
       "s.yaml:2:26: a grid of kind 'hex' needs three numbers of 'cells'");
  says("cleave: 1\nmesh: {file: a.msh, cells: [2, 2, 2]}\nuntil: 1\n",
       "s.yaml:2:21: 'cells' goes with 'grid', which is not here");
  says(MINIMAL "fix: [{box: [[0, 0, 0], [0, 1, -1]]}]\n",
       "s.yaml:4:13: 'box' goes from its least corner to its greatest; along z, 0 is above -1");
  says(MINIMAL "fix: [{axes: xyz}]\n",
       "s.yaml:4:7: one of 'region', 'box', 'sphere', 'capsule', 'plane', 'nearest' is missing here");
  says(MINIMAL "fix: [{nearest: [0, 0, 0], axes: xw}]\n", "s.yaml:4:34: 'axes' must be letters out of 'xyz', not 'xw'");
  says(MINIMAL "fix: [{plane: {point: [0, 0, 0], normal: [0, 0, 0]}}]\n",
       "s.yaml:4:42: 'normal' has no length; it must point somewhere");
  says(MINIMAL "pull: [{nearest: [0, 0, 0]}]\n", "s.yaml:4:8: one of 'force', 'path' is missing here");
  says(MINIMAL "move: [{nearest: [0, 0, 0], path: [[1, [0, 0, 0]], [1, [0, 0, 0]]]}]\n",
       "s.yaml:4:52: times of 'path' must increase; 1 s follows on 1 s");
  says(MINIMAL "events: [{at: 1, body: arm, gravity: [0, 0, 0]}]\n",
       "s.yaml:4:24: the only body has no name; 'body' is for scenes with 'bodies'");
  says(
      "cleave: 1\nuntil: 1\nbodies: {arm: {mesh: a.msh}, leg: {mesh: b.msh}}\nevents: [{at: 1, body: amr, cut: {plane: "
      "{point: [0, 0, 0], normal: [1, 0, 0]}}}]\n",
      "s.yaml:4:24: there is no body 'amr', did you mean 'arm'?");
  says("cleave: 1\nuntil: 1\nbodies: {arm: {mesh: a.msh}, leg: {mesh: b.msh}}\nevents: [{at: 1, remove: all}]\n",
       "s.yaml:4:10: there are 2 bodies; 'body' must say which is meant");
  says(MINIMAL "regions: [{region: 1, model: {rules: a.rule}}, {region: 2, model: {rules: b.rule}}]\n",
       "s.yaml:4:67: a body has one set of 'rules', and there is one already");
}

static void yaml_messages(void **state) {
  (void)state;
  says("", "s.yaml:1:1: there is nothing in this scene");
  says("# nothing\n", "s.yaml:1:1: there is nothing in this scene");
  says("[1, 2]", "s.yaml:1:1: 'scene' needs a mapping, {key: value, ...}, not a list");
  says(MINIMAL "until: 2\n", "s.yaml:4:1: 'until' stands here twice; it is also in line 3");
  says(MINIMAL "title: !!str x\n", "s.yaml:4:8: tags ('!') have no place in a scene");
  says(MINIMAL "title: *x\n", "s.yaml:4:8: there is no anchor before this of the name 'x'");
  says(MINIMAL "fix: &a [*a]\n", "s.yaml:4:10: an alias cannot stand inside what it names");
  says(MINIMAL "? [a, b]\n: 1\n", "s.yaml:4:9: a key must be a plain word");
  says(MINIMAL "--- \ncleave: 1\n", "s.yaml:4:1: a scene is one document; '---' must not stand twice");
  says(MINIMAL "title: \"a\\0b\"\n", "s.yaml:4:8: there is a zero byte in this text");
  says("cleave: 1\n\ttitle: x\n",
       "s.yaml:2:1: this is not YAML: found a tab character that violates indentation while scanning a plain scalar");
  says("cleave: \x80\n", "s.yaml:1:9: this is not YAML: invalid leading UTF-8 octet");
}

// A message is one line of visible letters, whatever the file holds.
static void what_is_shown(void **state) {
  (void)state;
  says(MINIMAL "model: \"\\x1b[31mred\"\n",
       "s.yaml:4:8: unknown name '?[31mred'; there are springs, springs-hybrid, fem-linear, fem-corotational, "
       "fem-corotational-qr, mass-tensor, stvk, neo-hookean, cloth");
  says(MINIMAL "threads: 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa'\n",
       "s.yaml:4:10: 'threads' must be a whole number, not 'aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa...'");
}

// ---- bounds -------------------------------------------------------------------------------------

static void mentions(const char *text, size_t size, const char *message) {
  clv_error error = {0};
  clv_scene *scene = clv_scene_parse("s.yaml", text, size, NULL, &error);
  assert_null(scene);
  if (!strstr(error.message, message)) print_error("said: %s\n", error.message);
  assert_non_null(strstr(error.message, message));
}

static void laughs_are_bounded(void **state) {
  (void)state;
  char text[4096];
  size_t at = (size_t)snprintf(text, sizeof text, "a0: &a0 [1, 1, 1, 1, 1, 1, 1, 1, 1, 1]\n");
  for (int i = 1; i < 12; i++) {
    const int p = i - 1;
    at += (size_t)snprintf(text + at, sizeof text - at, "a%d: &a%d [*a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d, *a%d]\n",
                           i, i, p, p, p, p, p, p, p, p);
  }
  mentions(text, at, "this is more than a scene may hold");
}

static void depth_is_bounded(void **state) {
  (void)state;
  char text[20000];
  memset(text, '[', sizeof text);
  mentions(text, sizeof text, "s.yaml:1:32: this lies too deep inside other things");
  // Also where aliases pile up.
  char piled[4096];
  size_t at = (size_t)snprintf(piled, sizeof piled, "a0: &a0 [1]\n");
  for (int i = 1; i < 40; i++) {
    at += (size_t)snprintf(piled + at, sizeof piled - at, "a%d: &a%d [*a%d]\n", i, i, i - 1);
  }
  mentions(piled, at, "this lies too deep inside other things");
}

static void keys_are_bounded(void **state) {
  (void)state;
  enum { SIZE = 120000 };
  char *text = malloc(SIZE);
  assert_non_null(text);
  size_t at = 0;
  for (int k = 0; at + 16 < SIZE && k < 9000; k++) at += (size_t)snprintf(text + at, SIZE - at, "key%d: 1\n", k);
  mentions(text, at, "s.yaml:4097:1: one mapping cannot have so many keys");
  free(text);
}

static void anchors_are_shared(void **state) {
  (void)state;
  clv_scene *scene = good("cleave: 1\nuntil: 1\nbodies:\n  a: &a {mesh: {grid: hex}, material: {young: 7}}\n  b: *a\n");
  assert_string_equal(clv_scene_title(scene), "");
  clv_scene_destroy(scene);
}

// ---- every key ----------------------------------------------------------------------------------

static const char *const wrong_values[SCENE_TYPE_COUNT][12] = {
    [SCENE_REAL] = {"[1]", "{a: 1}", "soft", ".nan", "-.inf", "1e400", "''", "0x10", "1,5", "- 5", "1 parsec", "--1"},
    [SCENE_WHOLE] = {"[1]", "{a: 1}", "few", ".nan", "1.5", "-1", "99999999999", "''", "0x1", "1e1"},
    [SCENE_BOOL] = {"[true]", "{a: 1}", "yes", "1", "'true'", "''"},
    [SCENE_TEXT] = {"[a]", "{a: 1}"},
    [SCENE_TEXTS] = {"{a: 1}", "[[a]]", "[]"},
    [SCENE_WORD] = {"[a]", "{a: 1}", "nonsense", "''", "1"},
    [SCENE_WORDS] = {"{a: 1}", "nonsense", "[nonsense]", "[[vtu]]", "1"},
    [SCENE_AXES] = {"[x]", "{a: 1}", "xw", "xx", "''", "XYZ"},
    [SCENE_VECTOR] = {"1", "{a: 1}", "[1, 2]", "[1, 2, 3, 4]", "[1, 2, .nan]", "[1, 2, [3]]", "[1, 2, down]", "[]"},
    [SCENE_EXTENT] = {"1", "{a: 1}", "[1]", "[1, 2, 3, 4]", "[1, .inf]", "[1, -1]", "[1, wide]", "[]"},
    [SCENE_COUNTS] = {"1", "{a: 1}", "[1]", "[1, 2, 3, 4]", "[1, 0]", "[1, 1.5]", "[1, -1]", "[]"},
    [SCENE_CORNERS] = {"1", "{a: 1}", "[1, 2]", "[[0, 0, 0]]", "[[0, 0], [1, 1]]", "[[0, 0, 0], [1, 1, -1]]",
                       "[[0, 0, 0], [1, 1, .nan]]"},
    [SCENE_SEGMENT] = {"1", "{a: 1}", "[1, 2]", "[[0, 0, 0]]", "[[0, 0], [1, 1]]", "[[0, 0, 1], [0, 0, 1]]",
                       "[[0, 0, 0], [1, 1, .nan]]", "[[0, 0, 0], [1, 1, 1], [2, 2, 2]]"},
    [SCENE_POINTS] = {"1", "{a: 1}", "[]", "[1, 2, 3]", "[[0, 0]]", "[[0, 0, 0], [1, 1, .inf]]", "[[0, 0, 0], a]"},
    [SCENE_PATH] = {"1", "{a: 1}", "[]", "[1]", "[[1, 2]]", "[[0, [1, 2]]]", "[[.nan, [1, 2, 3]]]",
                    "[[1, [1, 2, 3]], [0, [1, 2, 3]]]", "[[0, [1, 2, .inf]]]"},
    [SCENE_REGION] = {"[1]", "{a: 1}"},
    [SCENE_PARAMETERS] = {"1", "[1]", "{a: b}", "{a: [1, b]}", "{a: []}", "{a: .nan}", "{a: {b: 1}}"},
    [SCENE_GROUP] = {"[1]", "{nonsense: 1}"},
    [SCENE_LIST] = {"[{nonsense: 1}]", "{nonsense: 1}", "[[1]]"},
    [SCENE_NAMED] = {"1", "[1]", "{a: {nonsense: 1}}", "{'': 1}", "{}"},
};

// "s.yaml:1:COLUMN: ", at or behind the value and with a sentence.
static void is_placed(const char *text, const clv_error *error, size_t from) {
  unsigned line = 0, column = 0;
  int length = 0;
  const int read = sscanf(error->message, "s.yaml:%u:%u: %n", &line, &column, &length);
  const bool right = read == 2 && line == 1 && column >= 1 && length > 0 && strlen(error->message + length) > 10;
  if (!right || (from && column < from)) print_error("%s\nsaid: %s, not from %zu\n", text, error->message, from);
  assert_true(right);
  assert_true(!from || column >= from);
}

static void try_value(const scenes_place *place, const scene_key *key, const char *value, bool right) {
  char needed[SCENES_TEXT / 4], text[3 * SCENES_TEXT];
  scenes_needed(place->group, key, needed, sizeof needed);
  const size_t from = (size_t)snprintf(text, sizeof text, "%s{%s%s: ", place->before, needed, key->name);
  snprintf(text + from, sizeof text - from, "%s}%s", value, place->behind);
  clv_error error;
  clv_scene *scene = parse(text, &error);
  if (right != (scene != NULL)) print_error("%s\nsaid: %s\n", text, error.message);
  assert_true(right == (scene != NULL));
  if (!right) is_placed(text, &error, from + 1);
  clv_scene_destroy(scene);
}

static void try_keys(void *user, const scenes_place *place) {
  uint32_t *tried = user;
  for (const scene_key *key = place->group->keys; key->name; key++) {
    // Whether there is a body of that name is not the key's business.
    const bool reference = strcmp(key->name, "body") == 0;
    if (!reference) try_value(place, key, key->example, true);
    for (uint32_t w = 0; w < 12 && wrong_values[key->type][w]; w++) {
      try_value(place, key, wrong_values[key->type][w], false);
      ++*tried;
    }
    if (key->range.least != 0 || key->range.greatest != 0) {
      if (key->type == SCENE_REAL) {
        char value[64];
        snprintf(value, sizeof value, "%s", scene_real_show(key->range.least - 1).text);
        try_value(place, key, value, false);
        if (key->range.above) try_value(place, key, scene_real_show(key->range.least).text, false);
        if (isfinite(key->range.greatest)) try_value(place, key, scene_real_show(key->range.greatest + 1).text, false);
      }
    }
    if (key->special) try_value(place, key, key->special, true);
    if (key->without && !reference) try_value(place, key, key->without, true);
  }
}

static void every_key_wrong_in_every_way(void **state) {
  (void)state;
  uint32_t tried = 0;
  scenes_visit(try_keys, &tried);
  print_message("%u wrong values\n", tried);
  assert_true(tried > 1500);
}

static void without(void *user, const scenes_place *place) {
  (void)user;
  char text[3 * SCENES_TEXT], needed[SCENES_TEXT / 4];
  clv_error error;
  for (const scene_key *key = place->group->keys; key->name; key++) {
    if (key->need != SCENE_REQUIRED) continue;
    scenes_needed(place->group, key, needed, sizeof needed);
    snprintf(text, sizeof text, "%s{%s}%s", place->before, needed, place->behind);
    clv_scene *scene = parse(text, &error);
    assert_null(scene);
    is_placed(text, &error, 0);
    assert_non_null(strstr(error.message, "missing"));
  }
  // A key that nobody knows.
  scenes_needed(place->group, NULL, needed, sizeof needed);
  snprintf(text, sizeof text, "%s{%szzzzzzzz: 1}%s", place->before, needed, place->behind);
  assert_null(parse(text, &error));
  assert_non_null(strstr(error.message, "unknown key 'zzzzzzzz'; here may stand "));
  is_placed(text, &error, strlen(place->before) + 1);
}

static void needed_keys_are_missed(void **state) {
  (void)state;
  scenes_visit(without, NULL);
}

static void suggest(void *user, const scenes_place *place) {
  (void)user;
  for (const scene_key *key = place->group->keys; key->name; key++) {
    char text[3 * SCENES_TEXT], expected[128];
    if (strlen(key->name) < 3) continue;
    snprintf(text, sizeof text, "%s{%sx: 1}%s", place->before, key->name, place->behind);
    snprintf(expected, sizeof expected, "unknown key '%sx', did you mean '%s'?", key->name, key->name);
    clv_error error;
    assert_null(parse(text, &error));
    if (!strstr(error.message, expected)) print_error("%s\nsaid: %s\n", text, error.message);
    assert_non_null(strstr(error.message, expected));
  }
}

static void every_key_is_suggested(void **state) {
  (void)state;
  scenes_visit(suggest, NULL);
}

// ---- values -------------------------------------------------------------------------------------

static double quantity(const char *text, scene_quantity kind) {
  double value = NAN;
  assert_int_equal(scene_quantity_read(text, kind, &value), SCENE_IS_NUMBER);
  return value;
}

static void units(void **state) {
  (void)state;
  assert_true(quantity("100 kPa", SCENE_PRESSURE) == 1e5);
  assert_true(quantity("100kPa", SCENE_PRESSURE) == 1e5);
  assert_true(quantity("2 mm", SCENE_LENGTH) == 0.002);
  assert_true(quantity("3 mm", SCENE_LENGTH) == 0.003);
  assert_true(quantity("7 us", SCENE_TIME) == 7e-6);
  assert_true(quantity("1.5e3 ms", SCENE_TIME) == 1.5);
  assert_true(quantity("-.5", SCENE_NUMBER) == -0.5);
  assert_true(quantity("5.", SCENE_NUMBER) == 5);
  assert_true(quantity("1 g/cm^3", SCENE_DENSITY) == 1000);
  double value;
  assert_int_equal(scene_quantity_read("1 Kpa", SCENE_PRESSURE, &value), SCENE_IS_WRONG_UNIT);
  assert_int_equal(scene_quantity_read("1 kPa ", SCENE_PRESSURE, &value), SCENE_IS_WRONG_UNIT);
  assert_int_equal(scene_quantity_read("1e", SCENE_NUMBER, &value), SCENE_IS_WRONG_UNIT);
  assert_int_equal(scene_quantity_read("1e308 GPa", SCENE_PRESSURE, &value), SCENE_IS_NOT_FINITE);
  assert_int_equal(scene_quantity_read("-INF", SCENE_PRESSURE, &value), SCENE_IS_NOT_FINITE);
  assert_int_equal(scene_quantity_read(".", SCENE_NUMBER, &value), SCENE_IS_NONE);
  assert_int_equal(scene_quantity_read("infinite", SCENE_NUMBER, &value), SCENE_IS_NONE);
}

static void shorthands(void **state) {
  (void)state;
  is_good("cleave: 1\nmesh: liver.msh\nuntil: 2 s\nfix: ground\nmodel: springs\nsolver: rk4\n");
  is_good("cleave: 1\nmesh: liver.msh\nuntil: 2 s\nfix: [ground, 12, {region: roof, axes: z}]\n");
  is_good("cleave: 1\nmesh: {grid: quad, cells: [4, 4], size: [1, 1]}\nuntil: 2\nplane: true\noutput: {formats: []}\n");
  is_good("{\"cleave\": 1, \"mesh\": {\"grid\": \"hex\"}, \"until\": 1e-1}");
}

static void output_of_a_scene(void **state) {
  (void)state;
  clv_scene *scene =
      good(MINIMAL "title: A test\noutput: {directory: results, frames: 20 ms, formats: [vtkhdf], rows: 1 ms, "
                   "checkpoint: 0.5, probes: {tip: {nearest: [1, 1, 1]}, foot: all}}\nthreads: 3\n");
  const clv_recorder_def *output = clv_scene_output(scene);
  assert_string_equal(output->directory, "results");
  assert_string_equal(output->title, "A test");
  assert_false(output->vtu);
  assert_true(output->vtkhdf);
  assert_true(output->frame_every == 0.02 && output->row_every == 0.001 && output->checkpoint_every == 0.5);
  assert_int_equal(output->probe_count, 2);
  assert_string_equal(output->probes[1].name, "foot");
  assert_string_equal(output->scene, clv_scene_text(scene));
  assert_int_equal(clv_scene_threads(scene), 3);
  assert_true(clv_scene_until(scene) == 1);
  clv_scene_destroy(scene);

  scene = good(MINIMAL "output: {frames: ends}\n");
  assert_null(clv_scene_output(scene)->directory);
  assert_true(isinf(clv_scene_output(scene)->frame_every) && isinf(clv_scene_output(scene)->checkpoint_every));
  assert_true(clv_scene_output(scene)->vtu && !clv_scene_output(scene)->vtkhdf);
  clv_scene_destroy(scene);
}

static void missing_file(void **state) {
  (void)state;
  clv_error error = {0};
  assert_null(clv_scene_read("/nowhere/s.yaml", NULL, &error));
  assert_string_equal(error.message, "/nowhere/s.yaml: No such file or directory");
  assert_int_equal(error.code, CLV_ERROR_SYSTEM);
  assert_null(clv_scene_read("/", NULL, &error));
  assert_string_equal(error.message, "/: is no plain file");
}

// ---- rules of events ----------------------------------------------------------------------------

static clv_world *build(const char *text, clv_scene **scene, clv_error *error) {
  *scene = good(text);
  return clv_scene_world(*scene, 1, error);
}

static void events_apply_rules(void **state) {
  (void)state;
  static const char head[] = "cleave: 1\nmesh: {grid: hex, cells: [4, 2, 1], size: [4, 2, 1]}\nuntil: 0.1\n";
  const struct {
    const char *event, *says; // NULL: nothing
  } cases[] = {
      {"cut", "body 'body', action 'apply' at 0 s finds nothing to do: the rule 'cut' changes nothing: "},
      {"{rule: cut, params: {blade_point: [2, 0, 0], blade_up: [1, 0, 0]}}", NULL},
      {"{rule: pierce, on: cell, in: {box: [[0, 0, 0], [1, 1, 1]]}}", NULL},
      {"{rule: refine_hex, on: cell}", NULL},
      {"cutt", "s.yaml:4:25: there is no rule 'cutt', did you mean 'cut'?"},
      {"pierce", "s.yaml:4:25: 'pierce' cannot be applied: a script has to be told what it is applied to: vertices, "
                 "edges, faces or cells"},
      {"{rule: cut, params: {blade: 1}}", "s.yaml:4:53: the rules have no param 'blade' of 1 number"},
      {"{rule: cut, params: {blade_pont: 1}}",
       "s.yaml:4:58: the rules have no param 'blade_pont' of 1 number, did you mean 'blade_point'?"},
      {"{rule: cut, params: {blade_point: 1}}", "s.yaml:4:59: the rules have no param 'blade_point' of 1 number"},
      {"{rule: cut, file: nowhere.rule}", "s.yaml:4:43: nowhere.rule: No such file or directory"},
  };
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    char text[512];
    snprintf(text, sizeof text, "%sevents: [{at: 0, apply: %s}]\n", head, cases[k].event);
    clv_scene *scene;
    clv_error error = {0};
    clv_world *world = build(text, &scene, &error);
    clv_world_report report = {0};
    const char *said = error.message, *wanted = cases[k].says;
    if (world && clv_world_step(world, &report) != CLV_OK) fail_msg("%s", clv_world_error(world));
    if (report.vain) said = clv_world_vain(world, 0, NULL);
    if (strncmp(said, wanted ? wanted : "", wanted ? strlen(wanted) : 1) != 0) fail_msg("%s: %s", cases[k].event, said);
    assert_true(wanted || report.surgery.applied > 0);
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

// A rule that is applied for a while acts when something gives way, not before, and ends.
static void rules_are_applied_for_a_while(void **state) {
  (void)state;
  static const char *const lasts[] = {"for: 1", "for: 0.05"};
  for (uint32_t k = 0; k < 2; k++) {
    char text[512];
    snprintf(text, sizeof text,
             "cleave: 1\nmesh: {grid: hex, cells: [4, 1, 1], size: [4, 1, 1]}\ngravity: [0, 0, 0]\nuntil: 0.2\n"
             "fix: [{box: [[0, 0, 0], [0, 1, 1]]}]\nsolver: {method: implicit-euler, step: 10 ms}\n"
             "move: [{box: [[4, 0, 0], [4, 1, 1]], path: [[0.06, [0, 0, 0]], [0.1, [8, 0, 0]]]}]\n"
             "events: [{at: 0, apply: {rule: tear, params: {toughness: 1.2}, %s}}]\n",
             lasts[k]);
    clv_scene *scene;
    clv_error error = {0};
    clv_world *world = build(text, &scene, &error);
    if (!world) fail_msg("%s", error.message);
    uint32_t early = 0, late = 0;
    for (uint32_t step = 0; step < 20; step++) {
      clv_world_report report = {0};
      if (clv_world_step(world, &report) != CLV_OK) fail_msg("%s", clv_world_error(world));
      *(step < 6 ? &early : &late) += report.surgery.facets;
    }
    assert_int_equal(early, 0);
    assert_true(k ? late == 0 : late > 0);
    clv_world_destroy(world);
    clv_scene_destroy(scene);
  }
}

// What a body cannot have is told before the run.
static void rules_that_a_body_cannot_serve(void **state) {
  (void)state;
  clv_scene *scene;
  clv_error error = {0};
  assert_null(build("cleave: 1\nmesh: {grid: quad, cells: [2, 2], size: [1, 1]}\nuntil: 1\n"
                    "events: [{at: 0, apply: {rule: refine_hex, on: cell}}]\n",
                    &scene, &error));
  assert_string_equal(error.message, "s.yaml:4:10: action 'apply': rule 'refine_hex' speaks of 'vlev', which only "
                                     "volumes have: the rule is for them, and this body is a surface");
  clv_scene_destroy(scene);
}

static void look_for_rules(void *user, const char *text, size_t size) {
  (void)size;
  *(bool *)user =
      strstr(text, "at 0 s: apply 'pierce', on each cell, in box (0, 0, 0) to (1, 1, 1); toughness = 2") != NULL;
}

static void applied_rules_are_explained(void **state) {
  (void)state;
  clv_scene *scene = good(MINIMAL "events: [{at: 0, apply: {rule: pierce, on: cell, in: {box: [[0, 0, 0], [1, 1, 1]]}, "
                                  "params: {toughness: 2}}}]\n");
  bool found = false;
  clv_error error = {0};
  if (clv_scene_explain(scene, look_for_rules, &found, &error) != CLV_OK) fail_msg("%s", error.message);
  assert_true(found);
  clv_scene_destroy(scene);
}

// ---- memory -------------------------------------------------------------------------------------

static void memory_runs_out(void **state) {
  (void)state;
  static const char text[] =
      "cleave: 1\nbodies: {a: &a {mesh: {grid: hex}, fix: [all], pull: [{region: all, force: [0, 0, 1]}]}, b: *a}\n"
      "until: 1\noutput: {directory: x, probes: {p: {body: a, region: all}}}\n"
      "events: [{at: 1, body: b, move: {region: all, path: [[0, [0, 0, 0]], [1, [0, 0, 1]]]}}]\n";
  uint32_t refusals = 0;
  for (size_t fail_at = 1;; fail_at++) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_error error = {0};
    clv_scene *scene = clv_scene_parse("s.yaml", text, sizeof text - 1, &allocator, &error);
    if (!memory.refused) {
      assert_non_null(scene);
      clv_scene_destroy(scene);
      assert_int_equal(memory.live_bytes, 0);
      break;
    }
    assert_null(scene);
    assert_int_equal(error.code, CLV_ERROR_MEMORY);
    assert_int_equal(memory.live_bytes, 0);
    refusals++;
  }
  assert_true(refusals > 10);
}

// Building a world asks for memory thousands of times; each of them may be the one that is refused, and some of them
// are tried.
static void memory_runs_out_while_building(void **state) {
  (void)state;
  static const char text[] =
      "cleave: 1\nmesh: {grid: tet5, cells: [2, 1, 1]}\nuntil: 1\nfix: [{box: [[0, 0, 0], [0, 1, 1]]}]\n"
      "pull: [{nearest: [1, 1, 1], force: [0, 0, 1]}]\nregions: [{box: [[0, 0, 0], [0.5, 1, 1]], model: stvk}]\n"
      "events: [{at: 0.5, release: all}, {at: 0.6, apply: {rule: cut, params: {toughness: 2}}}]\noutput: {probes: "
      "{tip: {nearest: [1, 1, 1]}}}\n";
  uint32_t refusals = 0;
  for (size_t fail_at = 20;; fail_at += 1 + fail_at / 12) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_error error = {0};
    clv_scene *scene = clv_scene_parse("s.yaml", text, sizeof text - 1, &allocator, &error);
    clv_world *world = scene ? clv_scene_world(scene, 0, &error) : NULL;
    const bool built = world != NULL;
    clv_world_destroy(world);
    clv_scene_destroy(scene);
    assert_int_equal(memory.live_bytes, 0);
    if (!memory.refused) {
      assert_true(built);
      break;
    }
    if (!built) assert_int_equal(error.code, CLV_ERROR_MEMORY);
    refusals += !built;
  }
  assert_true(refusals > 20);
}

// ---- what the table becomes ---------------------------------------------------------------------

static void keep(void *user, const char *text, size_t size) {
  char **to = user;
  *to = malloc(size + 1);
  assert_non_null(*to);
  memcpy(*to, text, size);
  (*to)[size] = '\0';
}

static void reference_is_current(void **state) {
  (void)state;
  static const char begin[] = "<!-- keys: written by `cleave scene keys` -->\n\n";
  FILE *file = fopen(TEST_SOURCE_DIR "/docs/scenes.md", "rb");
  assert_non_null(file);
  char *page = calloc(1, 1 << 18);
  assert_non_null(page);
  assert_true(fread(page, 1, (1 << 18) - 1, file) < (1 << 18) - 1);
  fclose(file);
  char *keys = NULL;
  assert_int_equal(clv_scene_keys(keep, &keys, NULL), CLV_OK);
  const char *at = strstr(page, begin);
  assert_non_null(at);
  if (strcmp(at + sizeof begin - 1, keys) != 0) {
    print_error("docs/scenes.md is not what 'cleave scene keys' prints behind '%s'\n", begin);
    fail();
  }
  free(keys);
  free(page);
}

static void defaults_are_those_of_the_rooms(void **state) {
  (void)state;
  const scene_reader r = {0};
  const clv_material material = clv_default_material();
  for (const scene_key *key = scene_group_material.keys; key->name; key++) {
    double value = NAN;
    const scene_node node = {.kind = SCENE_SCALAR, .text = key->without};
    assert_true(scene_read_value(&r, key, &node, &value));
    double theirs;
    memcpy(&theirs, (const char *)&material + key->offset - offsetof(scene_material, values), sizeof theirs);
    assert_true(value == theirs || (value < 0 && theirs < 0));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(exact_messages),
      cmocka_unit_test(yaml_messages),
      cmocka_unit_test(what_is_shown),
      cmocka_unit_test(laughs_are_bounded),
      cmocka_unit_test(depth_is_bounded),
      cmocka_unit_test(keys_are_bounded),
      cmocka_unit_test(anchors_are_shared),
      cmocka_unit_test(every_key_wrong_in_every_way),
      cmocka_unit_test(needed_keys_are_missed),
      cmocka_unit_test(every_key_is_suggested),
      cmocka_unit_test(units),
      cmocka_unit_test(shorthands),
      cmocka_unit_test(output_of_a_scene),
      cmocka_unit_test(missing_file),
      cmocka_unit_test(events_apply_rules),
      cmocka_unit_test(rules_are_applied_for_a_while),
      cmocka_unit_test(rules_that_a_body_cannot_serve),
      cmocka_unit_test(applied_rules_are_explained),
      cmocka_unit_test(memory_runs_out),
      cmocka_unit_test(memory_runs_out_while_building),
      cmocka_unit_test(reference_is_current),
      cmocka_unit_test(defaults_are_those_of_the_rooms),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
