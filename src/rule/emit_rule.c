#include "rule/emit_rule.h"

#include "rule/apply_plan.h"
#include "rule/emit_rule_table.h"

enum { BLOCK_DARTS = 64 }; // a dart that is no template's may be any of its block

// What is written for one dimension.
typedef struct writer {
  emit_text *text;
  const clv_program *program;
  const rule_graph *graph;
  uint32_t n; // the map's dimension
  int16_t column[RULE_LETTERS];
  uint8_t entry[RULE_LETTERS];
  uint32_t columns;
  bool tables;
  rule_table table;
} writer;

// Tables

static void put_shapes(const writer *w) {
  for (uint32_t k = 0; k < w->table.shapes.count; k++) {
    const table_shape *shape = &w->table.shapes.data[k];
    emit_add(w->text, "static const machine_u8 CLV_RULE(across%u_%u)[] = {", w->n, k);
    for (uint32_t e = 0; e < shape->count * shape->columns; e++) emit_add(w->text, "%u,", shape->across[e]);
    emit_add(w->text, "0};\n");
  }
  emit_add(w->text, "static const machine_u8 *const CLV_RULE(shape%u)[] = {", w->n);
  for (uint32_t k = 0; k < w->table.shapes.count; k++) emit_add(w->text, "CLV_RULE(across%u_%u),", w->n, k);
  emit_add(w->text, "0};\n");
}

// Darts of the nodes that lie inside, in order of node, position by position.
static void put_row(const writer *w, uint32_t hook, const table_row *row) {
  const rule_graph *graph = w->graph;
  emit_add(w->text, "{%u,%u,{", row->count, row->shape);
  for (uint32_t p = 0; p < row->count; p++)
    for (uint32_t v = 0; v < graph->node_count; v++)
      if (w->table.inside[v] && graph->node[v].component == (int8_t)hook)
        emit_add(w->text, "%u,", row->darts[p * graph->node_count + v]);
  emit_add(w->text, "}},\n");
}

static uint32_t inside_count(const writer *w, uint32_t hook) {
  uint32_t count = 0;
  for (uint32_t v = 0; v < w->graph->node_count; v++)
    count += w->table.inside[v] && w->graph->node[v].component == (int8_t)hook;
  return count;
}

static void put_hook_table(const writer *w, uint32_t hook) {
  uint32_t longest = 1;
  for (uint32_t k = 0; k < w->table.rows[hook].count; k++)
    if (w->table.rows[hook].data[k].count > longest) longest = w->table.rows[hook].data[k].count;
  emit_add(w->text, "static const struct { machine_u8 count, shape, darts[%u]; } CLV_RULE(row%u_%u)[] = {\n",
           longest * inside_count(w, hook), w->n, hook);
  for (uint32_t k = 0; k < w->table.rows[hook].count; k++) put_row(w, hook, &w->table.rows[hook].data[k]);
  emit_add(w->text, "{0,0,{0}}};\nstatic const machine_u8 CLV_RULE(start%u_%u)[%u][%u] = {\n", w->n, hook,
           CLV_TEMPLATE_LAST + 1, BLOCK_DARTS);
  for (uint32_t kind = 0; kind <= CLV_TEMPLATE_LAST; kind++) {
    emit_add(w->text, "{");
    for (uint32_t l = 0; l < CLV_TEMPLATE_DARTS; l++) emit_add(w->text, "%u,", w->table.start[hook][kind][l]);
    emit_add(w->text, "},\n");
  }
  emit_add(w->text, "};\n");
}

