// Splitting simplices along a plane: by bisecting edges, one after the other.
//
// An edge that the plane crosses gets a vertex there, and every cell about it becomes two: a face is inserted between
// the vertex and the edge across. The edges that come with it end on the plane, so they are not crossed; once all
// crossed edges are bisected, every cell lies on one side, and the plane is made of facets. Cells stay simplices,
// neighbours agree at every moment, and an edge that is left whole leaves the others as good as they are: at the tip of
// a blade, beside cells of other kinds, and where the bound on quality says so. Longer edges come first, which makes
// better cells; of equal ones that whose middle has the least x, y and z, so that numbers do not matter.
//
// A new vertex has position, rest and velocity between those of the edge's ends. Under the affine deformation of a
// simplex that changes no strain; and mass, momentum and the centre of mass stay what they were.
//
// The pieces of each cell are known beforehand, from its own crossed edges and their order. Where one would be worse
// than the bound, the end that is nearest to its edge's crossing is taken for a point of the plane, if it is near;
// otherwise the cell's edges stay whole, and the cut goes round it. So it does about cells that are no such simplices,
// and both are counted as refused.

#include "surgery/slice_plan.h"

#include <math.h>
#include <stdlib.h>

// An end as near to the crossing as this, in parts of the edge, may be taken for it. What differs by less than rounding
// may make of a plane is the same, so that every stroke decides alike.
#define NEAR_END 0.25
#define ALIKE 1e-12

// What is crossed

surgery_corners slice_corners(const slicing *c, clv_dart cell) {
  const clv_map *map = c->surgery->map;
  const clv_kind kind = clv_cell_kind(map, cell);
  const uint32_t count = clv_templates[kind].corner_count;
  return (surgery_corners){map->corners[kind] + (size_t)clv_cell_row(map, cell) * count, count};
}

static uint32_t corner_slot(const slicing *c, clv_dart dart) {
  const clv_map *map = c->surgery->map;
  const clv_template *shape = &clv_templates[clv_cell_kind(map, dart)];
  return slice_corners(c, dart).slots[shape->sub[clv_orbit_dims(map, CLV_CORNER)].of[dart & 63u]];
}

// Where the plane crosses an edge, and the blade went: now, or as much as the edge is long ago.
typedef enum blade_place { ELSEWHERE, PASSED, REACHED } blade_place;

static blade_place find_blade(const slicing *c, uint32_t from, uint32_t to) {
  const clv_surgery *s = c->surgery;
  const double *pos = clv_body_positions(s->body), here = s->heights.data[from], there = s->heights.data[to];
  double crossing[3], square = 0;
  if (c->sides.data[from] * c->sides.data[to] >= 0) return ELSEWHERE;
  for (uint32_t k = 0; k < 3; k++) {
    const double a = pos[3 * (size_t)from + k], b = pos[3 * (size_t)to + k];
    crossing[k] = a + here / (here - there) * (b - a);
    square += (b - a) * (b - a);
  }
  return slice_reaches(c, crossing) ? REACHED : slice_passed(c, crossing, sqrt(square)) ? PASSED : ELSEWHERE;
}

// Every cell about an edge may be changed, and this one is the first of them. Cells that share a whole edge have one
// level, and so has what comes into it: pieces are of the level of their cell.
static clv_result is_ours(const slicing *c, slice_edge *edge, bool *ours) {
  const clv_dart dart = edge->dart;
  const blade_place where = find_blade(c, edge->ends[0], edge->ends[1]);
  bool touched = false;
  clv_walk star;
  if (clv_walk_star(&star, c->surgery->map, CLV_EDGE, dart) != CLV_OK) return surgery_no_memory(c->surgery);
  *ours = true;
  for (uint32_t k = 0; *ours && k < star.count; k++) {
    *ours = star.darts[k] >> 6 >= dart >> 6 && slice_may_split(c, star.darts[k]);
    if (!*ours) continue;
    const surgery_corners corners = slice_corners(c, star.darts[k]);
    edge->dropped = edge->dropped || slice_stays_whole(c, star.darts[k], &corners);
    touched = touched || slice_touched(c, star.darts[k], &corners);
  }
  edge->reached = where == REACHED || (touched && where == PASSED);
  if (*ours) edge->level = (int32_t)surgery_level_of(c->surgery, dart);
  clv_walk_end(&star);
  return CLV_OK;
}

