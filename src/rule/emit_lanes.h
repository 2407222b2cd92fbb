// The vocabulary of emitted kernels: CLV_WIDTH rows at a time.
//
// Emitted C is written against the names below and nothing else; it includes no header of the system, so that it
// compiles quickly and anywhere. One text serves all instruction sets: the compiler's options say which one, and
// CLV_WIDTH follows from it. This file is the one place of the library with compiler extensions; it is compiled with
// every emitted text, at build time and at run time, and never into the library's own objects.
//
// Fused operations are chosen by the emitter, never by the compiler (-ffp-contract=off): so the bits depend on the
// instruction set alone. Where there is no fused instruction, lanes_fma rounds twice.

#ifndef RULE_EMIT_LANES_H
#define RULE_EMIT_LANES_H

#if defined(__AVX512F__)
#define CLV_WIDTH 8
#elif defined(__AVX2__) && defined(__FMA__)
#define CLV_WIDTH 4
#else
#define CLV_WIDTH 2
#endif

#if defined(__has_builtin)
#define LANES_HAS(name) __has_builtin(name)
#else
#define LANES_HAS(name) 0
#endif

#define LANES_IN static inline __attribute__((always_inline, unused))

typedef unsigned int lanes_u32;
typedef unsigned long lanes_place;
typedef double lanes __attribute__((vector_size(8 * CLV_WIDTH)));
typedef long long lanes_mask __attribute__((vector_size(8 * CLV_WIDTH)));
typedef double lanes_stored __attribute__((vector_size(8 * CLV_WIDTH), aligned(8), may_alias));
typedef double lanes_two __attribute__((vector_size(16)));
typedef double lanes_two_stored __attribute__((vector_size(16), aligned(8), may_alias));

// As kernel_args in kernel.h; a test compares the two.
typedef struct lanes_args {
  lanes_u32 rows;
  const lanes_u32 *places;
  const double *constants, *params, *pos, *vel, *dpos, *dvel;
  double *out, *energy, *matrix;
} lanes_args;

// What a kernel needs from the library: kernel_make_positive_lanes.
typedef void lanes_positive(double *matrix, lanes_u32 n, lanes_u32 psd);
typedef void lanes_kernel(const lanes_args *args);

// The arguments as names. Nothing that is read is written.
#define LANES_ARGS(args)                                                                                               \
  const lanes_u32 rows = (args)->rows, *restrict places = (args)->places;                                              \
  const double *restrict constants = (args)->constants, *restrict params = (args)->params;                             \
  const double *restrict pos = (args)->pos, *restrict vel = (args)->vel;                                               \
  const double *restrict dpos = (args)->dpos, *restrict dvel = (args)->dvel;                                           \
  double *restrict out = (args)->out;                                                                                  \
  (void)rows, (void)places, (void)constants, (void)params, (void)pos, (void)vel, (void)dpos, (void)dvel, (void)out

// Who waits for the compiler defines LANES_QUICK, and gets shorter code.
#if defined(LANES_QUICK) || !defined(__GNUC__) || defined(__clang__)
#define LANES_UNROLL
#else
#define LANES_UNROLL _Pragma("GCC unroll 32")
#endif

// One value in all lanes

#if CLV_WIDTH == 8
#define LANES_ONE                                                                                                      \
  { 1, 1, 1, 1, 1, 1, 1, 1 }
#elif CLV_WIDTH == 4
#define LANES_ONE                                                                                                      \
  { 1, 1, 1, 1 }
#else
#define LANES_ONE                                                                                                      \
  { 1, 1 }
#endif

LANES_IN lanes lanes_all(double a) {
#if CLV_WIDTH == 8
  return (lanes){a, a, a, a, a, a, a, a};
#elif CLV_WIDTH == 4
  return (lanes){a, a, a, a};
#else
  return (lanes){a, a};
#endif
}

LANES_IN lanes lanes_load(const double *p) {
  return *(const lanes_stored *)p;
}

LANES_IN void lanes_store(double *p, lanes a) {
  *(lanes_stored *)p = a;
}

// Lane by lane, for what the hardware cannot do wide

#define LANES_EACH(result, expression)                                                                                 \
  lanes result = {0};                                                                                                  \
  for (int lane = 0; lane < CLV_WIDTH; lane++) (result)[lane] = (expression)

