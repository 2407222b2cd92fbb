// A bench of several parts: which are run, and the RATIOs they leave, printed at the end.

#ifndef BENCH_TOOLS_PARTS_H
#define BENCH_TOOLS_PARTS_H

// Keeps the least value of a name.
void ratio_worst(const char *name, double value);

typedef struct bench_part {
  const char *name;
  void (*run)(void);
} bench_part;

// Runs the parts that are named, or all: PROGRAM [--meshes DIRECTORY] [PART...]. The list ends with a part without a
// name. A word that is no part ends the program.
int bench_parts(int count, char **words, const bench_part *parts);

#endif
