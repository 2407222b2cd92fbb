// Two hexahedra, sewn face to face, then cut apart again: what a map is, in twenty lines.

#include <cleave/cleave.h>
#include <stdio.h>

static void count(const char *when, const clv_map *map) {
  clv_map_info info;
  if (clv_map_count(map, &info)) return;
  printf("%s: %d vertices, %d edges, %d faces, %d volumes, %d components\n", when, (int)info.cells[0],
         (int)info.cells[1], (int)info.cells[2], (int)info.cells[3], (int)info.components);
}

int main(void) {
  clv_map_def def = clv_default_map_def(); // dimension 3
  clv_map *map = clv_map_create(&def, NULL);
  clv_dart a, b;
  if (!map || clv_map_begin(map) || clv_map_add_cell(map, CLV_HEX, &a) || clv_map_add_cell(map, CLV_HEX, &b)) return 1;
  if (clv_map_sew(map, 3, a, b) || clv_map_commit(map)) return puts(clv_map_error(map)), 1;
  count("sewn", map);

  const clv_id none = {0, 0}, hex = clv_id_next(map, CLV_CELL, none); // ids outlive commits; darts need not
  if (clv_map_begin(map) || clv_map_unsew(map, 3, clv_id_dart(map, CLV_CELL, hex)) || clv_map_commit(map)) return 1;
  count("cut", map);
  clv_map_destroy(map);
  return 0;
}
