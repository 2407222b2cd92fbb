// The reference of all keys as Markdown, written from the table: the last part of docs/scenes.md, and `cleave scene
// keys`.

#include "scene/read.h"
#include "scene/text.h"

static void add_need(scene_text *out, const scene_key *key) {
  switch (key->need) {
  case SCENE_REQUIRED:
    scene_add(out, "needed");
    break;
  case SCENE_CHOICE:
    scene_add(out, "one of");
    break;
  case SCENE_OPTIONAL:
    if (key->without) scene_add(out, "`%s`", key->without);
    break;
  }
}

static void add_kind(scene_text *out, const scene_key *key) {
  if (key->word) {
    const char *word;
    scene_add(out, key->type == SCENE_WORDS ? "list of " : "");
    for (uint32_t i = 0; (word = key->word(i)); i++) scene_add(out, "%s`%s`", i ? ", " : "", word);
    return;
  }
  scene_add(out, "%s", scene_describe_type(key).text);
  const scene_phrase range = scene_describe_range(key);
  if (range.text[0]) scene_add(out, ", %s", range.text);
  if (key->group) scene_add(out, ": [%s](#%s)", key->group->name, key->group->name);
}

static void add_section(scene_text *out, const scene_group *group) {
  scene_add(out, "### %s\n\n%s\n\n| key | value | default | |\n|---|---|---|---|\n", group->name, group->what);
  for (const scene_key *key = group->keys; key->name; key++) {
    scene_add(out, "| `%s` | ", key->name);
    add_kind(out, key);
    scene_add(out, " | ");
    add_need(out, key);
    scene_add(out, " | %s |\n", key->what);
  }
  scene_add(out, "\n");
}

static void add_units(scene_text *out) {
  scene_add(out, "### Units\n\n| SI | also |\n|---|---|\n");
  for (int quantity = SCENE_NUMBER + 1; quantity < SCENE_QUANTITY_COUNT; quantity++) {
    const scene_unit *unit = scene_unit_list((scene_quantity)quantity, 0);
    scene_add(out, "| %s | ", unit->name);
    for (uint32_t i = 1; (unit = scene_unit_list((scene_quantity)quantity, i)); i++) {
      scene_add(out, "%s%s", i > 1 ? ", " : "", unit->name);
    }
    scene_add(out, " |\n");
  }
}

clv_result clv_scene_keys(clv_text_writer *write, void *user, clv_error *error) {
  const clv_allocator allocator = clv_default_allocator();
  scene_text out = {.allocator = &allocator};
  const scene_group *groups[SCENE_GROUPS];
  const uint32_t count = scene_group_all(groups);
  for (uint32_t g = 0; g < count; g++) add_section(&out, groups[g]);
  add_units(&out);
  return scene_text_finish(&out, write, user, error);
}
