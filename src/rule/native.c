#include "rule/native.h"

#include <stdlib.h>

enum { NATIVE_TEXT = 4 << 20 }; // longer text is not compiled: it would take minutes

// Instruction sets

const char *native_isa_name(native_isa isa) {
  static const char *const names[NATIVE_ISA_COUNT] = {"sse2", "avx2", "avx512"};
  return names[isa];
}

bool native_isa_here(native_isa isa) {
#if defined(__x86_64__) && defined(__GNUC__)
  __builtin_cpu_init();
  switch (isa) {
  case NATIVE_BASE:
    return true;
  case NATIVE_AVX2:
    return __builtin_cpu_supports("avx2") && __builtin_cpu_supports("fma");
  default:
    return __builtin_cpu_supports("avx512f") && __builtin_cpu_supports("avx512dq") &&
           __builtin_cpu_supports("avx512vl") && __builtin_cpu_supports("avx512bw") && native_isa_here(NATIVE_AVX2);
  }
#else
  return isa == NATIVE_BASE;
#endif
}

native_isa native_isa_best(void) {
  native_isa best = NATIVE_BASE;
  for (int isa = NATIVE_BASE; isa < NATIVE_ISA_COUNT; isa++)
    if (native_isa_here((native_isa)isa)) best = (native_isa)isa;
  return best;
}

static clv_result choose_isa(rule_native *native, clv_error *error) {
  const char *wanted = native->def.isa ? native->def.isa : getenv("CLEAVE_ISA");
  native->isa = native_isa_best();
  if (!wanted || !*wanted) return CLV_OK;
  for (int isa = NATIVE_BASE; isa < NATIVE_ISA_COUNT; isa++) {
    if (strcmp(wanted, native_isa_name((native_isa)isa)) != 0) continue;
    if (native_isa_here((native_isa)isa)) {
      native->isa = (native_isa)isa;
      return CLV_OK;
    }
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "this processor has no %s; the best it has is %s", wanted,
                         native_isa_name(native_isa_best()));
  }
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "no instruction set '%.40s': say sse2, avx2 or avx512", wanted);
}

clv_result rule_native_open(rule_native *native, const clv_allocator *allocator, const rule_native_def *def,
                            clv_error *error) {
  *native = (rule_native){.allocator = *allocator};
  if (def) native->def = *def;
  return choose_isa(native, error);
}

void rule_native_close(rule_native *native) {
  for (uint32_t k = 0; k < native->modules.count; k++) native_unload(native->modules.data[k]);
  BASE_RELEASE(&native->allocator, &native->modules);
}

// Attaching

const void *native_find(const emit_hash *hash, const void *table, uint32_t count, size_t size) {
  uint32_t low = 0, high = count;
  while (low < high) {
    const uint32_t middle = low + (high - low) / 2;
    const unsigned char *entry = (const unsigned char *)table + middle * size;
    const int order = memcmp(hash->byte, entry, sizeof hash->byte);
    if (order == 0) return entry;
    if (order < 0)
      high = middle;
    else
      low = middle + 1;
  }
  return NULL;
}

static void add_module_head(emit_text *module) {
  emit_add_bytes(module, (const char *)native_lanes.text, native_lanes.size);
  emit_add(module, "\nstatic lanes_positive *positive;\n#define CLV_POSITIVE positive\n");
}

static void add_module_kernel(emit_text *module, const emit_text *text, uint32_t number) {
  emit_add(module, "\n#define CLV_KERNEL(kind) k%u_##kind\n", number);
  emit_add_bytes(module, text->bytes.data, text->bytes.count);
  emit_add(module, "#undef CLV_KERNEL\n");
}

static void add_module_entrance(emit_text *module, uint32_t count) {
  emit_add(module, "\nstruct gate { lanes_positive *make_positive; lanes_kernel **functions; const void **codes; };\n"
                   "__attribute__((visibility(\"default\"))) void cleave_rules(const struct gate *gate) {\n"
                   "  positive = gate->make_positive;\n");
  for (uint32_t n = 0; n < count; n++)
    for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++)
      emit_add(module, "  gate->functions[%u] = k%u_%s;\n", n * KERNEL_COUNT + kind, n,
               emit_kind_name((kernel_kind)kind));
  emit_add(module, "}\n");
}

