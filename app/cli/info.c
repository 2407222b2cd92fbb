// `cleave info`: what is in a file.

#include "arguments.h"
#include "cli.h"
#include "summary.h"

static int print_summary(const cli_call *call, const cli_body *body) {
  cli_summary summary;
  cli_body_stage(body, "counting");
  const clv_result result = cli_summary_gather(&summary, body);
  if (result) {
    fprintf(stderr, "%s: %s\n", body->path, clv_result_name(result));
  } else if (cli_flag(call, "json")) {
    cli_summary_print_json(&summary);
  } else {
    cli_summary_print_text(&summary);
  }
  cli_summary_free(&summary);
  return result ? CLI_FAILURE : CLI_OK;
}

static int run_info(const cli_call *call) {
  cli_body body;
  int result = cli_body_load(&body, call->words[0], cli_flag(call, "merge-points"));
  if (result != CLI_OK) return result;
  result = print_summary(call, &body);
  cli_body_free(&body);
  return result;
}

const cli_command cli_info = {
    .name = "info",
    .what = "describe a mesh file: cells, boundary, quality, memory",
    .words = "FILE",
    .min_words = 1,
    .max_words = 1,
    .options =
        {
            {.name = "json", .what = "print JSON, for programs"},
            CLI_MERGE_OPTION,
        },
    .help =
        "Reads FILE, builds its map and describes both: cells of each dimension and kind, components, Euler\n"
        "characteristic, boundary, orientation, bounding box, volume or area, quality, regions, fields and memory.\n"
        "\n"
        "Elements of the highest dimension become cells; inverted ones are turned, and counted. Quality is the scaled\n"
        "Jacobian of triangles, quadrangles, tetrahedra, pyramids, prisms and hexahedra: 1 is ideal, 0 flat or less.\n"
        "\n"
        "  cleave info liver.msh\n"
        "  cleave info liver.msh --json\n",
    .run = run_info,
};
