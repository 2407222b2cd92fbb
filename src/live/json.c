#include "live/json.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>

// ---- reading ------------------------------------------------------------------------------------

typedef struct reader {
  live_json_document *document;
  const char *at, *end;
  char *room; // where the next text goes
  const char *wrong;
} reader;

static bool fail(reader *r, const char *what) {
  if (!r->wrong) r->wrong = what;
  return false;
}

static void skip(reader *r) {
  while (r->at < r->end && (*r->at == ' ' || *r->at == '\t' || *r->at == '\n' || *r->at == '\r')) r->at++;
}

static bool take(reader *r, char letter) {
  if (r->at == r->end || *r->at != letter) return false;
  r->at++;
  return true;
}

// The length of the UTF-8 character at `at`, 0 where there is none.
static uint32_t character(const char *at, const char *end) {
  const unsigned char first = (unsigned char)*at;
  const uint32_t length = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first < 0xF0 ? 3 : 4;
  if (first >= 0x80 && (first < 0xC2 || first > 0xF4)) return 0;
  if ((size_t)(end - at) < length) return 0;
  for (uint32_t k = 1; k < length; k++)
    if (((unsigned char)at[k] & 0xC0) != 0x80) return 0;
  const unsigned char second = length > 1 ? (unsigned char)at[1] : 0;
  if ((first == 0xE0 && second < 0xA0) || (first == 0xED && second > 0x9F) || (first == 0xF0 && second < 0x90) ||
      (first == 0xF4 && second > 0x8F))
    return 0;
  return length;
}

static bool read_hex(reader *r, uint32_t *code) {
  *code = 0;
  for (uint32_t k = 0; k < 4; k++) {
    if (r->at == r->end) return false;
    const char c = *r->at++;
    const int digit = c >= '0' && c <= '9'   ? c - '0'
                      : c >= 'a' && c <= 'f' ? c - 'a' + 10
                      : c >= 'A' && c <= 'F' ? c - 'A' + 10
                                             : -1;
    if (digit < 0) return false;
    *code = *code * 16 + (uint32_t)digit;
  }
  return true;
}

// What stands behind a backslash. Escapes take at least as much room in the message as what they stand for.
static bool read_escape(reader *r) {
  static const char letters[] = "\"\\/bfnrt", meant[] = "\"\\/\b\f\n\r\t";
  if (r->at == r->end) return fail(r, "a text does not end");
  const char letter = *r->at++;
  const char *found = letter ? strchr(letters, letter) : NULL;
  if (found) {
    *r->room++ = meant[found - letters];
    return true;
  }
  uint32_t code = 0, low = 0;
  if (letter != 'u' || !read_hex(r, &code)) return fail(r, "an escape that JSON does not have");
  if (code >= 0xD800 && code < 0xDC00) {
    if (!take(r, '\\') || !take(r, 'u') || !read_hex(r, &low) || low < 0xDC00 || low > 0xDFFF)
      return fail(r, "half a character");
    code = 0x10000 + ((code - 0xD800) << 10) + (low - 0xDC00);
  } else if (code >= 0xDC00 && code < 0xE000) {
    return fail(r, "half a character");
  }
  if (code == 0) return fail(r, "a zero inside a text");
  const uint32_t more = code < 0x80 ? 0 : code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
  static const unsigned char marks[] = {0, 0xC0, 0xE0, 0xF0};
  *r->room++ = (char)(marks[more] | code >> (6 * more));
  for (uint32_t k = more; k-- > 0;) *r->room++ = (char)(0x80 | (code >> (6 * k) & 0x3F));
  return true;
}

static const char *read_text(reader *r) {
  const char *text = r->room;
  if (!take(r, '"')) {
    fail(r, "a name must stand in quotes");
    return NULL;
  }
  while (r->at < r->end && *r->at != '"') {
    if (*r->at == '\\') {
      r->at++;
      if (!read_escape(r)) return NULL;
      continue;
    }
    const uint32_t length = character(r->at, r->end);
    if (!length || (unsigned char)*r->at < 0x20) {
      fail(r, "bytes that are no text");
      return NULL;
    }
    memcpy(r->room, r->at, length);
    r->room += length;
    r->at += length;
  }
  if (!take(r, '"')) {
    fail(r, "a text does not end");
    return NULL;
  }
  *r->room++ = '\0';
  return text;
}

static const char *digits(const char *at, const char *end) {
  while (at < end && *at >= '0' && *at <= '9') at++;
  return at;
}

static bool read_number(reader *r, double *number) {
  enum { LONGEST = 40 };
  const char *at = r->at, *first = at;
  if (at < r->end && *at == '-') at++;
  const char *whole = at;
  at = digits(at, r->end);
  if (at == whole || (*whole == '0' && at - whole > 1)) return fail(r, "a value that JSON does not have");
  if (at < r->end && *at == '.') {
    const char *part = ++at;
    at = digits(at, r->end);
    if (at == part) return fail(r, "a number that ends with its point");
  }
  if (at < r->end && (*at == 'e' || *at == 'E')) {
    at++;
    if (at < r->end && (*at == '+' || *at == '-')) at++;
    const char *power = at;
    at = digits(at, r->end);
    if (at == power) return fail(r, "a number without its power");
  }
  char copy[LONGEST + 1];
  if (at - first > LONGEST) return fail(r, "a number with too many digits");
  memcpy(copy, first, (size_t)(at - first));
  copy[at - first] = '\0';
  *number = strtod(copy, NULL);
  if (!isfinite(*number)) return fail(r, "a number that is not finite");
  r->at = at;
  return true;
}

