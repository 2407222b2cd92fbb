// Three ways to go over all places of a law; the first that fits is taken. Where nothing is asked, all ids of the orbit
// are it. Where only values of the orbit itself are asked ("where e.ks > 0"), the ids are enough to find them, several
// at a time and without a look at the map. Otherwise every place is read and asked one by one.

#include "view/collect.h"

typedef struct collecting {
  const view_site *site;
  view_workshop *shop;
  bool guarded;
} collecting;

static bool collect_one(void *user, clv_dart dart) {
  const collecting *c = user;
  view_workshop *shop = c->shop;
  const clv_dart base = view_site_base(c->site, dart);
  if (c->guarded) {
    view_site_read(c->site, base, &shop->reading);
    if (!view_site_holds(c->site, shop->params, &shop->reading)) return true;
  }
  const uint32_t count = shop->bases.count;
  if (count == shop->bases.capacity && !BASE_RESERVE(&shop->allocator, &shop->bases, (uint64_t)count + 1)) return false;
  if (count == shop->keys.capacity && !BASE_RESERVE(&shop->allocator, &shop->keys, (uint64_t)count + 1)) return false;
  shop->bases.data[shop->bases.count++] = base;
  shop->keys.data[shop->keys.count++] = view_site_key(c->site, base);
  return true;
}

static bool reserve_all(view_workshop *shop, const map_index *index) {
  return BASE_RESERVE(&shop->allocator, &shop->bases, index->alive) &&
         BASE_RESERVE(&shop->allocator, &shop->keys, index->alive);
}

static inline void keep(view_workshop *shop, const map_index *index, uint32_t id) {
  shop->bases.data[shop->bases.count++] = index->dart.data[id];
  shop->keys.data[shop->keys.count++] = id;
}

static bool collect_all(view_workshop *shop, const map_index *index) {
  if (!reserve_all(shop, index)) return false;
  for (uint32_t id = 1; id < index->count; id++)
    if (index->generation.data[id] & 1u) keep(shop, index, id);
  return true;
}

// Whether every input of the conditions is a value of the orbit itself, and which spot that is.
static bool asks_itself(const view_site *site, uint32_t *spot) {
  const view_code *code = &site->conditions;
  for (uint32_t g = 0; g < site->law->guards.count; g++)
    if (site->law->guards.data[g].test != LAW_CONDITION) return false;
  for (uint32_t k = 0; k < code->inputs.count; k++) {
    if (code->inputs.data[k].op != DAG_READ) return false;
    *spot = site->fetches.data[code->inputs.data[k].index].spot;
    if (site->spots.data[*spot].step != 0 || site->spots.data[*spot].index != site->index) return false;
  }
  return code->inputs.count > 0;
}

static bool holds(const view_code *code, const double *values, uint32_t lane) {
  for (uint32_t k = 0; k < code->roots.count; k++)
    if (view_code_result(code, values, k, lane) == 0) return false;
  return true;
}

static bool collect_some(const view_site *site, view_workshop *shop, uint32_t spot) {
  const map_index *index = site->index;
  const view_code *code = &site->conditions;
  double *values = shop->reading.condition_values.data;
  uint32_t ids[VIEW_LANES], lanes = 0;
  if (!reserve_all(shop, index)) return false;
  view_code_start(code, shop->params, values);
  for (uint32_t id = 1; id <= index->count; id++) {
    if (id < index->count && (index->generation.data[id] & 1u)) {
      shop->reading.places.data[spot] = (view_place){0, id};
      view_site_fill(site, code, &shop->reading, lanes, values);
      ids[lanes++] = id;
    }
    if (lanes < VIEW_LANES && id < index->count) continue;
    view_code_run(code, lanes, values);
    for (uint32_t lane = 0; lane < lanes; lane++)
      if (holds(code, values, lane)) keep(shop, index, ids[lane]);
    lanes = 0;
  }
  return true;
}

bool view_collect(const view_site *site, view_workshop *shop) {
  const law *l = site->law;
  collecting c = {site, shop, l->guards.count || site->face || (site->whole && l->shape.kind)};
  const bool any_dart = site->crossing && !site->face && !l->oriented; // of an orbit is as good as another
  uint32_t spot = 0;
  shop->bases.count = shop->keys.count = 0;
  if (any_dart && !c.guarded) return collect_all(shop, site->index);
  if (any_dart && asks_itself(site, &spot)) return collect_some(site, shop, spot);
  return view_site_all(site, collect_one, &c);
}
