// Live worlds: commands, edits and their undoing, what clients are told and shown, replays.

#define _XOPEN_SOURCE 700 // mkstemp, truncate
#define _DEFAULT_SOURCE   // usleep

#include "live/live.h"
#include "support/counting_allocator.h"
#include "support/random.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static const char beam[] = "cleave: 1\n"
                           "title: A beam\n"
                           "mesh: {grid: tet6, cells: [8, 2, 2], size: [4, 1, 1]}\n"
                           "material: {young: 1 MPa, poisson: 0.3, density: 1000}\n"
                           "model: fem-corotational\n"
                           "fix: [{box: [[0, 0, 0], [0, 1, 1]]}]\n"
                           "solver: {method: implicit-euler, step: 10 ms}\n"
                           "until: 1\n";

typedef struct stage {
  clv_scene *scene;
  clv_live *live;
  uint32_t client;
} stage;

static stage open_stage(const char *text) {
  clv_error error = {0};
  stage s = {.scene = clv_scene_parse("live.yaml", text, strlen(text), NULL, &error)};
  if (!s.scene) fail_msg("%s", error.message);
  clv_live_def def = clv_default_live_def();
  def.paused = true;
  def.source = "live.yaml";
  s.live = clv_live_scene(s.scene, &def, &error);
  if (!s.live) fail_msg("%s", error.message);
  s.client = clv_live_join(s.live);
  assert_int_not_equal(s.client, 0);
  return s;
}

static void close_stage(stage *s) {
  clv_live_destroy(s->live);
  clv_scene_destroy(s->scene);
}

static void advance(stage *s, uint32_t steps) {
  clv_error error = {0};
  if (clv_live_advance(s->live, steps, &error) != CLV_OK) fail_msg("%s", error.message);
}

static void tell(stage *s, const char *text) {
  clv_error error = {0};
  if (clv_live_tell(s->live, s->client, text, strlen(text), &error) != CLV_OK) fail_msg("%s: %s", text, error.message);
}

// The text of a client that begins so; those before it are passed over.
static const char *hear(stage *s, const char *begins) {
  size_t size;
  for (const char *text; (text = clv_live_hear(s->live, s->client, &size));)
    if (!strncmp(text, begins, strlen(begins))) return text;
  fail_msg("nothing that begins with %s was said", begins);
  return NULL;
}

// Says it with a number, carries it out, and gives the answer.
static const char *ask(stage *s, const char *format, ...) {
  char text[1000];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  const size_t length = strlen(text);
  snprintf(text + length - 1, sizeof text - length, ", \"seq\": 7}");
  tell(s, text);
  advance(s, 0);
  return hear(s, "{\"re\": 7");
}

static void expect(const char *answer, const char *part) {
  if (!strstr(answer, part)) fail_msg("'%s' is not in %s", part, answer);
}

// The plane x = x, swept from below to above.
static const char *cut_at(stage *s, double x) {
  return ask(s, "{\"do\": \"knife\", \"body\": 0, \"blade\": [[[%g, -9, -9], [%g, 9, -9]], [[%g, -9, 9], [%g, 9, 9]]]}",
             x, x, x, x);
}

static uint64_t hash(const stage *s) {
  return clv_world_hash(clv_live_world(s->live));
}

// ---- commands -----------------------------------------------------------------------------------

