// The cells about a vertex, measured while it is moved about in the body's arrays: mass, quality, energy.
//
// Everything is asked of those who know: volumes of the quadrature that the laws use, quality of clv_element_quality,
// energy of the rows that the body's laws have there (view/trial.c). So one text serves every kind of cell and every
// model, the user's own rules among them.
//
// Springs of cells follow the vertex. An edge keeps its stiffness times its length, which is what is stored; so do the
// diagonals of a cell, of which the stiffness is stored; a hinge has the stiffness of its plate. What an energy of
// volume takes away from springs, it takes from those that are there then.

#ifndef SURGERY_STAR_H
#define SURGERY_STAR_H

#include "surgery/surgery.h"

enum { STAR_POS, STAR_REST, STAR_VEL };
enum { STAR_CELLS = 256 };

typedef struct surgery_star {
  clv_surgery *surgery;
  clv_walk cells;
  clv_dart dart;
  uint32_t slot;
  uint32_t springs; // where its own begin among the surgery's
  double normals[2][STAR_CELLS][3];
} surgery_star;

// One of the body's arrays, three numbers a slot.
static inline double *star_array(const clv_surgery *surgery, uint32_t which) {
  const clv_body *body = surgery->body;
  return physics_vectors(which == STAR_POS ? body->pos : which == STAR_REST ? body->rest : body->vel);
}

// Corners of a cell that is a plain template, by slot.
static inline surgery_corners star_corners(const surgery_star *star, uint32_t c) {
  const clv_map *map = star->surgery->map;
  const clv_kind kind = clv_cell_kind(map, star->cells.darts[c]);
  const uint32_t count = clv_templates[kind].corner_count;
  return (surgery_corners){map->corners[kind] + (size_t)clv_cell_row(map, star->cells.darts[c]) * count, count};
}

// False when memory is out. To be closed in any case.
bool star_open(surgery_star *star, clv_surgery *surgery, clv_id vertex);
void star_close(surgery_star *star);
// Whether all its cells are plain ones, of kinds with corners.
bool star_is_plain(const surgery_star *star);
// Before it moves: what has to follow is listed. False when memory is out.
bool star_begin(surgery_star *star);
// Nothing follows any more: springs are what they were.
void star_end(surgery_star *star);

double star_mass(const surgery_star *star);
// The greatest distance of a corner from the vertex, at rest.
double star_size(const surgery_star *star);
// That of the worst cell, at rest and now; -1 when one is inside out or turned over.
double star_quality(const surgery_star *star);
// Where the deformation takes a vector of the rest, by the first cell; on a surface, of its plane.
void star_carry(const surgery_star *star, const double *vector, double *carried);

// Energy of all rows about the vertex, with springs and derived values as they follow from where it rests now.
typedef struct star_energy {
  double sum, noise; // noise: what rounding may come to
  bool known;        // false: forces act there that have none
} star_energy;
clv_result star_measure_energy(const surgery_star *star, star_energy *energy);

#endif
