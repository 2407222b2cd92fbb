// See surface.h.

#include "surface.h"

#include "text.h"

enum { SHOWN_EDGES = 3 };

static void print_place(const clv_column *positions, clv_dart dart) {
  const double *place = clv_column_at(positions, dart);
  fprintf(stderr, "(%g %g %g)", place[0], place[1], place[2]);
}

// An edge of one face only has two darts that are free; the one whose other end has a greater number counts.
static bool is_open_edge(const clv_map *map, clv_dart dart) {
  return clv_alpha(map, dart, 2) == dart && dart < clv_alpha(map, dart, 0);
}

static uint64_t count_open_edges(const clv_map *map) {
  uint64_t count = 0;
  for (clv_dart dart = clv_dart_next(map, 0); dart; dart = clv_dart_next(map, dart)) {
    count += is_open_edge(map, dart);
  }
  return count;
}

static int complain_open(const cli_surface *surface, uint64_t count) {
  const clv_map *map = surface->body.map;
  const clv_column *positions = clv_column_find(map, "pos");
  fprintf(stderr, "%s: the surface is not closed: %s one face only, such as", surface->body.path,
          cli_counted(count, "edge has", "edges have").text);
  int shown = 0;
  for (clv_dart dart = clv_dart_next(map, 0); dart && shown < SHOWN_EDGES; dart = clv_dart_next(map, dart)) {
    if (!is_open_edge(map, dart)) continue;
    fputs(shown++ ? ", from " : " that from ", stderr);
    print_place(positions, dart);
    fputs(" to ", stderr);
    print_place(positions, clv_alpha(map, dart, 0));
  }
  fputs(surface->body.report.merged_points || surface->body.mesh.point_count == 0
            ? "; fill the holes\n"
            : "; fill the holes, or join equal points with --merge-points\n",
        stderr);
  return CLI_FAILURE;
}

static int check(const cli_surface *surface) {
  const cli_body *body = &surface->body;
  const int dimension = clv_mesh_dimension(&body->mesh);
  if (dimension != 2) {
    fprintf(stderr, "%s: %s; a closed surface of triangles, quadrangles or polygons is needed\n", body->path,
            dimension == 3 ? "it has volumes already" : "it has no faces");
    return CLI_FAILURE;
  }
  const uint64_t open = count_open_edges(body->map);
  if (open) return complain_open(surface, open);
  if (!clv_map_orientable(body->map)) {
    fprintf(stderr, "%s: the surface has no inside: it is closed, but not orientable\n", body->path);
    return CLI_FAILURE;
  }
  if (body->report.parted_vertices) {
    fprintf(stderr, "%s: parts of the surface touch in %s without being joined; move them apart\n", body->path,
            cli_counted(body->report.parted_vertices, "point", "points").text);
    return CLI_FAILURE;
  }
  return CLI_OK;
}

int cli_surface_load(cli_surface *surface, const char *path, bool merge_points) {
  clv_mesh_init(&surface->faces, NULL);
  int result = cli_body_load(&surface->body, path, merge_points);
  if (result != CLI_OK) return result;
  result = check(surface);
  clv_error error = {0};
  if (result == CLI_OK && clv_mesh_extract(&surface->faces, surface->body.map, &error)) {
    fprintf(stderr, "%s: %s\n", path, error.message);
    result = CLI_FAILURE;
  }
  if (result != CLI_OK) cli_surface_free(surface);
  return result;
}

void cli_surface_free(cli_surface *surface) {
  clv_mesh_free(&surface->faces);
  cli_body_free(&surface->body);
}
