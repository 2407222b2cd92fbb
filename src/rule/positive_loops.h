// The loops of kernel_positive.c for one instruction set. LOOP_NAME(name) gives the function its name
// (cmake/loops.cmake).
//
// A matrix is made tridiagonal by Householder's reflections, and diagonal by the implicit QL method, all lanes in
// lockstep. A lane that has nothing to do is turned by angle 0, which changes no bit: its result does not depend on its
// neighbours. Nothing is fused, so it does not depend on the instruction set either. Turns are noted, and done on
// eigenvectors only where an eigenvalue is negative beyond rounding; other matrices are not touched. The result is the
// sum of the eigenvalues that are wanted times squares, so it is positive within its own rounding.

#ifndef LOOP_NAME
#error "cmake/loops.cmake says how functions are called"
#endif

#include "rule/emit_lanes.h"
#include "rule/kernel_positive.h"

#include <float.h>

enum { AXES = POSITIVE_AXES, ROUNDS = 40, TURNS = 2 * AXES * AXES };

typedef struct turn {
  lanes sine, cosine;
  lanes_u32 first; // of two neighbours
} turn;

typedef struct eigen {
  lanes_u32 n, turn_count;
  int has_vectors;
  lanes size;
  lanes a[AXES * AXES];             // below the diagonal what reflects, once it is tridiagonal
  lanes v[AXES * AXES];             // eigenvectors, one behind the other
  lanes factor[AXES];               // of each reflection
  lanes middle[AXES], beside[AXES]; // the diagonal; between k and k + 1
  turn turns[TURNS];
} eigen;

LANES_IN int any(lanes_mask mask) {
  long long all = 0;
  for (int lane = 0; lane < CLV_WIDTH; lane++) all |= mask[lane];
  return all != 0;
}

// Scaled by the largest entry, so that squares neither vanish nor overflow. A matrix with something that is no number
// stays as it is: it is taken for nothing.
static void take(eigen *w, const double *matrix) {
  const lanes_u32 count = w->n * w->n;
  lanes largest = lanes_all(0.0), wrong = largest;
  for (lanes_u32 e = 0; e < count; e++) {
    w->a[e] = lanes_load(matrix + 8ul * e);
    wrong += w->a[e] * 0.0;
    largest = lanes_max(lanes_abs(w->a[e]), largest);
  }
  w->size = lanes_select((largest >= DBL_MIN) & (wrong == 0.0), largest, lanes_all(1.0));
  const lanes scale = lanes_select(wrong == 0.0, lanes_all(1.0) / w->size, lanes_all(0.0));
  for (lanes_u32 e = 0; e < count; e++) w->a[e] = lanes_select(wrong == 0.0, w->a[e] * scale, lanes_all(0.0));
}

// Tridiagonal

// The reflection I - factor v v' that takes column k below the diagonal to its first entry; v begins with 1 and takes
// the column's place.
static void reflect(eigen *w, lanes_u32 k) {
  const lanes_u32 n = w->n;
  const lanes none = lanes_all(0.0), alpha = w->a[(k + 1) * n + k];
  lanes rest = none;
  for (lanes_u32 r = k + 2; r < n; r++) rest += w->a[r * n + k] * w->a[r * n + k];
  const lanes length = lanes_sqrt(alpha * alpha + rest);
  const lanes_mask done = rest < DBL_MIN;
  const lanes head = lanes_select(alpha <= 0.0, alpha - length, -rest / (alpha + length));
  const lanes safe = lanes_select(done, lanes_all(1.0), head);
  w->factor[k] = lanes_select(done, none, 2.0 * safe * safe / (rest + safe * safe));
  w->beside[k] = lanes_select(done, alpha, length);
  const lanes inverse = lanes_select(done, none, 1.0 / safe);
  w->a[(k + 1) * n + k] = lanes_all(1.0);
  for (lanes_u32 r = k + 2; r < n; r++) w->a[r * n + k] *= inverse;
}

