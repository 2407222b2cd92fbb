// Sections: what cells are made of. Tests materials, and spreads sections over the cells.

#include "physics/zone.h"

#include <math.h>

clv_material clv_default_material(void) {
  return (clv_material){.young = 1e5, .poisson = 0.3, .density = 1000, .thickness = 1e-3, .bending = -1};
}

static clv_result wrong(clv_error *error, uint32_t section, const char *what, double value, const char *help) {
  return clv_error_set(error, CLV_ERROR_INPUT, "section %u (counted from 0): %s is %g, and must be %s", section, what,
                       value, help);
}

static clv_result test_material(const clv_material *m, uint32_t section, int dimension, clv_error *error) {
  const double most = dimension == 2 ? 1 : 0.5;
  if (!(m->young > 0 && isfinite(m->young))) return wrong(error, section, "Young's modulus", m->young, "above 0");
  if (!(m->poisson > -1 && m->poisson < most))
    return wrong(error, section, "Poisson's ratio", m->poisson,
                 dimension == 2 ? "between -1 and 1, for a surface" : "between -1 and 0.5");
  if (!(m->density > 0 && isfinite(m->density))) return wrong(error, section, "the density", m->density, "above 0");
  if (dimension == 2 && !(m->thickness > 0 && isfinite(m->thickness)))
    return wrong(error, section, "the thickness", m->thickness, "above 0");
  if (!isfinite(m->bending)) return wrong(error, section, "the bending stiffness", m->bending, "a number");
  if (!(m->viscosity >= 0 && isfinite(m->viscosity)))
    return wrong(error, section, "the viscosity of springs", m->viscosity, "at least 0");
  if (!isfinite(m->phi) || !(m->psi >= 0 && isfinite(m->psi)) || !(m->phi + m->psi >= 0))
    return wrong(error, section, "the damping psi (or phi)", m->psi, "at least 0, or it would feed the motion");
  return CLV_OK;
}

static clv_result test_section(const clv_body_def *def, uint32_t k, int dimension, clv_error *error) {
  const clv_section *section = &def->sections[k];
  const physics_model *model = physics_model_find(section->model);
  if (!section->model) return clv_error_set(error, CLV_ERROR_INPUT, "section %u (counted from 0) names no model", k);
  if (!model)
    return clv_error_set(error, CLV_ERROR_INPUT, "section %u (counted from 0): unknown model '%s', did you mean '%s'?",
                         k, section->model, physics_model_nearest(section->model));
  if (!model->module && !def->program)
    return clv_error_set(error, CLV_ERROR_INPUT,
                         "section %u (counted from 0): the model 'rules' needs a program with forces of your own", k);
  const char *zone = physics_zone_wrong(&section->zone);
  if (zone)
    return clv_error_set(error, CLV_ERROR_INPUT, "the zone of section %u (counted from 0) makes no sense: %s", k, zone);
  if (dimension == 2 && section->material.thickness != def->sections[0].material.thickness)
    return clv_error_set(error, CLV_ERROR_INPUT,
                         "sections 0 and %u (counted from 0) have different thicknesses; a body has one", k);
  return test_material(&section->material, k, dimension, error);
}

clv_result physics_test_sections(const clv_body_def *def, int dimension, clv_error *error) {
  if (!def->sections || !def->section_count)
    return clv_error_set(error, CLV_ERROR_INPUT, "a body needs at least one section: a zone, a model and a material");
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < def->section_count; k++) result = test_section(def, k, dimension, error);
  return result;
}

const physics_section *physics_section_of(const clv_body *body, clv_dart cell) {
  return &body->sections.data[*(const int32_t *)clv_column_at(body->section, cell)];
}

typedef struct spreading {
  clv_column *column;
  int32_t section;
} spreading;

