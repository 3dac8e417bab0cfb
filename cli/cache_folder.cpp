#include "cli/cache_folder.h"

#include <fmt/format.h>

#include <cstdlib>
#include <filesystem>

#include "cli/atomic_write.h"

namespace tacet::cli {

static auto variable(const char* name) -> std::string {
  const char* const value = std::getenv(name);
  return value == nullptr ? std::string() : std::string(value);
}

auto cache_folder() -> std::string {
  const std::string folder = variable("XDG_CACHE_HOME");
  // A relative one is to be ignored (XDG Base Directory Specification).
  if (!folder.empty() && folder.front() == '/') {
    return folder + "/tacet";
  }
  const std::string home = variable("HOME");
  return home.empty() ? std::string() : home + "/.cache/tacet";
}

auto write_to_cache(const std::string& path, std::string_view text) -> Status {
  if (path.empty()) {
    return Error{"no folder to store the times in: neither XDG_CACHE_HOME nor HOME is set"};
  }
  std::error_code failed;
  std::filesystem::create_directories(std::filesystem::path(path).parent_path(), failed);
  if (failed) {
    return Error{fmt::format("cannot create the folder of `{}`: {}", path, failed.message())};
  }
  return write_or_create(path, text);
}

}  // namespace tacet::cli
