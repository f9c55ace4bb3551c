#!/usr/bin/env bash
# Runs the contract, real processes and worlds of both simulations on JDK 25, on the classes that "mvn verify" left.
#
#   it/jdk25.sh       with the JDK of JAVA_25_HOME, or of /usr/lib/jvm or /opt; ends with 69 where there is none
#   TUNNEL_SKIPS='jdk25 …'    without a JDK 25, ends with 0 and says so
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

jdk=${JAVA_25_HOME:-}
for release in /usr/lib/jvm/*/release /opt/*/release; do
  if [ -z "$jdk" ] && grep -q '^JAVA_VERSION="25' "$release" 2> /dev/null; then jdk=$(dirname "$release"); fi
done
if [ -z "$jdk" ]; then
  case " ${TUNNEL_SKIPS:-} " in
    *' jdk25 '*) echo "jdk25.sh: skipped, as TUNNEL_SKIPS allows: no JDK 25 was found"; exit 0 ;;
  esac
  echo "jdk25.sh: no JDK 25 was found; install one, set JAVA_25_HOME, or allow the skip: TUNNEL_SKIPS=jdk25" >&2
  exit 69
fi
grep -q '^JAVA_VERSION="25' "$jdk/release" 2> /dev/null || { echo "jdk25.sh: $jdk is no JDK 25; see its file release" >&2; exit 69; }
for module in it it/sim; do
  [ -f $module/target/planted.classpath ] || { echo "jdk25.sh: nothing is built; run mvn verify first" >&2; exit 2; }
done

root=$PWD
java=("$jdk/bin/java" -ea -Xmx1g --enable-native-access=ALL-UNNAMED --sun-misc-unsafe-memory-access=allow)
export TUNNEL_LOG=off

# $1: a module; the others: a main class and its arguments.
run() {
  local module=$1
  shift
  local log
  log=$(mktemp)
  echo "on $(grep -oE '[0-9][^"]*' "$jdk/release" | head -1): $*"
  (cd "$root/$module" && "${java[@]}" -cp "target/test-classes:$(cat target/planted.classpath)" "$@") > "$log" 2>&1 \
    || { tail -50 "$log" >&2; rm -f "$log"; exit 1; }
  tail -1 "$log"
  rm -f "$log"
}

for class in contract.FakeContractTest contract.ServerContractTest programs.StartTest session.RestartTest session.FleetTest; do
  run it io.tunnel.it.planted.JudgeMain "io.tunnel.it.$class"
done
run it/sim io.tunnel.it.sim.SimulationMain find 1 300
run it/sim io.tunnel.it.sim.cluster.ClusterSimulationMain find 1 50
