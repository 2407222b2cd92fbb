#include "solve/struts.h"

#include "solve/block_set.h"

#include <math.h>

enum { BATCHES = 8 }; // that a kernel is run for at a time

void struts_init(struts *s, clv_views *views, const clv_allocator *allocator) {
  *s = (struts){.allocator = *allocator, .views = views};
}

void struts_free(struts *s) {
  const clv_allocator *a = &s->allocator;
  BASE_RELEASE(a, &s->ends);
  view_memory_free(&s->blocks, a);
  view_memory_free(&s->room, a);
  view_memory_free(&s->vectors, a);
}

static uint32_t batches_of(const view_part *part) {
  return (part->slab->rows + KERNEL_LANES - 1) / KERNEL_LANES;
}

// With those that fill batches.
static uint64_t count_of(const clv_views *views) {
  uint64_t count = 0;
  for (uint32_t k = 0; k < views->parts.count; k++)
    count +=
        (uint64_t)batches_of(&views->parts.data[k]) * KERNEL_LANES * views->parts.data[k].table->kernel->pairs.count;
  return count;
}

bool struts_serve(const clv_views *views) {
  bool serve = views->slots <= STRUTS_ROWS && views->parts.count > 0 && count_of(views) <= STRUTS_MOST;
  for (uint32_t k = 0; k < views->parts.count; k++) {
    const kernel *acting = views->parts.data[k].table->kernel;
    serve = serve && acting->pairs.count > 0 && !acting->has_velocity;
  }
  return serve;
}

// Writes the ends of one strut; whether they were others.
static bool set_ends(struts *s, uint32_t strut, uint32_t first, uint32_t second) {
  uint32_t *ends = s->ends.data + 2 * (size_t)strut;
  const bool changed = ends[0] != first || ends[1] != second;
  ends[0] = first;
  ends[1] = second;
  return changed;
}

// In the order that kernels give them in: by batch, distance and lane.
static bool list_ends(struts *s) {
  uint32_t strut = 0;
  bool changed = false;
  for (uint32_t n = 0; n < s->views->parts.count; n++) {
    const view_part *part = &s->views->parts.data[n];
    const kernel_pairs *pairs = &part->table->kernel->pairs;
    for (uint32_t row = 0; row < batches_of(part) * KERNEL_LANES; row += KERNEL_LANES)
      for (uint32_t k = 0; k < pairs->count; k++)
        for (uint32_t r = row; r < row + KERNEL_LANES; r++, strut++) {
          const bool there = r < part->slab->rows;
          const uint32_t first = there ? view_row_slot(part->table, part->slab, r, pairs->first[k]) : 0;
          const uint32_t second = there ? view_row_slot(part->table, part->slab, r, pairs->second[k]) : 0;
          changed |= set_ends(s, strut, first, second);
        }
  }
  return changed;
}

static bool reserve(struts *s) {
  const clv_allocator *a = &s->allocator;
  uint32_t most = 0;
  for (uint32_t n = 0; n < s->views->parts.count; n++) {
    const uint32_t pairs = s->views->parts.data[n].table->kernel->pairs.count;
    most = pairs > most ? pairs : most;
  }
  const size_t room = (size_t)BATCHES * 9 * most * KERNEL_LANES * sizeof(double);
  const size_t blocks = BLOCK_RECORD * (size_t)s->count * sizeof(double);
  const size_t vectors = 2 * BLOCK_ROW * (size_t)s->rows * sizeof(double);
  return BASE_RESERVE(a, &s->ends, 2 * (uint64_t)s->count) &&
         (s->room.room >= room || view_memory_resize(&s->room, a, 0, room)) &&
         (s->blocks.room >= blocks || view_memory_resize(&s->blocks, a, 0, blocks)) &&
         (s->vectors.room >= vectors || view_memory_resize(&s->vectors, a, 0, vectors));
}