static clv_result add_edge(slicing *c, clv_dart dart) {
  clv_surgery *s = c->surgery;
  slice_edge edge = {.dart = dart, .ends = {corner_slot(c, dart), corner_slot(c, clv_alpha(s->map, dart, 0))}};
  if (c->sides.data[edge.ends[0]] * c->sides.data[edge.ends[1]] >= 0) return CLV_OK;
  const double *rest = clv_body_rest(s->body);
  const double here = s->heights.data[edge.ends[0]], there = s->heights.data[edge.ends[1]];
  edge.part = here / (here - there);
  for (uint32_t k = 0; k < 3; k++) {
    const size_t a = 3 * (size_t)edge.ends[0] + k, b = 3 * (size_t)edge.ends[1] + k;
    edge.square += (rest[b] - rest[a]) * (rest[b] - rest[a]);
    edge.ends_sum[k] = rest[a] + rest[b];
  }
  bool ours = false;
  const clv_result result = is_ours(c, &edge, &ours);
  if (result != CLV_OK || !ours) return result;
  if (!BASE_RESERVE(&s->allocator, &c->edges, (uint64_t)c->edges.count + 1)) return surgery_no_memory(s);
  c->edges.data[c->edges.count++] = edge;
  return CLV_OK;
}

static int compare_edges(const void *a, const void *b) {
  const slice_edge *x = a, *y = b;
  if (x->square != y->square) return x->square > y->square ? -1 : 1;
  for (uint32_t k = 0; k < 3; k++)
    if (x->ends_sum[k] != y->ends_sum[k]) return x->ends_sum[k] < y->ends_sum[k] ? -1 : 1;
  return (x->dart > y->dart) - (x->dart < y->dart);
}

static int compare_uses(const void *a, const void *b) {
  const slice_use *x = a, *y = b;
  if (x->cell != y->cell) return x->cell < y->cell ? -1 : 1;
  return (x->edge > y->edge) - (x->edge < y->edge);
}

static clv_result find_edges(slicing *c) {
  const clv_map *map = c->surgery->map;
  clv_result result = CLV_OK;
  clv_dart cell;
  c->edges.count = 0;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(map, &at));) {
    if (!slice_may_split(c, cell)) continue;
    const surgery_corners corners = slice_corners(c, cell);
    if (!slice_is_crossed(c, &corners)) continue;
    const clv_suborbits *edges = &clv_templates[clv_cell_kind(map, cell)].sub[clv_orbit_dims(map, CLV_CELL_EDGE)];
    for (uint32_t e = 0; result == CLV_OK && e < edges->count; e++)
      result = add_edge(c, (cell & ~63u) | edges->first[e]);
  }
  if (c->edges.count) qsort(c->edges.data, c->edges.count, sizeof *c->edges.data, compare_edges);
  return result;
}

static clv_result find_uses(slicing *c) {
  clv_surgery *s = c->surgery;
  clv_result result = CLV_OK;
  c->uses.count = 0;
  for (uint32_t e = 0; result == CLV_OK && e < c->edges.count; e++) {
    clv_walk star;
    const bool good = clv_walk_star(&star, s->map, CLV_EDGE, c->edges.data[e].dart) == CLV_OK &&
                      BASE_RESERVE(&s->allocator, &c->uses, (uint64_t)c->uses.count + star.count);
    if (!good) result = surgery_no_memory(s);
    for (uint32_t k = 0; good && k < star.count; k++)
      c->uses.data[c->uses.count++] = (slice_use){star.darts[k] & ~63u, e};
    clv_walk_end(&star);
  }
  if (c->uses.count) qsort(c->uses.data, c->uses.count, sizeof *c->uses.data, compare_uses);
  return result;
}

const slice_use *slice_uses_of(const slicing *c, clv_dart cell, uint32_t *count) {
  uint32_t low = 0, high = c->uses.count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (c->uses.data[middle].cell < cell)
      low = middle + 1;
    else
      high = middle;
  }
  for (*count = 0; low + *count < c->uses.count && c->uses.data[low + *count].cell == cell;) ++*count;
  return c->uses.data + low;
}

