// The layout of whole rows: of each vertex its diagonal and all its struts.
//
// A slot names few groups of rows: it takes the group that the most of its lanes have something in, then the next, and
// so on. Two are always taken, more only for lanes that have no slot to spare. Rows stay as they are where neighbours
// in number are neighbours in the body, and the lanes of a slot then find theirs side by side. Where that would leave
// too many gaps, rows are put in order of their length.

#include "solve/blocks.h"
#include "solve/quick.h"

enum { GROUPS = STRUTS_ROWS / QUICK_ROWS };
#define NOTHING UINT32_MAX

// The struts of rows: which records they are, and at which vertex each ends.
typedef struct whole_rows {
  uint32_t count;
  uint32_t *starts, *records, *others, *order, *next;
} whole_rows;

// What is left to place of sixteen rows: of each group and lane a list, in `next`.
typedef struct whole_slice {
  const whole_rows *rows;
  uint32_t heads[GROUPS][QUICK_ROWS];
  uint16_t lanes[GROUPS]; // that have something in a group
  uint32_t touched[GROUPS], touched_count;
  uint32_t slots;             // that are left
  uint32_t spare[QUICK_ROWS]; // how many more than a lane needs
  uint32_t urgent;            // lanes that have none to spare
} whole_slice;

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
  for (uint32_t k = 0; k < s->count; k++)
    for (uint32_t end = 0; end < 2 && ends[2 * k] != ends[2 * k + 1]; end++) w->starts[ends[2 * k + end] + 1]++;
  for (uint32_t row = 0; row < s->rows; row++) w->starts[row + 1] += w->starts[row];
  for (uint32_t k = 0; k < s->count; k++) {
    if (ends[2 * k] == ends[2 * k + 1]) continue;
    list_record(w, ends[2 * k], k, ends[2 * k + 1]);
    list_record(w, ends[2 * k + 1], k, ends[2 * k]);
  }
  memmove(w->starts + 1, w->starts, s->rows * sizeof *w->starts);
  w->starts[0] = 0;
}

// Longest rows first; those of one length stay in order.
static void order_by_length(whole_rows *w) {
  uint32_t kept = 0;
  for (uint32_t longest = NOTHING; kept < w->count;) {
    uint32_t next = 0;
    for (uint32_t row = 0; row < w->count; row++)
      if (length_of(w, row) < longest && length_of(w, row) > next) next = length_of(w, row);
    for (uint32_t row = 0; row < w->count; row++)
      if (length_of(w, row) == next) w->order[kept++] = row;
    longest = next;
  }
}

static uint32_t longest_of(const whole_rows *w, uint32_t first) {
  uint32_t longest = 0;
  for (uint32_t k = first; k < first + QUICK_ROWS && k < w->count; k++) {
    const uint32_t length = length_of(w, w->order[k]);
    longest = length > longest ? length : longest;
  }
  return longest;
}

// With one for the diagonal of each slice.
static uint32_t count_slots(const whole_rows *w) {
  uint32_t slots = 0;
  for (uint32_t first = 0; first < w->count; first += QUICK_ROWS) slots += 1 + longest_of(w, first);
  return slots;
}

// The order of rows, and how many slots that takes.
static uint32_t order_rows(whole_rows *w) {
  order_by_length(w);
  const uint32_t least = count_slots(w);
  for (uint32_t row = 0; row < w->count; row++) w->order[row] = row;
  const uint32_t slots = count_slots(w);
  if (slots <= least + least / 4) return slots;
  order_by_length(w);
  return least;
}

// How many bits the upper sixteen have, and how many the lower: in those.
static uint32_t count_bits(uint32_t bits) {
  bits = (bits & 0x55555555u) + (bits >> 1 & 0x55555555u);
  bits = (bits & 0x33333333u) + (bits >> 2 & 0x33333333u);
  bits = (bits & 0x0f0f0f0fu) + (bits >> 4 & 0x0f0f0f0fu);
  return (bits & 0x00ff00ffu) + (bits >> 8 & 0x00ff00ffu);
}

