// Laws on cells: energies, masses and integrals of every shape against formulas written here, and the forms that laws
// have for many points.

#include "support/random.h"
#include "support/rule_law.h"
#include "support/template_shapes.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>

#include <cmocka.h>

// Faces by corners, in one sense of turning.
static const int8_t faces[CLV_TEMPLATE_LAST + 1][6][4] = {
    [CLV_TET] = {{0, 2, 1, -1}, {0, 1, 3, -1}, {1, 2, 3, -1}, {0, 3, 2, -1}},
    [CLV_PYRAMID] = {{0, 3, 2, 1}, {0, 1, 4, -1}, {1, 2, 4, -1}, {2, 3, 4, -1}, {3, 0, 4, -1}},
    [CLV_PRISM] = {{0, 2, 1, -1}, {3, 4, 5, -1}, {0, 1, 4, 3}, {1, 2, 5, 4}, {2, 0, 3, 5}},
    [CLV_HEX] = {{0, 3, 2, 1}, {4, 5, 6, 7}, {0, 1, 5, 4}, {1, 2, 6, 5}, {2, 3, 7, 6}, {3, 0, 4, 7}},
};

static double triple(const double *a, const double *b, const double *c) {
  return a[0] * (b[1] * c[2] - b[2] * c[1]) + a[1] * (b[2] * c[0] - b[0] * c[2]) + a[2] * (b[0] * c[1] - b[1] * c[0]);
}

// By the flux through the faces; a bilinear one is the mean of its two triangulations. Of a surface in the plane: its
// area.
static double volume_of(clv_kind kind, double (*x)[3]) {
  const uint32_t corners = clv_templates[kind].corner_count;
  double volume = 0;
  if (clv_templates[kind].dimension == 2) {
    for (uint32_t c = 0; c < corners; c++) {
      const double *a = x[c], *b = x[(c + 1) % corners];
      volume += 0.5 * (a[0] * b[1] - a[1] * b[0]);
    }
    return volume;
  }
  for (uint32_t f = 0; f < clv_templates[kind].facet_count; f++) {
    const int8_t *c = faces[kind][f];
    if (c[3] < 0)
      volume += triple(x[c[0]], x[c[1]], x[c[2]]) / 6;
    else
      volume += (triple(x[c[0]], x[c[1]], x[c[2]]) + triple(x[c[0]], x[c[2]], x[c[3]]) +
                 triple(x[c[1]], x[c[2]], x[c[3]]) + triple(x[c[1]], x[c[3]], x[c[0]])) /
                12;
  }
  return volume;
}

// A cell of some shape, and an affine deformation of it: x = A X + b.
static void deform(law_sample *sample, double (*map)[3], random_source *source, double size) {
  const law *l = sample->law;
  const clv_kind kind = l->shape.kind;
  const bool flat = clv_templates[kind].dimension == 2;
  for (uint32_t r = 0; r < 3; r++)
    for (uint32_t c = 0; c < 3; c++) map[r][c] = (r == c) + size * random_between(source, -0.5, 0.5);
  for (uint32_t c = 0; c < clv_templates[kind].corner_count; c++) {
    double rest[3], pos[3];
    for (uint32_t axis = 0; axis < 3; axis++)
      rest[axis] =
          flat && axis == 2 ? 0 : 1.5 * template_shapes[kind][c][axis] + 0.4 * random_between(source, -0.5, 0.5);
    for (uint32_t axis = 0; axis < 3; axis++)
      pos[axis] = 0.7 + map[axis][0] * rest[0] + map[axis][1] * rest[1] + map[axis][2] * rest[2];
    memcpy(sample->corner[c], rest, sizeof rest);
    const int p = law_test_corner_particle(l, c);
    assert_true(p >= 0);
    memcpy(sample->rest[p], rest, sizeof rest);
    memcpy(sample->pos[p], pos, sizeof pos);
  }
}

