// The items of a law, and laws as a whole.

#include "rule/elaborate.h"

// Where an item stands: in an `over` block everything is a density.
typedef struct item_place {
  dag_ref weight; // 0: outside
  bool inside;    // of an `over` block whose points are not written out
  bool rolled;    // of a block in which one point stands for all
  bool density, in_points;
} item_place;

static void run_items(law_maker *m, law_binding **scope, rule_tree *const *items, uint32_t count, item_place place);

static law_unit per_volume(law_unit unit, bool density) {
  return density ? law_unit_divide(unit, law_unit_of(0, 3, 0)) : unit;
}

static bool check_unit(law_maker *m, const law_value *value, law_unit wanted, const char *what, rule_span span) {
  if (law_unit_equal(value->unit, wanted)) return true;
  char texts[2][LAW_UNIT_TEXT];
  LAW_COMPLAIN(m, 'T', span, "%s is in %s, not in %s|check the formula, and the units of what it reads", what,
               law_unit_print(wanted, texts[0]), law_unit_print(value->unit, texts[1]));
  return false;
}

static void accumulate(law_maker *m, dag_ref *sum, dag_ref value, item_place place) {
  if (place.weight) value = dag_mul(m->graph, value, place.weight);
  if (place.rolled) value = law_sum_points(m, value);
  *sum = *sum ? dag_add(m->graph, *sum, value) : value;
}

static void item_energy(law_maker *m, law_binding *scope, const rule_tree *item, item_place place) {
  const bool dissipates = item->kind == RULE_DISSIPATION;
  const law_value value = law_evaluate(m, scope, item->child[0]);
  const rule_span span = item->child[0]->span;
  const law_unit unit = dissipates ? law_unit_of(1, 2, -3) : law_unit_of(1, 2, -2);
  if (!law_expect(m, &value, 1, 1, "a number", span)) return;
  const char *what = dissipates ? (place.density ? "a density of dissipation" : "a dissipation")
                                : (place.density ? "a density of energy" : "an energy");
  if (!check_unit(m, &value, per_volume(unit, place.density), what, span)) return;
  m->graph->span = item->span;
  if (dissipates) {
    m->dissipation_tree = item;
    accumulate(m, &m->dissipation[place.inside], value.s[0], place);
  } else {
    m->energy_tree = item;
    accumulate(m, &m->energy[place.inside], value.s[0], place);
  }
}

static void push(law_maker *m, const law_value *target, const law_value *value, const rule_tree *item,
                 item_place place) {
  const rule_span span = item->child[1]->span;
  if (!law_expect(m, value, 3, 1, "a force, which is a vector of 3,", span)) return;
  const char *what = place.density ? "a density of force" : "a force";
  if (!check_unit(m, value, per_volume(law_unit_of(1, 1, -2), place.density), what, span)) return;
  const uint32_t particle = law_particle_at(m, target->dart, item->child[0]->span);
  m->force_tree = item;
  m->graph->span = item->span;
  for (uint32_t axis = 0; axis < 3; axis++)
    accumulate(m, &m->force[place.inside][3 * particle + axis], value->s[axis], place);
}

static void item_push(law_maker *m, law_binding *scope, const rule_tree *item, item_place place) {
  const law_value target = law_evaluate(m, scope, item->child[0]);
  const law_value value = law_evaluate(m, scope, item->child[1]);
  if (target.sort == LAW_BAD || value.sort == LAW_BAD) return;
  if (target.sort != LAW_DART) {
    LAW_COMPLAIN(m, 'T', item->child[0]->span, "a force acts on a vertex|name a dart, as in: force x@0 = value");
    return;
  }
  push(m, &target, &value, item, place);
}

