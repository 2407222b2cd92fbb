#!/bin/sh
# Lists our own files with the given endings, NUL-separated: scripts/sources.sh 'c|h'
set -eu
cd "$(dirname "$0")/.."
exec find . \( -path ./.git -o -path ./build -o -path ./out \) -prune -o \
  -type f -regextype posix-extended -regex ".*\.($1)" -print0
