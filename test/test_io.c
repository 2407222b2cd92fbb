// The public calls: every format and variant keeps what it can keep, bit by bit; files on the disk; memory that runs
// out.

#include "support/counting_allocator.h"
#include "support/mesh_files.h"

#include <locale.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

// ---- round trips ----------------------------------------------------------------------------------------------------

// By way of the disk for a format that is a set of files, of memory for any other.
static void read_back(const clv_mesh *mesh, const char *format, clv_mesh *back) {
  clv_error error = {CLV_OK, ""};
  clv_result result;
  clv_mesh_init(back, NULL);
  if (format_is_set(format)) {
    char path[64];
    temporary_name(path, "ele");
    result = clv_mesh_write(mesh, path, format, &error);
    if (result == CLV_OK) result = clv_mesh_read(back, path, &error);
    remove_set();
  } else {
    file_bytes file = file_of_mesh(mesh, format);
    result = clv_mesh_read_memory(back, name_for_format(format), file.data, file.size, &error);
    free(file.data);
  }
  if (result != CLV_OK) fail_msg("%s: %s", format, error.message);
}

static void check_round_trip(const clv_mesh *mesh, const char *format) {
  clv_mesh back;
  read_back(mesh, format, &back);
  assert_meshes_equal(mesh, &back);
  clv_mesh_free(&back);
}

static void test_every_format_keeps_everything_it_can(void **state) {
  (void)state;
  const char *format, *what;
  for (size_t i = 0; (format = clv_format_list(i, &what)); i++) {
    assert_true(strlen(what) > 0);
    clv_mesh mesh;
    make_sample_for_format(&mesh, format);
    check_round_trip(&mesh, format);
    clv_mesh_free(&mesh);
  }
}

static void test_every_format_keeps_meshes_without_elements(void **state) {
  (void)state;
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    clv_mesh mesh;
    clv_mesh_init(&mesh, NULL);
    check_round_trip(&mesh, format);
    clv_mesh_add_point(&mesh, 1, 2, 3);
    if (!format_is_stl(format)) check_round_trip(&mesh, format);
    clv_mesh_free(&mesh);
  }
}

// Enough for several compressed blocks, and for tags that are looked up by guessing.
static void test_every_format_keeps_a_large_mesh(void **state) {
  (void)state;
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    clv_mesh mesh;
    clv_mesh_init(&mesh, NULL);
    clv_grid_def def = clv_default_grid_def();
    def.kind = format_is_surface(format) ? CLV_GRID_TRI : CLV_GRID_TET5;
    for (int c = 0; c < 3; c++) def.cells[c] = format_is_surface(format) ? 60 : 12;
    if (format_is_stl(format)) continue; // numbers points by their triangles: see test_io_stl
    assert_int_equal(clv_mesh_grid(&mesh, &def, NULL), CLV_OK);
    for (size_t e = 0; e < mesh.element_count; e++) mesh.tags[e] = (int32_t)(e % 5);
    check_round_trip(&mesh, format);
    clv_mesh_free(&mesh);
  }
}

static void test_names_that_a_format_cannot_hold_are_mended(void **state) {
  (void)state;
  static const char *const formats[] = {"msh2", "msh4-binary", "vtk", "vtu-ascii"};
  for (size_t i = 0; i < sizeof formats / sizeof *formats; i++) {
    clv_mesh mesh, back;
    clv_mesh_init(&mesh, NULL);
    clv_mesh_add_point(&mesh, 0, 0, 0);
    clv_mesh_add_field(&mesh, "a \"b\"\n%41\xc3\xa4", CLV_ON_POINTS, 1, NULL);
    file_bytes file = file_of_mesh(&mesh, formats[i]);
    clv_mesh_init(&back, NULL);
    assert_int_equal(clv_mesh_read_memory(&back, name_for_format(formats[i]), file.data, file.size, NULL), CLV_OK);
    bool is_gmsh = formats[i][0] == 'm';
    assert_string_equal(back.fields[0].name, is_gmsh ? "a _b__%41\xc3\xa4" : mesh.fields[0].name);
    clv_mesh_free(&mesh);
    clv_mesh_free(&back);
    free(file.data);
  }
}

// ---- which format ---------------------------------------------------------------------------------------------------