double exp(double), log(double), sin(double), cos(double), tan(double), asin(double), acos(double);
double atan2(double, double), pow(double, double);

#define LANES_CALL1(name)                                                                                              \
  LANES_IN lanes lanes_##name(lanes a) {                                                                               \
    LANES_EACH(r, name(a[lane]));                                                                                      \
    return r;                                                                                                          \
  }
LANES_CALL1(exp)
LANES_CALL1(log)
LANES_CALL1(sin)
LANES_CALL1(cos)
LANES_CALL1(tan)
LANES_CALL1(asin)
LANES_CALL1(acos)

LANES_IN lanes lanes_atan2(lanes a, lanes b) {
  LANES_EACH(r, atan2(a[lane], b[lane]));
  return r;
}

LANES_IN lanes lanes_pow(lanes a, lanes b) {
  LANES_EACH(r, pow(a[lane], b[lane]));
  return r;
}

LANES_IN lanes lanes_floor(lanes a) {
  LANES_EACH(r, __builtin_floor(a[lane]));
  return r;
}

LANES_IN lanes lanes_sqrt(lanes a) {
#if CLV_WIDTH == 8 && defined(__clang__) && LANES_HAS(__builtin_ia32_sqrtpd512)
  return __builtin_ia32_sqrtpd512(a, 4);
#elif CLV_WIDTH == 8 && !defined(__clang__) && LANES_HAS(__builtin_ia32_sqrtpd512_mask)
  return __builtin_ia32_sqrtpd512_mask(a, a, 255, 4);
#elif CLV_WIDTH == 4 && LANES_HAS(__builtin_ia32_sqrtpd256)
  return __builtin_ia32_sqrtpd256(a);
#elif CLV_WIDTH == 2 && LANES_HAS(__builtin_ia32_sqrtpd)
  return __builtin_ia32_sqrtpd(a);
#else
  LANES_EACH(r, __builtin_sqrt(a[lane]));
  return r;
#endif
}

LANES_IN void lanes_ahead(const void *p, unsigned long bytes) {
  __builtin_prefetch((const char *)p + bytes);
}

LANES_IN void lanes_ahead_all(const void *p, unsigned long bytes, unsigned long size) {
  LANES_UNROLL
  for (unsigned long line = 0; line < size; line += 64) lanes_ahead(p, bytes + line);
}

// a * b + c, a * b - c, c - a * b, - a * b - c. gcc has an instruction's own function for each; where it does not see
// the sign in one, it would negate a register.
#if CLV_WIDTH == 8 && LANES_HAS(__builtin_ia32_vfmaddpd512_mask)
#define LANES_FUSED(gcc_name, a, b, c) __builtin_ia32_##gcc_name##512_mask(a, b, c, 255, 4)
#define LANES_FMA(a, b, c) __builtin_ia32_vfmaddpd512_mask(a, b, c, 255, 4)
#elif CLV_WIDTH == 4 && LANES_HAS(__builtin_ia32_vfmaddpd256)
#define LANES_FUSED(gcc_name, a, b, c) __builtin_ia32_##gcc_name##256(a, b, c)
#define LANES_FMA(a, b, c) __builtin_ia32_vfmaddpd256(a, b, c)
#endif

LANES_IN lanes lanes_fma(lanes a, lanes b, lanes c) {
#if defined(LANES_FMA)
  return LANES_FMA(a, b, c);
#elif CLV_WIDTH == 2
  return a * b + c;
#else
  LANES_EACH(r, __builtin_fma(a[lane], b[lane], c[lane]));
  return r;
#endif
}

#if defined(LANES_FUSED) && !defined(__clang__) && LANES_HAS(__builtin_ia32_vfnmsubpd256)
#define LANES_SIGNED(name, gcc_name, fused, plain)                                                                     \
  LANES_IN lanes name(lanes a, lanes b, lanes c) {                                                                     \
    return LANES_FUSED(gcc_name, a, b, c);                                                                             \
  }
#elif CLV_WIDTH == 2
#define LANES_SIGNED(name, gcc_name, fused, plain)                                                                     \
  LANES_IN lanes name(lanes a, lanes b, lanes c) {                                                                     \
    return plain;                                                                                                      \
  }
#else
#define LANES_SIGNED(name, gcc_name, fused, plain)                                                                     \
  LANES_IN lanes name(lanes a, lanes b, lanes c) {                                                                     \
    return fused;                                                                                                      \
  }
