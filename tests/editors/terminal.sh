# Sourced: an editor in a terminal that a script types into and looks at. Wants tmux, and
# prerequisites.sh sourced before.
need_command tmux tmux
terminal=tacet$$

terminal_options=$(mktemp)
# What an editor showed last is there after its end.
printf 'set -g remain-on-exit on\nset -g escape-time 0\n' >"$terminal_options"

# open_terminal WIDTH HEIGHT COMMAND: a shell runs the command in the current folder.
open_terminal() {
  tmux -L "$terminal" -f "$terminal_options" new-session -d -x "$1" -y "$2" "$3" ||
    stop "tmux does not open a terminal"
}

close_terminal() {
  tmux -L "$terminal" kill-server 2>/dev/null || true
  rm -f "$terminal_options"
}

# watch_server FOLDER: makes FOLDER/bin/tacet, which runs the program and notes if it fails.
watch_server() {
  server_failure=$1/server_failure
  cat >"$1/bin/tacet" <<TXT
#!/bin/sh
'$tacet' "\$@"
status=\$?
[ "\$status" = 0 ] || echo "\$status" >'$server_failure'
exit "\$status"
TXT
  chmod +x "$1/bin/tacet"
}

# What stands on the screen; with -e its colours, too.
screen() { tmux -L "$terminal" capture-pane -p "$@"; }

# press KEYS…: as tmux names them; what is no name of a key is typed.
press() { tmux -L "$terminal" send-keys "$@"; }

# Presses Escape, by itself: with the next key it would be another one.
leave() { press Escape; sleep 0.3; }

# fail TEXT: with what is on the screen.
fail() {
  printf '%s\n' "$shown" "FAIL $1"
  exit 1
}

# look: reads the screen into `shown`, and fails at once if the editor or its server ended.
look() {
  shown=$(screen)
  [ "$(tmux -L "$terminal" display-message -p '#{pane_dead}')" = 0 ] || fail "the editor ended"
  # Neovim says itself how its server ended.
  ! grep -q 'quit with exit code' <<<"$shown" || fail "the language server ended"
  [ ! -e "${server_failure:-/dev/null/none}" ] ||
    fail "the language server ended with exit status $(cat "$server_failure")"
}

# await TEXT [WHAT]: until the text, a regular expression, is on the screen; says that WHAT is there.
await() {
  for _ in $(seq 150); do
    look
    if grep -q -- "$1" <<<"$shown"; then
      [ -z "${2:-}" ] || echo "$2"
      return 0
    fi
    sleep 0.1
  done
  fail "no $1"
}

# await_colours LINE CODES WHAT: until the line that has that text, written with its colours, has CODES, a
# regular expression of what sets colours and the text in them; says WHAT.
await_colours() {
  local line
  for _ in $(seq 150); do
    look
    line=$(screen -e | sed -n "$(grep -n -m 1 -- "$1" <<<"$shown" | cut -d: -f1)p")
    if grep -q -- "$2" <<<"$line"; then
      echo "$3"
      return 0
    fi
    sleep 0.1
  done
  printf '%q\n' "$line"
  fail "no $2 in the line of $1"
}

# await_no TEXT: until the text disappears.
await_no() {
  for _ in $(seq 150); do
    look
    if ! grep -q -- "$1" <<<"$shown"; then return 0; fi
    sleep 0.1
  done
  fail "still $1"
}
