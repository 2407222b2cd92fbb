// Checks D and Y, on the finished law.
//
// D: the law is differentiated as its kernels will be, once for forces and once for stiffness, and a node that stops it
// is found where it was written.
//
// Y: the law is made again from other darts of the same orbit and both are evaluated on the same random inputs. An
// input is a function of what it is (which column, at which orbit), so the same vertex moves the same way from wherever
// it was reached. Energies, forces per vertex, guards and assigned values must agree. Generators are enough: if a law
// is the same from x and from x@i for every letter i of the orbit, it is the same from all of it. On a template, the
// generators are of the group of its symmetries; for `oriented` laws of those that keep the side.
//
// On the way: forces must add up to nothing, unless the law says that they come from outside.

#include "rule/elaborate.h"

#include <math.h>
#include <stdio.h>

enum { TRIALS = 8, MOVES = 24 };

// A law that was made, and what comes out of it.
typedef struct made_law {
  law_maker maker;
  dag_ref *roots;              // energy, dissipation, 3 forces per particle, then conditions, assigned values, sums
  uint32_t root_count, summed; // the first `summed` are added over points
} made_law;

static void free_made(made_law *made) {
  const clv_allocator *memory = &made->maker.program->arena.allocator;
  base_free(memory, made->roots, made->root_count * sizeof *made->roots);
  law_destroy(made->maker.law, memory);
  law_maker_free(&made->maker);
}

// D

static bool stopped_at(law_maker *m, dag_ref node) {
  if (node)
    LAW_COMPLAIN(m, 'D', m->graph->nodes.data[node].span, "this cannot be differentiated|put it in hold(...)");
  else if (m->graph->nodes.count >= DAG_NODES - 1)
    LAW_COMPLAIN(m, 'F', m->law->tree->span, "the law's derivatives grow too large|split it into several laws");
  else
    m->program->no_memory = m->failed = true;
  return false;
}

static bool check_dependence(law_maker *m) {
  const law *l = m->law;
  const uint32_t on_velocity = 1u << DAG_VEL;
  if (l->energy && dag_depends(m->graph, l->energy) & on_velocity)
    LAW_COMPLAIN(m, 'D', m->energy_tree->span, "this energy depends on velocities|that is a dissipation, or a force");
  if (l->dissipation && !(dag_depends(m->graph, l->dissipation) & on_velocity))
    LAW_COMPLAIN(m, 'D', m->dissipation_tree->span,
                 "this dissipation does not depend on velocities|it is differentiated by them; use rate(...)");
  return !m->failed;
}

// Forces: what is pushed, less the slopes of energy and dissipation.
static bool total_forces(law_maker *m, dag_ref *forces) {
  const law *l = m->law;
  const uint32_t count = 3 * l->particles.count;
  dag_ref slopes[3 * LAW_PARTICLES], bad = 0;
  for (uint32_t k = 0; k < count; k++) forces[k] = l->force && l->force[k] ? l->force[k] : dag_const(m->graph, 0);
  for (uint32_t part = 0; part < 2; part++) {
    const dag_ref root = part ? l->dissipation : l->energy;
    if (!root) continue;
    if (!dag_gradient(m->graph, root, part ? DAG_VEL : DAG_POS, count, slopes, &bad)) return stopped_at(m, bad);
    for (uint32_t k = 0; k < count; k++) forces[k] = dag_sub(m->graph, forces[k], slopes[k]);
  }
  return true;
}

static bool check_tangents(law_maker *m, const dag_ref *forces) {
  dag_ref tangents[3 * LAW_PARTICLES], bad = 0;
  const uint32_t count = 3 * m->law->particles.count;
  return (dag_tangent(m->graph, forces, count, DAG_POS, DAG_DPOS, tangents, &bad) &&
          dag_tangent(m->graph, forces, count, DAG_VEL, DAG_DVEL, tangents, &bad)) ||
         stopped_at(m, bad);
}

