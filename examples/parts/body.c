// A body: a beam of hexahedra that is held at one end, sags under its weight, and is cut while it swings.
//
// Solvers (cleave/solve.h) do the stepping for you; here it is done by hand, to show what a body gives and takes:
// forces and masses out, positions and velocities in.

#include <cleave/cleave.h>

#include <stdio.h>
#include <stdlib.h>

// A beam of 8 x 2 x 2 cells, 0.4 m long, of soft rubber.
static clv_body *make_beam(void) {
  clv_mesh mesh;
  clv_grid_def grid = clv_default_grid_def();
  grid.cells[0] = 8;
  grid.cells[1] = grid.cells[2] = 2;
  grid.size[0] = 0.4;
  grid.size[1] = grid.size[2] = 0.1;
  clv_mesh_init(&mesh, NULL);
  if (clv_mesh_grid(&mesh, &grid, NULL)) return NULL;

  clv_section section;
  section.zone = clv_zone_all();
  section.model = "fem-corotational";
  section.material = clv_default_material();
  section.material.young = 5e5;

  clv_error error;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = &section;
  def.section_count = 1;
  def.drag = 2;
  clv_body *body = clv_body_create(&def, NULL, &error);
  if (!body) fprintf(stderr, "%s\n", error.message);
  clv_mesh_free(&mesh);
  return body;
}

// Symplectic Euler: velocities first, then positions. Held axes stay where they are.
static int step(clv_body *body, double *force, double time, double dt) {
  const uint32_t slots = clv_body_slots(body);
  const double *mass = clv_body_masses(body);
  const uint32_t *held = clv_body_held(body);
  double *pos = clv_body_positions(body), *vel = clv_body_velocities(body);
  if (clv_body_force(body, time, force)) return 1;
  for (uint32_t s = 1; s < slots; s++)
    for (uint32_t k = 0; k < 3; k++) {
      if (mass[s] == 0 || (held[s] >> k & 1u)) continue;
      vel[3 * s + k] += dt * force[3 * s + k] / mass[s];
      pos[3 * s + k] += dt * vel[3 * s + k];
    }
  return 0;
}

static void tell(const char *when, clv_body *body) {
  clv_momenta momenta;
  clv_body_momenta(body, &momenta);
  printf("%s: %.2f kg, centre at %.2f %.2f %.2f\n", when, momenta.mass, momenta.centre[0], momenta.centre[1],
         momenta.centre[2]);
}

// Parts the cells on both sides of the plane x = 0.2.
static int cut(clv_body *body) {
  clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  if (clv_map_begin(map)) return 1;
  for (clv_dart d = clv_dart_next(map, CLV_NO_DART); d; d = clv_dart_next(map, d)) {
    if (clv_is_free(map, d, 3)) continue;
    // The corners of a face between two cells of the grid that lies in the plane.
    int in_plane = 1;
    clv_dart at = d;
    do {
      const double x = rest[3 * clv_id_of(map, CLV_VERTEX, at).index];
      in_plane = in_plane && x > 0.199 && x < 0.201;
      at = clv_alpha(map, clv_alpha(map, at, 0), 1);
    } while (at != d);
    if (in_plane && clv_map_unsew(map, 3, d)) return 1;
  }
  return clv_map_commit(map);
}

int main(void) {
  clv_body *body = make_beam();
  if (!body) return 1;
  const double origin[3] = {0, 0, 0}, left[3] = {-1, 0, 0};
  const clv_zone wall = clv_zone_plane(origin, left);
  if (clv_body_fix(body, &wall, CLV_XYZ, NULL)) return 1;
  tell("at rest", body);

  double time = 0;
  const double dt = 2e-4;
  double *force = (double *)calloc(3 * 1000, sizeof *force); // more than the body has, cut or not
  for (int k = 0; force && k < 5000; k++, time += dt)
    if (step(body, force, time, dt)) return 1;
  tell("after 1 s", body);
  if (!force || cut(body)) return 1; // masses, forces and what holds the beam follow
  for (int k = 0; k < 500; k++, time += dt)
    if (step(body, force, time, dt)) return 1;
  tell("cut, 0.1 s later", body);
  free(force);
  clv_body_destroy(body);
  return 0;
}
