// Walking; walk.h tells the idea.

#include "map/walk.h"

// Sets

void map_set_init(map_set *set, const clv_allocator *allocator) {
  set->allocator = allocator;
  set->slots = set->inline_slots;
  set->size = MAP_SET_INLINE;
  set->count = 0;
  memset(set->inline_slots, 0, sizeof set->inline_slots);
}

void map_set_free(map_set *set) {
  if (set->slots != set->inline_slots) base_free(set->allocator, set->slots, set->size * sizeof *set->slots);
}

bool map_set_grow(map_set *set) {
  map_set grown = {.allocator = set->allocator, .size = set->size * 4};
  if (grown.size < set->size) return false;
  grown.slots = base_allocate(set->allocator, grown.size * sizeof *grown.slots);
  if (!grown.slots) return false;
  memset(grown.slots, 0, grown.size * sizeof *grown.slots);
  for (uint32_t k = 0; k < set->size; k++)
    if (set->slots[k]) map_set_insert(&grown, set->slots[k]);
  map_set_free(set);
  set->slots = grown.slots;
  set->size = grown.size;
  return true;
}

bool map_set_has(const map_set *set, uint32_t key) {
  for (uint32_t at = map_hash(key) & (set->size - 1); set->slots[at]; at = (at + 1) & (set->size - 1))
    if (set->slots[at] == key) return true;
  return false;
}

// Walks

void map_walk_init(clv_walk *walk, const map *m) {
  walk->map = &m->view;
  walk->darts = walk->inline_darts;
  walk->count = 0;
  walk->capacity = CLV_WALK_INLINE;
}

bool map_walk_grow(clv_walk *walk) {
  const clv_allocator *allocator = &map_read(walk->map)->allocator;
  const bool owned = walk->darts != walk->inline_darts;
  const size_t old = walk->capacity * sizeof *walk->darts, grown = old * 2;
  if (walk->capacity > UINT32_MAX / 2) return false;
  clv_dart *darts = allocator->resize(allocator->user, owned ? walk->darts : NULL, owned ? old : 0, grown);
  if (!darts) return false;
  if (!owned) memcpy(darts, walk->inline_darts, old);
  walk->darts = darts;
  walk->capacity *= 2;
  return true;
}

void clv_walk_end(clv_walk *walk) {
  if (walk->darts != walk->inline_darts)
    base_free(&map_read(walk->map)->allocator, walk->darts, walk->capacity * sizeof *walk->darts);
  map_walk_init(walk, map_read(walk->map));
}

// An orbit of two links at the most is a cycle or a path: no set is needed.
static bool walk_alternating(clv_walk *walk, const map *m, uint32_t dims, clv_dart start) {
  uint32_t links[2] = {4, 4}, count = 0; // link 4 leads nowhere
  for (uint32_t i = 0; i < 4; i++)
    if (dims >> i & 1u) links[count++] = i;
  if (!map_walk_push(walk, start)) return false;
  for (uint32_t way = 0; way < 2; way++) {
    clv_dart at = start;
    for (uint32_t k = way;; k ^= 1u) {
      const clv_dart next = links[k] < 4 ? clv_alpha(&m->view, at, links[k]) : at;
      if (next == at) break;
      if (next == start) return true;
      if (!map_walk_push(walk, next)) return false;
      at = next;
    }
  }
  return true;
}

bool map_walk_darts(clv_walk *walk, const map *m, uint32_t dims, clv_dart dart) {
  const uint32_t but_one = dims & (dims - 1u);
  if (!(but_one & (but_one - 1u))) return walk_alternating(walk, m, dims, dart); // two links at the most
  map_set seen;
  map_set_init(&seen, &m->allocator);
  uint32_t at = walk->count;
  bool done = map_set_insert(&seen, dart) == MAP_SET_NEW && map_walk_push(walk, dart);
  for (; done && at < walk->count; at++) {
    for (uint32_t i = 0; done && i <= m->view.dimension; i++) {
      if (!(dims >> i & 1u)) continue;
      const clv_dart next = clv_alpha(&m->view, walk->darts[at], i);
      const map_inserted inserted = map_set_insert(&seen, next);
      done = inserted == MAP_SET_OLD || (inserted == MAP_SET_NEW && map_walk_push(walk, next));
    }
  }
  map_set_free(&seen);
  return done;
}

