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

# A version without -SNAPSHOT may also be that of a library, or of a release that a page or a fixture speaks of: there it counts only
# where a version of the project stands.
case "$old" in
  *-SNAPSHOT) before='' places=(. ':!docs/internals/releasing.md' ':!packaging/version.sh') ;; # those two speak of versions to come
  *)
    before='tunnel[^ ]*[ :/-]|<version>|version = "tunnel '
    places=('*pom.xml' README.md Dockerfile docker-compose.yml docs/guides/flink.md '*/TunnelCommand.java')
    ;;
esac
mapfile -t files < <(git grep -lIE -- "($before)${old//./\\.}([^0-9]|$)" "${places[@]}")
for file in "${files[@]}"; do
  sed -E "s#($before)${old//./\\.}([^0-9]|\$)#\1$1\2#g" "$file" >"$file.new"
  # Keeps the file's permissions.
  cat "$file.new" >"$file"
  rm "$file.new"
done
echo "version.sh: $old is now $1 in ${#files[@]} files"
