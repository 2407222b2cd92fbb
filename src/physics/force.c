// Forces: those of the laws, and what acts on particles one by one, in one pass more.

#include "physics/body.h"

static clv_result fail_from_views(clv_body *body, clv_result result) {
  return physics_fail(body, result, "%s", clv_views_error(body->views));
}

static bool make_scratch(clv_body *body) {
  return BASE_RESERVE(&body->allocator, &body->scratch, 3 * (uint64_t)clv_body_slots(body));
}

// Gravity, and drag in proportion to mass.
static void add_body_forces(const clv_body *body, double *out) {
  const uint32_t slots = clv_body_slots(body);
  const double *mass = clv_body_masses(body), *vel = physics_vectors(body->vel);
  const double x = body->gravity[0], y = body->gravity[1], z = body->gravity[2];
  const double drag = body->drag + body->rayleigh_mass;
  if (drag == 0) {
    for (size_t s = 1; s < slots; s++) {
      out[3 * s] += mass[s] * x;
      out[3 * s + 1] += mass[s] * y;
      out[3 * s + 2] += mass[s] * z;
    }
    return;
  }
  for (size_t s = 1; s < slots; s++) {
    out[3 * s] += mass[s] * (x - drag * vel[3 * s]);
    out[3 * s + 1] += mass[s] * (y - drag * vel[3 * s + 1]);
    out[3 * s + 2] += mass[s] * (z - drag * vel[3 * s + 2]);
  }
}

// Rayleigh's damping by stiffness: (df/dx) v.
static clv_result add_stiffness_damping(clv_body *body, double *out) {
  const size_t count = 3 * (size_t)clv_body_slots(body);
  if (!make_scratch(body)) return physics_no_memory(body);
  double *along = body->scratch.data;
  const clv_result result = clv_views_force_along(body->views, physics_vectors(body->vel), NULL, along);
  if (result != CLV_OK) return fail_from_views(body, result);
  for (size_t k = 3; k < count; k++) out[k] += body->rayleigh_stiffness * along[k];
  return CLV_OK;
}

clv_result physics_law_force(clv_body *body, double *out) {
  clv_result result = physics_hanging_ready(body);
  if (result != CLV_OK) return result;
  result = clv_views_force(body->views, out);
  if (result != CLV_OK) return fail_from_views(body, result);
  physics_gather(body, out);
  return CLV_OK;
}

clv_result clv_body_force(clv_body *body, double time, double *out) {
  clv_result result = physics_hanging_ready(body);
  if (result != CLV_OK) return result;
  result = clv_views_force(body->views, out);
  if (result != CLV_OK) return fail_from_views(body, result);
  add_body_forces(body, out);
  if (body->pulls.count) physics_add_pulls(body, time, out);
  if (body->loads.count) physics_add_loads(body, out);
  if (body->rayleigh_stiffness > 0) result = add_stiffness_damping(body, out);
  physics_gather(body, out);
  return result;
}

clv_result clv_body_force_along(clv_body *body, const double *dpos, const double *dvel, double *out) {
  const uint32_t slots = clv_body_slots(body);
  const size_t count = 3 * (size_t)slots;
  clv_result result = physics_hanging_ready(body);
  if (result != CLV_OK) return result;
  const double *given = dpos, *given_rate = dvel;
  dpos = physics_spread_copy(body, 0, dpos);
  dvel = physics_spread_copy(body, 1, dvel);
  if ((given && !dpos) || (given_rate && !dvel)) return physics_no_memory(body);
  const double *direction = dpos;
  if (dvel && body->rayleigh_stiffness > 0) { // stiffness acts on both
    if (!make_scratch(body)) return physics_no_memory(body);
    for (size_t k = 0; k < count; k++)
      body->scratch.data[k] = (dpos ? dpos[k] : 0) + body->rayleigh_stiffness * dvel[k];
    direction = body->scratch.data;
  }
  result = clv_views_force_along(body->views, direction, dvel, out);
  if (result != CLV_OK) return fail_from_views(body, result);
  physics_gather(body, out);
  const double drag = body->drag + body->rayleigh_mass, *mass = clv_body_masses(body);
  if (!dvel || drag == 0) return CLV_OK;
  for (size_t s = 1; s < slots; s++)
    for (size_t k = 3 * s; k < 3 * s + 3; k++) out[k] -= drag * mass[s] * dvel[k];
  return CLV_OK;
}
