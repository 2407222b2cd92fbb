// Finding what became of orbits; plan.h tells the idea.

#include "map/plan.h"

#include <stdlib.h>

// Which nodes were seen. They all lie in one array; as long as it is short it is searched as it is, afterwards through
// a table whose entries carry the stamp of the walk that made them, so that it is emptied in no time.

enum { SHORT = 64 };

static bool is_in(const uint32_t *nodes, uint32_t count, uint32_t node) {
  uint32_t found = 0;
  for (uint32_t k = 0; k < count; k++) found |= nodes[k] == node; // no way out early: this runs wide
  return found;
}

static void table_insert(uint64_t *slots, uint32_t size, uint64_t entry) {
  uint32_t at = map_hash((uint32_t)entry) & (size - 1);
  while (slots[at] >> 32 == entry >> 32) at = (at + 1) & (size - 1);
  slots[at] = entry;
}

// A table twice as large as the nodes there will soon be, holding those there are.
static bool table_rebuild(map *m, map_scratch *s, const map_words *nodes) {
  uint32_t size = s->seen.count ? s->seen.count : 512;
  while (size < 4 * nodes->count) size *= 2;
  if (size > s->seen.count) {
    if (!BASE_RESERVE(&m->allocator, &s->seen, size)) return false;
    s->seen.count = size;
    s->stamp = UINT32_MAX;
  }
  if (++s->stamp == 0) {
    memset(s->seen.data, 0, s->seen.count * sizeof *s->seen.data);
    s->stamp = 1;
  }
  for (uint32_t k = 0; k < nodes->count; k++)
    table_insert(s->seen.data, s->seen.count, (uint64_t)s->stamp << 32 | nodes->data[k]);
  return true;
}

static bool table_has(const map_scratch *s, uint32_t node) {
  const uint64_t entry = (uint64_t)s->stamp << 32 | node;
  for (uint32_t at = map_hash(node) & (s->seen.count - 1); s->seen.data[at] >> 32 == s->stamp;
       at = (at + 1) & (s->seen.count - 1))
    if (s->seen.data[at] == entry) return true;
  return false;
}

static bool seen(const map_scratch *s, const map_words *nodes, uint32_t node) {
  return nodes->count <= SHORT ? is_in(nodes->data, nodes->count, node) : table_has(s, node);
}

// Appends a node that was not seen.
static bool append(map *m, map_scratch *s, map_words *nodes, uint32_t node) {
  if (!BASE_RESERVE(&m->allocator, nodes, (uint64_t)nodes->count + 1)) return false;
  nodes->data[nodes->count++] = node;
  if (nodes->count <= SHORT) return true;
  if (nodes->count == SHORT + 1 || 2 * nodes->count > s->seen.count) return table_rebuild(m, s, nodes);
  table_insert(s->seen.data, s->seen.count, (uint64_t)s->stamp << 32 | node);
  return true;
}

// Nodes

uint32_t map_node_weight(const map *m, uint32_t inner, clv_dart node) {
  if (!map_dart_plain(m, node)) return 1;
  const clv_suborbits *sub = &clv_templates[map_page(m, node).kind].sub[inner];
  return sub->size[sub->of[node & 63u]];
}

static int compare_blocks(const void *a, const void *b) {
  const uint32_t p = *(const uint32_t *)a, q = *(const uint32_t *)b;
  return (p > q) - (p < q);
}

// New ones mostly come in order. Whether they did.
static bool sort_blocks(map_words *blocks) {
  bool ordered = true;
  for (uint32_t k = 1; k < blocks->count; k++) ordered &= blocks->data[k - 1] <= blocks->data[k];
  if (!ordered) qsort(blocks->data, blocks->count, sizeof *blocks->data, compare_blocks);
  return ordered;
}

static bool find_fresh_blocks(map *m, const map_plan *plan) {
  map_words *fresh = &m->scratch->fresh;
  fresh->count = 0;
  if (!plan->cells_added) return true;
  const map_words *notable = &m->scratch->notable;
  if (!BASE_RESERVE(&m->allocator, fresh, notable->count)) return false;
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    if (w.op == MAP_CELL_ADD) fresh->data[fresh->count++] = w.dart >> 6;
  }
  qsort(fresh->data, fresh->count, sizeof *fresh->data, compare_blocks);
  return true;
}

