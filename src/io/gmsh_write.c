// Writes Gmsh's .msh files: format 1 (text), 2.2 and 4.1 (text or binary, little-endian).
//
// Nodes and elements get the tags 1, 2, 3, ... in the order of the mesh, which reading keeps. Regions are physical
// tags. In format 4 a physical tag belongs to a geometric entity, so each pair of a dimension and a region becomes an
// entity. Format 1 has no names of regions and no fields; they stay behind. Polygons and polyhedra no format of Gmsh
// can express.

#include "io/formats.h"
#include "io/tags.h"

#include <math.h>
#include <string.h>

static const unsigned char gmsh_type_numbers[CLV_KIND_COUNT] = {
    [CLV_LINE] = 1, [CLV_TRI] = 2,   [CLV_QUAD] = 3,    [CLV_TET] = 4,
    [CLV_HEX] = 5,  [CLV_PRISM] = 6, [CLV_PYRAMID] = 7, [CLV_POINT] = 15,
};

static bool gmsh_can_express(io_writer *w, const clv_mesh *mesh) {
  unsigned kinds = 0;
  for (int kind = 0; kind < CLV_KIND_COUNT; kind++) kinds |= gmsh_type_numbers[kind] ? IO_KIND(kind) : 0;
  if (!io_check_kinds(w, mesh, kinds, "Gmsh files")) return false;
  if (mesh->point_count > INT32_MAX || mesh->element_count > INT32_MAX) {
    return io_refuse(w, "Gmsh files number nodes and elements with 31 bits");
  }
  return true;
}

static int gmsh_dimension(const clv_mesh *mesh, size_t element) {
  return clv_kind_dimension((clv_kind)mesh->kinds[element]);
}

// The elements from e on that share kind and, if asked for, region: format 4 and binary format 2 write such runs.
static size_t gmsh_run_end(const clv_mesh *mesh, size_t e, bool same_region) {
  size_t end = e + 1;
  while (end < mesh->element_count && mesh->kinds[end] == mesh->kinds[e] &&
         (!same_region || mesh->tags[end] == mesh->tags[e])) {
    end++;
  }
  return end;
}

static void gmsh_put_node_tags(io_writer *w, const clv_mesh *mesh, size_t element, size_t tag_size) {
  size_t count;
  const uint32_t *corners = io_corners(mesh, element, &count);
  for (size_t i = 0; i < count; i++) io_emit_integer(w, (int64_t)corners[i] + 1, tag_size);
  io_emit_line(w);
}

static void gmsh_put_point(io_writer *w, const double point[3]) {
  for (int i = 0; i < 3; i++) io_emit_real(w, point[i]);
  io_emit_line(w);
}

// Text in binary files too. Gmsh knows no way to write a quotation mark inside a name.
static void gmsh_put_name(io_writer *w, const char *name) {
  io_put_text(w, "\"");
  for (; *name; name++) io_put(w, *name == '"' || (unsigned char)*name < ' ' ? "_" : name, 1);
  io_put_text(w, "\"\n");
}

// Ends a section. Binary data end without a line break of their own.
static void gmsh_put_end(io_writer *w, const char *section) {
  io_putf(w, "%s$End%s\n", w->binary ? "\n" : "", section);
}

// ---- what formats 2 and 4 share -------------------------------------------------------------------------------------

static void gmsh_put_format(io_writer *w, const char *version) {
  io_putf(w, "$MeshFormat\n%s %d 8\n", version, w->binary);
  if (w->binary) io_put_bits(w, 1, 4);
  gmsh_put_end(w, "MeshFormat");
}

static void gmsh_put_names(io_writer *w, const clv_mesh *mesh) {
  if (mesh->region_count == 0) return;
  io_putf(w, "$PhysicalNames\n%zu\n", mesh->region_count);
  for (size_t i = 0; i < mesh->region_count; i++) {
    io_putf(w, "%d %d ", mesh->regions[i].dimension, mesh->regions[i].tag);
    gmsh_put_name(w, mesh->regions[i].name);
  }
  io_put_text(w, "$EndPhysicalNames\n");
}

