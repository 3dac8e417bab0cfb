#include "engine/mpc/machine/slot.h"

#include "engine/mpc/machine/pieces.h"

namespace tacet::mpc {

auto Slot::value(const engine::MpcType& type) const -> Value {
  if (is_number_) {
    return public_value(type, {number_});
  }
  if (index_ != kWhole) {
    return part_of(held_->value, index_, type);
  }
  return held_->value;
}

auto Slot::truth_as_number(Ring ring) -> std::unique_ptr<Later<Share>>& {
  if (index_ == kWhole) {
    return held_->value.secret->number(ring);
  }
  if (numbers_ == nullptr) {
    numbers_ = std::make_unique<std::array<std::unique_ptr<Later<Share>>, 3>>();
  }
  return (*numbers_)[static_cast<size_t>(ring)];
}

}  // namespace tacet::mpc