// kernel_make_positive_lanes takes an enumeration, which emitted text does not know.
static void make_positive(double *matrix, uint32_t n, uint32_t psd) {
  kernel_make_positive_lanes(matrix, n, (law_psd)psd);
}

static clv_result compile(rule_native *native, emit_text *module, kernel *const *kernels, uint32_t count) {
  if (!BASE_RESERVE(&native->allocator, &native->modules, (uint64_t)native->modules.count + 1)) return CLV_ERROR_MEMORY;
  const size_t size = (size_t)count * KERNEL_COUNT * sizeof(kernel_function *);
  kernel_function **functions = base_allocate(&native->allocator, size);
  if (!functions) return CLV_ERROR_MEMORY;
  void *code;
  native_entrance *entrance;
  bool was_cached;
  if (native_compile(&native->allocator, &native->def, native->isa, module, &code, &entrance, &was_cached,
                     native->object, &native->trouble)) {
    native->modules.data[native->modules.count++] = code;
    entrance(&(native_gate){.make_positive = make_positive, .functions = functions});
    for (uint32_t n = 0; n < count; n++) kernel_set_code(kernels[n], functions + n * KERNEL_COUNT);
    *(was_cached ? &native->cached : &native->compiled) += count;
  } else {
    native->interpreted += count;
  }
  base_free(&native->allocator, functions, size);
  return native->trouble.code == CLV_ERROR_MEMORY ? CLV_ERROR_MEMORY : CLV_OK;
}

static bool attach_shipped(rule_native *native, kernel *k, const emit_text *text) {
  const emit_hash hash = emit_hash_of(text->bytes.data, text->bytes.count);
  const native_entry *shipped = native_find(&hash, native_table, native_table_count, sizeof *native_table);
  if (!shipped || !shipped->function[native->isa][KERNEL_FORCE]) return false;
  kernel_set_code(k, shipped->function[native->isa]);
  native->shipped++;
  return true;
}

// The text of a kernel that is not shipped goes to the module and the kernel to `rest`.
static void keep(rule_native *native, kernel *k, const emit_text *text, emit_text *module, kernel **rest,
                 uint32_t *rest_count) {
  if (text->bytes.count > NATIVE_TEXT) {
    native->interpreted++;
    clv_error_set(&native->trouble, CLV_ERROR_REFUSED, "a law is too long to be compiled: %u bytes of C, at most %u",
                  text->bytes.count, NATIVE_TEXT);
  } else {
    add_module_kernel(module, text, *rest_count);
    rest[(*rest_count)++] = k;
  }
}

clv_result rule_native_attach(rule_native *native, kernel *const *kernels, uint32_t count) {
  if (count == 0) return CLV_OK;
  const size_t size = count * sizeof *kernels;
  kernel **rest = base_allocate(&native->allocator, size);
  if (!rest) return CLV_ERROR_MEMORY;
  uint32_t rest_count = 0;
  emit_text text, module;
  emit_text_init(&text, &native->allocator);
  emit_text_init(&module, &native->allocator);
  add_module_head(&module);
  bool ok = true;
  for (uint32_t n = 0; ok && n < count; n++) {
    if (!kernels[n] || kernels[n]->compiled[KERNEL_FORCE]) continue;
    text.bytes.count = 0;
    ok = emit_kernel(&text, kernels[n]);
    if (ok && !attach_shipped(native, kernels[n], &text)) keep(native, kernels[n], &text, &module, rest, &rest_count);
  }
  add_module_entrance(&module, rest_count);
  clv_result result = ok && !module.no_memory ? CLV_OK : CLV_ERROR_MEMORY;
  if (result == CLV_OK && rest_count > 0) result = compile(native, &module, rest, rest_count);
  emit_text_free(&text);
  emit_text_free(&module);
  base_free(&native->allocator, rest, size);
  return result;
}

clv_result rule_native_attach_shipped(rule_native *native, kernel *const *kernels, uint32_t count) {
  emit_text text;
  emit_text_init(&text, &native->allocator);
  bool ok = true;
  for (uint32_t n = 0; ok && n < count && native_table_count > 0; n++) {
    if (!kernels[n] || kernels[n]->compiled[KERNEL_FORCE]) continue;
    text.bytes.count = 0;
    ok = emit_kernel(&text, kernels[n]);
    if (ok) attach_shipped(native, kernels[n], &text);
  }
  emit_text_free(&text);
  return ok ? CLV_OK : CLV_ERROR_MEMORY;
}
