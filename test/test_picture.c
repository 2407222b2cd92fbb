// Pictures: what is drawn of a mesh, where, in which colours, and what is refused.

#include "cleave/cleave.h"
#include "picture/raster.h"
#include "picture/skin.h"
#include "support/counting_allocator.h"
#include "support/directory.h"

#include <cairo.h>
#include <math.h>

static void make_grid(clv_mesh *mesh, clv_grid_kind kind, uint32_t cells) {
  clv_grid_def grid = clv_default_grid_def();
  grid.kind = kind;
  for (int k = 0; k < 3; k++) grid.cells[k] = cells;
  clv_mesh_init(mesh, NULL);
  assert_int_equal(clv_mesh_grid(mesh, &grid, NULL), CLV_OK);
}

// Skins

static uint32_t count_open(const picture_skin *skin) {
  uint32_t count = 0;
  for (uint32_t f = 0; f < skin->faces.count; f++) count += skin->faces.data[f].open;
  return count;
}

static void skin_is(const clv_mesh *mesh, const clv_picture_def *def, uint32_t faces, uint32_t open) {
  picture_skin skin;
  assert_true(picture_skin_make(&skin, mesh, def));
  assert_int_equal(skin.faces.count, faces);
  assert_int_equal(count_open(&skin), open);
  picture_skin_free(&skin, &def->allocator);
}

static void a_skin_is_what_one_sees(void **state) {
  (void)state;
  static const struct {
    clv_grid_kind kind;
    uint32_t faces, all; // of a grid of 3 x 3 x 3
  } cases[] = {
      {CLV_GRID_HEX, 54, 27 * 6},   {CLV_GRID_TET5, 108, 135 * 4},   {CLV_GRID_TET6, 108, 162 * 4},
      {CLV_GRID_PRISM, 72, 54 * 5}, {CLV_GRID_PYRAMID, 54, 162 * 5}, {CLV_GRID_QUAD, 9, 9},
      {CLV_GRID_TRI, 18, 18},
  };
  for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
    clv_mesh mesh;
    clv_picture_def def = clv_default_picture_def();
    make_grid(&mesh, cases[k].kind, 3);
    skin_is(&mesh, &def, cases[k].faces, 0);
    def.shrink = 0.2;
    skin_is(&mesh, &def, cases[k].all, 0);
    clv_mesh_free(&mesh);
  }
}

static void what_is_clipped_lays_inner_faces_bare(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_picture_def def = clv_default_picture_def();
  make_grid(&mesh, CLV_GRID_HEX, 3);
  def.clipped = true;
  def.clip_point[0] = 0.4;
  def.clip_normal[0] = 1;
  skin_is(&mesh, &def, 2 * 9 + 4 * 3, 0); // one layer is left
  clv_mesh_free(&mesh);
}

// A world with a bar that was cut in two.
static clv_world *cut_bar(void) {
  clv_mesh mesh;
  make_grid(&mesh, CLV_GRID_HEX, 2);
  const clv_section section = {clv_zone_all(), "springs", clv_default_material()};
  clv_body_def body = clv_default_body_def();
  body.mesh = &mesh;
  body.sections = &section;
  body.section_count = 1;
  const clv_solver_def solver = clv_default_solver_def();
  const clv_world_def def = clv_default_world_def();
  clv_world *world = clv_world_create(&def);
  assert_non_null(clv_world_add(world, NULL, &body, &solver, NULL));
  clv_mesh_free(&mesh);
  const double middle[3] = {0.5, 0.5, 0.5}, along[3] = {1, 0, 0};
  const clv_action cut = {.kind = CLV_ACTION_CUT, .zone = clv_zone_plane(middle, along)};
  assert_int_equal(clv_world_schedule(world, &cut), CLV_OK);
  for (int k = 0; k < 3; k++) assert_int_equal(clv_world_step(world, NULL), CLV_OK);
  return world;
}

