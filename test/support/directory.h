// A directory of a test's own, empty at first and gone at its end.

#ifndef CLEAVE_TEST_SUPPORT_DIRECTORY_H
#define CLEAVE_TEST_SUPPORT_DIRECTORY_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

typedef struct test_directory {
  char path[256];
} test_directory;

static inline int directory_setup(void **state) {
  test_directory *directory = calloc(1, sizeof *directory);
  assert_non_null(directory);
  snprintf(directory->path, sizeof directory->path, "result-XXXXXX");
  assert_non_null(mkdtemp(directory->path));
  *state = directory;
  return 0;
}

static inline int directory_teardown(void **state) {
  test_directory *directory = *state;
  char command[300];
  snprintf(command, sizeof command, "rm -rf '%s'", directory->path);
  const int status = system(command);
  free(directory);
  return status;
}

// A path inside it; the last 256 that were asked for stay.
static inline const char *in_directory(void **state, const char *name) {
  static char paths[256][512];
  static unsigned next;
  char *path = paths[next++ % 256];
  snprintf(path, sizeof paths[0], "%s/%s", ((test_directory *)*state)->path, name);
  return path;
}

// A whole file, ended by a zero; NULL when there is none. free() it.
static inline char *read_text(const char *path, size_t *size) {
  FILE *file = fopen(path, "rb");
  if (!file) return NULL;
  assert_int_equal(fseek(file, 0, SEEK_END), 0);
  const long length = ftell(file);
  rewind(file);
  char *text = malloc((size_t)length + 1);
  assert_non_null(text);
  assert_int_equal(fread(text, 1, (size_t)length, file), (size_t)length);
  text[length] = '\0';
  fclose(file);
  if (size) *size = (size_t)length;
  return text;
}

#endif
