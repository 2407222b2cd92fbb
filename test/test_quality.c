// Measures of elements: ideal shapes, and volumes of badly warped cells against numerical integration of the trilinear
// map.

#include "cleave/mesh.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#define SQRT2 1.41421356237309504880
#define SQRT3 1.73205080756887729353
#define TOLERANCE 1e-13

// cmocka compares floats; these are doubles.
static void assert_near(double value, double expected) {
  if (!(fabs(value - expected) <= TOLERANCE)) fail_msg("%.17g is not %.17g", value, expected);
}

typedef const double (*corner_list)[3];

static const double unit_hex[8][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                      {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}};
static const double right_prism[6][3] = {{0, 0, 0}, {1, 0, 0}, {0.5, SQRT3 / 2, 0},
                                         {0, 0, 3}, {1, 0, 3}, {0.5, SQRT3 / 2, 3}};
static const double equal_pyramid[5][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, SQRT2 / 2}};
static const double regular_tet[4][3] = {{0, 0, 0}, {1, 0, 1}, {1, 1, 0}, {0, 1, 1}};
static const double corner_tet[4][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
static const double equilateral_tri[3][3] = {{0, 0, 0}, {0, 1, 0}, {0, 0.5, SQRT3 / 2}};
static const double rectangle[4][3] = {{0, 0, 5}, {3, 0, 5}, {3, 2, 5}, {0, 2, 5}};

static corner_list ideal(clv_kind kind) {
  switch (kind) {
  case CLV_TRI:
    return equilateral_tri;
  case CLV_QUAD:
    return rectangle;
  case CLV_TET:
    return regular_tet;
  case CLV_PYRAMID:
    return equal_pyramid;
  case CLV_PRISM:
    return right_prism;
  default:
    return unit_hex;
  }
}

// Moves every coordinate by up to `amount`, always the same way for the same seed.
static void perturb(clv_kind kind, uint32_t seed, double amount, double out[8][3]) {
  corner_list shape = ideal(kind);
  for (int c = 0; c < clv_kind_corners(kind); c++) {
    for (int axis = 0; axis < 3; axis++) {
      seed = seed * 1664525u + 1013904223u;
      out[c][axis] = shape[c][axis] + amount * ((seed >> 8) / 8388608.0 - 1.0);
    }
  }
}

static double determinant(double m[3][3]) {
  return m[0][0] * (m[1][1] * m[2][2] - m[1][2] * m[2][1]) - m[0][1] * (m[1][0] * m[2][2] - m[1][2] * m[2][0]) +
         m[0][2] * (m[1][0] * m[2][1] - m[1][1] * m[2][0]);
}

// The Jacobian of the trilinear map of a hex at a point of the unit cube.
static double jacobian(const double hex[8][3], const double at[3]) {
  double rows[3][3] = {{0}};
  for (int c = 0; c < 8; c++) {
    for (int along = 0; along < 3; along++) {
      double weight = 1.0;
      for (int axis = 0; axis < 3; axis++) {
        bool high = unit_hex[c][axis] > 0.5;
        weight *= axis == along ? (high ? 1.0 : -1.0) : (high ? at[axis] : 1.0 - at[axis]);
      }
      for (int axis = 0; axis < 3; axis++) rows[along][axis] += weight * hex[c][axis];
    }
  }
  return determinant(rows);
}

// Gauss' rule of 2 x 2 x 2 points, exact here: the Jacobian is quadratic along each axis.
static double integrate_hex(const double hex[8][3]) {
  double sum = 0.0;
  for (int g = 0; g < 8; g++) {
    double at[3];
    for (int axis = 0; axis < 3; axis++) at[axis] = 0.5 + ((g >> axis & 1) ? 0.5 : -0.5) / SQRT3;
    sum += jacobian(hex, at) / 8.0;
  }
  return sum;
}

// Every volume is a hex some of whose corners coincide.
static double integrate(clv_kind kind, const double corners[8][3]) {
  static const int collapse[CLV_KIND_COUNT][8] = {
      [CLV_TET] = {0, 1, 2, 2, 3, 3, 3, 3},
      [CLV_PYRAMID] = {0, 1, 2, 3, 4, 4, 4, 4},
      [CLV_PRISM] = {0, 1, 2, 2, 3, 4, 5, 5},
      [CLV_HEX] = {0, 1, 2, 3, 4, 5, 6, 7},
  };
  double hex[8][3];
  for (int c = 0; c < 8; c++) memcpy(hex[c], corners[collapse[kind][c]], sizeof hex[c]);
  return integrate_hex((corner_list)hex);
}

static void simple_shapes_have_their_measures(void **state) {
  (void)state;
  assert_near(clv_element_measure(CLV_HEX, unit_hex), 1.0);
  assert_near(clv_element_measure(CLV_PRISM, right_prism), 3.0 * SQRT3 / 4);
  assert_near(clv_element_measure(CLV_PYRAMID, equal_pyramid), SQRT2 / 6);
  assert_near(clv_element_measure(CLV_TET, corner_tet), 1.0 / 6);
  assert_near(clv_element_measure(CLV_TRI, equilateral_tri), SQRT3 / 4);
  assert_near(clv_element_measure(CLV_QUAD, rectangle), 6.0);
}

static void warped_volumes_equal_their_integral(void **state) {
  (void)state;
  for (int kind = CLV_TET; kind <= CLV_HEX; kind++) {
    for (uint32_t seed = 1; seed <= 200; seed++) {
      double corners[8][3] = {{0}};
      perturb((clv_kind)kind, seed, 0.4, corners);
      double volume = clv_element_measure((clv_kind)kind, (corner_list)corners);
      assert_near(volume, integrate((clv_kind)kind, (corner_list)corners));
    }
  }
}

static void a_mirrored_volume_is_negative(void **state) {
  (void)state;
  for (int kind = CLV_TET; kind <= CLV_HEX; kind++) {
    double corners[8][3] = {{0}};
    perturb((clv_kind)kind, 3, 0.1, corners);
    double volume = clv_element_measure((clv_kind)kind, (corner_list)corners);
    for (int c = 0; c < 8; c++) corners[c][0] = -corners[c][0];
    assert_true(volume > 0.0);
    assert_near(clv_element_measure((clv_kind)kind, (corner_list)corners), -volume);
    assert_true(clv_element_quality((clv_kind)kind, (corner_list)corners) < 0.0);
  }
}

static void volumes_far_away_keep_their_digits(void **state) {
  (void)state;
  double corners[8][3] = {{0}};
  for (int c = 0; c < 8; c++) {
    for (int axis = 0; axis < 3; axis++) corners[c][axis] = unit_hex[c][axis] + 1e6;
  }
  assert_true(clv_element_measure(CLV_HEX, (corner_list)corners) == 1.0);
}

static void projected_areas_have_a_sign(void **state) {
  (void)state;
  static const double clockwise[3][3] = {{0, 0, 1}, {0, 1, 2}, {1, 0, 3}};
  assert_near(clv_element_area_z(CLV_TRI, clockwise), -0.5);
  assert_near(clv_element_area_z(CLV_QUAD, rectangle), 6.0);
  assert_near(clv_element_area_z(CLV_TRI, equilateral_tri), 0.0);
  assert_true(isnan(clv_element_area_z(CLV_TET, corner_tet)));
}

static void ideal_shapes_have_quality_one(void **state) {
  (void)state;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    assert_near(clv_element_quality((clv_kind)kind, ideal((clv_kind)kind)), 1.0);
  }
}

