// What the files that write kernels share; only emit*.c include this.

#ifndef RULE_EMIT_PARTS_H
#define RULE_EMIT_PARTS_H

#include "rule/emit.h"
#include "rule/emit_lower.h"

typedef struct emitter {
  emit_text *text;
  const kernel *kernel;
  emit_graph graph;
  emit_loops loops;
  bool halves;          // matrices are written, entry by entry
  uint64_t gathered[4]; // particles whose positions, velocities, directions are in registers (bits)
} emitter;

void emit_number(emit_text *text, double value);
void emit_add_ref(const emitter *e, emit_ref ref);
// Of the node n: `const lanes tN = ...`.
void emit_statement(emitter *e, const char *indent, uint32_t n);
void emit_level_statements(emitter *e, uint32_t level, const char *indent);
// Kernels with one point for all (emit_rolled.c).
bool emit_rolled_serves(const kernel *k);
void emit_rolled_shape(const emitter *e); // a table of what the reference shape has
// All stages before the axes, or those in the loop over axes.
void emit_rolled_stages(emitter *e, uint32_t first_level, const char *indent);

#endif
