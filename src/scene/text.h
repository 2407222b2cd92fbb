// A text that grows. A piece that finds no memory is noticed once, at the end.

#ifndef SCENE_TEXT_H
#define SCENE_TEXT_H

#include "base/memory.h"
#include "cleave/rule.h"

typedef struct scene_text {
  const clv_allocator *allocator;
  BASE_ARRAY(char) bytes;
  bool no_memory;
} scene_text;

void scene_add(scene_text *text, const char *format, ...) CLV_PRINTF(2, 3);
// As a JSON string, quotes included.
void scene_add_json(scene_text *text, const char *string);
// Hands the whole text out and frees it; says when memory was out.
clv_result scene_text_finish(scene_text *text, clv_text_writer *write, void *user, clv_error *error);

#endif
