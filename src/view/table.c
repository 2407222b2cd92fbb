// Building tables; table.h tells the idea. What a commit does to them is in rows.c.

#include "view/collect.h"

// Memory

enum { ALIGNMENT = 64, PAGE = 4096 };

// Where `data` begins in a block: `offset` bytes behind a multiple of `unit`, and not at its very start.
static size_t start_in(const uint8_t *block, size_t unit, size_t offset) {
  return (2 * unit + offset - (uintptr_t)block % unit - 1) % unit + 1;
}

// Nothing is written behind what is kept.
static bool move(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size, size_t unit,
                 size_t offset) {
  const size_t whole = size + unit, before = keep ? (size_t)((uint8_t *)memory->data - memory->block) : 0;
  uint8_t *block =
      keep ? allocator->resize(allocator->user, memory->block, memory->size, whole) : base_allocate(allocator, whole);
  if (!block) return false;
  uint8_t *data = block + start_in(block, unit, offset);
  if (!keep)
    base_free(allocator, memory->block, memory->size);
  else if (data != block + before)
    memmove(data, block + before, keep);
  *memory = (view_memory){.data = data, .block = block, .size = whole, .room = size};
  return true;
}

static bool clear(const view_memory *memory, size_t keep) {
  memset((uint8_t *)memory->data + keep, 0, memory->room - keep);
  return true;
}

bool view_memory_resize(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size) {
  return move(memory, allocator, keep, size, ALIGNMENT, 0) && clear(memory, keep);
}

bool view_memory_resize_apart(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size,
                              uint32_t turn) {
  return view_memory_extend(memory, allocator, keep, size, turn) && clear(memory, keep);
}

bool view_memory_extend(view_memory *memory, const clv_allocator *allocator, size_t keep, size_t size, uint32_t turn) {
  return move(memory, allocator, keep, size, PAGE, (size_t)turn * (PAGE / VIEW_TURNS / ALIGNMENT * ALIGNMENT));
}

void view_memory_free(view_memory *memory, const clv_allocator *allocator) {
  base_free(allocator, memory->block, memory->size);
  *memory = (view_memory){0};
}

// Making

clv_result view_table_make(view_table *table, view_workshop *shop, const kernel *k, clv_error *error) {
  *table = (view_table){.kernel = k, .particles = k->particles, .constants = kernel_constants(k)};
  const clv_allocator *a = &shop->allocator;
  const clv_result result = view_site_make(&table->site, shop->map, k->law, a, error);
  if (result != CLV_OK) return result;
  bool done = view_site_settle(&table->site, a) &&
              view_feed_make(&table->hoist, &table->site, &k->graph, k->hoist, k->hoist_count, a) &&
              view_feed_make(&table->hoist_q, &table->site, &k->graph, k->hoist_q, k->hoist_q_count, a) &&
              view_own_make(&table->own, &table->site, k, a) && view_reading_reserve(&shop->reading, &table->site, a);
  const uint32_t values = table->hoist.code.values * VIEW_LANES; // no fewer than those of its own
  const uint32_t values_q = table->hoist_q.code.values * VIEW_LANES;
  const uint32_t had = shop->values.capacity, had_q = shop->values_q.capacity;
  done = done && BASE_RESERVE(a, &shop->values, values) && BASE_RESERVE(a, &shop->values_q, values_q) &&
         BASE_RESERVE(a, &shop->constants, table->constants * VIEW_LANES);
  if (!done) {
    view_table_free(table, a);
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while making the view of '%s'", k->law->name);
  }
  for (uint32_t n = had; n < shop->values.capacity; n++) shop->values.data[n] = 0;
  for (uint32_t n = had_q; n < shop->values_q.capacity; n++) shop->values_q.data[n] = 0;
  return CLV_OK;
}

