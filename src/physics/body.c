// Bodies: creating and destroying them, and their state.

#include "physics/zone.h"
#include "rule/program.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

clv_body_def clv_default_body_def(void) {
  return (clv_body_def){.gravity = {0, 0, -9.81}, .threads = 1, .allocator = clv_default_allocator()};
}

clv_result physics_fail(clv_body *body, clv_result code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  body->error.code = code;
  vsnprintf(body->error.message, sizeof body->error.message, format, arguments);
  va_end(arguments);
  return code;
}

clv_result physics_no_memory(clv_body *body) {
  return physics_fail(body, CLV_ERROR_MEMORY, "out of memory; the body is as it was");
}

const char *clv_body_error(const clv_body *body) {
  return body->error.message;
}

// Testing a definition

static bool is_damping(double value) {
  return value >= 0 && isfinite(value);
}

static clv_result test_def(const clv_body_def *def, clv_error *error) {
  if (!def || !def->mesh) return clv_error_set(error, CLV_ERROR_ARGUMENT, "a body needs a mesh");
  const int dimension = clv_mesh_dimension(def->mesh);
  if (dimension < 2)
    return clv_error_set(error, CLV_ERROR_INPUT, "the mesh has no surface and no volume elements: no body can be made");
  if (def->plane && dimension != 2)
    return clv_error_set(error, CLV_ERROR_INPUT, "only a surface can be kept in its plane, and the mesh has volumes");
  for (uint32_t k = 0; k < 3; k++)
    if (!isfinite(def->gravity[k])) return clv_error_set(error, CLV_ERROR_INPUT, "gravity is not a number");
  if (!is_damping(def->drag))
    return clv_error_set(error, CLV_ERROR_INPUT, "drag must be at least 0, not %g", def->drag);
  if (!is_damping(def->rayleigh_mass) || !is_damping(def->rayleigh_stiffness))
    return clv_error_set(error, CLV_ERROR_INPUT, "Rayleigh's damping must be at least 0, not %g and %g",
                         def->rayleigh_mass, def->rayleigh_stiffness);
  return physics_test_sections(def, dimension, error);
}

static bool uses_module(const clv_body *body, const char *module) {
  for (uint32_t k = 0; k < body->sections.count; k++) {
    const physics_model *model = body->sections.data[k].model;
    if (model->module && !strcmp(model->module, module)) return true;
  }
  return false;
}

// Laws

// The forces of a body and the cells they act in: a bit for each model.
typedef struct forces {
  const physics_model *models[32];
  uint32_t model_count;
  BASE_ARRAY(const char *) names;
  BASE_ARRAY(uint32_t) bits;
  bool failed;
} forces;

static uint32_t bit_of(forces *f, const physics_model *model) {
  uint32_t k = 0;
  while (k < f->model_count && f->models[k] != model) k++;
  if (k == f->model_count) f->models[f->model_count++] = model;
  return 1u << k;
}

static void add_force(clv_body *body, forces *f, const char *name, uint32_t bit) {
  uint32_t k = 0;
  while (k < f->names.count && strcmp(f->names.data[k], name) != 0) k++;
  if (k == f->names.count) {
    f->failed |= !BASE_RESERVE(&body->allocator, &f->names, (uint64_t)k + 1) ||
                 !BASE_RESERVE(&body->allocator, &f->bits, (uint64_t)k + 1);
    if (f->failed) return;
    f->names.data[f->names.count++] = name;
    f->bits.data[f->bits.count++] = 0;
  }
  f->bits.data[k] |= bit;
}

static void add_own_forces(clv_body *body, const clv_program *program, forces *f, uint32_t bit) {
  clv_declaration declaration;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++)
    if (!declaration.shipped && !strcmp(declaration.what, "force")) add_force(body, f, declaration.name, bit);
}

// All kinds that cells may be cut into.
static uint32_t kinds_of(const clv_body *body) {
  uint32_t kinds = 0;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_templates[kind].dimension == body->map->dimension) kinds |= PHYSICS_KIND(kind);
  return kinds;
}

static bool program_has(const clv_program *program, const char *force) {
  clv_declaration declaration;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++)
    if (!strcmp(declaration.what, "force") && !strcmp(declaration.name, force)) return true;
  return false;
}

