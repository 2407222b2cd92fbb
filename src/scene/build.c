// From a scene to a world, body by body: its mesh, its rules, its sections, the body itself, what holds it, and the
// events and probes that concern it. What rooms below refuse gets the place of what asked for it. See scene.h.

#include "physics/model.h"
#include "physics/zone.h"
#include "scene/scene.h"
#include "scene/table.h"

#include <math.h>

typedef struct builder {
  scene_reader r;
  clv_scene *scene;
  clv_world *world;
  uint32_t threads;
  // of the body that is being built
  uint32_t number;
  const scene_body *part;
  clv_body *body;
  clv_mesh mesh;
} builder;

// ---- rules --------------------------------------------------------------------------------------

static const scene_model *model_with_rules(const scene_body *body) {
  if (body->model.rules.count) return &body->model;
  for (uint32_t k = 0; k < body->regions.count; k++) {
    if (body->regions.items[k].model.rules.count) return &body->regions.items[k].model;
  }
  return NULL;
}

static bool add_rule_files(const builder *b, clv_program *program, const scene_model *model) {
  const scene_node *place = scene_place(&model->part, "rules");
  bool good = true;
  for (uint32_t k = 0; good && k < model->rules.count; k++)
    good = scene_program_add(&b->r, b->scene, program, model->rules.items[k], place);
  return good;
}

// The modules of the shipped models that the body is mixed of.
static bool use_module(const builder *b, clv_program *program, const scene_model *model) {
  if (!model->part.node && model != &b->part->model) return true;
  if (model->rules.count) return true;
  const physics_model *known = physics_model_find(clv_model_list(model->name, NULL));
  const clv_result result = known && known->module ? clv_program_use(program, known->module) : CLV_OK;
  return result == CLV_OK || scene_no_memory(&b->r);
}

static bool make_program(const builder *b, const clv_program **to) {
  const scene_model *model = model_with_rules(b->part);
  *to = NULL;
  if (!model) return true;
  clv_program *program = scene_program_create(&b->r, b->scene);
  if (!program) return false;
  if (!add_rule_files(b, program, model) || !use_module(b, program, &b->part->model)) return false;
  for (uint32_t k = 0; k < b->part->regions.count; k++) {
    if (!use_module(b, program, &b->part->regions.items[k].model)) return false;
  }
  const scene_node *place = scene_place(&model->part, "rules");
  if (!scene_program_check(&b->r, program, place)) return false;
  clv_error error = {0};
  clv_compile_def def = clv_default_compile_def();
  const int dimension = clv_mesh_dimension(&b->mesh);
  if (dimension >= 2) def.dimension = (uint32_t)dimension;
  const clv_result result = clv_program_compile(program, &def, NULL, &error);
  if (result) return scene_fail_below(&b->r, place, result, error.message);
  *to = program;
  return true;
}

static bool set_parameters(const builder *b, const clv_program *program) {
  const scene_model *model = model_with_rules(b->part);
  for (uint32_t k = 0; model && k < model->params.count; k++) {
    const scene_parameter *parameter = &model->params.items[k];
    clv_views *views = clv_body_views(b->body);
    if (clv_views_set_param(views, parameter->name, parameter->values, parameter->count) == CLV_OK) continue;
    return scene_no_parameter(&b->r, program, parameter);
  }
  return true;
}

// ---- sections -----------------------------------------------------------------------------------

static const char *model_name(const scene_model *model) {
  return model->rules.count ? "rules" : clv_model_list(model->name, NULL);
}

// A solid cannot have what a surface can.
static bool check_material(const builder *b, const scene_material *material) {
  if (clv_mesh_dimension(&b->mesh) < 3 || material->values.poisson < 0.5 || !material->part.node) return true;
  return scene_fail(&b->r, scene_place(&material->part, "poisson"), "'poisson' must be below 0.5 in a solid, not %s",
                    scene_real_show(material->values.poisson).text);
}