static bool collect_roots(made_law *made) {
  law_maker *m = &made->maker;
  law *l = m->law;
  dag_ref forces[3 * LAW_PARTICLES];
  const uint32_t force_count = l->tree->kind == RULE_FORCE ? 3 * l->particles.count : 0;
  if (force_count && !total_forces(m, forces)) return false;
  const uint32_t count = 2 + force_count + l->guards.count + l->assigns.count + 9 * l->sums.count;
  made->roots = base_allocate(&m->program->arena.allocator, count * sizeof *made->roots);
  if (!made->roots) {
    m->program->no_memory = true;
    return false;
  }
  made->root_count = count;
  made->summed = 2 + force_count;
  dag_ref *at = made->roots;
  *at++ = l->energy;
  *at++ = l->dissipation;
  for (uint32_t k = 0; k < force_count; k++) *at++ = forces[k];
  for (uint32_t k = 0; k < l->guards.count; k++) *at++ = l->guards.data[k].value;
  for (uint32_t k = 0; k < l->assigns.count; k++) *at++ = l->assigns.data[k].value;
  for (uint32_t k = 0; k < 9 * l->sums.count; k++) *at++ = l->sums.data[k / 9].value[k % 9];
  return true;
}

// Inputs

typedef struct input_source {
  const law_maker *maker;
  uint32_t trial, point;
  double beyond; // all numbers that the law names
  double quad[LAW_QUADRATURE][LAW_QUAD_DATA];
} input_source;

static uint64_t mix(uint64_t hash, uint64_t with) {
  hash = (hash ^ with) * UINT64_C(0x9E3779B97F4A7C15);
  hash = (hash ^ hash >> 29) * UINT64_C(0xBF58476D1CE4E5B9);
  return hash ^ hash >> 32;
}

// A number in 0 .. 1 that belongs to a thing.
static double draw(uint32_t trial, uint32_t sort, const law_dart *key, uint32_t number) {
  uint64_t hash = mix(mix(mix(trial + 1, sort), key ? 1u + key->local + 64u * key->origin : 0), number);
  if (key)
    for (uint32_t k = 0; k < key->length; k++) hash = mix(hash, 1u + key->letter[k]);
  return (double)(mix(hash, 7) >> 11) * 0x1p-53;
}

enum { DRAW_REST, DRAW_MOVE, DRAW_VEL, DRAW_PARAM, DRAW_SUM, DRAW_COLUMN };

static const double reference_corners[CLV_TEMPLATE_LAST + 1][8][3] = {
    [CLV_TRI] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}},
    [CLV_QUAD] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}},
    [CLV_TET] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}},
    [CLV_PYRAMID] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0.5, 0.5, 1}},
    [CLV_PRISM] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {0, 1, 1}},
    [CLV_HEX] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}, {0, 1, 1}},
};

// A vertex at rest: near its place in the reference shape, or anywhere. By the key as the template numbers it.
static double rest_of(const input_source *from, const law_dart *key, uint32_t axis) {
  const law_maker *m = from->maker;
  const double noise = draw(from->trial, DRAW_REST, key, axis) - 0.5;
  if (!m->shape || key->origin || key->length) return 3 * noise;
  const uint32_t corner = m->shape->sub[m->inner & CLV_VERTEX].of[key->local];
  return reference_corners[m->law->shape.kind][corner][axis] + 0.3 * noise;
}

static double position_of(const input_source *from, const law_dart *key, uint32_t axis) {
  return 1.1 * rest_of(from, key, axis) + 0.4 * (draw(from->trial, DRAW_MOVE, key, axis) - 0.5);
}

// Values of columns and parameters. Most laws are about positive ones; but a condition may ask for the sign, or compare
// with some number: two trials go beyond all that the law names, up and down.
static double spread(const input_source *from, double value) {
  static const double size[TRIALS] = {0, 0, 1, 10, 100, 10000, 10, 1};
  if (from->trial + 2 >= TRIALS && from->beyond > 1) return (from->trial % 2 ? 1 : -1) * from->beyond * (1 + value);
  return size[from->trial] > 0 ? size[from->trial] * (2 * value - 1) : 0.5 + value;
}

