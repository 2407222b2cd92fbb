// Twins: values on orbits.
//
// What a column's values should be after a commit is worked out from its definition, as embed.h words it. An orbit
// whose darts are the same keeps its value to the bit. Another is made of parts, what is left in it of the old orbits.
// A part's weight is its number of darts, or the sum of the contributions of the corners it has. Where a corner was cut
// in two the text does not say whose it is, and then nothing is expected here but that the total is kept.
//
// A value that was set holds for the orbit as it was then, and for all that came of it; the last one counts. So it is
// written at every dart of the orbit, and at all that it meets later. One that is not copied stays in one place.

#include "support/compare.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

// Values as numbers

static double get_number(const clv_column_def *def, const void *value, uint32_t component) {
  switch (def->type) {
  case CLV_DOUBLE:
    return ((const double *)value)[component];
  case CLV_FLOAT:
    return (double)((const float *)value)[component];
  case CLV_INT32:
    return ((const int32_t *)value)[component];
  case CLV_UINT32:
    return ((const uint32_t *)value)[component];
  case CLV_BYTES:
    return ((const uint8_t *)value)[component];
  }
  return 0;
}

static void put_number(const clv_column_def *def, void *value, uint32_t component, double number) {
  switch (def->type) {
  case CLV_DOUBLE:
    ((double *)value)[component] = number;
    break;
  case CLV_FLOAT:
    ((float *)value)[component] = (float)number;
    break;
  case CLV_INT32:
    ((int32_t *)value)[component] = (int32_t)number;
    break;
  case CLV_UINT32:
    ((uint32_t *)value)[component] = (uint32_t)number;
    break;
  case CLV_BYTES:
    ((uint8_t *)value)[component] = (uint8_t)number;
    break;
  }
}

static void spread_births(twins *t) {
  ref_dart label[REFERENCE_DARTS];
  uint8_t born[REFERENCE_DARTS] = {0};
  reference_label(&t->naive, clv_orbit_dims(t->map, CLV_VERTEX), label);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    uint8_t *all = &born[label[d]];
    if (label[d] && t->born[d]) *all = *all && *all != t->born[d] ? TWINS_NOTES + 1 : t->born[d];
  }
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (label[d]) t->born[d] = born[label[d]];
}

static void spread_sets(const twins *t, twins_column *c) {
  ref_dart label[REFERENCE_DARTS];
  uint8_t said[REFERENCE_DARTS] = {0};
  bool aged[REFERENCE_DARTS] = {false};
  reference_label(&t->naive, c->dims, label);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (!label[d]) continue;
    if (c->said[d] > said[label[d]]) said[label[d]] = c->said[d];
    aged[label[d]] |= c->aged[d];
  }
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (!label[d]) continue;
    c->said[d] = said[label[d]];
    c->aged[d] = aged[label[d]];
  }
}

void twins_spread(twins *t) {
  spread_births(t);
  for (uint32_t k = 0; k < t->column_count; k++) spread_sets(t, &t->columns[k]);
}

void twins_set(twins *t, uint32_t column, ref_dart dart, const double *value) {
  twins_column *c = &t->columns[column];
  uint64_t bytes[TWINS_COMPONENTS];
  assert_true(t->set_count < TWINS_NOTES);
  twins_set_value *set = &t->sets[t->set_count++];
  *set = (twins_set_value){.column = c, .dart = dart};
  for (uint32_t k = 0; k < c->def->components; k++) {
    put_number(c->def, bytes, k, value[k]);
    set->value[k] = get_number(c->def, bytes, k);
  }
  c->said[dart] = (uint8_t)t->set_count;
  twins_spread(t);
  twins_trace(t, "set %s %u %g\n", c->def->name, t->kernel_of[dart], value[0]);
  assert_int_equal(clv_column_set(c->column, t->kernel_of[dart], bytes), CLV_OK);
}

static void read_values(const twins *t, twins_column *c) {
  reference_label(&t->naive, c->dims, c->now.label);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    const ref_dart label = c->now.label[d];
    if (!label) continue;
    const void *value = clv_column_at(c->column, t->kernel_of[d]);
    if (value != clv_column_at(c->column, t->kernel_of[label]))
      twins_fail(t, "column '%s' has two values, one of them at dart %u", c->def->name, t->kernel_of[d]);
    if (!value) {
      twins_fail(t, "column '%s' has no value at dart %u", c->def->name, t->kernel_of[d]);
      return;
    }
    for (uint32_t k = 0; k < c->def->components && label == d; k++) c->now.value[d][k] = get_number(c->def, value, k);
  }
}

// Expecting

typedef struct part {
  ref_dart old; // the orbit it was, by its smallest dart
  uint32_t darts;
  double weight, share;
} part;

