// Reading a site: from a base dart to what a row has, and going over all bases.

#include "view/site.h"

static inline uint32_t plain_id(const map *m, const map_index *index, clv_page page, clv_dart dart) {
  const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
  (void)m;
  return index->ids[page.kind].data[map_row(page, dart) * sub->count + sub->of[dart & 63u]];
}

view_place view_place_of(const map *m, const map_index *index, clv_dart dart) {
  const clv_page page = map_page(m, dart);
  const uint32_t record = CLV_LIKELY(page.plain) ? MAP_NO_RECORD : map_record(m, dart);
  if (record == MAP_NO_RECORD) {
    if (index->crossing) return (view_place){0, plain_id(m, index, page, dart)};
    const clv_suborbits *sub = &clv_templates[page.kind].sub[index->inner];
    return (view_place){page.kind, map_row(page, dart) * sub->count + sub->of[dart & 63u]};
  }
  const uint32_t id = index->record_ids.data[record];
  if (!(id & MAP_TEMPLATE_SLOT)) return (view_place){0, id};
  const clv_dart cell = (m->records.cell.data[record] & MAP_BLOCK) << 6;
  const clv_page home = map_page(m, cell);
  const uint32_t count = clv_templates[home.kind].sub[index->inner].count;
  return (view_place){home.kind, map_row(home, cell) * count + (id & ~MAP_TEMPLATE_SLOT)};
}

// A base in a plain cell that no step leaves: everything is looked up in the template and in one row.
static void read_inside(const view_site *site, clv_page page, clv_dart base, view_reading *reading) {
  const clv_template *shape = &clv_templates[page.kind];
  const uint8_t *lies = view_site_lies(site, page.kind, base);
  const uint32_t row = map_row(page, base), cell = base & ~63u;
  clv_dart *darts = reading->darts.data;
  darts[0] = base;
  for (uint32_t s = 1; s < site->steps.count; s++)
    darts[s] = cell | shape->alpha[site->steps.data[s].letter][darts[site->steps.data[s].from] & 63u];
  for (uint32_t s = 0; s < site->spots.count; s++) {
    const map_index *index = site->spots.data[s].index;
    const uint32_t slot = row * shape->sub[index->inner].count + lies[s];
    reading->places.data[s] =
        index->crossing ? (view_place){0, index->ids[page.kind].data[slot]} : (view_place){page.kind, slot};
  }
}

// Levels: a law on a template walks an extended cell that has its shape by the constants of the template.

// True for a dart of the template of an extended cell that has its shape.
static bool is_coarse(const map *m, clv_dart dart) {
  return map_is_template(map_page(m, dart).kind) && clv_cell_shape(&m->view, dart) <= CLV_TEMPLATE_LAST;
}

// Such a dart: whether the face there is a whole facet of the template, into whose edges vertices may have been put,
// and not one of those that a facet was split in.
static bool is_whole_facet(const map *m, clv_dart dart) {
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  const clv_dart home = dart & ~63u;
  clv_dart at = dart;
  do {
    clv_dart end = clv_alpha(&m->view, at, 0);
    while (end >> 6 != home >> 6) end = clv_alpha(&m->view, clv_alpha(&m->view, end, 1), 0);
    if (end != (home | shape->alpha[0][at & 63u])) return false;
    at = home | shape->alpha[1][end & 63u];
  } while (at != dart);
  return true;
}

// From a dart of an extended cell that has the shape of a template: the dart of the template that the face there is a
// whole facet of; CLV_NO_DART where it is none.
static clv_dart facet_dart(const map *m, clv_dart dart) {
  if (clv_cell_shape(&m->view, dart) > CLV_TEMPLATE_LAST) return CLV_NO_DART;
  const uint32_t block = map_block(m, dart);
  clv_dart at = dart;
  for (uint32_t letter = 0; at >> 6 != block; letter ^= 1u) {
    at = clv_alpha(&m->view, at, letter);
    if (at == dart) return CLV_NO_DART;
  }
  return is_whole_facet(m, at) ? at : CLV_NO_DART;
}

static uint32_t facet_sides(const map *m, clv_dart dart) {
  if (!dart) return 0;
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  return shape->facet_size[shape->facet[dart & 63u]] / 2u;
}

