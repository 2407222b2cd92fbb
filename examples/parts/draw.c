// Two pictures, straight from the map: a block of mixed cells with a cut in it (cut.svg), and the darts and links of a
// triangle sewn to a quadrangle (darts.svg).
//
// Nothing in here knows how the block was cut. The two ends are pulled apart, every other vertex moves to the mean of
// those it shares an edge with, and the cut opens by itself, because the edges that led across it are gone from the
// map.

#include <cleave/cleave.h>

#include <stdio.h>
#include <stdlib.h>

// ---- small geometry, without libm -----------------------------------------------------------------------------------

typedef struct vec {
  double x, y, z;
} vec;

static vec make(double x, double y, double z) {
  vec v = {x, y, z};
  return v;
}
static vec load(const double *p) {
  return make(p[0], p[1], p[2]);
}
static vec mix(vec a, vec b, double t) {
  return make(a.x + t * (b.x - a.x), a.y + t * (b.y - a.y), a.z + t * (b.z - a.z));
}
static vec minus(vec a, vec b) {
  return make(a.x - b.x, a.y - b.y, a.z - b.z);
}
static double dot(vec a, vec b) {
  return a.x * b.x + a.y * b.y + a.z * b.z;
}
static vec cross(vec a, vec b) {
  return make(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}
static double root(double square) {
  double r = square > 1 ? square : 1;
  for (int k = 0; k < 60; k++) r = 0.5 * (r + square / r);
  return r;
}
static vec unit(vec a) {
  return mix(make(0, 0, 0), a, 1 / root(dot(a, a)));
}

// ---- the block ------------------------------------------------------------------------------------------------------

enum { NX = 10, NY = 4, NZ = 4, CUT = 5, SWEEPS = 400 };

// The cut runs down from the top at x = CUT, deeper on the near side: a blade that was drawn towards us.
static bool is_in_cut(vec centre) {
  return centre.z > 1.0 + 0.45 * centre.y;
}

static vec position(const clv_column *column, clv_dart dart) {
  return load((const double *)clv_column_at(column, dart));
}

// The mean of the values at one dart of each orbit of a walk.
static vec mean(const clv_column *column, const clv_walk *walk) {
  vec sum = {0, 0, 0};
  for (uint32_t k = 0; k < walk->count; k++) {
    const vec p = position(column, walk->darts[k]);
    sum = make(sum.x + p.x, sum.y + p.y, sum.z + p.z);
  }
  return mix(make(0, 0, 0), sum, 1.0 / walk->count);
}

// Unsews the faces of one lattice plane that lie in the cut. `lips` is a number on the sides of faces: 1 where it was
// cut.
static clv_result cut_plane(clv_map *map, clv_column *lips) {
  const clv_column *rest = clv_column_find(map, "pos");
  const int32_t one = 1;
  clv_walk faces, corners;
  clv_result result = clv_walk_all(&faces, map, CLV_FACE);
  if (!result) result = clv_map_begin(map);
  for (uint32_t f = 0; !result && f < faces.count; f++) {
    const clv_dart side = faces.darts[f], other = clv_alpha(map, side, 3);
    bool lies_there = other != side;
    result = clv_walk_incident(&corners, map, CLV_FACE, CLV_VERTEX, side);
    if (result) break;
    for (uint32_t k = 0; k < corners.count; k++) lies_there &= position(rest, corners.darts[k]).x == CUT;
    lies_there &= is_in_cut(mean(rest, &corners));
    clv_walk_end(&corners);
    if (!lies_there) continue;
    result = clv_map_unsew(map, 3, side);
    if (!result) result = clv_column_set(lips, side, &one);
    if (!result) result = clv_column_set(lips, other, &one);
  }
  clv_walk_end(&faces);
  return result ? result : clv_map_commit(map);
}

// How the ends are held: pulled apart a little, and turned down about the foot of the cut.
static bool is_held(vec p) {
  return p.x <= CUT - 3 || p.x >= CUT + 3;
}
static vec held_move(vec p) {
  const double side = p.x < CUT ? -1 : 1, turn = 0.19;
  return make(side * (0.10 + turn * (p.z - 1)), 0, -side * turn * (p.x - CUT));
}

// Moves every vertex to the mean of its neighbours, over and over. The map says who is a neighbour.
static clv_result relax(const clv_map *map, clv_column *moved) {
  const clv_column *rest = clv_column_find(map, "pos");
  const uint32_t slots = clv_id_slots(map, CLV_VERTEX);
  double *move = (double *)clv_column_data(moved, CLV_NONE, NULL);
  double *sum = (double *)calloc(slots, 4 * sizeof *sum);
  clv_walk edges;
  clv_result result = clv_walk_all(&edges, map, CLV_EDGE);
  if (!sum) result = CLV_ERROR_MEMORY;
  for (int sweep = 0; !result && sweep < SWEEPS; sweep++) {
    for (uint32_t k = 0; k < 4 * slots; k++) sum[k] = 0;
    for (uint32_t e = 0; e < edges.count; e++) {
      const uint32_t a = clv_id_of(map, CLV_VERTEX, edges.darts[e]).index;
      const uint32_t b = clv_id_of(map, CLV_VERTEX, clv_alpha(map, edges.darts[e], 0)).index;
      for (uint32_t c = 0; c < 3; c++) {
        sum[4 * a + c] += move[3 * b + c];
        sum[4 * b + c] += move[3 * a + c];
      }
      sum[4 * a + 3]++;
      sum[4 * b + 3]++;
    }
    const clv_id none = {0, 0};
    for (clv_id v = clv_id_next(map, CLV_VERTEX, none); v.index; v = clv_id_next(map, CLV_VERTEX, v)) {
      const double *s = sum + 4 * v.index;
      const vec at = load((const double *)clv_column_of(rest, v)), held = held_move(at);
      const vec to = is_held(at) ? held : make(s[0] / s[3], s[1] / s[3], s[2] / s[3]);
      double *m = move + 3 * v.index;
      m[0] = to.x;
      m[1] = to.y;
      m[2] = to.z;
    }
  }
  clv_walk_end(&edges);
  free(sum);
  return result;
}

static void move_points(const clv_map *map, const clv_column *moved) {
  clv_column *rest = clv_column_find(map, "pos");
  const clv_id none = {0, 0};
  for (clv_id v = clv_id_next(map, CLV_VERTEX, none); v.index; v = clv_id_next(map, CLV_VERTEX, v)) {
    double *p = (double *)clv_column_of(rest, v);
    const double *m = (const double *)clv_column_of(moved, v);
    for (int c = 0; c < 3; c++) p[c] += m[c];
  }
}

// ---- drawing the block: cells from back to front, of each the faces that look at us ---------------------------------

typedef struct camera {
  vec right, up, towards; // `towards` leads from the scene to the eye
  double scale, x, y;
} camera;

static camera look_from(vec eye) {
  camera c;
  c.towards = unit(eye);
  c.right = unit(cross(make(0, 0, 1), c.towards));
  c.up = cross(c.towards, c.right);
  c.scale = 60;
  c.x = 114;
  c.y = 282;
  return c;
}

static clv_result centre_of(const clv_map *map, const clv_column *where, clv_dart cell, vec *centre) {
  clv_walk corners;
  const clv_result result = clv_walk_incident(&corners, map, CLV_CELL, CLV_VERTEX, cell);
  if (!result) *centre = mean(where, &corners);
  if (!result) clv_walk_end(&corners);
  return result;
}

// The corners of a face, once round it; the cell is drawn a little smaller than it is. Returns the outward normal.
static vec outline(const clv_map *map, const clv_column *where, vec centre, clv_dart face, vec corner[4], int *count) {
  clv_dart d = face;
  *count = 0;
  do {
    corner[(*count)++] = mix(centre, position(where, d), 0.86);
    d = clv_alpha(map, clv_alpha(map, d, 0), 1);
  } while (d != face && *count < 4);
  const vec normal = unit(cross(minus(corner[1], corner[0]), minus(corner[2], corner[0])));
  return dot(normal, minus(corner[0], centre)) < 0 ? minus(make(0, 0, 0), normal) : normal;
}

// Back to front: before a cell come those behind it, which its own faces lead to. `order` collects ids.
typedef struct ordering {
  const clv_map *map;
  const clv_column *where;
  vec towards;
  clv_marks *seen;
  clv_id *order;
  uint32_t count;
} ordering;

static clv_result put_in_order(ordering *o, clv_id cell) {
  const clv_dart first = clv_id_dart(o->map, CLV_CELL, cell);
  if (clv_marks_get(o->seen, first)) return CLV_OK;
  vec centre = {0, 0, 0}, corner[4];
  int corners;
  clv_walk faces;
  clv_result result = clv_marks_set(o->seen, first);
  if (!result) result = centre_of(o->map, o->where, first, &centre);
  if (!result) result = clv_walk_incident(&faces, o->map, CLV_CELL, CLV_CELL_FACET(3), first);
  if (result) return result;
  for (uint32_t f = 0; !result && f < faces.count; f++) {
    const vec normal = outline(o->map, o->where, centre, faces.darts[f], corner, &corners);
    const clv_dart beyond = clv_alpha(o->map, faces.darts[f], 3);
    if (beyond != faces.darts[f] && dot(normal, o->towards) < 0)
      result = put_in_order(o, clv_id_of(o->map, CLV_CELL, beyond));
  }
  clv_walk_end(&faces);
  o->order[o->count++] = cell;
  return result;
}

static clv_result order_cells(ordering *o) {
  const clv_id none = {0, 0};
  clv_map_info info;
  clv_result result = clv_map_count(o->map, &info);
  if (result) return result;
  o->seen = clv_marks_create(o->map);
  o->order = (clv_id *)calloc(info.cells[3], sizeof *o->order);
  if (!o->seen || !o->order) result = CLV_ERROR_MEMORY;
  for (clv_id c = clv_id_next(o->map, CLV_CELL, none); !result && c.index; c = clv_id_next(o->map, CLV_CELL, c))
    result = put_in_order(o, c);
  clv_marks_destroy(o->seen);
  return result;
}

static void fill_colour(FILE *out, clv_kind kind, bool lip, double light) {
  static const double colours[4][3] = {{243, 198, 95}, {126, 190, 150}, {164, 153, 214}, {122, 170, 216}};
  static const double red[3] = {228, 72, 52};
  const double *colour = lip ? red : colours[kind - CLV_TET];
  fprintf(out, "fill=\"#%02x%02x%02x\"", (int)(colour[0] * light), (int)(colour[1] * light), (int)(colour[2] * light));
}

static clv_result draw_cell(FILE *out, const camera *eye, const clv_map *map, const clv_column *lips, clv_dart cell) {
  const clv_column *where = clv_column_find(map, "pos");
  const vec light = unit(make(1.0, -1.7, 2.6));
  vec centre = {0, 0, 0}, corner[4];
  int count;
  clv_walk faces;
  clv_result result = centre_of(map, where, cell, &centre);
  if (!result) result = clv_walk_incident(&faces, map, CLV_CELL, CLV_CELL_FACET(3), cell);
  if (result) return result;
  for (uint32_t f = 0; f < faces.count; f++) {
    const vec normal = outline(map, where, centre, faces.darts[f], corner, &count);
    if (dot(normal, eye->towards) <= 0) continue;
    const bool lip = *(const int32_t *)clv_column_at(lips, faces.darts[f]) != 0;
    fprintf(out, "<path ");
    fill_colour(out, clv_cell_kind(map, cell), lip, 0.78 + 0.22 * dot(normal, light));
    for (int k = 0; k < count; k++)
      fprintf(out, "%s%.1f %.1f", k ? "L" : " d=\"M", eye->x + eye->scale * dot(corner[k], eye->right),
              eye->y - eye->scale * dot(corner[k], eye->up));
    fprintf(out, "z\"/>\n");
  }
  clv_walk_end(&faces);
  return CLV_OK;
}

static void open_svg(FILE *out, int width, int height) {
  fprintf(
      out,
      "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"13\">\n"
      "<rect width=\"%d\" height=\"%d\" rx=\"10\" fill=\"#fbfbf9\"/>\n",
      width, height, width, height);
}

static void draw_legend(FILE *out) {
  static const char *const names[] = {"tetrahedra", "pyramids", "prisms", "hexahedra", "cut faces"};
  for (int k = 0; k < 5; k++) {
    fprintf(out, "<rect x=\"%d\" y=\"482\" width=\"14\" height=\"14\" rx=\"2\" ", 128 + 130 * k);
    fill_colour(out, (clv_kind)(CLV_TET + k), k == 4, 1);
    fprintf(out, "/><text x=\"%d\" y=\"494\" fill=\"#2d3440\">%s</text>\n", 150 + 130 * k, names[k]);
  }
}

static clv_result build_grid(clv_grid_kind kind, uint32_t nx, uint32_t ny, uint32_t nz, clv_map **map) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = kind;
  def.cells[0] = nx;
  def.cells[1] = ny;
  def.cells[2] = nz;
  for (int c = 0; c < 3; c++) def.size[c] = def.cells[c];
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = clv_mesh_grid(&mesh, &def, NULL);
  if (!result) result = clv_mesh_build(&mesh, NULL, map, NULL, NULL);
  clv_mesh_free(&mesh);
  return result;
}

