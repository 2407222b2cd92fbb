// Elaboration: a declaration's tree, walked with values that are symbols.
//
// A maker makes one law: one declaration, for one shape, from one base. Expressions are evaluated to values: numbers
// whose scalars are nodes of the law's graph, darts whose paths are known, points of a quadrature. Names are bound to
// trees and evaluated when they are needed, once as they stand and once as rest(...) reads them.
//
// A dart is a word of letters from the base. On a template the part of the word that stays inside the cell is one of
// its darts; what lies beyond is letters. Words are equal modulo ii = 1 and ij = ji for |i - j| >= 2, and an orbit is a
// word modulo what its own letters can undo: so the same vertex is one particle by whatever way it was reached.

#ifndef RULE_ELABORATE_H
#define RULE_ELABORATE_H

#include "rule/law.h"
#include "rule/unit.h"

typedef struct law_dart {
  uint8_t origin; // 0: the base; 1: the dart of a sub-orbit that a law_sum is at
  uint8_t local;  // of the template
  uint8_t length, letter[LAW_PATH];
} law_dart;

typedef enum law_sort {
  LAW_BAD = 0,  // a finding was made; nothing more is said about it
  LAW_BOOL,     // s[0]
  LAW_NUMBER,   // rows x columns, row by row; a vector has one column
  LAW_IDENTITY, // s[0] times a unit matrix of the size that fits
  LAW_DART,
  LAW_POINT,  // of a quadrature
  LAW_SHAPES, // q.N
} law_sort;

typedef struct law_value {
  uint8_t sort, rows, columns;
  bool whole;     // a whole number
  bool reference; // a point of the reference shape (sum q), not of the rest shape (over q)
  int8_t point;   // its number, -1: the one that is evaluated
  bool variable;  // a dart that stands for an orbit, which is of `dims`
  uint8_t dims;
  law_unit unit;
  law_dart dart;
  dag_ref s[9];
} law_value;

// A name. Trees are evaluated in `scope`, at most once in each mode; a value that was given has been.
typedef struct law_binding {
  struct law_binding *next, *scope;
  const char *name;
  const rule_tree *tree; // of a let or an argument; of a def, its declaration
  bool function;
  bool in_sum; // it was bound inside a sum over sub-orbits
  bool done[2];
  law_value value[2]; // [1]: as rest(...) reads it
} law_binding;

typedef struct law_known {
  law_dart dart; // as a key
  uint8_t dimension;
  bool free;
} law_known;

// What is known of a derived quantity: its unit, and whether it exists in such maps.
typedef struct law_derived {
  const rule_tree *column;
  law_unit unit;
  bool served;
} law_derived;

// All that were looked at for one declaration; nested makers share it, so that each is looked at once.
typedef struct law_cache {
  BASE_ARRAY(law_derived) derived;
} law_cache;

// A column that an update has given a value.
typedef struct law_written {
  const rule_tree *column;
  law_dart key;
  law_value value;
} law_written;

enum {
  LAW_NEST = 16,
  LAW_KNOWN = 32,
  LAW_WRITTEN = 16,
  LAW_DEPTH = 400,
  LAW_WORK = 200000,
  LAW_NODES = 50000,
  LAW_COSETS = 64
};

typedef struct law_maker {
  clv_program *program;
  law_cache *cache;
  law *law;
  dag *graph; // the law's
  base_arena arena;
  uint32_t dimension;
  const clv_template *shape; // NULL: an orbit
  uint32_t inner, row_dims;  // dimensions inside the template; of the row's orbit
  uint32_t variable_dims;    // letters that sub-orbits with a variable have

  // Where it begins: check Y starts from other darts and compares.
  law_dart base;
  uint8_t turn[CLV_TEMPLATE_DARTS], unturn[CLV_TEMPLATE_DARTS]; // the cell as seen from the base, and back
  int8_t sub_move;                                              // a letter that moves the darts of sub-orbits; -1: none

  bool quiet, failed;
  bool not_served;            // the declaration says nothing for maps of this dimension
  bool no_unknowns;           // derived quantities and updates: positions are columns like others
  bool constant;              // only parameters may be read
  bool unroll;                // write out the points of `over` blocks
  bool has_block, has_points; // `over` blocks; values over points
  bool has_reference;         // sums over points of the reference shape
  bool roll;                  // let one point stand for all
  uint8_t rolling;            // sums over points that one is in, when it does
  bool check_unused;
  bool rest; // positions are read at rest
  bool in_sum;
  uint32_t depth, work;
  uint32_t nest; // derived quantities whose units are being found

  law_binding *names;
  law_unit result; // of a derived quantity
  law_known known[LAW_KNOWN];
  uint32_t known_count;
  law_written written[LAW_WRITTEN];
  uint32_t written_count;
  BASE_ARRAY(law_dart) read_keys; // of law->reads
  BASE_ARRAY(law_dart) path_keys; // of law->paths
  law_dart particle_keys[LAW_PARTICLES];
  // What has been added up, outside of `over` blocks and inside.
  dag_ref energy[2], dissipation[2], force[2][3 * LAW_PARTICLES];
  const rule_tree *energy_tree, *dissipation_tree, *force_tree; // the last of each
} law_maker;

