// Worlds as a whole: bodies, the clock, the step.

#include "world/world.h"

#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <time.h>

clv_world_def clv_default_world_def(void) {
  return (clv_world_def){.step = 0, .allocator = clv_default_allocator()};
}

clv_result world_fail(clv_world *world, clv_result code, const char *format, ...) {
  va_list arguments;
  va_start(arguments, format);
  world->culprit = 0;
  world->error.code = code;
  vsnprintf(world->error.message, sizeof world->error.message, format, arguments);
  va_end(arguments);
  return code;
}

clv_result world_no_memory(clv_world *world) {
  return world_fail(world, CLV_ERROR_MEMORY, "out of memory");
}

static bool is_step(double step) {
  return step > 0 && isfinite(step);
}

clv_world *clv_world_create(const clv_world_def *given) {
  const clv_world_def def = given ? *given : clv_default_world_def();
  const clv_allocator allocator = def.allocator.resize ? def.allocator : clv_default_allocator();
  if (def.step != 0 && !is_step(def.step)) return NULL;
  clv_world *world = base_allocate(&allocator, sizeof *world);
  if (world) *world = (clv_world){.allocator = allocator, .step = def.step, .automatic = def.step == 0};
  return world;
}

static void free_body(const clv_world *world, world_body *b) {
  clv_surgery_destroy(b->surgery);
  clv_solver_destroy(b->solver);
  clv_body_destroy(b->body);
  if (b->name) base_free(&world->allocator, b->name, strlen(b->name) + 1);
  BASE_RELEASE(&world->allocator, &b->before);
  BASE_RELEASE(&world->allocator, &b->was);
}

void clv_world_destroy(clv_world *world) {
  if (!world) return;
  world_free_scalpels(world);
  world_free_tracks(world);
  for (uint32_t k = 0; k < world->bodies.count; k++) free_body(world, &world->bodies.data[k]);
  BASE_RELEASE(&world->allocator, &world->bodies);
  world_free_actions(world);
  BASE_RELEASE(&world->allocator, &world->tools);
  BASE_RELEASE(&world->allocator, &world->vain);
  BASE_RELEASE(&world->allocator, &world->rules);
  BASE_RELEASE(&world->allocator, &world->ids);
  BASE_RELEASE(&world->allocator, &world->bytes);
  const clv_allocator allocator = world->allocator;
  base_free(&allocator, world, sizeof *world);
}

const char *clv_world_error(const clv_world *world) {
  return world->error.message;
}

// Bodies

static char *copy_name(const clv_world *world, const char *name) {
  char number[24];
  if (!name) {
    snprintf(number, sizeof number, "body%u", world->bodies.count + 1);
    name = number;
  }
  const size_t size = strlen(name) + 1;
  char *copy = base_allocate(&world->allocator, size);
  return copy ? memcpy(copy, name, size) : NULL;
}

clv_body *clv_world_add(clv_world *world, const char *name, const clv_body_def *body, const clv_solver_def *solver,
                        clv_error *error) {
  if (world->started) {
    clv_error_set(error, CLV_ERROR_ARGUMENT, "bodies are added before the first step");
    return NULL;
  }
  for (uint32_t k = 0; name && k < world->bodies.count; k++)
    if (!strcmp(world->bodies.data[k].name, name)) {
      clv_error_set(error, CLV_ERROR_ARGUMENT, "there is a body '%s' already: choose another name", name);
      return NULL;
    }
  world_body b = {.parts = 1};
  const bool room = BASE_RESERVE(&world->allocator, &world->bodies, (uint64_t)world->bodies.count + 1);
  b.name = room ? copy_name(world, name) : NULL;
  if (!b.name) {
    clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while a body was added to a world");
    return NULL;
  }
  b.body = clv_body_create(body, NULL, error);
  if (b.body) b.solver = clv_solver_create(b.body, solver, error);
  if (b.solver) b.surgery = clv_surgery_create(b.body, error);
  if (!b.surgery) {
    free_body(world, &b);
    return NULL;
  }
  world->bodies.data[world->bodies.count++] = b;
  return b.body;
}

