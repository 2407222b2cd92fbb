// The parser's own tools, and the declarations that need little: use, param, embed, derive, def.

#include "rule/parse.h"

#include <locale.h>
#include <stdio.h>

void rule_advance(rule_parser *p) {
  p->last_end = p->token.end;
  p->token = rule_lex(p->program, p->file, p->token.end);
}

static const char *text_at(const rule_parser *p, uint32_t at) {
  return p->program->files.data[p->file].text + at;
}

bool rule_at(const rule_parser *p, const char *text) {
  const size_t size = p->token.end - p->token.start;
  return !p->failed && (p->token.kind == RULE_WORD_TOKEN || p->token.kind == RULE_SIGN) && strlen(text) == size &&
         memcmp(text_at(p, p->token.start), text, size) == 0;
}

bool rule_take(rule_parser *p, const char *text) {
  if (!rule_at(p, text)) return false;
  rule_advance(p);
  return true;
}

void rule_fail(rule_parser *p, const char *what, const char *help) {
  if (p->failed) return;
  p->failed = true;
  const uint32_t size = p->token.end - p->token.start;
  const rule_span span = {p->file, p->token.start, p->token.end};
  if (p->token.kind == RULE_END)
    rule_complain(p->program, 'L', span, "the file ends where %s is expected|%s", what, help);
  else
    rule_complain(p->program, 'L', span, "%s is expected, not '%.*s'|%s", what, (int)(size < 40 ? size : 40),
                  text_at(p, p->token.start), help);
}

bool rule_expect(rule_parser *p, const char *text, const char *where) {
  if (rule_take(p, text)) return true;
  char what[16], help[80];
  snprintf(what, sizeof what, "'%s'", text);
  snprintf(help, sizeof help, "write it %s", where);
  rule_fail(p, what, help);
  return false;
}

bool rule_enter(rule_parser *p) {
  if (++p->depth <= RULE_DEPTH) return true;
  if (!p->failed)
    rule_complain(p->program, 'L', (rule_span){p->file, p->token.start, p->token.end},
                  "this is nested too deeply|split it with let or def");
  p->failed = true;
  return false;
}

void rule_leave(rule_parser *p) {
  p->depth--;
}

const char *rule_token_name(rule_parser *p) {
  return rule_intern(p->program, text_at(p, p->token.start), p->token.end - p->token.start);
}

const char *rule_take_name(rule_parser *p, const char *what) {
  if (p->failed) return NULL;
  if (p->token.kind != RULE_WORD_TOKEN) {
    rule_fail(p, what, "a name is letters, digits and _");
    return NULL;
  }
  const char *name = rule_token_name(p);
  rule_advance(p);
  return name;
}

void rule_add(rule_parser *p, rule_trees *list, rule_tree *tree) {
  if (!tree || p->program->no_memory) return;
  if (!BASE_RESERVE(&p->program->arena.allocator, list, list->count + 1u)) {
    p->program->no_memory = p->failed = true;
    return;
  }
  list->data[list->count++] = tree;
}

rule_tree *rule_make(rule_parser *p, rule_kind kind, uint32_t start, const char *name, double number, uint32_t count,
                     rule_tree *const *children) {
  const uint32_t end = p->last_end > start ? p->last_end : start;
  rule_tree *tree = rule_tree_make(p->program, kind, (rule_span){p->file, start, end}, name, number, children, count);
  if (!tree) p->failed = true;
  return tree;
}

rule_tree *rule_finish(rule_parser *p, rule_kind kind, uint32_t start, const char *name, double number,
                       rule_trees *children) {
  rule_tree *tree = rule_make(p, kind, start, name, number, children->count, children->data);
  BASE_RELEASE(&p->program->arena.allocator, children);
  return tree;
}

rule_tree *rule_make_none(rule_parser *p) {
  return rule_make(p, RULE_NONE, p->token.start, NULL, 0, 0, NULL);
}

// (a, b)
rule_tree *rule_parse_names(rule_parser *p) {
  rule_trees names = {0};
  const uint32_t start = p->token.start;
  rule_expect(p, "(", "before the arguments");
  while (!p->failed && !rule_at(p, ")")) {
    const uint32_t at = p->token.start;
    const char *name = rule_take_name(p, "the name of an argument");
    rule_add(p, &names, rule_make(p, RULE_NAME, at, name, 0, 0, NULL));
    if (!rule_take(p, ",")) break;
  }
  rule_expect(p, ")", "behind the arguments");
  return rule_finish(p, RULE_LIST, start, NULL, 0, &names);
}

static rule_tree *parse_use(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of a module");
  rule_expect(p, ";", "behind the module's name");
  return rule_make(p, RULE_USE, start, name, 0, 0, NULL);
}

static rule_tree *parse_param(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of a parameter");
  rule_tree *type;
  if (rule_take(p, ":")) {
    type = rule_parse_type(p);
  } else {
    rule_tree *unit = rule_make_none(p);
    type = rule_make(p, RULE_TYPE, p->token.start, rule_intern(p->program, "real", 4), 0, RULE_CHILDREN(unit));
  }
  rule_expect(p, "=", "before the parameter's default");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "at the end of the declaration");
  return rule_make(p, RULE_PARAM, start, name, 0, RULE_CHILDREN(type, value));
}

