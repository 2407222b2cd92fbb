// Meshes that a format keeps bit by bit. What each of them can hold, and in which order it stands in the file, is
// written here a second time, by hand: the tests of round trips compare the formats with this. See mesh_files.h.

#include "support/mesh_files.h"

#include <string.h>

static const uint32_t corners[] = {3, 1, 4, 0, 5, 9, 2, 6, 8, 7, 11, 10};

static bool begins(const char *format, const char *with) {
  return strncmp(format, with, strlen(with)) == 0;
}

bool format_is_stl(const char *format) {
  return begins(format, "stl");
}

bool format_is_set(const char *format) {
  return strcmp(format, "tetgen") == 0;
}

bool format_is_surface(const char *format) {
  return begins(format, "obj") || begins(format, "stl") || begins(format, "ply") || begins(format, "tetgen-surface");
}

static void add(clv_mesh *mesh, clv_kind kind, size_t from, int32_t tag) {
  size_t count = kind == CLV_POLYGON ? 5 : (size_t)clv_kind_corners(kind);
  assert_int_equal(clv_mesh_add_element(mesh, kind, corners + from, count, tag), CLV_OK);
}

static void add_all(clv_mesh *mesh, const clv_kind *kinds, const int32_t *tags, size_t count) {
  for (size_t i = 0; i < count; i++) add(mesh, kinds[i], i % 4, tags[i]);
}

#define KINDS(...)                                                                                                     \
  (const clv_kind[]) {                                                                                                 \
    __VA_ARGS__                                                                                                        \
  }
#define TAGS(...)                                                                                                      \
  (const int32_t[]) {                                                                                                  \
    __VA_ARGS__                                                                                                        \
  }

static void add_field(clv_mesh *mesh, const char *name, clv_field_place place, uint32_t components, double step,
                      double wrap) {
  double *values;
  size_t count = place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count;
  assert_int_equal(clv_mesh_add_field(mesh, name, place, components, &values), CLV_OK);
  for (size_t i = 0; i < count * components; i++) {
    double value = step * (double)i;
    values[i] = value - wrap * (double)(int)(value / wrap);
  }
}

static void add_region(clv_mesh *mesh, int32_t dimension, int32_t tag, const char *name) {
  assert_int_equal(clv_mesh_add_region(mesh, dimension, tag, name), CLV_OK);
}

// The points of the mesh with everything, whose numbers are hard to write.
static void hard_points(clv_mesh *mesh) {
  clv_mesh all;
  make_sample_mesh(&all, 0);
  clv_mesh_init(mesh, NULL);
  for (size_t i = 0; i < all.point_count; i++) {
    clv_mesh_add_point(mesh, all.points[i][0], all.points[i][1], all.points[i][2]);
  }
  clv_mesh_free(&all);
}

// Short ones, that are 32-bit floats too.
static void short_points(clv_mesh *mesh) {
  clv_mesh_init(mesh, NULL);
  for (int i = 0; i < 12; i++) clv_mesh_add_point(mesh, 0.5 * i, -0.25 * (i % 5), 1e6 + i * i);
}

// Sections by kind.
static void make_medit(clv_mesh *mesh) {
  hard_points(mesh);
  add_all(mesh,
          KINDS(CLV_LINE, CLV_LINE, CLV_TRI, CLV_QUAD, CLV_QUAD, CLV_TET, CLV_TET, CLV_PRISM, CLV_PYRAMID, CLV_HEX),
          TAGS(9, -1, 7, 0, 2147483647, 7, 5, -2147483647 - 1, 0, 3), 10);
  add_field(mesh, "ref", CLV_ON_POINTS, 1, 7, 1000);
}

// Files by kind.
static void make_tetgen(clv_mesh *mesh) {
  hard_points(mesh);
  add_all(mesh, KINDS(CLV_TET, CLV_TET, CLV_TET, CLV_TRI, CLV_TRI, CLV_LINE), TAGS(7, -3, 0, 9, 0, 2147483647), 6);
  add_field(mesh, "attribute", CLV_ON_POINTS, 2, 0.1, 100);
  add_field(mesh, "marker", CLV_ON_POINTS, 1, 3, 1000);
}

static void make_tetgen_surface(clv_mesh *mesh) {
  hard_points(mesh);
  add_all(mesh, KINDS(CLV_TRI, CLV_POLYGON, CLV_QUAD, CLV_TRI), TAGS(7, -3, 0, 9), 4);
  add_field(mesh, "attribute", CLV_ON_POINTS, 1, 0.3, 100);
  add_field(mesh, "marker", CLV_ON_POINTS, 1, 3, 1000);
}

