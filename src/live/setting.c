// Settings: what sliders move while the world runs, and the models and methods that bodies have.

#include "live/live.h"
#include "physics/body.h"
#include "world/world.h"

#include <float.h>
#include <math.h>

const char *const live_setting_names[LIVE_SETTINGS] = {"step", "stiffness", "damping", "gravity", "tear", "iterations"};

static double length_of(const double *v) {
  return sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
}

// The first tool of the timetable that tears; NULL where there is none.
static world_action *find_tear(const clv_live *live) {
  for (uint32_t k = 0; k < live->world->actions.count; k++)
    if (live->world->actions.data[k].action.kind == CLV_ACTION_TEAR) return &live->world->actions.data[k];
  return NULL;
}

// As the scene has them.
void live_settings_find(clv_live *live) {
  const clv_body *body = clv_world_body(live->world, 0);
  const world_action *tear = find_tear(live);
  const double step = clv_world_get_step(live->world);
  double young = 0, gravity = 0;
  for (uint32_t b = 0; b < live->body_count; b++) {
    const clv_body *each = clv_world_body(live->world, b);
    clv_body_get_gravity(each, live->bodies[b].gravity);
    gravity = fmax(gravity, length_of(live->bodies[b].gravity));
    for (uint32_t k = 0; k < each->sections.count; k++) young = fmax(young, each->sections.data[k].material.young);
  }
  const clv_solver_def *solver = clv_solver_get_def(clv_world_solver(live->world, 0));
  live->settings[LIVE_SET_STEP] = (live_setting){step, step / 100, step * 10, false};
  live->settings[LIVE_SET_STIFFNESS] = (live_setting){1, 0.01, 100, false};
  live->settings[LIVE_SET_DAMPING] = (live_setting){body->drag, 0, fmax(50, body->drag), false};
  live->settings[LIVE_SET_GRAVITY] = (live_setting){gravity, 0, fmax(50, gravity), false};
  live->settings[LIVE_SET_TEAR] = (live_setting){tear ? tear->action.tear.threshold : 0, 0, fmax(young, 1), false};
  if (tear) live->settings[LIVE_SET_TEAR].most = fmax(10 * tear->action.tear.threshold, young);
  live->settings[LIVE_SET_ITERATIONS] = (live_setting){solver->iterations, 0, fmax(1000, solver->iterations), false};
}

// ---- putting them to work -----------------------------------------------------------------------

static clv_result of_world(const clv_live *live, clv_result result, clv_error *error) {
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_world_error(live->world));
}

static clv_result set_step(clv_live *live, double step, clv_error *error) {
  return of_world(live, clv_world_set_step(live->world, step), error);
}

static clv_result set_damping(clv_live *live, double drag) {
  for (uint32_t b = 0; b < live->body_count; b++) {
    clv_body *body = clv_world_body(live->world, b);
    clv_body_set_damping(body, drag, body->rayleigh_mass, body->rayleigh_stiffness);
  }
  return CLV_OK;
}

// Along the scene's gravity, or down where it has none.
static clv_result set_gravity(clv_live *live, double value) {
  for (uint32_t b = 0; b < live->body_count; b++) {
    const double *own = live->bodies[b].gravity, length = length_of(own);
    double gravity[3] = {0, 0, -value};
    for (uint32_t k = 0; length > 0 && k < 3; k++) gravity[k] = own[k] / length * value;
    clv_body_set_gravity(clv_world_body(live->world, b), gravity);
  }
  return CLV_OK;
}

// The scene's own tools that tear, or one for each body that has none.
static clv_result set_tear(clv_live *live, double threshold, clv_error *error) {
  const bool any = find_tear(live);
  for (uint32_t k = 0; k < live->world->actions.count; k++) {
    clv_action *action = &live->world->actions.data[k].action;
    if (action->kind == CLV_ACTION_TEAR) action->tear.threshold = threshold > 0 ? threshold : DBL_MAX;
  }
  clv_result result = CLV_OK;
  for (uint32_t b = 0; !any && threshold > 0 && result == CLV_OK && b < live->body_count; b++) {
    clv_action action = {.kind = CLV_ACTION_TEAR, .body = b, .zone = clv_zone_all(), .tear = clv_default_tear()};
    action.tear.threshold = threshold;
    action.time = clv_world_time(live->world);
    result = clv_world_schedule(live->world, &action);
  }
  return of_world(live, result, error);
}

