// Reads the .inp files of Abaqus and CalculiX: nodes, elements and sets. Everything else, from materials to steps, is
// skipped.
//
// Element sets are regions: an element in several of them belongs to the smallest, so that "everything" does not hide
// the parts. Node sets become fields of 0 and 1 on the points. Parts are read one after the other where they stand; an
// instance may move its part, not turn it, and a part may be placed once. What would make nodes or elements out of
// others (*NGEN and the like) and files within files (*INCLUDE) is refused. Nodes may come after the elements that use
// them, so corners are numbers of the file until its end.

#include "io/abaqus_cards.h"
#include "io/abaqus_sets.h"
#include "io/abaqus_types.h"
#include "io/formats.h"
#include "io/groups.h"
#include "io/number.h"
#include "io/text.h"

#include <inttypes.h>
#include <math.h>
#include <string.h>

// Where the points of a part lie, and whether an instance has placed it.
typedef struct abaqus_part {
  size_t first_point, end_point;
  bool is_placed;
} abaqus_part;

typedef struct abaqus {
  io_reader *r;
  uint32_t scope;               // of the numbers that are read: 0 outside of parts, else a part's number + 1
  abaqus_sets parts, instances; // only their names
  abaqus_part *part_list;
  size_t part_capacity;
  uint32_t *instance_scopes;
  size_t instance_capacity;
  io_tags nodes, elements;
  size_t node_capacity, element_capacity;
  // By element: the scope of its corners and where it stands.
  struct abaqus_origin {
    uint32_t scope;
    const char *mark;
  } * origins;
  size_t origin_capacity;
  abaqus_sets node_sets, element_sets;
} abaqus;

// ---- items ----------------------------------------------------------------------------------------------------------

// A number of a node or element.
static int64_t abaqus_number(io_reader *r, io_span item, const char *what) {
  int64_t number = 0;
  if (!io_parse_integer(item, &number)) io_fail(r, "expected %s, found %s", what, io_quote(item).text);
  if (io_ok(r) && (number < 1 || number > INT32_MAX))
    io_fail(r, "%s is from 1 to 2147483647, not %" PRId64, what, number);
  return io_ok(r) ? number : 0;
}

// Fortran's doubles have a D where others have an E.
static double abaqus_real(io_reader *r, io_span item) {
  char text[64];
  double value = 0;
  if (item.size == 0) return 0;
  if (item.size < sizeof text) {
    for (size_t i = 0; i < item.size; i++) text[i] = item.at[i] == 'D' || item.at[i] == 'd' ? 'e' : item.at[i];
    item.at = text;
  }
  if (!io_parse_real(item.at, item.size, &value)) {
    io_fail(r, "expected a number, found %s", io_quote(item).text);
  }
  return io_ok(r) ? value : 0;
}