// Most lie one behind the other, from the first on or up to the last.
static uint32_t *find_block(const map_words *blocks, uint32_t block) {
  uint32_t low = 0, high = blocks->count;
  if (!high || block < blocks->data[0] || block > blocks->data[high - 1]) return NULL;
  const uint32_t behind_first = block - blocks->data[0], before_last = blocks->data[high - 1] - block;
  if (behind_first < high && blocks->data[behind_first] == block) return &blocks->data[behind_first];
  if (before_last < high && blocks->data[high - 1 - before_last] == block) return &blocks->data[high - 1 - before_last];
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    const bool before = block < blocks->data[middle];
    low = before ? low : middle;
    high = before ? middle : high;
  }
  return blocks->data[low] == block ? &blocks->data[low] : NULL;
}

uint32_t map_fresh_number(const map *m, uint32_t block) {
  const uint32_t *found = find_block(&m->scratch->fresh, block);
  return found ? (uint32_t)(found - m->scratch->fresh.data) : MAP_NOT_FRESH;
}

bool map_begot(const map *m, uint32_t block) {
  return find_block(&m->scratch->begetters, block);
}

static map_source *source_of(const map *m, clv_dart dart) {
  const map_scratch *s = m->scratch;
  const uint32_t *fresh = s->sources.count ? find_block(&s->fresh, dart >> 6) : NULL;
  return fresh ? &s->sources.data[(size_t)(fresh - s->fresh.data) * CLV_TEMPLATE_DARTS + (dart & 63u)] : NULL;
}

static bool find_sources(map *m, map_plan *plan) {
  map_scratch *s = m->scratch;
  s->sources.count = s->begetters.count = 0;
  plan->gathered = false;
  if (!plan->inherited) return true;
  const uint64_t count = (uint64_t)s->fresh.count * CLV_TEMPLATE_DARTS;
  if (!BASE_RESERVE(&m->allocator, &s->sources, count) || !BASE_RESERVE(&m->allocator, &s->begetters, s->notable.count))
    return false;
  s->sources.count = (uint32_t)count;
  memset(s->sources.data, 0, count * sizeof *s->sources.data);
  uint32_t last = 0, heir = 0;
  map_source *sources = NULL; // of the heir
  for (uint32_t k = 0; k < s->notable.count; k++) {
    const map_write w = m->log.data[s->notable.data[k]];
    if (w.op != MAP_INHERIT) continue;
    const uint32_t block = map_block(m, w.before);
    plan->gathered |= block != last && heir == w.dart >> 6;
    if (heir != w.dart >> 6) sources = source_of(m, w.dart & ~63u);
    heir = w.dart >> 6;
    if (!sources) continue; // of a cell that was there; operations make no such entries
    map_source *source = &sources[w.dart & 63u];
    if (!source->dart) *source = (map_source){w.before, w.i};
    if (block != last) s->begetters.data[s->begetters.count++] = last = block;
  }
  qsort(s->begetters.data, s->begetters.count, sizeof *s->begetters.data, compare_blocks);
  return true;
}

uint32_t map_begetter(const map *m, uint32_t fresh) {
  const map_scratch *s = m->scratch;
  const clv_dart dart = s->sources.count ? s->sources.data[(size_t)fresh * CLV_TEMPLATE_DARTS].dart : CLV_NO_DART;
  return dart ? map_block(m, dart) : 0;
}

uint64_t map_parted_places(const map *m, clv_dart cell, uint32_t inner) {
  const clv_template *shape = &clv_templates[map_page(m, cell).kind];
  const uint8_t *place = shape->sub[inner].of;
  const map_source *source = source_of(m, cell);
  const uint32_t inside = (1u << m->view.dimension) - 1u; // it shares the cell, and nothing else
  uint64_t parted = 0;
  for (uint32_t l = 0; l < shape->dart_count; l++)
    parted |= (uint64_t)(source[l].apart && source[l].apart != inside) << place[l];
  return parted;
}

uint64_t map_old_name(const map *m, const map_index *index, clv_dart node) {
  if (!index) return m->records.cell.data[map_record(m, node)] & MAP_BLOCK;
  const uint32_t id = map_index_get(m, index, node);
  if (index->crossing || !(id & MAP_TEMPLATE_SLOT)) return id;
  const clv_dart cell = map_block(m, node) << 6;
  if (map_is_fresh(m, cell >> 6)) { // its slots are as new as it is
    const map_source *source = source_of(m, node);
    return source && source->dart && (index->dims & source->apart) == source->apart
               ? map_old_name(m, index, source->dart)
               : 0;
  }
  const clv_template *shape = &clv_templates[map_page(m, cell).kind];
  return MAP_ROW_SLOT | cell | shape->sub[index->inner].first[id & ~MAP_TEMPLATE_SLOT];
}

typedef struct resolver {
  map *m;
  map_scratch *s;
  map_orbits *o;
  uint32_t inner;
  bool crossing, ring;
  uint32_t stamp; // of records that were seen
} resolver;

