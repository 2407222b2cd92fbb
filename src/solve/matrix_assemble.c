// Filling the blocks of a matrix from the rows of the views, and multiplying with it.

#include "solve/block_set.h"
#include "solve/matrix.h"

#include <math.h>

typedef struct assembly {
  matrix *m;
  const block_set *loops;
  const matrix_sum *sum;
  double factor[2]; // of stiffness and damping
} assembly;

// NEAR_BLOCKS: as many as stay in a core's cache anyway.
enum { DIAGONALS_AHEAD = 16, NEAR_BLOCKS = 8192 };

static const kernel_kind kinds[2] = {KERNEL_STIFFNESS, KERNEL_DAMPING};

static bool is_symmetric(const kernel *k, uint32_t which) {
  return which == 0 ? k->symmetric || k->clamps : k->damping_symmetric;
}

// Replaces matrices, [row * n + column][lane], by their symmetric parts.
static void symmetrise(double *matrices, uint32_t n) {
  for (uint32_t row = 0; row < n; row++)
    for (uint32_t column = row + 1; column < n; column++) {
      double *a = matrices + (size_t)(row * n + column) * KERNEL_LANES;
      double *b = matrices + (size_t)(column * n + row) * KERNEL_LANES;
      for (uint32_t l = 0; l < KERNEL_LANES; l++) a[l] = b[l] = 0.5 * (a[l] + b[l]);
    }
}

// Nothing is added to a diagonal that is found behind.
static bool is_added(const matrix *m, const matrix_law *of, uint32_t pair) {
  return !m->balances || of->p[pair] != of->q[pair];
}

// Asks for blocks that are added to once the matrices of their rows are there.
static void ask_for_blocks(const matrix *m, const matrix_law *of, const uint32_t *targets) {
  for (uint32_t pair = 0; pair < of->pairs; pair++, targets += KERNEL_LANES)
    for (uint32_t lane = 0; is_added(m, of, pair) && lane < KERNEL_LANES; lane++) {
      const double *block = matrix_block(m, targets[lane] >> MATRIX_SHIFT);
      __builtin_prefetch(block, 1);
      __builtin_prefetch(block + 8, 1);
    }
}

// Where laws have distances these are all there is: one's stiffness on the diagonal, and minus that beside it.
static void add_distances(const assembly *a, const matrix_part *part, const uint32_t *targets, uint32_t lanes,
                          const double *matrices) {
  const kernel_pairs *pairs = &part->of.table->kernel->pairs;
  for (uint32_t k = 0; k < pairs->count; k++, matrices += 9 * KERNEL_LANES) {
    const uint32_t p = pairs->first[k], q = pairs->second[k];
    const uint32_t *const to[3] = {targets + (size_t)KERNEL_LANES * matrix_pair(part->law, p, p),
                                   targets + (size_t)KERNEL_LANES * matrix_pair(part->law, q, q),
                                   targets + (size_t)KERNEL_LANES * matrix_pair(part->law, p, q)};
    if (a->m->balances)
      a->loops->scatter(matrices, 3, -a->factor[0], to[2], lanes, MATRIX_FIRST, a->m->values.data);
    else
      a->loops->scatter_pairs(matrices, a->factor[0], to, lanes, MATRIX_FIRST, a->m->values.data);
  }
}

static void add_matrices(const assembly *a, const matrix_part *part, const uint32_t *targets, uint32_t lanes,
                         const double *matrices, uint32_t which) {
  const uint32_t n = 3 * part->of.table->particles;
  for (uint32_t pair = 0; pair < part->law->pairs; pair++, targets += KERNEL_LANES)
    if (is_added(a->m, part->law, pair))
      a->loops->scatter(matrices + ((size_t)part->law->p[pair] * n + part->law->q[pair]) * 3 * KERNEL_LANES, n,
                        a->factor[which], targets, lanes, which == 0 ? MATRIX_FIRST : 0, a->m->values.data);
}

