#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/device/array/program.h"
#include "compiler/he/lower/interpolate.h"

/// Which polynomial a function of one number is.
namespace tacet::he_lower {

/// P(x), or P(u*u) + slope * u, or u * P(u*u) + constant, with u = factor * x + shift; modulo a
/// prime.
struct TablePolynomial {
  enum class Form : uint8_t { Plain, Even, Odd } form = Form::Plain;
  int64_t factor = 1;
  int64_t shift = 0;
  int64_t slope = 0;     ///< of `Even`
  int64_t constant = 0;  ///< of `Odd`
  std::vector<int64_t> coefficients;
  PolynomialPlan plan;  ///< of all of it

  /// What a polynomial in a square needs beside the one in it.
  [[nodiscard]] auto price() const -> size_t { return he_lower::price(plan); }
};

/// Intervals with more numbers are not interpolated.
inline constexpr int64_t kMostValues = 4096;

/// The cheapest polynomial modulo t that is `function` on the interval. Nothing if that has too
/// many numbers. `function` is also called outside of the interval, where the polynomial may be
/// whatever is cheapest. Quadratic in the width.
auto polynomial_of(const std::function<int64_t(int64_t)>& function, array::Interval domain,
                   uint64_t t) -> std::optional<TablePolynomial>;

}  // namespace tacet::he_lower
