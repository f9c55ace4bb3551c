#!/usr/bin/env bash
# Writes the fixture of a release with the present build: what ReleasesTest of later builds opens.
#
#   it/release-fixture.sh VERSION     writes it/src/test/resources/releases/VERSION anew; commit the directory
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ "${1:-}" =~ ^[0-9]+\.[0-9]+\.[0-9]+$ ]] || { echo "release-fixture.sh: a version is MAJOR.MINOR.PATCH, not '${1:-}'" >&2; exit 2; }
mvn -q -B -ntp -Dquick -pl it -am -DskipTests -Dskip.simulation=true test-compile
cd it
java -ea -Xmx1g -cp "target/quick/test-classes:$(cat target/quick/planted.classpath)" io.tunnel.it.releases.ReleaseFixtureMain "$1"
ls -l "src/test/resources/releases/$1"
