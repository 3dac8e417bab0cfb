#pragma once

#include <array>
#include <vector>

#include "engine/gpu/pipeline.h"

namespace tacet::engine::vulkan {

/// A value in the device's buffer of one submission.
struct Placed {
  VkDeviceSize offset = 0;
  VkDeviceSize size = 0;
};

/// A kernel and its values, in the order of its buffers.
struct Dispatch {
  const Pipeline* pipeline = nullptr;
  std::array<uint32_t, 3> grid = {1, 1, 1};
  std::vector<Placed> values;
};

/// Everything that a submission does: values come there, kernels run in order, values come back.
struct Plan {
  VkDeviceSize n_input_bytes = 0;  ///< they come first
  VkDeviceSize n_bytes = 0;        ///< of inputs and outputs; outputs begin as zeros
  std::vector<Dispatch> dispatches;
};

/// What a submission needs of the device, to be used for another one afterwards.
class Submission {
 public:
  Submission() = default;

  /// Makes buffers large enough for `plan`.
  auto prepare(Context& context, VkCommandPool pool, const Plan& plan, bool wants_times)
      -> VkResult;
  /// Where the host writes inputs before `start`, and reads them all after `wait`.
  [[nodiscard]] auto bytes() const -> std::byte* {
    return values_.mapped != nullptr ? values_.mapped : staging_.mapped;
  }
  auto start(const Context& context, const Plan& plan) -> VkResult;
  [[nodiscard]] auto is_done(const Context& context) const -> bool;
  auto wait(const Context& context) -> VkResult;
  /// Begin and end of each kernel, in ticks of the device; empty without times.
  auto times(const Context& context, size_t n_dispatches) -> std::vector<uint64_t>;
  void free(const Context& context);

 private:
  auto make_sets(const Context& context, const Plan& plan) -> VkResult;
  auto reserve_sets(const Context& context, uint32_t n_sets, uint32_t n_buffers) -> VkResult;
  void fill_sets(const Context& context, const Plan& plan) const;
  void record(const Context& context, const Plan& plan);
  void record_inputs(const Context& context, const Plan& plan) const;
  void record_outputs(const Context& context, const Plan& plan) const;
  void barrier(const Context& context, VkPipelineStageFlags from, VkAccessFlags written,
               VkPipelineStageFlags to, VkAccessFlags used) const;

  Block values_;
  Block staging_;  ///< if the host does not see `values_`
  VkCommandBuffer commands_ = VK_NULL_HANDLE;
  VkFence fence_ = VK_NULL_HANDLE;
  VkDescriptorPool sets_pool_ = VK_NULL_HANDLE;
  uint32_t n_pool_sets_ = 0;
  uint32_t n_pool_buffers_ = 0;
  std::vector<VkDescriptorSet> sets_;  ///< of all dispatches, one behind the other
  VkQueryPool queries_ = VK_NULL_HANDLE;
  uint32_t n_queries_ = 0;
  bool has_times_ = false;
};

}  // namespace tacet::engine::vulkan
