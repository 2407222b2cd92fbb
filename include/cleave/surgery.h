// Surgery: cutting, piercing, tearing, removing, refining and coarsening a body while it moves.
//
// An operation is a transaction on the body's map: it selects (facets, cells), changes the topology, and commits; the
// map's journal does the rest: columns follow their policies, views, masses, constraints and solvers follow the
// journal. So nothing here keeps a copy of the body, and nothing here is told to anybody twice. What fails, fails with
// a sentence, and the body is as it was before the transaction.
//
// Four operations are several transactions in a row: refining and coarsening to a level, and adapting, go level by
// level; a slice refines, moves, splits, cuts, and lets what was split give way in the end. Where one of these fails,
// those before it stand: the body is the same in other cells. The report then tells what stands, and so does the
// sentence.
//
// What an operation selects is said in two ways. Zones (physics.h) speak of the body at rest, as everywhere: the same
// cells whatever the body does meanwhile. Blades and surfaces are things in space: they meet the body where it is now.
//
// To cut is to unsew facets: no cell is lost, none is made, mass and stiffness stay. A facet is cut as a whole, at the
// level of the coarser of its two cells. To refine is to halve: a cell of level k becomes cells of level k + 1, and
// vertices that coarser neighbours do not know hang between their parents (physics.h). To slice is to make room for a
// cut first: cells along the blade are refined, vertices near it are moved onto it or cells are split along it, and
// then facets are unsewn. Neither moving nor splitting pushes quality (clv_element_quality, at rest) below a bound:
// what would do so is left out, and counted.
//
// A surgery belongs to one body and remembers nothing but room to work in; a scalpel is a tool with a memory of its
// own, and a track is that of a blade.

#ifndef CLEAVE_SURGERY_H
#define CLEAVE_SURGERY_H

#include "cleave/physics.h"

CLV_BEGIN_DECLS

typedef struct clv_surgery clv_surgery;

// The body outlives it. NULL on failure; error (may be NULL) says why.
CLV_API clv_surgery *clv_surgery_create(clv_body *body, clv_error *error);
CLV_API void clv_surgery_destroy(clv_surgery *surgery);
CLV_API clv_body *clv_surgery_body(const clv_surgery *surgery);
// The sentence that goes with the last result that was not CLV_OK.
CLV_API const char *clv_surgery_error(const clv_surgery *surgery);

// What an operation did. Nothing at all is no failure: a knife beside the body cuts air.
typedef struct clv_surgery_report {
  uint32_t facets;    // unsewn
  uint32_t vertices;  // that came by splitting one
  uint32_t removed;   // cells
  uint32_t refined;   // cells, parents counted
  uint32_t coarsened; // cells, parents counted
  uint32_t split;     // cells cut in pieces along a plane
  uint32_t moved;     // vertices moved onto a blade
  uint32_t refused;   // places left as they were: for the bound on quality, or of a kind not to be refined or split
  uint32_t stuck;     // vertices that should move onto a blade and cannot, whatever the bound
  uint32_t applied;   // times that a rule was applied
  uint32_t made;      // cells that are parts of no other
  double gained;      // mass (kg) by rules: of cells that they made or removed, or gave another shape at rest
  double strained;    // elastic energy (J) by splitting cells that are no simplices, where vertices could not give way
                      // for all of it: mostly none. Not a number where memory was out before it was known
} clv_surgery_report;

// Cutting

// A blade: the segment between two points of a cutting edge, here before and there after it moved. What it swept is
// cut.
typedef struct clv_blade {
  double before[2][3], after[2][3];
} clv_blade;

// How vertices moved while a tool did: what cuts is the way of the tool through the matter, not through space.
typedef struct clv_motion {
  const double *from; // where vertices were, three numbers a slot; NULL: they rest
  double left[2];     // of their way from there to here, the part that was before them when the tool began, and when it
                      // ended: 1 and 0 when it took as long
} clv_motion;

// What a blade has decided in its strokes so far: which vertices and cells lie on which side of its way. Strokes that
// share a track add up to what one does, whatever the body does meanwhile; a stroke without one knows of no other. A
// blade that turns aside by more than 60 degrees begins anew.
typedef struct clv_track clv_track;

// The surgery outlives it. `number` tells apart those that are in use at once: their columns are named after it. NULL
// on failure. Not inside a transaction.
CLV_API clv_track *clv_track_create(clv_surgery *surgery, uint32_t number, clv_error *error);
CLV_API void clv_track_destroy(clv_track *track);
// What must be kept, beside the body, to go on later with the same bits: `count` doubles that may be written with as
// many.
CLV_API void clv_track_memory(clv_track *track, double **values, size_t *count);

