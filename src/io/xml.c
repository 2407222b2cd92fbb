// A small reader of XML. See xml.h.

#include "io/xml.h"

#include "io/text.h"

#include <string.h>

static bool xml_is_blank(char c) {
  return c == ' ' || c == '\t' || c == '\r' || c == '\n';
}

static bool xml_is_name(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == ':' ||
         c == '-' || c == '.' || (unsigned char)c >= 0x80;
}

static bool xml_starts_with(const char *at, const char *end, const char *text) {
  size_t size = strlen(text);
  return (size_t)(end - at) >= size && memcmp(at, text, size) == 0;
}

static const char *xml_find(const char *at, const char *end, const char *text) {
  for (; (at = memchr(at, text[0], (size_t)(end - at))); at++) {
    if (xml_starts_with(at, end, text)) return at;
  }
  return NULL;
}

// ---- what is not a tag ----------------------------------------------------------------------------------------------

typedef struct xml_markup {
  const char *start, *end, *what;
} xml_markup;

static const xml_markup xml_comment = {"<!--", "-->", "comment"};
static const xml_markup xml_cdata = {"<![CDATA[", "]]>", "CDATA section"};
static const xml_markup xml_instruction = {"<?", "?>", "processing instruction"};

// If such markup stands here, moves behind it and gives its content.
static bool xml_take_markup(io_reader *r, const xml_markup *markup, io_span *content) {
  if (!xml_starts_with(r->at, r->end, markup->start)) return false;
  r->mark = r->at;
  const char *begin = r->at + strlen(markup->start);
  const char *end = xml_find(begin, r->end, markup->end);
  if (!end) return io_fail(r, "a %s has no end", markup->what);
  *content = (io_span){begin, (size_t)(end - begin)};
  r->at = end + strlen(markup->end);
  return true;
}

io_span io_xml_text(io_xml *x) {
  io_reader *r = x->r;
  io_span content = {r->end, 0};
  do {
    io_skip_blanks(r);
  } while (xml_take_markup(r, &xml_comment, &content));
  if (xml_take_markup(r, &xml_cdata, &content)) return content;
  const char *end = memchr(r->at, '<', io_left(r));
  content = (io_span){r->at, end ? (size_t)(end - r->at) : io_left(r)};
  r->at += content.size;
  return content;
}

// ---- tags -----------------------------------------------------------------------------------------------------------

static io_span xml_take_name(const char **at, const char *end) {
  io_span name = {*at, 0};
  while (*at < end && xml_is_name(**at)) (*at)++;
  name.size = (size_t)(*at - name.at);
  return name;
}

static void xml_skip_blanks(const char **at, const char *end) {
  while (*at < end && xml_is_blank(**at)) (*at)++;
}

// One `name = "value"`; false where none stands.
static bool xml_take_attribute(const char **at, const char *end, io_span *name, io_span *value) {
  xml_skip_blanks(at, end);
  *name = xml_take_name(at, end);
  xml_skip_blanks(at, end);
  if (name->size == 0 || *at == end || **at != '=') return false;
  (*at)++;
  xml_skip_blanks(at, end);
  if (*at == end || (**at != '"' && **at != '\'')) return false;
  const char *close = memchr(*at + 1, **at, (size_t)(end - *at - 1));
  if (!close) return false;
  *value = (io_span){*at + 1, (size_t)(close - *at - 1)};
  *at = close + 1;
  return true;
}

// Reads a tag whose '<' stands here.
static bool xml_read_tag(io_reader *r, io_xml_tag *tag) {
  const char *at = r->at + 1;
  tag->mark = r->mark = r->at;
  tag->closes = at < r->end && *at == '/';
  tag->opens = !tag->closes;
  if (tag->closes) at++;
  tag->name = xml_take_name(&at, r->end);
  if (tag->name.size == 0) return io_fail(r, "expected the name of an element behind '<'");
  tag->attributes.at = at;
  io_span name, value;
  for (const char *next = at; xml_take_attribute(&next, r->end, &name, &value);) at = next;
  tag->attributes.size = (size_t)(at - tag->attributes.at);
  xml_skip_blanks(&at, r->end);
  if (tag->opens && at < r->end && *at == '/') tag->closes = true, at++;
  if (at == r->end || *at != '>') return io_fail(r, "the tag %s is not well-formed", io_quote(tag->name).text);
  r->at = at + 1;
  return true;
}

static bool xml_track_nesting(io_xml *x, const io_xml_tag *tag) {
  if (tag->opens && tag->closes) return true;
  if (tag->opens) {
    if (x->depth == IO_XML_MAX_DEPTH) return io_fail(x->r, "elements are nested more than %d deep", IO_XML_MAX_DEPTH);
    x->open[x->depth++] = tag->name;
    return true;
  }
  io_span open = x->depth ? x->open[x->depth - 1] : (io_span){x->r->end, 0};
  if (open.size != tag->name.size || memcmp(open.at, tag->name.at, open.size) != 0) {
    return io_fail(x->r, "an end tag closes %s, which is not the element that is open", io_quote(tag->name).text);
  }
  x->depth--;
  return true;
}