static clv_result set_stiffness(clv_live *live, double factor, clv_error *error) {
  clv_result result = CLV_OK;
  for (uint32_t b = 0; result == CLV_OK && b < live->body_count; b++)
    result = physics_change_stiffness(clv_world_body(live->world, b), factor, error);
  return result;
}

static clv_result set_iterations(clv_live *live, double value, clv_error *error) {
  clv_result result = CLV_OK;
  for (uint32_t b = 0; result == CLV_OK && b < live->body_count; b++) {
    clv_solver_def def = *clv_solver_get_def(clv_world_solver(live->world, b));
    def.iterations = (uint32_t)value;
    result = world_replace_solver(live->world, b, &def, error);
  }
  return result;
}

static clv_result apply(clv_live *live, uint32_t which, clv_error *error) {
  const double value = live->settings[which].value;
  switch ((live_setting_name)which) {
  case LIVE_SET_STEP:
    return set_step(live, value, error);
  case LIVE_SET_STIFFNESS:
    return set_stiffness(live, value, error);
  case LIVE_SET_DAMPING:
    return set_damping(live, value);
  case LIVE_SET_GRAVITY:
    return set_gravity(live, value);
  case LIVE_SET_TEAR:
    return set_tear(live, value, error);
  case LIVE_SET_ITERATIONS:
    return set_iterations(live, value, error);
  default:
    return CLV_OK;
  }
}

bool live_settings_set(clv_live *live, const char *name, double value, clv_error *error) {
  uint32_t k = 0;
  while (k < LIVE_SETTINGS && strcmp(live_setting_names[k], name) != 0) k++;
  if (k == LIVE_SETTINGS) {
    clv_error_set(error, CLV_ERROR_REFUSED, "there is no setting of this name: the hello lists those there are");
    return false;
  }
  live_setting before = live->settings[k];
  if (!(value >= before.least && value <= before.most)) {
    clv_error_set(error, CLV_ERROR_REFUSED, "'%s' goes from %g to %g", live_setting_names[k], before.least,
                  before.most);
    return false;
  }
  live->settings[k].value = value;
  live->settings[k].changed = true;
  if (apply(live, k, error) == CLV_OK) {
    live_renew_hello(live);
    return true;
  }
  live->settings[k] = before;
  return false;
}

// ---- methods and models -------------------------------------------------------------------------

bool live_method_set(clv_live *live, uint32_t body, const char *name, clv_error *error) {
  const int method = clv_method_from_name(name);
  if (method < 0) {
    clv_error_set(error, CLV_ERROR_REFUSED, "there is no integrator of this name: the hello lists those there are");
    return false;
  }
  clv_solver_def def = *clv_solver_get_def(clv_world_solver(live->world, body));
  def.method = (clv_method)method;
  if (world_replace_solver(live->world, body, &def, error) != CLV_OK) return false;
  live->bodies[body].choice.method = method;
  live_renew_hello(live);
  return true;
}

const char *live_model_name(const clv_live *live, uint32_t body) {
  return clv_world_body(live->world, body)->sections.data[0].model->name;
}

static clv_result change_model(clv_live *live, uint32_t body, const char *name, clv_error *error) {
  const clv_solver_def def = *clv_solver_get_def(clv_world_solver(live->world, body));
  const clv_result result = physics_change_model(clv_world_body(live->world, body), name, error);
  return result == CLV_OK ? world_replace_solver(live->world, body, &def, error) : result;
}

bool live_model_set(clv_live *live, uint32_t body, const char *name, clv_error *error) {
  if (change_model(live, body, name, error) != CLV_OK) return false;
  live->bodies[body].choice.model = live_model_name(live, body);
  live_renew_hello(live);
  return true;
}

// ---- all of them --------------------------------------------------------------------------------

clv_result live_settings_apply(clv_live *live, clv_error *error) {
  clv_result result = CLV_OK;
  for (uint32_t b = 0; result == CLV_OK && b < live->body_count; b++) {
    const live_choice *own = &live->bodies[b].choice;
    if (own->model) result = change_model(live, b, own->model, error);
    clv_solver_def def = *clv_solver_get_def(clv_world_solver(live->world, b));
    def.method = own->method < 0 ? def.method : (clv_method)own->method;
    if (result == CLV_OK && own->method >= 0) result = world_replace_solver(live->world, b, &def, error);
  }
  for (uint32_t k = 0; result == CLV_OK && k < LIVE_SETTINGS; k++)
    if (live->settings[k].changed) result = apply(live, k, error);
  return result;
}
