// What shipped laws give to whole bodies and batches: nothing at rest, Hooke's law for small strains, no force on the
// inner vertices of an affine motion, on every kind of cell and on mixed ones; and the same from compiled code as from
// the interpreter, for every instruction set that is here.

#include "rule/native.h"
#include "support/law_proof.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>

#include <cmocka.h>

// At rest

static void check_rest(proof_subject *s, const law_row *row) {
  double forces[KERNEL_AXES], moved[KERNEL_AXES];
  const double nothing[KERNEL_AXES] = {0};
  law_row rest = *row;
  proof_lay_to_rest(&rest);
  if (s->lacks & PROOF_BALANCE) return;
  law_row_get(s->plain, KERNEL_FORCE, row, moved);
  law_row_get(s->plain, KERNEL_FORCE, &rest, forces);
  proof_compare(s, "forces at rest", forces, nothing, proof_axes(s), proof_largest(moved, proof_axes(s)), 1e-11);
}

static void nothing_pulls_at_rest(void **state) {
  proof_each_row(*state, 6, check_rest);
}

// The row's matrix with one row and column for each vertex of `order`.
static void stiffness_at_rest(const proof_subject *s, clv_dart base, const uint32_t *order, double *matrix) {
  static double own[KERNEL_AXES * KERNEL_AXES];
  law_row row;
  const uint32_t n = proof_axes(s);
  uint32_t place[LAW_PARTICLES] = {0};
  assert_true(law_row_make(s->body, s->law, base, &row));
  proof_lay_to_rest(&row);
  law_row_get(s->plain, KERNEL_STIFFNESS, &row, own);
  for (uint32_t p = 0; p < n / 3; p++)
    for (place[p] = 0; order[place[p]] != row.vertex[p];) assert_true(++place[p] < n / 3);
  for (uint32_t r = 0; r < n; r++)
    for (uint32_t c = 0; c < n; c++) matrix[(3 * place[r / 3] + r % 3) * n + 3 * place[c / 3] + c % 3] = own[r * n + c];
}

// Nothing but rigid motions is free: no cell has a mode that its points do not see.
static void check_rank(const proof_subject *s, const double *matrix) {
  static double work[KERNEL_AXES * KERNEL_AXES], vectors[KERNEL_AXES * KERNEL_AXES];
  const uint32_t n = proof_axes(s);
  uint32_t stiff = 0;
  memcpy(work, matrix, n * n * sizeof *work);
  proof_diagonalise(work, vectors, n);
  const double most = proof_largest(work, n * n);
  for (uint32_t k = 0; k < n; k++) stiff += work[k * (n + 1)] > 1e-4 * most;
  assert_int_equal(stiff, n - 6);
}

static void small_strains_follow_hooke(void **state) {
  static double matrix[2][KERNEL_AXES * KERNEL_AXES];
  const proof *all = *state;
  for (uint32_t k = 0; k < all->count; k++) {
    const proof_subject *s = &all->subjects[k];
    if (!s->hooke) continue;
    const proof_subject *linear = proof_find(all, "linear", s->law->shape.kind, s->dimension);
    const clv_dart base = clv_cell_at(s->body->map, s->law->shape.kind, 1);
    law_row row;
    assert_true(law_row_make(s->body, s->law, base, &row));
    stiffness_at_rest(s, base, row.vertex, matrix[0]);
    stiffness_at_rest(linear, base, row.vertex, matrix[1]);
    const uint32_t n = proof_axes(s);
    proof_compare(s, "stiffness at rest", matrix[0], matrix[1], n * n, proof_largest(matrix[1], n * n), 1e-12);
    if (s->dimension == 3) check_rank(s, matrix[0]);
  }
}

// Compiled code

typedef struct batch {
  uint32_t rows, places[32 * LAW_PARTICLES];
  double *constants, *pos, *vel, *dpos, *dvel;
} batch;

enum { NATIVE_ROWS = 29, NATIVE_ROOM = 32 };

