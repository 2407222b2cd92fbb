// Text as it is put together. See text.h.

#include "result/text.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>

void result_text_init(result_text *text, const clv_allocator *allocator) {
  *text = (result_text){.allocator = allocator};
}

void result_text_free(result_text *text) {
  base_free(text->allocator, text->data, text->capacity);
  *text = (result_text){.allocator = text->allocator};
}

void result_text_empty(result_text *text) {
  text->count = 0;
  text->failed = false;
}

static void put_bytes(result_text *text, const char *bytes, size_t size) {
  if (text->failed) return;
  if (!base_grow(text->allocator, &text->data, &text->capacity, text->count + (uint64_t)size + 1, 1)) {
    text->failed = true;
    return;
  }
  memcpy(text->data + text->count, bytes, size);
  text->count += (uint32_t)size;
  text->data[text->count] = '\0';
}

void result_put(result_text *text, const char *bytes) {
  put_bytes(text, bytes, strlen(bytes));
}

void result_putf(result_text *text, const char *format, ...) {
  char line[1024];
  va_list arguments;
  va_start(arguments, format);
  const int length = vsnprintf(line, sizeof line, format, arguments);
  va_end(arguments);
  if (length < 0 || (size_t)length >= sizeof line) {
    text->failed = true;
    return;
  }
  put_bytes(text, line, (size_t)length);
}

void result_put_real(result_text *text, double value) {
  char digits[64];
  if (isnan(value)) {
    result_put(text, "nan"); // without the sign that some libraries print
    return;
  }
  snprintf(digits, sizeof digits, "%.17g", value);
  // What is no part of a number in C stands for the point in this locale; it may be several bytes long.
  char *end = digits;
  for (const char *at = digits; *at; at++) {
    if (strchr("0123456789+-einf", *at))
      *end++ = *at;
    else if (end[-1] != '.')
      *end++ = '.';
  }
  *end = '\0';
  result_put(text, digits);
}

// The bytes of the character at a place; 0 where there is none. Overlong forms, surrogates and what lies behind
// U+10FFFF are none.
static size_t character_size(const char *bytes) {
  const unsigned char *b = (const unsigned char *)bytes;
  if (b[0] < 0x80) return 1;
  const size_t size = b[0] >= 0xc2 && b[0] < 0xe0   ? 2
                      : b[0] >= 0xe0 && b[0] < 0xf0 ? 3
                      : b[0] >= 0xf0 && b[0] < 0xf5 ? 4
                                                    : 0;
  for (size_t k = 1; k < size; k++) {
    if ((b[k] & 0xc0) != 0x80) return 0;
  }
  const bool overlong = (b[0] == 0xe0 && b[1] < 0xa0) || (b[0] == 0xf0 && b[1] < 0x90);
  const bool beyond = (b[0] == 0xed && b[1] >= 0xa0) || (b[0] == 0xf4 && b[1] >= 0x90);
  return overlong || beyond ? 0 : size;
}

bool result_is_utf8(const char *bytes) {
  for (size_t size = 1; *bytes; bytes += size) {
    size = character_size(bytes);
    if (!size) return false;
  }
  return true;
}

// A character that needs no escape. Returns its size.
static size_t put_character(result_text *text, const char *bytes) {
  const size_t size = character_size(bytes);
  put_bytes(text, size ? bytes : "?", size ? size : 1);
  return size ? size : 1;
}

void result_put_xml(result_text *text, const char *bytes) {
  for (size_t size = 1; *bytes; bytes += size) {
    size = 1;
    switch (*bytes) {
    case '&':
      result_put(text, "&amp;");
      break;
    case '<':
      result_put(text, "&lt;");
      break;
    case '>':
      result_put(text, "&gt;");
      break;
    case '"':
      result_put(text, "&quot;");
      break;
    default:
      if ((unsigned char)*bytes < 0x20) {
        result_put(text, " ");
      } else {
        size = put_character(text, bytes);
      }
    }
  }
}

void result_put_json(result_text *text, const char *bytes) {
  for (size_t size = 1; *bytes; bytes += size) {
    size = 1;
    if (*bytes == '"' || *bytes == '\\') {
      result_putf(text, "\\%c", *bytes);
    } else if ((unsigned char)*bytes < 0x20) {
      result_putf(text, "\\u%04x", (unsigned)(unsigned char)*bytes);
    } else {
      size = put_character(text, bytes);
    }
  }
}
