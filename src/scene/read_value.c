// Single values: numbers, words, vectors, paths. See read.h.

#include "scene/nearest.h"
#include "scene/read.h"

#include <math.h>
#include <stdio.h>

// ---- what is expected ---------------------------------------------------------------------------

static const char *const type_words[SCENE_TYPE_COUNT] = {
    [SCENE_REAL] = "a number",
    [SCENE_WHOLE] = "a whole number",
    [SCENE_BOOL] = "true or false",
    [SCENE_TEXT] = "a text",
    [SCENE_TEXTS] = "a text or a list of texts",
    [SCENE_WORD] = "a word",
    [SCENE_WORDS] = "a list of words",
    [SCENE_AXES] = "letters out of 'xyz'",
    [SCENE_VECTOR] = "a list of three numbers",
    [SCENE_EXTENT] = "a list of two or three numbers",
    [SCENE_COUNTS] = "a list of two or three whole numbers",
    [SCENE_CORNERS] = "two corners, [[x, y, z], [x, y, z]]",
    [SCENE_SEGMENT] = "two points, [[x, y, z], [x, y, z]]",
    [SCENE_POINTS] = "a list of points, [[x, y, z], ...]",
    [SCENE_PATH] = "a list of times and values, [[t, [x, y, z]], ...]",
    [SCENE_REGION] = "the name or the tag of a region",
    [SCENE_PARAMETERS] = "names with numbers, {name: value}",
    [SCENE_GROUP] = "a mapping",
    [SCENE_LIST] = "a list of mappings",
    [SCENE_NAMED] = "names with mappings",
};

scene_phrase scene_describe_type(const scene_key *key) {
  scene_phrase phrase;
  const char *unit = scene_unit_name(key->quantity);
  snprintf(phrase.text, sizeof phrase.text, "%s%s%s%s%s%s%s", type_words[key->type], *unit ? " (in " : "", unit,
           *unit ? ")" : "", key->special ? " or '" : "", key->special ? key->special : "", key->special ? "'" : "");
  return phrase;
}

static bool has_range(const scene_range *range) {
  return range->least != 0 || range->greatest != 0;
}

scene_phrase scene_describe_range(const scene_key *key) {
  scene_phrase phrase = {""};
  const scene_range *range = &key->range;
  if (!has_range(range)) return phrase;
  const scene_real least = scene_real_show(range->least), greatest = scene_real_show(range->greatest);
  if (range->least == range->greatest) {
    snprintf(phrase.text, sizeof phrase.text, "%s", least.text);
  } else if (!(range->greatest < UINT32_MAX)) {
    snprintf(phrase.text, sizeof phrase.text, "%s %s", range->above ? "above" : "at least", least.text);
  } else {
    snprintf(phrase.text, sizeof phrase.text, "%s %s and %s %s", range->above ? "above" : "at least", least.text,
             range->below ? "below" : "at most", greatest.text);
  }
  return phrase;
}

scene_phrase scene_describe_words(const scene_key *key) {
  scene_phrase phrase = {""};
  size_t at = 0;
  const char *word;
  for (uint32_t i = 0; (word = key->word(i)) && at < sizeof phrase.text; i++) {
    at += (size_t)snprintf(phrase.text + at, sizeof phrase.text - at, "%s%s", i ? ", " : "", word);
  }
  return phrase;
}

static bool wrong_type(const scene_reader *r, const scene_key *key, const scene_node *node) {
  return scene_fail(r, node, "'%s' must be %s, not %s", key->name, scene_describe_type(key).text,
                    scene_node_show(node).text);
}

// ---- numbers ------------------------------------------------------------------------------------

static bool wrong_unit(const scene_reader *r, const scene_key *key, scene_quantity quantity, const scene_node *node) {
  if (quantity == SCENE_NUMBER) {
    return scene_fail(r, node, "'%s' is a number without a unit, not %s", key->name, scene_node_show(node).text);
  }
  scene_phrase list = {""};
  size_t at = 0;
  const scene_unit *unit;
  for (uint32_t i = 0; (unit = scene_unit_list(quantity, i)); i++) {
    at += (size_t)snprintf(list.text + at, sizeof list.text - at, "%s%s", i ? ", " : "", unit->name);
  }
  return scene_fail(r, node, "%s has no unit that fits '%s'; it can be in %s", scene_node_show(node).text, key->name,
                    list.text);
}

