#include <fmt/format.h>

#include <sstream>

#include "cli/help/reference.h"

namespace tacet::cli {

/// Text between requests: what roff would take for itself is escaped.
static auto roff(const std::string& text) -> std::string {
  std::string out;
  bool at_line_start = true;
  for (char c : text) {
    if (at_line_start && (c == '.' || c == '\'')) {
      out += "\\&";
    }
    if (c == '\\') {
      out += "\\e";
    } else if (c == '-') {
      out += "\\-";
    } else {
      out += c;
    }
    at_line_start = c == '\n';
  }
  return out;
}

static auto paragraphs(const std::string& text) -> std::string {
  std::string out;
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    out += line.empty() ? ".PP\n" : roff(line) + "\n";
  }
  return out;
}

static auto options_list(const std::vector<OptionModel>& options) -> std::string {
  std::string out;
  for (const OptionModel& option : options) {
    out += fmt::format(".TP\n.B {}\n{}\n", roff(option_heading(option)), roff(option.description));
  }
  return out;
}

static auto command_section(const CommandModel& command) -> std::string {
  std::string out = fmt::format(".SS {}\n{}.\n.PP\n.B tacet {}\n", roff(command.name),
                                roff(command.summary), roff(usage_line(command)));
  if (!command.examples.empty()) {
    out += ".PP\n.EX\n" + roff(command.examples) + "\n.EE\n";
  }
  out += options_list(command.options);
  if (!command.details.empty()) {
    out += ".PP\n" + paragraphs(command.details);
  }
  return out;
}

auto man_page(const ProgramModel& program, std::string_view version) -> std::string {
  std::string out = fmt::format(
      ".TH TACET 1 \"\" \"Tacet {}\" \"User Commands\"\n.SH NAME\ntacet \\- a language and tools "
      "for computing on encrypted data\n.SH SYNOPSIS\n.B tacet\n.I COMMAND\n[OPTIONS] "
      "[ARGUMENTS]\n.SH DESCRIPTION\n{}.\n.SH OPTIONS\n{}.SH COMMANDS\n",
      version, roff(program.summary), options_list(program.options));
  for (const CommandModel& command : program.commands) {
    out += command_section(command);
  }
  out += ".SH EXIT STATUS\n";
  out += ".TP\n.B 0\nSuccess.\n";
  out += ".TP\n.B 1\nThe program or the check failed.\n";
  out += ".TP\n.B 2\nThe command line is invalid.\n";
  out += ".TP\n.B 3\nAn internal error (a bug in Tacet); the name of a report file is printed.\n";
  out += ".SH ENVIRONMENT\n";
  out += ".TP\n.B NO_COLOR\nDisables colours if not empty.\n";
  out +=
      ".TP\n.B CLICOLOR_FORCE\nEnables colours even if the output is not a terminal, if not empty "
      "and not 0.\n";
  out += ".TP\n.B TMPDIR\nThe folder for reports of internal errors (default: /tmp).\n";
  return out;
}

}  // namespace tacet::cli
