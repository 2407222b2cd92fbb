// Refining: cells of a list or of a zone become finer ones.
//
// The map does it (clv_map_refine); here is what it cannot know: where vertices rest, and so which diagonal of an
// octahedron is the shortest, and their levels, in the column `lev`. A rule file that has columns of levels on faces
// and volumes finds them kept, too.

#include "surgery/surgery.h"

#include "map/refine.h"

clv_result surgery_create_levels(clv_surgery *s, clv_error *error) {
  const clv_column_def def = {.name = "lev", .orbit = CLV_VERTEX, .type = CLV_INT32, .components = 1};
  s->levels = clv_column_find(s->map, def.name);
  if (!s->levels) {
    const clv_result result = clv_column_create(s->map, &def, &s->levels);
    return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(s->map));
  }
  const clv_column_def *found = clv_column_get_def(s->levels);
  const bool fits = clv_orbit_dims(s->map, found->orbit) == clv_orbit_dims(s->map, CLV_VERTEX) &&
                    found->type == CLV_INT32 && found->components == 1;
  return fits ? CLV_OK
              : clv_error_set(error, CLV_ERROR_ARGUMENT,
                              "column 'lev' is not one of whole numbers on vertices: refining needs it");
}

uint32_t clv_surgery_level(const clv_surgery *s, clv_dart cell) {
  return clv_dart_alive(s->map, cell) ? surgery_level_of(s, cell) : 0;
}

// The dart of a tetrahedron whose edge's middle begins the shortest diagonal at rest.
static clv_dart shortest_diagonal(const clv_surgery *s, clv_dart cell) {
  static const uint8_t pairs[3][4] = {{0, 1, 2, 3}, {0, 2, 1, 3}, {0, 3, 1, 2}};
  const clv_template *shape = &clv_templates[CLV_TET];
  const uint32_t *corners = s->map->corners[CLV_TET] + 4 * (size_t)clv_cell_row(s->map, cell);
  const double *rest = clv_body_rest(s->body);
  uint32_t best = 0;
  double shortest = 0;
  for (uint32_t k = 0; k < 3; k++) {
    double square = 0;
    for (uint32_t i = 0; i < 3; i++) {
      double d = 0;
      for (uint32_t c = 0; c < 4; c++) d += (c < 2 ? 1 : -1) * rest[3 * (size_t)corners[pairs[k][c]] + i];
      square += d * d;
    }
    if (k && !(square < shortest)) continue;
    shortest = square;
    best = k;
  }
  const uint8_t *corner = shape->sub[6].of;
  uint32_t local = 0;
  while (corner[local] != pairs[best][0] || corner[shape->alpha[0][local]] != pairs[best][1]) local++;
  return clv_cell_at(s->map, CLV_TET, clv_cell_row(s->map, cell)) | local;
}

bool surgery_may_refine(const clv_surgery *s, clv_dart cell) {
  const clv_kind kind = clv_cell_shape(s->map, cell);
  return kind == CLV_TRI || kind == CLV_QUAD || kind == CLV_TET || kind == CLV_HEX;
}

// Columns that rules may have.
static clv_result set_levels(clv_surgery *s, const clv_refined *refined, int32_t level) {
  clv_column *face = clv_column_find(s->map, "flev"), *volume = clv_column_find(s->map, "vlev");
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < refined->vertex_count; k++)
    result = clv_column_set(s->levels, refined->vertices[k], &level);
  for (uint32_t c = 0; (face || volume) && result == CLV_OK && c < refined->child_count; c++) {
    const clv_dart child = refined->children[c];
    const clv_template *shape = &clv_templates[clv_cell_shape(s->map, child)];
    if (volume && s->map->dimension == 3) result = clv_column_set(volume, child, &level);
    const uint32_t faces = s->map->dimension == 3 ? shape->facet_count : 1;
    for (uint32_t f = 0; face && result == CLV_OK && f < faces; f++)
      result = clv_column_set(face, child | shape->facet_first[f], &level);
  }
  return result;
}

