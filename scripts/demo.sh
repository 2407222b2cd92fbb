#!/bin/sh
# The main job end to end, with the program that was just built: scripts/demo.sh CLEAVE [MESHES]
#
# A mesh is made, described and checked; a cantilever and a liver are simulated, and what they did is drawn. The liver is that of
# MESHES/liver.msh where there is one, a bent grid otherwise.
set -eu
cleave=$1
meshes=${2-}
out=out/demo
rm -rf $out
mkdir -p $out

run() {
  printf '\n$ cleave %s\n' "$*"
  "$cleave" "$@"
}

run grid mixed 6 6 6 -o $out/mixed.msh
run info $out/mixed.msh
run check $out/mixed.msh
run convert $out/mixed.msh $out/mixed.vtu

simulate() { # scene, name
  printf '\n$ cat %s\n' "$1"
  cat "$1"
  run run "$1" --out $out/"$2"
  run plot $out/"$2" --columns kinetic,elastic,gravitational,total -o $out/"$2".png
  run plot $out/"$2"
  run render $out/"$2" -o $out/"$2"_body.png --color von-mises
}

simulate examples/01_cantilever.yaml cantilever

liver=examples/13_liver_corotational.yaml
if [ -n "$meshes" ] && [ -f "$meshes/liver.msh" ]; then
  file=$(cd "$meshes" && pwd)/liver.msh
  sed -e "s|^mesh:.*|mesh: {file: \"$file\", scale: 0.03}|" \
    -e 's|^fix:.*|fix: [{plane: {point: [-3 cm, 0, 0], normal: [1, 0, 0]}}]|' \
    -e 's|nearest: \[[^]]*\]|nearest: [-14 cm, 10 cm, 0]|' -e '/^#/d' $liver >$out/liver.yaml
  liver=$out/liver.yaml
fi
simulate $liver liver

cat <<END

Everything is in $out:
  cantilever/body.pvd  liver/body.pvd    frames for ParaView, with displacement, velocity, strain and stress
  cantilever/*.csv     liver/*.csv       energies, and the paths of the probes
  cantilever.png       liver.png         energies over time; energies.svg and probes.svg lie beside the numbers
  cantilever_body.png  liver_body.png    the bodies at the end, coloured by stress
  mixed.msh            mixed.vtu         the mesh, for Gmsh and for ParaView
END