// The dart to see a face from: of a plain cell, or of a facet of an extended one; otherwise the one that is given.
// Where cells on both sides are extended, more of the face's vertices may hang in one than in the other: that with the
// most corners tells what it is, wherever one comes from.
static clv_dart face_base(const map *m, clv_dart dart) {
  const clv_dart sides[2] = {dart, clv_alpha(&m->view, dart, m->view.dimension)};
  for (uint32_t k = 0; k < 2; k++)
    if (map_dart_plain(m, sides[k])) return sides[k];
  const clv_dart here = facet_dart(m, sides[0]), there = sides[1] == dart ? CLV_NO_DART : facet_dart(m, sides[1]);
  if (!here && !there) return dart;
  return facet_sides(m, there) > facet_sides(m, here) ? there : here;
}

static bool walks_template(const view_site *site, clv_dart base) {
  if (!site->law->shape.kind || map_dart_plain(site->map, base) || !is_coarse(site->map, base)) return false;
  return site->whole || is_whole_facet(site->map, base);
}

// a1 at a dart of a surface: where a vertex hangs in an edge of the cell, the corner at the end of that edge.
static clv_dart turn(const map *m, clv_dart dart) {
  clv_dart at = dart;
  if (!map_dart_plain(m, dart) && clv_cell_shape(&m->view, dart) <= CLV_TEMPLATE_LAST)
    while (map_page(m, at).kind == MAP_KIND_DARTS) at = clv_alpha(&m->view, clv_alpha(&m->view, at, 1), 0);
  return clv_alpha(&m->view, at, 1);
}

void view_site_read(const view_site *site, clv_dart base, view_reading *reading) {
  const map *m = site->map;
  const clv_page page = map_page(m, base);
  if (site->inside && (CLV_LIKELY(page.plain) || map_record(m, base) == MAP_NO_RECORD)) {
    read_inside(site, page, base, reading);
    return;
  }
  clv_dart *darts = reading->darts.data;
  darts[0] = base;
  const bool coarse = walks_template(site, base);
  const clv_template *shape = &clv_templates[coarse ? page.kind : CLV_NONE];
  for (uint32_t s = 1; s < site->steps.count; s++) {
    const clv_dart from = darts[site->steps.data[s].from];
    const uint32_t letter = site->steps.data[s].letter;
    const bool inside = coarse && letter < shape->dimension && from >> 6 == base >> 6;
    darts[s] = inside                       ? (base & ~63u) | shape->alpha[letter][from & 63u]
               : site->turns && letter == 1 ? turn(m, from)
                                            : clv_alpha(&m->view, from, letter);
  }
  for (uint32_t s = 0; s < site->spots.count; s++)
    reading->places.data[s] = view_place_of(m, site->spots.data[s].index, darts[site->spots.data[s].step]);
}

// Several bases in plain cells, of which no step leads out.
typedef struct lanes_inside {
  uint32_t count, kind[VIEW_LANES], row[VIEW_LANES];
  const uint8_t *lies[VIEW_LANES];
  bool alike, level; // in cells of one kind; at the same dart of each
} lanes_inside;

static bool line_up(const view_site *site, const clv_dart *bases, uint32_t lanes, lanes_inside *at) {
  const map *m = site->map;
  at->count = lanes;
  at->alike = at->level = true;
  for (uint32_t l = 0; l < lanes; l++) {
    const clv_dart base = bases[l];
    const clv_page page = map_page(m, base);
    if (!page.plain && map_record(m, base) != MAP_NO_RECORD) return false;
    at->kind[l] = page.kind;
    at->row[l] = map_row(page, base);
    at->lies[l] = view_site_lies(site, page.kind, base);
    at->alike &= page.kind == at->kind[0];
    at->level &= at->lies[l] == at->lies[0];
  }
  for (uint32_t l = lanes; l < VIEW_LANES; l++) at->row[l] = at->row[0];
  return true;
}

// Slots of places; all lanes are as good as some of them.
static void find_places(const lanes_inside *at, uint32_t count, uint32_t spot, uint32_t *slots) {
  if (at->level)
    for (uint32_t l = 0; l < VIEW_LANES; l++) slots[l] = at->row[l] * count + at->lies[0][spot];
  else
    for (uint32_t l = 0; l < at->count; l++) slots[l] = at->row[l] * count + at->lies[l][spot];
}

