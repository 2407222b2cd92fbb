// What a law reads: positions and velocities (its unknowns), columns, parameters.

#include "rule/elaborate.h"

static const rule_tree *find_column(law_maker *m, const char *name, rule_span span) {
  const rule_tree *column = rule_declaration(m->program, name);
  if (column && (column->kind == RULE_EMBED || column->kind == RULE_DERIVE)) return column;
  LAW_COMPLAIN(m, 'T', span, "nothing called '%.60s' lives on an orbit|declare it: embed %.60s:real on vertex;", name,
               name);
  return NULL;
}

// pos, rest and vel are what the engine moves: vectors of three on vertices.
static bool check_motion(law_maker *m, const rule_tree *column, law_unit unit, rule_span span) {
  const law_value type = law_typed(m, column->child[0]);
  const bool fits = column->kind == RULE_EMBED && type.sort == LAW_NUMBER && type.rows == 3 && type.columns == 1 &&
                    law_unit_equal(type.unit, unit) && law_column_orbit(column, m->dimension) == CLV_VERTEX;
  char text[LAW_UNIT_TEXT];
  if (!fits)
    LAW_COMPLAIN(m, 'T', span, "'%.60s' is not what a law needs|declare it: embed %.60s:vec3[%s] on vertex;",
                 column->name, column->name, law_unit_print(unit, text));
  return fits;
}

static bool is_motion(const char *name, law_unit *unit) {
  *unit = law_is(name, "vel") ? law_unit_of(0, 1, -1) : law_unit_of(0, 1, 0);
  return law_is(name, "pos") || law_is(name, "vel") || law_is(name, "rest");
}

static law_dart vertex_key(const law_maker *m, law_dart dart) {
  return law_dart_key(m, dart, law_dims(CLV_VERTEX, m->dimension));
}

uint32_t law_particle_at(law_maker *m, law_dart dart, rule_span span) {
  law *l = m->law;
  const law_dart key = vertex_key(m, dart);
  for (uint32_t k = 0; k < l->particles.count; k++)
    if (law_dart_equal(&key, &m->particle_keys[k])) return k;
  if (l->particles.count == LAW_PARTICLES) {
    LAW_COMPLAIN(m, 'F', span, "the law reaches too many vertices|a law acts on at most %d", LAW_PARTICLES);
    return 0;
  }
  const uint32_t path = law_path_to(m, key);
  if (!BASE_RESERVE(&m->graph->allocator, &l->particles, l->particles.count + 1u)) {
    m->program->no_memory = m->failed = true;
    return 0;
  }
  m->particle_keys[l->particles.count] = key;
  l->particles.data[l->particles.count] = (uint16_t)path;
  return l->particles.count++;
}

static dag_ref read_scalar(law_maker *m, const rule_tree *column, const law_dart *key, uint32_t component) {
  law *l = m->law;
  for (uint32_t k = 0; k < l->reads.count; k++)
    if (l->reads.data[k].column == column && l->reads.data[k].component == component &&
        law_dart_equal(key, &m->read_keys.data[k]))
      return dag_input(m->graph, DAG_READ, k);
  const uint32_t path = law_path_to(m, *key);
  const clv_allocator *memory = &m->graph->allocator;
  if (!BASE_RESERVE(memory, &l->reads, l->reads.count + 1u) ||
      !BASE_RESERVE(memory, &m->read_keys, l->reads.count + 1u)) {
    m->program->no_memory = m->failed = true;
    return 0;
  }
  m->read_keys.data[m->read_keys.count++] = *key;
  l->reads.data[l->reads.count] = (law_read){column, (uint16_t)path, (uint8_t)component, key->origin != 0};
  return dag_input(m->graph, DAG_READ, l->reads.count++);
}

static void fill_unknown(law_maker *m, const law_dart *dart, dag_op op, law_value *value, rule_span span) {
  const uint32_t particle = law_particle_at(m, *dart, span);
  for (uint32_t axis = 0; axis < 3; axis++) value->s[axis] = dag_input(m->graph, op, 3 * particle + axis);
}

