// See scenes.h.

#include "support/scenes.h"

#include <stdio.h>
#include <string.h>

static void append(char *to, size_t size, const char *key, const char *value) {
  const size_t at = strlen(to);
  snprintf(to + at, size - at, "%s: %s, ", key, value);
}

static const scene_key *find(const scene_group *group, const char *name) {
  return &group->keys[scene_key_number(group, name)];
}

void scenes_needed(const scene_group *group, const scene_key *key, char *to, size_t size) {
  to[0] = '\0';
  const char *with = key && key->with ? key->with : "";
  // A choice that another key asks for is the one that is made.
  bool chosen = key && key->need == SCENE_CHOICE;
  if (*with) {
    chosen = chosen || find(group, with)->need == SCENE_CHOICE;
    append(to, size, with, find(group, with)->example);
  }
  for (const scene_key *other = group->keys; other->name; other++) {
    const bool needed = other->need == SCENE_REQUIRED || (other->need == SCENE_CHOICE && !chosen);
    if (!needed || other == key || strcmp(other->name, with) == 0) continue;
    chosen = chosen || other->need == SCENE_CHOICE;
    append(to, size, other->name, other->example);
  }
  // No table says that a pull has a force or a path.
  const bool pull = strcmp(group->name, "pull") == 0;
  if (pull && (!key || (strcmp(key->name, "force") != 0 && strcmp(key->name, "path") != 0))) {
    append(to, size, "force", find(group, "force")->example);
  }
}

static void visit(const scenes_place *place, scenes_visitor *each, void *user, int depth) {
  each(user, place);
  if (depth > 6) return;
  for (const scene_key *key = place->group->keys; key->name; key++) {
    if (!key->group) continue;
    const bool named = key->type == SCENE_NAMED;
    char needed[SCENES_TEXT / 4];
    scenes_needed(place->group, key, needed, sizeof needed);
    scenes_place below = {.group = key->group};
    snprintf(below.before, sizeof below.before, "%.3000s{%s%s: %s", place->before, needed, key->name,
             named ? "{body1: " : "");
    snprintf(below.behind, sizeof below.behind, "%s}%.3000s", named ? "}" : "", place->behind);
    visit(&below, each, user, depth + 1);
  }
}

void scenes_visit(scenes_visitor *each, void *user) {
  const scenes_place root = {.group = &scene_group_root};
  visit(&root, each, user, 0);
}
