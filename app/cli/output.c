// See output.h.

#include "output.h"

#include "arguments.h"
#include "nearest.h"
#include "text.h"

#include <string.h>
#include <strings.h>

// ---- formats --------------------------------------------------------------------------------------------------------

// The names of formats begin with the ending of their files.
enum { ENDING = 3 };

// "msh", "vtk", "vtu" in any case, or NULL for a path that ends in none of them.
static const char *known_ending(const char *path) {
  const char *dot = strrchr(path, '.');
  if (!dot || strlen(dot + 1) != ENDING) return NULL;
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    if (strncasecmp(format, dot + 1, ENDING) == 0) return dot + 1;
  }
  return NULL;
}

static int check_name(const cli_call *call, const char *wanted) {
  cli_nearest nearest = cli_nearest_to(wanted);
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    if (strcmp(format, wanted) == 0) return CLI_OK;
    cli_nearest_offer(&nearest, format);
  }
  return cli_misused(call->command, "there is no format '%s'%s", wanted,
                     cli_did_you_mean(&nearest, "", "; 'cleave formats' lists them").text);
}

int cli_check_format(const cli_call *call, const char *path) {
  const char *format = cli_value(call, "format");
  if (!format) return CLI_OK;
  const int result = check_name(call, format);
  if (result != CLI_OK) return result;
  const char *ending = known_ending(path);
  if (!ending || strncasecmp(ending, format, ENDING) == 0) return CLI_OK;
  return cli_misused(call->command, "format %s in a file called .%s could not be read again; call it .%.*s", format,
                     ending, ENDING, format);
}

// ---- writing --------------------------------------------------------------------------------------------------------

static void say_written(const clv_mesh *mesh, const char *path) {
  uint64_t kinds[CLV_KIND_COUNT] = {0};
  for (size_t e = 0; e < mesh->element_count; e++) kinds[mesh->kinds[e]]++;
  cli_print_name(path);
  printf(": wrote %s, %s", cli_counted(mesh->point_count, "point", "points").text,
         cli_counted(mesh->element_count, "element", "elements").text);
  if (mesh->element_count) {
    fputs(" (", stdout);
    cli_print_kinds(kinds);
    putchar(')');
  }
  putchar('\n');
}

// Only Gmsh has names for regions, and its first format has neither those nor fields.
static void say_lost(const cli_call *call, const clv_mesh *mesh, const char *path) {
  const char *format = cli_value(call, "format");
  const char *known = format ? format : known_ending(path);
  const bool oldest = known && strcmp(known, "msh1") == 0;
  const bool gmsh = known && strncasecmp(known, "msh", ENDING) == 0;
  if (oldest) {
    cli_print_note(path, mesh->field_count, "field has no place in this format", "fields have no place in this format");
  }
  if (oldest || !gmsh) {
    cli_print_note(path, mesh->region_count, "name of a region has no place in this format",
                   "names of regions have no place in this format");
  }
}

int cli_write_mesh(const cli_call *call, const clv_mesh *mesh, const char *path) {
  clv_error error = {0};
  if (clv_mesh_write(mesh, path, cli_value(call, "format"), &error)) return cli_failed(error.message);
  say_written(mesh, path);
  say_lost(call, mesh, path);
  return CLI_OK;
}
