// Refining one cell: eight children (four in 2D) in its place.
//
// What the children look like is a constant of the shape (refine.h), so they are made as template cells at once, linked
// to each other by the table. The cells about the parent get what they lack: a vertex in the middle of an edge, and
// edges across a face; they are extended for that, and keep their names and their rows. Where finer neighbours were
// here before, the parent has darts of theirs: those at the places of a child's own darts are dropped with the parent,
// those in between go over to the child, which is extended then, too.
//
// What is known of ids is written down: a dart of a child lies on the vertex, edge and face that a dart of the parent
// lay on, or on some of them (MAP_INHERIT). So the commit finds orbits of the parent parted among the children.

#include "map/plan.h"

#include <assert.h>

static bool is_own(const map_refining *r, clv_dart dart) {
  return dart >> 6 == r->border.cell >> 6;
}

static clv_result refuse_fold(map_refining *r) {
  return map_fail(r->m, CLV_ERROR_REFUSED, "the cell of dart %u meets itself: it cannot be refined", r->border.cell);
}

// What is beyond

static bool is_folded(const map_refining *r, clv_dart beyond) {
  return map_block(r->m, beyond) == r->border.cell >> 6;
}

// A cell without records has no darts but its own, and faces one cell at each facet.
static clv_result look_beyond_facets(map_refining *r) {
  const clv_template *shape = r->border.shape;
  const clv_page page = map_page(r->m, r->border.cell);
  const uint32_t *links = &r->m->rows[page.kind].data.data[(size_t)map_row(page, r->border.cell) * shape->facet_count];
  for (uint32_t f = 0; f < shape->facet_count; f++) {
    const uint32_t first = 4u * shape->facet_first[f];
    if (!links[f]) continue;
    if (is_folded(r, links[f])) return refuse_fold(r);
    map_read_facet(r->m, links[f], shape->facet_size[f], r->beyond + first);
  }
  return CLV_OK;
}

// What a place with a record faces; whether that is the cell itself.
static bool look_from(map_refining *r, uint32_t at) {
  const map *m = r->m;
  const clv_dart beyond = m->records.alpha.data[4 * (size_t)r->border.records[at] + m->view.dimension];
  if (beyond == r->border.darts[at]) return false;
  r->beyond[at] = beyond;
  return is_folded(r, beyond);
}

static clv_result look_beyond(map_refining *r) {
  if (r->was_plain) return look_beyond_facets(r);
  const map_border *b = &r->border;
  bool folded = false;
  for (uint32_t l = 0; l < b->shape->dart_count; l++) folded |= look_from(r, 4 * l);
  for (uint32_t k = 0; k < b->hung_count; k++) folded |= look_from(r, b->hung[k]);
  return folded ? refuse_fold(r) : CLV_OK;
}

// The dart of a cell that is to be changed, with its record.
static clv_result extend(map_refining *r, clv_dart dart, map_seat *seat) {
  *seat = map_seat_of(r->m, dart);
  if (seat->record != MAP_NO_RECORD) return CLV_OK;
  if (!map_note_extension(r, dart)) return map_no_memory(r->m);
  const clv_result result = map_extend(r->m, dart);
  if (result != CLV_OK) return result;
  *seat = map_seat_of(r->m, dart);
  return CLV_OK;
}

// The cell of a new dart beside an old one of the same cell: it lies on the other side.
static uint32_t cell_beside(const map *m, map_seat seat) {
  return (m->records.cell.data[seat.record] & (MAP_SIDE | MAP_BLOCK)) ^ MAP_SIDE;
}

