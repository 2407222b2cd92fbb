#include "solve/quick.h"

#include <float.h>
#include <math.h>

// CHUNK_LINES: of sixteen numbers; those of whole rows have three a group.
enum { WINDOW = 512, CHUNK_LINES = 256, CHUNK_GROUPS = 85, FILL_SLICES = 64, R, Z, P, Q, X, VECTORS };

void quick_init(quick *q, const matrix *m, const clv_allocator *allocator) {
  *q = (quick){.allocator = *allocator, .m = m, .set = quick_best()};
}

void quick_free(quick *q) {
  const clv_allocator *a = &q->allocator;
  BASE_RELEASE(a, &q->chunks);
  BASE_RELEASE(a, &q->starts);
  BASE_RELEASE(a, &q->places);
  BASE_RELEASE(a, &q->sources);
  BASE_RELEASE(a, &q->slots);
  BASE_RELEASE(a, &q->extras);
  BASE_RELEASE(a, &q->positions);
  BASE_RELEASE(a, &q->order);
  BASE_RELEASE(a, &q->tails);
  BASE_RELEASE(a, &q->dots);
  BASE_RELEASE(a, &q->held);
  BASE_RELEASE(a, &q->held_lines);
  view_memory_free(&q->values, a);
  view_memory_free(&q->blocks, a);
  view_memory_free(&q->vectors, a);
  view_memory_free(&q->locals, a);
}

void quick_forget(quick *q) {
  q->made = false;
}

static float *vector(const quick *q, uint32_t which) {
  return (float *)q->vectors.data + (which - R) * q->stride;
}

static uint32_t groups_of(const quick *q) {
  return (q->rows + QUICK_ROWS - 1) / QUICK_ROWS;
}

// How many times sixteen numbers a vector has.
static uint32_t lines_of(const quick *q) {
  return q->whole ? 3 * groups_of(q) : (q->rows + 3) / 4;
}

static uint32_t chunk_lines(const quick *q) {
  return q->whole ? 3 * CHUNK_GROUPS : CHUNK_LINES;
}

static uint32_t lines_in(const quick *q, uint32_t chunk) {
  const uint32_t left = lines_of(q) - chunk * chunk_lines(q);
  return left < chunk_lines(q) ? left : chunk_lines(q);
}

static uint32_t chunks_of(const quick *q) {
  return (lines_of(q) + chunk_lines(q) - 1) / chunk_lines(q);
}

// Where the first of a row's three numbers is in a vector, and how far the next is.
static size_t row_at(const quick *q, uint32_t row) {
  if (!q->whole) return 4 * (size_t)row;
  const uint32_t position = q->positions.data[row];
  return (size_t)position / QUICK_ROWS * QUICK_GROUP + position % QUICK_ROWS;
}

static size_t axis_step(const quick *q) {
  return q->whole ? QUICK_ROWS : 1;
}

// Layout

static uint32_t length_of(const matrix *m, uint32_t row) {
  return m->starts.data[row + 1] - m->starts.data[row];
}

// The rows from `first` on, longest first; those of one length stay in order.
static void order_window(const matrix *m, uint32_t first, uint32_t count, uint32_t *rows) {
  uint32_t kept = 0;
  for (uint32_t longest = UINT32_MAX; kept < count;) {
    uint32_t next = 0;
    for (uint32_t row = first; row < first + count; row++) {
      const uint32_t length = length_of(m, row);
      if (length < longest && length > next) next = length;
    }
    for (uint32_t row = first; row < first + count; row++)
      if (length_of(m, row) == next) rows[kept++] = row;
    longest = next;
  }
}

static bool add_slot(quick *q) {
  const uint64_t numbers = (uint64_t)q->places.count + QUICK_ROWS;
  if (!BASE_RESERVE(&q->allocator, &q->places, numbers) || !BASE_RESERVE(&q->allocator, &q->sources, numbers))
    return false;
  q->places.count = q->sources.count = (uint32_t)numbers;
  return true;
}

