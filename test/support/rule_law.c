#include "support/rule_law.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

// Files

char *law_test_read_file(const char *path, size_t *size) {
  // This file lies in test/support.
  char name[1024];
  const size_t root = strlen(__FILE__) - strlen("support/rule_law.c");
  snprintf(name, sizeof name, "%.*s%s", (int)root, __FILE__, path);
  FILE *file = fopen(name, "rb");
  if (!file) fail_msg("cannot open %s", name);
  char *text = malloc(1 << 20);
  assert_non_null(text);
  *size = fread(text, 1, (1 << 20) - 1, file);
  text[*size] = '\0';
  fclose(file);
  return text;
}

char *law_test_read(const char *module, size_t *size) {
  char path[256];
  snprintf(path, sizeof path, "../rules/%s.rule", module);
  return law_test_read_file(path, size);
}

void law_test_print_findings(const clv_program *program) {
  for (uint32_t k = 0; k < program->findings.count; k++) {
    const rule_finding *f = &program->findings.data[k];
    print_message("%s, byte %u: [%c] %s; %s\n", program->files.data[f->span.file].name, f->span.start, f->code, f->what,
                  f->help);
  }
}

static const char *const modules[] = {"body", "motion", "springs", "fem", "external"};

int law_test_load_library(void **state) {
  clv_program *program = clv_program_create(NULL);
  assert_non_null(program);
  for (size_t k = 0; k < sizeof modules / sizeof *modules; k++) {
    size_t size;
    char *text = law_test_read(modules[k], &size);
    assert_int_equal(clv_program_add(program, modules[k], text, size), CLV_OK);
    free(text);
  }
  *state = program;
  return 0;
}

int law_test_unload_library(void **state) {
  clv_program_destroy(*state);
  return 0;
}

law_list law_test_make(clv_program *program, const char *name, uint32_t dimension) {
  law_list laws = {0};
  const rule_tree *declaration = rule_declaration(program, name);
  assert_non_null(declaration);
  const bool fine = law_elaborate(program, declaration, dimension, &laws);
  law_test_print_findings(program);
  assert_true(fine);
  return laws;
}

void law_test_free(clv_program *program, law_list *laws) {
  for (uint32_t k = 0; k < laws->count; k++) law_destroy(laws->data[k], &program->arena.allocator);
  BASE_RELEASE(&program->arena.allocator, laws);
}

const law *law_test_of_kind(const law_list *laws, clv_kind kind) {
  uint32_t k = 0;
  while (k < laws->count && laws->data[k]->shape.kind != kind) k++;
  assert_true(k < laws->count);
  return laws->data[k];
}

uint32_t law_test_param(const clv_program *program, const char *name) {
  const rule_tree *param = rule_declaration(program, name);
  assert_non_null(param);
  const uint32_t first = law_param_first(program, param);
  assert_true(first < LAW_TEST_PARAMS);
  return first;
}

// Values

static double unit_number(random_source *source) {
  return (double)(random_next(source) >> 11) * 0x1p-53;
}

void law_test_fill(law_sample *sample, const law *l, random_source *source) {
  *sample = (law_sample){.law = l};
  for (uint32_t p = 0; p < LAW_PARTICLES; p++)
    for (uint32_t axis = 0; axis < 3; axis++) {
      sample->pos[p][axis] = 2 * unit_number(source) - 1;
      sample->rest[p][axis] = 2 * unit_number(source) - 1;
      sample->vel[p][axis] = 2 * unit_number(source) - 1;
    }
  for (uint32_t k = 0; k < LAW_TEST_PARAMS; k++) sample->params[k] = 0.5 + unit_number(source);
}

double law_test_value(const law_sample *sample, const char *column, uint32_t component) {
  if (sample->constant != 0) return sample->constant;
  random_source source = {component};
  for (const char *at = column; *at; at++) source.state = random_next(&source) ^ (unsigned char)*at;
  return 0.5 + unit_number(&source);
}

uint32_t law_test_corner(clv_kind kind, const law_path *path, const char *more) {
  const clv_template *shape = &clv_templates[kind];
  uint32_t dart = 0;
  for (uint32_t k = 0; k < path->length; k++) dart = shape->alpha[path->letter[k]][dart];
  for (; *more; more++) dart = shape->alpha[*more - '0'][dart];
  return shape->sub[shape->dimension == 2 ? 2 : 6].of[dart];
}

static double rest_at(const law_sample *sample, uint32_t path, uint32_t axis) {
  const law *l = sample->law;
  for (uint32_t p = 0; p < l->particles.count; p++)
    if (l->particles.data[p] == path) return sample->rest[p][axis];
  assert_true(l->shape.kind != CLV_NONE);
  return sample->corner[law_test_corner(l->shape.kind, &l->paths.data[path], "")][axis];
}

