#!/usr/bin/env bash
# Sets the version of the project everywhere: in the poms, the programs, the pages, the image and the compose file.
#
#   packaging/version.sh VERSION     such as 0.1.0, or 0.2.0-SNAPSHOT
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

[[ "${1:-}" =~ ^[0-9]+\.[0-9]+\.[0-9]+(-SNAPSHOT)?$ ]] || {
  echo "version.sh: a version is MAJOR.MINOR.PATCH or MAJOR.MINOR.PATCH-SNAPSHOT, not '${1:-}'" >&2
  exit 2
}
# The project's own version is the first of its pom.
old="$(sed -n 's/^  <version>\(.*\)<\/version>$/\1/p' pom.xml | head -n 1)"
[ "$old" != "$1" ] || { echo "version.sh: the version is $1 already"; exit 0; }

# A version without -SNAPSHOT may also be that of a library, or of a release that a page or a fixture speaks of.
case "$old" in
  *-SNAPSHOT) mapfile -t files < <(git grep -lIF -- "$old") ;;
  *) mapfile -t files < <(git grep -lIE -- "(tunnel[^ ]*[ :/-]|<version>|version = \"tunnel )${old//./\\.}" -- \
    '*pom.xml' README.md Dockerfile docker-compose.yml docs/flink.md '*/TunnelCommand.java' '*/containers/Engine.java') ;;
esac
for file in "${files[@]}"; do
  sed "s/${old//./\\.}\([^0-9]\|$\)/$1\1/g" "$file" >"$file.new"
  # Keeps the file's permissions.
  cat "$file.new" >"$file"
  rm "$file.new"
done
echo "version.sh: $old is now $1 in ${#files[@]} files"
