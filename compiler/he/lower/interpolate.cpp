#include "compiler/he/lower/interpolate.h"

#include <algorithm>
#include <bit>

#include "base/check.h"

namespace tacet::he_lower {
namespace {

__extension__ using Wide = unsigned __int128;

/// Numbers modulo a prime below 2^63.
class LargeField {
 public:
  using Number = uint64_t;
  explicit LargeField(uint64_t t) : t_(t) {}

  [[nodiscard]] auto modulus() const -> Number { return t_; }

  /// Times one number.
  class Factor {
   public:
    Factor(const LargeField& field, Number by) : t_(field.t_), by_(by) {}
    [[nodiscard]] auto operator()(Number x) const -> Number {
      return static_cast<Number>(Wide{x} * by_ % t_);
    }

   private:
    uint64_t t_;
    Number by_;
  };

 private:
  uint64_t t_;
};

/// Numbers modulo a prime below 2^31. Products with one number need no division, and are of words
/// of which compilers make vectors (Shoup, as in D. Harvey, "Faster arithmetic for
/// number-theoretic transforms", 2014).
class SmallField {
 public:
  using Number = uint32_t;
  explicit SmallField(uint64_t t) : t_(static_cast<Number>(t)) {}

  [[nodiscard]] auto modulus() const -> Number { return t_; }

  /// Times one number.
  class Factor {
   public:
    Factor(const SmallField& field, Number by)
        : t_(field.t_), by_(by), quotient_(static_cast<Number>((uint64_t{by} << 32U) / t_)) {}
    [[nodiscard]] auto operator()(Number x) const -> Number {
      // The quotient is at most one too small.
      const auto whole = static_cast<Number>(uint64_t{x} * quotient_ >> 32U);
      const Number rest = x * by_ - whole * t_;
      return std::min(rest, rest - t_);
    }

   private:
    Number t_;
    Number by_;
    Number quotient_;
  };

 private:
  Number t_;
};

template <class Field>
auto number_in(const Field& field, int64_t number) -> typename Field::Number {
  const auto t = static_cast<int64_t>(field.modulus());
  const int64_t rest = number % t;
  return static_cast<typename Field::Number>(rest < 0 ? rest + t : rest);
}

template <class Field>
auto product(const Field& field, typename Field::Number a, typename Field::Number b) ->
    typename Field::Number {
  return typename Field::Factor(field, a)(b);
}

template <class Field>
auto inverse(const Field& field, typename Field::Number a) -> typename Field::Number {
  typename Field::Number result = 1;
  for (auto exponent = field.modulus() - 2; exponent != 0;
       exponent /= 2, a = product(field, a, a)) {
    result = exponent % 2 != 0 ? product(field, result, a) : result;
  }
  return result;
}

/// a - b modulo t: the smaller of two words, of which one has wrapped.
template <class Number>
auto difference(Number a, Number b, Number t) -> Number {
  const Number less = a - b;
  return std::min(less, static_cast<Number>(less + t));
}

/// Likewise, of two numbers whose sum fits the word.
template <class Number>
auto sum(Number a, Number b, Number t) -> Number {
  const Number whole = a + b;
  return std::min(whole, static_cast<Number>(whole - t));
}

/// The polynomial, constant first, with all its coefficients.
template <class Field>
auto interpolated(const std::vector<int64_t>& values, int64_t first, int64_t step,
                  const Field& field) -> std::vector<int64_t> {
  using Number = typename Field::Number;
  const Number t = field.modulus();
  const size_t n = values.size();
  std::vector<Number> newton(n);
  for (size_t i = 0; i < n; ++i) {
    newton[i] = number_in(field, values[i]);
  }
  // Divided differences: as the nodes are a step apart, those of order k are differences divided by
  // k! and the k-th power of the step.
  std::vector<Number> row = newton;
  for (size_t order = 1; order < n; ++order) {
    for (size_t i = 0; i + order < n; ++i) {
      row[i] = difference(row[i + 1], row[i], t);
    }
    newton[order] = row[0];
  }
  Number divisor = 1;
  for (size_t order = 1; order < n; ++order) {
    const Number distance =
        product(field, number_in(field, step), number_in(field, static_cast<int64_t>(order)));
    divisor = product(field, divisor, distance);
    newton[order] = product(field, newton[order], inverse(field, divisor));
  }
  // Horner: P = newton[i] + (x - node_i) * P, from one row to another.
  std::vector<Number> result(n + 1);
  std::vector<Number> next(n + 1);
  for (size_t i = n; i-- > 0;) {
    const Number offset =
        product(field, number_in(field, step), number_in(field, static_cast<int64_t>(i)));
    const Number minus_node =
        difference(difference(Number{0}, number_in(field, first), t), offset, t);
    const typename Field::Factor times(field, minus_node);
    const size_t degree = n - 1 - i;  // what is not yet set is 0
    for (size_t k = 1; k <= degree; ++k) {
      next[k] = sum(result[k - 1], times(result[k]), t);
    }
    next[0] = sum(newton[i], times(result[0]), t);
    std::swap(result, next);
  }
  while (!result.empty() && result.back() == 0) {
    result.pop_back();
  }
  std::vector<int64_t> coefficients;
  coefficients.reserve(result.size());
  for (const Number coefficient : result) {
    coefficients.push_back(coefficient > t / 2 ? -static_cast<int64_t>(t - coefficient)
                                               : static_cast<int64_t>(coefficient));
  }
  return coefficients;
}

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
  return t <= INT32_MAX ? interpolated(values, first, step, SmallField(t))
                        : interpolated(values, first, step, LargeField(t));
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