static void gmsh_put_field(io_writer *w, const clv_field *field) {
  const char *section = field->place == CLV_ON_POINTS ? "NodeData" : "ElementData";
  io_putf(w, "$%s\n1\n", section);
  gmsh_put_name(w, field->name);
  io_putf(w, "1\n0\n3\n0\n%u\n%zu\n", field->components, field->count);
  for (size_t i = 0; i < field->count; i++) {
    io_emit_integer(w, (int64_t)i + 1, 4);
    for (uint32_t c = 0; c < field->components; c++) io_emit_real(w, field->values[i * field->components + c]);
    io_emit_line(w);
  }
  gmsh_put_end(w, section);
}

static void gmsh_put_fields(io_writer *w, const clv_mesh *mesh) {
  for (size_t i = 0; i < mesh->field_count; i++) gmsh_put_field(w, &mesh->fields[i]);
}

// ---- formats 1 and 2 ------------------------------------------------------------------------------------------------

static void gmsh_put_nodes(io_writer *w, const clv_mesh *mesh) {
  io_putf(w, "%zu\n", mesh->point_count);
  for (size_t i = 0; i < mesh->point_count; i++) {
    io_emit_integer(w, (int64_t)i + 1, 4);
    gmsh_put_point(w, mesh->points[i]);
  }
}

// What stands before the nodes in a text: tag and type, and three more integers that the formats order differently.
static void gmsh_put_element_head(io_writer *w, const clv_mesh *mesh, size_t element, const int more[3]) {
  io_emit_integer(w, (int64_t)element + 1, 4);
  io_emit_integer(w, gmsh_type_numbers[mesh->kinds[element]], 4);
  for (int i = 0; i < 3; i++) io_emit_integer(w, more[i], 4);
}

static void gmsh_write1(io_writer *w, const clv_mesh *mesh) {
  io_put_text(w, "$NOD\n");
  gmsh_put_nodes(w, mesh);
  io_putf(w, "$ENDNOD\n$ELM\n%zu\n", mesh->element_count);
  for (size_t e = 0; e < mesh->element_count; e++) {
    // The region stands for the geometric entity too: there is no other.
    gmsh_put_element_head(w, mesh, e,
                          (int[]){mesh->tags[e], mesh->tags[e], clv_kind_corners((clv_kind)mesh->kinds[e])});
    gmsh_put_node_tags(w, mesh, e, 4);
  }
  io_put_text(w, "$ENDELM\n");
}

static void gmsh_put_text_elements2(io_writer *w, const clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count; e++) {
    gmsh_put_element_head(w, mesh, e, (int[]){2, mesh->tags[e], mesh->tags[e]});
    gmsh_put_node_tags(w, mesh, e, 4);
  }
}

static void gmsh_put_binary_elements2(io_writer *w, const clv_mesh *mesh) {
  for (size_t e = 0; e < mesh->element_count;) {
    size_t end = gmsh_run_end(mesh, e, false);
    io_emit_integer(w, gmsh_type_numbers[mesh->kinds[e]], 4);
    io_emit_integer(w, (int64_t)(end - e), 4);
    io_emit_integer(w, 2, 4);
    for (; e < end; e++) {
      io_emit_integer(w, (int64_t)e + 1, 4);
      io_emit_integer(w, mesh->tags[e], 4);
      io_emit_integer(w, mesh->tags[e], 4);
      gmsh_put_node_tags(w, mesh, e, 4);
    }
  }
}

static void gmsh_write2(io_writer *w, const clv_mesh *mesh) {
  gmsh_put_format(w, "2.2");
  gmsh_put_names(w, mesh);
  io_put_text(w, "$Nodes\n");
  gmsh_put_nodes(w, mesh);
  gmsh_put_end(w, "Nodes");
  io_putf(w, "$Elements\n%zu\n", mesh->element_count);
  if (w->binary) {
    gmsh_put_binary_elements2(w, mesh);
  } else {
    gmsh_put_text_elements2(w, mesh);
  }
  gmsh_put_end(w, "Elements");
  gmsh_put_fields(w, mesh);
}

