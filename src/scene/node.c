// libyaml's events, turned into a tree. Containers that are still open lie on a stack; what closes is handed to the one
// below. See node.h.

#include "scene/node.h"

#include <stdio.h>
#include <yaml.h>

typedef BASE_ARRAY(scene_node *) node_list;

// A container whose end has not been seen.
typedef struct open_node {
  scene_node *node;
  const char *anchor;
  node_list keys, items;
} open_node;

typedef struct anchor {
  const char *name;
  scene_node *node; // NULL while it is open
} anchor;

typedef struct tree {
  base_arena *arena;
  const clv_allocator *allocator;
  const char *name;
  clv_error *error;
  yaml_parser_t parser;
  open_node stack[SCENE_MAX_DEPTH];
  uint32_t depth;
  uint32_t nodes; // so far
  BASE_ARRAY(anchor) anchors;
  scene_node *root;
} tree;

static bool fail(tree *t, yaml_mark_t mark, const char *what, const char *detail) {
  clv_error_set(t->error, CLV_ERROR_INPUT, "%s:%zu:%zu: %s%s", t->name, mark.line + 1, mark.column + 1, what, detail);
  return false;
}

static bool no_memory(tree *t) {
  clv_error_set(t->error, CLV_ERROR_MEMORY, "%s: no memory for the scene", t->name);
  return false;
}

scene_shown scene_text_show(const char *text) {
  enum { LONGEST = 40 };
  scene_shown shown = {"'"};
  size_t at = 1;
  bool whole = true;
  for (size_t i = 0; text[i]; i++) {
    // Never a part of a character: the bytes behind its first one belong to it.
    const bool begins = ((unsigned char)text[i] & 0xC0) != 0x80;
    if (begins && at > LONGEST) {
      whole = false;
      break;
    }
    if (at + 6 > sizeof shown.text) break;
    const unsigned char c = (unsigned char)text[i];
    shown.text[at++] = c < 0x20 || c == 0x7F ? '?' : text[i];
  }
  snprintf(shown.text + at, sizeof shown.text - at, "%s'", whole ? "" : "...");
  return shown;
}

scene_shown scene_node_show(const scene_node *node) {
  scene_shown shown = {""};
  if (node->kind == SCENE_SCALAR && node->text[0]) return scene_text_show(node->text);
  const char *what = node->kind == SCENE_SEQUENCE ? "a list" : "a mapping";
  snprintf(shown.text, sizeof shown.text, "%s", node->kind == SCENE_SCALAR ? "nothing" : what);
  return shown;
}

const scene_node *scene_node_find(const scene_node *mapping, const char *key) {
  if (!mapping || mapping->kind != SCENE_MAPPING) return NULL;
  for (uint32_t k = 0; k < mapping->count; k++) {
    if (strcmp(mapping->keys[k]->text, key) == 0) return mapping->items[k];
  }
  return NULL;
}

// ---- building -----------------------------------------------------------------------------------

static scene_node *make(tree *t, scene_node_kind kind, yaml_mark_t mark) {
  scene_node *node = base_arena_take(t->arena, sizeof *node);
  if (!node) {
    no_memory(t);
    return NULL;
  }
  *node = (scene_node){.kind = kind,
                       .line = (uint32_t)mark.line + 1,
                       .column = (uint32_t)mark.column + 1,
                       .text = "",
                       .nodes = 1,
                       .height = 1};
  return node;
}

static bool push(tree *t, node_list *list, scene_node *node) {
  if (!BASE_RESERVE(t->allocator, list, list->count + 1u)) return no_memory(t);
  list->data[list->count++] = node;
  return true;
}

static bool add_key(tree *t, open_node *open, scene_node *node, yaml_mark_t mark) {
  if (node->kind != SCENE_SCALAR) return fail(t, mark, "a key must be a plain word", "");
  if (open->keys.count == SCENE_MAX_KEYS) return fail(t, mark, "one mapping cannot have so many keys", "");
  for (uint32_t k = 0; k < open->keys.count; k++) {
    const scene_node *other = open->keys.data[k];
    if (strcmp(other->text, node->text) != 0) continue;
    char detail[128];
    snprintf(detail, sizeof detail, "%s stands here twice; it is also in line %u", scene_text_show(node->text).text,
             other->line);
    return fail(t, mark, "", detail);
  }
  return push(t, &open->keys, node);
}

