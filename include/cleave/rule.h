// Rules: forces and changes of topology, written over orbits, checked, and compiled.
//
// A program is a set of rule files, checked as a whole. It holds topological rules (a left graph that is matched, a
// right graph that takes its place), scripts that apply them, embeddings, derived quantities, force laws, updates and
// parameters; docs/rules.md is the tutorial. A program is immutable once it is checked and may serve many maps.
//
// Nothing in a rule file is trusted. A program that is not sound is refused with diagnostics: where, what, and what to
// do. What a sound program does to a map goes through the map's transactions: a rule that does not match, a guard that
// fails, memory that runs out leave the map as it was.

#ifndef CLEAVE_RULE_H
#define CLEAVE_RULE_H

#include "cleave/embed.h"

CLV_BEGIN_DECLS

typedef struct clv_program clv_program;
typedef struct clv_rule clv_rule; // a topological rule or a script

// Diagnostics

// One finding. Codes: L the text itself (letters, brackets, grammar); S I C O E topological rules; Y P F T D laws.
typedef struct clv_diagnostic {
  char code;
  const char *file;      // as it was named to clv_program_add
  uint32_t line, column; // from 1; the column counts bytes
  uint32_t length;       // of the underlined text, on that line
  const char *what, *help;
} clv_diagnostic;

// Programs

// NULL when memory is out. `allocator` may be NULL.
CLV_API clv_program *clv_program_create(const clv_allocator *allocator);
CLV_API void clv_program_destroy(clv_program *program);
// Adds one file's text, which is copied. The text is parsed at once; `name` is only for messages. A text that is word
// for word that of a shipped file counts as that file: it is there once, also when others `use` it.
CLV_API clv_result clv_program_add(clv_program *program, const char *name, const char *text, size_t size);
// Adds a file of the shipped library by its name ("springs", "topology" ...); what `use NAME;` does in a file.
CLV_API clv_result clv_program_use(clv_program *program, const char *module);
// Gives a parameter of what was added, or is used by it, another value than its file does: as many numbers as its type
// has, in its own unit. Before the check. CLV_ERROR_ARGUMENT when there is no such parameter.
CLV_API clv_result clv_program_set_param(clv_program *program, const char *name, const double *values, uint32_t count);
// Checks everything that was added; CLV_ERROR_INPUT when there is any diagnostic. Nothing can be added afterwards.
CLV_API clv_result clv_program_check(clv_program *program);
CLV_API uint32_t clv_program_diagnostics(const clv_program *program, const clv_diagnostic **diagnostics);
// One finding as people read it: "file:3:9: error[I]: what", the line, a caret and what to do. Returns the length that
// the whole text has, as snprintf does.
CLV_API size_t clv_diagnostic_print(const clv_program *program, const clv_diagnostic *diagnostic, char *buffer,
                                    size_t size);

// What a program declares, in order: its own files first, then the modules they use.
typedef struct clv_declaration {
  const char *name, *what; // what: "param", "embed", "derive", "def", "force", "update", "rule" or "script"
  const char *file;        // as it was named to clv_program_add, or the module
  bool shipped;            // part of Cleave's library
} clv_declaration;
// The k-th declaration; false past the last.
CLV_API bool clv_program_list(const clv_program *program, uint32_t k, clv_declaration *declaration);

// A checked program's rule, force, update or derived quantity as a picture in SVG, and explained in words. The whole
// text is handed to `write` at once. CLV_ERROR_ARGUMENT when there is nothing of that name to draw or to explain.
typedef void clv_text_writer(void *user, const char *text, size_t size);
CLV_API clv_result clv_program_draw(const clv_program *program, const char *name, clv_text_writer *write, void *user,
                                    clv_error *error);
CLV_API clv_result clv_program_explain(const clv_program *program, const char *name, clv_text_writer *write, void *user,
                                       clv_error *error);

// Machine code