static void list_lane(whole_slice *s, const quick *q, uint32_t lane, uint32_t row) {
  const whole_rows *w = s->rows;
  for (uint32_t entry = w->starts[row + 1]; entry-- > w->starts[row];) {
    const uint32_t group = q->positions.data[w->others[entry]] / QUICK_ROWS;
    if (!s->lanes[group]) s->touched[s->touched_count++] = group;
    w->next[entry] = (uint32_t)s->lanes[group] >> lane & 1u ? s->heads[group][lane] : NOTHING;
    s->lanes[group] |= (uint16_t)(1u << lane);
    s->heads[group][lane] = entry;
  }
}

static void begin_slice(whole_slice *s, const quick *q, uint32_t first) {
  const whole_rows *w = s->rows;
  s->touched_count = 0; // nothing is left of the one before
  s->slots = longest_of(w, first);
  s->urgent = 0;
  for (uint32_t lane = 0; lane < QUICK_ROWS; lane++) {
    const bool there = first + lane < w->count;
    s->spare[lane] = there ? s->slots - length_of(w, w->order[first + lane]) : NOTHING;
    s->urgent |= (uint32_t)(s->spare[lane] == 0) << lane;
    if (there) list_lane(s, q, lane, w->order[first + lane]);
  }
}

// The group that the most urgent lanes have something in, then the most of all that are open; NOTHING where none has.
// Groups of which nothing is left are dropped.
static uint32_t best_group(whole_slice *s, uint32_t open, uint32_t urgent) {
  uint32_t best = NOTHING, most = 0, kept = 0;
  for (uint32_t k = 0; k < s->touched_count; k++) {
    const uint32_t group = s->touched[k], lanes = s->lanes[group];
    const uint32_t worth = count_bits((lanes & urgent) << 16 | (lanes & open));
    best = worth > most ? group : best;
    most = worth > most ? worth : most;
    s->touched[kept] = group;
    kept += lanes != 0;
  }
  s->touched_count = kept;
  return best;
}

// Takes what is first in the lists of a group, for these lanes. `upper`: what numbers in the slot begin with.
static void take_group(whole_slice *s, quick *q, uint32_t group, uint32_t lanes, uint32_t upper, uint32_t number) {
  const whole_rows *w = s->rows;
  for (; lanes; lanes &= lanes - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(lanes), entry = s->heads[group][lane];
    const uint32_t position = q->positions.data[w->others[entry]];
    q->slots.data[number].lanes[lane] = (uint8_t)(upper + position % QUICK_ROWS);
    q->places.data[(size_t)QUICK_ROWS * number + lane] = 4 * position;
    q->sources.data[(size_t)QUICK_ROWS * number + lane] = w->records[entry];
    s->heads[group][lane] = w->next[entry];
    if (w->next[entry] == NOTHING) s->lanes[group] &= (uint16_t) ~(1u << lane);
  }
}

static bool add_extra(quick *q, uint32_t group, uint32_t lanes) {
  if (!BASE_RESERVE(&q->allocator, &q->extras, (uint64_t)q->extras.count + 1)) return false;
  q->extras.data[q->extras.count++] = (quick_extra){group * QUICK_GROUP, lanes};
  return true;
}

static bool fill_slot(whole_slice *s, quick *q, uint32_t number) {
  quick_slot *slot = &q->slots.data[number];
  uint32_t open = (1u << QUICK_ROWS) - 1;
  for (uint32_t k = 0; k < 2 || open & s->urgent; k++) {
    const uint32_t group = best_group(s, open, s->urgent & open);
    if (group == NOTHING) break;
    const uint32_t lanes = s->lanes[group] & open;
    take_group(s, q, group, lanes, k == 1 ? QUICK_ROWS : 0, number);
    open &= ~lanes;
    if (k < 2)
      slot->groups[k] = group * QUICK_GROUP;
    else if (!add_extra(q, group, lanes))
      return false;
    slot->extras += k >= 2;
  }
  s->slots--;
  for (; open; open &= open - 1) {
    const uint32_t lane = (uint32_t)__builtin_ctz(open);
    s->urgent |= (uint32_t)(--s->spare[lane] == 0) << lane;
  }
  return true;
}

static bool add_slice(quick *q, whole_slice *s, uint32_t first) {
  begin_slice(s, q, first);
  for (bool diagonal = true; diagonal || s->slots; diagonal = false) {
    const uint32_t number = q->slots.count++;
    q->slots.data[number] = (quick_slot){0};
    for (size_t k = (size_t)QUICK_ROWS * number; k < (size_t)QUICK_ROWS * (number + 1); k++) {
      q->sources.data[k] = QUICK_NONE;
      q->places.data[k] = 0;
    }
    if (!diagonal && !fill_slot(s, q, number)) return false;
  }
  q->starts.data[q->starts.count++] = q->slots.count;
  return true;
}

