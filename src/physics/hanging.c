#include "physics/hanging.h"

#include "base/hand.h"
#include "map/plan.h"
#include "physics/body.h"
#include "physics/level.h"
#include "physics/tie.h"

#include <assert.h>
#include <stdlib.h>

// One look at the map after a commit.
typedef struct looking {
  const clv_body *body;
  physics_hangings *h;
  const map *m;
  physics_levels levels;
  bool failed;
} looking;

static bool look(looking *l, const clv_body *body) {
  *l = (looking){.body = body, .h = body->hanging, .m = map_read(body->map)};
  return physics_levels_find(&l->levels, body->map);
}

static uint32_t slot_at(const looking *l, clv_dart dart) {
  return physics_slot_at(&l->levels, dart);
}

static int32_t level_at(const looking *l, clv_dart dart) {
  return physics_level_at(&l->levels, dart);
}

// Parents

static void add_parent(physics_hanging *found, uint32_t slot) {
  for (uint32_t k = 0; k < found->count; k++)
    if (found->parents[k] == slot) return;
  if (found->count < 4) found->parents[found->count] = slot;
  found->count++;
}

// The ends of edges of its own level that are coarser; where there are none, the corners of the quadrangles about it.
static void find_parents(const looking *l, clv_dart dart, bool quadrangles, physics_hanging *found) {
  const clv_map *view = &l->m->view;
  clv_dart at = dart, end;
  uint32_t letter = 1;
  found->count = 0;
  do {
    bool there = physics_level_step(&l->levels, at, found->level, &end);
    if (there && quadrangles) there = physics_level_step(&l->levels, clv_alpha(view, end, 1), found->level, &end);
    if (there && level_at(l, end) < found->level) add_parent(found, slot_at(l, end));
    at = clv_alpha(view, at, letter);
    letter = view->dimension == 3 ? letter ^ 3u : 1;
  } while (at != dart);
}