typedef enum clv_cut_kind {
  CLV_CUT_FACETS,    // those of a list of darts
  CLV_CUT_PARTICLES, // those whose corners are all in a list of vertices
  CLV_CUT_ZONE, // those whose corners are all in a zone; for a plane: those between cells with centres on either side
  CLV_CUT_SURFACE, // those between cells whose centres are parted by a triangulated surface
  CLV_CUT_BLADE,   // those between cells whose centres are parted by what a blade swept
} clv_cut_kind;

typedef struct clv_cut {
  clv_cut_kind kind;
  const clv_dart *facets;
  const clv_id *particles;
  uint32_t count; // of facets, of particles
  clv_zone zone;
  const clv_mesh *surface; // its triangles; quadrangles are taken as two
  clv_blade blade;
  clv_motion motion; // while the blade went
} clv_cut;

// What is wrong with a surface that is to cut: NULL when nothing is.
CLV_API const char *clv_surface_wrong(const clv_mesh *surface);

// Unsews the facets. report may be NULL, here and below.
CLV_API clv_result clv_surgery_cut(clv_surgery *surgery, const clv_cut *cut, clv_surgery_report *report);
// Those that it would unsew, one dart each; they live until the next call.
CLV_API clv_result clv_surgery_select(clv_surgery *surgery, const clv_cut *cut, const clv_dart **facets,
                                      uint32_t *count);

// Removing

// The cells whose centres the zone holds. The last cell may go, too: an empty body is a body.
CLV_API clv_result clv_surgery_remove(clv_surgery *surgery, const clv_zone *zone, clv_surgery_report *report);
// The cells of a list of darts.
CLV_API clv_result clv_surgery_remove_cells(clv_surgery *surgery, const clv_dart *cells, uint32_t count,
                                            clv_surgery_report *report);
// The cells that a box, a sphere or a capsule in space touches, where the body is now: their facets are unsewn, and
// they are removed.
CLV_API clv_result clv_surgery_pierce(clv_surgery *surgery, const clv_zone *shape, clv_surgery_report *report);
// The same for all that the shape touches on its way while it is displaced, straight on, from one vector to another.
CLV_API clv_result clv_surgery_pierce_along(clv_surgery *surgery, const clv_zone *shape, const double from[3],
                                            const double to[3], clv_surgery_report *report);
// The same through a body that moves meanwhile.
CLV_API clv_result clv_surgery_pierce_moving(clv_surgery *surgery, const clv_zone *shape, const double from[3],
                                             const double to[3], const clv_motion *motion, clv_surgery_report *report);

// Rules

// A rule of topology, or a script, with one hook.
typedef struct clv_apply {
  const clv_rule *rule; // its program lives as long as this is in use
  clv_orbit on;         // what it is applied to; 0: orbits such as its hook's. A script has to be told
  uint32_t level;       // for parameters that are no darts
  clv_zone zone;        // of cells: orbits that meet one of them
  uint32_t rounds;      // as often it goes over its places, while it matches at one of them; 0 is once
  uint32_t most;        // times, at places where its rank is greatest; 0: all. For rules that have one
  bool masked;          // only orbits whose vertices are all in `mask`, at rest
  clv_zone mask;
  bool touching;     // only cells of the zone that a shape in space touches, where the body is now
  clv_zone shape;    // a box, a sphere or a capsule,
  double way[2][3];  // displaced, straight on, from one vector to another: what it touches on its way counts
  clv_motion motion; // of the body meanwhile
} clv_apply;

// Everywhere, all places, no mask, no shape; the rule is to be set.
CLV_API clv_apply clv_default_apply(void);
// What is wrong with one: NULL when nothing is.
CLV_API const char *clv_apply_wrong(const clv_apply *apply);
// Applies a rule once to each orbit that there is now, where it matches: a place that refuses it, or is gone by then,
// is left out; with `rounds` it is asked again, since what was done elsewhere may have made it ready. When all did,
// clv_surgery_error says what the first had to say. A rule that has a rank goes over those places where it matches
// before it begins (in each round), the greatest rank first; of equals, the one that lies first along a direction that
// is always the same, at rest. A rule that speaks of levels of refinement is given each orbit by a
// dart at its coarsest vertex. What a rule does to families of cells, it does as clv_surgery_coarsen would: momentum is
// kept. A facet that it parts is parted as a whole. One that speaks of what cells bear, as the module `surgery`
// declares it (`strain`, `strain_shear`, `stress`, `stress_shear`, `von_mises`, `greatest_stretch`), is told
// clv_body_cell_state as it is when the rule begins; likewise one that speaks of the `tension` of springs on edges, and
// of where it is applied: `in_zone` is 1 for cells of the zone (that the shape touches), `in_mask` for vertices of the
// mask. A rule that speaks of one of these is applied everywhere as far as that one goes, and chooses by itself. Cells
// that it makes beside others have what those bear. CLV_ERROR_REFUSED, and nothing is done, where all places together
// would leave a cell that its section's model has no laws for, a polyhedron for one.
CLV_API clv_result clv_surgery_apply(clv_surgery *surgery, const clv_apply *apply, clv_surgery_report *report);
// Makes a body ready for a rule: it gets the columns that the rule speaks of and it has not, with the values that their
// declarations say. CLV_ERROR_ARGUMENT where a body cannot have one. clv_surgery_apply does this itself; do it when a
// body is made where it is to be saved and loaded later.
CLV_API clv_result clv_surgery_prepare(clv_surgery *surgery, const clv_apply *apply);