// Two darts in the middle of an edge, in the plane.
static clv_result halve_in_face(map_refining *r, uint32_t l) {
  map *m = r->m;
  map_seat ends[2], new[2];
  const clv_result result = extend(r, r->beyond[4 * l], &ends[0]);
  if (result != CLV_OK) return result;
  if (!map_records_reserve(m, 2) || !map_log_reserve(m, 2 * 4)) return map_no_memory(m);
  ends[1] = map_follow(m, ends[0], 0);
  const uint32_t cells[2] = {cell_beside(m, ends[0]), cell_beside(m, ends[1])};
  map_hang(m, 2, cells, r->border.level + 1, new);
  map_write *log = map_log_end(m);
  for (uint32_t e = 0; e < 2; e++) {
    const clv_dart old = ends[e].dart, here = new[e].dart, other = new[e ^ 1u].dart;
    uint32_t *whole = &m->records.alpha.data[4 * (size_t)ends[e].record];
    uint32_t *alpha = &m->records.alpha.data[4 * (size_t) new[e].record];
    map_note_alpha(log++, old, 0, *whole, here);
    map_note_alpha(log++, here, 0, here, old);
    map_note_alpha(log++, here, 1, here, other);
    *whole = here;
    alpha[0] = old;
    alpha[1] = other;
    r->beyond[4u * (e ? r->border.shape->alpha[0][l] : l) + 1] = here;
  }
  map_log_set_end(m, log);
  return CLV_OK;
}

// In space, where it is done most, an edge of a cell gets four darts in its middle, beside four. There is room for
// them.
enum { MIDDLES = 4, MIDDLE_WRITES = MIDDLES * 5 + 4 };

// Those of one cell are joined to those of the cell before.
static map_write *join_middles(map *m, const map_seat before[MIDDLES], const map_seat new[MIDDLES], map_write *log) {
  uint32_t *const links = m->records.alpha.data;
  for (uint32_t k = 0; k < MIDDLES; k += 2) {
    const map_seat far = before[k + 1], near = new[k];
    map_note_alpha(log, far.dart, 3, far.dart, near.dart);
    map_note_alpha(log + 1, near.dart, 3, near.dart, far.dart);
    log += 2;
    links[4 * (size_t)far.record + 3] = near.dart;
    links[4 * (size_t)near.record + 3] = far.dart;
  }
  return log;
}

// Halves the edge of x in its cell. `l` is the dart of the parent whose edge it is; new[0] and new[2] lie on the side
// of x, new[1] and new[3] across, and are joined to those that the next cell gets. *last: those of the cell before;
// none where .dart is 0.
static void halve_in_volume(map_refining *r, uint32_t l, map_seat x, map_seat last[MIDDLES]) {
  map *m = r->m;
  const map_seat end = map_follow(m, x, 0);
  const map_seat old[MIDDLES] = {x, map_follow(m, x, 2), end, map_follow(m, end, 2)};
  map_seat new[MIDDLES];
  uint32_t cells[MIDDLES];
  for (uint32_t k = 0; k < MIDDLES; k++) cells[k] = cell_beside(m, old[k]);
  map_hang(m, MIDDLES, cells, r->border.level + 1, new);
  uint32_t *const links = m->records.alpha.data;
  map_write *log = map_log_end(m);
  for (uint32_t k = 0; k < MIDDLES; k++) {
    const clv_dart beside = old[k].dart, here = new[k].dart, along = new[k ^ 2u].dart, across = new[k ^ 1u].dart;
    uint32_t *whole = links + 4 * (size_t)old[k].record, *alpha = links + 4 * (size_t) new[k].record;
    map_note_alpha(log, beside, 0, *whole, here);
    map_note_alpha(log + 1, here, 0, here, beside);
    map_note_alpha(log + 2, here, 1, here, along);
    map_note_alpha(log + 3, here, 2, here, across);
    log += 4;
    *whole = here;
    alpha[0] = beside;
    alpha[1] = along;
    alpha[2] = across;
  }
  if (last[0].dart) log = join_middles(m, last, new, log);
  map_log_set_end(m, log);
  map_note_middles(r, l, old, new);
  memcpy(last, new, sizeof new);
}