static clv_result make_columns(clv_map *map, clv_column **moved, clv_column **lips) {
  clv_column_def def = clv_default_column_def(); // three numbers on a vertex; when it is split, both keep them
  def.name = "move";
  clv_result result = clv_column_create(map, &def, moved);
  def.name = "lips";
  def.orbit = CLV_CELL_FACET(3); // a face seen from one cell: the two sides of a face are different places
  def.type = CLV_INT32;
  def.components = 1;
  def.create = CLV_CREATE_VALUE;
  def.merge = CLV_MERGE_KEEP;
  return result ? result : clv_column_create(map, &def, lips);
}

static clv_result draw_cut(FILE *out) {
  clv_map *map = NULL;
  clv_column *moved = NULL, *lips = NULL;
  clv_result result = build_grid(CLV_GRID_MIXED, NX, NY, NZ, &map);
  if (result) return result;
  const camera eye = look_from(make(0.66, -1, 0.60));
  ordering back_to_front = {map, clv_column_find(map, "pos"), eye.towards, NULL, NULL, 0};
  result = order_cells(&back_to_front); // while all neighbours still are neighbours
  if (!result) result = make_columns(map, &moved, &lips);
  if (!result) result = cut_plane(map, lips);
  if (!result) result = relax(map, moved);
  if (!result) move_points(map, moved);
  open_svg(out, 860, 520);
  fprintf(out, "<g stroke=\"#2d3440\" stroke-width=\"0.7\" stroke-linejoin=\"round\">\n");
  for (uint32_t k = 0; !result && k < back_to_front.count; k++)
    result = draw_cell(out, &eye, map, lips, clv_id_dart(map, CLV_CELL, back_to_front.order[k]));
  fprintf(out, "</g>\n");
  draw_legend(out);
  fprintf(out, "</svg>\n");
  free(back_to_front.order);
  clv_map_destroy(map);
  return result;
}

