// Compiled kernels and rules: where they come from.
//
// The kernels of the shipped laws are compiled when Cleave is built, for every instruction set, and the shipped rules
// of topology once; kernels are found in a table by the hash of their steps, rules by that of their text. Anything else
// is compiled by the machine's own compiler when it is first wanted, for the instruction set at hand, and kept in a
// cache directory. Where there is no compiler, kernels and rules stay interpreted: they give the same results, slowly,
// and `trouble` says why.
//
// The environment has a say where the definition has none: CLEAVE_CC or CC names the compiler ("none": do not
// compile), CLEAVE_ISA the instruction set (sse2, avx2, avx512), XDG_CACHE_HOME or HOME the place of the cache.

#ifndef RULE_NATIVE_H
#define RULE_NATIVE_H

#include "rule/emit_rule.h"

typedef enum native_isa { NATIVE_BASE, NATIVE_AVX2, NATIVE_AVX512, NATIVE_ISA_COUNT } native_isa;

const char *native_isa_name(native_isa isa); // "sse2", "avx2", "avx512"
bool native_isa_here(native_isa isa);        // this processor has it
native_isa native_isa_best(void);

enum { NATIVE_PATH = 4096 }; // of file names

typedef struct rule_native_def {
  const char *cache;    // a directory, NULL: cleave/ in $XDG_CACHE_HOME or ~/.cache
  const char *compiler; // a program and its first arguments, NULL: $CLEAVE_CC, $CC or cc; "none": do not compile
  const char *isa;      // NULL: $CLEAVE_ISA, or the best there is
  bool anew;            // shipped code is not taken
} rule_native_def;

// Loaded code. It has to outlive the kernels it was attached to.
typedef struct rule_native {
  clv_allocator allocator;
  rule_native_def def;
  native_isa isa;
  BASE_ARRAY(void *) modules;
  // How many kernels and rules came from where
  uint32_t shipped, cached, compiled, interpreted;
  char object[NATIVE_PATH]; // the file in the cache that was loaded last; empty when there is none
  clv_error trouble;        // why kernels stayed interpreted; code CLV_OK when none did
} rule_native;

// `def` may be NULL; its strings are not copied. Fails when an instruction set is asked for that is unknown or not
// here.
clv_result rule_native_open(rule_native *native, const clv_allocator *allocator, const rule_native_def *def,
                            clv_error *error);
void rule_native_close(rule_native *native);

// Fills `compiled` of kernels that have none; a kernel may be NULL. Those that are not shipped are compiled together,
// side by side. A kernel that could not be compiled stays interpreted, which is no failure but counted; the only error
// is memory.
clv_result rule_native_attach(rule_native *native, kernel *const *kernels, uint32_t count);
// The same for shipped kernels alone: starts no compiler, counts no others.
clv_result rule_native_attach_shipped(rule_native *native, kernel *const *kernels, uint32_t count);

// The same for topological rules. With `compile`, those that are not shipped are compiled, side by side.
clv_result rule_native_attach_rules(rule_native *native, const clv_program *program, rule_graph *const *graphs,
                                    uint32_t count, bool compile);

// What a program does when it is checked and destroyed.
void rule_attach_shipped(clv_program *program);
void rule_detach(clv_program *program);

// What the build embeds

typedef struct native_text {
  const char *name; // NULL behind the last
  const unsigned char *text;
  size_t size;
} native_text;
extern const native_text native_modules[]; // rules/NAME.rule
extern const native_text native_lanes;     // emit_lanes.h
extern const native_text native_machine;   // machine.h

typedef struct native_entry {
  emit_hash hash; // a kernel's name
  kernel_function *function[NATIVE_ISA_COUNT][KERNEL_COUNT];
} native_entry;
extern const native_entry native_table[]; // sorted by hash
extern const uint32_t native_table_count;

typedef struct native_rule {
  emit_hash hash;
  const machine_code *code;
} native_rule;
extern const native_rule native_rules[]; // sorted by hash
extern const uint32_t native_rule_count;

// The entry of a hash in a table of entries of `size` bytes that begin with theirs, NULL when there is none.
const void *native_find(const emit_hash *hash, const void *table, uint32_t count, size_t size);

// The machine's compiler (compile.c)

// Entry of a compiled module: takes what kernels need of the library, gives KERNEL_COUNT functions for each kernel, or
// the code of each rule.
typedef void native_positive(double *matrix, uint32_t n, uint32_t psd);
typedef struct native_gate {
  native_positive *make_positive;
  kernel_function **functions;
  const machine_code **codes;
} native_gate;
typedef void native_entrance(const native_gate *gate);

// Text that has to be compiled: of a kernel or a rule, which is `owner` in a list of the caller's.
typedef struct native_piece {
  emit_text text;
  uint32_t owner;
  uint32_t owners; // how many have this text, the owner among them
  uint32_t unit;   // it goes to
} native_piece;
typedef BASE_ARRAY(native_piece) native_pieces;

bool native_pieces_add(native_pieces *pieces, const clv_allocator *allocator, const emit_text *text, uint32_t owner);
void native_pieces_free(native_pieces *pieces, const clv_allocator *allocator);

// How pieces are put side by side in one text.
typedef struct native_frame {
  const native_text *head; // what the text begins with
  const char *common;      // and goes on with
  const char *macro;       // macro(part) names a part of a piece: pN_part, N its place in the unit
} native_frame;

// C text that is compiled by itself.
typedef struct native_unit {
  emit_text text;
  uint32_t first, count; // of the pieces
  uint32_t owners;       // of theirs
  bool was_cached;
  void *module;              // NULL: not compiled
  native_entrance *entrance; // of the module
} native_unit;
typedef BASE_ARRAY(native_unit) native_units;

// Shares pieces out among units, so that compilers that run side by side end together, and sorts them by unit. False
// when memory is out.
bool native_units_share(native_units *units, const clv_allocator *allocator, native_pieces *pieces,
                        const native_frame *frame);
void native_units_free(native_units *units, const clv_allocator *allocator);

// Compiles units for one instruction set, side by side, or finds them in the cache, and loads them. Of those that stay
// without a module `error` says why. `object` gets the place in the cache of the last, or nothing when there is no
// cache. False when memory is out.
bool native_compile(const clv_allocator *allocator, const rule_native_def *def, native_isa isa, native_unit *units,
                    uint32_t count, char object[NATIVE_PATH], clv_error *error);
// The same for the units of `native`, which gets the modules.
bool native_compile_units(rule_native *native, native_units *units, char object[NATIVE_PATH]);
void native_unload(void *module);

#endif
