#pragma once

#include <cmath>
#include <cstdint>

/// Numbers of about 106 bits that are the same on every machine.
namespace tacet {

/// The sum of two doubles, of which the second is at most half a unit in the last place of the
/// first: some 106 bits, with the exponents of a double (Dekker, "A Floating-Point Technique for
/// Extending the Available Precision"). `long double` has 64 bits on one platform, 113 on another
/// and 53 on a third, so what is computed with it depends on where it is computed.
///
/// Sums are off by at most 2^-105 of the sum of the magnitudes of the operands, products and
/// quotients by at most 2^-102 of themselves. What includes this is compiled with
/// `-ffp-contract=off` (`tools/check_reproducible.py`): these steps count on each of them rounding.
/// Nothing is promised of numbers beyond 2^990 or below 2^-900.
struct DoubleDouble {
  double high = 0;
  double low = 0;

  constexpr DoubleDouble() = default;
  // NOLINTNEXTLINE(google-explicit-constructor): every double is one.
  constexpr DoubleDouble(double number) : high(number) {}
  constexpr DoubleDouble(double h, double l) : high(h), low(l) {}

  /// The nearest double.
  explicit constexpr operator double() const { return high; }

  /// All bits of an integer.
  static auto of_integer(int64_t number) -> DoubleDouble {
    const auto upper = static_cast<double>(number >> 32) * 0x1p32;
    return exact_sum(upper, static_cast<double>(number & 0xffffffff));
  }

  /// a + b, without an error.
  static auto exact_sum(double a, double b) -> DoubleDouble {
    const double sum = a + b;
    const double of_b = sum - a;
    return {sum, (a - (sum - of_b)) + (b - of_b)};
  }

  /// a * b, without an error, by halves of 26 bits.
  static auto exact_product(double a, double b) -> DoubleDouble {
    const double product = a * b;
    const DoubleDouble x = halves(a);
    const DoubleDouble y = halves(b);
    const double rest = ((x.high * y.high - product) + x.high * y.low + x.low * y.high);
    return {product, rest + x.low * y.low};
  }

  friend auto operator+(DoubleDouble a, DoubleDouble b) -> DoubleDouble {
    const DoubleDouble sum = exact_sum(a.high, b.high);
    const DoubleDouble rest = exact_sum(a.low, b.low);
    const DoubleDouble first = ordered_sum(sum.high, sum.low + rest.high);
    return ordered_sum(first.high, first.low + rest.low);
  }
  friend auto operator-(DoubleDouble a) -> DoubleDouble { return {-a.high, -a.low}; }
  friend auto operator-(DoubleDouble a, DoubleDouble b) -> DoubleDouble { return a + -b; }
  friend auto operator*(DoubleDouble a, DoubleDouble b) -> DoubleDouble {
    const DoubleDouble product = exact_product(a.high, b.high);
    return ordered_sum(product.high, product.low + (a.high * b.low + a.low * b.high));
  }
  friend auto operator/(DoubleDouble a, DoubleDouble b) -> DoubleDouble {
    const double first = a.high / b.high;
    const DoubleDouble rest = a - b * first;
    const double second = rest.high / b.high;
    const double third = (rest - b * second).high / b.high;
    return ordered_sum(first, second) + third;
  }

 private:
  /// Of numbers of which the first is not smaller than the second.
  static auto ordered_sum(double a, double b) -> DoubleDouble {
    const double sum = a + b;
    return {sum, b - (sum - a)};
  }

  /// Two numbers of 26 bits whose sum a number is (Veltkamp).
  static auto halves(double number) -> DoubleDouble {
    constexpr double kSplit = 0x1p27 + 1;
    const double scaled = kSplit * number;
    const double high = scaled - (scaled - number);
    return {high, number - high};
  }
};

}  // namespace tacet
