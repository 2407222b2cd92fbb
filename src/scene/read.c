// Mappings: keys, choices, defaults. See read.h.

#include "scene/read.h"
#include "scene/nearest.h"

#include <stdarg.h>
#include <stdio.h>

bool scene_fail(const scene_reader *r, const scene_node *node, const char *format, ...) {
  char sentence[900];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(sentence, sizeof sentence, format, arguments);
  va_end(arguments);
  clv_error_set(r->error, CLV_ERROR_INPUT, "%s:%u:%u: %s", r->name, node->line, node->column, sentence);
  return false;
}

bool scene_no_memory(const scene_reader *r) {
  clv_error_set(r->error, CLV_ERROR_MEMORY, "%s: no memory for the scene", r->name);
  return false;
}

static bool read_key(const scene_reader *r, const scene_key *key, const scene_node *node, void *to);

// ---- lists --------------------------------------------------------------------------------------

static bool read_list(const scene_reader *r, const scene_key *key, const scene_node *node, scene_list *to) {
  const bool several = node->kind == SCENE_SEQUENCE;
  const uint32_t count = several ? node->count : 1;
  const size_t size = key->group->size;
  char *items = base_arena_take(r->arena, count * size);
  if (!items) return scene_no_memory(r);
  for (uint32_t k = 0; k < count; k++) {
    if (!scene_read_group(r, key->group, several ? node->items[k] : node, items + k * size)) return false;
  }
  to->items = items;
  to->count = count;
  return true;
}