typedef struct sample_reader {
  const law_sample *sample;
  uint32_t point;
  double quad[LAW_QUADRATURE][LAW_QUAD_DATA];
} sample_reader;

static double read_sample(void *user, dag_op op, uint32_t index) {
  const sample_reader *reader = user;
  const law_sample *sample = reader->sample;
  const law *l = sample->law;
  switch (op) {
  case DAG_PARAM:
    return sample->params[index];
  case DAG_POS:
    return sample->pos[index / 3][index % 3];
  case DAG_VEL:
    return sample->vel[index / 3][index % 3];
  case DAG_QUAD:
    if (l->unrolled) return reader->quad[index / LAW_QUAD_DATA][index % LAW_QUAD_DATA];
    return reader->quad[reader->point][index];
  case DAG_READ: {
    const law_read *read = &l->reads.data[index];
    if (strcmp(read->column->name, "rest") == 0) return rest_at(sample, read->path, read->component);
    return law_test_value(sample, read->column->name, read->component);
  }
  default:
    fail_msg("a law has no input %d", (int)op);
  }
  return 0;
}

// Sums over points what is per point.
static void evaluate(const law_sample *sample, const dag *graph, const dag_ref *roots, uint32_t count,
                     double *results) {
  const law *l = sample->law;
  sample_reader reader = {.sample = sample};
  if (l->quadrature) law_quadrature(l->shape.kind, (const double(*)[3])sample->corner, reader.quad);
  const uint32_t points = l->quadrature && !l->unrolled ? l->quadrature : 1;
  double *values = calloc(graph->nodes.count, sizeof *values), *now = calloc(count, sizeof *now);
  assert_true(values && now);
  for (uint32_t k = 0; k < count; k++) results[k] = 0;
  for (reader.point = 0; reader.point < points; reader.point++) {
    dag_evaluate(graph, roots, count, read_sample, &reader, values, now);
    for (uint32_t k = 0; k < count; k++) results[k] += now[k];
  }
  free(values);
  free(now);
}

double law_test_root(const law_sample *sample, dag_ref root) {
  double result;
  evaluate(sample, &sample->law->graph, &root, 1, &result);
  return result;
}

double law_test_energy(const law_sample *sample) {
  assert_true(sample->law->energy != 0);
  return law_test_root(sample, sample->law->energy);
}

void law_test_forces(const law_sample *sample, double (*forces)[3]) {
  const law *l = sample->law;
  const uint32_t count = 3 * l->particles.count;
  dag graph;
  dag_init(&graph, &l->graph.allocator);
  dag_ref slopes[2][3 * LAW_PARTICLES] = {{0}}, pushed[3 * LAW_PARTICLES] = {0}, bad;
  const dag_ref roots[2] = {l->energy, l->dissipation};
  dag_ref copies[2];
  assert_true(dag_copy(&graph, &l->graph, roots, 2, copies, false));
  if (l->force) assert_true(dag_copy(&graph, &l->graph, l->force, count, pushed, false));
  if (copies[0]) assert_true(dag_gradient(&graph, copies[0], DAG_POS, count, slopes[0], &bad));
  if (copies[1]) assert_true(dag_gradient(&graph, copies[1], DAG_VEL, count, slopes[1], &bad));
  double values[3][3 * LAW_PARTICLES];
  evaluate(sample, &graph, pushed, count, values[0]);
  for (uint32_t part = 0; part < 2; part++) evaluate(sample, &graph, slopes[part], count, values[1 + part]);
  for (uint32_t k = 0; k < count; k++) forces[k / 3][k % 3] = values[0][k] - values[1][k] - values[2][k];
  dag_free(&graph);
}

// Particles

int law_test_particle(const law *l, const char *word) {
  for (uint32_t p = 0; p < l->particles.count; p++) {
    const law_path *path = &l->paths.data[l->particles.data[p]];
    bool same = path->length == strlen(word);
    for (uint32_t k = 0; same && k < path->length; k++) same = path->letter[k] == word[k] - '0';
    if (same) return (int)p;
  }
  return -1;
}

int law_test_corner_particle(const law *l, uint32_t corner) {
  for (uint32_t p = 0; p < l->particles.count; p++)
    if (law_test_corner(l->shape.kind, &l->paths.data[l->particles.data[p]], "") == corner) return (int)p;
  return -1;
}

int law_test_same_particle(const law *l, uint32_t particle, const law *other) {
  const law_path *path = &l->paths.data[l->particles.data[particle]];
  char word[LAW_PATH + 1] = "";
  for (uint32_t k = 0; k < path->length; k++) word[k] = (char)('0' + path->letter[k]);
  return law_test_particle(other, word);
}

void law_test_near_at(double a, double b, double scale, double tolerance, const char *file, int line) {
  if (fabs(a - b) <= tolerance * fmax(scale, fmax(fabs(a), fabs(b)))) return;
  print_message("%.17g and %.17g differ\n", a, b);
  _fail(file, line);
}
