// Matrices: patterns that follow cuts and refinements by the rows that those touched, struts beside them, and the loops
// that add blocks, for any width of registers.

#include "cleave/surgery.h"
#include "solve/block_set.h"
#include "solve/matrix_rows.h"
#include "solve/struts.h"
#include "solve/wide.h"
#include "support/systems.h"

// Struts

// What the diagonal and the product of struts are in the matrix.
static void compare_struts(const struts *s, const matrix *m, const double *x, double *const out[2], double *blocks) {
  const size_t n = 3 * (size_t)m->rows;
  const double dots[2] = {matrix_multiply(m, x, out[0]), struts_multiply(s, x, out[1])};
  assert_true(distance(out[0], out[1], n) <= 1e-13 * largest(out[0], n));
  assert_true(fabs(dots[0] - dots[1]) <= 1e-12 * fabs(dots[0]));
  struts_diagonal(s, blocks);
  double greatest = 0;
  for (uint32_t row = 0; row < m->rows; row++)
    for (uint32_t e = 0; e < 9; e++) {
      const double *block = matrix_block(m, m->starts.data[row]);
      assert_true(fabs(block[e] - blocks[9 * (size_t)row + e]) <= 1e-13 * largest(block, 9));
      greatest = fmax(greatest, e % 4 == 0 ? block[e] : 0);
    }
  assert_true(s->largest <= greatest && s->largest > 0.05 * greatest);
}

static void struts_are_the_matrix(void **state) {
  (void)state;
  static const clv_grid_kind kinds[3] = {CLV_GRID_HEX, CLV_GRID_TET5, CLV_GRID_QUAD};
  const clv_allocator allocator = clv_default_allocator();
  for (uint32_t c = 0; c < 3; c++) {
    body_setup setup = setup_of(kinds[c], "springs");
    clv_body *body = body_of(&setup);
    body_shake(body, 0.002, 3);
    const size_t n = 3 * (size_t)clv_body_slots(body);
    double *x = numbers(n), *out[2] = {numbers(n), numbers(n)}, *blocks = numbers(3 * n);
    matrix m;
    struts s;
    bool changed;
    const matrix_sum sum = {clv_body_masses(body), 1, 0.0001, 0};
    matrix_init(&m, clv_body_views(body), &allocator);
    struts_init(&s, clv_body_views(body), &allocator);
    assert_int_equal(matrix_follow(&m, &changed), CLV_OK);
    assert_true(struts_serve(clv_body_views(body)) && struts_follow(&s, &changed) && changed);
    matrix_assemble(&m, &sum);
    struts_assemble(&s, &sum);
    fill(x, n, 1, 5 + c);
    compare_struts(&s, &m, x, out, blocks);
    views_forget(clv_body_views(body)); // as if something had changed
    assert_int_equal(matrix_follow(&m, &changed), CLV_OK);
    assert_true(struts_follow(&s, &changed) && !changed);
    struts_free(&s);
    matrix_free(&m);
    free(x);
    free(out[0]);
    free(out[1]);
    free(blocks);
    clv_body_destroy(body);
  }
}

