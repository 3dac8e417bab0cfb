#include <fmt/format.h>

#include "cli/help/reference.h"

namespace tacet::cli {

static auto options_table(const std::vector<OptionModel>& options) -> std::string {
  std::string out = "| | |\n|---|---|\n";
  for (const OptionModel& option : options) {
    std::string heading;
    for (char c : option_heading(option)) {
      heading += c == '|' ? std::string("\\|") : std::string(1, c);
    }
    out += fmt::format("| `{}` | {} |\n", heading, option.description);
  }
  return out;
}

static auto command_section(const CommandModel& command) -> std::string {
  std::string out = fmt::format("\n## tacet {}\n\n{}.\n\n```\ntacet {}\n```\n\n", command.name,
                                command.summary, usage_line(command));
  if (!command.examples.empty()) {
    out += fmt::format("```sh\n{}\n```\n\n", command.examples);
  }
  out += options_table(command.options);
  return command.details.empty() ? out : out + "\n" + command.details + "\n";
}

auto markdown_reference(const ProgramModel& program) -> std::string {
  std::string out = fmt::format(
      "# The command line\n\n<!-- Written by `tacet man --markdown`; a test keeps it current. "
      "-->\n\n{}.\n\n{}\n"
      "Exit codes: 0 done and nothing is wrong; 1 the program or the check failed; 2 the command\n"
      "line is wrong; 3 an internal error, with a report file.\n",
      program.summary, options_table(program.options));
  for (const CommandModel& command : program.commands) {
    if (command.is_built) {
      out += command_section(command);
    }
  }
  out += "\n## Not built yet\n\n";
  for (const CommandModel& command : program.commands) {
    if (!command.is_built) {
      out += fmt::format("* `tacet {}`: {}\n", command.name, command.summary);
    }
  }
  return out;
}

}  // namespace tacet::cli
