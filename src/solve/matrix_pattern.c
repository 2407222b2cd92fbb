// Where the blocks of a matrix are, and which of them each row of the views adds to.

#include "solve/matrix_rows.h"

#include <stdlib.h>

void matrix_init(matrix *m, clv_views *views, const clv_allocator *allocator) {
  *m = (matrix){.allocator = *allocator, .views = views};
}

static void free_pattern(matrix *m) {
  const clv_allocator *a = &m->allocator;
  BASE_RELEASE(a, &m->starts);
  BASE_RELEASE(a, &m->columns);
  BASE_RELEASE(a, &m->places);
  BASE_RELEASE(a, &m->laws);
  BASE_RELEASE(a, &m->parts);
  BASE_RELEASE(a, &m->targets);
  BASE_RELEASE(a, &m->vertices);
  BASE_RELEASE(a, &m->uses);
  BASE_RELEASE(a, &m->copies);
  BASE_RELEASE(a, &m->bare);
  BASE_RELEASE(a, &m->chunks);
  BASE_RELEASE(a, &m->tail);
  BASE_RELEASE(a, &m->dots);
  BASE_RELEASE(a, &m->lower_starts);
  BASE_RELEASE(a, &m->lower);
}

void matrix_free(matrix *m) {
  const clv_allocator *a = &m->allocator;
  free_pattern(m);
  view_memory_free(&m->values, a);
  view_memory_free(&m->sums, a);
  view_memory_free(&m->locals, a);
  view_memory_free(&m->rooms, a);
}

// Which particles couple

typedef uint64_t particle_set; // one bit each
_Static_assert(LAW_PARTICLES <= 64, "a bit for every particle");

// The particles whose directions a derivative of a force depends on, for each node of the kernel's graph.
static void spread_sets(const dag *graph, dag_op direction, particle_set *sets) {
  sets[0] = 0;
  for (dag_ref ref = 1; ref < graph->nodes.count; ref++) {
    const dag_node *node = &graph->nodes.data[ref];
    sets[ref] = node->op == direction ? (particle_set)1 << node->index / 3 : 0;
    for (uint32_t k = 0; k < dag_arity((dag_op)node->op); k++) sets[ref] |= sets[node->arg[k]];
    for (uint32_t k = 0; node->op == DAG_TUPLE && k < node->count; k++)
      sets[ref] |= sets[graph->tuples.data[node->arg[0] + k]];
  }
}

static void add_couples(const kernel *k, kernel_kind kind, const particle_set *sets, particle_set *couples) {
  const kernel_body *body = &k->body[kind];
  for (uint32_t r = 0; r < body->root_count; r++) couples[r / 3] |= sets[body->roots[r]];
}

// A matrix that is made positive couples all that hangs together.
static void close_couples(uint32_t particles, particle_set *couples) {
  for (uint32_t round = 0; round < particles; round++)
    for (uint32_t p = 0; p < particles; p++)
      for (uint32_t q = 0; q < particles; q++)
        if (couples[p] >> q & 1u) couples[p] |= couples[q];
}

static bool find_couples(matrix *m, const kernel *k, matrix_law *to) {
  particle_set couples[LAW_PARTICLES] = {0};
  const uint32_t nodes = k->graph.nodes.count ? k->graph.nodes.count : 1;
  particle_set *sets = base_allocate(&m->allocator, nodes * sizeof *sets);
  if (!sets) return false;
  spread_sets(&k->graph, DAG_DPOS, sets);
  add_couples(k, KERNEL_FORCE_DPOS, sets, couples);
  spread_sets(&k->graph, DAG_DVEL, sets);
  add_couples(k, KERNEL_FORCE_DVEL, sets, couples);
  base_free(&m->allocator, sets, nodes * sizeof *sets);
  for (uint32_t p = 0; p < k->particles; p++) // what is used is the symmetric part
    for (uint32_t q = 0; q < k->particles; q++)
      if (couples[p] >> q & 1u) couples[q] |= (particle_set)1 << p;
  if (k->clamps) close_couples(k->particles, couples);
  to->balances = matrix_law_balances(k);
  to->pairs = 0;
  for (uint32_t p = 0; p < k->particles; p++)
    for (uint32_t q = p; q < k->particles; q++)
      if (couples[p] >> q & 1u) {
        to->p[to->pairs] = (uint8_t)p;
        to->q[to->pairs++] = (uint8_t)q;
      }
  return true;
}