static void wrong_commands_are_told(void **state) {
  (void)state;
  stage s = open_stage(beam);
  static const struct {
    const char *text, *part;
  } cases[] = {
      {"", "ends too early"},
      {"[]", "no object"},
      {"{", "no JSON object"},
      {"{\"do\": \"pause\"} x", "behind its end"},
      {"{\"do\": \"pause\",}", "quotes"},
      {"{do: \"pause\"}", "quotes"},
      {"{\"do\": \"pause\", \"do\": \"run\"}", "twice"},
      {"{\"do\": \"dance\"}", "names no command"},
      {"{\"do\": 1}", "names no command"},
      {"{}", "names no command"},
      {"{\"do\": \"speed\"}", "'factor' must be a number"},
      {"{\"do\": \"speed\", \"factor\": 1e999}", "not finite"},
      {"{\"do\": \"speed\", \"factor\": NaN}", "JSON does not have"},
      {"{\"do\": \"speed\", \"factor\": 01}", "JSON does not have"},
      {"{\"do\": \"speed\", \"factor\": 1.}", "point"},
      {"{\"do\": \"speed\", \"factor\": -1}", "range"},
      {"{\"do\": \"step\", \"count\": 0.5}", "whole"},
      {"{\"do\": \"grab\", \"body\": 0, \"point\": 1, \"at\": [0, 0]}", "three numbers"},
      {"{\"do\": \"knife\", \"body\": 0, \"blade\": [[[0, 0, 0], [1, 1, 1]]]}", "blade"},
      {"{\"do\": \"look\", \"field\": \"smell\"}", "field"},
      {"{\"do\": \"look\", \"rate\": 100}", "range"},
      {"{\"do\": \"record\", \"on\": 1}", "true or false"},
      {"{\"do\": \"pause\", \"seq\": \"x\"}", "seq"},
      {"{\"do\": \"p\\u00\"}", "escape"},
      {"{\"do\": \"\\ud800\"}", "half"},
      {"{\"do\": \"\xff\"}", "no text"},
      {"{\"x\": [[[[[[[[[[]]]]]]]]]]}", "deep"},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    clv_error error = {0};
    const clv_result result = clv_live_tell(s.live, s.client, cases[k].text, strlen(cases[k].text), &error);
    if (result != CLV_ERROR_INPUT || !strstr(error.message, cases[k].part) || strlen(error.message) > 120)
      fail_msg("%s: %s", cases[k].text, error.message);
  }
  expect(ask(&s, "{\"do\": \"remove\", \"body\": 0, \"cell\": 5}"), "no such cell");
  expect(ask(&s, "{\"do\": \"remove\", \"body\": 3, \"cell\": 5}"), "no such body");
  expect(ask(&s, "{\"do\": \"grab\", \"body\": 0, \"point\": 100000, \"at\": [0, 0, 0]}"), "no point");
  expect(ask(&s, "{\"do\": \"drag\", \"at\": [0, 0, 0]}"), "nothing is grabbed");
  expect(ask(&s, "{\"do\": \"undo\"}"), "no edit");
  expect(ask(&s, "{\"do\": \"set\", \"name\": \"mood\", \"value\": 1}"), "no setting");
  expect(ask(&s, "{\"do\": \"set\", \"name\": \"gravity\", \"value\": -1}"), "goes from");
  expect(ask(&s, "{\"do\": \"model\", \"body\": 0, \"name\": \"jelly\"}"), "no model");
  expect(ask(&s, "{\"do\": \"model\", \"body\": 0, \"name\": \"cloth\"}"), "does not serve");
  expect(ask(&s, "{\"do\": \"integrator\", \"body\": 0, \"name\": \"luck\"}"), "no integrator");
  expect(ask(&s, "{\"do\": \"seek\", \"frame\": 0}"), "finished run");
  expect(ask(&s, "{\"do\": \"record\", \"on\": true}"), "nobody said where");
  close_stage(&s);
}

// ---- edits and undoing --------------------------------------------------------------------------

static void an_edit_is_undone_to_the_last_bit(void **state) {
  (void)state;
  stage s = open_stage(beam), other = open_stage(beam);
  advance(&s, 5);
  advance(&other, 5);
  const uint64_t before = hash(&s);
  expect(cut_at(&s, 2.01), "\"components\": 2");
  advance(&s, 3);
  expect(cut_at(&s, 2.9), "\"components\": 3"); // the same stroke
  assert_int_not_equal(hash(&s), before);
  expect(ask(&s, "{\"do\": \"undo\"}"), "\"ok\": true");
  assert_int_equal(hash(&s), before);
  expect(ask(&s, "{\"do\": \"undo\"}"), "no edit");
  advance(&s, 5);
  advance(&other, 5);
  assert_int_equal(hash(&s), hash(&other));
  // Two strokes are two edits.
  cut_at(&s, 2.01);
  tell(&s, "{\"do\": \"knife-end\"}");
  const char *cut = cut_at(&s, 2.9);
  expect(cut, "\"components\": 3");
  expect(ask(&s, "{\"do\": \"undo\"}"), "\"ok\": true");
  assert_int_equal(live_show_components(&s.live->bodies[0].show), 2);
  expect(cut_at(&s, 90), "\"facets\": 0"); // air: no edit
  expect(ask(&s, "{\"do\": \"undo\"}"), "\"ok\": true");
  assert_int_equal(live_show_components(&s.live->bodies[0].show), 1);
  expect(ask(&s, "{\"do\": \"reset\"}"), "\"ok\": true");
  close_stage(&other);
  other = open_stage(beam);
  assert_int_equal(clv_world_steps(clv_live_world(s.live)), 0);
  advance(&s, 1);
  advance(&other, 1);
  assert_int_equal(hash(&s), hash(&other));
  close_stage(&other);
  close_stage(&s);
}

