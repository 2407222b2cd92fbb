// What a commit changed, and which keys of a site it can have reached by that.
//
// The commit's log says which links changed, its events which orbits appeared, vanished or changed. A row depends on
// the links that its paths go over. Take the first of those that changed: up to there the path is as it was, so going
// back over it on the new map leads to the row's base, and nothing needs to be known about the old map. The same way
// leads back from an orbit whose number or value changed to the rows that have read it. Inside a cell nothing is told
// apart: when its links change, its rows are made anew.

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
static inline bool set_insert(view_change *change, view_set *set, const clv_allocator *a, uint32_t number) {
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
  BASE_RELEASE(allocator, &change->gains);
  BASE_RELEASE(allocator, &change->left);
  for (uint32_t k = 0; k < VIEW_SORTS; k++) {
    BASE_RELEASE(allocator, &change->reached[k].list);
    BASE_RELEASE(allocator, &change->reached[k].seen.stamps);
  }
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
  if (block && set_insert(change, &change->seen, &views->allocator, block)) PUSH(views, &change->blocks, block);
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
  case MAP_VALUE: // the embedding knows where it is now
  case MAP_CELL_DROP:
  case MAP_DART_DROP:
  case MAP_PARENTS:
  case MAP_INHERIT:
    break;
  }
}

// A cell that got hanging vertices in a commit that refines; what else is written in it follows from that.
static void hear_growth(clv_views *views, const clv_event *event) {
  view_change *change = &views->change;
  const uint32_t block = event->id.index;
  if (!set_insert(change, &change->seen, &views->allocator, block)) return;
  if (clv_cell_shape(&views->map->view, event->dart) <= CLV_TEMPLATE_LAST)
    PUSH(views, &change->grown, block);
  else
    PUSH(views, &change->blocks, block);
}

// New cells, and others that were turned: those that a commit refined by its lineage alone turns are new.
static void hear_refining(clv_views *views) {
  const map *m = views->map;
  const map_words *notable = &m->scratch->notable, *fresh = &m->scratch->fresh;
  for (uint32_t k = 0; k < fresh->count; k++) push_block(views, fresh->data[k]);
  for (uint32_t k = 0; !m->scratch->told && k < notable->count; k++)
    if (m->log.data[notable->data[k]].op == MAP_TURN) hear_write(views, m->log.data[notable->data[k]]);
}

// New cells of a commit that refines are known.
static void hear_cell(clv_views *views, const clv_event *event) {
  const bool refining = views->change.refining;
  if (refining && event->kind == CLV_CREATED) return;
  if (refining && event->kind == CLV_CHANGED) {
    hear_growth(views, event);
    return;
  }
  push_block(views, event->id.index);
  push_block(views, event->from.index);
}

