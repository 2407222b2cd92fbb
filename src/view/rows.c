// Rows that come and go; table.h tells the idea.

#include "view/table.h"

static uint32_t reference_of(const view_table *table, const view_slab *slab, uint32_t row) {
  return ((uint32_t)(slab - table->slabs) << VIEW_ROW_BITS | row) + 1;
}

// Vertices

// How many of the tail have a lesser slot.
static uint32_t search_tail(const view_slab *slab, uint32_t slot) {
  uint32_t low = 0;
  for (uint32_t high = slab->tail.count; low < high;) {
    const uint32_t middle = low + (high - low) / 2;
    if (slab->vertices.data[slab->tail.data[middle]] < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static uint32_t search_vertex(const view_slab *slab, uint32_t slot) {
  const uint32_t count = slab->vertices.count, *vertices = slab->vertices.data;
  uint32_t low = 0; // which half it lies in no processor can guess: there is no branch for it
  for (uint32_t left = slab->ordered; left > 1; left -= left / 2)
    low += (vertices[low + left / 2 - 1] < slot) * (left / 2);
  if (low < slab->ordered && vertices[low] < slot) low++;
  if (low < slab->ordered && vertices[low] == slot) return low;
  const uint32_t at = search_tail(slab, slot);
  return at < slab->tail.count && vertices[slab->tail.data[at]] == slot ? slab->tail.data[at] : count;
}

static uint32_t find_vertex(const view_slab *slab, uint32_t slot) {
  const uint32_t count = slab->vertices.count, *vertices = slab->vertices.data;
  if (slot > slab->greatest) return count; // as most new ones are
  const bool there = slab->consecutive && slot - vertices[0] < count;
  return there ? slot - vertices[0] : slab->consecutive ? count : search_vertex(slab, slot);
}

// A new vertex is the last of the slab, and in most cases its slot is the greatest.
static void append_vertex(view_slab *slab, uint32_t slot) {
  const uint32_t number = slab->vertices.count++;
  const uint32_t at = slot > slab->greatest ? slab->tail.count : search_tail(slab, slot);
  slab->vertices.data[number] = slot;
  slab->uses.data[slab->uses.count++] = 0;
  uint32_t *place = slab->tail.data + at;
  memmove(place + 1, place, (slab->tail.count++ - at) * sizeof *place);
  *place = number;
  slab->greatest = slot > slab->greatest ? slot : slab->greatest;
  slab->built = false;
}

static uint32_t use_vertex_anew(view_slab *slab, uint32_t slot) {
  const uint32_t at = find_vertex(slab, slot);
  slab->recent[slot % VIEW_RECENT] = at;
  if (at == slab->vertices.count) {
    slab->consecutive = at == 0 || (slab->consecutive && slot == slab->vertices.data[at - 1] + 1);
    append_vertex(slab, slot);
  } else if (!slab->uses.data[at]) {
    slab->unused--;
  }
  slab->uses.data[at]++;
  return at;
}

// The number of a vertex in the slab, used once more. There is room. Rows that come together name the same few vertices
// again and again.
static inline uint32_t use_vertex(view_slab *slab, uint32_t slot) {
  const uint32_t at = slab->recent[slot % VIEW_RECENT];
  if (at >= slab->vertices.count || slab->vertices.data[at] != slot || !slab->uses.data[at])
    return use_vertex_anew(slab, slot);
  slab->uses.data[at]++;
  return at;
}

static void lose_vertex(view_slab *slab) {
  slab->unused++;
  slab->built = false;
}

// What a place is to be that names a vertex.
static uint32_t place_of(view_slab *slab, uint32_t slot) {
  return slab->loose ? slot : KERNEL_STRIDE * use_vertex(slab, slot);
}

// Lets a place name a vertex, if it does not.
static void name_vertex(view_slab *slab, uint32_t *place, uint32_t slot) {
  if (!slab->loose) {
    const uint32_t number = view_place_number(*place);
    if (slab->vertices.data[number] == slot) return;
    if (--slab->uses.data[number] == 0) lose_vertex(slab);
  }
  *place = place_of(slab, slot);
}

static void drop_uses(view_table *table, view_slab *slab, uint32_t row) {
  if (slab->loose) return;
  for (uint32_t p = 0; p < table->particles; p++) {
    uint32_t *uses = &slab->uses.data[view_place_number(*view_row_place(table, slab, row, p))];
    if (--*uses == 0) lose_vertex(slab);
  }
}

static inline bool is_tail_long(const view_slab *slab) {
  return slab->tail.count >= VIEW_LONG_TAIL && slab->tail.count >= slab->ordered;
}

static bool make_room(view_table *table, view_workshop *shop, view_slab *slab) {
  const clv_allocator *a = &shop->allocator;
  if (is_tail_long(slab) && !view_slab_order(table, shop, slab)) return false;
  const uint64_t need = (uint64_t)slab->vertices.count + table->particles;
  return BASE_RESERVE(a, &slab->vertices, need) && BASE_RESERVE(a, &slab->uses, need) &&
         BASE_RESERVE(a, &slab->tail, (uint64_t)slab->tail.count + table->particles);
}

// For the vertices of one more row.
static inline bool reserve_vertices(view_table *table, view_workshop *shop, view_slab *slab) {
  const uint32_t need = slab->vertices.count + table->particles;
  const bool room = !is_tail_long(slab) && need <= slab->vertices.capacity && need <= slab->uses.capacity &&
                    slab->tail.count + table->particles <= slab->tail.capacity;
  return room || slab->loose || make_room(table, shop, slab);
}

// Rows

static bool reserve_row(view_table *table, view_slab *slab, const clv_allocator *a) {
  if (slab->rows < slab->capacity) return true;
  const size_t old = slab->capacity, room = (old + old / 2 + VIEW_LANES) / VIEW_LANES * VIEW_LANES;
  if (room > VIEW_ROW_MASK) return false;
  const size_t places = table->particles * sizeof(uint32_t), constants = table->constants * sizeof(double);
  if (!view_memory_extend(&slab->places, a, old * places, room * places, VIEW_PLACES_TURN)) return false;
  if (!view_memory_extend(&slab->constants, a, old * constants, room * constants, VIEW_CONSTANTS_TURN)) return false;
  if (!BASE_RESERVE(a, &slab->bases, room) || !BASE_RESERVE(a, &slab->keys, room) ||
      !BASE_RESERVE(a, &slab->nexts, room))
    return false;
  slab->capacity = (uint32_t)room;
  return true;
}

// What the workshop has just read becomes the row's vertices and constants.
static void write_row(view_table *table, view_workshop *shop, view_slab *slab, uint32_t row) {
  uint32_t slots[LAW_PARTICLES];
  view_row_compute(table, shop, slots, view_row_constant(table, slab, row, 0), VIEW_LANES);
  for (uint32_t p = 0; p < table->particles; p++) *view_row_place(table, slab, row, p) = place_of(slab, slots[p]);
}

static bool reserve_key(view_table *table, const clv_allocator *a, uint32_t key) {
  const uint32_t had = table->row_of_key.count;
  if (key < had) return true;
  if (!BASE_RESERVE(a, &table->row_of_key, (uint64_t)key + 1)) return false;
  memset(table->row_of_key.data + had, 0, (key + 1 - had) * sizeof *table->row_of_key.data);
  table->row_of_key.count = key + 1;
  return true;
}

bool view_table_reserve_keys(view_table *table, const clv_allocator *a) {
  return !table->site.crossing || reserve_key(table, a, table->site.index->count - 1);
}

// A row at the end, whose vertices and constants are to be written.
static inline bool make_row(view_table *table, view_workshop *shop, view_slab *slab, uint32_t key, clv_dart base) {
  const clv_allocator *a = &shop->allocator;
  if (!reserve_row(table, slab, a) || !reserve_vertices(table, shop, slab) || !reserve_key(table, a, key)) return false;
  const uint32_t row = slab->rows++;
  table->rows++;
  slab->bases.data[row] = base;
  slab->keys.data[row] = key;
  slab->nexts.data[row] = table->row_of_key.data[key];
  table->row_of_key.data[key] = reference_of(table, slab, row);
  return true;
}

// Behind a row that is the first of its batch.
static void begin_batch(const view_table *table, view_slab *slab) {
  if (slab->rows % VIEW_LANES != 1) return;
  view_slab_fill(table, slab);
  view_constants_fill(table, view_row_constant(table, slab, slab->rows - 1, 0), 1);
}

static bool add_row(view_table *table, view_workshop *shop, view_slab *slab, uint32_t key, clv_dart base) {
  if (!make_row(table, shop, slab, key, base)) return false;
  write_row(table, shop, slab, slab->rows - 1);
  begin_batch(table, slab);
  return true;
}

// The link that leads to a row: its key's, or that of another row of the key.
static uint32_t *link_to(view_table *table, uint32_t key, uint32_t reference) {
  uint32_t *link = &table->row_of_key.data[key];
  while (*link != reference) link = &view_row_slab(table, *link)->nexts.data[view_row_number(*link)];
  return link;
}

static void move_row(view_table *table, view_slab *slab, uint32_t from, uint32_t to) {
  *link_to(table, slab->keys.data[from], reference_of(table, slab, from)) = reference_of(table, slab, to);
  slab->bases.data[to] = slab->bases.data[from];
  slab->keys.data[to] = slab->keys.data[from];
  slab->nexts.data[to] = slab->nexts.data[from];
  for (uint32_t p = 0; p < table->particles; p++)
    *view_row_place(table, slab, to, p) = *view_row_place(table, slab, from, p);
  for (uint32_t c = 0; c < table->constants; c++)
    *view_row_constant(table, slab, to, c) = *view_row_constant(table, slab, from, c);
}

static void drop_row(view_table *table, uint32_t reference) {
  view_slab *slab = view_row_slab(table, reference);
  const uint32_t row = view_row_number(reference);
  drop_uses(table, slab, row);
  *link_to(table, slab->keys.data[row], reference) = slab->nexts.data[row];
  const uint32_t last = --slab->rows;
  table->rows--;
  if (row != last) move_row(table, slab, last, row);
}

void view_table_drop(view_table *table, uint32_t key) {
  while (view_row_of_key(table, key)) drop_row(table, view_row_of_key(table, key));
}

static view_slab *smallest_slab(const view_table *table) {
  view_slab *best = table->slabs;
  for (uint32_t s = 1; s < table->slab_count; s++)
    if (table->slabs[s].rows < best->rows) best = &table->slabs[s];
  return best;
}

// Rows that lie together share vertices, as long as no slab gets much more to do than others.
static inline view_slab *roomy_slab(const view_table *table, view_slab *slab) {
  if (table->slab_count == 1) return slab;
  return slab->rows > 2 * (table->rows / table->slab_count) + VIEW_TAIL ? smallest_slab(table) : slab;
}

static view_slab *slab_for(const view_table *table, uint32_t key, uint32_t like) {
  const uint32_t own = view_row_of_key(table, key), other = view_row_of_key(table, like);
  if (table->slab_count == 1) return table->slabs;
  if (own) return view_row_slab(table, own);
  return roomy_slab(table, other ? view_row_slab(table, other) : smallest_slab(table));
}

// A key with one row: it stays where it is.
static bool update_one(view_table *table, view_workshop *shop, view_slab *slab, uint32_t key, clv_dart dart) {
  const view_site *site = &table->site;
  const uint32_t reference = view_row_of_key(table, key), row = reference ? view_row_number(reference) : 0;
  if (reference) { // the row goes on from its own base, if that still is there
    const clv_dart base = slab->bases.data[row];
    if (dart && clv_dart_alive(&site->map->view, base) && view_site_key(site, base) == key) dart = base;
  }
  const clv_dart base = dart ? view_site_base(site, dart) : CLV_NO_DART;
  if (base) view_site_read(site, base, &shop->reading);
  const bool holds = base && view_site_holds(site, shop->params, &shop->reading);
  if (!holds) {
    if (reference) drop_row(table, reference);
    return true;
  }
  if (!reference) return add_row(table, shop, slab, key, base);
  if (!reserve_vertices(table, shop, slab)) return false;
  drop_uses(table, slab, row);
  slab->bases.data[row] = base;
  write_row(table, shop, slab, row);
  return true;
}

typedef struct adding {
  view_table *table;
  view_workshop *shop;
  view_slab *slab;
  uint32_t key;
} adding;

static bool add_if_it_holds(void *user, clv_dart dart) {
  const adding *a = user;
  const clv_dart base = view_site_base(&a->table->site, dart);
  view_site_read(&a->table->site, base, &a->shop->reading);
  if (!view_site_holds(&a->table->site, a->shop->params, &a->shop->reading)) return true;
  return add_row(a->table, a->shop, a->slab, a->key, base);
}

bool view_table_update(view_table *table, view_workshop *shop, uint32_t key, clv_dart dart, uint32_t like) {
  const view_site *site = &table->site;
  view_slab *slab = slab_for(table, key, like);
  if (site->crossing || site->whole) return update_one(table, shop, slab, key, dart);
  view_table_drop(table, key);
  adding a = {table, shop, slab, key};
  return !dart || view_site_in_cell(site, key, add_if_it_holds, &a);
}

// Many keys

// Inputs of the conditions at some bases, where all of them are values of orbits that cross cells.
static bool fill_conditions(const view_site *site, view_reading *reading, const clv_dart *bases, uint32_t lanes) {
  const view_code *code = &site->conditions;
  double *values = reading->condition_values.data;
  for (uint32_t k = 0; k < code->inputs.count; k++) {
    const view_input *input = &code->inputs.data[k];
    if (input->op != DAG_READ || !site->fetches.data[input->index].column->index->crossing) return false;
  }
  if (!view_site_read_lanes(site, bases, lanes, reading)) return false;
  for (uint32_t k = 0; k < code->inputs.count; k++) {
    const view_fetch *fetch = &site->fetches.data[code->inputs.data[k].index];
    const uint32_t *slots = reading->lane_slots.data + fetch->spot * VIEW_LANES;
    for (uint32_t lane = 0; lane < lanes; lane++)
      values[code->inputs.data[k].to * VIEW_LANES + lane] = embed_get(
          fetch->column, fetch->column->slots.data + (size_t)slots[lane] * fetch->column->size, fetch->component);
  }
  return true;
}

// Whether the law has rows at some bases, side by side where that can be done.
static void ask(const view_site *site, view_workshop *shop, const clv_dart *bases, uint32_t lanes, bool *holds) {
  const view_code *code = &site->conditions;
  view_reading *reading = &shop->reading;
  double *values = reading->condition_values.data;
  for (uint32_t lane = 0; lane < lanes; lane++) holds[lane] = true;
  const bool alone = view_site_asks_values_alone(site);
  if (alone && !code->roots.count) return;
  if (alone && fill_conditions(site, reading, bases, lanes)) {
    view_code_start(code, shop->params, values);
    view_code_run(code, lanes, values);
    for (uint32_t k = 0; k < code->roots.count; k++)
      for (uint32_t lane = 0; lane < lanes; lane++)
        holds[lane] = holds[lane] && view_code_result(code, values, k, lane) != 0;
    return;
  }
  for (uint32_t lane = 0; lane < lanes; lane++) {
    holds[lane] = !view_site_excludes(site, bases[lane]);
    if (!holds[lane] || (view_site_fits_all(site) && map_dart_plain(site->map, bases[lane]))) continue;
    view_site_read(site, bases[lane], reading);
    holds[lane] = view_site_holds(site, shop->params, reading);
  }
}

// What was computed for some rows, lane by lane.
typedef struct computed {
  uint32_t slots[LAW_PARTICLES * VIEW_LANES];
  const double *constants;
} computed;

static void put_constants(const view_table *table, const view_slab *slab, uint32_t row, const computed *from,
                          uint32_t lane) {
  const double *constants = from->constants + lane;
  double *to = view_row_constant(table, slab, row, 0);
  for (uint32_t c = 0, count = table->constants; c < count; c++) to[c * KERNEL_LANES] = constants[c * VIEW_LANES];
}

static bool put_new_row(view_table *table, view_workshop *shop, const view_touched_key *key, clv_dart base,
                        const computed *from, uint32_t lane) {
  view_slab *slab = slab_for(table, key->key, key->like);
  if (!make_row(table, shop, slab, key->key, base)) return false;
  const uint32_t row = slab->rows - 1;
  uint32_t *places = view_row_place(table, slab, row, 0);
  put_constants(table, slab, row, from, lane);
  for (uint32_t p = 0, count = table->particles; p < count; p++)
    places[p * KERNEL_LANES] = place_of(slab, from->slots[p * VIEW_LANES + lane]);
  begin_batch(table, slab);
  return true;
}

bool view_table_copy_constants(view_table *table, view_workshop *shop, uint32_t key, clv_dart base, uint32_t from) {
  view_slab *slab = roomy_slab(table, view_row_slab(table, from));
  if (!make_row(table, shop, slab, key, base)) return false;
  const double *constants = view_row_constant(table, view_row_slab(table, from), view_row_number(from), 0);
  double *to = view_row_constant(table, slab, slab->rows - 1, 0);
  const bool first = slab->rows % VIEW_LANES == 1; // of its batch: the lanes behind it get all it has
  const uint32_t count = first ? table->constants : table->own.others.count;
  for (uint32_t k = 0; k < count; k++) {
    const size_t c = (first ? k : table->own.others.data[k]) * KERNEL_LANES;
    to[c] = constants[c];
  }
  if (first) view_constants_fill(table, to, 1);
  return true;
}

bool view_table_copy(view_table *table, view_workshop *shop, uint32_t key, clv_dart base, uint32_t like) {
  if (!view_table_copy_constants(table, shop, key, base, view_row_of_key(table, like))) return false;
  view_slab *slab = view_row_slab(table, view_row_of_key(table, key));
  view_site_read(&table->site, base, &shop->reading);
  for (uint32_t p = 0; p < table->particles; p++)
    *view_row_place(table, slab, slab->rows - 1, p) =
        place_of(slab, shop->reading.places.data[table->site.particles.data[p]].slot);
  if (slab->rows % VIEW_LANES == 1) view_slab_fill(table, slab);
  return true;
}

// A key with one row at the most.
static bool put_row(view_table *table, view_workshop *shop, const view_touched_key *key, clv_dart base,
                    const computed *from, uint32_t lane) {
  const uint32_t reference = view_row_of_key(table, key->key), row = reference ? view_row_number(reference) : 0;
  if (!reference) return put_new_row(table, shop, key, base, from, lane);
  view_slab *slab = view_row_slab(table, reference);
  if (!reserve_vertices(table, shop, slab)) return false;
  uint32_t *places = view_row_place(table, slab, row, 0);
  slab->bases.data[row] = base;
  put_constants(table, slab, row, from, lane);
  for (uint32_t p = 0, count = table->particles; p < count; p++)
    name_vertex(slab, &places[p * KERNEL_LANES], from->slots[p * VIEW_LANES + lane]);
  return true;
}

// The dart that the row of a key starts from: its own, if that still is there.
static clv_dart base_for(const view_table *table, const view_touched_key *key) {
  const view_site *site = &table->site;
  const uint32_t reference = view_row_of_key(table, key->key);
  clv_dart dart = key->dart;
  if (reference) {
    const clv_dart base = view_row_slab(table, reference)->bases.data[view_row_number(reference)];
    if (clv_dart_alive(&site->map->view, base) && view_site_key(site, base) == key->key) dart = base;
  }
  return site->whole || site->face || site->law->oriented ? view_site_base(site, dart) : dart;
}

// Keys whose rows are made side by side.
typedef struct batch {
  uint32_t lanes;
  view_touched_key keys[VIEW_LANES];
  clv_dart bases[VIEW_LANES];
  view_edges edges; // of two-ended rows
} batch;

// Which of them have rows, as bits.
static uint32_t ask_batch(const view_table *table, view_workshop *shop, const batch *b) {
  bool holds[VIEW_LANES];
  uint32_t kept = 0;
  if (table->own.alone) return view_own_ask(&table->site, shop, b->keys, b->lanes);
  ask(&table->site, shop, b->bases, b->lanes, holds);
  for (uint32_t lane = 0; lane < b->lanes; lane++) kept |= (uint32_t)holds[lane] << lane;
  return kept;
}

// The others lose theirs.
static uint32_t drop_others(view_table *table, view_workshop *shop, const batch *b) {
  const uint32_t kept = ask_batch(table, shop, b);
  for (uint32_t lane = 0; lane < b->lanes && kept + 1 != 1u << b->lanes; lane++) {
    const uint32_t reference = kept >> lane & 1u ? 0 : view_row_of_key(table, b->keys[lane].key);
    if (reference) drop_row(table, reference);
  }
  return kept;
}

// Lanes that are kept move together.
static void pack(batch *b, uint32_t kept) {
  uint32_t count = 0;
  for (uint32_t lane = 0; lane < b->lanes; lane++) {
    b->bases[count] = b->bases[lane];
    b->keys[count] = b->keys[lane];
    count += kept >> lane & 1u;
  }
  b->lanes = count;
}

static void pack_edges(view_edges *edges, uint32_t lanes, uint32_t kept) {
  for (uint32_t lane = 0, count = 0; lane < lanes; lane++) {
    edges->ids[count] = edges->ids[lane];
    edges->ends[0][count] = edges->ends[0][lane];
    edges->ends[1][count] = edges->ends[1][lane];
    count += kept >> lane & 1u;
  }
}

// Puts what was computed of them in their rows.
static bool put_batch(view_table *table, view_workshop *shop, batch *b, const computed *rows) {
  for (uint32_t lane = 0; lane < b->lanes; lane++)
    if (!put_row(table, shop, &b->keys[lane], b->bases[lane], rows, lane)) return false;
  b->lanes = 0;
  return true;
}

static bool refresh_batch(view_table *table, view_workshop *shop, batch *b) {
  computed rows;
  if (!b->lanes) return true;
  rows.constants = shop->constants.data;
  const uint32_t kept = drop_others(table, shop, b);
  if (kept + 1 != 1u << b->lanes) pack(b, kept);
  if (b->lanes) view_rows_compute(table, shop, b->bases, b->lanes, rows.slots, shop->constants.data);
  return put_batch(table, shop, b, &rows);
}

static bool refresh_edges(view_table *table, view_workshop *shop, batch *b) {
  computed rows;
  if (!b->lanes) return true;
  rows.constants = shop->constants.data;
  const uint32_t kept = drop_others(table, shop, b);
  if (kept + 1 != 1u << b->lanes) {
    pack_edges(&b->edges, b->lanes, kept);
    pack(b, kept);
  }
  if (b->lanes) view_rows_compute_edges(table, shop, &b->edges, b->lanes, rows.slots, shop->constants.data);
  return put_batch(table, shop, b, &rows);
}

// A two-ended row, at an edge of a plain cell: false where it is left to others.
static inline bool take_edge(const view_table *table, batch *b, const view_touched_key *key, uint32_t reference) {
  const uint32_t lane = b->lanes;
  view_edge edge;
  if (!view_edge_at(table->site.map, key->dart, &edge)) return false;
  const view_look look = reference ? view_own_look(table, reference, edge.ends) : VIEW_STRAIGHT;
  if (look == VIEW_UNTOLD) return false;
  b->bases[lane] = edge.darts[look];
  b->keys[lane] = *key;
  b->edges.ids[lane] = key->key;
  b->edges.ends[0][lane] = edge.ends[look];
  b->edges.ends[1][lane] = edge.ends[1 - look];
  b->lanes++;
  return true;
}

// Rows that come go to those of neighbours that are there: keys that follow one another mostly lie together.
static uint32_t first_seated(const view_table *table, const view_touched_key *keys, uint32_t count) {
  for (uint32_t k = 0; k < count; k++)
    if (view_row_of_key(table, keys[k].key)) return keys[k].key;
  return 0;
}

bool view_table_refresh(view_table *table, view_workshop *shop, const view_touched_key *keys, uint32_t count) {
  batch edges, batches[2]; // of plain cells, which are read at once; of others
  uint32_t near = first_seated(table, keys, count);
  edges.lanes = batches[0].lanes = batches[1].lanes = 0;
  if (!view_table_reserve_keys(table, &shop->allocator)) return false;
  view_rows_start(table, shop);
  for (uint32_t k = 0; k < count; k++) {
    view_touched_key key = keys[k];
    const uint32_t reference = view_row_of_key(table, key.key);
    if (reference) near = key.key;
    if (!key.like) key.like = near;
    if (!key.dart || (!table->site.crossing && !table->site.whole)) {
      if (!view_table_update(table, shop, key.key, key.dart, key.like)) return false;
      continue;
    }
    if (table->own.two_ended && take_edge(table, &edges, &key, reference)) {
      if (edges.lanes == VIEW_LANES && !refresh_edges(table, shop, &edges)) return false;
      continue;
    }
    const clv_dart base = base_for(table, &key);
    batch *b = &batches[!map_dart_plain(table->site.map, base)];
    b->bases[b->lanes] = base;
    b->keys[b->lanes++] = key;
    if (b->lanes == VIEW_LANES && !refresh_batch(table, shop, b)) return false;
  }
  return refresh_edges(table, shop, &edges) && refresh_batch(table, shop, &batches[0]) &&
         refresh_batch(table, shop, &batches[1]);
}

// Other numbers

static void renumber_row(view_table *table, view_workshop *shop, view_slab *slab, uint32_t row) {
  view_site_read(&table->site, slab->bases.data[row], &shop->reading);
  for (uint32_t p = 0; p < table->particles; p++) {
    const uint32_t slot = shop->reading.places.data[table->site.particles.data[p]].slot;
    name_vertex(slab, view_row_place(table, slab, row, p), slot);
  }
}

bool view_table_renumber(view_table *table, view_workshop *shop, uint32_t key) {
  const view_site *site = &table->site;
  for (uint32_t reference = view_row_of_key(table, key); reference;) {
    view_slab *slab = view_row_slab(table, reference);
    const uint32_t row = view_row_number(reference);
    const clv_dart base = slab->bases.data[row];
    if (!reserve_vertices(table, shop, slab)) return false;
    if (clv_dart_alive(&site->map->view, base) && view_site_key(site, base) == key)
      renumber_row(table, shop, slab, row);
    reference = slab->nexts.data[row];
  }
  return true;
}

bool view_table_rename(view_table *table, view_workshop *shop, uint32_t key, view_renaming *renaming) {
  const uint32_t reference = view_row_of_key(table, key), row = reference ? view_row_number(reference) : 0;
  if (!reference) return true;
  if (!table->site.crossing && !table->site.whole) { // a row of several
    renaming->slab = NULL;
    return view_table_renumber(table, shop, key);
  }
  view_slab *slab = view_row_slab(table, reference);
  uint32_t *place = NULL;
  for (uint32_t p = 0; p < table->particles; p++) {
    uint32_t *at = view_row_place(table, slab, row, p);
    if ((slab->loose ? *at : slab->vertices.data[view_place_number(*at)]) != renaming->from) continue;
    if (place) { // it is there twice, and need not have left both
      renaming->slab = NULL;
      return view_table_renumber(table, shop, key);
    }
    place = at;
  }
  if (!place) return true;
  if (slab->loose) {
    *place = renaming->to;
    return true;
  }
  if (renaming->slab != slab) { // it is taken for the row, and may be put in order now
    if (!reserve_vertices(table, shop, slab)) return false;
    renaming->number = use_vertex(slab, renaming->to);
    renaming->slab = slab;
  } else if (slab->uses.data[renaming->number]++ == 0) {
    slab->unused--;
  }
  if (--slab->uses.data[view_place_number(*place)] == 0) lose_vertex(slab);
  *place = KERNEL_STRIDE * renaming->number;
  return true;
}