// The dart in the next cell round an edge; 0 where there is none.
static clv_dart next_round(const map *m, map_seat x) {
  const map_seat out = map_follow(m, x, 2);
  const clv_dart next = m->records.alpha.data[4 * (size_t)out.record + 3];
  return next == out.dart ? CLV_NO_DART : next;
}

// Goes round an edge from the facet of l and extends all cells on the way, before one is changed: what a plain cell
// faces is told by links that go along its facets. So there is room for all that comes, too. Where they are stands in
// the scratch; *end is the parent again, on the other side, or nothing.
static clv_result extend_round(map_refining *r, uint32_t l, clv_dart *end) {
  map *m = r->m;
  map_scratch *s = m->scratch;
  clv_dart x = r->beyond[4 * l];
  s->round.count = 0;
  while (x && !is_own(r, x)) {
    map_seat seat;
    const clv_result result = extend(r, x, &seat);
    if (result != CLV_OK) return result;
    if (!BASE_RESERVE(&m->allocator, &s->round, (uint64_t)s->round.count + 1)) return map_no_memory(m);
    s->round.data[s->round.count++] = seat;
    x = next_round(m, seat);
  }
  *end = x;
  const uint32_t count = s->round.count;
  const bool room = map_records_reserve(m, (uint64_t)count * MIDDLES) && map_log_reserve(m, count * MIDDLE_WRITES) &&
                    map_reserve_notes(r, count * MIDDLES);
  return room ? CLV_OK : map_no_memory(m);
}

// Halves an edge in the cells on the way round it from the facet of l; *round is set when that leads to the parent.
static clv_result halve_from(map_refining *r, uint32_t l, bool *round) {
  const clv_template *shape = r->border.shape;
  const map_scratch *s = r->m->scratch;
  const uint32_t other = shape->alpha[2][l], ends[2] = {l, shape->alpha[0][l]};
  clv_dart end = CLV_NO_DART;
  const clv_result result = extend_round(r, l, &end);
  if (result != CLV_OK) return result;
  if (end && end != (r->border.cell | other)) return refuse_fold(r);
  map_seat last[MIDDLES] = {{0, 0}};
  for (uint32_t k = 0; k < s->round.count; k++) {
    halve_in_volume(r, l, s->round.data[k], last);
    for (uint32_t e = 0; k == 0 && e < 2; e++) r->beyond[4 * ends[e] + 1] = last[2 * e].dart;
  }
  for (uint32_t e = 0; end && e < 2; e++) r->beyond[4u * shape->alpha[2][ends[e]] + 1] = last[2 * e + 1].dart;
  *round = end;
  return CLV_OK;
}

static clv_result halve_edges(map_refining *r) {
  const clv_template *shape = r->border.shape;
  const clv_suborbits *edges = &shape->sub[shape->dimension == 2 ? 1 : 5];
  clv_result result = CLV_OK;
  for (uint32_t e = 0; result == CLV_OK && e < edges->count; e++) {
    const uint32_t l = edges->first[e];
    if (r->border.darts[4 * l + 1]) continue;
    if (shape->dimension == 2) {
      if (r->beyond[4 * l]) result = halve_in_face(r, l);
      continue;
    }
    bool round = false;
    result = halve_from(r, l, &round);
    if (result == CLV_OK && !round) result = halve_from(r, shape->alpha[2][l], &round);
  }
  return result;
}

// Edges across the faces beyond. The new darts lie to each other as those of the parent would.

