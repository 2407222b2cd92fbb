// Selecting: which facets a cut means.
//
// Facets are offered as they are found, perhaps from both sides, and sorted in the end: so each is there once, and in
// an order that does not depend on how it was found. The dart of a facet lies on the side that keeps its ids: the one
// that a plane's normal points to, from which a sheet's triangles turn counterclockwise.

#include "physics/zone.h"
#include "surgery/surgery.h"

#include <math.h>
#include <stdlib.h>

// Offers

// The least dart of a facet on one side.
static bool least_dart(const clv_map *map, clv_dart dart, clv_dart *least) {
  const clv_kind kind = clv_cell_kind(map, dart);
  *least = dart;
  if (CLV_LIKELY(kind <= CLV_TEMPLATE_LAST)) {
    *least = (dart & ~63u) | clv_templates[kind].facet_first[clv_templates[kind].facet[dart & 63u]];
    return true;
  }
  clv_walk walk;
  const bool good = clv_walk_orbit(&walk, map, CLV_CELL_FACET(map->dimension), dart) == CLV_OK;
  for (uint32_t k = 0; good && k < walk.count; k++) *least = walk.darts[k] < *least ? walk.darts[k] : *least;
  clv_walk_end(&walk);
  return good;
}

bool surgery_facet_key(const clv_surgery *s, clv_dart dart, uint64_t *key) {
  clv_dart here, there;
  if (!least_dart(s->map, dart, &here) || !least_dart(s->map, clv_alpha(s->map, dart, s->map->dimension), &there))
    return false;
  *key = here < there ? here : there;
  return true;
}

// The dart's facet is sewn.
static clv_result offer(clv_surgery *s, clv_dart dart) {
  uint64_t key;
  if (!surgery_facet_key(s, dart, &key) || !BASE_RESERVE(&s->allocator, &s->offers, (uint64_t)s->offers.count + 1))
    return surgery_no_memory(s);
  s->offers.data[s->offers.count++] = key << 32 | dart;
  return CLV_OK;
}

static int compare_offers(const void *a, const void *b) {
  const uint64_t x = *(const uint64_t *)a, y = *(const uint64_t *)b;
  return (x > y) - (x < y);
}

// From offers to facets.
static clv_result take_offers(clv_surgery *s) {
  const uint32_t count = s->offers.count;
  if (!BASE_RESERVE(&s->allocator, &s->facets, count)) return surgery_no_memory(s);
  if (count) qsort(s->offers.data, count, sizeof *s->offers.data, compare_offers);
  for (uint32_t k = 0; k < count; k++)
    if (!k || s->offers.data[k] >> 32 != s->offers.data[k - 1] >> 32)
      s->facets.data[s->facets.count++] = (clv_dart)s->offers.data[k];
  return CLV_OK;
}

clv_result surgery_distinct_facets(clv_surgery *s) {
  clv_result result = CLV_OK;
  s->offers.count = 0;
  for (uint32_t k = 0; result == CLV_OK && k < s->facets.count; k++) result = offer(s, s->facets.data[k]);
  s->facets.count = 0;
  return result == CLV_OK ? take_offers(s) : result;
}

// Lists of darts

static clv_result select_listed(clv_surgery *s, const clv_cut *cut) {
  if (cut->count && !cut->facets) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the cut has no list of facets");
  if (!BASE_RESERVE(&s->allocator, &s->facets, cut->count)) return surgery_no_memory(s);
  for (uint32_t k = 0; k < cut->count; k++) {
    const clv_dart dart = cut->facets[k];
    if (!clv_dart_alive(s->map, dart))
      return surgery_fail(s, CLV_ERROR_ARGUMENT, "facet %u of the cut (counted from 0): there is no dart %u", k, dart);
    if (!clv_is_free(s->map, dart, s->map->dimension)) s->facets.data[s->facets.count++] = dart;
  }
  return CLV_OK;
}

// Marked vertices

bool surgery_facet_marked(const clv_surgery *s, clv_dart dart, bool *good) {
  clv_walk walk;
  *good = clv_walk_orbit(&walk, s->map, CLV_CELL_FACET(s->map->dimension), dart) == CLV_OK;
  bool all = *good;
  for (uint32_t k = 0; all && k < walk.count; k++)
    all = s->marks.data[clv_id_of(s->map, CLV_VERTEX, walk.darts[k]).index];
  clv_walk_end(&walk);
  return all;
}

