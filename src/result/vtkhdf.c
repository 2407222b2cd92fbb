// VTKHDF files. See vtkhdf.h; the tables are in vtkhdf_table.h.

#include "result/disk.h"
#include "result/vtkhdf_private.h"

#include <stdio.h>

clv_result result_vtkhdf_broken(result_vtkhdf *s, const char *what, clv_error *error) {
  s->broken = true;
  return result_hdf_error(error, s->path, what, s->reason);
}

uint32_t result_vtkhdf_fixed(const result_vtkhdf *s) {
  return s->polyhedra ? TABLE_FIXED : TABLE_FACES;
}

// A file of the series

static bool put_attribute(hid_t where, const char *name, hid_t type, hid_t memory, int count, const void *values) {
  const hsize_t size = (hsize_t)count;
  const hid_t space = count > 1 ? H5Screate_simple(1, &size, NULL) : H5Screate(H5S_SCALAR);
  const hid_t attribute = space < 0 ? -1 : H5Acreate2(where, name, type, space, H5P_DEFAULT, H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, memory, values) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (space >= 0) H5Sclose(space);
  return good;
}

static bool put_type(hid_t group) {
  static const char name[] = "UnstructuredGrid";
  const hid_t type = H5Tcopy(H5T_C_S1);
  const bool good = type >= 0 && H5Tset_size(type, sizeof name - 1) >= 0 && H5Tset_strpad(type, H5T_STR_NULLPAD) >= 0 &&
                    put_attribute(group, "Type", type, type, 1, name);
  if (type >= 0) H5Tclose(type);
  return good;
}

static bool create_group(hid_t where, const char *name) {
  const hid_t group = H5Gcreate2(where, name, H5P_DEFAULT, H5P_DEFAULT, H5P_DEFAULT);
  if (group >= 0) H5Gclose(group);
  return group >= 0;
}

static bool create_groups(result_vtkhdf *s) {
  const int64_t version[2] = {2, s->polyhedra ? 5 : 0}, no_steps = 0;
  if (!create_group(s->file, "VTKHDF")) return false;
  s->group = H5Gopen2(s->file, "VTKHDF", H5P_DEFAULT);
  if (s->group < 0 || !put_type(s->group) ||
      !put_attribute(s->group, "Version", H5T_STD_I64LE, H5T_NATIVE_INT64, 2, version))
    return false;
  static const char *const names[] = {"PointData", "CellData", "Steps", "Steps/PointDataOffsets",
                                      "Steps/CellDataOffsets"};
  for (size_t k = 0; k < sizeof names / sizeof *names; k++) {
    if (!create_group(s->group, names[k])) return false;
  }
  const hid_t steps = H5Gopen2(s->group, "Steps", H5P_DEFAULT);
  const bool good = steps >= 0 && put_attribute(steps, "NSteps", H5T_STD_I64LE, H5T_NATIVE_INT64, 1, &no_steps);
  if (steps >= 0) H5Gclose(steps);
  return good;
}

// `first` says how many rows each sort of table gets at once.
bool result_vtkhdf_create_file(result_vtkhdf *s, const hsize_t first[ROWS_COUNT]) {
  s->file = result_hdf_create_growing(result_path_beside(s->path).text, &s->reason);
  if (s->file < 0 || !create_groups(s)) return false;
  for (uint32_t t = 0; t < result_vtkhdf_fixed(s); t++) {
    if (!result_table_create(&s->tables[t], s->group, first[s->tables[t].counts])) return false;
  }
  for (uint32_t f = 0; f < s->fields.count; f++) {
    result_field *at = &s->fields.data[f];
    if (!result_table_create(&at->values, s->group, first[at->values.counts]) ||
        !result_table_create(&at->starts, s->group, 1))
      return false;
  }
  return true;
}

// A step counts from here on: everything it needs is in the file before its number is.
bool result_vtkhdf_count_steps(result_vtkhdf *s, uint64_t steps) {
  const int64_t count = (int64_t)steps;
  if (H5Fflush(s->file, H5F_SCOPE_LOCAL) < 0) return false;
  const hid_t group = H5Gopen2(s->group, "Steps", H5P_DEFAULT);
  const hid_t attribute = group < 0 ? -1 : H5Aopen(group, "NSteps", H5P_DEFAULT);
  const bool good = attribute >= 0 && H5Awrite(attribute, H5T_NATIVE_INT64, &count) >= 0;
  if (attribute >= 0) H5Aclose(attribute);
  if (group >= 0) H5Gclose(group);
  if (!good || H5Fflush(s->file, H5F_SCOPE_LOCAL) < 0 || s->reason) return false;
  s->steps = steps;
  return true;
}

