// Constraints: what holds, moves and pulls particles.
//
// They are columns on vertices, so that both parts of a cut vertex keep them: `held` (bits of axes), `paths` (the path
// of each axis, from 1) and `anchor` (where the path starts). Each pull has a column of shares, which a split divides
// by the cells that go to each side: the whole force stays what it was.

#include "physics/zone.h"

#include <math.h>
#include <stdio.h>

static clv_result create_column(clv_body *body, const clv_column_def *def, clv_column **column) {
  const clv_result result = clv_column_create(body->map, def, column);
  return result == CLV_OK ? CLV_OK : physics_fail(body, result, "%s", clv_map_error(body->map));
}

clv_result physics_create_constraints(clv_body *body, clv_error *error) {
  const clv_column_def held = {
      .name = "held", .orbit = CLV_VERTEX, .type = CLV_UINT32, .components = 1, .initial = &body->always_held};
  const clv_column_def paths = {.name = "paths", .orbit = CLV_VERTEX, .type = CLV_UINT32, .components = 3};
  const clv_column_def anchor = {.name = "anchor", .orbit = CLV_VERTEX, .type = CLV_DOUBLE, .components = 3};
  clv_result result = create_column(body, &held, &body->held);
  if (result == CLV_OK) result = create_column(body, &paths, &body->paths);
  if (result == CLV_OK) result = create_column(body, &anchor, &body->anchor);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", body->error.message);
}

void physics_free_constraints(clv_body *body) {
  const clv_allocator *a = &body->allocator;
  for (uint32_t k = 0; k < body->path.count; k++)
    base_free(a, body->path.data[k].keys, body->path.data[k].count * sizeof(clv_key));
  BASE_RELEASE(a, &body->path);
  BASE_RELEASE(a, &body->pulls);
}

// Paths

void physics_path_at(const clv_key *keys, uint32_t count, double time, double *value, double *rate) {
  const uint32_t last = count - 1;
  uint32_t k = 0;
  while (k < last && keys[k + 1].time <= time) k++;
  const bool moves = k < last && time >= keys[k].time;
  const double length = moves ? keys[k + 1].time - keys[k].time : 1, part = moves ? (time - keys[k].time) / length : 0;
  for (uint32_t axis = 0; axis < 3; axis++) {
    const double step = moves ? keys[k + 1].value[axis] - keys[k].value[axis] : 0;
    value[axis] = keys[k].value[axis] + part * step;
    if (rate) rate[axis] = step / length;
  }
}

const char *physics_path_wrong(const clv_key *path, uint32_t count, uint32_t *key) {
  *key = 0;
  if (!path || !count) return "it has no keys";
  for (uint32_t k = 0; k < count; k++) {
    *key = k;
    const double *v = path[k].value;
    if (!isfinite(path[k].time) || !isfinite(v[0]) || !isfinite(v[1]) || !isfinite(v[2]))
      return "something in it is not a number";
    if (k && !(path[k].time > path[k - 1].time)) return "its times do not increase";
  }
  return NULL;
}

static clv_result test_path(clv_body *body, const clv_key *path, uint32_t count) {
  uint32_t key;
  const char *wrong = physics_path_wrong(path, count, &key);
  if (!wrong) return CLV_OK;
  return physics_fail(body, CLV_ERROR_ARGUMENT, "the path makes no sense at key %u (counted from 0): %s", key, wrong);
}

// Takes a path in; its number, from 1, is the last.
static clv_result add_path(clv_body *body, const clv_key *path, uint32_t count) {
  if (!BASE_RESERVE(&body->allocator, &body->path, (uint64_t)body->path.count + 1)) return physics_no_memory(body);
  clv_key *keys = base_allocate(&body->allocator, count * sizeof *keys);
  if (!keys) return physics_no_memory(body);
  memcpy(keys, path, count * sizeof *keys);
  body->path.data[body->path.count++] = (physics_path){keys, count};
  return CLV_OK;
}

static void drop_last_path(clv_body *body) {
  physics_path *path = &body->path.data[--body->path.count];
  base_free(&body->allocator, path->keys, path->count * sizeof *path->keys);
}

// Holding and letting go

// The particles that a call is about.
static clv_result find_particles(clv_body *body, const clv_zone *zone, uint32_t *count) {
  const clv_result result = physics_zone_vertices(body, zone);
  if (count) *count = result == CLV_OK ? body->found.count : 0;
  if (result == CLV_OK && !body->found.count)
    return physics_fail(body, CLV_ERROR_REFUSED, "no particle of the body rests in the zone");
  return result;
}

static clv_result test_axes(clv_body *body, unsigned axes) {
  if (axes && axes <= CLV_XYZ) return CLV_OK;
  return physics_fail(body, CLV_ERROR_ARGUMENT, "axes are a sum of CLV_X, CLV_Y and CLV_Z, not %u", axes);
}

clv_result clv_body_fix(clv_body *body, const clv_zone *zone, unsigned axes, uint32_t *count) {
  clv_result result = test_axes(body, axes);
  if (result == CLV_OK) result = find_particles(body, zone, count);
  if (result != CLV_OK) return result;
  uint32_t *held = clv_column_data(body->held, CLV_NONE, NULL);
  uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  double(*vel)[3] = clv_column_data(body->vel, CLV_NONE, NULL);
  for (uint32_t k = 0; k < body->found.count; k++) {
    const uint32_t slot = body->found.data[k];
    held[slot] |= axes;
    for (uint32_t axis = 0; axis < 3; axis++) {
      if (!(axes >> axis & 1u)) continue;
      paths[slot][axis] = 0;
      vel[slot][axis] = 0;
    }
  }
  body->holds = true;
  body->subject++;
  return CLV_OK;
}

