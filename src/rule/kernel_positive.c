// Positive matrices: the part of a symmetric matrix that belongs to negative eigenvalues is taken away, or turned over.

#include "rule/kernel_positive.h"

#include "rule/native.h"

#include <assert.h>

static_assert((int)POSITIVE_AXES == (int)KERNEL_AXES, "room for the largest kernel");

// The widest there is: all give the same bits.
static positive_function *best(void) {
#if defined(CLEAVE_WIDE_LOOPS)
  if (native_isa_here(NATIVE_AVX512)) return positive_avx512;
  if (native_isa_here(NATIVE_AVX2)) return positive_avx2;
#endif
  return positive_sse2;
}

void kernel_make_positive_lanes(double *matrix, uint32_t n, law_psd psd) {
  assert(n <= KERNEL_AXES);
  if (n && (psd == LAW_PSD_CLAMP || psd == LAW_PSD_ABS)) best()(matrix, n, psd == LAW_PSD_ABS);
}

void kernel_make_positive(double *matrix, uint32_t n, uint32_t stride, law_psd psd) {
  double all[KERNEL_AXES * KERNEL_AXES * KERNEL_LANES];
  assert(n <= KERNEL_AXES);
  for (uint32_t e = 0; e < n * n; e++)
    for (uint32_t l = 0; l < KERNEL_LANES; l++) all[e * KERNEL_LANES + l] = matrix[(size_t)e * stride];
  kernel_make_positive_lanes(all, n, psd);
  for (uint32_t e = 0; e < n * n; e++) matrix[(size_t)e * stride] = all[e * KERNEL_LANES];
}