// Quality

bool slice_is_cut(const slicing *c, const slice_edge *edge) {
  return !edge->dropped && c->sides.data[edge->ends[0]] * c->sides.data[edge->ends[1]] < 0;
}

enum { MOST_PIECES = 16, MOST_POINTS = 4 + 6 };

typedef struct pieces {
  uint32_t corners, point_count, count;
  uint32_t slots[4];
  double points[MOST_POINTS][3]; // at rest
  uint8_t corner[MOST_PIECES][4];
} pieces;

static uint8_t point_of(const pieces *p, uint32_t slot) {
  uint8_t k = 0;
  while (k < p->corners && p->slots[k] != slot) k++;
  return k;
}

static uint32_t place_in(const pieces *p, uint32_t piece, uint8_t point) {
  uint32_t k = 0;
  while (k < p->corners && p->corner[piece][k] != point) k++;
  return k;
}

static void bisect_pieces(pieces *p, const slice_edge *edge) {
  const uint8_t a = point_of(p, edge->ends[0]), b = point_of(p, edge->ends[1]), middle = (uint8_t)p->point_count++;
  for (uint32_t k = 0; k < 3; k++)
    p->points[middle][k] = p->points[a][k] + edge->part * (p->points[b][k] - p->points[a][k]);
  for (uint32_t k = 0, count = p->count; k < count; k++) {
    const uint32_t at = place_in(p, k, a), to = place_in(p, k, b);
    if (at == p->corners || to == p->corners) continue;
    memcpy(p->corner[p->count], p->corner[k], sizeof p->corner[k]);
    p->corner[p->count++][at] = middle;
    p->corner[k][to] = middle;
  }
}

static pieces whole_simplex(const slicing *c, clv_dart cell) {
  const clv_surgery *s = c->surgery;
  const double *rest = clv_body_rest(s->body);
  pieces p = {.corners = s->map->dimension + 1, .count = 1};
  p.point_count = p.corners;
  memcpy(p.slots, slice_corners(c, cell).slots, p.corners * sizeof *p.slots);
  for (uint32_t v = 0; v < p.corners; v++) {
    memcpy(p.points[v], rest + 3 * (size_t)p.slots[v], sizeof p.points[v]);
    p.corner[0][v] = (uint8_t)v;
  }
  return p;
}

static void read_piece(const pieces *p, uint32_t piece, double (*corners)[3]) {
  for (uint32_t v = 0; v < p->corners; v++) memcpy(corners[v], p->points[p->corner[piece][v]], sizeof corners[v]);
}

static double worst_piece(const slicing *c, const slice_use *uses, uint32_t count) {
  const clv_kind kind = clv_cell_kind(c->surgery->map, uses->cell);
  pieces p = whole_simplex(c, uses->cell);
  for (uint32_t k = 0; k < count; k++)
    if (slice_is_cut(c, &c->edges.data[uses[k].edge])) bisect_pieces(&p, &c->edges.data[uses[k].edge]);
  double worst = 1;
  for (uint32_t k = 0; p.count > 1 && k < p.count; k++) {
    double corners[4][3];
    read_piece(&p, k, corners);
    worst = fmin(worst, clv_element_quality(kind, (const double(*)[3])corners));
  }
  return worst;
}

// What a simplex that is split now gives to the vertices in its edges.
static void weigh_middles(slicing *c, const slice_use *uses, uint32_t count) {
  const clv_surgery *s = c->surgery;
  const clv_kind kind = clv_cell_kind(s->map, uses->cell);
  const clv_material *m = &physics_section_of(s->body, uses->cell)->material;
  const double heft = m->density * (s->map->dimension == 2 ? m->thickness : 1);
  slice_edge *middles[MOST_POINTS] = {NULL};
  pieces p = whole_simplex(c, uses->cell);
  for (uint32_t k = 0; k < count; k++) {
    slice_edge *edge = &c->edges.data[uses[k].edge];
    if (!edge->reached || !slice_is_cut(c, edge)) continue;
    middles[p.point_count] = edge;
    bisect_pieces(&p, edge);
  }
  for (uint32_t k = 0; k < p.count; k++) {
    double corners[4][3];
    read_piece(&p, k, corners);
    const double share = heft * clv_element_measure(kind, (const double(*)[3])corners) / p.corners;
    for (uint32_t v = 0; v < p.corners; v++)
      if (middles[p.corner[k][v]]) middles[p.corner[k][v]]->mass += share;
  }
}

