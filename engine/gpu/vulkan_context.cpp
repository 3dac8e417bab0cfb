#include "engine/gpu/vulkan_context.h"

#include <algorithm>
#include <array>
#include <optional>
#include <vector>

namespace tacet::engine::vulkan {

auto is_software(const VkPhysicalDeviceProperties& properties) -> bool {
  return properties.deviceType == VK_PHYSICAL_DEVICE_TYPE_CPU;
}

/// Less is better.
static auto rank_of(VkPhysicalDeviceType type) -> int {
  constexpr std::array kOrder = {VK_PHYSICAL_DEVICE_TYPE_DISCRETE_GPU,
                                 VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU,
                                 VK_PHYSICAL_DEVICE_TYPE_VIRTUAL_GPU, VK_PHYSICAL_DEVICE_TYPE_OTHER,
                                 VK_PHYSICAL_DEVICE_TYPE_CPU};
  return static_cast<int>(std::find(kOrder.begin(), kOrder.end(), type) - kOrder.begin());
}

static auto create_instance(const Api& api) -> Result<VkInstance> {
  VkApplicationInfo application{};
  application.sType = VK_STRUCTURE_TYPE_APPLICATION_INFO;
  application.pApplicationName = "tacet";
  application.apiVersion = VK_API_VERSION_1_0;
  VkInstanceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_INSTANCE_CREATE_INFO;
  info.pApplicationInfo = &application;
  VkInstance instance = VK_NULL_HANDLE;
  if (const VkResult made = api.CreateInstance(&info, nullptr, &instance); made != VK_SUCCESS) {
    return Error{failure_text(made)};
  }
  return instance;
}

/// A queue that computes and nothing else is best: graphics do not wait for it.
static auto find_queue(const Api& api, Candidate& candidate) -> bool {
  uint32_t n = 0;
  api.GetPhysicalDeviceQueueFamilyProperties(candidate.device, &n, nullptr);
  std::vector<VkQueueFamilyProperties> families(n);
  api.GetPhysicalDeviceQueueFamilyProperties(candidate.device, &n, families.data());
  std::optional<uint32_t> best;
  for (uint32_t i = 0; i < n; ++i) {
    const VkQueueFlags flags = families[i].queueFlags;
    if (families[i].queueCount > 0 && (flags & VK_QUEUE_COMPUTE_BIT) != 0 &&
        (!best || (flags & VK_QUEUE_GRAPHICS_BIT) == 0)) {
      best = i;
    }
  }
  if (!best) {
    return false;
  }
  candidate.queue_family = *best;
  candidate.timestamp_bits = families[*best].timestampValidBits;
  return true;
}

auto Context::choose() -> Status {
  Result<Api> api = load_api();
  if (!api) {
    return api.error();
  }
  api_ = std::move(*api);
  Result<VkInstance> instance = create_instance(api_);
  if (!instance) {
    return instance.error();
  }
  instance_ = *instance;
  if (Status loaded = load_instance_functions(api_, instance_); !loaded) {
    return loaded;
  }
  uint32_t n = 0;
  api_.EnumeratePhysicalDevices(instance_, &n, nullptr);
  std::vector<VkPhysicalDevice> devices(n);
  api_.EnumeratePhysicalDevices(instance_, &n, devices.data());
  for (const VkPhysicalDevice device : devices) {
    Candidate candidate;
    candidate.device = device;
    api_.GetPhysicalDeviceProperties(device, &candidate.properties);
    if (find_queue(api_, candidate) &&
        (chosen_.device == VK_NULL_HANDLE ||
         rank_of(candidate.properties.deviceType) < rank_of(chosen_.properties.deviceType))) {
      chosen_ = candidate;
    }
  }
  if (chosen_.device == VK_NULL_HANDLE) {
    return Error{n == 0 ? "there is no Vulkan driver" : "no Vulkan device can compute"};
  }
  return std::monostate{};
}

auto Context::create_device(Sharing sharing) -> Status {
  VkPhysicalDeviceFeatures has{};
  api_.GetPhysicalDeviceFeatures(chosen_.device, &has);
  features_ = {};
  features_.robustBufferAccess = has.robustBufferAccess;
  features_.shaderInt64 = has.shaderInt64;
  features_.shaderFloat64 = has.shaderFloat64;
  const float priority = 1;
  VkDeviceQueueCreateInfo queue{};
  queue.sType = VK_STRUCTURE_TYPE_DEVICE_QUEUE_CREATE_INFO;
  queue.queueFamilyIndex = chosen_.queue_family;
  queue.queueCount = 1;
  queue.pQueuePriorities = &priority;
  VkDeviceCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_DEVICE_CREATE_INFO;
  info.queueCreateInfoCount = 1;
  info.pQueueCreateInfos = &queue;
  info.pEnabledFeatures = &features_;
  const VkResult made = api_.CreateDevice(chosen_.device, &info, nullptr, &device_);
  if (made != VK_SUCCESS) {
    return Error{failure_text(made)};
  }
  if (Status loaded = load_device_functions(api_, device_); !loaded) {
    return loaded;
  }
  api_.GetDeviceQueue(device_, chosen_.queue_family, 0, &queue_);
  api_.GetPhysicalDeviceMemoryProperties(chosen_.device, &memory_);
  const VkPhysicalDeviceType type = chosen_.properties.deviceType;
  is_shared_ = sharing == Sharing::IfPossible &&
               (type == VK_PHYSICAL_DEVICE_TYPE_INTEGRATED_GPU || is_software(chosen_.properties));
  return std::monostate{};
}

static constexpr VkMemoryPropertyFlags kVisible =
    VK_MEMORY_PROPERTY_HOST_VISIBLE_BIT | VK_MEMORY_PROPERTY_HOST_COHERENT_BIT;

/// The first of the types in `allowed` that has all of `wanted`, and of these one that has all of
/// `better`.
static auto find_type(const VkPhysicalDeviceMemoryProperties& memory, uint32_t allowed,
                      VkMemoryPropertyFlags wanted, VkMemoryPropertyFlags better)
    -> std::optional<uint32_t> {
  std::optional<uint32_t> found;
  for (uint32_t i = 0; i < memory.memoryTypeCount; ++i) {
    const VkMemoryPropertyFlags flags = memory.memoryTypes[i].propertyFlags;
    if ((allowed >> i & 1U) == 0 || (flags & wanted) != wanted) {
      continue;
    }
    if ((flags & better) == better) {
      return i;
    }
    if (!found) {
      found = i;
    }
  }
  return found;
}

/// For any buffer there is a type that the host sees and one that is the device's own; they may be
/// the same.
auto Context::memory_type(uint32_t allowed, Place place) const -> uint32_t {
  if (place == Place::Device && !is_shared_) {
    const auto own = find_type(memory_, allowed, VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT, 0);
    if (own) {
      return *own;
    }
  }
  const VkMemoryPropertyFlags near =
      place == Place::Device ? VK_MEMORY_PROPERTY_DEVICE_LOCAL_BIT : 0;
  return find_type(memory_, allowed, kVisible, near | VK_MEMORY_PROPERTY_HOST_CACHED_BIT)
      .value_or(0);
}

auto Context::open(Sharing sharing) -> Result<std::unique_ptr<Context>> {
  std::unique_ptr<Context> context(new Context);
  if (Status chosen = context->choose(); !chosen) {
    return chosen.error();
  }
  if (Status created = context->create_device(sharing); !created) {
    return created.error();
  }
  return context;
}

auto Context::look() -> Result<VkPhysicalDeviceProperties> {
  Context context;
  if (Status chosen = context.choose(); !chosen) {
    return chosen.error();
  }
  return context.chosen_.properties;
}

Context::~Context() {
  if (device_ != VK_NULL_HANDLE && api_.DestroyDevice != nullptr) {
    api_.DestroyDevice(device_, nullptr);
  }
  if (instance_ != VK_NULL_HANDLE && api_.DestroyInstance != nullptr) {
    api_.DestroyInstance(instance_, nullptr);
  }
}

auto Context::new_block(VkDeviceSize size, Place place, Block& block) -> VkResult {
  VkBufferCreateInfo info{};
  info.sType = VK_STRUCTURE_TYPE_BUFFER_CREATE_INFO;
  info.size = size;
  info.usage = VK_BUFFER_USAGE_TRANSFER_SRC_BIT | VK_BUFFER_USAGE_TRANSFER_DST_BIT;
  if (place == Place::Device) {
    info.usage |= VK_BUFFER_USAGE_STORAGE_BUFFER_BIT;
  }
  info.sharingMode = VK_SHARING_MODE_EXCLUSIVE;
  VkResult result = api_.CreateBuffer(device_, &info, nullptr, &block.buffer);
  if (result != VK_SUCCESS) {
    return result;
  }
  VkMemoryRequirements needs{};
  api_.GetBufferMemoryRequirements(device_, block.buffer, &needs);
  VkMemoryAllocateInfo memory{};
  memory.sType = VK_STRUCTURE_TYPE_MEMORY_ALLOCATE_INFO;
  memory.allocationSize = needs.size;
  memory.memoryTypeIndex = memory_type(needs.memoryTypeBits, place);
  result = api_.AllocateMemory(device_, &memory, nullptr, &block.memory);
  if (result == VK_SUCCESS) {
    result = api_.BindBufferMemory(device_, block.buffer, block.memory, 0);
  }
  if (result == VK_SUCCESS && (place == Place::Host || is_shared_)) {
    void* mapped = nullptr;
    result = api_.MapMemory(device_, block.memory, 0, VK_WHOLE_SIZE, 0, &mapped);
    block.mapped = static_cast<std::byte*>(mapped);
  }
  block.size = size;
  if (result != VK_SUCCESS) {
    free_block(block);
  }
  return result;
}

void Context::free_block(Block& block) const {
  if (block.buffer != VK_NULL_HANDLE) {
    api_.DestroyBuffer(device_, block.buffer, nullptr);
  }
  if (block.memory != VK_NULL_HANDLE) {
    api_.FreeMemory(device_, block.memory, nullptr);  // unmaps it
  }
  block = {};
}

}  // namespace tacet::engine::vulkan
