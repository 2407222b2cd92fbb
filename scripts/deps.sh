#!/bin/sh
# Installs the Debian packages that the named groups need and that are missing: scripts/deps.sh GROUP...
# Says what it installs; says nothing when everything is there.
set -eu

packages() {
  case $1 in
  build) echo gcc libc6-dev make cmake pkg-config zlib1g-dev libyaml-dev libhdf5-dev libcairo2-dev libsuitesparse-dev libwebsockets-dev ;;
  test) echo libcmocka-dev g++ lld python3 python3-meshio python3-vtk9 python3-h5py python3-jsonschema python3-yaml calculix-ccx tetgen ;;
  check) echo clang llvm libclang-rt-14-dev clang-tidy clang-format cppcheck python3 ;;
  hand) echo python3 valgrind ;;
  coverage) echo gcovr ;;
  docs) echo doxygen ;;
  bench) echo g++ libcgal-dev ;;
  web) command -v npm >/dev/null || echo nodejs npm ;; # node of another origin brings an npm that is no package
  web-test) echo chromium ;;
  *) echo "deps.sh: no group '$1': build, test, check, hand, coverage, docs, bench, web, web-test" >&2 && return 1 ;;
  esac
}

wanted=
for group; do
  list=$(packages "$group")
  wanted="$wanted $list"
done

if ! command -v dpkg-query >/dev/null; then
  echo "deps.sh: not a Debian system; going on as if the equivalents of these were installed:$wanted"
  exit 0
fi

missing=
for package in $wanted; do
  case " $missing " in *" $package "*) continue ;; esac
  case $(dpkg-query -W -f ' ${db:Status-Status} ' "$package" 2>/dev/null) in
  *' installed '*) ;;
  *) missing="$missing $package" ;;
  esac
done
[ -n "$missing" ] || exit 0

echo "Installing:$missing"
if [ "$(id -u)" = 0 ]; then
  as_root='env'
elif command -v sudo >/dev/null; then
  as_root='sudo env'
else
  echo "deps.sh: neither root nor sudo; ask someone who may to run: apt-get install$missing" >&2
  exit 1
fi
apt_get() {
  $as_root DEBIAN_FRONTEND=noninteractive apt-get -qq -o Dpkg::Use-Pty=0 "$@"
}

# The package lists may be absent or old; fetch them only when an installation with what is there fails.
log=$(mktemp)
trap 'rm -f "$log"' EXIT
# shellcheck disable=SC2086
if ! apt_get install -y --no-install-recommends $missing >"$log" 2>&1 &&
  ! { apt_get update && apt_get install -y --no-install-recommends $missing; } >"$log" 2>&1; then
  cat "$log" >&2
  echo "deps.sh: could not install:$missing" >&2
  exit 1
fi
