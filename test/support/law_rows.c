#include "support/law_rows.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

void law_random_rotation(random_source *source, double rotation[9]) {
  double q[4], length = 0;
  for (uint32_t k = 0; k < 4; k++) {
    q[k] = random_between(source, -1, 1) + (k == 0 ? 0.3 : 0);
    length += q[k] * q[k];
  }
  for (uint32_t k = 0; k < 4; k++) q[k] /= sqrt(length);
  const double w = q[0], x = q[1], y = q[2], z = q[3];
  const double turned[9] = {1 - 2 * (y * y + z * z), 2 * (x * y - w * z),     2 * (x * z + w * y),
                            2 * (x * y + w * z),     1 - 2 * (x * x + z * z), 2 * (y * z - w * x),
                            2 * (x * z - w * y),     2 * (y * z + w * x),     1 - 2 * (x * x + y * y)};
  memcpy(rotation, turned, sizeof turned);
}

static void transform(const double matrix[9], const double shift[3], double *point) {
  double result[3];
  for (uint32_t x = 0; x < 3; x++)
    result[x] = matrix[3 * x] * point[0] + matrix[3 * x + 1] * point[1] + matrix[3 * x + 2] * point[2] + shift[x];
  memcpy(point, result, sizeof result);
}

// Bodies

static void *room(size_t count, size_t size) {
  void *memory = calloc(count ? count : 1, size);
  assert_non_null(memory);
  return memory;
}