static void settings_and_models_are_undone_too(void **state) {
  (void)state;
  stage s = open_stage(beam);
  advance(&s, 3);
  expect(ask(&s, "{\"do\": \"refine\", \"body\": 0, \"at\": [2, 0.5, 0.5], \"radius\": 0.5, \"level\": 1}"),
         "\"ok\": true");
  const char *changes[] = {"{\"do\": \"model\", \"body\": 0, \"name\": \"springs\"}",
                           "{\"do\": \"integrator\", \"body\": 0, \"name\": \"newmark\"}",
                           "{\"do\": \"set\", \"name\": \"stiffness\", \"value\": 2}",
                           "{\"do\": \"set\", \"name\": \"step\", \"value\": 0.005}",
                           "{\"do\": \"set\", \"name\": \"damping\", \"value\": 3}",
                           "{\"do\": \"set\", \"name\": \"gravity\", \"value\": 5}",
                           "{\"do\": \"set\", \"name\": \"tear\", \"value\": 900000}",
                           "{\"do\": \"set\", \"name\": \"iterations\", \"value\": 200}"};
  for (size_t k = 0; k < sizeof changes / sizeof *changes; k++) {
    const double time = clv_world_time(clv_live_world(s.live));
    expect(ask(&s, "%s", changes[k]), "\"ok\": true");
    assert_true(clv_world_time(clv_live_world(s.live)) == time);
    advance(&s, 2);
  }
  const uint64_t before = hash(&s);
  expect(cut_at(&s, 2.01), "\"ok\": true");
  advance(&s, 3);
  ask(&s, "{\"do\": \"set\", \"name\": \"gravity\", \"value\": 9}");
  expect(ask(&s, "{\"do\": \"undo\"}"), "\"ok\": true");
  assert_int_equal(hash(&s), before);
  double gravity[3];
  clv_body_get_gravity(clv_world_body(clv_live_world(s.live), 0), gravity);
  assert_true(gravity[2] == -5);
  assert_string_equal(live_model_name(s.live, 0), "springs");
  assert_int_equal(clv_solver_get_def(clv_world_solver(clv_live_world(s.live), 0))->method, CLV_NEWMARK);
  advance(&s, 3);
  close_stage(&s);
}

static void another_model_goes_on_from_here(void **state) {
  (void)state;
  const char *name;
  for (uint32_t k = 0; (name = clv_model_list(k, NULL)); k++) {
    if (!strcmp(name, "cloth") || !strcmp(name, "rules")) continue;
    stage s = open_stage(beam), own = open_stage(beam);
    advance(&s, 10);
    clv_body *body = clv_world_body(clv_live_world(s.live), 0);
    const size_t size = 3 * sizeof(double) * clv_body_slots(body);
    double *kept = malloc(2 * size);
    memcpy(kept, clv_body_positions(body), size);
    memcpy((char *)kept + size, clv_body_velocities(body), size);
    expect(ask(&s, "{\"do\": \"model\", \"body\": 0, \"name\": \"%s\"}", name), "\"ok\": true");
    assert_memory_equal(kept, clv_body_positions(body), size);
    assert_memory_equal((char *)kept + size, clv_body_velocities(body), size);
    // The same forces as a body has that was made so.
    expect(ask(&own, "{\"do\": \"model\", \"body\": 0, \"name\": \"%s\"}", name), "\"ok\": true");
    clv_body *fresh = clv_world_body(clv_live_world(own.live), 0);
    memcpy(clv_body_positions(fresh), kept, size);
    memcpy(clv_body_velocities(fresh), (char *)kept + size, size);
    double *forces = malloc(2 * size), *others = forces + size / sizeof *forces;
    assert_int_equal(clv_body_force(body, 0, forces), CLV_OK);
    assert_int_equal(clv_body_force(fresh, 0, others), CLV_OK);
    double greatest = 0;
    for (size_t c = 3; c < size / sizeof *forces; c++) greatest = fmax(greatest, fabs(others[c]));
    for (size_t c = 3; c < size / sizeof *forces; c++) assert_true(fabs(forces[c] - others[c]) <= 1e-9 * greatest);
    free(forces);
    free(kept);
    expect(cut_at(&s, 2.01), "\"components\": 2"); // commits are heard in order
    advance(&s, 5);
    assert_int_equal(clv_map_check(clv_body_map(clv_world_body(clv_live_world(s.live), 0)), NULL, NULL), CLV_OK);
    close_stage(&own);
    close_stage(&s);
  }
}

static void a_grab_pulls(void **state) {
  (void)state;
  stage s = open_stage(beam), still = open_stage(beam);
  uint32_t tip = 0;
  const clv_body *body = clv_world_body(clv_live_world(s.live), 0);
  const double *rest = clv_body_rest(body);
  for (uint32_t slot = 1; slot < clv_body_slots(body); slot++)
    if (rest[3 * slot] == 4 && rest[3 * slot + 1] == 0.5 && rest[3 * slot + 2] == 0.5) tip = slot;
  assert_int_not_equal(tip, 0);
  expect(ask(&s, "{\"do\": \"grab\", \"body\": 0, \"point\": %u, \"at\": [4, 0.5, 1]}", tip), "\"ok\": true");
  expect(ask(&s, "{\"do\": \"drag\", \"at\": [4, 0.5, 2]}"), "\"ok\": true");
  advance(&s, 100);
  advance(&still, 100);
  const double pulled = clv_body_positions(clv_world_body(clv_live_world(s.live), 0))[3 * tip + 2];
  const double hanging = clv_body_positions(clv_world_body(clv_live_world(still.live), 0))[3 * tip + 2];
  assert_true(pulled > hanging + 0.5 && pulled < 2.5);
  clv_live_leave(s.live, s.client); // lets go
  s.client = clv_live_join(s.live);
  advance(&s, 200);
  assert_int_equal(s.live->grabs.count, 0);
  assert_true(clv_body_positions(clv_world_body(clv_live_world(s.live), 0))[3 * tip + 2] < pulled - 0.3);
  close_stage(&still);
  close_stage(&s);
}

