// Random operations on bodies that move: all operations, all models, methods and kinds of cells in turn, until little
// is left of each body.
//
// soak: yes
//
// An operation counts when it changed something, and each must have done so often enough. After each of them mass is
// what the cells that are left weigh, momentum is what it was but for the share of what was removed, cuts have made no
// energy, all values are there and finite, the map passes the full check, and the views are what a rebuild gives. Some
// bodies live twice, with one thread and with two, and end with the same bits.
//
// usage: test_surgery_random [--soak] [--seed S]

#include "support/operated.h"
#include "support/random_surgery.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
enum { OPERATIONS = 1000, LIFE = 12 };
#else
enum { OPERATIONS = 5000, LIFE = 60 };
#endif
enum { SOAK_OPERATIONS = 100000, TRIES = 200, MOST_OPERATIONS = 64, MODELS = 9 };

typedef struct options {
  uint32_t operations;
  uint64_t seed; // of the body that lives
} options;

static clv_program *laws;
static const char *latest = "nothing"; // what was done last

// How bodies are moved.
typedef struct way {
  clv_method method;
  clv_linear linear;
} way;

static const way ways[] = {
    {CLV_SYMPLECTIC_EULER, CLV_LINEAR_AUTO},
    {CLV_HEUN, CLV_LINEAR_AUTO},
    {CLV_RK4, CLV_LINEAR_AUTO},
    {CLV_IMPLICIT_EULER, CLV_LINEAR_MATRIX_FREE},
    {CLV_IMPLICIT_EULER, CLV_LINEAR_ASSEMBLED},
    {CLV_IMPLICIT_EULER, CLV_LINEAR_DIRECT},
    {CLV_IMPLICIT_NEWTON, CLV_LINEAR_MATRIX_FREE},
    {CLV_IMPLICIT_NEWTON, CLV_LINEAR_DIRECT},
    {CLV_NEWMARK, CLV_LINEAR_MATRIX_FREE},
    {CLV_NEWMARK, CLV_LINEAR_DIRECT},
    {CLV_STATIC, CLV_LINEAR_MATRIX_FREE},
    {CLV_STATIC, CLV_LINEAR_ASSEMBLED},
    {CLV_STATIC, CLV_LINEAR_DIRECT},
};
enum { WAYS = sizeof ways / sizeof *ways };

// How often something was changed: by each operation, in each model, and so on.
typedef struct tally {
  uint32_t operations[MOST_OPERATIONS], models[MODELS], kinds[CLV_GRID_KIND_COUNT], ways[WAYS], threads[3];
  uint32_t done, tried, bodies, steps, refused, stalled, twins; // stalled: bodies some of whose steps were refused
  uint32_t advised;                                             // bodies that lived again, by another method
  uint32_t together_after_cuts;                                 // cells put together in bodies that were cut before
} tally;

typedef struct life {
  patient p;
  clv_solver *solver;
  uint32_t model, kind, way, threads;
  clv_method method, advised; // advised: by a step that was refused; `method` while none was
  double density, time, step, whole;
  bool held, cut, stalled;
} life;

// What holds

// Whether a cell is its reference shape but for an affine map: a blade moves vertices of other cells than simplices,
// too.
static bool is_even(clv_kind kind, const double (*points)[3]) {
  static const uint8_t parallel[CLV_TEMPLATE_LAST + 1][6][4] = {
      [CLV_QUAD] = {{0, 1, 3, 2}},
      [CLV_PYRAMID] = {{0, 1, 3, 2}},
      [CLV_PRISM] = {{0, 3, 1, 4}, {0, 3, 2, 5}},
      [CLV_HEX] = {{0, 1, 3, 2}, {0, 4, 1, 5}, {0, 4, 2, 6}, {0, 4, 3, 7}}};
  for (uint32_t e = 0; e < 6 && parallel[kind][e][1]; e++)
    for (uint32_t k = 0; k < 3; k++) {
      const uint8_t *p = parallel[kind][e];
      if (fabs(points[p[1]][k] - points[p[0]][k] - points[p[3]][k] + points[p[2]][k]) > 1e-13) return false;
    }
  return true;
}