// Where a chunk finds a row, by its local number; the tail has a row more, for what is nowhere.
static uint32_t place_of(const quick *q, uint32_t number, uint32_t row) {
  const matrix_chunk *chunk = &q->m->chunks.data[number];
  if (row < chunk->rows) return 4 * row;
  return (uint32_t)(q->tails.data[number] - 4 * (size_t)chunk->first) + 4 * (row - chunk->rows);
}

// Up to sixteen rows. Where there is nothing, the place is nowhere, and the block none.
static bool add_slice(quick *q, uint32_t number, const uint32_t *rows, uint32_t count) {
  const matrix *m = q->m;
  const matrix_chunk *chunk = &m->chunks.data[number];
  const uint32_t nowhere = chunk->rows + chunk->tails;
  for (uint32_t k = 0; k < length_of(m, rows[0]); k++) {
    if (!add_slot(q)) return false;
    uint32_t *places = q->places.data + q->places.count - QUICK_ROWS;
    uint32_t *sources = q->sources.data + q->sources.count - QUICK_ROWS;
    for (uint32_t lane = 0; lane < QUICK_ROWS; lane++) {
      const bool there = lane < count && k < length_of(m, rows[lane]);
      const uint32_t block = there ? m->starts.data[rows[lane]] + k : QUICK_NONE;
      places[lane] = place_of(q, number, there ? m->places.data[block] : nowhere);
      sources[lane] = block;
    }
  }
  if (!BASE_RESERVE(&q->allocator, &q->starts, (uint64_t)q->starts.count + 1)) return false;
  q->starts.data[q->starts.count++] = q->places.count / QUICK_ROWS;
  return true;
}

static bool lay_out_chunk(quick *q, uint32_t number) {
  const matrix_chunk *chunk = &q->m->chunks.data[number];
  for (uint32_t row = 0; row < chunk->rows; row += WINDOW) {
    uint32_t rows[WINDOW];
    const uint32_t left = chunk->rows - row, count = left < WINDOW ? left : WINDOW;
    order_window(q->m, chunk->first + row, count, rows);
    for (uint32_t k = 0; k < count; k += QUICK_ROWS)
      if (!add_slice(q, number, rows + k, count - k < QUICK_ROWS ? count - k : QUICK_ROWS)) return false;
  }
  return true;
}

// Behind the rows of a vector are the tails of all chunks, each on lines of its own. The result: where they end.
static bool place_tails(quick *q, size_t *end) {
  const matrix *m = q->m;
  if (!BASE_RESERVE(&q->allocator, &q->tails, m->chunks.count)) return false;
  *end = 16 * (size_t)lines_of(q);
  for (uint32_t k = 0; k < m->chunks.count; k++) {
    q->tails.data[k] = *end;
    *end += (4 * ((size_t)m->chunks.data[k].tails + 1) + 15) / 16 * 16;
  }
  return true;
}

static bool reserve(quick *q, size_t end, uint32_t numbers) {
  const clv_allocator *a = &q->allocator;
  const uint32_t slots = q->starts.data[q->starts.count - 1];
  q->stride = end + 16;
  return BASE_RESERVE(a, &q->dots, 2 * (uint64_t)chunks_of(q)) &&
         view_memory_resize(&q->vectors, a, 0, (VECTORS - R) * q->stride * sizeof(float)) &&
         view_memory_resize(&q->blocks, a, 0, 48 * (size_t)lines_of(q) * sizeof(float)) &&
         view_memory_resize(&q->values, a, 0, (size_t)numbers * QUICK_ROWS * slots * sizeof(float));
}

static bool lay_out(quick *q) {
  const matrix *m = q->m;
  const clv_allocator *a = &q->allocator;
  q->rows = m->rows;
  q->whole = false;
  q->starts.count = q->places.count = q->sources.count = q->chunks.count = 0;
  size_t end;
  if (!BASE_RESERVE(a, &q->chunks, (uint64_t)m->chunks.count + 1) || !BASE_RESERVE(a, &q->starts, 1) ||
      !place_tails(q, &end))
    return false;
  q->starts.data[q->starts.count++] = 0;
  for (uint32_t k = 0; k < m->chunks.count; k++) {
    q->chunks.data[q->chunks.count++] = q->starts.count - 1;
    if (!lay_out_chunk(q, k)) return false;
  }
  q->chunks.data[q->chunks.count++] = q->starts.count - 1;
  return reserve(q, end, 9);
}

