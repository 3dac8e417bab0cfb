#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/completion_script.h"

namespace tacet::cli {

/// `--color -h`: everything an option is called.
static auto spellings(const OptionModel& option) -> std::vector<std::string> {
  std::vector<std::string> names;
  for (const std::string& name : option.short_names) {
    names.push_back("-" + name);
  }
  for (const std::string& name : option.long_names) {
    names.push_back("--" + name);
  }
  return names;
}

static auto command_names(const ProgramModel& program) -> std::string {
  std::vector<std::string> names;
  for (const CommandModel& command : program.commands) {
    names.push_back(command.name);
  }
  return fmt::format("{}", fmt::join(names, " "));
}

/// The bash statement that offers values.
static auto offer(const ProgramModel& program, const OptionModel& option) -> std::string {
  switch (option.value_kind) {
    case ValueKind::Choice:
      return fmt::format("words=\"{}\"", fmt::join(option.choices, " "));
    case ValueKind::Code:
      return "words=\"$(tacet explain 2>/dev/null | cut -d' ' -f1)\"";
    case ValueKind::CommandName:
      return fmt::format("words=\"{}\"", command_names(program));
    case ValueKind::Path:
      return "files=1";
    case ValueKind::None:
    case ValueKind::Text:
      return ":";
  }
  return ":";
}

static auto command_case(const ProgramModel& program, const CommandModel& command) -> std::string {
  std::string out = fmt::format("    {})\n      case $previous in\n", command.name);
  std::vector<std::string> all;
  std::string positional = ":";
  for (const OptionModel& option : command.options) {
    if (option.is_positional) {
      positional = offer(program, option);
      continue;
    }
    std::vector<std::string> names = spellings(option);
    all.insert(all.end(), names.begin(), names.end());
    if (option.value_kind != ValueKind::None) {
      out += fmt::format("        {}) {} ;;\n", fmt::join(names, "|"), offer(program, option));
    }
  }
  out += fmt::format(
      "        *)\n          case $current in\n            -*) words=\"{}\" ;;\n"
      "            *) {} ;;\n          esac\n          ;;\n      esac\n      ;;\n",
      fmt::join(all, " "), positional);
  return out;
}

auto bash_completions(const ProgramModel& program) -> std::string {
  std::string out = R"bash(# Completions of tacet for bash. Put into ~/.bashrc:
#   eval "$(tacet completions bash)"
_tacet() {
  local current=${COMP_WORDS[COMP_CWORD]} previous="" command="" words="" files="" i
  [ "$COMP_CWORD" -gt 0 ] && previous=${COMP_WORDS[COMP_CWORD-1]}
  # bash cuts words at `=`: `--format=js` comes as three.
  if [ "$current" = = ]; then
    current=
  elif [ "$previous" = = ]; then
    previous=${COMP_WORDS[COMP_CWORD-2]}
  fi
  for ((i = 1; i < COMP_CWORD; i++)); do
    case ${COMP_WORDS[i]} in
      -*) ;;
      *) command=${COMP_WORDS[i]}; break ;;
    esac
  done
  case $command in
)bash";
  for (const CommandModel& command : program.commands) {
    out += command_case(program, command);
  }
  std::vector<std::string> options;
  for (const OptionModel& option : program.options) {
    std::vector<std::string> names = spellings(option);
    options.insert(options.end(), names.begin(), names.end());
  }
  out += fmt::format("    '') words=\"{} {}\" ;;\n  esac\n", command_names(program),
                     fmt::join(options, " "));
  out += R"bash(  COMPREPLY=()
  local line
  while IFS= read -r line; do
    COMPREPLY+=("$line")
  done < <(compgen -W "$words" -- "$current"; [ -n "$files" ] && compgen -f -- "$current")
  [ -n "$files" ] && compopt -o filenames 2>/dev/null
  return 0
}
complete -F _tacet tacet
)bash";
  return out;
}

}  // namespace tacet::cli
