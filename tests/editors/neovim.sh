#!/usr/bin/env bash
# Drives Neovim (0.7 or later) through a session: neovim.sh PATH-OF-TACET. Exit code 77 means
# that there is no Neovim.
set -euo pipefail
command -v nvim >/dev/null || exit 77
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/mistake.tacet" "$folder/"
cd "$folder"
export HOME="$folder" XDG_CONFIG_HOME="$folder" XDG_DATA_HOME="$folder" XDG_STATE_HOME="$folder"
export TACET="$1"
timeout 100 nvim --headless -u NONE -i NONE -n mistake.tacet -c "luafile $here/neovim.lua" </dev/null
