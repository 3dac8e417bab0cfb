#pragma once

#include <cstdint>
#include <vector>

#include "compiler/he/approximate/series.h"

/// Bounds of the modulus of continuity of what a program computes: how far apart two results are at
/// most whose operands are so far apart.
///
/// A polynomial that approximates `max(x, 0)` within 0.001 is three times as steep somewhere, so by
/// its derivative an error may grow threefold. But two results differ by no more than their
/// operands do and 0.002.
namespace tacet::he_lower {

/// A function of one real number, by polynomials, sums and products.
struct RealFunction {
  struct Node {
    enum class Kind : uint8_t { Operand, Number, Polynomial, Sum, Difference, Product };

    Kind kind = Kind::Operand;
    double number = 0;             ///< of `Number`
    uint32_t a = 0, b = 0;         ///< nodes before this one
    approximate::Series series{};  ///< of `Polynomial`, in a as it runs through `interval`
    approximate::RealInterval interval{};

    friend auto operator<(const Node& x, const Node& y) -> bool;
  };

  std::vector<Node> nodes;  ///< the last one is the result

  friend auto operator<(const RealFunction& x, const RealFunction& y) -> bool {
    return x.nodes < y.nodes;
  }
};

/// Lines above a modulus of continuity, for operands in an interval and errors up to `most`, which
/// may leave it.
///
/// Errors of ciphertexts are complex. The lines are for their real part; an imaginary part b
/// changes the real part of the result by at most `second_derivative` b^2 / 2, its imaginary part
/// by the derivative.
struct Continuity {
  /// Slopes of lines are 2^((i - kFirstSlope) / kSlopesPerOctave).
  static constexpr int kSlopesPerOctave = 32;
  static constexpr int kFirstSlope = 8 * kSlopesPerOctave;
  static constexpr int kSlopes = 14 * kSlopesPerOctave;

  double most = 0;
  double most_imaginary = 0;     ///< of errors
  double second_derivative = 0;  ///< the largest one, up to `most_imaginary` off the real numbers
  /// By slope: of the line at 0. Infinite if there is no such line.
  std::vector<double> intercepts;

  static auto slope_of(int i) -> double;
  /// What an error of the operand becomes in the real part; infinite if nothing is known of such.
  /// O(slopes).
  [[nodiscard]] auto of_error(double error, double imaginary = 0) const -> double;
  /// Also above those of another function.
  void join(const Continuity& other);
};

/// For errors up to several sizes, the largest first, as far as the function stays near what it is
/// in the interval; nothing if that takes too many pieces.
///
/// The interval is cut into pieces until Taylor models of first order (Makino and Berz, "Taylor
/// Models and Other Validated Functional Inclusion Methods") are off by less than 2^-18 of the
/// range of results on each. `steepest` bounds the derivative in the interval.
auto find_continuity(const RealFunction& function, approximate::RealInterval operand,
                     double steepest) -> std::vector<Continuity>;

}  // namespace tacet::he_lower
