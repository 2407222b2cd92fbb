#include "physics/tie.h"

#include "physics/body.h"
#include "physics/level.h"

#include <stdlib.h>

// Who is tied to whom lies in rings: ring[slot] is the next of a slot's ring, 0 for one that is alone.
typedef struct tying {
  const clv_body *body;
  physics_hangings *h;
  const double *rest;
  physics_levels levels;
  bool failed;
} tying;

static const physics_hanging *known_at(const physics_hangings *h, uint32_t slot) {
  const uint32_t place = slot < h->place.count ? h->place.data[slot] : 0;
  return place ? &h->table.data[place - 1] : NULL;
}

static bool are_tied(const physics_hangings *h, uint32_t a, uint32_t b) {
  uint32_t at = a;
  do {
    if (at == b) return true;
    at = h->ring.data[at];
  } while (at && at != a);
  return false;
}

static void note(tying *t, uint32_t slot) {
  physics_hangings *h = t->h;
  if (!BASE_RESERVE(&t->body->allocator, &h->tied, (uint64_t)h->tied.count + 1))
    t->failed = true;
  else
    h->tied.data[h->tied.count++] = slot;
}

static void tie(tying *t, uint32_t a, uint32_t b) {
  uint32_t *ring = t->h->ring.data;
  if (are_tied(t->h, a, b)) return;
  note(t, a);
  note(t, b);
  if (t->failed) return;
  const uint32_t after_a = ring[a] ? ring[a] : a;
  ring[a] = ring[b] ? ring[b] : b;
  ring[b] = after_a;
}

static double distance(const tying *t, uint32_t a, uint32_t b) {
  double square = 0;
  for (uint32_t k = 0; k < 3; k++) {
    const double d = t->rest[3 * (size_t)a + k] - t->rest[3 * (size_t)b + k];
    square += d * d;
  }
  return square;
}

// Ends that belong together lie together at rest.
static void tie_parents(tying *t, const physics_hanging *to, const physics_hanging *from) {
  for (uint32_t p = 0; p < from->count && !t->failed; p++) {
    uint32_t nearest = 0;
    for (uint32_t q = 1; q < to->count; q++)
      if (distance(t, from->parents[p], to->parents[q]) < distance(t, from->parents[p], to->parents[nearest]))
        nearest = q;
    tie(t, to->parents[nearest], from->parents[p]);
  }
}

static int compare_slots(const void *a, const void *b) {
  const physics_hanging *p = a, *q = b;
  return (p->slot > q->slot) - (p->slot < q->slot);
}

// All that the vertices of a ring hang between is tied.
static void tie_ring(tying *t, uint32_t start) {
  const physics_hangings *h = t->h;
  const physics_hanging *first = NULL;
  uint32_t slot = start;
  do {
    const physics_hanging *known = known_at(h, slot), key = {.slot = slot};
    if (known && first)
      tie_parents(t, first, known);
    else if (known)
      first = known;
    const physics_hanging *other =
        h->others.count ? bsearch(&key, h->others.data, h->others.count, sizeof key, compare_slots) : NULL;
    while (other && other > h->others.data && other[-1].slot == slot) other--;
    for (; other && other < h->others.data + h->others.count && other->slot == slot; other++)
      tie_parents(t, first, other);
    slot = h->ring.data[slot];
  } while (slot && slot != start && !t->failed);
}

// From the finest to the coarsest: parents are coarser than their children.
static void tie_all(tying *t) {
  physics_hangings *h = t->h;
  int32_t finest = 0;
  qsort(h->others.data, h->others.count, sizeof *h->others.data, compare_slots);
  for (uint32_t k = 0; k < h->others.count && !t->failed; k++) {
    if (h->others.data[k].level > finest) finest = h->others.data[k].level;
    note(t, h->others.data[k].slot);
  }
  for (int32_t level = finest; level > 0; level--)
    for (uint32_t k = 0; k < h->tied.count && !t->failed; k++)
      if (t->levels.of[h->tied.data[k]] == level) tie_ring(t, h->tied.data[k]);
}

// The one of a ring that the others are tied to: one that hangs, if there is any.
static uint32_t head_of(const physics_hangings *h, uint32_t start) {
  uint32_t head = start;
  for (uint32_t slot = h->ring.data[start]; slot != start; slot = h->ring.data[slot]) {
    const bool hangs = known_at(h, slot), other = known_at(h, head);
    if (hangs != other ? hangs : slot < head) head = slot;
  }
  return head;
}

// What is tied hangs by its head alone.
static void list_ring(tying *t, uint32_t start) {
  physics_hangings *h = t->h;
  const uint32_t head = head_of(h, start);
  uint32_t slot = start;
  do {
    const uint32_t next = h->ring.data[slot];
    if (!BASE_RESERVE(&t->body->allocator, &h->ties, (uint64_t)h->ties.count + 1)) t->failed = true;
    if (slot != head && !t->failed)
      h->ties.data[h->ties.count++] =
          (physics_hanging){.slot = slot, .level = t->levels.of[slot], .count = 1, .parents = {head}};
    h->ring.data[slot] = 0;
    slot = next;
  } while (slot != start);
}

bool physics_find_ties(const clv_body *body, physics_hangings *h) {
  tying t = {.body = body, .h = h, .rest = physics_vectors(body->rest)};
  const uint32_t had = h->ring.capacity;
  if (!BASE_RESERVE(&body->allocator, &h->ring, clv_body_slots(body))) return false;
  memset(h->ring.data + had, 0, (h->ring.capacity - had) * sizeof *h->ring.data);
  h->tied.count = h->ties.count = 0;
  if (physics_levels_find(&t.levels, body->map)) tie_all(&t);
  for (uint32_t k = 0; k < h->tied.count; k++)
    if (h->ring.data[h->tied.data[k]]) list_ring(&t, h->tied.data[k]);
  return !t.failed;
}
