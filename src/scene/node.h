// A YAML file as a tree of nodes, each with its place.
//
// libyaml finds the words and their marks; the tree is ours, because a scene needs places for its messages and bounds
// for its size. An alias is the node it names, shared and not copied, so it costs nothing to read; but a walk over the
// tree would meet it again and again, so what the tree would be with every alias written out is counted, and bounded.
// Nothing here knows what a scene is: keys are unique, and that is all.
//
// Not taken: several documents in a file, tags, keys that are no plain words, aliases inside what they name.

#ifndef SCENE_NODE_H
#define SCENE_NODE_H

#include "base/arena.h"

enum {
  SCENE_MAX_BYTES = 64 << 20, // of a file
  SCENE_MAX_NODES = 1000000,  // with every alias written out
  SCENE_MAX_DEPTH = 32,
  SCENE_MAX_KEYS = 4096, // of one mapping
};

typedef enum scene_node_kind { SCENE_SCALAR, SCENE_SEQUENCE, SCENE_MAPPING } scene_node_kind;

typedef struct scene_node {
  scene_node_kind kind;
  bool quoted;           // a scalar in quotes is a text, whatever it looks like
  uint32_t line, column; // from 1; the column counts characters
  const char *text;      // of a scalar, ended by zero, which it does not contain
  uint32_t count;        // of items
  struct scene_node **items;
  struct scene_node **keys; // of a mapping: a scalar for each item
  uint32_t nodes, height;   // of the tree below, itself included, aliases written out
} scene_node;

// The root, in the arena; NULL on failure. `name` stands in messages.
scene_node *scene_node_parse(base_arena *arena, const char *name, const char *text, size_t size, clv_error *error);

// The item of a key, or NULL.
const scene_node *scene_node_find(const scene_node *mapping, const char *key);
// "a list", "a mapping", "'word'" (shortened, without what could move a cursor), for messages.
typedef struct scene_shown {
  char text[64];
} scene_shown;
scene_shown scene_node_show(const scene_node *node);
scene_shown scene_text_show(const char *text);

#endif
