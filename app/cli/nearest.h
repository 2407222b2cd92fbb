// The word that was probably meant. Words are offered one after another; the one that the fewest slips of a finger
// (a letter too many, missing, wrong, or two swapped) make out of what was written is kept, if those are few.

#ifndef CLI_NEAREST_H
#define CLI_NEAREST_H

#include <stddef.h>

typedef struct cli_nearest {
  const char *wanted;
  const char *word; // NULL when nothing is near
  size_t slips;
} cli_nearest;

cli_nearest cli_nearest_to(const char *wanted);
// `word` must live as long as the answer is used.
void cli_nearest_offer(cli_nearest *nearest, const char *word);

// "; did you mean 'PREFIXword'?", or what else there is to say.
typedef struct cli_suggestion {
  char text[128];
} cli_suggestion;
cli_suggestion cli_did_you_mean(const cli_nearest *nearest, const char *prefix, const char *otherwise);

#endif