// The shipped laws and rules are compiled when Cleave is built, and used as soon as a program is checked. Others are
// interpreted until clv_program_compile hands them to the machine's own compiler; what comes out is kept in a cache
// directory. The environment has a say where the definition has none: CLEAVE_CC or CC names the compiler ("none": do
// not compile), CLEAVE_ISA the instruction set, XDG_CACHE_HOME or HOME the place of the cache.
typedef struct clv_compile_def {
  const char *cache;        // a directory; NULL: cleave/ in $XDG_CACHE_HOME or ~/.cache
  const char *compiler;     // a program and its first arguments; NULL: $CLEAVE_CC, $CC or cc; "none": do not compile
  const char *instructions; // sse2, avx2 or avx512; NULL: $CLEAVE_ISA, or the best there is
  uint32_t dimension;       // of the maps it is for: 2 or 3; 0: both
  bool anew;                // what was compiled with the library is compiled, too
} clv_compile_def;

CLV_API clv_compile_def clv_default_compile_def(void);

// Where the code of rules and of force laws is from; a law counts once for each shape that it can meet.
typedef struct clv_compile_report {
  uint32_t shipped, cached, compiled;
  uint32_t interpreted;     // not compiled: as right, and slower
  const char *instructions; // the instruction set
  const char *object;       // where the cache has what was compiled last; empty when nothing was, or there is no cache
  clv_error trouble;        // why some are interpreted; code CLV_OK when none are
} clv_compile_report;

// For a program that was checked, while nobody uses it. That there is no compiler is no failure: the report says so.
// `def`, `report` and `error` may be NULL.
CLV_API clv_result clv_program_compile(clv_program *program, const clv_compile_def *def, clv_compile_report *report,
                                       clv_error *error);

// Topological rules and scripts

CLV_API const clv_rule *clv_program_rule(const clv_program *program, const char *name);
CLV_API const char *clv_rule_name(const clv_rule *rule);

// What a rule or a script is called with.
typedef enum clv_parameter_kind {
  CLV_PARAMETER_DART,  // a hook: a dart of an orbit
  CLV_PARAMETER_LEVEL, // a whole number
  CLV_PARAMETER_ANY,   // a script's: a dart, a number or a path
} clv_parameter_kind;
typedef struct clv_parameter {
  const char *name;
  clv_parameter_kind kind;
  clv_orbit orbit; // of a hook
} clv_parameter;
// The k-th parameter; false past the last.
CLV_API bool clv_rule_parameter(const clv_rule *rule, uint32_t k, clv_parameter *parameter);

// An argument: a dart for a hook, a whole number for a level, a path of darts for a script.
typedef struct clv_rule_argument {
  clv_dart dart;
  int32_t number;
  const clv_dart *darts;
  uint32_t dart_count;
} clv_rule_argument;

// Applies a rule inside an open transaction. CLV_ERROR_REFUSED when it does not match or a guard fails: the map's error
// says which, and the map is as it was before the call. Where `created` is not NULL, it gets the dart that the node
// `node` of the right side has at the first hook's dart.
CLV_API clv_result clv_rule_apply(const clv_rule *rule, clv_map *map, const clv_rule_argument *arguments,
                                  uint32_t count, const char *node, clv_dart *created);

// Whether a rule says which of several places comes first; and how a place ranks: where it is greatest comes first.
// Inside an open transaction, nothing is changed. CLV_ERROR_REFUSED where the rule does not match or a guard fails,
// CLV_ERROR_ARGUMENT for a rule that has no rank.
CLV_API bool clv_rule_has_rank(const clv_rule *rule);
CLV_API clv_result clv_rule_rank(const clv_rule *rule, clv_map *map, const clv_rule_argument *arguments, uint32_t count,
                                 double *rank);
// Applies a rule where its rank was asked: guards are not asked again, so what was done at places that came before has
// no say in them. CLV_ERROR_REFUSED where the left side is no longer there. A script runs as by clv_rule_apply.
CLV_API clv_result clv_rule_apply_ranked(const clv_rule *rule, clv_map *map, const clv_rule_argument *arguments,
                                         uint32_t count);

CLV_END_DECLS

#endif
