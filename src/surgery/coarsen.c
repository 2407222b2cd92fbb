// Coarsening: families of cells become the cells they came of.
//
// The map puts families together, where nothing was cut in between (clv_map_coarsen). The momentum of their vertices
// goes with them: what a vertex had that vanishes, or hangs from now on, it leaves to those that it came between, half
// to each, and they to theirs, and corners that hang to those they hang between. The masses that they gain are the same
// parts, so that velocities are means. What rounding and held particles leave goes to all that are free.

#include "surgery/surgery.h"

#include <math.h>

// Momentum

#define CHILD 0x80000000u // with a slot: of a vertex that came between others

static clv_result gain(clv_surgery *s, uint32_t slot, uint32_t child, const double momentum[3]) {
  double *gains = &s->gains.data[3 * (size_t)slot];
  if (!s->marks.data[slot]) {
    if (!BASE_RESERVE(&s->allocator, &s->gainers, (uint64_t)s->gainers.count + 1)) return surgery_no_memory(s);
    s->gainers.data[s->gainers.count++] = slot | child;
    s->marks.data[slot] = 1;
    gains[0] = gains[1] = gains[2] = 0;
  }
  for (uint32_t i = 0; i < 3; i++) gains[i] += momentum[i];
  return CLV_OK;
}

static void momentum_of(const clv_surgery *s, const double *masses, uint32_t slot, double momentum[3]) {
  const double *velocity = clv_body_velocities(s->body) + 3 * (size_t)slot;
  for (uint32_t i = 0; i < 3; i++) momentum[i] = masses[slot] * velocity[i];
}

// A vertex counts once, in the first family it is met in.
static bool is_counted(const clv_surgery *s, uint32_t slot) {
  return s->marks.data[slot] & 2u;
}

static clv_result gather_momentum(clv_surgery *s, const double *masses, const clv_family *family,
                                  const uint32_t *slots) {
  double momenta[SURGERY_FAMILY_VERTICES][3];
  clv_result result = CLV_OK;
  for (uint32_t k = 0; k < family->vertex_count; k++) {
    momenta[k][0] = momenta[k][1] = momenta[k][2] = 0;
    if (!is_counted(s, slots[k])) momentum_of(s, masses, slots[k], momenta[k]);
  }
  for (uint32_t k = family->vertex_count; k-- > family->corner_count;)
    for (uint32_t e = 0; e < 2; e++)
      for (uint32_t i = 0; i < 3; i++) momenta[family->ends[k][e]][i] += 0.5 * momenta[k][i];
  for (uint32_t k = 0; result == CLV_OK && k < family->vertex_count; k++) {
    static const double none[3] = {0, 0, 0};
    const bool corner = k < family->corner_count;
    result = gain(s, slots[k], corner ? 0 : CHILD, corner ? momenta[k] : none);
    if (result == CLV_OK) s->marks.data[slots[k]] |= 2u;
  }
  return result;
}

// What moves on its own weighs something, along the axes that nothing holds.
static bool is_free(const clv_surgery *s, const double *masses, uint32_t slot, uint32_t axis) {
  return masses[slot] > 0 && !(clv_body_held(s->body)[slot] >> axis & 1u);
}

static void total_momentum(const clv_surgery *s, const double *masses, double total[3]) {
  const double *velocities = clv_body_velocities(s->body);
  const uint32_t slots = clv_body_slots(s->body);
  total[0] = total[1] = total[2] = 0;
  for (uint32_t slot = 1; slot < slots; slot++)
    for (uint32_t i = 0; i < 3; i++) total[i] += masses[slot] * velocities[3 * (size_t)slot + i];
}

// Vertices that came with the same commit, where a rule refines, too, had what they have now.
static bool note_new_vertices(clv_surgery *s) {
  const uint32_t had = s->marks.count;
  const uint64_t slots = clv_body_slots(s->body);
  if (surgery_reserve_marks(s) != CLV_OK || !BASE_RESERVE(&s->allocator, &s->gains, 3 * slots) ||
      !BASE_RESERVE(&s->allocator, &s->heights, slots))
    return false;
  const double *masses = clv_body_masses(s->body);
  for (uint32_t slot = had; slot < slots; slot++) s->heights.data[slot] = masses[slot];
  return true;
}