// A dart with a record is seen by a mark beside the record.
static bool add_record(resolver *r, clv_dart dart, uint32_t record) {
  uint32_t *mark = &r->s->marks.data[record];
  map_words *nodes = &r->o->nodes;
  if (*mark == r->stamp) return true;
  *mark = r->stamp;
  if (nodes->count == nodes->capacity && !BASE_RESERVE(&r->m->allocator, nodes, (uint64_t)nodes->count + 1))
    return false;
  nodes->data[nodes->count++] = dart;
  return nodes->count != SHORT + 1 || table_rebuild(r->m, r->s, nodes); // the others are looked up there from now on
}

static inline bool add_node(resolver *r, clv_dart dart) {
  const uint32_t record = map_record(r->m, dart);
  if (record != MAP_NO_RECORD) return add_record(r, dart, record);
  const clv_dart node = map_place_plain(r->m, r->inner, dart);
  return seen(r->s, &r->o->nodes, node) || append(r->m, r->s, &r->o->nodes, node);
}

static bool was_seen(const resolver *r, clv_dart dart) {
  const uint32_t record = map_record(r->m, dart);
  if (record != MAP_NO_RECORD) return r->s->marks.data[record] == r->stamp;
  return seen(r->s, &r->o->nodes, map_place_plain(r->m, r->inner, dart));
}

static bool leave_node(resolver *r, clv_dart node, uint32_t record) {
  const clv_map *view = &r->m->view;
  if (record == MAP_NO_RECORD) {
    const clv_suborbits *sub = &clv_templates[map_page(r->m, node).kind].sub[r->inner];
    const uint32_t number = sub->of[node & 63u];
    for (uint32_t e = sub->exit_start[number]; r->crossing && e < sub->exit_start[number + 1]; e++) {
      const clv_dart exit = (node & ~63u) | sub->exit[e].dart;
      const clv_dart next = clv_alpha(view, exit, view->dimension);
      if (next != exit && !add_node(r, next)) return false;
    }
    return true;
  }
  for (uint32_t i = 0; i <= view->dimension; i++) {
    if (!(r->o->dims >> i & 1u)) continue;
    const clv_dart next = r->m->records.alpha.data[4 * (size_t)record + i];
    if (next != node && !add_node(r, next)) return false;
  }
  return true;
}

// The nodes of an orbit whose cells are all plain: found together, and read straight from the rows. *count is 0 when it
// is not so.
static bool add_plain_orbit(resolver *r, map_new_orbit *orbit, clv_dart dart, uint32_t *count) {
  map *m = r->m;
  map_orbits *o = r->o;
  clv_dart star[MAP_STAR_PLAIN];
  uint32_t ahead = 0;
  *count = !r->crossing ? 0
           : r->ring    ? map_ring_plain(m, o->dims, dart, star, &ahead)
                        : map_star_plain(m, r->inner, dart, star);
  if (!BASE_RESERVE(&m->allocator, &o->nodes, (uint64_t)o->nodes.count + *count)) return false;
  map_part part = {.orbit = o->orbits.count};
  for (uint32_t k = 0; k < *count; k++) {
    const clv_page page = map_page(m, star[k]);
    const clv_suborbits *sub = &clv_templates[page.kind].sub[r->inner];
    const uint32_t number = sub->of[star[k] & 63u];
    const uint32_t old = o->index->ids[page.kind].data[map_row(page, star[k]) * sub->count + number];
    const clv_dart node = (star[k] & ~63u) | sub->first[number];
    if (o->nodes.count < SHORT)
      o->nodes.data[o->nodes.count++] = node;
    else if (!append(m, r->s, &o->nodes, node))
      return false;
    // Runs of one old name are folded before they are looked up among the parts.
    if (old != part.old) {
      if (part.weight && !map_add_part(r->m, r->o, orbit, part.old, part.weight)) return false;
      part.old = old;
      part.weight = 0;
    }
    part.weight += sub->size[number];
  }
  return !part.weight || map_add_part(r->m, r->o, orbit, part.old, part.weight);
}

