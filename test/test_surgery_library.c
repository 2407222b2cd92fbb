// Every rule of the shipped library, applied to bodies of every sort of grid: it is refused with a sentence, and the
// body is what it was to the last bit; or it leaves a body in which nothing is missing.

#include "support/ruled.h"

static const clv_grid_kind grids[] = {CLV_GRID_TRI, CLV_GRID_QUAD, CLV_GRID_TET5, CLV_GRID_HEX, CLV_GRID_MIXED};
enum { GRIDS = sizeof grids / sizeof *grids };

static clv_body *small_body(clv_grid_kind kind, const char *model) {
  beam b = beam_default();
  b.kind = kind;
  b.model = model;
  b.program = laws;
  memcpy(b.cells, (uint32_t[]){2, 2, is_flat(kind) ? 0 : 2}, sizeof b.cells);
  memcpy(b.size, (double[]){2, 2, is_flat(kind) ? 0 : 2}, sizeof b.size);
  return beam_create(&b);
}

static void assert_all_have_laws(const clv_body *body, const char *rule) {
  const clv_map *map = clv_body_map(body);
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
    const int32_t section = *(const int32_t *)clv_column_at(body->section, cell);
    if (section < 0 || (uint32_t)section >= body->sections.count)
      fail_msg("%s: cell %u is of section %d", rule, id.index, section);
    const clv_kind kind = clv_cell_shape(map, cell);
    if (!(body->sections.data[section].model->kinds & PHYSICS_KIND(kind)))
      fail_msg("%s: cell %u is a %s", rule, id.index, clv_kind_name(kind));
  }
}

// By the shapes of cells at rest.
static double weight_of_cells(const clv_body *body) {
  const clv_map *map = clv_body_map(body);
  const double *rest = clv_body_rest(body);
  double sum = 0;
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
    const clv_kind kind = clv_cell_shape(map, cell);
    const clv_material *material = &physics_section_of(body, cell)->material;
    const uint32_t corners = clv_templates[kind].corner_count;
    const uint32_t *slots = map->corners[kind] + (size_t)clv_cell_row(map, cell) * corners;
    double points[8][3];
    for (uint32_t c = 0; c < corners; c++) memcpy(points[c], rest + 3 * (size_t)slots[c], sizeof points[c]);
    sum += clv_element_measure(kind, (const double(*)[3])points) * material->density *
           (map->dimension == 2 ? material->thickness : 1);
  }
  return sum;
}

typedef struct tally {
  uint32_t applied, made, reshaped, refused;
} tally;

// Those that give cells another shape at rest: all others keep what there is.
static bool reshapes(const char *rule) {
  return !strcmp(rule, "catmull_clark") || !strcmp(rule, "remove_vertex");
}

static void assert_sound(clv_body *body, const char *rule, double mass, const clv_surgery_report *report, tally *t) {
  operated_check(body);
  operated_check_embedded(body);
  assert_all_have_laws(body, rule);
  const double now = operated_mass(body), weight = weight_of_cells(body);
  if (fabs(now - weight) > 1e-12 * mass) fail_msg("%s: %.17g kg, and %.17g kg by its cells", rule, now, weight);
  if (fabs(now - mass - report->gained) > 1e-12 * mass)
    fail_msg("%s: %.17g kg of %.17g, and %g kg are told", rule, now, mass, report->gained);
  if (report->made && !report->removed && !(report->gained > 0)) fail_msg("%s: new cells weigh nothing", rule);
  const bool reshaped = report->gained != 0 && !report->made && !report->removed;
  if (reshaped && !reshapes(rule)) fail_msg("%s: the mass changed by %g kg", rule, report->gained);
  clv_energies energies;
  assert_int_equal(clv_body_energies(body, &energies), CLV_OK);
  assert_true(isfinite(energies.kinetic) && isfinite(energies.elastic) && isfinite(energies.gravitational));
  t->applied += report->applied > 0;
  t->made += report->made > 0;
  t->reshaped += reshaped;
}

