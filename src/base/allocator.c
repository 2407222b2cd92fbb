// The default allocator: malloc for what is small, tracts of large pages for what is not.
//
// A body of a hundred thousand cells is some hundred arrays, sixty megabytes together. A processor knows the places of
// a few megabytes of small pages: it looks the others up again and again; and the system hands them out one by one, a
// microsecond or two each. So blocks of a page and more lie side by side in tracts of address space for which the
// system is asked for pages of 2 MiB. Where it has none to give, nothing else changes.
//
// A tract knows its free runs, in order, free neighbours being one. A block comes from the start of the first run it
// fits in, begins on a cache line, grows in place as far as what lies behind it is free, and moves otherwise. Nothing
// is written beside blocks: a caller says how large its block is. There is one free run more than there are blocks at
// the most, and a tract has room to note as many before it hands a block out: to give one back never fails. A tract
// with no block in it goes back to the system; of the last one as much stays as others are made with, for those who
// come and go: pages that the system hands out anew it clears first, which takes longer than most of what is done with
// them.
//
// The system promises more memory than there is, and ends programs that make use of it. So as much is held as the
// machine has, less an eighth, and no more: who asks for more hears that there is none, and can say so.
//
// Calls may come from any thread. Under sanitizers, which watch over malloc's blocks, and where the system knows no
// large pages, malloc serves all.

#define _DEFAULT_SOURCE // madvise

#include "base/memory.h"

#include <pthread.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>

static void *resize_plain(void *user, void *p, size_t old_size, size_t new_size) {
  (void)user;
  (void)old_size;
  if (new_size) return realloc(p, new_size);
  free(p); // realloc(p, 0) frees in some C libraries and allocates in others
  return NULL;
}

#if defined(__SANITIZE_ADDRESS__) || defined(__SANITIZE_THREAD__) || !defined(MADV_HUGEPAGE)
#define BASE_TRACTS 0
#elif defined(__has_feature)
#if __has_feature(address_sanitizer) || __has_feature(thread_sanitizer) || __has_feature(memory_sanitizer)
#define BASE_TRACTS 0
#endif
#endif
#ifndef BASE_TRACTS
#define BASE_TRACTS 1
#endif

#if BASE_TRACTS

#define SMALL ((size_t)4096)    // blocks from here on lie in tracts
#define LINE ((size_t)64)       // what sizes and places are multiples of
#define LARGE ((size_t)2 << 20) // a large page
#define TRACT ((size_t)128 << 20)
#define KEPT TRACT       // of the last one
#define ROOM ((size_t)4) // a tract is this many times as large as the block it is made for: arrays grow

typedef struct run {
  char *start;
  size_t size;
} run;

typedef struct tract {
  struct tract *next;
  char *mapping, *memory; // what is used of it begins on a large page
  size_t size, top;       // nothing behind `top` was ever used
  uint32_t blocks;
  BASE_ARRAY(run) free;
} tract;

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static tract *tracts;
static size_t held, most; // of blocks in tracts; 0 as long as nobody asked how much there may be

static const clv_allocator plain = {.resize = resize_plain};

static size_t whole(size_t size, size_t unit) {
  return (size + unit - 1) / unit * unit;
}

static tract *make_tract(size_t need) {
  const size_t size = need > TRACT / ROOM ? whole(need * ROOM, LARGE) : TRACT;
  tract *t = malloc(sizeof *t);
  if (!t) return NULL;
  *t = (tract){.size = size};
  void *mapping = mmap(NULL, size + LARGE, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapping == MAP_FAILED || !BASE_RESERVE(&plain, &t->free, 8)) {
    if (mapping != MAP_FAILED) munmap(mapping, size + LARGE);
    free(t);
    return NULL;
  }
  t->mapping = mapping;
  t->memory = t->mapping + (LARGE - (uintptr_t)mapping % LARGE) % LARGE;
  t->free.data[t->free.count++] = (run){t->memory, size};
  (void)madvise(t->memory, size, MADV_HUGEPAGE); // refused: small ones will do
  return t;
}

static void unmake_tract(tract *t) {
  munmap(t->mapping, t->size + LARGE);
  BASE_RELEASE(&plain, &t->free);
  free(t);
}

// Of the last tract, what was used behind the part that is kept is the system's again.
static void retire(tract *t) {
  tract **link = &tracts;
  if (tracts == t && !t->next) {
    if (t->top > KEPT) (void)madvise(t->memory + KEPT, whole(t->top, LARGE) - KEPT, MADV_DONTNEED);
    t->top = 0;
    return;
  }
  while (*link != t) link = &(*link)->next;
  *link = t->next;
  unmake_tract(t);
}

static tract *tract_of(const char *p) {
  tract *t = tracts;
  while (t && (p < t->memory || p >= t->memory + t->size)) t = t->next;
  return t;
}

