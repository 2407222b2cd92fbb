// One side of a diagram as SVG. Arcs have the colours of the papers: 0 black, 1 red and dotted, 2 blue and double, 3
// green. Arcs come first, then loops and rings, then labels, each where it meets least of what is there already.

#include "rule/draw.h"

#include <math.h>
#include <stdio.h>

enum { STEP_X = 100, STEP_Y = 92, MARGIN_X = 64, MARGIN_Y = 56, RING = 17, LOOP = 9, LETTER = 7, SMALL = 6 };
enum { MOST_BOXES = 6 * DRAW_NODES + 5 * DRAW_ARCS };

static const char *const colours[] = {"#1b1b1b", "#d3202a", "#1f4fd0", "#178a36", "#8a8f98"};

const char *draw_colour(uint32_t dim) {
  return colours[dim < DRAW_PLAIN ? dim : DRAW_PLAIN];
}

typedef struct box {
  double left, top, right, bottom;
} box;

typedef struct panel {
  rule_text *out;
  const draw_diagram *d;
  uint32_t side;
  int left, top;
  uint32_t box_count;
  box boxes[MOST_BOXES]; // what is taken: rings, loops, labels
} panel;

// Text

void draw_escaped(rule_text *out, const char *text, size_t size) {
  for (size_t k = 0; k < size; k++) {
    const char *name = text[k] == '<' ? "&lt;" : text[k] == '>' ? "&gt;" : text[k] == '&' ? "&amp;" : NULL;
    if (text[k] == '"') name = "&quot;";
    if (name)
      rule_text_add(out, name, strlen(name));
    else
      rule_text_add(out, &text[k], 1);
  }
}

void draw_line_of_text(rule_text *out, int x, int y, int size, const char *family, const char *colour,
                       const rule_text *line) {
  const bool mono = strcmp(family, "mono") == 0;
  rule_text_print(out, "<text x=\"%d\" y=\"%d\" font-size=\"%d\" fill=\"%s\"%s>", x, y, size, colour,
                  mono ? " font-family=\"monospace\"" : "");
  draw_escaped(out, line->bytes.data ? line->bytes.data : "", line->bytes.count);
  rule_text_print(out, "</text>\n");
}

void draw_begin(rule_text *out, int width, int height) {
  rule_text_print(out,
                  "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" "
                  "font-family=\"sans-serif\">\n"
                  "<rect width=\"%d\" height=\"%d\" rx=\"8\" fill=\"#fdfdfb\"/>\n",
                  width, height, width, height, width, height);
}

void draw_end(rule_text *out) {
  rule_text_print(out, "</svg>\n");
}

// Geometry

draw_extent draw_panel_extent(const draw_diagram *d, uint32_t side) {
  int low_x = INT16_MAX, high_x = 0, low_y = INT16_MAX, high_y = 0;
  for (uint32_t k = 0; k < d->node_count; k++) {
    const draw_node *node = &d->node[k];
    if (!(node->sides >> side & 1u)) continue;
    low_x = node->x < low_x ? node->x : low_x;
    high_x = node->x > high_x ? node->x : high_x;
    low_y = node->y < low_y ? node->y : low_y;
    high_y = node->y > high_y ? node->y : high_y;
  }
  if (low_x > high_x) low_x = high_x = low_y = high_y = 0;
  return (draw_extent){low_x * STEP_X, low_y * STEP_Y, 2 * MARGIN_X + (high_x - low_x) * STEP_X,
                       2 * MARGIN_Y + (high_y - low_y) * STEP_Y};
}

static double node_x(const panel *p, uint32_t node) {
  return p->left + MARGIN_X + p->d->node[node].x * STEP_X;
}

static double node_y(const panel *p, uint32_t node) {
  return p->top + MARGIN_Y + p->d->node[node].y * STEP_Y;
}

static bool on_side(const panel *p, uint32_t sides) {
  return sides >> p->side & 1u;
}

static void take(panel *p, box taken) {
  if (p->box_count < MOST_BOXES) p->boxes[p->box_count++] = taken;
}

static double overlap(const box *a, const box *b) {
  const double width = fmin(a->right, b->right) - fmax(a->left, b->left);
  const double height = fmin(a->bottom, b->bottom) - fmax(a->top, b->top);
  return width > 0 && height > 0 ? width * height : 0;
}

