// Fuzzes what clients of the viewer say: whatever the bytes, they are a command with finite numbers, or refused with a
// reason that fits into a close frame.

#include "live/command.h"

#include <math.h>
#include <stdlib.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition) {
  if (!condition) abort();
}

static void require_finite(const double *v, size_t count) {
  for (size_t k = 0; k < count; k++) require(isfinite(v[k]));
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  live_command command;
  live_reason reason = {""};
  if (live_command_read(&command, (const char *)data, size, &reason)) {
    require(command.verb < LIVE_VERBS && live_verb_name(command.verb));
    require_finite(command.at, 3);
    require_finite(command.from, 3);
    require_finite(command.to, 3);
    require_finite(&command.blade[0][0], 12);
    require(isfinite(command.value) && isfinite(command.radius) && isfinite(command.factor));
    require(strlen(command.name) < LIVE_NAME && command.look.field <= LIVE_NO_FIELD);
    return 0;
  }
  require(reason.text[0] && strlen(reason.text) <= 120);
  return 0;
}
