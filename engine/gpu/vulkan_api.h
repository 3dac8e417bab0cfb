#pragma once

#define VK_NO_PROTOTYPES
#include <vulkan/vulkan_core.h>

#include <memory>
#include <string>

#include "base/result.h"

/// The functions of Vulkan that are used, found when the program runs: nobody needs the loader to
/// build or to start Tacet. For the files of this folder alone.
namespace tacet::engine::vulkan {

// X(Name): functions of the loader, of an instance, and of a device.
#define TACET_VULKAN_INSTANCE_FUNCTIONS(X)  \
  X(DestroyInstance)                        \
  X(EnumeratePhysicalDevices)               \
  X(GetPhysicalDeviceProperties)            \
  X(GetPhysicalDeviceFeatures)              \
  X(GetPhysicalDeviceMemoryProperties)      \
  X(GetPhysicalDeviceQueueFamilyProperties) \
  X(CreateDevice)                           \
  X(GetDeviceProcAddr)

#define TACET_VULKAN_DEVICE_FUNCTIONS(X) \
  X(DestroyDevice)                       \
  X(DeviceWaitIdle)                      \
  X(GetDeviceQueue)                      \
  X(QueueSubmit)                         \
  X(CreateBuffer)                        \
  X(DestroyBuffer)                       \
  X(GetBufferMemoryRequirements)         \
  X(AllocateMemory)                      \
  X(FreeMemory)                          \
  X(BindBufferMemory)                    \
  X(MapMemory)                           \
  X(CreateShaderModule)                  \
  X(DestroyShaderModule)                 \
  X(CreateDescriptorSetLayout)           \
  X(DestroyDescriptorSetLayout)          \
  X(CreatePipelineLayout)                \
  X(DestroyPipelineLayout)               \
  X(CreateComputePipelines)              \
  X(DestroyPipeline)                     \
  X(CreateDescriptorPool)                \
  X(DestroyDescriptorPool)               \
  X(ResetDescriptorPool)                 \
  X(AllocateDescriptorSets)              \
  X(UpdateDescriptorSets)                \
  X(CreateCommandPool)                   \
  X(DestroyCommandPool)                  \
  X(AllocateCommandBuffers)              \
  X(BeginCommandBuffer)                  \
  X(EndCommandBuffer)                    \
  X(CmdBindPipeline)                     \
  X(CmdBindDescriptorSets)               \
  X(CmdDispatch)                         \
  X(CmdPipelineBarrier)                  \
  X(CmdCopyBuffer)                       \
  X(CmdFillBuffer)                       \
  X(CmdResetQueryPool)                   \
  X(CmdWriteTimestamp)                   \
  X(CreateQueryPool)                     \
  X(DestroyQueryPool)                    \
  X(GetQueryPoolResults)                 \
  X(CreateFence)                         \
  X(DestroyFence)                        \
  X(ResetFences)                         \
  X(GetFenceStatus)                      \
  X(WaitForFences)

/// Members are named as the functions, without `vk`.
struct Api {
  std::shared_ptr<void> library;
  PFN_vkGetInstanceProcAddr GetInstanceProcAddr = nullptr;
  PFN_vkCreateInstance CreateInstance = nullptr;
#define TACET_VULKAN_FUNCTION(Name) PFN_vk##Name Name = nullptr;
  TACET_VULKAN_INSTANCE_FUNCTIONS(TACET_VULKAN_FUNCTION)
  TACET_VULKAN_DEVICE_FUNCTIONS(TACET_VULKAN_FUNCTION)
#undef TACET_VULKAN_FUNCTION
};

/// Opens the loader. The functions of an instance and of a device are found by the other two.
auto load_api() -> Result<Api>;
auto load_instance_functions(Api& api, VkInstance instance) -> Status;
auto load_device_functions(Api& api, VkDevice device) -> Status;

/// What a failure means, for people: `out of memory on the device`.
auto failure_text(VkResult result) -> std::string;

}  // namespace tacet::engine::vulkan