#endif
LANES_SIGNED(lanes_fms, vfmsubpd, lanes_fma(a, b, -c), a *b - c)
LANES_SIGNED(lanes_fnma, vfnmaddpd, lanes_fma(-a, b, c), c - a * b)
LANES_SIGNED(lanes_fnms, vfnmsubpd, lanes_fma(-a, b, -c), -(a *b) - c)

// Truth: masks of ones or zeros

LANES_IN lanes_mask lanes_true(lanes a) {
  return a != lanes_all(0.0);
}

LANES_IN lanes lanes_select(lanes_mask when, lanes a, lanes b) {
  return (lanes)((when & (lanes_mask)a) | (~when & (lanes_mask)b));
}

// 1 / sqrt(a). Eight roots and their inverses keep all else waiting; an estimate of 14 bits and two of Newton's steps
// do not. Where the estimate is 0 or infinite there is no error to correct.
LANES_IN lanes lanes_inverse_root(lanes a) {
#if CLV_WIDTH == 8 && LANES_HAS(__builtin_ia32_rsqrt14pd512_mask)
  const lanes estimate = __builtin_ia32_rsqrt14pd512_mask(a, a, 255), half = lanes_all(0.5), one = lanes_all(1.0);
  const lanes better = lanes_fma(half * estimate, lanes_fnma(a * estimate, estimate, one), estimate);
  const lanes best = lanes_fma(half * better, lanes_fnma(a * better, better, one), better);
  return lanes_select(best == best, best, estimate);
#else
  return lanes_all(1.0) / lanes_sqrt(a);
#endif
}

LANES_IN lanes lanes_truth(lanes_mask a) {
  return (lanes)(a & (lanes_mask)lanes_all(1.0));
}

LANES_IN lanes lanes_abs(lanes a) {
  return (lanes)((lanes_mask)a & ~(lanes_mask)lanes_all(-0.0));
}

LANES_IN lanes lanes_min(lanes a, lanes b) {
  return lanes_select(a < b, a, b);
}

LANES_IN lanes lanes_max(lanes a, lanes b) {
  return lanes_select(b < a, a, b);
}

// The rotation nearest to a matrix, step by step as dag_rotation_of (rotation.c explains)

#define LANES_NOTHING 1e-20

LANES_IN void lanes_turn(lanes *x, lanes *y, lanes c, lanes s) {
  const lanes a = lanes_fms(c, *x, s * *y), b = lanes_fma(s, *x, c * *y);
  *x = a, *y = b;
}

// K has the entries of its upper half: 00 01 02 03 11 12 13 22 23 33. pp, pq, qq, rp, rq, sp, sq say which are meant.
LANES_IN void lanes_jacobi(lanes *k, lanes *v, int pp, int pq, int qq, int rp, int rq, int sp, int sq, int p, int q) {
  const lanes off = lanes_select(lanes_abs(k[pq]) < lanes_all(LANES_NOTHING), lanes_all(0.0), k[pq]), d = k[qq] - k[pp],
              b = off + off, one = lanes_all(1.0);
  const lanes h = lanes_sqrt(lanes_fma(d, d, lanes_fma(b, b, lanes_all(1e-300))));
  const lanes signed_b = (lanes)((lanes_mask)b ^ ((lanes_mask)d & (lanes_mask)lanes_all(-0.0)));
  const lanes tangent = signed_b / (lanes_abs(d) + h);
  const lanes cosine = one / lanes_sqrt(lanes_fma(tangent, tangent, one)), sine = tangent * cosine;
  k[pp] = lanes_fnma(tangent, off, k[pp]);
  k[qq] = lanes_fma(tangent, off, k[qq]);
  k[pq] = lanes_all(0.0);
  lanes_turn(&k[rp], &k[rq], cosine, sine);
  lanes_turn(&k[sp], &k[sq], cosine, sine);
  for (int row = 0; row < 4; row++) lanes_turn(&v[4 * row + p], &v[4 * row + q], cosine, sine);
}

LANES_IN int lanes_is_diagonal(const lanes *k) {
  static const int off[6] = {1, 2, 3, 5, 6, 8};
  lanes largest = lanes_abs(k[1]);
  for (int e = 1; e < 6; e++) largest = lanes_max(lanes_abs(k[off[e]]), largest);
  int is = 1;
  for (int lane = 0; lane < CLV_WIDTH; lane++) is &= largest[lane] < LANES_NOTHING;
  return is;
}