// Diagonals that follow from the blocks beside them, and laws whose do not: what a matrix does along a direction is
// what the forces say.
static void matrices_do_what_forces_say(void **state) {
  (void)state;
  static const char own[] = "use fem;\n"
                            "param k:real[N/m] = 1e5;\n"
                            "force net on e:edge external { energy k*dot(e.pos+e@0.pos, e.pos+e@0.pos); }\n"
                            "force own on t:tet { over q in t { energy iso(green(grad(t.pos,q)), t.mu, t.lam); } }\n";
  static const char *const models[3] = {"springs", "fem-corotational-qr", "rules"};
  const clv_allocator allocator = clv_default_allocator();
  clv_program *program = clv_program_create(NULL);
  assert_int_equal(clv_program_add(program, "own.rule", own, strlen(own)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  for (uint32_t c = 0; c < 3; c++) {
    body_setup setup = setup_of(CLV_GRID_TET5, models[c]);
    setup.def.program = c == 2 ? program : NULL;
    clv_body *body = body_of(&setup);
    body_shake(body, 0.002, 3);
    const size_t n = 3 * (size_t)clv_body_slots(body);
    double *x = numbers(n), *product = numbers(n), *force = numbers(n);
    matrix m;
    bool rebuilt;
    fill(x, n, 1, 5 + c);
    for (size_t k = 0; k < 3; k++) x[k] = 0; // no vertex has this slot
    matrix_init(&m, clv_body_views(body), &allocator);
    assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
    matrix_assemble(&m, &(matrix_sum){clv_body_masses(body), 0, 1, 0});
    assert_int_equal(m.balances, c < 2);
    matrix_multiply(&m, x, product);
    assert_int_equal(clv_body_force_along(body, x, NULL, force), CLV_OK);
    for (size_t k = 0; k < n; k++) force[k] = -force[k];
    assert_true(distance(product, force, n) <= 1e-11 * largest(force, n));
    double greatest = 0;
    for (uint32_t k = 0; k < n; k++) greatest = fmax(greatest, matrix_block(&m, m.starts.data[k / 3])[4 * (k % 3)]);
    assert_true(m.largest == greatest);
    matrix_free(&m);
    free(x);
    free(product);
    free(force);
    clv_body_destroy(body);
  }
  clv_program_destroy(program);
}

// Where there is no matrix its diagonal is added up from the same rows.
static void compare_diagonals(clv_body *body) {
  const clv_allocator allocator = clv_default_allocator();
  const matrix_sum sum = {clv_body_masses(body), 1, 0.0001, 0.01};
  double *blocks = numbers(9 * (size_t)clv_body_slots(body));
  matrix m;
  bool rebuilt;
  matrix_init(&m, clv_body_views(body), &allocator);
  assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
  matrix_assemble(&m, &sum);
  assert_int_equal(matrix_diagonal(&m, &sum, blocks), CLV_OK);
  for (uint32_t row = 0; row < m.rows; row++) {
    const double *block = matrix_block(&m, m.starts.data[row]);
    assert_true(distance(block, blocks + 9 * (size_t)row, 9) <= 1e-13 * largest(block, 9));
  }
  matrix_free(&m);
  free(blocks);
}

static void a_diagonal_alone_is_that_of_the_matrix(void **state) {
  (void)state;
  static const struct {
    clv_grid_kind kind;
    const char *model;
    double viscosity;
  } cases[] = {
      {CLV_GRID_TET5, "springs", 0},    {CLV_GRID_TET5, "springs", 0.5}, {CLV_GRID_HEX, "fem-corotational-qr", 0},
      {CLV_GRID_QUAD, "fem-linear", 0}, {CLV_GRID_TET5, "stvk", 0},      {CLV_GRID_QUAD, "cloth", 0}};
  for (size_t c = 0; c < sizeof cases / sizeof *cases; c++) {
    body_setup setup = setup_of(cases[c].kind, cases[c].model);
    setup.section.material.viscosity = cases[c].viscosity;
    clv_body *body = body_of(&setup);
    body_shake(body, 0.002, 3);
    compare_diagonals(body);
    clv_body_destroy(body);
  }
}

// All loops over blocks, on the same numbers.
static void any_width_gives_the_same_blocks(void **state) {
  (void)state;
  enum { SIZE = 4, N = 3 * SIZE, ROWS = 21, STRUTS = 40 };
  const block_set *sets[2] = {block_plain(), block_best()};
  double from[N * N * 8], symmetric[9 * 8], values[2][9 * 16 + WIDE_PAD], blocks[9 * ROWS], records[2][8 * 8],
      x[4 * ROWS];
  double most[2][8] = {{0}}, sums[2][4 * ROWS], between[8 * STRUTS];
  float inverses[2][9 * 8 * ((ROWS + 7) / 8)];
  uint32_t ends[2 * STRUTS];
  const uint32_t targets[3][8] = {
      {0 << 3 | MATRIX_FIRST, 1 << 3 | MATRIX_TURNED, 2 << 3, 3 << 3, 4 << 3, 5 << 3 | MATRIX_TURNED, 6 << 3, 7 << 3},
      {8 << 3, 9 << 3, 0 << 3, 1 << 3 | MATRIX_BOTH, 10 << 3, 3 << 3, 2 << 3, 11 << 3},
      {12 << 3, 13 << 3 | MATRIX_FIRST, 14 << 3, 15 << 3, 12 << 3, 1 << 3, 2 << 3, 3 << 3}};
  const uint32_t others[8] = {8 << 3, 9 << 3, 0 << 3, 1 << 3, 10 << 3, 3 << 3, 2 << 3, 11 << 3};
  const uint32_t *const pairs[3] = {targets[2], others, targets[0]};
  uint8_t held[ROWS] = {[3] = 7, [8] = 1};
  const uint32_t starts[5] = {0, 4, 7, 9, 10}, lower_starts[5] = {0, 0, 2, 2, 5};
  const uint32_t lower[5] = {1, 2, 3, 5, 8};
  const double masses[4] = {1, 2, 3, 4};
  fill(from, N * N * 8, 1, 1);
  fill(blocks, 9 * ROWS, 0.2, 2);
  fill(between, 8 * STRUTS, 1, 3);
  fill(x, 4 * ROWS, 1, 4);
  fill(symmetric, 9 * 8, 1, 9);
  for (uint32_t l = 0; l < 8; l++)
    for (uint32_t e = 1; e < 6; e += e == 2 ? 3 : 1) symmetric[(e == 5 ? 7 : 3 * e) * 8 + l] = symmetric[e * 8 + l];
  for (uint32_t k = 0; k < 2 * STRUTS; k++) ends[k] = k * 7 % ROWS;
  for (uint32_t k = 0; k < 9 * ROWS; k += 4) blocks[k] += k % 9 ? 0 : 1;
  for (uint32_t w = 0; w < 2; w++) {
    fill(values[w], 9 * 16, 1, 6);
    fill(sums[w], 4 * ROWS, 1, 8);
    for (uint32_t t = 0; t < 3; t++)
      sets[w]->scatter(from + 24 * t, N, 0.3, targets[t], 8 - t, MATRIX_FIRST, values[w]);
    sets[w]->scatter_pairs(symmetric, 0.7, pairs, 8, 0, values[w]);
    sets[w]->invert(ROWS, blocks, NULL, held, inverses[w]);
    sets[w]->balance(0, 4, &(block_rows){starts, lower_starts, lower, masses}, 0.9, values[w]);
    sets[w]->take(symmetric, -0.5, 7, records[w], most[w]);
    sets[w]->pull(STRUTS, ends, between, x, sums[w]);
  }
  assert_memory_equal(values[0], values[1], 9 * 16 * sizeof(double));
  assert_memory_equal(inverses[0], inverses[1], 9 * ROWS * sizeof(float));
  assert_memory_equal(records[0], records[1], sizeof records[0]);
  assert_memory_equal(most[0], most[1], sizeof most[0]);
  for (uint32_t l = 0; l < 8; l++) assert_true(most[0][l] == (l < 7 ? largest(records[0] + 8 * l, 8) : 0));
  assert_memory_equal(sums[0], sums[1], sizeof sums[0]);
}

// Patterns

#define SAME_ARRAY(a, b, field)                                                                                        \
  do {                                                                                                                 \
    assert_int_equal((a)->field.count, (b)->field.count);                                                              \
    if ((a)->field.count)                                                                                              \
      assert_memory_equal((a)->field.data, (b)->field.data, (a)->field.count * sizeof *(a)->field.data);               \
  } while (0)

static void compare_targets(const matrix *a, const matrix *b) {
  for (uint32_t k = 0; k < a->parts.count; k++) {
    const matrix_part *part = &a->parts.data[k];
    assert_int_equal(part->rows, b->parts.data[k].rows);
    for (uint32_t row = 0; row < part->rows; row++)
      for (uint32_t pair = 0; pair < part->law->pairs; pair++)
        assert_int_equal(*matrix_target(a->targets.data, part, row, pair),
                         *matrix_target(b->targets.data, &b->parts.data[k], row, pair));
  }
  for (uint32_t k = 0; k < a->copies.count; k++) {
    const matrix_copy *x = &a->copies.data[k], *y = &b->copies.data[k];
    assert_true(x->from == y->from && x->to == y->to && x->first == y->first);
  }
  for (uint32_t k = 0; k < a->chunks.count; k++) {
    const matrix_chunk *x = &a->chunks.data[k], *y = &b->chunks.data[k];
    assert_true(x->first == y->first && x->rows == y->rows && x->tail == y->tail && x->tails == y->tails &&
                x->sums == y->sums);
  }
}

// The pattern that was followed is the one made from what there is; how many rows that has.
static uint64_t compare_patterns(clv_body *body, const matrix *m) {
  const clv_allocator allocator = clv_default_allocator();
  matrix fresh;
  bool rebuilt;
  matrix_init(&fresh, clv_body_views(body), &allocator);
  assert_int_equal(matrix_follow(&fresh, &rebuilt), CLV_OK);
  assert_true(rebuilt && m->rows == fresh.rows && m->blocks == fresh.blocks);
  SAME_ARRAY(m, &fresh, starts);
  SAME_ARRAY(m, &fresh, columns);
  SAME_ARRAY(m, &fresh, uses);
  SAME_ARRAY(m, &fresh, vertices);
  SAME_ARRAY(m, &fresh, bare);
  SAME_ARRAY(m, &fresh, tail);
  assert_memory_equal(m->places.data, fresh.places.data, m->blocks * sizeof *m->places.data);
  assert_int_equal(m->balances, fresh.balances);
  if (m->balances) {
    assert_memory_equal(m->lower.data, fresh.lower.data, (m->blocks - m->rows) * sizeof *m->lower.data);
    assert_memory_equal(m->lower_starts.data, fresh.lower_starts.data, (m->rows + 1) * sizeof *m->lower_starts.data);
  }
  assert_true(m->parts.count == fresh.parts.count && m->copies.count == fresh.copies.count &&
              m->chunks.count == fresh.chunks.count && m->targets.count == fresh.targets.count);
  compare_targets(m, &fresh);
  const uint64_t rows = fresh.searched;
  matrix_free(&fresh);
  return rows;
}

static void refine_somewhere(clv_body *body, clv_kind kind, random_source *random) {
  const clv_map *view = clv_body_map(body);
  clv_dart dart = 0;
  while (!dart) dart = clv_cell_at(view, kind, random_below(random, clv_cell_rows(view, kind)));
  clv_surgery *surgery = clv_surgery_create(body, NULL);
  assert_int_equal(clv_surgery_refine_cells(surgery, &dart, 1, 9, NULL), CLV_OK);
  clv_surgery_destroy(surgery);
}

typedef struct subject {
  const char *law;
  clv_grid_kind grid;
  clv_kind kind;
  uint32_t cells[3];
} subject;

static void follow_edits(const subject *of, uint64_t seed) {
  const clv_allocator allocator = clv_default_allocator();
  body_setup setup = setup_of(of->grid, of->law);
  memcpy(setup.grid.cells, of->cells, sizeof setup.grid.cells);
  clv_body *body = body_of(&setup);
  random_source random = {seed};
  matrix m;
  bool rebuilt;
  matrix_init(&m, clv_body_views(body), &allocator);
  assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
  const uint64_t all = compare_patterns(body, &m);
  assert_true(m.searched == all && m.chunks.count > 1);
  uint64_t searched = 0;
  for (uint32_t round = 0; round < 24; round++) {
    if (round % 4 == 3)
      refine_somewhere(body, of->kind, &random);
    else
      cut_somewhere(body, of->kind, &random);
    assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
    if (m.searched >= all / 20 || (rebuilt && !m.searched))
      fail_msg("%s, grid %d, round %u: %u of %u rows", of->law, (int)of->grid, round, (unsigned)m.searched,
               (unsigned)all);
    searched += m.searched;
    compare_patterns(body, &m);
  }
  assert_true(searched > 0);
  views_forget(clv_body_views(body)); // as if something had changed
  assert_int_equal(matrix_follow(&m, &rebuilt), CLV_OK);
  assert_true(!rebuilt && m.searched == 0);
  matrix_free(&m);
  clv_body_destroy(body);
}

static void patterns_follow_by_rows(void **state) {
  (void)state;
  static const subject subjects[] = {
      {"fem-corotational", CLV_GRID_TET5, CLV_TET, {13, 12, 12}}, {"springs", CLV_GRID_TET5, CLV_TET, {13, 12, 12}},
      {"fem-corotational", CLV_GRID_HEX, CLV_HEX, {13, 13, 13}},  {"springs", CLV_GRID_HEX, CLV_HEX, {13, 13, 13}},
      {"fem-linear", CLV_GRID_QUAD, CLV_QUAD, {50, 50, 0}},       {"cloth", CLV_GRID_TRI, CLV_TRI, {50, 50, 0}},
  };
  for (uint32_t k = 0; k < sizeof subjects / sizeof *subjects; k++) follow_edits(&subjects[k], 4 + k);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(patterns_follow_by_rows),
      cmocka_unit_test(struts_are_the_matrix),
      cmocka_unit_test(any_width_gives_the_same_blocks),
      cmocka_unit_test(matrices_do_what_forces_say),
      cmocka_unit_test(a_diagonal_alone_is_that_of_the_matrix),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