static int compare_slots(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

// The cell of a dart if the dart's vertex hangs in it, 0 otherwise.
static uint32_t cell_it_hangs_in(const looking *l, clv_dart dart) {
  if (map_page(l->m, dart).kind != MAP_KIND_DARTS || clv_cell_shape(&l->m->view, dart) > CLV_TEMPLATE_LAST) return 0;
  return map_block(l->m, dart);
}

// What a vertex hangs on in the cell of `from`, one of its darts there.
static bool find_hanging_in(const looking *l, clv_dart from, uint32_t cell, physics_hanging *found) {
  *found = (physics_hanging){.slot = slot_at(l, from), .level = level_at(l, from), .cell = cell};
  find_parents(l, from, false, found);
  if (found->count == 0) find_parents(l, from, true, found);
  if (found->count != 2 && found->count != 4) return false;
  qsort(found->parents, found->count, sizeof *found->parents, compare_slots);
  return true;
}

static bool same_parents(const physics_hanging *a, const physics_hanging *b) {
  return a->level == b->level && a->count == b->count && !memcmp(a->parents, b->parents, sizeof a->parents);
}

// Whether all parents are corners of a cell: then it has no others for the vertex, and need not be asked.
static bool knows_parents(const looking *l, clv_dart dart, const physics_hanging *one) {
  const clv_map *view = &l->m->view;
  const clv_kind kind = clv_cell_shape(view, dart);
  const uint32_t count = clv_templates[kind].corner_count;
  const uint32_t *corners = view->corners[kind] + (size_t)clv_cell_row(view, dart) * count;
  uint32_t known = 0;
  for (uint32_t p = 0; p < one->count; p++)
    for (uint32_t c = 0; c < count; c++) known += corners[c] == one->parents[p];
  return known == one->count;
}

// Adds to what was found, unless it is there; what the least cell says comes first.
static void add_found(looking *l, const physics_hanging *one) {
  physics_hangings *h = l->h;
  uint32_t at = 0;
  while (at < h->found.count && !same_parents(&h->found.data[at], one)) at++;
  if (at == h->found.count) {
    if (!BASE_RESERVE(&l->body->allocator, &h->found, (uint64_t)at + 1)) {
      l->failed = true;
      return;
    }
    h->found.data[h->found.count++] = *one;
  }
  if (one->cell > h->found.data[0].cell) return;
  h->found.data[at] = h->found.data[0];
  h->found.data[0] = *one;
}

// How a vertex hangs, in `found`: once where all cells agree.
static void find_hanging(looking *l, clv_dart dart) {
  physics_hangings *h = l->h;
  clv_walk star;
  uint32_t cells = 0;
  h->found.count = 0;
  if (clv_walk_star(&star, &l->m->view, CLV_VERTEX, dart) != CLV_OK) l->failed = true;
  for (uint32_t k = 0; !l->failed && k < star.count; k++) {
    const uint32_t cell = cell_it_hangs_in(l, star.darts[k]);
    physics_hanging one;
    if (!cell) continue;
    cells++;
    if (h->found.count == 1 && knows_parents(l, star.darts[k], h->found.data)) {
      if (cell < h->found.data[0].cell) h->found.data[0].cell = cell;
    } else if (find_hanging_in(l, star.darts[k], cell, &one)) {
      add_found(l, &one);
    }
  }
  if (h->found.count) h->found.data[0].cells = cells;
  clv_walk_end(&star);
}

// The table

#define RESERVE_CLEARED(l, array, need) ((l)->failed |= !BASE_RESERVE_CLEARED(&(l)->body->allocator, array, need))

static bool is_listed(const looking *l, uint32_t slot) {
  return slot < l->h->place.count && l->h->place.data[slot];
}

static int compare_hangings(const void *a, const void *b) {
  const physics_hanging *p = a, *q = b;
  if (p->level != q->level) return p->level < q->level ? -1 : 1;
  const bool tied = p->count == 1, other = q->count == 1; // behind what it is tied to
  if (tied != other) return tied ? 1 : -1;
  return (p->slot > q->slot) - (p->slot < q->slot);
}

// Children. Each parent has a list of them, from the last of the table on, as weights are gathered.

static bool is_behind(const physics_hangings *h, uint32_t child, uint32_t other) {
  return compare_hangings(&h->table.data[h->place.data[child] - 1], &h->table.data[h->place.data[other] - 1]) > 0;
}

static uint32_t *next_child(const physics_hangings *h, uint32_t child, uint32_t parent) {
  const physics_hanging *entry = &h->table.data[h->place.data[child] - 1];
  uint32_t p = 0;
  while (entry->parents[p] != parent) p++;
  return &h->next.data[4 * (size_t)child + p];
}

static void join_parents(physics_hangings *h, const physics_hanging *entry) {
  for (uint32_t p = 0; p < entry->count; p++) {
    uint32_t *link = &h->first.data[entry->parents[p]];
    while (*link && is_behind(h, *link, entry->slot)) link = next_child(h, *link, entry->parents[p]);
    h->next.data[4 * (size_t)entry->slot + p] = *link;
    *link = entry->slot;
  }
}

static void leave_parents(looking *l, const physics_hanging *entry) {
  physics_hangings *h = l->h;
  if (!BASE_RESERVE(&l->body->allocator, &h->left, (uint64_t)h->left.count + entry->count + 1)) l->failed = true;
  if (!l->failed) h->left.data[h->left.count++] = entry->slot;
  for (uint32_t p = 0; p < entry->count; p++) {
    uint32_t *link = &h->first.data[entry->parents[p]];
    while (*link != entry->slot) link = next_child(h, *link, entry->parents[p]);
    *link = h->next.data[4 * (size_t)entry->slot + p];
    if (!l->failed) h->left.data[h->left.count++] = entry->parents[p];
  }
}

static void forget(looking *l, uint32_t slot) {
  physics_hangings *h = l->h;
  if (!is_listed(l, slot)) return;
  physics_hanging *entry = &h->table.data[h->place.data[slot] - 1];
  leave_parents(l, entry);
  entry->slot = 0;
  h->place.data[slot] = 0;
  h->disorder = true;
  h->changes++;
}

static void remember(looking *l, const physics_hanging *found) {
  physics_hangings *h = l->h;
  const uint64_t slots = clv_body_slots(l->body);
  RESERVE_CLEARED(l, &h->place, slots);
  RESERVE_CLEARED(l, &h->first, slots);
  RESERVE_CLEARED(l, &h->next, 4 * slots);
  if (!BASE_RESERVE(&l->body->allocator, &h->table, (uint64_t)h->table.count + 1)) l->failed = true;
  if (l->failed) return;
  assert(h->table.data);
  uint32_t *place = &h->place.data[found->slot];
  physics_hanging *entry = *place ? &h->table.data[*place - 1] : NULL;
  if (entry) entry->cell = found->cell;
  if (entry) entry->cells = found->cells;
  if (entry && same_parents(entry, found)) return;
  h->changes++;
  if (entry) leave_parents(l, entry);
  if (entry && entry->level == found->level && (entry->count == 1) == (found->count == 1)) {
    *entry = *found;
  } else {
    if (entry) entry->slot = 0;
    h->table.data[h->table.count++] = *found;
    *place = h->table.count;
    h->disorder = true;
  }
  join_parents(h, found);
}

static void forget_others(physics_hangings *h, uint32_t slot) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < h->others.count; k++)
    if (h->others.data[k].slot != slot) h->others.data[kept++] = h->others.data[k];
  h->others.count = kept;
}

