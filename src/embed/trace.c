// Following orbits through the log; trace.h tells the idea.

#include "embed/trace.h"

void embed_trace_free(embed_trace *t, const map *m) {
  BASE_RELEASE(&m->allocator, &t->entries);
  BASE_RELEASE(&m->allocator, &t->latest);
  BASE_RELEASE(&m->allocator, &t->reached);
  BASE_RELEASE(&m->allocator, &t->waiting);
  BASE_RELEASE(&m->allocator, &t->table);
}

// The log, by dart

static uint32_t *latest_slot(const embed_trace *t, clv_dart dart) {
  uint32_t at = map_hash(dart) & (t->latest.count - 1);
  while (t->latest.data[at] && t->entries.data[t->latest.data[at] - 1].dart != dart)
    at = (at + 1) & (t->latest.count - 1);
  return &t->latest.data[at];
}

// The last entry that tells of a dart, counted from 1.
static uint32_t latest(const embed_trace *t, clv_dart dart) {
  return t->latest.count && dart ? *latest_slot(t, dart) : 0;
}

static bool widen_latest(embed_trace *t, const map *m) {
  const uint32_t size = t->latest.count ? 2 * t->latest.count : 1024;
  if (!BASE_RESERVE(&m->allocator, &t->latest, size)) return false;
  memset(t->latest.data, 0, size * sizeof *t->latest.data);
  t->latest.count = size;
  for (uint32_t k = 0; k < t->entries.count; k++) *latest_slot(t, t->entries.data[k].dart) = k + 1;
  return true;
}

static bool list_entry(embed_trace *t, const map *m, clv_dart dart, uint32_t entry) {
  if (!dart) return true;
  if (2 * t->darts >= t->latest.count && !widen_latest(t, m)) return false;
  if (!BASE_RESERVE(&m->allocator, &t->entries, (uint64_t)t->entries.count + 1)) return false;
  uint32_t *slot = latest_slot(t, dart);
  t->darts += !*slot;
  t->entries.data[t->entries.count++] = (embed_entry){dart, entry, *slot};
  *slot = t->entries.count;
  return true;
}

static void begin_anew(embed_trace *t, const map *m) {
  t->entries.count = t->latest.count = t->darts = t->log = 0;
  t->m = m;
  t->undone = m->undone;
  t->revision = m->revision;
}

// Brings the table up to the end of the log.
static bool list_entries(embed_trace *t, const map *m) {
  if (t->m != m || t->revision != m->revision || t->undone != m->undone || t->log > m->log.count) begin_anew(t, m);
  for (; t->log < m->log.count; t->log++) {
    const map_write w = m->log.data[t->log];
    const bool links = w.op == MAP_ALPHA || w.op == MAP_LINK, inherits = w.op == MAP_INHERIT;
    const bool listed = (!(links || inherits) || list_entry(t, m, w.dart, t->log)) &&
                        (!inherits || (list_entry(t, m, w.before, t->log) && list_entry(t, m, w.after, t->log)));
    if (listed) continue;
    t->m = NULL;
    return false;
  }
  return true;
}

// Links as they were. Those of a facet of a plain cell are all told at its first dart.

static clv_dart facet_first(const map *m, clv_dart dart) {
  const clv_page page = map_page(m, dart);
  if (!map_is_template(page.kind)) return CLV_NO_DART;
  const clv_template *shape = &clv_templates[page.kind];
  return (dart & ~63u) | shape->facet_first[shape->facet[dart & 63u]];
}

static bool tells_link(map_write w, clv_dart dart, uint32_t i) {
  return w.op == MAP_ALPHA && w.dart == dart && w.i == i;
}

static clv_dart link_at(const embed_trace *t, clv_dart dart, uint32_t i, uint32_t moment);

// What a dart of a plain cell faces, where the first of its facet faces `link`.
static clv_dart facing(const embed_trace *t, clv_dart dart, clv_dart link, uint32_t moment) {
  const uint32_t steps = clv_templates[map_page(t->m, dart).kind].position[dart & 63u];
  if (!link) return dart;
  for (uint32_t k = 0; k < steps; k++) link = link_at(t, link, k & 1u, moment);
  return link;
}

// The first entry from a moment on that tells of a link; the length of the log when there is none.
static uint32_t next_write(const embed_trace *t, clv_dart dart, uint32_t i, uint32_t moment) {
  const map_write *log = t->m->log.data;
  uint32_t found = t->m->log.count;
  for (uint32_t k = latest(t, dart); k && t->entries.data[k - 1].entry >= moment; k = t->entries.data[k - 1].earlier)
    if (tells_link(log[t->entries.data[k - 1].entry], dart, i)) found = t->entries.data[k - 1].entry;
  const clv_dart first = i == t->m->view.dimension ? facet_first(t->m, dart) : CLV_NO_DART;
  for (uint32_t k = latest(t, first); k && t->entries.data[k - 1].entry >= moment; k = t->entries.data[k - 1].earlier) {
    const uint32_t entry = t->entries.data[k - 1].entry;
    if (entry < found && log[entry].op == MAP_LINK) found = entry;
  }
  return found;
}