static void lay_vertices(const proof_subject *s, batch *b) {
  const law_body *body = s->body;
  random_source source = {5};
  b->pos = calloc(4 * KERNEL_STRIDE * body->slots, sizeof *b->pos);
  assert_non_null(b->pos);
  b->vel = b->pos + KERNEL_STRIDE * body->slots;
  b->dpos = b->vel + KERNEL_STRIDE * body->slots;
  b->dvel = b->dpos + KERNEL_STRIDE * body->slots;
  for (uint32_t e = 0; e < 3 * body->slots; e++) {
    const uint32_t at = e / 3 * KERNEL_STRIDE + e % 3;
    b->pos[at] = 0.85 * body->pos[e / 3][e % 3]; // some springs are longer than at rest, some shorter
    b->vel[at] = body->vel[e / 3][e % 3];
    b->dpos[at] = random_between(&source, -1, 1);
    b->dvel[at] = random_between(&source, -1, 1);
  }
}

// Up to so many rows of a law, which share the vertices of the body.
static void lay_rows(const proof_subject *s, batch *b) {
  const kernel *k = &s->shipped;
  *b = (batch){.constants = calloc(NATIVE_ROOM * (kernel_constants(k) + 1), sizeof *b->constants)};
  assert_non_null(b->constants);
  lay_vertices(s, b);
  clv_dart dart = 0;
  law_row row;
  while (b->rows < NATIVE_ROWS && (dart = clv_dart_next(s->body->map, dart)))
    if (law_row_make(s->body, s->law, dart, &row)) {
      const uint32_t at = b->rows++, lane = at % KERNEL_LANES;
      kernel_hoist(k, row.params, row.reads, (const double(*)[LAW_QUAD_DATA])row.quad,
                   b->constants + at / KERNEL_LANES * KERNEL_LANES * kernel_constants(k) + lane);
      for (uint32_t p = 0; p < k->particles; p++)
        b->places[(at / KERNEL_LANES * k->particles + p) * KERNEL_LANES + lane] = KERNEL_STRIDE * row.vertex[p];
    }
  // The last batch is filled up with its last row.
  for (uint32_t at = b->rows, lane = at % KERNEL_LANES; lane && at % KERNEL_LANES; at++) {
    double *constants = b->constants + at / KERNEL_LANES * KERNEL_LANES * kernel_constants(k) + at % KERNEL_LANES;
    uint32_t *places = b->places + at / KERNEL_LANES * KERNEL_LANES * k->particles + at % KERNEL_LANES;
    for (uint32_t c = 0; c < kernel_constants(k); c++) constants[c * KERNEL_LANES] = (constants - 1)[c * KERNEL_LANES];
    for (uint32_t p = 0; p < k->particles; p++) places[p * KERNEL_LANES] = (places - 1)[p * KERNEL_LANES];
  }
}

typedef struct native_results {
  double *out, energy[NATIVE_ROOM], matrix[NATIVE_ROOM * KERNEL_AXES * KERNEL_AXES];
} native_results;

static void run_batch(const proof_subject *s, const kernel *k, kernel_kind kind, const batch *b, uint32_t rows,
                      native_results *to) {
  memset(to->out, 0, KERNEL_STRIDE * s->body->slots * sizeof *to->out);
  memset(to->energy, 0, sizeof to->energy);
  const kernel_args args = {rows,    b->places, b->constants, s->body->params, b->pos,    b->vel,
                            b->dpos, b->dvel,   to->out,      to->energy,      to->matrix};
  kernel_run(k, kind, &args);
}

static void compare_matrices(const proof_subject *s, const double *a, const double *b, uint32_t rows) {
  const uint32_t n = proof_axes(s) * proof_axes(s);
  for (uint32_t row = 0; row < rows; row++) {
    double one[KERNEL_AXES * KERNEL_AXES], two[KERNEL_AXES * KERNEL_AXES];
    for (uint32_t e = 0; e < n; e++) {
      one[e] = a[(row / KERNEL_LANES * n + e) * KERNEL_LANES + row % KERNEL_LANES];
      two[e] = b[(row / KERNEL_LANES * n + e) * KERNEL_LANES + row % KERNEL_LANES];
    }
    proof_compare(s, "compiled matrix", one, two, n, proof_largest(one, n), 1e-12);
  }
}