// New vertices weigh what the cells about them give them.
static void weigh_simplices(slicing *c) {
  for (uint32_t k = 0, end; k < c->uses.count; k = end) {
    for (end = k; end < c->uses.count && c->uses.data[end].cell == c->uses.data[k].cell;) end++;
    if (slice_is_simplex(c, c->uses.data[k].cell)) weigh_middles(c, c->uses.data + k, end - k);
  }
}

bool slice_take_nearest(slicing *c, const slice_use *uses, uint32_t count) {
  double nearest = 1;
  uint32_t end = 0;
  for (uint32_t k = 0; k < count; k++) {
    const slice_edge *edge = &c->edges.data[uses[k].edge];
    if (!slice_is_cut(c, edge) || fmin(edge->part, 1 - edge->part) >= nearest - ALIKE) continue;
    nearest = fmin(edge->part, 1 - edge->part);
    end = edge->ends[edge->part > 0.5];
  }
  if (nearest >= NEAR_END + ALIKE) return false;
  c->on.data[end] = 1;
  c->sides.data[end] = 0;
  return true;
}

void slice_keep_edges(slicing *c, const slice_use *uses, uint32_t count) {
  for (uint32_t k = 0; k < count; k++) c->edges.data[uses[k].edge].dropped = true;
}

// Whether the blade is now where a cell gives way: once in all strokes. With a track such cells are counted when they
// are settled.
static bool gives_now(const slicing *c, const slice_use *uses, uint32_t count) {
  double nearest = 1;
  bool reached = false;
  for (uint32_t k = 0; k < count; k++) {
    const slice_edge *edge = &c->edges.data[uses[k].edge];
    if (!slice_is_cut(c, edge) || fmin(edge->part, 1 - edge->part) >= nearest - ALIKE) continue;
    nearest = fmin(edge->part, 1 - edge->part);
    reached = edge->reached;
  }
  return reached && !c->slice->track;
}

static bool choose_simplices(slicing *c, clv_surgery_report *report) {
  bool changed = false;
  for (uint32_t k = 0, end; k < c->uses.count; k = end) {
    const clv_dart cell = c->uses.data[k].cell;
    const surgery_corners corners = slice_corners(c, cell);
    for (end = k; end < c->uses.count && c->uses.data[end].cell == cell;) end++;
    if (!slice_is_simplex(c, cell) || slice_waits(c, cell, &corners)) continue; // what its pieces will be is not known
    if (worst_piece(c, c->uses.data + k, end - k) >= c->slice->quality - ALIKE) continue;
    report->refused += gives_now(c, c->uses.data + k, end - k);
    changed = true;
    if (slice_take_nearest(c, c->uses.data + k, end - k)) continue;
    slice_keep_edges(c, c->uses.data + k, end - k);
    slice_leave_whole(c, cell, &corners);
  }
  return changed;
}

// Until every piece is good: what is done about one cell is felt by others. Each turn fewer edges are cut.
static void choose(slicing *c, clv_surgery_report *report) {
  bool changed = true;
  while (changed) {
    changed = choose_simplices(c, report);
    changed = slice_choose_cells(c, report) || changed;
  }
}

// Cells that the blade went through and that cannot be split, whatever the bound.
static clv_result count_whole(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  clv_result result = CLV_OK;
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    bool crossed = false;
    if (!slice_may_split(c, cell)) result = slice_crosses(c, cell, &crossed);
    if (!crossed) continue;
    clv_walk edges;
    if (clv_walk_incident(&edges, s->map, CLV_CELL, CLV_EDGE, cell) != CLV_OK) result = surgery_no_memory(s);
    bool reached = false;
    for (uint32_t k = 0; result == CLV_OK && !reached && k < edges.count; k++)
      reached = find_blade(c, clv_id_of(s->map, CLV_VERTEX, edges.darts[k]).index,
                           clv_id_of(s->map, CLV_VERTEX, clv_alpha(s->map, edges.darts[k], 0)).index) == REACHED;
    clv_walk_end(&edges);
    surgery_corners corners;
    if (result == CLV_OK && !surgery_cell_corners(s, cell, &corners)) result = surgery_no_memory(s);
    report->refused += result == CLV_OK && reached && slice_leave_whole(c, cell, &corners);
  }
  return result;
}

