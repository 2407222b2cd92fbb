// Compiled topological rules: from the table of shipped ones, or from the machine's compiler.

#include "rule/native.h"

static void add_entrance(emit_text *module, uint32_t count) {
  emit_add(module, "\nstruct gate { void (*unused)(void); void (**functions)(void); const machine_code **codes; };\n"
                   "__attribute__((visibility(\"default\"))) void cleave_rules(const struct gate *gate) {\n"
                   "  (void)gate;\n");
  for (uint32_t n = 0; n < count; n++) emit_add(module, "  gate->codes[%u] = &r%u_code;\n", n, n);
  emit_add(module, "}\n");
}

static clv_result compile_rules(rule_native *native, native_units *units, rule_graph *const *graphs, uint32_t count) {
  const size_t size = count * sizeof(const machine_code *);
  const machine_code **codes = base_allocate(&native->allocator, size);
  if (!codes) return CLV_ERROR_MEMORY;
  for (uint32_t u = 0; u < units->count; u++) add_entrance(&units->data[u].text, units->data[u].count);
  char beside[NATIVE_PATH] = ""; // where laws were compiled too, their place is the one that is told
  const bool ok = native_compile_units(native, units, native->object[0] ? beside : native->object);
  for (uint32_t u = 0; u < units->count; u++) {
    const native_unit *unit = &units->data[u];
    if (!unit->module) continue;
    unit->entrance(&(native_gate){.codes = codes + unit->first});
    for (uint32_t n = 0; n < unit->count; n++) graphs[unit->first + n]->code = codes[unit->first + n];
  }
  base_free(&native->allocator, codes, size);
  return ok ? CLV_OK : CLV_ERROR_MEMORY;
}

static bool keep(rule_native *native, const emit_text *text, native_units *units) {
  native_unit *unit = native_units_next(units, &native->allocator, &native_machine);
  if (!unit) return false;
  emit_add(&unit->text, "\n#define CLV_RULE(part) r%u_##part\n", unit->count++);
  emit_add_bytes(&unit->text, text->bytes.data, text->bytes.count);
  emit_add(&unit->text, "#undef CLV_RULE\n");
  return true;
}

clv_result rule_native_attach_rules(rule_native *native, const clv_program *program, rule_graph *const *graphs,
                                    uint32_t count, bool compile) {
  if (count == 0 || (!compile && native_rule_count == 0)) return CLV_OK;
  rule_graph **rest = base_allocate(&native->allocator, count * sizeof *rest);
  if (!rest) return CLV_ERROR_MEMORY;
  uint32_t rest_count = 0;
  native_units units = {0};
  emit_text text;
  emit_text_init(&text, &native->allocator);
  bool ok = true;
  for (uint32_t n = 0; ok && n < count; n++) {
    text.bytes.count = 0;
    ok = emit_rule(&text, program, graphs[n]);
    const emit_hash hash = emit_hash_of(text.bytes.data, text.bytes.count);
    const native_rule *shipped =
        ok && !native->def.anew ? native_find(&hash, native_rules, native_rule_count, sizeof *native_rules) : NULL;
    graphs[n]->code = shipped ? shipped->code : NULL;
    native->shipped += graphs[n]->code != NULL;
    if (!ok || graphs[n]->code || !compile) continue;
    ok = keep(native, &text, &units);
    rest[rest_count++] = graphs[n];
  }
  clv_result result = ok ? CLV_OK : CLV_ERROR_MEMORY;
  if (ok && rest_count > 0) result = compile_rules(native, &units, rest, rest_count);
  emit_text_free(&text);
  native_units_free(&units, &native->allocator);
  base_free(&native->allocator, rest, count * sizeof *rest);
  return result;
}
