// Pages: memory that the system itself hands out.
//
// A block of pages grows where it lies. When it is made, address space behind it is set aside, many times its size;
// that costs nothing, and pages come there one by one as a grown block is written. So an array of many megabytes that
// grows is not copied, and the edit that it grows for does not wait for it. A block that outgrows its address space
// moves to a larger one. What is set aside is no memory: it counts against no limit but that of address space, and
// where that one is tight a block has none ahead and moves each time.
//
// The default allocator (base.c) takes blocks of BASE_PAGED bytes and more from here: a new page costs more than a copy
// of its bytes into memory that was used before, so that small blocks are better off with malloc. Under
// AddressSanitizer all are malloc's: it guards the ends of what malloc gives, and finds what is never given back.

#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>
#include <stdint.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define BASE_SANITIZED
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define BASE_SANITIZED
#endif

#if defined(BASE_SANITIZED) || UINTPTR_MAX <= UINT32_MAX // or addresses are too few to set any aside
#define BASE_PAGED SIZE_MAX
#else
#define BASE_PAGED ((size_t)1 << 20)
#endif

// As an allocator's resize, for any size: a new block where there was none, NULL and the old one as it was where the
// system refuses, no block for no bytes. Blocks begin on a cache line, at various places of a page, so that arrays that
// are read at one index do not all want the same lines of a cache.
void *base_pages_resize(void *block, size_t old_size, size_t new_size);

// A hint to the system. What is streamed through and added to all over, tens of megabytes of it, needs more small pages
// than a processor knows the places of, and it looks them up again and again. Memory of any allocator that is named
// here before it is written gets large pages where the system has them to give; nothing else about it changes, and a
// system that knows no such thing is not asked. Too small an amount is left as it is.
void base_large_pages(void *memory, size_t size);

#endif
