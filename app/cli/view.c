// `cleave view`: a scene that is simulated while one looks at it and takes hold of it, or a finished run, in a browser.

#define _XOPEN_SOURCE 700 // realpath

#include "arguments.h"
#include "server.h"
#include "subject.h"
#include "workshop.h"

#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/types.h>
#include <unistd.h>

enum { PATH_SIZE = 4096 };

typedef struct viewing {
  const cli_call *call;
  const char *path;
  cli_server *server;
  clv_scene *scene;
  clv_series *series;
  clv_live *live;
  char source[PATH_SIZE], replays[PATH_SIZE];
} viewing;

// ---- the browser --------------------------------------------------------------------------------

// The desktop's own way to open a link, started and forgotten.
static void open_browser(const char *link) {
  const char *x = getenv("DISPLAY"), *wayland = getenv("WAYLAND_DISPLAY");
  if ((!x || !*x) && (!wayland || !*wayland)) return;
  if (!cli_program_exists("xdg-open")) return;
  const pid_t child = fork();
  if (child != 0) return;
  signal(SIGPIPE, SIG_DFL);
  execlp("xdg-open", "xdg-open", link, (char *)NULL);
  _exit(127);
}

// ---- opening ------------------------------------------------------------------------------------

// NAME of a path without its directories and its ending: recordings go beside where the program was called.
static bool name_replays(viewing *v) {
  const char *asked = cli_value(v->call, "record");
  const char *slash = strrchr(v->path, '/'), *name = slash ? slash + 1 : v->path;
  const char *point = strrchr(name, '.');
  const int length = (int)(point && point != name ? (size_t)(point - name) : strlen(name));
  if (asked) return snprintf(v->replays, sizeof v->replays, "%s", asked) < PATH_SIZE;
  return snprintf(v->replays, sizeof v->replays, "%.*s", length, name) < PATH_SIZE;
}

static int open_live(viewing *v) {
  clv_error error = {0};
  clv_live_def def = clv_default_live_def();
  const char *threads = cli_value(v->call, "threads"), *speed = cli_value(v->call, "speed");
  int result = threads ? cli_whole_number(v->call, "N", threads, 1, CLI_MOST_THREADS, &def.threads) : CLI_OK;
  if (result == CLI_OK && speed) result = cli_number(v->call, "F", speed, &def.factor);
  if (result != CLI_OK) return result;
  if (def.factor < 0 || def.factor > 1000) return cli_misused(v->call->command, "--speed goes from 0 to 1000");
  def.paused = cli_flag(v->call, "paused");
  def.wake = cli_server_wake;
  def.user = v->server;
  def.source = v->path;
  if (cli_is_directory(v->path)) {
    v->series = clv_series_open(v->path, NULL, &error);
    if (v->series) v->live = clv_live_series(v->series, &def, &error);
  } else {
    if (!realpath(v->path, v->source) || !name_replays(v)) snprintf(v->source, sizeof v->source, "%s", v->path);
    def.source = v->source;
    def.replays = v->replays;
    v->scene = clv_scene_read(v->path, NULL, &error);
    if (v->scene) v->live = clv_live_scene(v->scene, &def, &error);
  }
  return v->live ? CLI_OK : cli_failed(error.message);
}

static int view(viewing *v) {
  clv_error error = {0};
  cli_server_def def = {.address = cli_value(v->call, "listen")};
  const char *port = cli_value(v->call, "port");
  int result = port ? cli_whole_number(v->call, "N", port, 1, 65535, &def.port) : CLI_OK;
  if (result != CLI_OK) return result;
  v->server = cli_server_open(&def);
  if (!v->server) return CLI_FAILURE;
  result = open_live(v);
  if (result != CLI_OK) return result;
  printf("%s\n", cli_server_link(v->server));
  fflush(stdout);
  if (!cli_flag(v->call, "no-open")) open_browser(cli_server_link(v->server));
  if (clv_live_start(v->live, &error) != CLV_OK) return cli_failed(error.message);
  cli_server_run(v->server, v->live);
  return CLI_OK; // Ctrl-C is how one ends it
}

static int run_view(const cli_call *call) {
  viewing v = {.call = call, .path = call->words[0]};
  const int result = view(&v);
  clv_live_destroy(v.live);
  cli_server_close(v.server);
  clv_series_close(v.series);
  clv_scene_destroy(v.scene);
  return result;
}

const cli_command cli_view = {
    .name = "view",
    .what = "look at a scene or a run in a browser, and take hold of it",
    .words = "SCENE|RUN",
    .min_words = 1,
    .max_words = 1,
    .options =
        {
            {.name = "port", .value_count = 1, .values = "N", .what = "listen at this port; else at a free one"},
            {.name = "no-open", .what = "print the link, and open no browser"},
            {.name = "paused", .what = "begin paused"},
            {.name = "speed",
             .value_count = 1,
             .values = "F",
             .what = "simulated over real time; 0: as fast as it goes"},
            {.name = "threads", .value_count = 1, .values = "N", .what = "simulate on N threads"},
            {.name = "record", .value_count = 1, .values = "NAME", .what = "recordings are NAME-1.replay ..."},
            {.name = "listen",
             .value_count = 1,
             .values = "ADDRESS",
             .what = "for other machines, too; asks for a token"},
        },
    .help =
        "Simulates SCENE, a YAML file, and shows it in a browser, where it can be pulled, cut, pierced, refined and "
        "put\n"
        "back; or plays RUN, the directory of a finished run. Prints the link, and opens it where there is a "
        "desktop. The\n"
        "page is part of the program; docs/viewer.md tells what it can do, docs/protocol.md how to talk to it.\n"
        "\n"
        "Only this machine can connect, unless --listen says an address: then whoever has the link with its token "
        "can.\n"
        "Ctrl-C ends it.\n"
        "\n"
        "  cleave view examples/13_liver_corotational.yaml\n"
        "  cleave view out/01_cantilever --port 8080 --no-open\n",
    .run = run_view,
};
