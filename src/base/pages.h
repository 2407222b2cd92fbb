// Large pages: a hint to the system.
//
// What is streamed through and added to all over, tens of megabytes of it, needs more small pages than a processor
// knows the places of, and it looks them up again and again. Memory that is asked for here gets large pages where the
// system has them to give; nothing else about it changes, and a system that knows no such thing is not asked.

#ifndef BASE_PAGES_H
#define BASE_PAGES_H

#include <stddef.h>

// For memory of any allocator, before it is written. Too small an amount is left as it is.
void base_large_pages(void *memory, size_t size);

#endif