static void brushes_work(void **state) {
  (void)state;
  stage s = open_stage(beam);
  advance(&s, 2);
  expect(ask(&s, "{\"do\": \"fix\", \"body\": 0, \"at\": [4.3, 0.5, 0.5], \"radius\": 0.785}"), "\"points\": 9");
  expect(ask(&s, "{\"do\": \"free\", \"body\": 0, \"at\": [-0.3, 0.5, 0.5], \"radius\": 0.785}"), "\"points\": 9");
  expect(ask(&s, "{\"do\": \"pierce\", \"body\": 0, \"from\": [3, 0.5, -1], \"to\": [3, 0.5, 2], \"radius\": 0.1}"),
         "\"ok\": true");
  expect(ask(&s, "{\"do\": \"refine\", \"body\": 0, \"at\": [1, 0.5, 0.5], \"radius\": 0.5, \"level\": 2}"),
         "\"ok\": true");
  const char *fine =
      ask(&s, "{\"do\": \"refine\", \"body\": 0, \"at\": [1, 0.5, 0.5], \"radius\": 1e-4, \"level\": 3}");
  if (strstr(fine, "\"refined\": 0,")) fail_msg("a small brush refined nothing");
  advance(&s, 2);
  const char *coarse =
      ask(&s, "{\"do\": \"coarsen\", \"body\": 0, \"at\": [1, 0.5, 0.5], \"radius\": 3, \"level\": 0}");
  expect(coarse, "\"ok\": true");
  if (strstr(coarse, "\"coarsened\": 0,")) fail_msg("nothing was coarsened");
  for (int k = 0; k < 6; k++) expect(ask(&s, "{\"do\": \"undo\"}"), "\"ok\": true");
  expect(ask(&s, "{\"do\": \"undo\"}"), "no edit");
  expect(ask(&s, "{\"do\": \"pick\", \"body\": 0, \"cell\": 1024}"), "\"darts\": [[");
  close_stage(&s);
}

// ---- what is shown ------------------------------------------------------------------------------

// What a client has made of its frames.
typedef struct seen {
  live_face *faces[2];
  uint32_t slots[2];
  uint32_t points, whole, changed;
} seen;

static uint32_t word(const uint8_t *at) {
  uint32_t w;
  memcpy(&w, at, sizeof w);
  return w;
}

static void take_frame(seen *to, const uint8_t *frame, size_t size) {
  for (size_t at = 0; at < size;) {
    const uint32_t kind = word(frame + at), length = word(frame + at + 8), layer = word(frame + at + 12);
    const uint8_t *content = frame + at + 16;
    assert_true(at + 16 + length <= size && length % 4 == 0);
    at += 16 + length;
    if (kind == 4) to->points = word(content);
    if (kind != 2 && kind != 3) continue;
    const uint32_t slots = word(content), count = kind == 2 ? slots : word(content + 4);
    const size_t stride = kind == 2 ? 20 : 24;
    assert_int_equal(length, (kind == 2 ? 4 : 8) + count * stride);
    to->faces[layer] = realloc(to->faces[layer], (slots + 1) * sizeof(live_face));
    if (slots > to->slots[layer])
      memset(to->faces[layer] + to->slots[layer], 0, (slots - to->slots[layer]) * sizeof(live_face));
    to->slots[layer] = slots;
    to->whole += kind == 2;
    to->changed += kind == 3;
    for (uint32_t k = 0; k < count; k++) {
      const uint8_t *row = content + (kind == 2 ? 4 : 8) + k * stride;
      const uint32_t slot = kind == 2 ? k : word(row);
      assert_true(slot < slots);
      memcpy(&to->faces[layer][slot], row + (kind == 3) * 4, sizeof(live_face));
    }
  }
}

static void look(stage *s, uint32_t client, seen *to) {
  size_t size = 0;
  double wait;
  for (uint32_t k = 0; k < CLV_LIVE_CLIENTS; k++) s->live->clients[k].due = 0; // as if time had passed
  const uint8_t *frame = clv_live_frame(s->live, client, &size, &wait);
  if (frame) take_frame(to, frame, size);
}

static int compare_faces(const void *a, const void *b) {
  return memcmp(a, b, sizeof(live_face));
}

static bool is_empty(const live_face *f) {
  return f->corner[0] == f->corner[1] && f->corner[1] == f->corner[2];
}

