#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace CLI {
class App;
class Option;
}  // namespace CLI

/// The command line as data: what help texts, the manual page, the reference in docs/cli.md and
/// shell completions are all printed from.
namespace tacet::cli {

/// What a value is, so that a shell can offer some.
enum class ValueKind : uint8_t { None, Text, Path, Choice, Code, CommandName };

struct OptionModel {
  std::vector<std::string> short_names;  ///< without the dash
  std::vector<std::string> long_names;   ///< without the dashes
  std::string value_name;                ///< as in `--width COLUMNS`; empty for a flag
  ValueKind value_kind = ValueKind::None;
  std::vector<std::string> choices;
  std::string description;
  bool is_positional = false;
  bool is_required = false;
  bool is_repeatable = false;
};

struct CommandModel {
  std::string name;
  std::string summary;
  std::string examples;
  std::string details;
  std::vector<OptionModel> options;  ///< positional ones too, in the order of declaration
};

struct ProgramModel {
  std::string name = "tacet";
  std::string summary;
  std::vector<OptionModel> options;  ///< of the program itself, before any sub-command
  std::vector<CommandModel> commands;
};

struct Command;

/// Reads the options of a sub-command off the parser that will read them.
auto model_of(const Command& command, const CLI::App& app) -> CommandModel;

/// The options of `app` alone.
auto options_of(const CLI::App& app) -> std::vector<OptionModel>;

/// `check [OPTIONS] [PATH...]`.
auto usage_line(const CommandModel& command) -> std::string;

/// `-f, --format human|short|json`.
auto option_heading(const OptionModel& option) -> std::string;

}  // namespace tacet::cli
