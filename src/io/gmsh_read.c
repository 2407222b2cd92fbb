// Reads Gmsh's .msh files: format 1, 2.0 to 2.2, 4.0 and 4.1, text and binary, either byte order.
//
// A file is a list of sections, "$Nodes ... $EndNodes"; unknown ones are skipped. Text and binary files differ only in
// how a number stands there, so one function reads both wherever the layout is the same. Tags of nodes and elements may
// be sparse; they end here, in the three io_tags below. The region of an element is its first physical tag, which
// format 4 keeps with the geometric entity the element belongs to. Corner order needs no change: Gmsh's is ours.

#include "io/bytes.h"
#include "io/formats.h"
#include "io/tags.h"
#include "io/text.h"

#include <inttypes.h>
#include <string.h>

typedef struct gmsh {
  io_reader *r;
  double version;
  size_t size_bytes; // of a size_t in a binary file
  bool has_nodes, has_elements;
  io_tags nodes, elements;
  io_tags physicals; // from a dimension and the tag of an entity to its first physical tag
} gmsh;

// ---- element types --------------------------------------------------------------------------------------------------

typedef struct gmsh_type {
  unsigned char kind, nodes;
} gmsh_type;

// By Gmsh's numbers. In second-order elements the corners come first.
static const gmsh_type gmsh_types[] = {
    [1] = {CLV_LINE, 2},    [2] = {CLV_TRI, 3},       [3] = {CLV_QUAD, 4},      [4] = {CLV_TET, 4},
    [5] = {CLV_HEX, 8},     [6] = {CLV_PRISM, 6},     [7] = {CLV_PYRAMID, 5},   [8] = {CLV_LINE, 3},
    [9] = {CLV_TRI, 6},     [10] = {CLV_QUAD, 9},     [11] = {CLV_TET, 10},     [12] = {CLV_HEX, 27},
    [13] = {CLV_PRISM, 18}, [14] = {CLV_PYRAMID, 14}, [15] = {CLV_POINT, 1},    [16] = {CLV_QUAD, 8},
    [17] = {CLV_HEX, 20},   [18] = {CLV_PRISM, 15},   [19] = {CLV_PYRAMID, 13},
};

// NULL after a failure.
static const gmsh_type *gmsh_find_type(gmsh *g, int64_t number) {
  if (!io_ok(g->r)) return NULL;
  if (number > 0 && number < (int64_t)(sizeof gmsh_types / sizeof *gmsh_types)) return &gmsh_types[number];
  io_fail(g->r,
          "element type %" PRId64 " is not supported; types 1 to 19 are (points to hexahedra, first and second order)",
          number);
  return NULL;
}

static int32_t gmsh_region(gmsh *g, int64_t physical) {
  if (physical < INT32_MIN || physical > INT32_MAX) {
    io_fail(g->r, "physical tag %" PRId64 " needs more than 32 bits", physical);
  }
  return io_ok(g->r) ? (int32_t)physical : 0;
}

// ---- numbers --------------------------------------------------------------------------------------------------------

// An int of the file.
static int64_t gmsh_integer(gmsh *g, const char *what) {
  return io_take_integer(g->r, 4, what);
}

// A size_t of the file; format 4 numbers nodes and elements with it.
static int64_t gmsh_size(gmsh *g, const char *what) {
  return io_take_integer(g->r, g->size_bytes, what);
}

// The tag of a node or element in a section of format 4.
static int64_t gmsh_tag4(gmsh *g, const char *what) {
  return g->version < 4.1 ? gmsh_integer(g, what) : gmsh_size(g, what);
}

static size_t gmsh_size_of_tag4(const gmsh *g) {
  return g->version < 4.1 ? 4 : g->size_bytes;
}

// A count of things of at least so many bytes in a text and in a binary file.
static size_t gmsh_count(gmsh *g, const char *things, size_t least_in_text, size_t least_in_binary) {
  if (!g->r->binary) return io_text_count(g->r, things, least_in_text);
  int64_t count = gmsh_size(g, things);
  if (count < 0) io_fail(g->r, "%" PRId64 " %s are declared", count, things);
  return io_room(g->r, (uint64_t)count, least_in_binary, things) ? (size_t)count : 0;
}

