// A bench for building: a mesh to fill, a map built from it in counted memory, and what the builder said.

#ifndef CLEAVE_TEST_SUPPORT_BENCH_H
#define CLEAVE_TEST_SUPPORT_BENCH_H

#include "cleave/mesh.h"
#include "support/counting_allocator.h"

#define COUNT(array) (sizeof(array) / sizeof *(array))

typedef struct bench {
  counting_memory memory;
  clv_mesh mesh;
  clv_map *map;
  clv_build_report report;
  clv_error error;
} bench;

void bench_start(bench *b);
// Also asserts that nothing is left of the map.
void bench_end(bench *b);

void bench_add_points(bench *b, const double (*points)[3], size_t count);
// Element k gets the tag 7 k - 3.
void bench_add(bench *b, clv_kind kind, const uint32_t *corners, size_t count);
#define ADD(b, kind, ...) bench_add(b, kind, (const uint32_t[]){__VA_ARGS__}, COUNT(((const uint32_t[]){__VA_ARGS__})))
// A grid of 1.5 x 1 x 1, tagged likewise.
void bench_add_grid(bench *b, clv_grid_kind kind, uint32_t x, uint32_t y, uint32_t z, bool shared);

// Corners of a unit cell of each kind, positively oriented.
extern const double bench_unit[CLV_TEMPLATE_LAST + 1][8][3];
void bench_add_unit(bench *b, clv_kind kind);

clv_result bench_try(bench *b, bool merge);
// Builds, and the map passes its check.
void bench_build(bench *b, bool merge);
// Builds nothing, and says why: every word given is in the message.
void bench_refuse(bench *b, bool merge, const char *const *words, size_t count);
#define REFUSE(b, merge, ...)                                                                                          \
  bench_refuse(b, merge, (const char *const[]){__VA_ARGS__}, COUNT(((const char *const[]){__VA_ARGS__})))

clv_map_info bench_info(const bench *b);
// The signed measure of a template cell, its corners in the order of its row.
double bench_measure(const bench *b, clv_kind kind, uint32_t row);

#endif
