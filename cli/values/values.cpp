#include "cli/values/values.h"

#include <fmt/format.h>

#include <cstring>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <iterator>
#include <system_error>

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

auto ValueReader::read_file(const interpret::EntryParameter& parameter, const std::string& path)
    -> Result<interpret::Value> {
  std::error_code ignored;
  bool is_folder = std::filesystem::is_directory(path, ignored);
  std::ifstream file(path, std::ios::binary);
  if (is_folder || !file) {
    return Error{fmt::format("parameter `{}`: cannot read {}: {}", parameter.name, path,
                             is_folder ? "it is a folder" : std::strerror(errno))};
  }
  std::string text = contents(file);
  std::string ending = std::filesystem::path(path).extension().string();
  if (ending == ".npy") {
    return in_file(value_of_npy(parameter, text), parameter, path);
  }
  if (ending == ".csv") {
    return in_file(value_of_csv(parameter, text), parameter, path);
  }
  if (ending == ".json") {
    return in_file(value_of_json(parameter, text), parameter, path);
  }
  return Error{fmt::format("parameter `{}`: {} is not a `.json`, `.csv` or `.npy` file",
                           parameter.name, path)};
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
  if (!text.starts_with("@")) {
    return value_of_json(parameter, with_leading_zero(text));
  }
  std::string path(text.substr(1));
  if (path == "random") {
    return value_of_random(parameter, key_());
  }
  return path == "-" ? read_standard_input(parameter) : read_file(parameter, path);
}

}  // namespace tacet::cli