static void item_push_each(law_maker *m, law_binding *scope, const rule_tree *item, item_place place) {
  if (!law_find_cell(m, scope, item->child[0])) return;
  for (uint32_t c = 0; c < m->shape->corner_count; c++) {
    const law_value corner = law_corner(m, c);
    const law_value value = law_evaluate(m, law_bind_value(m, scope, item->name, &corner), item->child[1]);
    if (value.sort == LAW_BAD) return;
    push(m, &corner, &value, item, place);
  }
}

static void item_over(law_maker *m, law_binding *scope, const rule_tree *item, item_place place) {
  const bool reference = item->number > 0;
  if (place.in_points) {
    LAW_COMPLAIN(m, 'T', item->span, "this goes over points of points|write one over or sum");
    return;
  }
  if (!law_find_cell(m, scope, item->child[0])) return;
  const bool unroll = (reference || m->unroll) && !m->roll;
  const uint32_t points = unroll ? law_quadrature_points(m->law->shape.kind) : 1;
  m->has_reference = m->has_reference || reference;
  m->rolling += m->roll;
  for (uint32_t p = 0; p < points; p++) {
    const law_value point = law_point(m, reference, unroll ? (int)p : -1);
    item_place inner = {.inside = !unroll && !m->roll, .rolled = m->roll, .density = !reference, .in_points = true};
    law_binding *names = law_bind_value(m, scope, item->name, &point);
    if (!reference) {
      m->has_block = true;
      const law_value weight = law_weight_of(m, &point, item->child[0]->span);
      if (weight.sort == LAW_BAD) return;
      inner.weight = weight.s[0];
    }
    run_items(m, &names, item->child + 1, item->count - 1, inner);
  }
  m->rolling -= m->roll;
}

// Guards: conjunctions of free, !free, and conditions on what is known when a row is made.

static bool topological_guard(law_maker *m, law_binding *scope, const rule_tree *tree, bool is_free) {
  if (tree->kind != RULE_CALL || !law_is(tree->name, "free")) return false;
  double dimension = -1;
  if (tree->count == 2 && tree->child[1]->kind == RULE_NUMBER) dimension = tree->child[1]->number;
  if (!(dimension == 0 || dimension == 1 || dimension == 2 || dimension == 3)) {
    LAW_COMPLAIN(m, 'T', tree->span, "free takes a dart and a dimension|write free(x,3)");
    return true;
  }
  const law_value dart = law_evaluate(m, scope, tree->child[0]);
  if (dart.sort == LAW_DART)
    law_guard_free(m, &dart, (uint32_t)dimension, is_free, tree->span);
  else if (dart.sort != LAW_BAD)
    LAW_COMPLAIN(m, 'T', tree->child[0]->span, "free takes a dart and a dimension|write free(x,3)");
  return true;
}

static void guard(law_maker *m, law_binding *scope, const rule_tree *tree) {
  while (tree->kind == RULE_BINARY && law_is(tree->name, "&&")) {
    guard(m, scope, tree->child[1]);
    tree = tree->child[0];
  }
  const bool negated = tree->kind == RULE_UNARY && law_is(tree->name, "!");
  if (topological_guard(m, scope, negated ? tree->child[0] : tree, !negated)) return;
  const law_value value = law_evaluate(m, scope, tree);
  if (value.sort == LAW_BAD) return;
  if (value.sort != LAW_BOOL) {
    char text[32];
    LAW_COMPLAIN(m, 'T', tree->span, "a guard is a condition, not %s|compare it with something",
                 law_sort_name(&value, text));
    return;
  }
  const uint32_t depends = dag_depends(m->graph, value.s[0]);
  if (depends & (1u << DAG_POS | 1u << DAG_VEL | 1u << DAG_QUAD)) {
    LAW_COMPLAIN(m, 'D', tree->span,
                 "a guard cannot depend on what moves|it says whether there is a row at all; use select in the value");
    return;
  }
  law_guard_value(m, value.s[0]);
}

// Updates