static void remember_others(looking *l) {
  physics_hangings *h = l->h;
  const uint32_t count = h->found.count - 1;
  if (!BASE_RESERVE(&l->body->allocator, &h->others, (uint64_t)h->others.count + count)) l->failed = true;
  for (uint32_t k = 1; k <= count && !l->failed; k++) h->others.data[h->others.count++] = h->found.data[k];
}

static void judge(looking *l, clv_dart dart) {
  physics_hangings *h = l->h;
  forget_others(h, slot_at(l, dart));
  find_hanging(l, dart);
  if (l->failed) return;
  if (!h->found.count) {
    forget(l, slot_at(l, dart));
    return;
  }
  if (h->found.count > 1) remember_others(l);
  remember(l, &h->found.data[0]);
}

static void put_in_order(physics_hangings *h) {
  uint32_t kept = 0;
  for (uint32_t k = 0; k < h->table.count; k++)
    if (h->table.data[k].slot) h->table.data[kept++] = h->table.data[k];
  h->table.count = kept;
  if (kept) qsort(h->table.data, kept, sizeof *h->table.data, compare_hangings);
  for (uint32_t k = 0; k < kept; k++) h->place.data[h->table.data[k].slot] = k + 1;
  h->disorder = false;
}

// Following commits

static bool is_new(looking *l, uint32_t **stamps, uint32_t number) {
  if ((*stamps)[number] == l->h->stamp) return false;
  (*stamps)[number] = l->h->stamp;
  return true;
}

static void push(looking *l, clv_dart dart) {
  if (!BASE_RESERVE(&l->body->allocator, &l->h->darts, (uint64_t)l->h->darts.count + 1))
    l->failed = true;
  else
    l->h->darts.data[l->h->darts.count++] = dart;
}

static void add_vertex(looking *l, clv_dart dart) {
  if (is_new(l, &l->h->vertex_stamps.data, slot_at(l, dart))) push(l, dart);
}

// All vertices that hang in a cell; or did, where it has lost its shape.
static void add_cell(looking *l, clv_dart cell) {
  const clv_map *view = &l->m->view;
  if (map_dart_plain(l->m, cell) || !is_new(l, &l->h->cell_stamps.data, map_block(l->m, cell))) return;
  const bool shaped = clv_cell_shape(view, cell) <= CLV_TEMPLATE_LAST;
  clv_walk walk;
  if (clv_walk_orbit(&walk, view, CLV_CELL, cell) != CLV_OK) l->failed = true;
  for (uint32_t k = 0; !l->failed && k < walk.count; k++)
    if (shaped ? map_page(l->m, walk.darts[k]).kind == MAP_KIND_DARTS : is_listed(l, slot_at(l, walk.darts[k])))
      add_vertex(l, walk.darts[k]);
  clv_walk_end(&walk);
}

// The corners of a cell that a commit made of one that had them hanging.
static void add_corners(looking *l, clv_dart cell) {
  const clv_template *shape = &clv_templates[map_page(l->m, cell).kind];
  const clv_suborbits *corners = &shape->sub[clv_orbit_dims(&l->m->view, CLV_CORNER)];
  for (uint32_t c = 0; c < corners->count; c++) {
    const clv_dart dart = (cell & ~63u) | corners->first[c];
    if (is_listed(l, slot_at(l, dart))) add_vertex(l, dart);
  }
}

// A vertex that changed, and what hangs in the cells about it, whose parent it may be.
static void add_star(looking *l, clv_dart dart) {
  clv_walk star;
  bool coarse = is_listed(l, slot_at(l, dart));
  if (clv_walk_star(&star, &l->m->view, CLV_VERTEX, dart) != CLV_OK) l->failed = true;
  for (uint32_t k = 0; !l->failed && k < star.count; k++) {
    coarse |= cell_it_hangs_in(l, star.darts[k]) != 0;
    add_cell(l, star.darts[k]);
  }
  clv_walk_end(&star);
  if (coarse && !l->failed) add_vertex(l, dart);
}