static void test_the_ending_tells_the_format(void **state) {
  (void)state;
  static const char *const starts[][2] = {
      {"msh", "$MeshFormat\n4.1 0 8\n"}, {"VTK", "# vtk DataFile Version 4.2\n"}, {"vtu", "<?xml version=\"1.0\"?>\n"}};
  for (size_t i = 0; i < 3; i++) {
    char path[64];
    clv_mesh mesh, back;
    temporary_name(path, starts[i][0]);
    make_sample_mesh(&mesh, 0);
    assert_int_equal(clv_mesh_write(&mesh, path, NULL, NULL), CLV_OK);
    file_bytes file = file_on_disk(path);
    assert_memory_equal(file.data, starts[i][1], strlen(starts[i][1]));
    clv_mesh_init(&back, NULL);
    assert_int_equal(clv_mesh_read(&back, path, NULL), CLV_OK);
    assert_meshes_equal(&mesh, &back);
    remove(path);
    free(file.data);
    clv_mesh_free(&mesh);
    clv_mesh_free(&back);
  }
}

static void test_unknown_endings_and_formats_are_named(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_error error;
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_read(&mesh, "liver.xyz", &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "liver.xyz"));
  assert_non_null(strstr(error.message, ".msh (Gmsh), .vtk and .vtu"));
  assert_int_equal(clv_mesh_read_memory(&mesh, ".msh", "", 0, &error), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_mesh_write(&mesh, "liver", NULL, &error), CLV_ERROR_ARGUMENT);
  assert_int_equal(clv_mesh_write(&mesh, "liver.poly", NULL, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, ".smesh"));
  assert_int_equal(clv_mesh_write(&mesh, "liver.msh", "msh3", &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "'msh3'"));
  assert_null(clv_format_list(1000, NULL));
}

static void test_what_fits_an_ending(void **state) {
  (void)state;
  assert_true(clv_format_fits("msh2", "a.msh") && clv_format_fits("msh2", "a.data") && clv_format_fits("msh2", "a"));
  assert_true(clv_format_fits("medit-binary", "a.mesh") && clv_format_fits("tetgen", "a.ELE"));
  assert_false(clv_format_fits("msh2", "a.vtu") || clv_format_fits("stl", "a.ply"));
  assert_string_equal(clv_format_ending("vtk5-binary"), ".vtk");
  assert_null(clv_format_ending("vtk6"));
}

static void test_what_is_left_behind_is_counted(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_loss loss;
  make_sample_mesh(&mesh, WITH_EVERYTHING);
  assert_int_equal(clv_format_loss(&mesh, "msh4", "x.msh", &loss), CLV_OK);
  assert_true(loss.fields == 0 && loss.region_names == 0 && loss.points == 0);
  assert_int_equal(clv_format_loss(&mesh, "msh1", "x.msh", &loss), CLV_OK);
  assert_true(loss.fields == 4 && loss.region_names == 2);
  assert_int_equal(clv_format_loss(&mesh, NULL, "x.stl", &loss), CLV_OK);
  assert_true(loss.fields == 4 && loss.region_names == 0 && loss.points == 1);
  clv_mesh_add_point(&mesh, 0, 0, 0);
  assert_int_equal(clv_format_loss(&mesh, NULL, "x.stl", &loss), CLV_OK);
  assert_int_equal(loss.points, 2);
  assert_int_equal(clv_format_loss(&mesh, NULL, "x.xyz", &loss), CLV_ERROR_ARGUMENT);
  clv_mesh_free(&mesh);
  make_sample_for_format(&mesh, "abaqus");
  assert_int_equal(clv_format_loss(&mesh, NULL, "x.inp", &loss), CLV_OK);
  assert_int_equal(loss.fields, 0);
  assert_int_equal(clv_format_loss(&mesh, NULL, "x.mesh", &loss), CLV_OK);
  assert_true(loss.fields == 2 && loss.region_names == 3);
  clv_mesh_free(&mesh);
}

// ---- reading files --------------------------------------------------------------------------------------------------

static void test_reading_empties_the_mesh_first(void **state) {
  (void)state;
  clv_mesh mesh;
  make_sample_mesh(&mesh, WITH_EVERYTHING);
  static const char nothing[] = "$NOD\n0\n$ENDNOD\n";
  assert_int_equal(clv_mesh_read_memory(&mesh, "x.msh", nothing, strlen(nothing), NULL), CLV_OK);
  assert_int_equal(mesh.point_count, 0);
  clv_mesh_free(&mesh);
  make_sample_mesh(&mesh, WITH_EVERYTHING);
  assert_int_equal(clv_mesh_read(&mesh, "no-such-file.msh", NULL), CLV_ERROR_SYSTEM);
  assert_mesh_is_empty(&mesh);
}

