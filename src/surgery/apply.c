// Rules applied to a body: at every orbit of a zone where they match.
//
// What holds after every operation holds after rules, too. A facet between a coarse and a refined cell is parted whole:
// the parts of those that a rule may part are listed beforehand, and follow. A family of cells that becomes one leaves
// its momentum to what is left; where it must not become one, what the rule did is taken back, and counts as refused.
//
// In a round after the first a rule goes over the same places again, those that are still there: what was refused for
// the sake of a neighbour may be its turn by then.

#include "surgery/apply.h"
#include "map/edit.h"
#include "physics/zone.h"
#include "rule/graph.h"

#include <math.h>

clv_apply clv_default_apply(void) {
  return (clv_apply){.zone = clv_zone_all(), .mask = clv_zone_all()};
}

static const char *read_call(const clv_apply *apply, surgery_call *to) {
  clv_parameter parameter;
  uint32_t darts = 0;
  *to = (surgery_call){.count = 0};
  for (; clv_rule_parameter(apply->rule, to->count, &parameter); to->count++) {
    if (to->count == SURGERY_PARAMETERS) return "the rule has more than 8 parameters";
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
  surgery_call c;
  if (!apply || !apply->rule) return "there is no rule";
  if (apply->level > CLV_REFINED_LEVELS) return "levels go up to 30";
  if (apply->on & ~CLV_CELL) return "what it is applied to is no orbit of a map";
  if (apply->most && !clv_rule_has_rank(apply->rule))
    return "it is for some places only, and the rule does not say which come first: write rank VALUE behind its guards";
  const char *wrong = read_call(apply, &c);
  if (!wrong && apply->masked) wrong = physics_zone_wrong(&apply->mask);
  return wrong || !apply->touching ? wrong : surgery_shape_wrong(&apply->shape);
}

// Whole facets

static bool is_for_facets(const clv_surgery *s, const surgery_call *c) {
  const uint32_t n = s->map->dimension;
  return (clv_orbit_dims(s->map, c->orbit) & ~(1u << n)) == CLV_CELL_FACET(n);
}

// The parts of facets that neighbours have refined, in `cells`: a place and a part of it, in turns.
static clv_result list_parts(clv_surgery *s) {
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < s->facets.count; k++) {
    const clv_dart place = s->facets.data[k];
    if (clv_is_free(s->map, place, s->map->dimension)) continue;
    result = surgery_whole_facet(s, place);
    if (result != CLV_OK) break;
    if (!BASE_RESERVE(&s->allocator, &s->cells, s->cells.count + 2 * (uint64_t)s->face.count))
      return surgery_no_memory(s);
    for (uint32_t part = 0; part < s->face.count; part++) {
      s->cells.data[s->cells.count++] = place;
      s->cells.data[s->cells.count++] = s->face.data[part];
    }
  }
  return result;
}

static clv_result part_whole_facets(clv_surgery *s) {
  const uint32_t n = s->map->dimension;
  clv_result result = CLV_OK;
  for (uint32_t k = 0; result == CLV_OK && k < s->cells.count; k += 2) {
    const clv_dart place = s->cells.data[k], part = s->cells.data[k + 1];
    if (!clv_dart_alive(s->map, place) || !clv_is_free(s->map, place, n)) continue;
    if (!clv_dart_alive(s->map, part) || clv_is_free(s->map, part, n)) continue;
    result = clv_map_unsew(s->map, n, part);
    s->did.facets++;
  }
  return surgery_of_map(s, result);
}

// Levels

static bool has_hanging(const clv_map *view, clv_dart cell) {
  return clv_cell_kind(view, cell) != clv_cell_shape(view, cell);
}

