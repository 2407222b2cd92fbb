#include "view/copy.h"

#include "rule/native.h"

// All loads before any store.
CLV_INLINE void copy_four(const double *restrict from, double *restrict to) {
  const double x = from[0], y = from[1], z = from[2], pad = from[3];
  to[0] = x;
  to[1] = y;
  to[2] = z;
  to[3] = pad;
}

// All but the last have another behind them, whose first number is as good a pad as any.
CLV_INLINE void copy_in(const double *restrict from, uint32_t count, double *restrict to) {
  uint32_t k = 0;
  for (; k + 4 < count; k += 4, from += 12, to += 16)
    for (uint32_t n = 0; n < 4; n++) copy_four(from + 3 * (size_t)n, to + 4 * (size_t)n);
  for (; k < count; k++, from += 3, to += 4) view_copy_vertex(from, to);
}

// What a pad overwrites is written next.
CLV_INLINE void copy_out(const double *restrict from, uint32_t count, double *restrict to) {
  uint32_t k = 0;
  for (; k + 4 < count; k += 4, from += 16, to += 12)
    for (uint32_t n = 0; n < 4; n++) copy_four(from + 4 * (size_t)n, to + 3 * (size_t)n);
  for (; k < count; k++, from += 4, to += 3) view_copy_vertex(from, to);
}

static void in_plain(const double *from, uint32_t count, double *to) {
  copy_in(from, count, to);
}

static void out_plain(const double *from, uint32_t count, double *to) {
  copy_out(from, count, to);
}

CLV_FOR_AVX2 static void in_avx2(const double *from, uint32_t count, double *to) {
  copy_in(from, count, to);
}

CLV_FOR_AVX2 static void out_avx2(const double *from, uint32_t count, double *to) {
  copy_out(from, count, to);
}

view_copier view_copier_best(void) {
  return native_isa_here(NATIVE_AVX2) ? (view_copier){in_avx2, out_avx2} : (view_copier){in_plain, out_plain};
}
