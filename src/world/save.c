// Saving a world, and going on from there.
//
// A world that was made the same way has the same maps, columns and views, to the last bit. What has happened since is
// told again: the journals of the maps are replayed commit by commit, so that ids, free lists and the rows of views
// come out in the same order, and between the commits the actions are carried out that came between them. Then every
// value is overwritten by what it was: columns, solvers' memories, gravity, the clock.
//
// Blocks are named `clock`, `origin` where the step was changed, `actions`, and for body 0, 1 ... `body0.journal`,
// `body0.pace`, `body0.was` where a tool is used, `body0.ambient`, `body0.column.NAME.KIND`, `body0.memory.NAME`; for
// scalpels in use `scalpel0.memory` ...; for blades in use `tracks`, and `track4.memory` of the action with number 4.

#include "physics/body.h"
#include "surgery/surgery.h"
#include "world/world.h"

#include <math.h>
#include <stdio.h>

#define SAVE_MAGIC UINT64_C(0x35444C574B564C43)     // "CLVKWLD5"
#define SAVE_MAGIC_OLD UINT64_C(0x34444C574B564C43) // "CLVKWLD4": rules were applied with fewer options
enum { SAVE_NAME = 256 };

typedef struct saved_clock {
  uint64_t magic, steps;
  double step;
  uint32_t bodies, actions, next;
  uint16_t shifted;  // the step was changed on the way: there is a block `origin`, too
  uint8_t automatic; // the step was left open
  uint8_t tracked;   // there is a block `tracks`, too
} saved_clock;

typedef struct saved_origin {
  double time;
  uint64_t steps;
} saved_origin;

typedef struct saved_pace {
  uint32_t parts;
  uint16_t paced; // nothing has changed since
  uint16_t was;   // there is a block `was`, too
} saved_pace;

typedef struct saved_action {
  uint32_t kind, body, axes, key_count, particle_count;
  int32_t zone_kind, region, dimension;
  double time, point[3], extent[3], radius, value[3], edge[2][3];
  uint64_t commits, points, elements; // of the surface
  uint32_t tear_kind, tear_most, masked;
  int32_t mask_kind, mask_region, mask_dimension;
  double threshold, mask_point[3], mask_extent[3], mask_radius, scalpel[6];
  double snap, quality;
  uint32_t level, exact;
  uint32_t refine_level, adapt_kind, adapt_level, adapt_most, adapt_coarsen, label;
  double bound, slack, near[3];
} saved_action;

typedef struct saved_ambient {
  double gravity[3], drag, rayleigh_mass, rayleigh_stiffness;
} saved_ambient;

// Columns: by slot for orbits that cross cells; by kind for those inside.

static bool has_values(const clv_column *column, uint32_t kind, void **data, size_t *size) {
  uint32_t count = 0;
  *data = clv_column_data(column, (clv_kind)kind, &count);
  *size = count * clv_column_size(column);
  return *data && count;
}

static bool is_column_kind(const clv_map *map, uint32_t kind) {
  return kind <= CLV_TEMPLATE_LAST || kind == (map->dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON);
}

static const char *kind_word(uint32_t kind) {
  return kind == CLV_NONE ? "all" : clv_kind_name((clv_kind)kind);
}

// Saving

static clv_result put_block(clv_world *world, clv_world_writer *write, void *user, const char *name, const void *data,
                            size_t size) {
  const clv_result result = write(user, name, data, size);
  return result == CLV_OK ? CLV_OK : world_fail(world, result, "block '%s' could not be written", name);
}

static bool append(clv_world *world, const void *data, size_t size) {
  if (!BASE_RESERVE(&world->allocator, &world->bytes, (uint64_t)world->bytes.count + size)) return false;
  if (size) memcpy(world->bytes.data + world->bytes.count, data, size);
  world->bytes.count += (uint32_t)size;
  return true;
}

