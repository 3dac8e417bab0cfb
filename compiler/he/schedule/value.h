#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/he/schedule/frame.h"

namespace tacet::schedule {

/// What a vector holds along an axis.
enum class Along : uint8_t {
  Same,    ///< the same at all digits
  Varies,  ///< by digit, the element for that
  First,   ///< what it should at digit 0, anything elsewhere
};

/// The digits 0 … `n_digits` - 1 of an axis, a power of two, have yet to be added.
struct Pending {
  uint32_t axis = 0;
  int64_t n_digits = 1;

  friend auto operator==(const Pending&, const Pending&) -> bool = default;
};

/// An expression's value: a vector for each value of the loops of the exploded tiles.
struct Value {
  circuit::NodeId node;
  DimSet free = 0;
  /// By axis, when nothing is pending any more.
  std::vector<Along> along;
  /// By dimension in `free`: the number that stands where it is padded, if that is known. Others'
  /// are meaningless.
  std::vector<std::optional<int64_t>> padding;
  std::vector<Pending> pending;  ///< by axis
};

/// Where a value with these dimensions, and no reduction behind it, varies.
auto along_of(const Frame& frame, DimSet dims) -> std::vector<Along>;

/// The value of `node`, which varies with `dims` and is padded by 0.
auto zero_padded(const Frame& frame, DimSet dims, circuit::NodeId node) -> Value;

/// What a statement left for those that read it.
struct Left {
  uint32_t statement = 0;  ///< of the circuit
  std::vector<SlotAxis> axes;
  std::vector<Along> along;
  std::vector<std::vector<Part>>
      parts;  ///< by dimension of the result; a loop's index is its place
  std::vector<std::optional<int64_t>> padding;  ///< likewise
  std::vector<bool> is_padded;                  ///< likewise
  std::vector<Pending> pending;                 ///< of an output: what the client will add
};

}  // namespace tacet::schedule