// ---- $MeshFormat ----------------------------------------------------------------------------------------------------

// Binary files hold the integer 1 behind the header line.
static void gmsh_read_byte_order(gmsh *g) {
  io_reader *r = g->r;
  r->binary = true;
  const char *one = io_bytes(r, 4, "the integer 1 that tells the byte order");
  if (!one) return;
  if (io_load(one, 4, false) != 1 && io_load(one, 4, true) != 1) {
    io_fail(r, "expected the integer 1 that tells the byte order");
  }
  r->big_endian = io_load(one, 4, true) == 1;
}

static void gmsh_read_format(gmsh *g) {
  io_reader *r = g->r;
  g->version = io_text_real(r, "the version of the format");
  bool known = (g->version >= 2 && g->version < 3) || g->version == 4.0 || g->version == 4.1;
  if (!known) io_fail(r, "Gmsh format %g is not supported; 1, 2.0 to 2.2, 4.0 and 4.1 are", g->version);
  int64_t binary = io_text_integer(r, "0 for text or 1 for binary");
  if (binary != 0 && binary != 1) io_fail(r, "expected 0 for text or 1 for binary, found %" PRId64, binary);
  int64_t size = io_text_integer(r, "the size of a number");
  if (size != 4 && size != 8) io_fail(r, "numbers of %" PRId64 " bytes are not supported; 4 and 8 are", size);
  // Format 2 means the size of a double, which is always 8; 4.0 writes longs.
  g->size_bytes = g->version < 4.1 ? 8 : (size_t)size;
  io_rest_of_line(r);
  if (binary == 1) gmsh_read_byte_order(g);
}

// ---- $PhysicalNames and $Entities -----------------------------------------------------------------------------------

// Text in binary files too.
static void gmsh_read_names(gmsh *g) {
  io_reader *r = g->r;
  size_t count = io_text_count(r, "physical names", sizeof "0 1 \"\"");
  for (size_t i = 0; i < count && io_ok(r); i++) {
    int64_t dimension = io_text_integer(r, "the dimension of a physical group");
    if (dimension < 0 || dimension > 3) io_fail(r, "a physical group has dimension 0 to 3, not %" PRId64, dimension);
    int32_t tag = gmsh_region(g, io_text_integer(r, "the tag of a physical group"));
    io_span name = io_quoted_name(r, "the name of a physical group");
    io_add_region(r, (int32_t)dimension, tag, name);
  }
}

static int64_t gmsh_entity_key(int64_t dimension, int64_t tag) {
  return dimension << 32 | (tag & UINT32_MAX);
}

static void gmsh_skip_integers(gmsh *g, const char *things) {
  size_t count = gmsh_count(g, things, 2, 4);
  for (size_t i = 0; i < count && io_ok(g->r); i++) gmsh_integer(g, things);
}

static void gmsh_read_entity(gmsh *g, int dimension, bool is_partitioned) {
  int64_t tag = gmsh_integer(g, "the tag of an entity");
  if (is_partitioned) {
    gmsh_integer(g, "the dimension of the parent of an entity");
    gmsh_integer(g, "the tag of the parent of an entity");
    gmsh_skip_integers(g, "partitions");
  }
  // A point has its place where the others have a box, except in 4.0.
  int box = dimension == 0 && g->version >= 4.1 ? 3 : 6;
  for (int i = 0; i < box; i++) io_take_real(g->r, "the bounding box of an entity");
  size_t physical_count = gmsh_count(g, "physical tags", 2, 4);
  for (size_t i = 0; i < physical_count && io_ok(g->r); i++) {
    int32_t physical = gmsh_region(g, gmsh_integer(g, "a physical tag"));
    if (i == 0 && io_ok(g->r)) io_tags_add(&g->physicals, gmsh_entity_key(dimension, tag), (uint32_t)physical);
  }
  if (dimension > 0) gmsh_skip_integers(g, "bounding entities");
}

