// bench_view - what it costs the engine that others look on.
//
// 100,000 tetrahedra on one thread, thirty frames a second, taken by another thread as the server of `cleave view`
// does; beside the same steps with nobody there. Corotational by QR, whose steps take the same time however the body is
// bent. Times are those of the engine's thread, so that others on the machine matter little. RATIO name value: value =
// the time that is allowed, 1.1 times that of the bare steps, over what was measured: 1 is enough.
//
//   bench_view [sending]

#include "../tools/parts.h"
#include "../tools/tools.h"
#include "cleave/cleave.h"

#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <time.h>

enum { RATE = 30, ROUNDS = 12 };

static const char scene_text[] = "cleave: 1\n"
                                 "mesh: {grid: tet6, cells: [65, 16, 16], size: [4, 1, 1]}\n"
                                 "material: {young: 100 MPa, poisson: 0.3, density: 1000}\n"
                                 "model: fem-corotational-qr\n"
                                 "fix: [{box: [[0, 0, 0], [0, 1, 1]]}]\n"
                                 "solver: {method: symplectic-euler, step: auto}\n"
                                 "until: 1\n";

typedef struct stage {
  clv_live *live;
  uint32_t steps; // between two frames
  uint32_t client;
  atomic_bool ends;
  uint64_t frames, bytes;
} stage;

static void bare_steps(void *user) {
  const stage *s = user;
  for (uint32_t k = 0; k < s->steps; k++)
    if (clv_world_step(clv_live_world(s->live), NULL) != CLV_OK)
      bench_fail("%s", clv_world_error(clv_live_world(s->live)));
}

static void shown_steps(void *user) {
  const stage *s = user;
  clv_error error;
  if (clv_live_advance(s->live, s->steps, &error) != CLV_OK) bench_fail("%s", error.message);
}

// The other side: takes whatever frame there is.
static void *look_on(void *user) {
  stage *s = user;
  const struct timespec pause = {.tv_nsec = 2000000};
  while (!atomic_load(&s->ends)) {
    size_t size = 0;
    double wait;
    const uint8_t *frame = clv_live_frame(s->live, s->client, &size, &wait);
    s->frames += frame != NULL;
    s->bytes += frame ? size : 0;
    nanosleep(&pause, NULL);
  }
  return NULL;
}

// The time of so many steps without and with somebody who looks on as `wish` says.
static double slowdown(stage *s, const char *wish) {
  clv_error error;
  pthread_t watcher;
  bench_contestant sides[2] = {{bare_steps, s, 0}, {shown_steps, s, 0}};
  s->client = clv_live_join(s->live);
  if (clv_live_tell(s->live, s->client, wish, strlen(wish), &error) != CLV_OK) bench_fail("%s", error.message);
  atomic_store(&s->ends, false);
  s->frames = s->bytes = 0;
  if (pthread_create(&watcher, NULL, look_on, s) != 0) bench_fail("%s", "no thread");
  bench_compete(sides, 2, bench_seconds, ROUNDS);
  atomic_store(&s->ends, true);
  pthread_join(watcher, NULL);
  clv_live_leave(s->live, s->client);
  printf("  %-52s %8.3f ms bare, %8.3f ms shown, %5.1f kB a frame\n", wish, 1e3 * sides[0].best / s->steps,
         1e3 * sides[1].best / s->steps, s->frames ? 1e-3 * (double)s->bytes / (double)s->frames : 0);
  return sides[1].best / sides[0].best;
}

static void bench_sending(void) {
  clv_error error;
  clv_live_def def = clv_default_live_def();
  def.threads = 1;
  clv_scene *scene = clv_scene_parse("bench.yaml", scene_text, sizeof scene_text - 1, NULL, &error);
  stage s = {.live = scene ? clv_live_scene(scene, &def, &error) : NULL, .steps = 1};
  if (!s.live) bench_fail("%s", error.message);
  bare_steps(&s);
  const double start = bench_seconds();
  bare_steps(&s);
  const double step = bench_seconds() - start;
  s.steps = step < 1.0 / RATE ? (uint32_t)(1.0 / RATE / step) : 1;
  printf("99,840 tetrahedra, %u step%s a frame\n", s.steps, s.steps == 1 ? "" : "s");
  ratio_worst("view_sending", 1.1 / slowdown(&s, "{\"do\": \"look\", \"rate\": 60}"));
  ratio_worst("view_sending_all",
              1.1 / slowdown(&s, "{\"do\": \"look\", \"rate\": 60, \"layer\": 1, \"field\": \"von_mises\"}"));
  clv_live_destroy(s.live);
  clv_scene_destroy(scene);
}

int main(int count, char **words) {
  static const bench_part parts[] = {{"sending", bench_sending}, {0}};
  return bench_parts(count, words, parts);
}
