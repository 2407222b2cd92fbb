// Carrying out what clients want. Every edit is preceded by a snapshot; one that changed nothing takes it back.

#include "live/live.h"
#include "physics/body.h"
#include "surgery/touch.h"

#include <math.h>
#include <stdio.h>

static bool refuse(clv_error *error, const char *sentence) {
  clv_error_set(error, CLV_ERROR_REFUSED, "%s", sentence);
  return false;
}

// ---- edits --------------------------------------------------------------------------------------

typedef struct edit {
  clv_body *body;
  clv_surgery *surgery;
  clv_surgery_report did;
  uint32_t points; // held or let go
} edit;

static bool of_surgery(const edit *e, clv_result result, clv_error *error) {
  if (result == CLV_OK) return true;
  clv_error_set(error, result, "%s", clv_surgery_error(e->surgery));
  return false;
}

static clv_cut blade_of(const live_command *c) {
  clv_cut cut = {.kind = CLV_CUT_BLADE};
  memcpy(cut.blade.before, c->blade[0], sizeof cut.blade.before);
  memcpy(cut.blade.after, c->blade[2], sizeof cut.blade.after);
  return cut;
}

// Most of a stroke goes through air, and that should cost no snapshot.
static bool cuts_air(const edit *e, const live_command *c) {
  const clv_cut cut = blade_of(c);
  const clv_dart *facets;
  uint32_t count = 0;
  return c->verb == LIVE_KNIFE && clv_surgery_select(e->surgery, &cut, &facets, &count) == CLV_OK && count == 0;
}

static bool cut(edit *e, const live_command *c, clv_error *error) {
  const clv_cut cut = blade_of(c);
  return of_surgery(e, clv_surgery_cut(e->surgery, &cut, &e->did), error);
}

static bool pierce(edit *e, const live_command *c, clv_error *error) {
  const clv_zone shape = clv_zone_capsule(c->from, c->to, c->radius);
  return of_surgery(e, clv_surgery_pierce(e->surgery, &shape, &e->did), error);
}

static bool remove_cell(edit *e, const live_command *c, clv_error *error) {
  const clv_dart dart = live_cell_dart(clv_body_map(e->body), c->cell);
  if (!dart) return refuse(error, "there is no such cell");
  return of_surgery(e, clv_surgery_remove_cells(e->surgery, &dart, 1, &e->did), error);
}

static bool within(const double *p, const live_command *c) {
  const double x = p[0] - c->at[0], y = p[1] - c->at[1], z = p[2] - c->at[2];
  return x * x + y * y + z * z <= c->radius * c->radius;
}

typedef BASE_ARRAY(clv_dart) dart_list;

static uint32_t corners_of(const clv_map *map, clv_dart cell, const uint32_t **corners) {
  const clv_kind kind = clv_cell_shape(map, cell);
  if (kind > CLV_TEMPLATE_LAST) return 0;
  const uint32_t count = clv_templates[kind].corner_count;
  *corners = map->corners[kind] + (size_t)clv_cell_row(map, cell) * count;
  return count;
}

// Whether the hull of a cell's corners, where the body is now, comes near enough.
static bool touches(const double *x, const uint32_t *corners, uint32_t count, const live_command *c) {
  surgery_point hull[8];
  double least[3] = {INFINITY, INFINITY, INFINITY}, greatest[3] = {-INFINITY, -INFINITY, -INFINITY};
  for (uint32_t k = 0; k < 3 * count; k++) {
    const double at = hull[k / 3][k % 3] = x[3 * (size_t)corners[k / 3] + k % 3];
    least[k % 3] = fmin(least[k % 3], at);
    greatest[k % 3] = fmax(greatest[k % 3], at);
  }
  for (uint32_t k = 0; k < 3; k++)
    if (least[k] > c->at[k] + c->radius || greatest[k] < c->at[k] - c->radius) return false;
  const surgery_point *shape = (const surgery_point *)hull, *middle = (const surgery_point *)&c->at;
  return surgery_hull_distance(shape, count, middle, 1, c->radius) <= c->radius;
}

// Cells that the sphere touches.
static bool find_cells(const clv_live *live, const edit *e, const live_command *c, dart_list *list) {
  const clv_map *map = clv_body_map(e->body);
  const double *x = clv_body_positions(e->body);
  const uint32_t *corners = NULL;
  list->count = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart dart = clv_id_dart(map, CLV_CELL, id);
    const uint32_t count = corners_of(map, dart, &corners);
    if (!count || !touches(x, corners, count, c)) continue;
    if (!BASE_RESERVE(&live->allocator, list, (uint64_t)list->count + 1)) return false;
    list->data[list->count++] = dart;
  }
  return true;
}

static uint64_t count_cells(const clv_map *map) {
  uint64_t count = 0;
  for (int kind = CLV_TRI; kind <= CLV_POLYHEDRON; kind++) count += clv_cell_count(map, (clv_kind)kind);
  return count;
}

