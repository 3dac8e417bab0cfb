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
    return value_of_npy(parameter, text);
  }
  if (ending == ".csv") {
    return value_of_csv(parameter, text);
  }
  if (ending == ".json") {
    return value_of_json(parameter, text);
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
  if (!text.starts_with("@")) {
    return value_of_json(parameter, text);
  }
  std::string path(text.substr(1));
  if (path == "random") {
    return value_of_random(parameter, key_());
  }
  return path == "-" ? read_standard_input(parameter) : read_file(parameter, path);
}

}  // namespace tacet::cli
