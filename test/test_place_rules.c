// Rules that are applied at some places only: the first by rank, in a zone, along a mask, to what a shape touches. So
// they tear and pierce as the operations do, facet by facet.

#include "support/ruled.h"

static const clv_grid_kind every_kind[] = {CLV_GRID_TET5, CLV_GRID_HEX,  CLV_GRID_MIXED,
                                           CLV_GRID_TRI,  CLV_GRID_QUAD, CLV_GRID_MIXED2};
enum { KINDS = sizeof every_kind / sizeof *every_kind };

// Tearing

typedef struct criterion {
  clv_tear_kind kind;
  const char *solid, *flat, *param;
  double thresholds[2]; // of finite elements, of springs
} criterion;

static const criterion criteria[] = {
    {CLV_TEAR_STRESS, "tear_stress", "tear_edge_stress", "tear_strength", {2e3, 2e3}},
    {CLV_TEAR_STRAIN, "tear_strain", "tear_edge_strain", "tear_stretch", {0.02, 0.02}},
    {CLV_TEAR_FORCE, "tear_force", "tear_edge_force", "tear_tension", {0, 20}},
};

static clv_apply apply_as(const clv_tear *tear, const clv_program *program, const char *rule) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(program, rule);
  apply.zone = tear->zone;
  apply.masked = tear->masked;
  apply.mask = tear->mask;
  apply.most = tear->most;
  return apply;
}

