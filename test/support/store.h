// Blocks of a saved world, kept in memory; they may be made to fail.

#ifndef CLEAVE_TEST_SUPPORT_STORE_H
#define CLEAVE_TEST_SUPPORT_STORE_H

#include "cleave/world.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct block {
  char name[128];
  void *data;
  size_t size;
} block;

typedef struct store {
  block blocks[256];
  uint32_t count, fail_at; // the write or read that fails, from 1
  const char *hurt;        // the block that comes back one byte short
} store;

static inline clv_result store_put(void *user, const char *name, const void *data, size_t size) {
  store *s = user;
  if (s->count + 1 == s->fail_at) return CLV_ERROR_SYSTEM;
  assert_true(s->count < 256 && strlen(name) < 128);
  block *b = &s->blocks[s->count++];
  for (uint32_t k = 0; k + 1 < s->count; k++) assert_string_not_equal(s->blocks[k].name, name);
  memcpy(b->name, name, strlen(name) + 1);
  b->size = size;
  b->data = malloc(size + 1);
  assert_non_null(b->data);
  if (size) memcpy(b->data, data, size);
  return CLV_OK;
}

static inline clv_result store_get(void *user, const char *name, const void **data, size_t *size) {
  store *s = user;
  for (uint32_t k = 0; k < s->count; k++) {
    if (strcmp(s->blocks[k].name, name) != 0) continue;
    *data = s->blocks[k].data;
    *size = s->blocks[k].size;
    if (s->hurt && !strcmp(s->hurt, name) && *size) --*size;
    return CLV_OK;
  }
  return CLV_ERROR_INPUT;
}

static inline void store_empty(store *s) {
  for (uint32_t k = 0; k < s->count; k++) free(s->blocks[k].data);
  *s = (store){0};
}

#endif
