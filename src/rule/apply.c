// Applying a rule: match, guards, values, then the writes; apply.h tells the idea.
//
// Only cells whose inner links change are given records. A plain cell that is sewn or unsewn stays plain: the link of a
// facet's first dart says it all. A cell of which every dart goes is dropped whole.

#include "rule/apply_eval.h"
#include "rule/apply_machine.h"
#include "rule/apply_plan.h"

#include <math.h>

bool apply_out_of_steps(apply_run *run) {
  run->budget = 0; // whoever goes on after this one finds nothing left either
  return APPLY_FAIL(run, "'%s' takes too many steps: apply it to less at a time", run->name);
}

// Guards

bool apply_bind_match(const apply_match *match, uint32_t position) {
  apply_run *run = match->run;
  const rule_graph *graph = match->graph;
  run->bindings.count = run->scope;
  for (uint32_t k = 0; k < graph->parameter_count; k++) {
    const apply_datum level = {.type = APPLY_NUMBER, .count = 1, .number = {match->number[k]}};
    if (graph->parameter[k].hook < 0 && !apply_bind(run, graph->parameter[k].name, &level)) return false;
  }
  for (uint32_t v = 0; v < graph->node_count; v++) {
    const apply_datum dart = {.type = APPLY_DART, .dart = *apply_dart(match, position, v)};
    if (dart.dart && !apply_bind(run, graph->node[v].name, &dart)) return false;
  }
  return true;
}

bool apply_refuse(const apply_match *match, uint32_t guard) {
  apply_run *run = match->run;
  const rule_span span = match->graph->guards->child[guard]->span;
  const rule_file *file = &run->program->files.data[span.file];
  return APPLY_FAIL(run, "rule '%s' is not for dart %u: its guard '%.*s' does not hold", run->name,
                    *apply_dart(match, 0, match->graph->hook[0]),
                    (int)(span.end - span.start < 120 ? span.end - span.start : 120), file->text + span.start);
}

bool apply_guards(const apply_match *match) {
  const rule_tree *guards = match->graph->guards;
  if (match->asked || !guards || !guards->count) return true;
  if (!apply_bind_match(match, 0)) return false;
  for (uint32_t k = 0; k < guards->count; k++) {
    bool holds = false;
    if (!apply_condition(match->run, guards->child[k], &holds)) return false;
    if (!holds) return apply_refuse(match, k);
  }
  return true;
}

// What the right side says of a link.
static clv_dart target_of(const apply_match *match, uint32_t p, uint32_t v, uint32_t i) {
  const rule_tie tie = match->graph->node[v].side[RULE_RIGHT].tie[i];
  const clv_dart own = *apply_dart(match, p, v);
  if (tie.known != RULE_ALONG) {
    const clv_dart other = *apply_dart(match, p, tie.at);
    return other ? other : own;
  }
  const int32_t column = match->column[tie.at];
  if (column < 0) return own;
  const clv_dart other = *apply_dart(match, match->across.data[p * match->columns + (uint32_t)column], v);
  return other ? other : own;
}

// Records

static clv_dart facet_first(const map *m, clv_dart dart) {
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  return (dart & ~63u) | shape->facet_first[shape->facet[dart & 63u]];
}

static bool is_going(const apply_match *match, clv_dart dart) {
  const uint32_t place = apply_table_find(&match->places, dart);
  return place != APPLY_NOT_FOUND && rule_node_deleted(&match->graph->node[place % match->graph->node_count]);
}

// True when every dart of a plain cell goes.
static bool goes_whole(const apply_match *match, clv_dart dart) {
  const clv_dart cell = dart & ~63u;
  const uint32_t count = clv_templates[map_page(match->run->m, dart).kind].dart_count;
  for (uint32_t l = 0; l < count; l++)
    if (!is_going(match, cell | l)) return false;
  return true;
}

bool apply_leave(const apply_match *match, clv_dart dart) {
  map *m = match->run->m;
  if (!map_dart_plain(m, dart)) return true;
  // Of a cell that goes whole one dart is asked; the others go with it.
  const bool whole = is_going(match, dart & ~63u) && ((dart & 63u) || goes_whole(match, dart));
  return whole || apply_ok(match->run, map_extend(m, dart));
}

// All first: the links of a cell are read across its neighbours when it is extended.
static bool extend_cells(const apply_match *match) {
  apply_run *run = match->run;
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t v = 0; v < match->graph->node_count; v++) {
      const rule_node *node = &match->graph->node[v];
      const clv_dart dart = *apply_dart(match, p, v);
      if (dart && rule_node_deleted(node) && !apply_leave(match, dart)) return false;
      const bool changed = rule_node_kept(node) && apply_changes_inside(node, run->m->view.dimension);
      if (dart && changed && !apply_ok(run, map_extend(run->m, dart))) return false;
    }
  return true;
}

