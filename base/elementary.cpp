#include "base/elementary.h"

#include <array>
#include <cmath>
#include <limits>
#include <numbers>

#include "base/double_double.h"

namespace tacet::elementary {
namespace {

constexpr double kInfinity = std::numeric_limits<double>::infinity();
constexpr double kNotANumber = std::numeric_limits<double>::quiet_NaN();
constexpr DoubleDouble kLog2{0x1.62e42fefa39efp-1, 0x1.abc9e3b39803fp-56};
constexpr DoubleDouble kQuarterTurn{0x1.921fb54442d18p+0, 0x1.1a62633145c07p-54};

/// 1 / n!, by n.
constexpr auto kInverseFactorials = [] {
  std::array<double, 24> all{1};
  double factorial = 1;
  for (size_t n = 1; n < all.size(); ++n) {
    factorial *= static_cast<double>(n);  // exact up to 22!
    all[n] = 1 / factorial;
  }
  return all;
}();

/// The sum of x^n / n! for every second n, from `first` to `last`, with the signs of powers of
/// `sign`, divided by x^first; `square` is x^2.
auto every_second(double square, size_t first, size_t last, double sign) -> double {
  double sum = kInverseFactorials[last];
  for (size_t n = last; n > first; n -= 2) {
    sum = kInverseFactorials[n - 2] + sign * square * sum;
  }
  return sum;
}

auto nearest_integer(double x) -> double {
  return std::floor(x + 0.5);
}

/// What is left of x without quarter turns, and how many of these, modulo 4.
struct Angle {
  DoubleDouble rest;
  int quarter = 0;
};

auto reduced(double x) -> Angle {
  Angle angle{.rest = x};
  double quarters = 0;
  // Of large numbers the first quotient is not that exact.
  for (int round = 0; round < 3; ++round) {
    const double n = nearest_integer(angle.rest.high / kQuarterTurn.high);
    angle.rest = angle.rest - kQuarterTurn * n;
    quarters = std::fmod(quarters + std::fmod(n, 4), 4);
  }
  angle.quarter = (static_cast<int>(quarters) + 4) % 4;
  return angle;
}

auto sine_of(DoubleDouble rest) -> double {
  const double x = rest.high;
  const double square = x * x;
  const double tail = -square * x * every_second(square, 3, 19, -1);
  return x + (tail + rest.low * (1 - square / 2));
}

auto cosine_of(DoubleDouble rest) -> double {
  const double square = rest.high * rest.high;
  const double tail = square * square * every_second(square, 4, 20, -1);
  // 1 - x^2 / 2 loses bits of the square where it rounds.
  const DoubleDouble half = DoubleDouble::exact_product(rest.high, rest.high) * 0.5;
  const DoubleDouble most = DoubleDouble(1) - half;
  return most.high + (most.low + (tail - rest.high * rest.low));
}

auto wave(double x, int ahead) -> double {
  if (!std::isfinite(x)) {
    return kNotANumber;
  }
  const Angle angle = reduced(x);
  const int quarter = (angle.quarter + ahead) % 4;
  const double value = quarter % 2 == 0 ? sine_of(angle.rest) : cosine_of(angle.rest);
  return quarter < 2 ? value : -value;
}

/// e^-(x^2).
auto bell(double x) -> double {
  const DoubleDouble square = DoubleDouble::exact_product(x, x);
  return exp(-square.high) * (1 - square.low);
}

/// 2 / sqrt(pi) e^-(x^2) times the sum of 2^n x^(2n + 1) / (1 * 3 * ... * (2n + 1)), whose terms
/// are all positive.
auto erf_by_series(double x) -> double {
  const DoubleDouble twice = DoubleDouble::exact_product(x, x) * 2;
  DoubleDouble term = x;
  DoubleDouble sum = 0;
  for (double divisor = 3; term.high > 0x1p-60 * sum.high; divisor += 2) {
    sum = sum + term;
    term = term * twice / divisor;
  }
  return 2 * std::numbers::inv_sqrtpi * bell(x) * sum.high;
}

/// 1 - erf(x) by its continued fraction, of Laplace.
auto complement_of_erf(double x) -> double {
  constexpr int kTerms = 80;
  const double v = 1 / (2 * x * x);
  double fraction = 1;
  for (int n = kTerms; n > 0; --n) {
    fraction = 1 + n * v / fraction;
  }
  return bell(x) * std::numbers::inv_sqrtpi / (x * fraction);
}

}  // namespace

auto exp(double x) -> double {
  constexpr double kMost = 710;
  constexpr double kLeast = -746;
  if (!(x < kMost && x > kLeast)) {
    return x >= kMost ? kInfinity : x <= kLeast ? 0 : kNotANumber;
  }
  const double n = nearest_integer(x / kLog2.high);
  const DoubleDouble rest = DoubleDouble(x) - kLog2 * n;
  const double r = rest.high;
  double tail = 0;
  for (size_t k = 17; k >= 2; --k) {
    tail = kInverseFactorials[k] + r * tail;
  }
  tail = r * r * tail;
  return std::ldexp(1 + (r + (tail + rest.low * (1 + r))), static_cast<int>(n));
}

auto log(double x) -> double {
  if (!(x > 0) || x == kInfinity) {
    return x == 0 ? -kInfinity : x > 0 ? kInfinity : kNotANumber;
  }
  int exponent = 0;
  double part = std::frexp(x, &exponent);
  if (part < std::numbers::sqrt2 / 2) {
    part *= 2;
    --exponent;
  }
  // log((1 + s) / (1 - s)) is 2 (s + s^3 / 3 + ...).
  const double s = (part - 1) / (part + 1);
  double tail = 0;
  for (int n = 25; n >= 3; n -= 2) {
    tail = 2.0 / n + s * s * tail;
  }
  const DoubleDouble of_power = kLog2 * double(exponent);
  const DoubleDouble sum = of_power + DoubleDouble(2 * s);
  return sum.high + (sum.low + s * s * s * tail);
}

auto tanh(double x) -> double {
  const double size = std::abs(x);
  if (size > 0.5) {
    return std::copysign(1 - 2 / (exp(2 * size) + 1), x);
  }
  const double square = x * x;
  return x * every_second(square, 1, 17, 1) / every_second(square, 0, 16, 1);
}

auto erf(double x) -> double {
  const double size = std::abs(x);
  if (size < 2) {
    return size == 0 ? x : std::copysign(erf_by_series(size), x);
  }
  constexpr double kOne = 6;  // beyond which no double is nearer than 1
  return size >= kOne ? std::copysign(1, x) : std::copysign(1 - complement_of_erf(size), x);
}

auto sin(double x) -> double {
  return wave(x, 0);
}

auto cos(double x) -> double {
  return wave(x, 1);
}

}  // namespace tacet::elementary