static bool make_sections(const builder *b, clv_section **sections, uint32_t *count) {
  const scene_body *part = b->part;
  *count = part->regions.count + 1;
  *sections = base_arena_take(&b->scene->arena, *count * sizeof **sections);
  if (!*sections) return scene_no_memory(&b->r);
  (*sections)[0] = (clv_section){clv_zone_all(), model_name(&part->model), part->material.values};
  if (!check_material(b, &part->material)) return false;
  for (uint32_t k = 0; k < part->regions.count; k++) {
    const scene_section *region = &part->regions.items[k];
    clv_section *section = &(*sections)[k + 1];
    const scene_model *model = region->model.part.node ? &region->model : &part->model;
    *section = (clv_section){.model = model_name(model), .material = region->material.values};
    if (!check_material(b, &region->material)) return false;
    if (!scene_zone_make(&b->r, &b->mesh, &region->part, &scene_group_section, &region->zone, &section->zone)) {
      return false;
    }
  }
  return true;
}

// Whether a zone holds any particle; says where they are otherwise.
static bool check_particles(const builder *b, const scene_node *place, const clv_zone *zone) {
  const clv_result result = physics_zone_vertices(b->body, zone);
  if (result == CLV_ERROR_MEMORY) return scene_no_memory(&b->r);
  if (result == CLV_OK && b->body->found.count > 0) return true;
  const double *rest = clv_body_rest(b->body), *masses = clv_body_masses(b->body);
  double least[3] = {INFINITY, INFINITY, INFINITY}, greatest[3] = {-INFINITY, -INFINITY, -INFINITY};
  uint32_t count = 0;
  for (uint32_t s = 0; s < clv_body_slots(b->body); s++) {
    if (masses[s] <= 0) continue;
    count++;
    for (int i = 0; i < 3; i++) {
      least[i] = fmin(least[i], rest[3 * s + (uint32_t)i]);
      greatest[i] = fmax(greatest[i], rest[3 * s + (uint32_t)i]);
    }
  }
  return scene_fail(&b->r, place,
                    "this zone holds none of the body's %u particles, which lie from (%g, %g, %g) to (%g, %g, %g)",
                    count, least[0], least[1], least[2], greatest[0], greatest[1], greatest[2]);
}

static void count_cell(void *user, clv_dart cell) {
  (void)cell;
  ++*(uint32_t *)user;
}

static uint32_t count_cells(const clv_map *map) {
  uint32_t cells = 0;
  for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++) cells += clv_cell_count(map, (clv_kind)kind);
  return cells;
}

static bool check_regions(const builder *b, const clv_section *sections) {
  for (uint32_t k = 0; k < b->part->regions.count; k++) {
    uint32_t cells = 0;
    const clv_result result = physics_zone_cells(b->body, &sections[k + 1].zone, count_cell, &cells);
    if (result == CLV_ERROR_MEMORY) return scene_no_memory(&b->r);
    if (cells) continue;
    return scene_fail(&b->r, b->part->regions.items[k].part.node, "this region holds none of the body's %u cells",
                      count_cells(clv_body_map(b->body)));
  }
  return true;
}

// ---- what holds ---------------------------------------------------------------------------------

typedef clv_result hold_function(clv_body *body, const clv_zone *zone, const scene_hold *hold);

static clv_result fix(clv_body *body, const clv_zone *zone, const scene_hold *hold) {
  return clv_body_fix(body, zone, hold->axes, NULL);
}

static clv_result move(clv_body *body, const clv_zone *zone, const scene_hold *hold) {
  return clv_body_move(body, zone, hold->axes, hold->path.items, hold->path.count, NULL);
}

static clv_result pull(clv_body *body, const clv_zone *zone, const scene_hold *hold) {
  return clv_body_pull(body, zone, hold->path.items, hold->path.count, NULL);
}

static bool apply(const builder *b, const scene_holds *holds, const scene_group *group, hold_function *function) {
  for (uint32_t k = 0; k < holds->count; k++) {
    const scene_hold *hold = &holds->items[k];
    clv_zone zone;
    if (!scene_zone_make(&b->r, &b->mesh, &hold->part, group, &hold->zone, &zone)) return false;
    if (!check_particles(b, hold->part.node, &zone)) return false;
    const clv_result result = function(b->body, &zone, hold);
    if (result) return scene_fail_below(&b->r, hold->part.node, result, clv_body_error(b->body));
  }
  return true;
}

// ---- events and probes --------------------------------------------------------------------------

