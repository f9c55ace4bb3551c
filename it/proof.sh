#!/usr/bin/env bash
# Runs the tests that prove for minutes, which "mvn verify" leaves out. A part is a tag of tests (proof-PART) or, for sim, the simulations,
# and for mutation, it/mutation.sh.
#
#   it/proof.sh                       every part
#   it/proof.sh PART...               these parts; CONTRIBUTING.md says what each part notices
#   it/proof.sh --touched REV         every part whose code changed since the commit REV, and today's third of the others
#     --minutes N                     of those parts as many as fit into N minutes of two idle cores, at least one; the others are named. Which
#                                     come first changes from day to day, so each part has its turn
#     --plan                          prints those parts, one a line, and runs nothing
#
# Ends with 0 when every test passed, with 1 when one failed, with 2 for a wrong option.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# part|minutes on two idle cores, beside other parts|extended regular expression of the paths that touch it.
# A change of a pom.xml, of the build or of the protocol touches every part.
every='(^|/)pom\.xml$|^\.mvn/|^tunnel-protocol/src/main/|^it/proof\.sh$|^\.ci/'
server='^tunnel-server/src/main/java/io/tunnel/server'
sdk='^tunnel-sdk/src/main/'
parts=(
  "cluster|9|$server/(replica|cluster|kafka|node|engine|catalog|disk)/|^it/kafka-broker/src/main/|^it/src/test/java/io/tunnel/(it/(cluster|process|ledger)|server)/"
  "console|5|$server/(console|forward|metrics)/|^tunnel-server/src/main/resources/|^it/src/test/java/io/tunnel/it/console/"
  "containers|4|^Dockerfile$|^docker-compose|^tunnel$|^it/containers/|^it/src/test/java/io/tunnel/it/containers/"
  "docs|3|^README\.md$|^docs/|^(tunnel-cli|partition-tool|stress-writer|perf-processor|terminal|tunnel-sdk|tunnel-testkit)/src/main/|^tunnel$|^it/src/test/java/io/tunnel/it/docs/"
  "flink|3|^(tunnel-flink|perf-processor/flink|it/flink)/|$sdk"
  "fuzz|2|$server/(log|net|partition)/|^(tunnel-cli|stress-writer|tunnel-sdk)/src/main/|^it/fuzz/"
  "hostile|2|$server/(net|security|partition/read)/|^bench/programs/src/main/java/io/tunnel/programs/torture/|^it/src/test/java/io/tunnel/it/hostile/"
  "kafka|2|$server/(kafka|node|cluster|replica)/|^(it/kafka-broker|bench/kafka-table)/"
  "monitoring|2|^deploy/|$server/metrics/|^it/src/test/java/io/tunnel/it/monitoring/"
  "mutation|7|^it/mutation|$server/net/access/|^terminal/src/main/"
  "nodes|9|$server/(replica|cluster|node|session|catalog|changes|net/delivery)/|$sdk|^it/src/test/java/io/tunnel/it/(cluster|process|contract|programs)/"
  "programs|3|^(tunnel-cli|bench/programs|bench/artemis-queue|bench/zookeeper|partition-tool|stress-writer|perf-processor|terminal|tunnel-testkit)/src/main/|$server/metrics/|^it/src/test/java/io/tunnel/it/programs/"
  "service|3|$server/(partition|log|disk|table|changes|channel|session|catalog|net|engine)/|$sdk|^it/src/test/java/io/tunnel/it/(session|table|process|ledger)/"
  "sim|4|$server/|$sdk|^it/sim/"
  "upgrade|6|$server/(cluster|catalog|engine|log|kafka)/|^it/upgrade\.sh$|^it/releases\.txt$|^it/src/test/java/io/tunnel/it/(cluster|process)/"
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

# $1: a commit; $2: minutes. Prints the parts to run, and on standard error those that the minutes leave out. All parts stand in a ring as
# long as their minutes; each day begins a step farther, so days that run a step each come round in a few.
step=14
touched() {
  local changed each name minutes paths all=0 first=0 begin at=0 spent=0 i out=()
  changed="$(git diff --name-only "$1")" || return 1
  for each in "${parts[@]}"; do IFS='|' read -r name minutes paths <<< "$each"; all=$((all + minutes)); done
  begin=$((10#$(date -u +%j) * step % all))
  for each in "${parts[@]}"; do
    IFS='|' read -r name minutes paths <<< "$each"
    [ "$begin" -ge "$minutes" ] || break
    begin=$((begin - minutes))
    first=$((first + 1))
  done
  for ((i = 0; i < ${#parts[@]}; i++)); do
    IFS='|' read -r name minutes paths <<< "${parts[(first + i) % ${#parts[@]}]}"
    if ! grep -qE "$every|$paths" <<< "$changed"; then
      at=$((at + 1))
      [ $((at % 3)) -eq 1 ] || continue
    fi
    if [ $spent -eq 0 ] || [ $((spent + minutes)) -le "$2" ]; then
      spent=$((spent + minutes))
      echo "$name"
    else
      out+=("$name")
    fi
  done
  [ ${#out[@]} -eq 0 ] || echo "proof.sh: left to another day, for want of time: ${out[*]}" >&2
}

since='' minutes=1000 plan=no chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    --touched) [ $# -ge 2 ] || fail "--touched wants a commit"; since=$2; shift ;;
    --minutes)
      [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || fail "--minutes wants a number of minutes, such as 20, not '${2:-}'"
      minutes=$2
      shift ;;
    --plan) plan=yes ;;
    --help | -h) sed -n '2,14s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
    -*) fail "no option '$1'; there are --touched REV, --minutes N and --plan" ;;
    *) known "$1" || fail "no part '$1'; there are $(printf '%s ' "${parts[@]%%|*}")"; chosen+=("$1") ;;
  esac
  shift
done
if [ -n "$since" ]; then
  git rev-parse -q --verify "$since^{commit}" > /dev/null || fail "no commit '$since'"
  # Not from a process substitution, whose failure nobody sees: nothing would be chosen, and nothing run.
  planned="$(touched "$since" "$minutes")" || fail "git does not say what changed since $since"
  [ -n "$planned" ] || fail "no part was chosen"
  mapfile -t chosen <<< "$planned"
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
tags='' simulate=true shared=() alone='' upgrade=no mutation=no
for name in "${chosen[@]}"; do
  case $name in
    mutation) mutation=yes ;;
    cluster | nodes) alone="${alone:+$alone | }proof-$name" ;;
    upgrade) upgrade=yes ;;
    sim) simulate=false; shared+=("$name") ;;
    *) tags="${tags:+$tags | }proof-$name"; shared+=("$name") ;;
  esac
done
if [ ${#shared[@]} -gt 0 ]; then
  run "${shared[*]}" -Dproof.parts="${tags:-none}" -Dskip.simulation=$simulate -Dit.forks=2
fi
if [ $mutation = yes ]; then
  it/mutation.sh
fi
if [ $upgrade = yes ]; then
  # A shallow clone does not have the newest release: there the test goes from this build to this build.
  if git cat-file -e "$(tail -n 1 it/releases.txt | cut -d ' ' -f 2)^{commit}" 2> /dev/null; then
    it/upgrade.sh
  else
    alone="${alone:+$alone | }proof-upgrade"
  fi
fi
if [ -n "$alone" ]; then
  run "$alone" -pl it -am -Dproof.parts="$alone" -Dskip.simulation=true -Dit.forks=1
fi
