// `cleave grid`: makes a regular grid and writes it.

#include "arguments.h"
#include "cli.h"
#include "nearest.h"
#include "output.h"

static int read_kind(const cli_call *call, clv_grid_def *def) {
  const char *name = call->words[0];
  const int kind = clv_grid_from_name(name);
  if (kind >= 0) {
    def->kind = (clv_grid_kind)kind;
    return CLI_OK;
  }
  cli_nearest nearest = cli_nearest_to(name);
  for (int k = 0; k < CLV_GRID_KIND_COUNT; k++) cli_nearest_offer(&nearest, clv_grid_name((clv_grid_kind)k));
  return cli_misused(call->command, "there is no grid of kind '%s'%s", name,
                     cli_did_you_mean(&nearest, "", "; 'cleave help grid' lists them").text);
}

static bool is_flat(clv_grid_kind kind) {
  return kind == CLV_GRID_TRI || kind == CLV_GRID_QUAD || kind == CLV_GRID_MIXED2;
}

static int read_cells(const cli_call *call, clv_grid_def *def) {
  static const char *const names[3] = {"NX", "NY", "NZ"};
  const bool flat = is_flat(def->kind);
  if (!flat && call->word_count < 4) {
    return cli_misused(call->command, "a grid of kind '%s' needs NZ", clv_grid_name(def->kind));
  }
  for (int axis = 0; axis < 3 && axis + 1 < call->word_count; axis++) {
    const uint32_t least = flat && axis == 2 ? 0 : 1;
    const int result = cli_whole_number(call, names[axis], call->words[axis + 1], least, UINT32_MAX, &def->cells[axis]);
    if (result != CLI_OK) return result;
  }
  return CLI_OK;
}

static int read_size(const cli_call *call, clv_grid_def *def) {
  static const char *const names[3] = {"X", "Y", "Z"};
  const char *const *values = cli_values(call, "size");
  for (int axis = 0; values && axis < 3; axis++) {
    const int result = cli_length(call, names[axis], values[axis], &def->size[axis]);
    if (result != CLI_OK) return result;
  }
  return CLI_OK;
}

static int make_and_write(const cli_call *call, const clv_grid_def *def) {
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  clv_error error = {0};
  const clv_result result = clv_mesh_grid(&mesh, def, &error);
  if (result == CLV_ERROR_ARGUMENT) return cli_misused(call->command, "%s", error.message);
  if (result) {
    fprintf(stderr, "cleave: %s\n", error.message);
    return CLI_FAILURE;
  }
  const int written = cli_write_mesh(call, &mesh, cli_value(call, "output"));
  clv_mesh_free(&mesh);
  return written;
}

static int run_grid(const cli_call *call) {
  clv_grid_def def = clv_default_grid_def();
  int result = read_kind(call, &def);
  if (result == CLI_OK) result = read_cells(call, &def);
  if (result == CLI_OK) result = read_size(call, &def);
  if (result == CLI_OK) result = cli_check_format(call, cli_value(call, "output"));
  return result == CLI_OK ? make_and_write(call, &def) : result;
}

const cli_command cli_grid = {
    .name = "grid",
    .what = "make a regular grid and write it to a file",
    .words = "KIND NX NY [NZ]",
    .min_words = 3,
    .max_words = 4,
    .options =
        {
            {.name = "output",
             .letter = 'o',
             .required = true,
             .value_count = 1,
             .values = "FILE",
             .what = "where to write it"},
            {.name = "size",
             .value_count = 3,
             .values = "X Y Z",
             .what = "lengths of the whole grid; 1 1 1 unless given"},
            CLI_FORMAT_OPTION,
        },
    .help = "Cuts a box at the origin into NX x NY x NZ cells, and each of them into elements.\n"
            "\n"
            "Kinds in 3D, where NZ is needed:\n"
            "  hex       hexahedra\n"
            "  tet5      tetrahedra, 5 from each cube, mirrored from cube to cube; also called tet\n"
            "  tet6      tetrahedra, 6 from each cube\n"
            "  prism     prisms, 2 from each cube\n"
            "  pyramid   pyramids, 6 from each cube\n"
            "  mixed     hexahedra, tetrahedra, prisms and pyramids, face to face (all of them from 2 2 2 on)\n"
            "Kinds in 2D, where NZ and Z are accepted and ignored:\n"
            "  tri       triangles, 2 from each square\n"
            "  quad      quadrangles\n"
            "  mixed2    triangles and quadrangles\n"
            "\n"
            "  cleave grid hex 16 4 4 --size 4 1 1 -o beam.vtu\n",
    .run = run_grid,
};
