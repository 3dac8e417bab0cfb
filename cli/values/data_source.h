#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "base/result.h"

namespace tacet::cli {

/// The formats of files with values, by the end of the name.
enum class DataFormat : uint8_t { Json, Csv, Tsv, Npy, Npz };

/// `people.csv:age,income`: a file, and which of its columns or members are meant.
struct DataSource {
  std::string path;
  DataFormat format = DataFormat::Json;
  /// The text behind the colon. Of a table, names of columns between commas, quoted as in a CSV
  /// file, or `*` for all below a line of headers; otherwise the name of a member.
  std::optional<std::string> selection;
};

/// What `text`, which follows `@` on a command line, means. An error for files that are not read
/// says what to convert them to.
auto parse_data_source(std::string_view text) -> Result<DataSource>;

/// The format that the end of `path` names, or the error above.
auto format_of_path(const std::string& path) -> Result<DataFormat>;

/// All bytes of a file.
auto read_data_file(const std::string& path) -> Result<std::string>;

/// The names that can be selected in a file: headers of a table, members of an archive or object.
auto names_in(const DataSource& source, std::string_view content)
    -> Result<std::vector<std::string>>;

/// `` `a`, `b` ``, the first few of many, each behind `prefix`.
auto listed_names(const std::vector<std::string>& names, std::string_view prefix = "")
    -> std::string;

/// `it has 2 arrays; append the name of one: `:a` or `:b``.
auto several_names(std::string_view kind, const std::vector<std::string>& present) -> std::string;

/// `no column `agee`; the columns nearest to it are `age`, `wage``: of what a `kind` of thing is
/// missing.
auto missing_name(std::string_view kind, std::string_view name,
                  const std::vector<std::string>& present) -> Error;

}  // namespace tacet::cli
