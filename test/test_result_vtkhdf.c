// VTKHDF series: read back by h5py and VTK, resumed, killed while they are written, on full disks and out of memory.

#define _DEFAULT_SOURCE // syscall

#include "cleave/io.h"
#include "result/checksum.h"
#include "result/vtkhdf.h"
#include "support/counting_allocator.h"
#include "support/directory.h"
#include "support/frames.h"
#include "support/python.h"

#include <hdf5.h>
#include <limits.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

// Frame k of a story: a mesh of tetrahedra moves, loses its cells to coarser ones, and polyhedra appear and go.
static void make_frame(clv_mesh *mesh, unsigned k) {
  if (k < 3) {
    frame_grid(mesh, CLV_GRID_TET5, 3, k);
  } else if (k < 5) {
    frame_grid(mesh, CLV_GRID_MIXED, 2, k);
  } else if (k < 7) {
    frame_polyhedra(mesh, k);
  } else {
    frame_grid(mesh, CLV_GRID_HEX, 2, k);
  }
}

static void add(result_vtkhdf *series, unsigned k) {
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  make_frame(&mesh, k);
  if (result_vtkhdf_add(series, 0.1 * k, &mesh, &error) != CLV_OK) fail_msg("%s", error.message);
  clv_mesh_free(&mesh);
}

static result_vtkhdf *create(const char *path) {
  const clv_allocator allocator = clv_default_allocator();
  clv_error error;
  result_vtkhdf *series = result_vtkhdf_create(path, &allocator, &error);
  if (!series) fail_msg("%s", error.message);
  return series;
}

// The frames [0, count) as VTU files, and the checker over them.
static void compare(void **state, const char *series, unsigned count, const char *option) {
  char arguments[4096];
  size_t length = (size_t)snprintf(arguments, sizeof arguments, "%s '%s'", option, series);
  for (unsigned k = 0; k < count; k++) {
    char name[32];
    clv_mesh mesh;
    clv_error error;
    snprintf(name, sizeof name, "frame%u.vtu", k);
    make_frame(&mesh, k);
    if (clv_mesh_write(&mesh, in_directory(state, name), NULL, &error) != CLV_OK) fail_msg("%s", error.message);
    clv_mesh_free(&mesh);
    length += (size_t)snprintf(arguments + length, sizeof arguments - length, " '%s'", in_directory(state, name));
  }
  run_python("check_vtkhdf.py", arguments);
}

static void every_frame_is_read_by_others(void **state) {
  const char *path = in_directory(state, "a.vtkhdf");
  result_vtkhdf *series = create(path);
  for (unsigned k = 0; k < 3; k++) add(series, k);
  compare(state, path, 3, "--vtk"); // while it is open
  for (unsigned k = 3; k < 9; k++) add(series, k);
  assert_int_equal(result_vtkhdf_steps(series), 9);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  compare(state, path, 9, "");
}

static void one_frame_is_read_by_vtk(void **state) {
  result_vtkhdf *series = create(in_directory(state, "one.vtkhdf"));
  add(series, 0);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  compare(state, in_directory(state, "one.vtkhdf"), 1, "--vtk");
}

// Cells that stay are written once.
static void unchanged_cells_cost_nothing(void **state) {
  const char *path = in_directory(state, "a.vtkhdf");
  result_vtkhdf *series = create(path);
  for (unsigned k = 0; k < 3; k++) add(series, k);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT), types = H5Dopen2(file, "VTKHDF/Types", H5P_DEFAULT);
  const hid_t space = H5Dget_space(types);
  hsize_t rows = 0;
  assert_int_equal(H5Sget_simple_extent_dims(space, &rows, NULL), 1);
  assert_int_equal(rows, 3 * 3 * 3 * 5);
  H5Sclose(space);
  H5Dclose(types);
  H5Fclose(file);
}

static void a_resumed_series_goes_on(void **state) {
  const clv_allocator allocator = clv_default_allocator();
  const char *path = in_directory(state, "a.vtkhdf");
  for (unsigned keep = 1; keep <= 9; keep += 4) {
    result_vtkhdf *series = create(path);
    for (unsigned k = 0; k < 9; k++) add(series, k);
    assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
    clv_error error = {CLV_OK, ""};
    series = result_vtkhdf_resume(path, keep, &allocator, &error);
    if (!series) fail_msg("%s", error.message);
    assert_int_equal(result_vtkhdf_steps(series), keep);
    for (unsigned k = keep; k < 9; k++) add(series, k);
    assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
    compare(state, path, 9, "");
  }
}