// Springs say first which facets they mean.
static void name_facets(clv_surgery *surgery, const clv_program *program, clv_apply apply) {
  const bool flat = clv_body_map(clv_surgery_body(surgery))->dimension == 2;
  apply.rule = rule_of(program, flat ? "name_edge" : "name_facet");
  apply.on = CLV_EDGE;
  apply.most = 0;
  if (clv_surgery_apply(surgery, &apply, NULL) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
}

// By hand and by rule: how many facets.
static uint32_t tear_pair(pair *p, const clv_tear *tear, const clv_program *program, const criterion *c) {
  const bool flat = clv_body_map(p->body[0])->dimension == 2;
  const clv_apply apply = apply_as(tear, program, flat ? c->flat : c->solid);
  clv_surgery_report by_hand, by_rule;
  if (c->kind == CLV_TEAR_FORCE) name_facets(p->surgery[1], program, apply);
  if (clv_surgery_tear(p->surgery[0], tear, &by_hand) != CLV_OK) fail_msg("%s", clv_surgery_error(p->surgery[0]));
  if (clv_surgery_apply(p->surgery[1], &apply, &by_rule) != CLV_OK) fail_msg("%s", clv_surgery_error(p->surgery[1]));
  if (by_rule.facets != by_hand.facets) fail_msg("%s: %u facets, not %u", c->solid, by_rule.facets, by_hand.facets);
  assert_int_equal(by_rule.vertices, by_hand.vertices);
  assert_same_facets(p, c->solid);
  return by_hand.facets;
}

static clv_program *program_at(const criterion *c, double threshold) {
  const param params[MOST_PARAMS] = {{c->param, {threshold}, 1}};
  return program_with(params, MOST_PARAMS);
}

static clv_tear tear_at(const criterion *c, double threshold) {
  clv_tear tear = clv_default_tear();
  tear.kind = c->kind;
  tear.threshold = threshold;
  return tear;
}

// All that has come so far; the worst of a part; the worst along a seam.
static void narrow(clv_tear *tear, uint32_t turn) {
  tear->most = turn == 0 ? 3 : turn == 1 ? 2 : 0;
  if (turn > 0) tear->zone = clv_zone_box((double[]){0.4, -1, -1}, (double[]){2.7, 3, 3});
  if (turn > 1) tear->zone = clv_zone_all();
  tear->masked = turn == 2;
  tear->mask = clv_zone_box((double[]){0.8, -1, -1}, (double[]){2.2, 1.2, 3});
}

// Everything that was torn before bears on what tears next.
static void rules_tear_as_events_do(void **unused) {
  (void)unused;
  for (uint32_t c = 0; c < 3; c++)
    for (uint32_t way = 0; way < PAIR_WAYS; way++) {
      const bool springs = way % 2;
      if (criteria[c].kind == CLV_TEAR_FORCE && !springs) continue;
      const double threshold = criteria[c].thresholds[springs];
      clv_program *program = program_at(&criteria[c], threshold);
      uint32_t torn[4] = {0};
      for (uint32_t k = 0; k < KINDS; k++) {
        if (!pair_may_be(every_kind[k], way)) continue;
        pair p = pair_in(every_kind[k], way);
        for (uint32_t b = 0; b < 2; b++) operated_deform(p.body[b], 0.1);
        for (uint32_t turn = 0; turn < 4; turn++) {
          clv_tear tear = tear_at(&criteria[c], threshold);
          if (turn < 3) narrow(&tear, turn);
          torn[turn] += tear_pair(&p, &tear, program, &criteria[c]);
        }
        for (uint32_t b = 0; b < 2; b++)
          memcpy(clv_body_positions(p.body[b]), clv_body_rest(p.body[b]),
                 3 * (size_t)clv_body_slots(p.body[b]) * sizeof(double));
        steps(&p);
        assert_same_bodies(&p, "torn and moved");
        pair_free(&p);
      }
      if (!torn[0] || !torn[1] || !torn[2] || !torn[3])
        fail_msg("%s: %u, %u, %u and %u facets", criteria[c].solid, torn[0], torn[1], torn[2], torn[3]);
      clv_program_destroy(program);
    }
}

// In a grid that is stretched evenly all cells bear the same, and facets lie alike: which tears is no matter of luck.
static void ties_are_broken_alike(void **unused) {
  (void)unused;
  for (uint32_t c = 1; c < 3; c++) {
    clv_program *program = program_at(&criteria[c], 0.05);
    for (uint32_t k = 0; k < KINDS; k++) {
      if (every_kind[k] == CLV_GRID_MIXED && c == 2) continue;
      pair p = pair_with(model_body(every_kind[k], "springs-hybrid"), model_body(every_kind[k], "springs-hybrid"));
      for (uint32_t b = 0; b < 2; b++)
        for (size_t s = 0; s < clv_body_slots(p.body[b]); s++)
          clv_body_positions(p.body[b])[3 * s] = 1.1 * clv_body_rest(p.body[b])[3 * s];
      clv_tear tear = tear_at(&criteria[c], 0.05);
      for (tear.most = 2; tear.most; tear.most--) assert_true(tear_pair(&p, &tear, program, &criteria[c]) > 0);
      tear_pair(&p, &tear, program, &criteria[c]);
      pair_free(&p);
    }
    clv_program_destroy(program);
  }
}

// Facets that neighbours have refined tear as a whole.
static void rules_tear_refined_bodies(void **unused) {
  (void)unused;
  for (uint32_t c = 0; c < 3; c++) {
    clv_program *program = program_at(&criteria[c], criteria[c].thresholds[1]);
    uint32_t torn = 0;
    for (uint32_t k = 0; k < KINDS; k++) {
      if (every_kind[k] == CLV_GRID_MIXED || (k + c) % 2) continue;
      pair p = pair_in(every_kind[k], 1);
      const clv_zone part = clv_zone_box((double[]){-1, -1, -1}, (double[]){1.5, 3, 3});
      for (uint32_t b = 0; b < 2; b++) {
        assert_int_equal(clv_surgery_refine(p.surgery[b], &part, 1, NULL), CLV_OK);
        operated_deform(p.body[b], 0.1);
      }
      clv_tear tear = tear_at(&criteria[c], criteria[c].thresholds[1]);
      tear.most = 5;
      torn += tear_pair(&p, &tear, program, &criteria[c]);
      tear.most = 0;
      tear_pair(&p, &tear, program, &criteria[c]);
      pair_free(&p);
    }
    if (torn < 3) fail_msg("%s: %u facets", criteria[c].solid, torn);
    clv_program_destroy(program);
  }
}

// Touching

// A box, a ball and a rod; held, and on their way.
static void rules_take_what_a_shape_touches(void **unused) {
  (void)unused;
  const clv_zone shapes[] = {clv_zone_box((double[]){0.9, 0.4, -0.2}, (double[]){1.3, 0.9, 0.7}),
                             clv_zone_sphere((double[]){1.6, 0.8, 0.3}, 0.25),
                             clv_zone_capsule((double[]){1, -1, 0.2}, (double[]){1.4, 3, 0.4}, 0.1)};
  static const double way[2][3] = {{0, 0, 0}, {0.7, 0.3, 0.1}};
  clv_program *program = program_with(NULL, 0);
  uint32_t held = 0, moved = 0;
  for (uint32_t k = 0; k < KINDS * 2; k++)
    for (uint32_t shape = 0; shape < 3; shape++) {
      const clv_grid_kind kind = every_kind[k % KINDS];
      if (!pair_may_be(kind, k / KINDS)) continue;
      pair p = pair_in(kind, k / KINDS);
      for (uint32_t b = 0; b < 2; b++) operated_deform(p.body[b], 0.1);
      clv_apply apply = clv_default_apply();
      apply.rule = rule_of(program, is_flat(kind) ? "pierce_face" : "pierce");
      apply.on = CLV_CELL;
      apply.touching = true;
      apply.shape = shapes[shape];
      for (uint32_t moves = 0; moves < 2; moves++) {
        clv_surgery_report by_hand, by_rule;
        memcpy(apply.way[1], way[moves], sizeof apply.way[1]);
        assert_int_equal(clv_surgery_pierce_along(p.surgery[0], &shapes[shape], way[0], way[moves], &by_hand), CLV_OK);
        assert_int_equal(clv_surgery_apply(p.surgery[1], &apply, &by_rule), CLV_OK);
        held += !moves && by_hand.removed;
        moved += moves && by_hand.removed;
        assert_int_equal(by_rule.removed, by_hand.removed);
        assert_same_shape(p.body[0], p.body[1]);
        assert_same_bodies(&p, "pierced");
      }
      pair_free(&p);
    }
  if (held < 20 || moved < 20) fail_msg("%u shapes touch something, and %u on their way", held, moved);
  clv_program_destroy(program);
}

// Order

static uint32_t marked(const clv_body *body, double *least, double *greatest) {
  const clv_map *map = clv_body_map(body);
  const clv_column *column = clv_column_find(map, "marked");
  uint32_t count = 0;
  *least = INFINITY;
  *greatest = -INFINITY;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    if (!*(const int32_t *)clv_column_at(column, clv_id_dart(map, CLV_VERTEX, id))) continue;
    *least = fmin(*least, clv_body_rest(body)[3 * id.index]);
    *greatest = fmax(*greatest, clv_body_rest(body)[3 * id.index]);
    count++;
  }
  return count;
}