static void read_alike(const map_index *index, const lanes_inside *at, uint32_t spot, uint32_t *slots) {
  const uint32_t kind = at->kind[0];
  const uint32_t *ids = index->ids[kind].data;
  find_places(at, clv_templates[kind].sub[index->inner].count, spot, slots);
  for (uint32_t l = 0; index->crossing && l < at->count; l++) slots[l] = ids[slots[l]];
}

static void read_mixed(const map_index *index, const lanes_inside *at, uint32_t spot, uint32_t *slots) {
  for (uint32_t l = 0; l < at->count && index->crossing; l++) {
    const uint32_t kind = at->kind[l], count = clv_templates[kind].sub[index->inner].count;
    slots[l] = index->ids[kind].data[at->row[l] * count + at->lies[l][spot]];
  }
}

static inline void read_spot(const view_site *site, const lanes_inside *at, uint32_t spot, view_reading *reading) {
  uint32_t *slots = reading->lane_slots.data + spot * VIEW_LANES;
  if (at->alike)
    read_alike(site->spots.data[spot].index, at, spot, slots);
  else
    read_mixed(site->spots.data[spot].index, at, spot, slots);
}

bool view_site_read_lanes(const view_site *site, const clv_dart *bases, uint32_t lanes, view_reading *reading) {
  lanes_inside at;
  if (!site->inside || !lanes || !line_up(site, bases, lanes, &at)) return false;
  for (uint32_t s = 0; s < site->spots.count; s++) read_spot(site, &at, s, reading);
  reading->lane_kind = at.alike ? at.kind[0] : CLV_NONE;
  return true;
}

bool view_site_read_spots(const view_site *site, const clv_dart *bases, uint32_t lanes, const uint16_t *spots,
                          uint32_t count, view_reading *reading) {
  lanes_inside at;
  if (!site->inside || !lanes || !line_up(site, bases, lanes, &at)) return false;
  for (uint32_t k = 0; k < count; k++) read_spot(site, &at, spots[k], reading);
  return true;
}

void view_site_fill(const view_site *site, const view_code *code, const view_reading *reading, uint32_t lane,
                    double *values) {
  for (uint32_t k = 0; k < code->inputs.count; k++) {
    const view_input *input = &code->inputs.data[k];
    double *to = &values[input->to * VIEW_LANES + lane];
    if (input->op == DAG_READ) {
      *to = view_fetch_value(&site->fetches.data[input->index], reading);
    } else if (input->op == DAG_POS || input->op == DAG_VEL) {
      view_fetch fetch = site->positions.data[2 * (input->index / 3) + (input->op == DAG_VEL)];
      fetch.component = (uint16_t)(input->index % 3);
      *to = fetch.column ? view_fetch_value(&fetch, reading) : 0;
    }
  }
}

static inline void get_rest(const clv_column *column, const double *value, double rest[3]) {
  rest[0] = value[0];
  rest[1] = value[1];
  rest[2] = column->def.components == 3 ? value[2] : 0; // there are two at least
}

void view_site_rest(const view_site *site, const view_reading *reading, double (*rest)[3]) {
  for (uint32_t c = 0; c < site->corners.count; c++) {
    const view_fetch *fetch = &site->corners.data[c];
    get_rest(fetch->column, view_value(fetch->column, reading->places.data[fetch->spot]), rest[c]);
  }
}

void view_site_rest_lanes(const view_site *site, const view_reading *reading, uint32_t lanes, view_rest *rest) {
  for (uint32_t c = 0; c < site->corners.count; c++) {
    const view_fetch *fetch = &site->corners.data[c];
    const clv_column *column = fetch->column;
    const uint32_t *slots = reading->lane_slots.data + fetch->spot * VIEW_LANES;
    const uint8_t *data = column->index->crossing ? column->slots.data : column->rows[reading->lane_kind].data;
    const double *values = (const double *)(const void *)data;
    const size_t stride = column->def.components;
    for (uint32_t l = 0; l < lanes; l++) get_rest(column, values + slots[l] * stride, rest[l].corners[c]);
  }
}

static bool conditions_hold(const view_site *site, const double *params, view_reading *reading) {
  double *values = reading->condition_values.data;
  view_code_start(&site->conditions, params, values);
  view_site_fill(site, &site->conditions, reading, 0, values);
  view_code_run(&site->conditions, 1, values);
  for (uint32_t k = 0; k < site->conditions.roots.count; k++)
    if (view_code_result(&site->conditions, values, k, 0) == 0) return false;
  return true;
}

