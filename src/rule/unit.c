// Units: reading, arithmetic, and names for messages.

#include "rule/unit.h"

#include <math.h>
#include <stdio.h>

static const char *const part_names[LAW_UNIT_PARTS] = {"kg", "m", "s", "K"};

typedef struct named_unit {
  const char *name;
  int8_t power[LAW_UNIT_PARTS];
} named_unit;

static const named_unit units[] = {
    {"kg", {1, 0, 0, 0}}, {"m", {0, 1, 0, 0}},    {"s", {0, 0, 1, 0}},  {"K", {0, 0, 0, 1}},  {"rad", {0, 0, 0, 0}},
    {"N", {1, 1, -2, 0}}, {"Pa", {1, -1, -2, 0}}, {"J", {1, 2, -2, 0}}, {"W", {1, 2, -3, 0}},
};

// What else is common enough to be called by its name in a message.
static const named_unit compounds[] = {
    {"N/m", {1, 0, -2, 0}},   {"m/s", {0, 1, -1, 0}},   {"m/s^2", {0, 1, -2, 0}},  {"kg/m^3", {1, -3, 0, 0}},
    {"Pa*s", {1, -1, -1, 0}}, {"N*s/m", {1, 0, -1, 0}}, {"W/m^3", {1, -1, -3, 0}}, {"m^2/s^2", {0, 2, -2, 0}},
};

static int16_t clamp_power(int32_t power) {
  return (int16_t)(power > 30000 ? 30000 : power < -30000 ? -30000 : power);
}

static law_unit scale(const int8_t *power, int times) {
  law_unit unit = {0};
  for (int k = 0; k < LAW_UNIT_PARTS; k++) unit.power[k] = clamp_power(power[k] * times * LAW_UNIT_ONE);
  return unit;
}

law_unit law_unit_of(int kg, int m, int s) {
  const int8_t power[LAW_UNIT_PARTS] = {(int8_t)kg, (int8_t)m, (int8_t)s, 0};
  return scale(power, 1);
}

law_unit law_unit_read(const rule_tree *tree, const rule_tree **bad) {
  law_unit result = {0};
  if (!rule_there(tree)) return result;
  for (uint32_t k = 0; k < tree->count; k++) {
    const rule_tree *factor = tree->child[k];
    const named_unit *found = NULL;
    for (size_t u = 0; u < sizeof units / sizeof *units && !found; u++)
      if (strcmp(units[u].name, factor->name) == 0) found = &units[u];
    if (found)
      result = law_unit_multiply(result, scale(found->power, (int)factor->number));
    else if (bad && !*bad)
      *bad = factor;
  }
  return result;
}

law_unit law_unit_multiply(law_unit a, law_unit b) {
  law_unit result = {.any = a.any || b.any};
  for (int k = 0; k < LAW_UNIT_PARTS; k++) result.power[k] = clamp_power(a.power[k] + b.power[k]);
  return result;
}

law_unit law_unit_divide(law_unit a, law_unit b) {
  for (int k = 0; k < LAW_UNIT_PARTS; k++) b.power[k] = (int16_t)-b.power[k];
  b.any = false;
  return law_unit_multiply(a, b);
}

bool law_unit_raise(law_unit a, double power, law_unit *result) {
  *result = (law_unit){.any = a.any};
  for (int k = 0; k < LAW_UNIT_PARTS; k++) {
    const double raised = a.power[k] * power;
    if (!(fabs(raised) < 30000) || fabs(raised - round(raised)) > 1e-9) return false;
    result->power[k] = (int16_t)lround(raised);
  }
  return true;
}

bool law_unit_equal(law_unit a, law_unit b) {
  return a.any || b.any || memcmp(a.power, b.power, sizeof a.power) == 0;
}

bool law_unit_none(law_unit a) {
  return law_unit_equal(a, (law_unit){0});
}

static const char *find_name(law_unit unit, const named_unit *list, size_t count) {
  for (size_t u = 0; u < count; u++)
    if (memcmp(scale(list[u].power, 1).power, unit.power, sizeof unit.power) == 0) return list[u].name;
  return NULL;
}

const char *law_unit_print(law_unit unit, char text[LAW_UNIT_TEXT]) {
  if (law_unit_none(unit)) return "1";
  const char *name = find_name(unit, units, sizeof units / sizeof *units);
  if (!name) name = find_name(unit, compounds, sizeof compounds / sizeof *compounds);
  if (name) return name;
  int length = 0;
  for (int k = 0; k < LAW_UNIT_PARTS; k++) {
    const int power = unit.power[k];
    if (!power) continue;
    const char *gap = length ? " " : "";
    const size_t room = LAW_UNIT_TEXT - (size_t)length;
    if (power == LAW_UNIT_ONE)
      length += snprintf(text + length, room, "%s%s", gap, part_names[k]);
    else if (power % LAW_UNIT_ONE == 0)
      length += snprintf(text + length, room, "%s%s^%d", gap, part_names[k], power / LAW_UNIT_ONE);
    else
      length += snprintf(text + length, room, "%s%s^(%d/%d)", gap, part_names[k], power, LAW_UNIT_ONE);
  }
  return text;
}
