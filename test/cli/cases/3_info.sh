# What `info` says of meshes that are not just grids, as text and as JSON.

text() {
  ok info two_tets.vtk
  cat >expected <<'END'
file          two_tets.vtk
points        6
elements      2
unused        1 point that no cell uses

vertices      5
edges         9
faces         7
volumes       2 (2 tet)

components    1
Euler         1
boundary      6 faces
orientation   orientable

box           0 0 -1 to 1 1 1
volume        0.333333
END
  head -n 17 out | diff expected - || fail 'says something else'
  grep -qE '^quality +0\.[0-9]+ to 0\.[0-9]+, mean 0\.[0-9]+ \(scaled Jacobian; 1 is ideal\)$' out || fail 'no quality'
  grep -qE '^map +[0-9,]+ bytes, [0-9.]+ a cell$' out || fail 'no bytes of the map'
  grep -qE '^columns +[0-9,]+ bytes, [0-9.]+ a cell$' out || fail 'no bytes of columns'
}
it 'text' text

grouped() { ok grid hex 20 20 20 -o large.vtu && ok info large.vtu && prints 'volumes       8,000 (8,000 hex)'; }
it 'numbers are grouped' grouped

every_member() {
  ok info tet.vtk --json
  ./json out || fail 'is no JSON'
  for member in file points elements element_kinds.tet reduced_elements build.cells build.left_out build.turned \
    build.merged_points build.unused_points build.parted_vertices dimension cells.vertices cells.edges cells.faces \
    cells.volumes cell_kinds.polyhedron darts components euler boundary_facets closed orientable box.low.2 box.high.2 size \
    quality.least quality.mean quality.most quality.rated quality.bad regions fields bytes.map bytes.columns; do
    ./json out $member >/dev/null || fail "has no $member"
  done
}
it 'JSON has every member' every_member

inverted() {
  describes inverted.vtk build.turned 1 orientable true cells.volumes 2 cells.faces 7 size 0.3333333333333333 quality.bad 0
  ok info inverted.vtk
  prints 'turned        1 inverted element'
}
it 'inverted elements are turned' inverted

closed() {
  describes cube_surface.vtk dimension 2 closed true boundary_facets 0 euler 2 size 6 cell_kinds.quad 6
  ok info cube_surface.vtk
  prints 'boundary      none: closed'
  prints 'area          6'
}
it 'a closed surface' closed

moebius() {
  describes moebius.vtk orientable false euler 0 cells.edges 18 boundary_facets 12 components 1
  ok info moebius.vtk
  prints 'orientation   not orientable'
}
it 'a Moebius strip' moebius

polygons() { describes polygons.vtk cells.faces 2 cell_kinds.polygon 1 cell_kinds.tri 1 size 7 quality.rated 1 cells.edges 8; }
it 'polygons' polygons

# The pentagon's area is 3; a prism of height 1 and a pyramid of height 1 stand on it.
polyhedra() {
  describes polyhedron.vtk cells.volumes 2 cell_kinds.polyhedron 2 cells.vertices 11 cells.faces 12 size 4 quality null \
    orientable true
  ok info polyhedron.vtk
  prints 'quality       not known of polygons and polyhedra'
}
it 'polyhedra' polyhedra

twisted() {
  describes twisted.vtk quality.bad 1 build.turned 0
  ok info twisted.vtk
  prints 'bad           1 element of quality 0 or less'
}
it 'an element that is inverted at a corner' twisted

touching() {
  describes touching.vtk components 2 cells.vertices 8 build.parted_vertices 1
  ok info touching.vtk
  prints 'parted        1 vertex added where cells only touch'
}
it 'cells that only touch' touching

merge() {
  describes apart.vtk components 2 cells.vertices 8 build.merged_points 0
  ok info apart.vtk --merge-points
  prints 'components    1'
  prints 'vertices      5'
  prints 'merged        3 points, equal to others'
}
it '--merge-points' merge

second_order() {
  describes second_order.vtk reduced_elements 1 cells.vertices 4 cell_kinds.tet 1
  ok info second_order.vtk
  prints 'reduced       1 second-order element, to its corners'
}
it 'second-order elements' second_order

regions() {
  describes regions.msh dimension 2 cells.faces 2 build.left_out 2 build.unused_points 1 element_kinds.line 2 \
    regions.0.dimension 2 regions.0.tag 1 regions.0.name skin regions.0.elements 1 \
    regions.1.tag 2 regions.1.name null regions.1.elements 1 \
    regions.2.tag 9 regions.2.name 'never used' regions.2.elements 0 \
    regions.3.dimension 1 regions.3.tag 7 regions.3.name rim regions.3.elements 2
  ok info regions.msh
  prints 'left out      2 line: elements of a lower dimension are no cells'
  grep -qE '^  surface +1 +1 +skin$' out || fail 'does not list the skin'
  grep -qE '^  line +7 +2 +rim$' out || fail 'does not list the rim'
}
it 'regions' regions

fields() {
  describes regions.msh fields.0.name heat fields.0.on points fields.0.components 1 fields.1.on elements \
    fields.1.components 3 fields.1.name 'a \\ and \u0009tab'
  ok info regions.msh
  prints 'a \ and ?tab'
}
it 'fields, with names that need care' fields

foreign_name() {
  local name=$'gr\xfcn-gr\xc3\xbcn.vtk'
  cp tet.vtk "$name"
  describes "$name" file $'gr\\ufffdn-gr\xc3\xbcn.vtk'
}
it 'a name in another encoding' foreign_name

no_cells() { # file, elements
  describes "$1" cells.vertices 0 cells.volumes 0 build.cells 0 build.left_out "$2" size 0 box null quality null
  ok info "$1"
  prints 'volumes       0'
  prints_not quality
}
it 'nothing but lines' no_cells lines.vtk 1
it 'nothing but points' no_cells points.vtk 0