// From now on the file is whole after every write; and only now it gets its name.
clv_result result_vtkhdf_publish(result_vtkhdf *s, clv_error *error) {
  if (H5Fstart_swmr_write(s->file) < 0 || s->reason) return result_vtkhdf_broken(s, "cannot write the file", error);
  const clv_result result = result_move_into_place(result_path_beside(s->path).text, s->path, RESULT_ATOMIC, error);
  if (result != CLV_OK) s->broken = true;
  return result;
}

void result_vtkhdf_close_file(result_vtkhdf *s) {
  for (uint32_t t = 0; t < TABLE_FIXED; t++) result_table_close(&s->tables[t]);
  for (uint32_t f = 0; f < s->fields.count; f++) {
    result_table_close(&s->fields.data[f].values);
    result_table_close(&s->fields.data[f].starts);
  }
  if (s->group >= 0) H5Gclose(s->group);
  if (s->file >= 0) result_hdf_close(s->file);
  s->group = s->file = -1;
}

// Fields

// Numbers of things stand as integers.
static table_type type_of_field(const char *name) {
  const bool integer = strcmp(name, "held") == 0 || strcmp(name, "model") == 0 || strcmp(name, "region") == 0;
  return integer ? TABLE_INTEGER : TABLE_REAL;
}

clv_result result_vtkhdf_add_field(result_vtkhdf *s, const char *name, clv_field_place place, clv_error *error) {
  if (!BASE_RESERVE(&s->allocator, &s->fields, (uint64_t)s->fields.count + 1))
    return result_memory_error(error, s->path);
  result_field *f = &s->fields.data[s->fields.count];
  const bool points = place == CLV_ON_POINTS;
  *f = (result_field){.place = place,
                      .values = {.counts = points ? ROWS_STEP_POINTS : ROWS_STEP_CELLS,
                                 .type = type_of_field(name),
                                 .columns = 1,
                                 .dataset = -1},
                      .starts = {.counts = ROWS_STEPS, .type = TABLE_LONG, .columns = 1, .dataset = -1}};
  const char *on = points ? "Point" : "Cell";
  if ((size_t)snprintf(f->name, sizeof f->name, "%s", name) >= sizeof f->name || strchr(name, '/'))
    return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: a field cannot be called '%s' in a VTKHDF file", s->path,
                         name);
  snprintf(f->values.path, sizeof f->values.path, "%sData/%s", on, f->name);
  snprintf(f->starts.path, sizeof f->starts.path, "Steps/%sDataOffsets/%s", on, f->name);
  s->fields.count++;
  return CLV_OK;
}

static clv_result choose_fields(result_vtkhdf *s, const clv_mesh *mesh, clv_error *error) {
  clv_result result = CLV_OK;
  s->fields.count = 0;
  for (size_t f = 0; result == CLV_OK && f < mesh->field_count; f++) {
    const clv_field *from = &mesh->fields[f];
    result = result_vtkhdf_add_field(s, from->name, from->place, error);
    if (result == CLV_OK) s->fields.data[f].values.columns = from->components;
  }
  return result == CLV_OK ? result_vtkhdf_add_field(s, "region", CLV_ON_ELEMENTS, error) : result;
}

static const clv_field *find_field(const clv_mesh *mesh, const result_field *wanted) {
  for (size_t f = 0; f < mesh->field_count; f++) {
    const clv_field *at = &mesh->fields[f];
    if (at->place == wanted->place && strcmp(at->name, wanted->name) == 0) return at;
  }
  return NULL;
}

static bool is_region(const result_field *f) {
  return f->place == CLV_ON_ELEMENTS && strcmp(f->name, "region") == 0;
}

static clv_result check_fields(const result_vtkhdf *s, const clv_mesh *mesh, clv_error *error) {
  uint32_t found = 0;
  for (uint32_t f = 0; f < s->fields.count; f++) {
    const result_field *wanted = &s->fields.data[f];
    const clv_field *at = find_field(mesh, wanted);
    const size_t count = wanted->place == CLV_ON_POINTS ? mesh->point_count : mesh->element_count;
    if (is_region(wanted)) continue;
    if (!at || at->components != wanted->values.columns || at->count != count)
      return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: this frame has no field '%s' like that of the first frame",
                           s->path, wanted->name);
    found++;
  }
  if (found == mesh->field_count) return CLV_OK;
  return clv_error_set(error, CLV_ERROR_ARGUMENT, "%s: this frame has fields that the first frame had not", s->path);
}

// Tags as doubles, a part at a time.
static bool add_regions(result_field *f, const clv_mesh *mesh) {
  double values[1024];
  for (size_t e = 0; e < mesh->element_count;) {
    uint32_t count = 0;
    for (; count < 1024 && e < mesh->element_count; count++, e++) values[count] = mesh->tags[e];
    if (!result_table_add(&f->values, values, count)) return false;
  }
  return true;
}

