// The scalpel of 2003: touching, trying, cutting, and what holds afterwards.

#include "support/counting_allocator.h"
#include "support/operated.h"

#include <stdlib.h>

static clv_program *laws;

static int make_laws(void **unused) {
  (void)unused;
  laws = beam_program();
  return 0;
}

static int free_laws(void **unused) {
  (void)unused;
  clv_program_destroy(laws);
  return 0;
}

#define LAMBDA 140000.0
#define MU 11000.0

static beam tissue_of(clv_grid_kind kind, const char *model) {
  beam b = beam_default();
  const bool flat = kind <= CLV_GRID_MIXED2;
  b.kind = kind;
  b.model = model;
  b.program = laws;
  b.material.young = MU * (3 * LAMBDA + 2 * MU) / (LAMBDA + MU);
  b.material.poisson = LAMBDA / (2 * (LAMBDA + MU));
  memcpy(b.cells, (uint32_t[]){5, 2, flat ? 0 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){5, 2, flat ? 0 : 2}, sizeof b.size);
  return b;
}

static clv_body *tissue(clv_grid_kind kind, const char *model) {
  const beam b = tissue_of(kind, model);
  return beam_create(&b);
}

// Evenly along x, and with a speed that differs from place to place.
static void stretch(clv_body *body, double by) {
  const double *rest = clv_body_rest(body);
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; s < clv_body_slots(body); s++) {
    x[3 * s] = rest[3 * s] * (1 + by);
    v[3 * s] = 0.1 * rest[3 * s] - 0.3 * rest[3 * s + 1];
    v[3 * s + 1] = sin(rest[3 * s]);
  }
}

static clv_scalpel *scalpel_with(clv_surgery *surgery, double toughness) {
  clv_scalpel_def def = clv_default_scalpel_def();
  clv_error error = {0};
  def.radius = 0.25;
  def.toughness = toughness;
  clv_scalpel *scalpel = clv_scalpel_create(surgery, &def, &error);
  if (!scalpel) fail_msg("%s", error.message);
  return scalpel;
}

