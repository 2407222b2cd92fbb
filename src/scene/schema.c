// The JSON schema of scene files (draft 2020-12), written from the table of keys: one definition a group. What JSON's
// schema cannot say (a zone that holds nothing, times that increase) is left to reading.

#include "cleave/scene.h"
#include "scene/key.h"
#include "scene/text.h"

#include <math.h>

static const char decimal[] = "[-+]?([0-9]+\\\\.?[0-9]*|\\\\.[0-9]+)([eE][-+]?[0-9]+)?";

static void add_bound(scene_text *out, const char *name, double bound) {
  scene_add(out, ", \"%s\": %s", name, scene_real_show(bound).text);
}

static void add_range(scene_text *out, const scene_range *range) {
  if (range->least == 0 && range->greatest == 0) return;
  add_bound(out, range->above ? "exclusiveMinimum" : "minimum", range->least);
  if (isfinite(range->greatest)) add_bound(out, range->below ? "exclusiveMaximum" : "maximum", range->greatest);
}

// A number, or a text with a unit. Readers of YAML 1.1 take 1e6 for a text, so the unit may be missing.
static void add_number(scene_text *out, scene_quantity quantity, const scene_range *range) {
  scene_add(out, "{\"type\": \"number\"");
  add_range(out, range);
  scene_add(out, "}, {\"type\": \"string\", \"pattern\": \"^%s *(", decimal);
  const scene_unit *unit;
  for (uint32_t i = 0; (unit = scene_unit_list(quantity, i)); i++) {
    scene_add(out, "%s", i ? "|" : "");
    for (const char *at = unit->name; *at; at++) scene_add(out, *at == '^' ? "\\\\^" : "%c", *at);
  }
  scene_add(out, ")?$\"}");
}

static void add_any_number(scene_text *out, scene_quantity quantity, const scene_range *range) {
  scene_add(out, "{\"anyOf\": [");
  add_number(out, quantity, range);
  scene_add(out, "]}");
}

static void add_vector(scene_text *out, const scene_key *key, int fewest) {
  scene_add(out, "\"type\": \"array\", \"minItems\": %d, \"maxItems\": 3, \"items\": ", fewest);
  add_any_number(out, key->quantity, &key->range);
}

static void add_words(scene_text *out, const scene_key *key) {
  scene_add(out, "\"enum\": [");
  const char *word;
  for (uint32_t i = 0; (word = key->word(i)); i++) {
    scene_add(out, "%s", i ? ", " : "");
    scene_add_json(out, word);
  }
  scene_add(out, "]");
}

static void add_path(scene_text *out, const scene_key *key) {
  scene_add(out,
            "\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, "
            "\"prefixItems\": [");
  add_any_number(out, SCENE_TIME, &(scene_range){0});
  scene_add(out, ", {");
  add_vector(out, key, 3);
  scene_add(out, "}]}");
}

static void add_group(scene_text *out, const scene_group *group) {
  scene_add(out, "\"$ref\": \"#/$defs/%s\"", group->name);
}

static void add_type(scene_text *out, const scene_key *key) {
  switch (key->type) {
  case SCENE_REAL:
    scene_add(out, "\"anyOf\": [");
    add_number(out, key->quantity, &key->range);
    if (key->special) scene_add(out, ", {\"const\": \"%s\"}", key->special);
    scene_add(out, "]");
    break;
  case SCENE_WHOLE:
    scene_add(out, "\"anyOf\": [{\"type\": \"integer\"");
    add_range(out, &key->range);
    scene_add(out, "}");
    if (key->special) scene_add(out, ", {\"const\": \"%s\"}", key->special);
    scene_add(out, "]");
    break;
  case SCENE_BOOL:
    scene_add(out, "\"type\": \"boolean\"");
    break;
  case SCENE_TEXT:
    scene_add(out, "\"type\": [\"string\", \"number\", \"boolean\"]");
    break;
  case SCENE_TEXTS:
    scene_add(out, "\"anyOf\": [{\"type\": \"string\"}, {\"type\": \"array\", \"minItems\": 1, \"items\": {\"type\": "
                   "\"string\"}}]");
    break;
  case SCENE_WORD:
    add_words(out, key);
    break;
  case SCENE_WORDS:
    scene_add(out, "\"type\": \"array\", \"items\": {");
    add_words(out, key);
    scene_add(out, "}");
    break;
  case SCENE_AXES:
    scene_add(out, "\"type\": \"string\", \"pattern\": \"^(?!.*(.).*\\\\1)[xyz]{1,3}$\"");
    break;
  case SCENE_VECTOR:
    add_vector(out, key, 3);
    break;
  case SCENE_EXTENT:
    add_vector(out, key, 2);
    break;
  case SCENE_COUNTS:
    scene_add(out, "\"type\": \"array\", \"minItems\": 2, \"maxItems\": 3, \"items\": {\"type\": \"integer\"");
    add_range(out, &key->range);
    scene_add(out, "}");
    break;
  case SCENE_CORNERS:
  case SCENE_SEGMENT:
    scene_add(out, "\"type\": \"array\", \"minItems\": 2, \"maxItems\": 2, \"items\": {");
    add_vector(out, key, 3);
    scene_add(out, "}");
    break;
  case SCENE_POINTS:
    scene_add(out, "\"type\": \"array\", \"minItems\": 1, \"items\": {");
    add_vector(out, key, 3);
    scene_add(out, "}");
    break;
  case SCENE_PATH:
    add_path(out, key);
    break;
  case SCENE_REGION:
    scene_add(out, "\"type\": [\"string\", \"integer\"]");
    break;
  case SCENE_PARAMETERS:
    scene_add(out, "\"type\": \"object\", \"additionalProperties\": {\"anyOf\": [{\"type\": [\"number\", \"string\"]}, "
                   "{\"type\": \"array\", \"minItems\": 1, \"maxItems\": 9, \"items\": {\"type\": [\"number\", "
                   "\"string\"]}}]}");
    break;
  case SCENE_GROUP:
    add_group(out, key->group);
    break;
  case SCENE_LIST:
    scene_add(out, "\"anyOf\": [{");
    add_group(out, key->group);
    scene_add(out, "}, {\"type\": \"array\", \"items\": {");
    add_group(out, key->group);
    scene_add(out, "}}]");
    break;
  case SCENE_NAMED:
    scene_add(
        out, "\"type\": \"object\", \"minProperties\": 1, \"propertyNames\": {\"pattern\": \"^[-_A-Za-z0-9]{1,64}$\"}, "
             "\"additionalProperties\": {");
    add_group(out, key->group);
    scene_add(out, "}");
    break;
  case SCENE_TYPE_COUNT:
    break;
  }
}

