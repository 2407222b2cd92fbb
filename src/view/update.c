// What a commit does to views: finding the rows that it can have reached, and making them anew.
//
// The commit's log says which links changed, its events which orbits appeared, vanished or changed. A row depends on
// the links that its paths go over. Take the first of those that changed: up to there the path is as it was, so going
// back over it on the new map leads to the row's base, and nothing needs to be known about the old map. The same way
// leads back from an orbit whose number or value changed to the rows that have read it. Inside a cell nothing is told
// apart: when its links change, its rows are made anew.
//
// Derived quantities come first, each behind those it reads; what they change is added to what the commit changed.

#include "map/plan.h"
#include "view/views.h"

#include <stdlib.h>

// Sets

static bool set_grow(view_set *set, const clv_allocator *a, uint32_t number) {
  const uint32_t had = set->stamps.count;
  if (!BASE_RESERVE(a, &set->stamps, (uint64_t)number + 1)) return false;
  set->stamps.count = set->stamps.capacity;
  memset(set->stamps.data + had, 0, (set->stamps.count - had) * sizeof *set->stamps.data);
  return true;
}

static void set_clear(view_set *set) {
  if (++set->stamp) return;
  if (set->stamps.count) memset(set->stamps.data, 0, set->stamps.count * sizeof *set->stamps.data);
  set->stamp = 1;
}

// True when the number is new to the set.
static inline bool set_insert(view_change *change, const clv_allocator *a, uint32_t number) {
  view_set *set = &change->seen;
  if (number >= set->stamps.count && !set_grow(set, a, number)) {
    change->no_memory = true;
    return false;
  }
  if (set->stamps.data[number] == set->stamp) return false;
  set->stamps.data[number] = set->stamp;
  return true;
}

#define PUSH(views, array, ...)                                                                                        \
  do {                                                                                                                 \
    if ((array)->count < (array)->capacity || BASE_RESERVE(&(views)->allocator, array, (uint64_t)(array)->count + 1))  \
      (array)->data[(array)->count++] = __VA_ARGS__;                                                                   \
    else                                                                                                               \
      (views)->change.no_memory = true;                                                                                \
  } while (0)

void view_change_free(view_change *change, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &change->renames);
  BASE_RELEASE(allocator, &change->links);
  BASE_RELEASE(allocator, &change->blocks);
  BASE_RELEASE(allocator, &change->grown);
  BASE_RELEASE(allocator, &change->turned);
  BASE_RELEASE(allocator, &change->values);
  BASE_RELEASE(allocator, &change->keys);
  BASE_RELEASE(allocator, &change->seen.stamps);
}

// What changed

static int compare_renames(const void *a, const void *b) {
  const clv_dart p = ((const clv_rename *)a)->before, q = ((const clv_rename *)b)->before;
  return (p > q) - (p < q);
}

// What a dart of the log is called now; 0 when it is gone.
static clv_dart name_now(const clv_views *views, clv_dart dart) {
  const view_change *change = &views->change;
  if (change->renames.count) {
    const clv_rename wanted = {.before = dart}, *found = bsearch(&wanted, change->renames.data, change->renames.count,
                                                                 sizeof wanted, compare_renames);
    if (found) return found->after;
  }
  return clv_dart_alive(&views->map->view, dart) ? dart : CLV_NO_DART;
}

static void push_block(clv_views *views, uint32_t block) {
  view_change *change = &views->change;
  if (block && set_insert(change, &views->allocator, block)) PUSH(views, &change->blocks, block);
}

static void push_link(clv_views *views, clv_dart dart, uint32_t dimension) {
  if (dart) PUSH(views, &views->change.links, ((view_touched_link){dart, dimension}));
}

// Links are listed when a site first asks for them.
static void list_links(clv_views *views) {
  const map *m = views->map;
  if (views->change.links_listed) return;
  for (uint32_t k = 0; k < m->told; k++) {
    const map_write w = m->log.data[k];
    if (w.op == MAP_ALPHA) push_link(views, name_now(views, w.dart), w.i);
    if (w.op != MAP_LINK) continue;
    const clv_template *shape = &clv_templates[map_page(m, w.dart).kind];
    const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]];
    for (uint32_t d = 0; d < size; d++) push_link(views, name_now(views, w.dart + d), m->view.dimension);
  }
  views->change.links_listed = true;
}

