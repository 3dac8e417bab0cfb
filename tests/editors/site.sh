#!/usr/bin/env bash
# The site, with the module that build/web or the folder TACET_MODULE has, under Node and in Chromium:
# site.sh. Exit code 77 means that there is no module, no Node, none of its packages, or no Chromium.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/editors/prerequisites.sh"
module=${TACET_MODULE:-$root/build/web/site}
[ -f "$module/tacet.wasm" ] || skip "there is no $module/tacet.wasm" "./dev site builds it, TACET_MODULE=FOLDER chooses another"
command -v node >/dev/null || skip "the program node is missing" "apt-get install nodejs installs it"
node "$root/tests/editors/site_worker.mjs" "$module" "$root/editors/playground/page" </dev/null
modules=$root/editors/playground/node_modules
for package in playwright-core axe-core; do
  [ -d "$modules/$package" ] || skip "there is no $modules/$package" "npm ci in editors/playground installs it"
done
[ -n "${CHROMIUM:-}" ] || command -v chromium >/dev/null ||
  skip "the browser chromium is missing" "apt-get install chromium installs it, CHROMIUM=PATH chooses another"
need_browser
site=$(mktemp -d)
trap 'rm -r "$site"' EXIT
python=/usr/bin/python3
[ -x "$python" ] || python=python3
status=0
"$python" -B "$root/tools/build_site.py" "$root" "$module" "$site/site" --no-brotli </dev/null || status=$?
[ "$status" = 0 ] || exit "$status"
cd "$root/editors/playground"
node "$root/tests/editors/playground_session.mjs" "$site/site" "$modules" </dev/null
node "$root/tests/editors/site_page.mjs" "$site/site" "$modules" </dev/null