static void build_grid(law_body *body, clv_grid_kind kind, uint32_t cells, bool flat, random_source *source) {
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = kind;
  for (uint32_t axis = 0; axis < 3; axis++) grid.cells[axis] = cells, grid.size[axis] = cells;
  assert_int_equal(clv_mesh_grid(&mesh, &grid, NULL), CLV_OK);
  double askew[9];
  law_random_rotation(source, askew);
  const bool surface = clv_mesh_dimension(&mesh) == 2;
  for (size_t p = 0; p < mesh.point_count; p++) {
    double *point = mesh.points[p];
    for (uint32_t axis = 0; axis < 3; axis++)
      if (!surface || !flat || axis < 2) point[axis] += random_between(source, -0.13, 0.13);
    if (surface && !flat) point[2] += 0.3 * sin(point[0]) * cos(point[1] + 0.4);
    if (surface) transform(askew, (double[3]){0}, point);
  }
  const clv_build_def def = clv_default_build_def();
  assert_int_equal(clv_mesh_build(&mesh, &def, &body->map, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
}

static void move_body(law_body *body, random_source *source) {
  double moved[9], shift[3];
  law_random_rotation(source, moved);
  for (uint32_t e = 0; e < 9; e++) moved[e] = 1.1 * moved[e] + random_between(source, -0.15, 0.15);
  for (uint32_t x = 0; x < 3; x++) shift[x] = random_between(source, -1, 1);
  for (uint32_t v = 0; v < body->slots; v++) {
    memcpy(body->pos[v], body->rest[v], sizeof body->pos[v]);
    transform(moved, shift, body->pos[v]);
    for (uint32_t x = 0; x < 3; x++) {
      body->pos[v][x] += random_between(source, -0.08, 0.08);
      body->vel[v][x] = random_between(source, -1, 1);
    }
  }
}

void law_body_make(law_body *body, clv_grid_kind kind, uint32_t cells, bool flat, uint64_t seed) {
  random_source source = {seed};
  *body = (law_body){0};
  build_grid(body, kind, cells, flat, &source);
  body->slots = clv_id_slots(body->map, CLV_VERTEX);
  body->rest = room(body->slots, sizeof *body->rest);
  body->pos = room(body->slots, sizeof *body->pos);
  body->vel = room(body->slots, sizeof *body->vel);
  const clv_column *position = clv_column_find(body->map, "pos");
  assert_non_null(position);
  for (clv_dart d = clv_dart_next(body->map, 0); d; d = clv_dart_next(body->map, d))
    memcpy(body->rest[clv_id_of(body->map, CLV_VERTEX, d).index], clv_column_at(position, d), 3 * sizeof(double));
  move_body(body, &source);
  for (uint32_t k = 0; k < LAW_ROW_PARAMS; k++) body->params[k] = random_between(&source, 0.5, 1.5);
}

void law_body_copy(law_body *copy, const law_body *body) {
  *copy = *body;
  const size_t size = body->slots * sizeof *body->rest;
  copy->rest = memcpy(room(body->slots, sizeof *body->rest), body->rest, size);
  copy->pos = memcpy(room(body->slots, sizeof *body->pos), body->pos, size);
  copy->vel = memcpy(room(body->slots, sizeof *body->vel), body->vel, size);
}

void law_body_free_copy(law_body *copy) {
  free(copy->rest);
  free(copy->pos);
  free(copy->vel);
}

void law_body_free(law_body *body) {
  law_body_free_copy(body);
  clv_map_destroy(body->map);
}

void law_body_turn(law_body *body, const double rotation[9], const double shift[3], bool rest) {
  for (uint32_t v = 0; v < body->slots; v++) {
    transform(rotation, shift, body->pos[v]);
    transform(rotation, (double[3]){0}, body->vel[v]);
    if (rest) transform(rotation, shift, body->rest[v]);
  }
}

// Places

// Every dart of the template, seen from `base` as from dart 0. False where the cell or face does not look so from
// there.
static bool lay_template(const law_body *body, const law_shape *place, clv_dart base, clv_dart *darts) {
  const clv_template *shape = &clv_templates[place->kind];
  uint8_t queue[CLV_TEMPLATE_DARTS] = {0};
  uint32_t end = 1;
  memset(darts, 0, CLV_TEMPLATE_DARTS * sizeof *darts);
  darts[0] = base;
  for (uint32_t at = 0; at < end; at++)
    for (uint32_t i = 0; i < shape->dimension; i++) {
      const uint8_t next = shape->alpha[i][queue[at]];
      const clv_dart there = clv_alpha(body->map, darts[queue[at]], i);
      if (!darts[next]) queue[end++] = next;
      if (darts[next] && darts[next] != there) return false;
      darts[next] = there;
    }
  for (uint32_t a = 0; a < shape->dart_count; a++)
    for (uint32_t b = 0; b < a; b++)
      if (darts[a] == darts[b]) return false;
  return true;
}

static void lay_corners(const law_body *body, const law_row *row, const clv_dart *darts, double (*corners)[3]) {
  const clv_template *shape = &clv_templates[row->law->shape.kind];
  const clv_suborbits *sub = &shape->sub[shape->dimension == 2 ? 2 : 6];
  for (uint32_t d = 0; d < shape->dart_count; d++) {
    const uint32_t vertex = clv_id_of(body->map, CLV_VERTEX, darts[d]).index;
    memcpy(corners[sub->of[d]], body->rest[vertex], 3 * sizeof(double));
  }
}

static clv_dart walk(const law_body *body, const law *l, uint32_t path, clv_dart dart) {
  const law_path *way = &l->paths.data[path];
  for (uint32_t k = 0; k < way->length; k++) dart = clv_alpha(body->map, dart, way->letter[k]);
  return dart;
}

static bool guards_hold(const law_body *body, const law *l, clv_dart base) {
  for (uint32_t k = 0; k < l->guards.count; k++) {
    const law_guard *guard = &l->guards.data[k];
    // The library's conditions ask for a stiffness above 0, and column_value gives no other.
    if (guard->test == LAW_CONDITION) continue;
    if (guard->test != LAW_FREE && guard->test != LAW_NOT_FREE)
      fail_msg("%s has a guard of another sort: say here what it means", l->name);
    const bool free = clv_is_free(body->map, walk(body, l, guard->path, base), guard->dimension);
    if (free != (guard->test == LAW_FREE)) return false;
  }
  return true;
}

// A number that belongs to a column, an orbit and a component.
static double column_value(const law_body *body, const law_read *read, clv_dart dart) {
  random_source source = {read->component};
  for (const char *at = read->column->name; *at; at++) source.state = random_next(&source) ^ (unsigned char)*at;
  if (!body->uniform) {
    clv_walk orbit;
    clv_dart least = dart;
    const clv_orbit dims = law_column_orbit(read->column, body->map->dimension);
    assert_int_equal(clv_walk_orbit(&orbit, body->map, dims, dart), CLV_OK);
    for (uint32_t k = 0; k < orbit.count; k++)
      if (orbit.darts[k] < least) least = orbit.darts[k];
    clv_walk_end(&orbit);
    source.state = random_next(&source) ^ least;
  }
  return random_between(&source, 0.5, 1.5);
}

static double read_value(const law_body *body, const law *l, uint32_t k, clv_dart base) {
  const law_read *read = &l->reads.data[k];
  const clv_dart dart = walk(body, l, read->path, base);
  const uint32_t vertex = clv_id_of(body->map, CLV_VERTEX, dart).index;
  return strcmp(read->column->name, "rest") == 0 ? body->rest[vertex][read->component] : column_value(body, read, dart);
}

static void take_particle(const law_body *body, law_row *row, uint32_t p, random_source *source) {
  const uint32_t vertex =
      clv_id_of(body->map, CLV_VERTEX, walk(body, row->law, row->law->particles.data[p], row->base)).index;
  row->vertex[p] = vertex;
  for (uint32_t x = 0; x < 3; x++) {
    row->rest[3 * p + x] = body->rest[vertex][x];
    row->state.pos[3 * p + x] = body->pos[vertex][x];
    row->state.vel[3 * p + x] = body->vel[vertex][x];
    row->state.dpos[3 * p + x] = random_between(source, -1, 1);
    row->state.dvel[3 * p + x] = random_between(source, -1, 1);
  }
}

static bool is_cell(const law_body *body, const law *l, clv_dart base) {
  return l->shape.orbit != CLV_CELL || clv_cell_kind(body->map, base) == l->shape.kind;
}

bool law_row_make(const law_body *body, const law *l, clv_dart base, law_row *row) {
  clv_dart darts[CLV_TEMPLATE_DARTS] = {0};
  random_source source = {base};
  *row = (law_row){.law = l, .base = base};
  if (l->shape.kind != CLV_NONE && (!is_cell(body, l, base) || !lay_template(body, &l->shape, base, darts)))
    return false;
  if ((l->oriented && clv_side(body->map, base)) || !guards_hold(body, l, base)) return false;
  memcpy(row->params, body->params, sizeof row->params);
  for (uint32_t p = 0; p < l->particles.count; p++) take_particle(body, row, p, &source);
  assert_true(l->reads.count <= LAW_ROW_READS);
  for (uint32_t k = 0; k < l->reads.count; k++) row->reads[k] = read_value(body, l, k, base);
  if (l->quadrature) {
    double corners[8][3];
    lay_corners(body, row, darts, corners);
    law_quadrature(l->shape.kind, (const double(*)[3])corners, row->quad);
  }
  return true;
}

uint32_t law_row_bases(const law_body *body, const law_row *row, clv_dart *darts) {
  clv_walk orbit;
  law_row other;
  uint32_t count = 0;
  assert_int_equal(clv_walk_orbit(&orbit, body->map, row->law->shape.orbit, row->base), CLV_OK);
  assert_true(orbit.count <= CLV_WALK_INLINE);
  for (uint32_t k = 0; k < orbit.count; k++)
    if (law_row_make(body, row->law, orbit.darts[k], &other)) darts[count++] = orbit.darts[k];
  clv_walk_end(&orbit);
  return count;
}

// Kernels

typedef struct slab {
  uint32_t *places;
  double *constants, *pos, *vel, *dpos, *dvel, *out, *energy, *matrix;
} slab;

static void fill_place(const kernel *k, const law_state *state, uint32_t row, slab *s) {
  for (uint32_t p = 0; p < k->particles; p++) {
    const uint32_t place = row * k->particles + p;
    s->places[(size_t)(row / KERNEL_LANES * k->particles + p) * KERNEL_LANES + row % KERNEL_LANES] =
        KERNEL_STRIDE * place;
    for (uint32_t x = 0; x < 3; x++) {
      s->pos[place * KERNEL_STRIDE + x] = state->pos[3 * p + x];
      s->vel[place * KERNEL_STRIDE + x] = state->vel[3 * p + x];
      s->dpos[place * KERNEL_STRIDE + x] = state->dpos[3 * p + x];
      s->dvel[place * KERNEL_STRIDE + x] = state->dvel[3 * p + x];
    }
  }
}

static void take_results(const kernel *k, kernel_kind kind, const slab *s, uint32_t count, double *results) {
  const uint32_t n = 3 * k->particles, size = kind == KERNEL_ENERGY ? 1 : kind < KERNEL_STIFFNESS ? n : n * n;
  for (uint32_t row = 0; row < count; row++)
    for (uint32_t e = 0; e < size; e++) {
      const size_t at = ((size_t)(row / KERNEL_LANES) * size + e) * KERNEL_LANES + row % KERNEL_LANES;
      results[(size_t)row * size + e] = kind == KERNEL_ENERGY     ? s->energy[row]
                                        : kind < KERNEL_STIFFNESS ? s->out[(row * n + e) / 3 * KERNEL_STRIDE + e % 3]
                                                                  : s->matrix[at];
    }
}

void law_rows_run(const kernel *k, kernel_kind kind, const law_row *const *rows, const law_state *const *states,
                  uint32_t count, double *results) {
  const uint32_t padded = (count + KERNEL_LANES - 1) / KERNEL_LANES * KERNEL_LANES, n = 3 * k->particles;
  const size_t places = (size_t)padded * k->particles, constants = kernel_constants(k);
  const size_t entries = kind < KERNEL_STIFFNESS ? 0 : (size_t)padded * n * n;
  double *memory = room(5 * places * KERNEL_STRIDE + padded * (constants + 1) + entries, sizeof *memory), *at = memory;
  slab s = {.places = room(places, sizeof *s.places)};
  double **const arrays[] = {&s.pos, &s.vel, &s.dpos, &s.dvel, &s.out};
  for (uint32_t a = 0; a < 5; a++, at += places * KERNEL_STRIDE) *arrays[a] = at;
  s.constants = at;
  s.energy = at + padded * constants;
  s.matrix = s.energy + padded;
  for (uint32_t row = 0; row < padded; row++) {
    const uint32_t from = row < count ? row : count - 1; // a batch that is not full repeats its last row
    double *to = s.constants + row / KERNEL_LANES * constants * KERNEL_LANES + row % KERNEL_LANES;
    fill_place(k, states[from], row, &s);
    if (row % KERNEL_LANES && rows[from] == rows[row - 1 < count ? row - 1 : count - 1])
      for (size_t c = 0; c < constants; c++) to[c * KERNEL_LANES] = (to - 1)[c * KERNEL_LANES];
    else
      kernel_hoist(k, rows[from]->params, rows[from]->reads, (const double(*)[LAW_QUAD_DATA])rows[from]->quad, to);
  }
  const kernel_args args = {count,  s.places, s.constants, rows[0]->params, s.pos,   s.vel,
                            s.dpos, s.dvel,   s.out,       s.energy,        s.matrix};
  kernel_run(k, kind, &args);
  take_results(k, kind, &s, count, results);
  free(s.places);
  free(memory);
}

void law_row_run(const kernel *k, kernel_kind kind, const law_row *row, const law_state *states, uint32_t count,
                 double *results) {
  const law_row **rows = room(count, sizeof *rows);
  const law_state **each = room(count, sizeof *each);
  for (uint32_t j = 0; j < count; j++) rows[j] = row, each[j] = &states[j];
  law_rows_run(k, kind, rows, each, count, results);
  free(rows);
  free(each);
}

void law_row_get(const kernel *k, kernel_kind kind, const law_row *row, double *results) {
  law_row_run(k, kind, row, &row->state, 1, results);
}

// The oracle

static void plan_roots(const dag *graph, law_plan *plan) {
  bool *needed = room(graph->nodes.count, sizeof *needed);
  for (uint32_t k = 0; k < plan->root_count; k++) needed[plan->roots[k]] = true;
  for (dag_ref ref = graph->nodes.count - 1; ref > 0; ref--) {
    const dag_node *node = &graph->nodes.data[ref];
    if (!needed[ref]) continue;
    const dag_ref *arguments = node->op == DAG_TUPLE ? graph->tuples.data + node->arg[0] : node->arg;
    const uint32_t count = node->op == DAG_TUPLE ? node->count : dag_arity((dag_op)node->op);
    for (uint32_t k = 0; k < count; k++) needed[arguments[k]] = true;
    if (node->op == DAG_PART) needed[node->arg[0]] = true;
    if (node->op == DAG_ROTATION) needed[node->arg[0]] = true;
    plan->node_count++;
  }
  plan->nodes = room(plan->node_count, sizeof *plan->nodes);
  plan->node_count = 0;
  for (dag_ref ref = 1; ref < graph->nodes.count; ref++)
    if (needed[ref]) plan->nodes[plan->node_count++] = ref;
  free(needed);
}

void law_oracle_make(law_oracle *oracle, const law *l) {
  const uint32_t axes = 3 * l->particles.count;
  dag_ref slopes[2][KERNEL_AXES], bad;
  *oracle = (law_oracle){.law = l};
  dag *g = &oracle->graph;
  dag_init(g, &l->graph.allocator);
  law_plan *values = &oracle->values, *forces = &oracle->forces;
  dag_ref roots[KERNEL_AXES + 2] = {l->energy, l->dissipation};
  for (uint32_t k = 0; l->force && k < axes; k++) roots[2 + k] = l->force[k];
  const dag_ref zero = dag_const(g, 0);
  assert_true(dag_copy(g, &l->graph, roots, axes + 2, values->roots, false));
  for (uint32_t k = 0; k < axes + 2; k++)
    if (!values->roots[k]) values->roots[k] = zero;
  values->root_count = axes + 2;
  assert_true(dag_gradient(g, values->roots[0], DAG_POS, axes, slopes[0], &bad));
  assert_true(dag_gradient(g, values->roots[1], DAG_VEL, axes, slopes[1], &bad));
  for (uint32_t k = 0; k < axes; k++)
    forces->roots[k] = dag_sub(g, dag_sub(g, values->roots[2 + k], slopes[0][k]), slopes[1][k]);
  forces->root_count = axes;
  assert_false(g->no_memory);
  plan_roots(g, values);
  plan_roots(g, forces);
  oracle->scratch = room(g->nodes.count, sizeof *oracle->scratch);
  oracle->held = room((size_t)g->nodes.count * LAW_QUADRATURE, sizeof *oracle->held);
}

void law_oracle_free(law_oracle *oracle) {
  free(oracle->values.nodes);
  free(oracle->forces.nodes);
  free(oracle->scratch);
  free(oracle->held);
  dag_free(&oracle->graph);
}

static double input(const law_row *row, const law_state *state, uint32_t point, const dag_node *node) {
  switch (node->op) {
  case DAG_CONST:
    return node->value;
  case DAG_PARAM:
    return row->params[node->index];
  case DAG_READ:
    return row->reads[node->index];
  case DAG_QUAD:
    return row->quad[point + node->index / LAW_QUAD_DATA][node->index % LAW_QUAD_DATA];
  case DAG_POS:
    return state->pos[node->index];
  case DAG_VEL:
    return state->vel[node->index];
  default:
    fail_msg("a law has no input %d", node->op);
  }
  return 0;
}

// A part asks for the whole rotation again: slow, and simple.
static double rotation_part(const dag *g, const double *values, const dag_node *part) {
  const dag_node *rotation = &g->nodes.data[part->arg[0]], *tuple = &g->nodes.data[rotation->arg[0]];
  double matrix[9] = {0}, turned[9] = {0};
  for (uint32_t k = 0; k < tuple->count; k++) matrix[k] = values[g->tuples.data[tuple->arg[0] + k]];
  dag_rotation_of(matrix, rotation->count, turned);
  return turned[part->index];
}

static double node_value(const law_oracle *oracle, const dag_node *node) {
  const double *values = oracle->scratch;
  if (node->op == DAG_PART) return rotation_part(&oracle->graph, values, node);
  if (node->op == DAG_ROTATION || node->op == DAG_TUPLE) return 0;
  return dag_apply((dag_op)node->op, values[node->arg[0]], values[node->arg[1]], values[node->arg[2]]);
}

static void run_point(law_oracle *oracle, const law_plan *plan, const law_row *row, const law_state *state,
                      uint32_t point, law_holding holding) {
  double *held = oracle->held + (size_t)point * oracle->graph.nodes.count;
  for (uint32_t k = 0; k < plan->node_count; k++) {
    const dag_ref ref = plan->nodes[k];
    const dag_node *node = &oracle->graph.nodes.data[ref];
    double *to = &oracle->scratch[ref];
    if (node->op <= DAG_SUM_INPUT)
      *to = input(row, state, point, node);
    else if (node->op == DAG_HOLD && holding == LAW_FROZEN)
      *to = held[ref];
    else
      *to = node_value(oracle, node);
    if (node->op == DAG_HOLD) held[ref] = *to;
  }
}

void law_oracle_run(law_oracle *oracle, const law_plan *plan, const law_row *row, const law_state *state,
                    law_holding holding, double *results) {
  const law *l = oracle->law;
  const uint32_t points = l->quadrature && !l->unrolled ? l->quadrature : 1;
  memset(results, 0, plan->root_count * sizeof *results);
  for (uint32_t point = 0; point < points; point++) {
    run_point(oracle, plan, row, state, point, holding);
    for (uint32_t k = 0; k < plan->root_count; k++) results[k] += oracle->scratch[plan->roots[k]];
  }
}