static bool in_range(const scene_range *range, double value) {
  if (!has_range(range)) return true;
  return (range->above ? value > range->least : value >= range->least) &&
         (range->below ? value < range->greatest : value <= range->greatest);
}

static bool out_of_range(const scene_reader *r, const scene_key *key, const scene_node *node, double value) {
  const char *unit = scene_unit_name(key->quantity);
  scene_phrase range = scene_describe_range(key);
  if (value > key->range.greatest && !(key->range.greatest < UINT32_MAX)) // that is not worth telling otherwise
    snprintf(range.text, sizeof range.text, "at most %s", scene_real_show(key->range.greatest).text);
  return scene_fail(r, node, "'%s' must be %s%s%s, not %s", key->name, range.text, *unit ? " " : "", unit,
                    scene_node_show(node).text);
}

static bool read_quantity(const scene_reader *r, const scene_key *key, scene_quantity quantity, const scene_node *node,
                          double *to) {
  if (node->kind != SCENE_SCALAR) return wrong_type(r, key, node);
  switch (scene_quantity_read(node->text, quantity, to)) {
  case SCENE_IS_NUMBER:
    return true;
  case SCENE_IS_NOT_FINITE:
    return scene_fail(r, node, "'%s' must be a finite number, not %s", key->name, scene_node_show(node).text);
  case SCENE_IS_WRONG_UNIT:
    return wrong_unit(r, key, quantity, node);
  case SCENE_IS_NONE:
    break;
  }
  return wrong_type(r, key, node);
}

static bool read_real(const scene_reader *r, const scene_key *key, const scene_node *node, double *to) {
  if (key->special && node->kind == SCENE_SCALAR && strcmp(node->text, key->special) == 0) {
    *to = key->special_value;
    return true;
  }
  if (!read_quantity(r, key, key->quantity, node, to)) return false;
  return in_range(&key->range, *to) || out_of_range(r, key, node, *to);
}

static bool read_digits(const char *text, uint32_t *to) {
  uint64_t value = 0;
  const size_t length = strspn(text, "0123456789");
  if (length == 0 || text[length] || length > 10) return false;
  for (size_t i = 0; i < length; i++) value = 10 * value + (uint64_t)(text[i] - '0');
  *to = (uint32_t)value;
  return value <= UINT32_MAX;
}

static bool read_whole(const scene_reader *r, const scene_key *key, const scene_node *node, uint32_t *to) {
  if (key->special && node->kind == SCENE_SCALAR && strcmp(node->text, key->special) == 0) {
    *to = (uint32_t)key->special_value;
    return true;
  }
  double number;
  if (node->kind != SCENE_SCALAR) return wrong_type(r, key, node);
  if (scene_quantity_read(node->text, SCENE_NUMBER, &number) != SCENE_IS_NUMBER) return wrong_type(r, key, node);
  if (!in_range(&key->range, number)) return out_of_range(r, key, node, number);
  return read_digits(node->text, to) || wrong_type(r, key, node);
}

static bool read_numbers(const scene_reader *r, const scene_key *key, const scene_node *node, double to[3],
                         uint32_t fewest) {
  if (node->kind != SCENE_SEQUENCE || node->count < fewest || node->count > 3) return wrong_type(r, key, node);
  for (uint32_t k = 0; k < node->count; k++) {
    if (!read_real(r, key, node->items[k], &to[k])) return false;
  }
  return true;
}

static bool read_counts(const scene_reader *r, const scene_key *key, const scene_node *node, uint32_t to[3]) {
  if (node->kind != SCENE_SEQUENCE || node->count < 2 || node->count > 3) return wrong_type(r, key, node);
  for (uint32_t k = 0; k < node->count; k++) {
    if (!read_whole(r, key, node->items[k], &to[k])) return false;
  }
  return true;
}

static bool read_corners(const scene_reader *r, const scene_key *key, const scene_node *node, double to[2][3]) {
  if (node->kind != SCENE_SEQUENCE || node->count != 2) return wrong_type(r, key, node);
  for (uint32_t k = 0; k < 2; k++) {
    if (!read_numbers(r, key, node->items[k], to[k], 3)) return false;
  }
  for (int i = 0; i < 3; i++) {
    if (to[0][i] <= to[1][i]) continue;
    return scene_fail(r, node, "'%s' goes from its least corner to its greatest; along %c, %s is above %s", key->name,
                      "xyz"[i], scene_real_show(to[0][i]).text, scene_real_show(to[1][i]).text);
  }
  return true;
}

