#!/usr/bin/env bash
# Plants bugs, one at a time, and sees whether the tests or the simulation find them.
#
#   it/planted.sh [--built] [--part K/N] [--jobs N] [--seeds N] [--seconds N] [NAME...]
#                           all patches of it/src/test/planted, or those whose names begin so
#     --built               takes the classes that "mvn verify" left, instead of building
#     --part K/N            only the K-th of N parts of all patches, such as 1/3; every N-th patch is in it
#     --jobs N              so many at a time (default: one for each core)
#     --seeds N             tries so many worlds where the recorded one finds nothing (default: 400)
#     --seconds N           a test that takes longer hangs, which counts as found (default: 120)
#   it/planted.sh --check   only whether every patch still applies
#   it/planted.sh --list    each planted bug: what a user would lose, and which test or world has to notice
#
# The first lines of a patch say what a user would lose, and which test or world has to notice (package io.tunnel.it.planted).
# Prints a line for each: patch, seconds, what found it. Exits with 1 when one was not found.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
patches=$root/it/src/test/planted
jobs=$(nproc)
seeds=400
seconds=120
check=no
list=no
built=no
part=''
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0 ;;
    --check) check=yes ;;
    --list) list=yes ;;
    --built) built=yes ;;
    --part)
      part=${2:-}
      if ! [[ $part =~ ^([1-9][0-9]?)/([1-9][0-9]?)$ ]] || [ "${BASH_REMATCH[1]}" -gt "${BASH_REMATCH[2]}" ]; then
        echo "planted.sh: --part wants one of so many parts, such as 1/3, not '$part'" >&2
        exit 2
      fi
      shift ;;
    --jobs) jobs=$2; shift ;;
    --seeds) seeds=$2; shift ;;
    --seconds) seconds=$2; shift ;;
    -*) echo "planted.sh: no option '$1'; there are --check, --list, --built, --part K/N, --jobs N, --seeds N and --seconds N" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done

if [ "$list" = yes ]; then
  for patch in "$patches"/*.patch; do
    printf '%s\n' "$(basename "$patch" .patch)"
    sed -nE '1,/^diff /s/^(What|Judge): /  \1: /p' "$patch"
  done
  exit 0
fi
if [ "$check" = yes ]; then
  bad=0
  for patch in "$patches"/*.patch; do
    git -C "$root" apply --check "$patch" || { echo "does not apply: $(basename "$patch")" >&2; bad=1; }
  done
  exit $bad
fi

if [ -n "$part" ]; then
  [ $# -eq 0 ] || { echo "planted.sh: --part is of all patches; leave the names out" >&2; exit 2; }
  names=("$patches"/*.patch)
  names=("${names[@]##*/}")
  for ((at = ${part%/*} - 1; at < ${#names[@]}; at += ${part#*/})); do
    set -- "$@" "${names[at]%.patch}"
  done
fi

cd "$root"
target=target
if [ "$built" = no ]; then
  target=target/quick
  log=$(mktemp)
  mvn -q -B -ntp -Dquick test-compile > "$log" 2>&1 || { cat "$log" >&2; rm -f "$log"; exit 1; }
  rm -f "$log"
fi
[ -f "it/$target/planted.classpath" ] || { echo "planted.sh: nothing is built; leave --built out" >&2; exit 2; }
exec java -cp "it/$target/test-classes:$(cat "it/$target/planted.classpath")" io.tunnel.it.planted.PlantedMain \
  "$root" "$target" "$jobs" "$seeds" "$seconds" "$@"