static void pack_tools(const clv_action *a, saved_action *saved) {
  const clv_tear *t = &a->tear;
  const clv_scalpel_def *c = &a->scalpel;
  const double scalpel[] = {c->radius, c->stiffness, c->attempt, c->sharpness, c->damage, c->toughness};
  saved->tear_kind = (uint32_t)t->kind;
  saved->tear_most = t->most;
  saved->masked = t->masked;
  saved->mask_kind = (int32_t)t->mask.kind;
  saved->mask_region = t->mask.region;
  saved->mask_dimension = t->mask.dimension;
  saved->threshold = t->threshold;
  saved->mask_radius = t->mask.radius;
  memcpy(saved->mask_point, t->mask.point, sizeof saved->mask_point);
  memcpy(saved->mask_extent, t->mask.extent, sizeof saved->mask_extent);
  memcpy(saved->scalpel, scalpel, sizeof scalpel);
  saved->snap = a->slice.snap;
  saved->quality = a->slice.quality;
  saved->level = a->slice.level;
  saved->exact = a->slice.exact;
  saved->refine_level = a->level;
  saved->adapt_kind = (uint32_t)a->adapt.kind;
  saved->adapt_level = a->adapt.level;
  saved->adapt_most = a->adapt.most;
  saved->adapt_coarsen = a->adapt.coarsen;
  saved->bound = a->adapt.bound;
  saved->slack = a->adapt.slack;
  memcpy(saved->near, a->adapt.point, sizeof saved->near);
}

static saved_action pack(const world_action *entry) {
  const clv_action *a = &entry->action;
  saved_action saved = {.kind = (uint32_t)a->kind,
                        .body = a->body,
                        .axes = a->axes,
                        .key_count = a->key_count,
                        .particle_count = a->particle_count,
                        .label = a->label,
                        .zone_kind = (int32_t)a->zone.kind,
                        .region = a->zone.region,
                        .dimension = a->zone.dimension,
                        .time = a->time,
                        .radius = a->zone.radius,
                        .commits = entry->commits};
  memcpy(saved.point, a->zone.point, sizeof saved.point);
  memcpy(saved.extent, a->zone.extent, sizeof saved.extent);
  memcpy(saved.value, a->value, sizeof saved.value);
  memcpy(saved.edge, a->edge, sizeof saved.edge);
  pack_tools(a, &saved);
  if (entry->surface) saved.points = entry->surface->point_count;
  if (entry->surface) saved.elements = entry->surface->element_count;
  return saved;
}

// A surface's elements have four corners each: a triangle's last one twice.
typedef uint32_t saved_element[4];

static bool append_surface(clv_world *world, const clv_mesh *surface) {
  if (!append(world, surface->points, surface->point_count * sizeof *surface->points)) return false;
  for (size_t e = 0; e < surface->element_count; e++) {
    const uint32_t *c = surface->corners + surface->offsets[e];
    const saved_element element = {c[0], c[1], c[2], surface->kinds[e] == CLV_QUAD ? c[3] : c[2]};
    if (!append(world, element, sizeof element)) return false;
  }
  return true;
}

typedef struct saved_zone {
  int32_t kind, region, dimension, unused;
  double point[3], extent[3], radius;
} saved_zone;

static saved_zone pack_zone(const clv_zone *zone) {
  saved_zone saved = {
      .kind = (int32_t)zone->kind, .region = zone->region, .dimension = zone->dimension, .radius = zone->radius};
  memcpy(saved.point, zone->point, sizeof saved.point);
  memcpy(saved.extent, zone->extent, sizeof saved.extent);
  return saved;
}

// A rule is called by its number: a world that was made the same way has it. Its size stands before it: what comes to
// its end later is 0 in what was saved before.
typedef struct saved_rule {
  uint32_t number, on, level, rounds; // so far in CLVKWLD4, without a size
  uint32_t most, masked, touching, unused;
  saved_zone mask, shape;
} saved_rule;

static bool append_rule(clv_world *world, const world_action *entry) {
  const clv_apply *apply = &entry->action.apply;
  const saved_rule rule = {.number = entry->rule,
                           .on = apply->on,
                           .level = apply->level,
                           .rounds = apply->rounds,
                           .most = apply->most,
                           .masked = apply->masked,
                           .touching = apply->touching,
                           .mask = pack_zone(&apply->mask),
                           .shape = pack_zone(&apply->shape)};
  const uint64_t size = sizeof rule;
  return append(world, &size, sizeof size) && append(world, &rule, sizeof rule);
}

