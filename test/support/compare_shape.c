// Twins: what the kernel says of the shape of things - kinds, sides, counts and walks - against naive searches.

#include "support/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Kinds and sides

static void check_kinds(const twins *t) {
  ref_dart label[REFERENCE_DARTS];
  reference_label(&t->naive, reference_cell_dims(&t->naive, t->naive.dimension), label);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (!label[d]) continue;
    const clv_kind kind = clv_cell_kind(t->map, t->kernel_of[d]);
    const clv_kind expected =
        label[d] == d ? reference_cell_kind(&t->naive, (ref_dart)d) : clv_cell_kind(t->map, t->kernel_of[label[d]]);
    if (kind != expected)
      twins_fail(t, "the cell of dart %u is stored as %s, not as %s", t->kernel_of[d], clv_kind_name(kind),
                 clv_kind_name(expected));
  }
}

static void check_sides(const twins *t) {
  const bool orientable = reference_orientable(&t->naive);
  if (clv_map_orientable(t->map) != orientable) twins_fail(t, "the map is%s orientable", orientable ? "" : " not");
  for (uint32_t d = 1; d < t->naive.end && orientable; d++) {
    if (!reference_alive(&t->naive, (ref_dart)d)) continue;
    for (uint32_t i = 0; i <= t->naive.dimension; i++) {
      const clv_dart here = t->kernel_of[d], there = t->kernel_of[t->naive.alpha[d][i]];
      if (here != there && clv_side(t->map, here) == clv_side(t->map, there))
        twins_fail(t, "darts %u and %u, joined by link %u, lie on one side", here, there, i);
    }
  }
}

void twins_check_shape(const twins *t) {
  check_kinds(t);
  check_sides(t);
}

// Counts

static void check_number(const twins *t, const char *what, uint64_t found, uint64_t expected) {
  if (found != expected) twins_fail(t, "%u %s were counted, not %u", (unsigned)found, what, (unsigned)expected);
}

static void count_kinds(const twins *t, uint64_t kinds[CLV_KIND_COUNT]) {
  ref_dart label[REFERENCE_DARTS];
  reference_label(&t->naive, reference_cell_dims(&t->naive, t->naive.dimension), label);
  memset(kinds, 0, CLV_KIND_COUNT * sizeof *kinds);
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (label[d] == d) kinds[reference_cell_kind(&t->naive, (ref_dart)d)]++;
}

void twins_check_counts(const twins *t) {
  const reference *naive = &t->naive;
  ref_dart label[REFERENCE_DARTS];
  uint64_t kinds[CLV_KIND_COUNT];
  clv_map_info info;
  assert_int_equal(clv_map_count(t->map, &info), CLV_OK);
  check_number(t, "darts", info.darts, naive->count);
  int64_t euler = 0;
  for (uint32_t i = 0; i <= naive->dimension; i++) {
    const uint32_t cells = reference_label(naive, reference_cell_dims(naive, i), label);
    check_number(t, "cells", info.cells[i], cells);
    euler += i % 2 ? -(int64_t)cells : (int64_t)cells;
  }
  if (info.euler != euler) twins_fail(t, "the Euler characteristic is %d, not %d", (int)info.euler, (int)euler);
  count_kinds(t, kinds);
  for (clv_kind kind = CLV_NONE; kind < CLV_KIND_COUNT; kind++)
    check_number(t, clv_kind_name(kind), info.kinds[kind], kinds[kind]);
  check_number(t, "components", info.components, reference_label(naive, 15u, label));
  check_number(t, "boundary facets", info.boundary_facets, reference_boundary_facets(naive));
  check_number(t, "open darts", info.open_darts, reference_open_darts(naive));
  check_number(t, "orientable", info.orientable, reference_orientable(naive));
}

// Walks

// Ends a walk that should have met each marked orbit once, by the label of the dart that was given for it.
static void check_met(const twins *t, const char *what, uint32_t dims, clv_walk *walk, const ref_dart *label,
                      const bool *expected) {
  bool met[REFERENCE_DARTS] = {false};
  for (uint32_t k = 0; k < walk->count; k++) {
    const clv_dart dart = walk->darts[k];
    const ref_dart naive = twins_naive(t, dart);
    if (!naive || !expected[label[naive]]) twins_fail(t, "%s %#x: dart %u is out of place", what, dims, dart);
    if (met[label[naive]]) twins_fail(t, "%s %#x: the orbit of dart %u came twice", what, dims, dart);
    met[label[naive]] = true;
  }
  clv_walk_end(walk);
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (expected[d] && !met[d]) twins_fail(t, "%s %#x: the orbit of dart %u was left out", what, dims, t->kernel_of[d]);
}

