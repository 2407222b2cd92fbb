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

void result_put_xml(result_text *text, const char *bytes) {
  for (; *bytes; bytes++) {
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
      put_bytes(text, (unsigned char)*bytes < 0x20 ? " " : bytes, 1);
    }
  }
}

void result_put_json(result_text *text, const char *bytes) {
  for (; *bytes; bytes++) {
    if (*bytes == '"' || *bytes == '\\') {
      result_putf(text, "\\%c", *bytes);
    } else if ((unsigned char)*bytes < 0x20) {
      result_putf(text, "\\u%04x", (unsigned)(unsigned char)*bytes);
    } else {
      put_bytes(text, bytes, 1);
    }
  }
}
