#!/usr/bin/env bash
# Checks the archive of a release where there is only a JRE: it is unpacked into a directory with a space in its name, and started
# with a path of a JRE, a shell and coreutils alone, and without a network.
#
#   it/archive.sh [ARCHIVE]    by default the tar.gz of the version of pom.xml, which "mvn -Dquick -Prelease package" left in packaging/dist
#
# Ends with 0 when the programs do what they should, else with 1.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

fail() {
  echo "archive.sh: $*" >&2
  exit 1
}

# The version of the sources, and not of whatever archive an earlier build left.
expected="$(python3 - <<'PY'
import xml.etree.ElementTree as tree
print(tree.parse("pom.xml").getroot().findtext("{http://maven.apache.org/POM/4.0.0}version"))
PY
)"
[[ "$expected" =~ ^[0-9]+\.[0-9]+\.[0-9]+(-SNAPSHOT)?$ ]] || fail "pom.xml says no version, but '$expected'"
archive="${1:-packaging/dist/target/quick/tunnel-$expected.tar.gz}"
[ -f "$archive" ] || fail "there is no $archive; build it with: mvn -B -ntp -Dquick -Dmaven.test.skip=true -Prelease -pl packaging/dist -am package"
if [ $# -eq 0 ]; then
  newer="$(git ls-files -z -- '*/src/main/*' pom.xml packaging |
    xargs -0 bash -c 'find "$@" -newer "$0" -print' "$archive" | sed -n 1p)"
  [ -z "$newer" ] || fail "$archive is older than $newer; build it again"
fi
java="$(readlink -f "${JAVA_HOME:+$JAVA_HOME/bin/}$(basename "$(command -v java)")" 2>/dev/null || true)"
[ -x "$java" ] || java="$(readlink -f "$(command -v java)")"
jdk="$(dirname "$(dirname "$java")")"

work="$(mktemp -d)"
trap 'rm -rf "$work"' EXIT
# What a JRE of a vendor has, and we need: jdk.random has the SDK's jitter, jdk.unsupported what Netty and RocksDB use.
"$jdk/bin/jlink" --add-modules java.se,jdk.unsupported,jdk.management,jdk.random,jdk.crypto.ec,jdk.zipfs,jdk.localedata \
  --output "$work/jre"
[ ! -e "$work/jre/bin/javac" ] || fail "the JRE has a compiler"

mkdir "$work/bin" "$work/place of the archive" "$work/tmp"
for program in bash cat cksum dirname env mkdir mktemp mv readlink rm; do
  ln -s "$(command -v "$program")" "$work/bin/$program"
