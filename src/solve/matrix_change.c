// Following: the pattern of a matrix after some rows of the views have come to name other vertices.

#include "solve/matrix_rows.h"

#include <assert.h>
#include <stdlib.h>

// A couple that has no block yet.
typedef struct newcomer {
  uint32_t row, column;
} newcomer;

typedef struct change {
  matrix *m;
  matrix_parts parts; // as they are now
  uint64_t targets, vertices, touched;
  BASE_ARRAY(newcomer) news; // in order, as often as they are named
  uint32_t *numbers;         // of each old block: its new number, MATRIX_NOBODY where it went
  uint32_t blocks;
  bool no_memory;
} change;

// Which rows

static bool same_parts(const change *c) {
  const matrix *m = c->m;
  bool same = c->parts.count == m->parts.count && m->views->slots >= m->rows;
  for (uint32_t k = 0; same && k < m->parts.count; k++)
    same =
        c->parts.data[k].of.table == m->parts.data[k].of.table && c->parts.data[k].of.slab == m->parts.data[k].of.slab;
  return same;
}

// Whether a row, that there is, names what it did.
static bool is_same(const matrix *m, const matrix_part *old, const matrix_part *now, uint32_t row) {
  if (row >= old->rows) return false;
  const uint32_t *vertices = matrix_row(m, old, row);
  for (uint32_t p = 0; p < now->of.table->particles; p++)
    if (view_row_slot(now->of.table, now->of.slab, row, p) != vertices[p]) return false;
  return true;
}

static void count_touched(change *c) {
  const matrix *m = c->m;
  c->touched = 0;
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const matrix_part *old = &m->parts.data[k], *now = &c->parts.data[k];
    for (uint32_t row = 0; row < now->rows; row++) c->touched += !is_same(m, old, now, row);
    c->touched += old->rows > now->rows ? old->rows - now->rows : 0;
  }
}

// Blocks that come and go

static uint32_t find_block(const matrix *m, matrix_couple at) {
  if (at.row >= m->rows) return UINT32_MAX;
  return at.row == at.column ? m->starts.data[at.row] : matrix_find(m, at.row, at.column);
}

static void give_back(const matrix *m, const matrix_part *old, uint32_t row) {
  for (uint32_t pair = 0; pair < old->law->pairs; pair++)
    m->uses.data[find_block(m, matrix_couple_of(matrix_row(m, old, row), old->law, pair))]--;
}

static void ask(change *c, const matrix_part *now, uint32_t row) {
  uint32_t vertices[LAW_PARTICLES];
  matrix_read_row(now, row, vertices);
  for (uint32_t pair = 0; pair < now->law->pairs; pair++) {
    const matrix_couple at = matrix_couple_of(vertices, now->law, pair);
    const uint32_t block = find_block(c->m, at);
    if (block != UINT32_MAX) {
      c->m->uses.data[block]++;
      continue;
    }
    if (!BASE_RESERVE(&c->m->allocator, &c->news, (uint64_t)c->news.count + 1)) {
      c->no_memory = true;
      return;
    }
    c->news.data[c->news.count++] = (newcomer){at.row, at.column};
  }
}

static int compare(const void *a, const void *b) {
  const newcomer *x = a, *y = b;
  if (x->row != y->row) return x->row < y->row ? -1 : 1;
  return x->column < y->column ? -1 : x->column > y->column;
}

static void find_changes(change *c) {
  const matrix *m = c->m;
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const matrix_part *old = &m->parts.data[k], *now = &c->parts.data[k];
    for (uint32_t row = 0; row < old->rows; row++)
      if (row >= now->rows || !is_same(m, old, now, row)) give_back(m, old, row);
    for (uint32_t row = 0; row < now->rows && !c->no_memory; row++)
      if (!is_same(m, old, now, row)) ask(c, now, row);
  }
  for (uint32_t row = m->rows; row < m->views->slots && !c->no_memory;
       row++) { // diagonals that nobody may have asked for
    if (BASE_RESERVE(&m->allocator, &c->news, (uint64_t)c->news.count + 1))
      c->news.data[c->news.count++] = (newcomer){row, row};
    else
      c->no_memory = true;
  }
  if (c->news.count) qsort(c->news.data, c->news.count, sizeof *c->news.data, compare);
}

