// Carrying values through a commit; embed.h tells the idea.

#include "embed/embed.h"

#include <math.h>
#include <stdlib.h>

// Contributions. A place has many nodes where its darts have records; one of them stands for it: the dart its slot
// remembers.

static clv_dart remembered(const map *m, const map_index *index, clv_dart node) {
  const uint32_t id = map_index_get(m, index, node);
  if (!id) return CLV_NO_DART;
  if (!(id & MAP_TEMPLATE_SLOT)) return index->dart.data[id];
  const clv_dart cell = map_block(m, node) << 6;
  return cell | clv_templates[map_page(m, cell).kind].sub[index->inner].first[id & ~MAP_TEMPLATE_SLOT];
}

// Before the commit the remembered dart may be among the deleted ones while others of its place live on; then the first
// of those stands for it.
static clv_dart survivor(const map *m, const map_orbits *places, clv_dart node, clv_dart standing) {
  if (!standing || clv_dart_alive(&m->view, standing)) return standing;
  const uint64_t old = map_old_name(m, places->index, node);
  for (uint32_t k = map_first_part(places, old); k < places->by_old.count; k++) {
    const map_part *part = &places->parts.data[places->by_old.data[k]];
    if (part->old != old || part->orbit == MAP_NO_ORBIT) break;
    const map_new_orbit *orbit = &places->orbits.data[part->orbit];
    for (uint32_t n = orbit->node_start; n < orbit->node_end; n++)
      if (map_old_name(m, places->index, places->nodes.data[n]) == old) return places->nodes.data[n];
  }
  return standing;
}

// A place that fell apart weighs by what is left of it where it is left: *darts of it live on, in *parts orbits.
static void count_survivors(const map_orbits *places, uint64_t old, uint32_t *parts, uint32_t *darts) {
  *parts = *darts = 0;
  for (uint32_t k = map_first_part(places, old); k < places->by_old.count; k++) {
    const map_part *part = &places->parts.data[places->by_old.data[k]];
    if (part->old != old || part->orbit == MAP_NO_ORBIT) return;
    ++*parts;
    *darts += part->weight;
  }
}

static double node_weight(const clv_column *column, const map_plan *plan, clv_dart node) {
  const map *m = column->map;
  const clv_column *contribution = column->def.contribution;
  const map_index *index = contribution->index;
  const map_orbits *places = &plan->orbits[index->dims];
  const void *value = clv_column_at(contribution, node);
  if (!value) return 0;
  uint32_t parts = 0, darts = 0;
  if (plan->inner_changed && !map_dart_plain(m, node))
    count_survivors(places, map_old_name(m, index, node), &parts, &darts);
  if (parts > 1) return clv_dart_alive(&m->view, node) ? embed_get(contribution, value, 0) / darts : 0;
  return survivor(m, places, node, remembered(m, index, node)) == node ? embed_get(contribution, value, 0) : 0;
}

// The weight of every part; a part weighs what its nodes do.
static bool weigh_parts(clv_column *column, const map_plan *plan, const map_orbits *o) {
  const map *m = column->map;
  if (!BASE_RESERVE(&m->allocator, &column->weights, o->parts.count)) return false;
  double *weights = column->weights.data;
  if (!column->def.contribution) {
    for (uint32_t k = 0; k < o->parts.count; k++) weights[k] = o->parts.data[k].weight;
    return true;
  }
  for (uint32_t k = 0; k < o->parts.count; k++) weights[k] = 0;
  for (uint32_t n = 0; n < o->orbits.count; n++) {
    const map_new_orbit *orbit = &o->orbits.data[n];
    for (uint32_t k = orbit->node_start; k < orbit->node_end && orbit->changed; k++) {
      const uint64_t old = map_old_name(m, column->index, o->nodes.data[k]);
      for (uint32_t p = orbit->part_start; p < orbit->part_end; p++)
        if (o->parts.data[p].old == old) weights[p] += node_weight(column, plan, o->nodes.data[k]);
    }
  }
  // Parts of deleted darts lie behind all others, in order of old name.
  uint32_t first = o->parts.count;
  while (first && o->parts.data[first - 1].orbit == MAP_NO_ORBIT) first--;
  for (uint32_t k = 0; k < o->lost.count; k++) {
    if (map_begot(m, map_block(m, o->lost.data[k].node))) continue;
    uint32_t low = first, high = o->parts.count;
    while (low + 1 < high) {
      const uint32_t middle = low + (high - low) / 2;
      if (o->parts.data[middle].old <= o->lost.data[k].old)
        low = middle;
      else
        high = middle;
    }
    weights[low] += node_weight(column, plan, o->lost.data[k].node);
  }
  return true;
}