static clv_result offer_if_marked(clv_surgery *s, clv_dart facet, void *unused) {
  (void)unused;
  bool good = true;
  if (!surgery_facet_marked(s, facet, &good)) return good ? CLV_OK : surgery_no_memory(s);
  const bool free = clv_is_free(s->map, facet, s->map->dimension);
  s->parted |= free;
  return free ? CLV_OK : offer(s, facet);
}

static clv_result offer_marked_facets(clv_surgery *s, clv_dart cell) {
  surgery_corners corners;
  if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
  uint32_t marked = 0;
  for (uint32_t c = 0; c < corners.count; c++) marked += s->marks.data[corners.slots[c]];
  return marked < s->map->dimension ? CLV_OK : surgery_each_facet(s, cell, offer_if_marked, NULL);
}

clv_result surgery_reserve_marks(clv_surgery *s) {
  const uint32_t slots = clv_body_slots(s->body);
  if (!BASE_RESERVE(&s->allocator, &s->marks, slots)) return surgery_no_memory(s);
  if (s->marks.count < slots) memset(s->marks.data + s->marks.count, 0, slots - s->marks.count);
  s->marks.count = slots;
  return CLV_OK;
}

static clv_result offer_about(clv_surgery *s, clv_id particle) {
  clv_walk star;
  clv_result result = clv_walk_star(&star, s->map, CLV_VERTEX, clv_id_dart(s->map, CLV_VERTEX, particle)) == CLV_OK
                          ? CLV_OK
                          : surgery_no_memory(s);
  for (uint32_t k = 0; result == CLV_OK && k < star.count; k++) result = offer_marked_facets(s, star.darts[k]);
  clv_walk_end(&star);
  return result;
}

static clv_result select_particles(clv_surgery *s, const clv_cut *cut) {
  if (cut->count && !cut->particles) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the cut has no list of particles");
  for (uint32_t k = 0; k < cut->count; k++)
    if (!clv_id_alive(s->map, CLV_VERTEX, cut->particles[k]))
      return surgery_fail(s, CLV_ERROR_ARGUMENT, "particle %u of the cut (counted from 0) is gone, or never was", k);
  clv_result result = surgery_reserve_marks(s);
  for (uint32_t k = 0; result == CLV_OK && k < cut->count; k++) s->marks.data[cut->particles[k].index] = 1;
  for (uint32_t k = 0; result == CLV_OK && k < cut->count; k++) result = offer_about(s, cut->particles[k]);
  for (uint32_t k = 0; k < cut->count && s->marks.count; k++) s->marks.data[cut->particles[k].index] = 0;
  return result;
}

static clv_result select_inside(clv_surgery *s, const clv_zone *zone) {
  clv_result result = surgery_mark_vertices(s, zone);
  if (result != CLV_OK) return result;
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));)
    result = offer_marked_facets(s, cell);
  surgery_unmark_vertices(s);
  return result;
}

// A plane, through the body at rest

static clv_result measure_heights(clv_surgery *s, const clv_zone *zone) {
  const uint32_t slots = clv_body_slots(s->body);
  const double *rest = clv_body_rest(s->body), *n = zone->extent, *p = zone->point;
  if (!BASE_RESERVE(&s->allocator, &s->heights, slots)) return surgery_no_memory(s);
  const double length = hypot(hypot(n[0], n[1]), n[2]), slack = 1e-9 * s->body->size;
  for (size_t v = 0; v < slots; v++)
    s->heights.data[v] =
        (n[0] * (rest[3 * v] - p[0]) + n[1] * (rest[3 * v + 1] - p[1]) + n[2] * (rest[3 * v + 2] - p[2])) / length +
        slack;
  return CLV_OK;
}

// Whether the centre is above; and whether all corners are on the same side.
static bool is_above(const clv_surgery *s, const surgery_corners *corners, bool *whole) {
  double sum = 0;
  uint32_t above = 0;
  for (uint32_t c = 0; c < corners->count; c++) {
    const double height = s->heights.data[corners->slots[c]];
    sum += height;
    above += height >= 0;
  }
  *whole = above == 0 || above == corners->count;
  return sum >= 0;
}