static bool read_word(reader *r, const char *word) {
  const size_t length = strlen(word);
  if ((size_t)(r->end - r->at) < length || memcmp(r->at, word, length) != 0)
    return fail(r, "a value that JSON does not have");
  r->at += length;
  return true;
}

static uint32_t read_value(reader *r, uint32_t depth);

static bool read_items(reader *r, uint32_t node, uint32_t depth, char close) {
  live_json *nodes = r->document->nodes;
  uint32_t last = 0;
  skip(r);
  if (take(r, close)) return true;
  for (;;) {
    const char *key = NULL;
    skip(r);
    if (close == '}') {
      key = read_text(r);
      skip(r);
      if (!key) return false;
      if (!take(r, ':')) return fail(r, "a name without its ':'");
    }
    const uint32_t item = read_value(r, depth + 1);
    if (!item) return false;
    for (uint32_t k = nodes[node].first; key && k; k = nodes[k].next)
      if (!strcmp(nodes[k].key, key)) return fail(r, "a name that stands there twice");
    nodes[item].key = key;
    *(last ? &nodes[last].next : &nodes[node].first) = item;
    nodes[node].count++;
    last = item;
    skip(r);
    if (take(r, close)) return true;
    if (!take(r, ',')) return fail(r, "what is open does not end");
  }
}

// The number of the value's node; 0 when it is wrong.
static uint32_t read_value(reader *r, uint32_t depth) {
  skip(r);
  if (depth > LIVE_JSON_DEPTH) return fail(r, "too deep");
  if (r->document->count == LIVE_JSON_NODES) return fail(r, "too many values");
  if (r->at == r->end) return fail(r, "it ends too early");
  const uint32_t number = r->document->count++;
  live_json *node = &r->document->nodes[number];
  *node = (live_json){.kind = LIVE_JSON_NULL};
  bool good = true;
  switch (*r->at) {
  case '{':
  case '[':
    node->kind = *r->at == '{' ? LIVE_JSON_OBJECT : LIVE_JSON_LIST;
    good = read_items((r->at++, r), number, depth, node->kind == LIVE_JSON_OBJECT ? '}' : ']');
    break;
  case '"':
    node->kind = LIVE_JSON_TEXT;
    good = (node->text = read_text(r));
    break;
  case 't':
  case 'f':
    node->kind = LIVE_JSON_BOOL;
    node->truth = *r->at == 't';
    good = read_word(r, node->truth ? "true" : "false");
    break;
  case 'n':
    good = read_word(r, "null");
    break;
  default:
    node->kind = LIVE_JSON_NUMBER;
    good = read_number(r, &node->number);
  }
  return good ? number : 0;
}

const live_json *live_json_read(live_json_document *document, const char *text, size_t size, const char **wrong) {
  reader r = {.document = document, .at = text, .end = text + size, .room = document->text};
  document->count = 1; // 0 stands for none
  *wrong = NULL;
  if (size > LIVE_JSON_BYTES) {
    *wrong = "it is too long";
    return NULL;
  }
  const uint32_t root = read_value(&r, 1);
  skip(&r);
  if (root && r.at != r.end) fail(&r, "something stands behind its end");
  if (root && document->nodes[root].kind != LIVE_JSON_OBJECT) fail(&r, "it is no object");
  *wrong = r.wrong;
  return r.wrong ? NULL : &document->nodes[root];
}

const live_json *live_json_member(const live_json_document *document, const live_json *object, const char *key) {
  if (!object || object->kind != LIVE_JSON_OBJECT) return NULL;
  for (uint32_t k = object->first; k; k = document->nodes[k].next)
    if (!strcmp(document->nodes[k].key, key)) return &document->nodes[k];
  return NULL;
}

const live_json *live_json_item(const live_json_document *document, const live_json *list, uint32_t i) {
  if (!list || list->kind != LIVE_JSON_LIST || i >= list->count) return NULL;
  uint32_t at = list->first;
  while (i-- > 0) at = document->nodes[at].next;
  return &document->nodes[at];
}

// ---- writing ------------------------------------------------------------------------------------

static bool reserve(live_text *text, size_t more) {
  if (!text->failed)
    text->failed = !BASE_RESERVE(text->allocator, &text->bytes, (uint64_t)text->bytes.count + more + 1);
  return !text->failed;
}

void live_say(live_text *text, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  if (length >= 0 && reserve(text, (size_t)length)) {
    vsnprintf(text->bytes.data + text->bytes.count, (size_t)length + 1, format, again);
    text->bytes.count += (uint32_t)length;
  }
  va_end(again);
  va_end(arguments);
}

void live_say_text(live_text *text, const char *what) {
  live_say(text, "\"");
  for (const char *at = what, *end = what + strlen(what); at < end;) {
    const uint32_t length = character(at, end);
    if (!length) {
      live_say(text, "\\ufffd");
      at++;
      continue;
    }
    const unsigned char c = (unsigned char)*at;
    if (c < 0x20 || c == 0x7F)
      live_say(text, "\\u%04x", c);
    else
      live_say(text, "%s%.*s", c == '"' || c == '\\' ? "\\" : "", (int)length, at);
    at += length;
  }
  live_say(text, "\"");
}

void live_say_number(live_text *text, double number) {
  char shown[32];
  if (!isfinite(number)) {
    live_say(text, "null");
    return;
  }
  for (int precision = 6; precision <= 17; precision++) { // the fewest digits that read back as the same number
    snprintf(shown, sizeof shown, "%.*g", precision, number);
    if (strtod(shown, NULL) == number) break;
  }
  live_say(text, "%s", shown);
}

void live_text_free(live_text *text) {
  BASE_RELEASE(text->allocator, &text->bytes);
  text->failed = false;
}
