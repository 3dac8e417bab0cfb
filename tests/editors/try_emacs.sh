#!/usr/bin/env bash
# Drives Emacs of Debian 13 with our mode, eglot and the parser, in a batch and on a screen:
# try_emacs.sh PATH-OF-TACET. EMACS says which other Emacs (29 or later). The error is reported,
# hovers and hints are shown, and text is written by completion, fixes, renaming and formatting.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/prerequisites.sh"
. "$here/terminal.sh"
find_server 'try_emacs.sh PATH-OF-TACET' "$@"
need_newer_editor EMACS emacs
find_parser
EMACS=$EMACS TACET_NEWER=1 "$here/emacs.sh" "$tacet"

folder=$(mktemp -d)
trap 'close_terminal; rm -rf "$folder"' EXIT
mkdir -p "$folder"/{bin,work,.emacs.d/tree-sitter}
watch_server "$folder"
ln -s "$parser" "$folder/.emacs.d/tree-sitter/libtree-sitter-tacet.so"
cp "$here"/{mistake.tacet,secrets.tacet} "$folder/work/"
cat >"$folder/.emacs" <<TXT
(add-to-list 'load-path "$root/editors/emacs")
(require 'tacet-mode)
(add-hook 'tacet-base-mode-hook #'eglot-ensure)
(setq inhibit-startup-screen t eglot-autoshutdown t confirm-kill-processes nil auto-save-default nil)
(menu-bar-mode -1)
TXT
cd "$folder/work"
open_terminal 110 40 "env HOME=$folder PATH=$folder/bin:\$PATH TERM=screen-256color COLORTERM=truecolor $EMACS -nw mistake.tacet"
command() { press M-x; press -l "$1"; press Enter; }
go() { press M-g g; press -l "$1"; press Enter; }
await 'val   add_one'
await 'Flymake\[1 0\]\|Flymake\[1\]' "the mistake is counted"
await 'Tacet' "the mode is on"
screen -e | grep -a 'tmln' | grep -aq $'\e\\[[0-9;]*m' || { echo "FAIL no colours"; exit 1; }
command flymake-show-buffer-diagnostics
await 'missing `;`' "the mistake is listed"
press C-x 1
go 18
press C-e
command eglot-code-action-quickfix
await 'x + 1;' "the fix worked"
await 'let y: i64 = x' "the type of y is shown"
go 17
press C-s
press -l 'impls a'
press Enter
command eldoc-doc-buffer
await 'Adds one, and is written carelessly.$' "hovering opens a window"
press C-x 1
go 19
press C-a C-k
press -l '    ke'
command completion-at-point
await '^!*  *keep' "completion writes the name"
sleep 1 # eglot asks for what else the completion edits
press C-a C-k
press -l '    y'
await 'Flymake.0 0.'
command eglot-format-buffer
await 'val add_one(x: i64) -> i64 {' "the head is formatted"
go 17
press C-s
press -l 'impls a'
press Enter
command eglot-rename
await 'Rename .add_one. to'
press -l 'one_more'
press Enter
await 'val one_more(x: i64)'
await 'impls one_more, at_once' "the name is another in both places"
press C-x C-s C-x C-f
press -l 'secrets.tacet'
press Enter
await 'fn(mpc) larger'
await 'eglot'
evaluate() { press M-:; press -l "$1"; press Enter; }
for background in light dark; do
  evaluate "(progn (setq frame-background-mode '$background) (frame-set-background-mode (selected-frame)))"
  [ "$background" = light ] && codes='107;47;179' || codes='217;184;255'
  await_colours 'return a;' "38;2;${codes}ma" "what depends on a secret has its colour on a $background background"
done
evaluate "(progn (setq frame-background-mode nil) (load-theme 'modus-operandi t))"
await_colours 'return a;' '38;2;75;0;153ma' "and in a theme of high contrast"
evaluate "(disable-theme 'modus-operandi)"
go 5
command tacet-show-stage
press -l 'mpc'
press Enter
await 'mpc_program' "the program of the parties stands below its source"
echo "PASS Emacs on a screen"
