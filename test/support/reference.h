// A naive generalized map: what the kernel is compared with.
//
// Every dart stores every link, every orbit is searched anew, and a transaction is a copy of the whole. There are no
// templates, no ids, no logs and no code from src/: what the two agree on, they found in different ways. It is meant to
// be read beside the definition of a G-map and believed.
//
// Operations return false when they are refused and have then changed nothing. Callers pass darts that are alive.

#ifndef CLEAVE_TEST_SUPPORT_REFERENCE_H
#define CLEAVE_TEST_SUPPORT_REFERENCE_H

#include "cleave/base.h"

enum { REFERENCE_DARTS = 2048 };

typedef uint16_t ref_dart; // 0 is none

// A deleted dart's name is not used again until reference_settle: in between, a name means one dart.
typedef enum ref_state { REF_UNUSED, REF_ALIVE, REF_DELETED } ref_state;

typedef struct reference {
  uint32_t dimension;
  uint32_t end; // every name in use is smaller
  uint32_t count;
  ref_dart alpha[REFERENCE_DARTS][4];
  uint8_t state[REFERENCE_DARTS];
} reference;

typedef struct ref_orbit {
  uint32_t count;
  ref_dart darts[REFERENCE_DARTS];
  bool has[REFERENCE_DARTS];
} ref_orbit;

void reference_init(reference *map, uint32_t dimension);
void reference_settle(reference *map);

// Reading. Sets of dimensions are bits, as in clv_orbit_dims.

static inline bool reference_alive(const reference *map, ref_dart dart) {
  return map->state[dart] == REF_ALIVE;
}
static inline bool reference_free(const reference *map, ref_dart dart, uint32_t i) {
  return map->alpha[dart][i] == dart;
}
// All dimensions but i: the orbit that is an i-cell.
static inline uint32_t reference_cell_dims(const reference *map, uint32_t i) {
  return ((2u << map->dimension) - 1u) & ~(1u << i);
}

void reference_orbit(const reference *map, uint32_t dims, ref_dart dart, ref_orbit *orbit);
// Gives every dart that is alive the smallest dart of its orbit, 0 to the others; returns how many orbits there are.
uint32_t reference_label(const reference *map, uint32_t dims, ref_dart label[REFERENCE_DARTS]);
// The conditions of a G-map: involutions, and ai∘aj an involution wherever i + 2 <= j.
bool reference_valid(const reference *map);
// Whether the darts can be coloured so that every link joins two colours.
bool reference_orientable(const reference *map);
// The template that the cell (of the map's own dimension) at a dart is isomorphic to, or CLV_POLYGON or CLV_POLYHEDRON.
clv_kind reference_cell_kind(const reference *map, ref_dart dart);
// Darts that are free in a dimension below the map's own.
uint32_t reference_open_darts(const reference *map);
uint32_t reference_boundary_facets(const reference *map);

// Patches: faces of one volume, by their darts. The boundary of one, from a dart on it, is a path for
// reference_insert_face; its length is 0 when it does not close.
void reference_add_to_patch(const reference *map, ref_dart face, bool patch[REFERENCE_DARTS]);
uint32_t reference_patch_boundary(const reference *map, const bool *patch, ref_dart start, ref_dart *path);

// Change

ref_dart reference_add_polygon(reference *map, uint32_t sides);
// A template cell, its darts facet by facet in consecutive names; the first is returned.
ref_dart reference_add_cell(reference *map, clv_kind kind);
bool reference_add_polyhedron(reference *map, uint32_t face_count, const uint32_t *sizes, const uint32_t *corners,
                              ref_dart *dart);

bool reference_sew(reference *map, uint32_t i, ref_dart a, ref_dart b);
bool reference_unsew(reference *map, uint32_t i, ref_dart dart);

bool reference_insert_vertex(reference *map, ref_dart dart, ref_dart *added);
bool reference_insert_edge(reference *map, ref_dart a, ref_dart b, ref_dart *added);
bool reference_insert_face(reference *map, const ref_dart *path, uint32_t length, ref_dart *added);

void reference_remove_cell(reference *map, ref_dart dart);
bool reference_remove(reference *map, uint32_t i, ref_dart dart);
bool reference_contract(reference *map, uint32_t i, ref_dart dart);

#endif
