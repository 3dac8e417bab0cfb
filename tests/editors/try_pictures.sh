#!/usr/bin/env bash
# Makes the pictures of docs/editors of editors in a terminal, with nothing but what their pages say
# to write down: try_pictures.sh PATH-OF-TACET. HX says which Helix; without it there is no picture of
# Helix. Wants tmux, and what try_vscode.sh installs.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tacet=$(realpath "$1")
modules=${TACET_VSCODE:-$root/build/vscode}/code/node_modules
[ -d "$modules/playwright-core" ] || { echo "./dev editor vscode installs what this wants" >&2; exit 2; }
command -v tmux >/dev/null || { echo "tmux is not installed" >&2; exit 2; }
runtime=$(dirname "$tacet")/../grammar/runtime
home=$(mktemp -d)
socket=pictures$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$home"' EXIT
mkdir -p "$home"/{bin,work,.config/nvim,.config/helix/runtime/grammars,.config/helix/runtime/queries}
ln -s "$tacet" "$home/bin/tacet"
cp "$root/tests/editors/secrets.tacet" "$home/work/"

cat >"$home/.config/nvim/init.lua" <<TXT
vim.opt.runtimepath:append('$root/editors/nvim')
require('tacet').setup({})
vim.opt.number = true
vim.opt.background = 'light'
TXT
cat >"$home/.emacs" <<TXT
(add-to-list 'load-path "$root/editors/emacs")
(require 'tacet-mode)
(add-hook 'tacet-base-mode-hook #'eglot-ensure)
(setq native-comp-async-report-warnings-errors nil inhibit-startup-screen t)
(menu-bar-mode -1)
(setq frame-background-mode 'light)
(mapc #'frame-set-background-mode (frame-list))
TXT
cat "$root/editors/helix/languages.toml" >"$home/.config/helix/languages.toml"
printf 'theme = "onelight"\n' >"$home/.config/helix/config.toml"
ln -s "$(realpath "$runtime/parser/tacet.so")" "$home/.config/helix/runtime/grammars/tacet.so"
ln -s "$root/grammar/queries" "$home/.config/helix/runtime/queries/tacet"

# picture NAME PROGRAM KEYS…: starts the program, sends the keys, and makes the picture.
picture() {
  local name=$1 program=$2
  shift 2
  tmux -L "$socket" new-session -d -x 100 -y 15 -c "$home/work" \
    "env HOME=$home PATH=$home/bin:\$PATH COLORTERM=truecolor TERM=screen-256color $program secrets.tacet"
  sleep 3
  for keys in "$@"; do
    # shellcheck disable=SC2086 # several keys
    tmux -L "$socket" send-keys $keys
    sleep 0.7
  done
  sleep 1
  tmux -L "$socket" capture-pane -e -p |
    node "$root/tests/editors/terminal_picture.mjs" "$modules" "$root/docs/editors/$name.png"
  tmux -L "$socket" kill-server
  sleep 0.3
}
picture neovim nvim "5G w" ":TacetOblivious Enter" l
picture emacs "emacs -nw" "M-g g" "5 Enter" "C-e C-b C-b" M-x tacet-oblivious-form Enter
if [ -n "${HX:-}" ]; then
  picture helix "$HX" 4G "w w w w w" "Space k"
fi
