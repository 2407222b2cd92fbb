#include "product.h"

#include "../tools/tools.h"
#include "body.h"

#include <stdio.h>
#include <stdlib.h>

enum { ROUNDS = 10 };

typedef struct product_case {
  const char *module, *law;
  uint32_t cubes[3];
} product_case;

// A beam of about 5,000 springs, and 1,500 tetrahedra.
static const product_case cases[] = {{"springs", "stretch", {16, 6, 6}},
                                     {"fem", "corotational_qr", {7, 6, 6}},
                                     {"fem", "corotational", {7, 6, 6}},
                                     {"fem", "stvk", {7, 6, 6}},
                                     {"fem", "neohooke", {7, 6, 6}}};

typedef struct product {
  clv_views *views;
  double *direction, *force;
} product;

static void run_along(void *user) {
  const product *p = user;
  bench_ok(clv_views_force_along(p->views, p->direction, NULL, p->force), "product", clv_views_error(p->views));
}

static void run_linear(void *user) {
  const product *p = user;
  bench_ok(clv_views_linear_force(p->views, p->direction, NULL, p->force), "product", clv_views_error(p->views));
}

static void run_linearize(void *user) {
  const product *p = user;
  bench_ok(clv_views_linearize(p->views), "linearize", clv_views_error(p->views));
}

static void measure(const product_case *c) {
  clv_program *program = bench_program(c->module);
  clv_map *map = bench_map(c->cubes);
  const uint32_t slots = clv_id_slots(map, CLV_VERTEX);
  product p = {.views = bench_views(program, map, c->law, 1)};
  p.direction = bench_memory((size_t)slots * 3 * sizeof(double));
  p.force = bench_memory((size_t)slots * 3 * sizeof(double));
  for (uint32_t k = 0; k < 3 * slots; k++) p.direction[k] = (double)(k * 7919 % 1000) / 1000 - 0.5;
  run_linearize(&p);
  bench_contestant all[] = {{run_along, &p, 0}, {run_linear, &p, 0}, {run_linearize, &p, 0}};
  bench_compete(all, 3, bench_seconds, ROUNDS);
  const double rows = (double)clv_views_rows(p.views, c->law), to_ns = 1e9 / rows;
  printf("%-16s %8.0f %11.2f %11.2f %11.2f\n", c->law, rows, all[0].best * to_ns, all[1].best * to_ns,
         all[2].best * to_ns);
  free(p.direction);
  free(p.force);
  clv_views_destroy(p.views);
  clv_map_destroy(map);
  clv_program_destroy(program);
}

void bench_print_products(void) {
  printf("\n%-16s %8s %11s %11s %11s\n", "stiffness times", "elements", "product", "linearised", "to linearise");
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) measure(&cases[k]);
}
