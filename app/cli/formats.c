// `cleave formats`: what --format understands.

#include "cli.h"

static int run_formats(const cli_call *call) {
  (void)call;
  const char *name, *what = "";
  for (size_t i = 0; (name = clv_format_list(i, &what)); i++) printf("%-20s %s\n", name, what);
  return CLI_OK;
}

const cli_command cli_formats = {
    .name = "formats",
    .what = "list the file formats",
    .words = "",
    .help = "Lists the formats that --format understands, with what they are.\n"
            "\n"
            "Without --format the ending of a file's name tells: .msh (Gmsh), .vtk and .vtu (VTK), .mesh and .meshb "
            "(MEDIT),\n"
            ".node .ele .face .edge .smesh .poly (TetGen), .inp (Abaqus, CalculiX), .obj, .stl and .ply. Reading "
            "recognises\n"
            "every variant by itself.\n",
    .run = run_formats,
};