// Links new[k], at its place, to those about it; the first of two has the middle of an edge beside it.
static map_write *link_across(map_refining *r, uint32_t at, map_seat new, map_write *log) {
  uint32_t *const links = r->m->records.alpha.data, *alpha = links + 4 * (size_t) new.record;
  const uint8_t *to = r->table->border[at];
  const clv_dart along = r->beyond[to[0]], beside = r->beyond[to[1]], across = r->beyond[to[2]];
  map_note_alpha(log, new.dart, 0, new.dart, along);
  map_note_alpha(log + 1, new.dart, 1, new.dart, beside);
  map_note_alpha(log + 2, new.dart, 2, new.dart, across);
  alpha[0] = along;
  alpha[1] = beside;
  alpha[2] = across;
  if (at & 1u) return log + 3;
  uint32_t *word = &links[4 * (size_t)map_own_record(r->m, beside) + 1];
  map_note_alpha(log + 3, beside, 1, *word, new.dart);
  *word = new.dart;
  return log + 4;
}

static clv_result split_beyond(map_refining *r, uint32_t facet) {
  enum { MOST = 8 }; // darts of a facet
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint32_t first = 4u * shape->facet_first[facet], size = shape->facet_size[facet];
  map_seat seat, new[2 * MOST];
  uint32_t cells[2 * MOST];
  const clv_result result = extend(r, r->beyond[first], &seat);
  if (result != CLV_OK) return result;
  if (!map_records_reserve(m, 2 * size) || !map_log_reserve(m, 2 * size * 5) || !map_reserve_notes(r, 2 * size))
    return map_no_memory(m);
  for (uint32_t k = 0; k < size; k++) {
    const clv_dart middle = r->beyond[first + 4 * k + 1];
    assert(r->beyond[first + 4 * k] && middle);
    cells[2 * k] = cell_beside(m, (map_seat){middle, map_own_record(m, middle)});
    cells[2 * k + 1] = cells[2 * k] ^ MAP_SIDE;
  }
  map_hang(m, 2 * size, cells, r->border.level + 1, new);
  for (uint32_t k = 0; k < size; k++) {
    r->beyond[first + 4 * k + 2] = new[2 * k].dart;
    r->beyond[first + 4 * k + 3] = new[2 * k + 1].dart;
  }
  map_write *log = map_log_end(m);
  for (uint32_t k = 0; k < size; k++) {
    log = link_across(r, first + 4 * k + 2, new[2 * k], log);
    log = link_across(r, first + 4 * k + 3, new[2 * k + 1], log);
  }
  map_log_set_end(m, log);
  map_note_across(r, facet, new);
  return CLV_OK;
}

// A face that is not divided is one in the parent, so all of it faces one cell, or none. One that finer neighbours
// divided is so on both sides, and may be free in part, where some of them are gone.
static clv_result split_faces(map_refining *r) {
  const clv_template *shape = r->border.shape;
  clv_result result = CLV_OK;
  for (uint32_t f = 0; shape->dimension == 3 && result == CLV_OK && f < shape->facet_count; f++) {
    const uint32_t at = 4u * shape->facet_first[f];
    if (r->beyond[at] && !r->border.darts[at + 2]) result = split_beyond(r, f);
  }
  return result;
}

// Children

// The links of a plain child's facets.
static uint32_t *links_of(const map_refining *r, uint32_t child) {
  const clv_page page = map_page(r->m, r->children[child]);
  return &r->m->rows[page.kind].data.data[(size_t)map_row(page, r->children[child]) * r->border.shape->facet_count];
}

static clv_result add_children(map_refining *r) {
  const map_refinement *table = r->table;
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const bool turned = map_side(m, r->border.cell);
  const bool room = map_rows_reserve(m, table->kind, table->child_count) &&
                    map_log_reserve(m, (2u + shape->facet_count) * table->child_count + 1);
  clv_result result = room ? CLV_OK : map_no_memory(m);
  if (result == CLV_OK) map_put_cells(m, (clv_kind)table->kind, table->child_count, r->children);
  for (uint32_t c = 0; turned && result == CLV_OK && c < table->child_count; c++) result = map_turn(m, r->children[c]);
  if (result != CLV_OK) return result;
  map_write *log = map_log_end(m);
  for (uint32_t c = 0; c < table->child_count; c++) {
    uint32_t *const links = links_of(r, c);
    for (uint32_t f = 0; f < shape->facet_count; f++) {
      const map_child_dart link = table->children[c].link[f];
      const bool inside = link.child != MAP_NOWHERE;
      const clv_dart beyond = r->children[inside ? link.child : 0] | link.dart;
      *log = (map_write){.op = MAP_LINK, .dart = r->children[c] | shape->facet_first[f], .after = beyond};
      log += inside; // one on the border is written over
      links[f] = beyond & (0u - inside);
    }
  }
  map_log_set_end(m, log);
  return CLV_OK;
}