// The whole rows of struts are one chunk.
static bool lay_out_struts(quick *q, const struts *s) {
  const clv_allocator *a = &q->allocator;
  q->rows = s->rows;
  q->whole = true;
  if (!BASE_RESERVE(a, &q->chunks, 2) || !quick_lay_whole(q, s)) return false;
  q->chunks.data[0] = 0;
  q->chunks.data[1] = q->starts.count - 1;
  q->chunks.count = 2;
  return view_memory_resize(&q->locals, a, 0, 4 * (size_t)QUICK_ROWS * groups_of(q) * sizeof(float)) &&
         reserve(q, 16 * (size_t)lines_of(q), 6);
}

// Values

static void fill_slices(void *user, uint32_t part, uint32_t worker) {
  const quick *q = user;
  const uint32_t all = q->starts.count - 1, last = FILL_SLICES * (part + 1);
  (void)worker;
  const uint32_t end = q->starts.data[last < all ? last : all];
  quick_fill_slot *fill = q->numbers == 6 ? q->set->fill_six : q->set->fill_nine;
  for (uint32_t slot = q->starts.data[FILL_SLICES * part]; slot < end; slot++)
    fill(q->sources.data + (size_t)QUICK_ROWS * slot, q->from, q->scale,
         (float *)q->values.data + (size_t)q->numbers * QUICK_ROWS * slot);
}

// Columns have four numbers here, the last being 0.
static void fill_blocks(const quick *q, const float *inverses) {
  const float by = (float)(1 / q->scale);
  float *blocks = q->blocks.data;
  const uint32_t rows = q->rows, whole = 4 * lines_of(q);
  for (size_t row = 0; row < rows; row++, inverses += WIDE_BLOCK)
    for (size_t j = 0; j < 3; j++) {
      float *to = blocks + 48 * (row / 4) + 16 * j + 4 * (row % 4);
      to[0] = by * inverses[3 * j];
      to[1] = by * inverses[3 * j + 1];
      to[2] = by * inverses[3 * j + 2];
      to[3] = 0;
    }
  for (size_t row = rows; row < whole; row++)
    for (size_t j = 0; j < 3; j++) memset(blocks + 48 * (row / 4) + 16 * j + 4 * (row % 4), 0, 4 * sizeof *blocks);
}

// Where a number of a vector with three a row is here.
static uint32_t number_at(const quick *q, uint32_t number) {
  return (uint32_t)(row_at(q, number / 3) + number % 3 * axis_step(q));
}

// Most of what is held are rows that lie together: lines of which nothing is free are cleared as a whole.
static bool take_held(quick *q, const uint32_t *held, uint32_t count) {
  const clv_allocator *a = &q->allocator;
  const uint32_t lines = lines_of(q), whole = q->whole ? 16 : 12;
  if (!BASE_RESERVE(a, &q->held, count) || !BASE_RESERVE(a, &q->held_lines, lines)) return false;
  memset(q->held_lines.data, 0, lines * sizeof *q->held_lines.data);
  for (uint32_t k = 0; k < count; k++) q->held_lines.data[number_at(q, held[k]) / 16]++;
  q->held.count = q->held_lines.count = 0;
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t at = number_at(q, held[k]);
    if (q->held_lines.data[at / 16] < whole) q->held.data[q->held.count++] = at;
  }
  for (uint32_t line = 0; line < lines; line++)
    if (q->held_lines.data[line] == whole) q->held_lines.data[q->held_lines.count++] = line;
  return true;
}

// The largest number becomes about 1.
static void set_scale(quick *q, double largest) {
  q->scale = largest > 0 && isfinite(largest) ? 1 / largest : 1;
}

