// Recordings, and doing them again.
//
// A replay file is text: a line with its version, the scene, a line for each thing that changed the world, and the end:
//
//     cleave-replay 1
//     scene BYTES FILE
//     (the scene's text)
//     TICK CLIENT {"do": ...}
//     end TICK HASH
//
// A tick is a step that was tried, whether it was undone later or not. Everything else follows: the engine is the same,
// so the bits are.

#include "live/live.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

// ---- remembering --------------------------------------------------------------------------------

static void remember(clv_live *live, uint32_t client, const char *text, uint32_t length) {
  if (live->history_full) return;
  live->history_full = live->history_bytes + length > (size_t)LIVE_HISTORY_MB << 20 ||
                       !BASE_RESERVE(&live->allocator, &live->history, (uint64_t)live->history.count + 1);
  char *copy = live->history_full ? NULL : base_allocate(&live->allocator, length + 1u);
  live->history_full = !copy;
  if (!copy) return;
  memcpy(copy, text, length);
  copy[length] = '\0';
  live->history.data[live->history.count++] = (live_input){live->tick, client, length, copy};
  live->history_bytes += length;
}

void live_remember(clv_live *live, const live_command *command) {
  if (command->text) remember(live, command->client, command->text, command->length);
}

void live_remember_drop(clv_live *live, uint32_t client) {
  static const char drop[] = "{\"do\": \"drop\"}", end[] = "{\"do\": \"knife-end\"}";
  if (!live->world) return;
  for (uint32_t k = 0; k < live->grabs.count; k++)
    if (live->grabs.data[k].client == client) remember(live, client, drop, sizeof drop - 1);
  if (live->stroke && live->stroke_client == client) remember(live, client, end, sizeof end - 1);
}

void live_history_free(clv_live *live) {
  if (live->recording) {
    clv_error error;
    live_text none = {.allocator = &live->allocator};
    live_record(live, false, &none, &error);
    live_text_free(&none);
  }
  for (uint32_t k = 0; k < live->history.count; k++)
    base_free(&live->allocator, live->history.data[k].text, live->history.data[k].length + 1u);
  BASE_RELEASE(&live->allocator, &live->history);
}

// ---- writing ------------------------------------------------------------------------------------

static void say_replay(clv_live *live, live_text *text) {
  const char *scene = clv_scene_text(live->scene);
  live_say(text, "cleave-replay 1\nscene %zu %s\n%s\n", strlen(scene), live->source ? live->source : "scene.yaml",
           scene);
  for (uint32_t k = 0; k < live->history.count; k++) {
    const live_input *input = &live->history.data[k];
    live_say(text, "%" PRIu64 " %u %s\n", input->tick, input->client, input->text);
  }
  live_say(text, "end %" PRIu64 " %016" PRIx64 "\n", live->tick, clv_world_hash(live->world));
}

clv_result clv_live_write_replay(clv_live *live, clv_text_writer *write, void *user, clv_error *error) {
  live_text text = {.allocator = &live->allocator};
  if (!live->world) return clv_error_set(error, CLV_ERROR_REFUSED, "a finished run has no replay");
  if (live->history_full) return clv_error_set(error, CLV_ERROR_REFUSED, "too much has happened for a replay");
  say_replay(live, &text);
  clv_result result =
      text.failed ? clv_error_set(error, CLV_ERROR_MEMORY, "out of memory: no replay was written") : CLV_OK;
  if (result == CLV_OK) write(user, text.bytes.data, text.bytes.count);
  live_text_free(&text);
  return result;
}

static void write_file(void *user, const char *text, size_t size) {
  fwrite(text, 1, size, user);
}

// The first name that no file has.
static bool begin_recording(clv_live *live, clv_error *error) {
  enum { MOST = 10000 };
  int file = -1;
  if (!live->replays) {
    clv_error_set(error, CLV_ERROR_REFUSED, "nobody said where recordings go");
    return false;
  }
  for (uint32_t k = 1; file < 0 && k < MOST; k++) {
    const int length = snprintf(live->record_path, sizeof live->record_path, "%s-%u.replay", live->replays, k);
    if (length >= (int)sizeof live->record_path) break;
    file = open(live->record_path, O_CREAT | O_EXCL | O_WRONLY | O_CLOEXEC, 0666);
    if (file < 0 && errno != EEXIST) break;
  }
  if (file < 0) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", live->record_path, strerror(errno));
    return false;
  }
  close(file);
  return true;
}

