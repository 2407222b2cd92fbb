// Arrays that grow: what is in them stays, what is new is as it should be, and nothing else is looked at again.

#include "base/memory.h"
#include "support/counting_allocator.h"

static void cleared_arrays_are_cleared_as_far_as_they_are_needed(void **state) {
  (void)state;
  counting_memory memory = {0};
  const clv_allocator allocator = counting_allocator(&memory); // new memory has a pattern
  BASE_ARRAY(uint32_t) array = {0};
  assert_true(BASE_RESERVE_CLEARED(&allocator, &array, 100));
  for (uint32_t k = 0; k < 100; k++) array.data[k] += k;
  assert_true(BASE_RESERVE_CLEARED(&allocator, &array, 101)); // has room for more now
  assert_true(array.count == 101 && array.capacity > 110);
  for (uint32_t k = 0; k < 100; k++) assert_int_equal(array.data[k], k);
  assert_int_equal(array.data[100], 0);
  for (uint32_t k = 101; k < array.capacity; k++) assert_int_equal(array.data[k], 0xa5a5a5a5);
  const size_t requests = memory.requests;
  assert_true(BASE_RESERVE_CLEARED(&allocator, &array, 110) && BASE_RESERVE_CLEARED(&allocator, &array, 50));
  assert_int_equal(memory.requests, requests);
  for (uint32_t k = 100; k < 110; k++) assert_int_equal(array.data[k], 0);
  memory.fail_at = memory.requests + 1;
  assert_false(BASE_RESERVE_CLEARED(&allocator, &array, 1000));
  assert_true(array.count == 110 && array.data[99] == 99);
  BASE_RELEASE(&allocator, &array);
  assert_int_equal(memory.live_bytes, 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(cleared_arrays_are_cleared_as_far_as_they_are_needed),
  };
  return cmocka_run_group_tests_name("growth", tests, NULL, NULL);
}
