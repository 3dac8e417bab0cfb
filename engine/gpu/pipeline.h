#pragma once

#include <vector>

#include "engine/gpu/gpu_device.h"
#include "engine/gpu/vulkan_context.h"

namespace tacet::engine::vulkan {

/// A kernel, ready to run on one device.
struct Pipeline {
  GpuKernel kernel;
  std::vector<VkDescriptorSetLayout> sets;  ///< by group; those without a buffer are empty
  VkPipelineLayout layout = VK_NULL_HANDLE;
  VkPipeline pipeline = VK_NULL_HANDLE;
};

/// An error says what of the kernel the device does not have, or how it failed. What was made until
/// then is in `pipeline`, for `free_pipeline`.
auto make_pipeline(const Context& context, GpuKernel kernel, Pipeline& pipeline) -> Status;
void free_pipeline(const Context& context, Pipeline& pipeline);

}  // namespace tacet::engine::vulkan