// In every simplex longer edges come first, whichever the blade comes to first: so the pieces are those of a single
// stroke.
static void reach_longer(slicing *c) {
  bool changed = c->slice->track != NULL;
  while (changed) {
    changed = false;
    for (uint32_t k = c->uses.count; k-- > 1;) { // uses of a cell lie in order of edges: the longer one in front
      const slice_edge *edge = &c->edges.data[c->uses.data[k].edge];
      slice_edge *longer = &c->edges.data[c->uses.data[k - 1].edge];
      const clv_dart cell = c->uses.data[k].cell;
      if (c->uses.data[k - 1].cell != cell || !edge->reached || longer->reached || !slice_is_simplex(c, cell)) continue;
      changed = longer->reached = true;
    }
  }
}

static uint32_t count_split(const slicing *c) {
  uint32_t split = 0;
  clv_dart last = CLV_NO_DART;
  for (uint32_t k = 0; k < c->uses.count; k++) {
    const slice_edge *edge = &c->edges.data[c->uses.data[k].edge];
    if (c->uses.data[k].cell == last || !slice_is_simplex(c, c->uses.data[k].cell) || !edge->reached ||
        !slice_is_cut(c, edge))
      continue;
    last = c->uses.data[k].cell;
    split++;
  }
  return split;
}

// Bisecting

// The face of a dart on one side, from the new vertex to the corner across, unless that was done from the other side.
// x lies at the edge's old end.
static clv_result insert_chord(clv_map *map, clv_dart x) {
  uint32_t edges = 0;
  clv_dart at = x;
  do {
    at = clv_alpha(map, clv_alpha(map, at, 0), 1);
    edges++;
  } while (at != x);
  if (edges == 3) return CLV_OK;
  const clv_dart middle = clv_alpha(map, x, 0), across = clv_alpha(map, clv_alpha(map, x, 1), 0);
  return clv_map_insert_edge(map, middle, across, NULL);
}

// From the new vertex m along the face of x to c, by the edge across to d, and back.
static clv_result insert_wall(clv_map *map, clv_dart x) {
  clv_dart path[3];
  path[0] = clv_alpha(map, clv_alpha(map, x, 0), 1);
  for (uint32_t k = 1; k < 3; k++)
    path[k] = clv_alpha(map, clv_alpha(map, clv_alpha(map, clv_alpha(map, path[k - 1], 0), 1), 2), 1);
  return clv_map_insert_face(map, path, 3, NULL);
}

static clv_result bisect(slicing *c, const slice_edge *edge, clv_dart *added) {
  clv_surgery *s = c->surgery;
  clv_map *map = s->map;
  clv_walk star;
  if (clv_walk_star(&star, map, CLV_EDGE, edge->dart) != CLV_OK) return surgery_no_memory(s);
  clv_result result = clv_map_insert_vertex(map, edge->dart, added);
  for (uint32_t k = 0; result == CLV_OK && k < star.count; k++) {
    if (slice_is_among_cells(c, star.darts[k])) continue; // its turn comes
    result = insert_chord(map, star.darts[k]);
    if (map->dimension == 2 || result != CLV_OK) continue;
    result = insert_chord(map, clv_alpha(map, star.darts[k], 2));
    if (result == CLV_OK) result = insert_wall(map, star.darts[k]);
  }
  clv_walk_end(&star);
  return surgery_of_map(s, result);
}

