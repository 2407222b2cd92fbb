// Topological rules as graphs: what the checks prove, what the drawing draws, and what is applied to a map.
//
// A rule has nodes. A node that is on both sides is kept, on the left only deleted, on the right only created. Its
// hooks are the rule's parameters; they carry full words. Each dart p of a hook's orbit is a position, and each node v
// stands for one dart v_p per position. What is known of v_p on one side is, for every dimension i, one of:
//
//   - an entry m of v's word is i: ai(v_p) = v_q, where q is the position across letter m of the hook's word from p;
//   - an arc v -i- u: ai(v_p) = u_p; a loop v -i- v: ai(v_p) = v_p; an optional arc v -i?- u: one or the other,
//     position by position (constant along the word letters that commute with i);
//   - nothing: on a kept node, ai stays as it is.
//
// All nodes of one connected component of the left side share the positions of the component's hook. Several hooks have
// orbits of the same length, which are walked in parallel: p names a position in all of them. Created nodes belong to
// the positions of the first hook.
//
// A letter may bear a level, 0^k: a0 at refinement level k (docs/rules.md). A level is a parameter plus a number. Such
// a letter is a walk, not a link: an arc or an entry that bears one is only read, says nothing of the plain a0, and
// stands on the right only as it stands on the left.
//
// What a match has to establish, and what the checks build on: the letters of the hook words act as involutions on the
// positions; a position is told by the dart of any one hook; letters m and l of which some hook's dimensions differ by
// two or more commute (which needs a test only where one of them bears a level); every relation holds at every
// position, whatever is free; all darts v_p are different; and every tie of the left side holds at every position where
// its node is present.
//
// A node that can be reached over an optional arc only is present where that arc is; all nodes of one `piece` are
// present at the same positions.

#ifndef RULE_GRAPH_H
#define RULE_GRAPH_H

#include "rule/syntax.h"

enum { RULE_NODES = 64, RULE_LETTERS = 4, RULE_DIMS = 4, RULE_RELATIONS = 8, RULE_PARAMETERS = 16, RULE_ORDER = 32 };

// A letter of a word: a dimension, perhaps with a level.
typedef struct rule_letter {
  int8_t dim;   // -1: a removed arc, _
  int8_t level; // -1: plain; otherwise a parameter's number
  int8_t plus;  // what is added to that parameter; with level -1 and plus >= 0 nothing
} rule_letter;

typedef enum rule_known {
  RULE_UNKNOWN = 0, // nothing is said
  RULE_ALONG,       // by the word: entry `at`
  RULE_ARC_TO,      // to node `at`; a loop when it is the node itself
  RULE_PERHAPS,     // an optional arc to node `at`, or a loop
} rule_known;

// What one side says of ai of a node.
typedef struct rule_tie {
  uint8_t known, at;
  rule_letter letter; // level and plus of the arc or entry
  rule_span span;
} rule_tie;

typedef struct rule_side {
  bool present;
  bool has_word;                  // a word was written (a kept node without one on the right keeps its left word)
  rule_letter word[RULE_LETTERS]; // one per column
  rule_tie tie[RULE_DIMS];
  rule_span span; // where the node is named first
} rule_side;

// Whether a tie is about a link of the map, and not only read at a level.
static inline bool rule_tie_is_link(rule_tie tie) {
  return tie.known != RULE_UNKNOWN && tie.letter.level < 0;
}

typedef struct rule_node {
  const char *name;
  int8_t hook;       // its number among the hooks, -1 for other nodes
  int8_t component;  // the hook whose positions it has
  uint8_t piece;     // 0: present at every position; otherwise present where the optional arc to its piece is
  uint8_t opens[2];  // dimensions i < n, as bits, that may be left free here in a map of dimension n = 2, 3
  rule_side side[2]; // left, right
} rule_node;

enum { RULE_LEFT = 0, RULE_RIGHT = 1 };

static inline bool rule_node_kept(const rule_node *node) {
  return node->side[RULE_LEFT].present && node->side[RULE_RIGHT].present;
}
static inline bool rule_node_created(const rule_node *node) {
  return !node->side[RULE_LEFT].present && node->side[RULE_RIGHT].present;
}
static inline bool rule_node_deleted(const rule_node *node) {
  return node->side[RULE_LEFT].present && !node->side[RULE_RIGHT].present;
}

