#!/usr/bin/env bash
# Drives Vim through a session, with ALE where Debian's vim-ale is installed: vim.sh PATH-OF-TACET.
# Exit code 77 means that there is no Vim, or one without scripts.
set -euo pipefail
command -v vim >/dev/null && vim --version | grep -q '+eval' || exit 77
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cp "$here/mistake.tacet" "$folder/"
cd "$folder"
export HOME="$folder" TACET="$1" RESULT="$folder/result" TERM=xterm
timeout 60 script -qec "vim -Nu NONE -i NONE -n -S $here/vim_session.vim" /dev/null >/dev/null </dev/null
cat result
! grep -q FAIL result
