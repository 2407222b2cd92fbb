// Slicing exactly through cells that are no simplices.
//
// soak: yes
//
// usage: test_slice_cells [--soak] [--seed S]

#include "support/counting_allocator.h"
#include "support/rules.h"
#include "support/sliced.h"

#include <stdio.h>
#include <stdlib.h>

static clv_program *laws;
static uint64_t first_seed = 1;
static uint32_t rounds = 3;

static const clv_grid_kind kinds[] = {CLV_GRID_QUAD,  CLV_GRID_MIXED2,  CLV_GRID_HEX,
                                      CLV_GRID_PRISM, CLV_GRID_PYRAMID, CLV_GRID_MIXED};
enum { KINDS = sizeof kinds / sizeof *kinds };

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

// An even strain, a turn and a motion with both.
static void strain_evenly(clv_body *body) {
  const bool flat = clv_body_map(body)->dimension == 2;
  const double *rest = clv_body_rest(body);
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; s < clv_body_slots(body); s++) {
    const double *r = rest + 3 * s;
    const double to[3] = {1.02 * r[0] - 0.1 * r[1], 0.12 * r[0] + 0.97 * r[1], flat ? 0 : 0.05 * r[0] + 1.01 * r[2]};
    for (uint32_t k = 0; k < 3; k++) {
      x[3 * s + k] = to[k];
      v[3 * s + k] = flat && k == 2 ? 0 : 0.1 * to[(k + 1) % (flat ? 2 : 3)] + 0.2 * k;
    }
  }
}

static void flatten(clv_body *body) {
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; clv_body_map(body)->dimension == 2 && s < clv_body_slots(body); s++)
    x[3 * s + 2] = v[3 * s + 2] = 0;
}

// As far from even as a bent beam is, and in motion.
static void bend(clv_body *body) {
  const double *rest = clv_body_rest(body);
  double *x = clv_body_positions(body), *v = clv_body_velocities(body);
  for (size_t s = 0; s < clv_body_slots(body); s++) {
    const double *r = rest + 3 * s;
    x[3 * s] = r[0] - 0.04 * r[0] * (r[1] - 1);
    x[3 * s + 1] = r[1] + 0.02 * r[0] * r[0];
    x[3 * s + 2] = r[2] + 0.01 * r[0] * r[1];
    v[3 * s] = 0.1 * r[0] * r[1];
    v[3 * s + 1] = 0.3 * r[0] * r[0];
    v[3 * s + 2] = 0.1;
  }
  flatten(body);
}

