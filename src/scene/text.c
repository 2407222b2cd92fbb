// See text.h.

#include "scene/text.h"

#include <stdarg.h>
#include <stdio.h>

void scene_add(scene_text *text, const char *format, ...) {
  va_list arguments, again;
  va_start(arguments, format);
  va_copy(again, arguments);
  const int length = vsnprintf(NULL, 0, format, arguments);
  va_end(arguments);
  const uint64_t need = text->bytes.count + (uint64_t)(length > 0 ? length : 0) + 1;
  if (!text->no_memory && !BASE_RESERVE(text->allocator, &text->bytes, need)) text->no_memory = true;
  if (!text->no_memory && length > 0) {
    vsnprintf(text->bytes.data + text->bytes.count, (size_t)length + 1, format, again);
    text->bytes.count += (uint32_t)length;
  }
  va_end(again);
}

void scene_add_json(scene_text *text, const char *string) {
  scene_add(text, "\"");
  for (const char *at = string; *at; at++) {
    if (*at == '"' || *at == '\\') {
      scene_add(text, "\\%c", *at);
    } else if ((unsigned char)*at < 0x20) {
      scene_add(text, "\\u%04x", (unsigned)*at);
    } else {
      scene_add(text, "%c", *at);
    }
  }
  scene_add(text, "\"");
}

clv_result scene_text_finish(scene_text *text, clv_text_writer *write, void *user, clv_error *error) {
  const bool complete = !text->no_memory;
  if (complete) write(user, text->bytes.data, text->bytes.count);
  BASE_RELEASE(text->allocator, &text->bytes);
  return complete ? CLV_OK : clv_error_set(error, CLV_ERROR_MEMORY, "no memory for a text");
}
