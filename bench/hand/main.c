// bench_hand - edits of bodies, one after the other, for scripts/hand.py, which looks which functions they run.
//
// Nothing is timed. What runs inside hand_remove and hand_refine counts.

#include "../tools/subject.h"
#include "../tools/tools.h"

enum { EDITS = 24, STRIDE = 37 };

typedef struct patient {
  subject s;
  clv_map *map;
  clv_surgery *surgery;
} patient;

typedef void edit(patient *p, clv_dart cell);

void hand_remove(patient *p, clv_dart cell);
void hand_refine(patient *p, clv_dart cell);

__attribute__((noinline)) void hand_remove(patient *p, clv_dart cell) {
  bench_ok(clv_surgery_remove_cells(p->surgery, &cell, 1, NULL), "remove", clv_surgery_error(p->surgery));
  bench_ok(clv_solver_follow(p->s.solver), "follow", clv_solver_error(p->s.solver));
}

__attribute__((noinline)) void hand_refine(patient *p, clv_dart cell) {
  bench_ok(clv_surgery_refine_cells(p->surgery, &cell, 1, 1, NULL), "refine", clv_surgery_error(p->surgery));
  bench_ok(clv_solver_follow(p->s.solver), "follow", clv_solver_error(p->s.solver));
}

static void edit_body(const subject_def *def, edit *each) {
  clv_error error;
  patient p = {0};
  subject_make(&p.s, def);
  p.map = clv_body_map(p.s.body);
  p.surgery = clv_surgery_create(p.s.body, &error);
  if (!p.surgery) bench_fail("surgery: %s", error.message);
  for (uint32_t k = 0; k < EDITS; k++) {
    subject_step(&p.s);
    each(&p, clv_cell_at(p.map, CLV_TET, STRIDE * (k + 1)));
  }
  clv_surgery_destroy(p.surgery);
  subject_free(&p.s);
}

int main(void) {
  static const char *const models[] = {"fem-corotational-qr", "springs"};
  static const clv_method methods[] = {CLV_SYMPLECTIC_EULER, CLV_IMPLICIT_EULER};
  for (int k = 0; k < 4; k++) {
    subject_def def = {.grid = CLV_GRID_TET5, .cells = {6, 6, 6}, .model = models[k / 2], .method = methods[k % 2]};
    if (k % 2) def.linear = CLV_LINEAR_MATRIX_FREE, def.iterations = 3;
    edit_body(&def, hand_remove);
    edit_body(&def, hand_refine);
  }
}
