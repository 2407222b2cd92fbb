// Rules applied to a body: at every orbit of a zone where they match.

#include "physics/zone.h"
#include "surgery/surgery.h"

enum { APPLY_PARAMETERS = 8 };

// What a rule is called with: one dart, and a level for whatever is none.
typedef struct call {
  clv_rule_argument arguments[APPLY_PARAMETERS];
  uint32_t count, place; // which of them is the dart
  clv_orbit orbit;       // that it is a dart of
} call;

clv_apply clv_default_apply(void) {
  return (clv_apply){.zone = clv_zone_all()};
}

static const char *read_call(const clv_apply *apply, call *to) {
  clv_parameter parameter;
  uint32_t darts = 0;
  *to = (call){.count = 0};
  for (; clv_rule_parameter(apply->rule, to->count, &parameter); to->count++) {
    if (to->count == APPLY_PARAMETERS) return "the rule has more than 8 parameters";
    to->arguments[to->count].number = (int32_t)apply->level;
    // A script does not say what its parameters are: the first is the dart, the others are levels.
    const bool is_dart = parameter.kind == CLV_PARAMETER_DART || (parameter.kind == CLV_PARAMETER_ANY && !darts);
    if (!is_dart) continue;
    if (darts++) return "the rule has several hooks, and is given one place at a time";
    to->place = to->count;
    to->orbit = apply->on ? apply->on : parameter.kind == CLV_PARAMETER_DART ? parameter.orbit : 0;
  }
  if (!darts) return "the rule has no hook";
  return to->orbit ? NULL : "a script has to be told what it is applied to: vertices, edges, faces or cells";
}

_Static_assert(CLV_REFINED_LEVELS == 30u, "as is said below");

const char *clv_apply_wrong(const clv_apply *apply) {
  call c;
  if (!apply || !apply->rule) return "there is no rule";
  if (apply->level > CLV_REFINED_LEVELS) return "levels go up to 30";
  if (apply->on & ~CLV_CELL) return "what it is applied to is no orbit of a map";
  return read_call(apply, &c);
}

// Whether one of the cells at an orbit is in the zone.
static bool in_zone(clv_surgery *s, clv_orbit orbit, clv_dart dart, bool *good) {
  clv_walk walk;
  if (clv_walk_incident(&walk, s->map, orbit, CLV_CELL, dart) != CLV_OK) return *good = false;
  bool found = false;
  for (uint32_t k = 0; !found && k < walk.count; k++)
    found = s->zoned.data[clv_id_of(s->map, CLV_CELL, walk.darts[k]).index];
  clv_walk_end(&walk);
  return found;
}

// The places, in `facets`: one dart of each orbit, as they are before anything is changed.
static clv_result list_places(clv_surgery *s, const clv_zone *zone, clv_orbit orbit) {
  const bool everywhere = zone->kind == CLV_ZONE_ALL;
  clv_walk walk;
  s->facets.count = 0;
  if (clv_walk_all(&walk, s->map, orbit) != CLV_OK) return surgery_no_memory(s);
  bool good = BASE_RESERVE(&s->allocator, &s->facets, walk.count);
  for (uint32_t k = 0; good && k < walk.count; k++)
    if (everywhere || in_zone(s, orbit, walk.darts[k], &good)) s->facets.data[s->facets.count++] = walk.darts[k];
  clv_walk_end(&walk);
  return good ? CLV_OK : surgery_no_memory(s);
}

static clv_result apply_at_places(clv_surgery *s, const clv_rule *rule, call *c) {
  surgery_fail(s, CLV_OK, "there is no place to apply the rule to");
  for (uint32_t k = 0, refusals = 0; k < s->facets.count; k++) {
    if (!clv_dart_alive(s->map, s->facets.data[k])) continue; // gone with another
    c->arguments[c->place].dart = s->facets.data[k];
    const clv_result result = clv_rule_apply(rule, s->map, c->arguments, c->count, NULL, NULL);
    if (result != CLV_OK && result != CLV_ERROR_REFUSED) return surgery_of_map(s, result);
    if (result == CLV_OK) s->did.applied++;
    if (result != CLV_OK && refusals++ == 0) surgery_fail(s, CLV_OK, "%s", clv_map_error(s->map));
  }
  return CLV_OK;
}

clv_result clv_surgery_apply(clv_surgery *s, const clv_apply *apply, clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  const char *wrong = clv_apply_wrong(apply);
  if (!wrong) wrong = physics_zone_wrong(&apply->zone);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the rule cannot be applied: %s", wrong);
  call c;
  (void)read_call(apply, &c);
  clv_result result = surgery_mark_zone(s, &apply->zone);
  if (result == CLV_OK) result = list_places(s, &apply->zone, c.orbit);
  if (result == CLV_OK) result = surgery_begin(s);
  if (result != CLV_OK) return result;
  return surgery_end(s, apply_at_places(s, apply->rule, &c), report);
}