clv_result clv_walk_orbit(clv_walk *walk, const clv_map *view, clv_orbit orbit, clv_dart dart) {
  map_walk_init(walk, map_read(view));
  if (map_walk_darts(walk, map_read(view), clv_orbit_dims(view, orbit), dart)) return CLV_OK;
  clv_walk_end(walk);
  return CLV_ERROR_MEMORY;
}

// The common case: every cell met is a plain template. A ring is followed with nothing but table look-ups.
uint32_t map_ring_plain(const map *m, uint32_t dims, clv_dart dart, clv_dart entry[MAP_STAR_PLAIN], uint32_t *ahead) {
  const clv_page *pages = m->view.pages;
  const uint32_t n = m->view.dimension;
  const clv_dart twin = dims & 1u ? clv_alpha(&m->view, dart, 0) : dart;
  uint32_t count = 0;
  for (uint32_t way = 0; way < 2; way++) { // out through the other facet of each place, then out through its own
    clv_dart at = dart;
    for (;;) {
      const clv_page page = pages[at >> CLV_PAGE_SHIFT];
      if (!page.plain || count == MAP_STAR_PLAIN - 1) return 0;
      const clv_template *shape = &clv_templates[page.kind];
      const uint32_t across = shape->alpha[n - 1][at & 63u];
      if (!way || at != dart) entry[count++] = at;
      const uint32_t local = way && at == dart ? at & 63u : across;
      const clv_dart link = m->view.links[page.kind][map_row(page, at) * shape->facet_count + shape->facet[local]];
      if (!link) break;
      const clv_page beyond = pages[link >> CLV_PAGE_SHIFT];
      if (!beyond.plain || link >> 6 == at >> 6) return 0; // a cell sewn to itself may be folded
      at = (link & ~63u) | clv_templates[beyond.kind].turn[link & 63u][shape->position[local]];
      if (at == dart || at == twin) {
        *ahead = count;
        return count;
      }
    }
    if (!way) *ahead = count;
  }
  return count;
}

// In a star, places are told apart by a small table of bytes, each the number of a place found, and appended without a
// branch: whether a place is new is what no processor can guess. Where there are many, or a cell is not plain, the
// general search takes over.
enum { STAR_SLOTS = 256 };

static inline uint32_t star_slot(uint32_t key) {
  return key * 0x9E3779B1u >> 24;
}

static inline uint32_t star_plain(const map *m, uint32_t inner, clv_dart dart, clv_dart *entry, bool uniform) {
  const clv_page *pages = m->view.pages;
  uint32_t kind = pages[dart >> CLV_PAGE_SHIFT].kind;
  const clv_template *shape = &clv_templates[kind];
  const clv_suborbits *sub = &shape->sub[inner];
  const uint32_t *rows = m->view.links[kind];
  uint32_t keys[MAP_STAR_PLAIN + 1]; // block and number of the sub-orbit, from 1
  uint8_t slots[STAR_SLOTS] = {0};
  static const clv_page none = {0};
  keys[0] = 0;
  keys[1] = (dart & ~63u) | sub->of[dart & 63u];
  slots[star_slot(keys[1])] = 1;
  entry[0] = dart;
  uint32_t count = 1;
  for (uint32_t k = 0; k < count; k++) {
    if (count > MAP_STAR_PLAIN - 16) return 0;
    const clv_page page = uniform ? none : pages[entry[k] >> CLV_PAGE_SHIFT];
    if (!uniform && page.kind != kind) { // rare, so its constants are looked up only then
      kind = page.kind;
      shape = &clv_templates[kind];
      sub = &shape->sub[inner];
      rows = m->view.links[kind];
    }
    const uint32_t row = uniform ? map_uniform_row(entry[k]) : map_row(page, entry[k]);
    const uint32_t number = keys[k + 1] & 63u, came = k ? shape->facet[entry[k] & 63u] : 64;
    const uint32_t *links = rows + (size_t)row * shape->facet_count;
    const clv_exit *exit = sub->exit + sub->exit_start[number], *end = sub->exit + sub->exit_start[number + 1];
    for (; exit < end; exit++) {
      const clv_dart link = links[exit->facet];
      if (!link || exit->facet == came) continue;
      uint32_t at, place;
      if (uniform) {
        at = shape->turn[link & 63u][exit->position];
        place = sub->of[at];
      } else {
        const clv_page beyond = pages[link >> CLV_PAGE_SHIFT];
        if (!beyond.plain) return 0;
        at = clv_templates[beyond.kind].turn[link & 63u][exit->position];
        place = clv_templates[beyond.kind].sub[inner].of[at];
      }
      const uint32_t key = (link & ~63u) | place;
      uint32_t slot = star_slot(key);
      while (slots[slot] && keys[slots[slot]] != key) slot = (slot + 1) % STAR_SLOTS;
      const bool new = !slots[slot];
      keys[count + 1] = key; // one that is not new stays behind the end
      entry[count] = (link & ~63u) | at;
      slots[slot] = (uint8_t)(new ? count + 1 : slots[slot]);
      count += new ? 1 : 0;
    }
  }
  return count;
}

