// bench_map - the map beside its peer, and by itself as bodies grow.
//
//   bench_map PEER...     the comparison, then the scale table; of the peers, cgal_lcc is the one for the map
//   bench_map --scale     the scale table only

#include "compare.h"
#include "measure.h"
#include "scale.h"

#include <stdio.h>
#include <string.h>

static const char *find_peer(int count, char **paths, const char *name) {
  for (int i = 0; i < count; i++) {
    const char *slash = strrchr(paths[i], '/');
    if (strcmp(slash ? slash + 1 : paths[i], name) == 0) return paths[i];
  }
  return NULL;
}

int main(int count, char **words) {
  const bool scale_only = count == 2 && strcmp(words[1], "--scale") == 0;
  const char *peer = find_peer(count - 1, words + 1, "cgal_lcc");
  if (!scale_only && !peer) {
    fprintf(stderr, "usage: bench_map PATH/cgal_lcc | bench_map --scale\n");
    return 2;
  }
  bench_memory_keep_freed();
  bench_measure_self_test();
  if (peer) bench_compare(peer);
  bench_scale();
  return 0;
}
