// Zones and constraints, and what cuts leave of them; regions with different models.

#include "support/bodies.h"
#include "support/small_map.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

static void report(void *user, const char *what) {
  (void)user;
  print_error("%s\n", what);
}

static void check_views(clv_body *body) {
  assert_int_equal(clv_views_check(clv_body_views(body), report, NULL), CLV_OK);
}

static uint32_t fixed_by(clv_body *body, const clv_zone *zone) {
  uint32_t count = 0;
  const clv_result result = clv_body_fix(body, zone, CLV_X, &count);
  assert_true(result == CLV_OK || result == CLV_ERROR_REFUSED);
  assert_int_equal(result == CLV_ERROR_REFUSED, count == 0);
  return count;
}

static void zones_hold_what_lies_in_them(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_HEX, "fem-linear");
  memcpy(setup.grid.cells, (const uint32_t[3]){4, 4, 4}, sizeof setup.grid.cells);
  memcpy(setup.grid.size, (const double[3]){4, 4, 4}, sizeof setup.grid.size);
  clv_body *body = body_of(&setup);
  const double origin[3] = {0, 0, 0}, two[3] = {2, 2, 2}, far[3] = {9, 9, 9}, up[3] = {0, 0, 5}, side[3] = {0, 0, 3};
  clv_zone zone = clv_zone_all();
  assert_int_equal(fixed_by(body, &zone), 125);
  zone = clv_zone_box(origin, two); // borders belong to it
  assert_int_equal(fixed_by(body, &zone), 27);
  zone = clv_zone_sphere(two, 1);
  assert_int_equal(fixed_by(body, &zone), 7);
  zone = clv_zone_plane(side, up);
  assert_int_equal(fixed_by(body, &zone), 50);
  zone = clv_zone_plane(far, up);
  assert_int_equal(fixed_by(body, &zone), 0);
  assert_non_null(strstr(clv_body_error(body), "no particle"));
  zone = (clv_zone){.kind = CLV_ZONE_NEAREST, .point = {9, 9, 9}};
  assert_int_equal(fixed_by(body, &zone), 1);
  zone = clv_zone_box(two, origin);
  assert_int_equal(clv_body_fix(body, &zone, CLV_X, NULL), CLV_ERROR_ARGUMENT);
  clv_body_destroy(body);
}

// Two cubes side by side, of regions 1 and 2, with a tagged face (7), a line (8) and a point (9).
static void make_tagged(clv_mesh *mesh) {
  clv_mesh_init(mesh, NULL);
  for (uint32_t z = 0; z < 2; z++)
    for (uint32_t y = 0; y < 2; y++)
      for (uint32_t x = 0; x < 3; x++) assert_int_equal(clv_mesh_add_point(mesh, x, y, z), CLV_OK);
  for (uint32_t c = 0; c < 2; c++) {
    const uint32_t corners[8] = {c, c + 1, c + 4, c + 3, c + 6, c + 7, c + 10, c + 9};
    assert_int_equal(clv_mesh_add_element(mesh, CLV_HEX, corners, 8, (int32_t)c + 1), CLV_OK);
  }
  assert_int_equal(clv_mesh_add_element(mesh, CLV_QUAD, (const uint32_t[4]){0, 3, 9, 6}, 4, 7), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_LINE, (const uint32_t[2]){2, 5}, 2, 8), CLV_OK);
  assert_int_equal(clv_mesh_add_element(mesh, CLV_POINT, (const uint32_t[1]){11}, 1, 9), CLV_OK);
}

static void regions_of_every_dimension(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_HEX, "springs");
  clv_mesh mesh;
  make_tagged(&mesh);
  clv_body *body = body_of_mesh(&setup, &mesh);
  clv_mesh_free(&mesh);
  const uint32_t expected[][2] = {{1, 8}, {2, 8}, {7, 4}, {8, 2}, {9, 1}, {3, 0}};
  for (uint32_t k = 0; k < sizeof expected / sizeof *expected; k++) {
    const clv_zone zone = clv_zone_region((int32_t)expected[k][0]);
    assert_int_equal(fixed_by(body, &zone), expected[k][1]);
  }
  clv_zone lines = clv_zone_region(7);
  lines.dimension = 1;
  assert_int_equal(fixed_by(body, &lines), 0);
  clv_body_destroy(body);
}

