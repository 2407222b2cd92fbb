// Where code comes from: the library, the cache, the machine's compiler, or nowhere; what is kept, and whom it is taken
// from.

#include "support/code_cache.h"
#include "support/hand_laws.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

typedef struct spring {
  clv_program *program;
  law law;
} spring;

static kernel *spring_kernel(spring *s) {
  const clv_allocator allocator = clv_default_allocator();
  s->program = clv_program_create(NULL);
  assert_non_null(s->program);
  hand_make(&s->law, HAND_DAMPED_SPRING, CLV_NONE, LAW_PSD_NONE, &allocator);
  kernel *k = kernel_make(s->program, &s->law);
  assert_non_null(k);
  return k;
}

static void free_kernel(spring *s, kernel *k) {
  const clv_allocator allocator = clv_default_allocator();
  kernel_destroy(k, &allocator);
  hand_unmake(&s->law);
  clv_program_destroy(s->program);
}

typedef struct found {
  uint32_t cached, compiled, interpreted;
} found;

static found attach_once(kernel *k, const char *isa, const char *compiler) {
  rule_native native;
  code_cache_open(&native, isa, compiler);
  kernel_set_code(k, NULL);
  assert_int_equal(rule_native_attach(&native, &k, 1), CLV_OK);
  const found result = {native.cached, native.compiled, native.interpreted};
  assert_true((k->compiled[KERNEL_FORCE] == NULL) == (result.interpreted == 1));
  assert_true((native.trouble.code != CLV_OK) == (result.interpreted == 1));
  if (result.interpreted) assert_true(strlen(native.trouble.message) > 10);
  kernel_set_code(k, NULL);
  rule_native_close(&native);
  return result;
}

static void spoil(const char *path) {
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  assert_true(fputs("not a library", file) >= 0);
  assert_int_equal(fclose(file), 0);
}

static void open_to_all(const char *path) {
  assert_int_equal(chmod(path, 0666), 0);
}

static void is_private(const char *path) {
  struct stat info;
  assert_int_equal(stat(path, &info), 0);
  assert_int_equal(info.st_mode & 0777, 0600);
}

static void code_is_kept(void **state) {
  (void)state;
  spring f;
  kernel *k = spring_kernel(&f);
  assert_int_equal(attach_once(k, "sse2", NULL).compiled, 1);
  assert_int_equal(code_cache_files(is_private), 1);
  assert_int_equal(attach_once(k, "sse2", NULL).cached, 1);
  assert_int_equal(code_cache_files(spoil), 1);
  assert_int_equal(attach_once(k, "sse2", NULL).compiled, 1);
  assert_int_equal(attach_once(k, "sse2", NULL).cached, 1);
  assert_int_equal(code_cache_files(open_to_all), 1); // anybody may have written it
  assert_int_equal(attach_once(k, "sse2", NULL).compiled, 1);
  assert_int_equal(code_cache_files(is_private), 1);
  // Another option is another file.
  assert_int_equal(attach_once(k, "sse2", "cc -g0").compiled, 1);
  assert_int_equal(code_cache_files(NULL), 2);
  free_kernel(&f, k);
}

static void a_directory_of_others_is_not_used(void **state) {
  (void)state;
  spring f;
  kernel *k = spring_kernel(&f);
  assert_int_equal(chmod(code_cache_path(), 0777), 0);
  assert_int_equal(attach_once(k, "sse2", NULL).compiled, 1);
  assert_int_equal(code_cache_files(NULL), 0);
  assert_int_equal(chmod(code_cache_path(), 0700), 0);
  free_kernel(&f, k);
}

static void without_a_compiler_kernels_are_interpreted(void **state) {
  (void)state;
  spring f;
  kernel *k = spring_kernel(&f);
  assert_int_equal(attach_once(k, NULL, "none").interpreted, 1);
  assert_int_equal(attach_once(k, NULL, "/no/such/compiler").interpreted, 1);
  assert_int_equal(attach_once(k, NULL, "no_such_compiler -O2").interpreted, 1);
  assert_int_equal(attach_once(k, NULL, "false").interpreted, 1);
  assert_int_equal(attach_once(k, NULL, "true").interpreted, 1); // ends well and leaves nothing behind
  assert_int_equal(attach_once(k, NULL, "cc --no-such-option").interpreted, 1);
  assert_int_equal(code_cache_files(NULL), 0);
  free_kernel(&f, k);
}

static void instruction_sets_have_to_be_known(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  const rule_native_def def = {.isa = "mmx"};
  rule_native native;
  clv_error error;
  assert_int_equal(rule_native_open(&native, &allocator, &def, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "mmx"));
  assert_int_equal(setenv("CLEAVE_ISA", "sse2", 1), 0);
  assert_int_equal(rule_native_open(&native, &allocator, NULL, &error), CLV_OK);
  assert_int_equal(native.isa, NATIVE_BASE);
  assert_int_equal(unsetenv("CLEAVE_ISA"), 0);
  assert_int_equal(rule_native_open(&native, &allocator, NULL, &error), CLV_OK);
  assert_int_equal(native.isa, native_isa_best());
}

