// Tracks: making them, and how strokes follow each other. See track.h.

#include "surgery/track.h"
#include "surgery/scalpel.h"

#include <math.h>
#include <stdio.h>

static clv_result create_column(clv_track *track, clv_orbit orbit, uint32_t number, clv_column **column) {
  static const track_mark came = {TRACK_CAME, 0};
  const bool vertices = orbit == CLV_VERTEX;
  char name[32];
  snprintf(name, sizeof name, "track%u_%s", number, vertices ? "vertices" : "cells");
  const clv_column_def def = {.name = name,
                              .orbit = orbit,
                              .type = CLV_DOUBLE,
                              .components = 2,
                              .initial = vertices ? &came : NULL,
                              .passing = true};
  return clv_column_create(track->surgery->map, &def, column);
}

static void forget(clv_track *track) {
  clv_dart cell;
  uint32_t count;
  track_mark *marks = clv_column_data(track->vertices, CLV_NONE, &count);
  if (count) memset(marks, 0, count * sizeof *marks);
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(track->surgery->map, &at));)
    *track_at_cell(track, cell) = (track_mark){0};
  track->memory = (track_memory){0};
}

clv_track *clv_track_create(clv_surgery *surgery, uint32_t number, clv_error *error) {
  if (!surgery) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "a track needs a surgery");
    return NULL;
  }
  clv_track *track = base_allocate(&surgery->allocator, sizeof *track);
  if (!track) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a track is made");
    return NULL;
  }
  *track = (clv_track){.surgery = surgery};
  clv_result result = create_column(track, CLV_VERTEX, number, &track->vertices);
  if (result == CLV_OK) result = create_column(track, CLV_CELL, number, &track->cells);
  if (result == CLV_OK) {
    forget(track);
    return track;
  }
  clv_error_set(error, result, "%s", clv_map_error(surgery->map));
  clv_track_destroy(track);
  return NULL;
}

void clv_track_destroy(clv_track *track) {
  if (!track) return;
  const clv_allocator allocator = track->surgery->allocator;
  if (track->vertices) clv_column_destroy(track->surgery->map, track->vertices);
  if (track->cells) clv_column_destroy(track->surgery->map, track->cells);
  base_free(&allocator, track, sizeof *track);
}

void clv_track_memory(clv_track *track, double **values, size_t *count) {
  *values = track->values;
  *count = sizeof track->values / sizeof *track->values;
}

void track_begin(clv_track *track, const clv_blade *blade) {
  track_memory *m = &track->memory;
  double way[3];
  for (uint32_t k = 0; k < 3; k++)
    way[k] = 0.5 * (blade->after[0][k] - blade->before[0][k] + blade->after[1][k] - blade->before[1][k]);
  const double now = scalpel_dot(way, way), then = scalpel_dot(m->way, m->way), both = scalpel_dot(way, m->way);
  if (!(now > 0)) return;
  if (both * both < 0.25 * now * then) forget(track); // by more than 60 degrees
  memcpy(m->way, way, sizeof way);
}

bool track_follow(clv_track *track, const double normal[3], double length, double *behind) {
  track_memory *m = &track->memory;
  const bool back = scalpel_dot(m->normal, normal) < 0;
  if (back && length <= m->gone + 1e-9 * track->surgery->body->size) { // back at its beginning, but for rounding
    m->gone = fmax(m->gone - length, 0);
    return false;
  }
  if (back) forget(track); // it goes on beyond its beginning, the other way
  *behind = m->gone;
  m->gone += length;
  memcpy(m->normal, normal, sizeof m->normal);
  return true;
}

void track_remember_parted(const clv_track *track) {
  const clv_surgery *s = track->surgery;
  for (uint32_t k = 0; k < s->facets.count; k++) {
    *track_at_cell(track, s->facets.data[k]) = (track_mark){TRACK_SIDE, 1};
    *track_at_cell(track, clv_alpha(s->map, s->facets.data[k], s->map->dimension)) = (track_mark){TRACK_SIDE, -1};
  }
}