// The same faces, in whatever slots.
static void assert_same_faces(const seen *a, const seen *b, uint32_t layer) {
  const seen *both[2] = {a, b};
  live_face *list[2];
  uint32_t count[2] = {0, 0};
  for (int k = 0; k < 2; k++) {
    list[k] = malloc((both[k]->slots[layer] + 1) * sizeof(live_face));
    for (uint32_t f = 0; f < both[k]->slots[layer]; f++)
      if (!is_empty(&both[k]->faces[layer][f])) list[k][count[k]++] = both[k]->faces[layer][f];
    qsort(list[k], count[k], sizeof(live_face), compare_faces);
  }
  assert_int_equal(count[0], count[1]);
  assert_memory_equal(list[0], list[1], count[0] * sizeof(live_face));
  free(list[0]);
  free(list[1]);
}

static void free_seen(seen *s) {
  free(s->faces[0]);
  free(s->faces[1]);
  *s = (seen){0};
}

// The table that a show makes anew, whatever happened before.
static void made_anew(stage *s, seen *to) {
  live_show *show = &s->live->bodies[0].show;
  show->stale = true;
  assert_true(live_show_update(show));
  for (uint32_t layer = 0; layer < 2; layer++) {
    const live_table *table = &show->layers[layer];
    to->faces[layer] = malloc((table->faces.count + 1) * sizeof(live_face));
    memcpy(to->faces[layer], table->faces.data, table->faces.count * sizeof(live_face));
    to->slots[layer] = table->faces.count;
  }
}

static double unit(random_source *random) {
  return random_below(random, 1000) / 1000.0;
}

static void random_edit(stage *s, random_source *random) {
  const double x = 4 * unit(random), y = unit(random), z = unit(random), r = 0.2 + 0.3 * unit(random);
  switch (random_below(random, 5)) {
  case 0:
    ask(s, "{\"do\": \"knife\", \"body\": 0, \"blade\": [[[%g, -9, %g], [%g, 9, -9]], [[%g, -9, %g], [%g, 9, 9]]]}", x,
        -z, x, y * 4, z + 1, x);
    break;
  case 1:
    ask(s, "{\"do\": \"pierce\", \"body\": 0, \"from\": [%g, %g, -1], \"to\": [%g, %g, 2], \"radius\": 0.05}", x, y, x,
        y);
    break;
  case 2:
    ask(s, "{\"do\": \"refine\", \"body\": 0, \"at\": [%g, %g, %g], \"radius\": %g, \"level\": 1}", x, y, z, r);
    break;
  case 3:
    ask(s, "{\"do\": \"coarsen\", \"body\": 0, \"at\": [%g, %g, %g], \"radius\": %g, \"level\": 0}", x, y, z, 2 * r);
    break;
  default:
    ask(s, "{\"do\": \"undo\"}");
  }
}

static void deltas_lead_to_the_whole(void **state) {
  (void)state;
  const char *const scenes[] = {beam, "cleave: 1\nmesh: {grid: quad, cells: [8, 4], size: [4, 1]}\n"
                                      "material: {young: 1 MPa, thickness: 1 cm}\nmodel: fem-corotational\n"
                                      "solver: {method: implicit-euler, step: 5 ms}\nuntil: 1\n"};
  for (uint32_t k = 0; k < 2; k++) {
    stage s = open_stage(scenes[k]);
    seen steady = {0};
    random_source random = {.state = 42 + k};
    tell(&s, "{\"do\": \"look\", \"layer\": 1}");
    advance(&s, 0);
    look(&s, s.client, &steady);
    assert_int_equal(steady.whole, 2);
    for (int round = 0; round < 25; round++) {
      for (uint32_t e = 0; e <= random_below(&random, 3); e++) random_edit(&s, &random);
      advance(&s, 1);
      look(&s, s.client, &steady);
      seen anew = {0}, fresh = {0};
      const uint32_t newcomer = clv_live_join(s.live);
      stage second = {.scene = s.scene, .live = s.live, .client = newcomer};
      tell(&second, "{\"do\": \"look\", \"layer\": 1}");
      look(&s, newcomer, &fresh);
      made_anew(&s, &anew);
      for (uint32_t layer = 0; layer < 2; layer++) {
        assert_same_faces(&steady, &anew, layer);
        assert_same_faces(&steady, &fresh, layer);
      }
      clv_live_leave(s.live, newcomer);
      free_seen(&anew);
      free_seen(&fresh);
      // Everything was made anew, and is told as such.
      advance(&s, 0);
      s.live->changed = true;
      live_publish(s.live);
      look(&s, s.client, &steady);
    }
    free_seen(&steady);
    close_stage(&s);
  }
}

