// JSON, read without mercy and written as it goes.
//
// What is read comes from anywhere: a text is one object, at most LIVE_JSON_DEPTH deep, of at most LIVE_JSON_NODES
// values; no comments, no commas too many, no numbers but JSON's, no bytes that are no UTF-8. Nothing is allocated: a
// document is a struct. What is written goes to a text that grows.

#ifndef LIVE_JSON_H
#define LIVE_JSON_H

#include "base/memory.h"

enum { LIVE_JSON_DEPTH = 8, LIVE_JSON_NODES = 256, LIVE_JSON_BYTES = 16384 };

typedef enum live_json_kind {
  LIVE_JSON_NULL,
  LIVE_JSON_BOOL,
  LIVE_JSON_NUMBER,
  LIVE_JSON_TEXT,
  LIVE_JSON_LIST,
  LIVE_JSON_OBJECT,
} live_json_kind;

typedef struct live_json {
  live_json_kind kind;
  bool truth;
  double number;
  const char *key;  // of a member, ended by zero; NULL for others
  const char *text; // ended by zero, without one inside
  uint32_t count;   // of items
  uint32_t first, next;
} live_json;

typedef struct live_json_document {
  live_json nodes[LIVE_JSON_NODES];
  char text[LIVE_JSON_BYTES + 2 * LIVE_JSON_NODES];
  uint32_t count;
} live_json_document;

// The object, or NULL and what is wrong with it.
const live_json *live_json_read(live_json_document *document, const char *text, size_t size, const char **wrong);
const live_json *live_json_member(const live_json_document *document, const live_json *object, const char *key);
const live_json *live_json_item(const live_json_document *document, const live_json *list, uint32_t i);

// A text that grows; once memory is out it stays as it is, and says so.
typedef struct live_text {
  BASE_ARRAY(char) bytes;
  const clv_allocator *allocator;
  bool failed;
} live_text;

void live_say(live_text *text, const char *format, ...) CLV_PRINTF(2, 3);
// In quotes, with what JSON wants escaped; bytes that are no UTF-8 become U+FFFD.
void live_say_text(live_text *text, const char *what);
// Numbers that JSON does not have become null.
void live_say_number(live_text *text, double number);
void live_text_free(live_text *text);

#endif
