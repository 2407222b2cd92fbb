// The syntax of rule files: text with spans, tokens, and one tree for everything.
//
// The parser makes a tree of uniform nodes. A node has a kind, the place in the text it stands for, perhaps a name or a
// number, and children; the table below says what each kind has. One sort of node keeps the parser and its readers
// small, and lets a diagnostic point at any of them.
//
// Names are interned: equal names are equal pointers. Everything lives in the program's arena.

#ifndef RULE_SYNTAX_H
#define RULE_SYNTAX_H

#include "base/arena.h"
#include "cleave/rule.h"

typedef struct rule_file {
  const char *name;
  const char *text; // with a zero behind it
  size_t size;
  const char *module; // the module of Cleave's library that it is, word for word; NULL for none
  bool shipped;       // and it came from there
} rule_file;

typedef struct rule_span {
  uint32_t file, start, end; // bytes of the file's text
} rule_span;

typedef enum rule_kind {
  // Declarations. `name` is what they declare.
  RULE_USE = 1, // name
  RULE_PARAM,   // name; [0] type, [1] value
  RULE_EMBED,   // name; [0] type, [1] orbit, [2] value or none, [3] policies
  RULE_DERIVE,  // name; [0] type, [1] place, [2] place of `in` or none, [3] value
  RULE_DEF,     // name; [0] names (RULE_LIST of RULE_NAME), [1] value
  RULE_FORCE,   // name; [0] place, [1] words (RULE_LIST of RULE_NAME: oriented, external), [2..] items
  RULE_UPDATE,  // name; [0] place, [1] empty list, [2..] items
  RULE_RULE,    // name; [0] parameters, [1] guards (RULE_LIST), [2] left, [3] right (RULE_GRAPH), [4] rank or none
  RULE_INVERSE, // name; [0] RULE_NAME of the rule, [1] relations (RULE_LIST of RULE_RELATION)
  RULE_SCRIPT,  // name; [0] parameters, [1] block, [2] rank or none
  // Parts of declarations
  RULE_TYPE,        // name: real int bool vec2 vec3 mat2 mat3; [0] unit or none
  RULE_UNIT,        // [k] RULE_UNIT_FACTOR
  RULE_UNIT_FACTOR, // name: kg m s N Pa J rad K; number: exponent
  RULE_POLICIES,    // [k] RULE_NAME: blend, merge_sum merge_mean merge_keep merge_error, split_copy split_share
  RULE_PLACE,       // name: the variable, or NULL; [0] RULE_ORBIT or RULE_TEMPLATES
  RULE_ORBIT,     // [k] RULE_LETTER or, alone, RULE_NAME joined by & (RULE_LIST of RULE_NAME); relations: see RULE_WORD
  RULE_TEMPLATES, // [k] RULE_NAME: tri quad tet pyramid prism hex cell
  RULE_PARAMETER, // name; [0] RULE_WORD or RULE_ORBIT, or none: a level (rules), a value (scripts)
  RULE_WORD,      // [0] RULE_LIST of RULE_LETTER, [1] RULE_LIST of RULE_RELATION
  RULE_LETTER,    // number: the dimension, or -1 for _; [0] level or none
  RULE_RELATION,  // number: the order; [k] RULE_LETTER
  RULE_GRAPH,     // [k] RULE_CHAIN or RULE_ASSIGN
  RULE_CHAIN,     // [0] RULE_NODE, then pairs: RULE_ARC, RULE_NODE
  RULE_NODE,      // name; [0] RULE_WORD or none
  RULE_ARC,       // number: 1 when optional (-3?-), 0 otherwise; [0] RULE_LETTER
  RULE_LIST,      // [k] anything
  RULE_NONE,      // a child that is not there
  // Items of laws, and statements
  RULE_WHERE,          // [0] condition
  RULE_LET,            // name; [0] value
  RULE_LOCAL_DEF,      // name; [0] names, [1] value
  RULE_ENERGY,         // [0] value
  RULE_DISSIPATION,    // [0] value
  RULE_PUSH,           // [0] target (an expression that is a dart), [1] value: force TARGET = value;
  RULE_PUSH_EACH,      // name: the variable; [0] RULE_NAME of the cell, [1] value: force(c in f) = value;
  RULE_OVER,           // name: the variable; [0] RULE_NAME of the cell, [1..] items: over q in t { ... }
  RULE_PSD,            // name: clamp abs gauss_newton none
  RULE_ASSIGN,         // [0] target (RULE_NAME or RULE_FIELD), [1] value: in right graphs :=, in updates and scripts =
  RULE_BLOCK,          // [k] statements
  RULE_CALL_STATEMENT, // [0] RULE_CALL
  RULE_FOR,            // name: the variable; [0] RULE_ORBIT of its own or none, [1] RULE_WITHIN or RULE_NAME, [2] block
  RULE_FOR_CYCLIC,     // [0] RULE_LIST of two RULE_NAME, [1] RULE_NAME of the path, [2] block
  RULE_IF,             // [0] condition, [1] block, [2] block or none
  RULE_TRY,            // [0] block, [1] block or none
  RULE_REQUIRE,        // [0] condition, [1] RULE_STRING or none
  RULE_RETURN,         // [0] value or none
  // Expressions
  RULE_NAME,       // name
  RULE_NUMBER,     // number; name: its text
  RULE_STRING,     // name
  RULE_CALL,       // name; [k] arguments: a def, a built-in function, a rule
  RULE_FIELD,      // name; [0] value: e.pos, q.w
  RULE_STEP,       // [0] value, [1] RULE_LETTER: d@2
  RULE_INDEX,      // [0] value, [1] index, [2] second index or none: v[0], F[0,1]
  RULE_TRANSPOSE,  // [0] value
  RULE_UNARY,      // name: - or !; [0] value
  RULE_BINARY,     // name: + - * / ^ == != < <= > >= && ||; [0], [1] values
  RULE_WITHIN,     // [0] RULE_ORBIT, [1] value: <0,1>(a)
  RULE_IN,         // [0] value, [1] RULE_WITHIN: b in <0,1>(a)
  RULE_REDUCE,     // name: sum mean max min count; [0] RULE_PLACE, [1] value whose orbit is gone over, [2] value
  RULE_QUADRATURE, // name: the variable; [0] value (the cell), [1] value: over q in t expr
  RULE_WALK,       // name: the variable, which is a dart already; [0] RULE_LIST of RULE_LETTER, [1] condition
  RULE_VECTOR,     // [k] components: (a, b, c)
} rule_kind;

