// What happens inside one cell: strain, stress and energy at its centre.
//
// F, the gradient of the deformation, is Dx DX^-1, where D has the slopes of the shape functions at the centre as its
// columns; on a surface the third column is the unit normal, so that F takes normal to normal and strains lie in the
// tangent plane. In the formulas T is the identity, on a surface that of the tangent plane alone.
//
//     linear, mass-tensor            e = sym(T F T) - T               s = lambda tr(e) T + 2 mu e
//     corotational, springs, cloth   e = sym(R'F) - 1, R of F         s = R (lambda tr(e) T + 2 mu e) R'
//     stvk                           e = (F'F - 1)/2                  s = F (lambda tr(e) T + 2 mu e) F' / det F
//     neo-hookean                    its own, see rules/fem.rule

#include "physics/body.h"
#include "rule/dag.h"

#include <math.h>

typedef struct matrix {
  double at[3][3];
} matrix;

static const double slopes[CLV_TEMPLATE_LAST + 1][8][3] = {
    [CLV_TRI] = {{-1, -1, 0}, {1, 0, 0}, {0, 1, 0}},
    [CLV_QUAD] = {{-0.5, -0.5, 0}, {0.5, -0.5, 0}, {0.5, 0.5, 0}, {-0.5, 0.5, 0}},
    [CLV_TET] = {{-1, -1, -1}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [CLV_PYRAMID] =
        {{-0.375, -0.375, -0.25}, {0.375, -0.375, -0.25}, {0.375, 0.375, -0.25}, {-0.375, 0.375, -0.25}, {0, 0, 1}},
    [CLV_PRISM] = {{-0.5, -0.5, -1.0 / 3},
                   {0.5, 0, -1.0 / 3},
                   {0, 0.5, -1.0 / 3},
                   {-0.5, -0.5, 1.0 / 3},
                   {0.5, 0, 1.0 / 3},
                   {0, 0.5, 1.0 / 3}},
    [CLV_HEX] = {{-0.25, -0.25, -0.25},
                 {0.25, -0.25, -0.25},
                 {0.25, 0.25, -0.25},
                 {-0.25, 0.25, -0.25},
                 {-0.25, -0.25, 0.25},
                 {0.25, -0.25, 0.25},
                 {0.25, 0.25, 0.25},
                 {-0.25, 0.25, 0.25}},
};

// Matrices

static matrix times(matrix a, matrix b) {
  matrix c;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++)
      c.at[i][k] = a.at[i][0] * b.at[0][k] + a.at[i][1] * b.at[1][k] + a.at[i][2] * b.at[2][k];
  return c;
}

static matrix transposed(matrix a) {
  matrix t;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) t.at[i][k] = a.at[k][i];
  return t;
}

static matrix symmetric(matrix a) {
  matrix s;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) s.at[i][k] = 0.5 * (a.at[i][k] + a.at[k][i]);
  return s;
}

// a p + b q
static matrix mixed(double a, matrix p, double b, matrix q) {
  matrix m;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) m.at[i][k] = a * p.at[i][k] + b * q.at[i][k];
  return m;
}

static const matrix identity = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};

static double trace(matrix a) {
  return a.at[0][0] + a.at[1][1] + a.at[2][2];
}

static double inner(matrix a, matrix b) {
  double sum = 0;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++) sum += a.at[i][k] * b.at[i][k];
  return sum;
}

static matrix cofactors(matrix a) {
  matrix c;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t k = 0; k < 3; k++)
      c.at[i][k] = a.at[(i + 1) % 3][(k + 1) % 3] * a.at[(i + 2) % 3][(k + 2) % 3] -
                   a.at[(i + 1) % 3][(k + 2) % 3] * a.at[(i + 2) % 3][(k + 1) % 3];
  return c;
}

static double determinant(matrix a) {
  const matrix c = cofactors(a);
  return a.at[0][0] * c.at[0][0] + a.at[0][1] * c.at[0][1] + a.at[0][2] * c.at[0][2];
}

static matrix inverted(matrix a) {
  return mixed(1 / determinant(a), transposed(cofactors(a)), 0, identity);
}

static double least_of(double a, double b, double c) {
  return fmin(a, fmin(b, c));
}

