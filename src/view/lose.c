// What a commit that only loses does to views: facets were unsewn and cells removed, in a map of one kind (map/part.c,
// map/lose.c).
//
// Nothing that is left got anything it did not have. Cells are what they were, so what was derived in them holds.
// Orbits that lost a place, or came off others, are named by events, and the map has walked most of them: what is added
// up over an orbit's places needs no walk. Of what came off, readers need the new number alone; values that are copied
// are the same. So there is nothing to be found out row by row, as update.c does: keys are read off events and places.
//
// Laws that look across facets, or read what need not be copied, are left to update.c: views_lose says so.

#include "view/lose.h"

// Which laws can follow so

static bool is_derived(const clv_views *views, const clv_column *column) {
  for (uint32_t k = 0; k < views->derived.count; k++)
    if (views->derived.data[k].column == column) return true;
  return false;
}

static bool is_own(const view_site *site, const view_source *source) {
  return source->dims == site->dims && source->way.length == 0;
}

// A value that a commit may have derived anew at an orbit that is not the row's own.
static bool is_afar(const clv_views *views, const view_site *site, const view_source *source) {
  return source->column && source->column->index->crossing && is_derived(views, source->column) &&
         !is_own(site, source);
}

static bool can_lose(const clv_views *views, const view_site *site) {
  for (uint32_t k = 0; k < site->links.count; k++)
    if (site->links.data[k].dimension == site->map->view.dimension) return false;
  for (uint32_t k = 0; k < site->sources.count; k++) {
    const clv_column *column = site->sources.data[k].column;
    if (column && column->index->crossing && !is_derived(views, column) && !embed_copies(column)) return false;
  }
  return true;
}

static bool figure_can_lose(const clv_views *views, const view_figure *figure) {
  for (uint32_t f = 0; f < figure->count; f++) {
    const view_site *site = &figure->formulas[f].site;
    if (!can_lose(views, site) || site->crossing != figure->column->index->crossing) return false;
    if (site->crossing && site->dims != figure->column->index->dims) return false;
    for (uint32_t k = 0; k < site->sources.count; k++)
      if (is_afar(views, site, &site->sources.data[k])) return false;
  }
  return true;
}

// Sorts of orbits whose derived values a site reads from elsewhere, as bits.
static uint32_t dims_afar(const clv_views *views, const view_site *site) {
  uint32_t dims = 0;
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (is_afar(views, site, &site->sources.data[k])) dims |= 1u << site->sources.data[k].dims;
  return dims;
}

static bool asks_derived(const clv_views *views, const view_site *site) {
  for (uint32_t k = 0; k < site->conditions.inputs.count; k++)
    if (is_derived(views, site->fetches.data[site->conditions.inputs.data[k].index].column)) return true;
  return false;
}

static bool all_can_lose(const clv_views *views) {
  for (uint32_t k = 0; k < views->derived.count; k++)
    if (!figure_can_lose(views, &views->derived.data[k])) return false;
  for (uint32_t k = 0; k < views->tables.count; k++) {
    view_table *table = &views->tables.data[k];
    if (!can_lose(views, &table->site)) return false;
    table->afar = dims_afar(views, &table->site);
    table->wakes = asks_derived(views, &table->site);
  }
  return true;
}
// Tables

// True for a key that was not met since the last stamp.
static bool is_new(view_lost *lost, uint32_t key) {
  if (key >= lost->stamps.count || lost->stamps.data[key] == lost->stamp) return false;
  lost->stamps.data[key] = lost->stamp;
  return true;
}

static bool start_keys(clv_views *views, const view_table *table) {
  view_lost *lost = &views->lost;
  const uint32_t had = lost->stamps.count, need = table->row_of_key.count;
  if (!BASE_RESERVE(&views->allocator, &lost->stamps, need)) return false;
  if (need > had) memset(lost->stamps.data + had, 0, (need - had) * sizeof *lost->stamps.data);
  if (need > had) lost->stamps.count = need;
  lost->keys.count = lost->same.count = 0;
  if (++lost->stamp) return true;
  memset(lost->stamps.data, 0, lost->stamps.count * sizeof *lost->stamps.data);
  lost->stamp = 1;
  return true;
}

