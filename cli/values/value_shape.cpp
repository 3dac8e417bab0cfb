#include "cli/values/value_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <filesystem>
#include <fstream>
#include <iterator>

namespace tacet::cli {

using Extents = std::optional<std::vector<int64_t>>;

static constexpr std::string_view kBlanks = " \t\r\n";

/// Counts the elements of the first array at each depth.
static auto shape_of_json(std::string_view text) -> Extents {
  struct Level {
    int64_t n_commas = 0;
    bool has_element = false;
    bool is_complete = false;
  };
  std::vector<Level> levels;
  size_t depth = 0;
  for (const char c : text) {
    if (kBlanks.find(c) != std::string_view::npos) {
      continue;
    }
    if (c != ']' && c != ',' && depth > 0) {
      levels[depth - 1].has_element |= !levels[depth - 1].is_complete;
    }
    if (c == '[') {
      ++depth;
      if (levels.size() < depth) {
        levels.emplace_back();
      }
    } else if (depth > 0 && c == ']') {
      levels[--depth].is_complete = true;
    } else if (depth > 0 && c == ',' && !levels[depth - 1].is_complete) {
      ++levels[depth - 1].n_commas;
    }
  }
  std::vector<int64_t> extents;
  for (const Level& level : levels) {
    extents.push_back(level.has_element ? level.n_commas + 1 : 0);
  }
  return extents;
}

/// Lines of numbers between commas: a vector is one line or one column.
static auto shape_of_csv(std::string_view text, size_t rank) -> Extents {
  int64_t n_lines = 0;
  int64_t n_columns = 0;
  while (!text.empty()) {
    const std::string_view line = text.substr(0, text.find('\n'));
    text.remove_prefix(std::min(text.size(), line.size() + 1));
    if (line.find_first_not_of(kBlanks) == std::string_view::npos) {
      continue;
    }
    n_columns = n_lines == 0 ? 1 + std::count(line.begin(), line.end(), ',') : n_columns;
    ++n_lines;
  }
  if (rank == 1) {
    return std::vector<int64_t>{n_lines * n_columns};
  }
  if (rank == 2) {
    return std::vector<int64_t>{n_lines, n_columns};
  }
  return std::nullopt;
}

/// The header says `'shape': (3, 4), `.
static auto shape_of_npy(std::string_view bytes) -> Extents {
  constexpr size_t kLongestHeader = 65536;
  bytes = bytes.substr(0, kLongestHeader);
  const size_t key = bytes.find("'shape'");
  const size_t open = key == std::string_view::npos ? key : bytes.find('(', key);
  const size_t close = open == std::string_view::npos ? open : bytes.find(')', open);
  if (close == std::string_view::npos) {
    return std::nullopt;
  }
  std::vector<int64_t> extents;
  const char* end = bytes.data() + close;
  for (const char* at = bytes.data() + open + 1; at < end;) {
    int64_t extent = 0;
    const auto [next, error] = std::from_chars(at, end, extent);
    if (error == std::errc()) {
      extents.push_back(extent);
    }
    at = error == std::errc() ? next : at + 1;
  }
  return extents;
}

auto shape_of_value(std::string_view text, size_t rank) -> Result<Extents> {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (!text.starts_with('@')) {
    return shape_of_json(text);
  }
  const std::string path(text.substr(1));
  if (path == "random" || path == "-") {
    return Extents();
  }
  std::ifstream file(path, std::ios::binary);
  std::error_code ignored;
  if (!file || std::filesystem::is_directory(path, ignored)) {
    return Error{fmt::format("cannot read {}", path)};
  }
  const std::string content(std::istreambuf_iterator<char>(file), {});
  const std::string ending = std::filesystem::path(path).extension().string();
  return ending == ".npy"   ? shape_of_npy(content)
         : ending == ".csv" ? shape_of_csv(content, rank)
                            : shape_of_json(content);
}

}  // namespace tacet::cli