static bool add_any_orbit(resolver *r, map_new_orbit *orbit, clv_dart dart) {
  const map_words *nodes = &r->o->nodes;
  const bool heirs = r->s->sources.count && r->o->index && !r->crossing;
  if (!add_node(r, dart)) return false;
  for (uint32_t k = orbit->node_start; k < nodes->count; k++) {
    const clv_dart node = nodes->data[k];
    const uint32_t record = map_record(r->m, node);
    if (heirs && map_is_fresh(r->m, node >> 6)) orbit->gained = true; // it knows the name, but does not bear it yet
    if (!r->o->index && map_is_born(r->m, node)) orbit->gained = true;
    const uint32_t id =
        record != MAP_NO_RECORD && r->o->index ? r->o->index->record_ids.data[record] : MAP_TEMPLATE_SLOT;
    const uint64_t old = id & MAP_TEMPLATE_SLOT ? map_old_name(r->m, r->o->index, node) : id;
    const uint32_t weight = record != MAP_NO_RECORD ? 1 : map_node_weight(r->m, r->inner, node);
    if (!map_add_part(r->m, r->o, orbit, old, weight) || !leave_node(r, node, record)) return false;
  }
  return true;
}

// A cell of new darts alone is part of the one they were born in. It weighs nothing: what is shared out stays with
// darts that were there before.
static bool add_origin(resolver *r, map_new_orbit *orbit) {
  map *m = r->m;
  if (r->o->dims != clv_orbit_dims(&m->view, CLV_CELL)) return true;
  if (!r->s->origins && !map_find_origins(m)) return false;
  r->s->origins = true;
  clv_dart origin = CLV_NO_DART;
  for (uint32_t k = orbit->node_start; k < r->o->nodes.count && !origin; k++)
    origin = map_origin(m, r->o->nodes.data[k]);
  return !origin || map_add_part(r->m, r->o, orbit, map_old_name(m, r->o->index, origin), 0);
}

// Walks the orbit at a touched dart, unless it was walked already.
static bool start(resolver *r, clv_dart dart) {
  map_orbits *o = r->o;
  if (was_seen(r, dart)) return true;
  map_new_orbit orbit = {.node_start = o->nodes.count, .part_start = o->parts.count};
  uint32_t found = 0;
  if (!BASE_RESERVE(&r->m->allocator, &o->orbits, (uint64_t)o->orbits.count + 1)) return false;
  if (!add_plain_orbit(r, &orbit, dart, &found)) return false;
  if (!found && !add_any_orbit(r, &orbit, dart)) return false;
  if (o->parts.count == orbit.part_start && !add_origin(r, &orbit)) return false;
  orbit.node_end = o->nodes.count;
  orbit.part_end = o->parts.count;
  o->orbits.data[o->orbits.count++] = orbit;
  return true;
}

static bool lose(resolver *r, clv_dart node) {
  const uint64_t old = map_old_name(r->m, r->o->index, node);
  if (!old) return true; // made and deleted in one transaction
  if (!BASE_RESERVE(&r->m->allocator, &r->o->lost, (uint64_t)r->o->lost.count + 1)) return false;
  r->o->lost.data[r->o->lost.count++] = (map_lost){node, old};
  return true;
}

static bool start_facet(resolver *r, map_write w, uint32_t cut) {
  const clv_template *shape = &clv_templates[map_page(r->m, w.dart).kind];
  const clv_template *other = &clv_templates[map_page(r->m, w.before).kind];
  const uint32_t size = shape->facet_size[shape->facet[w.dart & 63u]];
  // Links shared by the place and the facet join the darts in pairs: every other dart is enough.
  const uint32_t step = (r->inner & ((1u << (shape->dimension - 1)) - 1u)) ? 2 : 1;
  const uint32_t joined = map_joined_positions(r->m, r->o->dims, cut, size);
  for (uint32_t k = 0; k < size; k += step) {
    if (joined >> k & 1u) continue;
    if (((cut & MAP_CUT) || clv_dart_alive(&r->m->view, w.dart + k)) && !start(r, w.dart + k)) return false;
    if ((cut & MAP_CUT) && !start(r, (w.before & ~63u) | other->turn[w.before & 63u][k])) return false;
  }
  return true;
}

// A cell that was added: all its places are new, if it still exists. One dart of each is enough in a plain cell.
static bool start_places(resolver *r, clv_dart cell) {
  const clv_page page = map_page(r->m, cell);
  const clv_template *shape = &clv_templates[page.kind];
  const clv_suborbits *sub = &shape->sub[r->inner];
  if (!map_row_alive(r->m, page.kind, map_row(page, cell))) return true;
  for (uint32_t l = 0; l < shape->dart_count; l++)
    if (sub->first[sub->of[l]] == l && !start(r, cell | l)) return false;
  return true;
}

static bool start_cell(resolver *r, clv_dart cell) {
  if (map_dart_plain(r->m, cell)) return start_places(r, cell);
  const clv_template *shape = &clv_templates[map_page(r->m, cell).kind];
  for (uint32_t l = 0; l < shape->dart_count; l++)
    if (clv_dart_alive(&r->m->view, cell | l) && !start(r, cell | l)) return false;
  return true;
}