static bool add_way(view_ways *back, const view_site *site, const clv_suborbits *own, uint32_t place, uint32_t dart) {
  const uint32_t count = back->count[place];
  for (uint32_t k = 0; k < count; k++)
    if (!site->crossing || own->of[back->darts[place][k]] == own->of[dart]) return true;
  if (count == VIEW_MOST_WAYS) return false;
  back->darts[place][back->count[place]++] = (uint8_t)dart;
  return true;
}

static bool find_ways_back(const view_loss *l, const view_site *site, uint32_t dims, bool afar, view_ways *back) {
  const clv_template *shape = &clv_templates[l->kind];
  const clv_suborbits *places = &shape->sub[dims & ~(1u << l->m->view.dimension)], *own = &shape->sub[site->inner];
  memset(back->count, 0, sizeof back->count);
  for (uint32_t s = 0; s < site->sources.count; s++) {
    const view_source *source = &site->sources.data[s];
    if (source->dims != dims || (afar ? !is_afar(l->views, site, source) : source->column != NULL)) continue;
    for (uint32_t start = 0; start < shape->dart_count; start++) {
      uint32_t dart = start;
      for (uint32_t k = 0; k < source->way.length; k++) dart = shape->alpha[source->way.letter[k]][dart];
      if (!add_way(back, site, own, places->of[start], dart)) return false;
    }
  }
  return true;
}

// They are found once for a table and a sort of orbit. NULL when there are too many, or memory is out.
static const view_ways *ways_back(view_loss *l, const view_table *table, uint32_t dims, bool afar) {
  view_lost *lost = &l->views->lost;
  const uint32_t number = (uint32_t)(table - l->views->tables.data);
  for (uint32_t k = 0; k < lost->ways.count; k++) {
    const view_ways *ways = &lost->ways.data[k];
    if (ways->table == number && ways->kind == l->kind && ways->dims == dims && ways->afar == afar) return ways;
  }
  if (!BASE_RESERVE(&l->views->allocator, &lost->ways, (uint64_t)lost->ways.count + 1)) return NULL;
  view_ways *ways = &lost->ways.data[lost->ways.count];
  *ways = (view_ways){.table = number, .kind = l->kind, .dims = dims, .afar = afar};
  if (!find_ways_back(l, &table->site, dims, afar, ways)) return NULL;
  lost->ways.count++;
  return ways;
}

// Calls `each` with the rows that read at places of an orbit, each key once.
typedef bool reader_visitor(view_loss *l, view_table *table, void *user, uint32_t key, clv_dart base);

// The key of rows at a base: the map is one of one kind.
static inline uint32_t key_at(const view_loss *l, const view_site *site, const clv_suborbits *own, clv_dart base) {
  return site->crossing
             ? site->index->ids[l->kind].data[(size_t)map_uniform_row(base) * own->count + own->of[base & 63u]]
             : base >> 6;
}

static bool visit_readers(view_loss *l, view_table *table, uint32_t dims, const view_star *star, const view_ways *back,
                          reader_visitor *each, void *user) {
  const view_site *site = &table->site;
  const clv_template *shape = &clv_templates[l->kind];
  const clv_suborbits *places = &shape->sub[dims & ~(1u << l->m->view.dimension)], *own = &shape->sub[site->inner];
  const uint32_t *ids = site->crossing ? site->index->ids[l->kind].data : NULL, count = own->count;
  const uint32_t stamp = l->views->lost.stamp, stamped = l->views->lost.stamps.count;
  uint32_t *stamps = l->views->lost.stamps.data;
  for (uint32_t k = 0; k < star->count; k++) {
    const clv_dart dart = star->places[k].dart, cell = dart & ~63u;
    const uint32_t place = places->of[dart & 63u], ways = back->count[place];
    const uint32_t *keys = ids ? ids + (size_t)map_uniform_row(dart) * count : NULL;
    const uint8_t *darts = back->darts[place];
    for (uint32_t n = 0; n < ways; n++) {
      const uint32_t key = keys ? keys[own->of[darts[n]]] : cell >> 6;
      if (key >= stamped || stamps[key] == stamp) continue;
      stamps[key] = stamp;
      if (!each(l, table, user, key, cell | darts[n])) return false;
    }
  }
  return true;
}

