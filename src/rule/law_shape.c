// Orbits, templates, types and columns, as the trees say them.

#include "rule/elaborate.h"

#include <stdio.h>

bool law_is(const char *name, const char *word) {
  return name && strcmp(name, word) == 0;
}

uint32_t law_dims(clv_orbit orbit, uint32_t dimension) {
  const uint32_t all = (2u << dimension) - 1u;
  return orbit & all & ((orbit & CLV_IN_CELL) ? all >> 1 : all);
}

static bool orbit_named(const char *name, clv_orbit *orbit) {
  static const struct {
    const char *name;
    clv_orbit orbit;
  } names[] = {{"vertex", CLV_VERTEX}, {"edge", CLV_EDGE}, {"face", CLV_FACE},
               {"volume", CLV_VOLUME}, {"cell", CLV_CELL}, {"corner", CLV_CORNER}};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++)
    if (law_is(name, names[k].name)) {
      *orbit = names[k].orbit;
      return true;
    }
  return false;
}

static const rule_tree *orbit_of(const rule_tree *tree, clv_orbit *orbit) {
  *orbit = 0;
  if (tree->kind == RULE_TEMPLATES) {
    *orbit = CLV_CELL;
    return NULL;
  }
  if (tree->count == 0 || tree->child[0]->kind == RULE_LETTER) {
    for (uint32_t k = 0; k < tree->count; k++) {
      const rule_tree *letter = tree->child[k];
      if (letter->number < 0 || (letter->count && rule_there(letter->child[0]))) return letter;
      *orbit |= 1u << (uint32_t)letter->number;
    }
    return NULL;
  }
  const rule_tree *list = tree->child[0];
  const uint32_t count = list->kind == RULE_LIST ? list->count : 1;
  clv_orbit dims = CLV_COMPONENT, in_cell = 0;
  for (uint32_t k = 0; k < count; k++) {
    const rule_tree *name = list->kind == RULE_LIST ? list->child[k] : list;
    clv_orbit one;
    if (!orbit_named(name->name, &one)) return name;
    dims &= one;
    in_cell |= one & CLV_IN_CELL;
  }
  *orbit = dims | in_cell;
  return NULL;
}

bool law_orbit_read(law_maker *m, const rule_tree *orbit, clv_orbit *result) {
  const rule_tree *bad = orbit_of(orbit, result);
  if (!bad) return true;
  if (bad->kind == RULE_LETTER)
    LAW_COMPLAIN(m, 'T', bad->span, "this is no dimension of an orbit|an orbit has dimensions 0 to 3, without levels");
  else
    LAW_COMPLAIN(m, 'T', bad->span,
                 "there is no orbit '%.60s'|orbits are vertex, edge, face, volume, cell, corner, their intersections "
                 "(edge&cell) and <0,2>",
                 bad->name);
  return false;
}

static bool names_volume(const rule_tree *orbit) {
  if (orbit->kind != RULE_ORBIT || orbit->count != 1 || orbit->child[0]->kind != RULE_LIST) return false;
  const rule_tree *list = orbit->child[0];
  return list->count == 1 && law_is(list->child[0]->name, "volume");
}

static bool has_template(const rule_tree *templates, const char *name) {
  for (uint32_t k = 0; k < templates->count; k++)
    if (law_is(templates->child[k]->name, name)) return true;
  return false;
}

// Faces, where a place names nothing but triangles and quadrangles; NULL for no template at all.
static bool only_faces(const rule_tree *templates) {
  for (uint32_t k = 0; k < templates->count; k++)
    if (!law_is(templates->child[k]->name, "tri") && !law_is(templates->child[k]->name, "quad")) return false;
  return true;
}

clv_orbit law_column_orbit(const rule_tree *column, uint32_t dimension) {
  const rule_tree *orbit = column->child[1];
  if (orbit->kind == RULE_PLACE) orbit = orbit->child[0];
  if (dimension == 2 && names_volume(orbit)) return 0;
  clv_orbit result;
  if (orbit->kind == RULE_TEMPLATES) return dimension == 3 && only_faces(orbit) ? CLV_FACE : CLV_CELL;
  return orbit_of(orbit, &result) ? 0 : result;
}

uint32_t law_shapes(const rule_tree *place, uint32_t dimension, law_shape *shapes) {
  const rule_tree *orbit = place->child[0];
  uint32_t count = 0;
  if (orbit->kind != RULE_TEMPLATES) {
    clv_orbit dims;
    if (dimension == 2 && names_volume(orbit)) return 0;
    if (!orbit_of(orbit, &dims)) shapes[count++] = (law_shape){CLV_NONE, dims, (uint8_t)dimension};
    return count;
  }
  const bool any = has_template(orbit, "cell");
  for (clv_kind kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    const uint32_t of = clv_templates[kind].dimension;
    if (of > dimension || (!has_template(orbit, clv_kind_name(kind)) && !(any && of == dimension))) continue;
    shapes[count++] = (law_shape){kind, of == dimension ? CLV_CELL : CLV_FACE, (uint8_t)dimension};
  }
  return count;
}

uint32_t law_components(const rule_tree *type) {
  static const struct {
    const char *name;
    uint32_t count;
  } types[] = {{"vec2", 2}, {"vec3", 3}, {"mat2", 4}, {"mat3", 9}};
  for (size_t k = 0; k < sizeof types / sizeof *types; k++)
    if (law_is(type->name, types[k].name)) return types[k].count;
  return 1;
}

law_value law_typed(law_maker *m, const rule_tree *type) {
  const uint32_t count = law_components(type);
  law_value value = {.sort = LAW_NUMBER, .rows = (uint8_t)count, .columns = 1};
  if (count == 4) value.rows = value.columns = 2;
  if (count == 9) value.rows = value.columns = 3;
  if (law_is(type->name, "bool")) value.sort = LAW_BOOL;
  value.whole = law_is(type->name, "int");
  const rule_tree *bad = NULL;
  value.unit = law_unit_read(type->count ? type->child[0] : NULL, &bad);
  if (bad)
    LAW_COMPLAIN(m, 'T', bad->span, "there is no unit '%.40s'|units are kg, m, s, K, N, Pa, J, W and rad", bad->name);
  return value;
}

const char *law_sort_name(const law_value *value, char text[32]) {
  switch (value->sort) {
  case LAW_BOOL:
    return "a condition";
  case LAW_IDENTITY:
    return "I";
  case LAW_DART:
    return "a dart";
  case LAW_POINT:
    return "a point";
  case LAW_SHAPES:
    return "the shape functions";
  default:
    break;
  }
  if (value->rows == 1 && value->columns == 1) return "a number";
  if (value->columns == 1)
    snprintf(text, 32, "a vector of %u", value->rows);
  else
    snprintf(text, 32, "a %u x %u matrix", value->rows, value->columns);
  return text;
}