static clv_dart link_at(const embed_trace *t, clv_dart dart, uint32_t i, uint32_t moment) {
  const map *m = t->m;
  const uint32_t entry = next_write(t, dart, i, moment);
  if (entry < m->log.count) {
    const map_write w = m->log.data[entry];
    return w.op == MAP_ALPHA ? w.before : facing(t, dart, w.before, moment);
  }
  if (i < m->view.dimension || !map_dart_plain(m, dart)) return clv_alpha(&m->view, dart, i);
  // A cell that is gone faces what it did, which may have changed inside since.
  const clv_dart first = facet_first(m, dart);
  return first == dart ? clv_alpha(&m->view, dart, i) : facing(t, dart, link_at(t, first, i, moment), moment);
}

// Searching

static bool make_table(embed_trace *t) {
  const uint32_t size = t->table.count ? 2 * t->table.count : 512;
  if (!BASE_RESERVE(&t->m->allocator, &t->table, size)) return false;
  memset(t->table.data, 0, size * sizeof *t->table.data);
  t->table.count = size;
  for (uint32_t k = 0; k < t->reached.count; k++) {
    uint32_t at = map_hash(t->reached.data[k].dart) & (size - 1);
    while (t->table.data[at]) at = (at + 1) & (size - 1);
    t->table.data[at] = k + 1;
  }
  return true;
}

// The number of a dart among those reached; a new one gets there.
static bool find_reached(embed_trace *t, embed_moment to, uint32_t *number, bool *is_new) {
  const clv_allocator *a = &t->m->allocator;
  if (2 * t->reached.count >= t->table.count && !make_table(t)) return false;
  uint32_t at = map_hash(to.dart) & (t->table.count - 1);
  for (; t->table.data[at]; at = (at + 1) & (t->table.count - 1)) {
    *number = t->table.data[at] - 1;
    *is_new = false;
    if (t->reached.data[*number].dart == to.dart) return true;
  }
  if (!BASE_RESERVE(a, &t->reached, (uint64_t)t->reached.count + 1)) return false;
  *number = t->reached.count;
  *is_new = true;
  t->reached.data[t->reached.count++] = to;
  t->table.data[at] = t->reached.count;
  return true;
}

static bool wait(embed_trace *t, uint32_t number) {
  if (!BASE_RESERVE(&t->m->allocator, &t->waiting, (uint64_t)t->waiting.count + 1)) return false;
  t->waiting.data[t->waiting.count++] = number;
  return true;
}

// Which way a search goes: whether one moment is better than another to reach a dart at, and what follows a dart.
typedef struct search {
  embed_trace *t;
  uint32_t dims;
  bool (*better)(uint32_t moment, uint32_t than);
  bool (*follow)(struct search *s, embed_moment from, map_write w, uint32_t entry);
} search;

static bool reach(const search *s, embed_moment to) {
  uint32_t number;
  bool is_new;
  if (!find_reached(s->t, to, &number, &is_new)) return false;
  embed_moment *known = &s->t->reached.data[number];
  if (!is_new && !s->better(to.moment, known->moment)) return true;
  known->moment = to.moment;
  return wait(s->t, number);
}

// Every entry that tells of the dart, or of its facet, and every link at the moment.
static bool leave(search *s, embed_moment from) {
  const embed_trace *t = s->t;
  const map *m = t->m;
  bool done = true;
  for (uint32_t i = 0; done && i <= m->view.dimension; i++)
    if (s->dims >> i & 1u) done = reach(s, (embed_moment){link_at(t, from.dart, i, from.moment), from.moment});
  const clv_dart first = facet_first(m, from.dart), tellers[2] = {from.dart, first == from.dart ? CLV_NO_DART : first};
  for (uint32_t n = 0; n < 2; n++)
    for (uint32_t k = latest(t, tellers[n]); done && k; k = t->entries.data[k - 1].earlier)
      done = s->follow(s, from, m->log.data[t->entries.data[k - 1].entry], t->entries.data[k - 1].entry);
  return done;
}

static bool run(search *s, embed_moment from) {
  embed_trace *t = s->t;
  t->reached.count = t->waiting.count = t->table.count = 0;
  bool done = reach(s, from);
  for (uint32_t k = 0; done && k < t->waiting.count; k++) done = leave(s, t->reached.data[t->waiting.data[k]]);
  return done;
}

