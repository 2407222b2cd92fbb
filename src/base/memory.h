// Growable arrays on a clv_allocator.
//
// An array is a pointer, a count and a capacity in elements. Growing is the only operation that can fail, and it leaves
// the array as it was; callers reserve first and write afterwards.

#ifndef BASE_MEMORY_H
#define BASE_MEMORY_H

#include "cleave/base.h"

#include <string.h>

#define BASE_ARRAY(type)                                                                                               \
  struct {                                                                                                             \
    type *data;                                                                                                        \
    uint32_t count, capacity;                                                                                          \
  }

// Makes room for `need` elements in the array whose pointer lies at `slot`, growing by half as much again, or to
// exactly `need` when it was empty. The pointer is copied, not aliased: `slot` may be of any object pointer type.
bool base_grow_beyond(const clv_allocator *allocator, void *slot, uint32_t *capacity, uint64_t need, size_t size);

// Mostly there is room: only that is asked at the hundreds of places that reserve.
static inline bool base_grow(const clv_allocator *allocator, void *slot, uint32_t *capacity, uint64_t need,
                             size_t size) {
  return CLV_LIKELY(need <= *capacity) || base_grow_beyond(allocator, slot, capacity, need, size);
}

// The same for an array whose elements begin as zeros: as many as are needed, and no more, are written.
static inline bool base_grow_cleared(const clv_allocator *allocator, void *slot, uint32_t *count, uint32_t *capacity,
                                     uint64_t need, size_t size) {
  if (need <= *count) return true;
  if (!base_grow(allocator, slot, capacity, need, size)) return false;
  char *data;
  memcpy(&data, slot, sizeof data);
  memset(data + *count * size, 0, (need - *count) * size);
  *count = (uint32_t)need;
  return true;
}

// Gives back what an array has room for beyond `count` elements.
bool base_fit(const clv_allocator *allocator, void *slot, uint32_t count, uint32_t *capacity, size_t size);

static inline void *base_allocate(const clv_allocator *allocator, size_t size) {
  return allocator->resize(allocator->user, NULL, 0, size);
}

static inline void base_free(const clv_allocator *allocator, void *data, size_t size) {
  if (data) allocator->resize(allocator->user, data, size, 0);
}

#define BASE_RESERVE(allocator, array, need)                                                                           \
  base_grow((allocator), &(array)->data, &(array)->capacity, (need), sizeof *(array)->data)
#define BASE_RESERVE_CLEARED(allocator, array, need)                                                                   \
  base_grow_cleared((allocator), &(array)->data, &(array)->count, &(array)->capacity, (need), sizeof *(array)->data)
#define BASE_FIT(allocator, array)                                                                                     \
  base_fit((allocator), &(array)->data, (array)->count, &(array)->capacity, sizeof *(array)->data)
#define BASE_RELEASE(allocator, array)                                                                                 \
  (base_free((allocator), (array)->data, (array)->capacity * sizeof *(array)->data), (array)->data = NULL,             \
   (array)->count = (array)->capacity = 0)

#endif