// Room for so many more physical tags, behind those of an earlier section.
static void gmsh_reserve_physicals(gmsh *g, size_t count) {
  io_tag *entries = io_scratch_new(g->r, g->physicals.count + count, sizeof *entries);
  if (entries && g->physicals.count) memcpy(entries, g->physicals.entries, g->physicals.count * sizeof *entries);
  g->physicals.entries = entries;
}

static void gmsh_read_entity_lists(gmsh *g, bool is_partitioned) {
  io_reader *r = g->r;
  size_t counts[4], total = 0;
  for (int d = 0; d < 4; d++) total += counts[d] = gmsh_count(g, "entities", sizeof "1 0 0 0 0", 4 + 3 * 8 + 4);
  gmsh_reserve_physicals(g, total);
  for (int d = 0; d < 4; d++) {
    for (size_t i = 0; i < counts[d] && io_ok(r); i++) gmsh_read_entity(g, d, is_partitioned);
  }
  if (io_ok(r)) io_tags_sort(&g->physicals);
}

static void gmsh_read_entities(gmsh *g) {
  gmsh_read_entity_lists(g, false);
}

static void gmsh_read_partitioned_entities(gmsh *g) {
  gmsh_size(g, "the number of partitions");
  size_t ghosts = gmsh_count(g, "ghost entities", sizeof "1 1", 2 * 4);
  for (size_t i = 0; i < 2 * ghosts && io_ok(g->r); i++) gmsh_integer(g, "a ghost entity");
  gmsh_read_entity_lists(g, true);
}

// ---- nodes ----------------------------------------------------------------------------------------------------------

static void gmsh_begin_nodes(gmsh *g, size_t count) {
  io_reader *r = g->r;
  if (g->has_nodes) io_fail(r, "a second section of nodes");
  g->has_nodes = true;
  g->nodes.entries = io_scratch_new(r, count, sizeof *g->nodes.entries);
  io_reserve(r, count, 0, 0);
}

static void gmsh_end_nodes(gmsh *g, size_t declared) {
  io_reader *r = g->r;
  if (!io_ok(r)) return;
  if (g->nodes.count != declared) io_fail(r, "%zu nodes are declared, there are %zu", declared, g->nodes.count);
  io_tags_sort(&g->nodes);
  const io_tag *twin = io_tags_find_twin(&g->nodes);
  if (twin) io_fail(r, "two nodes have the tag %" PRId64, twin->tag);
}

static void gmsh_read_coordinates(gmsh *g, int64_t tag, size_t extra) {
  static const char *const counts[] = {"no coordinates", "one coordinate", "two coordinates"};
  io_reader *r = g->r;
  double point[3];
  for (int i = 0; i < 3; i++) {
    if (!r->binary && io_line_ends(r)) io_fail(r, "node %" PRId64 " has %s, three are needed", tag, counts[i]);
    point[i] = io_take_real(r, "a coordinate");
  }
  for (size_t i = 0; i < extra; i++) io_take_real(r, "a parametric coordinate");
  if (!r->binary) io_end_line(r, "the coordinates of a node");
  if (!io_add_point(r, point)) return;
  io_tags_add(&g->nodes, tag, (uint32_t)(r->mesh->point_count - 1));
}

// Formats 1 and 2.
static void gmsh_read_nodes(gmsh *g) {
  io_reader *r = g->r;
  size_t count = io_text_count(r, "nodes", r->binary ? 4 + 3 * 8 : sizeof "1 0 0 0");
  io_rest_of_line(r);
  gmsh_begin_nodes(g, count);
  for (size_t i = 0; i < count && io_ok(r); i++) gmsh_read_coordinates(g, gmsh_integer(g, "the tag of a node"), 0);
  gmsh_end_nodes(g, count);
}