// The rows that read numbers of orbits that came off others.
static bool renumber_reader(view_loss *l, view_table *table, void *user, uint32_t key, clv_dart base) {
  (void)user;
  (void)base;
  return view_table_renumber(table, &l->views->shop, key);
}

static bool rename_reader(view_loss *l, view_table *table, void *user, uint32_t key, clv_dart base) {
  (void)base;
  return view_table_rename(table, &l->views->shop, key, user);
}

static bool renumber_readers(view_loss *l, view_table *table, uint32_t dims) {
  const view_ways *back = NULL;
  reader_visitor *each = dims == clv_orbit_dims(&l->m->view, CLV_VERTEX) ? rename_reader : renumber_reader;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++) {
    const clv_event *event = &l->commit->events[k];
    if (event->kind != CLV_SPLIT) continue;
    view_star star;
    if (!back) back = ways_back(l, table, dims, false);
    view_renaming renaming = {.from = event->from.index, .to = event->id.index};
    if (!back || !start_keys(l->views, table) || !view_lost_stars(l, &k, 1, &star) ||
        !visit_readers(l, table, dims, &star, back, each, &renaming))
      return false;
  }
  return true;
}

static bool renumber(view_loss *l, view_table *table) {
  const view_site *site = &table->site;
  uint32_t dims = 0; // sorts of orbits whose numbers are read
  for (uint32_t k = 0; k < site->sources.count; k++)
    if (!site->sources.data[k].column) dims |= 1u << site->sources.data[k].dims;
  for (uint32_t d = 0; l->splits && dims >> d; d++)
    if ((dims >> d & 1u) && l->first[d] < l->end[d] && !renumber_readers(l, table, d)) return false;
  return true;
}

// The rows that read derived values of orbits that events name.
static bool push_reader(view_loss *l, view_table *table, void *user, uint32_t key, clv_dart base) {
  (void)table;
  (void)user;
  view_key_list *keys = &l->views->lost.keys;
  if (!BASE_RESERVE(&l->views->allocator, keys, (uint64_t)keys->count + 1)) return false;
  keys->data[keys->count++] = (view_touched_key){key, base, 0};
  return true;
}

static bool list_readers(view_loss *l, view_table *table, uint32_t dims) {
  const view_ways *back = NULL;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++) {
    const clv_event *event = &l->commit->events[k];
    if (!event->dart) continue;
    view_star star;
    if (!back) back = ways_back(l, table, dims, true);
    if (!back || !view_lost_stars(l, &k, 1, &star) || !visit_readers(l, table, dims, &star, back, push_reader, NULL))
      return false;
  }
  return true;
}

// Lets a row go on of which nothing changed but values at its own orbit: from its base, or from another one that it
// looks the same from. False where it must be made anew.
static bool goes_on(const view_loss *l, const view_table *table, const clv_event *event) {
  const uint32_t reference = view_row_of_key(table, event->id.index);
  if (!table->own.alone || event->kind != CLV_CHANGED || !reference) return false;
  view_slab *slab = view_row_slab(table, reference);
  clv_dart *base = &slab->bases.data[view_row_number(reference)];
  const clv_suborbits *own = &clv_templates[l->kind].sub[table->site.inner];
  if (map_row_alive(l->m, l->kind, map_uniform_row(*base)) && key_at(l, &table->site, own, *base) == event->id.index)
    return true;
  const clv_dart other = slab->loose ? CLV_NO_DART : view_own_base(table, event->id.index, event->dart);
  if (other) *base = other;
  return other;
}