static void compare_compiled(const proof_subject *s, const kernel *compiled, const batch *b, uint32_t rows,
                             native_results *results) {
  const uint32_t doubles = KERNEL_STRIDE * s->body->slots;
  for (uint32_t kind = 0; kind < KERNEL_COUNT; kind++) {
    run_batch(s, &s->shipped, (kernel_kind)kind, b, rows, &results[0]);
    run_batch(s, compiled, (kernel_kind)kind, b, rows, &results[1]);
    if (kind == KERNEL_ENERGY)
      proof_compare(s, "compiled energy", results[0].energy, results[1].energy, NATIVE_ROOM,
                    fmax(1e-3, proof_largest(results[0].energy, NATIVE_ROOM)), 1e-12);
    else if (kind < KERNEL_STIFFNESS)
      proof_compare(s, "compiled forces", results[0].out, results[1].out, doubles,
                    proof_largest(results[0].out, doubles), 1e-12);
    else
      compare_matrices(s, results[0].matrix, results[1].matrix, rows);
  }
}

static uint32_t check_compiled(const proof *all, native_isa isa) {
  const clv_allocator allocator = clv_default_allocator();
  const rule_native_def def = {.isa = native_isa_name(isa), .compiler = "none"};
  rule_native native;
  native_results *results = calloc(2, sizeof *results);
  uint32_t compared = 0;
  assert_non_null(results);
  assert_int_equal(rule_native_open(&native, &allocator, &def, NULL), CLV_OK);
  for (uint32_t k = 0; k < all->count; k++) {
    const proof_subject *s = &all->subjects[k];
    kernel compiled = s->shipped, *attached = &compiled;
    batch b;
    assert_int_equal(rule_native_attach_shipped(&native, &attached, 1), CLV_OK);
    if (!compiled.compiled[KERNEL_FORCE]) continue; // this instruction set was not built
    compared++;
    lay_rows(s, &b);
    for (uint32_t j = 0; j < 2; j++) results[j].out = calloc(KERNEL_STRIDE * s->body->slots, sizeof(double));
    assert_true(results[0].out && results[1].out);
    const uint32_t sizes[] = {1, 11, b.rows};
    for (uint32_t j = 0; j < 3; j++)
      if (sizes[j] <= b.rows) compare_compiled(s, &compiled, &b, sizes[j], results);
    for (uint32_t j = 0; j < 2; j++) free(results[j].out);
    free(b.pos);
    free(b.constants);
  }
  rule_native_close(&native);
  free(results);
  return compared;
}

static void compiled_code_agrees(void **state) {
  const proof *all = *state;
  uint32_t sets = 0;
  for (uint32_t isa = 0; isa < NATIVE_ISA_COUNT; isa++) {
    if (!native_isa_here((native_isa)isa)) continue;
    const uint32_t compared = check_compiled(all, (native_isa)isa);
    assert_true(compared == 0 || compared == all->count);
    sets += compared > 0;
  }
  assert_true(sets > 0 || native_table_count == 0);
}

// Patches: affine motions of bodies whose inner vertices are anywhere

typedef struct affine {
  double matrix[9], velocity[9];
} affine;

static void move_affinely(law_body *body, random_source *source, affine *motion) {
  law_random_rotation(source, motion->matrix);
  for (uint32_t e = 0; e < 9; e++) {
    motion->matrix[e] += random_between(source, -0.2, 0.2);
    motion->velocity[e] = random_between(source, -1, 1);
  }
  for (uint32_t v = 0; v < body->slots; v++)
    for (uint32_t x = 0; x < 3; x++) {
      body->pos[v][x] = body->vel[v][x] = 0.5;
      for (uint32_t y = 0; y < 3; y++) {
        body->pos[v][x] += motion->matrix[3 * x + y] * body->rest[v][y];
        body->vel[v][x] += motion->velocity[3 * x + y] * body->rest[v][y];
      }
    }
}