static void faces_of_a_cut_are_open(void **state) {
  (void)state;
  clv_world *world = cut_bar();
  clv_mesh frame;
  clv_mesh_init(&frame, NULL);
  assert_int_equal(clv_frame_extract(&frame, world, 0, NULL), CLV_OK);
  const clv_picture_def def = clv_default_picture_def();
  skin_is(&frame, &def, 24 + 8, 8);
  clv_mesh_free(&frame);
  clv_world_destroy(world);
}

// Cameras

static void everything_is_in_the_picture(void **state) {
  (void)state;
  static const double froms[][3] = {{0, -1, 0}, {0, 0, 1}, {0, 0, 0}, {1, 1, 1}, {-0.3, 0.2, -4}};
  const double box[2][3] = {{-1, 2, 3}, {9, 4, 3.5}};
  for (size_t k = 0; k < sizeof froms / sizeof *froms; k++) {
    clv_picture_def def = clv_default_picture_def();
    memcpy(def.from, froms[k], sizeof def.from);
    const picture_camera camera = picture_camera_for(&def, box, 300, 200);
    double least = INFINITY;
    for (int corner = 0; corner < 8; corner++) {
      const double point[3] = {box[corner & 1][0], box[corner >> 1 & 1][1], box[corner >> 2 & 1][2]};
      const picture_spot spot = picture_project(&camera, point);
      assert_true(spot.x > 0 && spot.x < 300 && spot.y > 0 && spot.y < 200 && spot.near > 0);
      least = fmin(least, fmin(fmin(spot.x, 300 - spot.x), fmin(spot.y, 200 - spot.y)));
    }
    assert_true(least < 0.07 * 300); // and it is not small
  }
}

static void near_hides_far(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  picture_raster raster;
  assert_true(picture_raster_create(&raster, 4, 4, &allocator));
  const picture_paint red = {.shade = 1, .colour = 0xff0000}, blue = {.shade = 1, .colour = 0x0000ff};
  const picture_spot far[3] = {{0, 0, 1}, {12, 0, 1}, {0, 12, 1}}, near[3] = {{0, 0, 2}, {6, 0, 2}, {0, 6, 2}};
  picture_raster_triangle(&raster, near, &red);
  picture_raster_triangle(&raster, far, &blue);
  uint32_t pixels[16];
  picture_raster_shrink(&raster, pixels);
  assert_int_equal(pixels[0], 0xff0000);
  assert_int_equal(pixels[2], 0x0000ff);
  assert_int_equal(pixels[15], 0xffffff);
  picture_raster_destroy(&raster, &allocator);
}

static void shapes_beyond_the_picture_do_no_harm(void **state) {
  (void)state;
  const clv_allocator allocator = clv_default_allocator();
  picture_raster raster;
  assert_true(picture_raster_create(&raster, 8, 8, &allocator));
  const picture_paint paint = {.shade = 1, .colour = 0};
  static const double places[] = {-1e300, -1e9, -5, 3, 24, 1e9, 1e300, NAN, INFINITY};
  enum { PLACES = sizeof places / sizeof *places };
  for (int k = 0; k < PLACES * PLACES * PLACES; k++) {
    const picture_spot corners[3] = {{places[k % PLACES], places[k / PLACES % PLACES], 1},
                                     {places[k / PLACES / PLACES], 2, 1},
                                     {2, places[k % PLACES], 1}};
    picture_raster_triangle(&raster, corners, &paint);
    picture_raster_line(&raster, corners[0], corners[1], 3, 0);
    picture_raster_dot(&raster, corners[0], 2, 0);
  }
  picture_raster_destroy(&raster, &allocator);
}

// Files

static void colour_by_height(clv_mesh *mesh) {
  double *height, *number;
  assert_int_equal(clv_mesh_add_field(mesh, "my_height", CLV_ON_POINTS, 1, &height), CLV_OK);
  assert_int_equal(clv_mesh_add_field(mesh, "number", CLV_ON_ELEMENTS, 1, &number), CLV_OK);
  for (size_t k = 0; k < mesh->point_count; k++) height[k] = mesh->points[k][2];
  for (size_t k = 0; k < mesh->element_count; k++) number[k] = (double)k;
}

