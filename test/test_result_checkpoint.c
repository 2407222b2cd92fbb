// Checkpoints: a world goes on with the same bits, a damaged file is told, and killed at any write the last good one
// remains.

#define _DEFAULT_SOURCE // syscall

#include "cleave/result.h"
#include "support/cut_beam.h"
#include "support/directory.h"

#include <hdf5.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <sys/types.h>
#include <sys/wait.h>
#include <unistd.h>

static const char scene[] = "title: a beam\nyoung: 1e5\n";

static clv_world *world_at(uint64_t steps) {
  clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
  assert_int_equal(beam_run(world, NULL, steps, NULL), CLV_OK);
  return world;
}

static void write_checkpoint(clv_world *world, const char *path) {
  clv_error error = {CLV_OK, ""};
  if (clv_checkpoint_write(world, path, scene, &error) != CLV_OK) fail_msg("%s", error.message);
}

static void a_world_goes_on_with_the_same_bits(void **state) {
  const char *path = in_directory(state, "checkpoint.h5");
  clv_world *whole = world_at(0);
  for (uint64_t at = 0; at < 40; at += 7) {
    assert_int_equal(beam_run(whole, NULL, at, NULL), CLV_OK);
    write_checkpoint(whole, path);
    clv_world *half = beam_world(CLV_GRID_TET5, "fem-linear");
    clv_error error = {CLV_OK, ""};
    if (clv_checkpoint_read(half, path, scene, &error) != CLV_OK) fail_msg("%s", error.message);
    assert_int_equal(clv_world_hash(half), clv_world_hash(whole));
    clv_world *other = world_at(at + 5);
    assert_int_equal(beam_run(half, NULL, at + 5, NULL), CLV_OK);
    assert_int_equal(clv_world_hash(half), clv_world_hash(other));
    clv_world_destroy(other);
    clv_world_destroy(half);
  }
  clv_world_destroy(whole);
}

static void refused(const char *path, const char *with, const char *sentence) {
  clv_error error = {CLV_OK, ""};
  clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
  assert_int_not_equal(clv_checkpoint_read(world, path, with, &error), CLV_OK);
  if (!strstr(error.message, sentence)) fail_msg("'%s' instead of '%s'", error.message, sentence);
  clv_world_destroy(world);
}

static void put_line(const char *path, const char *line) {
  FILE *file = fopen(path, "r+b");
  assert_non_null(file);
  fputs(line, file);
  fclose(file);
}

static void other_files_are_told(void **state) {
  const char *path = in_directory(state, "checkpoint.h5");
  refused(path, scene, "checkpoint.h5: No such file or directory");
  FILE *file = fopen(path, "wb");
  fputs("some text", file);
  fclose(file);
  refused(path, scene, "checkpoint.h5: is no checkpoint of Cleave");
  H5Fclose(H5Fcreate(path, H5F_ACC_TRUNC, H5P_DEFAULT, H5P_DEFAULT));
  refused(path, scene, "checkpoint.h5: is no checkpoint of Cleave");
  clv_world *world = world_at(3);
  write_checkpoint(world, path);
  refused(path, "title: a beam\nyoung: 1e5\nmore: 1\n", "its line 3 was '' and is 'more: 1' now");
  refused(path, "title: a beam\n", "its line 2 was 'young: 1e5' and is '' now");
  put_line(path, "Cleave checkpoint, version 2, ");
  refused(path, scene, "checkpoint.h5: has version 2 of the format; Cleave ");
  assert_int_equal(clv_checkpoint_write(world, path, NULL, NULL), CLV_OK);
  refused(path, scene, "checkpoint.h5: made by another scene: by none");
  clv_world_destroy(world);
}

static void a_shorter_file_is_told(void **state) {
  const char *path = in_directory(state, "checkpoint.h5");
  clv_world *world = world_at(15);
  write_checkpoint(world, path);
  clv_world_destroy(world);
  size_t size = 0;
  char *bytes = read_text(path, &size);
  for (size_t keep = 0; keep < size; keep += 1 + size / 40) {
    assert_int_equal(truncate(path, (off_t)keep), 0);
    refused(path, scene, "checkpoint.h5: ");
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
  }
  free(bytes);
}

