// Families: the cells that came of one, found again.
//
// A family is known by its vertices and its inner links. One of its cells has a corner of the parent; put in the place
// of the table's first child, it says where all the others must be, for each way to part an octahedron. They are a
// family if they are there, linked as the table has it, with corners of the right levels.

#include "map/family.h"

static const map_index *vertices_of(const map *m) {
  return m->indices[clv_orbit_dims(&m->view, CLV_VERTEX)];
}

static int32_t level_of(const map_family *f, clv_dart dart) {
  const uint32_t id = map_index_get(f->m, vertices_of(f->m), dart);
  return id ? f->levels[id] : -1;
}

// True for a cell that has the shape of its template, at its own level.
static bool has_shape(const map *m, clv_dart cell, uint32_t kind) {
  const clv_page page = map_page(m, cell);
  const clv_template *shape = &clv_templates[kind];
  if (page.kind != kind || !map_row_alive(m, kind, map_row(page, cell))) return false;
  if (map_dart_plain(m, cell)) return true;
  for (uint32_t l = 0; l < shape->dart_count; l++) {
    if (!clv_dart_alive(&m->view, cell | l)) return false;
    for (uint32_t i = 1; i < shape->dimension; i++)
      if (clv_alpha(&m->view, cell | l, i) != (cell | shape->alpha[i][l])) return false;
  }
  return true;
}

// Turns a cell such that its dart `image` stands where the template has `local`.
static void turn_cell(const clv_template *shape, uint32_t local, clv_dart image, clv_dart *darts) {
  uint8_t queue[CLV_TEMPLATE_DARTS];
  uint32_t head = 0, tail = 0;
  const clv_dart cell = image & ~63u;
  for (uint32_t l = 0; l < shape->dart_count; l++) darts[l] = CLV_NO_DART;
  darts[local] = image;
  queue[tail++] = (uint8_t)local;
  while (head < tail) {
    const uint32_t l = queue[head++];
    for (uint32_t i = 0; i < shape->dimension; i++) {
      const uint32_t next = shape->alpha[i][l];
      if (darts[next]) continue;
      darts[next] = cell | shape->alpha[i][darts[l] & 63u];
      queue[tail++] = (uint8_t)next;
    }
  }
}

static bool fits_levels(const map_family *f, uint32_t child) {
  const clv_suborbits *corners = &f->shape->sub[clv_orbit_dims(&f->m->view, CLV_CORNER)];
  for (uint32_t v = 0; v < corners->count; v++) {
    const int32_t level = level_of(f, f->darts[child][corners->first[v]]);
    if (level < 0 || (f->table->children[child].old[v] ? level > f->level : level != f->level + 1)) return false;
  }
  return true;
}

static bool place_child(map_family *f, uint32_t child, uint32_t local, clv_dart image) {
  if (f->darts[child][0]) return f->darts[child][local] == image;
  if (!has_shape(f->m, image & ~63u, f->table->kind)) return false;
  for (uint32_t c = 0; c < f->table->child_count; c++)
    if (f->darts[c][0] && f->darts[c][0] >> 6 == image >> 6) return false;
  turn_cell(f->shape, local, image, f->darts[child]);
  return fits_levels(f, child);
}

// Goes from child to child by inner links.
static bool place_all(map_family *f, clv_dart first) {
  const clv_template *shape = f->shape;
  uint8_t queue[8];
  uint32_t head = 0, tail = 0;
  memset(f->darts, 0, sizeof f->darts);
  if (!place_child(f, 0, 0, first)) return false;
  queue[tail++] = 0;
  while (head < tail) {
    const uint32_t child = queue[head++];
    for (uint32_t k = 0; k < shape->facet_count; k++) {
      const map_child_dart link = f->table->children[child].link[k];
      if (link.child == MAP_NOWHERE) continue;
      const bool known = f->darts[link.child][0];
      const clv_dart dart = f->darts[child][shape->facet_first[k]];
      const clv_dart beyond = clv_alpha(&f->m->view, dart, shape->dimension);
      if (beyond == dart || !map_is_template(map_page(f->m, beyond).kind)) return false;
      if (!place_child(f, link.child, link.dart, beyond)) return false;
      if (!known) queue[tail++] = link.child;
    }
  }
  return tail == f->table->child_count;
}

