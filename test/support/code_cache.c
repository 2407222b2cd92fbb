#include "support/code_cache.h"

#include <dirent.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <cmocka.h>

static char cache_name[64];

int code_cache_make(void **state) {
  (void)state;
  snprintf(cache_name, sizeof cache_name, "/tmp/cleave_test_XXXXXX");
  return mkdtemp(cache_name) ? 0 : -1;
}

const char *code_cache_path(void) {
  return cache_name;
}

uint32_t code_cache_files(void (*each)(const char *path)) {
  DIR *directory = opendir(cache_name);
  assert_non_null(directory);
  uint32_t count = 0;
  for (struct dirent *entry; (entry = readdir(directory));) {
    char path[400];
    if (entry->d_name[0] == '.') continue;
    snprintf(path, sizeof path, "%s/%s", cache_name, entry->d_name);
    if (each) each(path);
    count++;
  }
  closedir(directory);
  return count;
}

static void remove_file(const char *path) {
  assert_int_equal(unlink(path), 0);
}

int code_cache_remove(void **state) {
  (void)state;
  code_cache_files(remove_file);
  return rmdir(cache_name);
}

void code_cache_open(rule_native *native, const char *isa, const char *compiler) {
  const clv_allocator allocator = clv_default_allocator();
  const rule_native_def def = {.cache = cache_name, .compiler = compiler, .isa = isa};
  clv_error error;
  assert_int_equal(rule_native_open(native, &allocator, &def, &error), CLV_OK);
}