static clv_result offer_between(clv_surgery *s, clv_dart facet, void *user) {
  const bool here = *(const bool *)user;
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  if (beyond == facet) return CLV_OK;
  surgery_corners corners;
  bool whole;
  if (!surgery_cell_corners(s, beyond, &corners)) return surgery_no_memory(s);
  if (is_above(s, &corners, &whole) == here) return CLV_OK;
  return offer(s, here ? facet : beyond);
}

// Of two cells with centres on different sides, one at least has corners on both: they share some.
static clv_result select_plane(clv_surgery *s, const clv_zone *zone) {
  clv_result result = measure_heights(s, zone);
  bool seen[2] = {false, false}; // below, above
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    surgery_corners corners;
    bool whole;
    if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
    bool above = is_above(s, &corners, &whole);
    seen[above] = true;
    if (!whole) result = surgery_each_facet(s, cell, offer_between, &above);
  }
  s->parted = seen[0] && seen[1];
  return result;
}

static clv_result select_zone(clv_surgery *s, const clv_zone *zone) {
  const char *wrong = physics_zone_wrong(zone);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the zone of the cut makes no sense: %s", wrong);
  return zone->kind == CLV_ZONE_PLANE ? select_plane(s, zone) : select_inside(s, zone);
}

// A sheet, through the body where it is now

static clv_result offer_parted(clv_surgery *s, clv_dart facet, void *user) {
  const double *here = user, *pos = clv_body_positions(s->body);
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  if (beyond == facet) return CLV_OK;
  double there[3];
  if (!surgery_cell_centre(s, beyond, pos, there)) return surgery_no_memory(s);
  // In one order, whichever cell it is looked at from: the same segment, the same bits.
  const bool first = facet < beyond;
  const int side = first ? surgery_sheet_parts(&s->sheet, here, there) : -surgery_sheet_parts(&s->sheet, there, here);
  return side ? offer(s, side > 0 ? facet : beyond) : CLV_OK;
}

// Cells that lie beyond one side of the sheet's box with all corners, and with equal codes, are not looked at. Of two
// neighbours that the sheet parts one is always looked at: otherwise both had the code of the corners they share, and
// lay on the same side of the box.
static clv_result select_sheet(clv_surgery *s) {
  if (!surgery_sheet_finish(&s->sheet, &s->allocator)) return surgery_no_memory(s);
  if (!s->sheet.nodes.count) return CLV_OK;
  const double *pos = clv_body_positions(s->body), slack = 1e-8 * s->body->size;
  double least[3], greatest[3];
  for (uint32_t k = 0; k < 3; k++) {
    least[k] = s->sheet.nodes.data[0].least[k] - slack;
    greatest[k] = s->sheet.nodes.data[0].greatest[k] + slack;
  }
  clv_result result = surgery_code_vertices(s, least, greatest);
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    surgery_corners corners;
    double centre[3];
    if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
    const surgery_code code = surgery_cell_code(s, &corners);
    if (code.every && code.every == code.some) continue;
    if (!surgery_cell_centre(s, cell, pos, centre)) return surgery_no_memory(s);
    result = surgery_each_facet(s, cell, offer_parted, centre);
  }
  return result;
}

static clv_result select_surface(clv_surgery *s, const clv_mesh *mesh) {
  const char *wrong = clv_surface_wrong(mesh);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the surface of the cut: %s", wrong);
  surgery_sheet_start(&s->sheet, s->body->size);
  return surgery_sheet_add_all(&s->sheet, &s->allocator, mesh) ? select_sheet(s) : surgery_no_memory(s);
}

static bool add_blade(clv_surgery *s, const clv_blade *blade) {
  surgery_sheet_start(&s->sheet, s->body->size);
  return surgery_sheet_add(&s->sheet, &s->allocator, blade->before[0], blade->before[1], blade->after[1]) &&
         surgery_sheet_add(&s->sheet, &s->allocator, blade->before[0], blade->after[1], blade->after[0]);
}

// A blade in a body that moves; between cells that rest, what it swept is a sheet

