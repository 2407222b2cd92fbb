// Rows. See rows.h.

#include "result/rows.h"
#include "physics/zone.h"
#include "result/disk.h"

#include <math.h>
#include <stdio.h>

// Energies and momenta, of all bodies together

void result_energies_names(result_text *row) {
  result_put(
      row, "time,kinetic,elastic,gravitational,total,momentum.x,momentum.y,momentum.z,angular.x,angular.y,angular.z\n");
}

static void put_values(result_text *row, const double *values, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) {
    result_put(row, ",");
    result_put_real(row, values[k]);
  }
}

clv_result result_energies_row(result_text *row, const clv_world *world, clv_error *error) {
  clv_energies sum = {0, 0, 0};
  double momentum[3] = {0, 0, 0}, angular[3] = {0, 0, 0};
  for (uint32_t b = 0; b < clv_world_bodies(world); b++) {
    clv_energies energies;
    clv_momenta momenta;
    const clv_result result = clv_body_energies(clv_world_body(world, b), &energies);
    if (result != CLV_OK)
      return clv_error_set(error, result, "energies of body '%s': %s", clv_world_body_name(world, b),
                           clv_body_error(clv_world_body(world, b)));
    clv_body_momenta(clv_world_body(world, b), &momenta);
    sum.kinetic += energies.kinetic;
    sum.elastic += energies.elastic;
    sum.gravitational += energies.gravitational;
    for (uint32_t k = 0; k < 3; k++) momentum[k] += momenta.linear[k];
    for (uint32_t k = 0; k < 3; k++) angular[k] += momenta.angular[k];
  }
  const double values[] = {sum.kinetic, sum.elastic, sum.gravitational, sum.kinetic + sum.elastic + sum.gravitational};
  result_put_real(row, clv_world_time(world));
  put_values(row, values, 4);
  put_values(row, momentum, 3);
  put_values(row, angular, 3);
  result_put(row, "\n");
  return CLV_OK;
}

// Probes

static clv_result find_particles(result_probe *probe, const clv_world *world, const clv_allocator *allocator,
                                 clv_error *error) {
  clv_body *body = clv_world_body(world, probe->body);
  const clv_result result = physics_zone_vertices(body, &probe->zone);
  if (result != CLV_OK) return clv_error_set(error, result, "probe '%s': %s", probe->name, clv_body_error(body));
  if (!BASE_RESERVE(allocator, &probe->slots, (uint64_t)body->found.count + 1))
    return result_memory_error(error, probe->name);
  if (body->found.count) memcpy(probe->slots.data, body->found.data, body->found.count * sizeof(uint32_t));
  probe->slots.count = body->found.count;
  probe->revision = clv_map_revision(clv_body_map(body));
  return CLV_OK;
}

// A name stands in the first line of a CSV file, before a point.
static bool is_probe_name(const char *name) {
  return name && *name && !strpbrk(name, ",\"\r\n") && strncmp(name, "scalpel", 7) != 0 && result_is_utf8(name);
}

static clv_result add_probe(result_probes *probes, const clv_world *world, const clv_probe *from, clv_error *error) {
  if (!is_probe_name(from->name))
    return clv_error_set(error, CLV_ERROR_ARGUMENT,
                         "a probe needs a name without commas and quotation marks, that does not begin with 'scalpel'");
  if (from->body >= clv_world_bodies(world))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "probe '%s' watches body %u, but there are %u", from->name,
                         from->body, clv_world_bodies(world));
  for (uint32_t k = 0; k < probes->list.count; k++) {
    if (strcmp(probes->list.data[k].name, from->name) == 0)
      return clv_error_set(error, CLV_ERROR_ARGUMENT, "two probes are called '%s'", from->name);
  }
  result_probe *probe = &probes->list.data[probes->list.count];
  *probe = (result_probe){
      .name = base_allocate(probes->allocator, strlen(from->name) + 1), .body = from->body, .zone = from->zone};
  if (!probe->name) return result_memory_error(error, from->name);
  memcpy(probe->name, from->name, strlen(from->name) + 1);
  probes->list.count++;
  const clv_result result = find_particles(probe, world, probes->allocator, error);
  if (result != CLV_OK || probe->slots.count) return result;
  return clv_error_set(error, CLV_ERROR_REFUSED, "probe '%s' holds no particle of body '%s': move or widen its zone",
                       probe->name, clv_world_body_name(world, probe->body));
}

clv_result result_probes_init(result_probes *probes, const clv_world *world, const clv_probe *list, uint32_t count,
                              const clv_allocator *allocator, clv_error *error) {
  *probes = (result_probes){.allocator = allocator};
  if (!BASE_RESERVE(allocator, &probes->list, count)) return result_memory_error(error, "probes");
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < count; k++) result = add_probe(probes, world, &list[k], error);
  probes->scalpels = clv_world_scalpels(world);
  if (result != CLV_OK) result_probes_free(probes);
  return result;
}