// strain = a' b less the identity, symmetric, of dimension k: a and b are 3 x 3 and only k columns count.
static double isotropic(double (*a)[3], double (*b)[3], uint32_t k, double factor, double mu, double lam) {
  double square = 0, trace = 0;
  for (uint32_t r = 0; r < k; r++)
    for (uint32_t c = 0; c < k; c++) {
      double strain = -(double)(r == c);
      for (uint32_t j = 0; j < 3; j++) strain += 0.5 * (a[j][r] * b[j][c] + a[j][c] * b[j][r]);
      strain *= factor;
      square += strain * strain;
      if (r == c) trace += strain;
    }
  return mu * square + 0.5 * lam * trace * trace;
}

static double thickness_of(const law_sample *sample, clv_program *program) {
  return clv_templates[sample->law->shape.kind].dimension == 2 ? sample->params[law_test_param(program, "thickness")]
                                                               : 1;
}

static void check_patch(clv_program *program, const char *name, uint32_t dimension) {
  random_source source = {11};
  law_list laws = law_test_make(program, name, dimension);
  for (uint32_t k = 0; k < laws.count; k++)
    for (uint32_t trial = 0; trial < 5; trial++) {
      law_sample sample;
      law_test_fill(&sample, laws.data[k], &source);
      double map[3][3], unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      deform(&sample, map, &source, 0.5);
      const double mu = law_test_value(&sample, "mu", 0), lam = law_test_value(&sample, "lam", 0);
      const bool linear = strcmp(name, "linear") == 0;
      const uint32_t axes = clv_templates[sample.law->shape.kind].dimension;
      const double density = linear ? isotropic(unit, map, axes, 1, mu, lam) : isotropic(map, map, axes, 0.5, mu, lam);
      const double volume = fabs(volume_of(sample.law->shape.kind, sample.corner)) * thickness_of(&sample, program);
      law_test_near(law_test_energy(&sample), density * volume, 1e-11);
    }
  law_test_free(program, &laws);
}

static void test_patch(void **state) {
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    check_patch(*state, "linear", dimension);
    check_patch(*state, "stvk", dimension);
  }
}

// One tetrahedron by hand: F from edge vectors, the energy from F.
static void test_stvk_tetrahedron(void **state) {
  random_source source = {12};
  law_list laws = law_test_make(*state, "stvk", 3);
  const law *l = law_test_of_kind(&laws, CLV_TET);
  assert_int_equal(l->quadrature, 1);
  law_sample sample;
  law_test_fill(&sample, l, &source);
  double map[3][3];
  deform(&sample, map, &source, 0.3);
  for (uint32_t p = 0; p < 4; p++)
    for (uint32_t axis = 0; axis < 3; axis++) sample.pos[p][axis] += 0.3 * random_between(&source, -0.5, 0.5);
  double edge[3][3], rest[3][3], f[3][3] = {{0}};
  for (uint32_t c = 1; c < 4; c++) {
    const int p = law_test_corner_particle(l, c), o = law_test_corner_particle(l, 0);
    for (uint32_t axis = 0; axis < 3; axis++) {
      edge[c - 1][axis] = sample.pos[p][axis] - sample.pos[o][axis];
      rest[c - 1][axis] = sample.corner[c][axis] - sample.corner[0][axis];
    }
  }
  const double det = triple(rest[0], rest[1], rest[2]);
  for (uint32_t c = 0; c < 3; c++) {
    const double *a = rest[(c + 1) % 3], *b = rest[(c + 2) % 3];
    const double dual[3] = {a[1] * b[2] - a[2] * b[1], a[2] * b[0] - a[0] * b[2], a[0] * b[1] - a[1] * b[0]};
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t j = 0; j < 3; j++) f[i][j] += edge[c][i] * dual[j] / det;
  }
  const double mu = law_test_value(&sample, "mu", 0), lam = law_test_value(&sample, "lam", 0);
  law_test_near(law_test_energy(&sample), fabs(det) / 6 * isotropic(f, f, 3, 0.5, mu, lam), 1e-12);
  law_test_free(*state, &laws);
}

