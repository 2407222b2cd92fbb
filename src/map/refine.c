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

#include "map/lineage.h"

#include <assert.h>

clv_result map_refining_add(map_refining *r, clv_dart beside, clv_dart *added) {
  return map_dart_hang(r->m, map_side(r->m, beside) ^ 1u, r->border.level + 1, map_block(r->m, beside), added);
}

static bool is_own(const map_refining *r, clv_dart dart) {
  return dart >> 6 == r->border.cell >> 6;
}

static clv_result refuse_fold(map_refining *r) {
  return map_fail(r->m, CLV_ERROR_REFUSED, "the cell of dart %u meets itself: it cannot be refined", r->border.cell);
}

// What is beyond

static clv_result look_beyond(map_refining *r) {
  const uint32_t step = r->was_plain ? 4 : 1; // it has no darts but its own
  for (uint32_t at = 0; at < 4u * r->border.shape->dart_count; at += step) {
    const clv_dart dart = r->border.darts[at];
    const clv_dart beyond = dart ? map_alpha(r->m, dart, r->m->view.dimension) : CLV_NO_DART;
    r->beyond[at] = beyond == dart ? CLV_NO_DART : beyond;
    if (r->beyond[at] && map_block(r->m, beyond) == r->border.cell >> 6) return refuse_fold(r);
  }
  return CLV_OK;
}

// The new darts in the middle of an edge of one cell: of its dart x, of a0(x), and in 3D of the two across, by a2.
typedef struct middle {
  clv_dart here[2], across[2];
} middle;

static clv_result extend(map_refining *r, clv_dart dart) {
  map_note_extension(r, dart);
  return map_extend(r->m, dart);
}

static clv_result halve_in_face(map_refining *r, clv_dart x, middle *new) {
  map *m = r->m;
  const clv_dart ends[2] = {x, map_alpha(m, x, 0)};
  clv_result result = extend(r, x);
  for (uint32_t e = 0; result == CLV_OK && e < 2; e++) {
    result = map_refining_add(r, ends[e], &new->here[e]);
    if (result == CLV_OK) result = map_join(m, 0, ends[e], new->here[e]);
  }
  return result == CLV_OK ? map_join(m, 1, new->here[0], new->here[1]) : result;
}

// The same in space, where it is done most: four darts beside four, all in one cell. `l` is the dart of the parent
// whose edge it is.
static clv_result halve_in_volume(map_refining *r, uint32_t l, clv_dart x, middle *new) {
  enum { DARTS = 4, WRITES = DARTS * 5 };
  map *m = r->m;
  const clv_result result = extend(r, x);
  if (result != CLV_OK) return result;
  if (!map_records_reserve(m, DARTS) || !map_log_reserve(m, WRITES)) return map_no_memory(m);
  const clv_dart ends[2] = {x, map_alpha(m, x, 0)};
  const clv_dart old[DARTS] = {ends[0], map_alpha(m, ends[0], 2), ends[1], map_alpha(m, ends[1], 2)};
  uint32_t beside[DARTS], records[DARTS];
  clv_dart darts[DARTS];
  for (uint32_t k = 0; k < DARTS; k++) {
    beside[k] = map_record(m, old[k]);
    const uint32_t cell = m->records.cell.data[beside[k]];
    records[k] = map_hang(m, cell >> 31 ^ 1u, r->border.level + 1, cell & MAP_BLOCK, &darts[k]);
  }
  for (uint32_t k = 0; k < DARTS; k++) {
    map_put_alpha(m, beside[k], old[k], 0, darts[k]);
    map_put_alpha(m, records[k], darts[k], 0, old[k]);
    map_put_alpha(m, records[k], darts[k], 1, darts[k ^ 2u]);
    map_put_alpha(m, records[k], darts[k], 2, darts[k ^ 1u]);
  }
  *new = (middle){{darts[0], darts[2]}, {darts[1], darts[3]}};
  map_note_middles(r, l, ends, darts);
  return CLV_OK;
}

// The dart in the next cell round an edge; 0 where there is none.
static clv_dart next_round(const map *m, clv_dart x) {
  const clv_dart out = map_alpha(m, x, 2), next = map_alpha(m, out, 3);
  return next == out ? CLV_NO_DART : next;
}

