// cleave_emit DIRECTORY SHARDS SET...: the shipped laws and rules as C, for the build (cmake/rules.cmake).
//
// Writes kernels_K.inc, each with a share of the kernels, topology.c with the topological rules, and table.c, which
// finds both by hash. Laws that come out the same are written once. An instruction set (sse2 ...) that is not named has
// no functions in the table.

#include "rule/native.h"
#include "rule/program.h"

#include <stdio.h>
#include <stdlib.h>

// The library's own table is what this program makes.
const native_entry native_table[1] = {{{{0}}, {{0}}}};
const uint32_t native_table_count = 0;
const native_rule native_rules[1] = {{{{0}}, NULL}};
const uint32_t native_rule_count = 0;

typedef struct emitted {
  emit_hash hash;
  emit_text text;
  uint32_t shard;
} emitted;

typedef struct output {
  clv_allocator allocator;
  bool sets[NATIVE_ISA_COUNT];
  BASE_ARRAY(emitted) kernels, rules;
} output;

static void fail(const char *what, const char *detail) {
  fprintf(stderr, "cleave_emit: %s%s%s\n", what, detail ? ": " : "", detail ? detail : "");
  exit(EXIT_FAILURE);
}

static void add_kernel(output *out, const kernel *k) {
  emitted one;
  emit_text_init(&one.text, &out->allocator);
  bool ok = emit_name(&one.hash, k, &one.text);
  for (uint32_t n = 0; n < out->kernels.count; n++) {
    if (memcmp(&out->kernels.data[n].hash, &one.hash, sizeof one.hash) != 0) continue;
    emit_text_free(&one.text);
    return;
  }
  one.text.bytes.count = 0;
  ok = ok && emit_kernel(&one.text, k) && BASE_RESERVE(&out->allocator, &out->kernels, out->kernels.count + 1u);
  if (!ok) fail("out of memory", NULL);
  out->kernels.data[out->kernels.count++] = one;
}

static void add_rule(output *out, const clv_program *program, const rule_graph *graph) {
  emitted one;
  emit_text_init(&one.text, &out->allocator);
  if (!emit_rule(&one.text, program, graph) || !BASE_RESERVE(&out->allocator, &out->rules, out->rules.count + 1u))
    fail("out of memory", NULL);
  one.hash = emit_hash_of(one.text.bytes.data, one.text.bytes.count);
  for (uint32_t n = 0; n < out->rules.count; n++)
    if (memcmp(&out->rules.data[n].hash, &one.hash, sizeof one.hash) == 0) {
      emit_text_free(&one.text);
      return;
    }
  out->rules.data[out->rules.count++] = one;
}

static void report(const clv_program *program) {
  const clv_diagnostic *diagnostics;
  const uint32_t count = clv_program_diagnostics(program, &diagnostics);
  for (uint32_t k = 0; k < count; k++) {
    char text[4096];
    clv_diagnostic_print(program, &diagnostics[k], text, sizeof text);
    fprintf(stderr, "%s\n", text);
  }
}

static void add_module(output *out, const char *name) {
  clv_program *program = clv_program_create(&out->allocator);
  if (!program || clv_program_use(program, name) != CLV_OK) fail("cannot use", name);
  if (clv_program_check(program) != CLV_OK) {
    report(program);
    fail("a shipped rule is wrong", name);
  }
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t k = 0; k < program->laws[n].kernels.count; k++)
      if (program->laws[n].kernels.data[k]) add_kernel(out, program->laws[n].kernels.data[k]);
  for (uint32_t k = 0; k < program->declarations.count; k++) {
    const clv_rule *rule = clv_program_rule(program, program->declarations.data[k]->name);
    if (rule && rule->graph) add_rule(out, program, rule->graph);
  }
  clv_program_destroy(program);
}

// Files