// How the mass of such a cell goes to its corners.
static double share_of(clv_kind kind, uint32_t corner) {
  if (kind != CLV_PYRAMID) return 1.0 / clv_templates[kind].corner_count;
  return corner == 4 ? 0.25 : 0.1875;
}

typedef struct cell_weight {
  clv_id id;
  double mass, momentum[3];
  bool even; // it is known what of its mass each corner has
} cell_weight;

// By the corners of each cell, as they rest and move. To be freed.
static cell_weight *weigh_cells(const life *l, uint32_t *count) {
  const clv_map *map = clv_body_map(l->p.body);
  const double *rest = clv_body_rest(l->p.body), *v = clv_body_velocities(l->p.body);
  cell_weight *cells = calloc(operated_cells(l->p.body) + 1, sizeof *cells);
  assert_non_null(cells);
  *count = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    cell_weight *cell = &cells[(*count)++];
    const clv_dart dart = clv_id_dart(map, CLV_CELL, id);
    const clv_kind kind = clv_cell_shape(map, dart);
    assert_true(kind <= CLV_TEMPLATE_LAST);
    const uint32_t corners = clv_templates[kind].corner_count;
    const uint32_t *slots = map->corners[kind] + (size_t)clv_cell_row(map, dart) * corners;
    double points[8][3];
    for (uint32_t c = 0; c < corners; c++) memcpy(points[c], rest + 3 * (size_t)slots[c], sizeof points[c]);
    cell->id = id;
    cell->even = is_even(kind, (const double(*)[3])points);
    cell->mass = l->density * clv_element_measure(kind, (const double(*)[3])points);
    for (uint32_t c = 0; c < corners; c++)
      for (uint32_t k = 0; k < 3; k++)
        cell->momentum[k] += share_of(kind, c) * cell->mass * v[3 * (size_t)slots[c] + k];
  }
  return cells;
}

// What a body is before an operation, or after it.
typedef struct chart {
  clv_momenta momenta;
  clv_energies energies;
  cell_weight *cells;
  uint32_t count;
  double fastest;
  bool even; // all cells are
} chart;

static chart chart_of(life *l) {
  chart c = {.even = true};
  clv_body_momenta(l->p.body, &c.momenta);
  if (clv_body_energies(l->p.body, &c.energies) != CLV_OK) fail_msg("%s", clv_body_error(l->p.body));
  c.cells = weigh_cells(l, &c.count);
  double mass = 0, momentum[3] = {0, 0, 0};
  for (uint32_t n = 0; n < c.count; n++) {
    mass += c.cells[n].mass;
    c.even = c.even && c.cells[n].even;
    for (uint32_t k = 0; k < 3; k++) momentum[k] += c.cells[n].momentum[k];
  }
  const double *x = clv_body_positions(l->p.body), *v = clv_body_velocities(l->p.body);
  const clv_map *map = clv_body_map(l->p.body);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    for (size_t at = 3 * (size_t)id.index; at < 3 * (size_t)id.index + 3; at++) {
      assert_true(isfinite(x[at]) && isfinite(v[at]));
      c.fastest = fmax(c.fastest, fabs(v[at]));
    }
  if (!(fabs(c.momenta.mass - mass) <= 1e-12 * l->whole))
    fail_msg("the body weighs %.17g, its cells %.17g", c.momenta.mass, mass);
  for (uint32_t k = 0; k < 3 && c.even; k++)
    if (!(fabs(c.momenta.linear[k] - momentum[k]) <= 1e-12 * l->whole * c.fastest))
      fail_msg("the body's momentum is %.17g, that of its cells %.17g", c.momenta.linear[k], momentum[k]);
  return c;
}