// What corners have that hang goes to those they hang between; children come behind their parents.
static clv_result pass_on(clv_surgery *s) {
  const physics_hangings *h = s->body->hanging;
  clv_result result = note_new_vertices(s) ? physics_hanging_ready(s->body) : CLV_ERROR_MEMORY;
  for (uint32_t k = h->table.count; result == CLV_OK && k-- > 0;) {
    const physics_hanging *one = &h->table.data[k];
    double *has = &s->gains.data[3 * (size_t)one->slot];
    if (!s->marks.data[one->slot]) continue;
    const double part[3] = {has[0] / one->count, has[1] / one->count, has[2] / one->count};
    for (uint32_t p = 0; result == CLV_OK && p < one->count; p++) {
      const uint32_t parent = one->parents[p];
      double own[3];
      momentum_of(s, s->heights.data, parent, own);
      if (!s->marks.data[parent]) result = gain(s, parent, 0, own);
      if (result == CLV_OK) result = gain(s, parent, 0, part);
    }
    has[0] = has[1] = has[2] = 0;
  }
  return result;
}

static void give_momentum(clv_surgery *s) {
  double *velocities = clv_body_velocities(s->body);
  const double *masses = clv_body_masses(s->body);
  for (uint32_t k = 0; k < s->gainers.count; k++) {
    const uint32_t slot = s->gainers.data[k] & ~CHILD;
    for (uint32_t i = 0; i < 3 && !(s->gainers.data[k] & CHILD); i++)
      if (is_free(s, masses, slot, i))
        velocities[3 * (size_t)slot + i] = s->gains.data[3 * (size_t)slot + i] / masses[slot];
  }
  double after[3];
  total_momentum(s, masses, after);
  for (uint32_t i = 0; i < 3; i++) {
    double weight = 0;
    for (uint32_t k = 0; k < s->gainers.count; k++) {
      const uint32_t slot = s->gainers.data[k] & ~CHILD;
      weight += is_free(s, masses, slot, i) ? masses[slot] : 0;
    }
    for (uint32_t k = 0; weight > 0 && k < s->gainers.count; k++) {
      const uint32_t slot = s->gainers.data[k] & ~CHILD;
      if (is_free(s, masses, slot, i)) velocities[3 * (size_t)slot + i] += (s->momentum[i] - after[i]) / weight;
    }
  }
  physics_spread(s->body, velocities);
}

// Families

static bool all_zoned(const clv_surgery *s, const clv_family *family) {
  for (uint32_t c = 0; c < family->cell_count; c++)
    if (!s->zoned.data[clv_id_of(s->map, CLV_CELL, family->cells[c]).index]) return false;
  return true;
}

// Vertices that were moved onto a path are no middles any more: the whole would not weigh what its parts do. Nor would
// it where a corner was moved, and the middles beside it were not.
static bool is_uneven(const clv_surgery *s, const clv_family *family, const uint32_t *slots) {
  const double *rest = clv_body_rest(s->body);
  double size = 0, off = 0;
  for (uint32_t k = family->corner_count; k < family->vertex_count; k++) {
    const double *a = rest + 3 * (size_t)slots[family->ends[k][0]], *b = rest + 3 * (size_t)slots[family->ends[k][1]];
    const double *middle = rest + 3 * (size_t)slots[k];
    for (uint32_t i = 0; i < 3; i++) {
      size = fmax(size, fabs(a[i] - b[i]));
      off = fmax(off, fabs(0.5 * (a[i] + b[i]) - middle[i]));
    }
  }
  return off > 1e-9 * size;
}

// A crack may end in the middle of an edge while the cells about it are fine. Coarse ones would have to close it
// (physics/tie.h): in all of them the middle must lie between the same two.
static bool closes_crack(const clv_surgery *s, const clv_family *family, const uint32_t *slots) {
  for (uint32_t k = family->corner_count; k < family->vertex_count; k++) {
    if (family->ends[k][0] >= family->corner_count || family->ends[k][1] >= family->corner_count) continue;
    const uint32_t a = slots[family->ends[k][0]], b = slots[family->ends[k][1]];
    const uint32_t *ends = &s->between.data[2 * (size_t)slots[k]];
    if (is_counted(s, slots[k]) && !(ends[0] == a && ends[1] == b) && !(ends[0] == b && ends[1] == a)) return true;
    if (physics_hangs_otherwise(s->body->hanging, slots[k], a, b)) return true;
  }
  return false;
}

const char *surgery_family_obstacle(const clv_surgery *s, const clv_family *family, const uint32_t *slots) {
  if (is_uneven(s, family, slots)) return "vertices rest elsewhere than refining put them";
  return closes_crack(s, family, slots) ? "a crack ends in the middle of an edge" : NULL;
}

