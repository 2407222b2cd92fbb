// Slicing: through cells, along planes and blades, and what holds afterwards.
//
// soak: yes
//
// usage: test_slice [--soak] [--seed S]

#include "support/counting_allocator.h"
#include "support/rules.h"
#include "support/sliced.h"

#include <stdio.h>
#include <stdlib.h>

static clv_program *laws;
static uint64_t first_seed = 1;
static uint32_t rounds = 4;

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

// A whole plane parts a block, whatever its kind of cells, with and without snapping and splitting.
static void planes_part_blocks(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 3, 3};
  random_source random = {first_seed};
  for (uint32_t round = 0; round < rounds; round++)
    for (int kind = 0; kind < CLV_GRID_KIND_COUNT; kind++)
      for (uint32_t way = 0; way < 4; way++) {
        clv_body *body = sliced_block(laws, (clv_grid_kind)kind, "fem-corotational", cells, round % 2 ? 0.1 : 0);
        clv_surgery *surgery = operated_surgery(body);
        clv_slice slice = sliced_random_plane(&random, cells, sliced_is_flat((clv_grid_kind)kind));
        slice.exact = way & 1u;
        slice.snap = way & 2u ? 0.3 : 0;
        const sliced_state before = sliced_state_of(body);
        const clv_surgery_report report = sliced(surgery, &slice);
        sliced_assert_kept(body, &before, slice.quality);
        assert_true(report.facets > 0 && report.vertices > 0);
        // Round cells that are not split the cut goes by facets, and may leave one alone.
        const bool through = slice.exact && !report.refused;
        assert_true(through ? operated_components(body) == 2 : operated_components(body) >= 2);
        assert_true(slice.exact || report.split == 0);
        assert_true(!slice.exact || !sliced_is_simplicial((clv_grid_kind)kind) ||
                    report.split + report.moved + report.refused > 0);
        assert_true(!through || sliced_overlap(body, &slice) < 1e-8);
        if (through || !(way & 3u)) assert_int_equal(sliced(surgery, &slice).facets, 0); // it is cut
        clv_surgery_destroy(surgery);
        clv_body_destroy(body);
      }
}

// Without a bound every cell is split, and every piece lies on one side.
static void without_a_bound_all_is_exact(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 3, 3};
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_TET5, CLV_GRID_TET6};
  random_source random = {first_seed + 1};
  for (uint32_t round = 0; round < 2 * rounds; round++)
    for (uint32_t k = 0; k < 3; k++) {
      clv_body *body = sliced_block(laws, kinds[k], "fem-linear", cells, round % 2 ? 0.1 : 0);
      clv_surgery *surgery = operated_surgery(body);
      clv_slice slice = sliced_random_plane(&random, cells, sliced_is_flat(kinds[k]));
      slice.exact = true;
      slice.snap = slice.quality = 0;
      operated_deform(body, 0.02);
      if (sliced_is_flat(kinds[k]))
        for (size_t v = 0; v < clv_body_slots(body); v++) clv_body_positions(body)[3 * v + 2] = 0;
      const sliced_state before = sliced_state_of(body);
      const clv_surgery_report report = sliced(surgery, &slice);
      sliced_assert_kept(body, &before, 0);
      assert_int_equal(report.refused, 0);
      assert_true(sliced_overlap(body, &slice) < 1e-8);
      assert_int_equal(operated_components(body), 2);
      assert_true(fabs(sliced_elastic(body) - before.elastic) <= 1e-9 * before.elastic);
      for (uint32_t i = 0; i < 3; i++) {
        clv_momenta now;
        clv_body_momenta(body, &now);
        assert_true(fabs(now.centre[i] - before.momenta.centre[i]) < 1e-12);
      }
      clv_surgery_destroy(surgery);
      clv_body_destroy(body);
    }
}