// Without a bound every cell is split, and every piece lies on one side. All that is even stays.
static void all_is_exact(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {2, 2, 2};
  random_source random = {first_seed};
  for (uint32_t round = 0; round < rounds; round++)
    for (uint32_t k = 0; k < KINDS; k++) {
      clv_body *body = sliced_block(laws, kinds[k], round % 3 ? "fem-linear" : "stvk", cells, round % 2 ? 0.1 : 0);
      clv_surgery *surgery = operated_surgery(body);
      clv_slice slice = sliced_random_plane(&random, cells, sliced_is_flat(kinds[k]));
      slice.exact = true;
      slice.snap = slice.quality = 0;
      strain_evenly(body);
      const sliced_state before = sliced_state_of(body);
      sliced(surgery, &slice);
      sliced_assert_kept(body, &before, 0);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// A blade comes down in so many strokes, slanting; from the side on a surface.
static clv_surgery_report in_strokes(clv_surgery *surgery, clv_slice slice, double x, double slant, uint32_t strokes) {
  const bool flat = clv_body_map(clv_surgery_body(surgery))->dimension == 2;
  const double from = flat ? -0.7 : 3.7, to = flat ? 3.6 : -0.6;
  clv_surgery_report sum = {0};
  for (uint32_t k = 0; k < strokes; k++) {
    for (uint32_t e = 0; e < 2; e++)
      for (uint32_t end = 0; end < 2; end++) {
        const double at = from + (to - from) * (k + end) / strokes;
        double *place = end ? slice.blade.after[e] : slice.blade.before[e];
        place[0] = x + slant * at;
        place[1] = flat ? at : e ? 9 : -1;
        place[2] = flat ? (e ? 9 : -1) : at;
      }
    const clv_surgery_report one = sliced(surgery, &slice);
    sum.facets += one.facets;
    sum.split += one.split;
    sum.refused += one.refused;
  }
  return sum;
}

// Two parts, and no cell of theirs reaches beyond the blade, however often it comes. At rest no energy comes of it, and
// in a body that is bent and moves none either.
static void strokes_part_in_two(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2}, strokes[] = {1, 5};
  for (uint32_t n = 0; n < KINDS * 2 * 2; n++) {
    const clv_grid_kind kind = kinds[n % KINDS];
    clv_body *body = sliced_block(laws, kind, "fem-corotational", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    clv_slice slice = clv_default_slice();
    slice.exact = true;
    slice.snap = 0;
    slice.quality = n / KINDS % 2 ? 0 : 0.005;
    if (n / KINDS % 2) bend(body);
    const sliced_state before = sliced_state_of(body);
    const clv_surgery_report report = in_strokes(surgery, slice, 1.45, 0.07, strokes[n / KINDS / 2]);
    sliced_assert_kept(body, &before, slice.quality);
    assert_true(report.split > 0 && report.facets > 0);
    assert_int_equal(report.refused, 0);
    assert_int_equal(operated_components(body), 2);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Without snapping, splitting goes on with what strain there is.
static void bent_bodies_gain_no_energy(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 3, 2};
  static const char *const models[] = {"fem-corotational", "stvk", "fem-linear"};
  random_source random = {first_seed + 10};
  for (uint32_t round = 0; round < rounds; round++)
    for (uint32_t k = 0; k < KINDS; k++) {
      clv_body *body = sliced_block(laws, kinds[k], models[round % 3], cells, round % 2 ? 0.1 : 0);
      clv_surgery *surgery = operated_surgery(body);
      clv_slice slice = sliced_random_plane(&random, cells, sliced_is_flat(kinds[k]));
      slice.exact = true;
      slice.snap = round % 2 ? 0.3 : 0;
      slice.quality = 0.02;
      if (round % 3 == 1)
        operated_deform(body, 0.02);
      else
        bend(body);
      flatten(body);
      const sliced_state before = sliced_state_of(body);
      const clv_surgery_report report = sliced(surgery, &slice);
      sliced_assert_kept(body, &before, slice.quality);
      assert_true(report.split + report.moved + report.refused > 0 && report.facets > 0);
      assert_true(operated_components(body) >= 2);
      assert_true(report.refused || slice.snap > 0 || operated_components(body) == 2);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// Nor do bodies that fall freely, and are hardly strained, by what the solver's tolerance leaves: vertices must not go
// further than that. Mixed ones get slivers here, without a bound on quality, and these take long to give way.
static void falling_bodies_gain_no_energy(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 2, 2};
  const double dt = 0.01;
  clv_solver_def def = beam_method(CLV_IMPLICIT_EULER);
  clv_slice slice = sliced_plane(1.7, 1, 1, 1, 0.1, 0.2);
  slice.exact = true;
  slice.snap = slice.quality = 0;
  for (uint32_t n = 0; n < KINDS * 4; n++) {
    if (sliced_is_flat(kinds[n % KINDS]) || kinds[n % KINDS] == CLV_GRID_MIXED) continue;
    clv_body *body = sliced_block(laws, kinds[n % KINDS], "fem-corotational", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    clv_body_set_gravity(body, (double[]){0, 0, -9.81});
    clv_solver *solver = beam_solver(body, &def);
    for (uint32_t k = 0; k <= n / KINDS; k++) beam_step(solver, k * dt, dt);
    slice.point[2] = 1 + clv_body_positions(body)[3 + 2];
    const double before = sliced_elastic(body);
    const clv_surgery_report report = sliced(surgery, &slice);
    assert_true(report.split > 0 && before < 1e-6);
    if (report.strained > 0) fail_msg("%g J beside %g", report.strained, before);
    clv_solver_destroy(solver);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Planes through corners, edges and diagonals; and through no cell at all.
static void planes_meet_corners(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {2, 2, 2};
  static const double normals[][3] = {{1, 1, 0}, {1, 1, 1}, {2, 1, 0}, {1, 1, 2}, {1, 0, 0}, {3, 2, 1}};
  for (uint32_t n = 0; n < sizeof normals / sizeof *normals; n++)
    for (uint32_t k = 0; k < KINDS; k++) {
      const bool flat = sliced_is_flat(kinds[k]);
      if (flat && normals[n][2] != 0) continue;
      clv_body *body = sliced_block(laws, kinds[k], "fem-linear", cells, 0);
      clv_surgery *surgery = operated_surgery(body);
      clv_slice slice = sliced_plane(1, 1, flat ? 0 : 1, normals[n][0], normals[n][1], normals[n][2]);
      slice.exact = true;
      slice.snap = slice.quality = 0;
      bend(body);
      memcpy(clv_body_positions(body), clv_body_rest(body), 3 * sizeof(double) * clv_body_slots(body));
      const sliced_state before = sliced_state_of(body);
      const clv_surgery_report report = sliced(surgery, &slice);
      sliced_assert_kept(body, &before, 0);
      assert_int_equal(report.refused, 0);
      assert_int_equal(operated_components(body), 2);
      assert_true(sliced_overlap(body, &slice) < 1e-8);
      if (kinds[k] == CLV_GRID_QUAD || kinds[k] == CLV_GRID_HEX) assert_true((report.split == 0) == (n == 4));
      if (kinds[k] == CLV_GRID_HEX && n == 0) assert_int_equal(clv_cell_count(clv_body_map(body), CLV_PRISM), 8);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// The commonest slice of a grid makes two hexahedra, two prisms or two quadrangles of each cell, and no more.
static void straight_slices_are_lean(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  static const clv_grid_kind lean[] = {CLV_GRID_QUAD, CLV_GRID_HEX, CLV_GRID_PRISM};
  static const clv_kind made[] = {CLV_QUAD, CLV_HEX, CLV_PRISM};
  for (uint32_t k = 0; k < 3; k++) {
    clv_body *body = sliced_block(laws, lean[k], "fem-corotational", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    const bool flat = sliced_is_flat(lean[k]), prism = lean[k] == CLV_GRID_PRISM;
    clv_slice slice = sliced_plane(1.4, 1.4, flat ? 0 : 1.4, prism ? 0.05 : 1, 0.1, flat ? 0 : prism ? 1 : 0.05);
    slice.exact = true;
    slice.snap = 0;
    const uint32_t had = operated_cells(body);
    const clv_surgery_report report = sliced(surgery, &slice);
    assert_int_equal(operated_cells(body), had + report.split);
    assert_int_equal(clv_cell_count(clv_body_map(body), made[k]), had + report.split);
    assert_int_equal(report.facets, report.split);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// What was cut is cut across, refined, pierced and torn.
static void pieces_are_operated_on(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {2, 2, 2};
  for (uint32_t k = 0; k < KINDS; k++) {
    const bool flat = sliced_is_flat(kinds[k]);
    clv_body *body = sliced_block(laws, kinds[k], "stvk", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    const sliced_state before = sliced_state_of(body);
    const clv_slice planes[] = {sliced_plane(1.4, 0, 0, 1, 0.1, 0), sliced_plane(0, 1.2, 0, -0.1, 1, 0),
                                sliced_plane(0, 0, 1.3, 0, 0.1, 1)};
    for (uint32_t n = 0; n < (flat ? 2u : 3u); n++) {
      clv_slice slice = planes[n];
      slice.exact = true;
      slice.snap = slice.quality = 0;
      sliced(surgery, &slice);
      sliced_assert_kept(body, &before, 0);
      assert_int_equal(operated_components(body), 2u << n);
    }
    const clv_zone near = clv_zone_sphere((double[]){1.4, 1.2, flat ? 0 : 1.3}, 0.5);
    clv_surgery_report report;
    assert_int_equal(clv_surgery_refine(surgery, &near, 1, &report), CLV_OK);
    assert_true(report.refined > 0);
    operated_check(body);
    assert_true(fabs(operated_mass(body) - before.momenta.mass) <= 1e-12 * before.momenta.mass);
    clv_slice again = sliced_plane(1.1, 0, 0, 1, -0.2, 0);
    again.exact = true;
    sliced(surgery, &again);
    operated_check(body);
    assert_true(fabs(operated_mass(body) - before.momenta.mass) <= 1e-12 * before.momenta.mass);
    strain_evenly(body);
    clv_tear tear = clv_default_tear();
    tear.threshold = 1;
    assert_int_equal(clv_surgery_tear(surgery, &tear, &report), CLV_OK);
    operated_check(body);
    assert_true(operated_remove(surgery, clv_zone_sphere((double[]){1, 1, flat ? 0 : 1}, 0.6)).removed > 0);
    operated_check(body);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Where pieces would be bad the cell stays, its neighbours see to the rest, and the cut goes round it.
static void bad_pieces_are_refused(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 3, 3};
  random_source random = {first_seed + 20};
  for (uint32_t round = 0; round < rounds; round++)
    for (uint32_t k = 0; k < KINDS; k++)
      for (uint32_t bound = 0; bound < 2; bound++) {
        clv_body *body = sliced_block(laws, kinds[k], "fem-corotational", cells, 0.08);
        clv_surgery *surgery = operated_surgery(body);
        clv_slice slice = sliced_random_plane(&random, cells, sliced_is_flat(kinds[k]));
        slice.exact = true;
        slice.snap = 0;
        slice.quality = bound ? 1 : 0.1;
        const sliced_state before = sliced_state_of(body);
        const clv_surgery_report report = sliced(surgery, &slice);
        sliced_assert_kept(body, &before, fmin(slice.quality, before.quality));
        assert_true(operated_components(body) >= 2);
        assert_true(report.refused || operated_components(body) == 2);
        if (bound) assert_true(report.refused > 0 && report.split == 0);
        clv_surgery_destroy(surgery);
        clv_body_destroy(body);
      }
}

// A quadrangle on the surface that is not plane would weigh something else in pieces. Its cell stays whole.
static void warped_surfaces_stay(void **unused) {
  (void)unused;
  beam b = beam_default();
  b.kind = CLV_GRID_HEX;
  b.model = "fem-corotational";
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){3, 3, 3}, sizeof b.cells);
  memcpy(b.size, (double[]){3, 3, 3}, sizeof b.size);
  clv_mesh mesh;
  clv_section section;
  clv_error error = {0};
  beam_mesh(&b, &mesh);
  for (size_t p = 0; p < mesh.point_count; p++)
    mesh.points[p][2] += 0.05 * mesh.points[p][0] * mesh.points[p][1] * (mesh.points[p][2] > 2.5);
  const clv_body_def def = beam_def(&b, &mesh, &section);
  clv_body *body = clv_body_create(&def, NULL, &error);
  assert_non_null(body);
  clv_mesh_free(&mesh);
  clv_surgery *surgery = operated_surgery(body);
  clv_slice slice = sliced_plane(1.4, 0, 0, 1, 0.05, 0.02);
  slice.exact = true;
  slice.snap = 0;
  const sliced_state before = sliced_state_of(body);
  const clv_surgery_report report = sliced(surgery, &slice);
  sliced_assert_kept(body, &before, slice.quality);
  assert_true(report.refused == 3 && report.split == 6);
  assert_int_equal(operated_components(body), 2);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Cells in which vertices hang stay as they are; those of finer levels beside them are split.
static void hanging_vertices_are_left_alone(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  static const clv_grid_kind refined[] = {CLV_GRID_QUAD, CLV_GRID_HEX};
  for (uint32_t k = 0; k < 2; k++)
    for (uint32_t snap = 0; snap < 2; snap++) {
      const bool flat = sliced_is_flat(refined[k]);
      clv_body *body = sliced_block(laws, refined[k], "fem-corotational", cells, 0);
      clv_surgery *surgery = operated_surgery(body);
      const clv_zone corner = clv_zone_sphere((double[]){1.5, 0.5, flat ? 0 : 0.5}, 0.4);
      assert_int_equal(clv_surgery_refine(surgery, &corner, 1, NULL), CLV_OK);
      bend(body);
      physics_spread(body, clv_body_positions(body));
      physics_spread(body, clv_body_velocities(body));
      clv_slice slice = sliced_plane(1.37, 0.9, flat ? 0 : 0.9, 1, 0.1, flat ? 0 : 0.05);
      slice.exact = true;
      slice.snap = snap ? 0.3 : 0;
      slice.quality = 0.01;
      const sliced_state before = sliced_state_of(body);
      const clv_surgery_report report = sliced(surgery, &slice);
      sliced_assert_kept(body, &before, slice.quality);
      sliced_assert_hanging(body);
      assert_true(report.split + report.moved > 0 && report.refused > 0 && report.facets > 0);
      assert_true(operated_components(body) >= 2);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// Springs of pieces would have another energy, and whether the user's own rules serve them nobody knows.
static void models_that_keep_their_cells(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  const char *model;
  for (uint32_t m = 0; (model = clv_model_list(m, NULL)); m++)
    for (uint32_t flat = 0; flat < 2; flat++) {
      const bool solid = !strcmp(model, "neo-hookean"), springs = !strncmp(model, "springs", 7),
                 cloth = !strcmp(model, "cloth");
      if (!strcmp(model, "mass-tensor") || !strcmp(model, "rules") || (flat && (solid || springs)) || (!flat && cloth))
        continue;
      clv_body *body = sliced_block(laws, flat ? CLV_GRID_QUAD : CLV_GRID_HEX, model, cells, 0);
      clv_surgery *surgery = operated_surgery(body);
      clv_slice slice = sliced_plane(1.4, 1, flat ? 0 : 1, 1, 0.2, flat ? 0 : 0.1);
      slice.exact = true;
      slice.snap = 0;
      strain_evenly(body);
      const sliced_state before = sliced_state_of(body);
      const clv_surgery_report report = sliced(surgery, &slice);
      sliced_assert_kept(body, &before, slice.quality);
      const uint32_t crossed = flat ? 2 : 4;
      assert_int_equal(report.split, springs || cloth ? 0 : crossed);
      assert_int_equal(report.refused, springs || cloth ? crossed : 0);
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

static void own_rules_keep_their_cells(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  clv_program *program =
      program_of("use body;\n"
                 "param stiff:real[Pa] = 1000;\n"
                 "force mine on t:hex { energy over q in t stiff*(dilation(grad(t.pos,q))-1)^2; }\n");
  clv_body *body = sliced_block(program, CLV_GRID_HEX, "rules", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  clv_slice slice = sliced_plane(1.4, 1, 1, 1, 0.2, 0.1);
  slice.exact = true;
  const clv_surgery_report report = sliced(surgery, &slice);
  assert_true(report.refused == 4 && report.split == 0 && report.facets > 0);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  clv_program_destroy(program);
}

static void what_is_held_stays_held(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < KINDS; k++) sliced_check_held(laws, kinds[k], false, 0, 0);
}

// What was sliced moves on, by explicit and implicit methods.
static void sliced_bodies_move_on(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  clv_slice slice = sliced_plane(1.6, 1, 1, 1, 0.1, 0.3);
  slice.exact = true;
  slice.quality = 0.05;
  for (clv_method method = 0; clv_method_name(method); method++)
    if (method != CLV_STATIC)
      sliced_check_motion(laws, method % 2 ? CLV_GRID_MIXED : CLV_GRID_HEX, cells, &slice, method);
}

// A bent body is sliced while the n-th request for memory is refused; 0: none is. How many there
// were, and the energy that was made.
static size_t slice_without(size_t n, double *strained) {
  counting_memory memory = {0};
  beam b = beam_default();
  b.kind = CLV_GRID_MIXED;
  b.model = "fem-corotational";
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){2, 2, 2}, sizeof b.cells);
  memcpy(b.size, (double[]){2, 2, 2}, sizeof b.size);
  b.allocator = counting_allocator(&memory);
  clv_body *body = beam_create(&b);
  clv_surgery *surgery = operated_surgery(body);
  bend(body);
  const sliced_state before = sliced_state_of(body);
  clv_slice slice = sliced_plane(0.9, 0.5, 0.5, 1, 0.2, 0.1);
  slice.exact = true;
  slice.snap = slice.quality = 0;
  const size_t first = memory.requests;
  if (n) memory.fail_at = first + n;
  memory.refused = false;
  clv_surgery_report report;
  clv_result result = clv_surgery_slice(surgery, &slice, &report);
  const size_t requests = memory.requests - first;
  memory.fail_at = 0;
  const double more = fmax(sliced_elastic(body) - before.elastic, 0);
  if (!isnan(report.strained)) assert_true(fabs(more - report.strained) <= 1e-9 * before.elastic);
  if (result == CLV_OK) {
    assert_true(report.strained == 0);
  } else {
    assert_int_equal(result, CLV_ERROR_MEMORY);
    assert_true(memory.refused);
    operated_check(body);
    assert_true(fabs(operated_mass(body) - before.momenta.mass) <= 1e-12 * before.momenta.mass);
    result = clv_surgery_slice(surgery, &slice, NULL);
  }
  *strained = report.strained;
  assert_int_equal(result, CLV_OK);
  operated_check(body);
  assert_int_equal(operated_components(body), 2);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  assert_int_equal(memory.live_bytes, 0);
  return requests;
}

// Whatever allocation fails, mass and momentum are what they were, and then it works. The last ones are for vertices to
// give way: without, there may be more energy, and that is told.
static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  enum { FEW = 12 };
  double strained = 0;
  bool told = false;
  const size_t all = slice_without(0, &strained);
  assert_true(strained == 0);
  for (size_t n = 1, step; n <= all; n += step) {
    const size_t few = n < FEW ? 0 : n / 5, left = n + FEW < all ? all - FEW - n : 0;
    step = few < left ? 1 + few : 1 + left;
    slice_without(n, &strained);
    told |= !(strained == 0);
  }
  assert_true(told);
}

// A face whose corners lie above and below in turn, so that the plane crosses all its edges: its cell is left whole.
static void faces_crossed_all_over_are_refused(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {1, 1, 1};
  clv_body *body = sliced_block(laws, CLV_GRID_HEX, "fem-corotational", cells, 0);
  const double *rest = clv_body_rest(body);
  double *pos = clv_body_positions(body);
  for (size_t at = 0; at < 3 * (size_t)clv_body_slots(body); at += 3)
    if (rest[at + 2] < 0.5) pos[at + 2] = (rest[at] < 0.5) == (rest[at + 1] < 0.5) ? 0.2 : -0.2;
  clv_surgery *surgery = operated_surgery(body);
  clv_slice slice = sliced_plane(0, 0, 0, 0, 0, 1);
  slice.exact = true;
  slice.snap = slice.quality = 0;
  const clv_surgery_report report = sliced(surgery, &slice);
  assert_int_equal(report.refused, 1);
  assert_int_equal(report.split + report.facets, 0);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) rounds = 100;
    if (!strcmp(argv[k], "--seed") && k + 1 < argc) first_seed = strtoull(argv[++k], NULL, 10);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_is_exact),
      cmocka_unit_test(strokes_part_in_two),
      cmocka_unit_test(bent_bodies_gain_no_energy),
      cmocka_unit_test(falling_bodies_gain_no_energy),
      cmocka_unit_test(planes_meet_corners),
      cmocka_unit_test(straight_slices_are_lean),
      cmocka_unit_test(pieces_are_operated_on),
      cmocka_unit_test(bad_pieces_are_refused),
      cmocka_unit_test(warped_surfaces_stay),
      cmocka_unit_test(faces_crossed_all_over_are_refused),
      cmocka_unit_test(hanging_vertices_are_left_alone),
      cmocka_unit_test(models_that_keep_their_cells),
      cmocka_unit_test(own_rules_keep_their_cells),
      cmocka_unit_test(what_is_held_stays_held),
      cmocka_unit_test(sliced_bodies_move_on),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