static bool start(looking *l) {
  physics_hangings *h = l->h;
  RESERVE_CLEARED(l, &h->cell_stamps, (uint64_t)l->m->pages.count << 10);
  RESERVE_CLEARED(l, &h->vertex_stamps, clv_body_slots(l->body));
  RESERVE_CLEARED(l, &h->seat_of, clv_body_slots(l->body));
  h->darts.count = h->seats.count = 0;
  if (++h->stamp == 0 && !l->failed) {
    memset(h->cell_stamps.data, 0, h->cell_stamps.count * sizeof *h->cell_stamps.data);
    memset(h->vertex_stamps.data, 0, h->vertex_stamps.count * sizeof *h->vertex_stamps.data);
    h->stamp = 1;
  }
  return !l->failed;
}

// A commit that refines says of each dart it hung into a cell which cell that is. A vertex that hung before hangs where
// it did, as long as one of the cells it hung in is left: others can only have gone.

// A cell that is alive, and its template.
static bool is_there(const looking *l, uint32_t cell) {
  const map *m = l->m;
  const clv_page page = map_page(m, cell << 6);
  if (!cell || !map_row_alive(m, page.kind, map_row(page, cell << 6))) return false;
  const uint32_t record = map_record(m, cell << 6);
  return record == MAP_NO_RECORD || (m->records.cell.data[record] & MAP_SHAPED);
}

static void judge_anew(looking *l, clv_dart dart, uint32_t slot) {
  if (!is_new(l, &l->h->vertex_stamps.data, slot)) return;
  l->h->seat_of.data[slot] = PHYSICS_NO_SEAT;
  push(l, dart);
}

// Some of the cells that a vertex hung in are gone, nobody knows how many.
static void look_again(looking *l, clv_dart dart, uint32_t slot) {
  physics_hanging *entry = &l->h->table.data[l->h->place.data[slot] - 1];
  entry->cells = 0;
  if (!is_there(l, entry->cell)) judge_anew(l, dart, slot);
}

static void hear_vertex(looking *l, const clv_event *event) {
  physics_hangings *h = l->h;
  const uint32_t slot = event->id.index;
  if (event->kind == CLV_CREATED) {
    is_new(l, &h->vertex_stamps.data, slot);
    h->seat_of.data[slot] = 0;
  } else if (event->dart && is_listed(l, slot)) {
    look_again(l, event->dart, slot);
  }
}

// The least cell is the one it is judged in.
static void hear_hung(looking *l, clv_dart dart, uint32_t slot, uint32_t cell) {
  physics_hangings *h = l->h;
  if (h->vertex_stamps.data[slot] != h->stamp) {
    if (!is_listed(l, slot)) judge_anew(l, dart, slot);
    return;
  }
  uint32_t *seat = &h->seat_of.data[slot];
  if (*seat == PHYSICS_NO_SEAT || (*seat && h->seats.data[*seat - 1].cell <= cell)) return;
  if (!*seat) {
    if (!BASE_RESERVE(&l->body->allocator, &h->seats, (uint64_t)h->seats.count + 1)) {
      l->failed = true;
      return;
    }
    *seat = ++h->seats.count;
  }
  h->seats.data[*seat - 1] = (physics_seat){.dart = dart, .cell = cell, .slot = slot};
}

static void hear_ends(void *user, uint32_t slot, const uint32_t ends[2]) {
  const physics_hangings *h = user;
  const uint32_t seat = h->vertex_stamps.data[slot] == h->stamp ? h->seat_of.data[slot] : 0;
  if (!seat || seat == PHYSICS_NO_SEAT) return;
  const bool turned = ends[0] > ends[1];
  h->seats.data[seat - 1].ends[0] = ends[turned];
  h->seats.data[seat - 1].ends[1] = ends[!turned];
}

static bool find_hanging_at(const looking *l, const physics_seat *seat, physics_hanging *found) {
  if (!seat->ends[0]) return find_hanging_in(l, seat->dart, seat->cell, found);
  *found = (physics_hanging){.slot = seat->slot,
                             .level = l->levels.of[seat->slot],
                             .count = 2,
                             .parents = {seat->ends[0], seat->ends[1]},
                             .cell = seat->cell,
                             .cells = seat->cells};
  return true;
}

