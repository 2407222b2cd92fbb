// The server of `cleave view`: the page over HTTP, a live world over WebSocket (docs/protocol.md), by libwebsockets.
//
// It runs on the caller's thread and never touches the world: it hands texts to the live world and fetches texts and
// frames from it. Everything that comes in is bounded, and what is wrong ends its connection with a reason. No file is
// ever opened here: what is served is part of the program.

#ifndef CLI_SERVER_H
#define CLI_SERVER_H

#include "cli.h"

typedef struct cli_server cli_server;

typedef struct cli_server_def {
  const char *address; // to listen at; NULL: 127.0.0.1
  uint32_t port;       // 0: a free one
} cli_server_def;

// NULL, and a complaint, on failure.
cli_server *cli_server_open(const cli_server_def *def);
void cli_server_close(cli_server *server);
// Where the page is, with its token where one is asked for.
const char *cli_server_link(const cli_server *server);
// For the live world's `wake`; user: the server.
void cli_server_wake(void *user);
// Serves until a signal to end comes; gives its number.
int cli_server_run(cli_server *server, clv_live *live);

#endif
