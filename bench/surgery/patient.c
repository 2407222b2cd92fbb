#include "patient.h"

#include "../tools/tools.h"

#include <stdlib.h>

#define COROTATIONAL .model = "fem-corotational-qr"
#define SPRINGS .model = "springs"
#define EXPLICIT .method = CLV_SYMPLECTIC_EULER
#define IMPLICIT .method = CLV_IMPLICIT_EULER, .linear = CLV_LINEAR_MATRIX_FREE, .iterations = 25

static const patient_case cases[PATIENT_CASES] = {
    {"corotational, explicit", {COROTATIONAL, EXPLICIT}},
    {"corotational, implicit", {COROTATIONAL, IMPLICIT}},
    {"springs, explicit", {SPRINGS, EXPLICIT}},
    {"springs, implicit", {SPRINGS, IMPLICIT}},
};

const char *const patient_sizes[PATIENT_SIZES] = {"liver", "1,000", "100,000"};

const char *patient_case_name(uint32_t which) {
  return cases[which].name;
}

subject_def patient_def(uint32_t size, uint32_t which) {
  static const uint32_t cells[PATIENT_SIZES][3] = {{4, 5, 6}, {5, 5, 8}, {20, 20, 50}};
  subject_def def = cases[which].def;
  def.grid = CLV_GRID_TET5;
  for (int k = 0; k < 3; k++) def.cells[k] = cells[size][k];
  if (size == 0) def.file = subject_file("liver.msh");
  return def;
}

void patient_make(patient *p, const subject_def *def) {
  clv_error error;
  *p = (patient){0};
  subject_make(&p->s, def);
  p->map = clv_body_map(p->s.body);
  p->surgery = clv_surgery_create(p->s.body, &error);
  if (!p->surgery) bench_fail("surgery: %s", error.message);
  for (int k = 0; k < 3; k++) subject_step(&p->s);
}

void patient_free(patient *p) {
  clv_surgery_destroy(p->surgery);
  subject_free(&p->s);
  free(p->facets);
  free(p->cells);
}

// Places

static void make_room(patient *p, uint32_t count) {
  free(p->facets);
  free(p->cells);
  p->facets = bench_memory((count + 1) * sizeof *p->facets);
  p->cells = bench_memory((count + 1) * sizeof *p->cells);
  p->count = 0;
}

static void box_of(const patient *p, double box[2][3]) {
  const double *rest = clv_body_rest(p->s.body), *masses = clv_body_masses(p->s.body);
  for (int k = 0; k < 3; k++) box[0][k] = 1e30, box[1][k] = -1e30;
  for (uint32_t slot = 0; slot < clv_body_slots(p->s.body); slot++) {
    for (int k = 0; k < 3 && masses[slot] > 0; k++) {
      if (rest[3 * slot + (uint32_t)k] < box[0][k]) box[0][k] = rest[3 * slot + (uint32_t)k];
      if (rest[3 * slot + (uint32_t)k] > box[1][k]) box[1][k] = rest[3 * slot + (uint32_t)k];
    }
  }
}

typedef struct strip_place {
  clv_dart facet;
  double strip, along;
} strip_place;

static int compare_places(const void *left, const void *right) {
  const strip_place *a = left, *b = right;
  if (a->strip != b->strip) return a->strip < b->strip ? -1 : 1;
  return (a->along > b->along) - (a->along < b->along);
}

static const double *rest_at(const patient *p, clv_dart dart) {
  return clv_body_rest(p->s.body) + 3 * (size_t)clv_id_of(p->map, CLV_VERTEX, dart).index;
}

static bool is_listed(const patient *p, clv_id cell) {
  for (uint32_t k = 0; k < p->count; k++)
    if (p->cells[k].index == cell.index) return true;
  return false;
}

void patient_find_strip(patient *p) {
  double box[2][3], middle[3], normal[3] = {0, 0, 0};
  box_of(p, box);
  int longest = 0;
  for (int k = 0; k < 3; k++) {
    middle[k] = 0.5 * (box[0][k] + box[1][k]);
    if (box[1][k] - box[0][k] > box[1][longest] - box[0][longest]) longest = k;
  }
  normal[longest] = 1;
  const clv_cut cut = {.kind = CLV_CUT_ZONE, .zone = clv_zone_plane(middle, normal)};
  const clv_dart *facets;
  uint32_t count;
  bench_ok(clv_surgery_select(p->surgery, &cut, &facets, &count), "select", clv_surgery_error(p->surgery));
  strip_place *places = bench_memory((count + 1) * sizeof *places);
  const int across = (longest + 1) % 3, along = (longest + 2) % 3;
  const double width = (box[1][across] - box[0][across]) / 20;
  for (uint32_t k = 0; k < count; k++) {
    const double *corner = rest_at(p, facets[k]);
    places[k] =
        (strip_place){facets[k], (double)(long)((corner[across] - box[0][across]) / width + 0.5), corner[along]};
  }
  qsort(places, count, sizeof *places, compare_places);
  make_room(p, count);
  for (uint32_t k = 0; k < count; k++) { // each cell once
    const clv_id cell = clv_id_of(p->map, CLV_CELL, places[k].facet);
    if (is_listed(p, cell)) continue;
    p->facets[p->count] = places[k].facet;
    p->cells[p->count++] = cell;
  }
  free(places);
}

void patient_scatter(patient *p, uint32_t count) {
  const uint32_t rows = clv_cell_rows(p->map, CLV_TET);
  uint32_t state = 12345;
  make_room(p, count);
  while (p->count < count) {
    state = state * 1664525u + 1013904223u;
    const clv_dart first = clv_cell_at(p->map, CLV_TET, (uint32_t)((uint64_t)state * rows >> 32));
    if (!first) continue;
    const clv_dart facet = (first & ~63u) | clv_templates[CLV_TET].facet_first[state % 4];
    if (clv_is_free(p->map, facet, 3) || is_listed(p, clv_id_of(p->map, CLV_CELL, first))) continue;
    p->facets[p->count] = facet;
    p->cells[p->count++] = clv_id_of(p->map, CLV_CELL, first);
  }
}

// Edits

static void follow(patient *p) {
  bench_ok(clv_solver_follow(p->s.solver), "follow", clv_solver_error(p->s.solver));
}

void patient_split(patient *p, uint32_t place) {
  const clv_cut cut = {.kind = CLV_CUT_FACETS, .facets = &p->facets[place], .count = 1};
  bench_ok(clv_surgery_cut(p->surgery, &cut, NULL), "cut", clv_surgery_error(p->surgery));
  follow(p);
}

void patient_remove(patient *p, uint32_t place) {
  const clv_dart cell = clv_id_dart(p->map, CLV_CELL, p->cells[place]);
  bench_ok(clv_surgery_remove_cells(p->surgery, &cell, 1, NULL), "remove", clv_surgery_error(p->surgery));
  follow(p);
}

void patient_refine(patient *p, uint32_t place) {
  const clv_dart cell = clv_id_dart(p->map, CLV_CELL, p->cells[place]);
  bench_ok(clv_surgery_refine_cells(p->surgery, &cell, 1, 1, NULL), "refine", clv_surgery_error(p->surgery));
  follow(p);
}
