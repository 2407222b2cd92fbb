#include "support/hand_views.h"

#include "view/views.h"

typedef struct vec {
  dag_ref at[3];
} vec;

static const rule_tree pos_tree = {.kind = RULE_EMBED, .name = "pos"}, rest_tree = {.kind = RULE_EMBED, .name = "rest"},
                       vel_tree = {.kind = RULE_EMBED, .name = "vel"}, ea_tree = {.kind = RULE_EMBED, .name = "ea"},
                       rho_tree = {.kind = RULE_EMBED, .name = "rho"}, m_tree = {.kind = RULE_DERIVE, .name = "m"},
                       mass_tree = {.kind = RULE_DERIVE, .name = "mass"}, ks_tree = {.kind = RULE_DERIVE, .name = "ks"},
                       drift_tree = {.kind = RULE_UPDATE, .name = "drift"};

// Declarations of forces: only their identity matters.
static const rule_tree force_trees[16] = {
    {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE},
    {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE},
    {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE},
    {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE}, {.kind = RULE_FORCE}};

static const char *const corner_words[CLV_HEX + 1][8] = {
    [CLV_TRI] = {"", "0", "10"},
    [CLV_QUAD] = {"", "0", "010", "10"},
    [CLV_TET] = {"", "0", "10", "210"},
    [CLV_PYRAMID] = {"", "0", "010", "10", "210"},
    [CLV_PRISM] = {"", "0", "10", "210", "0210", "10210"},
    [CLV_HEX] = {"", "0", "010", "10", "210", "0210", "010210", "10210"},
};

typedef struct maker {
  clv_views *views;
  const clv_allocator *a;
  bool failed;
} maker;

#define PUSH(k, array, ...)                                                                                            \
  do {                                                                                                                 \
    if (BASE_RESERVE((k)->a, array, (uint64_t)(array)->count + 1))                                                     \
      (array)->data[(array)->count++] = __VA_ARGS__;                                                                   \
    else                                                                                                               \
      (k)->failed = true;                                                                                              \
  } while (0)

static uint16_t path(maker *k, law *l, const char *word) {
  law_path made = {0};
  for (; word[made.length]; made.length++) made.letter[made.length] = (uint8_t)(word[made.length] - '0');
  for (uint32_t p = 0; p < l->paths.count; p++)
    if (l->paths.data[p].length == made.length && !memcmp(l->paths.data[p].letter, made.letter, made.length))
      return (uint16_t)p;
  PUSH(k, &l->paths, made);
  return (uint16_t)(l->paths.count ? l->paths.count - 1 : 0);
}

static law *make(maker *k, const rule_tree *tree, const char *name, clv_orbit orbit, clv_kind kind) {
  law *l = base_allocate(k->a, sizeof *l);
  if (!l) {
    k->failed = true;
    return NULL;
  }
  *l = (law){.name = name,
             .tree = tree,
             .shape = {.kind = kind, .orbit = orbit, .dimension = (uint8_t)k->views->map->view.dimension}};
  dag_init(&l->graph, k->a);
  if (!BASE_RESERVE(k->a, &k->views->laws, (uint64_t)k->views->laws.count + 1)) {
    base_free(k->a, l, sizeof *l);
    k->failed = true;
    return NULL;
  }
  k->views->laws.data[k->views->laws.count++] = l;
  path(k, l, "");
  return l;
}

static dag_ref read(maker *k, law *l, const rule_tree *column, const char *word, uint8_t component, bool in_sum) {
  const law_read made = {column, path(k, l, word), component, in_sum};
  for (uint32_t r = 0; r < l->reads.count; r++) {
    const law_read *old = &l->reads.data[r];
    if (old->column == column && old->path == made.path && old->component == component && old->in_sum == in_sum)
      return dag_input(&l->graph, DAG_READ, r);
  }
  PUSH(k, &l->reads, made);
  return dag_input(&l->graph, DAG_READ, l->reads.count ? l->reads.count - 1 : 0);
}

static vec read_vec(maker *k, law *l, const rule_tree *column, const char *word) {
  vec v;
  for (uint8_t c = 0; c < 3; c++) v.at[c] = read(k, l, column, word, c, false);
  return v;
}

static uint32_t particle(maker *k, law *l, const char *word) {
  const uint16_t at = path(k, l, word);
  PUSH(k, &l->particles, at);
  return l->particles.count ? l->particles.count - 1 : 0;
}

static vec input(law *l, dag_op op, uint32_t number) {
  vec v;
  for (uint32_t c = 0; c < 3; c++) v.at[c] = dag_input(&l->graph, op, 3 * number + c);
  return v;
}

static vec minus(law *l, vec a, vec b) {
  for (uint32_t c = 0; c < 3; c++) a.at[c] = dag_sub(&l->graph, a.at[c], b.at[c]);
  return a;
}

