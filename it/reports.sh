#!/usr/bin/env bash
# Fails when the last run of the tests has skipped one, since what was not run has proved nothing, or when a buffer of Netty's leaked,
# which no test sees: the detector says so in the log, and only after a collection of garbage.
#
#   it/reports.sh              names the skipped tests and the leaks and ends with 1, or with 0 when there are none
#   TUNNEL_SKIPS='PATTERN …'   tests that may be skipped, by class, such as 'io.tunnel.it.containers.*' where there is no engine
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

shopt -s nullglob
reports=({*,*/*}/target/surefire-reports/TEST-*.xml)
outputs=({*,*/*}/target/surefire-reports/*-output.txt)
if [ ${#reports[@]} -eq 0 ]; then
  echo "reports.sh: no reports of tests in target/surefire-reports of any module; run mvn verify first" >&2
  exit 2
fi

# $1: a class. Patterns are the shell's.
may_be_skipped() {
  local pattern
  set -f
  for pattern in ${TUNNEL_SKIPS:-}; do
    # shellcheck disable=SC2254 # the patterns are meant as such
    case "$1" in $pattern) return 0 ;; esac
  done
  return 1
}

bad=0
for report in "${reports[@]}"; do
  # The first line of a report that says how many were skipped is that of its suite.
  count="$(grep -m 1 -oE ' skipped="[0-9]+"' "$report" | tr -dc 0-9)"
  [ "${count:-0}" -gt 0 ] || continue
  class="$(basename "$report" .xml)"
  class="${class#TEST-}"
  if may_be_skipped "$class"; then
    echo "skipped, as TUNNEL_SKIPS allows: $class ($count)"
  else
    echo "skipped: $class ($count): $(grep -m 1 -oE '<skipped[^>]*' "$report" | sed -E 's/<skipped message="([^"]*).*/\1/')" >&2
    bad=1
  fi
done

for output in "${outputs[@]}"; do
  if grep -q 'LEAK: ' "$output"; then
    echo "a buffer leaked: $(grep -m 1 -A 8 'LEAK: ' "$output" | cut -c 1-300) (in $output)" >&2
    bad=1
  fi
done
exit $bad
