// Regions of formats that have names where a mesh has tags: groups of OBJ, solids of STL, element sets of Abaqus.
//
// Reading: io_groups_put gives each name a provisional tag, which elements carry until io_groups_finish settles them. A
// group that is called region-7 is region 7 and has no name; any other is a named region with the least tag above 0
// that is free. Writing goes the other way: a region without a name is written as region-7. So tags without names and
// names without tags survive; the tag of a named region need not.

#ifndef IO_GROUPS_H
#define IO_GROUPS_H

#include "io/names.h"
#include "io/tags.h"
#include "io/writer.h"

// The provisional tag of a group, from 1; 0 for an empty name and after a failure.
int32_t io_groups_put(io_reader *r, io_names *names, io_span name);
// Settles the tags of all elements of the mesh and adds the names of regions.
bool io_groups_finish(io_reader *r, const io_names *names);

// The names of a mesh's regions, by dimension and tag.
typedef struct io_group_names {
  const clv_mesh *mesh;
  io_tags keys;
} io_group_names;

bool io_group_names_open(io_group_names *names, io_writer *w, const clv_mesh *mesh);
void io_group_names_close(io_group_names *names, io_writer *w);
// Appends the group of an element: the region's name, each character of it mended, or region-TAG. Nothing for no
// region.
void io_put_group(io_writer *w, const io_group_names *names, size_t element, char (*mend)(char c));

// Whether an element lies in the same group as the one before it.
bool io_same_group(const clv_mesh *mesh, size_t element);

#endif