static void free_slabs(view_table *table, const clv_allocator *a) {
  for (uint32_t s = 0; s < table->slab_count; s++) {
    view_slab *slab = &table->slabs[s];
    view_memory_free(&slab->places, a);
    view_memory_free(&slab->constants, a);
    BASE_RELEASE(a, &slab->bases);
    BASE_RELEASE(a, &slab->keys);
    BASE_RELEASE(a, &slab->nexts);
    BASE_RELEASE(a, &slab->vertices);
    BASE_RELEASE(a, &slab->uses);
    BASE_RELEASE(a, &slab->tail);
    view_memory_free(&slab->stiffness, a);
    view_memory_free(&slab->sums, a);
  }
  base_free(a, table->slabs, table->slab_count * sizeof *table->slabs);
  table->slabs = NULL;
  table->slab_count = 0;
  table->rows = 0;
}

void view_table_free(view_table *table, const clv_allocator *allocator) {
  free_slabs(table, allocator);
  BASE_RELEASE(allocator, &table->row_of_key);
  view_feed_free(&table->hoist, allocator);
  view_feed_free(&table->hoist_q, allocator);
  view_own_free(&table->own, allocator);
  view_site_free(&table->site, allocator);
}

// Constants

// Rows whose constants are computed together, lane by lane.
typedef struct hoisting {
  view_table *table;
  view_workshop *shop;
  double quadrature[VIEW_LANES][LAW_QUADRATURE][LAW_QUAD_DATA];
} hoisting;

void view_rows_start(view_table *table, view_workshop *shop) {
  view_feed_aim(&table->hoist);
  view_code_start(&table->hoist.code, shop->params, shop->values.data);
  view_code_start(&table->site.conditions, shop->params, shop->reading.condition_values.data);
  if (!table->kernel->hoist_q_count) return;
  view_feed_aim(&table->hoist_q);
  view_code_start(&table->hoist_q.code, shop->params, shop->values_q.data);
}

// Takes the row that was just read into a lane.
static void hoist_take(hoisting *h, uint32_t lane) {
  const view_table *table = h->table;
  const view_reading *reading = &h->shop->reading;
  view_feed_fill(&table->hoist, reading, reading, lane, h->shop->values.data);
  if (!table->kernel->hoist_q_count) return;
  view_feed_fill(&table->hoist_q, reading, reading, lane, h->shop->values_q.data);
  if (!table->site.law->quadrature) return;
  double rest[8][3];
  view_site_rest(&table->site, &h->shop->reading, rest);
  law_quadrature(table->site.law->shape.kind, (const double(*)[3])rest, h->quadrature[lane]);
}

// Rows that were read side by side.
static void hoist_lanes(hoisting *h, uint32_t lanes) {
  const view_table *table = h->table;
  const view_reading *reading = &h->shop->reading;
  view_feed_fill_lanes(&table->hoist, reading, lanes, h->shop->values.data);
  if (!table->kernel->hoist_q_count) return;
  view_feed_fill_lanes(&table->hoist_q, reading, lanes, h->shop->values_q.data);
  if (!table->site.law->quadrature) return;
  view_rest rest[VIEW_LANES];
  view_site_rest_lanes(&table->site, reading, lanes, rest);
  for (uint32_t lane = 0; lane < lanes; lane++)
    law_quadrature(table->site.law->shape.kind, (const double(*)[3])rest[lane].corners, h->quadrature[lane]);
}

// Takes rows one behind another; `places`, where it is not NULL, gets their vertices by slot.
static void hoist_rows(hoisting *h, const clv_dart *bases, uint32_t lanes, uint32_t *places) {
  const view_table *table = h->table;
  view_reading *reading = &h->shop->reading;
  const uint16_t *particles = table->site.particles.data;
  const bool only_picks = !table->hoist.others.count && !table->kernel->hoist_q_count;
  if (view_site_read_lanes(&table->site, bases, lanes, reading) && (only_picks || reading->lane_kind)) {
    for (uint32_t p = 0; places && p < table->particles; p++)
      for (uint32_t lane = 0; lane < lanes; lane++)
        places[p * VIEW_LANES + lane] = reading->lane_slots.data[particles[p] * VIEW_LANES + lane];
    hoist_lanes(h, lanes);
    return;
  }
  for (uint32_t lane = 0; lane < lanes; lane++) {
    view_site_read(&table->site, bases[lane], reading);
    for (uint32_t p = 0; places && p < table->particles; p++)
      places[p * VIEW_LANES + lane] = reading->places.data[particles[p]].slot;
    hoist_take(h, lane);
  }
}

