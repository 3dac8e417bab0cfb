#pragma once

#include <chrono>
#include <cstdint>
#include <optional>

#include "engine/gpu/vulkan_context.h"

namespace tacet::engine::vulkan {

/// How the ticks of a device and the host's steady clock go together.
struct DeviceClock {
  using Time = std::chrono::steady_clock::time_point;

  double seconds_per_tick = 0;
  uint64_t mask = 0;  ///< the bits that its ticks have
  uint64_t tick = 0;  ///< of the device
  Time time;          ///< when that was, to within `uncertainty_seconds` in either direction
  double uncertainty_seconds = 0;

  [[nodiscard]] auto at(uint64_t ticks) const -> Time;
};

/// Asks the device for its time by submissions of nothing else, and keeps the answer that took the
/// shortest time. Nothing if the device has no clock.
auto read_clock(const Context& context, VkCommandPool pool) -> std::optional<DeviceClock>;

}  // namespace tacet::engine::vulkan
