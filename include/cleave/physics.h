// Bodies: a mesh that has become matter.
//
// A body owns a map, the columns of its state (`pos`, `rest`, `vel`, `rho`, `young`, `poisson` ... as rules/body.rule
// and its companions declare them) and the views of the laws that act in it. What it is made of is said by sections: a
// zone of the body, a material and a model. A model is a name for a few force laws and for the way their constants
// follow from the material; a user's own rules are a model, too. Sections may mix models in one body.
//
// Nothing here knows of time steps: a body answers what forces act on its particles at a given time, how they change
// with positions and velocities, and which particles are not free. Everything is kept on the map, so a cut parts a body
// without a word from here.
//
// Arrays by slot: three numbers (or one, for masses) for each vertex slot of the map, clv_body_slots of them. A slot
// that no vertex has weighs nothing. Pointers live until the next commit.
//
// SI units throughout. A surface (2D) has a thickness and lives in space; `plane` keeps it in its plane.

#ifndef CLEAVE_PHYSICS_H
#define CLEAVE_PHYSICS_H

#include "cleave/mesh.h"
#include "cleave/view.h"

CLV_BEGIN_DECLS

typedef struct clv_body clv_body;

// Zones

typedef enum clv_zone_kind {
  CLV_ZONE_ALL,    // everything
  CLV_ZONE_REGION, // the elements of the mesh that bear a tag, and their points; of any dimension
  CLV_ZONE_BOX,
  CLV_ZONE_SPHERE,
  CLV_ZONE_PLANE,   // the half space that the normal points into, the plane included
  CLV_ZONE_NEAREST, // the one vertex (or cell) nearest to a point
  CLV_ZONE_CAPSULE, // what is near a segment: a rod with round ends
} clv_zone_kind;

// A part of space, or of a mesh. It takes the particles whose rest position it holds, and the cells whose centre it
// holds at rest. Borders belong to it, with a tolerance of 1e-9 of the body's size.
typedef struct clv_zone {
  clv_zone_kind kind;
  int32_t region;    // CLV_ZONE_REGION: the tag
  int32_t dimension; // CLV_ZONE_REGION: of the elements; -1: any
  double point[3];   // box: least corner; sphere: centre; plane: a point of it; nearest: the point; capsule: one end
  double extent[3];  // box: greatest corner; plane: its normal, of any length; capsule: the other end
  double radius;     // sphere, capsule
} clv_zone;

CLV_API clv_zone clv_zone_all(void);
CLV_API clv_zone clv_zone_region(int32_t tag);
CLV_API clv_zone clv_zone_box(const double least[3], const double greatest[3]);
CLV_API clv_zone clv_zone_sphere(const double centre[3], double radius);
CLV_API clv_zone clv_zone_plane(const double point[3], const double normal[3]);
CLV_API clv_zone clv_zone_nearest(const double point[3]);
CLV_API clv_zone clv_zone_capsule(const double from[3], const double to[3], double radius);

// Materials and models

typedef struct clv_material {
  double young;     // Pa
  double poisson;   // in (-1, 0.5), for surfaces (-1, 1)
  double density;   // kg/m^3
  double thickness; // m: of a surface; the same for the whole body
  double bending;   // J: of `cloth`, the stiffness of a hinge; below 0: that of a plate of this thickness
  double viscosity; // of springs: part of critical damping, the 2013 law; 0: none
  double phi, psi;  // Pa s: of `stvk`, the damping that goes with lambda and mu (the 2003 law); 0: none
} clv_material;

// 100 kPa, 0.3, 1000 kg/m^3, 1 mm, a plate's bending, no damping.
CLV_API clv_material clv_default_material(void);

// The i-th model by name: "springs", "springs-hybrid", "fem-linear", "fem-corotational", "fem-corotational-qr",
// "mass-tensor", "stvk", "neo-hookean", "cloth"; "rules" stands for the forces of the user's own rule files. NULL past
// the last; *what, if not NULL, describes it.
CLV_API const char *clv_model_list(uint32_t i, const char **what);

// What a zone of a body is made of. Later sections take their zone from earlier ones; every cell must get one.
typedef struct clv_section {
  clv_zone zone;
  const char *model;
  clv_material material;
} clv_section;

// Bodies

typedef struct clv_body_def {
  const clv_mesh *mesh; // copied from; only needed during the call
  const clv_section *sections;
  uint32_t section_count;
  // A checked program with the rules of the model "rules", which must `use` the modules of the other models it is mixed
  // with; it outlives the body. NULL: the shipped library.
  const clv_program *program;
  bool plane; // a surface that stays in its plane z = const
  double gravity[3];
  double drag;                              // 1/s: ambient viscosity, in proportion to mass
  double rayleigh_mass, rayleigh_stiffness; // 1/s, s: damping forces -mass M v and + stiffness (df/dx) v
  uint32_t threads;                         // 0 is 1
  clv_allocator allocator;
} clv_body_def;

