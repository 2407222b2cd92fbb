// A force, update or derived quantity in words: where it has rows, what a row reads and keeps, and how much work it is.

#include "rule/explain.h"
#include "rule/kernel.h"

#include <stdio.h>

// Darts, from the variable that the law stands on: e@0@1

static const char *variable_of(const law *l) {
  const rule_tree *place = l->tree->kind == RULE_DERIVE && rule_there(l->tree->child[2]) ? l->tree->child[2]
                           : l->tree->kind == RULE_DERIVE                                ? l->tree->child[1]
                                                                                         : l->tree->child[0];
  return place->name ? place->name : "x";
}

static void put_dart(rule_text *out, const law *l, uint32_t path, bool in_sum) {
  rule_text_print(out, "%.40s", in_sum ? "(each)" : variable_of(l));
  const law_path *way = &l->paths.data[path];
  for (uint32_t k = 0; k < way->length; k++) rule_text_print(out, "@%u", (unsigned)way->letter[k]);
}

static void put_label(rule_text *out, const char *label) {
  rule_text_print(out, "    %-13s", label);
}

static void put_shape(rule_text *out, const law *l) {
  if (l->shape.kind != CLV_NONE) {
    const bool skin = l->shape.dimension == 3 && clv_kind_dimension(l->shape.kind) == 2;
    rule_text_print(out, "  on each %s%s", clv_kind_name(l->shape.kind), skin ? " that is a face" : "");
  } else {
    rule_text_print(out, "  on each ");
    explain_orbit(out, l->shape.orbit);
  }
}

// What a row has

static void put_particles(rule_text *out, const law *l) {
  if (!l->particles.count) return;
  put_label(out, "particles");
  rule_text_print(out, "%u:", (unsigned)l->particles.count);
  if (l->quadrature && (int)l->particles.count == clv_kind_corners(l->shape.kind)) {
    rule_text_print(out, " the corners\n");
    return;
  }
  for (uint32_t k = 0; k < l->particles.count; k++) {
    rule_text_print(out, k ? ", " : " ");
    put_dart(out, l, l->particles.data[k], false);
  }
  rule_text_print(out, "\n");
}

// Components of one column at one dart are one thing.
static bool begins_read(const law *l, uint32_t k) {
  const law_read *read = &l->reads.data[k];
  for (uint32_t before = 0; before < k; before++) {
    const law_read *other = &l->reads.data[before];
    if (other->column == read->column && other->path == read->path && other->in_sum == read->in_sum) return false;
  }
  return true;
}

static void put_reads(rule_text *out, const law *l) {
  if (!l->reads.count) return;
  put_label(out, "reads");
  for (uint32_t k = 0; k < l->reads.count; k++) {
    if (!begins_read(l, k)) continue;
    if (k) rule_text_print(out, ", ");
    put_dart(out, l, l->reads.data[k].path, l->reads.data[k].in_sum);
    rule_text_print(out, ".%.60s", l->reads.data[k].column->name);
  }
  rule_text_print(out, "\n");
}

static void put_guards(rule_text *out, const law *l) {
  if (!l->guards.count) return;
  put_label(out, "only where");
  for (uint32_t k = 0; k < l->guards.count; k++) {
    const law_guard *guard = &l->guards.data[k];
    if (k) rule_text_print(out, ", ");
    if (guard->test == LAW_CONDITION) {
      rule_text_print(out, "its condition holds");
      continue;
    }
    put_dart(out, l, guard->path, false);
    switch (guard->test) {
    case LAW_FREE:
      rule_text_print(out, " is %u-free", (unsigned)guard->dimension);
      break;
    case LAW_NOT_FREE:
      rule_text_print(out, " is not %u-free", (unsigned)guard->dimension);
      break;
    case LAW_SIDE:
    case LAW_NOT_SIDE:
      rule_text_print(out, " lies on side %d", guard->test == LAW_SIDE);
      break;
    default:
      rule_text_print(out, " is of its kind");
      break;
    }
  }
  rule_text_print(out, "\n");
}

// How much work it is: the operations that roots need

static bool is_operation(const dag_node *node) {
  return node->op > DAG_SUM_INPUT && node->op != DAG_TUPLE && node->op != DAG_PART && node->op != DAG_HOLD;
}

static void mark_arguments(const dag *graph, dag_ref at, uint8_t *needed) {
  const dag_node *node = &graph->nodes.data[at];
  if (node->op == DAG_TUPLE) {
    for (uint32_t k = 0; k < node->count; k++) needed[graph->tuples.data[node->arg[0] + k]] = 1;
    return;
  }
  for (uint32_t k = 0; k < dag_arity((dag_op)node->op); k++) needed[node->arg[k]] = 1;
}

// Arguments come before what uses them: one walk back finds all.
static uint32_t count_operations(rule_text *out, const dag *graph, const dag_ref *roots, uint32_t count) {
  const uint32_t size = graph->nodes.count;
  uint8_t *needed = out->no_memory || !size ? NULL : base_allocate(&out->allocator, size);
  if (!needed) {
    out->no_memory = out->no_memory || size > 0;
    return 0;
  }
  uint32_t operations = 0;
  memset(needed, 0, size);
  for (uint32_t k = 0; k < count; k++) needed[roots[k]] = 1;
  for (uint32_t at = size; at-- > 1;) {
    if (!needed[at]) continue;
    operations += is_operation(&graph->nodes.data[at]);
    mark_arguments(graph, at, needed);
  }
  base_free(&out->allocator, needed, size);
  return operations;
}