static void hear_write(clv_views *views, map_write w) {
  const map *m = views->map;
  const uint32_t n = m->view.dimension;
  const clv_dart dart = name_now(views, w.dart);
  view_change *change = &views->change;
  switch ((map_op)w.op) {
  case MAP_LINK:
    break;
  case MAP_ALPHA:
    if (dart && w.i < n) push_block(views, map_block(m, dart));
    break;
  case MAP_EXTEND:
  case MAP_CELL_ADD:
  case MAP_DART_ADD:
    if (dart) push_block(views, map_block(m, dart));
    break;
  case MAP_TURN:
    if (dart) PUSH(views, &change->turned, map_block(m, dart));
    break;
  case MAP_VALUE: {
    const embedding *e = m->embedding.self;
    if (dart) PUSH(views, &change->values, ((view_touched_value){e->columns.data[w.before], dart}));
    break;
  }
  case MAP_CELL_DROP:
  case MAP_DART_DROP:
  case MAP_PARENTS:
  case MAP_INHERIT:
    break;
  }
}

// A cell that got hanging vertices in a commit that refines.
static void hear_growth(clv_views *views, uint32_t block) {
  view_change *change = &views->change;
  if (!set_insert(change, &views->allocator, block)) return;
  if (view_block_alive(views->map, block) && clv_cell_shape(&views->map->view, block << 6) <= CLV_TEMPLATE_LAST)
    PUSH(views, &change->grown, block);
  else
    PUSH(views, &change->blocks, block);
}

// Such a commit says of each new dart which cell it hangs in; what else it writes there follows from that.
static void hear_refining(clv_views *views) {
  const map *m = views->map;
  const map_words *notable = &m->scratch->notable;
  uint32_t last = 0;
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    if (w.op == MAP_DART_ADD && w.before != last) hear_growth(views, last = w.before);
    if (w.op == MAP_EXTEND) hear_growth(views, w.dart >> 6);
    if (w.op == MAP_CELL_ADD || w.op == MAP_TURN || w.op == MAP_VALUE) hear_write(views, w);
  }
}

// Whether a write frees darts or deletes them, and that is all.
static bool only_loses(const map *m, map_write w) {
  switch ((map_op)w.op) {
  case MAP_LINK:
    return w.after == 0;
  case MAP_ALPHA:
    return w.i == m->view.dimension && w.after == w.dart;
  case MAP_CELL_DROP:
  case MAP_DART_DROP:
  case MAP_VALUE:
    return true;
  default:
    return false;
  }
}

static void hear_commit(clv_views *views, const clv_commit *commit) {
  const map *m = views->map;
  view_change *change = &views->change;
  change->commit = commit;
  change->renames.count = change->links.count = change->blocks.count = change->turned.count = change->values.count = 0;
  change->grown.count = 0;
  change->recoloured = m->scratch->plan.recolour;
  change->no_memory = false;
  set_clear(&change->seen);
  if (commit->rename_count) {
    change->no_memory = !BASE_RESERVE(&views->allocator, &change->renames, commit->rename_count);
    if (change->no_memory) return;
    memcpy(change->renames.data, commit->renames, commit->rename_count * sizeof *commit->renames);
    change->renames.count = commit->rename_count;
    qsort(change->renames.data, change->renames.count, sizeof *change->renames.data, compare_renames);
  }
  change->refining = m->scratch->plan.refined && !commit->rename_count && !change->recoloured;
  change->links_listed = false;
  change->losing = !change->refining && !commit->rename_count && !change->recoloured;
  if (change->refining) hear_refining(views);
  for (uint32_t k = 0; k < m->told && !change->refining; k++) {
    change->losing = change->losing && only_loses(m, m->log.data[k]);
    hear_write(views, m->log.data[k]);
  }
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL);
  for (uint32_t k = 0; k < commit->event_count; k++) {
    if (commit->events[k].dims != cells) continue;
    push_block(views, commit->events[k].id.index);
    push_block(views, commit->events[k].from.index);
  }
}

// Which keys of a site it reaches

typedef struct reaching {
  clv_views *views;
  const view_site *site;
  uint32_t dims;
  const clv_column *column; // of the sources that are followed
  bool numbers, values;     // follow particles; follow columns
} reaching;

