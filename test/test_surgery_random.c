// Random operations on bodies that move: all models in turn, every kind of cell, until little is left of each.
//
// soak: yes
//
// After each operation mass is what the cells that are left weigh, and after each step all numbers are finite. Now and
// then, and at the end of each body's life, the map is checked in full and the views are compared with a rebuild.
//
// usage: test_surgery_random [--soak] [--seed S]

#include "support/operated.h"

#include <stdio.h>
#include <stdlib.h>

#if defined(__SANITIZE_ADDRESS__)
enum { OPERATIONS = 1000 };
#else
enum { OPERATIONS = 5000 };
#endif
enum { SOAK_OPERATIONS = 100000, LIFE = 60 };

typedef struct options {
  uint32_t operations;
  uint64_t seed;
} options;

static clv_program *laws;

typedef struct patient {
  clv_body *body;
  clv_surgery *surgery;
  clv_solver *solver;
  random_source random;
  double size[3], density, time, step, whole;
  bool refines; // cells of its kinds can be refined
} patient;

static double some(patient *p) {
  return (double)random_below(&p->random, 1u << 20) / (1u << 20);
}

static void some_point(patient *p, double *point) {
  for (uint32_t k = 0; k < 3; k++) point[k] = p->size[k] * (1.2 * some(p) - 0.1);
}

// A cell, or 0 when a few tries meet only holes.
static clv_dart some_cell(patient *p) {
  const clv_map *map = clv_body_map(p->body);
  for (uint32_t k = 0; k < 30; k++) {
    const int kind = CLV_TEMPLATE_FIRST + (int)random_below(&p->random, CLV_TEMPLATE_LAST - CLV_TEMPLATE_FIRST + 1);
    const uint32_t rows = clv_cell_rows(map, (clv_kind)kind);
    const clv_dart cell = rows ? clv_cell_at(map, (clv_kind)kind, random_below(&p->random, rows)) : 0;
    if (cell) return cell;
  }
  return CLV_NO_DART;
}

static clv_dart some_facet(patient *p) {
  const clv_map *map = clv_body_map(p->body);
  clv_dart dart = some_cell(p);
  for (uint32_t k = random_below(&p->random, 12); dart && k > 0; k--)
    dart = clv_alpha(map, dart, random_below(&p->random, map->dimension));
  return dart;
}

// Operations

typedef clv_result operation(patient *p, clv_surgery_report *report);

static clv_result cut_facets(patient *p, clv_surgery_report *report) {
  clv_dart facets[8];
  uint32_t count = 0;
  for (uint32_t k = 1 + random_below(&p->random, 8); k > 0; k--)
    if ((facets[count] = some_facet(p))) count++;
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_FACETS, .facets = facets, .count = count}, report);
}

static clv_result cut_particles(patient *p, clv_surgery_report *report) {
  const clv_map *map = clv_body_map(p->body);
  const clv_dart cell = some_cell(p);
  clv_id ids[24];
  uint32_t count = 0;
  clv_walk walk;
  if (!cell) return CLV_OK;
  assert_int_equal(clv_walk_incident(&walk, map, CLV_CELL, CLV_VERTEX, cell), CLV_OK);
  for (uint32_t k = 0; k < walk.count && count < 24; k++) ids[count++] = clv_id_of(map, CLV_VERTEX, walk.darts[k]);
  clv_walk_end(&walk);
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_PARTICLES, .particles = ids, .count = count}, report);
}

static clv_result cut_plane(patient *p, clv_surgery_report *report) {
  double point[3], normal[3];
  some_point(p, point);
  for (uint32_t k = 0; k < 3; k++) normal[k] = some(p) - 0.5;
  normal[0] += 1;
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = clv_zone_plane(point, normal)}, report);
}

static clv_result cut_ball(patient *p, clv_surgery_report *report) {
  double point[3];
  some_point(p, point);
  const clv_zone zone = clv_zone_sphere(point, 0.3 * p->size[1] * some(p));
  return clv_surgery_cut(p->surgery, &(clv_cut){.kind = CLV_CUT_ZONE, .zone = zone}, report);
}

static clv_result cut_blade(patient *p, clv_surgery_report *report) {
  clv_cut cut = {.kind = CLV_CUT_BLADE};
  for (uint32_t k = 0; k < 2; k++) {
    some_point(p, cut.blade.before[k]);
    some_point(p, cut.blade.after[k]);
  }
  return clv_surgery_cut(p->surgery, &cut, report);
}