// The head of a section of format 4: blocks and things in them, in 4.1 also the range of tags.
static size_t gmsh_read_head4(gmsh *g, const char *things, size_t *block_count) {
  *block_count = gmsh_count(g, "blocks", sizeof "0 1 0 0", 3 * 4 + 4);
  size_t count = gmsh_count(g, things, 2, gmsh_size_of_tag4(g));
  if (g->version >= 4.1) {
    gmsh_size(g, "the least tag");
    gmsh_size(g, "the greatest tag");
  }
  return count;
}

// The head of a block: which entity, a number that nodes and elements use differently, and the things in it.
typedef struct gmsh_block {
  int64_t dimension, entity, kind;
  size_t count;
} gmsh_block;

static gmsh_block gmsh_read_block(gmsh *g, const char *things, size_t unread) {
  gmsh_block block;
  int64_t first = gmsh_integer(g, "the entity of a block"), second = gmsh_integer(g, "the entity of a block");
  block.dimension = g->version < 4.1 ? second : first;
  block.entity = g->version < 4.1 ? first : second;
  if (block.dimension < 0 || block.dimension > 3) {
    io_fail(g->r, "an entity has dimension 0 to 3, not %" PRId64, block.dimension);
  }
  block.kind = gmsh_integer(g, "the kind of a block");
  block.count = gmsh_count(g, things, 2, gmsh_size_of_tag4(g));
  if (block.count > unread) {
    io_fail(g->r, "the block has %zu %s, more than the %zu declared and not yet read", block.count, things, unread);
  }
  return block;
}

// 4.1 lists the tags of a block first; 4.0 has each before its coordinates.
static void gmsh_read_node_block(gmsh *g, size_t unread) {
  io_reader *r = g->r;
  gmsh_block block = gmsh_read_block(g, "nodes", unread);
  size_t extra = block.kind && io_ok(r) ? (size_t)block.dimension : 0;
  io_scratch *top = r->scratch;
  int64_t *tags = g->version >= 4.1 ? io_scratch_new(r, block.count, sizeof *tags) : NULL;
  for (size_t i = 0; tags && i < block.count; i++) tags[i] = gmsh_size(g, "the tag of a node");
  for (size_t i = 0; i < block.count && io_ok(r); i++) {
    int64_t tag = tags ? tags[i] : gmsh_integer(g, "the tag of a node");
    if (tags && !r->binary) io_skip_blanks(r); // to the line of the coordinates
    gmsh_read_coordinates(g, tag, extra);
  }
  io_scratch_cut(r, top);
}

static void gmsh_read_nodes4(gmsh *g) {
  size_t block_count, count = gmsh_read_head4(g, "nodes", &block_count);
  gmsh_begin_nodes(g, count);
  for (size_t i = 0; i < block_count && io_ok(g->r); i++) gmsh_read_node_block(g, count - g->nodes.count);
  gmsh_end_nodes(g, count);
}

// ---- elements -------------------------------------------------------------------------------------------------------

static void gmsh_begin_elements(gmsh *g, size_t count) {
  io_reader *r = g->r;
  if (!g->has_nodes) io_fail(r, "elements come before the nodes they use");
  if (g->has_elements) io_fail(r, "a second section of elements");
  if (count > UINT32_MAX) io_fail(r, "more than 4294967295 elements cannot be numbered");
  g->has_elements = true;
  g->elements.entries = io_scratch_new(r, count, sizeof *g->elements.entries);
  io_reserve(r, 0, count, 4 * count);
}

static void gmsh_end_elements(gmsh *g, size_t declared) {
  if (io_ok(g->r) && g->elements.count != declared) {
    io_fail(g->r, "%zu elements are declared, there are %zu", declared, g->elements.count);
  }
}

