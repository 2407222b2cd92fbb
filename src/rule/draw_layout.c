// Where the nodes of a diagram lie: on a grid, found by threshold accepting.
//
// A node at a time is moved to another place of the grid, or changes places with the node there. A move that makes the
// picture worse is taken too, at first much, then less and less. What is bad is counted in whole numbers: long arcs,
// slanted arcs, arcs that cross or run over a node, chains that bend. Rules are small (a dozen nodes), so the whole
// count is made anew for each move, and the number of moves is what a fixed amount of work allows.

#include "rule/draw.h"

#include <stdlib.h>

enum { WIDEST = 7, RUNS = 4, WORK = 8000000, MOST_MOVES = 16000, LEAST_MOVES = 800, PATIENCE = 40 };
enum { COST_STEP = 10, COST_SLANT = 7, COST_OVER = 60, COST_CROSS = 30, COST_CROSS_APART = 8, COST_BEND = 5 };

typedef struct layout {
  const draw_diagram *diagram;
  uint32_t arc_count;
  uint8_t arcs[DRAW_ARCS]; // those that are no loops, one for each pair of nodes
  int width, height;
  int16_t x[DRAW_NODES], y[DRAW_NODES];
  int16_t at[WIDEST * DRAW_NODES]; // the node of each place, -1: none
  uint32_t random;
} layout;

static uint32_t next_random(layout *l, uint32_t below) {
  l->random = l->random * 1664525u + 1013904223u;
  return (l->random >> 8) % below;
}

static bool same_pair(const draw_arc *a, const draw_arc *b) {
  return (a->from == b->from && a->to == b->to) || (a->from == b->to && a->to == b->from);
}

static void collect_arcs(layout *l) {
  const draw_diagram *d = l->diagram;
  for (uint32_t k = 0; k < d->arc_count; k++) {
    bool is_new = d->arc[k].from != d->arc[k].to;
    for (uint32_t other = 0; is_new && other < l->arc_count; other++)
      is_new = !same_pair(&d->arc[k], &d->arc[l->arcs[other]]);
    if (is_new) l->arcs[l->arc_count++] = (uint8_t)k;
  }
}

// Twice the signed area of three nodes' places.
static int turn(const layout *l, uint32_t a, uint32_t b, uint32_t c) {
  return (l->x[b] - l->x[a]) * (l->y[c] - l->y[a]) - (l->y[b] - l->y[a]) * (l->x[c] - l->x[a]);
}

static int sign(int value) {
  return (value > 0) - (value < 0);
}

// True when node c lies on the straight line from a to b, between them.
static bool lies_between(const layout *l, uint32_t a, uint32_t b, uint32_t c) {
  if (c == a || c == b || turn(l, a, b, c)) return false;
  const int along = (l->x[c] - l->x[a]) * (l->x[b] - l->x[a]) + (l->y[c] - l->y[a]) * (l->y[b] - l->y[a]);
  const int whole = (l->x[b] - l->x[a]) * (l->x[b] - l->x[a]) + (l->y[b] - l->y[a]) * (l->y[b] - l->y[a]);
  return along > 0 && along < whole;
}

static bool cross(const layout *l, const draw_arc *p, const draw_arc *q) {
  if (p->from == q->from || p->from == q->to || p->to == q->from || p->to == q->to) return false;
  return sign(turn(l, p->from, p->to, q->from)) * sign(turn(l, p->from, p->to, q->to)) < 0 &&
         sign(turn(l, q->from, q->to, p->from)) * sign(turn(l, q->from, q->to, p->to)) < 0;
}

static int cost_of_arc(const layout *l, uint32_t k) {
  const draw_arc *arc = &l->diagram->arc[l->arcs[k]];
  const int dx = abs(l->x[arc->to] - l->x[arc->from]), dy = abs(l->y[arc->to] - l->y[arc->from]);
  int cost = COST_STEP * (dx + dy - 1) + (dx && dy ? COST_SLANT : 0) + (dy ? 1 : 0);
  cost += (arc->from < arc->to) != (l->x[arc->from] <= l->x[arc->to]);
  for (uint32_t node = 0; node < l->diagram->node_count; node++)
    if (lies_between(l, arc->from, arc->to, node)) cost += COST_OVER;
  for (uint32_t other = k + 1; other < l->arc_count; other++) {
    const draw_arc *beyond = &l->diagram->arc[l->arcs[other]];
    if (cross(l, arc, beyond)) cost += arc->sides & beyond->sides ? COST_CROSS : COST_CROSS_APART;
  }
  return cost;
}

// A node with two neighbours likes to lie between them.
static int cost_of_bends(const layout *l) {
  uint8_t degree[DRAW_NODES] = {0}, neighbour[DRAW_NODES][2] = {{0}};
  for (uint32_t k = 0; k < l->arc_count; k++) {
    const draw_arc *arc = &l->diagram->arc[l->arcs[k]];
    if (degree[arc->from] < 2) neighbour[arc->from][degree[arc->from]] = arc->to;
    if (degree[arc->to] < 2) neighbour[arc->to][degree[arc->to]] = arc->from;
    degree[arc->from]++;
    degree[arc->to]++;
  }
  int cost = 0;
  for (uint32_t node = 0; node < l->diagram->node_count; node++)
    if (degree[node] == 2 && !lies_between(l, neighbour[node][0], neighbour[node][1], node)) cost += COST_BEND;
  return cost;
}