// A row of an orbit that came off one with a row, where it can be a copy of that. *done: memory was enough.
static bool is_copied(view_loss *l, view_table *table, const clv_event *event, bool *done) {
  const clv_dart base = event->kind == CLV_SPLIT ? view_own_base(table, event->from.index, event->dart) : CLV_NO_DART;
  if (base) *done = view_table_copy(table, &l->views->shop, event->id.index, base, event->from.index);
  return base;
}

// Brings the rows up to date whose keys are listed, once they are so many.
static bool follow_listed(view_loss *l, view_table *table, uint32_t most) {
  view_lost *lost = &l->views->lost;
  bool done = true;
  if (lost->same.count >= most) {
    view_table_reread(table, &l->views->shop, lost->same.data, lost->same.count);
    lost->same.count = 0;
  }
  if (lost->keys.count >= most) {
    done = view_table_refresh(table, &l->views->shop, lost->keys.data, lost->keys.count);
    lost->keys.count = 0;
  }
  return done;
}

// The row of an event of its own sort of orbit. There is room in both lists.
static bool list_own(view_loss *l, view_table *table, const clv_event *event) {
  view_lost *lost = &l->views->lost;
  const uint32_t like = event->kind == CLV_SPLIT ? event->from.index : 0, key = event->id.index;
  bool done = true;
  if (event->kind == CLV_DELETED) view_row_look_ahead(table, view_row_of_key(table, key)); // another one moves there
  const bool same = goes_on(l, table, event) || is_copied(l, table, event, &done);
  view_key_list *keys = same ? &lost->same : &lost->keys;
  keys->data[keys->count++] = (view_touched_key){key, event->dart, like};
  return done;
}

static uint32_t own_dims(const view_loss *l, const view_site *site) {
  return site->crossing ? site->dims : clv_orbit_dims(&l->m->view, CLV_CELL);
}

// Rows at orbits that events name, and those that read derived values there. A few at a time are listed, and brought up
// to date while they are at hand.
static bool follow_changed(view_loss *l, view_table *table) {
  enum { FEW = 8 * VIEW_LANES };
  const clv_allocator *a = &l->views->allocator;
  view_lost *lost = &l->views->lost;
  const uint32_t dims = table->afar, own = own_dims(l, &table->site);
  lost->keys.count = lost->same.count = 0;
  if (dims && !start_keys(l->views, table)) return false;
  for (uint32_t d = 0; dims >> d; d++)
    if ((dims >> d & 1u) && l->first[d] < l->end[d] && !list_readers(l, table, d)) return false;
  if (!follow_listed(l, table, FEW) || !BASE_RESERVE(a, &lost->same, FEW) || !BASE_RESERVE(a, &lost->keys, FEW))
    return false;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const clv_event *event = &l->commit->events[k];
    const uint32_t key = event->id.index;
    const bool there = view_row_of_key(table, key) || (table->wakes && event->dart);
    if (event->kind != CLV_SPLIT && (!there || (dims && !is_new(lost, key)))) continue;
    if (!list_own(l, table, event) || !follow_listed(l, table, FEW)) return false;
  }
  return follow_listed(l, table, 1);
}

// Tables of which much changed (renew.c)

static bool find_origins(view_loss *l) {
  view_lost *lost = &l->views->lost;
  const uint32_t dims = clv_orbit_dims(&l->m->view, CLV_VERTEX), count = l->m->indices[dims]->count;
  if (l->origins) return true;
  if (!BASE_RESERVE(&l->views->allocator, &lost->origins, count)) return false;
  uint32_t *origins = lost->origins.data;
  for (uint32_t id = 0; id < count; id++) origins[id] = id;
  for (uint32_t k = l->first[dims]; k < l->end[dims]; k++) {
    const clv_event *event = &l->commit->events[k];
    origins[event->id.index] = event->from.index ? event->from.index : event->id.index;
  }
  l->origins = origins;
  return true;
}