// An edge between sections is one spring: where one of them is viscous, all have the law that is.
static clv_material judged_material(const clv_body *body, const physics_section *section) {
  clv_material material = section->material;
  for (uint32_t k = 0; k < body->sections.count; k++)
    material.viscosity = fmax(material.viscosity, body->sections.data[k].material.viscosity);
  return material;
}

static clv_result collect_forces(clv_body *body, const clv_program *program, forces *f, clv_error *error) {
  const uint32_t kinds = kinds_of(body);
  for (uint32_t k = 0; k < body->sections.count; k++) {
    const physics_section *section = &body->sections.data[k];
    const clv_material material = judged_material(body, section);
    const uint32_t bit = bit_of(f, section->model);
    if (!section->model->module) add_own_forces(body, program, f, bit);
    for (const physics_law *law = section->model->laws; law->name; law++) {
      if (!(law->kinds & kinds) || !physics_law_wanted(law, &material)) continue;
      if (program && !program_has(program, law->name))
        return clv_error_set(error, CLV_ERROR_INPUT, "the model '%s' needs the law '%s': let the program say 'use %s;'",
                             section->model->name, law->name, section->model->module);
      add_force(body, f, law->name, bit);
    }
  }
  return f->failed ? clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a body is made") : CLV_OK;
}

// Which laws act in a cell: the bit of its section's model. Where there is one model, all do.
static clv_result mark_cells(clv_body *body, forces *f, clv_error *error) {
  if (f->model_count < 2) return CLV_OK;
  clv_column *column = NULL;
  const clv_column_def def = {.name = "laws", .orbit = CLV_CELL, .type = CLV_UINT32, .components = 1};
  const clv_result result = clv_column_create(body->map, &def, &column);
  if (result != CLV_OK) return clv_error_set(error, result, "%s", clv_map_error(body->map));
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++) {
    const uint32_t rows = clv_cell_rows(body->map, (clv_kind)kind);
    if (!rows) continue;
    const int32_t *sections = clv_column_data(body->section, (clv_kind)kind, NULL);
    uint32_t *bits = clv_column_data(column, (clv_kind)kind, NULL);
    for (uint32_t row = 0; row < rows; row++) bits[row] = bit_of(f, body->sections.data[sections[row]].model);
  }
  return CLV_OK;
}

// The shipped library, as much of it as the body needs.
static clv_result make_program(const clv_body *body, const forces *f, clv_program **made, clv_error *error) {
  static const char *const modules[] = {"body", "springs", "fem"};
  clv_program *program = *made = clv_program_create(&body->allocator);
  clv_result result = program ? CLV_OK : CLV_ERROR_MEMORY;
  for (uint32_t k = 0; result == CLV_OK && k < sizeof modules / sizeof *modules; k++)
    if (k == 0 || uses_module(body, modules[k])) result = clv_program_use(program, modules[k]);
  const rule_needs needs = {body->map->dimension, f->names.data, f->names.count, "mass"};
  if (result == CLV_OK) result = rule_program_check_for(program, &needs);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "out of memory while a body's rules are made");
}

// Views

// A slot that no vertex has weighs nothing, and bears nothing.
void physics_forget(void *user, const clv_map *map, void *value) {
  (void)user;
  (void)map;
  *(double *)value = 0;
}

// Where masses are derived, the body makes their column, and the views find it.
static clv_result create_masses(clv_body *body, const clv_program *program, clv_error *error) {
  clv_declaration declaration;
  bool derived = false;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++)
    derived |= !strcmp(declaration.name, "mass") && !strcmp(declaration.what, "derive");
  if (!derived || clv_column_find(body->map, "mass")) return CLV_OK;
  const clv_column_def def = {
      .name = "mass", .orbit = CLV_VERTEX, .type = CLV_DOUBLE, .components = 1, .destroy = physics_forget};
  const clv_result result = clv_column_create(body->map, &def, NULL);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body->map));
}

// A spring is its cell's: edges that come into a cell without being its own bear nothing, and two halves that become
// one edge again have the stiffness times length that each of them had.
static clv_result create_springs(clv_body *body, const forces *f, clv_error *error) {
  bool springs = false;
  for (uint32_t k = 0; k < f->names.count; k++)
    springs |= !strcmp(f->names.data[k], "stretch") || !strcmp(f->names.data[k], "damped_stretch");
  if (!springs || clv_column_find(body->map, "ea")) return CLV_OK;
  const clv_column_def def = {.name = "ea", .orbit = CLV_CELL_EDGE, .type = CLV_DOUBLE, .components = 1};
  const clv_result result = clv_column_create(body->map, &def, NULL);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body->map));
}