uint32_t map_star_plain(const map *m, uint32_t inner, clv_dart dart, clv_dart entry[MAP_STAR_PLAIN]) {
  const clv_page page = map_page(m, dart);
  if (!page.plain) return 0;
  return map_is_uniform(m, page.kind) ? star_plain(m, inner, dart, entry, true)
                                      : star_plain(m, inner, dart, entry, false);
}

// Stars. A ring is followed both ways from its first dart; anything else is searched breadth first.

// An edge may be folded, so that a link takes it to its own other end: for a ring of whole edges that is a way back,
// and as good as a boundary.
static inline bool is_end(const map *m, uint32_t dims, clv_dart from, clv_dart to) {
  return to == from || ((dims & 1u) && to == clv_alpha(&m->view, from, 0));
}

// One step round a ring: out through the other facet of the place and into the next cell; 0 at an end.
static inline clv_dart ring_step(const map *m, uint32_t dims, clv_dart at) {
  const uint32_t n = m->view.dimension;
  const clv_dart out = clv_alpha(&m->view, at, n - 1);
  if (is_end(m, dims, at, out)) return CLV_NO_DART;
  const clv_dart next = clv_alpha(&m->view, out, n);
  return is_end(m, dims, out, next) ? CLV_NO_DART : next;
}

static void reverse(clv_dart *darts, uint32_t count) {
  for (uint32_t a = 0, b = count; a + 1 < b; a++) {
    const clv_dart swap = darts[a];
    darts[a] = darts[--b];
    darts[b] = swap;
  }
}

// What was found the other way, behind the first `middle`, comes first, in reverse.
static void put_in_order(clv_walk *walk, uint32_t middle) {
  if (middle == walk->count) return;
  reverse(walk->darts, walk->count);
  reverse(walk->darts + walk->count - middle, middle);
}

static bool walk_ring(clv_walk *walk, const map *m, uint32_t dims, clv_dart start) {
  const clv_map *view = &m->view;
  const uint32_t n = view->dimension;
  uint32_t middle = 0;
  walk->count = map_ring_plain(m, dims, start, walk->darts, &middle);
  if (walk->count) {
    put_in_order(walk, middle);
    return true;
  }
  const clv_dart twin = dims & 1u ? clv_alpha(view, start, 0) : start;
  for (clv_dart at = start; at; at = ring_step(m, dims, at)) {
    if (walk->count && (at == start || at == twin)) return true;
    if (!map_walk_push(walk, at)) return false;
  }
  middle = walk->count;
  for (clv_dart at = start;;) { // the other way, out through the facet we came in by
    const clv_dart in = clv_alpha(view, at, n);
    if (is_end(m, dims, at, in)) break;
    at = clv_alpha(view, in, n - 1);
    if (!map_walk_push(walk, at)) return false;
    if (is_end(m, dims, in, at)) break;
  }
  put_in_order(walk, middle);
  return true;
}