static clv_result remove_cells(patient *p, clv_surgery_report *report) {
  clv_dart cells[4];
  uint32_t count = 0;
  for (uint32_t k = 1 + random_below(&p->random, 4); k > 0; k--)
    if ((cells[count] = some_cell(p))) count++;
  return clv_surgery_remove_cells(p->surgery, cells, count, report);
}

static clv_result remove_nearest(patient *p, clv_surgery_report *report) {
  double point[3];
  some_point(p, point);
  const clv_zone zone = clv_zone_nearest(point);
  return clv_surgery_remove(p->surgery, &zone, report);
}

static clv_result pierce(patient *p, clv_surgery_report *report) {
  double from[3], to[3];
  some_point(p, from);
  some_point(p, to);
  const clv_zone rod = clv_zone_capsule(from, to, 0.01 * p->size[1]), ball = clv_zone_sphere(from, 0.05 * p->size[1]);
  return clv_surgery_pierce(p->surgery, random_chance(&p->random, 20) ? &rod : &ball, report);
}

static clv_result tear(patient *p, clv_surgery_report *report) {
  clv_tear tear = clv_default_tear();
  tear.kind = random_chance(&p->random, 50) ? CLV_TEAR_STRESS : CLV_TEAR_STRAIN;
  tear.threshold = tear.kind == CLV_TEAR_STRESS ? 1e4 * some(p) : 0.1 * some(p);
  tear.most = 1 + random_below(&p->random, 5);
  return clv_surgery_tear(p->surgery, &tear, report);
}

enum { ENOUGH = 600 }; // cells, beyond which nothing is refined

static clv_result refine(patient *p, clv_surgery_report *report) {
  clv_dart cells[3];
  uint32_t count = 0;
  if (!p->refines || operated_cells(p->body) > ENOUGH) return CLV_OK;
  for (uint32_t k = 1 + random_below(&p->random, 3); k > 0; k--)
    if ((cells[count] = some_cell(p))) count++;
  return clv_surgery_refine_cells(p->surgery, cells, count, 2, report);
}

static clv_result coarsen(patient *p, clv_surgery_report *report) {
  double point[3];
  some_point(p, point);
  const clv_zone zone = clv_zone_sphere(point, 2 * p->size[1] * some(p));
  return p->refines ? clv_surgery_coarsen(p->surgery, &zone, random_below(&p->random, 2), report) : CLV_OK;
}

static const struct {
  operation *run;
  uint32_t weight;
} operations[] = {{cut_facets, 40}, {cut_particles, 10}, {cut_plane, 5},      {cut_ball, 10},
                  {cut_blade, 10},  {remove_cells, 15},  {remove_nearest, 5}, {pierce, 5},
                  {tear, 5},        {refine, 20},        {coarsen, 10}};

// What holds

// By the corners of each cell at rest.
static double weigh_cells(const patient *p) {
  const clv_map *map = clv_body_map(p->body);
  const double *rest = clv_body_rest(p->body);
  double sum = 0;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    for (uint32_t row = 0; row < clv_cell_rows(map, (clv_kind)kind); row++) {
      if (!clv_cell_at(map, (clv_kind)kind, row)) continue;
      double corners[8][3];
      const uint32_t count = clv_templates[kind].corner_count;
      for (uint32_t c = 0; c < count; c++)
        memcpy(corners[c], rest + 3 * (size_t)map->corners[kind][row * count + c], sizeof corners[c]);
      sum += p->density * clv_element_measure((clv_kind)kind, (const double(*)[3])corners);
    }
  return sum;
}

static void check_numbers(const patient *p) {
  const double mass = operated_mass(p->body), cells = weigh_cells(p);
  if (!(fabs(mass - cells) <= 1e-12 * p->whole)) fail_msg("the body weighs %.17g, its cells %.17g", mass, cells);
  const double *x = clv_body_positions(p->body), *v = clv_body_velocities(p->body), *m = clv_body_masses(p->body);
  for (size_t s = 1; s < clv_body_slots(p->body); s++)
    for (size_t k = 0; m[s] > 0 && k < 3; k++) assert_true(isfinite(x[3 * s + k]) && isfinite(v[3 * s + k]));
}

// Lives