bool quick_fill(quick *q, const float *inverses, const uint32_t *held, uint32_t held_count) {
  const matrix *m = q->m;
  q->made = (q->made && !q->whole) || lay_out(q);
  if (!q->made || !take_held(q, held, held_count)) return false;
  set_scale(q, m->largest);
  q->numbers = m->symmetric_blocks ? 6 : 9;
  q->from = m->values.data;
  base_pool_run(m->views->pool, fill_slices, q, (q->starts.count - 1 + FILL_SLICES - 1) / FILL_SLICES);
  fill_blocks(q, inverses);
  return true;
}

bool quick_fill_struts(quick *q, const struts *s, const uint8_t *axes, const uint32_t *held, uint32_t held_count) {
  q->made = (q->made && q->whole) || lay_out_struts(q, s);
  if (!q->made || !take_held(q, held, held_count)) return false;
  set_scale(q, s->largest);
  quick_fill_whole(q, s, axes);
  return true;
}

// Products

typedef struct run {
  const quick *q;
  float alpha, beta;
} run;

static void multiply_chunk(void *user, uint32_t number, uint32_t worker) {
  const run *s = user;
  const quick *q = s->q;
  const matrix_chunk *chunk = &q->m->chunks.data[number];
  const uint32_t *tail = q->m->tail.data + chunk->tail, slices = q->chunks.data[number];
  const size_t first = 4 * (size_t)chunk->first, behind = q->tails.data[number];
  float *p = vector(q, P), *image = vector(q, Q);
  (void)worker;
  for (uint32_t k = 0; k < chunk->tails; k++)
    memcpy(p + behind + 4 * (size_t)k, p + 4 * (size_t)tail[k], 4 * sizeof *p);
  memset(image + first, 0, 4 * (size_t)chunk->rows * sizeof *image);
  memset(image + behind, 0, 4 * ((size_t)chunk->tails + 1) * sizeof *image);
  quick_multiply *multiply = q->numbers == 6 ? q->set->six : q->set->nine;
  multiply(q->chunks.data[number + 1] - slices, q->starts.data + slices, q->places.data, q->values.data, p + first,
           image + first);
}

// Adds the tails of chunks before this one to its own rows; P . Q while they are at hand.
static void gather_chunk(void *user, uint32_t number, uint32_t worker) {
  const run *s = user;
  const quick *q = s->q;
  const matrix *m = q->m;
  const matrix_chunk *chunk = &m->chunks.data[number];
  float *image = vector(q, Q);
  (void)worker;
  for (uint32_t c = 0; c < number; c++) {
    const matrix_chunk *before = &m->chunks.data[c];
    const uint32_t *tail = m->tail.data + before->tail;
    const float *from = image + q->tails.data[c];
    const uint32_t end = matrix_first_from(tail, before->tails, chunk->first + chunk->rows);
    for (uint32_t k = matrix_first_from(tail, before->tails, chunk->first); k < end; k++)
      for (uint32_t axis = 0; axis < 3; axis++) image[4 * (size_t)tail[k] + axis] += from[4 * (size_t)k + axis];
  }
  const size_t first = 4 * (size_t)chunk->first;
  q->dots.data[2 * (size_t)number] = q->set->dot((chunk->rows + 3) / 4, vector(q, P) + first, image + first);
}

// Passes, chunk by chunk

static void descend_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const run *s = user;
  const quick *q = s->q;
  const size_t first = (size_t)chunk * chunk_lines(q) * 16;
  (void)worker;
  const float *blocks = (const float *)q->blocks.data + (q->whole ? 2 : 3) * first;
  quick_descend *descend = q->whole ? q->set->descend_groups : q->set->descend;
  descend(q->whole ? lines_in(q, chunk) / 3 : lines_in(q, chunk), s->alpha, vector(q, Q) + first, blocks,
          vector(q, R) + first, vector(q, Z) + first, q->dots.data + 2 * (size_t)chunk);
}

static void turn_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const run *s = user;
  const quick *q = s->q;
  const size_t first = (size_t)chunk * chunk_lines(q) * 16;
  (void)worker;
  q->set->turn(lines_in(q, chunk), s->alpha, s->beta, vector(q, Z) + first, vector(q, P) + first, vector(q, X) + first);
}

