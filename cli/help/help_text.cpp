#include "cli/help/help_text.h"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "base/display_width.h"

namespace tacet::cli {

static constexpr size_t kWidth = 90;

static auto heading(const std::string& text, Colour colour) -> std::string {
  return colour == Colour::Always ? fmt::format("\x1b[1m{}\x1b[0m\n", text) : text + "\n";
}

auto wrap(const std::string& text, size_t width) -> std::vector<std::string> {
  std::vector<std::string> lines;
  std::istringstream paragraphs(text);
  for (std::string paragraph; std::getline(paragraphs, paragraph);) {
    std::istringstream words(paragraph);
    std::string line;
    for (std::string word; words >> word;) {
      if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
        lines.push_back(line);
        line.clear();
      }
      line += (line.empty() ? "" : " ") + word;
    }
    lines.push_back(line);
  }
  return lines;
}

/// `left` and, from column `indent` on, `text`; below `left` if that is too long.
static auto entry(const std::string& left, const std::string& text, size_t indent) -> std::string {
  std::string out = "  " + left;
  bool is_first = left.size() + 4 <= indent;
  if (is_first) {
    out.append(indent - out.size(), ' ');
  } else {
    out += "\n";
  }
  for (const std::string& line : wrap(text, kWidth - indent)) {
    if (!is_first) {
      out.append(indent, ' ');
    }
    out += line + "\n";
    is_first = false;
  }
  return out;
}

static auto indented(const std::string& text) -> std::string {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += "  " + line + "\n";
  }
  return out;
}

static auto options_help(const std::vector<OptionModel>& options, bool positional,
                         const std::string& title, Colour colour) -> std::string {
  std::string out;
  for (const OptionModel& option : options) {
    if (option.is_positional == positional) {
      out += entry(option_heading(option), option.description, 26);
    }
  }
  return out.empty() ? out : "\n" + heading(title, colour) + out;
}

static auto commands_help(const ProgramModel& program, const std::string& title, Colour colour)
    -> std::string {
  std::string out;
  for (const CommandModel& command : program.commands) {
    out += entry(command.name, command.summary, 15);
  }
  return out.empty() ? out : "\n" + heading(title, colour) + out;
}

auto program_help(const ProgramModel& program, Colour colour) -> std::string {
  std::string out = program.summary + ".\n\n";
  out += heading("Examples:", colour);
  out += "  tacet check                      check the whole workspace\n";
  out += "  tacet run sum.tacet 10           run the pipeline of a file\n";
  out += "  tacet fmt --check src            list unformatted files\n";
  out += "\n" + heading("Usage:", colour) + "  tacet COMMAND [OPTIONS] [ARGUMENTS]\n";
  out += commands_help(program, "Commands:", colour);
  out += options_help(program.options, false, "Options:", colour);
  out += "\nRun `tacet COMMAND --help` for help on a command.\n";
  return out;
}

auto command_help(const ProgramModel& program, const CommandModel& command, Colour colour)
    -> std::string {
  std::string out = fmt::format("{} {}: {}\n", program.name, command.name, command.summary);
  if (!command.examples.empty()) {
    out += "\n" + heading("Examples:", colour) + indented(command.examples);
  }
  out += "\n" + heading("Usage:", colour);
  out += fmt::format("  {} {}\n", program.name, usage_line(command));
  out += options_help(command.options, true, "Arguments:", colour);
  out += options_help(command.options, false, "Options:", colour);
  if (!command.details.empty()) {
    out += "\n";
    for (const std::string& line : wrap(command.details, kWidth)) {
      out += line + "\n";
    }
  }
  return out;
}

}  // namespace tacet::cli
