// From kernels to C.
//
// The text of a kernel is straight-line code over wide registers, in the words of emit_lanes.h: gather, compute,
// scatter. It holds names that the emitter makes up and numbers in hexadecimal, and nothing that was written in a rule
// file. It is the same for every instruction set, and equal kernels give equal text: its hash names it in caches.
// Shipped kernels are found by the hash of what they do instead, which is made faster than text.
//
// Before it is written, a kernel's graph is lowered: signs are absorbed, divisions by the same value share a
// reciprocal, products that are used once melt into fused additions. What changes is rounding, within 1e-12.

#ifndef RULE_EMIT_H
#define RULE_EMIT_H

#include "rule/kernel.h"

// Text that grows. After no_memory nothing more is added.
typedef struct emit_text {
  clv_allocator allocator;
  BASE_ARRAY(char) bytes; // a zero follows them
  bool no_memory;
} emit_text;

void emit_text_init(emit_text *text, const clv_allocator *allocator);
void emit_text_free(emit_text *text);
void emit_add(emit_text *text, const char *format, ...) CLV_PRINTF(2, 3);
void emit_add_bytes(emit_text *text, const char *bytes, size_t size);

// Appends the functions CLV_KERNEL(energy), (force), (force_dpos), (force_dvel), (stiffness), (damping), (product) and
// (pairs) of a kernel. Whoever compiles the text defines CLV_KERNEL and CLV_LIBRARY (a lanes_library) before it. False
// when memory is out.
bool emit_kernel(emit_text *text, const kernel *k);
// The same functions for somebody who waits for the compiler: where text can be saved it is, with loops over points,
// and one function for products and matrices. LANES_QUICK is to be defined as well.
bool emit_kernel_short(emit_text *text, const kernel *k);
// "energy", "force" ...: how the text names a kind.
const char *emit_kind_name(kernel_kind kind);

// SHA-256: names of emitted text, and of kernels.
typedef struct emit_hash {
  uint8_t byte[32];
} emit_hash;
emit_hash emit_hash_of(const void *data, size_t size);
// The name of a kernel: those of one name do the same, step by step. `scratch` is overwritten. False when memory is
// out.
bool emit_name(emit_hash *name, const kernel *k, emit_text *scratch);

#endif