void result_probes_free(result_probes *probes) {
  for (uint32_t k = 0; k < probes->list.count; k++) {
    result_probe *probe = &probes->list.data[k];
    BASE_RELEASE(probes->allocator, &probe->slots);
    base_free(probes->allocator, probe->name, strlen(probe->name) + 1);
  }
  BASE_RELEASE(probes->allocator, &probes->list);
  BASE_RELEASE(probes->allocator, &probes->forces);
}

void result_probes_names(const result_probes *probes, result_text *row) {
  static const char *const values[] = {"x", "y", "z", "dx", "dy", "dz", "vx", "vy", "vz", "fx", "fy", "fz"};
  result_put(row, "time");
  for (uint32_t k = 0; k < probes->list.count; k++) {
    for (size_t v = 0; v < sizeof values / sizeof *values; v++) {
      result_put(row, ",");
      result_put(row, probes->list.data[k].name);
      result_put(row, ".");
      result_put(row, values[v]);
    }
  }
  static const char *const felt[] = {"x", "y", "z", "fx", "fy", "fz", "stress"};
  for (uint32_t k = 0; k < probes->scalpels; k++)
    for (size_t v = 0; v < sizeof felt / sizeof *felt; v++) {
      char name[40];
      snprintf(name, sizeof name, ",scalpel%u.%s", k + 1, felt[v]);
      result_put(row, name);
    }
  result_put(row, "\n");
}

// Where its point was, what pressed on it, and the stress of an attempt to cut.
static void put_scalpel(result_text *row, const clv_world *world, uint32_t k) {
  clv_scalpel_report last;
  double tip[3];
  if (!clv_world_scalpel(world, k, &last, tip)) return;
  put_values(row, tip, 3);
  put_values(row, last.force, 3);
  put_values(row, &last.stress, 1);
}

static bool watches_held(const result_probe *probe, const uint32_t *held) {
  for (uint32_t k = 0; k < probe->slots.count; k++) {
    if (held[probe->slots.data[k]]) return true;
  }
  return false;
}

// Along the axes that particles are held: what acts on them there is what they are held against.
static clv_result sum_forces(result_probes *probes, const result_probe *probe, const clv_world *world, double force[3],
                             clv_error *error) {
  clv_body *body = clv_world_body(world, probe->body);
  const uint32_t *held = clv_body_held(body);
  if (!watches_held(probe, held)) return CLV_OK;
  if (!BASE_RESERVE(probes->allocator, &probes->forces, 3 * (uint64_t)clv_body_slots(body)))
    return result_memory_error(error, probe->name);
  const clv_result result = clv_body_force(body, clv_world_time(world), probes->forces.data);
  if (result != CLV_OK) return clv_error_set(error, result, "probe '%s': %s", probe->name, clv_body_error(body));
  for (uint32_t k = 0; k < probe->slots.count; k++) {
    const size_t slot = probe->slots.data[k];
    for (uint32_t axis = 0; axis < 3; axis++) {
      if (held[slot] & 1u << axis) force[axis] += probes->forces.data[3 * slot + axis];
    }
  }
  return CLV_OK;
}

static clv_result put_probe(result_probes *probes, const result_probe *probe, result_text *row, const clv_world *world,
                            clv_error *error) {
  clv_body *body = clv_world_body(world, probe->body);
  const double *position = clv_body_positions(body), *rest = clv_body_rest(body), *velocity = clv_body_velocities(body);
  double values[12] = {0};
  for (uint32_t k = 0; k < probe->slots.count; k++) {
    const size_t at = 3 * (size_t)probe->slots.data[k];
    for (uint32_t axis = 0; axis < 3; axis++) {
      values[axis] += position[at + axis];
      values[3 + axis] += position[at + axis] - rest[at + axis];
      values[6 + axis] += velocity[at + axis];
    }
  }
  // The mean of no particles is no number; all may have been removed.
  for (uint32_t k = 0; k < 9; k++) values[k] = probe->slots.count ? values[k] / probe->slots.count : (double)NAN;
  const clv_result result = sum_forces(probes, probe, world, values + 9, error);
  if (result == CLV_OK) put_values(row, values, 12);
  return result;
}

clv_result result_probes_row(result_probes *probes, result_text *row, const clv_world *world, clv_error *error) {
  clv_result result = CLV_OK;
  result_put_real(row, clv_world_time(world));
  for (uint32_t k = 0; result == CLV_OK && k < probes->list.count; k++) {
    result_probe *probe = &probes->list.data[k];
    if (probe->revision != clv_map_revision(clv_body_map(clv_world_body(world, probe->body))))
      result = find_particles(probe, world, probes->allocator, error);
    if (result == CLV_OK) result = put_probe(probes, probe, row, world, error);
  }
  for (uint32_t k = 0; result == CLV_OK && k < probes->scalpels; k++) put_scalpel(row, world, k);
  result_put(row, "\n");
  return result;
}