static void holds_moves_and_lets_go(void **state) {
  (void)state;
  const body_setup setup = setup_of(CLV_GRID_TET6, "fem-corotational");
  clv_body *body = body_of(&setup);
  const double corner[3] = {0, 0, 0}, along[3] = {-1, 0, 0};
  const clv_zone wall = clv_zone_plane(corner, along), all = clv_zone_all();
  const clv_key path[] = {{1, {0, 0, 0}}, {3, {0, 0.4, 0.2}}};
  uint32_t count = 0;
  assert_int_equal(clv_body_fix(body, &wall, CLV_X | CLV_Z, &count), CLV_OK);
  assert_int_equal(count, 12);
  assert_int_equal(clv_body_move(body, &wall, CLV_Y, path, 2, &count), CLV_OK);
  const double *rest = clv_body_rest(body);
  for (uint32_t s = 1; s < clv_body_slots(body); s++)
    assert_int_equal(clv_body_held(body)[s], rest[3 * s] < 1e-9 ? CLV_XYZ : 0);
  const double times[] = {0, 1, 2, 3, 5}, ways[] = {0, 0, 0.2, 0.4, 0.4}, rates[] = {0, 0.2, 0.2, 0, 0};
  for (uint32_t k = 0; k < 5; k++) {
    clv_body_place(body, times[k]);
    for (uint32_t s = 1; s < clv_body_slots(body); s++) {
      const double way = rest[3 * s] < 1e-9 ? ways[k] : 0, rate = rest[3 * s] < 1e-9 ? rates[k] : 0;
      assert_true(fabs(clv_body_positions(body)[3 * s + 1] - rest[3 * s + 1] - way) < 1e-12);
      assert_true(fabs(clv_body_velocities(body)[3 * s + 1] - rate) < 1e-12);
      assert_true(clv_body_positions(body)[3 * s + 2] == rest[3 * s + 2]);
    }
  }
  assert_int_equal(clv_body_release(body, &all, CLV_Y, NULL), CLV_OK);
  clv_body_place(body, 1);
  for (uint32_t s = 1; s < clv_body_slots(body); s++)
    assert_int_equal(clv_body_held(body)[s], rest[3 * s] < 1e-9 ? CLV_X | CLV_Z : 0);
  const clv_key back[] = {{1, {0, 0, 0}}, {1, {0, 0, 0}}}, odd[] = {{0, {NAN, 0, 0}}};
  assert_int_equal(clv_body_move(body, &wall, CLV_Y, back, 2, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_body_pull(body, &wall, odd, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_body_pull(body, &wall, NULL, 0, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_body_fix(body, &wall, 8, NULL), CLV_ERROR_ARGUMENT);
  clv_body_destroy(body);
}

static void sum_of_forces(clv_body *body, double time, double *sum) {
  double *forces = calloc(3 * (size_t)clv_body_slots(body), sizeof *forces);
  assert_int_equal(clv_body_force(body, time, forces), CLV_OK);
  sum[0] = sum[1] = sum[2] = 0;
  for (size_t k = 3; k < 3 * (size_t)clv_body_slots(body); k++) sum[k % 3] += forces[k];
  free(forces);
}

// Parts every facet between cells whose centres lie on different sides of x = 0.5; says how many.
static uint32_t cut_in_half(clv_body *body) {
  clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  const uint32_t n = map->dimension;
  uint32_t parted = 0;
  begin(map);
  for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
    if (clv_is_free(map, d, n)) continue;
    double x[2] = {0, 0};
    const clv_dart sides[2] = {d, clv_alpha(map, d, n)};
    for (uint32_t k = 0; k < 2; k++) {
      const clv_kind kind = clv_cell_kind(map, sides[k]);
      const uint32_t count = clv_templates[kind].corner_count;
      for (uint32_t c = 0; c < count; c++)
        x[k] += rest[3 * (size_t)map->corners[kind][clv_cell_row(map, sides[k]) * count + c]] / count;
    }
    if ((x[0] < 0.5) == (x[1] < 0.5)) continue;
    assert_int_equal(clv_map_unsew(map, n, d), CLV_OK);
    parted++;
  }
  commit(map);
  return parted;
}

// Constraints lie on the vertices of the cut: both halves are held, moved and pulled as the whole was.
static void constraints_survive_cuts(void **state) {
  (void)state;
  const clv_grid_kind kinds[] = {CLV_GRID_HEX, CLV_GRID_TET5, CLV_GRID_MIXED, CLV_GRID_QUAD, CLV_GRID_TRI};
  for (uint32_t g = 0; g < sizeof kinds / sizeof *kinds; g++) {
    body_setup setup = setup_of(kinds[g], "fem-corotational");
    memcpy(setup.grid.cells, (const uint32_t[3]){4, 2, 2}, sizeof setup.grid.cells);
    clv_body *body = body_of(&setup);
    const double low[3] = {0.4, -1, -1}, high[3] = {0.6, 9, 9}, bottom[3] = {-1, 0, -1}, top[3] = {9, 0, 9};
    const clv_zone middle = clv_zone_box(low, high), edge = clv_zone_box(bottom, top), all = clv_zone_all();
    const clv_key path[] = {{0, {0, 0, 0}}, {1, {0, 0, 0.1}}}, pull[] = {{0, {3, -2, 7}}};
    uint32_t count = 0, before_held = 0, before_moved = 0;
    assert_int_equal(clv_body_fix(body, &middle, CLV_X, &count), CLV_OK);
    assert_int_equal(clv_body_move(body, &middle, CLV_Z, path, 2, NULL), CLV_OK);
    assert_int_equal(clv_body_pull(body, &middle, pull, 1, NULL), CLV_OK);
    assert_int_equal(clv_body_pull(body, &edge, pull, 1, NULL), CLV_OK);
    const uint32_t slots = clv_body_slots(body);
    for (uint32_t s = 1; s < slots; s++) before_held += clv_body_held(body)[s] == (CLV_X | CLV_Z);
    double mass_before, sum[3];
    clv_momenta momenta;
    clv_body_momenta(body, &momenta);
    mass_before = momenta.mass;
    assert_true(cut_in_half(body) > 0);
    assert_true(clv_body_slots(body) > slots);
    clv_body_momenta(body, &momenta);
    assert_true(fabs(momenta.mass - mass_before) < 1e-12 * mass_before);
    clv_body_place(body, 0.5);
    uint32_t held = 0;
    for (clv_id id = clv_id_next(clv_body_map(body), CLV_VERTEX, (clv_id){0, 0}); id.index;
         id = clv_id_next(clv_body_map(body), CLV_VERTEX, id)) {
      const double *rest = clv_body_rest(body) + 3 * (size_t)id.index;
      const bool in = rest[0] > 0.4 && rest[0] < 0.6;
      assert_int_equal(clv_body_held(body)[id.index], in ? CLV_X | CLV_Z : 0);
      held += in;
      before_moved += fabs(clv_body_positions(body)[3 * (size_t)id.index + 2] - rest[2] - 0.05) < 1e-12;
    }
    assert_true(held > before_held);
    assert_int_equal(before_moved, held);
    sum_of_forces(body, 0, sum);
    for (uint32_t k = 0; k < 3; k++) assert_true(fabs(sum[k] - 2 * pull[0].value[k]) < 1e-8);
    check_views(body);
    assert_int_equal(clv_body_release(body, &all, CLV_XYZ, NULL), CLV_OK);
    clv_body_destroy(body);
  }
}

static void gravity_and_damping(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_PRISM, "fem-linear");
  memcpy(setup.def.gravity, (const double[3]){1, -2, 3}, sizeof setup.def.gravity);
  setup.def.drag = 0.3;
  setup.def.rayleigh_mass = 0.2;
  clv_body *body = body_of(&setup);
  double *vel = clv_body_velocities(body), sum[3];
  const size_t count = 3 * (size_t)clv_body_slots(body);
  for (size_t k = 3; k < count; k++) vel[k] = k % 3 == 0;
  clv_momenta momenta;
  clv_body_momenta(body, &momenta);
  sum_of_forces(body, 0, sum);
  assert_true(fabs(sum[0] - momenta.mass * (1 - 0.5)) < 1e-9 * momenta.mass);
  assert_true(fabs(sum[1] + momenta.mass * 2) < 1e-9 * momenta.mass);
  assert_true(fabs(momenta.linear[0] - momenta.mass) < 1e-12 * momenta.mass);
  clv_energies energies;
  assert_int_equal(clv_body_energies(body, &energies), CLV_OK);
  assert_true(fabs(energies.kinetic - 0.5 * momenta.mass) < 1e-12 * momenta.mass);
  double potential = 0;
  for (uint32_t k = 0; k < 3; k++) potential -= momenta.mass * setup.def.gravity[k] * momenta.centre[k];
  assert_true(fabs(energies.gravitational - potential) < 1e-10 * momenta.mass);
  clv_body_destroy(body);
}

// force_along is the slope of force, Rayleigh's damping included; the law is linear, so that the difference is exact.
static void force_along_is_the_slope(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_MIXED, "fem-linear");
  setup.def.drag = 0.3;
  setup.def.rayleigh_mass = 0.2;
  setup.def.rayleigh_stiffness = 0.01;
  clv_body *body = body_of(&setup);
  const size_t count = 3 * (size_t)clv_body_slots(body);
  double *dpos = calloc(count, sizeof *dpos), *dvel = calloc(count, sizeof *dvel),
         *along = calloc(count, sizeof *along);
  random_source random = {3};
  for (size_t k = 3; k < count; k++) {
    dpos[k] = random_below(&random, 1000) * 1e-5;
    dvel[k] = random_below(&random, 1000) * 1e-3;
  }
  double *before = body_forces(body);
  assert_int_equal(clv_body_force_along(body, dpos, dvel, along), CLV_OK);
  for (size_t k = 3; k < count; k++) {
    clv_body_positions(body)[k] += dpos[k];
    clv_body_velocities(body)[k] += dvel[k];
  }
  double *after = body_forces(body);
  const double scale = largest(after, count);
  for (size_t k = 3; k < count; k++) assert_true(fabs(after[k] - before[k] - along[k]) < 1e-10 * scale);
  assert_int_equal(clv_body_force_along(body, NULL, dvel, along), CLV_OK);
  assert_int_equal(clv_body_force_along(body, dpos, NULL, along), CLV_OK);
  free(dpos), free(dvel), free(along), free(before), free(after);
  clv_body_destroy(body);
}

