// The summary for people: a word, what it is, and blank lines between the questions one comes with. See summary.h.

#include "summary.h"
#include "text.h"

#include <inttypes.h>
#include <stdarg.h>

enum { LISTED_REGIONS = 20 }; // the rest are in the JSON

static void put_label(const char *label) {
  printf("%-14s", label);
}

CLV_PRINTF(2, 3) static void put_row(const char *label, const char *format, ...) {
  put_label(label);
  va_list arguments;
  va_start(arguments, format);
  vprintf(format, arguments);
  va_end(arguments);
  putchar('\n');
}

// A row that is there only when there is something to count.
static void put_count(const char *label, uint64_t count, const char *one, const char *many) {
  if (count) put_row(label, "%s", cli_counted(count, one, many).text);
}

static void put_left_out(const cli_summary *summary) {
  if (!summary->body->report.left_out) return;
  uint64_t kinds[CLV_KIND_COUNT] = {0};
  for (int kind = CLV_NONE + 1; kind < CLV_KIND_COUNT; kind++) {
    if (clv_kind_dimension((clv_kind)kind) < summary->dimension) kinds[kind] = summary->element_kinds[kind];
  }
  put_label("left out");
  cli_print_kinds(kinds);
  printf(": elements of a lower dimension are no cells\n");
}

static void put_file(const cli_summary *summary) {
  const cli_body *body = summary->body;
  put_label("file");
  cli_print_name(body->path);
  putchar('\n');
  put_row("points", "%s", cli_grouped(body->mesh.point_count).text);
  put_row("elements", "%s", cli_grouped(body->mesh.element_count).text);
  put_left_out(summary);
  put_count("reduced", body->mesh.reduced_elements, "second-order element, to its corners",
            "second-order elements, to their corners");
  put_count("unused", body->report.unused_points, "point that no cell uses", "points that no cell uses");
  put_count("merged", body->report.merged_points, "point, equal to another", "points, equal to others");
}

static void put_cells(const cli_summary *summary) {
  const int top = summary->dimension;
  for (int i = 0; i < top; i++) put_row(cli_cell_names(i), "%s", cli_grouped(summary->map.cells[i]).text);
  put_label(cli_cell_names(top));
  fputs(cli_grouped(summary->map.cells[top]).text, stdout);
  if (summary->map.cells[top]) {
    fputs(" (", stdout);
    cli_print_kinds(summary->map.kinds);
    putchar(')');
  }
  putchar('\n');
}

static void put_topology(const cli_summary *summary) {
  const clv_map_info *map = &summary->map;
  const clv_build_report *report = &summary->body->report;
  const int facet = summary->dimension - 1;
  put_row("components", "%s", cli_grouped(map->components).text);
  put_row("Euler", "%" PRId64, map->euler);
  if (map->boundary_facets) {
    put_row("boundary", "%s", cli_counted(map->boundary_facets, cli_cell_name(facet), cli_cell_names(facet)).text);
  } else {
    put_row("boundary", "none: closed");
  }
  put_row("orientation", "%s", map->orientable ? "orientable" : "not orientable");
  put_count("turned", report->turned, "inverted element", "inverted elements");
  put_count("parted", report->parted_vertices, "vertex added where cells only touch",
            "vertices added where cells only touch");
}

static void put_measures(const cli_summary *summary) {
  const cli_measures *m = &summary->measures;
  if (m->boxed) {
    put_row("box", "%g %g %g to %g %g %g", m->low[0], m->low[1], m->low[2], m->high[0], m->high[1], m->high[2]);
  }
  put_row(summary->dimension == 3 ? "volume" : "area", "%g", m->total);
  if (m->rated) {
    put_row("quality", "%.3g to %.3g, mean %.3g (scaled Jacobian; 1 is ideal)", m->least, m->most, m->mean);
  } else if (summary->map.cells[summary->dimension]) {
    put_row("quality", "not known of polygons and polyhedra");
  }
  put_count("bad", m->bad, "element of quality 0 or less", "elements of quality 0 or less");
}

static void put_region(const cli_region *region) {
  static const char *const places[] = {"point", "line", "surface", "volume"};
  const char *place = region->dimension >= 0 && region->dimension <= 3 ? places[region->dimension] : "";
  printf("  %-8s %4" PRId32 "  %10s", place, region->tag, cli_grouped(region->elements).text);
  if (region->name) {
    printf("  ");
    cli_print_name(region->name);
  }
  putchar('\n');
}

static void put_regions(const cli_regions *regions) {
  if (!regions->count) return;
  printf("\nregions\n");
  for (size_t r = 0; r < regions->count && r < LISTED_REGIONS; r++) put_region(&regions->list[r]);
  if (regions->count > LISTED_REGIONS) {
    printf("  and %s more; --json lists all\n", cli_grouped(regions->count - LISTED_REGIONS).text);
  }
}

static void put_fields(const clv_mesh *mesh) {
  if (!mesh->field_count) return;
  printf("\nfields\n");
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *field = &mesh->fields[f];
    printf("  on %-8s  %s  ", field->place == CLV_ON_POINTS ? "points" : "elements",
           cli_counted(field->components, "component ", "components").text);
    cli_print_name(field->name);
    putchar('\n');
  }
}

static void put_bytes(const char *label, size_t bytes, uint64_t cells) {
  if (cells) {
    put_row(label, "%s bytes, %.1f a cell", cli_grouped(bytes).text, (double)bytes / (double)cells);
  } else {
    put_row(label, "%s bytes", cli_grouped(bytes).text);
  }
}

void cli_summary_print_text(const cli_summary *summary) {
  const uint64_t cells = summary->map.cells[summary->dimension];
  put_file(summary);
  putchar('\n');
  put_cells(summary);
  putchar('\n');
  put_topology(summary);
  putchar('\n');
  put_measures(summary);
  put_regions(&summary->regions);
  put_fields(&summary->body->mesh);
  putchar('\n');
  put_bytes("map", summary->map_bytes, cells);
  put_bytes("columns", summary->column_bytes, cells);
}