// A matrix may go into a gradient, and a sum over points into its slopes: nothing but rounding depends on it.
static void test_turned_gradients(void **state) {
  (void)state;
  static const char text[] = "use fem;\n"
                             "force outside on t:cell {\n"
                             "  let R = hold(rotation(over q in t 1*grad(t.pos,q)));\n"
                             "  over q in t { energy iso(sym(R'*grad(t.pos,q))-I, t.mu, t.lam); }\n"
                             "}\n"
                             "force inside on t:cell {\n"
                             "  let R = hold(rotation(over q in t grad(t.pos,q)));\n"
                             "  over q in t { energy iso(sym(grad(R'*t.pos,q))-I, t.mu, t.lam); }\n"
                             "}\n";
  static const char *const names[2] = {"outside", "inside"};
  clv_program *program = clv_program_create(NULL);
  assert_int_equal(clv_program_add(program, "turned.rule", text, sizeof text - 1), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    law_list laws[2] = {law_test_make(program, names[0], dimension), law_test_make(program, names[1], dimension)};
    assert_true(laws[0].count && laws[0].count == laws[1].count);
    for (uint32_t k = 0; k < laws[0].count; k++) {
      law_sample sample[2];
      double forces[2][LAW_PARTICLES][3] = {{{0}}}, map[3][3], largest = 0;
      for (uint32_t w = 0; w < 2; w++) {
        random_source source = {31 + k};
        law_test_fill(&sample[w], laws[w].data[k], &source);
        deform(&sample[w], map, &source, 0.3);
        for (uint32_t p = 0; p < laws[w].data[k]->particles.count; p++)
          for (uint32_t axis = 0; axis < 3; axis++) sample[w].pos[p][axis] += 0.1 * random_between(&source, -0.5, 0.5);
        law_test_forces(&sample[w], forces[w]);
      }
      for (uint32_t e = 0; e < 3 * laws[0].data[k]->particles.count; e++)
        largest = fmax(largest, fabs(forces[0][e / 3][e % 3]));
      assert_true(largest > 0);
      for (uint32_t e = 0; e < 3 * laws[0].data[k]->particles.count; e++)
        law_test_near_scaled(forces[0][e / 3][e % 3], forces[1][e / 3][e % 3], largest, 1e-10);
    }
    law_test_free(program, &laws[0]);
    law_test_free(program, &laws[1]);
  }
  clv_program_destroy(program);
}

// For small strains every solid is Hooke's.
static void test_small_strain(void **state) {
  static const char *const names[] = {"stvk", "neohooke", "corotational", "corotational_qr", "corotational_qr_cell"};
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    law_list laws = law_test_make(*state, names[n], 3);
    for (uint32_t k = 0; k < laws.count; k++) {
      random_source source = {13};
      law_sample sample;
      law_test_fill(&sample, laws.data[k], &source);
      double map[3][3], unit[3][3] = {{1, 0, 0}, {0, 1, 0}, {0, 0, 1}};
      deform(&sample, map, &source, 1e-4);
      const double mu = law_test_value(&sample, "mu", 0), lam = law_test_value(&sample, "lam", 0);
      const double expected =
          isotropic(unit, map, 3, 1, mu, lam) * fabs(volume_of(sample.law->shape.kind, sample.corner));
      law_test_near(law_test_energy(&sample), expected, 2e-3);
    }
    law_test_free(*state, &laws);
  }
}

// Energies that no motion of the whole body changes.
static void move_body(law_sample *sample, bool turn) {
  const double c = cos(0.7), s = sin(0.7);
  for (uint32_t p = 0; p < sample->law->particles.count; p++) {
    double *x = sample->pos[p];
    const double y = x[1], z = x[2];
    if (turn) {
      x[1] = c * y - s * z;
      x[2] = s * y + c * z;
      const double x0 = x[0];
      x[0] = c * x0 - s * x[1];
      x[1] = s * x0 + c * x[1];
    }
    for (uint32_t axis = 0; axis < 3; axis++) x[axis] += 3 + axis;
  }
}

