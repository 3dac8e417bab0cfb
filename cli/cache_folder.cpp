#include "cli/cache_folder.h"

#include <cstdlib>

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

}  // namespace tacet::cli
