// Models: which force laws a cell of a kind has, by the name that users say.
//
// The laws themselves are in rules/. A model knows its laws, the kinds of cells they serve, and the constants they
// need; nothing else does.

#ifndef PHYSICS_MODEL_H
#define PHYSICS_MODEL_H

#include "cleave/physics.h"

#define PHYSICS_KIND(kind) (1u << (kind))

// When a law of a model is wanted.
typedef enum physics_wish {
  PHYSICS_ALWAYS,
  PHYSICS_VISCOUS,  // where springs have viscosity
  PHYSICS_INVISCID, // where they have none
  PHYSICS_DAMPED,   // where phi or psi is not 0
} physics_wish;

typedef struct physics_law {
  const char *name;
  uint32_t kinds; // of cells that it serves, as bits
  physics_wish wish;
} physics_law;

enum { PHYSICS_LAWS = 10 };

// How stress follows from the deformation (cell.c).
typedef enum physics_stress {
  PHYSICS_COROTATIONAL, // as of the solid that springs and cloth stand for, too
  PHYSICS_LINEAR,
  PHYSICS_STVK,
  PHYSICS_NEOHOOKE,
} physics_stress;

typedef struct physics_model {
  const char *name, *what;
  const char *module; // of the shipped library that has its laws; NULL: the user's program
  uint32_t kinds;     // of cells that it can be used on
  bool springs;       // whether cells bear springs
  bool bending;       // and hinges
  bool volume;        // springs and an energy of volume together make the solid
  bool tensor;        // whether cells bear blocks of the mass-tensor law
  physics_stress stress;
  physics_law laws[PHYSICS_LAWS]; // up to the first without a name
} physics_model;

// NULL for an unknown name.
const physics_model *physics_model_find(const char *name);
// The known name that is most like a wrong one.
const char *physics_model_nearest(const char *name);
// What a model is for, in a word.
const char *physics_model_serves(const physics_model *model);
// Whether a law is wanted with this material.
bool physics_law_wanted(const physics_law *law, const clv_material *material);

// Lame's numbers of a material; on a surface those of plane stress.
static inline double physics_shear_modulus(const clv_material *m) {
  return m->young / (2 * (1 + m->poisson));
}
static inline double physics_lame(const clv_material *m, uint32_t dimension) {
  return m->young * m->poisson / ((1 + m->poisson) * (1 - (dimension - 1) * m->poisson));
}

#endif
