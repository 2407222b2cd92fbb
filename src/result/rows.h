// What stands in the rows of energies.csv and probes.csv: what probes see, and what scalpels feel.

#ifndef RESULT_ROWS_H
#define RESULT_ROWS_H

#include "cleave/result.h"
#include "result/text.h"

void result_energies_names(result_text *row);
clv_result result_energies_row(result_text *row, const clv_world *world, clv_error *error);

// A probe and the particles it watches, found again when the map has changed.
typedef struct result_probe {
  char *name;
  uint32_t body;
  clv_zone zone;
  uint64_t revision;
  BASE_ARRAY(uint32_t) slots;
} result_probe;

typedef struct result_probes {
  const clv_allocator *allocator;
  BASE_ARRAY(result_probe) list;
  BASE_ARRAY(double) forces; // three numbers a slot, of one body
  uint32_t scalpels;         // of the timetable, when the run began
} result_probes;

// Whether there is anything to write.
static inline bool result_probes_any(const result_probes *probes) {
  return probes->list.count || probes->scalpels;
}

// Copies probes and finds their particles: a probe without any is refused.
clv_result result_probes_init(result_probes *probes, const clv_world *world, const clv_probe *list, uint32_t count,
                              const clv_allocator *allocator, clv_error *error);
void result_probes_free(result_probes *probes);
void result_probes_names(const result_probes *probes, result_text *row);
clv_result result_probes_row(result_probes *probes, result_text *row, const clv_world *world, clv_error *error);

#endif
