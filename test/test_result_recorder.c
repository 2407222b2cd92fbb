// Recorders: what a run leaves is read by other programs, a killed run goes on as if nothing had been, and what goes
// wrong is told.

#include "cleave/io.h"
#include "cleave/result.h"
#include "support/counting_allocator.h"
#include "support/cut_beam.h"
#include "support/directory.h"
#include "support/python.h"

#include <dirent.h>
#include <math.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

enum { STEPS = 40 };

static const char scene_text[] = "title: a beam\nyoung: 1e5\n";

static clv_recorder_def recorder_def(const char *directory, const clv_probe probes[2]) {
  clv_recorder_def def = clv_default_recorder_def();
  def.directory = directory;
  def.title = "A \"beam\"";
  def.vtu = def.vtkhdf = true;
  def.frame_every = 5 * BEAM_STEP;
  def.checkpoint_every = 4 * BEAM_STEP;
  def.probes = probes;
  def.probe_count = 2;
  def.scene = scene_text;
  return def;
}

static void beam_probes(clv_probe probes[2]) {
  const double tip[3] = {0.5, 0.1, 0.1}, low[3] = {-1, -1, -1}, high[3] = {0.01, 1, 1};
  probes[0] = (clv_probe){.name = "tip", .zone = {.kind = CLV_ZONE_NEAREST}};
  memcpy(probes[0].zone.point, tip, sizeof tip);
  probes[1] = (clv_probe){.name = "base", .zone = clv_zone_box(low, high)};
}

// A whole run.
static void run_beam(const char *directory, uint64_t steps) {
  clv_error error = {CLV_OK, ""};
  clv_probe probes[2];
  beam_probes(probes);
  const clv_recorder_def def = recorder_def(directory, probes);
  clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
  clv_recorder *recorder = clv_recorder_create(world, &def, &error);
  if (!recorder) fail_msg("%s", error.message);
  if (beam_run(world, recorder, steps, &error) != CLV_OK) fail_msg("%s", error.message);
  if (clv_recorder_close(recorder, "finished", &error) != CLV_OK) fail_msg("%s", error.message);
  clv_world_destroy(world);
}

static void a_run_is_read_by_others(void **state) {
  const char *directory = in_directory(state, "deep/er/run");
  run_beam(directory, STEPS);
  run_python("check_run.py", directory);
}

static void same_file(const char *a, const char *b, const char *name) {
  char one[1024], other[1024];
  size_t size = 0, other_size = 0;
  snprintf(one, sizeof one, "%s/%s", a, name);
  snprintf(other, sizeof other, "%s/%s", b, name);
  char *text = read_text(one, &size), *other_text = read_text(other, &other_size);
  if (!text || !other_text || size != other_size || memcmp(text, other_text, size) != 0)
    fail_msg("%s differs from %s", one, other);
  free(text);
  free(other_text);
}

// The same files with the same bytes; VTKHDF files, whose bytes may lie in another order, by their contents.
static void same_run(const char *a, const char *b) {
  char arguments[1024];
  unsigned frames = 0;
  same_file(a, b, "energies.csv");
  same_file(a, b, "probes.csv");
  same_file(a, b, "beam.pvd");
  DIR *directory = opendir(a);
  const struct dirent *entry;
  while ((entry = readdir(directory))) {
    if (!strstr(entry->d_name, ".vtu")) continue;
    same_file(a, b, entry->d_name);
    frames++;
  }
  closedir(directory);
  directory = opendir(b);
  while ((entry = readdir(directory))) {
    frames -= strstr(entry->d_name, ".vtu") != NULL;
    assert_null(strstr(entry->d_name, ".part"));
  }
  closedir(directory);
  assert_int_equal(frames, 0);
  snprintf(arguments, sizeof arguments, "'%s/beam.vtkhdf' '%s'/beam_*.vtu", b, a);
  run_python("check_vtkhdf.py", arguments);
}

// Goes on with the run in the directory, or starts it; until a number of steps.
static clv_result go_on(const char *directory, uint64_t until, clv_error *error) {
  clv_probe probes[2];
  beam_probes(probes);
  const clv_recorder_def def = recorder_def(directory, probes);
  clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
  clv_recorder *recorder = clv_recorder_resume(world, &def, error);
  if (!recorder && strstr(error->message, "No such file")) recorder = clv_recorder_create(world, &def, error);
  clv_result result = recorder ? beam_run(world, recorder, until, error) : error->code;
  if (recorder) assert_int_equal(clv_recorder_close(recorder, "finished", result == CLV_OK ? error : NULL), CLV_OK);
  clv_world_destroy(world);
  return result;
}