static bool find_laws(matrix *m) {
  const clv_views *views = m->views;
  if (m->laws.count == views->tables.count) return true;
  if (!BASE_RESERVE(&m->allocator, &m->laws, views->tables.count)) return false;
  for (uint32_t t = 0; t < views->tables.count; t++)
    if (!find_couples(m, views->tables.data[t].kernel, &m->laws.data[t])) return false;
  m->laws.count = views->tables.count;
  return true;
}

// Rows

static uint64_t part_targets(const matrix_part *part) {
  return (uint64_t)(part->rows + KERNEL_LANES - 1) / KERNEL_LANES * part->law->pairs * KERNEL_LANES;
}

bool matrix_list_parts(matrix *m, matrix_parts *parts, uint64_t *targets, uint64_t *vertices) {
  const clv_views *views = m->views;
  *targets = *vertices = 0;
  parts->count = 0;
  if (!BASE_RESERVE(&m->allocator, parts, views->parts.count)) return false;
  for (uint32_t k = 0; k < views->parts.count; k++) {
    const view_part *of = &views->parts.data[k];
    matrix_part *part = &parts->data[parts->count++];
    *part = (matrix_part){.of = *of,
                          .law = &m->laws.data[of->table - views->tables.data],
                          .first = *targets,
                          .rows = of->slab->rows,
                          .vertices = *vertices};
    *targets += part_targets(part);
    *vertices += (uint64_t)part->rows * of->table->particles;
  }
  return true;
}

void matrix_read_row(const matrix_part *part, uint32_t row, uint32_t *vertices) {
  for (uint32_t p = 0; p < part->of.table->particles; p++)
    vertices[p] = view_row_slot(part->of.table, part->of.slab, row, p);
}

static bool list_parts(matrix *m) {
  uint64_t targets, vertices;
  matrix_parts parts = {m->parts.data, m->parts.count, m->parts.capacity};
  const bool listed = matrix_list_parts(m, &parts, &targets, &vertices);
  m->parts.data = parts.data;
  m->parts.count = parts.count;
  m->parts.capacity = parts.capacity;
  if (!listed || !BASE_RESERVE(&m->allocator, &m->targets, targets) ||
      !BASE_RESERVE(&m->allocator, &m->vertices, vertices))
    return false;
  m->targets.count = (uint32_t)targets;
  m->vertices.count = (uint32_t)vertices;
  m->searched = 0;
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const matrix_part *part = &m->parts.data[k];
    for (uint32_t row = 0; row < part->rows; row++) matrix_read_row(part, row, matrix_row(m, part, row));
    m->searched += part->rows;
  }
  return true;
}

typedef void visit(void *user, matrix_couple at);

static void each_couple(const matrix *m, visit *each, void *user) {
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const matrix_part *part = &m->parts.data[k];
    for (uint32_t row = 0; row < part->rows; row++)
      for (uint32_t pair = 0; pair < part->law->pairs; pair++)
        each(user, matrix_couple_of(matrix_row(m, part, row), part->law, pair));
  }
}

// The pattern

static void sort_columns(uint32_t *columns, uint32_t count) {
  for (uint32_t k = 1; k < count; k++) {
    const uint32_t column = columns[k];
    uint32_t to = k;
    for (; to > 0 && columns[to - 1] > column; to--) columns[to] = columns[to - 1];
    columns[to] = column;
  }
}

// Puts the columns of a row in order, each once; how many there are.
static uint32_t settle_row(uint32_t *columns, uint32_t count) {
  sort_columns(columns, count);
  uint32_t kept = 0;
  for (uint32_t k = 0; k < count; k++)
    if (!kept || columns[kept - 1] != columns[k]) columns[kept++] = columns[k];
  return kept;
}

typedef struct listing {
  uint32_t *ends, *columns;
} listing;

static void count_couple(void *user, matrix_couple at) {
  const listing *l = user;
  l->ends[at.row] += at.row != at.column;
}

static void list_couple(void *user, matrix_couple at) {
  const listing *l = user;
  if (at.row != at.column) l->columns[l->ends[at.row]++] = at.column;
}

