// Numbers from the command line. strtoul and strtod read "-1" as 4294967295, " 1", "0x10" and "1e999" without a word;
// here the letters are looked at first. See arguments.h.

#include "arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

static bool read_whole_number(const char *text, uint32_t least, uint32_t most, uint32_t *number) {
  if (!*text || text[strspn(text, "0123456789")]) return false;
  errno = 0;
  const unsigned long long value = strtoull(text, NULL, 10);
  if (errno || value < least || value > most) return false;
  *number = (uint32_t)value;
  return true;
}

int cli_whole_number(const cli_call *call, const char *name, const char *text, uint32_t least, uint32_t most,
                     uint32_t *number) {
  if (read_whole_number(text, least, most, number)) return CLI_OK;
  return cli_misused(call->command, "%s must be a whole number from %" PRIu32 " to %" PRIu32 ", not '%s'", name, least,
                     most, text);
}

// A number, and where it ends: before `behind`.
static bool read_number(const char *text, char behind, double *number, const char **rest) {
  const size_t length = strspn(text, "0123456789.eE+-");
  if (!length || text[length] != behind) return false;
  char *end;
  *number = strtod(text, &end);
  *rest = end;
  return end == text + length && isfinite(*number);
}

static bool read_positive(const char *text, double *number) {
  const char *rest;
  double value;
  if (!read_number(text, '\0', &value, &rest) || value <= 0.0) return false;
  *number = value;
  return true;
}

int cli_number(const cli_call *call, const char *name, const char *text, double *number) {
  const char *rest;
  if (read_number(text, '\0', number, &rest)) return CLI_OK;
  return cli_misused(call->command, "%s must be a number, such as -2.5, not '%s'", name, text);
}

int cli_vector(const cli_call *call, const char *name, const char *text, double vector[3]) {
  const char *at = text;
  for (int k = 0; k < 3; k++, at++)
    if (!read_number(at, k < 2 ? ',' : '\0', &vector[k], &at))
      return cli_misused(call->command, "%s must be three numbers X,Y,Z, such as 0,-1,0.5, not '%s'", name, text);
  return CLI_OK;
}

int cli_length(const cli_call *call, const char *name, const char *text, double *length) {
  if (read_positive(text, length)) return CLI_OK;
  return cli_misused(call->command, "%s must be a length above 0, such as 2.5, not '%s'", name, text);
}

int cli_time(const cli_call *call, const char *name, const char *text, double *seconds) {
  if (read_positive(text, seconds)) return CLI_OK;
  return cli_misused(call->command, "%s must be a time above 0 in seconds, such as 2.5, not '%s'", name, text);
}
