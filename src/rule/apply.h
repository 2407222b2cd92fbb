// Applying rules and scripts to a map: what one call of clv_rule_apply keeps while it runs.
//
// Everything happens in the map's open transaction. A rule is matched first: the positions of its hooks are walked, the
// darts of every node on the left are found and every tie is tested. Guards and new values are worked out next, while
// the map still is as it was. Then it is written. Whatever fails takes the log back to where it was.
//
// Values of expressions are darts, numbers, truths, vectors of up to nine numbers and paths (lists of darts). Nothing
// here trusts the program beyond its types: every walk and every evaluation is paid for out of a budget, so that
// nothing runs for ever, and every call counts against a depth.

#ifndef RULE_APPLY_H
#define RULE_APPLY_H

#include "cleave/embed.h"
#include "map/edit.h"
#include "rule/graph.h"

enum { APPLY_WIDTH = 9, APPLY_DEPTH = 48 };

// A table from 64-bit keys (not 0) to numbers.
typedef struct apply_slot {
  uint64_t key;
  uint32_t value;
} apply_slot;

typedef struct apply_table {
  BASE_ARRAY(apply_slot) slots; // capacity is a power of two; count are in use
} apply_table;

#define APPLY_NOT_FOUND UINT32_MAX
void apply_table_clear(apply_table *table);
uint32_t apply_table_find(const apply_table *table, uint64_t key);
// Gives the key a value, its first or another one. False when memory is out.
bool apply_table_put(const clv_allocator *allocator, apply_table *table, uint64_t key, uint32_t value);

typedef enum apply_type { APPLY_NOTHING, APPLY_TRUTH, APPLY_NUMBER, APPLY_VECTOR, APPLY_DART, APPLY_PATH } apply_type;

typedef struct apply_datum {
  uint8_t type, count;        // count: how many numbers; 1 for a truth
  clv_dart dart;              //
  uint32_t first, length;     // a path: these of the run's darts
  double number[APPLY_WIDTH]; //
} apply_datum;

typedef struct apply_binding {
  const char *name;
  apply_datum value;
} apply_binding;

typedef struct apply_open {
  clv_dart dart;
  uint32_t i;
  const char *rule;
} apply_open;

struct apply_match;

typedef struct apply_run {
  const clv_program *program;
  map *m;
  const char *name;  // of the rule or script that runs, for messages
  clv_result result; // why it failed
  uint64_t budget;
  uint32_t depth;
  BASE_ARRAY(apply_binding) bindings;
  uint32_t scope; // names are looked up from here on
  BASE_ARRAY(clv_dart) darts;
  const clv_column *blended;       // in `z := expr`, the column whose values darts stand for,
  uint32_t blended_first;          // from this component on
  bool statements;                 // rules may be called
  bool asked;                      // the guards of the rule that is applied next hold already
  const struct apply_match *match; // of the rule whose guards and values are worked out
  BASE_ARRAY(apply_open) open;     // links below the map's own dimension that rules have freed
} apply_run;

// Sets the reason and is false.
#define APPLY_FAIL(run, ...) ((run)->result = map_fail((run)->m, CLV_ERROR_REFUSED, __VA_ARGS__), false)
static inline bool apply_no_memory(apply_run *run) {
  run->result = map_no_memory(run->m);
  return false;
}
static inline bool apply_ok(apply_run *run, clv_result result) {
  if (result != CLV_OK) run->result = result;
  return result == CLV_OK;
}
bool apply_out_of_steps(apply_run *run);
static inline bool apply_spend(apply_run *run, uint64_t steps) {
  if (run->budget < steps) return apply_out_of_steps(run);
  run->budget -= steps;
  return true;
}
// Takes the log, and the list of open darts, back to marks.
void apply_undo(apply_run *run, uint32_t mark, uint32_t open);
// False when something that was opened still is.
bool apply_all_closed(apply_run *run);
void apply_run_free(apply_run *run);

// Values of columns (apply_value.c)

// What the orbit at a dart has in a column now, sets of this transaction included: up to APPLY_WIDTH components from
// `first` on.
bool apply_read(apply_run *run, const clv_column *column, clv_dart dart, uint32_t first, double *numbers);
// A column by name, false with a reason when the map has none of numbers.
bool apply_column(apply_run *run, const char *name, clv_column **column);
// Sets the value of the orbit at a dart, at commit.
bool apply_set(apply_run *run, clv_column *column, clv_dart dart, const apply_datum *value);

// Levels (level.c)

// a0 at level k: over the vertices of higher levels that lie on the way.
bool apply_level_step(apply_run *run, clv_dart dart, int32_t k, clv_dart *end);
// Appends the darts that begin the raw edges of the level-k edge at a dart, in order.
bool apply_level_parts(apply_run *run, clv_dart dart, int32_t k);

// Expressions (apply_eval.c)