static void item_assign(law_maker *m, law_binding *scope, const rule_tree *item) {
  const rule_tree *target = item->child[0];
  law_value value = law_evaluate(m, scope, item->child[1]);
  if (target->kind != RULE_FIELD) {
    LAW_COMPLAIN(m, 'T', target->span, "only a column can be assigned|write x.column = value;");
    return;
  }
  const law_value dart = law_evaluate(m, scope, target->child[0]);
  const rule_tree *column = rule_declaration(m->program, target->name);
  if (value.sort == LAW_BAD || dart.sort == LAW_BAD) return;
  if (dart.sort != LAW_DART || !column || column->kind != RULE_EMBED) {
    LAW_COMPLAIN(m, 'T', target->span, "only an embedding can be assigned|declare '%.60s' with embed", target->name);
    return;
  }
  const law_unit unit = law_typed(m, column->child[0]).unit;
  if (!law_fits(m, &value, column->child[0], &unit, item->child[1]->span)) return;
  const clv_orbit orbit = law_column_orbit(column, m->dimension);
  const uint32_t dims = law_dims(orbit, m->dimension);
  if (!orbit) {
    m->not_served = true;
    return;
  }
  const law_dart key = law_dart_key(m, dart.dart, dims);
  const law_dart row = law_dart_key(m, dart.dart, m->row_dims), base = law_dart_key(m, m->base, m->row_dims);
  if ((dims & ~m->row_dims) || !law_dart_equal(&row, &base)) {
    LAW_COMPLAIN(m, 'Y', target->span,
                 "several rows would assign this|an update assigns what lies within its own orbit");
    return;
  }
  uint32_t at = 0;
  while (at < m->written_count && (m->written[at].column != column || !law_dart_equal(&m->written[at].key, &key))) at++;
  if (at == LAW_WRITTEN) {
    LAW_COMPLAIN(m, 'F', item->span, "an update assigns too much|at most %d values; write two updates", LAW_WRITTEN);
    return;
  }
  if (at == m->written_count) m->written_count++;
  value.unit = unit;
  m->written[at] = (law_written){column, key, value};
}

static void add_assign(law_maker *m, const rule_tree *column, const law_dart *key, const law_value *value) {
  law *l = m->law;
  const uint32_t count = (uint32_t)value->rows * value->columns;
  const uint16_t path = (uint16_t)law_path_to(m, *key);
  if (!BASE_RESERVE(&m->graph->allocator, &l->assigns, l->assigns.count + (uint64_t)count)) {
    m->program->no_memory = m->failed = true;
    return;
  }
  for (uint32_t k = 0; k < count; k++)
    l->assigns.data[l->assigns.count++] = (law_assign){column, path, (uint16_t)k, value->s[k]};
}

// Items

static law_binding *bind_def(law_maker *m, law_binding *scope, const rule_tree *item) {
  law_binding *binding = law_bind(m, scope, item->name, item);
  if (binding != scope) binding->function = true;
  return binding;
}

static bool allowed(law_maker *m, const rule_tree *item, item_place place) {
  const bool update = m->law->tree->kind == RULE_UPDATE;
  const bool forces = item->kind == RULE_ENERGY || item->kind == RULE_DISSIPATION || item->kind == RULE_PUSH ||
                      item->kind == RULE_PUSH_EACH || item->kind == RULE_OVER || item->kind == RULE_PSD;
  if (update && forces)
    LAW_COMPLAIN(m, 'T', item->span, "an update has no forces|it has where, let, def and x.column = value");
  else if (!update && item->kind == RULE_ASSIGN)
    LAW_COMPLAIN(m, 'T', item->span, "a force assigns nothing|write an update, or let for a local name");
  else if (place.in_points && (item->kind == RULE_WHERE || item->kind == RULE_PSD))
    LAW_COMPLAIN(m, 'T', item->span, "this stands outside of the block|move it before the block");
  else
    return true;
  return false;
}

