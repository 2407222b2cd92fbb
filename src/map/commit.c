// Transactions: begin, rollback, and the commit, in which an edit becomes the new state of the map.
//
// A commit has two halves. The first works out a plan (plan.h) and reserves everything the plan needs: memory, rows,
// records, ids, the columns' room, the journals' room. It may fail, and then the transaction is still open and nothing
// has changed. The second half carries the plan out and cannot fail.

#include "map/plan.h"

clv_result clv_map_begin(clv_map *view) {
  map *m = map_of(view);
  if (m->open) return map_fail(m, CLV_ERROR_ARGUMENT, "a transaction is open already: commit it or roll it back first");
  m->open = true;
  return CLV_OK;
}

static void close_transaction(map *m) {
  m->open = false;
  m->log.count = 0;
  m->payload.count = 0;
  m->steady = 0;
  m->divided = 0;
}

void clv_map_rollback(clv_map *view) {
  map *m = map_of(view);
  map_undo(m, 0);
  close_transaction(m);
}

// First half

static bool reserve_events(map *m, const map_plan *plan) {
  uint64_t events = (uint64_t)m->log.count + plan->cells.orbits.count + plan->cells.parts.count;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const map_orbits *o = &plan->orbits[m->numbered[k]->dims];
    events += (uint64_t)o->orbits.count + o->parts.count + o->spread.count;
  }
  map_scratch *s = m->scratch;
  return BASE_RESERVE(&m->allocator, &s->events, events) &&
         BASE_RESERVE(&m->allocator, &s->renames, plan->cells.nodes.count);
}

static bool reserve(map *m, map_plan *plan) {
  for (uint32_t kind = 0; kind < MAP_KINDS; kind++)
    if (plan->rows[kind] && !map_rows_reserve(m, kind, plan->rows[kind])) return false;
  if (plan->evicted && !map_records_reserve(m, plan->evicted)) return false;
  for (uint32_t k = 0; k < m->numbered_count; k++)
    if (!map_index_reserve(m, m->numbered[k], plan->orbits[m->numbered[k]->dims].fresh)) return false;
  plan->recolour = (m->twisted && plan->links_changed) || (!plan->refined && map_colouring_broken(m));
  if (plan->recolour && !map_recolour_reserve(m)) return false;
  return reserve_events(m, plan) && map_journals_reserve(m);
}

// Second half

static clv_id id_of(const map *m, const map_index *index, uint32_t id) {
  if (index) return (clv_id){id, index->generation.data[id]};
  const clv_page page = map_page(m, id << 6);
  return (clv_id){id, m->rows[page.kind].state.data[map_row(page, id << 6)] & MAP_GENERATION};
}

void map_emit(map *m, uint32_t dims, clv_event_kind kind, clv_dart dart, clv_id id, clv_id from) {
  map_scratch *s = m->scratch;
  if (!m->subscribers.count) return;
  s->events.data[s->events.count++] =
      (clv_event){.dims = (uint8_t)dims, .kind = (uint8_t)kind, .dart = dart, .id = id, .from = from};
}

// Cells that this very transaction added: nobody has heard of them yet.
static bool is_fresh(const map *m, const map_orbits *o, uint64_t old) {
  return !o->index && map_is_fresh(m, (uint32_t)old);
}

static void emit_orbit(map *m, const map_orbits *o, const map_new_orbit *orbit) {
  const clv_dart dart = o->nodes.data[orbit->node_start];
  const clv_id id = id_of(m, o->index, orbit->id), none = {0, 0};
  if (is_fresh(m, o, orbit->id)) return; // told as a whole cell
  if (orbit->id == orbit->keeps) {
    map_emit(m, o->dims, CLV_CHANGED, dart, id, none);
    return;
  }
  uint32_t part = orbit->part_start;
  while (part < orbit->part_end && is_fresh(m, o, o->parts.data[part].old)) part++;
  if (part == orbit->part_end)
    map_emit(m, o->dims, CLV_CREATED, dart, id, none);
  else
    map_emit(m, o->dims, CLV_SPLIT, dart, id, id_of(m, o->index, (uint32_t)o->parts.data[part].old));
}