// Nine entries each, row by row.
static __attribute__((noinline, unused)) void lanes_rotation(lanes *rotation, const lanes *matrix) {
  const lanes none = lanes_all(0.0), one = lanes_all(1.0);
  lanes a[9], largest = none;
  for (int e = 0; e < 9; e++) largest = lanes_select(largest < lanes_abs(matrix[e]), lanes_abs(matrix[e]), largest);
  const lanes scale = one / (largest + lanes_all(0x1p-1022));
  for (int e = 0; e < 9; e++) a[e] = matrix[e] * scale;

  lanes k[10] = {a[0] + a[4] + a[8], a[7] - a[5], a[2] - a[6],        a[3] - a[1], a[0] - a[4] - a[8],
                 a[1] + a[3],        a[2] + a[6], a[4] - a[0] - a[8], a[5] + a[7], a[8] - a[0] - a[4]};
  lanes v[16];
  for (int e = 0; e < 16; e++) v[e] = e % 5 == 0 ? one : none;
  for (int sweep = 0; sweep < 6 && !lanes_is_diagonal(k); sweep++) {
    lanes_jacobi(k, v, 0, 1, 4, 2, 5, 3, 6, 0, 1);
    lanes_jacobi(k, v, 7, 8, 9, 2, 3, 5, 6, 2, 3);
    lanes_jacobi(k, v, 0, 2, 7, 1, 5, 3, 8, 0, 2);
    lanes_jacobi(k, v, 4, 6, 9, 1, 3, 5, 8, 1, 3);
    lanes_jacobi(k, v, 0, 3, 9, 1, 6, 2, 8, 0, 3);
    lanes_jacobi(k, v, 4, 5, 7, 1, 2, 6, 8, 1, 2);
  }

  static const int diagonal[4] = {0, 4, 7, 9};
  lanes q[4] = {v[0], v[4], v[8], v[12]}, best = k[0];
  for (int p = 1; p < 4; p++) {
    const lanes_mask better = k[diagonal[p]] > best;
    for (int row = 0; row < 4; row++) q[row] = lanes_select(better, v[4 * row + p], q[row]);
    best = lanes_select(better, k[diagonal[p]], best);
  }
  const lanes inverse = one / lanes_sqrt(q[0] * q[0] + q[1] * q[1] + q[2] * q[2] + q[3] * q[3]);
  const lanes w = q[0] * inverse, x = q[1] * inverse, y = q[2] * inverse, z = q[3] * inverse, two = lanes_all(2.0);
  rotation[0] = w * w + x * x - y * y - z * z;
  rotation[1] = two * (x * y - w * z);
  rotation[2] = two * (x * z + w * y);
  rotation[3] = two * (x * y + w * z);
  rotation[4] = w * w - x * x + y * y - z * z;
  rotation[5] = two * (y * z - w * x);
  rotation[6] = two * (x * z - w * y);
  rotation[7] = two * (y * z + w * x);
  rotation[8] = w * w - x * x - y * y + z * z;
}

// Particles: four doubles each, the last a pad. A row's particle lies at p + at[lane].

#if CLV_WIDTH == 8
typedef double lanes_four_stored __attribute__((vector_size(32), aligned(8), may_alias));
typedef double lanes_four __attribute__((vector_size(32)));

LANES_IN lanes lanes_pair(const double *p, lanes_place a, lanes_place b) {
  const lanes_four low = *(const lanes_four_stored *)(p + a), high = *(const lanes_four_stored *)(p + b);
#if !defined(__clang__) && LANES_HAS(__builtin_ia32_insertf64x4_mask)
  return __builtin_ia32_insertf64x4_mask(__builtin_ia32_pd512_256pd(low), high, 1, lanes_all(0.0), 255);
#else
  return __builtin_shufflevector(low, high, 0, 1, 2, 3, 4, 5, 6, 7);
#endif
}

LANES_IN lanes_four lanes_high(lanes a) {
#if !defined(__clang__) && LANES_HAS(__builtin_ia32_extractf64x4_mask)
  return __builtin_ia32_extractf64x4_mask(a, 1, (lanes_four){0}, 255);
#else
  return __builtin_shufflevector(a, a, 4, 5, 6, 7);
#endif
}