static bool is_there(const char *path, const emit_text *text) {
  FILE *file = fopen(path, "r");
  if (!file) return false;
  bool same = true;
  char piece[4096];
  size_t at = 0, size;
  while (same && (size = fread(piece, 1, sizeof piece, file)) > 0) {
    same = size <= text->bytes.count - at && memcmp(piece, text->bytes.data + at, size) == 0;
    at += size;
  }
  fclose(file);
  return same && at == text->bytes.count;
}

// What is there already stays as it is, so that nothing is compiled again for nothing.
static void write_text(const char *directory, const char *name, emit_text *text) {
  char path[4096];
  if (text->no_memory) fail("out of memory", NULL);
  if (snprintf(path, sizeof path, "%s/%s", directory, name) >= (int)sizeof path) fail("too long a name", directory);
  if (!is_there(path, text)) {
    FILE *file = fopen(path, "w");
    if (!file) fail("cannot write", path);
    const size_t written = fwrite(text->bytes.data, 1, text->bytes.count, file);
    if (fclose(file) != 0 || written != text->bytes.count) fail("cannot write", path);
  }
  emit_text_free(text);
}

// The longest first, each to the shard that has least.
static int by_size(const void *a, const void *b) {
  const emitted *one = a, *two = b;
  if (one->text.bytes.count != two->text.bytes.count) return one->text.bytes.count > two->text.bytes.count ? -1 : 1;
  return memcmp(&one->hash, &two->hash, sizeof one->hash);
}

static int by_hash(const void *a, const void *b) {
  const emitted *one = a, *two = b;
  return memcmp(&one->hash, &two->hash, sizeof one->hash);
}

static void deal_out(output *out, uint32_t shards) {
  uint64_t load[64] = {0};
  if (out->kernels.count) qsort(out->kernels.data, out->kernels.count, sizeof *out->kernels.data, by_size);
  for (uint32_t n = 0; n < out->kernels.count; n++) {
    uint32_t least = 0;
    for (uint32_t s = 1; s < shards; s++)
      if (load[s] < load[least]) least = s;
    out->kernels.data[n].shard = least;
    load[least] += out->kernels.data[n].text.bytes.count;
  }
  if (out->kernels.count) qsort(out->kernels.data, out->kernels.count, sizeof *out->kernels.data, by_hash);
}

static void write_shard(const output *out, const char *directory, uint32_t shard) {
  char name[64];
  snprintf(name, sizeof name, "kernels_%u.inc", shard);
  emit_text text;
  emit_text_init(&text, &out->allocator);
  emit_add_bytes(&text, (const char *)native_lanes.text, native_lanes.size);
  emit_add(&text, "\nvoid kernel_make_positive_lanes(double *, lanes_u32, lanes_u32);\n"
                  "#define CLV_POSITIVE kernel_make_positive_lanes\n");
  for (uint32_t n = 0; n < out->kernels.count; n++) {
    const emitted *one = &out->kernels.data[n];
    if (one->shard != shard) continue;
    emit_add(&text, "\n#define CLV_KERNEL(kind) CLV_ISA_NAME(rule_kernel_%u_##kind)\n", n);
    emit_add_bytes(&text, one->text.bytes.data, one->text.bytes.count);
    emit_add(&text, "#undef CLV_KERNEL\n");
  }
  write_text(directory, name, &text);
}

// The functions of kernel n: a declaration for each, or a list in braces for each instruction set.
static void add_functions(emit_text *text, const output *out, uint32_t n, bool list) {
  for (int isa = 0; isa < NATIVE_ISA_COUNT; isa++) {
    if (!out->sets[isa]) continue;
    if (list) emit_add(text, "[%d] = {\n", isa);
    for (int kind = 0; kind < KERNEL_COUNT; kind++)
      emit_add(text, "%srule_kernel_%u_%s_%s%s\n", list ? "" : "kernel_function ", n, emit_kind_name((kernel_kind)kind),
               native_isa_name((native_isa)isa), list ? "," : ";");
    if (list) emit_add(text, "},\n");
  }
}

