#!/usr/bin/env bash
# The playground in Chromium, and whether its page is what its sources make:
# playground.sh PATH-OF-TACET [SCREENSHOT]. With SCREENSHOT it also writes SCREENSHOT_phone.png and the
# image of links to the page. Exit code 77 means that there is no Node, none of its packages, or no
# Chromium.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tacet=$(realpath "$1")
picture=()
[ -z "${2:-}" ] || picture=("$(realpath "$2")")
chromium=${CHROMIUM:-$(command -v chromium || true)}
command -v node >/dev/null || exit 77
[ -d "$root/editors/playground/node_modules/playwright-core" ] || exit 77
[ -d "$root/editors/playground/node_modules/axe-core" ] || exit 77
[ -n "$chromium" ] || exit 77
cd "$root/editors/playground"
node node_modules/typescript/bin/tsc --noEmit -p .
node scripts/build.mjs --check
export CHROMIUM=$chromium
node "$root/tests/editors/playground_session.mjs" "$tacet" "$root/editors/playground/node_modules" "${picture[@]}" </dev/null
exec node "$root/tests/editors/playground_page.mjs" "$tacet" "$root/editors/playground/node_modules" "${picture[@]}" </dev/null
