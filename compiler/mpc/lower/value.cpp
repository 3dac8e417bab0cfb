#include "compiler/mpc/lower/value.h"

#include <algorithm>

namespace tacet::mpc_lower {

auto scaled(const Affine& affine, int64_t factor) -> std::optional<Affine> {
  Affine result;
  if (__builtin_mul_overflow(affine.offset, factor, &result.offset)) {
    return std::nullopt;
  }
  for (const auto& [lane, by] : affine.terms) {
    int64_t product = 0;
    if (__builtin_mul_overflow(by, factor, &product)) {
      return std::nullopt;
    }
    if (product != 0) {
      result.terms.emplace_back(lane, product);
    }
  }
  return result;
}

auto sum(const Affine& left, const Affine& right, int64_t factor_of_right)
    -> std::optional<Affine> {
  std::optional<Affine> other = scaled(right, factor_of_right);
  Affine result;
  if (!other || __builtin_add_overflow(left.offset, other->offset, &result.offset)) {
    return std::nullopt;
  }
  auto a = left.terms.begin();
  auto b = other->terms.begin();
  while (a != left.terms.end() || b != other->terms.end()) {
    if (b == other->terms.end() || (a != left.terms.end() && a->first < b->first)) {
      result.terms.push_back(*a++);
    } else if (a == left.terms.end() || b->first < a->first) {
      result.terms.push_back(*b++);
    } else {
      int64_t factor = 0;
      if (__builtin_add_overflow(a->second, b->second, &factor)) {
        return std::nullopt;
      }
      if (factor != 0) {
        result.terms.emplace_back(a->first, factor);
      }
      ++a;
      ++b;
    }
  }
  return result;
}

auto united(const Lanes& left, const Lanes& right) -> Lanes {
  Lanes all;
  std::set_union(left.begin(), left.end(), right.begin(), right.end(), std::back_inserter(all));
  return all;
}

auto contains(const Lanes& lanes, Lane lane) -> bool {
  return std::binary_search(lanes.begin(), lanes.end(), lane);
}

auto strides_of(const Extents& extents) -> Extents {
  Extents strides(extents.size(), 1);
  for (size_t i = extents.size(); i-- > 1;) {
    strides[i - 1] = strides[i] * extents[i];
  }
  return strides;
}

auto count_of(const Extents& extents) -> int64_t {
  int64_t n = 1;
  for (const int64_t extent : extents) {
    n *= extent;
  }
  return n;
}

}  // namespace tacet::mpc_lower
