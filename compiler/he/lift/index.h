#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <vector>

#include "compiler/device/array/program.h"

/// Private to this folder.
namespace tacet::lift {

using array::DimId;
using array::Interval;
using Dims = Store<DimId, array::Dim>;

struct Step {
  DimId dim;
  int64_t stride = 1;

  friend auto operator==(const Step&, const Step&) -> bool = default;
};

/// offset + sum of stride * dim, by dimension, strides other than 0; with a modulus, the remainder
/// of that in [0, modulus).
struct Index {
  int64_t offset = 0;
  std::vector<Step> steps{};
  int64_t modulus = 0;

  friend auto operator==(const Index&, const Index&) -> bool = default;
};

/// What dimensions are replaced by.
using Substitution = std::map<DimId, Index>;

auto constant_index(int64_t offset) -> Index;
auto index_along(DimId dim) -> Index;

inline auto is_constant(const Index& index) -> bool {
  return index.steps.empty() && index.modulus == 0;
}
/// The dimension whose values the index goes through as they are, if it does.
auto plain_dim(const Index& index) -> std::optional<DimId>;
auto stride_of(const Index& index, DimId dim) -> int64_t;

/// From the least to the greatest value.
auto range_of(const Index& index, const Dims& dims) -> Interval;

/// Nothing where that is no `Index`, or a number is too large. One without modulus takes part in
/// sums and differences of another that has one only if it is 0.
auto sum(const Index& left, const Index& right) -> std::optional<Index>;
auto scaled(const Index& index, int64_t factor) -> std::optional<Index>;
auto difference(const Index& left, const Index& right) -> std::optional<Index>;
/// The remainder in [0, modulus); the index itself if it is in there always.
auto modulo(const Index& index, int64_t modulus, const Dims& dims) -> std::optional<Index>;
auto substituted(const Index& index, const Substitution& by, const Dims& dims)
    -> std::optional<Index>;

/// Whether two indices always, or never, have the same value, as far as that can be seen.
enum class Meeting : uint8_t { Always, Never, Perhaps };
auto meeting_of(const Index& left, const Index& right, const Dims& dims) -> Meeting;

/// Where the dimensions stand at `at`.
auto value_at(const Index& index, const std::function<int64_t(DimId)>& at) -> int64_t;

}  // namespace tacet::lift
