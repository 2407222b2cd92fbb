#include "solve/order.h"

#ifdef CLEAVE_HAVE_CHOLMOD

#include <math.h>
#include <stdlib.h>

typedef struct vertex {
  double rank;
  uint32_t slot, first, count; // its unknowns
} vertex;

typedef struct ordering {
  cholmod_sparse *lower;
  const uint32_t *unknowns;
  double *ranks;
  cholmod_common *common;
  vertex *vertices; // in order of slots, until they are sorted
  uint32_t *owners; // of unknowns: their vertices
  uint32_t count;   // of vertices
} ordering;

static void list_vertices(ordering *o) {
  o->count = 0;
  for (uint32_t k = 0; k < o->lower->ncol; k++) {
    const uint32_t slot = o->unknowns[k] / 3;
    if (!o->count || o->vertices[o->count - 1].slot != slot)
      o->vertices[o->count++] = (vertex){.rank = o->ranks[slot], .slot = slot, .first = k};
    o->vertices[o->count - 1].count++;
    o->owners[k] = o->count - 1;
  }
}

static int by_rank(const void *a, const void *b) {
  const vertex *one = a, *two = b;
  if (one->rank != two->rank) return one->rank < two->rank ? -1 : 1;
  return one->slot < two->slot ? -1 : one->slot > two->slot;
}

// Whether most vertices have a rank that was searched for, and that no other has.
static bool is_worth_keeping(const ordering *o) {
  uint64_t own = 0;
  for (uint32_t v = 0; v < o->count; v++) {
    const double rank = o->vertices[v].rank;
    own += rank > 0 && rank == floor(rank) && (v == 0 || o->vertices[v - 1].rank != rank);
  }
  return 4 * own >= 3 * (uint64_t)o->count;
}

// The rank of the last neighbour, for vertices that have none. False when there is one whose neighbours have none,
// either.
static bool rank_beside(ordering *o) {
  const int64_t *starts = o->lower->p, *rows = o->lower->i;
  for (uint32_t j = 0; j < o->lower->ncol; j++) {
    vertex *left = &o->vertices[o->owners[j]];
    for (int64_t e = starts[j]; e < starts[j + 1]; e++) {
      vertex *right = &o->vertices[o->owners[rows[e]]];
      const double a = o->ranks[left->slot], b = o->ranks[right->slot];
      if (a == 0) left->rank = fmax(left->rank, b);
      if (b == 0) right->rank = fmax(right->rank, a);
    }
  }
  bool all = true;
  for (uint32_t v = 0; v < o->count; v++) all = all && o->vertices[v].rank > 0;
  for (uint32_t v = 0; all && v < o->count; v++) {
    vertex *it = &o->vertices[v];
    if (o->ranks[it->slot] == 0) o->ranks[it->slot] = it->rank = floor(it->rank) + 0.5;
  }
  return all;
}

// Which vertices are coupled: those whose first unknowns are.
static cholmod_sparse *couple_vertices(const ordering *o) {
  const int64_t *starts = o->lower->p, *rows = o->lower->i;
  cholmod_sparse *graph = cholmod_l_allocate_sparse(o->count, o->count, (size_t)starts[o->lower->ncol], true, true, -1,
                                                    CHOLMOD_PATTERN, o->common);
  if (!graph) return NULL;
  int64_t *to_starts = graph->p, *to_rows = graph->i, at = 0;
  for (uint32_t v = 0; v < o->count; v++) {
    to_starts[v] = at;
    for (int64_t e = starts[o->vertices[v].first]; e < starts[o->vertices[v].first + 1]; e++)
      if (o->vertices[o->owners[rows[e]]].first == rows[e]) to_rows[at++] = o->owners[rows[e]];
  }
  to_starts[o->count] = at;
  return graph;
}

static bool search(ordering *o) {
  cholmod_common *common = o->common;
  const int supernodal = common->supernodal;
  cholmod_sparse *graph = couple_vertices(o);
  common->nmethods = 2; // the better of both
  common->method[0].ordering = CHOLMOD_AMD;
  common->method[1].ordering = CHOLMOD_METIS;
  common->supernodal = CHOLMOD_SIMPLICIAL;
  cholmod_factor *found = graph ? cholmod_l_analyze(graph, common) : NULL;
  common->supernodal = supernodal;
  const int64_t *order = found ? found->Perm : NULL;
  for (uint32_t k = 0; found && k < o->count; k++) {
    vertex *v = &o->vertices[order[k]];
    v->rank = o->ranks[v->slot] = k + 1.0;
  }
  const bool good = found != NULL;
  cholmod_l_free_factor(&found, common);
  cholmod_l_free_sparse(&graph, common);
  return good;
}

static bool order_vertices(ordering *o) {
  list_vertices(o);
  qsort(o->vertices, o->count, sizeof *o->vertices, by_rank);
  const bool kept = is_worth_keeping(o);
  list_vertices(o);
  return (kept && rank_beside(o)) || search(o);
}

bool order_unknowns(cholmod_sparse *lower, const uint32_t *unknowns, double *ranks, int64_t *order,
                    cholmod_common *common, const clv_allocator *allocator) {
  const size_t n = lower->ncol;
  ordering o = {.lower = lower, .unknowns = unknowns, .common = common};
  o.ranks = ranks;
  if (n == 0) return true;
  o.vertices = base_allocate(allocator, n * sizeof *o.vertices);
  o.owners = base_allocate(allocator, n * sizeof *o.owners);
  const bool good = o.vertices && o.owners && order_vertices(&o);
  if (good) qsort(o.vertices, o.count, sizeof *o.vertices, by_rank);
  for (uint32_t v = 0, at = 0; good && v < o.count; v++)
    for (uint32_t k = 0; k < o.vertices[v].count; k++) order[at++] = o.vertices[v].first + k;
  base_free(allocator, o.vertices, n * sizeof *o.vertices);
  base_free(allocator, o.owners, n * sizeof *o.owners);
  return good;
}

#endif
