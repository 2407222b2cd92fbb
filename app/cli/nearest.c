// The optimal string alignment distance, over three rows of its table. See nearest.h.

#include "nearest.h"

#include <ctype.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

enum { LONGEST = 48 }; // of a word that is compared; the program's own are all shorter

static size_t least(size_t a, size_t b) {
  return a < b ? a : b;
}

static bool same_letter(char a, char b) {
  return tolower((unsigned char)a) == tolower((unsigned char)b);
}

static size_t slips_between(const char *a, const char *b) {
  const size_t a_length = strlen(a), b_length = strlen(b);
  if (a_length > LONGEST || b_length > LONGEST) return SIZE_MAX;
  size_t rows[3][LONGEST + 1];
  size_t *before = rows[0], *above = rows[1], *row = rows[2];
  for (size_t j = 0; j <= b_length; j++) above[j] = j;
  for (size_t i = 1; i <= a_length; i++) {
    row[0] = i;
    for (size_t j = 1; j <= b_length; j++) {
      const size_t wrong = above[j - 1] + !same_letter(a[i - 1], b[j - 1]);
      row[j] = least(wrong, least(above[j], row[j - 1]) + 1);
      const bool swapped = i > 1 && j > 1 && same_letter(a[i - 1], b[j - 2]) && same_letter(a[i - 2], b[j - 1]);
      if (swapped) row[j] = least(row[j], before[j - 2] + 1);
    }
    size_t *const oldest = before;
    before = above;
    above = row;
    row = oldest;
  }
  return above[b_length];
}

// One slip in a short word, one in three letters of a longer one.
static size_t slips_allowed(const char *word) {
  const size_t allowed = strlen(word) / 3;
  return allowed > 0 ? allowed : 1;
}

// Someone who writes the beginning of a word knows which one it is.
static bool begins(const char *word, const char *beginning) {
  const size_t length = strlen(beginning);
  return length >= 2 && strncmp(word, beginning, length) == 0;
}

cli_nearest cli_nearest_to(const char *wanted) {
  return (cli_nearest){.wanted = wanted, .slips = SIZE_MAX};
}

void cli_nearest_offer(cli_nearest *nearest, const char *word) {
  const size_t slips = begins(word, nearest->wanted) ? 1 : slips_between(nearest->wanted, word);
  if (slips >= nearest->slips || slips > slips_allowed(word)) return;
  nearest->word = word;
  nearest->slips = slips;
}

cli_suggestion cli_did_you_mean(const cli_nearest *nearest, const char *prefix, const char *otherwise) {
  cli_suggestion suggestion;
  if (nearest->word) {
    snprintf(suggestion.text, sizeof suggestion.text, "; did you mean '%s%s'?", prefix, nearest->word);
  } else {
    snprintf(suggestion.text, sizeof suggestion.text, "%s", otherwise);
  }
  return suggestion;
}
