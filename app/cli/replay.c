// See replay.h.

#include "replay.h"
#include "run.h"
#include "text.h"

#include <inttypes.h>
#include <string.h>

bool cli_is_replay(const char *path) {
  const char *ending = strrchr(path, '.');
  return ending && strcmp(ending, ".replay") == 0;
}

int cli_run_replay(const cli_call *call, uint32_t threads) {
  clv_error error = {0};
  clv_replay *replay = clv_replay_read(call->words[0], threads, NULL, &error);
  if (!replay) return cli_failed(error.message);
  clv_result result = CLV_OK;
  cli_progress progress = cli_progress_begin(0, false);
  while (result == CLV_OK && clv_replay_done(replay) < clv_replay_steps(replay)) {
    result = clv_replay_step(replay, &error);
    cli_progress_step(&progress, clv_replay_done(replay), clv_replay_steps(replay),
                      clv_world_get_step(clv_replay_world(replay)));
  }
  cli_progress_end(&progress);
  if (result == CLV_OK) result = clv_replay_check(replay, &error);
  if (result == CLV_OK) {
    cli_print_name(call->words[0]);
    printf(": %s, hash %016" PRIx64 ": the same bits as when it was recorded\n",
           cli_counted(clv_replay_steps(replay), "step", "steps").text, clv_world_hash(clv_replay_world(replay)));
  }
  clv_replay_destroy(replay);
  return result == CLV_OK ? CLI_OK : cli_failed(error.message);
}
