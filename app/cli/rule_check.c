// `cleave rule check`: whether rule files, taken together, are a sound program.

#include "cli.h"
#include "rule_program.h"
#include "text.h"

#include <string.h>

static const struct {
  const char *what, *one, *many;
} sorts[] = {
    {"rule", "rule", "rules"},
    {"script", "script", "scripts"},
    {"force", "force", "forces"},
    {"update", "update", "updates"},
    {"derive", "derived quantity", "derived quantities"},
    {"embed", "embedding", "embeddings"},
    {"param", "parameter", "parameters"},
    {"def", "function", "functions"},
};

enum { SORTS = sizeof sorts / sizeof *sorts };

static void print_counts(const clv_program *program) {
  uint64_t counts[SORTS] = {0}, shipped = 0;
  clv_declaration declaration;
  for (uint32_t k = 0; clv_program_list(program, k, &declaration); k++) {
    shipped += declaration.shipped;
    for (int s = 0; s < SORTS; s++) counts[s] += !declaration.shipped && strcmp(declaration.what, sorts[s].what) == 0;
  }
  const char *separator = "";
  for (int s = 0; s < SORTS; s++) {
    if (!counts[s]) continue;
    printf("%s%s", separator, cli_counted(counts[s], sorts[s].one, sorts[s].many).text);
    separator = ", ";
  }
  if (shipped) {
    printf("%s%s of the library", separator, cli_counted(shipped, "declaration", "declarations").text);
    separator = ", ";
  }
  puts(*separator ? ": checked, nothing to complain about" : "nothing is declared, nothing to complain about");
}

static int run_rule_check(const cli_call *call) {
  clv_program *program;
  const int result = cli_program_load(call->words, call->word_count, &program);
  if (result != CLI_OK) return result;
  print_counts(program);
  clv_program_destroy(program);
  return CLI_OK;
}

const cli_command cli_rule_check = {
    .name = "rule check",
    .what = "check that rule files are sound",
    .words = "FILE...",
    .min_words = 1,
    .max_words = INT32_MAX,
    .help = "Reads all FILEs as one program and checks it: that no rule can break a map, that every new orbit gets its "
            "values,\n"
            "that laws do not depend on where one starts, that types and units fit, that forces can be derived. Prints "
            "each\n"
            "finding with its place, and what to do; ends with status 1 if there are any.\n"
            "\n"
            "A FILE may also be a module of Cleave's library, by its name: 'cleave rule check topology'.\n"
            "\n"
            "Codes: L the text itself; S names, words and hooks; I dangling links; C cycles; O open cells; E values of "
            "new\n"
            "orbits; Y symmetry; P free links; F endless sums; T types and units; D derivatives. docs/rules.md has an "
            "example\n"
            "of each.\n"
            "\n"
            "  cleave rule check skin.rule\n"
            "  cleave rule check material.rule cuts.rule\n",
    .run = run_rule_check,
};
