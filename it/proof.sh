#!/usr/bin/env bash
# Runs the tests that prove for minutes, which "mvn verify" leaves out. A part is a tag of tests (proof-PART) or, for sim, the simulations.
#
#   it/proof.sh                       every part
#   it/proof.sh PART...               these parts; CONTRIBUTING.md says what each part notices
#   it/proof.sh --touched REV         every part whose code changed since the commit REV, and today's third of the others
#   it/proof.sh --touched REV --plan  prints those parts, one a line, and runs nothing
#
# Ends with 0 when every test passed, with 1 when one failed, with 2 for a wrong option.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# part|extended regular expression of the paths that touch it. A change of a pom.xml, of the build or of the protocol touches every part.
every='(^|/)pom\.xml$|^\.mvn/|^tunnel-protocol/src/main/|^it/proof\.sh$|^\.ci/'
server='^tunnel-server/src/main/java/io/tunnel/server'
sdk='^tunnel-sdk/src/main/'
parts=(
  "cluster|$server/(replica|cluster|kafka|node|engine|session|catalog|changes|net/delivery)/|$sdk|^it/kafka-broker/src/main/|^it/src/test/java/io/tunnel/(it/(cluster|process|ledger|contract)|server)/"
  "console|$server/(console|forward|metrics)/|^tunnel-server/src/main/resources/|^it/src/test/java/io/tunnel/it/console/"
  "containers|^Dockerfile$|^docker-compose|^tunnel$|^it/containers/|^it/src/test/java/io/tunnel/it/containers/"
  "docs|^README\.md$|^docs/|^(tunnel-cli|partition-tool|stress-writer|perf-processor|terminal|tunnel-sdk)/src/main/|^tunnel$|^it/src/test/java/io/tunnel/it/docs/"
  "flink|^(tunnel-flink|perf-processor/flink|it/flink)/|$sdk"
  "fuzz|$server/(log|net|partition)/|^(tunnel-cli|stress-writer|tunnel-sdk)/src/main/|^it/fuzz/"
  "hostile|$server/(net|security|partition/read)/|^bench/programs/src/main/java/io/tunnel/programs/torture/|^it/src/test/java/io/tunnel/it/hostile/"
  "kafka|$server/(kafka|node|cluster|replica)/|^(it/kafka-broker|bench/kafka-table)/"
  "monitoring|^deploy/|$server/metrics/|^it/src/test/java/io/tunnel/it/monitoring/"
  "programs|^(tunnel-cli|bench/programs|partition-tool|stress-writer|perf-processor|terminal)/src/main/|$server/metrics/|^it/src/test/java/io/tunnel/it/programs/"
  "service|$server/(partition|log|disk|table|changes|channel|session|catalog|net|engine)/|$sdk|^it/src/test/java/io/tunnel/it/(session|table|process|ledger)/"
  "sim|$server/|$sdk|^it/sim/"
)

fail() {
  echo "proof.sh: $*" >&2
  exit 2
}

known() {
  local each
  for each in "${parts[@]}"; do [ "${each%%|*}" = "$1" ] && return 0; done
  return 1
}

# $1: a commit. Prints the parts to run.
touched() {
  local changed each name at=0 day
  git rev-parse -q --verify "$1^{commit}" > /dev/null || fail "no commit '$1'"
  changed="$(git diff --name-only "$1")"
  day=$((10#$(date -u +%j) % 3))
  for each in "${parts[@]}"; do
    name=${each%%|*}
    if grep -qE "$every|${each#*|}" <<< "$changed"; then
      echo "$name"
    else
      [ $((at % 3)) -ne "$day" ] || echo "$name"
      at=$((at + 1))
    fi
  done
}

since='' plan=no chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    --touched) [ $# -ge 2 ] || fail "--touched wants a commit"; since=$2; shift ;;
    --plan) plan=yes ;;
    --help | -h) sed -n '2,10s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "no option '$1'; there are --touched REV and --plan" ;;
    *) known "$1" || fail "no part '$1'; there are $(printf '%s ' "${parts[@]%%|*}")"; chosen+=("$1") ;;
  esac
  shift
done
if [ -n "$since" ]; then
  while read -r name; do chosen+=("$name"); done < <(touched "$since")
elif [ ${#chosen[@]} -eq 0 ]; then
  chosen=("${parts[@]%%|*}")
fi
if [ "$plan" = yes ]; then
  printf '%s\n' "${chosen[@]}"
  exit 0
fi

# $1: minutes are said under this name; the others: Maven's options. Failing tests end the script.
run() {
  local name=$1 started=$SECONDS
  shift
  echo "proof: $name"
  mvn -B -ntp -Pproof -Dsurefire.failIfNoSpecifiedTests=false "$@" verify
  printf 'proof: %s took %d:%02d minutes\n' "$name" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
}

# Clusters of real nodes want both cores. All other parts share one run of Maven.
tags='' simulate=true shared=()
for name in "${chosen[@]}"; do
  case $name in
    cluster) ;;
    sim) simulate=false; shared+=("$name") ;;
    *) tags="${tags:+$tags | }proof-$name"; shared+=("$name") ;;
  esac
done
if [ ${#shared[@]} -gt 0 ]; then
  run "${shared[*]}" -Dproof.parts="${tags:-none}" -Dskip.simulation=$simulate -Dit.forks=2
fi
case " ${chosen[*]} " in
  *' cluster '*) run cluster -pl it -am -Dproof.parts=proof-cluster -Dskip.simulation=true -Dit.forks=1 ;;
esac