// What is right of and below column k, reflected from both sides: a -= v p' + p v'. Only the lower half is kept.
static void reflect_rest(eigen *w, lanes_u32 k) {
  const lanes_u32 n = w->n, first = k + 1;
  lanes x[AXES], p[AXES], along = lanes_all(0.0);
  for (lanes_u32 r = first; r < n; r++) x[r] = w->a[r * n + k], p[r] = lanes_all(0.0);
  for (lanes_u32 r = first; r < n; r++) {
    const lanes *row = w->a + r * n;
    lanes sum = row[r] * x[r];
    for (lanes_u32 c = first; c < r; c++) {
      sum += row[c] * x[c];
      p[c] += row[c] * x[r];
    }
    p[r] += sum;
  }
  for (lanes_u32 r = first; r < n; r++) {
    p[r] *= w->factor[k];
    along += p[r] * x[r];
  }
  along *= 0.5 * w->factor[k];
  for (lanes_u32 r = first; r < n; r++) p[r] -= along * x[r];
  for (lanes_u32 r = first; r < n; r++) {
    lanes *row = w->a + r * n;
    for (lanes_u32 c = first; c <= r; c++) row[c] -= x[r] * p[c] + p[r] * x[c];
  }
}

static void make_tridiagonal(eigen *w) {
  const lanes_u32 n = w->n;
  for (lanes_u32 k = 0; k + 2 < n; k++) {
    reflect(w, k);
    reflect_rest(w, k);
  }
  if (n > 1) w->beside[n - 2] = w->a[(n - 1) * n + n - 2];
  w->beside[n - 1] = lanes_all(0.0);
  for (lanes_u32 k = 0; k < n; k++) w->middle[k] = w->a[k * n + k];
}

// The reflections, one after the other: what the eigenvectors are turned from.
static void collect_reflections(eigen *w) {
  const lanes_u32 n = w->n;
  w->has_vectors = 1;
  for (lanes_u32 e = 0; e < n * n; e++) w->v[e] = lanes_all(e % (n + 1) == 0);
  for (lanes_u32 k = n > 2 ? n - 2 : 0; k-- > 0;)
    for (lanes_u32 c = k + 1; c < n; c++) {
      lanes *column = w->v + c * n, along = lanes_all(0.0);
      for (lanes_u32 r = k + 1; r < n; r++) along += w->a[r * n + k] * column[r];
      along *= w->factor[k];
      for (lanes_u32 r = k + 1; r < n; r++) column[r] -= along * w->a[r * n + k];
    }
}

// Diagonal

// Where the block that begins at `first` ends, lane by lane; the last of them. With entries of at most 1, less than
// 1e-18 is nothing.
static lanes_u32 find_ends(const eigen *w, lanes_u32 first, lanes *ends) {
  lanes end = lanes_all(w->n - 1);
  for (lanes_u32 k = w->n - 1; k-- > first;) {
    const lanes near = lanes_abs(w->middle[k]) + lanes_abs(w->middle[k + 1]);
    end = lanes_select(lanes_abs(w->beside[k]) <= DBL_EPSILON * near + 1e-18, lanes_all(k), end);
  }
  *ends = end;
  double last = 0;
  for (int lane = 0; lane < CLV_WIDTH; lane++) last = end[lane] > last ? end[lane] : last;
  return (lanes_u32)last;
}

typedef struct chase {
  lanes end, sine, cosine, g, p;
  lanes_mask on;
} chase;

// Wilkinson's shift.
static chase begin_chase(const eigen *w, lanes_u32 first, lanes end) {
  const lanes one = lanes_all(1.0), low = w->middle[first];
  chase c = {.end = end, .sine = one, .cosine = one, .p = lanes_all(0.0), .on = end > (double)first};
  const lanes e = lanes_select(c.on, w->beside[first], one);
  const lanes g = (w->middle[first + 1] - low) / (2.0 * e), r = lanes_sqrt(g * g + 1.0);
  lanes high = low;
  for (lanes_u32 k = first + 1; k < w->n; k++) high = lanes_select(end == (double)k, w->middle[k], high);
  c.g = high - low + e / (g + lanes_select(g < 0.0, -r, r));
  return c;
}

static void part_at_ends(eigen *w, const chase *c, lanes_mask which) {
  for (lanes_u32 k = 0; k < w->n; k++)
    w->beside[k] = lanes_select(which & (c->end == (double)k), lanes_all(0.0), w->beside[k]);
}

