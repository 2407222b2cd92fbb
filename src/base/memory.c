#include "base/memory.h"

bool base_grow_beyond(const clv_allocator *allocator, void *slot, uint32_t *capacity, uint64_t need, size_t size) {
  uint64_t room = *capacity + (uint64_t)*capacity / 2 + 8;
  if (room < need || *capacity == 0) room = need;
  if (room > UINT32_MAX) room = UINT32_MAX;
  if (need > room) return false;
  void *data;
  memcpy(&data, slot, sizeof data);
  data = allocator->resize(allocator->user, data, *capacity * size, room * size);
  if (!data) return false;
  memcpy(slot, &data, sizeof data);
  *capacity = (uint32_t)room;
  return true;
}

bool base_fit(const clv_allocator *allocator, void *slot, uint32_t count, uint32_t *capacity, size_t size) {
  void *data;
  memcpy(&data, slot, sizeof data);
  if (count == *capacity) return true;
  void *moved = allocator->resize(allocator->user, data, *capacity * size, count * size);
  if (!moved && count) return false;
  memcpy(slot, &moved, sizeof moved);
  *capacity = count;
  return true;
}
