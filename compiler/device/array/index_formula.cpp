#include "compiler/device/array/index_formula.h"

#include <algorithm>

namespace tacet::array {

using MaybeIndex = std::optional<ArrayIndex>;

auto constant_index(int64_t offset) -> ArrayIndex {
  return {.offset = offset, .terms = {}};
}

auto index_along(DimId dim) -> ArrayIndex {
  ArrayIndex index;
  index.terms.push_back({.dim = dim, .stride = 1, .is_cyclic = false, .shift = 0});
  return index;
}

/// Adds one term to a formula whose terms are by dimension.
static auto add_term(ArrayIndex& sum, const IndexTerm& term) -> bool {
  auto at = std::lower_bound(sum.terms.begin(), sum.terms.end(), term.dim,
                             [](const IndexTerm& a, DimId dim) { return a.dim < dim; });
  if (at == sum.terms.end() || at->dim != term.dim) {
    sum.terms.insert(at, term);
    return true;
  }
  if (at->is_cyclic != term.is_cyclic || at->shift != term.shift ||
      __builtin_add_overflow(at->stride, term.stride, &at->stride)) {
    return false;
  }
  if (at->stride == 0) {
    sum.terms.erase(at);
  }
  return true;
}

auto add(const ArrayIndex& left, const ArrayIndex& right) -> MaybeIndex {
  ArrayIndex sum = left;
  if (__builtin_add_overflow(left.offset, right.offset, &sum.offset)) {
    return std::nullopt;
  }
  for (const IndexTerm& term : right.terms) {
    if (!add_term(sum, term)) {
      return std::nullopt;
    }
  }
  return sum;
}

auto scale(const ArrayIndex& index, int64_t factor) -> MaybeIndex {
  if (factor == 0) {
    return constant_index(0);
  }
  ArrayIndex product = index;
  if (__builtin_mul_overflow(index.offset, factor, &product.offset)) {
    return std::nullopt;
  }
  for (IndexTerm& term : product.terms) {
    if (__builtin_mul_overflow(term.stride, factor, &term.stride)) {
      return std::nullopt;
    }
  }
  return product;
}

auto range_of(const ArrayIndex& index, const Dims& dims) -> std::optional<Interval> {
  Interval range{index.offset, index.offset};
  for (const IndexTerm& term : index.terms) {
    int64_t reach = 0;
    int64_t& end = term.stride < 0 ? range.low : range.high;
    if (__builtin_mul_overflow(term.stride, dims[term.dim].extent - 1, &reach) ||
        __builtin_add_overflow(end, reach, &end)) {
      return std::nullopt;
    }
  }
  return range;
}

auto is_within(const ArrayIndex& index, int64_t extent, const Dims& dims) -> bool {
  std::optional<Interval> range = range_of(index, dims);
  return range && range->low >= 0 && range->high < extent;
}

auto rotate(const ArrayIndex& index, int64_t shift, int64_t extent, const Dims& dims)
    -> MaybeIndex {
  shift = remainder(shift, extent);
  std::optional<Interval> range = range_of(index, dims);
  if (!range || shift == 0) {
    return shift == 0 ? MaybeIndex(index) : std::nullopt;
  }
  // Both ends are below `extent`, so the differences do not overflow.
  if (range->high < extent - shift) {
    return add(index, constant_index(shift));
  }
  if (range->low >= extent - shift) {
    return add(index, constant_index(shift - extent));
  }
  if (index.terms.size() != 1 || dims[index.terms.front().dim].extent != extent) {
    return std::nullopt;
  }
  // What is within the extent and has its length is d or extent - 1 - d, and for the latter
  // (extent - 1 - d + shift) mod extent is extent - 1 - ((d - shift) mod extent).
  ArrayIndex rotated = index;
  IndexTerm& term = rotated.terms.front();
  int64_t by = term.stride > 0 ? shift : extent - shift;
  term.shift = remainder(term.shift - extent + by, extent);
  term.is_cyclic = term.shift != 0;
  return rotated;
}

}  // namespace tacet::array
