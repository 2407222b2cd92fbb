// The library's side of compiled rules: each call does what the interpreter does at that point.

#include "rule/apply_machine.h"
#include "rule/apply_plan.h"

#include <stddef.h>

// A machine and the match it works on.
typedef struct driver {
  machine face; // first
  apply_match *match;
  uint8_t kinds[RULE_PARAMETERS];
} driver;

static driver *driver_of(machine *self) {
  return (driver *)(void *)self;
}
static const map *map_of_machine(const machine *self) {
  return ((const driver *)(const void *)self)->match->run->m;
}
static apply_run *run_of(machine *self) {
  return driver_of(self)->match->run;
}

static machine_u32 read_alpha(const machine *self, machine_u32 dart, machine_u32 i) {
  return clv_alpha(&map_of_machine(self)->view, dart, i);
}

static machine_u32 read_side(const machine *self, machine_u32 dart) {
  return map_side(map_of_machine(self), dart);
}

static int step_level(machine *self, machine_u32 dart, int level, machine_u32 *end) {
  return apply_level_step(run_of(self), dart, level, end);
}

// The match's arrays may have moved.
static int show(machine *self) {
  const apply_match *match = driver_of(self)->match;
  self->count = match->count;
  self->across = match->across.data;
  self->darts = match->darts.data;
  return 1;
}

static int make_room(machine *self, machine_u32 count) {
  apply_match *match = driver_of(self)->match;
  const uint64_t places = (uint64_t)count * match->graph->node_count;
  const clv_allocator *a = &match->run->m->allocator;
  if (!apply_spend(match->run, places)) return 0;
  if (!BASE_RESERVE(a, &match->darts, places) || !BASE_RESERVE(a, &match->across, (uint64_t)count * match->columns + 1))
    return apply_no_memory(match->run);
  memset(match->darts.data, 0, places * sizeof(clv_dart));
  match->count = count;
  return show(self);
}

static int walk(machine *self) {
  return apply_walk_positions(driver_of(self)->match, self->hooks) && show(self);
}

static int differ(machine *self) {
  return apply_places_differ(driver_of(self)->match);
}

static int mismatch(machine *self, machine_u32 position, machine_u32 node, machine_u32 i) {
  return apply_no_match(driver_of(self)->match, position, node, i);
}

static int within(machine *self, machine_u32 dims, machine_u32 dart, machine_u32 other) {
  clv_walk orbit;
  if (!apply_ok(run_of(self), clv_walk_orbit(&orbit, &map_of_machine(self)->view, dims, dart))) return -1;
  bool found = false;
  for (uint32_t k = 0; k < orbit.count; k++) found = found || orbit.darts[k] == other;
  const bool paid = apply_spend(run_of(self), orbit.count);
  clv_walk_end(&orbit);
  return paid ? found : -1;
}

static int guard(machine *self, machine_u32 number) {
  const apply_match *match = driver_of(self)->match;
  bool holds = false;
  if (!apply_bind_match(match, 0) || !apply_condition(match->run, match->graph->guards->child[number], &holds))
    return -1;
  return holds;
}

static int refuse(machine *self, machine_u32 number) {
  return apply_refuse(driver_of(self)->match, number);
}

static int extend(machine *self, machine_u32 dart) {
  return apply_ok(run_of(self), map_extend(run_of(self)->m, dart));
}

static int leave(machine *self, machine_u32 dart) {
  return apply_leave(driver_of(self)->match, dart);
}

static int add(machine *self, machine_u32 side, machine_u32 *dart) {
  return apply_ok(run_of(self), map_dart_add(run_of(self)->m, side, dart));
}

static int link(machine *self, machine_u32 dart, machine_u32 i, machine_u32 target) {
  return apply_write_link(run_of(self), dart, i, target);
}

static int torn(machine *self, machine_u32 dart, machine_u32 i) {
  return apply_torn(run_of(self), dart, i);
}

static int drop(machine *self, machine_u32 dart) {
  return apply_drop(run_of(self), dart);
}

static const machine calls = {
    .alpha = read_alpha,
    .side = read_side,
    .level = step_level,
    .room = make_room,
    .walk = walk,
    .differ = differ,
    .mismatch = mismatch,
    .within = within,
    .guard = guard,
    .refuse = refuse,
    .extend = extend,
    .leave = leave,
    .add = add,
    .link = link,
    .torn = torn,
    .drop = drop,
};

bool apply_compiled(apply_match *match, const machine_code *code, const clv_dart *hooks, machine_part part) {
  const map *m = match->run->m;
  driver d = {.face = calls, .match = match};
  d.face.hooks = hooks;
  d.face.kinds = d.kinds;
  d.face.numbers = match->number;
  for (uint32_t h = 0; h < match->graph->hook_count; h++)
    d.kinds[h] = map_dart_plain(m, hooks[h]) ? map_page(m, hooks[h]).kind : 0;
  show(&d.face);
  const uint32_t n = m->view.dimension - 2;
  machine_function *const functions[] = {code->match[n], code->guard[n], code->write[n]};
  if (part == MACHINE_MATCH) apply_choose_columns(match);
  return functions[part](&d.face) > 0;
}
