// The word that was probably meant: the one that the fewest slips of a finger (a letter too many, missing, wrong, or
// two swapped) make out of what was written, if those are few.

#ifndef SCENE_NEAREST_H
#define SCENE_NEAREST_H

#include <stddef.h>

typedef struct scene_nearest {
  const char *wanted;
  const char *word; // NULL when nothing is near
  size_t slips;
} scene_nearest;

scene_nearest scene_nearest_to(const char *wanted);
// `word` must live as long as the answer is used.
void scene_nearest_offer(scene_nearest *nearest, const char *word);

#endif