static dag_ref dot(law *l, vec a, vec b) {
  dag_ref sum = dag_const(&l->graph, 0);
  for (uint32_t c = 0; c < 3; c++) sum = dag_add(&l->graph, sum, dag_mul(&l->graph, a.at[c], b.at[c]));
  return sum;
}

static dag_ref length(law *l, vec a, vec b) {
  const vec d = minus(l, a, b);
  return dag_unary(&l->graph, DAG_SQRT, dag_add(&l->graph, dot(l, d, d), dag_const(&l->graph, 1e-6)));
}

static dag_ref spring(maker *k, law *l, dag_ref stiffness, const char *a, const char *b) {
  const uint32_t p = particle(k, l, a), q = particle(k, l, b);
  const dag_ref now = length(l, input(l, DAG_POS, p), input(l, DAG_POS, q));
  const dag_ref rest = length(l, read_vec(k, l, &rest_tree, a), read_vec(k, l, &rest_tree, b));
  const dag_ref stretch = dag_sub(&l->graph, now, rest);
  return dag_mul(&l->graph, dag_mul(&l->graph, dag_const(&l->graph, 0.5), stiffness),
                 dag_mul(&l->graph, stretch, stretch));
}

static void guard(maker *k, law *l, law_test test, uint8_t dimension, const char *word, dag_ref value) {
  const law_guard made = {.test = (uint8_t)test, .dimension = dimension, .path = path(k, l, word), .value = value};
  PUSH(k, &l->guards, made);
}

// Forces

static void stretch(maker *k) {
  law *l = make(k, &force_trees[0], "stretch", CLV_EDGE, CLV_NONE);
  if (!l) return;
  dag *g = &l->graph;
  const dag_ref ks = read(k, l, &ks_tree, "", 0, false);
  l->energy = spring(k, l, ks, "", "0");
  const dag_ref mass = dag_add(g, read(k, l, &mass_tree, "", 0, false), read(k, l, &mass_tree, "0", 0, false));
  dag_ref rate = 0, bad = 0;
  if (!dag_rate(g, length(l, input(l, DAG_POS, 0), input(l, DAG_POS, 1)), &rate, &bad)) k->failed = true;
  l->dissipation =
      dag_mul(g, dag_unary(g, DAG_SQRT, dag_unary(g, DAG_ABS, dag_mul(g, mass, ks))), dag_mul(g, rate, rate));
}

static void shear(maker *k) {
  law *l = make(k, &force_trees[1], "shear", CLV_ORBIT(0, 1, 0, 0), CLV_NONE);
  if (l) l->energy = spring(k, l, dag_const(&l->graph, 2), "0", "10");
}

static void provot(maker *k) {
  law *l = make(k, &force_trees[2], "provot", CLV_ORBIT(0, 0, 1, 0), CLV_NONE);
  if (!l) return;
  guard(k, l, LAW_NOT_FREE, 2, "", 0);
  l->energy = spring(k, l, dag_const(&l->graph, 3), "10", "210");
}

static void hinge(maker *k) {
  law *l = make(k, &force_trees[3], "hinge", CLV_ORBIT(1, 0, 1, 0), CLV_NONE);
  if (!l) return;
  guard(k, l, LAW_NOT_FREE, 2, "", 0);
  const dag_ref one = dag_const(&l->graph, 1);
  const dag_ref sum = dag_add(&l->graph, spring(k, l, one, "10", "210"), spring(k, l, one, "010", "2010"));
  l->energy = dag_add(&l->graph, sum, spring(k, l, one, "", "0"));
}

static void across(maker *k) {
  const uint32_t n = k->views->map->view.dimension;
  law *l = make(k, &force_trees[4], "across", CLV_ORBIT(0, 0, 0, 0), CLV_NONE); // one for each dart
  if (!l) return;
  guard(k, l, LAW_NOT_FREE, (uint8_t)n, "", 0);
  const dag_ref rho =
      dag_add(&l->graph, read(k, l, &rho_tree, "", 0, false), read(k, l, &rho_tree, n == 3 ? "3" : "2", 0, false));
  l->energy = spring(k, l, rho, n == 3 ? "210" : "10", n == 3 ? "3210" : "210");
}

