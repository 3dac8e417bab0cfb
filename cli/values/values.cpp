#include "cli/values/values.h"

#include <fmt/format.h>

#include <iostream>
#include <iterator>

#include "base/check.h"
#include "cli/values/data_source.h"
#include "cli/values/record_values.h"
#include "cli/values/value_formats.h"

namespace tacet::cli {

static auto contents(std::istream& stream) -> std::string {
  return {std::istreambuf_iterator<char>(stream), std::istreambuf_iterator<char>()};
}

/// JSON has no `.5` and `-.5`, which people write.
static auto with_leading_zero(std::string_view text) -> std::string {
  const size_t at = text.starts_with('-') ? 1 : 0;
  const bool lacks_zero =
      at + 1 < text.size() && text[at] == '.' && text[at + 1] >= '0' && text[at + 1] <= '9';
  return fmt::format("{}{}{}", text.substr(0, at), lacks_zero ? "0" : "", text.substr(at));
}

/// An error about the value, with the file that has it.
static auto in_file(Result<interpret::Value> value, const interpret::EntryParameter& parameter,
                    const std::string& path) -> Result<interpret::Value> {
  const std::string start = fmt::format("parameter `{}`: ", parameter.name);
  if (value || !value.error().message.starts_with(start)) {
    return value;
  }
  return Error{fmt::format("{}{}: {}", start, path, value.error().message.substr(start.size()))};
}

static auto value_in(const DataSource& source, std::string_view content,
                     const interpret::EntryParameter& parameter) -> Result<interpret::Value> {
  switch (source.format) {
    case DataFormat::Csv:
      return value_of_csv(parameter, content, CsvKind::Detected, source.selection);
    case DataFormat::Tsv:
      return value_of_csv(parameter, content, CsvKind::Tabs, source.selection);
    case DataFormat::Npy:
      return value_of_npy(parameter, content);
    case DataFormat::Npz:
      return value_of_npz(parameter, content, source.selection);
    case DataFormat::Json:
      return value_of_json(parameter, content, source.selection);
  }
  TACET_CHECK(false, "unknown format of values");
}

auto ValueReader::read_file(const interpret::EntryParameter& parameter, std::string_view text)
    -> Result<interpret::Value> {
  const auto fails = [&](const Error& error) {
    return Error{fmt::format("parameter `{}`: {}", parameter.name, error.message)};
  };
  Result<DataSource> source = parse_data_source(text);
  if (!source) {
    return fails(source.error());
  }
  Result<std::string> content = read_data_file(source->path);
  if (!content) {
    return fails(content.error());
  }
  return in_file(value_in(*source, *content, parameter), parameter, source->path);
}

auto ValueReader::read_standard_input(const interpret::EntryParameter& parameter)
    -> Result<interpret::Value> {
  if (!reader_of_standard_input_.empty()) {
    return Error{fmt::format("parameter `{}`: standard input was already read for `{}`",
                             parameter.name, reader_of_standard_input_)};
  }
  reader_of_standard_input_ = parameter.name;
  std::string text = contents(std::cin);
  return is_npy(text) ? value_of_npy(parameter, text) : value_of_json(parameter, text);
}

auto ValueReader::read(const interpret::EntryParameter& parameter, std::string_view text)
    -> Result<interpret::Value> {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with(kReadFromFile)) {
    return value_of_json(parameter, text.substr(kReadFromFile.size()));
  }
  if (!text.starts_with("@")) {
    return value_of_json(parameter, with_leading_zero(text));
  }
  text.remove_prefix(1);
  if (text == "random") {
    return value_of_random(parameter, key_());
  }
  return text == "-" ? read_standard_input(parameter) : read_file(parameter, text);
}

}  // namespace tacet::cli
