// `cleave rule show`: draws a rule.

#include "arguments.h"
#include "cli.h"
#include "rule_text.h"
#include "text.h"

static int run_rule_show(const cli_call *call) {
  const char *path = cli_value(call, "output");
  const int result = cli_describe(call, clv_program_draw, path);
  if (result != CLI_OK || !path) return result;
  cli_print_name(path);
  printf(": drew '%s'\n", call->words[call->word_count - 1]);
  return CLI_OK;
}

const cli_command cli_rule_show = {
    .name = "rule show",
    .what = "draw a rule, as SVG",
    .words = "FILE... NAME",
    .min_words = 2,
    .max_words = INT32_MAX,
    .options = {{.name = "output",
                 .letter = 'o',
                 .value_count = 1,
                 .values = "FILE",
                 .what = "where to draw it; standard output unless given"}},
    .help =
        "Draws the rule NAME of the program that the FILEs are.\n"
        "\n"
        "A topological rule is drawn as its left and its right graph. Nodes that are kept are at the same place in "
        "both;\n"
        "given ones have two rings, created ones are filled, deleted ones dashed. Links have the usual colours: 0 "
        "black,\n"
        "1 red and dotted, 2 blue and double, 3 green; a question mark stands at an optional one, a level above its\n"
        "letter. A force is drawn as its particles and the ways to them from the base dart.\n"
        "\n"
        "  cleave rule show cuts.rule split_face -o split_face.svg\n"
        "  cleave rule show topology unsew3 >unsew3.svg\n",
    .run = run_rule_show,
};
