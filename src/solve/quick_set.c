#include "solve/quick_set.h"

#include "rule/native.h"

#define SET(isa)                                                                                                       \
  {                                                                                                                    \
    quick_multiply_six_##isa, quick_multiply_nine_##isa, quick_multiply_whole_##isa, quick_fill_six_##isa,             \
        quick_fill_nine_##isa, quick_fill_whole_##isa, quick_invert_group_##isa, quick_dot_##isa, quick_descend_##isa, \
        quick_descend_groups_##isa, quick_turn_##isa                                                                   \
  }

static const quick_set plain = SET(sse2);
#if defined(CLEAVE_WIDE_LOOPS)
static const quick_set avx2 = SET(avx2), avx512 = SET(avx512);
#endif

const quick_set *quick_plain(void) {
  return &plain;
}

const quick_set *quick_best(void) {
#if defined(CLEAVE_WIDE_LOOPS)
  if (native_isa_here(NATIVE_AVX512)) return &avx512;
  if (native_isa_here(NATIVE_AVX2)) return &avx2;
#endif
  return &plain;
}
