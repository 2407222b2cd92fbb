// The picture of a topological rule: its head, the left and the right graph, an arrow between them, the values it
// gives.

#include "rule/explain.h"

#include <stdio.h>

enum { LEGEND = 400, LINE = 18, ARROW = 70, EDGE = 18, WIDEST_ROW = 1100, LONGEST_LINE = 118, MONO = 8 };

// From graph to diagram

static void level_text(const rule_graph *graph, rule_letter letter, char *text, size_t size) {
  text[0] = '\0';
  if (letter.level < 0) return;
  const char *name = graph->parameter[letter.level].name;
  if (letter.plus)
    snprintf(text, size, "%.8s%+d", name, letter.plus);
  else
    snprintf(text, size, "%.8s", name);
}

static void set_label(const rule_graph *graph, const rule_letter *word, draw_label *label) {
  label->brackets = true;
  for (uint32_t k = 0; k < graph->columns; k++) {
    draw_letter *letter = &label->letter[label->count++];
    letter->dim = word[k].dim < 0 ? DRAW_PLAIN : (uint8_t)word[k].dim;
    snprintf(letter->base, sizeof letter->base, word[k].dim < 0 ? "_" : "%d", word[k].dim);
    level_text(graph, word[k], letter->above, sizeof letter->above);
  }
}

static void add_node(const rule_graph *graph, uint32_t k, draw_diagram *d) {
  const rule_node *from = &graph->node[k];
  draw_node *node = &d->node[d->node_count++];
  node->name = from->name;
  for (uint32_t side = 0; side < 2; side++) {
    if (!from->side[side].present) continue;
    node->sides |= (uint8_t)(1u << side);
    if (from->hook >= 0) node->look[side] |= DRAW_HOOK;
    if (!from->side[1 - side].present) node->look[side] |= side == RULE_LEFT ? DRAW_DELETED : DRAW_CREATED;
    const bool own = from->side[side].has_word || side == RULE_LEFT;
    set_label(graph, from->side[own ? side : RULE_LEFT].word, &node->label[side]);
  }
}

static draw_arc *find_arc(draw_diagram *d, const draw_arc *wanted) {
  for (uint32_t k = 0; k < d->arc_count; k++) {
    draw_arc *arc = &d->arc[k];
    const bool same_ends =
        (arc->from == wanted->from && arc->to == wanted->to) || (arc->from == wanted->to && arc->to == wanted->from);
    if (same_ends && arc->dim == wanted->dim && arc->optional == wanted->optional &&
        strcmp(arc->level, wanted->level) == 0)
      return arc;
  }
  return NULL;
}

static void add_arc(const rule_graph *graph, uint32_t node, uint32_t side, uint32_t dim, draw_diagram *d) {
  const rule_tie *tie = &graph->node[node].side[side].tie[dim];
  if (tie->known != RULE_ARC_TO && tie->known != RULE_PERHAPS) return;
  draw_arc arc = {.from = (uint8_t)node, .to = tie->at, .dim = (uint8_t)dim, .optional = tie->known == RULE_PERHAPS};
  level_text(graph, tie->letter, arc.level, sizeof arc.level);
  draw_arc *there = find_arc(d, &arc);
  if (!there && d->arc_count < DRAW_ARCS) *(there = &d->arc[d->arc_count++]) = arc;
  if (there) there->sides |= (uint8_t)(1u << side);
}

static void fill_diagram(const rule_graph *graph, draw_diagram *d) {
  d->sides = 2;
  for (uint32_t k = 0; k < graph->node_count; k++) add_node(graph, k, d);
  for (uint32_t side = 0; side < 2; side++)
    for (uint32_t k = 0; k < graph->node_count; k++)
      for (uint32_t dim = 0; dim < RULE_DIMS; dim++)
        if (graph->node[k].side[side].present) add_arc(graph, k, side, dim, d);
}

// Lines of text about it

typedef struct lines {
  const clv_allocator *allocator;
  uint32_t count;
  rule_text line[8];
} lines;

static rule_text *new_line(lines *l) {
  if (l->count == 8) return NULL;
  l->line[l->count] = (rule_text){.allocator = *l->allocator};
  return &l->line[l->count++];
}

static void head_lines(const clv_program *program, const rule_graph *graph, lines *l) {
  const rule_tree *tree = graph->tree;
  rule_text *line = new_line(l);
  if (tree->kind == RULE_INVERSE) {
    rule_text_source(line, program, tree->span, LONGEST_LINE);
    return;
  }
  rule_text_print(line, "rule %.60s", graph->name);
  rule_text_source(line, program, tree->child[0]->span, LONGEST_LINE);
  if (tree->child[1]->count == 0) return;
  line = new_line(l);
  rule_text_print(line, "  ");
  rule_text_source(line, program, tree->child[1]->span, LONGEST_LINE);
}

static void value_lines(const clv_program *program, const rule_graph *graph, lines *l) {
  for (uint32_t k = 0; k < graph->value_count; k++) {
    rule_text *line = graph->values[k].tree ? new_line(l) : NULL;
    if (line) rule_text_source(line, program, graph->values[k].tree->span, LONGEST_LINE);
  }
}

static int width_of(const lines *l) {
  int width = 0;
  for (uint32_t k = 0; k < l->count; k++)
    width = (int)l->line[k].bytes.count * MONO > width ? (int)l->line[k].bytes.count * MONO : width;
  return width;
}

static int put_lines(rule_text *out, const lines *l, int top, const char *colour) {
  for (uint32_t k = 0; k < l->count; k++, top += LINE)
    draw_line_of_text(out, EDGE, top + 13, 13, "mono", colour, &l->line[k]);
  return top;
}

