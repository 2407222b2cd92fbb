// From the numbers a file gives its things to ours: tags may be sparse and in any order.
//
// A sorted list instead of a hash table: no file can be made that is slow to look up in, and in the usual file, whose
// tags are consecutive, the first guess is right.

#ifndef IO_TAGS_H
#define IO_TAGS_H

#include "io/reader.h"

typedef struct io_tag {
  int64_t tag;
  uint32_t index;
} io_tag;

typedef struct io_tags {
  io_tag *entries;
  size_t count;
} io_tags;

static inline void io_tags_add(io_tags *tags, int64_t tag, uint32_t index) {
  tags->entries[tags->count++] = (io_tag){tag, index};
}

// To be called once all are added. Of equal tags, which may stand, a search finds any.
void io_tags_sort(io_tags *tags);
// A tag that stands there twice; NULL when there is none.
const io_tag *io_tags_find_twin(const io_tags *tags);
// The place of the first entry whose tag is not below this one; count when there is none.
size_t io_tags_lower_bound(const io_tags *tags, int64_t tag);
// NULL for an unknown tag.
const io_tag *io_tags_find(const io_tags *tags, int64_t tag);

#endif