static bool lose_cell(resolver *r, clv_dart cell) {
  const clv_suborbits *sub = &clv_templates[map_page(r->m, cell).kind].sub[r->inner];
  for (uint32_t s = 0; s < sub->count; s++)
    if (!lose(r, cell | sub->first[s])) return false;
  return true;
}

static bool touch(resolver *r, map_write w, uint32_t cut) {
  switch ((map_op)w.op) {
  case MAP_LINK:
    return !r->crossing || cut == MAP_CUT_MIRRORED || start_facet(r, w, cut);
  case MAP_ALPHA:
    if (!(r->o->dims >> w.i & 1u) || !clv_dart_alive(&r->m->view, w.dart)) return true;
    return map_is_born(r->m, w.dart) || start(r, w.dart); // that it came is told already
  case MAP_DART_ADD:
    return !clv_dart_alive(&r->m->view, w.dart) || start(r, w.dart);
  case MAP_DART_DROP:
    return lose(r, w.dart);
  case MAP_CELL_ADD:
    return !r->crossing || start_cell(r, w.dart);
  case MAP_CELL_DROP:
    return !r->crossing || lose_cell(r, w.dart);
  case MAP_EXTEND: // maybe for nothing: such a cell is to go back to its row
    return r->o->index || start_cell(r, w.dart);
  case MAP_TURN:
  case MAP_PARENTS:
  case MAP_VALUE:
  case MAP_INHERIT:
    return true;
  }
  return true;
}

// Darts that lose their block lose the row's slots with it, whether or not their own inner orbits changed.
static bool start_unseated(resolver *r, const map_orbits *cells) {
  for (uint32_t c = 0; c < cells->orbits.count; c++) {
    const map_new_orbit *cell = &cells->orbits.data[c];
    for (uint32_t k = cell->node_start; k < cell->node_end; k++) {
      const clv_dart dart = cells->nodes.data[k];
      const bool unseated = map_is_template(map_page(r->m, dart).kind) && (dart >> 6 != cell->keeps || !cell->seated);
      if (unseated && !start(r, dart)) return false;
    }
  }
  return true;
}

// Who keeps which id

