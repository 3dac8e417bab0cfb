#include "cli/values/result_table.h"

#include <fmt/format.h>

#include "cli/report.h"

namespace tacet::cli {

using interpret::EntryResult;
using interpret::Value;

static auto n_table_rows(const std::vector<uint64_t>& shape) -> uint64_t {
  return shape.empty() ? 1 : shape[0];
}

static auto n_table_columns(const std::vector<uint64_t>& shape) -> uint64_t {
  return shape.size() < 2 ? 1 : shape[1];
}

auto check_table(const std::vector<EntryResult>& results) -> Status {
  for (const EntryResult& result : results) {
    const std::string type = interpret::type_text(result.type, result.shape);
    if (result.shape.size() > 2 || n_table_columns(result.shape) == 0) {
      return Error{
          fmt::format("a table has rows and columns, and `{}` is `{}`; use `.npy`, `.npz` "
                      "or `.json`",
                      result.name, type)};
    }
    const EntryResult& first = results.front();
    if (n_table_rows(result.shape) != n_table_rows(first.shape)) {
      return Error{fmt::format("`{}` would have {}, and `{}` {}; use `.npz` or `.json`", first.name,
                               counted(n_table_rows(first.shape), "row"), result.name,
                               n_table_rows(result.shape))};
    }
  }
  return std::monostate{};
}

static auto header_line(const std::vector<EntryResult>& results, char separator) -> std::string {
  std::string line;
  for (const EntryResult& result : results) {
    for (uint64_t i = 0; i < n_table_columns(result.shape); ++i) {
      if (!line.empty()) {
        line += separator;
      }
      line += result.shape.size() < 2 ? result.name : fmt::format("{}[{}]", result.name, i);
    }
  }
  return line + '\n';
}

auto table_of_results(const std::vector<EntryResult>& results, const std::vector<Value>& values,
                      char separator) -> std::string {
  std::string table = header_line(results, separator);
  const uint64_t n_rows = n_table_rows(results.front().shape);
  for (uint64_t row = 0; row < n_rows; ++row) {
    for (size_t i = 0; i < values.size(); ++i) {
      const uint64_t n = n_table_columns(values[i].shape);
      for (uint64_t column = 0; column < n; ++column) {
        if (i > 0 || column > 0) {
          table += separator;
        }
        table += interpret::element_text(values[i].type, values[i].cells[row * n + column]);
      }
    }
    table += '\n';
  }
  return table;
}

}  // namespace tacet::cli
