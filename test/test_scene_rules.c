// Scenes in which events operate, beside scenes in which rules do: the same cuts, at the same steps, and the same
// motion. And runs that are stopped and go on while rules are applied.

#include "cleave/scene.h"
#include "support/operated.h"

#include <stdio.h>
#include <stdlib.h>

enum { TEXT = 2048, STEPS = 20, BLOCKS = 64, GRIDS = 3, HEXES = 1, SURFACE = 2 };

static const char *const grids[GRIDS] = {"grid: tet5, cells: [8, 2, 2], size: [4, 1, 1]",
                                         "grid: hex, cells: [8, 2, 2], size: [4, 1, 1]",
                                         "grid: tri, cells: [8, 2], size: [4, 1]"};

// Bodies, and how they are moved: so many steps for one of ten milliseconds.
typedef struct setting {
  const char *model, *solver;
  uint32_t steps;
  bool springs;
} setting;

static const setting settings[] = {
    {"fem-corotational", "{method: implicit-euler, step: 10 ms}", 1, false},
    {"springs", "{method: implicit-euler, step: 10 ms}", 1, true},
    {"fem-corotational", "{method: symplectic-euler, step: 2 ms}", 5, false},
    {"springs", "{method: symplectic-euler, step: 2 ms}", 5, true},
};
enum { SETTINGS = sizeof settings / sizeof *settings };

// Pulled at its end, and let back.
static const char head[] = "cleave: 1\nmesh: {%s}\ngravity: [0, 0, -2]\nuntil: 0.2\n"
                           "material: {young: 20 kPa}\nmodel: %s\n"
                           "fix: [{box: [[0, 0, 0], [0, 1, 1]]}]\nsolver: %s\n"
                           "move: [{box: [[4, 0, 0], [4, 1, 1]], "
                           "path: [[0, [0, 0, 0]], [0.1, [0.8, 0, 0]], [0.2, [0, 0, 0]]]}]\nevents:\n%s";

// Events that operate, and rules that do the same in volumes and on surfaces.
typedef struct twin {
  const char *events, *solid, *flat;
  bool simplices, solids, springs; // for these alone
  const char *flat_event;          // on surfaces, where it is another
} twin;

