// `cleave convert`: one file becomes another, by way of the flat mesh. No map is built, so whatever can be read is
// converted as it is: elements of every dimension, fields, tags and names of regions.

#include "cli.h"
#include "output.h"
#include "text.h"

static int read_and_write(const cli_call *call, clv_mesh *mesh) {
  const char *in = call->words[0], *out = call->words[1];
  clv_error error = {0};
  if (clv_mesh_read(mesh, in, &error)) return cli_failed(error.message);
  const int result = cli_write_mesh(call, mesh, out);
  if (result == CLI_OK) {
    cli_print_note(in, mesh->reduced_elements, "second-order element was reduced to its corners",
                   "second-order elements were reduced to their corners");
  }
  return result;
}

static int run_convert(const cli_call *call) {
  int result = cli_check_format(call, call->words[1]);
  if (result != CLI_OK) return result;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  result = read_and_write(call, &mesh);
  clv_mesh_free(&mesh);
  return result;
}

const cli_command cli_convert = {
    .name = "convert",
    .what = "read a mesh file and write it in another format",
    .words = "IN OUT",
    .min_words = 2,
    .max_words = 2,
    .options = {CLI_FORMAT_OPTION},
    .help =
        "Reads IN and writes OUT. Elements of every dimension, fields, tags and names of regions are kept. Elements "
        "that\n"
        "the new format does not know are refused, and OUT is left as it was; fields and names that it has no place\n"
        "for are left out, and mentioned. Second-order elements keep their corners only.\n"
        "\n"
        "  cleave convert liver.msh liver.vtu\n"
        "  cleave convert liver.msh liver.vtk --format vtk5-binary\n",
    .run = run_convert,
};
