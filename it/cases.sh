#!/usr/bin/env bash
# Inputs that once lost rows, changed them in silence or ended the server, tried on a real server by the programs as users start them.
#
#   it/cases.sh       starts a server on free ports and a temporary directory; prints a line per case; ends with 1 when one is not right
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."

work=$(mktemp -d)
server=''
load=''
finish() {
  [ -z "$load" ] || kill -KILL "$load" 2> /dev/null || true
  [ -z "$server" ] || { kill "$server" 2> /dev/null && wait "$server" 2> /dev/null || true; }
  rm -rf "$work"
}
trap finish EXIT

free_port() { python3 -c 'import socket; s = socket.socket(); s.bind(("127.0.0.1", 0)); print(s.getsockname()[1])' ; }
./tunnel version > /dev/null
port=$(free_port)
export TUNNEL_SERVER=127.0.0.1:$port

# Starts a server on $1 and returns when it answers; a server that does not ends the script.
start() {
  ./tunnel server --data "$1" --port "$port" --http-port -1 > "$work/server.log" 2>&1 &
  server=$!
  local left
  for ((left = 120; left > 0; left--)); do
    timeout 20 ./tunnel tables list > /dev/null 2>&1 && return
    kill -0 "$server" 2> /dev/null || break
  done
  echo "cases.sh: no server answers on $1:" >&2
  cat "$work/server.log" >&2
  exit 1
}

# $1: TERM or KILL. Ends the server; one that does not end in a minute is killed, and the script fails.
stop() {
  local waited=0
  kill "-$1" "$server"
  while kill -0 "$server" 2> /dev/null; do
    waited=$((waited + 1))
    [ "$waited" -lt 600 ] || { echo "cases.sh: the server did not end in a minute" >&2; kill -KILL "$server"; exit 1; }
    sleep 0.1
  done
  wait "$server" 2> /dev/null || true
  server=''
}

start "$work/data"

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

table() { ./tunnel tables create --table "$1" --key id:STRING --partitions 1 > /dev/null; }
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
./tunnel tables create --table both --key id:STRING --partitions 1 --ttl 30d > /dev/null
right 'two operators undo no change of each other' 0 '^5$' alters
right 'and both last changes hold' 0 '"retentionMs":18000000,"retentionBytes":0,"ttlMs":432000000' \
  ./tunnel tables alter --table both --durability FSYNC --json
right 'a change of no option is refused' 2 'say what to change' ./tunnel tables alter --table both

./tunnel tables create --table ranges --key id:INTEGER --partitions 1 > /dev/null
printf '{"id":%d,"v":1}\n' 4 5 6 > "$work/ranges.jsonl"
right 'rows of a range' 0 '3 rows' put ranges --from "$work/ranges.jsonl"
right 'a reversed range is refused' 2 '--from 9 is above --to 3' ./tunnel tables scan --table ranges --from 9 --to 3
right 'a reversed range is refused backward, too' 2 '--from 9 is above --to 3' ./tunnel tables scan --table ranges --reverse --from 9 --to 3
right 'an empty range has no rows' 0 '' ./tunnel tables scan --table ranges --from 5 --to 5 --json

table unheld
printf '%s\n' '{"id":"a","v":1}' '{"id":"b","v":12345678901234567890}' '{"id":"c","v":2}' > "$work/unheld.jsonl"
right 'a number that no type holds is refused with its line, and how to continue' 1 'continue with --after-line 1' put unheld --from "$work/unheld.jsonl"
right 'with a type the rest is written' 0 '2 rows' put unheld --from "$work/unheld.jsonl" --after-line 1 --types v:STRING
right 'all three rows are written' 0 '^3$' rows unheld

cat > "$work/WatchAllRows.java" << 'JAVA'
import io.tunnel.sdk.*;
import io.tunnel.sdk.watch.*;
import java.time.Duration;