// The least and greatest eigenvalue of a symmetric matrix.
static void extremes(matrix a, double *least, double *greatest) {
  const double mean = trace(a) / 3;
  const matrix shifted = mixed(1, a, -mean, identity);
  const double size = sqrt(inner(shifted, shifted) / 6);
  if (!(size > 1e-150)) {
    *least = *greatest = mean;
    return;
  }
  const double third = acos(fmax(-1, fmin(1, determinant(mixed(1 / size, shifted, 0, identity)) / 2))) / 3;
  *greatest = mean + 2 * size * cos(third);
  *least = mean + 2 * size * least_of(cos(third), cos(third + 2 * acos(-1) / 3), cos(third - 2 * acos(-1) / 3));
}

void physics_extremes(const double six[6], double *least, double *greatest) {
  const matrix m = {{{six[0], six[3], six[5]}, {six[3], six[1], six[4]}, {six[5], six[4], six[2]}}};
  extremes(m, least, greatest);
}

// Deformation

static matrix slopes_of(const clv_map *map, clv_kind kind, uint32_t row, const double *points) {
  const uint32_t count = clv_templates[kind].corner_count;
  const uint32_t *corners = map->corners[kind] + (size_t)row * count;
  matrix d = {{{0}}};
  if (kind == CLV_TET) { // the same sums, without zeros
    const double *p[4];
    for (uint32_t c = 0; c < 4; c++) p[c] = points + 3 * (size_t)corners[c];
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t k = 0; k < 3; k++) d.at[i][k] = p[k + 1][i] - p[0][i];
    return d;
  }
  for (uint32_t c = 0; c < count; c++)
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t k = 0; k < 3; k++) d.at[i][k] += points[3 * (size_t)corners[c] + i] * slopes[kind][c][k];
  if (clv_templates[kind].dimension == 3) return d;
  double normal[3], square = 0;
  for (uint32_t i = 0; i < 3; i++) {
    const uint32_t j = (i + 1) % 3, k = (i + 2) % 3;
    normal[i] = d.at[j][0] * d.at[k][1] - d.at[k][0] * d.at[j][1];
    square += normal[i] * normal[i];
  }
  for (uint32_t i = 0; i < 3; i++) d.at[i][2] = square > 0 ? normal[i] / sqrt(square) : 0;
  return d;
}

typedef struct deformation {
  matrix f, t; // F; T: the identity, on a surface of the tangent plane at rest
  double mu, lambda;
} deformation;

static double energy_of(const deformation *d, matrix e) {
  return d->mu * inner(e, e) + 0.5 * d->lambda * trace(e) * trace(e);
}

static matrix hooke(const deformation *d, matrix e) {
  return mixed(d->lambda * trace(e), d->t, 2 * d->mu, e);
}

static matrix turned(matrix by, matrix s) {
  return times(times(by, s), transposed(by));
}

static matrix linear_stress(const deformation *d, double *energy) {
  const matrix e = mixed(1, symmetric(times(times(d->t, d->f), d->t)), -1, d->t);
  *energy = energy_of(d, e);
  return hooke(d, e);
}

static matrix corotational_stress(const deformation *d, double *energy) {
  matrix r;
  dag_rotation_of(&d->f.at[0][0], 3, &r.at[0][0]);
  const matrix e = mixed(1, symmetric(times(transposed(r), d->f)), -1, identity);
  *energy = energy_of(d, e);
  return turned(r, hooke(d, e));
}

static matrix green_strain(matrix f) {
  return mixed(0.5, times(transposed(f), f), -0.5, identity);
}

static matrix stvk_stress(const deformation *d, double *energy) {
  const matrix e = green_strain(d->f);
  *energy = energy_of(d, e);
  return mixed(1 / determinant(d->f), turned(d->f, hooke(d, e)), 0, identity);
}

static matrix neohooke_stress(const deformation *d, double *energy) {
  const double m = 4.0 / 3 * d->mu, l = d->lambda + 5.0 / 6 * d->mu, j = determinant(d->f), a = 0.75 * m / l;
  const matrix left = times(d->f, transposed(d->f));
  const double c = trace(left), away = j - 1 - a;
  *energy = 0.5 * m * (c - 3 - log((c + 1) / 4)) + 0.5 * l * (away * away - a * a);
  return mixed(m * (1 - 1 / (c + 1)) / j, left, l * away, identity);
}

// Bounds

// No eigenvalue of a symmetric matrix with this trace and sum of squares is greater.
static double greatest_by(double sum, double squares) {
  return sum / 3 + sqrt(2.0 / 3 * fmax(0, squares - sum * sum / 3));
}

