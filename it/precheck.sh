#!/usr/bin/env bash
# The cheap checks, in one minute and before all others: what needs no compiled class of the product.
#
#   it/precheck.sh            all of them; prints a line for each
#   it/precheck.sh NAME...    these: scripts, planted, pages, data, rules, format
#
# Ends with 0 when all pass, else with 1, after all have run. Maven downloads its formatter at the first run.
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

# Every script of the repository is one that bash can parse, and can be started.
scripts() {
  local bad=0 count=0 file
  while read -r file; do
    if head -n 1 "$file" | grep -qE '^#!.*\b(bash|sh)\b'; then
      count=$((count + 1))
      bash -n "$file" || bad=1
      [ -x "$file" ] || { echo "not executable: $file" >&2; bad=1; }
    fi
  done < <(git grep -lI --untracked -E '^#!.*\b(bash|sh)\b')
  [ "$count" -ge 10 ] || { echo "found $count scripts only" >&2; bad=1; }
  return $bad
}

# Every planted bug still applies.
planted() { it/planted.sh --check; }

# Every block of a page says how it is checked. The reasons and kinds are those of Page and DocumentedCommandsTest, which check more.
pages() {
  python3 - << 'PY'
import glob, re, sys
tests = "it/src/test/java/io/tunnel/it/docs/"
def words(file, name):
    found = re.search(name + r"\s*=\s*(?:Set|List)\.of\(([^)]*)\)", open(tests + file).read())
    return set(re.findall(r'"([^"]*)"', found.group(1)))
reasons, kinds = words("Page.java", "REASONS"), words("DocumentedCommandsTest.java", "KINDS")
bad, blocks = [], 0
for page in ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"] + glob.glob("docs/**/*.md", recursive=True):
    begun = None
    for number, line in enumerate(open(page), 1):
        fence = re.fullmatch(r"\s*```(\w*)\s*", line)
        mark = re.fullmatch(r"\s*<!-- not run: (\w+).*-->\s*", line)
        if mark and begun is None and mark.group(1) not in reasons:
            bad.append(f"{page}:{number}: no reason: {mark.group(1)}; there are {', '.join(sorted(reasons))}")
        if not fence:
            continue
        if begun is None:
            begun, blocks = number, blocks + 1
            if fence.group(1) not in kinds:
                bad.append(f"{page}:{number}: no kind of block: {fence.group(1)}")
        else:
            begun = None
    if begun is not None:
        bad.append(f"{page}:{begun}: the block has no end")
for line in bad:
    print(line, file=sys.stderr)
sys.exit(1 if bad or blocks < 100 or not reasons or not kinds else 0)
PY
}

# JSON that no test parses before it is deployed.
data() {
  local bad=0 count=0 file
  while read -r file; do
    count=$((count + 1))
    python3 -m json.tool "$file" > /dev/null || { echo "no JSON: $file" >&2; bad=1; }
  done < <(git ls-files 'deploy/*.json' 'deploy/**/*.json' 'it/console/*.json')
  [ "$count" -gt 0 ] || { echo "found no JSON" >&2; bad=1; }
  return $bad
}

# The rules over sources and pages: lengths, names of tests, links, limits, prose.
rules() { mvn -B -ntp -q -Dquick -pl it/texts test; }

# The format of every module, also of those that only a profile builds. The bill of materials has no parent and no code.
format() { mvn -B -ntp -q -Ppeers -pl '!packaging/bom' spotless:check; }

chosen=("$@")
[ $# -gt 0 ] || chosen=(scripts planted pages data rules format)
bad=0
for name in "${chosen[@]}"; do
  case $name in
    scripts | planted | pages | data | rules | format) ;;
    *) echo "precheck.sh: no check '$name'; there are scripts, planted, pages, data, rules and format" >&2; exit 2 ;;
  esac
  started=$SECONDS
  if "$name"; then
    printf 'precheck: %-8s right, %d s\n' "$name" $((SECONDS - started))
  else
    printf 'precheck: %-8s WRONG, %d s\n' "$name" $((SECONDS - started))
    bad=1
  fi
done
exit $bad
