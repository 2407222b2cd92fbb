#include "rule/native.h"

#include <assert.h>
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

// Compiling

bool native_compile_units(rule_native *native, native_units *units, char object[NATIVE_PATH]) {
  for (uint32_t u = 0; u < units->count; u++)
    if (units->data[u].text.no_memory) return false;
  if (!BASE_RESERVE(&native->allocator, &native->modules, (uint64_t)native->modules.count + units->count) ||
      !native_compile(&native->allocator, &native->def, native->isa, units->data, units->count, object,
                      &native->trouble))
    return false;
  for (uint32_t u = 0; u < units->count; u++) {
    const native_unit *unit = &units->data[u];
    if (unit->module) native->modules.data[native->modules.count++] = unit->module;
    *(!unit->module ? &native->interpreted : unit->was_cached ? &native->cached : &native->compiled) += unit->owners;
  }
  return native->trouble.code != CLV_ERROR_MEMORY;
}

static void add_entrance(emit_text *module, uint32_t count) {
  emit_add(module, "\nstruct gate { lanes_positive *make_positive; lanes_kernel **functions; const void **codes; };\n"
                   "__attribute__((visibility(\"default\"))) void cleave_rules(const struct gate *gate) {\n"
                   "  positive = gate->make_positive;\n");
  for (uint32_t n = 0; n < count; n++)
    for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++)
      emit_add(module, "  gate->functions[%u] = p%u_%s;\n", n * KERNEL_COUNT + kind, n,
               emit_kind_name((kernel_kind)kind));
  emit_add(module, "}\n");
}

// kernel_make_positive_lanes takes an enumeration, which emitted text does not know.
static void make_positive(double *matrix, uint32_t n, uint32_t psd) {
  kernel_make_positive_lanes(matrix, n, (law_psd)psd);
}

static const native_frame frame = {&native_lanes, "\nstatic lanes_positive *positive;\n#define CLV_POSITIVE positive\n",
                                   "CLV_KERNEL"};

static clv_result compile(rule_native *native, native_pieces *pieces, kernel *const *kernels) {
  const size_t size = (size_t)pieces->count * KERNEL_COUNT * sizeof(kernel_function *);
  kernel_function **functions = base_allocate(&native->allocator, size);
  native_units units = {0};
  bool ok = functions && native_units_share(&units, &native->allocator, pieces, &frame);
  for (uint32_t u = 0; ok && u < units.count; u++) add_entrance(&units.data[u].text, units.data[u].count);
  ok = ok && native_compile_units(native, &units, native->object);
  for (uint32_t u = 0; ok && u < units.count; u++) {
    const native_unit *unit = &units.data[u];
    if (!unit->module) continue;
    kernel_function **own = functions + (size_t)unit->first * KERNEL_COUNT;
    unit->entrance(&(native_gate){.make_positive = make_positive, .functions = own});
    for (uint32_t n = 0; n < unit->count; n++)
      kernel_set_code(kernels[pieces->data[unit->first + n].owner], own + (size_t)n * KERNEL_COUNT);
  }
  native_units_free(&units, &native->allocator);
  base_free(&native->allocator, functions, size);
  return ok ? CLV_OK : CLV_ERROR_MEMORY;
}

// Looks for a kernel among the shipped ones; *found says whether it is there. False when memory is out.
static bool attach_shipped(rule_native *native, kernel *k, emit_text *scratch, bool *found) {
  emit_hash name;
  *found = false;
  if (native->def.anew || native_table_count == 0) return true;
  if (!emit_name(&name, k, scratch)) return false;
  const native_entry *shipped = native_find(&name, native_table, native_table_count, sizeof *native_table);
  *found = shipped && shipped->function[native->isa][KERNEL_FORCE];
  if (!*found) return true;
  kernel_set_code(k, shipped->function[native->isa]);
  native->shipped++;
  return true;
}

// The piece that has this text; their number when none has.
static uint32_t find_text(const native_pieces *pieces, const emit_text *text) {
  uint32_t k = 0;
  for (; k < pieces->count; k++) {
    const emit_text *other = &pieces->data[k].text;
    if (other->bytes.count != text->bytes.count) continue;
    if (memcmp(other->bytes.data, text->bytes.data, text->bytes.count) == 0) break;
  }
  return k;
}

// A text that is too long stays interpreted. False when memory is out.
static bool keep(rule_native *native, const emit_text *text, native_pieces *pieces, uint32_t owner) {
  if (text->bytes.count <= NATIVE_TEXT) return native_pieces_add(pieces, &native->allocator, text, owner);
  native->interpreted++;
  clv_error_set(&native->trouble, CLV_ERROR_REFUSED, "a law is too long to be compiled: %u bytes of C, at most %u",
                text->bytes.count, NATIVE_TEXT);
  return true;
}

// A law on edges is the same for surfaces and for volumes, and compiled once: the others, by number, get the code of
// their twin.
static bool keep_text(rule_native *native, const kernel *k, emit_text *scratch, native_pieces *pieces, uint32_t owner,
                      uint32_t *twin) {
  scratch->bytes.count = 0;
  if (!emit_kernel_short(scratch, k)) return false;
  const uint32_t same = find_text(pieces, scratch);
  if (same == pieces->count) return keep(native, scratch, pieces, owner);
  assert(pieces->data);
  *twin = pieces->data[same].owner;
  pieces->data[same].owners++;
  return true;
}

static void take_code_of_twins(kernel *const *kernels, const uint32_t *twins, uint32_t count) {
  for (uint32_t n = 0; n < count; n++)
    if (twins[n] != n && kernels[twins[n]]->compiled[KERNEL_FORCE])
      kernel_set_code(kernels[n], kernels[twins[n]]->compiled);
}

clv_result rule_native_attach(rule_native *native, kernel *const *kernels, uint32_t count) {
  native_pieces pieces = {0};
  emit_text scratch;
  emit_text_init(&scratch, &native->allocator);
  uint32_t *twins = base_allocate(&native->allocator, (count ? count : 1) * sizeof *twins);
  bool ok = twins != NULL;
  for (uint32_t n = 0; ok && n < count; n++) {
    bool found;
    twins[n] = n;
    if (!kernels[n] || kernels[n]->compiled[KERNEL_FORCE]) continue;
    ok = attach_shipped(native, kernels[n], &scratch, &found) &&
         (found || keep_text(native, kernels[n], &scratch, &pieces, n, &twins[n]));
  }
  clv_result result = ok ? CLV_OK : CLV_ERROR_MEMORY;
  if (ok && pieces.count > 0) result = compile(native, &pieces, kernels);
  if (result == CLV_OK) take_code_of_twins(kernels, twins, count);
  base_free(&native->allocator, twins, (count ? count : 1) * sizeof *twins);
  emit_text_free(&scratch);
  native_pieces_free(&pieces, &native->allocator);
  return result;
}

clv_result rule_native_attach_shipped(rule_native *native, kernel *const *kernels, uint32_t count) {
  emit_text scratch;
  emit_text_init(&scratch, &native->allocator);
  bool ok = true;
  for (uint32_t n = 0; ok && n < count; n++) {
    bool found;
    if (kernels[n] && !kernels[n]->compiled[KERNEL_FORCE]) ok = attach_shipped(native, kernels[n], &scratch, &found);
  }
  emit_text_free(&scratch);
  return ok ? CLV_OK : CLV_ERROR_MEMORY;
}