static void what_cannot_be_resumed_is_told(void **state) {
  const clv_allocator allocator = clv_default_allocator();
  const char *path = in_directory(state, "a.vtkhdf");
  clv_error error;
  assert_null(result_vtkhdf_resume(path, 1, &allocator, &error));
  assert_int_equal(error.code, CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "a.vtkhdf: cannot go on with this file: No such file or directory"));
  result_vtkhdf *series = create(path);
  add(series, 0);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  assert_null(result_vtkhdf_resume(path, 2, &allocator, &error));
  assert_non_null(strstr(error.message, "a.vtkhdf: has 1 frames, but the checkpoint counts on 2"));
  compare(state, path, 1, "--vtk");
  FILE *file = fopen(path, "wb");
  fputs("no such format", file);
  fclose(file);
  assert_null(result_vtkhdf_resume(path, 2, &allocator, &error));
  assert_non_null(strstr(error.message, "a.vtkhdf: cannot go on with this file: "));
}

static void fields_stay(void **state) {
  result_vtkhdf *series = create(in_directory(state, "a.vtkhdf"));
  clv_mesh mesh;
  clv_error error;
  add(series, 0);
  make_frame(&mesh, 1);
  frame_field(&mesh, "new", CLV_ON_POINTS, 1, 1);
  assert_int_equal(result_vtkhdf_add(series, 1, &mesh, &error), CLV_ERROR_ARGUMENT);
  assert_non_null(strstr(error.message, "fields that the first frame had not"));
  clv_mesh_free(&mesh);
  add(series, 1);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  compare(state, in_directory(state, "a.vtkhdf"), 2, "--vtk");
}

// Every write of the driver goes through here: this program's pwrite hides that of the C library. A child dies at the
// n-th. The system looks for signals between the pages of a write, so each page counts as one.
static long writes_to_come = -1;

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library says __fd
ssize_t pwrite(int descriptor, const void *buffer, size_t size, off_t offset) {
  enum { PAGE = 4096 };
  if (writes_to_come == 0) _exit(77);
  if (writes_to_come > 0) writes_to_come--;
  const size_t left = PAGE - (size_t)(offset % PAGE);
  return syscall(SYS_pwrite64, descriptor, buffer, size < left ? size : left, offset);
}

static pid_t write_in_child(const char *path, long writes, unsigned frames) {
  const pid_t child = fork();
  assert_true(child >= 0);
  if (child) return child;
  const clv_allocator allocator = clv_default_allocator();
  writes_to_come = writes;
  result_vtkhdf *series = result_vtkhdf_create(path, &allocator, NULL);
  clv_mesh mesh;
  for (unsigned k = 0; series && k < frames; k++) {
    make_frame(&mesh, k % 4); // the cells change and change back
    if (result_vtkhdf_add(series, k, &mesh, NULL) != CLV_OK) _exit(1);
    clv_mesh_free(&mesh);
  }
  _exit(result_vtkhdf_close(series, NULL) == CLV_OK ? 0 : 1);
}

// What a dead child left: nothing, or a file that opens by itself and whose frames can all be read. How many it has.
static int64_t frames_left(const char *path) {
  struct stat there;
  if (stat(path, &there) != 0) return 0;
  const hid_t file = H5Fopen(path, H5F_ACC_RDONLY, H5P_DEFAULT);
  assert_true(file >= 0);
  const hid_t count = H5Aopen_by_name(file, "VTKHDF/Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
  int64_t steps = 0;
  assert_true(count >= 0 && H5Aread(count, H5T_NATIVE_INT64, &steps) >= 0);
  H5Aclose(count);
  H5Fclose(file);
  assert_true(steps >= 1);
  const clv_allocator allocator = clv_default_allocator();
  clv_error error;
  result_vtkhdf *series = result_vtkhdf_resume(path, (uint64_t)steps, &allocator, &error); // reads all of it
  if (!series) fail_msg("after %lld steps: %s", (long long)steps, error.message);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  return steps;
}

static void a_series_killed_at_any_write_opens(void **state) {
  const char *path = in_directory(state, "killed.vtkhdf");
  int64_t most = 0;
  int status = 0;
  long n = 0;
  for (; !WIFEXITED(status) || WEXITSTATUS(status) != 0 || n == 0; n++) {
    const pid_t child = write_in_child(path, n, 3);
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 0));
    const int64_t steps = frames_left(path);
    assert_true(steps >= most);
    most = steps;
  }
  assert_int_equal(most, 3);
  assert_true(n > 100);
}

