#include "view/column.h"

#include "embed/embed.h"
#include "rule/law.h"

bool view_column_is_whole(const rule_tree *tree) {
  const char *type = tree->child[0]->name;
  return !strcmp(type, "int") || !strcmp(type, "bool");
}

static void read_policies(const rule_tree *policies, clv_column_def *def) {
  for (uint32_t k = 0; rule_there(policies) && k < policies->count; k++) {
    const char *name = policies->child[k]->name;
    if (!strcmp(name, "blend")) {
      def->create = CLV_CREATE_MEAN;
      def->merge = CLV_MERGE_MEAN;
    }
  }
  for (uint32_t k = 0; rule_there(policies) && k < policies->count; k++) {
    const char *name = policies->child[k]->name;
    if (!strcmp(name, "merge_sum")) def->merge = CLV_MERGE_SUM;
    if (!strcmp(name, "merge_mean")) def->merge = CLV_MERGE_MEAN;
    if (!strcmp(name, "merge_keep")) def->merge = CLV_MERGE_KEEP;
    if (!strcmp(name, "merge_error")) def->merge = CLV_MERGE_ERROR;
    if (!strcmp(name, "split_share")) def->split = CLV_SPLIT_SHARE;
  }
}

clv_result view_column_create(clv_map *view, const clv_program *program, const double *params, const rule_tree *tree,
                              clv_error *error) {
  const uint32_t components = law_components(tree->child[0]);
  const bool whole = view_column_is_whole(tree);
  double initial[9] = {0};
  int32_t numbers[9] = {0};
  if (tree->kind == RULE_EMBED && !law_initial(program, tree, params, initial))
    return clv_error_set(error, CLV_ERROR_MEMORY, "out of memory while column '%s' is made", tree->name);
  for (uint32_t k = 0; k < components; k++) numbers[k] = embed_whole(initial[k]);
  clv_column_def def = {.name = tree->name,
                        .orbit = law_column_orbit(tree, view->dimension),
                        .type = whole ? CLV_INT32 : CLV_DOUBLE,
                        .components = components,
                        .initial = whole ? (const void *)numbers : initial};
  if (tree->kind == RULE_EMBED) read_policies(tree->child[3], &def);
  const clv_result result = clv_column_create(view, &def, NULL);
  return result == CLV_OK ? CLV_OK : clv_error_set(error, result, "%s", clv_map_error(view));
}
