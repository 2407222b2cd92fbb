// `cleave plot`: draws what a run has written down.

#include "arguments.h"
#include "cli.h"
#include "subject.h"
#include "text.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { MOST_COLUMNS = 256, PATH_SIZE = 4096 };

typedef struct plot_wishes {
  const char *output; // NULL: beside the numbers
  const char *columns[MOST_COLUMNS];
  uint32_t column_count;
  char words[PATH_SIZE]; // what the columns point into
} plot_wishes;

// "a,b,c" as names.
static int read_columns(const cli_call *call, plot_wishes *wishes) {
  const char *text = cli_value(call, "columns");
  wishes->column_count = 0;
  if (!text) return CLI_OK;
  if (strlen(text) >= sizeof wishes->words) return cli_misused(call->command, "--columns is too long");
  memcpy(wishes->words, text, strlen(text) + 1);
  for (char *at = wishes->words; at; wishes->column_count++) {
    char *comma = strchr(at, ',');
    if (comma) *comma = '\0';
    if (!*at) return cli_misused(call->command, "--columns has a name of no letters; write a,b,c");
    if (wishes->column_count == MOST_COLUMNS)
      return cli_misused(call->command, "--columns names more than %d columns", MOST_COLUMNS);
    wishes->columns[wishes->column_count] = at;
    at = comma ? comma + 1 : NULL;
  }
  return CLI_OK;
}

// The name of a file without its directory.
static const char *base_of(const char *path) {
  const char *slash = strrchr(path, '/');
  return slash ? slash + 1 : path;
}

// Where the name's ending begins.
static size_t stem_length(const char *path) {
  const char *point = strrchr(base_of(path), '.');
  return point && point != base_of(path) ? (size_t)(point - path) : strlen(path);
}

// "beam: energies" for beam/energies.csv, "energies" where the directory has no name of its own.
static void title_of(const char *csv, char title[PATH_SIZE]) {
  const char *name = base_of(csv);
  const int length = (int)(stem_length(csv) - (size_t)(name - csv));
  const char *end = name > csv ? name - 1 : csv;
  const char *begin = end;
  while (begin > csv && begin[-1] != '/') begin--;
  const int above = (int)(end - begin);
  if (above > 0 && begin[0] != '.') {
    snprintf(title, PATH_SIZE, "%.*s: %.*s", above, begin, length, name);
  } else {
    snprintf(title, PATH_SIZE, "%.*s", length, name);
  }
}

static int draw(const char *csv, const plot_wishes *wishes) {
  char path[PATH_SIZE], title[PATH_SIZE];
  clv_error error;
  clv_plot_def def = clv_default_plot_def();
  title_of(csv, title);
  def.title = title;
  def.columns = wishes->column_count ? wishes->columns : NULL;
  def.column_count = wishes->column_count;
  const int length = wishes->output ? snprintf(path, sizeof path, "%s", wishes->output)
                                    : snprintf(path, sizeof path, "%.*s.svg", (int)stem_length(csv), csv);
  if (length < 0 || (size_t)length >= sizeof path) return cli_failed("the name of the picture is too long");
  if (clv_plot_csv(csv, path, &def, &error) != CLV_OK) return cli_failed(error.message);
  cli_print_name(path);
  printf(": drawn\n");
  return CLI_OK;
}

static int draw_in(const char *directory, const char *file, const plot_wishes *wishes) {
  char csv[PATH_SIZE];
  size_t length = strlen(directory);
  while (length > 1 && directory[length - 1] == '/') length--;
  if ((size_t)snprintf(csv, sizeof csv, "%.*s/%s", (int)length, directory, file) >= sizeof csv)
    return cli_failed("the name of the run is too long");
  return draw(csv, wishes);
}

static bool has_probes(const char *directory) {
  char csv[PATH_SIZE];
  return (size_t)snprintf(csv, sizeof csv, "%s/probes.csv", directory) < sizeof csv && access(csv, F_OK) == 0;
}

static int run_plot(const cli_call *call) {
  const char *run = call->words[0], *file = cli_value(call, "file");
  plot_wishes wishes = {.output = cli_value(call, "output")};
  const int result = read_columns(call, &wishes);
  if (result != CLI_OK) return result;
  if (!cli_is_directory(run)) {
    if (file) return cli_misused(call->command, "--file names a file of a run, but '%s' is no directory", run);
    return draw(run, &wishes);
  }
  if (file) return draw_in(run, file, &wishes);
  const int energies = draw_in(run, "energies.csv", &wishes);
  // One picture was asked for, or columns that the other file has not.
  if (wishes.output || wishes.column_count || !has_probes(run)) return energies;
  const int probes = draw_in(run, "probes.csv", &wishes);
  return energies != CLI_OK ? energies : probes;
}

const cli_command cli_plot = {
    .name = "plot",
    .what = "draw energies and probes of a run, as SVG or PNG",
    .words = "RUN",
    .min_words = 1,
    .max_words = 1,
    .options = {{.name = "output",
                 .letter = 'o',
                 .value_count = 1,
                 .values = "FILE",
                 .what = "the picture, .svg or .png; beside the numbers unless given"},
                {.name = "columns", .value_count = 1, .values = "A,B,...", .what = "draw these only"},
                {.name = "file",
                 .value_count = 1,
                 .values = "NAME",
                 .what = "which file of the run; energies.csv and probes.csv unless given"}},
    .help =
        "Draws the columns of a run's CSV files over time: a panel for each quantity, with its unit.\n"
        "\n"
        "RUN is the directory that 'cleave run' has written; energies.svg and, where there are probes, probes.svg "
        "are\n"
        "drawn in it. With -o or --columns it is energies.csv alone, unless --file names another. RUN may also be a\n"
        "CSV file: names in the first line, numbers below, the first column along the axis.\n"
        "\n"
        "  cleave plot out/cantilever\n"
        "  cleave plot out/cantilever --columns kinetic,total -o energies.png\n"
        "  cleave plot out/cantilever --file probes.csv --columns tip.z\n",
    .run = run_plot,
};
