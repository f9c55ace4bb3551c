#!/usr/bin/env bash
# Checks the types of the console's pages and tests their pure parts. Node 18 and npm are needed for this alone: users and the
# build need neither.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")"

command -v npm > /dev/null || {
  echo "console: no npm found, so the pages cannot be checked. Install Node 18 or newer (Debian: apt-get install nodejs npm)."
  exit 69
}
[ node_modules/.package-lock.json -nt package-lock.json ] || npm ci --silent --no-audit --no-fund
npx --no-install tsc -p .
node --test --test-reporter=dot test/*.test.js
