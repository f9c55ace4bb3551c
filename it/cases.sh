#!/usr/bin/env bash
# Inputs that once lost rows, changed them in silence or ended the server, tried on a real server by the programs as users start them.
#
#   it/cases.sh       starts a server on free ports and a temporary directory; prints a line per case; ends with 1 when one is not right
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
server=''
finish() {
  [ -z "$server" ] || { kill "$server" 2> /dev/null && wait "$server" 2> /dev/null || true; }
  rm -rf "$work"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' ; }
./tunnel version > /dev/null
port=$(free_port)
./tunnel server --data "$work/data" --port "$port" --http-port -1 > "$work/server.log" 2>&1 &
server=$!
export TUNNEL_SERVER=127.0.0.1:$port
for _ in $(seq 120); do
  ./tunnel tables list > /dev/null 2>&1 && break
  kill -0 "$server" 2> /dev/null || { cat "$work/server.log" >&2; exit 1; }
done

bad=0
# $1: a case; $2: the exit code that is right; $3: an extended regular expression that the output has; the others: a command.
right() {
  local name=$1 code=$2 pattern=$3 got=0
  shift 3
  "$@" > "$work/out" 2>&1 < /dev/null || got=$?
  if [ "$got" -eq "$code" ] && { [ -z "$pattern" ] || grep -qE -- "$pattern" "$work/out"; }; then
    echo "right: $name"
  else
    echo "WRONG: $name: exit code $got, not $code, or no '$pattern' in:" >&2
    head -c 2000 "$work/out" >&2
    bad=1
  fi
}

table() { ./tunnel partition create --table "$1" --key id:STRING --partitions 1 > /dev/null; }
put() { ./tunnel tables put --table "$@"; }
rows() { LC_ALL=C.UTF-8 ./tunnel tables scan --table "$1" --json --limit all | wc -l; }
ascii() { env -u LANG -u LC_ALL -u LC_CTYPE ./tunnel "$@"; }

table quotes
printf 'id\tv\na\t"x\nb\ty\nc\tz"\nd\tok\n' > "$work/quotes.tsv"
right 'quotes of a tab-separated file are text' 0 '4 rows' put quotes --from "$work/quotes.tsv"
right 'all four rows are there' 0 '^4$' rows quotes

table twice
printf '%s\n' '{"id":"a","id":"b","v":1}' > "$work/twice.jsonl"
right 'a name that comes twice is refused with its line' 1 'line 1' put twice --from "$work/twice.jsonl"
right 'no row of it is written' 0 '^0$' rows twice

table wide
{
  echo '{"id":"r0"}'
  printf '{"id":"r1"'
  for i in $(seq 1025); do printf ',"c%d":1' "$i"; done
  printf '}\n{"id":"r2"}\n'
} > "$work/wide.jsonl"
right 'a row with too many columns is refused with its line' 1 'line 2' put wide --from "$work/wide.jsonl"
right 'such a row can be skipped' 0 'line 2' put wide --from "$work/wide.jsonl" --bad-lines skip
right 'the rows around it are there' 0 '^2$' rows wide

table numbers
printf 'id,a\nk,5d\n' > "$work/numbers.csv"
right 'a number that only Java reads is refused with its line' 1 'line 2' put numbers --from "$work/numbers.csv" --types a:DOUBLE
printf 'id,a\nk,1e400\n' > "$work/numbers.csv"
right 'a number that no DOUBLE holds is refused with its line' 1 'line 2' put numbers --from "$work/numbers.csv" --types a:DOUBLE

table letters
right 'a key of letters beyond ASCII, without a locale' 0 '' ascii tables put --table letters --key id=Kööö --set v=1
right 'another key of that length' 0 '' ascii tables put --table letters --key id=Käää --set v=2
right 'both rows are there' 0 '^2$' rows letters

table sparse
python3 - "$work/sparse.jsonl" << 'PY'
import random, sys
chance = random.Random(1)
with open(sys.argv[1], "w") as out:
    for row in range(5000):
        names = chance.sample(range(4096), 3)
        out.write('{"id":"%d",%s}\n' % (row, ",".join('"%s":1' % ("c%d" % name).ljust(20, "x") for name in names)))
PY
right 'sparse rows of many names are taken' 0 '5,000 rows' put sparse --from "$work/sparse.jsonl"
right 'and read' 0 '^5000$' rows sparse

# Two operators change different options at once; a change that is undone stays undone in the next round.
alters() {
  local round other
  for round in 1 2 3 4 5; do
    ./tunnel tables alter --table both --ttl "${round}d" > /dev/null &
    other=$!
    ./tunnel tables alter --table both --retention "${round}h" > /dev/null
    wait "$other"
    ./tunnel tables alter --table both --durability FSYNC --json
  done | grep -cE '"retentionMs":(36|72|108|144|180)00000,"retentionBytes":0,"ttlMs":(864|1728|2592|3456|4320)00000'
}
./tunnel partition create --table both --key id:STRING --partitions 1 --ttl 30d > /dev/null
right 'two operators undo no change of each other' 0 '^5$' alters
right 'and both last changes hold' 0 '"retentionMs":18000000,"retentionBytes":0,"ttlMs":432000000' \
  ./tunnel tables alter --table both --durability FSYNC --json
right 'a change of no option is refused' 2 'say what to change' ./tunnel tables alter --table both

kill "$server"
wait "$server" 2> /dev/null || true
server=''
right 'the directory is sound' 0 '' ./tunnel doctor --data "$work/data"
./tunnel server --data "$work/data" --port "$port" --http-port -1 > "$work/server.log" 2>&1 &
server=$!
for _ in $(seq 120); do
  ./tunnel tables list > /dev/null 2>&1 && break
  kill -0 "$server" 2> /dev/null || { cat "$work/server.log" >&2; exit 1; }
done
right 'a restarted server has them' 0 '^5000$' rows sparse
kill "$server"
wait "$server" 2> /dev/null || true
server=''
megabytes=$(du -sm "$work/data" | cut -f 1)
right 'they take megabytes, not hundreds' 0 '' test "$megabytes" -lt 100
mv "$work/data/catalog" "$work/catalog"
right 'a directory without its catalog is refused' 74 'catalog' ./tunnel server --data "$work/data" --port "$port" --http-port -1

# Faults of disk and clock, preloaded into a server.
cc -shared -fPIC -O1 -Wall -Werror -o "$work/faults.so" it/faults.c -ldl
http=$(free_port)
page() { curl -s "http://127.0.0.1:$http/$1"; }
# $1: seconds at most; the others: a command that has to succeed meanwhile.
soon() {
  local left=$1
  shift
  until "$@" > "$work/soon" 2>&1; do
    left=$((left - 1))
    [ $left -gt 0 ] || { cat "$work/soon"; return 1; }
    sleep 1
  done
}
has() { page "$1" | grep -q -- "$2"; }
# $1: the name of a directory; the others: variables for the faults.
faulty_server() {
  local name=$1
  shift
  env "$@" LD_PRELOAD="$work/faults.so" ./tunnel server --data "$work/$name" --port "$port" --http-port "$http" > "$work/$name.log" 2>&1 &
  server=$!
  soon 60 has health UP || { cat "$work/$name.log" >&2; exit 1; }
}
stop_server() {
  kill "$server"
  wait "$server" 2> /dev/null || true
  server=''
}

faulty_server sick FAULT_MATCH=/catalog/ FAULT_EIO="$work/eio" FAULT_STALL="$work/stall"
table before
touch "$work/eio"
right 'a catalog whose disk fails does not know what became of the first change' 1 'the outcome of CREATE_TABLE is unknown' timeout 30 ./tunnel partition create --table first --key id:STRING
right 'and says so in health' 0 '' soon 5 has health STORAGE_FAILED
right 'and in a meter' 0 '' has metrics '^tunnel_catalog_failed 1'
right 'and in the log' 0 'cannot write the catalog' grep 'cannot write the catalog' "$work/sick.log"
right 'rows are written meanwhile' 0 '' put before --key id=a --set v=1
rm "$work/eio"
right 'a catalog recovers when its disk does' 0 '' soon 15 has health UP
right 'and takes tables again, also that of the failed change' 0 '' soon 5 ./tunnel partition create --table first --key id:STRING
touch "$work/stall"
./tunnel partition create --table hangs --key id:STRING > "$work/hangs" 2>&1 &
hangs=$!
right 'a sync of the catalog that hangs is seen' 0 '' soon 15 has health DISK_STALLED
right 'and in a meter' 0 '' has metrics '^tunnel_catalog_stalled 1'
right 'and in the log' 0 '' soon 5 grep 'the disk of the catalog stalls' "$work/sick.log"
rm "$work/stall"
right 'and goes on' 0 '' soon 15 has health UP
wait "$hangs" || { cat "$work/hangs" >&2; bad=1; }
stop_server
right 'a directory whose catalog failed is sound' 0 '' ./tunnel doctor --data "$work/sick"
exit $bad