static clv_result offer_parted_moving(clv_surgery *s, clv_dart facet, void *user) {
  const clv_cut *cut = user;
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  if (beyond == facet) return CLV_OK;
  const clv_dart cells[2] = {facet < beyond ? facet : beyond, facet < beyond ? beyond : facet};
  surgery_ends ends = {{{0}}, {{0}}};
  for (uint32_t e = 0; e < 2; e++)
    if (!surgery_cell_centre(s, cells[e], cut->motion.from, ends.was[e]) ||
        !surgery_cell_centre(s, cells[e], clv_body_positions(s->body), ends.now[e]))
      return surgery_no_memory(s);
  const bool rests = surgery_same_ends((const double(*)[3])ends.was, (const double(*)[3])ends.now);
  const int side = rests ? surgery_sheet_parts(&s->sheet, ends.now[0], ends.now[1])
                         : surgery_blade_meets(&cut->blade, &cut->motion, &ends, s->sheet.aside);
  return side ? offer(s, side > 0 ? cells[0] : cells[1]) : CLV_OK;
}

static clv_result select_moving(clv_surgery *s, const clv_cut *cut) {
  const clv_blade *b = &cut->blade;
  double least[3], greatest[3], reach[3];
  surgery_motion_reach(s, &cut->motion, reach);
  for (uint32_t k = 0; k < 3; k++) {
    const double margin = 2 * reach[k] + 1e-8 * s->body->size;
    least[k] = fmin(fmin(b->before[0][k], b->before[1][k]), fmin(b->after[0][k], b->after[1][k])) - margin;
    greatest[k] = fmax(fmax(b->before[0][k], b->before[1][k]), fmax(b->after[0][k], b->after[1][k])) + margin;
  }
  if (!add_blade(s, b) || !surgery_sheet_finish(&s->sheet, &s->allocator)) return surgery_no_memory(s);
  clv_result result = surgery_code_vertices(s, least, greatest);
  clv_dart cell;
  clv_cut moving = *cut;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));) {
    surgery_corners corners;
    if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
    const surgery_code code = surgery_cell_code(s, &corners);
    if (!code.every || code.every != code.some) result = surgery_each_facet(s, cell, offer_parted_moving, &moving);
  }
  return result;
}

static clv_result select_blade(clv_surgery *s, const clv_cut *cut) {
  const clv_blade *blade = &cut->blade;
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++)
      if (!isfinite(blade->before[e][k]) || !isfinite(blade->after[e][k]))
        return surgery_fail(s, CLV_ERROR_ARGUMENT, "a coordinate of the blade is not a number");
  if (cut->motion.from) return select_moving(s, cut);
  return add_blade(s, blade) ? select_sheet(s) : surgery_no_memory(s);
}

clv_result surgery_select(clv_surgery *s, const clv_cut *cut) {
  s->facets.count = s->offers.count = 0;
  s->parted = false;
  clv_result result;
  switch (cut->kind) {
  case CLV_CUT_FACETS:
    result = select_listed(s, cut);
    break;
  case CLV_CUT_PARTICLES:
    result = select_particles(s, cut);
    break;
  case CLV_CUT_ZONE:
    result = select_zone(s, &cut->zone);
    break;
  case CLV_CUT_SURFACE:
    result = select_surface(s, cut->surface);
    break;
  case CLV_CUT_BLADE:
    result = select_blade(s, cut);
    break;
  default:
    return surgery_fail(s, CLV_ERROR_ARGUMENT, "there is no cut of kind %d", (int)cut->kind);
  }
  if (result == CLV_OK && cut->kind != CLV_CUT_FACETS) result = take_offers(s);
  return result == CLV_OK ? surgery_whole_facets(s) : result;
}

const char *surgery_nothing_cut(const clv_surgery *s, const clv_cut *cut) {
  if (cut->kind == CLV_CUT_SURFACE) return "the surface parts no cells that hang together where the body is now";
  if (cut->kind == CLV_CUT_ZONE && cut->zone.kind == CLV_ZONE_PLANE)
    return s->parted ? "the cells on either side of the plane are parted already"
                     : "all cells have their centres on one side of the plane";
  return s->parted ? "all facets that lie there are cut already, or on the surface of the body"
                   : "no facet lies there with all its corners";
}