// The first free run that does not lie before p.
static uint32_t run_at(const tract *t, const char *p) {
  uint32_t low = 0, high = t->free.count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    if (t->free.data[middle].start < p)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

static void drop_run(tract *t, uint32_t k) {
  t->free.count--;
  memmove(&t->free.data[k], &t->free.data[k + 1], (t->free.count - k) * sizeof *t->free.data);
}

// The first bytes of a free run are taken.
static char *take(tract *t, uint32_t k, size_t size) {
  run *r = &t->free.data[k];
  char *p = r->start;
  const size_t end = (size_t)(p - t->memory) + size;
  if (end > t->top) t->top = end;
  r->start += size;
  r->size -= size;
  if (!r->size) drop_run(t, k);
  return p;
}

static void put_back(tract *t, char *p, size_t size) {
  const uint32_t k = run_at(t, p);
  run *before = k ? &t->free.data[k - 1] : NULL, *behind = k < t->free.count ? &t->free.data[k] : NULL;
  const bool joins_before = before && before->start + before->size == p,
             joins_behind = behind && p + size == behind->start;
  if (joins_before) {
    before->size += size + (joins_behind ? behind->size : 0);
    if (joins_behind) drop_run(t, k);
  } else if (joins_behind) {
    behind->start = p;
    behind->size += size;
  } else {
    memmove(&t->free.data[k + 1], &t->free.data[k], (t->free.count - k) * sizeof *t->free.data);
    t->free.data[k] = (run){p, size};
    t->free.count++;
  }
}

static char *take_from(tract *t, size_t size) {
  uint32_t k = 0;
  while (k < t->free.count && t->free.data[k].size < size) k++;
  if (k == t->free.count || !BASE_RESERVE(&plain, &t->free, (uint64_t)t->blocks + 2)) return NULL;
  t->blocks++;
  return take(t, k, size);
}

static char *take_block(size_t size) {
  char *p = NULL;
  for (tract *t = tracts; t && !p; t = t->next) p = take_from(t, size);
  if (p) return p;
  tract *t = make_tract(size);
  if (!t) return NULL;
  tract **link = &tracts;
  while (*link) link = &(*link)->next; // the older ones are filled first
  *link = t;
  return take_from(t, size);
}

static void give_block(char *p, size_t size) {
  tract *t = tract_of(p);
  put_back(t, p, size);
  if (!--t->blocks) retire(t);
}

// Longer or shorter where it is, if it can be.
static bool adjust_block(char *p, size_t old_size, size_t new_size) {
  tract *t = tract_of(p);
  if (new_size <= old_size) {
    if (new_size < old_size) put_back(t, p + new_size, old_size - new_size);
    return true;
  }
  const uint32_t k = run_at(t, p + old_size);
  const bool fits =
      k < t->free.count && t->free.data[k].start == p + old_size && t->free.data[k].size >= new_size - old_size;
  if (fits) take(t, k, new_size - old_size);
  return fits;
}

static size_t block_size(size_t size) {
  return size < SMALL ? 0 : whole(size, LINE);
}

// Of memory: all that the machine has, but for an eighth.
static size_t find_most(void) {
  const long pages = sysconf(_SC_PHYS_PAGES), size = sysconf(_SC_PAGESIZE);
  const size_t all = pages > 0 && size > 0 ? (size_t)pages * (size_t)size : SIZE_MAX;
  return all - all / 8;
}

// A block that moves: from malloc to a tract, back, or from place to place.
static void *move_block(void *p, size_t old_size, size_t new_size) {
  const size_t old_block = block_size(old_size), new_block = block_size(new_size);
  void *q = new_block ? take_block(new_block) : malloc(new_size);
  if (!q) return NULL;
  if (p) memcpy(q, p, old_size < new_size ? old_size : new_size);
  if (old_block)
    give_block(p, old_block);
  else
    free(p);
  return q;
}

static void *resize_block(void *p, size_t old_size, size_t new_size) {
  const size_t old_block = block_size(old_size), new_block = block_size(new_size);
  if (!most) most = find_most();
  if (new_size > SIZE_MAX / (2 * ROOM) || (new_block > old_block && new_block - old_block > most - held)) return NULL;
  if (new_size == 0) {
    give_block(p, old_block);
    held -= old_block;
    return NULL;
  }
  void *q = old_block && new_block && adjust_block(p, old_block, new_block) ? p : move_block(p, old_size, new_size);
  if (q) held += new_block - old_block;
  return q;
}

static void *resize_any(void *user, void *p, size_t old_size, size_t new_size) {
  (void)user;
  if (!p) old_size = 0;
  if (old_size < SMALL && new_size < SMALL) return resize_plain(NULL, p, old_size, new_size);
  pthread_mutex_lock(&lock);
  void *q = resize_block(p, old_size, new_size);
  pthread_mutex_unlock(&lock);
  return q;
}

#endif

clv_allocator clv_default_allocator(void) {
#if BASE_TRACTS
  return (clv_allocator){.resize = resize_any};
#else
  return (clv_allocator){.resize = resize_plain};
#endif
}
