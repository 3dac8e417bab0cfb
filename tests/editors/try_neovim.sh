#!/usr/bin/env bash
# Drives Neovim of Debian 13 with our plugin, without a screen and on one: try_neovim.sh PATH-OF-TACET.
# NVIM says which other Neovim (0.10 or later). The mistake stands in the text, hovering opens a
# window, completion a menu, and what is written comes from them.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/prerequisites.sh"
. "$here/terminal.sh"
find_server 'try_neovim.sh PATH-OF-TACET' "$@"
need_newer_editor NVIM neovim
NVIM=$NVIM TACET_NEWER=1 "$here/neovim.sh" "$tacet"

folder=$(mktemp -d)
trap 'close_terminal; rm -rf "$folder"' EXIT
cp "$here"/{mistake.tacet,secrets.tacet} "$folder/"
cd "$folder"
open_terminal 110 40 "env HOME=$folder XDG_CONFIG_HOME=$folder XDG_DATA_HOME=$folder XDG_STATE_HOME=$folder \
  TACET=$tacet COLORTERM=truecolor $NVIM -u $here/neovim_init.lua -i NONE -n mistake.tacet"
run() { press -l ":$1"; press Enter; }
run 'lua vim.diagnostic.config({ virtual_text = true })'
await 'missing `;`' "the mistake stands behind its line"
screen -e | grep -a 'tmln' | grep -aq $'\e\\[[0-9;]*m' || { echo "FAIL no colours"; exit 1; }
press 18G '$'
run 'lua vim.lsp.buf.code_action({ apply = true, context = { only = { "quickfix" } } })'
await 'x + 1;'
await_no 'missing `;`'
echo "the fix worked"
await 'let y: i64 =' "the type of y is shown"
press 17G f a
press -l 'K'
await 'Adds one, and is written carelessly.$' "hovering opens a window"
leave
press 19G S
press -l 'ke'
press C-x C-o
await 'fn keep(x: i64) -> i64' "completion opens a menu"
press C-e
leave
press u
run 'lua vim.lsp.buf.format()'
await 'val add_one(x: i64) -> i64 {' "the head is formatted"
press 17G f a
run 'lua vim.lsp.buf.rename("one_more")'
await 'val one_more(x: i64)'
await 'impls one_more, at_once' "the name is another in both places"
run 'write'
run 'edit secrets.tacet'
await 'fn(mpc) larger'
run 'set termguicolors background=light'
await_colours 'if a < b' '38;2;107;47;179mb' "what depends on a secret has its colour on a light background"
run 'set background=dark'
await_colours 'if a < b' '38;2;217;184;255mb' "and on a dark one"
run 'highlight Normal guifg=#ffffff guibg=#000000'
run 'doautocmd ColorScheme'
await_colours 'if a < b' '38;2;230;208;255mb' "and in high contrast"
press 5G w
run 'TacetStage mpc'
await 'mpc_program' "the program of the parties stands beside its source"
run 'qall!'
echo "PASS Neovim on a screen"