// Whether an entry tells of a link of the orbit at a dart.
static bool concerns(const search *s, map_write w, clv_dart dart) {
  const uint32_t n = s->t->m->view.dimension;
  return w.op == MAP_LINK ? (s->dims >> n & 1u) && facet_first(s->t->m, dart) == w.dart
                          : w.op == MAP_ALPHA && w.dart == dart && (s->dims >> w.i & 1u);
}

// What a dart of an added cell came of: the one in its place, which lay on what it lies on; or another, where there was
// none. What they lie apart in is told of the cell as the transaction found it, so the first is asked first.
static clv_dart place_before(map_write w) {
  return w.after ? w.after : w.before;
}

static bool is_heir(const search *s, map_write w) {
  return w.after || (s->dims & w.i) == w.i;
}

static bool is_earlier(uint32_t moment, uint32_t than) {
  return moment < than;
}

static bool is_later(uint32_t moment, uint32_t than) {
  return moment > than;
}

// Links are written at one end after the other. Until the second is, the other dart still lies where it lay before,
// which is no place to go on from.
static uint32_t joined_by(const embed_trace *t, map_write w, uint32_t entry) {
  const uint32_t other = next_write(t, w.after, w.i, entry + 1);
  if (other == t->m->log.count) return entry + 1;
  const map_write back = t->m->log.data[other];
  return back.op == MAP_ALPHA && back.after == w.dart && back.before != w.dart ? other + 1 : entry + 1;
}

static bool follow_onward(search *s, embed_moment from, map_write w, uint32_t entry) {
  if (entry < from.moment) return true;
  if (concerns(s, w, from.dart)) {
    const bool alpha = w.op == MAP_ALPHA;
    const clv_dart to = alpha ? w.after : facing(s->t, from.dart, w.after, entry + 1);
    return reach(s, (embed_moment){to, alpha ? joined_by(s->t, w, entry) : entry + 1});
  }
  const bool heir = w.op == MAP_INHERIT && is_heir(s, w) && place_before(w) == from.dart;
  return !heir || reach(s, (embed_moment){w.dart, entry + 1});
}

static bool follow_back(search *s, embed_moment from, map_write w, uint32_t entry) {
  if (entry >= from.moment) return true;
  if (concerns(s, w, from.dart)) {
    const clv_dart to = w.op == MAP_ALPHA ? w.before : facing(s->t, from.dart, w.before, entry);
    return reach(s, (embed_moment){to, entry});
  }
  const bool heir = w.op == MAP_INHERIT && is_heir(s, w) && w.dart == from.dart;
  return !heir || reach(s, (embed_moment){place_before(w), entry});
}

bool embed_trace_onward(embed_trace *t, const map *m, uint32_t dims, embed_moment from) {
  search s = {t, dims, is_earlier, follow_onward};
  return list_entries(t, m) && run(&s, from);
}

bool embed_trace_back(embed_trace *t, const map *m, uint32_t dims, embed_moment from) {
  search s = {t, dims, is_later, follow_back};
  return list_entries(t, m) && run(&s, from);
}

// Whether anything is loose

bool embed_is_added(const map *m, clv_dart dart) {
  return map_page(m, dart).kind == MAP_KIND_DARTS ? map_is_born(m, dart) : map_is_fresh(m, dart >> 6);
}

uint32_t embed_loosened(const map *m) {
  const uint32_t n = m->view.dimension;
  uint32_t dims = 0;
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    const bool gone = w.op == MAP_DART_DROP || w.op == MAP_CELL_DROP;
    const bool parts = (w.op == MAP_ALPHA && w.before != w.dart) || (w.op == MAP_LINK && w.before);
    if ((gone || parts) && embed_is_added(m, w.dart)) dims |= gone ? UINT32_MAX : 1u << (w.op == MAP_LINK ? n : w.i);
  }
  return dims;
}

void embed_find_passages(const map *m, embed_passage passages[4]) {
  const uint32_t n = m->view.dimension;
  for (uint32_t i = 0; i < 4; i++) passages[i] = (embed_passage){UINT32_MAX, 0};
  for (uint32_t k = 0; k < m->log.count; k++) {
    const map_write w = m->log.data[k];
    const clv_dart nobody = w.op == MAP_LINK ? CLV_NO_DART : w.dart;
    const bool link = w.op == MAP_ALPHA || w.op == MAP_LINK;
    for (uint32_t i = 0; i <= n; i++) {
      const bool told = link && i == (w.op == MAP_LINK ? n : w.i);
      if ((w.op == MAP_INHERIT || (told && w.after != nobody)) && k < passages[i].joined) passages[i].joined = k;
      if (told && w.before != nobody) passages[i].parted = k;
    }
  }
}