static void touch_key(clv_views *views, uint32_t key, clv_dart dart, uint32_t like) {
  view_change *change = &views->change;
  if (set_insert(change, &views->allocator, key)) PUSH(views, &change->keys, ((view_touched_key){key, dart, like}));
}

static void touch(clv_views *views, const view_site *site, clv_dart dart) {
  touch_key(views, view_site_key(site, dart), dart, 0);
}

// Goes back from letter `k` of a way on, to the base. Where steps turn at the corners of cells, all the edges that one
// with hanging vertices consists of lead to the same corner.
static void touch_back(clv_views *views, const view_site *site, const view_way *way, uint32_t k, clv_dart dart) {
  const map *m = site->map;
  for (; k < way->length; k++) {
    dart = clv_alpha(&m->view, dart, way->letter[k]);
    if (!site->turns || way->letter[k] != 1 || map_dart_plain(m, dart)) continue;
    if (map_page(m, dart).kind == MAP_KIND_DARTS || clv_cell_shape(&m->view, dart) > CLV_TEMPLATE_LAST) continue;
    for (clv_dart end = clv_alpha(&m->view, dart, 0); map_page(m, end).kind == MAP_KIND_DARTS;) {
      const clv_dart next = clv_alpha(&m->view, end, 1);
      touch_back(views, site, way, k + 1, next);
      end = clv_alpha(&m->view, next, 0);
    }
  }
  touch(views, site, dart);
}

// From one dart of an orbit that changed, back to the bases.
static bool follow_sources(void *user, clv_dart dart) {
  const reaching *r = user;
  for (uint32_t k = 0; k < r->site->sources.count; k++) {
    const view_source *source = &r->site->sources.data[k];
    const bool wanted = source->column ? r->values && (!r->column || r->column == source->column) : r->numbers;
    if (source->dims == r->dims && wanted) touch_back(r->views, r->site, &source->way, 0, dart);
  }
  return !r->views->change.no_memory;
}

static bool is_derived(const clv_views *views, const clv_column *column) {
  for (uint32_t k = 0; k < views->derived.count; k++)
    if (views->derived.data[k].column == column) return true;
  return false;
}

// What a site reads of an event's orbit; derived columns speak for themselves. An orbit that only changed may have got
// darts of another one that lives on, too: all its numbers and values count as new. Not so where everything only loses:
// values that are copied are what they were, and new numbers were given to rows already.
static reaching reach_of(clv_views *views, const view_site *site, const clv_event *event) {
  reaching r = {.views = views, .site = site, .dims = event->dims};
  const bool losing = views->change.losing || (views->change.refining && site->steady);
  for (uint32_t k = 0; k < site->sources.count; k++) {
    const view_source *source = &site->sources.data[k];
    if (source->dims != event->dims) continue;
    r.numbers |= !source->column && !losing;
    r.values |= source->column && !is_derived(views, source->column) && !(losing && embed_copies(source->column));
  }
  return r;
}

// Every row inside a cell at the orbit may read its number or its value: one dart of each cell is enough.
static bool touch_star(clv_views *views, const view_site *site, const clv_event *event) {
  clv_walk star;
  if (clv_walk_star(&star, &site->map->view, event->dims, event->dart) != CLV_OK) return false;
  for (uint32_t k = 0; k < star.count; k++) touch(views, site, star.darts[k]);
  clv_walk_end(&star);
  return true;
}

static void reach_by_event(clv_views *views, const view_site *site, const clv_event *event) {
  reaching r = reach_of(views, site, event);
  if (!event->dart || (!r.numbers && !r.values)) return;
  const bool done = site->inside && !site->crossing
                        ? touch_star(views, site, event)
                        : view_orbit_darts(site->map, event->dims, event->dart, follow_sources, &r);
  if (!done) views->change.no_memory = true;
}

static void reach_by_events(clv_views *views, const view_site *site) {
  const clv_commit *commit = views->change.commit;
  for (uint32_t k = 0; k < commit->event_count && !views->change.no_memory; k++) {
    const clv_event *event = &commit->events[k];
    if (site->crossing && event->dims == site->dims) {
      if (event->kind == CLV_MERGED) touch_key(views, event->from.index, CLV_NO_DART, 0);
      touch_key(views, event->id.index, event->dart, event->kind == CLV_SPLIT ? event->from.index : 0);
    }
    reach_by_event(views, site, event);
  }
}

