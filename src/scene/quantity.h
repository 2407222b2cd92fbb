// Numbers and what they measure.
//
// A number in a scene is in SI units, or says its unit itself: 100000 and "100 kPa" are the same. A unit must fit: a
// mass where a length belongs is a mistake, not a conversion. NaN and infinity are no numbers here. The point is the
// decimal point in every locale.

#ifndef SCENE_QUANTITY_H
#define SCENE_QUANTITY_H

#include <stdbool.h>
#include <stdint.h>

typedef enum scene_quantity {
  SCENE_NUMBER, // without a unit
  SCENE_LENGTH,
  SCENE_TIME,
  SCENE_RATE,
  SCENE_FORCE,
  SCENE_ENERGY,
  SCENE_PRESSURE,
  SCENE_VISCOSITY,
  SCENE_DENSITY,
  SCENE_ACCELERATION,
  SCENE_SPRING,
  SCENE_QUANTITY_COUNT
} scene_quantity;

typedef struct scene_unit {
  const char *name;
  double factor; // to the SI unit
} scene_unit;

// The i-th unit of a quantity, NULL past the last. The first is SI's own.
const scene_unit *scene_unit_list(scene_quantity quantity, uint32_t i);
// "Pa", "m", ...; "" for a plain number.
const char *scene_unit_name(scene_quantity quantity);

typedef enum scene_number {
  SCENE_IS_NUMBER,
  SCENE_IS_NONE,       // it does not begin like a number
  SCENE_IS_NOT_FINITE, // NaN, infinity, or too large
  SCENE_IS_WRONG_UNIT, // a number, and something behind it that is no unit of the quantity
} scene_number;

scene_number scene_quantity_read(const char *text, scene_quantity quantity, double *value);

// The shortest text that reads back as the same double.
typedef struct scene_real {
  char text[32];
} scene_real;
scene_real scene_real_show(double value);

#endif
