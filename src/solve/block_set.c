#include "solve/block_set.h"

#include "rule/native.h"

#define SET(isa)                                                                                                       \
  {                                                                                                                    \
    block_scatter_##isa, block_scatter_pairs_##isa, block_balance_##isa, block_invert_all_##isa, block_take_##isa,     \
        block_pull_##isa                                                                                               \
  }

static const block_set plain = SET(sse2);
#if defined(CLEAVE_WIDE_LOOPS)
static const block_set avx2 = SET(avx2), avx512 = SET(avx512);
#endif

const block_set *block_plain(void) {
  return &plain;
}

const block_set *block_best(void) {
#if defined(CLEAVE_WIDE_LOOPS)
  if (native_isa_here(NATIVE_AVX512)) return &avx512;
  if (native_isa_here(NATIVE_AVX2)) return &avx2;
#endif
  return &plain;
}
