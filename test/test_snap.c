// Vertices that move onto a plane, in cells of every kind and with every model: how many, and what they take along.

#include "support/counting_allocator.h"
#include "support/sliced.h"

#include <stdlib.h>

static clv_program *laws;
static const uint32_t cells[3] = {4, 3, 3};

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

// The model serves all cells of such a grid.
static bool serves(const char *model, clv_grid_kind kind) {
  const bool flat = sliced_is_flat(kind);
  if (!strcmp(model, "cloth")) return flat;
  if (!strcmp(model, "neo-hookean")) return !flat;
  if (!strcmp(model, "mass-tensor")) return kind == CLV_GRID_TET5 || kind == CLV_GRID_TET6;
  return strcmp(model, "rules") != 0;
}

static beam cubes(const char *model, uint32_t threads) {
  beam b = beam_default();
  b.model = model;
  b.program = laws;
  b.threads = threads;
  memcpy(b.cells, (uint32_t[]){3, 2, 2}, sizeof b.cells);
  memcpy(b.size, (double[]){3, 2, 2}, sizeof b.size);
  return b;
}

// Three planes across a block, a little further and a little steeper each.
static clv_slice plane_number(uint32_t n, clv_grid_kind kind) {
  const bool flat = sliced_is_flat(kind);
  clv_slice slice = sliced_plane(1.9 + 0.1 * n, 1.2, flat ? 0 : 1, 1, 0.2 + 0.1 * n, flat ? 0 : 0.1);
  slice.snap = 0.4;
  return slice;
}

static uint32_t count_on(clv_body *body, const clv_slice *slice) {
  uint32_t on = 0;
  for (clv_id v = {0}; (v = clv_id_next(clv_body_map(body), CLV_VERTEX, v)).index;)
    on += fabs(sliced_height(body, slice, v.index)) < 1e-9;
  return on;
}

// Slices a block three times anew and adds up what was done.
static clv_surgery_report snap(clv_grid_kind kind, const char *model, uint32_t level, double strain) {
  clv_surgery_report sum = {0};
  for (uint32_t n = 0; n < 3; n++) {
    clv_body *body = sliced_block(laws, kind, model, cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    clv_slice slice = plane_number(n, kind);
    slice.level = level;
    if (strain > 0) operated_deform(body, strain);
    const sliced_state before = sliced_state_of(body);
    const clv_surgery_report report = sliced(surgery, &slice);
    sliced_assert_kept(body, &before, slice.quality);
    assert_true(count_on(body, &slice) >= report.moved);
    assert_true(operated_components(body) >= 2);
    sum.moved += report.moved;
    sum.refused += report.refused;
    sum.stuck += report.stuck;
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
  return sum;
}

// At rest the shape of cells alone decides, whatever the model: all that are near go, but for some in pyramids that
// would become too flat.
static void every_model_moves_them(void **unused) {
  (void)unused;
  static const struct {
    uint32_t near, moved;
  } expected[CLV_GRID_KIND_COUNT] = {
      [CLV_GRID_TRI] = {10, 10},   [CLV_GRID_QUAD] = {10, 10},    [CLV_GRID_MIXED2] = {10, 10},
      [CLV_GRID_HEX] = {39, 39},   [CLV_GRID_TET5] = {39, 39},    [CLV_GRID_TET6] = {39, 39},
      [CLV_GRID_PRISM] = {39, 39}, [CLV_GRID_PYRAMID] = {50, 46}, [CLV_GRID_MIXED] = {40, 38},
  };
  const char *model;
  for (uint32_t m = 0; (model = clv_model_list(m, NULL)); m++)
    for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
      if (!serves(model, (clv_grid_kind)kind)) continue;
      const clv_surgery_report report = snap((clv_grid_kind)kind, model, 0, 0);
      if (report.moved != expected[kind].moved || report.stuck || report.moved + report.refused != expected[kind].near)
        fail_msg("%s, %s: %u moved, %u refused, %u stuck", model, clv_grid_name((clv_grid_kind)kind), report.moved,
                 report.refused, report.stuck);
    }
}

// In a body that is strained unevenly and moves, most go in space, where what one sets free another may make.
static void strain_lets_most_go(void **unused) {
  (void)unused;
  const char *model;
  for (uint32_t m = 0; (model = clv_model_list(m, NULL)); m++)
    for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) {
      if (!serves(model, (clv_grid_kind)kind)) continue;
      const clv_surgery_report report = snap((clv_grid_kind)kind, model, 0, 0.02);
      const uint32_t left = report.refused + report.stuck;
      if (sliced_is_flat((clv_grid_kind)kind) ? !report.moved : report.moved < 4 * left)
        fail_msg("%s, %s: %u moved, %u refused, %u stuck", model, clv_grid_name((clv_grid_kind)kind), report.moved,
                 report.refused, report.stuck);
    }
}

