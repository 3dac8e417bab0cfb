#include "compiler/views/backends/names.h"

#include <fmt/format.h>

namespace tacet::backends {

auto Names::unique(std::string_view wanted) -> std::string {
  const std::string stem = wanted.empty() ? "i" : std::string(wanted);
  std::string name = stem;
  for (unsigned number = 2; !taken_.insert(name).second; ++number) {
    name = fmt::format("{}_{}", stem, number);
  }
  return name;
}

}  // namespace tacet::backends