static uint32_t pixel_of(const char *path, int x, int y) {
  cairo_surface_t *surface = cairo_image_surface_create_from_png(path);
  assert_int_equal(cairo_surface_status(surface), CAIRO_STATUS_SUCCESS);
  const unsigned char *data = cairo_image_surface_get_data(surface);
  uint32_t pixel;
  memcpy(&pixel, data + y * cairo_image_surface_get_stride(surface) + 4 * x, sizeof pixel);
  cairo_surface_destroy(surface);
  return pixel & 0xffffff;
}

// The wall of a cube, seen from the front: below it has the first colour, above the last; no light makes them darker.
static void a_field_has_its_colours(void **state) {
  clv_mesh mesh;
  const clv_mesh *meshes[] = {&mesh};
  clv_picture_def def = clv_default_picture_def();
  const char *path = in_directory(state, "height.png");
  make_grid(&mesh, CLV_GRID_TET5, 4);
  colour_by_height(&mesh);
  def.from[0] = def.from[2] = 0;
  def.edges = false;
  def.color = "my-height";
  def.width = 400;
  def.height = 300;
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, NULL), CLV_OK);
  double last = -1;
  for (int y = 260; y >= 40; y -= 20) { // green grows upwards
    const double green = pixel_of(path, 144, y) >> 8 & 255u;
    assert_true(green > last);
    last = green;
  }
  assert_int_equal(pixel_of(path, 2, 2), 0xffffff);
  double range[2];
  assert_true(clv_picture_range(meshes, 1, "my_height", range));
  assert_true(range[0] == 0 && range[1] == 1);
  clv_mesh_free(&mesh);
}

static void pictures_have_the_same_bytes(void **state) {
  clv_mesh mesh;
  const clv_mesh *meshes[] = {&mesh};
  clv_picture_def def = clv_default_picture_def();
  size_t sizes[2] = {0, 0};
  char *bytes[2] = {NULL, NULL};
  make_grid(&mesh, CLV_GRID_MIXED, 3);
  colour_by_height(&mesh);
  def.color = "number";
  def.title = "a grid";
  for (int k = 0; k < 2; k++) {
    const char *path = in_directory(state, k ? "a.png" : "b.png");
    assert_int_equal(clv_picture_draw(meshes, 1, &def, path, NULL), CLV_OK);
    bytes[k] = read_text(path, &sizes[k]);
  }
  assert_int_equal(sizes[0], sizes[1]);
  assert_memory_equal(bytes[0], bytes[1], sizes[0]);
  free(bytes[0]);
  free(bytes[1]);
  clv_mesh_free(&mesh);
}

static void nothing_is_an_empty_picture(void **state) {
  clv_mesh mesh;
  const clv_mesh *meshes[] = {&mesh};
  const clv_picture_def def = clv_default_picture_def();
  const char *path = in_directory(state, "nothing.png");
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, NULL), CLV_OK);
  assert_int_equal(pixel_of(path, 480, 360), 0xffffff);
  assert_int_equal(clv_picture_draw(NULL, 0, &def, path, NULL), CLV_OK);
}

static void wrong_pictures_are_refused(void **state) {
  clv_mesh mesh;
  const clv_mesh *meshes[] = {&mesh};
  clv_error error;
  const char *path = in_directory(state, "never.png");
  make_grid(&mesh, CLV_GRID_HEX, 1);
  clv_picture_def def = clv_default_picture_def();
  def.color = "heat";
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, &error), CLV_ERROR_INPUT);
  assert_string_equal(error.message, "there is no field to colour by, let alone 'heat'");
  colour_by_height(&mesh);
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, &error), CLV_ERROR_INPUT);
  assert_string_equal(error.message, "there is no field 'heat' to colour by; there are: my_height, number");
  def = clv_default_picture_def();
  def.width = 9000;
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, &error), CLV_ERROR_ARGUMENT);
  def = clv_default_picture_def();
  def.zoom = 0;
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, &error), CLV_ERROR_ARGUMENT);
  def = clv_default_picture_def();
  def.shrink = 1;
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, &error), CLV_ERROR_ARGUMENT);
  def = clv_default_picture_def();
  mesh.points[3][1] = NAN;
  assert_int_equal(clv_picture_draw(meshes, 1, &def, path, &error), CLV_ERROR_INPUT);
  assert_null(read_text(path, NULL));
  clv_mesh_free(&mesh);
}

