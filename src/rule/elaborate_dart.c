// Darts as words, and the orbits they name.

#include "rule/elaborate.h"

static bool commute(uint32_t a, uint32_t b) {
  return a > b + 1 || b > a + 1;
}

static void remove_letter(law_dart *dart, uint32_t at) {
  for (uint32_t k = at; k + 1 < dart->length; k++) dart->letter[k] = dart->letter[k + 1];
  dart->letter[--dart->length] = 0;
}

law_dart law_dart_of(const law_maker *m, uint32_t local) {
  law_dart dart = m->base;
  dart.local = m->turn[local];
  return dart;
}

// A letter cancels its like, passes those it commutes with, and is taken up by the template when it reaches it.
bool law_dart_move(const law_maker *m, law_dart *dart, uint32_t letter) {
  uint32_t at = dart->length;
  for (; at > 0 && dart->letter[at - 1] != letter; at--)
    if (!commute(letter, dart->letter[at - 1])) break;
  if (at > 0 && dart->letter[at - 1] == letter) {
    remove_letter(dart, at - 1);
    return true;
  }
  if (at == 0 && m->shape && dart->origin == 0 && m->inner >> letter & 1) {
    dart->local = m->shape->alpha[letter][dart->local];
    return true;
  }
  if (dart->length == LAW_PATH) return false;
  dart->letter[dart->length++] = (uint8_t)letter;
  return true;
}

// Sorts the letters as far as they commute, so that equal words are equal letter by letter.
static void sort_letters(law_dart *dart) {
  for (uint32_t done = 0; done < dart->length; done++) {
    uint32_t best = done;
    for (uint32_t k = done + 1; k < dart->length; k++) {
      bool passes = dart->letter[k] < dart->letter[best];
      for (uint32_t j = done; j < k && passes; j++) passes = commute(dart->letter[k], dart->letter[j]);
      if (passes) best = k;
    }
    const uint8_t letter = dart->letter[best];
    for (uint32_t k = best; k > done; k--) dart->letter[k] = dart->letter[k - 1];
    dart->letter[done] = letter;
  }
}

static bool can_be_last(const law_dart *dart, uint32_t at) {
  for (uint32_t k = at + 1; k < dart->length; k++)
    if (!commute(dart->letter[at], dart->letter[k])) return false;
  return true;
}

law_dart law_dart_key(const law_maker *m, law_dart dart, uint32_t dims) {
  for (uint32_t k = dart.length; k > 0;) {
    k--;
    if (!(dims >> dart.letter[k] & 1) || !can_be_last(&dart, k)) continue;
    remove_letter(&dart, k);
    k = dart.length;
  }
  sort_letters(&dart);
  if (m->shape && dart.origin == 0) {
    uint32_t passing = dims & m->inner;
    for (uint32_t i = 0; i < 3; i++)
      for (uint32_t k = 0; k < dart.length; k++)
        if (!commute(i, dart.letter[k])) passing &= ~(1u << i);
    const clv_suborbits *sub = &m->shape->sub[passing];
    dart.local = sub->first[sub->of[dart.local]];
  }
  return dart;
}

bool law_dart_equal(const law_dart *a, const law_dart *b) {
  return a->origin == b->origin && a->local == b->local && a->length == b->length &&
         memcmp(a->letter, b->letter, a->length) == 0;
}

// The letters that lead from dart 0 of a template to `local`, the shortest.
static uint32_t word_to(const clv_template *shape, uint32_t inner, uint32_t local, uint8_t *word) {
  uint8_t queue[CLV_TEMPLATE_DARTS], from[CLV_TEMPLATE_DARTS], by[CLV_TEMPLATE_DARTS];
  bool seen[CLV_TEMPLATE_DARTS] = {true};
  uint32_t end = 1;
  queue[0] = 0;
  for (uint32_t at = 0; at < end; at++)
    for (uint32_t i = 0; i < 3; i++) {
      if (!(inner >> i & 1)) continue;
      const uint8_t next = shape->alpha[i][queue[at]];
      if (seen[next]) continue;
      seen[next] = true;
      from[next] = queue[at];
      by[next] = (uint8_t)i;
      queue[end++] = next;
    }
  uint8_t back[CLV_TEMPLATE_DARTS];
  uint32_t length = 0;
  for (uint32_t d = local; d != 0; d = from[d]) back[length++] = by[d];
  for (uint32_t k = 0; k < length; k++) word[k] = back[length - 1 - k];
  return length;
}