typedef struct parts {
  uint32_t count;
  part part[REFERENCE_DARTS];
  bool clear; // all weights are known
} parts;

// Where all the darts of an old corner are now: in one orbit, or (0) deleted. False when they went different ways.
static bool find_corner(const twins *t, const twins_column *c, ref_dart corner, ref_dart *place) {
  const ref_dart *label = c->contribution->before.label;
  *place = c->now.label[corner];
  for (uint32_t d = 1; d < t->naive.end; d++)
    if (label[d] == corner && c->now.label[d] != *place) return false;
  return true;
}

static bool weigh_by_corners(const twins *t, const twins_column *c, ref_dart orbit, part *p) {
  double total = 0;
  for (uint32_t d = 1; d < t->naive.end; d++) {
    ref_dart place = 0;
    if (c->before.label[d] != p->old || c->contribution->before.label[d] != d) continue;
    if (!find_corner(t, c, (ref_dart)d, &place)) return false;
    const double weight = c->contribution->before.value[d][0];
    total += weight;
    if (place == orbit) p->weight += weight;
  }
  p->share = p->weight / total;
  return total > 0;
}

// A deleted dart counts when its whole cell was deleted; what an edge or a vertex leaves behind when it is removed from
// a cell still belongs to the others.
static void weigh_by_darts(const twins *t, const twins_column *c, part *p) {
  ref_dart cell[REFERENCE_DARTS];
  bool lives_on[REFERENCE_DARTS] = {false};
  uint32_t total = 0;
  reference_label(&t->naive_at_begin, clv_orbit_dims(t->map, CLV_CELL), cell);
  for (uint32_t d = 1; d < t->naive_at_begin.end; d++)
    if (cell[d]) lives_on[cell[d]] |= reference_alive(&t->naive, (ref_dart)d);
  for (uint32_t d = 1; d < t->naive_at_begin.end; d++)
    total += c->before.label[d] == p->old && (reference_alive(&t->naive, (ref_dart)d) || !lives_on[cell[d]]);
  p->weight = p->darts;
  p->share = p->weight / total;
}

static void find_parts(const twins *t, const twins_column *c, const ref_orbit *orbit, ref_dart label, parts *found) {
  found->count = 0;
  found->clear = true;
  for (uint32_t k = 0; k < orbit->count; k++) {
    const ref_dart old = c->before.label[orbit->darts[k]];
    uint32_t p = 0;
    while (p < found->count && found->part[p].old != old) p++;
    if (!old) continue; // a new dart
    if (p == found->count) found->part[found->count++] = (part){.old = old};
    found->part[p].darts++;
  }
  for (uint32_t p = 0; p < found->count; p++) {
    if (!c->contribution)
      weigh_by_darts(t, c, &found->part[p]);
    else if (!weigh_by_corners(t, c, label, &found->part[p]))
      found->clear = false;
  }
}

static bool same_number(double a, double b) {
  return fabs(a - b) <= 1e-6 * (1 + fabs(a) + fabs(b));
}

static void expect(const twins *t, const twins_column *c, ref_dart label, const double *expected, const char *why) {
  for (uint32_t k = 0; k < c->def->components; k++)
    if (!same_number(c->now.value[label][k], expected[k]))
      twins_fail(t, "column '%s' has %g at dart %u, not %g: %s", c->def->name, c->now.value[label][k],
                 t->kernel_of[label], expected[k], why);
}

// The value that was set last for an orbit, if any was.
static const twins_set_value *find_set(const twins *t, const twins_column *c, ref_dart label) {
  const twins_set_value *found = NULL;
  for (uint32_t k = 0; k < t->set_count; k++)
    if (t->sets[k].column == c && c->now.label[t->sets[k].dart] == label) found = &t->sets[k];
  return found;
}

static bool copies(const twins_column *c) {
  return c->def->split == CLV_SPLIT_COPY && !c->def->policy && c->def->merge != CLV_MERGE_RECOMPUTE;
}

// A new orbit

static void initial_value(const twins_column *c, double *value) {
  for (uint32_t k = 0; k < c->def->components; k++)
    value[k] = c->def->initial ? get_number(c->def, c->def->initial, k) : 0;
}

// The vertices a new one came between, when they were there before. What is not copied is born where it was said.
static const twins_birth *find_birth(const twins *t, const twins_column *c, const ref_orbit *orbit, bool *clear) {
  const uint8_t number = t->born[orbit->darts[0]];
  if (number > TWINS_NOTES) *clear = false;
  if (!number || number > TWINS_NOTES) return NULL;
  const twins_birth *birth = &t->births[number - 1];
  for (uint32_t e = 0; e < 2; e++)
    if (!c->before.label[birth->ends[e]]) *clear = false;
  if (!copies(c) && !orbit->has[birth->added]) *clear = false;
  return birth;
}

