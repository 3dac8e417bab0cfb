#!/usr/bin/env bash
# Drives VS Code itself, as code-server, in Chromium: try_vscode.sh PATH-OF-TACET [FOLDER],
# in which it leaves pictures.
# The first time this installs code-server, the Node it wants and playwright-core (600 MB, minutes)
# in build/vscode, or where TACET_VSCODE says. It wants Debian's chromium, and to build code-server
# g++, make, pkg-config, libkrb5-dev, libx11-dev, libxkbfile-dev and libsecret-1-dev.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
. "$root/tests/editors/prerequisites.sh"
need_command node nodejs
need_command npm npm
need_browser
find_server 'try_vscode.sh PATH-OF-TACET [PICTURES]' "$@"
pictures=$(realpath -m "${2:-$root/build/vscode_pictures}")
peers=${TACET_VSCODE:-$root/build/vscode}
node=$peers/node/node_modules/node/bin/node

# Installs packages in a folder, and lets those run their scripts that have any.
install() {
  mkdir -p "$1"
  (cd "$1" && npm install --no-audit --no-fund --loglevel=error "${@:2}")
}
build_scripts() {
  # npm 11 asks before it runs what older ones just ran.
  (cd "$1" && { npm install-scripts approve --all >/dev/null 2>&1 || true; } && npm rebuild)
}
if [ ! -e "$peers/installed" ]; then
  for tool in g++:g++ make:make pkg-config:pkg-config; do
    need_command "${tool%:*}" "${tool#*:}"
  done
  for library in krb5-gssapi:libkrb5-dev x11:libx11-dev xkbfile:libxkbfile-dev libsecret-1:libsecret-1-dev; do
    pkg-config --exists "${library%:*}" ||
      stop "the library ${library%:*} is missing" "apt-get install ${library#*:} installs it"
  done
  rm -rf "$peers"
  install "$peers/node" node@24
  export PATH="$peers/node/node_modules/node/bin:$PATH"
  install "$peers/code" code-server@4.139.1 playwright-core
  build_scripts "$peers/code"
  build_scripts "$peers/code/node_modules/code-server/lib/vscode"
  touch "$peers/installed"
fi
mkdir -p "$pictures"
cd "$root/editors/vscode"
[ -d node_modules ] || npm ci --ignore-scripts --no-audit --no-fund --loglevel=error
node scripts/bundle.mjs
node scripts/package.mjs build/tacet.vsix
exec timeout 1500 node "$root/tests/editors/vscode_session.mjs" "$tacet" build/tacet.vsix \
  "$peers/code/node_modules" "$node" "$pictures" </dev/null