static bool touch_dart(void *user, clv_dart dart) {
  const reaching *r = user;
  touch(r->views, r->site, dart);
  return !r->views->change.no_memory;
}

static clv_dart dart_of_cell(const map *m, uint32_t block) {
  if (!view_block_alive(m, block)) return CLV_NO_DART;
  const clv_page page = map_page(m, block << 6);
  if (map_is_template(page.kind)) return block << 6;
  return m->rows[page.kind].data.data[map_row(page, block << 6) * m->rows[page.kind].words];
}

// Inner columns change with their cell.
static bool reads_inner(const view_site *site, uint32_t dims) {
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (site->sources.data[k].dims == dims && (site->crossing || site->sources.data[k].way.length)) return true;
  return false;
}

// True when something at the site depends on which side a dart lies.
static bool looks_at_sides(const view_site *site) {
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!site->sources.data[k].column && site->sources.data[k].dims == clv_orbit_dims(&site->map->view, CLV_CELL))
      return true;
  return false;
}

static void reach_from_cell(clv_views *views, const view_site *site, clv_dart dart) {
  const map *m = site->map;
  const uint32_t cell = clv_orbit_dims(&m->view, CLV_CELL);
  for (uint32_t dims = 0; dims <= cell; dims++) {
    reaching r = {.views = views, .site = site, .dims = dims, .values = true, .numbers = dims == cell};
    if (reads_inner(site, dims) && !view_orbit_darts(m, cell, dart, follow_sources, &r)) views->change.no_memory = true;
  }
}

static void reach_by_turning(clv_views *views, const view_site *site) {
  const map *m = site->map;
  const view_change *change = &views->change;
  reaching r = {.views = views, .site = site, .dims = clv_orbit_dims(&m->view, CLV_CELL), .numbers = true};
  bool done = !change->recoloured || view_site_all(site, touch_dart, &r);
  for (uint32_t k = 0; done && k < change->turned.count && !change->no_memory; k++) {
    const clv_dart dart = dart_of_cell(m, change->turned.data[k]);
    done = !dart || view_orbit_darts(m, r.dims, dart, follow_sources, &r);
  }
  views->change.no_memory |= !done;
}

static void reach_by_cells(clv_views *views, const view_site *site) {
  const view_change *change = &views->change;
  for (uint32_t k = 0; k < change->blocks.count + change->grown.count && !change->no_memory; k++) {
    const bool grown = k >= change->blocks.count;
    const uint32_t block = grown ? change->grown.data[k - change->blocks.count] : change->blocks.data[k];
    const clv_dart dart = dart_of_cell(site->map, block);
    if (!site->crossing) touch_key(views, block, dart, 0);
    if (dart) reach_from_cell(views, site, dart);
  }
  if ((change->turned.count || change->recoloured) && looks_at_sides(site)) reach_by_turning(views, site);
}

static void reach_by_link(clv_views *views, const view_site *site, const view_link *link) {
  const view_change *change = &views->change;
  list_links(views);
  for (uint32_t k = 0; k < change->links.count && !change->no_memory; k++)
    if (change->links.data[k].dimension == link->dimension)
      touch_back(views, site, &link->way, 0, change->links.data[k].dart);
}

static void reach_by_links(clv_views *views, const view_site *site) {
  for (uint32_t l = 0; l < site->links.count; l++) reach_by_link(views, site, &site->links.data[l]);
}

// How a site reads a column: not at all; at its own orbit; or elsewhere, or in more of it.
typedef enum view_regard { VIEW_IGNORED, VIEW_OWN, VIEW_ELSEWHERE } view_regard;

static view_regard regard(const view_site *site, const clv_column *column) {
  const uint32_t dims = column->index->dims;
  view_regard found = VIEW_IGNORED;
  for (uint32_t s = 0; s < site->sources.count; s++) {
    if (site->sources.data[s].column != column) continue;
    const bool within = site->crossing ? !(dims & ~site->dims) : dims == site->dims;
    if (!within || site->sources.data[s].way.length > 0) return VIEW_ELSEWHERE;
    found = VIEW_OWN;
  }
  return found;
}

