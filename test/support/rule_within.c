#include "rule/apply.h"
#include "support/rule_cases.h"

clv_result rule_apply_within(const clv_rule *rule, clv_map *view, const clv_dart *darts, uint32_t count) {
  apply_run run = {
      .program = rule->program, .m = map_of(view), .name = clv_rule_name(rule), .result = CLV_OK, .budget = 1 << 24};
  apply_datum values[RULE_PARAMETERS];
  for (uint32_t k = 0; k < count; k++) values[k] = (apply_datum){.type = APPLY_DART, .dart = darts[k]};
  const bool done = apply_rule(&run, rule->graph, values, count, NULL, NULL);
  apply_run_free(&run);
  return done ? CLV_OK : run.result;
}