static const char *const one_law = "embed pos:vec3[m] on vertex blend;\n"
                                   "embed k:real[N/m] on edge = 3 merge sum split copy;\n"
                                   "force pull on e:edge { energy 0.5*e.k*dot(e.pos-e@0.pos,e.pos-e@0.pos); }\n";

// Two shapes whose kernels are so long that each is a unit.
static const char *const two_shapes =
    "use fem;\n"
    "force rubber on t:prism|hex {\n"
    "  over q in t { energy 0.7*t.mu*dot(green(grad(t.pos,q)),green(grad(t.pos,q)))^2; }\n"
    "  psd clamp;\n"
    "}\n";

// A compiler that works once: the unit that it was asked for is compiled, the other is interpreted.
static void a_unit_may_fail_alone(void **state) {
  (void)state;
  char path[512], lock[512], script[1024];
  snprintf(path, sizeof path, "%s/once.sh", code_cache_path());
  snprintf(lock, sizeof lock, "%s/lock", code_cache_path());
  FILE *file = fopen(path, "w");
  assert_non_null(file);
  fprintf(file, "#!/bin/sh\nmkdir '%s' 2>/dev/null || exit 1\nexec cc \"$@\"\n", lock);
  assert_int_equal(fclose(file), 0);
  snprintf(script, sizeof script, "/bin/sh %s", path);
  clv_program *program = clv_program_create(NULL);
  clv_compile_def def = clv_default_compile_def();
  clv_compile_report report;
  clv_error error;
  assert_non_null(program);
  assert_int_equal(clv_program_add(program, "two.rule", two_shapes, strlen(two_shapes)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  def.compiler = "none";
  def.dimension = 3;
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_OK);
  const uint32_t others = report.interpreted - 2; // where the library is not compiled
  def.cache = code_cache_path();
  def.compiler = script;
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_OK);
  if (others == 0) {
    assert_int_equal(report.compiled, 1);
    assert_int_equal(report.interpreted, 1);
  }
  assert_int_equal(report.trouble.code, CLV_ERROR_SYSTEM);
  assert_non_null(strstr(report.trouble.message, "failed"));
  clv_program_destroy(program);
  assert_int_equal(rmdir(lock), 0);
  assert_int_equal(unlink(path), 0);
}

static void programs_are_compiled(void **state) {
  (void)state;
  clv_program *program = clv_program_create(NULL);
  clv_compile_def def = clv_default_compile_def();
  clv_compile_report report;
  clv_error error;
  assert_non_null(program);
  assert_int_equal(clv_program_compile(program, NULL, &report, &error), CLV_ERROR_ARGUMENT); // not checked
  assert_int_equal(clv_program_add(program, "one.rule", one_law, strlen(one_law)), CLV_OK);
  const clv_result checked = clv_program_check(program);
  const clv_diagnostic *diagnostics;
  if (clv_program_diagnostics(program, &diagnostics)) fail_msg("%s", diagnostics[0].what);
  assert_int_equal(checked, CLV_OK);
  def.cache = code_cache_path();
  def.dimension = 3;
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_OK);
  assert_int_equal(report.compiled, 1);
  assert_int_equal(report.trouble.code, CLV_OK);
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_OK);
  assert_int_equal(report.cached, 1);
  def.compiler = "none";
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_OK);
  assert_int_equal(report.interpreted, 1);
  assert_int_not_equal(report.trouble.code, CLV_OK);
  def.instructions = "abacus";
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_ERROR_ARGUMENT);
  clv_program_destroy(program);
}

// A law on edges is the same on surfaces and in volumes: it is compiled once and serves both.
static void the_same_text_is_compiled_once(void **state) {
  (void)state;
  static const char law_of_edges[] =
      "use body;\n"
      "param stiff:real[N/m^3] = 3;\n"
      "force tie on e:edge { let l = norm(e.pos-e@0.pos); energy stiff*(l-rest(l))^4; }\n";
  clv_program *program = clv_program_create(NULL);
  clv_compile_def def = clv_default_compile_def();
  clv_compile_report report;
  clv_error error;
  assert_int_equal(clv_program_add(program, "tie.rule", law_of_edges, strlen(law_of_edges)), CLV_OK);
  assert_int_equal(clv_program_check(program), CLV_OK);
  def.cache = code_cache_path();
  assert_int_equal(clv_program_compile(program, &def, &report, &error), CLV_OK);
  if (report.interpreted) fail_msg("%s", report.trouble.message);
  assert_int_equal(report.compiled, 2);
  const kernel *one = program->laws[0].kernels.data[0], *two = program->laws[1].kernels.data[0];
  assert_true(one->compiled[KERNEL_FORCE] && one->compiled[KERNEL_FORCE] == two->compiled[KERNEL_FORCE]);
  clv_program_destroy(program);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(programs_are_compiled, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(the_same_text_is_compiled_once, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(a_unit_may_fail_alone, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(code_is_kept, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(a_directory_of_others_is_not_used, code_cache_make, code_cache_remove),
      cmocka_unit_test_setup_teardown(without_a_compiler_kernels_are_interpreted, code_cache_make, code_cache_remove),
      cmocka_unit_test(instruction_sets_have_to_be_known),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
