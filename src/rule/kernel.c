#include "rule/kernel_parts.h"

typedef struct making {
  clv_program *program;
  const law *law;
  kernel *k;
  uint32_t axes;
  dag graph; // the law's, with its derivatives and holds
  dag_ref energy, dissipation;
  dag_ref roots[KERNEL_COUNT][KERNEL_AXES];
  dag_ref pushed[KERNEL_AXES]; // forces other than the energy's
} making;

// Findings

static const char *why_not(dag_op op) {
  switch (op) {
  case DAG_ROTATION:
    return "the rotation nearest to a matrix of unknowns is not differentiated|write hold(...) around it: it is then "
           "constant when the law is differentiated";
  case DAG_FLOOR:
    return "floor has no derivative by positions or velocities|use a smooth function, or hold(...)";
  case DAG_VEL:
    return "an energy cannot depend on velocities|use dissipation, or a force";
  case DAG_SUM_INPUT:
    return "a force cannot use a sum over an orbit of any size|make the sum a derived quantity, and read that";
  default:
    return "a condition on positions or velocities has no derivative|use it to choose between two values, or hold(...)";
  }
}

static bool complain(making *make, dag_ref bad) {
  if (!bad) {
    make->program->no_memory = true;
    return false;
  }
  const dag_node *node = make->graph.nodes.data + bad;
  rule_complain(make->program, 'D', node->span, "%s", why_not((dag_op)node->op));
  return false;
}

static bool complain_of(making *make, dag_ref bad, const char *what) {
  if (!bad || make->graph.no_memory) return complain(make, 0);
  rule_complain(make->program, 'D', make->graph.nodes.data[bad].span, "%s", what);
  return false;
}

// Differentiating

static bool copy_law(making *make) {
  const law *l = make->law->rolled ? make->law->rolled : make->law;
  dag_ref roots[KERNEL_AXES + 2] = {l->energy, l->dissipation}, copies[KERNEL_AXES + 2];
  for (uint32_t k = 0; l->force && k < make->axes; k++) roots[2 + k] = l->force[k];
  const dag_ref zero = dag_const(&make->graph, 0);
  if (!dag_copy(&make->graph, &l->graph, roots, make->axes + 2, copies, false)) return complain(make, 0);
  make->energy = kernel_spread_factors(&make->graph, copies[0] ? copies[0] : zero);
  make->dissipation = kernel_spread_factors(&make->graph, copies[1] ? copies[1] : zero);
  for (uint32_t k = 0; k < make->axes; k++) make->pushed[k] = copies[2 + k] ? copies[2 + k] : zero;
  return make->energy && make->dissipation ? true : complain(make, 0);
}

// The first input of a kind that a root depends on, 0 for none.
static dag_ref find_input(const dag *graph, dag_ref root, dag_op op) {
  if (dag_depends(graph, root) & 1u << op)
    for (dag_ref ref = 1; ref <= root; ref++)
      if (graph->nodes.data[ref].op == op) return ref;
  return 0;
}

static bool check_inputs(making *make) {
  dag_ref bad = find_input(&make->graph, make->energy, DAG_VEL);
  if (!bad) bad = find_input(&make->graph, make->energy, DAG_SUM_INPUT);
  if (!bad) bad = find_input(&make->graph, make->dissipation, DAG_SUM_INPUT);
  for (uint32_t k = 0; !bad && k < make->axes; k++) bad = find_input(&make->graph, make->pushed[k], DAG_SUM_INPUT);
  return bad ? complain(make, bad) : true;
}

static bool derive_forces(making *make) {
  dag *g = &make->graph;
  dag_ref slopes[KERNEL_AXES], bad;
  if (!dag_gradient(g, make->dissipation, DAG_VEL, make->axes, slopes, &bad)) return complain(make, bad);
  for (uint32_t k = 0; k < make->axes; k++) make->pushed[k] = dag_sub(g, make->pushed[k], slopes[k]);
  if (!dag_gradient(g, make->energy, DAG_POS, make->axes, slopes, &bad)) return complain(make, bad);
  for (uint32_t k = 0; k < make->axes; k++) make->roots[KERNEL_FORCE][k] = dag_sub(g, make->pushed[k], slopes[k]);
  make->roots[KERNEL_ENERGY][0] = make->energy;
  return g->no_memory ? complain(make, 0) : true;
}

static bool derive_gauss_newton(making *make) {
  dag *g = &make->graph;
  dag_ref *roots = make->roots[KERNEL_FORCE_DPOS], tangents[KERNEL_AXES], bad;
  if (!kernel_gauss_newton(g, make->energy, make->axes, roots, &bad))
    return complain_of(make, bad,
                       "psd gauss_newton needs an energy that is a sum of c*r^2 with c not negative, and this is "
                       "not|write the energy so, or use psd clamp");
  if (!dag_tangent(g, make->pushed, make->axes, DAG_POS, DAG_DPOS, tangents, &bad)) return complain(make, bad);
  for (uint32_t k = 0; k < make->axes; k++) roots[k] = dag_add(g, roots[k], tangents[k]);
  return g->no_memory ? complain(make, 0) : true;
}