static void expect_orbits(const ref_dart *label, const ref_orbit *among, bool *expected) {
  memset(expected, 0, REFERENCE_DARTS * sizeof *expected);
  for (uint32_t k = 0; k < among->count; k++) expected[label[among->darts[k]]] = true;
}

static void check_orbit_walk(const twins *t, uint32_t dims, const ref_orbit *orbit) {
  ref_dart label[REFERENCE_DARTS];
  bool expected[REFERENCE_DARTS];
  clv_walk walk;
  reference_label(&t->naive, 0, label); // every dart by itself
  expect_orbits(label, orbit, expected);
  assert_int_equal(clv_walk_orbit(&walk, t->map, dims, t->kernel_of[orbit->darts[0]]), CLV_OK);
  if (walk.darts[0] != t->kernel_of[orbit->darts[0]]) twins_fail(t, "a walk does not begin where it was told to");
  check_met(t, "walk_orbit", dims, &walk, label, expected);
}

static void check_star_walk(const twins *t, uint32_t dims, const ref_orbit *orbit) {
  ref_dart label[REFERENCE_DARTS];
  bool expected[REFERENCE_DARTS];
  clv_walk walk;
  reference_label(&t->naive, dims & ~(1u << t->naive.dimension), label);
  expect_orbits(label, orbit, expected);
  assert_int_equal(clv_walk_star(&walk, t->map, dims, t->kernel_of[orbit->darts[0]]), CLV_OK);
  check_met(t, "walk_star", dims, &walk, label, expected);
}

static void check_incident_walk(const twins *t, uint32_t dims, uint32_t found, const ref_orbit *orbit) {
  ref_dart label[REFERENCE_DARTS];
  bool expected[REFERENCE_DARTS];
  clv_walk walk;
  reference_label(&t->naive, found, label);
  expect_orbits(label, orbit, expected);
  assert_int_equal(clv_walk_incident(&walk, t->map, dims, found, t->kernel_of[orbit->darts[0]]), CLV_OK);
  for (uint32_t k = 0; k < walk.count; k++)
    if (!orbit->has[twins_naive(t, walk.darts[k])])
      twins_fail(t, "walk_incident: dart %u is not incident", walk.darts[k]);
  check_met(t, "walk_incident", dims, &walk, label, expected);
}

static void check_adjacent_walk(const twins *t, uint32_t dims, uint32_t through, const ref_orbit *orbit) {
  ref_dart label[REFERENCE_DARTS];
  bool expected[REFERENCE_DARTS] = {false};
  clv_walk walk;
  reference_label(&t->naive, dims, label);
  for (uint32_t k = 0; k < orbit->count; k++) {
    ref_orbit bridge;
    reference_orbit(&t->naive, through, orbit->darts[k], &bridge);
    for (uint32_t b = 0; b < bridge.count; b++) expected[label[bridge.darts[b]]] = true;
  }
  expected[label[orbit->darts[0]]] = false;
  assert_int_equal(clv_walk_adjacent(&walk, t->map, dims, through, t->kernel_of[orbit->darts[0]]), CLV_OK);
  check_met(t, "walk_adjacent", dims, &walk, label, expected);
}

static void check_whole_walk(const twins *t, uint32_t dims) {
  ref_dart label[REFERENCE_DARTS];
  bool expected[REFERENCE_DARTS] = {false};
  clv_walk walk;
  reference_label(&t->naive, dims, label);
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (label[d]) expected[label[d]] = true;
  assert_int_equal(clv_walk_all(&walk, t->map, dims), CLV_OK);
  for (uint32_t k = 1; k < walk.count; k++)
    if (walk.darts[k - 1] >= walk.darts[k]) twins_fail(t, "walk_all: dart %u comes too late", walk.darts[k]);
  check_met(t, "walk_all", dims, &walk, label, expected);
}

void twins_check_walks(const twins *t, uint32_t dims, uint32_t other, ref_dart dart) {
  ref_orbit orbit;
  reference_orbit(&t->naive, dims, dart, &orbit);
  check_orbit_walk(t, dims, &orbit);
  check_star_walk(t, dims, &orbit);
  check_incident_walk(t, dims, other, &orbit);
  check_adjacent_walk(t, dims, other, &orbit);
  check_whole_walk(t, dims);
}