LANES_IN void lanes_gather(const double *p, const lanes_u32 *at, lanes *x, lanes *y, lanes *z) {
  const lanes a = lanes_pair(p, at[0], at[2]), b = lanes_pair(p, at[1], at[3]);
  const lanes c = lanes_pair(p, at[4], at[6]), d = lanes_pair(p, at[5], at[7]);
  const lanes xz0 = __builtin_shufflevector(a, b, 0, 8, 2, 10, 4, 12, 6, 14);
  const lanes xz1 = __builtin_shufflevector(c, d, 0, 8, 2, 10, 4, 12, 6, 14);
  const lanes y0 = __builtin_shufflevector(a, b, 1, 9, 3, 11, 5, 13, 7, 15);
  const lanes y1 = __builtin_shufflevector(c, d, 1, 9, 3, 11, 5, 13, 7, 15);
  *x = __builtin_shufflevector(xz0, xz1, 0, 1, 4, 5, 8, 9, 12, 13);
  *y = __builtin_shufflevector(y0, y1, 0, 1, 4, 5, 8, 9, 12, 13);
  *z = __builtin_shufflevector(xz0, xz1, 2, 3, 6, 7, 10, 11, 14, 15);
}

LANES_IN void lanes_add_one(double *p, lanes_place a, lanes_four row, int minus) {
  lanes_four_stored *to = (lanes_four_stored *)(p + a);
  *to = minus ? *to - row : *to + row;
}

LANES_IN void lanes_add_pair(double *p, lanes_place a, lanes_place b, lanes rows, int minus) {
  lanes_add_one(p, a, __builtin_shufflevector(rows, rows, 0, 1, 2, 3), minus);
  lanes_add_one(p, b, lanes_high(rows), minus);
}

LANES_IN void lanes_scatter_full(double *p, const lanes_u32 *at, int minus, lanes x, lanes y, lanes z) {
  const lanes none = lanes_all(0.0);
  const lanes xy0 = __builtin_shufflevector(x, y, 0, 8, 2, 10, 4, 12, 6, 14);
  const lanes xy1 = __builtin_shufflevector(x, y, 1, 9, 3, 11, 5, 13, 7, 15);
  const lanes z0 = __builtin_shufflevector(z, none, 0, 8, 2, 10, 4, 12, 6, 14);
  const lanes z1 = __builtin_shufflevector(z, none, 1, 9, 3, 11, 5, 13, 7, 15);
  lanes_add_pair(p, at[0], at[2], __builtin_shufflevector(xy0, z0, 0, 1, 8, 9, 2, 3, 10, 11), minus);
  lanes_add_pair(p, at[1], at[3], __builtin_shufflevector(xy1, z1, 0, 1, 8, 9, 2, 3, 10, 11), minus);
  lanes_add_pair(p, at[4], at[6], __builtin_shufflevector(xy0, z0, 4, 5, 12, 13, 6, 7, 14, 15), minus);
  lanes_add_pair(p, at[5], at[7], __builtin_shufflevector(xy1, z1, 4, 5, 12, 13, 6, 7, 14, 15), minus);
}
#elif CLV_WIDTH == 4
LANES_IN void lanes_add_one(double *p, lanes_place a, lanes row, int minus) {
  lanes_stored *to = (lanes_stored *)(p + a);
  *to = minus ? *to - row : *to + row;
}

LANES_IN lanes lanes_pair(const double *p, lanes_place a, lanes_place b) {
  const lanes_two low = *(const lanes_two_stored *)(p + a), high = *(const lanes_two_stored *)(p + b);
  return __builtin_shufflevector(low, high, 0, 1, 2, 3);
}

LANES_IN void lanes_gather(const double *p, const lanes_u32 *at, lanes *x, lanes *y, lanes *z) {
  const lanes a = lanes_pair(p, at[0], at[2]), b = lanes_pair(p, at[1], at[3]);
  const lanes c = lanes_pair(p + 2, at[0], at[2]), d = lanes_pair(p + 2, at[1], at[3]);
  *x = __builtin_shufflevector(a, b, 0, 4, 2, 6);
  *y = __builtin_shufflevector(a, b, 1, 5, 3, 7);
  *z = __builtin_shufflevector(c, d, 0, 4, 2, 6);
}