static void set_psd(law *l, const char *name) {
  l->psd = law_is(name, "clamp")          ? LAW_PSD_CLAMP
           : law_is(name, "abs")          ? LAW_PSD_ABS
           : law_is(name, "gauss_newton") ? LAW_PSD_GAUSS_NEWTON
                                          : LAW_PSD_NONE;
}

static void run_item(law_maker *m, law_binding **scope, const rule_tree *item, item_place place) {
  switch (item->kind) {
  case RULE_WHERE:
    guard(m, *scope, item->child[0]);
    break;
  case RULE_LET:
    *scope = law_bind(m, *scope, item->name, item->child[0]);
    // What an update reads is what is there at that line.
    if (m->law->tree->kind == RULE_UPDATE && !m->program->no_memory) law_bound(m, *scope);
    break;
  case RULE_LOCAL_DEF:
    *scope = bind_def(m, *scope, item);
    break;
  case RULE_ENERGY:
  case RULE_DISSIPATION:
    item_energy(m, *scope, item, place);
    break;
  case RULE_PUSH:
    item_push(m, *scope, item, place);
    break;
  case RULE_PUSH_EACH:
    item_push_each(m, *scope, item, place);
    break;
  case RULE_OVER:
    item_over(m, *scope, item, place);
    break;
  case RULE_PSD:
    set_psd(m->law, item->name);
    break;
  case RULE_ASSIGN:
    item_assign(m, *scope, item);
    break;
  default:
    LAW_COMPLAIN(m, 'T', item->span, "this has no place in a law|it is for topological rules and scripts");
  }
}

static void run_items(law_maker *m, law_binding **scope, rule_tree *const *items, uint32_t count, item_place place) {
  const law_binding *outer = *scope;
  for (uint32_t k = 0; k < count && !m->not_served; k++)
    if (allowed(m, items[k], place)) run_item(m, scope, items[k], place);
  // A let that nothing uses is checked all the same.
  if (m->check_unused)
    for (law_binding *at = *scope; at != outer; at = at->next)
      if (!at->function && !at->done[0] && !at->done[1]) law_bound(m, at);
}

// Laws

static void set_turn(law_maker *m) {
  for (uint32_t d = 0; d < CLV_TEMPLATE_DARTS; d++) m->turn[d] = m->unturn[d] = 0;
  if (!m->shape) return;
  uint8_t queue[CLV_TEMPLATE_DARTS];
  bool seen[CLV_TEMPLATE_DARTS] = {true};
  uint32_t end = 1;
  queue[0] = 0;
  m->turn[0] = m->base.local;
  for (uint32_t at = 0; at < end; at++)
    for (uint32_t i = 0; i < m->shape->dimension; i++) {
      const uint8_t next = m->shape->alpha[i][queue[at]];
      if (seen[next]) continue;
      seen[next] = true;
      m->turn[next] = m->shape->alpha[i][m->turn[queue[at]]];
      queue[end++] = next;
    }
  for (uint32_t d = 0; d < m->shape->dart_count; d++) m->unturn[m->turn[d]] = (uint8_t)d;
}

// A template's variable stands for the cell itself, or for one side of a face.
law_value law_row_variable(const law_maker *m) {
  const uint32_t dims = m->shape ? m->inner : m->row_dims;
  return (law_value){.sort = LAW_DART, .variable = true, .dims = (uint8_t)dims, .dart = m->base};
}

static dag_ref combine(law_maker *m, const dag_ref *two, uint32_t points) {
  dag_ref outside = two[0];
  if (outside && points > 1) outside = dag_mul(m->graph, outside, dag_const(m->graph, 1.0 / points));
  return outside && two[1] ? dag_add(m->graph, outside, two[1]) : outside ? outside : two[1];
}