static void test_invariance(void **state) {
  static const struct {
    const char *name;
    bool turns;
  } laws_of[] = {{"stretch", true},
                 {"stretch_face", true},
                 {"shear", true},
                 {"shear_corner", true},
                 {"diagonals", true},
                 {"provot", true},
                 {"hinge", true},
                 {"volume", true},
                 {"linear", false},
                 {"stvk", true},
                 {"corotational", true},
                 {"corotational_qr", true},
                 {"corotational_qr_cell", true},
                 {"neohooke", true}};
  for (size_t n = 0; n < sizeof laws_of / sizeof *laws_of; n++)
    for (uint32_t dimension = 2; dimension <= 3; dimension++) {
      random_source source = {n + 1};
      law_list laws = law_test_make(*state, laws_of[n].name, dimension);
      for (uint32_t k = 0; k < laws.count; k++) {
        law_sample sample;
        law_test_fill(&sample, laws.data[k], &source);
        double map[3][3];
        if (laws.data[k]->shape.kind && laws.data[k]->quadrature) deform(&sample, map, &source, 0.4);
        const double before = law_test_energy(&sample);
        move_body(&sample, laws_of[n].turns);
        assert_true(before > 0);
        law_test_near(law_test_energy(&sample), before, 1e-10);
      }
      law_test_free(*state, &laws);
    }
}

// The volume's energy sees the volume, of all points together.
static void test_volume(void **state) {
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    law_list laws = law_test_make(*state, "volume", dimension);
    for (uint32_t k = 0; k < laws.count; k++) {
      random_source source = {14};
      law_sample sample;
      law_test_fill(&sample, laws.data[k], &source);
      double map[3][3];
      deform(&sample, map, &source, 0.3);
      assert_true(sample.law->unrolled);
      for (uint32_t r = 0; r < 3; r++)
        for (uint32_t c = 0; c < 3; c++) map[r][c] = r == c ? 1 + 0.1 * r : 0;
      for (uint32_t p = 0; p < sample.law->particles.count; p++)
        for (uint32_t axis = 0; axis < 3; axis++) sample.pos[p][axis] = map[axis][axis] * sample.rest[p][axis];
      const double ratio = dimension == 2 ? 1.1 : 1.1 * 1.2;
      const double rest = fabs(volume_of(sample.law->shape.kind, sample.corner)) * thickness_of(&sample, *state);
      law_test_near(law_test_energy(&sample),
                    0.5 * law_test_value(&sample, "bulk", 0) * rest * (ratio - 1) * (ratio - 1), 1e-11);
    }
    law_test_free(*state, &laws);
  }
}

// One point for all

typedef double shape_data[LAW_QUADRATURE][LAW_QUAD_DATA];

static dag_ref written_out(void *user, dag *graph, dag_op op, uint32_t index, uint32_t point) {
  shape_data *shape = user;
  if (op == DAG_POINT) return dag_input(graph, DAG_QUAD, point * LAW_QUAD_DATA + index);
  return op == DAG_SHAPE ? dag_const(graph, (*shape)[point][index]) : 0;
}

// The energy of a law's rolled form, with its points written out again.
static double rolled_energy(const law_sample *sample) {
  const law *rolled = sample->law->rolled;
  shape_data shape;
  dag_ref copies[LAW_QUADRATURE];
  assert_int_equal(law_reference_points(rolled->shape.kind, shape), rolled->graph.points);
  law_sample again = *sample;
  law l = *sample->law;
  const clv_allocator allocator = clv_default_allocator();
  dag_init(&l.graph, &allocator);
  assert_true(dag_expand(&l.graph, &rolled->graph, &rolled->energy, 1, written_out, &shape, copies));
  l.energy = copies[0];
  again.law = &l;
  const double energy = law_test_energy(&again);
  dag_free(&l.graph);
  return energy;
}