// The nodes of one element, and with them the element.
static void gmsh_read_element(gmsh *g, int64_t tag, const gmsh_type *type, int32_t region, size_t tag_size) {
  io_reader *r = g->r;
  uint32_t corners[8];
  size_t corner_count = (size_t)clv_kind_corners((clv_kind)type->kind);
  for (size_t i = 0; i < type->nodes && io_ok(r); i++) {
    if (!r->binary && io_line_ends(r)) {
      io_fail(r, "element %" PRId64 " has %zu nodes, its type needs %d", tag, i, type->nodes);
    }
    int64_t node = io_take_integer(r, tag_size, "the tag of a node");
    if (i >= corner_count || !io_ok(r)) continue;
    const io_tag *found = io_tags_find(&g->nodes, node);
    if (!found) io_fail(r, "element %" PRId64 " uses node %" PRId64 ", which does not exist", tag, node);
    corners[i] = found ? found->index : 0;
  }
  if (!r->binary) io_end_line(r, "the nodes of an element");
  if (!io_add_element(r, (clv_kind)type->kind, corners, corner_count, region)) return;
  io_tags_add(&g->elements, tag, (uint32_t)(r->mesh->element_count - 1));
  r->mesh->reduced_elements += type->nodes > corner_count;
}

// tag type physical geometric node-count nodes
static void gmsh_read_elements1(gmsh *g) {
  io_reader *r = g->r;
  size_t count = io_text_count(r, "elements", sizeof "1 15 0 0 1 1");
  gmsh_begin_elements(g, count);
  for (size_t i = 0; i < count && io_ok(r); i++) {
    int64_t tag = io_text_integer(r, "the tag of an element");
    const gmsh_type *type = gmsh_find_type(g, io_text_integer(r, "the type of an element"));
    int32_t region = gmsh_region(g, io_text_integer(r, "a physical tag"));
    io_text_integer(r, "a geometric tag");
    int64_t nodes = io_text_integer(r, "the number of nodes of an element");
    if (!type) return;
    if (nodes != type->nodes) {
      io_fail(r, "element %" PRId64 " has %" PRId64 " nodes, its type needs %d", tag, nodes, type->nodes);
    }
    gmsh_read_element(g, tag, type, region, 4);
  }
  gmsh_end_elements(g, count);
}

// The tags of an element in format 2: the first is physical, the others are geometry and partitions.
static int32_t gmsh_read_tags2(gmsh *g, int64_t tag_count) {
  int32_t region = 0;
  for (int64_t i = 0; i < tag_count && io_ok(g->r); i++) {
    int64_t tag = gmsh_integer(g, "a tag of an element");
    if (i == 0) region = gmsh_region(g, tag);
  }
  return region;
}

// tag type tag-count tags nodes
static void gmsh_read_text_element2(gmsh *g) {
  int64_t tag = gmsh_integer(g, "the tag of an element");
  const gmsh_type *type = gmsh_find_type(g, gmsh_integer(g, "the type of an element"));
  int32_t region = gmsh_read_tags2(g, gmsh_integer(g, "the number of tags of an element"));
  if (type) gmsh_read_element(g, tag, type, region, 4);
}

// type count tag-count, then for each: tag tags nodes
static void gmsh_read_binary_elements2(gmsh *g, size_t unread) {
  io_reader *r = g->r;
  const gmsh_type *type = gmsh_find_type(g, gmsh_integer(g, "the type of elements"));
  int64_t count = gmsh_integer(g, "the number of elements of a type");
  int64_t tag_count = gmsh_integer(g, "the number of tags of an element");
  if (count < 1 || (uint64_t)count > unread) {
    io_fail(r, "a block of %" PRId64 " elements, with %zu declared and not yet read", count, unread);
  }
  for (int64_t i = 0; type && i < count && io_ok(r); i++) {
    int64_t tag = gmsh_integer(g, "the tag of an element");
    gmsh_read_element(g, tag, type, gmsh_read_tags2(g, tag_count), 4);
  }
}