static void scripts_have_ranks_too(void **unused) {
  (void)unused;
  static const char text[] = "use surgery;\n"
                             "script mark_far(v) rank v.rest[0] { require v.marked == 0; v.marked = 1; }\n"
                             "script lost(v) rank 0/0 { v.marked = 1; }\n"
                             "script unranked(v) { v.marked = 1; }\n";
  clv_program *program = program_of(text);
  clv_body *body = grid_body(CLV_GRID_HEX, 3, 2, 2);
  clv_surgery *surgery = operated_surgery(body);
  clv_apply apply = clv_default_apply();
  clv_surgery_report report;
  double least, greatest;
  apply.rule = rule_of(program, "mark_far");
  apply.on = CLV_VERTEX;
  apply.most = 12;
  assert_int_equal(clv_surgery_apply(surgery, &apply, &report), CLV_OK);
  assert_int_equal(report.applied, 12);
  assert_int_equal(marked(body, &least, &greatest), 12);
  assert_true(least == 2 && greatest == 3); // nine at the far end, and three beside
  apply.rounds = 9;
  assert_int_equal(clv_surgery_apply(surgery, &apply, &report), CLV_OK);
  assert_int_equal(report.applied, 12);
  assert_int_equal(marked(body, &least, &greatest), 24);
  apply.rule = rule_of(program, "lost");
  assert_int_equal(clv_surgery_apply(surgery, &apply, &report), CLV_OK);
  assert_int_equal(report.applied, 0);
  assert_non_null(strstr(clv_surgery_error(surgery), "it has no place among others"));
  apply.rule = rule_of(program, "unranked");
  assert_int_equal(clv_surgery_apply(surgery, &apply, &report), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(clv_surgery_error(surgery), "write rank VALUE behind its guards"));
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_program_destroy(program);
}

static void what_makes_no_sense_is_refused(void **unused) {
  (void)unused;
  clv_program *program = program_with(NULL, 0);
  clv_body *body = grid_body(CLV_GRID_HEX, 2, 1, 1);
  clv_surgery *surgery = operated_surgery(body);
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(program, "tear_force");
  assert_int_equal(clv_surgery_prepare(surgery, &apply), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(clv_surgery_error(surgery), "the body has no springs on its edges"));
  apply.rule = rule_of(program, "cut");
  apply.touching = true;
  apply.shape = clv_zone_all();
  assert_int_equal(clv_surgery_apply(surgery, &apply, NULL), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(clv_surgery_error(surgery), "cells are touched by a box, a sphere or a capsule"));
  apply.touching = false;
  apply.masked = true;
  apply.mask = clv_zone_sphere((double[]){0, 0, 0}, -1);
  assert_int_equal(clv_surgery_apply(surgery, &apply, NULL), CLV_ERROR_ARGUMENT);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_program_destroy(program);
}

// Refused memory

static clv_program *asked;

static clv_result tear_along(clv_surgery *surgery) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(asked, "tear_strain");
  apply.most = 4;
  apply.masked = true;
  apply.mask = clv_zone_box((double[]){-1, -1, -1}, (double[]){2.5, 3, 3});
  operated_deform(clv_surgery_body(surgery), 0.1);
  return clv_surgery_apply(surgery, &apply, NULL);
}

static clv_result pierce_touched(clv_surgery *surgery) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(asked, "pierce");
  apply.on = CLV_CELL;
  apply.touching = true;
  apply.shape = clv_zone_sphere((double[]){1.2, 1.1, 0.9}, 0.2);
  return clv_surgery_apply(surgery, &apply, NULL);
}

static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  const param params[] = {{"tear_stretch", {0.02}, 1}};
  asked = program_with(params, 1);
  for (size_t n = 1; stands_refusal(tear_along, n); n += 1 + n / 3) continue;
  for (size_t n = 1; stands_refusal(pierce_touched, n); n += 1 + n / 3) continue;
  clv_program_destroy(asked);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(rules_tear_as_events_do),     cmocka_unit_test(ties_are_broken_alike),
      cmocka_unit_test(rules_tear_refined_bodies),   cmocka_unit_test(rules_take_what_a_shape_touches),
      cmocka_unit_test(scripts_have_ranks_too),      cmocka_unit_test(what_makes_no_sense_is_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