static clv_result set_values(slicing *c, const slice_edge *edge, clv_dart vertex) {
  clv_surgery *s = c->surgery;
  clv_column *const columns[] = {s->body->pos, s->body->rest, s->body->vel};
  clv_result result = clv_column_set(s->levels, vertex, &edge->level);
  for (uint32_t which = 0; result == CLV_OK && which < 3; which++) {
    const double *values = physics_vectors(columns[which]);
    double value[3];
    for (uint32_t k = 0; k < 3; k++) {
      const double a = values[3 * (size_t)edge->ends[0] + k], b = values[3 * (size_t)edge->ends[1] + k];
      value[k] = a + edge->part * (b - a) + (which == 2 ? edge->faster[k] : 0);
    }
    result = clv_column_set(columns[which], vertex, value);
  }
  return surgery_of_map(s, result);
}

uint32_t slice_held(const slicing *c, const uint32_t *slots, uint32_t count) {
  const clv_body *body = c->surgery->body;
  const uint32_t *held = clv_column_data(body->held, CLV_NONE, NULL);
  const uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  uint32_t axes = 0;
  for (uint32_t axis = 0; body->holds && axis < 3; axis++) {
    bool same = true;
    for (uint32_t k = 0; k < count; k++)
      same = same && held[slots[k]] >> axis & 1u && paths[slots[k]][axis] == paths[slots[0]][axis];
    axes |= (uint32_t)same << axis;
  }
  return axes | body->always_held;
}

// Held and moved as all the others are: what is clamped stays clamped when it is split.
clv_result slice_set_constraints(const slicing *c, const uint32_t *slots, const double *parts, uint32_t count,
                                 clv_dart vertex) {
  const clv_body *body = c->surgery->body;
  const uint32_t(*paths)[3] = clv_column_data(body->paths, CLV_NONE, NULL);
  const double(*anchor)[3] = clv_column_data(body->anchor, CLV_NONE, NULL);
  const uint32_t axes = slice_held(c, slots, count);
  uint32_t own_paths[3] = {0};
  double own_anchor[3] = {0};
  if (!body->holds) return CLV_OK;
  for (uint32_t axis = 0; axis < 3; axis++) {
    if (!((axes & ~body->always_held) >> axis & 1u)) continue;
    own_paths[axis] = paths[slots[0]][axis];
    for (uint32_t k = 0; k < count; k++) own_anchor[axis] += parts[k] * anchor[slots[k]][axis];
  }
  clv_result result = clv_column_set(body->held, vertex, &axes);
  if (result == CLV_OK) result = clv_column_set(body->paths, vertex, own_paths);
  if (result == CLV_OK) result = clv_column_set(body->anchor, vertex, own_anchor);
  return surgery_of_map(c->surgery, result);
}

static clv_result bisect_all(slicing *c) {
  clv_result result = CLV_OK;
  for (uint32_t e = 0; result == CLV_OK && e < c->edges.count; e++) {
    const slice_edge *edge = &c->edges.data[e];
    if (!edge->reached || !slice_is_cut(c, edge)) continue;
    clv_dart added = CLV_NO_DART;
    result = bisect(c, edge, &added);
    if (result == CLV_OK) result = set_values(c, edge, added);
    const double parts[2] = {1 - edge->part, edge->part};
    if (result == CLV_OK) result = slice_set_constraints(c, edge->ends, parts, 2, added);
  }
  return result;
}

static clv_result split_all(slicing *c) {
  const clv_result result = bisect_all(c);
  return result == CLV_OK ? slice_split_cells(c) : result;
}

clv_result slice_split(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  clv_result result = slice_measure(c);
  if (result == CLV_OK) slice_foresee(c);
  if (result == CLV_OK) result = find_edges(c);
  if (result == CLV_OK) result = find_uses(c);
  if (result == CLV_OK) result = slice_find_cells(c);
  if (result == CLV_OK) reach_longer(c);
  if (result == CLV_OK) result = count_whole(c, report);
  if (result != CLV_OK) return result;
  choose(c, report);
  weigh_simplices(c);
  result = slice_plan_cells(c);
  const uint32_t split = count_split(c) + c->plans.count;
  if (result != CLV_OK || !split) return result;
  result = slice_note_state(c);
  if (result == CLV_OK) result = surgery_begin(s);
  if (result == CLV_OK) result = surgery_end(s, split_all(c), NULL);
  if (result != CLV_OK) return result;
  slice_put_on(c);
  slice_push_corners(c);
  report->split += split;
  return CLV_OK;
}
