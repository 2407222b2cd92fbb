// Emitted text through the machine's compiler, once.
//
// What is compiled is kept under a name that is the hash of everything that decides it: the text, the compiler (path, size
// and date), its options, Cleave's version. A file in the cache is loaded only when it and its directory belong to the
// user and nobody else may write them; it gets there by renaming, so it is whole or not there. Where no directory can be
// had, the code is compiled in a temporary one and loaded all the same.
//
// The compiler is started without a shell, sees nothing of a rule file but numbers, and is stopped when it takes too long.

#include "rule/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

extern char **environ;

enum {
  COMPILE_PATH = NATIVE_PATH,
  COMPILE_WORDS = 64,  // of a command
  COMPILE_SECONDS = 60 // how long a compiler may take
};

typedef struct compile_path {
  char text[COMPILE_PATH];
} compile_path;

static bool join(compile_path *path, const char *directory, const char *name) {
  const int size = snprintf(path->text, sizeof path->text, "%s/%s", directory, name);
  return size > 0 && (size_t)size < sizeof path->text;
}

// The compiler

typedef struct command {
  compile_path program; // with its directory
  char words[COMPILE_PATH];
  char *word[COMPILE_WORDS + 1];
  uint32_t count;
} command;

static void add_word(command *c, const char *word) {
  union {
    const char *given;
    char *taken; // posix_spawn takes strings it does not change
  } same = {word};
  if (c->count < COMPILE_WORDS) c->word[c->count++] = same.taken;
}

static bool split_words(command *c, const char *text) {
  if (strlen(text) >= sizeof c->words) return false;
  memcpy(c->words, text, strlen(text) + 1);
  for (char *at = c->words; *at;) {
    while (*at == ' ' || *at == '\t') *at++ = '\0';
    if (!*at) break;
    if (c->count == COMPILE_WORDS / 2) return false;
    add_word(c, at);
    while (*at && *at != ' ' && *at != '\t') at++;
  }
  return c->count > 0;
}

static bool is_program(const char *path) {
  struct stat info;
  return stat(path, &info) == 0 && S_ISREG(info.st_mode) && access(path, X_OK) == 0;
}

static bool find_program(command *c) {
  const char *name = c->word[0];
  if (strchr(name, '/')) {
    const int size = snprintf(c->program.text, sizeof c->program.text, "%s", name);
    return size > 0 && (size_t)size < sizeof c->program.text && is_program(name);
  }
  const char *path = getenv("PATH");
  for (const char *at = path ? path : "/usr/bin:/bin"; *at;) {
    const size_t length = strcspn(at, ":");
    const int size = snprintf(c->program.text, sizeof c->program.text, "%.*s/%s", (int)length, length ? at : ".", name);
    if (size > 0 && (size_t)size < sizeof c->program.text && is_program(c->program.text)) return true;
    at += length + (at[length] == ':');
  }
  return false;
}

static bool find_compiler(command *c, const rule_native_def *def, clv_error *error) {
  const char *name = def->compiler ? def->compiler : getenv("CLEAVE_CC");
  if (!name || !*name) name = getenv("CC");
  if (!name || !*name) name = "cc";
  if (strcmp(name, "none") == 0) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "compiling is turned off (CLEAVE_CC=none)");
    return false;
  }
  if (split_words(c, name) && find_program(c)) return true;
  clv_error_set(error, CLV_ERROR_SYSTEM, "no compiler '%.200s': install one, or name it in CLEAVE_CC", name);
  return false;
}

static void add_options(command *c, native_isa isa) {
  static const char *const common[] = {"-std=gnu11",
                                       "-O1",
                                       "-fexpensive-optimizations",
                                       "-fPIC",
                                       "-shared",
                                       "-w",
                                       "-ffp-contract=off",
                                       "-fno-math-errno",
                                       "-fvisibility=hidden"};
  static const char *const avx[] = {"-mavx2", "-mfma", "-mavx512f", "-mavx512dq", "-mavx512vl", "-mavx512bw"};
  for (size_t k = 0; k < sizeof common / sizeof *common; k++) add_word(c, common[k]);
  for (size_t k = 0; k < (isa == NATIVE_AVX512 ? 6u : isa == NATIVE_AVX2 ? 2u : 0u); k++) add_word(c, avx[k]);
}

