#!/bin/bash
# Runs the tests of a built preset and closes with ctest's own count: scripts/test.sh PRESET
set -euo pipefail
cd "$(dirname "$0")/.."

log=build/$1/ctest.log
status=0
ctest --preset "$1" --parallel "$(nproc)" | tee "$log" || status=$?
grep -E '^[0-9]+% tests passed, ' "$log"
exit $status
