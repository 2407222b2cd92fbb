// Reads JSON as strictly as its grammar is, for the tests of the program: `json FILE` says whether FILE is one JSON
// value, `json FILE a.b.2` prints the member or element of that path (texts without quotation marks, as they stand).

#include <ctype.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST_BYTES = 1 << 22, MOST_PATH = 256, DEEPEST = 32 };

typedef struct parser {
  const char *at;
  const char *wanted; // a path, or NULL
  bool found;
  int depth;
  char path[MOST_PATH];
} parser;

static bool parse_value(parser *p);

static void skip_blanks(parser *p) {
  p->at += strspn(p->at, " \t\r\n");
}

static bool take(parser *p, const char *word) {
  const size_t length = strlen(word);
  if (strncmp(p->at, word, length) != 0) return false;
  p->at += length;
  return true;
}

// ---- scalars --------------------------------------------------------------------------------------------------------

static bool take_digits(parser *p) {
  const size_t length = strspn(p->at, "0123456789");
  p->at += length;
  return length > 0;
}

static bool parse_number(parser *p) {
  take(p, "-");
  if (!take(p, "0") && !take_digits(p)) return false;
  if (take(p, ".") && !take_digits(p)) return false;
  if (take(p, "e") || take(p, "E")) {
    if (!take(p, "+")) take(p, "-");
    if (!take_digits(p)) return false;
  }
  return true;
}

static bool parse_escape(parser *p) {
  if (*p->at == 'u') {
    for (int i = 1; i <= 4; i++) {
      if (!isxdigit((unsigned char)p->at[i])) return false;
    }
    p->at += 5;
    return true;
  }
  return *p->at && strchr("\"\\/bfnrt", *p->at++);
}

static bool parse_string(parser *p) {
  if (!take(p, "\"")) return false;
  while (*p->at != '"') {
    if ((unsigned char)*p->at < 0x20) return false;
    if (take(p, "\\")) {
      if (!parse_escape(p)) return false;
    } else {
      p->at++;
    }
  }
  p->at++;
  return true;
}

// ---- objects and arrays ---------------------------------------------------------------------------------------------

// Parses the value of a member, whose name is added to the path meanwhile.
static bool parse_member(parser *p, const char *name, size_t length) {
  const size_t old = strlen(p->path);
  if (old + length + 2 > sizeof p->path) return false;
  snprintf(p->path + old, sizeof p->path - old, "%s%.*s", old ? "." : "", (int)length, name);
  const bool parsed = parse_value(p);
  p->path[old] = '\0';
  return parsed;
}

static bool parse_named(parser *p, int index) {
  (void)index;
  skip_blanks(p);
  const char *name = p->at + 1;
  if (!parse_string(p)) return false;
  const size_t length = (size_t)(p->at - 1 - name);
  skip_blanks(p);
  return take(p, ":") && parse_member(p, name, length);
}

static bool parse_numbered(parser *p, int index) {
  char name[16];
  const int length = snprintf(name, sizeof name, "%d", index);
  return parse_member(p, name, (size_t)length);
}

static bool parse_list(parser *p, const char *end, bool (*parse_item)(parser *, int)) {
  p->at++;
  skip_blanks(p);
  if (take(p, end)) return true;
  for (int index = 0;; index++) {
    if (!parse_item(p, index)) return false;
    if (take(p, end)) return true;
    if (!take(p, ",")) return false;
  }
}

// ---- values ---------------------------------------------------------------------------------------------------------

static bool parse_any(parser *p) {
  if (*p->at == '{') return parse_list(p, "}", parse_named);
  if (*p->at == '[') return parse_list(p, "]", parse_numbered);
  if (*p->at == '"') return parse_string(p);
  return take(p, "true") || take(p, "false") || take(p, "null") || parse_number(p);
}

static void print_if_wanted(parser *p, const char *begin) {
  if (!p->wanted || strcmp(p->wanted, p->path) != 0) return;
  const int quotes = *begin == '"';
  p->found = true;
  printf("%.*s\n", (int)(p->at - begin) - 2 * quotes, begin + quotes);
}

static bool parse_value(parser *p) {
  skip_blanks(p);
  const char *begin = p->at;
  if (++p->depth > DEEPEST || !parse_any(p)) return false;
  p->depth--;
  print_if_wanted(p, begin);
  skip_blanks(p);
  return true;
}

int main(int count, char **words) {
  static char text[MOST_BYTES];
  FILE *file = count > 1 ? fopen(words[1], "rb") : NULL;
  if (!file) {
    fprintf(stderr, "json: json FILE [PATH]\n");
    return 2;
  }
  const size_t size = fread(text, 1, sizeof text - 1, file);
  fclose(file);
  parser p = {.at = text, .wanted = count > 2 ? words[2] : NULL};
  if (!parse_value(&p) || p.at != text + size) {
    fprintf(stderr, "json: %s: no JSON at byte %td: %.20s\n", words[1], p.at - text, p.at);
    return 1;
  }
  if (p.wanted && !p.found) {
    fprintf(stderr, "json: %s: no %s\n", words[1], p.wanted);
    return 1;
  }
  return 0;
}
