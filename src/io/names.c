// Names in a crit-bit tree. See names.h.

#include "io/names.h"

// A byte of a name, told apart from the end of a shorter one.
static uint32_t symbol(io_span name, uint32_t position) {
  return position < name.size ? (uint32_t)(unsigned char)name.at[position] + 1 : 0;
}

static bool is_inner(uint32_t reference) {
  return reference & 1;
}

static uint32_t *child_towards(io_name *node, io_span name) {
  return &node->children[(symbol(name, node->position) & node->mask) != 0];
}

// The name that shares the longest beginning with this one, or one of several.
static uint32_t nearest(const io_names *names, io_span name) {
  uint32_t at = names->root;
  while (is_inner(at)) at = *child_towards(&names->entries[at >> 1], name);
  return at >> 1;
}

static bool find_difference(io_span a, io_span b, uint32_t *position, uint32_t *mask) {
  uint32_t at = 0, longer = (uint32_t)(a.size > b.size ? a.size : b.size);
  while (at < longer && symbol(a, at) == symbol(b, at)) at++;
  if (at == longer) return false;
  uint32_t difference = symbol(a, at) ^ symbol(b, at), bit = 256;
  while (!(difference & bit)) bit >>= 1;
  *position = at;
  *mask = bit;
  return true;
}

// Hangs the new name, whose node is filled but for its children, where its difference is the next to be asked for.
static void hang(io_names *names, uint32_t number) {
  io_name *node = &names->entries[number];
  uint32_t *slot = &names->root;
  while (is_inner(*slot)) {
    io_name *inner = &names->entries[*slot >> 1];
    if (inner->position > node->position || (inner->position == node->position && inner->mask < node->mask)) break;
    slot = child_towards(inner, node->text);
  }
  uint32_t *own = child_towards(node, node->text);
  node->children[0] = node->children[1] = *slot;
  *own = 2 * number;
  *slot = 2 * number + 1;
}

uint32_t io_names_put(io_reader *r, io_names *names, io_span name) {
  if (!io_ok(r)) return IO_NO_NAME;
  if (name.size > IO_NAME_SIZE - 1) name.size = IO_NAME_SIZE - 1;
  io_name entry = {.text = name};
  if (names->count) {
    uint32_t found = nearest(names, name);
    if (!find_difference(name, names->entries[found].text, &entry.position, &entry.mask)) return found;
  }
  if (names->count > UINT32_MAX / 4) io_fail(r, "there are too many names");
  io_name *entries = io_scratch_grow(r, names->entries, names->count, &names->capacity, sizeof *entries);
  if (!entries) return IO_NO_NAME;
  names->entries = entries;
  uint32_t number = names->count++;
  names->entries[number] = entry;
  if (number) hang(names, number);
  return number;
}
