// Another model, or another stiffness, while a body moves.
//
// Map, positions, velocities and constraints stay; what changes is the laws and their constants. New views take the
// place of the old ones among those who hear of commits: others count on hearing after them.

#include "map/store.h"
#include "physics/body.h"
#include "view/views.h"

// Columns are there: those that are new have nothing in them yet, and the others what they had.
static clv_result refill(void *user, clv_map *view, clv_error *error) {
  clv_body *body = user;
  (void)view;
  (void)error;
  physics_fill(body);
  physics_renew_all(body);
  return CLV_OK;
}

static clv_result test_model(const clv_body *body, const physics_model *model, const char *name, clv_error *error) {
  if (!model)
    return clv_error_set(error, CLV_ERROR_REFUSED, "there is no model '%.40s': did you mean '%s'?", name,
                         physics_model_nearest(name));
  if (!body->own_program || !model->module)
    return clv_error_set(error, CLV_ERROR_REFUSED, "rules of one's own keep their place while the body moves");
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_cell_count(body->map, (clv_kind)kind) && !(model->kinds & PHYSICS_KIND(kind)))
      return clv_error_set(error, CLV_ERROR_REFUSED, "the model '%s' does not serve a %s", model->name,
                           clv_kind_name((clv_kind)kind));
  return CLV_OK;
}

static clv_result swap_models(clv_body *body, const physics_model *model, const physics_model **before,
                              clv_error *error) {
  physics_making making = {.threads = body->views->threads, .fill = refill};
  for (uint32_t k = 0; k < body->sections.count; k++) {
    before[k] = body->sections.data[k].model;
    body->sections.data[k].model = model;
  }
  const clv_result result = physics_make_views(body, &making, error);
  if (result == CLV_OK) {
    map_subscriber_swap(map_of(body->map), body->views, making.views);
    clv_views_destroy(body->views);
    clv_program_destroy(body->own_program);
    body->views = making.views;
    body->own_program = making.own_program;
    body->subject++;
    return CLV_OK;
  }
  for (uint32_t k = 0; k < body->sections.count; k++) body->sections.data[k].model = before[k];
  physics_fill(body);
  physics_renew_all(body);
  return result;
}

clv_result physics_change_model(clv_body *body, const char *name, clv_error *error) {
  const physics_model *model = physics_model_find(name);
  clv_result result = test_model(body, model, name, error);
  if (result != CLV_OK) return result;
  const size_t size = body->sections.count * sizeof(physics_model *);
  const physics_model **before = base_allocate(&body->allocator, size);
  if (!before) return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: the model stays");
  result = swap_models(body, model, before, error);
  base_free(&body->allocator, before, size);
  return result;
}

static void scale(clv_body *body, double by) {
  for (uint32_t k = 0; k < body->sections.count; k++) {
    clv_material *material = &body->sections.data[k].material;
    material->young *= by;
    if (material->bending > 0) material->bending *= by;
  }
  physics_fill(body);
  physics_renew_all(body);
}

clv_result physics_change_stiffness(clv_body *body, double factor, clv_error *error) {
  const double by = factor / body->stiffness;
  scale(body, by);
  const clv_result result = clv_views_refresh(body->views);
  if (result != CLV_OK) {
    scale(body, 1 / by);
    return clv_error_set(error, result, "%s", clv_views_error(body->views));
  }
  body->stiffness = factor;
  body->subject++;
  return CLV_OK;
}
