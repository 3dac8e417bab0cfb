#pragma once

#include <optional>
#include <vector>

#include "compiler/he/schedule/gather.h"

namespace tacet::schedule {

/// A site that reads rotations of vectors which other values of the loops, or other sites, read
/// too.
struct SharedRead {
  Gathered vectors;
  circuit::LoopFormula steps;    ///< to rotate by, to the left
  std::optional<Gathered> mask;  ///< to multiply by then
};

/// Finds the vectors of the client from which those of several sites, or of several values of the
/// loops, come by rotation, and so need be encrypted once: by expression. What is no site of the
/// client's, or shares nothing, has none.
///
/// Every vector of a representative has, along each axis, elements in the array's order to the
/// axis's end, so rotations by whole digits bring what follows; where that is not enough, it must
/// be outside of the array and is masked (Recto and Myers, section 4.3, derive one vector from
/// another likewise, and join them; ours take all values of a loop at once, so steps are affine).
///
/// O(sites^2 * 2^loops * axes).
auto share_inputs(const Frame& frame) -> std::vector<std::optional<SharedRead>>;

}  // namespace tacet::schedule