static void what_is_cut_is_open(void **state) {
  (void)state;
  stage s = open_stage(beam);
  seen all = {0};
  look(&s, s.client, &all);
  uint32_t open = 0;
  const uint32_t faces = all.slots[0];
  cut_at(&s, 2.01);
  look(&s, s.client, &all);
  assert_int_equal(all.changed, 1); // a delta, and a small one
  for (uint32_t k = 0; k < all.slots[0]; k++)
    open += !is_empty(&all.faces[0][k]) && all.faces[0][k].flags & LIVE_FACE_OPEN;
  assert_true(open >= 16 && open % 2 == 0);
  assert_true(all.slots[0] >= faces + open);
  // Refined, they still are.
  ask(&s, "{\"do\": \"refine\", \"body\": 0, \"at\": [2, 0.5, 0.5], \"radius\": 0.9, \"level\": 1}");
  look(&s, s.client, &all);
  uint32_t finer = 0;
  for (uint32_t k = 0; k < all.slots[0]; k++)
    finer += !is_empty(&all.faces[0][k]) && all.faces[0][k].flags & LIVE_FACE_OPEN;
  assert_true(finer > open);
  free_seen(&all);
  close_stage(&s);
}

// Of a cloth, the sides on both sides of the cut.
static void a_cut_cloth_is_open(void **state) {
  (void)state;
  stage s = open_stage(
      "cleave: 1\nmesh: {grid: tri, cells: [4, 4], size: [1, 1]}\nmaterial: {young: 1 kPa, thickness: 1 mm}\n"
      "model: cloth\nsolver: {method: implicit-euler, step: 10 ms}\nuntil: 1\n");
  const char *did = ask(&s, "{\"do\": \"knife\", \"body\": 0, \"blade\": "
                            "[[[0.51, -9, -9], [0.51, -9, 9]], [[0.51, 9, -9], [0.51, 9, 9]]]}");
  uint32_t facets = 0;
  assert_int_equal(sscanf(strstr(did, "\"facets\""), "\"facets\": %u", &facets), 1);
  assert_true(facets >= 4);
  live_publish(s.live);
  live_news(s.live);
  char cut[40];
  snprintf(cut, sizeof cut, "\"cut\": %u,", 2 * facets);
  expect(hear(&s, "{\"news\""), cut);
  close_stage(&s);
}

// Who takes steps that can only be made in tiny parts is told so, and what would do.
static void a_hopeless_step_pauses(void **state) {
  (void)state;
  stage s = open_stage(beam);
  expect(ask(&s, "{\"do\": \"integrator\", \"body\": 0, \"name\": \"symplectic-euler\"}"), "\"ok\": true");
  expect(ask(&s, "{\"do\": \"set\", \"name\": \"stiffness\", \"value\": 100}"), "\"ok\": true");
  ask(&s, "{\"do\": \"run\"}");
  for (uint32_t k = 0; k < 100 && !s.live->paused; k++) advance(&s, 1);
  assert_true(s.live->paused);
  live_news(s.live);
  expect(hear(&s, "{\"news\""), "s are stable");
  close_stage(&s);
}

// Seen from outside: the volume that the faces enclose is that of the body.
static void faces_look_outward(void **state) {
  (void)state;
  static const char *const grids[] = {"tet5", "tet6", "hex", "prism", "pyramid"};
  for (size_t k = 0; k < sizeof grids / sizeof *grids; k++) {
    char text[400];
    snprintf(text, sizeof text,
             "cleave: 1\nmesh: {grid: %s, cells: [3, 2, 2], size: [3, 2, 2]}\nmaterial: {young: 1 MPa}\n"
             "model: springs\nsolver: {method: implicit-euler, step: 10 ms}\nuntil: 1\n",
             grids[k]);
    stage s = open_stage(text);
    seen all = {0};
    look(&s, s.client, &all);
    const double *rest = clv_body_rest(clv_world_body(clv_live_world(s.live), 0));
    double volume = 0;
    for (uint32_t f = 0; f < all.slots[0]; f++) {
      const double *a = rest + 3 * (size_t)all.faces[0][f].corner[0], *b = rest + 3 * (size_t)all.faces[0][f].corner[1],
                   *c = rest + 3 * (size_t)all.faces[0][f].corner[2];
      volume += (a[0] * (b[1] * c[2] - b[2] * c[1]) - a[1] * (b[0] * c[2] - b[2] * c[0]) +
                 a[2] * (b[0] * c[1] - b[1] * c[0])) /
                6;
    }
    assert_true(fabs(volume - 12) < 1e-9);
    free_seen(&all);
    close_stage(&s);
  }
}

// ---- texts --------------------------------------------------------------------------------------