// A curve of second order; straight when its middle is that of its ends.
typedef struct curve {
  double x[3], y[3];
} curve;

static void curve_at(const curve *c, double t, double *x, double *y) {
  const double a = (1 - t) * (1 - t), b = 2 * t * (1 - t), e = t * t;
  *x = a * c->x[0] + b * c->x[1] + e * c->x[2];
  *y = a * c->y[0] + b * c->y[1] + e * c->y[2];
}

static bool runs_over_a_node(const panel *p, const draw_arc *arc, const curve *c) {
  for (uint32_t node = 0; node < p->d->node_count; node++) {
    if (node == arc->from || node == arc->to || !on_side(p, p->d->node[node].sides)) continue;
    for (int k = 1; k < 16; k++) {
      double x, y;
      curve_at(c, k / 16.0, &x, &y);
      if (hypot(x - node_x(p, node), y - node_y(p, node)) < RING + 6) return true;
    }
  }
  return false;
}

// How many arcs of this side join the same nodes and come before; and how many there are.
static int place_among_parallels(const panel *p, const draw_arc *arc, int *count) {
  int before = 0;
  *count = 0;
  for (uint32_t k = 0; k < p->d->arc_count; k++) {
    const draw_arc *other = &p->d->arc[k];
    const bool same =
        (other->from == arc->from && other->to == arc->to) || (other->from == arc->to && other->to == arc->from);
    if (!same || !on_side(p, other->sides)) continue;
    before += other < arc;
    ++*count;
  }
  return before;
}

static curve bent(const panel *p, const draw_arc *arc, double bend) {
  const uint32_t low = arc->from < arc->to ? arc->from : arc->to, high = arc->from + arc->to - low;
  curve c = {{node_x(p, low), 0, node_x(p, high)}, {node_y(p, low), 0, node_y(p, high)}};
  const double dx = c.x[2] - c.x[0], dy = c.y[2] - c.y[0], length = hypot(dx, dy);
  c.x[1] = 0.5 * (c.x[0] + c.x[2]) - (length > 0 ? bend * dy / length : 0);
  c.y[1] = 0.5 * (c.y[0] + c.y[2]) + (length > 0 ? bend * dx / length : 0);
  return c;
}

static curve curve_of(const panel *p, const draw_arc *arc) {
  static const double bends[] = {0, 60, -60, 100, -100, 150, -150};
  int count;
  const int before = place_among_parallels(p, arc, &count);
  const double own = count > 1 ? 44.0 * (before - 0.5 * (count - 1)) : 0;
  for (uint32_t k = 0; k < sizeof bends / sizeof *bends; k++) {
    const curve c = bent(p, arc, own + bends[k]);
    if (!runs_over_a_node(p, arc, &c)) return c;
  }
  return bent(p, arc, own);
}

// Arcs

static void put_stroke(panel *p, const char *shape, uint32_t dim) {
  rule_text *out = p->out;
  switch (dim) {
  case 0:
    rule_text_print(out, "<%s stroke=\"%s\" stroke-width=\"1.8\"/>\n", shape, colours[0]);
    break;
  case 1:
    rule_text_print(out,
                    "<%s stroke=\"%s\" stroke-width=\"2.6\" stroke-dasharray=\"0.1 5\" stroke-linecap=\"round\"/>\n",
                    shape, colours[1]);
    break;
  case 2:
    rule_text_print(out, "<%s stroke=\"%s\" stroke-width=\"5\"/>\n<%s stroke=\"#fdfdfb\" stroke-width=\"2\"/>\n", shape,
                    colours[2], shape);
    break;
  case 3:
    rule_text_print(out, "<%s stroke=\"%s\" stroke-width=\"2.8\"/>\n", shape, colours[3]);
    break;
  default:
    rule_text_print(out, "<%s stroke=\"%s\" stroke-width=\"1.2\"/>\n", shape, colours[DRAW_PLAIN]);
    break;
  }
}