typedef struct star_search {
  const map *m;
  clv_walk *walk;
  map_set seen;
  uint32_t inner;
} star_search;

// Adds the place of a dart that is in no plain template cell: all its darts are seen at once.
static bool star_add_records(star_search *s, clv_dart dart) {
  const map_inserted inserted = map_set_insert(&s->seen, dart);
  if (inserted != MAP_SET_NEW) return inserted == MAP_SET_OLD;
  clv_walk place;
  map_walk_init(&place, s->m);
  bool done = map_walk_push(s->walk, dart) && map_walk_darts(&place, s->m, s->inner, dart);
  for (uint32_t k = 1; done && k < place.count; k++)
    done = map_set_insert(&s->seen, place.darts[k]) != MAP_SET_NO_MEMORY;
  clv_walk_end(&place);
  return done;
}

static inline bool star_add(star_search *s, clv_dart dart) {
  if (!map_dart_plain(s->m, dart)) return star_add_records(s, dart);
  const clv_dart place = map_place_plain(s->m, s->inner, dart);
  const map_inserted inserted = map_set_insert(&s->seen, place);
  return inserted == MAP_SET_OLD || (inserted == MAP_SET_NEW && map_walk_push(s->walk, place));
}

static bool star_leave_records(star_search *s, clv_dart dart) {
  clv_walk place;
  map_walk_init(&place, s->m);
  bool done = map_walk_darts(&place, s->m, s->inner, dart);
  for (uint32_t k = 0; done && k < place.count; k++) {
    const clv_dart next = clv_alpha(&s->m->view, place.darts[k], s->m->view.dimension);
    done = next == place.darts[k] || star_add(s, next);
  }
  clv_walk_end(&place);
  return done;
}

static inline bool star_leave_plain(star_search *s, clv_dart dart) {
  const clv_suborbits *sub = &clv_templates[map_page(s->m, dart).kind].sub[s->inner];
  const uint32_t number = sub->of[dart & 63u];
  for (uint32_t e = sub->exit_start[number]; e < sub->exit_start[number + 1]; e++) {
    const clv_dart exit = (dart & ~63u) | sub->exit[e].dart;
    const clv_dart next = clv_alpha(&s->m->view, exit, s->m->view.dimension);
    if (next != exit && !star_add(s, next)) return false;
  }
  return true;
}

static bool walk_star(clv_walk *walk, const map *m, uint32_t dims, clv_dart dart) {
  const uint32_t n = m->view.dimension;
  if (!(dims >> n & 1u)) return map_walk_push(walk, dart);
  if (map_is_ring(dims, n)) return walk_ring(walk, m, dims, dart);
  walk->count = map_star_plain(m, dims & ~(1u << n), dart, walk->darts);
  if (!walk->count && n == 3 && dims == 14u) walk->count = map_star_of_vertex(m, dart, walk->darts);
  if (walk->count) return true;
  star_search s = {.m = m, .walk = walk, .inner = dims & ~(1u << n)};
  map_set_init(&s.seen, &m->allocator);
  bool done = star_add(&s, dart);
  if (done) walk->darts[0] = dart; // the caller's own dart stands for its place
  for (uint32_t k = 0; done && k < walk->count; k++)
    done = map_dart_plain(m, walk->darts[k]) ? star_leave_plain(&s, walk->darts[k])
                                             : star_leave_records(&s, walk->darts[k]);
  map_set_free(&s.seen);
  return done;
}

clv_result clv_walk_star(clv_walk *walk, const clv_map *view, clv_orbit orbit, clv_dart dart) {
  map_walk_init(walk, map_read(view));
  if (walk_star(walk, map_read(view), clv_orbit_dims(view, orbit), dart)) return CLV_OK;
  clv_walk_end(walk);
  return CLV_ERROR_MEMORY;
}

// Incidence and adjacency

