// The pool of threads: every part is done once, by a worker that has a name of its own.

#include "base/thread.h"
#include "support/counting_allocator.h"

#include <sched.h>
#include <stdatomic.h>
#include <time.h>

enum { PARTS = 1000, WORKERS = 4 };

typedef struct tally {
  atomic_uint done[PARTS];
  atomic_uint busy[WORKERS]; // no two parts at once by one worker
  atomic_bool wrong;
} tally;

static void count_part(void *user, uint32_t part, uint32_t worker) {
  tally *t = user;
  if (worker >= WORKERS || atomic_fetch_add(&t->busy[worker], 1) != 0) atomic_store(&t->wrong, true);
  atomic_fetch_add(&t->done[part], 1);
  if (worker < WORKERS) atomic_fetch_sub(&t->busy[worker], 1);
}

static void run_and_check(base_pool *pool, uint32_t parts) {
  tally t = {0};
  base_pool_run(pool, count_part, &t, parts);
  assert_false(atomic_load(&t.wrong));
  for (uint32_t k = 0; k < PARTS; k++) assert_int_equal(atomic_load(&t.done[k]), k < parts ? 1 : 0);
}

static void every_part_is_done_once(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  for (uint32_t threads = 1; threads <= WORKERS; threads++) {
    base_pool *pool = base_pool_create(&allocator, threads);
    assert_non_null(pool);
    assert_int_equal(base_pool_threads(pool), threads);
    for (uint32_t parts = 0; parts <= 20; parts++) run_and_check(pool, parts);
    for (uint32_t k = 0; k < 200; k++) run_and_check(pool, 1 + k % 7); // in quick succession
    run_and_check(pool, PARTS);
    base_pool_destroy(pool);
  }
  run_and_check(NULL, PARTS);
  assert_int_equal(base_pool_threads(NULL), 1);
  base_pool_destroy(NULL);
}

typedef struct delay {
  uint32_t parts;
  atomic_uint others; // parts that are done, but for the first
  bool helped;
} delay;

// The first part goes on when all others are done, those of its own worker's share among them.
static void wait_in_first(void *user, uint32_t part, uint32_t worker) {
  delay *d = user;
  (void)worker;
  if (part) {
    atomic_fetch_add(&d->others, 1);
    return;
  }
  const time_t start = time(NULL);
  while (atomic_load(&d->others) + 1 < d->parts && time(NULL) < start + 60) sched_yield();
  d->helped = atomic_load(&d->others) + 1 == d->parts;
}

static void a_share_that_waits_is_done_by_others(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  for (uint32_t threads = 2; threads <= WORKERS; threads++) {
    base_pool *pool = base_pool_create(&allocator, threads);
    assert_non_null(pool);
    delay d = {.parts = 40};
    base_pool_run(pool, wait_in_first, &d, d.parts);
    assert_true(d.helped);
    base_pool_destroy(pool);
  }
}

static void lack_of_memory_is_told(void **state) {
  (void)state;
  for (size_t fail_at = 1; fail_at <= 3; fail_at++) {
    counting_memory memory = {.fail_at = fail_at};
    const clv_allocator allocator = counting_allocator(&memory);
    assert_null(base_pool_create(&allocator, 3));
    assert_int_equal(memory.live_bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {cmocka_unit_test(every_part_is_done_once),
                                     cmocka_unit_test(a_share_that_waits_is_done_by_others),
                                     cmocka_unit_test(lack_of_memory_is_told)};
  return cmocka_run_group_tests(tests, NULL, NULL);
}
