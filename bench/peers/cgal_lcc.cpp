/* cgal_lcc - the peer of bench_map: CGAL's linear cell complex on the lattices that Cleave is timed on.
 *
 *   cgal_lcc hex|tet [N [REPETITIONS]]    N^3 cubes (default 32), whole or cut into five tetrahedra each, mirrored
 *                                         by the parity of i+j+k so that the cuts agree
 *
 *   c++ -std=c++17 -O3 -DNDEBUG -o cgal_lcc cgal_lcc.cpp          (CGAL 5.5, header only; CGAL 6 adds -lgmp -lmpfr)
 *   ... -DLCC_USE_INDEX                                           (CGAL 5.6 and later: 32-bit indices, not pointers)
 *
 * It prints lines `PEER name value unit`, each time the best of the repetitions (default 5), and exits with 1 where a
 * count is not what the lattice says. One thread, processor time. Every figure is taken in two ways:
 *
 *   name          as the manual of the library shows it: make_hexahedron or make_tetrahedron, sew3_same_facets(),
 *                 one_dart_per_incident_cell, unsew<3>. This is what people write, and what Cleave is measured by.
 *   name_tuned    what a patient user gets out of the public interface after reading the library's source: points
 *                 merged by a hash before cells are made on them, facets linked without attribute management, walks
 *                 by hand.
 *
 * What was chosen, and why:
 *
 * - Combinatorial map, not generalized map: half the darts, so the stronger of CGAL's two. 0-attributes carry the
 *   point, 1-attributes a double with an on-split functor; 2- and 3-attributes are off, for nothing here needs them.
 * - Simple_cartesian<double>: points are only compared, and a filtered kernel has nothing to add to that.
 * - build: cells arrive with their own copies of their points and leave glued, points merged. As documented, the
 *   library merges vertex attributes sew by sew. Tuned, cells are made on shared vertices and a facet is glued as soon
 *   as its twin appears; there link_beta<3> does for sew<3>: the attributes agree already, and a whole facet is linked
 *   at a time, so the map stays valid.
 * - build_edges: the same, with a value on every edge in the end. As documented, each cell arrives with the values of
 *   its own edges, as it does with its own points, and gluing merges them. Tuned, edges get theirs after gluing.
 * - bytes: what the complex of build_edges holds from its allocator, free slots included, less the values of the
 *   vertices and edges there are (24 bytes a point, 8 a double). As documented, the slots of merged attributes stay
 *   behind, free: the library has no call that gives them back. Tuned, there never are any.
 * - vertex_to_volumes and edge_ring: one_dart_per_incident_cell<3,i> marks the volumes it meets dart by dart. Tuned,
 *   the walk follows beta. Around an edge that takes no mark at all; around a vertex it marks the darts at the vertex
 *   only, and clears them before it returns, so that it is a query that can be asked anywhere.
 * - unsew3: unsew<3> with attributes managed by the library, face after face over the lattice plane x = N/2, until the
 *   block is in two. One loop for both ways; tuned, it runs on the more compact complex. Switching the management off
 *   and on again around the loop was tried: its repair visits the whole map, about five times the price at N = 32.
 * - Builds repeat in one process and memory freed by one is kept for the next, so that what is measured is the
 *   library's work and not the kernel's, which zeroes fresh pages.
 */
#include <CGAL/Linear_cell_complex_for_combinatorial_map.h>
#include <CGAL/Simple_cartesian.h>
#include <CGAL/version.h>

#include <algorithm>
#include <array>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <ctime>
#include <memory>
#include <tuple>
#include <utility>
#include <vector>

#ifdef __GLIBC__
#include <malloc.h>
#endif

#define LCC_HAS_DESCRIPTORS (CGAL_VERSION_NR >= 1050600000) // 5.6 renamed handles and brought indices
#if defined(LCC_USE_INDEX) && !LCC_HAS_DESCRIPTORS
#error "LCC_USE_INDEX needs CGAL 5.6 or later"
#endif