static void note_ends(clv_surgery *s, const clv_family *family, const uint32_t *slots) {
  for (uint32_t k = family->corner_count; k < family->vertex_count; k++)
    for (uint32_t e = 0; e < 2; e++) s->between.data[2 * (size_t)slots[k] + e] = slots[family->ends[k][e]];
}

clv_result surgery_note_momentum(clv_surgery *s) {
  const uint64_t slots = clv_body_slots(s->body);
  s->gainers.count = 0;
  const clv_result result = surgery_reserve_marks(s);
  if (result != CLV_OK) return result;
  if (!BASE_RESERVE(&s->allocator, &s->gains, 3 * slots) || !BASE_RESERVE(&s->allocator, &s->heights, slots) ||
      !BASE_RESERVE(&s->allocator, &s->between, 2 * slots) || physics_hanging_ready(s->body) != CLV_OK)
    return surgery_no_memory(s);
  memcpy(s->heights.data, clv_body_masses(s->body), slots * sizeof(double)); // as they are before
  total_momentum(s, s->heights.data, s->momentum);
  return CLV_OK;
}

void surgery_family_slots(const clv_surgery *s, const clv_family *family, uint32_t *slots) {
  for (uint32_t v = 0; v < family->vertex_count; v++)
    slots[v] = clv_id_of(s->map, CLV_VERTEX, family->vertices[v]).index;
}

clv_result surgery_take_momentum(clv_surgery *s, const clv_family *family, const uint32_t *slots) {
  note_ends(s, family, slots);
  s->did.coarsened++;
  return gather_momentum(s, s->heights.data, family, slots);
}

void surgery_return_momentum(clv_surgery *s, bool coarsened) {
  // Memory for those outside the families may be out: then the rest is shared out by those inside.
  if (coarsened) {
    (void)pass_on(s);
    give_momentum(s);
  }
  for (uint32_t k = 0; k < s->gainers.count; k++) s->marks.data[s->gainers.data[k] & ~CHILD] = 0;
}

static clv_result coarsen_listed(clv_surgery *s, uint32_t level) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++) {
    const clv_dart cell = s->cells.data[k];
    clv_family family;
    if (!clv_dart_alive(s->map, cell)) continue; // put together already
    if (!clv_map_family(s->map, cell, level, surgery_levels(s), &family) || !all_zoned(s, &family)) continue;
    uint32_t slots[SURGERY_FAMILY_VERTICES];
    surgery_family_slots(s, &family, slots);
    if (surgery_family_obstacle(s, &family, slots)) continue;
    result = clv_map_coarsen(s->map, cell, level, surgery_levels(s), NULL);
    if (result == CLV_ERROR_REFUSED) {
      result = CLV_OK;
      continue;
    }
    if (result == CLV_OK) result = surgery_take_momentum(s, &family, slots);
  }
  return result == CLV_OK || result == CLV_ERROR_MEMORY ? result : surgery_of_map(s, result);
}

clv_result surgery_coarsen_listed(clv_surgery *s, uint32_t level, clv_surgery_report *sum) {
  clv_surgery_report one = {0};
  clv_result result = surgery_note_momentum(s);
  if (result == CLV_OK) result = surgery_begin(s);
  if (result != CLV_OK) return result;
  result = surgery_end(s, coarsen_listed(s, level), &one);
  surgery_return_momentum(s, result == CLV_OK && one.coarsened);
  sum->coarsened += one.coarsened;
  return result;
}

clv_result clv_surgery_coarsen(clv_surgery *s, const clv_zone *zone, uint32_t level, clv_surgery_report *report) {
  clv_surgery_report sum = {0};
  uint32_t finest = 0;
  if (report) *report = sum;
  clv_result result = surgery_list_cells(s, zone, "coarsening");
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++) {
    const uint32_t at = surgery_level_of(s, s->cells.data[k]);
    finest = at > finest ? at : finest;
  }
  for (uint32_t at = finest; result == CLV_OK && at > level; at--) {
    result = surgery_list_cells(s, zone, "coarsening");
    if (result == CLV_OK) result = surgery_mark_zone(s, zone);
    uint32_t kept = 0;
    for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++)
      if (surgery_level_of(s, s->cells.data[k]) == at) s->cells.data[kept++] = s->cells.data[k];
    s->cells.count = kept;
    if (result == CLV_OK && kept) result = surgery_coarsen_listed(s, at - 1, &sum);
  }
  if (report) *report = sum;
  return surgery_stopped(s, result, &sum);
}