static void reach_by_values(clv_views *views, const view_site *site) {
  const view_change *change = &views->change;
  const clv_column *column = NULL;
  view_regard how = VIEW_IGNORED;
  for (uint32_t k = 0; k < change->values.count && !change->no_memory; k++) {
    const view_touched_value value = change->values.data[k];
    if (value.column != column) how = regard(site, column = value.column);
    if (how == VIEW_OWN) touch(views, site, value.dart);
    if (how != VIEW_ELSEWHERE) continue;
    reaching r = {.views = views, .site = site, .dims = column->index->dims, .column = column, .values = true};
    if (!view_orbit_darts(site->map, r.dims, value.dart, follow_sources, &r)) views->change.no_memory = true;
  }
}

// Commits that refine. A row that was there before and lies on no way over a changed link reads the orbits that it
// read; these may have been parted, which leaves copied values as they are. So what is left to see to are the orbits
// that events name, those in the new cells, and the ways over changed links. A link inside a site's own orbit is an
// event of that.

static bool copies_all(const view_site *site, uint32_t dims) {
  for (uint32_t k = 0; k < site->sources.count; k++) {
    const clv_column *column = site->sources.data[k].column;
    if (site->sources.data[k].dims == dims && column && !embed_copies(column)) return false;
  }
  return true;
}

static void reach_by_parting(clv_views *views, const view_site *site) {
  const clv_commit *commit = views->change.commit;
  uint32_t read = 0; // by dims: values that are not copied
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!copies_all(site, site->sources.data[k].dims)) read |= 1u << site->sources.data[k].dims;
  if (!site->crossing && !read) return;
  for (uint32_t k = 0; k < commit->event_count && !views->change.no_memory; k++) {
    const clv_event *event = &commit->events[k];
    if (site->crossing && event->dims == site->dims)
      touch_key(views, event->id.index, event->dart, event->kind == CLV_SPLIT ? event->from.index : 0);
    if (read >> event->dims & 1u) reach_by_event(views, site, event);
  }
}

// Whether the site reads values of a cell that it gets to by going out of its own orbit.
static bool reads_inner_afar(const view_site *site) {
  const uint32_t n = site->map->view.dimension;
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!(site->sources.data[k].dims >> n & 1u) && site->sources.data[k].way.length) return true;
  return false;
}

static void reach_by_new_cells(clv_views *views, const view_site *site) {
  const map *m = site->map;
  const view_change *change = &views->change;
  const bool afar = site->crossing && reads_inner_afar(site);
  for (uint32_t k = 0; k < change->blocks.count && !change->no_memory; k++) {
    const uint32_t block = change->blocks.data[k];
    const clv_dart dart = dart_of_cell(m, block);
    if (!site->crossing) touch_key(views, block, dart, map_begetter(m, block));
    if (!site->crossing || !dart) continue;
    const bool plain = map_dart_plain(m, dart);
    const clv_page page = map_page(m, dart);
    const clv_suborbits *sub = &clv_templates[page.kind].sub[site->inner];
    const uint32_t *ids = plain ? site->index->ids[page.kind].data + (size_t)map_row(page, dart) * sub->count : NULL;
    for (uint32_t s = 0; plain && s < sub->count; s++) touch_key(views, ids[s], dart | sub->first[s], 0);
    if (afar || !plain) reach_from_cell(views, site, dart);
  }
  for (uint32_t k = 0; afar && k < change->grown.count && !change->no_memory; k++)
    reach_from_cell(views, site, dart_of_cell(m, change->grown.data[k]));
}

static void reach_refined(clv_views *views, const view_site *site) {
  const view_change *change = &views->change;
  reach_by_new_cells(views, site); // first: an orbit is best looked at from a cell that is plain
  reach_by_parting(views, site);
  for (uint32_t l = 0; l < site->links.count; l++) {
    const view_link *link = &site->links.data[l];
    if (site->crossing && !link->way.length && (site->dims >> link->dimension & 1u)) continue;
    reach_by_link(views, site, link);
  }
  if (change->turned.count && looks_at_sides(site)) reach_by_turning(views, site);
  reach_by_values(views, site);
}

// Collects the keys of a site that the commit reached, after those there are.
static void reach(clv_views *views, const view_site *site) {
  if (views->change.refining && site->steady) {
    reach_refined(views, site);
    return;
  }
  reach_by_events(views, site);
  reach_by_cells(views, site);
  reach_by_links(views, site);
  reach_by_values(views, site);
}