static bool end_recording(clv_live *live, clv_error *error) {
  FILE *file = fopen(live->record_path, "wb");
  if (!file) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", live->record_path, strerror(errno));
    return false;
  }
  const clv_result result = clv_live_write_replay(live, write_file, file, error);
  const bool written = !ferror(file) && fflush(file) == 0;
  fclose(file);
  if (written || result != CLV_OK) return result == CLV_OK;
  clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", live->record_path, strerror(errno));
  return false;
}

bool live_record(clv_live *live, bool on, live_text *answer, clv_error *error) {
  if (on == live->recording) {
    clv_error_set(error, CLV_ERROR_REFUSED, on ? "a recording is under way" : "nothing is being recorded");
    return false;
  }
  if (on && !begin_recording(live, error)) return false;
  live->recording = on;
  if (!on && !end_recording(live, error)) return false;
  live_say(answer, ", \"file\": ");
  live_say_text(answer, live->record_path);
  return true;
}

// ---- doing it again -----------------------------------------------------------------------------

struct clv_replay {
  clv_allocator allocator;
  char *text;
  size_t size;
  const char *path;
  char *source; // where the scene is
  size_t source_size;
  clv_scene *scene;
  clv_live *live;
  const char *at; // the next line
  uint32_t line;
  uint64_t end, hash;
};

static clv_result wrong(const clv_replay *r, const char *what, clv_error *error) {
  return clv_error_set(error, CLV_ERROR_INPUT, "%s:%u: %s", r->path, r->line, what);
}

static clv_result read_whole(clv_replay *r, clv_error *error) {
  FILE *file = fopen(r->path, "rb");
  if (!file) return clv_error_set(error, CLV_ERROR_SYSTEM, "%s: %s", r->path, strerror(errno));
  const long length = fseek(file, 0, SEEK_END) == 0 ? ftell(file) : -1;
  clv_result result = CLV_OK;
  if (length < 0 || length > (long)(2 * LIVE_HISTORY_MB) << 20 || fseek(file, 0, SEEK_SET) != 0) {
    result = clv_error_set(error, CLV_ERROR_INPUT, "%s: cannot be read as a replay", r->path);
  } else {
    r->size = (size_t)length + 1;
    r->text = base_allocate(&r->allocator, r->size);
    if (!r->text) result = clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for it", r->path);
  }
  if (r->text && length >= 0) {
    const size_t got = fread(r->text, 1, (size_t)length, file);
    r->text[got] = '\0';
    if (got != (size_t)length || memchr(r->text, '\0', got))
      result = clv_error_set(error, CLV_ERROR_INPUT, "%s: it is no text", r->path);
  }
  fclose(file);
  return result;
}

// The end of the line at `at`, which becomes zero.
static char *cut_line(char *at) {
  char *end = strchr(at, '\n');
  if (end) *end = '\0';
  return end;
}

// Where the scene was; where it is there no more, beside the replay: both were taken elsewhere together.
static clv_result find_source(clv_replay *r, const char *recorded, clv_error *error) {
  const char *slash = strrchr(r->path, '/'), *last = strrchr(recorded, '/'), *name = last ? last + 1 : recorded;
  const bool beside = access(recorded, F_OK) != 0;
  const int before = beside && slash ? (int)(slash - r->path) + 1 : 0;
  const size_t size = (size_t)before + strlen(recorded) + 1;
  r->source = base_allocate(&r->allocator, size);
  if (!r->source) return clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for it", r->path);
  r->source_size = size;
  snprintf(r->source, size, "%.*s%s", before, r->path, beside ? name : recorded);
  return CLV_OK;
}

static clv_result read_scene(clv_replay *r, clv_error *error) {
  static const char version[] = "cleave-replay 1\n";
  r->line = 1;
  if (!r->text || strncmp(r->text, version, sizeof version - 1) != 0)
    return wrong(r, "it is no replay of this version", error);
  char *head = r->text + sizeof version - 1, *end = cut_line(head), *after = head;
  r->line = 2;
  const unsigned long long size = !strncmp(head, "scene ", 6) ? strtoull(head + 6, &after, 10) : 0;
  if (!end || *after != ' ' || size >= r->size || strlen(end + 1) < size + 1)
    return wrong(r, "'scene BYTES FILE' must stand here, and so many bytes behind it", error);
  char *text = end + 1;
  const clv_result found = find_source(r, after + 1, error);
  if (found != CLV_OK) return found;
  for (size_t k = 0; k < size; k++) r->line += text[k] == '\n';
  r->line += 2;
  if (text[size] != '\n') return wrong(r, "the scene does not end here", error);
  text[size] = '\0';
  r->at = text + size + 1;
  r->scene = clv_scene_parse(r->source, text, (size_t)size, &r->allocator, error);
  return r->scene ? CLV_OK : error->code;
}

