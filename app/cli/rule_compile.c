// `cleave rule compile`: hands the force laws and the rules of a program to the machine's compiler, ahead of the run
// that needs them.

#include "arguments.h"
#include "cli.h"
#include "rule_program.h"
#include "text.h"

#include <string.h>
#include <time.h>

static double seconds_since(struct timespec then) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)(now.tv_sec - then.tv_sec) + 1e-9 * (double)(now.tv_nsec - then.tv_nsec);
}

static int check_instructions(const cli_call *call) {
  const char *wanted = cli_value(call, "instructions");
  static const char *const known[] = {"sse2", "avx2", "avx512"};
  for (size_t k = 0; wanted && k < sizeof known / sizeof *known; k++) {
    if (strcmp(wanted, known[k]) == 0) return CLI_OK;
  }
  if (!wanted) return CLI_OK;
  return cli_misused(call->command, "there is no instruction set '%s'; use sse2, avx2 or avx512", wanted);
}

static void print_part(const char **separator, uint32_t count, const char *what) {
  if (!count) return;
  printf("%s%s %s", *separator, cli_grouped(count).text, what);
  *separator = ", ";
}

static void print_report(const clv_compile_report *report, double seconds) {
  const char *separator = ": ";
  const uint32_t shapes = report->shipped + report->cached + report->compiled + report->interpreted;
  printf("%s, %s", cli_counted(shapes, "law or rule", "laws and rules").text, report->instructions);
  print_part(&separator, report->shipped, "compiled with the library");
  print_part(&separator, report->cached, "found in the cache");
  print_part(&separator, report->compiled, "compiled now");
  print_part(&separator, report->interpreted, "interpreted");
  printf("; %.2f s\n", seconds);
  if (report->object[0] && (report->cached || report->compiled)) {
    fputs("    ", stdout);
    cli_print_name(report->object);
    putchar('\n');
  }
}

static int compile(const cli_call *call, clv_program *program) {
  clv_compile_def def = clv_default_compile_def();
  def.cache = cli_value(call, "cache");
  def.compiler = cli_value(call, "compiler");
  def.instructions = cli_value(call, "instructions");
  def.anew = cli_flag(call, "anew");
  clv_compile_report report;
  clv_error error = {0};
  struct timespec start;
  clock_gettime(CLOCK_MONOTONIC, &start);
  if (clv_program_compile(program, &def, &report, &error)) {
    fprintf(stderr, "cleave: %s\n", error.message);
    return CLI_FAILURE;
  }
  const uint32_t count = report.shipped + report.cached + report.compiled + report.interpreted;
  if (count)
    print_report(&report, seconds_since(start));
  else
    puts("there are no forces and no rules in it: nothing to compile");
  const bool kept = !report.compiled || report.object[0];
  if (!kept)
    fprintf(stderr, "%s: compiled, and not kept: the cache must be a directory of yours that nobody else may write\n",
            call->words[0]);
  if (!report.interpreted) return kept ? CLI_OK : CLI_FAILURE;
  fprintf(stderr, "%s: some stay interpreted: %s\n", call->words[0], report.trouble.message);
  return CLI_FAILURE;
}

static int run_rule_compile(const cli_call *call) {
  int result = check_instructions(call);
  clv_program *program;
  if (result == CLI_OK) result = cli_program_load(call->words, call->word_count, &program);
  if (result != CLI_OK) return result;
  result = compile(call, program);
  clv_program_destroy(program);
  return result;
}

const cli_command cli_rule_compile = {
    .name = "rule compile",
    .what = "compile the forces and rules of rule files, and keep them",
    .words = "FILE...",
    .min_words = 1,
    .max_words = INT32_MAX,
    .options =
        {
            {.name = "cache",
             .value_count = 1,
             .values = "DIRECTORY",
             .what = "where to keep it; cleave/ in $XDG_CACHE_HOME or ~/.cache"},
            {.name = "compiler", .value_count = 1, .values = "COMMAND", .what = "$CLEAVE_CC, $CC or cc unless given"},
            {.name = "instructions",
             .value_count = 1,
             .values = "SET",
             .what = "sse2, avx2 or avx512; the best there is unless given"},
            {.name = "anew", .what = "compile what was compiled with the library, too"},
        },
    .help =
        "Checks the program that the FILEs are and compiles its forces and rules, for surfaces and for volumes: one\n"
        "kernel for each shape that a force can meet, several side by side. What comes out is kept, so that the next\n"
        "run starts at once. What the library has was compiled when Cleave was built.\n"
        "\n"
        "Without a compiler they are interpreted: as right, and slower. Then, and when nothing can be kept, this "
        "command\n"
        "ends with status 1.\n"
        "\n"
        "  cleave rule compile muscle.rule\n"
        "  cleave rule compile muscle.rule --instructions avx2\n",
    .run = run_rule_compile,
};