// What stands at an arc or a loop: a question mark, the level.
static void put_mark(panel *p, double x, double y, const draw_arc *arc) {
  char text[32];
  if (!arc->optional && !arc->level[0]) return;
  snprintf(text, sizeof text, "%s%s", arc->level, arc->optional ? "?" : "");
  const double half = 0.5 * SMALL * (double)strlen(text) + 3;
  const box taken = {x - half, y - 8, x + half, y + 8};
  take(p, taken);
  rule_text_print(p->out, "<rect x=\"%.1f\" y=\"%.1f\" width=\"%.1f\" height=\"16\" rx=\"4\" fill=\"#fdfdfb\"/>\n",
                  taken.left, taken.top, 2 * half);
  rule_text_print(p->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"11\" text-anchor=\"middle\" fill=\"%s\">", x, y + 4,
                  draw_colour(arc->dim));
  draw_escaped(p->out, text, strlen(text));
  rule_text_print(p->out, "</text>\n");
}

static void put_arc(panel *p, const draw_arc *arc) {
  const curve c = curve_of(p, arc);
  char shape[160];
  snprintf(shape, sizeof shape, "path fill=\"none\" d=\"M%.1f %.1fQ%.1f %.1f %.1f %.1f\"", c.x[0], c.y[0], c.x[1],
           c.y[1], c.x[2], c.y[2]);
  put_stroke(p, shape, arc->dim);
  // Labels keep off the arc: it is a row of small boxes.
  for (int k = 1; k < 10; k++) {
    double x, y;
    curve_at(&c, k / 10.0, &x, &y);
    if (k == 5) put_mark(p, x, y, arc);
    if (k % 2 == 0) take(p, (box){x - 3, y - 3, x + 3, y + 3});
  }
}

// Loops: in the direction that is farthest from what leaves the node, upwards first.

static double angle_to_nearest(const panel *p, uint32_t node, double angle, const double *used, int used_count) {
  const double pi = 3.14159265358979323846;
  double nearest = pi;
  for (uint32_t k = 0; k < p->d->arc_count; k++) {
    const draw_arc *arc = &p->d->arc[k];
    if (!on_side(p, arc->sides) || arc->from == arc->to || (arc->from != node && arc->to != node)) continue;
    const curve c = curve_of(p, arc);
    const uint32_t low = arc->from < arc->to ? arc->from : arc->to;
    const double x = node == low ? c.x[1] - c.x[0] : c.x[1] - c.x[2];
    const double y = node == low ? c.y[1] - c.y[0] : c.y[1] - c.y[2];
    nearest = fmin(nearest, fabs(remainder(atan2(y, x) - angle, 2 * pi)));
  }
  for (int k = 0; k < used_count; k++) nearest = fmin(nearest, fabs(remainder(used[k] - angle, 2 * pi)));
  return nearest;
}

static double loop_angle(const panel *p, uint32_t node, const double *used, int used_count) {
  static const double eighths[] = {-2, 0, 4, -1, -3, 2, 1, 3};
  double best = 0, most = -1;
  for (uint32_t k = 0; k < 8; k++) {
    const double angle = eighths[k] * 0.78539816339744831;
    // Anything beyond a right angle is as good.
    const double room = fmin(angle_to_nearest(p, node, angle, used, used_count), 1.5) - 0.02 * k;
    if (room > most) {
      most = room;
      best = angle;
    }
  }
  return best;
}

static void put_loops(panel *p, uint32_t node) {
  double used[4];
  int used_count = 0;
  for (uint32_t k = 0; k < p->d->arc_count && used_count < 4; k++) {
    const draw_arc *arc = &p->d->arc[k];
    if (arc->from != node || arc->to != node || !on_side(p, arc->sides)) continue;
    const double angle = loop_angle(p, node, used, used_count);
    const double x = node_x(p, node) + (RING + 6) * cos(angle), y = node_y(p, node) + (RING + 6) * sin(angle);
    used[used_count++] = angle;
    char shape[96];
    snprintf(shape, sizeof shape, "circle fill=\"none\" cx=\"%.1f\" cy=\"%.1f\" r=\"%d\"", x, y, LOOP);
    put_stroke(p, shape, arc->dim);
    take(p, (box){x - LOOP - 3, y - LOOP - 3, x + LOOP + 3, y + LOOP + 3});
    put_mark(p, node_x(p, node) + (RING + 20) * cos(angle), node_y(p, node) + (RING + 20) * sin(angle), arc);
  }
}

