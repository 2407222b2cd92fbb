// The flat mesh: what goes in comes out, nonsense is refused, and a failed allocation at any moment changes nothing.

#include "cleave/mesh.h"
#include "support/counting_allocator.h"

#include <string.h>

static const uint32_t tet_corners[] = {0, 1, 2, 3};

// Two tetrahedral faces too few, but a well-formed stream: 2 faces of 3 and 4 corners.
static const uint32_t face_stream[] = {2, 3, 0, 1, 2, 4, 0, 1, 2, 3};
#define FACE_STREAM_LENGTH (sizeof face_stream / sizeof *face_stream)

static void an_empty_mesh_has_nothing(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(mesh.point_count, 0);
  assert_int_equal(mesh.element_count, 0);
  assert_int_equal(clv_mesh_dimension(&mesh), 0);
  clv_mesh_free(&mesh);
  clv_mesh_free(&mesh); // freeing twice is harmless
}

static void points_keep_their_coordinates(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (int i = 0; i < 1000; i++) assert_int_equal(clv_mesh_add_point(&mesh, i, 2.0 * i, -i), CLV_OK);
  assert_int_equal(mesh.point_count, 1000);
  for (int i = 0; i < 1000; i++) {
    assert_true(mesh.points[i][0] == i && mesh.points[i][1] == 2.0 * i && mesh.points[i][2] == -i);
  }
  clv_mesh_free(&mesh);
  assert_null(mesh.points);
}

static void elements_keep_kind_corners_and_tag(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (int32_t i = 0; i < 300; i++) {
    assert_int_equal(clv_mesh_add_element(&mesh, CLV_TET, tet_corners, 4, i), CLV_OK);
    assert_int_equal(clv_mesh_add_element(&mesh, CLV_POLYHEDRON, face_stream, FACE_STREAM_LENGTH, -i), CLV_OK);
  }
  assert_int_equal(mesh.element_count, 600);
  assert_int_equal(mesh.offsets[0], 0);
  for (size_t e = 0; e < 600; e++) {
    bool is_tet = e % 2 == 0;
    size_t length = mesh.offsets[e + 1] - mesh.offsets[e];
    assert_int_equal(mesh.kinds[e], is_tet ? CLV_TET : CLV_POLYHEDRON);
    assert_int_equal(mesh.tags[e], is_tet ? (int)e / 2 : -(int)e / 2);
    assert_int_equal(length, is_tet ? 4 : FACE_STREAM_LENGTH);
    assert_memory_equal(mesh.corners + mesh.offsets[e], is_tet ? tet_corners : face_stream, length * sizeof(uint32_t));
  }
  clv_mesh_free(&mesh);
}

static void corners_must_suit_the_kind(void **state) {
  (void)state;
  static const uint32_t corners[9] = {0};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (int kind = CLV_NONE; kind <= CLV_KIND_COUNT; kind++) {
    if (kind == CLV_POLYGON || kind == CLV_POLYHEDRON) continue;
    for (size_t count = 0; count <= 9; count++) {
      bool suits = kind != CLV_NONE && kind != CLV_KIND_COUNT && count == (size_t)clv_kind_corners((clv_kind)kind);
      assert_int_equal(clv_mesh_add_element(&mesh, (clv_kind)kind, corners, count, 0),
                       suits ? CLV_OK : CLV_ERROR_ARGUMENT);
    }
  }
  assert_int_equal(mesh.element_count, 8);
  assert_int_equal(clv_mesh_add_element(&mesh, CLV_POLYGON, corners, 2, 0), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_mesh_add_element(&mesh, CLV_POLYGON, corners, 9, 0), CLV_OK);
  clv_mesh_free(&mesh);
}

