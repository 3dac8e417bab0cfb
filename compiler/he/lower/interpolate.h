#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

/// Polynomials modulo a prime.
namespace tacet::he_lower {

/// The polynomial P of least degree, constant first, modulo the prime t, with
/// P(first + i * step) = values[i]. Coefficients are those of their classes that are nearest to 0;
/// the last is none of 0, and the polynomial 0 has none at all. There are at most t values, and
/// step is none of 0 modulo t. Newton's forward differences: quadratic.
auto interpolate(const std::vector<int64_t>& values, int64_t first, int64_t step, uint64_t t)
    -> std::vector<int64_t>;

/// How a polynomial is evaluated with few products of what is encrypted: powers up to x^step, then
/// x^(2 step), x^(4 step) …, and the polynomial divided by the largest of them, and so on with
/// quotient and remainder (M. Paterson, L. Stockmeyer, On the Number of Nonscalar Multiplications
/// Necessary to Evaluate Polynomials, 1973; the division by powers of two of the step instead of
/// the step keeps the depth logarithmic).
struct PolynomialPlan {
  size_t step = 1;
  size_t n_products = 0;  ///< of values that are not known
  size_t depth = 0;       ///< of such products
};

/// The plan that is cheapest, where a level of depth costs as much as two products.
auto plan_polynomial(const std::vector<int64_t>& coefficients) -> PolynomialPlan;

/// What a plan costs.
constexpr auto price(const PolynomialPlan& plan) -> size_t {
  return plan.n_products + 2 * plan.depth;
}

/// Where the polynomial is divided: the largest step * 2^j that has a quotient, and j. Its degree
/// is at least `step`.
struct PolynomialSplit {
  size_t at = 0;
  size_t giant = 0;
};
auto split_of(size_t n_coefficients, size_t step) -> PolynomialSplit;

}  // namespace tacet::he_lower