static void forget_keys(clv_views *views) {
  views->change.keys.count = 0;
  set_clear(&views->change.seen);
}

// Derived quantities

static void set_to_zero(const clv_column *column, void *value) {
  if (column->size == sizeof(double))
    memset(value, 0, sizeof(double));
  else
    memset(value, 0, column->size);
}

typedef struct marking {
  clv_views *views;
  const clv_column *column;
} marking;

static bool mark_value(void *user, clv_dart dart) {
  const marking *k = user;
  set_to_zero(k->column, clv_column_at(k->column, dart));
  PUSH(k->views, &k->views->change.values, ((view_touched_value){k->column, dart}));
  return !k->views->change.no_memory;
}

// Every orbit of the column at a key starts from zero, and its readers will hear of it.
static bool mark_values(clv_views *views, const view_figure *figure, const view_touched_key *key) {
  marking k = {views, figure->column};
  const view_site *site = &figure->formulas[0].site;
  if (figure->column->index->crossing) return mark_value(&k, key->dart);
  if (!site->crossing && map_dart_plain(site->map, key->dart)) {
    const clv_page page = map_page(site->map, key->dart);
    const clv_suborbits *sub = &clv_templates[page.kind].sub[figure->column->index->inner];
    uint8_t *values = embed_row_value(figure->column, page.kind, map_row(page, key->dart), 0);
    for (uint32_t s = 0; s < sub->count; s++) {
      set_to_zero(figure->column, values + s * figure->column->size);
      PUSH(views, &views->change.values, ((view_touched_value){figure->column, (key->dart & ~63u) | sub->first[s]}));
    }
    return !views->change.no_memory;
  }
  clv_walk walk;
  const clv_orbit orbit = site->crossing ? site->dims : clv_orbit_dims(&site->map->view, CLV_CELL);
  if (clv_walk_incident(&walk, &site->map->view, orbit, figure->column->index->dims, key->dart) != CLV_OK) return false;
  bool done = true;
  for (uint32_t n = 0; done && n < walk.count; n++) done = mark_value(&k, walk.darts[n]);
  clv_walk_end(&walk);
  return done;
}

// A formula that is evaluated at some places, eight at a time.
typedef struct computing {
  clv_views *views;
  const view_formula *formula;
  uint32_t lanes; // that wait
} computing;

static void compute_waiting(computing *c) {
  const view_formula *formula = c->formula;
  view_room *room = &c->views->rooms[0];
  if (!c->lanes) return;
  view_formula_compute(formula, room, c->lanes);
  for (uint32_t lane = 0; lane < c->lanes; lane++)
    for (uint32_t t = 0; t < formula->targets.count; t++)
      view_assign(&formula->targets.data[t], room->targets.data[t * VIEW_LANES + lane],
                  view_formula_result(formula, room, t, lane));
  c->lanes = 0;
}

static bool compute_one(void *user, clv_dart dart) {
  computing *c = user;
  bool holds = false;
  if (!view_formula_take(c->formula, &c->views->rooms[0], c->views->params.data, dart, c->lanes, &holds)) return false;
  if (holds && ++c->lanes == VIEW_LANES) compute_waiting(c);
  return true;
}

// Whether there are cells of the kind that a site is for.
static bool is_needed(const view_site *site) {
  const clv_kind kind = site->law->shape.kind;
  return !site->whole || !kind || site->map->rows[kind].alive;
}

// A sum over the corners of a vertex follows a commit that refines without a walk: what parents gave is taken away,
// what children give is added. Corners of other cells give what they gave.

static bool gains_only(const clv_views *views, const view_figure *figure, const view_pick *term) {
  const map *m = views->map;
  const view_change *change = &views->change;
  const bool vertices = figure->formulas[0].site.dims == clv_orbit_dims(&m->view, CLV_VERTEX);
  if (!change->refining || !term || !vertices || figure->count != 1 || figure->column->def.type != CLV_DOUBLE)
    return false;
  for (uint32_t k = 0; k < change->values.count; k++) {
    const view_touched_value value = change->values.data[k];
    if (value.column == figure->column) return false; // somebody set it
    if (value.column == term->column && !map_is_fresh(m, value.dart >> 6)) return false;
  }
  return true;
}

