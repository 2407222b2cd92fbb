// Sets of nodes and elements. See abaqus_sets.h.

#include "io/abaqus_sets.h"

#include <ctype.h>
#include <inttypes.h>

// What a member costs of the reader's budget: a line such as "1, 1000000, 1" must not keep us busy for long.
#define ABAQUS_MEMBER_COST 64

uint32_t io_abaqus_set(io_reader *r, abaqus_sets *sets, io_span name) {
  if (name.size > IO_NAME_SIZE - 1) name.size = IO_NAME_SIZE - 1;
  char small[IO_NAME_SIZE];
  for (size_t i = 0; i < name.size; i++) small[i] = (char)tolower((unsigned char)name.at[i]);
  uint32_t before = sets->names.count;
  uint32_t set = io_names_put(r, &sets->names, (io_span){small, name.size});
  if (set == IO_NO_NAME || set < before) return set;
  // A new name: the tree must not point to this function's memory.
  io_span *spelled = io_scratch_grow(r, sets->spelled, before, &sets->spelled_capacity, sizeof *spelled);
  char *kept = io_scratch_new(r, name.size, 1);
  if (!spelled || !kept) return IO_NO_NAME;
  for (size_t i = 0; i < name.size; i++) kept[i] = small[i];
  sets->names.entries[set].text.at = kept;
  sets->spelled = spelled;
  spelled[set] = name;
  return set;
}

bool io_abaqus_add_piece(io_reader *r, abaqus_sets *sets, abaqus_piece piece) {
  abaqus_piece *pieces = io_scratch_grow(r, sets->pieces, sets->piece_count, &sets->piece_capacity, sizeof *pieces);
  if (!pieces) return false;
  sets->pieces = pieces;
  pieces[sets->piece_count++] = piece;
  return true;
}

bool io_abaqus_add_set(io_reader *r, abaqus_sets *sets, uint32_t set, uint32_t other) {
  size_t count = sets->piece_count;
  if (!io_spend(r, count, sizeof *sets->pieces)) return false;
  for (size_t i = 0; i < count && io_ok(r); i++) {
    abaqus_piece piece = sets->pieces[i];
    if (piece.set != other) continue;
    piece.set = set;
    io_abaqus_add_piece(r, sets, piece);
  }
  return io_ok(r);
}

typedef struct visitor {
  void (*visit)(void *user, uint32_t set, uint32_t index);
  void *user;
} visitor;

static void visit_indices(const abaqus_piece *piece, const visitor *v) {
  for (int64_t i = piece->first; i <= piece->last; i++) v->visit(v->user, piece->set, (uint32_t)i);
}

// Goes through the tags that exist, not through the numbers: there may be a thousand million of those.
static bool visit_range(io_reader *r, const abaqus_piece *piece, const io_tags *tags, const visitor *v) {
  size_t begin = io_tags_lower_bound(tags, io_abaqus_key(piece->scope, piece->first));
  size_t end = io_tags_lower_bound(tags, io_abaqus_key(piece->scope, piece->last) + 1);
  if (!io_spend(r, end > begin ? end - begin : 0, ABAQUS_MEMBER_COST)) return false;
  for (size_t i = begin; i < end; i++) {
    int64_t distance = tags->entries[i].tag - io_abaqus_key(piece->scope, piece->first);
    if (distance % piece->step == 0) v->visit(v->user, piece->set, tags->entries[i].index);
  }
  return true;
}

bool io_abaqus_visit(io_reader *r, const abaqus_sets *sets, const io_tags *tags,
                     void (*visit)(void *user, uint32_t set, uint32_t index), void *user) {
  visitor v = {visit, user};
  for (size_t i = 0; i < sets->piece_count && io_ok(r); i++) {
    const abaqus_piece *piece = &sets->pieces[i];
    r->mark = piece->mark;
    if (piece->are_indices) {
      if (io_spend(r, (size_t)(piece->last - piece->first + 1), ABAQUS_MEMBER_COST)) visit_indices(piece, &v);
    } else if (piece->first == piece->last) {
      const io_tag *found = io_tags_find(tags, io_abaqus_key(piece->scope, piece->first));
      if (!found) io_fail(r, "there is no %s %" PRId64, sets->things, piece->first);
      if (found) visit(user, piece->set, found->index);
    } else {
      visit_range(r, piece, tags, &v);
    }
  }
  return io_ok(r);
}