// Those of all cells, in `wishes`, and those of the cells at the places.
static clv_result note_levels(clv_surgery *s) {
  const uint64_t numbers = (uint64_t)s->map->page_count * (CLV_BLOCK_MASK + 1);
  if (!BASE_RESERVE(&s->allocator, &s->wishes, numbers) ||
      !BASE_RESERVE(&s->allocator, &s->listed_levels, s->facets.count))
    return surgery_no_memory(s);
  memset(s->wishes.data, SURGERY_COUNTED, numbers);
  s->wishes.count = (uint32_t)numbers;
  clv_dart cell;
  for (surgery_cursor at = {0}; (cell = surgery_next_cell(s->map, &at));)
    s->wishes.data[clv_id_of(s->map, CLV_CELL, cell).index] =
        (uint8_t)(surgery_level_of(s, cell) | (has_hanging(s->map, cell) ? SURGERY_HAS_HANGING : 0u));
  for (uint32_t k = 0; k < s->facets.count; k++)
    s->listed_levels.data[k] = (uint8_t)surgery_level_of(s, s->facets.data[k]);
  return CLV_OK;
}

typedef struct kin {
  bool there;
  clv_family family;
  uint32_t slots[SURGERY_FAMILY_VERTICES], numbers[8]; // of vertices, of cells
} kin;

static void find_kin(const clv_surgery *s, const surgery_call *c, uint32_t place, kin *found) {
  found->there = c->topics.levels && clv_orbit_dims(s->map, c->orbit) == clv_orbit_dims(s->map, CLV_CELL) &&
                 s->listed_levels.data[place] > 0 &&
                 clv_map_family(s->map, s->facets.data[place], s->listed_levels.data[place] - 1u, surgery_levels(s),
                                &found->family);
  if (!found->there) return;
  surgery_family_slots(s, &found->family, found->slots);
  for (uint32_t k = 0; k < found->family.cell_count; k++)
    found->numbers[k] = clv_id_of(s->map, CLV_CELL, found->family.cells[k]).index;
}

// Whether the corners of a family are those of one cell now.
static bool is_one_cell(clv_surgery *s, const clv_family *family, bool *good) {
  clv_walk walk;
  for (uint32_t v = 0; v < family->corner_count; v++)
    if (!clv_dart_alive(s->map, family->vertices[v])) return false;
  if (clv_walk_orbit(&walk, s->map, CLV_CELL, family->vertices[0]) != CLV_OK) return *good = false;
  uint32_t found = 0;
  for (uint32_t v = 0; v < family->corner_count; v++)
    for (uint32_t k = 0; k < walk.count; k++) found += walk.darts[k] == family->vertices[v];
  clv_walk_end(&walk);
  return found == family->corner_count;
}

static clv_result follow_kin(clv_surgery *s, const kin *found) {
  bool good = true;
  if (!found->there || !is_one_cell(s, &found->family, &good)) return good ? CLV_OK : surgery_no_memory(s);
  const char *obstacle = surgery_family_obstacle(s, &found->family, found->slots);
  if (obstacle) return map_fail(map_of(s->map), CLV_ERROR_REFUSED, "cells are not put together: %s", obstacle);
  for (uint32_t k = 0; k < found->family.cell_count; k++) s->wishes.data[found->numbers[k]] = SURGERY_PUT_TOGETHER;
  return surgery_take_momentum(s, &found->family, found->slots);
}

// Whether a refined cell, or one in which vertices hang, is not what it was when the log had `mark` entries. Unsewing
// it does not make it another.
static bool changed_refined(const clv_surgery *s, uint32_t mark) {
  const map *m = map_read(s->map);
  for (uint32_t k = mark; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    if (w.op != MAP_ALPHA || w.i == s->map->dimension || !clv_dart_alive(s->map, w.dart)) continue;
    const uint32_t number = clv_id_of(s->map, CLV_CELL, w.dart).index;
    if (number < s->wishes.count && s->wishes.data[number] < SURGERY_COUNTED &&
        s->wishes.data[number] & (SURGERY_LEVEL | SURGERY_HAS_HANGING))
      return true;
  }
  return false;
}

// Applying