// Nodes

static void put_ring(panel *p, uint32_t node) {
  const draw_node *n = &p->d->node[node];
  const uint32_t look = n->look[p->side];
  const double x = node_x(p, node), y = node_y(p, node);
  const char *fill = look & DRAW_CREATED ? "#fff0b3" : look & DRAW_PARTICLE ? "#dbe7ff" : "#ffffff";
  rule_text_print(
      p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"%s\" stroke=\"%s\" stroke-width=\"1.5\"%s/>\n", x, y,
      RING, fill, look & DRAW_DELETED ? "#8a8f98" : "#2d3440", look & DRAW_DELETED ? " stroke-dasharray=\"4 3\"" : "");
  if (look & DRAW_HOOK)
    rule_text_print(p->out, "<circle cx=\"%.1f\" cy=\"%.1f\" r=\"%d\" fill=\"none\" stroke=\"#2d3440\"/>\n", x, y,
                    RING - 4);
  const size_t length = strlen(n->name), shown = length > 10 ? 10 : length;
  const int size = shown <= 2 ? 14 : shown <= 4 ? 11 : shown <= 6 ? 8 : 5;
  rule_text_print(p->out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"%d\" font-style=\"italic\" text-anchor=\"middle\">",
                  x, y + size / 3.0, size);
  draw_escaped(p->out, n->name, shown);
  rule_text_print(p->out, "</text>\n");
}

static double label_width(const draw_label *label) {
  double width = label->brackets ? 2 * LETTER : 0;
  for (uint32_t k = 0; k < label->count; k++) {
    width += LETTER * (double)strlen(label->letter[k].base) + 5.5 * (double)strlen(label->letter[k].above);
    if (k && label->brackets) width += 0.5 * LETTER;
  }
  return width;
}

static void put_letters(panel *p, double x, double y, const draw_label *label) {
  rule_text *out = p->out;
  rule_text_print(out, "<text x=\"%.1f\" y=\"%.1f\" font-size=\"12\" text-anchor=\"middle\" fill=\"#5a6270\">", x, y);
  if (label->brackets) rule_text_print(out, "&#10216;");
  for (uint32_t k = 0; k < label->count; k++) {
    const draw_letter *letter = &label->letter[k];
    if (k && label->brackets) rule_text_print(out, ",");
    rule_text_print(out, "<tspan fill=\"%s\">", letter->dim < DRAW_PLAIN ? colours[letter->dim] : "#5a6270");
    draw_escaped(out, letter->base, strlen(letter->base));
    rule_text_print(out, "</tspan>");
    if (!letter->above[0]) continue;
    rule_text_print(out, "<tspan dy=\"-4\" font-size=\"9\">");
    draw_escaped(out, letter->above, strlen(letter->above));
    // What follows goes back down; a space of no width carries the step.
    rule_text_print(out, "</tspan><tspan dy=\"4\">&#8203;</tspan>");
  }
  if (label->brackets) rule_text_print(out, "&#10217;");
  rule_text_print(out, "</text>\n");
}

// Below the node, above it, or beside it: wherever the label covers least.
static void put_label(panel *p, uint32_t node) {
  const draw_label *label = &p->d->node[node].label[p->side];
  if (label->count == 0) return;
  const double half = 0.5 * label_width(label) + 2, beside = half + 13, away = half + RING + 2;
  const double places[][2] = {
      {0, 27},          {0, -27},          {away, 0},         {-away, 0},         {beside, 23},  {-beside, 23},
      {beside, -23},    {-beside, -23},    {0, 34},           {0, -34},           {away + 8, 0}, {-away - 8, 0},
      {beside + 8, 30}, {-beside - 8, 30}, {beside + 8, -30}, {-beside - 8, -30}, {0, 44},       {0, -44}};
  uint32_t best = 0;
  double least = INFINITY;
  for (uint32_t k = 0; k < sizeof places / sizeof *places; k++) {
    const double x = node_x(p, node) + places[k][0], y = node_y(p, node) + places[k][1];
    const box wanted = {x - half, y - 8, x + half, y + 8};
    double covered = 0.5 * k;
    for (uint32_t other = 0; other < p->box_count; other++) covered += overlap(&wanted, &p->boxes[other]);
    if (covered < least) {
      least = covered;
      best = k;
    }
  }
  const double x = node_x(p, node) + places[best][0], y = node_y(p, node) + places[best][1];
  take(p, (box){x - half, y - 8, x + half, y + 8});
  put_letters(p, x, y + 4, label);
}

