// The way in and the way out: finds the command, hands it its arguments, and makes sure that what it printed arrived.

#include "arguments.h"
#include "cli.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <string.h>

// A stream that the caller closed would lend its number to the next file we open, and a report would be printed into a
// mesh. Whatever takes the free number here cannot be written to, so that printing fails and is noticed.
static bool occupy_streams(void) {
  for (int stream = 0; stream <= 2; stream++) {
    if (fcntl(stream, F_GETFD) != -1) continue;
    if (open("/dev/null", stream == 0 ? O_WRONLY : O_RDONLY) != stream) return false;
  }
  return true;
}

static int run_command(const cli_command *command, int count, char **words) {
  cli_call call;
  int result = cli_parse(command, count, words, &call);
  if (result != CLI_OK) return result;
  if (call.help) {
    cli_print_help(stdout, command);
    return CLI_OK;
  }
  return command->run(&call);
}

static bool is_one_of(const char *word, const char *long_name, const char *short_name) {
  return strcmp(word, long_name) == 0 || strcmp(word, short_name) == 0;
}

static int run(int count, char **words) {
  if (count == 0) {
    cli_print_overview(stderr);
    return CLI_USAGE;
  }
  const char *first = words[0];
  if (is_one_of(first, "--help", "-h")) return run_command(&cli_help, count - 1, words + 1);
  if (is_one_of(first, "--version", "-V")) {
    printf("cleave %s\n", clv_version());
    return CLI_OK;
  }
  if (first[0] == '-') {
    return cli_misused(NULL, "'%s' comes before any command; write 'cleave COMMAND' first, its options behind it",
                       first);
  }
  int used = 0;
  const cli_command *command = cli_command_find(count, words, &used);
  if (command) return run_command(command, count - used, words + used);
  if (count == 2 && cli_command_is_family(first) && is_one_of(words[1], "--help", "-h")) {
    cli_print_family(stdout, first);
    return CLI_OK;
  }
  return cli_command_unknown(count, words);
}

// Nobody listens at the end of a closed pipe, so nothing is said then; but it is no success either.
static int finish(int result) {
  errno = 0;
  if (fflush(stdout) == 0 && !ferror(stdout)) return result;
  if (errno != EPIPE) fprintf(stderr, "cleave: cannot write to standard output: %s\n", strerror(errno ? errno : EIO));
  return result == CLI_OK ? CLI_FAILURE : result;
}

int main(int count, char **words) {
  if (!occupy_streams()) return CLI_FAILURE;
  signal(SIGPIPE, SIG_IGN);
  return finish(run(count > 0 ? count - 1 : 0, words + 1));
}