// New darts

static bool add_darts(const apply_match *match) {
  apply_run *run = match->run;
  apply_descent descents[RULE_NODES];
  const uint32_t count = apply_plan_descents(match->graph, descents);
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t k = 0; k < count; k++) {
      const clv_dart from = descents[k].from < 0 ? CLV_NO_DART : *apply_dart(match, p, (uint32_t)descents[k].from);
      const clv_dart hook = *apply_dart(match, p, match->graph->hook[0]);
      const uint32_t side = from ? map_side(run->m, from) ^ 1u : map_side(run->m, hook);
      if (!apply_ok(run, map_dart_add(run->m, side, apply_dart(match, p, descents[k].node)))) return false;
    }
  return true;
}

// Links

static bool put_link(apply_run *run, clv_dart dart, uint32_t i, clv_dart target) {
  map *m = run->m;
  if (!map_dart_plain(m, dart)) return apply_ok(run, map_set_alpha(m, dart, i, target));
  if (facet_first(m, dart) != dart || clv_alpha(&m->view, dart, i) == target) return true;
  return apply_ok(run, map_link(m, dart, target == dart ? CLV_NO_DART : target));
}

// A cell that is open now must be closed before the run ends.
static bool note_open(apply_run *run, clv_dart dart, uint32_t i) {
  if (!BASE_RESERVE(&run->m->allocator, &run->open, (uint64_t)run->open.count + 1)) return apply_no_memory(run);
  run->open.data[run->open.count++] = (apply_open){dart, i, run->name};
  return true;
}

bool apply_write_link(apply_run *run, clv_dart dart, uint32_t i, clv_dart target) {
  if (!put_link(run, dart, i, target)) return false;
  return target != dart || i == run->m->view.dimension || note_open(run, dart, i);
}

bool apply_torn(apply_run *run, clv_dart dart, uint32_t i) {
  return APPLY_FAIL(run, "rule '%s' would tear a facet: link %u of dart %u changes, those beside it do not", run->name,
                    i, dart);
}

bool apply_all_closed(apply_run *run) {
  for (uint32_t k = 0; k < run->open.count; k++) {
    const apply_open open = run->open.data[k];
    if (clv_dart_alive(&run->m->view, open.dart) && clv_is_free(&run->m->view, open.dart, open.i))
      return APPLY_FAIL(run,
                        "rule '%s' would leave a cell open where the body ends or is parted: link %u of dart %u leads "
                        "nowhere; it is for bodies without a boundary, or for scripts that close what it opens",
                        open.rule, open.i, open.dart);
  }
  return true;
}

// With `test`, nothing is written: every link must be as it was to be.
static bool write_links(const apply_match *match, bool test) {
  apply_run *run = match->run;
  const rule_graph *graph = match->graph;
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t v = 0; v < graph->node_count; v++) {
      const clv_dart dart = *apply_dart(match, p, v);
      for (uint32_t i = 0; dart && graph->node[v].side[RULE_RIGHT].present && i <= run->m->view.dimension; i++) {
        if (!apply_tie_changes(&graph->node[v], i)) continue;
        const clv_dart target = target_of(match, p, v, i);
        if (!test && !apply_write_link(run, dart, i, target)) return false;
        if (test && clv_alpha(&run->m->view, dart, i) != target) return apply_torn(run, dart, i);
      }
    }
  return true;
}

// Deleted darts

static bool drop_cell(apply_run *run, clv_dart dart) {
  map *m = run->m;
  const clv_template *shape = &clv_templates[map_page(m, dart).kind];
  const clv_dart cell = dart & ~63u;
  for (uint32_t f = 0; f < shape->facet_count; f++) {
    const clv_dart first = cell | shape->facet_first[f];
    if (!clv_is_free(&m->view, first, m->view.dimension) && !apply_ok(run, map_link(m, first, CLV_NO_DART)))
      return false;
  }
  return apply_ok(run, map_cell_drop(m, cell));
}

bool apply_drop(apply_run *run, clv_dart dart) {
  if (!clv_dart_alive(&run->m->view, dart)) return true;
  return map_dart_plain(run->m, dart) ? drop_cell(run, dart) : apply_ok(run, map_dart_drop(run->m, dart));
}

static bool drop_darts(const apply_match *match) {
  apply_run *run = match->run;
  for (uint32_t p = 0; p < match->count; p++)
    for (uint32_t v = 0; v < match->graph->node_count; v++) {
      const clv_dart dart = *apply_dart(match, p, v);
      if (dart && rule_node_deleted(&match->graph->node[v]) && !apply_drop(run, dart)) return false;
    }
  return true;
}

