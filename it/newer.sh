#!/usr/bin/env bash
# Reports patch releases of our dependencies that are newer than those that the build takes.
#
#   it/newer.sh [--seconds N]      prints a line for each such property of pom.xml; --seconds: gives up behind so many (default: 120)
#
# A report and no check: always exits with 0, also without a registry. Before taking a newer Netty, look whether its native
# libraries are published: pom.xml says which releases came without.
set -uo pipefail

root=$(cd "$(dirname "$0")/.." && pwd)
seconds=120
if [ "${1:-}" = --seconds ] && [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]]; then
  seconds=$2
elif [ $# -gt 0 ]; then
  echo "newer.sh: the only option is --seconds N, not '$*'; goes on with $seconds" >&2
fi

found=$(cd "$root" && timeout "$seconds" mvn -B -ntp -N org.codehaus.mojo:versions-maven-plugin:2.18.0:display-property-updates \
  -DallowMajorUpdates=false -DallowMinorUpdates=false -DallowSnapshots=false '-Dmaven.version.ignore=.*-(alpha|beta|M|RC|rc|CR).*' 2>&1)
status=$?
lines=$(printf '%s\n' "$found" | sed -n 's/^\[INFO\] *\(\${[^}]*}\) *\.* *\(.* -> .*\)$/newer: \1 \2/p')
if [ "$status" -ne 0 ]; then
  echo "newer.sh: no report: Maven ended with $status: $(printf '%s\n' "$found" | grep -m1 ERROR | cut -c1-200)"
elif [ -z "$lines" ]; then
  echo "newer.sh: no newer patch releases"
else
  printf '%s\n' "$lines"
fi
exit 0
