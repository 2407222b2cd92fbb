#include "solve/pass.h"

#include "rule/native.h"
#include "solve/solver.h"

enum { LANES = 4 };

typedef CLV_VECTOR(double, 4) four;
typedef CLV_VECTOR(uint64_t, 4) four_words;

CLV_INLINE four load(const double *p, size_t k) {
  four v;
  memcpy(&v, p + k, sizeof v);
  return v;
}

CLV_INLINE void store(double *p, size_t k, four v) {
  memcpy(p + k, &v, sizeof v);
}

// As solve_beyond.
CLV_INLINE four_words beyond(four numbers, uint64_t limit) {
  return ((four_words)numbers & UINT64_C(0x7FFFFFFFFFFFFFFF)) + limit;
}

CLV_INLINE four acceleration(const pass *p, size_t k, four force, four v) {
  return force * load(p->inverse, k) + load(p->fall, k) - p->drag * v;
}

CLV_INLINE four_words symplectic(const pass *p, size_t k) {
  const four x = load(p->x, k), v = load(p->v, k);
  const four change = p->h * acceleration(p, k, load(p->f, k), v), next_v = v + change, next_x = x + p->h * next_v;
  store(p->x0, k, x);
  store(p->v0, k, v);
  store(p->v, k, next_v);
  store(p->x, k, next_x);
  return beyond(change, p->change_limit) | beyond(next_x, p->place_limit);
}

// The first stage: keeps the state and the acceleration, and goes on by a part of the step.
CLV_INLINE four_words start(const pass *p, size_t k, double part) {
  const four x = load(p->x, k), v = load(p->v, k), a = acceleration(p, k, load(p->f, k), v);
  store(p->a, k, a);
  store(p->x0, k, x);
  store(p->v0, k, v);
  store(p->x, k, x + part * v);
  store(p->v, k, v + part * a);
  return (four_words){0};
}

CLV_INLINE four_words euler(const pass *p, size_t k) {
  return start(p, k, p->h);
}

CLV_INLINE four_words first(const pass *p, size_t k) {
  return start(p, k, 0.5 * p->h);
}

CLV_INLINE four_words heun(const pass *p, size_t k) {
  const double half = 0.5 * p->h;
  const four there = load(p->v, k), v0 = load(p->v0, k);
  const four change = half * (load(p->a, k) + acceleration(p, k, load(p->f, k), there));
  const four next_x = load(p->x0, k) + half * (v0 + there);
  store(p->v, k, v0 + change);
  store(p->x, k, next_x);
  return beyond(change, p->change_limit) | beyond(next_x, p->place_limit);
}

CLV_INLINE four_words second(const pass *p, size_t k) {
  const double half = 0.5 * p->h;
  const four there = load(p->v, k), a = acceleration(p, k, load(p->f, k), there);
  store(p->s, k, a);
  store(p->x, k, load(p->x0, k) + half * there);
  store(p->v, k, load(p->v0, k) + half * a);
  return (four_words){0};
}

CLV_INLINE four_words third(const pass *p, size_t k) {
  const four there = load(p->v, k), a = acceleration(p, k, load(p->f, k), there);
  store(p->s, k, load(p->s, k) + a);
  store(p->x, k, load(p->x0, k) + p->h * there);
  store(p->v, k, load(p->v0, k) + p->h * a);
  return (four_words){0};
}

CLV_INLINE four_words last(const pass *p, size_t k) {
  const double sixth = p->h / 6;
  const four a = load(p->a, k), s = load(p->s, k), v0 = load(p->v0, k);
  const four change = sixth * (a + 2 * s + acceleration(p, k, load(p->f, k), load(p->v, k)));
  const four next_x = load(p->x0, k) + p->h * (v0 + sixth * (a + s));
  store(p->v, k, v0 + change);
  store(p->x, k, next_x);
  return beyond(change, p->change_limit) | beyond(next_x, p->place_limit);
}

// What is left behind the last whole four, copied to where there is room for one.
typedef struct rest {
  pass pass;
  double room[9][LANES];
} rest;

static void rest_vectors(const pass *p, double *vectors[9]) {
  double *const all[9] = {p->x, p->v, p->x0, p->v0, p->inverse, p->fall, p->f, p->a, p->s};
  memcpy(vectors, all, sizeof all);
}

static const pass *rest_open(rest *r, const pass *p, size_t k) {
  double *from[9];
  rest_vectors(p, from);
  memset(r->room, 0, sizeof r->room);
  for (uint32_t i = 0; i < 9; i++)
    if (from[i]) memcpy(r->room[i], from[i] + k, (p->count - k) * sizeof(double));
  r->pass = *p;
  r->pass.x = r->room[0];
  r->pass.v = r->room[1];
  r->pass.x0 = r->room[2];
  r->pass.v0 = r->room[3];
  r->pass.inverse = r->room[4];
  r->pass.fall = r->room[5];
  r->pass.f = r->room[6];
  r->pass.a = r->room[7];
  r->pass.s = r->room[8];
  return &r->pass;
}

static void rest_close(const rest *r, const pass *p, size_t k) {
  double *to[9];
  rest_vectors(p, to);
  for (uint32_t i = 0; i < 9; i++)
    if (to[i]) memcpy(to[i] + k, r->room[i], (p->count - k) * sizeof(double));
}

#define PASS_LOOP(name, set, target)                                                                                   \
  target static uint64_t name##_##set(const pass *given) {                                                             \
    const pass p = *given; /* a copy that no store can change */                                                       \
    four_words gathered = {0};                                                                                         \
    size_t k = 0;                                                                                                      \
    for (; k + LANES <= p.count; k += LANES) gathered |= name(&p, k);                                                  \
    if (k < p.count) {                                                                                                 \
      rest r;                                                                                                          \
      gathered |= name(rest_open(&r, given, k), 0);                                                                    \
      rest_close(&r, given, k);                                                                                        \
    }                                                                                                                  \
    return gathered[0] | gathered[1] | gathered[2] | gathered[3];                                                      \
  }

#define PASS_SET(set, target)                                                                                          \
  PASS_LOOP(symplectic, set, target)                                                                                   \
  PASS_LOOP(euler, set, target)                                                                                        \
  PASS_LOOP(heun, set, target)                                                                                         \
  PASS_LOOP(first, set, target)                                                                                        \
  PASS_LOOP(second, set, target)                                                                                       \
  PASS_LOOP(third, set, target)                                                                                        \
  PASS_LOOP(last, set, target)                                                                                         \
  static const pass_loops loops_##set = {symplectic_##set, euler_##set, heun_##set, first_##set,                       \
                                         second_##set,     third_##set, last_##set};

PASS_SET(plain, )
PASS_SET(avx2, CLV_FOR_AVX2)

const pass_loops *pass_plain(void) {
  return &loops_plain;
}

const pass_loops *pass_best(void) {
  return native_isa_here(NATIVE_AVX2) ? &loops_avx2 : &loops_plain;
}