static double stress_bound(const deformation *d, physics_stress law) {
  if (law == PHYSICS_LINEAR) {
    const matrix e = mixed(1, symmetric(times(times(d->t, d->f), d->t)), -1, d->t);
    return d->lambda * trace(e) + 2 * d->mu * greatest_by(trace(e), inner(e, e));
  }
  const matrix c = times(transposed(d->f), d->f);
  const double sum = trace(c), square = fmax(0, greatest_by(sum, inner(c, c)));
  if (law == PHYSICS_COROTATIONAL) // stretches add up to no more than if they were equal
    return fmax(0, d->lambda) * (sqrt(3 * sum) - 3) + fmax(0, -d->lambda) * 3 + 2 * d->mu * (sqrt(square) - 1);
  const double j = determinant(d->f);
  if (!(j > 0)) return INFINITY;
  if (law == PHYSICS_STVK) return square / j * fmax(0, 0.5 * d->lambda * (sum - 3) + d->mu * (square - 1));
  const double m = 4.0 / 3 * d->mu, l = d->lambda + 5.0 / 6 * d->mu;
  return m * (1 - 1 / (sum + 1)) / j * square + l * (j - 1 - 0.75 * m / l);
}

static deformation deformation_of(const clv_body *body, clv_dart cell, clv_kind kind, const clv_material *m) {
  const clv_map *map = body->map;
  const uint32_t row = clv_cell_row(map, cell);
  const matrix rest = slopes_of(map, kind, row, physics_vectors(body->rest)),
               now = slopes_of(map, kind, row, physics_vectors(body->pos));
  deformation d = {.f = times(now, inverted(rest)), .t = identity, .mu = physics_shear_modulus(m)};
  d.lambda = physics_lame(m, map->dimension);
  for (uint32_t i = 0; i < 3 && map->dimension == 2; i++)
    for (uint32_t k = 0; k < 3; k++) d.t.at[i][k] -= rest.at[i][2] * rest.at[k][2];
  return d;
}

double physics_stress_bound(const clv_body *body, clv_dart cell) {
  const clv_kind kind = clv_cell_shape(body->map, cell);
  if (kind < CLV_TEMPLATE_FIRST || kind > CLV_TEMPLATE_LAST) return 0;
  const physics_section *section = physics_section_of(body, cell);
  const deformation d = deformation_of(body, cell, kind, &section->material);
  return stress_bound(&d, section->model->stress);
}

double physics_stretch_bound(const clv_body *body, clv_dart cell) {
  const clv_kind kind = clv_cell_shape(body->map, cell);
  if (kind < CLV_TEMPLATE_FIRST || kind > CLV_TEMPLATE_LAST) return 0;
  const deformation d = deformation_of(body, cell, kind, &physics_section_of(body, cell)->material);
  const matrix c = times(transposed(d.f), d.f);
  return sqrt(fmax(0, greatest_by(trace(c), inner(c, c))));
}

static void unpack(matrix m, double *six) {
  six[0] = m.at[0][0], six[1] = m.at[1][1], six[2] = m.at[2][2];
  six[3] = m.at[0][1], six[4] = m.at[1][2], six[5] = m.at[2][0];
}

void clv_body_cell_state(const clv_body *body, clv_dart cell, clv_cell_state *state) {
  const clv_map *map = body->map;
  const clv_kind kind = clv_cell_shape(map, cell);
  *state = (clv_cell_state){0};
  if (kind < CLV_TEMPLATE_FIRST || kind > CLV_TEMPLATE_LAST) return;
  const bool surface = map->dimension == 2;
  const physics_section *section = physics_section_of(body, cell);
  const deformation d = deformation_of(body, cell, kind, &section->material);
  static matrix (*const stresses[])(const deformation *, double *) = {
      [PHYSICS_LINEAR] = linear_stress,
      [PHYSICS_COROTATIONAL] = corotational_stress,
      [PHYSICS_STVK] = stvk_stress,
      [PHYSICS_NEOHOOKE] = neohooke_stress,
  };
  const matrix stress = stresses[section->model->stress](&d, &state->energy);
  const matrix away = mixed(1, stress, -trace(stress) / 3, identity);
  unpack(green_strain(d.f), state->strain);
  unpack(stress, state->stress);
  state->von_mises = sqrt(1.5 * inner(away, away));
  const matrix square = times(transposed(d.f), d.f);
  double least = 0, greatest = 0;
  extremes(square, &least, &greatest);
  if (surface) { // across, the stretch is 1
    const double half = 0.5 * (trace(square) - 1), root = sqrt(fmax(0, half * half - determinant(square)));
    least = half - root;
    greatest = half + root;
  }
  state->stretch[0] = sqrt(fmax(0, least));
  state->stretch[1] = sqrt(fmax(0, greatest));
}
