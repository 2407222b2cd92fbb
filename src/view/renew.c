// Tables of which a commit changed much: all rows are gone over, in the order of memory.
//
// A tenth of the cells of a body, removed all over it, lies at nearly all its vertices and parts half of them: most
// rows name other vertices then, and many have lost their base. To go from event to event is to go all over the memory,
// and to find out what rows tell by themselves. A row whose base is there, in the orbit of its key, names the vertices
// that are there now. One that lost its base goes on from the dart by which the map knows its orbit, or from the other
// end of the edge: as only losing was done, the vertices there came off those that it named, which tells its ends
// apart. By the same token the row of an edge that came off another one is a copy of that one's row.
//
// Numbers in the slabs come last, for all rows at once (view_table_tighten).

#include "view/table.h"

bool view_renewal_start(view_renewal *renewal) {
  const view_site *site = &renewal->table->site;
  const clv_template *shape = &clv_templates[renewal->kind];
  const uint8_t *of = shape->sub[clv_orbit_dims(&site->map->view, CLV_CORNER)].of;
  renewal->vertices = site->map->view.corners[renewal->kind];
  renewal->corner_count = shape->corner_count;
  renewal->beyond = shape->alpha[0];
  renewal->own = shape->sub[site->inner].of;
  for (uint32_t base = 0; base < shape->dart_count; base++)
    for (uint32_t p = 0; p < site->particles.count; p++) {
      uint32_t dart = base, way[LAW_PATH], length = 0; // from the base, last step first
      for (uint32_t s = site->spots.data[site->particles.data[p]].step; s; s = site->steps.data[s].from)
        way[length++] = site->steps.data[s].letter;
      while (length) dart = shape->alpha[way[--length]][dart];
      renewal->corners[base][p] = of[dart];
    }
  return view_table_reserve_keys(renewal->table, &renewal->shop->allocator);
}

static bool leave(const view_renewal *renewal, const view_touched_key *key) {
  view_key_list *left = renewal->left;
  if (!BASE_RESERVE(&renewal->shop->allocator, left, (uint64_t)left->count + 1)) return false;
  left->data[left->count++] = *key;
  return true;
}

// The dart at an edge, the one given or that at its other end, from which a row looks as it does that is not loose yet;
// CLV_NO_DART where its vertices do not tell. Which of both it is no processor can guess: there is no branch for it.
static inline clv_dart turn_like(const view_renewal *renewal, const view_slab *slab, uint32_t row, clv_dart dart) {
  const view_table *table = renewal->table;
  const uint32_t *ends = table->own.ends, *origins = renewal->origins;
  const uint32_t *vertices = renewal->vertices + (size_t)map_uniform_row(dart) * renewal->corner_count;
  const uint8_t *corners = renewal->corners[dart & 63u];
  const uint32_t here = origins[vertices[corners[ends[0]]]], there = origins[vertices[corners[ends[1]]]];
  const uint32_t *places = view_row_place(table, slab, row, 0), *named = slab->vertices.data;
  const uint32_t first = named[view_place_number(places[ends[0] * VIEW_LANES])];
  const uint32_t second = named[view_place_number(places[ends[1] * VIEW_LANES])];
  const uint32_t straight = (uint32_t)(here == first) & (uint32_t)(there == second);
  const uint32_t turned = (uint32_t)(here == second) & (uint32_t)(there == first);
  const uint32_t local = (dart & 63u & (0u - straight)) | (renewal->beyond[dart & 63u] & (0u - turned));
  return straight + turned == 1 ? (dart & ~63u) | local : CLV_NO_DART;
}

static bool part(const view_renewal *renewal, const view_touched_key *key) {
  view_table *table = renewal->table;
  const uint32_t reference = view_row_of_key(table, key->like);
  if (!reference) return leave(renewal, key);
  const clv_dart base = turn_like(renewal, view_row_slab(table, reference), view_row_number(reference), key->dart);
  if (!base) return leave(renewal, key);
  return view_table_copy_constants(table, renewal->shop, key->key, base, reference);
}

// What rows are copied from lies all over the memory: it is asked for ahead.
static void expect(const view_table *table, uint32_t reference) {
  if (!reference) return;
  const view_slab *slab = view_row_slab(table, reference);
  const uint32_t row = view_row_number(reference);
  const double *constants = view_row_constant(table, slab, row, 0);
  CLV_PREFETCH(view_row_place(table, slab, row, 0));
  for (uint32_t k = 0, count = table->own.others.count; k < count; k++)
    CLV_PREFETCH(constants + (size_t)table->own.others.data[k] * KERNEL_LANES);
}

