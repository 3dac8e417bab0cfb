#include "cli/run/extern_libraries.h"

namespace tacet::cli {

auto ExternLibraries::load(const std::string& path) -> Status {
  return Error{"`" + path + "`: a page cannot load shared objects"};
}

auto ExternLibraries::functions(const std::vector<std::string>& /*names*/) const
    -> Result<HostFunctions> {
  static_cast<void>(libraries_);
  return HostFunctions();
}

}  // namespace tacet::cli