// All cells of a body that is made have rows, and no row is empty.
static void give_all(const clv_body *body, int32_t section) {
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    const uint32_t rows = clv_cell_rows(body->map, (clv_kind)kind);
    int32_t *sections = rows ? clv_column_data(body->section, (clv_kind)kind, NULL) : NULL;
    for (uint32_t row = 0; row < rows; row++) sections[row] = section;
  }
}

static void give_section(void *user, clv_dart cell) {
  const spreading *s = user;
  *(int32_t *)clv_column_at(s->column, cell) = s->section;
}

// The number of the element that a cell was made of: cells of a kind have its elements' order.
static size_t element_of(const clv_mesh *mesh, clv_kind kind, uint32_t row) {
  size_t element = 0;
  for (uint32_t seen = 0; element < mesh->element_count; element++)
    if (mesh->kinds[element] == kind && seen++ == row) break;
  return element;
}

static clv_result test_cell(const clv_body *body, const clv_mesh *mesh, clv_kind kind, uint32_t row, int32_t section,
                            clv_error *error) {
  if (section < 0)
    return clv_error_set(error, CLV_ERROR_INPUT,
                         "no section for element %zu (counted from 0), a %s: add one whose zone holds its centre",
                         element_of(mesh, kind, row), clv_kind_name(kind));
  const physics_model *model = body->sections.data[section].model;
  if (!(model->kinds & PHYSICS_KIND(kind)))
    return clv_error_set(error, CLV_ERROR_INPUT,
                         "the model '%s' does not serve a %s, which element %zu (counted from 0) is: it is for %s",
                         model->name, clv_kind_name(kind), element_of(mesh, kind, row), physics_model_serves(model));
  return CLV_OK;
}

static clv_result test_cells(const clv_body *body, const clv_mesh *mesh, clv_error *error) {
  clv_result result = CLV_OK;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    const uint32_t rows = clv_cell_rows(body->map, (clv_kind)kind);
    const int32_t *sections = rows ? clv_column_data(body->section, (clv_kind)kind, NULL) : NULL;
    for (uint32_t row = 0; result == CLV_OK && row < rows; row++)
      result = test_cell(body, mesh, (clv_kind)kind, row, sections[row], error);
  }
  return result;
}

static clv_result refuse_explicit_cells(const clv_mesh *mesh, clv_error *error) {
  for (size_t k = 0; k < mesh->element_count; k++)
    if (mesh->kinds[k] == CLV_POLYHEDRON || (mesh->kinds[k] == CLV_POLYGON && clv_mesh_dimension(mesh) == 2))
      return clv_error_set(error, CLV_ERROR_INPUT,
                           "element %zu (counted from 0) is a %s, which no model serves: cut it into simpler cells", k,
                           clv_kind_name((clv_kind)mesh->kinds[k]));
  return CLV_OK;
}

clv_result physics_spread_sections(clv_body *body, const clv_body_def *def, clv_error *error) {
  clv_result result = refuse_explicit_cells(def->mesh, error);
  if (result != CLV_OK) return result;
  static const int32_t none = -1;
  const clv_column_def column = {
      .name = "section", .orbit = CLV_CELL, .type = CLV_INT32, .components = 1, .initial = &none};
  result = clv_column_create(body->map, &column, &body->section);
  if (result != CLV_OK) return clv_error_set(error, result, "%s", clv_map_error(body->map));
  if (!BASE_RESERVE(&body->allocator, &body->sections, def->section_count))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a body is made");
  for (uint32_t k = 0; result == CLV_OK && k < def->section_count; k++) {
    body->sections.data[body->sections.count++] =
        (physics_section){physics_model_find(def->sections[k].model), def->sections[k].material};
    spreading s = {body->section, (int32_t)k};
    if (def->sections[k].zone.kind == CLV_ZONE_ALL)
      give_all(body, (int32_t)k);
    else
      result = physics_zone_cells(body, &def->sections[k].zone, give_section, &s);
    if (result != CLV_OK) return clv_error_set(error, result, "%s", body->error.message);
  }
  return test_cells(body, def->mesh, error);
}