static double largest_number(const dag *graph) {
  double largest = 0;
  for (uint32_t k = 0; k < graph->nodes.count; k++) {
    const dag_node *node = &graph->nodes.data[k];
    if (node->op == DAG_CONST && fabs(node->value) < 1e15) largest = fmax(largest, fabs(node->value));
  }
  return largest;
}

static double column_value(const input_source *from, uint32_t index) {
  const law_read *read = &from->maker->law->reads.data[index];
  const law_dart *key = &from->maker->read_keys.data[index];
  const char *name = read->column->name, *type = read->column->child[0]->name;
  if (law_is(name, "rest")) return rest_of(from, key, read->component);
  if (law_is(name, "pos")) return position_of(from, key, read->component);
  if (law_is(name, "vel")) return draw(from->trial, DRAW_VEL, key, read->component) - 0.5;
  const rule_span span = read->column->span;
  const double value = draw(from->trial, DRAW_COLUMN + span.start * 16 + span.file, key, read->component);
  if (law_is(type, "bool")) return value < 0.5;
  return law_is(type, "int") ? floor(4 * spread(from, value)) : spread(from, value);
}

static double read_input(void *user, dag_op op, uint32_t index) {
  const input_source *from = user;
  const law_maker *m = from->maker;
  switch (op) {
  case DAG_PARAM:
    return spread(from, draw(from->trial, DRAW_PARAM, NULL, index));
  case DAG_SUM_INPUT:
    return spread(from, draw(from->trial, DRAW_SUM, NULL, index));
  case DAG_READ:
    return column_value(from, index);
  case DAG_POS:
    return position_of(from, &m->particle_keys[index / 3], index % 3);
  case DAG_VEL:
    return draw(from->trial, DRAW_VEL, &m->particle_keys[index / 3], index % 3) - 0.5;
  case DAG_QUAD:
    if (m->law->unrolled) return from->quad[index / LAW_QUAD_DATA][index % LAW_QUAD_DATA];
    return from->quad[from->point][index];
  default:
    return 0;
  }
}

static void set_points(input_source *from) {
  const law_maker *m = from->maker;
  double rest[8][3];
  if (!m->law->quadrature) return;
  for (uint32_t c = 0; c < m->shape->corner_count; c++) {
    const law_value corner = law_corner(m, c);
    const law_dart key = law_dart_key(m, corner.dart, law_dims(CLV_VERTEX, m->dimension));
    for (uint32_t axis = 0; axis < 3; axis++) rest[c][axis] = rest_of(from, &key, axis);
  }
  law_quadrature(m->law->shape.kind, (const double(*)[3])rest, from->quad);
}

// Everything that comes out of a law, on the inputs of one trial.
static bool evaluate_made(const made_law *made, uint32_t trial, double beyond, double *results) {
  const law_maker *m = &made->maker;
  const clv_allocator *memory = &m->program->arena.allocator;
  const uint32_t nodes = m->graph->nodes.count, count = made->root_count;
  double *scratch = base_allocate(memory, (nodes + count) * sizeof *scratch);
  if (!scratch) {
    m->program->no_memory = true;
    return false;
  }
  input_source from = {.maker = m, .trial = trial, .beyond = beyond};
  set_points(&from);
  const uint32_t points = m->law->quadrature && !m->law->unrolled ? m->law->quadrature : 1;
  for (uint32_t p = 0; p < points; p++) {
    double *now = scratch + nodes;
    from.point = p;
    dag_evaluate(m->graph, made->roots, count, read_input, &from, scratch, now);
    for (uint32_t k = 0; k < count; k++) results[k] = p && k < made->summed ? results[k] + now[k] : now[k];
  }
  base_free(memory, scratch, (nodes + count) * sizeof *scratch);
  return true;
}

// Comparing

static bool differ(double a, double b, double scale) {
  if (isnan(a) || isnan(b)) return false; // nothing is known at these inputs
  if (isinf(a) || isinf(b)) return a != b;
  return fabs(a - b) > 1e-9 * fmax(scale, fmax(fabs(a), fabs(b)));
}