static bool append_lists(clv_world *world, const world_action *entry) {
  const clv_action *a = &entry->action;
  return append(world, entry->path, a->key_count * sizeof *entry->path) &&
         append(world, entry->particles, a->particle_count * sizeof *entry->particles) &&
         (!entry->surface || append_surface(world, entry->surface)) &&
         (a->kind != CLV_ACTION_APPLY || append_rule(world, entry));
}

static clv_result save_actions(clv_world *world, clv_world_writer *write, void *user) {
  world->bytes.count = 0;
  for (uint32_t k = 0; k < world->actions.count; k++) {
    const world_action *entry = &world->actions.data[k];
    const saved_action saved = pack(entry);
    if (!append(world, &saved, sizeof saved) || !append_lists(world, entry)) return world_no_memory(world);
  }
  return put_block(world, write, user, "actions", world->bytes.data, world->bytes.count);
}

static clv_result save_columns(clv_world *world, uint32_t number, clv_world_writer *write, void *user) {
  const clv_map *map = clv_body_map(world->bodies.data[number].body);
  clv_result result = CLV_OK;
  const clv_column *column;
  for (uint32_t k = 0; result == CLV_OK && (column = clv_column_list(map, k)); k++)
    for (uint32_t kind = CLV_NONE; result == CLV_OK && kind <= CLV_POLYHEDRON; kind++) {
      void *data;
      size_t size;
      if (!is_column_kind(map, kind) || !has_values(column, kind, &data, &size)) continue;
      char name[SAVE_NAME];
      snprintf(name, sizeof name, "body%u.column.%s.%s", number, clv_column_get_def(column)->name, kind_word(kind));
      result = put_block(world, write, user, name, data, size);
    }
  return result;
}

static clv_result save_memories(clv_world *world, uint32_t number, clv_world_writer *write, void *user) {
  clv_result result = CLV_OK;
  const char *what;
  double *values;
  size_t count;
  for (uint32_t k = 0;
       result == CLV_OK && clv_solver_memory(world->bodies.data[number].solver, k, &what, &values, &count); k++) {
    char name[SAVE_NAME];
    snprintf(name, sizeof name, "body%u.memory.%s", number, what);
    result = put_block(world, write, user, name, values, count * sizeof *values);
  }
  return result;
}

static clv_result save_scalpels(clv_world *world, clv_world_writer *write, void *user) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < world->scalpels.count; k++) {
    char name[SAVE_NAME];
    double *values;
    size_t count;
    clv_scalpel_memory(world->scalpels.data[k].scalpel, &values, &count);
    snprintf(name, sizeof name, "scalpel%u.memory", k);
    result = put_block(world, write, user, name, values, count * sizeof *values);
  }
  return result;
}

// Numbers of the actions that have one. What vertices and cells know is in columns.
static clv_result save_tracks(clv_world *world, clv_world_writer *write, void *user) {
  clv_result result = CLV_OK;
  world->bytes.count = 0;
  for (uint32_t k = 0; k < world->tracks.count; k++)
    if (!append(world, &world->tracks.data[k].action, sizeof world->tracks.data[k].action))
      return world_no_memory(world);
  if (world->tracks.count) result = put_block(world, write, user, "tracks", world->bytes.data, world->bytes.count);
  for (uint32_t k = 0; result == CLV_OK && k < world->tracks.count; k++) {
    char name[SAVE_NAME];
    double *values;
    size_t count;
    clv_track_memory(world->tracks.data[k].track, &values, &count);
    snprintf(name, sizeof name, "track%u.memory", world->tracks.data[k].action);
    result = put_block(world, write, user, name, values, count * sizeof *values);
  }
  return result;
}

