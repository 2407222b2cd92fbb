// Laws under test: made from the library's text, filled with values, evaluated.

#ifndef CLEAVE_TEST_SUPPORT_RULE_LAW_H
#define CLEAVE_TEST_SUPPORT_RULE_LAW_H

#include "rule/law.h"
#include "support/random.h"

enum { LAW_TEST_PARAMS = 64 };

// Values for one row of a law. Columns have the same value everywhere, found from their name; `constant`, if it is not
// 0, is the value of all.
typedef struct law_sample {
  const law *law;
  double pos[LAW_PARTICLES][3], vel[LAW_PARTICLES][3], rest[LAW_PARTICLES][3];
  double corner[8][3]; // rest positions of a template's corners
  double params[LAW_TEST_PARAMS];
  double constant;
} law_sample;

// The text of rules/NAME.rule, to be freed; and of any file below the folder of the tests.
char *law_test_read(const char *module, size_t *size);
char *law_test_read_file(const char *path, size_t *size);
void law_test_print_findings(const clv_program *program);

// A program of all shipped laws, for a group of tests.
int law_test_load_library(void **state);
int law_test_unload_library(void **state);

// All laws of a declaration; fails the test when there is a finding.
law_list law_test_make(clv_program *program, const char *name, uint32_t dimension);
void law_test_free(clv_program *program, law_list *laws);
const law *law_test_of_kind(const law_list *laws, clv_kind kind); // there must be one
uint32_t law_test_param(const clv_program *program, const char *name);

// Random positions and parameters.
void law_test_fill(law_sample *sample, const law *l, random_source *source);
double law_test_value(const law_sample *sample, const char *column, uint32_t component);
double law_test_root(const law_sample *sample, dag_ref root);
double law_test_energy(const law_sample *sample);
// What is pushed, less the slopes of energy and dissipation.
void law_test_forces(const law_sample *sample, double (*forces)[3]);

// Particles by the word that leads to them, by corner of the template, or the same one in another law; -1: none.
int law_test_particle(const law *l, const char *word);
int law_test_corner_particle(const law *l, uint32_t corner);
int law_test_same_particle(const law *l, uint32_t particle, const law *other);
// The corner that a path, and then some more letters, lead to.
uint32_t law_test_corner(clv_kind kind, const law_path *path, const char *more);

// Equal to so much, relative to the larger one, or to a scale.
#define law_test_near(a, b, tolerance) law_test_near_at((a), (b), 0, (tolerance), __FILE__, __LINE__)
#define law_test_near_scaled(a, b, scale, tolerance)                                                                   \
  law_test_near_at((a), (b), (scale), (tolerance), __FILE__, __LINE__)
void law_test_near_at(double a, double b, double scale, double tolerance, const char *file, int line);

#endif