// One turn of rows and columns i and i + 1, in lanes whose block has them.
static turn turn_once(eigen *w, lanes_u32 i, chase *c) {
  const lanes one = lanes_all(1.0), none = lanes_all(0.0), e = w->beside[i];
  const lanes_mask here = c->on & (c->end > (double)i);
  const lanes f = c->sine * e, b = c->cosine * e, length = lanes_sqrt(f * f + c->g * c->g);
  const lanes_mask apart = here & (length < DBL_MIN), turns = here & ~apart;
  const lanes inverse = one / lanes_select(turns, length, one), sine = f * inverse, cosine = c->g * inverse;
  const lanes g = w->middle[i + 1] - c->p, r = (w->middle[i] - g) * sine + 2.0 * cosine * b, p = sine * r;
  w->beside[i + 1] = lanes_select(here, length, w->beside[i + 1]);
  w->middle[i + 1] = lanes_select(turns, g + p, lanes_select(apart, g, w->middle[i + 1]));
  c->sine = lanes_select(turns, sine, c->sine);
  c->cosine = lanes_select(turns, cosine, c->cosine);
  c->p = lanes_select(turns, p, c->p);
  c->g = lanes_select(turns, cosine * r - b, c->g);
  if (any(apart)) {
    part_at_ends(w, c, apart);
    c->on &= ~apart;
  }
  return (turn){lanes_select(turns, sine, none), lanes_select(turns, cosine, one), i};
}

static void turn_vectors(eigen *w) {
  const lanes_u32 n = w->n;
  if (!w->has_vectors) collect_reflections(w);
  for (lanes_u32 t = 0; t < w->turn_count; t++) {
    const lanes sine = w->turns[t].sine, cosine = w->turns[t].cosine;
    lanes *x = w->v + w->turns[t].first * n, *y = x + n;
    for (lanes_u32 r = 0; r < n; r++) {
      const lanes a = x[r], b = y[r];
      x[r] = cosine * a - sine * b;
      y[r] = sine * a + cosine * b;
    }
  }
  w->turn_count = 0;
}

static void note(eigen *w, turn one) {
  if (w->turn_count == TURNS) turn_vectors(w); // seldom: vectors are made for nothing if no eigenvalue is negative
  w->turns[w->turn_count++] = one;
}

static void make_diagonal(eigen *w) {
  w->turn_count = 0;
  for (lanes_u32 first = 0; first + 1 < w->n; first++)
    for (lanes_u32 round = 0; round < ROUNDS; round++) {
      lanes end;
      const lanes_u32 last = find_ends(w, first, &end);
      if (last == first) break;
      chase c = begin_chase(w, first, end);
      for (lanes_u32 i = last; i-- > first;) note(w, turn_once(w, i, &c));
      w->middle[first] = lanes_select(c.on, w->middle[first] - c.p, w->middle[first]);
      w->beside[first] = lanes_select(c.on, c.g, w->beside[first]);
      part_at_ends(w, &c, c.on);
    }
}

// The sum of eigenvalues times squares of eigenvectors: the lower half.
static void compose(eigen *w) {
  const lanes_u32 n = w->n;
  for (lanes_u32 e = 0; e < n * n; e++) w->a[e] = lanes_all(0.0);
  for (lanes_u32 k = 0; k < n; k++)
    for (lanes_u32 row = 0; row < n; row++) {
      const lanes *v = w->v + k * n, scaled = w->middle[k] * v[row];
      for (lanes_u32 column = 0; column <= row; column++) w->a[row * n + column] += scaled * v[column];
    }
}

static void make_positive(double *matrix, lanes_u32 n, int absolute) {
  eigen w;
  w.n = n;
  w.has_vectors = 0;
  take(&w, matrix);
  make_tridiagonal(&w);
  make_diagonal(&w);
  lanes least = lanes_all(0.0);
  for (lanes_u32 k = 0; k < n; k++) least = lanes_min(w.middle[k], least);
  const lanes_mask negative = least < -4 * DBL_EPSILON;
  if (!any(negative)) return;
  turn_vectors(&w);
  for (lanes_u32 k = 0; k < n; k++)
    w.middle[k] = w.size * lanes_max(w.middle[k], absolute ? -w.middle[k] : lanes_all(0.0));
  compose(&w);
  for (lanes_u32 row = 0; row < n; row++)
    for (lanes_u32 column = 0; column <= row; column++) {
      double *one = matrix + 8ul * (row * n + column), *other = matrix + 8ul * (column * n + row);
      lanes_store_twice(one, other, lanes_select(negative, w.a[row * n + column], lanes_load(one)));
    }
}

void LOOP_NAME(positive)(double *matrix, unsigned n, int absolute) {
  for (lanes_u32 first = 0; first < 8; first += CLV_WIDTH) make_positive(matrix + first, n, absolute);
}