// No mesh, no section; gravity (0, 0, -9.81), no damping, one thread.
CLV_API clv_body_def clv_default_body_def(void);
// NULL on failure; error (may be NULL) says what is wrong and what to do. report may be NULL.
CLV_API clv_body *clv_body_create(const clv_body_def *def, clv_build_report *report, clv_error *error);
CLV_API void clv_body_destroy(clv_body *body);
// The sentence that goes with the last result that was not CLV_OK.
CLV_API const char *clv_body_error(const clv_body *body);

CLV_API clv_map *clv_body_map(const clv_body *body);
CLV_API clv_views *clv_body_views(const clv_body *body);

// State, by slot. Positions and velocities may be written.
CLV_API uint32_t clv_body_slots(const clv_body *body);
CLV_API double *clv_body_positions(clv_body *body);
CLV_API double *clv_body_velocities(clv_body *body);
CLV_API const double *clv_body_rest(const clv_body *body);
// One number a slot: what moves with it. A vertex that hangs weighs nothing: its parents bear its mass.
CLV_API const double *clv_body_masses(const clv_body *body);

// Vertices that hang: those that a finer neighbour put into an edge or a quadrangle of a coarser cell, whose corners
// they are not. They stay in the middle of their parents, whatever the method: how many parents the k-th has, 2 or 4,
// with its slot and theirs; 0 past the last. Parents may hang, too; they come before their children. Where a crack ends
// in the middle of a coarse edge, its ends cannot come apart before the middle does: all copies but one have that one
// for their only parent.
CLV_API uint32_t clv_body_hanging(const clv_body *body, uint32_t k, uint32_t *slot, uint32_t parents[4]);

// Parameters of the body as a whole.
CLV_API void clv_body_set_gravity(clv_body *body, const double gravity[3]);
CLV_API void clv_body_get_gravity(const clv_body *body, double gravity[3]);
CLV_API void clv_body_set_damping(clv_body *body, double drag, double rayleigh_mass, double rayleigh_stiffness);

// Constraints. They lie on the map as columns, so that both halves of a parted vertex keep them.

enum { CLV_X = 1, CLV_Y = 2, CLV_Z = 4, CLV_XYZ = 7 };

// A value over time: linear between keys, constant before the first and behind the last. Times increase.
typedef struct clv_key {
  double time;
  double value[3];
} clv_key;

// Holds particles along the chosen axes where they are now; lets them go again. *count (may be NULL): how many there
// are in the zone; none is a refusal.
CLV_API clv_result clv_body_fix(clv_body *body, const clv_zone *zone, unsigned axes, uint32_t *count);
CLV_API clv_result clv_body_release(clv_body *body, const clv_zone *zone, unsigned axes, uint32_t *count);
// Moves particles along the chosen axes: from where they are now, by the path's value in metres.
CLV_API clv_result clv_body_move(clv_body *body, const clv_zone *zone, unsigned axes, const clv_key *path,
                                 uint32_t key_count, uint32_t *count);
// Pulls at a zone: the path's value is the whole force in newtons, which its particles share in equal parts.
CLV_API clv_result clv_body_pull(clv_body *body, const clv_zone *zone, const clv_key *path, uint32_t key_count,
                                 uint32_t *count);

// Axes along which a particle is not free: bits CLV_X, CLV_Y, CLV_Z, by slot.
CLV_API const uint32_t *clv_body_held(const clv_body *body);
// Puts moved particles where their paths are at a time, with the velocities that their paths have; and what hangs where
// its parents are.
CLV_API void clv_body_place(clv_body *body, double time);

// Forces at the positions and velocities that the body has, at a time; held particles get theirs, too: minus what holds
// them. Not inside a transaction.
CLV_API clv_result clv_body_force(clv_body *body, double time, double *out);
// out = (df/dx) dpos + (df/dv) dvel, Rayleigh's and ambient damping included. Either direction may be NULL.
CLV_API clv_result clv_body_force_along(clv_body *body, const double *dpos, const double *dvel, double *out);

// Measures

typedef struct clv_energies {
  double kinetic;
  double elastic;       // of all laws that have an energy
  double gravitational; // of the particles, zero at height zero
} clv_energies;
CLV_API clv_result clv_body_energies(clv_body *body, clv_energies *energies);

typedef struct clv_momenta {
  double mass, centre[3], linear[3], angular[3]; // angular: about the origin
} clv_momenta;
CLV_API void clv_body_momenta(const clv_body *body, clv_momenta *momenta);

// What happens inside one cell, at its centre.
typedef struct clv_cell_state {
  double strain[6];  // Green's strain: xx yy zz xy yz zx
  double stress[6];  // Cauchy's, by the cell's model and material: xx yy zz xy yz zx
  double von_mises;  // Pa
  double energy;     // J/m^3: density of elastic energy, by the same
  double stretch[2]; // least and greatest principal stretch
} clv_cell_state;
// For template cells; a polygon or polyhedron has zeros. Springs and cloth are measured as the solid they stand for.
CLV_API void clv_body_cell_state(const clv_body *body, clv_dart cell, clv_cell_state *state);

CLV_END_DECLS

#endif