LANES_IN void lanes_scatter_full(double *p, const lanes_u32 *at, int minus, lanes x, lanes y, lanes z) {
  const lanes none = lanes_all(0.0);
  const lanes xy0 = __builtin_shufflevector(x, y, 0, 4, 2, 6), xy1 = __builtin_shufflevector(x, y, 1, 5, 3, 7);
  const lanes z0 = __builtin_shufflevector(z, none, 0, 4, 2, 6), z1 = __builtin_shufflevector(z, none, 1, 5, 3, 7);
  lanes_add_one(p, at[0], __builtin_shufflevector(xy0, z0, 0, 1, 4, 5), minus);
  lanes_add_one(p, at[1], __builtin_shufflevector(xy1, z1, 0, 1, 4, 5), minus);
  lanes_add_one(p, at[2], __builtin_shufflevector(xy0, z0, 2, 3, 6, 7), minus);
  lanes_add_one(p, at[3], __builtin_shufflevector(xy1, z1, 2, 3, 6, 7), minus);
}
#else
LANES_IN void lanes_gather(const double *p, const lanes_u32 *at, lanes *x, lanes *y, lanes *z) {
  const double *a = p + at[0], *b = p + at[1];
  *x = (lanes){a[0], b[0]};
  *y = (lanes){a[1], b[1]};
  *z = (lanes){a[2], b[2]};
}

LANES_IN void lanes_scatter_full(double *p, const lanes_u32 *at, int minus, lanes x, lanes y, lanes z) {
  for (int lane = 0; lane < 2; lane++) {
    lanes_two_stored *to = (lanes_two_stored *)(p + at[lane]);
    const lanes xy = {x[lane], y[lane]}, z0 = {z[lane], 0.0};
    to[0] = minus ? to[0] - xy : to[0] + xy;
    to[1] = minus ? to[1] - z0 : to[1] + z0;
  }
}
#endif

// The same where it is a small part of the work but, written out for each particle, half of what the compiler has to
// read.
#if defined(LANES_QUICK)
#define LANES_FAR static __attribute__((noinline, unused))
#else
#define LANES_FAR LANES_IN
#endif

LANES_FAR void lanes_gather_far(const double *p, const lanes_u32 *at, lanes *x, lanes *y, lanes *z) {
  lanes_gather(p, at, x, y, z);
}

LANES_FAR void lanes_scatter_far(double *p, const lanes_u32 *at, lanes x, lanes y, lanes z) {
  lanes_scatter_full(p, at, 0, x, y, z);
}

// The rows of a batch that is not full: apart, so that full ones keep their values in registers.
static __attribute__((noinline, unused)) void lanes_change_some(double *p, const lanes_u32 *at, lanes_u32 left,
                                                                int minus, lanes x, lanes y, lanes z) {
  for (lanes_u32 lane = 0; lane < left; lane++) {
    double *to = p + at[lane];
    to[0] = minus ? to[0] - x[lane] : to[0] + x[lane];
    to[1] = minus ? to[1] - y[lane] : to[1] + y[lane];
    to[2] = minus ? to[2] - z[lane] : to[2] + z[lane];
  }
}

#define LANES_FULL(left) __builtin_expect((left) >= CLV_WIDTH, 1)

// The lanes that count, of a batch that is not full: what the others have becomes 0, which changes no particle.
LANES_IN lanes_mask lanes_counting(lanes_u32 left) {
  lanes_mask number = {0};
  for (int lane = 0; lane < CLV_WIDTH; lane++) number[lane] = lane;
  return number < (long long)left;
}

LANES_IN lanes lanes_only(lanes_mask counting, lanes a) {
  return (lanes)(counting & (lanes_mask)a);
}

// Adds to the particles of `left` rows, or takes away; there may be more left than lanes.
LANES_IN void lanes_change(double *p, const lanes_u32 *at, lanes_u32 left, int minus, lanes x, lanes y, lanes z) {
  if (LANES_FULL(left))
    lanes_scatter_full(p, at, minus, x, y, z);
  else
    lanes_change_some(p, at, left, minus, x, y, z);
}

LANES_IN void lanes_scatter(double *p, const lanes_u32 *at, lanes_u32 left, lanes x, lanes y, lanes z) {
  lanes_change(p, at, left, 0, x, y, z);
}

LANES_IN void lanes_scatter_minus(double *p, const lanes_u32 *at, lanes_u32 left, lanes x, lanes y, lanes z) {
  lanes_change(p, at, left, 1, x, y, z);
}

