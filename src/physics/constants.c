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

static double square_between(const solid *s, uint32_t a, uint32_t b) {
  const double x = s->corner[a][0] - s->corner[b][0], y = s->corner[a][1] - s->corner[b][1],
               z = s->corner[a][2] - s->corner[b][2];
  return x * x + y * y + z * z;
}

static double length_between(const solid *s, uint32_t a, uint32_t b) {
  return sqrt(square_between(s, a, b));
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
  for (uint32_t k = 0; k < diagonal_count[s->kind]; k++)
    squares += square_between(s, diagonals[s->kind][k][0], diagonals[s->kind][k][1]) / diagonal_count[s->kind];
  return squares;
}

static double diagonal_stiffness(const solid *s, double part) {
  const double squares = mean_square(s);
  return squares > 0 ? part / squares : 0;
}

static void find_springs(const solid *s, double young, double poisson, physics_springs *springs) {
  const clv_template *shape = &clv_templates[s->kind];
  const clv_suborbits *edges = edges_of(s->kind);
  const uint8_t *corner = corners_of(s->kind)->of;
  double edge = 0, diagonal = 0;
  share_out(s->kind, poisson, &edge, &diagonal);
  const double whole = young * s->volume, part = edge * whole;
  double squares[12];
  for (uint32_t e = 0; e < edges->count; e++) {
    const uint32_t a = edges->first[e], b = shape->alpha[0][a];
    squares[e] = square_between(s, corner[a], corner[b]);
  }
  for (uint32_t e = 0; e < edges->count; e++) springs->ea[e] = part / sqrt(squares[e]);
  springs->diagonal = diagonal_stiffness(s, diagonal * whole);
}

static void put_springs(const targets *t, uint32_t row, clv_kind kind, const physics_springs *springs) {
  const uint32_t edges = edges_of(kind)->count;
  for (uint32_t e = 0; t->ea && e < edges; e++) t->ea[row * edges + e] = springs->ea[e];
  put(t->diagonal, row, springs->diagonal);
  put(t->shear, row, springs->diagonal);
}

static void put_no_springs(const targets *t, uint32_t row, clv_kind kind) {
  const uint32_t edges = edges_of(kind)->count;
  for (uint32_t e = 0; t->ea && e < edges; e++) t->ea[row * edges + e] = 0;
}

// Uniform strain: xx, yy and twice xy, and in volumes zz and twice yz and zx.
enum { STRAINS = 6 };
#define GREATEST_PART 0.75 // of what springs resist with, that may be taken

// A surface in the frame in which it lies flat, of its first corner and the next and the last; a volume as it is.
static solid lay_flat(const solid *s) {
  const uint32_t corners = clv_templates[s->kind].corner_count;
  const double *o = s->corner[0], *last = s->corner[corners - 1], l = length_between(s, 0, 1);
  double u[3], v[3], along = 0, square = 0;
  if (clv_templates[s->kind].dimension == 3) return *s;
  for (uint32_t i = 0; i < 3; i++) {
    u[i] = (s->corner[1][i] - o[i]) / l;
    along += u[i] * (last[i] - o[i]);
  }
  for (uint32_t i = 0; i < 3; i++) {
    v[i] = last[i] - o[i] - along * u[i];
    square += v[i] * v[i];
  }
  solid flat = {.kind = s->kind, .volume = s->volume};
  for (uint32_t c = 0; c < corners; c++)
    for (uint32_t i = 0; i < 3; i++) {
      flat.corner[c][0] += u[i] * (s->corner[c][i] - o[i]);
      flat.corner[c][1] += v[i] * (s->corner[c][i] - o[i]) / sqrt(square);
    }
  return flat;
}

// A spring between two corners, of k l^2 over V. Only lengths are those of a surface that is not flat.
static void add_spring(const solid *flat, uint32_t a, uint32_t b, double length, double part,
                       double stiff[STRAINS][STRAINS + 1]) {
  double n[3];
  for (uint32_t i = 0; i < 3; i++) n[i] = (flat->corner[b][i] - flat->corner[a][i]) / length;
  const double strained[STRAINS] = {n[0] * n[0], n[1] * n[1], n[0] * n[1], n[2] * n[2], n[1] * n[2], n[2] * n[0]};
  for (uint32_t i = 0; i < STRAINS; i++)
    for (uint32_t j = 0; j < STRAINS; j++) stiff[i][j] += part * strained[i] * strained[j];
}