// ---- format 4 -------------------------------------------------------------------------------------------------------

typedef struct gmsh_box {
  double low[3], high[3];
} gmsh_box;

// One entity for each dimension and region; sorted, so entities of a dimension lie together.
typedef struct gmsh_entities {
  io_tags keys; // index is the tag of the entity within its dimension
  gmsh_box *boxes;
  size_t counts[4];
  size_t runs; // of elements of one kind and region
} gmsh_entities;

static int64_t gmsh_key(const clv_mesh *mesh, size_t element) {
  return (int64_t)gmsh_dimension(mesh, element) * ((int64_t)1 << 32) + mesh->tags[element];
}

static size_t gmsh_count_runs(const clv_mesh *mesh) {
  size_t runs = 0;
  for (size_t e = 0; e < mesh->element_count; e = gmsh_run_end(mesh, e, true)) runs++;
  return runs;
}

// Sorts the keys of all runs, keeps one of each and numbers them from 1 within each dimension.
static void gmsh_number_entities(gmsh_entities *entities, const clv_mesh *mesh) {
  io_tags *keys = &entities->keys;
  for (size_t e = 0; e < mesh->element_count; e = gmsh_run_end(mesh, e, true)) {
    io_tags_add(keys, gmsh_key(mesh, e), (uint32_t)gmsh_dimension(mesh, e));
  }
  io_tags_sort(keys);
  size_t kept = 0;
  for (size_t i = 0; i < keys->count; i++) {
    if (kept && keys->entries[kept - 1].tag == keys->entries[i].tag) continue;
    io_tag key = keys->entries[i];
    uint32_t dimension = key.index;
    key.index = (uint32_t)++entities->counts[dimension];
    keys->entries[kept++] = key;
  }
  keys->count = kept;
}

static void gmsh_extend_box(gmsh_box *box, const double point[3]) {
  for (int i = 0; i < 3; i++) {
    box->low[i] = fmin(box->low[i], point[i]);
    box->high[i] = fmax(box->high[i], point[i]);
  }
}

static void gmsh_measure_entities(gmsh_entities *entities, const clv_mesh *mesh) {
  for (size_t i = 0; i < entities->keys.count; i++) {
    double inf = (double)INFINITY;
    entities->boxes[i] = (gmsh_box){{inf, inf, inf}, {-inf, -inf, -inf}};
  }
  for (size_t e = 0; e < mesh->element_count; e++) {
    const io_tag *entity = io_tags_find(&entities->keys, gmsh_key(mesh, e));
    size_t count;
    const uint32_t *corners = io_corners(mesh, e, &count);
    for (size_t i = 0; i < count; i++) {
      gmsh_extend_box(&entities->boxes[entity - entities->keys.entries], mesh->points[corners[i]]);
    }
  }
}

static void gmsh_put_entities(io_writer *w, const gmsh_entities *entities) {
  io_put_text(w, "$Entities\n");
  for (int d = 0; d < 4; d++) io_emit_integer(w, (int64_t)entities->counts[d], 8);
  io_emit_line(w);
  size_t next = 0;
  for (int d = 0; d < 4; d++) {
    for (size_t i = 0; i < entities->counts[d]; i++, next++) {
      const io_tag *entity = &entities->keys.entries[next];
      int64_t region = entity->tag - (int64_t)d * ((int64_t)1 << 32);
      io_emit_integer(w, entity->index, 4);
      for (int c = 0; c < 3; c++) io_emit_real(w, entities->boxes[next].low[c]);
      for (int c = 0; d > 0 && c < 3; c++) io_emit_real(w, entities->boxes[next].high[c]);
      io_emit_integer(w, region != 0, 8);
      if (region != 0) io_emit_integer(w, region, 4);
      if (d > 0) io_emit_integer(w, 0, 8); // bounding entities
      io_emit_line(w);
    }
  }
  gmsh_put_end(w, "Entities");
}