// Mass and momentum are what they were, less the shares of the cells that were removed, and
// kinetic energy did not grow. In a body that is held, where mass comes to particles that do not move, one of the two
// has to give way when its cells become others: either what holds it takes the momentum, or what is free. And uneven
// cells that are put together do not weigh on their corners as their parts did: then momentum stays.
static void check_kept(const life *l, const chart *before, const chart *after, effect what) {
  const clv_map *map = clv_body_map(l->p.body);
  double mass = before->momenta.mass, momentum[3];
  memcpy(momentum, before->momenta.linear, sizeof momentum);
  for (uint32_t n = 0; what == EFFECT_REMOVES && n < before->count; n++) {
    if (clv_id_alive(map, CLV_CELL, before->cells[n].id)) continue;
    mass -= before->cells[n].mass;
    for (uint32_t k = 0; k < 3; k++) momentum[k] -= before->cells[n].momentum[k];
  }
  if (!(fabs(after->momenta.mass - mass) <= 1e-12 * l->whole))
    fail_msg("mass is %.17g, not %.17g", after->momenta.mass, mass);
  const double slack = 1e-12 * (fabs(before->energies.elastic) + before->energies.kinetic);
  const bool slower = after->energies.kinetic <= before->energies.kinetic + slack;
  bool kept = true;
  for (uint32_t k = 0; k < 3 && (before->even || what != EFFECT_REMOVES); k++)
    kept = kept && fabs(after->momenta.linear[k] - momentum[k]) <= 1e-12 * l->whole * before->fastest;
  if (!kept && !(l->held && what == EFFECT_RENEWS && slower))
    fail_msg("momentum is (%.17g, %.17g, %.17g), not (%.17g, %.17g, %.17g)", after->momenta.linear[0],
             after->momenta.linear[1], after->momenta.linear[2], momentum[0], momentum[1], momentum[2]);
  if (!slower && !((l->held || !before->even || !after->even) && what == EFFECT_RENEWS && kept))
    fail_msg("kinetic energy grew from %.17g to %.17g", before->energies.kinetic, after->energies.kinetic);
  if (what != EFFECT_RENEWS && !(after->energies.elastic <= before->energies.elastic + slack))
    fail_msg("elastic energy grew from %.17g to %.17g", before->energies.elastic, after->energies.elastic);
}

// Lives

// False when the model is not for such cells.
static bool admit(life *l, const char *model) {
  const bool flat = l->kind <= CLV_GRID_MIXED2, is_static = l->method == CLV_STATIC;
  beam b = beam_default();
  b.kind = (clv_grid_kind)l->kind;
  memcpy(b.cells, flat ? (uint32_t[]){8, 5, 1} : (uint32_t[]){5, 3, 2}, sizeof b.cells);
  memcpy(b.size, flat ? (double[]){0.8, 0.5, 1} : (double[]){0.5, 0.3, 0.2}, sizeof b.size);
  b.model = model;
  b.program = laws;
  b.threads = l->threads;
  b.plane = flat && strcmp(model, "cloth") != 0 && (is_static || random_chance(&l->p.random, 50));
  clv_mesh mesh;
  clv_section section;
  beam_mesh(&b, &mesh);
  clv_body_def def = beam_def(&b, &mesh, &section);
  memcpy(def.gravity, (double[]){0, -0.5, b.plane ? 0 : -9.81}, sizeof def.gravity);
  if (is_static) def.gravity[2] *= 0.05;
  clv_body *body = clv_body_create(&def, NULL, NULL);
  clv_mesh_free(&mesh);
  if (!body) return false;
  l->p.body = body;
  memcpy(l->p.size, b.size, sizeof l->p.size);
  if (flat) l->p.size[2] = 0.01;
  operated_deform(body, 0.005);
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; b.plane && s < clv_body_slots(body); s++) x[3 * s + 2] = v[3 * s + 2] = 0;
  l->p.plain = random_chance(&l->p.random, 25);
  l->held = is_static || random_chance(&l->p.random, 50);
  if (l->held) beam_clamp(body);
  l->density = b.material.density * (flat ? b.material.thickness : 1);
  l->whole = operated_mass(body);
  return true;
}