static clv_scalpel_report move_to(clv_scalpel *scalpel, clv_surgery *surgery, const double *tip) {
  clv_scalpel_report report;
  if (clv_scalpel_move(scalpel, tip, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  return report;
}

typedef struct sums {
  uint32_t cuts, attempts, facets, vertices, moved, refused, stuck;
} sums;

static void add(sums *sum, const clv_scalpel_report *report) {
  sum->cuts += report->cut;
  sum->attempts += report->attempt;
  sum->facets += report->did.facets;
  sum->vertices += report->did.vertices;
  sum->moved += report->did.moved;
  sum->refused += report->did.refused;
  sum->stuck += report->did.stuck;
}

// Along straight pieces, in many steps; `check` looks after each that cut.
typedef void checking(clv_body *body);

static sums stroke(clv_scalpel *scalpel, clv_surgery *surgery, const double (*path)[3], uint32_t count, uint32_t steps,
                   checking *check) {
  sums sum = {0};
  for (uint32_t k = 0; k + 1 < count; k++)
    for (uint32_t step = 0; step < steps; step++) {
      double tip[3];
      for (uint32_t c = 0; c < 3; c++) tip[c] = path[k][c] + (path[k + 1][c] - path[k][c]) * step / steps;
      const clv_scalpel_report report = move_to(scalpel, surgery, tip);
      add(&sum, &report);
      if (report.cut && check) check(clv_surgery_body(surgery));
    }
  return sum;
}

typedef struct state {
  double mass, linear[3], elastic, kinetic;
} state;

static state state_of(clv_body *body) {
  clv_momenta m;
  clv_energies e;
  clv_body_momenta(body, &m);
  assert_int_equal(clv_body_energies(body, &e), CLV_OK);
  return (state){m.mass, {m.linear[0], m.linear[1], m.linear[2]}, e.elastic, e.kinetic};
}

static void assert_kept(const state *a, const state *b) {
  assert_true(fabs(a->mass - b->mass) <= 1e-12 * a->mass);
  const double size = fabs(a->linear[0]) + fabs(a->linear[1]) + 1e-30;
  for (uint32_t k = 0; k < 3; k++) assert_true(fabs(a->linear[k] - b->linear[k]) <= 1e-12 * size);
  assert_true(b->elastic + b->kinetic <= (a->elastic + a->kinetic) * (1 + 1e-12));
  assert_true(b->kinetic <= a->kinetic * (1 + 1e-12));
}

// What every vertex is: the cells that name it in the element table are those of its orbit, so that no two of them hang
// together by a corner or an edge alone.
static void assert_no_joints(const clv_body *body) {
  const clv_map *map = clv_body_map(body);
  const clv_kind kind = map->dimension == 3 ? CLV_TET : CLV_TRI;
  const uint32_t corners = clv_templates[kind].corner_count;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    uint32_t named = 0;
    for (uint32_t row = 0; row < clv_cell_rows(map, kind); row++)
      for (uint32_t c = 0; clv_cell_at(map, kind, row) && c < corners; c++)
        named += map->corners[kind][(size_t)row * corners + c] == id.index;
    clv_walk star;
    assert_int_equal(clv_walk_star(&star, map, CLV_VERTEX, clv_id_dart(map, CLV_VERTEX, id)), CLV_OK);
    assert_int_equal(star.count, named);
    clv_walk_end(&star);
  }
}

// Across the top at x = 2.2, in a stretched body at 2 at rest: v0 at y = 0 stays whole, those at y = 1 and y = 2 are
// parted.
static const double across_top[][3] = {{2.2, 0.02, 2.1}, {2.2, 1.98, 2.1}};

static void a_line_is_cut(void **unused) {
  (void)unused;
  clv_body *body = tissue(CLV_GRID_TET5, "stvk");
  clv_surgery *surgery = operated_surgery(body);
  stretch(body, 0.1);
  clv_scalpel *scalpel = scalpel_with(surgery, 1e6);
  const state before = state_of(body);
  const sums sum = stroke(scalpel, surgery, across_top, 2, 50, operated_check);
  assert_int_equal(sum.cuts, 2);
  assert_true(sum.facets >= 3 && sum.vertices >= 2 && sum.moved >= 1);
  const state after = state_of(body);
  assert_kept(&before, &after);
  assert_true(after.elastic >=
              0.99 * before.elastic); // where strain is even, little is lost by a mesh that moves in it
  assert_int_equal(operated_components(body), 1);
  assert_no_joints(body);
  operated_check(body);
  clv_scalpel_destroy(scalpel);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Once round the body, at a section: it falls in two.
static const double round_it[][3] = {{2.2, -0.1, 0.98}, {2.2, -0.1, 2.1},  {2.2, 2.1, 2.1},
                                     {2.2, 2.1, -0.1},  {2.2, -0.1, -0.1}, {2.2, -0.1, 1.2}};

static void a_body_is_parted(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_TET6};
  for (uint32_t k = 0; k < 2; k++) {
    clv_body *body = tissue(kinds[k], "stvk");
    clv_surgery *surgery = operated_surgery(body);
    stretch(body, 0.1);
    const state before = state_of(body);
    clv_scalpel *scalpel = scalpel_with(surgery, 1e6);
    stroke(scalpel, surgery, round_it, 6, 60, operated_check);
    assert_int_equal(operated_components(body), 2);
    assert_no_joints(body);
    const state after = state_of(body);
    assert_kept(&before, &after);
    clv_scalpel_destroy(scalpel);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// A state in which strain differs everywhere: nothing is lost, nothing is made.
static void nothing_is_lost_in_any_state(void **unused) {
  (void)unused;
  static const char *const models[] = {"stvk", "fem-linear", "fem-corotational", "neo-hookean", "springs"};
  for (uint32_t m = 0; m < 5; m++) {
    clv_body *body = tissue(CLV_GRID_TET5, models[m]);
    clv_surgery *surgery = operated_surgery(body);
    operated_deform(body, 0.02);
    clv_scalpel *scalpel = scalpel_with(surgery, 0);
    sums sum = {0};
    state before = state_of(body);
    for (uint32_t step = 0; step < 120; step++) {
      const double tip[3] = {2.0 + 0.002 * step, 0.02 + step * 1.96 / 120, 2.02};
      const clv_scalpel_report report = move_to(scalpel, surgery, tip);
      add(&sum, &report);
      const state after = state_of(body);
      assert_kept(&before, &after);
      before = after;
    }
    assert_true(sum.cuts >= 1);
    assert_true(sum.moved > 0);
    operated_check(body);
    assert_no_joints(body);
    clv_scalpel_destroy(scalpel);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// With the strain even, sigma_c is mu e / (kappa zeta), e = (1 + s)^2 - 1: the shear of twice the second stress.
static void toughness_decides(void **unused) {
  (void)unused;
  const double strain = 1.1 * 1.1 - 1;
  for (uint32_t way = 0; way < 4; way++) {
    clv_body *body = tissue(CLV_GRID_TET5, "stvk");
    clv_surgery *surgery = operated_surgery(body);
    stretch(body, 0.1);
    clv_scalpel_def def = clv_default_scalpel_def();
    clv_error error = {0};
    def.radius = 0.25;
    def.sharpness = way == 2 ? 0.001 : 0.0004;
    def.damage = way == 3 ? 0.5 : 1;
    const double expected = MU * strain / (def.sharpness * def.damage);
    def.toughness = way == 1 ? 1.0001 * expected : 0.9999 * expected;
    clv_scalpel *scalpel = clv_scalpel_create(surgery, &def, &error);
    assert_non_null(scalpel);
    double stress = 0;
    sums sum = {0};
    for (uint32_t step = 0; step < 60 && !sum.cuts; step++) {
      const clv_scalpel_report report = move_to(scalpel, surgery, (double[]){2.2, 0.02 + step * 1.5 / 60, 2.1});
      add(&sum, &report);
      if (report.attempt) stress = report.stress;
    }
    assert_true(sum.attempts > 0);
    assert_int_equal(sum.cuts, way == 1 ? 0 : 1);
    assert_true(fabs(stress - expected) <= 1e-7 * expected); // two of three eigenvalues are equal
    clv_scalpel_destroy(scalpel);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// What presses on the tissue presses on the tool: along the normal, as deep as the ball is in it.
static void the_tool_feels_what_it_does(void **unused) {
  (void)unused;
  clv_body *body = tissue(CLV_GRID_TET5, "stvk");
  clv_surgery *surgery = operated_surgery(body);
  clv_scalpel *scalpel = scalpel_with(surgery, 1e12);
  double *force = calloc(3 * (size_t)clv_body_slots(body), sizeof *force);
  for (uint32_t deep = 0; deep < 4; deep++) {
    const double height = (double[]){0.3, 0.2, 0, -0.1}[deep];
    const clv_scalpel_report report = move_to(scalpel, surgery, (double[]){1.3, 0.7, 2 + height});
    assert_true(report.touching == (deep > 0));
    const double expected = deep ? 100 * (0.25 - height) : 0;
    assert_true(fabs(report.force[2] - expected) <= 1e-10 && report.force[0] == 0 && report.force[1] == 0);
    assert_int_equal(clv_body_force(body, 0, force), CLV_OK);
    double sum[3] = {0}, turn[3] = {0};
    const double *x = clv_body_positions(body);
    for (size_t s = 1; s < clv_body_slots(body); s++)
      for (size_t k = 0; k < 3; k++) {
        sum[k] += force[3 * s + k];
        turn[k] +=
            x[3 * s + (k + 1) % 3] * force[3 * s + (k + 2) % 3] - x[3 * s + (k + 2) % 3] * force[3 * s + (k + 1) % 3];
      }
    for (uint32_t k = 0; k < 3; k++) assert_true(fabs(sum[k] + report.force[k]) <= 1e-9);
    assert_true(fabs(turn[0] + 0.7 * expected) <= 1e-9 && fabs(turn[1] - 1.3 * expected) <= 1e-9);
  }
  clv_scalpel_lift(scalpel);
  assert_int_equal(clv_body_force(body, 0, force), CLV_OK);
  for (size_t k = 3; k < 3 * (size_t)clv_body_slots(body); k++) assert_true(fabs(force[k]) <= 1e-9);
  free(force);
  clv_scalpel_destroy(scalpel);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static void air_is_not_cut(void **unused) {
  (void)unused;
  clv_body *body = tissue(CLV_GRID_TET5, "stvk");
  clv_surgery *surgery = operated_surgery(body);
  clv_scalpel *scalpel = scalpel_with(surgery, 0);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  static const double air[][3] = {{-1, -1, 3}, {6, 3, 3}};
  const sums sum = stroke(scalpel, surgery, air, 2, 20, NULL);
  assert_true(!sum.cuts && !sum.attempts);
  // Inside, far from the surface, there is nothing to touch either.
  assert_false(move_to(scalpel, surgery, (double[]){2.5, 1, 1}).touching);
  assert_true(clv_map_hash(clv_body_map(body)) == hash);
  operated_remove(surgery, clv_zone_all());
  assert_false(move_to(scalpel, surgery, (double[]){2.2, 1, 2.1}).touching);
  clv_scalpel_destroy(scalpel);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// A cloth: triangles about v1. The tool may come from below.
static void cloth_is_cut(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "cloth"};
  for (uint32_t m = 0; m < 2; m++)
    for (int side = -1; side <= 1; side += 2) {
      clv_body *body = tissue(CLV_GRID_TRI, models[m]);
      clv_surgery *surgery = operated_surgery(body);
      stretch(body, 0.1);
      clv_scalpel *scalpel = scalpel_with(surgery, 1e5);
      const state before = state_of(body);
      const double path[][3] = {{2.2, 0.02, 0.1 * side}, {2.2, 1.98, 0.1 * side}};
      const clv_scalpel_report first = move_to(scalpel, surgery, path[0]);
      assert_true(first.touching && side * first.force[2] > 0);
      const sums sum = stroke(scalpel, surgery, path, 2, 50, operated_check);
      assert_int_equal(sum.cuts, 1); // at y = 1, by which both borders are parted, too
      assert_int_equal(sum.vertices, 3);
      assert_int_equal(operated_components(body), 2);
      assert_true(sum.moved > 0);
      const state after = state_of(body);
      assert_kept(&before, &after);
      assert_no_joints(body);
      clv_scalpel_destroy(scalpel);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// Cells of every kind are parted, with every model, and their vertices go where the point does.
static void every_grid_is_cut(void **unused) {
  (void)unused;
  static const char *const models[] = {"fem-corotational", "fem-linear", "springs", "springs-hybrid"};
  for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++)
    for (uint32_t m = 0; m < 4; m++) {
      clv_body *body = tissue((clv_grid_kind)kind, models[m]);
      clv_surgery *surgery = operated_surgery(body);
      stretch(body, 0.1);
      clv_scalpel *scalpel = scalpel_with(surgery, 1e5);
      const double top = kind <= CLV_GRID_MIXED2 ? 0 : 2;
      const double path[][3] = {{2.2, 0.02, top + 0.1}, {2.2, 1.98, top + 0.1}};
      const state before = state_of(body);
      const sums sum = stroke(scalpel, surgery, path, 2, 50, operated_check);
      assert_true(sum.cuts >= 1 && sum.moved >= 2 && sum.refused == 0 && sum.stuck <= 1);
      assert_int_equal(sum.moved + sum.stuck, sum.cuts + 1); // v1 of each, and v0 of the first
      const state after = state_of(body);
      assert_kept(&before, &after);
      clv_scalpel_destroy(scalpel);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// A stroke is the same in one go and in many: the point comes to every vertex on its way.
static void strokes_may_be_long(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_QUAD, CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX};
  static const uint32_t pieces[] = {200, 13, 4, 1};
  for (uint32_t kind = 0; kind < 5; kind++) {
    clv_surgery_report first = {0};
    for (uint32_t p = 0; p < 4; p++) {
      clv_body *body = tissue(kinds[kind], "fem-corotational");
      clv_surgery *surgery = operated_surgery(body);
      stretch(body, 0.1);
      clv_scalpel *scalpel = scalpel_with(surgery, 1e5);
      const double top = kinds[kind] <= CLV_GRID_MIXED2 ? 0 : 2, y = 0.02, way = 1.96;
      clv_surgery_report sum = {0};
      move_to(scalpel, surgery, (double[]){2.2, y, top + 0.1});
      for (uint32_t k = 0; k < pieces[p]; k++) {
        const double from[3] = {2.2, y + way * k / pieces[p], top + 0.1},
                     to[3] = {2.2, y + way * (k + 1) / pieces[p], top + 0.1};
        clv_scalpel_report one;
        assert_int_equal(clv_scalpel_move_along(scalpel, from, to, &one), CLV_OK);
        sum.facets += one.did.facets;
        sum.vertices += one.did.vertices;
      }
      operated_check(body);
      if (!p) first = sum;
      assert_true(sum.facets > 0);
      assert_int_equal(sum.facets, first.facets);
      assert_int_equal(sum.vertices, first.vertices);
      clv_scalpel_destroy(scalpel);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
  }
}

// From vertex to vertex along edges: the rule `press` has it so, too. A point that comes down elsewhere begins a line.
static void cuts_follow_edges(void **unused) {
  (void)unused;
  clv_body *body = tissue(CLV_GRID_QUAD, "fem-corotational");
  clv_surgery *surgery = operated_surgery(body);
  stretch(body, 0.1);
  clv_scalpel *scalpel = scalpel_with(surgery, 1e5);
  move_to(scalpel, surgery, (double[]){1.1, 1, 0.1});
  assert_false(move_to(scalpel, surgery, (double[]){2.2, 2, 0.1}).attempt); // across a cell
  assert_false(move_to(scalpel, surgery, (double[]){4.4, 1, 0.1}).attempt); // and far away
  assert_true(move_to(scalpel, surgery, (double[]){3.3, 1, 0.1}).cut);
  clv_scalpel_destroy(scalpel);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// A vertex that is removed under the point, and a memory that is put into another scalpel.
static void it_goes_on(void **unused) {
  (void)unused;
  uint64_t hashes[2];
  for (uint32_t way = 0; way < 2; way++) {
    clv_body *body = tissue(CLV_GRID_TET5, "stvk");
    clv_surgery *surgery = operated_surgery(body);
    stretch(body, 0.1);
    clv_scalpel *scalpel = scalpel_with(surgery, 1e6);
    for (uint32_t step = 0; step < 60; step++) {
      if (way && step == 25) {
        double *values, *again, kept[64];
        size_t count, same;
        clv_scalpel_memory(scalpel, &values, &count);
        assert_true(count <= 64);
        memcpy(kept, values, count * sizeof *values);
        clv_scalpel_destroy(scalpel);
        scalpel = scalpel_with(surgery, 1e6);
        clv_scalpel_memory(scalpel, &again, &same);
        assert_int_equal(count, same);
        memcpy(again, kept, count * sizeof *again);
      }
      move_to(scalpel, surgery, (double[]){2.2, 0.02 + step * 1.96 / 60, 2.1});
    }
    hashes[way] = clv_map_hash(clv_body_map(body));
    const clv_zone end = clv_zone_plane((double[]){1, 0, 0}, (double[]){1, 0, 0});
    operated_remove(surgery, end);
    assert_false(move_to(scalpel, surgery, (double[]){2.2, 1.9, 2.1}).attempt);
    assert_true(move_to(scalpel, surgery, (double[]){0.5, 1.1, 2.1}).touching);
    operated_check(body);
    clv_scalpel_destroy(scalpel);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  assert_true(hashes[0] == hashes[1]);
}

static void wrong_scalpels_are_refused(void **unused) {
  (void)unused;
  clv_body *body = tissue(CLV_GRID_TET5, "stvk");
  clv_surgery *surgery = operated_surgery(body);
  const struct {
    clv_scalpel_def def;
    const char *says;
  } wrong[] = {
      {clv_default_scalpel_def(), "radius"}, {{-1, 1, 0.4, 1, 1, 1}, "radius"},   {{NAN, 1, 0.4, 1, 1, 1}, "radius"},
      {{1, -1, 0.4, 1, 1, 1}, "stiffness"},  {{1, 1, 0, 1, 1, 1}, "attempt"},     {{1, 1, 1.5, 1, 1, 1}, "attempt"},
      {{1, 1, 0.4, 0, 1, 1}, "sharpness"},   {{1, 1, 0.4, 1, 0.05, 1}, "damage"}, {{1, 1, 0.4, 1, 1, -1}, "toughness"},
      {{1, 1, 0.4, 1, 1, NAN}, "toughness"},
  };
  for (uint32_t k = 0; k < sizeof wrong / sizeof *wrong; k++) {
    clv_error error = {0};
    assert_null(clv_scalpel_create(surgery, &wrong[k].def, &error));
    assert_int_equal(error.code, CLV_ERROR_ARGUMENT);
    if (!strstr(error.message, wrong[k].says)) fail_msg("%s", error.message);
  }
  assert_null(clv_scalpel_create(NULL, &wrong[0].def, NULL));
  assert_null(clv_scalpel_create(surgery, NULL, NULL));
  clv_scalpel *scalpel = scalpel_with(surgery, 1);
  assert_int_equal(clv_scalpel_move(scalpel, (double[]){0, NAN, 0}, NULL), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(clv_surgery_error(surgery), "not a number"));
  clv_scalpel_destroy(scalpel);
  clv_scalpel_destroy(NULL);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Whatever allocation fails: the body and the scalpel are as they were, and then it works.
static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  bool refused = true;
  for (size_t n = 1; refused; n++) {
    counting_memory memory = {0};
    beam b = tissue_of(CLV_GRID_TET5, "stvk");
    b.allocator = counting_allocator(&memory);
    clv_body *body = beam_create(&b);
    clv_surgery *surgery = operated_surgery(body);
    stretch(body, 0.1);
    memory.fail_at = memory.requests + n;
    memory.refused = false;
    clv_scalpel_def def = clv_default_scalpel_def();
    def.radius = 0.25;
    clv_error error = {0};
    clv_scalpel *scalpel = clv_scalpel_create(surgery, &def, &error);
    if (!scalpel) {
      assert_int_equal(error.code, CLV_ERROR_MEMORY);
      memory.fail_at = 0;
      scalpel = clv_scalpel_create(surgery, &def, &error);
    }
    assert_non_null(scalpel);
    uint32_t cuts = 0;
    for (uint32_t step = 0; step < 30; step++) {
      const double tip[3] = {2.2, 0.02 + step * 1.96 / 30, 2.1};
      const uint64_t hash = clv_map_hash(clv_body_map(body));
      clv_scalpel_report report;
      clv_result result = clv_scalpel_move(scalpel, tip, &report);
      if (result == CLV_ERROR_MEMORY) {
        assert_true(clv_map_hash(clv_body_map(body)) == hash);
        result = clv_scalpel_move(scalpel, tip, &report);
      }
      assert_int_equal(result, CLV_OK);
      cuts += report.cut;
    }
    refused = memory.refused;
    memory.fail_at = 0;
    assert_int_equal(cuts, 2);
    operated_check(body);
    clv_scalpel_destroy(scalpel);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
    assert_int_equal(memory.live_bytes, 0);
  }
}

// What the point has moved is the middle of nothing: cells that came of one stay parted there, since the one would
// weigh something else.
static void moved_vertices_leave_their_families(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_TRI};
  for (uint32_t k = 0; k < 2; k++) {
    clv_body *body = tissue(kinds[k], "fem-corotational");
    clv_surgery *surgery = operated_surgery(body);
    const clv_zone all = clv_zone_all();
    assert_int_equal(clv_surgery_refine(surgery, &all, 1, NULL), CLV_OK);
    stretch(body, 0.1);
    const double mass = operated_mass(body), top = k ? 0.05 : 2.05;
    clv_scalpel *scalpel = scalpel_with(surgery, 0);
    const double path[][3] = {{0.3, 1.1, top}, {5, 1.15, top}};
    const sums sum = stroke(scalpel, surgery, path, 2, 200, NULL);
    assert_true(sum.moved > 0);
    clv_surgery_report report;
    if (clv_surgery_coarsen(surgery, &all, 0, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
    assert_true(report.coarsened > 0);
    if (fabs(operated_mass(body) - mass) > 1e-12 * mass)
      fail_msg("%s weighs %.17g, not %.17g", clv_grid_name(kinds[k]), operated_mass(body), mass);
    operated_check(body);
    clv_scalpel_destroy(scalpel);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(moved_vertices_leave_their_families),
      cmocka_unit_test(a_line_is_cut),
      cmocka_unit_test(a_body_is_parted),
      cmocka_unit_test(nothing_is_lost_in_any_state),
      cmocka_unit_test(toughness_decides),
      cmocka_unit_test(the_tool_feels_what_it_does),
      cmocka_unit_test(air_is_not_cut),
      cmocka_unit_test(cloth_is_cut),
      cmocka_unit_test(every_grid_is_cut),
      cmocka_unit_test(strokes_may_be_long),
      cmocka_unit_test(cuts_follow_edges),
      cmocka_unit_test(it_goes_on),
      cmocka_unit_test(wrong_scalpels_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
