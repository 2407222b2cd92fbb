#!/bin/bash
# Tests what is installed, not what is built: test/installed/run.sh DIRECTORY BUILD
#
# Installs the static library of the directory BUILD, and the shared one, which is built for that, below DIRECTORY, which is
# emptied first, and then moves them, since an installed tree must lean neither on its place nor on the build. Against
# each, every example is built, as C through find_package, as C and as C++ through pkg-config, and one of the three is run.
# Every public header must compile alone in both languages, and the shared library may export only clv_ names.
set -Eeuo pipefail

root=$(cd "$(dirname "$0")/../.." && pwd)
build=$(cd "$2" && pwd)
strict=(-Wall -Wextra -Wpedantic -Werror)
c=(cc -std=c17 "${strict[@]}")
cxx=(c++ -std=c++17 "${strict[@]}" -x c++)

rm -rf "$1"
mkdir -p "$1"
cd "$1"
trap 'echo "installed: line $LINENO failed: $BASH_COMMAND"' ERR

# Runs a program in a directory of its own.
run() {
  echo "run $*"
  mkdir "$1.run"
  (cd "$1.run" && "../${1##*/}" "${@:2}" >output)
}

# Not optimised: it is installed the same way. It has laws for one instruction set, which its programs are told to use.
build_shared() {
  cmake -S "$root" -B shared.build -DBUILD_SHARED_LIBS=ON -DCMAKE_BUILD_TYPE=None -DCMAKE_C_FLAGS=-O0 \
    -DCLEAVE_COMPILE_RULES=sse2 -DCMAKE_COMPILE_WARNING_AS_ERROR=ON >/dev/null
  cmake --build shared.build --parallel "$(nproc)" >/dev/null
}

install_library() { # kind, build
  cmake --install "$2" --prefix "$PWD/prefix" >/dev/null
  mkdir "$1"
  mv prefix "$1/usr"
}

test_kind() { # kind, option of pkg-config, which of the programs are run: cmake, c, cxx
  local usr=$PWD/$1/usr name source
  local -a flags libs
  export PKG_CONFIG_PATH=$usr/lib/pkgconfig
  read -ra flags < <(pkg-config --cflags cleave)
  read -ra libs < <(pkg-config ${2:+"$2"} --libs cleave)
  libs+=("-Wl,-rpath,$usr/lib")

  cmake -S "$root/test/installed" -B "$1/cmake" -DCMAKE_PREFIX_PATH="$usr" -DEXAMPLES="$root/examples" \
    -DCLEAVE_VERSION="$(pkg-config --modversion cleave)" >/dev/null
  cmake --build "$1/cmake" >/dev/null

  mkdir "$1/c" "$1/cxx"
  for source in "$root"/examples/*.c "$root"/examples/parts/*.c; do
    name=$(basename "$source" .c)
    "${c[@]}" "${flags[@]}" "$source" -o "$1/c/$name" "${libs[@]}"
    "${cxx[@]}" "${flags[@]}" "$source" -o "$1/cxx/$name" -x none "${libs[@]}"
    run "$1/$3/$name"
  done

  run "$1/usr/bin/cleave" grid hex 1 1 1 -o cube.vtu
  test -s "$usr/share/doc/cleave/LICENSE"
}

build_shared
install_library static "$build"
install_library shared shared.build
rm -rf shared.build
test_kind static --static cmake
CLEAVE_ISA=sse2 test_kind shared '' cxx

for header in static/usr/include/cleave/*.h; do
  echo "compile ${header##*/} alone"
  echo "#include <cleave/${header##*/}>" | tee -a every.h >one.h
  "${c[@]}" -I static/usr/include -x c -fsyntax-only one.h
  "${cxx[@]}" -I static/usr/include -fsyntax-only one.h
done
"${cxx[@]}" -I static/usr/include -fsyntax-only every.h

nm --dynamic --defined-only shared/usr/lib/libcleave.so >exported
if grep -v ' clv_' exported; then
  echo "installed: libcleave.so must not export the above"
  exit 1
fi
