#pragma once

#include <memory>
#include <string>

#include "base/result.h"
#include "engine/gpu/vulkan_api.h"

namespace tacet::engine::vulkan {

/// Memory that one buffer fills.
struct Block {
  VkBuffer buffer = VK_NULL_HANDLE;
  VkDeviceMemory memory = VK_NULL_HANDLE;
  VkDeviceSize size = 0;
  std::byte* mapped = nullptr;  ///< where the host sees it, or null
};

/// A physical device that can compute, as it presents itself.
struct Candidate {
  VkPhysicalDevice device = VK_NULL_HANDLE;
  uint32_t queue_family = 0;
  uint32_t timestamp_bits = 0;
  VkPhysicalDeviceProperties properties{};
};

/// Drivers that compute on the host's own cores.
auto is_software(const VkPhysicalDeviceProperties& properties) -> bool;

/// Whether host and device use the same memory where the device has none of its own.
enum class Sharing : uint8_t { IfPossible, Never };

/// An instance, the device that was chosen, and its queue. Used by one thread.
class Context {
 public:
  /// Opens the best device: a discrete GPU, an integrated one, a virtual one, and software last;
  /// of equals the first that the driver lists.
  static auto open(Sharing sharing) -> Result<std::unique_ptr<Context>>;
  /// The properties of that device, without opening it.
  static auto look() -> Result<VkPhysicalDeviceProperties>;
  ~Context();
  Context(const Context&) = delete;
  auto operator=(const Context&) -> Context& = delete;

  enum class Place : uint8_t { Device, Host };

  /// A buffer of `size` bytes for storage and copies. Those of `Host` are mapped; those of `Device`
  /// too where both share their memory.
  auto new_block(VkDeviceSize size, Place place, Block& block) -> VkResult;
  void free_block(Block& block) const;

  [[nodiscard]] auto api() const -> const Api& { return api_; }
  [[nodiscard]] auto device() const -> VkDevice { return device_; }
  [[nodiscard]] auto queue() const -> VkQueue { return queue_; }
  [[nodiscard]] auto chosen() const -> const Candidate& { return chosen_; }
  [[nodiscard]] auto limits() const -> const VkPhysicalDeviceLimits& {
    return chosen_.properties.limits;
  }
  [[nodiscard]] auto features() const -> const VkPhysicalDeviceFeatures& { return features_; }

 private:
  Context() = default;
  auto choose() -> Status;
  auto create_device(Sharing sharing) -> Status;
  [[nodiscard]] auto memory_type(uint32_t allowed, Place place) const -> uint32_t;

  Api api_;
  VkInstance instance_ = VK_NULL_HANDLE;
  VkDevice device_ = VK_NULL_HANDLE;
  VkQueue queue_ = VK_NULL_HANDLE;
  Candidate chosen_;
  VkPhysicalDeviceFeatures features_{};
  VkPhysicalDeviceMemoryProperties memory_{};
  bool is_shared_ = false;  ///< the host sees the memory of the device
};

}  // namespace tacet::engine::vulkan