// The new pattern

typedef struct pattern {
  BASE_ARRAY(uint32_t) starts, columns, uses;
} pattern;

static void add_block(pattern *to, uint32_t column, uint32_t uses) {
  to->columns.data[to->columns.count++] = column;
  to->uses.data[to->uses.count++] = uses;
}

// Old blocks that are still used and new ones, in order of columns. A diagonal block stays.
static void merge_row(change *c, pattern *to, uint32_t row, uint32_t *next) {
  const matrix *m = c->m;
  uint32_t old = row < m->rows ? m->starts.data[row] : 0, end = row < m->rows ? m->starts.data[row + 1] : 0;
  while (old < end || (*next < c->news.count && c->news.data[*next].row == row)) {
    const bool some = *next < c->news.count && c->news.data[*next].row == row;
    if (some && (old == end || c->news.data[*next].column < m->columns.data[old])) {
      const uint32_t column = c->news.data[*next].column;
      uint32_t uses = 0;
      for (; *next < c->news.count && compare(&c->news.data[*next], &(newcomer){row, column}) == 0; ++*next) uses++;
      add_block(to, column, row == column && row >= m->rows ? uses - 1 : uses); // one of them nobody asked for
      continue;
    }
    const bool stays = m->columns.data[old] == row || m->uses.data[old] > 0;
    c->numbers[old] = stays ? to->columns.count : MATRIX_NOBODY;
    if (stays) add_block(to, m->columns.data[old], m->uses.data[old]);
    old++;
  }
}

static bool merge(change *c, pattern *to) {
  matrix *m = c->m;
  const clv_allocator *a = &m->allocator;
  const uint32_t rows = m->views->slots;
  const uint64_t most = (uint64_t)m->blocks + c->news.count + 1;
  uint32_t next = 0;
  if (most >= MATRIX_SHARED >> MATRIX_SHIFT || !BASE_RESERVE(a, &to->starts, (uint64_t)rows + 1) ||
      !BASE_RESERVE(a, &to->columns, most) || !BASE_RESERVE(a, &to->uses, most))
    return false;
  assert(to->starts.data && to->columns.data && to->uses.data);
  for (uint32_t row = 0; row < rows; row++) {
    to->starts.data[to->starts.count++] = to->columns.count;
    merge_row(c, to, row, &next);
  }
  to->starts.data[to->starts.count++] = c->blocks = to->columns.count;
  return true;
}

// Targets

// The block that an old target means, with its flags; copies are made anew behind.
static uint32_t renumber(const change *c, uint32_t target) {
  const matrix *m = c->m;
  uint32_t block = target >> MATRIX_SHIFT;
  if (block >= m->blocks) block = m->copies.data[block - m->blocks].to;
  return c->numbers[block] << MATRIX_SHIFT | (target & (MATRIX_TURNED | MATRIX_BOTH));
}

static uint32_t find_new(const pattern *in, matrix_couple at) {
  uint32_t low = in->starts.data[at.row], high = in->starts.data[at.row + 1];
  while (high - low > 1) {
    const uint32_t middle = low + (high - low) / 2;
    if (in->columns.data[middle] <= at.column)
      low = middle;
    else
      high = middle;
  }
  return low;
}

// Writes targets and vertices of one part as they are now, and who owns its blocks.
static void aim_part(const change *c, const pattern *in, uint32_t number, uint32_t *targets, uint32_t *vertices,
                     uint32_t *owners) {
  const matrix *m = c->m;
  const matrix_part *old = &m->parts.data[number], *now = &c->parts.data[number];
  for (uint32_t row = 0; row < now->rows; row++) {
    const bool same = is_same(m, old, now, row);
    uint32_t *own = vertices + now->vertices + (size_t)row * now->of.table->particles;
    matrix_read_row(now, row, own);
    for (uint32_t pair = 0; pair < now->law->pairs; pair++) {
      const matrix_couple at = matrix_couple_of(own, now->law, pair);
      const uint32_t target = same ? renumber(c, *matrix_target(m->targets.data, old, row, pair))
                                   : matrix_aim(at, now->law, pair, find_new(in, at));
      *matrix_target(targets, now, row, pair) = target;
      uint32_t *owner = &owners[target >> MATRIX_SHIFT];
      *owner = *owner == MATRIX_NOBODY || *owner == number ? number : MATRIX_SHARED;
    }
  }
}

