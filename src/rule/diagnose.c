// Findings: recorded while a program is read and checked, shown sorted, with the line and a caret.

#include "rule/program.h"

#include <stdarg.h>
#include <stdio.h>

enum { FINDINGS = 200, SENTENCE = 400 };

static bool found_already(const clv_program *program, char code, rule_span span) {
  for (uint32_t k = 0; k < program->findings.count; k++) {
    const rule_finding *finding = &program->findings.data[k];
    if (finding->code == code && finding->span.file == span.file && finding->span.start == span.start) return true;
  }
  return false;
}

void rule_complain(clv_program *program, char code, rule_span span, const char *format, ...) {
  if (program->findings.count >= FINDINGS || found_already(program, code, span)) return;
  char text[SENTENCE];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);

  char *what = base_arena_copy(&program->arena, text, strlen(text));
  if (!what || !BASE_RESERVE(&program->arena.allocator, &program->findings, program->findings.count + 1u)) {
    program->no_memory = true;
    return;
  }
  char *bar = strchr(what, '|');
  const char *help = "";
  if (bar) {
    *bar = '\0';
    help = bar + 1;
  }
  program->findings.data[program->findings.count++] = (rule_finding){code, span, what, help};
}

static int compare(const rule_finding *a, const rule_finding *b) {
  if (a->span.file != b->span.file) return a->span.file < b->span.file ? -1 : 1;
  if (a->span.start != b->span.start) return a->span.start < b->span.start ? -1 : 1;
  return 0;
}

// Findings are few: insertion keeps those at one place in the order they came.
static void sort(rule_finding *findings, uint32_t count) {
  for (uint32_t k = 1; k < count; k++) {
    const rule_finding finding = findings[k];
    uint32_t at = k;
    for (; at > 0 && compare(&findings[at - 1], &finding) > 0; at--) findings[at] = findings[at - 1];
    findings[at] = finding;
  }
}

static uint32_t line_start(const rule_file *file, uint32_t at) {
  while (at > 0 && file->text[at - 1] != '\n') at--;
  return at;
}

static uint32_t line_end(const rule_file *file, uint32_t at) {
  while (at < file->size && file->text[at] != '\n') at++;
  return at;
}

static clv_diagnostic describe(const clv_program *program, const rule_finding *finding) {
  const rule_file *file = &program->files.data[finding->span.file];
  uint32_t line = 1;
  for (uint32_t at = 0; at < finding->span.start; at++) line += file->text[at] == '\n';
  const uint32_t start = finding->span.start, stop = line_end(file, start);
  const uint32_t end = finding->span.end < stop ? finding->span.end : stop;
  return (clv_diagnostic){
      .code = finding->code,
      .file = file->name,
      .line = line,
      .column = start - line_start(file, start) + 1,
      .length = end > start ? end - start : 1,
      .what = finding->what,
      .help = finding->help,
  };
}

uint32_t clv_program_diagnostics(const clv_program *program, const clv_diagnostic **diagnostics) {
  *diagnostics = program->diagnostics.data;
  return program->diagnostics.count;
}

bool rule_publish_findings(clv_program *program) {
  const uint32_t count = program->findings.count;
  program->diagnostics.count = 0;
  if (!BASE_RESERVE(&program->arena.allocator, &program->diagnostics, count)) return false;
  sort(program->findings.data, count);
  for (uint32_t k = 0; k < count; k++) program->diagnostics.data[k] = describe(program, &program->findings.data[k]);
  program->diagnostics.count = count;
  return true;
}

// Appends to a buffer that may be too small, counting what would have been written.
typedef struct printer {
  char *buffer;
  size_t size, length;
} printer;

static void put(printer *out, const char *text, size_t size) {
  for (size_t k = 0; k < size; k++, out->length++)
    if (out->length + 1 < out->size) out->buffer[out->length] = text[k];
}

static void put_text(printer *out, const char *text) {
  put(out, text, strlen(text));
}

static void put_times(printer *out, char c, uint32_t times) {
  for (uint32_t k = 0; k < times; k++) put(out, &c, 1);
}

static const rule_file *file_of(const clv_program *program, const clv_diagnostic *diagnostic) {
  for (uint32_t k = 0; k < program->files.count; k++)
    if (program->files.data[k].name == diagnostic->file) return &program->files.data[k];
  return NULL;
}

// The line with its number in front, and below it the caret and what to do.
static void put_line(printer *out, const rule_file *file, const clv_diagnostic *diagnostic) {
  uint32_t start = 0;
  for (uint32_t line = 1; line < diagnostic->line; start++) line += file->text[start] == '\n';
  char margin[32];
  const int width = snprintf(margin, sizeof margin, "%3u | ", (unsigned)diagnostic->line);
  put_text(out, margin);
  put(out, file->text + start, line_end(file, start) - start);
  put_text(out, "\n");
  put_times(out, ' ', (uint32_t)width - 2);
  put_text(out, "| ");
  // Tabs stay tabs, so that the caret stands below its character.
  for (uint32_t k = 0; k + 1 < diagnostic->column; k++) put(out, file->text[start + k] == '\t' ? "\t" : " ", 1);
  put_times(out, '^', diagnostic->length < 60 ? diagnostic->length : 60);
  put_text(out, " ");
  put_text(out, diagnostic->help);
  put_text(out, "\n");
}

size_t clv_diagnostic_print(const clv_program *program, const clv_diagnostic *diagnostic, char *buffer, size_t size) {
  printer out = {buffer, size, 0};
  char head[64];
  snprintf(head, sizeof head, ":%u:%u: error[%c]: ", (unsigned)diagnostic->line, (unsigned)diagnostic->column,
           diagnostic->code);
  put_text(&out, diagnostic->file);
  put_text(&out, head);
  put_text(&out, diagnostic->what);
  put_text(&out, "\n");
  const rule_file *file = file_of(program, diagnostic);
  if (file) put_line(&out, file, diagnostic);
  if (size) buffer[out.length < size ? out.length : size - 1] = '\0';
  return out.length;
}