done
ln -s "$work/jre/bin/java" "$work/bin/java"
# Both archives of a release have the same files.
if [ $# -eq 0 ]; then
  python3 - "$archive" "${archive%.tar.gz}.zip" <<'PY'
import sys, tarfile, zipfile
first = tarfile.open(sys.argv[1])
tar = {member.name: first.extractfile(member).read() for member in first if member.isfile()}
packed = zipfile.ZipFile(sys.argv[2])
others = {name: packed.read(name) for name in packed.namelist() if not name.endswith("/")}
wrong = sorted(name for name in tar.keys() | others.keys() if tar.get(name) != others.get(name))
if wrong or not tar:
    sys.exit(f"archive.sh: {sys.argv[2]} and the tar.gz differ in {len(wrong)} of {len(tar)} files: {', '.join(wrong[:5])}")
PY
fi
tar xzf "$archive" -C "$work/place of the archive"
home="$(find "$work/place of the archive" -mindepth 1 -maxdepth 1)"
for file in tunnel LICENSE NOTICE CHANGELOG.md README.md sbom.json completion/tunnel.bash completion/tunnel.zsh completion/tunnel.fish; do
  [ -s "$home/$file" ] || fail "the archive has no $file"
done
# Every library is in the bill of materials and, if it is not ours, in NOTICE.
for jar in "$home"/lib/*.jar; do
  name="$(basename "$jar" .jar)"
  case "$name" in
    tunnel-* | terminal-* | partition-tool-* | stress-writer-* | perf-processor-* | bench-programs-*) continue ;;
  esac
  grep -qF "  $name: " "$home/NOTICE" || fail "NOTICE does not name $name"
done
# Native libraries are there for Linux and macOS on two processors, and for no other platform.
python3 - "$home/lib" <<'PY'
import glob, re, sys, zipfile
foreign, kept = [], set()
for jar in glob.glob(sys.argv[1] + "/*.jar"):
    for name in zipfile.ZipFile(jar).namelist():
        if re.search(r"\.(so|dll|dylib|jnilib)$", name):
            if re.search(r"win|\.dll|freebsd|sunos|aix|android|linux32|ppc|s390|riscv|loongarch|mips|i386|/x86/|arm(v|/)", name.lower().replace("darwin", "")):
                foreign.append(f"{jar}: {name}")
            kept.add(name)
missing = {f"librocksdbjni-{each}" for each in (
    "linux64.so", "linux64-musl.so", "linux-aarch64.so", "linux-aarch64-musl.so", "osx-x86_64.jnilib", "osx-arm64.jnilib")} - kept
if foreign or missing:
    sys.exit(f"archive.sh: native libraries for other platforms: {foreign[:5]}; missing: {sorted(missing)}")
PY
# The bill of materials has the hashes of the libraries as they are here.
python3 - "$home" <<'PY'
import hashlib, json, os, sys
home = sys.argv[1]
trimmed = [each for each in json.load(open(home + "/sbom.json"))["components"] if "pedigree" in each]
for each in trimmed:
    data = open(f"{home}/lib/{each['name']}-{each['version']}.jar", "rb").read()
    if {"alg": "SHA-256", "content": hashlib.sha256(data).hexdigest()} not in each["hashes"]:
        sys.exit(f"archive.sh: sbom.json has another hash of {each['name']}")
if not trimmed:
    sys.exit("archive.sh: sbom.json names no library that was changed")
PY
bash -c "source '$home/completion/tunnel.bash' && complete -p tunnel >/dev/null" || fail "the completion of bash cannot be loaded"

# A network of its own has only loopback, which is what the demo needs.
without_network=()
if unshare -rn true 2>/dev/null; then
  without_network=(unshare -rn "$(command -v bash)" -c "$(command -v ip) link set lo up && exec \"\$@\"" --)
else
  echo "archive.sh: no network namespace can be made here, so the network stays" >&2
fi

# Runs the launcher where nothing else is; the user's home is empty.
run() {
  "${without_network[@]}" env -i PATH="$work/bin" HOME="$work/tmp" TMPDIR="$work/tmp" "$@"
}

version="$(run "$home/tunnel" --version)"
[[ "$version" == "tunnel $expected" || "$version" == "tunnel $expected "* ]] || fail "--version says '$version', and pom.xml $expected"
[ -n "$(find "$home" -maxdepth 1 -name 'classes-*' -size +1M)" ] || fail "the first start made no recording of classes"
echo "archive.sh: $version starts on $("$work/jre/bin/java" --version | head -n 1)"

code=0
run "$home/tunnel" tables list --server 127.0.0.1:1 2>/dev/null || code=$?
[ "$code" -eq 69 ] || fail "a server that is not there gives exit code $code, not 69"
code=0
run "$home/tunnel" tables nonsense 2>/dev/null || code=$?
[ "$code" -eq 2 ] || fail "a wrong command gives exit code $code, not 2"

cp "$work/jre/release" "$work/release"
echo 'OS_ARCH="s390x"' >>"$work/jre/release"
code=0
said="$(run "$home/tunnel" --version 2>&1)" || code=$?
[[ "$code" -eq 69 && "$said" == *"no native libraries for the processor s390x"* ]] || fail "on s390x the launcher ends with $code: $said"
cp "$work/release" "$work/jre/release"

ln -s "$home/tunnel" "$work/link"
run "$work/link" demo --rows "${DEMO_ROWS:-100000}" >"$work/demo" 2>&1 || { cat "$work/demo" >&2; fail "the demo failed"; }
tail -n 3 "$work/demo"

# An installation that nobody can write to, and a user without a home.
chmod -R a-w "$home"
chmod -R a+rX "$work"
if [ "$(id -u)" -eq 0 ] && command -v setpriv >/dev/null; then
  as_nobody=(setpriv --reuid 65534 --regid 65534 --clear-groups)
else
  as_nobody=()
fi
[ "$("${as_nobody[@]}" env -i PATH="$work/bin" TUNNEL_CLASS_CACHE=off "$home/tunnel" --version)" = "$version" ] ||
  fail "a read-only installation does not start"
rm -f "$home"/classes-*
chmod a-w "$home"
[ "$("${as_nobody[@]}" env -i PATH="$work/bin" "$home/tunnel" --version)" = "$version" ] ||
  fail "a read-only installation without a recording and a home does not start"
echo "archive.sh: passed"