static bool concerns(const builder *b, const char *body) {
  return !body || scene_body_number(b->scene, body) == (int32_t)b->number;
}

static bool make_probe(const builder *b, uint32_t p) {
  const scene_probe *part = &b->scene->root.output.probes.items[p];
  clv_probe *probe = &b->scene->probes[p];
  probe->body = b->number;
  if (!scene_zone_make(&b->r, &b->mesh, &part->part, &scene_group_probe, &part->zone, &probe->zone)) return false;
  return check_particles(b, part->part.node, &probe->zone);
}

static bool add_events(const builder *b) {
  const scene_root *root = &b->scene->root;
  for (uint32_t e = 0; e < root->events.count; e++) {
    const scene_event *event = &root->events.items[e];
    if (!concerns(b, event->body)) continue;
    if (!scene_event_schedule(&b->r, b->scene, b->world, b->number, &b->mesh, event)) return false;
  }
  for (uint32_t p = 0; p < root->output.probes.count; p++) {
    if (concerns(b, root->output.probes.items[p].body) && !make_probe(b, p)) return false;
  }
  return true;
}

// ---- bodies -------------------------------------------------------------------------------------

static clv_solver_def solver_def(const scene_solver *solver) {
  clv_solver_def def = clv_default_solver_def();
  def.method = (clv_method)solver->method;
  def.linear = (clv_linear)solver->linear;
  def.tolerance = solver->tolerance;
  def.iterations = solver->iterations;
  def.newton_tolerance = solver->newton_tolerance;
  def.newton_iterations = solver->newton_iterations;
  def.newmark_beta = solver->beta;
  def.newmark_gamma = solver->gamma;
  def.halvings = solver->halvings;
  return def;
}

static bool make_body(builder *b) {
  const scene_body *part = b->part;
  const scene_root *root = &b->scene->root;
  if (part->plane && clv_mesh_dimension(&b->mesh) > 2) {
    return scene_fail(&b->r, scene_place(&part->part, "plane"), "'plane' is for surfaces, and this body is a solid");
  }
  clv_body_def def = clv_default_body_def();
  clv_section *sections;
  if (!make_sections(b, &sections, &def.section_count) || !make_program(b, &def.program)) return false;
  def.mesh = &b->mesh;
  def.sections = sections;
  def.plane = part->plane;
  memcpy(def.gravity, root->gravity, sizeof def.gravity);
  def.drag = part->damping.drag;
  def.rayleigh_mass = part->damping.rayleigh.mass;
  def.rayleigh_stiffness = part->damping.rayleigh.stiffness;
  def.threads = b->threads;
  def.allocator = b->scene->allocator;
  const clv_solver_def solver = solver_def(&root->solver);
  clv_error error = {0};
  b->body = clv_world_add(b->world, part->part.name, &def, &solver, &error);
  if (!b->body) return scene_fail_below(&b->r, part->mesh.part.node, error.code, error.message);
  return check_regions(b, sections) && set_parameters(b, def.program) && apply(b, &part->fix, &scene_group_fix, fix) &&
         apply(b, &part->move, &scene_group_move, move) && apply(b, &part->pull, &scene_group_pull, pull) &&
         add_events(b);
}

static bool build_body(builder *b) {
  clv_mesh_init(&b->mesh, &b->scene->allocator);
  const bool good = scene_mesh_make(&b->r, b->scene, &b->part->mesh, &b->mesh) && make_body(b);
  clv_mesh_free(&b->mesh);
  return good;
}

clv_world *clv_scene_world(clv_scene *scene, uint32_t threads, clv_error *error) {
  builder b = {.r = {&scene->arena, scene->name, error}, .scene = scene};
  b.threads = threads ? threads : scene->root.threads;
  clv_world_def def = clv_default_world_def();
  def.step = scene->root.solver.step;
  def.allocator = scene->allocator;
  b.world = clv_world_create(&def);
  if (!b.world) {
    scene_no_memory(&b.r);
    return NULL;
  }
  for (uint32_t k = 0; k < scene->bodies.count; k++) {
    b.number = k;
    b.part = &scene->bodies.items[k];
    if (build_body(&b)) continue;
    clv_world_destroy(b.world);
    return NULL;
  }
  return b.world;
}
