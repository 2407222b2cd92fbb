# `mesh`: surfaces that are filled, those that are refused, and programs that are not there, fail, or take too long.

# A cube of six quadrangles, two of them listed the other way round.
cat >cube.obj <<END
v 0 0 0
v 1 0 0
v 1 1 0
v 0 1 0
v 0 0 1
v 1 0 1
v 1 1 1
v 0 1 1
g floor
f 4 3 2 1
g walls
f 5 8 7 6
f 1 2 6 5
f 2 3 7 6
f 3 4 8 7
f 1 4 8 5
END
sed '/^f 5/d; /^f 1 4/d' cube.obj >open.obj
grep -v '^g' cube.obj | awk '$1 == "f" { print "f", $2, $3, $4; print "f", $2, $4, $5; next } { print }' >triangles.obj

# Programs that stand in for tetgen: they are found on the PATH before any other.
mkdir -p fake empty
fake() { # lines of a shell script
  printf '#!/bin/sh\n%s\n' "$1" >fake/tetgen
  chmod +x fake/tetgen
}
with_fake() { PATH=$PWD/fake:$PATH cleave "$@"; }

# Whatever happens, no directory stays behind.
export TMPDIR=$PWD/tmp
mkdir -p tmp
leaves_nothing() { [ -z "$(ls -A tmp)" ] || fail "leaves $(ls tmp)"; }

filled() { # file, program
  rm -f filled.msh
  ok mesh "$1" --with "$2" -o filled.msh
  prints 'filled.msh: wrote '
  prints "tetrahedra by $2, volume 1, quality "
  leaves_nothing
  ok check filled.msh
  prints 'filled.msh: ok'
  prints_not inverted
}
finer() { # program
  ok mesh triangles.obj --with "$1" --size 0.2 -o fine.vtu
  ok info fine.vtu --json
  [ "$(./json out cells.volumes)" -gt 500 ] || fail 'is not finer'
}

if command -v tetgen >/dev/null; then
  it 'tetgen fills quadrangles' filled cube.obj tetgen
  it 'tetgen fills triangles' filled triangles.obj tetgen
  it 'tetgen obeys --size' finer tetgen
  better() {
    ok mesh cube.obj --with tetgen --quality 1.2 -o better.vtu
    ok mesh cube.obj --with tetgen --size 1e-1 --quality 1.5 -o better.vtu
  }
  it 'tetgen obeys --quality' better
  kept_regions() {
    ok mesh cube.obj --with tetgen -o regions.vtu
    prints 'names of regions have no place'
    ok mesh cube.obj -o filled.msh --with tetgen
    ok info filled.msh
    prints floor
    prints walls
  }
  it 'tetgen keeps regions' kept_regions
  crossing() {
    sed 's/^v 1 1 1/v 0.5 0.5 -1/' triangles.obj >crossing.obj
    cleave 1 mesh crossing.obj --with tetgen -o crossing.msh
    mentions 'cleave: tetgen '
    mentions 'cleave: the usual reason is a surface that crosses itself'
    [ ! -e crossing.msh ] || fail 'writes something'
    leaves_nothing
  }
  it 'a surface that crosses itself' crossing
else
  echo 'skipped: tetgen is not installed'
fi
if command -v gmsh >/dev/null; then
  it 'gmsh fills triangles' filled triangles.obj gmsh
  it 'gmsh obeys --size' finer gmsh
  no_quads() { cleave 1 mesh cube.obj --with gmsh -o a.msh && mentions 'gmsh fills surfaces of triangles only' && leaves_nothing; }
  it 'gmsh takes no quadrangles' no_quads
else
  echo 'skipped: gmsh is not installed'
fi