// `ends` has rows + 1 numbers of scratch.
static bool find_columns(matrix *m, uint32_t *ends) {
  memset(ends, 0, ((size_t)m->rows + 1) * sizeof *ends);
  listing l = {ends, NULL};
  each_couple(m, count_couple, &l);
  uint64_t all = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    all += ends[row] + 1u;
    m->starts.data[row] = ends[row] = (uint32_t)(all - ends[row] - 1);
  }
  if (all >= MATRIX_SHARED >> MATRIX_SHIFT || !BASE_RESERVE(&m->allocator, &m->columns, all)) return false;
  for (uint32_t row = 0; row < m->rows; row++) m->columns.data[ends[row]++] = row;
  l.columns = m->columns.data;
  each_couple(m, list_couple, &l);
  uint32_t end = 0;
  for (uint32_t row = 0; row < m->rows; row++) {
    uint32_t *columns = m->columns.data + m->starts.data[row];
    const uint32_t count = settle_row(columns, ends[row] - m->starts.data[row]);
    memmove(m->columns.data + end, columns, count * sizeof *columns);
    m->starts.data[row] = end;
    end += count;
  }
  m->starts.data[m->rows] = m->columns.count = m->blocks = end;
  m->starts.count = m->rows + 1;
  return true;
}

uint32_t matrix_find(const matrix *m, uint32_t row, uint32_t column) {
  uint32_t low = m->starts.data[row], high = m->starts.data[row + 1];
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (m->columns.data[middle] < column)
      low = middle + 1;
    else
      high = middle;
  }
  return low < m->starts.data[row + 1] && m->columns.data[low] == column ? low : UINT32_MAX;
}

// Targets. `owners`: of each block, the part that adds to it, or MATRIX_SHARED; then of a shared block its last copy.

static void aim(matrix *m, uint32_t *owners) {
  m->uses.count = m->blocks;
  for (uint32_t k = 0; k < m->blocks; k++) {
    owners[k] = MATRIX_NOBODY;
    m->uses.data[k] = 0;
  }
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const matrix_part *part = &m->parts.data[k];
    for (uint32_t row = 0; row < part->rows; row++)
      for (uint32_t pair = 0; pair < part->law->pairs; pair++) {
        const matrix_couple at = matrix_couple_of(matrix_row(m, part, row), part->law, pair);
        const uint32_t block = at.row == at.column ? m->starts.data[at.row] : matrix_find(m, at.row, at.column);
        *matrix_target(m->targets.data, part, row, pair) = matrix_aim(at, part->law, pair, block);
        m->uses.data[block]++;
        owners[block] = owners[block] == MATRIX_NOBODY || owners[block] == k ? k : MATRIX_SHARED;
      }
  }
}

// Copies from `before` on belong to the part at hand.
static bool aim_at_copy(matrix *m, uint32_t *owners, uint32_t before, uint32_t *target) {
  const uint32_t block = *target >> MATRIX_SHIFT;
  if (owners[block] == MATRIX_NOBODY) return true;
  if (owners[block] == MATRIX_SHARED || owners[block] < before) {
    if (!BASE_RESERVE(&m->allocator, &m->copies, (uint64_t)m->copies.count + 1)) return false;
    owners[block] = m->copies.count;
    m->copies.data[m->copies.count++] = (matrix_copy){.from = m->blocks + owners[block], .to = block};
  }
  *target = (m->blocks + owners[block]) << MATRIX_SHIFT | (*target & MATRIX_FLAGS);
  return true;
}

// Gives every part its own copy of each block that it shares.
static bool part_shared(matrix *m, uint32_t *owners) {
  m->copies.count = 0;
  for (uint32_t k = 0; k < m->blocks; k++) owners[k] = owners[k] == MATRIX_SHARED ? MATRIX_SHARED : MATRIX_NOBODY;
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const matrix_part *part = &m->parts.data[k];
    const uint32_t before = m->copies.count;
    for (uint32_t row = 0; row < part->rows; row++)
      for (uint32_t pair = 0; pair < part->law->pairs; pair++)
        if (!aim_at_copy(m, owners, before, matrix_target(m->targets.data, part, row, pair))) return false;
  }
  return (uint64_t)m->blocks + m->copies.count < MATRIX_SHARED >> MATRIX_SHIFT;
}

// Who comes first. `touched`: of each block and copy, whether somebody has come.

uint32_t matrix_pair(const matrix_law *of, uint32_t p, uint32_t q) {
  uint32_t pair = 0;
  while ((of->p[pair] != p || of->q[pair] != q) && (of->p[pair] != q || of->q[pair] != p)) pair++;
  return pair;
}

