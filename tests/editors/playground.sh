#!/usr/bin/env bash
# The playground in Chromium, and whether its page is what its sources make:
# playground.sh PATH-OF-TACET [SCREENSHOT]. Exit code 77 means that there is no Node, none of its
# packages, or no Chromium.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tacet=$(realpath "$1")
chromium=${CHROMIUM:-$(command -v chromium || true)}
command -v node >/dev/null || exit 77
[ -d "$root/editors/playground/node_modules/playwright-core" ] || exit 77
[ -n "$chromium" ] || exit 77
cd "$root/editors/playground"
node node_modules/typescript/bin/tsc --noEmit -p .
node scripts/build.mjs --check
CHROMIUM=$chromium exec node "$root/tests/editors/playground_session.mjs" "$tacet" \
  "$root/editors/playground/node_modules" ${2:+"$2"} </dev/null
