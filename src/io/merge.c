// Merging equal points. See merge.h.

#include "io/merge.h"

static bool is_less(const double *a, const double *b) {
  for (int c = 0; c < 2; c++) {
    if (a[c] != b[c]) return a[c] < b[c];
  }
  return a[2] < b[2];
}

static bool are_equal(const double *a, const double *b) {
  return a[0] == b[0] && a[1] == b[1] && a[2] == b[2];
}

// Merges two sorted runs that lie side by side. Of equal points the one that came first stays first.
static void merge_runs(const double (*points)[3], const uint32_t *from, uint32_t *to, size_t middle, size_t end) {
  size_t left = 0, right = middle;
  for (size_t i = 0; i < end; i++) {
    bool take_right = right < end && (left == middle || is_less(points[from[right]], points[from[left]]));
    to[i] = from[take_right ? right++ : left++];
  }
}

// Returns the array, of the two, that is sorted at the end.
static uint32_t *sort(const double (*points)[3], uint32_t *order, uint32_t *other, size_t count) {
  for (size_t run = 1; run < count; run *= 2) {
    for (size_t begin = 0; begin < count; begin += 2 * run) {
      size_t left = count - begin;
      merge_runs(points, order + begin, other + begin, run < left ? run : left, 2 * run < left ? 2 * run : left);
    }
    uint32_t *sorted = other;
    other = order;
    order = sorted;
  }
  return order;
}

bool io_merge_points(io_reader *r, const double (*points)[3], size_t count, uint32_t *numbers) {
  if (count > UINT32_MAX) return io_fail(r, "more than 4294967295 corners cannot be numbered");
  uint32_t *order = io_scratch_new(r, count, sizeof *order), *other = io_scratch_new(r, count, sizeof *other);
  if (!io_ok(r)) return false;
  for (size_t i = 0; i < count; i++) order[i] = (uint32_t)i;
  order = sort(points, order, other, count);
  // First each point gets the first that is equal to it, then those get their numbers.
  for (size_t i = 0, first = 0; i < count; i++) {
    if (i && !are_equal(points[order[i]], points[order[i - 1]])) first = i;
    numbers[order[i]] = order[first];
  }
  for (size_t i = 0; i < count && io_ok(r); i++) {
    bool is_first = numbers[i] == i;
    numbers[i] = is_first ? (uint32_t)r->mesh->point_count : numbers[numbers[i]];
    if (is_first) io_add_point(r, points[i]);
  }
  return io_ok(r);
}