uint32_t map_first_part(const map_orbits *o, uint64_t old) {
  uint32_t low = 0, high = o->by_old.count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (o->parts.data[o->by_old.data[middle]].old < old)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// True when darts are left of the cell that a deleted one lay in: an edge or a vertex was removed from it, and what it
// was made of is still there. A cell of new darts alone that came of it weighs nothing, and is not that.
static bool cell_lives_on(const map *m, const map_plan *plan, clv_dart node) {
  const map_orbits *cells = &plan->cells;
  const uint64_t block = map_block(m, node);
  if (map_begot(m, (uint32_t)block)) return true;
  if (map_record(m, node) == MAP_NO_RECORD) return false; // a template cell, deleted whole
  for (uint32_t k = map_first_part(cells, block); k < cells->by_old.count; k++) {
    const map_part *part = &cells->parts.data[cells->by_old.data[k]];
    if (part->old != block) return false;
    if (part->orbit != MAP_NO_ORBIT && part->weight) return true;
  }
  return false;
}

static bool parts_of_lost(map *m, const map_plan *plan, map_orbits *o) {
  if (!BASE_RESERVE(&m->allocator, &o->parts, (uint64_t)o->parts.count + o->lost.count)) return false;
  const uint32_t inner = o->dims & ~(1u << m->view.dimension);
  for (uint32_t k = 0; k < o->lost.count; k++) {
    const clv_dart node = o->lost.data[k].node;
    const bool weighs = o->index && !cell_lives_on(m, plan, node);
    const map_part part = {o->lost.data[k].old, MAP_NO_ORBIT, weighs ? map_node_weight(m, inner, node) : 0};
    if (k && o->lost.data[k - 1].old == part.old) // darts of one orbit often come together
      o->parts.data[o->parts.count - 1].weight += part.weight;
    else
      o->parts.data[o->parts.count++] = part;
  }
  return true;
}

static inline bool part_before(const map_part *p, const map_part *q) {
  return p->old != q->old ? p->old < q->old : p->orbit < q->orbit;
}

// Shell's gaps: a handful of parts is the common case.
static void sort_parts(map_part *parts, uint32_t count) {
  uint32_t gap = 1;
  while (gap < count / 3) gap = gap * 3 + 1;
  for (; gap; gap /= 3)
    for (uint32_t k = gap; k < count; k++) {
      const map_part held = parts[k];
      uint32_t at = k;
      for (; at >= gap && part_before(&held, &parts[at - gap]); at -= gap) parts[at] = parts[at - gap];
      parts[at] = held;
    }
}

// Sorts the parts of lost darts among themselves and folds equals: equal keys are one afterwards, so the order does not
// depend on how the sort works.
static bool order_parts(map *m, map_orbits *o, uint32_t lost_start) {
  map_part *lost = o->parts.data + lost_start;
  uint32_t lost_count = o->parts.count - lost_start, folded = 0;
  sort_parts(lost, lost_count);
  for (uint32_t k = 0; k < lost_count; k++) {
    if (folded && lost[folded - 1].old == lost[k].old)
      lost[folded - 1].weight += lost[k].weight;
    else
      lost[folded++] = lost[k];
  }
  o->parts.count = lost_start + folded;
  if (!BASE_RESERVE(&m->allocator, &o->by_old, o->parts.count)) return false;
  return true;
}

static void sort_by_old(map_orbits *o) {
  uint32_t *order = o->by_old.data;
  const map_part *parts = o->parts.data;
  const uint32_t count = o->by_old.count = o->parts.count;
  for (uint32_t k = 0; k < count; k++) order[k] = k;
  // Shell's gaps: a handful of parts is the common case, and it allocates nothing.
  uint32_t gap = 1;
  while (gap < count / 3) gap = gap * 3 + 1;
  for (; gap; gap /= 3)
    for (uint32_t k = gap; k < count; k++) {
      const uint32_t held = order[k];
      uint32_t at = k;
      for (; at >= gap && part_before(&parts[held], &parts[order[at - gap]]); at -= gap) order[at] = order[at - gap];
      order[at] = held;
    }
}

// A cell that no change of inner links touched is not in the plan: it keeps its block as a matter of course.
static bool block_kept(const map_orbits *cells, uint32_t block) {
  uint32_t k = map_first_part(cells, block);
  bool planned = false;
  for (; k < cells->by_old.count && cells->parts.data[cells->by_old.data[k]].old == block; k++) {
    const map_part *part = &cells->parts.data[cells->by_old.data[k]];
    planned = true;
    if (part->orbit == MAP_NO_ORBIT) continue;
    const map_new_orbit *cell = &cells->orbits.data[part->orbit];
    if (cell->keeps == block && cell->seated) return true;
  }
  return !planned;
}

// True when the orbit may go on under this old name. Any may under an id; a template block belongs to the cell that
// still has all its darts; the slot in an extended cell's row to the orbit that holds the sub-orbit's first dart, while
// the cell keeps its block.
static bool may_keep(const map *m, const map_plan *plan, const map_orbits *o, const map_part *part) {
  const bool cells = !o->index;
  if (!cells && !(part->old & MAP_ROW_SLOT)) return true;
  const map_new_orbit *orbit = &o->orbits.data[part->orbit];
  const clv_page page = map_page(m, (clv_dart)(cells ? part->old << 6 : part->old));
  if (!map_is_template(page.kind)) return true;
  uint32_t found = 0;
  for (uint32_t k = orbit->node_start; k < orbit->node_end; k++)
    found += cells ? o->nodes.data[k] >> 6 == part->old : o->nodes.data[k] == (clv_dart)part->old;
  if (cells) return found == clv_templates[page.kind].dart_count;
  return found && block_kept(&plan->cells, (clv_dart)part->old >> 6);
}

// A new inner orbit takes the slot in its cell's row, where it holds the first dart of a sub-orbit and the cell keeps
// its block.
static uint64_t row_slot(const map *m, const map_plan *plan, const map_orbits *o, const map_new_orbit *orbit) {
  if (!o->index || o->index->crossing) return 0;
  for (uint32_t k = orbit->node_start; k < orbit->node_end; k++) {
    const clv_dart node = o->nodes.data[k];
    const clv_page page = map_page(m, node);
    if (!map_is_template(page.kind)) continue;
    const clv_suborbits *sub = &clv_templates[page.kind].sub[o->index->inner];
    if (sub->first[sub->of[node & 63u]] == (node & 63u) && block_kept(&plan->cells, node >> 6))
      return MAP_ROW_SLOT | node;
  }
  return 0;
}

static void keep_ids(const map *m, const map_plan *plan, map_orbits *o) {
  const uint32_t count = o->by_old.count;
  for (uint32_t k = 0, end; k < count; k = end) {
    const uint64_t old = o->parts.data[o->by_old.data[k]].old;
    const map_part *best = NULL;
    for (end = k; end < count && o->parts.data[o->by_old.data[end]].old == old; end++) {
      const map_part *part = &o->parts.data[o->by_old.data[end]];
      if (!best && part->orbit != MAP_NO_ORBIT && part->weight && may_keep(m, plan, o, part)) best = part;
    }
    const bool whole = best && end == k + 1;
    for (uint32_t p = k; p < end && !whole; p++) {
      const map_part *part = &o->parts.data[o->by_old.data[p]];
      if (part->orbit != MAP_NO_ORBIT) o->orbits.data[part->orbit].changed = true;
    }
    if (!best) continue;
    map_new_orbit *orbit = &o->orbits.data[best->orbit];
    if (!orbit->keeps) orbit->keeps = old; // old names come in order: the smallest wins
  }
  for (uint32_t k = 0; k < o->orbits.count; k++) {
    map_new_orbit *orbit = &o->orbits.data[k];
    orbit->changed |= orbit->gained || !orbit->keeps || orbit->part_end - orbit->part_start > 1;
    if (!orbit->keeps) orbit->keeps = row_slot(m, plan, o, orbit);
    o->fresh += !orbit->keeps;
  }
}

static inline void clear(map_orbits *o, uint32_t dims, map_index *index) {
  o->index = index;
  o->dims = dims;
  o->nodes.count = o->orbits.count = o->parts.count = o->by_old.count = o->lost.count = o->fresh = 0;
  o->spread.count = 0;
}

uint32_t map_next_mark(map *m) {
  map_scratch *s = m->scratch;
  if (++s->mark) return s->mark;
  if (s->marks.capacity) memset(s->marks.data, 0, s->marks.capacity * sizeof *s->marks.data);
  if (s->child_marks.capacity) memset(s->child_marks.data, 0, s->child_marks.capacity * sizeof *s->child_marks.data);
  return s->mark = 1;
}

static bool reserve_marks(map *m, map_words *marks, uint64_t need) {
  const uint32_t had = marks->capacity;
  if (!BASE_RESERVE(&m->allocator, marks, need)) return false;
  if (marks->capacity > had) memset(marks->data + had, 0, (marks->capacity - had) * sizeof *marks->data);
  return true;
}

// For all that there is room for: they grow when records do.
static bool reserve_record_marks(map *m) {
  const uint64_t ready = m->records.ready;
  return reserve_marks(m, &m->scratch->marks, ready > m->records.count ? ready : m->records.count);
}

// Which old names orbits go on with, once they are all known.
static bool settle_names(map *m, const map_plan *plan, map_orbits *o) {
  if (!o->orbits.count && !o->lost.count) return true;
  const uint32_t lost_start = o->parts.count;
  if (o->lost.count && !parts_of_lost(m, plan, o)) return false;
  if (!order_parts(m, o, lost_start)) return false;
  sort_by_old(o);
  keep_ids(m, plan, o);
  return true;
}

static bool resolve_orbits(map *m, map_plan *plan, map_orbits *o, uint32_t dims, map_index *index) {
  map_scratch *s = m->scratch;
  clear(o, dims, index);
  const uint32_t n = m->view.dimension;
  resolver r = {m, s, o, dims & ~(1u << n), dims >> n & 1u, map_is_ring(dims, n), map_next_mark(m)};
  for (uint32_t k = 0; k < m->log.count; k++)
    if (!touch(&r, m->log.data[k], s->cuts.data[k])) return false;
  if (index && !r.crossing && !start_unseated(&r, &plan->cells)) return false;
  return settle_names(m, plan, o);
}

// What sorts of writes there are: inner orbits change only where records do.
static bool survey(map *m, map_plan *plan) {
  map_words *notable = &m->scratch->notable;
  uint32_t ops = 0;
  if (!BASE_RESERVE(&m->allocator, notable, m->log.count)) return false;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const uint32_t op = m->log.data[k].op;
    ops |= 1u << op;
    notable->data[notable->count] = k; // one that is not worth it is written over
    notable->count += op != MAP_ALPHA && op != MAP_LINK;
  }
  plan->inner_changed = ops & (1u << MAP_ALPHA | 1u << MAP_EXTEND | 1u << MAP_DART_ADD | 1u << MAP_DART_DROP);
  plan->cells_added = ops & 1u << MAP_CELL_ADD;
  plan->inherited = ops & 1u << MAP_INHERIT;
  plan->values_set = ops & 1u << MAP_VALUE;
  plan->links_changed = ops & (1u << MAP_LINK | 1u << MAP_ALPHA | 1u << MAP_DART_DROP);
  return true;
}