static void test_one_point_for_all(void **state) {
  static const char *const names[] = {"volume", "corotational_cell", "corotational_qr_cell"};
  uint32_t compared = 0;
  for (size_t n = 0; n < sizeof names / sizeof *names; n++) {
    law_list laws = law_test_make(*state, names[n], 3);
    for (uint32_t k = 0; k < laws.count; k++) {
      random_source source = {n + 31};
      law_sample sample;
      double map[3][3];
      law_test_fill(&sample, laws.data[k], &source);
      deform(&sample, map, &source, 0.3);
      assert_true((laws.data[k]->rolled != NULL) == (law_quadrature_points(laws.data[k]->shape.kind) > 1));
      if (!laws.data[k]->rolled) continue;
      law_test_near(rolled_energy(&sample), law_test_energy(&sample), 1e-12);
      compared++;
    }
    law_test_free(*state, &laws);
  }
  assert_int_equal(compared, 9);
}

// A sum within a sum has its own points. Where it looks at those of the outer one too, they are written out.
static void test_points_within_points(void **state) {
  (void)state;
  static const char text[] =
      "use fem;\n"
      "force inner on t:hex { over q in t { let V = over p in t det(grad(t.pos,p))^2; energy t.mu*V/rest(V)\n"
      "  *det(grad(t.pos,q))^2; } }\n"
      "force pairs on t:hex { energy t.mu*over q in t det(grad(t.pos,q))*\n"
      "  (over p in t dot(grad(t.pos,p), grad(t.pos,q)))/(over p in t 1); }\n"
      "force named on t:hex { over q in t { let F = grad(t.pos,q); let c = tr(F); energy t.mu*c*\n"
      "  (over p in t dot(grad(t.pos,p), F))/(over p in t 1); } }\n";
  clv_program *program = clv_program_create(NULL);
  assert_int_equal(clv_program_add(program, "points", text, sizeof text - 1), CLV_OK);
  const clv_result result = clv_program_check(program);
  law_test_print_findings(program);
  assert_int_equal(result, CLV_OK);
  law_list inner = law_test_make(program, "inner", 3), pairs = law_test_make(program, "pairs", 3);
  law_list named = law_test_make(program, "named", 3);
  random_source source = {5};
  law_sample sample;
  double map[3][3];
  law_test_fill(&sample, inner.data[0], &source);
  deform(&sample, map, &source, 0.3);
  law_test_near(rolled_energy(&sample), law_test_energy(&sample), 1e-12);
  assert_null(pairs.data[0]->rolled);
  assert_null(named.data[0]->rolled);
  law_test_free(program, &inner);
  law_test_free(program, &pairs);
  law_test_free(program, &named);
  clv_program_destroy(program);
}

// Masses, blocks, pressure

static void test_corner_masses(void **state) {
  for (uint32_t dimension = 2; dimension <= 3; dimension++) {
    law_list laws = law_test_make(*state, "corner_mass", dimension);
    for (uint32_t k = 0; k < laws.count; k++) {
      random_source source = {15};
      const law *l = laws.data[k];
      law_sample sample;
      law_test_fill(&sample, l, &source);
      for (uint32_t c = 0; c < clv_templates[l->shape.kind].corner_count; c++)
        for (uint32_t axis = 0; axis < dimension; axis++)
          sample.corner[c][axis] = template_shapes[l->shape.kind][c][axis] + 0.2 * random_between(&source, -0.5, 0.5);
      assert_int_equal(l->assigns.count, clv_templates[l->shape.kind].corner_count);
      double whole = 0;
      for (uint32_t a = 0; a < l->assigns.count; a++) {
        const double mass = law_test_root(&sample, l->assigns.data[a].value);
        assert_true(mass > 0);
        whole += mass;
      }
      const double volume = fabs(volume_of(l->shape.kind, sample.corner)) * thickness_of(&sample, *state);
      law_test_near(whole, law_test_value(&sample, "rho", 0) * volume, 1e-12);
    }
    law_test_free(*state, &laws);
  }
}

