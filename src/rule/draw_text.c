// Text that grows. See draw.h.

#include "rule/draw.h"

#include <stdarg.h>
#include <stdio.h>

void rule_text_free(rule_text *text) {
  BASE_RELEASE(&text->allocator, &text->bytes);
}

void rule_text_add(rule_text *text, const char *piece, size_t size) {
  // One more than asked for, so that printf's zero has room.
  if (text->no_memory || !BASE_RESERVE(&text->allocator, &text->bytes, (uint64_t)text->bytes.count + size + 1u)) {
    text->no_memory = true;
    return;
  }
  memcpy(text->bytes.data + text->bytes.count, piece, size);
  text->bytes.count += (uint32_t)size;
  text->bytes.data[text->bytes.count] = '\0';
}

void rule_text_print(rule_text *text, const char *format, ...) {
  char piece[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(piece, sizeof piece, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  rule_text_add(text, piece, (size_t)length < sizeof piece ? (size_t)length : sizeof piece - 1);
}

void rule_text_source(rule_text *text, const clv_program *program, rule_span span, size_t most) {
  const char *source = program->files.data[span.file].text;
  size_t written = 0;
  bool blank = false;
  for (uint32_t at = span.start; at < span.end; at++) {
    char c = source[at];
    if (c == '#')
      while (at < span.end && source[at] != '\n') at++;
    if (c == '#' || c == ' ' || c == '\t' || c == '\r' || c == '\n') {
      blank = written > 0;
      continue;
    }
    if (written + 4 > most) {
      rule_text_add(text, " ...", 4);
      return;
    }
    if (blank) rule_text_add(text, " ", 1);
    written += blank;
    blank = false;
    rule_text_add(text, &c, 1);
    written++;
  }
}