static void broken_face_streams_are_refused(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (size_t length = 0; length < FACE_STREAM_LENGTH; length++) {
    assert_int_equal(clv_mesh_add_element(&mesh, CLV_POLYHEDRON, face_stream, length, 0), CLV_ERROR_ARGUMENT);
  }
  uint32_t broken[FACE_STREAM_LENGTH];
  static const struct {
    size_t at;
    uint32_t count;
  } damages[] = {{0, 0}, {0, 1}, {0, 3}, {0, UINT32_MAX}, {1, 2}, {1, 4}, {1, UINT32_MAX}, {5, 3}, {5, 5}, {5, 0}};
  for (size_t d = 0; d < sizeof damages / sizeof *damages; d++) {
    memcpy(broken, face_stream, sizeof broken);
    broken[damages[d].at] = damages[d].count;
    assert_int_equal(clv_mesh_add_element(&mesh, CLV_POLYHEDRON, broken, FACE_STREAM_LENGTH, 0), CLV_ERROR_ARGUMENT);
  }
  assert_int_equal(mesh.element_count, 0);
  clv_mesh_free(&mesh);
}

static void reserved_room_needs_no_more_memory(void **state) {
  (void)state;
  counting_memory memory = {0};
  clv_allocator allocator = counting_allocator(&memory);
  clv_mesh mesh;
  clv_mesh_init(&mesh, &allocator);
  assert_int_equal(clv_mesh_reserve(&mesh, 100, 100, 400), CLV_OK);
  size_t requests = memory.requests;
  assert_int_equal(clv_mesh_reserve(&mesh, 50, 0, 400), CLV_OK);
  for (int i = 0; i < 100; i++) {
    assert_int_equal(clv_mesh_add_point(&mesh, 0, 0, 0), CLV_OK);
    assert_int_equal(clv_mesh_add_element(&mesh, CLV_TET, tet_corners, 4, 0), CLV_OK);
  }
  assert_int_equal(memory.requests, requests);
  clv_mesh_free(&mesh);
  assert_int_equal(memory.live_bytes, 0);
}

static void impossible_sizes_are_refused(void **state) {
  (void)state;
  counting_memory memory = {0};
  clv_allocator allocator = counting_allocator(&memory);
  clv_mesh mesh;
  clv_mesh_init(&mesh, &allocator);
  static const size_t huge[] = {SIZE_MAX, SIZE_MAX - 1, SIZE_MAX / 2, SIZE_MAX / 4 + 1};
  for (size_t i = 0; i < sizeof huge / sizeof *huge; i++) {
    assert_int_equal(clv_mesh_reserve(&mesh, huge[i], 0, 0), CLV_ERROR_MEMORY);
    assert_int_equal(clv_mesh_reserve(&mesh, 0, huge[i], 0), CLV_ERROR_MEMORY);
    assert_int_equal(clv_mesh_reserve(&mesh, 0, 0, huge[i]), CLV_ERROR_MEMORY);
  }
  assert_int_equal(memory.live_bytes, 0);
  assert_int_equal(clv_mesh_add_point(&mesh, 1, 2, 3), CLV_OK);
  clv_mesh_free(&mesh);
}

static void the_last_point_number_is_the_end(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  mesh.point_count = UINT32_MAX; // as if they were there: the call must not look
  assert_int_equal(clv_mesh_add_point(&mesh, 0, 0, 0), CLV_ERROR_MEMORY);
  mesh.point_count = 0;
  clv_mesh_free(&mesh);
}

static void fields_are_zero_and_cover_what_there_is(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  double *values = NULL;
  assert_int_equal(clv_mesh_add_field(&mesh, "early", CLV_ON_ELEMENTS, 1, &values), CLV_OK);
  assert_null(values);
  for (int i = 0; i < 4; i++) clv_mesh_add_point(&mesh, i, 0, 0);
  assert_int_equal(clv_mesh_add_field(&mesh, "velocity", CLV_ON_POINTS, 3, &values), CLV_OK);
  for (int v = 0; v < 12; v++) assert_true(values[v] == 0.0);
  assert_int_equal(clv_mesh_add_field(&mesh, "velocity", CLV_ON_ELEMENTS, 3, NULL), CLV_OK);
  assert_int_equal(mesh.field_count, 3);
  assert_int_equal(mesh.fields[0].count, 0);
  assert_int_equal(mesh.fields[1].count, 4);
  assert_int_equal(mesh.fields[1].components, 3);
  assert_string_equal(mesh.fields[1].name, "velocity");
  assert_ptr_equal(mesh.fields[1].values, values);
  clv_mesh_free(&mesh);
}

