// A live world from inside.
//
// Two sides share it. The engine's side (the thread, or whoever calls clv_live_advance) owns the world, the shows, the
// snapshots and the recording; the clients' side owns what clients are told. Between them lie the board, behind
// `board_lock`, and the post: commands, texts and wishes, behind `post_lock`. Nobody holds both, and nobody does
// anything long while holding one.

#ifndef LIVE_LIVE_H
#define LIVE_LIVE_H

#include "cleave/live.h"
#include "live/command.h"
#include "live/json.h"

#include <pthread.h>

enum {
  LIVE_INBOX = 4096,        // commands that may wait
  LIVE_OUTBOX = 256,        // texts that may wait for a client; then news are dropped
  LIVE_SNAPSHOTS = 32,      // edits that can be undone,
  LIVE_SNAPSHOT_MB = 512,   // as long as they fit into this
  LIVE_HISTORY_MB = 256,    // of what a replay needs
  LIVE_MOST_ANSWERS = 4096, // and then answers, too
  LIVE_JOURNAL_LINES = 20,  // of the news
  LIVE_WARNING_LINES = 4,
  LIVE_MOST_CELLS = 4000000, // that refining may lead to
};

typedef struct live_message {
  char *data;  // CLV_LIVE_HEAD bytes, then the text, and a zero
  size_t size; // of the text
} live_message;

typedef struct live_client {
  uint32_t number; // 0: nobody
  double rate;
  live_look look;
  live_known *known; // by body
  uint64_t publication;
  double due; // when it gets the next frame
  BASE_ARRAY(live_message) outbox;
  live_message said;
  live_bytes frame;
} live_client;

// A spring from a point of a body to a place.
typedef struct live_grab {
  uint32_t client, body;
  clv_id vertex;
  double at[3];
  clv_column *load;
  BASE_ARRAY(uint32_t) patch; // slots that bear it
  uint64_t revision;          // of the map when the patch was found
  double mass, stiffness, damping;
  double share;     // of its force that takes the place of what it was before
  double offset[3]; // from the point to the middle of the patch, when that was found
} live_grab;

typedef struct live_block {
  char *name;
  uint8_t *data;
  size_t size;
} live_block;

// What sliders set.
typedef enum live_setting_name {
  LIVE_SET_STEP,
  LIVE_SET_STIFFNESS,
  LIVE_SET_DAMPING,
  LIVE_SET_GRAVITY,
  LIVE_SET_TEAR,
  LIVE_SET_ITERATIONS,
  LIVE_SETTINGS
} live_setting_name;

typedef struct live_setting {
  double value, least, most;
  bool changed; // it is not as the scene has it
} live_setting;

// What a body is made of and solved by, where that is not as the scene has it.
typedef struct live_choice {
  const char *model; // NULL: as the scene has it
  int method;        // -1
} live_choice;

// A world as it was.
typedef struct live_snapshot {
  BASE_ARRAY(live_block) blocks;
  BASE_ARRAY(live_choice) choices; // by body
  live_setting settings[LIVE_SETTINGS];
  size_t bytes;
} live_snapshot;

// One input of a recording.
typedef struct live_input {
  uint64_t tick;
  uint32_t client, length;
  char *text;
} live_input;

typedef struct live_body {
  live_show show;
  double gravity[3]; // as the scene has it
  live_choice choice;
  uint32_t components;
  uint64_t revision, subject; // that `components` and the held points are of
} live_body;

struct clv_live {
  clv_allocator allocator;
  clv_live_def def;
  clv_scene *scene;
  const clv_series *series;
  char *replays, *source;

  // The engine's.
  clv_world *world;
  double box[2][3]; // round everything, at the beginning
  live_body *bodies;
  uint32_t body_count;
  live_setting settings[LIVE_SETTINGS];
  BASE_ARRAY(live_grab) grabs;
  BASE_ARRAY(live_snapshot) undo;
  bool stroke; // a knife is at work: its first snapshot serves
  uint32_t stroke_client;
  uint64_t tick; // steps that were tried since the beginning, undone ones included
  bool paused;
  double factor;
  uint32_t steps_wanted;         // while paused
  double paced_wall, paced_time; // where the clock was set right
  bool changed;                  // there is something to publish
  uint32_t parts;                // in which the last step was made
  uint32_t hopeless;             // steps in a row that were halved again and again
  double publish_due, newsed;    // when
  double field_cost, field_due;
  bool recording;
  char record_path[4096];
  BASE_ARRAY(live_input) history;
  size_t history_bytes;
  bool history_full;
  clv_mesh *meshes; // of a result: one for each body, as the frame has it
  uint32_t frame;
  // for news
  clv_world_report sums;
  uint64_t sum_steps, news_step;
  double news_wall, news_time, send_seconds;
  char lines[2][LIVE_JOURNAL_LINES][240]; // the journal; warnings
  uint32_t line_count[2];
  live_text text;

