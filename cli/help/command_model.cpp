#include "cli/help/command_model.h"

#include <CLI/CLI.hpp>

#include "cli/command.h"

namespace tacet::cli {

static auto split(const std::string& text, char separator) -> std::vector<std::string> {
  std::vector<std::string> parts;
  size_t begin = 0;
  for (size_t at = 0; at <= text.size(); ++at) {
    if (at == text.size() || text[at] == separator) {
      parts.push_back(text.substr(begin, at - begin));
      begin = at + 1;
    }
  }
  return parts;
}

/// The kind of value, by its form in the option's description.
static auto value_kind(const std::string& value_name) -> ValueKind {
  if (value_name.empty()) {
    return ValueKind::None;
  }
  if (value_name == "PATH" || value_name == "FILE" || value_name == "FOLDER") {
    return ValueKind::Path;
  }
  if (value_name == "CODE") {
    return ValueKind::Code;
  }
  if (value_name == "COMMAND") {
    return ValueKind::CommandName;
  }
  return value_name.find('|') == std::string::npos ? ValueKind::Text : ValueKind::Choice;
}

static auto option_of(const CLI::Option& option) -> OptionModel {
  OptionModel model;
  model.short_names = option.get_snames();
  model.long_names = option.get_lnames();
  model.value_name = option.get_items_expected_max() == 0 ? "" : option.get_type_name();
  model.value_kind = value_kind(model.value_name);
  if (model.value_kind == ValueKind::Choice) {
    model.choices = split(model.value_name, '|');
  }
  model.description = option.get_description();
  model.is_positional = option.get_positional();
  model.is_required = option.get_required();
  model.is_repeatable = option.get_items_expected_max() > 1;
  return model;
}

auto options_of(const CLI::App& app) -> std::vector<OptionModel> {
  std::vector<OptionModel> options;
  for (const CLI::Option* option : app.get_options()) {
    options.push_back(option_of(*option));
  }
  return options;
}

auto model_of(const Command& command, const CLI::App& app) -> CommandModel {
  CommandModel model;
  model.name = command.name;
  model.summary = command.summary;
  model.examples = command.examples;
  model.details = command.details;
  model.options = options_of(app);
  return model;
}

auto usage_line(const CommandModel& command) -> std::string {
  std::string line = command.name;
  std::string arguments;
  bool has_options = false;
  for (const OptionModel& option : command.options) {
    if (!option.is_positional) {
      has_options = true;
      continue;
    }
    std::string name = option.value_name + (option.is_repeatable ? "..." : "");
    arguments += option.is_required ? " " + name : " [" + name + "]";
  }
  return line + (has_options ? " [OPTIONS]" : "") + arguments;
}

auto option_heading(const OptionModel& option) -> std::string {
  if (option.is_positional) {
    return option.value_name + (option.is_repeatable ? "..." : "");
  }
  std::string heading;
  for (const std::string& name : option.short_names) {
    heading += (heading.empty() ? "-" : ", -") + name;
  }
  for (const std::string& name : option.long_names) {
    heading += (heading.empty() ? "--" : ", --") + name;
  }
  return option.value_name.empty() ? heading : heading + " " + option.value_name;
}

}  // namespace tacet::cli
