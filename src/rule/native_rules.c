// Compiled topological rules: from the table of shipped ones, or from the machine's compiler.

#include "rule/native.h"

static void add_entrance(emit_text *module, uint32_t count) {
  emit_add(module, "\nstruct gate { void (*unused)(void); void (**functions)(void); const machine_code **codes; };\n"
                   "__attribute__((visibility(\"default\"))) void cleave_rules(const struct gate *gate) {\n"
                   "  (void)gate;\n");
  for (uint32_t n = 0; n < count; n++) emit_add(module, "  gate->codes[%u] = &r%u_code;\n", n, n);
  emit_add(module, "}\n");
}

static clv_result compile_rules(rule_native *native, const emit_text *module, rule_graph *const *graphs,
                                uint32_t count) {
  const size_t size = count * sizeof(const machine_code *);
  const machine_code **codes = base_allocate(&native->allocator, size);
  if (!codes || !BASE_RESERVE(&native->allocator, &native->modules, (uint64_t)native->modules.count + 1)) {
    base_free(&native->allocator, codes, size);
    return CLV_ERROR_MEMORY;
  }
  void *code;
  native_entrance *entrance;
  bool was_cached;
  char beside[NATIVE_PATH] = ""; // where laws were compiled too, their place is the one that is told
  if (native_compile(&native->allocator, &native->def, native->isa, module, &code, &entrance, &was_cached,
                     native->object[0] ? beside : native->object, &native->trouble)) {
    native->modules.data[native->modules.count++] = code;
    entrance(&(native_gate){.codes = codes});
    for (uint32_t n = 0; n < count; n++) graphs[n]->code = codes[n];
    *(was_cached ? &native->cached : &native->compiled) += count;
  } else {
    native->interpreted += count;
  }
  base_free(&native->allocator, codes, size);
  return native->trouble.code == CLV_ERROR_MEMORY ? CLV_ERROR_MEMORY : CLV_OK;
}

clv_result rule_native_attach_rules(rule_native *native, const clv_program *program, rule_graph *const *graphs,
                                    uint32_t count, bool compile) {
  if (count == 0 || (!compile && native_rule_count == 0)) return CLV_OK;
  rule_graph **rest = base_allocate(&native->allocator, count * sizeof *rest);
  if (!rest) return CLV_ERROR_MEMORY;
  uint32_t rest_count = 0;
  emit_text text, module;
  emit_text_init(&text, &native->allocator);
  emit_text_init(&module, &native->allocator);
  emit_add_bytes(&module, (const char *)native_machine.text, native_machine.size);
  bool ok = true;
  for (uint32_t n = 0; ok && n < count; n++) {
    text.bytes.count = 0;
    ok = emit_rule(&text, program, graphs[n]);
    const emit_hash hash = emit_hash_of(text.bytes.data, text.bytes.count);
    const native_rule *shipped = ok ? native_find(&hash, native_rules, native_rule_count, sizeof *native_rules) : NULL;
    graphs[n]->code = shipped ? shipped->code : NULL;
    native->shipped += graphs[n]->code != NULL;
    if (graphs[n]->code || !compile) continue;
    emit_add(&module, "\n#define CLV_RULE(part) r%u_##part\n", rest_count);
    emit_add_bytes(&module, text.bytes.data, text.bytes.count);
    emit_add(&module, "#undef CLV_RULE\n");
    rest[rest_count++] = graphs[n];
  }
  add_entrance(&module, rest_count);
  clv_result result = ok && !module.no_memory ? CLV_OK : CLV_ERROR_MEMORY;
  if (result == CLV_OK && rest_count > 0) result = compile_rules(native, &module, rest, rest_count);
  emit_text_free(&text);
  emit_text_free(&module);
  base_free(&native->allocator, rest, count * sizeof *rest);
  return result;
}
