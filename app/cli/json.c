// See json.h.

#include "json.h"

#include <inttypes.h>
#include <math.h>
#include <stdlib.h>

// ---- texts ----------------------------------------------------------------------------------------------------------

// The length of the UTF-8 character at `text`, 0 when there is none: bytes of another encoding.
static int character_length(const unsigned char *text) {
  static const struct {
    unsigned char first, last, second_low, second_high;
    int length;
  } forms[] = {
      {0x01, 0x7F, 0, 0, 1},       {0xC2, 0xDF, 0x80, 0xBF, 2}, {0xE0, 0xE0, 0xA0, 0xBF, 3},
      {0xE1, 0xEC, 0x80, 0xBF, 3}, {0xED, 0xED, 0x80, 0x9F, 3}, {0xEE, 0xEF, 0x80, 0xBF, 3},
      {0xF0, 0xF0, 0x90, 0xBF, 4}, {0xF1, 0xF3, 0x80, 0xBF, 4}, {0xF4, 0xF4, 0x80, 0x8F, 4},
  };
  for (size_t f = 0; f < sizeof forms / sizeof *forms; f++) {
    if (text[0] < forms[f].first || text[0] > forms[f].last) continue;
    const int length = forms[f].length;
    if (length > 1 && (text[1] < forms[f].second_low || text[1] > forms[f].second_high)) return 0;
    for (int i = 2; i < length; i++) {
      if ((text[i] & 0xC0) != 0x80) return 0;
    }
    return length;
  }
  return 0;
}

static void put_string(FILE *stream, const char *string) {
  const unsigned char *text = (const unsigned char *)string;
  fputc('"', stream);
  while (*text) {
    const int length = character_length(text);
    if (length == 0) {
      fputs("\\ufffd", stream);
      text++;
    } else if (*text < 0x20 || *text == 0x7F) {
      fprintf(stream, "\\u%04x", *text++);
    } else {
      if (*text == '"' || *text == '\\') fputc('\\', stream);
      for (int i = 0; i < length; i++) fputc(*text++, stream);
    }
  }
  fputc('"', stream);
}

// ---- members --------------------------------------------------------------------------------------------------------

static void begin_line(const cli_json *json) {
  fprintf(json->stream, "\n%*s", 2 * json->depth, "");
}

static void begin_member(cli_json *json, const char *name) {
  if (json->filled) fputc(',', json->stream);
  if (json->depth > 0) begin_line(json);
  if (name) {
    put_string(json->stream, name);
    fputs(": ", json->stream);
  }
  json->filled = true;
}

void cli_json_open(cli_json *json, const char *name, char bracket) {
  begin_member(json, name);
  fputc(bracket, json->stream);
  json->depth++;
  json->filled = false;
}

void cli_json_close(cli_json *json, char bracket) {
  json->depth--;
  if (json->filled) begin_line(json);
  fputc(bracket, json->stream);
  json->filled = true;
  if (json->depth == 0) fputc('\n', json->stream);
}

void cli_json_text(cli_json *json, const char *name, const char *text) {
  begin_member(json, name);
  put_string(json->stream, text);
}

void cli_json_integer(cli_json *json, const char *name, int64_t value) {
  begin_member(json, name);
  fprintf(json->stream, "%" PRId64, value);
}

void cli_json_count(cli_json *json, const char *name, uint64_t value) {
  begin_member(json, name);
  fprintf(json->stream, "%" PRIu64, value);
}

void cli_json_real(cli_json *json, const char *name, double value) {
  if (!isfinite(value)) {
    cli_json_null(json, name);
    return;
  }
  char text[32];
  for (int digits = 15; digits <= 17; digits++) { // the fewest that read back as the same number
    snprintf(text, sizeof text, "%.*g", digits, value);
    if (strtod(text, NULL) == value) break;
  }
  begin_member(json, name);
  fputs(text, json->stream);
}

void cli_json_bool(cli_json *json, const char *name, bool value) {
  begin_member(json, name);
  fputs(value ? "true" : "false", json->stream);
}

void cli_json_null(cli_json *json, const char *name) {
  begin_member(json, name);
  fputs("null", json->stream);
}