// The nodes of a piece are present at p where the left side's optional arc of dimension `dim` leads from node `from`,
// which is present at p, to node `to` of the piece.
typedef struct rule_piece {
  uint8_t from, to, dim;
} rule_piece;

// (letters)^order over the letters of a hook's word: the walk closes at every position after `order` turns, and not
// before unless it meets a free letter.
typedef struct rule_relation {
  rule_letter letters[RULE_LETTERS];
  uint8_t column[RULE_LETTERS]; // the same, as columns
  uint8_t length;
  uint16_t order;
  rule_span span;
} rule_relation;

typedef struct rule_parameter {
  const char *name;
  int8_t hook; // its node, or -1 for a level
  rule_span span;
} rule_parameter;

// A value given to a created or merged orbit: `z := expr` (every blended embedding) or `z.col := expr`.
typedef struct rule_value {
  uint8_t node;
  const char *column; // NULL: every embedding that blends
  const rule_tree *tree, *value;
} rule_value;

typedef struct rule_graph {
  const char *name;
  const rule_tree *tree;
  const rule_tree *inverse_of; // the declaration of the rule it was made from, or NULL
  uint8_t node_count, hook_count, columns, parameter_count, relation_count, piece_count;
  bool explicit_3; // names a3 other than as an orbit's letter, a free end or an optional arc: for 3D maps only
  bool levels;     // some letter bears a level
  rule_node node[RULE_NODES];
  rule_piece piece[RULE_NODES]; // [0] is not used; each comes behind the one it hangs on
  uint8_t opens[2]; // the nodes' together: cells that the rule may leave open, for a script to close before it ends
  uint8_t hook[RULE_PARAMETERS];                        // node of each hook
  rule_letter hook_word[RULE_PARAMETERS][RULE_LETTERS]; // the full words; on the left a hook may show _ instead
  rule_relation relation[RULE_RELATIONS];               // over the hook words' letters
  rule_parameter parameter[RULE_PARAMETERS];
  const rule_tree *guards; // RULE_LIST
  const rule_tree *rank;   // a value, or NULL: of several places, where it is greatest comes first
  uint32_t value_count;
  rule_value *values;
  uint8_t straight[2];             // in maps of dimension 2, 3: does nothing but sew, or unsew, facets (rule_straight)
  const struct machine_code *code; // compiled, or NULL: interpreted
} rule_graph;

// The graph of a RULE_RULE or RULE_INVERSE declaration, with all S findings; NULL when it has any. An inverse starts
// from the hooks of its rule where their right words are full, otherwise from the first node of the right side with a
// full word; its parameters are these hooks, then the levels.
rule_graph *rule_graph_make(clv_program *program, const rule_tree *rule);
// Checks I, C and E, and the names in guards and values. True when nothing was found. O is a mark of the graph: what a
// rule may leave open is tested where it is applied.
bool rule_graph_check(clv_program *program, const rule_graph *graph);
// Check O in a whole program: a rule that always leaves a cell open has to be applied by a script, which in turn has to
// close it (rule_script_check).
bool rule_open_check(clv_program *program, const rule_graph *graph);
// What a rule is when it does nothing but sew or unsew facets.
typedef enum rule_straight { RULE_NOT_STRAIGHT = 0, RULE_SEWS, RULE_UNSEWS } rule_straight;
// True when the rule can be applied to maps of this dimension.
bool rule_graph_serves(const rule_graph *graph, uint32_t dimension);
// True when it leaves cells of such maps open wherever it is applied: there it is for scripts that close them.
bool rule_graph_leaves_open(const rule_graph *graph, uint32_t dimension);

// What a rule may do to the orbits of one sort, found from the two sides: an orbit of dims that holds a kept dart.
enum { RULE_MAY_SPLIT = 1, RULE_MAY_MERGE = 2, RULE_MAY_APPEAR = 4, RULE_MAY_VANISH = 8, RULE_MAY_CHANGE = 16 };
uint32_t rule_graph_effect(const rule_graph *graph, uint32_t dims);

// Scripts: S and P findings of a RULE_SCRIPT (unknown names, wrong arguments, recursion, loops without bounds).
bool rule_script_check(clv_program *program, const rule_tree *script);

struct clv_rule {
  const clv_program *program;
  rule_graph *graph;       // a topological rule ...
  const rule_tree *script; // ... or a script
  bool unsews[2];          // in 2D, in 3D: parts the facet at its one argument, whatever the values there
};

#endif