// The sentence is "what|what to do".
#define LAW_COMPLAIN(maker, code, where, ...)                                                                          \
  do {                                                                                                                 \
    if (!(maker)->quiet) rule_complain((maker)->program, (code), (where), __VA_ARGS__);                                \
    (maker)->failed = true;                                                                                            \
  } while (0)

// law_shape.c: orbits, templates and columns as trees say them.
bool law_orbit_read(law_maker *m, const rule_tree *orbit, clv_orbit *result); // with a finding
uint32_t law_dims(clv_orbit orbit, uint32_t dimension);
bool law_is(const char *name, const char *word);
// The shapes that a place means in maps of this dimension.
enum { LAW_SHAPES_MAX = 8 };
uint32_t law_shapes(const rule_tree *place, uint32_t dimension, law_shape *shapes);
law_value law_typed(law_maker *m, const rule_tree *type); // a value of the type and unit, without scalars
const char *law_sort_name(const law_value *value, char text[32]);

// elaborate_dart.c
law_dart law_dart_of(const law_maker *m, uint32_t local);                // a dart of the template
bool law_dart_move(const law_maker *m, law_dart *dart, uint32_t letter); // false: the path is too long
law_value law_step(law_maker *m, const law_value *from, uint32_t letter, rule_span span);
law_dart law_dart_key(const law_maker *m, law_dart dart, uint32_t dims);
bool law_dart_equal(const law_dart *a, const law_dart *b);
uint32_t law_dart_parity(const law_maker *m, const law_dart *dart);
void law_guard_value(law_maker *m, dag_ref value);
void law_guard_free(law_maker *m, const law_value *dart, uint32_t dimension, bool is_free, rule_span span);
// Sub-orbits of dims within the orbit at `dart`, a dart of each; 0 when they cannot be listed.
uint32_t law_list_suborbits(law_maker *m, const law_dart *dart, uint32_t within, uint32_t dims, law_dart *list);
uint32_t law_path_to(law_maker *m, law_dart dart); // its number among the law's paths
// The corner of the template that a dart lies at, as seen from the base; -1 outside.
int law_corner_of(const law_maker *m, const law_dart *dart);
law_value law_corner(const law_maker *m, uint32_t corner);

// elaborate_read.c
law_value law_read_column(law_maker *m, const law_dart *dart, const char *name, rule_span span);
law_value law_read_thickness(law_maker *m, rule_span span); // of a surface, in metres
law_value law_read_param(law_maker *m, const rule_tree *param, rule_span span);
uint32_t law_particle_at(law_maker *m, law_dart dart, rule_span span);
bool law_fits(law_maker *m, law_value *value, const rule_tree *type, const law_unit *unit, rule_span span);

// elaborate_value.c
law_value law_evaluate(law_maker *m, law_binding *scope, const rule_tree *tree);
law_value law_number(law_maker *m, double value);
law_value law_sum_of(law_maker *m, const law_value *a, const law_value *b, bool minus, rule_span span);
law_value law_scaled(law_maker *m, const law_value *a, dag_ref factor, law_unit unit);
law_value law_bound(law_maker *m, law_binding *binding);
law_binding *law_bind(law_maker *m, law_binding *scope, const char *name, const rule_tree *tree);
law_binding *law_bind_value(law_maker *m, law_binding *scope, const char *name, const law_value *value);
// Expects a number of that shape (0: any); otherwise a finding and false.
bool law_expect(law_maker *m, const law_value *value, uint32_t rows, uint32_t columns, const char *what,
                rule_span span);

// elaborate_call.c, elaborate_matrix.c
law_value law_call(law_maker *m, law_binding *scope, const rule_tree *tree);
law_value law_multiply(law_maker *m, const law_value *a, const law_value *b, rule_span span);
law_value law_sized_identity(law_maker *m, const law_value *identity, uint32_t size);
law_value law_transpose(const law_value *a);
law_value law_dot(law_maker *m, const law_value *a, const law_value *b, rule_span span);

// elaborate_sum.c: reductions and quadrature
law_value law_reduce(law_maker *m, law_binding *scope, const rule_tree *tree);
law_value law_over(law_maker *m, law_binding *scope, const rule_tree *tree);
law_value law_gradient(law_maker *m, law_binding *scope, const rule_tree *tree); // grad, jac
law_value law_point_field(law_maker *m, const law_value *point, const rule_tree *tree);
law_value law_shape_at(law_maker *m, const law_value *shapes, const law_value *corner, rule_span span);
law_value law_weight_of(law_maker *m, const law_value *point, rule_span span); // q.w
law_value law_variable_at(law_maker *m, law_dart dart, uint32_t dims);         // the variable of a sub-orbit
law_value law_row_variable(const law_maker *m);
bool law_find_cell(law_maker *m, law_binding *scope, const rule_tree *cell);
law_value law_point(const law_maker *m, bool reference, int point);
dag_ref law_sum_points(law_maker *m, dag_ref at_point); // where one point stands for all

// elaborate.c: items, and whole laws
bool law_make(law_maker *m, const rule_tree *declaration, const law_shape *shape);
// Gives the law that was made its rolled form, where it can have one.
void law_roll(law_maker *m, const rule_tree *tree, const law_shape *shape);
void law_maker_free(law_maker *m);
bool law_circular(clv_program *program, const rule_tree *declaration);

// law_check.c: checks D and Y of a law that could be made. True when nothing was found.
bool law_check(clv_program *program, law_cache *cache, const rule_tree *declaration, const law_shape *shape);

#endif
