#pragma once

#include <optional>

#include "compiler/device/array/program.h"

/// Arithmetic of `ArrayIndex`: sums of dimensions, each times a number, that composing an index
/// with another gives. Terms are by dimension and no stride is 0. Nothing where a number does not
/// fit 64 bits.
namespace tacet::array {

using Dims = Store<DimId, Dim>;

auto constant_index(int64_t offset) -> ArrayIndex;
/// The values of `dim`, from 0 on.
auto index_along(DimId dim) -> ArrayIndex;

/// Also nothing if a dimension that one of them traverses cyclically occurs differently in the
/// other: that is no `ArrayIndex`.
auto add(const ArrayIndex& left, const ArrayIndex& right) -> std::optional<ArrayIndex>;
auto scale(const ArrayIndex& index, int64_t factor) -> std::optional<ArrayIndex>;

/// From the least to the greatest value that the index takes.
auto range_of(const ArrayIndex& index, const Dims& dims) -> std::optional<Interval>;

/// Whether it always is in [0, extent).
auto is_within(const ArrayIndex& index, int64_t extent, const Dims& dims) -> bool;

/// (index + shift) mod extent, where `index` is within [0, extent). Nothing where that is no
/// `ArrayIndex`: it is one if the sum stays in one period, or if the index goes through the whole
/// extent one by one.
auto rotate(const ArrayIndex& index, int64_t shift, int64_t extent, const Dims& dims)
    -> std::optional<ArrayIndex>;

/// The remainder in [0, modulus), which is positive.
constexpr auto remainder(int64_t value, int64_t modulus) -> int64_t {
  int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

}  // namespace tacet::array