static clv_column *find_state(const clv_body *body, const char *name, uint32_t components, clv_error *error) {
  clv_column *column = clv_column_find(body->map, name);
  const clv_column_def *def = column ? clv_column_get_def(column) : NULL;
  if (def && clv_orbit_dims(body->map, def->orbit) == clv_orbit_dims(body->map, CLV_VERTEX) &&
      def->type == CLV_DOUBLE && def->components == components)
    return column;
  clv_error_set(error, CLV_ERROR_INPUT, "the program has no '%s' on vertices as bodies need it: let it say 'use body;'",
                name);
  return NULL;
}

// Columns are there, and nothing is computed yet: everything starts at rest, made of its sections' materials.
static clv_result fill(void *user, clv_map *map, clv_error *error) {
  clv_body *body = user;
  body->rest = find_state(body, "rest", 3, error);
  body->vel = find_state(body, "vel", 3, error);
  if (!body->rest || !body->vel) return CLV_ERROR_INPUT;
  memcpy(physics_vectors(body->rest), physics_vectors(body->pos), 3 * sizeof(double) * clv_id_slots(map, CLV_VERTEX));
  physics_fill(body);
  return CLV_OK;
}

static clv_result set_thickness(const clv_body *body, clv_views *views, clv_error *error) {
  const double wanted = body->sections.data[0].material.thickness;
  double now = 0;
  if (body->map->dimension != 2 || clv_views_get_param(views, "thickness", &now, 1) != CLV_OK || now == wanted)
    return CLV_OK;
  const clv_result result = clv_views_set_param(views, "thickness", &wanted, 1);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_views_error(views));
}

static clv_result make_views(clv_body *body, physics_making *making, forces *f, clv_error *error) {
  clv_result result = collect_forces(body, making->program, f, error);
  if (result == CLV_OK && !making->program) result = make_program(body, f, &making->own_program, error);
  const clv_program *program = making->program ? making->program : making->own_program;
  if (result == CLV_OK) result = mark_cells(body, f, error);
  if (result == CLV_OK) result = create_masses(body, program, error);
  if (result == CLV_OK) result = create_springs(body, f, error);
  if (result != CLV_OK) return result;
  clv_views_def views = clv_default_views_def();
  static const char *const none[] = {NULL};
  views.threads = making->threads;
  views.forces = f->names.count ? f->names.data : none;
  views.force_count = f->names.count;
  views.force_bits = f->model_count > 1 ? f->bits.data : NULL;
  views.cell_bits = "laws";
  views.used_columns = true;
  views.fill = making->fill;
  views.user = body;
  views.allocator = body->allocator;
  making->views = clv_views_create(program, body->map, &views, error);
  return making->views ? set_thickness(body, making->views, error) : error->code;
}

clv_result physics_make_views(clv_body *body, physics_making *making, clv_error *error) {
  forces f = {.model_count = 0};
  const clv_result result = make_views(body, making, &f, error);
  BASE_RELEASE(&body->allocator, &f.names);
  BASE_RELEASE(&body->allocator, &f.bits);
  if (result == CLV_OK) return CLV_OK;
  clv_views_destroy(making->views);
  clv_program_destroy(making->own_program);
  return result;
}

// Creating

static void measure_size(clv_body *body) {
  const double(*pos)[3] = clv_column_data(body->pos, CLV_NONE, NULL);
  double least[3] = {INFINITY, INFINITY, INFINITY}, greatest[3] = {-INFINITY, -INFINITY, -INFINITY}, square = 0;
  for (clv_id id = clv_id_next(body->map, CLV_VERTEX, (clv_id){0, 0}); id.index;
       id = clv_id_next(body->map, CLV_VERTEX, id))
    for (uint32_t k = 0; k < 3; k++) {
      least[k] = fmin(least[k], pos[id.index][k]);
      greatest[k] = fmax(greatest[k], pos[id.index][k]);
    }
  for (uint32_t k = 0; k < 3; k++) square += (greatest[k] - least[k]) * (greatest[k] - least[k]);
  body->size = sqrt(square);
}

