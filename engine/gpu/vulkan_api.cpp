#include "engine/gpu/vulkan_api.h"

#include <dlfcn.h>
#include <fmt/format.h>

#include <cstring>

namespace tacet::engine::vulkan {

static constexpr const char* kLoader = "libvulkan.so.1";

auto load_api() -> Result<Api> {
  Api api;
  void* library = ::dlopen(kLoader, RTLD_NOW | RTLD_LOCAL);
  if (library == nullptr) {
    return Error{fmt::format("there is no Vulkan loader ({})", kLoader)};
  }
  // Drivers keep threads of their own until the process ends, so it is never closed.
  api.library = {library, [](void*) {}};
  void* symbol = ::dlsym(library, "vkGetInstanceProcAddr");
  std::memcpy(&api.GetInstanceProcAddr, &symbol, sizeof(symbol));
  if (api.GetInstanceProcAddr != nullptr) {
    api.CreateInstance = reinterpret_cast<PFN_vkCreateInstance>(
        api.GetInstanceProcAddr(nullptr, "vkCreateInstance"));
  }
  if (api.CreateInstance == nullptr) {
    return Error{fmt::format("{} is no Vulkan loader", kLoader)};
  }
  return api;
}

auto load_instance_functions(Api& api, VkInstance instance) -> Status {
#define TACET_VULKAN_FUNCTION(Name)                                                         \
  api.Name = reinterpret_cast<PFN_vk##Name>(api.GetInstanceProcAddr(instance, "vk" #Name)); \
  if (api.Name == nullptr) {                                                                \
    return Error{"the Vulkan loader lacks vk" #Name};                                       \
  }
  TACET_VULKAN_INSTANCE_FUNCTIONS(TACET_VULKAN_FUNCTION)
#undef TACET_VULKAN_FUNCTION
  return std::monostate{};
}

auto load_device_functions(Api& api, VkDevice device) -> Status {
#define TACET_VULKAN_FUNCTION(Name)                                                     \
  api.Name = reinterpret_cast<PFN_vk##Name>(api.GetDeviceProcAddr(device, "vk" #Name)); \
  if (api.Name == nullptr) {                                                            \
    return Error{"the Vulkan driver lacks vk" #Name};                                   \
  }
  TACET_VULKAN_DEVICE_FUNCTIONS(TACET_VULKAN_FUNCTION)
#undef TACET_VULKAN_FUNCTION
  return std::monostate{};
}

auto failure_text(VkResult result) -> std::string {
  if (result == VK_ERROR_OUT_OF_DEVICE_MEMORY) {
    return "out of memory on the device";
  }
  if (result == VK_ERROR_OUT_OF_HOST_MEMORY) {
    return "out of memory on the host";
  }
  if (result == VK_ERROR_TOO_MANY_OBJECTS) {
    return "too many buffers at once";
  }
  if (result == VK_ERROR_DEVICE_LOST) {
    return "the device was lost: a kernel crashed it or ran too long, or it was reset";
  }
  if (result == VK_ERROR_INCOMPATIBLE_DRIVER) {
    return "there is no Vulkan driver";
  }
  if (result == VK_ERROR_INITIALIZATION_FAILED) {
    return "the driver could not be initialised";
  }
  return fmt::format("the driver failed with status {}", static_cast<int>(result));
}

}  // namespace tacet::engine::vulkan
