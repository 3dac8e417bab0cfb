#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/completion_script.h"

namespace tacet::cli {

/// Text inside single quotes and inside zsh's `[...]` and `:...:`.
static auto zsh_quoted(const std::string& text) -> std::string {
  std::string out;
  for (char c : text) {
    if (c == '\'') {
      out += "'\\''";
    } else {
      if (c == '[' || c == ']' || c == ':' || c == '\\') {
        out += '\\';
      }
      out += c;
    }
  }
  return out;
}

static auto value_action(const OptionModel& option) -> std::string {
  switch (option.value_kind) {
    case ValueKind::None:
      return "";
    case ValueKind::Choice:
      return fmt::format(":value:({})", fmt::join(option.choices, " "));
    case ValueKind::Path:
      return ":path:_files";
    case ValueKind::Code:
      return ":code:_tacet_codes";
    case ValueKind::CommandName:
      return ":command:_tacet_commands";
    case ValueKind::Text:
      return fmt::format(":{}:", zsh_quoted(option.value_name));
  }
  return "";
}

/// One argument of `_arguments`.
static auto specification(const OptionModel& option) -> std::string {
  if (option.is_positional) {
    return fmt::format("'{}{}'", option.is_repeatable ? "*" : "", value_action(option));
  }
  std::vector<std::string> names;
  for (const std::string& name : option.short_names) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.long_names) {
    names.push_back("--" + name + (option.value_kind == ValueKind::None ? "" : "="));
  }
  std::string rest = fmt::format("[{}]{}", zsh_quoted(option.description), value_action(option));
  std::string repeat = option.is_repeatable ? "*" : "";
  if (names.size() == 1) {
    return fmt::format("'{}{}{}'", repeat, names.front(), rest);
  }
  return fmt::format("'{}'{{{}}}'{}'", repeat, fmt::join(names, ","), rest);
}

auto zsh_completions(const ProgramModel& program) -> std::string {
  std::string commands;
  std::string cases;
  for (const CommandModel& command : program.commands) {
    commands += fmt::format("    '{}:{}'\n", command.name, zsh_quoted(command.summary));
    cases += fmt::format("    {})\n      _arguments -s", command.name);
    for (const OptionModel& option : command.options) {
      cases += " \\\n        " + specification(option);
    }
    cases += "\n      ;;\n";
  }
  std::string options;
  for (const OptionModel& option : program.options) {
    options += fmt::format("    {} \\\n", specification(option));
  }
  return fmt::format(R"zsh(#compdef tacet
# Completions of tacet for zsh. Put into a folder in $fpath as _tacet:
#   tacet completions zsh > ~/.zfunc/_tacet
_tacet_commands() {{
  local -a commands=(
{}  )
  _describe command commands
}}
_tacet_codes() {{
  local -a codes=(${{(f)"$(tacet explain 2>/dev/null | cut -d' ' -f1)"}})
  compadd -a codes
}}
_tacet() {{
  local context state state_descr line
  typeset -A opt_args
  _arguments -C \
{}    '1:command:_tacet_commands' \
    '*::argument:->arguments'
  [[ $state == arguments ]] || return 0
  case $words[1] in
{}  esac
}}
if [[ $funcstack[1] == _tacet ]]; then
  _tacet "$@"
else
  compdef _tacet tacet
fi
)zsh",
                     commands, options, cases);
}

}  // namespace tacet::cli
