// Cleave beside itself: two threads beside one, an update of a view beside its rebuild, a rule beside the operation of
// the map that it stands for.

#ifndef BENCH_RULES_CHANGE_H
#define BENCH_RULES_CHANGE_H

typedef struct bench_changes {
  double two_threads, view_update, rule_apply;
} bench_changes;

bench_changes bench_measure_changes(void);

// The instruction set that kernels are chosen for on this machine: "sse2", "avx2", "avx512".
const char *bench_instructions(void);

#endif