static bool read_segment(const scene_reader *r, const scene_key *key, const scene_node *node, double to[2][3]) {
  if (node->kind != SCENE_SEQUENCE || node->count != 2) return wrong_type(r, key, node);
  for (uint32_t k = 0; k < 2; k++) {
    if (!read_numbers(r, key, node->items[k], to[k], 3)) return false;
  }
  const bool same = to[0][0] == to[1][0] && to[0][1] == to[1][1] && to[0][2] == to[1][2];
  return !same || scene_fail(r, node, "'%s' goes from one point to another; these two are the same", key->name);
}

static bool read_points(const scene_reader *r, const scene_key *key, const scene_node *node, scene_points *to) {
  if (node->kind != SCENE_SEQUENCE || node->count == 0) return wrong_type(r, key, node);
  scene_point *points = base_arena_take(r->arena, node->count * sizeof *points);
  if (!points) return scene_no_memory(r);
  for (uint32_t k = 0; k < node->count; k++) {
    if (!read_numbers(r, key, node->items[k], points[k].x, 3)) return false;
  }
  to->items = points;
  to->count = node->count;
  return true;
}

static bool read_path(const scene_reader *r, const scene_key *key, const scene_node *node, scene_path *to) {
  if (node->kind != SCENE_SEQUENCE || node->count == 0) return wrong_type(r, key, node);
  clv_key *keys = base_arena_take(r->arena, node->count * sizeof *keys);
  if (!keys) return scene_no_memory(r);
  for (uint32_t k = 0; k < node->count; k++) {
    const scene_node *item = node->items[k];
    if (item->kind != SCENE_SEQUENCE || item->count != 2) return wrong_type(r, key, item);
    if (!read_quantity(r, key, SCENE_TIME, item->items[0], &keys[k].time)) return false;
    if (!read_numbers(r, key, item->items[1], keys[k].value, 3)) return false;
    if (k > 0 && keys[k].time <= keys[k - 1].time) {
      return scene_fail(r, item, "times of '%s' must increase; %s s follows on %s s", key->name,
                        scene_real_show(keys[k].time).text, scene_real_show(keys[k - 1].time).text);
    }
  }
  to->items = keys;
  to->count = node->count;
  return true;
}

static bool read_parameters(const scene_reader *r, const scene_key *key, const scene_node *node, scene_parameters *to) {
  if (node->kind != SCENE_MAPPING) return wrong_type(r, key, node);
  scene_parameter *parameters = base_arena_take(r->arena, node->count * sizeof *parameters);
  if (!parameters) return scene_no_memory(r);
  for (uint32_t k = 0; k < node->count; k++) {
    const scene_node *item = node->items[k];
    scene_parameter *parameter = &parameters[k];
    const bool several = item->kind == SCENE_SEQUENCE;
    *parameter = (scene_parameter){.node = item, .name = node->keys[k]->text, .count = several ? item->count : 1};
    if (parameter->count == 0 || parameter->count > 9) return wrong_type(r, key, item);
    for (uint32_t i = 0; i < parameter->count; i++) {
      if (!read_real(r, key, several ? item->items[i] : item, &parameter->values[i])) return false;
    }
  }
  to->items = parameters;
  to->count = node->count;
  return true;
}

// ---- words --------------------------------------------------------------------------------------

static bool read_bool(const scene_reader *r, const scene_key *key, const scene_node *node, bool *to) {
  if (node->kind != SCENE_SCALAR || node->quoted) return wrong_type(r, key, node);
  *to = strcmp(node->text, "true") == 0;
  return *to || strcmp(node->text, "false") == 0 || wrong_type(r, key, node);
}

static bool read_text(const scene_reader *r, const scene_key *key, const scene_node *node, const char **to) {
  if (node->kind != SCENE_SCALAR) return wrong_type(r, key, node);
  *to = node->text;
  return true;
}