static clv_result save_body(clv_world *world, uint32_t number, clv_world_writer *write, void *user) {
  const world_body *b = &world->bodies.data[number];
  char name[SAVE_NAME];
  const size_t size = clv_journal_saved_size(b->journal);
  world->bytes.count = 0;
  if (!BASE_RESERVE(&world->allocator, &world->bytes, size)) return world_no_memory(world);
  clv_journal_save(b->journal, world->bytes.data);
  snprintf(name, sizeof name, "body%u.journal", number);
  clv_result result = put_block(world, write, user, name, world->bytes.data, size);
  const saved_pace pace = {.parts = b->parts, .paced = world_is_paced(b), .was = world_knows_places(b)};
  snprintf(name, sizeof name, "body%u.pace", number);
  if (result == CLV_OK) result = put_block(world, write, user, name, &pace, sizeof pace);
  snprintf(name, sizeof name, "body%u.was", number);
  if (result == CLV_OK && pace.was)
    result = put_block(world, write, user, name, b->was.data, b->was.count * sizeof *b->was.data);
  saved_ambient ambient = {.drag = b->body->drag,
                           .rayleigh_mass = b->body->rayleigh_mass,
                           .rayleigh_stiffness = b->body->rayleigh_stiffness};
  clv_body_get_gravity(b->body, ambient.gravity);
  snprintf(name, sizeof name, "body%u.ambient", number);
  if (result == CLV_OK) result = put_block(world, write, user, name, &ambient, sizeof ambient);
  if (result == CLV_OK) result = save_columns(world, number, write, user);
  if (result == CLV_OK) result = save_memories(world, number, write, user);
  return result;
}

clv_result clv_world_save(clv_world *world, clv_world_writer *write, void *user) {
  clv_result result = world_start(world);
  if (result != CLV_OK) return result;
  const saved_clock clock = {.magic = SAVE_MAGIC,
                             .steps = world->steps,
                             .step = world->step,
                             .bodies = world->bodies.count,
                             .actions = world->actions.count,
                             .next = world->next,
                             .shifted = world->origin_steps != 0,
                             .automatic = world->automatic,
                             .tracked = world->tracks.count != 0};
  const saved_origin origin = {world->origin_time, world->origin_steps};
  result = put_block(world, write, user, "clock", &clock, sizeof clock);
  if (result == CLV_OK && clock.shifted) result = put_block(world, write, user, "origin", &origin, sizeof origin);
  if (result == CLV_OK) result = save_actions(world, write, user);
  for (uint32_t k = 0; result == CLV_OK && k < world->bodies.count; k++) result = save_body(world, k, write, user);
  if (result == CLV_OK) result = save_scalpels(world, write, user);
  return result == CLV_OK ? save_tracks(world, write, user) : result;
}

// Loading

typedef struct source {
  clv_world *world;
  clv_world_reader *read;
  void *user;
  bool old; // saved as CLVKWLD4
} source;

// A block; `size` bytes long, or of any length when that is SIZE_MAX.
static clv_result get_block(const source *s, const char *name, size_t size, const void **data, size_t *length) {
  size_t found = 0;
  *data = NULL;
  const clv_result result = s->read(s->user, name, data, &found);
  if (result != CLV_OK) return world_fail(s->world, result, "block '%s' could not be read", name);
  if ((size != SIZE_MAX && found != size) || (found && !*data))
    return world_fail(s->world, CLV_ERROR_INPUT,
                      "block '%s' has %zu bytes instead of %zu: it was saved from a world that was made another way",
                      name, found, size);
  if (length) *length = found;
  return CLV_OK;
}

static clv_result load_values(const source *s, const char *name, void *values, size_t size) {
  const void *data;
  const clv_result result = get_block(s, name, size, &data, NULL);
  if (result == CLV_OK && size) memcpy(values, data, size);
  return result;
}

static clv_result damaged(const source *s, const char *what) {
  return world_fail(s->world, CLV_ERROR_INPUT, "the saved world is damaged, or not of this one: %s", what);
}