// By the log.
static void hear_arrivals(looking *l, const clv_commit *commit) {
  const uint32_t vertices = clv_orbit_dims(&l->m->view, CLV_VERTEX);
  uint32_t last = 0, last_slot = 0;
  bool there = false;
  for (uint32_t k = 0; k < commit->event_count && !l->failed; k++)
    if (commit->events[k].dims == vertices) hear_vertex(l, &commit->events[k]);
  const map_words *arrivals = &l->m->scratch->arrivals; // what is gone again is not among them
  for (uint32_t k = 0; k < arrivals->count && !l->failed; k++) {
    const map_write *w = &l->m->log.data[arrivals->data[k]];
    if (w->op != MAP_DART_ADD) continue;
    const uint32_t slot = slot_at(l, w->dart);
    if (w->before == last && slot == last_slot) continue; // darts of a vertex follow one another
    if (w->before != last) there = is_there(l, last = w->before);
    last_slot = slot;
    if (there) hear_hung(l, w->dart, slot, w->before);
  }
}

// Where every cell that a vertex came into is its template, with hanging vertices, they are as many as it came into.
static void count_cells(const looking *l) {
  physics_hangings *h = l->h;
  const map_newcomer *newcomers = l->m->scratch->lineage.newcomers[MAP_VERTICES].data;
  for (uint32_t k = 0; k < l->m->scratch->lineage.newcomers[MAP_VERTICES].count; k++) {
    const uint32_t seat = h->seat_of.data[newcomers[k].id];
    if (seat && seat != PHYSICS_NO_SEAT) h->seats.data[seat - 1].cells = newcomers[k].hung;
  }
}

// By the lineage: darts that came into a cell together, which is there still or lost them all. A vertex that hung
// before in a cell that was refined is a corner of its children (hear_heirs).
static void hear_newcomers(looking *l) {
  physics_hangings *h = l->h;
  const map_lineage *lineage = &l->m->scratch->lineage;
  const map_newcomer *newcomers = lineage->newcomers[MAP_VERTICES].data;
  for (uint32_t k = 0; k < lineage->newcomers[MAP_VERTICES].count; k++) {
    h->vertex_stamps.data[newcomers[k].id] = h->stamp;
    h->seat_of.data[newcomers[k].id] = 0;
  }
  const map_came *c = lineage->came.data;
  uint32_t block = 0;
  bool there = false, all = true;
  for (uint32_t k = 0; k < lineage->grown.count && !l->failed; k++) {
    if (lineage->grown.data[k].block != block) there = is_there(l, block = lineage->grown.data[k].block);
    all = all && there;
    uint32_t last = 0; // darts of a vertex follow one another
    for (uint32_t left = lineage->grown.data[k].count; left > 0; left -= c->darts[1] ? 2 : 1, c++) {
      const uint32_t on = c->on[MAP_VERTICES];
      if (!there || on == last) continue;
      hear_hung(l, c->darts[0], map_is_newcomer(on) ? newcomers[on & ~MAP_NEWCOMER].id : on, block);
      last = on;
    }
  }
  if (all && !l->failed) count_cells(l);
}

static void hear_refining(looking *l, const clv_commit *commit) {
  physics_hangings *h = l->h;
  if (l->m->scratch->told)
    hear_newcomers(l);
  else
    hear_arrivals(l, commit);
  if (h->seats.count) physics_births(&l->levels, hear_ends, h);
  for (uint32_t k = 0; k < h->seats.count && !l->failed; k++) {
    physics_hanging found;
    if (find_hanging_at(l, &h->seats.data[k], &found)) remember(l, &found);
  }
}

// A vertex that hung in a cell, and is a corner of its children now, may have nothing else to tell.
static void hear_heir(looking *l, clv_dart heir, clv_dart source) {
  if (map_page(l->m, source).kind != MAP_KIND_DARTS || !clv_dart_alive(&l->m->view, heir)) return;
  const uint32_t slot = slot_at(l, heir);
  if (is_listed(l, slot)) look_again(l, heir, slot);
}

// By the lineage of a commit that only refines: vertices that hung in the middle of an edge or a face of the parent.
static void leave_parent(looking *l, clv_dart heir, uint32_t parent) {
  const uint32_t slot = slot_at(l, heir);
  physics_hanging *entry = is_listed(l, slot) ? &l->h->table.data[l->h->place.data[slot] - 1] : NULL;
  if (!entry) return;
  if (entry->cell == parent) entry->cell = 0;
  if (entry->cells > 1)
    entry->cells--;
  else if (entry->cells)
    forget(l, slot);
  else
    look_again(l, heir, slot);
}

static void hear_children(looking *l, const map_division *d) {
  const map_refinement *table = d->table;
  const clv_dart *known = l->m->scratch->lineage.lies.data + d->known;
  for (uint32_t v = clv_templates[table->kind].corner_count; v < table->vertex_count && !l->failed; v++) {
    const uint32_t at = table->vertex_at[v];
    if (at == MAP_NOWHERE || !known[at]) continue;
    leave_parent(l, d->children[table->home[at].child] | table->home[at].dart, d->parent >> 6);
  }
}

