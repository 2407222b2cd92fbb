// Groups and regions. See groups.h.

#include "io/groups.h"

#include "io/text.h"

#include <string.h>

static const char plain[] = "region-";

// ---- reading --------------------------------------------------------------------------------------------------------

int32_t io_groups_put(io_reader *r, io_names *names, io_span name) {
  if (name.size == 0) return 0;
  uint32_t number = io_names_put(r, names, name);
  if (number != IO_NO_NAME && number >= INT32_MAX) io_fail(r, "there are too many groups");
  return io_ok(r) ? (int32_t)number + 1 : 0;
}

// Whether a name is region-7, and the tag it says.
static bool is_plain(io_span name, int32_t *tag) {
  size_t prefix = sizeof plain - 1;
  int64_t value;
  if (name.size <= prefix || !io_span_is_nocase((io_span){name.at, prefix}, plain)) return false;
  if (!io_parse_integer((io_span){name.at + prefix, name.size - prefix}, &value)) return false;
  if (value < INT32_MIN || value > INT32_MAX) return false;
  *tag = (int32_t)value;
  return true;
}

static void choose_tags(const io_names *names, io_tags *taken, int32_t *tags, bool *named) {
  for (uint32_t i = 0; i < names->count; i++) {
    named[i] = !is_plain(names->entries[i].text, &tags[i]);
    if (!named[i]) io_tags_add(taken, tags[i], i);
  }
  io_tags_sort(taken);
  int32_t next = 1;
  size_t k = 0;
  for (uint32_t i = 0; i < names->count; i++) {
    if (!named[i]) continue;
    for (; k < taken->count && taken->entries[k].tag <= next; k++) next += taken->entries[k].tag == next;
    tags[i] = next++;
  }
}

// The elements' tags; and of which dimensions the elements of each group are, a bit each.
static void settle(clv_mesh *mesh, const int32_t *tags, unsigned char *dimensions) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    int32_t group = mesh->tags[e];
    if (group == 0) continue;
    dimensions[group - 1] |= (unsigned char)(1u << clv_kind_dimension((clv_kind)mesh->kinds[e]));
    mesh->tags[e] = tags[group - 1];
  }
}

bool io_groups_finish(io_reader *r, const io_names *names) {
  uint32_t count = names->count;
  io_tags taken = {io_scratch_new(r, count, sizeof *taken.entries), 0};
  int32_t *tags = io_scratch_new(r, count, sizeof *tags);
  bool *named = io_scratch_new(r, count, sizeof *named);
  unsigned char *dimensions = io_scratch_new(r, count, sizeof *dimensions);
  if (!io_ok(r) || count == 0) return io_ok(r);
  memset(dimensions, 0, count);
  choose_tags(names, &taken, tags, named);
  settle(r->mesh, tags, dimensions);
  for (uint32_t i = 0; i < count; i++) {
    for (int d = 0; named[i] && d <= 3; d++) {
      if (dimensions[i] >> d & 1) io_add_region(r, d, tags[i], names->entries[i].text);
    }
  }
  return io_ok(r);
}

// ---- writing --------------------------------------------------------------------------------------------------------

static int64_t key_of(int32_t dimension, int32_t tag) {
  return (int64_t)dimension << 32 | (uint32_t)tag;
}

bool io_group_names_open(io_group_names *names, io_writer *w, const clv_mesh *mesh) {
  *names = (io_group_names){.mesh = mesh};
  if (mesh->region_count == 0) return true;
  clv_allocator *allocator = &w->allocator;
  names->keys.entries = allocator->resize(allocator->user, NULL, 0, mesh->region_count * sizeof *names->keys.entries);
  if (!names->keys.entries) return io_writer_fail_memory(w);
  for (size_t i = 0; i < mesh->region_count; i++) {
    io_tags_add(&names->keys, key_of(mesh->regions[i].dimension, mesh->regions[i].tag), (uint32_t)i);
  }
  io_tags_sort(&names->keys);
  return true;
}

void io_group_names_close(io_group_names *names, io_writer *w) {
  clv_allocator *allocator = &w->allocator;
  if (!names->keys.entries) return;
  allocator->resize(allocator->user, names->keys.entries, names->mesh->region_count * sizeof *names->keys.entries, 0);
  names->keys.entries = NULL;
}

static int32_t dimension_of(const clv_mesh *mesh, size_t element) {
  return clv_kind_dimension((clv_kind)mesh->kinds[element]);
}

void io_put_group(io_writer *w, const io_group_names *names, size_t element, char (*mend)(char c)) {
  const clv_mesh *mesh = names->mesh;
  int32_t tag = mesh->tags[element];
  const io_tag *found = io_tags_find(&names->keys, key_of(dimension_of(mesh, element), tag));
  const char *name = found ? mesh->regions[found->index].name : "";
  if (*name) {
    for (; *name; name++) io_put(w, (char[]){mend(*name)}, 1);
  } else if (tag) {
    io_putf(w, "%s%d", plain, tag);
  }
}

bool io_same_group(const clv_mesh *mesh, size_t element) {
  return element > 0 && mesh->tags[element] == mesh->tags[element - 1] &&
         dimension_of(mesh, element) == dimension_of(mesh, element - 1);
}