// ---- drawing darts: as the papers do --------------------------------------------------------------------------------

// A dart is half an edge, seen from one cell; the dot is at its vertex. `from` and `to` are its ends on paper.
static void dart_ends(const clv_map *map, clv_dart dart, vec *from, vec *to) {
  const clv_column *where = clv_column_find(map, "pos");
  vec centre = {0, 0, 0};
  if (centre_of(map, where, dart, &centre)) return;
  const vec a = mix(centre, position(where, dart), 0.80);
  const vec b = mix(centre, position(where, clv_alpha(map, dart, 0)), 0.80);
  *from = mix(a, b, 0.09);
  *to = mix(a, b, 0.435);
}

static void line(FILE *out, const char *style, vec a, vec b) {
  fprintf(out, "<path class=\"%s\" d=\"M%.1f %.1fL%.1f %.1f\"/>\n", style, a.x, a.y, b.x, b.y);
}

static void draw_dart(FILE *out, const clv_map *map, clv_dart dart) {
  vec from = {0, 0, 0}, to = from, other = from, end = from, centre = from;
  dart_ends(map, dart, &from, &to);
  const clv_dart a0 = clv_alpha(map, dart, 0), a1 = clv_alpha(map, dart, 1), a2 = clv_alpha(map, dart, 2);
  if (dart < a0) { // each link once
    dart_ends(map, a0, &other, &end);
    line(out, "a0", to, end);
  }
  if (dart < a1) {
    dart_ends(map, a1, &other, &end);
    line(out, "a1", from, other);
  }
  if (dart < a2) {
    dart_ends(map, a2, &other, &end);
    const vec here = mix(from, to, 0.5), there = mix(other, end, 0.5);
    const vec along = unit(minus(there, here)), aside = make(-2.2 * along.y, 2.2 * along.x, 0);
    line(out, "a2", minus(here, aside), minus(there, aside));
    line(out, "a2", minus(here, minus(make(0, 0, 0), aside)), minus(there, minus(make(0, 0, 0), aside)));
  }
  line(out, "dart", from, to);
  fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.2\"/>\n", from.x, from.y);
  if (centre_of(map, clv_column_find(map, "pos"), dart, &centre)) return;
  const vec middle = mix(from, to, 0.5), inwards = unit(minus(centre, middle));
  const vec label = make(middle.x + 14 * inwards.x, middle.y + 14 * inwards.y, 0);
  fprintf(out, "<text x=\"%.1f\" y=\"%.1f\" text-anchor=\"middle\">%u</text>\n", label.x, label.y + 4.5, dart & 63u);
}

