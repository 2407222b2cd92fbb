// docs/rules.md, taken at its word: every block of rules in it is checked, every picture of a rule is drawn again, and
// its C is that of an example, which is run. Its commands are run by test/cli.
//
//   ```rule             must have nothing to complain about, alone
//   ```rule +           likewise, together with the blocks before it, back to the last one without +
//   ```rule wrong X 3:9 must be refused, first with code X at line 3, column 9; a ```text block right behind it holds
//                       the findings as they are printed, the file being called x.rule
//   name.rule           behind any of these: for the commands of the page
//   ```c                lines of examples/parts/rules.c; a ```text block right behind it is what the example prints

#include "cleave/rule.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

enum { BLOCKS = 200, CONTEXT = 16, PICTURES = 64 };

typedef struct block {
  const char *info, *text; // pointers into the page
  size_t info_size, size;
  uint32_t line; // of the text
} block;

static char *page;
static block blocks[BLOCKS];
static uint32_t block_count;

static char *read_file(const char *name) {
  char path[1024];
  snprintf(path, sizeof path, "%s/docs/%s", TEST_SOURCE_DIR, name);
  FILE *file = fopen(path, "rb");
  if (!file) print_error("there is no %s\n", path);
  assert_non_null(file);
  char *text = calloc(1, 1 << 20);
  assert_non_null(text);
  assert_true(fread(text, 1, (1 << 20) - 1, file) < (1 << 20) - 1);
  fclose(file);
  return text;
}

static int read_page(void **state) {
  (void)state;
  page = read_file("rules.md");
  bool inside = false;
  uint32_t line = 1;
  for (char *at = page; *at; line++) {
    char *end = strchr(at, '\n');
    if (!end) break;
    if (strncmp(at, "```", 3) == 0 && !inside) {
      assert_true(block_count < BLOCKS);
      blocks[block_count] = (block){at + 3, end + 1, (size_t)(end - at - 3), 0, line + 1};
      inside = true;
    } else if (strncmp(at, "```", 3) == 0) {
      blocks[block_count].size = (size_t)(at - blocks[block_count].text);
      block_count++;
      inside = false;
    }
    at = end + 1;
  }
  return inside || block_count == 0;
}

static int free_page(void **state) {
  (void)state;
  free(page);
  return 0;
}

static bool is_kind(const block *b, const char *kind) {
  const size_t size = strlen(kind);
  return b->info_size >= size && strncmp(b->info, kind, size) == 0 && (b->info_size == size || b->info[size] == ' ');
}

// What stands behind a word of the block's first line; NULL when the word is not there.
static const char *behind_word(const block *b, const char *word) {
  const size_t size = strlen(word);
  for (const char *at = b->info; at + size <= b->info + b->info_size; at++)
    if (at[-1] == ' ' && strncmp(at, word, size) == 0 && (at[size] == ' ' || at[size] == '\n')) return at + size;
  return NULL;
}

static bool has_word(const block *b, const char *word) {
  return behind_word(b, word) != NULL;
}

// The blocks that a block stands on.
typedef struct context {
  const block *before[CONTEXT];
  uint32_t count;
} context;

static clv_program *load(const context *c, const block *b) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  for (uint32_t k = 0; k < c->count; k++)
    assert_int_equal(clv_program_add(program, "before.rule", c->before[k]->text, c->before[k]->size), CLV_OK);
  assert_int_equal(clv_program_add(program, "x.rule", b->text, b->size), CLV_OK);
  return program;
}

static char *print_findings(const clv_program *program) {
  const clv_diagnostic *found;
  const uint32_t count = clv_program_diagnostics(program, &found);
  char *text = calloc(1, 1 << 16);
  assert_non_null(text);
  size_t used = 0;
  for (uint32_t k = 0; k < count; k++) {
    used += clv_diagnostic_print(program, &found[k], text + used, (1 << 16) - used);
    assert_true(used < 1 << 16);
  }
  return text;
}

// Calls `each` for every block of rules, with what it stands on.
static void for_rules(void (*each)(const context *c, const block *b, const block *next)) {
  context c = {.count = 0};
  for (uint32_t k = 0; k < block_count; k++) {
    const block *b = &blocks[k];
    if (!is_kind(b, "rule")) continue;
    if (!has_word(b, "+")) c.count = 0;
    each(&c, b, k + 1 < block_count ? &blocks[k + 1] : NULL);
    assert_true(c.count < CONTEXT);
    if (!has_word(b, "wrong")) c.before[c.count++] = b;
  }
}

// What is right

static uint32_t right_count;

static void check_right(const context *c, const block *b, const block *next) {
  (void)next;
  if (has_word(b, "wrong")) return;
  clv_program *program = load(c, b);
  const clv_result result = clv_program_check(program);
  if (result) {
    char *findings = print_findings(program);
    print_error("docs/rules.md:%u: this is refused:\n%s", b->line, findings);
    free(findings);
  }
  assert_int_equal(result, CLV_OK);
  clv_program_destroy(program);
  right_count++;
}

static void test_right(void **state) {
  (void)state;
  right_count = 0;
  for_rules(check_right);
  assert_true(right_count >= 15);
}

// What is wrong

static char codes[128];

