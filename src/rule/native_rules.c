// Compiled topological rules: from the table of shipped ones, or from the machine's compiler.

#include "rule/native.h"

static void add_entrance(emit_text *module, uint32_t count) {
  emit_add(module, "\nstruct gate { void (*unused)(void); void (**functions)(void); const machine_code **codes; };\n"
                   "__attribute__((visibility(\"default\"))) void cleave_rules(const struct gate *gate) {\n"
                   "  (void)gate;\n");
  for (uint32_t n = 0; n < count; n++) emit_add(module, "  gate->codes[%u] = &p%u_code;\n", n, n);
  emit_add(module, "}\n");
}

static const native_frame frame = {&native_machine, "", "CLV_RULE"};

static clv_result compile_rules(rule_native *native, native_pieces *pieces, rule_graph *const *graphs) {
  const size_t size = pieces->count * sizeof(const machine_code *);
  const machine_code **codes = base_allocate(&native->allocator, size);
  native_units units = {0};
  bool ok = codes && native_units_share(&units, &native->allocator, pieces, &frame);
  for (uint32_t u = 0; ok && u < units.count; u++) add_entrance(&units.data[u].text, units.data[u].count);
  char beside[NATIVE_PATH] = ""; // where laws were compiled too, their place is the one that is told
  ok = ok && native_compile_units(native, &units, native->object[0] ? beside : native->object);
  for (uint32_t u = 0; ok && u < units.count; u++) {
    const native_unit *unit = &units.data[u];
    if (!unit->module) continue;
    unit->entrance(&(native_gate){.codes = codes + unit->first});
    for (uint32_t n = unit->first; n < unit->first + unit->count; n++) graphs[pieces->data[n].owner]->code = codes[n];
  }
  native_units_free(&units, &native->allocator);
  base_free(&native->allocator, codes, size);
  return ok ? CLV_OK : CLV_ERROR_MEMORY;
}

clv_result rule_native_attach_rules(rule_native *native, const clv_program *program, rule_graph *const *graphs,
                                    uint32_t count, bool compile) {
  if (count == 0 || (!compile && native_rule_count == 0)) return CLV_OK;
  native_pieces pieces = {0};
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
    if (ok && !graphs[n]->code && compile) ok = native_pieces_add(&pieces, &native->allocator, &text, n);
  }
  clv_result result = ok ? CLV_OK : CLV_ERROR_MEMORY;
  if (ok && pieces.count > 0) result = compile_rules(native, &pieces, graphs);
  emit_text_free(&text);
  native_pieces_free(&pieces, &native->allocator);
  return result;
}