// What a rule must not have done, and what follows from what it did.
static clv_result judge(clv_surgery *s, const surgery_call *c, const kin *found, uint32_t mark) {
  if (!c->topics.levels && changed_refined(s, mark))
    return map_fail(map_of(s->map), CLV_ERROR_REFUSED,
                    "the rule changes cells that are refined, or beside refined ones, and does not speak of their "
                    "levels: coarsen them before");
  return follow_kin(s, found);
}

// Of a rule for vertices: the darts of a vertex whose facets are sewn, in `face`. False when memory is out.
static bool note_sewn(clv_surgery *s, const surgery_call *c, clv_dart dart) {
  clv_walk walk;
  s->face.count = 0;
  if (clv_orbit_dims(s->map, c->orbit) != clv_orbit_dims(s->map, CLV_VERTEX)) return true;
  const bool good =
      clv_walk_orbit(&walk, s->map, CLV_VERTEX, dart) == CLV_OK && BASE_RESERVE(&s->allocator, &s->face, walk.count);
  for (uint32_t k = 0; good && k < walk.count; k++)
    if (!clv_is_free(s->map, walk.darts[k], s->map->dimension)) s->face.data[s->face.count++] = walk.darts[k];
  clv_walk_end(&walk);
  return good;
}

// The facets of these that have come apart: each has two sides there, and in a volume two darts on either.
static uint32_t count_parted(const clv_surgery *s) {
  const uint32_t n = s->map->dimension;
  uint32_t darts = 0;
  for (uint32_t k = 0; k < s->face.count; k++)
    darts += clv_dart_alive(s->map, s->face.data[k]) && clv_is_free(s->map, s->face.data[k], n);
  return darts / (n == 3 ? 4 : 2);
}

static clv_result apply_at(clv_surgery *s, const clv_rule *rule, surgery_call *c, uint32_t place) {
  const uint32_t n = s->map->dimension;
  const clv_dart dart = s->facets.data[place];
  const bool sewn = is_for_facets(s, c) && !clv_is_free(s->map, dart, n);
  const uint32_t mark = map_of(s->map)->log.count;
  kin found;
  find_kin(s, c, place, &found);
  if (!note_sewn(s, c, dart)) return surgery_no_memory(s);
  c->arguments[c->place].dart = dart;
  clv_result result = clv_rule_has_rank(rule) ? clv_rule_apply_ranked(rule, s->map, c->arguments, c->count)
                                              : clv_rule_apply(rule, s->map, c->arguments, c->count, NULL, NULL);
  if (result == CLV_OK) result = map_end_edit(map_of(s->map), mark, judge(s, c, &found, mark));
  if (result != CLV_OK) return result;
  s->did.applied++;
  s->did.facets += sewn && clv_dart_alive(s->map, dart) && clv_is_free(s->map, dart, n);
  s->did.facets += count_parted(s);
  return CLV_OK;
}

static bool is_enough(const clv_surgery *s, const clv_apply *apply) {
  return apply->most && s->did.applied >= apply->most;
}

// Once at each place, in the order that the rule asks for.
static clv_result apply_round(clv_surgery *s, const clv_apply *apply, surgery_call *c) {
  const bool ranked = clv_rule_has_rank(apply->rule);
  const clv_result ordered = ranked ? surgery_order_places(s, apply->rule, c) : CLV_OK;
  if (ordered != CLV_OK) return ordered;
  const uint32_t count = ranked ? s->order.count : s->facets.count;
  for (uint32_t k = 0, refusals = 0; k < count && !is_enough(s, apply); k++) {
    const uint32_t place = ranked ? s->order.data[k].place : k;
    if (!clv_dart_alive(s->map, s->facets.data[place])) continue; // gone with another
    const clv_result result = apply_at(s, apply->rule, c, place);
    if (result != CLV_OK && result != CLV_ERROR_REFUSED) return surgery_of_map(s, result);
    if (result != CLV_OK && refusals++ == 0) surgery_fail(s, CLV_OK, "%s", clv_map_error(s->map));
  }
  return CLV_OK;
}

static bool serves(const clv_rule *rule, uint32_t dimension) {
  return !rule->graph || (rule_graph_serves(rule->graph, dimension) && !rule_graph_leaves_open(rule->graph, dimension));
}