static void try_rule(clv_grid_kind kind, const char *model, const clv_program *program, const char *name, clv_orbit on,
                     tally *t) {
  const clv_apply apply = {.rule = rule_of(program, name), .on = on, .zone = clv_zone_all()};
  if (clv_apply_wrong(&apply)) return;
  clv_body *body = small_body(kind, model);
  clv_surgery *surgery = operated_surgery(body);
  operated_deform(body, 0.01);
  if (clv_surgery_prepare(surgery, &apply) == CLV_OK) {
    const uint64_t hash = clv_map_hash(clv_body_map(body));
    const double mass = operated_mass(body);
    clv_surgery_report report;
    if (clv_surgery_apply(surgery, &apply, &report) == CLV_OK) {
      assert_sound(body, name, mass, &report, t);
    } else {
      if (!strstr(clv_surgery_error(surgery), name)) fail_msg("%s: %s", name, clv_surgery_error(surgery));
      assert_true(clv_map_hash(clv_body_map(body)) == hash);
      assert_true(operated_mass(body) == mass);
      operated_check(body);
      t->refused++;
    }
  } else {
    assert_non_null(strstr(clv_surgery_error(surgery), name));
  }
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

static tally try_library(clv_grid_kind kind, const char *model) {
  static const clv_orbit places[] = {CLV_VERTEX, CLV_EDGE, CLV_FACE, CLV_CELL};
  clv_program *program = program_with(NULL, 0);
  clv_declaration declared;
  tally t = {0};
  for (uint32_t k = 0; clv_program_list(program, k, &declared); k++) {
    if (!strcmp(declared.what, "rule")) try_rule(kind, model, program, declared.name, 0, &t);
    for (uint32_t o = 0; o < 4 && !strcmp(declared.what, "script"); o++)
      try_rule(kind, model, program, declared.name, places[o], &t);
  }
  clv_program_destroy(program);
  return t;
}

static void all_rules_leave_sound_bodies(void **unused) {
  (void)unused;
  for (uint32_t g = 0; g < GRIDS; g++) {
    const bool flat = is_flat(grids[g]);
    const tally t = try_library(grids[g], "fem-corotational");
    print_message("%s: %u applied, %u of them made cells, %u refused\n", clv_grid_name(grids[g]), t.applied, t.made,
                  t.refused);
    assert_true(t.applied > 20);
    assert_int_equal(t.made, 1); // extrude, extrude_edge
    assert_true(!flat || t.reshaped > 0);
    assert_true(flat || t.refused > 0);
  }
}

// Springs are made for new cells, too; and where a model serves tetrahedra alone, there are no prisms.
static void all_rules_leave_sound_springs_and_tensors(void **unused) {
  (void)unused;
  static const clv_grid_kind kinds[] = {CLV_GRID_QUAD, CLV_GRID_TET5};
  for (uint32_t k = 0; k < 2; k++) assert_int_equal(try_library(kinds[k], "springs").made, 1);
  const tally t = try_library(CLV_GRID_TET5, "mass-tensor");
  assert_true(t.applied > 20);
  assert_int_equal(t.made, 0);
}

// What is made beside others is made of what they are made of.
static void new_cells_are_of_their_neighbours_sections(void **unused) {
  (void)unused;
  clv_mesh mesh;
  beam b = beam_default();
  b.kind = CLV_GRID_QUAD;
  memcpy(b.cells, (uint32_t[]){2, 1, 0}, sizeof b.cells);
  memcpy(b.size, (double[]){2, 1, 0}, sizeof b.size);
  beam_mesh(&b, &mesh);
  clv_section sections[2] = {{clv_zone_all(), "fem-corotational", clv_default_material()},
                             {clv_zone_box((double[]){1, 0, 0}, (double[]){2, 1, 0}), "cloth", clv_default_material()}};
  sections[1].material.density = 3000;
  clv_body_def def = clv_default_body_def();
  def.mesh = &mesh;
  def.sections = sections;
  def.section_count = 2;
  def.program = laws;
  clv_error error = {0};
  clv_body *body = clv_body_create(&def, NULL, &error);
  assert_string_equal(error.message, "");
  clv_mesh_free(&mesh);
  clv_surgery *surgery = operated_surgery(body);
  clv_program *program = program_with(NULL, 0);
  const double mass = operated_mass(body);
  const clv_surgery_report report = applied(surgery, program, "extrude_edge", 0, clv_zone_all());
  assert_int_equal(report.made, 6);
  // Either square has three sides that are free, and on each half a square more.
  assert_true(fabs(report.gained - 1.5 * mass) < 1e-12 * mass);
  operated_check(body);
  operated_check_embedded(body);
  uint32_t of[2] = {0};
  const clv_map *map = clv_body_map(body);
  const clv_column *rho = clv_column_find(map, "rho"), *acting = clv_column_find(map, "laws");
  uint32_t bits[2] = {0};
  for (clv_id id = clv_id_next(map, CLV_CELL, (clv_id){0}); id.index; id = clv_id_next(map, CLV_CELL, id)) {
    const clv_dart cell = clv_id_dart(map, CLV_CELL, id);
    const physics_section *section = physics_section_of(body, cell);
    const uint32_t number = (uint32_t)(section - body->sections.data);
    assert_true(*(const double *)clv_column_at(rho, cell) == section->material.density);
    bits[number] |= *(const uint32_t *)clv_column_at(acting, cell);
    of[number]++;
  }
  assert_int_equal(of[0], 4);
  assert_int_equal(of[1], 4);
  assert_true(bits[0] && bits[1] && !(bits[0] & bits[1]));
  clv_program_destroy(program);
  clv_surgery_destroy(surgery);
  clv_body_destroy(body);
}

// An island would be made of nothing, unless somebody says of what.
static void cells_beside_nothing_are_refused(void **unused) {
  (void)unused;
  clv_body *body = grid_body(CLV_GRID_HEX, 2, 1, 1);
  clv_map *map = clv_body_map(body);
  const uint64_t hash = clv_map_hash(map);
  clv_dart island;
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &island), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_ERROR_REFUSED);
  assert_non_null(strstr(clv_map_error(map), "is sewn to no cell of the body"));
  clv_map_rollback(map);
  assert_true(clv_map_hash(map) == hash);
  assert_int_equal(clv_map_begin(map), CLV_OK);
  assert_int_equal(clv_map_add_cell(map, CLV_TET, &island), CLV_OK);
  assert_int_equal(clv_column_set(body->section, island, &(int32_t){0}), CLV_OK);
  assert_int_equal(clv_map_commit(map), CLV_OK);
  assert_all_have_laws(body, "island");
  clv_body_destroy(body);
}

static clv_program *shipped;

static clv_result extrude_all(clv_surgery *surgery) {
  clv_apply apply = clv_default_apply();
  apply.rule = rule_of(shipped, "extrude");
  return clv_surgery_apply(surgery, &apply, NULL);
}

static void memory_may_run_out_while_cells_are_made(void **unused) {
  (void)unused;
  shipped = program_with(NULL, 0);
  for (size_t n = 1; stands_refusal(extrude_all, n); n += 1 + n / 4) continue;
  clv_program_destroy(shipped);
}

int main(void) {
  const struct CMUnitTest tests[] = {
      cmocka_unit_test(all_rules_leave_sound_bodies),
      cmocka_unit_test(all_rules_leave_sound_springs_and_tensors),
      cmocka_unit_test(new_cells_are_of_their_neighbours_sections),
      cmocka_unit_test(cells_beside_nothing_are_refused),
      cmocka_unit_test(memory_may_run_out_while_cells_are_made),
  };
  return cmocka_run_group_tests(tests, make_laws, free_laws);
}
