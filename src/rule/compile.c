// Emitted text through the machine's compiler, once.
//
// What is compiled is kept under a name that is the hash of everything that decides it: the text, the compiler (path,
// size and date), its options, Cleave's version. A file in the cache is loaded only when it and its directory belong to
// the user and nobody else may write them; it gets there by renaming, so it is whole or not there. Where no directory
// can be had, the code is compiled in a temporary one and loaded all the same.
//
// Units of text are compiled side by side. The compiler is started without a shell, sees nothing of a rule file but
// numbers, and is stopped when it takes too long.

#include "rule/compile_child.h"
#include "rule/native.h"

#include <dlfcn.h>
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <unistd.h>

enum {
  COMPILE_PATH = NATIVE_PATH,
  COMPILE_WORDS = 64 // of a command
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

// One unit on its way: compiled in a directory of its own, which is gone afterwards.
typedef struct job {
  native_unit *unit;
  compile_path kept; // where the cache will have it; empty when there is no cache
  compile_path work, source, object, log;
  char *word[COMPILE_WORDS + 1];
  compile_child child;
  clv_error error;
} job;

static void take_words(job *j, const command *c) {
  const char *const last[] = {"-o", j->object.text, j->source.text, "-lm", NULL};
  memcpy(j->word, c->word, c->count * sizeof *j->word);
  command all = {.count = 0};
  for (size_t k = 0; last[k]; k++) add_word(&all, last[k]);
  memcpy(j->word + c->count, all.word, all.count * sizeof *j->word);
  j->word[c->count + all.count] = NULL;
}

static bool start(job *j, const command *c, const char *directory) {
  if (!join(&j->work, directory, "build.XXXXXX") || !mkdtemp(j->work.text)) {
    j->work.text[0] = '\0';
    clv_error_set(&j->error, CLV_ERROR_SYSTEM, "cannot make a directory in '%.200s': %s", directory, strerror(errno));
    return false;
  }
  if (!join(&j->source, j->work.text, "rules.c") || !join(&j->object, j->work.text, "rules.so") ||
      !join(&j->log, j->work.text, "messages") || !write_file(j->source.text, &j->unit->text)) {
    clv_error_set(&j->error, CLV_ERROR_SYSTEM, "cannot write in '%.200s': %s", j->work.text, strerror(errno));
    return false;
  }
  take_words(j, c);
  return compile_start(&j->child, c->program.text, j->word, j->log.text, &j->error);
}

static void finish(job *j) {
  bool ok = compile_ended_well(&j->child, &j->error);
  if (ok && chmod(j->object.text, S_IRUSR | S_IWUSR) != 0) {
    clv_error_set(&j->error, CLV_ERROR_SYSTEM, "the compiler '%.200s' left nothing behind: %s", j->child.program,
                  strerror(errno));
    ok = false;
  }
  ok = ok && load(j->object.text, &j->unit->module, &j->unit->entrance, &j->error);
  // What cannot be kept is compiled again the next time; this time it is loaded.
  if (ok && j->kept.text[0]) (void)rename(j->object.text, j->kept.text);
}

static void clear_away(const job *j) {
  if (!j->work.text[0]) return;
  unlink(j->source.text);
  unlink(j->object.text);
  unlink(j->log.text);
  rmdir(j->work.text);
}

// Side by side, as many as there are processors.
static void run_jobs(job *jobs, uint32_t count, const command *c, const char *directory) {
  const uint32_t most = compile_processors();
  uint32_t next = 0, running = 0;
  while (next < count || running) {
    while (next < count && running < most) running += start(&jobs[next++], c, directory);
    bool any = false;
    for (uint32_t k = 0; k < next; k++) {
      if (!compile_has_ended(&jobs[k].child)) continue;
      finish(&jobs[k]);
      running--;
      any = true;
    }
    if (running && !any) compile_pause();
  }
  for (uint32_t k = 0; k < count; k++) clear_away(&jobs[k]);
}

// The longest first, so that none is left to go on alone.
static int by_size(const void *a, const void *b) {
  const uint32_t one = ((const job *)a)->unit->text.bytes.count, two = ((const job *)b)->unit->text.bytes.count;
  return one < two ? 1 : one > two ? -1 : 0;
}

// Makes jobs of what the cache does not have.
static bool make_jobs(const clv_allocator *allocator, const command *c, const char *cache, native_unit *units,
                      uint32_t count, job *jobs, uint32_t *job_count, char object[NATIVE_PATH]) {
  for (uint32_t k = 0; k < count; k++) {
    job *j = &jobs[*job_count];
    char name[72];
    *j = (job){.unit = &units[k]};
    if (!name_of(c, &units[k].text, allocator, name)) return false;
    if (cache && join(&j->kept, cache, name)) {
      memcpy(object, j->kept.text, sizeof j->kept.text);
      units[k].was_cached = load_cached(j->kept.text, &units[k].module, &units[k].entrance);
    }
    *job_count += !units[k].was_cached;
  }
  return true;
}

bool native_compile(const clv_allocator *allocator, const rule_native_def *def, native_isa isa, native_unit *units,
                    uint32_t count, char object[NATIVE_PATH], clv_error *error) {
  command c = {.count = 0};
  compile_path cache;
  object[0] = '\0';
  if (!find_compiler(&c, def, error)) return true;
  add_options(&c, isa);
  job *jobs = base_allocate(allocator, count * sizeof *jobs);
  uint32_t job_count = 0;
  const bool keeps = cache_directory(def, &cache);
  if (!jobs || !make_jobs(allocator, &c, keeps ? cache.text : NULL, units, count, jobs, &job_count, object)) {
    for (uint32_t k = 0; k < count; k++) native_unload(units[k].module);
    base_free(allocator, jobs, count * sizeof *jobs);
    return false;
  }
  const char *temporary = getenv("TMPDIR");
  qsort(jobs, job_count, sizeof *jobs, by_size);
  run_jobs(jobs, job_count, &c, keeps ? cache.text : temporary && *temporary ? temporary : "/tmp");
  for (uint32_t k = job_count; k-- > 0;)
    if (!jobs[k].unit->entrance) *error = jobs[k].error;
  base_free(allocator, jobs, count * sizeof *jobs);
  return true;
}