static void equip(life *l) {
  clv_scalpel_def def = clv_default_scalpel_def();
  def.radius = 0.02;
  def.stiffness = 10;
  def.toughness = 0;
  l->p.surgery = operated_surgery(l->p.body);
  l->p.scalpel = clv_scalpel_create(l->p.surgery, &def, NULL);
  assert_non_null(l->p.scalpel);
  clv_solver_def solver = beam_method(CLV_SYMPLECTIC_EULER);
  l->solver = beam_solver(l->p.body, &solver);
  assert_int_equal(clv_solver_stable_step(l->solver, &l->step), CLV_OK);
  clv_solver_destroy(l->solver);
  solver.method = l->method;
  solver.linear = clv_linear_available(ways[l->way].linear) ? ways[l->way].linear : CLV_LINEAR_AUTO;
  l->step *= solver.method < CLV_IMPLICIT_EULER ? 0.2 : 1;
  l->solver = beam_solver(l->p.body, &solver);
}

static void dismiss(life *l) {
  clv_scalpel_destroy(l->p.scalpel);
  clv_surgery_destroy(l->p.surgery);
  clv_solver_destroy(l->solver);
  clv_body_destroy(l->p.body);
}

static bool reports_something(const clv_surgery_report *r) {
  return r->facets + r->removed + r->refined + r->coarsened + r->split + r->moved > 0;
}

static const random_surgery *choose(patient *p) {
  uint32_t total = 0, which = 0;
  for (uint32_t k = 0; k < random_surgery_count; k++) total += random_surgeries[k].weight;
  for (uint32_t at = random_below(&p->random, total); at >= random_surgeries[which].weight; which++)
    at -= random_surgeries[which].weight;
  return &random_surgeries[which];
}

static void count_one(const life *l, const random_surgery *o, const clv_surgery_report *report, tally *t) {
  t->done++;
  t->operations[o - random_surgeries]++;
  t->models[l->model]++;
  t->kinds[l->kind]++;
  t->ways[l->way]++;
  t->threads[l->threads]++;
  if (l->cut) t->together_after_cuts += report->coarsened;
}

// True when something was changed.
static bool operate(life *l, tally *t) {
  const random_surgery *o = choose(&l->p);
  clv_surgery_report report = {0};
  chart before = chart_of(l);
  const uint64_t revision = clv_map_revision(clv_body_map(l->p.body));
  t->tried++;
  latest = o->name;
  if (o->run(&l->p, &report) != CLV_OK) fail_msg("%s: %s", o->name, clv_surgery_error(l->p.surgery));
  const bool changed = clv_map_revision(clv_body_map(l->p.body)) != revision;
  if (changed != reports_something(&report))
    fail_msg("%s reports that it changed %s", o->name, changed ? "nothing" : "something");
  chart after = chart_of(l);
  check_kept(l, &before, &after, o->effect);
  if (o->effect == EFFECT_PARTS) assert_int_equal(after.count, before.count);
  if (o->effect == EFFECT_REMOVES) assert_int_equal(after.count, before.count - report.removed);
  free(before.cells);
  free(after.cells);
  if (!changed) return false;
  operated_check_followed(l->solver);
  operated_check(l->p.body);
  if (t->done % 4 == 0) operated_check_embedded(l->p.body);
  count_one(l, o, &report, t);
  l->cut = l->cut || report.facets > 0;
  double stable = INFINITY; // what is fine stands shorter steps than what was coarse
  if (o->effect == EFFECT_RENEWS && clv_solver_stable_step(l->solver, &stable) != CLV_OK)
    fail_msg("%s", clv_solver_error(l->solver));
  l->step = fmin(l->step, 0.2 * stable);
  return true;
}

