#include "engine/mpc/dispatch/normal_quantile.h"

#include <array>
#include <bit>
#include <cmath>
#include <span>

namespace tacet::mpc {
namespace {

/// From the constant upwards.
using Coefficients = std::array<double, 8>;

struct Quotient {
  Coefficients top, bottom;
};

constexpr Quotient kCentre = {
    {3.3871328727963666080e0, 1.3314166789178437745e2, 1.9715909503065514427e3,
     1.3731693765509461125e4, 4.5921953931549871457e4, 6.7265770927008700853e4,
     3.3430575583588128105e4, 2.5090809287301226727e3},
    {1.0, 4.2313330701600911252e1, 6.8718700749205790830e2, 5.3941960214247511077e3,
     2.1213794301586595867e4, 3.9307895800092710610e4, 2.8729085735721942674e4,
     5.2264952788528545610e3}};
constexpr Quotient kMiddle = {
    {1.42343711074968357734e0, 4.63033784615654529590e0, 5.76949722146069140550e0,
     3.64784832476320460504e0, 1.27045825245236838258e0, 2.41780725177450611770e-1,
     2.27238449892691845833e-2, 7.74545014278341407640e-4},
    {1.0, 2.05319162663775882187e0, 1.67638483018380384940e0, 6.89767334985100004550e-1,
     1.48103976427480074590e-1, 1.51986665636164571966e-2, 5.47593808499534494600e-4,
     1.05075007164441684324e-9}};
constexpr Quotient kTail = {
    {6.65790464350110377720e0, 5.46378491116411436990e0, 1.78482653991729133580e0,
     2.96560571828504891230e-1, 2.65321895265761230930e-2, 1.24266094738807843860e-3,
     2.71155556874348757815e-5, 2.01033439929228813265e-7},
    {1.0, 5.99832206555887937690e-1, 1.36929880922735805310e-1, 1.48753612908506148525e-2,
     7.86869131145613259100e-4, 1.84631831751005468180e-5, 1.42151175831644588870e-7,
     2.04426310338993978564e-15}};

auto polynomial(const Coefficients& coefficients, double x) -> double {
  double value = coefficients.back();
  for (size_t i = coefficients.size() - 1; i-- > 0;) {
    value = value * x + coefficients[i];
  }
  return value;
}

auto evaluate(const Quotient& quotient, double x) -> double {
  return polynomial(quotient.top, x) / polynomial(quotient.bottom, x);
}

/// `a` if the condition holds, without a branch.
auto choose(bool condition, double a, double b) -> double {
  const uint64_t mask = 0 - uint64_t{condition};
  return std::bit_cast<double>((std::bit_cast<uint64_t>(a) & mask) |
                               (std::bit_cast<uint64_t>(b) & ~mask));
}

/// ln x of a positive normal number: x = 2^e m with m in [3/4, 3/2), and
/// ln m = 2 artanh((m - 1) / (m + 1)), of whose series eleven terms are more than a double has.
auto logarithm(double x) -> double {
  const auto bits = std::bit_cast<uint64_t>(x);
  // The exponent is one more from 3/2 on.
  const uint64_t above = (bits >> 51) & 1;
  const double exponent = static_cast<double>(static_cast<int64_t>((bits >> 52) + above) - 1023);
  const double m =
      std::bit_cast<double>((bits & 0x000fffffffffffff) | ((uint64_t{1023} - above) << 52));
  const double s = (m - 1) / (m + 1);
  const double squared = s * s;
  double sum = 0;
  for (int k = 21; k >= 1; k -= 2) {
    sum = sum * squared + 1.0 / k;
  }
  constexpr double kLn2 = 0.693147180559945309417232121458176568;
  return exponent * kLn2 + 2 * s * sum;
}

}  // namespace

auto normal_of_bits(uint64_t bits) -> double {
  // How likely it is to be further out, on its side.
  const double p = (static_cast<double>(bits >> 1) + 0.5) * 0x1p-64;
  const double q = 0.5 - p;
  const double centre = q * evaluate(kCentre, 0.180625 - q * q);
  const double r = std::sqrt(-logarithm(p));
  const double outside = choose(r <= 5, evaluate(kMiddle, r - 1.6), evaluate(kTail, r - 5));
  const double magnitude = choose(q <= 0.425, centre, outside);
  return std::bit_cast<double>(std::bit_cast<uint64_t>(magnitude) | (bits & 1) << 63);
}

}  // namespace tacet::mpc
