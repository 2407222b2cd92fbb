// The vocabulary: names there and back, errors that are cut rather than overrun, the default allocator.

#include "cleave/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

static void version_is_that_of_the_headers(void **state) {
  (void)state;
  assert_string_equal(clv_version(), "0.1.0");
}

static void results_have_distinct_names(void **state) {
  (void)state;
  assert_string_equal(clv_result_name(CLV_OK), "ok");
  assert_string_equal(clv_result_name(CLV_ERROR_MEMORY), "out of memory");
  for (int a = CLV_OK; a <= CLV_ERROR_INVALID; a++) {
    for (int b = CLV_OK; b < a; b++) {
      assert_string_not_equal(clv_result_name((clv_result)a), clv_result_name((clv_result)b));
    }
  }
  assert_string_equal(clv_result_name((clv_result)99), "unknown result");
}

static void errors_carry_code_and_sentence(void **state) {
  (void)state;
  clv_error error;
  assert_int_equal(clv_error_set(&error, CLV_ERROR_INPUT, "%s:%d: no such node", "a.msh", 12), CLV_ERROR_INPUT);
  assert_int_equal(error.code, CLV_ERROR_INPUT);
  assert_string_equal(error.message, "a.msh:12: no such node");
  assert_int_equal(clv_error_set(NULL, CLV_ERROR_REFUSED, "nobody listens"), CLV_ERROR_REFUSED);
}

static void long_sentences_are_cut(void **state) {
  (void)state;
  clv_error error;
  clv_error_set(&error, CLV_ERROR_INPUT, "%2000d", 1);
  assert_int_equal(strlen(error.message), sizeof error.message - 1);
}

static void default_allocator_behaves_like_realloc(void **state) {
  (void)state;
  clv_allocator allocator = clv_default_allocator();
  char *block = allocator.resize(allocator.user, NULL, 0, 4);
  assert_non_null(block);
  memcpy(block, "abc", 4);
  block = allocator.resize(allocator.user, block, 4, 4000);
  assert_non_null(block);
  assert_string_equal(block, "abc");
  assert_null(allocator.resize(allocator.user, block, 4000, 0));
  assert_null(allocator.resize(allocator.user, NULL, 0, 0));
}

static void kinds_have_names_there_and_back(void **state) {
  (void)state;
  for (int kind = CLV_NONE; kind < CLV_KIND_COUNT; kind++) {
    assert_int_equal(clv_kind_from_name(clv_kind_name((clv_kind)kind)), kind);
  }
  assert_int_equal(clv_kind_from_name("Tet"), CLV_NONE);
  assert_int_equal(clv_kind_from_name(""), CLV_NONE);
  assert_int_equal(clv_kind_from_name(NULL), CLV_NONE);
}

static void kinds_know_dimension_and_corners(void **state) {
  (void)state;
  static const int dimensions[CLV_KIND_COUNT] = {-1, 2, 2, 3, 3, 3, 3, 2, 3, 0, 1};
  static const int corners[CLV_KIND_COUNT] = {0, 3, 4, 4, 5, 6, 8, 0, 0, 1, 2};
  for (int kind = CLV_NONE; kind < CLV_KIND_COUNT; kind++) {
    assert_int_equal(clv_kind_dimension((clv_kind)kind), dimensions[kind]);
    assert_int_equal(clv_kind_corners((clv_kind)kind), corners[kind]);
  }
}

static void numbers_that_are_no_kind_read_as_none(void **state) {
  (void)state;
  assert_string_equal(clv_kind_name((clv_kind)200), "none");
  assert_int_equal(clv_kind_dimension((clv_kind)CLV_KIND_COUNT), -1);
  assert_int_equal(clv_kind_corners((clv_kind)255), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(version_is_that_of_the_headers),         cmocka_unit_test(results_have_distinct_names),
      cmocka_unit_test(errors_carry_code_and_sentence),         cmocka_unit_test(long_sentences_are_cut),
      cmocka_unit_test(default_allocator_behaves_like_realloc), cmocka_unit_test(kinds_have_names_there_and_back),
      cmocka_unit_test(kinds_know_dimension_and_corners),       cmocka_unit_test(numbers_that_are_no_kind_read_as_none),
  };
  return cmocka_run_group_tests_name("base", tests, NULL, NULL);
}