// The shares of the old orbit that its parts have; equal ones where nothing weighs anything.
static bool share_parts(clv_column *column, const map_orbits *o) {
  if (!BASE_RESERVE(&column->map->allocator, &column->shares, o->parts.count)) return false;
  const double *weights = column->weights.data;
  for (uint32_t k = 0, end; k < o->by_old.count; k = end) {
    const uint64_t old = o->parts.data[o->by_old.data[k]].old;
    double total = 0;
    for (end = k; end < o->by_old.count && o->parts.data[o->by_old.data[end]].old == old; end++)
      total += weights[o->by_old.data[end]];
    for (uint32_t p = k; p < end; p++) {
      const uint32_t part = o->by_old.data[p];
      column->shares.data[part] = total > 0 ? weights[part] / total : 1.0 / (end - k);
    }
  }
  return true;
}

// New values

static void merge_parts(const embedding *e, const clv_column *column, const map_orbits *o, const map_new_orbit *orbit,
                        uint8_t *value) {
  const double *shares = column->shares.data, *weights = column->weights.data;
  uint32_t kept = orbit->part_start;
  for (uint32_t p = orbit->part_start; p < orbit->part_end; p++) {
    const map_part *part = &o->parts.data[p], *best = &o->parts.data[kept];
    if (part->old == orbit->keeps || (best->old != orbit->keeps && part->weight > best->weight)) kept = p;
  }
  const bool copied = e->rejoins && column->def.split == CLV_SPLIT_COPY && column->def.merge != CLV_MERGE_MEAN;
  const bool one = column->def.merge == CLV_MERGE_KEEP || copied || orbit->part_end - orbit->part_start == 1;
  if (one && column->def.split == CLV_SPLIT_COPY) {
    memcpy(value, embed_old_value(column, o->parts.data[kept].old), column->size);
    return;
  }
  const bool mean = column->def.merge == CLV_MERGE_MEAN && !one;
  double weight = 0;
  for (uint32_t p = orbit->part_start; mean && p < orbit->part_end; p++) weight += weights[p];
  for (uint32_t c = 0; c < column->def.components; c++) {
    double sum = 0;
    for (uint32_t p = orbit->part_start; p < orbit->part_end; p++) {
      if (one && p != kept) continue;
      const map_part *part = &o->parts.data[p];
      const double share = column->def.split == CLV_SPLIT_SHARE ? shares[p] : 1;
      const double factor = !mean ? 1 : weight > 0 ? weights[p] / weight : 1.0 / (orbit->part_end - orbit->part_start);
      sum += embed_get(column, embed_old_value(column, part->old), c) * share * factor;
    }
    embed_put(column, value, c, sum);
  }
}

// Only vertices come between others.
bool embed_blends(const clv_column *column) {
  return column->def.create == CLV_CREATE_MEAN && column->index->dims == clv_orbit_dims(&column->map->view, CLV_VERTEX);
}

// Vertices put between vertices. They come in the order of the log, so that where the ends are new themselves their
// values are known before; and by child, to be found.

static int compare_parents(const void *a, const void *b) {
  const embed_parents *p = a, *q = b;
  return (p->child > q->child) - (p->child < q->child);
}

static bool collect_parents(embedding *e, const map *m) {
  e->parents.count = e->heirs.count = 0;
  uint32_t last = 0;
  for (uint32_t n = 0; n < m->scratch->notable.count; n++) {
    const uint32_t k = m->scratch->notable.data[n];
    const map_write w = m->log.data[k];
    if (w.op == MAP_INHERIT && w.dart >> 6 != last) {
      if (!BASE_RESERVE(&m->allocator, &e->heirs, (uint64_t)e->heirs.count + 1)) return false;
      e->heirs.data[e->heirs.count++] = k;
    }
    last = w.op == MAP_INHERIT ? w.dart >> 6 : 0;
    if (w.op != MAP_PARENTS) continue;
    if (!BASE_RESERVE(&m->allocator, &e->parents, (uint64_t)e->parents.count + 1)) return false;
    e->parents.data[e->parents.count] = (embed_parents){w.dart, {w.before, w.after}, e->parents.count, k};
    e->parents.count++;
  }
  if (!e->parents.count) return true;
  if (!BASE_RESERVE(&m->allocator, &e->by_child, e->parents.count)) return false;
  memcpy(e->by_child.data, e->parents.data, e->parents.count * sizeof *e->parents.data);
  qsort(e->by_child.data, e->parents.count, sizeof *e->by_child.data, compare_parents);
  return true;
}