// Where springs are all the energy, the eigenvalues are known. Only one point: they are of a whole row. A dissipation
// has a slope by positions too, which is not symmetric: what is asked to be positive does without.
static bool derive_central(making *make) {
  const law *l = make->law;
  return make->k->clamps && !l->force && make->k->quadrature == 1 && !l->rolled &&
         kernel_positive_central(&make->graph, make->energy, l->psd, make->axes, make->roots[KERNEL_FORCE_DPOS],
                                 &make->k->pairs);
}

static bool derive_tangents(making *make) {
  dag *g = &make->graph;
  const dag_ref *forces = make->roots[KERNEL_FORCE];
  dag_ref bad;
  if (make->law->psd == LAW_PSD_GAUSS_NEWTON) {
    if (!derive_gauss_newton(make)) return false;
  } else if (derive_central(make)) {
    make->k->clamps = false;
    make->k->central = true;
  } else if (!dag_tangent(g, forces, make->axes, DAG_POS, DAG_DPOS, make->roots[KERNEL_FORCE_DPOS], &bad)) {
    return complain(make, bad);
  }
  if (!dag_tangent(g, forces, make->axes, DAG_VEL, DAG_DVEL, make->roots[KERNEL_FORCE_DVEL], &bad))
    return complain(make, bad);
  return true;
}

// The kernel's own graph

static uint32_t root_count(const making *make, kernel_kind kind) {
  return kind == KERNEL_ENERGY ? 1 : kind <= KERNEL_FORCE_DVEL ? make->axes : 0;
}

static bool take_bodies(making *make, kernel_body *bodies) {
  const clv_allocator *allocator = &make->program->arena.allocator;
  for (kernel_kind kind = KERNEL_ENERGY; kind <= KERNEL_FORCE_DVEL; kind++) {
    kernel_body *body = &bodies[kind];
    const uint32_t count = root_count(make, kind);
    body->roots = base_allocate(allocator, (count ? count : 1) * sizeof *body->roots);
    if (!body->roots) return false;
    body->root_count = count;
    memcpy(body->roots, make->roots[kind], count * sizeof *body->roots);
  }
  return true;
}

// Without holds some nodes become one, so bodies are copied before they are hoisted.
static bool hoist(making *make, kernel_hoisted *out) {
  const clv_allocator *allocator = &make->program->arena.allocator;
  dag plain;
  dag_init(&plain, allocator);
  bool done = dag_const(&plain, 0) && take_bodies(make, out->body);
  for (kernel_kind kind = KERNEL_ENERGY; done && kind <= KERNEL_FORCE_DVEL; kind++) {
    kernel_body *body = &out->body[kind];
    done = dag_copy(&plain, &make->graph, body->roots, body->root_count, body->roots, true);
  }
  done = done && kernel_hoist_bodies(out, &plain, make->law->rolled != NULL);
  dag_free(&plain);
  return done;
}

static bool place(making *make) {
  kernel *k = make->k;
  kernel_hoisted hoisted = {.graph = &k->graph, .body = k->body};
  if (!hoist(make, &hoisted)) {
    kernel_hoisted_free(&hoisted, &make->program->arena.allocator);
    return complain(make, 0);
  }
  k->hoist = hoisted.hoist;
  k->hoist_q = hoisted.hoist_q;
  k->hoist_count = hoisted.hoist_count;
  k->hoist_q_count = hoisted.hoist_q_count;
  return true;
}

static bool place_rolled(making *make) {
  kernel *k = make->k;
  const clv_allocator *allocator = &make->program->arena.allocator;
  k->rolled = base_allocate(allocator, sizeof *k->rolled);
  if (!k->rolled) return complain(make, 0);
  *k->rolled = (kernel_rolled){0};
  dag_init(&k->rolled->graph, allocator);
  kernel_hoisted hoisted = {.graph = &k->rolled->graph, .body = k->rolled->body};
  const bool done = hoist(make, &hoisted) && kernel_unroll(k, &hoisted);
  kernel_hoisted_free(&hoisted, allocator);
  return done ? true : complain(make, 0);
}

static bool too_large(making *make, const kernel_tape *tape) {
  if (tape->slots <= KERNEL_SLOTS) return false;
  rule_complain(make->program, 'D', make->law->tree ? make->law->tree->span : (rule_span){0, 0, 0},
                "the law '%s' is too large: %u values at once, and at most %d can be held|make several laws of it",
                make->law->name, (unsigned)tape->slots, KERNEL_SLOTS);
  return true;
}