// The weight of the distance from the origin, over the template's quadrature.
static void solid(maker *k, clv_kind kind) {
  law *l = make(k, &force_trees[5], "solid", CLV_CELL, kind);
  if (!l) return;
  dag *g = &l->graph;
  const uint32_t corners = (uint32_t)clv_kind_corners(kind);
  l->quadrature = law_quadrature_points(kind);
  dag_ref square = dag_const(g, 0);
  for (uint32_t c = 0; c < corners; c++) particle(k, l, corner_words[kind][c]);
  for (uint32_t axis = 0; axis < 3; axis++) {
    dag_ref sum = dag_const(g, 0);
    for (uint32_t c = 0; c < corners; c++)
      sum = dag_add(g, sum, dag_mul(g, dag_input(g, DAG_QUAD, 1 + c), dag_input(g, DAG_POS, 3 * c + axis)));
    square = dag_add(g, square, dag_mul(g, sum, sum));
  }
  l->energy = dag_mul(g, dag_mul(g, dag_input(g, DAG_QUAD, 0), read(k, l, &rho_tree, "", 0, false)), square);
}

// The same push on every corner, along the normal of the first three.
static void pressure(maker *k, clv_kind kind) {
  law *l = make(k, &force_trees[6], "pressure", CLV_FACE, kind);
  if (!l) return;
  dag *g = &l->graph;
  const uint32_t corners = (uint32_t)clv_kind_corners(kind);
  l->oriented = l->external = true;
  guard(k, l, LAW_FREE, 3, "", 0);
  for (uint32_t c = 0; c < corners; c++) particle(k, l, corner_words[kind][c]);
  l->force = base_allocate(k->a, 3 * corners * sizeof *l->force);
  if (!l->force) {
    k->failed = true;
    return;
  }
  // The area vector of the polygon: the sum of cross products of neighbours.
  vec area = {{dag_const(g, 0), dag_const(g, 0), dag_const(g, 0)}};
  for (uint32_t c = 0; c < corners; c++) {
    const vec u = input(l, DAG_POS, c), v = input(l, DAG_POS, (c + 1) % corners);
    for (uint32_t axis = 0; axis < 3; axis++) {
      const uint32_t y = (axis + 1) % 3, z = (axis + 2) % 3;
      area.at[axis] = dag_add(g, area.at[axis], dag_sub(g, dag_mul(g, u.at[y], v.at[z]), dag_mul(g, u.at[z], v.at[y])));
    }
  }
  l->force_count = 3 * corners;
  for (uint32_t p = 0; p < 3 * corners; p++) l->force[p] = area.at[p % 3];
}

static void weight(maker *k) {
  law *l = make(k, &force_trees[7], "weight", CLV_VERTEX, CLV_NONE);
  if (!l) return;
  dag *g = &l->graph;
  particle(k, l, "");
  l->external = true;
  l->energy =
      dag_mul(g, dag_mul(g, dag_const(g, 9.81), read(k, l, &mass_tree, "", 0, false)), input(l, DAG_POS, 0).at[2]);
}

static void heavy(maker *k) {
  law *l = make(k, &force_trees[8], "heavy", CLV_EDGE, CLV_NONE);
  if (!l) return;
  dag *g = &l->graph;
  const dag_ref mass = dag_add(g, read(k, l, &mass_tree, "", 0, false), read(k, l, &mass_tree, "0", 0, false));
  guard(k, l, LAW_CONDITION, 0, "", dag_binary(g, DAG_LESS, dag_const(g, 0.3), mass));
  l->energy = spring(k, l, mass, "", "0");
}

// Derived quantities and the update

static void assign(maker *k, law *l, const rule_tree *column, const char *word, uint16_t component, dag_ref value) {
  const law_assign made = {.column = column, .path = path(k, l, word), .component = component, .value = value};
  PUSH(k, &l->assigns, made);
}

static void corner_mass(maker *k, clv_kind kind) {
  law *l = make(k, &m_tree, "m", CLV_CELL, kind);
  if (!l) return;
  dag *g = &l->graph;
  const uint32_t corners = (uint32_t)clv_kind_corners(kind);
  l->quadrature = law_quadrature_points(kind);
  l->unrolled = true;
  for (uint32_t c = 0; c < corners; c++) {
    dag_ref sum = dag_const(g, 0);
    for (uint32_t q = 0; q < l->quadrature; q++)
      sum = dag_add(
          g, sum,
          dag_mul(g, dag_input(g, DAG_QUAD, q * LAW_QUAD_DATA), dag_input(g, DAG_QUAD, q * LAW_QUAD_DATA + 1 + c)));
    assign(k, l, &m_tree, corner_words[kind][c], 0,
           dag_unary(g, DAG_ABS, dag_mul(g, read(k, l, &rho_tree, "", 0, false), sum)));
  }
}

static void vertex_mass(maker *k) {
  law *l = make(k, &mass_tree, "mass", CLV_VERTEX, CLV_NONE);
  if (!l) return;
  law_sum sum = {.orbit = CLV_CORNER, .width = 1};
  sum.value[0] = read(k, l, &m_tree, "", 0, true);
  PUSH(k, &l->sums, sum);
  assign(k, l, &mass_tree, "", 0, dag_input(&l->graph, DAG_SUM_INPUT, 0));
}

