// Walking the map: sets of darts, and the two ways to go over an orbit.
//
// Dart by dart is always right. Place by place is fast: a place is what an orbit leaves in one cell, a sub-orbit of the
// inner dimensions. In a plain template cell a place and its exits are constants of the shape; elsewhere its darts are
// collected. A place is named by one dart: its first in a plain template cell, the smallest elsewhere.

#ifndef MAP_WALK_H
#define MAP_WALK_H

#include "map/store.h"

// A set of darts, open addressing; the first 128 need no memory.
#define MAP_SET_INLINE 256
typedef struct map_set {
  const clv_allocator *allocator;
  uint32_t *slots;
  uint32_t size, count;
  uint32_t inline_slots[MAP_SET_INLINE];
} map_set;

void map_set_init(map_set *set, const clv_allocator *allocator);
void map_set_free(map_set *set);
bool map_set_grow(map_set *set);

static inline uint32_t map_hash(uint32_t key) {
  key *= 0x9E3779B1u;
  return key ^ key >> 16;
}

typedef enum map_inserted { MAP_SET_OLD, MAP_SET_NEW, MAP_SET_NO_MEMORY } map_inserted;

static inline map_inserted map_set_insert(map_set *set, uint32_t key) {
  if (set->count * 2 >= set->size && !map_set_grow(set)) return MAP_SET_NO_MEMORY;
  const uint32_t mask = set->size - 1;
  for (uint32_t at = map_hash(key) & mask;; at = (at + 1) & mask) {
    if (set->slots[at] == key) return MAP_SET_OLD;
    if (set->slots[at]) continue;
    set->slots[at] = key;
    set->count++;
    return MAP_SET_NEW;
  }
}

bool map_set_has(const map_set *set, uint32_t key);

void map_walk_init(clv_walk *walk, const map *m);
bool map_walk_grow(clv_walk *walk);

static inline bool map_walk_push(clv_walk *walk, clv_dart dart) {
  if (walk->count == walk->capacity && !map_walk_grow(walk)) return false;
  walk->darts[walk->count++] = dart;
  return true;
}

// Every dart of the orbit of `dims`, `dart` first, appended to the walk.
bool map_walk_darts(clv_walk *walk, const map *m, uint32_t dims, clv_dart dart);

// One dart for each place of a crossing orbit, `dart` first, as long as all its cells are in plain pages and there are
// few; otherwise 0.
#define MAP_STAR_PLAIN 96
uint32_t map_star_plain(const map *m, uint32_t inner, clv_dart dart, clv_dart entry[MAP_STAR_PLAIN]);
// Likewise for an orbit that goes round: the first *ahead in order one way, then the others, if it is open, the other
// way.
uint32_t map_ring_plain(const map *m, uint32_t dims, clv_dart dart, clv_dart entry[MAP_STAR_PLAIN], uint32_t *ahead);

// One dart for each place of a vertex in space, `dart` first, whatever its cells are (star.c); 0 where it is left to
// the general search.
#define MAP_STAR_MOST 224
uint32_t map_star_of_vertex(const map *m, clv_dart dart, clv_dart entry[MAP_STAR_MOST]);

// When all pages are of one kind and none has records, a dart tells its row by itself.
static inline bool map_is_uniform(const map *m, uint32_t kind) {
  return m->records.alive == 0 && m->rows[kind].pages.count + 1 == m->pages.count;
}
static inline uint32_t map_uniform_row(clv_dart dart) {
  return (dart >> 6) - (CLV_BLOCK_MASK + 1);
}

// True when the dart lies in a template cell that is not extended.
static inline bool map_dart_plain(const map *m, clv_dart dart) {
  return map_page(m, dart).plain || map_record(m, dart) == MAP_NO_RECORD;
}
static inline clv_dart map_place_plain(const map *m, uint32_t inner, clv_dart dart) {
  const clv_suborbits *sub = &clv_templates[map_page(m, dart).kind].sub[inner];
  return (dart & ~63u) | sub->first[sub->of[dart & 63u]];
}

// True for the dart that names its place among the darts of the whole map: the first of its sub-orbit in a plain
// template cell, every one elsewhere.
static inline bool map_names_place(const map *m, uint32_t inner, clv_dart dart) {
  return !map_dart_plain(m, dart) || map_place_plain(m, inner, dart) == dart;
}

// Every dart that names a place of the orbit at `dart`, appended to the walk.
bool map_walk_places(clv_walk *walk, const map *m, uint32_t dims, clv_dart dart);

// An orbit that goes round: it crosses cells, and each place has two ways out at the most (edges; vertices in 2D).
static inline bool map_is_ring(uint32_t dims, uint32_t n) {
  return dims >> (n - 1) == 3u && !(dims >> (n - 2) & 1u);
}

#endif