namespace {

constexpr int self_test_size = 4;

// ---------------------------------------------------------------------------------------------------- the complex

std::size_t bytes_held; // by all complexes alive

template <class T> struct Counting_allocator {
  using value_type = T;
  Counting_allocator() = default;
  template <class U> Counting_allocator(const Counting_allocator<U> &) {}
  T *allocate(std::size_t n) {
    bytes_held += n * sizeof(T);
    return std::allocator<T>().allocate(n);
  }
  void deallocate(T *p, std::size_t n) {
    bytes_held -= n * sizeof(T);
    std::allocator<T>().deallocate(p, n);
  }
  template <class U> bool operator==(const Counting_allocator<U> &) const { return true; }
  template <class U> bool operator!=(const Counting_allocator<U> &) const { return false; }
};

struct Copy_info {
  template <class Attribute> void operator()(Attribute &from, Attribute &to) const { to.info() = from.info(); }
};

struct Items {
#ifdef LCC_USE_INDEX
  using Use_index = CGAL::Tag_true;
  using Index_type = std::uint32_t;
#endif
  template <class Map> struct Dart_wrapper {
    using Vertex_attribute = CGAL::Cell_attribute_with_point<Map>;
    using Edge_attribute = CGAL::Cell_attribute<Map, double, CGAL::Tag_true, CGAL::Null_functor, Copy_info>;
    using Attributes = std::tuple<Vertex_attribute, Edge_attribute>;
  };
};

using Traits = CGAL::Linear_cell_complex_traits<3, CGAL::Simple_cartesian<double>>;
using Complex = CGAL::Linear_cell_complex_for_combinatorial_map<3, 3, Traits, Items, Counting_allocator<int>>;
using Point = Complex::Point;
using Dart = Complex::Dart_handle;
using Vertex = Complex::Vertex_attribute_handle;
using Mark = Complex::size_type;

constexpr std::size_t value_bytes_per_vertex = sizeof(Point), value_bytes_per_edge = sizeof(double);

// ---------------------------------------------------------------------------------------------------- the lattices

struct Counts {
  std::size_t cells, vertices, edges, faces;
  std::size_t plane_vertices, plane_edges, plane_faces; // on one inner lattice plane
};

// A cell type knows how CGAL makes it: which dart lies on which facet, and the corners met from there by beta<1>.
struct Hexahedron {
  static constexpr int corners = 8, edges = 12, facets = 6, facet_size = 4;
  static constexpr int cycle[facets][facet_size] = {{0, 5, 6, 1}, {5, 0, 3, 4}, {6, 5, 4, 7},
                                                    {1, 6, 7, 2}, {0, 1, 2, 3}, {4, 3, 2, 7}};

  template <class Corner> static Dart make(Complex &lcc, const Corner *c) {
    return lcc.make_hexahedron(c[0], c[1], c[2], c[3], c[4], c[5], c[6], c[7]);
  }

  static std::array<Dart, facets> facet_darts(Complex &lcc, Dart d) {
    return {d, lcc.beta<2>(d), lcc.beta<1, 2>(d), lcc.beta<1, 1, 2>(d), lcc.beta<0, 2>(d), lcc.beta<2, 1, 1, 2>(d)};
  }

  static std::vector<Point> lattice(int n) {
    static constexpr int offset[corners][3] = {{0, 0, 0}, {1, 0, 0}, {1, 1, 0}, {0, 1, 0},
                                               {0, 1, 1}, {0, 0, 1}, {1, 0, 1}, {1, 1, 1}};
    std::vector<Point> points;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          for (const auto &o : offset) points.emplace_back(i + o[0], j + o[1], k + o[2]);
    return points;
  }

  static Counts expected(std::size_t n) {
    const std::size_t m = n + 1;
    return {n * n * n, m * m * m, 3 * n * m * m, 3 * n * n * m, m * m, 2 * n * m, n * n};
  }
};

struct Tetrahedron {
  static constexpr int corners = 4, edges = 6, facets = 4, facet_size = 3;
  static constexpr int cycle[facets][facet_size] = {{0, 1, 2}, {1, 0, 3}, {2, 1, 3}, {0, 2, 3}};

  template <class Corner> static Dart make(Complex &lcc, const Corner *c) {
    return lcc.make_tetrahedron(c[0], c[1], c[2], c[3]);
  }

  static std::array<Dart, facets> facet_darts(Complex &lcc, Dart d) {
    return {d, lcc.beta<2>(d), lcc.beta<1, 2>(d), lcc.beta<0, 2>(d)};
  }