static const law_value *find_written(const law_maker *m, const rule_tree *column, const law_dart *key) {
  for (uint32_t k = 0; k < m->written_count; k++)
    if (m->written[k].column == column && law_dart_equal(&m->written[k].key, key)) return &m->written[k].value;
  return NULL;
}

// A quantity that states no unit has that of its expression, and one that reads what is not there is not there itself.
// Both are found by making it, once.
static law_derived make_derived(law_maker *m, const rule_tree *derive) {
  const rule_tree *type = derive->child[0];
  const bool stated = type->count && rule_there(type->child[0]);
  const rule_tree *place = rule_there(derive->child[2]) ? derive->child[2] : derive->child[1];
  law_derived result = {.column = derive, .unit = {.any = true}, .served = true};
  law_shape shapes[LAW_SHAPES_MAX];
  if (stated) result.unit = law_unit_read(type->child[0], NULL);
  if (!law_shapes(place, m->dimension, shapes)) result.served = false;
  if (!result.served || (stated && m->dimension == 3) || m->nest >= LAW_NEST || law_circular(m->program, derive))
    return result;
  law_maker inner = {.program = m->program, .cache = m->cache, .quiet = true, .sub_move = -1};
  inner.nest = m->nest + 1;
  inner.depth = m->depth; // the stack is one
  const bool made = law_make(&inner, derive, &shapes[0]);
  if (made && !stated) result.unit = inner.result;
  result.served = !inner.not_served;
  law_destroy(inner.law, &m->graph->allocator);
  law_maker_free(&inner);
  return result;
}

static law_derived find_derived(law_maker *m, const rule_tree *derive) {
  for (uint32_t k = 0; k < m->cache->derived.count; k++)
    if (m->cache->derived.data[k].column == derive) return m->cache->derived.data[k];
  const law_derived made = make_derived(m, derive);
  if (BASE_RESERVE(&m->graph->allocator, &m->cache->derived, m->cache->derived.count + 1u))
    m->cache->derived.data[m->cache->derived.count++] = made;
  else
    m->program->no_memory = m->failed = true;
  return made;
}

static law_value read_at(law_maker *m, const law_dart *dart, const rule_tree *column, rule_span span) {
  const clv_orbit orbit = law_column_orbit(column, m->dimension);
  law_value value = law_typed(m, column->child[0]);
  law_derived derived = {.unit = value.unit, .served = true};
  if (column->kind == RULE_DERIVE) derived = find_derived(m, column);
  value.unit = derived.unit;
  // What has no orbit or no value in such maps keeps the law from them too.
  if (!orbit || !derived.served) {
    m->not_served = true;
    return (law_value){0};
  }
  const law_dart key = law_dart_key(m, *dart, law_dims(orbit, m->dimension));
  const law_value *written = find_written(m, column, &key);
  if (written) return *written;
  const uint32_t count = (uint32_t)value.rows * value.columns;
  const bool unknown = !m->no_unknowns && !law_is(column->name, "rest");
  law_unit unit;
  if (unknown && is_motion(column->name, &unit))
    fill_unknown(m, dart, law_is(column->name, "pos") ? DAG_POS : DAG_VEL, &value, span);
  else
    for (uint32_t k = 0; k < count; k++) value.s[k] = read_scalar(m, column, &key, k);
  return value;
}

