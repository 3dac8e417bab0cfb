#pragma once

#include <cstdint>
#include <memory>
#include <vector>

namespace tacet::he_lower {

/// A number of each slot of a vector, none negative: what numbers or errors are at most. The same
/// number in all slots takes no more than that. Sums and products are rounded up.
class SlotVector {
 public:
  SlotVector() = default;
  explicit SlotVector(double all) : all_(static_cast<float>(all)) {}
  explicit SlotVector(std::vector<float> each);

  /// The largest. O(slots), or O(1) if uniform.
  [[nodiscard]] auto most() const -> double;
  /// Whether all slots are known to be alike.
  [[nodiscard]] auto is_uniform() const -> bool { return each_ == nullptr; }
  [[nodiscard]] auto is_zero() const -> bool { return is_uniform() && all_ == 0; }

  [[nodiscard]] auto at(uint32_t slot) const -> float {
    return is_uniform() ? all_ : (*each_)[slot];
  }
  /// O(slots), or O(1) if all that is given is uniform.
  [[nodiscard]] auto plus(const SlotVector& other) const -> SlotVector;
  [[nodiscard]] auto times(const SlotVector& other) const -> SlotVector;
  /// To the left, as `HeOpcode::Rotate` has it; by less than there are slots.
  [[nodiscard]] auto rotated(uint32_t steps) const -> SlotVector;
  /// No slot with more than this.
  [[nodiscard]] auto at_most(double limit) const -> SlotVector;

 private:
  template <class Function>
  [[nodiscard]] auto combined(const SlotVector& other, const Function& function) const
      -> SlotVector;

  float all_ = 0;
  std::shared_ptr<const std::vector<float>> each_;  ///< null if all are `all_`
};

}  // namespace tacet::he_lower
