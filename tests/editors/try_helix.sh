#!/usr/bin/env bash
# Drives Helix in tmux with our configuration: try_helix.sh PATH-OF-TACET. HX says which Helix (23.10
# or later). The mistake stands on the screen, a hover opens, and keywords have the theme's colour.
set -euo pipefail
root=$(cd "$(dirname "${BASH_SOURCE[0]}")/../.." && pwd)
tacet=$(realpath "$1")
for program in tmux "${HX:-hx}"; do
  command -v "$program" >/dev/null || { echo "$program is not installed" >&2; exit 2; }
done
runtime=${TACET_RUNTIME:-$(dirname "$tacet")/../grammar/runtime}
folder=$(mktemp -d)
socket=helix$$
trap 'tmux -L "$socket" kill-server 2>/dev/null || true; rm -rf "$folder"' EXIT
mkdir -p "$folder"/bin "$folder"/helix/runtime/grammars "$folder"/helix/runtime/queries
ln -s "$tacet" "$folder/bin/tacet"
cp "$root/editors/helix/languages.toml" "$folder/helix/"
ln -s "$(realpath "$runtime/parser/tacet.so")" "$folder/helix/runtime/grammars/tacet.so"
ln -s "$root/grammar/queries" "$folder/helix/runtime/queries/tacet"
printf '[editor.inline-diagnostics]\ncursor-line = "hint"\nother-lines = "hint"\n' >"$folder/helix/config.toml"
cp "$root/tests/editors/mistake.tacet" "$folder/"
cd "$folder"
tmux -L "$socket" new-session -d -x 110 -y 50 \
  "PATH=$folder/bin:\$PATH XDG_CONFIG_HOME=$folder COLORTERM=truecolor ${HX:-hx} mistake.tacet"
screen() { tmux -L "$socket" capture-pane -p "$@"; }
await() {
  for _ in $(seq 100); do
    if screen | grep -q "$1"; then return 0; fi
    sleep 0.1
  done
  screen
  echo "FAIL no $1"
  exit 1
}
await 'missing'
echo "the mistake is on the screen"
screen -e | grep -a 'tmln' | grep -aq $'\e\\[38;2' || { echo "FAIL no colours"; exit 1; }
echo "words have colours"
tmux -L "$socket" send-keys 4G ww
tmux -L "$socket" send-keys Space k

await 'val add_one'
echo "the hover is on the screen"
echo "PASS Helix"