static void unpack_tools(const saved_action *saved, clv_action *a) {
  a->tear = (clv_tear){.kind = (clv_tear_kind)saved->tear_kind,
                       .threshold = saved->threshold,
                       .zone = clv_zone_all(),
                       .masked = saved->masked != 0,
                       .mask = {.kind = (clv_zone_kind)saved->mask_kind,
                                .region = saved->mask_region,
                                .dimension = saved->mask_dimension,
                                .radius = saved->mask_radius},
                       .most = saved->tear_most};
  memcpy(a->tear.mask.point, saved->mask_point, sizeof a->tear.mask.point);
  memcpy(a->tear.mask.extent, saved->mask_extent, sizeof a->tear.mask.extent);
  const double *c = saved->scalpel;
  a->scalpel = (clv_scalpel_def){c[0], c[1], c[2], c[3], c[4], c[5]};
  a->slice =
      (clv_slice){.level = saved->level, .snap = saved->snap, .quality = saved->quality, .exact = saved->exact != 0};
  a->level = saved->refine_level;
  a->adapt = (clv_adapt){.kind = (clv_adapt_kind)saved->adapt_kind,
                         .bound = saved->bound,
                         .slack = saved->slack,
                         .zone = clv_zone_all(),
                         .level = saved->adapt_level,
                         .coarsen = saved->adapt_coarsen != 0,
                         .most = saved->adapt_most};
  memcpy(a->adapt.point, saved->near, sizeof a->adapt.point);
}

static clv_action unpack(const saved_action *saved) {
  clv_action a = {.kind = (clv_action_kind)saved->kind,
                  .body = saved->body,
                  .axes = saved->axes,
                  .key_count = saved->key_count,
                  .particle_count = saved->particle_count,
                  .label = saved->label,
                  .time = saved->time,
                  .zone = {.kind = (clv_zone_kind)saved->zone_kind,
                           .region = saved->region,
                           .dimension = saved->dimension,
                           .radius = saved->radius}};
  memcpy(a.zone.point, saved->point, sizeof a.zone.point);
  memcpy(a.zone.extent, saved->extent, sizeof a.zone.extent);
  memcpy(a.value, saved->value, sizeof a.value);
  memcpy(a.edge, saved->edge, sizeof a.edge);
  unpack_tools(saved, &a);
  return a;
}

// Bytes that are read one thing after the other; they may lie at any address.
typedef struct saved_bytes {
  const uint8_t *at;
  size_t left;
} saved_bytes;

static bool take(saved_bytes *from, void *to, size_t size) {
  if (from->left < size || (size && !to)) return false;
  if (size) memcpy(to, from->at, size);
  from->at += size;
  from->left -= size;
  return true;
}

static clv_result load_surface(const source *s, const saved_action *saved, saved_bytes *from, clv_mesh *to) {
  clv_result result = CLV_OK;
  for (uint64_t p = 0; result == CLV_OK && p < saved->points; p++) {
    double x[3];
    if (!take(from, x, sizeof x)) return damaged(s, "a surface ends too early");
    result = clv_mesh_add_point(to, x[0], x[1], x[2]);
  }
  for (uint64_t e = 0; result == CLV_OK && e < saved->elements; e++) {
    saved_element c;
    if (!take(from, c, sizeof c)) return damaged(s, "a surface ends too early");
    const bool quad = c[3] != c[2];
    result = clv_mesh_add_element(to, quad ? CLV_QUAD : CLV_TRI, c, quad ? 4 : 3, 0);
  }
  return result == CLV_OK ? CLV_OK : world_no_memory(s->world);
}

static bool take_rule(const source *s, saved_bytes *from, saved_rule *rule) {
  uint64_t size = offsetof(saved_rule, most);
  *rule = (saved_rule){0};
  if (!s->old && !take(from, &size, sizeof size)) return false;
  return size <= sizeof *rule && take(from, rule, size);
}

static clv_zone unpack_zone(const saved_zone *saved) {
  clv_zone zone = {.kind = (clv_zone_kind)saved->kind,
                   .region = saved->region,
                   .dimension = saved->dimension,
                   .radius = saved->radius};
  memcpy(zone.point, saved->point, sizeof zone.point);
  memcpy(zone.extent, saved->extent, sizeof zone.extent);
  return zone;
}

static clv_result load_rule(const source *s, const saved_action *saved, saved_bytes *from, saved_rule *rule,
                            clv_action *action) {
  *rule = (saved_rule){0};
  if (saved->kind != CLV_ACTION_APPLY) return CLV_OK;
  if (!take_rule(s, from, rule)) return damaged(s, "an action ends too early");
  if (rule->number >= s->world->rules.count) return damaged(s, "an action applies a rule that there is not");
  action->apply = (clv_apply){.rule = s->world->rules.data[rule->number],
                              .on = rule->on,
                              .level = rule->level,
                              .rounds = rule->rounds,
                              .most = rule->most,
                              .masked = rule->masked != 0,
                              .mask = unpack_zone(&rule->mask),
                              .touching = rule->touching != 0,
                              .shape = unpack_zone(&rule->shape),
                              .zone = clv_zone_all()};
  return clv_apply_wrong(&action->apply) ? damaged(s, "an action makes no sense") : CLV_OK;
}

