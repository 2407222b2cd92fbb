// The picture of a force: its particles. On a template they are the corners of the cell, and what is drawn is the cell;
// on another orbit they are where the paths from the base dart end, and what is drawn is the tree of the paths.

#include "rule/explain.h"
#include "rule/law.h"

#include <stdio.h>

enum { LINE = 18, EDGE = 18, PANELS = 16, ROW = 1000, LEGEND = 300, MONO = 8 };

// Templates

static const int16_t corner_places[CLV_TEMPLATE_LAST + 1][8][2] = {
    [CLV_TRI] = {{0, 1}, {2, 1}, {1, 0}},
    [CLV_QUAD] = {{0, 1}, {1, 1}, {1, 0}, {0, 0}},
    [CLV_TET] = {{0, 2}, {2, 2}, {3, 1}, {1, 0}},
    [CLV_PYRAMID] = {{0, 3}, {2, 3}, {3, 2}, {1, 2}, {1, 0}},
    [CLV_PRISM] = {{0, 3}, {2, 3}, {1, 2}, {0, 1}, {2, 1}, {1, 0}},
    [CLV_HEX] = {{0, 3}, {2, 3}, {3, 2}, {1, 2}, {0, 1}, {2, 1}, {3, 0}, {1, 0}},
};
static const char *const corner_names[] = {"0", "1", "2", "3", "4", "5", "6", "7"};

static const clv_suborbits *corners_of(const clv_template *shape) {
  return &shape->sub[shape->dimension == 3 ? 6 : 2];
}

static bool joined(const draw_diagram *d, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < d->arc_count; k++)
    if (d->arc[k].from == a && d->arc[k].to == b) return true;
  return false;
}

static void set_path_label(draw_label *label, const law_path *path) {
  label->count = 0;
  for (uint32_t k = 0; k < path->length; k++) {
    if (label->count == DRAW_LETTERS) return;
    draw_letter *letter = &label->letter[label->count++];
    snprintf(letter->base, sizeof letter->base, "%u", (unsigned)(path->letter[k] & 3u));
    letter->dim = path->letter[k] & 3u;
  }
}

// The corner that a path leads to; -1 when it leaves the cell.
static int corner_at(const clv_template *shape, const law_path *path) {
  uint32_t dart = 0;
  for (uint32_t k = 0; k < path->length; k++) {
    if (path->letter[k] >= shape->dimension) return -1;
    dart = shape->alpha[path->letter[k]][dart];
  }
  return corners_of(shape)->of[dart];
}

static bool fill_template(const law *l, draw_diagram *d) {
  const clv_template *shape = &clv_templates[l->shape.kind];
  const clv_suborbits *corners = corners_of(shape);
  d->node_count = shape->corner_count;
  for (uint32_t corner = 0; corner < d->node_count; corner++) {
    draw_node *node = &d->node[corner];
    *node = (draw_node){.name = corner_names[corner], .sides = 1};
    node->x = corner_places[l->shape.kind][corner][0];
    node->y = corner_places[l->shape.kind][corner][1];
  }
  d->node[0].look[0] = DRAW_HOOK;
  for (uint32_t k = 0; k < l->particles.count; k++) {
    const law_path *path = &l->paths.data[l->particles.data[k]];
    const int corner = corner_at(shape, path);
    if (corner < 0) return false;
    d->node[corner].look[0] |= DRAW_PARTICLE;
    set_path_label(&d->node[corner].label[0], path);
  }
  for (uint32_t dart = 0; dart < shape->dart_count; dart++) {
    const uint8_t a = corners->of[dart], b = corners->of[shape->alpha[0][dart]];
    if (a < b && !joined(d, a, b))
      d->arc[d->arc_count++] = (draw_arc){.from = a, .to = b, .dim = DRAW_PLAIN, .sides = 1};
  }
  return true;
}

// Paths

static uint32_t step_to(draw_diagram *d, uint32_t from, uint8_t letter) {
  for (uint32_t k = 0; k < d->arc_count; k++)
    if (d->arc[k].from == from && d->arc[k].dim == letter) return d->arc[k].to;
  if (d->node_count == DRAW_NODES || d->arc_count == DRAW_ARCS) return from;
  const uint32_t to = d->node_count++;
  d->node[to] = (draw_node){.name = "", .sides = 1};
  d->arc[d->arc_count++] = (draw_arc){.from = (uint8_t)from, .to = (uint8_t)to, .dim = letter, .sides = 1};
  return to;
}

static uint32_t follow(draw_diagram *d, const law_path *path) {
  uint32_t at = 0;
  for (uint32_t k = 0; k < path->length; k++) at = step_to(d, at, path->letter[k] & 3u);
  return at;
}

static const rule_tree *place_of(const rule_tree *tree) {
  if (tree->kind != RULE_DERIVE) return tree->child[0];
  return rule_there(tree->child[2]) ? tree->child[2] : tree->child[1];
}

