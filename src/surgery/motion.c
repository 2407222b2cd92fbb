// Bodies that move while a tool does.
//
// What a tool cuts is what it goes through. Between two steps both have moved, the tool and the matter, each straight
// on: the segment between the centres of two cells meets the edge of a blade when all four ends lie in a plane, which
// is a cubic in time, and the two cross there. The end of one stroke is the beginning of the next, so that nothing
// slips through between them: not when the body gives way, falls onto a knife that is held, or turns. About every edge
// of the mesh the centres of its cells are a ring, and a line that goes from outside to outside cuts a ring an even
// number of times, however it and the line move: what was cut is a surface without holes.

#include "surgery/scalpel.h"
#include "surgery/surgery.h"

#include <math.h>

void surgery_motion_reach(const clv_surgery *s, const clv_motion *motion, double reach[3]) {
  const double *pos = clv_body_positions(s->body);
  reach[0] = reach[1] = reach[2] = 0;
  for (clv_id id = clv_id_next(s->map, CLV_VERTEX, (clv_id){0}); motion->from && id.index;
       id = clv_id_next(s->map, CLV_VERTEX, id))
    for (uint32_t k = 0; k < 3; k++) {
      const size_t at = 3 * (size_t)id.index + k;
      reach[k] = fmax(reach[k], motion->left[0] * fabs(pos[at] - motion->from[at]));
    }
}

bool surgery_same_ends(const double a[2][3], const double b[2][3]) {
  bool same = true;
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) same = same && a[e][k] == b[e][k];
  return same;
}

// Two segments, from time 0 to time 1.
typedef struct meeting {
  double edge[2][2][3];    // of the blade: then and now, its two ends
  double segment[2][2][3]; // of the matter, likewise
} meeting;

static void between(double points[2][2][3], double time, double at[2][3]) {
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) at[e][k] = points[0][e][k] + time * (points[1][e][k] - points[0][e][k]);
}

// Six times the volume between the four ends.
static double volume_at(meeting *m, double time) {
  double edge[2][3], segment[2][3], along[3], p[3], q[3], across[3];
  between(m->edge, time, edge);
  between(m->segment, time, segment);
  for (uint32_t k = 0; k < 3; k++) {
    along[k] = edge[1][k] - edge[0][k];
    p[k] = segment[0][k] - edge[0][k];
    q[k] = segment[1][k] - edge[0][k];
  }
  scalpel_cross(p, q, across);
  return scalpel_dot(along, across);
}

// Whether the two cross at a time when they lie in a plane: each one's ends on both sides of the other.
static bool cross_at(meeting *m, double time) {
  double edge[2][3], segment[2][3], along[3], way[3], normal[3];
  between(m->edge, time, edge);
  between(m->segment, time, segment);
  for (uint32_t k = 0; k < 3; k++) {
    along[k] = edge[1][k] - edge[0][k];
    way[k] = segment[1][k] - segment[0][k];
  }
  scalpel_cross(along, way, normal);
  double sides[2][2];
  for (uint32_t e = 0; e < 2; e++) {
    double to[3], back[3], turn[3];
    for (uint32_t k = 0; k < 3; k++) {
      to[k] = segment[e][k] - edge[0][k];
      back[k] = edge[e][k] - segment[0][k];
    }
    scalpel_cross(along, to, turn);
    sides[0][e] = scalpel_dot(turn, normal);
    scalpel_cross(way, back, turn);
    sides[1][e] = scalpel_dot(turn, normal);
  }
  return (sides[0][0] >= 0) != (sides[0][1] >= 0) && (sides[1][0] >= 0) != (sides[1][1] >= 0);
}

// Times between which the volume only grows or only shrinks.
static uint32_t find_turns(meeting *m, double turns[4]) {
  const double at[4] = {volume_at(m, 0), volume_at(m, 1.0 / 3), volume_at(m, 2.0 / 3), volume_at(m, 1)};
  const double c = (-11 * at[0] + 18 * at[1] - 9 * at[2] + 2 * at[3]) / 2,
               b = 9 * (2 * at[0] - 5 * at[1] + 4 * at[2] - at[3]) / 2,
               a = 9 * (-at[0] + 3 * at[1] - 3 * at[2] + at[3]) / 2;
  const double square = b * b - 3 * a * c; // of 3 a t^2 + 2 b t + c = 0
  uint32_t count = 0;
  turns[count++] = 0;
  if (square > 0) {
    const double sum = -(b + copysign(sqrt(square), b)), one = sum / (3 * a), other = c / sum;
    const double low = fmin(one, other), high = fmax(one, other);
    if (low > 0 && low < 1) turns[count++] = low;
    if (high > 0 && high < 1 && high > low) turns[count++] = high;
  }
  turns[count] = 1;
  return count;
}