// All of them are extended before one is changed: what a plain cell faces is told by links that go along its facets.
static clv_result extend_round(map_refining *r, uint32_t l) {
  clv_result result = CLV_OK;
  for (clv_dart x = r->beyond[4 * l]; result == CLV_OK && x && !is_own(r, x); x = next_round(r->m, x))
    result = extend(r, x);
  return result;
}

// Goes round an edge from the facet of l; *round is set when it comes to the parent again, on the other side.
static clv_result halve_from(map_refining *r, uint32_t l, bool *round) {
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint32_t other = shape->alpha[2][l], end[2] = {l, shape->alpha[0][l]};
  clv_result result = extend_round(r, l);
  middle last = {{0}, {0}};
  *round = false;
  for (clv_dart x = r->beyond[4 * l]; result == CLV_OK && x;) {
    if (is_own(r, x)) {
      if (x != (r->border.cell | other)) return refuse_fold(r);
      *round = true;
      for (uint32_t e = 0; e < 2; e++) r->beyond[4u * shape->alpha[2][end[e]] + 1] = last.across[e];
      break;
    }
    middle new = {{0}, {0}};
    result = halve_in_volume(r, l, x, &new);
    if (result != CLV_OK) break;
    for (uint32_t e = 0; e < 2; e++) {
      if (!last.here[e])
        r->beyond[4 * end[e] + 1] = new.here[e];
      else if (result == CLV_OK)
        result = map_join(m, 3, last.across[e], new.here[e]);
    }
    last = new;
    x = next_round(m, x);
  }
  return result;
}

static clv_result halve_edges(map_refining *r) {
  const clv_template *shape = r->border.shape;
  clv_result result = CLV_OK;
  for (uint32_t l = 0; result == CLV_OK && l < shape->dart_count; l++) {
    const bool first = l < shape->alpha[0][l] && (shape->dimension == 2 || l < shape->alpha[2][l]) &&
                       (shape->dimension == 2 || l < shape->alpha[2][shape->alpha[0][l]]);
    if (!first || r->border.darts[4 * l + 1]) continue;
    if (shape->dimension == 2) {
      middle new = {.here = {0}};
      if (!r->beyond[4 * l]) continue;
      result = halve_in_face(r, r->beyond[4 * l], &new);
      r->beyond[4 * l + 1] = new.here[0];
      r->beyond[4u * shape->alpha[0][l] + 1] = new.here[1];
      continue;
    }
    bool round = false;
    result = halve_from(r, l, &round);
    if (result == CLV_OK && !round) result = halve_from(r, shape->alpha[2][l], &round);
  }
  return result;
}

// Edges across the faces beyond. The new darts lie to each other as those of the parent would.

