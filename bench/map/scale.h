// What a cell costs as bodies grow.

#ifndef BENCH_MAP_SCALE_H
#define BENCH_MAP_SCALE_H

// Prints a table of every figure from 8^3 to 128^3 cubes and draws it into out/bench/map_scale.svg.
void bench_scale(void);

#endif
