// Tearing: facets give way where the body cannot bear more.
//
// One pass over the cells (over the edges, for springs) offers the facets that may part; of those that are offered from
// both sides the greater value counts. Then the worst are cut, as any facet is: where cells of different levels meet,
// the whole facet of the coarser. Which is worst depends on values; of equals that one comes first which lies first
// along one direction, at rest: neither numbers nor threads have a say in it.
//
// A stress is a matter of a facet: n . sigma n. A stretch is one of a cell, and a tension one of an edge; each names
// one facet, the one that lies most across it; of those that lie as well but for rounding, as in a grid, the first
// along that direction. What is not stretched across a facet never parts there: a thread that is pulled breaks, it does
// not fray.

#include "physics/zone.h"
#include "surgery/surgery.h"

#include <math.h>
#include <stdlib.h>

static const char *const names[CLV_TEAR_KIND_COUNT] = {"stress", "strain", "force"};

const char *clv_tear_name(clv_tear_kind kind) {
  return (unsigned)kind < CLV_TEAR_KIND_COUNT ? names[kind] : NULL;
}

int clv_tear_from_name(const char *name) {
  for (int k = 0; k < CLV_TEAR_KIND_COUNT; k++)
    if (!strcmp(name, names[k])) return k;
  return -1;
}

clv_tear clv_default_tear(void) {
  return (clv_tear){.kind = CLV_TEAR_STRESS, .zone = clv_zone_all(), .mask = clv_zone_all()};
}

const char *clv_tear_wrong(const clv_tear *tear) {
  if (!tear) return "there is none";
  if ((unsigned)tear->kind >= CLV_TEAR_KIND_COUNT) return "its kind is unknown: stress, strain or force";
  if (!(tear->threshold > 0 && isfinite(tear->threshold))) return "its threshold must be a number above 0";
  const char *wrong = physics_zone_wrong(&tear->zone);
  return wrong || !tear->masked ? wrong : physics_zone_wrong(&tear->mask);
}

// Where it may tear

static bool in_zone(const clv_surgery *s, clv_dart dart) {
  return s->zoned.data[clv_id_of(s->map, CLV_CELL, dart).index];
}

// Sewn, with both cells in the zone and all corners in the mask. *good: false when memory is out.
static bool may_part(const clv_surgery *s, const clv_tear *tear, clv_dart facet, bool *good) {
  const clv_dart beyond = clv_alpha(s->map, facet, s->map->dimension);
  if (beyond == facet || !in_zone(s, facet) || !in_zone(s, beyond)) return false;
  return !tear->masked || surgery_facet_marked(s, facet, good);
}

// How a facet lies

static double dot(const double *a, const double *b) {
  return a[0] * b[0] + a[1] * b[1] + a[2] * b[2];
}

static const double *point_at(const clv_surgery *s, const double *points, clv_dart dart) {
  return points + 3 * (size_t)clv_id_of(s->map, CLV_VERTEX, dart).index;
}

static bool normalize(double *n) {
  const double length = sqrt(dot(n, n));
  for (uint32_t k = 0; k < 3; k++) n[k] = length > 0 ? n[k] / length : 0;
  return length > 0;
}

// Twice the area vector of a face, round its corners.
static void face_normal(const clv_surgery *s, const double *points, clv_dart facet, double *n) {
  const double *first = point_at(s, points, facet);
  clv_dart at = facet;
  n[0] = n[1] = n[2] = 0;
  do {
    const double *p = point_at(s, points, at), *q = point_at(s, points, clv_alpha(s->map, at, 0));
    for (uint32_t k = 0; k < 3; k++) {
      const uint32_t i = (k + 1) % 3, j = (k + 2) % 3;
      n[k] += (p[i] - first[i]) * (q[j] - first[j]) - (p[j] - first[j]) * (q[i] - first[i]);
    }
    at = clv_alpha(s->map, clv_alpha(s->map, at, 0), 1);
  } while (at != facet);
}

// Across an edge of a surface, in the plane of its cell: from the cell's centre.
static void edge_normal(const clv_surgery *s, const double *points, clv_dart facet, const double *centre, double *n) {
  const double *p = point_at(s, points, facet), *q = point_at(s, points, clv_alpha(s->map, facet, 0));
  double along[3];
  for (uint32_t k = 0; k < 3; k++) {
    along[k] = q[k] - p[k];
    n[k] = 0.5 * (p[k] + q[k]) - centre[k];
  }
  const double square = dot(along, along), part = square > 0 ? dot(n, along) / square : 0;
  for (uint32_t k = 0; k < 3; k++) n[k] -= part * along[k];
}

// The unit normal of a facet among positions or at rest; false where it has none. *good: false when memory is out.
static bool facet_normal(clv_surgery *s, const double *points, clv_dart facet, double *n, bool *good) {
  double centre[3];
  if (s->map->dimension == 3) {
    face_normal(s, points, facet, n);
    return normalize(n);
  }
  *good = surgery_cell_centre(s, facet, points, centre);
  if (!*good) return false;
  edge_normal(s, points, facet, centre, n);
  return normalize(n);
}