static double sum_of(const quick *q, uint32_t chunks, uint32_t which) {
  double sum = 0;
  for (uint32_t chunk = 0; chunk < chunks; chunk++) sum += q->dots.data[2 * (size_t)chunk + which];
  return sum;
}

static void go(run *s, base_part *part) {
  base_pool_run(s->q->m->views->pool, part, s, chunks_of(s->q));
}

// Q = A P, and P . Q
static double multiply(run *s) {
  const quick *q = s->q;
  const uint32_t chunks = q->m->chunks.count;
  if (q->whole)
    return q->set->whole(groups_of(q), q->starts.data, &(quick_columns){q->slots.data, q->extras.data, q->places.data},
                         q->values.data, vector(q, P), q->locals.data, vector(q, Q));
  if (q->m->views->threads == 1) { // sums are gathered while they are in the cache
    for (uint32_t k = 0; k < chunks; k++) {
      multiply_chunk(s, k, 0);
      gather_chunk(s, k, 0);
    }
  } else {
    base_pool_run(q->m->views->pool, multiply_chunk, s, chunks);
    base_pool_run(q->m->views->pool, gather_chunk, s, chunks);
  }
  return sum_of(q, chunks, 0);
}

static double descend(run *s, double alpha, double *squares) {
  s->alpha = (float)alpha;
  go(s, descend_chunk);
  *squares = sum_of(s->q, chunks_of(s->q), 0);
  return sum_of(s->q, chunks_of(s->q), 1);
}

static void turn(run *s, double alpha, double beta) {
  s->alpha = (float)alpha;
  s->beta = (float)beta;
  go(s, turn_chunk);
}

// Solving

static void take_residual(const quick *q, const double *residual, double by) {
  const size_t step = axis_step(q);
  float *r = vector(q, R);
  memset(q->vectors.data, 0, (VECTORS - R) * q->stride * sizeof(float));
  for (uint32_t row = 0; row < q->rows; row++, residual += 3) {
    float *to = r + row_at(q, row);
    for (size_t axis = 0; axis < 3; axis++) to[step * axis] = (float)(by * residual[axis]);
  }
}

static void give_correction(const quick *q, double by, double *x) {
  const size_t step = axis_step(q);
  const float *correction = vector(q, X);
  for (uint32_t row = 0; row < q->rows; row++, x += 3) {
    const float *from = correction + row_at(q, row);
    for (size_t axis = 0; axis < 3; axis++) x[axis] += by * (double)from[step * axis];
  }
}

static void clear_held(const quick *q) {
  float *image = vector(q, Q);
  for (uint32_t k = 0; k < q->held_lines.count; k++)
    memset(image + 16 * (size_t)q->held_lines.data[k], 0, 16 * sizeof *image);
  for (uint32_t k = 0; k < q->held.count; k++) image[q->held.data[k]] = 0;
}

void quick_solve(quick *q, const double *residual, double norm, double goal, uint32_t iterations, double *x,
                 conjugate_end *end) {
  run s = {.q = q};
  const double least = goal > QUICK_DEPTH ? goal : QUICK_DEPTH;
  *end = (conjugate_end){.residual = 1};
  if (!(norm >= DBL_MIN && norm <= DBL_MAX)) return;
  take_residual(q, residual, 1 / norm);
  double squares, slope = descend(&s, 0, &squares);
  const double start = squares;
  turn(&s, 0, 0);
  while (squares > least * least * start && end->iterations < iterations) {
    double next_squares = 0, next = 0;
    const double bend = multiply(&s), alpha = slope / bend; // what is held is 0 in P, and adds nothing
    clear_held(q);
    if (bend > 0) next = descend(&s, alpha, &next_squares);
    end->indefinite = !(bend > 0) || !isfinite(next_squares) || !isfinite(next);
    if (end->indefinite) break;
    turn(&s, alpha, next / slope);
    squares = next_squares;
    slope = next;
    end->iterations++;
  }
  end->residual = sqrt(squares / start);
  give_correction(q, norm * q->scale, x);
}
