#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "compiler/he/schedule/frame.h"

/// Vectors that are known before a circuit is evaluated: as the statement's structure has them.
namespace tacet::schedule {

/// A family and which of its elements: one for all values of the exploded tiles that it needs.
struct Gathered {
  circuit::Family family;
  std::vector<circuit::LoopFormula> indices;
};

/// What a site of an input reads. Where one of its dimensions is padded there is `fill`; without
/// one, what the array has there. O(terms * wraps of cyclic terms).
auto gather_site(const Frame& frame, const array::Site& site, std::optional<int64_t> fill)
    -> Gathered;

/// Where a site's index may be outside of the array, though no dimension is padded, and must read
/// 0: by dimension of the array.
auto can_be_outside(const Frame& frame, const array::Site& site) -> std::vector<bool>;

/// 1 where none of `dims` is padded, and 0 there.
auto padding_mask(const Frame& frame, DimSet dims) -> Gathered;

/// 1 where no dimension of the site is padded and those of the array in `inside` are in it, else
/// 0. No index in `inside` has a cyclic term or a rolled dimension.
auto inside_mask(const Frame& frame, const array::Site& site, const std::vector<int64_t>& extents,
                 const std::vector<bool>& inside) -> Gathered;

/// A loop that is no exploded tile's.
struct ExtraLoop {
  circuit::LoopId loop;
  int64_t extent = 1;
};

/// 1 where no dimension of the site is padded and it reads the element whose indices are, by
/// dimension of the array, the sums of strides times loops of the parts (`Part::index` is the
/// loop's place among `loops`), and which is inside the array; else 0.
auto element_mask(const Frame& frame, const array::Site& site,
                  const std::vector<std::vector<Part>>& parts, const std::vector<ExtraLoop>& loops)
    -> Gathered;

/// `number` where none of `dims` is padded and the digit of each of `axes` is 0; else 0. The site
/// of one number is read in place of it if there is one.
auto masked_number(const Frame& frame, DimSet dims, const std::vector<uint32_t>& axes,
                   double number, const array::Site* site) -> Gathered;

/// 1 at this digit of an axis, else 0.
auto digit_mask(const Frame& frame, uint32_t axis, int64_t digit) -> Gathered;

/// The array's elements at `offset` plus `weights[axis]` times the digit, for all digits of all
/// axes, and plus `loop_weights` times the loops of those tiles.
struct Stretch {
  array::ArrayId array;
  std::vector<int64_t> offset;                ///< by dimension of the array
  std::vector<std::vector<int64_t>> weights;  ///< by axis, then dimension of the array
  std::vector<uint32_t> loops;                ///< exploded tiles, increasing
  std::vector<std::vector<int64_t>> loop_weights;
};

auto gather_stretch(const Frame& frame, const Stretch& stretch) -> Gathered;

}  // namespace tacet::schedule
