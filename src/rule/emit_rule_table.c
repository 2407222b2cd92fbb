#include "rule/emit_rule_table.h"

bool rule_table_applies(const rule_graph *graph, uint32_t dimension) {
  for (uint32_t h = 0; h < graph->hook_count; h++)
    for (uint32_t e = 0; e < graph->columns; e++) {
      const rule_letter letter = graph->hook_word[h][e];
      const bool absent = graph->hook_word[0][e].dim > (int32_t)dimension;
      if (absent != (letter.dim > (int32_t)dimension)) return false;
      if (!absent && (letter.level >= 0 || letter.dim == (int32_t)dimension)) return false;
    }
  return true;
}

static bool is_inner_arc(rule_tie tie, uint32_t i, uint32_t dimension) {
  return tie.known == RULE_ARC_TO && rule_tie_is_link(tie) && i < dimension;
}

// Nodes that arcs below the map's own dimension join to a hook.
static void find_inside(rule_table *table, const rule_graph *graph) {
  for (uint32_t h = 0; h < graph->hook_count; h++) table->inside[graph->hook[h]] = true;
  for (bool grows = true; grows;) {
    grows = false;
    for (uint32_t v = 0; v < graph->node_count; v++)
      for (uint32_t i = 0; i < table->dimension; i++) {
        const rule_tie tie = graph->node[v].side[RULE_LEFT].tie[i];
        if (table->inside[v] || !graph->node[v].side[RULE_LEFT].present) continue;
        if (!is_inner_arc(tie, i, table->dimension) || !table->inside[tie.at]) continue;
        table->inside[v] = grows = true;
      }
  }
}

// The part of a rule that lies in the cell of one hook, as a rule of its own.
static void cut_out(const rule_table *table, const rule_graph *graph, uint32_t hook, rule_graph *part) {
  *part = *graph;
  part->hook_count = 1;
  part->hook[0] = graph->hook[hook];
  memcpy(part->hook_word[0], graph->hook_word[hook], sizeof part->hook_word[0]);
  part->guards = NULL;
  part->value_count = 0;
  part->piece_count = 0;
  for (uint32_t v = 0; v < graph->node_count; v++) {
    rule_side *left = &part->node[v].side[RULE_LEFT];
    left->present = left->present && table->inside[v] && graph->node[v].component == (int8_t)hook;
    for (uint32_t i = 0; i < RULE_DIMS; i++) {
      const bool kept = left->present && i < table->dimension && rule_tie_is_link(left->tie[i]) &&
                        (left->tie[i].known == RULE_ALONG || left->tie[i].known == RULE_ARC_TO);
      if (!kept) left->tie[i].known = RULE_UNKNOWN;
    }
  }
}

static bool add_shape(rule_table *table, const apply_match *match, uint8_t *number) {
  table_shape shape = {.count = match->count, .columns = match->columns};
  memcpy(shape.across, match->across.data, (size_t)match->count * match->columns * sizeof *shape.across);
  for (uint32_t k = 0; k < table->shapes.count; k++) {
    *number = (uint8_t)k;
    if (memcmp(&table->shapes.data[k], &shape, sizeof shape) == 0) return true;
  }
  if (table->shapes.count >= TABLE_ROWS) return false;
  if (!BASE_RESERVE(&table->allocator, &table->shapes, table->shapes.count + 1u)) {
    table->no_memory = true;
    return false;
  }
  *number = (uint8_t)table->shapes.count;
  table->shapes.data[table->shapes.count++] = shape;
  return true;
}

static void add_row(rule_table *table, const rule_graph *graph, uint32_t hook, const apply_match *match,
                    uint8_t *start) {
  table_row row = {.count = (uint8_t)match->count};
  const size_t places = (size_t)match->count * graph->node_count;
  if (table->rows[hook].count >= TABLE_ROWS || !add_shape(table, match, &row.shape)) return;
  row.darts = base_allocate(&table->allocator, places);
  if (!row.darts || !BASE_RESERVE(&table->allocator, &table->rows[hook], table->rows[hook].count + 1u)) {
    base_free(&table->allocator, row.darts, places);
    table->no_memory = true;
    return;
  }
  for (size_t k = 0; k < places; k++) row.darts[k] = match->darts.data[k] & 63u;
  table->rows[hook].data[table->rows[hook].count++] = row;
  *start = (uint8_t)table->rows[hook].count;
}

// Matches the part at every dart of a lone cell.
static void try_cell(rule_table *table, const clv_program *program, const rule_graph *graph, const rule_graph *part,
                     uint32_t hook, clv_map *lone, clv_dart cell) {
  const clv_kind kind = clv_cell_kind(lone, cell);
  for (uint32_t l = 0; l < clv_templates[kind].dart_count; l++) {
    apply_run run = {.program = program, .m = map_of(lone), .name = graph->name, .budget = UINT32_MAX};
    apply_match match = {.run = &run, .graph = part};
    const clv_dart dart = cell | l;
    if (apply_match_left(&match, &dart))
      add_row(table, graph, hook, &match, &table->start[hook][kind][l]);
    else if (run.result == CLV_ERROR_MEMORY)
      table->no_memory = true;
    apply_match_free(&match);
    apply_run_free(&run);
  }
}

static void try_cells(rule_table *table, const clv_program *program, const rule_graph *graph, clv_map *lone) {
  for (uint32_t h = 0; h < graph->hook_count; h++) {
    rule_graph part;
    cut_out(table, graph, h, &part);
    for (int kind = CLV_TEMPLATE_FIRST; kind <= CLV_TEMPLATE_LAST && !table->no_memory; kind++) {
      clv_dart cell;
      if (clv_kind_dimension((clv_kind)kind) != (int)table->dimension) continue;
      if (clv_map_begin(lone) != CLV_OK || clv_map_add_cell(lone, (clv_kind)kind, &cell) != CLV_OK)
        table->no_memory = true;
      else
        try_cell(table, program, graph, &part, h, lone, cell);
      clv_map_rollback(lone);
    }
  }
}

bool rule_table_make(rule_table *table, const clv_program *program, const rule_graph *graph, uint32_t dimension,
                     const clv_allocator *allocator) {
  *table = (rule_table){.allocator = *allocator, .dimension = dimension};
  if (!rule_table_applies(graph, dimension)) return true;
  find_inside(table, graph);
  clv_map_def def = clv_default_map_def();
  def.dimension = dimension;
  def.allocator = *allocator;
  clv_map *lone = clv_map_create(&def, NULL);
  if (!lone) return false;
  try_cells(table, program, graph, lone);
  clv_map_destroy(lone);
  return !table->no_memory;
}

void rule_table_free(rule_table *table, const rule_graph *graph) {
  for (uint32_t h = 0; h < graph->hook_count; h++) {
    for (uint32_t k = 0; k < table->rows[h].count; k++) {
      const table_row *row = &table->rows[h].data[k];
      base_free(&table->allocator, row->darts, (size_t)row->count * graph->node_count);
    }
    BASE_RELEASE(&table->allocator, &table->rows[h]);
  }
  BASE_RELEASE(&table->allocator, &table->shapes);
}
