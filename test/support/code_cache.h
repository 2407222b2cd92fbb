// A directory for compiled code: made for a test, removed with all its files behind it.

#ifndef CLEAVE_TEST_SUPPORT_CODE_CACHE_H
#define CLEAVE_TEST_SUPPORT_CODE_CACHE_H

#include "rule/native.h"

// Setup and teardown of a test.
int code_cache_make(void **state);
int code_cache_remove(void **state);

const char *code_cache_path(void);
// Calls `each`, if it is not NULL, with every file of the cache; returns how many there are.
uint32_t code_cache_files(void (*each)(const char *path));
// Code that is kept there, for an instruction set and by a compiler; NULL: as the machine has them.
void code_cache_open(rule_native *native, const char *isa, const char *compiler);

#endif
