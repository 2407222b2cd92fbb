// The scalpel from inside: where it touches, what it remembers, and the parts of a cut.

#ifndef SURGERY_SCALPEL_H
#define SURGERY_SCALPEL_H

#include "surgery/surgery.h"

// A place of the surface: a point in a triangle of vertices, given by their parts in it.
typedef struct scalpel_place {
  clv_id vertex[3];
  double part[3];
} scalpel_place;

// Where the point touches.
typedef struct scalpel_contact {
  clv_dart facet; // of a surface: the cell; 0: nowhere
  scalpel_place place;
  double point[3];  // of the place, now
  double normal[3]; // of the facet, of length 1, out of the body
  double distance;  // of the tip from the point
  clv_id nearest;   // the facet's corner nearest to the point
} scalpel_contact;

// What is kept from one call to the next, as doubles: saved as it is.
typedef struct scalpel_memory {
  double touching;            // 1: yes
  double side;                // of a surface that has two: 1 where the point came from the normal's side, -1 otherwise
  double from[2];             // v0: index and generation
  double last[2];             // the nearest vertex of the last call
  double fresh;               // 1: v0 has not been moved yet
  double near[3][2], part[3]; // the place where the point came nearest to v0
  double distance;            // how near
} scalpel_memory;

struct clv_scalpel {
  clv_surgery *surgery;
  clv_scalpel_def def;
  clv_column *load;
  union {
    scalpel_memory memory;
    double values[sizeof(scalpel_memory) / sizeof(double)];
  };
};

// Where a point at `tip` touches (scalpel_contact.c): the nearest place of the surface, no further than `radius`.
clv_result scalpel_find_contact(clv_surgery *surgery, const double tip[3], double radius, scalpel_contact *contact);
// A place among positions or at rest; false when a vertex of it is gone.
bool scalpel_place_at(const clv_surgery *surgery, const scalpel_place *place, const double *points, double at[3]);

// sigma_c of a cell: the least of greatest stress and greatest shear, over sharpness and damage (scalpel_cut.c).
double scalpel_cutting_stress(const clv_surgery *surgery, clv_dart cell, const clv_scalpel_def *def);
// The facets to unsew for a cut from v0 to v1, in `facets`; none where no plane parts the cells about v1.
clv_result scalpel_select(clv_surgery *surgery, clv_id v0, clv_id v1);

// Moving vertices (scalpel_shift.c). One that is to go to a place of the surface, as far as it can without making a
// cell worse than the bound on quality, or energy. They are planned before the transaction, one after the other, and
// carried out in it. Planning puts them in another order.
typedef struct scalpel_shift {
  clv_id vertex;
  scalpel_place place;
  bool moved;  // planned so
  double cost; // elastic energy that would come of it; 0 where it moves, or where that is not what keeps it
} scalpel_shift;
typedef struct scalpel_bounds {
  double quality; // no cell is made worse than this
  uint32_t tries; // 1: the whole way or none of it; 2: half of it is tried, too ...
} scalpel_bounds;
clv_result scalpel_plan_shifts(clv_surgery *surgery, const scalpel_bounds *bounds, scalpel_shift *shifts,
                               uint32_t count);
// Sets the values that were planned. Inside a transaction, before facets are unsewn.
clv_result scalpel_carry_out(clv_surgery *surgery);

// Adds what a touch did to what those before it did; what the tool feels is what it felt last.
void scalpel_add_report(clv_scalpel_report *sum, const clv_scalpel_report *one);

static inline double scalpel_dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static inline bool scalpel_same(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

static inline void scalpel_cross(const double *a, const double *b, double *c) {
  for (uint32_t k = 0; k < 3; k++) c[k] = a[(k + 1) % 3] * b[(k + 2) % 3] - a[(k + 2) % 3] * b[(k + 1) % 3];
}

#endif
