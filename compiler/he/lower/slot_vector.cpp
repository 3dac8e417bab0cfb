#include "compiler/he/lower/slot_vector.h"

#include <algorithm>
#include <cmath>
#include <utility>

namespace tacet::he_lower {

/// More than two roundings of a float to the nearest may take away.
static constexpr float kUp = 1 + 0x1p-22F;

SlotVector::SlotVector(std::vector<float> each) : all_(each.front()) {
  if (std::any_of(each.begin(), each.end(), [&](float number) { return number != all_; })) {
    each_ = std::make_shared<const std::vector<float>>(std::move(each));
  }
}

auto SlotVector::most() const -> double {
  return is_uniform() ? all_ : *std::max_element(each_->begin(), each_->end());
}

template <class Function>
auto SlotVector::combined(const SlotVector& other, const Function& function) const -> SlotVector {
  if (is_uniform() && other.is_uniform()) {
    return SlotVector(function(all_, other.all_));
  }
  const size_t n = is_uniform() ? other.each_->size() : each_->size();
  auto each = std::make_shared<std::vector<float>>(n);
  float* made = each->data();
  const float a = all_;
  const float b = other.all_;
  if (is_uniform()) {
    const float* from = other.each_->data();
    for (size_t i = 0; i < n; ++i) {
      made[i] = function(a, from[i]);
    }
  } else if (other.is_uniform()) {
    const float* from = each_->data();
    for (size_t i = 0; i < n; ++i) {
      made[i] = function(from[i], b);
    }
  } else {
    const float* left = each_->data();
    const float* right = other.each_->data();
    for (size_t i = 0; i < n; ++i) {
      made[i] = function(left[i], right[i]);
    }
  }
  SlotVector result;
  result.each_ = std::move(each);
  return result;
}

auto SlotVector::plus(const SlotVector& other) const -> SlotVector {
  return is_zero()         ? other
         : other.is_zero() ? *this
                           : combined(other, [](float a, float b) { return (a + b) * kUp; });
}

auto SlotVector::times(const SlotVector& other) const -> SlotVector {
  return is_zero() || other.is_zero()
             ? SlotVector()
             : combined(other, [](float a, float b) { return a * b * kUp; });
}

auto SlotVector::rotated(uint32_t steps) const -> SlotVector {
  if (is_uniform() || steps == 0) {
    return *this;
  }
  auto each = std::make_shared<std::vector<float>>(each_->size());
  std::rotate_copy(each_->begin(), each_->begin() + steps, each_->end(), each->begin());
  SlotVector result;
  result.each_ = std::move(each);
  return result;
}

auto SlotVector::at_most(double limit) const -> SlotVector {
  const float most = std::nextafter(static_cast<float>(limit), HUGE_VALF);
  return combined(SlotVector(most), [](float a, float b) { return a < b ? a : b; });
}

}  // namespace tacet::he_lower