// A rule for bodies of the other dimension fits nowhere, and that says more than why it does not fit the first place.
static bool is_for_others(const clv_surgery *s, const clv_rule *rule) {
  const uint32_t n = s->map->dimension;
  return !serves(rule, n) && serves(rule, 5 - n);
}

static clv_result apply_at_places(clv_surgery *s, const clv_apply *apply, surgery_call *c) {
  clv_result result = CLV_OK;
  bool again = true;
  surgery_fail(s, CLV_OK, "there is no place to apply the rule to");
  if (is_for_others(s, apply->rule)) {
    surgery_fail(s, CLV_OK, "it is for %s",
                 s->map->dimension == 3 ? "surfaces, and this body is a volume"
                                        : "volumes, and this body is a surface");
    return CLV_OK;
  }
  for (uint32_t round = 0; result == CLV_OK && again && round < (apply->rounds ? apply->rounds : 1); round++) {
    const uint32_t before = s->did.applied;
    result = apply_round(s, apply, c);
    again = s->did.applied > before && !is_enough(s, apply);
  }
  return result == CLV_OK ? part_whole_facets(s) : result;
}

static clv_result make_ready(clv_surgery *s, const clv_apply *apply, surgery_call *c) {
  (void)read_call(apply, c);
  clv_result result = surgery_prepare_rule(s, apply->rule, &c->topics);
  if (result != CLV_OK) return result;
  if (c->topics.levels) surgery_tell_levels(s);
  if (c->topics.state) surgery_tell_state(s);
  if (c->topics.tension) surgery_tell_tension(s);
  result = surgery_list_places(s, apply, c);
  s->cells.count = 0;
  if (result == CLV_OK && is_for_facets(s, c)) result = list_parts(s);
  if (result == CLV_OK) result = note_levels(s);
  return result == CLV_OK && c->topics.levels ? surgery_note_momentum(s) : result;
}

// Whoever judges what all places have become together does not know of the rule.
static clv_result name_rule(clv_surgery *s, const clv_rule *rule, clv_result result) {
  const clv_error error = s->error;
  if (result != CLV_ERROR_REFUSED) return result;
  return surgery_fail(s, result, "the rule '%.60s' is not applied, and the body is as it was: %s", clv_rule_name(rule),
                      error.message);
}

static clv_result apply_everywhere(clv_surgery *s, const clv_apply *apply, clv_surgery_report *did) {
  surgery_call c;
  clv_result result = make_ready(s, apply, &c);
  if (result == CLV_OK) result = surgery_begin(s);
  if (result != CLV_OK) return result;
  s->ruling = true;
  result = name_rule(s, apply->rule, surgery_end(s, apply_at_places(s, apply, &c), did));
  s->ruling = false;
  if (c.topics.levels) surgery_return_momentum(s, result == CLV_OK && did->coarsened);
  return result;
}

// A body that is subdivided, cut or coarsened weighs the same but for rounding.
static double mass_gained(const clv_surgery *s, double before) {
  clv_momenta momenta;
  clv_body_momenta(s->body, &momenta);
  const double gained = momenta.mass - before;
  return fabs(gained) > 1e-12 * before ? gained : 0;
}

clv_result clv_surgery_apply(clv_surgery *s, const clv_apply *apply, clv_surgery_report *report) {
  clv_surgery_report did = {0};
  if (report) *report = did;
  const char *wrong = clv_apply_wrong(apply);
  if (!wrong) wrong = physics_zone_wrong(&apply->zone);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the rule cannot be applied: %s", wrong);
  const uint32_t columns = surgery_column_count(s);
  clv_momenta before;
  clv_body_momenta(s->body, &before);
  const clv_result result = apply_everywhere(s, apply, &did);
  if (result != CLV_OK) surgery_keep_columns(s, columns);
  did.gained = mass_gained(s, before.mass);
  if (result == CLV_OK && report) *report = did;
  return result;
}