// ---- groups -------------------------------------------------------------------------------------

static void add_properties(scene_text *out, const scene_group *group) {
  scene_add(out, "\"properties\": {");
  for (const scene_key *key = group->keys; key->name; key++) {
    scene_add(out, "%s\n      \"%s\": {", key == group->keys ? "" : ",", key->name);
    add_type(out, key);
    scene_add(out, ", \"description\": ");
    scene_add_json(out, key->what);
    if (key->without) {
      scene_add(out, ", \"default\": ");
      scene_add_json(out, key->without);
    }
    scene_add(out, "}");
  }
  scene_add(out, "\n    }");
}

static void add_required(scene_text *out, const scene_group *group) {
  const char *before = ",\n    \"required\": [";
  for (const scene_key *key = group->keys; key->name; key++) {
    if (key->need != SCENE_REQUIRED) continue;
    scene_add(out, "%s\"%s\"", before, key->name);
    before = ", ";
  }
  if (before[1] == ' ') scene_add(out, "]");
}

static const char *add_each_choice(scene_text *out, const scene_group *group, const char *before) {
  for (const scene_key *key = group->keys; key->name; key++) {
    if (key->need != SCENE_CHOICE) continue;
    scene_add(out, "%s{\"required\": [\"%s\"]}", before, key->name);
    before = ", ";
  }
  return before;
}

static void add_choices(scene_text *out, const scene_group *group) {
  const char *before = add_each_choice(out, group, ",\n    \"oneOf\": [");
  if (before[1] != ' ') return;
  if (group->instead) {
    scene_add(out, ", {\"required\": [\"%s\"], \"not\": {\"anyOf\": ", group->instead);
    add_each_choice(out, group, "[");
    scene_add(out, "]}}");
  }
  scene_add(out, "]");
}

static void add_dependencies(scene_text *out, const scene_group *group) {
  const char *before = ",\n    \"dependentRequired\": {";
  for (const scene_key *key = group->keys; key->name; key++) {
    if (!key->with) continue;
    scene_add(out, "%s\"%s\": [\"%s\"]", before, key->name, key->with);
    before = ", ";
  }
  if (before[1] == ' ') scene_add(out, "}");
}

static void add_mapping(scene_text *out, const scene_group *group) {
  scene_add(out, "\"type\": \"object\",\n    \"description\": ");
  scene_add_json(out, group->what);
  scene_add(out, ",\n    \"additionalProperties\": false,\n    ");
  add_properties(out, group);
  add_required(out, group);
  add_choices(out, group);
  add_dependencies(out, group);
}

static void add_definition(scene_text *out, const scene_group *group) {
  scene_add(out, "%s\n    \"%s\": {", group == &scene_group_root ? "" : ",", group->name);
  if (group->shorthand) {
    scene_add(out, "\"anyOf\": [{");
    add_type(out, &group->keys[scene_key_number(group, group->shorthand)]);
    scene_add(out, "}, {");
  }
  add_mapping(out, group);
  scene_add(out, group->shorthand ? "}]}" : "}");
}

clv_result clv_scene_schema(clv_text_writer *write, void *user, clv_error *error) {
  const clv_allocator allocator = clv_default_allocator();
  scene_text out = {.allocator = &allocator};
  const scene_group *groups[SCENE_GROUPS];
  const uint32_t count = scene_group_all(groups);
  scene_add(&out, "{\n  \"$schema\": \"https://json-schema.org/draft/2020-12/schema\",\n"
                  "  \"title\": \"A scene of Cleave\",\n  \"$ref\": \"#/$defs/scene\",\n  \"$defs\": {");
  for (uint32_t g = 0; g < count; g++) add_definition(&out, groups[g]);
  scene_add(&out, "\n  }\n}\n");
  return scene_text_finish(&out, write, user, error);
}