static void test_files_that_cannot_be_read_are_system_errors(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_error error;
  char path[64];
  clv_mesh_init(&mesh, NULL);
  assert_int_equal(clv_mesh_read(&mesh, "no-such-file.msh", &error), CLV_ERROR_SYSTEM);
  assert_string_equal(error.message, "no-such-file.msh: No such file or directory");
  temporary_name(path, "vtu");
  assert_int_equal(mkdir(path, 0777), 0);
  assert_int_equal(clv_mesh_read(&mesh, path, &error), CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "Is a directory"));
  rmdir(path);
}

// Numbers must not depend on what the program says about decimal points.
static void test_numbers_do_not_depend_on_the_locale(void **state) {
  (void)state;
  static const char *const comma_locales[] = {"de_DE.UTF-8", "fr_FR.UTF-8", "de_DE", "fr_FR"};
  for (size_t i = 0; i < sizeof comma_locales / sizeof *comma_locales; i++) {
    if (setlocale(LC_ALL, comma_locales[i])) break; // where none is installed, this is one more round trip
  }
  clv_mesh mesh;
  make_sample_mesh(&mesh, WITH_FIELDS);
  check_round_trip(&mesh, "msh4");
  check_round_trip(&mesh, "vtu-ascii");
  clv_mesh_free(&mesh);
  setlocale(LC_ALL, "C");
}

// ---- writing files --------------------------------------------------------------------------------------------------

// Writes a mesh that the format refuses, or to a place that refuses, and expects the old file to stand.
static void check_old_file_stands(const clv_mesh *mesh, const char *path, const char *format, clv_result expected,
                                  const char *word) {
  clv_error error = {CLV_OK, ""};
  assert_int_equal(clv_mesh_write(mesh, path, format, &error), expected);
  assert_non_null(strstr(error.message, path));
  assert_non_null(strstr(error.message, word));
  file_bytes file = file_on_disk(path);
  assert_string_equal(file.data, "old");
  free(file.data);
}

static void test_a_refused_mesh_leaves_the_old_file(void **state) {
  (void)state;
  char path[64];
  temporary_name(path, "msh");
  FILE *old = fopen(path, "w");
  fputs("old", old);
  fclose(old);
  clv_mesh mesh;
  make_sample_mesh(&mesh, WITH_POLYHEDRA);
  check_old_file_stands(&mesh, path, "msh1", CLV_ERROR_ARGUMENT, "polygon");
  check_old_file_stands(&mesh, path, "msh2-binary", CLV_ERROR_ARGUMENT, "polygon");
  check_old_file_stands(&mesh, path, "msh4", CLV_ERROR_ARGUMENT, "polygon");
  mesh.corners[0] = 1000;
  check_old_file_stands(&mesh, path, "vtk", CLV_ERROR_ARGUMENT, "element 0");
  mesh.corners[0] = 0;
  mesh.corners[mesh.offsets[11] + 2] = 1000; // a corner in the face stream
  check_old_file_stands(&mesh, path, "vtu", CLV_ERROR_ARGUMENT, "element 11");
  mesh.corners[mesh.offsets[11] + 2] = 0;
  mesh.corners[mesh.offsets[11]] = 40; // more faces than there are
  check_old_file_stands(&mesh, path, "vtu", CLV_ERROR_ARGUMENT, "element 11");
  mesh.corners[mesh.offsets[11]] = 4;
  clv_mesh_add_field(&mesh, "short", CLV_ON_POINTS, 1, NULL);
  clv_mesh_add_point(&mesh, 0, 0, 0);
  check_old_file_stands(&mesh, path, "vtu", CLV_ERROR_ARGUMENT, "'short'");
  clv_mesh_free(&mesh);
  remove(path);
}

// A disk that is full in the middle of the file: here, a limit on the size of files.
static void test_a_full_disk_leaves_the_old_file(void **state) {
  (void)state;
  char path[64], part[96];
  struct rlimit before;
  temporary_name(path, "msh");
  FILE *old = fopen(path, "w");
  fputs("old", old);
  fclose(old);
  clv_mesh mesh;
  make_sample_mesh(&mesh, 0);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  struct rlimit small = {100, before.rlim_max};
  void (*handler)(int) = signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  clv_error error = {CLV_OK, ""};
  clv_result result = clv_mesh_write(&mesh, path, "msh4", &error);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, handler);
  assert_int_equal(result, CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "File too large"));
  file_bytes file = file_on_disk(path);
  assert_string_equal(file.data, "old");
  snprintf(part, sizeof part, "%s.%ld-0.part", path, (long)getpid());
  assert_int_equal(access(part, F_OK), -1);
  free(file.data);
  clv_mesh_free(&mesh);
  remove(path);
}

