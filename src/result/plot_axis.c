// Axes. See plot_axis.h.

#include "result/plot_axis.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { MOST_NUMBERS = 24, MOST_DECIMALS = 12 };

// The step of the form 1, 2, 5 times a power of ten that gives at most about `wanted` numbers.
static double nice_step(double range, uint32_t wanted) {
  const double raw = range / wanted, magnitude = pow(10, floor(log10(raw)));
  const double part = raw / magnitude;
  const double step = part <= 1.0001 ? 1 : part <= 2.0001 ? 2 : part <= 5.0001 ? 5 : 10;
  return step * magnitude;
}

// Equal numbers, or numbers that differ by rounding alone, need some room about them.
static void widen(double *least, double *greatest) {
  const double size = fmax(fabs(*least), fabs(*greatest));
  if (*greatest - *least > 1e-12 * size && *greatest - *least > 1e-300) return;
  const double middle = 0.5 * (*least + *greatest), room = size > 1e-290 ? 0.1 * size : 1;
  *least = middle - room;
  *greatest = middle + room;
}

// Thousands: kilo, milli ... None for numbers that are easily read.
static int power_for(double size) {
  if (size <= 0 || (size >= 0.0999 && size < 9999)) return 0;
  return 3 * (int)floor(log10(size * 1.0001) / 3);
}

result_axis result_axis_over(double least, double greatest, uint32_t wanted, result_fit fit) {
  widen(&least, &greatest);
  result_axis axis = {.step = nice_step(greatest - least, wanted)};
  const double slack = 1e-9 * axis.step;
  if (fit == RESULT_WIDE) {
    least = axis.step * floor((least + slack) / axis.step);
    greatest = axis.step * ceil((greatest - slack) / axis.step);
  }
  axis.least = least;
  axis.greatest = greatest;
  axis.first = axis.step * ceil((least - slack) / axis.step);
  const double count = floor((greatest + slack - axis.first) / axis.step) + 1;
  axis.count = count < 0 ? 0 : count > MOST_NUMBERS ? MOST_NUMBERS : (uint32_t)count;
  axis.power = power_for(fmax(fabs(least), fabs(greatest)));
  axis.scale = pow(10, axis.power);
  const int decimals = (int)-floor(log10(axis.step / axis.scale) + 1e-9);
  axis.decimals = decimals < 0 ? 0 : decimals > MOST_DECIMALS ? MOST_DECIMALS : decimals;
  return axis;
}

double result_axis_number(const result_axis *axis, uint32_t k) {
  const double value = axis->first + k * axis->step;
  return fabs(value) < 1e-9 * axis->step ? 0 : value;
}

void result_axis_text(const result_axis *axis, double value, char text[RESULT_LABEL_SIZE]) {
  char digits[RESULT_LABEL_SIZE];
  snprintf(digits, sizeof digits, "%.*f", axis->decimals, fabs(value) / axis->scale);
  // The point is a point in every locale.
  for (char *c = digits; *c; c++) {
    if (*c == ',') *c = '.';
  }
  snprintf(text, RESULT_LABEL_SIZE, "%s%.60s", value < 0 ? "\u2212" : "", digits);
}

// "m" for 10^-3; NULL where there is no letter, or where the unit takes none.
static const char *prefix_of(int power, const char *unit) {
  static const char *const letters[] = {"p", "n", "\u00b5", "m", "", "k", "M", "G", "T"};
  static const char *const simple[] = {"s", "J", "N", "m", "m/s", "Pa"};
  if (power < -12 || power > 12) return NULL;
  for (size_t k = 0; k < sizeof simple / sizeof *simple; k++) {
    if (strcmp(unit, simple[k]) == 0) return letters[power / 3 + 4];
  }
  return NULL;
}

static void put_power(int power, char text[RESULT_LABEL_SIZE]) {
  static const char *const raised[] = {"\u2070", "\u00b9", "\u00b2", "\u00b3", "\u2074",
                                       "\u2075", "\u2076", "\u2077", "\u2078", "\u2079"};
  char digits[16];
  snprintf(digits, sizeof digits, "%d", power);
  size_t at = (size_t)snprintf(text, RESULT_LABEL_SIZE, "10");
  for (const char *c = digits; *c; c++) {
    const char *mark = *c == '-' ? "\u207b" : raised[*c - '0'];
    at += (size_t)snprintf(text + at, RESULT_LABEL_SIZE - at, "%s", mark);
  }
}

void result_axis_title(const result_axis *axis, const char *what, const char *unit, char text[RESULT_LABEL_SIZE]) {
  char power[RESULT_LABEL_SIZE] = "";
  const char *prefix = axis->power ? prefix_of(axis->power, unit) : "";
  if (!prefix) put_power(axis->power, power);
  if (!*unit && !*power) {
    snprintf(text, RESULT_LABEL_SIZE, "%.60s", what);
  } else {
    snprintf(text, RESULT_LABEL_SIZE, "%.24s (%.20s%s%s%.12s)", what, power, *power && *unit ? " " : "",
             prefix ? prefix : "", unit);
  }
}