static void check_new(const twins *t, const twins_column *c, const ref_orbit *orbit, ref_dart label) {
  double expected[TWINS_COMPONENTS];
  initial_value(c, expected);
  bool clear = true;
  const twins_birth *birth = c->def->create == CLV_CREATE_MEAN ? find_birth(t, c, orbit, &clear) : NULL;
  for (uint32_t k = 0; k < c->def->components && birth && clear; k++) {
    const double *a = c->before.value[c->before.label[birth->ends[0]]];
    const double *b = c->before.value[c->before.label[birth->ends[1]]];
    expected[k] = (a[k] + b[k]) / 2;
  }
  if (copies(c) && c->aged[label]) clear = false; // it came of one that was there, of which no dart is left in it
  if (clear) expect(t, c, label, expected, "the orbit is new");
}

// A cell of new darts alone has what the cell had that it came off, as far as that is not shared out.
static bool check_born(const twins *t, const twins_column *c, ref_dart label) {
  const twins_orbit *cells = NULL;
  for (uint32_t k = 0; k < t->orbit_count; k++)
    if (t->orbits[k].dims == c->dims) cells = &t->orbits[k];
  if (!cells || c->dims != clv_orbit_dims(t->map, CLV_CELL)) return false;
  for (uint32_t k = 0; k < t->event_count; k++) {
    const clv_event *event = &t->events[k];
    if (event->dims != c->dims || event->kind != CLV_SPLIT || event->id.index != cells->now.id[label].index) continue;
    for (uint32_t d = 1; d < t->naive.end; d++) {
      if (cells->before.id[d].index != event->from.index || cells->before.id[d].generation != event->from.generation)
        continue;
      if (c->def->split == CLV_SPLIT_COPY && !c->def->policy)
        expect(t, c, label, c->before.value[c->before.label[d]], "the cell was born in another");
      return true;
    }
  }
  return false;
}

// An orbit made of parts

// The part whose value is kept: the one whose id goes on; else one that no other outweighs. Orbits inside cells have no
// ids, and any of their parts may do.
static bool may_be_kept(const twins *t, const twins_column *c, const parts *found, uint32_t p, ref_dart label) {
  const twins_orbit *o = NULL;
  for (uint32_t k = 0; k < t->orbit_count; k++)
    if (t->orbits[k].dims == c->dims && c->dims >> t->naive.dimension) o = &t->orbits[k];
  if (!o) return true;
  bool heaviest = true, some_id_goes_on = false;
  for (uint32_t q = 0; q < found->count; q++) {
    const clv_id was = o->before.id[found->part[q].old], is = o->now.id[label];
    const bool goes_on = was.index == is.index && was.generation == is.generation;
    if (goes_on && q == p) return true;
    some_id_goes_on |= goes_on;
    heaviest &= found->part[q].darts <= found->part[p].darts;
  }
  return heaviest && !some_id_goes_on;
}

static void check_kept(const twins *t, const twins_column *c, const parts *found, ref_dart label) {
  const bool shared = c->def->split == CLV_SPLIT_SHARE;
  for (uint32_t p = 0; p < found->count; p++) {
    const part *kept = &found->part[p];
    bool fits = may_be_kept(t, c, found, p, label);
    for (uint32_t k = 0; k < c->def->components; k++)
      fits &= same_number(c->before.value[kept->old][k] * (shared ? kept->share : 1), c->now.value[label][k]);
    if (fits) return;
  }
  twins_fail(t, "column '%s' has %g at dart %u, which none of its parts had that it could keep", c->def->name,
             c->now.value[label][0], t->kernel_of[label]);
}

static void check_recomputed(const twins *t, const twins_column *c, const ref_orbit *orbit, ref_dart label) {
  double expected[TWINS_COMPONENTS] = {0};
  for (uint32_t n = 0; n < orbit->count; n++)
    for (uint32_t k = 0; k < c->def->components; k++)
      if (c->contribution->now.label[orbit->darts[n]] == orbit->darts[n])
        expected[k] += c->contribution->now.value[orbit->darts[n]][k];
  expect(t, c, label, expected, "the sum of its contributions");
}