static clv_result split_beyond(map_refining *r, uint32_t facet) {
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint32_t first = shape->facet_first[facet], size = shape->facet_size[facet], end = first + size;
  uint32_t records[MAP_POSITIONS]; // of the darts that come
  const clv_result result = extend(r, r->beyond[4 * first]);
  if (result != CLV_OK) return result;
  if (!map_records_reserve(m, 2 * size) || !map_log_reserve(m, 2 * size * 5)) return map_no_memory(m);
  for (uint32_t at = 4 * first; at < 4 * end; at += 4) {
    assert(r->beyond[at] && r->beyond[at + 1]);
    uint32_t cell = m->records.cell.data[map_record(m, r->beyond[at + 1])];
    for (uint32_t j = 2; j < 4; j++) {
      cell ^= MAP_SIDE;
      records[at + j] = map_hang(m, cell >> 31, r->border.level + 1, cell & MAP_BLOCK, &r->beyond[at + j]);
      map_note_across(r, at + j, r->beyond[at + 1], r->beyond[at + j]);
    }
  }
  for (uint32_t at = 4 * first + 2; at < 4 * end; at += (at & 1u) ? 3 : 1)
    for (uint32_t i = 0; i < 3; i++) {
      const uint32_t to = r->table->border[at][i];
      map_put_alpha(m, records[at], r->beyond[at], i, r->beyond[to]);
      if ((to & 3u) == 1) map_put_alpha(m, map_record(m, r->beyond[to]), r->beyond[to], i, r->beyond[at]);
    }
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

static clv_result add_children(map_refining *r) {
  const clv_template *shape = r->border.shape;
  const bool turned = map_side(r->m, r->border.cell);
  const bool room = map_rows_reserve(r->m, r->table->kind, r->table->child_count);
  clv_result result = room ? CLV_OK : map_no_memory(r->m);
  for (uint32_t c = 0; result == CLV_OK && c < r->table->child_count; c++) {
    result = map_cell_add(r->m, (clv_kind)r->table->kind, &r->children[c]);
    if (result == CLV_OK && turned) result = map_turn(r->m, r->children[c]);
  }
  for (uint32_t c = 0; c < r->table->child_count; c++)
    for (uint32_t f = 0; result == CLV_OK && f < shape->facet_count; f++) {
      const map_child_dart link = r->table->children[c].link[f];
      if (link.child != MAP_NOWHERE)
        result = map_link(r->m, r->children[c] | shape->facet_first[f], map_child_at(r, link));
    }
  return result;
}

// True when finer vertices lie on the part of the border that is a child's.
static bool has_finer(const map_refining *r, uint32_t child) {
  const uint8_t *at = r->table->children[child].at;
  const clv_dart *darts = r->border.darts;
  for (uint32_t l = 0; !r->was_plain && l < r->border.shape->dart_count; l += 2) { // a0 joins even darts and odd ones
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

static clv_result settle_facet(map_refining *r, uint32_t child, uint32_t facet, bool finer) {
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint32_t first = shape->facet_first[facet], end = first + shape->facet_size[facet];
  const uint8_t *at = r->table->children[child].at;
  clv_result result = CLV_OK;
  for (uint32_t l = first; result == CLV_OK && l < end; l++) {
    const clv_dart beyond = r->beyond[at[l]], dart = r->children[child] | l;
    if (!beyond) continue;
    if (finer)
      result = map_set_alpha(m, dart, shape->dimension, beyond);
    else if (l == first)
      result = map_link(m, dart, beyond);
    if (result == CLV_OK) result = map_face(m, beyond, dart);
  }
  return result;
}

static clv_result settle_child(map_refining *r, uint32_t child) {
  const clv_template *shape = r->border.shape;
  const bool finer = has_finer(r, child);
  clv_result result = finer ? take_over(r, child) : CLV_OK;
  for (uint32_t f = 0; result == CLV_OK && f < shape->facet_count; f++)
    if (r->table->children[child].at[shape->facet_first[f]] != MAP_NOWHERE) result = settle_facet(r, child, f, finer);
  return result;
}

// A dart that this transaction added bears no ids yet.
static bool is_known(const map *m, clv_dart dart) {
  const map_index *vertices = m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)];
  return map_page(m, dart).kind != MAP_KIND_DARTS || vertices->record_ids.data[map_record(m, dart)];
}

// What a child's dart has of its parent: everything, where the parent had a dart there; the edge and the face, in the
// middle of an edge that was whole; the face, across it; the cell.
static clv_result inherit(map_refining *r, uint32_t child) {
  static const uint8_t on_border[4] = {0, 1, 3, 3};
  map *m = r->m;
  const clv_template *shape = r->border.shape;
  const uint8_t *places = r->table->children[child].at, *corner = shape->sub[6].of, *edge = shape->sub[5].of;
  const uint8_t cell = (uint8_t)((1u << shape->dimension) - 1u);
  uint32_t vertices = 0, edges = 0;
  clv_result result = CLV_OK;
  for (uint32_t l = 0; result == CLV_OK && l < shape->dart_count; l++) {
    const uint32_t at = places[l];
    if (at == MAP_NOWHERE && l) { // so is all of its facet
      l = shape->facet_first[shape->facet[l]] + shape->facet_size[shape->facet[l]] - 1u;
      continue;
    }
    const clv_dart there = at == MAP_NOWHERE ? CLV_NO_DART : r->border.darts[at];
    const clv_dart source = there && is_known(m, there) ? there : CLV_NO_DART;
    const clv_dart from = source ? source : r->border.cell | (at == MAP_NOWHERE ? 0 : at >> 2);
    const uint8_t shared = source ? 0 : at == MAP_NOWHERE ? cell : on_border[at & 3u];
    if (!r->told) {
      result = map_inherit(m, r->children[child] | l, shared, from);
      continue;
    }
    vertices |= (uint32_t)(shared == 0) << corner[l];
    edges |= (uint32_t)(shared <= 1) << edge[l];
    result =
        map_write_log(m, (map_write){.op = MAP_INHERIT, .i = shared, .dart = r->children[child] | l, .before = from});
  }
  if (r->told && result == CLV_OK) map_note_heir(r, child, vertices, edges);
  return result;
}

static clv_result drop_parent(map_refining *r) {
  if (map_dart_plain(r->m, r->border.cell)) return map_cell_drop(r->m, r->border.cell);
  clv_result result = CLV_OK;
  for (uint32_t at = 0; result == CLV_OK && at < 4u * r->border.shape->dart_count; at++)
    if (r->border.darts[at]) result = map_dart_drop(r->m, r->border.darts[at]);
  return result;
}

static clv_result report(const map_refining *r, clv_refined *out) {
  clv_result result = CLV_OK;
  clv_refined all = {.child_count = r->table->child_count};
  memcpy(all.children, r->children, sizeof all.children);
  for (uint32_t k = 0; result == CLV_OK && k < r->table->birth_count; k++) {
    const map_birth *birth = &r->table->births[k];
    if (birth->at != MAP_NOWHERE && r->border.darts[birth->at]) continue;
    const clv_dart seat = map_child_at(r, birth->seat);
    all.vertices[all.vertex_count++] = seat;
    result = map_write_log(r->m, (map_write){.op = MAP_PARENTS,
                                             .dart = seat,
                                             .before = map_child_at(r, birth->ends[0]),
                                             .after = map_child_at(r, birth->ends[1])});
  }
  if (out) *out = all;
  return result;
}

static clv_result refine(map_refining *r, clv_refined *out) {
  clv_result result = map_find_border(&r->border);
  if (result == CLV_OK) result = look_beyond(r);
  if (result == CLV_OK) result = map_find_crossings(r);
  if (result == CLV_OK) map_lineage_begin(r);
  if (result == CLV_OK) result = halve_edges(r);
  if (result == CLV_OK) result = split_faces(r);
  if (result == CLV_OK) result = add_children(r);
  for (uint32_t c = 0; result == CLV_OK && c < r->table->child_count; c++) {
    result = settle_child(r, c);
    if (result == CLV_OK) result = inherit(r, c);
  }
  if (result == CLV_OK) result = map_halve_crossings(r);
  if (result == CLV_OK) result = drop_parent(r);
  return result == CLV_OK ? report(r, out) : result;
}

clv_result clv_map_refine(clv_map *view, clv_dart dart, uint32_t level, const int32_t *levels, clv_refined *refined) {
  map *m = map_of(view);
  const clv_result result = map_editable(m, &dart, 1);
  if (result != CLV_OK) return result;
  const clv_dart cell = map_page(m, dart).kind == MAP_KIND_DARTS ? map_block(m, dart) << 6 : dart & ~63u;
  const uint32_t kind = map_page(m, cell).kind;
  const map_refinement *table = map_refinement_of(kind, cell == (dart & ~63u) ? dart & 63u : 0);
  if (!table)
    return map_fail(m, CLV_ERROR_REFUSED,
                    "the cell of dart %u cannot be refined: only triangles, quadrangles, tetrahedra and hexahedra can",
                    dart);
  if (level > CLV_REFINED_LEVELS)
    return map_fail(m, CLV_ERROR_REFUSED, "the cell of dart %u cannot be refined: level %u is the last", dart,
                    CLV_REFINED_LEVELS + 1);
  map_refining r = {
      .m = m,
      .border = {.m = m, .levels = levels, .cell = cell, .level = (int32_t)level, .shape = &clv_templates[kind]},
      .table = table,
      .was_plain = map_dart_plain(m, cell)};
  const uint32_t mark = m->log.count;
  map_walk_init(&r.pieces, m);
  const clv_result refined_so = map_lineage_end(&r, refine(&r, refined));
  clv_walk_end(&r.pieces);
  BASE_RELEASE(&m->allocator, &r.crossings);
  return map_end_edit(m, mark, refined_so);
}
