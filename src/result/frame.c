// Frames. See frame.h.

#include "result/frame.h"
#include "physics/body.h"

enum { CELLS_PER_PART = 512 };

typedef struct frame {
  clv_body *body;
  const clv_map *map;
  clv_mesh *mesh;
  BASE_ARRAY(clv_dart) cells; // of the elements
  double *displacement, *velocity, *held;
  double *stress, *von_mises, *strain, *energy, *model;
} frame;

static clv_result add_fields(frame *f) {
  const struct {
    const char *name;
    clv_field_place place;
    uint32_t components;
    double **values;
  } fields[] = {
      {"displacement", CLV_ON_POINTS, 3, &f->displacement},
      {"velocity", CLV_ON_POINTS, 3, &f->velocity},
      {"held", CLV_ON_POINTS, 1, &f->held},
      {"stress", CLV_ON_ELEMENTS, 6, &f->stress},
      {"von_mises", CLV_ON_ELEMENTS, 1, &f->von_mises},
      {"strain", CLV_ON_ELEMENTS, 6, &f->strain},
      {"energy", CLV_ON_ELEMENTS, 1, &f->energy},
      {"model", CLV_ON_ELEMENTS, 1, &f->model},
  };
  clv_result result = CLV_OK;
  for (size_t k = 0; result == CLV_OK && k < sizeof fields / sizeof *fields; k++)
    result = clv_mesh_add_field(f->mesh, fields[k].name, fields[k].place, fields[k].components, fields[k].values);
  return result;
}

// Points of the mesh are the vertices in order of id.
static void fill_points(const frame *f) {
  const double *position = clv_body_positions(f->body), *rest = clv_body_rest(f->body);
  const double *velocity = clv_body_velocities(f->body);
  const uint32_t *held = clv_body_held(f->body);
  size_t point = 0;
  for (clv_id id = clv_id_next(f->map, CLV_VERTEX, (clv_id){0, 0}); id.index;
       id = clv_id_next(f->map, CLV_VERTEX, id), point++) {
    const size_t slot = id.index;
    for (size_t k = 0; k < 3; k++) {
      f->displacement[3 * point + k] = position[3 * slot + k] - rest[3 * slot + k];
      f->velocity[3 * point + k] = velocity[3 * slot + k];
    }
    f->held[point] = held[slot];
  }
}

// Elements are the cells in order of id.
static clv_result collect_cells(frame *f) {
  const size_t count = f->mesh->element_count;
  if (!BASE_RESERVE(&f->mesh->allocator, &f->cells, count + 1)) return CLV_ERROR_MEMORY;
  for (clv_id id = clv_id_next(f->map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(f->map, CLV_CELL, id))
    f->cells.data[f->cells.count++] = clv_id_dart(f->map, CLV_CELL, id);
  return CLV_OK;
}

// As clv_model_list counts.
static double model_number(const physics_section *section) {
  const char *name;
  for (uint32_t k = 0; (name = clv_model_list(k, NULL)); k++) {
    if (strcmp(name, section->model->name) == 0) return k;
  }
  return -1;
}

static void fill_cells(void *user, uint32_t part, uint32_t worker) {
  (void)worker;
  const frame *f = user;
  const size_t first = (size_t)part * CELLS_PER_PART;
  const size_t end = first + CELLS_PER_PART < f->cells.count ? first + CELLS_PER_PART : f->cells.count;
  for (size_t e = first; e < end; e++) {
    clv_cell_state state;
    clv_body_cell_state(f->body, f->cells.data[e], &state);
    memcpy(f->stress + 6 * e, state.stress, sizeof state.stress);
    memcpy(f->strain + 6 * e, state.strain, sizeof state.strain);
    f->von_mises[e] = state.von_mises;
    f->energy[e] = state.energy;
    f->model[e] = model_number(physics_section_of(f->body, f->cells.data[e]));
  }
}

clv_result result_frame_extract(clv_mesh *mesh, const clv_world *world, uint32_t body, base_pool *pool,
                                clv_error *error) {
  if (body >= clv_world_bodies(world))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "the world has no body %u: it has %u", body,
                         clv_world_bodies(world));
  frame f = {.body = clv_world_body(world, body), .mesh = mesh};
  f.map = clv_body_map(f.body);
  clv_result result = clv_mesh_extract(mesh, f.map, error);
  if (result != CLV_OK) return result;
  result = add_fields(&f);
  if (result == CLV_OK) result = collect_cells(&f);
  if (result == CLV_OK) {
    fill_points(&f);
    base_pool_run(pool, fill_cells, &f, (f.cells.count + CELLS_PER_PART - 1) / CELLS_PER_PART);
  }
  BASE_RELEASE(&mesh->allocator, &f.cells);
  if (result == CLV_OK) return CLV_OK;
  clv_mesh_free(mesh);
  return clv_error_set(error, result, "out of memory: no frame was made");
}

clv_result clv_frame_extract(clv_mesh *mesh, const clv_world *world, uint32_t body, clv_error *error) {
  return result_frame_extract(mesh, world, body, NULL, error);
}