// Spring viscosity brakes stretching, not turning.
static void viscosity_of_springs(void **state) {
  (void)state;
  body_setup setup = setup_of(CLV_GRID_HEX, "springs");
  setup.section.material.viscosity = 0.5;
  clv_body *body = body_of(&setup);
  const uint32_t slots = clv_body_slots(body);
  const double *rest = clv_body_rest(body);
  double *vel = clv_body_velocities(body);
  for (size_t s = 1; s < slots; s++) vel[3 * s] = -rest[3 * s + 1], vel[3 * s + 1] = rest[3 * s];
  double *turning = body_forces(body);
  for (size_t s = 1; s < slots; s++) memcpy(vel + 3 * s, rest + 3 * s, 3 * sizeof *vel);
  double *growing = body_forces(body), power = 0;
  assert_true(largest(turning, 3 * (size_t)slots) < 1e-12 * largest(growing, 3 * (size_t)slots));
  for (size_t k = 3; k < 3 * (size_t)slots; k++) power += growing[k] * vel[k];
  assert_true(power < 0);
  free(turning), free(growing);
  clv_body_destroy(body);
}

// Mixtures

static clv_body *mixture(clv_grid_kind kind, const char *left, const char *right) {
  body_setup setup = setup_of(kind, left);
  memcpy(setup.grid.cells, (const uint32_t[3]){6, 2, 2}, sizeof setup.grid.cells);
  const double at[3] = {0.5, 0, 0}, along[3] = {1, 0, 0};
  const clv_section sections[2] = {{clv_zone_all(), left, setup.section.material},
                                   {clv_zone_plane(at, along), right, setup.section.material}};
  setup.def.sections = sections;
  setup.def.section_count = 2;
  clv_body *body = body_of(&setup);
  body_shake(body, 0.01, 12);
  return body;
}

