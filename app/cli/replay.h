// Replays: what was recorded while somebody looked at a scene, done again.

#ifndef CLI_REPLAY_H
#define CLI_REPLAY_H

#include "cli.h"

// Whether a path is a replay, by its ending.
bool cli_is_replay(const char *path);
// Does it again, and says whether the bits are the same.
int cli_run_replay(const cli_call *call, uint32_t threads);

#endif
