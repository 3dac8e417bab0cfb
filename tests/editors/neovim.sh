#!/usr/bin/env bash
# Drives Neovim (0.7 or later) with our plugin through a session: neovim.sh PATH-OF-TACET. NVIM says
# which Neovim, if not the one in PATH. Exit code 77 means that there is none.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/prerequisites.sh"
need_editor NVIM nvim neovim
find_server 'neovim.sh PATH-OF-TACET' "$@"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here"/{mistake.tacet,secrets.tacet,program.tlhe} "$folder/"
cd "$folder"
export HOME="$folder" XDG_CONFIG_HOME="$folder" XDG_DATA_HOME="$folder" XDG_STATE_HOME="$folder"
export TACET="$tacet"
# An error ends Neovim too, which would wait for a person.
session="local is_right, problem = xpcall(dofile, debug.traceback, '$here/neovim.lua')
  if not is_right then io.stdout:write('FAIL ' .. problem .. '\n'); vim.cmd('cquit 1') end"
timeout 60 "$NVIM" --headless -u "$here/neovim_init.lua" -i NONE -n mistake.tacet \
  -c "lua ${session//$'\n'/}" </dev/null