static void gmsh_read_elements2(gmsh *g) {
  io_reader *r = g->r;
  size_t count = io_text_count(r, "elements", r->binary ? 2 * 4 : sizeof "1 15 0 1");
  io_rest_of_line(r);
  gmsh_begin_elements(g, count);
  while (g->elements.count < count && io_ok(r)) {
    if (r->binary) {
      gmsh_read_binary_elements2(g, count - g->elements.count);
    } else {
      gmsh_read_text_element2(g);
    }
  }
}

static void gmsh_read_elements4(gmsh *g) {
  io_reader *r = g->r;
  size_t block_count, count = gmsh_read_head4(g, "elements", &block_count);
  gmsh_begin_elements(g, count);
  for (size_t b = 0; b < block_count && io_ok(r); b++) {
    gmsh_block block = gmsh_read_block(g, "elements", count - g->elements.count);
    const gmsh_type *type = gmsh_find_type(g, block.kind);
    if (!type) return;
    const io_tag *physical = io_tags_find(&g->physicals, gmsh_entity_key(block.dimension, block.entity));
    int32_t region = physical ? (int32_t)physical->index : 0;
    for (size_t i = 0; i < block.count && io_ok(r); i++) {
      gmsh_read_element(g, gmsh_tag4(g, "the tag of an element"), type, region, gmsh_size_of_tag4(g));
    }
  }
  gmsh_end_elements(g, count);
}

// ---- $NodeData and $ElementData -------------------------------------------------------------------------------------

// The three lists of "tags" before the values: strings (the first is the name), reals (the time), integers (time step,
// components, count). Text in binary files too.
typedef struct gmsh_data_head {
  io_span name;
  int64_t components, count;
} gmsh_data_head;

static gmsh_data_head gmsh_read_data_head(gmsh *g) {
  io_reader *r = g->r;
  gmsh_data_head head = {{r->end, 0}, 0, 0};
  size_t strings = io_text_count(r, "string tags", 2);
  io_rest_of_line(r);
  for (size_t i = 0; i < strings && io_ok(r); i++) {
    io_span string = io_quoted_name(r, "a string tag");
    if (i == 0) head.name = string;
  }
  size_t reals = io_text_count(r, "real tags", 2);
  for (size_t i = 0; i < reals && io_ok(r); i++) io_text_real(r, "a real tag");
  size_t integers = io_text_count(r, "integer tags", 2);
  if (integers < 3) io_fail(r, "data need three integer tags: time step, components and count");
  for (size_t i = 0; i < integers && io_ok(r); i++) {
    int64_t integer = io_text_integer(r, "an integer tag");
    if (i == 1) head.components = integer;
    if (i == 2) head.count = integer;
  }
  if (head.components < 1 || head.components > UINT16_MAX) {
    io_fail(r, "data of %" PRId64 " components are not supported", head.components);
  }
  if (head.count < 0) io_fail(r, "%" PRId64 " values are declared", head.count);
  io_rest_of_line(r);
  return head;
}

// Values lie by tag and may leave points or elements out; those keep 0.
static void gmsh_read_data(gmsh *g, clv_field_place place, const io_tags *tags, const char *what) {
  io_reader *r = g->r;
  gmsh_data_head head = gmsh_read_data_head(g);
  io_room(r, (uint64_t)head.count, r->binary ? 4 + 8 : sizeof "1 0", "values");
  double *values = io_add_field(r, head.name, place, (uint32_t)head.components);
  for (int64_t i = 0; i < head.count && io_ok(r); i++) {
    int64_t tag = gmsh_integer(g, what);
    const io_tag *found = io_tags_find(tags, tag);
    if (!found) io_fail(r, "there is no %s %" PRId64, place == CLV_ON_POINTS ? "node" : "element", tag);
    for (int64_t c = 0; found && c < head.components; c++) {
      values[(size_t)head.components * found->index + (size_t)c] = io_take_real(r, "a value");
    }
  }
}

static void gmsh_read_node_data(gmsh *g) {
  if (!g->has_nodes) io_fail(g->r, "$NodeData comes before the nodes");
  gmsh_read_data(g, CLV_ON_POINTS, &g->nodes, "the tag of a node");
}

