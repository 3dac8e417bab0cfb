#!/usr/bin/env bash
# Editors that are newer than the machine's: newer_editor.sh neovim|emacs|helix prints the path of a
# script that starts the editor as Debian 13 has it, or as the suite has that TACET_DEBIAN_SUITE names.
# The first time this downloads its packages (8 to 60 MB, with apt-get, which checks their signatures)
# and lays them out in build/editors, or where TACET_EDITORS says; nothing is installed, and root's
# rights are not needed. TACET_DEBIAN_MIRROR says from where, if not from deb.debian.org.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
declare -A packages=([neovim]=neovim [emacs]=emacs-nox [helix]=hx)
editor=${1:-}
declare -A variables=([neovim]=NVIM [emacs]=EMACS [helix]=HX)
package=${packages[$editor]:-}
[ -n "$package" ] || { echo "usage: newer_editor.sh ${!packages[*]}" >&2; exit 2; }
suite=${TACET_DEBIAN_SUITE:-trixie}
mirror=${TACET_DEBIAN_MIRROR:-http://deb.debian.org/debian}
folder=${TACET_EDITORS:-$root/build/editors}/$suite
tree=$folder/$editor
start=$tree/start
if [ -x "$start" ]; then
  echo "$start"
  exit
fi

for tool in apt-get dpkg-deb; do
  command -v "$tool" >/dev/null ||
    { echo "newer_editor.sh: the program $tool is missing: install $editor yourself, and name it in ${variables[$editor]}" >&2; exit 2; }
done

# What Emacs is said to depend on and never uses here: sources, and what compiles native code.
unused='^(emacs-el|binutils.*|libbinutils|libgprofng0|libctf.*|libsframe1|libc6-dev|libc-dev-bin|libcrypt-dev|libgcc-.*-dev|linux-libc-dev|rpcsvc-proto|install-info|lib(hwa|a|l|t|ub)san[0-9])$'

# An apt of its own, which knows of no installed package: so it names all that the editor stands on.
state=$folder/apt
mkdir -p "$state"/{lists,cache/archives}/partial
: >"$state/status"
keys=/usr/share/keyrings/debian-archive-keyring.gpg
echo "deb [signed-by=$keys] $mirror $suite main" >"$state/sources.list"
apt() {
  apt-get -qq -o Dir::Etc::sourcelist="$state/sources.list" -o Dir::Etc::sourceparts=/dev/null \
    -o Dir::State="$state" -o Dir::State::status="$state/status" -o Dir::Cache="$state/cache" \
    -o Acquire::http::Timeout=15 -o Acquire::Retries=1 -o APT::Update::Error-Mode=any \
    -o Acquire::Languages=none -o APT::Sandbox::User="$(id -un)" "$@" </dev/null
}
echo "taking $package and what it needs from the suite $suite" >&2
apt update || { echo "newer_editor.sh: $mirror $suite cannot be read; TACET_DEBIAN_MIRROR=URL chooses another mirror" >&2; exit 2; }
mapfile -t wanted < <(apt -y --no-install-recommends --print-uris install "$package" |
  sed -n "s/^'[^']*' \([^_]*\)_.*/\1/p" | grep -Ev "$unused")
[ "${#wanted[@]}" -gt 0 ] || { echo "$suite has no $package" >&2; exit 2; }
rm -rf "$tree"
mkdir -p "$tree/downloaded"
(cd "$tree/downloaded" && apt download "${wanted[@]}" >&2)
for file in "$tree"/downloaded/*.deb; do
  dpkg-deb -x "$file" "$tree"
done
rm -rf "$tree/downloaded"

# It runs beside the system's libraries: by its own loader, with its own.
machine=$(cd "$tree/usr/lib" && echo *-linux-gnu)
libraries=$tree/usr/lib/$machine
loader=$(echo "$libraries"/ld-linux*.so*)
option=
{
  echo '#!/bin/sh'
  case "$editor" in
    neovim)
      echo "export VIMRUNTIME='$tree/usr/share/nvim/runtime'"
      program=nvim
      ;;
    emacs)
      version=$(cd "$tree/usr/share/emacs" && echo [0-9]*)
      share=$tree/usr/share/emacs/$version
      own=$tree/usr/libexec/emacs/$version/$machine
      echo "export EMACSLOADPATH='$share/site-lisp:$share/lisp$(cd "$share/lisp" &&
        find . -mindepth 1 -type d ! -name obsolete ! -name term | sort | sed "s#^\.#:$share/lisp#" | tr -d '\n')'"
      echo "export EMACSDATA='$share/etc' EMACSDOC='$share/etc' EMACSPATH='$own'"
      program=emacs-nox
      option=" --dump-file='$(echo "$own"/emacs*.pdmp)'"
      ;;
    helix)
      echo "export HELIX_RUNTIME='$tree/usr/lib/hx/runtime'"
      program=hx
      ;;
  esac
  file=$(readlink -f "$tree/usr/bin/$program")
  cat <<TXT
start() { exec '$loader' --argv0 '$tree/usr/bin/$program' --library-path '$libraries' '$file'$option "\$@"; }
TXT
  if [ "$editor" = neovim ]; then
    # For a screen Neovim starts itself a second time, and takes the loader for itself.
    cat <<'TXT'
case " $* " in *' --headless '* | *' --version '*) start "$@" ;; esac
socket=$(mktemp -u)
start --headless --listen "$socket" "$@" </dev/null >/dev/null 2>&1 &
trap "kill $! 2>/dev/null" EXIT HUP TERM
until [ -S "$socket" ]; do
  kill -0 $! || exit 1
  sleep 0.05
done
(start --server "$socket" --remote-ui)
TXT
  else
    echo 'start "$@"'
  fi
} >"$start.new"
chmod +x "$start.new"
mv "$start.new" "$start"
echo "$start"
