// Coarsening: families of cells become the cells they came of.
//
// The map puts families together, where nothing was cut in between (clv_map_coarsen). The momentum of their vertices goes with
// them: what a vertex had that vanishes, or hangs from now on, it leaves to those that it came between, half to each, and
// they to theirs. The masses that corners gain are the same parts, so that their velocities are means. Where a corner hangs
// itself, what is left goes to all that are there.

#include "surgery/surgery.h"

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

static void momentum_of(const clv_surgery *s, uint32_t slot, double momentum[3]) {
  const double *velocity = clv_body_velocities(s->body) + 3 * (size_t)slot;
  const double mass = clv_body_masses(s->body)[slot];
  for (uint32_t i = 0; i < 3; i++) momentum[i] = mass * velocity[i];
}

// A vertex counts once, in the first family it is met in.
static bool is_counted(const clv_surgery *s, uint32_t slot) {
  return s->marks.data[slot] & 2u;
}

static clv_result gather_momentum(clv_surgery *s, const clv_family *family, const uint32_t *slots) {
  double momenta[8 + CLV_REFINED_VERTICES][3];
  clv_result result = CLV_OK;
  for (uint32_t k = 0; k < family->vertex_count; k++) {
    momenta[k][0] = momenta[k][1] = momenta[k][2] = 0;
    if (!is_counted(s, slots[k])) momentum_of(s, slots[k], momenta[k]);
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
static bool is_free(const clv_surgery *s, uint32_t slot, uint32_t axis) {
  return clv_body_masses(s->body)[slot] > 0 && !(clv_body_held(s->body)[slot] >> axis & 1u);
}

static void give_momentum(clv_surgery *s) {
  double *velocities = clv_body_velocities(s->body);
  const double *masses = clv_body_masses(s->body);
  for (uint32_t i = 0; i < 3; i++) {
    double left = 0, weight = 0;
    for (uint32_t k = 0; k < s->gainers.count; k++) {
      const uint32_t slot = s->gainers.data[k] & ~CHILD;
      const double has = s->gains.data[3 * (size_t)slot + i];
      double *velocity = &velocities[3 * (size_t)slot + i];
      if (!(s->gainers.data[k] & CHILD) && is_free(s, slot, i)) *velocity = has / masses[slot];
      left += has - masses[slot] * *velocity;
      weight += is_free(s, slot, i) ? masses[slot] : 0;
    }
    for (uint32_t k = 0; weight > 0 && k < s->gainers.count; k++) {
      const uint32_t slot = s->gainers.data[k] & ~CHILD;
      if (is_free(s, slot, i)) velocities[3 * (size_t)slot + i] += left / weight;
    }
  }
}

// Families

static bool all_zoned(const clv_surgery *s, const clv_family *family) {
  for (uint32_t c = 0; c < family->cell_count; c++)
    if (!s->zoned.data[clv_id_of(s->map, CLV_CELL, family->cells[c]).index]) return false;
  return true;
}

static clv_result coarsen_listed(clv_surgery *s, uint32_t level) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++) {
    const clv_dart cell = s->cells.data[k];
    clv_family family;
    if (!clv_dart_alive(s->map, cell)) continue; // put together already
    if (!clv_map_family(s->map, cell, level, surgery_levels(s), &family) || !all_zoned(s, &family)) continue;
    uint32_t slots[8 + CLV_REFINED_VERTICES];
    for (uint32_t v = 0; v < family.vertex_count; v++)
      slots[v] = clv_id_of(s->map, CLV_VERTEX, family.vertices[v]).index;
    result = clv_map_coarsen(s->map, cell, level, surgery_levels(s), NULL);
    if (result == CLV_ERROR_REFUSED) {
      result = CLV_OK;
      continue;
    }
    if (result == CLV_OK) result = gather_momentum(s, &family, slots);
    s->did.coarsened++;
  }
  return result == CLV_OK || result == CLV_ERROR_MEMORY ? result : surgery_of_map(s, result);
}

clv_result surgery_coarsen_listed(clv_surgery *s, uint32_t level, clv_surgery_report *sum) {
  const uint64_t slots = clv_body_slots(s->body);
  clv_surgery_report one = {0};
  s->gainers.count = 0;
  clv_result result = surgery_reserve_marks(s);
  if (result == CLV_OK && !BASE_RESERVE(&s->allocator, &s->gains, 3 * slots)) result = surgery_no_memory(s);
  if (result == CLV_OK) result = surgery_begin(s);
  if (result != CLV_OK) return result;
  result = surgery_end(s, coarsen_listed(s, level), &one);
  for (uint32_t k = 0; k < s->gainers.count; k++) s->marks.data[s->gainers.data[k] & ~CHILD] = 0;
  if (result == CLV_OK && one.coarsened) give_momentum(s);
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
  if (result == CLV_OK && report) *report = sum;
  return result;
}
