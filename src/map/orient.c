// Orientation: the 2-colouring of darts into sides, such that every link joins the two.
//
// A template cell stores one bit (inside it, odd and even darts differ), a record one bit per dart. New darts are born
// on the right side of what they are inserted into, so an edit breaks the colouring only where it sews two parts that
// were coloured apart; then, and while some part has no colouring at all, the map is coloured anew.

#include "map/plan.h"

uint32_t clv_side(const clv_map *view, clv_dart dart) {
  return map_side(map_read(view), dart);
}

bool clv_map_orientable(const clv_map *view) {
  return map_read(view)->twisted == 0;
}

static bool joins_equal_sides(const map *m, clv_dart dart, uint32_t i) {
  if (!clv_dart_alive(&m->view, dart)) return false;
  const clv_dart beyond = clv_alpha(&m->view, dart, i);
  return beyond != dart && map_side(m, beyond) == map_side(m, dart);
}

// A facet is told of at its first dart. Of one in an extended cell that may be gone, or lie elsewhere than the others
// do.
static bool facet_joins_equal_sides(const map *m, clv_dart first) {
  if (map_dart_plain(m, first)) return joins_equal_sides(m, first, m->view.dimension);
  const clv_template *shape = &clv_templates[map_page(m, first).kind];
  for (uint32_t l = 0; l < shape->dart_count; l++)
    if (shape->facet[l] == shape->facet[first & 63u] && joins_equal_sides(m, (first & ~63u) | l, m->view.dimension))
      return true;
  return false;
}

bool map_colouring_broken(const map *m) {
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op == MAP_LINK && w.after && facet_joins_equal_sides(m, w.dart)) return true;
    if (w.op == MAP_ALPHA && joins_equal_sides(m, w.dart, w.i)) return true;
  }
  return false;
}

// Scratch: the darts' colours two bits each (0: not seen yet), and a queue. Settling changes how many darts have
// records, never how many darts there are; names grow by the rows and records it takes, which are reserved by now.
static uint64_t colour_words(const map *m) {
  const uint64_t pages = m->pages.capacity > m->pages.count ? m->pages.capacity : m->pages.count;
  return pages << (CLV_PAGE_SHIFT - 4);
}

bool map_recolour_reserve(map *m) {
  const uint64_t need = colour_words(m) + clv_dart_count(&m->view);
  return BASE_RESERVE(&m->allocator, &m->scratch->sides, need);
}

typedef struct colouring {
  map *m;
  uint32_t *colours, *queue;
  uint32_t head, tail;
} colouring;

static uint32_t colour(const colouring *c, clv_dart dart) {
  return c->colours[dart >> 4] >> 2 * (dart & 15u) & 3u;
}

static void push_dart(colouring *c, clv_dart dart, uint32_t side) {
  c->colours[dart >> 4] |= (side + 1u) << 2 * (dart & 15u);
  c->queue[c->tail++] = dart;
}

// A plain cell has one bit, so it is coloured whole from the dart that is reached first.
static void push(colouring *c, clv_dart dart, uint32_t side) {
  if (map_record(c->m, dart) != MAP_NO_RECORD) {
    push_dart(c, dart, side);
    return;
  }
  const uint32_t count = clv_templates[map_page(c->m, dart).kind].dart_count, even = side ^ (dart & 1u);
  for (uint32_t l = 0; l < count; l++) push_dart(c, (dart & ~63u) | l, even ^ (l & 1u));
}

// Colours one component from a dart, which keeps its side; counts the links that join equal sides.
static uint32_t colour_component(colouring *c, clv_dart start) {
  const clv_map *view = &c->m->view;
  uint32_t twisted = 0;
  c->head = c->tail = 0;
  push(c, start, map_side(c->m, start));
  while (c->head < c->tail) {
    const clv_dart dart = c->queue[c->head++];
    const uint32_t side = colour(c, dart) - 1u;
    for (uint32_t i = 0; i <= view->dimension; i++) {
      const clv_dart beyond = clv_alpha(view, dart, i);
      if (beyond == dart) continue;
      if (!colour(c, beyond)) push(c, beyond, side ^ 1u);
      twisted += colour(c, beyond) - 1u == side;
    }
  }
  return twisted;
}

static void store_side(map *m, clv_dart dart, uint32_t side) {
  const uint32_t record = map_record(m, dart);
  if (record != MAP_NO_RECORD) {
    uint32_t *cell = &m->records.cell.data[record];
    *cell = (*cell & ~MAP_SIDE) | side << 31;
  }
  const clv_page page = map_page(m, dart);
  if (!map_is_template(page.kind) || (dart & 63u)) return;
  uint16_t *state = &m->rows[page.kind].state.data[map_row(page, dart)];
  *state = (uint16_t)((*state & ~MAP_TURNED) | (side ? MAP_TURNED : 0));
}

void map_recolour(map *m) {
  const uint64_t words = colour_words(m);
  colouring c = {.m = m, .colours = m->scratch->sides.data, .queue = m->scratch->sides.data + words};
  memset(c.colours, 0, words * sizeof *c.colours);
  m->twisted = 0;
  for (clv_dart d = clv_dart_next(&m->view, 0); d; d = clv_dart_next(&m->view, d)) {
    if (colour(&c, d)) continue;
    m->twisted += colour_component(&c, d);
    for (uint32_t k = 0; k < c.tail; k++) store_side(m, c.queue[k], colour(&c, c.queue[k]) - 1u);
  }
}
