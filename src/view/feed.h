// Feeds: a code, and where its inputs come from.
//
// Most of what rows read are doubles on vertices, edges and faces, whose values lie in one array each: those are picked
// straight from there. The rest is read place by place.

#ifndef VIEW_FEED_H
#define VIEW_FEED_H

#include "view/site.h"

typedef struct view_pick {
  const double *data;
  const clv_column *column;
  uint32_t spot, stride, component, to;
  bool within; // from the reading at a sub-orbit
} view_pick;

typedef struct view_feed {
  view_code code;
  BASE_ARRAY(view_pick) picks, others; // straight from `data`; by column
  BASE_ARRAY(uint16_t) spots;          // of the picks, each once
  BASE_ARRAY(view_input) sums, points; // filled by whoever has them
} view_feed;

// The feed of some roots of a graph, which reads what the site does. False when memory is out.
bool view_feed_make(view_feed *feed, const view_site *site, const dag *graph, const dag_ref *roots, uint32_t count,
                    const clv_allocator *allocator);
void view_feed_free(view_feed *feed, const clv_allocator *allocator);

// Columns move when they grow: once before any number of fills, with no commit in between.
void view_feed_aim(view_feed *feed);
void view_feed_fill(const view_feed *feed, const view_reading *at_base, const view_reading *within, uint32_t lane,
                    double *values);
// The same for several lanes that were read side by side: picks alone; or all, of lanes in cells of one kind.
void view_feed_fill_picks(const view_feed *feed, const view_reading *reading, uint32_t lanes, double *values);
void view_feed_fill_lanes(const view_feed *feed, const view_reading *reading, uint32_t lanes, double *values);
// The data of a quadrature point, or of all points one behind another.
static inline void view_feed_point(const view_feed *feed, const double *data, uint32_t lane, double *values) {
  for (uint32_t k = 0; k < feed->points.count; k++)
    values[feed->points.data[k].to * VIEW_LANES + lane] = data[feed->points.data[k].index];
}

#endif
