// The board: the state of a world as it was last published, and frames made from it.
//
// The engine writes to it, clients read from it; whoever does either holds its lock. The engine only tries for the
// lock, and comes back after the next step where it is taken.

#ifndef LIVE_BOARD_H
#define LIVE_BOARD_H

#include "live/show.h"

typedef enum live_field_name {
  LIVE_VON_MISES,
  LIVE_STRAIN,
  LIVE_ENERGY,
  LIVE_VELOCITY,
  LIVE_REGION,
  LIVE_LEVEL,
  LIVE_FIELDS,
  LIVE_NO_FIELD = LIVE_FIELDS
} live_field_name;

extern const char *const live_field_names[LIVE_FIELDS];

typedef struct live_field {
  bool on_cells;
  float least, greatest;
  BASE_ARRAY(float) values;
  uint32_t number; // how often it was published
} live_field;

typedef struct live_sheet {
  BASE_ARRAY(live_face) faces;
  BASE_ARRAY(uint32_t) stamps;
  uint32_t version;
} live_sheet;

// What is shown of one body.
typedef struct live_panel {
  BASE_ARRAY(float) points;
  BASE_ARRAY(uint32_t) held;
  uint32_t held_version;
  uint64_t held_revision; // of the map
  live_sheet layers[LIVE_LAYERS];
  live_field fields[LIVE_FIELDS];
} live_panel;

typedef struct live_board {
  const clv_allocator *allocator;
  live_panel *panels;
  uint32_t bodies;
  double time;
  uint64_t step;
  uint32_t frame;
  bool paused;
  uint64_t publication;
} live_board;

bool live_board_create(live_board *board, const clv_allocator *allocator, uint32_t bodies);
void live_board_free(live_board *board);
// Takes over what changed in a table. False when memory is out; then all of it has to come again.
bool live_board_take(live_board *board, live_sheet *sheet, live_table *table);

// What a client knows of a body.
typedef struct live_known {
  uint32_t version[LIVE_LAYERS], held, field;
} live_known;

typedef struct live_look {
  bool inner; // layer 1, too
  live_field_name field;
} live_look;

// A frame for one who knows what `known` says, with room in front, appended to `bytes`; `known` is what it knows then.
// False when memory is out.
typedef struct live_bytes {
  BASE_ARRAY(uint8_t) data;
} live_bytes;
bool live_board_frame(const live_board *board, live_look look, live_known *known, const clv_allocator *allocator,
                      live_bytes *bytes);

#endif