static bool forces_differ(const made_law *a, const double *x, const made_law *b, const double *y) {
  const uint32_t count_a = (a->summed - 2) / 3, count_b = (b->summed - 2) / 3;
  double scale = 0;
  for (uint32_t k = 2; k < a->summed; k++) scale = fmax(scale, fabs(x[k]));
  for (uint32_t p = 0; p < count_a + count_b; p++) {
    const bool second = p >= count_a;
    const law_dart *key = second ? &b->maker.particle_keys[p - count_a] : &a->maker.particle_keys[p];
    uint32_t q = 0;
    const uint32_t count = second ? count_a : count_b;
    const law_dart *keys = second ? a->maker.particle_keys : b->maker.particle_keys;
    while (q < count && !law_dart_equal(key, &keys[q])) q++;
    for (uint32_t axis = 0; axis < 3; axis++) {
      const double mine = second ? y[2 + 3 * (p - count_a) + axis] : x[2 + 3 * p + axis];
      const double other = q == count ? 0 : second ? x[2 + 3 * q + axis] : y[2 + 3 * q + axis];
      if (differ(mine, other, scale)) return true;
    }
  }
  return false;
}

static bool guards_differ(const made_law *a, const double *x, const made_law *b, const double *y) {
  const law_maker *m = &a->maker, *n = &b->maker;
  if (m->known_count != n->known_count || m->law->guards.count != n->law->guards.count) return true;
  for (uint32_t k = 0; k < m->known_count; k++) {
    bool found = false;
    for (uint32_t j = 0; j < n->known_count && !found; j++)
      found = m->known[k].dimension == n->known[j].dimension && m->known[k].free == n->known[j].free &&
              law_dart_equal(&m->known[k].dart, &n->known[j].dart);
    if (!found) return true;
  }
  for (uint32_t k = 0; k < m->law->guards.count; k++)
    if (differ(x[a->summed + k], y[b->summed + k], 0)) return true;
  return false;
}

// The first assigned value that differs, or the number of all.
static uint32_t find_assign(const made_law *a, const double *x, const made_law *b, const double *y) {
  const law *l = a->maker.law, *o = b->maker.law;
  const double *mine = x + a->summed + l->guards.count, *other = y + b->summed + o->guards.count;
  for (uint32_t k = 0; k < l->assigns.count; k++) {
    const law_assign *one = &l->assigns.data[k];
    bool found = false;
    for (uint32_t j = 0; j < o->assigns.count && !found; j++) {
      const law_assign *two = &o->assigns.data[j];
      found = one->column == two->column && one->component == two->component &&
              law_dart_equal(&a->maker.path_keys.data[one->path], &b->maker.path_keys.data[two->path]) &&
              !differ(mine[k], other[j], 0);
    }
    if (!found && !isnan(mine[k])) return k;
  }
  return l->assigns.count;
}

static uint32_t find_sum(const made_law *a, const double *x, const made_law *b, const double *y) {
  const law *l = a->maker.law, *o = b->maker.law;
  const double *mine = x + a->summed + l->guards.count + l->assigns.count;
  const double *other = y + b->summed + o->guards.count + o->assigns.count;
  for (uint32_t k = 0; k < 9 * l->sums.count; k++)
    if (l->sums.count != o->sums.count || differ(mine[k], other[k], 0)) return k / 9;
  return l->sums.count;
}

static bool report(const made_law *a, rule_span span, const char *what, const char *from) {
  rule_complain(
      a->maker.program, 'Y', span,
      "%s depends on the dart that one starts from|from %s it is another; use all darts of the orbit alike, or "
      "call the law oriented if only the side matters",
      what, from);
  return false;
}

