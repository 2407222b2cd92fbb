// The summary for programs. Members are added, never renamed or left out. See summary.h.

#include "json.h"
#include "summary.h"
#include "text.h"

static void put_kinds(cli_json *json, const char *name, const uint64_t kinds[CLV_KIND_COUNT]) {
  cli_json_open(json, name, '{');
  for (int kind = CLV_NONE + 1; kind < CLV_KIND_COUNT; kind++) {
    cli_json_count(json, clv_kind_name((clv_kind)kind), kinds[kind]);
  }
  cli_json_close(json, '}');
}

static void put_file(cli_json *json, const cli_summary *summary) {
  const clv_mesh *mesh = &summary->body->mesh;
  cli_json_text(json, "file", summary->body->path);
  cli_json_count(json, "points", mesh->point_count);
  cli_json_count(json, "elements", mesh->element_count);
  put_kinds(json, "element_kinds", summary->element_kinds);
  cli_json_count(json, "reduced_elements", mesh->reduced_elements);
}

static void put_build(cli_json *json, const clv_build_report *report) {
  cli_json_open(json, "build", '{');
  cli_json_count(json, "cells", report->cells);
  cli_json_count(json, "left_out", report->left_out);
  cli_json_count(json, "turned", report->turned);
  cli_json_count(json, "merged_points", report->merged_points);
  cli_json_count(json, "unused_points", report->unused_points);
  cli_json_count(json, "parted_vertices", report->parted_vertices);
  cli_json_close(json, '}');
}

static void put_map(cli_json *json, const cli_summary *summary) {
  const clv_map_info *map = &summary->map;
  cli_json_integer(json, "dimension", summary->dimension);
  cli_json_open(json, "cells", '{');
  for (int i = 0; i <= summary->dimension; i++) cli_json_count(json, cli_cell_names(i), map->cells[i]);
  cli_json_close(json, '}');
  put_kinds(json, "cell_kinds", map->kinds);
  cli_json_count(json, "darts", map->darts);
  cli_json_count(json, "components", map->components);
  cli_json_integer(json, "euler", map->euler);
  cli_json_count(json, "boundary_facets", map->boundary_facets);
  cli_json_bool(json, "closed", map->boundary_facets == 0);
  cli_json_bool(json, "orientable", map->orientable);
}

static void put_vector(cli_json *json, const char *name, const double vector[3]) {
  cli_json_open(json, name, '[');
  for (int axis = 0; axis < 3; axis++) cli_json_real(json, NULL, vector[axis]);
  cli_json_close(json, ']');
}

static void put_measures(cli_json *json, const cli_summary *summary) {
  const cli_measures *measures = &summary->measures;
  if (measures->boxed) {
    cli_json_open(json, "box", '{');
    put_vector(json, "low", measures->low);
    put_vector(json, "high", measures->high);
    cli_json_close(json, '}');
  } else {
    cli_json_null(json, "box");
  }
  cli_json_real(json, "size", measures->total);
  if (measures->rated) {
    cli_json_open(json, "quality", '{');
    cli_json_real(json, "least", measures->least);
    cli_json_real(json, "mean", measures->mean);
    cli_json_real(json, "most", measures->most);
    cli_json_count(json, "rated", measures->rated);
    cli_json_count(json, "bad", measures->bad);
    cli_json_close(json, '}');
  } else {
    cli_json_null(json, "quality");
  }
}

static void put_regions(cli_json *json, const cli_regions *regions) {
  cli_json_open(json, "regions", '[');
  for (size_t r = 0; r < regions->count; r++) {
    const cli_region *region = &regions->list[r];
    cli_json_open(json, NULL, '{');
    cli_json_integer(json, "dimension", region->dimension);
    cli_json_integer(json, "tag", region->tag);
    if (region->name) {
      cli_json_text(json, "name", region->name);
    } else {
      cli_json_null(json, "name");
    }
    cli_json_count(json, "elements", region->elements);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

static void put_fields(cli_json *json, const clv_mesh *mesh) {
  cli_json_open(json, "fields", '[');
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *field = &mesh->fields[f];
    cli_json_open(json, NULL, '{');
    cli_json_text(json, "name", field->name);
    cli_json_text(json, "on", field->place == CLV_ON_POINTS ? "points" : "elements");
    cli_json_count(json, "components", field->components);
    cli_json_close(json, '}');
  }
  cli_json_close(json, ']');
}

static void put_bytes(cli_json *json, const cli_summary *summary) {
  cli_json_open(json, "bytes", '{');
  cli_json_count(json, "map", summary->map_bytes);
  cli_json_count(json, "columns", summary->column_bytes);
  cli_json_close(json, '}');
}

void cli_summary_print_json(const cli_summary *summary) {
  cli_json json = {.stream = stdout};
  cli_json_open(&json, NULL, '{');
  put_file(&json, summary);
  put_build(&json, &summary->body->report);
  put_map(&json, summary);
  put_measures(&json, summary);
  put_regions(&json, &summary->regions);
  put_fields(&json, &summary->body->mesh);
  put_bytes(&json, summary);
  cli_json_close(&json, '}');
}