static const twin twins[] = {
    {"  - {at: 0.05, cut: {box: [[1.9, -1, -1], [2.1, 2, 0.6]]}}\n",
     "  - {at: 0.05, apply: {rule: cut_in_box, params: {box_least: [1.9, -1, -1], box_greatest: [2.1, 2, 0.6]}}}\n",
     "  - {at: 0.05, apply: {rule: cut_edge_in_box, params: {box_least: [1.9, -1, -1], box_greatest: [2.1, 2, "
     "0.6]}}}\n"},
    {"  - {at: 0.05, cut: {sphere: {center: [2, 0, 0], radius: 0.8}}}\n",
     "  - {at: 0.05, apply: {rule: cut_in_ball, params: {ball_centre: [2, 0, 0], ball_radius: 0.8}}}\n",
     "  - {at: 0.05, apply: {rule: cut_edge_in_ball, params: {ball_centre: [2, 0, 0], ball_radius: 0.8}}}\n"},
    {"  - {at: 0.05, cut: {capsule: {from: [2, 0, 0], to: [2, 1, 0], radius: 0.6}}}\n",
     "  - {at: 0.05, apply: {rule: cut_in_rod, params: {rod_from: [2, 0, 0], rod_to: [2, 1, 0], rod_radius: 0.6}}}\n",
     "  - {at: 0.05, apply: {rule: cut_edge_in_rod, params: {rod_from: [2, 0, 0], rod_to: [2, 1, 0], rod_radius: "
     "0.6}}}\n"},
    {"  - {at: 0.05, cut: {particles: [[2, 0, 0], [2, 0.5, 0], [2, 0, 0.5], [2, 0.5, 0.5]]}}\n",
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0, 0]}}}\n"
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0, 0.5]}}}\n"
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0.5, 0]}}}\n"
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0.5, 0.5]}}}\n"
     "  - {at: 0.05, apply: cut_marked}\n",
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0, 0]}}}\n"
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0, 0.5]}}}\n"
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0.5, 0]}}}\n"
     "  - {at: 0.05, apply: {rule: mark, on: vertex, params: {mark_point: [2, 0.5, 0.5]}}}\n"
     "  - {at: 0.05, apply: cut_edge_marked}\n"},
    {"  - {at: 0.05, slice: {plane: {point: [2.1, 0, 0], normal: [1, 0.3, 0]}, level: 1, snap: 0}}\n",
     "  - {at: 0.05, apply: {rule: refine_crossed, on: cell, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, "
     "0]}}}\n"
     "  - {at: 0.05, apply: {rule: slice, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, 0]}}}\n",
     "  - {at: 0.05, apply: {rule: refine_crossed_face, on: cell, params: {blade_point: [2.1, 0, 0], "
     "blade_up: [1, 0.3, 0]}}}\n"
     "  - {at: 0.05, apply: {rule: slice_edge, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, 0]}}}\n"},
    {"  - {at: 0, tear: {stress: 4 kPa}}\n",
     "  - {at: 0, apply: {rule: tear_stress, for: 1, params: {tear_strength: 4000}}}\n",
     "  - {at: 0, apply: {rule: tear_edge_stress, for: 1, params: {tear_strength: 4000}}}\n"},
    {"  - {at: 0, tear: {strain: 0.2, most: 2, in: {box: [[0.5, 0, 0], [3.5, 1, 1]]}}}\n",
     "  - {at: 0, apply: {rule: tear_strain, for: 1, most: 2, in: {box: [[0.5, 0, 0], [3.5, 1, 1]]}, params: "
     "{tear_stretch: 0.2}}}\n",
     "  - {at: 0, apply: {rule: tear_edge_strain, for: 1, most: 2, in: {box: [[0.5, 0, 0], [3.5, 1, 1]]}, params: "
     "{tear_stretch: 0.2}}}\n"},
    {"  - {at: 0.13, tear: {force: 250 N, most: 1, along: {box: [[1, 0, 0], [3, 1, 1]]}}}\n",
     "  - {at: 0.13, apply: {rule: name_facet, on: edge, for: 1, along: {box: [[1, 0, 0], [3, 1, 1]]}, params: "
     "{tear_tension: 250}}}\n"
     "  - {at: 0.13, apply: {rule: tear_force, for: 1, most: 1, along: {box: [[1, 0, 0], [3, 1, 1]]}, params: "
     "{tear_tension: 250}}}\n",
     "  - {at: 0.13, apply: {rule: name_edge, on: edge, for: 1, along: {box: [[1, 0, 0], [3, 1, 1]]}, params: "
     "{tear_tension: 5}}}\n"
     "  - {at: 0.13, apply: {rule: tear_edge_force, for: 1, most: 1, along: {box: [[1, 0, 0], [3, 1, 1]]}, params: "
     "{tear_tension: 5}}}\n",
     .springs = true,
     .flat_event = "  - {at: 0.13, tear: {force: 5 N, most: 1, along: {box: [[1, 0, 0], [3, 1, 1]]}}}\n"},
    {"  - {at: 0.03, pierce: {sphere: {center: [2.3, -0.4, 0.1], radius: 0.2}, path: [[0, [0, 0, 0]], [0.1, [0, 1.5, "
     "0]]]}}\n",
     "  - {at: 0.03, apply: {rule: pierce, on: cell, touching: {sphere: {center: [2.3, -0.4, 0.1], radius: 0.2}}, "
     "path: "
     "[[0, [0, 0, 0]], [0.1, [0, 1.5, 0]]]}}\n",
     "  - {at: 0.03, apply: {rule: pierce_face, on: cell, touching: {sphere: {center: [2.3, -0.4, 0.1], radius: 0.2}}, "
     "path: [[0, [0, 0, 0]], [0.1, [0, 1.5, 0]]]}}\n"},
    {"  - {at: 0, adapt: {stress: 3 kPa}}\n",
     "  - {at: 0, apply: {rule: wish_stress, on: cell, for: 1, params: {adapt_stress: 3000}}}\n"
     "  - {at: 0, apply: {rule: coarsen_wished, on: cell, for: 1}}\n"
     "  - {at: 0, apply: {rule: refine_wished, on: cell, for: 1}}\n",
     "  - {at: 0, apply: {rule: wish_stress, on: cell, for: 1, params: {adapt_stress: 3000}}}\n"
     "  - {at: 0, apply: {rule: coarsen_wished_face, on: cell, for: 1}}\n"
     "  - {at: 0, apply: {rule: refine_wished_face, on: cell, for: 1}}\n"},
    {"  - {at: 0.05, slice: {plane: {point: [2.2, 0, 0], normal: [1, 0.3, 0]}, exact: true, snap: 0, quality: "
     "0.001}}\n",
     "  - {at: 0.05, apply: {rule: split_crossed, on: edge, rounds: 50, params: {blade_point: [2.2, 0, 0], blade_up: "
     "[1, "
     "0.3, 0], blade_quality: 0.001}}}\n"
     "  - {at: 0.05, apply: {rule: slice, params: {blade_point: [2.2, 0, 0], blade_up: [1, 0.3, 0]}}}\n",
     "  - {at: 0.05, apply: {rule: split_crossed_face, on: edge, rounds: 50, params: {blade_point: [2.2, 0, 0], "
     "blade_up: [1, 0.3, 0], blade_quality: 0.001}}}\n"
     "  - {at: 0.05, apply: {rule: slice_edge, params: {blade_point: [2.2, 0, 0], blade_up: [1, 0.3, 0]}}}\n",
     true, true},
    {"  - {at: 0, slice: {plane: {point: [2.1, 0, 0], normal: [1, 0.3, 0]}}}\n",
     "  - {at: 0, apply: {rule: aim_at_blade, on: vertex, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, 0]}}}\n"
     "  - {at: 0, apply: {rule: snap, on: vertex, rounds: 50, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, "
     "0]}}}\n"
     "  - {at: 0, apply: {rule: slice, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, 0]}}}\n",
     "  - {at: 0, apply: {rule: aim_at_blade, on: vertex, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, 0]}}}\n"
     "  - {at: 0, apply: {rule: snap_face, on: vertex, rounds: 50, params: {blade_point: [2.1, 0, 0], blade_up: [1, "
     "0.3, "
     "0]}}}\n"
     "  - {at: 0, apply: {rule: slice_edge, params: {blade_point: [2.1, 0, 0], blade_up: [1, 0.3, 0]}}}\n",
     true, false},
};

