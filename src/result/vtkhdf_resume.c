// Going on with a VTKHDF file: its first steps, written anew. See vtkhdf_private.h.
//
// HDF5 can shrink tables in place, but a program that is killed meanwhile would leave a broken file. So the steps to
// keep are copied into a new file that takes the place of the old one when it is complete.

#include "result/disk.h"
#include "result/vtkhdf_private.h"

typedef struct copy {
  result_vtkhdf *s;
  hid_t group;              // of the old file
  hsize_t rows[ROWS_COUNT]; // to keep
  BASE_ARRAY(char) buffer;
} copy;

static bool make_room(copy *c, size_t size) {
  return BASE_RESERVE(&c->s->allocator, &c->buffer, size ? size : 1);
}

static bool copy_rows(copy *c, result_table *to) {
  result_table from = *to;
  if (!result_table_open(&from, c->group)) return false;
  const hsize_t count = c->rows[to->counts];
  bool good = count <= from.rows && make_room(c, from.chunk * result_table_row_size(&from));
  for (hsize_t at = 0; good && at < count; at += from.chunk) {
    const hsize_t rows = count - at < from.chunk ? count - at : from.chunk;
    good = result_table_read(&from, at, rows, c->buffer.data) && result_table_add(to, c->buffer.data, rows);
  }
  result_table_close(&from);
  return good;
}

// The sum of a column of sizes over parts, or over steps by the part of each.
static bool sum_sizes(copy *c, table_name sizes, const int64_t *parts, hsize_t count, hsize_t *sum) {
  result_table table = result_table_fixed(sizes);
  *sum = 0;
  if (!result_table_open(&table, c->group)) return false;
  bool good = make_room(c, table.rows * sizeof(int64_t));
  good = good && result_table_read(&table, 0, table.rows, c->buffer.data);
  for (hsize_t k = 0; good && k < count; k++) {
    const int64_t p = parts ? parts[k] : (int64_t)k;
    int64_t size = 0;
    good = p >= 0 && (hsize_t)p < table.rows;
    if (good) memcpy(&size, c->buffer.data + (size_t)p * sizeof size, sizeof size);
    *sum += (hsize_t)size;
  }
  result_table_close(&table);
  return good;
}

static bool count_rows(copy *c, const int64_t *parts, hsize_t steps, bool polyhedra) {
  hsize_t *rows = c->rows, faces = 0;
  rows[ROWS_STEPS] = steps;
  rows[ROWS_PARTS] = steps ? (hsize_t)parts[steps - 1] + 1 : 0;
  const bool cells = sum_sizes(c, TABLE_PART_POINTS, parts, steps, &rows[ROWS_STEP_POINTS]) &&
                     sum_sizes(c, TABLE_PART_CELLS, parts, steps, &rows[ROWS_STEP_CELLS]) &&
                     sum_sizes(c, TABLE_PART_CELLS, NULL, rows[ROWS_PARTS], &rows[ROWS_PART_CELLS]) &&
                     sum_sizes(c, TABLE_PART_IDS, NULL, rows[ROWS_PARTS], &rows[ROWS_PART_IDS]);
  rows[ROWS_PART_CELLS_AND_ONE] = rows[ROWS_PART_CELLS] + rows[ROWS_PARTS];
  if (!cells || !polyhedra) return cells;
  const bool good = sum_sizes(c, TABLE_PART_FACES, NULL, rows[ROWS_PARTS], &faces) &&
                    sum_sizes(c, TABLE_PART_FACE_IDS, NULL, rows[ROWS_PARTS], &rows[ROWS_PART_FACE_IDS]) &&
                    sum_sizes(c, TABLE_PART_POLYHEDRON_IDS, NULL, rows[ROWS_PARTS], &rows[ROWS_PART_POLYHEDRON_IDS]);
  rows[ROWS_PART_FACES_AND_ONE] = faces + rows[ROWS_PARTS];
  return good;
}

// What there is in the old file: its steps, the parts of those that are kept, its tables.

