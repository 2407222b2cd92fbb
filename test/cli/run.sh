#!/bin/bash
# Tests the program as its users meet it, by what it prints and how it ends: test/cli/run.sh CLEAVE DIRECTORY CASES
#
# DIRECTORY is emptied first; fixtures.sh fills it with small meshes, and the cases of CASES, a directory beside this file, run
# there. A case is a function that `it` runs in a subshell: the first thing it expects in vain ends it, and what the program
# printed is shown. The last line counts the cases. Only a shell, a C compiler and what Debian always has are needed.

root=$(cd "$(dirname "$0")" && pwd)
program=$(realpath "$1") || exit 2
rm -rf "$2"
mkdir -p "$2" && cd "$2" || exit 2
cc -std=c17 -o json "$root/json.c" || exit 2

passed=0
failed=0

# ---- what a case is made of

it() { # name, function, arguments of it
  if ("${@:2}") >log 2>&1; then
    passed=$((passed + 1))
  else
    failed=$((failed + 1))
    echo "FAILED: $1"
    sed 's/^/  /' log
  fi
}

fail() {
  echo "$*"
  for file in out err; do
    [ ! -s "$file" ] || { echo "-- std$file:" && head -c 2000 "$file"; }
  done
  exit 1
}

# Runs the program and expects it to end with a status. Its output is in the files out and err from then on.
cleave() { # status, arguments
  local status
  "$program" "${@:2}" >out 2>err
  status=$?
  [ $status = "$1" ] || fail "cleave ${*:2}: ended with $status, not $1"
}

ok() { # arguments; nothing may be complained about
  cleave 0 "$@"
  [ ! -s err ] || fail "cleave $*: complains"
}

prints() { # text somewhere in the output
  grep -qF -e "$1" out || fail "does not print '$1'"
}

prints_not() {
  ! grep -qF -e "$1" out || fail "prints '$1'"
}

says() { # the first line of complaint
  local first
  IFS= read -r first <err || first=
  [ "$first" = "$1" ] || fail "does not say '$1'"
}

mentions() { # text somewhere in the complaint
  grep -qF -e "$1" err || fail "does not mention '$1'"
}

# Usage errors end with 2, print nothing and say one sentence first.
misuse() { # sentence, arguments
  cleave 2 "${@:2}"
  says "cleave: $1"
  [ ! -s out ] || fail "prints something"
}

# What `info --json` says of a file: pairs of a path and a value.
describes() { # file, path, value, path, value ...
  local file=$1 value
  shift
  ok info "$file" --json
  while [ $# -gt 0 ]; do
    value=$(./json out "$1") || fail "no $1"
    [ "$value" = "$2" ] || fail "$file: $1 is $value, not $2"
    shift 2
  done
}

every_format=$("$program" formats | cut -d ' ' -f 1)
# Those that hold every kind of grid and every point, and those of VTK, which hold polygons and polyhedra too.
solid_formats=$(grep -E '^(msh|vt|medit|abaqus)' <<<"$every_format")
vtk_formats=$(grep '^vt' <<<"$every_format")

# The ending that a format's files have.
ending_of() { # format
  case $1 in
  medit) echo mesh ;;
  medit-binary) echo meshb ;;
  tetgen) echo ele ;;
  tetgen-surface) echo smesh ;;
  abaqus) echo inp ;;
  *) echo "${1:0:3}" ;;
  esac
}

# The formats that hold a grid of a kind, as exactly as `info` prints it.
formats_for() { # kind
  case $1 in
  tri) grep -vx stl-binary <<<"$every_format" ;;
  quad | mixed2) grep -E '^(msh|vt|medit|abaqus|obj|ply|tetgen-surface)' <<<"$every_format" ;;
  tet5 | tet6) echo "$solid_formats" tetgen ;;
  *) echo "$solid_formats" ;;
  esac
}

# shellcheck source=/dev/null
follow() { # file: commands of a page, line by line
  local line
  while IFS= read -r line; do
    eval "set -- $line"
    [ "$1" = cleave ] || fail "'$line' is no command of cleave"
    shift
    ok "$@"
  done <"$1"
}

. "$root/fixtures.sh"
for cases in "$root/$3"/*.sh; do
  # shellcheck source=/dev/null
  . "$cases"
done

echo "$passed passed, $failed failed"
[ $failed = 0 ]
