// Reading text. See text.h.

#include "io/text.h"

#include "io/number.h"

#include <string.h>
#include <strings.h>

static bool io_is_blank(char c) {
  return c == ' ' || (c >= '\t' && c <= '\r');
}

// ---- words and lines ------------------------------------------------------------------------------------------------

void io_skip_blanks(io_reader *r) {
  while (r->at < r->end && io_is_blank(*r->at)) r->at++;
}

io_span io_word(io_reader *r) {
  io_skip_blanks(r);
  r->mark = r->at;
  const char *at = r->at;
  while (at < r->end && !io_is_blank(*at)) at++;
  r->at = at;
  return (io_span){r->mark, (size_t)(at - r->mark)};
}

io_span io_peek_word(const io_reader *r) {
  io_reader copy = *r;
  return io_word(&copy);
}

bool io_line_ends(io_reader *r) {
  while (r->at < r->end && io_is_blank(*r->at) && *r->at != '\n') r->at++;
  return r->at == r->end || *r->at == '\n';
}

bool io_end_line(io_reader *r, const char *after) {
  if (!io_ok(r)) return false;
  if (io_line_ends(r)) return true;
  return io_fail(r, "unexpected %s after %s", io_quote(io_word(r)).text, after);
}

io_span io_rest_of_line(io_reader *r) {
  io_line_ends(r);
  r->mark = r->at;
  const char *line_end = memchr(r->at, '\n', io_left(r));
  r->at = line_end ? line_end + 1 : r->end;
  return io_trim((io_span){r->mark, (size_t)(r->at - r->mark)});
}

io_span io_quoted_name(io_reader *r, const char *what) {
  io_span line = io_rest_of_line(r);
  if (line.size >= 2 && line.at[0] == '"' && line.at[line.size - 1] == '"') {
    return (io_span){line.at + 1, line.size - 2};
  }
  io_fail(r, "expected %s in quotation marks, found %s", what, io_quote(line).text);
  return (io_span){r->end, 0};
}

// ---- numbers --------------------------------------------------------------------------------------------------------

bool io_parse_integer(io_span word, int64_t *value) {
  const char *at = word.at, *end = word.at + word.size;
  bool negative = at < end && *at == '-';
  if (at < end && (*at == '-' || *at == '+')) at++;
  if (at == end) return false;
  uint64_t limit = (uint64_t)INT64_MAX + negative, magnitude = 0;
  for (; at < end; at++) {
    unsigned digit = (unsigned)*at - '0';
    if (digit > 9 || magnitude > (limit - digit) / 10) return false;
    magnitude = magnitude * 10 + digit;
  }
  *value = negative ? (int64_t)(0 - magnitude) : (int64_t)magnitude;
  return true;
}

int64_t io_text_integer(io_reader *r, const char *what) {
  io_span word = io_word(r);
  int64_t value = 0;
  if (!io_parse_integer(word, &value)) io_fail(r, "expected %s, found %s", what, io_quote(word).text);
  return io_ok(r) ? value : 0;
}

double io_text_real(io_reader *r, const char *what) {
  io_span word = io_word(r);
  double value = 0;
  if (!io_parse_real(word.at, word.size, &value)) io_fail(r, "expected %s, found %s", what, io_quote(word).text);
  return io_ok(r) ? value : 0;
}

size_t io_text_count(io_reader *r, const char *things, size_t least) {
  io_span word = io_word(r);
  int64_t count = 0;
  if (!io_parse_integer(word, &count) || count < 0) {
    io_fail(r, "expected the number of %s, found %s", things, io_quote(word).text);
    return 0;
  }
  return io_room(r, (uint64_t)count, least, things) ? (size_t)count : 0;
}

// ---- spans ----------------------------------------------------------------------------------------------------------

bool io_span_is(io_span span, const char *word) {
  return strlen(word) == span.size && memcmp(span.at, word, span.size) == 0;
}

bool io_span_is_nocase(io_span span, const char *word) {
  return strlen(word) == span.size && strncasecmp(span.at, word, span.size) == 0;
}

io_span io_trim(io_span span) {
  while (span.size && io_is_blank(span.at[span.size - 1])) span.size--;
  while (span.size && io_is_blank(span.at[0])) span.at++, span.size--;
  return span;
}
