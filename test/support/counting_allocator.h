// An allocator for tests that counts what it handed out, refuses the n-th request and trusts nobody's sizes.
//
// It keeps the size of every block in front of it and fails the test when old_size is not what was asked for last. A
// test that ends with live_bytes 0 has leaked nothing. To try every failure, run the same work with fail_at 1, 2, 3,
// ... until `refused` stays false.

#ifndef CLEAVE_TEST_SUPPORT_COUNTING_ALLOCATOR_H
#define CLEAVE_TEST_SUPPORT_COUNTING_ALLOCATOR_H

#include "cleave/base.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct counting_memory {
  size_t live_bytes;
  size_t requests;
  size_t fail_at; // the request that is refused, from 1; 0 for none
  bool refused;
} counting_memory;

typedef union counting_head {
  size_t size;
  max_align_t alignment;
} counting_head;

static inline void *counting_resize(void *user, void *p, size_t old_size, size_t new_size) {
  counting_memory *memory = user;
  counting_head *head = p ? (counting_head *)p - 1 : NULL;
  assert_int_equal(old_size, head ? head->size : 0);
  if (new_size == 0) {
    memory->live_bytes -= old_size;
    free(head);
    return NULL;
  }
  if (++memory->requests == memory->fail_at || new_size > SIZE_MAX / 4) {
    memory->refused = true;
    return NULL;
  }
  // Always a new block, so that a pointer kept over a resize is found by the sanitizer.
  counting_head *moved = malloc(sizeof *moved + new_size);
  assert_non_null(moved);
  moved->size = new_size;
  void *to = moved + 1;
  memset(to, 0xa5, new_size);
  if (p) memcpy(to, p, old_size < new_size ? old_size : new_size);
  memory->live_bytes += new_size - old_size;
  free(head);
  return to;
}

static inline clv_allocator counting_allocator(counting_memory *memory) {
  return (clv_allocator){.resize = counting_resize, .user = memory};
}

#endif
