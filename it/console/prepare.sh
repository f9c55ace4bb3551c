#!/usr/bin/env bash
# Provides what the checks of the console need: Node for check.sh, and a browser with its driver for io.tunnel.it.console.
# What is there is used as it is. What is missing is installed from Debian, as root on a machine with apt-get.
set -euo pipefail

say() {
  echo "console: $*"
}

missing=()
command -v npm > /dev/null || missing+=(nodejs npm)
command -v chromium > /dev/null || missing+=(chromium)
command -v chromedriver > /dev/null || missing+=(chromium-driver)
command -v pngquant > /dev/null || missing+=(pngquant)
[ ${#missing[@]} -gt 0 ] || exit 0

if [ "$(id -u)" != 0 ] || ! command -v apt-get > /dev/null; then
  say "missing: ${missing[*]}. Only root on Debian can install them here; install Node 18 or newer, Chromium and chromedriver."
  exit 69
fi
say "installing ${missing[*]}"
log="$(mktemp)"
if ! { timeout 300 apt-get -qq update &&
  DEBIAN_FRONTEND=noninteractive timeout 600 apt-get -qq install -y --no-install-recommends "${missing[@]}"; } > "$log" 2>&1; then
  tail -5 "$log" >&2
  say "${missing[*]} could not be installed, see $log"
  exit 69
fi
rm -f "$log"
