#!/usr/bin/env bash
# The tests of tacet-mode in Emacs, with a session of eglot against the real server:
# emacs.sh PATH-OF-TACET. EMACS says which Emacs. Exit code 77 means that there is none.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/prerequisites.sh"
need_editor EMACS emacs emacs-nox
find_server 'emacs.sh PATH-OF-TACET' "$@"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
export HOME="$folder" TACET="$tacet"
# Where Emacs 29 finds the parser that stands beside the program in a build folder.
parser=$(dirname "$tacet")/../grammar/runtime/parser/tacet.so
if [ -e "$parser" ]; then
  export TACET_PARSER="$folder/parsers"
  mkdir "$TACET_PARSER"
  ln -s "$(realpath "$parser")" "$TACET_PARSER/libtree-sitter-tacet.so"
fi
mode="$root/editors/emacs"
cp "$mode"/tacet-{words,secrets,mode}.el "$folder"
(cd "$folder" && "$EMACS" --batch -Q -L . --eval '(setq byte-compile-error-on-warn t)' \
  -f batch-byte-compile tacet-words.el tacet-secrets.el tacet-mode.el </dev/null)
# Not -Q: Debian's packages, as eglot for Emacs 28, are set up by site files.
timeout 100 "$EMACS" --batch -L "$folder" -l "$mode/tacet-mode-test.el" \
  -f ert-run-tests-batch-and-exit </dev/null