void draw_panel(rule_text *out, const draw_diagram *d, uint32_t side, int left, int top) {
  panel p = {.out = out, .d = d, .side = side, .left = left, .top = top};
  for (uint32_t node = 0; node < d->node_count; node++) {
    if (!on_side(&p, d->node[node].sides)) continue;
    const double x = node_x(&p, node), y = node_y(&p, node);
    take(&p, (box){x - RING, y - RING, x + RING, y + RING});
  }
  for (uint32_t k = 0; k < d->arc_count; k++)
    if (d->arc[k].from != d->arc[k].to && on_side(&p, d->arc[k].sides)) put_arc(&p, &d->arc[k]);
  for (uint32_t node = 0; node < d->node_count; node++)
    if (on_side(&p, d->node[node].sides)) put_loops(&p, node);
  for (uint32_t node = 0; node < d->node_count; node++)
    if (on_side(&p, d->node[node].sides)) put_ring(&p, node);
  for (uint32_t node = 0; node < d->node_count; node++)
    if (on_side(&p, d->node[node].sides)) put_label(&p, node);
}

// The legend

static void find_used(const draw_diagram *d, uint32_t *dims, uint32_t *looks) {
  for (uint32_t k = 0; k < d->arc_count; k++) *dims |= 1u << d->arc[k].dim;
  for (uint32_t k = 0; k < d->node_count; k++)
    for (uint32_t side = 0; side < d->sides; side++)
      if (d->node[k].sides >> side & 1u) *looks |= d->node[k].look[side];
}

static void put_word(rule_text *out, int x, int y, const char *word) {
  rule_text_print(out, "<text x=\"%d\" y=\"%d\" font-size=\"11\" fill=\"#5a6270\">%s</text>\n", x, y, word);
}

int draw_legend(rule_text *out, const draw_diagram *const *diagrams, uint32_t count, int left, int top) {
  static const struct {
    uint32_t look;
    const char *word, *ring;
  } rings[] = {{DRAW_HOOK, "given", "stroke=\"#2d3440\" stroke-width=\"3.2\" fill=\"#ffffff\""},
               {DRAW_CREATED, "created", "stroke=\"#2d3440\" fill=\"#fff0b3\""},
               {DRAW_DELETED, "deleted", "stroke=\"#8a8f98\" stroke-dasharray=\"3 2\" fill=\"#ffffff\""},
               {DRAW_PARTICLE, "particle", "stroke=\"#2d3440\" fill=\"#dbe7ff\""}};
  uint32_t dims = 0, looks = 0;
  for (uint32_t k = 0; k < count; k++) find_used(diagrams[k], &dims, &looks);
  panel p = {.out = out};
  int x = left;
  for (uint32_t dim = 0; dim < DRAW_PLAIN; dim++) {
    if (!(dims >> dim & 1u)) continue;
    char shape[96], word[32];
    snprintf(shape, sizeof shape, "path d=\"M%d %dh24\"", x, top - 4);
    put_stroke(&p, shape, dim);
    snprintf(word, sizeof word, "&#945;%u", (unsigned)dim);
    put_word(out, x + 29, top, word);
    x += 58;
  }
  for (uint32_t k = 0; k < sizeof rings / sizeof *rings; k++) {
    if (!(looks & rings[k].look)) continue;
    rule_text_print(out, "<circle cx=\"%d\" cy=\"%d\" r=\"6\" %s/>\n", x + 7, top - 4, rings[k].ring);
    if (rings[k].look == DRAW_HOOK)
      rule_text_print(out,
                      "<circle cx=\"%d\" cy=\"%d\" r=\"6\" stroke=\"#ffffff\" stroke-width=\"1\" fill=\"none\"/>\n",
                      x + 7, top - 4);
    put_word(out, x + 18, top, rings[k].word);
    x += 26 + 6 * (int)strlen(rings[k].word);
  }
  return 24;
}
