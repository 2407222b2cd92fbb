// `cleave mesh`: fills a closed surface with tetrahedra. Others do that well: the work is done by tetgen or gmsh, as a
// program of its own in a directory of its own; here the surface is checked before it and the tetrahedra behind it.

#include "arguments.h"
#include "cli.h"
#include "measure.h"
#include "nearest.h"
#include "output.h"
#include "surface.h"
#include "text.h"
#include "workshop.h"

#include <math.h>
#include <signal.h>
#include <string.h>

enum { DEFAULT_TIMEOUT = 3600 }; // seconds

typedef struct job job;

// A program that makes tetrahedra.
typedef struct mesher {
  const char *name;
  const char *output; // what is to be read afterwards
  const char *hint;   // for when it fails
  int (*prepare)(job *j);
  cli_run_end (*run)(const job *j, int *signal);
} mesher;

struct job {
  const cli_call *call;
  const mesher *mesher;
  double size;    // the length of edges; 0 for the program's own
  double quality; // the largest radius of a tetrahedron's sphere by its shortest edge; 0 for the program's own
  uint32_t timeout;
  cli_surface surface;
  bool has_regions; // of its faces
  cli_workshop shop;
  cli_body volume;
  int signal; // that came while the program ran
};

static int write_surface(const job *j, const char *name, const char *format) {
  clv_error error = {0};
  if (clv_mesh_write(&j->surface.faces, cli_workshop_at(&j->shop, name).path, format, &error)) {
    return cli_failed(error.message);
  }
  return CLI_OK;
}

// ---- tetgen ---------------------------------------------------------------------------------------------------------

static int prepare_tetgen(job *j) {
  return write_surface(j, "surface.smesh", "tetgen-surface");
}

// The volume of a regular tetrahedron whose edges have this length.
static double volume_of_edge(double length) {
  return length * length * length / (6.0 * sqrt(2.0));
}

static cli_run_end run_tetgen(const job *j, int *signal) {
  char switches[128] = "-pq";
  size_t used = strlen(switches);
  if (j->quality > 0.0) used += (size_t)snprintf(switches + used, sizeof switches - used, "%.9g", j->quality);
  if (j->size > 0.0) snprintf(switches + used, sizeof switches - used, "a%.17g", volume_of_edge(j->size));
  const char *const arguments[] = {"tetgen", switches, "surface.smesh", NULL};
  return cli_workshop_run(&j->shop, arguments, j->timeout, signal);
}

// ---- gmsh -----------------------------------------------------------------------------------------------------------

// A geometry that says what the surface encloses. Without a size, gmsh keeps the triangles as they are; it would keep
// them with a size too, and coarse triangles give coarse tetrahedra: so then the surface is cut at its sharp edges into
// pieces that gmsh can mesh anew.
static int write_geometry(const job *j) {
  FILE *geometry = fopen(cli_workshop_at(&j->shop, "volume.geo").path, "w");
  const bool written = geometry && fprintf(geometry,
                                           "Merge \"surface.msh\";\n%sSurface Loop(1) = Surface{:};\nVolume(1) = {1};\n"
                                           "Physical Volume(1) = {1};\n",
                                           j->size > 0.0 ? "CreateTopology;\nClassifySurfaces{40*Pi/180, 1, 1, Pi};\n"
                                                           "CreateGeometry;\n"
                                                         : "") > 0;
  if (geometry && fclose(geometry) == 0 && written) return CLI_OK;
  return cli_failed("cleave: cannot write the geometry for gmsh; is the disk full?");
}

static int prepare_gmsh(job *j) {
  clv_mesh *faces = &j->surface.faces;
  for (size_t e = 0; e < faces->element_count; e++) {
    if (faces->kinds[e] != CLV_TRI) {
      fprintf(stderr, "%s: gmsh fills surfaces of triangles only, and this has a %s; install tetgen for it\n",
              j->surface.body.path, clv_kind_name((clv_kind)faces->kinds[e]));
      return CLI_FAILURE;
    }
    faces->tags[e] = 1;
  }
  const int result = write_surface(j, "surface.msh", "msh2");
  return result == CLI_OK ? write_geometry(j) : result;
}

static cli_run_end run_gmsh(const job *j, int *signal) {
  char size[48];
  snprintf(size, sizeof size, "%.17g", j->size > 0.0 ? j->size : 1e22); // 1e22 is gmsh's own
  const char *const arguments[] = {"gmsh", "-3", "-format",    "msh22",      "-clmax",
                                   size,   "-o", "volume.msh", "volume.geo", NULL};
  return cli_workshop_run(&j->shop, arguments, j->timeout, signal);
}

// ---- which of them --------------------------------------------------------------------------------------------------

