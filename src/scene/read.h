// From nodes to structs, by the table of keys.
//
// A mapping is read whole or not at all: every key known, every value of its type and in its range, every needed key
// there; what is not given gets its default, read from the table as if it stood in the file. The first mistake ends it,
// with its place.

#ifndef SCENE_READ_H
#define SCENE_READ_H

#include "scene/key.h"

typedef struct scene_reader {
  base_arena *arena;
  const char *name; // of the file, for messages
  clv_error *error;
} scene_reader;

// "NAME:LINE:COLUMN: ..."; false, so that one can `return scene_fail(...)`.
bool scene_fail(const scene_reader *r, const scene_node *node, const char *format, ...) CLV_PRINTF(3, 4);
bool scene_no_memory(const scene_reader *r);

// Reads a mapping (or what its group's shorthand stands for) into a zeroed struct.
bool scene_read_group(const scene_reader *r, const scene_group *group, const scene_node *node, void *to);
// One value that is no group.
bool scene_read_value(const scene_reader *r, const scene_key *key, const scene_node *node, void *to);

// What is expected, in words: "a number (in Pa)", "three numbers (in m)" ...
typedef struct scene_phrase {
  char text[400];
} scene_phrase;
scene_phrase scene_describe_type(const scene_key *key);
// "above 0 and below 1"; empty when any number will do.
scene_phrase scene_describe_range(const scene_key *key);
// "hex, tet5 ...": the key's words.
scene_phrase scene_describe_words(const scene_key *key);

#endif
