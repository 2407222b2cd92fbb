// Text as it is put together: rows, XML and JSON, in memory.
//
// Whatever the locale, numbers have a point, and a double that is written comes back to the bit. Failures stick, so
// that callers ask once, at the end.

#ifndef RESULT_TEXT_H
#define RESULT_TEXT_H

#include "base/memory.h"

typedef struct result_text {
  const clv_allocator *allocator;
  char *data;
  uint32_t count, capacity;
  bool failed;
} result_text;

void result_text_init(result_text *text, const clv_allocator *allocator);
void result_text_free(result_text *text);
void result_text_empty(result_text *text);
void result_put(result_text *text, const char *bytes);
void result_putf(result_text *text, const char *format, ...) CLV_PRINTF(2, 3);
// Seventeen digits: the same double comes back. The point is a point in every locale.
void result_put_real(result_text *text, double value);
// With what XML or JSON must not contain escaped; the quotation marks are not written. What is no UTF-8 becomes "?".
void result_put_xml(result_text *text, const char *bytes);
void result_put_json(result_text *text, const char *bytes);

// Whether bytes are text at all.
bool result_is_utf8(const char *bytes);

#endif