bool io_xml_next(io_xml *x, io_xml_tag *tag) {
  io_reader *r = x->r;
  io_span skipped;
  while (io_ok(r)) {
    const char *at = memchr(r->at, '<', io_left(r));
    r->at = at ? at : r->end;
    r->mark = r->at;
    if (!at) {
      return x->depth ? io_fail(r, "the file ends inside element %s", io_quote(x->open[x->depth - 1]).text) : false;
    }
    if (xml_take_markup(r, &xml_comment, &skipped) || xml_take_markup(r, &xml_cdata, &skipped) ||
        xml_take_markup(r, &xml_instruction, &skipped)) {
      continue;
    }
    if (!io_ok(r)) return false;
    if (xml_starts_with(r->at, r->end, "<!")) return io_fail(r, "document type declarations are not supported");
    return xml_read_tag(r, tag) && xml_track_nesting(x, tag);
  }
  return false;
}

// ---- attributes -----------------------------------------------------------------------------------------------------

io_span io_xml_attribute(const io_xml_tag *tag, const char *name, const char *missing) {
  const char *at = tag->attributes.at, *end = at + tag->attributes.size;
  io_span found, value;
  while (xml_take_attribute(&at, end, &found, &value)) {
    if (io_span_is(found, name)) return value;
  }
  return (io_span){missing, strlen(missing)};
}

uint64_t io_xml_number(io_xml *x, const io_xml_tag *tag, const char *name, const char *missing) {
  io_span value = io_trim(io_xml_attribute(tag, name, missing));
  int64_t number = 0;
  x->r->mark = tag->mark;
  if (!io_parse_integer(value, &number) || number < 0) {
    io_fail(x->r, "attribute %s of %s is %s, a number is needed", name, io_quote(tag->name).text,
            value.size ? io_quote(value).text : "missing");
    return 0;
  }
  return (uint64_t)number;
}

// ---- entities -------------------------------------------------------------------------------------------------------

static size_t xml_put_utf8(uint32_t code, char *out) {
  if (code < 0x80) {
    out[0] = (char)code;
    return 1;
  }
  if (code < 0x800) {
    out[0] = (char)(0xC0 | code >> 6);
    out[1] = (char)(0x80 | (code & 0x3F));
    return 2;
  }
  if (code < 0x10000) {
    out[0] = (char)(0xE0 | code >> 12);
    out[1] = (char)(0x80 | (code >> 6 & 0x3F));
    out[2] = (char)(0x80 | (code & 0x3F));
    return 3;
  }
  out[0] = (char)(0xF0 | code >> 18);
  out[1] = (char)(0x80 | (code >> 12 & 0x3F));
  out[2] = (char)(0x80 | (code >> 6 & 0x3F));
  out[3] = (char)(0x80 | (code & 0x3F));
  return 4;
}

// The longest reference that is looked for, from & to ;. Without a limit many & would each search the whole value.
#define XML_REFERENCE_SIZE 32

// The character a reference such as &lt; or &#65; stands for; 0 for none. `body` is what stands between & and ;.
static uint32_t xml_reference(io_span body) {
  static const struct {
    const char *name;
    char character;
  } entities[] = {{"lt", '<'}, {"gt", '>'}, {"amp", '&'}, {"quot", '"'}, {"apos", '\''}};
  for (size_t i = 0; i < sizeof entities / sizeof *entities; i++) {
    if (io_span_is(body, entities[i].name)) return (uint32_t)entities[i].character;
  }
  if (body.size < 2 || body.at[0] != '#') return 0;
  bool hex = body.at[1] == 'x';
  uint32_t code = 0;
  for (size_t i = hex ? 2 : 1; i < body.size; i++) {
    char c = body.at[i];
    uint32_t digit = c >= '0' && c <= '9'          ? (uint32_t)(c - '0')
                     : hex && c >= 'a' && c <= 'f' ? (uint32_t)(c - 'a' + 10)
                     : hex && c >= 'A' && c <= 'F' ? (uint32_t)(c - 'A' + 10)
                                                   : UINT32_MAX;
    if (digit == UINT32_MAX || code > 0x10FFFF) return 0;
    code = code * (hex ? 16 : 10) + digit;
  }
  return code <= 0x10FFFF ? code : 0;
}

// A reference is never shorter than the character it stands for, so the copy fits in the size of the original. What is
// not a known reference stays as it is.
io_span io_xml_decode(io_reader *r, io_span value) {
  char *copy = io_scratch_new(r, value.size, 1);
  if (!copy) return (io_span){r->end, 0};
  size_t size = 0;
  const char *end = value.at + value.size;
  for (const char *at = value.at; at < end;) {
    size_t reach = end - at < XML_REFERENCE_SIZE ? (size_t)(end - at) : XML_REFERENCE_SIZE;
    const char *semicolon = *at == '&' ? memchr(at, ';', reach) : NULL;
    uint32_t code = semicolon ? xml_reference((io_span){at + 1, (size_t)(semicolon - at - 1)}) : 0;
    if (code) {
      size += xml_put_utf8(code, copy + size);
      at = semicolon + 1;
    } else {
      copy[size++] = *at++;
    }
  }
  return (io_span){copy, size};
}