// In the order in which they are tried.
static const mesher meshers[] = {
    {"tetgen", "surface.1.ele", "the usual reason is a surface that crosses itself; 'tetgen -d' shows where",
     prepare_tetgen, run_tetgen},
    {"gmsh", "volume.msh",
     "the usual reason is a surface that crosses itself, or is in several parts; try --with tetgen", prepare_gmsh,
     run_gmsh},
};
enum { MESHERS = sizeof meshers / sizeof *meshers };

static const mesher *find_mesher(const char *name) {
  for (int m = 0; m < MESHERS; m++) {
    if (name ? strcmp(meshers[m].name, name) == 0 : cli_program_exists(meshers[m].name)) return &meshers[m];
  }
  return NULL;
}

static int choose_mesher(job *j) {
  const char *wanted = cli_value(j->call, "with");
  j->mesher = find_mesher(wanted);
  if (wanted && !j->mesher) {
    cli_nearest nearest = cli_nearest_to(wanted);
    for (int m = 0; m < MESHERS; m++) cli_nearest_offer(&nearest, meshers[m].name);
    return cli_misused(j->call->command, "cleave mesh does not know '%s'%s", wanted,
                       cli_did_you_mean(&nearest, "", "; it works with tetgen and gmsh").text);
  }
  if (!j->mesher) {
    return cli_failed("cleave: neither tetgen nor gmsh is installed; 'apt-get install tetgen' is enough");
  }
  if (!cli_program_exists(j->mesher->name)) {
    fprintf(stderr, "cleave: %s is not installed; 'apt-get install %s' installs it\n", wanted, wanted);
    return CLI_FAILURE;
  }
  if (j->quality > 0.0 && j->mesher->run != run_tetgen) {
    return cli_misused(j->call->command, "--quality needs tetgen; %s has no such bound", j->mesher->name);
  }
  return CLI_OK;
}

// ---- what came of it ------------------------------------------------------------------------------------------------

// An element of the program's mesh, turned if it is inverted.
static clv_result keep_element(clv_mesh *to, const clv_mesh *from, size_t element, int32_t tag) {
  const clv_kind kind = (clv_kind)from->kinds[element];
  const uint32_t *numbers = from->corners + from->offsets[element];
  uint32_t corners[4] = {0};
  double places[4][3];
  const int count = clv_kind_corners(kind);
  for (int c = 0; c < count; c++) {
    corners[c] = numbers[c];
    memcpy(places[c], from->points[numbers[c]], sizeof places[c]);
  }
  if (kind == CLV_TET && clv_element_measure(kind, (const double(*)[3])places) < 0.0) {
    corners[1] = numbers[2];
    corners[2] = numbers[1];
  }
  return clv_mesh_add_element(to, kind, corners, (size_t)count, tag);
}

// The points and tetrahedra; the boundary triangles too when the faces of the surface had regions, with their names.
static clv_result keep(const job *j, const clv_mesh *from, clv_mesh *to) {
  const clv_mesh *named = &j->surface.body.mesh;
  const bool with_faces = j->has_regions && j->mesher->run == run_tetgen;
  clv_result result = clv_mesh_reserve(to, from->point_count, from->element_count, 4 * from->element_count);
  for (size_t i = 0; i < from->point_count && !result; i++) {
    result = clv_mesh_add_point(to, from->points[i][0], from->points[i][1], from->points[i][2]);
  }
  for (size_t e = 0; e < from->element_count && !result; e++) {
    if (from->kinds[e] == CLV_TET) result = keep_element(to, from, e, 0);
    if (from->kinds[e] == CLV_TRI && with_faces) result = keep_element(to, from, e, from->tags[e]);
  }
  for (size_t i = 0; i < named->region_count && with_faces && !result; i++) {
    const clv_region *region = &named->regions[i];
    if (region->dimension == 2) result = clv_mesh_add_region(to, 2, region->tag, region->name);
  }
  return result;
}

static int build_volume(job *j) {
  clv_error error = {0};
  const clv_build_def def = clv_default_build_def();
  if (clv_mesh_dimension(&j->volume.mesh) != 3) {
    fprintf(stderr, "cleave: %s made no tetrahedra of %s\n", j->mesher->name, j->surface.body.path);
    return CLI_FAILURE;
  }
  if (clv_mesh_build(&j->volume.mesh, &def, &j->volume.map, &j->volume.report, &error) == CLV_OK) return CLI_OK;
  fprintf(stderr, "cleave: what %s made of %s is no mesh: %s\n", j->mesher->name, j->surface.body.path, error.message);
  return CLI_FAILURE;
}

static int read_volume(job *j) {
  clv_mesh made;
  clv_error error = {0};
  clv_mesh_init(&made, NULL);
  if (clv_mesh_read(&made, cli_workshop_at(&j->shop, j->mesher->output).path, &error)) {
    return cli_failed(error.message);
  }
  const clv_result result = keep(j, &made, &j->volume.mesh);
  clv_mesh_free(&made);
  if (result) {
    fprintf(stderr, "cleave: %s\n", clv_result_name(result));
    return CLI_FAILURE;
  }
  return build_volume(j);
}

