// Twins: ids and events.
//
// An id names an orbit and goes on naming it while the orbit's darts stay the same. What happens to it otherwise is
// told by events, and someone who hears nothing else must know at any time which ids are alive.

#include "support/compare.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

static bool same_id(clv_id a, clv_id b) {
  return a.index == b.index && a.generation == b.generation;
}

static bool is_cell(const twins *t, const twins_orbit *o) {
  return o->dims == clv_orbit_dims(t->map, CLV_CELL);
}

// Reading

static void read_ids(const twins *t, const twins_orbit *o, twins_ids *ids) {
  ids->count = reference_label(&t->naive, o->dims, ids->label);
  memset(ids->id, 0, sizeof ids->id);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (!ids->label[d]) continue;
    ids->id[d] = clv_id_of(t->map, o->orbit, t->kernel_of[d]);
    if (!ids->id[d].index) twins_fail(t, "dart %u has no id in orbit %#x", t->kernel_of[d], o->dims);
    if (!same_id(ids->id[d], ids->id[ids->label[d]]))
      twins_fail(t, "darts %u and %u of one orbit %#x have ids %u and %u", t->kernel_of[d], t->kernel_of[ids->label[d]],
                 o->dims, ids->id[d].index, ids->id[ids->label[d]].index);
  }
}

// Every id leads to a dart that leads back to it, and there are as many ids as orbits: no two orbits share one.
static void check_enumeration(const twins *t, const twins_orbit *o) {
  uint32_t count = 0;
  for (clv_id id = clv_id_next(t->map, o->orbit, (clv_id){0, 0}); id.index; id = clv_id_next(t->map, o->orbit, id)) {
    const clv_dart dart = clv_id_dart(t->map, o->orbit, id);
    if (!clv_id_alive(t->map, o->orbit, id)) twins_fail(t, "id %u of orbit %#x is listed but dead", id.index, o->dims);
    if (!twins_naive(t, dart))
      twins_fail(t, "id %u of orbit %#x leads to dart %u, which does not exist", id.index, o->dims, dart);
    if (!same_id(o->now.id[t->naive_of[dart]], id))
      twins_fail(t, "id %u of orbit %#x leads to dart %u of orbit %u", id.index, o->dims, dart,
                 o->now.id[t->naive_of[dart]].index);
    if (!is_cell(t, o) && id.index >= clv_id_slots(t->map, o->orbit))
      twins_fail(t, "id %u of orbit %#x lies beyond its slots", id.index, o->dims);
    count++;
  }
  if (count != o->now.count) twins_fail(t, "%u ids for %u orbits %#x", count, o->now.count, o->dims);
}

// Identity over time

// A cell may move to another row when its own links change, even if its darts stay the same.
static void drop_relinked_cells(const twins *t, const twins_orbit *o, bool *equal) {
  for (uint32_t d = 1; d < t->naive.end; d++)
    for (uint32_t i = 0; o->now.label[d] && i < t->naive.dimension; i++)
      if (t->naive.alpha[d][i] != t->naive_at_begin.alpha[d][i]) equal[o->now.label[d]] = false;
}

static void check_unchanged(const twins *t, const twins_orbit *o, const bool *equal) {
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (equal[d] && !same_id(o->before.id[d], o->now.id[d]))
      twins_fail(t, "orbit %#x of dart %u did not change, but its id went from %u.%u to %u.%u", o->dims,
                 t->kernel_of[d], o->before.id[d].index, o->before.id[d].generation, o->now.id[d].index,
                 o->now.id[d].generation);
}

// Events

static twins_rumour *rumour(twins_orbit *o, clv_id id) {
  if (id.index >= o->rumour_count) {
    const uint32_t count = id.index + 256;
    o->rumours = realloc(o->rumours, count * sizeof *o->rumours);
    assert_non_null(o->rumours);
    memset(o->rumours + o->rumour_count, 0, (count - o->rumour_count) * sizeof *o->rumours);
    o->rumour_count = count;
  }
  return &o->rumours[id.index];
}

static bool known(twins_orbit *o, clv_id id) {
  return id.index && rumour(o, id)->generation == id.generation;
}

static void learn(const twins *t, twins_orbit *o, clv_id id) {
  twins_rumour *r = rumour(o, id);
  if (!id.index || r->generation)
    twins_fail(t, "id %u of orbit %#x was announced, but was alive already", id.index, o->dims);
  *r = (twins_rumour){.generation = id.generation, .began = t->commits};
  o->alive++;
}

static void forget(const twins *t, twins_orbit *o, clv_id id) {
  if (!known(o, id)) twins_fail(t, "id %u of orbit %#x is said to be gone, but never was", id.index, o->dims);
  rumour(o, id)->generation = 0;
  o->alive--;
}

// Whether some dart lay in the orbit `was` and lies in the orbit `is`.
static bool went(const twins *t, const twins_orbit *o, clv_id was, clv_id is) {
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (same_id(o->before.id[d], was) && same_id(o->now.id[d], is)) return true;
  return false;
}

