#include "solve/slices.h"

// CHUNK: slices that a thread takes at a time. A row has a block, so there are no more rows than blocks.
enum { CHUNK = 128, CHUNKS = SLICES_MOST / SLICES_ROWS / CHUNK };

void slices_init(slices *s, const clv_allocator *allocator) {
  *s = (slices){.allocator = *allocator};
}

void slices_free(slices *s) {
  const clv_allocator *a = &s->allocator;
  BASE_RELEASE(a, &s->starts);
  BASE_RELEASE(a, &s->places);
  BASE_RELEASE(a, &s->sources);
  view_memory_free(&s->values, a);
  view_memory_free(&s->x, a);
}

static uint32_t slice_count(const slices *s) {
  return (s->rows + SLICES_ROWS - 1) / SLICES_ROWS;
}

// Where slices begin; `lengths` of all rows. The number of quadruples.
static uint32_t lay_out(slices *s, const uint32_t *lengths) {
  uint32_t end = 0;
  for (uint32_t slice = 0; slice < slice_count(s); slice++) {
    uint32_t longest = 0;
    for (uint32_t row = SLICES_ROWS * slice; row < SLICES_ROWS * (slice + 1) && row < s->rows; row++)
      if (lengths[row] > longest) longest = lengths[row];
    s->starts.data[slice] = end;
    end += longest;
  }
  s->starts.data[slice_count(s)] = end;
  return end;
}

// Puts a block at the end of its row; `lengths` counts what the row has.
static void put(slices *s, uint32_t *lengths, uint32_t row, uint32_t column, uint32_t source) {
  const size_t at = SLICES_ROWS * ((size_t)s->starts.data[row / SLICES_ROWS] + lengths[row]++) + row % SLICES_ROWS;
  s->places.data[at] = 3 * column;
  s->sources.data[at] = source;
}

static bool reserve(slices *s, uint32_t quadruples) {
  const clv_allocator *a = &s->allocator;
  const size_t blocks = SLICES_ROWS * (size_t)quadruples;
  return BASE_RESERVE(a, &s->places, blocks) && BASE_RESERVE(a, &s->sources, blocks) &&
         view_memory_resize(&s->values, a, 0, 6 * blocks * sizeof(double)) &&
         view_memory_resize(&s->x, a, 0, (3 * (size_t)s->rows + WIDE_PAD) * sizeof(double));
}

static bool make(slices *s, const uint32_t *starts, const uint32_t *columns, uint32_t *lengths) {
  memset(lengths, 0, s->rows * sizeof *lengths);
  for (uint32_t row = 0; row < s->rows; row++)
    for (uint32_t block = starts[row]; block < starts[row + 1]; block++) {
      lengths[row]++;
      if (columns[block] != row) lengths[columns[block]]++;
    }
  const uint32_t quadruples = lay_out(s, lengths);
  if (!reserve(s, quadruples)) return false;
  for (size_t k = 0; k < SLICES_ROWS * (size_t)quadruples; k++) s->places.data[k] = 0, s->sources.data[k] = WIDE_NONE;
  memset(lengths, 0, s->rows * sizeof *lengths);
  for (uint32_t row = 0; row < s->rows; row++) // what lies left of the diagonal comes first: rows above it were before
    for (uint32_t block = starts[row]; block < starts[row + 1]; block++) {
      put(s, lengths, row, columns[block], block);
      if (columns[block] != row) put(s, lengths, columns[block], row, block);
    }
  return true;
}

bool slices_make(slices *s, uint32_t rows, const uint32_t *starts, const uint32_t *columns) {
  s->rows = 0;
  if (!rows || 2 * (uint64_t)starts[rows] - rows > SLICES_MOST) return true;
  uint32_t *lengths = base_allocate(&s->allocator, rows * sizeof *lengths);
  s->rows = rows;
  const bool done = lengths && BASE_RESERVE(&s->allocator, &s->starts, (uint64_t)slice_count(s) + 1) &&
                    make(s, starts, columns, lengths);
  base_free(&s->allocator, lengths, rows * sizeof *lengths);
  if (!done) s->rows = 0;
  return done;
}

void slices_drop(slices *s) {
  s->rows = 0;
}

// Filling and multiplying, chunk by chunk

typedef struct run {
  const slices *s;
  const wide_loops *loops;
  const double *blocks;
  double *values, *out, *dots;
} run;

static uint32_t chunks(const slices *s) {
  return (slice_count(s) + CHUNK - 1) / CHUNK;
}

static uint32_t chunk_end(const slices *s, uint32_t chunk) {
  const uint32_t end = CHUNK * (chunk + 1), all = slice_count(s);
  return end < all ? end : all;
}

static void fill_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const run *r = user;
  const slices *s = r->s;
  (void)worker;
  const uint32_t first = s->starts.data[CHUNK * chunk], end = s->starts.data[chunk_end(s, chunk)];
  r->loops->fill_slices(end - first, s->sources.data + SLICES_ROWS * (size_t)first, r->blocks,
                        r->values + 6 * SLICES_ROWS * (size_t)first);
}

void slices_fill(slices *s, base_pool *pool, const double *blocks) {
  run r = {.s = s, .loops = wide_best(), .blocks = blocks, .values = s->values.data};
  base_pool_run(pool, fill_chunk, &r, chunks(s));
}

static void multiply_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const run *r = user;
  const slices *s = r->s;
  (void)worker;
  const uint32_t first = CHUNK * chunk, row = SLICES_ROWS * first, end = SLICES_ROWS * chunk_end(s, chunk);
  const uint32_t rows = (end < s->rows ? end : s->rows) - row;
  const double *x = s->x.data;
  double *out = r->out + 3 * (size_t)row;
  r->loops->multiply_slices(rows, s->starts.data + first, s->places.data, s->values.data, x, out);
  r->dots[chunk] = r->loops->dot(x + 3 * (size_t)row, out, 3 * (size_t)rows);
}

double slices_multiply(const slices *s, base_pool *pool, const double *x, double *out) {
  double dots[CHUNKS], dot = 0;
  run r = {.s = s, .loops = wide_best(), .dots = dots};
  r.out = out;
  memcpy(s->x.data, x, 3 * (size_t)s->rows * sizeof *x);
  base_pool_run(pool, multiply_chunk, &r, chunks(s));
  for (uint32_t chunk = 0; chunk < chunks(s); chunk++) dot += dots[chunk];
  return dot;
}