fake 'exit 0'
refused() { # file, words
  PATH=$PWD/fake:$PATH cleave 1 mesh "$1" -o refused.msh
  [ "$(wc -l <err)" = 1 ] || fail 'does not say one line'
  mentions "$1: "
  for word in "${@:2}"; do mentions "$word"; done
  [ ! -e refused.msh ] || fail 'writes something'
  leaves_nothing
}
it 'an open surface' refused open.obj 'the surface is not closed: 6 edges have one face only, such as that from (' ' to ('
it 'a solid' refused tet.vtk 'it has volumes already'
printf 'v 0 0 0\nv 1 0 0\nl 1 2\n' >wire.obj
it 'lines alone' refused wire.obj 'it has no faces'
# A torus whose last column meets the first one upside down.
awk 'BEGIN {
  n = 4
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) print "v", i, j, i * j * 0.1
  for (i = 0; i < n; i++) for (j = 0; j < n; j++) {
    a = i; b = j; c = i + 1; d = j; e = i + 1; f = (j + 1) % n; g = i; h = (j + 1) % n
    if (c == n) { c = 0; d = (n - d) % n }
    if (e == n) { e = 0; f = (n - f) % n }
    print "f", a * n + b + 1, c * n + d + 1, e * n + f + 1, g * n + h + 1
  }
}' >klein.obj
it 'a surface without an inside' refused klein.obj 'not orientable'

missing_program() {
  PATH=$PWD/empty cleave 1 mesh cube.obj -o a.msh
  says "cleave: neither tetgen nor gmsh is installed; 'apt-get install tetgen' is enough"
  PATH=$PWD/empty cleave 1 mesh cube.obj --with gmsh -o a.msh
  says "cleave: gmsh is not installed; 'apt-get install gmsh' installs it"
}
it 'neither program is there' missing_program

failing() {
  fake 'echo first; echo "out of luck"; exit 3'
  with_fake 1 mesh cube.obj -o a.msh
  says 'cleave: tetgen failed with status 3'
  mentions '  tetgen: out of luck'
  leaves_nothing
}
it 'a program that fails' failing

empty_handed() {
  fake 'exit 0'
  with_fake 1 mesh cube.obj -o a.msh
  mentions 'surface.1.ele: No such file or directory'
  fake 'echo "0 3 0 0" >surface.1.node; echo "0 4 0" >surface.1.ele'
  with_fake 1 mesh cube.obj -o a.msh
  says 'cleave: tetgen made no tetrahedra of cube.obj'
  fake 'echo "junk" >surface.1.node; echo "0 4 0" >surface.1.ele'
  with_fake 1 mesh cube.obj -o a.msh
  mentions "surface.1.node:1: expected the number of points, found 'junk'"
  leaves_nothing
}
it 'a program that makes nothing' empty_handed

slow() {
  fake 'exec sleep 100'
  with_fake 1 mesh cube.obj --timeout 1 -o a.msh
  says 'cleave: tetgen was stopped after 1 second; --timeout allows more'
  leaves_nothing
}
it 'a program that takes too long' slow

interrupted() { # signal
  local child
  fake 'echo $$ >../child; exec sleep 100'
  rm -f tmp/child child
  PATH=$PWD/fake:$PATH "$program" mesh cube.obj -o a.msh >out 2>err &
  child=$!
  for _ in $(seq 100); do
    [ ! -s tmp/child ] || break
    sleep 0.1
  done
  kill -"$1" $child
  wait $child
  [ $? = $((128 + $(kill -l "$1"))) ] || fail 'does not end by the signal'
  ! kill -0 "$(cat tmp/child)" 2>/dev/null || fail 'the program runs on'
  rm tmp/child
  leaves_nothing
}
it 'a signal ends both' interrupted TERM
it 'a hangup ends both' interrupted HUP

it 'mesh without -o' misuse 'mesh needs --output FILE' mesh cube.obj
it 'mesh with a size of 0' misuse "H must be a length above 0, such as 2.5, not '0'" mesh cube.obj -o a.msh --size 0
it 'mesh with a quality nobody reaches' misuse 'Q must be 1 or more: no tetrahedron can be asked to be better' \
  mesh cube.obj -o a.msh --quality 0.5
it 'mesh with a program nobody knows' misuse "cleave mesh does not know 'tetgn'; did you mean 'tetgen'?" \
  mesh cube.obj -o a.msh --with tetgn
no_place() { TMPDIR=$PWD/no/such/place with_fake 1 mesh cube.obj -o a.msh && mentions 'TMPDIR can name another place'; }
it 'no place for temporary files' no_place
unset TMPDIR
