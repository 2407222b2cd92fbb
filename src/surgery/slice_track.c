// What a slice asks its track, and what it tells it.
//
// Ahead of the blade decisions are remembered with the height at which they were made: a body at rest is cut as one
// stroke would, and in one that moves they are made anew. Where the blade has come to a vertex of a cell all of the
// cell is settled: its other vertices keep their sides and their heights, so that the next stroke, on another plane,
// goes on from where this one ended.

#include "surgery/slice.h"

#include <math.h>

double slice_centre_height(const slicing *c, const surgery_corners *corners) {
  double sum = 0;
  for (uint32_t v = 0; v < corners->count; v++) sum += c->surgery->heights.data[corners->slots[v]];
  return sum / corners->count;
}

double slice_width(const slicing *c, const surgery_corners *corners) {
  const double *pos = clv_body_positions(c->surgery->body);
  double square = 0;
  for (uint32_t v = 0; v < corners->count; v++)
    for (uint32_t w = 0; w < v; w++) {
      const double *p = pos + 3 * (size_t)corners->slots[v], *q = pos + 3 * (size_t)corners->slots[w];
      const double way[3] = {q[0] - p[0], q[1] - p[1], q[2] - p[2]};
      square = fmax(square, scalpel_dot(way, way));
    }
  return sqrt(square);
}

// Asking

// Whether the plane passes where it did when something was decided.
static bool is_as_high(const slicing *c, const track_mark *mark, double height) {
  return fabs(height - mark->height) <= c->slack;
}

void slice_recall(slicing *c, uint32_t slot) {
  if (!c->slice->track) return;
  track_mark *mark = track_at_vertex(c->slice->track, slot);
  double *height = &c->surgery->heights.data[slot];
  if (track_is(mark, TRACK_CAME)) mark->state = TRACK_UNKNOWN; // by somebody else's doing
  if (mark->state <= TRACK_AHEAD && !is_as_high(c, mark, *height)) *mark = (track_mark){0};
  if (track_is_open(mark)) return;
  if (!track_is(mark, TRACK_AHEAD)) *height = mark->height;
  c->sides.data[slot] = (int8_t)(!track_is(mark, TRACK_SIDE) ? 0 : *height > 0 ? 1 : -1);
}

void slice_foresee(slicing *c) {
  for (uint32_t v = 1; c->slice->track && v < c->sides.count; v++)
    if (track_is(track_at_vertex(c->slice->track, v), TRACK_MOVES)) c->sides.data[v] = 0;
}

clv_result slice_concerns(slicing *c, clv_dart cell, bool *concerned) {
  surgery_corners corners;
  if (!c->slice->track) return slice_crosses(c, cell, concerned);
  if (!surgery_cell_corners(c->surgery, cell, &corners)) return surgery_no_memory(c->surgery);
  *concerned = !slice_is_coarse(c, cell) && slice_is_crossed(c, &corners);
  return CLV_OK;
}

bool slice_waits(const slicing *c, clv_dart cell, const surgery_corners *corners) {
  bool waits = c->slice->track && slice_is_coarse(c, cell);
  for (uint32_t v = 0; c->slice->track && !waits && v < corners->count; v++)
    waits = track_is(track_at_vertex(c->slice->track, corners->slots[v]), TRACK_MOVES);
  return waits;
}

bool slice_touched(const slicing *c, clv_dart cell, const surgery_corners *corners) {
  const clv_track *track = c->slice->track;
  bool touched = track && track_is(track_at_cell(track, cell), TRACK_SIDE);
  for (uint32_t v = 0; track && !touched && v < corners->count; v++)
    touched = track_is(track_at_vertex(track, corners->slots[v]), TRACK_MET);
  return touched;
}

bool slice_stays_whole(const slicing *c, clv_dart cell, const surgery_corners *corners) {
  if (!c->slice->track) return false;
  const track_mark *mark = track_at_cell(c->slice->track, cell);
  return track_is(mark, TRACK_SIDE) ||
         (track_is(mark, TRACK_AHEAD) && is_as_high(c, mark, slice_centre_height(c, corners)));
}

// Telling