static void drop_deleted(const view_loss *l, view_table *table) {
  const uint32_t own = own_dims(l, &table->site);
  for (uint32_t k = l->first[own]; k < l->end[own]; k++)
    if (l->commit->events[k].kind == CLV_DELETED) view_table_drop(table, l->commit->events[k].id.index);
}

// Lists orbits without a row that may get one.
static bool list_sleeping(const view_loss *l, const view_table *table) {
  const uint32_t own = own_dims(l, &table->site);
  view_key_list *keys = &l->views->lost.keys;
  if (!table->wakes) return true;
  if (!BASE_RESERVE(&l->views->allocator, keys, l->end[own] - l->first[own])) return false;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const clv_event *event = &l->commit->events[k];
    if (event->kind == CLV_CHANGED && !view_row_of_key(table, event->id.index))
      keys->data[keys->count++] = (view_touched_key){.key = event->id.index, .dart = event->dart};
  }
  return true;
}

// Rows of what came off others.
static bool part_rows(const view_loss *l, const view_renewal *renewal) {
  const uint32_t own = own_dims(l, &renewal->table->site);
  view_key_list *split = &l->views->lost.same;
  if (!BASE_RESERVE(&l->views->allocator, split, l->end[own] - l->first[own] + 1)) return false;
  split->count = 0;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const clv_event *event = &l->commit->events[k];
    split->data[split->count] = (view_touched_key){event->id.index, event->dart, event->from.index};
    split->count += event->kind == CLV_SPLIT;
  }
  return view_renewal_part(renewal, split->data, split->count);
}

// Values at the orbits of rows that stand where they stood.
static bool reread(view_loss *l, view_table *table) {
  enum { ROWS_FOR_ONE = 5 }; // to go over so many costs less than to go to one of them
  view_lost *lost = &l->views->lost;
  view_workshop *shop = &l->views->shop;
  const uint32_t own = own_dims(l, &table->site), count = l->end[own] - l->first[own];
  if ((uint64_t)count * ROWS_FOR_ONE > table->rows) return view_table_reread_all(table, shop);
  if (!BASE_RESERVE(&l->views->allocator, &lost->same, count)) return false;
  lost->same.count = 0;
  for (uint32_t k = l->first[own]; k < l->end[own]; k++) {
    const uint32_t key = l->commit->events[k].id.index;
    if (view_row_of_key(table, key)) lost->same.data[lost->same.count++] = (view_touched_key){.key = key};
  }
  view_table_reread(table, shop, lost->same.data, lost->same.count);
  return true;
}

// Whether all that events do to a table's rows can be done without them: rows of what came off others are copies then.
static bool can_renew(const view_table *table) {
  return table->own.two_ended && !table->afar;
}

static bool renew_table(view_loss *l, view_table *table) {
  const bool all = can_renew(table);
  view_lost *lost = &l->views->lost;
  view_renewal renewal; // most of it is room, and not to be cleared
  renewal.table = table;
  renewal.shop = &l->views->shop;
  renewal.kind = l->kind;
  renewal.origins = l->origins;
  renewal.left = &lost->keys;
  lost->keys.count = 0;
  drop_deleted(l, table);
  if (!view_renewal_start(&renewal) || (all && !list_sleeping(l, table))) return false;
  if ((all && !part_rows(l, &renewal)) || !view_renewal_loosen(&renewal)) return false;
  return !all || (view_table_refresh(table, renewal.shop, lost->keys.data, lost->keys.count) && reread(l, table));
}

static bool update_table(view_loss *l, view_table *table) {
  if (!table->rows && !table->wakes) return true; // nothing comes of losing but what comes off
  enum { FEW = 64 };
  const bool many = l->splits > table->rows / 64 + FEW, anew = many && table->site.inside;
  if (many && !anew) view_table_loosen(table);
  if (anew ? !find_origins(l) || !renew_table(l, table) : !renumber(l, table)) return false;
  if (!(anew && can_renew(table)) && !follow_changed(l, table)) return false;
  if (many) return view_table_tighten(table, &l->views->shop);
  bool done = true; // slabs from which much has gone have vertices that nobody uses
  for (uint32_t s = 0; done && l->removed_count > FEW && s < table->slab_count; s++)
    done = view_slab_order(table, &l->views->shop, &table->slabs[s]);
  return done;
}

