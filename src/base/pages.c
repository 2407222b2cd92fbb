#define _DEFAULT_SOURCE // madvise

#include "base/pages.h"

#include <stdint.h>
#include <sys/mman.h>

enum { PAGE = 4096, LARGE = 2 << 20 };

void base_large_pages(void *memory, size_t size) {
#if defined(MADV_HUGEPAGE)
  const size_t before = (PAGE - (uintptr_t)memory % PAGE) % PAGE;
  if (size < 2 * (size_t)LARGE) return;
  (void)madvise((char *)memory + before, (size - before) / PAGE * PAGE, MADV_HUGEPAGE); // refused: small ones will do
#else
  (void)memory, (void)size;
#endif
}