// What a body at rest is left of may hang on nothing: it is held where the solver says so, as a user would do it.
static clv_result find_equilibrium(life *l) {
  clv_result result = CLV_OK;
  for (uint32_t tries = 0; tries < 100; tries++) {
    result = clv_solver_step(l->solver, l->time, l->step, NULL);
    double at[3];
    const char *place = strstr(clv_solver_error(l->solver), "the particle at (");
    if (result == CLV_OK || !place || sscanf(place, "the particle at (%lf, %lf, %lf)", at, at + 1, at + 2) != 3) break;
    const clv_zone about = clv_zone_sphere(at, 0.2);
    assert_int_equal(clv_body_fix(l->p.body, &about, CLV_XYZ, NULL), CLV_OK);
  }
  return result;
}

// A number that stands for the map, and for all places and speeds; or for those of vertices that do not hang.
static uint64_t hash_of(const life *l, bool all) {
  const clv_map *map = clv_body_map(l->p.body);
  const double *values[2] = {clv_body_positions(l->p.body), clv_body_velocities(l->p.body)};
  uint64_t hash = clv_map_hash(map);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
    for (uint32_t k = 0; k < 6 && (all || clv_body_masses(l->p.body)[id.index] > 0); k++) {
      uint64_t bits;
      memcpy(&bits, &values[k / 3][3 * (size_t)id.index + k % 3], sizeof bits);
      hash = (hash ^ bits) * UINT64_C(0x100000001B3);
    }
  return hash;
}

// Newmark's method keeps what oscillates. Slices leave crumbs that weigh a millionth of a cell and ring far faster than
// the steps, and some laws feed what turns inside out: crumbs get faster from step to step, until they pass through
// themselves many times over within one. Then a step is refused, and the sentence names a method that damps, from the
// beginning: with it they never get so fast. To go on with it from here would prove nothing, for no linearisation holds
// over so long a way, and there are laws, as fem-corotational-qr, whose force jumps on it. So the life is lived again.
static clv_method advice(const life *l) {
  static const char words[] = "from the beginning a method that damps, as ";
  const char *sentence = clv_solver_error(l->solver), *found = strstr(sentence, words);
  const int method = found ? clv_method_from_name(found + strlen(words)) : -1;
  if (l->method != CLV_NEWMARK || method < 0) fail_msg("%s", sentence);
  return (clv_method)method;
}

static void advance(life *l, tally *t) {
  const bool is_static = l->method == CLV_STATIC;
  const uint64_t before = hash_of(l, false);
  const clv_result result = is_static ? find_equilibrium(l) : clv_solver_step(l->solver, l->time, l->step, NULL);
  if (result != CLV_OK && !is_static) {
    assert_true(hash_of(l, false) == before);
    l->advised = advice(l);
  }
  t->steps++;
  t->refused += result != CLV_OK;
  l->stalled = l->stalled || result != CLV_OK;
  l->time += l->step;
  chart after = chart_of(l);
  free(after.cells);
}

// From a seed and a method alone, with so many threads; *hash stands for what it ends as, too, and *advised is what it
// would rather have been moved by. False when the model is not for such cells.
static bool live_by(clv_method method, uint64_t seed, uint32_t threads, uint32_t most, tally *t, uint64_t *hash,
                    clv_method *advised) {
  life l = {.p = {.random = {seed}}, .threads = threads, .method = method, .advised = method};
  l.model = (uint32_t)(seed % MODELS);
  l.way = (uint32_t)(seed % WAYS);
  l.kind = random_below(&l.p.random, CLV_GRID_KIND_COUNT);
  if (!admit(&l, clv_model_list(l.model, NULL))) return false;
  equip(&l);
  uint32_t done = 0;
  for (uint32_t k = 0; k < TRIES && done < most && operated_cells(l.p.body) > 0; k++) {
    done += operate(&l, t);
    if (random_chance(&l.p.random, 25) && l.advised == method) advance(&l, t);
  }
  t->bodies++;
  t->stalled += l.stalled;
  *hash = *hash * 31 + hash_of(&l, true);
  *advised = l.advised;
  dismiss(&l);
  return true;
}

