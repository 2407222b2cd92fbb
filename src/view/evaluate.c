// Forces, energies and matrices: running the kernels over all slabs.
//
// A slab copies the positions of its vertices, runs its kernel into sums of its own, and adds these to the result, slab
// after slab in a fixed order. Slabs that follow one another and have the same vertices are a group, with one copy and
// one sum: small bodies have one slab for each law. One thread does this group by group, with copies that stay in its
// cache. Several threads keep the sums of all groups, and then add them, each for a range of vertices. The order of
// additions to a vertex is the same, and no number depends on who computed it.

#include "view/views.h"

typedef struct evaluation {
  const clv_views *views;
  const double *from[VIEW_COPIES]; // by vertex slot, NULL where it is not asked for
  double *out;
  uint32_t given;       // bits of those that are not
  kernel_kind kinds[2]; // KERNEL_COUNT: none
  bool linear;          // at the state that was kept, with stiffnesses that were
  uint32_t ranges, slots;
} evaluation;

static void gather(const clv_views *views, const view_slab *slab, const double *from, double *to) {
  const uint32_t *vertices = slab->vertices.data, count = slab->vertices.count;
  if (slab->consecutive) {
    views->copier.in(from + 3 * (size_t)vertices[0], count, to);
    return;
  }
  for (uint32_t k = 0; k < count; k++) view_copy_vertex(from + 3 * (size_t)vertices[k], to + KERNEL_STRIDE * (size_t)k);
}

// Whether a product needs only the row's stiffness, which was kept, and the direction.
static inline bool uses_kept(const evaluation *e, const kernel *k) {
  return e->linear && k->keeps;
}

// The copies that a kernel reads, as bits, of those that there are.
static inline uint32_t copies_of(const evaluation *e, const kernel *k) {
  if (k->has_velocity) return e->given;
  return e->given & (uses_kept(e, k) ? 1u << VIEW_DPOS : 1u << VIEW_POS | 1u << VIEW_DPOS);
}

// Copies the slab's vertices to the worker's bench, but for copies that are there (bits): all that are there then.
static inline uint32_t copy_vertices(const evaluation *e, const view_part *part, const view_bench *bench,
                                     uint32_t there) {
  const uint32_t all = there | copies_of(e, part->table->kernel);
  uint32_t missing = all & ~there;
  for (uint32_t c = 0; missing; c++, missing >>= 1)
    if (missing & 1u) gather(e->views, part->slab, e->from[c], bench->copies[c].data);
  return all;
}

// What a kernel gets to see: of the slab, and of the bench.
static inline kernel_args *show_slab(const view_slab *slab, view_bench *bench) {
  bench->args.rows = slab->rows;
  bench->args.places = slab->places.data;
  bench->args.constants = slab->constants.data;
  return &bench->args;
}

static inline void run_part(const evaluation *e, const view_part *part, view_bench *bench, double *sums) {
  const kernel *k = part->table->kernel;
  kernel_args *args = show_slab(part->slab, bench);
  args->out = sums;
  args->matrix = part->slab->stiffness.data;
  for (uint32_t n = 0; n < 2 && args->rows; n++) {
    const kernel_kind kind = e->kinds[n];
    if (kind < KERNEL_COUNT && (kind != KERNEL_FORCE_DVEL || k->has_velocity))
      kernel_run(k, kind == KERNEL_FORCE_DPOS && uses_kept(e, k) ? KERNEL_PRODUCT : kind, args);
  }
}

static inline void run_group(const evaluation *e, const view_group *group, uint32_t worker, double *sums) {
  const view_part *parts = e->views->parts.data + group->first;
  view_bench *bench = &e->views->benches[worker];
  uint32_t there = 0;
  memset(sums, 0, parts->slab->vertices.count * KERNEL_STRIDE * sizeof(double));
  for (uint32_t k = 0; k < group->count; k++) {
    there = copy_vertices(e, &parts[k], bench, there);
    run_part(e, &parts[k], bench, sums);
  }
}

static inline const view_slab *slab_of(const evaluation *e, const view_group *group) {
  return e->views->parts.data[group->first].slab;
}

static inline void add_sum(double *out, uint32_t slot, const double *sum) {
  double *to = out + 3 * (size_t)slot;
  const double x = to[0] + sum[0], y = to[1] + sum[1], z = to[2] + sum[2]; // all loads before any store
  to[0] = x;
  to[1] = y;
  to[2] = z;
}

// One thread: everything at once.

