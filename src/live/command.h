// Commands: what a client may say, and what each needs. One table says it all; what is wrong is told before the engine
// hears of it.

#ifndef LIVE_COMMAND_H
#define LIVE_COMMAND_H

#include "live/board.h"

typedef enum live_verb {
  LIVE_LOOK,
  LIVE_PAUSE,
  LIVE_RUN,
  LIVE_STEP,
  LIVE_SPEED,
  LIVE_RESET,
  LIVE_UNDO,
  LIVE_GRAB,
  LIVE_DRAG,
  LIVE_DROP,
  LIVE_KNIFE,
  LIVE_KNIFE_END,
  LIVE_PIERCE,
  LIVE_REMOVE,
  LIVE_REFINE,
  LIVE_COARSEN,
  LIVE_FIX,
  LIVE_FREE,
  LIVE_SET,
  LIVE_MODEL,
  LIVE_INTEGRATOR,
  LIVE_PICK,
  LIVE_RECORD,
  LIVE_SEEK,
  LIVE_VERBS
} live_verb;

enum { LIVE_NAME = 40 };

typedef struct live_command {
  live_verb verb;
  uint32_t client;
  bool asked; // an answer is wanted
  double seq;
  uint32_t body, point, cell, level, count, frame;
  double at[3], from[3], to[3], radius, blade[4][3], factor, value, rate;
  char name[LIVE_NAME];
  bool on;
  bool looks_inner, looks_field; // `layer`, `field` were given
  live_look look;
  char *text; // of those that a replay needs: as it came, without line ends; the engine frees it
  uint32_t length;
} live_command;

// Whether it changes the world, and whether it changes the topology of a body or what holds it.
bool live_verb_changes(live_verb verb);
bool live_verb_edits(live_verb verb);
const char *live_verb_name(live_verb verb);

// NULL, or what is wrong in at most 120 bytes, which `reason` holds.
typedef struct live_reason {
  char text[121];
} live_reason;
bool live_command_read(live_command *command, const char *text, size_t size, live_reason *reason);

#endif
