#!/usr/bin/env bash
# Drives Vim through a session, with ALE where Debian's vim-ale is installed: vim.sh PATH-OF-TACET.
# VIM_PROGRAM says which Vim, if not the one in PATH. Exit code 77 means that there is no Vim, or one without scripts.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
. "$here/prerequisites.sh"
need_editor VIM_PROGRAM vim vim
[[ $("$VIM_PROGRAM" --version) == *+eval* ]] ||
  skip "$VIM_PROGRAM cannot run scripts" "apt-get install vim installs one that can"
need_command script bsdutils
find_server 'vim.sh PATH-OF-TACET' "$@"
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/mistake.tacet" "$folder/"
cd "$folder"
export HOME="$folder" TACET="$tacet" RESULT="$folder/result" TERM=xterm
timeout 60 script -qec "$VIM_PROGRAM -Nu NONE -i NONE -n -S $here/vim_session.vim" /dev/null >/dev/null </dev/null
cat result
! grep -q FAIL result