// What adding to nothing would give, as a sum is never -0.
static void write_sums(const evaluation *e, const view_slab *slab, const double *sums) {
  const uint32_t first = slab->vertices.data[0], count = slab->vertices.count, end = first + count;
  if (first) memset(e->out, 0, (size_t)first * 3 * sizeof(double));
  e->views->copier.out(sums, count, e->out + 3 * (size_t)first);
  if (end < e->slots) memset(e->out + 3 * (size_t)end, 0, (size_t)(e->slots - end) * 3 * sizeof(double));
}

static void add_sums(const evaluation *e, const view_slab *slab, const double *sums) {
  const uint32_t *vertices = slab->vertices.data, count = slab->vertices.count;
  for (uint32_t k = 0; k < count; k++) add_sum(e->out, vertices[k], sums + KERNEL_STRIDE * (size_t)k);
}

static void add_in_turn(const evaluation *e) {
  const view_group *groups = e->views->groups.data;
  const uint32_t count = e->views->groups.count;
  double *sums = e->views->benches[0].copies[VIEW_OUT].data;
  uint32_t next = 0;
  if (count && slab_of(e, &groups[0])->consecutive) {
    run_group(e, &groups[0], 0, sums);
    write_sums(e, slab_of(e, &groups[next++]), sums);
  } else {
    memset(e->out, 0, (size_t)e->slots * 3 * sizeof(double));
  }
  for (; next < count; next++) {
    run_group(e, &groups[next], 0, sums);
    add_sums(e, slab_of(e, &groups[next]), sums);
  }
}

// Several: the groups, then the vertices.

static void run_one(void *user, uint32_t number, uint32_t worker) {
  const evaluation *e = user;
  const view_group *group = &e->views->groups.data[number];
  run_group(e, group, worker, slab_of(e, group)->sums.data);
}

