// The pool; thread.h tells the idea.
//
// Each thread has a word that says everything about its share of the task at hand: the task's number, where the share
// ends, and the next part to be taken. A part is taken by counting the word up, which fails when the task is another by
// now: a thread that wakes too late does no harm, and while a part is taken from a task, its caller is still waiting.

#include "base/thread.h"

#include <assert.h>
#include <pthread.h>
#include <sched.h>
#include <stdatomic.h>

enum { LOOKS = 4000, LINE = 64 }; // before a waiting thread sleeps; bytes that processors pass on together

// A word's fields.
enum { PART_BITS = 20, MOST_PARTS = (1 << PART_BITS) - 1, TASK_SHIFT = 2 * PART_BITS, TASKS = 1 << 24 };

typedef struct share {
  atomic_ullong word; // task, end, next part
  char apart[LINE - sizeof(atomic_ullong)];
} share;

struct base_pool {
  clv_allocator allocator;
  pthread_t *threads; // all but the caller's
  share *shares;      // by worker
  uint32_t count, started;
  atomic_ullong task;
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

// Takes parts of a task from a share until there are none, or it is another task's turn.
static uint32_t take_from(base_pool *pool, uint64_t task, uint32_t owner, uint32_t worker) {
  for (uint32_t taken = 0;;) {
    unsigned long long word = atomic_load_explicit(&pool->shares[owner].word, memory_order_acquire);
    base_part *part = atomic_load_explicit(&pool->part, memory_order_relaxed);
    void *user = atomic_load_explicit(&pool->user, memory_order_relaxed);
    const uint32_t next = word & MOST_PARTS, end = word >> PART_BITS & MOST_PARTS;
    if (word >> TASK_SHIFT != task || next >= end) return taken;
    if (!atomic_compare_exchange_weak_explicit(&pool->shares[owner].word, &word, word + 1, memory_order_acq_rel,
                                               memory_order_relaxed))
      continue;
    part(user, next, worker);
    taken++;
  }
}

// A worker's own share first: what it worked on the last time is in its cache. Then what others have left.
static void take_parts(base_pool *pool, uint64_t task, uint32_t worker) {
  uint32_t taken = 0;
  for (uint32_t k = 0; k <= pool->count; k++) taken += take_from(pool, task, (worker + k) % (pool->count + 1), worker);
  if (taken) atomic_fetch_add_explicit(&pool->done, taken, memory_order_release);
}

static uint64_t task_now(base_pool *pool) {
  return atomic_load_explicit(&pool->task, memory_order_acquire);
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
  if (pool->count) {
    pool->threads = base_allocate(allocator, pool->count * sizeof *pool->threads);
    pool->shares = base_allocate(allocator, threads * sizeof *pool->shares);
    if (pool->shares) memset(pool->shares, 0, threads * sizeof *pool->shares);
  }
  while (pool->threads && pool->shares && pool->started < pool->count &&
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
  base_free(&allocator, pool->shares, (pool->count + 1) * sizeof *pool->shares);
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
  const uint64_t task = (task_now(pool) + 1) % TASKS, threads = pool->count + 1;
  atomic_store_explicit(&pool->done, 0, memory_order_relaxed);
  atomic_store_explicit(&pool->part, part, memory_order_relaxed);
  atomic_store_explicit(&pool->user, user, memory_order_relaxed);
  for (uint64_t w = 0; w < threads; w++) {
    const uint64_t first = count * w / threads, end = count * (w + 1) / threads;
    atomic_store_explicit(&pool->shares[w].word, task << TASK_SHIFT | end << PART_BITS | first, memory_order_release);
  }
  atomic_store_explicit(&pool->task, task, memory_order_release);
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
