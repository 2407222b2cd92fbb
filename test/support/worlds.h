// Worlds of beams for tests: made by a recipe, stepped, with events that must be taken.

#ifndef CLEAVE_TEST_SUPPORT_WORLDS_H
#define CLEAVE_TEST_SUPPORT_WORLDS_H

#include "support/counting_allocator.h"
#include "support/laws.h"

static const clv_zone everywhere = {.kind = CLV_ZONE_ALL};

typedef struct recipe {
  beam beam;
  clv_method method;
  clv_linear linear;
  double step;
  uint32_t bodies;
} recipe;

static inline recipe plain(clv_method method) {
  recipe r = {
      .beam = beam_default(), .method = method, .linear = beam_method(method).linear, .step = 1e-3, .bodies = 1};
  r.beam.model = "fem-corotational";
  r.beam.program = laws;
  r.beam.gravity[2] = -9.81;
  r.beam.drag = 0.5;
  return r;
}

static inline clv_body *add_body(clv_world *world, const recipe *r, const char *name, clv_error *error) {
  clv_mesh mesh;
  clv_section section;
  beam_mesh(&r->beam, &mesh);
  const clv_body_def def = beam_def(&r->beam, &mesh, &section);
  clv_solver_def solver = beam_method(r->method);
  if (clv_linear_available(r->linear)) solver.linear = r->linear;
  clv_body *body = clv_world_add(world, name, &def, &solver, error);
  clv_mesh_free(&mesh);
  return body;
}

static inline clv_world *create(const recipe *r) {
  clv_world_def def = clv_default_world_def();
  def.step = r->step;
  def.allocator = r->beam.allocator;
  clv_world *world = clv_world_create(&def);
  assert_non_null(world);
  for (uint32_t k = 0; k < r->bodies; k++) {
    clv_error error = {0};
    clv_body *body = add_body(world, r, NULL, &error);
    if (!body) fail_msg("%s", error.message);
    beam_clamp(body);
  }
  return world;
}

static inline void step(clv_world *world, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (clv_world_step(world, NULL) != CLV_OK) fail_msg("%s", clv_world_error(world));
}

static inline void schedule(clv_world *world, const clv_action *action) {
  if (clv_world_schedule(world, action) != CLV_OK) fail_msg("%s", clv_world_error(world));
}

#endif