static bool read_step_count(hid_t group, int64_t *steps) {
  const hid_t attribute = H5Aopen_by_name(group, "Steps", "NSteps", H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Aread(attribute, H5T_NATIVE_INT64, steps) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  return good;
}

static bool has(hid_t group, const char *name) {
  return H5Lexists(group, name, H5P_DEFAULT) > 0;
}

typedef struct field_search {
  result_vtkhdf *s;
  clv_field_place place;
  clv_error *error;
} field_search;

static herr_t found_field(hid_t group, const char *name, const H5L_info_t *info, void *user) {
  (void)group, (void)info;
  const field_search *search = user;
  return result_vtkhdf_add_field(search->s, name, search->place, search->error) == CLV_OK ? 0 : -1;
}

static bool find_fields(copy *c, clv_error *error) {
  c->s->fields.count = 0;
  field_search points = {c->s, CLV_ON_POINTS, error}, cells = {c->s, CLV_ON_ELEMENTS, error};
  return H5Literate_by_name(c->group, "PointData", H5_INDEX_NAME, H5_ITER_INC, NULL, found_field, &points,
                            H5P_DEFAULT) >= 0 &&
         H5Literate_by_name(c->group, "CellData", H5_INDEX_NAME, H5_ITER_INC, NULL, found_field, &cells, H5P_DEFAULT) >=
             0;
}

// Chunks and columns of the new table are those of the old one.
static bool adopt(copy *c, result_table *table) {
  result_table old = *table;
  const bool good = result_table_open(&old, c->group);
  result_table_close(&old);
  table->chunk = old.chunk;
  table->columns = old.columns;
  table->type = old.type;
  return good;
}

static bool adopt_tables(copy *c, bool old_polyhedra) {
  result_vtkhdf *s = c->s;
  for (uint32_t t = 0; t < (old_polyhedra ? TABLE_FIXED : TABLE_FACES); t++) {
    if (!adopt(c, &s->tables[t])) return false;
  }
  for (uint32_t f = 0; f < s->fields.count; f++) {
    if (!adopt(c, &s->fields.data[f].values) || !adopt(c, &s->fields.data[f].starts)) return false;
  }
  return true;
}

static bool copy_tables(copy *c, bool old_polyhedra) {
  result_vtkhdf *s = c->s;
  for (uint32_t t = 0; t < (old_polyhedra ? TABLE_FIXED : TABLE_FACES); t++) {
    if (!copy_rows(c, &s->tables[t])) return false;
  }
  for (uint32_t f = 0; f < s->fields.count; f++) {
    if (!copy_rows(c, &s->fields.data[f].values) || !copy_rows(c, &s->fields.data[f].starts)) return false;
  }
  return true;
}

// Steps without polyhedra in a file that has some: no faces, and offsets that stay at zero.
static bool fill_face_tables(copy *c) {
  result_table *tables = c->s->tables;
  const hsize_t parts = c->rows[ROWS_PARTS], cells = c->rows[ROWS_PART_CELLS_AND_ONE], steps = c->rows[ROWS_STEPS];
  const size_t size = (size_t)(cells > steps ? cells : steps) * sizeof(int64_t);
  if (!make_room(c, size)) return false;
  memset(c->buffer.data, 0, size);
  const void *zeros = c->buffer.data;
  return result_table_add(&tables[TABLE_PART_FACES], zeros, parts) &&
         result_table_add(&tables[TABLE_PART_FACE_IDS], zeros, parts) &&
         result_table_add(&tables[TABLE_PART_POLYHEDRON_IDS], zeros, parts) &&
         result_table_add(&tables[TABLE_FACE_OFFSETS], zeros, parts) &&
         result_table_add(&tables[TABLE_POLYHEDRON_OFFSETS], zeros, cells) &&
         result_table_add(&tables[TABLE_STEP_FACES], zeros, steps) &&
         result_table_add(&tables[TABLE_STEP_FACE_IDS], zeros, steps) &&
         result_table_add(&tables[TABLE_STEP_POLYHEDRON_IDS], zeros, steps);
}

static bool copy_file(copy *c, const int64_t *parts, uint64_t steps, bool old_polyhedra) {
  return count_rows(c, parts, steps, old_polyhedra) && adopt_tables(c, old_polyhedra) &&
         result_vtkhdf_create_file(c->s, c->rows) && copy_tables(c, old_polyhedra) &&
         (old_polyhedra || !c->s->polyhedra || fill_face_tables(c)) && result_vtkhdf_count_steps(c->s, steps);
}

// The steps to come share the cells of the last one kept, if they are the same.

static bool read_ids(copy *c, table_name name, hsize_t rows, result_ids *ids) {
  const result_table *table = &c->s->tables[name];
  if (!BASE_RESERVE(&c->s->allocator, ids, rows + 1)) return false;
  ids->count = (uint32_t)rows;
  return result_table_read(table, table->rows - rows, rows, ids->data);
}

static bool read_last(copy *c, table_name name, int64_t *value) {
  const result_table *table = &c->s->tables[name];
  return result_table_read(table, table->rows - 1, 1, value);
}

static bool read_last_cells(copy *c, hsize_t count, hsize_t ids) {
  result_cells *cells = &c->s->cells;
  const result_table *types = &c->s->tables[TABLE_TYPES];
  if (!BASE_RESERVE(&c->s->allocator, &cells->types, count + 1)) return false;
  cells->types.count = (uint32_t)count;
  return result_table_read(types, types->rows - count, count, cells->types.data) &&
         read_ids(c, TABLE_OFFSETS, count + 1, &cells->offsets) &&
         read_ids(c, TABLE_CONNECTIVITY, ids, &cells->connectivity);
}

static bool read_last_faces(copy *c, hsize_t count) {
  result_cells *cells = &c->s->cells;
  int64_t faces = 0, face_ids = 0, polyhedron_ids = 0;
  if (c->s->polyhedra)
    return read_last(c, TABLE_PART_FACES, &faces) && read_last(c, TABLE_PART_FACE_IDS, &face_ids) &&
           read_last(c, TABLE_PART_POLYHEDRON_IDS, &polyhedron_ids) &&
           read_ids(c, TABLE_FACE_OFFSETS, (hsize_t)faces + 1, &cells->face_offsets) &&
           read_ids(c, TABLE_FACE_CONNECTIVITY, (hsize_t)face_ids, &cells->face_connectivity) &&
           read_ids(c, TABLE_POLYHEDRON_OFFSETS, count + 1, &cells->polyhedron_offsets) &&
           read_ids(c, TABLE_POLYHEDRON_FACES, (hsize_t)polyhedron_ids, &cells->polyhedron_faces);
  if (!BASE_RESERVE(&c->s->allocator, &cells->face_offsets, 1) ||
      !BASE_RESERVE(&c->s->allocator, &cells->polyhedron_offsets, count + 1))
    return false;
  cells->face_offsets.count = 1;
  cells->face_offsets.data[0] = 0;
  cells->polyhedron_offsets.count = (uint32_t)count + 1;
  memset(cells->polyhedron_offsets.data, 0, (count + 1) * sizeof(int64_t));
  cells->face_connectivity.count = cells->polyhedron_faces.count = 0;
  return true;
}

static bool read_last_part(copy *c) {
  result_vtkhdf *s = c->s;
  int64_t points = 0, cells = 0, ids = 0;
  result_part *part = &s->part;
  if (s->steps == 0) return true;
  if (!read_last(c, TABLE_PART_POINTS, &points) || !read_last(c, TABLE_PART_CELLS, &cells) ||
      !read_last(c, TABLE_PART_IDS, &ids) || !read_last_cells(c, (hsize_t)cells, (hsize_t)ids) ||
      !read_last_faces(c, (hsize_t)cells))
    return false;
  part->hash = result_cells_hash(&s->cells) ^ (uint64_t)points;
  return read_last(c, TABLE_STEP_PARTS, &part->number) && read_last(c, TABLE_STEP_CELLS, &part->cells) &&
         read_last(c, TABLE_STEP_IDS, &part->ids) &&
         (!s->polyhedra ||
          (read_last(c, TABLE_STEP_FACES, &part->faces) && read_last(c, TABLE_STEP_FACE_IDS, &part->face_ids) &&
           read_last(c, TABLE_STEP_POLYHEDRON_IDS, &part->polyhedron_ids)));
}

static clv_result rewrite(copy *c, uint64_t steps, clv_error *error) {
  result_vtkhdf *s = c->s;
  int64_t there = 0;
  result_table step_parts = result_table_fixed(TABLE_STEP_PARTS);
  BASE_ARRAY(int64_t) parts = {NULL, 0, 0};
  if (!read_step_count(c->group, &there)) return result_vtkhdf_broken(s, "is no series of frames", error);
  if ((uint64_t)there < steps)
    return clv_error_set(
        error, CLV_ERROR_INPUT,
        "%s: has %lld frames, but the checkpoint counts on %llu: was it changed since? Start the run anew", s->path,
        (long long)there, (unsigned long long)steps);
  if (!BASE_RESERVE(&s->allocator, &parts, steps + 1) || !parts.data) return result_memory_error(error, s->path);
  const bool old_polyhedra = has(c->group, "FaceConnectivity");
  s->polyhedra = s->polyhedra || old_polyhedra;
  const bool good = find_fields(c, error) && result_table_open(&step_parts, c->group) &&
                    result_table_read(&step_parts, 0, steps, parts.data) &&
                    copy_file(c, parts.data, steps, old_polyhedra) && read_last_part(c);
  result_table_close(&step_parts);
  BASE_RELEASE(&s->allocator, &parts);
  if (good) return result_vtkhdf_publish(s, error);
  return result_vtkhdf_broken(s, "cannot take over the frames that are there", error);
}

clv_result result_vtkhdf_rewrite(result_vtkhdf *s, uint64_t steps, clv_error *error) {
  int reason = 0;
  copy c = {.s = s, .group = -1};
  const hid_t file = result_hdf_open(s->path, &reason);
  if (file >= 0) c.group = H5Gopen2(file, "VTKHDF", H5P_DEFAULT);
  clv_result result;
  if (c.group >= 0) {
    result = rewrite(&c, steps, error);
  } else {
    s->reason = reason;
    result = result_vtkhdf_broken(s, "cannot go on with this file", error);
  }
  if (c.group >= 0) H5Gclose(c.group);
  if (file >= 0) result_hdf_close(file);
  BASE_RELEASE(&s->allocator, &c.buffer);
  if (result != CLV_OK) {
    result_vtkhdf_close_file(s);
    result_remove_file(result_path_beside(s->path).text, NULL);
  }
  return result;
}

result_vtkhdf *result_vtkhdf_resume(const char *path, uint64_t steps, const clv_allocator *allocator,
                                    clv_error *error) {
  result_vtkhdf *s = result_vtkhdf_new(path, allocator, error);
  if (!s) return NULL;
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  const clv_result result = result_vtkhdf_rewrite(s, steps, error);
  result_hdf_leave(&scope);
  if (result == CLV_OK) return s;
  result_vtkhdf_close(s, NULL);
  return NULL;
}