// n . m n, of a symmetric matrix xx yy zz xy yz zx.
static double across(const double *m, const double *n) {
  return m[0] * n[0] * n[0] + m[1] * n[1] * n[1] + m[2] * n[2] * n[2] +
         2 * (m[3] * n[0] * n[1] + m[4] * n[1] * n[2] + m[5] * n[2] * n[0]);
}

// Offers

// Where a facet lies among equals.
static double facet_along(const clv_surgery *s, clv_dart facet) {
  const double *rest = clv_body_rest(s->body);
  double sum = 0;
  uint32_t count = 0;
  clv_dart at = facet;
  do {
    sum += surgery_along(point_at(s, rest, at));
    count++;
    at = clv_alpha(s->map, at, 0);
    if (s->map->dimension == 3) at = clv_alpha(s->map, at, 1);
  } while (at != facet);
  return sum / count;
}

static clv_result offer(clv_surgery *s, surgery_weak weak) {
  weak.along = facet_along(s, weak.dart);
  if (!surgery_facet_key(s, weak.dart, &weak.key) ||
      !BASE_RESERVE(&s->allocator, &s->weak, (uint64_t)s->weak.count + 1))
    return surgery_no_memory(s);
  s->weak.data[s->weak.count++] = weak;
  return CLV_OK;
}

// The cell under test, and what it offers.
typedef struct test {
  const clv_tear *tear;
  clv_cell_state state;
  surgery_weak best; // of one that is stretched or under tension
  double along[3];   // of an edge
} test;

static clv_result test_stress(clv_surgery *s, clv_dart facet, void *user) {
  const test *t = user;
  double n[3];
  bool good = true;
  if (!may_part(s, t->tear, facet, &good) || !facet_normal(s, clv_body_positions(s->body), facet, n, &good))
    return good ? CLV_OK : surgery_no_memory(s);
  const double value = across(t->state.stress, n);
  if (!(value >= t->tear->threshold)) return CLV_OK;
  return offer(s, (surgery_weak){.value = value, .across = value, .dart = facet});
}

// Keeps the one that lies best; of those that lie as well but for rounding, the first.
static void prefer(const clv_surgery *s, test *t, clv_dart facet, double how_well) {
  static const double rounding = 1e-9;
  if (!(how_well > 0)) return;
  const surgery_weak weak = {.across = how_well, .along = facet_along(s, facet), .dart = facet};
  const double more = how_well - t->best.across, alike = rounding * how_well;
  if (!t->best.dart || more > alike || (more >= -alike && weak.along < t->best.along)) t->best = weak;
}

static clv_result test_stretch(clv_surgery *s, clv_dart facet, void *user) {
  test *t = user;
  double n[3];
  bool good = true;
  if (!may_part(s, t->tear, facet, &good) || !facet_normal(s, clv_body_rest(s->body), facet, n, &good))
    return good ? CLV_OK : surgery_no_memory(s);
  prefer(s, t, facet, across(t->state.strain, n));
  return CLV_OK;
}

static clv_result offer_best(clv_surgery *s, test *t, double value) {
  t->best.value = value;
  return t->best.dart ? offer(s, t->best) : CLV_OK;
}

// Most cells are far from tearing, and a bound on what they bear says so. A thousandth of a millionth is left to
// rounding.
static bool is_strong(const clv_surgery *s, clv_dart cell, const clv_tear *tear) {
  const double most =
      tear->kind == CLV_TEAR_STRAIN ? physics_stretch_bound(s->body, cell) - 1 : physics_stress_bound(s->body, cell);
  return most < (1 - 1e-9) * tear->threshold;
}

static clv_result test_cell(clv_surgery *s, clv_dart cell, test *t) {
  if (is_strong(s, cell, t->tear)) return CLV_OK;
  clv_body_cell_state(s->body, cell, &t->state);
  if (t->tear->kind == CLV_TEAR_STRESS) return surgery_each_facet(s, cell, test_stress, t);
  const double value = t->state.stretch[1] - 1;
  if (!(value >= t->tear->threshold)) return CLV_OK;
  t->best = (surgery_weak){0};
  const clv_result result = surgery_each_facet(s, cell, test_stretch, t);
  return result == CLV_OK ? offer_best(s, t, value) : result;
}

static clv_result test_cells(clv_surgery *s, const clv_tear *tear) {
  test t = {.tear = tear};
  clv_result result = CLV_OK;
  clv_dart cell;
  for (surgery_cursor at = {0}; result == CLV_OK && (cell = surgery_next_cell(s->map, &at));)
    if (in_zone(s, cell)) result = test_cell(s, cell, &t);
  return result;
}

// Springs