static void edge_stiffness(maker *k) {
  law *l = make(k, &ks_tree, "ks", CLV_EDGE, CLV_NONE);
  if (!l) return;
  dag *g = &l->graph;
  law_sum sum = {.orbit = CLV_CELL_EDGE, .width = 1};
  const dag_ref rest = length(l, read_vec(k, l, &rest_tree, ""), read_vec(k, l, &rest_tree, "0"));
  sum.value[0] = dag_div(g, read(k, l, &ea_tree, "", 0, true), rest);
  PUSH(k, &l->sums, sum);
  assign(k, l, &ks_tree, "", 0, dag_input(g, DAG_SUM_INPUT, 0));
}

static void drift(maker *k) {
  law *l = make(k, &drift_tree, "drift", CLV_VERTEX, CLV_NONE);
  if (!l) return;
  dag *g = &l->graph;
  const dag_ref mass = read(k, l, &mass_tree, "", 0, false);
  particle(k, l, "");
  for (uint16_t c = 0; c < 3; c++) {
    const dag_ref vel = dag_mul(g, dag_const(g, 0.5), dag_add(g, dag_input(g, DAG_VEL, c), mass));
    assign(k, l, &vel_tree, "", c, vel);
    assign(k, l, &pos_tree, "", c, dag_add(g, dag_input(g, DAG_POS, c), vel));
  }
}

static clv_result make_columns(clv_map *view) {
  const double one = 1;
  const clv_column_def defs[] = {
      {.name = "pos", .orbit = CLV_VERTEX, .components = 3, .create = CLV_CREATE_MEAN, .merge = CLV_MERGE_MEAN},
      {.name = "rest", .orbit = CLV_VERTEX, .components = 3, .create = CLV_CREATE_MEAN, .merge = CLV_MERGE_MEAN},
      {.name = "vel", .orbit = CLV_VERTEX, .components = 3, .create = CLV_CREATE_MEAN, .merge = CLV_MERGE_MEAN},
      {.name = "ea", .orbit = CLV_CELL_EDGE, .components = 1, .initial = &one, .merge = CLV_MERGE_SUM},
      {.name = "rho", .orbit = CLV_CELL, .components = 1, .initial = &one, .merge = CLV_MERGE_MEAN},
      {.name = "m", .orbit = CLV_CORNER, .components = 1},
      {.name = "mass", .orbit = CLV_VERTEX, .components = 1},
      {.name = "ks", .orbit = CLV_EDGE, .components = 1}};
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < sizeof defs / sizeof *defs; k++)
    if (!clv_column_find(view, defs[k].name)) result = clv_column_create(view, &defs[k], NULL);
  return result;
}

static void make_laws(maker *k) {
  const bool flat = k->views->map->view.dimension == 2;
  const clv_kind first = flat ? CLV_TRI : CLV_TET, last = flat ? CLV_QUAD : CLV_HEX;
  stretch(k);
  shear(k);
  provot(k);
  hinge(k);
  across(k);
  for (uint32_t kind = first; kind <= last; kind++) solid(k, (clv_kind)kind);
  if (!flat) pressure(k, CLV_TRI);
  if (!flat) pressure(k, CLV_QUAD);
  weight(k);
  heavy(k);
  vertex_mass(k); // before what it is made of: the views put them in order
  for (uint32_t kind = first; kind <= last; kind++) corner_mass(k, (clv_kind)kind);
  edge_stiffness(k);
  drift(k);
}

static bool make_kernels(clv_views *views, const clv_allocator *a) {
  clv_program *program = clv_program_create(a);
  bool done = program && BASE_RESERVE(a, &views->kernels, views->laws.count);
  for (uint32_t k = 0; done && k < views->laws.count; k++) {
    if (views->laws.data[k]->tree->kind != RULE_FORCE) continue;
    kernel *made = kernel_make(program, views->laws.data[k]);
    if (made) views->kernels.data[views->kernels.count++] = made;
    done = made != NULL;
  }
  clv_program_destroy(program);
  return done;
}

clv_views *hand_views(clv_map *view, const clv_views_def *def, clv_error *error) {
  clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while the laws are made");
  if (make_columns(view) != CLV_OK) return NULL;
  clv_views *views = views_new(view, def, error);
  if (!views) return NULL;
  views->own_laws = true;
  maker k = {views, &def->allocator, false};
  make_laws(&k);
  for (uint32_t n = 0; n < views->laws.count; n++) k.failed |= views->laws.data[n]->graph.no_memory;
  const bool made = !k.failed && BASE_RESERVE(k.a, &views->params, 1) && make_kernels(views, k.a);
  if (made && views_assemble(views) == CLV_OK) return views;
  if (made) clv_error_set(error, views->error.code, "%s", views->error.message);
  clv_views_destroy(views);
  return NULL;
}