class WatchAllRows {
  public static void main(String[] arguments) throws Exception {
    try (TableClient tables = TableClient.connect(arguments[0]);
        Watch watch = tables.watch("letters", WatchedKeys.prefix("/none/"), WatchConfig.FROM_NOW.withRows())) {
      while (!watch.hasAllRows()) watch.poll(Duration.ofHours(1));
    }
  }
}
JAVA
right 'a watch without rows does not wait for any' 0 '' timeout 120 "${JAVA_HOME:+$JAVA_HOME/bin/}java" -cp 'tunnel-cli/target/tunnel/lib/*' "$work/WatchAllRows.java" "$TUNNEL_SERVER"

stop TERM
megabytes=$(du -sm "$work/data" | cut -f 1)
right 'they take megabytes, not hundreds' 0 '' test "$megabytes" -lt 100
right 'the directory is sound, and each row was compared' 0 'compared 5,0[0-9]{2} rows' timeout 120 ./tunnel doctor --data "$work/data"
start "$work/data"
right 'a restarted server has them' 0 '^5000$' rows sparse

# A backup under load, and a kill: the doctor compares the rows, and finds rows that are not there.
./tunnel stress --table load --create --partitions 8 --rows 20000000 > /dev/null 2>&1 &
load=$!
until [ "$(timeout 20 ./tunnel tables scan --table load --limit 1000 --json 2> /dev/null | wc -l)" -eq 1000 ]; do
  kill -0 "$load" 2> /dev/null || { echo "cases.sh: the load ended before it began" >&2; exit 1; }
done
right 'a backup under load' 0 'backup 1 of' timeout 120 ./tunnel backup --data "$work/data" --to "$work/backup"
stop KILL
kill "$load" 2> /dev/null || true
wait "$load" 2> /dev/null || true
load=''
right 'rows are compared after a kill' 0 'compared [1-9][0-9,]* rows' timeout 120 ./tunnel doctor --data "$work/data"
right 'the backup is restored' 0 'sound' timeout 120 ./tunnel restore --from "$work/backup" --data "$work/restored"
right 'rows of a restored backup are compared' 0 'compared [1-9][0-9,]* rows' timeout 120 ./tunnel doctor --data "$work/restored"

