// The optimal string alignment distance. See nearest.h.

#include "scene/nearest.h"

#include <stdint.h>
#include <string.h>

enum { LONGEST = 32 };

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static size_t slips_between(const char *a, const char *b) {
  const size_t rows = strlen(a), columns = strlen(b);
  if (rows > LONGEST || columns > LONGEST) return SIZE_MAX;
  size_t cost[LONGEST + 1][LONGEST + 1];
  for (size_t j = 0; j <= columns; j++) cost[0][j] = j;
  for (size_t i = 1; i <= rows; i++) {
    cost[i][0] = i;
    for (size_t j = 1; j <= columns; j++) {
      const size_t wrong = cost[i - 1][j - 1] + (a[i - 1] != b[j - 1]);
      cost[i][j] = least(wrong, least(cost[i - 1][j], cost[i][j - 1]) + 1);
      const int swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) cost[i][j] = least(cost[i][j], cost[i - 2][j - 2] + 1);
    }
  }
  return cost[rows][columns];
}

scene_nearest scene_nearest_to(const char *wanted) {
  return (scene_nearest){.wanted = wanted, .slips = SIZE_MAX};
}

// One slip in a short word, one in three letters of a longer one.
void scene_nearest_offer(scene_nearest *nearest, const char *word) {
  const size_t slips = slips_between(nearest->wanted, word), length = strlen(word);
  if (slips >= nearest->slips || slips > (length < 3 ? 1 : length / 3)) return;
  nearest->word = word;
  nearest->slips = slips;
}
