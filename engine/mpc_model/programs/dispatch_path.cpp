#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/mpc_model/programs/instruction_costs.h"

namespace tacet::mpc_model {

auto stack_text(std::span<const DispatchPath> paths) -> std::string {
  if (paths.empty()) {
    return {};
  }
  size_t n_common = paths.front().size();
  for (const DispatchPath& path : paths) {
    const auto [end, other] = std::mismatch(
        paths.front().begin(), paths.front().begin() + static_cast<std::ptrdiff_t>(n_common),
        path.begin(), path.end());
    n_common = static_cast<size_t>(end - paths.front().begin());
  }
  const auto joined = [&](const DispatchPath& path, size_t begin) {
    return fmt::format(
        "{}", fmt::join(path.begin() + static_cast<std::ptrdiff_t>(begin), path.end(), " → "));
  };
  if (paths.size() == 1) {
    return joined(paths.front(), 0);
  }
  std::string text = fmt::format(
      "{}", fmt::join(paths.front().begin(),
                      paths.front().begin() + static_cast<std::ptrdiff_t>(n_common), " → "));
  for (size_t i = 0; i < paths.size(); ++i) {
    text += fmt::format("{}({})", i == 0 ? (n_common == 0 ? "" : " → ") : ", ",
                        joined(paths[i], n_common));
  }
  return text;
}

}  // namespace tacet::mpc_model