const embed_parents *embed_parents_of(const embedding *e, clv_dart child) {
  const embed_parents key = {.child = child};
  return e->parents.count ? bsearch(&key, e->by_child.data, e->parents.count, sizeof key, compare_parents) : NULL;
}

// The value at one end of a birth: of a vertex that was there before, or of one born earlier. *value stays NULL when it
// is neither.
static bool value_at_end(embedding *e, const clv_column *column, clv_dart end, const embed_parents *birth,
                         const uint8_t **value) {
  const map *m = column->map;
  *value = clv_column_at(column, end); // a dart that is gone still bears its ids
  if (*value) return true;
  if (!clv_dart_alive(&m->view, end)) return embed_recall_value(e, column, (embed_moment){end, birth->entry}, value);
  clv_walk orbit;
  map_walk_init(&orbit, m);
  const bool done = map_walk_darts(&orbit, m, column->index->dims, end);
  for (uint32_t k = 0; done && !*value && k < orbit.count; k++) {
    const embed_parents *parents = embed_parents_of(e, orbit.darts[k]);
    if (parents && parents->number < birth->number) *value = column->births.data + parents->number * column->size;
    if (!*value) *value = clv_column_at(column, orbit.darts[k]); // it was there before, and only this dart is new
  }
  clv_walk_end(&orbit);
  return done && (*value || embed_recall_value(e, column, (embed_moment){end, birth->entry}, value));
}

// The value of every vertex born in this transaction, in order.
static bool blend_births(embedding *e, clv_column *column) {
  if (!embed_reserve(column->map, &column->births, e->parents.count, column->size)) return false;
  for (uint32_t k = 0; k < e->parents.count; k++) {
    uint8_t *value = column->births.data + k * column->size;
    const uint8_t *ends[2];
    memcpy(value, column->def.initial, column->size);
    const embed_parents *birth = &e->parents.data[k];
    if (!value_at_end(e, column, birth->ends[0], birth, &ends[0])) return false;
    if (!value_at_end(e, column, birth->ends[1], birth, &ends[1])) return false;
    for (uint32_t c = 0; ends[0] && ends[1] && c < column->def.components; c++)
      embed_put(column, value, c, 0.5 * (embed_get(column, ends[0], c) + embed_get(column, ends[1], c)));
  }
  return true;
}

// The value a new orbit starts with. It may have come of one that was there, or was born, at darts that are gone. Where
// cells are only refined none has.
static bool create_value(embedding *e, const clv_column *column, const map_orbits *o, const map_new_orbit *orbit,
                         uint8_t *value) {
  const map *m = column->map;
  memcpy(value, column->def.initial, column->size);
  const embed_parents *parents = NULL;
  for (uint32_t k = orbit->node_start; k < orbit->node_end && embed_blends(column) && !parents; k++)
    parents = embed_parents_of(e, o->nodes.data[k]);
  const uint8_t *known = parents ? column->births.data + parents->number * column->size : NULL;
  const embed_moment now = {o->nodes.data[orbit->node_start], m->log.count};
  if (!known && embed_copies(column) && !m->scratch->plan.refined && embed_is_loose(e, m, o->dims) &&
      !embed_recall_value(e, column, now, &known))
    return false;
  if (known) memcpy(value, known, column->size);
  return true;
}

static clv_result call_policy(embedding *e, const clv_column *column, const map_orbits *o, const map_new_orbit *orbit,
                              uint8_t *value) {
  map *m = column->map;
  const uint32_t count = orbit->part_end - orbit->part_start;
  if (!BASE_RESERVE(&m->allocator, &e->parts, count)) return map_no_memory(m);
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t p = orbit->part_start + k;
    e->parts.data[k] = (clv_part){embed_old_value(column, o->parts.data[p].old), column->shares.data[p]};
  }
  column->def.policy(column->def.user, &m->view, o->nodes.data[orbit->node_start], e->parts.data, count, value);
  return CLV_OK;
}