static void hear_heirs(looking *l) {
  const map_scratch *s = l->m->scratch;
  for (uint32_t k = 0; s->told && k < s->lineage.divisions.count; k++)
    if (s->lineage.divisions.data[k].known) hear_children(l, &s->lineage.divisions.data[k]);
  for (uint32_t k = 0; !s->told && k < s->notable.count && !l->failed; k++) {
    const map_write *w = &l->m->log.data[s->notable.data[k]];
    if (w->op == MAP_INHERIT && !w->i) hear_heir(l, w->dart, w->before);
  }
}

// Ties. They are undone before a commit is looked at, and done again behind it.

static const physics_hanging *hidden_at(const physics_hangings *h, uint32_t slot) {
  for (uint32_t k = 0; k < h->hidden.count; k++)
    if (h->hidden.data[k].slot == slot) return &h->hidden.data[k];
  return NULL;
}

static void untie(looking *l) {
  physics_hangings *h = l->h;
  for (uint32_t k = 0; k < h->ties.count && !l->failed; k++) {
    const physics_hanging *hidden = hidden_at(h, h->ties.data[k].slot);
    if (hidden)
      remember(l, hidden);
    else
      forget(l, h->ties.data[k].slot);
  }
  h->ties.count = h->hidden.count = 0;
}

static void tie(looking *l) {
  physics_hangings *h = l->h;
  if (l->failed || !h->others.count) return;
  if (!physics_find_ties(l->body, h) || !BASE_RESERVE(&l->body->allocator, &h->hidden, h->ties.count)) l->failed = true;
  for (uint32_t k = 0; k < h->ties.count && !l->failed; k++) {
    const physics_hanging *one = &h->ties.data[k];
    if (is_listed(l, one->slot)) h->hidden.data[h->hidden.count++] = h->table.data[h->place.data[one->slot] - 1];
    remember(l, one);
    if (!BASE_RESERVE(&l->body->allocator, &h->left, (uint64_t)h->left.count + 2)) l->failed = true;
    if (l->failed) break;
    h->left.data[h->left.count++] = one->slot;
    h->left.data[h->left.count++] = one->parents[0];
  }
}

// A vertex that hangs differently here and there may have lost a cell of many.
static void hear_others(looking *l) {
  const clv_map *view = &l->m->view;
  const physics_hangings *h = l->h;
  for (uint32_t k = 0; k < h->others.count && !l->failed; k++) {
    const uint32_t slot = h->others.data[k].slot;
    const clv_id id = clv_id_next(view, CLV_VERTEX, (clv_id){slot - 1, 0});
    if (id.index == slot) judge_anew(l, clv_id_dart(view, CLV_VERTEX, id), slot);
  }
}

static void hear_any(looking *l, const clv_commit *commit) {
  physics_hangings *h = l->h;
  const clv_map *view = &l->m->view;
  const uint32_t cells = clv_orbit_dims(view, CLV_CELL), vertices = clv_orbit_dims(view, CLV_VERTEX);
  for (uint32_t k = 0; k < commit->event_count && !l->failed; k++) {
    const clv_event *event = &commit->events[k];
    if (event->dims == vertices && (event->kind == CLV_DELETED || event->kind == CLV_MERGED)) {
      const uint32_t slot = event->kind == CLV_DELETED ? event->id.index : event->from.index;
      forget(l, slot);
      forget_others(h, slot);
    }
    if (!event->dart) continue;
    if (event->dims == cells) add_cell(l, event->dart);
    if (event->dims == cells && h->table.count && map_dart_plain(l->m, event->dart)) add_corners(l, event->dart);
    if (event->dims == vertices) add_star(l, event->dart);
  }
}

static void hear(void *user, const clv_map *view, const clv_commit *commit) {
  const clv_body *body = user;
  physics_hangings *h = body->hanging;
  const map *m = map_read(view);
  looking l;
  h->left.count = 0;
  if ((!m->records.alive && !h->table.count) || h->stale || !look(&l, body)) return;
  if (!start(&l)) {
    h->stale = true;
    return;
  }
  untie(&l);
  if (m->scratch->plan.refined)
    hear_refining(&l, commit);
  else
    hear_any(&l, commit);
  hear_heirs(&l);
  hear_others(&l);
  for (uint32_t k = 0; k < h->darts.count && !l.failed; k++) judge(&l, h->darts.data[k]);
  tie(&l);
  h->stale = l.failed;
}

