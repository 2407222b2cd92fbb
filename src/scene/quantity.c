// The letters are looked at before strtod sees them: it would also take hexadecimals, "infinity" and what the locale
// likes. See quantity.h.

#include "scene/quantity.h"

#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { UNITS = 8 };

static const scene_unit units[SCENE_QUANTITY_COUNT][UNITS] = {
    [SCENE_LENGTH] = {{"m", 1}, {"cm", 1e-2}, {"mm", 1e-3}, {"um", 1e-6}, {"km", 1e3}},
    [SCENE_TIME] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}},
    [SCENE_RATE] = {{"1/s", 1}, {"1/ms", 1e3}},
    [SCENE_FORCE] = {{"N", 1}, {"mN", 1e-3}, {"kN", 1e3}},
    [SCENE_ENERGY] = {{"J", 1}, {"mJ", 1e-3}, {"uJ", 1e-6}, {"N m", 1}},
    [SCENE_PRESSURE] = {{"Pa", 1}, {"kPa", 1e3}, {"MPa", 1e6}, {"GPa", 1e9}, {"N/m^2", 1}, {"N/mm^2", 1e6}},
    [SCENE_VISCOSITY] = {{"Pa s", 1}, {"mPa s", 1e-3}, {"kPa s", 1e3}},
    [SCENE_DENSITY] = {{"kg/m^3", 1}, {"g/cm^3", 1e3}, {"kg/l", 1e3}},
    [SCENE_ACCELERATION] = {{"m/s^2", 1}, {"cm/s^2", 1e-2}, {"mm/s^2", 1e-3}},
    [SCENE_SPRING] = {{"N/m", 1}, {"N/mm", 1e3}, {"kN/m", 1e3}},
};

const scene_unit *scene_unit_list(scene_quantity quantity, uint32_t i) {
  return i < UNITS && units[quantity][i].name ? &units[quantity][i] : NULL;
}

const char *scene_unit_name(scene_quantity quantity) {
  const char *name = units[quantity][0].name;
  return name ? name : "";
}

// The length of a decimal number at the beginning of a text: [+-] digits [. digits] [e [+-] digits], with a digit on
// one side of the point at least.
static size_t number_length(const char *text) {
  static const char digits[] = "0123456789";
  size_t at = text[0] == '+' || text[0] == '-';
  const size_t before = strspn(text + at, digits);
  at += before;
  size_t behind = 0;
  if (text[at] == '.') {
    behind = strspn(text + at + 1, digits);
    at += 1 + behind;
  }
  if (before + behind == 0) return 0;
  if (text[at] == 'e' || text[at] == 'E') {
    const size_t sign = text[at + 1] == '+' || text[at + 1] == '-';
    const size_t power = strspn(text + at + 1 + sign, digits);
    if (power) at += 1 + sign + power;
  }
  return at;
}

static double read_decimal(const char *text, size_t length) {
  enum { LONGEST = 400 };
  char copy[LONGEST + 1];
  if (length > LONGEST) return NAN;
  memcpy(copy, text, length);
  copy[length] = '\0';
  char *point = strchr(copy, '.');
  if (point) *point = *localeconv()->decimal_point;
  return strtod(copy, NULL);
}

static bool is_not_finite(const char *text) {
  static const char *const words[] = {"nan", "inf", "infinity"};
  text += *text == '+' || *text == '-';
  text += *text == '.';
  for (size_t w = 0; w < sizeof words / sizeof *words; w++) {
    const size_t length = strlen(words[w]);
    size_t same = 0;
    while (same < length && (text[same] | 0x20) == words[w][same]) same++;
    if (same == length && !text[length]) return true;
  }
  return false;
}

scene_number scene_quantity_read(const char *text, scene_quantity quantity, double *value) {
  const size_t length = number_length(text);
  if (length == 0) return is_not_finite(text) ? SCENE_IS_NOT_FINITE : SCENE_IS_NONE;
  const double number = read_decimal(text, length);
  if (!isfinite(number)) return SCENE_IS_NOT_FINITE;
  const char *unit = text + length + strspn(text + length, " ");
  double factor = 1;
  if (*unit) {
    const scene_unit *found = NULL;
    for (uint32_t i = 0; (found = scene_unit_list(quantity, i)) && strcmp(found->name, unit) != 0;) i++;
    if (!found) return SCENE_IS_WRONG_UNIT;
    factor = found->factor;
  }
  // 2 mm is the double nearest to 0.002, which 2 * 1e-3 need not be.
  const double divisor = 1 / factor;
  *value = factor < 1 ? number / nearbyint(divisor) : number * factor;
  return isfinite(*value) ? SCENE_IS_NUMBER : SCENE_IS_NOT_FINITE;
}

scene_real scene_real_show(double value) {
  scene_real shown;
  for (int digits = 6; digits <= 17; digits++) {
    snprintf(shown.text, sizeof shown.text, "%.*g", digits, value);
    if (strtod(shown.text, NULL) == value) break;
  }
  char *point = strchr(shown.text, *localeconv()->decimal_point);
  if (point) *point = '.';
  return shown;
}