static bool make_tapes(making *make) {
  kernel *k = make->k;
  const clv_allocator *allocator = &make->program->arena.allocator;
  for (kernel_kind kind = KERNEL_ENERGY; kind <= KERNEL_FORCE_DVEL; kind++) {
    const kernel_body *body = &k->body[kind];
    const dag_op late = kind == KERNEL_FORCE_DVEL ? DAG_DVEL : DAG_DPOS;
    if (!kernel_tape_make(&k->tape[kind], &k->graph, body->roots, body->root_count, late, allocator))
      return complain(make, 0);
    if (too_large(make, &k->tape[kind])) return false;
  }
  const uint32_t count = k->hoist_count + k->hoist_q_count;
  dag_ref *roots = base_allocate(allocator, (count ? count : 1) * sizeof *roots);
  if (!roots) return complain(make, 0);
  memcpy(roots, k->hoist, k->hoist_count * sizeof *roots);
  memcpy(roots + k->hoist_count, k->hoist_q, k->hoist_q_count * sizeof *roots);
  const bool made = kernel_tape_make(&k->constants, &k->graph, roots, count, DAG_QUAD, allocator);
  base_free(allocator, roots, (count ? count : 1) * sizeof *roots);
  return made ? !too_large(make, &k->constants) : complain(make, 0);
}

static void describe(making *make) {
  kernel *k = make->k;
  const law *l = make->law;
  bool pushes = false;
  for (uint32_t e = 0; l->force && e < make->axes; e++) pushes = pushes || l->force[e];
  const bool central = (l->psd == LAW_PSD_CLAMP || l->psd == LAW_PSD_ABS) && !k->clamps;
  k->symmetric = !pushes && (!l->dissipation || central);
  k->damping_symmetric = !pushes;
  const kernel_tape *along = &k->tape[KERNEL_FORCE_DPOS];
  bool rotates = false;
  for (uint32_t s = 0; s < along->step_count; s++) rotates = rotates || along->steps[s].op == DAG_ROTATION;
  k->keeps = k->clamps || (rotates && k->symmetric);
  for (uint32_t e = 0; e < make->axes; e++)
    if (dag_depends(&k->graph, k->body[KERNEL_FORCE].roots[e]) & 1u << DAG_VEL) k->has_velocity = true;
}

kernel *kernel_make(clv_program *program, const law *l) {
  const clv_allocator *allocator = &program->arena.allocator;
  making *make = base_allocate(allocator, sizeof *make);
  kernel *k = base_allocate(allocator, sizeof *k);
  if (!make || !k) {
    program->no_memory = true;
    base_free(allocator, make, sizeof *make);
    base_free(allocator, k, sizeof *k);
    return NULL;
  }
  *make = (making){.program = program, .law = l, .k = k, .axes = 3 * l->particles.count};
  const bool by_point = l->quadrature && !l->unrolled;
  *k = (kernel){.law = l,
                .particles = l->particles.count,
                .quadrature = by_point ? l->quadrature : 1,
                .clamps = l->psd == LAW_PSD_CLAMP || l->psd == LAW_PSD_ABS};
  dag_init(&make->graph, allocator);
  dag_init(&k->graph, allocator);
  bool made = make->axes <= KERNEL_AXES;
  if (!made)
    rule_complain(program, 'D', l->tree ? l->tree->span : (rule_span){0, 0, 0},
                  "the law '%s' acts on %u vertices, and at most %d can be|make several laws of it", l->name,
                  (unsigned)k->particles, LAW_PARTICLES);
  made = made && copy_law(make) && check_inputs(make) && derive_forces(make) && derive_tangents(make) &&
         (l->rolled ? place_rolled(make) : place(make)) && make_tapes(make);
  if (made) describe(make);
  if (made && !(dag_settle(&k->graph) && (!k->rolled || dag_settle(&k->rolled->graph)))) {
    program->no_memory = true;
    made = false;
  }
  dag_free(&make->graph);
  base_free(allocator, make, sizeof *make);
  if (made) return k;
  kernel_destroy(k, allocator);
  return NULL;
}

static void free_refs(const clv_allocator *allocator, dag_ref *refs, uint32_t count) {
  base_free(allocator, refs, (count ? count : 1) * sizeof *refs);
}

void kernel_bodies_free(kernel_body *body, const clv_allocator *allocator) {
  for (kernel_kind kind = KERNEL_ENERGY; kind <= KERNEL_FORCE_DVEL; kind++)
    free_refs(allocator, body[kind].roots, body[kind].root_count);
}

void kernel_destroy(kernel *k, const clv_allocator *allocator) {
  if (!k) return;
  kernel_bodies_free(k->body, allocator);
  kernel_rolled_free(k->rolled, allocator);
  for (kernel_kind kind = KERNEL_ENERGY; kind <= KERNEL_FORCE_DVEL; kind++) kernel_tape_free(&k->tape[kind], allocator);
  kernel_tape_free(&k->constants, allocator);
  free_refs(allocator, k->hoist, k->hoist_count);
  free_refs(allocator, k->hoist_q, k->hoist_q_count);
  dag_free(&k->graph);
  base_free(allocator, k, sizeof *k);
}
