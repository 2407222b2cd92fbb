#include "solve/blocks.h"

#include <math.h>
#include <string.h>

bool block_invert(const double block[9], double least, double inverse[9]) {
  double lower[3][3] = {{0}}, back[3][3] = {{0}}; // the factor and its inverse
  for (int j = 0; j < 3; j++) {
    double pivot = block[4 * j];
    for (int k = 0; k < j; k++) pivot -= lower[j][k] * lower[j][k];
    if (!(pivot > least * fabs(block[4 * j])) || !(pivot > 0) || !isfinite(pivot)) return false;
    lower[j][j] = sqrt(pivot);
    for (int i = j + 1; i < 3; i++) {
      double sum = block[3 * j + i];
      for (int k = 0; k < j; k++) sum -= lower[i][k] * lower[j][k];
      lower[i][j] = sum / lower[j][j];
    }
  }
  for (int j = 0; j < 3; j++)
    for (int i = j; i < 3; i++) {
      double sum = i == j;
      for (int k = j; k < i; k++) sum -= lower[i][k] * back[k][j];
      back[i][j] = sum / lower[i][i];
    }
  for (int j = 0; j < 3; j++)
    for (int i = 0; i < 3; i++)
      inverse[3 * j + i] = back[0][i] * back[0][j] + back[1][i] * back[1][j] + back[2][i] * back[2][j];
  return true;
}

void block_precondition(const double block[9], uint32_t held, double inverse[9]) {
  double free[9], half[6], largest = 0;
  if (!held && block_cofactors(block[0], block[1], block[2], block[4], block[5], block[8], half)) {
    for (unsigned e = 0; e < 9; e++) inverse[e] = half[block_half[e]];
    return;
  }
  if (held == 7) {
    memset(inverse, 0, 9 * sizeof *inverse);
    return;
  }
  for (unsigned j = 0; j < 3; j++)
    for (unsigned i = 0; i < 3; i++) free[3 * j + i] = (held >> i | held >> j) & 1u ? (i == j) : block[3 * j + i];
  for (unsigned i = 0; i < 3; i++)
    if (!(held >> i & 1u)) largest = fmax(largest, fabs(block[4 * i]));
  if (!block_invert(free, 1e-12, inverse)) {
    memset(inverse, 0, 9 * sizeof *inverse);
    for (unsigned i = 0; i < 3; i++) inverse[4 * i] = largest > 0 ? 1 / largest : 1;
  }
  for (unsigned i = 0; i < 3; i++)
    if (held >> i & 1u) inverse[4 * i] = 0;
}