static bool add_slices(quick *q, whole_rows *w) {
  const clv_allocator *a = &q->allocator;
  const uint32_t slots = order_rows(w);
  if (!BASE_RESERVE(a, &q->slots, slots) || !BASE_RESERVE(a, &q->places, (uint64_t)slots * QUICK_ROWS) ||
      !BASE_RESERVE(a, &q->sources, (uint64_t)slots * QUICK_ROWS) ||
      !BASE_RESERVE(a, &q->starts, (uint64_t)q->rows / QUICK_ROWS + 2) || !BASE_RESERVE(a, &q->positions, q->rows) ||
      !BASE_RESERVE(a, &q->order, q->rows))
    return false;
  for (uint32_t k = 0; k < q->rows; k++) q->positions.data[w->order[k]] = k;
  memcpy(q->order.data, w->order, q->rows * sizeof *w->order);
  q->slots.count = q->extras.count = q->starts.count = 0;
  q->starts.data[q->starts.count++] = 0;
  whole_slice slice = {.rows = w};
  for (uint32_t first = 0; first < q->rows; first += QUICK_ROWS)
    if (!add_slice(q, &slice, first)) return false;
  return true;
}

bool quick_lay_whole(quick *q, const struts *s) {
  const clv_allocator *a = &q->allocator;
  const size_t records = 2 * (size_t)s->count, size = (3 * records + 2 * (size_t)s->rows + 1) * sizeof(uint32_t);
  uint32_t *memory = base_allocate(a, size);
  if (!memory) return false;
  whole_rows w = {.count = s->rows, .records = memory, .others = memory + records, .next = memory + 2 * records};
  w.order = memory + 3 * records;
  w.starts = w.order + s->rows;
  list_records(&w, s);
  const bool done = add_slices(q, &w);
  base_free(a, memory, size);
  return done;
}

// Values

// Rows whose block is not inverted with the others': what is held, or too near to being singular.
static void invert_alone(const float *block, uint32_t held, float *inverse) {
  static const uint8_t numbers[6] = {0, 1, 2, 4, 5, 8};
  double whole[9], inverted[9];
  for (uint32_t e = 0; e < 9; e++) whole[e] = (double)block[QUICK_ROWS * block_half[e]];
  block_precondition(whole, held, inverted);
  for (uint32_t e = 0; e < 6; e++) inverse[QUICK_ROWS * e] = (float)inverted[numbers[e]];
}

void quick_fill_whole(const quick *q, const struts *s, const uint8_t *axes) {
  const uint32_t *order = q->order.data;
  float *values = q->values.data, *inverses = q->blocks.data;
  for (uint32_t slice = 0; slice < q->starts.count - 1; slice++, order += QUICK_ROWS, inverses += 6 * QUICK_ROWS) {
    const uint32_t start = q->starts.data[slice], slots = q->starts.data[slice + 1] - start;
    const uint32_t left = q->rows - slice * QUICK_ROWS, rows = left < QUICK_ROWS ? left : QUICK_ROWS;
    float *to = values + 6 * (size_t)QUICK_ROWS * start;
    memset(to, 0, 6 * (size_t)QUICK_ROWS * sizeof *to);
    for (uint32_t lane = 0; lane < QUICK_ROWS; lane++) { // lanes without a row are 0 in all vectors
      const float mass = lane < rows ? (float)(q->scale * s->sum.mass * s->sum.masses[order[lane]]) : 1;
      to[lane] = to[3 * QUICK_ROWS + lane] = to[5 * QUICK_ROWS + lane] = mass;
    }
    q->set->fill_whole(slots - 1, q->sources.data + (size_t)QUICK_ROWS * (start + 1), s->blocks.data, q->scale, to);
    const uint32_t good = q->set->invert_group(to, inverses);
    for (uint32_t lane = 0; lane < rows; lane++)
      if (axes[order[lane]] || !(good >> lane & 1u)) invert_alone(to + lane, axes[order[lane]], inverses + lane);
  }
}