static void add_cell(const view_figure *figure, const view_pick *term, uint32_t block, double sign) {
  const map *m = figure->column->map;
  const clv_page page = map_page(m, block << 6);
  const uint32_t row = map_row(page, block << 6), count = clv_templates[page.kind].corner_count;
  const uint32_t *ids = m->view.corners[page.kind] + (size_t)row * count;
  const double *terms =
      (const double *)(const void *)term->column->rows[page.kind].data + (size_t)row * count * term->stride;
  double *sums = (double *)(void *)figure->column->slots.data;
  for (uint32_t c = 0; c < count; c++) sums[ids[c]] += sign * terms[c * term->stride + term->component];
}

static void follow_sum(clv_views *views, const view_figure *figure, const view_pick *term) {
  const map *m = views->map;
  view_change *change = &views->change;
  const map_words *parents = &m->scratch->begetters, *children = &m->scratch->fresh;
  double *sums = (double *)(void *)figure->column->slots.data;
  for (uint32_t k = 0; k < change->commit->event_count; k++) {
    const clv_event *event = &change->commit->events[k];
    if (event->dims == figure->column->index->dims && event->kind == CLV_CREATED) sums[event->id.index] = 0;
  }
  for (uint32_t k = 0; k < parents->count; k++)
    if (!k || parents->data[k - 1] != parents->data[k]) add_cell(figure, term, parents->data[k], -1);
  forget_keys(views);
  for (uint32_t k = 0; k < children->count; k++) {
    const clv_dart cell = children->data[k] << 6;
    const clv_suborbits *corners = &clv_templates[map_page(m, cell).kind].sub[figure->column->index->inner];
    add_cell(figure, term, children->data[k], 1);
    for (uint32_t c = 0; c < corners->count; c++) touch(views, &figure->formulas[0].site, cell | corners->first[c]);
  }
  for (uint32_t k = 0; k < change->keys.count; k++)
    PUSH(views, &change->values, ((view_touched_value){figure->column, change->keys.data[k].dart}));
}

static bool derive_again(clv_views *views, const view_figure *figure) {
  view_change *change = &views->change;
  const view_pick *term = view_formula_term(&figure->formulas[0]);
  if (gains_only(views, figure, term)) {
    follow_sum(views, figure, term);
    return !change->no_memory;
  }
  forget_keys(views);
  // The first is always asked: it tells of cells that are of no such kind any more, where nothing is left of the value.
  for (uint32_t f = 0; f < figure->count; f++)
    if (f == 0 || is_needed(&figure->formulas[f].site)) reach(views, &figure->formulas[f].site);
  for (uint32_t k = 0; k < change->values.count; k++) // whoever set a derived value is overruled
    if (change->values.data[k].column == figure->column)
      touch(views, &figure->formulas[0].site, change->values.data[k].dart);
  if (!change->keys.count) return !change->no_memory;
  for (uint32_t k = 0; k < change->keys.count && !change->no_memory; k++)
    if (change->keys.data[k].dart && !mark_values(views, figure, &change->keys.data[k])) return false;
  for (uint32_t f = 0; f < figure->count; f++) {
    computing c = {views, &figure->formulas[f], 0};
    if (!is_needed(&c.formula->site)) continue;
    view_formula_aim(&figure->formulas[f]);
    view_formula_start(c.formula, &views->rooms[0], views->params.data);
    view_around around; // most of it is room, and not to be cleared
    around.formula = c.formula;
    around.lanes = 0;
    const bool rings = view_sums_around(c.formula);
    for (uint32_t k = 0; k < change->keys.count && !change->no_memory; k++) {
      const view_touched_key *key = &change->keys.data[k];
      const bool many = !c.formula->site.crossing && !c.formula->site.whole;
      if (!key->dart) continue;
      if (rings && view_around_take(&around, &views->rooms[0], views->params.data, key->key, key->dart)) continue;
      if (many ? !view_site_in_cell(&c.formula->site, key->key, compute_one, &c) : !compute_one(&c, key->dart))
        return false;
    }
    view_around_compute(&around, &views->rooms[0], views->params.data);
    compute_waiting(&c);
  }
  return !change->no_memory;
}

// Tables

