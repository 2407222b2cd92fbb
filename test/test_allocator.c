// The default allocator: blocks of all sizes, resized at random by several threads, keep what was written and lie
// apart; what grows stays where it is as long as nothing lies behind it; and memory that nobody holds is the system's.

#include "cleave/base.h"

#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

// Sanitizers end a program that asks for too much, and keep what is freed for a while.
#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__)
#define WATCHED true
#else
#define WATCHED false
#endif

enum { BLOCKS = 60, ROUNDS = 6000, THREADS = 3 };

typedef struct block {
  unsigned char *data;
  size_t size;
  unsigned char mark;
} block;

static void *resize(void *p, size_t old_size, size_t new_size) {
  const clv_allocator allocator = clv_default_allocator();
  return allocator.resize(allocator.user, p, old_size, new_size);
}

static uint32_t draw(uint32_t *state) {
  *state = *state * 1664525u + 1013904223u;
  return *state >> 8;
}

// From a few bytes to two megabytes, small ones more often; sometimes nothing, which frees.
static size_t draw_size(uint32_t *state) {
  const uint32_t bits = draw(state) % 22;
  return draw(state) % 5 == 0 ? 0 : draw(state) % (1u << bits) + 1;
}

// Its first and last bytes and a few between.
static bool has_marks(const block *b, size_t size) {
  for (size_t k = 0; k < size; k += 1 + size / 61)
    if (b->data[k] != b->mark) return false;
  return size == 0 || b->data[size - 1] == b->mark;
}

static void *resize_at_random(void *user) {
  uint32_t *state = user;
  block blocks[BLOCKS] = {0};
  bool right = true;
  for (uint32_t round = 0; right && round < ROUNDS; round++) {
    block *b = &blocks[draw(state) % BLOCKS];
    const size_t size = draw_size(state), kept = size < b->size ? size : b->size;
    right &= has_marks(b, b->size);
    unsigned char *data = resize(b->data, b->size, size);
    right &= (data != NULL) == (size > 0);
    b->data = data;
    b->size = size;
    right &= has_marks(b, data ? kept : 0);
    b->mark = (unsigned char)draw(state);
    if (data) memset(data, b->mark, size);
  }
  for (uint32_t k = 0; k < BLOCKS; k++) {
    right &= has_marks(&blocks[k], blocks[k].size);
    resize(blocks[k].data, blocks[k].size, 0);
  }
  return right ? NULL : user;
}

static void blocks_keep_what_was_written(void **state) {
  (void)state;
  uint32_t seed = 1;
  assert_null(resize_at_random(&seed));
}

static void threads_may_call_at_once(void **state) {
  (void)state;
  pthread_t threads[THREADS];
  uint32_t seeds[THREADS];
  for (uint32_t k = 0; k < THREADS; k++) {
    seeds[k] = 7 + k;
    assert_int_equal(pthread_create(&threads[k], NULL, resize_at_random, &seeds[k]), 0);
  }
  for (uint32_t k = 0; k < THREADS; k++) {
    void *wrong = NULL;
    assert_int_equal(pthread_join(threads[k], &wrong), 0);
    assert_null(wrong);
  }
}

static void blocks_do_for_any_type(void **state) {
  (void)state;
  void *blocks[12];
  for (uint32_t k = 0; k < 12; k++) {
    blocks[k] = resize(NULL, 5000 * k, (size_t)17 << k); // of nothing the size does not matter
    assert_non_null(blocks[k]);
    assert_int_equal((uintptr_t)blocks[k] % _Alignof(max_align_t), 0);
  }
  for (uint32_t k = 0; k < 12; k++) assert_null(resize(blocks[k], (size_t)17 << k, 0));
}

static void too_much_is_refused(void **state) {
  (void)state;
  if (WATCHED) skip();
  unsigned char *held = resize(NULL, 0, 1 << 20);
  memset(held, 3, 1 << 20);
  assert_null(resize(NULL, 0, SIZE_MAX / 2));
  assert_null(resize(held, 1 << 20, SIZE_MAX / 2)); // and stays as it was
  for (size_t k = 0; k < 1 << 20; k += 1000) assert_int_equal(held[k], 3);
  assert_null(resize(held, 1 << 20, 0));
}

// All in all no more than the machine has, whatever the system promises: what nobody has touched counts, too.
static void more_than_there_is_is_refused(void **state) {
  (void)state;
  const size_t half = (size_t)sysconf(_SC_PHYS_PAGES) / 2 * (size_t)sysconf(_SC_PAGESIZE), part = half / 4;
  if (WATCHED) skip();
  void *one = resize(NULL, 0, half), *other = resize(NULL, 0, part);
  assert_non_null(one);
  assert_non_null(other);
  assert_null(resize(NULL, 0, half));
  assert_null(resize(other, part, half));
  assert_null(resize(one, half, 0));
  one = resize(NULL, 0, half);
  assert_non_null(one);
  assert_null(resize(one, half, 0));
  assert_null(resize(other, part, 0));
}

// Pages that this process holds.
static long resident_pages(void) {
  long whole = 0, resident = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  if (!file || fscanf(file, "%ld %ld", &whole, &resident) != 2) resident = 0;
  if (file) (void)fclose(file);
  return resident;
}

static void memory_goes_back_to_the_system(void **state) {
  (void)state;
  enum { COUNT = 40 };
  const size_t size = 5000000;
  const long before = resident_pages();
  if (WATCHED || !before) skip();
  void *blocks[COUNT];
  for (uint32_t k = 0; k < COUNT; k++) {
    blocks[k] = resize(NULL, 0, size);
    assert_non_null(blocks[k]);
    memset(blocks[k], 1, size);
  }
  assert_true(resident_pages() - before > (long)(COUNT * size / 8192));
  for (uint32_t k = 0; k < COUNT; k++) resize(blocks[k], size, 0);
  assert_true(resident_pages() - before < 129 << 8); // 129 megabytes: no more than a tract
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_keep_what_was_written),  cmocka_unit_test(threads_may_call_at_once),
      cmocka_unit_test(blocks_do_for_any_type),        cmocka_unit_test(too_much_is_refused),
      cmocka_unit_test(more_than_there_is_is_refused), cmocka_unit_test(memory_goes_back_to_the_system),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