  // Shared.
  pthread_mutex_t board_lock, post_lock;
  pthread_cond_t called;
  bool locks; // they exist
  live_board board;
  BASE_ARRAY(live_command) inbox;
  BASE_ARRAY(live_command) working; // what the engine took out
  live_client clients[CLV_LIVE_CLIENTS];
  uint32_t next_client;
  uint32_t inner_wanted;              // how many clients look at layer 1
  uint32_t field_wanted[LIVE_FIELDS]; // and at fields
  bool quitting, running;
  pthread_t thread;
  live_text hello;
};

double live_clock(void);

// The engine (engine.c): carries out what waits in the inbox; one step of the world with all that belongs to it.
void live_obey(clv_live *live);
clv_result live_step(clv_live *live);
void *live_engine(void *user); // the live world
void live_note(clv_live *live, bool warning, const char *format, ...) CLV_PRINTF(3, 4);

// Carrying out (act.c): what was done is added to the answer; false, with a sentence, when it was refused.
bool live_act(clv_live *live, const live_command *command, live_text *answer, clv_error *error);
void live_leave_engine(clv_live *live, uint32_t client);

// Grabs (grab.c).
bool live_grab_begin(clv_live *live, const live_command *command, clv_error *error);
bool live_grab_drag(clv_live *live, uint32_t client, const double at[3], clv_error *error);
void live_grab_drop(clv_live *live, uint32_t client);
// Before a step; false when memory is out.
bool live_grab_pull(clv_live *live);
// The world goes, and another has come: columns are to be found anew.
void live_grab_leave(clv_live *live);

// Snapshots (snapshot.c).
clv_result live_snapshot_push(clv_live *live, clv_error *error);
void live_snapshot_drop(clv_live *live);
clv_result live_snapshot_restore(clv_live *live, clv_error *error);
clv_result live_reset(clv_live *live, clv_error *error);
void live_snapshot_free(clv_live *live);
// A world of the scene, with shows, from `snapshot` on if that is not NULL; takes the place of the one there is.
clv_result live_make_world(clv_live *live, const live_snapshot *snapshot, clv_error *error);

// Settings (setting.c).
void live_settings_find(clv_live *live);
clv_result live_settings_apply(clv_live *live, clv_error *error);
bool live_settings_set(clv_live *live, const char *name, double value, clv_error *error);
const char *live_model_name(const clv_live *live, uint32_t body);
bool live_model_set(clv_live *live, uint32_t body, const char *name, clv_error *error);
bool live_method_set(clv_live *live, uint32_t body, const char *name, clv_error *error);
extern const char *const live_setting_names[LIVE_SETTINGS];

// Publishing (publish.c).
void live_publish(clv_live *live);
// What happens so often a second, whenever somebody looks, is due at beats: the next one after `beat`. Who is late
// makes up for one beat and not for more, so that steps of 16 ms do not make 30 frames of 60.
double live_next_beat(double beat, double now, double rate);
void live_publish_if_due(clv_live *live);
// Texts for clients by number; 0: for all (news, which may be dropped).
void live_post(clv_live *live, uint32_t number, const live_text *text);
void live_news(clv_live *live);
// What clients are told first, made anew, and told to those there are.
void live_renew_hello(clv_live *live);

// Results (result.c).
clv_result live_result_open(clv_live *live, clv_error *error);
clv_result live_result_seek(clv_live *live, uint32_t frame, clv_error *error);
void live_result_free(clv_live *live);
bool live_result_publish(clv_live *live, const uint32_t *wanted);

// Recording (replay.c).
void live_remember(clv_live *live, const live_command *command);
void live_remember_drop(clv_live *live, uint32_t client);
bool live_record(clv_live *live, bool on, live_text *answer, clv_error *error);
void live_history_free(clv_live *live);

#endif