// Computes the lanes; constant k of lane l goes to constants[k * VIEW_LANES + l].
static void hoist_finish(hoisting *h, uint32_t lanes, double *constants) {
  const view_table *table = h->table;
  const kernel *k = table->kernel;
  double *values = h->shop->values.data;
  view_code_run(&table->hoist.code, lanes, values);
  for (uint32_t c = 0; c < k->hoist_count; c++)
    memcpy(constants + c * VIEW_LANES, values + table->hoist.code.roots.data[c] * VIEW_LANES,
           sizeof(double) * VIEW_LANES);
  if (!k->hoist_q_count) return;
  values = h->shop->values_q.data;
  for (uint32_t q = 0; q < k->quadrature; q++) {
    for (uint32_t lane = 0; lane < lanes; lane++)
      view_feed_point(&table->hoist_q, h->quadrature[lane][q], lane, values);
    view_code_run(&table->hoist_q.code, lanes, values);
    double *to = constants + (k->hoist_count + (size_t)q * k->hoist_q_count) * VIEW_LANES;
    for (uint32_t c = 0; c < k->hoist_q_count; c++)
      memcpy(to + c * VIEW_LANES, values + table->hoist_q.code.roots.data[c] * VIEW_LANES, sizeof(double) * VIEW_LANES);
  }
}

void view_row_compute(view_table *table, view_workshop *shop, uint32_t *vertices, double *constants, uint32_t stride) {
  hoisting h; // its quadrature is written before it is read
  h.table = table;
  h.shop = shop;
  for (uint32_t p = 0; p < table->particles; p++)
    vertices[p] = shop->reading.places.data[table->site.particles.data[p]].slot;
  view_rows_start(table, shop);
  hoist_take(&h, 0);
  const kernel *k = table->kernel;
  double *values = shop->values.data;
  view_code_run(&table->hoist.code, 1, values);
  for (uint32_t c = 0; c < k->hoist_count; c++)
    constants[c * stride] = view_code_result(&table->hoist.code, values, c, 0);
  values = shop->values_q.data;
  for (uint32_t q = 0; k->hoist_q_count && q < k->quadrature; q++) {
    view_feed_point(&table->hoist_q, h.quadrature[0][q], 0, values);
    view_code_run(&table->hoist_q.code, 1, values);
    for (uint32_t c = 0; c < k->hoist_q_count; c++)
      constants[(k->hoist_count + q * k->hoist_q_count + c) * stride] =
          view_code_result(&table->hoist_q.code, values, c, 0);
  }
}

void view_rows_compute(view_table *table, view_workshop *shop, const clv_dart *bases, uint32_t lanes,
                       uint32_t *vertices, double *constants) {
  hoisting h; // its quadrature is written before it is read
  h.table = table;
  h.shop = shop;
  hoist_rows(&h, bases, lanes, vertices);
  hoist_finish(&h, lanes, constants);
}

void view_rows_compute_edges(view_table *table, view_workshop *shop, const view_edges *edges, uint32_t lanes,
                             uint32_t *vertices, double *constants) {
  const view_site *site = &table->site;
  hoisting h; // its quadrature is not used
  h.table = table;
  h.shop = shop;
  for (uint16_t s = 0; s < site->spots.count; s++) view_site_read_edges(site, edges, &s, 1, &shop->reading);
  shop->reading.lane_kind = CLV_NONE;
  for (uint32_t end = 0; end < 2; end++)
    memcpy(vertices + table->own.ends[end] * VIEW_LANES, edges->ends[end], sizeof edges->ends[end]);
  hoist_lanes(&h, lanes);
  hoist_finish(&h, lanes, constants);
}

void view_constants_fill(const view_table *table, double *constants, uint32_t lanes) {
  for (uint32_t c = 0; c < table->constants; c++)
    for (uint32_t l = lanes; l < VIEW_LANES; l++) constants[c * VIEW_LANES + l] = constants[c * VIEW_LANES + lanes - 1];
}