// A dart of the cell at its only corner of the parent, an even one; 0 when it has none, or several.
static clv_dart old_corner(const map_family *f, clv_dart cell) {
  const clv_suborbits *corners = &f->shape->sub[clv_orbit_dims(&f->m->view, CLV_CORNER)];
  uint32_t found = 0, corner = 0;
  for (uint32_t v = 0; v < corners->count; v++) {
    const int32_t level = level_of(f, cell | corners->first[v]);
    if (level < 0 || level > f->level + 1) return CLV_NO_DART;
    if (level > f->level) continue;
    corner = v;
    found++;
  }
  for (uint32_t l = 0; found == 1 && l < f->shape->dart_count; l += 2)
    if (corners->of[l] == corner) return cell | l;
  return CLV_NO_DART;
}

// The dart of the first child, of the cell itself or of a neighbour.
static clv_dart first_dart(const map_family *f, clv_dart cell) {
  const uint32_t n = f->shape->dimension;
  clv_dart found = old_corner(f, cell);
  for (uint32_t k = 0; !found && k < f->shape->facet_count; k++) {
    const clv_dart beyond = clv_alpha(&f->m->view, cell | f->shape->facet_first[k], n);
    if (map_page(f->m, beyond).kind == f->table->kind && beyond >> 6 != cell >> 6) found = old_corner(f, beyond & ~63u);
  }
  return found;
}

bool map_find_family(map_family *f, clv_dart dart) {
  const clv_dart cell = map_page(f->m, dart).kind == MAP_KIND_DARTS ? map_block(f->m, dart) << 6 : dart & ~63u;
  const uint32_t kind = map_page(f->m, cell).kind;
  f->table = map_refinement_of(kind, 0);
  if (!f->table || !map_row_alive(f->m, kind, map_row(map_page(f->m, cell), cell))) return false;
  f->shape = &clv_templates[kind];
  const clv_dart first = first_dart(f, cell);
  if (!first) return false;
  const uint32_t ways = kind == CLV_TET ? 3 : 1;
  for (uint32_t k = 0; k < ways; k++, f->table++) {
    if (!place_all(f, first)) continue;
    for (uint32_t at = 0; at < 4u * f->shape->dart_count; at++) {
      const map_child_dart home = f->table->home[at];
      f->border[at] = home.child == MAP_NOWHERE ? CLV_NO_DART : f->darts[home.child][home.dart];
      const clv_dart beyond = f->border[at] ? clv_alpha(&f->m->view, f->border[at], f->shape->dimension) : CLV_NO_DART;
      f->beyond[at] = beyond == f->border[at] ? CLV_NO_DART : beyond;
    }
    return true;
  }
  return false;
}

// What it is to others

static uint8_t number_of(const map_family *f, const clv_family *out, map_child_dart at) {
  const map_index *vertices = vertices_of(f->m);
  const uint32_t id = map_index_get(f->m, vertices, f->darts[at.child][at.dart]);
  uint8_t k = 0;
  while (k < out->vertex_count && map_index_get(f->m, vertices, out->vertices[k]) != id) k++;
  return k;
}

bool clv_map_family(const clv_map *view, clv_dart dart, uint32_t level, const int32_t *levels, clv_family *out) {
  map_family f = {.m = map_read(view), .levels = levels, .level = (int32_t)level};
  if (!clv_dart_alive(view, dart) || !map_find_family(&f, dart)) return false;
  const clv_suborbits *corners = &f.shape->sub[clv_orbit_dims(view, CLV_CORNER)];
  *out = (clv_family){.cell_count = f.table->child_count, .corner_count = corners->count};
  for (uint32_t c = 0; c < out->cell_count; c++) out->cells[c] = f.darts[c][0];
  for (uint32_t v = 0; v < corners->count; v++) out->vertices[out->vertex_count++] = f.border[4u * corners->first[v]];
  for (uint32_t k = 0; k < f.table->birth_count; k++) {
    const map_birth *birth = &f.table->births[k];
    for (uint32_t e = 0; e < 2; e++) out->ends[out->vertex_count][e] = number_of(&f, out, birth->ends[e]);
    out->vertices[out->vertex_count++] = f.darts[birth->seat.child][birth->seat.dart];
  }
  return true;
}