// In a body that is strained and moves, with every model.
static void every_model_is_sliced(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 3, 2};
  const char *model;
  for (uint32_t m = 0; (model = clv_model_list(m, NULL)); m++)
    for (uint32_t flat = 0; flat < 2; flat++) {
      const bool cloth = !strcmp(model, "cloth");
      if (!strcmp(model, "rules") ||
          (flat ? !strcmp(model, "neo-hookean") || !strcmp(model, "mass-tensor") || !strcmp(model, "springs-hybrid")
                : cloth))
        continue;
      for (uint32_t exact = 0; exact < 2; exact++) {
        clv_body *body = sliced_block(laws, flat ? CLV_GRID_TRI : CLV_GRID_TET5, model, cells, 0.05);
        clv_surgery *surgery = operated_surgery(body);
        clv_slice slice = sliced_plane(1.4, 1.2, flat ? 0 : 1, 1, 0.4, flat ? 0 : 0.3);
        slice.exact = exact;
        operated_deform(body, 0.03);
        sliced_state before = sliced_state_of(body);
        if (!strcmp(model, "fem-corotational-qr"))
          before.elastic *= 1.05; // its rotations depend on the order of corners
        sliced(surgery, &slice);
        sliced_assert_kept(body, &before, slice.quality);
        assert_int_equal(operated_components(body), 2);
        double *force = calloc(3 * (size_t)clv_body_slots(body), sizeof *force), sum[3] = {0};
        assert_non_null(force);
        assert_int_equal(clv_body_force(body, 0, force), CLV_OK);
        for (size_t v = 0; v < clv_body_slots(body); v++)
          for (uint32_t k = 0; k < 3; k++) sum[k] += force[3 * v + k];
        for (uint32_t k = 0; k < 3; k++) assert_true(fabs(sum[k]) < 1e-6);
        free(force);
        clv_surgery_destroy(surgery);
        clv_body_destroy(body);
      }
    }
}

// Levels

static void blades_are_refined_around(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_QUAD, CLV_GRID_TET5, CLV_GRID_HEX, CLV_GRID_MIXED};
  for (uint32_t k = 0; k < 5; k++)
    for (uint32_t level = 1; level <= 2; level++)
      for (uint32_t exact = 0; exact < 2; exact++) {
        clv_body *body = sliced_block(laws, kinds[k], "fem-corotational", cells, 0);
        clv_surgery *surgery = operated_surgery(body);
        clv_slice slice =
            sliced_plane(1.37, 1, sliced_is_flat(kinds[k]) ? 0 : 1, 1, 0.3, sliced_is_flat(kinds[k]) ? 0 : 0.2);
        slice.level = level;
        slice.exact = exact;
        const sliced_state before = sliced_state_of(body);
        const clv_surgery_report report = sliced(surgery, &slice);
        sliced_assert_kept(body, &before, slice.quality);
        assert_true(report.refined > 0 && report.facets > 0);
        assert_true(!exact || !sliced_is_simplicial(kinds[k]) || report.split > 0);
        assert_true(!sliced_is_simplicial(kinds[k]) || report.moved > 0);
        assert_true(operated_components(body) >= 2);
        clv_surgery_destroy(surgery);
        clv_body_destroy(body);
      }
}

// Of the corners that the facets of the cut have above it: how many there are, how many of them lie on the plane, and
// how far from it they are, in the mean.
typedef struct lip {
  uint32_t corners, on;
  double roughness;
} lip;

static lip lip_of(clv_body *body, const clv_slice *slice) {
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  lip found = {0};
  for (clv_id a = clv_id_next(map, CLV_VERTEX, (clv_id){0}); a.index; a = clv_id_next(map, CLV_VERTEX, a))
    for (clv_id b = clv_id_next(map, CLV_VERTEX, a); b.index; b = clv_id_next(map, CLV_VERTEX, b)) {
      const double *p = rest + 3 * (size_t)a.index, *q = rest + 3 * (size_t)b.index;
      if (p[0] != q[0] || p[1] != q[1] || p[2] != q[2]) continue;
      const double height = fabs(sliced_height(body, slice, a.index));
      found.corners++;
      found.on += height < 1e-9;
      found.roughness += height;
      break;
    }
  assert_true(found.corners > 0);
  found.roughness /= found.corners;
  return found;
}