// The lists of an action, and the action with them.
static clv_result load_lists(const source *s, const saved_action *saved, saved_bytes *from) {
  clv_world *world = s->world;
  const clv_allocator *a = &world->allocator;
  const size_t path_size = saved->key_count * sizeof(clv_key), list_size = saved->particle_count * sizeof(clv_id);
  if (from->left < path_size || from->left - path_size < list_size) return damaged(s, "an action ends too early");
  clv_key *path = path_size ? base_allocate(a, path_size) : NULL;
  clv_id *particles = list_size ? base_allocate(a, list_size) : NULL;
  clv_mesh surface;
  clv_mesh_init(&surface, a);
  clv_result result = (path_size && !path) || (list_size && !particles) ? world_no_memory(world) : CLV_OK;
  if (result == CLV_OK && take(from, path, path_size) && take(from, particles, list_size))
    result = load_surface(s, saved, from, &surface);
  clv_action action = unpack(saved);
  action.path = path;
  action.particles = particles;
  action.surface = surface.element_count ? &surface : NULL;
  saved_rule rule;
  if (result == CLV_OK) result = load_rule(s, saved, from, &rule, &action);
  if (result == CLV_OK) result = world_insert(world, world->actions.count, &action);
  if (result == CLV_OK) world->actions.data[world->actions.count - 1].rule = rule.number;
  base_free(a, path, path_size);
  base_free(a, particles, list_size);
  clv_mesh_free(&surface);
  return result;
}

static clv_result load_action(const source *s, saved_bytes *from) {
  clv_world *world = s->world;
  saved_action saved;
  if (!take(from, &saved, sizeof saved)) return damaged(s, "its actions end too early");
  if (saved.kind >= CLV_ACTION_KIND_COUNT || saved.body >= world->bodies.count || !isfinite(saved.time))
    return damaged(s, "an action makes no sense");
  const unsigned needs = world_kinds[saved.kind].needs;
  const bool may = needs & (ACTION_PATH | ACTION_MAY_PATH), facets = needs & ACTION_FACETS;
  if ((needs & ACTION_PATH && !saved.key_count) || (!may && saved.key_count) ||
      (!facets && (saved.particle_count || saved.elements)))
    return damaged(s, "an action makes no sense");
  const clv_result result = load_lists(s, &saved, from);
  if (result == CLV_OK) world->actions.data[world->actions.count - 1].commits = saved.commits;
  return result;
}

static clv_result load_actions(const source *s, const saved_clock *clock) {
  const void *data;
  saved_bytes from = {0};
  clv_result result = get_block(s, "actions", SIZE_MAX, &data, &from.left);
  if (result != CLV_OK) return result;
  from.at = data;
  world_free_actions(s->world);
  for (uint32_t k = 0; result == CLV_OK && k < clock->actions; k++) result = load_action(s, &from);
  if (result != CLV_OK) return result;
  if (from.left || clock->next > clock->actions) return damaged(s, "its actions do not add up");
  return CLV_OK;
}

static clv_result load_journals(const source *s, clv_journal **journals) {
  clv_world *world = s->world;
  for (uint32_t k = 0; k < world->bodies.count; k++) {
    const world_body *b = &world->bodies.data[k];
    clv_map *map = clv_body_map(b->body);
    char name[SAVE_NAME];
    const void *data = NULL;
    size_t size = 0;
    snprintf(name, sizeof name, "body%u.journal", k);
    const clv_result result = get_block(s, name, SIZE_MAX, &data, &size);
    if (result != CLV_OK) return result;
    clv_error error = {0};
    journals[k] = clv_journal_load(map, data, size, &error);
    if (!journals[k]) return world_fail(world, error.code, "body '%s': %s", b->name, error.message);
    if (clv_journal_fits(journals[k], map) != CLV_OK)
      return world_fail(world, CLV_ERROR_INPUT, "body '%s': %s", b->name, clv_map_error(map));
  }
  return CLV_OK;
}