// True when the orbit just goes on with the value it has.
static bool keeps_value(const clv_column *column, const map_orbits *o, const map_new_orbit *orbit) {
  return orbit->part_end - orbit->part_start == 1 && o->parts.data[orbit->part_start].old == orbit->keeps &&
         embed_copies(column);
}

static clv_result stage_orbit(embedding *e, clv_column *column, const map_orbits *o, const map_new_orbit *orbit,
                              uint8_t *value) {
  map *m = column->map;
  const uint32_t count = orbit->part_end - orbit->part_start;
  if (count == 0 && !create_value(e, column, o, orbit, value)) return map_no_memory(m);
  if (count && column->def.policy) memcpy(value, column->def.initial, column->size);
  if (column->def.policy) return call_policy(e, column, o, orbit, value);
  if (count > 1 && column->def.merge == CLV_MERGE_ERROR && !e->rejoins)
    return map_fail(m, CLV_ERROR_REFUSED, "column '%s' allows no merge: the orbit of dart %u would join %u values",
                    column->def.name, o->nodes.data[orbit->node_start], count);
  if (count) merge_parts(e, column, o, orbit, value);
  return CLV_OK;
}

// Rows of cells that were added hold their initial values before anything reads them.
static void fill_added(const clv_column *column) {
  const map *m = column->map;
  const map_words *fresh = &m->scratch->fresh;
  for (uint32_t k = 0; k < fresh->count; k++) {
    const clv_dart cell = fresh->data[k] << 6;
    const clv_page page = map_page(m, cell);
    const uint32_t count = clv_templates[page.kind].sub[column->index->inner].count;
    uint8_t *values = embed_row_value(column, page.kind, map_row(page, cell), 0);
    for (uint32_t s = 0; s < count; s++) memcpy(values + s * column->size, column->def.initial, column->size);
  }
}

// The value that an entry of the log hands down to, NULL when it does not concern the column.
static uint8_t *inherited_value(const clv_column *column, map_write w) {
  if (w.op != MAP_INHERIT || (column->index->dims & w.i) != w.i) return NULL;
  const clv_page page = map_page(column->map, w.dart);
  const uint32_t sub = clv_templates[page.kind].sub[column->index->inner].of[w.dart & 63u];
  return embed_row_value(column, page.kind, map_row(page, w.dart), sub);
}

// How many places of added cells go on with an old value.
static uint32_t count_heirs(const clv_column *column, uint64_t old) {
  const map *m = column->map;
  uint32_t count = 0;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const uint8_t *value = inherited_value(column, m->log.data[k]);
    bool first = value && map_old_name(m, column->index, m->log.data[k].before) == old;
    for (uint32_t e = k; first && e-- > 0;) first = inherited_value(column, m->log.data[e]) != value;
    count += first;
  }
  return count;
}

// Those that took the place of others have their values: a part of them where several share one, their sum or their
// mean where one has those of several.
static void take_part(const embedding *e, const clv_column *column, uint32_t k, uint8_t *value) {
  const map *m = column->map;
  const map_write *log = m->log.data;
  uint64_t old = 0; // a dart that came in this transaction has none
  for (uint32_t n = k; !old && n < m->log.count && log[n].op == MAP_INHERIT && log[n].dart >> 6 == log[k].dart >> 6;
       n++)
    if (inherited_value(column, log[n]) == value) old = map_old_name(m, column->index, log[n].before);
  if (!old) return;
  const bool computes =
      column->def.policy || column->def.split == CLV_SPLIT_SHARE || (e->rejoins && column->def.merge == CLV_MERGE_MEAN);
  if (!computes) {
    memcpy(value, embed_old_value(column, old), column->size);
    return;
  }
  clv_part parts[8];
  uint64_t olds[8];
  uint32_t count = 0;
  for (uint32_t n = k; n < m->log.count && count < 8; n++) {
    const uint64_t other = inherited_value(column, log[n]) == value ? map_old_name(m, column->index, log[n].before) : 0;
    bool known = !other;
    for (uint32_t p = 0; p < count; p++) known |= olds[p] == other;
    if (known) continue;
    olds[count] = other;
    const bool shares = column->def.policy || column->def.split == CLV_SPLIT_SHARE;
    parts[count++] = (clv_part){embed_old_value(column, other), shares ? 1.0 / count_heirs(column, other) : 1};
  }
  if (column->def.policy) {
    column->def.policy(column->def.user, &m->view, log[k].dart, parts, count, value);
    return;
  }
  const bool mean = column->def.merge == CLV_MERGE_MEAN && column->def.split == CLV_SPLIT_COPY;
  for (uint32_t c = 0; c < column->def.components; c++) {
    double sum = 0;
    for (uint32_t p = 0; p < count; p++)
      sum += embed_get(column, parts[p].value, c) * (column->def.split == CLV_SPLIT_SHARE ? parts[p].share : 1);
    embed_put(column, value, c, mean ? sum / count : sum);
  }
}