// Old names that no orbit goes on with. `retire` gives each back; what it was goes into the events.
static void retire_old(map *m, map_orbits *o, void (*retire)(map *, map_orbits *, uint32_t)) {
  const uint32_t count = o->by_old.count;
  for (uint32_t k = 0, end; k < count; k = end) {
    const uint64_t old = o->parts.data[o->by_old.data[k]].old;
    const map_new_orbit *into = NULL;
    uint32_t best = 0;
    bool kept = false;
    for (end = k; end < count && o->parts.data[o->by_old.data[end]].old == old; end++) {
      const map_part *part = &o->parts.data[o->by_old.data[end]];
      if (part->orbit == MAP_NO_ORBIT) continue;
      const map_new_orbit *orbit = &o->orbits.data[part->orbit];
      kept |= orbit->id == old;
      if (part->weight > best) into = orbit, best = part->weight;
    }
    if (kept || old & MAP_ROW_SLOT) continue;
    const clv_id from = id_of(m, o->index, (uint32_t)old), none = {0, 0};
    if ((o->index && !o->index->crossing) || is_fresh(m, o, old)) { // inner orbits are nobody's to follow
    } else if (into) {
      map_emit(m, o->dims, CLV_MERGED, o->nodes.data[into->node_start], id_of(m, o->index, into->id), from);
    } else {
      map_emit(m, o->dims, CLV_DELETED, CLV_NO_DART, from, none);
    }
    retire(m, o, (uint32_t)old);
  }
}

static void retire_id(map *m, map_orbits *o, uint32_t id) {
  (void)m;
  map_index_give(o->index, id);
}

static void retire_block(map *m, map_orbits *o, uint32_t block) {
  (void)o;
  map_retire_block(m, block);
}

void map_retire_block(map *m, uint32_t block) {
  const clv_page page = map_page(m, block << 6);
  const uint32_t row = map_row(page, block << 6);
  if (map_is_template(page.kind)) map_unextend(m, block << 6, NULL);
  m->rows[page.kind].state.data[row]++;
  m->rows[page.kind].alive--;
  map_rows_give(m, page.kind, row);
}

static uint32_t take_block(map *m, uint32_t kind) {
  bool fresh;
  return map_cell_dart(m, kind, map_rows_take(m, kind, &fresh)) >> 6;
}

static void apply_cells(map *m, map_orbits *o) {
  const uint32_t explicit_kind = m->view.dimension == 2 ? CLV_POLYGON : CLV_POLYHEDRON;
  for (uint32_t c = 0; c < o->orbits.count; c++) {
    map_new_orbit *orbit = &o->orbits.data[c];
    orbit->id = orbit->seated ? (uint32_t)orbit->keeps : take_block(m, orbit->kind ? orbit->kind : explicit_kind);
    for (uint32_t k = orbit->node_start; k < orbit->node_end; k++) {
      uint32_t *cell = &m->records.cell.data[map_record(m, o->nodes.data[k])];
      *cell = (*cell & MAP_SIDE) | orbit->id;
    }
    const clv_page page = map_page(m, orbit->id << 6);
    if (map_is_template(page.kind)) continue;
    uint32_t *words = &m->rows[page.kind].data.data[map_row(page, orbit->id << 6) * m->rows[page.kind].words];
    words[0] = o->nodes.data[orbit->node_start];
    words[1] = orbit->node_end - orbit->node_start;
  }
}

static void apply_ids(map *m, map_orbits *o) {
  map_index *index = o->index;
  for (uint32_t k = 0; k < o->spread.count; k++)
    for (uint32_t n = o->spread.data[k].node_start; n < o->spread.data[k].node_end; n++)
      map_index_set(m, index, o->nodes.data[n], o->spread.data[k].id);
  for (uint32_t k = 0; k < o->orbits.count; k++) {
    map_new_orbit *orbit = &o->orbits.data[k];
    orbit->id = (uint32_t)orbit->keeps;
    if (!orbit->changed) continue;
    const bool in_row = orbit->keeps & MAP_ROW_SLOT;
    const clv_template *shape = &clv_templates[in_row ? map_page(m, (clv_dart)orbit->keeps).kind : CLV_NONE];
    if (in_row)
      orbit->id = MAP_TEMPLATE_SLOT | shape->sub[index->inner].of[orbit->keeps & 63u];
    else if (!orbit->keeps)
      orbit->id = map_index_take(index);
    // An orbit that only lost something has its id at every node already.
    const bool has_it = !orbit->gained && orbit->part_end - orbit->part_start == 1 &&
                        o->parts.data[orbit->part_start].old == orbit->keeps;
    for (uint32_t n = orbit->node_start; n < orbit->node_end && !has_it; n++)
      map_index_set(m, index, o->nodes.data[n], orbit->id);
    if (!in_row) index->dart.data[orbit->id] = o->nodes.data[orbit->node_start];
  }
}

static inline void report_orbits(map *m, map_orbits *o) {
  if (!m->subscribers.count) return;
  for (uint32_t k = 0; k < o->orbits.count; k++)
    if (o->orbits.data[k].changed) emit_orbit(m, o, &o->orbits.data[k]);
  for (uint32_t k = 0; k < o->spread.count; k++) {
    const map_spread *spread = &o->spread.data[k];
    if (k && spread[-1].id == spread->id) continue;
    map_emit(m, o->dims, CLV_CHANGED, o->nodes.data[spread->node_start], id_of(m, o->index, spread->id),
             (clv_id){0, 0});
  }
}

