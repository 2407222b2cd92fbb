// See key.h.

#include "scene/key.h"

#include <assert.h>

uint32_t scene_key_number(const scene_group *group, const char *name) {
  uint32_t k = 0;
  while (group->keys[k].name && strcmp(group->keys[k].name, name) != 0) k++;
  assert(group->keys[k].name);
  return k;
}

bool scene_given(const scene_part *part, const scene_group *group, const char *name) {
  return part->given >> scene_key_number(group, name) & 1;
}

uint32_t scene_group_all(const scene_group *groups[SCENE_GROUPS]) {
  uint32_t count = 0;
  groups[count++] = &scene_group_root;
  for (uint32_t g = 0; g < count; g++) {
    for (const scene_key *key = groups[g]->keys; key->name; key++) {
      uint32_t known = 0;
      while (known < count && groups[known] != key->group) known++;
      if (!key->group || known < count) continue;
      assert(count < SCENE_GROUPS);
      groups[count++] = key->group;
    }
  }
  return count;
}