bool struts_follow(struts *s, bool *changed) {
  *changed = false;
  if (s->made && s->layouts == s->views->layouts) return true;
  const uint32_t count = (uint32_t)count_of(s->views), rows = s->views->slots;
  *changed = !s->made || count != s->count || rows != s->rows;
  s->made = false;
  s->count = count;
  s->rows = rows;
  if (!reserve(s)) return false;
  if (*changed && count) memset(s->ends.data, 0, 2 * (size_t)count * sizeof *s->ends.data);
  if (list_ends(s)) *changed = true;
  s->layouts = s->views->layouts;
  s->made = true;
  return true;
}

// The blocks of one part, and the largest numbers by lane. The result: how many struts it has.
static uint32_t assemble_part(struts *s, const view_part *part, double *blocks, double largest[KERNEL_LANES]) {
  const block_set *loops = block_best();
  const uint32_t pairs = part->table->kernel->pairs.count, all = batches_of(part), rows = part->slab->rows;
  views_read_part(s->views, part, 0);
  for (uint32_t batch = 0; batch < all; batch += BATCHES) {
    const uint32_t batches = all - batch < BATCHES ? all - batch : BATCHES;
    const double *from = s->room.data;
    views_batch_matrices(s->views, part, 0, KERNEL_PAIRS, batch, batches, s->room.data);
    for (uint32_t b = 0; b < batches; b++) {
      const uint32_t left = rows - (batch + b) * KERNEL_LANES, lanes = left < KERNEL_LANES ? left : KERNEL_LANES;
      for (uint32_t k = 0; k < pairs; k++, from += 9 * KERNEL_LANES, blocks += BLOCK_RECORD * KERNEL_LANES)
        loops->take(from, -s->sum.stiffness, lanes, blocks, largest);
    }
  }
  return all * pairs * KERNEL_LANES;
}

void struts_assemble(struts *s, const matrix_sum *sum) {
  double *blocks = s->blocks.data, largest[KERNEL_LANES] = {0};
  s->sum = *sum;
  for (uint32_t n = 0; n < s->views->parts.count; n++)
    blocks += BLOCK_RECORD * (size_t)assemble_part(s, &s->views->parts.data[n], blocks, largest);
  s->largest = 0;
  for (uint32_t lane = 0; lane < KERNEL_LANES; lane++) s->largest = fmax(s->largest, largest[lane]);
  for (uint32_t row = 0; row < s->rows; row++) s->largest = fmax(s->largest, sum->mass * sum->masses[row]);
}

double struts_multiply(const struts *s, const double *x, double *out) {
  const wide_loops *loops = wide_best();
  double *spread = s->vectors.data, *sums = spread + BLOCK_ROW * (size_t)s->rows;
  loops->spread(x, s->rows, spread);
  for (size_t row = 0; row < s->rows; row++) {
    const double mass = s->sum.mass * s->sum.masses[row];
    for (size_t k = BLOCK_ROW * row; k < BLOCK_ROW * (row + 1); k++) sums[k] = mass * spread[k];
  }
  block_best()->pull(s->count, s->ends.data, s->blocks.data, spread, sums);
  loops->join(sums, s->rows, out);
  return loops->dot(x, out, 3 * (size_t)s->rows);
}

void struts_diagonal(const struts *s, double *blocks) {
  static const uint8_t number[9] = {0, 1, 2, 1, 4, 5, 2, 5, 6};
  for (uint32_t row = 0; row < s->rows; row++)
    for (uint32_t e = 0; e < 9; e++) blocks[9 * (size_t)row + e] = e % 4 == 0 ? s->sum.mass * s->sum.masses[row] : 0;
  const double *record = s->blocks.data;
  for (uint32_t k = 0; k < s->count; k++, record += BLOCK_RECORD) {
    const uint32_t *ends = s->ends.data + 2 * (size_t)k;
    for (uint32_t end = 0; end < 2 && ends[0] != ends[1]; end++)
      for (uint32_t e = 0; e < 9; e++) blocks[9 * (size_t)ends[end] + e] -= record[number[e]];
  }
}