uint32_t clv_world_bodies(const clv_world *world) {
  return world->bodies.count;
}

clv_body *clv_world_body(const clv_world *world, uint32_t i) {
  return i < world->bodies.count ? world->bodies.data[i].body : NULL;
}

clv_solver *clv_world_solver(const clv_world *world, uint32_t i) {
  return i < world->bodies.count ? world->bodies.data[i].solver : NULL;
}

clv_surgery *clv_world_surgery(const clv_world *world, uint32_t i) {
  return i < world->bodies.count ? world->bodies.data[i].surgery : NULL;
}

const char *clv_world_body_name(const clv_world *world, uint32_t i) {
  return i < world->bodies.count ? world->bodies.data[i].name : NULL;
}

// The clock

double world_time_of(const clv_world *world, double steps) {
  return world->origin_time + (steps - (double)world->origin_steps) * world->step;
}

uint32_t clv_world_culprit(const clv_world *world) {
  return world->culprit;
}

double clv_world_time(const clv_world *world) {
  return world_time_of(world, (double)world->steps);
}

uint64_t clv_world_steps(const clv_world *world) {
  return world->steps;
}

double clv_world_get_step(clv_world *world) {
  if (world->step == 0 && world_decide_step(world) != CLV_OK) return 0;
  return world->step;
}

clv_result clv_world_set_step(clv_world *world, double step) {
  if ((world->started || step != 0) && !is_step(step))
    return world_fail(world, CLV_ERROR_ARGUMENT, "%g s is no step", step);
  if (world->steps != world->origin_steps && step != world->step) { // time goes on from here
    world->origin_time = clv_world_time(world);
    world->origin_steps = world->steps;
  }
  world->step = step;
  world->automatic = step == 0;
  for (uint32_t k = 0; k < world->bodies.count; k++) world->bodies.data[k].parts = 1;
  return CLV_OK;
}

uint32_t clv_world_parts(const clv_world *world, uint32_t i) {
  return i < world->bodies.count ? world->bodies.data[i].parts : 0;
}

clv_result world_replace_solver(clv_world *world, uint32_t body, const clv_solver_def *def, clv_error *error) {
  world_body *b = &world->bodies.data[body];
  clv_solver *solver = clv_solver_create(b->body, def, error);
  if (!solver) return error->code;
  clv_solver_destroy(b->solver);
  b->solver = solver;
  b->paced = false;
  return CLV_OK;
}

clv_result world_start(clv_world *world) {
  if (world->half_loaded)
    return world_fail(world, CLV_ERROR_ARGUMENT, "a load of this world failed on its way: make the world anew");
  if (world->started) return CLV_OK;
  if (world->step == 0) {
    const clv_result result = world_decide_step(world);
    if (result != CLV_OK) return result;
  }
  for (uint32_t k = 0; k < world->bodies.count; k++) {
    world_body *b = &world->bodies.data[k];
    if (!b->journal) b->journal = clv_journal_create(clv_body_map(b->body));
    if (!b->journal) return world_no_memory(world);
  }
  world->started = true;
  return CLV_OK;
}

// The step

// What a solver's step changes, one array behind the other.
typedef void part_visitor(double *values, double *kept, size_t count);

static size_t visit_state(const world_body *b, part_visitor *each, double *kept) {
  const size_t count = 3 * (size_t)clv_body_slots(b->body);
  size_t total = 0;
  double *values[] = {clv_body_positions(b->body), clv_body_velocities(b->body)};
  for (uint32_t k = 0; k < 2; k++, total += count)
    if (each) each(values[k], kept + total, count);
  const char *name;
  double *memory;
  size_t size;
  for (uint32_t k = 0; clv_solver_memory(b->solver, k, &name, &memory, &size); k++, total += size)
    if (each) each(memory, kept + total, size);
  return total;
}

static void keep_part(double *values, double *kept, size_t count) {
  memcpy(kept, values, count * sizeof *values);
}