clv_result clv_body_release(clv_body *body, const clv_zone *zone, unsigned axes, uint32_t *count) {
  clv_result result = test_axes(body, axes);
  if (result == CLV_OK) result = find_particles(body, zone, count);
  if (result != CLV_OK) return result;
  uint32_t *held = clv_column_data(body->held, CLV_NONE, NULL);
  uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  for (uint32_t k = 0; k < body->found.count; k++) {
    const uint32_t slot = body->found.data[k];
    held[slot] = (held[slot] & ~axes) | body->always_held;
    for (uint32_t axis = 0; axis < 3; axis++)
      if (axes >> axis & 1u) paths[slot][axis] = 0;
  }
  body->subject++;
  return CLV_OK;
}

clv_result clv_body_move(clv_body *body, const clv_zone *zone, unsigned axes, const clv_key *path, uint32_t key_count,
                         uint32_t *count) {
  clv_result result = test_axes(body, axes);
  if (result == CLV_OK) result = test_path(body, path, key_count);
  if (result == CLV_OK) result = find_particles(body, zone, count);
  if (result == CLV_OK) result = add_path(body, path, key_count);
  if (result != CLV_OK) return result;
  uint32_t *held = clv_column_data(body->held, CLV_NONE, NULL);
  uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  double(*anchor)[3] = clv_column_data(body->anchor, CLV_NONE, NULL);
  const double(*pos)[3] = clv_column_data(body->pos, CLV_NONE, NULL);
  for (uint32_t k = 0; k < body->found.count; k++) {
    const uint32_t slot = body->found.data[k];
    held[slot] |= axes;
    for (uint32_t axis = 0; axis < 3; axis++) {
      if (!(axes >> axis & 1u)) continue;
      paths[slot][axis] = body->path.count;
      anchor[slot][axis] = pos[slot][axis];
    }
  }
  body->holds = true;
  body->subject++;
  return CLV_OK;
}

// Pulling

static clv_result create_shares(clv_body *body, clv_column **column) {
  char name[24];
  snprintf(name, sizeof name, "pull%u", body->pulls.count + 1);
  const clv_column_def def = {.name = name,
                              .orbit = CLV_VERTEX,
                              .type = CLV_DOUBLE,
                              .components = 1,
                              .split = CLV_SPLIT_SHARE,
                              .merge = CLV_MERGE_SUM,
                              .destroy = physics_forget};
  return create_column(body, &def, column);
}

clv_result clv_body_pull(clv_body *body, const clv_zone *zone, const clv_key *path, uint32_t key_count,
                         uint32_t *count) {
  clv_result result = test_path(body, path, key_count);
  if (result == CLV_OK) result = find_particles(body, zone, count);
  if (result != CLV_OK) return result;
  if (!BASE_RESERVE(&body->allocator, &body->pulls, (uint64_t)body->pulls.count + 1)) return physics_no_memory(body);
  result = add_path(body, path, key_count);
  if (result != CLV_OK) return result;
  clv_column *column = NULL;
  result = create_shares(body, &column);
  if (result != CLV_OK) {
    drop_last_path(body);
    return result;
  }
  double *share = physics_vectors(column);
  for (uint32_t k = 0; k < body->found.count; k++) share[body->found.data[k]] = 1.0 / body->found.count;
  body->pulls.data[body->pulls.count++] = (physics_pull){body->path.count, column};
  body->subject++;
  return CLV_OK;
}

void physics_add_pulls(const clv_body *body, double time, double *out) {
  const uint32_t slots = clv_body_slots(body);
  for (uint32_t p = 0; p < body->pulls.count; p++) {
    double force[3];
    const physics_path *path = &body->path.data[body->pulls.data[p].path - 1];
    physics_path_at(path->keys, path->count, time, force, NULL);
    const double *share = physics_vectors(body->pulls.data[p].share);
    for (uint32_t s = 1; s < slots; s++)
      for (uint32_t axis = 0; axis < 3; axis++) out[3 * (size_t)s + axis] += share[s] * force[axis];
  }
}

// Placing

const uint32_t *clv_body_held(const clv_body *body) {
  return clv_column_data(body->held, CLV_NONE, NULL);
}

static void place_moved(clv_body *body, double time) {
  const uint32_t slots = clv_body_slots(body);
  const uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  const double(*anchor)[3] = clv_column_data(body->anchor, CLV_NONE, NULL);
  double(*pos)[3] = clv_column_data(body->pos, CLV_NONE, NULL), (*vel)[3] = clv_column_data(body->vel, CLV_NONE, NULL);
  for (uint32_t path = 1; path <= body->path.count; path++) {
    double value[3], rate[3];
    physics_path_at(body->path.data[path - 1].keys, body->path.data[path - 1].count, time, value, rate);
    for (uint32_t s = 1; s < slots; s++)
      for (uint32_t axis = 0; axis < 3; axis++) {
        if (paths[s][axis] != path) continue;
        pos[s][axis] = anchor[s][axis] + value[axis];
        vel[s][axis] = rate[axis];
      }
  }
}

void clv_body_place(clv_body *body, double time) {
  if (body->path.count > body->pulls.count) place_moved(body, time);
  if (physics_hanging_ready(body) != CLV_OK || !body->hanging->table.count) return;
  physics_spread(body, physics_vectors(body->pos));
  physics_spread(body, physics_vectors(body->vel));
}