// Refined quadrangles and hexahedra move as triangles and tetrahedra do; where cells that cannot be refined lie among
// them, vertices hang, and stay.
static void fine_cells_are_moved(void **unused) {
  (void)unused;
  for (uint32_t level = 1; level <= 2; level++) {
    const clv_surgery_report quads = snap(CLV_GRID_QUAD, "fem-corotational", level, 0),
                             cubes = snap(CLV_GRID_HEX, "springs", level, 0);
    assert_true(quads.moved > 8 * level && !quads.stuck && !quads.refused);
    assert_true(cubes.moved > 60 * level && !cubes.stuck && !cubes.refused);
  }
  const clv_surgery_report mixed = snap(CLV_GRID_MIXED, "fem-corotational", 1, 0);
  assert_true(mixed.moved > 0 && mixed.stuck > mixed.moved);
}

// Springs

// What each cell's diagonals have of stiffness times length, and each edge of a surface of what its plate has; 0 where
// there are none.
static double spring_part(const clv_body *body, const clv_column *column, clv_dart dart, bool hinge) {
  const double stiffness = *(const double *)clv_column_at(column, dart);
  if (!hinge) return stiffness * physics_diagonal_length(body, dart);
  const double plate = physics_hinge_stiffness(body, dart);
  return plate > 0 ? stiffness / plate : 0;
}

enum { IDS = 1 << 14 };

static void assert_springs(clv_grid_kind kind, const char *model, const char *name, clv_orbit orbit) {
  clv_body *body = sliced_block(laws, kind, model, cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  const clv_map *map = clv_body_map(body);
  const clv_column *column = clv_column_find(map, name), *ea = clv_column_find(map, "ea");
  const bool hinge = orbit == CLV_EDGE;
  clv_slice slice = plane_number(1, kind);
  double *numbers = calloc(3 * (size_t)IDS, sizeof *numbers), *parts = numbers, *edges = parts + IDS,
         *stiffness = edges + IDS;
  uint32_t changed = 0;
  assert_non_null(numbers);
  for (clv_id id = {0}; (id = clv_id_next(map, orbit, id)).index;) {
    const clv_dart dart = clv_id_dart(map, orbit, id);
    assert_true(id.index < IDS);
    parts[id.index] = spring_part(body, column, dart, hinge);
    edges[id.index] = *(const double *)clv_column_at(ea, dart);
    stiffness[id.index] = *(const double *)clv_column_at(column, dart);
  }
  assert_true(sliced(surgery, &slice).moved > 0);
  for (clv_id id = {0}; (id = clv_id_next(map, orbit, id)).index;) {
    const clv_dart dart = clv_id_dart(map, orbit, id);
    if (hinge && clv_is_free(map, dart, 2)) continue; // it came by the cut, or was a hinge
    assert_true(fabs(spring_part(body, column, dart, hinge) - parts[id.index]) <= 1e-12 * fabs(parts[id.index]));
    assert_true(*(const double *)clv_column_at(ea, dart) == edges[id.index]);
    changed += *(const double *)clv_column_at(column, dart) != stiffness[id.index];
  }
  assert_true(changed > 0);
  free(numbers);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Edges and diagonals keep stiffness times length, hinges that of their plates.
static void springs_follow(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_HEX, CLV_GRID_PRISM, CLV_GRID_PYRAMID};
  for (uint32_t k = 0; k < 3; k++) assert_springs(kinds[k], "springs", "k_diagonal", CLV_CELL);
  assert_springs(CLV_GRID_QUAD, "springs-hybrid", "k_shear", CLV_CELL);
  assert_springs(CLV_GRID_QUAD, "cloth", "k_bend", CLV_EDGE);
  assert_springs(CLV_GRID_TRI, "cloth", "k_bend", CLV_EDGE);
}

// What a cell that hangs together with no other stores when it is strained evenly.
static double energy_of_strain(clv_body *body, clv_dart cell, const double strain[6]) {
  static const uint8_t entry[3][3] = {{0, 2, 5}, {2, 1, 4}, {5, 4, 3}};
  const double *rest = clv_body_rest(body);
  double *pos = clv_body_positions(body);
  clv_walk walk;
  memcpy(pos, rest, 3 * (size_t)clv_body_slots(body) * sizeof *pos);
  assert_int_equal(clv_walk_incident(&walk, clv_body_map(body), CLV_CELL, CLV_VERTEX, cell), CLV_OK);
  for (uint32_t k = 0; k < walk.count; k++) {
    const size_t slot = clv_id_of(clv_body_map(body), CLV_VERTEX, walk.darts[k]).index;
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t j = 0; j < 3; j++) pos[3 * slot + i] += strain[entry[i][j]] * rest[3 * slot + j];
  }
  clv_walk_end(&walk);
  return sliced_elastic(body);
}