// One policy: blend, merge sum|mean|keep|error, split copy|share; named merge_sum and so on in the tree.
static rule_tree *parse_policy(rule_parser *p) {
  static const struct {
    const char *word, *choices[5];
  } policies[] = {{"merge", {"sum", "mean", "keep", "error"}}, {"split", {"copy", "share"}}};
  const uint32_t start = p->token.start;
  if (rule_take(p, "blend")) return rule_make(p, RULE_NAME, start, rule_intern(p->program, "blend", 5), 0, 0, NULL);
  for (uint32_t k = 0; k < 2; k++) {
    if (!rule_take(p, policies[k].word)) continue;
    for (uint32_t c = 0; policies[k].choices[c]; c++) {
      if (!rule_take(p, policies[k].choices[c])) continue;
      char name[16];
      const size_t first = strlen(policies[k].word), second = strlen(policies[k].choices[c]);
      memcpy(name, policies[k].word, first);
      name[first] = '_';
      memcpy(name + first + 1, policies[k].choices[c], second);
      return rule_make(p, RULE_NAME, start, rule_intern(p->program, name, first + 1 + second), 0, 0, NULL);
    }
    rule_fail(p, k == 0 ? "'sum', 'mean', 'keep' or 'error'" : "'copy' or 'share'", "say what becomes of the value");
    return NULL;
  }
  rule_fail(p, "'blend', 'merge', 'split' or ';'", "end the declaration with ;");
  return NULL;
}

static rule_tree *parse_embed(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of an embedding");
  rule_expect(p, ":", "before the embedding's type");
  rule_tree *type = rule_parse_type(p);
  rule_expect(p, "on", "before the orbit that bears it");
  rule_tree *orbit = rule_parse_orbit(p);
  rule_tree *value = rule_take(p, "=") ? rule_parse_value(p) : rule_make_none(p);
  rule_trees policies = {0};
  const uint32_t at = p->token.start;
  while (!p->failed && !rule_at(p, ";")) rule_add(p, &policies, parse_policy(p));
  rule_tree *list = rule_finish(p, RULE_POLICIES, at, NULL, 0, &policies);
  rule_expect(p, ";", "at the end of the declaration");
  return rule_make(p, RULE_EMBED, start, name, 0, RULE_CHILDREN(type, orbit, value, list));
}

static rule_tree *parse_derive(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of a derived quantity");
  rule_expect(p, ":", "before its type");
  rule_tree *type = rule_parse_type(p);
  rule_expect(p, "on", "before the orbit that bears it");
  rule_tree *place = rule_parse_place(p);
  rule_tree *in = rule_take(p, "in") ? rule_parse_place(p) : rule_make_none(p);
  rule_expect(p, "=", "before its value");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "at the end of the declaration");
  return rule_make(p, RULE_DERIVE, start, name, 0, RULE_CHILDREN(type, place, in, value));
}

static rule_tree *parse_def(rule_parser *p, uint32_t start) {
  const char *name = rule_take_name(p, "the name of a function");
  rule_tree *names = rule_parse_names(p);
  rule_expect(p, "=", "before the function's value");
  rule_tree *value = rule_parse_value(p);
  rule_expect(p, ";", "at the end of the declaration");
  return rule_make(p, RULE_DEF, start, name, 0, RULE_CHILDREN(names, value));
}

static rule_tree *parse_declaration(rule_parser *p) {
  const uint32_t start = p->token.start;
  if (rule_take(p, "use")) return parse_use(p, start);
  if (rule_take(p, "param")) return parse_param(p, start);
  if (rule_take(p, "embed")) return parse_embed(p, start);
  if (rule_take(p, "derive")) return parse_derive(p, start);
  if (rule_take(p, "def")) return parse_def(p, start);
  if (rule_take(p, "force")) return rule_parse_law(p, RULE_FORCE, start);
  if (rule_take(p, "update")) return rule_parse_law(p, RULE_UPDATE, start);
  if (rule_take(p, "rule")) return rule_parse_rule(p, start);
  if (rule_take(p, "script")) return rule_parse_script(p, start);
  rule_fail(p, "a declaration", "begin with use, param, embed, derive, def, force, update, rule or script");
  return NULL;
}

static bool begins_declaration(const rule_parser *p) {
  static const char *const words[] = {"use", "param", "embed", "derive", "def", "force", "update", "rule", "script"};
  for (uint32_t k = 0; k < sizeof words / sizeof *words; k++)
    if (rule_at(p, words[k])) return true;
  return false;
}

// Behind a bad declaration: the next word that begins one at the start of a line.
static void recover(rule_parser *p, uint32_t start) {
  p->failed = false;
  p->depth = 0;
  p->token = rule_lex(p->program, p->file, start);
  rule_advance(p);
  while (p->token.kind != RULE_END) {
    const uint32_t at = p->token.start;
    if (begins_declaration(p) && (at == 0 || *text_at(p, at - 1) == '\n')) return;
    rule_advance(p);
  }
}

static void parse_declarations(clv_program *program, uint32_t file) {
  rule_parser p = {.program = program, .file = file};
  p.token = rule_lex(program, file, 0);
  while (p.token.kind != RULE_END && !program->no_memory) {
    const uint32_t at = p.token.start;
    rule_tree *tree = parse_declaration(&p);
    if (!p.failed && tree) {
      if (!BASE_RESERVE(&program->arena.allocator, &program->declarations, program->declarations.count + 1u)) {
        program->no_memory = true;
        return;
      }
      program->declarations.data[program->declarations.count++] = tree;
      continue;
    }
    recover(&p, at);
  }
}

// A point is a point, whatever the program's locale says.
void rule_parse(clv_program *program, uint32_t file) {
  const locale_t plain = newlocale(LC_ALL_MASK, "C", (locale_t)0);
  if (plain == (locale_t)0) {
    program->no_memory = true;
    return;
  }
  const locale_t before = uselocale(plain);
  parse_declarations(program, file);
  uselocale(before);
  freelocale(plain);
}