// Level by level: every cell of the sphere that is coarser is refined once, as often as needed.
static bool refine(const clv_live *live, edit *e, const live_command *c, clv_error *error) {
  dart_list list = {NULL, 0, 0};
  bool good = true;
  for (uint32_t level = 1; good && level <= c->level; level++) {
    clv_surgery_report one = {0};
    good = find_cells(live, e, c, &list);
    if (!good) clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: not all was refined");
    if (good && count_cells(clv_body_map(e->body)) + 8 * (uint64_t)list.count > LIVE_MOST_CELLS)
      good = refuse(error, "that would be more cells than a body may have here");
    if (good) good = of_surgery(e, clv_surgery_refine_cells(e->surgery, list.data, list.count, level, &one), error);
    e->did.refined += one.refined;
  }
  BASE_RELEASE(&live->allocator, &list);
  return good;
}

// The sphere is where the body is now, zones are at rest: the box of the cells that it touches.
static bool coarsen(const clv_live *live, edit *e, const live_command *c, clv_error *error) {
  const double *rest = clv_body_rest(e->body);
  const clv_map *map = clv_body_map(e->body);
  double least[3] = {INFINITY, INFINITY, INFINITY}, greatest[3] = {-INFINITY, -INFINITY, -INFINITY};
  dart_list list = {NULL, 0, 0};
  const bool found = find_cells(live, e, c, &list);
  const uint32_t *corners = NULL;
  for (uint32_t k = 0; found && k < list.count; k++)
    for (uint32_t n = 3 * corners_of(map, list.data[k], &corners); n-- > 0;) {
      const double at = rest[3 * (size_t)corners[n / 3] + n % 3];
      least[n % 3] = fmin(least[n % 3], at);
      greatest[n % 3] = fmax(greatest[n % 3], at);
    }
  const bool any = list.count > 0;
  BASE_RELEASE(&live->allocator, &list);
  if (!found) clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: nothing was made coarse");
  if (!found || !any) return found;
  const clv_zone zone = clv_zone_box(least, greatest);
  return of_surgery(e, clv_surgery_coarsen(e->surgery, &zone, c->level, &e->did), error);
}

// Particles within the sphere, where the body is now, are held where they are, or free.
static void hold(edit *e, const live_command *c, bool held) {
  clv_body *body = e->body;
  const clv_map *map = clv_body_map(body);
  const double *x = clv_body_positions(body);
  uint32_t *axes = clv_column_data(body->held, CLV_NONE, NULL);
  uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  double *v = clv_body_velocities(body);
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id)) {
    const uint32_t slot = id.index, wanted = held ? CLV_XYZ : body->always_held;
    if (!within(x + 3 * (size_t)slot, c) || axes[slot] == wanted) continue;
    axes[slot] = wanted;
    memset(paths[slot], 0, sizeof paths[slot]);
    if (held) memset(v + 3 * (size_t)slot, 0, 3 * sizeof *v);
    e->points++;
  }
  body->holds |= held;
  body->subject++;
}

static bool carry_out(const clv_live *live, edit *e, const live_command *c, clv_error *error) {
  switch (c->verb) {
  case LIVE_KNIFE:
    return cut(e, c, error);
  case LIVE_PIERCE:
    return pierce(e, c, error);
  case LIVE_REMOVE:
    return remove_cell(e, c, error);
  case LIVE_REFINE:
    return refine(live, e, c, error);
  case LIVE_COARSEN:
    return coarsen(live, e, c, error);
  default:
    hold(e, c, c->verb == LIVE_FIX);
    return true;
  }
}

static void say_did(clv_live *live, uint32_t body, const edit *e, live_text *answer) {
  const clv_surgery_report *did = &e->did;
  live_body *b = &live->bodies[body];
  const uint64_t revision = clv_map_revision(clv_body_map(e->body));
  if (b->revision != revision) b->components = live_show_components(&b->show);
  b->revision = revision;
  live_say(answer, ", \"facets\": %u, \"removed\": %u, \"refined\": %u, \"coarsened\": %u, \"points\": %u", did->facets,
           did->removed, did->refined, did->coarsened, e->points);
  live_say(answer, ", \"components\": %u", b->components);
}

static bool do_edit(clv_live *live, const live_command *c, live_text *answer, clv_error *error) {
  edit e = {.body = clv_world_body(live->world, c->body), .surgery = clv_world_surgery(live->world, c->body)};
  const bool goes_on = live->stroke && c->verb == LIVE_KNIFE && live->stroke_client == c->client;
  const bool air = cuts_air(&e, c);
  if (!goes_on && !air && live_snapshot_push(live, error) != CLV_OK) return false;
  const uint64_t before = clv_map_revision(clv_body_map(e.body));
  const bool good = air || carry_out(live, &e, c, error);
  const bool changed = clv_map_revision(clv_body_map(e.body)) != before || e.points;
  if (!changed && !goes_on && !air) live_snapshot_drop(live);
  if (changed) live->stroke = c->verb == LIVE_KNIFE;
  if (changed) live->stroke_client = c->client;
  live->changed |= changed;
  if (!good) return false;
  if (changed)
    live_note(live, false, "step %llu: %s, %u facets cut, %u cells removed, %u refined, %u coarsened",
              (unsigned long long)clv_world_steps(live->world), live_verb_name(c->verb), e.did.facets, e.did.removed,
              e.did.refined, e.did.coarsened);
  if (c->asked) say_did(live, c->body, &e, answer);
  return true;
}

