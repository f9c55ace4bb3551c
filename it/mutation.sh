#!/usr/bin/env bash
# Changes the product in one place at a time (pitest), and sees whether a unit test notices: calls without a result are left out, conditions
# negated, sums made differences, results emptied. it/mutation/packages.txt has the classes, the tests, and the number of mutants that are
# known to survive, which may only fall; it/mutation/equivalents.txt has those that nobody could notice, each with its reason.
#
#   it/mutation.sh [--built] [--update] [--all] [NAME...]
#                           these lines of packages.txt, or all
#     --touched REV         those whose classes or tests changed since the commit REV; none is right, too
#     --minutes N           of those as many as fit into N minutes of two idle cores, at least one; the others are named. Which come first
#                           changes from day to day
#     --built               takes the classes that "mvn verify" left, instead of building
#     --update              writes smaller numbers of survivors into packages.txt
#     --all                 prints every survivor, also where there are no more than known
#     --plan                prints the names of those lines, and runs nothing
#
# For example, after a change of quotas: it/mutation.sh --all quotas
#
# Prints a line for each: name, mutants, those noticed, survivors, how many may survive, and pitest's minutes; and, where there are more, each
# survivor with its file and line. Ends with 0 when no line has more survivors than packages.txt says, with 1 when one has, or when an entry
# of equivalents.txt fits nothing, with 2 for a wrong option.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

packages=it/mutation/packages.txt

fail() {
  echo "mutation.sh: $*" >&2
  exit 2
}

lines() { grep -vE '^(#|$)' "$packages"; }

# $1: a field, from 1; standard input: lines.
field() { cut -d '|' -f "$1" | sed 's/^ *//; s/ *$//'; }

# $1: patterns of classes; $2: the module. The paths of their sources and tests, as an extended regular expression.
paths() {
  local each out=''
  for each in ${1//,/ }; do
    each=${each//./\/}
    out+="|^$2/src/(main|test)/java/${each//\*/[^ ]*}"
  done
  echo "${out#|}"
}

since='' minutes=1000 built=no update=no all=no plan=no chosen=()
while [ $# -gt 0 ]; do
  case $1 in
    -h | --help)
      sed -n '2,/^set -/{/^#/s/^# \{0,1\}//p}' "$0"
      exit 0 ;;
    --touched) [ $# -ge 2 ] || fail "--touched wants a commit"; since=$2; shift ;;
    --minutes)
      [[ ${2:-} =~ ^[1-9][0-9]{0,3}$ ]] || fail "--minutes wants a number of minutes, such as 5, not '${2:-}'"
      minutes=$2
      shift ;;
    --built) built=yes ;;
    --update) update=yes ;;
    --all) all=yes ;;
    --plan) plan=yes ;;
    -*) fail "no option '$1'; there are --touched REV, --minutes N, --built, --update, --all and --plan" ;;
    *)
      lines | field 1 | grep -qxF -- "$1" || fail "no line '$1' in $packages; there are $(lines | field 1 | tr '\n' ' ')"
      chosen+=("$1") ;;
  esac
  shift
done

if [ ${#chosen[@]} -eq 0 ]; then
  if [ -n "$since" ]; then
    git rev-parse -q --verify "$since^{commit}" > /dev/null || fail "no commit '$since'"
    changed="$(git diff --name-only "$since"; git ls-files --others --exclude-standard)"
    while IFS='|' read -r name module classes tests _; do
      each="$(paths "${classes// /}" "${module// /}")|$(paths "${tests// /}" "${module// /}")|^it/mutation"
      if grep -qE "$each" <<< "$changed"; then chosen+=("${name// /}"); fi
    done < <(lines)
  else
    mapfile -t chosen < <(lines | field 1)
  fi
fi
# Each day begins one line farther.
fitting=() left=() spent=0
day=$((10#$(date -u +%j)))
for ((i = 0; i < ${#chosen[@]}; i++)); do
  name=${chosen[(day + i) % ${#chosen[@]}]}
  takes=$(lines | grep -E "^$name *\|" | field 5)
  if [ $spent -eq 0 ] || [ $((spent + takes)) -le "$minutes" ]; then
    spent=$((spent + takes))
    fitting+=("$name")
  else
    left+=("$name")
  fi
done
[ ${#left[@]} -eq 0 ] || echo "mutation.sh: left to another day, for want of time: ${left[*]}" >&2
if [ "$plan" = yes ]; then
  [ ${#fitting[@]} -eq 0 ] || printf '%s\n' "${fitting[@]}"
  exit 0
fi
if [ ${#fitting[@]} -eq 0 ]; then
  echo "mutation: no class of $packages was touched"
  exit 0
fi

modules=''
for name in "${fitting[@]}"; do modules+=$'\n'"$(lines | grep -E "^$name *\|" | field 2)"; done
modules="$(sort -u <<< "$modules" | sed '/^$/d' | paste -s -d ,)"
log=$(mktemp)
trap 'rm -f "$log"' EXIT
started=$SECONDS

# The arguments are Maven's, whose output is shown when Maven fails.
build() { mvn -B -ntp "$@" > "$log" 2>&1 || { tail -n 100 "$log" >&2; echo "mutation.sh: Maven failed" >&2; exit 1; }; }

target=target how=()
if [ "$built" = no ]; then
  target=target/quick
  how=(-Dquick)
  build -Dquick -pl "$modules" -am test-compile
fi
code=0
for name in "${fitting[@]}"; do
  line="$(lines | grep -E "^$name *\|")"
  module="$(field 2 <<< "$line")"
  rm -rf "$module/$target/pit-reports"
  begun=$SECONDS
  build -Pmutation "${how[@]}" -Dmaven.main.skip=true -Dmaven.test.skip=true -pl "$module" -am process-test-classes \
    -Dmutation.classes="$(field 3 <<< "$line" | tr -d ' ')" -Dmutation.tests="$(field 4 <<< "$line" | tr -d ' ')" \
    -Dmutation.threads="$(nproc)"
  python3 it/mutation/survivors.py "$target" "$update" "$all" "$name" $((SECONDS - begun)) || code=1
done
printf 'mutation: %s took %d:%02d minutes\n' "${fitting[*]}" $(((SECONDS - started) / 60)) $(((SECONDS - started) % 60))
exit $code
