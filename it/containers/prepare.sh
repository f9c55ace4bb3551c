#!/usr/bin/env bash
# What the tests in io.tunnel.it.containers need: a Docker engine, and the images that ours stands on.
#
#   it/containers/prepare.sh          # uses what is there, makes what is missing; run again, it finds everything
#   it/containers/prepare.sh --stop   # ends the engine, if it is one that this script has started
#
# An engine that answers is used as it is. Without one, and as root on a machine with apt-get, Debian's docker.io is installed
# and its dockerd started. Images that are missing are pulled; where nothing can be pulled, they are made: a JRE from
# Debian's packages (debootstrap), and on it an Apache Kafka from the artifacts that Maven has. Both get the names of what they stand for.
#
# Ends with 0 also when it cannot: the tests are skipped then, and say so. TUNNEL_PULL=no does not try to pull.
set -euo pipefail

here="$(cd -P "$(dirname "${BASH_SOURCE[0]}")" && pwd)"
root="$(cd "$here/../.." && pwd)"
state="${XDG_CACHE_HOME:-${HOME:-/root}/.cache}/tunnel-containers"
pid_file="$state/dockerd.pid"
engine_log="$state/dockerd.log"
readonly here root state pid_file engine_log

readonly base=eclipse-temurin:17-jre
readonly install_seconds_max=240 engine_seconds_max=40 pull_seconds_max=120 base_seconds_max=300

say() {
  echo "containers: $*" >&2
}

skip() {
  say "not prepared, so the tests with containers will be skipped: $*"
  exit 0
}

answers() {
  command -v docker >/dev/null && timeout 10 docker version >/dev/null 2>&1
}

has_image() {
  docker image inspect "$1" >/dev/null 2>&1
}

# Only a process that is still the one we have started.
own_engine() {
  local pid
  pid="$(cat "$pid_file" 2>/dev/null)" || return 1
  [ "$(cat "/proc/$pid/comm" 2>/dev/null)" = dockerd ] && echo "$pid"
}

stop_engine() {
  local pid
  if ! pid="$(own_engine)"; then
    say "nothing to stop: no engine was started from here"
    return
  fi
  kill "$pid"
  for _ in $(seq 100); do
    if ! kill -0 "$pid" 2>/dev/null; then
      rm -f "$pid_file"
      say "engine stopped (process $pid)"
      return
    fi
    sleep 0.2
  done
  say "process $pid does not stop, see $engine_log"
  exit 1
}

# $1: a package, $2: a command of it
installed() {
  command -v "$2" >/dev/null && return
  [ "$(id -u)" = 0 ] || skip "$2 is missing, and only root can install $1"
  command -v apt-get >/dev/null || skip "$2 is missing, and there is no apt-get to install $1"
  say "installing $1"
  local log="$state/apt.log"
  if ! { timeout "$install_seconds_max" apt-get -qq update &&
    DEBIAN_FRONTEND=noninteractive timeout "$install_seconds_max" \
      apt-get -qq install -y --no-install-recommends "$1"; } >"$log" 2>&1; then
    tail -5 "$log" >&2
    skip "$1 could not be installed, see $log"
  fi
  command -v "$2" >/dev/null || skip "$1 has no $2"
}

start_engine() {
  [ "$(id -u)" = 0 ] || skip "no Docker engine answers, and only root can start one"
  installed docker.io dockerd
  say "starting dockerd"
  # Of a session of its own, so that Ctrl-C in a terminal does not end it in the middle of a test.
  setsid dockerd --log-level warn >"$engine_log" 2>&1 </dev/null &
  echo $! >"$pid_file"
  for _ in $(seq $((engine_seconds_max * 4))); do
    if answers; then
      return
    fi
    if ! own_engine >/dev/null && ! kill -0 "$(cat "$pid_file")" 2>/dev/null; then
      break
    fi
    sleep 0.25
  done
  tail -5 "$engine_log" >&2
  stop_engine || true
  skip "dockerd does not answer, see $engine_log"
}

pulled() {
  [ "${TUNNEL_PULL:-yes}" != no ] || return 1
  say "pulling $1"
  timeout "$pull_seconds_max" docker pull -q "$1" >/dev/null 2>"$state/pull.log" && return
  say "$1 cannot be pulled here: $(tail -1 "$state/pull.log" | cut -c 1-160)"
  return 1
}

# The newest JRE of this machine's release that our classes run on and are tested with first.
jre_package() {
  local version
  for version in 17 21 25; do
    if apt-cache show "openjdk-$version-jre-headless" >/dev/null 2>&1; then
      echo "openjdk-$version-jre-headless"
      return
    fi
  done
  return 1
}

make_base() {
  [ "$(id -u)" = 0 ] || skip "$base is missing, and only root can make it"
  installed debootstrap debootstrap
  local release jre files
  release="$(. /etc/os-release && echo "${VERSION_CODENAME:-}")"
  [ -n "$release" ] || skip "$base is missing, and /etc/os-release names no release to make it from"
  jre="$(jre_package)" || skip "$base is missing, and this release has no JRE to make it from"
  say "making $base from packages of $release ($jre)"
  files="$(mktemp -d "$state/base.XXXXXX")"
  if ! timeout "$base_seconds_max" debootstrap --variant=minbase --include="$jre,ca-certificates" \
    "$release" "$files" >"$state/debootstrap.log" 2>&1; then
    rm -rf --one-file-system "$files"
    tail -5 "$state/debootstrap.log" >&2
    skip "the packages of $base could not be installed, see $state/debootstrap.log"
  fi
  rm -rf "$files"/var/cache/apt/archives/*.deb "$files"/var/lib/apt/lists/*
  tar -C "$files" -c . | docker import - "$base" >/dev/null
  rm -rf --one-file-system "$files"
}

kafka_version() {
  sed -n 's:.*<kafka.version>\(.*\)</kafka.version>.*:\1:p' "$root/pom.xml"
}

make_kafka() {
  local image="$1" files libraries="$root/it/kafka-broker/target/classes/broker-libraries"
  say "making $image from the artifacts of module kafka-broker"
  if ! (cd "$root" && mvn -q -B -ntp -pl it/kafka-broker process-resources) >"$state/kafka.log" 2>&1; then
    tail -5 "$state/kafka.log" >&2
    skip "Kafka's artifacts could not be fetched, see $state/kafka.log"
  fi
  files="$(mktemp -d "$state/kafka.XXXXXX")"
  cp "$here"/kafka/* "$files"
  cp -R "$libraries" "$files/libs"
  docker build -q --build-arg "JAVA=$base" -t "$image" "$files" >/dev/null 2>"$state/kafka.log" || {
    tail -5 "$state/kafka.log" >&2
    rm -rf "$files"
    skip "$image could not be made, see $state/kafka.log"
  }
  rm -rf "$files"
}

mkdir -p "$state"
case "${1:-}" in
  "") ;;
  --stop)
    stop_engine
    exit 0
    ;;
  *)
    say "unknown option $1; there is --stop"
    exit 2
    ;;
esac

answers || start_engine
kafka="apache/kafka:$(kafka_version)"
has_image "$base" || pulled "$base" || make_base
has_image "$kafka" || pulled "$kafka" || make_kafka "$kafka"
say "ready: Docker $(docker version --format '{{.Server.Version}}'), $base, $kafka"