static bool resolve_cells(map *m, map_plan *plan) {
  const uint32_t cell_dims = clv_orbit_dims(&m->view, CLV_CELL);
  clear(&plan->cells, cell_dims, NULL);
  if (plan->inner_changed && !plan->refined && !resolve_orbits(m, plan, &plan->cells, cell_dims, NULL)) return false;
  return map_plan_settling(m, plan); // which cells keep their rows decides who keeps the rows' slots
}

// Where cells were refined and nothing else was done, each link that was written leads to a dart or to a cell that
// came: these say it all.
static bool list_arrivals(map *m, const map_plan *plan) {
  map_words *arrivals = &m->scratch->arrivals;
  arrivals->count = 0;
  if (!plan->refined) return true;
  const map_words *notable = &m->scratch->notable;
  if (!BASE_RESERVE(&m->allocator, arrivals, notable->count)) return false;
  for (uint32_t k = 0; k < notable->count; k++) {
    const map_write w = m->log.data[notable->data[k]];
    const bool came = w.op == MAP_DART_ADD && clv_dart_alive(&m->view, w.dart);
    if (came || w.op == MAP_DART_DROP || w.op == MAP_CELL_ADD || w.op == MAP_CELL_DROP)
      arrivals->data[arrivals->count++] = notable->data[k];
  }
  return true;
}