typedef struct rule_tree rule_tree;
struct rule_tree {
  rule_kind kind;
  uint32_t count;
  rule_span span;
  const char *name;
  double number;
  rule_tree **child;
};

static inline bool rule_there(const rule_tree *tree) {
  return tree && tree->kind != RULE_NONE;
}

typedef struct rule_finding {
  char code;
  rule_span span;
  const char *what, *help;
} rule_finding;

typedef struct rule_symbol {
  const char *name;
  const rule_tree *declaration; // NULL while it is only a name
  void *meaning;                // what a later stage made of it: a rule_graph, a law ...
} rule_symbol;

// The laws of a program for maps of one dimension, and their kernels beside them: NULL for what is no force.
struct law;
struct kernel;
typedef struct law_list {
  struct law **data;
  uint32_t count, capacity;
} law_list;
typedef struct rule_laws {
  law_list laws;
  BASE_ARRAY(struct kernel *) kernels;
} rule_laws;

struct clv_program {
  base_arena arena;
  bool checked;
  bool no_memory; // something could not be made: the program is not to be used
  BASE_ARRAY(rule_file) files;
  BASE_ARRAY(rule_tree *) declarations; // of all files, in order
  BASE_ARRAY(rule_symbol) symbols;      // by name, open addressing; capacity is a power of two
  BASE_ARRAY(rule_finding) findings;
  BASE_ARRAY(clv_diagnostic) diagnostics; // the findings, sorted, as callers see them
  rule_laws laws[2];                      // for dimension 2 and 3
  struct rule_native *native;             // the code of their kernels
  const struct rule_needs *needs;         // while it is checked: what is wanted of it; NULL: all
};

// The one copy of a name.
const char *rule_intern(clv_program *program, const char *text, size_t size);
// The symbol of an interned name; never NULL unless memory is out.
rule_symbol *rule_symbol_of(clv_program *program, const char *name);
// The declaration of a name, NULL when there is none.
const rule_tree *rule_declaration(const clv_program *program, const char *name);

// What a later stage made of a name, NULL when nothing was made.
const void *rule_meaning(const clv_program *program, const char *name);

// Parses one file, appends its declarations. Findings are recorded; parsing goes on behind a bad declaration.
void rule_parse(clv_program *program, uint32_t file);

// A new node. Children may be NULL when count is 0.
rule_tree *rule_tree_make(clv_program *program, rule_kind kind, rule_span span, const char *name, double number,
                          rule_tree *const *children, uint32_t count);

// Records a finding. `what` is a sentence without its point, `help` what to do; both are formats, separated by '|':
// rule_complain(program, 'S', span, "node '%s' is named twice|use another name", name). A second finding at the same
// place with the same code is dropped.
void rule_complain(clv_program *program, char code, rule_span span, const char *format, ...) CLV_PRINTF(4, 5);

#endif
