#include <fmt/format.h>
#include <fmt/ranges.h>

#include "cli/help/completion_script.h"

namespace tacet::cli {

static auto fish_quoted(const std::string& text) -> std::string {
  std::string out = "'";
  for (char c : text) {
    if (c == '\'' || c == '\\') {
      out += '\\';
    }
    out += c;
  }
  return out + "'";
}

static auto value_arguments(const OptionModel& option) -> std::string {
  switch (option.value_kind) {
    case ValueKind::None:
      return "";
    case ValueKind::Choice:
      return fmt::format(" -xa {}", fish_quoted(fmt::format("{}", fmt::join(option.choices, " "))));
    case ValueKind::Path:
      return " -rF";
    case ValueKind::Code:
      return " -xa '(tacet explain 2>/dev/null | string split -f1 \" \")'";
    case ValueKind::CommandName:
      return " -xa '(__tacet_commands)'";
    case ValueKind::Text:
      return " -x";
  }
  return "";
}

static auto complete_line(const std::string& condition, const OptionModel& option) -> std::string {
  std::string line = fmt::format("complete -c tacet -n {}", fish_quoted(condition));
  for (const std::string& name : option.short_names) {
    line += " -s " + name;
  }
  for (const std::string& name : option.long_names) {
    line += " -l " + name;
  }
  line += value_arguments(option);
  return line + " -d " + fish_quoted(option.description) + "\n";
}

auto fish_completions(const ProgramModel& program) -> std::string {
  std::string names;
  std::string lines;
  for (const CommandModel& command : program.commands) {
    names += fmt::format("    echo {}\n", fish_quoted(command.name + "\t" + command.summary));
    for (const OptionModel& option : command.options) {
      lines += complete_line("__fish_seen_subcommand_from " + command.name, option);
    }
  }
  std::string out =
      "# Completions of tacet for fish. Put into ~/.config/fish/completions/tacet.fish:\n"
      "#   tacet completions fish > ~/.config/fish/completions/tacet.fish\n";
  out += "function __tacet_commands\n" + names + "end\n";
  out += "complete -c tacet -f\n";
  out += "complete -c tacet -n __fish_use_subcommand -xa '(__tacet_commands)'\n";
  for (const OptionModel& option : program.options) {
    out += complete_line("__fish_use_subcommand", option);
  }
  return out + lines;
}

}  // namespace tacet::cli
