// Pictures of rules, as SVG, and the text that they and the explanations are written to.
//
// A diagram has nodes, arcs and up to two sides that share the places of the nodes: what is kept stays where it is when
// the eye goes from left to right. Nodes lie on a grid; the layout is searched for with whole numbers only, so that a
// picture is the same on every machine.

#ifndef RULE_DRAW_H
#define RULE_DRAW_H

#include "rule/graph.h"

// Text that grows. A piece that finds no memory sets no_memory, and so does everything behind it.
typedef struct rule_text {
  clv_allocator allocator;
  BASE_ARRAY(char) bytes;
  bool no_memory;
} rule_text;

void rule_text_free(rule_text *text);
void rule_text_add(rule_text *text, const char *piece, size_t size);
void rule_text_print(rule_text *text, const char *format, ...) CLV_PRINTF(2, 3);
// The source between two places on one line: blanks as one, comments left out, at most `most` characters.
void rule_text_source(rule_text *text, const clv_program *program, rule_span span, size_t most);

enum { DRAW_NODES = 64, DRAW_ARCS = 256, DRAW_PLAIN = 4, DRAW_LETTERS = 8 };
enum { DRAW_HOOK = 1, DRAW_CREATED = 2, DRAW_DELETED = 4, DRAW_PARTICLE = 8 };

// One letter of a label: "0" with "k+1" above it, in the colour of a dimension.
typedef struct draw_letter {
  char base[8], above[16];
  uint8_t dim; // DRAW_PLAIN: the colour of text
} draw_letter;

typedef struct draw_label {
  uint8_t count;
  bool brackets; // < > about them and commas between them
  draw_letter letter[DRAW_LETTERS];
} draw_label;

typedef struct draw_node {
  const char *name;
  uint8_t sides;   // bits: on which it is
  uint8_t look[2]; // DRAW_HOOK ...
  draw_label label[2];
  int16_t x, y; // in steps of the grid
} draw_node;

typedef struct draw_arc {
  uint8_t from, to; // equal: a loop
  uint8_t dim;      // DRAW_PLAIN: a thin grey line
  uint8_t sides;
  bool optional;
  char level[16];
} draw_arc;

typedef struct draw_diagram {
  uint32_t node_count, arc_count;
  uint32_t sides; // 1 or 2
  draw_node node[DRAW_NODES];
  draw_arc arc[DRAW_ARCS];
} draw_diagram;

// Chooses x and y of all nodes; the least of each is 0.
void draw_layout(draw_diagram *diagram);

// A panel is one side of a diagram. The part of the grid that its nodes take (a side without any takes one place), in
// pixels from the grid's corner; and its SVG, with that corner at (left, top).
typedef struct draw_extent {
  int left, top, width, height;
} draw_extent;
draw_extent draw_panel_extent(const draw_diagram *diagram, uint32_t side);
void draw_panel(rule_text *out, const draw_diagram *diagram, uint32_t side, int left, int top);

// Text with the letters that XML keeps for itself escaped.
void draw_escaped(rule_text *out, const char *text, size_t size);
// A line of text; "mono" or "sans".
void draw_line_of_text(rule_text *out, int x, int y, int size, const char *family, const char *colour,
                       const rule_text *line);
void draw_begin(rule_text *out, int width, int height);
void draw_end(rule_text *out);
// What the lines and rings of these diagrams mean; returns the height it takes.
int draw_legend(rule_text *out, const draw_diagram *const *diagrams, uint32_t count, int left, int top);
const char *draw_colour(uint32_t dim);

// The picture of a topological rule.
clv_result draw_graph(const clv_program *program, const rule_graph *graph, rule_text *out, clv_error *error);
// The picture of a force, update or derived quantity (draw_law.c).
clv_result draw_law(const clv_program *program, const rule_tree *tree, rule_text *out, clv_error *error);

#endif
