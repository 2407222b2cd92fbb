// A recorder from inside: recorder.c writes, recorder_resume.c saves and takes back what it must know to go on, run.c
// tells about the run in run.json.

#ifndef RESULT_RECORDER_H
#define RESULT_RECORDER_H

#include "base/thread.h"
#include "cleave/result.h"
#include "result/disk.h"
#include "result/pvd.h"
#include "result/rows.h"
#include "result/vtkhdf.h"

typedef struct result_body {
  result_pvd pvd;
  result_vtkhdf *vtkhdf; // NULL where none is written
  result_path vtkhdf_path;
} result_body;

// What a resumed run must know, and nothing that can be found elsewhere.
typedef struct result_progress {
  uint64_t frames, next_frame, next_row, next_checkpoint;
  uint64_t frame_step, row_step; // of the last ones
  uint64_t energies_size, probes_size;
  uint64_t resumed;
  double seconds; // of the runs before this one
} result_progress;

struct clv_recorder {
  clv_allocator allocator;
  clv_world *world;
  clv_recorder_def def; // its texts point to those below; its probes are in `probes`
  char *directory, *title, *scene;
  base_pool *pool;
  result_body *bodies;
  uint32_t body_count;
  BASE_ARRAY(double) times; // of the frames
  result_probes probes;
  result_log energies_log, probes_log;
  result_path energies_path, probes_path, checkpoint_path, run_path;
  result_text row, settings;
  result_progress progress;
  uint64_t checkpoint_step; // UINT64_MAX: none is written yet
  char started[32];         // the date
  double start;             // of the clock that never jumps
};

// "2026-01-31T12:00:00Z"
void result_date(char text[32]);
double result_clock(void);
// `how` as clv_recorder_close has it; NULL while it runs.
clv_result result_run_write(clv_recorder *recorder, const char *how, clv_error *error);

clv_result result_recorder_checkpoint(clv_recorder *recorder, clv_error *error);
// Loads the checkpoint and takes back what was written behind it. The files are closed before and open afterwards.
clv_result result_recorder_take_back(clv_recorder *recorder, clv_error *error);

#endif