typedef struct run {
  clv_scene *scene;
  clv_world *world;
  clv_surgery_report did;
} run;

static run start(const setting *s, const char *grid, const char *events) {
  char text[TEXT];
  clv_error error = {0};
  run r = {.scene = NULL};
  assert_true(snprintf(text, sizeof text, head, grid, s->model, s->solver, events) < TEXT);
  r.scene = clv_scene_parse("s.yaml", text, strlen(text), NULL, &error);
  if (r.scene) r.world = clv_scene_world(r.scene, 1, &error);
  if (!r.world) fail_msg("%s", error.message);
  return r;
}

static void end(run *r) {
  clv_world_destroy(r->world);
  clv_scene_destroy(r->scene);
}

static void step(run *r) {
  clv_world_report report = {0};
  if (clv_world_step(r->world, &report) != CLV_OK) fail_msg("%s", clv_world_error(r->world));
  r->did.facets += report.surgery.facets;
  r->did.vertices += report.surgery.vertices;
  r->did.refined += report.surgery.refined;
  r->did.coarsened += report.surgery.coarsened;
  r->did.split += report.surgery.split;
  r->did.removed += report.surgery.removed;
}

static void assert_alike(const run *a, const run *b, const char *events) {
  clv_body *one = clv_world_body(a->world, 0), *other = clv_world_body(b->world, 0);
  clv_map_info infos[2];
  clv_momenta momenta[2];
  assert_int_equal(clv_map_count(clv_body_map(one), &infos[0]), CLV_OK);
  assert_int_equal(clv_map_count(clv_body_map(other), &infos[1]), CLV_OK);
  clv_body_momenta(one, &momenta[0]);
  clv_body_momenta(other, &momenta[1]);
  // Of cells that a script removes, facets are not counted apart.
  const bool removes = a->did.removed && a->did.removed == b->did.removed;
  if ((a->did.facets != b->did.facets && !removes) || a->did.refined != b->did.refined ||
      a->did.coarsened != b->did.coarsened || a->did.vertices != b->did.vertices || a->did.split != b->did.split ||
      a->did.removed != b->did.removed)
    fail_msg("%s: %u, %u, %u, %u, %u and %u by rules, not %u, %u, %u, %u, %u and %u", events, b->did.facets,
             b->did.vertices, b->did.refined, b->did.coarsened, b->did.split, b->did.removed, a->did.facets,
             a->did.vertices, a->did.refined, a->did.coarsened, a->did.split, a->did.removed);
  assert_memory_equal(infos[0].cells, infos[1].cells, sizeof infos[0].cells);
  assert_int_equal(infos[0].components, infos[1].components);
  for (uint32_t k = 0; k < 3; k++) {
    assert_true(fabs(momenta[0].centre[k] - momenta[1].centre[k]) < 1e-5);
    assert_true(fabs(momenta[0].linear[k] - momenta[1].linear[k]) < 1e-4 * momenta[0].mass);
  }
}

