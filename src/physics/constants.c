// Constants: from a material to what the laws read.
//
// Finite elements read Young's modulus and Poisson's ratio themselves. Springs need a translation. Let the springs of a
// cell have stiffness k_i and rest length l_i. Under a uniform strain they are a solid whose tensor of stiffness is the
// mean of k l^2 nnnn over the cell's volume V: symmetric in all indices, so Poisson's ratio is 1/4 (1/3 on a surface)
// where it is isotropic, and its double trace is the sum of k l^2 over V. For an isotropic solid of that ratio the
// double trace is 6 E (3 E on a surface). So in every cell the springs share out
//     sum of k l^2 = 6 E V,   on a surface of thickness h and area A: 3 E h A.
// On simplices each edge gets an equal part, k = E V / l^2: Van Gelder's rule. A hexahedron divides between its 4
// diagonals and 12 edges so that shear is right for every ratio, 9 and 1 + 4 nu parts of E V / (8 (1 + nu)): the 2013
// stiffness on cubes. A quadrangle likewise: 1 and (1 + 3 nu)/4 parts of E h A / (1 + nu). In prisms and pyramids edges
// and diagonals of quadrangles have equal parts.
//
// The hybrid model takes springs of the asked shear modulus at their natural ratio, and leaves the rest of Lame's
// lambda to an energy of volume. Below the natural ratio that rest is negative, and what springs resist a change of
// volume with must outweigh it. In hexahedra and quadrangles it does, unless they are long or slanted: there a part of
// it is left out. Other cells, which are often flat, have springs alone, whose ratio there is low as it is.
//
// A hinge of length l between faces of areas A and B bends as a plate of stiffness D = E h^3 / (12 (1 - nu^2)) does
// when its own stiffness is 2 D l^2 / (A + B): exactly in cylinders of squares and of equilateral triangles.

#include "physics/body.h"

#include <math.h>

// Where the numbers of one kind's cells go; NULL where the program has no such column.
typedef struct targets {
  double *rho, *young, *poisson, *phi, *psi, *bulk, *share, *viscosity, *diagonal, *shear; // one number a cell
  double *ea;                                                                              // one for each of its edges
} targets;

static double *cells_of(const clv_map *map, const char *name, clv_kind kind) {
  const clv_column *column = clv_column_find(map, name);
  if (!column) return NULL;
  const clv_column_def *def = clv_column_get_def(column);
  const bool fits = clv_orbit_dims(map, def->orbit) == clv_orbit_dims(map, CLV_CELL) && def->type == CLV_DOUBLE &&
                    def->components == 1;
  return fits ? clv_column_data(column, kind, NULL) : NULL;
}

static targets find_targets(const clv_map *map, clv_kind kind) {
  targets t = {.rho = cells_of(map, "rho", kind),
               .young = cells_of(map, "young", kind),
               .poisson = cells_of(map, "poisson", kind),
               .phi = cells_of(map, "phi", kind),
               .psi = cells_of(map, "psi", kind),
               .bulk = cells_of(map, "bulk", kind),
               .share = cells_of(map, "tensor_share", kind),
               .viscosity = cells_of(map, "viscosity", kind),
               .diagonal = cells_of(map, "k_diagonal", kind),
               .shear = map->dimension == 2 ? cells_of(map, "k_shear", kind) : NULL};
  const clv_column *ea = clv_column_find(map, "ea");
  if (ea) t.ea = clv_column_data(ea, kind, NULL);
  return t;
}

static void put(double *values, uint32_t row, double value) {
  if (values) values[row] = value;
}

// Springs

typedef struct solid {
  clv_kind kind;
  double corner[8][3];
  double volume; // of a surface: area times thickness
} solid;

static void read_corners(const clv_body *body, clv_kind kind, uint32_t row, solid *s) {
  const uint32_t count = clv_templates[kind].corner_count;
  const double(*rest)[3] = clv_column_data(body->rest, CLV_NONE, NULL);
  for (uint32_t c = 0; c < count; c++)
    memcpy(s->corner[c], rest[body->map->corners[kind][(size_t)row * count + c]], sizeof s->corner[c]);
}

static double length_between(const solid *s, uint32_t a, uint32_t b) {
  const double x = s->corner[a][0] - s->corner[b][0], y = s->corner[a][1] - s->corner[b][1],
               z = s->corner[a][2] - s->corner[b][2];
  return sqrt(x * x + y * y + z * z);
}

