// Scenes for tests: made from the table of keys, so that a key that is added is tested without a word.

#ifndef CLEAVE_TEST_SUPPORT_SCENES_H
#define CLEAVE_TEST_SUPPORT_SCENES_H

#include "scene/key.h"

enum { SCENES_TEXT = 4096 };

// A place where a mapping of a group can stand: what comes before it and behind it in the smallest scene that has one.
typedef struct scenes_place {
  const scene_group *group;
  char before[SCENES_TEXT], behind[SCENES_TEXT];
} scenes_place;

// Calls `each` for the root and for every mapping that can be reached from it.
typedef void scenes_visitor(void *user, const scenes_place *place);
void scenes_visit(scenes_visitor *each, void *user);

// The keys that a mapping of a group cannot do without, by their examples, "key: value, ..."; but neither `key` nor,
// when it is a choice, its rivals.
void scenes_needed(const scene_group *group, const scene_key *key, char *to, size_t size);

#endif