// Bases that were renamed without anything else happening to their rows. Names may be given round: look first, write
// afterwards.
static bool rename_bases(clv_views *views, view_table *table) {
  view_change *change = &views->change;
  if (!table->site.crossing || !change->renames.count) return true;
  forget_keys(views);
  for (uint32_t k = 0; k < change->renames.count; k++) {
    const clv_rename rename = change->renames.data[k];
    if (!clv_dart_alive(&views->map->view, rename.after)) continue;
    const uint32_t reference = view_row_of_key(table, view_site_key(&table->site, rename.after));
    if (reference && view_row_slab(table, reference)->bases.data[view_row_number(reference)] == rename.before)
      PUSH(views, &change->keys, ((view_touched_key){.key = reference, .dart = rename.after}));
  }
  for (uint32_t k = 0; k < change->keys.count; k++) {
    const uint32_t reference = change->keys.data[k].key;
    view_row_slab(table, reference)->bases.data[view_row_number(reference)] = change->keys.data[k].dart;
  }
  return !change->no_memory;
}

static bool reads_numbers(const view_site *site, uint32_t dims) {
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!site->sources.data[k].column && site->sources.data[k].dims == dims) return true;
  return false;
}

// Where everything only loses, what came off an orbit has another number and the same values: its rows are renumbered.
static bool renumber_rows(clv_views *views, view_table *table) {
  view_change *change = &views->change;
  const view_site *site = &table->site;
  if (!change->losing) return true;
  forget_keys(views);
  for (uint32_t k = 0; k < change->commit->event_count && !change->no_memory; k++) {
    const clv_event *event = &change->commit->events[k];
    if (event->kind != CLV_SPLIT || !reads_numbers(site, event->dims)) continue;
    reaching r = {.views = views, .site = site, .dims = event->dims, .numbers = true};
    const bool done = site->inside && !site->crossing
                          ? touch_star(views, site, event)
                          : view_orbit_darts(site->map, event->dims, event->dart, follow_sources, &r);
    if (!done) return false;
  }
  for (uint32_t k = 0; k < change->keys.count && !change->no_memory; k++)
    if (!view_table_renumber(table, &views->shop, change->keys.data[k].key)) return false;
  return !change->no_memory;
}

// Rows that come go to those of neighbours that are there.
static void seat_together(const view_table *table, view_touched_key *keys, uint32_t count) {
  uint32_t near = 0;
  for (uint32_t k = 0; k < count && !near; k++) near = view_row_of_key(table, keys[k].key) ? keys[k].key : 0;
  for (uint32_t k = 0; k < count; k++) {
    if (view_row_of_key(table, keys[k].key)) near = keys[k].key;
    if (!keys[k].like) keys[k].like = near;
  }
}

static bool update_table(clv_views *views, view_table *table) {
  view_change *change = &views->change;
  if (!table->rows && !is_needed(&table->site)) return true;
  if (!rename_bases(views, table) || !renumber_rows(views, table)) return false;
  forget_keys(views);
  reach(views, &table->site);
  if (change->refining && !change->no_memory) {
    seat_together(table, change->keys.data, change->keys.count);
    return view_table_refresh(table, &views->shop, change->keys.data, change->keys.count);
  }
  uint32_t near = 0; // keys that follow one another mostly lie together
  for (uint32_t k = 0; k < change->keys.count && !change->no_memory; k++) {
    const view_touched_key *key = &change->keys.data[k];
    if (!view_table_update(table, &views->shop, key->key, key->dart, key->like ? key->like : near)) return false;
    if (view_row_of_key(table, key->key)) near = key->key;
  }
  return !change->no_memory;
}

void views_hear(void *user, const clv_map *view, const clv_commit *commit) {
  clv_views *views = user;
  (void)view;
  views->lost.evaluated = views->laid_out;
  views_forget(views);
  if (views->stale) return;
  views->revision = commit->revision;
  bool done = false;
  if (!views_lose(views, commit, &done)) {
    hear_commit(views, commit);
    done = !views->change.no_memory;
    for (uint32_t k = 0; done && k < views->derived.count; k++) done = derive_again(views, &views->derived.data[k]);
    for (uint32_t k = 0; done && k < views->tables.count; k++) done = update_table(views, &views->tables.data[k]);
  }
  views->stale = !done || !views_lay_out(views);
}
