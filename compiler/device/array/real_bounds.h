#pragma once

#include <algorithm>
#include <optional>
#include <string>
#include <vector>

#include "compiler/device/array/evaluate.h"

/// How large reals become, and how far fixed-point numbers stray from them.
namespace tacet::array {

/// Of a value that fixed-point arithmetic computes.
struct RealBound {
  double low = 0;  ///< of what exact arithmetic gives for the same inputs
  double high = 0;
  double rounding = 0;      ///< how far the device that rounds may be from that
  bool is_integer = false;  ///< products with it are exact
  /// How far exact arithmetic may be from that if functions are approximated.
  double approximation = 0;

  [[nodiscard]] auto largest() const -> double { return std::max(-low, high); }
};

/// By statement and expression, and by array.
struct RealBounds {
  std::vector<std::vector<RealBound>> exprs;
  std::vector<RealBound> arrays;
  /// The first expression whose numbers may need more bits than a fixed-point number has.
  std::optional<ExprPlace> too_large_at;
  /// The first function whose operand may leave its domain, and what is wrong with it.
  std::optional<ExprPlace> outside_at;
  std::string outside;

  [[nodiscard]] auto output() const -> const RealBound& { return arrays.back(); }
};

/// Over how many elements sums are: those of their dimension, or as many as vectors have slots for
/// it, of which those behind the elements are 0.
enum class SummedElements : uint8_t { Exact, WithPadding };

/// How far each function's approximation is from it, by statement and expression; 0 of others.
using ApproximationErrors = std::vector<std::vector<double>>;

/// Finds bounds for a program of fixed-point numbers whose inputs all have ranges; elements that
/// are read outside of an array are 0. `errors` is empty if nothing is approximated.
///
/// Products of two fixed-point numbers are rounded down to the fraction bits, which is what strays:
/// by less than a unit, and each operand's own rounding times the other. Sums are exact, and so are
/// products with integers; a constant with a fraction is up to half a unit from what is written.
/// Interval arithmetic in doubles, where operands count as independent but for squares; sums are
/// narrowed by Euclidean norms (Cauchy and Schwarz) where these say more. Linear, but
/// for products over dimensions, of which each iteration counts.
/// Functions are monotone where they are defined; what their operand is off, they are off by as
/// much as their values may differ for it (`spread`), and the device rounds them to within a unit.
auto find_real_bounds(const Program& program, const ApproximationErrors& errors = {},
                      SummedElements summed = SummedElements::Exact) -> RealBounds;

}  // namespace tacet::array