// True when finer vertices lie on the part of the border that is a child's.
static bool has_finer(const map_refining *r, uint32_t child) {
  const uint8_t *at = r->table->children[child].at;
  const clv_dart *darts = r->border.darts;
  for (uint32_t l = 0; r->border.finer && l < r->border.shape->dart_count; l += 2) { // a0 joins even darts and odd ones
    if (at[l] == MAP_NOWHERE || !darts[at[l]] || !darts[at[l + 1]]) continue;
    if (map_alpha(r->m, darts[at[l]], 0) != darts[at[l + 1]]) return true;
  }
  return false;
}

clv_result map_face(map *m, clv_dart beyond, clv_dart dart) {
  if (map_record(m, beyond) != MAP_NO_RECORD) return map_set_alpha(m, beyond, m->view.dimension, dart);
  const clv_template *shape = &clv_templates[map_page(m, beyond).kind];
  return shape->position[beyond & 63u] ? CLV_OK : map_link(m, beyond, dart);
}

// Finer darts that were joined to a dart of the parent are joined to the child's in its place.
static clv_result take_over(map_refining *r, uint32_t child) {
  map *m = r->m;
  const uint8_t *at = r->table->children[child].at;
  map_break_lineage(r);
  clv_result result = map_extend(m, r->children[child]);
  for (uint32_t l = 0; result == CLV_OK && l < r->border.shape->dart_count; l++) {
    const clv_dart dart = at[l] == MAP_NOWHERE ? CLV_NO_DART : r->border.darts[at[l]];
    const clv_dart next = dart ? map_alpha(m, dart, 0) : CLV_NO_DART;
    const clv_dart other = dart ? r->border.darts[at[l ^ 1u]] : CLV_NO_DART;
    if (dart && other && next != other) result = map_join(m, 0, r->children[child] | l, next);
  }
  return result;
}

// A facet of a child that was extended for what is finer: every dart has a link.
static clv_result sew_finer(map_refining *r, uint32_t child, uint32_t facet) {
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint32_t first = shape->facet_first[facet], end = first + shape->facet_size[facet];
  const uint8_t *at = r->table->children[child].at;
  clv_result result = CLV_OK;
  for (uint32_t l = first; result == CLV_OK && l < end; l++) {
    const clv_dart beyond = r->beyond[at[l]], dart = r->children[child] | l;
    if (!beyond) continue;
    result = map_set_alpha(m, dart, shape->dimension, beyond);
    if (result == CLV_OK) result = map_face(m, beyond, dart);
  }
  return result;
}

// A facet of a plain child: its first dart has the link. What is beyond is one cell, that may be plain, too, and speak
// with its first dart then. There is room in the log.
static void sew_facet(map_refining *r, uint32_t child, uint32_t facet) {
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint32_t first = shape->facet_first[facet], end = first + shape->facet_size[facet], n = shape->dimension;
  const uint8_t *at = r->table->children[child].at;
  const clv_dart cell = r->children[child], faced = r->beyond[at[first]];
  if (!faced) return;
  map_write *log = map_log_end(m);
  *log++ = (map_write){.op = MAP_LINK, .dart = cell | first, .after = faced};
  links_of(r, child)[facet] = faced;
  if (map_record(m, faced) == MAP_NO_RECORD) {
    map_log_set_end(m, log);
    const uint8_t *position = clv_templates[map_page(m, faced).kind].position;
    uint32_t l = first;
    while (position[r->beyond[at[l]] & 63u]) l++;
    map_put_link(m, r->beyond[at[l]], cell | l);
    return;
  }
  uint32_t *const facing = m->records.alpha.data + n;
  const uint32_t *const seats = m->seats.data;
  for (uint32_t l = first; l < end; l++) {
    const clv_dart beyond = r->beyond[at[l]];
    uint32_t *word = &facing[4 * (size_t)(seats[beyond >> 6] + (beyond & 63u))];
    map_note_alpha(log++, beyond, n, *word, cell | l);
    *word = cell | l;
  }
  map_log_set_end(m, log);
}