// A node that is complete goes to the container that is open, or is the root.
static bool place(tree *t, scene_node *node, yaml_mark_t mark) {
  if (t->depth + node->height > SCENE_MAX_DEPTH) return fail(t, mark, "this lies too deep inside other things", "");
  t->nodes += node->nodes;
  if (t->nodes > SCENE_MAX_NODES) {
    return fail(t, mark, "this is more than a scene may hold (aliases count as what they stand for)", "");
  }
  if (t->depth == 0) {
    t->root = node;
    return true;
  }
  open_node *open = &t->stack[t->depth - 1];
  if (open->node->kind == SCENE_MAPPING && open->keys.count == open->items.count) return add_key(t, open, node, mark);
  return push(t, &open->items, node);
}

static bool remember(tree *t, const yaml_char_t *name, scene_node *node) {
  if (!name) return true;
  const char *text = (const char *)name;
  const char *copy = base_arena_copy(t->arena, text, strlen(text));
  if (!copy || !BASE_RESERVE(t->allocator, &t->anchors, t->anchors.count + 1u)) return no_memory(t);
  t->anchors.data[t->anchors.count++] = (anchor){copy, node};
  return true;
}

// The latest anchor of a name counts, as YAML says.
static bool alias(tree *t, const yaml_event_t *event) {
  const char *name = (const char *)event->data.alias.anchor;
  for (uint32_t k = t->anchors.count; k-- > 0;) {
    if (strcmp(t->anchors.data[k].name, name) != 0) continue;
    scene_node *node = t->anchors.data[k].node;
    if (!node) return fail(t, event->start_mark, "an alias cannot stand inside what it names", "");
    return place(t, node, event->start_mark);
  }
  return fail(t, event->start_mark, "there is no anchor before this of the name ", scene_text_show(name).text);
}

static bool scalar(tree *t, const yaml_event_t *event) {
  if (event->data.scalar.tag) return fail(t, event->start_mark, "tags ('!') have no place in a scene", "");
  scene_node *node = make(t, SCENE_SCALAR, event->start_mark);
  if (!node) return false;
  const char *text = (const char *)event->data.scalar.value;
  if (strlen(text) != event->data.scalar.length)
    return fail(t, event->start_mark, "there is a zero byte in this text", "");
  node->text = base_arena_copy(t->arena, text, event->data.scalar.length);
  if (!node->text) return no_memory(t);
  node->quoted = event->data.scalar.style != YAML_PLAIN_SCALAR_STYLE;
  return remember(t, event->data.scalar.anchor, node) && place(t, node, event->start_mark);
}

static bool begin(tree *t, const yaml_event_t *event, scene_node_kind kind, const yaml_char_t *name,
                  const yaml_char_t *tag) {
  if (tag) return fail(t, event->start_mark, "tags ('!') have no place in a scene", "");
  if (t->depth + 1 >= SCENE_MAX_DEPTH) return fail(t, event->start_mark, "this lies too deep inside other things", "");
  scene_node *node = make(t, kind, event->start_mark);
  if (!node || !remember(t, name, NULL)) return false;
  const char *kept = name ? t->anchors.data[t->anchors.count - 1].name : NULL;
  t->stack[t->depth++] = (open_node){.node = node, .anchor = kept};
  return true;
}

static scene_node **keep(tree *t, const node_list *list) {
  const size_t size = list->count * sizeof *list->data;
  scene_node **copy = base_arena_take(t->arena, size);
  if (copy && size) memcpy(copy, list->data, size);
  return copy;
}

static void settle_anchor(tree *t, const char *name, scene_node *node) {
  if (!name) return;
  for (uint32_t k = t->anchors.count; k-- > 0;) {
    if (t->anchors.data[k].name == name) t->anchors.data[k].node = node;
  }
}

