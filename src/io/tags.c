// From a file's tags to ours. See tags.h.

#include "io/tags.h"

static bool io_tags_are_sorted(const io_tags *tags) {
  for (size_t i = 1; i < tags->count; i++) {
    if (tags->entries[i].tag < tags->entries[i - 1].tag) return false;
  }
  return true;
}

static void io_tags_sift_down(io_tag *entries, size_t root, size_t count) {
  io_tag moved = entries[root];
  for (size_t child; (child = 2 * root + 1) < count; root = child) {
    if (child + 1 < count && entries[child + 1].tag > entries[child].tag) child++;
    if (entries[child].tag <= moved.tag) break;
    entries[root] = entries[child];
  }
  entries[root] = moved;
}

// Heapsort: needs no memory and has no bad input.
void io_tags_sort(io_tags *tags) {
  if (io_tags_are_sorted(tags)) return;
  io_tag *entries = tags->entries;
  for (size_t root = tags->count / 2; root-- > 0;) io_tags_sift_down(entries, root, tags->count);
  for (size_t last = tags->count - 1; last > 0; last--) {
    io_tag greatest = entries[0];
    entries[0] = entries[last];
    entries[last] = greatest;
    io_tags_sift_down(entries, 0, last);
  }
}

const io_tag *io_tags_find_twin(const io_tags *tags) {
  for (size_t i = 1; i < tags->count; i++) {
    if (tags->entries[i].tag == tags->entries[i - 1].tag) return &tags->entries[i];
  }
  return NULL;
}

size_t io_tags_lower_bound(const io_tags *tags, int64_t tag) {
  size_t low = 0, high = tags->count;
  while (low < high) {
    size_t middle = low + (high - low) / 2;
    if (tags->entries[middle].tag < tag) {
      low = middle + 1;
    } else {
      high = middle;
    }
  }
  return low;
}

const io_tag *io_tags_find(const io_tags *tags, int64_t tag) {
  if (tags->count == 0) return NULL;
  uint64_t guess = (uint64_t)tag - (uint64_t)tags->entries[0].tag;
  if (guess < tags->count && tags->entries[guess].tag == tag) return &tags->entries[guess];
  size_t at = io_tags_lower_bound(tags, tag);
  return at < tags->count && tags->entries[at].tag == tag ? &tags->entries[at] : NULL;
}