static clv_result settle_child(map_refining *r, uint32_t child) {
  const clv_template *shape = r->border.shape;
  const bool finer = has_finer(r, child);
  clv_result result = finer ? take_over(r, child) : CLV_OK;
  if (result == CLV_OK && !map_log_reserve(r->m, shape->dart_count + shape->facet_count)) return map_no_memory(r->m);
  const map_refined_child *table = &r->table->children[child];
  for (uint32_t k = 0; result == CLV_OK && k < table->outer_count; k++) {
    if (finer)
      result = sew_finer(r, child, table->outer[k]);
    else
      sew_facet(r, child, table->outer[k]);
  }
  return result;
}

// What the heirs of a refined cell have, and where in the log each child's part begins.
typedef struct heirs {
  uint32_t start[8];
  uint32_t corners[8], edges[8]; // places of a child that bear an id, as bits
} heirs;

// What a child has if the parent has no darts but its own: everything at a corner; the edge and the face, in the middle
// of an edge; the face, across it. The child's first dart has the cell, at least; those inside the parent have nothing
// else.
static map_write *inherit_of_whole(const map_refining *r, uint32_t child, map_write *log) {
  static const uint8_t apart[4] = {0, 1, 3, 3};
  const clv_template *shape = r->border.shape;
  const map_refined_child *table = &r->table->children[child];
  const clv_dart cell = r->children[child], parent = r->border.cell;
  const uint8_t whole = (uint8_t)((1u << shape->dimension) - 1u);
  if (table->at[0] == MAP_NOWHERE) *log++ = (map_write){.op = MAP_INHERIT, .i = whole, .dart = cell, .before = parent};
  for (uint32_t k = 0; k < table->outer_count; k++) {
    const uint32_t first = shape->facet_first[table->outer[k]], end = first + shape->facet_size[table->outer[k]];
    for (uint32_t l = first; l < end; l++) {
      const uint32_t at = table->at[l];
      *log++ = (map_write){.op = MAP_INHERIT, .i = apart[at & 3u], .dart = cell | l, .before = parent | at >> 2};
    }
  }
  return log;
}

// Where the parent had another dart that bears ids, the child has all of it; one that this transaction added bears
// none, but tells the place.
static void inherit_of_hung(map_refining *r, heirs *h) {
  const map_border *b = &r->border;
  const uint8_t *corner = b->shape->sub[6].of, *edge = b->shape->sub[5].of;
  for (uint32_t k = 0; k < b->hung_count; k++) {
    const uint32_t at = b->hung[k], all = b->bears[at], none = all - 1; // one of them is 0, as a mask
    const map_child_dart home = r->table->home[at];
    map_write *w = &r->m->log.data[h->start[home.child] + r->table->rank[at]];
    w->before = (w->before & none) | (b->darts[at] & ~none);
    w->i &= (uint8_t)none;
    w->after = b->darts[at] & none;
    h->corners[home.child] |= all << corner[home.dart];
    h->edges[home.child] |= all << edge[home.dart];
  }
}