// Each half of a body of two models feels what the same half of a body of one model does.
static void mixtures_are_made_of_their_parts(void **state) {
  (void)state;
  static const char *const pairs[][2] = {{"springs", "fem-corotational"}, {"stvk", "fem-linear"},
                                         {"springs-hybrid", "springs"},   {"mass-tensor", "fem-linear"},
                                         {"mass-tensor", "springs"},      {"neo-hookean", "mass-tensor"}};
  const clv_grid_kind kinds[] = {CLV_GRID_TET5, CLV_GRID_HEX, CLV_GRID_MIXED, CLV_GRID_QUAD};
  for (uint32_t p = 0; p < sizeof pairs / sizeof *pairs; p++)
    for (uint32_t g = 0; g < sizeof kinds / sizeof *kinds; g++) {
      const bool tets = strstr(pairs[p][0], "tensor") || strstr(pairs[p][1], "tensor");
      if (tets && kinds[g] != CLV_GRID_TET5) continue;
      clv_body *bodies[3] = {mixture(kinds[g], pairs[p][0], pairs[p][1]), mixture(kinds[g], pairs[p][0], pairs[p][0]),
                             mixture(kinds[g], pairs[p][1], pairs[p][1])};
      for (uint32_t cut = 0; cut < 2; cut++) {
        if (cut)
          for (uint32_t b = 0; b < 3; b++) assert_true(cut_in_half(bodies[b]) > 0);
        double *forces[3];
        for (uint32_t b = 0; b < 3; b++) forces[b] = body_forces(bodies[b]);
        const double *rest = clv_body_rest(bodies[0]),
                     scale = largest(forces[0], 3 * (size_t)clv_body_slots(bodies[0]));
        uint32_t compared[2] = {0, 0};
        for (size_t s = 1; s < clv_body_slots(bodies[0]); s++) {
          const bool left = rest[3 * s]<0.5 - 1e-9, right = rest[3 * s]> 0.5 + 1e-9;
          if (!left && !right) continue;
          compared[right]++;
          for (uint32_t k = 0; k < 3; k++)
            assert_true(fabs(forces[0][3 * s + k] - forces[right ? 2 : 1][3 * s + k]) < 1e-12 * scale);
        }
        assert_true(compared[0] && compared[1]);
        for (uint32_t b = 0; b < 3; b++) free(forces[b]);
        check_views(bodies[0]);
      }
      for (uint32_t b = 0; b < 3; b++) clv_body_destroy(bodies[b]);
    }
}

