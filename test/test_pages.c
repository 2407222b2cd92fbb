// Blocks of pages: they grow where they lie, move when they must, keep what is in them, and stand refusal.

#define _DEFAULT_SOURCE // mincore

#include "base/pages.h"
#include "cleave/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include <cmocka.h>

enum { MEGABYTE = 1 << 20 };

static void *pages_resize(void *user, void *p, size_t old_size, size_t new_size) {
  (void)user;
  return base_pages_resize(p, old_size, new_size);
}

static uint8_t pattern(size_t at) {
  return (uint8_t)(at * 7 + (at >> 8) * 13 + (at >> 16) * 31);
}

static void fill(uint8_t *block, size_t from, size_t to) {
  for (size_t k = from; k < to; k++) block[k] = pattern(k);
}

static bool is_filled(const uint8_t *block, size_t size) {
  for (size_t k = 0; k < size; k++)
    if (block[k] != pattern(k)) return false;
  return true;
}

// Resizes along a list that ends with 0, writing all of each; how often it moved.
static uint32_t walk(const clv_allocator *allocator, const size_t *sizes) {
  uint8_t *block = NULL;
  size_t size = 0;
  uint32_t moves = 0;
  do {
    uint8_t *now = allocator->resize(allocator->user, block, size, *sizes);
    moves += block && *sizes && now != block;
    assert_true((now != NULL) == (*sizes > 0));
    if (*sizes) {
      assert_true(is_filled(now, size < *sizes ? size : *sizes));
      fill(now, size < *sizes ? size : *sizes, *sizes);
      assert_true(is_filled(now, *sizes));
    }
    block = now;
    size = *sizes;
  } while (*sizes++);
  return moves;
}

static void blocks_grow_and_shrink_where_they_lie(void **state) {
  (void)state;
  const clv_allocator pages = {.resize = pages_resize};
  const size_t sizes[] = {MEGABYTE,
                          MEGABYTE + 1,
                          3 * MEGABYTE / 2,
                          3 * MEGABYTE,
                          2 * MEGABYTE,
                          12 * MEGABYTE + 5,
                          12 * MEGABYTE + 5,
                          MEGABYTE / 2,
                          1,
                          9 * MEGABYTE,
                          0};
  assert_int_equal(walk(&pages, sizes), 0);
}

static void blocks_that_outgrow_their_space_move(void **state) {
  (void)state;
  const clv_allocator pages = {.resize = pages_resize};
  const size_t sizes[] = {100, 3 * MEGABYTE, 40 * MEGABYTE, 0};
  assert_int_equal(walk(&pages, sizes), 1);
  const size_t often[] = {1, 2 * MEGABYTE, 50 * MEGABYTE, 0};
  assert_int_equal(walk(&pages, often), 2);
}

static void blocks_begin_at_lines_that_differ(void **state) {
  (void)state;
  enum { BLOCKS = 32 };
  void *blocks[BLOCKS];
  uint32_t different = 0;
  for (uint32_t k = 0; k < BLOCKS; k++) {
    blocks[k] = base_pages_resize(NULL, 0, MEGABYTE);
    assert_non_null(blocks[k]);
    assert_int_equal((uintptr_t)blocks[k] % 64, 0);
    different += k && (uintptr_t)blocks[k] % 4096 != (uintptr_t)blocks[k - 1] % 4096;
  }
  for (uint32_t k = 0; k < BLOCKS; k++) assert_null(base_pages_resize(blocks[k], MEGABYTE, 0));
  assert_true(different >= BLOCKS / 2);
}

static uint32_t resident_pages(uint8_t *block, size_t size) {
  enum { PAGES = 8 * MEGABYTE / 4096 };
  static unsigned char there[PAGES + 1];
  assert_int_equal(mincore(block - (uintptr_t)block % 4096, size, there), 0);
  uint32_t count = 0;
  for (size_t k = 0; k < (size + 4095) / 4096; k++) count += there[k] & 1u;
  return count;
}

// Room that is not written costs nothing, and what is given back is gone.
static void pages_come_when_written_and_go_when_given_back(void **state) {
  (void)state;
  uint8_t *block = base_pages_resize(NULL, 0, MEGABYTE);
  assert_non_null(block);
  fill(block, 0, MEGABYTE);
  assert_ptr_equal(base_pages_resize(block, MEGABYTE, 8 * (size_t)MEGABYTE), block);
  assert_true(resident_pages(block, 8 * (size_t)MEGABYTE) <= MEGABYTE / 4096 + 2);
  fill(block, MEGABYTE, 8 * (size_t)MEGABYTE);
  assert_true(resident_pages(block, 8 * (size_t)MEGABYTE) >= 8 * MEGABYTE / 4096 - 1);
  assert_ptr_equal(base_pages_resize(block, 8 * (size_t)MEGABYTE, MEGABYTE), block);
  assert_true(resident_pages(block, 8 * (size_t)MEGABYTE) <= (MEGABYTE + 65536) / 4096 + 2);
  assert_true(is_filled(block, MEGABYTE));
  base_pages_resize(block, MEGABYTE, 0);
}