static bool admit(patient *p, clv_grid_kind kind, const char *model, clv_method method, const clv_program *program) {
  const bool flat = kind <= CLV_GRID_MIXED2;
  beam b = beam_default();
  b.kind = kind;
  memcpy(b.cells, flat ? (uint32_t[]){8, 5, 1} : (uint32_t[]){5, 3, 2}, sizeof b.cells);
  memcpy(b.size, flat ? (double[]){0.8, 0.5, 1} : (double[]){0.5, 0.3, 0.2}, sizeof b.size);
  b.model = model;
  clv_mesh mesh;
  clv_section section;
  beam_mesh(&b, &mesh);
  b.program = program;
  clv_body_def def = beam_def(&b, &mesh, &section);
  def.gravity[2] = -9.81;
  p->body = clv_body_create(&def, NULL, NULL);
  clv_mesh_free(&mesh);
  if (!p->body) return false; // the model is not for such cells
  beam_clamp(p->body);
  memcpy(p->size, b.size, sizeof p->size);
  if (flat) p->size[2] = 0.01;
  p->density = b.material.density * (flat ? b.material.thickness : 1);
  p->time = 0;
  p->refines = kind != CLV_GRID_PRISM && kind != CLV_GRID_PYRAMID && kind != CLV_GRID_MIXED;
  p->whole = operated_mass(p->body);
  clv_solver_def solver = beam_method(CLV_SYMPLECTIC_EULER);
  p->solver = beam_solver(p->body, &solver);
  assert_int_equal(clv_solver_stable_step(p->solver, &p->step), CLV_OK);
  clv_solver_destroy(p->solver);
  solver.method = method;
  p->step *= method < CLV_IMPLICIT_EULER ? 0.2 : 1;
  p->solver = beam_solver(p->body, &solver);
  p->surgery = operated_surgery(p->body);
  return true;
}

static void dismiss(patient *p) {
  operated_check(p->body);
  clv_surgery_destroy(p->surgery);
  clv_solver_destroy(p->solver);
  clv_body_destroy(p->body);
}

static void operate(patient *p) {
  uint32_t total = 0, which = 0;
  for (uint32_t k = 0; k < sizeof operations / sizeof *operations; k++) total += operations[k].weight;
  for (uint32_t at = random_below(&p->random, total); at >= operations[which].weight; which++)
    at -= operations[which].weight;
  clv_surgery_report report = {0};
  const double mass = operated_mass(p->body);
  const uint32_t cells = operated_cells(p->body);
  if (operations[which].run(p, &report) != CLV_OK) fail_msg("%s", clv_surgery_error(p->surgery));
  if (!report.refined && !report.coarsened) assert_int_equal(operated_cells(p->body), cells - report.removed);
  if (!report.removed) assert_true(fabs(operated_mass(p->body) - mass) <= 1e-12 * p->whole);
  check_numbers(p);
  operated_check_followed(p->solver);
  double stable = INFINITY; // what is fine stands shorter steps than what was coarse
  if (report.refined && clv_solver_stable_step(p->solver, &stable) != CLV_OK)
    fail_msg("%s", clv_solver_error(p->solver));
  p->step = fmin(p->step, 0.2 * stable);
}

static void live(patient *p, uint32_t *left) {
  for (uint32_t k = 0; k<LIFE && * left> 0; k++, --*left) {
    operate(p);
    if (random_chance(&p->random, 40)) {
      beam_step(p->solver, p->time, p->step);
      p->time += p->step;
      check_numbers(p);
    }
    if (k % 20 == 19) operated_check(p->body);
  }
}

static void bodies_stand_random_surgery(void **state) {
  const options *o = *state;
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_IMPLICIT_EULER, CLV_HEUN, CLV_RK4,
                                       CLV_IMPLICIT_NEWTON,  CLV_NEWMARK};
  uint32_t left = o->operations, lives = 0;
  for (uint64_t seed = o->seed; left > 0; seed++) {
    const char *model;
    for (uint32_t m = 0; left > 0 && (model = clv_model_list(m, NULL)); m++) {
      if (!strcmp(model, "rules")) continue;
      patient p = {.random = {1000 * seed + m}};
      const clv_grid_kind kind = (clv_grid_kind)random_below(&p.random, CLV_GRID_KIND_COUNT);
      if (!admit(&p, kind, model, methods[random_below(&p.random, 6)], laws)) continue;
      live(&p, &left);
      dismiss(&p);
      lives++;
    }
  }
  print_message("%u operations on %u bodies\n", o->operations, lives);
  assert_true(lives >= o->operations / LIFE);
}

int main(int count, char **arguments) {
  options o = {OPERATIONS, 1};
  for (int k = 1; k < count; k++) {
    if (!strcmp(arguments[k], "--soak")) o.operations = SOAK_OPERATIONS;
    if (!strcmp(arguments[k], "--seed") && k + 1 < count) o.seed = strtoull(arguments[++k], NULL, 10);
  }
  laws = beam_program();
  const struct CMUnitTest tests[] = {cmocka_unit_test_prestate(bodies_stand_random_surgery, &o)};
  const int failed = cmocka_run_group_tests(tests, NULL, NULL);
  clv_program_destroy(laws);
  return failed;
}
