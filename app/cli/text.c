// See text.h.

#include "text.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

cli_text cli_grouped(uint64_t number) {
  char digits[24];
  const int count = snprintf(digits, sizeof digits, "%" PRIu64, number);
  cli_text grouped = {""};
  size_t length = 0;
  for (int i = 0; i < count; i++) {
    if (i > 0 && (count - i) % 3 == 0) grouped.text[length++] = ',';
    grouped.text[length++] = digits[i];
  }
  return grouped;
}

cli_text cli_counted(uint64_t number, const char *one, const char *many) {
  cli_text counted;
  snprintf(counted.text, sizeof counted.text, "%.26s %s", cli_grouped(number).text, number == 1 ? one : many);
  return counted;
}

void cli_print_kinds(const uint64_t kinds[CLV_KIND_COUNT]) {
  const char *separator = "";
  for (int kind = 0; kind < CLV_KIND_COUNT; kind++) {
    if (!kinds[kind]) continue;
    printf("%s%s %s", separator, cli_grouped(kinds[kind]).text, clv_kind_name((clv_kind)kind));
    separator = ", ";
  }
}

void cli_print_name(const char *name) {
  for (; *name; name++) {
    const unsigned char c = (unsigned char)*name;
    putchar(c < 0x20 || c == 0x7F ? '?' : c);
  }
}

void cli_print_note(const char *path, uint64_t count, const char *one, const char *many) {
  if (!count) return;
  cli_print_name(path);
  printf(": note: %s\n", cli_counted(count, one, many).text);
}

static const char *const cell_names[4][2] = {
    {"vertex", "vertices"},
    {"edge", "edges"},
    {"face", "faces"},
    {"volume", "volumes"},
};

const char *cli_cell_name(int dimension) {
  return cell_names[dimension][0];
}

const char *cli_cell_names(int dimension) {
  return cell_names[dimension][1];
}
