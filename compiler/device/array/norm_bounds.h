#pragma once

#include <functional>
#include <optional>
#include <vector>

#include "compiler/device/array/program.h"

/// Euclidean norms of what is summed: sums of products are bounded by them much closer than by the
/// ends of ranges.
namespace tacet::array {

/// Of the expressions of a statement.
class NormBounds {
 public:
  /// `largest` is no less than the magnitude of any number of an expression.
  NormBounds(const Program& program, const Statement& statement,
             std::function<double(ExprId)> largest)
      : program_(program), statement_(statement), largest_(std::move(largest)) {}

  /// A bound of the norm of the numbers that an expression has for all values of `dims`, whatever
  /// values the other dimensions have: what its inputs declare (`Array::norm`), and constants have,
  /// passes through sums, products with numbers of known size, ramps, `tanh` and `sin`; all else
  /// has the norm of as many of the largest numbers. Linear in the expressions below.
  [[nodiscard]] auto norm(ExprId expr, const std::vector<DimId>& dims) const -> double;

  /// The same of the sum of magnitudes.
  [[nodiscard]] auto sum(ExprId expr, const std::vector<DimId>& dims) const -> double;

  /// How many values the dimensions have together.
  [[nodiscard]] auto n_values(const std::vector<DimId>& dims) const -> double;

 private:
  [[nodiscard]] auto norm_of_site(const Site& site, const std::vector<DimId>& dims) const -> double;
  /// How a site reads an array for all values of some dimensions.
  struct Reading {
    double n_items = 1;  ///< along the first dimension of the array, at most
    double n_times = 1;  ///< that each element is read
  };
  [[nodiscard]] auto reading_of(const Site& site, const std::vector<DimId>& dims) const
      -> std::optional<Reading>;

  const Program& program_;
  const Statement& statement_;
  std::function<double(ExprId)> largest_;
};

}  // namespace tacet::array
