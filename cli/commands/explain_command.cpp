#include <fmt/format.h>

#include <CLI/CLI.hpp>
#include <span>
#include <sstream>

#include "cli/commands/commands.h"
#include "cli/help/explain_code.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/explanation.h"
#include "linter/rules/rules.h"

namespace tacet::cli {

static auto list_codes(std::span<const DiagnosticCode> codes, Invocation& invocation) -> ExitCode {
  for (DiagnosticCode code : codes) {
    invocation.out.write(fmt::format("{}  {:<11}  {}\n", code_name(code),
                                     severity_name(default_severity(code)), code_title(code)));
  }
  return ExitCode::Done;
}

/// A page as text: programs indented instead of fenced, headings bold where there are colours.
static auto page_text(std::string_view page, Colour colour) -> std::string {
  std::string out;
  bool is_program = false;
  std::istringstream lines{std::string(page)};
  for (std::string line; std::getline(lines, line);) {
    if (line.substr(0, 3) == "```") {
      is_program = !is_program;
    } else if (is_program) {
      out += line.empty() ? "\n" : "    " + line + "\n";
    } else if (colour == Colour::Always && line.substr(0, 1) == "#") {
      out += fmt::format("\x1b[1m{}\x1b[0m\n", line.substr(line.find_first_not_of("# ")));
    } else {
      out += line.substr(std::min(line.find_first_not_of("# "), line.size())) + "\n";
    }
  }
  return out;
}

static auto unknown_code(const std::string& word, Invocation& invocation) -> ExitCode {
  std::string upper = word;
  std::transform(upper.begin(), upper.end(), upper.begin(), [](char c) {
    return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  });
  std::vector<std::string_view> names;
  for (DiagnosticCode code : all_codes()) {
    names.push_back(code_name(code));
  }
  std::string message = fmt::format("no diagnostic has the code `{}`", word);
  auto meant = closest_name(upper, names);
  if (!meant) {
    names.clear();
    for (const linter::Rule& rule : linter::rules()) {
      names.push_back(rule.name);
    }
    meant = closest_name(word, names);
  }
  invocation.error(message + (meant ? fmt::format("; did you mean `{}`?", *meant)
                                    : "; `tacet explain` lists all codes"));
  return ExitCode::Usage;
}

auto explain_code(const std::string& name, Invocation& invocation) -> ExitCode {
  if (name.empty()) {
    const auto& all = all_codes();
    return list_codes({all.begin(), all.end()}, invocation);
  }
  DiagnosticCode code{};
  if (!find_code(name, code)) {
    const std::vector<DiagnosticCode> codes = linter::codes_of(name);
    if (codes.empty()) {
      return unknown_code(name, invocation);
    }
    if (codes.size() > 1) {
      return list_codes(codes, invocation);
    }
    code = codes.front();
  }
  invocation.out.write(page_text(explanation(code), invocation.out_terminal.colour));
  return ExitCode::Done;
}

auto explain_command() -> Command {
  Command command;
  command.name = "explain";
  command.summary = "explain a diagnostic";
  command.examples =
      "tacet explain T0001           its meaning, a program that causes it, and a corrected one\n"
      "tacet explain secret-branch   the same by the name of a rule\n"
      "tacet explain dead-code       list the codes of a group of rules\n"
      "tacet explain                 list all codes";
  command.declare = [](CLI::App& app) -> Action {
    auto code = std::make_shared<std::string>();
    app.add_option(
           "code", *code,
           "The code in brackets after `error`, or the name of a rule or group of the linter "
           "(default: list all codes)")
        ->type_name("CODE");
    return [code](Invocation& invocation) { return explain_code(*code, invocation); };
  };
  return command;
}

}  // namespace tacet::cli