// The forces of all cells that a law has a shape for; the volume they have at rest.
static double collect_forces(const proof *all, const law_body *body, const char *name, double (*forces)[3]) {
  double volume = 0;
  memset(forces, 0, body->slots * sizeof *forces);
  for (uint32_t k = 0; k < all->count; k++) {
    const proof_subject *s = &all->subjects[k];
    const clv_kind kind = s->law->shape.kind;
    if (strcmp(s->law->name, name) != 0 || s->dimension != body->map->dimension) continue;
    for (uint32_t at = 0; at < clv_cell_rows(body->map, kind); at++) {
      const clv_dart base = clv_cell_at(body->map, kind, at);
      law_row row;
      double own[KERNEL_AXES];
      if (!base) continue;
      assert_true(law_row_make(body, s->law, base, &row));
      law_row_get(s->plain, KERNEL_FORCE, &row, own);
      proof_add_forces(&row, own, forces);
      for (uint32_t q = 0; q < s->law->quadrature; q++) volume += row.quad[q][0];
    }
  }
  return volume;
}

static bool is_inner(const law_body *body, clv_dart dart) {
  clv_walk star;
  bool inner = true;
  assert_int_equal(clv_walk_orbit(&star, body->map, CLV_VERTEX, dart), CLV_OK);
  for (uint32_t k = 0; k < star.count; k++)
    if (clv_is_free(body->map, star.darts[k], body->map->dimension)) inner = false;
  clv_walk_end(&star);
  return inner;
}

static void check_inner(const law_body *body, const char *name, double (*forces)[3]) {
  uint32_t inner = 0;
  const double scale = proof_largest(forces[0], 3 * body->slots);
  assert_true(scale > 1e-3);
  for (clv_id v = clv_id_next(body->map, CLV_VERTEX, (clv_id){0}); v.index; v = clv_id_next(body->map, CLV_VERTEX, v)) {
    if (!is_inner(body, clv_id_dart(body->map, CLV_VERTEX, v))) continue;
    inner++;
    if (!(proof_largest(forces[v.index], 3) <= 1e-11 * scale))
      fail_msg("%s: an inner vertex is pulled by %.3g, others by %.3g", name, proof_largest(forces[v.index], 3), scale);
  }
  assert_true(inner > 0);
}

static double read_of(const law_row *row, const char *column) {
  for (uint32_t k = 0; k < row->law->reads.count; k++)
    if (strcmp(row->law->reads.data[k].column->name, column) == 0) return row->reads[k];
  fail_msg("%s does not read %s", row->law->name, column);
  return 0;
}

// Onto the plane of a surface; nothing for a volume.
static void projection(const law_row *row, double *onto) {
  double normal[3] = {0}, edges[2][3], length = 0;
  for (uint32_t e = 0; e < 6; e++) edges[e / 3][e % 3] = row->rest[3 + e] - row->rest[e % 3];
  if (row->law->shape.dimension == 2) proof_add_moment(edges[0], edges[1], normal);
  for (uint32_t x = 0; x < 3; x++) length += normal[x] * normal[x];
  for (uint32_t e = 0; e < 9; e++) onto[e] = (e % 4 == 0) - (length > 0 ? normal[e / 3] * normal[e % 3] / length : 0);
}

static void product(const double *a, const double *b, double *result) {
  for (uint32_t e = 0; e < 9; e++)
    result[e] = a[e / 3 * 3] * b[e % 3] + a[e / 3 * 3 + 1] * b[3 + e % 3] + a[e / 3 * 3 + 2] * b[6 + e % 3];
}