// Pairs of corners that diagonals join.
static const uint8_t diagonals[CLV_TEMPLATE_LAST + 1][6][2] = {
    [CLV_QUAD] = {{0, 2}, {1, 3}},
    [CLV_PYRAMID] = {{0, 2}, {1, 3}},
    [CLV_PRISM] = {{0, 4}, {1, 3}, {1, 5}, {2, 4}, {2, 3}, {0, 5}},
    [CLV_HEX] = {{0, 6}, {1, 7}, {2, 4}, {3, 5}},
};
static const uint8_t diagonal_count[CLV_TEMPLATE_LAST + 1] = {
    [CLV_QUAD] = 2, [CLV_PYRAMID] = 2, [CLV_PRISM] = 6, [CLV_HEX] = 4};

static const clv_suborbits *edges_of(clv_kind kind) {
  return &clv_templates[kind].sub[clv_templates[kind].dimension == 3 ? 5 : 1]; // <0,2>, <0>
}

static const clv_suborbits *corners_of(clv_kind kind) {
  return &clv_templates[kind].sub[clv_templates[kind].dimension == 3 ? 6 : 2]; // <1,2>, <1>
}

// What each edge and each diagonal has of the sum of k l^2, in parts of E V.
static void share_out(clv_kind kind, double nu, double *edge, double *diagonal) {
  const double springs = edges_of(kind)->count + diagonal_count[kind];
  *edge = *diagonal = (clv_templates[kind].dimension == 3 ? 6 : 3) / springs;
  if (kind == CLV_HEX) {
    *diagonal = 9 / (8 * (1 + nu));
    *edge = (1 + 4 * nu) / (8 * (1 + nu));
  }
  if (kind == CLV_QUAD) {
    *diagonal = 1 / (1 + nu);
    *edge = (1 + 3 * nu) / (4 * (1 + nu));
  }
}

// One stiffness serves all diagonals of a cell: that of their mean square.
static double mean_square(const solid *s) {
  double squares = 0;
  for (uint32_t k = 0; k < diagonal_count[s->kind]; k++) {
    const double l = length_between(s, diagonals[s->kind][k][0], diagonals[s->kind][k][1]);
    squares += l * l / diagonal_count[s->kind];
  }
  return squares;
}

static double diagonal_stiffness(const solid *s, double part) {
  const double squares = mean_square(s);
  return squares > 0 ? part / squares : 0;
}

static void put_springs(const targets *t, uint32_t row, const solid *s, double young, double poisson) {
  const clv_template *shape = &clv_templates[s->kind];
  const clv_suborbits *edges = edges_of(s->kind);
  const uint8_t *corner = corners_of(s->kind)->of;
  double edge = 0, diagonal = 0;
  share_out(s->kind, poisson, &edge, &diagonal);
  const double whole = young * s->volume, stiffness = diagonal_stiffness(s, diagonal * whole);
  for (uint32_t e = 0; t->ea && e < edges->count; e++) {
    const uint32_t a = edges->first[e], b = shape->alpha[0][a];
    t->ea[row * edges->count + e] = edge * whole / length_between(s, corner[a], corner[b]);
  }
  put(t->diagonal, row, stiffness);
  put(t->shear, row, stiffness);
}

static void put_no_springs(const targets *t, uint32_t row, clv_kind kind) {
  const uint32_t edges = edges_of(kind)->count;
  for (uint32_t e = 0; t->ea && e < edges; e++) t->ea[row * edges + e] = 0;
}

// Uniform strain: xx, yy and twice xy, and in volumes zz and twice yz and zx.
enum { STRAINS = 6 };
#define GREATEST_PART 0.75 // of what springs resist with, that may be taken

// A frame in which a surface lies flat, of its first corner and the next and the last.
static void find_frame(const solid *s, double u[3], double v[3]) {
  const double *o = s->corner[0], *last = s->corner[clv_templates[s->kind].corner_count - 1];
  double along = 0, square = 0;
  const double l = length_between(s, 0, 1);
  for (uint32_t i = 0; i < 3; i++) {
    u[i] = (s->corner[1][i] - o[i]) / l;
    along += u[i] * (last[i] - o[i]);
  }
  for (uint32_t i = 0; i < 3; i++) {
    v[i] = last[i] - o[i] - along * u[i];
    square += v[i] * v[i];
  }
  for (uint32_t i = 0; i < 3; i++) v[i] /= sqrt(square);
}

