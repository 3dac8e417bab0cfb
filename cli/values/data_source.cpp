#include "cli/values/data_source.h"

#include <fcntl.h>
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "cli/values/csv_table.h"
#include "cli/values/json_member.h"
#include "cli/values/npz_archive.h"
#include "compiler/core/diagnostics/closest_name.h"
#include "compiler/core/diagnostics/printable.h"

namespace tacet::cli {

namespace {

struct Ending {
  std::string_view text;
  DataFormat format;
};
constexpr Ending kEndings[] = {{".json", DataFormat::Json},
                               {".csv", DataFormat::Csv},
                               {".tsv", DataFormat::Tsv},
                               {".npy", DataFormat::Npy},
                               {".npz", DataFormat::Npz}};

/// A format that people have and that is not read.
struct OtherFormat {
  std::string_view ending;
  std::string_view what;
  std::string_view remedy;
};
constexpr std::string_view kFromFrame =
    "with pandas, `pd.read_parquet(FILE).to_csv(\"data.csv\", index=False)`";
constexpr OtherFormat kOtherFormats[] = {
    {".parquet", "a Parquet file", kFromFrame},
    {".arrow", "an Arrow file",
     "with pandas, `pd.read_feather(FILE).to_csv(\"data.csv\", index=False)`"},
    {".feather", "an Arrow file",
     "with pandas, `pd.read_feather(FILE).to_csv(\"data.csv\", index=False)`"},
    {".xlsx", "a spreadsheet", "save the sheet as CSV, UTF-8"},
    {".xls", "a spreadsheet", "save the sheet as CSV, UTF-8"},
    {".ods", "a spreadsheet", "save the sheet as CSV, UTF-8"},
    {".h5", "an HDF5 file", "with h5py, `np.save(\"data.npy\", file[\"NAME\"][...])`"},
    {".hdf5", "an HDF5 file", "with h5py, `np.save(\"data.npy\", file[\"NAME\"][...])`"},
    {".pkl", "a pickle, which runs code when it is read", "save numbers with `np.save`"},
    {".gz", "a compressed file", "decompress it first, or use `.npz`"},
    {".zip", "an archive", "extract the file first, or use `.npz`"},
};

auto lower_case(std::string_view text) -> std::string {
  std::string result(text);
  std::transform(result.begin(), result.end(), result.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });
  return result;
}

auto find_ending(std::string_view lower_path) -> const Ending* {
  const auto* found =
      std::find_if(std::begin(kEndings), std::end(kEndings),
                   [&](const Ending& ending) { return lower_path.ends_with(ending.text); });
  return found == std::end(kEndings) ? nullptr : found;
}

/// Where the colon before a selection is: the first one behind the end of a known name.
auto colon_of(std::string_view text) -> size_t {
  const std::string lower = lower_case(text);
  for (size_t at = lower.find(':'); at != std::string::npos; at = lower.find(':', at + 1)) {
    if (find_ending(std::string_view(lower).substr(0, at)) != nullptr) {
      return at;
    }
  }
  return std::string_view::npos;
}

auto cannot_read(const std::string& path, std::string_view why) -> Error {
  return Error{fmt::format("cannot read {}: {}", path, why)};
}

/// Reads `descriptor` to its end. A size of 0 may be that of a pipe.
auto read_to_end(int descriptor, size_t size, std::string& content) -> bool {
  constexpr size_t kLeast = size_t{1} << 16;
  size_t n_read = 0;
  for (;;) {
    if (n_read == content.size()) {
      content.resize(n_read == 0 ? std::max(size + 1, kLeast) : 2 * n_read);
    }
    const ssize_t n = ::read(descriptor, content.data() + n_read, content.size() - n_read);
    if (n < 0 && errno == EINTR) {
      continue;
    }
    if (n <= 0) {
      content.resize(n_read);
      return n == 0;
    }
    n_read += static_cast<size_t>(n);
  }
}

}  // namespace

auto format_of_path(const std::string& path) -> Result<DataFormat> {
  const std::string lower = lower_case(path);
  if (const Ending* ending = find_ending(lower)) {
    return ending->format;
  }
  for (const OtherFormat& other : kOtherFormats) {
    if (lower.ends_with(other.ending)) {
      return Error{fmt::format("{} is {}; convert it to `.csv` or `.npy`: {}", path, other.what,
                               other.remedy)};
    }
  }
  return Error{fmt::format("{} is not a `.json`, `.csv`, `.tsv`, `.npy` or `.npz` file", path)};
}

