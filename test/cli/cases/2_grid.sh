# Every kind of grid, in every format, with the numbers of cells that follow from how it is cut.

# Sets v e f n, the vertices, edges, faces and cubes of an x by y by z grid, b, its boundary faces, and h, those of its
# faces that are level.
lattice() {
  x=$1 y=$2 z=$3
  n=$((x * y * z))
  v=$(((x + 1) * (y + 1) * (z + 1)))
  e=$((x * (y + 1) * (z + 1) + (x + 1) * y * (z + 1) + (x + 1) * (y + 1) * z))
  h=$((x * y * (z + 1)))
  f=$((h + x * (y + 1) * z + (x + 1) * y * z))
  b=$((2 * (x * y + y * z + z * x)))
}

body() { # kind, kind of its cells, x, y, z, vertices, edges, faces, volumes, boundary
  ok grid "$1" "$3" "$4" "$5" --size 2 1 0.5 -o "$1.vtu"
  prints "$1.vtu: wrote $6 points, $9 element"
  prints "($9 $2)"
  describes "$1.vtu" dimension 3 points "$6" elements "$9" cells.vertices "$6" cells.edges "$7" cells.faces "$8" \
    cells.volumes "$9" "cell_kinds.$2" "$9" boundary_facets "${10}" components 1 euler 1 closed false orientable true \
    build.turned 0 build.unused_points 0 size 1 box.low.0 0 box.high.0 2 box.high.1 1 box.high.2 0.5 quality.bad 0
  ok check "$1.vtu"
  prints "$1.vtu: ok, "
  prints_not note
}

bodies() { # x, y, z
  lattice "$@"
  it "hex $*" body hex hex "$@" $v $e $f $n $b
  it "tet5 $*" body tet5 tet "$@" $v $((e + f)) $((2 * f + 4 * n)) $((5 * n)) $((2 * b))
  it "tet6 $*" body tet6 tet "$@" $v $((e + f + n)) $((2 * f + 6 * n)) $((6 * n)) $((2 * b))
  it "prism $*" body prism prism "$@" $v $((e + h)) $((f + h + n)) $((2 * n)) $((b + 2 * x * y))
  it "pyramid $*" body pyramid pyramid "$@" $((v + n)) $((e + 8 * n)) $((f + 12 * n)) $((6 * n)) $b
}
bodies 1 1 1
bodies 4 4 4
bodies 5 3 2

known_numbers() {
  ok grid hex 4 4 4 -o cube.vtk
  describes cube.vtk cells.vertices 125 cells.edges 300 cells.faces 240 cells.volumes 64 boundary_facets 96 euler 1 \
    quality.least 1 quality.most 1 quality.mean 1
}
it 'hex 4 4 4, counted by hand' known_numbers

tet_is_tet5() { ok grid tet 1 1 1 -o tet5.vtk && prints '(5 tet)'; }
it 'tet is tet5' tet_is_tet5

count() { ./json out "$1" || fail "no $1"; }

mixed() { # x, y, z
  ok grid mixed "$@" -o mixed.vtu
  describes mixed.vtu dimension 3 components 1 euler 1 orientable true size 1 build.turned 0 quality.bad 0
  local sides=0 kind
  for kind in tet:4 pyramid:5 prism:5 hex:6; do
    [ "$(count "cell_kinds.${kind%:*}")" -gt 0 ] || fail "has no ${kind%:*}"
    sides=$((sides + ${kind#*:} * $(count "cell_kinds.${kind%:*}")))
  done
  [ $((2 * $(count cells.faces))) = $((sides + $(count boundary_facets))) ] || fail 'its faces do not add up'
  ok check mixed.vtu
}
it 'mixed 6 6 6' mixed 6 6 6
it 'mixed 5 4 3' mixed 5 4 3
it 'mixed 2 2 2' mixed 2 2 2

surface() { # kind, faces from each square or 0 for a mixture, x, y
  local x=$3 y=$4
  ok grid "$1" "$x" "$y" -o "$1.vtk"
  describes "$1.vtk" dimension 2 cells.vertices $(((x + 1) * (y + 1))) boundary_facets $((2 * (x + y))) components 1 euler 1 \
    closed false orientable true size 1 box.high.2 0 quality.bad 0
  [ "$2" = 0 ] || [ "$(count cells.faces)" = $(($2 * x * y)) ] || fail 'has another number of faces'
  local tri quad
  tri=$(count cell_kinds.tri) quad=$(count cell_kinds.quad)
  [ $((2 * $(count cells.edges))) = $((3 * tri + 4 * quad + 2 * (x + y))) ] || fail 'its edges do not add up'
  [ "$2" != 0 ] || { [ "$tri" -gt 0 ] && [ "$quad" -gt 0 ]; } || fail 'is not mixed'
  ok check "$1.vtk"
  prints "$1.vtk: ok, "
  mv "$1.vtk" without.vtk
  ok grid "$1" "$x" "$y" 7 -o "$1.vtk"
  cmp "$1.vtk" without.vtk || fail 'NZ makes a difference'
  ok grid "$1" "$x" "$y" 0 -o "$1.vtk"
  cmp "$1.vtk" without.vtk || fail 'NZ = 0 makes a difference'
}
it 'tri 5 3' surface tri 2 5 3
it 'quad 5 3' surface quad 1 5 3
it 'mixed2 5 4' surface mixed2 0 5 4

sized() {
  ok grid quad 2 2 --size 3 1e-1 9 -o sized.vtk
  describes sized.vtk box.high.0 3 box.high.1 0.1 box.high.2 0
}
it '--size of a flat grid, its Z ignored' sized

# Whatever the format, the file is the same to `info`.
same_info() { # file, ending, format
  ok info "$1" --json
  grep -v '"file"' out >before
  ok convert "$1" "converted.$2" --format "$3"
  ok info "converted.$2" --json
  grep -v '"file"' out >after
  diff before after || fail "$3 changes what info says"
  rm "converted.$2"
}

for kind in tri quad mixed2 hex tet5 tet6 prism pyramid mixed; do
  "$program" grid $kind 3 3 3 -o formats.vtu >/dev/null
  for format in $(formats_for $kind); do
    it "$kind in $format" same_info formats.vtu "$(ending_of "$format")" "$format"
  done
done