// The first of the ordered vertices that is not before `slot`.
static uint32_t first_from(const view_slab *slab, uint32_t slot) {
  uint32_t low = 0, high = slab->ordered;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (slab->vertices.data[middle] < slot)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void add_range(void *user, uint32_t part, uint32_t worker) {
  const evaluation *e = user;
  (void)worker;
  const uint32_t first = (uint32_t)((uint64_t)e->slots * part / e->ranges);
  const uint32_t end = (uint32_t)((uint64_t)e->slots * (part + 1) / e->ranges);
  if (end > first) memset(e->out + 3 * (size_t)first, 0, (size_t)(end - first) * 3 * sizeof(double));
  for (uint32_t g = 0; g < e->views->groups.count; g++) {
    const view_slab *slab = slab_of(e, &e->views->groups.data[g]);
    const double *sums = slab->sums.data;
    const uint32_t *vertices = slab->vertices.data, last = first_from(slab, end);
    for (uint32_t k = first_from(slab, first); k < last; k++) add_sum(e->out, vertices[k], sums + KERNEL_STRIDE * k);
    for (uint32_t k = slab->ordered; k < slab->vertices.count; k++)
      if (vertices[k] >= first && vertices[k] < end) add_sum(e->out, vertices[k], sums + KERNEL_STRIDE * k);
  }
}

// Memory

static size_t copies_size(uint32_t vertices) {
  return (size_t)vertices * KERNEL_STRIDE * sizeof(double);
}

// Only as they were built: which vertices a slab has, and in which order, depends on when it was put in order since.
// Sums that are taken together differ in their last bits, and these follow from the commits alone.
static bool same_vertices(const view_slab *a, const view_slab *b) {
  return a->built && b->built && a->consecutive && b->consecutive && a->vertices.count == b->vertices.count &&
         a->vertices.data[0] == b->vertices.data[0];
}

static bool list_groups(clv_views *views) {
  const clv_allocator *a = &views->allocator;
  if (!BASE_RESERVE(a, &views->groups, views->parts.count)) return false;
  views->groups.count = 0;
  for (uint32_t p = 0; p < views->parts.count; p++) {
    view_slab *slab = views->parts.data[p].slab;
    if (p && same_vertices(views->parts.data[p - 1].slab, slab)) {
      views->groups.data[views->groups.count - 1].count++;
      continue;
    }
    views->groups.data[views->groups.count++] = (view_group){p, 1};
    const size_t size = copies_size(slab->vertices.count);
    if (views->threads > 1 && slab->sums.room < size &&
        !view_memory_resize_apart(&slab->sums, a, 0, size + copies_size(VIEW_TAIL), VIEW_OUT))
      return false;
  }
  return true;
}

// The slabs to go over, in order, and the most vertices that one has.
static bool list_parts(clv_views *views, uint32_t *most) {
  const clv_allocator *a = &views->allocator;
  views->parts.count = 0;
  for (uint32_t t = 0; t < views->tables.count; t++) {
    view_table *table = &views->tables.data[t];
    if (!BASE_RESERVE(a, &views->parts, (uint64_t)views->parts.count + table->slab_count)) return false;
    for (uint32_t s = 0; s < table->slab_count; s++) {
      view_slab *slab = &table->slabs[s];
      if (!slab->vertices.count) continue;
      views->parts.data[views->parts.count++] = (view_part){table, slab};
      if (slab->vertices.count > *most) *most = slab->vertices.count;
    }
  }
  return list_groups(views);
}

// A velocity that nobody has is zero, as these are when they are made.
static bool reserve_benches(clv_views *views, uint32_t most) {
  if (most <= views->bench_room && views->bench_room) return true;
  views->bench_room = 0;
  const uint32_t room = most + most / 8 + VIEW_TAIL;
  for (uint32_t w = 0; w < views->threads; w++)
    for (uint32_t c = 0; c < VIEW_COPIES; c++)
      if ((c != VIEW_OUT || views->threads == 1) &&
          !view_memory_resize_apart(&views->benches[w].copies[c], &views->allocator, 0, copies_size(room), c))
        return false;
  views->bench_room = room;
  return true;
}

static void set_bench(const clv_views *views, view_bench *bench) {
  bench->args = (kernel_args){.params = views->params.data,
                              .pos = bench->copies[VIEW_POS].data,
                              .vel = bench->copies[VIEW_VEL].data,
                              .dpos = bench->copies[VIEW_DPOS].data,
                              .dvel = bench->copies[VIEW_DVEL].data};
}

// What stays the same from one evaluation to the next until a table changes.
static clv_result lay_out(clv_views *views) {
  uint32_t most = 0;
  const clv_result result = views_ready(views);
  if (result != CLV_OK) return result;
  if (!list_parts(views, &most) || !reserve_benches(views, most))
    return views_fail(views, CLV_ERROR_MEMORY, "out of memory: nothing was computed");
  for (uint32_t w = 0; w < views->threads; w++) set_bench(views, &views->benches[w]);
  views->slots = clv_id_slots(&views->map->view, CLV_VERTEX);
  views->laid_out = true;
  views->layouts++;
  return CLV_OK;
}

static inline const double *vertex_data(const clv_column *column) {
  return column ? (const void *)column->slots.data : NULL;
}

static inline uint32_t given(const double *const *from) {
  uint32_t bits = 0;
  for (uint32_t c = 0; c < VIEW_OUT; c++) bits |= (uint32_t)(from[c] != NULL) << c;
  return bits;
}

static inline clv_result start(clv_views *views, evaluation *e) {
  const map *m = views->map;
  if (!views->laid_out || m->open || views->revision != m->revision) {
    const clv_result result = lay_out(views);
    if (result != CLV_OK) return result;
  }
  e->views = views;
  e->from[VIEW_POS] = vertex_data(views->pos);
  e->from[VIEW_VEL] = vertex_data(views->vel);
  e->given = given(e->from);
  e->slots = views->slots;
  e->ranges = views->threads;
  return CLV_OK;
}

static clv_result add_started(const clv_views *views, evaluation *e) {
  if (views->threads == 1) {
    add_in_turn(e);
    return CLV_OK;
  }
  base_pool_run(views->pool, run_one, e, views->groups.count);
  base_pool_run(views->pool, add_range, e, e->ranges);
  return CLV_OK;
}

static clv_result add_forces(clv_views *views, evaluation *e) {
  const clv_result result = start(views, e);
  return result == CLV_OK ? add_started(views, e) : result;
}

clv_result clv_views_force(clv_views *views, double *out) {
  evaluation e = {.kinds = {KERNEL_FORCE, KERNEL_COUNT}};
  e.out = out;
  return add_forces(views, &e);
}

clv_result clv_views_force_along(clv_views *views, const double *dpos, const double *dvel, double *out) {
  evaluation e = {.from = {[VIEW_DPOS] = dpos, [VIEW_DVEL] = dvel},
                  .kinds = {dpos ? KERNEL_FORCE_DPOS : KERNEL_COUNT, dvel ? KERNEL_FORCE_DVEL : KERNEL_COUNT}};
  e.out = out;
  return add_forces(views, &e);
}

// Rows behind a batch, as arguments of their own.
static kernel_args rows_from(const view_table *table, kernel_args args, uint32_t batch, uint32_t batches) {
  const uint32_t first = batch * KERNEL_LANES, rows = batches * KERNEL_LANES;
  args.rows = args.rows - first < rows ? args.rows - first : rows;
  args.places += (size_t)batch * table->particles * KERNEL_LANES;
  args.constants += (size_t)batch * table->constants * KERNEL_LANES;
  return args;
}

// Linearising: the state is kept, and the stiffness of rows where it is costly

static void keep_stiffness(void *user, uint32_t number, uint32_t worker) {
  const evaluation *e = user;
  const view_part *part = &e->views->parts.data[number];
  const kernel *k = part->table->kernel;
  view_bench *bench = &e->views->benches[worker];
  double *packed = part->slab->stiffness.data;
  if (!k->keeps) return;
  copy_vertices(e, part, bench, 0);
  const kernel_args all = *show_slab(part->slab, bench);
  for (uint32_t batch = 0; batch * KERNEL_LANES < part->slab->rows; batch++) {
    kernel_args args = rows_from(part->table, all, batch, 1);
    args.matrix = bench->matrices.data;
    kernel_run(k, KERNEL_STIFFNESS, &args);
    kernel_pack(args.matrix, 3 * k->particles, packed + (size_t)batch * kernel_packed(k) * KERNEL_LANES);
  }
}

static bool reserve_stiffness(clv_views *views) {
  const clv_allocator *a = &views->allocator;
  size_t largest = 0;
  for (uint32_t p = 0; p < views->parts.count; p++) {
    view_slab *slab = views->parts.data[p].slab;
    const kernel *k = views->parts.data[p].table->kernel;
    if (!k->keeps) continue;
    const size_t size = (size_t)slab->capacity * kernel_packed(k) * sizeof(double);
    const size_t matrix = (size_t)9 * k->particles * k->particles * KERNEL_LANES * sizeof(double);
    if (slab->stiffness.room < size && !view_memory_resize(&slab->stiffness, a, 0, size)) return false;
    largest = matrix > largest ? matrix : largest;
  }
  for (uint32_t w = 0; w < views->threads; w++)
    if (views->benches[w].matrices.room < largest && !view_memory_resize(&views->benches[w].matrices, a, 0, largest))
      return false;
  return true;
}

static bool keep_state(clv_views *views, const evaluation *e) {
  const size_t size = (size_t)views->slots * 3 * sizeof(double);
  for (uint32_t c = VIEW_POS; c <= VIEW_VEL; c++) {
    if (!e->from[c] || !size) continue;
    if (views->state[c].room < size && !view_memory_resize(&views->state[c], &views->allocator, 0, size)) return false;
    memcpy(views->state[c].data, e->from[c], size);
  }
  return true;
}

clv_result clv_views_linearize(clv_views *views) {
  evaluation e = {.kinds = {KERNEL_STIFFNESS, KERNEL_COUNT}};
  const clv_result result = start(views, &e);
  views->linear = false;
  if (result != CLV_OK) return result;
  if (!reserve_stiffness(views) || !keep_state(views, &e))
    return views_fail(views, CLV_ERROR_MEMORY, "out of memory for the stiffness of all rows");
  base_pool_run(views->pool, keep_stiffness, &e, views->parts.count);
  views->linear = true;
  return CLV_OK;
}

clv_result clv_views_linear_force(clv_views *views, const double *dpos, const double *dvel, double *out) {
  evaluation e = {.from = {[VIEW_DPOS] = dpos, [VIEW_DVEL] = dvel},
                  .kinds = {dpos ? KERNEL_FORCE_DPOS : KERNEL_COUNT, dvel ? KERNEL_FORCE_DVEL : KERNEL_COUNT},
                  .linear = true};
  e.out = out;
  const clv_result result = start(views, &e);
  if (result != CLV_OK) return result;
  if (!views->linear)
    return views_fail(views, CLV_ERROR_ARGUMENT,
                      "the forces are not linearised, or have changed since: call clv_views_linearize");
  for (uint32_t c = VIEW_POS; c <= VIEW_VEL; c++)
    if (e.from[c]) e.from[c] = views->state[c].data;
  return add_started(views, &e);
}

// Energies

enum { ENERGY_BATCHES = 32 };

static void add_energies(void *user, uint32_t part, uint32_t worker) {
  const evaluation *e = user;
  const view_table *table = e->views->parts.data[part].table;
  view_slab *slab = e->views->parts.data[part].slab;
  slab->energy = 0;
  if (!table->site.law->energy) return;
  view_bench *bench = &e->views->benches[worker];
  copy_vertices(e, &e->views->parts.data[part], bench, 0);
  const kernel_args all = *show_slab(slab, bench);
  for (uint32_t batch = 0; batch * KERNEL_LANES < slab->rows; batch += ENERGY_BATCHES) {
    double energies[ENERGY_BATCHES * KERNEL_LANES];
    kernel_args args = rows_from(table, all, batch, ENERGY_BATCHES);
    args.energy = energies;
    kernel_run(table->kernel, KERNEL_ENERGY, &args);
    for (uint32_t k = 0; k < args.rows; k++) slab->energy += energies[k];
  }
}

clv_result clv_views_energy(clv_views *views, double *energy) {
  evaluation e = {.kinds = {KERNEL_ENERGY, KERNEL_COUNT}};
  const clv_result result = start(views, &e);
  if (result != CLV_OK) return result;
  base_pool_run(views->pool, add_energies, &e, views->parts.count);
  *energy = 0;
  for (uint32_t p = 0; p < views->parts.count; p++) *energy += views->parts.data[p].slab->energy;
  return CLV_OK;
}

// Matrices

static void tell_rows(const view_table *table, const view_slab *slab, uint32_t batch, const double *matrices,
                      double *matrix, void (*each)(void *user, const clv_element *element), void *user) {
  const uint32_t size = 9 * table->particles * table->particles, first = batch * KERNEL_LANES;
  for (uint32_t lane = 0; lane < KERNEL_LANES && first + lane < slab->rows; lane++) {
    uint32_t vertices[LAW_PARTICLES];
    for (uint32_t p = 0; p < table->particles; p++) vertices[p] = view_row_slot(table, slab, first + lane, p);
    for (uint32_t k = 0; k < size; k++) matrix[k] = matrices[k * KERNEL_LANES + lane];
    const clv_element element = {.law = table->site.law->name,
                                 .base = slab->bases.data[first + lane],
                                 .count = table->particles,
                                 .vertices = vertices,
                                 .matrix = matrix};
    each(user, &element);
  }
}

clv_result clv_views_matrix(clv_views *views, clv_matrix which, void (*each)(void *user, const clv_element *element),
                            void *user) {
  evaluation e = {.kinds = {KERNEL_COUNT, KERNEL_COUNT}};
  clv_result result = start(views, &e);
  view_memory room = {0};
  for (uint32_t p = 0; result == CLV_OK && p < views->parts.count; p++) {
    const view_table *table = views->parts.data[p].table;
    const view_slab *slab = views->parts.data[p].slab;
    if (!slab->rows || (which == CLV_DAMPING && !table->kernel->has_velocity)) continue;
    const size_t size = 9u * table->particles * table->particles;
    if (!view_memory_resize(&room, &views->allocator, 0, size * (KERNEL_LANES + 1) * sizeof(double))) {
      result = views_fail(views, CLV_ERROR_MEMORY, "out of memory for the matrix of '%s'", table->site.law->name);
      break;
    }
    double *matrices = room.data;
    copy_vertices(&e, &views->parts.data[p], views->benches, 0);
    const kernel_args all = *show_slab(slab, views->benches);
    for (uint32_t batch = 0; batch * KERNEL_LANES < slab->rows; batch++) {
      kernel_args args = rows_from(table, all, batch, 1);
      args.matrix = matrices;
      kernel_run(table->kernel, which == CLV_STIFFNESS ? KERNEL_STIFFNESS : KERNEL_DAMPING, &args);
      tell_rows(table, slab, batch, matrices, matrices + size * KERNEL_LANES, each, user);
    }
  }
  view_memory_free(&room, &views->allocator);
  return result;
}

// Matrices for those who assemble

clv_result views_current(clv_views *views) {
  evaluation e = {.kinds = {KERNEL_COUNT, KERNEL_COUNT}};
  return start(views, &e);
}

static evaluation at_present(const clv_views *views) {
  evaluation e = {.views = views, .from = {[VIEW_POS] = vertex_data(views->pos), [VIEW_VEL] = vertex_data(views->vel)}};
  e.given = given(e.from);
  return e;
}

void views_read_part(const clv_views *views, const view_part *part, uint32_t worker) {
  const evaluation e = at_present(views);
  copy_vertices(&e, part, &views->benches[worker], 0);
}

void views_batch_matrices(const clv_views *views, const view_part *part, uint32_t worker, kernel_kind kind,
                          uint32_t batch, uint32_t batches, double *matrices) {
  kernel_args args = rows_from(part->table, *show_slab(part->slab, &views->benches[worker]), batch, batches);
  args.matrix = matrices;
  kernel_run(part->table->kernel, kind, &args);
}