static bool compare_made(const made_law *a, const double *x, const made_law *b, const double *y, const char *from) {
  const law_maker *m = &a->maker;
  const rule_tree *tree = m->law->tree;
  if (guards_differ(a, x, b, y)) return report(a, tree->child[0]->span, "which places have a row", from);
  const uint32_t sum = find_sum(a, x, b, y);
  if (sum < m->law->sums.count) return report(a, m->law->sums.data[sum].span, "a term of this sum", from);
  if (find_assign(a, x, b, y) < m->law->assigns.count)
    return report(a, tree->kind == RULE_DERIVE ? tree->child[3]->span : tree->span, "the value", from);
  if (differ(x[0], y[0], 0)) return report(a, m->energy_tree->child[0]->span, "the energy", from);
  if (differ(x[1], y[1], 0)) return report(a, m->dissipation_tree->child[0]->span, "the dissipation", from);
  const rule_tree *by = m->force_tree ? m->force_tree : m->energy_tree ? m->energy_tree : m->dissipation_tree;
  if (forces_differ(a, x, b, y)) return report(a, by->span, "the force", from);
  return true;
}

// Starting darts

typedef struct start {
  law_dart base;
  int8_t sub_move;
  char name[32];
} start;

// True when the shape looks the same from dart `to` as from dart 0.
static bool looks_same(const clv_template *shape, uint32_t to, uint8_t *turn) {
  uint8_t queue[CLV_TEMPLATE_DARTS];
  bool seen[CLV_TEMPLATE_DARTS] = {true};
  uint32_t end = 1;
  queue[0] = 0;
  turn[0] = (uint8_t)to;
  for (uint32_t at = 0; at < end; at++)
    for (uint32_t i = 0; i < shape->dimension; i++) {
      const uint8_t next = shape->alpha[i][queue[at]], image = shape->alpha[i][turn[queue[at]]];
      if (seen[next] && turn[next] != image) return false;
      if (seen[next]) continue;
      seen[next] = true;
      turn[next] = image;
      queue[end++] = next;
    }
  return true;
}

static void add_start(start *list, uint32_t *count, start one) {
  if (*count < MOVES) list[(*count)++] = one;
}

// Generators of the template's symmetries: those that the ones before do not give.
static void add_symmetries(const law_maker *m, start *list, uint32_t *count) {
  uint8_t generators[CLV_TEMPLATE_DARTS][CLV_TEMPLATE_DARTS], turn[CLV_TEMPLATE_DARTS];
  uint32_t generator_count = 0;
  bool reached[CLV_TEMPLATE_DARTS] = {true};
  for (uint8_t to = 1; to < m->shape->dart_count; to++) {
    const law_dart dart = {.local = to};
    if (reached[to] || !looks_same(m->shape, to, turn)) continue;
    if (m->law->oriented && law_dart_parity(m, &dart)) continue;
    memcpy(generators[generator_count++], turn, sizeof turn);
    start one = {.base = dart, .sub_move = -1};
    snprintf(one.name, sizeof one.name, "corner %u of the cell", m->shape->sub[m->inner & CLV_VERTEX].of[to]);
    add_start(list, count, one);
    for (bool more = true; more;) {
      more = false;
      for (uint32_t g = 0; g < generator_count; g++)
        for (uint32_t d = 0; d < m->shape->dart_count; d++)
          if (reached[d] && !reached[generators[g][d]]) reached[generators[g][d]] = more = true;
    }
  }
}

static bool known_free(const law_maker *m, uint32_t letter) {
  for (uint32_t k = 0; k < m->known_count; k++)
    if (m->known[k].free && m->known[k].dimension == letter && m->known[k].dart.length == 0) return true;
  return false;
}

// Letters of the row's orbit that no template takes up: one by one, or by twos where the side is to stay.
static void add_letters(const law_maker *m, start *list, uint32_t *count) {
  for (uint32_t i = 0; i <= m->dimension; i++) {
    if (!(m->row_dims & ~m->inner & 1u << i) || known_free(m, i)) continue;
    start one = {.sub_move = -1};
    law_dart_move(m, &one.base, i);
    snprintf(one.name, sizeof one.name, "x@%u", i);
    if (!m->law->oriented) {
      add_start(list, count, one);
      continue;
    }
    for (uint32_t j = 0; j <= m->dimension; j++) {
      if (!(m->row_dims >> j & 1) || i == j || known_free(m, j)) continue;
      start two = one;
      law_dart_move(m, &two.base, j);
      snprintf(two.name, sizeof two.name, "x@%u@%u", i, j);
      add_start(list, count, two);
    }
  }
}

