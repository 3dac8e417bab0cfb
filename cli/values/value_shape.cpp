#include "cli/values/value_shape.h"

#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "cli/report.h"
#include "cli/values/csv_table.h"
#include "cli/values/data_source.h"
#include "cli/values/json_member.h"
#include "cli/values/npy_header.h"
#include "cli/values/npz_archive.h"
#include "cli/values/record_values.h"

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

/// A vector is one row or one column; the rows of more dimensions are one below the other.
static auto shape_of_csv(const DataSource& source, std::string_view text,
                         std::span<const int64_t> pattern) -> Result<Extents> {
  const CsvKind kind = source.format == DataFormat::Tsv ? CsvKind::Tabs : CsvKind::Detected;
  Result<CsvExtents> table = csv_extents(text, kind, source.selection);
  if (!table) {
    return table.error();
  }
  const auto n_rows = static_cast<int64_t>(table->n_rows);
  const auto n_columns = static_cast<int64_t>(table->n_columns);
  if (pattern.size() == 1) {
    if (n_rows > 1 && n_columns > 1) {
      return Error{fmt::format("expected one column or one row, found {} of {}",
                               counted(table->n_rows, "row"), counted(table->n_columns, "column"))};
    }
    return Extents(std::vector<int64_t>{n_rows * n_columns});
  }
  // The last extent is the number of columns; one other can be found from the number of rows.
  const std::span<const int64_t> outer = pattern.first(pattern.size() - 1);
  if (std::count_if(outer.begin(), outer.end(), [](int64_t extent) { return extent < 0; }) != 1) {
    return Extents();
  }
  std::vector<int64_t> extents(outer.begin(), outer.end());
  const auto open = std::find_if(extents.begin(), extents.end(), [](int64_t n) { return n < 0; });
  *open = 1;
  const int64_t n_each =
      std::accumulate(extents.begin(), extents.end(), int64_t{1}, std::multiplies<>());
  if (n_each == 0 || n_rows % n_each != 0) {
    return Error{
        fmt::format("found {}, expected a multiple of {}", counted(table->n_rows, "row"), n_each)};
  }
  *open = n_rows / n_each;
  extents.push_back(n_columns);
  return Extents(std::move(extents));
}

static auto shape_of_npy(std::string_view bytes) -> Result<Extents> {
  Result<NpyHeader> header = parse_npy_header(bytes);
  if (!header) {
    return header.error();
  }
  std::vector<int64_t> extents;
  for (const uint64_t extent : header->shape) {
    extents.push_back(static_cast<int64_t>(std::min<uint64_t>(extent, INT64_MAX)));
  }
  return Extents(std::move(extents));
}

static auto shape_of_npz(std::string_view archive, const DataSource& source) -> Result<Extents> {
  Result<NpzMember> member = selected_npz_member(archive, source.selection);
  if (!member) {
    return member.error();
  }
  Result<std::string> bytes = npz_bytes(archive, *member, kLongestNpyHeader + 16);
  return bytes ? shape_of_npy(*bytes) : bytes.error();
}

static auto shape_in_file(const DataSource& source, std::string_view content,
                          std::span<const int64_t> pattern) -> Result<Extents> {
  switch (source.format) {
    case DataFormat::Csv:
    case DataFormat::Tsv:
      return shape_of_csv(source, content, pattern);
    case DataFormat::Npy:
      return shape_of_npy(content);
    case DataFormat::Npz:
      return shape_of_npz(content, source);
    case DataFormat::Json: {
      if (!source.selection) {
        return shape_of_json(content);
      }
      Result<std::string_view> member = json_member(content, *source.selection);
      return member ? Result<Extents>(shape_of_json(*member)) : member.error();
    }
  }
  return Extents();
}

auto shape_of_value(std::string_view text, std::span<const int64_t> pattern) -> Result<Extents> {
  text.remove_prefix(std::min(text.find_first_not_of(' '), text.size()));
  if (text.starts_with(kReadFromFile)) {
    return shape_of_json(text.substr(kReadFromFile.size()));
  }
  if (!text.starts_with('@')) {
    return shape_of_json(text);
  }
  text.remove_prefix(1);
  if (text == "random" || text == "-") {
    return Extents();
  }
  Result<DataSource> source = parse_data_source(text);
  if (!source) {
    return source.error();
  }
  Result<std::string> content = read_data_file(source->path);
  if (!content) {
    return content.error();
  }
  Result<Extents> shape = shape_in_file(*source, *content, pattern);
  return shape ? shape : Error{fmt::format("{}: {}", source->path, shape.error().message)};
}

}  // namespace tacet::cli
