// What a compiled rule sees of the map it changes.
//
// A rule in C is three functions for each dimension it serves: match, guard, write. They are straight code over
// positions and nodes; what touches the map's storage they ask of the library, through the calls below. This header is
// part of the text that is compiled: it names no other type, and nothing of the library.
//
// Each call that can fail is 0 then, and has said why.

#ifndef RULE_MACHINE_H
#define RULE_MACHINE_H

typedef unsigned int machine_u32;
typedef unsigned char machine_u8;
typedef struct machine machine;

struct machine {
  machine_u32 count;   // positions
  machine_u32 *across; // [position * columns + column]
  machine_u32 *darts;  // [position * nodes + node]; 0: not there
  const machine_u32 *hooks;
  const machine_u8 *kinds; // of the hooks' cells; 0 for one that is no plain template cell
  const int *numbers;      // the levels, by parameter

  machine_u32 (*alpha)(const machine *self, machine_u32 dart, machine_u32 i);
  machine_u32 (*side)(const machine *self, machine_u32 dart);
  int (*level)(machine *self, machine_u32 dart, int level, machine_u32 *end); // a0 at a level

  // Matching
  int (*room)(machine *self, machine_u32 count); // for so many positions; darts are 0
  int (*walk)(machine *self);                    // finds the positions dart by dart
  int (*differ)(machine *self);                  // a dart is one node at one position
  int (*mismatch)(machine *self, machine_u32 position, machine_u32 node, machine_u32 i);
  // Guards
  int (*within)(machine *self, machine_u32 dims, machine_u32 dart, machine_u32 other); // 1, 0, or -1: failed
  int (*guard)(machine *self, machine_u32 number); // evaluates one that is not compiled; -1: failed
  int (*refuse)(machine *self, machine_u32 number);
  // Writing
  int (*extend)(machine *self, machine_u32 dart); // inner links of its cell may be written
  int (*leave)(machine *self, machine_u32 dart);  // likewise, for a dart that goes
  int (*add)(machine *self, machine_u32 side, machine_u32 *dart);
  int (*link)(machine *self, machine_u32 dart, machine_u32 i, machine_u32 target);
  int (*torn)(machine *self, machine_u32 dart, machine_u32 i);
  int (*drop)(machine *self, machine_u32 dart);
};

typedef int machine_function(machine *self);

// The functions of a rule for maps of dimension 2 and 3; NULL where it does not serve.
typedef struct machine_code machine_code;
struct machine_code {
  machine_function *match[2], *guard[2], *write[2];
};

#endif
