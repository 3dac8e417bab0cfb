#include "compiler/mpc/lower/value.h"

#include <algorithm>

namespace tacet::mpc_lower {

namespace {

/// Factors by what they belong to, ascending.
template <class Key>
using Terms = std::vector<std::pair<Key, int64_t>>;

template <class Key>
auto scaled_terms(const Terms<Key>& terms, int64_t factor) -> std::optional<Terms<Key>> {
  Terms<Key> result;
  for (const auto& [key, by] : terms) {
    int64_t product = 0;
    if (__builtin_mul_overflow(by, factor, &product)) {
      return std::nullopt;
    }
    if (product != 0) {
      result.emplace_back(key, product);
    }
  }
  return result;
}

template <class Key>
auto sum_of_terms(const Terms<Key>& left, const Terms<Key>& right) -> std::optional<Terms<Key>> {
  Terms<Key> result;
  auto a = left.begin();
  auto b = right.begin();
  while (a != left.end() || b != right.end()) {
    if (b == right.end() || (a != left.end() && a->first < b->first)) {
      result.push_back(*a++);
    } else if (a == left.end() || b->first < a->first) {
      result.push_back(*b++);
    } else {
      int64_t factor = 0;
      if (__builtin_add_overflow(a->second, b->second, &factor)) {
        return std::nullopt;
      }
      if (factor != 0) {
        result.emplace_back(a->first, factor);
      }
      ++a;
      ++b;
    }
  }
  return result;
}

}  // namespace

auto scaled(const Affine& affine, int64_t factor) -> std::optional<Affine> {
  Affine result;
  auto terms = scaled_terms(affine.terms, factor);
  auto counters = scaled_terms(affine.counters, factor);
  if (__builtin_mul_overflow(affine.offset, factor, &result.offset) || !terms || !counters) {
    return std::nullopt;
  }
  result.terms = *std::move(terms);
  result.counters = *std::move(counters);
  return result;
}

auto sum(const Affine& left, const Affine& right, int64_t factor_of_right)
    -> std::optional<Affine> {
  const std::optional<Affine> other = scaled(right, factor_of_right);
  Affine result;
  if (!other || __builtin_add_overflow(left.offset, other->offset, &result.offset)) {
    return std::nullopt;
  }
  auto terms = sum_of_terms(left.terms, other->terms);
  auto counters = sum_of_terms(left.counters, other->counters);
  if (!terms || !counters) {
    return std::nullopt;
  }
  result.terms = *std::move(terms);
  result.counters = *std::move(counters);
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