bool slice_leave_whole(const slicing *c, clv_dart cell, const surgery_corners *corners) {
  if (!c->slice->track) return true;
  track_mark *mark = track_at_cell(c->slice->track, cell);
  const bool first = track_is(mark, TRACK_UNKNOWN);
  if (!track_is(mark, TRACK_SIDE)) *mark = (track_mark){TRACK_AHEAD, slice_centre_height(c, corners)};
  return first;
}

// A vertex in the middle of a half lies off the plane, and is one as any other.
void slice_put_on(slicing *c) {
  uint32_t count;
  if (!c->slice->track) return;
  track_mark *marks = clv_column_data(c->slice->track->vertices, CLV_NONE, &count);
  const double *pos = clv_body_positions(c->surgery->body);
  for (uint32_t v = 0; v < count; v++)
    if (track_is(&marks[v], TRACK_CAME) && fabs(slice_height(c, pos + 3 * (size_t)v)) <= c->slack)
      marks[v] = (track_mark){TRACK_ON, 0};
}

// A vertex that has a side of its own becomes one of the plane for good.
static void take_for_on(const slicing *c, uint32_t slot) {
  track_mark *mark = track_at_vertex(c->slice->track, slot);
  if (track_is_open(mark)) *mark = (track_mark){TRACK_AHEAD, c->surgery->heights.data[slot]};
  if (track_is(mark, TRACK_SIDE)) mark->state = TRACK_ON;
}

// Whether the blade has passed below or above a vertex, no further ahead of where it is than so.
static bool is_passed(const slicing *c, uint32_t slot, double behind) {
  const double *p = clv_body_positions(c->surgery->body) + 3 * (size_t)slot, height = slice_height(c, p);
  const double foot[3] = {p[0] - height * c->normal[0], p[1] - height * c->normal[1], p[2] - height * c->normal[2]};
  return slice_passed(c, foot, behind);
}

// For good, at the height it has. Whoever was taken for one on the plane counts as refused when it is settled.
static void settle_vertex(const slicing *c, uint32_t slot, track_state state, clv_surgery_report *report) {
  track_mark *mark = track_at_vertex(c->slice->track, slot);
  report->refused += track_is(mark, TRACK_AHEAD);
  *mark = (track_mark){state, c->surgery->heights.data[slot]};
}

// About what the blade has come to.
static void settle_cell(slicing *c, clv_dart cell, const surgery_corners *corners, clv_surgery_report *report) {
  const double width = slice_width(c, corners);
  for (uint32_t v = 0; v < corners->count; v++) {
    const uint32_t slot = corners->slots[v];
    const track_mark *mark = track_at_vertex(c->slice->track, slot);
    if (track_is(mark, TRACK_MET)) continue;
    if (!c->sides.data[slot])
      settle_vertex(c, slot, is_passed(c, slot, width) ? TRACK_MET : TRACK_ON, report);
    else if (track_is_open(mark))
      settle_vertex(c, slot, TRACK_SIDE, report);
  }
  track_mark *mark = track_at_cell(c->slice->track, cell);
  if (!track_is(mark, TRACK_AHEAD)) return;
  report->refused += slice_may_split(c, cell); // those that cannot be are counted when the blade comes by
  *mark = (track_mark){TRACK_SIDE, slice_centre_height(c, corners)};
}

clv_result slice_settle(slicing *c, clv_surgery_report *report) {
  clv_surgery *s = c->surgery;
  if (!c->slice->track) return CLV_OK;
  const clv_result result = slice_measure(c);
  if (result != CLV_OK) return result;
  for (uint32_t v = 1; v < c->on.count; v++)
    if (c->on.data[v]) take_for_on(c, v);
  for (clv_id id = clv_id_next(s->map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(s->map, CLV_VERTEX, id)) {
    const bool met = track_is(track_at_vertex(c->slice->track, id.index), TRACK_MET);
    if (!met && !c->sides.data[id.index] && is_passed(c, id.index, 0)) settle_vertex(c, id.index, TRACK_MET, report);
  }
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));) {
    surgery_corners corners;
    if (!surgery_cell_corners(s, cell, &corners)) return surgery_no_memory(s);
    if (slice_touched(c, cell, &corners)) settle_cell(c, cell, &corners, report);
  }
  return CLV_OK;
}
