// A pool of threads that share the parts of one task.
//
// A task is cut into numbered parts. Each thread has a share of them, the same for tasks of as many parts, so that what
// it works on stays in its cache; one that is done helps the others. What a part does must not depend on who does it,
// and then results do not depend on the number of threads. Threads that wait look for work for a little while before
// they sleep, so that tasks in quick succession cost little to hand out.

#ifndef BASE_THREAD_H
#define BASE_THREAD_H

#include "base/memory.h"

typedef struct base_pool base_pool;

// A pool of `threads` that work at the same time, the caller of base_pool_run among them. NULL when memory is out or
// the system grants no more threads.
base_pool *base_pool_create(const clv_allocator *allocator, uint32_t threads);
void base_pool_destroy(base_pool *pool);
uint32_t base_pool_threads(const base_pool *pool);

// Does all parts 0 .. count - 1 and returns when they are done. `pool` may be NULL: the caller does them in order. Only
// one thread may call it at a time. Parts must not allocate from an allocator that others use. `worker` tells which
// thread does a part, 0 being the caller: for scratch memory, never for results.
typedef void base_part(void *user, uint32_t part, uint32_t worker);
void base_pool_run(base_pool *pool, base_part *part, void *user, uint32_t count);

#endif