static void assert_twins(const twin *t, const setting *s, uint32_t grid) {
  const char *events = grid == SURFACE && t->flat_event ? t->flat_event : t->events;
  run by_event = start(s, grids[grid], events), by_rule = start(s, grids[grid], grid == SURFACE ? t->flat : t->solid);
  for (uint32_t k = 1; k <= STEPS * s->steps; k++) {
    step(&by_event);
    step(&by_rule);
    if (k % s->steps == 0) assert_alike(&by_event, &by_rule, events);
  }
  if (!(by_event.did.facets + by_event.did.refined + by_event.did.removed))
    fail_msg("%s%s: nothing happens", grids[grid], events);
  operated_check(clv_world_body(by_rule.world, 0));
  end(&by_event);
  end(&by_rule);
}

// Sanitizers see each event in every third of the settings and grids, `make test` in all.
#if defined(__SANITIZE_ADDRESS__)
enum { EVERY = 3 };
#else
enum { EVERY = 1 };
#endif

// Hexahedra are moved explicitly in test_surgery_criteria.
static bool makes_sense(const twin *t, const setting *s, uint32_t grid) {
  return !(grid == HEXES && (t->simplices || s->steps > 1)) && !(t->solids && s->springs) &&
         !(t->springs && !s->springs);
}

static void rules_do_what_events_do(void **unused) {
  (void)unused;
  for (uint32_t t = 0; t < sizeof twins / sizeof *twins; t++)
    for (uint32_t s = 0; s < SETTINGS; s++)
      for (uint32_t g = 0; g < GRIDS; g++)
        if ((t + s + g) % EVERY == 0 && makes_sense(&twins[t], &settings[s], g))
          assert_twins(&twins[t], &settings[s], g);
}

// Stopping and going on

typedef struct block {
  char name[64];
  void *data;
  size_t size;
} block;

typedef struct memory {
  block blocks[BLOCKS];
  uint32_t count;
} memory;

static clv_result keep(void *user, const char *name, const void *data, size_t size) {
  memory *m = user;
  assert_true(m->count < BLOCKS && strlen(name) < sizeof m->blocks->name);
  block *to = &m->blocks[m->count++];
  snprintf(to->name, sizeof to->name, "%s", name);
  to->size = size;
  to->data = malloc(size + 1);
  assert_non_null(to->data);
  if (size) memcpy(to->data, data, size);
  return CLV_OK;
}