static void a_series_killed_at_any_time_opens(void **state) {
  const char *path = in_directory(state, "killed.vtkhdf");
  for (unsigned trial = 0; trial < 20; trial++) {
    remove(path);
    const pid_t child = write_in_child(path, -1, UINT_MAX);
    const struct timespec tick = {0, 100000}, moment = {0, (long)(trial * 7919 % 97) * 300000};
    struct stat there;
    while (stat(path, &there) != 0) nanosleep(&tick, NULL);
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status));
    assert_true(frames_left(path) >= 1);
  }
}

// The disk is full: a sentence, no noise, and HDF5 lets go of the file.
static void a_full_disk_is_told(void **state) {
  const char *path = in_directory(state, "full.vtkhdf");
  struct rlimit before, small;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  result_vtkhdf *series = create(path);
  add(series, 0);
  struct stat status;
  assert_int_equal(stat(path, &status), 0);
  small = before;
  small.rlim_cur = (rlim_t)status.st_size + 3000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  make_frame(&mesh, 1);
  assert_int_equal(result_vtkhdf_add(series, 1, &mesh, &error), CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "full.vtkhdf: cannot write the frame: File too large"));
  assert_int_equal(result_vtkhdf_add(series, 1, &mesh, &error), CLV_ERROR_SYSTEM);
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  clv_mesh_free(&mesh);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  compare(state, path, 1, "--vtk");
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
}

static void no_directory_is_told(void **state) {
  clv_mesh mesh;
  clv_error error = {CLV_OK, ""};
  result_vtkhdf *series = create(in_directory(state, "missing/a.vtkhdf"));
  make_frame(&mesh, 1);
  assert_int_equal(result_vtkhdf_add(series, 1, &mesh, &error), CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "missing/a.vtkhdf: cannot create the file: No such file or directory"));
  assert_int_equal(result_vtkhdf_close(series, NULL), CLV_OK);
  clv_mesh_free(&mesh);
}

// Every allocation of ours refused in turn.
static void memory_runs_out(void **state) {
  const char *path = in_directory(state, "a.vtkhdf");
  counting_memory memory = {.fail_at = 0};
  bool refused = true;
  for (size_t n = 1; refused; n++) {
    memory = (counting_memory){.fail_at = n};
    const clv_allocator allocator = counting_allocator(&memory);
    clv_error error = {CLV_OK, ""};
    clv_result result = CLV_OK;
    result_vtkhdf *series = result_vtkhdf_create(path, &allocator, &error);
    for (unsigned k = 2; series && result == CLV_OK && k < 6; k++) {
      clv_mesh mesh;
      make_frame(&mesh, k);
      result = result_vtkhdf_add(series, k, &mesh, &error);
      clv_mesh_free(&mesh);
    }
    result_vtkhdf_close(series, NULL);
    if (series && result == CLV_OK) series = result_vtkhdf_resume(path, 2, &allocator, &error);
    if (series && result == CLV_OK) result_vtkhdf_close(series, NULL);
    refused = memory.refused;
    assert_int_equal(refused, !series || result != CLV_OK);
    assert_int_equal(memory.live_bytes, 0);
  }
  assert_true(memory.requests > 10);
}

// Known values of lookup3.
static void checksums_are_lookup3(void **state) {
  (void)state;
  assert_int_equal(result_lookup3((const uint8_t *)"", 0), 0xdeadbeef);
  assert_int_equal(result_lookup3((const uint8_t *)"Four score and seven years ago", 30), 0x17770551);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(checksums_are_lookup3),
      cmocka_unit_test_setup_teardown(every_frame_is_read_by_others, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(one_frame_is_read_by_vtk, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(unchanged_cells_cost_nothing, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_resumed_series_goes_on, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(what_cannot_be_resumed_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(fields_stay, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_series_killed_at_any_write_opens, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_series_killed_at_any_time_opens, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_full_disk_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(no_directory_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(memory_runs_out, directory_setup, directory_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