// Looks the hooks up; `inside` becomes 1 when all of them lie in plain cells, in the same way.
static void put_look_up(const writer *w) {
  const rule_graph *graph = w->graph;
  for (uint32_t h = 0; h < graph->hook_count; h++)
    emit_add(w->text, "  const machine_u32 row%u = CLV_RULE(start%u_%u)[m->kinds[%u]][m->hooks[%u] & 63u];\n", h, w->n,
             h, h, h);
  emit_add(w->text, "  if (row0");
  for (uint32_t h = 1; h < graph->hook_count; h++)
    emit_add(w->text, " && row%u && CLV_RULE(row%u_0)[row0 - 1].shape == CLV_RULE(row%u_%u)[row%u - 1].shape", h, w->n,
             w->n, h, h);
  emit_add(w->text,
           ") {\n    const machine_u32 count = CLV_RULE(row%u_0)[row0 - 1].count;\n"
           "    const machine_u8 *across = CLV_RULE(shape%u)[CLV_RULE(row%u_0)[row0 - 1].shape];\n"
           "    if (!m->room(m, count)) return 0;\n"
           "    for (machine_u32 k = 0; k < count * %uu; k++) m->across[k] = across[k];\n"
           "    for (machine_u32 p = 0; p < count; p++) {\n      machine_u32 *d = m->darts + p * %uu;\n",
           w->n, w->n, w->n, w->columns, graph->node_count);
  for (uint32_t h = 0; h < graph->hook_count; h++) {
    const uint32_t inside = inside_count(w, h);
    uint32_t at = 0;
    for (uint32_t v = 0; v < graph->node_count; v++)
      if (w->table.inside[v] && graph->node[v].component == (int8_t)h)
        emit_add(w->text, "      d[%u] = (m->hooks[%u] & ~63u) | CLV_RULE(row%u_%u)[row%u - 1].darts[p * %uu + %u];\n",
                 v, h, w->n, h, h, inside, at++);
  }
  emit_add(w->text, "    }\n    inside = 1;\n  }\n");
}

// Matching

// Puts `next = ` the end of one step from d[v].
static void put_step(const writer *w, uint32_t v, rule_letter letter, uint32_t i) {
  if (letter.level < 0)
    emit_add(w->text, "next = m->alpha(m, d[%u], %u);\n", v, i);
  else
    emit_add(w->text, "if (!m->level(m, d[%u], m->numbers[%u] + %d, &next)) return 0;\n", v, (unsigned)letter.level,
             letter.plus);
}

static bool is_sure(const writer *w, uint32_t v) {
  return w->graph->node[v].piece == 0;
}

static void put_reach(const writer *w, const apply_reach *reach) {
  if (w->tables && w->table.inside[reach->node]) emit_add(w->text, "    if (!inside)");
  emit_add(w->text, "    {\n");
  if (!is_sure(w, reach->from)) emit_add(w->text, "      if (d[%u])\n", reach->from);
  emit_add(w->text, "      { machine_u32 next; ");
  put_step(w, reach->from, reach->letter, reach->dim);
  if (reach->optional)
    emit_add(w->text, "      d[%u] = next == d[%u] ? 0 : next; }\n    }\n", reach->node, reach->from);
  else
    emit_add(w->text, "      d[%u] = next; }\n    }\n", reach->node);
}

// The dart that a tie says link i of d[v] leads to.
static void put_target(const writer *w, uint32_t v, rule_tie tie) {
  const int32_t column = tie.known == RULE_ALONG ? w->column[tie.at] : -1;
  if (column >= 0)
    emit_add(w->text, "m->darts[m->across[p * %uu + %d] * %uu + %u]", w->columns, column, w->graph->node_count, v);
  else
    emit_add(w->text, "d[%u]", tie.known == RULE_ALONG ? v : tie.at);
}

static void put_test(const writer *w, uint32_t v, uint32_t i) {
  const rule_tie tie = w->graph->node[v].side[RULE_LEFT].tie[i];
  const bool shown = w->tables && w->table.inside[v] && i < w->n && rule_tie_is_link(tie) &&
                     (tie.known == RULE_ALONG || (tie.known == RULE_ARC_TO && w->table.inside[tie.at]));
  emit_add(w->text, "    if (%s%s", shown ? "!inside" : "1", is_sure(w, v) ? "" : " && ");
  if (!is_sure(w, v)) emit_add(w->text, "d[%u]", v);
  emit_add(w->text, ") {\n      machine_u32 next; ");
  put_step(w, v, tie.letter, i);
  emit_add(w->text, "      if (next != ");
  put_target(w, v, tie);
  if (tie.known == RULE_PERHAPS) emit_add(w->text, " && next != d[%u]", v);
  emit_add(w->text, ") return m->mismatch(m, p, %u, %u);\n    }\n", v, i);
}

