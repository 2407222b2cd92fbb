// A compiler that was started: a process of its own, watched until it ends.
//
// Several may run side by side. This file knows processes and clocks, and nothing of what is compiled.

#ifndef RULE_COMPILE_CHILD_H
#define RULE_COMPILE_CHILD_H

#include "cleave/base.h"

#include <sys/types.h>
#include <time.h>

typedef struct compile_child {
  const char *program, *log; // as they were given
  pid_t process;             // 0: none is running
  struct timespec start;
  bool ended_well, in_time;
} compile_child;

// Starts a program, found at `program`, with these words; what it says goes to the file `log`. False: `error` says why.
// The strings are not copied.
bool compile_start(compile_child *child, const char *program, char *const *words, const char *log, clv_error *error);
// Whether one that was running has ended by now; true once. It is stopped when it takes too long.
bool compile_has_ended(compile_child *child);
// Of one that has ended; false: `error` says what happened.
bool compile_ended_well(const compile_child *child, clv_error *error);

// A moment to wait before one looks again.
void compile_pause(void);
// How many can run side by side.
uint32_t compile_processors(void);

#endif