static bool read_named(const scene_reader *r, const scene_key *key, const scene_node *node, scene_list *to) {
  if (node->kind != SCENE_MAPPING || node->count == 0) {
    return scene_fail(r, node, "'%s' must be names with mappings, not %s", key->name,
                      node->kind == SCENE_MAPPING ? "empty" : scene_node_show(node).text);
  }
  const size_t size = key->group->size;
  char *items = base_arena_take(r->arena, node->count * size);
  if (!items) return scene_no_memory(r);
  for (uint32_t k = 0; k < node->count; k++) {
    const char *name = node->keys[k]->text;
    // Names become parts of file names and columns.
    if (!name[0] || strlen(name) > 64 ||
        name[strspn(name, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-")]) {
      return scene_fail(r, node->keys[k], "%s is no name; names have letters, digits, '_' and '-', 64 at most",
                        scene_text_show(name).text);
    }
    if (!scene_read_group(r, key->group, node->items[k], items + k * size)) return false;
    ((scene_part *)(void *)(items + k * size))->name = name;
  }
  to->items = items;
  to->count = node->count;
  return true;
}

// ---- mappings -----------------------------------------------------------------------------------

// A default is read as if it stood in the file. Most are single words.
static bool read_default(const scene_reader *r, const scene_key *key, void *to) {
  if (!strchr("[{'", key->without[0])) {
    const scene_node node = {.kind = SCENE_SCALAR, .text = key->without};
    return read_key(r, key, &node, to);
  }
  const scene_node *node = scene_node_parse(r->arena, r->name, key->without, strlen(key->without), r->error);
  return node && read_key(r, key, node, to);
}

static bool fill_defaults(const scene_reader *r, const scene_group *group, uint64_t given, char *to) {
  for (uint32_t k = 0; group->keys[k].name; k++) {
    const scene_key *key = &group->keys[k];
    if (given >> k & 1) continue;
    if (key->without) {
      if (!read_default(r, key, to + key->offset)) return false;
    } else if (key->type == SCENE_GROUP && key->need == SCENE_OPTIONAL) {
      if (!fill_defaults(r, key->group, 0, to + key->offset)) return false;
    }
  }
  return true;
}

// A default that is a mapping did not stand in the file.
static void forget_place(const scene_key *key, char *to) {
  if (key->type == SCENE_GROUP) *(scene_part *)(void *)to = (scene_part){0};
}

static bool read_key(const scene_reader *r, const scene_key *key, const scene_node *node, void *to) {
  const bool empty = node->kind == SCENE_SCALAR && !node->text[0] && !node->quoted;
  if (empty) return scene_fail(r, node, "'%s' is empty; it must be %s", key->name, scene_describe_type(key).text);
  bool good;
  switch (key->type) {
  case SCENE_GROUP:
    good = scene_read_group(r, key->group, node, to);
    break;
  case SCENE_LIST:
    good = read_list(r, key, node, to);
    break;
  case SCENE_NAMED:
    good = read_named(r, key, node, to);
    break;
  default:
    good = scene_read_value(r, key, node, to);
  }
  if (good && node->line == 0) forget_place(key, to);
  return good;
}

static bool unknown_key(const scene_reader *r, const scene_group *group, const scene_node *node) {
  scene_nearest nearest = scene_nearest_to(node->text);
  scene_phrase all = {""};
  size_t at = 0;
  for (const scene_key *key = group->keys; key->name; key++) {
    scene_nearest_offer(&nearest, key->name);
    if (at < sizeof all.text) {
      at += (size_t)snprintf(all.text + at, sizeof all.text - at, "%s%s", at ? ", " : "", key->name);
    }
  }
  const scene_shown shown = scene_text_show(node->text);
  if (nearest.word) return scene_fail(r, node, "unknown key %s, did you mean '%s'?", shown.text, nearest.word);
  return scene_fail(r, node, "unknown key %s; here may stand %s", shown.text, all.text);
}

static bool read_keys(const scene_reader *r, const scene_group *group, const scene_node *node, char *to) {
  scene_part *part = (scene_part *)(void *)to;
  for (uint32_t i = 0; i < node->count; i++) {
    uint32_t k = 0;
    while (group->keys[k].name && strcmp(group->keys[k].name, node->keys[i]->text) != 0) k++;
    const scene_key *key = &group->keys[k];
    if (!key->name) return unknown_key(r, group, node->keys[i]);
    if (!read_key(r, key, node->items[i], to + key->offset)) return false;
    part->given |= (uint64_t)1 << k;
  }
  return true;
}

// Where a key stands, or the mapping where that is not known.
static const scene_node *place_of(const scene_node *mapping, const char *name) {
  for (uint32_t i = 0; mapping->kind == SCENE_MAPPING && i < mapping->count; i++) {
    if (strcmp(mapping->keys[i]->text, name) == 0) return mapping->keys[i];
  }
  return mapping;
}

static bool check_choices(const scene_reader *r, const scene_group *group, const scene_node *node, uint64_t given) {
  scene_phrase all = {""};
  size_t at = 0;
  const char *first = NULL;
  for (uint32_t k = 0; group->keys[k].name; k++) {
    const scene_key *key = &group->keys[k];
    if (key->need != SCENE_CHOICE) continue;
    at += (size_t)snprintf(all.text + at, sizeof all.text - at, "%s'%s'", at ? ", " : "", key->name);
    if (!(given >> k & 1)) continue;
    if (first) {
      return scene_fail(r, place_of(node, key->name), "'%s' and '%s' cannot both be given here", first, key->name);
    }
    first = key->name;
  }
  if (first || at == 0) return true;
  if (group->instead) {
    if (given >> scene_key_number(group, group->instead) & 1) return true;
    snprintf(all.text + at, sizeof all.text - at, ", '%s'", group->instead);
  }
  return scene_fail(r, node, strchr(all.text, ',') ? "one of %s is missing here" : "%s is missing here", all.text);
}

static bool check_needs(const scene_reader *r, const scene_group *group, const scene_node *node, uint64_t given) {
  for (uint32_t k = 0; group->keys[k].name; k++) {
    const scene_key *key = &group->keys[k];
    const bool here = given >> k & 1;
    if (key->need == SCENE_REQUIRED && !here) return scene_fail(r, node, "'%s' is missing here", key->name);
    if (here && key->with && !(given >> scene_key_number(group, key->with) & 1)) {
      return scene_fail(r, place_of(node, key->name), "'%s' goes with '%s', which is not here", key->name, key->with);
    }
  }
  return true;
}

bool scene_read_group(const scene_reader *r, const scene_group *group, const scene_node *node, void *to) {
  scene_part *part = to;
  part->node = node;
  if (node->kind == SCENE_SCALAR && group->shorthand) {
    const uint32_t k = scene_key_number(group, group->shorthand);
    if (!read_key(r, &group->keys[k], node, (char *)to + group->keys[k].offset)) return false;
    part->given = (uint64_t)1 << k;
  } else if (node->kind != SCENE_MAPPING) {
    return scene_fail(r, node, "'%s' needs a mapping, {key: value, ...}, not %s", group->name,
                      scene_node_show(node).text);
  } else if (!read_keys(r, group, node, to)) {
    return false;
  }
  return check_choices(r, group, node, part->given) && check_needs(r, group, node, part->given) &&
         fill_defaults(r, group, part->given, to);
}
