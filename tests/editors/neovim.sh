#!/usr/bin/env bash
# Drives Neovim (0.7 or later) with our plugin through a session: neovim.sh PATH-OF-TACET. NVIM says
# which Neovim, if not the one in PATH. Exit code 77 means that there is none.
set -euo pipefail
nvim=${NVIM:-nvim}
command -v "$nvim" >/dev/null || exit 77
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here"/{mistake.tacet,secrets.tacet,program.tlhe} "$folder/"
cd "$folder"
export HOME="$folder" XDG_CONFIG_HOME="$folder" XDG_DATA_HOME="$folder" XDG_STATE_HOME="$folder"
export TACET="$1"
timeout 60 "$nvim" --headless -u "$here/neovim_init.lua" -i NONE -n mistake.tacet \
  -c "luafile $here/neovim.lua" </dev/null
