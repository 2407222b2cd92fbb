#include "solve/direct.h"

#ifdef CLEAVE_HAVE_CHOLMOD

#include "solve/order.h"

struct direct {
  clv_allocator allocator;
  cholmod_common common;
  cholmod_sparse *lower;  // of A's lower triangle, column by column: its block rows from the diagonal on
  cholmod_factor *factor; // NULL before the first
  cholmod_dense *right, *solution, *room, *more_room;
  BASE_ARRAY(uint32_t) unknowns; // entries of vectors
  BASE_ARRAY(uint32_t) numbers;  // of each entry: its unknown, UINT32_MAX where it is held
  expansion expansion;           // of what hangs
};

static clv_result no_memory(clv_error *error) {
  return clv_error_set(error, CLV_ERROR_MEMORY,
                       "out of memory for a direct solve|choose the linear solver 'assembled'");
}

direct *direct_create(const clv_allocator *allocator, clv_error *error) {
  direct *d = base_allocate(allocator, sizeof *d);
  if (!d) {
    no_memory(error);
    return NULL;
  }
  memset(d, 0, sizeof *d);
  d->allocator = *allocator;
  if (!cholmod_l_start(&d->common)) {
    base_free(allocator, d, sizeof *d);
    no_memory(error);
    return NULL;
  }
  d->common.print = 0;
  d->common.supernodal = CHOLMOD_SUPERNODAL;
  d->common.quick_return_if_not_posdef = 1;
  return d;
}

static void free_solution(direct *d) {
  cholmod_l_free_dense(&d->right, &d->common);
  cholmod_l_free_dense(&d->solution, &d->common);
  cholmod_l_free_dense(&d->room, &d->common);
  cholmod_l_free_dense(&d->more_room, &d->common);
}

static void free_analysis(direct *d) {
  free_solution(d);
  cholmod_l_free_factor(&d->factor, &d->common);
  cholmod_l_free_sparse(&d->lower, &d->common);
}

void direct_destroy(direct *d) {
  if (!d) return;
  const clv_allocator allocator = d->allocator;
  free_analysis(d);
  cholmod_l_finish(&d->common);
  BASE_RELEASE(&allocator, &d->unknowns);
  BASE_RELEASE(&allocator, &d->numbers);
  expand_free(&d->expansion, &allocator);
  base_free(&allocator, d, sizeof *d);
}

static bool number_unknowns(direct *d, const matrix *m, const uint8_t *held) {
  const uint64_t entries = 3 * (uint64_t)m->rows;
  if (!BASE_RESERVE(&d->allocator, &d->unknowns, entries) || !BASE_RESERVE(&d->allocator, &d->numbers, entries))
    return false;
  d->unknowns.count = 0;
  for (uint32_t entry = 0; entry < entries; entry++) {
    const bool free = !((uint32_t)held[entry / 3] >> entry % 3 & 1u);
    d->numbers.data[entry] = free ? d->unknowns.count : UINT32_MAX;
    if (free) d->unknowns.data[d->unknowns.count++] = entry;
  }
  return true;
}

// Goes over the numbers of one column, in order; writes rows where `rows` is not NULL, and values. How many there are.
static int64_t fill_column(const direct *d, const matrix *m, uint32_t entry, int64_t *rows, double *values) {
  const uint32_t row = entry / 3, axis = entry % 3;
  int64_t count = 0;
  for (uint32_t b = m->starts.data[row]; b < m->starts.data[row + 1]; b++) {
    const uint32_t column = m->columns.data[b];
    const double *block = matrix_block(m, b);
    for (uint32_t other = column == row ? axis : 0; other < 3; other++) {
      const uint32_t number = d->numbers.data[3 * (size_t)column + other];
      if (number == UINT32_MAX) continue;
      if (rows) rows[count] = number;
      if (values) values[count] = block[3 * other + axis];
      count++;
    }
  }
  return count;
}

// Bodies with hanging vertices: C'A C, put together from its terms. Counts them where there is no list yet.