// Even strains of each cell of a body, all of which are parted: what is stored, in `energies`. How many there are.
enum { STRAINS_OF_A_CELL = 40, STRAINED = 20000 };
static uint32_t strain_all(clv_body *body, double *energies) {
  const clv_map *map = clv_body_map(body);
  random_source random = {5};
  uint32_t count = 0;
  for (clv_id id = {0}; (id = clv_id_next(map, CLV_CELL, id)).index;)
    for (uint32_t n = 0; n < STRAINS_OF_A_CELL; n++) {
      double strain[6] = {1, 1, 0, 1, 0, 0};
      for (uint32_t i = 0; i < 6; i++) strain[i] = 1e-4 * (strain[i] + sliced_random(&random) - 0.5);
      if (map->dimension == 2) strain[3] = strain[4] = strain[5] = 0;
      assert_true(count < STRAINED);
      energies[count++] = energy_of_strain(body, clv_id_dart(map, CLV_CELL, id), strain);
    }
  return count;
}

// What the energy of volume takes away is 3/4 at most of what springs resist a change of volume with.
static void assert_springs_prevail(clv_body *body, clv_surgery *surgery) {
  const clv_map *map = clv_body_map(body);
  const clv_column *bulk = clv_column_find(map, "bulk");
  static double whole[STRAINED], springs[STRAINED];
  operated_cut_zone(surgery, clv_zone_all());
  const uint32_t count = strain_all(body, whole);
  for (clv_id id = {0}; (id = clv_id_next(map, CLV_CELL, id)).index;)
    *(double *)clv_column_at(bulk, clv_id_dart(map, CLV_CELL, id)) = 0;
  assert_int_equal(clv_views_refresh(clv_body_views(body)), CLV_OK);
  assert_int_equal(strain_all(body, springs), count);
  double least = 1;
  for (uint32_t k = 0; k < count; k++) least = fmin(least, whole[k] / springs[k]);
  if (least < 0.249 || least > 0.5) fail_msg("a cell stores %g of what its springs store", least);
}

