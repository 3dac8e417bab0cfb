#include "compiler/he/lift/index.h"

#include <algorithm>
#include <numeric>

namespace tacet::lift {

static auto remainder(int64_t value, int64_t modulus) -> int64_t {
  const int64_t rest = value % modulus;
  return rest < 0 ? rest + modulus : rest;
}

auto constant_index(int64_t offset) -> Index {
  return {.offset = offset};
}

auto index_along(DimId dim) -> Index {
  return {.offset = 0, .steps = {{.dim = dim, .stride = 1}}};
}

auto plain_dim(const Index& index) -> std::optional<DimId> {
  const bool is_plain = index.offset == 0 && index.modulus == 0 && index.steps.size() == 1 &&
                        index.steps.front().stride == 1;
  return is_plain ? std::optional(index.steps.front().dim) : std::nullopt;
}

auto stride_of(const Index& index, DimId dim) -> int64_t {
  for (const Step& step : index.steps) {
    if (step.dim == dim) {
      return step.stride;
    }
  }
  return 0;
}

static auto affine_range(const Index& index, const Dims& dims) -> Interval {
  Interval range{index.offset, index.offset};
  for (const Step& step : index.steps) {
    (step.stride < 0 ? range.low : range.high) += step.stride * (dims[step.dim].extent - 1);
  }
  return range;
}

auto range_of(const Index& index, const Dims& dims) -> Interval {
  return index.modulus != 0 ? Interval{0, index.modulus - 1} : affine_range(index, dims);
}

auto sum(const Index& left, const Index& right) -> std::optional<Index> {
  if (left.modulus != 0 || right.modulus != 0) {
    const Index& plain = left.modulus != 0 ? right : left;
    const bool is_nothing = is_constant(plain) && plain.offset == 0;
    return is_nothing ? std::optional(left.modulus != 0 ? left : right) : std::nullopt;
  }
  Index result = left;
  if (__builtin_add_overflow(left.offset, right.offset, &result.offset)) {
    return std::nullopt;
  }
  for (const Step& step : right.steps) {
    const auto at = std::lower_bound(result.steps.begin(), result.steps.end(), step.dim,
                                     [](const Step& a, DimId dim) { return a.dim < dim; });
    if (at == result.steps.end() || at->dim != step.dim) {
      result.steps.insert(at, step);
    } else if (__builtin_add_overflow(at->stride, step.stride, &at->stride)) {
      return std::nullopt;
    } else if (at->stride == 0) {
      result.steps.erase(at);
    }
  }
  return result;
}

auto scaled(const Index& index, int64_t factor) -> std::optional<Index> {
  if (factor == 0 || factor == 1) {
    return factor == 0 ? constant_index(0) : index;
  }
  Index result = index;
  bool overflows = __builtin_mul_overflow(index.offset, factor, &result.offset);
  for (Step& step : result.steps) {
    overflows = overflows || __builtin_mul_overflow(step.stride, factor, &step.stride);
  }
  return overflows || index.modulus != 0 ? std::nullopt : std::optional(std::move(result));
}

auto difference(const Index& left, const Index& right) -> std::optional<Index> {
  if (left == right) {
    return constant_index(0);
  }
  const std::optional<Index> negated = scaled(right, -1);
  return negated ? sum(left, *negated) : std::nullopt;
}

auto modulo(const Index& index, int64_t modulus, const Dims& dims) -> std::optional<Index> {
  if (index.modulus != 0) {
    // (x mod km) mod m is x mod m.
    if (index.modulus % modulus != 0) {
      return index.modulus < modulus ? std::optional(index) : std::nullopt;
    }
    Index inner = index;
    inner.modulus = 0;
    return lift::modulo(inner, modulus, dims);
  }
  const Interval range = affine_range(index, dims);
  const int64_t wraps = range.low < 0 ? (range.low - modulus + 1) / modulus : range.low / modulus;
  Index result = index;
  result.offset -= wraps * modulus;
  if (range.high - wraps * modulus < modulus) {
    return result;
  }
  for (Step& step : result.steps) {
    step.stride =
        remainder(step.stride, modulus) == modulus - 1 ? -1 : remainder(step.stride, modulus);
  }
  result.steps.erase(std::remove_if(result.steps.begin(), result.steps.end(),
                                    [](const Step& step) { return step.stride == 0; }),
                     result.steps.end());
  result.offset = remainder(result.offset, modulus);
  if (!result.steps.empty()) {
    result.modulus = modulus;
  }
  return result;
}

auto substituted(const Index& index, const Substitution& by, const Dims& dims)
    -> std::optional<Index> {
  Index result = constant_index(index.offset);
  for (const Step& step : index.steps) {
    const auto found = by.find(step.dim);
    const std::optional<Index> part =
        scaled(found == by.end() ? index_along(step.dim) : found->second, step.stride);
    const std::optional<Index> total = part ? sum(result, *part) : std::nullopt;
    if (!total) {
      return std::nullopt;
    }
    result = *total;
  }
  if (index.modulus != 0) {
    return lift::modulo(result, index.modulus, dims);
  }
  return result;
}

auto meeting_of(const Index& left, const Index& right, const Dims& dims) -> Meeting {
  if (left == right) {
    return Meeting::Always;
  }
  const Interval a = range_of(left, dims);
  const Interval b = range_of(right, dims);
  if (a.high < b.low || b.high < a.low) {
    return Meeting::Never;
  }
  if (left.modulus != 0 && left.modulus == right.modulus) {
    Index x = left;
    Index y = right;
    x.modulus = y.modulus = 0;
    const std::optional<Index> apart = difference(x, y);
    const bool differs = apart && is_constant(*apart) && apart->offset % left.modulus != 0;
    return differs ? Meeting::Never : Meeting::Perhaps;
  }
  const std::optional<Index> apart = difference(left, right);
  if (!apart) {
    return Meeting::Perhaps;
  }
  const Interval range = range_of(*apart, dims);
  int64_t divisor = 0;
  for (const Step& step : apart->steps) {
    divisor = std::gcd(divisor, step.stride);
  }
  const bool never =
      range.low > 0 || range.high < 0 || (divisor != 0 && apart->offset % divisor != 0);
  return never ? Meeting::Never : Meeting::Perhaps;
}

auto value_at(const Index& index, const std::function<int64_t(DimId)>& at) -> int64_t {
  int64_t value = index.offset;
  for (const Step& step : index.steps) {
    value += step.stride * at(step.dim);
  }
  return index.modulus == 0 ? value : remainder(value, index.modulus);
}

}  // namespace tacet::lift
