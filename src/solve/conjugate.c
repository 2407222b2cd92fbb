#include "solve/conjugate.h"

#include <math.h>

enum { CHUNK_ROWS = 1024 };

uint32_t conjugate_chunks(uint32_t rows) {
  return (rows + CHUNK_ROWS - 1) / CHUNK_ROWS;
}

// One pass over all rows, chunk by chunk.
typedef struct pass {
  const conjugate_room *room;
  const wide_loops *loops;
  const conjugate_operator *op;
  const double *a, *b;
  double *x;
  double alpha, beta;
} pass;

static uint32_t chunk_rows(const pass *s, uint32_t chunk) {
  const uint32_t left = s->room->rows - chunk * CHUNK_ROWS;
  return left < CHUNK_ROWS ? left : CHUNK_ROWS;
}

static void dot_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const pass *s = user;
  (void)worker;
  const size_t first = (size_t)chunk * CHUNK_ROWS * 3;
  s->room->sums[2 * chunk] = s->loops->dot(s->a + first, s->b + first, (size_t)chunk_rows(s, chunk) * 3);
}

static void descend_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const pass *s = user;
  const conjugate_room *room = s->room;
  (void)worker;
  const size_t rows = chunk_rows(s, chunk), row = (size_t)chunk * CHUNK_ROWS, first = 3 * row;
  double *sums = room->sums + 2 * (size_t)chunk;
  if (s->op->blocks)
    s->loops->descend_blocks(rows, s->alpha, room->q + first, s->op->blocks + WIDE_BLOCK * row, room->residual + first,
                             room->z + first, sums);
  else
    s->loops->descend(3 * rows, s->alpha, room->q + first, room->residual + first, sums);
}

static void turn_chunk(void *user, uint32_t chunk, uint32_t worker) {
  const pass *s = user;
  const conjugate_room *room = s->room;
  (void)worker;
  const size_t first = (size_t)chunk * CHUNK_ROWS * 3;
  s->loops->turn((size_t)chunk_rows(s, chunk) * 3, s->alpha, s->beta, room->z + first, room->p + first, s->x + first);
}

static double sum_of_chunks(const conjugate_room *room, uint32_t which) {
  double sum = 0;
  for (uint32_t chunk = 0; chunk < conjugate_chunks(room->rows); chunk++) sum += room->sums[2 * chunk + which];
  return sum;
}

static void run(pass *s, base_part *part) {
  base_pool_run(s->room->pool, part, s, conjugate_chunks(s->room->rows));
}

static double dot(pass *s, const double *a, const double *b) {
  s->a = a;
  s->b = b;
  run(s, dot_chunk);
  return sum_of_chunks(s->room, 0);
}

double conjugate_dot(const conjugate_room *room, const double *a, const double *b) {
  pass s = {.room = room, .loops = wide_best()};
  return dot(&s, a, b);
}

// r -= alpha q and z = what the preconditioner makes of it; *squares and the result: r.r and r.z.
static double descend(pass *s, double alpha, double *squares) {
  s->alpha = alpha;
  run(s, descend_chunk);
  *squares = sum_of_chunks(s->room, 0);
  if (s->op->blocks) return sum_of_chunks(s->room, 1);
  s->op->precondition(s->op->user, s->room->residual, s->room->z);
  return dot(s, s->room->residual, s->room->z);
}

static void turn(pass *s, double alpha, double beta) {
  s->alpha = alpha;
  s->beta = beta;
  run(s, turn_chunk);
}

clv_result conjugate_solve(const conjugate_room *room, const conjugate_operator *op, double *x, double goal,
                           uint32_t iterations, conjugate_end *end) {
  pass s = {.room = room, .loops = wide_best(), .op = op};
  s.x = x;
  const size_t size = (size_t)room->rows * 3 * sizeof(double);
  *end = (conjugate_end){0};
  if (!room->rows) return CLV_OK;
  memset(room->q, 0, size);
  memset(room->p, 0, size);
  double squares, slope = descend(&s, 0, &squares);
  if (squares > goal * goal && iterations) turn(&s, 0, 0);
  while (squares > goal * goal && end->iterations < iterations && !end->indefinite) {
    double bend = 0, next_squares = 0, next = 0;
    const clv_result result = op->multiply(op->user, room->p, room->q, &bend);
    if (result != CLV_OK) return result;
    const double alpha = slope / bend;
    if (bend > 0) next = descend(&s, alpha, &next_squares);
    end->indefinite = !(bend > 0) || !isfinite(next_squares) || !isfinite(next);
    if (end->indefinite) break;
    turn(&s, alpha, next / slope);
    squares = next_squares;
    slope = next;
    end->iterations++;
  }
  end->residual = sqrt(squares);
  return CLV_OK;
}
