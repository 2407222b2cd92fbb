#!/bin/bash
# Runs the fuzz targets that preset `fuzz` built: scripts/fuzz.sh SECONDS [NAME]
#
# SECONDS is the time of all targets together; NAME is one of them (test/fuzz/fuzz_NAME.c). Each starts from a copy of
# test/fuzz/corpus/NAME in out/fuzz/NAME/corpus, which is where its findings go: nothing that is committed changes.
# With --keep in front, inputs that reach new code are added to the committed corpus at the end, and every run tries
# other inputs; without it, the same inputs are tried in the same order each time, so that a check says the same of the
# same tree.
#
# An input that takes more than 10 s fails. On a busy machine it may have been the machine: it is tried once more, alone,
# and counts as a finding only if it needs more than 5 s again.
set -euo pipefail
cd "$(dirname "$0")/.."

keep= seed=1
if [ "${1-}" = --keep ]; then
  keep=yes seed=0
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

# Whether what stopped a target was the machine: the input that took too long is fast when tried again.
was_stalled() {
  local program=$1 work=$2 input again
  grep -q '^SUMMARY: libFuzzer: timeout' "$work/log" || return 1
  input=$(sed -n "s|.*Test unit written to \\($work/timeout-[0-9a-f]*\\).*|\\1|p" "$work/log" | tail -n 1)
  [ -s "$input" ] || return 1
  again=$(date +%s%N)
  timeout 20 "$program" -timeout=5 -rss_limit_mb=2048 -artifact_prefix="$work/again-" "$input" >"$work/again" 2>&1 ||
    return 1
  again=$((($(date +%s%N) - again) / 1000000))
  echo "fuzz ${program##*/fuzz_}: an input took 10 s, and $again ms when tried again alone: the machine had stalled." \
    "Passed; the input is $input"
}

fuzz() {
  local name=$1 program=build/fuzz/fuzz_$1 kept=test/fuzz/corpus/$1 work=out/fuzz/$1
  rm -rf "$work/corpus"
  mkdir -p "$work/corpus"
  [ ! -d "$kept" ] || cp -r "$kept/." "$work/corpus"

  echo "fuzz $name: $seconds s from $(find "$work/corpus" -type f | wc -l) inputs"
  if ! "$program" -seed="$seed" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    -artifact_prefix="$work/" "$work/corpus" >"$work/log" 2>&1 && ! was_stalled "$program" "$work"; then
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
export -f fuzz was_stalled
export seconds keep seed

printf '%s\0' "${names[@]}" | xargs -0 -P "$(nproc)" -I{} bash -euo pipefail -c 'fuzz {}'