static void restore_part(double *values, double *kept, size_t count) {
  memcpy(values, kept, count * sizeof *values);
}

// A solver that fails restores its own body, as it was before that part of the step; what was done before is restored
// from here.
static clv_result keep_bodies(clv_world *world) {
  for (uint32_t k = 0; k < world->bodies.count; k++) {
    world_body *b = &world->bodies.data[k];
    if (k + 1 == world->bodies.count && b->parts == 1) break;
    if (!BASE_RESERVE(&world->allocator, &b->before, visit_state(b, NULL, NULL))) return world_no_memory(world);
    visit_state(b, keep_part, b->before.data);
  }
  return CLV_OK;
}

static void sum_report(clv_step_report *sum, const clv_step_report *one) {
  sum->rejected += one->rejected;
  sum->linear_iterations += one->linear_iterations;
  sum->newton_iterations += one->newton_iterations;
  sum->linear = one->linear;
  sum->residual = fmax(sum->residual, one->residual);
  sum->converged = sum->converged && one->converged;
  sum->force_seconds += one->force_seconds;
  sum->solve_seconds += one->solve_seconds;
}

static clv_result step_body(const world_body *b, double time, double step, clv_step_report *sum) {
  const double part = step / b->parts;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < b->parts; k++) {
    clv_step_report one = {0};
    result = clv_solver_step(b->solver, time + k * part, part, sum ? &one : NULL);
    if (sum) sum_report(sum, &one);
  }
  return result;
}

static clv_result step_bodies(clv_world *world, double time, clv_world_report *report) {
  clv_result result = keep_bodies(world);
  if (result == CLV_OK) result = world_keep_places(world);
  for (uint32_t k = 0; result == CLV_OK && k < world->bodies.count; k++) {
    const world_body *b = &world->bodies.data[k];
    result = step_body(b, time, world->step, report ? &report->solver : NULL);
    if (report && b->parts > report->parts) report->parts = b->parts;
    if (result == CLV_OK) continue;
    world_fail(world, result, "body '%s': %s", b->name, clv_solver_error(b->solver));
    for (uint32_t before = 0; before < k + (b->parts > 1); before++)
      visit_state(&world->bodies.data[before], restore_part, world->bodies.data[before].before.data);
  }
  return result;
}

static double seconds(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

clv_result clv_world_step(clv_world *world, clv_world_report *report) {
  const double start = report ? seconds() : 0;
  clv_result result = world_start(world);
  if (result != CLV_OK) return result;
  const double time = clv_world_time(world);
  clv_world_report done = {.solver = {.converged = true}};
  result = world_act_due(world, time, &done);
  if (report) *report = done;
  if (report) report->events_seconds = seconds() - start;
  if (result == CLV_OK) result = world_pace(world);
  if (result == CLV_OK) result = step_bodies(world, time, report);
  if (result == CLV_OK) world->steps++;
  if (report) {
    report->step = world->steps;
    report->time = clv_world_time(world);
    report->total_seconds = seconds() - start;
  }
  return result;
}

// The hash

static uint64_t mix(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 29;
}

static uint64_t mix_vector(uint64_t hash, const double *vector) {
  for (uint32_t c = 0; c < 3; c++) {
    uint64_t bits;
    memcpy(&bits, &vector[c], sizeof bits);
    hash = mix(hash, bits);
  }
  return hash;
}

uint64_t clv_world_hash(const clv_world *world) {
  uint64_t bits;
  memcpy(&bits, &world->step, sizeof bits);
  uint64_t hash = mix(mix(0, world->steps), bits);
  for (uint32_t k = 0; k < world->bodies.count; k++) {
    clv_body *body = world->bodies.data[k].body;
    const clv_map *map = clv_body_map(body);
    hash = mix(hash, clv_map_hash(map));
    const double *x = clv_body_positions(body), *v = clv_body_velocities(body);
    for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
      hash = mix_vector(mix_vector(hash, x + 3 * (size_t)id.index), v + 3 * (size_t)id.index);
  }
  return hash;
}