// What all particles of rows have, and what is taken from them, entry by entry at f + 8 * e.
static __attribute__((noinline, unused)) void lanes_gather_all(const double *p, const lanes_u32 *at,
                                                               lanes_u32 particles, lanes *x) {
  for (lanes_u32 k = 0; k < particles; k++) lanes_gather(p, at + 8 * k, &x[3 * k], &x[3 * k + 1], &x[3 * k + 2]);
}

static __attribute__((noinline, unused)) void lanes_subtract_all(double *p, const lanes_u32 *at, lanes_u32 left,
                                                                 lanes_u32 particles, const double *f) {
  for (lanes_u32 k = 0; k < particles; k++, f += 24)
    lanes_scatter_minus(p, at + 8 * k, left, lanes_load(f), lanes_load(f + 8), lanes_load(f + 16));
}

// Rows that do not count have no energy.
LANES_IN void lanes_end_energy(double *energy, lanes_u32 rows) {
  for (; rows % 8; rows++) energy[rows] = 0.0;
}

// Matrices: entry e of the rows of a batch lies at m + 8 * e

LANES_IN void lanes_clear(double *m, lanes_u32 count) {
  for (lanes_u32 e = 0; e < count; e++) lanes_store(m + 8ul * e, lanes_all(0.0));
}

// An entry of a symmetric matrix, and the one across the diagonal.
LANES_IN void lanes_store_twice(double *m, double *across, lanes a) {
  lanes_store(m, a);
  lanes_store(across, a);
}

// What is symmetric but for rounding.
static __attribute__((noinline, unused)) void lanes_symmetrise(double *m, lanes_u32 n) {
  for (lanes_u32 row = 0; row < n; row++) {
    for (lanes_u32 column = row + 1; column < n; column++) {
      double *a = m + 8ul * (row * n + column), *b = m + 8ul * (column * n + row);
      const lanes mean = lanes_all(0.5) * (lanes_load(a) + lanes_load(b));
      lanes_store(a, mean);
      lanes_store(b, mean);
    }
  }
}

// out -= m * direction, over `particles` particles.
static __attribute__((noinline, unused)) void lanes_subtract_product(double *out, const lanes_u32 *at, lanes_u32 left,
                                                                     const double *m, lanes_u32 particles,
                                                                     const double *direction) {
  lanes d[3 * 16];
  const lanes_u32 n = 3 * particles;
  for (lanes_u32 p = 0; p < particles; p++)
    lanes_gather(direction, at + 8 * p, &d[3 * p], &d[3 * p + 1], &d[3 * p + 2]);
  for (lanes_u32 p = 0; p < particles; p++) {
    lanes f[3];
    for (lanes_u32 k = 0; k < 3; k++) {
      const double *row = m + 8ul * (3 * p + k) * n;
      f[k] = lanes_all(0.0);
      for (lanes_u32 j = 0; j < n; j++) f[k] = lanes_fnma(lanes_load(row + 8ul * j), d[j], f[k]);
    }
    lanes_scatter(out, at + 8 * p, left, f[0], f[1], f[2]);
  }
}

// The same with the lower half of a symmetric matrix, row by row.
static __attribute__((noinline, unused)) void lanes_packed_product(double *out, const lanes_u32 *at, lanes_u32 left,
                                                                   const double *m, lanes_u32 particles,
                                                                   const double *direction) {
  lanes d[3 * 16], f[3 * 16];
  const lanes_u32 n = 3 * particles;
  for (lanes_u32 p = 0; p < particles; p++)
    lanes_gather(direction, at + 8 * p, &d[3 * p], &d[3 * p + 1], &d[3 * p + 2]);
  for (lanes_u32 row = 0; row < n; row++) {
    lanes sum = lanes_all(0.0);
    for (lanes_u32 column = 0; column < row; column++, m += 8) {
      const lanes entry = lanes_load(m);
      sum = lanes_fnma(entry, d[column], sum);
      f[column] = lanes_fnma(entry, d[row], f[column]);
    }
    f[row] = lanes_fnma(lanes_load(m), d[row], sum);
    m += 8;
  }
  for (lanes_u32 p = 0; p < particles; p++) lanes_scatter(out, at + 8 * p, left, f[3 * p], f[3 * p + 1], f[3 * p + 2]);
}

#endif