static clv_result read_end(clv_replay *r, clv_error *error) {
  const char *last = NULL;
  for (const char *at = r->at; at && *at; at = strchr(at, '\n') ? strchr(at, '\n') + 1 : NULL) last = at;
  if (!last || sscanf(last, "end %" SCNu64 " %" SCNx64, &r->end, &r->hash) != 2)
    return clv_error_set(error, CLV_ERROR_INPUT,
                         "%s: its last line must be 'end TICK HASH': it was not written to its end", r->path);
  return CLV_OK;
}

clv_replay *clv_replay_read(const char *path, uint32_t threads, const clv_allocator *allocator, clv_error *error) {
  const clv_allocator a = allocator ? *allocator : clv_default_allocator();
  clv_error own;
  if (!error) error = &own;
  clv_replay *r = base_allocate(&a, sizeof *r);
  char *copy = base_allocate(&a, strlen(path) + 1);
  if (!r || !copy) {
    if (r) base_free(&a, r, sizeof *r);
    if (copy) base_free(&a, copy, strlen(path) + 1);
    clv_error_set(error, CLV_ERROR_MEMORY, "%s: no memory for it", path);
    return NULL;
  }
  *r = (clv_replay){.allocator = a, .path = memcpy(copy, path, strlen(path) + 1)};
  clv_result result = read_whole(r, error);
  if (result == CLV_OK) result = read_scene(r, error);
  if (result == CLV_OK) result = read_end(r, error);
  if (result == CLV_OK) {
    clv_live_def def = clv_default_live_def();
    def.threads = threads;
    def.paused = true;
    def.allocator = a;
    r->live = clv_live_scene(r->scene, &def, error);
  }
  if (r->live) return r;
  clv_replay_destroy(r);
  return NULL;
}

void clv_replay_destroy(clv_replay *r) {
  if (!r) return;
  const clv_allocator a = r->allocator;
  clv_live_destroy(r->live);
  clv_scene_destroy(r->scene);
  base_free(&a, r->text, r->size);
  base_free(&a, r->source, r->source_size);
  char *path;
  memcpy(&path, &r->path, sizeof path);
  base_free(&a, path, strlen(path) + 1);
  base_free(&a, r, sizeof *r);
}

const char *clv_replay_title(const clv_replay *r) {
  return clv_scene_title(r->scene);
}

clv_world *clv_replay_world(const clv_replay *r) {
  return r->live->world;
}

uint64_t clv_replay_steps(const clv_replay *r) {
  return r->end;
}

uint64_t clv_replay_done(const clv_replay *r) {
  return r->live->tick;
}

// What came before the next step.
static clv_result do_inputs(clv_replay *r, clv_error *error) {
  clv_live *live = r->live;
  while (*r->at && strncmp(r->at, "end ", 4) != 0) {
    char *after;
    const uint64_t tick = strtoull(r->at, &after, 10);
    const unsigned long client = *after == ' ' ? strtoul(after, &after, 10) : 0;
    const char *end = strchr(r->at, '\n');
    if (*after != ' ' || !end || after > end || client > UINT32_MAX || tick < live->tick)
      return wrong(r, "'TICK CLIENT {...}' must stand here, ticks in order", error);
    if (tick > live->tick) return CLV_OK;
    live_command command;
    live_reason reason;
    if (!live_command_read(&command, after + 1, (size_t)(end - after - 1), &reason))
      return wrong(r, reason.text, error);
    if (!live_verb_changes(command.verb)) return wrong(r, "this changes nothing, and has no place in a replay", error);
    command.client = (uint32_t)client;
    clv_error refused = {CLV_OK, ""};
    live->text.bytes.count = 0;
    if (!live_act(live, &command, &live->text, &refused)) return wrong(r, refused.message, error);
    r->at = end + 1;
    r->line++;
  }
  return CLV_OK;
}

clv_result clv_replay_step(clv_replay *r, clv_error *error) {
  const clv_result result = do_inputs(r, error);
  if (result == CLV_OK && r->live->tick < r->end) live_step(r->live); // one that was rejected then is so now
  return result;
}

clv_result clv_replay_check(clv_replay *r, clv_error *error) {
  clv_result result = do_inputs(r, error);
  if (result != CLV_OK) return result;
  if (r->live->tick != r->end) return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: it is not at its end", r->path);
  const uint64_t hash = clv_world_hash(r->live->world);
  if (hash == r->hash) return CLV_OK;
  return clv_error_set(error, CLV_ERROR_INVALID,
                       "%s: it ends in a world of hash %016" PRIx64 ", and was recorded with %016" PRIx64
                       ": another version, another instruction set, or other files than then",
                       r->path, hash, r->hash);
}