static void test_places_that_cannot_be_written_are_system_errors(void **state) {
  (void)state;
  clv_mesh mesh;
  clv_error error;
  make_sample_mesh(&mesh, 0);
  assert_int_equal(clv_mesh_write(&mesh, "no-such-directory/x.msh", NULL, &error), CLV_ERROR_SYSTEM);
  assert_string_equal(error.message, "no-such-directory/x.msh: No such file or directory");
  char directory[64];
  temporary_name(directory, "msh");
  assert_int_equal(mkdir(directory, 0777), 0);
  assert_int_equal(clv_mesh_write(&mesh, directory, NULL, &error), CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "Is a directory"));
  rmdir(directory);
  struct stat status;
  if (stat("/dev/full", &status) == 0) {
    assert_int_equal(clv_mesh_write(&mesh, "/dev/full", "msh4", &error), CLV_ERROR_SYSTEM);
    assert_string_equal(error.message, "/dev/full: No space left on device");
    assert_int_equal(stat("/dev/full", &status), 0);
    assert_true(S_ISCHR(status.st_mode));
  }
  clv_mesh_free(&mesh);
}

static void test_a_link_is_followed_and_the_mode_kept(void **state) {
  (void)state;
  char target[64], link_name[64];
  temporary_name(target, "msh");
  temporary_name(link_name, "vtu");
  FILE *old = fopen(target, "w");
  fputs("old", old);
  fclose(old);
  assert_int_equal(chmod(target, 0640), 0);
  assert_int_equal(symlink(target, link_name), 0);
  clv_mesh mesh;
  make_sample_mesh(&mesh, 0);
  assert_int_equal(clv_mesh_write(&mesh, link_name, "msh4", NULL), CLV_OK);
  struct stat status;
  assert_int_equal(lstat(link_name, &status), 0);
  assert_true(S_ISLNK(status.st_mode));
  assert_int_equal(lstat(target, &status), 0);
  assert_int_equal(status.st_mode & 0777, 0640);
  clv_mesh back;
  clv_mesh_init(&back, NULL);
  assert_int_equal(clv_mesh_read(&back, target, NULL), CLV_OK);
  assert_meshes_equal(&mesh, &back);
  clv_mesh_free(&mesh);
  clv_mesh_free(&back);
  remove(link_name);
  remove(target);
}

// ---- memory that runs out -------------------------------------------------------------------------------------------

static void check_reading_without_memory(const char *format, file_bytes file) {
  counting_memory memory = {.fail_at = 0};
  clv_allocator allocator = counting_allocator(&memory);
  do {
    size_t fail_at = memory.fail_at + 1;
    memory = (counting_memory){.fail_at = fail_at};
    clv_mesh mesh;
    clv_error error = {CLV_OK, ""};
    clv_mesh_init(&mesh, &allocator);
    clv_result result = clv_mesh_read_memory(&mesh, name_for_format(format), file.data, file.size, &error);
    assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_OK);
    assert_int_equal(error.code, result);
    if (memory.refused) assert_mesh_is_empty(&mesh);
    clv_mesh_free(&mesh);
    assert_int_equal(memory.live_bytes, 0);
  } while (memory.refused);
}

static void check_writing_without_memory(const char *format, const clv_mesh *mesh) {
  counting_memory memory = {.fail_at = 0};
  clv_mesh borrowed = *mesh;
  borrowed.allocator = counting_allocator(&memory);
  char path[64];
  temporary_name(path, "mesh");
  do {
    size_t fail_at = memory.fail_at + 1;
    memory = (counting_memory){.fail_at = fail_at};
    clv_result result = clv_mesh_write(&borrowed, path, format, NULL);
    assert_int_equal(result, memory.refused ? CLV_ERROR_MEMORY : CLV_OK);
    assert_int_equal(memory.live_bytes, 0);
    assert_int_equal(remove(path) == 0, result == CLV_OK);
  } while (memory.refused);
}

static void test_running_out_of_memory_anywhere_is_survived(void **state) {
  (void)state;
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    if (format_is_set(format)) continue; // see test_io_tetgen
    clv_mesh mesh;
    make_sample_for_format(&mesh, format);
    file_bytes file = file_of_mesh(&mesh, format);
    check_reading_without_memory(format, file);
    check_writing_without_memory(format, &mesh);
    free(file.data);
    clv_mesh_free(&mesh);
  }
}