// The laws of a cell are values like others: set in a transaction, rows follow.
static void laws_of_cells_can_change(void **state) {
  (void)state;
  clv_body *body = mixture(CLV_GRID_HEX, "stvk", "fem-linear");
  clv_map *map = clv_body_map(body);
  clv_views *views = clv_body_views(body);
  clv_column *laws = clv_column_find(map, "laws");
  assert_int_equal(clv_views_rows(views, "stvk"), 12);
  assert_int_equal(clv_views_rows(views, "linear"), 12);
  const clv_dart first = clv_cell_at(map, CLV_HEX, 0), last = clv_cell_at(map, CLV_HEX, 23);
  const uint32_t other = *(const uint32_t *)clv_column_at(laws, last), both = 3;
  assert_int_not_equal(*(const uint32_t *)clv_column_at(laws, first), other);
  begin(map);
  assert_int_equal(clv_column_set(laws, first, &other), CLV_OK);
  assert_int_equal(clv_column_set(laws, last, &both), CLV_OK);
  commit(map);
  assert_int_equal(clv_views_rows(views, "stvk"), 12);
  assert_int_equal(clv_views_rows(views, "linear"), 13);
  check_views(body);
  *(uint32_t *)clv_column_at(laws, first) = 0; // behind the map's back
  assert_int_equal(clv_views_refresh(views), CLV_OK);
  assert_int_equal(clv_views_rows(views, "linear"), 12);
  clv_body_destroy(body);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(zones_hold_what_lies_in_them), cmocka_unit_test(regions_of_every_dimension),
      cmocka_unit_test(holds_moves_and_lets_go),      cmocka_unit_test(constraints_survive_cuts),
      cmocka_unit_test(gravity_and_damping),          cmocka_unit_test(force_along_is_the_slope),
      cmocka_unit_test(viscosity_of_springs),         cmocka_unit_test(mixtures_are_made_of_their_parts),
      cmocka_unit_test(laws_of_cells_can_change),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
