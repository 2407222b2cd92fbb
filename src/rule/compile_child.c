#include "rule/compile_child.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

enum {
  SECONDS = 60, // how long a compiler may take
  MOST = 16     // side by side
};

uint32_t compile_processors(void) {
  const long count = sysconf(_SC_NPROCESSORS_ONLN);
  return count < 1 ? 1 : count > MOST ? MOST : (uint32_t)count;
}

void compile_pause(void) {
  const struct timespec moment = {0, 2000000};
  nanosleep(&moment, NULL);
}

static bool spawn(compile_child *child, const posix_spawn_file_actions_t *actions, const posix_spawnattr_t *group,
                  char *const *words, clv_error *error) {
  const int failed = posix_spawn(&child->process, child->program, actions, group, words, environ);
  if (failed == 0) return true;
  child->process = 0;
  clv_error_set(error, CLV_ERROR_SYSTEM, "cannot start the compiler '%.200s': %s", child->program, strerror(failed));
  return false;
}

bool compile_start(compile_child *child, const char *program, char *const *words, const char *log, clv_error *error) {
  *child = (compile_child){.program = program, .log = log, .in_time = true};
  posix_spawn_file_actions_t actions;
  if (posix_spawn_file_actions_init(&actions) != 0) {
    clv_error_set(error, CLV_ERROR_MEMORY, "no memory to start the compiler");
    return false;
  }
  posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, log, O_WRONLY | O_CREAT | O_TRUNC, S_IRUSR | S_IWUSR);
  posix_spawn_file_actions_adddup2(&actions, STDOUT_FILENO, STDERR_FILENO);
  posix_spawnattr_t group;
  if (posix_spawnattr_init(&group) != 0) {
    posix_spawn_file_actions_destroy(&actions);
    clv_error_set(error, CLV_ERROR_MEMORY, "no memory to start the compiler");
    return false;
  }
  posix_spawnattr_setflags(&group, POSIX_SPAWN_SETPGROUP);
  posix_spawnattr_setpgroup(&group, 0);
  clock_gettime(CLOCK_MONOTONIC, &child->start);
  const bool started = spawn(child, &actions, &group, words, error);
  posix_spawnattr_destroy(&group);
  posix_spawn_file_actions_destroy(&actions);
  return started;
}

// Where the caller's process does not wait for children, nobody can know how one ended: what it left behind has to be
// looked at in any case.
bool compile_has_ended(compile_child *child) {
  if (!child->process) return false;
  int status;
  const pid_t ended = waitpid(child->process, &status, WNOHANG);
  if (ended == child->process || (ended < 0 && errno != EINTR)) {
    child->ended_well = ended < 0 || (WIFEXITED(status) && WEXITSTATUS(status) == 0);
    child->process = 0;
    return true;
  }
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  if (child->in_time && now.tv_sec - child->start.tv_sec > SECONDS) {
    child->in_time = false;
    kill(-child->process, SIGKILL); // the programs that it started in turn are of its group
  }
  return false;
}

bool compile_ended_well(const compile_child *child, clv_error *error) {
  if (child->ended_well && child->in_time) return true;
  if (!child->in_time) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "the compiler '%.200s' took more than %d seconds", child->program, SECONDS);
    return false;
  }
  char said[512] = "";
  FILE *file = fopen(child->log, "r");
  if (file) said[fread(said, 1, sizeof said - 1, file)] = '\0';
  if (file) fclose(file);
  clv_error_set(error, CLV_ERROR_SYSTEM, "the compiler '%.200s' failed: %s", child->program, said);
  return false;
}
