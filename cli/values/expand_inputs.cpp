#include "cli/values/expand_inputs.h"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "cli/values/data_source.h"

namespace tacet::cli {

/// The names that can be selected in the file that `input`, which begins with `@`, is.
static auto names_in_file(const std::string& input) -> Result<std::vector<std::string>> {
  Result<DataSource> source = parse_data_source(std::string_view(input).substr(1));
  if (!source) {
    return Error{fmt::format("`--input {}`: {}", input, source.error().message)};
  }
  if (source->selection || source->format == DataFormat::Npy) {
    return Error{fmt::format("`--input {0}`: expected NAME={0}", input)};
  }
  Result<std::string> content = read_data_file(source->path);
  if (!content) {
    return content.error();
  }
  Result<std::vector<std::string>> names = names_in(*source, *content);
  return names ? names : Error{fmt::format("{}: {}", source->path, names.error().message)};
}

/// What a name in a file of this format is a name of.
static auto kind_of_names(DataFormat format) -> std::string_view {
  switch (format) {
    case DataFormat::Csv:
    case DataFormat::Tsv:
      return "column";
    case DataFormat::Npy:
    case DataFormat::Npz:
      return "array";
    case DataFormat::Json:
      return "member";
  }
  return {};
}

static auto is_named(const std::vector<std::string>& inputs, std::string_view parameter) -> bool {
  return std::any_of(inputs.begin(), inputs.end(), [&](const std::string& input) {
    return input.size() > parameter.size() && input.starts_with(parameter) &&
           input[parameter.size()] == '=';
  });
}

auto expand_inputs(const std::vector<std::string>& inputs,
                   const std::vector<std::string_view>& parameters)
    -> Result<std::vector<std::string>> {
  std::vector<std::string> expanded;
  for (const std::string& input : inputs) {
    if (!input.starts_with('@')) {
      expanded.push_back(input);
      continue;
    }
    Result<std::vector<std::string>> names = names_in_file(input);
    if (!names) {
      return names.error();
    }
    const size_t n_before = expanded.size();
    for (const std::string_view parameter : parameters) {
      if (std::find(names->begin(), names->end(), parameter) != names->end() &&
          !is_named(inputs, parameter)) {
        expanded.push_back(fmt::format("{}={}:{}", parameter, input, parameter));
      }
    }
    if (expanded.size() == n_before) {
      return Error{fmt::format("`--input {}`: none of {} is a parameter; the parameters are `{}`",
                               input, listed_names(*names), fmt::join(parameters, "`, `"))};
    }
  }
  return expanded;
}

auto without_input(const std::vector<std::string>& inputs, std::string_view parameter)
    -> std::string {
  std::string text;
  for (const std::string& input : inputs) {
    if (!input.starts_with('@')) {
      continue;
    }
    const std::string path = input.substr(1);
    const Result<DataFormat> format = format_of_path(path);
    if (Result<std::vector<std::string>> names = names_in_file(input); names && format) {
      text += fmt::format("; {}: {}", path,
                          missing_name(kind_of_names(format.value()), parameter, *names).message);
    }
  }
  return text;
}

}  // namespace tacet::cli
