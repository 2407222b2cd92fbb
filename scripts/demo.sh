#!/bin/sh
# From nothing to checked mesh files, with the program that was just built: scripts/demo.sh CLEAVE
set -eu
cleave=$1
out=out/demo
mkdir -p $out

run() {
  printf '\n$ cleave %s\n' "$*"
  "$cleave" "$@"
}

run grid hex 8 8 8 -o $out/beam.vtu
run info $out/beam.vtu
run check $out/beam.vtu

run grid mixed 6 6 6 -o $out/mixed.msh
run info $out/mixed.msh
run check $out/mixed.msh

run convert $out/mixed.msh $out/mixed.vtu
run convert $out/beam.vtu $out/beam.msh
run check $out/mixed.vtu
run check $out/beam.msh

printf '\nThe results are in %s; ParaView opens the .vtu files, Gmsh the .msh files:\n' $out
ls -l $out
