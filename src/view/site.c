// Making sites: steps, spots, columns, and the ways back. Reading them is in read.c.

#include "view/site.h"

// Corner words of the templates, read left to right from the base dart (corner 0, edge 01, face 012).
static const char *const corner_words[MAP_TEMPLATES][8] = {
    [CLV_TRI] = {"", "0", "10"},
    [CLV_QUAD] = {"", "0", "010", "10"},
    [CLV_TET] = {"", "0", "10", "210"},
    [CLV_PYRAMID] = {"", "0", "010", "10", "210"},
    [CLV_PRISM] = {"", "0", "10", "210", "0210", "10210"},
    [CLV_HEX] = {"", "0", "010", "10", "210", "0210", "010210", "10210"},
};

typedef struct maker {
  view_site *site;
  map *m;
  const law *law;
  const clv_allocator *allocator;
  clv_error *error;
} maker;

static clv_result no_memory(const maker *k) {
  return clv_error_set(k->error, CLV_ERROR_MEMORY, "out of memory while making the view of '%s'", k->law->name);
}

clv_column *view_column(const map *m, const rule_tree *declaration) {
  return clv_column_find(&m->view, declaration->name);
}

// The step at the end of a path; -1 when memory is out.
static int add_steps(const maker *k, const uint8_t *letters, uint32_t length) {
  view_site *site = k->site;
  uint32_t at = 0;
  for (uint32_t n = 0; n < length; n++) {
    uint32_t next = 1;
    while (next < site->steps.count &&
           (site->steps.data[next].from != at || site->steps.data[next].letter != letters[n]))
      next++;
    if (next == site->steps.count) {
      if (next > UINT16_MAX || !BASE_RESERVE(k->allocator, &site->steps, (uint64_t)next + 1)) return -1;
      site->steps.data[site->steps.count++] = (view_step){(uint16_t)at, letters[n]};
    }
    at = next;
  }
  return (int)at;
}

static int add_spot(const maker *k, const map_index *index, uint32_t step) {
  view_site *site = k->site;
  uint32_t at = 0;
  while (at < site->spots.count && (site->spots.data[at].index != index || site->spots.data[at].step != step)) at++;
  if (at < site->spots.count) return (int)at;
  if (at > UINT16_MAX || !BASE_RESERVE(k->allocator, &site->spots, (uint64_t)at + 1)) return -1;
  site->spots.data[site->spots.count++] = (view_spot){index, (uint16_t)step};
  return (int)at;
}

static bool way_equal(const view_way *a, const view_way *b) {
  return a->length == b->length && !memcmp(a->letter, b->letter, a->length);
}

// The way back over the steps that lead to `step`, without the letters that do not leave the base's key.
static view_way way_back(const view_site *site, uint32_t step) {
  const uint32_t stays = site->crossing ? site->dims : ~(1u << site->map->view.dimension);
  view_way way = {0};
  uint32_t kept = 0;
  for (uint32_t at = step; at; at = site->steps.data[at].from) {
    way.letter[way.length++] = site->steps.data[at].letter;
    if (!(stays >> site->steps.data[at].letter & 1u)) kept = way.length;
  }
  way.length = (uint8_t)kept;
  memset(way.letter + kept, 0, sizeof way.letter - kept);
  return way;
}

static bool add_link(const maker *k, uint32_t dimension, uint32_t step) {
  view_site *site = k->site;
  const view_link link = {(uint8_t)dimension, way_back(site, step)};
  // Inside a cell everything is made anew when the cell's own links change.
  if (!site->crossing && !link.way.length && dimension < k->m->view.dimension) return true;
  for (uint32_t n = 0; n < site->links.count; n++)
    if (site->links.data[n].dimension == dimension && way_equal(&site->links.data[n].way, &link.way)) return true;
  if (!BASE_RESERVE(k->allocator, &site->links, (uint64_t)site->links.count + 1)) return false;
  site->links.data[site->links.count++] = link;
  return true;
}

static bool add_source(const maker *k, uint32_t dims, const clv_column *column, uint32_t step) {
  view_site *site = k->site;
  const view_source source = {dims, column, way_back(site, step)};
  for (uint32_t n = 0; n < site->sources.count; n++) {
    const view_source *other = &site->sources.data[n];
    if (other->dims == dims && other->column == column && way_equal(&other->way, &source.way)) return true;
  }
  if (!BASE_RESERVE(k->allocator, &site->sources, (uint64_t)site->sources.count + 1)) return false;
  site->sources.data[site->sources.count++] = source;
  return true;
}