// Cells become slanted, and springs softer across what is stretched: the energy of volume follows.
static void volume_follows(void **unused) {
  (void)unused;
  for (uint32_t n = 0; n < 4; n++) {
    const bool flat = n < 2;
    beam b = cubes("springs-hybrid", 1);
    b.kind = flat ? CLV_GRID_QUAD : CLV_GRID_HEX;
    b.plane = flat;
    b.material.poisson = -0.5;
    if (flat) b.cells[2] = 0, b.size[2] = 0;
    clv_body *body = beam_create(&b);
    clv_surgery *surgery = operated_surgery(body);
    clv_slice slice = sliced_plane(1.4, 1, flat ? 0 : 1, 1, 0.4, flat ? 0 : 0.2);
    slice.snap = 0.5;
    slice.quality = 0.01;
    const sliced_state before = sliced_state_of(body);
    assert_true(sliced(surgery, &slice).moved > 0);
    sliced_assert_kept(body, &before, slice.quality);
    if (n % 2) {
      const clv_zone all = clv_zone_all();
      assert_int_equal(clv_surgery_refine(surgery, &all, 1, NULL), CLV_OK);
    }
    assert_springs_prevail(body, surgery);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Who stays

static clv_program *program_of(const char *text) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "own.rule", text, strlen(text)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  return program;
}

// The user's own laws are asked as all others are. Forces that have no energy might make any, so nothing moves there;
// outer forces make none.
static void own_rules_are_asked(void **unused) {
  (void)unused;
  static const char *const texts[] = {
      "use body;\nparam k:real[N/m] = 10;\n"
      "force net on e:edge { let l = norm(e.pos-e@0.pos); energy k*(l-rest(l))^2; }\n",
      "use body;\nparam k:real[N/m] = 10;\n"
      "force net on e:edge { force e = k*(e@0.pos-e.pos); force e@0 = k*(e.pos-e@0.pos); }\n",
      "use body;\nparam k:real[N/m] = 10;\n"
      "force net on e:edge { let l = norm(e.pos-e@0.pos); energy k*(l-rest(l))^2; }\n"
      "force wind on v:vertex external { force v = k*(v.rest-v.pos); }\n"};
  for (uint32_t t = 0; t < 3; t++) {
    clv_program *program = program_of(texts[t]);
    clv_body *body = sliced_block(program, CLV_GRID_HEX, "rules", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    const clv_slice slice = plane_number(0, CLV_GRID_HEX);
    const sliced_state before = sliced_state_of(body);
    const clv_surgery_report report = sliced(surgery, &slice);
    sliced_assert_kept(body, &before, slice.quality);
    assert_true(t == 1 ? report.moved == 0 && report.stuck > 5 : report.moved > 5 && report.stuck == 0);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
    clv_program_destroy(program);
  }
}

// Constants that rules of one's own have under names of the shipped ones are theirs: refined cells have their parent's.
static void own_constants_stay(void **unused) {
  (void)unused;
  clv_program *program = program_of("use body;\n"
                                    "embed bulk:real[Pa] on cell = 7 merge mean split copy;\n"
                                    "embed k_diagonal:real[Pa] on cell = 7 merge mean split copy;\n"
                                    "force whole on t:cell { energy over q in t (t.bulk+t.k_diagonal)*"
                                    "(dilation(grad(t.pos,q))-1)^2; }\n");
  clv_body *body = sliced_block(program, CLV_GRID_HEX, "rules", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  const clv_zone all = clv_zone_all();
  const clv_map *map = clv_body_map(body);
  const clv_column *const columns[] = {clv_column_find(map, "bulk"), clv_column_find(map, "k_diagonal")};
  assert_int_equal(clv_surgery_refine(surgery, &all, 1, NULL), CLV_OK);
  for (uint32_t k = 0; k < 2; k++)
    for (clv_id id = {0}; (id = clv_id_next(map, CLV_CELL, id)).index;)
      assert_true(*(const double *)clv_column_at(columns[k], clv_id_dart(map, CLV_CELL, id)) == 7);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_program_destroy(program);
}

static void who_is_held_stays(void **unused) {
  (void)unused;
  clv_body *body = sliced_block(laws, CLV_GRID_HEX, "springs", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  const clv_zone front = clv_zone_box((double[]){-1, -1, -1}, (double[]){9, 0.5, 9});
  assert_int_equal(clv_body_fix(body, &front, CLV_XYZ, NULL), CLV_OK);
  double rest[256][3];
  const uint32_t *held = clv_body_held(body);
  assert_true(clv_body_slots(body) <= 256);
  memcpy(rest, clv_body_rest(body), clv_body_slots(body) * sizeof *rest);
  const clv_slice slice = plane_number(0, CLV_GRID_HEX);
  const clv_surgery_report report = sliced(surgery, &slice);
  assert_true(report.moved > 0 && report.stuck > 0);
  for (size_t v = 1; v < clv_body_slots(body) && v < 81; v++)
    for (size_t k = 0; k < 3 && held[v]; k++) assert_true(clv_body_rest(body)[3 * v + k] == rest[v][k]);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Cells that cannot be split are counted: those with springs.
static void what_is_not_split_is_told(void **unused) {
  (void)unused;
  static const struct {
    clv_grid_kind kind;
    const char *model;
    bool whole;
  } cases[] = {{CLV_GRID_HEX, "springs", true}, {CLV_GRID_PRISM, "springs-hybrid", true},
               {CLV_GRID_QUAD, "cloth", true},  {CLV_GRID_TET5, "springs", true},
               {CLV_GRID_TRI, "cloth", true},   {CLV_GRID_TET6, "stvk", false},
               {CLV_GRID_HEX, "stvk", false}};
  for (uint32_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    clv_body *body = sliced_block(laws, cases[k].kind, cases[k].model, cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    clv_slice slice = plane_number(0, cases[k].kind);
    slice.snap = 0;
    slice.quality = 0;
    assert_int_equal(sliced(surgery, &slice).refused, 0); // nobody asked
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
    body = sliced_block(laws, cases[k].kind, cases[k].model, cells, 0);
    surgery = operated_surgery(body);
    slice.exact = true;
    const clv_surgery_report report = sliced(surgery, &slice);
    assert_true(cases[k].whole ? report.refused >= 3 && !report.split : !report.refused && report.split > 0);
    assert_true(report.facets > 0);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Afterwards

// Whatever moves it, a sliced body goes on; one that is free keeps its momentum, as well as its method does.
static double momentum_slack(const char *method) {
  if (!strcmp(method, "newmark")) return 1e-4; // accelerations stay with vertices whose mass has changed
  return !strncmp(method, "implicit", 8) ? 1e-7 : 1e-13;
}

static void go_on(clv_grid_kind kind, const char *model, clv_method method) {
  beam b = beam_default();
  b.kind = kind;
  b.model = model;
  b.program = laws;
  b.plane = sliced_is_flat(kind);
  for (uint32_t k = 0; k < 3; k++) b.size[k] = b.cells[k] = k == 2 && b.plane ? 0 : cells[k];
  clv_body *body = beam_create(&b);
  clv_surgery *surgery = operated_surgery(body);
  const bool still = !strcmp(clv_method_name(method), "static");
  for (int end = 0; still && end < 2; end++) {
    const clv_zone zone = beam_end(end ? 4 : 0, end ? 1 : -1);
    assert_int_equal(clv_body_fix(body, &zone, CLV_XYZ, NULL), CLV_OK);
  }
  if (!still) operated_deform(body, 0.002);
  for (size_t v = 0; b.plane && v < clv_body_slots(body); v++)
    clv_body_positions(body)[3 * v + 2] = clv_body_velocities(body)[3 * v + 2] = 0;
  const clv_solver_def def = beam_method(method);
  clv_solver *solver = beam_solver(body, &def);
  const double dt = 1e-4;
  for (uint32_t k = 0; k < 3; k++) beam_step(solver, k * dt, dt);
  const clv_slice slice = plane_number(0, kind);
  clv_momenta before, after;
  clv_body_momenta(body, &before);
  assert_true(sliced(surgery, &slice).moved > 0);
  operated_check_followed(solver);
  for (uint32_t k = 3; k < 13; k++) beam_step(solver, k * dt, dt);
  operated_check(body);
  clv_body_momenta(body, &after);
  const double slack = 0.002 * before.mass * momentum_slack(clv_method_name(method));
  for (uint32_t k = 0; k < 3 && !still; k++) assert_true(fabs(after.linear[k] - before.linear[k]) <= slack);
  for (size_t v = 0; v < 3 * (size_t)clv_body_slots(body); v++) assert_true(fabs(clv_body_velocities(body)[v]) < 1);
  clv_solver_destroy(solver);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static void they_move_on(void **unused) {
  (void)unused;
  for (int method = 0; clv_method_name((clv_method)method); method++) {
    go_on(CLV_GRID_HEX, "springs", (clv_method)method);
    go_on(CLV_GRID_HEX, "fem-corotational", (clv_method)method);
    go_on(CLV_GRID_MIXED, "springs", (clv_method)method);
    go_on(CLV_GRID_MIXED, "stvk", (clv_method)method);
    go_on(CLV_GRID_MIXED2, "fem-corotational", (clv_method)method);
  }
}

static void threads_make_no_difference(void **unused) {
  (void)unused;
  clv_body *bodies[2];
  for (uint32_t t = 0; t < 2; t++) {
    const beam b = cubes("springs-hybrid", 1 + t);
    bodies[t] = beam_create(&b);
    clv_surgery *surgery = operated_surgery(bodies[t]);
    operated_deform(bodies[t], 0.01);
    clv_slice slice = sliced_plane(1.3, 1, 1, 1, 0.2, 0.1);
    slice.level = 1;
    assert_true(sliced(surgery, &slice).moved > 0);
    clv_surgery_destroy(surgery);
  }
  assert_true(clv_map_hash(clv_body_map(bodies[0])) == clv_map_hash(clv_body_map(bodies[1])));
  assert_int_equal(clv_body_slots(bodies[0]), clv_body_slots(bodies[1]));
  for (size_t k = 3; k < 3 * (size_t)clv_body_slots(bodies[0]); k++) {
    assert_true(clv_body_positions(bodies[0])[k] == clv_body_positions(bodies[1])[k]);
    assert_true(clv_body_rest(bodies[0])[k] == clv_body_rest(bodies[1])[k]);
    assert_true(clv_body_velocities(bodies[0])[k] == clv_body_velocities(bodies[1])[k]);
  }
  for (uint32_t t = 0; t < 2; t++) clv_body_destroy(bodies[t]);
}

// Whatever allocation fails: nothing is cut, nothing that was tried is left, and then it works.
static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  static const char *const models[] = {"springs", "fem-corotational"};
  for (uint32_t m = 0; m < 2; m++) {
    bool refused = true;
    for (size_t n = 1; refused; n += n < 60 ? 1 : 1 + n / 20) {
      counting_memory memory = {0};
      beam b = cubes(models[m], 1);
      b.allocator = counting_allocator(&memory);
      clv_body *body = beam_create(&b);
      clv_surgery *surgery = operated_surgery(body);
      operated_deform(body, 0.01);
      const sliced_state before = sliced_state_of(body);
      const uint64_t hash = clv_map_hash(clv_body_map(body));
      clv_slice slice = sliced_plane(1.3, 1, 1, 1, 0.2, 0.1);
      memory.fail_at = memory.requests + n;
      memory.refused = false;
      clv_surgery_report report = {0};
      clv_result result = clv_surgery_slice(surgery, &slice, &report);
      refused = memory.refused;
      memory.fail_at = 0;
      if (result == CLV_ERROR_MEMORY) {
        assert_true(refused);
        sliced_assert_kept(body, &before, slice.quality);
        assert_int_equal(operated_components(body), 1);
        assert_true(clv_map_hash(clv_body_map(body)) == hash);
        result = clv_surgery_slice(surgery, &slice, &report);
      }
      assert_int_equal(result, CLV_OK);
      sliced_assert_kept(body, &before, slice.quality);
      assert_int_equal(operated_components(body), 2);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
      assert_int_equal(memory.live_bytes, 0);
    }
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(every_model_moves_them),
      cmocka_unit_test(strain_lets_most_go),
      cmocka_unit_test(fine_cells_are_moved),
      cmocka_unit_test(springs_follow),
      cmocka_unit_test(volume_follows),
      cmocka_unit_test(own_rules_are_asked),
      cmocka_unit_test(own_constants_stay),
      cmocka_unit_test(who_is_held_stays),
      cmocka_unit_test(what_is_not_split_is_told),
      cmocka_unit_test(they_move_on),
      cmocka_unit_test(threads_make_no_difference),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
