#include "cli/values/given_values.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>

#include "cli/values/expand_inputs.h"
#include "cli/values/record_values.h"
#include "cli/values/secret_prompt.h"
#include "cli/values/values.h"
#include "compiler/core/diagnostics/closest_name.h"

namespace tacet::cli {
namespace {

auto parameters_text(const std::vector<interpret::EntryParameter>& parameters) -> std::string {
  if (parameters.empty()) {
    return "there are no parameters";
  }
  std::vector<std::string> texts;
  for (const interpret::EntryParameter& parameter : parameters) {
    texts.push_back(fmt::format("{}: {}", parameter.shown(),
                                interpret::type_text(parameter.type, parameter.shape)));
  }
  return fmt::format("the parameters are `{}`", fmt::join(texts, ", "));
}

/// Which text the command line gives for each parameter.
auto match_values(const std::vector<interpret::EntryParameter>& parameters,
                  const std::vector<std::string>& values, const std::vector<std::string>& inputs)
    -> Result<std::vector<std::optional<std::string>>> {
  std::vector<std::optional<std::string>> texts(parameters.size());
  for (const std::string& input : inputs) {
    const size_t equals = input.find('=');
    if (equals == std::string::npos) {
      return Error{fmt::format("`--input {}`: expected NAME=VALUE or @FILE", input)};
    }
    const std::string name = input.substr(0, equals);
    Result<size_t> found = find_parameter(parameters, name);
    if (!found) {
      return found.error();
    }
    std::optional<std::string>& text = texts[*found];
    if (text) {
      return Error{fmt::format("parameter `{}` is given twice", name)};
    }
    text = input.substr(equals + 1);
  }
  size_t at = 0;
  for (const std::string& value : values) {
    while (at < texts.size() && texts[at]) {
      ++at;
    }
    if (at == texts.size()) {
      return Error{fmt::format("unexpected value `{}`; {}", value, parameters_text(parameters))};
    }
    texts[at] = value;
  }
  return texts;
}

/// What is typed at the terminal for a secret parameter.
auto prompted_value(const interpret::EntryParameter& parameter, ValueReader& reader)
    -> Result<interpret::Value> {
  const std::optional<SecureVector<char>> typed =
      ask_for_secret(fmt::format("{}: {} (hidden): ", parameter.shown(),
                                 interpret::type_text(parameter.type, parameter.shape)));
  if (!typed) {
    return Error{fmt::format("parameter `{}`: no value was entered", parameter.shown())};
  }
  return reader.read(parameter, std::string_view(typed->data(), typed->size()));
}

/// Other users of the machine see the command lines of all processes.
void warn_of_literals(const std::vector<interpret::EntryParameter>& parameters,
                      const std::vector<std::optional<std::string>>& texts,
                      Invocation& invocation) {
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (parameters[i].is_secret && texts[i] && !texts[i]->starts_with('@')) {
      invocation.warning(fmt::format(
          "the secret `{0}` is on the command line, visible to other users of this machine and in "
          "the shell history; use `--input {0}=@FILE` or `--input {0}=@-`",
          parameters[i].shown()));
    }
  }
}

}  // namespace

auto find_parameter(const std::vector<interpret::EntryParameter>& parameters, std::string_view name)
    -> Result<size_t> {
  std::vector<std::string_view> names;
  for (size_t i = 0; i < parameters.size(); ++i) {
    if (!name.empty() && (parameters[i].name == name || parameters[i].path == name)) {
      return i;
    }
    names.push_back(parameters[i].shown());
  }
  const auto meant = closest_name(name, names);
  return Error{fmt::format(
      "no parameter `{}`{}", name,
      meant ? fmt::format("; did you mean `{}`?", *meant) : "; " + parameters_text(parameters))};
}

auto given_values(const std::vector<interpret::EntryParameter>& parameters,
                  const std::vector<std::string>& values, const std::vector<std::string>& inputs,
                  std::function<engine::PublicRandomKey()> key, Secrets secrets,
                  Invocation& invocation) -> Result<std::vector<interpret::Value>> {
  std::vector<std::string_view> names;
  for (const interpret::EntryParameter& parameter : parameters) {
    names.push_back(parameter.name);
  }
  Result<GivenTexts> split = split_records({values, inputs}, groups_of(parameters));
  if (!split) {
    return split.error();
  }
  Result<std::vector<std::string>> named = expand_inputs(split->inputs, names);
  if (!named) {
    return named.error();
  }
  auto texts = match_values(parameters, split->values, *named);
  if (!texts) {
    return texts.error();
  }
  if (secrets == Secrets::OfThisParty || (secrets == Secrets::OfThisSide && can_ask())) {
    warn_of_literals(parameters, *texts, invocation);
  }
  ValueReader reader(std::move(key));
  std::vector<interpret::Value> result;
  for (size_t i = 0; i < parameters.size(); ++i) {
    const bool is_typed = !(*texts)[i] || *(*texts)[i] == "@-";
    if (is_typed && parameters[i].is_secret && can_ask()) {
      Result<interpret::Value> value = prompted_value(parameters[i], reader);
      if (!value) {
        return value.error();
      }
      result.push_back(std::move(*value));
      continue;
    }
    if (!(*texts)[i]) {
      const std::string in_files = without_input(inputs, parameters[i].name);
      return Error{fmt::format("parameter `{}` of type `{}` has no value{}", parameters[i].shown(),
                               interpret::type_text(parameters[i].type, parameters[i].shape),
                               in_files.empty() ? "; " + parameters_text(parameters) : in_files)};
    }
    interpret::EntryParameter parameter = parameters[i];
    parameter.name = parameter.shown();
    Result<interpret::Value> value = reader.read(parameter, *(*texts)[i]);
    if (!value) {
      return value.error();
    }
    result.push_back(std::move(*value));
  }
  return result;
}

}  // namespace tacet::cli