uint32_t law_dart_parity(const law_maker *m, const law_dart *dart) {
  uint8_t word[CLV_TEMPLATE_DARTS];
  const uint32_t inside = m->shape ? word_to(m->shape, m->inner, dart->local, word) : 0;
  return (inside + dart->length) & 1u;
}

uint32_t law_path_to(law_maker *m, law_dart dart) {
  law *l = m->law;
  sort_letters(&dart);
  for (uint32_t k = 0; k < m->path_keys.count; k++)
    if (law_dart_equal(&dart, &m->path_keys.data[k])) return k;
  uint8_t word[CLV_TEMPLATE_DARTS + LAW_PATH];
  uint32_t length = m->shape && dart.origin == 0 ? word_to(m->shape, m->inner, dart.local, word) : 0;
  memcpy(word + length, dart.letter, dart.length);
  length += dart.length;
  const clv_allocator *memory = &m->graph->allocator;
  if (length > LAW_PATH || l->paths.count >= UINT16_MAX) {
    LAW_COMPLAIN(m, 'P', m->graph->span, "this path is too long|a path has at most %d steps", LAW_PATH);
    return 0;
  }
  if (!BASE_RESERVE(memory, &l->paths, l->paths.count + 1u) ||
      !BASE_RESERVE(memory, &m->path_keys, l->paths.count + 1u)) {
    m->program->no_memory = m->failed = true;
    return 0;
  }
  law_path path = {.length = (uint8_t)length};
  memcpy(path.letter, word, length);
  l->paths.data[l->paths.count++] = path;
  m->path_keys.data[m->path_keys.count++] = dart;
  return l->paths.count - 1;
}

// Whether ai is free is the same for all darts that i and the letters that commute with it reach.
static law_dart free_key(const law_maker *m, const law_dart *dart, uint32_t i) {
  uint32_t dims = 1u << i;
  for (uint32_t j = 0; j <= m->dimension; j++)
    if (commute(i, j)) dims |= 1u << j;
  return law_dart_key(m, *dart, dims);
}

static const law_known *find_known(const law_maker *m, const law_dart *dart, uint32_t i) {
  const law_dart key = free_key(m, dart, i);
  for (uint32_t k = 0; k < m->known_count; k++)
    if (m->known[k].dimension == i && law_dart_equal(&m->known[k].dart, &key)) return &m->known[k];
  return NULL;
}

law_value law_step(law_maker *m, const law_value *from, uint32_t letter, rule_span span) {
  law_value to = *from;
  to.variable = false;
  if (letter > m->dimension) { // a3, in 2D
    m->not_served = true;
    return (law_value){0};
  }
  if (!law_dart_move(m, &to.dart, letter)) {
    LAW_COMPLAIN(m, 'P', span, "this path is too long|a path has at most %d steps", LAW_PATH);
    return (law_value){0};
  }
  if (letter < m->dimension || to.dart.length < from->dart.length) return to;
  const law_known *known = find_known(m, &from->dart, letter);
  if (known && !known->free) return to;
  if (known)
    LAW_COMPLAIN(m, 'P', span, "a%u is free here, so this step leads nowhere|remove the step or its guard", letter);
  else
    LAW_COMPLAIN(m, 'P', span, "a%u may be free here|say 'where !free(d,%u);' for the dart d the step starts from",
                 letter, letter);
  return (law_value){0};
}

static void add_guard(law_maker *m, law_guard guard) {
  law *l = m->law;
  if (!BASE_RESERVE(&m->graph->allocator, &l->guards, l->guards.count + 1u)) {
    m->program->no_memory = m->failed = true;
    return;
  }
  l->guards.data[l->guards.count++] = guard;
}

void law_guard_value(law_maker *m, dag_ref value) {
  add_guard(m, (law_guard){.test = LAW_CONDITION, .value = value});
}