static void clients_are_told(void **state) {
  (void)state;
  stage s = open_stage(beam);
  expect(hear(&s, "{\"hello\": 1"), "\"title\": \"A beam\"");
  stage two = {.live = s.live, .client = clv_live_join(s.live)};
  hear(&two, "{\"hello\"");
  ask(&s, "{\"do\": \"set\", \"name\": \"gravity\", \"value\": 1}");
  expect(hear(&two, "{\"hello\""), "\"gravity\": {\"value\": 1,"); // whoever changed it
  advance(&s, 1);
  live_news(s.live);
  expect(hear(&two, "{\"news\""), "\"components\": 1");
  // As many as there is room for, and no more.
  uint32_t others[CLV_LIVE_CLIENTS];
  uint32_t count = 0;
  while ((others[count] = clv_live_join(s.live))) count++;
  assert_int_equal(count, CLV_LIVE_CLIENTS - 2);
  clv_live_leave(s.live, others[0]);
  assert_int_not_equal(clv_live_join(s.live), 0);
  close_stage(&s);
}

// Whoever looks every 15.4 ms finds sixty beats a second, or every time one; nobody gets more by being late once.
static void beats_are_kept(void **state) {
  (void)state;
  static const double everies[] = {0.002, 0.009, 0.0154, 0.0166, 0.017, 0.025, 0.05};
  for (size_t e = 0; e < sizeof everies / sizeof *everies; e++) {
    const double every = everies[e], most = fmin(600, 10 / every);
    double beat = 0, longest = 0;
    uint32_t count = 0;
    for (uint32_t look = 0; look < 10 / every; look++) {
      const double now = look * every;
      if (now < beat) continue;
      beat = live_next_beat(beat, now, 60);
      longest = fmax(longest, beat - now);
      count++;
    }
    assert_true(count >= 0.98 * most && count <= most + 2);
    assert_true(longest <= 1.0 / 60 + 1e-9);
  }
  const double late = live_next_beat(1, 5, 60);
  assert_true(late <= 5 && live_next_beat(late, 5, 60) > 5);
}

static void the_engine_runs_by_itself(void **state) {
  (void)state;
  stage s = open_stage(beam);
  clv_error error;
  tell(&s, "{\"do\": \"run\"}");
  tell(&s, "{\"do\": \"speed\", \"factor\": 0}");
  assert_int_equal(clv_live_start(s.live, &error), CLV_OK);
  size_t size;
  double wait;
  uint32_t frames = 0;
  seen all = {0};
  for (int k = 0; k < 400 && frames < 5; k++) {
    const uint8_t *frame = clv_live_frame(s.live, s.client, &size, &wait);
    if (frame) take_frame(&all, frame, size);
    frames += frame != NULL;
    if (k == 20)
      tell(&s, "{\"do\": \"knife\", \"body\": 0, \"blade\": [[[2.01, -9, -9], [2.01, 9, -9]], [[2.01, -9, 9], [2.01, "
               "9, 9]]]}");
    usleep(10000);
  }
  assert_int_equal(frames, 5);
  free_seen(&all);
  close_stage(&s);
}

// ---- replays ------------------------------------------------------------------------------------

static void write_text(void *user, const char *text, size_t size) {
  assert_int_equal(fwrite(text, 1, size, user), size);
}

static void a_replay_leaves_the_same_bits(void **state) {
  (void)state;
  stage s = open_stage(beam);
  random_source random = {.state = 7};
  clv_error error = {0};
  advance(&s, 2);
  ask(&s, "{\"do\": \"grab\", \"body\": 0, \"point\": 20, \"at\": [4, 0.5, 1]}");
  for (int k = 0; k < 8; k++) {
    random_edit(&s, &random);
    advance(&s, 2);
    if (k == 2) ask(&s, "{\"do\": \"model\", \"body\": 0, \"name\": \"stvk\"}");
    if (k == 4) ask(&s, "{\"do\": \"set\", \"name\": \"step\", \"value\": 0.004}");
  }
  char path[] = "/tmp/cleave-test-live-XXXXXX";
  const int file = mkstemp(path);
  FILE *stream = fdopen(file, "wb");
  assert_int_equal(clv_live_write_replay(s.live, write_text, stream, &error), CLV_OK);
  fclose(stream);
  for (uint32_t threads = 1; threads <= 2; threads++) {
    clv_replay *replay = clv_replay_read(path, threads, NULL, &error);
    if (!replay) fail_msg("%s", error.message);
    assert_int_equal(clv_replay_steps(replay), 18);
    while (clv_replay_done(replay) < clv_replay_steps(replay))
      if (clv_replay_step(replay, &error) != CLV_OK) fail_msg("%s", error.message);
    if (clv_replay_check(replay, &error) != CLV_OK) fail_msg("%s", error.message);
    assert_int_equal(clv_world_hash(clv_replay_world(replay)), hash(&s));
    clv_replay_destroy(replay);
  }
  // Another end is noticed.
  stream = fopen(path, "r+b");
  fseek(stream, -2, SEEK_END);
  const int last = fgetc(stream);
  fseek(stream, -2, SEEK_END);
  fputc(last == '0' ? '1' : '0', stream);
  fclose(stream);
  clv_replay *replay = clv_replay_read(path, 1, NULL, &error);
  while (clv_replay_done(replay) < clv_replay_steps(replay)) clv_replay_step(replay, &error);
  assert_int_equal(clv_replay_check(replay, &error), CLV_ERROR_INVALID);
  clv_replay_destroy(replay);
  // And so is a file that is none.
  assert_int_equal(truncate(path, 100), 0);
  assert_null(clv_replay_read(path, 1, NULL, &error));
  unlink(path);
  close_stage(&s);
}