bool apply_evaluate(apply_run *run, const rule_tree *tree, apply_datum *value);
// In `z := expr`: what a dart stands for.
bool apply_blend(apply_run *run, apply_datum *value);
bool apply_condition(apply_run *run, const rule_tree *tree, bool *holds);
bool apply_dart_of(apply_run *run, const rule_tree *tree, clv_dart *dart);
bool apply_number_of(apply_run *run, const rule_tree *tree, double *number);
bool apply_bind(apply_run *run, const char *name, const apply_datum *value);
// The darts of an orbit are appended to the run's darts; with `own`, one for each orbit of `own` within.
bool apply_orbit(apply_run *run, const rule_tree *orbit, const rule_tree *own, clv_dart dart);
// Of the darts from `first` on, keeps one for each orbit of `own`.
bool apply_thin(apply_run *run, const rule_tree *own, uint32_t first);

// Matches (match.c)

typedef struct apply_match {
  apply_run *run;
  const rule_graph *graph;
  bool asked;                      // its guards hold already
  int32_t number[RULE_PARAMETERS]; // the levels
  int16_t column[RULE_LETTERS]; // of a word's entries: its column here, -1 where the hook's letter is not in this map
  uint8_t entry[RULE_LETTERS];  // and back
  uint8_t columns;
  uint32_t count;              // positions
  BASE_ARRAY(uint32_t) across; // [position * columns + column]
  BASE_ARRAY(clv_dart) darts;  // [position * nodes + node]; 0: not there
  apply_table places;          // of darts on the left: position * nodes + node
} apply_match;

static inline clv_dart *apply_dart(const apply_match *match, uint32_t position, uint32_t node) {
  return &match->darts.data[position * match->graph->node_count + node];
}
bool apply_match_left(apply_match *match, const clv_dart *hooks);
// Its parts: the columns this map has; positions, with relations and levels tested; that no dart is two nodes at once.
void apply_choose_columns(apply_match *match);
bool apply_walk_positions(apply_match *match, const clv_dart *hooks);
bool apply_places_differ(apply_match *match);
bool apply_no_match(apply_match *match, uint32_t position, uint32_t node, uint32_t i);
void apply_match_free(apply_match *match);
// One step from a dart by a letter.
bool apply_letter(apply_match *match, rule_letter letter, clv_dart dart, clv_dart *next);
// The names of the left side's nodes and of the levels mean what they are at a position.
bool apply_bind_match(const apply_match *match, uint32_t position);

// Values of new orbits (apply_new.c), worked out before anything is written, set afterwards.

typedef struct apply_new_value {
  clv_column *column;
  uint32_t place; // position * nodes + node
  uint32_t bytes;
} apply_new_value;

typedef struct apply_birth {
  uint32_t place;
  clv_dart ends[2];
} apply_birth;

typedef struct apply_new {
  BASE_ARRAY(apply_new_value) values;
  BASE_ARRAY(uint8_t) bytes;
  BASE_ARRAY(apply_birth) births; // vertices that come between two others
  BASE_ARRAY(uint8_t) seen;       // by place: scratch
  BASE_ARRAY(uint32_t) queue;
} apply_new;

bool apply_new_prepare(const apply_match *match, apply_new *news);
bool apply_new_set(const apply_match *match, const apply_new *news);
void apply_new_free(const apply_match *match, apply_new *news);

// Rules (apply.c) and scripts (script.c)

// *created, if not NULL, gets the dart of node `node` at the first position.
bool apply_rule(apply_run *run, const rule_graph *graph, const apply_datum *arguments, uint32_t count, const char *node,
                clv_dart *created);
bool apply_script(apply_run *run, const rule_tree *script, const apply_datum *arguments, uint32_t count,
                  apply_datum *result);
// How a rule that has a rank, and a script that has one, come in order where they would be applied (a rule: where it
// matches). Nothing is changed. apply_rank_of: the value of the rank, with all names bound.
bool apply_rank(apply_run *run, const rule_graph *graph, const apply_datum *arguments, uint32_t count, double *rank);
bool apply_script_rank(apply_run *run, const rule_tree *script, const apply_datum *arguments, uint32_t count,
                       double *rank);
bool apply_rank_of(apply_run *run, const rule_tree *tree, double *rank);
// The rule or script of a name, NULL when there is none.
const clv_rule *rule_find(const clv_program *program, const char *name);
// Calls a rule or a script by name.
bool apply_call(apply_run *run, const rule_tree *call, const char *node, apply_datum *result);

// The guards, at the first position; and what is said when one does not hold.
bool apply_guards(const apply_match *match);
bool apply_refuse(const apply_match *match, uint32_t guard);
// The writes: a dart that goes lets go of its cell; a link; a dart's end. A torn facet is a reason to fail.
bool apply_leave(const apply_match *match, clv_dart dart);
bool apply_write_link(apply_run *run, clv_dart dart, uint32_t i, clv_dart target);
bool apply_torn(apply_run *run, clv_dart dart, uint32_t i);
bool apply_drop(apply_run *run, clv_dart dart);
// Where the rule does nothing but sew or unsew facets of plain cells, the map's own operation does it; *done tells.
bool apply_straight(apply_match *match, const clv_dart *hooks, bool *done);
rule_straight apply_straight_sort(const rule_graph *graph, uint32_t n);

#endif
