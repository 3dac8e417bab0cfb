# Sourced: an editor in a terminal that a script types into and looks at. Wants tmux.
command -v tmux >/dev/null || { echo "tmux is not installed" >&2; exit 2; }
terminal=tacet$$

# open_terminal WIDTH HEIGHT COMMAND: a shell runs the command in the current folder.
open_terminal() {
  tmux -L "$terminal" -f /dev/null new-session -d -x "$1" -y "$2" "$3"
  tmux -L "$terminal" set-option -g escape-time 0
}

close_terminal() { tmux -L "$terminal" kill-server 2>/dev/null || true; }

# What stands on the screen; with -e its colours, too.
screen() { tmux -L "$terminal" capture-pane -p "$@"; }

# press KEYS…: as tmux names them; what is no name of a key is typed.
press() { tmux -L "$terminal" send-keys "$@"; }

# Presses Escape, by itself: with the next key it would be another one.
leave() { press Escape; sleep 0.3; }

# await TEXT [WHAT]: until the text, a regular expression, is on the screen; says that WHAT is there.
await() {
  for _ in $(seq 150); do
    if screen | grep -q -- "$1"; then
      [ -z "${2:-}" ] || echo "$2"
      return 0
    fi
    sleep 0.1
  done
  screen
  echo "FAIL no $1"
  exit 1
}

# await_no TEXT: until the text disappears.
await_no() {
  for _ in $(seq 150); do
    if ! screen | grep -q -- "$1"; then return 0; fi
    sleep 0.1
  done
  screen
  echo "FAIL still $1"
  exit 1
}