// Replays a body's commits up to a number.
static clv_result replay_to(const source *s, clv_journal **journals, uint32_t number, uint64_t end) {
  const world_body *b = &s->world->bodies.data[number];
  clv_map *map = clv_body_map(b->body);
  const uint64_t done = clv_journal_commits(b->journal);
  if (end < done || end > clv_journal_commits(journals[number]))
    return damaged(s, "an action names a commit that there is not");
  const clv_result result = clv_journal_replay_some(journals[number], map, done, end);
  return result == CLV_OK ? CLV_OK : world_fail(s->world, result, "body '%s': %s", b->name, clv_map_error(map));
}

static clv_result tell_again(const source *s, clv_journal **journals, uint32_t next) {
  clv_world *world = s->world;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < next; k++) {
    const world_action *entry = &world->actions.data[k];
    result = replay_to(s, journals, entry->action.body, entry->commits);
    const world_kind *kind = &world_kinds[entry->action.kind];
    if (result == CLV_OK && !kind->topology && kind->act && !world_is_vain(world, entry))
      result = kind->act(world, entry, NULL);
  }
  for (uint32_t k = 0; result == CLV_OK && k < world->bodies.count; k++)
    result = replay_to(s, journals, k, clv_journal_commits(journals[k]));
  return result;
}

static clv_result load_columns(const source *s, uint32_t number) {
  const clv_map *map = clv_body_map(s->world->bodies.data[number].body);
  clv_result result = CLV_OK;
  const clv_column *column;
  for (uint32_t k = 0; result == CLV_OK && (column = clv_column_list(map, k)); k++)
    for (uint32_t kind = CLV_NONE; result == CLV_OK && kind <= CLV_POLYHEDRON; kind++) {
      void *data;
      size_t size;
      if (!is_column_kind(map, kind) || !has_values(column, kind, &data, &size)) continue;
      char name[SAVE_NAME];
      snprintf(name, sizeof name, "body%u.column.%s.%s", number, clv_column_get_def(column)->name, kind_word(kind));
      result = load_values(s, name, data, size);
      // What rules are told came to be more; it is told again before it is read.
      if (s->old && result != CLV_OK && surgery_is_told(clv_column_get_def(column)->name)) result = CLV_OK;
    }
  return result;
}

static clv_result load_body(const source *s, uint32_t number) {
  const world_body *b = &s->world->bodies.data[number];
  char name[SAVE_NAME];
  saved_ambient ambient;
  snprintf(name, sizeof name, "body%u.ambient", number);
  clv_result result = load_values(s, name, &ambient, sizeof ambient);
  if (result == CLV_OK) result = load_columns(s, number);
  const char *what;
  double *values;
  size_t count;
  for (uint32_t k = 0; result == CLV_OK && clv_solver_memory(b->solver, k, &what, &values, &count); k++) {
    snprintf(name, sizeof name, "body%u.memory.%s", number, what);
    result = load_values(s, name, values, count * sizeof *values);
  }
  if (result != CLV_OK) return result;
  clv_body_set_gravity(b->body, ambient.gravity);
  clv_body_set_damping(b->body, ambient.drag, ambient.rayleigh_mass, ambient.rayleigh_stiffness);
  clv_views *views = clv_body_views(b->body);
  result = clv_views_restore(views);
  return result == CLV_OK ? CLV_OK : world_fail(s->world, result, "body '%s': %s", b->name, clv_views_error(views));
}

static clv_result load_pace(const source *s, uint32_t number) {
  world_body *b = &s->world->bodies.data[number];
  char name[SAVE_NAME];
  saved_pace pace;
  snprintf(name, sizeof name, "body%u.pace", number);
  const clv_result result = load_values(s, name, &pace, sizeof pace);
  if (result != CLV_OK) return result;
  if (!pace.parts || pace.parts > WORLD_PARTS) return damaged(s, "the parts of a step make no sense");
  world_set_parts(b, pace.parts);
  b->paced = pace.paced != 0;
  if (!pace.was) return CLV_OK;
  if (!world_keep_body_places(s->world, b)) return world_no_memory(s->world);
  snprintf(name, sizeof name, "body%u.was", number);
  return load_values(s, name, b->was.data, b->was.count * sizeof *b->was.data);
}

