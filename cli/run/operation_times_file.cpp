#include "cli/run/operation_times_file.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "base/cpu.h"
#include "cli/atomic_write.h"
#include "cli/version_info.h"
#include "project/read_source.h"

namespace tacet::cli {

static auto variable(const char* name) -> std::string {
  const char* value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

auto operation_times_path() -> std::string {
  std::string folder = variable("XDG_CACHE_HOME");
  if (folder.empty() || folder.front() != '/') {
    const std::string home = variable("HOME");
    if (home.empty()) {
      return {};
    }
    folder = home + "/.cache";
  }
  return fmt::format("{}/tacet/operation_times_{}_{}.txt", folder, kVersion, isa_name(best_isa()));
}

auto operation_times() -> he::OperationTimes {
  const std::string path = operation_times_path();
  std::error_code ignored;
  if (!path.empty() && std::filesystem::exists(path, ignored)) {
    // A file that was damaged is as good as none: it only makes choices better.
    Result<std::string> text = project::read_source(path);
    Result<he::OperationTimes> times =
        text ? he::parse_operation_times(*text) : Result<he::OperationTimes>(text.error());
    if (times && !times->is_empty()) {
      return std::move(*times);
    }
  }
  return he::default_operation_times();
}

auto store_operation_times(const he::OperationTimes& times) -> Status {
  const std::string path = operation_times_path();
  if (path.empty()) {
    return Error{"no folder to store the times in: neither XDG_CACHE_HOME nor HOME is set"};
  }
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) {
    return Error{fmt::format("cannot create the folder of `{}`: {}", path, failed.message())};
  }
  return write_or_create(path, times.text());
}

}  // namespace tacet::cli