static bool free_lines(lines *l) {
  bool no_memory = false;
  for (uint32_t k = 0; k < l->count; k++) {
    no_memory = no_memory || l->line[k].no_memory;
    rule_text_free(&l->line[k]);
  }
  return no_memory;
}

// The picture

static void put_arrow(rule_text *out, int x, int y, bool down) {
  rule_text_print(out,
                  "<path d=\"M-26 0H20\" stroke=\"#5a6270\" stroke-width=\"2.5\" transform=\"translate(%d %d)%s\"/>\n"
                  "<path d=\"M18 -8L32 0L18 8z\" fill=\"#5a6270\" transform=\"translate(%d %d)%s\"/>\n",
                  x, y, down ? " rotate(90)" : "", x, y, down ? " rotate(90)" : "");
}

static int most(int a, int b) {
  return a > b ? a : b;
}

// Side by side both panels show the same rows of the grid, one above the other the same columns: what is kept does not
// move across the arrow.
typedef struct sheet {
  bool stacked;
  int width, height; // of the two panels and the arrow
  int x[2], y[2];    // where the grids' corners are, from the sheet's
  int arrow_x, arrow_y;
} sheet;

static sheet lay_out(const draw_diagram *d) {
  const draw_extent left = draw_panel_extent(d, RULE_LEFT), right = draw_panel_extent(d, RULE_RIGHT);
  sheet s = {.stacked = left.width + ARROW + right.width > WIDEST_ROW};
  const int low_x = left.left < right.left ? left.left : right.left,
            low_y = left.top < right.top ? left.top : right.top;
  const int whole_width = most(left.left + left.width, right.left + right.width) - low_x;
  const int whole_height = most(left.top + left.height, right.top + right.height) - low_y;
  if (s.stacked) {
    s.width = whole_width;
    s.height = left.height + ARROW + right.height;
    s.x[0] = s.x[1] = -low_x;
    s.y[0] = -left.top;
    s.y[1] = left.height + ARROW - right.top;
    s.arrow_x = whole_width / 2;
    s.arrow_y = left.height + ARROW / 2;
  } else {
    s.width = left.width + ARROW + right.width;
    s.height = whole_height;
    s.x[0] = -left.left;
    s.x[1] = left.width + ARROW - right.left;
    s.y[0] = s.y[1] = -low_y;
    s.arrow_x = left.width + ARROW / 2;
    s.arrow_y = whole_height / 2;
  }
  return s;
}

static void put_picture(rule_text *out, const draw_diagram *d, const lines *head, const lines *values) {
  const sheet s = lay_out(d);
  const int text_width = most(width_of(head), width_of(values));
  const int width = 2 * EDGE + most(most(s.width, text_width), LEGEND);
  const int height = (int)(head->count + values->count) * LINE + s.height + 3 * EDGE;
  draw_begin(out, width, height);
  int top = put_lines(out, head, EDGE / 2, "#1b1b1b");
  const int left = (width - s.width) / 2;
  for (uint32_t side = 0; side < 2; side++) draw_panel(out, d, side, left + s.x[side], top + s.y[side]);
  put_arrow(out, left + s.arrow_x, top + s.arrow_y, s.stacked);
  top = put_lines(out, values, top + s.height, "#5a6270");
  draw_legend(out, &d, 1, EDGE, top + EDGE);
  draw_end(out);
}

clv_result draw_graph(const clv_program *program, const rule_graph *graph, rule_text *out, clv_error *error) {
  draw_diagram *d = base_allocate(&out->allocator, sizeof *d);
  if (!d) return clv_error_set(error, CLV_ERROR_MEMORY, "no memory is left to draw '%.80s'", graph->name);
  *d = (draw_diagram){0};
  fill_diagram(graph, d);
  draw_layout(d);
  lines head = {.allocator = &out->allocator}, values = {.allocator = &out->allocator};
  head_lines(program, graph, &head);
  value_lines(program, graph, &values);
  put_picture(out, d, &head, &values);
  const bool no_head = free_lines(&head), no_memory = free_lines(&values) || no_head;
  base_free(&out->allocator, d, sizeof *d);
  if (no_memory || out->no_memory)
    return clv_error_set(error, CLV_ERROR_MEMORY, "no memory is left to draw '%.80s'", graph->name);
  return CLV_OK;
}

static clv_result cannot(clv_error *error, const rule_tree *tree, const char *name) {
  if (!tree)
    return clv_error_set(error, CLV_ERROR_ARGUMENT,
                         "the program has nothing called '%.80s'; look for a slip of the pen", name);
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "there is no picture of '%.80s' (%s); name a rule or a force", name,
                       rule_declaration_word(tree));
}

clv_result clv_program_draw(const clv_program *program, const char *name, clv_text_writer *write, void *user,
                            clv_error *error) {
  if (!program->checked || program->no_memory || program->diagnostics.count)
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "the program was not found sound; check it first");
  const rule_tree *tree = rule_declaration(program, name);
  const clv_rule *rule = tree ? clv_program_rule(program, name) : NULL;
  const bool is_law = tree && (tree->kind == RULE_FORCE || tree->kind == RULE_UPDATE || tree->kind == RULE_DERIVE);
  if (!is_law && (!rule || !rule->graph)) return cannot(error, tree, name);
  rule_text out = {.allocator = program->arena.allocator};
  const clv_result result =
      is_law ? draw_law(program, tree, &out, error) : draw_graph(program, rule->graph, &out, error);
  if (result == CLV_OK) write(user, out.bytes.data, out.bytes.count);
  rule_text_free(&out);
  return result;
}
