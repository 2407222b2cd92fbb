#!/bin/bash
# Everything that must hold besides the tests: scripts/check.sh [STAGE...], every stage when none is named.
set -euo pipefail
cd "$(dirname "$0")/.."

declare -A advice

advice[format]='run `make format`.'
stage_format() {
  scripts/sources.sh 'c|h|cpp' | xargs -0 clang-format --dry-run -Werror
}

advice[layering]='include less, or move the code to the room it belongs to. The order is in scripts/rooms.txt.'
stage_layering() {
  scripts/layering.py --self-test
  scripts/layering.py
}

advice[tidy]='fix it. If a check is wrong for this code base, turn it off in .clang-tidy and say why there.'
stage_tidy() {
  cmake --preset debug >/dev/null
  # One file a process: the va_list check of clang-tidy 14 is wrong from the second file on. The peers are left out: in
  # them clang-tidy would mostly read CGAL. Files that are not built here are read with the options of others. The analyzer
  # gives up on a function after 20,000 steps instead of 225,000, which takes a fifth of the time. An option of gcc that
  # clang does not know is taken out.
  mkdir -p build/tidy
  sed 's/ -fno-var-tracking-assignments//' build/debug/compile_commands.json >build/tidy/compile_commands.json
  scripts/sources.sh c | xargs -0 -P "$(nproc)" -n 1 clang-tidy --quiet -p build/tidy --extra-arg="-I$PWD/src" \
    --extra-arg=-Xclang --extra-arg=-analyzer-config --extra-arg=-Xclang --extra-arg=max-nodes=20000 2> >(grep -v ' generated\.$' >&2)
}

advice[cppcheck]='fix it. A false alarm gets `// cppcheck-suppress ID` with the reason beside it.'
stage_cppcheck() {
  mkdir -p build/cppcheck
  # objectIndex is off: cppcheck 2.10 takes `a.data.data[i]` for the address of a local variable. So are the checks across
  # files: they know neither functions that do not return nor structures that are filled field by field.
  scripts/sources.sh c | xargs -0 cppcheck --quiet --std=c11 -j "$(nproc)" --cppcheck-build-dir=build/cppcheck \
    --enable=warning,performance,portability --suppress=objectIndex --suppress=ctunullpointer --suppress=ctuuninitvar \
    --inline-suppr --error-exitcode=1 \
    -D_POSIX_C_SOURCE=200809L -I include -I src -I test
}

advice[sanitizers]='run build/debug/test_NAME, under a debugger if need be.'
stage_sanitizers() {
  scripts/build.sh debug
  scripts/test.sh debug
}

advice[fuzz]='see above what to do with the input that was found.'
stage_fuzz() {
  scripts/build.sh fuzz
  scripts/fuzz.sh 60
}

[ $# -gt 0 ] || set -- format layering tidy cppcheck sanitizers fuzz
for stage; do
  echo "==== $stage"
  trap 'echo "==== $stage FAILED: ${advice[$stage]}" >&2' EXIT
  "stage_$stage"
done
trap - EXIT
