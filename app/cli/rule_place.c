// See rule_place.h.

#include "rule_place.h"

#include "arguments.h"
#include "nearest.h"

#include <stdlib.h>
#include <string.h>

enum { LONGEST = 4096 }; // characters of a place

static int no_memory(void) {
  return cli_failed("cleave: out of memory");
}

// ---- orbits ---------------------------------------------------------------------------------------------------------

int cli_place_orbit(const cli_call *call, const char *name, clv_orbit *orbit) {
  static const struct {
    const char *name;
    clv_orbit orbit;
  } orbits[] = {{"vertex", CLV_VERTEX}, {"edge", CLV_EDGE},     {"face", CLV_FACE},
                {"cell", CLV_CELL},     {"corner", CLV_CORNER}, {"dart", 0}};
  cli_nearest nearest = cli_nearest_to(name);
  for (size_t k = 0; k < sizeof orbits / sizeof *orbits; k++) {
    *orbit = orbits[k].orbit;
    if (strcmp(orbits[k].name, name) == 0) return CLI_OK;
    cli_nearest_offer(&nearest, orbits[k].name);
  }
  return cli_misused(call->command, "there is no orbit '%s'%s", name,
                     cli_did_you_mean(&nearest, "", "; use vertex, edge, face, cell, corner or dart").text);
}

// ---- cells ----------------------------------------------------------------------------------------------------------

// The n-th cell of a kind that is no template, in order of name.
static clv_dart nth_cell(const clv_map *map, clv_kind kind, uint32_t n) {
  clv_walk walk;
  clv_dart found = CLV_NO_DART;
  if (clv_walk_all(&walk, map, CLV_CELL)) return found;
  for (uint32_t k = 0; k < walk.count && !found; k++) {
    if (clv_cell_kind(map, walk.darts[k]) == kind && n-- == 0) found = walk.darts[k];
  }
  clv_walk_end(&walk);
  return found;
}

// Cells are built in the order of the file, kind by kind.
static clv_dart cell_of_element(const cli_body *body, size_t element) {
  const clv_mesh *mesh = &body->mesh;
  const clv_kind kind = (clv_kind)mesh->kinds[element];
  if (clv_kind_dimension(kind) != clv_mesh_dimension(mesh)) return CLV_NO_DART;
  uint32_t n = 0;
  for (size_t e = 0; e < element; e++) n += mesh->kinds[e] == kind;
  if (kind <= CLV_TEMPLATE_LAST) return clv_cell_at(body->map, kind, n);
  return nth_cell(body->map, kind, n);
}

static int find_cell(const cli_call *call, const cli_body *body, const char *text, clv_dart *dart) {
  uint32_t element;
  const int result = cli_whole_number(call, "the number of a cell", text, 0, UINT32_MAX, &element);
  if (result != CLI_OK) return result;
  *dart = element < body->mesh.element_count ? cell_of_element(body, element) : CLV_NO_DART;
  if (*dart) return CLI_OK;
  return cli_misused(call->command, "element %s of %s is no cell; elements are counted from 0", text, body->path);
}

// ---- vertices and facets --------------------------------------------------------------------------------------------

static int walk_cell(const cli_body *body, clv_dart dart, clv_walk *walk) {
  return clv_walk_orbit(walk, body->map, CLV_CELL, dart) ? no_memory() : CLI_OK;
}

static bool uses(const clv_mesh *mesh, size_t element, uint32_t point) {
  for (size_t c = mesh->offsets[element]; c < mesh->offsets[element + 1]; c++) {
    if (mesh->corners[c] == point) return true;
  }
  return false;
}

// A dart of the cell that lies at a point: told by its position.
static int corner_at(const cli_body *body, clv_dart cell, const double point[3], clv_dart *dart) {
  const clv_column *position = clv_column_find(body->map, "pos");
  clv_walk walk;
  const int result = walk_cell(body, cell, &walk);
  if (result != CLI_OK) return result;
  for (uint32_t k = 0; k < walk.count && !*dart; k++) {
    const double *at = clv_column_at(position, walk.darts[k]);
    if (at && at[0] == point[0] && at[1] == point[1] && at[2] == point[2]) *dart = walk.darts[k];
  }
  clv_walk_end(&walk);
  return CLI_OK;
}

