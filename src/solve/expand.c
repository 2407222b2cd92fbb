#include "solve/expand.h"

void expand_free(expansion *e, const clv_allocator *allocator) {
  BASE_RELEASE(allocator, &e->starts);
  BASE_RELEASE(allocator, &e->terms);
  BASE_RELEASE(allocator, &e->place);
}

const expand_term *expand_terms(const expansion *e, uint32_t slot, expand_term *own, uint32_t *count) {
  const uint32_t entry = e->place.data[slot];
  if (!entry) {
    *own = (expand_term){slot, 1};
    *count = 1;
    return own;
  }
  *count = e->starts.data[entry] - e->starts.data[entry - 1];
  return e->terms.data + e->starts.data[entry - 1];
}

static bool add(expansion *e, const clv_allocator *a, uint32_t first, expand_term term) {
  for (uint32_t k = first; k < e->terms.count; k++)
    if (e->terms.data[k].slot == term.slot) {
      e->terms.data[k].weight += term.weight;
      return true;
    }
  if (!BASE_RESERVE(a, &e->terms, (uint64_t)e->terms.count + 1)) return false;
  e->terms.data[e->terms.count++] = term;
  return true;
}

// What a parent is, times its share.
static bool add_parent(expansion *e, const clv_allocator *a, uint32_t first, uint32_t parent, double share) {
  const uint32_t entry = e->place.data[parent];
  if (!entry) return add(e, a, first, (expand_term){parent, share});
  for (uint32_t t = e->starts.data[entry - 1]; t < e->starts.data[entry]; t++)
    if (!add(e, a, first, (expand_term){e->terms.data[t].slot, share * e->terms.data[t].weight})) return false;
  return true;
}

bool expand_make(expansion *e, const physics_hangings *hanging, uint32_t slots, const clv_allocator *allocator) {
  const uint32_t count = hanging->table.count;
  if (!BASE_RESERVE(allocator, &e->starts, (uint64_t)count + 1) || !BASE_RESERVE(allocator, &e->place, slots))
    return false;
  memset(e->place.data, 0, slots * sizeof *e->place.data);
  e->terms.count = 0;
  e->starts.data[0] = 0;
  for (uint32_t k = 0; k < count; k++) { // parents come first
    const physics_hanging *one = &hanging->table.data[k];
    for (uint32_t p = 0; p < one->count; p++)
      if (!add_parent(e, allocator, e->starts.data[k], one->parents[p], 1.0 / one->count)) return false;
    e->starts.data[k + 1] = e->terms.count;
    e->place.data[one->slot] = k + 1;
  }
  return true;
}