  static std::vector<Point> lattice(int n) {
    // Corner b of a cube lies at (b & 1, b >> 1 & 1, b >> 2). Four tetrahedra cut off every other corner, the fifth is
    // what remains. Mirroring in x turns them over; so does the exchange of the last two corners.
    static constexpr int cut[5][corners] = {{0, 1, 2, 4}, {3, 2, 1, 7}, {5, 4, 7, 1}, {6, 7, 4, 2}, {1, 2, 4, 7}};
    std::vector<Point> points;
    for (int k = 0; k < n; ++k)
      for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i)
          for (const auto &t : cut) {
            const int mirror = (i + j + k) & 1;
            for (int c : {0, 1, 2 + mirror, 3 - mirror}) {
              const int b = t[c] ^ mirror;
              points.emplace_back(i + (b & 1), j + (b >> 1 & 1), k + (b >> 2));
            }
          }
    return points;
  }

  static Counts expected(std::size_t n) { // the hexahedral lattice, one diagonal on every square
    const Counts hex = Hexahedron::expected(n);
    return {5 * hex.cells,         hex.vertices,
            hex.edges + hex.faces, 2 * hex.faces + 4 * hex.cells,
            hex.plane_vertices,    hex.plane_edges + hex.plane_faces,
            2 * hex.plane_faces};
  }
};

// -------------------------------------------------------------------------------------------------------- building

void give_edges(Complex &lcc, Dart cell) {
  auto range = lcc.one_dart_per_incident_cell<1, 3>(cell);
  for (auto it = range.begin(), end = range.end(); it != end; ++it)
    lcc.set_attribute<1>(it, lcc.create_attribute<1>(1.0));
}

template <class Cell> void build_same_facets(Complex &lcc, const std::vector<Point> &points, bool edges) {
  for (std::size_t p = 0; p < points.size(); p += Cell::corners) {
    const Dart cell = Cell::make(lcc, &points[p]);
    if (edges) give_edges(lcc, cell);
  }
  lcc.sew3_same_facets();
}

// Numbers points by first appearance, equal coordinates alike. Open addressing, at most half full.
class Point_numbers {
public:
  std::uint32_t number(const Point &p) {
    if (2 * points.size() >= slots.size()) grow();
    std::uint32_t &slot = find(p);
    if (slot == 0) {
      points.push_back(p);
      slot = static_cast<std::uint32_t>(points.size());
    }
    return slot - 1;
  }

private:
  std::vector<Point> points;
  std::vector<std::uint32_t> slots = std::vector<std::uint32_t>(1024); // number + 1; 0 is free

  static std::uint64_t hash(const Point &p) {
    std::uint64_t h = 0;
    for (int axis = 0; axis < 3; ++axis) {
      const double x = p[axis] + 0.0; // -0 and 0 are equal
      std::uint64_t bits;
      std::memcpy(&bits, &x, sizeof bits);
      h ^= bits;
      for (int round = 0; round < 2; ++round) h = (h ^ h >> 32) * 0xD6E8FEB86659FD93u;
    }
    return h ^ h >> 32;
  }

  std::uint32_t &find(const Point &p) {
    std::size_t s = hash(p) & (slots.size() - 1);
    while (slots[s] != 0 && points[slots[s] - 1] != p) s = (s + 1) & (slots.size() - 1);
    return slots[s];
  }

  void grow() {
    slots.assign(2 * slots.size(), 0);
    for (std::size_t i = 0; i < points.size(); ++i) find(points[i]) = static_cast<std::uint32_t>(i + 1);
  }
};

// Facets that have not met their twin wait in a list at their lowest vertex. That vertex and its two neighbours in the
// facet name it; the twin runs the other way round, so it sees the neighbours exchanged.
class Waiting_facets {
public:
  // The dart, at the lowest vertex, of the facet put with these neighbours; or false.
  bool take(std::uint32_t lowest, std::uint32_t next, std::uint32_t previous, Dart &dart) {
    if (lowest >= first.size()) return false;
    for (std::uint32_t *link = &first[lowest]; *link != 0; link = &facets[*link].link) {
      const std::uint32_t f = *link;
      if (facets[f].next != next || facets[f].previous != previous) continue;
      dart = facets[f].dart;
      *link = facets[f].link;
      facets[f].link = free;
      free = f;
      return true;
    }
    return false;
  }