static void come(const matrix *m, const matrix_part *part, uint32_t row, uint32_t pair, uint8_t *touched) {
  uint32_t *target = matrix_target(m->targets.data, part, row, pair);
  if (!touched[*target >> MATRIX_SHIFT]) *target |= MATRIX_FIRST;
  touched[*target >> MATRIX_SHIFT] = 1;
}

// In the order of matrix_assemble.c: couple by couple, or distance by distance.
static void come_batch(const matrix *m, const matrix_part *part, uint32_t first, uint8_t *touched) {
  const kernel_pairs *pairs = &part->of.table->kernel->pairs;
  const uint32_t left = part->rows - first, end = first + (left < KERNEL_LANES ? left : KERNEL_LANES);
  for (uint32_t pair = 0; !pairs->count && pair < part->law->pairs; pair++)
    for (uint32_t row = first; row < end; row++) come(m, part, row, pair, touched);
  for (uint32_t k = 0; k < pairs->count; k++) {
    const uint32_t p = pairs->first[k], q = pairs->second[k];
    for (uint32_t row = first; row < end; row++) {
      come(m, part, row, matrix_pair(part->law, p, p), touched);
      come(m, part, row, matrix_pair(part->law, q, q), touched);
      come(m, part, row, matrix_pair(part->law, p, q), touched);
    }
  }
}

static bool find_first(matrix *m) {
  const size_t size = (size_t)m->blocks + m->copies.count + 1;
  uint8_t *touched = base_allocate(&m->allocator, size);
  bool done = touched;
  if (done) memset(touched, 0, size);
  for (uint32_t k = 0; done && k < m->parts.count; k++)
    for (uint32_t row = 0; row < m->parts.data[k].rows; row += KERNEL_LANES)
      come_batch(m, &m->parts.data[k], row, touched);
  for (uint32_t k = 0; done && k < m->copies.count; k++) {
    matrix_copy *copy = &m->copies.data[k];
    copy->first = !touched[copy->to];
    touched[copy->to] = 1;
  }
  m->bare.count = 0;
  for (uint32_t block = 0; done && block < m->blocks; block++) {
    if (touched[block]) continue;
    done = BASE_RESERVE(&m->allocator, &m->bare, (uint64_t)m->bare.count + 1);
    if (done) m->bare.data[m->bare.count++] = block;
  }
  base_free(&m->allocator, touched, size);
  return done;
}

// Chunks. `numbers`: of each row its place in the tail of the chunk at hand, by the number of the chunk.

static bool find_tail(matrix *m, matrix_chunk *chunk, uint32_t *marks) {
  const uint32_t end = chunk->first + chunk->rows, number = (uint32_t)(chunk - m->chunks.data) + 1;
  chunk->tail = m->tail.count;
  const uint32_t first = m->starts.data[chunk->first], last = m->starts.data[end];
  for (uint32_t block = first; block < last; block++) {
    const uint32_t column = m->columns.data[block];
    if (column < end || marks[column] == number) continue;
    marks[column] = number;
    if (!BASE_RESERVE(&m->allocator, &m->tail, (uint64_t)m->tail.count + 1)) return false;
    m->tail.data[m->tail.count++] = column;
  }
  chunk->tails = m->tail.count - chunk->tail;
  return true;
}

static int compare(const void *a, const void *b) {
  const uint32_t x = *(const uint32_t *)a, y = *(const uint32_t *)b;
  return x < y ? -1 : x > y;
}

static void number_chunk(matrix *m, const matrix_chunk *chunk, uint32_t *numbers) {
  const uint32_t end = chunk->first + chunk->rows;
  if (chunk->tails) qsort(m->tail.data + chunk->tail, chunk->tails, sizeof *m->tail.data, compare);
  for (uint32_t k = 0; k < chunk->tails; k++) numbers[m->tail.data[chunk->tail + k]] = chunk->rows + k;
  for (uint32_t block = m->starts.data[chunk->first]; block < m->starts.data[end]; block++) {
    const uint32_t column = m->columns.data[block];
    m->places.data[block] = column < end ? column - chunk->first : numbers[column];
  }
}