// The head of $Nodes or $Elements: blocks, count, least and greatest tag.
static void gmsh_put_head4(io_writer *w, size_t blocks, size_t count) {
  io_emit_integer(w, (int64_t)blocks, 8);
  io_emit_integer(w, (int64_t)count, 8);
  io_emit_integer(w, count > 0, 8);
  io_emit_integer(w, (int64_t)count, 8);
  io_emit_line(w);
}

static void gmsh_put_block(io_writer *w, int dimension, int64_t entity, int kind, size_t count) {
  io_emit_integer(w, dimension, 4);
  io_emit_integer(w, entity, 4);
  io_emit_integer(w, kind, 4);
  io_emit_integer(w, (int64_t)count, 8);
  io_emit_line(w);
}

// All nodes in one block, that of the first entity of the highest dimension.
static void gmsh_put_nodes4(io_writer *w, const clv_mesh *mesh) {
  io_put_text(w, "$Nodes\n");
  gmsh_put_head4(w, mesh->point_count > 0, mesh->point_count);
  if (mesh->point_count) gmsh_put_block(w, clv_mesh_dimension(mesh), 1, 0, mesh->point_count);
  for (size_t i = 0; i < mesh->point_count; i++) {
    io_emit_integer(w, (int64_t)i + 1, 8);
    io_emit_line(w);
  }
  for (size_t i = 0; i < mesh->point_count; i++) gmsh_put_point(w, mesh->points[i]);
  gmsh_put_end(w, "Nodes");
}

static void gmsh_put_elements4(io_writer *w, const clv_mesh *mesh, const gmsh_entities *entities) {
  io_put_text(w, "$Elements\n");
  gmsh_put_head4(w, entities->runs, mesh->element_count);
  for (size_t e = 0; e < mesh->element_count;) {
    size_t end = gmsh_run_end(mesh, e, true);
    const io_tag *entity = io_tags_find(&entities->keys, gmsh_key(mesh, e));
    gmsh_put_block(w, gmsh_dimension(mesh, e), entity->index, gmsh_type_numbers[mesh->kinds[e]], end - e);
    for (; e < end; e++) {
      io_emit_integer(w, (int64_t)e + 1, 8);
      gmsh_put_node_tags(w, mesh, e, 8);
    }
  }
  gmsh_put_end(w, "Elements");
}

static void gmsh_write4_with(io_writer *w, const clv_mesh *mesh, gmsh_entities *entities) {
  gmsh_number_entities(entities, mesh);
  gmsh_measure_entities(entities, mesh);
  gmsh_put_format(w, "4.1");
  gmsh_put_names(w, mesh);
  if (entities->keys.count) gmsh_put_entities(w, entities);
  gmsh_put_nodes4(w, mesh);
  gmsh_put_elements4(w, mesh, entities);
  gmsh_put_fields(w, mesh);
}

static void gmsh_write4(io_writer *w, const clv_mesh *mesh) {
  gmsh_entities entities = {.runs = gmsh_count_runs(mesh)};
  size_t room = entities.runs ? entities.runs : 1;
  clv_allocator *allocator = &w->allocator;
  size_t keys_size = room * sizeof *entities.keys.entries, boxes_size = room * sizeof *entities.boxes;
  entities.keys.entries = allocator->resize(allocator->user, NULL, 0, keys_size);
  entities.boxes = allocator->resize(allocator->user, NULL, 0, boxes_size);
  if (entities.keys.entries && entities.boxes) {
    gmsh_write4_with(w, mesh, &entities);
  } else {
    io_writer_fail_memory(w);
  }
  if (entities.boxes) allocator->resize(allocator->user, entities.boxes, boxes_size, 0);
  if (entities.keys.entries) allocator->resize(allocator->user, entities.keys.entries, keys_size, 0);
}

void io_gmsh_write(io_writer *w, const clv_mesh *mesh, io_variant variant) {
  if (!gmsh_can_express(w, mesh)) return;
  w->binary = variant.encoding == IO_BINARY;
  if (variant.version == 1) gmsh_write1(w, mesh);
  if (variant.version == 2) gmsh_write2(w, mesh);
  if (variant.version == 4) gmsh_write4(w, mesh);
}