// The face at a dart has exactly so many sides, all of them closed.
static bool has_sides(const map *m, clv_dart dart, uint32_t sides) {
  const clv_map *view = &m->view;
  if (!map_dart_plain(m, dart) && is_coarse(m, dart) && is_whole_facet(m, dart)) {
    const clv_template *shape = &clv_templates[map_page(m, dart).kind];
    return shape->facet_size[shape->facet[dart & 63u]] == 2 * sides;
  }
  clv_dart at = dart;
  for (uint32_t k = 0; k < sides; k++) {
    const clv_dart along = clv_alpha(view, at, 0), next = clv_alpha(view, along, 1);
    if (along == at || next == along) return false;
    at = next;
    if ((at == dart) != (k + 1 == sides)) return false;
  }
  return true;
}

bool view_site_asks_values_alone(const view_site *site) {
  for (uint32_t g = 0; g < site->law->guards.count; g++)
    if (site->law->guards.data[g].test != LAW_CONDITION) return false;
  return !site->bits && !site->face && !site->whole;
}

bool view_site_spans(const view_site *site, const uint16_t *spots, uint32_t count) {
  const map_index *vertices = site->map->indices[clv_orbit_dims(&site->map->view, CLV_VERTEX)];
  for (uint32_t k = 0; k < count; k++) {
    const view_spot *spot = &site->spots.data[spots[k]];
    const bool own = spot->index == site->index && spot->step == 0;
    const bool end =
        spot->index == vertices && (spot->step == 0 || (spot->step == 1 && site->steps.data[1].letter == 0));
    if (!own && !end) return false;
  }
  return true;
}

bool view_site_holds(const view_site *site, const double *params, view_reading *reading) {
  const law *l = site->law;
  const clv_map *view = &site->map->view;
  const clv_dart *darts = reading->darts.data;
  if (site->bits) {
    const uint32_t *cell = view_value(site->cells.column, reading->places.data[site->cells.spot]);
    if (!(*cell & site->bits)) return false;
  }
  if (site->whole && l->shape.kind && clv_cell_shape(view, darts[0]) != l->shape.kind) return false;
  if (site->face && !has_sides(site->map, darts[0], (uint32_t)clv_kind_corners(l->shape.kind))) return false;
  for (uint32_t g = 0; g < l->guards.count; g++) {
    const law_guard *guard = &l->guards.data[g];
    const clv_dart dart = darts[site->path_steps.data[guard->path]];
    bool holds = true;
    switch ((law_test)guard->test) {
    case LAW_FREE:
      holds = guard->dimension > view->dimension || clv_is_free(view, dart, guard->dimension);
      break;
    case LAW_NOT_FREE:
      holds = guard->dimension <= view->dimension && !clv_is_free(view, dart, guard->dimension);
      break;
    case LAW_SIDE:
      holds = clv_side(view, dart) == guard->dimension;
      break;
    case LAW_NOT_SIDE:
      holds = clv_side(view, dart) != guard->dimension;
      break;
    case LAW_KIND:
      holds = (uint32_t)clv_cell_shape(view, dart) == guard->dimension;
      break;
    case LAW_CONDITION:
      break;
    }
    if (!holds) return false;
  }
  return !site->conditions.roots.count || conditions_hold(site, params, reading);
}

// Oriented laws start from side 0. Past a1 a template's canonical dart stays canonical.
clv_dart view_site_base(const view_site *site, clv_dart dart) {
  const clv_map *view = &site->map->view;
  if (site->whole && site->law->shape.kind) {
    if (CLV_LIKELY(map_dart_plain(site->map, dart)))
      dart &= ~63u;
    else if (clv_cell_shape(view, dart) <= CLV_TEMPLATE_LAST)
      dart = map_block(site->map, dart) << 6;
  }
  if (site->face) dart = face_base(site->map, dart);
  if (!site->law->oriented || clv_side(view, dart) == 0) return dart;
  for (uint32_t k = 0; k <= view->dimension; k++) {
    const uint32_t i = k == 0 ? 1 : k == 1 ? 0 : k;
    const clv_dart other = clv_alpha(view, dart, i);
    if ((site->dims >> i & 1u) && other != dart && clv_side(view, other) == 0) return other;
  }
  return dart;
}

