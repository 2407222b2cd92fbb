// The parts that formats are made of: numbers as text, base64, tags, zlib.

#include "io/base64.h"
#include "io/number.h"
#include "io/tags.h"
#include "io/zip.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static uint64_t next_random(uint64_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 7;
  *seed ^= *seed << 17;
  return *seed;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

static double parsed(const char *text) {
  double value = 0;
  if (!io_parse_real(text, strlen(text), &value)) fail_msg("'%s' is not read", text);
  return value;
}

// The C library is the oracle: it is exact, and these tests run in the "C" locale.
static void test_reals_are_read_as_the_c_library_reads_them(void **state) {
  (void)state;
  static const char *const texts[] = {"0",
                                      "-0",
                                      "1",
                                      "+1.5",
                                      ".5",
                                      "5.",
                                      "1e5",
                                      "1E+5",
                                      "1e-5",
                                      "123456789012345678901234567890",
                                      "0.1",
                                      "1e22",
                                      "1e23",
                                      "1e-22",
                                      "1e-23",
                                      "9007199254740992",
                                      "9007199254740993",
                                      "9007199254740993e-3",
                                      "1e308",
                                      "1e309",
                                      "1e-320",
                                      "1e-400",
                                      "2.2250738585072011e-308",
                                      "1.7976931348623159e308",
                                      "4.9e-324",
                                      "0.000000000000000000000000000000000000001",
                                      "1e99999999999999999999",
                                      "-1e-99999999999999999999",
                                      "8.5e0",
                                      "00012.5",
                                      "179769313486231580793728971405301e276"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value = parsed(texts[i]), expected = strtod(texts[i], NULL);
    assert_memory_equal(&value, &expected, sizeof value);
  }
}

static void test_special_reals(void **state) {
  (void)state;
  assert_true(parsed("inf") > 1e308 && parsed("+Infinity") > 1e308 && parsed("-INF") < -1e308);
  double nan = parsed("NaN"), minus_nan = parsed("-nan");
  assert_true(nan != nan && minus_nan != minus_nan);
}

static void test_what_is_no_real(void **state) {
  (void)state;
  static const char *const texts[] = {"",   "-",   ".",    "e5", "1e", "1e+", "0x10", "1,5",   "1.2.3",
                                      "1 ", "--1", "nano", "in", "1f", "1d5", "1_0",  "1e5.0", "infinit"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    double value;
    if (io_parse_real(texts[i], strlen(texts[i]), &value)) fail_msg("'%s' is read", texts[i]);
  }
  char digits[2000];
  memset(digits, '1', sizeof digits);
  double value;
  assert_false(io_parse_real(digits, sizeof digits, &value));
}

static void test_every_double_comes_back(void **state) {
  (void)state;
  uint64_t seed = 88172645463325252u;
  for (int i = 0; i < 100000; i++) {
    uint64_t bits = next_random(&seed);
    double value, back;
    memcpy(&value, &bits, sizeof value);
    if (value != value) continue;
    if (i % 2) value = (double)(bits % 1000000) / 1000; // the usual numbers of files
    char text[IO_REAL_SIZE];
    size_t size = io_format_real(value, text);
    assert_int_equal(size, strlen(text));
    assert_true(io_parse_real(text, size, &back));
    assert_memory_equal(&value, &back, sizeof value);
  }
}

static void test_reals_are_written_short(void **state) {
  (void)state;
  static const struct {
    double value;
    const char *text;
  } cases[] = {{0, "0"},   {-0.0, "-0"},    {0.1, "0.1"},
               {-3, "-3"}, {1e20, "1e+20"}, {0.30000000000000004, "0.30000000000000004"}};
  for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
    char text[IO_REAL_SIZE];
    io_format_real(cases[i].value, text);
    assert_string_equal(text, cases[i].text);
  }
}

// ---- base64 ---------------------------------------------------------------------------------------------------------