static void test_reading_a_file_without_memory(void **state) {
  (void)state;
  char path[64];
  temporary_name(path, "msh");
  clv_mesh mesh;
  make_sample_mesh(&mesh, 0);
  assert_int_equal(clv_mesh_write(&mesh, path, NULL, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  counting_memory memory = {.fail_at = 1};
  clv_allocator allocator = counting_allocator(&memory);
  clv_mesh_init(&mesh, &allocator);
  assert_int_equal(clv_mesh_read(&mesh, path, NULL), CLV_ERROR_MEMORY);
  assert_mesh_is_empty(&mesh);
  remove(path);
}

// ---- damaged files --------------------------------------------------------------------------------------------------

// Whatever the bytes, reading ends, and either fails and leaves nothing or gives a mesh that can be written.
static void check_damaged(const char *format, const char *data, size_t size) {
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  clv_mesh_init(&mesh, NULL);
  char *exact = malloc(size ? size : 1); // so that the sanitizer sees a step too far
  assert_non_null(exact);
  memcpy(exact, data, size);
  clv_result result = clv_mesh_read_memory(&mesh, name_for_format(format), exact, size, &error);
  if (result == CLV_OK) {
    free(file_of_mesh(&mesh, "vtu-raw").data);
  } else {
    assert_int_equal(result, CLV_ERROR_INPUT);
    assert_true(strlen(error.message) > 0);
    assert_mesh_is_empty(&mesh);
  }
  clv_mesh_free(&mesh);
  free(exact);
}

static void test_every_truncation_is_survived(void **state) {
  (void)state;
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    if (format_is_set(format)) continue; // see test_io_tetgen
    clv_mesh mesh;
    make_sample_for_format(&mesh, format);
    file_bytes file = file_of_mesh(&mesh, format);
    for (size_t size = 0; size < file.size; size++) check_damaged(format, file.data, size);
    free(file.data);
    clv_mesh_free(&mesh);
  }
}

static uint32_t next_random(uint32_t *seed) {
  *seed ^= *seed << 13;
  *seed ^= *seed >> 17;
  *seed ^= *seed << 5;
  return *seed;
}

static void test_random_damage_is_survived(void **state) {
  (void)state;
  enum { ROUNDS = 1500 };
  uint32_t seed = 2463534242u;
  const char *format;
  for (size_t i = 0; (format = clv_format_list(i, NULL)); i++) {
    if (format_is_set(format)) continue; // see test_io_tetgen
    clv_mesh mesh;
    make_sample_for_format(&mesh, format);
    file_bytes file = file_of_mesh(&mesh, format);
    for (int round = 0; round < ROUNDS; round++) {
      size_t place = next_random(&seed) % file.size;
      char before = file.data[place];
      // Digits for digits keep a text well-formed and make its numbers wrong; anything else breaks it.
      file.data[place] = (char)(round % 2 ? '0' + next_random(&seed) % 10 : next_random(&seed));
      check_damaged(format, file.data, file.size);
      if (round % 8) file.data[place] = before; // now and then damage stays and adds up
    }
    free(file.data);
    clv_mesh_free(&mesh);
  }
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(test_every_format_keeps_everything_it_can),
      cmocka_unit_test(test_every_format_keeps_meshes_without_elements),
      cmocka_unit_test(test_every_format_keeps_a_large_mesh),
      cmocka_unit_test(test_names_that_a_format_cannot_hold_are_mended),
      cmocka_unit_test(test_the_ending_tells_the_format),
      cmocka_unit_test(test_unknown_endings_and_formats_are_named),
      cmocka_unit_test(test_what_fits_an_ending),
      cmocka_unit_test(test_what_is_left_behind_is_counted),
      cmocka_unit_test(test_reading_empties_the_mesh_first),
      cmocka_unit_test(test_files_that_cannot_be_read_are_system_errors),
      cmocka_unit_test(test_numbers_do_not_depend_on_the_locale),
      cmocka_unit_test(test_a_refused_mesh_leaves_the_old_file),
      cmocka_unit_test(test_a_full_disk_leaves_the_old_file),
      cmocka_unit_test(test_places_that_cannot_be_written_are_system_errors),
      cmocka_unit_test(test_a_link_is_followed_and_the_mode_kept),
      cmocka_unit_test(test_running_out_of_memory_anywhere_is_survived),
      cmocka_unit_test(test_reading_a_file_without_memory),
      cmocka_unit_test(test_every_truncation_is_survived),
      cmocka_unit_test(test_random_damage_is_survived),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
