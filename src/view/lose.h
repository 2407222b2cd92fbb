// What follows a commit that only loses: sums (lessen.c), tables (lose.c).

#ifndef VIEW_LOSE_H
#define VIEW_LOSE_H

#include "view/views.h"

typedef struct view_loss {
  clv_views *views;
  const map *m;
  const clv_commit *commit;
  uint32_t kind;
  const clv_dart *removed; // cells, where nothing else was done; none otherwise
  uint32_t removed_count;
  bool many;       // of them (map/cull.c): what is left is gone over as a whole (sweep.c) ...
  bool sweeping;   // ... for what is derived now: one formula says all of it
  bool parting;    // one facet was unsewn
  uint32_t splits; // events
  uint32_t first[MAP_INDICES], end[MAP_INDICES]; // events by dims
  const uint32_t *origins;                       // by vertex, once somebody asked for them
} view_loss;

// The places of some events' orbits, which are walked where the map did not. False when memory is out.
bool view_lost_stars(view_loss *l, const uint32_t *numbers, uint32_t lanes, view_star *stars);

// Derives a quantity again at the orbits that events name. False when memory is out.
bool view_lessen(view_loss *l, const view_figure *figure);

#endif