static void add_part(void *user, uint32_t number, uint32_t worker) {
  const assembly *a = user;
  matrix *m = a->m;
  const matrix_part *part = &m->parts.data[number];
  const kernel *k = part->of.table->kernel;
  const uint32_t rows = part->of.slab->rows, pairs = part->law->pairs;
  double *matrices = (double *)m->rooms.data + worker * m->room;
  const bool far = m->blocks > NEAR_BLOCKS;
  if (!rows) return;
  views_read_part(m->views, &part->of, worker);
  for (uint32_t which = 0; which < 2; which++) {
    if (a->factor[which] == 0 || (which == 1 && !k->has_velocity)) continue;
    const bool by_pairs = which == 0 && k->pairs.count;
    for (uint32_t batch = 0; batch * KERNEL_LANES < rows; batch++) {
      const uint32_t left = rows - batch * KERNEL_LANES, lanes = left < KERNEL_LANES ? left : KERNEL_LANES;
      const uint32_t *targets = m->targets.data + part->first + (size_t)batch * pairs * KERNEL_LANES;
      if (far && lanes == KERNEL_LANES) ask_for_blocks(m, part->law, targets);
      views_batch_matrices(m->views, &part->of, worker, by_pairs ? KERNEL_PAIRS : kinds[which], batch, 1, matrices);
      if (!is_symmetric(k, which)) symmetrise(matrices, 3 * k->particles);
      if (by_pairs)
        add_distances(a, part, targets, lanes, matrices);
      else
        add_matrices(a, part, targets, lanes, matrices, which);
    }
  }
}

static bool is_diagonal(const matrix *m, uint32_t block) {
  return m->starts.data[m->columns.data[block]] == block;
}

static void add_copies(matrix *m) {
  static const double nothing[9] = {0};
  for (uint32_t k = 0; k < m->copies.count; k++) {
    const matrix_copy *copy = &m->copies.data[k];
    if (m->balances && is_diagonal(m, copy->to)) continue;
    const double *from = matrix_block(m, copy->from), *old = copy->first ? nothing : matrix_block(m, copy->to);
    double *to = matrix_block(m, copy->to);
    for (uint32_t e = 0; e < 9; e++) to[e] = old[e] + from[e];
  }
}

static double add_masses(const matrix *m, const matrix_sum *sum, const matrix_chunk *chunk) {
  double largest = 0;
  for (uint32_t row = chunk->first; row < chunk->first + chunk->rows; row++) {
    double *block = matrix_block(m, m->starts.data[row]);
    if (row + DIAGONALS_AHEAD < m->rows) __builtin_prefetch(matrix_block(m, m->starts.data[row + DIAGONALS_AHEAD]), 1);
    for (uint32_t axis = 0; axis < 3; axis++) {
      block[4 * axis] += sum->mass * sum->masses[row];
      largest = block[4 * axis] > largest ? block[4 * axis] : largest;
    }
  }
  return largest;
}

static void finish_chunk(void *user, uint32_t number, uint32_t worker) {
  const assembly *a = user;
  const matrix *m = a->m;
  const matrix_chunk *chunk = &m->chunks.data[number];
  const block_rows rows = {m->starts.data, m->lower_starts.data, m->lower.data, a->sum->masses};
  (void)worker;
  m->dots.data[number] = m->balances ? a->loops->balance(chunk->first, chunk->rows, &rows, a->sum->mass, m->values.data)
                                     : add_masses(m, a->sum, chunk);
}

void matrix_assemble(matrix *m, const matrix_sum *sum) {
  assembly a = {.m = m, .loops = block_best(), .sum = sum, .factor = {sum->stiffness, sum->damping}};
  double *values = m->values.data;
  if (sum->stiffness == 0) memset(values, 0, 9 * ((size_t)m->blocks + m->copies.count) * sizeof *values);
  for (uint32_t k = 0; k < m->bare.count; k++) memset(matrix_block(m, m->bare.data[k]), 0, 9 * sizeof *values);
  base_pool_run(m->views->pool, add_part, &a, m->parts.count);
  add_copies(m);
  base_pool_run(m->views->pool, finish_chunk, &a, m->chunks.count);
  m->largest = 0;
  for (uint32_t k = 0; k < m->chunks.count; k++) m->largest = fmax(m->largest, m->dots.data[k]);
}

// The diagonal alone: blocks by vertex, added to in order of batches, by one thread.