// Cells that came or went whole, as templates; those that did both are not worth a word.
static void report_whole_cells(map *m, const map_orbits *cells) {
  const clv_id none = {0, 0};
  const map_words *notable = &m->scratch->notable;
  for (uint32_t k = 0; k < notable->count && m->subscribers.count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    if (w.op != MAP_CELL_ADD && w.op != MAP_CELL_DROP) continue;
    const clv_id id = id_of(m, NULL, w.dart >> 6);
    if (w.op == MAP_CELL_DROP && !is_fresh(m, cells, id.index))
      map_emit(m, cells->dims, CLV_DELETED, CLV_NO_DART, (clv_id){id.index, id.generation - 1}, none);
    if (w.op == MAP_CELL_ADD && (id.generation & 1u)) map_emit(m, cells->dims, CLV_CREATED, w.dart, id, none);
  }
}

static void free_dropped(map *m) {
  const map_words *notable = &m->scratch->notable;
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    const clv_page page = map_page(m, w.dart);
    if (w.op == MAP_CELL_DROP) map_rows_give(m, page.kind, map_row(page, w.dart));
    if (w.op == MAP_DART_DROP && page.kind == MAP_KIND_DARTS) map_records_give(m, map_record(m, w.dart), 1);
  }
}

// Orbits that nobody walked, because children took the place of a cell in them (arrive.c), may be found at darts of
// that cell.
static void find_at_children(map *m) {
  const map_words *notable = &m->scratch->notable;
  uint32_t last[MAP_INDICES] = {0}; // ids that were looked at: darts of one place follow each other
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    if (w.op != MAP_INHERIT || w.i || !clv_dart_alive(&m->view, w.dart)) continue;
    for (uint32_t n = 0; n < m->numbered_count; n++) {
      map_index *index = m->numbered[n];
      const uint32_t id = index->crossing ? map_index_get(m, index, w.dart) : 0;
      if (!id || id == last[n]) continue;
      last[n] = id;
      if (clv_dart_alive(&m->view, index->dart.data[id])) continue;
      index->dart.data[id] = map_dart_plain(m, w.dart) ? map_place_plain(m, index->inner, w.dart) : w.dart;
    }
  }
}

static void carry_out(map *m, map_plan *plan) {
  apply_cells(m, &plan->cells);
  for (uint32_t k = 0; k < m->numbered_count; k++) apply_ids(m, &plan->orbits[m->numbered[k]->dims]);
  if (plan->refined) find_at_children(m);
  if (m->embedding.apply) m->embedding.apply(m->embedding.self, m, plan);
  report_orbits(m, &plan->cells);
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    map_orbits *o = &plan->orbits[m->numbered[k]->dims];
    if (o->index->crossing) report_orbits(m, o);
    retire_old(m, o, retire_id);
  }
  map_settle_cells(m, plan);
  if (plan->refined) map_settle_refined(m);
  retire_old(m, &plan->cells, retire_block);
  report_whole_cells(m, &plan->cells);
  free_dropped(m);
  if (plan->recolour) map_recolour(m);
}

// Settling may have renamed the darts that events name.
static void refresh_events(map *m) {
  map_scratch *s = m->scratch;
  for (uint32_t k = 0; k < s->events.count; k++)
    if (s->events.data[k].dart)
      s->events.data[k].dart = clv_id_dart(&m->view, s->events.data[k].dims, s->events.data[k].id);
}

static void tell(map *m) {
  const map_scratch *s = m->scratch;
  const clv_commit commit = {.revision = m->revision,
                             .event_count = s->events.count,
                             .rename_count = s->renames.count,
                             .events = s->events.data,
                             .renames = s->renames.data};
  for (uint32_t k = 0; k < m->subscribers.count; k++) {
    const map_subscription *subscription = &m->subscribers.data[k];
    subscription->call(subscription->user, &m->view, &commit);
  }
}

static clv_result commit_by_plan(map *m) {
  map_plan *plan = &m->scratch->plan;
  if (!map_resolve(m, plan)) return map_no_memory(m);
  if (!reserve(m, plan)) return map_no_memory(m);
  if (m->judge.call) {
    const clv_result result = m->judge.call(m->judge.self, m, plan);
    if (result != CLV_OK) return result;
  }
  if (m->embedding.prepare) {
    const clv_result result = m->embedding.prepare(m->embedding.self, m, plan);
    if (result != CLV_OK) return result;
  }
  carry_out(m, plan);
  if (m->scratch->renames.count) refresh_events(m);
  return CLV_OK;
}