static void check_merged(const twins *t, const twins_column *c, const parts *found, ref_dart label) {
  const bool policy = c->def->policy, mean = c->def->merge == CLV_MERGE_MEAN && !policy;
  const bool shared = c->def->split == CLV_SPLIT_SHARE || policy;
  double expected[TWINS_COMPONENTS] = {0}, weight = 0;
  for (uint32_t p = 0; p < found->count; p++) weight += found->part[p].weight;
  if (mean && !(weight > 0)) return; // no part has a corner to itself
  for (uint32_t p = 0; p < found->count; p++)
    for (uint32_t k = 0; k < c->def->components; k++)
      expected[k] += c->before.value[found->part[p].old][k] * (shared ? found->part[p].share : 1) *
                     (mean ? found->part[p].weight / weight : 1);
  expect(t, c, label, expected, "of its parts");
}

static void check_changed(const twins *t, const twins_column *c, ref_dart label) {
  ref_orbit orbit;
  parts found;
  reference_orbit(&t->naive, c->dims, label, &orbit);
  find_parts(t, c, &orbit, label, &found);
  const bool keeps = c->def->merge == CLV_MERGE_KEEP && !c->def->policy;
  if (c->def->merge == CLV_MERGE_RECOMPUTE)
    check_recomputed(t, c, &orbit, label);
  else if (!found.count && check_born(t, c, label))
    return;
  else if (!found.count)
    check_new(t, c, &orbit, label);
  else if (found.clear && keeps)
    check_kept(t, c, &found, label);
  else if (found.clear)
    check_merged(t, c, &found, label);
}

static void check_unchanged(const twins *t, const twins_column *c, ref_dart label) {
  for (uint32_t k = 0; k < c->def->components; k++)
    if (c->before.value[label][k] != c->now.value[label][k])
      twins_fail(t, "column '%s' went from %g to %g at dart %u, whose orbit did not change", c->def->name,
                 c->before.value[label][k], c->now.value[label][k], t->kernel_of[label]);
}

// Shared and summed, nothing is lost but with darts that are deleted, and nothing comes but with orbits that are new.
static void check_total(const twins *t, const twins_column *c) {
  if (c->def->split != CLV_SPLIT_SHARE || c->def->merge != CLV_MERGE_SUM) return;
  double before = 0, now = 0, initial[TWINS_COMPONENTS] = {0};
  initial_value(c, initial);
  bool deleted = false, set = false, old[REFERENCE_DARTS] = {false};
  for (uint32_t k = 0; k < t->set_count; k++) set |= t->sets[k].column == c;
  for (uint32_t d = 1; d < t->naive.end; d++) {
    deleted |= c->before.label[d] && !c->now.label[d];
    if (c->before.label[d]) old[c->now.label[d]] = true;
  }
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (c->before.label[d] == d) before += c->before.value[d][0];
    if (c->now.label[d] == d) now += c->now.value[d][0] - (old[d] ? 0 : initial[0]);
  }
  if (!set && (deleted ? now > before && !same_number(now, before) : !same_number(now, before)))
    twins_fail(t, "the total of column '%s' went from %g to %g", c->def->name, before, now);
}

// Whether a value that was set for an orbit has to be that of another which came of it. Where the two were one in
// between and no more, it need not.
static bool must_have(const twins *t, const twins_column *c, const twins_set_value *said, ref_dart label) {
  bool old = false, kin = false;
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (c->now.label[d] != label) continue;
    old |= c->before.label[d];
    kin |= c->before.label[d] && c->before.label[d] == c->before.label[said->dart];
  }
  return copies(c) && (kin || !old);
}

static void check_column(const twins *t, const twins_column *c) {
  bool equal[REFERENCE_DARTS];
  twins_find_equal(t, c->now.label, c->before.label, equal);
  for (uint32_t d = 1; d < t->naive.end; d++) {
    if (c->now.label[d] != d) continue;
    const twins_set_value *set = find_set(t, c, (ref_dart)d);
    const twins_set_value *said = c->said[d] ? &t->sets[c->said[d] - 1] : NULL;
    if (said && (said == set || (must_have(t, c, said, (ref_dart)d) && !equal[d])))
      expect(t, c, (ref_dart)d, said->value, "it was set");
    else if (said && (!copies(c) || same_number(c->now.value[d][0], said->value[0])))
      continue;
    else if (equal[d])
      check_unchanged(t, c, (ref_dart)d);
    else
      check_changed(t, c, (ref_dart)d);
  }
  check_total(t, c);
}

void twins_check_values(twins *t) {
  for (uint32_t k = 0; k < t->column_count; k++) {
    twins_column *c = &t->columns[k];
    memcpy(c->before.label, c->now.label, t->naive.end * sizeof *c->now.label);
    memcpy(c->before.value, c->now.value, t->naive.end * sizeof *c->now.value);
    read_values(t, c);
  }
  for (uint32_t k = 0; k < t->column_count; k++) check_column(t, &t->columns[k]);
}
