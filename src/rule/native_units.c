// Who is compiled with whom.
//
// A compiler costs some 30 ms to start, and what takes longest decides when all are done. So there are as many units as
// processors, or a multiple where there is much text, and each piece, the longest first, goes to the shortest unit.

#include "rule/compile_child.h"
#include "rule/native.h"

#include <stdlib.h>

enum {
  UNIT_LEAST = 16 << 10, // what is shorter is compiled faster by one than by two
  UNIT_MOST = 256 << 10
};

bool native_pieces_add(native_pieces *pieces, const clv_allocator *allocator, const emit_text *text, uint32_t owner) {
  if (!BASE_RESERVE(allocator, pieces, (uint64_t)pieces->count + 1)) return false;
  native_piece *piece = &pieces->data[pieces->count++];
  *piece = (native_piece){.owner = owner, .owners = 1};
  emit_text_init(&piece->text, allocator);
  emit_add_bytes(&piece->text, text->bytes.data, text->bytes.count);
  return !piece->text.no_memory;
}

void native_pieces_free(native_pieces *pieces, const clv_allocator *allocator) {
  for (uint32_t k = 0; k < pieces->count; k++) emit_text_free(&pieces->data[k].text);
  BASE_RELEASE(allocator, pieces);
}

void native_units_free(native_units *units, const clv_allocator *allocator) {
  for (uint32_t u = 0; u < units->count; u++) emit_text_free(&units->data[u].text);
  BASE_RELEASE(allocator, units);
}

static int by_size(const void *a, const void *b) {
  const native_piece *one = a, *two = b;
  if (one->text.bytes.count != two->text.bytes.count) return one->text.bytes.count < two->text.bytes.count ? 1 : -1;
  return one->owner < two->owner ? -1 : one->owner > two->owner;
}

static int by_unit(const void *a, const void *b) {
  const native_piece *one = a, *two = b;
  if (one->unit != two->unit) return one->unit < two->unit ? -1 : 1;
  return one->owner < two->owner ? -1 : one->owner > two->owner;
}

static uint64_t divide_up(uint64_t a, uint64_t b) {
  return (a + b - 1) / b;
}

static uint32_t count_units(const native_pieces *pieces) {
  const uint64_t processors = compile_processors();
  uint64_t size = 0;
  for (uint32_t k = 0; k < pieces->count; k++) size += pieces->data[k].text.bytes.count;
  uint64_t count = processors * divide_up(size, processors * UNIT_MOST);
  if (count > divide_up(size, UNIT_LEAST)) count = divide_up(size, UNIT_LEAST);
  if (count > pieces->count) count = pieces->count;
  return count ? (uint32_t)count : 1;
}

// Passes that find nothing in straight code and take a seventh of the compiler's time.
static const char quick[] = "#if defined(__GNUC__) && !defined(__clang__)\n"
                            "#pragma GCC optimize(\"no-tree-pta\", \"no-ivopts\", \"no-tree-dominator-opts\")\n"
                            "#pragma GCC optimize(\"ira-region=one\")\n"
                            "#endif\n"
                            "#define LANES_QUICK\n";

static void write_unit(native_unit *unit, const native_pieces *pieces, const native_frame *frame) {
  emit_text *text = &unit->text;
  emit_add(text, "%s", quick);
  emit_add_bytes(text, (const char *)frame->head->text, frame->head->size);
  emit_add(text, "%s", frame->common);
  for (uint32_t n = 0; n < unit->count; n++) {
    const emit_text *piece = &pieces->data[unit->first + n].text;
    emit_add(text, "\n#define %s(part) p%u_##part\n", frame->macro, n);
    emit_add_bytes(text, piece->bytes.data, piece->bytes.count);
    emit_add(text, "#undef %s\n", frame->macro);
  }
}

// Gives each piece its unit, and each unit the number of its pieces.
static bool assign(native_units *units, const clv_allocator *allocator, native_pieces *pieces) {
  uint64_t *size = base_allocate(allocator, units->count * sizeof *size);
  if (!size) return false;
  memset(size, 0, units->count * sizeof *size);
  qsort(pieces->data, pieces->count, sizeof *pieces->data, by_size);
  for (uint32_t k = 0; k < pieces->count; k++) {
    uint32_t shortest = 0;
    for (uint32_t u = 1; u < units->count; u++)
      if (size[u] < size[shortest]) shortest = u;
    pieces->data[k].unit = shortest;
    size[shortest] += pieces->data[k].text.bytes.count;
    units->data[shortest].count++;
    units->data[shortest].owners += pieces->data[k].owners;
  }
  base_free(allocator, size, units->count * sizeof *size);
  qsort(pieces->data, pieces->count, sizeof *pieces->data, by_unit);
  return true;
}

bool native_units_share(native_units *units, const clv_allocator *allocator, native_pieces *pieces,
                        const native_frame *frame) {
  const uint32_t count = count_units(pieces);
  if (!BASE_RESERVE(allocator, units, count)) return false;
  for (; units->count < count; units->count++) {
    units->data[units->count] = (native_unit){0};
    emit_text_init(&units->data[units->count].text, allocator);
  }
  if (!assign(units, allocator, pieces)) return false;
  bool ok = true;
  for (uint32_t u = 0, first = 0; u < count; first += units->data[u++].count) {
    units->data[u].first = first;
    write_unit(&units->data[u], pieces, frame);
    ok = ok && !units->data[u].text.no_memory;
  }
  return ok;
}