static void a_killed_run_goes_on(void **state) {
  const char *whole = in_directory(state, "whole"), *killed = in_directory(state, "killed");
  clv_error error = {CLV_OK, ""};
  run_beam(whole, STEPS);
  unsigned kills = 0;
  for (unsigned trial = 0; trial < 50; trial++) {
    const pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) _exit(go_on(killed, 100000, &error) == CLV_OK ? 0 : 1);
    const struct timespec moment = {0, 5000000 + (long)(trial * 7919 % 101) * 600000};
    nanosleep(&moment, NULL);
    kill(child, SIGKILL);
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_true(WIFSIGNALED(status)); // it did not end by itself: nothing was ever wrong
    kills++;
    // Back to the start when it has gone too far to be compared.
    clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
    char path[1024];
    snprintf(path, sizeof path, "%s/checkpoint.h5", killed);
    const bool there = clv_checkpoint_read(world, path, scene_text, &error) == CLV_OK;
    if (!there) assert_non_null(strstr(error.message, "No such file"));
    const uint64_t steps = there ? clv_world_steps(world) : 0;
    clv_world_destroy(world);
    if (steps > STEPS) {
      unlink(path);
    } else if (trial % 10 == 9) { // and whenever it has not, it can be brought to its end
      if (go_on(killed, STEPS, &error) != CLV_OK) fail_msg("%s", error.message);
      same_run(whole, killed);
      unlink(path);
    }
  }
  assert_int_equal(kills, 50);
  if (go_on(killed, STEPS, &error) != CLV_OK) fail_msg("%s", error.message);
  same_run(whole, killed);
}

// Interrupted where no frame was due: the last frame of the interrupted run is taken back.
static void an_interrupted_run_goes_on(void **state) {
  const char *whole = in_directory(state, "whole"), *parts = in_directory(state, "parts");
  clv_error error = {CLV_OK, ""};
  run_beam(whole, STEPS);
  run_beam(parts, 13);
  for (uint64_t until = 22; until <= STEPS; until += 9) {
    if (go_on(parts, until, &error) != CLV_OK) fail_msg("%s", error.message);
  }
  same_run(whole, parts);
  // Killed in the middle of a checkpoint behind the end.
  FILE *unfinished = fopen(in_directory(state, "parts/checkpoint.h5.part"), "w");
  assert_non_null(unfinished);
  fclose(unfinished);
  if (go_on(parts, STEPS, &error) != CLV_OK) fail_msg("%s", error.message);
  same_run(whole, parts);
  char *text = read_text(in_directory(state, "parts/run.json"), NULL);
  assert_non_null(strstr(text, "\"resumed\": 4,"));
  assert_non_null(strstr(text, "\"state\": \"finished\","));
  free(text);
}

static void an_old_run_is_replaced(void **state) {
  const char *directory = in_directory(state, "run"), *fresh = in_directory(state, "fresh");
  run_beam(directory, STEPS);
  run_beam(directory, 7);
  run_beam(fresh, 7);
  same_run(fresh, directory);
}

// Frames

static void frames_have_what_is_promised(void **state) {
  (void)state;
  clv_world *world = beam_world(CLV_GRID_MIXED, "fem-corotational");
  clv_error error = {CLV_OK, ""};
  assert_int_equal(beam_run(world, NULL, 15, NULL), CLV_OK);
  clv_mesh mesh;
  clv_mesh_init(&mesh, NULL);
  if (clv_frame_extract(&mesh, world, 0, &error) != CLV_OK) fail_msg("%s", error.message);
  assert_int_equal(mesh.field_count, 8);
  const clv_body *body = clv_world_body(world, 0);
  const clv_map *map = clv_body_map(body);
  size_t p = 0;
  for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_VERTEX, id), p++) {
    for (size_t k = 0; k < 3; k++)
      assert_true(mesh.fields[0].values[3 * p + k] + clv_body_rest(body)[3 * id.index + k] - mesh.points[p][k] < 1e-12);
  }
  assert_int_equal(p, mesh.point_count);
  double most = 0;
  bool held = false;
  for (size_t k = 0; k < mesh.element_count; k++) most = fmax(most, mesh.fields[4].values[k]);
  for (size_t k = 0; k < mesh.point_count; k++) held = held || mesh.fields[2].values[k] == CLV_XYZ;
  assert_string_equal(mesh.fields[4].name, "von_mises");
  assert_true(most > 0 && held);
  clv_mesh_free(&mesh);
  assert_int_equal(clv_frame_extract(&mesh, world, 1, &error), CLV_ERROR_ARGUMENT);
  assert_string_equal(error.message, "the world has no body 1: it has 1");
  clv_world_destroy(world);
}

