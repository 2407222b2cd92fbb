#!/bin/sh
# Configures and builds a preset: scripts/build.sh PRESET [CMAKE-ARGUMENT...]
set -eu
preset=$1
shift
cmake --preset "$preset" "$@" >/dev/null
cmake --build --preset "$preset" --parallel "$(nproc)"