auto parse_data_source(std::string_view text) -> Result<DataSource> {
  const size_t colon = colon_of(text);
  DataSource source{.path = std::string(text.substr(0, colon)), .format = {}, .selection = {}};
  Result<DataFormat> format = format_of_path(source.path);
  if (!format) {
    return format.error();
  }
  source.format = *format;
  if (colon == std::string_view::npos) {
    return source;
  }
  source.selection = text.substr(colon + 1);
  if (source.selection->empty()) {
    return Error{fmt::format("`{}`: expected a name behind the colon", one_line(text))};
  }
  if (source.format == DataFormat::Npy) {
    return Error{fmt::format("{} has one array and no name `{}`; remove `:{}`", source.path,
                             one_line(*source.selection), one_line(*source.selection))};
  }
  return source;
}

auto read_data_file(const std::string& path) -> Result<std::string> {
  const int descriptor = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (descriptor < 0) {
    return cannot_read(path, std::strerror(errno));
  }
  struct stat status = {};
  if (::fstat(descriptor, &status) == 0 && S_ISDIR(status.st_mode)) {
    ::close(descriptor);
    return cannot_read(path, "it is a folder");
  }
  std::string content;
  const bool is_read = read_to_end(descriptor, static_cast<size_t>(status.st_size), content);
  const int error = errno;
  ::close(descriptor);
  return is_read ? Result<std::string>(std::move(content))
                 : cannot_read(path, std::strerror(error));
}

auto names_in(const DataSource& source, std::string_view content)
    -> Result<std::vector<std::string>> {
  switch (source.format) {
    case DataFormat::Csv:
    case DataFormat::Tsv:
      return csv_headers(content,
                         source.format == DataFormat::Tsv ? CsvKind::Tabs : CsvKind::Detected);
    case DataFormat::Npz:
      return npz_names(content);
    case DataFormat::Json:
      return json_member_names(content);
    case DataFormat::Npy:
      return std::vector<std::string>{};
  }
  return std::vector<std::string>{};
}

auto listed_names(const std::vector<std::string>& names, std::string_view prefix) -> std::string {
  constexpr size_t kMost = 8;
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(kMost, names.size()); ++i) {
    shown.push_back(fmt::format("`{}{}`", prefix, one_line(names[i])));
  }
  if (names.size() > kMost) {
    shown.emplace_back("…");
  }
  return fmt::format("{}", fmt::join(shown, ", "));
}

auto several_names(std::string_view kind, const std::vector<std::string>& present) -> std::string {
  return present.empty() ? fmt::format("it has no {}s", kind)
                         : fmt::format("it has {} {}s; append the name of one: {}", present.size(),
                                       kind, listed_names(present, ":"));
}

/// Insertions, deletions, replacements and swaps; names of nobody's hand are far from all others.
static auto distance_of_names(std::string_view a, std::string_view b) -> size_t {
  constexpr size_t kLongest = 100;
  const size_t longer = std::max(a.size(), b.size());
  return longer > kLongest ? longer : edit_distance(lower_case(a), lower_case(b), longer);
}

auto missing_name(std::string_view kind, std::string_view name,
                  const std::vector<std::string>& present) -> Error {
  constexpr size_t kMost = 5;
  std::vector<std::pair<size_t, std::string_view>> nearest;
  for (const std::string& other : present) {
    nearest.emplace_back(distance_of_names(name, other), other);
  }
  std::stable_sort(nearest.begin(), nearest.end(),
                   [](const auto& a, const auto& b) { return a.first < b.first; });
  std::vector<std::string> shown;
  for (size_t i = 0; i < std::min(kMost, nearest.size()); ++i) {
    shown.push_back(fmt::format("`{}`", one_line(nearest[i].second)));
  }
  const std::string found = fmt::format("no {} `{}`", kind, one_line(name));
  if (present.empty()) {
    return Error{fmt::format("{}; there are no {}s", found, kind)};
  }
  const std::string list = fmt::format("{}", fmt::join(shown, ", "));
  if (present.size() > kMost) {
    return Error{
        fmt::format("{}; of its {} {}s, the nearest are {}", found, present.size(), kind, list)};
  }
  return Error{present.size() == 1 ? fmt::format("{}; the only {} is {}", found, kind, list)
                                   : fmt::format("{}; the {}s are {}", found, kind, list)};
}

}  // namespace tacet::cli
