# Sourced by the scripts that drive editors: checks at the start for everything that they use, and
# says what is missing and where to get it.

# stop TEXT…: prints the lines and ends the script as a failure.
stop() {
  printf '%s\n' "${0##*/}: $1" "${@:2}" >&2
  exit 2
}

# skip TEXT…: the same for what need not be installed; CTest then reports a skipped test.
skip() {
  printf '%s\n' "${0##*/}: $1" "${@:2}"
  exit 77
}

# find_server USAGE [PATH]: sets `tacet` to the absolute path of the program, after it answered as a
# language server.
find_server() {
  [ -n "${2:-}" ] || stop "the path of the program tacet is missing" "usage: $1"
  local build="./dev build tacet builds it as build/release/cli/tacet"
  [ -e "$2" ] || stop "there is no file $2" "$build"
  [ -f "$2" ] && [ -x "$2" ] || stop "$2 is not a program" "$build"
  tacet=$(realpath "$2")
  local request='{"jsonrpc":"2.0","id":1,"method":"initialize","params":{"processId":null,"rootUri":null,"capabilities":{}}}'
  local log answer status=0
  log=$(mktemp)
  answer=$(printf 'Content-Length: %d\r\n\r\n%s' "${#request}" "$request" |
    timeout 10 "$tacet" lsp 2>"$log") || status=$?
  case "$answer" in
    *'"capabilities"'*) rm "$log" ;;
    *)
      mapfile -t reasons < <(tail -n 5 "$log")
      rm "$log"
      [ "$status" != 124 ] || reasons=("it did not answer within 10 seconds")
      stop "$tacet lsp is not a language server: exit status $status" "${reasons[@]}" "$build"
      ;;
  esac
}

# find_parser: sets `parser` to the tree-sitter parser beside `tacet` in a build folder, or in the folder
# TACET_RUNTIME.
find_parser() {
  parser=${TACET_RUNTIME:-$(dirname "$tacet")/../grammar/runtime}/parser/tacet.so
  [ -e "$parser" ] || stop "there is no tree-sitter parser $parser" "./dev build tree-sitter-tacet builds it"
  parser=$(realpath "$parser")
}

# need_command NAME PACKAGE: the package of Debian that has the program.
need_command() {
  command -v "$1" >/dev/null || stop "the program $1 is missing" "apt-get install $2 installs it"
}

# need_editor VARIABLE NAME PACKAGE: an editor that a variable of the environment, which is then set, or
# PATH has. One that was asked for has to be there.
need_editor() {
  local chosen=${!1:-}
  if [ -n "$chosen" ]; then
    command -v "$chosen" >/dev/null || stop "$1 is $chosen, which is not a program"
  else
    command -v "$2" >/dev/null || skip "the editor $2 is missing" "apt-get install $3 installs it, $1=PATH chooses another"
    printf -v "$1" %s "$2"
  fi
  timeout 20 "${!1}" --version </dev/null >/dev/null 2>&1 || stop "${!1} is no editor that runs: ${!1} --version fails"
}

# need_newer_editor VARIABLE NAME: the same for an editor that newer_editor.sh has to bring otherwise.
need_newer_editor() {
  local chosen=${!1:-}
  [ -z "$chosen" ] || { need_editor "$1" "$2" ""; return; }
  chosen=$("$here/newer_editor.sh" "$2") || exit 2
  printf -v "$1" %s "$chosen"
}

# need_browser: sets CHROMIUM, unless it is set.
need_browser() {
  local chosen=${CHROMIUM:-chromium}
  command -v "$chosen" >/dev/null ||
    stop "the browser $chosen is missing" "apt-get install chromium installs one, CHROMIUM=PATH chooses another"
  CHROMIUM=$(command -v "$chosen")
  export CHROMIUM
}

# need_files TEXT FILE…: files of which TEXT says how to get them.
need_files() {
  local file
  for file in "${@:2}"; do
    [ -e "$file" ] || stop "there is no $file" "$1"
  done
}