// What a slice of cells refined to a level did. All that moved lies on the plane.
static clv_surgery_report snap_at(clv_grid_kind kind, const clv_slice *slice, bool strained, lip *lips) {
  static const uint32_t cells[3] = {4, 2, 2};
  clv_body *body = sliced_block(laws, kind, "fem-corotational", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  if (strained) operated_deform(body, 0.01);
  const sliced_state before = sliced_state_of(body);
  const clv_surgery_report report = sliced(surgery, slice);
  sliced_assert_kept(body, &before, slice->quality);
  sliced_assert_hanging(body);
  uint32_t on = 0;
  for (clv_id v = {0}; (v = clv_id_next(clv_body_map(body), CLV_VERTEX, v)).index;)
    on += fabs(sliced_height(body, slice, v.index)) < 1e-9;
  assert_true(on >= report.moved);
  *lips = lip_of(body, slice);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
  return report;
}

// Refining makes cells finer, and moving vertices makes the cut straighter still. Of all vertices that are near enough,
// all go there in a body at rest, at every level; of one that is strained unevenly and moves, most do.
static void fine_cells_are_snapped(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_TET5, CLV_GRID_TET6};
  for (uint32_t k = 0; k < 3; k++)
    for (uint32_t level = 1; level <= 2; level++)
      for (uint32_t strained = 0; strained < 2; strained++) {
        const bool flat = sliced_is_flat(kinds[k]);
        clv_slice slice = sliced_plane(2.37, 1, flat ? 0 : 1, 1, 0.3, flat ? 0 : 0.2);
        slice.level = level;
        lip snapped, rough;
        const clv_surgery_report report = snap_at(kinds[k], &slice, strained, &snapped);
        slice.snap = 0;
        snap_at(kinds[k], &slice, strained, &rough);
        assert_true(report.moved >= (flat ? 1 + level : 8 * level));
        assert_true(report.moved > report.stuck && report.refused == 0);
        if (!strained) assert_int_equal(report.stuck, 0);
        assert_true(10 * snapped.on >= 8 * report.moved);
        assert_true(snapped.roughness < rough.roughness);
      }
}

// Whatever the plane: nine in ten, of a body at rest.
static void most_are_snapped(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 2, 2};
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_TET5, CLV_GRID_TET6};
  random_source random = {first_seed + 50};
  for (uint32_t k = 0; k < 3; k++) {
    clv_surgery_report sum = {0};
    for (uint32_t round = 0; round < 2 * rounds; round++) {
      clv_slice slice = sliced_random_plane(&random, cells, sliced_is_flat(kinds[k]));
      slice.level = 1 + round % 2;
      lip lips;
      const clv_surgery_report one = snap_at(kinds[k], &slice, false, &lips);
      sum.moved += one.moved;
      sum.refused += one.refused;
      sum.stuck += one.stuck;
    }
    assert_true(sum.moved >= 9 * (sum.refused + sum.stuck));
  }
}

// Blades

static clv_blade down_to(double x, double from, double to) {
  return (clv_blade){{{x, -1, from}, {x, 9, from}}, {{x, -1, to}, {x, 9, to}}};
}