static clv_result make_fetch(const maker *k, clv_column *column, uint32_t step, uint32_t component, view_fetch *fetch) {
  const int spot = add_spot(k, column->index, step);
  if (spot < 0 || !add_source(k, column->index->dims, column, step)) return no_memory(k);
  *fetch = (view_fetch){column, (uint16_t)spot, (uint16_t)component};
  return CLV_OK;
}

static clv_result make_paths(const maker *k) {
  view_site *site = k->site;
  const law *l = k->law;
  if (!BASE_RESERVE(k->allocator, &site->steps, 1) ||
      !BASE_RESERVE(k->allocator, &site->path_steps, l->paths.count ? l->paths.count : 1))
    return no_memory(k);
  site->steps.data[site->steps.count++] = (view_step){0, 0};
  for (uint32_t p = 0; p < l->paths.count; p++) {
    const int step = add_steps(k, l->paths.data[p].letter, l->paths.data[p].length);
    if (step < 0) return no_memory(k);
    site->path_steps.data[site->path_steps.count++] = (uint16_t)step;
  }
  return CLV_OK;
}

static clv_result make_reads(const maker *k) {
  view_site *site = k->site;
  const law *l = k->law;
  if (!BASE_RESERVE(k->allocator, &site->fetches, l->reads.count)) return no_memory(k);
  for (uint32_t r = 0; r < l->reads.count; r++) {
    const law_read *read = &l->reads.data[r];
    clv_column *column = view_column(k->m, read->column);
    if (!column)
      return clv_error_set(k->error, CLV_ERROR_INPUT, "'%s' reads '%s', and the map has no such column", l->name,
                           read->column->name);
    if (read->component >= column->def.components)
      return clv_error_set(k->error, CLV_ERROR_INPUT, "'%s' reads component %u of '%s', which has %u", l->name,
                           read->component, read->column->name, column->def.components);
    const clv_result result =
        make_fetch(k, column, site->path_steps.data[read->path], read->component, &site->fetches.data[r]);
    if (result != CLV_OK) return result;
    site->fetches.count++;
  }
  return CLV_OK;
}

static clv_result make_particles(const maker *k) {
  view_site *site = k->site;
  const law *l = k->law;
  const map_index *vertices = k->m->indices[clv_orbit_dims(&k->m->view, CLV_VERTEX)];
  if (!BASE_RESERVE(k->allocator, &site->particles, l->particles.count)) return no_memory(k);
  for (uint32_t p = 0; p < l->particles.count; p++) {
    const uint32_t step = site->path_steps.data[l->particles.data[p]];
    const int spot = add_spot(k, vertices, step);
    if (spot < 0 || !add_source(k, vertices->dims, NULL, step)) return no_memory(k);
    site->particles.data[site->particles.count++] = (uint16_t)spot;
  }
  return CLV_OK;
}

// Derived quantities and updates read positions and velocities like any other column.
static clv_result make_positions(const maker *k) {
  view_site *site = k->site;
  const law *l = k->law;
  if (l->tree && l->tree->kind == RULE_FORCE) return CLV_OK;
  clv_column *columns[2] = {clv_column_find(&k->m->view, "pos"), clv_column_find(&k->m->view, "vel")};
  if (!BASE_RESERVE(k->allocator, &site->positions, 2ull * l->particles.count)) return no_memory(k);
  for (uint32_t p = 0; p < l->particles.count; p++)
    for (uint32_t c = 0; c < 2; c++) {
      view_fetch *fetch = &site->positions.data[2 * p + c];
      *fetch = (view_fetch){0};
      if (!columns[c]) continue;
      const clv_result result = make_fetch(k, columns[c], site->path_steps.data[l->particles.data[p]], 0, fetch);
      if (result != CLV_OK) return result;
    }
  site->positions.count = 2 * l->particles.count;
  return CLV_OK;
}

