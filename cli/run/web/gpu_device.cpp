#include "engine/gpu/gpu_device.h"

namespace tacet::engine {

auto available_gpu() -> Result<GpuName> {
  return Error{"a page has no access to Vulkan"};
}

auto GpuDevice::open(const CoordinatorProgram& /*program*/,
                     std::vector<std::optional<GpuKernel>> /*kernels*/,
                     const GpuOptions& /*options*/) -> Result<std::unique_ptr<GpuDevice>> {
  return Error{"a page has no access to Vulkan"};
}

}  // namespace tacet::engine