static clv_result make_map(clv_body *body, const clv_body_def *def, clv_build_report *report, clv_error *error) {
  clv_build_def build = clv_default_build_def();
  build.allocator = body->allocator;
  const clv_result result = clv_mesh_build(def->mesh, &build, &body->map, report, error);
  if (result != CLV_OK) return result;
  body->pos = clv_column_find(body->map, "pos");
  measure_size(body);
  return CLV_OK;
}

// Cells get what they are made of before springs are renewed, and springs are renewed before views hear of a commit.
static clv_result make_first_views(clv_body *body, const clv_body_def *def, clv_error *error) {
  physics_making making = {.program = def->program, .threads = def->threads, .fill = fill};
  clv_result result = physics_admit_create(body, error);
  if (result == CLV_OK) result = physics_renew_create(body, error);
  if (result == CLV_OK) result = physics_make_views(body, &making, error);
  if (result != CLV_OK) return result;
  body->views = making.views;
  body->own_program = making.own_program;
  body->mass = find_state(body, "mass", 1, error);
  return body->mass ? CLV_OK : CLV_ERROR_INPUT;
}

static clv_result make_body(clv_body *body, const clv_body_def *def, clv_build_report *report, clv_error *error) {
  clv_result result = make_map(body, def, report, error);
  if (result == CLV_OK) result = physics_zone_remember(body, def->mesh, error);
  if (result == CLV_OK) result = physics_spread_sections(body, def, error);
  if (result == CLV_OK) result = make_first_views(body, def, error);
  if (result == CLV_OK) result = physics_hanging_create(body, error);
  if (result == CLV_OK) result = physics_create_constraints(body, error);
  if (result == CLV_OK) result = physics_inherit_create(body, error);
  return result;
}

clv_body *clv_body_create(const clv_body_def *def, clv_build_report *report, clv_error *error) {
  clv_error own = {.code = CLV_OK};
  if (!error) error = &own;
  if (test_def(def, error) != CLV_OK) return NULL;
  clv_body *body = base_allocate(&def->allocator, sizeof *body);
  if (!body) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a body is made");
    return NULL;
  }
  *body = (clv_body){.allocator = def->allocator,
                     .stiffness = 1,
                     .drag = def->drag,
                     .rayleigh_mass = def->rayleigh_mass,
                     .rayleigh_stiffness = def->rayleigh_stiffness,
                     .always_held = def->plane ? CLV_Z : 0};
  memcpy(body->gravity, def->gravity, sizeof body->gravity);
  if (make_body(body, def, report, error) == CLV_OK) return body;
  clv_body_destroy(body);
  return NULL;
}

void clv_body_destroy(clv_body *body) {
  if (!body) return;
  const clv_allocator a = body->allocator;
  clv_views_destroy(body->views);
  clv_program_destroy(body->own_program);
  physics_free_constraints(body);
  clv_map_destroy(body->map);
  BASE_RELEASE(&a, &body->loads);
  physics_hanging_destroy(body);
  BASE_RELEASE(&a, &body->sections);
  BASE_RELEASE(&a, &body->marks);
  BASE_RELEASE(&a, &body->found);
  BASE_RELEASE(&a, &body->scratch);
  BASE_RELEASE(&a, &body->borne);
  base_free(&a, body, sizeof *body);
}

// State

clv_map *clv_body_map(const clv_body *body) {
  return body->map;
}

clv_views *clv_body_views(const clv_body *body) {
  return body->views;
}

uint32_t clv_body_slots(const clv_body *body) {
  return clv_id_slots(body->map, CLV_VERTEX);
}

double *clv_body_positions(clv_body *body) {
  return physics_vectors(body->pos);
}

double *clv_body_velocities(clv_body *body) {
  return physics_vectors(body->vel);
}

const double *clv_body_rest(const clv_body *body) {
  return physics_vectors(body->rest);
}

void clv_body_set_gravity(clv_body *body, const double gravity[3]) {
  memcpy(body->gravity, gravity, sizeof body->gravity);
  body->subject++;
}

void clv_body_get_gravity(const clv_body *body, double gravity[3]) {
  memcpy(gravity, body->gravity, sizeof body->gravity);
}

void clv_body_set_damping(clv_body *body, double drag, double rayleigh_mass, double rayleigh_stiffness) {
  body->drag = drag;
  body->rayleigh_mass = rayleigh_mass;
  body->rayleigh_stiffness = rayleigh_stiffness;
  body->subject++;
}