static uint32_t list_starts(const law_maker *m, start *list) {
  uint32_t count = 0;
  if (m->shape) add_symmetries(m, list, &count);
  add_letters(m, list, &count);
  for (uint32_t i = 0; i <= m->dimension; i++) {
    if (!(m->variable_dims >> i & 1)) continue;
    start one = {.sub_move = (int8_t)i};
    snprintf(one.name, sizeof one.name, "the variable's c@%u", i);
    add_start(list, &count, one);
  }
  return count;
}

// The checks

static bool forces_vanish(const made_law *made, const double *x) {
  double sum[3] = {0}, scale = 0;
  for (uint32_t k = 2; k < made->summed; k++) {
    sum[(k - 2) % 3] += x[k];
    scale = fmax(scale, fabs(x[k]));
  }
  for (uint32_t axis = 0; axis < 3; axis++)
    if (fabs(sum[axis]) > 1e-9 * scale) return false;
  return true;
}

static bool check_sum(const made_law *made, const double *x) {
  const law_maker *m = &made->maker;
  if (m->law->tree->kind != RULE_FORCE || m->law->external || forces_vanish(made, x)) return true;
  rule_complain(m->program, 'Y', m->law->tree->child[0]->span,
                "the forces of this law do not add up to zero|let them depend on differences of positions, or call the "
                "law external");
  return false;
}

static bool check_start(const made_law *made, const law_shape *shape, const start *from, double beyond, double *x) {
  const law_maker *m = &made->maker;
  const clv_allocator *memory = &m->program->arena.allocator;
  made_law other = {.maker = {.program = m->program,
                              .cache = m->cache,
                              .quiet = true,
                              .unroll = m->unroll,
                              .base = from->base,
                              .sub_move = from->sub_move}};
  bool fine = law_make(&other.maker, m->law->tree, shape);
  if (!fine && !m->program->no_memory)
    report(made, m->law->tree->child[0]->span, "whether the law makes sense", from->name);
  fine = fine && collect_roots(&other);
  double *y = fine ? base_allocate(memory, other.root_count * sizeof *y) : NULL;
  if (fine && !y) m->program->no_memory = true;
  for (uint32_t trial = 0; fine && y && trial < TRIALS; trial++)
    fine = evaluate_made(made, trial, beyond, x) && evaluate_made(&other, trial, beyond, y) &&
           compare_made(made, x, &other, y, from->name);
  base_free(memory, y, other.root_count * sizeof *y);
  free_made(&other);
  return fine && !m->program->no_memory;
}

static bool check_symmetry(made_law *made, const law_shape *shape) {
  const law_maker *m = &made->maker;
  const clv_allocator *memory = &m->program->arena.allocator;
  double *x = base_allocate(memory, made->root_count * sizeof *x);
  if (!x) {
    m->program->no_memory = true;
    return false;
  }
  const double beyond = largest_number(m->graph);
  bool fine = true;
  for (uint32_t trial = 0; trial < TRIALS && fine; trial++)
    fine = evaluate_made(made, trial, beyond, x) && check_sum(made, x);
  start list[MOVES];
  const uint32_t count = list_starts(m, list);
  for (uint32_t k = 0; k < count && fine; k++) fine = check_start(made, shape, &list[k], beyond, x);
  base_free(memory, x, made->root_count * sizeof *x);
  return fine;
}

bool law_check(clv_program *program, law_cache *cache, const rule_tree *declaration, const law_shape *shape) {
  made_law made = {.maker = {.program = program, .cache = cache, .check_unused = true, .sub_move = -1}};
  bool fine = law_make(&made.maker, declaration, shape) && check_dependence(&made.maker) && collect_roots(&made);
  if (fine && declaration->kind == RULE_FORCE) fine = check_tangents(&made.maker, made.roots + 2);
  fine = fine && check_symmetry(&made, shape);
  free_made(&made);
  return fine && !program->no_memory;
}
