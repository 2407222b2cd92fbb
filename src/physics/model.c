#include "physics/model.h"

#include <string.h>

enum {
  SURFACES = PHYSICS_KIND(CLV_TRI) | PHYSICS_KIND(CLV_QUAD),
  TET = PHYSICS_KIND(CLV_TET),
  HEX = PHYSICS_KIND(CLV_HEX),
  SOLIDS = PHYSICS_KIND(CLV_PYRAMID) | PHYSICS_KIND(CLV_PRISM) | HEX, // with more than one point
  VOLUMES = TET | SOLIDS,
  CELLS = SURFACES | VOLUMES,
};

// Springs of a cell: its edges, and the diagonals that keep its quadrangles and its inside from shearing.
#define SPRINGS                                                                                                        \
  {"stretch", CELLS, PHYSICS_INVISCID}, {"damped_stretch", CELLS, PHYSICS_VISCOUS},                                    \
      {"shear", PHYSICS_KIND(CLV_QUAD), PHYSICS_ALWAYS}, {"diagonals", HEX, PHYSICS_INVISCID},                         \
      {"damped_diagonals", HEX, PHYSICS_VISCOUS}, {"prism_diagonals", PHYSICS_KIND(CLV_PRISM), PHYSICS_ALWAYS}, {      \
    "pyramid_diagonals", PHYSICS_KIND(CLV_PYRAMID), PHYSICS_ALWAYS                                                     \
  }

static const physics_model models[] = {
    {.name = "springs",
     .what = "springs along edges and diagonals, with the stiffness of a solid of Poisson ratio 1/4 (surfaces: 1/3)",
     .module = "springs",
     .kinds = CELLS,
     .springs = true,
     .laws = {SPRINGS}},
    {.name = "springs-hybrid",
     .what = "springs and an energy of each cell's volume: any Poisson ratio",
     .module = "springs",
     .kinds = CELLS,
     .springs = true,
     .volume = true,
     .laws = {SPRINGS, {"volume", CELLS, PHYSICS_ALWAYS}}},
    {.name = "fem-linear",
     .what = "finite elements, small displacements",
     .module = "fem",
     .kinds = CELLS,
     .stress = PHYSICS_LINEAR,
     .laws = {{"linear", CELLS, PHYSICS_ALWAYS}}},
    {.name = "fem-corotational",
     .what = "finite elements in a frame that turns with each cell (polar decomposition)",
     .module = "fem",
     .kinds = CELLS,
     .laws = {{"corotational", SURFACES, PHYSICS_ALWAYS},
              {"corotational_tet", TET, PHYSICS_ALWAYS},
              {"corotational_cell", SOLIDS, PHYSICS_ALWAYS}}},
    {.name = "fem-corotational-qr",
     .what = "the same with the frame of a QR decomposition, which is cheaper",
     .module = "fem",
     .kinds = CELLS,
     .laws = {{"corotational_qr", SURFACES, PHYSICS_ALWAYS},
              {"corotational_qr_tet", TET, PHYSICS_ALWAYS},
              {"corotational_qr_cell", SOLIDS, PHYSICS_ALWAYS}}},
    {.name = "mass-tensor",
     .what = "linear finite elements kept as blocks on vertices and edges; tetrahedra only",
     .module = "fem",
     .kinds = TET,
     .tensor = true,
     .stress = PHYSICS_LINEAR,
     .laws = {{"mass_tensor_edge", TET, PHYSICS_ALWAYS}, {"mass_tensor_vertex", TET, PHYSICS_ALWAYS}}},
    {.name = "stvk",
     .what = "St Venant and Kirchhoff: Hooke's law of Green's strain, with the 2003 damping (phi, psi)",
     .module = "fem",
     .kinds = CELLS,
     .stress = PHYSICS_STVK,
     .laws = {{"stvk", CELLS, PHYSICS_ALWAYS}, {"strain_rate", CELLS, PHYSICS_DAMPED}}},
    {.name = "neo-hookean",
     .what = "stable neo-Hookean solid; volumes only",
     .module = "fem",
     .kinds = VOLUMES,
     .stress = PHYSICS_NEOHOOKE,
     .laws = {{"neohooke", VOLUMES, PHYSICS_ALWAYS}}},
    {.name = "cloth",
     .what = "springs that stretch and shear, and hinges that bend; surfaces only",
     .module = "springs",
     .kinds = SURFACES,
     .springs = true,
     .bending = true,
     .laws = {SPRINGS, {"hinge", SURFACES, PHYSICS_ALWAYS}}},
    {.name = "rules", .what = "the forces of the user's own rule files", .kinds = CELLS},
};

enum { MODELS = sizeof models / sizeof *models };

const char *clv_model_list(uint32_t i, const char **what) {
  if (i >= MODELS) return NULL;
  if (what) *what = models[i].what;
  return models[i].name;
}

const physics_model *physics_model_find(const char *name) {
  for (uint32_t k = 0; name && k < MODELS; k++)
    if (!strcmp(models[k].name, name)) return &models[k];
  return NULL;
}

// How many letters must be put in, left out or changed to get from one word to another.
static uint32_t distance(const char *a, const char *b) {
  enum { LONGEST = 31 };
  uint32_t row[LONGEST + 1];
  const size_t n = strlen(a), m = strlen(b);
  if (n > LONGEST || m > LONGEST) return LONGEST;
  for (uint32_t k = 0; k <= m; k++) row[k] = k;
  for (uint32_t i = 1; i <= n; i++) {
    uint32_t corner = row[0];
    row[0] = i;
    for (uint32_t k = 1; k <= m; k++) {
      const uint32_t above = row[k], changed = corner + (a[i - 1] != b[k - 1]);
      const uint32_t put = (above < row[k - 1] ? above : row[k - 1]) + 1;
      row[k] = changed < put ? changed : put;
      corner = above;
    }
  }
  return row[m];
}

const char *physics_model_nearest(const char *name) {
  const char *nearest = models[0].name;
  for (uint32_t k = 1; k < MODELS; k++)
    if (distance(name, models[k].name) < distance(name, nearest)) nearest = models[k].name;
  return nearest;
}

const char *physics_model_serves(const physics_model *model) {
  return model->kinds == PHYSICS_KIND(CLV_TET)  ? "tetrahedra"
         : model->kinds & PHYSICS_KIND(CLV_TRI) ? "surfaces"
                                                : "volumes";
}

bool physics_law_wanted(const physics_law *law, const clv_material *material) {
  switch (law->wish) {
  case PHYSICS_VISCOUS:
    return material->viscosity > 0;
  case PHYSICS_INVISCID:
    return material->viscosity == 0;
  case PHYSICS_DAMPED:
    return material->phi != 0 || material->psi != 0;
  case PHYSICS_ALWAYS:
    break;
  }
  return true;
}