// By the method that is its turn; and, where that refuses steps and advises another, by that from the beginning.
static bool live(uint64_t seed, uint32_t threads, uint32_t most, tally *t, uint64_t *hash) {
  const clv_method method = ways[seed % WAYS].method;
  clv_method advised;
  if (!live_by(method, seed, threads, most, t, hash, &advised)) return false;
  if (advised == method) return true;
  t->advised++;
  return live_by(advised, seed, threads, most, t, hash, &advised);
}

static uint32_t least_of(const uint32_t *counts, uint32_t count) {
  uint32_t least = UINT32_MAX;
  for (uint32_t k = 0; k < count; k++) least = counts[k] < least ? counts[k] : least;
  return least;
}

static void check_tally(const tally *t) {
  for (uint32_t k = 0; k < random_surgery_count; k++)
    print_message("%6u  %s\n", t->operations[k], random_surgeries[k].name);
  print_message("%u operations of %u changed something in %u bodies (%u of them twice, %u again as advised), with %u "
                "steps (%u refused, in %u bodies); "
                "models %u, kinds %u, ways %u at least; %u cells put together after cuts\n",
                t->done, t->tried, t->bodies, t->twins, t->advised, t->steps, t->refused, t->stalled,
                least_of(t->models, MODELS), least_of(t->kinds, CLV_GRID_KIND_COUNT), least_of(t->ways, WAYS),
                t->together_after_cuts);
  // Edges are bisected where all cells are simplices and those about the edge are not refined, which is rare. In
  // statics Newton's method stalls in a body or two, as Newmark's does, and says so.
  const uint32_t least = t->done / 500;
  assert_true(least_of(t->operations, random_surgery_count) >= least);
  assert_true(least_of(t->models, MODELS) >= least);
  assert_true(least_of(t->kinds, CLV_GRID_KIND_COUNT) >= least);
  assert_true(least_of(t->ways, WAYS) >= least);
  assert_true(t->threads[1] >= t->done / 4 && t->threads[2] >= t->done / 4);
  assert_true(t->twins >= t->bodies / 20);
  assert_true(t->together_after_cuts >= least);
  assert_true(t->stalled <= t->bodies / 40);
}

static void bodies_stand_random_surgery(void **state) {
  options *o = *state;
  tally t = {.done = 0};
  assert_true(random_surgery_count <= MOST_OPERATIONS);
  for (uint64_t seed = o->seed; t.done < o->operations; seed++) {
    uint64_t hash = 0, again = 0;
    const uint32_t left = o->operations - t.done, most = left < LIFE ? left : LIFE;
    const uint32_t threads = seed / 2 % 2 ? 2 : 1;
    o->seed = seed;
    if (!live(seed, threads, most, &t, &hash) || seed % 8) continue;
    tally twin = {.done = 0};
    assert_true(live(seed, 3 - threads, most, &twin, &again));
    assert_true(hash == again);
    t.twins++;
  }
  check_tally(&t);
}

int main(int count, char **arguments) {
  options o = {OPERATIONS, 1};
  for (int k = 1; k < count; k++) {
    if (!strcmp(arguments[k], "--soak")) o.operations = SOAK_OPERATIONS;
    if (!strcmp(arguments[k], "--seed") && k + 1 < count) o.seed = strtoull(arguments[++k], NULL, 10);
  }
  laws = beam_program();
  random_surgery_begin();
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(bodies_stand_random_surgery, &o)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  if (failed) print_error("the body of --seed %llu, after: %s\n", (unsigned long long)o.seed, latest);
  random_surgery_end();
  clv_program_destroy(laws);
  return failed;
}
