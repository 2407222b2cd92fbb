// `cleave rule explain`: what a rule does, in words.

#include "cli.h"
#include "rule_text.h"

static int run_rule_explain(const cli_call *call) {
  return cli_describe(call, clv_program_explain, NULL);
}

const cli_command cli_rule_explain = {
    .name = "rule explain",
    .what = "say what a rule does to orbits and views, or what a force needs",
    .words = "FILE... NAME",
    .min_words = 2,
    .max_words = INT32_MAX,
    .help =
        "Explains NAME of the program that the FILEs are.\n"
        "\n"
        "Of a topological rule: which orbits may split, merge, appear, vanish or change, what becomes of the values "
        "on\n"
        "them, and which forces of the program have rows that it can reach. Of a script: the rules it may apply, and "
        "what\n"
        "they may do together. Of a force: the shapes it is for, its particles, what its rows read and keep, its "
        "points\n"
        "of quadrature, how large its kernels are, and whether they are compiled.\n"
        "\n"
        "  cleave rule explain cuts.rule split_face\n"
        "  cleave rule explain fem neohooke\n",
    .run = run_rule_explain,
};