static clv_result settle_children(map_refining *r) {
  map *m = r->m;
  const map_refinement *table = r->table;
  const uint32_t begin = m->log.count;
  heirs h;
  for (uint32_t c = 0; c < table->child_count; c++) {
    const clv_result result = settle_child(r, c);
    if (result != CLV_OK) return result;
    if (!map_log_reserve(m, r->border.shape->dart_count)) return map_no_memory(m);
    h.start[c] = m->log.count;
    h.corners[c] = table->children[c].corners;
    h.edges[c] = table->children[c].edges;
    map_log_set_end(m, inherit_of_whole(r, c, map_log_end(m)));
  }
  inherit_of_hung(r, &h);
  for (uint32_t c = 0; r->told && c < table->child_count; c++) map_note_heir(r, c, h.corners[c], h.edges[c]);
  for (uint32_t k = begin; !r->told && k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op == MAP_INHERIT) map_take_ids(m, w.dart, w.i, w.before);
  }
  return CLV_OK;
}

static map_write *drop_at(const map_refining *r, uint32_t at, map_write *log) {
  *log = (map_write){.op = MAP_DART_DROP, .dart = r->border.darts[at]};
  r->m->records.name.data[r->border.records[at]] = 0;
  return log + 1;
}

static clv_result drop_parent(map_refining *r) {
  map *m = r->m;
  const map_border *b = &r->border;
  if (r->was_plain) return map_cell_drop(m, b->cell);
  if (!map_log_reserve(m, 4u * b->shape->dart_count)) return map_no_memory(m);
  r->dropped = m->log.count;
  map_write *log = map_log_end(m);
  for (uint32_t l = 0; l < b->shape->dart_count; l++) log = drop_at(r, 4 * l, log);
  for (uint32_t k = 0; k < b->hung_count; k++) log = drop_at(r, b->hung[k], log);
  map_log_set_end(m, log);
  r->dropped_count = m->log.count - r->dropped;
  m->records.alive -= r->dropped_count;
  return CLV_OK;
}

static clv_result report(map_refining *r, clv_refined *out) {
  map *m = r->m;
  clv_refined all = {.child_count = r->table->child_count};
  if (!map_log_reserve(m, r->table->birth_count)) return map_no_memory(m);
  memcpy(all.children, r->children, sizeof all.children);
  for (uint32_t k = 0; k < r->table->birth_count; k++) {
    const map_birth *birth = &r->table->births[k];
    if (birth->at != MAP_NOWHERE && r->border.darts[birth->at]) continue;
    const clv_dart seat = map_child_at(r, birth->seat);
    all.vertices[all.vertex_count++] = seat;
    m->log.data[m->log.count++] = (map_write){.op = MAP_PARENTS,
                                              .dart = seat,
                                              .before = map_child_at(r, birth->ends[0]),
                                              .after = map_child_at(r, birth->ends[1])};
  }
  if (out) *out = all;
  return CLV_OK;
}

static clv_result refine(map_refining *r, clv_refined *out) {
  clv_result result = map_find_border(&r->border);
  if (result == CLV_OK) result = look_beyond(r);
  if (result == CLV_OK) result = map_find_crossings(r);
  if (result == CLV_OK) result = map_lineage_begin(r);
  if (result == CLV_OK) result = halve_edges(r);
  if (result == CLV_OK) result = split_faces(r);
  if (result == CLV_OK) result = add_children(r);
  if (result == CLV_OK) result = settle_children(r);
  if (result == CLV_OK) result = map_halve_crossings(r);
  if (result == CLV_OK) result = drop_parent(r);
  return result == CLV_OK ? report(r, out) : result;
}

// Records for so many: each may extend all cells about it, as long as there are any.
static uint64_t records_for(const map *m, uint64_t cells) {
  enum { ABOUT = 20, HUNG = 100 };
  const uint64_t alive = m->rows[CLV_TET].alive, extended = cells * ABOUT < alive ? cells * ABOUT : alive;
  return extended * clv_templates[CLV_TET].dart_count + cells * HUNG;
}