static bool add_fields(result_vtkhdf *s, const clv_mesh *mesh) {
  for (uint32_t f = 0; f < s->fields.count; f++) {
    result_field *to = &s->fields.data[f];
    const int64_t start = (int64_t)to->values.rows;
    const clv_field *from = is_region(to) ? NULL : find_field(mesh, to);
    if (!result_table_add(&to->starts, &start, 1)) return false;
    if (!(from ? result_table_add(&to->values, from->values, from->count) : add_regions(to, mesh))) return false;
  }
  return true;
}

// Steps

static bool add_rows(result_vtkhdf *s, table_name name, const void *values, hsize_t rows) {
  return result_table_add(&s->tables[name], values, rows);
}

static bool add_number(result_vtkhdf *s, table_name name, int64_t value) {
  return add_rows(s, name, &value, 1);
}

static bool add_ids(result_vtkhdf *s, table_name name, const result_ids *ids) {
  return add_rows(s, name, ids->data, ids->count);
}

static bool add_part(result_vtkhdf *s, const clv_mesh *mesh, uint64_t hash) {
  const result_cells *c = &s->cells;
  s->part = (result_part){
      .number = (int64_t)s->tables[TABLE_PART_POINTS].rows,
      .cells = (int64_t)s->tables[TABLE_TYPES].rows,
      .ids = (int64_t)s->tables[TABLE_CONNECTIVITY].rows,
      .face_ids = (int64_t)s->tables[TABLE_FACE_CONNECTIVITY].rows,
      .polyhedron_ids = (int64_t)s->tables[TABLE_POLYHEDRON_FACES].rows,
      .hash = hash,
  };
  s->part.faces = s->polyhedra ? (int64_t)s->tables[TABLE_FACE_OFFSETS].rows - s->part.number : 0;
  const bool cells =
      add_number(s, TABLE_PART_POINTS, (int64_t)mesh->point_count) && add_number(s, TABLE_PART_CELLS, c->types.count) &&
      add_number(s, TABLE_PART_IDS, c->connectivity.count) && add_rows(s, TABLE_TYPES, c->types.data, c->types.count) &&
      add_ids(s, TABLE_OFFSETS, &c->offsets) && add_ids(s, TABLE_CONNECTIVITY, &c->connectivity);
  if (!cells || !s->polyhedra) return cells;
  return add_number(s, TABLE_PART_FACES, c->face_offsets.count - 1) &&
         add_number(s, TABLE_PART_FACE_IDS, c->face_connectivity.count) &&
         add_number(s, TABLE_PART_POLYHEDRON_IDS, c->polyhedron_faces.count) &&
         add_ids(s, TABLE_FACE_OFFSETS, &c->face_offsets) &&
         add_ids(s, TABLE_FACE_CONNECTIVITY, &c->face_connectivity) &&
         add_ids(s, TABLE_POLYHEDRON_OFFSETS, &c->polyhedron_offsets) &&
         add_ids(s, TABLE_POLYHEDRON_FACES, &c->polyhedron_faces);
}

static bool add_step(result_vtkhdf *s, double time, const clv_mesh *mesh) {
  const int64_t points = (int64_t)s->tables[TABLE_POINTS].rows;
  const bool step = add_rows(s, TABLE_STEP_VALUES, &time, 1) && add_number(s, TABLE_STEP_PARTS, s->part.number) &&
                    add_number(s, TABLE_STEP_PART_COUNTS, 1) && add_number(s, TABLE_STEP_POINTS, points) &&
                    add_number(s, TABLE_STEP_CELLS, s->part.cells) && add_number(s, TABLE_STEP_IDS, s->part.ids);
  if (!step || !add_rows(s, TABLE_POINTS, mesh->points, mesh->point_count) || !add_fields(s, mesh)) return false;
  return !s->polyhedra ||
         (add_number(s, TABLE_STEP_FACES, s->part.faces) && add_number(s, TABLE_STEP_FACE_IDS, s->part.face_ids) &&
          add_number(s, TABLE_STEP_POLYHEDRON_IDS, s->part.polyhedron_ids));
}