static void put_match(const writer *w) {
  const rule_graph *graph = w->graph;
  apply_reach reaches[RULE_NODES];
  const uint32_t count = apply_plan_reaches(graph, w->n, reaches);
  emit_add(w->text, "static int CLV_RULE(match%u)(machine *m) {\n  int inside = 0;\n", w->n);
  if (w->tables) put_look_up(w);
  emit_add(w->text, "  if (!inside && !m->walk(m)) return 0;\n");
  emit_add(w->text,
           "  for (machine_u32 p = 0; p < m->count; p++) {\n    machine_u32 *d = m->darts + p * %uu; (void)d;\n",
           graph->node_count);
  for (uint32_t k = 0; k < count; k++) put_reach(w, &reaches[k]);
  emit_add(w->text,
           "  }\n  for (machine_u32 p = 0; p < m->count; p++) {\n"
           "    const machine_u32 *d = m->darts + p * %uu; (void)d;\n",
           graph->node_count);
  for (uint32_t v = 0; v < graph->node_count; v++)
    for (uint32_t i = 0; graph->node[v].side[RULE_LEFT].present && i <= w->n; i++)
      if (graph->node[v].side[RULE_LEFT].tie[i].known != RULE_UNKNOWN) put_test(w, v, i);
  emit_add(w->text, "  }\n  return m->differ(m);\n}\n\n");
}

// Guards

// A left node, or steps from one; text only when `put`. False for anything else.
static bool put_dart(const writer *w, const rule_tree *tree, bool put) {
  if (tree->kind == RULE_STEP) {
    const rule_tree *letter = tree->child[1];
    if (rule_there(letter->child[0])) return false;
    if (put) emit_add(w->text, "m->alpha(m, ");
    const bool done = put_dart(w, tree->child[0], put);
    if (put) emit_add(w->text, ", %d)", (int)letter->number);
    return done;
  }
  if (tree->kind != RULE_NAME) return false;
  for (uint32_t v = 0; v < w->graph->node_count; v++) {
    const rule_node *node = &w->graph->node[v];
    if (node->name != tree->name || !node->side[RULE_LEFT].present || node->piece) continue;
    if (put) emit_add(w->text, "d[%u]", v);
    return true;
  }
  return false;
}

static bool is_call(const rule_tree *tree, const char *name, uint32_t count) {
  return tree->kind == RULE_CALL && strcmp(tree->name, name) == 0 && tree->count == count;
}

// side(d) on both sides of == or !=, or darts.
static bool put_comparison(const writer *w, const rule_tree *tree, bool put) {
  const bool equal = strcmp(tree->name, "==") == 0;
  if (!equal && strcmp(tree->name, "!=") != 0) return false;
  const bool sides = is_call(tree->child[0], "side", 1) && is_call(tree->child[1], "side", 1);
  for (uint32_t k = 0; k < 2; k++) {
    if (put) emit_add(w->text, "%s%s", k == 0 ? "(" : equal ? " == " : " != ", sides ? "m->side(m, " : "");
    if (!put_dart(w, sides ? tree->child[k]->child[0] : tree->child[k], put)) return false;
    if (put && sides) emit_add(w->text, ")");
  }
  if (put) emit_add(w->text, ")");
  return true;
}

static bool put_free(const writer *w, const rule_tree *tree, bool put) {
  const rule_tree *dart = tree->child[0], *number = tree->child[1];
  if (number->kind != RULE_NUMBER || !(number->number >= 0 && number->number <= 3)) return false;
  const unsigned i = (unsigned)number->number;
  if (put) emit_add(w->text, "(m->alpha(m, ");
  if (!put_dart(w, dart, put)) return false;
  if (put) emit_add(w->text, ", %u) == ", i);
  put_dart(w, dart, put);
  if (put) emit_add(w->text, ")");
  return true;
}

