#!/bin/sh
# Builds the page of `cleave view` in web/dist, where its sources are newer than it: scripts/web.sh
# Needs node 18 and npm (scripts/deps.sh web), and the network the first time.
set -eu
cd "$(dirname "$0")/../web"

if ! command -v npm >/dev/null; then
  echo "web.sh: no npm, so the page cannot be built; run: scripts/deps.sh web" >&2
  exit 1
fi
if [ ! -e node_modules/.package-lock.json ] || [ package-lock.json -nt node_modules/.package-lock.json ]; then
  echo "Installing what the page is built with (web/package-lock.json)"
  if ! npm ci --no-fund --no-audit --loglevel=error; then
    echo "web.sh: npm could not install them; without a network, configure with -DCLEAVE_PAGE=OFF: no page, all else" >&2
    exit 1
  fi
  touch node_modules/.package-lock.json
fi
if [ -e dist/index.html ] && [ -z "$(find index.html vite.config.ts package-lock.json public src -newer dist/index.html)" ]; then
  exit 0
fi
npm run --silent build -- --logLevel warn