// Everything that decides what comes out.
static bool name_of(const command *c, const emit_text *text, const clv_allocator *allocator, char name[72]) {
  struct stat info;
  if (stat(c->program.text, &info) != 0) return false;
  emit_text all;
  emit_text_init(&all, allocator);
  emit_add(&all, "cleave %s\n%lld %lld\n", clv_version(), (long long)info.st_size, (long long)info.st_mtime);
  emit_add_bytes(&all, c->program.text, strlen(c->program.text));
  for (uint32_t k = 1; k < c->count; k++) {
    emit_add(&all, "\n");
    emit_add_bytes(&all, c->word[k], strlen(c->word[k]));
  }
  emit_add(&all, "\n");
  emit_add_bytes(&all, text->bytes.data, text->bytes.count);
  const bool ok = !all.no_memory;
  const emit_hash hash = emit_hash_of(all.bytes.data, all.bytes.count);
  emit_text_free(&all);
  for (uint32_t k = 0; k < 32; k++) snprintf(name + 2 * (size_t)k, 3, "%02x", hash.byte[k]);
  memcpy(name + 64, ".so", 4);
  return ok;
}

// Directories

static bool is_ours(const struct stat *info) {
  return info->st_uid == geteuid() && (info->st_mode & (S_IWGRP | S_IWOTH)) == 0;
}

// Makes a directory and those above it.
static bool make_directory(const char *name) {
  compile_path path;
  const int size = snprintf(path.text, sizeof path.text, "%s", name);
  if (size <= 0 || (size_t)size >= sizeof path.text) return false;
  for (char *at = path.text + 1;; at++) {
    if (*at && *at != '/') continue;
    const char end = *at;
    *at = '\0';
    if (mkdir(path.text, S_IRWXU) != 0 && errno != EEXIST) return false;
    if (!end) break;
    *at = end;
  }
  struct stat info;
  return stat(name, &info) == 0 && S_ISDIR(info.st_mode) && is_ours(&info);
}

static bool cache_directory(const rule_native_def *def, compile_path *path) {
  const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
  int size = -1;
  if (def->cache)
    size = snprintf(path->text, sizeof path->text, "%s", def->cache);
  else if (cache && *cache == '/')
    size = snprintf(path->text, sizeof path->text, "%s/cleave", cache);
  else if (home && *home == '/')
    size = snprintf(path->text, sizeof path->text, "%s/.cache/cleave", home);
  return size > 0 && (size_t)size < sizeof path->text && make_directory(path->text);
}

// Running it

static bool write_file(const char *path, const emit_text *text) {
  const int file = open(path, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, S_IRUSR | S_IWUSR);
  if (file < 0) return false;
  size_t done = 0;
  while (done < text->bytes.count) {
    const ssize_t written = write(file, text->bytes.data + done, text->bytes.count - done);
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) break;
    done += (size_t)written;
  }
  return close(file) == 0 && done == text->bytes.count;
}

// True when the program ended well. Where the caller's process does not wait for children, nobody can know: what it left
// behind has to be looked at in any case.
static bool wait_for(pid_t child, bool *in_time) {
  const struct timespec pause = {0, 2000000};
  struct timespec start, now;
  clock_gettime(CLOCK_MONOTONIC, &start);
  *in_time = true;
  for (;;) {
    int status;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) return WIFEXITED(status) && WEXITSTATUS(status) == 0;
    if (ended < 0 && errno != EINTR) return true;
    clock_gettime(CLOCK_MONOTONIC, &now);
    if (*in_time && now.tv_sec - start.tv_sec > COMPILE_SECONDS) {
      *in_time = false;
      kill(-child, SIGKILL); // the programs that it started in turn are of its group
    }
    nanosleep(&pause, NULL);
  }
}