static void add_term(const direct *d, cholmod_triplet *list, size_t *count, uint32_t row, uint32_t column,
                     double value) {
  const uint32_t i = d->numbers.data[row], j = d->numbers.data[column];
  if (i == UINT32_MAX || j == UINT32_MAX) return;
  if (list) {
    ((int64_t *)list->i)[*count] = i > j ? i : j;
    ((int64_t *)list->j)[*count] = i > j ? j : i;
    ((double *)list->x)[*count] = value;
  }
  ++*count;
}

// Of a block on the diagonal only one half is wanted; one beside it counts for its mirror, too.
static void add_block(const direct *d, cholmod_triplet *list, size_t *count, const expand_term *p, const expand_term *q,
                      const double *block, bool diagonal) {
  const double weight = p->weight * q->weight;
  for (uint32_t i = 0; i < 3; i++)
    for (uint32_t j = 0; j < 3; j++) {
      const uint32_t row = 3 * p->slot + i, column = 3 * q->slot + j;
      if (diagonal && row < column) continue;
      add_term(d, list, count, row, column, weight * block[3 * j + i] * (!diagonal && row == column ? 2 : 1));
    }
}

static size_t list_terms(const direct *d, const matrix *m, cholmod_triplet *list) {
  size_t count = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    expand_term own_row, own_column;
    uint32_t rows = 0, columns = 0;
    const expand_term *p = expand_terms(&d->expansion, row, &own_row, &rows);
    for (uint32_t b = m->starts.data[row]; b < m->starts.data[row + 1]; b++) {
      const uint32_t column = m->columns.data[b];
      const expand_term *q = expand_terms(&d->expansion, column, &own_column, &columns);
      for (uint32_t s = 0; s < rows; s++)
        for (uint32_t t = 0; t < columns; t++)
          add_block(d, list, &count, &p[s], &q[t], matrix_block(m, b), row == column);
    }
  }
  return count;
}

static bool fill_expanded(direct *d, const matrix *m) {
  const size_t n = d->unknowns.count, all = list_terms(d, m, NULL);
  cholmod_triplet *list = cholmod_l_allocate_triplet(n, n, all, -1, CHOLMOD_REAL, &d->common);
  if (!list) return false;
  list->nnz = list_terms(d, m, list);
  cholmod_l_free_sparse(&d->lower, &d->common);
  d->lower = cholmod_l_triplet_to_sparse(list, all, &d->common);
  cholmod_l_free_triplet(&list, &d->common);
  return d->lower != NULL;
}

// Counts what the factor will hold.
static bool analyse_pattern(direct *d, double *ranks) {
  cholmod_common *common = &d->common;
  const size_t n = d->unknowns.count;
  int64_t *order = cholmod_l_malloc(n ? n : 1, sizeof *order, common);
  if (order && order_unknowns(d->lower, d->unknowns.data, ranks, order, common, &d->allocator)) {
    common->nmethods = 1;
    common->method[0].ordering = CHOLMOD_GIVEN;
    d->factor = cholmod_l_analyze_p(d->lower, order, NULL, 0, common);
  }
  cholmod_l_free(n ? n : 1, sizeof *order, order, common);
  return d->factor != NULL;
}

// Where numbers are, and in the expanded matrix the numbers, too.
static bool list_expanded(direct *d, const matrix *m, const physics_hangings *hanging, const uint8_t *held) {
  free_analysis(d);
  if (!number_unknowns(d, m, held) || !expand_make(&d->expansion, hanging, m->rows, &d->allocator)) return false;
  const size_t n = d->unknowns.count;
  d->right = cholmod_l_allocate_dense(n, 1, n, CHOLMOD_REAL, &d->common);
  return d->right && fill_expanded(d, m);
}

static bool fill_plain(direct *d, const matrix *m) {
  const int64_t *starts = d->lower->p;
  double *values = d->lower->x;
  for (uint32_t k = 0; k < d->unknowns.count; k++) fill_column(d, m, d->unknowns.data[k], NULL, values + starts[k]);
  return true;
}