// The places of one added cell: the first entry that tells of one is the one that counts. Entries of a cell follow one
// another.
static void fill_heir(const embedding *e, const clv_column *column, uint32_t k) {
  const map *m = column->map;
  const map_write *log = m->log.data;
  const uint32_t block = log[k].dart >> 6, dims = column->index->dims;
  const clv_page page = map_page(m, log[k].dart);
  const clv_suborbits *sub = &clv_templates[page.kind].sub[column->index->inner];
  uint8_t *values = embed_row_value(column, page.kind, map_row(page, log[k].dart), 0);
  uint64_t left = (UINT64_C(1) << sub->count) - 1;
  for (; left && k < m->log.count && log[k].op == MAP_INHERIT && log[k].dart >> 6 == block; k++) {
    const uint32_t place = sub->of[log[k].dart & 63u];
    if (!(left >> place & 1u) || (dims & log[k].i) != log[k].i) continue;
    left &= ~(UINT64_C(1) << place);
    take_part(e, column, k, values + place * column->size);
  }
}

// A value of a whole cell that is copied comes straight from the row of the cell it was before.
static void copy_cells(const embedding *e, const clv_column *column) {
  const map *m = column->map;
  for (uint32_t k = 0; k < e->heirs.count; k++) {
    const map_write w = m->log.data[e->heirs.data[k]];
    const clv_dart parent = map_block(m, w.before) << 6;
    const clv_page to = map_page(m, w.dart), from = map_page(m, parent);
    memcpy(embed_row_value(column, to.kind, map_row(to, w.dart), 0),
           embed_row_value(column, from.kind, map_row(from, parent), 0), column->size);
  }
}

static void fill_inherited(const embedding *e, const clv_column *column) {
  const bool whole = column->index->dims == clv_orbit_dims(&column->map->view, CLV_CELL);
  if (whole && !e->rejoins && embed_copies(column)) {
    copy_cells(e, column);
    return;
  }
  for (uint32_t k = 0; k < e->heirs.count; k++) fill_heir(e, column, e->heirs.data[k]);
}

static bool reserve_column(clv_column *column, const map_plan *plan) {
  const map *m = column->map;
  const map_orbits *o = &plan->orbits[column->index->dims];
  if (!embed_reserve(m, &column->slots, (uint64_t)column->index->count + o->fresh, column->size)) return false;
  const uint32_t least = column->index->crossing ? 0 : CLV_TEMPLATE_DARTS; // settling stages one cell
  if (!embed_reserve(m, &column->staged, o->orbits.count > least ? o->orbits.count : least, column->size)) return false;
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES && !column->index->crossing; kind++) {
    const uint64_t rows = (uint64_t)m->rows[kind].count + plan->rows[kind];
    if (!embed_reserve(m, &column->rows[kind], rows * clv_templates[kind].sub[column->index->inner].count,
                       column->size))
      return false;
  }
  return true;
}

