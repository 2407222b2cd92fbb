// Cards of Abaqus files. See abaqus_cards.h.

#include "io/abaqus_cards.h"

#include "io/text.h"

static bool is_comment(const io_reader *r) {
  return io_left(r) >= 2 && r->at[0] == '*' && r->at[1] == '*';
}

// Moves over empty lines and comments to something on a line.
static bool find_line(io_reader *r) {
  for (io_skip_blanks(r); io_ok(r) && is_comment(r); io_skip_blanks(r)) io_rest_of_line(r);
  return io_ok(r) && r->at < r->end;
}

// Cuts a span at its first comma; what is behind it stays in *rest, or *rest is empty.
static io_span cut_at_comma(io_span *rest) {
  size_t size = 0;
  bool quoted = false;
  for (; size < rest->size && (quoted || rest->at[size] != ','); size++) quoted ^= rest->at[size] == '"';
  io_span first = io_trim((io_span){rest->at, size});
  size_t used = size < rest->size ? size + 1 : size;
  *rest = (io_span){rest->at + used, rest->size - used};
  return first;
}

bool io_abaqus_next_card(io_reader *r, abaqus_card *card) {
  while (find_line(r) && *r->at != '*') io_rest_of_line(r);
  if (!io_ok(r) || r->at == r->end) return false;
  io_span line = io_rest_of_line(r);
  const char *mark = r->mark;
  while (line.size && line.at[line.size - 1] == ',' && io_ok(r) && r->at < r->end) {
    io_span more = io_rest_of_line(r);
    line.size = (size_t)(more.at + more.size - line.at);
    if (more.size == 0) break;
  }
  r->mark = mark;
  line = io_trim(line);
  io_span rest = {line.at + 1, line.size - 1};
  card->keyword = cut_at_comma(&rest);
  card->parameters = rest;
  return true;
}

bool io_abaqus_parameter(const abaqus_card *card, const char *name, io_span *value) {
  io_span rest = card->parameters;
  while (rest.size) {
    io_span parameter = cut_at_comma(&rest);
    size_t size = 0;
    while (size < parameter.size && parameter.at[size] != '=') size++;
    if (!io_span_is_nocase(io_trim((io_span){parameter.at, size}), name)) continue;
    size_t used = size < parameter.size ? size + 1 : size;
    *value = io_trim((io_span){parameter.at + used, parameter.size - used});
    if (value->size >= 2 && value->at[0] == '"' && value->at[value->size - 1] == '"') {
      *value = (io_span){value->at + 1, value->size - 2};
    }
    return true;
  }
  return false;
}

bool io_abaqus_next_line(io_reader *r) {
  if (!find_line(r) || *r->at == '*') return false;
  r->mark = r->at;
  return true;
}

bool io_abaqus_next_item(io_reader *r, io_span *item) {
  if (!io_ok(r) || io_line_ends(r)) return false;
  const char *end = r->at;
  while (end < r->end && *end != ',' && *end != '\n') end++;
  r->mark = r->at;
  *item = io_trim((io_span){r->at, (size_t)(end - r->at)});
  r->at = end < r->end && *end == ',' ? end + 1 : end;
  return true;
}

bool io_abaqus_line_goes_on(io_reader *r) {
  if (!io_ok(r) || !io_line_ends(r)) return false;
  const char *before = r->at;
  while (before > r->begin && (before[-1] == ' ' || before[-1] == '\t' || before[-1] == '\r')) before--;
  return before > r->begin && before[-1] == ',' && io_abaqus_next_line(r);
}