static void add_spring(const solid *s, uint32_t a, uint32_t b, double part, double stiff[STRAINS][STRAINS + 1]) {
  const double l = length_between(s, a, b);
  double n[3];
  for (uint32_t i = 0; i < 3; i++) n[i] = (s->corner[b][i] - s->corner[a][i]) / l;
  if (clv_templates[s->kind].dimension == 2) {
    double u[3], v[3];
    find_frame(s, u, v);
    const double x = n[0] * u[0] + n[1] * u[1] + n[2] * u[2], y = n[0] * v[0] + n[1] * v[1] + n[2] * v[2];
    n[0] = x;
    n[1] = y;
    n[2] = 0;
  }
  const double strained[STRAINS] = {n[0] * n[0], n[1] * n[1], n[0] * n[1], n[2] * n[2], n[1] * n[2], n[2] * n[0]};
  for (uint32_t i = 0; i < STRAINS; i++)
    for (uint32_t j = 0; j < STRAINS; j++) stiff[i][j] += part * strained[i] * strained[j];
}

// What springs resist a change of volume with, whatever shear goes with it, in parts of E: 1 / (t C^-1 t), with C their
// tensor of stiffness and t the trace.
static double volume_resistance(const solid *s, double edge, double diagonal) {
  const clv_suborbits *edges = edges_of(s->kind);
  const uint8_t *corner = corners_of(s->kind)->of;
  const uint32_t count = clv_templates[s->kind].dimension == 3 ? STRAINS : 3;
  double rows[STRAINS][STRAINS + 1] = {{0}}, compliance = 0;
  for (uint32_t e = 0; e < edges->count; e++)
    add_spring(s, corner[edges->first[e]], corner[clv_templates[s->kind].alpha[0][edges->first[e]]], edge, rows);
  const double squares = mean_square(s);
  for (uint32_t k = 0; k < diagonal_count[s->kind]; k++) {
    const uint32_t a = diagonals[s->kind][k][0], b = diagonals[s->kind][k][1];
    const double l = length_between(s, a, b);
    add_spring(s, a, b, diagonal * l * l / squares, rows);
  }
  for (uint32_t i = 0; i < count; i++) rows[i][STRAINS] = i < 2 || i == 3;
  for (uint32_t p = 0; p < count; p++)
    for (uint32_t i = 0; i < count; i++) {
      const double factor = i == p ? 0 : rows[i][p] / rows[p][p];
      for (uint32_t j = p; j <= STRAINS; j++) rows[i][j] -= factor * rows[p][j];
    }
  for (uint32_t p = 0; p < count; p++) compliance += (p < 2 || p == 3) * rows[p][STRAINS] / rows[p][p];
  return compliance > 0 ? 1 / compliance : 0;
}

// What is left to the energy of volume; `natural` is the springs' own ratio, `young` the modulus they are made for.
static double bulk_of(const solid *s, double bulk, double young, double natural) {
  if (bulk >= 0) return bulk;
  if (s->kind != CLV_HEX && s->kind != CLV_QUAD) return 0;
  double edge, diagonal;
  share_out(s->kind, natural, &edge, &diagonal);
  return fmax(bulk, -GREATEST_PART * young * volume_resistance(s, edge, diagonal));
}

static void put_solid(const targets *t, uint32_t row, const solid *s, const physics_section *section) {
  const clv_material *m = &section->material;
  const uint32_t dimension = clv_templates[s->kind].dimension;
  const double mu = physics_shear_modulus(m), natural = dimension == 3 ? 0.25 : 1.0 / 3;
  const double young = 2 * (1 + natural) * mu, asked = physics_lame(m, dimension) - mu;
  const double bulk = section->model->volume ? bulk_of(s, asked, young, natural) : 0;
  if (bulk != 0)
    put_springs(t, row, s, young, natural);
  else
    put_springs(t, row, s, m->young, m->poisson);
  if (section->model->volume) put(t->bulk, row, bulk);
}

// Cells

static void fill_kind(const clv_body *body, clv_kind kind) {
  const clv_map *map = body->map;
  const uint32_t rows = clv_cell_rows(map, kind);
  const int32_t *sections = clv_column_data(body->section, kind, NULL);
  const targets t = find_targets(map, kind);
  for (uint32_t row = 0; row < rows; row++) {
    if (sections[row] < 0 || !clv_cell_at(map, kind, row)) continue;
    const physics_section *section = &body->sections.data[sections[row]];
    const clv_material *m = &section->material;
    put(t.rho, row, m->density);
    put(t.young, row, m->young);
    put(t.poisson, row, m->poisson);
    put(t.phi, row, m->phi);
    put(t.psi, row, m->psi);
    put(t.viscosity, row, m->viscosity);
    put(t.share, row, section->model->tensor ? 1 : 0);
    if (!section->model->springs) {
      put_no_springs(&t, row, kind);
      continue;
    }
    solid s = {.kind = kind};
    read_corners(body, kind, row, &s);
    s.volume = clv_element_measure(kind, (const double(*)[3])s.corner) * (map->dimension == 2 ? m->thickness : 1);
    put_solid(&t, row, &s, section);
  }
}

