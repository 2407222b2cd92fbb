// Statics against theory, and of different meshes against each other.
//
// Where a mesh is refined, the change from one mesh to the next, of twice as many cells along each axis, measures the
// error that is left: with an order of convergence p it is the change over 2^p - 1. The order is near two, as the beams
// show; half the change, which is p = 1.6, is what is taken. Two meshes of different cells agree when they differ by no
// more than their two errors: no tolerance is chosen by hand, only a bound that keeps the errors small.

#include "support/beam.h"

#include <math.h>

// How the end of a body moves, on the average over its particles, under its weight and a force on that end; the other
// end, where x = 0, is clamped.
static void settle(const beam *b, const double force[3], double moved[3]) {
  clv_body *body = beam_create(b);
  beam_clamp(body);
  const clv_zone end = beam_end(b->size[0], 1);
  const clv_key key = {0, {force[0], force[1], force[2]}};
  uint32_t count = 0;
  assert_int_equal(clv_body_pull(body, &end, &key, 1, &count), CLV_OK);
  const clv_solver_def def = beam_method(CLV_STATIC);
  clv_solver *solver = beam_solver(body, &def);
  if (clv_solver_step(solver, 0, 1, NULL) != CLV_OK)
    fail_msg("%s on %s: %s", b->model, clv_grid_name(b->kind), clv_solver_error(solver));
  const double *x = clv_body_positions(body), *rest = clv_body_rest(body), *masses = clv_body_masses(body);
  memset(moved, 0, 3 * sizeof *moved);
  for (size_t s = 1; s < clv_body_slots(body); s++)
    for (uint32_t k = 0; k < 3 && masses[s] > 0 && rest[3 * s] > b->size[0] - 1e-9; k++)
      moved[k] += (x[3 * s + k] - rest[3 * s + k]) / count;
  clv_solver_destroy(solver);
  clv_body_destroy(body);
}

static bool is_surface(clv_grid_kind kind) {
  return kind <= CLV_GRID_MIXED2;
}

// Beam theory

// A slender cantilever with n cells across it and cubes for cells. Poisson's ratio is 0, so that nothing varies through
// its width, where one cell is enough, and the clamp strains nothing but what beam theory knows.
static beam slender(clv_grid_kind kind, uint32_t n, const clv_program *program) {
  beam b = beam_default();
  b.kind = kind;
  b.model = "fem-linear";
  b.material.young = 1e6;
  b.material.poisson = 0;
  b.material.thickness = 0.1;
  b.plane = is_surface(kind);
  b.program = program;
  b.size[0] = 1;
  b.size[1] = b.size[2] = 0.1;
  b.cells[0] = 10 * n;
  b.cells[1] = b.cells[2] = 1;
  b.cells[b.plane ? 1 : 2] = n;
  return b;
}

// Deflections approach Timoshenko's from below, as those of finite elements must, with the square of the size of the
// cells; and what they approach is his. Simplices are so stiff in bending that eight across are only on the way.
static void beams_converge_to_timoshenko(void **state) {
  enum { LEVELS = 4 };
  static const struct {
    clv_grid_kind kind;
    double tolerance; // of what the deflections approach
  } rows[] = {{CLV_GRID_HEX, 1e-3},  {CLV_GRID_PRISM, 1e-3}, {CLV_GRID_PYRAMID, 1e-3}, {CLV_GRID_QUAD, 1e-3},
              {CLV_GRID_TET5, 1e-2}, {CLV_GRID_TET6, 1e-2},  {CLV_GRID_TRI, 1e-2}};
  const double force = 1, length = 1, side = 0.1, young = 1e6, area = side * side;
  const double inertia = area * side * side / 12, shear = young / 2, shape = 5.0 / 6;
  const double theory =
      force * length * length * length / (3 * young * inertia) + force * length / (shape * shear * area);
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++) {
    double short_by[LEVELS]; // part of the theory's deflection
    for (uint32_t level = 0; level < LEVELS; level++) {
      const beam b = slender(rows[k].kind, 1u << level, *state);
      const uint32_t axis = b.plane ? 1 : 2;
      double moved[3], pull[3] = {0};
      pull[axis] = force;
      settle(&b, pull, moved);
      short_by[level] = 1 - moved[axis] / theory;
    }
    const double last = short_by[LEVELS - 1], before = short_by[LEVELS - 2];
    const double order = log2(before / last), limit = last - (before - last) / 3;
    print_message("%-8s short by %.4f %.4f %.4f %.4f, order %.2f, at last %+.1e\n", clv_grid_name(rows[k].kind),
                  short_by[0], short_by[1], before, last, order, limit);
    assert_true(last > 0);
    assert_true(order > 1.75 && order < 2.1);
    assert_true(fabs(limit) < rows[k].tolerance);
  }
}

// One block, many meshes

typedef struct answer {
  double moved[3];
  double error; // m: half the change from the mesh with half as many cells along each axis
} answer;

