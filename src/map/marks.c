// Marks: a 64-bit word per block, so one word is a whole template cell; pages of words appear when first written.

#include "map/store.h"

enum { WORDS = CLV_BLOCK_MASK + 1 };

typedef struct mark_page {
  uint64_t *words;
} mark_page;

struct clv_marks {
  const map *map;
  BASE_ARRAY(mark_page) pages;
  map_words touched; // pages that hold marks
};

clv_marks *clv_marks_create(const clv_map *view) {
  const map *m = map_read(view);
  clv_marks *marks = base_allocate(&m->allocator, sizeof *marks);
  if (marks) *marks = (clv_marks){.map = m};
  return marks;
}

void clv_marks_destroy(clv_marks *marks) {
  if (!marks) return;
  const clv_allocator *allocator = &marks->map->allocator;
  for (uint32_t p = 0; p < marks->pages.count; p++)
    base_free(allocator, marks->pages.data[p].words, WORDS * sizeof(uint64_t));
  BASE_RELEASE(allocator, &marks->pages);
  BASE_RELEASE(allocator, &marks->touched);
  base_free(allocator, marks, sizeof *marks);
}

static bool add_page(clv_marks *marks, uint32_t page) {
  const clv_allocator *allocator = &marks->map->allocator;
  if (!BASE_RESERVE(allocator, &marks->pages, (uint64_t)page + 1)) return false;
  if (!BASE_RESERVE(allocator, &marks->touched, (uint64_t)marks->touched.count + 1)) return false;
  while (marks->pages.count <= page) marks->pages.data[marks->pages.count++].words = NULL;
  uint64_t *words = base_allocate(allocator, WORDS * sizeof *words);
  if (!words) return false;
  memset(words, 0, WORDS * sizeof *words);
  marks->pages.data[page].words = words;
  marks->touched.data[marks->touched.count++] = page;
  return true;
}

clv_result clv_marks_set(clv_marks *marks, clv_dart dart) {
  const uint32_t page = dart >> CLV_PAGE_SHIFT;
  const bool there = page < marks->pages.count && marks->pages.data[page].words;
  if (!there && !add_page(marks, page)) return CLV_ERROR_MEMORY;
  marks->pages.data[page].words[(dart >> 6) & CLV_BLOCK_MASK] |= UINT64_C(1) << (dart & 63u);
  return CLV_OK;
}

bool clv_marks_get(const clv_marks *marks, clv_dart dart) {
  const uint32_t page = dart >> CLV_PAGE_SHIFT;
  if (page >= marks->pages.count || !marks->pages.data[page].words) return false;
  return marks->pages.data[page].words[(dart >> 6) & CLV_BLOCK_MASK] >> (dart & 63u) & 1u;
}

void clv_marks_clear(clv_marks *marks) {
  for (uint32_t k = 0; k < marks->touched.count; k++) {
    mark_page *page = &marks->pages.data[marks->touched.data[k]];
    base_free(&marks->map->allocator, page->words, WORDS * sizeof(uint64_t));
    page->words = NULL;
  }
  marks->touched.count = 0;
}
