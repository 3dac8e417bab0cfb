#include "cli/values/result_file.h"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <set>

#include "cli/atomic_write.h"
#include "cli/values/data_source.h"
#include "cli/values/result_arrays.h"
#include "cli/values/result_table.h"
#include "cli/values/value_as_json.h"

namespace tacet::cli {

using interpret::EntryResult;
using interpret::Value;

/// Files have results by name.
static auto check_names(const std::vector<EntryResult>& results) -> Status {
  std::set<std::string_view> names;
  for (const EntryResult& result : results) {
    if (!names.insert(result.name).second) {
      return Error{fmt::format("two results are named `{}`", result.name)};
    }
  }
  return std::monostate{};
}

static auto check_format(DataFormat format, const std::vector<EntryResult>& results) -> Status {
  if (results.empty()) {
    return Error{"there are no results to write"};
  }
  switch (format) {
    case DataFormat::Csv:
    case DataFormat::Tsv:
      return check_table(results);
    case DataFormat::Npy:
      return results.size() == 1 ? Status(std::monostate{})
                                 : Error{fmt::format("it would have one array, and there are {} "
                                                     "results; use `.npz`",
                                                     results.size())};
    case DataFormat::Npz:
    case DataFormat::Json:
      break;
  }
  return std::monostate{};
}

static auto about_output(const std::string& path, const Error& error) -> Error {
  return Error{fmt::format("`--output {}`: {}", path, error.message)};
}

auto check_result_path(const std::string& path) -> Status {
  if (!format_of_path(path)) {
    return about_output(path, {"the name must end with `.csv`, `.tsv`, `.json`, `.npy` or `.npz`"});
  }
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  std::error_code ignored;
  if (!folder.empty() && !std::filesystem::is_directory(folder, ignored)) {
    return about_output(path, {fmt::format("there is no folder {}", folder.string())});
  }
  if (std::filesystem::is_directory(path, ignored)) {
    return about_output(path, {"it is a folder"});
  }
  return std::monostate{};
}

auto check_result_file(const std::string& path, const std::vector<EntryResult>& results) -> Status {
  if (const Status possible = check_result_path(path); !possible) {
    return possible;
  }
  const Result<DataFormat> format = format_of_path(path);
  if (const Status fits = check_format(format.value(), results); !fits) {
    return about_output(path, fits.error());
  }
  if (const Status named = check_names(results); !named) {
    return about_output(path, named.error());
  }
  return std::monostate{};
}

/// An object with a member for each result. Names are words of Tacet: nothing needs escaping.
static auto results_object(const std::vector<EntryResult>& results,
                           const std::vector<Value>& values) -> std::string {
  std::string text = "{";
  for (size_t i = 0; i < values.size(); ++i) {
    text += fmt::format("{}\"{}\": {}", i == 0 ? "" : ",\n ", results[i].name,
                        value_as_json(values[i]));
  }
  return text + "}\n";
}

/// Of a function whose only result is a record, the fields under their own names: as such a file is
/// read.
static auto with_own_names(std::vector<EntryResult> results) -> std::vector<EntryResult> {
  constexpr std::string_view kWhole = "out.";
  const bool is_record =
      std::all_of(results.begin(), results.end(),
                  [&](const EntryResult& result) { return result.name.starts_with(kWhole); });
  for (EntryResult& result : results) {
    result.name.erase(0, is_record ? kWhole.size() : 0);
  }
  return results;
}

auto result_file_content(const std::string& path, const std::vector<EntryResult>& all,
                         const std::vector<Value>& values) -> Result<std::string> {
  const std::vector<EntryResult> results = with_own_names(all);
  Result<DataFormat> format = format_of_path(path);
  if (!format) {
    return format.error();
  }
  switch (*format) {
    case DataFormat::Csv:
      return table_of_results(results, values, ',');
    case DataFormat::Tsv:
      return table_of_results(results, values, '\t');
    case DataFormat::Npy:
      return npy_of_result(results.front(), values.front());
    case DataFormat::Npz:
      return npz_of_results(results, values);
    case DataFormat::Json:
      return results_object(results, values);
  }
  return std::string();
}

auto write_result_file(const std::string& path, const std::vector<EntryResult>& results,
                       const std::vector<Value>& values) -> Status {
  if (const Status fits = check_result_file(path, results); !fits) {
    return fits;
  }
  Result<std::string> content = result_file_content(path, results, values);
  if (!content) {
    return about_output(path, content.error());
  }
  return write_or_create(path, *content);
}

}  // namespace tacet::cli
