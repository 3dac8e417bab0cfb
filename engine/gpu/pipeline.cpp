#include "engine/gpu/pipeline.h"

#include <fmt/format.h>

#include <algorithm>

namespace tacet::engine::vulkan {

/// What of the kernel exceeds the device.
static auto check_limits(const Context& context, const GpuKernel& kernel) -> Status {
  const VkPhysicalDeviceLimits& limits = context.limits();
  const std::string device = context.chosen().properties.deviceName;
  if (kernel.needs_int64 && context.features().shaderInt64 == VK_FALSE) {
    return Error{fmt::format("{} has no 64-bit integers", device)};
  }
  if (kernel.needs_float64 && context.features().shaderFloat64 == VK_FALSE) {
    return Error{fmt::format("{} has no 64-bit floats", device)};
  }
  uint64_t n_invocations = 1;
  for (size_t i = 0; i < kernel.local_size.size(); ++i) {
    n_invocations *= kernel.local_size[i];
    if (kernel.local_size[i] > limits.maxComputeWorkGroupSize[i]) {
      return Error{fmt::format("its local size is {} in dimension {}, but {} supports at most {}",
                               kernel.local_size[i], i, device, limits.maxComputeWorkGroupSize[i])};
    }
  }
  if (n_invocations > limits.maxComputeWorkGroupInvocations) {
    return Error{fmt::format("its work group has {} invocations, but {} supports at most {}",
                             n_invocations, device, limits.maxComputeWorkGroupInvocations)};
  }
  for (const GpuBuffer& buffer : kernel.buffers) {
    if (buffer.group >= limits.maxBoundDescriptorSets) {
      return Error{fmt::format("group {} is above the last one of {}, {}", buffer.group, device,
                               limits.maxBoundDescriptorSets - 1)};
    }
  }
  if (kernel.buffers.size() > limits.maxPerStageDescriptorStorageBuffers) {
    return Error{fmt::format("it has {} buffers, but {} supports at most {}", kernel.buffers.size(),
                             device, limits.maxPerStageDescriptorStorageBuffers)};
  }
  return std::monostate{};
}

static auto make_set_layouts(const Context& context, Pipeline& pipeline) -> VkResult {
  uint32_t n_sets = 0;
  for (const GpuBuffer& buffer : pipeline.kernel.buffers) {
    n_sets = std::max(n_sets, buffer.group + 1);
  }
  for (uint32_t set = 0; set < n_sets; ++set) {
    std::vector<VkDescriptorSetLayoutBinding> bindings;
    for (const GpuBuffer& buffer : pipeline.kernel.buffers) {
      if (buffer.group == set) {
        bindings.push_back({buffer.binding, VK_DESCRIPTOR_TYPE_STORAGE_BUFFER, 1,
                            VK_SHADER_STAGE_COMPUTE_BIT, nullptr});
      }
    }
    VkDescriptorSetLayoutCreateInfo info{};
    info.sType = VK_STRUCTURE_TYPE_DESCRIPTOR_SET_LAYOUT_CREATE_INFO;
    info.bindingCount = static_cast<uint32_t>(bindings.size());
    info.pBindings = bindings.data();
    VkDescriptorSetLayout layout = VK_NULL_HANDLE;
    const VkResult made =
        context.api().CreateDescriptorSetLayout(context.device(), &info, nullptr, &layout);
    if (made != VK_SUCCESS) {
      return made;
    }
    pipeline.sets.push_back(layout);
  }
  return VK_SUCCESS;
}

static auto make_shader(const Context& context, const GpuKernel& kernel, VkShaderModule& shader)
    -> VkResult {
  VkShaderModuleCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_SHADER_MODULE_CREATE_INFO;
  info.codeSize = kernel.code.size() * sizeof(uint32_t);
  info.pCode = kernel.code.data();
  return context.api().CreateShaderModule(context.device(), &info, nullptr, &shader);
}

static auto make_layout_and_pipeline(const Context& context, Pipeline& pipeline) -> VkResult {
  const Api& api = context.api();
  VkResult result = make_set_layouts(context, pipeline);
  if (result != VK_SUCCESS) {
    return result;
  }
  VkPipelineLayoutCreateInfo layout{};
  layout.sType = VK_STRUCTURE_TYPE_PIPELINE_LAYOUT_CREATE_INFO;
  layout.setLayoutCount = static_cast<uint32_t>(pipeline.sets.size());
  layout.pSetLayouts = pipeline.sets.data();
  result = api.CreatePipelineLayout(context.device(), &layout, nullptr, &pipeline.layout);
  VkShaderModule shader = VK_NULL_HANDLE;
  if (result == VK_SUCCESS) {
    result = make_shader(context, pipeline.kernel, shader);
  }
  if (result != VK_SUCCESS) {
    return result;
  }
  VkComputePipelineCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_COMPUTE_PIPELINE_CREATE_INFO;
  info.stage.sType = VK_STRUCTURE_TYPE_PIPELINE_SHADER_STAGE_CREATE_INFO;
  info.stage.stage = VK_SHADER_STAGE_COMPUTE_BIT;
  info.stage.module = shader;
  info.stage.pName = pipeline.kernel.entry.c_str();
  info.layout = pipeline.layout;
  result = api.CreateComputePipelines(context.device(), VK_NULL_HANDLE, 1, &info, nullptr,
                                      &pipeline.pipeline);
  api.DestroyShaderModule(context.device(), shader, nullptr);
  return result;
}

auto make_pipeline(const Context& context, GpuKernel kernel, Pipeline& pipeline) -> Status {
  if (Status fits = check_limits(context, kernel); !fits) {
    return fits;
  }
  pipeline.kernel = std::move(kernel);
  const VkResult made = make_layout_and_pipeline(context, pipeline);
  if (made != VK_SUCCESS) {
    return Error{failure_text(made)};
  }
  pipeline.kernel.code = {};  // the driver has it
  return std::monostate{};
}

void free_pipeline(const Context& context, Pipeline& pipeline) {
  const Api& api = context.api();
  if (pipeline.pipeline != VK_NULL_HANDLE) {
    api.DestroyPipeline(context.device(), pipeline.pipeline, nullptr);
  }
  if (pipeline.layout != VK_NULL_HANDLE) {
    api.DestroyPipelineLayout(context.device(), pipeline.layout, nullptr);
  }
  for (const VkDescriptorSetLayout set : pipeline.sets) {
    api.DestroyDescriptorSetLayout(context.device(), set, nullptr);
  }
  pipeline = {};
}

}  // namespace tacet::engine::vulkan