static void fill_paths(const law *l, draw_diagram *d) {
  static const char *const numbers[LAW_PARTICLES] = {"1", "2",  "3",  "4",  "5",  "6",  "7",  "8",
                                                     "9", "10", "11", "12", "13", "14", "15", "16"};
  const char *name = place_of(l->tree)->name;
  *d = (draw_diagram){.sides = 1, .node_count = 1};
  d->node[0] = (draw_node){.name = name ? name : "", .sides = 1, .look = {DRAW_HOOK}};
  for (uint32_t k = 0; k < l->particles.count; k++) {
    const law_path *path = &l->paths.data[l->particles.data[k]];
    draw_node *node = &d->node[follow(d, path)];
    node->look[0] |= DRAW_PARTICLE;
    if (path->length && k < LAW_PARTICLES) node->name = numbers[k];
    set_path_label(&node->label[0], path);
  }
  for (uint32_t k = 0; k < l->reads.count; k++)
    if (!l->reads.data[k].in_sum) follow(d, &l->paths.data[l->reads.data[k].path]);
  draw_layout(d);
}

// Sheets: one panel for each shape, in rows

typedef struct gallery {
  rule_text *out;
  uint32_t count;
  draw_diagram *panels[PANELS];
  const char *titles[PANELS];
  int x[PANELS], y[PANELS];
  int width, height;
} gallery;

static void place_panels(gallery *g) {
  int x = 0, y = 0, row = 0;
  for (uint32_t k = 0; k < g->count; k++) {
    const draw_extent extent = draw_panel_extent(g->panels[k], 0);
    const int height = extent.height + LINE;
    if (x > 0 && x + extent.width > ROW) {
      x = 0;
      y += row;
      row = 0;
    }
    g->x[k] = x - extent.left;
    g->y[k] = y - extent.top + LINE;
    x += extent.width;
    row = height > row ? height : row;
    g->width = x > g->width ? x : g->width;
  }
  g->height = y + row;
}

static bool add_panel(gallery *g, const law *l) {
  if (g->count == PANELS) return true;
  draw_diagram *d = base_allocate(&g->out->allocator, sizeof *d);
  if (!d) return false;
  *d = (draw_diagram){.sides = 1};
  if (l->shape.kind == CLV_NONE || !fill_template(l, d)) fill_paths(l, d);
  g->titles[g->count] = l->shape.kind ? clv_kind_name(l->shape.kind) : NULL;
  g->panels[g->count++] = d;
  return true;
}

static void put_gallery(gallery *g, const clv_program *program, const rule_tree *tree) {
  rule_text head = {.allocator = g->out->allocator};
  rule_text_print(&head, "%s %.80s on ", rule_declaration_word(tree), tree->name);
  rule_text_source(&head, program, place_of(tree)->span, 90);
  place_panels(g);
  int width = g->width > LEGEND ? g->width : LEGEND;
  if (width < (int)head.bytes.count * MONO) width = (int)head.bytes.count * MONO;
  width += 2 * EDGE;
  draw_begin(g->out, width, EDGE / 2 + LINE + g->height + 2 * EDGE);
  draw_line_of_text(g->out, EDGE, EDGE / 2 + 13, 13, "mono", "#1b1b1b", &head);
  const int left = (width - g->width) / 2, top = EDGE / 2 + LINE;
  for (uint32_t k = 0; k < g->count; k++) {
    const draw_extent extent = draw_panel_extent(g->panels[k], 0);
    draw_panel(g->out, g->panels[k], 0, left + g->x[k], top + g->y[k]);
    if (!g->titles[k]) continue;
    rule_text_print(g->out, "<text x=\"%d\" y=\"%d\" font-size=\"12\" fill=\"#5a6270\">%s</text>\n",
                    left + g->x[k] + extent.left + 24, top + g->y[k] + extent.top + 10, g->titles[k]);
  }
  draw_legend(g->out, (const draw_diagram *const *)g->panels, g->count, EDGE, top + g->height + EDGE);
  draw_end(g->out);
  g->out->no_memory = g->out->no_memory || head.no_memory;
  rule_text_free(&head);
}

// Shapes of 3D; those of 2D alone where there are none.
static bool fill_gallery(const clv_program *program, const rule_tree *tree, gallery *g) {
  for (uint32_t dimension = 3; g->count == 0 && dimension >= 2; dimension--) {
    const law_list *laws = &program->laws[dimension - 2].laws;
    for (uint32_t k = 0; k < laws->count; k++)
      if (laws->data[k]->tree == tree && !add_panel(g, laws->data[k])) return false;
  }
  return true;
}

clv_result draw_law(const clv_program *program, const rule_tree *tree, rule_text *out, clv_error *error) {
  gallery g = {.out = out};
  const bool filled = fill_gallery(program, tree, &g);
  if (filled) put_gallery(&g, program, tree);
  for (uint32_t k = 0; k < g.count; k++) base_free(&out->allocator, g.panels[k], sizeof **g.panels);
  if (!filled || out->no_memory)
    return clv_error_set(error, CLV_ERROR_MEMORY, "no memory is left to draw '%.80s'", tree->name);
  return CLV_OK;
}