// Tearing

typedef enum clv_tear_kind {
  CLV_TEAR_STRESS, // Pa: Cauchy's stress across a facet, n . sigma n, the greater of its two cells'
  CLV_TEAR_STRAIN, // the greatest principal stretch of a cell, less 1; the facet that it is stretched across most parts
  CLV_TEAR_FORCE,  // N: the tension of a spring on an edge; of the facets at its ends, the one most across it parts
  CLV_TEAR_KIND_COUNT
} clv_tear_kind;

// "stress", "strain", "force". Back: -1 for an unknown word.
CLV_API const char *clv_tear_name(clv_tear_kind kind);
CLV_API int clv_tear_from_name(const char *name);

// Facets give way at a threshold, the worst first.
typedef struct clv_tear {
  clv_tear_kind kind;
  double threshold;
  clv_zone zone; // cells that can tear: both of a facet must be there
  bool masked;   // only facets whose corners are all in `mask` tear
  clv_zone mask;
  uint32_t most; // facets a call; 0: all that have reached it
} clv_tear;

// By stress, everywhere, no mask, all that have reached it; the threshold is to be set.
CLV_API clv_tear clv_default_tear(void);
// What is wrong with one: NULL when nothing is.
CLV_API const char *clv_tear_wrong(const clv_tear *tear);
CLV_API clv_result clv_surgery_tear(clv_surgery *surgery, const clv_tear *tear, clv_surgery_report *report);

// Cutting through cells
//
// A plane, or what a blade swept if that is plane, cuts where the body is now. First cells that it crosses are refined
// to a level, and with them all cells about the vertices that are to move; then vertices near it are moved onto it;
// then, if that is wanted, simplices that it still crosses are split along it; and in the end the facets between what
// is above and what is below are unsewn. Refining is a transaction a level, and each of the others is one; all but the
// last change the mesh only: mass, momentum and what the body does stay. Vertices move in cells of every kind and with
// every model, but for those that hang and those that others hang by. Hexahedra, prisms, pyramids and quadrangles,
// cells in which vertices hang, and models of springs and hinges are not split: the cut goes round them by facets, and
// they count as refused.

typedef struct clv_slice {
  clv_blade blade; // what it swept
  clv_motion motion;
  clv_track *track; // of the blade; NULL: this is its only stroke
  bool whole;       // a plane through the whole body instead
  double point[3], normal[3];
  uint32_t level; // to which cells are refined that the blade crosses, or a vertex moves in; 0: not at all
  double snap;    // vertices nearer to the blade than this part of their shortest edge are moved onto it; 0.3
  double quality; // no cell is made worse than this by moving and splitting; 0.1
  bool exact;     // cells that are still crossed are split along the plane; false: the cut goes round them by facets
} clv_slice;

// Nothing is swept, level 0, not exact.
CLV_API clv_slice clv_default_slice(void);
// What is wrong with one: NULL when nothing is.
CLV_API const char *clv_slice_wrong(const clv_slice *slice);
CLV_API clv_result clv_surgery_slice(clv_surgery *surgery, const clv_slice *slice, clv_surgery_report *report);

// The scalpel of 2003: a point that touches, presses, and cuts where the tissue yields.
//
// The point touches the nearest place of the surface that is within its radius, and presses on it along the surface's
// normal. When the corner of the surface nearest to that place is another than before (v1, before v0), and the point is
// near enough to it, a cut is tried: the stress under the point, divided by the sharpness, must reach the toughness.
// Then the cells about v1 are parted by the plane through v0 and v1 along the surface's normal, each going where its
// furthest corner lies, and v0 and v1 move to where the point touched the tissue. docs/surgery.md has the formulas.

typedef struct clv_scalpel_def {
  double radius;    // m: how far from the surface the point still touches; above 0
  double stiffness; // N/m: of the contact; 100
  double attempt;   // alpha: the point must be within alpha |v1 - v0| of v1; 0.4
  double sharpness; // kappa; 0.0004
  double damage;    // zeta, in [0.1, 1]: a constant, nothing in the body changes it; 1
  double toughness; // K_I, Pa; 1e6
} clv_scalpel_def;