// A cell of new darts alone came off the one they were born in.
static bool was_born_in(const twins *t, const twins_orbit *o, clv_id was, clv_id is) {
  bool lived = false;
  if (o->dims != clv_orbit_dims(t->map, CLV_CELL)) return false;
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (same_id(o->now.id[d], is) && o->before.id[d].index) return false;
    lived |= same_id(o->before.id[d], was);
  }
  return lived;
}

static void check_dart_of(const twins *t, const twins_orbit *o, const clv_event *event) {
  const bool gone = event->kind == CLV_DELETED;
  if (gone && event->dart) twins_fail(t, "dart %u is named by an orbit %#x that is gone", event->dart, o->dims);
  if (gone) return;
  const ref_dart naive = twins_naive(t, event->dart);
  if (!naive || !same_id(o->now.id[naive], event->id))
    twins_fail(t, "event %u of orbit %#x, id %u, names dart %u", event->kind, o->dims, event->id.index, event->dart);
}

static void follow_event(const twins *t, twins_orbit *o, const clv_event *event) {
  const clv_id none = {0, 0};
  check_dart_of(t, o, event);
  switch ((clv_event_kind)event->kind) {
  case CLV_CREATED:
    if (!same_id(event->from, none)) twins_fail(t, "id %u was created from %u", event->id.index, event->from.index);
    learn(t, o, event->id);
    return;
  case CLV_DELETED:
    forget(t, o, event->id);
    for (uint32_t d = 1; d < t->naive.end; d++)
      if (same_id(o->before.id[d], event->id) && o->now.label[d])
        twins_fail(t, "id %u of orbit %#x was deleted, but dart %u remains", event->id.index, o->dims, t->kernel_of[d]);
    return;
  case CLV_SPLIT:
    learn(t, o, event->id);
    if (!went(t, o, event->from, event->id) && !was_born_in(t, o, event->from, event->id))
      twins_fail(t, "id %u of orbit %#x did not come off %u", event->id.index, o->dims, event->from.index);
    return;
  case CLV_MERGED:
    forget(t, o, event->from);
    if (!went(t, o, event->from, event->id))
      twins_fail(t, "id %u of orbit %#x did not become part of %u", event->from.index, o->dims, event->id.index);
    return;
  case CLV_CHANGED:
    if (!known(o, event->id)) twins_fail(t, "id %u of orbit %#x changed, but is not alive", event->id.index, o->dims);
    rumour(o, event->id)->changed = t->commits;
    return;
  }
  twins_fail(t, "an event of kind %u", event->kind);
}

static void follow_events(const twins *t, twins_orbit *o) {
  for (uint32_t e = 0; e < t->event_count; e++)
    if (t->events[e].dims == o->dims) follow_event(t, o, &t->events[e]);
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (o->now.label[d] == d && !known(o, o->now.id[d]))
      twins_fail(t, "id %u of orbit %#x was never announced", o->now.id[d].index, o->dims);
  if (o->alive != o->now.count)
    twins_fail(t, "%u orbits %#x are said to exist, not %u", o->alive, o->dims, o->now.count);
}

// An orbit that goes on under its id has some of its darts left, and is said to have changed exactly if it has lost
// some or gained others.
static void check_changes(const twins *t, twins_orbit *o, const bool *equal) {
  bool kept[REFERENCE_DARTS] = {false};
  for (uint32_t d = 1; d < t->naive.end; d++) kept[o->now.label[d]] |= same_id(o->before.id[d], o->now.id[d]);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (o->now.label[d] != d) continue;
    const clv_id id = o->now.id[d];
    const bool is_new = rumour(o, id)->began == t->commits, told = rumour(o, id)->changed == t->commits;
    if (is_new == kept[d]) twins_fail(t, "id %u of orbit %#x went from one orbit to another", id.index, o->dims);
    if (!is_new && told == equal[d])
      twins_fail(t, "id %u of orbit %#x %s", id.index, o->dims,
                 told ? "is said to have changed" : "changed, but nobody was told");
  }
}

static void check_event_dims(const twins *t) {
  for (uint32_t e = 0; e < t->event_count; e++) {
    bool tracked = false;
    for (uint32_t k = 0; k < t->orbit_count; k++) tracked |= t->orbits[k].dims == t->events[e].dims;
    if (!tracked) twins_fail(t, "an event of orbit %#x, which nobody asked for", t->events[e].dims);
  }
}

// What was there before anyone listened.
void twins_read_ids(twins *t, twins_orbit *o) {
  read_ids(t, o, &o->now);
  check_enumeration(t, o);
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (o->now.label[d] == d) learn(t, o, o->now.id[d]);
}

void twins_check_ids(twins *t) {
  check_event_dims(t);
  for (uint32_t k = 0; k < t->orbit_count; k++) {
    twins_orbit *o = &t->orbits[k];
    bool equal[REFERENCE_DARTS];
    o->before = o->now;
    read_ids(t, o, &o->now);
    check_enumeration(t, o);
    follow_events(t, o);
    twins_find_equal(t, o->now.label, o->before.label, equal);
    if (!is_cell(t, o)) check_changes(t, o, equal);
    if (is_cell(t, o)) drop_relinked_cells(t, o, equal);
    check_unchanged(t, o, equal);
  }
}