// The blocks of the mass-tensor, over the lengths of their edges, are the stiffness of the linear law, and those of a
// row add up to nothing: forces are the same.
static void test_mass_tensor(void **state) {
  random_source source = {16};
  law_list blocks = law_test_make(*state, "tet_block", 3), linear = law_test_make(*state, "linear", 3);
  const law *tet = law_test_of_kind(&linear, CLV_TET), *l = blocks.data[0];
  law_sample whole;
  law_test_fill(&whole, tet, &source);
  double map[3][3], expected[LAW_PARTICLES][3], forces[4][3] = {{0}};
  deform(&whole, map, &source, 0.3);
  for (uint32_t p = 0; p < 4; p++)
    for (uint32_t axis = 0; axis < 3; axis++) whole.pos[p][axis] += 0.2 * random_between(&source, -0.5, 0.5);
  law_test_forces(&whole, expected);
  law_sample sample = whole;
  sample.law = l;
  const double share = law_test_value(&sample, "tensor_share", 0);
  assert_int_equal(l->assigns.count, 108);
  for (uint32_t a = 0; a < l->assigns.count; a++) {
    const law_assign *assign = &l->assigns.data[a];
    const law_path *path = &l->paths.data[assign->path];
    const uint32_t i = law_test_corner(CLV_TET, path, ""), j = law_test_corner(CLV_TET, path, "0");
    const int p = law_test_corner_particle(tet, i), q = law_test_corner_particle(tet, j);
    const uint32_t axis = assign->component % 3;
    double square = 0;
    for (uint32_t k = 0; k < 3; k++) square += pow(whole.rest[p][k] - whole.rest[q][k], 2);
    const double moved = (whole.pos[q][axis] - whole.rest[q][axis]) - (whole.pos[p][axis] - whole.rest[p][axis]);
    forces[i][assign->component / 3] -= law_test_root(&sample, assign->value) / sqrt(square) * moved;
  }
  for (uint32_t c = 0; c < 4; c++)
    for (uint32_t axis = 0; axis < 3; axis++)
      law_test_near_scaled(forces[c][axis], share * expected[law_test_corner_particle(tet, c)][axis], 1, 1e-10);
  law_test_free(*state, &blocks);
  law_test_free(*state, &linear);
}

// Pressure pushes with area times pressure, along the normal.
static void test_pressure(void **state) {
  law_list laws = law_test_make(*state, "pressure", 3);
  for (uint32_t k = 0; k < laws.count; k++) {
    random_source source = {17};
    const law *l = laws.data[k];
    assert_true(l->oriented && l->external);
    assert_int_equal(l->guards.count, 1);
    assert_int_equal(l->guards.data[0].test, LAW_FREE);
    assert_int_equal(l->guards.data[0].dimension, 3);
    law_sample sample;
    law_test_fill(&sample, l, &source);
    double flat[8][3] = {{0}}, forces[LAW_PARTICLES][3], sum[3] = {0};
    for (uint32_t c = 0; c < clv_templates[l->shape.kind].corner_count; c++) {
      for (uint32_t axis = 0; axis < 2; axis++)
        flat[c][axis] = template_shapes[l->shape.kind][c][axis] + 0.3 * random_between(&source, -0.5, 0.5);
      memcpy(sample.pos[law_test_corner_particle(l, c)], flat[c], sizeof flat[c]);
    }
    law_test_forces(&sample, forces);
    for (uint32_t p = 0; p < l->particles.count; p++)
      for (uint32_t axis = 0; axis < 3; axis++) sum[axis] += forces[p][axis];
    const double expected = law_test_value(&sample, "pressure_on", 0) * volume_of(l->shape.kind, flat);
    law_test_near_scaled(sum[0], 0, 1, 1e-14);
    law_test_near(sum[2], expected, 1e-13);
  }
  law_test_free(*state, &laws);
}

// Quadrature

