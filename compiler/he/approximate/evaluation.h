#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>
#include <map>
#include <utility>

#include "compiler/he/approximate/series.h"

/// How a series is computed from u by sums and products: in few products, and in no more levels
/// than its degree has doublings.
namespace tacet::approximate {

/// Levels that a polynomial of this degree takes at least, with the products by its coefficients.
constexpr auto least_levels(unsigned degree) -> unsigned {
  return static_cast<unsigned>(std::bit_width(degree));
}

/// Writes the evaluation of series in one variable.
///
/// T_k is made of T_(k/2), or of the two next to k/2. A series up to `baby` is a combination of
/// these, if the levels allow it; a longer one is divided by T_g with the largest power of two g,
/// and the quotient gets a level less (Paterson and Stockmeyer, "On the Number of Nonscalar
/// Multiplications Necessary to Evaluate Polynomials", in the basis of Chebyshev polynomials). The
/// coefficients are multiplied where there is a level left beside the products: only the branch
/// that determines the depth is divided further. Deviation: so the number of products is not the
/// least for every degree, but the depth is.
///
/// `Ops` has a type `Id` and the operations `product(a, b)`, `scaled(factor, a)`, `sum(a, b)`,
/// `difference(a, b)` and `constant(number)`.
template <class Ops>
class Evaluation {
 public:
  using Id = typename Ops::Id;

  Evaluation(Ops& ops, Id u, unsigned baby) : ops_(ops), baby_(baby) { powers_.emplace(1, u); }

  auto value(const Series& series) -> Id { return value(series, least_levels(degree_of(series))); }

 private:
  static auto level_of(unsigned k) -> unsigned {
    return k <= 1 ? 0 : static_cast<unsigned>(std::bit_width(k - 1));
  }

  auto power(unsigned k) -> Id {
    if (const auto found = powers_.find(k); found != powers_.end()) {
      return found->second;
    }
    const Id upper = power((k + 1) / 2);
    const Id half = k % 2 == 0 ? ops_.product(upper, upper) : ops_.product(upper, power(k / 2));
    const Id twice = ops_.sum(half, half);
    const Id result = ops_.difference(twice, k % 2 == 0 ? ops_.constant(1) : power(1));
    return powers_.emplace(k, result).first->second;
  }

  [[nodiscard]] auto is_combination(const Series& series, unsigned levels) const -> bool {
    const unsigned n = degree_of(series);
    return n <= baby_ && level_of(n) + 1 <= levels;
  }

  auto combination(const Series& series) -> Id {
    Id total{};
    bool is_first = true;
    for (unsigned k = degree_of(series); k > 0; --k) {
      if (series[k] != 0) {
        const Id term = ops_.scaled(series[k], power(k));
        total = std::exchange(is_first, false) ? term : ops_.sum(total, term);
      }
    }
    return series[0] == 0 ? total : ops_.sum(total, ops_.constant(series[0]));
  }

  auto value(const Series& series, unsigned levels) -> Id {
    const unsigned n = degree_of(series);
    if (n == 0) {
      return ops_.constant(series.empty() ? 0 : series[0]);
    }
    if (n == 1 || is_combination(series, levels)) {
      return combination(series);
    }
    const unsigned g = std::bit_floor(n);
    const Division division = divided(series, g);
    const Id giant = power(g);
    const Id upper = degree_of(division.quotient) == 0
                         ? ops_.scaled(division.quotient[0], giant)
                         : ops_.product(value(division.quotient, levels - 1), giant);
    const bool has_rest = std::any_of(division.rest.begin(), division.rest.end(),
                                      [](double coefficient) { return coefficient != 0; });
    return has_rest ? ops_.sum(upper, value(division.rest, levels)) : upper;
  }

  Ops& ops_;
  unsigned baby_;
  std::map<unsigned, Id> powers_;
};

/// The bound `baby` with the fewest products, and their number.
struct EvaluationPlan {
  unsigned baby = 1;
  unsigned n_products = 0;
};
auto plan_of(const Series& series) -> EvaluationPlan;

}  // namespace tacet::approximate