// What springs resist a change of volume with, whatever shear goes with it: 1 / (t C^-1 t), with C their tensor of
// stiffness and t the trace.
static double volume_resistance(const solid *s, const physics_springs *springs) {
  const clv_suborbits *edges = edges_of(s->kind);
  const uint8_t *corner = corners_of(s->kind)->of;
  const uint32_t count = clv_templates[s->kind].dimension == 3 ? STRAINS : 3;
  const solid flat = lay_flat(s);
  double rows[STRAINS][STRAINS + 1] = {{0}}, compliance = 0;
  for (uint32_t e = 0; e < edges->count; e++) {
    const uint32_t a = corner[edges->first[e]], b = corner[clv_templates[s->kind].alpha[0][edges->first[e]]];
    const double l = length_between(s, a, b);
    add_spring(&flat, a, b, l, springs->ea[e] * l / s->volume, rows);
  }
  for (uint32_t k = 0; k < diagonal_count[s->kind]; k++) {
    const uint32_t a = diagonals[s->kind][k][0], b = diagonals[s->kind][k][1];
    const double l = length_between(s, a, b);
    add_spring(&flat, a, b, l, springs->diagonal * l * l / s->volume, rows);
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

// The modulus that is left to the energy of volume, of what is asked.
static double bulk_beside(const solid *s, const physics_springs *springs, double asked) {
  if (asked >= 0) return asked;
  if (s->kind != CLV_HEX && s->kind != CLV_QUAD) return 0;
  return fmax(asked, -GREATEST_PART * volume_resistance(s, springs));
}

static double bulk_asked(const clv_material *m, clv_kind kind) {
  return physics_lame(m, clv_templates[kind].dimension) - physics_shear_modulus(m);
}

static void find_constants(const solid *s, const physics_section *section, physics_springs *springs) {
  const clv_material *m = &section->material;
  const double natural = clv_templates[s->kind].dimension == 3 ? 0.25 : 1.0 / 3;
  *springs = (physics_springs){0};
  if (section->model->volume) {
    find_springs(s, 2 * (1 + natural) * physics_shear_modulus(m), natural, springs);
    springs->bulk = bulk_beside(s, springs, bulk_asked(m, s->kind));
  }
  if (springs->bulk == 0) find_springs(s, m->young, m->poisson, springs);
}

static void read_solid(const clv_body *body, const physics_section *section, clv_kind kind, uint32_t row, solid *s) {
  *s = (solid){.kind = kind};
  read_corners(body, kind, row, s);
  s->volume = clv_element_measure(kind, (const double(*)[3])s->corner) *
              (body->map->dimension == 2 ? section->material.thickness : 1);
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
    solid s;
    physics_springs springs;
    read_solid(body, section, kind, row, &s);
    find_constants(&s, section, &springs);
    put_springs(&t, row, kind, &springs);
    if (section->model->volume) put(t.bulk, row, springs.bulk);
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
  solid s;
  if (!section->model->springs) {
    *springs = (physics_springs){0};
    return;
  }
  read_solid(body, section, kind, row, &s);
  find_constants(&s, section, springs);
}

double physics_bulk_beside_springs(const clv_body *body, clv_dart cell) {
  const clv_map *map = body->map;
  const clv_kind kind = clv_cell_shape(map, cell);
  const physics_section *section = physics_section_of(body, cell);
  const double asked = bulk_asked(&section->material, kind);
  const clv_column *ea = clv_column_find(map, "ea");
  const double *diagonal = cells_of(map, map->dimension == 2 ? "k_shear" : "k_diagonal", kind);
  if (asked >= 0 || !ea || !diagonal) return asked;
  const uint32_t row = clv_cell_row(map, cell), edges = edges_of(kind)->count;
  const double *edge = clv_column_data(ea, kind, NULL);
  physics_springs springs = {.diagonal = diagonal[row]};
  memcpy(springs.ea, edge + (size_t)row * edges, edges * sizeof *edge);
  solid s;
  read_solid(body, section, kind, row, &s);
  return bulk_beside(&s, &springs, asked);
}

void physics_fill(const clv_body *body) {
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_cell_rows(body->map, (clv_kind)kind)) fill_kind(body, (clv_kind)kind);
  fill_hinges(body);
}
