// See output.h.

#include "output.h"

#include "arguments.h"
#include "nearest.h"
#include "text.h"

#include <string.h>

// ---- formats --------------------------------------------------------------------------------------------------------

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
  if (clv_format_fits(format, path)) return CLI_OK;
  return cli_misused(call->command, "format %s in a file called %s could not be read again; call it %s", format,
                     strrchr(path, '.'), clv_format_ending(format));
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

static void say_lost(const cli_call *call, const clv_mesh *mesh, const char *path) {
  clv_loss loss;
  if (clv_format_loss(mesh, cli_value(call, "format"), path, &loss)) return;
  cli_print_note(path, loss.fields, "field has no place in this format", "fields have no place in this format");
  cli_print_note(path, loss.region_names, "name of a region has no place in this format",
                 "names of regions have no place in this format");
  cli_print_note(path, loss.points, "point that no element uses has no place in this format",
                 "points that no element uses have no place in this format");
}

int cli_write_mesh(const cli_call *call, const clv_mesh *mesh, const char *path) {
  clv_error error = {0};
  if (clv_mesh_write(mesh, path, cli_value(call, "format"), &error)) return cli_failed(error.message);
  say_written(mesh, path);
  say_lost(call, mesh, path);
  return CLI_OK;
}
