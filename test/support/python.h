// Runs a checker in Python: what we write, read by other people's programs. Debian's own Python has the packages,
// whatever else is called python3 on this machine.

#ifndef CLEAVE_TEST_SUPPORT_PYTHON_H
#define CLEAVE_TEST_SUPPORT_PYTHON_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

// test/SCRIPT with arguments (a piece of a shell's command line); it fails the test by not ending with 0.
static inline void run_python(const char *script, const char *arguments) {
  char command[8192];
  snprintf(command, sizeof command, "/usr/bin/python3 '%s/test/%s' %s", TEST_SOURCE_DIR, script, arguments);
  fflush(stdout);
  if (system(command) != 0) fail_msg("%s", command);
}

#endif
