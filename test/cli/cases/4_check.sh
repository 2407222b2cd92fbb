# `check`, and the messages about files that are wrong, which every command shares.

sound() {
  ok check two_tets.vtk
  [ "$(cat out)" = 'two_tets.vtk: ok, 2 cells, 48 darts
two_tets.vtk: note: 1 point is not used by any cell' ] || fail 'prints something else'
}
it 'a sound file' sound

notes() { # file, note
  ok check "$1"
  grep -q "^$1: ok, " out || fail 'is not ok'
  prints "$1: note: $2"
}
it 'inverted elements' notes inverted.vtk '1 inverted element was turned'
it 'inverted elements of a plane' notes clockwise.vtk '1 inverted element was turned'
it 'bad elements' notes twisted.vtk '1 element has quality 0 or less'
it 'second-order elements' notes second_order.vtk '1 second-order element was reduced to its corners'
it 'elements that are no cells' notes regions.msh '2 elements of a lower dimension are no cells'
it 'no cells' notes lines.vtk 'there are no elements of dimension 2 or 3, so there was nothing to check'
it 'cells that only touch' notes touching.vtk '1 vertex was added where cells only touch'

merged() { ok check --merge-points apart.vtk && prints 'apart.vtk: note: 3 points are equal to others'; }
it '--merge-points' merged

for file in moebius cube_surface polygons polyhedron apart tet; do it "$file is sound" ok check $file.vtk; done

several() {
  cleave 1 check tet.vtk word.msh no_such.vtk cube_surface.vtk
  prints 'tet.vtk: ok, 1 cell, 24 darts'
  prints 'cube_surface.vtk: ok, 6 cells'
  mentions 'word.msh:7: '
  mentions 'no_such.vtk: No such file or directory'
}
it 'several files, some of them wrong' several

# The complaint is one line that begins with the place, nothing is printed, and nothing is written.
wrong() { # file, beginning of the complaint, words in it
  local command
  for command in info check convert; do
    cleave 1 $command "$1" $([ $command != convert ] || echo refused.vtu)
    [ "$(wc -l <err)" = 1 ] || fail 'does not say one line'
    grep -qF -e "$2" <(head -c ${#2} err) || fail "does not begin with '$2'"
    for word in "${@:3}"; do mentions "$word"; done
    [ ! -s out ] || fail 'prints something'
    [ ! -e refused.vtu ] || fail 'writes something'
  done
}
it 'a file that is not there' wrong no_such.vtu 'no_such.vtu: No such file or directory'
it 'a directory' wrong directory.msh 'directory.msh: Is a directory'
it 'an ending nobody knows' wrong tet.xyz 'tet.xyz: ' .msh .vtk .vtu
it 'no ending' wrong tet 'tet: ' .msh .vtk .vtu
it 'a file that ends too early' wrong short.vtk 'short.vtk:5: '
it 'a word for a number' wrong word.msh 'word.msh:7: ' zero
it 'XML that is not closed' wrong unclosed.vtu 'unclosed.vtu:3: '
it 'a file of another sort' wrong other.msh 'other.msh:1: '
it 'an empty file' wrong empty.vtk 'empty.vtk:1: '
it 'a corner that does not exist' wrong missing_point.vtk 'missing_point.vtk:' 17

# These can be read, and so converted, but are no maps.
no_map() { # file, words in the complaint
  local command word
  for command in info check; do
    cleave 1 $command "$1"
    [ "$(wc -l <err)" = 1 ] || fail 'does not say one line'
    grep -q "^$1: " err || fail 'does not name the file'
    for word in "${@:2}"; do mentions "$word"; done
    [ ! -s out ] || fail 'prints something'
  done
  ok convert "$1" converted.vtu
}
it 'three volumes on one face' no_map three_on_a_face.vtk 0 1 2
it 'three faces on one edge' no_map three_on_an_edge.vtk 0 1 2
it 'an element without volume' no_map flat.vtk 'element 0'
it 'an element with a corner twice' no_map repeated_corner.vtk 'element 1'

truncated() { # ending, format, kind
  local size part
  "$program" grid "$3" 2 2 2 -o "whole.$1" --format "$2" >/dev/null
  size=$(wc -c <"whole.$1")
  for part in 1 2 3 4 5 6; do
    head -c $((size * part / 7)) "whole.$1" >"part.$1"
    cleave 1 check "part.$1"
    [ "$(wc -l <err)" = 1 ] || fail "$part/7 of it: does not say one line"
    grep -q "^part.$1:" err || fail "$part/7 of it: does not name the file"
  done
}
# The end of an OBJ or Abaqus file cannot be told from the end of a line; those of TetGen are several.
for format in $(grep -vE '^(obj|abaqus|tetgen)' <<<"$every_format"); do
  kind=mixed
  grep -qE '^(stl|ply)' <<<"$format" && kind=tri
  it "truncated $format" truncated "$(ending_of "$format")" "$format" $kind
done