static void every_allocation_may_fail(void **state) {
  clv_mesh mesh;
  const clv_mesh *meshes[] = {&mesh};
  const char *path = in_directory(state, "failing.png");
  make_grid(&mesh, CLV_GRID_HEX, 2);
  counting_memory memory = {.fail_at = 0};
  do {
    memory = (counting_memory){.fail_at = memory.fail_at + 1};
    clv_picture_def def = clv_default_picture_def();
    def.width = def.height = 32;
    def.allocator = counting_allocator(&memory);
    const clv_result result = clv_picture_draw(meshes, 1, &def, path, NULL);
    assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_OK);
    assert_int_equal(memory.live_bytes, 0);
  } while (memory.refused);
  assert_true(memory.fail_at > 4);
  clv_mesh_free(&mesh);
}

// Series

static void a_run_can_be_looked_at(void **state) {
  clv_world *world = cut_bar();
  clv_recorder_def def = clv_default_recorder_def();
  def.directory = in_directory(state, "run");
  def.frame_every = 0;
  clv_error error;
  assert_null(clv_series_open(def.directory, NULL, &error));
  clv_recorder *recorder = clv_recorder_create(world, &def, &error);
  assert_non_null(recorder);
  for (int k = 0; k < 4; k++) {
    assert_int_equal(clv_world_step(world, NULL), CLV_OK);
    assert_int_equal(clv_recorder_step(recorder, &error), CLV_OK);
  }
  const double time = clv_world_time(world);
  assert_int_equal(clv_recorder_close(recorder, "finished", &error), CLV_OK);
  clv_series *series = clv_series_open(def.directory, NULL, &error);
  assert_non_null(series);
  assert_int_equal(clv_series_bodies(series), 1);
  assert_string_equal(clv_series_body_name(series, 0), "body1");
  assert_int_equal(clv_series_frames(series), 5);
  assert_true(clv_series_time(series, 4) == time);
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_series_read(series, 4, 0, &mesh, &error), CLV_OK);
  assert_int_equal(mesh.element_count, 8);
  assert_int_equal(clv_series_read(series, 5, 0, &mesh, &error), CLV_ERROR_ARGUMENT);
  clv_mesh_free(&mesh);
  clv_series_close(series);
  clv_world_destroy(world);
}

static void lists_of_strangers_are_refused(void **state) {
  static const char *const lists[] = {
      "<Collection></Collection>",
      "<DataSet timestep=\"0\" file=\"../../secret.vtu\"/>",
      "<DataSet timestep=\"0\"/>",
      "<DataSet timestep=\"0\" file=\"a.vtu",
  };
  for (size_t k = 0; k < sizeof lists / sizeof *lists; k++) {
    FILE *file = fopen(in_directory(state, "body.pvd"), "wb");
    assert_non_null(file);
    fputs(lists[k], file);
    fclose(file);
    clv_error error;
    assert_null(clv_series_open(in_directory(state, ""), NULL, &error));
    assert_int_equal(error.code, CLV_ERROR_INPUT);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(a_skin_is_what_one_sees),
      cmocka_unit_test(what_is_clipped_lays_inner_faces_bare),
      cmocka_unit_test(faces_of_a_cut_are_open),
      cmocka_unit_test(everything_is_in_the_picture),
      cmocka_unit_test(near_hides_far),
      cmocka_unit_test(shapes_beyond_the_picture_do_no_harm),
      cmocka_unit_test_setup_teardown(a_field_has_its_colours, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(pictures_have_the_same_bytes, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(nothing_is_an_empty_picture, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(wrong_pictures_are_refused, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(every_allocation_may_fail, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_run_can_be_looked_at, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(lists_of_strangers_are_refused, directory_setup, directory_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