// Hinges

// The areas of the faces at a hinge, and the mean stiffness of plates made of those among them that bend.
typedef struct hinge {
  double areas, plate;
  double fixed; // stiffness that a material gives the hinge itself
  uint32_t bending, fixed_count;
} hinge;

static void add_face(const clv_body *body, clv_dart dart, hinge *h) {
  const clv_map *map = body->map;
  const clv_kind kind = clv_cell_shape(map, dart);
  if (kind > CLV_TEMPLATE_LAST || *(const int32_t *)clv_column_at(body->section, dart) < 0) return;
  const uint32_t count = clv_templates[kind].corner_count, row = clv_cell_row(map, dart);
  const double(*pos)[3] = clv_column_data(body->rest, CLV_NONE, NULL);
  const physics_section *section = physics_section_of(body, dart);
  const clv_material *m = &section->material;
  double corner[8][3];
  for (uint32_t c = 0; c < count; c++)
    memcpy(corner[c], pos[map->corners[kind][(size_t)row * count + c]], sizeof corner[c]);
  h->areas += clv_element_measure(kind, (const double(*)[3])corner);
  if (!section->model->bending) return;
  h->bending++;
  if (m->bending >= 0) {
    h->fixed += m->bending;
    h->fixed_count++;
  } else {
    h->plate += m->young * pow(m->thickness, 3) / (12 * (1 - m->poisson * m->poisson));
  }
}

double physics_hinge_stiffness(const clv_body *body, clv_dart a) {
  const clv_map *map = body->map;
  const double(*rest)[3] = clv_column_data(body->rest, CLV_NONE, NULL);
  const clv_dart b = clv_alpha(map, a, 2);
  const double *p = rest[clv_id_of(map, CLV_VERTEX, a).index],
               *q = rest[clv_id_of(map, CLV_VERTEX, clv_alpha(map, a, 0)).index];
  const double square = (p[0] - q[0]) * (p[0] - q[0]) + (p[1] - q[1]) * (p[1] - q[1]) + (p[2] - q[2]) * (p[2] - q[2]);
  hinge h = {0};
  add_face(body, a, &h);
  if (b != a) add_face(body, b, &h);
  const double plates = h.bending > h.fixed_count ? 2 * square / h.areas * h.plate : 0;
  return h.bending ? (plates + h.fixed) / h.bending : 0;
}

void physics_fill_hinge(const clv_body *body, const clv_column *column, clv_dart a) {
  *(double *)clv_column_at(column, a) = physics_hinge_stiffness(body, a);
}

static void fill_hinges(const clv_body *body) {
  const clv_map *map = body->map;
  const clv_column *column = clv_column_find(map, "k_bend");
  if (!column || map->dimension != 2) return;
  for (clv_id id = clv_id_next(map, CLV_EDGE, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_EDGE, id))
    physics_fill_hinge(body, column, clv_id_dart(map, CLV_EDGE, id));
}

double physics_diagonal_length(const clv_body *body, clv_dart cell) {
  solid s = {.kind = clv_cell_shape(body->map, cell)};
  if (s.kind > CLV_TEMPLATE_LAST) return 0;
  read_corners(body, s.kind, clv_cell_row(body->map, cell), &s);
  return sqrt(mean_square(&s));
}

// One cell, by its rest shape: what its springs have. Zeros where its model has none.
void physics_spring_constants(const clv_body *body, const physics_section *section, clv_kind kind, uint32_t row,
                              physics_springs *springs) {
  *springs = (physics_springs){0};
  if (!section->model->springs) return;
  solid s = {.kind = kind};
  read_corners(body, kind, row, &s);
  s.volume = clv_element_measure(kind, (const double(*)[3])s.corner) *
             (body->map->dimension == 2 ? section->material.thickness : 1);
  const targets t = {.ea = springs->ea, .diagonal = &springs->diagonal};
  put_solid(&t, 0, &s, section);
}

void physics_fill(const clv_body *body) {
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_cell_rows(body->map, (clv_kind)kind)) fill_kind(body, (clv_kind)kind);
  fill_hinges(body);
}