// All extended cells, where a commit could not be followed.
static bool make_anew(const clv_body *body) {
  physics_hangings *h = body->hanging;
  const clv_map *view = body->map;
  looking l;
  while (h->table.count) {
    const physics_hanging *entry = &h->table.data[--h->table.count];
    if (!entry->slot) continue;
    h->place.data[entry->slot] = 0;
    for (uint32_t p = 0; p < entry->count; p++) h->first.data[entry->parents[p]] = 0;
  }
  h->left.count = h->others.count = h->ties.count = h->hidden.count = 0;
  h->changes++;
  if (!look(&l, body)) return true;
  if (!start(&l)) return false;
  for (clv_id id = clv_id_next(view, CLV_CELL, (clv_id){0, 0}); id.index && !l.failed;
       id = clv_id_next(view, CLV_CELL, id))
    add_cell(&l, clv_id_dart(view, CLV_CELL, id));
  for (uint32_t k = 0; k < h->darts.count && !l.failed; k++) judge(&l, h->darts.data[k]);
  tie(&l);
  h->stale = l.failed;
  return !l.failed;
}

static bool make_current(const clv_body *body) {
  return !body->hanging->stale || make_anew(body);
}

static bool make_ready(const clv_body *body) {
  physics_hangings *h = body->hanging;
  if (!make_current(body)) return false;
  if (h->disorder) put_in_order(h);
  return !h->table.count || BASE_RESERVE(&body->allocator, &h->weights, clv_body_slots(body));
}

static clv_result fail_missed(clv_body *body) {
  return physics_fail(
      body, CLV_ERROR_MEMORY,
      "memory was out when an operation was followed: springs or constraints of what it made are missing; go "
      "on from the last checkpoint");
}

clv_result physics_hanging_ready(clv_body *body) {
  if (body->missed) return fail_missed(body);
  return make_ready(body) ? CLV_OK : physics_no_memory(body);
}

clv_result physics_hanging_follow(clv_body *body) {
  if (body->missed) return fail_missed(body);
  return make_current(body) ? CLV_OK : physics_no_memory(body);
}

clv_result physics_hanging_create(clv_body *body, clv_error *error) {
  body->hanging = base_allocate(&body->allocator, sizeof *body->hanging);
  if (!body->hanging) return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a body is made");
  *body->hanging = (physics_hangings){0};
  const clv_result result = clv_map_subscribe(body->map, hear, body);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(body->map));
}

void physics_hanging_destroy(clv_body *body) {
  physics_hangings *h = body->hanging;
  const clv_allocator *a = &body->allocator;
  if (!h) return;
  BASE_RELEASE(a, &h->table);
  BASE_RELEASE(a, &h->place);
  BASE_RELEASE(a, &h->weights);
  BASE_RELEASE(a, &h->directions[0]);
  BASE_RELEASE(a, &h->directions[1]);
  BASE_RELEASE(a, &h->first);
  BASE_RELEASE(a, &h->next);
  BASE_RELEASE(a, &h->left);
  BASE_RELEASE(a, &h->darts);
  BASE_RELEASE(a, &h->seats);
  BASE_RELEASE(a, &h->found);
  BASE_RELEASE(a, &h->others);
  BASE_RELEASE(a, &h->ties);
  BASE_RELEASE(a, &h->hidden);
  BASE_RELEASE(a, &h->ring);
  BASE_RELEASE(a, &h->tied);
  BASE_RELEASE(a, &h->seat_of);
  BASE_RELEASE(a, &h->cell_stamps);
  BASE_RELEASE(a, &h->vertex_stamps);
  base_free(a, h, sizeof *h);
  body->hanging = NULL;
}

// Spreading and gathering

void physics_spread(const clv_body *body, double *vector) {
  const physics_hangings *h = body->hanging;
  for (uint32_t k = 0; k < h->table.count; k++) {
    const physics_hanging *one = &h->table.data[k];
    const double share = 1.0 / one->count;
    for (uint32_t c = 0; c < 3; c++) {
      double sum = 0;
      for (uint32_t p = 0; p < one->count; p++) sum += vector[3 * (size_t)one->parents[p] + c];
      vector[3 * (size_t)one->slot + c] = share * sum;
    }
  }
}