static int report_volume(const job *j) {
  cli_measures measures;
  const int written = cli_write_mesh(j->call, &j->volume.mesh, j->volume.path);
  if (written != CLI_OK) return written;
  if (cli_measure(&j->volume, &measures)) return cli_failed("cleave: out of memory");
  cli_print_name(j->volume.path);
  printf(": %s by %s, volume %.6g, quality %.3g to %.3g, mean %.3g (scaled Jacobian; 1 is ideal)\n",
         cli_counted(j->volume.report.cells, "tetrahedron", "tetrahedra").text, j->mesher->name, measures.total,
         measures.least, measures.most, measures.mean);
  if (j->has_regions && j->mesher->run != run_tetgen) {
    cli_print_name(j->volume.path);
    puts(": note: the regions of the surface are not kept; tetgen keeps them");
  }
  return CLI_OK;
}

// ---- the command ----------------------------------------------------------------------------------------------------

static int run_mesher(job *j) {
  int result = j->mesher->prepare(j);
  if (result != CLI_OK) return result;
  cli_body_stage(&j->surface.body, "filling the surface");
  const cli_run_end end = j->mesher->run(j, &j->signal);
  if (end == CLI_RUN_FAILED) fprintf(stderr, "cleave: %s\n", j->mesher->hint);
  return end == CLI_RUN_DONE ? read_volume(j) : CLI_FAILURE;
}

static int fill(job *j) {
  j->volume = (cli_body){.path = cli_value(j->call, "output")};
  clv_mesh_init(&j->volume.mesh, NULL);
  int result = cli_workshop_open(&j->shop);
  if (result != CLI_OK) return result;
  result = run_mesher(j);
  cli_workshop_close(&j->shop);
  if (j->signal) raise(j->signal);
  if (result == CLI_OK) result = report_volume(j);
  cli_body_free(&j->volume);
  return result;
}

static int read_numbers(job *j) {
  const char *size = cli_value(j->call, "size"), *quality = cli_value(j->call, "quality");
  const char *timeout = cli_value(j->call, "timeout");
  j->timeout = DEFAULT_TIMEOUT;
  int result = size ? cli_length(j->call, "H", size, &j->size) : CLI_OK;
  if (result == CLI_OK && quality) result = cli_length(j->call, "Q", quality, &j->quality);
  if (result == CLI_OK && quality && j->quality < 1.0) {
    result = cli_misused(j->call->command, "Q must be 1 or more: no tetrahedron can be asked to be better");
  }
  if (result == CLI_OK && timeout) result = cli_whole_number(j->call, "S", timeout, 1, UINT32_MAX, &j->timeout);
  return result;
}

static int run_mesh(const cli_call *call) {
  job j = {.call = call};
  int result = read_numbers(&j);
  if (result == CLI_OK) result = cli_check_format(call, cli_value(call, "output"));
  if (result == CLI_OK) result = choose_mesher(&j);
  if (result == CLI_OK) result = cli_surface_load(&j.surface, call->words[0], cli_flag(call, "merge-points"));
  if (result != CLI_OK) return result;
  for (size_t e = 0; e < j.surface.faces.element_count; e++) j.has_regions |= j.surface.faces.tags[e] != 0;
  result = fill(&j);
  cli_surface_free(&j.surface);
  return result;
}

const cli_command cli_mesh = {
    .name = "mesh",
    .what = "fill a closed surface with tetrahedra, by tetgen or gmsh",
    .words = "SURFACE",
    .min_words = 1,
    .max_words = 1,
    .options =
        {
            {.name = "output",
             .letter = 'o',
             .required = true,
             .value_count = 1,
             .values = "FILE",
             .what = "where to write the tetrahedra"},
            {.name = "size", .value_count = 1, .values = "H", .what = "length of edges to aim at"},
            {.name = "quality",
             .value_count = 1,
             .values = "Q",
             .what = "bound on radius by shortest edge; 2 unless given"},
            {.name = "with", .value_count = 1, .values = "PROGRAM", .what = "tetgen or gmsh; else the first there is"},
            {.name = "timeout",
             .value_count = 1,
             .values = "S",
             .what = "seconds the program may take; an hour unless given"},
            CLI_MERGE_OPTION,
            CLI_FORMAT_OPTION,
        },
    .help =
        "Reads SURFACE, of any format, checks that it is closed, a 2-manifold and orientable, lets tetgen or gmsh fill "
        "it\n"
        "with tetrahedra, checks those, and writes them. One of the two must be installed; Debian has both.\n"
        "\n"
        "A surface that is not closed is refused, with the first edges that have one face only. With tetgen, the\n"
        "regions of the surface's faces become those of the boundary triangles, which are written too.\n"
        "\n"
        "  cleave mesh liver.stl -o liver.msh\n"
        "  cleave mesh liver.obj --size 0.01 --quality 1.4 -o liver.vtu\n",
    .run = run_mesh,
};