void view_slab_fill(const view_table *table, view_slab *slab) {
  const uint32_t lanes = slab->rows % VIEW_LANES, last = slab->rows - 1;
  if (!lanes) return;
  for (uint32_t p = 0; p < table->particles; p++) {
    uint32_t *place = view_row_place(table, slab, last - last % VIEW_LANES, p);
    const uint32_t *before =
        last < VIEW_LANES ? NULL : view_row_place(table, slab, last - last % VIEW_LANES - VIEW_LANES, p);
    for (uint32_t l = lanes; l < VIEW_LANES; l++) place[l] = before ? before[l] : place[lanes - 1];
  }
}

bool view_table_hoist(view_table *table, view_workshop *shop) {
  hoisting h; // its quadrature is written before it is read
  h.table = table;
  h.shop = shop;
  view_rows_start(table, shop);
  for (uint32_t s = 0; s < table->slab_count; s++) {
    view_slab *slab = &table->slabs[s];
    for (uint32_t row = 0; row < slab->rows; row += VIEW_LANES) {
      const uint32_t lanes = slab->rows - row < VIEW_LANES ? slab->rows - row : VIEW_LANES;
      hoist_rows(&h, slab->bases.data + row, lanes, NULL);
      double *constants = view_row_constant(table, slab, row, 0);
      hoist_finish(&h, lanes, constants);
      view_constants_fill(table, constants, lanes);
    }
  }
  return true;
}

// Building

static bool make_slabs(view_table *table, const clv_allocator *a, uint32_t count) {
  if (table->slab_count == count) return true; // their memory is used again
  free_slabs(table, a);
  table->slabs = base_allocate(a, count * sizeof *table->slabs);
  if (!table->slabs) return false;
  memset(table->slabs, 0, count * sizeof *table->slabs);
  table->slab_count = count;
  return true;
}

static uint32_t slabs_for(uint64_t rows) {
  if (rows < 4096) return 1;
  const uint64_t slabs = 2 * ((rows + 32767) / 32768);
  return slabs < VIEW_SLABS ? (uint32_t)slabs : VIEW_SLABS;
}

// There is room for rows that commits will add: more where cuts part the orbits that have them. It costs nothing as
// long as nobody writes there.
static uint32_t spare_part(const view_table *table) {
  return table->site.crossing ? 4 : 16;
}

static bool reserve_slab(view_table *table, view_slab *slab, const clv_allocator *a, uint32_t rows) {
  const uint64_t room = (uint64_t)rows + rows / spare_part(table) + VIEW_LANES;
  const uint64_t capacity = room / VIEW_LANES * VIEW_LANES;
  if (capacity > VIEW_ROW_MASK) return false;
  if (capacity <= slab->capacity) return true;
  slab->capacity = 0;
  if (!view_memory_extend(&slab->places, a, 0, capacity * table->particles * sizeof(uint32_t), VIEW_PLACES_TURN) ||
      !view_memory_extend(&slab->constants, a, 0, capacity * table->constants * sizeof(double), VIEW_CONSTANTS_TURN) ||
      !BASE_RESERVE(a, &slab->bases, capacity) || !BASE_RESERVE(a, &slab->keys, capacity) ||
      !BASE_RESERVE(a, &slab->nexts, capacity))
    return false;
  slab->capacity = (uint32_t)capacity;
  return true;
}

// Neighbours in the map share vertices. In one batch they would wait for each other's sums; so the rows of a few
// batches are dealt out to them in turn.
static void spread(uint32_t *to, const uint32_t *from, uint32_t count) {
  enum { HAND = VIEW_LANES * VIEW_LANES };
  for (uint32_t first = 0; first < count; first += HAND) {
    const uint32_t end = count - first < HAND ? count : first + HAND;
    const uint32_t batches = (end - first + VIEW_LANES - 1) / VIEW_LANES;
    for (uint32_t batch = 0; batch < batches; batch++)
      for (uint32_t k = first + batch; k < end; k += batches) *to++ = from[k];
  }
}

