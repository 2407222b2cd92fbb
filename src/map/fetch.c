// What the next edit of a map will read and write wherever it is made: the map's notes, and where what comes is
// appended.

#include "base/hand.h"
#include "map/plan.h"

enum { CELLS = 8, EDGES = 32, RECORDS = 640 }; // what comes with a refined cell, and a little more

static void fetch_lineage(const map_lineage *l) {
  enum { CAME = 96, SOME = 64 };
  BASE_FETCH_SOME(l->came, 0, CAME);
  for (uint32_t k = 0; k < MAP_SORTS; k++) BASE_FETCH_SOME(l->newcomers[k], 0, SOME);
  BASE_FETCH_SOME(l->divisions, 0, 1);
  BASE_FETCH_SOME(l->lies, 0, SOME);
  BASE_FETCH_SOME(l->grown, 0, SOME);
  BASE_FETCH_SOME(l->kept, 0, SOME);
}

static void fetch_scratch(const map_scratch *s, bool growth) {
  enum { EVENTS = 96, SOME = 64 };
  base_fetch(s, sizeof *s);
  BASE_FETCH_SOME(s->events, 0, EVENTS);
  BASE_FETCH_SOME(s->places, 0, EVENTS);
  BASE_FETCH_SOME(s->stars, 0, EVENTS);
  BASE_FETCH_SOME(s->removed, 0, 1);
  if (!growth) return;
  fetch_lineage(&s->lineage);
  for (uint32_t k = 0; k < 2; k++) {
    BASE_FETCH_SOME(s->found[k], 0, SOME);
    BASE_FETCH_SOME(s->joined[k], 0, SOME);
  }
  BASE_FETCH_SOME(s->sources, 0, CELLS * CLV_TEMPLATE_DARTS);
  BASE_FETCH_SOME(s->lost, 0, SOME);
  BASE_FETCH_SOME(s->round, 0, SOME);
}

static void fetch_ends_of_records(const map *m) {
  const map_records *r = &m->records;
  const size_t end = r->count;
  BASE_FETCH_SOME(r->alpha, 4 * end, 4 * RECORDS);
  BASE_FETCH_SOME(r->cell, end, RECORDS);
  BASE_FETCH_SOME(r->name, end, RECORDS);
  BASE_FETCH_SOME(r->level, end, RECORDS);
  BASE_FETCH_SOME(m->scratch->lineage.number, end, RECORDS);
  BASE_FETCH_SOME(m->scratch->marks, end, RECORDS);
  for (uint32_t k = 0; k < m->numbered_count; k++) BASE_FETCH_SOME(m->numbered[k]->record_ids, end, RECORDS);
}

static void fetch_ends_of_rows(const map *m, uint32_t kind) {
  const map_rows *rows = &m->rows[kind];
  const size_t end = rows->count;
  BASE_FETCH_SOME(rows->data, end * rows->words, CELLS * rows->words);
  BASE_FETCH_SOME(rows->state, end, CELLS);
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const map_index *index = m->numbered[k];
    const size_t width = clv_templates[kind].sub[index->inner].count;
    if (index->crossing) BASE_FETCH_SOME(index->ids[kind], end * width, CELLS * width);
  }
}

void map_fetch(const map *m, bool growth) {
  enum { LOG = 1200, SHORT_LOG = 32 };
  base_fetch(m, sizeof *m);
  BASE_FETCH_SOME(m->log, 0, growth ? LOG : SHORT_LOG);
  BASE_FETCH_SOME(m->pages, 0, m->pages.count);
  fetch_scratch(m->scratch, growth);
  for (uint32_t k = 0; k < m->numbered_count; k++) {
    const map_index *index = m->numbered[k];
    base_fetch(index, sizeof *index);
    BASE_FETCH_SOME(index->generation, index->count, EDGES);
    BASE_FETCH_SOME(index->dart, index->count, EDGES);
  }
  if (m->embedding.self) m->embedding.fetch(m->embedding.self, growth);
  if (!growth) return;
  fetch_ends_of_records(m);
  for (uint32_t kind = CLV_TEMPLATE_FIRST; kind < MAP_TEMPLATES; kind++) {
    if (!m->rows[kind].alive) continue;
    fetch_ends_of_rows(m, kind);
    base_fetch(&clv_templates[kind], sizeof *clv_templates);
    base_fetch(map_template_links[kind], sizeof *map_template_links);
    base_fetch(map_refinement_of(kind, 0), sizeof *map_refinements);
  }
}
