#!/usr/bin/env bash
# Plants bugs, one at a time, into a copy of the tree, and sees whether the simulation finds them; those whose names begin with
# "c" are planted for the simulation of clusters.
#
#   it/planted.sh [--seeds N] [NAME...]   all patches in it/src/test/planted, or those whose names begin so
#   it/planted.sh --check                 only whether every patch still applies
#
# Prints a table: patch, the invariant that found it, how many seeds that took, seconds.
set -euo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
patches=$root/it/src/test/planted
seeds=4000
check=no
while [ $# -gt 0 ]; do
  case $1 in
    --check) check=yes ;;
    --seeds) seeds=$2; shift ;;
    -*) echo "planted.sh: no option '$1'; there are --check and --seeds N" >&2; exit 2 ;;
    *) break ;;
  esac
  shift
done

selected() {
  if [ $# -eq 0 ]; then
    ls "$patches"/*.patch
  else
    for name in "$@"; do ls "$patches/$name"*.patch; done
  fi
}

if [ "$check" = yes ]; then
  bad=0
  for patch in $(selected "$@"); do
    git -C "$root" apply --check "$patch" || { echo "does not apply: $(basename "$patch")" >&2; bad=1; }
  done
  exit $bad
fi

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
cd "$root"
# One run of Maven: nothing of this build is in the local repository. The module `it` is the last, and its class path stays.
mvn -q -Dquick -pl it -am test-compile dependency:build-classpath -Dmdep.outputFile="$work/classpath" \
  -Dmdep.includeScope=test > "$work/mvn.log" 2>&1 || { cat "$work/mvn.log" >&2; exit 1; }
libraries=$(tr ':' '\n' < "$work/classpath" | grep -v '/io/tunnel/' | grep -v "^$root/" | paste -sd:)

# The sources that the simulation runs, compiled without the checks of a build.
build() {
  rm -rf "$work/tree" "$work/classes"
  mkdir -p "$work/tree" "$work/classes"
  git -C "$root" ls-files -z -- tunnel-protocol/src/main tunnel-server/src/main tunnel-sdk/src/main it/src/test/java \
    | (cd "$root" && xargs -0 cp --parents -t "$work/tree")
  [ -z "$1" ] || (cd "$work/tree" && git apply "$1")
  find "$work/tree/tunnel-protocol" "$work/tree/tunnel-server" "$work/tree/tunnel-sdk" -name '*.java' > "$work/sources"
  find "$work/tree/it/src/test/java/io/tunnel/it/sim" "$work/tree/it/src/test/java/io/tunnel/sdk" -name '*.java' >> "$work/sources"
  find "$work/tree/it/src/test/java/io/tunnel/server" -name 'Sim*.java' >> "$work/sources"
  javac -nowarn --release 17 -parameters -cp "$libraries" -d "$work/classes" @"$work/sources" > "$work/javac.log" 2>&1 \
    || { cat "$work/javac.log" >&2; return 1; }
}

missed=0
printf '%-58s %-38s %6s %8s\n' "planted bug" "found by" seeds seconds
for patch in $(selected "$@"); do
  build "$patch"
  name=$(basename "$patch" .patch)
  case $name in
    c*) simulation=(io.tunnel.it.sim.cluster.ClusterSimulationMain find) ;;
    *) simulation=(io.tunnel.it.sim.SimulationMain) ;;
  esac
  result=$(java -ea -Dorg.slf4j.simpleLogger.defaultLogLevel=off -cp "$work/classes:$libraries" \
    "${simulation[@]}" 1 "$seeds" | grep -E '^(FOUND|NOT FOUND) ' || true)
  if [[ $result =~ ^FOUND\ ([^ ]+)\ after\ ([0-9]+)\ seeds\ in\ ([0-9]+)\ ms ]]; then
    printf '%-58s %-38s %6s %8s\n' "$name" "${BASH_REMATCH[1]}" "${BASH_REMATCH[2]}" \
      "$(awk "BEGIN { printf \"%.1f\", ${BASH_REMATCH[3]} / 1000 }")"
  else
    printf '%-58s %-38s %6s\n' "$name" "NOT FOUND ${result:-(no result)}" "$seeds"
    missed=$((missed + 1))
  fi
done
exit $((missed > 0))
