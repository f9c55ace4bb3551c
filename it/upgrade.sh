#!/usr/bin/env bash
# Upgrades a cluster and a server from a release to this build, under load: ClusterUpgradeTest, whose former build is the release,
# built from its tag. A worker of the release consumes from the start to the end.
#
#   it/upgrade.sh [TAG]     by default the newest tag of a release; a commit will do
#
# Ends with 0 when the tests pass, with 1 when one fails, with 2 when there is no release.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

tag="${1:-$(git describe --tags --abbrev=0 --match 'v[0-9]*' 2> /dev/null || true)}"
[ -n "$tag" ] || { echo "upgrade.sh: no tag of a release is in this clone: git fetch --tags" >&2; exit 2; }
former="$(git rev-parse -q --verify "$tag^{commit}")" || { echo "upgrade.sh: no commit '$tag'" >&2; exit 2; }

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
echo "upgrade.sh: building $tag ($former)"
git clone -q --no-checkout . "$work/former"
git -C "$work/former" checkout -q "$former"
(cd "$work/former" && mvn -B -ntp -q -Dquick -pl it -am -DskipTests -Dskip.simulation=true test-compile)
level="$(sed -nE 's/.* int OWN = ([0-9]+);/\1/p' "$work/former/tunnel-protocol/src/main/java/io/tunnel/model/Level.java")"
[[ "$level" =~ ^[0-9]+$ ]] || { echo "upgrade.sh: Level.java of $tag does not say its level" >&2; exit 1; }

reports=it/target/quick/surefire-reports
rm -f $reports/*.ClusterUpgradeTest.txt
echo "upgrade.sh: from $tag, level $level, to this build"
mvn -B -ntp -Dquick -Pproof -Dproof.parts=proof-upgrade -pl it -am -Dskip.simulation=true -Dsurefire.failIfNoSpecifiedTests=false \
  -Dtest=ClusterUpgradeTest -Dtunnel.former.level="$level" \
  -Dtunnel.former.classpath="$work/former/it/target/quick/test-classes:$(cat "$work/former/it/target/quick/planted.classpath")" test
grep -qE 'Tests run: [1-9]' $reports/*.ClusterUpgradeTest.txt || { echo "upgrade.sh: Maven ran no test" >&2; exit 1; }
