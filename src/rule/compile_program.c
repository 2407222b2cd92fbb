// Programs and machine code: what is shipped is there as soon as a program is checked, the rest when it is asked for.

#include "rule/apply.h"
#include "rule/native.h"
#include "rule/program.h"

// All topological rules, for the shipped ones alone or, with `compile`, for all. False when memory is out.
static bool attach_rules(clv_program *program, bool compile) {
  const clv_allocator *memory = &program->arena.allocator;
  BASE_ARRAY(rule_graph *) graphs = {0};
  if (!BASE_RESERVE(memory, &graphs, program->declarations.count)) return false;
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const clv_rule *rule = rule_find(program, program->declarations.data[k]->name);
    if (rule && rule->graph) graphs.data[graphs.count++] = rule->graph;
  }
  const clv_result result = rule_native_attach_rules(program->native, program, graphs.data, graphs.count, compile);
  BASE_RELEASE(memory, &graphs);
  return result == CLV_OK;
}

// The laws of one dimension, or of both, together. False when memory is out.
static bool attach_laws(clv_program *program, uint32_t dimension) {
  const clv_allocator *memory = &program->arena.allocator;
  BASE_ARRAY(kernel *) kernels = {0};
  const uint64_t most = (uint64_t)program->laws[0].kernels.count + program->laws[1].kernels.count;
  if (!BASE_RESERVE(memory, &kernels, most + 1) || !kernels.data) return false;
  for (uint32_t n = 2; n <= 3; n++) {
    const rule_laws *laws = &program->laws[n - 2];
    for (uint32_t k = 0; (!dimension || dimension == n) && k < laws->kernels.count; k++) {
      kernel *one = laws->kernels.data[k];
      if (one && one->compiled[KERNEL_FORCE])
        program->native->shipped++;
      else
        kernels.data[kernels.count++] = one;
    }
  }
  const clv_result result = rule_native_attach(program->native, kernels.data, kernels.count);
  BASE_RELEASE(memory, &kernels);
  return result == CLV_OK;
}

void rule_attach_shipped(clv_program *program) {
  const clv_allocator *memory = &program->arena.allocator;
  program->native = base_allocate(memory, sizeof *program->native);
  if (!program->native) {
    program->no_memory = true;
    return;
  }
  // An instruction set that the environment names wrongly is told to whoever compiles; here it is the best there is.
  (void)rule_native_open(program->native, memory, NULL, NULL);
  for (uint32_t n = 0; n < 2; n++) {
    const rule_laws *laws = &program->laws[n];
    if (rule_native_attach_shipped(program->native, laws->kernels.data, laws->kernels.count) != CLV_OK)
      program->no_memory = true;
  }
  if (!attach_rules(program, false)) program->no_memory = true;
}

static void forget_code(clv_program *program) {
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t k = 0; k < program->laws[n].kernels.count; k++) {
      kernel *one = program->laws[n].kernels.data[k];
      if (one) kernel_set_code(one, NULL);
    }
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const clv_rule *rule = rule_find(program, program->declarations.data[k]->name);
    if (rule && rule->graph) rule->graph->code = NULL;
  }
}

void rule_detach(clv_program *program) {
  if (!program->native) return;
  forget_code(program);
  rule_native_close(program->native);
  base_free(&program->arena.allocator, program->native, sizeof *program->native);
  program->native = NULL;
}

clv_compile_def clv_default_compile_def(void) {
  return (clv_compile_def){0};
}

clv_result clv_program_compile(clv_program *program, const clv_compile_def *def, clv_compile_report *report,
                               clv_error *error) {
  if (!program->checked || !program->native)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "only a program that was checked, and is sound, can be compiled");
  const clv_compile_def wanted = def ? *def : clv_default_compile_def();
  const rule_native_def native_def = {wanted.cache, wanted.compiler, wanted.instructions, wanted.anew};
  rule_native fresh;
  const clv_result opened = rule_native_open(&fresh, &program->arena.allocator, &native_def, error);
  if (opened != CLV_OK) return opened;
  // Shipped code stays where it is, if nothing else was attached and it is what is wanted.
  if (program->native->modules.count || program->native->isa != fresh.isa || wanted.anew) forget_code(program);
  rule_native_close(program->native);
  *program->native = fresh;
  if (!attach_laws(program, wanted.dimension))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory; laws that are not compiled are interpreted");
  if (!attach_rules(program, true))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory; rules that are not compiled are interpreted");
  const rule_native *native = program->native;
  if (report)
    *report = (clv_compile_report){
        native->shipped, native->cached, native->compiled, native->interpreted, native_isa_name(native->isa),
        native->object,  native->trouble};
  return CLV_OK;
}