static bool abaqus_add_tag(io_reader *r, io_tags *tags, size_t *capacity, int64_t tag, size_t index) {
  io_tag *entries = io_scratch_grow(r, tags->entries, tags->count, capacity, sizeof *entries);
  if (!entries) return false;
  tags->entries = entries;
  io_tags_add(tags, tag, (uint32_t)index);
  return true;
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

// The set that a card puts what follows into; IO_NO_NAME for none.
static uint32_t abaqus_set_of(abaqus *a, const abaqus_card *card, const char *parameter, abaqus_sets *sets) {
  io_span name;
  if (!io_abaqus_parameter(card, parameter, &name)) return IO_NO_NAME;
  if (name.size == 0) io_fail(a->r, "%s= is empty", parameter);
  return io_abaqus_set(a->r, sets, name);
}

static void abaqus_add_indices(abaqus *a, abaqus_sets *sets, uint32_t set, size_t first, size_t end) {
  if (set == IO_NO_NAME || first == end) return;
  io_abaqus_add_piece(a->r, sets,
                      (abaqus_piece){.set = set,
                                     .first = (int64_t)first,
                                     .last = (int64_t)end - 1,
                                     .step = 1,
                                     .are_indices = true,
                                     .mark = a->r->mark});
}

static void abaqus_read_node(abaqus *a) {
  io_reader *r = a->r;
  io_span item = {r->at, 0};
  io_abaqus_next_item(r, &item);
  int64_t number = abaqus_number(r, item, "the number of a node");
  double point[3] = {0, 0, 0};
  for (int c = 0; c < 3 && io_abaqus_next_item(r, &item); c++) point[c] = abaqus_real(r, item);
  if (!io_add_point(r, point)) return;
  abaqus_add_tag(r, &a->nodes, &a->node_capacity, io_abaqus_key(a->scope, number), r->mesh->point_count - 1);
  io_rest_of_line(r); // direction cosines of a normal may follow
}

static void abaqus_read_nodes(abaqus *a, const abaqus_card *card) {
  io_reader *r = a->r;
  io_span system;
  if (io_abaqus_parameter(card, "SYSTEM", &system) && !io_span_is_nocase(system, "R")) {
    io_fail(r, "coordinates of system %s are not supported; write rectangular ones", io_quote(system).text);
  }
  if (io_abaqus_parameter(card, "INPUT", &system))
    io_fail(r, "nodes in another file (INPUT=) are not read; put them here");
  uint32_t set = abaqus_set_of(a, card, "NSET", &a->node_sets);
  size_t first = r->mesh->point_count;
  while (io_abaqus_next_line(r)) abaqus_read_node(a);
  abaqus_add_indices(a, &a->node_sets, set, first, r->mesh->point_count);
}

// ---- elements -------------------------------------------------------------------------------------------------------

static bool abaqus_keep_origin(abaqus *a, const char *mark) {
  size_t count = a->r->mesh->element_count;
  struct abaqus_origin *origins = io_scratch_grow(a->r, a->origins, count, &a->origin_capacity, sizeof *origins);
  if (!origins) return false;
  a->origins = origins;
  origins[count] = (struct abaqus_origin){a->scope, mark};
  return true;
}

// A row that has too few nodes goes on in the next line.
static void abaqus_read_element(abaqus *a, abaqus_type type) {
  io_reader *r = a->r;
  io_span item = {r->at, 0};
  io_abaqus_next_item(r, &item);
  const char *mark = r->mark;
  int64_t number = abaqus_number(r, item, "the number of an element");
  size_t corner_count = (size_t)clv_kind_corners(type.kind);
  uint32_t corners[8] = {0};
  for (size_t i = 0; i < type.nodes && io_ok(r); i++) {
    if (io_line_ends(r) && !io_abaqus_next_line(r)) {
      io_fail(r, "element %" PRId64 " has %zu nodes, its type needs %zu", number, i, type.nodes);
    }
    if (!io_ok(r) || !io_abaqus_next_item(r, &item)) break;
    int64_t node = abaqus_number(r, item, "the number of a node");
    if (i < corner_count) corners[i] = (uint32_t)node;
  }
  if (io_ok(r) && io_abaqus_next_item(r, &item) && item.size) {
    io_fail(r, "unexpected %s behind the nodes of element %" PRId64, io_quote(item).text, number);
  }
  if (!io_ok(r) || !abaqus_keep_origin(a, mark)) return;
  if (r->mesh->element_count == UINT32_MAX) io_fail(r, "more than 4294967295 elements cannot be numbered");
  size_t index = r->mesh->element_count;
  if (!io_add_element(r, type.kind, corners, corner_count, 0)) return;
  r->mesh->reduced_elements += type.nodes > corner_count;
  abaqus_add_tag(r, &a->elements, &a->element_capacity, io_abaqus_key(a->scope, number), index);
}

static void abaqus_read_elements(abaqus *a, const abaqus_card *card) {
  io_reader *r = a->r;
  io_span name = {r->at, 0};
  if (!io_abaqus_parameter(card, "TYPE", &name)) io_fail(r, "*ELEMENT needs TYPE=");
  abaqus_type type = io_abaqus_find_type(name);
  if (type.kind == CLV_NONE) {
    io_fail(r,
            "element type %s is not supported; C3D4 to C3D20, shells, membranes, plane elements, trusses and beams are",
            io_quote(name).text);
  }
  if (io_abaqus_parameter(card, "INPUT", &name)) {
    io_fail(r, "elements in another file (INPUT=) are not read; put them here");
  }
  uint32_t set = abaqus_set_of(a, card, "ELSET", &a->element_sets);
  size_t first = r->mesh->element_count;
  while (io_abaqus_next_line(r)) abaqus_read_element(a, type);
  abaqus_add_indices(a, &a->element_sets, set, first, r->mesh->element_count);
}

// From the numbers of the nodes to points.
static void abaqus_resolve_corners(abaqus *a) {
  io_reader *r = a->r;
  clv_mesh *mesh = r->mesh;
  for (size_t e = 0; e < mesh->element_count && io_ok(r); e++) {
    for (size_t c = mesh->offsets[e]; c < mesh->offsets[e + 1]; c++) {
      const io_tag *found = io_tags_find(&a->nodes, io_abaqus_key(a->origins[e].scope, mesh->corners[c]));
      if (!found) {
        r->mark = a->origins[e].mark;
        io_fail(r, "an element uses node %" PRIu32 ", which does not exist", mesh->corners[c]);
        return;
      }
      mesh->corners[c] = found->index;
    }
  }
}

// ---- sets -----------------------------------------------------------------------------------------------------------

static void abaqus_read_range(abaqus *a, abaqus_sets *sets, uint32_t set, uint32_t scope) {
  io_reader *r = a->r;
  int64_t numbers[3] = {0, 0, 1};
  io_span item = {r->at, 0};
  for (int i = 0; i < 3 && io_abaqus_next_item(r, &item); i++) {
    if (item.size || i < 2) numbers[i] = abaqus_number(r, item, "a number of a range");
  }
  if (io_ok(r) && numbers[1] == 0) numbers[1] = numbers[0];
  if (io_ok(r)) {
    io_abaqus_add_piece(
        r, sets,
        (abaqus_piece){
            .set = set, .scope = scope, .first = numbers[0], .last = numbers[1], .step = numbers[2], .mark = r->mark});
  }
  if (io_ok(r)) io_rest_of_line(r);
}

static void abaqus_read_members(abaqus *a, abaqus_sets *sets, uint32_t set, uint32_t scope) {
  io_reader *r = a->r;
  for (io_span item; io_abaqus_next_item(r, &item);) {
    int64_t number;
    if (item.size == 0) continue;
    if (!io_parse_integer(item, &number)) {
      uint32_t before = sets->names.count, other = io_abaqus_set(r, sets, item);
      if (io_ok(r) && other >= before) io_fail(r, "there is no set %s before this one", io_quote(item).text);
      if (io_ok(r)) io_abaqus_add_set(r, sets, set, other);
      continue;
    }
    number = abaqus_number(r, item, "a number of a set");
    if (!io_ok(r)) return;
    io_abaqus_add_piece(
        r, sets,
        (abaqus_piece){.set = set, .scope = scope, .first = number, .last = number, .step = 1, .mark = r->mark});
  }
}

static void abaqus_read_set(abaqus *a, const abaqus_card *card, const char *parameter, abaqus_sets *sets) {
  io_reader *r = a->r;
  io_span name;
  uint32_t set = abaqus_set_of(a, card, parameter, sets), scope = a->scope;
  if (set == IO_NO_NAME) {
    io_fail(r, "*%s needs %s=", parameter, parameter);
    return;
  }
  if (io_abaqus_parameter(card, "INSTANCE", &name)) {
    uint32_t before = a->instances.names.count, instance = io_abaqus_set(r, &a->instances, name);
    if (io_ok(r) && instance >= before) io_fail(r, "there is no instance %s", io_quote(name).text);
    if (!io_ok(r)) return;
    scope = a->instance_scopes[instance];
  }
  bool generate = io_abaqus_parameter(card, "GENERATE", &name);
  while (io_abaqus_next_line(r)) {
    if (generate) {
      abaqus_read_range(a, sets, set, scope);
    } else {
      abaqus_read_members(a, sets, set, scope);
    }
  }
}

static void abaqus_read_nset(abaqus *a, const abaqus_card *card) {
  abaqus_read_set(a, card, "NSET", &a->node_sets);
}

static void abaqus_read_elset(abaqus *a, const abaqus_card *card) {
  abaqus_read_set(a, card, "ELSET", &a->element_sets);
}

// The smallest set of each element, the first of equals.
typedef struct abaqus_choice {
  size_t *sizes;
  int32_t *groups;
} abaqus_choice;

static void abaqus_count_member(void *user, uint32_t set, uint32_t index) {
  abaqus_choice *choice = user;
  (void)index;
  choice->sizes[set]++;
}

static void abaqus_choose_member(void *user, uint32_t set, uint32_t index) {
  abaqus_choice *choice = user;
  int32_t chosen = choice->groups[index];
  if (chosen == 0 || choice->sizes[set] < choice->sizes[chosen - 1]) choice->groups[index] = (int32_t)set + 1;
}

static void abaqus_make_regions(abaqus *a) {
  io_reader *r = a->r;
  abaqus_sets *sets = &a->element_sets;
  uint32_t count = sets->names.count;
  if (count == 0) return;
  abaqus_choice choice = {io_scratch_new(r, count, sizeof *choice.sizes), r->mesh->tags};
  if (!choice.sizes) return;
  memset(choice.sizes, 0, count * sizeof *choice.sizes);
  io_abaqus_visit(r, sets, &a->elements, abaqus_count_member, &choice);
  io_abaqus_visit(r, sets, &a->elements, abaqus_choose_member, &choice);
  if (!io_ok(r)) return;
  for (uint32_t i = 0; i < count; i++) sets->names.entries[i].text = sets->spelled[i];
  io_groups_finish(r, &sets->names);
}

static void abaqus_mark_member(void *user, uint32_t set, uint32_t index) {
  double **fields = user;
  if (fields[set]) fields[set][index] = 1;
}

static void abaqus_make_node_fields(abaqus *a) {
  io_reader *r = a->r;
  const abaqus_sets *sets = &a->node_sets;
  double **fields = io_scratch_new(r, sets->names.count, sizeof *fields);
  for (uint32_t i = 0; i < sets->names.count && io_ok(r); i++) {
    fields[i] = io_add_field(r, sets->spelled[i], CLV_ON_POINTS, 1);
  }
  if (io_ok(r)) io_abaqus_visit(r, sets, &a->nodes, abaqus_mark_member, fields);
}

// ---- parts and instances --------------------------------------------------------------------------------------------

static void abaqus_end_part(abaqus *a, const abaqus_card *card) {
  (void)card;
  if (a->scope) a->part_list[a->scope - 1].end_point = a->r->mesh->point_count;
  a->scope = 0;
}

static void abaqus_begin_part(abaqus *a, const abaqus_card *card) {
  io_reader *r = a->r;
  io_span name = {r->at, 0};
  abaqus_end_part(a, card);
  if (!io_abaqus_parameter(card, "NAME", &name)) io_fail(r, "*PART needs NAME=");
  uint32_t count = a->parts.names.count, part = io_abaqus_set(r, &a->parts, name);
  if (io_ok(r) && part < count) io_fail(r, "a second part %s", io_quote(name).text);
  abaqus_part *list = io_ok(r) ? io_scratch_grow(r, a->part_list, count, &a->part_capacity, sizeof *list) : NULL;
  if (!list) return;
  a->part_list = list;
  list[part] = (abaqus_part){r->mesh->point_count, r->mesh->point_count, false};
  if (part >= INT32_MAX) io_fail(r, "there are too many parts");
  a->scope = part + 1;
}

// The lines behind *INSTANCE: a translation, then a rotation.
static void abaqus_place_part(abaqus *a, const abaqus_part *part) {
  io_reader *r = a->r;
  if (!io_abaqus_next_line(r)) return;
  double shift[3] = {0, 0, 0};
  io_span item;
  for (int c = 0; c < 3 && io_abaqus_next_item(r, &item); c++) shift[c] = abaqus_real(r, item);
  for (size_t i = part->first_point; i < part->end_point && io_ok(r); i++) {
    for (int c = 0; c < 3; c++) {
      r->mesh->points[i][c] += shift[c];
      if (!isfinite(r->mesh->points[i][c])) io_fail(r, "the instance moves its part to infinity");
    }
  }
  if (io_ok(r)) io_rest_of_line(r);
  if (io_abaqus_next_line(r)) io_fail(r, "an instance that turns its part is not supported; write the part turned");
}

static void abaqus_read_instance(abaqus *a, const abaqus_card *card) {
  io_reader *r = a->r;
  io_span name = {r->at, 0}, part_name = {r->at, 0};
  if (!io_abaqus_parameter(card, "NAME", &name) || !io_abaqus_parameter(card, "PART", &part_name)) {
    io_fail(r, "*INSTANCE needs NAME= and PART=");
  }
  uint32_t part_count = a->parts.names.count, part = io_abaqus_set(r, &a->parts, part_name);
  if (io_ok(r) && part >= part_count) io_fail(r, "there is no part %s", io_quote(part_name).text);
  if (io_ok(r) && a->part_list[part].is_placed) {
    io_fail(r, "part %s is placed twice; only one instance of a part is read", io_quote(part_name).text);
  }
  uint32_t count = a->instances.names.count, instance = io_abaqus_set(r, &a->instances, name);
  if (io_ok(r) && instance < count) io_fail(r, "a second instance %s", io_quote(name).text);
  uint32_t *scopes =
      io_ok(r) ? io_scratch_grow(r, a->instance_scopes, count, &a->instance_capacity, sizeof *scopes) : NULL;
  if (!scopes) return;
  a->instance_scopes = scopes;
  scopes[instance] = part + 1;
  a->part_list[part].is_placed = true;
  abaqus_place_part(a, &a->part_list[part]);
}

// ---- keywords -------------------------------------------------------------------------------------------------------

static void abaqus_refuse_include(abaqus *a, const abaqus_card *card) {
  (void)card;
  io_fail(a->r, "*INCLUDE is not followed; put the lines of that file here");
}

static void abaqus_refuse_generation(abaqus *a, const abaqus_card *card) {
  io_fail(a->r, "*%.*s makes nodes or elements of others, which is not supported; write them out",
          (int)(card->keyword.size < 32 ? card->keyword.size : 32), card->keyword.at);
}

static const struct {
  const char *keyword;
  void (*read)(abaqus *a, const abaqus_card *card);
} abaqus_keywords[] = {
    {"NODE", abaqus_read_nodes},         {"ELEMENT", abaqus_read_elements},    {"NSET", abaqus_read_nset},
    {"ELSET", abaqus_read_elset},        {"PART", abaqus_begin_part},          {"END PART", abaqus_end_part},
    {"INSTANCE", abaqus_read_instance},  {"INCLUDE", abaqus_refuse_include},   {"NGEN", abaqus_refuse_generation},
    {"NFILL", abaqus_refuse_generation}, {"NCOPY", abaqus_refuse_generation},  {"NMAP", abaqus_refuse_generation},
    {"ELGEN", abaqus_refuse_generation}, {"ELCOPY", abaqus_refuse_generation}, {"SYSTEM", abaqus_refuse_generation},
};

static void abaqus_read_card(abaqus *a, const abaqus_card *card) {
  for (size_t i = 0; i < sizeof abaqus_keywords / sizeof *abaqus_keywords; i++) {
    if (!io_span_is_nocase(card->keyword, abaqus_keywords[i].keyword)) continue;
    abaqus_keywords[i].read(a, card);
    return;
  }
}

static bool abaqus_sort(io_reader *r, io_tags *tags, const char *things) {
  io_tags_sort(tags);
  const io_tag *twin = io_tags_find_twin(tags);
  return !twin || io_fail(r, "two %s have the number %" PRId64, things, twin->tag & INT32_MAX);
}

void io_abaqus_read(io_reader *r) {
  abaqus a = {.r = r, .node_sets.things = "node", .element_sets.things = "element"};
  io_skip_blanks(r);
  if (r->at < r->end && *r->at != '*')
    io_fail(r, "expected a keyword such as *NODE, found %s", io_quote(io_word(r)).text);
  for (abaqus_card card; io_abaqus_next_card(r, &card);) abaqus_read_card(&a, &card);
  if (io_ok(r) && a.nodes.count == 0 && r->mesh->element_count) io_fail(r, "the file has no *NODE");
  if (!io_ok(r) || !abaqus_sort(r, &a.nodes, "nodes") || !abaqus_sort(r, &a.elements, "elements")) return;
  abaqus_resolve_corners(&a);
  if (io_ok(r)) abaqus_make_regions(&a);
  if (io_ok(r)) abaqus_make_node_fields(&a);
}
