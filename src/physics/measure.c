// Measures of a body as a whole: energies and momenta.

#include "physics/body.h"

clv_result clv_body_energies(clv_body *body, clv_energies *energies) {
  const uint32_t slots = clv_body_slots(body);
  const double *mass = clv_body_masses(body), *pos = physics_vectors(body->pos), *vel = physics_vectors(body->vel),
               *g = body->gravity;
  *energies = (clv_energies){0};
  const clv_result result = clv_views_energy(body->views, &energies->elastic);
  if (result != CLV_OK) return physics_fail(body, result, "%s", clv_views_error(body->views));
  for (size_t s = 1; s < slots; s++) {
    const double *v = vel + 3 * s, *x = pos + 3 * s;
    energies->kinetic += 0.5 * mass[s] * (v[0] * v[0] + v[1] * v[1] + v[2] * v[2]);
    energies->gravitational -= mass[s] * (g[0] * x[0] + g[1] * x[1] + g[2] * x[2]);
  }
  return CLV_OK;
}

void clv_body_momenta(const clv_body *body, clv_momenta *momenta) {
  const uint32_t slots = clv_body_slots(body);
  const double *mass = clv_body_masses(body), *pos = physics_vectors(body->pos), *vel = physics_vectors(body->vel);
  clv_momenta sum = {0};
  for (size_t s = 1; s < slots; s++) {
    const double *x = pos + 3 * s, *v = vel + 3 * s, m = mass[s];
    sum.mass += m;
    for (uint32_t k = 0; k < 3; k++) {
      sum.centre[k] += m * x[k];
      sum.linear[k] += m * v[k];
      sum.angular[k] += m * (x[(k + 1) % 3] * v[(k + 2) % 3] - x[(k + 2) % 3] * v[(k + 1) % 3]);
    }
  }
  for (uint32_t k = 0; k < 3 && sum.mass > 0; k++) sum.centre[k] /= sum.mass;
  *momenta = sum;
}
