#!/usr/bin/env bash
# Makes the pictures of docs/editors of editors in a terminal, as Debian 13 has them and with nothing but
# what their pages say to write down: try_pictures.sh PATH-OF-TACET. NVIM, EMACS and HX say which others.
# Wants tmux, and what try_vscode.sh installs.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/prerequisites.sh"
. "$here/terminal.sh"
need_command node nodejs
need_browser
modules=${TACET_VSCODE:-$root/build/vscode}/code/node_modules
need_files "./dev editor vscode installs it" "$modules/playwright-core"
find_server 'try_pictures.sh PATH-OF-TACET' "$@"
find_parser
need_newer_editor NVIM neovim
need_newer_editor EMACS emacs
need_newer_editor HX helix
home=$(mktemp -d)
trap 'close_terminal; rm -rf "$home"' EXIT
mkdir -p "$home"/{bin,work,.config/nvim,.config/helix/runtime/grammars,.config/helix/runtime/queries,.emacs.d/tree-sitter}
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
ln -s "$parser" "$home/.config/helix/runtime/grammars/tacet.so"
ln -s "$root/grammar/queries" "$home/.config/helix/runtime/queries/tacet"

ln -s "$parser" "$home/.emacs.d/tree-sitter/libtree-sitter-tacet.so"

# picture NAME PROGRAM KEYS…: starts the program, sends the keys, and makes the picture.
picture() {
  local name=$1 program=$2
  shift 2
  cd "$home/work"
  open_terminal 100 15 "env HOME=$home PATH=$home/bin:\$PATH COLORTERM=truecolor TERM=screen-256color $program secrets.tacet"
  sleep 3
  for keys in "$@"; do
    # shellcheck disable=SC2086 # several keys
    press $keys
    sleep 0.7
  done
  sleep 1
  screen -e |
    node "$root/tests/editors/terminal_picture.mjs" "$modules" "$root/docs/editors/$name.png"
  close_terminal
  sleep 0.3
}
picture neovim "$NVIM" "5G w" ":TacetOblivious Enter" l
picture emacs "$EMACS -nw" "M-g g" "5 Enter" "C-e C-b C-b" M-x tacet-oblivious-form Enter
picture helix "$HX" 4G "w w w w w" "Space k"