static void finish_force(law_maker *m) {
  law *l = m->law;
  const uint32_t points = m->has_block || m->has_points ? law_quadrature_points(l->shape.kind) : 0;
  l->quadrature = points;
  l->unrolled = m->has_points || m->roll || (m->has_block && m->unroll);
  const uint32_t share = l->unrolled ? 1 : points;
  l->energy = combine(m, m->energy, share);
  l->dissipation = combine(m, m->dissipation, share);
  if (!m->force_tree || m->failed) return;
  const uint32_t count = 3 * l->particles.count;
  l->force = base_allocate(&m->graph->allocator, count * sizeof *l->force);
  if (!l->force) {
    m->program->no_memory = m->failed = true;
    return;
  }
  l->force_count = count;
  for (uint32_t k = 0; k < count; k++) {
    const dag_ref two[2] = {m->force[0][k], m->force[1][k]};
    l->force[k] = combine(m, two, share);
  }
}

static void make_force(law_maker *m, const rule_tree *tree) {
  law *l = m->law;
  for (uint32_t k = 0; k < tree->child[1]->count; k++) {
    l->oriented = l->oriented || law_is(tree->child[1]->child[k]->name, "oriented");
    l->external = l->external || law_is(tree->child[1]->child[k]->name, "external");
  }
  const law_value row = law_row_variable(m);
  law_binding *scope = law_bind_value(m, NULL, tree->child[0]->name, &row);
  run_items(m, &scope, tree->child + 2, tree->count - 2, (item_place){0});
  if (m->not_served || m->failed) return;
  if (!m->energy_tree && !m->dissipation_tree && !m->force_tree)
    LAW_COMPLAIN(m, 'T', tree->span, "this law does nothing|give it an energy, a dissipation or a force");
  else
    finish_force(m);
}

static void make_update(law_maker *m, const rule_tree *tree) {
  const law_value row = law_row_variable(m);
  law_binding *scope = law_bind_value(m, NULL, tree->child[0]->name, &row);
  for (uint32_t k = 0; k < tree->child[1]->count; k++)
    m->law->oriented = m->law->oriented || law_is(tree->child[1]->child[k]->name, "oriented");
  run_items(m, &scope, tree->child + 2, tree->count - 2, (item_place){0});
  for (uint32_t k = 0; k < m->written_count; k++)
    add_assign(m, m->written[k].column, &m->written[k].key, &m->written[k].value);
  if (!m->written_count && !m->failed && !m->not_served)
    LAW_COMPLAIN(m, 'T', tree->span, "this update assigns nothing|write x.column = value;");
}

static void derive_at(law_maker *m, const rule_tree *tree, law_binding *scope, const law_dart *dart) {
  law_value value = law_evaluate(m, scope, tree->child[3]);
  const rule_tree *type = tree->child[0];
  const law_unit unit = law_typed(m, type).unit;
  const bool stated = type->count && rule_there(type->child[0]);
  m->result = value.unit;
  if (!law_fits(m, &value, type, stated ? &unit : NULL, tree->child[3]->span)) return;
  const clv_orbit orbit = law_column_orbit(tree, m->dimension);
  const law_dart key = law_dart_key(m, *dart, law_dims(orbit, m->dimension));
  add_assign(m, tree, &key, &value);
}

static void make_derive(law_maker *m, const rule_tree *tree) {
  const rule_tree *place = tree->child[1], *cell = tree->child[2];
  const law_value row = law_row_variable(m);
  if (!rule_there(cell)) {
    derive_at(m, tree, law_bind_value(m, NULL, place->name, &row), &m->base);
  } else {
    clv_orbit orbit;
    if (cell->child[0]->kind != RULE_TEMPLATES || place->child[0]->kind != RULE_ORBIT) {
      LAW_COMPLAIN(m, 'F', cell->span, "this stands for no fixed number of orbits|write 'on c:corner in t:cell'");
      return;
    }
    if (!law_orbit_read(m, place->child[0], &orbit)) return;
    const uint32_t dims = law_dims(orbit, m->dimension) & row.dims;
    law_dart list[LAW_COSETS];
    const uint32_t count = law_list_suborbits(m, &m->base, row.dims, dims, list);
    if (!count)
      LAW_COMPLAIN(m, 'F', place->span, "these orbits are not within the cell|name one that is: corner, edge&cell");
    law_binding *scope = law_bind_value(m, NULL, cell->name, &row);
    for (uint32_t k = 0; k < count && !m->failed; k++) {
      const law_value sub = law_variable_at(m, list[k], dims);
      derive_at(m, tree, law_bind_value(m, scope, place->name, &sub), &sub.dart);
    }
  }
  m->law->quadrature = m->has_points ? law_quadrature_points(m->law->shape.kind) : 0;
  m->law->unrolled = m->has_points;
}

