// Rows of laws on real maps, and an oracle for what they give.
//
// A body is a small grid of one of the kinds, built as a map, with random places for its vertices at rest and moved. A
// row of a law stands on a dart of it: its paths are walked by the map's own links, what it reads belongs to the orbit
// that the column lives on, and its quadrature is that of its cell. So nothing here knows how a law was elaborated.
//
// The oracle evaluates a law's graph node by node, without hoisting or tapes. It can keep what is under `hold` at the
// values that it had at another state: then differences see what derivatives see.

#ifndef CLEAVE_TEST_SUPPORT_LAW_ROWS_H
#define CLEAVE_TEST_SUPPORT_LAW_ROWS_H

#include "cleave/mesh.h"
#include "rule/kernel.h"
#include "support/random.h"

enum { LAW_ROW_PARAMS = 128, LAW_ROW_READS = 128 };

typedef struct law_body {
  clv_map *map;
  uint32_t slots; // of vertices
  double (*rest)[3], (*pos)[3], (*vel)[3];
  double params[LAW_ROW_PARAMS];
  bool uniform; // columns have one value everywhere
} law_body;

// A number between two others.
// A rotation, row by row, by a random angle about a random axis.
void law_random_rotation(random_source *source, double rotation[9]);

// A grid with `cells` of them along each axis. Its vertices rest off their places; a surface is bent, unless `flat`,
// and lies askew. They are moved by a random affine map, and a little on their own.
void law_body_make(law_body *body, clv_grid_kind kind, uint32_t cells, bool flat, uint64_t seed);
void law_body_free(law_body *body);
// The same map elsewhere: positions are turned and shifted, velocities turned, and what is at rest too if asked for.
void law_body_copy(law_body *copy, const law_body *body);
void law_body_free_copy(law_body *copy);
void law_body_turn(law_body *body, const double rotation[9], const double shift[3], bool rest);

typedef struct law_state {
  double pos[KERNEL_AXES], vel[KERNEL_AXES], dpos[KERNEL_AXES], dvel[KERNEL_AXES];
} law_state;

typedef struct law_row {
  const law *law;
  clv_dart base;
  uint32_t vertex[LAW_PARTICLES]; // slots
  double rest[KERNEL_AXES];
  law_state state; // directions are random
  double params[LAW_ROW_PARAMS], reads[LAW_ROW_READS], quad[LAW_QUADRATURE][LAW_QUAD_DATA];
} law_row;

// The row that stands on a dart; false when none can.
bool law_row_make(const law_body *body, const law *l, clv_dart base, law_row *row);
// The darts that a row may stand on instead of its own: `darts` has room for CLV_WALK_INLINE. Returns their number.
uint32_t law_row_bases(const law_body *body, const law_row *row, clv_dart *darts);

// A kernel on rows, each with vertices of its own: energy one number a row, forces 3 a particle, matrices n * n.
void law_rows_run(const kernel *k, kernel_kind kind, const law_row *const *rows, const law_state *const *states,
                  uint32_t count, double *results);
// The same on one row in several states, and in its own.
void law_row_run(const kernel *k, kernel_kind kind, const law_row *row, const law_state *states, uint32_t count,
                 double *results);
void law_row_get(const kernel *k, kernel_kind kind, const law_row *row, double *results);

// Some roots of the oracle's graph, and the nodes they need in order.
typedef struct law_plan {
  dag_ref roots[KERNEL_AXES + 2], *nodes;
  uint32_t root_count, node_count;
} law_plan;

typedef struct law_oracle {
  const law *law;
  dag graph;       // the law's, with its gradients and its holds
  law_plan values; // energy, dissipation, pushed forces
  law_plan forces; // what is pushed, less the slopes
  double *scratch, *held;
} law_oracle;

void law_oracle_make(law_oracle *oracle, const law *l);
void law_oracle_free(law_oracle *oracle);
// The roots of a plan, summed over points. `freeze` keeps what is under hold for the next calls that are `frozen`.
typedef enum law_holding { LAW_FREEZE, LAW_FROZEN } law_holding;
void law_oracle_run(law_oracle *oracle, const law_plan *plan, const law_row *row, const law_state *state,
                    law_holding holding, double *results);

#endif
