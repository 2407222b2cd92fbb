#include "compile.h"

#include "../tools/tools.h"
#include "cleave/cleave.h"

#include <dirent.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// What a user might write. No law of the library comes to the same C.
static const struct {
  const char *name, *text;
} files[] = {
    {"a spring", "use body;\n"
                 "param stiff:real[N/m^3] = 3;\n"
                 "force tie on e:edge { let l = norm(e.pos-e@0.pos); energy stiff*(l-rest(l))^4; }\n"},
    {"a hinge",
     "use body;\n"
     "param stiff:real[J] = 3;\n"
     "force fold on e:<0,2> {\n"
     "  where !free(e,2);\n"
     "  let angle = dihedral(e.pos, e@0.pos, mean(e@1@0.pos,e@0@1@0.pos), mean(e@2@1@0.pos,e@2@0@1@0.pos));\n"
     "  energy stiff*(angle-rest(angle))^4;\n"
     "  psd clamp;\n"
     "}\n"},
    {"a solid on every cell", "use fem;\n"
                              "force rubber on t:cell {\n"
                              "  over q in t {\n"
                              "    let F = grad(t.pos,q); let C = F'*F;\n"
                              "    energy 0.6*t.mu*(tr(C)-3-log((tr(C)+1)/4))+0.5*t.lam*(det(C)-1)^2;\n"
                              "  }\n"
                              "  psd clamp;\n"
                              "}\n"},
    {"a turning frame on every cell", "use fem;\n"
                                      "force shrunk on t:cell {\n"
                                      "  over q in t {\n"
                                      "    let F = grad(t.pos,q); let R = hold(rotation(F));\n"
                                      "    energy iso(sym(R'*F)-0.9*I, t.mu, t.lam);\n"
                                      "  }\n"
                                      "}\n"},
    {"a frame of all points, and their stress in it",
     "use fem;\n"
     "force framed on t:pyramid|prism|hex {\n"
     "  let M = over q in t grad(t.pos,q); let R = hold(rotation(M)); let S = hold(sym(R'*M));\n"
     "  let n = hold(sum q in t volume_at(t,q)*moment(jac(R'*t.pos,q)*inverse_at(t,q), t.mu, t.lam));\n"
     "  let y = hold(inverse(tr(S)*I-S)*n);\n"
     "  sum q in t {\n"
     "    let A = jac(R'*t.pos,q)*inverse_at(t,q);\n"
     "    energy volume_at(t,q)*(iso(sym(A)-0.9*I, t.mu, t.lam)-dot(y, axis(A)));\n"
     "    dissipation volume_at(t,q)*iso(sym(jac(R'*t.vel,q)*inverse_at(t,q)), t.psi, t.phi);\n"
     "  }\n"
     "}\n"},
    {"a volume of all points, on every cell", "use fem;\n"
                                              "force swollen on t:cell {\n"
                                              "  let V = over q in t dilation(grad(t.pos,q));\n"
                                              "  energy 0.5*t.lam*rest(V)*(V/rest(V)-1.1)^4;\n"
                                              "  psd clamp;\n"
                                              "}\n"},
};

// An empty cache, and what is in it in the end.
static void make_cache(char path[32]) {
  snprintf(path, 32, "/tmp/cleave-bench.XXXXXX");
  if (!mkdtemp(path)) bench_fail("cannot make a directory in /tmp");
}

static void remove_cache(const char *path) {
  DIR *directory = opendir(path);
  for (const struct dirent *entry; directory && (entry = readdir(directory));) {
    char name[512];
    if (entry->d_name[0] == '.') continue;
    snprintf(name, sizeof name, "%s/%s", path, entry->d_name);
    unlink(name);
  }
  if (directory) closedir(directory);
  rmdir(path);
}

// From the text to code that can run; `anew`: also of the rules that are shipped with code.
static double time_program(const char *name, const char *text, bool anew) {
  char cache[32];
  make_cache(cache);
  const double start = bench_clock();
  clv_program *program = clv_program_create(NULL);
  if (!program) bench_fail("out of memory");
  bench_ok(clv_program_add(program, name, text, strlen(text)), name, NULL);
  bench_ok(clv_program_check(program), name, "the rules are not sound");
  clv_compile_def def = clv_default_compile_def();
  clv_compile_report report;
  clv_error error = {0};
  def.cache = cache;
  def.anew = anew;
  bench_ok(clv_program_compile(program, &def, &report, &error), name, error.message);
  const double seconds = bench_clock() - start;
  if (report.interpreted || !report.compiled) bench_fail("%s: not compiled: %s", name, report.trouble.message);
  clv_program_destroy(program);
  remove_cache(cache);
  return seconds;
}

void bench_print_compile_times(void) {
  static const char shipped[] =
      "use body; use springs; use fem; use external; use motion; use topology; use surgery;\n";
  setenv("CCACHE_DISABLE", "1", 1); // a cache behind the compiler's name would be measured instead
  printf("\nrule_compile, all shipped rules: %.2f s\n", time_program("all shipped rules", shipped, true));
  for (size_t k = 0; k < sizeof files / sizeof *files; k++)
    printf("rule_compile, %s: %.2f s\n", files[k].name, time_program(files[k].name, files[k].text, false));
}