// Values that were set by hand, at darts that are there.
static void hear_values(clv_views *views) {
  const map *m = views->map;
  const embedding *e = m->embedding.self;
  for (uint32_t k = 0; e && !map_only_lost(m) && k < e->stated.count; k++) {
    const clv_dart dart = name_now(views, e->stated.data[k].dart);
    const map_write w = m->log.data[e->stated.data[k].moment];
    if (dart) PUSH(views, &views->change.values, ((view_touched_value){e->columns.data[w.before], dart}));
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

static clv_dart dart_of_cell(const map *m, uint32_t block) {
  if (!view_block_alive(m, block)) return CLV_NO_DART;
  const clv_page page = map_page(m, block << 6);
  if (map_is_template(page.kind)) return block << 6;
  return m->rows[page.kind].data.data[map_row(page, block << 6) * m->rows[page.kind].words];
}

// New cells are plain; they come first.
static void look_at_others(clv_views *views) {
  const map *m = views->map;
  view_change *change = &views->change;
  change->rough = change->strange = false;
  for (uint32_t k = m->scratch->fresh.count; k < change->blocks.count; k++) {
    const clv_dart dart = dart_of_cell(m, change->blocks.data[k]);
    change->rough |= dart && !map_dart_plain(m, dart);
    change->strange |= dart != CLV_NO_DART;
  }
}

void view_change_clear(view_change *change) {
  change->renames.count = change->links.count = change->blocks.count = change->turned.count = change->values.count = 0;
  change->grown.count = 0;
  change->refining = change->losing = change->links_listed = change->recoloured = change->no_memory = false;
  for (uint32_t k = 0; k < VIEW_SORTS; k++) change->reached[k].listed = false;
  set_clear(&change->seen);
}

void view_change_hear(clv_views *views, const clv_commit *commit) {
  const map *m = views->map;
  view_change *change = &views->change;
  view_change_clear(change);
  change->commit = commit;
  change->recoloured = m->scratch->plan.recolour;
  if (commit->rename_count) {
    change->no_memory = !BASE_RESERVE(&views->allocator, &change->renames, commit->rename_count);
    if (change->no_memory) return;
    memcpy(change->renames.data, commit->renames, commit->rename_count * sizeof *commit->renames);
    change->renames.count = commit->rename_count;
    qsort(change->renames.data, change->renames.count, sizeof *change->renames.data, compare_renames);
  }
  change->refining = m->scratch->plan.refined && !commit->rename_count && !change->recoloured;
  change->losing = !change->refining && !commit->rename_count && !change->recoloured;
  if (change->refining) hear_refining(views);
  for (uint32_t k = 0; k < m->told && !change->refining; k++) {
    change->losing = change->losing && only_loses(m, m->log.data[k]);
    hear_write(views, m->log.data[k]);
  }
  hear_values(views);
  const uint32_t cells = clv_orbit_dims(&m->view, CLV_CELL);
  for (uint32_t k = 0; k < commit->event_count; k++) {
    if (commit->events[k].dims == cells) hear_cell(views, &commit->events[k]);
  }
  if (change->refining) look_at_others(views);
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
  view_keys *keys = change->keys;
  if (set_insert(change, &keys->seen, &views->allocator, key))
    PUSH(views, &keys->list, ((view_touched_key){key, dart, like}));
}

void view_touch(clv_views *views, const view_site *site, clv_dart dart) {
  touch_key(views, view_site_key(site, dart), dart, 0);
}

void view_touch_value(clv_views *views, const clv_column *column, clv_dart dart) {
  PUSH(views, &views->change.values, ((view_touched_value){column, dart}));
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
  view_touch(views, site, dart);
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
  for (uint32_t k = 0; k < star.count; k++) view_touch(views, site, star.darts[k]);
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
  view_touch(r->views, r->site, dart);
  return !r->views->change.no_memory;
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

static void reach_by_value(clv_views *views, const view_site *site, view_touched_value value, view_regard how) {
  const clv_column *column = value.column;
  if (how == VIEW_OWN) view_touch(views, site, value.dart);
  if (how != VIEW_ELSEWHERE) return;
  reaching r = {.views = views, .site = site, .dims = column->index->dims, .column = column, .values = true};
  if (!view_orbit_darts(site->map, r.dims, value.dart, follow_sources, &r)) views->change.no_memory = true;
}

static void reach_by_values(clv_views *views, const view_site *site) {
  const view_change *change = &views->change;
  const clv_column *column = NULL;
  view_regard how = VIEW_IGNORED;
  for (uint32_t k = 0; k < change->values.count && !change->no_memory; k++) {
    const view_touched_value value = change->values.data[k];
    if (value.column != column) how = regard(site, column = value.column);
    if (how == VIEW_IGNORED) continue;
    const view_keys *keys = view_common_keys(change, column);
    if (value.dart) reach_by_value(views, site, value, how);
    if (value.dart || (how == VIEW_OWN && keys == change->keys)) continue; // it has them all
    for (uint32_t n = 0; n < keys->common && !change->no_memory; n++)
      if (keys->list.data[n].dart)
        reach_by_value(views, site, (view_touched_value){column, keys->list.data[n].dart}, how);
  }
}

// Commits that refine. A row that was there before and lies on no way over a changed link reads the orbits that it
// read; these may have been parted, which leaves copied values as they are. So what is left to see to are the orbits
// that events name, those in the new cells, and the ways over changed links. A link inside a site's own orbit is an
// event of that.
//
// Which orbits of a sort are in new cells or named by events is the same for every site: they are listed once.

// Room for so many more keys, with numbers below a bound.
static bool reserve_keys(clv_views *views, uint64_t more, uint32_t bound) {
  view_keys *keys = views->change.keys;
  if (BASE_RESERVE(&views->allocator, &keys->list, keys->list.count + more) &&
      (bound <= keys->seen.stamps.count || set_grow(&keys->seen, &views->allocator, bound)))
    return true;
  views->change.no_memory = true;
  return false;
}

// Of a sub-orbit, in any template.
static uint64_t most_places(uint32_t inner) {
  uint32_t most = 0;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++)
    if (clv_templates[kind].sub[inner].count > most) most = clv_templates[kind].sub[inner].count;
  return most;
}

// Keys that are put down, each once, where there is room for them.
typedef struct listing {
  uint32_t *stamps, stamp;
  view_touched_key *next;
} listing;

static inline void list_key(listing *l, uint32_t key, clv_dart dart, uint32_t like) {
  if (l->stamps[key] == l->stamp) return;
  l->stamps[key] = l->stamp;
  *l->next++ = (view_touched_key){key, dart, like};
}

static inline void list_places(listing *l, const view_site *site, clv_dart cell) {
  const clv_page page = map_page(site->map, cell);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[site->inner];
  const uint32_t *ids = site->index->ids[page.kind].data + (size_t)map_row(page, cell) * sub->count;
  for (uint32_t s = 0; s < sub->count; s++) list_key(l, ids[s], cell | sub->first[s], 0);
}

// New cells are plain; they come first.
static clv_dart plain_block(const view_change *change, const map *m, uint32_t k) {
  const clv_dart dart =
      k < m->scratch->fresh.count ? change->blocks.data[k] << 6 : dart_of_cell(m, change->blocks.data[k]);
  return k < m->scratch->fresh.count || (dart && map_dart_plain(m, dart)) ? dart : CLV_NO_DART;
}

// First those of plain cells: an orbit is best looked at from there. Where the lineage tells, all that events name lie
// in new cells.
static void list_crossing(clv_views *views, const view_site *site) {
  const map *m = site->map;
  const view_change *change = &views->change;
  const clv_commit *commit = change->commit;
  view_keys *keys = change->keys;
  const uint64_t more = change->blocks.count * most_places(site->inner) + commit->event_count;
  if (!reserve_keys(views, more, site->index->count)) return;
  listing l = {keys->seen.stamps.data, keys->seen.stamp, keys->list.data + keys->list.count};
  for (uint32_t k = 0; k < change->blocks.count; k++) {
    const clv_dart dart = plain_block(change, m, k);
    if (dart) list_places(&l, site, dart);
  }
  for (uint32_t k = 0; k < commit->event_count && !m->scratch->told; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims == site->dims)
      list_key(&l, event->id.index, event->dart, event->kind == CLV_SPLIT ? event->from.index : 0);
  }
  keys->list.count = (uint32_t)(l.next - keys->list.data);
}

// New cells come first, in order.
static void list_cells(clv_views *views) {
  const map *m = views->map;
  const view_change *change = &views->change;
  view_keys *keys = change->keys;
  const uint32_t fresh = m->scratch->fresh.count;
  if (fresh && !reserve_keys(views, fresh, change->blocks.data[fresh - 1] + 1)) return;
  listing l = {keys->seen.stamps.data, keys->seen.stamp, keys->list.data + keys->list.count};
  for (uint32_t k = 0; k < fresh; k++)
    list_key(&l, change->blocks.data[k], change->blocks.data[k] << 6, map_begetter(m, k));
  keys->list.count = (uint32_t)(l.next - keys->list.data);
  for (uint32_t k = fresh; k < change->blocks.count && !change->no_memory; k++)
    touch_key(views, change->blocks.data[k], dart_of_cell(m, change->blocks.data[k]), 0);
}

static void list_common(clv_views *views, const view_site *site) {
  if (site->crossing)
    list_crossing(views, site);
  else
    list_cells(views);
}

static bool is_regular(const view_change *change, const view_site *site) {
  return change->refining && site->steady;
}

static void empty_keys(view_keys *keys) {
  keys->list.count = keys->common = 0;
  keys->listed = false;
  set_clear(&keys->seen);
}

void view_reach_begin(clv_views *views, const view_site *site) {
  view_change *change = &views->change;
  const uint32_t sort = site->crossing ? VIEW_CROSSING + site->inner : VIEW_CELLS;
  view_keys *keys = change->keys = &change->reached[is_regular(change, site) ? sort : VIEW_ANY];
  if (keys->listed && keys->list.count == keys->common) return;
  empty_keys(keys);
  if (!is_regular(change, site)) return;
  list_common(views, site);
  keys->common = keys->list.count;
  keys->listed = !change->no_memory;
}

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
  for (uint32_t k = 0; read && k < commit->event_count && !views->change.no_memory; k++)
    if (read >> commit->events[k].dims & 1u) reach_by_event(views, site, &commit->events[k]);
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
  const bool afar = reads_inner_afar(site);
  for (uint32_t k = 0; (afar || change->rough) && k < change->blocks.count && !change->no_memory; k++) {
    const clv_dart dart = dart_of_cell(m, change->blocks.data[k]);
    if (dart && (afar || !map_dart_plain(m, dart))) reach_from_cell(views, site, dart);
  }
  for (uint32_t k = 0; afar && k < change->grown.count && !change->no_memory; k++)
    reach_from_cell(views, site, dart_of_cell(m, change->grown.data[k]));
}

static void reach_refined(clv_views *views, const view_site *site) {
  const view_change *change = &views->change;
  if (!change->keys->listed) list_common(views, site);
  if (site->crossing) reach_by_new_cells(views, site);
  reach_by_parting(views, site);
  for (uint32_t l = 0; l < site->links.count; l++) {
    const view_link *link = &site->links.data[l];
    if (site->crossing && !link->way.length && (site->dims >> link->dimension & 1u)) continue;
    reach_by_link(views, site, link);
  }
  if (change->turned.count && looks_at_sides(site)) reach_by_turning(views, site);
  reach_by_values(views, site);
}

void view_reach(clv_views *views, const view_site *site) {
  if (is_regular(&views->change, site)) {
    reach_refined(views, site);
    return;
  }
  reach_by_events(views, site);
  reach_by_cells(views, site);
  reach_by_links(views, site);
  reach_by_values(views, site);
}

bool view_reach_numbers(clv_views *views, const view_site *site, const clv_event *event) {
  reaching r = {.views = views, .site = site, .dims = event->dims, .numbers = true};
  return site->inside && !site->crossing ? touch_star(views, site, event)
                                         : view_orbit_darts(site->map, event->dims, event->dart, follow_sources, &r);
}