static void gmsh_read_element_data(gmsh *g) {
  if (!g->has_elements) io_fail(g->r, "$ElementData comes before the elements");
  io_tags_sort(&g->elements);
  gmsh_read_data(g, CLV_ON_ELEMENTS, &g->elements, "the tag of an element");
}

// ---- sections -------------------------------------------------------------------------------------------------------

static void gmsh_read_nodes_by_version(gmsh *g) {
  if (g->version < 4) {
    gmsh_read_nodes(g);
  } else {
    gmsh_read_nodes4(g);
  }
}

static void gmsh_read_elements_by_version(gmsh *g) {
  if (g->version < 4) {
    gmsh_read_elements2(g);
  } else {
    gmsh_read_elements4(g);
  }
}

typedef struct gmsh_section {
  const char *name;
  void (*read)(gmsh *g);
  double least_version;
} gmsh_section;

static const gmsh_section gmsh_sections[] = {
    {"MeshFormat", gmsh_read_format, 0},
    {"PhysicalNames", gmsh_read_names, 0},
    {"NOD", gmsh_read_nodes, 0},
    {"ELM", gmsh_read_elements1, 0},
    {"Entities", gmsh_read_entities, 4},
    {"PartitionedEntities", gmsh_read_partitioned_entities, 4},
    {"Nodes", gmsh_read_nodes_by_version, 2},
    {"Elements", gmsh_read_elements_by_version, 2},
    {"NodeData", gmsh_read_node_data, 2},
    {"ElementData", gmsh_read_element_data, 2},
};

static const gmsh_section *gmsh_find_section(io_span name) {
  for (size_t i = 0; i < sizeof gmsh_sections / sizeof *gmsh_sections; i++) {
    if (io_span_is(name, gmsh_sections[i].name)) return &gmsh_sections[i];
  }
  return NULL;
}

// Whether a word is "$End" and the name; format 1 writes "$END".
static bool gmsh_is_end(io_span word, io_span name) {
  io_span head = {word.at, 4}, tail = {word.at + 4, name.size};
  return word.size == name.size + 4 && io_span_is_nocase(head, "$End") && memcmp(tail.at, name.at, name.size) == 0;
}

// Moves behind the line that ends a section.
static void gmsh_skip_section(gmsh *g, io_span name) {
  io_reader *r = g->r;
  const char *start = r->mark;
  for (const char *at = r->at; (at = memchr(at, '$', (size_t)(r->end - at))); at++) {
    if ((size_t)(r->end - at) < name.size + 4 || !gmsh_is_end((io_span){at, name.size + 4}, name)) continue;
    r->at = at + name.size + 4;
    return;
  }
  r->mark = start;
  io_fail(r, "section %s has no end", io_quote((io_span){name.at - 1, name.size + 1}).text);
}

static void gmsh_read_section(gmsh *g, io_span name) {
  io_reader *r = g->r;
  const gmsh_section *section = gmsh_find_section(name);
  if (!section) {
    gmsh_skip_section(g, name);
    return;
  }
  if (g->version < section->least_version) {
    io_fail(r, "$%s needs a $MeshFormat section of version %g or later before it", section->name,
            section->least_version);
  }
  io_rest_of_line(r);
  section->read(g);
  io_span end = io_word(r);
  if (!gmsh_is_end(end, name)) {
    io_fail(r, "expected the end of section $%s, found %s", section->name, io_quote(end).text);
  }
}

void io_gmsh_read(io_reader *r) {
  gmsh g = {.r = r, .version = 1, .size_bytes = 8};
  while (io_ok(r)) {
    io_span word = io_word(r);
    if (word.size == 0) break;
    if (word.at[0] != '$' || word.size == 1) {
      io_fail(r, "expected a section such as $Nodes, found %s", io_quote(word).text);
    }
    gmsh_read_section(&g, (io_span){word.at + 1, word.size - 1});
  }
  if (!g.has_nodes) io_fail(r, "the file has no section of nodes");
}