static bool read_texts(const scene_reader *r, const scene_key *key, const scene_node *node, scene_texts *to) {
  const bool several = node->kind == SCENE_SEQUENCE;
  const uint32_t count = several ? node->count : 1;
  const char **texts = base_arena_take(r->arena, count * sizeof *texts);
  if (!texts) return scene_no_memory(r);
  for (uint32_t k = 0; k < count; k++) {
    if (!read_text(r, key, several ? node->items[k] : node, &texts[k])) return false;
  }
  if (count == 0) return wrong_type(r, key, node);
  to->items = texts;
  to->count = count;
  return true;
}

static bool read_word(const scene_reader *r, const scene_key *key, const scene_node *node, uint32_t *to) {
  if (node->kind != SCENE_SCALAR) return wrong_type(r, key, node);
  scene_nearest nearest = scene_nearest_to(node->text);
  const char *word;
  for (uint32_t i = 0; (word = key->word(i)); i++) {
    if (strcmp(word, node->text) == 0) {
      *to = i;
      return true;
    }
    scene_nearest_offer(&nearest, word);
  }
  const scene_shown shown = scene_node_show(node);
  if (nearest.word)
    return scene_fail(r, node, "unknown %s %s, did you mean '%s'?", key->name, shown.text, nearest.word);
  return scene_fail(r, node, "unknown %s %s; there are %s", key->name, shown.text, scene_describe_words(key).text);
}

static bool read_words(const scene_reader *r, const scene_key *key, const scene_node *node, uint32_t *to) {
  if (node->kind != SCENE_SEQUENCE) return wrong_type(r, key, node);
  *to = 0;
  for (uint32_t k = 0; k < node->count; k++) {
    uint32_t word = 0;
    if (!read_word(r, key, node->items[k], &word)) return false;
    *to |= 1u << word;
  }
  return true;
}

static bool read_axes(const scene_reader *r, const scene_key *key, const scene_node *node, uint32_t *to) {
  if (node->kind != SCENE_SCALAR) return wrong_type(r, key, node);
  *to = 0;
  for (const char *at = node->text; *at; at++) {
    const char *axis = strchr("xyz", *at);
    const uint32_t bit = axis ? 1u << (axis - "xyz") : 0;
    if (!axis || (*to & bit)) return wrong_type(r, key, node);
    *to |= bit;
  }
  return *to || wrong_type(r, key, node);
}

static bool read_region(const scene_reader *r, const scene_key *key, const scene_node *node, scene_region *to) {
  if (node->kind != SCENE_SCALAR) return wrong_type(r, key, node);
  uint32_t tag;
  const bool negative = node->text[0] == '-';
  if (!node->quoted && read_digits(node->text + negative, &tag) && tag <= INT32_MAX) {
    to->tag = negative ? -(int32_t)tag : (int32_t)tag;
  } else {
    to->name = node->text;
  }
  return true;
}

bool scene_read_value(const scene_reader *r, const scene_key *key, const scene_node *node, void *to) {
  switch (key->type) {
  case SCENE_REAL:
    return read_real(r, key, node, to);
  case SCENE_WHOLE:
    return read_whole(r, key, node, to);
  case SCENE_BOOL:
    return read_bool(r, key, node, to);
  case SCENE_TEXT:
    return read_text(r, key, node, to);
  case SCENE_TEXTS:
    return read_texts(r, key, node, to);
  case SCENE_WORD:
    return read_word(r, key, node, to);
  case SCENE_WORDS:
    return read_words(r, key, node, to);
  case SCENE_AXES:
    return read_axes(r, key, node, to);
  case SCENE_VECTOR:
    return read_numbers(r, key, node, to, 3);
  case SCENE_EXTENT:
    return read_numbers(r, key, node, to, 2);
  case SCENE_COUNTS:
    return read_counts(r, key, node, to);
  case SCENE_CORNERS:
    return read_corners(r, key, node, to);
  case SCENE_SEGMENT:
    return read_segment(r, key, node, to);
  case SCENE_POINTS:
    return read_points(r, key, node, to);
  case SCENE_PATH:
    return read_path(r, key, node, to);
  case SCENE_REGION:
    return read_region(r, key, node, to);
  case SCENE_PARAMETERS:
    return read_parameters(r, key, node, to);
  case SCENE_GROUP:
  case SCENE_LIST:
  case SCENE_NAMED:
  case SCENE_TYPE_COUNT:
    break;
  }
  return wrong_type(r, key, node);
}
