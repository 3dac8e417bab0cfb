#!/usr/bin/env bash
# The tests of the extension for VS Code: its parts, and the library of its client against the real
# server: vscode.sh PATH-OF-TACET. Exit code 77 means that there is no Node or none of its packages.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/editors/prerequisites.sh"
command -v node >/dev/null || skip "the program node is missing" "apt-get install nodejs installs it"
modules=$root/editors/vscode/node_modules
for package in vscode-languageclient typescript esbuild; do
  [ -d "$modules/$package" ] || skip "there is no $modules/$package" "npm ci in editors/vscode installs it"
done
find_server 'vscode.sh PATH-OF-TACET' "$@"
export TACET="$tacet" TACET_ROOT="$root"
cd "$root/editors/vscode"
node node_modules/typescript/bin/tsc --noEmit -p .
node scripts/bundle.mjs --tests
node --test build/test/*.test.mjs </dev/null
# The page of runs needs a browser, and the playground's package for it.
packages=$root/editors/playground/node_modules
chromium=${CHROMIUM:-$(command -v chromium || true)}
if [ -n "$chromium" ] && [ -d "$packages/playwright-core" ]; then
  node scripts/bundle.mjs
  CHROMIUM=$chromium exec node "$root/tests/editors/vscode_run_page.mjs" "$packages" build/test/run_page_html.mjs </dev/null
fi