// The facets at the end of an edge where `dart` lies, from both their sides.
static clv_result test_end(clv_surgery *s, clv_dart dart, test *t) {
  const clv_orbit facets = CLV_CELL_FACET(s->map->dimension);
  clv_walk walk;
  clv_result result =
      clv_walk_incident(&walk, s->map, CLV_VERTEX, facets, dart) == CLV_OK ? CLV_OK : surgery_no_memory(s);
  for (uint32_t k = 0; result == CLV_OK && k < walk.count; k++) {
    double n[3];
    bool good = true;
    if (may_part(s, t->tear, walk.darts[k], &good) &&
        facet_normal(s, clv_body_positions(s->body), walk.darts[k], n, &good))
      prefer(s, t, walk.darts[k], fabs(dot(n, t->along)));
    else if (!good)
      result = surgery_no_memory(s);
  }
  clv_walk_end(&walk);
  return result;
}

static double edge_length(const clv_surgery *s, const double *points, clv_dart dart, double *along) {
  const double *p = point_at(s, points, dart), *q = point_at(s, points, clv_alpha(s->map, dart, 0));
  for (uint32_t k = 0; k < 3; k++) along[k] = q[k] - p[k];
  return sqrt(dot(along, along));
}

const clv_column *surgery_springs(const clv_surgery *s) {
  return clv_column_find(s->map, "ks");
}

double surgery_tension(const clv_surgery *s, const clv_column *springs, clv_dart edge) {
  double along[3];
  const double rest = edge_length(s, clv_body_rest(s->body), edge, along);
  const double stretched = edge_length(s, clv_body_positions(s->body), edge, along) - rest;
  return *(const double *)clv_column_at(springs, edge) * stretched;
}

static clv_result test_springs(clv_surgery *s, const clv_tear *tear) {
  const clv_column *springs = surgery_springs(s);
  if (!springs)
    return surgery_fail(s, CLV_ERROR_ARGUMENT,
                        "the body has no springs on its edges: let it tear by stress or by strain");
  clv_result result = CLV_OK;
  for (clv_id id = clv_id_next(s->map, CLV_EDGE, (clv_id){0, 0}); result == CLV_OK && id.index;
       id = clv_id_next(s->map, CLV_EDGE, id)) {
    const clv_dart dart = clv_id_dart(s->map, CLV_EDGE, id);
    test t = {.tear = tear};
    const double value = surgery_tension(s, springs, dart);
    if (!(value >= tear->threshold)) continue;
    edge_length(s, clv_body_positions(s->body), dart, t.along);
    if (!normalize(t.along)) continue;
    result = test_end(s, dart, &t);
    if (result == CLV_OK) result = test_end(s, clv_alpha(s->map, dart, 0), &t);
    if (result == CLV_OK) result = offer_best(s, &t, value);
  }
  return result;
}

// Choosing

static int compare_names(const void *a, const void *b) {
  const surgery_weak *p = a, *q = b;
  if (p->key != q->key) return p->key < q->key ? -1 : 1;
  if (p->value != q->value) return p->value > q->value ? -1 : 1;
  return (p->dart > q->dart) - (p->dart < q->dart);
}

static int compare_values(const void *a, const void *b) {
  const surgery_weak *p = a, *q = b;
  if (p->value != q->value) return p->value > q->value ? -1 : 1;
  if (p->along != q->along) return p->along < q->along ? -1 : 1;
  return (p->key > q->key) - (p->key < q->key);
}

// The worst of what was offered, in `facets`, whole.
static clv_result choose(clv_surgery *s, uint32_t most) {
  surgery_weak *weak = s->weak.data;
  uint32_t count = 0;
  if (s->weak.count) qsort(weak, s->weak.count, sizeof *weak, compare_names);
  for (uint32_t k = 0; k < s->weak.count; k++)
    if (!count || weak[k].key != weak[count - 1].key) weak[count++] = weak[k];
  if (count) qsort(weak, count, sizeof *weak, compare_values);
  if (most && count > most) count = most;
  s->facets.count = 0;
  if (!BASE_RESERVE(&s->allocator, &s->facets, count)) return surgery_no_memory(s);
  for (uint32_t k = 0; k < count; k++) s->facets.data[s->facets.count++] = weak[k].dart;
  return surgery_whole_facets(s);
}

static clv_result select_weak(clv_surgery *s, const clv_tear *tear) {
  clv_result result = surgery_mark_zone(s, &tear->zone);
  if (result == CLV_OK && tear->masked) result = surgery_mark_vertices(s, &tear->mask);
  if (result != CLV_OK) return result;
  s->weak.count = 0;
  result = tear->kind == CLV_TEAR_FORCE ? test_springs(s, tear) : test_cells(s, tear);
  if (tear->masked) surgery_unmark_vertices(s);
  return result == CLV_OK ? choose(s, tear->most) : result;
}

clv_result clv_surgery_tear(clv_surgery *s, const clv_tear *tear, clv_surgery_report *report) {
  if (report) *report = (clv_surgery_report){0};
  const char *wrong = clv_tear_wrong(tear);
  if (wrong) return surgery_fail(s, CLV_ERROR_ARGUMENT, "the tear makes no sense: %s", wrong);
  clv_result result = select_weak(s, tear);
  if (result != CLV_OK || !s->facets.count) return result;
  result = surgery_begin(s);
  return result == CLV_OK ? surgery_end(s, surgery_unsew_facets(s), report) : result;
}
