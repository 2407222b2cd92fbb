// The pool; thread.h tells the idea.
//
// One word says everything about the task at hand: its number, how many parts it has, and the next to be taken. A part
// is taken by counting the word up, which fails when the task is another by now: a thread that wakes too late does no
// harm, and while a part is taken from a task, its caller is still waiting.

#include "base/thread.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LOOKS = 4000 }; // before a waiting thread sleeps

// The ticket's fields.
enum { PART_BITS = 20, MOST_PARTS = (1 << PART_BITS) - 1, TASK_SHIFT = 2 * PART_BITS, TASKS = 1 << 24 };

struct base_pool {
  clv_allocator allocator;
  pthread_t *threads; // all but the caller's
  uint32_t count, started;
  atomic_ullong ticket; // task, parts, next part
  _Atomic(base_part *) part;
  _Atomic(void *) user;
  atomic_uint done, workers;
  atomic_bool stop;
  pthread_mutex_t mutex;
  pthread_cond_t wake;
};

static inline void relax(void) {
#if defined(__x86_64__) || defined(__i386__)
  __builtin_ia32_pause();
#endif
}

// Takes parts of a task until there are none, or it is another task's turn.
static void take_parts(base_pool *pool, uint64_t task, uint32_t worker) {
  for (;;) {
    unsigned long long ticket = atomic_load_explicit(&pool->ticket, memory_order_acquire);
    base_part *part = atomic_load_explicit(&pool->part, memory_order_relaxed);
    void *user = atomic_load_explicit(&pool->user, memory_order_relaxed);
    const uint32_t next = ticket & MOST_PARTS, parts = ticket >> PART_BITS & MOST_PARTS;
    if (ticket >> TASK_SHIFT != task || next >= parts) return;
    if (!atomic_compare_exchange_weak_explicit(&pool->ticket, &ticket, ticket + 1, memory_order_acq_rel,
                                               memory_order_relaxed))
      continue;
    part(user, next, worker);
    atomic_fetch_add_explicit(&pool->done, 1, memory_order_release);
  }
}

static uint64_t task_now(base_pool *pool) {
  return atomic_load_explicit(&pool->ticket, memory_order_acquire) >> TASK_SHIFT;
}

// Waits for another task than `last`; returns its number, or `last` when the pool ends.
static uint64_t wait_for_task(base_pool *pool, uint64_t last) {
  for (uint32_t k = 0; k < LOOKS; k++) {
    if (task_now(pool) != last || atomic_load(&pool->stop)) return task_now(pool);
    relax();
  }
  pthread_mutex_lock(&pool->mutex);
  while (task_now(pool) == last && !atomic_load(&pool->stop)) pthread_cond_wait(&pool->wake, &pool->mutex);
  pthread_mutex_unlock(&pool->mutex);
  return task_now(pool);
}

static void *work(void *user) {
  base_pool *pool = user;
  const uint32_t worker = 1 + atomic_fetch_add(&pool->workers, 1);
  uint64_t task = 0;
  for (;;) {
    const uint64_t next = wait_for_task(pool, task);
    if (atomic_load(&pool->stop)) return NULL;
    task = next;
    take_parts(pool, task, worker);
  }
}

base_pool *base_pool_create(const clv_allocator *allocator, uint32_t threads) {
  base_pool *pool = base_allocate(allocator, sizeof *pool);
  if (!pool) return NULL;
  memset(pool, 0, sizeof *pool);
  pool->allocator = *allocator;
  pool->count = threads > 1 ? threads - 1 : 0;
  pthread_mutex_init(&pool->mutex, NULL);
  pthread_cond_init(&pool->wake, NULL);
  if (pool->count) pool->threads = base_allocate(allocator, pool->count * sizeof *pool->threads);
  while (pool->threads && pool->started < pool->count &&
         pthread_create(&pool->threads[pool->started], NULL, work, pool) == 0)
    pool->started++;
  if (pool->started == pool->count) return pool;
  base_pool_destroy(pool);
  return NULL;
}

void base_pool_destroy(base_pool *pool) {
  if (!pool) return;
  pthread_mutex_lock(&pool->mutex);
  atomic_store(&pool->stop, true);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  for (uint32_t k = 0; k < pool->started; k++) pthread_join(pool->threads[k], NULL);
  pthread_cond_destroy(&pool->wake);
  pthread_mutex_destroy(&pool->mutex);
  const clv_allocator allocator = pool->allocator;
  base_free(&allocator, pool->threads, pool->count * sizeof *pool->threads);
  base_free(&allocator, pool, sizeof *pool);
}

uint32_t base_pool_threads(const base_pool *pool) {
  return pool ? pool->count + 1 : 1;
}

void base_pool_run(base_pool *pool, base_part *part, void *user, uint32_t count) {
  if (!pool || !pool->count || count < 2) {
    for (uint32_t k = 0; k < count; k++) part(user, k, 0);
    return;
  }
  assert(count <= MOST_PARTS);
  const uint64_t task = (task_now(pool) + 1) % TASKS;
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->part, part, memory_order_relaxed);
  atomic_store_explicit(&pool->user, user, memory_order_relaxed);
  atomic_store_explicit(&pool->ticket, task << TASK_SHIFT | (uint64_t)count << PART_BITS, memory_order_release);
  pthread_mutex_lock(&pool->mutex);
  pthread_cond_broadcast(&pool->wake);
  pthread_mutex_unlock(&pool->mutex);
  take_parts(pool, task, 0);
  for (uint32_t k = 0; atomic_load_explicit(&pool->done, memory_order_acquire) < count; k++) {
    if (k < LOOKS)
      relax();
    else
      sched_yield();
  }
}