static void blades_cut_as_far_as_they_go(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 3, 3};
  for (uint32_t exact = 0; exact < 2; exact++) {
    clv_body *body = sliced_block(laws, CLV_GRID_TET6, "fem-corotational", cells, 0.05);
    clv_surgery *surgery = operated_surgery(body);
    clv_slice slice = clv_default_slice();
    slice.exact = exact;
    slice.blade = down_to(1.6, 4, 3.5); // air
    sliced_state before = sliced_state_of(body);
    assert_int_equal(sliced(surgery, &slice).facets, 0);
    slice.blade = down_to(1.6, 3.5, 3.5); // nothing is swept
    assert_int_equal(sliced(surgery, &slice).facets, 0);
    slice.blade = down_to(1.6, 3.5, 1.4);
    assert_true(sliced(surgery, &slice).facets > 0);
    sliced_assert_kept(body, &before, slice.quality);
    assert_int_equal(operated_components(body), 1);
    double z[] = {1.4, 1.1, 0.4, 0.3, -0.5};
    for (uint32_t k = 0; k + 1 < sizeof z / sizeof *z; k++) {
      slice.blade = down_to(1.6, z[k], z[k + 1]);
      sliced(surgery, &slice);
      sliced_assert_kept(body, &before, slice.quality);
    }
    assert_int_equal(operated_components(body), 2); // strokes add up
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// Strokes

// A blade through the whole block in so many strokes, slanting.
static clv_surgery_report in_strokes(clv_body *body, clv_slice slice, double x, double slant, uint32_t strokes) {
  clv_surgery *surgery = operated_surgery(body);
  const bool flat = clv_body_map(body)->dimension == 2;
  const double from = flat ? -0.7 : 3.7, to = flat ? 3.6 : -0.6;
  clv_surgery_report sum = {0};
  clv_track *track = slice.track = clv_track_create(surgery, 0, NULL);
  assert_non_null(track);
  for (uint32_t k = 0; k < strokes; k++) {
    const double at[2] = {from + (to - from) * k / strokes, from + (to - from) * (k + 1) / strokes};
    for (uint32_t e = 0; e < 2; e++) {
      double *before = slice.blade.before[e], *after = slice.blade.after[e];
      for (uint32_t c = 0; c < 3; c++) before[c] = after[c] = e ? 9 : -1;
      before[0] = x + slant * at[0];
      after[0] = x + slant * at[1];
      before[flat ? 1 : 2] = at[0];
      after[flat ? 1 : 2] = at[1];
    }
    const clv_surgery_report one = sliced(surgery, &slice);
    sum.facets += one.facets;
    sum.split += one.split;
    sum.moved += one.moved;
    sum.refused += one.refused;
    sum.stuck += one.stuck;
  }
  clv_track_destroy(track);
  clv_surgery_destroy(surgery);
  return sum;
}

// However many strokes a blade makes, through a body at rest: what one does, for any bound on quality, with and without
// moving vertices, and through cells that are refined about it; but for the facets where fans of cells that are no
// simplices are at its tip.
static void strokes_add_up(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 3, 3}, strokes[] = {1, 4, 13};
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX};
  static const double slants[] = {0, 0.1, -0.07}, places[] = {1.45, 1.62}, bounds[] = {0.02, 0.1, 0.3};
  for (uint32_t n = 0; n < 3 * 2 * 4 * 2; n++) {
    clv_slice slice = clv_default_slice();
    slice.exact = n & 1u;
    slice.snap = n / 3 % 2 ? 0.3 : 0;
    slice.quality = bounds[n % 3];
    slice.level = n % 2 == 0 && n / 3 % 2 == 0;
    clv_surgery_report once = {0};
    uint64_t parts = 2;
    for (uint32_t k = 0; k < 3; k++) {
      clv_body *body = sliced_block(laws, kinds[n >> 1 & 3u], "fem-corotational", cells, 0);
      const clv_surgery_report all = in_strokes(body, slice, places[n >> 3 & 1u], slants[n >> 4], strokes[k]);
      if (!k) once = all;
      if (!k && slice.level) parts = operated_components(body); // round cells that are not split
      assert_int_equal(operated_components(body), parts);
      if (!slice.exact || kinds[n >> 1 & 3u] != CLV_GRID_HEX) assert_int_equal(all.facets, once.facets);
      assert_int_equal(all.moved, once.moved);
      if (sliced_is_simplicial(kinds[n >> 1 & 3u])) assert_int_equal(all.refused, once.refused);
      assert_int_equal(all.stuck, once.stuck);
      clv_body_destroy(body);
    }
  }
}