static clv_result recall(void *user, const char *name, const void **data, size_t *size) {
  const memory *m = user;
  for (uint32_t k = 0; k < m->count; k++) {
    if (strcmp(m->blocks[k].name, name) != 0) continue;
    *data = m->blocks[k].data;
    *size = m->blocks[k].size;
    return CLV_OK;
  }
  return CLV_ERROR_INPUT;
}

// The first cut stands for others like it.
enum { CUTS_ALIKE = 4 };

static void runs_go_on_while_rules_are_applied(void **unused) {
  (void)unused;
  for (uint32_t t = 0; t < sizeof twins / sizeof *twins; t += t ? 1 : CUTS_ALIKE) {
    memory m = {.count = 0};
    const setting *s = &settings[twins[t].springs];
    run whole = start(s, grids[0], twins[t].solid), second = start(s, grids[0], twins[t].solid);
    for (uint32_t k = 0; k < STEPS; k++) {
      if (k == STEPS / 2) assert_int_equal(clv_world_save(whole.world, keep, &m), CLV_OK);
      step(&whole);
    }
    if (clv_world_load(second.world, recall, &m) != CLV_OK) fail_msg("%s", clv_world_error(second.world));
    for (uint32_t k = STEPS / 2; k < STEPS; k++) step(&second);
    assert_true(clv_world_hash(whole.world) == clv_world_hash(second.world));
    for (uint32_t k = 0; k < m.count; k++) free(m.blocks[k].data);
    end(&whole);
    end(&second);
  }
}

// What a rule is applied with was saved as the end of its action, without a size, and with less: a world that waits for
// such an event goes on from there, though rules have come to speak of more.
static void older_worlds_go_on(void **unused) {
  (void)unused;
  static const char event[] = "  - {at: 0.15, apply: {rule: tear_stress, params: {tear_strength: 4000}}}\n";
  static const char *const news[] = {"body0.column.in_mask", "body0.column.in_zone"};
  memory m = {.count = 0};
  run whole = start(&settings[0], grids[0], event), second = start(&settings[0], grids[0], event);
  for (uint32_t k = 0; k < STEPS; k++) {
    if (k == STEPS / 2) assert_int_equal(clv_world_save(whole.world, keep, &m), CLV_OK);
    step(&whole);
  }
  assert_true(whole.did.facets > 0);
  uint32_t changed = 0, left_out = 0;
  for (uint32_t k = 0; k < m.count; k++) {
    block *b = &m.blocks[k];
    uint8_t *bytes = b->data;
    uint64_t size;
    for (uint32_t n = 0; n < 2; n++) left_out += !strncmp(b->name, news[n], strlen(news[n])) && (b->name[0] = '-');
    if (!strcmp(b->name, "clock")) changed += (bytes[7] == '5') && (bytes[7] = '4');
    if (strcmp(b->name, "actions") != 0) continue;
    size_t options = 16;
    while (memcpy(&size, bytes + b->size - options - sizeof size, sizeof size), size != options) options += 8;
    memmove(bytes + b->size - options - sizeof size, bytes + b->size - options, 16);
    b->size -= options - 16 + sizeof size;
    changed++;
  }
  assert_true(changed == 2 && left_out >= 2);
  if (clv_world_load(second.world, recall, &m) != CLV_OK) fail_msg("%s", clv_world_error(second.world));
  for (uint32_t k = STEPS / 2; k < STEPS; k++) step(&second);
  assert_true(clv_world_hash(whole.world) == clv_world_hash(second.world));
  for (uint32_t k = 0; k < m.count; k++) free(m.blocks[k].data);
  end(&whole);
  end(&second);
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(rules_do_what_events_do),
                                     cmocka_unit_test(runs_go_on_while_rules_are_applied),
                                     cmocka_unit_test(older_worlds_go_on)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