static void threads_change_no_bit(void **state) {
  clv_probe probes[2];
  beam_probes(probes);
  const char *directories[2] = {in_directory(state, "one"), in_directory(state, "two")};
  for (uint32_t k = 0; k < 2; k++) {
    clv_recorder_def def = recorder_def(directories[k], probes);
    def.threads = k + 1;
    clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
    clv_recorder *recorder = clv_recorder_create(world, &def, NULL);
    assert_non_null(recorder);
    assert_int_equal(beam_run(world, recorder, 12, NULL), CLV_OK);
    assert_int_equal(clv_recorder_close(recorder, "finished", NULL), CLV_OK);
    clv_world_destroy(world);
  }
  same_run(directories[0], directories[1]);
}

// What goes wrong

static void refused(const clv_recorder_def *def, clv_result code, const char *sentence) {
  clv_error error = {CLV_OK, ""};
  clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
  assert_null(clv_recorder_create(world, def, &error));
  assert_int_equal(error.code, code);
  if (!strstr(error.message, sentence)) fail_msg("'%s' instead of '%s'", error.message, sentence);
  clv_world_destroy(world);
}

static void wrong_wishes_are_told(void **state) {
  clv_probe probes[2];
  beam_probes(probes);
  const char *directory = in_directory(state, "run");
  clv_recorder_def def = recorder_def(directory, probes);
  def.directory = NULL;
  refused(&def, CLV_ERROR_ARGUMENT, "a recorder needs a directory");
  def = recorder_def(directory, probes);
  def.frame_every = -1;
  refused(&def, CLV_ERROR_ARGUMENT, "times between frames must be 0 s or more");
  def.frame_every = (double)NAN;
  refused(&def, CLV_ERROR_ARGUMENT, "times between frames must be 0 s or more");
  def = recorder_def(directory, probes);
  probes[1].name = "tip";
  refused(&def, CLV_ERROR_ARGUMENT, "two probes are called 'tip'");
  probes[1].name = "a,b";
  refused(&def, CLV_ERROR_ARGUMENT, "a probe needs a name without commas");
  probes[1].name = "far";
  for (int k = 0; k < 3; k++) probes[1].zone.point[k] = probes[1].zone.extent[k] = 9;
  refused(&def, CLV_ERROR_REFUSED, "probe 'far' holds no particle of body 'beam'");
  probes[1].body = 3;
  refused(&def, CLV_ERROR_ARGUMENT, "probe 'far' watches body 3, but there are 1");
}

static void no_place_is_told(void **state) {
  clv_probe probes[2];
  beam_probes(probes);
  FILE *file = fopen(in_directory(state, "file"), "wb");
  fclose(file);
  clv_recorder_def def = recorder_def(in_directory(state, "file/run"), probes);
  refused(&def, CLV_ERROR_SYSTEM, "file: Not a directory");
  def.directory = in_directory(state, "file");
  refused(&def, CLV_ERROR_SYSTEM, "file: Not a directory");
  assert_int_equal(mkdir(in_directory(state, "taken"), 0777), 0);
  assert_int_equal(mkdir(in_directory(state, "taken/energies.csv"), 0777), 0);
  def.directory = in_directory(state, "taken");
  refused(&def, CLV_ERROR_SYSTEM, "energies.csv: Is a directory");
}

// No file may grow beyond a size: a sentence, no half lines, and the last checkpoint is good.
static void a_full_disk_is_told(void **state) {
  struct rlimit before, small;
  clv_probe probes[2];
  beam_probes(probes);
  signal(SIGXFSZ, SIG_IGN);
  assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
  for (rlim_t limit = 3000; limit < 80000; limit += 1700) {
    clv_recorder_def def = recorder_def(in_directory(state, "run"), probes);
    clv_error error = {CLV_OK, ""};
    clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
    small = before;
    small.rlim_cur = limit;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &small), 0);
    clv_recorder *recorder = clv_recorder_create(world, &def, &error);
    clv_result result = recorder ? beam_run(world, recorder, STEPS, &error) : error.code;
    if (recorder) {
      const clv_result closed = clv_recorder_close(recorder, "failed", result == CLV_OK ? &error : NULL);
      if (result == CLV_OK) result = closed;
    }
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    clv_world_destroy(world);
    if (result != CLV_OK && !strstr(error.message, "File too large")) fail_msg("%s", error.message);
    if (limit < 10000) assert_int_equal(result, CLV_ERROR_SYSTEM);
    size_t size = 0;
    char *rows = read_text(in_directory(state, "run/energies.csv"), &size);
    if (rows && size) assert_int_equal(rows[size - 1], '\n');
    free(rows);
    world = beam_world(CLV_GRID_TET5, "fem-linear");
    const clv_result read = clv_checkpoint_read(world, in_directory(state, "run/checkpoint.h5"), scene_text, &error);
    if (read != CLV_OK) assert_non_null(strstr(error.message, "No such file"));
    clv_world_destroy(world);
  }
  signal(SIGXFSZ, SIG_DFL);
}

