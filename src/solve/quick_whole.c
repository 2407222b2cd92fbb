// The layout of whole rows: of each vertex its diagonal and all its struts.

#include "solve/quick.h"

// The records of rows, the diagonal first, and at which vertex each strut ends.
typedef struct whole_rows {
  uint32_t count;
  uint32_t *starts, *records, *others, *order;
} whole_rows;

static uint32_t length_of(const whole_rows *w, uint32_t row) {
  return w->starts[row + 1] - w->starts[row];
}

static void list_record(whole_rows *w, uint32_t row, uint32_t record, uint32_t other) {
  const uint32_t at = w->starts[row]++;
  w->records[at] = record;
  w->others[at] = other;
}

// starts[row] moves to the row's end while it is filled, and back behind.
static void list_records(whole_rows *w, const struts *s) {
  const uint32_t *ends = s->ends.data;
  memset(w->starts, 0, ((size_t)s->rows + 1) * sizeof *w->starts);
  for (uint32_t row = 0; row < s->rows; row++) w->starts[row + 1] = 1;
  for (uint32_t k = 0; k < s->count; k++)
    for (uint32_t end = 0; end < 2 && ends[2 * k] != ends[2 * k + 1]; end++) w->starts[ends[2 * k + end] + 1]++;
  for (uint32_t row = 0; row < s->rows; row++) w->starts[row + 1] += w->starts[row];
  for (uint32_t row = 0; row < s->rows; row++) list_record(w, row, s->count + row, row);
  for (uint32_t k = 0; k < s->count; k++) {
    if (ends[2 * k] == ends[2 * k + 1]) continue;
    list_record(w, ends[2 * k], k, ends[2 * k + 1]);
    list_record(w, ends[2 * k + 1], k, ends[2 * k]);
  }
  memmove(w->starts + 1, w->starts, s->rows * sizeof *w->starts);
  w->starts[0] = 0;
}

// Longest rows first; those of one length stay in order.
static void order_rows(whole_rows *w, uint32_t rows) {
  uint32_t kept = 0;
  for (uint32_t longest = UINT32_MAX; kept < rows;) {
    uint32_t next = 0;
    for (uint32_t row = 0; row < rows; row++)
      if (length_of(w, row) < longest && length_of(w, row) > next) next = length_of(w, row);
    for (uint32_t row = 0; row < rows; row++)
      if (length_of(w, row) == next) w->order[kept++] = row;
    longest = next;
  }
}

static bool add_slices(quick *q, const whole_rows *w) {
  const clv_allocator *a = &q->allocator;
  uint64_t slots = 0;
  for (uint32_t first = 0; first < q->rows; first += QUICK_ROWS) slots += length_of(w, w->order[first]);
  if (!BASE_RESERVE(a, &q->places, slots * QUICK_ROWS) || !BASE_RESERVE(a, &q->sources, slots * QUICK_ROWS) ||
      !BASE_RESERVE(a, &q->starts, (uint64_t)q->rows / QUICK_ROWS + 2))
    return false;
  q->places.count = q->sources.count = q->starts.count = 0;
  q->starts.data[q->starts.count++] = 0;
  for (uint32_t first = 0; first < q->rows; first += QUICK_ROWS) {
    for (uint32_t k = 0; k < length_of(w, w->order[first]); k++)
      for (uint32_t lane = 0; lane < QUICK_ROWS; lane++) {
        const uint32_t row = first + lane < q->rows ? w->order[first + lane] : UINT32_MAX;
        const bool there = row != UINT32_MAX && k < length_of(w, row);
        q->places.data[q->places.count++] = 4 * (there ? w->others[w->starts[row] + k] : q->rows);
        q->sources.data[q->sources.count++] = there ? w->records[w->starts[row] + k] : QUICK_NONE;
      }
    q->starts.data[q->starts.count++] = q->places.count / QUICK_ROWS;
  }
  return true;
}

bool quick_lay_whole(quick *q, const struts *s) {
  const clv_allocator *a = &q->allocator;
  const size_t records = 2 * (size_t)s->count + s->rows,
               size = (2 * records + 2 * (size_t)s->rows + 1) * sizeof(uint32_t);
  uint32_t *memory = base_allocate(a, size);
  if (!memory) return false;
  whole_rows w = {.records = memory, .others = memory + records, .order = memory + 2 * records};
  w.starts = w.order + s->rows;
  list_records(&w, s);
  order_rows(&w, s->rows);
  const bool done = add_slices(q, &w);
  base_free(a, memory, size);
  return done;
}