// Writes the rows' bases, constants and their vertices by slot; number_vertices gives those their numbers in the slab.
static void fill_rows(view_table *table, view_workshop *shop, view_slab *slab, uint32_t first, uint32_t count) {
  hoisting h; // its quadrature is written before it is read
  h.table = table;
  h.shop = shop;
  view_rows_start(table, shop);
  slab->rows = count;
  if (!count) return;
  spread(slab->bases.data, shop->bases.data + first, count);
  spread(slab->keys.data, shop->keys.data + first, count);
  for (uint32_t row = 0; row < count; row += VIEW_LANES) {
    const uint32_t lanes = count - row < VIEW_LANES ? count - row : VIEW_LANES;
    hoist_rows(&h, slab->bases.data + row, lanes, view_row_place(table, slab, row, 0));
    double *constants = view_row_constant(table, slab, row, 0);
    hoist_finish(&h, lanes, constants);
    view_constants_fill(table, constants, lanes);
  }
  view_slab_fill(table, slab);
}

// Slots are counted, and looked for afterwards, by blocks.
enum { BLOCK = 64 };

static bool reserve_counts(view_workshop *shop) {
  const uint32_t slots = clv_id_slots(&shop->map->view, CLV_VERTEX), blocks = slots / BLOCK + 1;
  return BASE_RESERVE_CLEARED(&shop->allocator, &shop->counts, (uint64_t)blocks * BLOCK) &&
         BASE_RESERVE_CLEARED(&shop->allocator, &shop->blocks, blocks);
}

static bool reserve_vertices(view_slab *slab, const clv_allocator *a, uint32_t count) {
  return BASE_RESERVE(a, &slab->vertices, count) && BASE_RESERVE(a, &slab->uses, count);
}

// How often places name each slot, those of some lanes at a time. How many slots are named.
static uint32_t count_slots(view_workshop *shop, const uint32_t *places, size_t count) {
  uint32_t *counts = shop->counts.data, named = 0;
  uint8_t *blocks = shop->blocks.data;
  for (const uint32_t *end = places + count; places < end; places += VIEW_LANES)
    for (uint32_t lane = 0; lane < VIEW_LANES; lane++) {
      const uint32_t slot = places[lane];
      counts[slot]++;
      blocks[slot / BLOCK] = 1;
    }
  for (uint32_t block = 0; block < shop->blocks.count; block++)
    for (uint32_t slot = block * BLOCK, end = blocks[block] ? slot + BLOCK : 0; slot < end; slot++)
      named += counts[slot] != 0;
  return named;
}

// The slots of a block become vertices, in order, and know their places from then on. There is room for one more than
// there are: what is no vertex is written over.
static uint32_t number_block(uint32_t *counts, uint32_t block, view_slab *slab, uint32_t number) {
  uint32_t *vertices = slab->vertices.data, *uses = slab->uses.data;
  for (uint32_t slot = block * BLOCK, end = slot + BLOCK; slot < end; slot++) {
    const uint32_t count = counts[slot];
    vertices[number] = slot;
    uses[number] = count;
    counts[slot] = KERNEL_STRIDE * number;
    number += count != 0;
  }
  return number;
}

// The slots' places, for places that are those of lanes.
static void take_numbers(const uint32_t *numbers, uint32_t *places, size_t count) {
  for (const uint32_t *end = places + count; places < end; places += VIEW_LANES)
    for (uint32_t lane = 0; lane < VIEW_LANES; lane++) places[lane] = numbers[places[lane]];
}

static void forget_slots(view_workshop *shop) {
  for (uint32_t block = 0; block < shop->blocks.count; block++) {
    if (shop->blocks.data[block]) memset(shop->counts.data + block * BLOCK, 0, BLOCK * sizeof *shop->counts.data);
    shop->blocks.data[block] = 0;
  }
}