static clv_result load_tracks(const source *s, const saved_clock *clock) {
  const void *data = NULL;
  size_t size = 0;
  clv_result result = clock->tracked ? get_block(s, "tracks", SIZE_MAX, &data, &size) : CLV_OK;
  uint32_t *actions = size ? base_allocate(&s->world->allocator, size) : NULL; // a block lives until the next one
  if (size && !actions) return world_no_memory(s->world);
  if (size) memcpy(actions, data, size);
  for (uint32_t k = 0; result == CLV_OK && k < size / sizeof *actions; k++) {
    char name[SAVE_NAME];
    clv_track *track;
    double *values;
    size_t count;
    if (actions[k] >= clock->next) result = damaged(s, "a track belongs to no action");
    if (result == CLV_OK) result = world_make_track(s->world, actions[k], &track);
    if (result != CLV_OK) break;
    clv_track_memory(track, &values, &count);
    snprintf(name, sizeof name, "track%u.memory", actions[k]);
    result = load_values(s, name, values, count * sizeof *values);
  }
  if (actions) base_free(&s->world->allocator, actions, size);
  return result;
}

static clv_result load_all(const source *s, const saved_clock *clock, clv_journal **journals) {
  clv_world *world = s->world;
  clv_result result = load_actions(s, clock);
  if (result == CLV_OK) result = load_journals(s, journals);
  if (result == CLV_OK) result = tell_again(s, journals, clock->next);
  if (result == CLV_OK) result = load_tracks(s, clock);
  for (uint32_t k = 0; result == CLV_OK && k < world->bodies.count; k++) {
    result = load_body(s, k);
    if (result == CLV_OK) result = load_pace(s, k);
  }
  for (uint32_t k = 0; result == CLV_OK && k < world->scalpels.count; k++) {
    char name[SAVE_NAME];
    double *values;
    size_t count;
    clv_scalpel_memory(world->scalpels.data[k].scalpel, &values, &count);
    snprintf(name, sizeof name, "scalpel%u.memory", k);
    result = load_values(s, name, values, count * sizeof *values);
  }
  return result;
}

clv_result clv_world_load(clv_world *world, clv_world_reader *read, void *user) {
  source s = {world, read, user, false};
  saved_clock clock;
  if (world->started || world->half_loaded)
    return world_fail(world, CLV_ERROR_ARGUMENT, "a world is loaded into one that has not made a step");
  clv_result result = load_values(&s, "clock", &clock, sizeof clock);
  if (result != CLV_OK) return result;
  s.old = clock.magic == SAVE_MAGIC_OLD;
  if ((clock.magic != SAVE_MAGIC && !s.old) || clock.bodies != world->bodies.count ||
      !(clock.step > 0 && isfinite(clock.step)))
    return damaged(&s, "its clock is of another version or has other bodies");
  saved_origin origin = {0, 0};
  if (clock.shifted) result = load_values(&s, "origin", &origin, sizeof origin);
  if (result == CLV_OK && (origin.steps > clock.steps || !isfinite(origin.time)))
    return damaged(&s, "its clock makes no sense");
  world->step = clock.step;
  world->automatic = clock.automatic != 0;
  if (result == CLV_OK) result = world_start(world);
  if (result != CLV_OK) return result;
  world->origin_time = origin.time;
  world->origin_steps = origin.steps;
  const size_t size = (world->bodies.count + 1) * sizeof(clv_journal *);
  clv_journal **journals = base_allocate(&world->allocator, size);
  if (!journals) return world_no_memory(world);
  memset(journals, 0, size);
  result = load_all(&s, &clock, journals);
  for (uint32_t k = 0; k < world->bodies.count; k++) clv_journal_destroy(journals[k]);
  base_free(&world->allocator, journals, size);
  world->steps = clock.steps;
  world->next = result == CLV_OK ? clock.next : 0;
  if (result == CLV_OK) result = world_find_tools(world);
  world->half_loaded = result != CLV_OK;
  return result;
}