static bool begin_law(law_maker *m, const rule_tree *tree, const law_shape *shape) {
  const clv_allocator *memory = &m->program->arena.allocator;
  law *l = base_allocate(memory, sizeof *l);
  if (!l) {
    m->program->no_memory = m->failed = true;
    return false;
  }
  *l = (law){.name = tree->name, .tree = tree, .shape = *shape};
  dag_init(&l->graph, memory);
  if (shape->kind) l->graph.points = law_quadrature_points(shape->kind);
  l->graph.span = tree->span;
  m->law = l;
  m->graph = &l->graph;
  m->arena = base_arena_create(memory);
  m->dimension = shape->dimension;
  m->shape = shape->kind ? &clv_templates[shape->kind] : NULL;
  m->inner = m->shape ? (1u << m->shape->dimension) - 1u : 0;
  m->row_dims = law_dims(shape->orbit, shape->dimension);
  m->no_unknowns = tree->kind != RULE_FORCE;
  set_turn(m);
  law_path_to(m, m->base); // path 0
  return true;
}

static void run_declaration(law_maker *m, const rule_tree *tree) {
  switch (tree->kind) {
  case RULE_FORCE:
    make_force(m, tree);
    break;
  case RULE_UPDATE:
    make_update(m, tree);
    break;
  default:
    make_derive(m, tree);
    break;
  }
}

bool law_make(law_maker *m, const rule_tree *tree, const law_shape *shape) {
  const law_maker fresh = *m;
  if (!begin_law(m, tree, shape)) return false;
  run_declaration(m, tree);
  // Points that are written out and points that are not cannot live in one law: write out all.
  if (m->has_block && m->has_points && !m->unroll && !m->roll && !m->failed) {
    law_destroy(m->law, &m->program->arena.allocator);
    law_maker_free(m);
    *m = fresh;
    m->unroll = true;
    if (!begin_law(m, tree, shape)) return false;
    run_declaration(m, tree);
  }
  if (m->graph->no_memory) m->program->no_memory = true;
  return !m->failed && !m->not_served && !m->program->no_memory;
}

// The second elaboration meets particles and columns in the same order, point 0 being the first of all.
void law_roll(law_maker *m, const rule_tree *tree, const law_shape *shape) {
  law *l = m->law;
  const bool written_out = l->unrolled || m->has_reference;
  if (tree->kind != RULE_FORCE || !written_out || law_quadrature_points(shape->kind) < 2) return;
  if (l->psd == LAW_PSD_GAUSS_NEWTON) return; // looks for squares in a sum that is written out
  law_maker rolled = {.program = m->program, .cache = m->cache, .quiet = true, .roll = true, .sub_move = -1};
  const bool made = law_make(&rolled, tree, shape);
  law *r = rolled.law;
  if (made && r->particles.count == l->particles.count && r->reads.count == l->reads.count)
    l->rolled = r;
  else
    law_destroy(r, &m->program->arena.allocator);
  law_maker_free(&rolled);
}

void law_maker_free(law_maker *m) {
  const clv_allocator *memory = &m->program->arena.allocator;
  if (m->arena.allocator.resize) base_arena_destroy(&m->arena);
  BASE_RELEASE(memory, &m->read_keys);
  BASE_RELEASE(memory, &m->path_keys);
}
