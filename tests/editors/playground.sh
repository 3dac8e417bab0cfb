#!/usr/bin/env bash
# The playground in Chromium, and whether its page is what its sources make:
# playground.sh PATH-OF-TACET [SCREENSHOT]. With SCREENSHOT it also writes SCREENSHOT_phone.png and the
# image of links to the page. Exit code 77 means that there is no Node, none of its packages, or no
# Chromium.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/editors/prerequisites.sh"
command -v node >/dev/null || skip "the program node is missing" "apt-get install nodejs installs it"
modules=$root/editors/playground/node_modules
for package in playwright-core axe-core typescript esbuild; do
  [ -d "$modules/$package" ] || skip "there is no $modules/$package" "npm ci in editors/playground installs it"
done
[ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null ||
  skip "the browser chromium is missing" "apt-get install chromium installs it, CHROMIUM=PATH chooses another"
need_browser
find_server 'playground.sh PATH-OF-TACET [SCREENSHOT]' "$@"
picture=()
[ -z "${2:-}" ] || picture=("$(realpath -m "$2")")
cd "$root/editors/playground"
node node_modules/typescript/bin/tsc --noEmit -p .
node scripts/build.mjs --check
node "$root/tests/editors/playground_session.mjs" "$tacet" "$modules" "${picture[@]}" </dev/null
exec node "$root/tests/editors/playground_page.mjs" "$tacet" "$modules" "${picture[@]}" </dev/null
