#!/bin/bash
# Runs the fuzz targets that preset `fuzz` built: scripts/fuzz.sh SECONDS [NAME]
#
# SECONDS is the time of all targets together; NAME is one of them (test/fuzz/fuzz_NAME.c). Each starts from a copy of
# test/fuzz/corpus/NAME in out/fuzz/NAME/corpus, which is where its findings go: nothing that is committed changes.
# With --keep in front, inputs that reach new code are added to the committed corpus at the end.
set -euo pipefail
cd "$(dirname "$0")/.."

keep=
if [ "${1-}" = --keep ]; then
  keep=yes
  shift
fi
total=$1 only=${2-}

names=()
for source in test/fuzz/fuzz_${only:-*}.c; do
  [ -e "$source" ] || { echo "fuzz: there is no $source" >&2 && exit 1; }
  name=${source##*/fuzz_}
  names+=("${name%.c}")
done
seconds=$((total / ${#names[@]}))
((seconds > 0)) || seconds=1

fuzz() {
  local name=$1 program=build/fuzz/fuzz_$1 kept=test/fuzz/corpus/$1 work=out/fuzz/$1
  rm -rf "$work/corpus"
  mkdir -p "$work/corpus"
  [ ! -d "$kept" ] || cp -r "$kept/." "$work/corpus"

  echo "fuzz $name: $seconds s from $(find "$work/corpus" -type f | wc -l) inputs"
  if ! "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1; then
    tail -n 60 "$work/log"
    echo "fuzz $name: FAILED. The whole report is in $work/log, the input it names beside it."
    echo "  To see it again:  $program INPUT"
    echo "  Once it is fixed: copy the input into $kept, so that it stays fixed."
    return 1
  fi
  echo "fuzz $name: $(sed -n 's/^stat::number_of_executed_units: //p' "$work/log") runs, nothing found"
  if [ -n "$keep" ]; then
    mkdir -p "$kept"
    "$program" -merge=1 "$kept" "$work/corpus" >"$work/log" 2>&1
  fi
}
export -f fuzz
export seconds keep

printf '%s\0' "${names[@]}" | xargs -0 -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz {}'