// Hooke's law by hand: forces times places add up to minus the stress times the volume.
static void check_stress(const proof *all, const law_body *body, const affine *motion, double (*forces)[3]) {
  const rule_tree *thickness = rule_declaration(all->program, "thickness");
  double volume = collect_forces(all, body, "linear", forces), onto[9], half[9], strain[9], trace = 0, virial[9] = {0};
  if (body->map->dimension == 2) volume *= body->params[law_param_first(all->program, thickness)];
  const clv_dart dart = clv_dart_next(body->map, 0);
  const proof_subject *s = proof_find(all, "linear", clv_cell_kind(body->map, dart), body->map->dimension);
  law_row row;
  assert_true(law_row_make(body, s->law, dart, &row));
  projection(&row, onto);
  product(onto, motion->matrix, half);
  product(half, onto, strain);
  for (uint32_t e = 0; e < 9; e++) half[e] = 0.5 * (strain[e] + strain[e % 3 * 3 + e / 3]) - onto[e];
  for (uint32_t x = 0; x < 3; x++) trace += half[4 * x];
  for (uint32_t e = 0; e < 9; e++) {
    strain[e] = -volume * (2 * read_of(&row, "mu") * half[e] + read_of(&row, "lam") * trace * onto[e]);
    for (uint32_t v = 0; v < body->slots; v++) virial[e] += forces[v][e / 3] * body->rest[v][e % 3];
  }
  proof_compare(s, "stress", virial, strain, 9, proof_largest(strain, 9), 1e-11);
}

// Laws of cells that are sums over points, or of the volume: stress is the same everywhere.
static bool is_for_patches(const law *l) {
  return l->shape.orbit == CLV_CELL && l->quadrature && !l->external;
}

static void check_mixed(const clv_map *map) {
  for (clv_kind kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    assert_true(clv_templates[kind].dimension != map->dimension || clv_cell_count(map, kind) > 0);
}

// A law of some shapes alone holds a patch together where all cells have one of them; the model that goes with it is
// tried on all, in test_physics.
static bool serves_all(const proof *all, const char *name, const clv_map *map) {
  uint32_t missing = 0;
  for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST; kind++)
    if (clv_cell_count(map, (clv_kind)kind)) missing |= 1u << kind;
  for (uint32_t k = 0; k < all->count; k++)
    if (all->subjects[k].dimension == map->dimension && strcmp(all->subjects[k].law->name, name) == 0)
      missing &= ~(1u << all->subjects[k].law->shape.kind);
  return !missing;
}

static void check_patch(const proof *all, clv_grid_kind kind, uint64_t seed) {
  law_body body;
  random_source source = {seed};
  affine motion;
  law_body_make(&body, kind, clv_grid_name(kind)[0] == 'm' ? 4 : 3, true, seed);
  body.uniform = true;
  move_affinely(&body, &source, &motion);
  if (kind == CLV_GRID_MIXED2 || kind == CLV_GRID_MIXED) check_mixed(body.map);
  double(*forces)[3] = calloc(body.slots, sizeof *forces);
  assert_non_null(forces);
  for (uint32_t k = 0; k < all->count; k++) {
    const law *l = all->subjects[k].law;
    if (!is_for_patches(l) || all->subjects[k].dimension != body.map->dimension) continue;
    if (k && strcmp(all->subjects[k - 1].law->name, l->name) == 0) continue; // shapes of one law come together
    if (!serves_all(all, l->name, body.map)) continue;
    collect_forces(all, &body, l->name, forces);
    check_inner(&body, l->name, forces);
  }
  check_stress(all, &body, &motion, forces);
  free(forces);
  law_body_free(&body);
}

static void affine_motions_leave_inner_vertices_alone(void **state) {
  for (uint32_t kind = 0; kind < CLV_GRID_KIND_COUNT; kind++) check_patch(*state, (clv_grid_kind)kind, kind + 1);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(nothing_pulls_at_rest),
      cmocka_unit_test(small_strains_follow_hooke),
      cmocka_unit_test(affine_motions_leave_inner_vertices_alone),
      cmocka_unit_test(compiled_code_agrees),
  };
  return cmocka_run_group_tests(tests, proof_open, proof_close);
}