static void test_quadrature(void **state) {
  (void)state;
  random_source source = {19};
  for (clv_kind kind = CLV_TRI; kind <= CLV_HEX; kind++)
    for (uint32_t trial = 0; trial < 10; trial++) {
      const uint32_t corners = clv_templates[kind].corner_count, axes = clv_templates[kind].dimension;
      double rest[8][3] = {{0}}, data[LAW_QUADRATURE][LAW_QUAD_DATA] = {{0}}, volume = 0;
      for (uint32_t c = 0; c < 8 && c < corners; c++)
        for (uint32_t axis = 0; axis < 3 && axis < axes; axis++)
          rest[c][axis] = template_shapes[kind][c][axis] + 0.3 * random_between(&source, -0.5, 0.5);
      law_quadrature(kind, (const double(*)[3])rest, data);
      for (uint32_t p = 0; p < law_quadrature_points(kind); p++) {
        double one = 0;
        volume += data[p][0];
        for (uint32_t c = 0; c < corners; c++) one += data[p][1 + c];
        law_test_near(one, 1, 1e-14);
        // The gradient of the rest positions is the identity, seen in the frame.
        for (uint32_t x = 0; x < 3; x++)
          for (uint32_t axis = 0; axis < axes; axis++) {
            double slope = 0;
            for (uint32_t c = 0; c < corners; c++) slope += rest[c][x] * data[p][1 + corners + 3 * c + axis];
            const double frame = axes == 3 ? (x == axis) : data[p][1 + 4 * corners + 2 * x + axis];
            law_test_near_scaled(slope, frame, 1, 1e-12);
          }
      }
      law_test_near(volume, fabs(volume_of(kind, rest)), 1e-12);
    }
}

// The same integral in three ways: by summed slopes, point by point, and over the reference shape.
static void test_integrals(void **state) {
  (void)state;
  static const char text[] =
      "use body; param stiff:real[N/m^5] = 1;\n"
      "force summed on t:tet|pyramid|prism|hex { let M = over q in t grad(t.pos,q); energy stiff*dot(M,M); }\n"
      "force single on t:tet|pyramid|prism|hex {\n"
      "  let M = over q in t 1*grad(t.pos,q); let v = (1, 2, 3);\n"
      "  let none = over q in t (grad(v'*t.pos,q)-v'*grad(t.pos,q)); energy stiff*(dot(M,M)+dot(none,none));\n"
      "}\n"
      "force mapped on t:tet|pyramid|prism|hex {\n"
      "  let sum = 1; def J(q) = sum*rest(jac(t.pos,q));\n"
      "  let M = sum q in t q.w*abs(det(J(q)))*(jac(t.pos,q)*inverse(J(q))); energy stiff*dot(M,M);\n"
      "}\n";
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "integrals", text, sizeof text - 1), CLV_OK);
  const clv_result sound = clv_program_check(program);
  law_test_print_findings(program);
  assert_int_equal(sound, CLV_OK);
  static const char *const names[] = {"summed", "single", "mapped"};
  double energies[3][4];
  for (uint32_t n = 0; n < 3; n++) {
    law_list laws = law_test_make(program, names[n], 3);
    assert_int_equal(laws.count, 4);
    for (uint32_t k = 0; k < 4; k++) {
      random_source source = {23};
      law_sample sample;
      double map[3][3];
      law_test_fill(&sample, laws.data[k], &source);
      deform(&sample, map, &source, 0.3);
      energies[n][k] = law_test_energy(&sample);
    }
    law_test_free(program, &laws);
  }
  for (uint32_t k = 0; k < 4; k++) {
    assert_true(energies[0][k] > 0);
    law_test_near(energies[1][k], energies[0][k], 1e-13);
    law_test_near(energies[2][k], energies[0][k], 1e-13);
  }
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_patch),
      cmocka_unit_test(test_stvk_tetrahedron),
      cmocka_unit_test(test_turned_gradients),
      cmocka_unit_test(test_small_strain),
      cmocka_unit_test(test_invariance),
      cmocka_unit_test(test_volume),
      cmocka_unit_test(test_one_point_for_all),
      cmocka_unit_test(test_points_within_points),
      cmocka_unit_test(test_corner_masses),
      cmocka_unit_test(test_mass_tensor),
      cmocka_unit_test(test_pressure),
      cmocka_unit_test(test_quadrature),
      cmocka_unit_test(test_integrals),
  };
  return cmocka_run_group_tests(tests, law_test_load_library, law_test_unload_library);
}