// ---- picking ------------------------------------------------------------------------------------

static uint32_t place_of(const clv_walk *walk, clv_dart dart) {
  uint32_t k = 0;
  while (k < walk->count && walk->darts[k] != dart) k++;
  return k;
}

// The darts of a cell: the point each lies at, links inside the cell by place in the list, and the cell across.
static bool pick(clv_live *live, const live_command *c, live_text *answer, clv_error *error) {
  enum { MOST = 1000 };
  const clv_map *map = clv_body_map(clv_world_body(live->world, c->body));
  const clv_dart cell = live_cell_dart(map, c->cell);
  clv_walk walk;
  if (!cell) return refuse(error, "there is no such cell");
  const bool good = clv_walk_orbit(&walk, map, CLV_CELL, cell) == CLV_OK && walk.count <= MOST;
  if (good)
    live_say(answer, ", \"kind\": \"%s\", \"level\": %u, \"darts\": [", clv_kind_name(clv_cell_kind(map, cell)),
             clv_surgery_level(clv_world_surgery(live->world, c->body), cell));
  for (uint32_t k = 0; good && k < walk.count; k++) {
    const clv_dart dart = walk.darts[k], beyond = clv_alpha(map, dart, map->dimension);
    live_say(answer, "%s[%u", k ? ", " : "", clv_id_of(map, CLV_VERTEX, dart).index);
    for (uint32_t i = 0; i < map->dimension; i++) live_say(answer, ", %u", place_of(&walk, clv_alpha(map, dart, i)));
    live_say(answer, ", %lld]", beyond == dart ? -1LL : (long long)clv_id_of(map, CLV_CELL, beyond).index);
  }
  if (good) live_say(answer, "]");
  clv_walk_end(&walk);
  return good || refuse(error, "this cell has too many darts to be shown");
}

// ---- the rest -----------------------------------------------------------------------------------

static bool end_stroke(clv_live *live, uint32_t client) {
  if (live->stroke_client == client) live->stroke = false;
  return true;
}

static bool act_on_result(clv_live *live, const live_command *c, clv_error *error) {
  switch (c->verb) {
  case LIVE_SEEK:
    return live_result_seek(live, c->frame, error) == CLV_OK;
  case LIVE_RESET:
    return live_result_seek(live, 0, error) == CLV_OK;
  case LIVE_KNIFE_END:
  case LIVE_DROP:
    return true;
  default:
    return refuse(error, "this is a finished run: it can be looked at, not changed");
  }
}

static bool act_on_world(clv_live *live, const live_command *c, live_text *answer, clv_error *error) {
  const bool named = live_verb_edits(c->verb) || c->verb == LIVE_GRAB || c->verb == LIVE_MODEL ||
                     c->verb == LIVE_INTEGRATOR || c->verb == LIVE_PICK;
  if (named && c->body >= live->body_count) return refuse(error, "there is no such body");
  if (live_verb_edits(c->verb)) return do_edit(live, c, answer, error);
  switch (c->verb) {
  case LIVE_RESET:
    return live_reset(live, error) == CLV_OK;
  case LIVE_UNDO:
    return live_snapshot_restore(live, error) == CLV_OK;
  case LIVE_GRAB:
    return live_grab_begin(live, c, error);
  case LIVE_DRAG:
    return live_grab_drag(live, c->client, c->at, error);
  case LIVE_DROP:
    live_grab_drop(live, c->client);
    return true;
  case LIVE_KNIFE_END:
    return end_stroke(live, c->client);
  case LIVE_SET:
    return live_settings_set(live, c->name, c->value, error);
  case LIVE_MODEL:
    return live_model_set(live, c->body, c->name, error);
  case LIVE_INTEGRATOR:
    return live_method_set(live, c->body, c->name, error);
  case LIVE_PICK:
    return pick(live, c, answer, error);
  case LIVE_RECORD:
    return live_record(live, c->on, answer, error);
  default:
    return refuse(error, "only a finished run has frames to go to");
  }
}

bool live_act(clv_live *live, const live_command *c, live_text *answer, clv_error *error) {
  switch (c->verb) {
  case LIVE_LOOK: // what it sees was set when it came
    live->changed = true;
    return true;
  case LIVE_PAUSE:
    live->paused = live->changed = true;
    live->steps_wanted = 0;
    return true;
  case LIVE_RUN:
    live->paused = false;
    live->paced_wall = -1;
    live->changed = true;
    return true;
  case LIVE_STEP:
    if (!live->paused) return refuse(error, "single steps are for while it is paused");
    live->steps_wanted += c->count;
    return true;
  case LIVE_SPEED:
    live->factor = c->factor;
    live->paced_wall = -1;
    return true;
  default:
    return live->series ? act_on_result(live, c, error) : act_on_world(live, c, answer, error);
  }
}

void live_leave_engine(clv_live *live, uint32_t client) {
  if (!live->world) return;
  live_grab_drop(live, client);
  end_stroke(live, client);
}