static bool list_plain(direct *d, const matrix *m, const uint8_t *held) {
  free_analysis(d);
  if (!number_unknowns(d, m, held)) return false;
  const size_t n = d->unknowns.count;
  size_t all = 0;
  for (size_t k = 0; k < n; k++) all += (size_t)fill_column(d, m, d->unknowns.data[k], NULL, NULL);
  d->lower = cholmod_l_allocate_sparse(n, n, all, 1, 1, -1, CHOLMOD_REAL, &d->common);
  d->right = cholmod_l_allocate_dense(n, 1, n, CHOLMOD_REAL, &d->common);
  if (!d->lower || !d->right) return false;
  int64_t *starts = d->lower->p, *rows = d->lower->i, at = 0;
  for (size_t k = 0; k < n; k++) {
    starts[k] = at;
    at += fill_column(d, m, d->unknowns.data[k], rows + at, NULL);
  }
  starts[n] = at;
  return true;
}

// Pivots that are as small as this, beside others, are rounding: whether they are positive says nothing.
#define SINGULAR 1e-14

clv_result direct_factor(direct *d, const matrix *m, const physics_hangings *hanging, const uint8_t *held,
                         double *ranks, bool changed, clv_error *error) {
  const bool hangs = hanging->table.count, anew = changed || !d->factor;
  bool good = !anew || (hangs ? list_expanded(d, m, hanging, held) : list_plain(d, m, held));
  good = good && (!anew || analyse_pattern(d, ranks));
  if (!good || !(hangs ? fill_expanded(d, m) : fill_plain(d, m))) {
    free_analysis(d);
    return no_memory(error);
  }
  if (!d->unknowns.count) return CLV_OK;
  if (!cholmod_l_factorize(d->lower, d->factor, &d->common) && d->common.status < 0) {
    free_analysis(d);
    return no_memory(error);
  }
  const bool positive = d->common.status != CHOLMOD_NOT_POSDEF && d->factor->minor == d->factor->n;
  if (positive && cholmod_l_rcond(d->factor, &d->common) > SINGULAR) return CLV_OK;
  if (positive)
    return clv_error_set(error, CLV_ERROR_REFUSED,
                         "the matrix is singular but for rounding: nothing holds a part of the body, or it is about to "
                         "buckle; hold more of it, take smaller steps, or choose the linear solver 'assembled'");
  const size_t minor = d->factor->minor < d->unknowns.count ? d->factor->minor : 0;
  const int64_t *order = d->factor->Perm;
  const uint32_t entry = d->unknowns.data[order ? (size_t)order[minor] : minor];
  return clv_error_set(
      error, CLV_ERROR_REFUSED,
      "the matrix is not positive definite: at vertex slot %u along %c nothing holds the body, or it is "
      "about to buckle; hold more of it, take smaller steps, or choose the linear solver 'assembled'",
      entry / 3, "xyz"[entry % 3]);
}

clv_result direct_solve(direct *d, const double *b, double *x, clv_error *error) {
  if (!d->unknowns.count) return CLV_OK;
  double *right = d->right->x;
  for (uint32_t k = 0; k < d->unknowns.count; k++) right[k] = b[d->unknowns.data[k]];
  if (!cholmod_l_solve2(CHOLMOD_A, d->factor, d->right, NULL, &d->solution, NULL, &d->room, &d->more_room, &d->common))
    return no_memory(error);
  const double *solution = d->solution->x;
  for (uint32_t k = 0; k < d->unknowns.count; k++) x[d->unknowns.data[k]] = solution[k];
  return CLV_OK;
}

#else

direct *direct_create(const clv_allocator *allocator, clv_error *error) {
  (void)allocator;
  clv_error_set(error, CLV_ERROR_ARGUMENT,
                "this library has no direct solver: build it where SuiteSparse is installed, or choose 'assembled'");
  return NULL;
}

void direct_destroy(direct *d) {
  (void)d;
}

clv_result direct_factor(direct *d, const matrix *m, const physics_hangings *hanging, const uint8_t *held,
                         double *ranks, bool changed, clv_error *error) {
  (void)d, (void)m, (void)hanging, (void)held, (void)ranks, (void)changed;
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "this library has no direct solver");
}

clv_result direct_solve(direct *d, const double *b, double *x, clv_error *error) {
  (void)d, (void)b, (void)x;
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "this library has no direct solver");
}

#endif