// Records move when they grow, which is dear: who refines one cell mostly refines more.
clv_result map_expect_refining(map *m, uint32_t cells) {
  enum { ENTRIES = 1200, MORE = 32 };
  if (m->view.dimension != 3 || !m->rows[CLV_TET].alive) return CLV_OK;
  const bool ready = m->records.count + records_for(m, cells) <= m->records.ready;
  const bool room = (ready || map_records_reserve(m, records_for(m, cells < MORE ? MORE : cells))) &&
                    map_rows_reserve(m, CLV_TET, (uint64_t)cells * 8) &&
                    BASE_RESERVE(&m->allocator, &m->log, m->log.count + (uint64_t)cells * ENTRIES) &&
                    map_lineage_expect(m, cells);
  return room ? CLV_OK : map_no_memory(m);
}

// The first dart of the cell of a dart. One that hangs in it may have come over from the cell's parent, and answers
// with that until the commit: a corner of the cell is asked.
static clv_result find_cell(map *m, clv_dart dart, clv_dart *cell) {
  *cell = dart & ~63u;
  if (map_page(m, dart).kind != MAP_KIND_DARTS) return CLV_OK;
  clv_walk darts;
  map_walk_init(&darts, m);
  const bool walked = map_walk_darts(&darts, m, clv_orbit_dims(&m->view, CLV_CELL), dart);
  *cell = map_block(m, dart) << 6;
  for (uint32_t k = 0; walked && k < darts.count; k++) {
    if (map_page(m, darts.darts[k]).kind == MAP_KIND_DARTS) continue;
    *cell = darts.darts[k] & ~63u;
    break;
  }
  clv_walk_end(&darts);
  return walked ? CLV_OK : map_no_memory(m);
}

// What is not set here is written before it is read: it is much, and most of it is for larger shapes.
static void start(map_refining *r, map *m, clv_dart cell, int32_t level, const int32_t *levels) {
  const clv_template *shape = &clv_templates[map_page(m, cell).kind];
  const size_t places = 4u * shape->dart_count;
  r->m = r->border.m = m;
  r->border.levels = levels;
  r->border.cell = cell;
  r->border.level = level;
  r->border.shape = shape;
  r->border.finer = false;
  memset(r->beyond, 0, places * sizeof *r->beyond);
  r->was_plain = map_dart_plain(m, cell);
  r->begun = r->told = false;
  r->dropped = r->dropped_count = 0;
  r->crossings = (map_words){0};
  map_walk_init(&r->pieces, m);
}

clv_result clv_map_refine(clv_map *view, clv_dart dart, uint32_t level, const int32_t *levels, clv_refined *refined) {
  map *m = map_of(view);
  clv_dart cell = CLV_NO_DART;
  clv_result result = map_editable(m, &dart, 1);
  if (result == CLV_OK) result = find_cell(m, dart, &cell);
  if (result != CLV_OK) return result;
  const uint32_t kind = map_page(m, cell).kind;
  const map_refinement *table = map_refinement_of(kind, cell == (dart & ~63u) ? dart & 63u : 0);
  if (!table)
    return map_fail(m, CLV_ERROR_REFUSED,
                    "the cell of dart %u cannot be refined: only triangles, quadrangles, tetrahedra and hexahedra can",
                    dart);
  if (level > CLV_REFINED_LEVELS)
    return map_fail(m, CLV_ERROR_REFUSED, "the cell of dart %u cannot be refined: level %u is the last", dart,
                    CLV_REFINED_LEVELS + 1);
  map_refining r;
  start(&r, m, cell, (int32_t)level, levels);
  r.table = table;
  const uint32_t mark = m->log.count;
  const clv_result refined_so = map_lineage_end(&r, refine(&r, refined));
  clv_walk_end(&r.pieces);
  BASE_RELEASE(&m->allocator, &r.crossings);
  return map_end_edit(m, mark, refined_so);
}
