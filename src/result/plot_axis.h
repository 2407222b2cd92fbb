// Axes: which numbers stand along them, and how they are written.
//
// Steps are 1, 2 or 5 times a power of ten. Large and small numbers lose their zeros to the unit: 0.0042 J is 4.2 mJ,
// and where the unit takes no such letter a power of ten stands before it.

#ifndef RESULT_PLOT_AXIS_H
#define RESULT_PLOT_AXIS_H

#include "cleave/base.h"

enum { RESULT_LABEL_SIZE = 64 };

typedef struct result_axis {
  double least, greatest; // of what is drawn
  double step, first;     // of the numbers along it: first, first + step ... up to greatest
  uint32_t count;
  double scale; // numbers are written divided by this
  int decimals; // behind their point
  int power;    // scale is 10^power
} result_axis;

// An axis over [least, greatest] with about `wanted` numbers. `snug`: it begins and ends where the data do; else it is
// widened to the next numbers.
typedef enum result_fit { RESULT_SNUG, RESULT_WIDE } result_fit;
result_axis result_axis_over(double least, double greatest, uint32_t wanted, result_fit fit);
double result_axis_number(const result_axis *axis, uint32_t k);
// A number as it stands there: "0.25", "−1.5".
void result_axis_text(const result_axis *axis, double value, char text[RESULT_LABEL_SIZE]);
// "energy (mJ)", "momentum (10⁻³ kg m/s)", "position"; unit may be "".
void result_axis_title(const result_axis *axis, const char *what, const char *unit, char text[RESULT_LABEL_SIZE]);

#endif