  void put(std::uint32_t lowest, std::uint32_t next, std::uint32_t previous, Dart dart) {
    if (lowest >= first.size()) first.resize(lowest + 1);
    std::uint32_t f = free;
    if (f != 0) {
      free = facets[f].link;
    } else {
      f = static_cast<std::uint32_t>(facets.size());
      facets.emplace_back();
    }
    facets[f] = {next, previous, first[lowest], dart};
    first[lowest] = f;
  }

private:
  struct Facet {
    std::uint32_t next, previous, link;
    Dart dart;
  };
  std::vector<std::uint32_t> first; // by vertex; 0 ends a list
  std::vector<Facet> facets = std::vector<Facet>(1);
  std::uint32_t free = 0;
};

// Links two facets of opposite orientation, a and b on one edge, whose vertex attributes are shared already.
void link_facets(Complex &lcc, Dart a, Dart b) {
  const Dart start = a;
  do {
    lcc.link_beta<3>(a, b);
    a = lcc.beta<1>(a);
    b = lcc.beta<0>(b);
  } while (a != start);
}

template <class Cell> void build_hash(Complex &lcc, const std::vector<Point> &points) {
  constexpr int size = Cell::facet_size;
  Point_numbers numbers;
  std::vector<Vertex> vertices; // by number
  Waiting_facets waiting;
  for (std::size_t p = 0; p < points.size(); p += Cell::corners) {
    std::uint32_t id[Cell::corners];
    Vertex corner[Cell::corners];
    for (int c = 0; c < Cell::corners; ++c) {
      id[c] = numbers.number(points[p + c]);
      if (id[c] == vertices.size()) vertices.push_back(lcc.create_vertex_attribute(points[p + c]));
      corner[c] = vertices[id[c]];
    }
    const auto darts = Cell::facet_darts(lcc, Cell::make(lcc, corner));
    for (int f = 0; f < Cell::facets; ++f) {
      const int *cycle = Cell::cycle[f];
      int low = 0;
      for (int i = 1; i < size; ++i)
        if (id[cycle[i]] < id[cycle[low]]) low = i;
      Dart dart = darts[f], twin;
      for (int i = 0; i < low; ++i) dart = lcc.beta<1>(dart);
      const std::uint32_t lowest = id[cycle[low]];
      const std::uint32_t next = id[cycle[(low + 1) % size]], previous = id[cycle[(low + size - 1) % size]];
      if (waiting.take(lowest, previous, next, twin))
        link_facets(lcc, dart, lcc.beta<0>(twin));
      else
        waiting.put(lowest, next, previous, dart);
    }
  }
}

// --------------------------------------------------------------------------------------------------------- walking

template <class Visit> void for_each_vertex(Complex &lcc, Visit visit) {
  for (auto it = lcc.attributes<0>().begin(), end = lcc.attributes<0>().end(); it != end; ++it)
    visit(lcc.dart_of_attribute<0>(it));
}

template <class Visit> void for_each_edge(Complex &lcc, Visit visit) {
  for (auto it = lcc.attributes<1>().begin(), end = lcc.attributes<1>().end(); it != end; ++it)
    visit(lcc.dart_of_attribute<1>(it));
}

// One dart of every volume around the i-cell of `dart`, in the library's way.
template <unsigned i, class Visit> void incident_volumes(Complex &lcc, Dart dart, Visit visit) {
  auto range = lcc.one_dart_per_incident_cell<3, i>(dart);
  for (auto it = range.begin(), end = range.end(); it != end; ++it) visit(Dart(it));
}

// One dart of every volume around an edge: through beta<2> to the other facet of the volume, through beta<3> out of
// it. At the boundary it starts again and turns the other way.
template <class Visit> void edge_volumes(Complex &lcc, Dart start, Visit visit) {
  Dart d = start;
  do {
    visit(d);
    d = lcc.beta<2>(d);
    if (lcc.is_free<3>(d)) {
      for (d = start; !lcc.is_free<3>(d);) {
        d = lcc.beta<3, 2>(d);
        visit(d);
      }
      return;
    }
    d = lcc.beta<3>(d);
  } while (d != start);
}