static bool meet_between(meeting *m, double from, double to) {
  const bool above = volume_at(m, from) >= 0;
  if ((volume_at(m, to) >= 0) == above) return false;
  for (double middle = 0.5 * (from + to); middle > from && middle < to; middle = 0.5 * (from + to)) {
    if ((volume_at(m, middle) >= 0) == above)
      from = middle;
    else
      to = middle;
  }
  return cross_at(m, to);
}

int surgery_blade_meets(const clv_blade *blade, const clv_motion *motion, const surgery_ends *ends, double aside) {
  static const double away[3] = {0.5813, 0.6841, 0.4407}; // as for sheets
  meeting m = {{{{0}}}, {{{0}}}};
  double along[3], way[3], apart[3], normal[3];
  memcpy(m.edge[0], blade->before, sizeof m.edge[0]);
  memcpy(m.edge[1], blade->after, sizeof m.edge[1]);
  for (uint32_t time = 0; time < 2; time++)
    for (uint32_t e = 0; e < 2; e++)
      for (uint32_t k = 0; k < 3; k++)
        m.segment[time][e][k] =
            ends->now[e][k] - motion->left[time] * (ends->now[e][k] - ends->was[e][k]) + aside * away[k];
  double turns[4];
  const uint32_t count = find_turns(&m, turns);
  bool met = false;
  for (uint32_t k = 0; !met && k < count; k++) met = meet_between(&m, turns[k], turns[k + 1]);
  for (uint32_t k = 0; k < 3; k++) {
    along[k] = blade->after[1][k] - blade->after[0][k];
    way[k] = m.edge[1][0][k] - m.edge[0][0][k] - 0.5 * (m.segment[1][0][k] - m.segment[0][0][k]) -
             0.5 * (m.segment[1][1][k] - m.segment[0][1][k]);
    apart[k] = ends->now[0][k] - ends->now[1][k];
  }
  scalpel_cross(along, way, normal);
  return !met ? 0 : scalpel_dot(apart, normal) >= 0 ? 1 : -1;
}

static double square_from_edge(const double edge[2][3], const double *p) {
  double along[3], to[3];
  for (uint32_t k = 0; k < 3; k++) {
    along[k] = edge[1][k] - edge[0][k];
    to[k] = p[k] - edge[0][k];
  }
  const double square = scalpel_dot(along, along);
  const double part = square > 0 ? fmin(fmax(scalpel_dot(to, along) / square, 0), 1) : 0;
  for (uint32_t k = 0; k < 3; k++) to[k] -= part * along[k];
  return scalpel_dot(to, to);
}

// The mean of the ways of all vertices; those about the edge weigh most.
static void mean_way(const clv_surgery *s, const clv_blade *blade, const clv_motion *motion, double way[3]) {
  const double *pos = clv_body_positions(s->body), about = 0.02 * s->body->size;
  double sum = 0;
  way[0] = way[1] = way[2] = 0;
  for (clv_id id = clv_id_next(s->map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(s->map, CLV_VERTEX, id)) {
    const size_t at = 3 * (size_t)id.index;
    const double square = square_from_edge(blade->after, pos + at) + about * about, weight = 1 / (square * square);
    sum += weight;
    for (uint32_t k = 0; k < 3; k++) way[k] += weight * (pos[at + k] - motion->from[at + k]);
  }
  for (uint32_t k = 0; k < 3 && sum > 0; k++) way[k] /= sum;
}

clv_blade surgery_blade_seen(const clv_surgery *s, const clv_blade *blade, const clv_motion *motion) {
  clv_blade seen = *blade;
  if (!motion->from) return seen;
  double way[3], gone[3];
  mean_way(s, blade, motion, way);
  for (uint32_t e = 0; e < 2; e++)
    for (uint32_t k = 0; k < 3; k++) {
      seen.before[e][k] += motion->left[0] * way[k];
      seen.after[e][k] += motion->left[1] * way[k];
      gone[k] = seen.after[0][k] - seen.before[0][k];
    }
  // What trembles beside a blade that rests has not gone through it.
  const bool rests = surgery_same_ends(blade->before, blade->after);
  return rests && sqrt(scalpel_dot(gone, gone)) < 1e-6 * s->body->size ? *blade : seen;
}