typedef struct diagonal {
  matrix *m;
  const view_part *part;
  const block_set *loops;
  uint32_t which;
  double factor, *blocks;
} diagonal;

// The vertices of a batch's particles, whose blocks are asked for.
static void find_targets(const diagonal *d, uint32_t batch, uint32_t lanes, uint32_t *targets) {
  const view_slab *slab = d->part->slab;
  for (uint32_t p = 0; p < d->part->table->particles; p++) {
    const uint32_t *places = view_row_place(d->part->table, slab, batch * KERNEL_LANES, p);
    for (uint32_t lane = 0; lane < lanes; lane++) {
      const uint32_t vertex = slab->vertices.data[view_place_number(places[lane])];
      const double *block = d->blocks + 9 * (size_t)vertex;
      __builtin_prefetch(block, 1);
      __builtin_prefetch(block + 8, 1);
      targets[p * KERNEL_LANES + lane] = vertex << MATRIX_SHIFT;
    }
  }
}

// Where two particles of a row are one vertex, what couples them lies on the diagonal, too: `from` has it.
static void add_couplings(const diagonal *d, uint32_t p, uint32_t q, const double *from, uint32_t n, double factor,
                          uint32_t lanes, const uint32_t *targets) {
  for (uint32_t lane = 0; lane < lanes; lane++) {
    const uint32_t target = targets[p * KERNEL_LANES + lane], both = target | MATRIX_BOTH;
    if (target == targets[q * KERNEL_LANES + lane]) d->loops->scatter(from + lane, n, factor, &both, 1, 0, d->blocks);
  }
}

static void add_own_distances(const diagonal *d, uint32_t lanes, const uint32_t *targets, const double *matrices) {
  const kernel_pairs *pairs = &d->part->table->kernel->pairs;
  for (uint32_t k = 0; k < pairs->count; k++, matrices += 9 * KERNEL_LANES) {
    const uint32_t p = pairs->first[k], q = pairs->second[k];
    d->loops->scatter(matrices, 3, d->factor, targets + p * KERNEL_LANES, lanes, 0, d->blocks);
    d->loops->scatter(matrices, 3, d->factor, targets + q * KERNEL_LANES, lanes, 0, d->blocks);
    add_couplings(d, p, q, matrices, 3, -d->factor, lanes, targets);
  }
}

static void add_own_matrices(const diagonal *d, uint32_t lanes, const uint32_t *targets, const double *matrices) {
  const uint32_t particles = d->part->table->particles, n = 3 * particles;
  for (uint32_t p = 0; p < particles; p++) {
    d->loops->scatter(matrices + ((size_t)p * n + p) * 3 * KERNEL_LANES, n, d->factor, targets + p * KERNEL_LANES,
                      lanes, 0, d->blocks);
    for (uint32_t q = p + 1; q < particles; q++)
      add_couplings(d, p, q, matrices + ((size_t)p * n + q) * 3 * KERNEL_LANES, n, d->factor, lanes, targets);
  }
}

static void add_diagonals(const diagonal *d) {
  const kernel *k = d->part->table->kernel;
  const uint32_t rows = d->part->slab->rows;
  const bool by_pairs = d->which == 0 && k->pairs.count;
  uint32_t targets[LAW_PARTICLES * KERNEL_LANES]; // by particle and lane
  double *matrices = d->m->rooms.data;
  views_read_part(d->m->views, d->part, 0);
  for (uint32_t batch = 0; batch * KERNEL_LANES < rows; batch++) {
    const uint32_t left = rows - batch * KERNEL_LANES, lanes = left < KERNEL_LANES ? left : KERNEL_LANES;
    find_targets(d, batch, lanes, targets);
    views_batch_matrices(d->m->views, d->part, 0, by_pairs ? KERNEL_PAIRS : kinds[d->which], batch, 1, matrices);
    if (!is_symmetric(k, d->which)) symmetrise(matrices, 3 * k->particles);
    if (by_pairs)
      add_own_distances(d, lanes, targets, matrices);
    else
      add_own_matrices(d, lanes, targets, matrices);
  }
}