// Who came and who went, by the lineage; of where children are from all that others ask for is the cell.
static bool list_families(map *m, map_plan *plan) {
  map_scratch *s = m->scratch;
  const map_lineage *l = &s->lineage;
  const uint64_t most = (uint64_t)l->divisions.count * MAP_MOST_CORNERS;
  plan->gathered = false;
  s->fresh.count = s->begetters.count = s->sources.count = 0;
  if (!BASE_RESERVE(&m->allocator, &s->fresh, most) || !BASE_RESERVE(&m->allocator, &s->begetters, most) ||
      !BASE_RESERVE(&m->allocator, &s->sources, most * CLV_TEMPLATE_DARTS))
    return false;
  for (uint32_t k = 0; k < l->divisions.count; k++) {
    const map_division *d = &l->divisions.data[k];
    s->begetters.data[s->begetters.count++] = d->parent >> 6;
    for (uint32_t c = 0; c < d->table->child_count; c++) s->fresh.data[s->fresh.count++] = d->children[c] >> 6;
  }
  const bool ordered = sort_blocks(&s->fresh);
  sort_blocks(&s->begetters);
  s->sources.count = s->fresh.count * CLV_TEMPLATE_DARTS;
  uint32_t next = 0;
  for (uint32_t k = 0; k < l->divisions.count; k++) {
    const map_division *d = &l->divisions.data[k];
    const map_source source = {d->parent, (1u << m->view.dimension) - 1u};
    for (uint32_t c = 0; c < d->table->child_count; c++, next++) {
      const uint32_t number = ordered ? next : map_fresh_number(m, d->children[c] >> 6);
      s->sources.data[(size_t)number * CLV_TEMPLATE_DARTS] = source;
    }
  }
  return true;
}

bool map_survey_growth(map *m, map_plan *plan) {
  clear(&plan->cells, clv_orbit_dims(&m->view, CLV_CELL), NULL);
  plan->refined = plan->inner_changed = plan->cells_added = plan->inherited = plan->links_changed = true;
  plan->values_set = m->payload.count > 0;
  if (!map_note_values(m)) return false;
  m->divided = m->log.count;
  return list_families(m, plan) && reserve_record_marks(m);
}

bool map_resolve(map *m, map_plan *plan) {
  m->scratch->origins = false;
  m->scratch->notable.count = 0;
  map_scratch *s = m->scratch;
  if (!survey(m, plan) || !find_fresh_blocks(m, plan) || !find_sources(m, plan)) return false;
  if (!reserve_record_marks(m)) return false;
  if (!reserve_marks(m, &s->child_marks, (uint64_t)s->fresh.count * CLV_TEMPLATE_DARTS)) return false;
  plan->refined = map_only_refines(m, plan);
  if (!list_arrivals(m, plan) || (!plan->refined && !map_find_cuts(m)) || !resolve_cells(m, plan)) return false;
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    map_index *index = m->numbered[k];
    map_orbits *o = &plan->orbits[index->dims];
    clear(o, index->dims, index);
    if (!index->crossing && !plan->inner_changed) continue;
    if (plan->refined && index->dims == plan->cells.dims) continue;
    const bool done = plan->refined ? map_resolve_arrivals(m, o) && settle_names(m, plan, o)
                                    : resolve_orbits(m, plan, o, index->dims, index);
    if (!done) return false;
  }
  return true;
}