static int cost_of_extent(const layout *l) {
  int low_x = l->x[0], high_x = l->x[0], low_y = l->y[0], high_y = l->y[0];
  for (uint32_t node = 1; node < l->diagram->node_count; node++) {
    low_x = l->x[node] < low_x ? l->x[node] : low_x;
    high_x = l->x[node] > high_x ? l->x[node] : high_x;
    low_y = l->y[node] < low_y ? l->y[node] : low_y;
    high_y = l->y[node] > high_y ? l->y[node] : high_y;
  }
  // The first node, a hook, should be the first one read.
  return (high_x - low_x + 1) * (high_y - low_y + 1) + 2 * (l->x[0] - low_x) + 3 * (l->y[0] - low_y);
}

static int cost_of(const layout *l) {
  int cost = cost_of_bends(l) + cost_of_extent(l);
  for (uint32_t k = 0; k < l->arc_count; k++) cost += cost_of_arc(l, k);
  return cost;
}

static void place(layout *l, uint32_t node, int where) {
  l->x[node] = (int16_t)(where % l->width);
  l->y[node] = (int16_t)(where / l->width);
  l->at[where] = (int16_t)node;
}

static uint32_t degree_of(const layout *l, uint32_t node) {
  uint32_t degree = 0;
  for (uint32_t k = 0; k < l->arc_count; k++) {
    const draw_arc *arc = &l->diagram->arc[l->arcs[k]];
    degree += arc->from == node || arc->to == node;
  }
  return degree;
}

static bool are_joined(const layout *l, uint32_t a, uint32_t b) {
  for (uint32_t k = 0; k < l->arc_count; k++) {
    const draw_arc *arc = &l->diagram->arc[l->arcs[k]];
    if ((arc->from == a && arc->to == b) || (arc->from == b && arc->to == a)) return true;
  }
  return false;
}

// Along arcs as far as they go, then on from elsewhere, nodes with few arcs first: a chain comes out from end to end.
// What is ordered already is in front; each turn exchanges the next node to its place.
static void order_by_arcs(const layout *l, uint8_t *order) {
  const uint32_t count = l->diagram->node_count;
  for (uint32_t k = 0; k < count; k++) order[k] = (uint8_t)k;
  for (uint32_t k = 0; k < count; k++) {
    uint32_t next = k;
    for (uint32_t other = k + 1; other < count; other++) {
      const bool joined = k > 0 && are_joined(l, order[k - 1], order[other]);
      const bool best_joined = k > 0 && are_joined(l, order[k - 1], order[next]);
      const bool fewer = degree_of(l, order[other]) < degree_of(l, order[next]);
      if (joined > best_joined || (joined == best_joined && fewer)) next = other;
    }
    const uint8_t taken = order[next];
    order[next] = order[k];
    order[k] = taken;
  }
}

// Nodes in an order, in rows that turn round at their ends.
static void start(layout *l, const uint8_t *order) {
  memset(l->at, -1, sizeof l->at);
  for (uint32_t k = 0; k < l->diagram->node_count; k++) {
    const int row = (int)k / l->width, column = (int)k % l->width;
    place(l, order[k], row * l->width + (row % 2 ? l->width - 1 - column : column));
  }
}

static void exchange(layout *l, uint32_t node, int where) {
  const int before = l->y[node] * l->width + l->x[node], other = l->at[where];
  l->at[before] = -1;
  if (other >= 0) place(l, (uint32_t)other, before);
  place(l, node, where);
}

static int improve(layout *l, int moves, int patience) {
  int cost = cost_of(l);
  for (int move = 0; move < moves; move++) {
    const uint32_t node = next_random(l, l->diagram->node_count);
    const int before = l->y[node] * l->width + l->x[node];
    const int where = (int)next_random(l, (uint32_t)(l->width * l->height));
    if (where == before) continue;
    exchange(l, node, where);
    const int worse = cost_of(l) - cost, allowed = patience - patience * move / (moves * 3 / 4);
    if (worse <= (allowed > 0 ? allowed : 0))
      cost += worse;
    else
      exchange(l, node, before);
  }
  return cost;
}

static void keep(draw_diagram *d, const layout *l) {
  int low_x = WIDEST, low_y = DRAW_NODES;
  for (uint32_t node = 0; node < d->node_count; node++) {
    low_x = l->x[node] < low_x ? l->x[node] : low_x;
    low_y = l->y[node] < low_y ? l->y[node] : low_y;
  }
  for (uint32_t node = 0; node < d->node_count; node++) {
    d->node[node].x = (int16_t)(l->x[node] - low_x);
    d->node[node].y = (int16_t)(l->y[node] - low_y);
  }
}

void draw_layout(draw_diagram *d) {
  if (d->node_count == 0) return;
  layout l = {.diagram = d};
  collect_arcs(&l);
  l.width = d->node_count < WIDEST ? (int)d->node_count : WIDEST;
  l.height = ((int)d->node_count + l.width - 1) / l.width + 2;
  const int one = (int)(l.arc_count * (l.arc_count + d->node_count) + d->node_count + 1);
  int moves = WORK / one;
  moves = moves > MOST_MOVES ? MOST_MOVES : moves < LEAST_MOVES ? LEAST_MOVES : moves;
  uint8_t orders[2][DRAW_NODES] = {{0}};
  for (uint32_t k = 0; k < d->node_count; k++) orders[0][k] = (uint8_t)k;
  order_by_arcs(&l, orders[1]);
  int best = -1;
  for (uint32_t run = 0; run < RUNS; run++) {
    l.random = 12345u + run * 7919u;
    // The first runs take nothing that is worse: what begins well stays so.
    start(&l, orders[run % 2]);
    const int cost = improve(&l, moves, run < 2 ? 0 : PATIENCE);
    if (best >= 0 && cost >= best) continue;
    best = cost;
    keep(d, &l);
  }
}