bool view_renewal_part(const view_renewal *renewal, const view_touched_key *keys, uint32_t count) {
  enum { AHEAD = 24 };
  const view_table *table = renewal->table;
  bool done = true;
  for (uint32_t k = 0; done && k < count; k++) {
    const uint32_t like = count - k > 2 * AHEAD ? keys[k + 2 * AHEAD].like : 0;
    if (like < table->row_of_key.count) CLV_PREFETCH(table->row_of_key.data + like);
    if (count - k > AHEAD) expect(table, view_row_of_key(table, keys[k + AHEAD].like));
    done = part(renewal, &keys[k]);
  }
  return done;
}

// Another base for a row whose own is gone, or is another key's.
static bool stand_elsewhere(const view_renewal *renewal, view_slab *slab, uint32_t row) {
  const uint32_t key = slab->keys.data[row];
  const clv_dart dart = renewal->table->site.index->dart.data[key], base = turn_like(renewal, slab, row, dart);
  if (base) slab->bases.data[row] = base;
  return base || leave(renewal, &(view_touched_key){.key = key, .dart = dart});
}

// Lists the rows that lost their bases, as those may whose orbits cross cells. Which do no processor can guess: there
// is no branch for it.
static bool list_lost(const view_renewal *renewal, const view_slab *slab) {
  const map_index *index = renewal->table->site.index;
  const uint16_t *states = renewal->table->site.map->rows[renewal->kind].state.data;
  const uint32_t *ids = index->ids[renewal->kind].data, width = clv_templates[renewal->kind].sub[index->inner].count;
  const uint32_t *keys = slab->keys.data, rows = slab->rows;
  const uint8_t *own = renewal->own;
  const clv_dart *bases = slab->bases.data;
  if (!BASE_RESERVE(&renewal->shop->allocator, &renewal->shop->keys, (uint64_t)rows + 1)) return false;
  uint32_t *lost = renewal->shop->keys.data, count = 0;
  for (uint32_t row = 0; row < rows; row++) {
    const clv_dart base = bases[row];
    const uint32_t cell = map_uniform_row(base);
    lost[count] = row;
    count += (uint32_t)(~states[cell] & 1u) | (uint32_t)(ids[cell * width + own[base & 63u]] != keys[row]);
  }
  renewal->shop->keys.count = count;
  return true;
}

static bool find_bases(const view_renewal *renewal, view_slab *slab) {
  if (!list_lost(renewal, slab)) return false;
  for (uint32_t k = 0; k < renewal->shop->keys.count; k++)
    if (!stand_elsewhere(renewal, slab, renewal->shop->keys.data[k])) return false;
  return true;
}

// With a number of particles that the compiler knows, where it is called so.
static inline void name_corners(const view_renewal *renewal, const view_slab *slab, uint32_t particles) {
  const uint32_t *corners = renewal->vertices, count = renewal->corner_count;
  const clv_dart *bases = slab->bases.data;
  uint32_t *places = slab->places.data;
  for (uint32_t first = 0, rows = slab->rows; first < rows; first += VIEW_LANES, places += particles * VIEW_LANES)
    for (uint32_t lane = 0, lanes = rows - first < VIEW_LANES ? rows - first : VIEW_LANES; lane < lanes; lane++) {
      const clv_dart base = bases[first + lane];
      const uint32_t *vertices = corners + (size_t)map_uniform_row(base) * count;
      const uint8_t *named = renewal->corners[base & 63u];
      for (uint32_t p = 0; p < particles; p++) places[p * VIEW_LANES + lane] = vertices[named[p]];
    }
}

static void name_all(const view_renewal *renewal, const view_slab *slab) {
  const uint32_t particles = renewal->table->particles;
  if (particles == 2)
    name_corners(renewal, slab, 2);
  else if (particles == 4)
    name_corners(renewal, slab, 4);
  else
    name_corners(renewal, slab, particles);
}

bool view_renewal_loosen(const view_renewal *renewal) {
  const view_table *table = renewal->table;
  for (uint32_t s = 0; s < table->slab_count; s++) {
    view_slab *slab = &table->slabs[s];
    if (table->own.two_ended && !find_bases(renewal, slab)) return false;
    name_all(renewal, slab);
    view_slab_loosen(slab);
  }
  return true;
}
