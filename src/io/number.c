// Real numbers as text. See number.h.

#include "io/number.h"

#include <math.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <strings.h>

bool io_locale_enter(io_locale *locale) {
  locale->c = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (locale->c == (locale_t)0) return false;
  locale->before = uselocale(locale->c);
  return true;
}

void io_locale_leave(io_locale *locale) {
  uselocale(locale->before);
  freelocale(locale->c);
}

// ---- reading --------------------------------------------------------------------------------------------------------

// A decimal number taken apart: (-1)^negative * digits * 10^exponent.
typedef struct io_decimal {
  bool negative;
  bool exact; // false when there were more digits than fit
  uint64_t digits;
  int exponent;
} io_decimal;

static bool io_is_digit(char c) {
  return c >= '0' && c <= '9';
}

// Appends digits, counting those behind a point. Returns how far it got.
static const char *io_scan_digits(const char *at, const char *end, io_decimal *decimal, int exponent_step, bool *any) {
  for (; at < end && io_is_digit(*at); at++) {
    *any = true;
    if (decimal->digits > (UINT64_MAX - 9) / 10) {
      decimal->exact = false;
      continue;
    }
    decimal->digits = decimal->digits * 10 + (uint64_t)(*at - '0');
    decimal->exponent += exponent_step;
  }
  return at;
}

static const char *io_scan_exponent(const char *at, const char *end, io_decimal *decimal) {
  if (at == end || (*at != 'e' && *at != 'E')) return at;
  at++;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at == end || !io_is_digit(*at)) return NULL;
  int exponent = 0;
  for (; at < end && io_is_digit(*at); at++) {
    if (exponent < 100000) exponent = exponent * 10 + (*at - '0');
  }
  decimal->exponent += negative ? -exponent : exponent;
  return at;
}

// false if the text is not wholly one decimal number.
static bool io_scan_decimal(const char *at, const char *end, io_decimal *decimal) {
  *decimal = (io_decimal){.exact = true};
  bool any = false;
  if (at < end && (*at == '-' || *at == '+')) decimal->negative = *at++ == '-';
  at = io_scan_digits(at, end, decimal, 0, &any);
  if (at < end && *at == '.') at = io_scan_digits(at + 1, end, decimal, -1, &any);
  return any && io_scan_exponent(at, end, decimal) == end;
}

// With digits below 2^53 and a power of ten that is a double itself, one rounding is all there is (Clinger).
static bool io_decimal_is_easy(const io_decimal *decimal) {
  return decimal->exact && decimal->digits <= (uint64_t)1 << 53 && decimal->exponent >= -22 && decimal->exponent <= 22;
}

static double io_easy_value(const io_decimal *decimal) {
  static const double powers[] = {1e0,  1e1,  1e2,  1e3,  1e4,  1e5,  1e6,  1e7,  1e8,  1e9,  1e10, 1e11,
                                  1e12, 1e13, 1e14, 1e15, 1e16, 1e17, 1e18, 1e19, 1e20, 1e21, 1e22};
  double value = (double)decimal->digits;
  value = decimal->exponent < 0 ? value / powers[-decimal->exponent] : value * powers[decimal->exponent];
  return decimal->negative ? -value : value;
}

static bool io_parse_special(const char *text, size_t size, double *value) {
  bool negative = size && text[0] == '-';
  if (size && (text[0] == '-' || text[0] == '+')) text++, size--;
  if (size == 3 && strncasecmp(text, "nan", size) == 0) {
    *value = (double)NAN;
  } else if ((size == 3 && strncasecmp(text, "inf", size) == 0) ||
             (size == 8 && strncasecmp(text, "infinity", size) == 0)) {
    *value = (double)INFINITY;
  } else {
    return false;
  }
  if (negative) *value = -*value;
  return true;
}

bool io_parse_real(const char *text, size_t size, double *value) {
  char copy[1024]; // strtod wants a terminator; no more than 767 digits can matter to a double
  if (size >= sizeof copy) return false;
  io_decimal decimal;
  if (!io_scan_decimal(text, text + size, &decimal)) return io_parse_special(text, size, value);
  if (io_decimal_is_easy(&decimal)) {
    *value = io_easy_value(&decimal);
    return true;
  }
  memcpy(copy, text, size);
  copy[size] = '\0';
  *value = strtod(copy, NULL);
  return true;
}

// ---- writing --------------------------------------------------------------------------------------------------------

static bool io_is_small_integer(double value) {
  return fabs(value) < 1e15 && value == floor(value) && !(value == 0 && signbit(value));
}

size_t io_format_real(double value, char text[IO_REAL_SIZE]) {
  if (isnan(value)) return (size_t)snprintf(text, IO_REAL_SIZE, "nan");
  if (io_is_small_integer(value)) return (size_t)snprintf(text, IO_REAL_SIZE, "%lld", (long long)value);
  size_t size = 0;
  for (int precision = 15; precision <= 17; precision++) {
    size = (size_t)snprintf(text, IO_REAL_SIZE, "%.*g", precision, value);
    double back;
    if (io_parse_real(text, size, &back) && back == value) break;
  }
  return size;
}
