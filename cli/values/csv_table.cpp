#include "cli/values/csv_table.h"

#include <fmt/format.h>

#include <algorithm>

#include "cli/report.h"
#include "cli/values/data_source.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

/// Spreadsheets write a first line `sep=;` for each other.
static auto scanner_of(std::string_view text, CsvKind kind) -> Result<CsvScanner> {
  constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";
  if (text.starts_with("\xFF\xFE") || text.starts_with("\xFE\xFF") ||
      text.substr(0, 4).find('\0') != std::string_view::npos) {
    return Error{"it is not UTF-8 text; save it as CSV in UTF-8"};
  }
  text.remove_prefix(text.starts_with(kByteOrderMark) ? kByteOrderMark.size() : 0);
  constexpr std::string_view kSeparatorLine = "sep=";
  const size_t end = std::min(text.find_first_of("\r\n"), text.size());
  const bool has_line = text.starts_with(kSeparatorLine) && end == kSeparatorLine.size() + 1;
  if (has_line) {
    // The line stays, so that lines have their numbers.
    CsvScanner scanner(text, text[kSeparatorLine.size()]);
    static_cast<void>(scanner.next());
    return scanner;
  }
  return CsvScanner(text, kind == CsvKind::Tabs ? '\t' : csv_separator(text));
}

/// A record that is not blank.
auto CsvTable::next_record() -> bool {
  while (scanner_.next()) {
    if (!scanner_.is_blank()) {
      return true;
    }
    blank_line_ = scanner_.line();
  }
  problem_ = scanner_.problem();
  return false;
}

auto CsvTable::open(std::string_view text, CsvKind kind,
                    const std::optional<std::string>& selection) -> Result<CsvTable> {
  Result<CsvScanner> scanner = scanner_of(text, kind);
  if (!scanner) {
    return scanner.error();
  }
  CsvTable table(std::move(*scanner));
  if (selection) {
    if (Status selected = table.select(*selection); !selected) {
      return selected.error();
    }
  }
  return table;
}

static auto texts_of(const std::vector<std::string_view>& fields) -> std::vector<std::string> {
  return {fields.begin(), fields.end()};
}

auto CsvTable::select(const std::string& selection) -> Status {
  if (!next_record()) {
    return Error{problem_.empty() ? "it has no line of headers" : problem_};
  }
  n_fields_ = scanner_.fields().size();
  blank_line_ = 0;
  const std::vector<std::string> headers = texts_of(scanner_.fields());
  if (selection == "*") {
    for (size_t i = 0; i < headers.size(); ++i) {
      positions_.push_back(i);
    }
    names_ = headers;
    return std::monostate{};
  }
  CsvScanner names(selection, ',');
  static_cast<void>(names.next());
  if (!names.problem().empty()) {
    return Error{fmt::format("`:{}`: {}", one_line(selection), names.problem())};
  }
  for (const std::string_view name : names.fields()) {
    if (Status selected = select_column(name, headers); !selected) {
      return selected;
    }
  }
  return std::monostate{};
}

auto CsvTable::select_column(std::string_view name, const std::vector<std::string>& headers)
    -> Status {
  const auto found = std::find(headers.begin(), headers.end(), name);
  if (name.empty()) {
    return Error{"expected a name of a column between the commas"};
  }
  if (found == headers.end()) {
    return missing_name("column", name, headers);
  }
  const auto again = std::find(found + 1, headers.end(), name);
  if (again != headers.end()) {
    return Error{fmt::format("columns {} and {} are both named `{}`; rename one",
                             found - headers.begin() + 1, again - headers.begin() + 1,
                             one_line(name))};
  }
  positions_.push_back(static_cast<size_t>(found - headers.begin()));
  names_.emplace_back(name);
  return std::monostate{};
}

auto CsvTable::next() -> bool {
  if (!problem_.empty() || !next_record()) {
    return false;
  }
  const size_t n = scanner_.fields().size();
  if (n != n_fields_.value_or(n)) {
    problem_ =
        fmt::format("line {} has {} instead of {}", line(), counted(n, "column"), *n_fields_);
  } else if (blank_line_ != 0 && n == 1 && !names_.empty()) {
    problem_ =
        fmt::format("line {}, column `{}`: the value is missing", blank_line_, one_line(names_[0]));
  }
  n_fields_ = n;
  return problem_.empty();
}

auto CsvTable::place(size_t column) const -> std::string {
  return names_.empty() || names_[column].empty()
             ? fmt::format("line {}, column {}", line(),
                           (positions_.empty() ? column : positions_[column]) + 1)
             : fmt::format("line {}, column `{}`", line(), one_line(names_[column]));
}

auto csv_headers(std::string_view text, CsvKind kind) -> Result<std::vector<std::string>> {
  Result<CsvScanner> scanner = scanner_of(text, kind);
  if (!scanner) {
    return scanner.error();
  }
  while (scanner->next()) {
    if (!scanner->is_blank()) {
      return texts_of(scanner->fields());
    }
  }
  return Error{scanner->problem().empty() ? "it has no line of headers" : scanner->problem()};
}

auto csv_extents(std::string_view text, CsvKind kind, const std::optional<std::string>& selection)
    -> Result<CsvExtents> {
  Result<CsvTable> table = CsvTable::open(text, kind, selection);
  if (!table) {
    return table.error();
  }
  CsvExtents extents;
  while (table->next()) {
    extents.n_columns = table->n_columns();
    ++extents.n_rows;
  }
  return table->problem().empty() ? Result<CsvExtents>(extents) : Error{table->problem()};
}

}  // namespace tacet::cli