static clv_result prepare_column(embedding *e, clv_column *column, const map_plan *plan) {
  const map_orbits *o = &plan->orbits[column->index->dims];
  if (!column->index->crossing && !plan->inner_changed && !plan->cells_added) return CLV_OK;
  if (!reserve_column(column, plan)) return map_no_memory(column->map);
  if (!column->index->crossing) fill_added(column);
  if (!column->index->crossing && plan->inherited) fill_inherited(e, column);
  const bool shares = column->def.policy || column->def.split == CLV_SPLIT_SHARE;
  const bool weighs = shares || column->def.merge == CLV_MERGE_MEAN;
  if (weighs && !weigh_parts(column, plan, o)) return map_no_memory(column->map);
  if (shares && !share_parts(column, o)) return map_no_memory(column->map);
  if (embed_blends(column) && e->parents.count && !blend_births(e, column)) return map_no_memory(column->map);
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < o->orbits.count; k++)
    if (o->orbits.data[k].changed && !keeps_value(column, o, &o->orbits.data[k]))
      result = stage_orbit(e, column, o, &o->orbits.data[k], column->staged.data + k * column->size);
  return result;
}

clv_result embed_prepare(void *self, map *m, const map_plan *plan) {
  embedding *e = self;
  e->rejoins = plan->gathered;
  e->loosened_is_known = e->passages_are_known = false;
  if (!collect_parents(e, m) || !embed_state_values(e, m, plan)) return map_no_memory(m);
  clv_result result = CLV_OK;
  for (uint32_t pass = 0; pass < 2; pass++) // inner columns first: their new rows are read by the others' weights
    for (uint32_t k = 0; result == CLV_OK && k < e->columns.count; k++)
      if (e->columns.data[k]->index->crossing == (pass == 1)) result = prepare_column(e, e->columns.data[k], plan);
  return result;
}

// Applying

static void recompute(clv_column *column, const map_orbits *o, const map_new_orbit *orbit, uint8_t *value) {
  const clv_column *contribution = column->def.contribution;
  for (uint32_t c = 0; c < column->def.components; c++) {
    double sum = 0;
    for (uint32_t k = orbit->node_start; k < orbit->node_end; k++)
      if (remembered(column->map, contribution->index, o->nodes.data[k]) == o->nodes.data[k])
        sum += embed_get(contribution, clv_column_at(contribution, o->nodes.data[k]), c);
    embed_put(column, value, c, sum);
  }
}

static void destroy_dropped(const clv_column *column) {
  for (uint32_t k = 0; column->def.destroy && !column->index->crossing && k < column->map->log.count; k++) {
    const map_write w = column->map->log.data[k];
    if (w.op != MAP_CELL_DROP) continue;
    const clv_page page = map_page(column->map, w.dart);
    for (uint32_t s = 0; s < clv_templates[page.kind].sub[column->index->inner].count; s++)
      column->def.destroy(column->def.user, &column->map->view,
                          embed_row_value(column, page.kind, map_row(page, w.dart), s));
  }
}

static void destroy_old(clv_column *column, const map_orbits *o) {
  for (uint32_t k = 0, end; column->def.destroy && k < o->by_old.count; k = end) {
    const uint64_t old = o->parts.data[o->by_old.data[k]].old;
    bool kept = false;
    for (end = k; end < o->by_old.count && o->parts.data[o->by_old.data[end]].old == old; end++) {
      const map_part *part = &o->parts.data[o->by_old.data[end]];
      kept |= part->orbit != MAP_NO_ORBIT && o->orbits.data[part->orbit].keeps == old;
    }
    if (!kept) column->def.destroy(column->def.user, &column->map->view, embed_old_value(column, old));
  }
  destroy_dropped(column);
}

static void apply_column(clv_column *column, const map_plan *plan) {
  const map_orbits *o = &plan->orbits[column->index->dims];
  destroy_old(column, o);
  for (uint32_t k = 0; k < o->orbits.count; k++) {
    const map_new_orbit *orbit = &o->orbits.data[k];
    if (!orbit->changed || keeps_value(column, o, orbit)) continue;
    uint8_t *value =
        orbit->keeps ? embed_old_value(column, orbit->keeps) : column->slots.data + (size_t)orbit->id * column->size;
    if (column->def.merge == CLV_MERGE_RECOMPUTE && !column->def.policy)
      recompute(column, o, orbit, value);
    else
      memcpy(value, column->staged.data + k * column->size, column->size);
  }
}