void law_guard_free(law_maker *m, const law_value *dart, uint32_t dimension, bool is_free, rule_span span) {
  if (dimension < 2 && is_free) {
    LAW_COMPLAIN(m, 'P', span, "a%u is never free in a cell|only a2 and a3 can be", dimension);
    return;
  }
  // A map of dimension 2 is one with a3 free everywhere, and inside a cell nothing is free.
  if (dimension > m->dimension || dimension < m->dimension) {
    const bool holds = is_free == (dimension > m->dimension);
    if (!holds) m->not_served = true;
    if (!holds || dimension > m->dimension || m->shape) return;
  }
  if (m->known_count == LAW_KNOWN) {
    LAW_COMPLAIN(m, 'F', span, "there are too many guards|a law has at most %d", LAW_KNOWN);
    return;
  }
  m->known[m->known_count++] = (law_known){free_key(m, &dart->dart, dimension), (uint8_t)dimension, is_free};
  add_guard(m, (law_guard){.test = is_free ? LAW_FREE : LAW_NOT_FREE,
                           .dimension = (uint8_t)dimension,
                           .path = (uint16_t)law_path_to(m, dart->dart)});
}

// Walks a word. 1: there; 0: over a boundary, where it leads nowhere; -1: it cannot be told, or is too long.
static int walk_word(const law_maker *m, law_dart *dart, const uint8_t *word, uint32_t length) {
  for (uint32_t k = 0; k < length; k++) {
    const law_dart from = *dart;
    if (!law_dart_move(m, dart, word[k])) return -1;
    if (word[k] < m->dimension) continue;
    const law_known *known = find_known(m, &from, word[k]);
    if (!known || known->free) return known ? 0 : -1;
  }
  return 1;
}

// In the order of the template's numbers, as seen from the base; the first dart of each.
static void sort_suborbits(const law_maker *m, uint32_t dims, law_dart *list, uint32_t count) {
  const clv_suborbits *sub = &m->shape->sub[dims & m->inner];
  for (uint32_t k = 0; k < count; k++) list[k].local = m->turn[sub->first[sub->of[m->unturn[list[k].local]]]];
  for (uint32_t k = 1; k < count; k++)
    for (uint32_t j = k; j > 0 && m->unturn[list[j].local] < m->unturn[list[j - 1].local]; j--) {
      const law_dart swap = list[j];
      list[j] = list[j - 1];
      list[j - 1] = swap;
    }
}

// Sub-orbits are cosets: all words of `within`, modulo letters of `dims` at their end. A letter put before the words of
// one coset gives one coset again, so it is enough to do that until there are no new ones.
uint32_t law_list_suborbits(law_maker *m, const law_dart *dart, uint32_t within, uint32_t dims, law_dart *list) {
  law_dart keys[LAW_COSETS];
  uint8_t words[LAW_COSETS][LAW_PATH] = {{0}}, lengths[LAW_COSETS] = {0};
  uint32_t count = 1;
  bool inside = m->shape && dart->origin == 0 && dart->length == 0;
  list[0] = *dart;
  keys[0] = law_dart_key(m, *dart, dims);
  for (uint32_t at = 0; at < count; at++)
    for (uint32_t i = 0; i <= m->dimension; i++) {
      if (!(within >> i & 1)) continue;
      uint8_t word[LAW_PATH + 1] = {(uint8_t)i};
      const uint32_t length = lengths[at] + 1u;
      memcpy(word + 1, words[at], lengths[at]);
      law_dart next = *dart, peek = *dart;
      bool seen = false;
      for (uint32_t k = 0; k < length; k++)
        if (!law_dart_move(m, &peek, word[k])) return 0;
      const law_dart key = law_dart_key(m, peek, dims);
      for (uint32_t k = 0; k < count && !seen; k++) seen = law_dart_equal(&keys[k], &key);
      if (seen) continue;
      const int there = walk_word(m, &next, word, length);
      if (there == 0) continue;
      if (there < 0 || count == LAW_COSETS || length > LAW_PATH) return 0;
      keys[count] = key;
      lengths[count] = (uint8_t)length;
      memcpy(words[count], word, length);
      inside = inside && next.length == 0;
      list[count++] = next;
    }
  if (inside) sort_suborbits(m, dims, list, count);
  return count;
}

int law_corner_of(const law_maker *m, const law_dart *dart) {
  const law_dart key = law_dart_key(m, *dart, law_dims(CLV_VERTEX, m->dimension));
  if (!m->shape || key.origin || key.length) return -1;
  return m->shape->sub[m->inner & CLV_VERTEX].of[m->unturn[key.local]];
}

law_value law_corner(const law_maker *m, uint32_t corner) {
  return (law_value){.sort = LAW_DART, .dart = law_dart_of(m, m->shape->sub[m->inner & CLV_VERTEX].first[corner])};
}
