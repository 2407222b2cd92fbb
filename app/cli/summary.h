// What `cleave info` knows of a file, gathered before a word is printed, and its two ways to say it. The text is for
// people and mentions what is worth it; the JSON is for programs and always has the same members.

#ifndef CLI_SUMMARY_H
#define CLI_SUMMARY_H

#include "body.h"
#include "measure.h"
#include "regions.h"

typedef struct cli_summary {
  const cli_body *body;
  int dimension;
  uint64_t element_kinds[CLV_KIND_COUNT]; // of the file
  clv_map_info map;
  cli_measures measures;
  cli_regions regions;
  size_t map_bytes, column_bytes;
} cli_summary;

clv_result cli_summary_gather(cli_summary *summary, const cli_body *body);
void cli_summary_free(cli_summary *summary);

void cli_summary_print_text(const cli_summary *summary);
void cli_summary_print_json(const cli_summary *summary);

#endif