static void test_base64_both_ways(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"", ""},
                                         {"f", "Zg=="},
                                         {"fo", "Zm8="},
                                         {"foo", "Zm9v"},
                                         {"foob", "Zm9vYg=="},
                                         {"fooba", "Zm9vYmE="},
                                         {"foobar", "Zm9vYmFy"},
                                         {"\xff\xfe\xfb", "//77"}};
  clv_allocator allocator = clv_default_allocator();
  for (size_t i = 0; i < sizeof pairs / sizeof *pairs; i++) {
    io_writer w;
    io_writer_open(&w, &allocator, "x", NULL);
    io_base64_write(&w, pairs[i][0], strlen(pairs[i][0]));
    assert_int_equal(w.size, strlen(pairs[i][1]));
    if (w.size) assert_memory_equal(w.data, pairs[i][1], w.size);
    char back[16];
    io_base64 stream = {.at = pairs[i][1], .end = pairs[i][1] + strlen(pairs[i][1])};
    for (size_t byte = 0; byte < strlen(pairs[i][0]); byte++) assert_true(io_base64_read(&stream, back + byte, 1));
    assert_memory_equal(back, pairs[i][0], strlen(pairs[i][0]));
    assert_false(io_base64_read(&stream, back, 1));
    io_writer_close(&w);
  }
}

static void test_what_is_no_base64(void **state) {
  (void)state;
  static const char *const texts[] = {"Z", "Zg=", "Z===", "====", "Zg=v", "Zm9*", "<"};
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++) {
    char byte;
    io_base64 stream = {.at = texts[i], .end = texts[i] + strlen(texts[i])};
    assert_false(io_base64_read(&stream, &byte, 1));
  }
}

// ---- tags -----------------------------------------------------------------------------------------------------------

static void test_tags_are_found_in_any_order(void **state) {
  (void)state;
  enum { COUNT = 1000 };
  uint64_t seed = 1;
  io_tag entries[COUNT] = {{0, 0}};
  for (int dense = 0; dense < 2; dense++) {
    io_tags tags = {entries, 0};
    int64_t given[COUNT];
    for (uint32_t i = 0; i < COUNT; i++) {
      given[i] = dense ? (int64_t)i - 500 : (int64_t)next_random(&seed);
      io_tags_add(&tags, given[i], i);
    }
    io_tags_sort(&tags);
    assert_null(io_tags_find_twin(&tags));
    for (uint32_t i = 0; i < COUNT; i++) assert_int_equal(io_tags_find(&tags, given[i])->index, i);
    assert_null(io_tags_find(&tags, 500));
    assert_null(io_tags_find(&tags, INT64_MIN));
    assert_null(io_tags_find(&tags, INT64_MAX));
  }
}

static void test_equal_tags_are_noticed(void **state) {
  (void)state;
  io_tag entries[4] = {{0, 0}};
  io_tags tags = {entries, 0};
  assert_null(io_tags_find(&tags, 0));
  assert_null(io_tags_find_twin(&tags));
  static const int64_t given[] = {5, -1, 9, -1};
  for (uint32_t i = 0; i < 4; i++) io_tags_add(&tags, given[i], i);
  io_tags_sort(&tags);
  assert_int_equal(io_tags_find_twin(&tags)->tag, -1);
}

// ---- zlib -----------------------------------------------------------------------------------------------------------

static void test_zlib_both_ways(void **state) {
  (void)state;
  clv_allocator allocator = clv_default_allocator();
  char bytes[10000], back[10000];
  for (size_t i = 0; i < sizeof bytes; i++) bytes[i] = (char)(i * i >> 5);
  io_writer w;
  io_writer_open(&w, &allocator, "x", NULL);
  size_t packed = io_zip(&w, bytes, sizeof bytes);
  assert_true(packed > 0 && packed == w.size && packed < sizeof bytes);
  assert_int_equal(io_unzip(&allocator, w.data, packed, back, sizeof back), CLV_OK);
  assert_memory_equal(bytes, back, sizeof back);
  assert_int_equal(io_unzip(&allocator, w.data, packed, back, sizeof back - 1), CLV_ERROR_INPUT);
  assert_int_equal(io_unzip(&allocator, w.data, packed - 1, back, sizeof back), CLV_ERROR_INPUT);
  w.data[packed / 2] ^= 1;
  assert_int_equal(io_unzip(&allocator, w.data, packed, back, sizeof back), CLV_ERROR_INPUT);
  io_writer_close(&w);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_reals_are_read_as_the_c_library_reads_them),
      cmocka_unit_test(test_special_reals),
      cmocka_unit_test(test_what_is_no_real),
      cmocka_unit_test(test_every_double_comes_back),
      cmocka_unit_test(test_reals_are_written_short),
      cmocka_unit_test(test_base64_both_ways),
      cmocka_unit_test(test_what_is_no_base64),
      cmocka_unit_test(test_tags_are_found_in_any_order),
      cmocka_unit_test(test_equal_tags_are_noticed),
      cmocka_unit_test(test_zlib_both_ways),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