static bool end(tree *t, const yaml_event_t *event) {
  open_node *open = &t->stack[t->depth - 1];
  scene_node *node = open->node;
  node->count = open->items.count;
  node->items = keep(t, &open->items);
  node->keys = keep(t, &open->keys);
  if (!node->items || !node->keys) return no_memory(t);
  for (uint32_t k = 0; k < node->count; k++) {
    const scene_node *item = node->items[k];
    node->nodes += item->nodes;
    if (item->height >= node->height) node->height = item->height + 1;
  }
  BASE_RELEASE(t->allocator, &open->items);
  BASE_RELEASE(t->allocator, &open->keys);
  t->depth--;
  settle_anchor(t, open->anchor, node);
  // Its items were counted when they came.
  t->nodes -= node->nodes - 1;
  return place(t, node, event->end_mark);
}

// ---- events -------------------------------------------------------------------------------------

static bool take(tree *t, const yaml_event_t *event) {
  switch (event->type) {
  case YAML_DOCUMENT_START_EVENT:
    return !t->root || fail(t, event->start_mark, "a scene is one document; '---' must not stand twice", "");
  case YAML_ALIAS_EVENT:
    return alias(t, event);
  case YAML_SCALAR_EVENT:
    return scalar(t, event);
  case YAML_SEQUENCE_START_EVENT:
    return begin(t, event, SCENE_SEQUENCE, event->data.sequence_start.anchor, event->data.sequence_start.tag);
  case YAML_MAPPING_START_EVENT:
    return begin(t, event, SCENE_MAPPING, event->data.mapping_start.anchor, event->data.mapping_start.tag);
  case YAML_SEQUENCE_END_EVENT:
  case YAML_MAPPING_END_EVENT:
    return end(t, event);
  default:
    return true;
  }
}

// A reader's problem has an offset, the others a mark.
static bool malformed(tree *t, const char *text, size_t size) {
  const yaml_parser_t *parser = &t->parser;
  if (parser->error == YAML_MEMORY_ERROR) return no_memory(t);
  yaml_mark_t mark = parser->problem_mark;
  if (parser->error == YAML_READER_ERROR) {
    mark = (yaml_mark_t){0};
    for (size_t i = 0; i < size && i < parser->problem_offset; i++) {
      mark.column = text[i] == '\n' ? 0 : mark.column + 1;
      mark.line += text[i] == '\n';
    }
  }
  char detail[200];
  snprintf(detail, sizeof detail, "%s%s%s", parser->problem ? parser->problem : "it cannot be read",
           parser->context ? " " : "", parser->context ? parser->context : "");
  return fail(t, mark, "this is not YAML: ", detail);
}

static bool run(tree *t, const char *text, size_t size) {
  for (bool more = true; more;) {
    yaml_event_t event;
    if (!yaml_parser_parse(&t->parser, &event)) return malformed(t, text, size);
    more = event.type != YAML_STREAM_END_EVENT;
    const bool taken = take(t, &event);
    yaml_event_delete(&event);
    if (!taken) return false;
  }
  return t->root || fail(t, (yaml_mark_t){0}, "there is nothing in this scene", "");
}

static void release(tree *t) {
  for (uint32_t k = 0; k < SCENE_MAX_DEPTH; k++) {
    BASE_RELEASE(t->allocator, &t->stack[k].items);
    BASE_RELEASE(t->allocator, &t->stack[k].keys);
  }
  BASE_RELEASE(t->allocator, &t->anchors);
  yaml_parser_delete(&t->parser);
}

scene_node *scene_node_parse(base_arena *arena, const char *name, const char *text, size_t size, clv_error *error) {
  tree t = {.arena = arena, .allocator = &arena->allocator, .name = name, .error = error};
  if (size > SCENE_MAX_BYTES) {
    clv_error_set(error, CLV_ERROR_INPUT, "%s:1:1: a scene of more than %d MB is none", name, SCENE_MAX_BYTES >> 20);
    return NULL;
  }
  if (!yaml_parser_initialize(&t.parser)) {
    no_memory(&t);
    return NULL;
  }
  yaml_parser_set_input_string(&t.parser, (const unsigned char *)text, size);
  const bool good = run(&t, text, size);
  release(&t);
  return good ? t.root : NULL;
}
