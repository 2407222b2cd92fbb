// The cuts: constant ones as tables, and the mixed grid's, which a cell negotiates with its neighbours.
//
// All diagonals but those of the five-tetrahedra cut run from a face's lowest corner to its highest, as in Kuhn's cut;
// the face looks the same from both sides, so whole cuts of this family fit each other wherever they agree which faces
// are cut.
//
// The mixed grid rests on that. By its position, each cube wishes to be a hexahedron, two prisms or six tetrahedra, and
// a wish is the set of faces it cuts. A face is cut if either of its cubes wishes it. A cube whose faces turn out as it
// wished is built so; any other becomes a star: a pyramid on each whole face and two tetrahedra on each cut one, all
// meeting in its centre. A star suits every set of cut faces, so the grid conforms whatever the wishes are.

#include "mesh/grid_cut.h"

// clang-format off
static const mesh_cut cut_quad = {1, false, {{CLV_QUAD, {0, 1, 3, 2}}}};

static const mesh_cut cut_tri = {2, false, {{CLV_TRI, {0, 1, 3}}, {CLV_TRI, {0, 3, 2}}}};

static const mesh_cut cut_hex = {1, false, {{CLV_HEX, {0, 1, 3, 2, 4, 5, 7, 6}}}};

static const mesh_cut cut_prism = {2, false, {{CLV_PRISM, {0, 1, 3, 4, 5, 7}}, {CLV_PRISM, {0, 3, 2, 4, 7, 6}}}};

// A tetrahedron on every second corner and one at each corner left over; the odd cut is the mirror image of the even
// one.
static const mesh_cut cut_tet5_even = {5, false, {
    {CLV_TET, {0, 5, 3, 6}},
    {CLV_TET, {1, 3, 0, 5}}, {CLV_TET, {2, 0, 3, 6}}, {CLV_TET, {4, 6, 5, 0}}, {CLV_TET, {7, 3, 5, 6}},
}};
static const mesh_cut cut_tet5_odd = {5, false, {
    {CLV_TET, {1, 2, 4, 7}},
    {CLV_TET, {0, 1, 2, 4}}, {CLV_TET, {3, 2, 1, 7}}, {CLV_TET, {5, 4, 7, 1}}, {CLV_TET, {6, 4, 2, 7}},
}};

// Kuhn: one tetrahedron for each way from corner 0 to corner 7 along the axes.
static const mesh_cut cut_tet6 = {6, false, {
    {CLV_TET, {0, 1, 3, 7}}, {CLV_TET, {0, 2, 6, 7}}, {CLV_TET, {0, 4, 5, 7}},
    {CLV_TET, {0, 3, 2, 7}}, {CLV_TET, {0, 6, 4, 7}}, {CLV_TET, {0, 5, 1, 7}},
}};
// clang-format on

// The faces of a cube, low and high along x, y, z, so that face ^ 1 is the same face seen from the neighbour. Each
// turns counterclockwise seen from the centre, from its lowest corner; the third is the highest, where the diagonal
// ends.
static const uint8_t cut_faces[6][4] = {
    {0, 2, 6, 4}, {1, 5, 7, 3}, {0, 4, 5, 1}, {2, 3, 7, 6}, {0, 1, 3, 2}, {4, 6, 7, 5},
};

// Sets of cut faces, one bit for each: what the wishes of the mixed grid cut.
enum { CUT_NO_FACE = 0x00, CUT_Z_FACES = 0x30, CUT_ALL_FACES = 0x3f };

static void cut_star_add(mesh_cut *star, clv_kind kind, uint8_t a, uint8_t b, uint8_t c, uint8_t d, uint8_t apex) {
  star->pieces[star->piece_count++] = (mesh_cut_piece){kind, {a, b, c, d, apex}};
}

static const mesh_cut *cut_star(unsigned cut_face_set, mesh_cut *star) {
  star->piece_count = 0;
  star->centred = true;
  for (int face = 0; face < 6; face++) {
    const uint8_t *f = cut_faces[face];
    if (cut_face_set >> face & 1) {
      cut_star_add(star, CLV_TET, f[0], f[1], f[2], MESH_CUT_CENTRE, 0);
      cut_star_add(star, CLV_TET, f[0], f[2], f[3], MESH_CUT_CENTRE, 0);
    } else {
      cut_star_add(star, CLV_PYRAMID, f[0], f[1], f[2], f[3], MESH_CUT_CENTRE);
    }
  }
  return star;
}

// Four cubes along x make every kind appear: a hexahedron, prisms, one that gives way to its neighbours, tetrahedra.
// Such rows alternate with rows that give way, and are shifted by one from each to the next, so that eight cubes do,
// too.
static unsigned cut_wish(const uint32_t cell[3]) {
  static const unsigned wishes[4] = {CUT_NO_FACE, CUT_Z_FACES, CUT_NO_FACE, CUT_ALL_FACES};
  const uint32_t shift = cell[1] % 2 ? 3 : 0;
  return (cell[1] ^ cell[2]) % 2 ? CUT_NO_FACE : wishes[(cell[0] + shift) % 4];
}

// The faces of a cube that it or the neighbour across wishes cut.
static unsigned cut_agreed_faces(const uint32_t cells[3], const uint32_t cell[3]) {
  unsigned agreed = cut_wish(cell);
  for (int face = 0; face < 6; face++) {
    int axis = face / 2;
    bool high = face % 2;
    if (cell[axis] == (high ? cells[axis] - 1 : 0)) continue;
    uint32_t neighbour[3] = {cell[0], cell[1], cell[2]};
    neighbour[axis] += high ? 1 : UINT32_MAX; // unsigned: adding the maximum subtracts one
    agreed |= (cut_wish(neighbour) >> (face ^ 1) & 1) << face;
  }
  return agreed;
}

static const mesh_cut *cut_mixed(const uint32_t cells[3], const uint32_t cell[3], mesh_cut *scratch) {
  unsigned agreed = cut_agreed_faces(cells, cell);
  if (agreed != cut_wish(cell)) return cut_star(agreed, scratch);
  switch (agreed) {
  case CUT_NO_FACE:
    return &cut_hex;
  case CUT_Z_FACES:
    return &cut_prism;
  default:
    return &cut_tet6;
  }
}

bool mesh_cut_varies(clv_grid_kind kind) {
  return kind == CLV_GRID_MIXED2 || kind == CLV_GRID_MIXED;
}

const mesh_cut *mesh_cut_cell(clv_grid_kind kind, const uint32_t cells[3], const uint32_t cell[3], mesh_cut *scratch) {
  bool odd = (cell[0] ^ cell[1] ^ cell[2]) & 1;
  switch (kind) {
  case CLV_GRID_TRI:
    return &cut_tri;
  case CLV_GRID_QUAD:
    return &cut_quad;
  case CLV_GRID_MIXED2:
    return odd ? &cut_tri : &cut_quad;
  case CLV_GRID_HEX:
    return &cut_hex;
  case CLV_GRID_TET5:
    return odd ? &cut_tet5_odd : &cut_tet5_even;
  case CLV_GRID_TET6:
    return &cut_tet6;
  case CLV_GRID_PRISM:
    return &cut_prism;
  case CLV_GRID_PYRAMID:
    return cut_star(CUT_NO_FACE, scratch);
  case CLV_GRID_MIXED:
    return cut_mixed(cells, cell, scratch);
  case CLV_GRID_KIND_COUNT:
    break;
  }
  return NULL;
}