# One flipped byte in the first batch of a group of several.
python3 - "$work/data"/shard-*/log/*.log << 'PY'
import struct, sys
for path in sys.argv[1:]:
    log = open(path, "rb").read()
    at, found = 32, 0
    while at + 32 <= len(log) and log[at:at + 4] == b"TNLG" and not found:
        size, batches = struct.unpack(">ii", log[at + 24:at + 32])
        found = at if batches >= 4 else 0
        at += 32 + size
    if found:
        with open(path, "r+b") as file:
            file.seek(found + 32 + 60)
            file.write(bytes([log[found + 32 + 60] ^ 255]))
        break
else:
    sys.exit("cases.sh: no group of four batches")
PY
# The doctor ends with 1, because the log is damaged.
given_up() { timeout 120 ./tunnel doctor --data "$work/data" --salvage 2> /dev/null | grep -c '^salvage: .* would delete'; }
right 'a salvage deletes one batch for one wrong byte' 1 '^1$' given_up

mv "$work/data/catalog" "$work/catalog"
right 'a directory without its catalog is refused' 74 'catalog' \
  timeout 60 ./tunnel server --data "$work/data" --port "$port" --http-port -1

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
# Reads the page to its end: curl fails when nobody reads on.
has() { page "$1" | grep -- "$2" > /dev/null; }
# $1: the name of a directory; the others: variables for the faults.
faulty_server() {
  local name=$1
  shift
  env "$@" LD_PRELOAD="$work/faults.so" ./tunnel server --data "$work/$name" --port "$port" --http-port "$http" > "$work/$name.log" 2>&1 &
  server=$!
  soon 60 has health UP || { cat "$work/$name.log" >&2; exit 1; }
}

faulty_server sick FAULT_MATCH=/catalog/ FAULT_EIO="$work/eio" FAULT_STALL="$work/stall"
table before
touch "$work/eio"
right 'a catalog whose disk fails does not know what became of the first change' 1 'the outcome of CREATE_TABLE is unknown' timeout 30 ./tunnel tables create --table first --key id:STRING
right 'and says so in health' 0 '' soon 5 has health STORAGE_FAILED
right 'and in a meter' 0 '' has metrics '^tunnel_catalog_failed 1'
right 'and in the log' 0 'cannot write the catalog' grep 'cannot write the catalog' "$work/sick.log"
right 'rows are written meanwhile' 0 '' put before --key id=a --set v=1
rm "$work/eio"
right 'a catalog recovers when its disk does' 0 '' soon 15 has health UP
right 'and takes tables again, also that of the failed change' 0 '' soon 5 ./tunnel tables create --table first --key id:STRING
touch "$work/stall"
./tunnel tables create --table hangs --key id:STRING > "$work/hangs" 2>&1 &
hangs=$!
right 'a sync of the catalog that hangs is seen' 0 '' soon 15 has health DISK_STALLED
right 'and in a meter' 0 '' has metrics '^tunnel_catalog_stalled 1'
right 'and in the log' 0 '' soon 5 grep 'the disk of the catalog stalls' "$work/sick.log"
rm "$work/stall"
right 'and goes on' 0 '' soon 15 has health UP
wait "$hangs" || { cat "$work/hangs" >&2; bad=1; }
stop TERM
right 'a directory whose catalog failed is sound' 0 '' ./tunnel doctor --data "$work/sick"

# A clock that is a year ahead while one row is written, and then right again.
echo 0 > "$work/off"
faulty_server jump FAULT_CLOCK="$work/off"
./tunnel tables create --table other --key id:STRING > /dev/null
./tunnel tables create --table lives --key id:STRING --ttl 2s > /dev/null
./tunnel tables create --table keeps --key id:STRING --ttl 1h > /dev/null
put keeps --key id=a --set v=1 > /dev/null
echo 31536000 > "$work/off"
put other --key id=a --set v=1 > /dev/null
right 'a clock that jumps is in health' 0 '' soon 5 has health '"clock":"the wall clock is 3153'
right 'and in a meter' 0 '' has metrics '^tunnel_clock_off_seconds 3.153'
right 'and in the log' 0 'the wall clock is 3153' grep 'the wall clock is' "$work/jump.log"
put lives --key id=a --set v=1 > /dev/null
right 'rows do not expire by the jump' 0 '^1$' rows keeps
echo 0 > "$work/off"
right 'a clock that is right again is believed' 0 '' soon 5 has metrics '^tunnel_clock_off_seconds 0'
gone() { [ "$(rows lives)" = 0 ]; }
right 'and rows expire on time' 0 '' soon 10 gone
deleted() { has metrics '^tunnel_rows_expired_total 1'; }
right 'with a DELETE' 0 '' soon 10 deleted
stop TERM
# What a backup and a restore have asked the system to make durable when they say that they are done.
right 'a directory to back up' 0 '' ./tunnel doctor --data "$work/jump" --quick
# $1: a directory; the others: a command. Ends with 1, and names the files, when a loss of power behind the command could take some of them.
durably() {
  local made=$1
  shift
  rm -f "$work/trace"
  env FAULT_MATCH="$work" FAULT_TRACE="$work/trace" LD_PRELOAD="$work/faults.so" "$@" || return
  python3 it/durable.py "$work/trace" "$made"
}
right 'a backup is durable when it says that it is taken' 0 'durable: [0-9]+ files' \
  durably "$work/kept/backups" timeout 120 ./tunnel backup --data "$work/jump" --to "$work/kept/backups"
right 'the next one, too' 0 'durable: [0-9]+ files' \
  durably "$work/kept/backups" timeout 120 ./tunnel backup --data "$work/jump" --to "$work/kept/backups" --full --keep 1
right 'a restore is durable when it says that it is done' 0 'durable: [0-9]+ files' \
  durably "$work/new/restored" timeout 120 ./tunnel restore --from "$work/kept/backups" --data "$work/new/restored"
exit $bad
