#include "rule/lex.h"

static bool is_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

static bool is_digit(char c) {
  return c >= '0' && c <= '9';
}

static uint32_t skip_blank(const rule_file *file, uint32_t at) {
  for (;; at++) {
    const char c = file->text[at];
    if (c == '#') {
      while (at < file->size && file->text[at] != '\n') at++;
      if (at == file->size) return at;
    } else if (c != ' ' && c != '\t' && c != '\r' && c != '\n') {
      return at;
    }
  }
}

static uint32_t skip_digits(const char *text, uint32_t at) {
  while (is_digit(text[at])) at++;
  return at;
}

// Digits, a fraction, an exponent. A point is part of the number only before a digit: e@0.pos is a step and a field.
static uint32_t skip_number(const char *text, uint32_t at) {
  at = skip_digits(text, at);
  if (text[at] == '.' && is_digit(text[at + 1])) at = skip_digits(text, at + 1);
  if (text[at] == 'e' || text[at] == 'E') {
    uint32_t power = at + 1;
    if (text[power] == '+' || text[power] == '-') power++;
    if (is_digit(text[power])) at = skip_digits(text, power);
  }
  return at;
}

static bool is_pair(const char *text) {
  static const char pairs[][3] = {"==", "!=", "<=", ">=", "&&", "||", ":="};
  for (uint32_t k = 0; k < sizeof pairs / sizeof *pairs; k++)
    if (text[0] == pairs[k][0] && text[1] == pairs[k][1]) return true;
  return false;
}

static rule_token lex_string(clv_program *program, uint32_t number, uint32_t start) {
  const rule_file *file = &program->files.data[number];
  uint32_t at = start + 1;
  while (at < file->size && file->text[at] != '"' && file->text[at] != '\n') at++;
  if (at == file->size || file->text[at] == '\n')
    rule_complain(program, 'L', (rule_span){number, start, at},
                  "this text has no end|close it with \" on the same line");
  else
    at++;
  return (rule_token){RULE_STRING_TOKEN, start, at};
}

rule_token rule_lex(clv_program *program, uint32_t file_number, uint32_t at) {
  const rule_file *file = &program->files.data[file_number];
  for (;;) {
    const uint32_t start = skip_blank(file, at);
    const char *text = file->text;
    const char c = text[start];
    if (start >= file->size) return (rule_token){RULE_END, start, start};
    if (is_letter(c)) {
      uint32_t end = start;
      while (is_letter(text[end]) || is_digit(text[end])) end++;
      return (rule_token){RULE_WORD_TOKEN, start, end};
    }
    if (is_digit(c)) return (rule_token){RULE_NUMBER_TOKEN, start, skip_number(text, start)};
    if (c == '"') return lex_string(program, file_number, start);
    if (is_pair(text + start)) return (rule_token){RULE_SIGN, start, start + 2};
    if (c > ' ' && c < 127 && strchr("()[]{}<>,;:.=+-*/^!@|&?'", c)) return (rule_token){RULE_SIGN, start, start + 1};
    // The bytes of one character beyond ASCII are reported together.
    uint32_t end = start + 1;
    while (end < file->size && ((unsigned char)text[end] & 0xC0u) == 0x80u) end++;
    rule_complain(program, 'L', (rule_span){file_number, start, end},
                  "this character has no meaning here|remove it; text that is no rule goes behind #");
    at = end;
  }
}