uint32_t view_site_key(const view_site *site, clv_dart dart) {
  if (!site->crossing) return map_block(site->map, dart);
  const clv_page page = map_page(site->map, dart);
  return CLV_LIKELY(page.plain) ? plain_id(site->map, site->index, page, dart)
                                : map_index_get(site->map, site->index, dart);
}

// Going over bases

bool view_block_alive(const map *m, uint32_t block) {
  const uint32_t number = block >> 10;
  if (!number || number >= m->pages.count) return false;
  const clv_page page = m->pages.data[number];
  if (page.kind == MAP_KIND_DARTS) return false;
  const uint32_t row = map_row(page, block << 6);
  return row < m->rows[page.kind].count && map_row_alive(m, page.kind, row);
}

static clv_dart dart_of_block(const map *m, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  if (map_is_template(page.kind)) return block << 6;
  return m->rows[page.kind].data.data[map_row(page, block << 6) * m->rows[page.kind].words];
}

bool view_site_in_cell(const view_site *site, uint32_t block, view_visitor *each, void *user) {
  const map *m = site->map;
  const clv_dart cell = dart_of_block(m, block);
  const clv_kind kind = site->law->shape.kind;
  if (site->whole) return (kind && clv_cell_shape(&m->view, cell) != kind) || each(user, cell);
  if (map_dart_plain(m, cell)) {
    const clv_suborbits *sub = &clv_templates[map_page(m, cell).kind].sub[site->inner];
    for (uint32_t s = 0; s < sub->count; s++)
      if (!each(user, cell | sub->first[s])) return false;
    return true;
  }
  clv_walk walk;
  if (clv_walk_incident(&walk, &m->view, CLV_CELL, site->dims, cell) != CLV_OK) return false;
  bool done = true;
  for (uint32_t k = 0; done && k < walk.count; k++) done = each(user, walk.darts[k]);
  clv_walk_end(&walk);
  return done;
}

static bool all_cells(const view_site *site, view_visitor *each, void *user) {
  const map *m = site->map;
  const uint32_t only = site->whole ? site->law->shape.kind : CLV_NONE;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_KINDS; kind++) {
    if (only && kind != only) continue;
    for (uint32_t row = 0; row < m->rows[kind].count; row++)
      if (map_row_alive(m, kind, row) && !view_site_in_cell(site, map_cell_dart(m, kind, row) >> 6, each, user))
        return false;
  }
  return true;
}

bool view_site_all(const view_site *site, view_visitor *each, void *user) {
  if (!site->crossing) return all_cells(site, each, user);
  const map_index *index = site->index;
  for (uint32_t id = 1; id < index->count; id++)
    if ((index->generation.data[id] & 1u) && !each(user, index->dart.data[id])) return false;
  return true;
}

// Calls `each` for all darts of a place.
static bool place_darts(const map *m, uint32_t inner, clv_dart dart, view_visitor *each, void *user) {
  if (map_dart_plain(m, dart)) {
    const clv_template *shape = &clv_templates[map_page(m, dart).kind];
    const uint8_t *of = shape->sub[inner].of;
    for (uint32_t l = 0; l < shape->dart_count; l++)
      if (of[l] == of[dart & 63u] && !each(user, (dart & ~63u) | l)) return false;
    return true;
  }
  clv_walk walk;
  if (clv_walk_orbit(&walk, &m->view, inner, dart) != CLV_OK) return false;
  bool done = true;
  for (uint32_t k = 0; done && k < walk.count; k++) done = each(user, walk.darts[k]);
  clv_walk_end(&walk);
  return done;
}

bool view_orbit_darts(const map *m, uint32_t dims, clv_dart dart, view_visitor *each, void *user) {
  const uint32_t inner = dims & ~(1u << m->view.dimension);
  if (inner == dims) return place_darts(m, inner, dart, each, user);
  clv_walk star;
  if (clv_walk_star(&star, &m->view, dims, dart) != CLV_OK) return false;
  bool done = true;
  for (uint32_t k = 0; done && k < star.count; k++) done = place_darts(m, inner, star.darts[k], each, user);
  clv_walk_end(&star);
  return done;
}