// A condition over darts, as C; text only when `put`. The parser has bounded its depth.
static bool put_condition(const writer *w, const rule_tree *tree, bool put) {
  if (is_call(tree, "free", 2)) return put_free(w, tree, put);
  if (tree->kind == RULE_UNARY && strcmp(tree->name, "!") == 0) {
    if (put) emit_add(w->text, "!");
    return put_condition(w, tree->child[0], put);
  }
  if (tree->kind != RULE_BINARY) return false;
  const bool both = strcmp(tree->name, "&&") == 0, either = strcmp(tree->name, "||") == 0;
  if (!both && !either) return put_comparison(w, tree, put);
  if (put) emit_add(w->text, "(");
  if (!put_condition(w, tree->child[0], put)) return false;
  if (put) emit_add(w->text, both ? " && " : " || ");
  if (!put_condition(w, tree->child[1], put)) return false;
  if (put) emit_add(w->text, ")");
  return true;
}

// b in <0,1>(a), of plain letters.
static bool put_within(const writer *w, const rule_tree *tree, bool put) {
  if (tree->kind != RULE_IN) return false;
  const rule_tree *orbit = tree->child[1]->child[0];
  unsigned dims = 0;
  for (uint32_t k = 0; k < orbit->count; k++) {
    const rule_tree *letter = orbit->child[k];
    if (letter->kind != RULE_LETTER || letter->number < 0 || rule_there(letter->child[0])) return false;
    dims |= 1u << (unsigned)letter->number;
  }
  if (put) emit_add(w->text, "m->within(m, %u, ", dims);
  if (!put_dart(w, tree->child[1]->child[1], put)) return false;
  if (put) emit_add(w->text, ", ");
  if (!put_dart(w, tree->child[0], put)) return false;
  if (put) emit_add(w->text, ")");
  return true;
}

static void put_guard(const writer *w, uint32_t k) {
  const rule_tree *tree = w->graph->guards->child[k];
  emit_add(w->text, "  holds = ");
  if (put_condition(w, tree, false))
    put_condition(w, tree, true);
  else if (put_within(w, tree, false))
    put_within(w, tree, true);
  else
    emit_add(w->text, "m->guard(m, %u)", k);
  emit_add(w->text, ";\n  if (holds <= 0) return holds < 0 ? 0 : m->refuse(m, %u);\n", k);
}

static void put_guards(const writer *w) {
  const rule_tree *guards = w->graph->guards;
  emit_add(w->text,
           "static int CLV_RULE(guard%u)(machine *m) {\n"
           "  const machine_u32 *d = m->darts;\n  int holds = 1;\n  (void)d;\n",
           w->n);
  for (uint32_t k = 0; guards && k < guards->count; k++) put_guard(w, k);
  emit_add(w->text, "  return holds;\n}\n\n");
}

// Writing

static void begin_loop(const writer *w) {
  emit_add(w->text,
           "  for (machine_u32 p = 0; p < m->count; p++) {\n    machine_u32 *d = m->darts + p * %uu; (void)d;\n",
           w->graph->node_count);
}

static void put_if_there(const writer *w, uint32_t v) {
  emit_add(w->text, "    if (");
  if (!is_sure(w, v)) emit_add(w->text, "d[%u] && ", v);
}

static void put_extends(const writer *w) {
  begin_loop(w);
  for (uint32_t v = 0; v < w->graph->node_count; v++) {
    const rule_node *node = &w->graph->node[v];
    const bool leaves = rule_node_deleted(node);
    if (!leaves && !(rule_node_kept(node) && apply_changes_inside(node, w->n))) continue;
    put_if_there(w, v);
    emit_add(w->text, "!m->%s(m, d[%u])) return 0;\n", leaves ? "leave" : "extend", v);
  }
  emit_add(w->text, "  }\n");
}

