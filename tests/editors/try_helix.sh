#!/usr/bin/env bash
# Drives Helix of Debian 13 with our configuration: try_helix.sh PATH-OF-TACET. HX says which other
# Helix (23.10 or later). The mistake stands on the screen, keywords have the theme's colour, a hover
# opens, completion, fix, formatting and renaming write what they should.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$here/prerequisites.sh"
. "$here/terminal.sh"
find_server 'try_helix.sh PATH-OF-TACET' "$@"
need_newer_editor HX helix
find_parser
folder=$(mktemp -d)
trap 'close_terminal; rm -rf "$folder"' EXIT
mkdir -p "$folder"/bin "$folder"/helix/runtime/grammars "$folder"/helix/runtime/queries
watch_server "$folder"
cp -r "$root/editors/helix"/{languages.toml,themes} "$folder/helix/"
ln -s "$parser" "$folder/helix/runtime/grammars/tacet.so"
ln -s "$root/grammar/queries" "$folder/helix/runtime/queries/tacet"
printf '[editor.inline-diagnostics]\ncursor-line = "hint"\nother-lines = "hint"\n[editor.lsp]\ndisplay-inlay-hints = true\n' >"$folder/helix/config.toml"
cp "$here"/{mistake.tacet,secrets.tacet} "$folder/"
cd "$folder"
open_terminal 110 50 "env PATH=$folder/bin:\$PATH XDG_CONFIG_HOME=$folder COLORTERM=truecolor $HX mistake.tacet"
run() { press -l ":$1"; press Enter; }
await 'missing' "the mistake is on the screen"
screen -e | grep -a 'tmln' | grep -aq $'\e\\[38;2' || { echo "FAIL no colours"; exit 1; }
echo "words have colours"
press -l '4gg'
press w w
press Space k
await 'val add_one' "the hover is on the screen"
leave
press -l '18gggl'
press Space a
await 'insert `;`' "the fix is in the menu"
press Enter
await 'x + 1;'
await_no 'missing'
echo "the fix worked"
await 'let y: i64 =' "the type of y is shown"
press -l '19ggo'
press -l 'in_no'
await 'in_no_buffer  *' "completion opens a menu"
leave
press u
run format
await 'val add_one(x: i64) -> i64 {' "the head is formatted"
press -l '4ggww'
press Space r
await 'rename'
press C-u
press -l 'one_more'
press Enter
await 'val one_more(x: i64)'
await 'impls one_more, at_once' "the name is another in both places"
run 'write'
run 'open secrets.tacet'
await 'fn(mpc) larger'
for theme in light:107\;47\;179 dark:217\;184\;255 light_contrast:75\;0\;153 dark_contrast:230\;208\;255; do
  run "theme tacet_${theme%:*}"
  await_colours 'fn(mpc) larger' "38;2;${theme#*:}m[^a-z]*secret" "the word secret has its colour in tacet_${theme%:*}"
done
run 'quit!'
echo "PASS Helix"