// ---- memory -------------------------------------------------------------------------------------

// Everything there is, done once. What fails for lack of memory is told, and all of it can be done afterwards.
static void live_through(counting_memory *memory, size_t fail_at) {
  static const char text[] = "cleave: 1\nmesh: {grid: tet5, cells: [2, 1, 1], size: [2, 1, 1]}\n"
                             "material: {young: 1 MPa}\nmodel: fem-corotational\n"
                             "solver: {method: implicit-euler, step: 10 ms}\nuntil: 1\n";
  static const char *const commands[] = {
      "{\"do\": \"look\", \"layer\": 1, \"field\": \"strain\"}",
      "{\"do\": \"grab\", \"body\": 0, \"point\": 2, \"at\": [0, 0, 1], \"seq\": 1}",
      "{\"do\": \"knife\", \"body\": 0, \"blade\": [[[1, -9, -9], [1, 9, -9]], [[1, -9, 9], [1, 9, 9]]], \"seq\": 2}",
      "{\"do\": \"refine\", \"body\": 0, \"at\": [0, 0, 0], \"radius\": 1, \"level\": 1}",
      "{\"do\": \"model\", \"body\": 0, \"name\": \"springs\"}",
      "{\"do\": \"set\", \"name\": \"stiffness\", \"value\": 2}",
      "{\"do\": \"pick\", \"body\": 0, \"cell\": 1024, \"seq\": 3}",
      "{\"do\": \"undo\"}",
      "{\"do\": \"undo\"}",
  };
  const clv_allocator allocator = counting_allocator(memory);
  clv_error error = {0};
  clv_live_def def = clv_default_live_def();
  def.allocator = allocator;
  stage s = {.scene = clv_scene_parse("live.yaml", text, strlen(text), &allocator, &error)};
  assert_non_null(s.scene);
  memory->refused = false;
  memory->fail_at = memory->requests + fail_at;
  s.live = clv_live_scene(s.scene, &def, &error);
  s.client = s.live ? clv_live_join(s.live) : 0;
  for (size_t k = 0; s.client && k < sizeof commands / sizeof *commands; k++) {
    seen all = {0};
    if (clv_live_tell(s.live, s.client, commands[k], strlen(commands[k]), &error) != CLV_OK)
      assert_int_equal(error.code, CLV_ERROR_MEMORY);
    const clv_result result = clv_live_advance(s.live, 1, &error);
    assert_true(result == CLV_OK || result == CLV_ERROR_MEMORY);
    look(&s, s.client, &all);
    free_seen(&all);
  }
  memory->fail_at = 0;
  if (s.client) {
    seen all = {0}, anew = {0};
    advance(&s, 1);
    s.live->clients[0].known[0] = (live_known){{0, 0}, 0, 0};
    s.live->clients[0].publication = 0;
    tell(&s, "{\"do\": \"look\", \"layer\": 1}");
    advance(&s, 0);
    look(&s, s.client, &all);
    made_anew(&s, &anew);
    for (uint32_t layer = 0; layer < 2; layer++) assert_same_faces(&all, &anew, layer);
    assert_int_equal(clv_map_check(clv_body_map(clv_world_body(clv_live_world(s.live), 0)), NULL, NULL), CLV_OK);
    free_seen(&all);
    free_seen(&anew);
  }
  close_stage(&s);
  assert_int_equal(memory->live_bytes, 0);
}

static void memory_may_run_out(void **state) {
  (void)state;
  counting_memory memory = {0};
  size_t fail_at = 1;
  do live_through(&memory, fail_at);
  while (fail_at += 1 + fail_at / 7, memory.refused);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(wrong_commands_are_told),
      cmocka_unit_test(an_edit_is_undone_to_the_last_bit),
      cmocka_unit_test(settings_and_models_are_undone_too),
      cmocka_unit_test(another_model_goes_on_from_here),
      cmocka_unit_test(a_grab_pulls),
      cmocka_unit_test(brushes_work),
      cmocka_unit_test(deltas_lead_to_the_whole),
      cmocka_unit_test(what_is_cut_is_open),
      cmocka_unit_test(a_cut_cloth_is_open),
      cmocka_unit_test(a_hopeless_step_pauses),
      cmocka_unit_test(faces_look_outward),
      cmocka_unit_test(clients_are_told),
      cmocka_unit_test(beats_are_kept),
      cmocka_unit_test(the_engine_runs_by_itself),
      cmocka_unit_test(a_replay_leaves_the_same_bits),
      cmocka_unit_test(memory_may_run_out),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
