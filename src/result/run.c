// run.json: what was run, by which version, and how it ended. See recorder.h.

#include "result/recorder.h"

#include <time.h>

void result_date(char text[32]) {
  const time_t now = time(NULL);
  struct tm date;
  text[0] = '\0';
  if (gmtime_r(&now, &date)) strftime(text, 32, "%Y-%m-%dT%H:%M:%SZ", &date);
}

double result_clock(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static void put_name(result_text *text, const char *name) {
  result_putf(text, ",\n  \"%s\": ", name);
}

static void put_text(result_text *text, const char *name, const char *value) {
  put_name(text, name);
  if (!value) {
    result_put(text, "null");
    return;
  }
  result_put(text, "\"");
  result_put_json(text, value);
  result_put(text, "\"");
}

static void put_count(result_text *text, const char *name, uint64_t value) {
  put_name(text, name);
  result_putf(text, "%llu", (unsigned long long)value);
}

static void put_real(result_text *text, const char *name, double value) {
  put_name(text, name);
  result_put_real(text, value);
}

static void put_bodies(result_text *text, const clv_world *world) {
  put_name(text, "bodies");
  result_put(text, "[");
  for (uint32_t b = 0; b < clv_world_bodies(world); b++) {
    const clv_map *map = clv_body_map(clv_world_body(world, b));
    uint64_t particles = 0, cells = 0;
    for (clv_id id = clv_id_next(map, CLV_VERTEX, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_VERTEX, id))
      particles++;
    for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0, 0}); id.index; id = clv_id_next(map, CLV_CELL, id)) cells++;
    result_put(text, b ? ",\n    {\"name\": \"" : "\n    {\"name\": \"");
    result_put_json(text, clv_world_body_name(world, b));
    result_putf(text, "\", \"cells\": %llu, \"particles\": %llu}", (unsigned long long)cells,
                (unsigned long long)particles);
  }
  result_put(text, "\n  ]");
}

clv_result result_run_write(clv_recorder *recorder, const char *how, clv_error *error) {
  const clv_recorder *r = recorder;
  result_text text;
  char now[32];
  result_date(now);
  result_text_init(&text, &r->allocator);
  result_putf(&text, "{\n  \"cleave\": \"%s\"", clv_version());
  put_text(&text, "title", r->def.title);
  put_text(&text, "state", how ? how : "running");
  put_text(&text, "started", r->started);
  put_text(&text, "ended", how ? now : NULL);
  put_count(&text, "resumed", r->progress.resumed);
  put_count(&text, "steps", clv_world_steps(r->world));
  put_real(&text, "step", clv_world_get_step(r->world));
  put_real(&text, "time", clv_world_time(r->world));
  put_count(&text, "frames", r->progress.frames);
  put_real(&text, "wall_seconds", r->progress.seconds + result_clock() - r->start);
  put_bodies(&text, r->world);
  result_put(&text, "\n}\n");
  const clv_result result = text.failed
                                ? result_memory_error(error, r->run_path.text)
                                : result_replace_file(r->run_path.text, text.data, text.count, RESULT_DURABLE, error);
  result_text_free(&text);
  return result;
}