// Numbers the slots that the slab's rows name, in order, and names them by these numbers.
static bool number_vertices(view_table *table, view_workshop *shop, view_slab *slab) {
  const size_t batches = (slab->rows + VIEW_LANES - 1) / VIEW_LANES, places = batches * VIEW_LANES * table->particles;
  uint32_t *place = slab->places.data, *counts = shop->counts.data, number = 0;
  const uint32_t count = count_slots(shop, place, places);
  const bool room = reserve_vertices(slab, &shop->allocator, count + VIEW_TAIL + table->particles); // with its tail
  for (uint32_t block = 0; room && block < shop->blocks.count; block++)
    if (shop->blocks.data[block]) number = number_block(counts, block, slab, number);
  if (room) take_numbers(counts, place, places);
  forget_slots(shop);
  if (!room) return false;
  slab->vertices.count = slab->uses.count = slab->ordered = count;
  slab->tail.count = 0;
  slab->consecutive = count && slab->vertices.data[count - 1] - slab->vertices.data[0] == count - 1;
  slab->unused = 0;
  slab->greatest = count ? slab->vertices.data[count - 1] : 0;
  slab->loose = false;
  for (uint32_t row = slab->rows; row < batches * VIEW_LANES; row++) // lanes that are no rows do not count
    for (uint32_t p = 0; p < table->particles; p++)
      slab->uses.data[view_place_number(*view_row_place(table, slab, row, p))]--;
  return true;
}

static void name_by_slots(const view_table *table, view_slab *slab) {
  const size_t places = (size_t)((slab->rows + VIEW_LANES - 1) / VIEW_LANES) * VIEW_LANES * table->particles;
  uint32_t *place = slab->places.data;
  for (size_t k = 0; k < places; k++) place[k] = slab->vertices.data[view_place_number(place[k])];
}

bool view_slab_order(view_table *table, view_workshop *shop, view_slab *slab) {
  if (slab->ordered == slab->vertices.count && slab->unused * 4 <= slab->vertices.count) return true;
  if (!reserve_counts(shop)) return false;
  view_slab_fill(table, slab); // what they named may be gone
  name_by_slots(table, slab);
  return number_vertices(table, shop, slab);
}

void view_table_loosen(view_table *table) {
  for (uint32_t s = 0; s < table->slab_count; s++) {
    name_by_slots(table, &table->slabs[s]);
    view_slab_loosen(&table->slabs[s]);
  }
}

bool view_table_tighten(view_table *table, view_workshop *shop) {
  if (!reserve_counts(shop)) return false;
  for (uint32_t s = 0; s < table->slab_count; s++) {
    view_slab_fill(table, &table->slabs[s]);
    if (!number_vertices(table, shop, &table->slabs[s])) return false;
  }
  return true;
}

static void note_keys(view_table *table, uint32_t number) {
  view_slab *slab = &table->slabs[number];
  for (uint32_t row = 0; row < slab->rows; row++) {
    uint32_t *first = &table->row_of_key.data[slab->keys.data[row]];
    slab->nexts.data[row] = *first;
    *first = (number << VIEW_ROW_BITS | row) + 1;
  }
}

static bool reserve_keys(view_table *table, const clv_allocator *a) {
  const map *m = table->site.map;
  const uint32_t keys = table->site.crossing ? table->site.index->count : m->pages.count << 10;
  if (!BASE_RESERVE(a, &table->row_of_key, (uint64_t)keys + keys / spare_part(table) + MAP_FIRST_CUTS)) return false;
  table->row_of_key.count = keys;
  if (keys) memset(table->row_of_key.data, 0, keys * sizeof *table->row_of_key.data);
  return true;
}

bool view_table_build(view_table *table, view_workshop *shop) {
  const clv_allocator *a = &shop->allocator;
  if (!reserve_keys(table, a) || !reserve_counts(shop) || !view_collect(&table->site, shop)) return false;
  const uint32_t rows = shop->bases.count, slabs = slabs_for(rows);
  if (!make_slabs(table, a, slabs)) return false;
  for (uint32_t s = 0; s < slabs; s++) {
    const uint32_t first = (uint32_t)((uint64_t)rows * s / slabs), end = (uint32_t)((uint64_t)rows * (s + 1) / slabs);
    view_slab *slab = &table->slabs[s];
    if (!reserve_slab(table, slab, a, end - first)) return false;
    fill_rows(table, shop, slab, first, end - first);
    if (!number_vertices(table, shop, slab)) return false;
    slab->built = true;
    note_keys(table, s);
  }
  table->rows = table->built_rows = rows;
  return true;
}