// Regions with names are numbered from 1, as they first come; those without keep their numbers.
static void make_abaqus(clv_mesh *mesh) {
  short_points(mesh);
  add_all(mesh, KINDS(CLV_TET, CLV_TET, CLV_HEX, CLV_PRISM, CLV_PYRAMID, CLV_TRI, CLV_LINE, CLV_QUAD, CLV_TET, CLV_TET),
          TAGS(1, 1, 0, -3, 7, 2, 9, 0, 1, 3), 10);
  add_region(mesh, 3, 1, "left-lobe");
  add_region(mesh, 2, 2, "Skin");
  add_region(mesh, 3, 3, "right_lobe");
  add_field(mesh, "fixed", CLV_ON_POINTS, 1, 1, 2);
  add_field(mesh, "Free.1", CLV_ON_POINTS, 1, 0.5, 1.5);
  for (size_t i = 0; i < mesh->point_count; i++) mesh->fields[1].values[i] = i > 2;
}

static void make_obj(clv_mesh *mesh) {
  hard_points(mesh);
  add_all(mesh, KINDS(CLV_TRI, CLV_QUAD, CLV_POLYGON, CLV_LINE, CLV_POINT, CLV_TRI, CLV_TRI), TAGS(0, 1, 1, 9, 9, 0, 2),
          7);
  add_region(mesh, 2, 1, "left lobe");
  add_region(mesh, 2, 2,
             "\xc3\xa4u\xc3\x9f"
             "ere Haut");
  add_field(mesh, "color", CLV_ON_POINTS, 3, 0.1, 1);
}

// Points in the order of the corners, and no two equal.
static void make_stl(clv_mesh *mesh, bool named) {
  static const uint32_t triangles[][3] = {{0, 1, 2}, {2, 1, 3}, {4, 5, 0}, {6, 7, 8}, {9, 10, 11}};
  static const int32_t tags[] = {0, 1, 1, 65535, 2};
  short_points(mesh);
  for (int i = 0; i < 5; i++) {
    assert_int_equal(clv_mesh_add_element(mesh, CLV_TRI, triangles[i], 3, tags[i]), CLV_OK);
  }
  if (!named) return;
  add_region(mesh, 2, 1, "left lobe");
  add_region(mesh, 2, 2, "right lobe");
}

// Lines come behind the faces.
static void make_ply(clv_mesh *mesh) {
  hard_points(mesh);
  add_all(mesh, KINDS(CLV_TRI, CLV_QUAD, CLV_POLYGON, CLV_TRI, CLV_LINE, CLV_LINE),
          TAGS(0, 7, -3, 2147483647, 9, -2147483647 - 1), 6);
  add_field(mesh, "temperature", CLV_ON_POINTS, 1, 0.1, 1000);
  add_field(mesh, "normal", CLV_ON_POINTS, 3, 0.3, 7);
  add_field(mesh, "color", CLV_ON_POINTS, 4, 3, 256);
  add_field(mesh, "velocity", CLV_ON_POINTS, 12, 1.1, 50);
  add_field(mesh, "stress", CLV_ON_ELEMENTS, 6, 0.7, 50);
  add_field(mesh, "color", CLV_ON_ELEMENTS, 3, 0.1, 1);
}

void make_sample_for_format(clv_mesh *mesh, const char *format) {
  if (strcmp(format, "msh1") == 0) {
    make_sample_mesh(mesh, 0);
  } else if (begins(format, "msh")) {
    make_sample_mesh(mesh, WITH_FIELDS | WITH_REGIONS);
  } else if (begins(format, "vt")) {
    make_sample_mesh(mesh, WITH_POLYHEDRA | WITH_FIELDS);
  } else if (begins(format, "medit")) {
    make_medit(mesh);
  } else if (begins(format, "tetgen-surface")) {
    make_tetgen_surface(mesh);
  } else if (begins(format, "tetgen")) {
    make_tetgen(mesh);
  } else if (begins(format, "abaqus")) {
    make_abaqus(mesh);
  } else if (begins(format, "obj")) {
    make_obj(mesh);
  } else if (begins(format, "stl")) {
    make_stl(mesh, strcmp(format, "stl") == 0);
  } else if (begins(format, "ply")) {
    make_ply(mesh);
  } else {
    fail_msg("no sample for %s", format);
  }
}
