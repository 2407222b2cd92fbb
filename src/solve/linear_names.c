// The names of the linear solvers, and which of them this library has.

#include "cleave/solve.h"

#include <string.h>

static const char *const names[CLV_LINEAR_COUNT] = {"auto", "matrix-free", "assembled", "direct"};

const char *clv_linear_name(clv_linear linear) {
  return (unsigned)linear < CLV_LINEAR_COUNT ? names[linear] : "unknown";
}

int clv_linear_from_name(const char *name) {
  for (int k = 0; k < CLV_LINEAR_COUNT; k++)
    if (strcmp(name, names[k]) == 0) return k;
  return -1;
}

bool clv_linear_available(clv_linear linear) {
#ifdef CLEAVE_HAVE_CHOLMOD
  return (unsigned)linear < CLV_LINEAR_COUNT;
#else
  return (unsigned)linear < CLV_LINEAR_COUNT && linear != CLV_LINEAR_DIRECT;
#endif
}