static void another_run_is_not_resumed(void **state) {
  clv_probe probes[2];
  beam_probes(probes);
  const char *directory = in_directory(state, "run");
  run_beam(directory, 9);
  static const struct {
    const char *scene;
    double frame_every;
    bool vtu;
    const char *sentence;
  } wishes[] = {
      {"title: a beam\nyoung: 2e5\n", 5 * BEAM_STEP, true,
       "checkpoint.h5: made by another scene: its line 2 was 'young: 1e5' and is 'young: 2e5' now"},
      {scene_text, BEAM_STEP, true, "checkpoint.h5: this run records 'vtu, vtkhdf, frame every 0.005"},
      {scene_text, 5 * BEAM_STEP, false, "it cannot go on as 'vtkhdf, frame every"},
  };
  for (size_t k = 0; k < sizeof wishes / sizeof *wishes; k++) {
    clv_recorder_def def = recorder_def(directory, probes);
    clv_error error = {CLV_OK, ""};
    def.scene = wishes[k].scene;
    def.frame_every = wishes[k].frame_every;
    def.vtu = wishes[k].vtu;
    clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
    assert_null(clv_recorder_resume(world, &def, &error));
    assert_int_equal(error.code, CLV_ERROR_INPUT);
    if (!strstr(error.message, wishes[k].sentence)) fail_msg("%s", error.message);
    clv_world_destroy(world);
  }
  // A file that the checkpoint counts on was shortened.
  assert_int_equal(truncate(in_directory(state, "run/probes.csv"), 10), 0);
  clv_error error = {CLV_OK, ""};
  assert_int_equal(go_on(directory, 12, &error), CLV_ERROR_INPUT);
  assert_non_null(strstr(error.message, "probes.csv: has 10 bytes, but the checkpoint counts on"));
}

static void memory_runs_out(void **state) {
  clv_probe probes[2];
  beam_probes(probes);
  const char *directory = in_directory(state, "run");
  clv_world *world = beam_world(CLV_GRID_TET5, "fem-linear");
  assert_int_equal(beam_run(world, NULL, 1, NULL), CLV_OK);
  bool refused_one = true;
  for (size_t n = 1; refused_one; n += n < 60 ? 1 : 17) {
    counting_memory memory = {.fail_at = n};
    clv_error error = {CLV_OK, ""};
    clv_recorder_def def = recorder_def(directory, probes);
    def.frame_every = 0;
    def.allocator = counting_allocator(&memory);
    clv_recorder *recorder = clv_recorder_create(world, &def, &error);
    clv_result result = recorder ? clv_recorder_step(recorder, &error) : CLV_ERROR_MEMORY;
    const clv_result closed = clv_recorder_close(recorder, "finished", result == CLV_OK ? &error : NULL);
    if (result == CLV_OK) result = closed;
    refused_one = memory.refused;
    assert_int_equal(result, refused_one ? CLV_ERROR_MEMORY : CLV_OK);
    assert_int_equal(memory.live_bytes, 0);
  }
  clv_world_destroy(world);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test_setup_teardown(a_run_is_read_by_others, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(an_interrupted_run_goes_on, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_killed_run_goes_on, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(an_old_run_is_replaced, directory_setup, directory_teardown),
      cmocka_unit_test(frames_have_what_is_promised),
      cmocka_unit_test_setup_teardown(threads_change_no_bit, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(wrong_wishes_are_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(no_place_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(a_full_disk_is_told, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(another_run_is_not_resumed, directory_setup, directory_teardown),
      cmocka_unit_test_setup_teardown(memory_runs_out, directory_setup, directory_teardown),
  };
  return cmocka_run_group_tests(tests, NULL, NULL);
}