void physics_gather(const clv_body *body, double *vector) {
  const physics_hangings *h = body->hanging;
  for (uint32_t k = h->table.count; k-- > 0;) {
    const physics_hanging *one = &h->table.data[k];
    const double share = 1.0 / one->count;
    for (uint32_t c = 0; c < 3; c++) {
      double *own = &vector[3 * (size_t)one->slot + c];
      for (uint32_t p = 0; p < one->count; p++) vector[3 * (size_t)one->parents[p] + c] += share * *own;
      *own = 0;
    }
  }
}

const double *physics_spread_copy(clv_body *body, uint32_t which, const double *vector) {
  physics_hangings *h = body->hanging;
  const size_t count = 3 * (size_t)clv_body_slots(body);
  if (!vector || !h->table.count) return vector;
  if (!BASE_RESERVE(&body->allocator, &h->directions[which], count)) return NULL;
  memcpy(h->directions[which].data, vector, count * sizeof *vector);
  physics_spread(body, h->directions[which].data);
  return h->directions[which].data;
}

const double *clv_body_masses(const clv_body *body) {
  const physics_hangings *h = body->hanging;
  const uint32_t slots = clv_body_slots(body);
  const double *mass = physics_vectors(body->mass);
  if (!make_ready(body) || !h->table.count) return mass;
  double *weights = h->weights.data;
  memcpy(weights, mass, slots * sizeof *mass);
  for (uint32_t k = h->table.count; k-- > 0;) {
    const physics_hanging *one = &h->table.data[k];
    for (uint32_t p = 0; p < one->count; p++) weights[one->parents[p]] += weights[one->slot] / one->count;
    weights[one->slot] = 0;
  }
  return weights;
}

const physics_hanging *physics_hanging_at(const clv_body *body, uint32_t slot) {
  const physics_hangings *h = body->hanging;
  return slot < h->place.count && h->place.data[slot] ? &h->table.data[h->place.data[slot] - 1] : NULL;
}

bool physics_hangs_otherwise(const physics_hangings *h, uint32_t slot, uint32_t a, uint32_t b) {
  const uint32_t place = slot < h->place.count ? h->place.data[slot] : 0;
  const physics_hanging *one = place ? &h->table.data[place - 1] : NULL;
  if (one && one->count == 1) one = hidden_at(h, slot);
  if (!one) return false;
  bool other = one->parents[0] != (a < b ? a : b) || one->parents[1] != (a < b ? b : a); // they are in order
  for (uint32_t k = 0; k < h->others.count; k++) other |= h->others.data[k].slot == slot;
  return other;
}

static double gathered_weight(const physics_hangings *h, const double *mass, uint32_t slot) {
  double weight = mass[slot];
  for (uint32_t child = slot < h->first.count ? h->first.data[slot] : 0; child;) {
    weight += gathered_weight(h, mass, child) / h->table.data[h->place.data[child] - 1].count;
    child = *next_child(h, child, slot);
  }
  return weight;
}

double physics_weight(const clv_body *body, uint32_t slot) {
  return physics_hanging_at(body, slot) ? 0 : gathered_weight(body->hanging, physics_vectors(body->mass), slot);
}

uint32_t clv_body_hanging(const clv_body *body, uint32_t k, uint32_t *slot, uint32_t parents[4]) {
  const physics_hangings *h = body->hanging;
  if (!make_ready(body) || k >= h->table.count) return 0;
  *slot = h->table.data[k].slot;
  memcpy(parents, h->table.data[k].parents, sizeof h->table.data[k].parents);
  return h->table.data[k].count;
}

void physics_hanging_fetch(const clv_body *body) {
  enum { NEW = 16, SOME = 32 };
  const physics_hangings *h = body->hanging;
  const uint32_t slots = clv_body_slots(body), blocks = h->cell_stamps.count;
  base_fetch(h, sizeof *h);
  BASE_FETCH_SOME(h->table, h->table.count, NEW);
  BASE_FETCH_SOME(h->seats, 0, SOME);
  BASE_FETCH_SOME(h->darts, 0, SOME);
  BASE_FETCH_SOME(h->left, 0, SOME);
  BASE_FETCH_SOME(h->found, 0, NEW);
  BASE_FETCH_SOME(h->place, slots, NEW);
  BASE_FETCH_SOME(h->first, slots, NEW);
  BASE_FETCH_SOME(h->next, 4 * (size_t)slots, 4 * NEW);
  BASE_FETCH_SOME(h->seat_of, slots, NEW);
  BASE_FETCH_SOME(h->vertex_stamps, slots, NEW);
  BASE_FETCH_SOME(h->weights, slots, NEW);
  BASE_FETCH_SOME(h->cell_stamps, blocks, NEW);
}