static void sizes_that_no_system_has_are_refused(void **state) {
  (void)state;
  static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX - 4096, SIZE_MAX / 2, SIZE_MAX / 4, SIZE_MAX / 16};
  uint8_t *block = base_pages_resize(NULL, 0, MEGABYTE);
  assert_non_null(block);
  fill(block, 0, MEGABYTE);
  for (uint32_t k = 0; k < sizeof huge / sizeof *huge; k++) {
    assert_null(base_pages_resize(NULL, 0, huge[k]));
    assert_null(base_pages_resize(block, MEGABYTE, huge[k]));
  }
  assert_true(is_filled(block, MEGABYTE));
  base_pages_resize(block, MEGABYTE, 0);
}

#ifndef BASE_SANITIZED // which needs all the addresses there are

static size_t addresses_in_use(void) {
  unsigned long pages = 0;
  FILE *file = fopen("/proc/self/statm", "r");
  assert_non_null(file);
  assert_int_equal(fscanf(file, "%lu", &pages), 1);
  fclose(file);
  return (size_t)pages * 4096;
}

// Where addresses are scarce, blocks have none ahead: they move, and are refused what is not there.
static void blocks_get_along_with_few_addresses(void **state) {
  (void)state;
  struct rlimit before;
  assert_int_equal(getrlimit(RLIMIT_AS, &before), 0);
  const struct rlimit tight = {.rlim_cur = addresses_in_use() + 12 * (size_t)MEGABYTE, .rlim_max = before.rlim_max};
  assert_int_equal(setrlimit(RLIMIT_AS, &tight), 0);
  uint8_t *block = base_pages_resize(NULL, 0, MEGABYTE), *grown = NULL, *refused = NULL;
  if (block) fill(block, 0, MEGABYTE);
  if (block) grown = base_pages_resize(block, MEGABYTE, 4 * (size_t)MEGABYTE);
  if (grown) refused = base_pages_resize(grown, 4 * (size_t)MEGABYTE, 11 * (size_t)MEGABYTE);
  assert_int_equal(setrlimit(RLIMIT_AS, &before), 0);
  assert_non_null(block);
  assert_non_null(grown);
  assert_true(grown != block);
  assert_null(refused);
  assert_true(is_filled(grown, MEGABYTE));
  fill(grown, 0, 4 * (size_t)MEGABYTE);
  base_pages_resize(grown, 4 * (size_t)MEGABYTE, 0);
}

static void large_blocks_of_the_default_allocator_are_pages(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  const size_t sizes[] = {BASE_PAGED, 2 * BASE_PAGED, 3 * BASE_PAGED, 8 * BASE_PAGED, 0};
  assert_int_equal(walk(&allocator, sizes), 0);
}

#endif

static void the_default_allocator_goes_from_small_to_large_and_back(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  const size_t sizes[] = {10,           1000,         MEGABYTE - 1, MEGABYTE, 5 * MEGABYTE, MEGABYTE - 1,
                          2 * MEGABYTE, 3 * MEGABYTE, MEGABYTE + 1, 20,       400000,       0};
  walk(&allocator, sizes);
  uint8_t *block = allocator.resize(allocator.user, NULL, 0, 100);
  assert_non_null(block);
  fill(block, 0, 100);
#ifndef BASE_SANITIZED // which ends the program
  assert_null(allocator.resize(allocator.user, block, 100, SIZE_MAX / 3));
#endif
  assert_true(is_filled(block, 100));
  assert_null(allocator.resize(allocator.user, block, 100, 0));
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(blocks_grow_and_shrink_where_they_lie),
      cmocka_unit_test(blocks_that_outgrow_their_space_move),
      cmocka_unit_test(blocks_begin_at_lines_that_differ),
      cmocka_unit_test(pages_come_when_written_and_go_when_given_back),
      cmocka_unit_test(sizes_that_no_system_has_are_refused),
#ifndef BASE_SANITIZED
      cmocka_unit_test(blocks_get_along_with_few_addresses),
      cmocka_unit_test(large_blocks_of_the_default_allocator_are_pages),
#endif
      cmocka_unit_test(the_default_allocator_goes_from_small_to_large_and_back),
  };
  return cmocka_run_group_tests_name("pages", tests, NULL, NULL);
}
