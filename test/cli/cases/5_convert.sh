# `convert`: what is kept, what is mentioned and what is refused.

said() {
  ok convert regions.msh regions.vtu
  [ "$(head -n 1 out)" = 'regions.vtu: wrote 5 points, 4 elements (2 tri, 2 line)' ] || fail 'says something else'
}
it 'says what was written' said

# From each format to the next and so on, then compares what info says at both ends.
chain() { # file, formats
  local from=$1 to format
  ok info "$1" --json
  grep -v '"file"' out >before
  for format in "${@:2}"; do
    to=chain-$format.$(ending_of "$format")
    ok convert "$from" "$to" --format "$format"
    from=$to
  done
  ok info "$from" --json
  grep -v '"file"' out >after
  diff before after || fail 'something was lost'
}
mixed_file() { ok grid mixed 4 3 2 -o chain.msh; }
it 'a grid to chain' mixed_file
it 'through all formats of solids' chain chain.msh $solid_formats
it 'and backwards' chain chain.msh $(tac <<<"$solid_formats")
tr '\t' ' ' <regions.msh >named.msh # Gmsh has no tabs in names
it 'regions and fields through Gmsh' chain named.msh msh2 msh4-binary msh4 msh2-binary
it 'polygons through VTK' chain polygons.vtk $vtk_formats
it 'polyhedra through VTK' chain polyhedron.vtk $vtk_formats
it 'inverted elements stay as they are' chain inverted.vtk $solid_formats
it 'unused points stay' chain two_tets.vtk $solid_formats tetgen

# Tags survive in VTK's files, the names of regions do not.
tags() { # format
  ok convert regions.msh "tags.${1:0:3}" --format "$1"
  prints "tags.${1:0:3}: note: 3 names of regions have no place in this format"
  describes "tags.${1:0:3}" regions.0.tag 1 regions.0.elements 1 regions.0.name null regions.1.tag 2 regions.2.tag 7 \
    regions.2.elements 2 fields.0.name heat fields.1.components 3
}
for format in $vtk_formats; do it "tags and fields in $format" tags "$format"; done

oldest() {
  ok convert regions.msh oldest.msh --format msh1
  prints 'oldest.msh: note: 2 fields have no place in this format'
  prints 'oldest.msh: note: 3 names of regions have no place in this format'
  describes oldest.msh regions.0.tag 1 regions.2.tag 7 fields '[]'
}
it 'what msh1 has no place for' oldest

values() {
  ok convert regions.msh a.vtu
  ok convert a.vtu b.vtk --format vtk
  grep -qx '20' b.vtk && grep -qx '24' b.vtk || fail 'the values on points are lost'
}
it 'values of fields' values

reduced() { ok convert second_order.vtk reduced.msh && prints 'second_order.vtk: note: 1 second-order element was reduced to its corners'; }
it 'second-order elements' reduced

itself() { cp tet.vtk itself.vtk && ok convert itself.vtk itself.vtk --format vtk5-binary && describes itself.vtk cells.volumes 1; }
it 'a file onto itself' itself

# Surfaces.
surface_file() { ok grid mixed2 4 3 -o surface.msh && ok grid tri 4 3 -o triangles.msh; }
it 'surfaces to chain' surface_file
it 'a surface through all formats of surfaces' chain surface.msh obj ply tetgen-surface ply-binary obj
it 'triangles through STL' chain triangles.msh stl obj stl ply stl

# Names of regions in formats that have nothing else; tags there are numbered anew.
printf '%s\n' '$MeshFormat' '2.2 0 8' '$EndMeshFormat' '$PhysicalNames' 1 '2 9 "skin"' '$EndPhysicalNames' '$Nodes' 3 \
  '1 0 0 0' '2 1 0 0' '3 0 1 0' '$EndNodes' '$Elements' 1 '1 2 2 9 9 1 2 3' '$EndElements' >skin.msh
named_regions() { # format
  local file
  file=skin.$(ending_of "$1")
  ok convert skin.msh "$file" --format "$1"
  prints_not 'region'
  ok info "$file"
  prints skin
}
for format in abaqus obj stl; do it "names of regions in $format" named_regions $format; done

lost() {
  ok convert two_tets.vtk lost.inp
  ok convert regions.msh lost.mesh
  prints 'lost.mesh: note: 2 fields have no place in this format'
  prints 'lost.mesh: note: 3 names of regions have no place in this format'
  ok convert surface.msh one.ply
  ok convert triangles.msh lost.stl
  prints_not note
}
it 'what MEDIT has no place for' lost

set_of_files() {
  ok grid tet 2 2 2 -o set.ele
  [ -e set.node ] && [ -e set.ele ] && [ ! -e set.face ] || fail 'writes other files'
  describes set.node cells.volumes 40
  rm set.node
  cleave 1 info set.ele
  says 'set.node: No such file or directory (it has the points of set.ele)'
}
it 'TetGen has several files' set_of_files

solids() { # file
  cleave 1 convert tet.vtk "$1"
  says "$1: element 0 is a tet, which $2 cannot hold; write a .vtk or .vtu file"
}
it 'solids to OBJ' solids a.obj 'OBJ files'
it 'solids to STL' solids a.stl 'STL files'
it 'solids to PLY' solids a.ply 'PLY files'
it 'solids to a surface of TetGen' solids a.smesh "TetGen's surfaces"

only_read() { cleave 1 convert triangles.msh a.poly && mentions 'are read, not written; write a .smesh file'; }
it '.poly is not written' only_read

refused() { # file
  echo old >kept.msh
  cleave 1 convert "$1" kept.msh
  mentions 'kept.msh: '
  mentions Gmsh
  [ "$(cat kept.msh)" = old ] || fail 'harms the old file'
}
it 'polygons to Gmsh' refused polygons.vtk
it 'polyhedra to Gmsh' refused polyhedron.vtk

ending() { cleave 1 convert tet.vtk "$1" && mentions "$1: " && mentions .vtu; }
it 'an output without an ending' ending tet
it 'an output with an ending nobody knows' ending tet.xyz

named_format() { ok convert tet.vtk tet.data --format vtu-ascii && grep -q '<VTKFile' tet.data || fail 'is no VTU file'; }
it 'any ending with --format' named_format

unwritable() { # arguments
  cleave 1 "$@" -o no/such/directory.vtu
  says 'no/such/directory.vtu: No such file or directory'
}
it 'a directory that is not there' unwritable grid hex 1 1 1

onto_directory() { cleave 1 convert tet.vtk directory.msh && mentions 'directory.msh: Is a directory'; }
it 'a directory as output' onto_directory

full_disk() { cleave 1 convert tet.vtk /dev/full --format vtk && says '/dev/full: No space left on device'; }
it 'a full disk' full_disk
