// The shipped library: rules/*.rule, embedded by the build.

#include "rule/native.h"
#include "rule/program.h"

const char *rule_shipped(const char *module, size_t *size) {
  for (const native_text *text = native_modules; text->name; text++) {
    if (strcmp(text->name, module) != 0) continue;
    *size = text->size;
    return (const char *)text->text;
  }
  *size = 0;
  return NULL;
}

const char *rule_shipped_as(const char *text, size_t size) {
  for (const native_text *module = native_modules; module->name; module++)
    if (module->size == size && memcmp(module->text, text, size) == 0) return module->name;
  return NULL;
}