static void draw_key(FILE *out) {
  static const char *const words[] = {"a dart, its dot at the vertex", "\316\2610: the other end of the edge",
                                      "\316\2611: the other edge at the corner",
                                      "\316\2612: the other cell; none: boundary"};
  for (int k = 0; k < 4; k++) {
    const vec from = make(548, 98 + 48 * k, 0), to = make(592, 98 + 48 * k, 0);
    static const char *const styles[] = {"dart", "a0", "a1", "a2"};
    if (k < 3) line(out, styles[k], from, to);
    if (k == 3) line(out, "a2", make(from.x, from.y - 2.2, 0), make(to.x, to.y - 2.2, 0));
    if (k == 3) line(out, "a2", make(from.x, from.y + 2.2, 0), make(to.x, to.y + 2.2, 0));
    if (k == 0) fprintf(out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"4.2\"/>\n", from.x, from.y);
    fprintf(out, "<text x=\"606\" y=\"%d\">%s</text>\n", 102 + 48 * k, words[k]);
  }
}

// Points in picture coordinates, y downwards.
static clv_result build_two_cells(clv_map **map) {
  static const double points[5][2] = {{-6, 170}, {218, 2}, {218, 338}, {512, 310}, {512, 30}};
  static const uint32_t triangle[3] = {0, 1, 2}, quadrangle[4] = {1, 4, 3, 2};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_result result = CLV_OK;
  for (int k = 0; !result && k < 5; k++) result = clv_mesh_add_point(&mesh, points[k][0], points[k][1], 0);
  if (!result) result = clv_mesh_add_element(&mesh, CLV_TRI, triangle, 3, 0);
  if (!result) result = clv_mesh_add_element(&mesh, CLV_QUAD, quadrangle, 4, 0);
  if (!result) result = clv_mesh_build(&mesh, NULL, map, NULL, NULL);
  clv_mesh_free(&mesh);
  return result;
}

static clv_result draw_darts(FILE *out) {
  clv_map *map = NULL;
  const clv_result result = build_two_cells(&map);
  if (result) return result;
  open_svg(out, 860, 340);
  fprintf(out, "<style>path{fill:none;stroke:#1d2330} text,circle{fill:#1d2330} .dart{stroke-width:3.4}"
               ".a0{stroke-width:1.3} .a1{stroke:#d43a2a;stroke-width:2.6;stroke-dasharray:0.1 5;stroke-linecap:round}"
               ".a2{stroke:#2b62c9;stroke-width:1.7}</style>\n");
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) draw_dart(out, map, d);
  draw_key(out);
  fprintf(out, "</svg>\n");
  clv_map_destroy(map);
  return CLV_OK;
}

static int write_picture(const char *path, clv_result (*draw)(FILE *out)) {
  FILE *out = fopen(path, "w");
  if (!out) return perror(path), 1;
  const clv_result result = draw(out);
  if (fclose(out)) return perror(path), 1;
  if (result) return fprintf(stderr, "%s: %s\n", path, clv_result_name(result)), 1;
  printf("wrote %s\n", path);
  return 0;
}

int main(void) {
  return write_picture("cut.svg", draw_cut) || write_picture("darts.svg", draw_darts);
}