// The radius is to be set.
CLV_API clv_scalpel_def clv_default_scalpel_def(void);
// What is wrong with one: NULL when nothing is.
CLV_API const char *clv_scalpel_wrong(const clv_scalpel_def *def);

typedef struct clv_scalpel clv_scalpel;

// The surgery outlives it. NULL on failure. Not inside a transaction.
CLV_API clv_scalpel *clv_scalpel_create(clv_surgery *surgery, const clv_scalpel_def *def, clv_error *error);
CLV_API void clv_scalpel_destroy(clv_scalpel *scalpel);

typedef struct clv_scalpel_report {
  bool touching;
  bool attempt;    // a cut was tried ...
  bool cut;        // ... and the tissue gave way
  double stress;   // sigma_c of the attempt, Pa
  double force[3]; // on the tool, N
  clv_surgery_report did;
} clv_scalpel_report;

// The point is at `tip` now. Presses on the tissue until the next call, tries, and cuts. report may be NULL.
CLV_API clv_result clv_scalpel_move(clv_scalpel *scalpel, const double tip[3], clv_scalpel_report *report);
// The point goes from here to there, and touches often enough on its way to come near every vertex on it: one call does
// what many short ones do. Each touch that cuts is one transaction. Of the report, `touching` and `force` are as they
// are at the end, `stress` is the greatest, and all else adds up.
CLV_API clv_result clv_scalpel_move_along(clv_scalpel *scalpel, const double from[3], const double to[3],
                                          clv_scalpel_report *report);
// Takes it off the tissue.
CLV_API void clv_scalpel_lift(clv_scalpel *scalpel);
// What must be kept, beside the body, to go on later with the same bits: `count` doubles that may be written with as
// many.
CLV_API void clv_scalpel_memory(clv_scalpel *scalpel, double **values, size_t *count);

// Refining and coarsening

// Refines the cells of a list, once; a cell of `level` or finer stays as it is. Tetrahedra, hexahedra, triangles and
// quadrangles; with others in it, the list is refused.
CLV_API clv_result clv_surgery_refine_cells(clv_surgery *surgery, const clv_dart *cells, uint32_t count, uint32_t level,
                                            clv_surgery_report *report);
// Until every cell of the zone has the level: level by level, a transaction each. Cells of other kinds stay as they
// are, and are counted as refused.
CLV_API clv_result clv_surgery_refine(clv_surgery *surgery, const clv_zone *zone, uint32_t level,
                                      clv_surgery_report *report);
// Puts families together again whose cells all lie in the zone, down to `level`; where something was cut or removed, or
// a finer neighbour needs what would go, they stay. Momentum of vertices that vanish goes to their parents. Level by
// level, a transaction each.
CLV_API clv_result clv_surgery_coarsen(clv_surgery *surgery, const clv_zone *zone, uint32_t level,
                                       clv_surgery_report *report);
// The level of a cell: that of its finest corner.
CLV_API uint32_t clv_surgery_level(const clv_surgery *surgery, clv_dart cell);

typedef enum clv_adapt_kind {
  CLV_ADAPT_NEAR,     // fine where the distance of a cell's centre from a point, now, is below the bound (m)
  CLV_ADAPT_STRESS,   // fine where von Mises' stress is above the bound (Pa)
  CLV_ADAPT_GRADIENT, // fine where strain differs from that of a neighbour, per metre, by more than the bound (1/m)
  CLV_ADAPT_ZONE,     // fine in the zone
  CLV_ADAPT_NONE,     // fine nowhere: what adapting has refined is put together again
  CLV_ADAPT_KIND_COUNT
} clv_adapt_kind;

// "near", "stress", "gradient", "zone", "none". Back: -1 for an unknown word.
CLV_API const char *clv_adapt_name(clv_adapt_kind kind);
CLV_API int clv_adapt_from_name(const char *name);

// Keeps a body fine where a criterion says so, and coarse again where it no longer does.
typedef struct clv_adapt {
  clv_adapt_kind kind;
  double bound;
  double slack;    // coarse again only beyond bound * (1 + slack) (near) or below bound / (1 + slack); 0.2
  double point[3]; // near
  clv_zone zone;   // where it may refine at all; for CLV_ADAPT_ZONE: where it does
  uint32_t level;  // the finest it goes to; 1
  bool coarsen;    // true
  uint32_t most;   // cells refined a call; 0: all
} clv_adapt;

// Near the origin, everywhere, level 1, coarse again; the bound is to be set.
CLV_API clv_adapt clv_default_adapt(void);
// What is wrong with one: NULL when nothing is.
CLV_API const char *clv_adapt_wrong(const clv_adapt *adapt);
CLV_API clv_result clv_surgery_adapt(clv_surgery *surgery, const clv_adapt *adapt, clv_surgery_report *report);

CLV_END_DECLS

#endif