static clv_result make_corners(const maker *k) {
  view_site *site = k->site;
  const law *l = k->law;
  if (!l->quadrature) return CLV_OK;
  clv_column *rest = clv_column_find(&k->m->view, "rest");
  if (!rest || rest->def.type != CLV_DOUBLE || rest->def.components < 2 || rest->def.components > 3)
    return clv_error_set(
        k->error, CLV_ERROR_INPUT,
        "'%s' integrates over the rest shape, and the map has no column 'rest' of two or three numbers", l->name);
  const uint32_t count = (uint32_t)clv_kind_corners(l->shape.kind);
  if (!BASE_RESERVE(k->allocator, &site->corners, count)) return no_memory(k);
  for (uint32_t c = 0; c < count; c++) {
    const char *word = corner_words[l->shape.kind][c];
    uint8_t letters[LAW_PATH];
    uint32_t length = 0;
    for (; word[length]; length++) letters[length] = (uint8_t)(word[length] - '0');
    const int step = add_steps(k, letters, length);
    if (step < 0) return no_memory(k);
    const clv_result result = make_fetch(k, rest, (uint32_t)step, 0, &site->corners.data[c]);
    if (result != CLV_OK) return result;
    site->corners.count++;
  }
  return CLV_OK;
}

static clv_result make_guards(const maker *k) {
  const law *l = k->law;
  const uint32_t cell = clv_orbit_dims(&k->m->view, CLV_CELL);
  BASE_ARRAY(dag_ref) roots = {0};
  bool done = BASE_RESERVE(k->allocator, &roots, l->guards.count);
  for (uint32_t g = 0; done && g < l->guards.count; g++) {
    const law_guard *guard = &l->guards.data[g];
    if (guard->test == LAW_CONDITION) roots.data[roots.count++] = guard->value;
    const uint32_t step = k->site->path_steps.data[guard->path];
    if (guard->test == LAW_FREE || guard->test == LAW_NOT_FREE)
      done = add_link(k, guard->dimension, step);
    else if (guard->test != LAW_CONDITION)
      done = add_source(k, cell, NULL, step);
  }
  if (l->oriented || k->site->face)
    done = done && add_source(k, cell, NULL, 0); // faces are seen from cells with a shape
  done = done && view_code_make(&k->site->conditions, k->allocator, &l->graph, roots.data, roots.count);
  BASE_RELEASE(k->allocator, &roots);
  return done ? CLV_OK : no_memory(k);
}

static clv_result make_links(const maker *k) {
  view_site *site = k->site;
  bool done = true;
  site->inside = true;
  for (uint32_t s = 1; done && s < site->steps.count; s++) {
    site->inside &= site->steps.data[s].letter < k->m->view.dimension;
    site->turns |= site->crossing && k->m->view.dimension == 2 && site->steps.data[s].letter == 1;
    done = add_link(k, site->steps.data[s].letter, site->steps.data[s].from);
  }
  if (site->turns) done = done && add_source(k, clv_orbit_dims(&k->m->view, CLV_CELL), NULL, 0);
  // A face counts its sides; a sum goes over the sub-orbits of its orbit. What parts or joins neither of them leaves
  // the sum as it is, and what parts or joins the orbit is an event.
  uint32_t within = site->face ? 3 : 0;
  for (uint32_t n = 0; n < k->law->sums.count; n++) within |= clv_orbit_dims(&k->m->view, k->law->sums.data[n].orbit);
  for (uint32_t i = 0; done && i <= k->m->view.dimension; i++)
    if (within >> i & 1u) done = add_link(k, i, 0);
  return done ? CLV_OK : no_memory(k);
}

// What a cell is made of at its own corners does not change when vertices are hung into it. Orbits that cross cells
// hear of that by events of their own, unless they look at the whole of a cell's border.
static bool is_steady(const view_site *site) {
  if (site->crossing) return !site->face && !site->turns && !site->law->oriented;
  bool steady = site->whole && site->law->shape.kind && site->inside;
  for (uint32_t k = 0; steady && k < site->sources.count; k++) {
    const clv_column *column = site->sources.data[k].column;
    steady = !column || column->index->crossing || view_stays_in_cell(column) || embed_copies(column);
  }
  return steady;
}