static double distance(const double a[3], const double b[3]) {
  return sqrt((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

// A block of 0.2 x 0.1 x 0.1 m, 2 kg, pulled along and bent by forces in proportion to its mass, which every kind of
// cell shares out in its own way: what they come to does not depend on the mesh.
static void solve_block(beam *b, uint32_t n, double moved[3]) {
  b->cells[0] = 2 * n;
  b->cells[1] = b->cells[2] = n;
  settle(b, (double[]){0, 0, 0}, moved);
}

static answer refine_block(const char *model, clv_grid_kind kind, uint32_t n, const clv_program *program) {
  beam b = beam_default();
  double coarse[3];
  answer result;
  b.kind = kind;
  b.model = model;
  b.plane = is_surface(kind);
  b.material.thickness = 0.1;
  b.program = program;
  b.size[0] = 0.2;
  b.size[1] = b.size[2] = 0.1;
  b.gravity[0] = 150;
  b.gravity[1] = b.plane ? 20 : 10;
  b.gravity[2] = b.plane ? 0 : -20;
  solve_block(&b, n / 2, coarse);
  solve_block(&b, n, result.moved);
  result.error = distance(coarse, result.moved) / 2;
  return result;
}

typedef struct comparison {
  const char *model;
  uint32_t cells; // across the block
  double bound;   // of errors, as a part of the displacement
} comparison;

static void compare_meshes(const comparison *c, const clv_grid_kind *kinds, uint32_t count,
                           const clv_program *program) {
  enum { MOST = 8 };
  answer answers[MOST];
  double worst = 0, furthest = 0, largest_error = 0;
  const double none[3] = {0, 0, 0};
  assert_true(count <= MOST);
  for (uint32_t k = 0; k < count; k++) {
    answers[k] = refine_block(c->model, kinds[k], c->cells, program);
    const double size = distance(answers[k].moved, none), error = answers[k].error / size;
    assert_true(size > 0.01);
    if (!(error < c->bound)) fail_msg("%s on %s: error %.3f", c->model, clv_grid_name(kinds[k]), error);
    largest_error = fmax(largest_error, error);
    for (uint32_t j = 0; j < k; j++) {
      const double apart = distance(answers[k].moved, answers[j].moved), errors = answers[k].error + answers[j].error;
      if (!(apart <= errors))
        fail_msg("%s on %s and on %s: %g apart, errors %g", c->model, clv_grid_name(kinds[k]), clv_grid_name(kinds[j]),
                 apart, errors);
      worst = fmax(worst, apart / errors);
      furthest = fmax(furthest, apart / size);
    }
  }
  print_message("%-20s moves by %.4f %.4f %.4f on %s; at most %.2f %% apart, errors up to %.2f %%; %.2f of errors\n",
                c->model, answers[0].moved[0], answers[0].moved[1], answers[0].moved[2], clv_grid_name(kinds[0]),
                100 * furthest, 100 * largest_error, worst);
}

static void volumes_agree(void **state) {
  static const clv_grid_kind kinds[] = {CLV_GRID_HEX,   CLV_GRID_TET5,    CLV_GRID_TET6,
                                        CLV_GRID_PRISM, CLV_GRID_PYRAMID, CLV_GRID_MIXED};
  static const comparison rows[] = {{"fem-linear", 6, 0.08},
                                    {"fem-corotational", 4, 0.05},
                                    {"fem-corotational-qr", 4, 0.05},
                                    {"stvk", 4, 0.05},
                                    {"neo-hookean", 4, 0.05}};
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++)
    compare_meshes(&rows[k], kinds, sizeof kinds / sizeof *kinds, *state);
  static const clv_grid_kind tetrahedra[] = {CLV_GRID_TET5, CLV_GRID_TET6};
  compare_meshes(&(comparison){"mass-tensor", 6, 0.08}, tetrahedra, 2, *state);
}

static void surfaces_agree(void **state) {
  static const clv_grid_kind kinds[] = {CLV_GRID_QUAD, CLV_GRID_TRI, CLV_GRID_MIXED2};
  static const comparison rows[] = {
      {"fem-linear", 12, 0.03}, {"fem-corotational", 12, 0.03}, {"fem-corotational-qr", 12, 0.03}, {"stvk", 12, 0.03}};
  for (uint32_t k = 0; k < sizeof rows / sizeof *rows; k++)
    compare_meshes(&rows[k], kinds, sizeof kinds / sizeof *kinds, *state);
}

static int make_program(void **state) {
  *state = beam_program();
  return 0;
}

static int end_program(void **state) {
  clv_program_destroy(*state);
  return 0;
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(beams_converge_to_timoshenko),
      cmocka_unit_test(surfaces_agree),
      cmocka_unit_test(volumes_agree),
  };
  return cmocka_run_group_tests(tests, make_program, end_program);
}
