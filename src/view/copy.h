// Between three numbers a vertex, as columns and callers have them, and four, as kernels do.
//
// The fourth is a pad, which may have any value. Where slots follow one another, whole vertices are moved at once; a
// kernel that loads one as a whole right afterwards then need not wait for its pieces. Copies have the same bits
// everywhere, so the widest registers that the processor has may do it.

#ifndef VIEW_COPY_H
#define VIEW_COPY_H

#include "rule/kernel.h"

// `count` vertices that follow one another.
typedef void view_copy_function(const double *from, uint32_t count, double *to);

typedef struct view_copier {
  view_copy_function *in;  // from three numbers to four
  view_copy_function *out; // and back; the pads are left behind
} view_copier;

// The best for this processor.
view_copier view_copier_best(void);

CLV_INLINE void view_copy_vertex(const double *from, double *to) {
  memcpy(to, from, 3 * sizeof(double));
}

#endif
