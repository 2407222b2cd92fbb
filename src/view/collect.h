// Collecting: where a law has rows, over a whole map.
//
// Finds the bases and keys of all rows, in the order of ids or cells, and leaves them in the workshop. It makes no row
// and computes no constant.

#ifndef VIEW_COLLECT_H
#define VIEW_COLLECT_H

#include "view/table.h"

// False when memory is out.
bool view_collect(const view_site *site, view_workshop *shop);

#endif
