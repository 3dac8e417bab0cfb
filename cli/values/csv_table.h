#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"
#include "cli/values/csv_scanner.h"

namespace tacet::cli {

/// How the fields of a table are separated: by `,`, `;` or tabs, as its first line shows, or by
/// tabs alone, as in a `.tsv` file.
enum class CsvKind : uint8_t { Detected, Tabs };

/// The rows of a CSV file, and of each the columns that are meant.
class CsvTable {
 public:
  /// Without a selection, every line is a row and every column is meant. With one, the first line
  /// names the columns: the selection has those names between commas, or is `*`. `text` must
  /// outlive the table.
  static auto open(std::string_view text, CsvKind kind, const std::optional<std::string>& selection)
      -> Result<CsvTable>;

  /// Reads the next row, which has as many columns as those before; false at the end, or with a
  /// problem.
  auto next() -> bool;

  /// Of the columns that are meant, in the order of the selection.
  [[nodiscard]] auto n_columns() const -> size_t {
    return positions_.empty() ? scanner_.fields().size() : positions_.size();
  }
  [[nodiscard]] auto field(size_t column) const -> std::string_view {
    return scanner_.fields()[positions_.empty() ? column : positions_[column]];
  }

  /// `line 3, column `age``.
  [[nodiscard]] auto place(size_t column) const -> std::string;
  [[nodiscard]] auto line() const -> uint64_t { return scanner_.line(); }

  /// What is wrong, with its place; empty if nothing is.
  [[nodiscard]] auto problem() const -> const std::string& { return problem_; }

 private:
  explicit CsvTable(CsvScanner scanner) : scanner_(std::move(scanner)) {}

  auto next_record() -> bool;
  auto select(const std::string& selection) -> Status;
  auto select_column(std::string_view name, const std::vector<std::string>& headers) -> Status;

  CsvScanner scanner_;
  std::optional<size_t> n_fields_;  ///< of every row
  std::vector<size_t> positions_;   ///< of the selected columns; empty if all are
  std::vector<std::string> names_;  ///< of these
  uint64_t blank_line_ = 0;         ///< the last one that was skipped
  std::string problem_;
};

/// The names in the first line.
auto csv_headers(std::string_view text, CsvKind kind) -> Result<std::vector<std::string>>;

/// How many rows and columns are meant.
struct CsvExtents {
  uint64_t n_rows = 0;
  uint64_t n_columns = 0;
};
auto csv_extents(std::string_view text, CsvKind kind, const std::optional<std::string>& selection)
    -> Result<CsvExtents>;

}  // namespace tacet::cli
