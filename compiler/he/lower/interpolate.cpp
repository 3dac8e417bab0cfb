#include "compiler/he/lower/interpolate.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tacet::he_lower {
namespace {

__extension__ using Wide = unsigned __int128;

/// Arithmetic modulo a prime. Products modulo one of up to 32 bits need no division (Barrett,
/// "Implementing the Rivest Shamir and Adleman public key encryption algorithm on a standard
/// digital signal processor", CRYPTO 1986).
class Field {
 public:
  explicit Field(uint64_t t) : t_(t), reciprocal_(t <= UINT32_MAX ? UINT64_MAX / t : 0) {}

  [[nodiscard]] auto of(int64_t number) const -> uint64_t {
    const auto t = static_cast<int64_t>(t_);
    const int64_t rest = number % t;
    return static_cast<uint64_t>(rest < 0 ? rest + t : rest);
  }
  [[nodiscard]] auto near_zero(uint64_t x) const -> int64_t {
    return x > t_ / 2 ? -static_cast<int64_t>(t_ - x) : static_cast<int64_t>(x);
  }
  [[nodiscard]] auto sum(uint64_t a, uint64_t b) const -> uint64_t {
    return a >= t_ - b ? a - (t_ - b) : a + b;
  }
  [[nodiscard]] auto difference(uint64_t a, uint64_t b) const -> uint64_t {
    return a >= b ? a - b : a + (t_ - b);
  }
  [[nodiscard]] auto product(uint64_t a, uint64_t b) const -> uint64_t {
    if (reciprocal_ == 0) {
      return static_cast<uint64_t>(Wide{a} * b % t_);
    }
    // The quotient is at most two too small.
    const uint64_t whole = a * b;
    uint64_t rest = whole - static_cast<uint64_t>(Wide{whole} * reciprocal_ >> 64U) * t_;
    rest = rest >= t_ ? rest - t_ : rest;
    return rest >= t_ ? rest - t_ : rest;
  }
  [[nodiscard]] auto inverse(uint64_t a) const -> uint64_t {
    uint64_t result = 1;
    for (uint64_t exponent = t_ - 2; exponent != 0; exponent /= 2, a = product(a, a)) {
      result = exponent % 2 != 0 ? product(result, a) : result;
    }
    return result;
  }

 private:
  uint64_t t_;
  uint64_t reciprocal_;  ///< about 2^64 / t, or 0 if t is too large
};

auto log2_ceil(size_t n) -> size_t {
  return static_cast<size_t>(std::bit_width(n - 1));
}

/// What a part of a polynomial costs beyond the powers.
struct PartCost {
  size_t n_products = 0;
  size_t depth = 0;
  bool is_number = true;
};

auto cost_of(const std::vector<int64_t>& coefficients, size_t begin, size_t end, size_t step)
    -> PartCost {
  while (end > begin && coefficients[end - 1] == 0) {
    --end;
  }
  PartCost cost;
  if (end - begin <= step) {
    for (size_t i = begin + 1; i < end; ++i) {
      if (coefficients[i] != 0) {
        cost.depth = std::max(cost.depth, log2_ceil(i - begin));
        cost.is_number = false;
      }
    }
    return cost;
  }
  const PolynomialSplit split = split_of(end - begin, step);
  const PartCost quotient = cost_of(coefficients, begin + split.at, end, step);
  const PartCost rest = cost_of(coefficients, begin, begin + split.at, step);
  const size_t power_depth = log2_ceil(step) + split.giant;
  const size_t own = quotient.is_number ? 0 : 1;
  cost.n_products = quotient.n_products + rest.n_products + own;
  cost.depth = std::max(std::max(quotient.depth, power_depth) + own, rest.depth);
  cost.is_number = false;
  return cost;
}

}  // namespace

auto interpolate(const std::vector<int64_t>& values, int64_t first, int64_t step, uint64_t t)
    -> std::vector<int64_t> {
  TACET_CHECK(values.size() <= t, "one polynomial for these values");
  const Field field(t);
  std::vector<uint64_t> newton;
  newton.reserve(values.size());
  for (const int64_t value : values) {
    newton.push_back(field.of(value));
  }
  // Divided differences: as the nodes are a step apart, those of order k are differences divided by
  // k! and the k-th power of the step.
  uint64_t divisor = 1;
  for (size_t order = 1; order < newton.size(); ++order) {
    for (size_t i = newton.size(); i-- > order;) {
      newton[i] = field.difference(newton[i], newton[i - 1]);
    }
  }
  for (size_t order = 1; order < newton.size(); ++order) {
    const uint64_t distance = field.product(field.of(step), field.of(static_cast<int64_t>(order)));
    divisor = field.product(divisor, distance);
    newton[order] = field.product(newton[order], field.inverse(divisor));
  }
  // Horner: P = newton[i] + (x - node_i) * P.
  std::vector<uint64_t> result;
  for (size_t i = newton.size(); i-- > 0;) {
    const uint64_t node = field.sum(
        field.of(first), field.product(field.of(step), field.of(static_cast<int64_t>(i))));
    result.push_back(0);
    for (size_t k = result.size(); k-- > 0;) {
      const uint64_t below = k == 0 ? newton[i] : result[k - 1];
      result[k] = field.difference(below, field.product(node, result[k]));
    }
  }
  while (!result.empty() && result.back() == 0) {
    result.pop_back();
  }
  std::vector<int64_t> coefficients;
  coefficients.reserve(result.size());
  for (const uint64_t coefficient : result) {
    coefficients.push_back(field.near_zero(coefficient));
  }
  return coefficients;
}

auto split_of(size_t n_coefficients, size_t step) -> PolynomialSplit {
  PolynomialSplit split{.at = step, .giant = 0};
  while (2 * split.at < n_coefficients) {
    split.at *= 2;
    ++split.giant;
  }
  return split;
}

auto plan_polynomial(const std::vector<int64_t>& coefficients) -> PolynomialPlan {
  PolynomialPlan best;
  for (size_t step = 1; step == 1 || (step - 1) * (step - 1) <= 4 * coefficients.size(); ++step) {
    const PartCost cost = cost_of(coefficients, 0, coefficients.size(), step);
    const bool is_split = coefficients.size() > step;
    const size_t n_giants = is_split ? split_of(coefficients.size(), step).giant : 0;
    const size_t n_powers = is_split ? step - 1 : std::max<size_t>(coefficients.size(), 2) - 2;
    const PolynomialPlan plan{
        .step = step, .n_products = cost.n_products + n_giants + n_powers, .depth = cost.depth};
    if (step == 1 || price(plan) < price(best)) {
      best = plan;
    }
  }
  return best;
}

}  // namespace tacet::he_lower