void embed_apply_set(embedding *e, const map *m, bool crossing) {
  for (uint32_t k = 0; k < e->stated.count; k++) {
    const map_write w = m->log.data[e->stated.data[k].moment];
    const clv_column *column = e->columns.data[w.before];
    if (column->index->crossing == crossing)
      memcpy(clv_column_at(column, e->stated.data[k].dart), m->payload.data + w.after, column->size);
  }
}

void embed_apply(void *self, map *m, const map_plan *plan) {
  embedding *e = self;
  for (uint32_t pass = 0; pass < 2; pass++) {
    for (uint32_t k = 0; k < e->columns.count; k++)
      if (e->columns.data[k]->index->crossing == (pass == 1)) apply_column(e->columns.data[k], plan);
    if (plan->values_set) embed_apply_set(e, m, pass == 1);
  }
}

// What comes off an orbit has its values

bool embed_reserve_copies(void *self, map *m, const uint32_t more[MAP_INDICES]) {
  const embedding *e = self;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    clv_column *column = e->columns.data[k];
    if (!column->index->crossing) continue;
    const uint64_t need = (uint64_t)column->index->count + more[column->index->dims];
    if (need > column->slots.capacity && !embed_reserve(m, &column->slots, need, column->size)) return false;
    CLV_PREFETCH(column->slots.data + (need - 1) * column->size); // soon to be written, and in no cache
  }
  return true;
}

// What was parted comes sort by sort. Values lie all over the memory: they are asked for ahead.
void embed_copy(void *self, const map_parted *parted, uint32_t count) {
  enum { AHEAD = 16 };
  const embedding *e = self;
  for (uint32_t first = 0, end; first < count; first = end) {
    const map_index *index = parted[first].index;
    for (end = first + 1; end < count && parted[end].index == index;) end++;
    for (uint32_t k = 0; k < e->columns.count; k++) {
      const clv_column *column = e->columns.data[k];
      if (column->index != index) continue;
      const size_t size = column->size;
      uint8_t *values = column->slots.data;
      for (uint32_t p = first; p < end; p++) {
        if (end - p > AHEAD) CLV_PREFETCH(values + parted[p + AHEAD].from * size);
        embed_copy_value(values + parted[p].to * size, values + parted[p].from * size, size);
      }
    }
  }
}

void embed_expect(void *self, const map_index *index, const uint32_t *ids, uint32_t count) {
  const embedding *e = self;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    if (column->index != index) continue;
    const size_t size = column->size;
    const uint8_t *values = column->slots.data;
    for (uint32_t n = 0; n < count; n++) {
      CLV_PREFETCH(values + ids[n] * size);
      CLV_PREFETCH(values + ids[n] * size + size - 1);
    }
  }
}

void embed_lose(void *self, map *m, const map_gone *gone, uint32_t count) {
  const embedding *e = self;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    if (!column->def.destroy) continue;
    destroy_dropped(column);
    for (uint32_t g = 0; g < count; g++)
      if (gone[g].index == column->index)
        column->def.destroy(column->def.user, &m->view, column->slots.data + (size_t)gone[g].id * column->size);
  }
}

void embed_settle(void *self, map *m, clv_kind kind, uint32_t row, const clv_dart *source) {
  embedding *e = self;
  (void)m;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    if (column->index->crossing) continue;
    // An extended cell may hold its own row's slots in another order than it settles in: read all before writing any.
    const clv_suborbits *sub = &clv_templates[kind].sub[column->index->inner];
    uint8_t *staged = column->staged.data;
    for (uint32_t s = 0; s < sub->count; s++)
      memcpy(staged + s * column->size, clv_column_at(column, source[sub->first[s]]), column->size);
    memcpy(embed_row_value(column, kind, row, 0), staged, sub->count * column->size);
  }
}

clv_result embed_check(void *self, const map *m, void (*report)(void *, const clv_problem *), void *user) {
  const embedding *e = self;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; k < e->columns.count; k++) {
    const clv_column *column = e->columns.data[k];
    bool room = column->slots.capacity >= column->index->count;
    for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES && !column->index->crossing; kind++)
      room &= column->rows[kind].capacity >= m->rows[kind].count * clv_templates[kind].sub[column->index->inner].count;
    clv_problem problem = {.condition = "column-size", .message = "a column has fewer values than its orbit has slots"};
    if (!room && report) report(user, &problem);
    if (!room) result = CLV_ERROR_INVALID;
  }
  return result;
}