// What few events will lead to lies all over the memory: values, and rows of tables. It is asked for at once, first
// what tells where the rows are.
static void look_ahead(const view_loss *l) {
  enum { FEW = 48 };
  const clv_views *views = l->views;
  const clv_commit *commit = l->commit;
  if (commit->event_count > FEW) return;
  for (uint32_t t = 0; t < views->tables.count; t++) {
    const view_table *table = &views->tables.data[t];
    const uint32_t own = own_dims(l, &table->site);
    for (uint32_t k = l->first[own]; table->rows && k < l->end[own]; k++)
      CLV_PREFETCH(table->row_of_key.data + commit->events[k].id.index);
  }
  for (uint32_t f = 0; f < views->derived.count; f++) {
    const clv_column *column = views->derived.data[f].column;
    if (!column->index->crossing) continue;
    for (uint32_t k = l->first[column->index->dims]; k < l->end[column->index->dims]; k++)
      CLV_PREFETCH(column->slots.data + (size_t)commit->events[k].id.index * column->size);
  }
  for (uint32_t t = 0; t < views->tables.count; t++) {
    const view_table *table = &views->tables.data[t];
    const uint32_t own = own_dims(l, &table->site);
    for (uint32_t k = l->first[own]; table->rows && k < l->end[own]; k++)
      view_row_look_ahead(table, view_row_of_key(table, commit->events[k].id.index));
  }
}

void view_lost_free(view_lost *lost, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &lost->stamps);
  BASE_RELEASE(allocator, &lost->keys);
  BASE_RELEASE(allocator, &lost->same);
  BASE_RELEASE(allocator, &lost->ways);
  BASE_RELEASE(allocator, &lost->walked);
  BASE_RELEASE(allocator, &lost->left);
  BASE_RELEASE(allocator, &lost->number_of);
  BASE_RELEASE(allocator, &lost->totals);
  BASE_RELEASE(allocator, &lost->shares);
  BASE_RELEASE(allocator, &lost->removed);
  BASE_RELEASE(allocator, &lost->origins);
}

bool views_lose(clv_views *views, const clv_commit *commit, bool *done) {
  const map *m = views->map;
  if (!m->scratch->direct) return false;
  if (views->loses == VIEW_NOT_ASKED) views->loses = all_can_lose(views) ? VIEW_LOSES : VIEW_LOSES_NOT;
  if (views->loses == VIEW_LOSES_NOT) return false;
  view_loss l = {.views = views, .m = m, .commit = commit, .kind = map_page(m, m->log.data[0].dart).kind};
  for (uint32_t k = 0; k < commit->event_count;) { // sort by sort
    const uint32_t dims = commit->events[k].dims;
    l.first[dims] = k;
    for (; k < commit->event_count && commit->events[k].dims == dims; k++)
      l.splits += commit->events[k].kind == CLV_SPLIT;
    l.end[dims] = k;
  }
  l.removed = m->scratch->dropped.data;
  l.removed_count = m->scratch->dropped.count;
  l.many = m->scratch->culls;
  l.parting = !l.removed_count && m->told == 2 && m->log.data[1].op == MAP_LINK;
  views->change.commit = commit;
  views->change.values.count = 0; // all of them are at orbits that events name
  *done = true;
  if (views->lost.evaluated) look_ahead(&l);
  for (uint32_t k = 0; *done && k < views->derived.count; k++) *done = view_lessen(&l, &views->derived.data[k]);
  for (uint32_t k = 0; *done && k < views->tables.count; k++) *done = update_table(&l, &views->tables.data[k]);
  return true;
}
