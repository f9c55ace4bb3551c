#!/usr/bin/env bash
# Builds a release twice, from two clones in directories of different names, one after the other, and compares byte for byte: the
# archives, the jars with sources and Javadoc, the poms and the bill of materials, as "mvn deploy" writes them to a directory.
#
#   it/reproducible.sh [REV]     by default HEAD; the working tree is not built
#
# Ends with 0 when both builds are equal, else with 1 and the names of what differs. Leaves nothing, but for the first build when
# KEEP names a directory that does not exist yet.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

rev="$(git rev-parse --verify "${1:-HEAD}^{commit}")"
root="$PWD"
work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT

# $1: a directory. Everything that is published comes to $1.published. Nothing is tested or linted here: .ci/run did both.
build() {
  git clone -q --no-checkout "$root" "$1"
  git -C "$1" checkout -q "$rev"
  (cd "$1" && mvn -B -ntp -q -Prelease -Dquick -Dmaven.test.skip=true -Dmaven.install.skip=true -pl packaging/bom,packaging/dist,tunnel-flink \
    -am -DaltDeploymentRepository="check::file://$1.published" deploy)
}

# Snapshots are published under the time of the build, and metadata says when.
list() {
  (cd "$1" && find . -type f ! -name 'maven-metadata*' ! -name '*.sha1' ! -name '*.md5' | sort |
    while read -r file; do
      echo "$(sed -E 's/-[0-9]{8}\.[0-9]{6}-[0-9]+/-SNAPSHOT/' <<<"$file") $(sha256sum <"$file")"
    done)
}

build "$work/one"
build "$work/another place"
list "$work/one.published" >"$work/one.list"
list "$work/another place.published" >"$work/another.list"
[ -s "$work/one.list" ] || { echo "reproducible.sh: nothing was published" >&2; exit 1; }
if [ -n "${KEEP:-}" ]; then mv "$work/one.published" "$KEEP"; fi
if ! diff "$work/one.list" "$work/another.list" >&2; then
  echo "reproducible.sh: two builds of $rev differ" >&2
  exit 1
fi
echo "reproducible.sh: two builds of $rev are equal in $(wc -l <"$work/one.list") files:"
sed 's/ .*//; s/^/  /' "$work/one.list"
