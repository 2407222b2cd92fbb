// The mesh of a body: from a file or a grid, merged, bent, scaled and put in its place. See scene.h.

#include "scene/scene.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

// ---- merging ------------------------------------------------------------------------------------

typedef struct numbered_point {
  double x[3];
  uint32_t number;
} numbered_point;

static int compare_points(const void *a, const void *b) {
  const numbered_point *p = a, *q = b;
  for (int i = 0; i < 3; i++) {
    if (p->x[i] != q->x[i]) return p->x[i] < q->x[i] ? -1 : 1;
  }
  return p->number < q->number ? -1 : p->number > q->number;
}

static bool same_place(const numbered_point *p, const numbered_point *q) {
  return p->x[0] == q->x[0] && p->x[1] == q->x[1] && p->x[2] == q->x[2];
}

// The corners of elements, leaving the counts of a polyhedron's stream alone.
static void rename_corners(clv_mesh *mesh, const uint32_t *names) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    size_t c = mesh->offsets[e];
    const size_t end = mesh->offsets[e + 1];
    if (mesh->kinds[e] != CLV_POLYHEDRON) {
      for (; c < end; c++)
        mesh->corners[c] = mesh->corners[c] < mesh->point_count ? names[mesh->corners[c]] : mesh->corners[c];
      continue;
    }
    for (c++; c < end;) {
      const size_t stop = c + 1 + mesh->corners[c];
      for (c++; c < stop && c < end; c++) {
        if (mesh->corners[c] < mesh->point_count) mesh->corners[c] = names[mesh->corners[c]];
      }
    }
  }
}

// Each point gets the number of the first one at its place. The others stay behind, unused.
static bool merge_points(const scene_reader *r, clv_mesh *mesh) {
  const clv_allocator *allocator = &r->arena->allocator;
  const size_t count = mesh->point_count;
  numbered_point *points = base_allocate(allocator, (count + 1) * sizeof *points);
  uint32_t *names = base_allocate(allocator, (count + 1) * sizeof *names);
  const bool enough = points && names;
  if (enough) {
    for (uint32_t i = 0; i < count; i++) {
      points[i].number = i;
      memcpy(points[i].x, mesh->points[i], sizeof points[i].x);
    }
    qsort(points, count, sizeof *points, compare_points);
    uint32_t first = 0;
    for (uint32_t i = 0; i < count; i++) {
      if (!same_place(&points[first], &points[i])) first = i;
      names[points[i].number] = points[first].number;
    }
    rename_corners(mesh, names);
  }
  base_free(allocator, points, (count + 1) * sizeof *points);
  base_free(allocator, names, (count + 1) * sizeof *names);
  return enough || scene_no_memory(r);
}

// ---- bending ------------------------------------------------------------------------------------

// The cube [-1, 1]^3 onto something like a liver: rounded towards the ball, but not so far that cells at its edges go
// flat; a thick lobe on one side that thins out and bends up towards the other; hollow below.
static void warp_organ(double p[3]) {
  const double x2 = p[0] * p[0], y2 = p[1] * p[1], z2 = p[2] * p[2];
  const double round = 0.6;
  const double ball[3] = {
      p[0] * sqrt(1 - y2 / 2 - z2 / 2 + y2 * z2 / 3),
      p[1] * sqrt(1 - z2 / 2 - x2 / 2 + z2 * x2 / 3),
      p[2] * sqrt(1 - x2 / 2 - y2 / 2 + x2 * y2 / 3),
  };
  for (int i = 0; i < 3; i++) p[i] += round * (ball[i] - p[i]);
  const double thin = 0.75 - 0.35 * p[0], along = p[0];
  p[1] = p[1] * (0.85 - 0.2 * along) - 0.1 * along * along;
  p[2] = p[2] * thin + 0.25 * along * along - 0.12 * (1 - p[1] * p[1]) * (p[2] < 0 ? -p[2] : 0);
}

static void bounds(const clv_mesh *mesh, double least[3], double greatest[3]) {
  for (int i = 0; i < 3; i++) {
    least[i] = INFINITY;
    greatest[i] = -INFINITY;
  }
  for (size_t p = 0; p < mesh->point_count; p++) {
    for (int i = 0; i < 3; i++) {
      least[i] = fmin(least[i], mesh->points[p][i]);
      greatest[i] = fmax(greatest[i], mesh->points[p][i]);
    }
  }
}

static void warp(clv_mesh *mesh) {
  double least[3], greatest[3];
  bounds(mesh, least, greatest);
  for (size_t p = 0; p < mesh->point_count; p++) {
    double *point = mesh->points[p];
    double unit[3];
    for (int i = 0; i < 3; i++) {
      const double extent = greatest[i] - least[i];
      unit[i] = extent > 0 ? 2 * (point[i] - least[i]) / extent - 1 : 0;
    }
    warp_organ(unit);
    for (int i = 0; i < 3; i++) point[i] = least[i] + (unit[i] + 1) / 2 * (greatest[i] - least[i]);
  }
}

// ---- making -------------------------------------------------------------------------------------

static bool read_file(const scene_reader *r, clv_scene *scene, const scene_mesh *part, clv_mesh *mesh) {
  const char *path = scene_file_path(scene, part->file);
  if (!path) return scene_no_memory(r);
  clv_error error = {0};
  const clv_result result = clv_mesh_read(mesh, path, &error);
  if (result == CLV_ERROR_MEMORY) return scene_no_memory(r);
  if (result) return scene_fail(r, scene_place(&part->part, "file"), "this mesh cannot be used: %s", error.message);
  return !part->merge || merge_points(r, mesh);
}

static bool make_grid(const scene_reader *r, const scene_mesh *part, clv_mesh *mesh) {
  clv_grid_def def = clv_default_grid_def();
  def.kind = (clv_grid_kind)part->grid;
  memcpy(def.cells, part->cells, sizeof def.cells);
  memcpy(def.size, part->size, sizeof def.size);
  if (def.cells[2] == 0) def.cells[2] = 1;
  if (def.size[2] == 0) def.size[2] = 1;
  clv_error error = {0};
  const clv_result result = clv_mesh_grid(mesh, &def, &error);
  if (result == CLV_OK) return true;
  clv_error_set(r->error, result, "%s:%u:%u: %s", r->name, part->part.node->line, part->part.node->column,
                error.message);
  return false;
}

bool scene_mesh_make(const scene_reader *r, clv_scene *scene, const scene_mesh *part, clv_mesh *mesh) {
  if (!(part->file ? read_file(r, scene, part, mesh) : make_grid(r, part, mesh))) return false;
  if (part->warp == SCENE_WARP_ORGAN) warp(mesh);
  for (size_t p = 0; p < mesh->point_count; p++) {
    for (int i = 0; i < 3; i++) mesh->points[p][i] = mesh->points[p][i] * part->scale + part->origin[i];
  }
  return true;
}