clv_result matrix_diagonal(matrix *m, const matrix_sum *sum, double *blocks) {
  const clv_result result = views_current(m->views);
  if (result != CLV_OK) return result;
  if (!matrix_reserve_rooms(m)) return CLV_ERROR_MEMORY;
  memset(blocks, 0, 9 * (size_t)m->views->slots * sizeof *blocks);
  for (uint32_t k = 0; k < m->views->parts.count; k++) {
    diagonal d = {m, &m->views->parts.data[k], block_best(), 0, sum->stiffness, blocks};
    if (d.factor != 0) add_diagonals(&d);
    d.which = 1;
    d.factor = d.part->table->kernel->has_velocity ? sum->damping : 0;
    if (d.factor != 0) add_diagonals(&d);
  }
  for (uint32_t slot = 0; slot < m->views->slots; slot++)
    for (uint32_t axis = 0; axis < 3; axis++) blocks[9 * (size_t)slot + 4 * axis] += sum->mass * sum->masses[slot];
  return CLV_OK;
}

// Products

typedef struct product {
  const matrix *m;
  const wide_loops *loops;
  const double *x;
  double *out;
} product;

static void multiply_chunk(void *user, uint32_t number, uint32_t worker) {
  const product *s = user;
  const matrix *m = s->m;
  const matrix_chunk *chunk = &m->chunks.data[number];
  const uint32_t *tail = m->tail.data + chunk->tail;
  double *x = (double *)m->locals.data + worker * m->local_room, *sums = (double *)m->sums.data + chunk->sums;
  s->loops->spread(s->x + 3 * (size_t)chunk->first, chunk->rows, x);
  for (uint32_t k = 0; k < chunk->tails; k++) {
    const double *from = s->x + 3 * (size_t)tail[k];
    double *to = x + 4 * ((size_t)chunk->rows + k);
    to[0] = from[0];
    to[1] = from[1];
    to[2] = from[2];
    to[3] = 0;
  }
  memset(sums, 0, 4 * ((size_t)chunk->rows + chunk->tails) * sizeof *sums);
  const uint32_t *starts = m->starts.data + chunk->first;
  s->loops->multiply(chunk->rows, starts, m->places.data, m->values.data, x, sums);
}

uint32_t matrix_first_from(const uint32_t *tail, uint32_t count, uint32_t row) {
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (tail[middle] < row)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

// Adds the tails of chunks before this one to its own sums, and hands them out; x . out while they are at hand.
static void gather_chunk(void *user, uint32_t number, uint32_t worker) {
  const product *s = user;
  const matrix *m = s->m;
  const matrix_chunk *chunk = &m->chunks.data[number];
  double *sums = (double *)m->sums.data + chunk->sums;
  (void)worker;
  for (uint32_t c = 0; c < number; c++) {
    const matrix_chunk *before = &m->chunks.data[c];
    const uint32_t *tail = m->tail.data + before->tail;
    const double *from = (const double *)m->sums.data + before->sums + 4 * (size_t)before->rows;
    const uint32_t end = matrix_first_from(tail, before->tails, chunk->first + chunk->rows);
    for (uint32_t k = matrix_first_from(tail, before->tails, chunk->first); k < end; k++) {
      double *to = sums + 4 * (size_t)(tail[k] - chunk->first);
      for (uint32_t axis = 0; axis < 3; axis++) to[axis] += from[4 * (size_t)k + axis];
    }
  }
  const size_t first = 3 * (size_t)chunk->first;
  s->loops->join(sums, chunk->rows, s->out + first);
  m->dots.data[number] = s->loops->dot(s->x + first, s->out + first, 3 * (size_t)chunk->rows);
}

double matrix_multiply(const matrix *m, const double *x, double *out) {
  product s = {.m = m, .loops = wide_best(), .x = x};
  s.out = out;
  if (m->views->threads == 1) { // sums are gathered while they are in the cache
    for (uint32_t k = 0; k < m->chunks.count; k++) {
      multiply_chunk(&s, k, 0);
      gather_chunk(&s, k, 0);
    }
  } else {
    base_pool_run(m->views->pool, multiply_chunk, &s, m->chunks.count);
    base_pool_run(m->views->pool, gather_chunk, &s, m->chunks.count);
  }
  double dot = 0;
  for (uint32_t k = 0; k < m->chunks.count; k++) dot += m->dots.data[k];
  return dot;
}
