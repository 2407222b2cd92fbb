// Memory runs out: scripts are played with every allocation refused, one at a time.
//
// A script is a list of acts; an act is a few calls, with at most one transaction round them. The script is played
// undisturbed first; then once for each of its allocations, which is refused:
//
// - the call that meets the refusal says CLV_ERROR_MEMORY (or NULL) and leaves the map, to the hash, as it found it;
// - a commit that fails leaves its transaction open; the rollback brings back every bit and value from before the act;
// - the map passes its check, the act is played again, and the script ends as it did undisturbed: same hash, same
//   values, same journal, same commits heard;
// - nothing is leaked.
//
// And once more for each, with no memory from there on: the same, except that nothing is played again.

#ifndef CLEAVE_TEST_SUPPORT_SCRIPT_H
#define CLEAVE_TEST_SUPPORT_SCRIPT_H

#include "cleave/mesh.h"
#include "support/counting_allocator.h"

// Memory that refuses one request, or all from one on. A block that cannot be made smaller stays as it is: such a
// refusal may go unnoticed, but must change nothing.
typedef struct short_memory {
  counting_memory counting;
  size_t from;     // the request from which on all are refused; 0 for none
  size_t declined; // requests to shrink that were refused
} short_memory;

typedef struct scene {
  short_memory memory;
  clv_allocator allocator;
  uint32_t variant;
  clv_mesh mesh, extracted;
  clv_map *map;
  clv_map *replayed;
  clv_journal *journal;
  bool open; // a transaction
  clv_dart darts[8];
  uint32_t commits_heard, events_heard;
  uint64_t recorded[32]; // the hash after each commit heard
} scene;

typedef clv_result act(scene *s);

// The hash of everything a single call may not change when it fails.
uint64_t scene_outline(const scene *s);
// The same for an act: every value as well.
uint64_t map_fingerprint(const clv_map *map);

// The answer to a call: a refusal is passed on, nothing else goes wrong, and a call that fails has done nothing.
clv_result scene_answered(const scene *s, const char *call, uint64_t before, clv_result result);

#define CALL(s, call)                                                                                                  \
  do {                                                                                                                 \
    const uint64_t outline_before = scene_outline(s);                                                                  \
    const clv_result call_result = scene_answered(s, #call, outline_before, (call));                                   \
    if (call_result != CLV_OK) return call_result;                                                                     \
  } while (0)

// The map of the scene is in a transaction.
clv_result scene_begin(scene *s);
clv_result scene_commit(scene *s);

typedef struct script {
  const char *name;
  uint32_t variants;
  act *const *prologue; // played with memory enough
  act *const *acts;     // both end with NULL
} script;

// Plays it all, and prints how many allocations were refused.
void script_play(const script *plot);

#define NO_PROLOGUE                                                                                                    \
  (act *const[]) {                                                                                                     \
    NULL                                                                                                               \
  }

#endif
