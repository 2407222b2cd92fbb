// An allocator for tests that counts what it handed out, refuses the n-th request and trusts nobody's sizes.
//
// It keeps the size of every block in front of it and fails the test when old_size is not what was asked for last, or
// when something was written behind the block's end. A test that ends with live_bytes 0 has leaked nothing. To try
// every failure, run the same work with fail_at 1, 2, 3, ... until `refused` stays false.

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

enum { COUNTING_FENCE = 64, COUNTING_FENCE_BYTE = 0x5c };

static inline void counting_check_fence(const counting_head *head) {
  const unsigned char *fence = (const unsigned char *)(head + 1) + head->size;
  for (size_t k = 0; k < COUNTING_FENCE; k++) assert_int_equal(fence[k], COUNTING_FENCE_BYTE);
}

static inline void *counting_resize(void *user, void *p, size_t old_size, size_t new_size) {
  counting_memory *memory = user;
  counting_head *head = p ? (counting_head *)p - 1 : NULL;
  assert_int_equal(old_size, head ? head->size : 0);
  if (head) counting_check_fence(head);
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
  counting_head *moved = malloc(sizeof *moved + new_size + COUNTING_FENCE);
  assert_non_null(moved);
  moved->size = new_size;
  void *to = moved + 1;
  memset(to, 0xa5, new_size);
  memset((unsigned char *)to + new_size, COUNTING_FENCE_BYTE, COUNTING_FENCE);
  if (p) memcpy(to, p, old_size < new_size ? old_size : new_size);
  memory->live_bytes += new_size - old_size;
  free(head);
  return to;
}

static inline clv_allocator counting_allocator(counting_memory *memory) {
  return (clv_allocator){.resize = counting_resize, .user = memory};
}

#endif