static bool spawn(command *c, const char *log, clv_error *error) {
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
  pid_t child;
  const int failed = posix_spawn(&child, c->program.text, &actions, &group, c->word, environ);
  posix_spawnattr_destroy(&group);
  posix_spawn_file_actions_destroy(&actions);
  bool in_time = true;
  if (failed == 0 && wait_for(child, &in_time) && in_time) return true;
  if (failed != 0)
    clv_error_set(error, CLV_ERROR_SYSTEM, "cannot start the compiler '%.200s': %s", c->program.text, strerror(failed));
  else if (!in_time)
    clv_error_set(error, CLV_ERROR_SYSTEM, "the compiler '%.200s' took more than %d seconds", c->program.text,
                  COMPILE_SECONDS);
  else {
    char said[512] = "";
    FILE *file = fopen(log, "r");
    if (file) said[fread(said, 1, sizeof said - 1, file)] = '\0';
    if (file) fclose(file);
    clv_error_set(error, CLV_ERROR_SYSTEM, "the compiler '%.200s' failed: %s", c->program.text, said);
  }
  return false;
}

// Loading

void native_unload(void *module) {
  if (module) dlclose(module);
}

static bool load(const char *path, void **module, native_entrance **entrance, clv_error *error) {
  *module = dlopen(path, RTLD_NOW | RTLD_LOCAL);
  void *symbol = *module ? dlsym(*module, "cleave_rules") : NULL;
  if (symbol) {
    memcpy(entrance, &symbol, sizeof symbol);
    return true;
  }
  const char *why = dlerror();
  clv_error_set(error, CLV_ERROR_SYSTEM, "cannot load compiled rules: %.400s", why ? why : path);
  native_unload(*module);
  return false;
}

static bool load_cached(const char *path, void **module, native_entrance **entrance) {
  struct stat info;
  clv_error ignored;
  if (lstat(path, &info) != 0) return false;
  return S_ISREG(info.st_mode) && is_ours(&info) && load(path, module, entrance, &ignored);
}

// Compiles in a directory of its own, which is gone afterwards; moves the result to `kept` where that is not NULL.
static bool compile_in(const char *directory, command *c, const emit_text *text, const char *kept, void **module,
                       native_entrance **entrance, clv_error *error) {
  compile_path work = {""}, source = {""}, object = {""}, log = {""};
  if (!join(&work, directory, "build.XXXXXX") || !mkdtemp(work.text)) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "cannot make a directory in '%.200s': %s", directory, strerror(errno));
    return false;
  }
  bool ok = join(&source, work.text, "rules.c") && join(&object, work.text, "rules.so") &&
            join(&log, work.text, "messages") && write_file(source.text, text);
  if (!ok) clv_error_set(error, CLV_ERROR_SYSTEM, "cannot write in '%.200s': %s", work.text, strerror(errno));
  if (ok) {
    add_word(c, "-o");
    add_word(c, object.text);
    add_word(c, source.text);
    add_word(c, "-lm");
    ok = spawn(c, log.text, error);
  }
  if (ok && chmod(object.text, S_IRUSR | S_IWUSR) != 0) {
    clv_error_set(error, CLV_ERROR_SYSTEM, "the compiler '%.200s' left nothing behind: %s", c->program.text,
                  strerror(errno));
    ok = false;
  }
  ok = ok && load(object.text, module, entrance, error);
  // What cannot be kept is compiled again the next time; this time it is loaded.
  if (ok && kept) (void)rename(object.text, kept);
  unlink(source.text);
  unlink(object.text);
  unlink(log.text);
  rmdir(work.text);
  return ok;
}

bool native_compile(const clv_allocator *allocator, const rule_native_def *def, native_isa isa, const emit_text *text,
                    void **module, native_entrance **entrance, bool *was_cached, char object[NATIVE_PATH],
                    clv_error *error) {
  command c = {.count = 0};
  compile_path cache, kept;
  char name[72];
  *was_cached = false;
  object[0] = '\0';
  if (!find_compiler(&c, def, error)) return false;
  add_options(&c, isa);
  if (!name_of(&c, text, allocator, name)) {
    clv_error_set(error, CLV_ERROR_MEMORY, "no memory to name compiled rules");
    return false;
  }
  if (cache_directory(def, &cache) && join(&kept, cache.text, name)) {
    memcpy(object, kept.text, sizeof kept.text);
    *was_cached = load_cached(kept.text, module, entrance);
    return *was_cached || compile_in(cache.text, &c, text, kept.text, module, entrance, error);
  }
  const char *temporary = getenv("TMPDIR");
  return compile_in(temporary && *temporary ? temporary : "/tmp", &c, text, NULL, module, entrance, error);
}
