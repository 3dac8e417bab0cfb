#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/he/schedule/frame.h"

/// How vectors that a site wants come by rotation from vectors that there are.
namespace tacet::schedule {

/// By dimension of an array: how far a step of some variable moves in it.
using Weights = std::vector<int64_t>;

/// What a site without cyclic terms reads: element `offset` plus the weights times the digits of
/// axes and the loops of exploded tiles. A rolled dimension counts along the axis it is rolled by;
/// its loop is in `rolled_loops` instead.
struct Wanted {
  Weights offset;
  std::vector<Weights> axes;           ///< by axis
  std::vector<Weights> loops;          ///< by exploded tile
  std::vector<int64_t> most;           ///< by axis: the last digit that is not padding
  std::vector<uint32_t> rolled_loops;  ///< exploded tiles
};

/// Nothing if the site has a cyclic term, or a rolled dimension and its roll.
auto wanted_of(const Frame& frame, const array::Site& site) -> std::optional<Wanted>;

/// The axis along which a step of these weights is a whole number of digits, and that number.
struct Move {
  uint32_t axis = 0;
  int64_t digits = 0;
};

/// `axes` are weights by axis of what there is. Only column axes.
auto move_along(const std::vector<Weights>& axes, const Weights& step) -> std::optional<Move>;

/// A rotation that takes vectors with element `from` at digits 0, and weights as the site's, to
/// those that it wants.
struct Shift {
  circuit::LoopFormula steps;
  std::vector<bool> masked;  ///< by dimension of the array: where it is left, 0 must be written
  bool needs_mask = false;
};

/// `moved` are the exploded tiles whose loops are made by rotation, and rolled ones are too; the
/// others run through vectors. `extents` are the array's, whose elements stand at all digits of
/// its axes: where a rotation brings a digit from beyond an axis's end, all that is read must be
/// outside of the array. Nothing if that is not so.
auto shift_between(const Frame& frame, const Wanted& wanted, const Weights& from,
                   const std::vector<uint32_t>& moved, const std::vector<int64_t>& extents)
    -> std::optional<Shift>;

}  // namespace tacet::schedule