// Gives one dart of every volume around a vertex. The darts of one volume at one vertex form a small cycle under
// beta<0,2>; each of them leads, by beta<0,3>, to the next volume. `volumes` is the queue and then the answer.
void vertex_volumes(Complex &lcc, Dart start, Mark mark, std::vector<Dart> &volumes) {
  const auto reach = [&](Dart volume) {
    volumes.push_back(volume);
    Dart d = volume;
    do {
      lcc.mark(d, mark);
      d = lcc.beta<0, 2>(d);
    } while (d != volume);
  };
  volumes.clear();
  reach(start);
  for (std::size_t v = 0; v < volumes.size(); ++v) {
    const Dart volume = volumes[v];
    Dart d = volume;
    do {
      const Dart before = lcc.beta<0>(d);
      if (!lcc.is_free<3>(before)) {
        const Dart across = lcc.beta<3>(before);
        if (!lcc.is_marked(across, mark)) reach(across);
      }
      d = lcc.beta<2>(before);
    } while (d != volume);
  }
}

void unmark_vertex(Complex &lcc, Mark mark, const std::vector<Dart> &volumes) {
  for (const Dart volume : volumes) {
    Dart d = volume;
    do {
      lcc.unmark(d, mark);
      d = lcc.beta<0, 2>(d);
    } while (d != volume);
  }
}

std::size_t count_vertex_volumes_iterator(Complex &lcc) {
  std::size_t count = 0;
  for_each_vertex(lcc, [&](Dart d) { incident_volumes<0>(lcc, d, [&](Dart) { ++count; }); });
  return count;
}

std::size_t count_vertex_volumes_walk(Complex &lcc) {
  std::size_t count = 0;
  std::vector<Dart> volumes;
  const Mark mark = lcc.get_new_mark();
  for_each_vertex(lcc, [&](Dart d) {
    vertex_volumes(lcc, d, mark, volumes);
    unmark_vertex(lcc, mark, volumes);
    count += volumes.size();
  });
  lcc.free_mark(mark);
  return count;
}

std::size_t count_edge_volumes_iterator(Complex &lcc) {
  std::size_t count = 0;
  for_each_edge(lcc, [&](Dart d) { incident_volumes<1>(lcc, d, [&](Dart) { ++count; }); });
  return count;
}

std::size_t count_edge_volumes_walk(Complex &lcc) {
  std::size_t count = 0;
  for_each_edge(lcc, [&](Dart d) { edge_volumes(lcc, d, [&](Dart) { ++count; }); });
  return count;
}

// ------------------------------------------------------------------------------------------ edge attributes, faces

bool has_edge_attribute(Complex &lcc, Dart d) {
#if LCC_HAS_DESCRIPTORS
  return lcc.attribute<1>(d) != Complex::null_descriptor;
#else
  return lcc.attribute<1>(d) != Complex::null_handle;
#endif
}

// A volume holds two darts of an edge. Setting them along the ring spares the orbit iterator of set_attribute<1>.
void add_edge_attributes(Complex &lcc) {
  for (auto it = lcc.darts().begin(), end = lcc.darts().end(); it != end; ++it) {
    if (has_edge_attribute(lcc, it)) continue;
    const auto edge = lcc.create_attribute<1>(1.0);
    edge_volumes(lcc, it, [&](Dart d) {
      lcc.set_dart_attribute<1>(d, edge);
      lcc.set_dart_attribute<1>(lcc.beta<2>(d), edge);
    });
  }
}

// One dart of every face in the lattice plane at x, in the order of the cells.
std::vector<Dart> faces_in_plane(Complex &lcc, double x) {
  std::vector<Dart> faces;
  auto range = lcc.one_dart_per_cell<2>();
  for (auto it = range.begin(), end = range.end(); it != end; ++it) {
    const Dart first = it;
    Dart d = first;
    bool inside = true;
    do {
      inside = inside && lcc.point(d).x() == x;
      d = lcc.beta<1>(d);
    } while (inside && d != first);
    if (inside) faces.push_back(first);
  }
  return faces;
}

// ------------------------------------------------------------------------------------------------------- the bench

void check(const char *what, std::size_t found, std::size_t expected) {
  if (found == expected) return;
  std::fprintf(stderr, "cgal_lcc: %s: %zu, expected %zu\n", what, found, expected);
  std::exit(1);
}

void check_counts(Complex &lcc, const Counts &expected) {
  check("vertices", lcc.number_of_attributes<0>(), expected.vertices);
  check("edges", lcc.number_of_attributes<1>(), expected.edges);
  const std::vector<unsigned> cells = lcc.count_all_cells();
  check("0-cells", cells[0], expected.vertices);
  check("1-cells", cells[1], expected.edges);
  check("2-cells", cells[2], expected.faces);
  check("3-cells", cells[3], expected.cells);
}

