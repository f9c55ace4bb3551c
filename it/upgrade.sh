#!/usr/bin/env bash
# Upgrades a cluster and a server from a release to this build, under load: ClusterUpgradeTest, whose former build is the release,
# built from its commit. A worker of the release consumes from the start to the end.
#
#   it/upgrade.sh                from the newest release, which it/releases.txt names
#   it/upgrade.sh COMMIT         from another build, such as v0.1.0 or 5d80410c
#
# Ends with 0 when the tests pass, with 1 when one fails, with 2 when the clone does not have the commit.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

case "${1:-}" in
  --help | -h) sed -n '2,8s/^# \{0,1\}//p' "${BASH_SOURCE[0]}"; exit 0 ;;
  -*) echo "upgrade.sh: no option '$1'; see --help" >&2; exit 2 ;;
  '') name="$(tail -n 1 it/releases.txt)" ;;
  *) name=$1 ;;
esac
# A line of it/releases.txt is a version and its commit.
former="$(git rev-parse -q --verify "${name##* }^{commit}")" || {
  echo "upgrade.sh: this clone has no commit '${name##* }'; a shallow clone gets it by: git fetch --unshallow" >&2
  exit 2
}

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo "upgrade.sh: building $name ($former)"
git clone -q --no-checkout . "$work/former"
git -C "$work/former" checkout -q "$former"
(cd "$work/former" && mvn -B -ntp -q -Dquick -pl it -am -DskipTests -Dskip.simulation=true test-compile)
level="$(sed -nE 's/.* int OWN = ([0-9]+);/\1/p' "$work/former/tunnel-protocol/src/main/java/io/tunnel/model/Level.java")"
[[ "$level" =~ ^[0-9]+$ ]] || { echo "upgrade.sh: Level.java of $name does not say its level" >&2; exit 1; }

reports=it/target/quick/surefire-reports
rm -f $reports/*.ClusterUpgradeTest.txt
echo "upgrade.sh: from $name, level $level, to this build"
mvn -B -ntp -Dquick -Pproof -Dproof.parts=proof-upgrade -pl it -am -Dskip.simulation=true -Dsurefire.failIfNoSpecifiedTests=false \
  -Dtest=ClusterUpgradeTest -Dtunnel.former.level="$level" \
  -Dtunnel.former.classpath="$work/former/it/target/quick/test-classes:$(cat "$work/former/it/target/quick/planted.classpath")" test
grep -qE 'Tests run: [1-9]' $reports/*.ClusterUpgradeTest.txt || { echo "upgrade.sh: Maven ran no test" >&2; exit 1; }