static void check_wrong(const context *c, const block *b, const block *next) {
  const char *expected = behind_word(b, "wrong");
  if (!expected) return;
  char code = 0;
  unsigned line = 0, column = 0;
  assert_int_equal(sscanf(expected, " %c %u:%u", &code, &line, &column), 3);
  clv_program *program = load(c, b);
  assert_int_equal(clv_program_check(program), CLV_ERROR_INPUT);
  const clv_diagnostic *found;
  assert_true(clv_program_diagnostics(program, &found) > 0);
  char *findings = print_findings(program);
  const bool equal =
      next && is_kind(next, "text") && strlen(findings) == next->size && memcmp(findings, next->text, next->size) == 0;
  if (found->code != code || found->line != line || found->column != column || !equal)
    print_error("docs/rules.md:%u: expects %c at %u:%u and these words:\n%s", b->line, code, line, column, findings);
  assert_int_equal(found->code, code);
  assert_int_equal(found->line, line);
  assert_int_equal(found->column, column);
  assert_true(equal);
  codes[(unsigned char)code & 127]++;
  free(findings);
  clv_program_destroy(program);
}

// Every code has its example.
static void test_wrong(void **state) {
  (void)state;
  memset(codes, 0, sizeof codes);
  for_rules(check_wrong);
  for (const char *code = "LSICOEYPFTD"; *code; code++) {
    if (!codes[(unsigned char)*code]) print_error("docs/rules.md has no example of %c\n", *code);
    assert_true(codes[(unsigned char)*code] > 0);
  }
}

// Pictures

typedef struct picture {
  char name[64];
  bool drawn;
} picture;

static picture pictures[PICTURES];
static uint32_t picture_count;

static void compare_picture(void *user, const char *text, size_t size) {
  const picture *p = user;
  char name[128];
  snprintf(name, sizeof name, "pictures/%s.svg", p->name);
  char *there = read_file(name);
  const bool equal = strlen(there) == size && memcmp(there, text, size) == 0;
  if (!equal) print_error("docs/%s is not what `cleave rule show` draws now; draw it again\n", name);
  free(there);
  assert_true(equal);
}

static void draw_pictures(const context *c, const block *b, const block *next) {
  (void)next;
  if (has_word(b, "wrong")) return;
  clv_program *program = load(c, b);
  assert_int_equal(clv_program_check(program), CLV_OK);
  clv_declaration declaration;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++) {
    for (uint32_t p = 0; p < picture_count && !declaration.shipped; p++) {
      if (pictures[p].drawn || strcmp(pictures[p].name, declaration.name) != 0) continue;
      assert_int_equal(clv_program_draw(program, declaration.name, compare_picture, &pictures[p], NULL), CLV_OK);
      pictures[p].drawn = true;
    }
  }
  clv_program_destroy(program);
}

static void test_pictures(void **state) {
  (void)state;
  for (const char *at = page; (at = strstr(at, "src=\"pictures/")); at++) {
    assert_true(picture_count < PICTURES);
    assert_int_equal(sscanf(at, "src=\"pictures/%63[a-z0-9_].svg\"", pictures[picture_count].name), 1);
    picture_count++;
  }
  assert_true(picture_count >= 6);
  for_rules(draw_pictures);
  for (uint32_t p = 0; p < picture_count; p++) {
    if (!pictures[p].drawn) print_error("no rule of docs/rules.md is called '%s'\n", pictures[p].name);
    assert_true(pictures[p].drawn);
  }
}

// The page's own links lead somewhere, and its C is that of the example it names.

static void test_links(void **state) {
  (void)state;
  for (const char *at = page; (at = strstr(at, "](#")); at++) {
    char wanted[128] = "", heading[128];
    assert_int_equal(sscanf(at, "](#%127[a-z0-9-]", wanted), 1);
    bool found = false;
    for (const char *line = page; (line = strstr(line, "\n#")) && !found; line++) {
      const char *title = strchr(line + 1, ' ') + 1;
      size_t used = 0;
      for (; *title != '\n' && used < sizeof heading - 1; title++) {
        const char c = *title >= 'A' && *title <= 'Z' ? (char)(*title + 'a' - 'A') : *title;
        if (c == ' ' || c == '-')
          heading[used++] = '-';
        else if ((c >= 'a' && c <= 'z') || (c >= '0' && c <= '9'))
          heading[used++] = c;
      }
      heading[used] = '\0';
      found = strcmp(heading, wanted) == 0;
    }
    if (!found) print_error("docs/rules.md has no heading '%s'\n", wanted);
    assert_true(found);
  }
}

static void test_example(void **state) {
  (void)state;
  char *example = read_file("../examples/parts/rules.c");
  uint32_t count = 0;
  for (uint32_t k = 0; k < block_count; k++) {
    if (!is_kind(&blocks[k], "c")) continue;
    char *text = calloc(1, blocks[k].size + 1);
    assert_non_null(text);
    memcpy(text, blocks[k].text, blocks[k].size);
    if (!strstr(example, text)) print_error("docs/rules.md:%u: these lines are not in the example\n", blocks[k].line);
    assert_non_null(strstr(example, text));
    free(text);
    count++;
  }
  assert_true(count > 0);
  free(example);
}

static void test_example_prints(void **state) {
  (void)state;
  char printed[4096];
  FILE *program = popen(RULES_EXAMPLE, "r");
  assert_non_null(program);
  const size_t size = fread(printed, 1, sizeof printed, program);
  assert_int_equal(pclose(program), 0);
  uint32_t count = 0;
  for (uint32_t k = 1; k < block_count; k++) {
    if (!is_kind(&blocks[k], "text") || !is_kind(&blocks[k - 1], "c")) continue;
    if (size != blocks[k].size || memcmp(printed, blocks[k].text, size) != 0)
      fail_msg("docs/rules.md:%u: the example prints\n%.*s", blocks[k].line, (int)size, printed);
    count++;
  }
  assert_int_equal(count, 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_right), cmocka_unit_test(test_wrong),   cmocka_unit_test(test_pictures),
      cmocka_unit_test(test_links), cmocka_unit_test(test_example), cmocka_unit_test(test_example_prints),
  };
  return cmocka_run_group_tests(tests, read_page, free_page);
}