void check_cut(Complex &lcc, const Counts &expected) {
  check("vertices after the cut", lcc.number_of_attributes<0>(), expected.vertices + expected.plane_vertices);
  check("edges after the cut", lcc.number_of_attributes<1>(), expected.edges + expected.plane_edges);
}

double processor_seconds() {
  timespec t;
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

template <class Work> double seconds(Work work) {
  const double start = processor_seconds();
  work();
  return processor_seconds() - start;
}

double best(const std::vector<double> &values) {
  return *std::min_element(values.begin(), values.end());
}

// The library as its manual shows it.
template <class Cell> struct Documented {
  static constexpr const char *suffix = "";
  static void build(Complex &lcc, const std::vector<Point> &points) { build_same_facets<Cell>(lcc, points, false); }
  static void build_edges(Complex &lcc, const std::vector<Point> &points) {
    build_same_facets<Cell>(lcc, points, true);
  }
  static std::size_t count_vertex_volumes(Complex &lcc) { return count_vertex_volumes_iterator(lcc); }
  static std::size_t count_edge_volumes(Complex &lcc) { return count_edge_volumes_iterator(lcc); }
};

// The same, by hand.
template <class Cell> struct Tuned {
  static constexpr const char *suffix = "_tuned";
  static void build(Complex &lcc, const std::vector<Point> &points) { build_hash<Cell>(lcc, points); }
  static void build_edges(Complex &lcc, const std::vector<Point> &points) {
    build_hash<Cell>(lcc, points);
    add_edge_attributes(lcc);
  }
  static std::size_t count_vertex_volumes(Complex &lcc) { return count_vertex_volumes_walk(lcc); }
  static std::size_t count_edge_volumes(Complex &lcc) { return count_edge_volumes_walk(lcc); }
};

void print(const char *name, const char *suffix, double value, const char *unit) {
  std::printf("PEER %s%s %.2f %s\n", name, suffix, value, unit);
}

void print_count(const char *name, std::size_t count) {
  std::printf("PEER %s %zu count\n", name, count);
}

template <class Cell> class Bench {
public:
  Bench(int n, int repetitions)
      : points(Cell::lattice(n)), expected(Cell::expected(static_cast<std::size_t>(n))), plane(n / 2),
        repetitions(repetitions) {
    check("cells", points.size() / Cell::corners, expected.cells);
    print_count("cells", expected.cells);
    print_count("vertices", expected.vertices);
    print_count("edges", expected.edges);
    print_count("faces", expected.faces);
    print_count("vertex_incidences", at_vertices());
    print_count("edge_incidences", at_edges());
    print_count("plane_faces", expected.plane_faces);
  }

  template <class Way> void run() {
    const double cells = static_cast<double>(expected.cells);
    print("build", Way::suffix, 1e9 * time_build(Way::build) / cells, "ns/cell");
    time_edges_and_cut<Way>();

    const std::size_t before = bytes_held;
    Complex lcc;
    Way::build_edges(lcc, points);
    check_counts(lcc, expected);
    const std::size_t values = expected.vertices * value_bytes_per_vertex + expected.edges * value_bytes_per_edge;
    print("bytes", Way::suffix, static_cast<double>(bytes_held - before - values) / cells, "B/cell");

    print("vertex_to_volumes", Way::suffix, 1e9 * time_walk(lcc, at_vertices(), Way::count_vertex_volumes),
          "ns/incidence");
    print("edge_ring", Way::suffix, 1e9 * time_walk(lcc, at_edges(), Way::count_edge_volumes), "ns/incidence");
  }

private:
  const std::vector<Point> points;
  const Counts expected;
  const double plane;
  const int repetitions;

  std::size_t at_vertices() const { return expected.cells * Cell::corners; }
  std::size_t at_edges() const { return expected.cells * Cell::edges; }

  template <class Build> double time_build(Build build) const {
    std::vector<double> times;
    for (int r = 0; r < repetitions; ++r) {
      Complex lcc;
      times.push_back(seconds([&] { build(lcc, points); }));
      check("vertices", lcc.number_of_attributes<0>(), expected.vertices);
    }
    return best(times);
  }

  template <class Way> void time_edges_and_cut() const {
    std::vector<double> build_times, cut_times;
    for (int r = 0; r < repetitions; ++r) {
      Complex lcc;
      build_times.push_back(seconds([&] { Way::build_edges(lcc, points); }));
      const std::vector<Dart> faces = faces_in_plane(lcc, plane);
      check("faces in the plane", faces.size(), expected.plane_faces);
      cut_times.push_back(seconds([&] {
        for (const Dart face : faces) lcc.unsew<3>(face);
      }));
      check_cut(lcc, expected);
    }
    print("build_edges", Way::suffix, 1e9 * best(build_times) / static_cast<double>(expected.cells), "ns/cell");
    print("unsew3", Way::suffix, 1e9 * best(cut_times) / static_cast<double>(expected.plane_faces), "ns/unsew");
  }

  // Seconds per incidence.
  template <class Pass> double time_walk(Complex &lcc, std::size_t incidences, Pass pass) const {
    std::vector<double> times;
    for (int r = 0; r < repetitions; ++r) {
      std::size_t count = 0;
      times.push_back(seconds([&] { count = pass(lcc); }));
      check("incidences", count, incidences);
    }
    return best(times) / static_cast<double>(incidences);
  }
};

// The whole course on a small lattice, with what is too slow for a large one: full validity, both builds isomorphic,
// both walks alike around each cell.
template <class Cell> void self_test() {
  const std::vector<Point> points = Cell::lattice(self_test_size);
  const Counts expected = Cell::expected(self_test_size);
  Complex lcc, other;
  Tuned<Cell>::build_edges(lcc, points);
  Documented<Cell>::build_edges(other, points);
  check("the tuned build is valid", lcc.is_valid(), true);
  check("the documented build is valid", other.is_valid(), true);
  check("the two builds are isomorphic", lcc.is_isomorphic_to(other), true);
  check_counts(lcc, expected);
  check_counts(other, expected);

  std::vector<Dart> volumes;
  const Mark mark = lcc.get_new_mark();
  for_each_vertex(lcc, [&](Dart d) {
    std::size_t count = 0;
    incident_volumes<0>(lcc, d, [&](Dart) { ++count; });
    vertex_volumes(lcc, d, mark, volumes);
    unmark_vertex(lcc, mark, volumes);
    check("volumes around a vertex", volumes.size(), count);
  });
  check("marks left behind", lcc.number_of_marked_darts(mark), 0);
  lcc.free_mark(mark);
  for_each_edge(lcc, [&](Dart d) {
    std::size_t count = 0, walked = 0;
    incident_volumes<1>(lcc, d, [&](Dart) { ++count; });
    edge_volumes(lcc, d, [&](Dart) { ++walked; });
    check("volumes around an edge", walked, count);
  });

  for (Complex *complex : {&lcc, &other}) {
    for (const Dart face : faces_in_plane(*complex, self_test_size / 2)) complex->unsew<3>(face);
    check("the cut complex is valid", complex->is_valid(), true);
    check_cut(*complex, expected);
  }
}

template <class Cell> void run(int n, int repetitions) {
  self_test<Cell>();
  Bench<Cell> bench(n, repetitions);
  bench.template run<Documented<Cell>>();
  bench.template run<Tuned<Cell>>();
}

} // namespace

int main(int argc, char **argv) {
  const bool hex = argc > 1 && std::strcmp(argv[1], "hex") == 0, tet = argc > 1 && std::strcmp(argv[1], "tet") == 0;
  const int n = argc > 2 ? std::atoi(argv[2]) : 32, repetitions = argc > 3 ? std::atoi(argv[3]) : 5;
  if (argc > 4 || hex == tet || n < 2 || n > 256 || repetitions < 1) {
    std::fprintf(stderr, "usage: cgal_lcc hex|tet [N [REPETITIONS]]    2 <= N <= 256, default 32; default 5\n");
    return 2;
  }
#ifdef __GLIBC__
  mallopt(M_MMAP_MAX, 0);
  mallopt(M_TRIM_THRESHOLD, -1);
#endif
#ifdef LCC_USE_INDEX
  std::printf("# CGAL %s, combinatorial map with indices\n", CGAL_STR(CGAL_VERSION));
#else
  std::printf("# CGAL %s, combinatorial map with handles\n", CGAL_STR(CGAL_VERSION));
#endif
  if (hex)
    run<Hexahedron>(n, repetitions);
  else
    run<Tetrahedron>(n, repetitions);
  return 0;
}