static void put_kernels(rule_text *out, const kernel *k) {
  static const char *const names[] = {"energy", "force", "stiffness times vector", "damping times vector"};
  put_label(out, "operations");
  const char *separator = "";
  for (uint32_t kind = 0; kind <= KERNEL_FORCE_DVEL; kind++) {
    const kernel_body *body = &k->body[kind];
    const uint32_t operations = count_operations(out, &k->graph, body->roots, body->root_count);
    if (!operations) continue;
    rule_text_print(out, "%s%s %u", separator, names[kind], (unsigned)operations);
    separator = ", ";
  }
  rule_text_print(out, "%s%s\n", *separator ? "" : "none", k->quadrature > 1 ? "; for each point" : "");
}

static const char *psd_words(const law *l) {
  switch (l->psd) {
  case LAW_PSD_CLAMP:
    return "made positive: negative eigenvalues become 0";
  case LAW_PSD_ABS:
    return "made positive: eigenvalues lose their sign";
  case LAW_PSD_GAUSS_NEWTON:
    return "positive: Gauss-Newton's part of it";
  default:
    return "as it is derived, which may be indefinite";
  }
}

static void put_force(const law *l, const kernel *k, rule_text *out) {
  put_label(out, "unknowns");
  rule_text_print(out, "%u positions%s\n", (unsigned)(3 * k->particles),
                  k->has_velocity ? " and as many velocities" : "");
  if (l->quadrature) {
    put_label(out, "quadrature");
    rule_text_print(out, "%u %s\n", (unsigned)l->quadrature, l->quadrature == 1 ? "point" : "points");
  }
  put_label(out, "constants");
  rule_text_print(out, "%u a row", (unsigned)kernel_constants(k));
  if (k->hoist_q_count && k->quadrature > 1)
    rule_text_print(out, ": %u, and %u for each point", (unsigned)k->hoist_count, (unsigned)k->hoist_q_count);
  rule_text_print(out, "\n");
  put_kernels(out, k);
  put_label(out, "stiffness");
  rule_text_print(out, "%s\n", psd_words(l));
  put_label(out, "code");
  rule_text_print(out, "%s\n", k->compiled[KERNEL_FORCE] ? "compiled" : "interpreted until it is compiled");
}

static void put_assigns(const law *l, rule_text *out) {
  put_label(out, "gives");
  for (uint32_t k = 0; k < l->assigns.count; k++) {
    const law_assign *assign = &l->assigns.data[k];
    if (assign->component) continue;
    if (k) rule_text_print(out, ", ");
    put_dart(out, l, assign->path, false);
    rule_text_print(out, ".%.60s", assign->column->name);
  }
  rule_text_print(out, "\n");
  for (uint32_t k = 0; k < l->sums.count; k++) {
    put_label(out, l->sums.data[k].mean ? "mean over" : "sum over");
    rule_text_print(out, "the ");
    explain_orbit(out, l->sums.data[k].orbit);
    rule_text_print(out, " orbits within\n");
  }
  uint32_t all = 0;
  for (uint32_t k = 0; k < l->assigns.count; k++) all += count_operations(out, &l->graph, &l->assigns.data[k].value, 1);
  put_label(out, "operations");
  rule_text_print(out, "%u\n", (unsigned)all);
}

static void put_laws(const clv_program *program, const rule_tree *tree, uint32_t dimension, rule_text *out) {
  const rule_laws *all = &program->laws[dimension - 2];
  for (uint32_t k = 0; k < all->laws.count; k++) {
    const law *l = all->laws.data[k];
    if (l->tree != tree) continue;
    put_shape(out, l);
    rule_text_print(out, "\n");
    put_particles(out, l);
    put_guards(out, l);
    put_reads(out, l);
    if (all->kernels.data[k])
      put_force(l, all->kernels.data[k], out);
    else
      put_assigns(l, out);
  }
}

static void put_head(const clv_program *program, const rule_tree *tree, rule_text *out) {
  rule_text_print(out, "%s %.80s on ", rule_declaration_word(tree), tree->name);
  const rule_tree *place = tree->kind == RULE_DERIVE ? tree->child[1] : tree->child[0];
  rule_text_source(out, program, place->span, 120);
  if (tree->kind == RULE_DERIVE && rule_there(tree->child[2])) {
    rule_text_print(out, " in ");
    rule_text_source(out, program, tree->child[2]->span, 120);
  }
  for (uint32_t k = 0; tree->kind == RULE_FORCE && k < tree->child[1]->count; k++)
    rule_text_print(out, " %s", tree->child[1]->child[k]->name);
  rule_text_print(out, "\n");
}

static void put_dimension(rule_text *out, const char *dimension, const rule_text *laws) {
  if (!laws->bytes.count) return;
  rule_text_print(out, "\nin maps of dimension %s\n", dimension);
  rule_text_add(out, laws->bytes.data, laws->bytes.count);
}

// What is the same in 2D and 3D is said once.
void explain_law(const clv_program *program, const rule_tree *tree, rule_text *out) {
  rule_text flat = {.allocator = out->allocator}, solid = {.allocator = out->allocator};
  put_laws(program, tree, 2, &flat);
  put_laws(program, tree, 3, &solid);
  put_head(program, tree, out);
  const bool same = flat.bytes.count && flat.bytes.count == solid.bytes.count &&
                    memcmp(flat.bytes.data, solid.bytes.data, flat.bytes.count) == 0;
  if (!same) put_dimension(out, "2", &flat);
  put_dimension(out, same ? "2 and 3" : "3", &solid);
  out->no_memory = out->no_memory || flat.no_memory || solid.no_memory;
  rule_text_free(&flat);
  rule_text_free(&solid);
}
