// `cleave check`: whether files make sound maps. One line says so for each file, more when there is more to say; a file
// that is wrong does not keep the next ones from being checked.

#include "arguments.h"
#include "body.h"
#include "cli.h"
#include "measure.h"
#include "text.h"

#include <inttypes.h>

enum { LISTED_PROBLEMS = 100 }; // what is wrong once is often wrong everywhere

typedef struct findings {
  const char *path;
  uint64_t problems;
} findings;

static void print_problem(void *user, const clv_problem *problem) {
  findings *found = user;
  if (found->problems++ >= LISTED_PROBLEMS) return;
  cli_print_name(found->path);
  printf(": %s: %s", problem->condition, problem->message);
  for (int i = 0; i < 4 && problem->darts[i]; i++) {
    printf("%s%" PRIu32, i ? " " : " (darts ", problem->darts[i]);
  }
  puts(problem->darts[0] ? ")" : "");
}

static void print_notes(const cli_body *body, const cli_measures *measures) {
  const char *path = body->path;
  const clv_build_report *report = &body->report;
  if (!report->cells) {
    cli_print_name(path);
    puts(": note: there are no elements of dimension 2 or 3, so there was nothing to check");
  }
  cli_print_note(path, report->turned, "inverted element was turned", "inverted elements were turned");
  cli_print_note(path, measures->bad, "element has quality 0 or less", "elements have quality 0 or less");
  cli_print_note(path, body->mesh.reduced_elements, "second-order element was reduced to its corners",
                 "second-order elements were reduced to their corners");
  cli_print_note(path, report->left_out, "element of a lower dimension is no cell",
                 "elements of a lower dimension are no cells");
  cli_print_note(path, report->merged_points, "point is equal to another", "points are equal to others");
  cli_print_note(path, report->unused_points, "point is not used by any cell", "points are not used by any cell");
  cli_print_note(path, report->parted_vertices, "vertex was added where cells only touch",
                 "vertices were added where cells only touch");
}

static void print_verdict(const cli_body *body, const findings *found) {
  cli_print_name(body->path);
  if (found->problems) {
    printf(": %s\n", cli_counted(found->problems, "problem", "problems").text);
  } else {
    printf(": ok, %s, %s\n", cli_counted(body->report.cells, "cell", "cells").text,
           cli_counted(clv_dart_count(body->map), "dart", "darts").text);
  }
}

static int check_body(const cli_body *body) {
  findings found = {.path = body->path};
  cli_body_stage(body, "checking the map");
  clv_result result = clv_map_check(body->map, print_problem, &found);
  cli_measures measures;
  if (result == CLV_OK) result = cli_measure(body, &measures);
  if (result != CLV_OK && result != CLV_ERROR_INVALID) {
    fprintf(stderr, "%s: %s\n", body->path, clv_result_name(result));
    return CLI_FAILURE;
  }
  print_verdict(body, &found);
  if (result == CLV_OK) print_notes(body, &measures);
  return result ? CLI_FAILURE : CLI_OK;
}

static int check_file(const cli_call *call, const char *path) {
  cli_body body;
  int result = cli_body_load(&body, path, cli_flag(call, "merge-points"));
  if (result != CLI_OK) return result;
  result = check_body(&body);
  cli_body_free(&body);
  return result;
}

static int run_check(const cli_call *call) {
  int result = CLI_OK;
  for (int f = 0; f < call->word_count; f++) {
    if (check_file(call, call->words[f]) != CLI_OK) result = CLI_FAILURE;
  }
  return result;
}

const cli_command cli_check = {
    .name = "check",
    .what = "check that mesh files are sound",
    .words = "FILE...",
    .min_words = 1,
    .max_words = INT32_MAX,
    .options = {CLI_MERGE_OPTION},
    .help =
        "Reads each FILE, builds its map and checks every condition of a generalized map, of its storage and of the "
        "values\n"
        "on it. Prints 'FILE: ok' with notes on what is unusual, or each problem; ends with status 1 if there are "
        "any.\n"
        "\n"
        "A face with three volumes, a degenerate element, a corner that does not exist: such files have no map. The\n"
        "message names the elements, counted from 0 as they stand in the file.\n"
        "\n"
        "  cleave check liver.msh\n"
        "  cleave check *.vtu\n",
    .run = run_check,
};