// A stroke of a blade that slants, from one height to another.
static clv_blade slanting(double from, double to) {
  const double x[2] = {1.1 + 0.03 * from, 1.1 + 0.03 * to};
  return (clv_blade){{{x[0], -1, from}, {x[0], 9, from}}, {{x[1], -1, to}, {x[1], 9, to}}};
}

// One that goes back to where it began, and then on, does what one does that goes there at once; also where the ways of
// its strokes do not add up to the same there and back, but for rounding.
static void a_blade_may_go_back(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 3, 3}, strokes[] = {1, 4, 5, 10};
  clv_surgery_report straight = {0};
  for (uint32_t n = 0; n < 2 * 4; n++) {
    const uint32_t there = strokes[n / 2], turns = n % 2 ? 4 : 0;
    clv_body *body = sliced_block(laws, CLV_GRID_TET6, "fem-corotational", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    clv_surgery_report sum = {0};
    clv_slice slice = clv_default_slice();
    slice.exact = true;
    slice.snap = 0;
    slice.quality = 0.1;
    slice.track = clv_track_create(surgery, 0, NULL);
    assert_non_null(slice.track);
    for (uint32_t k = 0; k < (turns + 1) * there; k++) {
      const bool back = k / there % 2;
      const uint32_t from = back ? there - k % there : k % there, to = back ? from - 1 : from + 1;
      slice.blade = slanting(3.7 - 2.3 * from / there, 3.7 - 2.3 * to / there);
      const clv_surgery_report one = sliced(surgery, &slice);
      if (back) assert_int_equal(one.facets + one.split + one.refused, 0);
      sum.facets += one.facets;
      sum.refused += one.refused;
    }
    if (!n) straight = sum;
    assert_true(sum.facets > 0 && sum.refused > 0);
    assert_int_equal(sum.facets, straight.facets);
    assert_int_equal(sum.refused, straight.refused);
    clv_track_destroy(slice.track);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

// What was cut once is cut again, across, and again: every piece of a cell is a cell.
static void slices_cross_slices(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 3, 3};
  clv_body *body = sliced_block(laws, CLV_GRID_TET5, "stvk", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  const sliced_state before = sliced_state_of(body);
  const clv_slice planes[] = {sliced_plane(1.6, 0, 0, 1, 0, 0), sliced_plane(0, 1.45, 0, 0, 1, 0),
                              sliced_plane(0, 0, 1.3, 0, 0, 1)};
  for (uint32_t k = 0; k < 3; k++) {
    clv_slice slice = planes[k];
    slice.exact = true;
    slice.quality = 0.01;
    sliced(surgery, &slice);
    sliced_assert_kept(body, &before, 0.01);
    assert_int_equal(operated_components(body), 2u << k);
  }
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Everything in any order

static void operate(clv_surgery *surgery, random_source *random, const uint32_t *cells) {
  clv_body *body = clv_surgery_body(surgery);
  const bool flat = clv_body_map(body)->dimension == 2;
  const double p[3] = {cells[0] * sliced_random(random), cells[1] * sliced_random(random),
                       flat ? 0 : cells[2] * sliced_random(random)};
  clv_zone zone = clv_zone_sphere(p, 0.7);
  const sliced_state before = sliced_state_of(body);
  clv_surgery_report report = {0};
  clv_result result = CLV_OK;
  switch (random_below(random, 5)) {
  case 0:
    result = clv_surgery_refine(surgery, &zone, 1, &report);
    break;
  case 1:
    result = clv_surgery_coarsen(surgery, &zone, 0, &report);
    break;
  case 2:
    operated_cut_zone(surgery, clv_zone_plane(p, (double[]){1, 0.2, flat ? 0 : 0.1}));
    break;
  case 3:
    zone = clv_zone_sphere(p, 0.3);
    result = clv_surgery_remove(surgery, &zone, &report);
    break;
  default: {
    clv_slice slice = sliced_random_plane(random, cells, flat);
    slice.exact = random_below(random, 2);
    slice.level = random_below(random, 2);
    slice.whole = random_below(random, 3);
    slice.blade = down_to(p[0], 9, p[2]);
    if (flat) slice.blade = (clv_blade){{{p[0], -1, -1}, {p[0], -1, 1}}, {{p[0], p[1], -1}, {p[0], p[1], 1}}};
    report = sliced(surgery, &slice);
    break;
  }
  }
  if (result != CLV_OK) fail_msg("%s", clv_surgery_error(surgery));
  operated_check(body);
  if (report.removed) return;
  assert_true(fabs(operated_mass(body) - before.momenta.mass) <= 1e-12 * before.momenta.mass);
  assert_true(sliced_quality(body) >= fmin(before.quality, 0.1) - 1e-12 || report.refined);
}

static void any_order_will_do(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {3, 2, 2};
  static const clv_grid_kind kinds[] = {CLV_GRID_TRI, CLV_GRID_TET5, CLV_GRID_TET6, CLV_GRID_HEX};
  for (uint32_t round = 0; round < 2 * rounds; round++) {
    random_source random = {first_seed + 100 + round};
    clv_body *body = sliced_block(laws, kinds[round % 4], round % 3 ? "fem-corotational" : "springs", cells, 0);
    clv_surgery *surgery = operated_surgery(body);
    for (uint32_t k = 0; k < 8; k++) operate(surgery, &random, cells);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
  }
}

static void nothing_can_be_sliced(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {2, 1, 1};
  clv_body *body = sliced_block(laws, CLV_GRID_TET5, "fem-linear", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  operated_remove(surgery, clv_zone_all());
  clv_slice slice = sliced_plane(1, 0, 0, 1, 0, 0);
  slice.exact = true;
  slice.level = 2;
  const clv_surgery_report report = sliced(surgery, &slice);
  assert_true(!report.facets && !report.split && !report.refined && !report.moved);
  operated_check(body);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// A sliced block moves on, in every method.
static void sliced_blocks_move_on(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {4, 2, 2};
  clv_slice slice = sliced_plane(2.3, 1, 1, 1, 0, 0.3);
  slice.exact = true;
  for (clv_method method = 0; clv_method_name(method); method++) {
    slice.level = (uint32_t)method % 3;
    if (method != CLV_STATIC) sliced_check_motion(laws, CLV_GRID_TET5, cells, &slice, method);
  }
}

static void what_is_held_stays_held(void **unused) {
  (void)unused;
  for (uint32_t k = 0; k < 4; k++)
    sliced_check_held(laws, k % 2 ? CLV_GRID_TET5 : CLV_GRID_TRI, k >= 2, clv_default_slice().snap, 0.01);
}

static void wrong_slices_are_refused(void **unused) {
  (void)unused;
  static const uint32_t cells[3] = {2, 2, 2};
  clv_body *body = sliced_block(laws, CLV_GRID_TET6, "fem-linear", cells, 0);
  clv_surgery *surgery = operated_surgery(body);
  const uint64_t hash = clv_map_hash(clv_body_map(body));
  clv_slice wrong[7];
  for (uint32_t k = 0; k < 7; k++) wrong[k] = sliced_plane(1, 1, 1, 1, 0, 0);
  wrong[0].normal[0] = 0;
  wrong[1].point[1] = NAN;
  wrong[2].snap = -1;
  wrong[3].quality = 2;
  wrong[4].level = 31;
  wrong[5].whole = wrong[6].whole = false;
  wrong[5].blade.after[1][2] = INFINITY;
  wrong[6].blade = down_to(1, 3, 0);
  wrong[6].blade.after[0][0] = 2; // a twisted sheet
  for (uint32_t k = 0; k < 7; k++) assert_int_equal(clv_surgery_slice(surgery, &wrong[k], NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_surgery_slice(surgery, NULL, NULL), CLV_ERROR_ARGUMENT);
  assert_true(clv_map_hash(clv_body_map(body)) == hash);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// Whatever allocation fails, mass and components are what they were, and then it works: with a plane, and in a stroke
// of a blade that has a track.
static void run_out_of_memory(bool stroke) {
  bool refused = true;
  uint32_t stood = 0; // so often something was done before memory was out, and told
  for (size_t n = 1; refused; n += n < 40 ? 1 : 1 + n / 12) {
    counting_memory memory = {0};
    beam b = beam_default();
    b.kind = CLV_GRID_TET5;
    b.model = "fem-corotational";
    b.program = laws;
    memcpy(b.cells, (uint32_t[]){2, 1, 1}, sizeof b.cells);
    memcpy(b.size, (double[]){2, 1, 1}, sizeof b.size);
    b.allocator = counting_allocator(&memory);
    clv_body *body = beam_create(&b);
    clv_surgery *surgery = operated_surgery(body);
    const double mass = operated_mass(body);
    clv_slice slice = sliced_plane(0.9, 0.5, 0.5, 1, 0.2, 0.1);
    slice.exact = true;
    slice.level = 1;
    slice.whole = !stroke;
    slice.blade = down_to(0.93, 3, -1);
    slice.track = clv_track_create(surgery, 0, NULL);
    assert_non_null(slice.track);
    memory.fail_at = memory.requests + n;
    memory.refused = false;
    clv_surgery_report stands;
    const uint32_t cells = operated_cells(body);
    clv_result result = clv_surgery_slice(surgery, &slice, &stands);
    refused = memory.refused;
    memory.fail_at = 0;
    if (result == CLV_ERROR_MEMORY) {
      assert_true(refused);
      const bool changed = stands.refined || stands.split || stands.moved;
      assert_true(changed || operated_cells(body) == cells);
      assert_true(changed == (strstr(clv_surgery_error(surgery), "and stay so") != NULL));
      assert_int_equal(stands.facets, 0);
      stood += changed;
      operated_check(body);
      assert_int_equal(operated_components(body), 1);
      assert_true(fabs(operated_mass(body) - mass) <= 1e-12 * mass);
      result = clv_surgery_slice(surgery, &slice, NULL);
    }
    assert_int_equal(result, CLV_OK);
    operated_check(body);
    assert_int_equal(operated_components(body), 2);
    clv_track_destroy(slice.track);
    clv_surgery_destroy(surgery);
    clv_body_destroy(body);
    assert_int_equal(memory.live_bytes, 0);
  }
  assert_true(stood > 0);
}

static void memory_may_run_out_anywhere(void **unused) {
  (void)unused;
  run_out_of_memory(false);
  run_out_of_memory(true);
}

int main(int argc, char **argv) {
  for (int k = 1; k < argc; k++) {
    if (!strcmp(argv[k], "--soak")) rounds = 100;
    if (!strcmp(argv[k], "--seed") && k + 1 < argc) first_seed = strtoull(argv[++k], NULL, 10);
  }
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(planes_part_blocks),
      cmocka_unit_test(without_a_bound_all_is_exact),
      cmocka_unit_test(every_model_is_sliced),
      cmocka_unit_test(blades_are_refined_around),
      cmocka_unit_test(fine_cells_are_snapped),
      cmocka_unit_test(most_are_snapped),
      cmocka_unit_test(blades_cut_as_far_as_they_go),
      cmocka_unit_test(strokes_add_up),
      cmocka_unit_test(a_blade_may_go_back),
      cmocka_unit_test(slices_cross_slices),
      cmocka_unit_test(any_order_will_do),
      cmocka_unit_test(nothing_can_be_sliced),
      cmocka_unit_test(sliced_blocks_move_on),
      cmocka_unit_test(what_is_held_stays_held),
      cmocka_unit_test(wrong_slices_are_refused),
      cmocka_unit_test(memory_may_run_out_anywhere),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
