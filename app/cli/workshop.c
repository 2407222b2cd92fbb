// See workshop.h.

#define _XOPEN_SOURCE 700 // mkdtemp

#include "workshop.h"

#include "text.h"

#include <dirent.h>
#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#define OUTPUT_NAME "output.log"
enum {
  SHOWN_BYTES = 600, // of the program's output
  PATIENCE = 5,      // seconds between asking it to stop and forcing it
  MOST_WORDS = 15,   // of its command line
};

// ---- the directory --------------------------------------------------------------------------------------------------

int cli_workshop_open(cli_workshop *shop) {
  const char *where = getenv("TMPDIR");
  if (!where || !*where) where = "/tmp";
  const int size = snprintf(shop->path, sizeof shop->path, "%s/cleave-XXXXXX", where);
  errno = ENAMETOOLONG;
  if (size > 0 && (size_t)size < sizeof shop->path && mkdtemp(shop->path)) return CLI_OK;
  fprintf(stderr, "cleave: cannot make a directory in %s: %s; TMPDIR can name another place\n", where, strerror(errno));
  return CLI_FAILURE;
}

cli_workshop_file cli_workshop_at(const cli_workshop *shop, const char *name) {
  cli_workshop_file file;
  snprintf(file.path, sizeof file.path, "%s/%s", shop->path, name);
  return file;
}

void cli_workshop_close(cli_workshop *shop) {
  DIR *directory = opendir(shop->path);
  if (directory) {
    for (const struct dirent *entry; (entry = readdir(directory));) unlinkat(dirfd(directory), entry->d_name, 0);
    closedir(directory);
  }
  rmdir(shop->path);
}

// ---- the program ----------------------------------------------------------------------------------------------------

bool cli_program_exists(const char *name) {
  const char *path = getenv("PATH");
  for (const char *at = path ? path : ""; *at;) {
    const size_t length = strcspn(at, ":");
    char file[4096];
    struct stat status;
    const int size = snprintf(file, sizeof file, "%.*s/%s", (int)length, at, name);
    if (length && size > 0 && (size_t)size < sizeof file && access(file, X_OK) == 0 && stat(file, &status) == 0 &&
        S_ISREG(status.st_mode)) {
      return true;
    }
    at += length + (at[length] == ':');
  }
  return false;
}

// In the child: everything is as in the parent, and only what may be called between fork and exec is called.
static void become(const char *directory, int output, const char *const *arguments, const sigset_t *mask) {
  const int nothing = open("/dev/null", O_RDONLY);
  if (nothing >= 0 && dup2(nothing, 0) >= 0 && dup2(output, 1) >= 0 && dup2(output, 2) >= 0 && chdir(directory) == 0) {
    sigprocmask(SIG_SETMASK, mask, NULL);
    signal(SIGPIPE, SIG_DFL);
    char *words[MOST_WORDS + 1] = {NULL}; // exec takes pointers to what it will not change
    int count = 0;
    do memcpy(&words[count], &arguments[count], sizeof words[count]);
    while (++count < MOST_WORDS && arguments[count]);
    execvp(arguments[0], words);
  }
  _exit(127);
}

// Asks the child to stop, and forces it when it does not.
static void stop(pid_t child, const sigset_t *awaited) {
  kill(child, SIGTERM);
  const time_t limit = time(NULL) + PATIENCE;
  while (waitpid(child, NULL, WNOHANG) == 0) {
    const struct timespec moment = {.tv_nsec = 100000000};
    sigtimedwait(awaited, NULL, &moment);
    if (time(NULL) <= limit) continue;
    kill(child, SIGKILL);
    waitpid(child, NULL, 0);
    return;
  }
}

// Waits for the child's end, a signal or the end of its time, whichever comes first; the signals are blocked, so none
// is missed. Returns the signal, SIGCHLD for the child's end, 0 for the end of its time.
static int await(pid_t child, uint32_t seconds, const sigset_t *awaited, int *status) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  const time_t limit = now.tv_sec + (time_t)seconds;
  for (;;) {
    if (waitpid(child, status, WNOHANG) == child) return SIGCHLD;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (now.tv_sec >= limit) return 0;
    const struct timespec rest = {.tv_sec = limit - now.tv_sec};
    const int came = sigtimedwait(awaited, NULL, &rest);
    if (came > 0 && came != SIGCHLD) return came;
  }
}

// The end of what the program printed, each line marked as its own.
static void show_output(const cli_workshop *shop, const char *program) {
  FILE *file = fopen(cli_workshop_at(shop, OUTPUT_NAME).path, "rb");
  if (!file) return;
  char text[SHOWN_BYTES + 1];
  if (fseek(file, -SHOWN_BYTES, SEEK_END) != 0) rewind(file);
  const size_t size = fread(text, 1, SHOWN_BYTES, file);
  fclose(file);
  text[size] = '\0';
  char *start = text;
  if (size == SHOWN_BYTES && strchr(text, '\n')) start = strchr(text, '\n') + 1; // not from the middle of a line
  for (char *line = strtok(start, "\r\n"); line; line = strtok(NULL, "\r\n")) {
    for (char *c = line; *c; c++) {
      if ((unsigned char)*c < ' ' || *c == 0x7F) *c = '?';
    }
    fprintf(stderr, "  %s: %s\n", program, line);
  }
}

static cli_run_end report(const cli_workshop *shop, const char *program, int status) {
  if (WIFEXITED(status) && WEXITSTATUS(status) == 0) return CLI_RUN_DONE;
  if (WIFSIGNALED(status)) {
    fprintf(stderr, "cleave: %s was ended by signal %d\n", program, WTERMSIG(status));
  } else {
    fprintf(stderr, "cleave: %s failed with status %d\n", program, WEXITSTATUS(status));
  }
  show_output(shop, program);
  return CLI_RUN_FAILED;
}

static cli_run_end run_with_signals_blocked(const cli_workshop *shop, const char *const *arguments, uint32_t seconds,
                                            const sigset_t *awaited, const sigset_t *mask, int *signal) {
  const int output = open(cli_workshop_at(shop, OUTPUT_NAME).path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0600);
  const pid_t child = output < 0 ? -1 : fork();
  if (child == 0) become(shop->path, output, arguments, mask);
  if (child < 0) fprintf(stderr, "cleave: cannot start %s: %s\n", arguments[0], strerror(errno));
  if (output >= 0) close(output);
  if (child < 0) return CLI_RUN_FAILED;
  int status = 0;
  const int came = await(child, seconds, awaited, &status);
  if (came == SIGCHLD) return report(shop, arguments[0], status);
  stop(child, awaited);
  if (came) {
    *signal = came;
    return CLI_RUN_INTERRUPTED;
  }
  fprintf(stderr, "cleave: %s was stopped after %s; --timeout allows more\n", arguments[0],
          cli_counted(seconds, "second", "seconds").text);
  return CLI_RUN_FAILED;
}

cli_run_end cli_workshop_run(const cli_workshop *shop, const char *const *arguments, uint32_t seconds, int *signal) {
  sigset_t awaited, mask;
  sigemptyset(&awaited);
  sigaddset(&awaited, SIGCHLD);
  sigaddset(&awaited, SIGINT);
  sigaddset(&awaited, SIGTERM);
  sigaddset(&awaited, SIGHUP);
  sigprocmask(SIG_BLOCK, &awaited, &mask);
  const cli_run_end end = run_with_signals_blocked(shop, arguments, seconds, &awaited, &mask, signal);
  sigprocmask(SIG_SETMASK, &mask, NULL);
  return end;
}