// Levels, and the darts to begin with, are those before anything is changed: a cell that a neighbour has put vertices
// into tells them only after the commit.
static bool note_listed(clv_surgery *s) {
  if (!BASE_RESERVE(&s->allocator, &s->listed_levels, s->cells.count)) return false;
  for (uint32_t k = 0; k < s->cells.count; k++) {
    const clv_dart cell = s->cells.data[k];
    s->listed_levels.data[k] = (uint8_t)surgery_level_of(s, cell);
    if (clv_cell_shape(s->map, cell) == CLV_TET) s->cells.data[k] = shortest_diagonal(s, cell);
  }
  return true;
}

clv_result surgery_refine_listed(clv_surgery *s) {
  if (!note_listed(s)) return surgery_no_memory(s);
  clv_result result = map_expect_refining(map_of(s->map), s->cells.count);
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k++) {
    const clv_dart cell = s->cells.data[k];
    if (!clv_dart_alive(s->map, cell)) continue; // listed twice
    const uint32_t level = s->listed_levels.data[k];
    clv_refined refined;
    result = clv_map_refine(s->map, cell, level, surgery_levels(s), &refined);
    if (result == CLV_OK) result = set_levels(s, &refined, (int32_t)level + 1);
    s->did.refined++;
  }
  return surgery_of_map(s, result);
}

// Leaves those in the list that are coarser than a level, and can be finer. Of the others that are, says how many and
// which was the last.
static uint32_t keep_coarser(clv_surgery *s, uint32_t level, clv_dart *unable) {
  uint32_t kept = 0, left_out = 0;
  for (uint32_t k = 0; k < s->cells.count; k++) {
    const clv_dart cell = s->cells.data[k];
    if (surgery_level_of(s, cell) >= level) continue;
    if (surgery_may_refine(s, cell)) {
      s->cells.data[kept++] = cell;
    } else {
      *unable = cell;
      left_out++;
    }
  }
  s->cells.count = kept;
  return left_out;
}

static clv_result refine_and_end(clv_surgery *s, clv_surgery_report *report) {
  if (!s->cells.count) return CLV_OK;
  const clv_result result = surgery_begin(s);
  return result == CLV_OK ? surgery_end(s, surgery_refine_listed(s), report) : result;
}

clv_result clv_surgery_refine_cells(clv_surgery *s, const clv_dart *cells, uint32_t count, uint32_t level,
                                    clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  if (count && !cells) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the refinement has no list of cells");
  for (uint32_t k = 0; k < count; k++)
    if (!clv_dart_alive(s->map, cells[k]))
      return surgery_fail(s, CLV_ERROR_ARGUMENT, "cell %u of the refinement (counted from 0): there is no dart %u", k,
                          cells[k]);
  if (!BASE_RESERVE(&s->allocator, &s->cells, count)) return surgery_no_memory(s);
  if (count) memcpy(s->cells.data, cells, count * sizeof *cells);
  s->cells.count = count;
  clv_dart unable;
  if (keep_coarser(s, level, &unable))
    return surgery_fail(s, CLV_ERROR_REFUSED,
                        "a %s cannot be refined: only triangles, quadrangles, tetrahedra and hexahedra can",
                        clv_kind_name(clv_cell_shape(s->map, unable)));
  return refine_and_end(s, report);
}

clv_result clv_surgery_refine(clv_surgery *s, const clv_zone *zone, uint32_t level, clv_surgery_report *report) {
  clv_surgery_report sum = {0}, one;
  clv_result result;
  do {
    one = (clv_surgery_report){0};
    result = surgery_list_cells(s, zone, "refinement");
    clv_dart unable;
    if (result == CLV_OK) sum.refused = keep_coarser(s, level, &unable); // the same every time
    if (result == CLV_OK) result = refine_and_end(s, &one);
    sum.refined += one.refined;
  } while (result == CLV_OK && one.refined);
  if (report) *report = sum;
  return surgery_stopped(s, result, &sum);
}
