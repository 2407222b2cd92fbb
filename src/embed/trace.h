// Orbits in the course of the open transaction.
//
// A transaction changes links, and darts come and go in it; its log keeps what each was before. So an orbit can be
// followed from any moment of the log to the darts that lie in what came of it, and back to those that it came of: from
// dart to dart along the links there were at the moment, then along those that were made later (or had been before),
// and from a dart to the one that took its place. Moment k is that before entry k of the log.
//
// This is for what was said of an orbit at a dart that is gone, or that lies in one part of it alone. It costs a table
// of the log, which grows with it: transactions in which nothing of the sort has happened do without.

#ifndef EMBED_TRACE_H
#define EMBED_TRACE_H

#include "map/plan.h"

typedef struct embed_moment {
  clv_dart dart;
  uint32_t moment;
} embed_moment;

// An entry of the log that tells of a dart.
typedef struct embed_entry {
  clv_dart dart;
  uint32_t entry, earlier; // the one before it at this dart, counted from 1
} embed_entry;

typedef struct embed_trace {
  const map *m;
  BASE_ARRAY(embed_entry) entries; // in the order of the log
  map_words latest;                // a table of darts: the last entry of each, counted from 1
  uint32_t darts;                  // in it
  uint32_t log, undone;            // it has so many entries of the log, and is good until some are undone
  uint64_t revision;
  BASE_ARRAY(embed_moment) reached; // by the last search: darts, with the first moment (going back: the last)
  map_words waiting;                // those whose links were not followed yet
  map_words table;                  // of reached ones, counted from 1
} embed_trace;

void embed_trace_free(embed_trace *t, const map *m);

// Follows the orbit of a dart onward, or back, from a moment of the log as it is. False when memory is out.
bool embed_trace_onward(embed_trace *t, const map *m, uint32_t dims, embed_moment from);
bool embed_trace_back(embed_trace *t, const map *m, uint32_t dims, embed_moment from);

// For commits, once their added cells are listed: whether the transaction added a dart; the dimensions in which darts
// that it added have lost a link, as bits, and all of them where such darts are gone again. New orbits are what they
// were made in others.
bool embed_is_added(const map *m, clv_dart dart);
uint32_t embed_loosened(const map *m);

// The first entry of the log that joins darts in a dimension, and the last that parts some. A dart that takes the place
// of another is joined to what that lay in.
typedef struct embed_passage {
  uint32_t joined, parted;
} embed_passage;
void embed_find_passages(const map *m, embed_passage passages[4]);

#endif