clv_result clv_map_commit(clv_map *view) {
  map *m = map_of(view);
  if (!m->open) return map_fail(m, CLV_ERROR_ARGUMENT, "no transaction is open: call clv_map_begin first");
  if (m->log.count == 0) {
    close_transaction(m);
    return CLV_OK;
  }
  map_scratch *s = m->scratch;
  s->events.count = s->renames.count = s->stars.count = s->removed.count = s->dropped.count = 0;
  s->culls = false;
  s->plan.recolour = s->plan.refined = false;
  map_part_end part = map_commit_part(m);
  if (part == MAP_PART_GENERAL) part = map_commit_loss(m);
  if (part == MAP_PART_NO_MEMORY) return map_no_memory(m);
  s->direct = part == MAP_PART_DONE;
  if (s->direct) s->notable.count = 0;
  s->told = false;
  if (part == MAP_PART_GENERAL) part = map_commit_growth(m);
  if (part == MAP_PART_NO_MEMORY) return map_no_memory(m);
  const clv_result result = part == MAP_PART_DONE ? CLV_OK : commit_by_plan(m);
  if (result != CLV_OK) return result;
  m->revision++;
  m->lately |= s->direct ? MAP_LATELY_LOST : MAP_LATELY_GREW;
  map_journals_append(m);
  m->told = m->log.count;
  close_transaction(m);
  tell(m);
  m->told = 0;
  return CLV_OK;
}

void map_scratch_destroy(map *m) {
  map_scratch *s = m->scratch;
  if (!s) return;
  const clv_allocator *a = &m->allocator;
  for (uint32_t k = 0; k <= MAP_INDICES; k++) {
    map_orbits *o = k < MAP_INDICES ? &s->plan.orbits[k] : &s->plan.cells;
    BASE_RELEASE(a, &o->nodes);
    BASE_RELEASE(a, &o->orbits);
    BASE_RELEASE(a, &o->parts);
    BASE_RELEASE(a, &o->by_old);
    BASE_RELEASE(a, &o->lost);
    BASE_RELEASE(a, &o->spread);
  }
  BASE_RELEASE(a, &s->seen);
  BASE_RELEASE(a, &s->events);
  BASE_RELEASE(a, &s->renames);
  BASE_RELEASE(a, &s->sides);
  BASE_RELEASE(a, &s->cuts);
  BASE_RELEASE(a, &s->notable);
  BASE_RELEASE(a, &s->arrivals);
  BASE_RELEASE(a, &s->marks);
  BASE_RELEASE(a, &s->child_marks);
  BASE_RELEASE(a, &s->fresh);
  BASE_RELEASE(a, &s->born);
  BASE_RELEASE(a, &s->sources);
  BASE_RELEASE(a, &s->begetters);
  BASE_RELEASE(a, &s->places);
  BASE_RELEASE(a, &s->gone);
  BASE_RELEASE(a, &s->parted);
  BASE_RELEASE(a, &s->round);
  BASE_RELEASE(a, &s->removed);
  BASE_RELEASE(a, &s->dropped);
  BASE_RELEASE(a, &s->beside);
  BASE_RELEASE(a, &s->culled);
  BASE_RELEASE(a, &s->pieces);
  BASE_RELEASE(a, &s->met);
  BASE_RELEASE(a, &s->doubts);
  map_lineage_free(m);
  for (uint32_t k = 0; k < 2; k++) {
    BASE_RELEASE(a, &s->found[k]);
    BASE_RELEASE(a, &s->joined[k]);
  }
  BASE_RELEASE(a, &s->lost);
  BASE_RELEASE(a, &s->stars);
  base_free(a, s, sizeof *s);
  m->scratch = NULL;
}

// Subscribers

clv_result clv_map_subscribe(clv_map *view, clv_subscriber *subscriber, void *user) {
  map *m = map_of(view);
  if (!subscriber) return map_fail(m, CLV_ERROR_ARGUMENT, "a subscriber needs a function");
  if (!BASE_RESERVE(&m->allocator, &m->subscribers, (uint64_t)m->subscribers.count + 1)) return map_no_memory(m);
  m->subscribers.data[m->subscribers.count++] = (map_subscription){subscriber, user};
  return CLV_OK;
}

void clv_map_unsubscribe(clv_map *view, clv_subscriber *subscriber, void *user) {
  map *m = map_of(view);
  uint32_t kept = 0;
  for (uint32_t k = 0; k < m->subscribers.count; k++) {
    const map_subscription *subscription = &m->subscribers.data[k];
    if (subscription->call != subscriber || subscription->user != user) m->subscribers.data[kept++] = *subscription;
  }
  m->subscribers.count = kept;
}

void map_subscriber_swap(map *m, const void *one, const void *other) {
  map_subscription *a = NULL, *b = NULL;
  for (uint32_t k = 0; k < m->subscribers.count; k++) {
    map_subscription *subscription = &m->subscribers.data[k];
    if (subscription->user == one) a = subscription;
    if (subscription->user == other) b = subscription;
  }
  if (!a || !b) return;
  const map_subscription kept = *a;
  *a = *b;
  *b = kept;
}
