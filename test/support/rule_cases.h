// Every shipped topological rule and script, with maps and places where it can be applied.
//
// A body is a random map. A rule is applied to it at random darts until it matches; a rule that needs something made
// first has another one applied before it, and follows at a way from there. After each commit the map is checked in
// full. A body may be edited in several ways at once: then it is several equal maps, each with a program of its own,
// and whatever is done must come to the same in all of them, to the last bit.
//
// `wall` and `join` are no rules to be applied alone: they leave cells open, so that a commit would be refused, and
// the call is. They are applied here as the scripts that close cells apply them, one by one inside a transaction. After
// each of them every link leads back, links commute, and as many darts are open as it says; after the last one the
// cells are closed, and the map is checked in full.

#ifndef CLEAVE_TEST_SUPPORT_RULE_CASES_H
#define CLEAVE_TEST_SUPPORT_RULE_CASES_H

#include "cleave/rule.h"
#include "support/random.h"

typedef enum rule_place {
  RULE_ANY,         // one dart
  RULE_FREE_PAIR,   // two darts with a free facet each
  RULE_ACROSS,      // two corners of a face
  RULE_PATH,        // a closed path of edges of a volume
  RULE_ANY_LEVEL,   // any dart, and 0
  RULE_FACE_LEVEL,  // a corner of a face, and its level
  RULE_FACE_BELOW,  // a corner of a face, and the level below its own
  RULE_FACE_MIDDLE, // any dart of a face, and the level below its own
  RULE_CELL_LEVEL,  // likewise, of a volume
  RULE_CELL_BELOW,  //
  RULE_CELL_MIDDLE, //
  RULE_CELL_INSIDE, // any dart of a volume, and its level
  RULE_WALLS        // a closed path of edges, for walls that are joined
} rule_place;

typedef struct rule_case {
  const char *name;
  uint32_t maps; // a set of rule_maps.h
  rule_place place;
  const char *before; // a rule that makes a place for this one, NULL: none is needed; ...
  const char *way;    // ... at this way from the dart it was applied to: links, and K for a0 one level finer
} rule_case;

extern const rule_case rule_cases[];
extern const uint32_t rule_case_count;

const rule_case *rule_case_of(const char *name);
// Fails unless each rule and script of each shipped module has a case, and each case is one of them.
void rule_cases_expect_all(void);
// The shipped rules, and the scripts that make places for some of them.
clv_program *rule_cases_program(void);

// Facets of plain cells are sewn and unsewn by the map's own operations, also where a rule says so. From now on this
// rule does it all.
void rule_leave_nothing_to_the_map(clv_program *program, const char *name);

enum { RULE_WAYS = 2, RULE_PATH_DARTS = 64 };

typedef struct rule_body {
  uint32_t ways;                         // how many maps there are
  const clv_program *program[RULE_WAYS]; // what edits each of them
  clv_map *map[RULE_WAYS];
  random_source random;
  uint64_t revision; // of the map when its darts were listed
  clv_dart *darts;   // those that are free in the map's own dimension first
  uint32_t count, free_count;
  clv_dart followed; // the dart of the last call, as it is named now
} rule_body;

typedef struct rule_call {
  clv_rule_argument arguments[2];
  uint32_t count;
  clv_dart path[RULE_PATH_DARTS];
} rule_call;

// Takes maps that are equal, one for each way; the rest of the body is made beforehand.
void rule_body_begin(rule_body *body, clv_map *const *maps);
void rule_body_end(rule_body *body);

// A random place of a sort; false when there happens to be none.
bool rule_place_choose(rule_body *body, rule_place place, rule_call *call);
// One transaction. True when the rule was applied and has changed something, as all but one do; a refusal must leave
// the map as it was.
bool rule_body_try(rule_body *body, const char *name, const rule_call *call);
// As a script applies a rule, at a dart for each of its hooks: cells may stay open.
clv_result rule_apply_within(const clv_rule *rule, clv_map *view, const clv_dart *darts, uint32_t count);
// A rule at random places until it matches; its arguments stay in `call`.
bool rule_case_try(rule_body *body, const rule_case *c, rule_call *call);

// Applies a rule so many times, on random maps that are disturbed by others now and then; fails when that cannot be
// done. The body says in how many ways, by which programs and from which random number on. Returns how many maps it
// took.
uint32_t rule_case_run(rule_body *body, const rule_case *c, uint32_t times);

#endif
