// Playing scripts while memory runs out; script.h tells the idea.

#include "support/script.h"

static void *short_resize(void *user, void *p, size_t old_size, size_t new_size) {
  short_memory *memory = user;
  const bool refused_before = memory->counting.refused;
  if (memory->from && memory->counting.requests + 1 >= memory->from)
    memory->counting.fail_at = memory->counting.requests + 1;
  void *moved = counting_resize(&memory->counting, p, old_size, new_size);
  if (new_size == 0 || new_size >= old_size || moved) return moved;
  memory->counting.refused = refused_before;
  memory->declined++;
  return NULL;
}

static void scene_init(scene *s, uint32_t variant) {
  *s = (scene){.variant = variant};
  s->allocator = (clv_allocator){.resize = short_resize, .user = &s->memory};
  clv_mesh_init(&s->mesh, &s->allocator);
  clv_mesh_init(&s->extracted, &s->allocator);
}

static void scene_free(scene *s) {
  clv_map_destroy(s->replayed);
  clv_map_destroy(s->map);
  clv_mesh_free(&s->mesh);
  clv_mesh_free(&s->extracted);
  assert_int_equal(s->memory.counting.live_bytes, 0);
}

static uint64_t mixed(uint64_t hash, uint64_t word) {
  hash = (hash ^ word) * UINT64_C(0x9E3779B97F4A7C15);
  return hash ^ hash >> 32;
}

static uint64_t mixed_mesh(uint64_t hash, const clv_mesh *mesh) {
  hash = mixed(mixed(hash, mesh->point_count), mesh->element_count);
  return mixed(hash, mesh->element_count ? mesh->offsets[mesh->element_count] : 0);
}

uint64_t scene_outline(const scene *s) {
  const uint64_t hash = mixed_mesh(mixed_mesh(0, &s->mesh), &s->extracted);
  return s->map ? mixed(hash, clv_map_hash(s->map)) : hash;
}

uint64_t map_fingerprint(const clv_map *map) {
  if (!map) return 0;
  uint64_t hash = mixed(clv_map_hash(map), clv_map_revision(map));
  const clv_column *column;
  for (uint32_t k = 0; (column = clv_column_list(map, k)) != NULL; k++) {
    for (clv_dart d = clv_dart_next(map, 0); d; d = clv_dart_next(map, d)) {
      const uint8_t *value = clv_column_at(column, d);
      if (!value) fail_msg("no value of '%s' at dart %u", clv_column_get_def(column)->name, d);
      for (size_t b = 0; value && b < clv_column_size(column); b++) hash = mixed(hash, value[b]);
    }
  }
  return hash;
}

clv_result scene_answered(const scene *s, const char *call, uint64_t before, clv_result result) {
  const clv_result expected = s->memory.counting.refused ? CLV_ERROR_MEMORY : CLV_OK;
  if (result != expected) fail_msg("%s: %s, not %s", call, clv_result_name(result), clv_result_name(expected));
  if (result != CLV_OK && scene_outline(s) != before) fail_msg("%s failed and left its traces", call);
  return result;
}

clv_result scene_begin(scene *s) {
  const clv_result result = clv_map_begin(s->map);
  s->open |= result == CLV_OK;
  return result;
}

clv_result scene_commit(scene *s) {
  const clv_result result = clv_map_commit(s->map);
  s->open &= result != CLV_OK;
  return result;
}

static void complain(void *user, const clv_problem *problem) {
  (void)user;
  print_error("%s: %s\n", problem->condition, problem->message);
}

static void assert_sound(const clv_map *map) {
  if (map) assert_int_equal(clv_map_check(map, complain, NULL), CLV_OK);
}

static void roll_back(scene *s) {
  if (!s->open) return;
  assert_int_equal(clv_map_begin(s->map), CLV_ERROR_ARGUMENT); // still open
  clv_map_rollback(s->map);
  s->open = false;
}

// False when the act met a refusal; everything is then as it was in the undisturbed play before this act.
static bool attempt(scene *s, act *play, uint64_t before) {
  const uint32_t heard = s->commits_heard;
  if (play(s) == CLV_OK) return true;
  roll_back(s);
  assert_true(map_fingerprint(s->map) == before);
  assert_int_equal(s->commits_heard, heard);
  return false;
}

static uint64_t ending(const scene *s) {
  uint64_t hash = mixed(mixed(map_fingerprint(s->map), map_fingerprint(s->replayed)), scene_outline(s));
  hash = mixed(hash, s->journal ? clv_journal_commits(s->journal) : 0);
  return mixed(mixed(hash, s->commits_heard), s->events_heard);
}

// The undisturbed play: what stands before each act and at the end, and how often memory was asked for.
typedef struct record {
  uint64_t before[32], end;
  size_t requests;
} record;

static void raise_curtain(scene *s, const script *plot, uint32_t variant) {
  scene_init(s, variant);
  for (uint32_t k = 0; plot->prologue[k]; k++) assert_int_equal(plot->prologue[k](s), CLV_OK);
  s->memory.counting.requests = 0;
}

static record play_undisturbed(const script *plot, uint32_t variant) {
  scene s;
  record r;
  raise_curtain(&s, plot, variant);
  for (uint32_t k = 0; plot->acts[k]; k++) {
    r.before[k] = map_fingerprint(s.map);
    assert_int_equal(plot->acts[k](&s), CLV_OK);
  }
  r.end = ending(&s);
  r.requests = s.memory.counting.requests;
  assert_sound(s.map);
  scene_free(&s);
  assert_true(r.requests > 0);
  return r;
}

static void play_with_one_refusal(const script *plot, uint32_t variant, size_t fail_at, const record *r) {
  scene s;
  raise_curtain(&s, plot, variant);
  s.memory.counting.fail_at = fail_at;
  bool met = false;
  for (uint32_t k = 0; plot->acts[k]; k++) {
    if (attempt(&s, plot->acts[k], r->before[k])) continue;
    assert_false(met);
    met = true;
    s.memory.counting.refused = false;
    assert_sound(s.map);
    assert_true(attempt(&s, plot->acts[k], r->before[k]));
  }
  assert_true(met || s.memory.declined == 1);
  assert_true(ending(&s) == r->end);
  scene_free(&s);
}

static void play_until_memory_is_out(const script *plot, uint32_t variant, size_t from, const record *r) {
  scene s;
  raise_curtain(&s, plot, variant);
  s.memory.from = from;
  bool met = false;
  for (uint32_t k = 0; plot->acts[k] && !met; k++) met = !attempt(&s, plot->acts[k], r->before[k]);
  if (!met) assert_true(ending(&s) == r->end); // only requests to shrink were refused
  scene_free(&s);
}

void script_play(const script *plot) {
  size_t refused = 0;
  for (uint32_t variant = 0; variant < plot->variants; variant++) {
    const record r = play_undisturbed(plot, variant);
    for (size_t k = 1; k <= r.requests; k++) {
      play_with_one_refusal(plot, variant, k, &r);
      play_until_memory_is_out(plot, variant, k, &r);
    }
    refused += r.requests;
  }
  print_message("%s: %zu allocations refused, each once and for good\n", plot->name, refused);
}