// The ideal is a maximum: whichever way the corners move, quality only falls.
static void other_shapes_have_less(void **state) {
  (void)state;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    for (uint32_t seed = 1; seed <= 500; seed++) {
      double corners[8][3] = {{0}};
      perturb((clv_kind)kind, seed, 0.01 * (1 + seed % 40), corners);
      double quality = clv_element_quality((clv_kind)kind, (corner_list)corners);
      assert_true(quality < 1.0 && quality >= -1.0);
    }
  }
}

static void size_and_place_do_not_matter_to_quality(void **state) {
  (void)state;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    double corners[8][3] = {{0}};
    perturb((clv_kind)kind, 11, 0.1, corners);
    double quality = clv_element_quality((clv_kind)kind, (corner_list)corners);
    for (int c = 0; c < clv_kind_corners((clv_kind)kind); c++) {
      double moved[3] = {64 * corners[c][1] + 1, 64 * corners[c][2] - 2, 64 * corners[c][0] + 3};
      memcpy(corners[c], moved, sizeof moved);
    }
    assert_near(clv_element_quality((clv_kind)kind, (corner_list)corners), quality);
  }
}

static void known_qualities_come_out(void **state) {
  (void)state;
  static const double right_tri[3][3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
  static const double concave_quad[4][3] = {{0, 0, 0}, {1, 0, 0}, {0.25, 0.25, 0}, {0, 1, 0}};
  static const double inverted_tet[4][3] = {{0, 0, 0}, {0, 1, 0}, {1, 0, 0}, {0, 0, 1}};
  assert_near(clv_element_quality(CLV_TRI, right_tri), SQRT2 / SQRT3);
  assert_near(clv_element_quality(CLV_TET, corner_tet), SQRT2 / 2);
  assert_true(clv_element_quality(CLV_QUAD, concave_quad) < 0.0);
  assert_true(clv_element_quality(CLV_TET, inverted_tet) == -1.0);
}

static void flat_and_collapsed_elements_have_quality_zero(void **state) {
  (void)state;
  double corners[8][3] = {{0}};
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    assert_true(clv_element_quality((clv_kind)kind, (corner_list)corners) == 0.0);
  }
  memcpy(corners, unit_hex, sizeof corners);
  for (int c = 0; c < 8; c++) corners[c][2] = 0.0;
  assert_true(clv_element_quality(CLV_HEX, (corner_list)corners) == 0.0);
  memcpy(corners, unit_hex, sizeof corners);
  memcpy(corners[7], corners[6], sizeof corners[7]);
  assert_true(clv_element_quality(CLV_HEX, (corner_list)corners) <= 0.0);
}

static void kinds_without_a_table_measure_nan(void **state) {
  (void)state;
  static const clv_kind others[] = {CLV_NONE, CLV_POLYGON, CLV_POLYHEDRON, CLV_POINT, CLV_LINE, CLV_KIND_COUNT};
  for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
    assert_true(isnan(clv_element_measure(others[i], unit_hex)));
    assert_true(isnan(clv_element_area_z(others[i], unit_hex)));
    assert_true(isnan(clv_element_quality(others[i], unit_hex)));
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(simple_shapes_have_their_measures),
      cmocka_unit_test(warped_volumes_equal_their_integral),
      cmocka_unit_test(a_mirrored_volume_is_negative),
      cmocka_unit_test(volumes_far_away_keep_their_digits),
      cmocka_unit_test(projected_areas_have_a_sign),
      cmocka_unit_test(ideal_shapes_have_quality_one),
      cmocka_unit_test(other_shapes_have_less),
      cmocka_unit_test(size_and_place_do_not_matter_to_quality),
      cmocka_unit_test(known_qualities_come_out),
      cmocka_unit_test(flat_and_collapsed_elements_have_quality_zero),
      cmocka_unit_test(kinds_without_a_table_measure_nan),
  };
  return cmocka_run_group_tests_name("quality", tests, NULL, NULL);
}
