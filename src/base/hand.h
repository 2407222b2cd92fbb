// What lies at hand: memory that is fetched at once, before somebody goes to it line by line.
//
// A step of a large body leaves nothing in the caches but itself. Whoever edits the body then waits for each line of
// code and of what the engine keeps for itself, mostly one after the other. A processor fetches memory side by side
// several times as fast; so what edits run lies side by side (cmake/hand.cmake), in three pieces: what removing cells
// and refining them have in common, and what either has of its own.

#ifndef BASE_HAND_H
#define BASE_HAND_H

#include "base/memory.h"

typedef enum base_hand { BASE_HAND_EDITS, BASE_HAND_LOSSES, BASE_HAND_GROWTHS } base_hand;

// Brings memory into the caches; none, where `start` is NULL.
void base_fetch(const void *start, size_t size);
// The same for the stack that is not in use.
void base_fetch_stack(void);
// And for a piece of code; nothing, where it was not put together.
void base_fetch_code(base_hand piece);

// The first elements of an array, for which there is room, whatever they are; and those from one on.
#define BASE_FETCH_SOME(array, from, most)                                                                             \
  ((array).capacity > (from)                                                                                           \
       ? base_fetch((array).data + (from),                                                                             \
                    ((array).capacity - (from) < (most) ? (array).capacity - (from) : (most)) * sizeof *(array).data)  \
       : (void)0)
#define BASE_FETCH_ALL(array) base_fetch((array).data, (array).count * sizeof *(array).data)

#endif
