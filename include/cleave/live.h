// Live: a world that others look at and act on while it moves.
//
// A live world is a scene that is run for somebody: at the pace of a clock, or as fast as it goes, or not at all while
// it is paused. It steps on a thread of its own. Those who look at it are clients: what they want comes in as small
// texts, and what they get are texts and frames, both as docs/protocol.md lays them out. How these travel is no
// business of this room: there is no network here, and a client may as well be a function in the same program.
//
// Three things hold whatever clients do. The engine never waits for a client: it publishes what there is and goes on. A
// client gets the newest frame when it asks, never an old one, and with it all changes of topology since its last. And
// what comes from a client is never believed: it is bounded, checked, and refused with a sentence.
//
// A finished run (clv_series) can be shown the same way; then time is played, and nothing can be changed.
//
// Everything that changed the world is remembered with the step at which it did. That, and the scene, is a replay: done
// again, it leaves the same bits.
//
// Functions here may be called by one thread at a time, whatever the engine does meanwhile; the allocator must be safe
// for threads.

#ifndef CLEAVE_LIVE_H
#define CLEAVE_LIVE_H

#include "cleave/scene.h"

CLV_BEGIN_DECLS

typedef struct clv_live clv_live;

typedef struct clv_live_def {
  uint32_t threads;        // of the world; 0: as the scene says
  bool paused;             // it begins so
  double factor;           // simulated over real time; 0: as fast as it goes; 1
  const char *replays;     // where recordings go: NAME-1.replay, NAME-2.replay ... for "NAME"; NULL: nowhere
  const char *source;      // the scene's file, as a replay names it, or the run's directory; NULL: none
  void (*wake)(void *);    // called by the engine when there is something to fetch; from its thread, so briefly
  void *user;              // of wake
  clv_allocator allocator; // safe for threads
} clv_live_def;

// Running, in real time, nobody to wake.
CLV_API clv_live_def clv_default_live_def(void);
// The scene, or the series, outlives it. NULL on failure.
CLV_API clv_live *clv_live_scene(clv_scene *scene, const clv_live_def *def, clv_error *error);
CLV_API clv_live *clv_live_series(const clv_series *series, const clv_live_def *def, clv_error *error);
CLV_API void clv_live_destroy(clv_live *live);

// Starts the engine's thread; until then, and without it, clv_live_advance does its work: carries out what clients
// said, then makes so many steps, whatever the clock says and whether it is paused or not.
CLV_API clv_result clv_live_start(clv_live *live, clv_error *error);
CLV_API clv_result clv_live_advance(clv_live *live, uint32_t steps, clv_error *error);
// The world as it is now; not while the engine's thread runs. It changes with an undo. NULL for a series.
CLV_API clv_world *clv_live_world(const clv_live *live);

// Clients. A number for each, 0 when there are too many (CLV_LIVE_CLIENTS) or memory is out.
#define CLV_LIVE_CLIENTS 32
CLV_API uint32_t clv_live_join(clv_live *live);
// Lets go of what it held.
CLV_API void clv_live_leave(clv_live *live, uint32_t client);
// A command, not ended by zero. CLV_ERROR_INPUT: malformed, with a reason that fits into a close frame (at most 120
// bytes). CLV_ERROR_REFUSED: the engine is behind, and this many cannot wait. The answer, where one is wanted, comes as
// a text.
CLV_API clv_result clv_live_tell(clv_live *live, uint32_t client, const char *text, size_t size, clv_error *error);
// The next text for a client, NULL when there is none; it lives until the next call for this client. The
// first is the hello. CLV_LIVE_HEAD bytes in front of it, and of a frame, may be written: room for the head of a
// transport.
#define CLV_LIVE_HEAD 64
CLV_API char *clv_live_hear(clv_live *live, uint32_t client, size_t *size);
// The newest frame as this client needs it, NULL when it has that already, or has had enough for now: *wait says for
// how many seconds; INFINITY: until woken. It lives until the next call for this client.
CLV_API uint8_t *clv_live_frame(clv_live *live, uint32_t client, size_t *size, double *wait);

// A recording, as the text of a replay file; the engine's thread must not run. See docs/protocol.md.
CLV_API clv_result clv_live_write_replay(clv_live *live, clv_text_writer *write, void *user, clv_error *error);

// Replays: a recording, done again.
typedef struct clv_replay clv_replay;
CLV_API clv_replay *clv_replay_read(const char *path, uint32_t threads, const clv_allocator *allocator,
                                    clv_error *error);
CLV_API void clv_replay_destroy(clv_replay *replay);
CLV_API const char *clv_replay_title(const clv_replay *replay);
CLV_API clv_world *clv_replay_world(const clv_replay *replay);
// How many steps it has, and has made.
CLV_API uint64_t clv_replay_steps(const clv_replay *replay);
CLV_API uint64_t clv_replay_done(const clv_replay *replay);
// The next step with what came before it.
CLV_API clv_result clv_replay_step(clv_replay *replay, clv_error *error);
// At the end: whether the bits are those that were recorded.
CLV_API clv_result clv_replay_check(clv_replay *replay, clv_error *error);

CLV_END_DECLS

#endif