static void senseless_fields_are_refused(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_add_field(&mesh, "id", CLV_ON_POINTS, 1, NULL), CLV_OK);
  assert_int_equal(clv_mesh_add_field(&mesh, "id", CLV_ON_POINTS, 2, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_mesh_add_field(&mesh, NULL, CLV_ON_POINTS, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_mesh_add_field(&mesh, "none", CLV_ON_POINTS, 0, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_mesh_add_field(&mesh, "where", (clv_field_place)7, 1, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(mesh.field_count, 1);
  clv_mesh_free(&mesh);
}

// An allocator may count on sizes: points added after a field must not change what the field is freed with.
static void fields_are_freed_with_the_size_they_had(void **state) {
  (void)state;
  counting_memory memory = {0};
  clv_allocator allocator = counting_allocator(&memory);
  clv_mesh mesh;
  clv_mesh_init(&mesh, &allocator);
  clv_mesh_add_point(&mesh, 0, 0, 0);
  assert_int_equal(clv_mesh_add_field(&mesh, "mass", CLV_ON_POINTS, 1, NULL), CLV_OK);
  clv_mesh_add_point(&mesh, 1, 0, 0);
  clv_mesh_free(&mesh);
  assert_int_equal(memory.live_bytes, 0);
}

static void regions_are_kept_in_order(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_add_region(&mesh, 3, 7, "liver"), CLV_OK);
  assert_int_equal(clv_mesh_add_region(&mesh, 2, 7, "capsule"), CLV_OK);
  assert_int_equal(clv_mesh_add_region(&mesh, 2, 8, NULL), CLV_ERROR_ARGUMENT);
  assert_int_equal(mesh.region_count, 2);
  assert_string_equal(mesh.regions[0].name, "liver");
  assert_int_equal(mesh.regions[1].dimension, 2);
  assert_int_equal(mesh.regions[1].tag, 7);
  clv_mesh_free(&mesh);
}

static void dimension_is_that_of_the_highest_element(void **state) {
  (void)state;
  static const clv_kind kinds[] = {CLV_POINT, CLV_LINE, CLV_TRI, CLV_TET, CLV_LINE};
  static const int expected[] = {0, 1, 2, 3, 3};
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  for (int i = 0; i < 5; i++) {
    size_t corner_count = (size_t)clv_kind_corners(kinds[i]);
    assert_int_equal(clv_mesh_add_element(&mesh, kinds[i], tet_corners, corner_count, 0), CLV_OK);
    assert_int_equal(clv_mesh_dimension(&mesh), expected[i]);
  }
  clv_mesh_free(&mesh);
}

// ---- failure at every allocation ------------------------------------------------------------------------------------

static clv_result add_one_thing(clv_mesh *mesh, int step) {
  char name[] = "field_0";
  name[6] = (char)('0' + step / 4 % 10);
  switch (step % 4) {
  case 0:
    return clv_mesh_add_point(mesh, step, step, step);
  case 1:
    return clv_mesh_add_element(mesh, CLV_POLYHEDRON, face_stream, FACE_STREAM_LENGTH, step);
  case 2:
    return step < 40 ? clv_mesh_add_field(mesh, name, CLV_ON_POINTS, 2, NULL) : CLV_OK;
  default:
    return clv_mesh_add_region(mesh, 3, step, "region");
  }
}

static void assert_same_counts(const clv_mesh *a, const clv_mesh *b) {
  assert_int_equal(a->point_count, b->point_count);
  assert_int_equal(a->element_count, b->element_count);
  assert_int_equal(a->field_count, b->field_count);
  assert_int_equal(a->region_count, b->region_count);
}

static void assert_whole(const clv_mesh *mesh) {
  for (size_t p = 0; p < mesh->point_count; p++) assert_true(mesh->points[p][1] == 4.0 * (double)p);
  for (size_t e = 0; e < mesh->element_count; e++) {
    assert_int_equal(mesh->kinds[e], CLV_POLYHEDRON);
    assert_int_equal(mesh->tags[e], 4 * e + 1);
    assert_int_equal(mesh->offsets[e + 1], (e + 1) * FACE_STREAM_LENGTH);
  }
  for (size_t f = 0; f < mesh->field_count; f++) assert_int_equal(mesh->fields[f].count, f + 1);
  for (size_t r = 0; r < mesh->region_count; r++) assert_int_equal(mesh->regions[r].tag, 4 * r + 3);
}

static void a_failed_allocation_changes_nothing(void **state) {
  (void)state;
  bool refused = true;
  for (size_t fail_at = 1; refused; fail_at++) {
    counting_memory memory = {.fail_at = fail_at};
    clv_allocator allocator = counting_allocator(&memory);
    clv_mesh mesh;
    clv_mesh_init(&mesh, &allocator);
    for (int step = 0; step < 200; step++) {
      clv_mesh before = mesh;
      clv_result result = add_one_thing(&mesh, step);
      if (result == CLV_OK) continue;
      assert_int_equal(result, CLV_ERROR_MEMORY);
      assert_same_counts(&mesh, &before);
      assert_int_equal(add_one_thing(&mesh, step), CLV_OK); // the mesh is still good for more
    }
    refused = memory.refused;
    assert_whole(&mesh);
    clv_mesh_free(&mesh);
    assert_int_equal(memory.live_bytes, 0);
  }
}

static void a_failed_reservation_changes_nothing(void **state) {
  (void)state;
  for (size_t fail_at = 1; fail_at <= 6; fail_at++) {
    counting_memory memory = {0};
    clv_allocator allocator = counting_allocator(&memory);
    clv_mesh mesh;
    clv_mesh_init(&mesh, &allocator);
    for (int step = 0; step < 8; step++) assert_int_equal(add_one_thing(&mesh, step), CLV_OK);
    clv_mesh before = mesh;
    memory.fail_at = memory.requests + fail_at;
    bool fails = fail_at <= 5; // points, three columns of elements, corners
    assert_int_equal(clv_mesh_reserve(&mesh, 1000, 1000, 1000), fails ? CLV_ERROR_MEMORY : CLV_OK);
    assert_same_counts(&mesh, &before);
    assert_whole(&mesh);
    clv_mesh_free(&mesh);
    assert_int_equal(memory.live_bytes, 0);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(an_empty_mesh_has_nothing),
      cmocka_unit_test(points_keep_their_coordinates),
      cmocka_unit_test(elements_keep_kind_corners_and_tag),
      cmocka_unit_test(corners_must_suit_the_kind),
      cmocka_unit_test(broken_face_streams_are_refused),
      cmocka_unit_test(reserved_room_needs_no_more_memory),
      cmocka_unit_test(impossible_sizes_are_refused),
      cmocka_unit_test(the_last_point_number_is_the_end),
      cmocka_unit_test(fields_are_zero_and_cover_what_there_is),
      cmocka_unit_test(senseless_fields_are_refused),
      cmocka_unit_test(fields_are_freed_with_the_size_they_had),
      cmocka_unit_test(regions_are_kept_in_order),
      cmocka_unit_test(dimension_is_that_of_the_highest_element),
      cmocka_unit_test(a_failed_allocation_changes_nothing),
      cmocka_unit_test(a_failed_reservation_changes_nothing),
  };
  return cmocka_run_group_tests_name("mesh", tests, NULL, NULL);
}