static void put_adds(const writer *w) {
  apply_descent descents[RULE_NODES];
  const uint32_t count = apply_plan_descents(w->graph, descents);
  begin_loop(w);
  for (uint32_t k = 0; k < count; k++) {
    const uint32_t hook = w->graph->hook[0], v = descents[k].node;
    if (descents[k].from < 0)
      emit_add(w->text, "    if (!m->add(m, m->side(m, d[%u]), &d[%u])) return 0;\n", hook, v);
    else if (is_sure(w, (uint32_t)descents[k].from))
      emit_add(w->text, "    if (!m->add(m, m->side(m, d[%d]) ^ 1u, &d[%u])) return 0;\n", descents[k].from, v);
    else
      emit_add(w->text, "    if (!m->add(m, d[%d] ? m->side(m, d[%d]) ^ 1u : m->side(m, d[%u]), &d[%u])) return 0;\n",
               descents[k].from, descents[k].from, hook, v);
  }
  emit_add(w->text, "  }\n");
}

// An arc into a node that is not there leads nowhere.
static void put_link_target(const writer *w, uint32_t v, rule_tie tie) {
  emit_add(w->text, "const machine_u32 other = ");
  put_target(w, v, tie);
  emit_add(w->text, "; ");
}

static void put_links(const writer *w, bool test) {
  begin_loop(w);
  for (uint32_t v = 0; v < w->graph->node_count; v++) {
    const rule_node *node = &w->graph->node[v];
    for (uint32_t i = test ? w->n : 0; node->side[RULE_RIGHT].present && i <= w->n; i++) {
      if (!apply_tie_changes(node, i)) continue;
      if (is_sure(w, v) || rule_node_created(node))
        emit_add(w->text, "    { ");
      else
        emit_add(w->text, "    if (d[%u]) { ", v);
      put_link_target(w, v, node->side[RULE_RIGHT].tie[i]);
      if (test)
        emit_add(w->text, "if (m->alpha(m, d[%u], %u) != (other ? other : d[%u])) return m->torn(m, d[%u], %u); }\n", v,
                 i, v, v, i);
      else
        emit_add(w->text, "if (!m->link(m, d[%u], %u, other ? other : d[%u])) return 0; }\n", v, i, v);
    }
  }
  emit_add(w->text, "  }\n");
}

static void put_drops(const writer *w) {
  begin_loop(w);
  for (uint32_t v = 0; v < w->graph->node_count; v++) {
    if (!rule_node_deleted(&w->graph->node[v])) continue;
    put_if_there(w, v);
    emit_add(w->text, "!m->drop(m, d[%u])) return 0;\n", v);
  }
  emit_add(w->text, "  }\n");
}

static void put_write(const writer *w) {
  emit_add(w->text, "static int CLV_RULE(write%u)(machine *m) {\n", w->n);
  put_extends(w);
  put_adds(w);
  put_links(w, false);
  put_links(w, true);
  put_drops(w);
  emit_add(w->text, "  return 1;\n}\n\n");
}

static bool put_dimension(emit_text *text, const clv_program *program, const rule_graph *graph, uint32_t n) {
  writer w = {.text = text, .program = program, .graph = graph, .n = n};
  w.columns = apply_plan_columns(graph, n, w.column, w.entry);
  w.tables = rule_table_applies(graph, n);
  bool done = rule_table_make(&w.table, program, graph, n, &text->allocator);
  if (done) {
    if (w.tables) put_shapes(&w);
    for (uint32_t h = 0; w.tables && h < graph->hook_count; h++) put_hook_table(&w, h);
    put_match(&w);
    put_guards(&w);
    put_write(&w);
  }
  rule_table_free(&w.table, graph);
  return done;
}

bool emit_rule(emit_text *text, const clv_program *program, const rule_graph *graph) {
  bool done = true;
  for (uint32_t n = 2; n <= 3 && done; n++)
    if (rule_graph_serves(graph, n)) done = put_dimension(text, program, graph, n);
  emit_add(text, "const machine_code CLV_RULE(code) = {");
  static const char *const parts[] = {"match", "guard", "write"};
  for (uint32_t k = 0; k < 3; k++) {
    emit_add(text, "%s{", k ? "," : "");
    for (uint32_t n = 2; n <= 3; n++) {
      if (rule_graph_serves(graph, n))
        emit_add(text, "CLV_RULE(%s%u),", parts[k], n);
      else
        emit_add(text, "0,");
    }
    emit_add(text, "}");
  }
  emit_add(text, "};\n");
  return done && !text->no_memory;
}