static void write_rules(const output *out, const char *directory) {
  emit_text text;
  emit_text_init(&text, &out->allocator);
  emit_add_bytes(&text, (const char *)native_machine.text, native_machine.size);
  for (uint32_t n = 0; n < out->rules.count; n++) {
    emit_add(&text, "\n#define CLV_RULE(part) rule_topology_%u_##part\n", n);
    emit_add_bytes(&text, out->rules.data[n].text.bytes.data, out->rules.data[n].text.bytes.count);
    emit_add(&text, "#undef CLV_RULE\n");
  }
  write_text(directory, "topology.c", &text);
}

static void add_hash(emit_text *text, const emit_hash *hash) {
  emit_add(text, "{.hash = {{");
  for (int k = 0; k < 32; k++) emit_add(text, "%u,", hash->byte[k]);
  emit_add(text, "}}, ");
}

static void add_rule_table(emit_text *text, const output *out) {
  for (uint32_t n = 0; n < out->rules.count; n++)
    emit_add(text, "extern const machine_code rule_topology_%u_code;\n", n);
  emit_add(text, "\nconst uint32_t native_rule_count = %u;\n", out->rules.count);
  emit_add(text, "const native_rule native_rules[] = {\n");
  for (uint32_t n = 0; n < out->rules.count; n++) {
    add_hash(text, &out->rules.data[n].hash);
    emit_add(text, ".code = &rule_topology_%u_code},\n", n);
  }
  if (out->rules.count == 0) emit_add(text, "{.hash = {{0}}},\n");
  emit_add(text, "};\n");
}

static void write_table(const output *out, const char *directory) {
  emit_text text;
  emit_text_init(&text, &out->allocator);
  emit_add(&text, "// Written by cleave_emit.\n\n#include \"rule/native.h\"\n\n");
  for (uint32_t n = 0; n < out->kernels.count; n++) add_functions(&text, out, n, false);
  emit_add(&text, "\nconst uint32_t native_table_count = %u;\n", out->kernels.count);
  emit_add(&text, "const native_entry native_table[] = {\n");
  for (uint32_t n = 0; n < out->kernels.count; n++) {
    add_hash(&text, &out->kernels.data[n].hash);
    emit_add(&text, ".function = {\n");
    add_functions(&text, out, n, true);
    emit_add(&text, "}},\n");
  }
  if (out->kernels.count == 0) emit_add(&text, "{.hash = {{0}}},\n");
  emit_add(&text, "};\n");
  add_rule_table(&text, out);
  write_text(directory, "table.c", &text);
}

int main(int count, char **words) {
  if (count < 4) fail("usage: cleave_emit DIRECTORY SHARDS SET...", NULL);
  const uint32_t shards = (uint32_t)strtoul(words[2], NULL, 10);
  if (shards < 1 || shards > 64) fail("1 to 64 shards", words[2]);
  output out = {.allocator = clv_default_allocator()};
  for (int k = 3; k < count; k++)
    for (int isa = 0; isa < NATIVE_ISA_COUNT; isa++)
      if (strcmp(words[k], native_isa_name((native_isa)isa)) == 0) out.sets[isa] = true;
  for (const native_text *module = native_modules; module->name; module++) add_module(&out, module->name);
  deal_out(&out, shards);
  for (uint32_t shard = 0; shard < shards; shard++) write_shard(&out, words[1], shard);
  if (out.rules.count) qsort(out.rules.data, out.rules.count, sizeof *out.rules.data, by_hash);
  write_rules(&out, words[1]);
  write_table(&out, words[1]);
  for (uint32_t n = 0; n < out.kernels.count; n++) emit_text_free(&out.kernels.data[n].text);
  for (uint32_t n = 0; n < out.rules.count; n++) emit_text_free(&out.rules.data[n].text);
  BASE_RELEASE(&out.allocator, &out.kernels);
  BASE_RELEASE(&out.allocator, &out.rules);
  return EXIT_SUCCESS;
}