// Appends `dart` unless its orbit was seen, and sees every dart of the orbit.
static bool add_orbit_once(clv_walk *walk, map_set *seen, const map *m, uint32_t dims, clv_dart dart) {
  if (map_set_has(seen, dart)) return true;
  clv_walk orbit;
  map_walk_init(&orbit, m);
  bool done = map_walk_push(walk, dart) && map_walk_darts(&orbit, m, dims, dart);
  for (uint32_t k = 0; done && k < orbit.count; k++) done = map_set_insert(seen, orbit.darts[k]) != MAP_SET_NO_MEMORY;
  clv_walk_end(&orbit);
  return done;
}

static bool walk_incident(clv_walk *walk, map_set *seen, const map *m, uint32_t of, uint32_t found, clv_dart dart) {
  clv_walk around;
  map_walk_init(&around, m);
  bool done = map_walk_darts(&around, m, of, dart);
  for (uint32_t k = 0; done && k < around.count; k++) done = add_orbit_once(walk, seen, m, found, around.darts[k]);
  clv_walk_end(&around);
  return done;
}

static clv_result walk_result(clv_walk *walk, map_set *seen, bool done) {
  map_set_free(seen);
  if (done) return CLV_OK;
  clv_walk_end(walk);
  return CLV_ERROR_MEMORY;
}

clv_result clv_walk_incident(clv_walk *walk, const clv_map *view, clv_orbit of, clv_orbit found, clv_dart dart) {
  const map *m = map_read(view);
  map_set seen;
  map_set_init(&seen, &m->allocator);
  map_walk_init(walk, m);
  const bool done = walk_incident(walk, &seen, m, clv_orbit_dims(view, of), clv_orbit_dims(view, found), dart);
  return walk_result(walk, &seen, done);
}

clv_result clv_walk_adjacent(clv_walk *walk, const clv_map *view, clv_orbit orbit, clv_orbit through, clv_dart dart) {
  const map *m = map_read(view);
  const uint32_t dims = clv_orbit_dims(view, orbit);
  map_set seen;
  map_set_init(&seen, &m->allocator);
  map_walk_init(walk, m);
  bool done = add_orbit_once(walk, &seen, m, dims, dart); // so that it does not find itself
  walk->count = 0;
  clv_walk bridges;
  done = done && clv_walk_incident(&bridges, view, orbit, through, dart) == CLV_OK;
  if (!done) return walk_result(walk, &seen, false);
  for (uint32_t k = 0; done && k < bridges.count; k++)
    done = walk_incident(walk, &seen, m, clv_orbit_dims(view, through), dims, bridges.darts[k]);
  clv_walk_end(&bridges);
  return walk_result(walk, &seen, done);
}

bool map_walk_places(clv_walk *walk, const map *m, uint32_t dims, clv_dart dart) {
  const uint32_t inner = dims & ~(1u << m->view.dimension);
  clv_walk star;
  map_walk_init(&star, m);
  bool done = walk_star(&star, m, dims, dart);
  for (uint32_t k = 0; done && k < star.count; k++)
    done = map_dart_plain(m, star.darts[k]) ? map_walk_push(walk, map_place_plain(m, inner, star.darts[k]))
                                            : map_walk_darts(walk, m, inner, star.darts[k]);
  clv_walk_end(&star);
  return done;
}

// Places are met in order of name, so each orbit is found at its smallest dart.
clv_result clv_walk_all(clv_walk *walk, const clv_map *view, clv_orbit orbit) {
  const map *m = map_read(view);
  const uint32_t dims = clv_orbit_dims(view, orbit), inner = dims & ~(1u << view->dimension);
  map_walk_init(walk, m);
  clv_marks *seen = clv_marks_create(view);
  bool done = seen != NULL;
  for (clv_dart d = clv_dart_next(view, 0); done && d; d = clv_dart_next(view, d)) {
    if (!map_names_place(m, inner, d) || clv_marks_get(seen, d)) continue;
    clv_walk places;
    map_walk_init(&places, m);
    done = map_walk_push(walk, d) && map_walk_places(&places, m, dims, d);
    for (uint32_t k = 0; done && k < places.count; k++) done = clv_marks_set(seen, places.darts[k]) == CLV_OK;
    clv_walk_end(&places);
  }
  clv_marks_destroy(seen);
  if (done) return CLV_OK;
  clv_walk_end(walk);
  return CLV_ERROR_MEMORY;
}