static int find_vertex(const cli_call *call, const cli_body *body, const char *text, clv_dart *dart) {
  const clv_mesh *mesh = &body->mesh;
  uint32_t point;
  int result = cli_whole_number(call, "the number of a vertex", text, 0, UINT32_MAX, &point);
  if (result != CLI_OK) return result;
  for (size_t e = 0; point < mesh->point_count && e < mesh->element_count && !*dart && result == CLI_OK; e++) {
    const clv_dart cell = uses(mesh, e, point) ? cell_of_element(body, e) : CLV_NO_DART;
    if (cell) result = corner_at(body, cell, mesh->points[point], dart);
  }
  if (result != CLI_OK || *dart) return result;
  return cli_misused(call->command, "point %s of %s is no corner of a cell; points are counted from 0", text,
                     body->path);
}

// "7:8"
static int find_facet(const cli_call *call, const cli_body *body, char *text, clv_dart *dart) {
  char *colon = strchr(text, ':');
  if (!colon) return cli_misused(call->command, "a facet is named by two cells, facet:7:8, not '%s'", text);
  *colon = '\0';
  clv_dart first, second;
  int result = find_cell(call, body, text, &first);
  if (result == CLI_OK) result = find_cell(call, body, colon + 1, &second);
  clv_walk walk;
  if (result == CLI_OK) result = walk_cell(body, first, &walk);
  if (result != CLI_OK) return result;
  const clv_id wanted = clv_id_of(body->map, CLV_CELL, second);
  for (uint32_t k = 0; k < walk.count && !*dart; k++) {
    const clv_dart beyond = clv_alpha(body->map, walk.darts[k], body->map->dimension);
    const clv_id id = clv_id_of(body->map, CLV_CELL, beyond);
    if (beyond != walk.darts[k] && id.index == wanted.index) *dart = walk.darts[k];
  }
  clv_walk_end(&walk);
  if (*dart) return CLI_OK;
  return cli_misused(call->command, "elements %s and %s of %s have no facet in common", text, colon + 1, body->path);
}

// ---- places ---------------------------------------------------------------------------------------------------------

static int find_dart(const cli_call *call, const cli_body *body, char *text, clv_dart *dart) {
  *dart = CLV_NO_DART;
  if (strncmp(text, "cell:", 5) == 0) return find_cell(call, body, text + 5, dart);
  if (strncmp(text, "vertex:", 7) == 0) return find_vertex(call, body, text + 7, dart);
  if (strncmp(text, "facet:", 6) == 0) return find_facet(call, body, text + 6, dart);
  if (!*text || text[strspn(text, "0123456789")]) {
    return cli_misused(call->command, "'%s' is no place; write a dart, cell:N, vertex:N, facet:N:N, path:D+D or all",
                       text);
  }
  const int result = cli_whole_number(call, "a dart", text, 1, UINT32_MAX, dart);
  if (result != CLI_OK || clv_dart_alive(body->map, *dart)) return result;
  return cli_misused(call->command, "there is no dart %s in the map of %s", text, body->path);
}

static int add_dart(cli_place *place, clv_dart dart) {
  clv_dart *more = realloc(place->darts, (place->count + 1) * sizeof *more);
  if (!more) return no_memory();
  place->darts = more;
  place->darts[place->count++] = dart;
  return CLI_OK;
}

static int read_place(const cli_call *call, const cli_body *body, char *text, cli_place *place) {
  place->is_path = strncmp(text, "path:", 5) == 0;
  if (place->is_path) text += 5;
  int result = CLI_OK;
  for (char *end; result == CLI_OK && text; text = end) {
    end = place->is_path ? strchr(text, '+') : NULL;
    if (end) *end++ = '\0';
    clv_dart dart;
    result = find_dart(call, body, text, &dart);
    if (result == CLI_OK) result = add_dart(place, dart);
  }
  return result;
}

int cli_places_read(const cli_call *call, const cli_body *body, const char *text, cli_place *places, int *count) {
  char copy[LONGEST];
  *count = 0;
  if (strlen(text) >= sizeof copy) return cli_misused(call->command, "the places are too long; apply a script instead");
  memcpy(copy, text, strlen(text) + 1);
  int result = CLI_OK;
  for (char *at = copy, *end; result == CLI_OK && at; at = end) {
    end = strchr(at, ',');
    if (end) *end++ = '\0';
    if (*count == CLI_PLACES) return cli_misused(call->command, "there are more than %d places", CLI_PLACES);
    places[*count] = (cli_place){0};
    result = read_place(call, body, at, &places[(*count)++]);
  }
  return result;
}

void cli_places_free(cli_place *places, int count) {
  for (int k = 0; k < count; k++) free(places[k].darts);
}