law_value law_read_column(law_maker *m, const law_dart *dart, const char *name, rule_span span) {
  const law_value bad = {0};
  const rule_tree *column = find_column(m, name, span);
  if (!column) return bad;
  if (m->constant) {
    LAW_COMPLAIN(m, 'T', span, "'%.60s' is not a constant|use numbers and parameters", name);
    return bad;
  }
  law_unit unit;
  if (is_motion(name, &unit) && !check_motion(m, column, unit, span)) return bad;
  if (m->rest && law_is(name, "vel")) {
    law_value still = {.sort = LAW_NUMBER, .rows = 3, .columns = 1, .unit = unit};
    still.s[0] = still.s[1] = still.s[2] = dag_const(m->graph, 0);
    return still;
  }
  if (m->rest && law_is(name, "pos")) {
    column = rule_declaration(m->program, "rest");
    if (!column || column->kind != RULE_EMBED) {
      LAW_COMPLAIN(m, 'T', span, "there is no rest position|declare it: embed rest:vec3[m] on vertex;");
      return bad;
    }
    if (!check_motion(m, column, unit, span)) return bad;
  }
  return read_at(m, dart, column, span);
}

law_value law_read_param(law_maker *m, const rule_tree *param, rule_span span) {
  law_value value = law_typed(m, param->child[0]);
  // While a parameter's default is worked out, only those before it have a value.
  if (m->constant && m->law->tree && m->law->tree->kind == RULE_PARAM &&
      law_param_first(m->program, param) >= law_param_first(m->program, m->law->tree)) {
    LAW_COMPLAIN(m, 'T', span, "'%.60s' has no value yet|declare it before its use in another default", param->name);
    return (law_value){0};
  }
  const uint32_t first = law_param_first(m->program, param), count = (uint32_t)value.rows * value.columns;
  for (uint32_t k = 0; k < count; k++) value.s[k] = dag_input(m->graph, DAG_PARAM, first + k);
  return value;
}

// A surface has a volume too: its area times its thickness, a parameter or a column, one metre where there is none.
law_value law_read_thickness(law_maker *m, rule_span span) {
  const rule_tree *declared = rule_declaration(m->program, "thickness");
  law_value value = law_number(m, 1);
  value.unit = law_unit_of(0, 1, 0);
  if (!declared) return value;
  if (declared->kind == RULE_PARAM)
    value = law_read_param(m, declared, span);
  else if (declared->kind == RULE_EMBED || declared->kind == RULE_DERIVE)
    value = law_read_column(m, &m->base, declared->name, span);
  else
    return value;
  if (value.sort == LAW_BAD) return value;
  if (value.sort != LAW_NUMBER || value.rows != 1 || !law_unit_equal(value.unit, law_unit_of(0, 1, 0))) {
    LAW_COMPLAIN(m, 'T', span, "'thickness' is no length|declare it: param thickness:real[m] = 0.001;");
    return (law_value){0};
  }
  return value;
}

bool law_fits(law_maker *m, law_value *value, const rule_tree *type, const law_unit *unit, rule_span span) {
  if (value->sort == LAW_BAD) return false;
  const law_value wanted = law_typed(m, type);
  char text[32], other[32], units[2][LAW_UNIT_TEXT];
  if (value->sort == LAW_IDENTITY && wanted.rows == wanted.columns && wanted.rows > 1)
    *value = law_sized_identity(m, value, wanted.rows);
  if (value->sort != wanted.sort || value->rows != wanted.rows || value->columns != wanted.columns) {
    LAW_COMPLAIN(m, 'T', span, "%s is given where %s is expected|the declaration says '%.20s'",
                 law_sort_name(value, text), law_sort_name(&wanted, other), type->name);
    return false;
  }
  if (wanted.whole && !value->whole) {
    LAW_COMPLAIN(m, 'T', span, "a whole number is expected|use floor(x) or declare it real");
    return false;
  }
  if (!unit || law_unit_equal(value->unit, *unit)) return true;
  // Plain numbers in a declaration are of the unit it states.
  bool literal = m->constant && law_unit_none(value->unit);
  for (uint32_t k = 0; k < (uint32_t)value->rows * value->columns && literal; k++)
    literal = value->s[k] && m->graph->nodes.data[value->s[k]].op == DAG_CONST;
  if (literal) return true;
  LAW_COMPLAIN(m, 'T', span, "the value is in %s, not in %s|check the formula, or the unit of the declaration",
               law_unit_print(value->unit, units[0]), law_unit_print(*unit, units[1]));
  return false;
}