// A byte that has changed is found, or does not matter.
static void a_damaged_file_is_told(void **state) {
  const char *path = in_directory(state, "checkpoint.h5");
  clv_world *world = world_at(15);
  write_checkpoint(world, path);
  const uint64_t hash = clv_world_hash(world);
  clv_world_destroy(world);
  size_t size = 0;
  char *bytes = read_text(path, &size);
  if (!bytes || size == 0) {
    fail();
    return;
  }
  uint64_t random = 1;
  unsigned found = 0;
  for (unsigned trial = 0; trial < 60; trial++) {
    random = random * 6364136223846793005u + 1442695040888963407u;
    const size_t at = (size_t)(random >> 20) % size;
    const char old = bytes[at];
    bytes[at] = (char)(old ^ (char)(1 + (random >> 60)));
    FILE *file = fopen(path, "wb");
    assert_int_equal(fwrite(bytes, 1, size, file), size);
    fclose(file);
    bytes[at] = old;
    clv_error error = {CLV_OK, ""};
    world = beam_world(CLV_GRID_TET5, "fem-linear");
    if (clv_checkpoint_read(world, path, scene, &error) == CLV_OK) {
      assert_int_equal(clv_world_hash(world), hash);
    } else {
      assert_non_null(strstr(error.message, "checkpoint.h5: "));
      found++;
    }
    clv_world_destroy(world);
  }
  assert_true(found > 50);
  free(bytes);
}

// This program's pwrite hides that of the C library: a child dies at the n-th write.
static long writes_to_come = -1;

// NOLINTNEXTLINE(readability-inconsistent-declaration-parameter-name): the C library says __fd
ssize_t pwrite(int descriptor, const void *buffer, size_t size, off_t offset) {
  if (writes_to_come == 0) _exit(77);
  if (writes_to_come > 0) writes_to_come--;
  return syscall(SYS_pwrite64, descriptor, buffer, size, offset);
}

static void killed_at_any_write_the_last_remains(void **state) {
  const char *path = in_directory(state, "checkpoint.h5");
  clv_world *first = world_at(12), *second = world_at(25);
  const uint64_t old = clv_world_hash(first), new = clv_world_hash(second);
  int status = 0;
  bool was_new = false;
  for (long n = 0; !was_new; n++) {
    write_checkpoint(first, path);
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
      writes_to_come = n;
      _exit(clv_checkpoint_write(second, path, scene, NULL) == CLV_OK ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFEXITED(status) && (WEXITSTATUS(status) == 77 || WEXITSTATUS(status) == 0));
    if (n % 10 == 0 || WEXITSTATUS(status) == 0) {
      clv_error error = {CLV_OK, ""};
      clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
      if (clv_checkpoint_read(world, path, scene, &error) != CLV_OK) fail_msg("%s", error.message);
      was_new = clv_world_hash(world) == new;
      assert_true(was_new || clv_world_hash(world) == old);
      assert_int_equal(was_new, WEXITSTATUS(status) == 0);
      clv_world_destroy(world);
    }
    assert_true(n < 100000);
  }
  clv_world_destroy(first);
  clv_world_destroy(second);
}

static void no_room_is_told(void **state) {
  const char *path = in_directory(state, "checkpoint.h5");
  clv_world *world = world_at(12);
  clv_error error = {CLV_OK, ""};
  assert_int_equal(clv_checkpoint_write(world, in_directory(state, "missing/c.h5"), scene, &error), CLV_ERROR_SYSTEM);
  assert_non_null(strstr(error.message, "missing/c.h5: cannot write the checkpoint: No such file or directory"));
  write_checkpoint(world, path);
  struct rlimit before, small;
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  small = before;
  small.rlim_cur = 20000;
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
  assert_int_equal(clv_checkpoint_write(world, path, scene, &error), CLV_ERROR_SYSTEM);
  assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
  signal(SIGXFSZ, SIG_DFL);
  assert_non_null(strstr(error.message, "checkpoint.h5: cannot write the checkpoint: File too large"));
  clv_world *again = beam_world(CLV_GRID_TET5, "fem-linear");
  assert_int_equal(clv_checkpoint_read(again, path, scene, &error), CLV_OK);
  clv_world_destroy(again);
  clv_world_destroy(world);
  assert_int_equal(H5Fget_obj_count((hid_t)H5F_OBJ_ALL, H5F_OBJ_FILE), 0);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_world_goes_on_with_the_same_bits, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(other_files_are_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_shorter_file_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_damaged_file_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(killed_at_any_write_the_last_remains, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(no_room_is_told, directory_setup, directory_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