// Compiled where the rule is, step by step where it is not.
static bool match_rule(apply_match *match, const clv_dart *hooks) {
  const machine_code *code = match->graph->code;
  if (!code) return apply_match_left(match, hooks) && apply_guards(match);
  return apply_compiled(match, code, hooks, MACHINE_MATCH) &&
         (match->asked || apply_compiled(match, code, hooks, MACHINE_GUARD));
}

static bool write_rule(apply_match *match, const clv_dart *hooks) {
  if (match->graph->code) return apply_compiled(match, match->graph->code, hooks, MACHINE_WRITE);
  return extend_cells(match) && add_darts(match) && write_links(match, false) && write_links(match, true) &&
         drop_darts(match);
}

// Arguments

static bool read_arguments(apply_match *match, const apply_datum *arguments, uint32_t count, clv_dart *hooks) {
  apply_run *run = match->run;
  const rule_graph *graph = match->graph;
  if (count != graph->parameter_count)
    return APPLY_FAIL(run, "rule '%s' takes %u arguments, not %u", run->name, graph->parameter_count, count);
  for (uint32_t k = 0; k < count; k++) {
    const apply_datum *value = &arguments[k];
    if (graph->parameter[k].hook < 0) {
      const double number = value->number[0];
      if (value->type != APPLY_NUMBER || !(fabs(number) < 1e6) || number != floor(number))
        return APPLY_FAIL(run, "rule '%s' needs a whole number for '%s'", run->name, graph->parameter[k].name);
      match->number[k] = (int32_t)number;
      continue;
    }
    if (value->type != APPLY_DART || !clv_dart_alive(&run->m->view, value->dart))
      return APPLY_FAIL(run, "rule '%s' needs a dart that exists for '%s'", run->name, graph->parameter[k].name);
    hooks[graph->node[graph->parameter[k].hook].hook] = value->dart;
  }
  return true;
}

static bool created_dart(const apply_match *match, const char *name, clv_dart *created) {
  apply_run *run = match->run;
  for (uint32_t v = 0; v < match->graph->node_count; v++) {
    const rule_node *node = &match->graph->node[v];
    if (strcmp(node->name, name) != 0 || !node->side[RULE_RIGHT].present) continue;
    *created = *apply_dart(match, 0, v);
    return true;
  }
  return APPLY_FAIL(run, "rule '%s' has no node '%s' on its right side", run->name, name);
}

static bool apply_matched(apply_match *match, const clv_dart *hooks, const char *node, clv_dart *created) {
  apply_run *run = match->run;
  apply_new news = {.values = {0}};
  run->match = match;
  const bool done = match_rule(match, hooks) && apply_new_prepare(match, &news) && write_rule(match, hooks) &&
                    apply_new_set(match, &news) && (!created || created_dart(match, node, created));
  run->match = NULL;
  apply_new_free(match, &news);
  apply_match_free(match);
  return done;
}

static bool serves_map(const apply_match *match) {
  const uint32_t n = match->run->m->view.dimension;
  return rule_graph_serves(match->graph, n) ||
         APPLY_FAIL(match->run, "rule '%s' is not for maps of dimension %u", match->run->name, n);
}

bool apply_rule(apply_run *run, const rule_graph *graph, const apply_datum *arguments, uint32_t count, const char *node,
                clv_dart *created) {
  const char *caller = run->name;
  const bool statements = run->statements;
  const uint32_t mark = run->m->log.count, scope = run->scope, bindings = run->bindings.count, open = run->open.count;
  apply_match match = {.run = run, .graph = graph, .asked = run->asked};
  clv_dart hooks[RULE_NODES];
  run->asked = false;
  run->name = graph->name;
  run->scope = bindings;
  run->statements = false;
  bool done = apply_spend(run, 1) && read_arguments(&match, arguments, count, hooks) && serves_map(&match);
  bool straight = false;
  if (done && !created) done = apply_straight(&match, hooks, &straight);
  if (done && !straight) done = apply_matched(&match, hooks, node, created);
  if (!done) apply_undo(run, mark, open);
  run->bindings.count = bindings;
  run->scope = scope;
  run->name = caller;
  run->statements = statements;
  return done;
}

// Ranks

bool apply_rank_of(apply_run *run, const rule_tree *tree, double *rank) {
  if (!apply_number_of(run, tree, rank)) return false;
  return !isnan(*rank) || apply_wrong_type(run, tree, "a number here: it has no place among others");
}

bool apply_rank(apply_run *run, const rule_graph *graph, const apply_datum *arguments, uint32_t count, double *rank) {
  apply_match match = {.run = run, .graph = graph};
  clv_dart hooks[RULE_NODES];
  run->match = &match;
  const bool done = apply_spend(run, 1) && read_arguments(&match, arguments, count, hooks) && serves_map(&match) &&
                    match_rule(&match, hooks) && apply_bind_match(&match, 0) && apply_rank_of(run, graph->rank, rank);
  run->match = NULL;
  apply_match_free(&match);
  return done;
}
