// An arena: memory that is given back all at once.
//
// What a compiler makes (trees, names, graphs) lives and dies together. An arena hands out pieces of blocks, zeroed and
// aligned for any type, and frees the blocks at its end. A piece is never moved or given back alone.

#ifndef BASE_ARENA_H
#define BASE_ARENA_H

#include "base/memory.h"

#define BASE_ARENA_BLOCK 16384u

typedef struct base_arena_block {
  struct base_arena_block *next;
  size_t size, used; // of the bytes behind this head
} base_arena_block;

typedef struct base_arena {
  clv_allocator allocator;
  base_arena_block *blocks; // the newest first
} base_arena;

static inline base_arena base_arena_create(const clv_allocator *allocator) {
  return (base_arena){.allocator = *allocator};
}

static inline void base_arena_destroy(base_arena *arena) {
  while (arena->blocks) {
    base_arena_block *block = arena->blocks;
    arena->blocks = block->next;
    base_free(&arena->allocator, block, sizeof *block + block->size);
  }
}

// `size` zeroed bytes, or NULL when memory is out.
static inline void *base_arena_take(base_arena *arena, size_t size) {
  const size_t need = (size + 15u) & ~(size_t)15u;
  base_arena_block *block = arena->blocks;
  if (!block || block->size - block->used < need) {
    const size_t room = need > BASE_ARENA_BLOCK ? need : BASE_ARENA_BLOCK;
    block = base_allocate(&arena->allocator, sizeof *block + room);
    if (!block) return NULL;
    *block = (base_arena_block){.next = arena->blocks, .size = room};
    arena->blocks = block;
  }
  void *piece = (uint8_t *)(block + 1) + block->used;
  block->used += need;
  return memset(piece, 0, need);
}

// A copy of `size` bytes with a zero behind them.
static inline char *base_arena_copy(base_arena *arena, const char *text, size_t size) {
  char *copy = base_arena_take(arena, size + 1);
  if (copy) memcpy(copy, text, size);
  return copy;
}

#endif
