// Blocks of pages; pages.h tells the idea.
//
// A block lies in its first page behind a cache line that says how much address space it has. What it may use of that
// follows from its size, and the rest can be neither read nor written.

#define _DEFAULT_SOURCE // madvise, MAP_ANONYMOUS

#include "base/pages.h"

#include <stdbool.h>
#include <string.h>
#include <sys/mman.h>

enum {
  PAGE = 4096,     // a divisor of every system's own
  GRAIN = 1 << 16, // a multiple of it
  LINE = 64,
  AHEAD = 16,
  LARGE = 2 << 20,
};

typedef struct head {
  size_t space; // bytes of address space, from the first page on
} head;

static char *first_page(void *block) {
  return (char *)block - (uintptr_t)block % PAGE;
}

static head *head_of(void *block) {
  return (head *)(void *)((char *)block - LINE);
}

// The bytes that a block of `size` may use, from its first page on.
static size_t extent(const void *block, size_t size) {
  return ((uintptr_t)block % PAGE + size + GRAIN - 1) / GRAIN * GRAIN;
}

// Where in its first page a block begins: one of 32 lines, scattered by the address.
static size_t place_in(const char *page) {
  return LINE * (1 + (size_t)((uint64_t)((uintptr_t)page / PAGE) * 0x9E3779B97F4A7C15u >> 59));
}

static char *set_aside(size_t size) {
  void *page = mmap(NULL, size, PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
  return page == MAP_FAILED ? NULL : page;
}

static bool allow(char *from, size_t size) {
  return mprotect(from, size, PROT_READ | PROT_WRITE) == 0;
}

static void *make(size_t size) {
  if (size > SIZE_MAX / AHEAD - GRAIN - PAGE) return NULL;
  const size_t need = (PAGE + size + GRAIN - 1) / GRAIN * GRAIN;
  size_t space = AHEAD * need;
  char *page = set_aside(space);
  if (!page) page = set_aside(space = need);
  if (!page) return NULL;
  char *block = page + place_in(page);
  if (!allow(page, extent(block, size))) {
    munmap(page, space);
    return NULL;
  }
  head_of(block)->space = space;
  return block;
}

static void unmake(void *block) {
  munmap(first_page(block), head_of(block)->space);
}

static void *move(void *block, size_t keep, size_t size) {
  void *moved = make(size);
  if (!moved) return NULL;
  memcpy(moved, block, keep);
  unmake(block);
  return moved;
}

// What lies behind the new end is given back, and is still the block's to grow into.
static void *shrink(void *block, size_t from, size_t to) {
  if (to < from) (void)madvise(first_page(block) + to, from - to, MADV_DONTNEED); // refused: it stays in use
  return block;
}

void *base_pages_resize(void *block, size_t old_size, size_t new_size) {
  if (!block) return new_size ? make(new_size) : NULL;
  if (!new_size) {
    unmake(block);
    return NULL;
  }
  if (new_size > SIZE_MAX / 2) return NULL;
  const size_t from = extent(block, old_size), to = extent(block, new_size);
  if (to <= from) return shrink(block, from, to);
  if (to > head_of(block)->space) return move(block, old_size, new_size);
  return allow(first_page(block) + from, to - from) ? block : NULL;
}

void base_large_pages(void *memory, size_t size) {
#if defined(MADV_HUGEPAGE)
  const size_t before = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
  if (size < 2 * (size_t)LARGE) return;
  (void)madvise((char *)memory + before, (size - before) / PAGE * PAGE, MADV_HUGEPAGE); // refused: small ones will do
#else
  (void)memory, (void)size;
#endif
}