static bool cut_chunks(matrix *m, uint32_t *scratch) {
  const uint32_t count = (m->rows + MATRIX_CHUNK - 1) / MATRIX_CHUNK;
  size_t sums = 0, most = 0;
  m->tail.count = m->chunks.count = 0;
  if (!BASE_RESERVE(&m->allocator, &m->chunks, count) || !BASE_RESERVE(&m->allocator, &m->dots, count) ||
      !BASE_RESERVE(&m->allocator, &m->places, m->blocks))
    return false;
  memset(scratch, 0, ((size_t)m->rows + 1) * sizeof *scratch);
  for (uint32_t k = 0; k < count; k++) {
    matrix_chunk *chunk = &m->chunks.data[m->chunks.count++];
    const uint32_t first = k * MATRIX_CHUNK, left = m->rows - first;
    *chunk = (matrix_chunk){.first = first, .rows = left < MATRIX_CHUNK ? left : MATRIX_CHUNK, .sums = sums};
    if (!find_tail(m, chunk, scratch)) return false;
    const size_t local = (size_t)chunk->rows + chunk->tails;
    sums += 4 * local;
    if (local > most) most = local;
  }
  for (uint32_t k = 0; k < count; k++) number_chunk(m, &m->chunks.data[k], scratch);
  m->local_room = (4 * most + 15) / 8 * 8;
  return view_memory_resize(&m->sums, &m->allocator, 0, sums * sizeof(double)) &&
         view_memory_resize(&m->locals, &m->allocator, 0, m->local_room * m->views->threads * sizeof(double));
}

bool matrix_reserve_rooms(matrix *m) {
  size_t most = 1;
  for (uint32_t k = 0; k < m->views->parts.count; k++) {
    const size_t n = 3 * (size_t)m->views->parts.data[k].table->particles;
    if (n * n > most) most = n * n;
  }
  m->room = most * KERNEL_LANES;
  const size_t size = m->room * m->views->threads * sizeof(double);
  return size <= m->rooms.room || view_memory_resize(&m->rooms, &m->allocator, 0, size);
}

static bool reserve_values(matrix *m) {
  const size_t size = (9 * ((size_t)m->blocks + m->copies.count) + WIDE_PAD) * sizeof(double);
  return (size <= m->values.room || view_memory_resize(&m->values, &m->allocator, 0, size)) && matrix_reserve_rooms(m);
}

// Where all laws pull along distances alone, every block is symmetric.
static bool pulls_along(const matrix *m) {
  bool central = true;
  for (uint32_t k = 0; k < m->parts.count; k++) {
    const kernel *acting = m->parts.data[k].of.table->kernel;
    central = central && acting->central && !acting->has_velocity;
  }
  return central;
}

bool matrix_settle(matrix *m, uint32_t *owners) {
  const size_t size = ((size_t)m->rows + 1) * sizeof(uint32_t);
  uint32_t *scratch = base_allocate(&m->allocator, size);
  const bool done = scratch && cut_chunks(m, scratch) && part_shared(m, owners) && find_first(m) &&
                    matrix_list_lower(m) && reserve_values(m);
  base_free(&m->allocator, scratch, size);
  m->symmetric_blocks = pulls_along(m);
  return done;
}

static bool make_pattern(matrix *m) {
  const clv_allocator *a = &m->allocator;
  m->rows = m->views->slots;
  if (!find_laws(m) || !list_parts(m) || !BASE_RESERVE(a, &m->starts, (uint64_t)m->rows + 1)) return false;
  const size_t size = ((size_t)m->rows + 1) * sizeof(uint32_t);
  uint32_t *scratch = base_allocate(a, size), *owners = NULL;
  bool done = scratch && find_columns(m, scratch) && BASE_RESERVE(a, &m->uses, m->blocks);
  base_free(a, scratch, size);
  const size_t owner_size = ((size_t)m->blocks + 1) * sizeof *owners;
  owners = done ? base_allocate(a, owner_size) : NULL;
  if (owners) aim(m, owners);
  done = owners && matrix_settle(m, owners);
  base_free(a, owners, owner_size);
  return done;
}

clv_result matrix_follow(matrix *m, bool *rebuilt) {
  *rebuilt = false;
  const clv_result result = views_current(m->views);
  if (result != CLV_OK) return result;
  if (m->made && m->layouts == m->views->layouts) return CLV_OK;
  bool followed = false, done = !m->made || matrix_change(m, &followed, rebuilt);
  m->made = false;
  if (done && !followed) {
    done = make_pattern(m);
    *rebuilt = true;
  }
  if (!done) return CLV_ERROR_MEMORY;
  m->made = true;
  m->layouts = m->views->layouts;
  return CLV_OK;
}