static clv_result begin_file(result_vtkhdf *s, const clv_mesh *mesh, clv_error *error) {
  const result_cells *c = &s->cells;
  const hsize_t first[ROWS_COUNT] = {
      [ROWS_STEPS] = 1,
      [ROWS_PARTS] = 1,
      [ROWS_STEP_POINTS] = mesh->point_count,
      [ROWS_STEP_CELLS] = mesh->element_count,
      [ROWS_PART_CELLS] = mesh->element_count,
      [ROWS_PART_CELLS_AND_ONE] = mesh->element_count + 1,
      [ROWS_PART_IDS] = c->connectivity.count,
      [ROWS_PART_FACES_AND_ONE] = c->face_offsets.count,
      [ROWS_PART_FACE_IDS] = c->face_connectivity.count,
      [ROWS_PART_POLYHEDRON_IDS] = c->polyhedron_faces.count,
  };
  const clv_result result = choose_fields(s, mesh, error);
  if (result != CLV_OK) return result;
  return result_vtkhdf_create_file(s, first) ? CLV_OK : result_vtkhdf_broken(s, "cannot create the file", error);
}

static clv_result add_frame(result_vtkhdf *s, double time, const clv_mesh *mesh, clv_error *error) {
  const bool first = s->file < 0;
  clv_result result = first ? begin_file(s, mesh, error) : check_fields(s, mesh, error);
  if (result != CLV_OK) return result;
  const uint64_t hash = result_cells_hash(&s->cells) ^ mesh->point_count;
  if ((first || hash != s->part.hash) && !add_part(s, mesh, hash))
    return result_vtkhdf_broken(s, "cannot write the cells", error);
  if (!add_step(s, time, mesh) || !result_vtkhdf_count_steps(s, s->steps + 1))
    return result_vtkhdf_broken(s, "cannot write the frame", error);
  return first ? result_vtkhdf_publish(s, error) : CLV_OK;
}

// The series

result_vtkhdf *result_vtkhdf_new(const char *path, const clv_allocator *allocator, clv_error *error) {
  result_vtkhdf *s = base_allocate(allocator, sizeof *s);
  char *own = s ? base_allocate(allocator, strlen(path) + 1) : NULL;
  if (!own) {
    base_free(allocator, s, sizeof *s);
    result_memory_error(error, path);
    return NULL;
  }
  memcpy(own, path, strlen(path) + 1);
  *s = (result_vtkhdf){.allocator = *allocator, .path = own, .file = -1, .group = -1};
  for (uint32_t t = 0; t < TABLE_FIXED; t++) s->tables[t] = result_table_fixed((table_name)t);
  return s;
}

result_vtkhdf *result_vtkhdf_create(const char *path, const clv_allocator *allocator, clv_error *error) {
  return result_remove_file(path, error) == CLV_OK ? result_vtkhdf_new(path, allocator, error) : NULL;
}

uint64_t result_vtkhdf_steps(const result_vtkhdf *series) {
  return series->steps;
}

// The first polyhedron of a series that had none.
static clv_result add_face_tables(result_vtkhdf *s, clv_error *error) {
  s->polyhedra = true;
  if (s->file < 0) return CLV_OK;
  const uint64_t steps = s->steps;
  result_vtkhdf_close_file(s);
  if (s->reason) return result_vtkhdf_broken(s, "cannot close the file", error);
  return result_vtkhdf_rewrite(s, steps, error);
}

static bool has_polyhedra(const clv_mesh *mesh) {
  return mesh->element_count && memchr(mesh->kinds, CLV_POLYHEDRON, mesh->element_count);
}

clv_result result_vtkhdf_add(result_vtkhdf *series, double time, const clv_mesh *mesh, clv_error *error) {
  if (series->broken)
    return clv_error_set(error, CLV_ERROR_SYSTEM, "%s: an earlier frame could not be written", series->path);
  clv_result result = CLV_OK;
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  if (!series->polyhedra && has_polyhedra(mesh)) result = add_face_tables(series, error);
  if (result == CLV_OK && result_cells_encode(&series->cells, mesh, &series->allocator) != CLV_OK)
    result = result_memory_error(error, series->path);
  if (result == CLV_OK) result = add_frame(series, time, mesh, error);
  result_hdf_leave(&scope);
  return result;
}

clv_result result_vtkhdf_sync(result_vtkhdf *series, clv_error *error) {
  return series->file < 0 ? CLV_OK : result_sync_file(series->path, error);
}

clv_result result_vtkhdf_close(result_vtkhdf *series, clv_error *error) {
  if (!series) return CLV_OK;
  result_hdf_scope scope;
  result_hdf_enter(&scope);
  const bool had_file = series->file >= 0;
  result_vtkhdf_close_file(series);
  clv_result result = CLV_OK;
  if (had_file && series->reason && !series->broken)
    result = result_vtkhdf_broken(series, "cannot close the file", error);
  result_hdf_leave(&scope);
  const clv_allocator allocator = series->allocator;
  result_cells_free(&series->cells, &allocator);
  BASE_RELEASE(&allocator, &series->fields);
  base_free(&allocator, series->path, strlen(series->path) + 1);
  base_free(&allocator, series, sizeof *series);
  return result;
}