clv_result view_site_make(view_site *site, map *m, const law *l, const clv_allocator *allocator, clv_error *error) {
  const uint32_t n = m->view.dimension, dims = clv_orbit_dims(&m->view, l->shape.orbit);
  *site = (view_site){.law = l, .map = m, .dims = dims, .inner = dims & ~(1u << n), .crossing = dims >> n & 1u};
  site->whole = dims == clv_orbit_dims(&m->view, CLV_CELL);
  site->face = l->shape.kind && !site->whole;
  const maker k = {site, m, l, allocator, error};
  clv_result result = CLV_OK;
  if (site->crossing) {
    map_index *index = NULL;
    result = map_index_require(m, dims, &index);
    if (result != CLV_OK) return clv_error_set(error, result, "%s", clv_map_error(&m->view));
    site->index = index;
  }
  static clv_result (*const makers[])(const maker *) = {make_paths,   make_reads,  make_particles, make_positions,
                                                        make_corners, make_guards, make_links};
  for (uint32_t s = 0; result == CLV_OK && s < sizeof makers / sizeof *makers; s++) result = makers[s](&k);
  site->steady = result == CLV_OK && is_steady(site);
  if (result != CLV_OK) view_site_free(site, allocator);
  return result;
}

// By the constants of the templates.
static void settle_base(view_site *site, uint32_t kind, uint32_t local, uint8_t *locals) {
  const clv_template *shape = &clv_templates[kind];
  uint8_t *lies = site->lies.data + (kind * CLV_TEMPLATE_DARTS + local) * site->spots.count;
  locals[0] = (uint8_t)local;
  for (uint32_t s = 1; s < site->steps.count; s++)
    locals[s] = shape->alpha[site->steps.data[s].letter][locals[site->steps.data[s].from]];
  for (uint32_t s = 0; s < site->spots.count; s++)
    lies[s] = shape->sub[site->spots.data[s].index->inner].of[locals[site->spots.data[s].step]];
}

bool view_site_settle(view_site *site, const clv_allocator *allocator) {
  const uint32_t places = MAP_TEMPLATES * CLV_TEMPLATE_DARTS * site->spots.count, steps = site->steps.count;
  if (!site->inside) return true;
  uint8_t *locals = base_allocate(allocator, steps);
  const bool done = locals && BASE_RESERVE(allocator, &site->lies, places);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; done && kind < MAP_TEMPLATES; kind++)
    for (uint32_t local = 0; local < clv_templates[kind].dart_count; local++) settle_base(site, kind, local, locals);
  base_free(allocator, locals, steps);
  return done;
}

clv_result view_site_limit(view_site *site, clv_column *cells, uint32_t bits, const clv_allocator *allocator,
                           clv_error *error) {
  if (site->crossing) return CLV_OK;
  const maker k = {.site = site, .law = site->law, .allocator = allocator, .error = error};
  site->bits = bits;
  const clv_result result = make_fetch(&k, cells, 0, 0, &site->cells);
  return result != CLV_OK || view_site_settle(site, allocator) ? result : no_memory(&k);
}

void view_site_free(view_site *site, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &site->steps);
  BASE_RELEASE(allocator, &site->path_steps);
  BASE_RELEASE(allocator, &site->spots);
  BASE_RELEASE(allocator, &site->fetches);
  BASE_RELEASE(allocator, &site->particles);
  BASE_RELEASE(allocator, &site->positions);
  BASE_RELEASE(allocator, &site->corners);
  view_code_free(&site->conditions, allocator);
  BASE_RELEASE(allocator, &site->links);
  BASE_RELEASE(allocator, &site->sources);
  BASE_RELEASE(allocator, &site->lies);
}

bool view_reading_reserve(view_reading *reading, const view_site *site, const clv_allocator *allocator) {
  const uint32_t values = site->conditions.values * VIEW_LANES, had = reading->condition_values.capacity;
  if (!BASE_RESERVE(allocator, &reading->condition_values, values)) return false;
  for (uint32_t k = had; k < reading->condition_values.capacity; k++) reading->condition_values.data[k] = 0;
  return BASE_RESERVE(allocator, &reading->darts, site->steps.count) &&
         BASE_RESERVE(allocator, &reading->places, site->spots.count) &&
         BASE_RESERVE(allocator, &reading->lane_slots, site->spots.count * VIEW_LANES);
}

void view_reading_free(view_reading *reading, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &reading->darts);
  BASE_RELEASE(allocator, &reading->places);
  BASE_RELEASE(allocator, &reading->condition_values);
  BASE_RELEASE(allocator, &reading->lane_slots);
}
