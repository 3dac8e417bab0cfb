#include "engine/runtime/kernel.h"

#include <algorithm>
#include <vector>

namespace tacet::engine {

auto run_kernel(const CoordinatorKernel& kernel, const Kernel& function,
                std::span<const Cell> inputs, std::span<Cell> outputs) -> Outcome {
  if (!function) {
    return {Outcome::Kind::MissingKernel};
  }
  std::vector<int64_t> given(inputs.size());
  std::transform(inputs.begin(), inputs.end(), given.begin(),
                 [](Cell cell) { return static_cast<int64_t>(cell); });
  std::vector<int64_t> results(outputs.size());
  if (const int status = function(given, results); status != 0) {
    return {Outcome::Kind::FailedKernel, status};
  }
  for (size_t i = 0; i < results.size(); ++i) {
    const ElementType type = kernel.outputs[i];
    const auto cell = static_cast<Cell>(results[i]);
    outputs[i] = type.kind == ElementKind::Bool ? Cell{cell != 0} : wrapped(type.kind, cell);
  }
  return {};
}

}  // namespace tacet::engine