#define TAKE(a, field, from)                                                                                           \
  do {                                                                                                                 \
    BASE_RELEASE(a, &m->field);                                                                                        \
    m->field.data = (from).data;                                                                                       \
    m->field.count = (from).count;                                                                                     \
    m->field.capacity = (from).capacity;                                                                               \
  } while (0)

static bool take_pattern(change *c, pattern *in) {
  matrix *m = c->m;
  const clv_allocator *a = &m->allocator;
  BASE_ARRAY(uint32_t) targets = {0}, vertices = {0};
  const size_t size = ((size_t)c->blocks + 1) * sizeof(uint32_t);
  uint32_t *owners = base_allocate(a, size);
  const bool room = owners && BASE_RESERVE(a, &targets, c->targets) && BASE_RESERVE(a, &vertices, c->vertices);
  for (uint32_t k = 0; room && k < c->blocks; k++) owners[k] = MATRIX_NOBODY;
  for (uint32_t k = 0; room && k < c->parts.count; k++) aim_part(c, in, k, targets.data, vertices.data, owners);
  targets.count = (uint32_t)c->targets;
  vertices.count = (uint32_t)c->vertices;
  TAKE(a, targets, targets);
  TAKE(a, vertices, vertices);
  TAKE(a, starts, in->starts);
  TAKE(a, columns, in->columns);
  TAKE(a, uses, in->uses);
  TAKE(a, parts, c->parts);
  m->rows = m->views->slots;
  m->blocks = c->blocks;
  m->searched = c->touched;
  const bool done = room && matrix_settle(m, owners);
  base_free(a, owners, size);
  return done;
}

// Whether the pattern has the blocks it had.
static bool is_another(const change *c) {
  bool another = c->news.count > 0 || c->blocks != c->m->blocks;
  for (uint32_t k = 0; !another && k < c->m->blocks; k++) another = c->numbers[k] != k;
  return another;
}

static bool follow(change *c, bool *another) {
  matrix *m = c->m;
  const size_t size = ((size_t)m->blocks + 1) * sizeof *c->numbers;
  pattern next = {0};
  find_changes(c);
  c->numbers = c->no_memory ? NULL : base_allocate(&m->allocator, size);
  bool done = c->numbers && merge(c, &next);
  if (done) {
    *another = is_another(c);
    done = take_pattern(c, &next);
    c->parts = (matrix_parts){0};
  } else {
    BASE_RELEASE(&m->allocator, &next.starts);
    BASE_RELEASE(&m->allocator, &next.columns);
    BASE_RELEASE(&m->allocator, &next.uses);
  }
  base_free(&m->allocator, c->numbers, size);
  return done;
}

bool matrix_change(matrix *m, bool *followed, bool *another) {
  enum { MANY = 4, FEW = 64 }; // a quarter of all rows is too many
  change c = {.m = m};
  uint64_t all = 0;
  *followed = *another = false;
  bool done = matrix_list_parts(m, &c.parts, &c.targets, &c.vertices);
  if (done && same_parts(&c)) {
    count_touched(&c);
    for (uint32_t k = 0; k < m->parts.count; k++) all += m->parts.data[k].rows;
    *followed = c.touched <= all / MANY + FEW;
  }
  const bool same = *followed && !c.touched && m->rows == m->views->slots;
  if (same) m->searched = 0;
  if (done && *followed && !same) done = follow(&c, another);
  BASE_RELEASE(&m->allocator, &c.parts);
  BASE_RELEASE(&m->allocator, &c.news);
  return done;
}
